//! Runs an action when a signal is about to end the process. A second signal ends the process at
//! once.

use crate::error::Error;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

const SIGNALS: [libc::c_int; 2] = [libc::SIGTERM, libc::SIGINT];
/// The signal on which the process re-executes itself from the file that is then at its program's
/// path.
const RENEWAL: libc::c_int = libc::SIGUSR2;

/// The descriptor that the signal handler writes to, because a handler may do little else.
static BELL: AtomicI32 = AtomicI32::new(-1);

extern "C" fn ring(signal: libc::c_int) {
    let number = signal as u8;
    // SAFETY: `write` is async-signal-safe; the byte is a local.
    unsafe { libc::write(BELL.load(Ordering::Relaxed), (&raw const number).cast(), 1) };
}

/// The signal that will end the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Terminate,
    Interrupt,
}

/// The actions of a process on signals.
pub struct SignalActions<M, R, F> {
    /// Maximum time for `at_end`.
    pub limit: Duration,
    /// Action that runs first. A second signal cannot end the process before it returns.
    pub before_end: M,
    /// Action on SIGUSR2. Returns only if it failed.
    pub renew: R,
    /// Action that runs before the signal ends the process.
    pub at_end: F,
}

impl<M, R, F> SignalActions<M, R, F>
where
    M: FnOnce() + Send + 'static,
    R: Fn() + Send + 'static,
    F: FnOnce(Signal) + Send + 'static,
{
    /// Installs the handlers. From then on, the process runs the actions before SIGTERM or SIGINT
    /// ends it, and renews itself on SIGUSR2.
    ///
    /// # Errors
    /// The process has no descriptors left, or cannot start a thread.
    pub fn prepare(self) -> std::io::Result<()> {
        let bell = hang_bell()?;
        std::thread::Builder::new().spawn(move || self.await_end(bell))?;
        SIGNALS
            .into_iter()
            .chain([RENEWAL])
            .for_each(|signal| handle(signal, ring as *const () as libc::sighandler_t));
        Ok(())
    }

    fn await_end(self, mut bell: File) {
        let signal = loop {
            let mut number = [0u8];
            match (bell.read_exact(&mut number), libc::c_int::from(number[0])) {
                (Ok(()), RENEWAL) => (self.renew)(),
                (Ok(()), signal) => break signal,
                (Err(_), _) => {}
            }
        };
        (self.before_end)();
        // From here on, a signal ends the process as if this module were absent.
        SIGNALS.into_iter().for_each(|signal| handle(signal, libc::SIG_DFL));
        let end_signal =
            if signal == libc::SIGTERM { Signal::Terminate } else { Signal::Interrupt };
        let (start, at_end, limit) = (Instant::now(), self.at_end, self.limit);
        // Without threads, the process ends at once.
        if let Ok(ending) = std::thread::Builder::new().spawn(move || at_end(end_signal)) {
            while !ending.is_finished() && !has_more(&bell) && start.elapsed() < limit {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        // SAFETY: takes no pointers.
        unsafe { libc::kill(libc::getpid(), signal) };
    }
}

/// Makes signals delete this process's temporary folders before they end it.
pub fn delete_folders_before_end() -> Result<(), Error> {
    clean_up_before_end(outhaul_files::delete_temporary_folders)
        .map_err(|error| Error::Io { doing: "cannot handle signals".into(), error })
}

/// Installs handlers that run `clean_up` before SIGTERM, SIGINT or SIGHUP ends the process. Signals
/// that the process ignores, as under nohup, stay ignored.
///
/// # Errors
/// The process has no descriptors left, or cannot start a thread.
fn clean_up_before_end(clean_up: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let mut bell = hang_bell()?;
    std::thread::Builder::new().spawn(move || {
        let mut number = [0u8];
        while bell.read_exact(&mut number).is_err() {}
        clean_up();
        let signal = libc::c_int::from(number[0]);
        handle(signal, libc::SIG_DFL);
        // SAFETY: takes no pointers.
        unsafe { libc::kill(libc::getpid(), signal) };
    })?;
    let fatal = SIGNALS.into_iter().chain([libc::SIGHUP]).filter(|signal| !is_ignored(*signal));
    fatal.for_each(|signal| handle(signal, ring as *const () as libc::sighandler_t));
    Ok(())
}

/// Creates the pipe to which the handler writes each signal's number, and returns its other end.
fn hang_bell() -> std::io::Result<File> {
    let mut ends: [RawFd; 2] = [-1; 2];
    // SAFETY: `ends` is valid for writes of two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: `pipe2` made the descriptors, and nothing else owns them.
    let [bell, rope] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
    // The handler writes to this end for the rest of the process's life.
    BELL.store(rope.into_raw_fd(), Ordering::Relaxed);
    Ok(bell.into())
}

fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: `action` is a local, for which all zeros are valid.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Returns whether another signal arrived before the default action was restored.
fn has_more(bell: &File) -> bool {
    let mut entry = libc::pollfd { fd: bell.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: `entry` is a local, and the only entry.
    unsafe { libc::poll(&mut entry, 1, 0) > 0 }
}

fn handle(signal: libc::c_int, handler: libc::sighandler_t) {
    // SAFETY: `action` is a local, for which all zeros are valid. The handler is async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        (action.sa_sigaction, action.sa_flags) = (handler, libc::SA_RESTART);
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

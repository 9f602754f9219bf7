//! What a process does before a signal ends it. The second signal does not wait for that.

use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// How long it may take.
const FAREWELL_SECONDS_MAX: u64 = 3;
const SIGNALS: [libc::c_int; 2] = [libc::SIGTERM, libc::SIGINT];

/// Where the handler writes, which may do little else.
static BELL: AtomicI32 = AtomicI32::new(-1);

extern "C" fn ring(signal: libc::c_int) {
    let number = signal as u8;
    // SAFETY: write may be called in a handler; the byte is a local.
    unsafe { libc::write(BELL.load(Ordering::Relaxed), (&raw const number).cast(), 1) };
}

/// From now on the process says farewell before SIGTERM or SIGINT ends it.
///
/// # Errors
/// When the system has no descriptors left.
pub fn say_before_the_end(farewell: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let mut ends: [RawFd; 2] = [-1; 2];
    // SAFETY: the call fills the array.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } < 0 {
        return Err(std::io::Error::last_os_error());
    }
    BELL.store(ends[1], Ordering::Relaxed);
    // SAFETY: the descriptor was made above and is nobody else's.
    let bell = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    std::thread::Builder::new().spawn(move || await_end(bell, farewell))?;
    SIGNALS.into_iter().for_each(|signal| {
        handle(
            signal,
            ring as *const () as libc::sighandler_t,
            libc::SA_RESETHAND | libc::SA_RESTART,
        )
    });
    Ok(())
}

fn await_end(bell: OwnedFd, farewell: impl FnOnce() + Send + 'static) {
    let mut number = [0u8];
    let mut bell = std::fs::File::from(bell);
    while std::io::Read::read_exact(&mut bell, &mut number).is_err() {}
    let saying = std::thread::spawn(farewell);
    let waits = FAREWELL_SECONDS_MAX * 100;
    (0..waits)
        .take_while(|_| !saying.is_finished())
        .for_each(|_| std::thread::sleep(Duration::from_millis(10)));
    // As if nobody had been in the way.
    let signal = libc::c_int::from(number[0]);
    handle(signal, libc::SIG_DFL, 0);
    // SAFETY: takes no pointers.
    unsafe { libc::kill(libc::getpid(), signal) };
}

fn handle(signal: libc::c_int, handler: libc::sighandler_t, flags: libc::c_int) {
    // SAFETY: the record is a local, and its handler does what handlers may.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        (action.sa_sigaction, action.sa_flags) = (handler, flags);
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

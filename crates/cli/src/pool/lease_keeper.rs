//! The process that keeps a lease for a program, and releases it however the program ends. It
//! starts before its parent waits for the lease, so that a request whose program is gone leaves the
//! queue at once.
//!
//! Until the parent says what to do with the granted lease, the process waits for that word. If the
//! parent ends without one, by any signal, it withdraws the request.

use crate::address::pool::PoolAddress;
use crate::error::Error;
use crate::pool::patience::{ASK_AGAIN, retry_silently};
use outhaul_pool::http::api::Renewal;
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_transport::LEASE_VARIABLE;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Path of the running executable, even if its file has been replaced.
const OWN_PROGRAM: &str = "/proc/self/exe";
/// Maximum seconds of retries to release a lease.
const RELEASE_SECONDS_MAX: u64 = 300;
/// Maximum time in milliseconds that the pool holds a heartbeat while there is no news.
pub const NEWS_WAIT_MS: u64 = 5_000;
/// The parent's word that the process shall keep the lease until the program ends.
const KEEP: u8 = b'k';
/// The parent's word that the lease shall outlive the parent.
const LEAVE: u8 = b'l';

/// The parent's side of the process. If it is dropped, the process ends the lease.
pub struct LeaseKeeper(ChildStdin);

impl LeaseKeeper {
    /// Starts the process for the lease with this name and credential.
    pub fn start(pool: &PoolAddress, id: &str, credential: &str) -> Result<LeaseKeeper, Error> {
        let mut command = Command::new(OWN_PROGRAM);
        command.arg("keep-lease").arg(id).arg("--pool").arg(pool.to_string());
        command.arg("--tenant").arg(std::process::id().to_string());
        // Only the same user can read a process's environment.
        command.env(LEASE_VARIABLE, credential);
        // The grandchild does the work, so that the program finds no child that it did not start.
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().map_err(failed)?;
        let word = child.stdin.take();
        let status = child.wait().map_err(failed)?;
        match word {
            Some(word) if status.success() => Ok(LeaseKeeper(word)),
            _ => Err(failed(std::io::Error::other(status.to_string()))),
        }
    }

    /// Keeps the lease as long as this process, or the program that replaces it, lives.
    pub fn keep(mut self) -> Result<(), Error> {
        self.0.write_all(&[KEEP]).map_err(failed)
    }

    /// Leaves the lease alone from now on.
    pub fn leave(mut self) -> Result<(), Error> {
        self.0.write_all(&[LEAVE]).map_err(failed)
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::Io { doing: "cannot start the process that keeps the lease".into(), error }
}

/// Keep a lease while a process lives, then release it; `outhaul run` starts this command.
#[derive(clap::Args)]
pub struct Arguments {
    id: String,
    /// URL of the pool.
    #[arg(long)]
    pool: PoolAddress,
    /// ID of the process to watch.
    #[arg(long)]
    tenant: u32,
    /// Keep the lease in this process, instead of starting another process that does.
    #[arg(long)]
    stay: bool,
}

/// Runs the process that keeps a lease. Without `--stay`, starts that process and returns.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let failed = |error| Error::Io { doing: "cannot keep the lease".into(), error };
    if !arguments.stay {
        let mut command = Command::new(OWN_PROGRAM);
        command.args(std::env::args_os().skip(1)).arg("--stay");
        // Detaches from the terminal, because a signal that ends the program must not end this
        // process first.
        command.process_group(0).stdout(Stdio::null()).spawn().map_err(failed)?;
        return Ok(ExitCode::SUCCESS);
    }
    let client = arguments.pool.holder(&std::env::var(LEASE_VARIABLE).unwrap_or_default())?;
    let tenant = open(arguments.tenant);
    let mut word = [0];
    match std::io::stdin().read_exact(&mut word) {
        Ok(()) if word == [LEAVE] => return Ok(ExitCode::SUCCESS),
        Ok(()) => {
            let (keeper, id) = (client.clone(), arguments.id.clone());
            std::thread::spawn(move || keep(&keeper, &id));
            if let Some(tenant) = tenant {
                await_end(&tenant).map_err(failed)?;
            }
        }
        // The parent has ended.
        Err(_) => {}
    }
    RELEASING.store(true, Ordering::Relaxed);
    // If the pool does not answer, the lease expires.
    let _ = retry_silently(RELEASE_SECONDS_MAX, || client.release(&arguments.id));
    Ok(ExitCode::SUCCESS)
}

/// Whether this process is releasing the lease. Then `keep` does not report the lease's end.
static RELEASING: AtomicBool = AtomicBool::new(false);

/// Sends heartbeats. Ends this process when the lease has ended.
fn keep(client: &Client, id: &str) {
    let mut seen = None;
    loop {
        match client.renew(id, &Renewal { seen, wait_ms: NEWS_WAIT_MS }) {
            Ok(view) => seen = Some(view.state),
            Err(_) if RELEASING.load(Ordering::Relaxed) => return,
            Err(error @ ClientError::Gone(_)) => {
                let _ = std::io::stderr().write_all(format!("outhaul: {error}\n").as_bytes());
                std::process::exit(0);
            }
            // Other errors do not mean that the lease has ended. For example, another server may
            // answer at the pool's address for a while.
            Err(_) => std::thread::sleep(ASK_AGAIN),
        }
    }
}

/// Opens a pidfd of a process. Returns none if the process has already ended.
fn open(process: u32) -> Option<OwnedFd> {
    // SAFETY: takes no pointers; nothing else owns the new descriptor.
    unsafe {
        let descriptor = libc::syscall(libc::SYS_pidfd_open, process as libc::pid_t, 0);
        (descriptor >= 0).then(|| OwnedFd::from_raw_fd(descriptor as i32))
    }
}

/// Waits for the end of a process.
///
/// # Errors
/// The system cannot wait for it.
fn await_end(process: &OwnedFd) -> std::io::Result<()> {
    let mut waited = libc::pollfd { fd: process.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    loop {
        // SAFETY: `waited` is a local, and the only entry.
        if unsafe { libc::poll(&mut waited, 1, -1) } >= 0 {
            return Ok(());
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

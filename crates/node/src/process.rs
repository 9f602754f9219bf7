//! A process that is held on to: by a descriptor, so that its number cannot be another's by the
//! time that it is used. Its parent may be somebody else.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

pub struct Process {
    number: u32,
    /// None where the system has no such descriptors; then it is this process's child.
    descriptor: Option<OwnedFd>,
}

/// Whether the system has descriptors of processes.
pub fn can_be_held() -> bool {
    open(std::process::id()).is_ok()
}

fn open(number: u32) -> io::Result<OwnedFd> {
    // SAFETY: takes no pointers; the result is owned here alone.
    unsafe {
        match libc::syscall(libc::SYS_pidfd_open, number, 0) {
            descriptor if descriptor >= 0 => Ok(OwnedFd::from_raw_fd(descriptor as i32)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Signals the process that the descriptor is of. False: it is gone, or the descriptor is of
/// something else.
fn signal(descriptor: BorrowedFd<'_>, signal: libc::c_int) -> bool {
    let nothing = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: an open descriptor, and no record.
    unsafe {
        libc::syscall(libc::SYS_pidfd_send_signal, descriptor.as_raw_fd(), signal, nothing, 0) == 0
    }
}

/// Whether the descriptor is of a process that runs.
pub fn runs(descriptor: BorrowedFd<'_>) -> bool {
    signal(descriptor, 0) && !has_ended(descriptor, 0)
}

/// Ends the process that the descriptor is of, if it is one.
pub fn end(descriptor: BorrowedFd<'_>) {
    signal(descriptor, libc::SIGKILL);
}

/// Whether it ends within so long; a negative number waits for ever.
fn has_ended(descriptor: BorrowedFd<'_>, limit_ms: i32) -> bool {
    let mut entry = libc::pollfd { fd: descriptor.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which lives through the call.
    unsafe { libc::poll(&mut entry, 1, limit_ms) > 0 }
}

impl From<Child> for Process {
    fn from(child: Child) -> Process {
        let number = child.id();
        Process { number, descriptor: open(number).ok() }
    }
}

impl Process {
    /// What another process has held on to.
    pub fn adopt(number: u32, descriptor: OwnedFd) -> Process {
        Process { number, descriptor: Some(descriptor) }
    }

    pub fn number(&self) -> u32 {
        self.number
    }

    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.descriptor.as_ref().map(AsFd::as_fd)
    }

    pub fn kill(&self) {
        match &self.descriptor {
            Some(descriptor) => end(descriptor.as_fd()),
            // SAFETY: takes no pointers. A child that has not been waited for keeps its number.
            None => drop(unsafe { libc::kill(self.number as libc::pid_t, libc::SIGKILL) }),
        }
    }

    pub fn runs(&self) -> bool {
        self.descriptor().is_none_or(runs)
    }

    /// Until it has ended. A child keeps its number until it is asked how.
    pub fn await_end(&self) {
        match &self.descriptor {
            Some(descriptor) => while !has_ended(descriptor.as_fd(), -1) {},
            None => drop(self.wait(libc::WNOWAIT)),
        }
    }

    /// How it has ended; only a parent is told.
    pub fn status(&self) -> Option<ExitStatus> {
        self.wait(0)
    }

    fn wait(&self, flags: libc::c_int) -> Option<ExitStatus> {
        let (kind, id) = match &self.descriptor {
            Some(descriptor) => (libc::P_PIDFD, descriptor.as_raw_fd() as libc::id_t),
            None => (libc::P_PID, self.number),
        };
        // SAFETY: plain numbers, and a record that the call fills where it succeeds.
        unsafe {
            let mut record: libc::siginfo_t = std::mem::zeroed();
            while libc::waitid(kind, id, &mut record, libc::WEXITED | flags) < 0 {
                if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                    return None;
                }
            }
            let status = record.si_status();
            Some(ExitStatus::from_raw(if record.si_code == libc::CLD_EXITED {
                status << 8
            } else {
                status
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_is_ended_by_its_descriptor_and_nothing_else_is() {
        let process = Process::from(Command::new("sleep").arg("1000").spawn().unwrap());
        let copy = process.descriptor().unwrap().try_clone_to_owned().unwrap();
        assert!(can_be_held() && runs(copy.as_fd()) && !runs(std::io::stdin().as_fd()));
        end(std::io::stdin().as_fd());
        end(copy.as_fd());
        process.await_end();
        assert!(!runs(copy.as_fd()));
        assert_eq!(process.status().and_then(|status| status.signal()), Some(libc::SIGKILL));
        assert_eq!(
            Process::adopt(process.number(), copy).status(),
            None,
            "it has been asked already"
        );
        let process = Process::from(Command::new("false").spawn().unwrap());
        assert_eq!(process.status().and_then(|status| status.code()), Some(1));
    }
}

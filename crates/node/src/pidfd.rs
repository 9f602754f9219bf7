//! A process that is held by a descriptor, because its number may refer to another process later.
//! The process need not be a child of this one.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

/// Path of the running program, which is valid even after its file was replaced.
pub const OWN_PROGRAM: &str = "/proc/self/exe";

/// A process.
pub struct Process {
    number: u32,
    /// The process's descriptor. None if Linux does not support such descriptors; the process is
    /// then a child of this one.
    descriptor: Option<OwnedFd>,
}

/// Returns whether Linux supports process descriptors.
pub fn can_be_held() -> bool {
    open(std::process::id()).is_ok()
}

fn open(number: u32) -> io::Result<OwnedFd> {
    // SAFETY: the call takes no pointers, and the descriptor has no other owner.
    unsafe {
        match libc::syscall(libc::SYS_pidfd_open, number, 0) {
            descriptor if descriptor >= 0 => Ok(OwnedFd::from_raw_fd(descriptor as i32)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Signals the process to which `descriptor` refers. Returns false if the process is gone, or if
/// `descriptor` does not refer to a process.
fn signal(descriptor: BorrowedFd<'_>, signal: libc::c_int) -> bool {
    let nothing = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: the descriptor is open, and the call accepts a null record.
    unsafe {
        libc::syscall(libc::SYS_pidfd_send_signal, descriptor.as_raw_fd(), signal, nothing, 0) == 0
    }
}

/// Returns whether `descriptor` refers to a running process.
pub fn runs(descriptor: BorrowedFd<'_>) -> bool {
    signal(descriptor, 0) && !has_ended(descriptor, 0)
}

/// Kills the process to which `descriptor` refers, if any.
pub fn end(descriptor: BorrowedFd<'_>) {
    signal(descriptor, libc::SIGKILL);
}

/// Returns whether the process ends within `limit_ms`. Waits forever if `limit_ms` is negative.
fn has_ended(descriptor: BorrowedFd<'_>, limit_ms: i32) -> bool {
    let mut entry = libc::pollfd { fd: descriptor.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the only entry lives through the call.
    unsafe { libc::poll(&mut entry, 1, limit_ms) > 0 }
}

impl From<Child> for Process {
    fn from(child: Child) -> Process {
        let number = child.id();
        Process { number, descriptor: open(number).ok() }
    }
}

impl Process {
    /// Takes over a process that another process has started, from its number and descriptor.
    pub fn adopt(number: u32, descriptor: OwnedFd) -> Process {
        Process { number, descriptor: Some(descriptor) }
    }

    /// Returns the process id.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the process's descriptor, if Linux supports process descriptors.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.descriptor.as_ref().map(AsFd::as_fd)
    }

    /// Kills the process.
    pub fn kill(&self) {
        match &self.descriptor {
            Some(descriptor) => end(descriptor.as_fd()),
            // SAFETY: the call takes no pointers. A child keeps its number until this process has
            // read its status.
            None => drop(unsafe { libc::kill(self.number as libc::pid_t, libc::SIGKILL) }),
        }
    }

    /// Returns whether the process runs.
    pub fn runs(&self) -> bool {
        self.descriptor().is_none_or(runs)
    }

    /// Blocks until the process has ended. A child keeps its number until its status is read.
    pub fn await_end(&self) {
        match &self.descriptor {
            Some(descriptor) => while !has_ended(descriptor.as_fd(), -1) {},
            None => drop(self.wait(libc::WNOWAIT)),
        }
    }

    /// Returns the exit status of an ended process. Only the process's parent can read the status.
    pub fn status(&self) -> Option<ExitStatus> {
        self.wait(0)
    }

    fn wait(&self, flags: libc::c_int) -> Option<ExitStatus> {
        let (kind, id) = match &self.descriptor {
            Some(descriptor) => (libc::P_PIDFD, descriptor.as_raw_fd() as libc::id_t),
            None => (libc::P_PID, self.number),
        };
        // SAFETY: all zero is a valid record, and the call writes only to the record, a local.
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

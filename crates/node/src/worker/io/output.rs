//! The kernels' output, which belongs to the client's program. The driver writes it to this
//! process's descriptors 1 and 2. These refer to memory files, whose content is sent to the client
//! before a wait is answered. The worker's own messages go to the node's log.

use super::outbound::Outbound;
use crate::worker::ending::end;
use crate::worker::log;
use outhaul_lock::Mutex;
use std::ffi::c_int;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;

const OUTPUT_PIECE_BYTES: usize = 64 << 10;
const LAST_OUTPUT_BYTES: usize = 1024;

/// The kernels' captured output.
pub struct Output {
    captured: Mutex<[Captured; 2]>,
}

struct Captured {
    descriptor: u8,
    file: File,
    read: u64,
}

impl Output {
    /// Redirects descriptors 1 and 2 to memory files.
    pub fn capture() -> io::Result<Output> {
        log::open()?;
        // SAFETY: the handler calls only async-signal-safe functions.
        unsafe { libc::signal(libc::SIGABRT, log_last_output as *const () as libc::sighandler_t) };
        std::panic::set_hook(Box::new(|info| end_of_panic(&info.to_string())));
        Ok(Output { captured: Mutex::new([captured(1)?, captured(2)?]) })
    }

    /// Sends all output that was captured since the last call.
    pub fn drain(&self, outbound: &Outbound) {
        // SAFETY: flushing all of stdio has no preconditions.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        for captured in self.captured.lock().iter_mut() {
            captured.drain(outbound);
        }
    }
}

/// Copies the end of descriptor 2's content to the log. A library that aborts writes its reason
/// there, which would otherwise be lost.
extern "C" fn log_last_output(_: c_int) {
    let mut bytes = [0; LAST_OUTPUT_BYTES];
    // SAFETY: the calls are async-signal-safe, and the buffer is a local.
    unsafe {
        let end = libc::lseek(2, 0, libc::SEEK_END);
        let count = libc::pread(
            2,
            bytes.as_mut_ptr().cast(),
            LAST_OUTPUT_BYTES,
            (end - LAST_OUTPUT_BYTES as i64).max(0),
        );
        if count > 0 {
            libc::write(log::descriptor(), bytes.as_ptr().cast(), count as usize);
        }
        // The default handler ends the process when this function returns.
        libc::signal(libc::SIGABRT, libc::SIG_DFL);
        libc::raise(libc::SIGABRT);
    }
}

/// Ends the process after a panic, because other threads would wait for the panicked thread's work,
/// and the client for them. The client notices that the connections end.
fn end_of_panic(text: &str) -> ! {
    log::log(&format!("the session ends: {text}"));
    end()
}

fn captured(descriptor: u8) -> io::Result<Captured> {
    // SAFETY: the name is a C string; no other code owns the new descriptor.
    let memory = unsafe { libc::memfd_create(c"output".as_ptr(), libc::MFD_CLOEXEC) };
    if memory < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `memory` is a new descriptor that no other code owns.
    let file = unsafe { File::from_raw_fd(memory) };
    // SAFETY: takes no pointers, and the descriptors are open.
    unsafe {
        // Append mode ensures that truncating the file after sending leaves no hole.
        libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_APPEND);
        if libc::dup2(file.as_raw_fd(), i32::from(descriptor)) < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(Captured { descriptor, file, read: 0 })
}

impl Captured {
    fn drain(&mut self, outbound: &Outbound) {
        let Ok(length) = self.file.metadata().map(|m| m.len()) else { return };
        if length == self.read {
            return;
        }
        let mut buffer = vec![0; OUTPUT_PIECE_BYTES];
        while let Ok(count) = self.file.read_at(&mut buffer, self.read) {
            if count == 0 {
                break;
            }
            outbound.output(self.descriptor, &buffer[..count]);
            self.read += count as u64;
        }
        if self.file.set_len(0).is_ok() {
            self.read = 0;
        }
    }
}

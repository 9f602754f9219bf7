//! What kernels print. `printf` text is kept until the program synchronises, as CUDA keeps it,
//! and then goes through the C library's `stdout`, so that it falls into place between what the
//! program prints itself.

use outhaul_lock::Mutex;

use super::conditional::Condition;
use super::lock;
use crate::engine;

/// CUDA's buffer has this size and drops what does not fit; here it is written early instead.
const KEPT_BYTES_MAX: usize = 1 << 20;

static KEPT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The destination of every kernel's output.
pub struct Console;

impl engine::Output for Console {
    fn stdout(&self, bytes: &[u8]) {
        let full = {
            let mut kept = lock(&KEPT);
            kept.extend_from_slice(bytes);
            kept.len() > KEPT_BYTES_MAX
        };
        if full {
            flush();
        }
    }

    fn stderr(&self, bytes: &[u8]) {
        use std::io::Write;
        // A closed stderr is no reason to fail a kernel.
        let _ = std::io::stderr().write_all(bytes);
    }

    fn set_condition(&self, number: u64, value: u32) {
        if let Some(condition) = Condition::find(number) {
            condition.set(value);
        }
    }
}

unsafe extern "C" {
    /// The C library's stream, which the libc crate does not name.
    #[link_name = "stdout"]
    static C_STDOUT: *mut libc::FILE;
}

/// Called at every point where CUDA promises that output has appeared.
pub fn flush() {
    let mut kept = lock(&KEPT);
    if kept.is_empty() {
        return;
    }
    // SAFETY: the C library initialises stdout before main and locks it itself.
    unsafe {
        libc::fwrite(kept.as_ptr().cast(), 1, kept.len(), C_STDOUT);
        libc::fflush(C_STDOUT);
    }
    kept.clear();
}

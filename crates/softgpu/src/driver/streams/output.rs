//! Kernel output. `printf` text is kept until the program synchronises, as in CUDA. The text is
//! then written through the C library's `stdout`, so that it is in order with the program's own
//! output.

use outhaul_lock::Mutex;

use crate::driver::lock;
use crate::driver::objects::graphs::condition::Condition;
use crate::engine;

/// Buffer size. CUDA's buffer has the same size and drops excess text; this buffer is written early
/// instead.
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
        // A closed stderr must not fail a kernel.
        let _ = std::io::stderr().write_all(bytes);
    }

    fn set_condition(&self, number: u64, value: u32) {
        if let Some(condition) = Condition::find(number) {
            condition.set(value);
        }
    }
}

unsafe extern "C" {
    /// The C library's `stdout`, which the libc crate does not declare.
    #[link_name = "stdout"]
    static C_STDOUT: *mut libc::FILE;
}

/// Writes the kept text. Called wherever CUDA guarantees that output has appeared.
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

//! The end of a worker process. Linux frees the memory and files of the process, so this module
//! frees nothing. Deliberately absent: a farewell to the client, which needs a lane
//! (`io/farewell.rs`).

use std::time::Duration;

/// Time for the thread of commands to report the session's use.
const LAST_ACCOUNT: Duration = Duration::from_millis(100);

/// Ends the process with success.
pub fn end() -> ! {
    end_with(0)
}

/// Ends the process with an exit code.
pub fn end_with(code: i32) -> ! {
    // SAFETY: ends the process at once; Linux frees everything.
    unsafe { libc::_exit(code) }
}

/// Ends the session because a lane has ended, as all do when the client is gone. The thread of
/// commands notices the same, reports the session's use and ends the process. If that thread is
/// blocked, this one does not wait for it.
pub fn end_soon() -> ! {
    std::thread::sleep(LAST_ACCOUNT);
    end()
}

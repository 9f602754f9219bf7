//! The end of a worker process. Linux reclaims the process's memory and files, so this module frees
//! nothing. Deliberately absent: the farewell to the client, which needs a lane (`io/farewell.rs`).

use std::time::Duration;

/// Time that the command thread has to report the session's use.
const LAST_ACCOUNT: Duration = Duration::from_millis(100);

/// Ends the process with exit code 0.
pub fn end() -> ! {
    end_with(0)
}

/// Ends the process with the exit code `code`.
pub fn end_with(code: i32) -> ! {
    // SAFETY: takes no pointers; Linux reclaims everything when the process ends.
    unsafe { libc::_exit(code) }
}

/// Ends the session because a lane has ended; all lanes end when the client is gone. The command
/// thread
///  notices the lost client too, reports the session's use and ends the process. This
/// function waits only `LAST_ACCOUNT` for that thread, because the thread may be blocked.
pub fn end_soon() -> ! {
    std::thread::sleep(LAST_ACCOUNT);
    end()
}

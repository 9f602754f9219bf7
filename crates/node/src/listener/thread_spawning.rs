//! Threads of the listener, which have no names. The listener continues if Linux has none to give.

use std::io;

/// Starts a thread. Fails if Linux has none to give.
pub fn thread(body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().spawn(body).map(drop)
}

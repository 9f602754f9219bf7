//! Unnamed threads of the listener. The listener continues if Linux cannot create a thread.

use std::io;

/// Starts a thread. Fails if Linux cannot create one.
pub fn thread(body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().spawn(body).map(drop)
}

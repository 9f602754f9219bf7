//! The threads of a worker. Each has a name, which `top -H` shows.

use super::output::log;
use std::io;

/// The session ends where there can be no more threads.
pub fn start(name: &str, body: impl FnOnce() + Send + 'static) {
    if let Err(error) = try_start(name, body) {
        log(&format!("the session ends: {}", crate::serve::no_threads(&error)));
        super::end();
    }
}

/// Linux keeps 15 bytes of a name.
pub fn try_start(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.into()).spawn(body).map(drop)
}

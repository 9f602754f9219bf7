//! A worker's threads. Each has a name, which `top -H` shows. The threads that a session needs from
//! its start are created before its client is welcomed. If that fails, the client can try again,
//! instead of losing work that it has started.

use crate::worker::log::log;
use outhaul_lock::Mutex;
use std::ffi::CString;
use std::io;
use std::sync::mpsc::{Sender, channel};

type Body = Box<dyn FnOnce() + Send>;

static RESERVED: Mutex<Vec<Sender<Body>>> = Mutex::new(Vec::new());

/// Creates `count` threads that wait until they are used or released.
pub fn reserve(count: usize) -> io::Result<()> {
    let mut reserved = Vec::new();
    for _ in 0..count {
        let (sender, receiver) = channel::<Body>();
        std::thread::Builder::new()
            .spawn(move || receiver.into_iter().take(1).for_each(|body| body()))?;
        reserved.push(sender);
    }
    RESERVED.lock().append(&mut reserved);
    Ok(())
}

/// Ends all waiting threads except `but` of them.
pub fn release_reserved(but: usize) {
    RESERVED.lock().truncate(but);
}

/// Starts a thread. Ends the session if no thread can be started.
pub fn start(name: &str, body: impl FnOnce() + Send + 'static) {
    if let Err(error) = try_start(name, body) {
        log(&format!("the session ends: {}", no_threads(&error)));
        crate::worker::ending::end();
    }
}

/// Starts a thread, or returns an error. Linux keeps only 15 bytes of `name`.
pub fn try_start(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let reserved = RESERVED.lock().pop();
    let Some(sender) = reserved else {
        return std::thread::Builder::new().name(name.into()).spawn(body).map(drop);
    };
    let name = CString::new(name).unwrap_or_default();
    let named = move || {
        // SAFETY: the name outlives the call, and the thread is the calling one.
        unsafe { libc::pthread_setname_np(libc::pthread_self(), name.as_ptr()) };
        body();
    };
    sender.send(Box::new(named)).map_err(|_| io::Error::other("a thread that stood by has ended"))
}

/// Returns the error text for a thread that could not be started.
pub fn no_threads(error: &io::Error) -> String {
    format!(
        "the node can start no more threads ({error}): end sessions there, or raise its limit \
        (`TasksMax`, `ulimit -u`)"
    )
}

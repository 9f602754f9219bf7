//! The threads of a worker. Each has a name, which `top -H` shows. Those that a session needs from
//! its start on stand by before its client is told that it begins: where there can be no more
//! threads, the client is to come again, and not to lose what it has begun.

use super::output::log;
use outhaul_lock::Mutex;
use std::ffi::CString;
use std::io;
use std::sync::mpsc::{Sender, channel};

type Body = Box<dyn FnOnce() + Send>;

static STANDING_BY: Mutex<Vec<Sender<Body>>> = Mutex::new(Vec::new());

/// So many threads stand by, until they are started or let go.
pub fn stand_by(count: usize) -> io::Result<()> {
    let mut standing = Vec::new();
    for _ in 0..count {
        let (sender, receiver) = channel::<Body>();
        std::thread::Builder::new()
            .spawn(move || receiver.into_iter().take(1).for_each(|body| body()))?;
        standing.push(sender);
    }
    STANDING_BY.lock().append(&mut standing);
    Ok(())
}

/// Those that still stand by end, but for so many.
pub fn let_go(but: usize) {
    STANDING_BY.lock().truncate(but);
}

/// The session ends where there can be no more threads.
pub fn start(name: &str, body: impl FnOnce() + Send + 'static) {
    if let Err(error) = try_start(name, body) {
        log(&format!("the session ends: {}", crate::serve::no_threads(&error)));
        super::end();
    }
}

/// Linux keeps 15 bytes of a name.
pub fn try_start(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let standing = STANDING_BY.lock().pop();
    let Some(sender) = standing else {
        return std::thread::Builder::new().name(name.into()).spawn(body).map(drop);
    };
    let name = CString::new(name).unwrap_or_default();
    let named = move || {
        // SAFETY: the name lives through the call, and the thread is the calling one.
        unsafe { libc::pthread_setname_np(libc::pthread_self(), name.as_ptr()) };
        body();
    };
    sender.send(Box::new(named)).map_err(|_| io::Error::other("a thread that stood by has ended"))
}

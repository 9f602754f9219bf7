//! Repeats requests while the pool cannot answer, and says so.

use crate::notice::say;
use outhaul_lock::Mutex;
use outhaul_pool::http::client::{Client, ClientError};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// How long a pool may be unreachable without a word, since a restart takes less.
const SILENT: Duration = Duration::from_secs(2);
/// The time between two attempts.
pub const ASK_AGAIN: Duration = Duration::from_millis(500);

/// Repeats a request while its error is temporary, for at most `seconds_max` seconds. If that takes
/// more than two seconds, prints once why.
pub fn retry<T>(
    client: &Client,
    seconds_max: u64,
    ask: impl Fn() -> Result<T, ClientError>,
) -> Result<T, ClientError> {
    let notice = Notice::begin(client.url().to_owned(), seconds_max);
    retry_silently(seconds_max, || {
        ask().inspect_err(|error| {
            *notice.reason.lock() = Some(error.to_string());
        })
    })
}

/// Like `retry`, but prints nothing.
pub fn retry_silently<T>(
    seconds_max: u64,
    ask: impl Fn() -> Result<T, ClientError>,
) -> Result<T, ClientError> {
    let start = Instant::now();
    loop {
        match ask() {
            Err(error) if error.is_passing() && start.elapsed().as_secs() < seconds_max => {
                std::thread::sleep(ASK_AGAIN)
            }
            answer => return answer,
        }
    }
}

/// A thread that prints why a request takes long, unless the request ends soon.
struct Notice {
    reason: Arc<Mutex<Option<String>>>,
    /// Closing this end tells the thread that the request has ended.
    _end: Sender<()>,
}

impl Notice {
    fn begin(url: String, seconds_max: u64) -> Notice {
        let (reason, (end, ended)) = (Arc::<Mutex<Option<String>>>::default(), channel::<()>());
        let last = reason.clone();
        // Without a thread the request is only silent.
        let _ = std::thread::Builder::new().spawn(move || {
            if ended.recv_timeout(SILENT) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let last = last.lock().take();
                let why = last.unwrap_or_else(|| format!("the pool at {url} does not answer yet"));
                say(format_args!("{why}; trying for up to {seconds_max} s"));
            }
        });
        Notice { reason, _end: end }
    }
}

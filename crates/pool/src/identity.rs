//! Identities: the pool's authority, which certifies nodes and signs tokens. Also the proofs that
//! nodes and users hold, how they get them, and the requests that each may make. Not here:
//! passwords, and revocation lists; certificates and tokens expire.

pub mod authority;
pub mod caller;
pub mod credentials;
pub mod host_certificate;
pub mod node_name;
pub mod secret;
pub mod token;

pub use authority::Authority;
pub use caller::Caller;
pub use credentials::Credentials;
pub use token::{Claims, Grant, User};

use rustls::pki_types::UnixTime;
use rustls::time_provider::TimeProvider;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time of day when the process started plus the time since then, so setting the clock changes
/// nothing. Leases live by it.
#[derive(Clone)]
pub struct SteadyTime {
    now_ms: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// Lets a thread sleep for this time or for a part of it.
    sleep: fn(Duration),
}

impl SteadyTime {
    /// A clock that starts now.
    pub fn begin() -> SteadyTime {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (start, start_ms) = (Instant::now(), since.as_millis() as u64);
        let now_ms = Arc::new(move || start_ms + start.elapsed().as_millis() as u64);
        SteadyTime { now_ms, sleep: std::thread::sleep }
    }

    /// A clock from a function that returns milliseconds since 1970 and never runs backwards. It
    /// may run faster or slower than the machine's.
    pub fn of(now_ms: impl Fn() -> u64 + Send + Sync + 'static) -> SteadyTime {
        SteadyTime {
            now_ms: Arc::new(now_ms),
            sleep: |_| std::thread::sleep(Duration::from_millis(1)),
        }
    }

    /// Returns once the clock shows this many milliseconds since 1970.
    pub fn sleep_until(&self, until_ms: u64) {
        while let Some(left_ms @ 1..) = until_ms.checked_sub(self.now_ms()) {
            (self.sleep)(Duration::from_millis(left_ms));
        }
    }

    /// Milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        (self.now_ms)()
    }
}

/// The time of day as it is set now. Tokens and certificates are checked against it, because other
/// machines made them by their clocks.
#[derive(Clone)]
pub struct WallTime(Arc<dyn Fn() -> u64 + Send + Sync>);

impl WallTime {
    /// This machine's time of day.
    pub fn of_machine() -> WallTime {
        WallTime::of(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
    }

    /// A clock from a function that returns seconds since 1970.
    pub fn of(now_s: impl Fn() -> u64 + Send + Sync + 'static) -> WallTime {
        WallTime(Arc::new(now_s))
    }

    /// Seconds since 1970.
    pub fn now_s(&self) -> u64 {
        (self.0)()
    }
}

impl std::fmt::Debug for WallTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} s", self.now_s())
    }
}

impl TimeProvider for WallTime {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::from_secs(self.now_s())))
    }
}

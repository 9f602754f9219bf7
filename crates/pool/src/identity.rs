//! Identities: the pool's authority, which certifies nodes and signs tokens. Also the proofs that
//! nodes and users hold, how they get these, and the requests that each may make. There are no
//! passwords and no revocation lists, because certificates and tokens expire.

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

/// A clock that starts at the time of day and then counts elapsed time, so that setting the
/// machine's clock has no effect. Leases are timed by this clock.
#[derive(Clone)]
pub struct SteadyTime {
    now_ms: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// Sleeps for at most the given time.
    sleep: fn(Duration),
}

impl SteadyTime {
    /// Returns a clock that starts at the machine's current time of day.
    pub fn begin() -> SteadyTime {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (start, start_ms) = (Instant::now(), since.as_millis() as u64);
        let now_ms = Arc::new(move || start_ms + start.elapsed().as_millis() as u64);
        SteadyTime { now_ms, sleep: std::thread::sleep }
    }

    /// Returns a clock that calls `now_ms`, which returns milliseconds since 1970 and never runs
    /// backwards. The clock may run faster or slower than the machine's.
    pub fn of(now_ms: impl Fn() -> u64 + Send + Sync + 'static) -> SteadyTime {
        SteadyTime {
            now_ms: Arc::new(now_ms),
            sleep: |_| std::thread::sleep(Duration::from_millis(1)),
        }
    }

    /// Returns once the clock shows `until_ms` milliseconds since 1970.
    pub fn sleep_until(&self, until_ms: u64) {
        while let Some(left_ms @ 1..) = until_ms.checked_sub(self.now_ms()) {
            (self.sleep)(Duration::from_millis(left_ms));
        }
    }

    /// Returns the milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        (self.now_ms)()
    }
}

/// The time of day as the machine's clock shows it. Tokens and certificates are checked against the
/// time of day, because other machines made them by their own clocks.
#[derive(Clone)]
pub struct WallTime(Arc<dyn Fn() -> u64 + Send + Sync>);

impl WallTime {
    /// Returns a clock that shows this machine's time of day.
    pub fn of_machine() -> WallTime {
        WallTime::of(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
    }

    /// Returns a clock that calls `now_s`, which returns seconds since 1970.
    pub fn of(now_s: impl Fn() -> u64 + Send + Sync + 'static) -> WallTime {
        WallTime(Arc::new(now_s))
    }

    /// Returns the seconds since 1970.
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

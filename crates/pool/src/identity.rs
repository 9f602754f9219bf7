//! Who somebody is: the pool's authority, which certifies nodes and signs tokens, what nodes and users hold of it, how they come to hold it, and what
//! a question to the pool is allowed by it. Deliberately absent: passwords, and lists of what is revoked; certificates and tokens end by themselves.

pub mod authority;
pub mod caller;
pub mod joining;
pub mod passport;
pub mod token;

pub use authority::Authority;
pub use caller::Caller;
pub use passport::Passport;
pub use token::{Claims, Grant, User};

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The time of day when a process began, and how long that was ago: setting the time changes nothing.
#[derive(Debug, Clone, Copy)]
pub struct SteadyTime {
    start: Instant,
    start_ms: u64,
}

impl SteadyTime {
    /// From now on.
    pub fn begin() -> SteadyTime {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        SteadyTime { start: Instant::now(), start_ms: since.as_millis() as u64 }
    }

    /// Since 1970.
    pub fn now_ms(self) -> u64 {
        self.start_ms + self.start.elapsed().as_millis() as u64
    }
}

impl rustls::time_provider::TimeProvider for SteadyTime {
    fn current_time(&self) -> Option<rustls::pki_types::UnixTime> {
        Some(rustls::pki_types::UnixTime::since_unix_epoch(std::time::Duration::from_millis(self.now_ms())))
    }
}

//! Names that lapse unless they are renewed, by a clock that nobody sets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time since some beginning. It never runs backwards or jumps, whatever is done to the time of day.
pub type Clock = Box<dyn Fn() -> Duration + Send + Sync>;

/// Names with their times to live and when they lapse.
pub struct Deadlines {
    clock: Clock,
    names: Mutex<BTreeMap<String, (Duration, Duration)>>,
}

impl Deadlines {
    /// None yet.
    pub fn new(clock: Clock) -> Deadlines {
        Deadlines { clock, names: Mutex::default() }
    }

    /// By this process's monotonic clock.
    pub fn monotonic() -> Deadlines {
        let start = Instant::now();
        Deadlines::new(Box::new(move || start.elapsed()))
    }

    /// A name begins, or begins anew. Gives its time to live so far.
    pub fn hold(&self, name: &str, ttl: Duration) -> Option<Duration> {
        let end = (self.clock)() + ttl;
        self.names().insert(name.to_owned(), (ttl, end)).map(|(before, _)| before)
    }

    /// False if it has lapsed.
    pub fn renew(&self, name: &str) -> bool {
        let now = (self.clock)();
        let mut names = self.names();
        let Some((ttl, end)) = names.get_mut(name).filter(|(_, end)| *end > now) else { return false };
        *end = now + *ttl;
        true
    }

    /// A name ends.
    pub fn let_go(&self, name: &str) {
        self.names().remove(name);
    }

    /// Those that have not lapsed. Those that have are forgotten.
    pub fn held(&self) -> BTreeSet<String> {
        let now = (self.clock)();
        let mut names = self.names();
        names.retain(|_, (_, end)| *end > now);
        names.keys().cloned().collect()
    }

    fn names(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, (Duration, Duration)>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Which frames of a program that keeps a tick were in time: a frame begins at a tick and is due at
//! the next, and one that is late drops the ticks that it missed. Pure: who draws says when a frame
//! was ready.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ticks {
    pub in_time: u64,
    pub late: u64,
    /// Ticks at which no frame began.
    pub dropped: u64,
}

impl Ticks {
    /// The tick at which the next frame begins.
    pub fn next(&self) -> u64 {
        self.in_time + self.late + self.dropped
    }

    /// The frame that began last was ready so long after the first of `count` ticks.
    pub fn ready(&mut self, at_ns: u64, tick_ns: u64, count: u64) {
        if at_ns <= (self.next() + 1) * tick_ns {
            self.in_time += 1;
            return;
        }
        self.late += 1;
        self.dropped += (at_ns / tick_ns + 1).min(count).saturating_sub(self.next());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_frame_drops_the_ticks_that_it_missed() {
        let mut ticks = Ticks::default();
        let mut ready = |at_ns| {
            ticks.ready(at_ns, 100, 10);
            (ticks.in_time, ticks.late, ticks.dropped, ticks.next())
        };
        assert_eq!(ready(60), (1, 0, 0, 1));
        // At the very moment that it was due.
        assert_eq!(ready(200), (2, 0, 0, 2));
        // Due at 300; the next begins at 400, or at 600.
        assert_eq!(ready(301), (2, 1, 1, 4));
        assert_eq!(ready(599), (2, 2, 2, 6));
        // No more is dropped than there was.
        assert_eq!(ready(5_000), (2, 3, 5, 10));
    }
}

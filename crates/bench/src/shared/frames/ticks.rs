//! Counts the frames of a program that draws at fixed ticks. A frame begins at a tick and is due at
//! the next one. A late frame drops the ticks that it missed. Pure: the caller passes the time at
//! which a frame was ready.

use serde::{Deserialize, Serialize};

/// The numbers of frames in time, late frames, and dropped ticks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ticks {
    pub in_time: u64,
    pub late: u64,
    /// Number of ticks at which no frame began.
    pub dropped: u64,
}

impl Ticks {
    /// Returns the tick at which the next frame begins.
    pub fn next(&self) -> u64 {
        self.in_time + self.late + self.dropped
    }

    /// Counts the frame that began last, which was ready `at_ns` after the first of `count` ticks.
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
        // The frame is ready exactly when it is due.
        assert_eq!(ready(200), (2, 0, 0, 2));
        // The frame is due at 300. The next one begins at 400, or at 600.
        assert_eq!(ready(301), (2, 1, 1, 4));
        assert_eq!(ready(599), (2, 2, 2, 6));
        // A frame drops only ticks that exist.
        assert_eq!(ready(5_000), (2, 3, 5, 10));
    }
}

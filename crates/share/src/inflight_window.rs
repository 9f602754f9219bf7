//! A session's work in flight. Its predicted time is bounded, not its number of pieces, because a
//! hundred short kernels delay a hand-over less than one long kernel.

use std::collections::VecDeque;

/// The amount of work that a session has in flight on an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InFlight {
    /// Number of pieces.
    pub pieces: usize,
    /// Total predicted length.
    pub predicted_ns: u64,
}

/// The predicted lengths of a session's pieces in flight, oldest first.
#[derive(Debug, Default)]
pub struct Window {
    in_flight: VecDeque<u64>,
    predicted_ns: u64,
}

impl Window {
    /// Returns the number of pieces in flight and their total predicted length.
    pub fn in_flight(&self) -> InFlight {
        InFlight { pieces: self.in_flight.len(), predicted_ns: self.predicted_ns }
    }

    /// Adds a piece with the predicted length `predicted_ns`.
    pub fn submitted(&mut self, predicted_ns: u64) {
        self.in_flight.push_back(predicted_ns);
        self.predicted_ns = self.predicted_ns.saturating_add(predicted_ns);
    }

    /// Removes the oldest piece, which has ended.
    pub fn completed(&mut self) {
        self.in_flight.pop_front();
        self.predicted_ns =
            self.in_flight.iter().fold(0, |sum: u64, piece| sum.saturating_add(*piece));
    }

    /// Returns whether nothing is in flight.
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Term;

    #[test]
    fn work_in_flight_is_bounded_by_time_and_a_long_piece_goes_alone() {
        let term = Term::Window { window_ns: 1_000 };
        let mut window = Window::default();
        let admits = |window: &Window, predicted_ns| term.admits(window.in_flight(), predicted_ns);
        assert!(admits(&window, 5_000));
        for _ in 0..100 {
            assert!(admits(&window, 10));
            window.submitted(10);
        }
        assert!(!admits(&window, 10));
        window.completed();
        assert!(admits(&window, 10));
        assert!(!admits(&window, 11));
        (0..99).for_each(|_| window.completed());
        window.submitted(990);
        assert!(admits(&window, 1_000), "the engine is not to wait for the next");
        assert!(!admits(&window, 1_001));
        window.submitted(1_000);
        assert!(!admits(&window, 10));
    }
}

//! A session's work in flight, bounded by how long it is predicted to take rather than by how many pieces it is: a hundred short kernels
//! hold a hand-over up less than one long one.

use super::event::Term;
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub struct Window {
    in_flight: VecDeque<u64>,
    predicted_ns: u64,
}

impl Window {
    /// Whether a piece may be submitted now. A piece longer than the window goes alone.
    pub fn admits(&self, term: Term, predicted_ns: u64) -> bool {
        term.admits(self.in_flight.len(), self.predicted_ns, predicted_ns)
    }

    pub fn submitted(&mut self, predicted_ns: u64) {
        self.in_flight.push_back(predicted_ns);
        self.predicted_ns = self.predicted_ns.saturating_add(predicted_ns);
    }

    /// The oldest piece is over.
    pub fn completed(&mut self) {
        self.in_flight.pop_front();
        self.predicted_ns =
            self.in_flight.iter().fold(0, |sum: u64, piece| sum.saturating_add(*piece));
    }

    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_in_flight_is_bounded_by_time_and_a_long_piece_goes_alone() {
        let term = Term::Window { window_ns: 1_000 };
        let mut window = Window::default();
        assert!(window.admits(term, 5_000));
        for _ in 0..100 {
            assert!(window.admits(term, 10));
            window.submitted(10);
        }
        assert!(!window.admits(term, 10));
        window.completed();
        assert!(window.admits(term, 10));
        assert!(!window.admits(term, 11));
        (0..99).for_each(|_| window.completed());
        window.submitted(990);
        assert!(window.admits(term, 1_000), "the engine is not to wait for the next");
        assert!(!window.admits(term, 1_001));
        window.submitted(1_000);
        assert!(!window.admits(term, 10));
    }
}

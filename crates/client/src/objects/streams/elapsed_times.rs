//! Elapsed times between events, which the node returns when a wait ends.

use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::limits::EVENT_STARTS_MAX;

/// An event from which to measure, and the position of its record.
pub type Start = (u64, u64);

/// Elapsed time from one event's record to another event's record. Positions identify the records.
struct Distance {
    start: u64,
    start_position: u64,
    end_position: u64,
    milliseconds: f32,
}

/// Known elapsed times from other events to one event.
#[derive(Default)]
pub struct Distances(Mutex<Vec<Distance>>);

impl Distances {
    fn lock(&self) -> MutexGuard<'_, Vec<Distance>> {
        self.0.lock()
    }

    /// Remembers the elapsed times from other events to this event's record at `end_position`.
    pub fn note(&self, end_position: u64, found: impl Iterator<Item = (Start, f32)>) {
        let mut known = self.lock();
        known.retain(|distance| distance.end_position == end_position);
        for ((start, start_position), milliseconds) in
            found.filter(|(_, milliseconds)| !milliseconds.is_nan())
        {
            known.retain(|distance| distance.start != start);
            known.push(Distance { start, start_position, end_position, milliseconds });
        }
        let extra = known.len().saturating_sub(EVENT_STARTS_MAX);
        known.drain(..extra);
    }

    /// Returns the elapsed time between two records in milliseconds, if known.
    pub fn find(&self, (start, start_position): Start, end_position: u64) -> Option<f32> {
        let known = self.lock();
        let is_it = |d: &&Distance| {
            (d.start, d.start_position, d.end_position) == (start, start_position, end_position)
        };
        known.iter().find(is_it).map(|distance| distance.milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_is_valid_only_for_its_two_records() {
        let distances = Distances::default();
        distances.note(20, [((1, 10), 0.5), ((2, 15), f32::NAN)].into_iter());
        assert_eq!(distances.find((1, 10), 20), Some(0.5));
        for (start, end) in [((1, 11), 20), ((1, 10), 21), ((2, 15), 20)] {
            assert_eq!(distances.find(start, end), None);
        }
        distances.note(30, [((3, 25), 1.5)].into_iter());
        assert_eq!((distances.find((1, 10), 20), distances.find((3, 25), 30)), (None, Some(1.5)));
        distances.note(30, (4..100).map(|start| ((start, 26), 2.0)));
        assert_eq!(distances.lock().len(), EVENT_STARTS_MAX);
    }
}

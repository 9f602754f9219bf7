//! Known times between events. Once a program has asked for such a time, a wait for an event also
//! returns the times since the last events before it. The next query for one of them needs no
//! message.

use crate::objects::streams::stream::Event;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::limits::EVENT_STARTS_MAX;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Weak};

/// The time from a record of one event to a record of another. Positions identify the records.
struct Distance {
    start: u64,
    start_position: u64,
    end_position: u64,
    milliseconds: f32,
}

#[derive(Default)]
/// Known times from other events to this one.
pub struct Distances(Mutex<Vec<Distance>>);

/// Whether the program asks for such times. A program that does not pays only this check.
static WANTED: AtomicBool = AtomicBool::new(false);
/// The events that were recorded last.
static RECENT: Mutex<VecDeque<Weak<Event>>> = Mutex::new(VecDeque::new());

fn recent() -> MutexGuard<'static, VecDeque<Weak<Event>>> {
    RECENT.lock()
}

/// Notes that the program asks for times between events.
pub fn note_wanted() {
    WANTED.store(true, Relaxed);
}

/// Notes that an event with a time was recorded.
pub fn note_record(event: &Arc<Event>) {
    if WANTED.load(Relaxed) {
        let (mut recent, event) = (recent(), Arc::downgrade(event));
        recent.retain(|other| !other.ptr_eq(&event) && other.strong_count() > 0);
        recent.push_back(event);
        if recent.len() > EVENT_STARTS_MAX + 1 {
            recent.pop_front();
        }
    }
}

/// An event to ask about, and the position of its record.
pub type Start = (u64, u64);

/// Returns the events before `end` whose times to it the program may want.
pub fn starts(end: &Event, end_position: u64, is_near: impl Fn(&Event) -> bool) -> Vec<Start> {
    if !WANTED.load(Relaxed) {
        return Vec::new();
    }
    let all: Vec<Arc<Event>> = recent().iter().filter_map(Weak::upgrade).collect();
    let before = |event: &Arc<Event>| {
        let position = event.known_position().filter(|position| *position < end_position)?;
        (event.handle != end.handle && !event.is_over() && is_near(event))
            .then_some((event.handle, position))
    };
    all.iter().filter_map(before).take(EVENT_STARTS_MAX).collect()
}

impl Distances {
    fn lock(&self) -> MutexGuard<'_, Vec<Distance>> {
        self.0.lock()
    }

    /// Remembers the times from events to this one, in its record at a position.
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

    /// Returns the time between two records, in milliseconds.
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
    fn a_distance_holds_for_the_records_that_it_was_between() {
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

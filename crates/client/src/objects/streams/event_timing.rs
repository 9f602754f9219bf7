//! Elapsed times between events. Once a program has queried one, each wait for an event also
//! returns the times since the most recent earlier events. A later query for one of these times
//! needs no message.

use crate::objects::streams::elapsed_times::Start;
use crate::objects::streams::event::Event;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::limits::EVENT_STARTS_MAX;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Weak};

/// Whether the program queries elapsed times. A program that does not pays only for this check.
static WANTED: AtomicBool = AtomicBool::new(false);
/// The most recently recorded events.
static RECENT: Mutex<VecDeque<Weak<Event>>> = Mutex::new(VecDeque::new());

fn recent() -> MutexGuard<'static, VecDeque<Weak<Event>>> {
    RECENT.lock()
}

/// Notes that the program queries elapsed times.
pub fn note_wanted() {
    WANTED.store(true, Relaxed);
}

/// Notes that an event with timing was recorded.
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

/// Returns the events before `end` from which the program may want the elapsed time to `end`.
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

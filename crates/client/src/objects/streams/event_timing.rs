//! Known times between events. Once a program has asked for such a time, a wait for an event also
//! returns the times since the last events before it. The next query for one of them needs no
//! message.

use crate::objects::streams::elapsed_times::Start;
use crate::objects::streams::event::Event;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::limits::EVENT_STARTS_MAX;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Weak};

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

//! What the people who run the node hear of the session's connections: that one is lost, that all
//! are there again, and that nothing comes from the program.

use super::threads;
use crate::control::{Control, Note, Word};
use outhaul_transport::{Bell, Line};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// From one look at broken lines to the next.
const LOOK: Duration = Duration::from_millis(20);
/// A program says every second that it lives.
const SILENT_FROM: Duration = Duration::from_secs(3);

/// The bell is rung when one of the lines breaks.
pub fn start(lines: &[Option<Arc<Line>>], bell: Arc<Bell>, control: Control, grace: Duration) {
    let lines: Vec<Arc<Line>> = lines.iter().flatten().cloned().collect();
    if lines.is_empty() || grace.is_zero() {
        return;
    }
    threads::start("breaks", move || {
        let mut rings = 0;
        loop {
            rings = bell.wait(rings, Duration::MAX);
            tell_of(&lines, &control, grace);
        }
    });
}

/// One break, from its beginning to its end. What the listener does not take, nobody hears.
fn tell_of(lines: &[Arc<Line>], control: &Control, grace: Duration) {
    let broken_for = || lines.iter().filter_map(|line| line.broken_for()).max();
    let since = Instant::now();
    let before = broken_for();
    if before.is_some() {
        let _ = control.send(&[Note::plain(Word::Lost, grace.as_millis() as u64)]);
    }
    while broken_for().is_some() {
        std::thread::sleep(LOOK);
    }
    let missing = before.map_or(Duration::ZERO, |before| before + since.elapsed());
    let _ = control.send(&[Note::plain(Word::Found, missing.as_nanos() as u64)]);
}

/// Tells of silence, whenever it is told for how long that has been.
pub fn of_silence(control: Control) -> impl Fn(Duration) {
    let said = std::cell::Cell::new(false);
    move |silent| {
        let is_long = silent >= SILENT_FROM;
        if is_long || said.replace(is_long) {
            said.set(is_long);
            let ms = if is_long { silent.as_millis() as u64 } else { 0 };
            let _ = control.send(&[Note::plain(Word::Silent, ms)]);
        }
    }
}

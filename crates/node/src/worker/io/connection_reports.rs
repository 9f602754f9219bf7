//! Reports to the listener about the session's connections, for administrators: a connection is
//! lost, all are restored, or the program has sent nothing for a while.

use super::threads;
use crate::sharing::scheduler_channel::{Note, NoteKind, SchedulerChannel};
use outhaul_transport::{Bell, Line};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Interval between two checks of broken lines.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Shortest silence that is reported. A program sends a heartbeat each second.
const SILENT_FROM: Duration = Duration::from_secs(3);

/// Starts the reporting thread. `bell` must ring when one of the lines breaks.
pub fn start(
    lines: &[Option<Arc<Line>>],
    bell: Arc<Bell>,
    control: SchedulerChannel,
    grace: Duration,
) {
    let lines: Vec<Arc<Line>> = lines.iter().flatten().cloned().collect();
    if lines.is_empty() || grace.is_zero() {
        return;
    }
    threads::start("breaks", move || {
        let mut rings = 0;
        loop {
            rings = bell.wait(rings, Duration::MAX);
            report_break(&lines, &control, grace);
        }
    });
}

/// Reports one break, from its beginning to its end. A report is lost if the listener has ended.
fn report_break(lines: &[Arc<Line>], control: &SchedulerChannel, grace: Duration) {
    let broken_for = || lines.iter().filter_map(|line| line.broken_for()).max();
    let since = Instant::now();
    let before = broken_for();
    if before.is_some() {
        let _ = control.send(&[Note::plain(NoteKind::Lost, grace.as_millis() as u64)]);
    }
    while broken_for().is_some() {
        std::thread::sleep(POLL_INTERVAL);
    }
    let missing = before.map_or(Duration::ZERO, |before| before + since.elapsed());
    let _ = control.send(&[Note::plain(NoteKind::Found, missing.as_nanos() as u64)]);
}

/// Returns a function that reports silence. The caller must call the function regularly with the
/// length of the current silence.
pub fn of_silence(control: SchedulerChannel) -> impl Fn(Duration) {
    let was_reported = std::cell::Cell::new(false);
    move |silent| {
        let is_long = silent >= SILENT_FROM;
        if is_long || was_reported.replace(is_long) {
            was_reported.set(is_long);
            let ms = if is_long { silent.as_millis() as u64 } else { 0 };
            let _ = control.send(&[Note::plain(NoteKind::Silent, ms)]);
        }
    }
}

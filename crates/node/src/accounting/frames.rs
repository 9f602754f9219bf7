//! The frames of a program whose lease promises a rate, as the program's worker sees them. A frame
//! begins with the first work that arrives after the last frame's end. It ends when the worker
//! answers a call in which the program waits for its work. Unmodified programs do that once for each
//! frame. Pure: the caller passes the time of every event.
//!
//! The worker does not see how long the work travels to it and the answer travels back. A frame that
//! is late for that reason shows in the ticks that the program skips.

use serde::{Deserialize, Serialize};

/// Longest time between the beginnings of two frames in which a program that draws skips ticks.
/// After a longer one, it has paused.
const PAUSE_NS: u64 = 1_000_000_000;

/// Counts of a lease's frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameCounts {
    /// Number of frames.
    pub seen: u64,
    /// Number of frames for which the node alone took longer than a tick.
    pub late: u64,
    /// Number of ticks in which a program that was drawing began no frame.
    pub skipped: u64,
    /// The longest time that the node took for a frame, in microseconds.
    pub worst_us: u64,
}

impl FrameCounts {
    /// Adds the counts of other frames.
    pub fn add(&mut self, other: FrameCounts) {
        self.seen += other.seen;
        self.late += other.late;
        self.skipped += other.skipped;
        self.worst_us = self.worst_us.max(other.worst_us);
    }
}

/// Finds frames in a session's commands.
#[derive(Debug)]
pub struct FrameFinder {
    tick_ns: u64,
    /// When the present frame began.
    began_ns: Option<u64>,
    /// When the frame before began.
    before_ns: Option<u64>,
    /// Whether the present frame has run kernels.
    launched: bool,
    /// The sequence number of the call in which the program waits for the frame.
    waits_for: Option<u64>,
    counts: FrameCounts,
}

/// A command, as far as it matters for frames.
#[derive(Debug, Clone, Copy, Default)]
pub struct FrameCommand {
    /// The command's sequence number.
    pub sequence: u64,
    /// Whether the command is work for the GPU.
    pub is_work: bool,
    /// Whether the command runs kernels.
    pub launches: bool,
    /// Whether the program waits for its work.
    pub waits: bool,
}

impl FrameFinder {
    /// Makes a finder for a program that promises `frames_per_s` frames per second; 0 counts as 1.
    pub fn new(frames_per_s: u32) -> FrameFinder {
        FrameFinder {
            tick_ns: 1_000_000_000 / u64::from(frames_per_s.max(1)),
            began_ns: None,
            before_ns: None,
            launched: false,
            waits_for: None,
            counts: FrameCounts::default(),
        }
    }

    /// Notes a command that arrived.
    pub fn arrived(&mut self, now_ns: u64, command: FrameCommand) {
        if command.is_work && self.began_ns.is_none() {
            self.began_ns = Some(now_ns);
        }
        self.launched |= command.launches;
        if command.waits && self.launched {
            self.waits_for = Some(command.sequence);
        }
    }

    /// Notes that a call was answered.
    pub fn answered(&mut self, now_ns: u64, sequence: u64) {
        if self.waits_for != Some(sequence) {
            return;
        }
        let began_ns = self.began_ns.take().unwrap_or(now_ns);
        let took_ns = now_ns.saturating_sub(began_ns);
        self.counts.seen += 1;
        self.counts.late += u64::from(took_ns > self.tick_ns);
        self.counts.worst_us = self.counts.worst_us.max(took_ns / 1000);
        if let Some(before_ns) = self.before_ns.replace(began_ns) {
            let apart_ns = began_ns.saturating_sub(before_ns);
            let ticks = (apart_ns + self.tick_ns / 2) / self.tick_ns;
            if apart_ns <= PAUSE_NS {
                self.counts.skipped += ticks.saturating_sub(1);
            }
        }
        (self.launched, self.waits_for) = (false, None);
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> FrameCounts {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK_NS: u64 = 10_000_000;
    const COPY: FrameCommand =
        FrameCommand { sequence: 0, is_work: true, launches: false, waits: false };
    const LAUNCH: FrameCommand = FrameCommand { launches: true, ..COPY };

    fn wait(sequence: u64) -> FrameCommand {
        FrameCommand { sequence, waits: true, ..FrameCommand::default() }
    }

    /// Draws a frame from `at_ns` on that takes `ns`, and then reads an event's time.
    fn draw(finder: &mut FrameFinder, at_ns: u64, ns: u64) {
        finder.arrived(at_ns, COPY);
        finder.arrived(at_ns + 1, LAUNCH);
        finder.arrived(at_ns + 2, COPY);
        finder.arrived(at_ns + 3, wait(at_ns));
        finder.answered(at_ns + 4, at_ns + 1);
        finder.answered(at_ns + ns, at_ns);
        finder.arrived(at_ns + ns + 1, wait(at_ns + 9));
        finder.answered(at_ns + ns + 2, at_ns + 9);
    }

    #[test]
    fn frames_in_time_are_neither_late_nor_skipped() {
        let mut finder = FrameFinder::new(100);
        (0..50).for_each(|frame| draw(&mut finder, frame * TICK_NS + 4_000, 7_000_000));
        let expected = FrameCounts { seen: 50, late: 0, skipped: 0, worst_us: 7000 };
        assert_eq!(finder.counts(), expected);
    }

    #[test]
    fn a_slow_node_is_late_and_a_slow_link_skips_ticks() {
        let mut finder = FrameFinder::new(100);
        draw(&mut finder, 0, 12_000_000);
        // The program drops the tick that it missed.
        draw(&mut finder, 2 * TICK_NS, 5_000_000);
        // The answer took long to reach the program, which then missed three ticks.
        draw(&mut finder, 6 * TICK_NS, 5_000_000);
        let expected = FrameCounts { seen: 3, late: 1, skipped: 1 + 3, worst_us: 12_000 };
        assert_eq!(finder.counts(), expected);
    }

    #[test]
    fn a_pause_skips_nothing_and_work_without_kernels_is_no_frame() {
        let mut finder = FrameFinder::new(100);
        draw(&mut finder, 0, 1_000_000);
        draw(&mut finder, PAUSE_NS + 1, 1_000_000);
        assert_eq!((finder.counts().seen, finder.counts().skipped), (2, 0));
        let mut copier = FrameFinder::new(100);
        copier.arrived(1, COPY);
        copier.arrived(2, wait(7));
        copier.answered(3, 7);
        assert_eq!(copier.counts(), FrameCounts::default());
    }
}

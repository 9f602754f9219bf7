//! The frames of a program whose lease promises a rate, as the program's worker sees them. A frame
//! begins with work that arrives half a tick or more after the last frame began. So the work of a
//! tick is one frame, however often the program waits meanwhile. A frame ends with its last result:
//! the answer to a call in which the program waits, or a copy to the program, whatever comes later.
//! Unmodified programs do one of both for each frame. Work without a result does not count. Pure:
//! the caller passes the time of every event.
//!
//! The worker does not see how long the work travels to it and the result travels back. If a frame
//! is late for that reason, the program skips ticks.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Longest time between the beginnings of two frames in which a program that draws skips ticks.
/// After a longer one, it has paused.
const PAUSE_NS: u64 = 1_000_000_000;
/// Largest number of frames without a result. A program that draws ahead has two or three.
const OPEN_MAX: usize = 4;

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
    /// Frames that have begun and may still get results, the oldest first.
    open: VecDeque<OpenFrame>,
    /// When the last counted frame began.
    before_ns: Option<u64>,
    /// The sequence number of the last call in which the program waits.
    waits_for: Option<u64>,
    counts: FrameCounts,
}

#[derive(Debug, Clone, Copy)]
struct OpenFrame {
    began_ns: u64,
    /// Whether the frame has run kernels.
    launched: bool,
    /// When the last result was sent.
    ended_ns: Option<u64>,
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
            open: VecDeque::new(),
            before_ns: None,
            waits_for: None,
            counts: FrameCounts::default(),
        }
    }

    /// Notes a command that arrived.
    pub fn arrived(&mut self, now_ns: u64, command: FrameCommand) {
        if command.is_work {
            self.begin_when_due(now_ns);
        }
        if let Some(frame) = self.open.back_mut() {
            frame.launched |= command.launches;
        }
        if command.waits {
            self.waits_for = Some(command.sequence);
        }
    }

    /// Notes that a call was answered.
    pub fn answered(&mut self, now_ns: u64, sequence: u64) {
        if self.waits_for.take_if(|waits_for| *waits_for == sequence).is_some() {
            self.delivered(now_ns);
        }
    }

    /// Notes that a result was sent to the program. It belongs to the oldest frame without one, or
    /// else to the newest.
    pub fn delivered(&mut self, now_ns: u64) {
        let oldest = self.open.iter().position(|frame| frame.ended_ns.is_none());
        let newest = self.open.len().checked_sub(1);
        if let Some(at) = oldest.or(newest)
            && self.open[at].launched
        {
            self.open[at].ended_ns = Some(now_ns);
        }
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> FrameCounts {
        let (mut counts, mut before_ns) = (self.counts, self.before_ns);
        for frame in &self.open {
            frame.count(self.tick_ns, &mut counts, &mut before_ns);
        }
        counts
    }

    fn begin_when_due(&mut self, now_ns: u64) {
        let is_due = |last: &OpenFrame| now_ns.saturating_sub(last.began_ns) >= self.tick_ns / 2;
        if !self.open.back().is_none_or(is_due) {
            return;
        }
        while self.open.front().is_some_and(|frame| frame.ended_ns.is_some())
            || self.open.len() >= OPEN_MAX
        {
            let Some(frame) = self.open.pop_front() else { break };
            frame.count(self.tick_ns, &mut self.counts, &mut self.before_ns);
        }
        self.open.retain(|frame| frame.launched);
        self.open.push_back(OpenFrame { began_ns: now_ns, launched: false, ended_ns: None });
    }
}

impl OpenFrame {
    /// Counts the frame, if it has a result. `before_ns` is when the frame before began.
    fn count(self, tick_ns: u64, counts: &mut FrameCounts, before_ns: &mut Option<u64>) {
        let Some(ended_ns) = self.ended_ns else { return };
        let took_ns = ended_ns.saturating_sub(self.began_ns);
        counts.seen += 1;
        counts.late += u64::from(took_ns > tick_ns);
        counts.worst_us = counts.worst_us.max(took_ns / 1000);
        let Some(before_ns) = before_ns.replace(self.began_ns) else { return };
        let apart_ns = self.began_ns.saturating_sub(before_ns);
        if apart_ns <= PAUSE_NS {
            counts.skipped += ((apart_ns + tick_ns / 2) / tick_ns).saturating_sub(1);
        }
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

    /// Draws a frame from `at_ns` on that takes `ns`.
    fn draw(finder: &mut FrameFinder, at_ns: u64, ns: u64) {
        finder.arrived(at_ns, COPY);
        finder.arrived(at_ns + 1, LAUNCH);
        finder.arrived(at_ns + 2, COPY);
        finder.arrived(at_ns + 3, wait(at_ns));
        finder.answered(at_ns + 4, at_ns + 1);
        finder.answered(at_ns + ns, at_ns);
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
    fn work_of_one_tick_is_one_frame_that_ends_with_its_last_result() {
        let mut finder = FrameFinder::new(100);
        draw(&mut finder, 0, 1_000_000);
        draw(&mut finder, 2_000_000, 4_000_000);
        let expected = FrameCounts { seen: 1, late: 0, skipped: 0, worst_us: 6000 };
        assert_eq!(finder.counts(), expected);
        // Over a network, a program waits for a copy without a call.
        finder.arrived(TICK_NS, LAUNCH);
        finder.delivered(TICK_NS + 8_000_000);
        let expected = FrameCounts { seen: 2, late: 0, skipped: 0, worst_us: 8000 };
        assert_eq!(finder.counts(), expected);
    }

    #[test]
    fn a_program_may_draw_ahead() {
        let mut finder = FrameFinder::new(100);
        (0..50).for_each(|frame| {
            finder.arrived(frame * TICK_NS, LAUNCH);
            if frame > 0 {
                finder.delivered(frame * TICK_NS + 2_000_000);
            }
        });
        let expected = FrameCounts { seen: 49, late: 49, skipped: 0, worst_us: 12_000 };
        assert_eq!(finder.counts(), expected);
    }

    #[test]
    fn a_pause_skips_nothing_and_work_without_kernels_or_results_is_no_frame() {
        let mut finder = FrameFinder::new(100);
        draw(&mut finder, 0, 1_000_000);
        draw(&mut finder, PAUSE_NS + 1, 1_000_000);
        assert_eq!((finder.counts().seen, finder.counts().skipped), (2, 0));
        let mut copier = FrameFinder::new(100);
        copier.arrived(1, COPY);
        copier.arrived(2, wait(7));
        copier.answered(3, 7);
        (0..100).for_each(|frame| copier.arrived(frame * TICK_NS, LAUNCH));
        assert_eq!(copier.counts(), FrameCounts::default());
        assert!(copier.open.len() <= OPEN_MAX);
    }
}

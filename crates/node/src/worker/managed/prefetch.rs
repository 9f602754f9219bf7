//! Tracks which parts of managed memory the program touches after the device has changed them. The
//! content of such parts is sent with the answer to the program's next waits. The node cannot see
//! touches of memory that was sent. So it sometimes leaves a part out, but seldom if the program
//! touched the part soon after each time. A part that is touched only long after it was left out is
//! not sent at all. An example is the result of a loop that reads only a scalar in each step: the
//! program touches the result after the loop.
//!
//! This module also tracks pages that are *away*, which means that the program does not have them.
//! The program fetches them when it touches them, so the node need not compare them.

use crate::worker::managed::dirty_scan::add_run;
use crate::worker::managed::page_hash::PAGE_BYTES;
use std::ops::Range;

/// Size of the parts that are warm or cold as a whole, in bytes.
const PART_BYTES: u64 = 64 << 10;
/// Maximum level. A part of level `n` is sent up to two to the power `n` times before it is left
/// out once.
const LEVEL_MAX: u8 = 7;
/// Maximum gap of away parts between two others; a gap within this limit is compared too, so that
/// there are fewer ranges.
const GAP_PARTS: u64 = 16;

/// The heat of each part of a piece of managed memory.
pub struct Prefetch {
    parts: Vec<PrefetchedPart>,
    bytes: u64,
    /// Number of comparisons so far.
    comparisons: u32,
}

#[derive(Clone, Copy, Default)]
struct PrefetchedPart {
    /// Number of touches in a row, up to `LEVEL_MAX`, that came soon after the part was left out.
    level: u8,
    /// How many more times the part will be sent.
    credit: u8,
    /// A bit for each page, set if the page is away.
    away: u16,
    /// Number of the comparison in which one of the pages was last left out.
    left_away: u32,
}

const _: () = assert!(PART_BYTES / PAGE_BYTES == u16::BITS as u64);

/// A range that is compared at once. If it is warm, its changes are sent at once too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// The range.
    pub range: Range<u64>,
    /// Whether the range is warm.
    pub is_warm: bool,
}

impl Prefetch {
    /// Creates the state in which the program has all pages.
    pub fn new(bytes: u64) -> Prefetch {
        Prefetch {
            parts: vec![PrefetchedPart::default(); bytes.div_ceil(PART_BYTES) as usize],
            bytes,
            comparisons: 0,
        }
    }

    /// Notes that the program waits for a range.
    pub fn touch(&mut self, range: &Range<u64>) {
        let parts = (range.start / PART_BYTES) as usize
            ..(range.end.div_ceil(PART_BYTES) as usize).min(self.parts.len());
        for part in self.parts.get_mut(parts).unwrap_or_default() {
            let is_soon = self.comparisons.wrapping_sub(part.left_away) <= 2 << part.level;
            part.level = if is_soon { (part.level + 1).min(LEVEL_MAX) } else { 0 };
            part.credit = if is_soon { 1 << part.level } else { 0 };
        }
    }

    /// Notes that the device has changed a range. Returns the parts of the range to send.
    pub fn warm(&mut self, range: &Range<u64>) -> Vec<Range<u64>> {
        let mut warm: Vec<Range<u64>> = Vec::new();
        for (index, piece) in by_parts(range) {
            let Some(part) = self.parts.get_mut(index).filter(|part| part.credit > 0) else {
                continue;
            };
            part.credit -= 1;
            add_run(&mut warm, piece);
        }
        warm
    }

    /// Notes that the program has received or lost a range.
    pub fn note_away(&mut self, range: &Range<u64>, is_away: bool) {
        for (index, piece) in by_parts(range) {
            let Some(part) = self.parts.get_mut(index) else { continue };
            let bits = pages_of(&piece);
            if is_away {
                if bits & !part.away != 0 {
                    part.left_away = self.comparisons;
                }
                part.away |= bits;
            } else {
                part.away &= !bits;
            }
        }
    }

    /// Returns the pages in a range that the program has.
    pub fn here(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let is_here = |at: &u64| {
            self.parts[(at / PART_BYTES) as usize].away & pages_of(&(*at..at + PAGE_BYTES)) == 0
        };
        let mut here: Vec<Range<u64>> = Vec::new();
        for at in (range.start..range.end).step_by(PAGE_BYTES as usize).filter(is_here) {
            add_run(&mut here, at..at + PAGE_BYTES);
        }
        here
    }

    /// Returns the ranges to compare. Marks at most `warm_bytes` bytes of them as warm, and
    /// subtracts these from `warm_bytes`.
    pub fn watched(&mut self, warm_bytes: &mut u64) -> Vec<Watched> {
        self.comparisons = self.comparisons.wrapping_add(1);
        let mut watched: Vec<Watched> = Vec::new();
        for (part, start) in self.parts.iter().zip((0..).step_by(PART_BYTES as usize)) {
            let range = start..(start + PART_BYTES).min(self.bytes);
            let all = pages_of(&range);
            if part.away & all == all {
                continue;
            }
            let is_warm = part.credit > 0 && *warm_bytes >= PART_BYTES;
            if is_warm {
                *warm_bytes -= PART_BYTES;
            }
            match watched.last_mut() {
                Some(last)
                    if last.is_warm == is_warm
                        && range.start - last.range.end
                            <= if is_warm { 0 } else { GAP_PARTS * PART_BYTES } =>
                {
                    last.range.end = range.end;
                }
                _ => watched.push(Watched { range, is_warm }),
            }
        }
        watched
    }
}

/// Splits a range into pieces that are each within one part.
fn by_parts(range: &Range<u64>) -> impl Iterator<Item = (usize, Range<u64>)> + use<> {
    let (mut at, end) = (range.start, range.end);
    std::iter::from_fn(move || {
        let start = at;
        at = ((start / PART_BYTES + 1) * PART_BYTES).min(end);
        (start < end).then_some(((start / PART_BYTES) as usize, start..at))
    })
}

/// Returns a bit mask with the pages of a range, which must be within one part.
fn pages_of(range: &Range<u64>) -> u16 {
    let first = range.start % PART_BYTES / PAGE_BYTES;
    let count = (range.end - range.start).div_ceil(PAGE_BYTES).min(u64::from(u16::BITS) - first);
    (((1u32 << count) - 1) << first) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touched_parts_are_sent_more_and_more_often_and_other_parts_are_not() {
        let mut heat = Prefetch::new(4 * PART_BYTES);
        let all = 0..4 * PART_BYTES;
        assert_eq!(heat.warm(&all), []);
        let second = PART_BYTES..2 * PART_BYTES;
        let brought: Vec<usize> = (0..3)
            .map(|_| {
                heat.touch(&(PART_BYTES + 4096..PART_BYTES + 8192));
                let mut times = 0;
                while heat.warm(&all) == [second.clone()] {
                    times += 1;
                }
                times
            })
            .collect();
        assert_eq!(brought, [2, 4, 8]);
    }

    #[test]
    fn a_part_touched_long_after_it_was_left_out_is_not_sent() {
        let mut heat = Prefetch::new(2 * PART_BYTES);
        let (soon, late) = (0..4096, PART_BYTES..PART_BYTES + 4096);
        for round in 0..20 {
            heat.note_away(&late, true);
            for _ in 0..10 {
                heat.watched(&mut 0);
                heat.warm(&soon);
                heat.note_away(&soon, true);
                heat.touch(&soon);
                heat.note_away(&soon, false);
            }
            assert_eq!(heat.warm(&soon), std::slice::from_ref(&soon), "round {round}");
            heat.touch(&late);
            assert_eq!(heat.warm(&late), [], "round {round}");
            heat.note_away(&late, false);
        }
    }

    #[test]
    fn adjacent_warm_parts_are_one_range() {
        let mut heat = Prefetch::new(3 * PART_BYTES + 4096);
        heat.touch(&(2 * PART_BYTES..3 * PART_BYTES + 4096));
        let changed = PART_BYTES..3 * PART_BYTES + 4096;
        let warm = heat.warm(&changed);
        assert_eq!((warm.len(), &warm[0]), (1, &(2 * PART_BYTES..3 * PART_BYTES + 4096)));
    }

    #[test]
    fn away_pages_are_not_compared() {
        let mut heat = Prefetch::new(40 * PART_BYTES + PAGE_BYTES);
        let cold = |range: Range<u64>| Watched { range, is_warm: false };
        let mut warm_bytes = PART_BYTES;
        assert_eq!(heat.watched(&mut warm_bytes), [cold(0..heat.bytes)]);
        heat.note_away(&(0..heat.bytes), true);
        assert_eq!(heat.watched(&mut warm_bytes), []);
        // Pages at both ends, and one with a small gap.
        for at in [3 * PAGE_BYTES, 4 * PART_BYTES, 40 * PART_BYTES] {
            heat.note_away(&(at..at + PAGE_BYTES), false);
        }
        assert_eq!(
            heat.watched(&mut warm_bytes),
            [cold(0..5 * PART_BYTES), cold(40 * PART_BYTES..heat.bytes)]
        );
        assert_eq!(
            heat.here(&(0..2 * PART_BYTES)).first(),
            Some(&(3 * PAGE_BYTES..4 * PAGE_BYTES))
        );
        heat.touch(&(0..PAGE_BYTES));
        heat.touch(&(40 * PART_BYTES..heat.bytes));
        let warm = Watched { range: 0..PART_BYTES, is_warm: true };
        assert_eq!(
            heat.watched(&mut warm_bytes),
            [warm, cold(4 * PART_BYTES..5 * PART_BYTES), cold(40 * PART_BYTES..heat.bytes)]
        );
        assert_eq!(warm_bytes, 0);
    }
}

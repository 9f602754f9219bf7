//! Which parts of managed memory the program has touched after the device had changed them: these are brought to it with the answer to its next waits.
//! Nobody sees touches of what was brought, so it is left away once in a while, seldom where it was touched again each time.

use std::ops::Range;

/// What is warm or cold as one.
const PART_BYTES: u64 = 64 << 10;
/// How often a part is brought at most before it is left away once: two to this power.
const LEVEL_MAX: u8 = 7;

pub struct Heat(Vec<Part>);

#[derive(Clone, Copy, Default)]
struct Part {
    /// How often it was touched, which stops at the most.
    level: u8,
    /// How often it is brought from now on.
    credit: u8,
}

impl Heat {
    pub fn new(bytes: u64) -> Heat {
        Heat(vec![Part::default(); bytes.div_ceil(PART_BYTES) as usize])
    }

    /// The program waits for it.
    pub fn touch(&mut self, range: &Range<u64>) {
        let parts = (range.start / PART_BYTES) as usize..(range.end.div_ceil(PART_BYTES) as usize).min(self.0.len());
        for part in self.0.get_mut(parts).unwrap_or_default() {
            part.level = (part.level + 1).min(LEVEL_MAX);
            part.credit = 1 << part.level;
        }
    }

    /// The device has changed it: what of it is to be brought.
    pub fn warm(&mut self, range: &Range<u64>) -> Vec<Range<u64>> {
        let mut warm: Vec<Range<u64>> = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let end = ((at / PART_BYTES + 1) * PART_BYTES).min(range.end);
            if let Some(part) = self.0.get_mut((at / PART_BYTES) as usize).filter(|part| part.credit > 0) {
                part.credit -= 1;
                match warm.last_mut() {
                    Some(last) if last.end == at => last.end = end,
                    _ => warm.push(at..end),
                }
            }
            at = end;
        }
        warm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_touched_is_brought_more_and_more_often_and_the_rest_is_not() {
        let mut heat = Heat::new(4 * PART_BYTES);
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
    fn warm_parts_beside_each_other_are_one() {
        let mut heat = Heat::new(3 * PART_BYTES + 4096);
        heat.touch(&(2 * PART_BYTES..3 * PART_BYTES + 4096));
        let changed = PART_BYTES..3 * PART_BYTES + 4096;
        let warm = heat.warm(&changed);
        assert_eq!((warm.len(), &warm[0]), (1, &(2 * PART_BYTES..3 * PART_BYTES + 4096)));
    }
}

//! What a buffer holds, as far as it is known: runs of words that count up from a number, or repeat
//! one. Positions are in words.

/// The word at place `i` of a run is `base + i * step`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    pub start: usize,
    pub len: usize,
    pub base: u32,
    pub step: u32,
}

impl Run {
    pub fn end(&self) -> usize {
        self.start + self.len
    }

    pub fn at(&self, place: usize) -> u32 {
        self.base.wrapping_add((place as u32).wrapping_mul(self.step))
    }

    /// The part of the run within a range, if there is one.
    fn cut(&self, start: usize, end: usize) -> Option<Run> {
        let (from, to) = (self.start.max(start), self.end().min(end));
        (from < to).then(|| Run {
            start: from,
            len: to - from,
            base: self.at(from - self.start),
            step: self.step,
        })
    }
}

/// Runs in order, without overlap; between them nothing is known.
#[derive(Clone, Default, Debug)]
pub struct Content {
    runs: Vec<Run>,
}

impl Content {
    /// What is known of a range.
    pub fn known(&self, start: usize, len: usize) -> Vec<Run> {
        let first = self.runs.partition_point(|run| run.end() <= start);
        self.runs[first..].iter().map_while(|run| run.cut(start, start + len)).collect()
    }

    pub fn forget(&mut self, start: usize, len: usize) {
        let end = start + len;
        let parts: Vec<Run> = self
            .runs
            .iter()
            .flat_map(|run| [run.cut(0, start), run.cut(end, usize::MAX)])
            .flatten()
            .collect();
        self.runs = parts;
    }

    pub fn put(&mut self, run: Run) {
        self.forget(run.start, run.len);
        let place = self.runs.partition_point(|other| other.start < run.start);
        self.runs.insert(place, run);
    }

    /// Adds to each word of a range.
    pub fn add(&mut self, start: usize, len: usize, more: u32) {
        for run in self.known(start, len) {
            self.put(Run { base: run.base.wrapping_add(more), ..run });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_overwritten_is_gone_and_the_rest_counts_on() {
        let mut content = Content::default();
        content.put(Run { start: 0, len: 10, base: 100, step: 1 });
        content.put(Run { start: 4, len: 2, base: 7, step: 0 });
        content.add(3, 2, 1000);
        content.forget(8, 1);
        let words: Vec<(usize, u32)> = content
            .known(1, 9)
            .iter()
            .flat_map(|run| (0..run.len).map(|i| (run.start + i, run.at(i))))
            .collect();
        assert_eq!(
            words,
            [(1, 101), (2, 102), (3, 1103), (4, 1007), (5, 7), (6, 106), (7, 107), (9, 109)]
        );
    }
}

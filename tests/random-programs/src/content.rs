//! The known contents of a buffer: runs of words that increase by a constant step. Positions are in
//! words.

/// A run, in which the word at position `i` of the buffer is `base + i * step`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// Position of the first word.
    pub start: usize,
    /// Number of words.
    pub len: usize,
    /// Value of a word at position 0.
    pub base: u32,
    /// Difference between neighbouring words.
    pub step: u32,
}

impl Run {
    /// Returns the position after the last word.
    pub fn end(&self) -> usize {
        self.start + self.len
    }

    /// Returns the word at position `place`.
    pub fn at(&self, place: usize) -> u32 {
        self.base.wrapping_add((place as u32).wrapping_mul(self.step))
    }

    /// Returns the part of the run within a range, or `None` if they do not overlap.
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

/// Known runs in order, without overlap. The words between the runs are unknown.
#[derive(Clone, Default, Debug)]
pub struct Content {
    runs: Vec<Run>,
}

impl Content {
    /// Returns the known runs within a range.
    pub fn known(&self, start: usize, len: usize) -> Vec<Run> {
        let first = self.runs.partition_point(|run| run.end() <= start);
        self.runs[first..].iter().map_while(|run| run.cut(start, start + len)).collect()
    }

    /// Marks a range as unknown.
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

    /// Writes a run.
    pub fn put(&mut self, run: Run) {
        self.forget(run.start, run.len);
        let place = self.runs.partition_point(|other| other.start < run.start);
        self.runs.insert(place, run);
    }

    /// Adds a number to each word in a range.
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
    fn an_overwrite_replaces_its_words_and_the_rest_keeps_its_numbers() {
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

//! A bit set for the pages of a piece of memory.

use std::ops::Range;

const BITS: usize = u64::BITS as usize;

/// Page size in bytes.
pub const PAGE_BYTES: usize = 4096;

/// A set of pages.
pub struct PageSet {
    words: Vec<u64>,
    pages: usize,
    count: usize,
}

impl PageSet {
    /// Creates an empty set for memory of `pages` pages.
    pub fn new(pages: usize) -> PageSet {
        PageSet { words: vec![0; pages.div_ceil(BITS)], pages, count: 0 }
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the number of pages in the set.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns whether `page` is in the set.
    pub fn contains(&self, page: usize) -> bool {
        page < self.pages && self.words[page / BITS] >> (page % BITS) & 1 == 1
    }

    /// Adds the pages of a range.
    pub fn insert(&mut self, range: Range<usize>) {
        self.each_word(range, |word, mask| *word |= mask);
    }

    /// Removes the pages of a range.
    pub fn remove(&mut self, range: Range<usize>) {
        self.each_word(range, |word, mask| *word &= !mask);
    }

    fn each_word(&mut self, range: Range<usize>, change: impl Fn(&mut u64, u64)) {
        let end = range.end.min(self.pages);
        let mut at = range.start;
        while at < end {
            let (word, from) = (&mut self.words[at / BITS], at % BITS);
            let bits = (BITS - from).min(end - at);
            let before = word.count_ones() as usize;
            change(word, (u64::MAX >> (BITS - bits)) << from);
            self.count = self.count + word.count_ones() as usize - before;
            at += bits;
        }
    }

    /// Returns the first run of consecutive pages of the set inside a range.
    pub fn run_in(&self, range: Range<usize>) -> Option<Range<usize>> {
        if self.is_empty() {
            return None;
        }
        let start = self.next(range.start, range.end, true)?;
        Some(start..self.next(start, range.end, false).unwrap_or(range.end.min(self.pages)))
    }

    /// Returns the first page at or after `from` that is in the set if `inside`, else not in the
    /// set.
    fn next(&self, from: usize, end: usize, inside: bool) -> Option<usize> {
        let end = end.min(self.pages);
        let mut at = from;
        while at < end {
            let word = self.words[at / BITS];
            let left = if inside { word } else { !word } >> (at % BITS);
            if left != 0 {
                at += left.trailing_zeros() as usize;
                return (at < end).then_some(at);
            }
            at = (at / BITS + 1) * BITS;
        }
        None
    }
}

/// Returns the pages that contain a range of bytes.
pub fn pages(range: &Range<usize>) -> Range<usize> {
    range.start / PAGE_BYTES..range.end.div_ceil(PAGE_BYTES)
}

/// Appends a run to `runs`, and merges it with the last run if the two are adjacent.
pub fn add_run(runs: &mut Vec<Range<usize>>, run: Range<usize>) {
    match runs.last_mut() {
        Some(last) if last.end == run.start => last.end = run.end,
        _ => runs.push(run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_across_words_and_within_bounds() {
        let mut set = PageSet::new(200);
        assert_eq!(set.run_in(0..200), None);
        set.insert(60..130);
        set.insert(199..300);
        assert!(set.contains(60) && set.contains(129) && !set.contains(130) && !set.contains(300));
        assert_eq!(set.run_in(0..200), Some(60..130));
        assert_eq!(set.run_in(64..100), Some(64..100));
        assert_eq!(set.run_in(130..1000), Some(199..200));
        set.remove(63..128);
        assert_eq!((set.run_in(0..200), set.run_in(63..200)), (Some(60..63), Some(128..130)));
        set.remove(0..200);
        assert!(set.is_empty());
    }
}

//! Pseudo-random numbers (SplitMix64). A seed always gives the same program.

/// A pseudo-random number generator.
pub struct Random {
    state: u64,
}

impl Random {
    /// Returns a generator with a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed ^ 0x6a09_e667_f3bc_c909 }
    }

    /// Returns the next number.
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns a number from `first` to `last`, inclusive.
    pub fn within(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// Returns true with a probability of `chance` percent.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// Returns one of the elements, or `None` if there are none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { Some(&from[self.below(from.len())]) }
    }

    /// Returns an index, with a probability proportional to its weight.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut at = self.below(weights.iter().sum());
        for (index, weight) in weights.iter().enumerate() {
            if at < *weight {
                return index;
            }
            at -= weight;
        }
        unreachable!("a number below the sum of the weights lies in one of them")
    }
}

//! Sets of atoms that have already happened. An atom is one access or one call of the program.

/// Index of an atom.
pub type Atom = usize;

/// A set of atoms.
#[derive(Clone, Default, Debug)]
pub struct Clock {
    words: Vec<u64>,
}

impl Clock {
    /// Adds an atom.
    pub fn insert(&mut self, atom: Atom) {
        if self.words.len() <= atom / 64 {
            self.words.resize(atom / 64 + 1, 0);
        }
        self.words[atom / 64] |= 1 << (atom % 64);
    }

    /// Returns whether the set contains an atom.
    pub fn has(&self, atom: Atom) -> bool {
        self.words.get(atom / 64).is_some_and(|word| word >> (atom % 64) & 1 == 1)
    }

    /// Adds all atoms of `other`.
    pub fn join(&mut self, other: &Clock) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Returns the last atom that is in this set and not in `other`.
    pub fn beyond(&self, other: &Clock) -> Option<Atom> {
        let missing = |(index, word): (usize, &u64)| {
            (index, word & !other.words.get(index).copied().unwrap_or(0))
        };
        let (index, word) =
            self.words.iter().enumerate().map(missing).rfind(|(_, word)| *word != 0)?;
        Some(index * 64 + word.ilog2() as usize)
    }

    /// Returns whether this set contains all atoms of `other`.
    pub fn covers(&self, other: &Clock) -> bool {
        other.beyond(self).is_none()
    }

    /// Returns the set with one more atom.
    pub fn with(mut self, atom: Atom) -> Clock {
        self.insert(atom);
        self
    }
}

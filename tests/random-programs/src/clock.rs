//! What has happened before: a set of atoms, each one access or call of the program.

pub type Atom = usize;

#[derive(Clone, Default, Debug)]
pub struct Clock {
    words: Vec<u64>,
}

impl Clock {
    pub fn insert(&mut self, atom: Atom) {
        if self.words.len() <= atom / 64 {
            self.words.resize(atom / 64 + 1, 0);
        }
        self.words[atom / 64] |= 1 << (atom % 64);
    }

    pub fn has(&self, atom: Atom) -> bool {
        self.words.get(atom / 64).is_some_and(|word| word >> (atom % 64) & 1 == 1)
    }

    /// Takes in all that the other has.
    pub fn join(&mut self, other: &Clock) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// The last atom that the other does not have.
    pub fn beyond(&self, other: &Clock) -> Option<Atom> {
        let missing = |(index, word): (usize, &u64)| {
            (index, word & !other.words.get(index).copied().unwrap_or(0))
        };
        let (index, word) =
            self.words.iter().enumerate().map(missing).rfind(|(_, word)| *word != 0)?;
        Some(index * 64 + word.ilog2() as usize)
    }

    /// Whether all that the other has is here too.
    pub fn covers(&self, other: &Clock) -> bool {
        other.beyond(self).is_none()
    }

    pub fn with(mut self, atom: Atom) -> Clock {
        self.insert(atom);
        self
    }
}

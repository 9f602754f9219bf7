//! Generates valid messages from a seed, for round-trip tests and fuzzing.

use crate::codec::{DecodeError, Field};

/// A small random number generator (splitmix64). The same seed always generates the same messages.
pub struct Seed {
    state: u64,
    /// Numbers that the receiver may recognise. Seven of eight numbers are taken from these.
    likely: Vec<u64>,
}

impl Seed {
    /// Creates a generator with this state.
    pub fn new(state: u64) -> Seed {
        Seed { state, likely: Vec::new() }
    }

    /// Creates a generator with this state and these likely numbers.
    pub fn with_likely(state: u64, likely: Vec<u64>) -> Seed {
        Seed { state, likely }
    }

    /// Returns a random number.
    pub fn roll(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a random entry, or None if `entries` is empty.
    pub fn pick<'a, T>(&mut self, entries: &'a [T]) -> Option<&'a T> {
        let roll = self.roll();
        entries.get(roll.checked_rem(entries.len() as u64)? as usize)
    }

    /// Returns a random number, often one of the likely numbers.
    pub fn next_u64(&mut self) -> u64 {
        if self.likely.is_empty() || self.roll().is_multiple_of(8) {
            return self.roll();
        }
        let at = self.roll() % self.likely.len() as u64;
        self.likely[at as usize]
    }

    /// Returns the low 32 bits of a random number, often of a likely one.
    pub fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }

    /// Returns the low 16 bits of a random number, often of a likely one.
    pub fn next_u16(&mut self) -> u16 {
        self.next_u64() as u16
    }

    /// Returns the low 8 bits of a random number, often of a likely one.
    pub fn next_u8(&mut self) -> u8 {
        self.next_u64() as u8
    }

    /// Returns the low 32 bits of a random number, often of a likely one.
    pub fn next_i32(&mut self) -> i32 {
        self.next_u64() as i32
    }

    /// Returns a random number that is never NaN, so that values can be compared.
    pub fn next_f32(&mut self) -> f32 {
        self.next_u16().into()
    }

    /// Returns a random boolean.
    pub fn next_bool(&mut self) -> bool {
        self.roll() & 1 == 1
    }

    /// Returns a random length below 4.
    pub fn next_length(&mut self) -> usize {
        (self.roll() % 4) as usize
    }

    /// Returns fewer than 40 random bytes.
    pub fn next_bytes(&mut self) -> Vec<u8> {
        (0..self.roll() % 40).map(|_| self.roll() as u8).collect()
    }

    /// Returns fewer than 20 random letters.
    pub fn next_text(&mut self) -> String {
        (0..self.roll() % 20).map(|_| char::from(b'a' + self.roll() as u8 % 26)).collect()
    }
}

/// Decodes a body. Returns the re-encoded body, and the message as text.
type Again = fn(&[u8]) -> Result<(Vec<u8>, String), DecodeError>;

/// A valid message, with the function that decodes it.
pub struct Sample {
    /// Name of the message or part.
    pub name: &'static str,
    /// Op number of the message; None for a reply or a part.
    pub op: Option<u16>,
    /// The encoded message.
    pub body: Vec<u8>,
    /// Decodes a body and encodes it again.
    pub again: Again,
}

impl Sample {
    /// Encodes a message as a sample.
    pub fn new<'a>(
        name: &'static str,
        op: Option<u16>,
        message: &impl Field<'a>,
        again: Again,
    ) -> Sample {
        Sample { name, op, body: message.encoded(), again }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::samples;

    #[test]
    fn every_message_survives_the_wire() {
        for seed in 0..50 {
            for sample in samples(&mut Seed::new(seed)) {
                let (body, words) = (sample.again)(&sample.body)
                    .unwrap_or_else(|e| panic!("{} from seed {seed}: {e}", sample.name));
                assert_eq!(body, sample.body, "{} from seed {seed}", sample.name);
                assert!(words.starts_with(sample.name), "{words}");
            }
        }
    }

    #[test]
    fn every_truncated_or_lengthened_message_is_refused() {
        for sample in samples(&mut Seed::new(3)) {
            for length in 0..sample.body.len() {
                assert!(
                    (sample.again)(&sample.body[..length]).is_err(),
                    "{} cut to {length}",
                    sample.name
                );
            }
            let longer = [sample.body.as_slice(), &[0]].concat();
            assert!((sample.again)(&longer).is_err(), "{} with a byte more", sample.name);
        }
    }

    /// Bytes that decode as a message must also encode to the same bytes.
    #[test]
    fn a_message_with_other_bytes_is_refused_or_is_another_message() {
        let mut seed = Seed::new(11);
        for round in 0..100 {
            for sample in samples(&mut Seed::new(round)).iter_mut().filter(|s| !s.body.is_empty()) {
                for _ in 0..=seed.roll() % 4 {
                    let at = seed.roll() as usize % sample.body.len();
                    sample.body[at] = seed.roll() as u8;
                }
                if let Ok((body, _)) = (sample.again)(&sample.body) {
                    assert_eq!(body, sample.body, "{} from round {round}", sample.name);
                }
            }
        }
    }

    #[test]
    fn garbage_never_panics() {
        let mut seed = Seed::new(7);
        let all = samples(&mut Seed::new(1));
        for _ in 0..2000 {
            let garbage = seed.next_bytes();
            for sample in &all {
                let _ = (sample.again)(&garbage);
            }
        }
    }
}

//! A command's work as the meter sees it: a key that identifies similar work, and a guess of its
//! time until a measurement exists.

use outhaul_wire::effect::Amount;
use outhaul_wire::effects;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Assumed rate of the first copy of its kind, in bytes per nanosecond. The value is below the rate
/// of any link between a GPU and its host.
const COPY_BYTES_PER_NS: u64 = 10;

/// A command's work on an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// The client's handle for the stream; 0 means the legacy stream.
    pub stream: u64,
    /// Key that identifies similar work, which takes about as long each time.
    pub key: u64,
    /// Assumed time until similar work has been measured.
    pub guess_ns: Option<u64>,
}

impl Work {
    /// Returns the work of a command. Returns `None` if the command is not work or is malformed;
    /// its execution reports the latter.
    pub fn of(op: u16, body: &[u8]) -> Option<Work> {
        let (stream, amount) = (effects::stream(op, body)?, effects::amount(op, body)?);
        let key = |of: &dyn Fn(&mut DefaultHasher)| {
            let mut hasher = DefaultHasher::new();
            op.hash(&mut hasher);
            of(&mut hasher);
            hasher.finish()
        };
        Some(match amount {
            // Copies of similar size take similar times.
            Amount::Bytes(bytes) => Work {
                stream,
                key: key(&|hasher| bytes.checked_ilog2().hash(hasher)),
                guess_ns: Some(bytes / COPY_BYTES_PER_NS),
            },
            Amount::Like(number) => {
                Work { stream, key: key(&|hasher| number.hash(hasher)), guess_ns: None }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outhaul_wire::codec::{Field, Message};
    use outhaul_wire::messages::{CopyOnDevice, GraphLaunch};

    fn copy(width_bytes: u64, rows: u64) -> Work {
        let m = CopyOnDevice {
            to: 0,
            to_pitch_bytes: 0,
            from: 0,
            from_pitch_bytes: 0,
            width_bytes,
            rows,
            stream: 7,
        };
        Work::of(CopyOnDevice::OP, &m.encoded()).unwrap()
    }

    #[test]
    fn copies_of_about_the_same_size_are_alike() {
        assert_eq!(copy(1000, 1), Work { stream: 7, key: copy(600, 1).key, guess_ns: Some(100) });
        assert_ne!(copy(1000, 1).key, copy(1000, 100).key);
        assert_eq!(copy(u64::MAX, u64::MAX).guess_ns, Some(u64::MAX / COPY_BYTES_PER_NS));
    }

    #[test]
    fn launches_of_one_graph_are_alike() {
        let launch = |exec, stream| {
            Work::of(GraphLaunch::OP, &GraphLaunch { exec, stream, calls_back: false }.encoded())
                .unwrap()
        };
        assert_eq!(launch(1, 2).key, launch(1, 3).key);
        assert_ne!(launch(1, 2).key, launch(2, 2).key);
    }
}

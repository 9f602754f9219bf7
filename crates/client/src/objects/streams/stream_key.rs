//! Identity of a stream that survives the stream's end.

/// Identifies a stream even after its end, when another stream may have the same handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Index of the stream's context. All legacy streams have the id 0, one in each context.
    pub context: u16,
    /// The stream's id.
    pub id: u64,
}

//! The identity of a stream, which never changes.

/// Identifies a stream even after its end, because handles are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Index of its context. All legacy streams have the same id, one per context.
    pub context: u16,
    /// The stream's id.
    pub id: u64,
}

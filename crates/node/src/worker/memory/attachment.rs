//! The attachment of a segment of shared memory, which the listener counts.

use crate::sharing::shared_segments::Question;
use crate::worker::io::listener::Listener;

/// An attached segment. Dropping this detaches it; nothing of it is mapped then.
pub struct Attachment {
    /// The connection to the listener.
    pub listener: Listener,
    /// Number of the segment.
    pub id: i32,
}

impl Drop for Attachment {
    fn drop(&mut self) {
        let _ = self.listener.segment(Question::Detach { id: self.id }, None);
    }
}

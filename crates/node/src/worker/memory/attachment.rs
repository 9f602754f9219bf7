//! The attachment of a shared-memory segment; the listener counts attachments.

use crate::sharing::shared_segments::Question;
use crate::worker::io::listener::Listener;

/// An attached segment. Dropping the attachment detaches the segment, of which nothing may be
/// mapped then.
pub struct Attachment {
    /// The connection to the listener.
    pub listener: Listener,
    /// The segment's number.
    pub id: i32,
}

impl Drop for Attachment {
    fn drop(&mut self) {
        let _ = self.listener.segment(Question::Detach { id: self.id }, None);
    }
}

//! Interface through which sessions report events to the layers above them, and ask them for what
//! they need, on their own threads.

use crate::session::{Session, Target};
use outhaul_abi::types::CUresult;
use std::ops::Range;

/// Receives the events that sessions report, and answers their requests.
pub trait SessionEvents: Sync {
    /// Returns all sessions of the process; none while they are being opened.
    fn sessions(&self) -> &'static [&'static Session];

    /// Returns the calling thread's target if it belongs to `session`, or else `session` without a
    /// context.
    fn target(&self, session: &'static Session) -> Target;

    /// Handles the loss of a session.
    fn lost(&self, session: &Session);

    /// Notes the result with which a node tried to open a link to another.
    fn link_opened(&self, link: u64, code: CUresult);

    /// Notes the result of a copy between two nodes.
    fn copy_finished(&self, copy: u64, code: CUresult);

    /// Notes that a user object no longer exists.
    fn user_object_ended(&self, object: u64);

    /// Makes a range of managed memory present, because a thread that must not wait for page faults
    /// is about to read it.
    fn before_read(&self, range: Range<usize>);

    /// Runs a function of the program on the session's callback thread.
    fn run_callback(&self, session: &'static Session, callback: &mut dyn FnMut());
}

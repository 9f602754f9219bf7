//! Reports of sessions to the layers above them, made on threads of their own.

use crate::session::{Session, Target};
use outhaul_abi::types::CUresult;
use std::ops::Range;

/// Receives what sessions report.
pub trait SessionEvents: Sync {
    /// All sessions of the process. None while they are being opened.
    fn sessions(&self) -> &'static [&'static Session];

    /// Returns the calling thread's context if it is of the session, else no context.
    fn target(&self, session: &'static Session) -> Target;

    /// The session is lost.
    fn lost(&self, session: &Session);

    /// A node has opened a link to another, or could not.
    fn link_opened(&self, link: u64, code: CUresult);

    /// A copy between two nodes is over.
    fn copy_finished(&self, copy: u64, code: CUresult);

    /// A user object does not exist any more.
    fn user_object_ended(&self, object: u64);

    /// A thread is about to read a range of the program's memory that it may not wait for.
    fn before_read(&self, range: Range<usize>);

    /// Runs a function of the program on the session's thread.
    fn run_callback(&self, session: &'static Session, callback: &mut dyn FnMut());
}

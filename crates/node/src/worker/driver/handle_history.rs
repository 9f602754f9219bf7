//! Handles without an object: those whose object has ended, and those that never had one.
//!
//! Threads of a program use and destroy objects at the same time, and the client composes a message
//! before it sends it. So a message may arrive after the end of an object that it names. The client
//! does not violate the protocol then. The worker handles it in one of two ways:
//!
//! * The program named the object. Its call fails with an error, as it would natively.
//! * The client named the object on its own account, for instance to learn a time beforehand. Then
//!   the command uses `if_live`, does the rest, and reports no error.
//!
//! A command that creates an object may itself come after the end of what it needs, such as a
//! module or a context. Then its object never exists, but other threads may name it already.
//!
//! Only a handle that the session never had is a violation.

use crate::worker::io::frame::Refusal;
use outhaul_abi::types::CUresult;
use outhaul_wire::handle::{Handle, HandleKind};
use std::collections::HashMap;

/// The handles that a session has had so far. The client assigns low indices first, so the highest
/// index of each kind shows which indices were in use. The size is bounded by the number of kinds
/// and nodes.
#[derive(Default)]
pub struct HandleHistory {
    /// The highest index so far, by kind and node.
    last: HashMap<(HandleKind, u8), u32>,
    /// Number of posts that failed. Each may have been to create an object of any kind.
    failed_posts: u32,
}

impl HandleHistory {
    /// Notes that an object with this handle exists.
    pub fn note(&mut self, handle: u64) {
        if let Some(Handle { kind, node, index, .. }) = Handle::unpack(handle) {
            let last = self.last.entry((kind, node)).or_default();
            *last = index.max(*last);
        }
    }

    /// Notes that a post failed, which may have been to create an object.
    pub fn note_failed_post(&mut self) {
        self.failed_posts = self.failed_posts.saturating_add(1);
    }

    /// Returns the refusal of a handle that has no object: an error for the program if the object
    /// may have ended, otherwise a violation.
    pub fn refuse(&self, handle: u64) -> Refusal {
        let ended = Handle::unpack(handle).filter(|Handle { kind, node, index, .. }| {
            let had = self.last.get(&(*kind, *node)).map_or(0, |last| u64::from(*last) + 1);
            u64::from(*index) < had + u64::from(self.failed_posts)
        });
        ended.map_or_else(|| never_was(handle), |Handle { kind, .. }| error_of(kind).into())
    }
}

/// Returns the refusal of a handle that the session never had.
pub fn never_was(handle: u64) -> Refusal {
    Refusal::Violation(format!("handle {handle:#x} is not one of this session's"))
}

/// Returns an object that the client named on its own account, or `None` if the object has ended or
/// was never created. Fails only if the client violated the protocol.
pub fn if_live<T>(found: Result<T, Refusal>) -> Result<Option<T>, Refusal> {
    match found {
        Ok(object) => Ok(Some(object)),
        Err(Refusal::Driver(_)) => Ok(None),
        Err(violation) => Err(violation),
    }
}

/// Returns the error that the client reports, too, when a program uses an invalid handle.
fn error_of(kind: HandleKind) -> CUresult {
    match kind {
        HandleKind::Context => CUresult::INVALID_CONTEXT,
        HandleKind::Memory
        | HandleKind::Pool
        | HandleKind::Graph
        | HandleKind::GraphExec
        | HandleKind::GraphNode
        | HandleKind::UserObject => CUresult::INVALID_VALUE,
        _ => CUresult::INVALID_HANDLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handle(kind: HandleKind, index: u32, generation: u8) -> u64 {
        Handle { kind, node: 2, index, generation }.pack()
    }

    #[test]
    fn a_handle_that_ended_is_answered_and_one_that_never_was_is_refused() {
        let mut history = HandleHistory::default();
        history.note(handle(HandleKind::Event, 4, 1));
        history.note(handle(HandleKind::Event, 3, 0));
        history.note(handle(HandleKind::Context, 0, 0));
        let refuse = |kind, index, generation| history.refuse(handle(kind, index, generation));
        for (index, generation) in [(4, 1), (4, 0), (3, 0), (0, 9)] {
            let refusal = refuse(HandleKind::Event, index, generation);
            assert!(matches!(refusal, Refusal::Driver(CUresult::INVALID_HANDLE)), "{index}");
            assert!(matches!(if_live::<()>(Err(refusal)), Ok(None)));
        }
        assert!(matches!(
            refuse(HandleKind::Context, 0, 1),
            Refusal::Driver(CUresult::INVALID_CONTEXT)
        ));
        for never in [
            handle(HandleKind::Event, 5, 0),
            handle(HandleKind::Stream, 0, 0),
            Handle { kind: HandleKind::Event, node: 3, index: 0, generation: 0 }.pack(),
            1,
            u64::MAX,
        ] {
            assert!(matches!(history.refuse(never), Refusal::Violation(_)), "{never:#x}");
            assert!(matches!(
                if_live::<()>(Err(history.refuse(never))),
                Err(Refusal::Violation(_))
            ));
        }
    }

    #[test]
    fn each_failed_post_may_have_been_to_create_one_object() {
        let mut history = HandleHistory::default();
        history.note(handle(HandleKind::Event, 4, 0));
        history.note_failed_post();
        for (kind, index, is_answered) in [
            (HandleKind::Event, 5, true),
            (HandleKind::Event, 6, false),
            (HandleKind::Kernel, 0, true),
            (HandleKind::Kernel, 1, false),
        ] {
            let refusal = history.refuse(handle(kind, index, 0));
            assert_eq!(matches!(refusal, Refusal::Driver(_)), is_answered, "{kind:?} {index}");
        }
    }
}

//! Tracks which streams take part in captures. A stream takes part if it begins a capture, or waits
//! for an event of one. Until an error the client knows as much as the node and need not ask. After
//! an error only the node knows.

use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::codec::Message;
use outhaul_wire::effects::effect;
use outhaul_wire::messages::StreamWaitEvent;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
/// How a stream takes part in captures.
pub enum CaptureRole {
    /// The stream does not capture.
    None,
    /// The stream captures into this graph.
    In(u64),
    /// Only the node knows.
    Unknown,
}

#[derive(Default)]
/// The streams that take part in captures.
pub struct CaptureTracker {
    /// The graph into which each stream captures. The legacy stream never takes part.
    streams: Mutex<HashMap<u64, u64>>,
    /// Ids of captures that the program has received, by graph.
    ids: Mutex<HashMap<u64, u64>>,
    is_uncertain: AtomicBool,
    /// Number of captures in progress.
    under_way: AtomicUsize,
}

impl CaptureTracker {
    fn streams(&self) -> MutexGuard<'_, HashMap<u64, u64>> {
        self.streams.lock()
    }

    fn ids(&self) -> MutexGuard<'_, HashMap<u64, u64>> {
        self.ids.lock()
    }

    /// Returns whether any capture is in progress.
    pub fn any(&self) -> bool {
        self.under_way.load(SeqCst) > 0
    }

    /// Notes how many captures are in progress.
    pub fn note_under_way(&self, count: usize) {
        self.under_way.store(count, SeqCst);
    }

    /// Notes that `stream` captures into `graph`.
    pub fn enter(&self, stream: u64, graph: u64) {
        self.streams().insert(stream, graph);
    }

    /// Notes that the capture into `graph` has ended for all its streams.
    pub fn end(&self, graph: u64) {
        self.ids().remove(&graph);
        let mut streams = self.streams();
        streams.retain(|_, other| *other != graph);
        if streams.is_empty() {
            self.is_uncertain.store(false, SeqCst);
        }
    }

    /// Notes that `stream` no longer captures.
    pub fn leave(&self, stream: u64) {
        self.streams().remove(&stream);
    }

    /// Notes an error during a capture, which may have invalidated the capture.
    pub fn mark_uncertain(&self) {
        self.is_uncertain.store(true, SeqCst);
    }

    /// Returns how `stream` takes part. For the legacy stream the answer depends on whether
    /// blocking streams capture, so only the node knows.
    pub fn part(&self, stream: u64) -> CaptureRole {
        if stream == 0 || self.is_uncertain.load(SeqCst) {
            return CaptureRole::Unknown;
        }
        self.streams().get(&stream).map_or(CaptureRole::None, |graph| CaptureRole::In(*graph))
    }

    /// Remembers the id of the capture into `graph`.
    pub fn note_id(&self, graph: u64, id: u64) {
        self.ids().insert(graph, id);
    }

    /// Returns the id of the capture into `graph`, if remembered.
    pub fn id(&self, graph: u64) -> Option<u64> {
        self.ids().get(&graph).copied()
    }

    /// Returns whether the node certainly accepts the message, because its stream does not capture
    /// or a capture can contain the message.
    pub fn accepts<'a, M: Message<'a>>(&self, message: &M) -> bool {
        let Some(stream) = message.stream() else { return false };
        match self.part(stream) {
            CaptureRole::None => M::OP != StreamWaitEvent::OP,
            CaptureRole::In(_) => effect(M::OP).captured,
            CaptureRole::Unknown => false,
        }
    }

    /// Returns whether `stream` may wait for an event. `recorded_in` is the graph of the capture in
    /// which the event was last recorded, or none.
    pub fn may_wait(&self, stream: u64, recorded_in: Option<u64>) -> bool {
        match (self.part(stream), recorded_in) {
            (CaptureRole::None, None) => true,
            (CaptureRole::None, Some(graph)) => {
                self.streams().values().any(|under_way| *under_way == graph)
            }
            (CaptureRole::In(graph), recorded_in) => recorded_in == Some(graph),
            (CaptureRole::Unknown, _) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outhaul_wire::messages::{EventDestroy, GraphLaunch, MemsetD8Async, StreamWaitEvent};

    const SET: MemsetD8Async = MemsetD8Async { dst_device: 0, uc: 0, n: 1, stream: 7 };

    #[test]
    fn streams_take_part_by_events_until_the_capture_ends() {
        let parts = CaptureTracker::default();
        parts.enter(7, 100);
        assert_eq!(
            (parts.part(7), parts.part(8), parts.part(0)),
            (CaptureRole::In(100), CaptureRole::None, CaptureRole::Unknown)
        );
        assert!(parts.may_wait(8, Some(100)) && parts.may_wait(8, None));
        assert!(!parts.may_wait(8, Some(99)), "that capture is over");
        assert!(!parts.may_wait(7, None), "an event from outside");
        parts.enter(8, 100);
        parts.end(100);
        assert_eq!((parts.part(7), parts.part(8)), (CaptureRole::None, CaptureRole::None));
    }

    #[test]
    fn after_an_error_the_node_is_asked_until_nothing_captures() {
        let parts = CaptureTracker::default();
        parts.enter(7, 100);
        parts.enter(9, 101);
        assert!(parts.accepts(&SET));
        parts.mark_uncertain();
        assert!(!parts.accepts(&SET) && parts.part(8) == CaptureRole::Unknown);
        parts.end(100);
        assert_eq!(parts.part(8), CaptureRole::Unknown);
        parts.end(101);
        assert_eq!(parts.part(8), CaptureRole::None);
    }

    #[test]
    fn a_capture_may_refuse_some_messages() {
        let parts = CaptureTracker::default();
        let launch = |stream| GraphLaunch { exec: 1, stream, calls_back: false };
        parts.enter(7, 100);
        assert!(
            !parts.accepts(&launch(7)) && parts.accepts(&launch(8)) && !parts.accepts(&launch(0))
        );
        assert!(!parts.accepts(&StreamWaitEvent { stream: 8, event: 1, flags: 0 }));
        assert!(!parts.accepts(&EventDestroy { event: 1 }));
    }
}

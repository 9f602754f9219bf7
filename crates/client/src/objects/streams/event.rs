//! Events. The client knows enough about them to answer many queries without the worker.

use crate::objects::streams::elapsed_times::Distances;
use crate::objects::streams::stream::{Record, Stream};
use crate::session::Target;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Marks an event that was recorded in an invalidated capture. No graph has this handle.
const SPOILT: u64 = 1;

/// An event of the program.
pub struct Event {
    /// The handle that the program holds.
    pub handle: u64,
    /// Target of the event's own context, because a thread that queries the event may have no
    /// context.
    pub target: Target,
    /// Stream and position of the last record.
    recorded: Mutex<Option<Record>>,
    /// Whether the last record is known to be complete. Changes only under the lock of `recorded`.
    known_complete: AtomicBool,
    /// Graph of the capture in which the event was last recorded; 0 outside captures.
    captured: AtomicU64,
    /// Whether graphs record the event. The client does not learn when their launches record it.
    by_graphs: AtomicBool,
    /// Whether other processes may record the event or wait for it.
    pub interprocess: bool,
    /// Known elapsed times from earlier events to this one.
    pub distances: Distances,
    /// Whether the event was destroyed with its context.
    over: AtomicBool,
}

impl Event {
    /// Creates an event that was never recorded, without sending anything to the worker.
    pub fn new(handle: u64, target: Target, interprocess: bool) -> Event {
        Event {
            handle,
            target,
            interprocess,
            distances: Distances::default(),
            recorded: Mutex::new(None),
            known_complete: AtomicBool::new(true),
            captured: AtomicU64::new(0),
            by_graphs: AtomicBool::new(false),
            over: AtomicBool::new(false),
        }
    }

    /// Notes that the event was destroyed with its context.
    pub fn note_over(&self) {
        self.over.store(true, Relaxed);
    }

    /// Returns whether the event was destroyed with its context.
    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Posts a record and remembers it under one lock, so that of two threads' records the one
    /// posted later is remembered. Returns the record's position; the caller must pass it to the
    /// stream's `advance`.
    pub fn remember_record(
        &self,
        stream: &Arc<Stream>,
        post: impl FnOnce() -> Result<u64, CUresult>,
    ) -> Result<u64, CUresult> {
        let mut recorded = self.lock();
        let position = post()?;
        *recorded = Some((stream.clone(), position));
        self.known_complete.store(false, Relaxed);
        self.captured.store(0, Relaxed);
        Ok(position)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Record>> {
        self.recorded.lock()
    }

    /// Returns the stream and the position of the last record.
    pub fn recorded(&self) -> Option<Record> {
        self.lock().clone()
    }

    /// Notes that the device has completed `waited`, which was the last record when a thread began
    /// to wait. Does nothing if another thread, a graph or another process may have recorded the
    /// event again. The wait may then have been for that record.
    pub fn note_complete(&self, waited: &Option<Record>) {
        let recorded = self.lock();
        let position = |record: &Option<Record>| record.as_ref().map(|(_, position)| *position);
        if self.is_recorded_elsewhere() || position(&recorded) != position(waited) {
            return;
        }
        if let Some((stream, position)) = waited {
            stream.note_completed(*position);
        }
        self.known_complete.store(true, Relaxed);
    }

    /// Returns the position of the last record, if the client knows about all records.
    pub fn known_position(&self) -> Option<u64> {
        if self.is_recorded_elsewhere() {
            None
        } else {
            self.recorded().map(|(_, position)| position)
        }
    }

    fn is_recorded_elsewhere(&self) -> bool {
        self.interprocess || self.captured().is_some() || self.by_graphs.load(Relaxed)
    }

    /// Notes that the event was recorded in a capture into `graph`; 0 if the capture is
    /// invalidated.
    pub fn note_capture(&self, graph: u64) {
        // An invalidated capture has no graph, but the event still counts as recorded in a capture.
        self.captured.store(graph.max(SPOILT), Relaxed);
    }

    /// Returns the graph of the capture in which the event was last recorded.
    pub fn captured(&self) -> Option<u64> {
        Some(self.captured.load(Relaxed)).filter(|graph| *graph != 0)
    }

    /// Notes that a graph records the event.
    pub fn note_graph(&self) {
        self.by_graphs.store(true, Relaxed);
    }

    /// Returns whether the event was never recorded, or its last record is known to be complete.
    pub fn is_complete(&self) -> bool {
        if self.is_recorded_elsewhere() {
            return false;
        }
        if self.known_complete.load(Relaxed) {
            return true;
        }
        self.lock()
            .as_ref()
            .is_none_or(|(stream, position)| stream.handle != 0 && stream.is_completed(*position))
    }
}

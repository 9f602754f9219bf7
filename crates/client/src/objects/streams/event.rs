//! Events as the client knows them: enough to answer many questions without the worker.

use crate::objects::streams::elapsed_times::Distances;
use crate::objects::streams::stream::{Record, Stream};
use crate::session::Target;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Value that is not a handle of a graph.
const SPOILT: u64 = 1;

/// An event of the program.
pub struct Event {
    /// The handle that the program holds.
    pub handle: u64,
    /// Target of its own context, because a thread that asks about it may have none.
    pub target: Target,
    /// Stream and position of the last record.
    recorded: Mutex<Option<Record>>,
    /// Whether the last record is known to be done. Changed only under the lock of `recorded`.
    known_complete: AtomicBool,
    /// Graph of the capture in which it was last recorded; 0 if in none.
    captured: AtomicU64,
    /// Whether graphs record it. Their launches do not report that to the client.
    by_graphs: AtomicBool,
    /// Whether other processes may record it, and wait for it.
    pub interprocess: bool,
    /// Known times between earlier events and this one.
    pub distances: Distances,
    /// Whether it was destroyed with its context.
    over: AtomicBool,
}

impl Event {
    /// Creates an event that was never recorded. Sends nothing to the worker.
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

    /// Notes that it was destroyed with its context.
    pub fn note_over(&self) {
        self.over.store(true, Relaxed);
    }

    /// Whether it was destroyed with its context.
    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Posts a record and remembers it, under one lock: if two threads do so, the later post is
    /// remembered. Returns the record's position, which the caller notes as posted to the stream.
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

    /// Stream and position of the last record.
    pub fn recorded(&self) -> Option<Record> {
        self.lock().clone()
    }

    /// Notes that the device has completed `waited`, the record when a thread began to wait.
    /// Another thread, a graph or another process may have recorded the event anew. Then the wait
    /// may have been for that record, and this notes nothing.
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

    /// The position of the last record, if the client knows of all records.
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

    /// Notes that it was recorded in a capture into this graph, or 0 if that capture is spoilt.
    pub fn note_capture(&self, graph: u64) {
        // A spoilt capture has no graph, but the event is recorded in it all the same.
        self.captured.store(graph.max(SPOILT), Relaxed);
    }

    /// The graph of the capture in which it was last recorded.
    pub fn captured(&self) -> Option<u64> {
        Some(self.captured.load(Relaxed)).filter(|graph| *graph != 0)
    }

    /// Notes that a graph records it.
    pub fn note_graph(&self) {
        self.by_graphs.store(true, Relaxed);
    }

    /// Whether it was never recorded, or its last record is known to be done.
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

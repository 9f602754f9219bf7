//! Captures: which streams began one, and which take part. The client asks the worker about
//! captures only while the program captures.

use crate::base::slab::Slab;
use crate::objects::graphs::graph::Graph;
use crate::objects::streams::stream::{Record, Stream};
use crate::session::capture_tracker::{CaptureRole, CaptureTracker};
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::messages::{CaptureInfo, StreamSynchronize};
use std::collections::HashMap;
use std::sync::Arc;
use std::thread::ThreadId;

/// A capture. `Captures` finds it by the stream in which it began.
pub struct Capture {
    /// Graph that receives the captured nodes.
    pub graph: u64,
    /// Capture mode that the program chose.
    pub mode: CUstreamCaptureMode,
    /// Thread that began the capture.
    pub thread: ThreadId,
    /// Whether the graph existed before the capture.
    pub into: bool,
}

/// The worker's description of a stream that takes part in a capture.
#[derive(Clone, Default)]
pub struct Capturing {
    /// Status of the capture.
    pub status: CUstreamCaptureStatus,
    /// The driver's id of the capture.
    pub id: u64,
    /// Graph that receives the captured nodes.
    pub graph: u64,
    /// Nodes on which the next node will depend.
    pub dependencies: Vec<u64>,
    /// Edge data of the dependencies.
    pub edges: Vec<u8>,
}

impl Capturing {
    /// Returns the graph that receives the captured nodes.
    pub fn graph(&self, graphs: &Slab<Graph>) -> Result<Arc<Graph>, CUresult> {
        graphs.get(self.graph).ok_or(CUresult::STREAM_CAPTURE_INVALIDATED)
    }
}

/// All captures of the process.
#[derive(Default)]
pub struct Captures {
    /// Tracks which streams take part in which capture.
    pub tracker: Arc<CaptureTracker>,
    origins: Mutex<HashMap<u64, Capture>>,
    /// Graph launches that may still write to the program's memory, by stream and position.
    unfinished_launches: Mutex<Vec<Record>>,
}

impl Captures {
    fn origins(&self) -> MutexGuard<'_, HashMap<u64, Capture>> {
        self.origins.lock()
    }

    /// Returns whether any capture is in progress.
    pub fn any(&self) -> bool {
        self.tracker.any()
    }

    /// Notes that a capture begins in `stream`.
    pub fn begin(&self, stream: u64, capture: Capture) {
        let mut origins = self.origins();
        origins.insert(stream, capture);
        self.tracker.note_under_way(origins.len());
    }

    /// Notes that the capture that began in `stream` ends, and returns it.
    pub fn end(&self, stream: u64) -> Option<Capture> {
        let mut origins = self.origins();
        let capture = origins.remove(&stream);
        match &capture {
            // The capture never began, because another one into the same graph is in progress.
            Some(capture) if origins.values().any(|other| other.graph == capture.graph) => {
                self.tracker.leave(stream)
            }
            Some(capture) => self.tracker.end(capture.graph),
            None => {}
        }
        self.tracker.note_under_way(origins.len());
        capture
    }

    /// Returns whether the capture that began in `stream` adds to a graph that existed before.
    pub fn is_into(&self, stream: u64) -> bool {
        self.origins().get(&stream).is_some_and(|capture| capture.into)
    }

    /// Returns whether the calling thread may end the capture that began in `stream`. In relaxed
    /// mode any thread may.
    pub fn may_end(&self, stream: u64) -> bool {
        let relaxed = |c: &Capture| {
            c.mode == values::STREAM_CAPTURE_MODE_RELAXED || c.thread == std::thread::current().id()
        };
        self.origins().get(&stream).is_none_or(relaxed)
    }

    /// Notes that a graph was launched into `stream` and that its execution writes to this process.
    pub fn note_launch(&self, stream: &Arc<Stream>) {
        let mut unfinished_launches = self.unfinished_launches();
        unfinished_launches.retain(|(other, _)| !Arc::ptr_eq(other, stream));
        unfinished_launches.push((stream.clone(), stream.position()));
    }

    /// Blocks until launched graphs have written to this process, before the caller reads its
    /// memory. A launch stays in the list until a wait has completed, so that other threads wait
    /// too.
    pub fn wait_for_launches(&self) {
        let streams = self.unfinished_launches().clone();
        for (stream, position) in streams {
            // If the stream has failed, the program's own next call returns the error.
            let _ = stream.wait_out();
            self.unfinished_launches()
                .retain(|(other, later)| !Arc::ptr_eq(other, &stream) || *later > position);
        }
    }

    fn unfinished_launches(&self) -> MutexGuard<'_, Vec<Record>> {
        self.unfinished_launches.lock()
    }

    /// Returns the graph into which `stream` captures. Returns 0 for an invalidated capture, and
    /// none if the stream does not capture.
    pub fn graph_of(&self, stream: &Stream) -> Result<Option<u64>, CUresult> {
        if !self.any() {
            return Ok(None);
        }
        match self.tracker.part(stream.handle) {
            CaptureRole::None => Ok(None),
            CaptureRole::In(graph) => Ok(Some(graph)),
            CaptureRole::Unknown => Ok(self.of_stream(stream)?.map(|capture| capture.graph)),
        }
    }

    /// Asks the node about the stream's capture. Returns none if the stream does not capture.
    pub fn of_stream(&self, stream: &Stream) -> Result<Option<Capturing>, CUresult> {
        if !self.any() || self.tracker.part(stream.handle) == CaptureRole::None {
            return Ok(None);
        }
        let found = stream.target.call(&CaptureInfo { stream: stream.handle })?.read(|r| {
            Ok(Capturing {
                status: r.status,
                id: r.id,
                graph: r.graph,
                dependencies: r.dependencies.0,
                edges: r.edges.to_vec(),
            })
        })?;
        Ok((found.status != values::STREAM_CAPTURE_STATUS_NONE).then_some(found))
    }

    /// Returns an error if the stream captures, for a call that a capture cannot contain. The call
    /// also invalidates the capture, as it does natively.
    pub fn refuse(&self, stream: &Stream) -> Result<(), CUresult> {
        if self.graph_of(stream)?.is_none() {
            return Ok(());
        }
        self.invalidate(stream);
        Err(CUresult::STREAM_CAPTURE_UNSUPPORTED)
    }

    /// Invalidates the capture in which the stream takes part.
    pub fn invalidate(&self, stream: &Stream) {
        // The driver rejects a wait for a stream that captures, and invalidates the capture.
        let _ = stream.target.call(&StreamSynchronize { stream: stream.handle });
    }

    /// Returns the streams whose captures forbid the calling thread unsafe calls. `mode` is the
    /// thread's own mode.
    pub fn forbidding(&self, mode: CUstreamCaptureMode) -> Vec<u64> {
        const RELAXED: CUstreamCaptureMode = values::STREAM_CAPTURE_MODE_RELAXED;
        const GLOBAL: CUstreamCaptureMode = values::STREAM_CAPTURE_MODE_GLOBAL;
        let thread = std::thread::current().id();
        let forbids = |capture: &Capture| match (mode, capture.mode) {
            (RELAXED, _) | (_, RELAXED) => false,
            (GLOBAL, GLOBAL) => true,
            _ => capture.thread == thread,
        };
        let origins = self.origins();
        origins.iter().filter(|(_, capture)| forbids(capture)).map(|(stream, _)| *stream).collect()
    }
}

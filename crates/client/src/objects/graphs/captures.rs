//! Captures as the client knows them: which streams began one, and which take part. The client asks
//! the worker about captures only while one is under way.

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

/// A capture, by the stream in which it began.
pub struct Capture {
    /// Graph that receives the captured nodes.
    pub graph: u64,
    /// Mode that the program gave.
    pub mode: CUstreamCaptureMode,
    /// Thread that began it.
    pub thread: ThreadId,
    /// Whether the program had the graph before.
    pub into: bool,
}

/// The worker's description of a stream that takes part in a capture.
#[derive(Clone, Default)]
pub struct Capturing {
    /// Status of the capture.
    pub status: CUstreamCaptureStatus,
    /// CUDA's number of the capture.
    pub id: u64,
    /// Graph that receives the captured nodes.
    pub graph: u64,
    /// Nodes on which the next node will depend.
    pub dependencies: Vec<u64>,
    /// Edge data of the dependencies.
    pub edges: Vec<u8>,
}

impl Capturing {
    /// Returns the graph.
    pub fn graph(&self, graphs: &Slab<Graph>) -> Result<Arc<Graph>, CUresult> {
        graphs.get(self.graph).ok_or(CUresult::STREAM_CAPTURE_INVALIDATED)
    }
}

/// The captures of the process.
#[derive(Default)]
pub struct Captures {
    /// Which streams take part in which capture.
    pub tracker: Arc<CaptureTracker>,
    origins: Mutex<HashMap<u64, Capture>>,
    /// Launches of graphs that may still write to the program's memory, by stream and position.
    unfinished_launches: Mutex<Vec<Record>>,
}

impl Captures {
    fn origins(&self) -> MutexGuard<'_, HashMap<u64, Capture>> {
        self.origins.lock()
    }

    /// Whether a capture is under way.
    pub fn any(&self) -> bool {
        self.tracker.any()
    }

    /// Notes that a capture begins in the stream.
    pub fn begin(&self, stream: u64, capture: Capture) {
        let mut origins = self.origins();
        origins.insert(stream, capture);
        self.tracker.note_under_way(origins.len());
    }

    /// Notes that the capture that began in the stream ends, and returns it.
    pub fn end(&self, stream: u64) -> Option<Capture> {
        let mut origins = self.origins();
        let capture = origins.remove(&stream);
        match &capture {
            // It did not begin, because another capture into the same graph is under way.
            Some(capture) if origins.values().any(|other| other.graph == capture.graph) => {
                self.tracker.leave(stream)
            }
            Some(capture) => self.tracker.end(capture.graph),
            None => {}
        }
        self.tracker.note_under_way(origins.len());
        capture
    }

    /// Whether the capture adds to a graph that the program had before.
    pub fn is_into(&self, stream: u64) -> bool {
        self.origins().get(&stream).is_some_and(|capture| capture.into)
    }

    /// Whether the calling thread may end the capture, even if another thread began it.
    pub fn may_end(&self, stream: u64) -> bool {
        let relaxed = |c: &Capture| {
            c.mode == values::STREAM_CAPTURE_MODE_RELAXED || c.thread == std::thread::current().id()
        };
        self.origins().get(&stream).is_none_or(relaxed)
    }

    /// Notes that a graph that writes in this process was posted to a stream.
    pub fn note_launch(&self, stream: &Arc<Stream>) {
        let mut unfinished_launches = self.unfinished_launches();
        unfinished_launches.retain(|(other, _)| !Arc::ptr_eq(other, stream));
        unfinished_launches.push((stream.clone(), stream.position()));
    }

    /// Blocks until launched graphs have written to this process, before a caller reads its memory.
    /// A launch counts until a wait has passed it, so that other threads wait for it meanwhile.
    pub fn wait_for_launches(&self) {
        let streams = self.unfinished_launches().clone();
        for (stream, position) in streams {
            // The program's own next call returns an error of the stream.
            let _ = stream.wait_out();
            self.unfinished_launches()
                .retain(|(other, later)| !Arc::ptr_eq(other, &stream) || *later > position);
        }
    }

    fn unfinished_launches(&self) -> MutexGuard<'_, Vec<Record>> {
        self.unfinished_launches.lock()
    }

    /// Returns the graph into which the stream captures: 0 if the capture is spoilt, and none if it
    /// does not capture.
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

    /// Asks the node about the stream's capture. Returns none if it does not capture.
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

    /// Refuses a call that cannot be captured if the stream captures, and spoils the capture, as
    /// natively.
    pub fn refuse(&self, stream: &Stream) -> Result<(), CUresult> {
        if self.graph_of(stream)?.is_none() {
            return Ok(());
        }
        // The driver refuses to wait for a stream that captures, and spoils its capture.
        let _ = stream.target.call(&StreamSynchronize { stream: stream.handle });
        Err(CUresult::STREAM_CAPTURE_UNSUPPORTED)
    }
}

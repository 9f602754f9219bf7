//! Begins and ends captures, and turns captured operations into graph nodes.

use crate::driver::lock;
use crate::driver::objects::graphs::edge::Dependency;
use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::streams::capture::{
    Branch, Capture, CaptureState, Listing, Mode, Status,
};
use crate::driver::objects::streams::stream::Stream;
use crate::driver::state::{self, Driver};
use crate::driver::system::error::{Error, Result};
use outhaul_lock::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Destroys a capture's graph, unless the program has already destroyed it.
fn destroy_graph(graph: u64) {
    if let Some(driver) = state::started() {
        let _ = driver.destroy_graph(graph);
    }
}

/// Returns a capture's branch for a stream, with the given tips.
fn branch_of(stream: &Stream, tips: Vec<Dependency>) -> Result<Branch> {
    Ok(Branch {
        context: stream.context()?.handle,
        blocking: stream.is_blocking(),
        tips,
        listed: Listing::default(),
    })
}

impl Capture {
    /// Begins to capture a stream into a graph, after the given nodes.
    pub fn begin(
        driver: &Driver,
        stream: &Stream,
        mode: Mode,
        into: Option<u64>,
        tips: Vec<Dependency>,
    ) -> Result<()> {
        if stream.is_legacy() {
            return Err(Error::StreamCaptureUnsupported);
        }
        if stream.capture().is_some() {
            return Err(Error::IllegalState);
        }
        let branch = branch_of(stream, tips)?;
        let graph = into.unwrap_or_else(|| driver.create_graph(Default::default()));
        let capture = Arc::new(Capture {
            id: Capture::new_id(),
            graph,
            owns_graph: into.is_none(),
            mode,
            thread: std::thread::current().id(),
            origin: stream.id,
            destroy_graph,
            state: Mutex::new(CaptureState {
                status: Status::Active,
                branches: BTreeMap::from([(stream.id, branch)]),
            }),
        });
        stream.set_capture(&capture);
        capture.run();
        Ok(())
    }

    /// Ends the capture in the stream where the capture began. Returns the graph, which the program
    /// owns from then on.
    pub fn end(&self, driver: &Driver, stream: &Stream) -> Result<u64> {
        if self.mode != Mode::Relaxed && self.thread != std::thread::current().id() {
            return Err(Error::StreamCaptureWrongThread);
        }
        if self.origin != stream.id {
            self.invalidate();
            return Err(Error::StreamCaptureUnmatched);
        }
        let outcome = self.outcome(driver);
        self.close(outcome.is_ok());
        outcome.map(|()| self.graph)
    }

    fn outcome(&self, driver: &Driver) -> Result<()> {
        let state = lock(&self.state);
        if state.status == Status::Invalid {
            return Err(Error::StreamCaptureInvalidated);
        }
        let graph = driver.graph(self.graph)?;
        let tips_of =
            |branch: &Branch| branch.tips.iter().map(|tip| tip.node).collect::<BTreeSet<u64>>();
        let joined =
            lock(&graph).up_to(state.branches.get(&self.origin).map(tips_of).unwrap_or_default());
        let all = state.branches.values().all(|branch| tips_of(branch).is_subset(&joined));
        if all { Ok(()) } else { Err(Error::StreamCaptureUnjoined) }
    }

    /// Adds a stream's task to the graph as a node.
    pub fn add(&self, stream: &Stream, task: Task) -> Result<()> {
        let driver = state::driver()?;
        let mut state = lock(&self.state);
        let branch = state.branch(stream.id)?;
        let node = driver.add_node(self.graph, task, branch.tips.clone())?;
        branch.tips = vec![Dependency::full(node)];
        Ok(())
    }

    /// Makes a stream wait for the nodes in `tips`. From then on, the stream participates in the
    /// capture.
    pub fn join(self: &Arc<Self>, stream: &Stream, tips: &[Dependency]) -> Result<()> {
        if stream.is_legacy() {
            self.invalidate();
            return Err(Error::StreamCaptureImplicit);
        }
        let branch = branch_of(stream, Vec::new())?;
        let mut state = lock(&self.state);
        state.check()?;
        state.branches.entry(stream.id).or_insert(branch).add_tips(tips);
        drop(state);
        stream.set_capture(self);
        Ok(())
    }

    /// Implements `cuStreamUpdateCaptureDependencies`: adds or replaces a stream's tips.
    pub fn depend(
        &self,
        driver: &Driver,
        stream: &Stream,
        tips: &[Dependency],
        replace: bool,
    ) -> Result<()> {
        let graph = driver.graph(self.graph)?;
        let mut state = lock(&self.state);
        let branch = state.branch(stream.id)?;
        if tips.iter().any(|tip| lock(&graph).task(tip.node).is_err()) {
            return Err(Error::InvalidValue);
        }
        if replace {
            branch.tips.clear();
        }
        branch.add_tips(tips);
        Ok(())
    }
}

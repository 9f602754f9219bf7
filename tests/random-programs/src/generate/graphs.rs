//! Graphs that are captured with forks and joins, or built by calls. Also launches and changes.

use super::Generator;
use crate::model::{LEGACY, line_of};
use crate::program::*;

impl Generator {
    /// Returns an action for a graph. Excludes some copies if the features require it.
    fn graph_action(&mut self) -> Option<Action> {
        let action = self.action(true)?;
        if let Action::Copy { to, from, .. } = &action {
            let sides = [to, from].map(|rows| &self.model.buffers[&rows.buffer]);
            let is_pageable = sides.iter().any(|buffer| buffer.is_pageable_now());
            let is_within_host = sides.iter().all(|buffer| buffer.is_host());
            if is_pageable && !self.has("graph-pageable")
                || is_within_host && !self.has("graph-within-host")
            {
                return None;
            }
        }
        Some(action)
    }

    pub(super) fn capture(&mut self, thread: usize) {
        let Some(origin) = self.stream(thread) else { return };
        let graph = self.graphs;
        if line_of(thread, origin) == LEGACY
            || !self.attempt(thread, None, Deal::Capture { graph, stream: origin })
        {
            return;
        }
        self.graphs += 1;
        let mut streams = vec![origin];
        for _ in 0..self.random.within(2, 9) {
            let at = streams[self.random.below(streams.len())];
            if self.random.percent(25)
                && let Some(other) = self.stream(thread).filter(|other| *other != Stream::Legacy)
            {
                if self.capture_wait(thread, at, other) && !streams.contains(&other) {
                    streams.push(other);
                }
            } else if let Some(action) = self.graph_action() {
                let _ = self.add(thread, Deal::Do { stream: at, action });
            }
        }
        for other in streams.split_off(1) {
            self.capture_wait(thread, other, origin);
        }
        let ended = self.add(thread, Deal::EndCapture { graph, stream: origin });
        assert!(ended.is_ok(), "a capture ends: {ended:?}");
        self.instantiate(thread, graph);
    }

    /// Makes one stream wait for another. Afterwards the capture includes both.
    fn capture_wait(&mut self, thread: usize, from: Stream, to: Stream) -> bool {
        let events: Vec<usize> = self
            .model
            .events
            .keys()
            .copied()
            .filter(|event| self.model.may_use_event(thread, *event))
            .collect();
        // The generator creates no new events during a capture.
        let Some(event) = self.random.pick(&events).copied() else { return false };
        from != to
            && self.add(thread, Deal::Record { event, stream: from }).is_ok()
            && self.add(thread, Deal::Wait { stream: to, event }).is_ok()
    }

    fn instantiate(&mut self, thread: usize, graph: usize) {
        let exec = self.execs;
        if self.attempt(thread, None, Deal::Instantiate { exec, graph }) {
            self.execs += 1;
            for _ in 0..self.random.below(3) {
                self.launch(thread);
            }
        }
    }

    pub(super) fn build(&mut self, thread: usize) {
        let graph = self.graphs;
        if !self.attempt(thread, None, Deal::NewGraph { graph }) {
            return;
        }
        self.graphs += 1;
        for _ in 0..self.random.within(1, 7) {
            let Some(action) = self.graph_action() else { continue };
            let nodes = self.model.graphs[&graph].nodes.len();
            let mut after: Vec<usize> = Vec::new();
            for _ in 0..self.random.below(3).min(nodes) {
                // Prefers the newest node, so that chains are long.
                after.push(if self.random.percent(60) {
                    nodes - 1
                } else {
                    self.random.below(nodes)
                });
            }
            after.sort_unstable();
            after.dedup();
            if self.add(thread, Deal::Node { graph, after, action: action.clone() }).is_err()
                && nodes > 0
            {
                let _ = self.add(thread, Deal::Node { graph, after: (0..nodes).collect(), action });
            }
        }
        self.instantiate(thread, graph);
    }

    fn live_exec(&mut self) -> Option<usize> {
        let execs: Vec<usize> = self
            .model
            .execs
            .iter()
            .filter(|(_, exec)| exec.alive)
            .map(|(number, _)| *number)
            .collect();
        // Prefers newer graphs, because their memory still exists.
        let newest = execs.len().saturating_sub(3);
        let from = if self.random.percent(80) { &execs[newest..] } else { &execs };
        self.random.pick(from).copied()
    }

    pub(super) fn launch(&mut self, thread: usize) {
        let Some(exec) = self.live_exec() else { return };
        let is_kernel = |action: &Action| {
            matches!(
                action,
                Action::Stamp { .. }
                    | Action::Bump { .. }
                    | Action::Check { .. }
                    | Action::Spin { .. }
            )
        };
        let kernels = self.model.execs[&exec].nodes.iter().any(|node| is_kernel(&node.action));
        if !kernels && self.has_managed && !self.has("managed-kernelless") {
            return;
        }
        let Some(stream) = self.stream(thread) else { return };
        self.attempt(thread, Some(stream), Deal::Launch { exec, stream });
    }

    pub(super) fn change(&mut self, thread: usize) {
        let Some(exec) = self.live_exec() else { return };
        let node = self.random.below(self.model.execs[&exec].nodes.len());
        let Some(mut action) = self.graph_action() else { return };
        if let (Action::Copy { call, .. }, Action::Copy { call: old, .. }) =
            (&mut action, &self.model.execs[&exec].nodes[node].action)
        {
            *call = *old;
        }
        let is_host = |rows: &Rows| self.model.buffers[&rows.buffer].is_host();
        let is_of_host =
            matches!(&action, Action::Copy { to, from, .. } if is_host(to) || is_host(from));
        if is_of_host && !self.has("graph-host-copy-changes") {
            return;
        }
        self.attempt(thread, None, Deal::Change { exec, node, action });
    }
}

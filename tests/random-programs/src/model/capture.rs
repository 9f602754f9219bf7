//! Calls by a thread that captures: work becomes nodes, and events fork and join.

use super::{Capture, Event, LEGACY, Model, Verdict, line_of, wrong};
use crate::clock::Clock;
use crate::program::*;
use std::collections::BTreeMap;

impl Model {
    pub(super) fn begin_capture(&mut self, thread: usize, graph: usize, stream: Stream) -> Verdict {
        let line = self.line(thread, stream)?;
        if line == LEGACY || self.capture.is_some() {
            return wrong("one stream is captured at a time, and never the legacy one");
        }
        self.new_graph(thread, graph, false)?;
        self.stream_used(thread, line);
        let streams = BTreeMap::from([(line, Vec::new())]);
        self.capture =
            Some(Capture { thread, graph, origin: line, streams, events: BTreeMap::new() });
        Ok(())
    }

    pub(super) fn call_while_capturing(&mut self, thread: usize, deal: &Deal) -> Verdict {
        let Some(capture) = &self.capture else { return wrong("nothing is captured") };
        match deal {
            Deal::Do { stream, action } => {
                let line = line_of(thread, *stream);
                let Some(after) = capture.streams.get(&line).cloned() else {
                    return wrong("the stream is not captured");
                };
                let node = self.add_node(thread, capture.graph, &after, action)?;
                self.capturing().streams.insert(line, vec![node]);
                Ok(())
            }
            Deal::Record { event, stream } => {
                let Some(after) = capture.streams.get(&line_of(thread, *stream)).cloned() else {
                    return wrong("the stream is not captured");
                };
                self.event(thread, *event)?;
                let call = self.step(thread);
                self.capturing().events.insert(*event, after);
                self.events.insert(
                    *event,
                    Event { alive: true, record: None, captured: true, last_use: Some(call) },
                );
                Ok(())
            }
            Deal::Wait { stream, event } => {
                let Some(after) = capture.events.get(event).cloned() else {
                    return wrong("the event is not of the capture");
                };
                let line = line_of(thread, *stream);
                if !capture.streams.contains_key(&line) {
                    self.line(thread, *stream)?;
                    if line == LEGACY {
                        return wrong("the legacy stream is not captured");
                    }
                }
                let deps = self.capturing().streams.entry(line).or_default();
                deps.extend(after);
                deps.sort_unstable();
                deps.dedup();
                Ok(())
            }
            Deal::EndCapture { graph, stream } => {
                if *graph != capture.graph || line_of(thread, *stream) != capture.origin {
                    return wrong("a capture ends in the stream where it began");
                }
                self.is_joined(capture)?;
                let streams: Vec<usize> = capture.streams.keys().copied().collect();
                self.capture = None;
                streams.into_iter().for_each(|line| self.stream_used(thread, line));
                Ok(())
            }
            _ => wrong("not while a stream is captured"),
        }
    }

    fn capturing(&mut self) -> &mut Capture {
        self.capture.as_mut().expect("a stream is captured")
    }

    /// Fails unless all captured nodes precede the end of the origin stream.
    fn is_joined(&self, capture: &Capture) -> Verdict {
        let graph = &self.graphs[&capture.graph];
        let mut joined = Clock::default();
        let mut open = capture.streams[&capture.origin].clone();
        while let Some(node) = open.pop() {
            joined.insert(node);
            open.extend(graph.nodes[node].after.iter().filter(|before| !joined.has(**before)));
        }
        if capture.streams.values().flatten().all(|node| joined.has(*node)) {
            Ok(())
        } else {
            wrong("a fork is not joined")
        }
    }
}

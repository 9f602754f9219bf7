//! Proposals for the next operation.

use super::Generator;
use crate::model::{MADE, Model};
use crate::program::*;

/// Usual maximum number of words in a range that a kernel or a host function processes.
const WORDS_OFTEN_MAX: usize = 20_000;
const SPIN_US_MAX: usize = 400;
const PRIORITY_TRIES: usize = 4;

impl Generator {
    pub(super) fn propose(&mut self) {
        let thread = self.random.below(self.model.threads.len());
        let weight = |generator: &Self, feature: &str, weight: usize| {
            if generator.has(feature) { weight } else { 0 }
        };
        let weights = [
            100,
            weight(self, "synchronous", 12),
            14,
            25,
            10,
            weight(self, "queries", 4),
            weight(self, "registered", 4),
            weight(self, "free", 5),
            weight(self, "pooled", 6),
            weight(self, "drops", 3),
            weight(self, "captures", 3),
            weight(self, "built", 2),
            30,
            weight(self, "changes", 3),
            weight(self, "tokens", 5),
            4,
            10,
        ];
        match self.random.weighted(&weights) {
            0 => self.work(thread),
            1 => self.synchronous(thread),
            2 => self.write_host(thread),
            3 => self.check_host(thread),
            4 => self.wait(thread),
            5 => self.query(thread),
            6 => self.register(thread),
            7 => self.free(thread),
            8 => self.pool(thread),
            9 => self.drop_object(thread),
            10 => self.capture(thread),
            11 => self.build(thread),
            12 => self.launch(thread),
            13 => self.change(thread),
            14 => self.token(thread),
            15 => self.hand_over(thread),
            _ => self.read_back(thread),
        }
    }

    pub(super) fn alive(&self, which: impl Fn(&crate::model::Buffer) -> bool) -> Vec<usize> {
        self.model
            .buffers
            .iter()
            .filter(|(_, buffer)| buffer.alive && which(buffer))
            .map(|(number, _)| *number)
            .collect()
    }

    pub(super) fn range(&mut self, buffer: usize) -> Range {
        let words = self.model.buffers[&buffer].words;
        if words <= WORDS_OFTEN_MAX && self.random.percent(45) || self.random.percent(4) {
            return Range { buffer, start: 0, len: words };
        }
        let most = words.min(if self.random.percent(10) { WORDS_MAX } else { WORDS_OFTEN_MAX });
        let len = self.random.within(1, most);
        let start = match self.random.below(3) {
            0 => 0,
            1 => words - len,
            _ => self.random.below(words - len + 1),
        };
        Range { buffer, start, len }
    }

    fn for_kernels(&self, buffer: &crate::model::Buffer) -> bool {
        match buffer.memory {
            Memory::Pinned => self.features.has("plain-address"),
            Memory::Pageable => {
                buffer.registered == Some(true) && self.features.has("registered-mapped")
            }
            _ => true,
        }
    }

    /// Returns a range of memory that kernels can access. If `known` is set, at least one of its
    /// words is known.
    pub(super) fn kernel_range(&mut self, known: bool) -> Option<Range> {
        let buffers = self.alive(|buffer| self.for_kernels(buffer));
        for _ in 0..PRIORITY_TRIES {
            let buffer = *self.random.pick(&buffers)?;
            let range = self.range(buffer);
            if !known
                || !self.model.buffers[&buffer].content.known(range.start, range.len).is_empty()
            {
                return Some(range);
            }
        }
        None
    }

    pub(super) fn host_range(&mut self, known: bool, managed: bool) -> Option<Range> {
        let buffers =
            self.alive(|buffer| buffer.is_host() || managed && buffer.memory == Memory::Managed);
        for _ in 0..PRIORITY_TRIES {
            let buffer = *self.random.pick(&buffers)?;
            let range = self.range(buffer);
            if !known
                || !self.model.buffers[&buffer].content.known(range.start, range.len).is_empty()
            {
                return Some(range);
            }
        }
        None
    }

    fn fill(&mut self) -> Option<Action> {
        let range = self.kernel_range(false)?;
        let unit = [1, 2, 4][self.random.below(3)];
        let value = (self.random.next() as u32) >> (32 - 8 * unit as u32);
        let mut to = Rows {
            buffer: range.buffer,
            start: range.start,
            width: range.len,
            rows: 1,
            pitch: range.len,
        };
        if self.has("rows") && self.random.percent(20) && range.len >= 8 {
            let rows = self.random.within(2, 8.min(range.len / 2));
            let pitch = range.len / rows;
            to = Rows { rows, pitch, width: self.random.within(1, pitch), ..to };
        }
        Some(Action::Fill { to, value, unit })
    }

    pub(super) fn copy(&mut self, hosts: bool) -> Option<Action> {
        let buffers = self.alive(|buffer| hosts || !buffer.is_host());
        let (one, other) = (*self.random.pick(&buffers)?, *self.random.pick(&buffers)?);
        // Copies within host memory are of little interest.
        let (a, b) = (&self.model.buffers[&one], &self.model.buffers[&other]);
        if a.is_host() && b.is_host() && !(self.has("within-host") && self.random.percent(5)) {
            return None;
        }
        let (a, b) = (self.range(one), self.range(other));
        let len = a.len.min(b.len);
        let side = |range: &Range| Rows {
            buffer: range.buffer,
            start: range.start,
            width: len,
            rows: 1,
            pitch: len,
        };
        let (mut to, mut from) = (side(&a), side(&b));
        if self.has("rows") && self.random.percent(15) && len >= 8 {
            let rows = self.random.within(2, 8.min(len / 2));
            let width = self.random.within(1, len / rows);
            for side in [&mut to, &mut from] {
                (side.rows, side.width, side.pitch) =
                    (rows, width, self.random.within(width, len / rows));
            }
        }
        let call = if self.has("unified") && self.random.percent(30) {
            Call::Unified
        } else {
            Call::Directed
        };
        Some(Action::Copy { to, from, call })
    }

    pub(super) fn host_action(&mut self, posts: bool) -> Option<Action> {
        let mut deeds = Vec::new();
        for _ in 0..self.random.within(1, 2) {
            if self.random.percent(55) {
                deeds.push(Deed::Check(self.host_range(true, false)?));
            } else {
                let range = self.host_range(false, false)?;
                let reached = self.for_kernels(&self.model.buffers[&range.buffer]);
                if !reached || self.has("host-functions-mapped") {
                    deeds.push(Deed::Write(range, self.random.next() as u32));
                }
            }
        }
        if posts && self.has("tokens") && self.random.percent(40) {
            deeds.push(Deed::Post(self.tokens));
            self.tokens += 1;
        }
        Some(Action::Host { deeds })
    }

    /// Returns an action for a stream or a graph.
    pub(super) fn action(&mut self, graph: bool) -> Option<Action> {
        let base = self.random.next() as u32;
        let host = if self.has("host-functions") { 10 } else { 0 };
        match self.random.weighted(&[25, 10, 22, 12, 10, 35, host]) {
            0 => Some(Action::Stamp {
                to: self.kernel_range(false)?,
                base,
                step: self.random.below(3) as u32,
            }),
            1 => Some(Action::Bump { to: self.kernel_range(true)?, more: base }),
            2 => Some(Action::Check { of: self.kernel_range(true)? }),
            3 => Some(Action::Spin { us: self.random.within(1, SPIN_US_MAX) as u32 }),
            4 => self.fill(),
            5 => self.copy(!graph || self.has("graph-host-copies")),
            _ => self.host_action(!graph),
        }
    }

    fn work(&mut self, thread: usize) {
        let (Some(stream), Some(action)) = (self.stream(thread), self.action(false)) else {
            return;
        };
        self.attempt(thread, Some(stream), Deal::Do { stream, action });
    }

    fn synchronous(&mut self, thread: usize) {
        let action = if self.random.percent(75) { self.copy(true) } else { self.fill() };
        let Some(action) = action else { return };
        if let Action::Copy { from, .. } = &action {
            let source = &self.model.buffers[&from.buffer];
            if source.is_host() && !source.is_pageable_now() && !self.has("synchronous-pinned") {
                return;
            }
        }
        self.attempt(thread, Some(Stream::Legacy), Deal::Now { action });
    }

    fn write_host(&mut self, thread: usize) {
        let (Some(to), base) = (self.host_range(false, true), self.random.next() as u32) else {
            return;
        };
        self.attempt(thread, None, Deal::WriteHost { to, base });
    }

    fn check_host(&mut self, thread: usize) {
        let Some(of) = self.host_range(true, true) else { return };
        self.attempt(thread, None, Deal::CheckHost { of });
    }

    /// Proposes the steps with which a program reads a result: a copy to the host, a wait that
    /// covers the copy, and a read.
    fn read_back(&mut self, thread: usize) {
        let targets = self.alive(|buffer| buffer.is_host());
        let sources = self
            .alive(|buffer| !buffer.is_host() && !buffer.content.known(0, buffer.words).is_empty());
        let (Some(target), Some(source)) =
            (self.random.pick(&targets).copied(), self.random.pick(&sources).copied())
        else {
            return;
        };
        let words = self.model.buffers[&source].words.min(self.model.buffers[&target].words);
        let len = if self.random.percent(60) { words } else { self.random.within(1, words) };
        let row = |buffer: usize| Rows { buffer, start: 0, width: len, rows: 1, pitch: len };
        let action = Action::Copy { to: row(target), from: row(source), call: Call::Directed };
        let Some(stream) = self.stream(thread) else { return };
        if self.attempt(thread, Some(stream), Deal::Do { stream, action }) {
            let by = self.random.below(self.model.threads.len());
            let of = Range { buffer: target, start: 0, len };
            let reader = if self.random.percent(70) { thread } else { by };
            self.attempt(reader, None, Deal::CheckHost { of });
        }
    }

    fn wait(&mut self, thread: usize) {
        let Some(stream) = self.stream(thread) else { return };
        let events: Vec<usize> = self.model.events.keys().copied().collect();
        let Some(event) = self.random.pick(&events).copied() else { return };
        let deal = match self.random.below(6) {
            0 => Deal::StreamSync { stream },
            1 => Deal::EventSync { event },
            2 | 3 if self.may_record(stream) => Deal::Record { event, stream },
            _ => Deal::Wait { stream, event },
        };
        self.attempt(thread, Some(stream), deal);
    }

    fn query(&mut self, thread: usize) {
        let Some(stream) = self.stream(thread) else { return };
        let events: Vec<usize> = self.model.events.keys().copied().collect();
        let deal = match self.random.pick(&events) {
            Some(event) if self.random.percent(50) => Deal::EventQuery { event: *event },
            _ => Deal::StreamQuery { stream },
        };
        self.attempt(thread, None, deal);
    }

    fn register(&mut self, thread: usize) {
        let buffers = self.alive(|buffer| buffer.memory == Memory::Pageable);
        let Some(buffer) = self.random.pick(&buffers).copied() else { return };
        let mapped = self.has("registered-mapped") && self.random.percent(50);
        let deal = match self.model.buffers[&buffer].registered {
            Some(_) => Deal::Unregister { buffer },
            None => Deal::Register { buffer, mapped },
        };
        self.attempt(thread, None, deal);
    }

    fn free(&mut self, thread: usize) {
        let buffers = self.alive(|buffer| buffer.registered.is_none());
        if self.random.percent(50)
            && let Some(buffer) = self.random.pick(&buffers).copied()
        {
            self.attempt(thread, None, Deal::Free { buffer });
        }
        self.allocate(thread);
    }

    fn pool(&mut self, thread: usize) {
        let Some(stream) = self.stream(thread) else { return };
        let line = crate::model::line_of(thread, stream);
        if self.model.streams[&line].blocking && !self.has("pooled-legacy") {
            return;
        }
        let buffers = self.alive(|buffer| buffer.memory == Memory::Pooled);
        if self.random.percent(40)
            && let Some(buffer) = self.random.pick(&buffers).copied()
        {
            self.attempt(thread, Some(stream), Deal::FreeAsync { buffer, stream });
        } else if buffers.len() < 4 {
            let (buffer, words) = (self.buffers, self.words().min(WORDS_OFTEN_MAX * 4));
            if self.attempt(thread, Some(stream), Deal::AllocAsync { buffer, words, stream }) {
                self.buffers += 1;
            }
        }
    }

    fn drop_object(&mut self, thread: usize) {
        let lines = self.model.streams.iter().filter(|(line, state)| **line >= MADE && state.alive);
        let streams: Vec<usize> = lines.filter_map(|(line, _)| Model::made(*line)).collect();
        let execs: Vec<usize> = self
            .model
            .execs
            .iter()
            .filter(|(_, exec)| exec.alive)
            .map(|(number, _)| *number)
            .collect();
        let graphs: Vec<usize> = self
            .model
            .graphs
            .iter()
            .filter(|(_, graph)| graph.alive)
            .map(|(number, _)| *number)
            .collect();
        let events: Vec<usize> = self.model.events.keys().copied().collect();
        let deal = match self.random.below(4) {
            0 => self.random.pick(&streams).map(|stream| Deal::DropStream { stream: *stream }),
            1 => self.random.pick(&execs).map(|exec| Deal::DropExec { exec: *exec }),
            2 => self.random.pick(&graphs).map(|graph| Deal::DropGraph { graph: *graph }),
            _ => self.random.pick(&events).map(|event| Deal::DropEvent { event: *event }),
        };
        let Some(deal) = deal else { return };
        let is_stream = matches!(deal, Deal::DropStream { .. });
        if self.attempt(thread, None, deal) && is_stream && self.random.percent(80) {
            self.new_stream(thread);
        }
    }

    fn token(&mut self, thread: usize) {
        let tokens: Vec<usize> = self.model.tokens.keys().copied().collect();
        let Some(token) = self.random.pick(&tokens).copied() else { return };
        self.attempt(thread, None, Deal::Await { token });
    }

    fn hand_over(&mut self, thread: usize) {
        let to = self.random.below(self.model.threads.len());
        if to != thread {
            self.attempt(thread, None, Deal::Hand { to });
        }
    }
}

//! Calls by a thread that does not capture. Each call first checks all its requirements, and then
//! changes the model.

use super::order::handed_over;
use super::{Event, LEGACY, Line, MADE, Model, Verdict, wrong};
use crate::clock::Clock;
use crate::program::*;

/// Maximum event flags: the default, blocking synchronisation, no timing, or both of the last two.
const EVENT_FLAGS_MAX: u32 = 3;

impl Model {
    pub(super) fn call(&mut self, thread: usize, deal: &Deal) -> Verdict {
        match deal {
            Deal::Alloc { .. }
            | Deal::AllocAsync { .. }
            | Deal::Free { .. }
            | Deal::FreeAsync { .. } => self.memory_call(thread, deal),
            Deal::Register { buffer, mapped } => self.register(thread, *buffer, Some(*mapped)),
            Deal::Unregister { buffer } => self.register(thread, *buffer, None),
            Deal::NewStream { .. } | Deal::DropStream { .. } => self.stream_call(thread, deal),
            Deal::Do { stream, action } => self.enqueue(thread, *stream, action),
            Deal::Now { action } => self.now(thread, action),
            Deal::WriteHost { to, base } => {
                self.host_may_touch(&self.threads[thread].clone(), *to, true)?;
                let atom = self.step(thread);
                self.touch(atom, *to, true);
                self.put(*to, *base, 1);
                Ok(())
            }
            Deal::CheckHost { of } => {
                self.host_may_touch(&self.threads[thread].clone(), *of, false)?;
                let atom = self.step(thread);
                self.touch(atom, *of, false);
                let (site, found) = (self.site(), self.known(of));
                self.sites[site].turns.push(vec![found]);
                Ok(())
            }
            Deal::NewEvent { .. }
            | Deal::DropEvent { .. }
            | Deal::Record { .. }
            | Deal::Wait { .. }
            | Deal::EventSync { .. }
            | Deal::EventPoll { .. }
            | Deal::EventQuery { .. } => self.event_call(thread, deal),
            Deal::StreamSync { stream } | Deal::StreamPoll { stream } => {
                let line = self.line(thread, *stream)?;
                let end = self.stream_end(thread, line);
                self.threads[thread].join(&end);
                self.stream_used(thread, line);
                Ok(())
            }
            Deal::StreamQuery { stream } => {
                let line = self.line(thread, *stream)?;
                // A blocking stream may have earlier work of the legacy stream before it. The model
                // does not know all work for which the legacy stream waits.
                let (site, end) = (self.site(), self.before(thread, line));
                let is_certain = self.is_alone() || !self.streams[&line].blocking;
                self.sites[site].must_be_done =
                    is_certain && line != LEGACY && self.threads[thread].covers(&end);
                self.stream_used(thread, line);
                Ok(())
            }
            Deal::ContextSync => {
                self.threads[thread] = self.context_end(thread);
                self.step(thread);
                Ok(())
            }
            Deal::Hand { to } => {
                if *to >= self.threads.len()
                    || *to == thread
                    || self.capture.as_ref().is_some_and(|capture| capture.thread == *to)
                {
                    return wrong("no thread there can take over");
                }
                self.step(thread);
                let clock = self.threads[thread].clone();
                self.threads[*to].join(&clock);
                self.step(*to);
                Ok(())
            }
            Deal::Await { token } => {
                let Some(clock) = self.tokens.get(token).cloned() else {
                    return wrong("no operation posts the token");
                };
                self.threads[thread].join(&clock);
                self.step(thread);
                Ok(())
            }
            Deal::Capture { graph, stream } => self.begin_capture(thread, *graph, *stream),
            Deal::EndCapture { .. } => wrong("nothing is captured"),
            _ => self.graph_call(thread, deal),
        }
    }

    fn memory_call(&mut self, thread: usize, deal: &Deal) -> Verdict {
        match deal {
            Deal::Alloc { buffer, memory, words } => {
                self.may_make(*buffer, *words)?;
                if *memory == Memory::Pooled {
                    return wrong("a pool's memory is allocated in a stream");
                }
                let atom = self.step(thread);
                self.make_buffer(*buffer, *memory, *words, atom);
            }
            Deal::AllocAsync { buffer, words, stream } => {
                self.may_make(*buffer, *words)?;
                let line = self.line(thread, *stream)?;
                let before = self.before(thread, line);
                let atom = self.atom(thread, Some(line));
                self.make_buffer(*buffer, Memory::Pooled, *words, atom);
                self.advance(thread, line, before.with(atom));
                let call = self.step(thread);
                self.set_made(*buffer, call);
            }
            Deal::Free { buffer } => {
                let whole = self.whole(*buffer)?;
                if self.buffer(*buffer)?.registered.is_some() {
                    return wrong("registered memory is unregistered first");
                }
                self.may_move(thread, *buffer)?;
                self.may_touch(&self.threads[thread].clone(), whole, true)?;
                self.step(thread);
                self.unmake(*buffer);
            }
            Deal::FreeAsync { buffer, stream } => {
                let (whole, line) = (self.whole(*buffer)?, self.line(thread, *stream)?);
                if !matches!(self.buffer(*buffer)?.memory, Memory::Pooled) {
                    return wrong("only a pool's memory is freed in a stream");
                }
                let before = self.before(thread, line);
                self.may_move(thread, *buffer)?;
                self.may_touch(&before, whole, true)?;
                self.unmake(*buffer);
                self.advance(thread, line, before);
            }
            _ => return wrong("not a call about memory"),
        }
        Ok(())
    }

    fn register(&mut self, thread: usize, number: usize, into: Option<bool>) -> Verdict {
        let (whole, buffer) = (self.whole(number)?, self.buffer(number)?);
        if buffer.memory != Memory::Pageable || buffer.registered.is_some() == into.is_some() {
            return wrong("pageable memory is registered and unregistered in turn");
        }
        self.may_move(thread, number)?;
        self.may_touch(&self.threads[thread].clone(), whole, true)?;
        let atom = self.step(thread);
        self.touch(atom, whole, true);
        self.set_made(number, atom);
        let buffer = self.buffers.get_mut(&number).expect("the buffer was looked up");
        (buffer.registered, buffer.registrations) = (into, buffer.registrations + 1);
        Ok(())
    }

    fn stream_call(&mut self, thread: usize, deal: &Deal) -> Verdict {
        match deal {
            Deal::NewStream { stream, blocking, .. } => {
                let line = MADE + stream;
                if self.streams.contains_key(&line) {
                    return wrong("the stream exists already");
                }
                let call = self.step(thread);
                self.streams.insert(
                    line,
                    Line {
                        blocking: *blocking,
                        alive: true,
                        last_use: Some(call),
                        ..Line::default()
                    },
                );
            }
            Deal::DropStream { stream } => {
                let line = self.line(thread, Stream::Made(*stream))?;
                self.drop_stream(thread, line);
            }
            _ => return wrong("not a call about streams"),
        }
        Ok(())
    }

    /// Submits work to a stream. When the call returns, the work's accesses to pageable memory are
    /// complete.
    fn enqueue(&mut self, thread: usize, stream: Stream, action: &Action) -> Verdict {
        let line = self.line(thread, stream)?;
        self.is_sound(action)?;
        self.is_in_order(action)?;
        let before = self.before(thread, line);
        let staged = self.staged(action)?;
        if let Some(source) = &staged {
            let now = self.threads[thread].clone();
            source.iter().try_for_each(|range| self.may_touch(&now, *range, false))?;
        }
        self.may_act(&before, action)?;
        let returns_late = self.writes_pageable(action);
        let atom = self.atom(thread, Some(line));
        let done = before.clone().with(atom);
        match staged {
            Some(source) => {
                let read = self.step(thread);
                source.into_iter().for_each(|range| self.touch(read, range, false));
                let Action::Copy { to, .. } = action else {
                    return wrong("only copies are staged");
                };
                to.ranges().for_each(|range| self.touch(atom, range, true));
            }
            None => self.note(atom, action),
        }
        self.post_tokens(action, &done);
        self.perform(self.site(), action);
        self.advance(thread, line, done.clone());
        if returns_late {
            self.threads[thread].join(&done);
        }
        Ok(())
    }

    /// Fails for copies within host memory that involve pageable memory. The documentation does not
    /// say when such copies read the memory.
    fn is_in_order(&self, action: &Action) -> Verdict {
        let Action::Copy { to, from, .. } = action else { return Ok(()) };
        let (to, from) = (self.buffer(to.buffer)?, self.buffer(from.buffer)?);
        let within_host = to.is_host() && from.is_host();
        if within_host && (to.is_pageable_now() || from.is_pageable_now()) {
            wrong("copies within pageable memory have no order")
        } else {
            Ok(())
        }
    }

    /// Returns the ranges that a copy reads before it returns.
    fn staged(&self, action: &Action) -> Result<Option<Vec<Range>>, super::Refusal> {
        let Action::Copy { to, from, .. } = action else { return Ok(None) };
        let staged =
            self.buffer(from.buffer)?.is_pageable_now() && !self.buffer(to.buffer)?.is_host();
        Ok(staged.then(|| from.ranges().collect()))
    }

    fn writes_pageable(&self, action: &Action) -> bool {
        let Action::Copy { to, from, .. } = action else { return false };
        self.buffers[&to.buffer].is_pageable_now() && !self.buffers[&from.buffer].is_host()
    }

    pub(super) fn post_tokens(&mut self, action: &Action, done: &Clock) {
        let Action::Host { deeds } = action else { return };
        for deed in deeds {
            if let Deed::Post(token) = deed {
                self.tokens.insert(*token, done.clone());
            }
        }
    }

    /// Applies a synchronous copy or fill in the legacy stream. The thread waits for it as far as
    /// CUDA guarantees a wait.
    fn now(&mut self, thread: usize, action: &Action) -> Verdict {
        let waits = match action {
            Action::Fill { .. } => false,
            Action::Copy { to, from, .. } => {
                let (to, from) = (self.buffer(to.buffer)?, self.buffer(from.buffer)?);
                if to.is_host() && from.is_host() {
                    return wrong("how copies within the host are ordered is not documented");
                }
                to.is_host() || (from.is_host() && !from.is_pageable_now())
            }
            _ => return wrong("only copies and fills have a synchronous form"),
        };
        self.enqueue(thread, Stream::Legacy, action)?;
        if waits {
            let tail = self.streams[&LEGACY].tail.clone();
            self.threads[thread].join(&tail);
        }
        Ok(())
    }

    pub(super) fn event(&self, thread: usize, number: usize) -> Result<&Event, super::Refusal> {
        let Some(event) = self.events.get(&number).filter(|event| event.alive) else {
            return wrong("there is no such event");
        };
        handed_over(event.last_use, &self.threads[thread])?;
        Ok(event)
    }

    fn event_call(&mut self, thread: usize, deal: &Deal) -> Verdict {
        match deal {
            Deal::NewEvent { event, flags } => {
                if self.events.contains_key(event) || *flags > EVENT_FLAGS_MAX {
                    return wrong("the event exists already, or cannot exist");
                }
                let call = self.step(thread);
                self.events.insert(
                    *event,
                    Event { alive: true, last_use: Some(call), ..Event::default() },
                );
            }
            Deal::Record { event, stream } => {
                self.event(thread, *event)?;
                let line = self.line(thread, *stream)?;
                let record = self.atom(thread, Some(line));
                let done = self.before(thread, line).with(record);
                self.advance(thread, line, done.clone());
                let call = self.step(thread);
                self.events.insert(
                    *event,
                    Event {
                        alive: true,
                        record: Some((done, record)),
                        captured: false,
                        last_use: Some(call),
                    },
                );
            }
            Deal::Wait { stream, event } => {
                let record = self.recorded(thread, *event)?;
                let line = self.line(thread, *stream)?;
                match record {
                    // The driver may know that the event is complete. Then the wait adds no work to
                    // the stream that would wait for other work under the default-stream rules.
                    Some((clock, _)) => {
                        let mut done = self.streams[&line].tail.clone();
                        done.join(&self.threads[thread]);
                        done.join(&clock);
                        self.advance(thread, line, done);
                    }
                    None => self.stream_used(thread, line),
                }
                self.event_used(thread, *event);
            }
            Deal::EventSync { event } | Deal::EventPoll { event } => {
                let record = self.recorded(thread, *event)?;
                record.iter().for_each(|(clock, _)| self.threads[thread].join(clock));
                self.event_used(thread, *event);
            }
            Deal::EventQuery { event } => {
                let record = self.recorded(thread, *event)?;
                let site = self.site();
                self.sites[site].must_be_done =
                    record.is_none_or(|(_, atom)| self.threads[thread].has(atom));
                self.event_used(thread, *event);
            }
            Deal::DropEvent { event } => {
                self.event(thread, *event)?;
                self.step(thread);
                self.events.insert(*event, Event::default());
            }
            _ => return wrong("not a call about events"),
        }
        Ok(())
    }

    fn event_used(&mut self, thread: usize, number: usize) {
        let call = self.step(thread);
        self.events.get_mut(&number).expect("the event was looked up").last_use = Some(call);
    }

    /// Returns the atoms that a wait for an event covers, or `None` if the event was never
    /// recorded.
    fn recorded(
        &self,
        thread: usize,
        number: usize,
    ) -> Result<Option<(Clock, crate::clock::Atom)>, super::Refusal> {
        let event = self.event(thread, number)?;
        if event.captured {
            wrong("the event was recorded in a capture")
        } else {
            Ok(event.record.clone())
        }
    }
}

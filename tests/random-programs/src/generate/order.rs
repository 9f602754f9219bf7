//! Orders that make the model accept a rejected operation: waits by streams and threads, directly
//! or through another stream.

use super::Generator;
use crate::clock::Atom;
use crate::model::{LEGACY, MADE, Model, Refusal};
use crate::program::*;

/// Maximum number of orders to add for one operation.
const ORDERS_MAX: usize = 5;

impl Generator {
    /// Adds the operation, and the orders that it requires. `on` is the stream that runs the
    /// operation.
    pub(super) fn attempt(&mut self, thread: usize, on: Option<Stream>, deal: Deal) -> bool {
        for _ in 0..=ORDERS_MAX {
            match self.add(thread, deal.clone()) {
                Ok(()) => return true,
                Err(Refusal::Wrong(_)) => return false,
                Err(Refusal::Race(atom)) => self.order(thread, on, atom),
            }
        }
        false
    }

    fn order(&mut self, thread: usize, on: Option<Stream>, atom: Atom) {
        let origin = self.model.origins[atom];
        let Some(line) = origin.stream else { return self.hand(origin.thread, thread) };
        if !self.model.may_use(thread, line) && origin.thread != thread {
            self.hand(origin.thread, thread);
        }
        let own_of_other = (1..MADE).contains(&line) && line != 1 + thread;
        let from = match line {
            LEGACY => Stream::Legacy,
            line if line < MADE => Stream::Own,
            line => Stream::Made(Model::made(line).unwrap_or_default()),
        };
        if own_of_other || !self.model.streams[&line].alive || !self.model.may_use(thread, line) {
            let _ = self.add(thread, Deal::ContextSync);
            return;
        }
        match on {
            _ if !self.may_record(from) => {
                let _ = self.add(thread, Deal::StreamSync { stream: from });
            }
            Some(to) if self.random.percent(65) => self.stream_waits(thread, from, to),
            _ => self.thread_waits(thread, from),
        }
    }

    pub(super) fn may_record(&self, stream: Stream) -> bool {
        stream != Stream::Legacy || self.has("legacy-events")
    }

    fn hand(&mut self, from: usize, to: usize) {
        if from != to {
            let _ = self.add(from, Deal::Hand { to });
        }
    }

    fn an_event(&mut self, thread: usize) -> usize {
        let events: Vec<usize> = self
            .model
            .events
            .keys()
            .copied()
            .filter(|event| self.model.may_use_event(thread, *event))
            .collect();
        match self.random.pick(&events) {
            Some(event) if self.random.percent(90) => *event,
            _ => self.new_event(thread),
        }
    }

    fn stream_waits(&mut self, thread: usize, from: Stream, to: Stream) {
        let event = self.an_event(thread);
        let _ = self.add(thread, Deal::Record { event, stream: from });
        if self.random.percent(15) {
            self.some_spin(thread, from);
        }
        // Orders the two streams through a third stream.
        if self.random.percent(15)
            && let Some(middle) = self.stream(thread).filter(|middle| self.may_record(*middle))
        {
            let second = self.an_event(thread);
            let taken = self.add(thread, Deal::Wait { stream: middle, event }).is_ok()
                && self.add(thread, Deal::Record { event: second, stream: middle }).is_ok();
            if taken {
                let _ = self.add(thread, Deal::Wait { stream: to, event: second });
                return;
            }
        }
        let _ = self.add(thread, Deal::Wait { stream: to, event });
    }

    fn some_spin(&mut self, thread: usize, stream: Stream) {
        let us = self.random.within(1, 300) as u32;
        let _ = self.add(thread, Deal::Do { stream, action: Action::Spin { us } });
    }

    fn thread_waits(&mut self, thread: usize, from: Stream) {
        let polls = if self.has("polls") { 8 } else { 0 };
        match self.random.weighted(&[20, polls, 20, polls, 8, 30]) {
            0 => drop(self.add(thread, Deal::StreamSync { stream: from })),
            1 => drop(self.add(thread, Deal::StreamPoll { stream: from })),
            4 => drop(self.add(thread, Deal::ContextSync)),
            way @ (2 | 3) => {
                let event = self.an_event(thread);
                let _ = self.add(thread, Deal::Record { event, stream: from });
                let _ = self.add(
                    thread,
                    if way == 2 { Deal::EventSync { event } } else { Deal::EventPoll { event } },
                );
            }
            // A wait in another stream establishes an equal order.
            _ => {
                let Some(other) = self.stream(thread) else { return };
                self.stream_waits(thread, from, other);
                if self.random.percent(50) || !self.may_record(other) {
                    let _ = self.add(thread, Deal::StreamSync { stream: other });
                } else {
                    let event = self.an_event(thread);
                    let _ = self.add(thread, Deal::Record { event, stream: other });
                    let _ = self.add(thread, Deal::EventSync { event });
                }
            }
        }
    }
}

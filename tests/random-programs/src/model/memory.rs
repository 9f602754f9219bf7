//! Buffers: who touched what last, and what may touch them now.

use super::action::accesses;
use super::order::handed_over;
use super::{Model, Refusal, Verdict, wrong};
use crate::clock::{Atom, Clock};
use crate::content::Content;
use crate::program::{Action, Memory, Range, WORDS_MAX};

#[derive(Clone, Copy, Debug)]
struct Access {
    start: usize,
    end: usize,
    atom: Atom,
    write: bool,
}

#[derive(Clone, Debug)]
pub struct Buffer {
    pub memory: Memory,
    pub words: usize,
    pub content: Content,
    pub alive: bool,
    /// Of pageable memory: whether it is registered now, with a device pointer or without.
    pub registered: Option<bool>,
    /// How often that changed.
    pub registrations: usize,
    accesses: Vec<Access>,
    /// The call that gave it its address.
    made: Atom,
    /// Calls that named it without using it yet: those that put it into graphs.
    named: Clock,
}

impl Buffer {
    pub fn is_host(&self) -> bool {
        matches!(self.memory, Memory::Pinned | Memory::Mapped | Memory::Pageable)
    }

    pub fn is_pageable_now(&self) -> bool {
        self.memory == Memory::Pageable && self.registered.is_none()
    }

    pub fn kernels_reach_it(&self) -> bool {
        self.memory != Memory::Pageable || self.registered == Some(true)
    }
}

impl Model {
    pub fn buffer(&self, number: usize) -> Result<&Buffer, Refusal> {
        match self.buffers.get(&number) {
            Some(buffer) if buffer.alive => Ok(buffer),
            _ => wrong("there is no such buffer"),
        }
    }

    pub(super) fn make_buffer(&mut self, number: usize, memory: Memory, words: usize, atom: Atom) {
        let whole = Access { start: 0, end: words, atom, write: true };
        let buffer = Buffer {
            memory,
            words,
            content: Content::default(),
            alive: true,
            registered: None,
            registrations: 0,
            accesses: vec![whole],
            made: atom,
            named: Clock::default(),
        };
        self.buffers.insert(number, buffer);
    }

    pub(super) fn may_make(&self, number: usize, words: usize) -> Verdict {
        if self.buffers.contains_key(&number) {
            return wrong("the buffer is there already");
        }
        if words == 0 || words > WORDS_MAX { wrong("no buffer is of that size") } else { Ok(()) }
    }

    /// Whether the thread knows the addresses of an action's memory.
    pub(super) fn may_name(&self, thread: usize, action: &Action) -> Verdict {
        for (range, _) in accesses(action) {
            handed_over(Some(self.buffer(range.buffer)?.made), &self.threads[thread])?;
        }
        Ok(())
    }

    pub(super) fn name(&mut self, call: Atom, action: &Action) {
        for (range, _) in accesses(action) {
            self.buffers
                .get_mut(&range.buffer)
                .expect("the buffer was looked up")
                .named
                .insert(call);
        }
    }

    /// The buffer has another address from this call on.
    pub(super) fn set_made(&mut self, number: usize, call: Atom) {
        self.buffers.get_mut(&number).expect("the buffer was looked up").made = call;
    }

    /// Whether nobody names the buffer any more whom the thread does not know of.
    pub(super) fn may_move(&self, thread: usize, number: usize) -> Verdict {
        let (buffer, now) = (self.buffer(number)?, &self.threads[thread]);
        handed_over(Some(buffer.made), now)?;
        match buffer.named.beyond(now) {
            Some(call) => Err(Refusal::Race(call)),
            None => Ok(()),
        }
    }

    pub(super) fn whole(&self, number: usize) -> Result<Range, Refusal> {
        Ok(Range { buffer: number, start: 0, len: self.buffer(number)?.words })
    }

    /// Whether an access that comes after all of the clock races with none before.
    pub(super) fn may_touch(&self, before: &Clock, range: Range, write: bool) -> Verdict {
        let buffer = self.buffer(range.buffer)?;
        if range.len == 0 || range.len > buffer.words || range.end() > buffer.words {
            return wrong("the range is not within the buffer");
        }
        let conflicts = |access: &&Access| {
            (write || access.write)
                && access.start < range.end()
                && range.start < access.end
                && !before.has(access.atom)
        };
        // The newest is most likely to have the others before it.
        match buffer.accesses.iter().rev().find(conflicts) {
            Some(access) => Err(Refusal::Race(access.atom)),
            None => Ok(()),
        }
    }

    pub(super) fn touch(&mut self, atom: Atom, range: Range, write: bool) {
        let Some(buffer) = self.buffers.get_mut(&range.buffer) else { return };
        let (start, end) = (range.start, range.end());
        if write {
            // Whoever comes after this write comes after them too.
            buffer.accesses.retain(|access| access.start < start || access.end > end);
        }
        buffer.accesses.push(Access { start, end, atom, write });
    }

    /// Whether the program itself may touch a range now.
    pub(super) fn host_may_touch(&self, before: &Clock, range: Range, write: bool) -> Verdict {
        let buffer = self.buffer(range.buffer)?;
        match buffer.memory {
            Memory::Device | Memory::Pooled => {
                return wrong("the program cannot touch device memory");
            }
            Memory::Managed if !self.is_alone() => {
                return wrong("managed memory is the program's only while nothing runs");
            }
            // Nothing at all may run, on a device without concurrent managed access.
            Memory::Managed => {
                if let Some(atom) = self.asked.beyond(before) {
                    return Err(Refusal::Race(atom));
                }
            }
            Memory::Pinned | Memory::Mapped | Memory::Pageable => {}
        }
        self.may_touch(before, range, write)
    }

    /// Content of what was given back is nobody's.
    pub(super) fn unmake(&mut self, number: usize) {
        if let Some(buffer) = self.buffers.get_mut(&number) {
            buffer.alive = false;
            buffer.content = Content::default();
        }
    }
}

//! Buffers: their latest accesses, and the accesses that are allowed now.

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

/// A buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Kind of memory.
    pub memory: Memory,
    /// Size in words.
    pub words: usize,
    /// Known contents of the buffer.
    pub content: Content,
    /// Whether the buffer exists.
    pub alive: bool,
    /// For pageable memory, whether it is registered with a device pointer (`true`) or without one.
    /// `None` if the memory is not registered.
    pub registered: Option<bool>,
    /// Number of registrations and unregistrations.
    pub registrations: usize,
    accesses: Vec<Access>,
    /// Call that gave the buffer its current address.
    made: Atom,
    /// Calls that refer to the buffer without an access, such as those that add nodes to graphs.
    named: Clock,
}

impl Buffer {
    /// Returns whether the buffer is in host memory.
    pub fn is_host(&self) -> bool {
        matches!(self.memory, Memory::Pinned | Memory::Mapped | Memory::Pageable)
    }

    /// Returns whether the buffer is pageable memory that is not registered.
    pub fn is_pageable_now(&self) -> bool {
        self.memory == Memory::Pageable && self.registered.is_none()
    }

    /// Returns whether kernels can access the buffer.
    pub fn kernels_reach_it(&self) -> bool {
        self.memory != Memory::Pageable || self.registered == Some(true)
    }
}

impl Model {
    /// Returns the buffer with this number, if it exists.
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
            return wrong("the buffer exists already");
        }
        if words == 0 || words > WORDS_MAX { wrong("no buffer is of that size") } else { Ok(()) }
    }

    /// Fails unless the thread knows the addresses of an action's memory.
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

    /// Records that the buffer has a new address after this call.
    pub(super) fn set_made(&mut self, number: usize, call: Atom) {
        self.buffers.get_mut(&number).expect("the buffer was looked up").made = call;
    }

    /// Fails if a call that the thread does not know of refers to the buffer.
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

    /// Fails if an access after the atoms in `before` would race with an earlier access.
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
        // The search begins with the newest access, which is the most likely to conflict.
        match buffer.accesses.iter().rev().find(conflicts) {
            Some(access) => Err(Refusal::Race(access.atom)),
            None => Ok(()),
        }
    }

    pub(super) fn touch(&mut self, atom: Atom, range: Range, write: bool) {
        let Some(buffer) = self.buffers.get_mut(&range.buffer) else { return };
        let (start, end) = (range.start, range.end());
        if write {
            // Work that follows this write also follows these accesses, so they need no record.
            buffer.accesses.retain(|access| access.start < start || access.end > end);
        }
        buffer.accesses.push(Access { start, end, atom, write });
    }

    /// Fails unless the program itself may access the range now.
    pub(super) fn host_may_touch(&self, before: &Clock, range: Range, write: bool) -> Verdict {
        let buffer = self.buffer(range.buffer)?;
        match buffer.memory {
            Memory::Device | Memory::Pooled => {
                return wrong("the program cannot touch device memory");
            }
            Memory::Managed if !self.is_alone() => {
                return wrong("the program may use managed memory only while no work runs");
            }
            // On a device without concurrent managed access, no work may run at the same time.
            Memory::Managed => {
                if let Some(atom) = self.asked.beyond(before) {
                    return Err(Refusal::Race(atom));
                }
            }
            Memory::Pinned | Memory::Mapped | Memory::Pageable => {}
        }
        self.may_touch(before, range, write)
    }

    /// Forgets the contents of a freed buffer.
    pub(super) fn unmake(&mut self, number: usize) {
        if let Some(buffer) = self.buffers.get_mut(&number) {
            buffer.alive = false;
            buffer.content = Content::default();
        }
    }
}

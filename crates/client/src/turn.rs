//! Whose turn it is with managed memory: the program's, which may have written to it, or the
//! device's, whose work may have changed it since it was last looked at.

use crate::stream::{Stream, Trace};

/// Streams whose work is told apart; beyond these all work counts as one.
const TOUCHES_MAX: usize = 64;

pub struct Turn {
    /// The program may have written since both sides were alike.
    pub program: bool,
    touches: Vec<Touch>,
    /// Work of who knows which stream.
    anything: bool,
}

/// A stream's work that may have changed it.
#[derive(Clone)]
struct Touch {
    stream: Trace,
    position: u64,
    /// Being posted just now.
    posting: u32,
}

/// What a wait has shown.
#[derive(Clone, Copy)]
pub enum Waited<'w> {
    /// Somebody's work, perhaps all.
    Something,
    /// A stream's work up to a position.
    Stream(&'w Stream, u64),
    /// All work of a context, by its index, up to a position.
    Context(u16, u64),
}

impl Touch {
    /// Whether a wait may have shown some of it.
    fn shows(&self, waited: Waited<'_>) -> bool {
        let Waited::Stream(stream, _) = waited else { return true };
        if stream.handle == 0 || stream.key() == self.stream.key {
            return true;
        }
        // Streams stand behind one another by events, and by what the legacy stream does.
        let Some(context) = self.stream.context.upgrade() else { return true };
        let joined = self.stream.session.joined().max(context.legacy.position());
        self.position > 0 && joined >= self.position
    }

    /// Whether it is all over with that wait.
    fn is_over(&self, waited: Waited<'_>) -> bool {
        let seen = match waited {
            Waited::Something => 0,
            Waited::Stream(stream, position) if stream.key() == self.stream.key => position,
            Waited::Context(context, position) if context == self.stream.key.context => position,
            Waited::Stream(..) | Waited::Context(..) => 0,
        };
        self.posting == 0 && (self.position <= seen || self.stream.is_completed(self.position))
    }
}

impl Default for Turn {
    fn default() -> Turn {
        Turn { program: true, touches: Vec::new(), anything: false }
    }
}

impl Turn {
    /// Work that may change it is about to be posted to a stream.
    pub fn begin(&mut self, stream: &Stream) {
        if self.anything {
            return;
        }
        if let Some(touch) = self.touches.iter_mut().find(|touch| touch.stream.key == stream.key())
        {
            touch.posting += 1;
        } else if self.touches.len() < TOUCHES_MAX {
            self.touches.push(Touch { stream: stream.trace(), position: 0, posting: 1 });
        } else {
            self.begin_anywhere();
        }
    }

    /// It has been posted.
    pub fn end(&mut self, stream: &Stream, position: u64) {
        if let Some(touch) = self.touches.iter_mut().find(|touch| touch.stream.key == stream.key())
        {
            touch.posting = touch.posting.saturating_sub(1);
            touch.position = touch.position.max(position);
        }
    }

    /// Work that may change it is about to be posted, to who knows which stream.
    pub fn begin_anywhere(&mut self) {
        self.anything = true;
        self.touches.clear();
    }

    /// Whether there may be something to be seen.
    pub fn shows(&self, waited: Waited<'_>) -> bool {
        self.anything || self.touches.iter().any(|touch| touch.shows(waited))
    }

    /// It was looked at after a wait.
    pub fn looked_at(&mut self, waited: Waited<'_>) {
        self.touches.retain(|touch| !touch.is_over(waited));
    }

    /// As that one stands too. What is just being posted cannot be meant for memory that changes
    /// hands meanwhile.
    pub fn take_over(&mut self, other: &Turn) {
        self.program |= other.program;
        self.anything |= other.anything;
        for touch in other.touches.iter().filter(|touch| touch.position > 0) {
            match self.touches.iter_mut().find(|own| own.stream.key == touch.stream.key) {
                Some(own) => own.position = own.position.max(touch.position),
                None => self.touches.push(Touch { posting: 0, ..touch.clone() }),
            }
        }
    }
}

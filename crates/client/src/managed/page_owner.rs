//! Whose turn it is with managed memory. In the program's turn the program may have written to it.
//! In the device's turn its work may have changed it since the last query.

use crate::objects::streams::stream::{Stream, Trace};

/// Most streams whose work is distinguished. With more, all work counts as one.
const TOUCHES_MAX: usize = 64;

/// The turn of some managed memory.
pub struct PageOwner {
    /// Whether the program may have written since both sides were equal.
    pub program: bool,
    touches: Vec<Touch>,
    /// Whether there is work in unknown streams.
    anything: bool,
}

/// Work of a stream that may have changed the memory.
#[derive(Clone)]
struct Touch {
    stream: Trace,
    position: u64,
    /// Number of pieces that threads are posting now.
    posting: u32,
}

/// Work that a wait has shown to be done.
#[derive(Clone, Copy)]
pub enum Waited<'w> {
    /// Some work, perhaps all.
    Something,
    /// A stream's work up to a position.
    Stream(&'w Stream, u64),
    /// All work of a context, by its index, up to a position.
    Context(u16, u64),
}

impl Touch {
    /// Whether the wait may have shown some of this work.
    fn shows(&self, waited: Waited<'_>) -> bool {
        let Waited::Stream(stream, _) = waited else { return true };
        if stream.handle == 0 || stream.key() == self.stream.key {
            return true;
        }
        // Streams wait for each other by events, and for the legacy stream.
        let Some(context) = self.stream.context.upgrade() else { return true };
        let joined = self.stream.session.joined().max(context.legacy.position());
        self.position > 0 && joined >= self.position
    }

    /// Whether the wait has shown all of this work.
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

impl Default for PageOwner {
    fn default() -> PageOwner {
        PageOwner { program: true, touches: Vec::new(), anything: false }
    }
}

impl PageOwner {
    /// Begins work in a stream that may change the memory.
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

    /// Notes that the work was posted.
    pub fn end(&mut self, stream: &Stream, position: u64) {
        if let Some(touch) = self.touches.iter_mut().find(|touch| touch.stream.key == stream.key())
        {
            touch.posting = touch.posting.saturating_sub(1);
            touch.position = touch.position.max(position);
        }
    }

    /// Begins work in an unknown stream that may change the memory.
    pub fn begin_anywhere(&mut self) {
        self.anything = true;
        self.touches.clear();
    }

    /// Whether the wait may have shown changes.
    pub fn shows(&self, waited: Waited<'_>) -> bool {
        self.anything || self.touches.iter().any(|touch| touch.shows(waited))
    }

    /// Forgets the work that the wait has shown to be over, once its changes were taken in.
    pub fn forget_completed(&mut self, waited: Waited<'_>) {
        self.touches.retain(|touch| !touch.is_over(waited));
    }

    /// Adds the state of another turn. Work that is being posted now cannot concern memory that
    /// changes its turn meanwhile.
    pub fn take_over(&mut self, other: &PageOwner) {
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

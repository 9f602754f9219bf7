//! Whose turn it is to change managed memory. In the program's turn, the program may have written
//! to it. In the device's turn, device work may have changed it since the last query.

use crate::objects::streams::stream::{Stream, Trace};

/// Maximum number of streams whose work is tracked separately. With more, work is tracked as if in
/// unknown streams.
const TOUCHES_MAX: usize = 64;

/// Whose turn it is to change some managed memory.
pub struct PageOwner {
    /// Whether the program may have written since both sides had equal contents.
    pub program: bool,
    touches: Vec<Touch>,
    /// Whether work in unknown streams may have changed the memory.
    anything: bool,
}

/// A stream's work that may have changed the memory.
#[derive(Clone)]
struct Touch {
    stream: Trace,
    position: u64,
    /// Number of pieces of the work that threads are posting now.
    posting: u32,
}

/// Work that a wait covers.
#[derive(Clone, Copy)]
pub enum Waited<'w> {
    /// Some work, possibly all.
    Something,
    /// A stream's work up to a frame number.
    Stream(&'w Stream, u64),
    /// All work of a context, by index, up to a frame number.
    Context(u16, u64),
}

impl Touch {
    /// Returns whether the wait may cover some of this work.
    fn shows(&self, waited: Waited<'_>) -> bool {
        let Waited::Stream(stream, _) = waited else { return true };
        if stream.handle == 0 || stream.key() == self.stream.key {
            return true;
        }
        // Streams also wait for other streams, through events and the legacy stream.
        let Some(context) = self.stream.context.upgrade() else { return true };
        let joined = self.stream.session.joined().max(context.legacy.position());
        self.position > 0 && joined >= self.position
    }

    /// Returns whether the wait covers all of this work.
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
    /// Notes that work which may change the memory is about to be posted to a stream.
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

    /// Notes that work which may change the memory is about to be posted to an unknown stream.
    pub fn begin_anywhere(&mut self) {
        self.anything = true;
        self.touches.clear();
    }

    /// Returns whether the wait may have made changes visible.
    pub fn shows(&self, waited: Waited<'_>) -> bool {
        self.anything || self.touches.iter().any(|touch| touch.shows(waited))
    }

    /// Forgets work that the wait covers completely. The caller has received its changes.
    pub fn forget_completed(&mut self, waited: Waited<'_>) {
        self.touches.retain(|touch| !touch.is_over(waited));
    }

    /// Merges another turn into this one. Work that is being posted now is left out, because it
    /// cannot use memory whose turn is moved meanwhile.
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

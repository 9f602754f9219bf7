//! The session's work in the driver: how much of it is in progress, and how much of that calls the
//! program.

use crate::worker::driver::staging::Mark;
use crate::worker::memory::unmapping::Unmapping;
use outhaul_abi::Driver;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// Upper bound on pieces of work in the session's streams that are not known to be done. An H100
/// accepted 1,021 kernels. Events recorded next to them, for turns and for copies, count against
/// the driver's limit too.
const UNDER_WAY_MAX: usize = 256;
/// Number of pieces after which the session records a mark.
const PIECES_PER_MARK: usize = 64;

/// A stream, identified by its context's number and its handle.
pub type Key = (u16, u64);

/// The session's work in the driver.
#[derive(Default)]
pub struct Room {
    /// Whether the session has used a host function. Nothing is counted before the first one.
    pub calls_back: bool,
    streams: HashMap<Key, Tide>,
    /// Work of destroyed streams, which continues, with the number of the streams' context.
    orphans: Vec<(u16, Tide)>,
    under_way: Count,
    /// Pinned memory of captured copies that is being freed. The driver waits for the device before
    /// it frees such memory.
    pub freeing: Arc<Unmapping>,
    /// Functions launched since the first host function. The driver may block in a function's first
    /// launch, because it allocates the function's local memory.
    pub launched: HashSet<u64>,
}

/// Number of pieces of work, and how many of those pieces call the program.
#[derive(Clone, Copy, Default)]
struct Count {
    pieces: usize,
    calls: usize,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.pieces += other.pieces;
        self.calls += other.calls;
    }

    fn take(&mut self, other: Count) {
        self.pieces -= other.pieces;
        self.calls -= other.calls;
    }
}

/// The condition that a caller waits for.
#[derive(Clone, Copy)]
pub enum Until {
    /// There is room for one more piece.
    Room,
    /// No work is in progress.
    Empty,
    /// No work that calls the program is in progress.
    NoCalls,
}

/// One stream's work.
#[derive(Default)]
struct Tide {
    marks: VecDeque<(Count, Arc<Mark>)>,
    /// Work after the last mark.
    since: Count,
}

impl Room {
    /// Counts one piece of work in a stream. `calls_back` says whether the piece calls the program.
    pub fn count(&mut self, key: Key, calls_back: bool) {
        let piece = Count { pieces: 1, calls: calls_back.into() };
        self.streams.entry(key).or_default().since.add(piece);
        self.under_way.add(piece);
    }

    /// Returns whether the condition holds.
    pub fn has(&self, until: Until) -> bool {
        let Count { pieces, calls } = self.under_way;
        match until {
            Until::Room => pieces < UNDER_WAY_MAX,
            Until::Empty => pieces == 0,
            Until::NoCalls => calls == 0,
        }
    }

    /// Returns whether a mark is due after a stream's unmarked work, because there is much of it or
    /// it calls the program.
    pub fn is_due(&self, key: Key) -> bool {
        let is_due = |tide: &Tide| tide.since.pieces >= PIECES_PER_MARK || tide.since.calls > 0;
        self.streams.get(&key).is_some_and(is_due)
    }

    /// Returns whether a stream has work after its last mark.
    pub fn is_unmarked(&self, key: Key) -> bool {
        self.streams.get(&key).is_some_and(|tide| tide.since.pieces > 0)
    }

    /// Returns the streams that have work after their last mark.
    pub fn unmarked(&self) -> Vec<Key> {
        let unmarked = self.streams.iter().filter(|(_, tide)| tide.since.pieces > 0);
        unmarked.map(|(key, _)| *key).collect()
    }

    /// Enters `mark` after a stream's work so far. Returns false if `mark` is `None` or the stream
    /// has no work.
    pub fn enter_mark(&mut self, key: Key, mark: Option<Arc<Mark>>) -> bool {
        let (Some(mark), Some(tide)) = (mark, self.streams.get_mut(&key)) else {
            return false;
        };
        tide.marks.push_back((std::mem::take(&mut tide.since), mark));
        true
    }

    /// Forgets the work after a stream's last mark.
    pub fn forget_unmarked(&mut self, key: Key) {
        if let Some(tide) = self.streams.get_mut(&key) {
            self.under_way.take(std::mem::take(&mut tide.since));
        }
    }

    /// Notes that a stream is about to be destroyed. Its work continues. Returns whether the stream
    /// had work.
    pub fn leave_stream(&mut self, key: Key) -> bool {
        let tide = self.streams.remove(&key);
        let had_work = tide.is_some();
        self.orphans.extend(tide.map(|tide| (key.0, tide)));
        had_work
    }

    /// Forgets work that the device has completed.
    pub fn forget_passed(&mut self, driver: &Driver) {
        for tide in self.streams.values_mut().chain(self.orphans.iter_mut().map(|(_, tide)| tide)) {
            while let Some((count, _)) =
                tide.marks.pop_front_if(|(_, mark)| mark.status(driver).is_some())
            {
                self.under_way.take(count);
            }
        }
        self.streams.retain(|_, tide| !tide.is_empty());
        self.orphans.retain(|(_, tide)| !tide.is_empty());
    }

    /// Forgets a context that is being destroyed, and with it the context's marks.
    pub fn forget_context(&mut self, context: u16) {
        let streams = self.streams.extract_if(|key, _| key.0 == context).map(|(_, tide)| tide);
        let gone = streams
            .chain(self.orphans.extract_if(.., |(of, _)| *of == context).map(|(_, tide)| tide));
        for tide in gone {
            self.under_way.take(tide.since);
            tide.marks.iter().for_each(|(count, _)| self.under_way.take(*count));
        }
    }
}

impl Tide {
    fn is_empty(&self) -> bool {
        self.since.pieces == 0 && self.marks.is_empty()
    }
}

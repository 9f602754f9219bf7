//! Limits the work in the driver. NVIDIA's driver takes about a thousand pieces of work behind one
//! that is blocked, and of some graphs with host functions one launch. A further call blocks until
//! there is room, and so does every other call in the context, even a query of an event. Calls that
//! create or end modules, graphs and streams sometimes block too, until the context has done all
//! its work.
//!
//! A host function's exchange of memory makes such queries: what has been copied to the host by
//! now, and what managed memory contains. After work that waits for that very function, they would
//! deadlock. So the thread of commands waits before the driver would, and outside the driver.

use crate::worker::Worker;
use crate::worker::driver::staging::Mark;
use crate::worker::io::frame::{Incoming, Refusal};
use crate::worker::memory::unmapping::Closing;
use outhaul_abi::Driver;
use outhaul_abi::types::CUstream;
use outhaul_wire::codec::Message;
use outhaul_wire::effects::{self, effect};
use outhaul_wire::messages::GraphLaunch;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum pieces of work in the session's streams that are not known to be done. An H100 took
/// 1,021 kernels. Events next to them, for turns and for copies, take places too.
const UNDER_WAY_MAX: usize = 256;
/// Number of pieces after which a mark is recorded.
const PIECES_PER_MARK: usize = 64;
const PAUSE: Duration = Duration::from_micros(50);
/// Maximum wait. Then the driver gets the work anyway, because the streams may wait for a later
/// command.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// A stream, as the number of its context and its handle.
type Key = (u16, u64);

/// The work of the session in the driver.
#[derive(Default)]
pub struct Room {
    /// Whether the session has used a host function. Before the first one, nothing is counted.
    calls_back: bool,
    streams: HashMap<Key, Tide>,
    /// Work of destroyed streams, which continues, with the number of its context.
    orphans: Vec<(u16, Tide)>,
    under_way: Count,
    /// Pinned memory of captured copies that is being freed. The driver waits for the device before
    /// it frees it.
    pub freeing: Arc<Closing>,
    /// Functions that were launched since the first host function. The driver may block in a
    /// function's first launch, to make room for its local memory.
    launched: HashSet<u64>,
}

/// Number of pieces of work, and how many of them call the program.
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

/// The condition that a wait waits for.
#[derive(Clone, Copy)]
enum Until {
    /// There is room for one more piece.
    Room,
    /// No work is in progress.
    Empty,
    /// No work that calls the program is in progress.
    NoCalls,
}

/// The work of a stream.
#[derive(Default)]
struct Tide {
    marks: VecDeque<(Count, Arc<Mark>)>,
    /// Work after the last mark.
    since: Count,
}

impl Room {
    /// Forgets work that the device has passed.
    fn look(&mut self, driver: &Driver) {
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

    /// Forgets a context, whose marks end with it.
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

impl Worker {
    /// Counts the command as work in progress, and waits until there is room for it.
    pub fn find_room(&mut self, incoming: &Incoming<'_>) {
        let (op, body) = (incoming.op(), incoming.body());
        let calls_back = effects::calls_back(op, body);
        self.room.calls_back |= calls_back;
        if !self.room.calls_back {
            return;
        }
        if calls_back {
            // The driver frees pinned memory only after all work that the context has by then.
            self.segments.closing.wait_within(WAIT_MAX);
            self.room.freeing.wait_within(WAIT_MAX);
        }
        if effect(op).drains {
            self.let_calls_end();
        }
        let Some(stream) = effects::stream(op, body).filter(|_| effect(op).stands) else { return };
        self.mark_full(stream);
        // A graph with host functions may block in the driver after any work in progress.
        self.wait_until(if op == GraphLaunch::OP && calls_back {
            Until::Empty
        } else {
            Until::Room
        });
        let piece = Count { pieces: 1, calls: calls_back.into() };
        self.room.streams.entry((self.current, stream)).or_default().since.add(piece);
        self.room.under_way.add(piece);
    }

    /// Waits before a call that blocks in the driver until all its work is done, such as the end of
    /// an array or a module. It would deadlock after a host function that needs the driver.
    pub fn let_calls_end(&mut self) {
        if self.room.calls_back {
            self.wait_until(Until::NoCalls);
        }
    }

    /// Does the same as `let_calls_end`, for a call that another thread makes. It always waits,
    /// because later commands may give a host function a reason to query the driver.
    pub fn let_calls_pass(&mut self) {
        let since = Instant::now();
        while !self.calls_have_ended() && since.elapsed() < WAIT_MAX {
            std::thread::sleep(PAUSE);
        }
    }

    /// Returns whether no work that calls the program is in progress. Does not wait.
    pub fn calls_have_ended(&mut self) -> bool {
        if self.room.calls_back {
            self.mark_all();
            let Worker { room, driver, .. } = self;
            room.look(driver);
        }
        self.room.under_way.calls == 0
    }

    /// Notes that a function is about to be launched. Waits before its first launch.
    pub fn note_launch(&mut self, function: u64) {
        if self.room.calls_back && self.room.launched.insert(function) {
            self.let_calls_end();
        }
    }

    /// Forgets the launched functions when those of a module end, because their numbers may come
    /// again.
    pub fn forget_launches(&mut self) {
        self.room.launched.clear();
    }

    /// Records a mark after the stream's work so far, because no mark can be recorded while it
    /// captures.
    pub fn mark_before_capture(&mut self, stream: u64) {
        if self.room.streams.get(&(self.current, stream)).is_some_and(|tide| tide.since.pieces > 0)
        {
            self.mark((self.current, stream));
        }
    }

    /// Notes that a stream is about to be destroyed. Its handle may come again, and its work
    /// continues.
    pub fn leave_stream(&mut self, stream: u64) {
        self.mark_before_capture(stream);
        if let Some(tide) = self.room.streams.remove(&(self.current, stream)) {
            self.room.orphans.push((self.current, tide));
            // Otherwise short-lived streams would leave ever more work to track.
            let Worker { room, driver, .. } = self;
            room.look(driver);
        }
    }

    fn wait_until(&mut self, until: Until) {
        let since = Instant::now();
        while !self.has_come(until) && since.elapsed() < WAIT_MAX {
            self.mark_all();
            std::thread::sleep(PAUSE);
            let Worker { room, driver, .. } = self;
            room.look(driver);
        }
    }

    /// Returns whether the condition holds. It also does if no host function would query the
    /// driver.
    fn has_come(&self, until: Until) -> bool {
        let Count { pieces, calls } = self.room.under_way;
        let is_so = match until {
            Until::Room => pieces < UNDER_WAY_MAX,
            Until::Empty => pieces == 0,
            Until::NoCalls => calls == 0,
        };
        if is_so {
            return true;
        }
        if self.mirrors.asks_driver() {
            // If memory moves, exchanges of managed memory are commands, and a wait here would
            // block them.
            return self.moves_memory();
        }
        self.carrier.deliveries.is_idle()
    }

    /// Records a mark after the stream's work, if that is much or calls the program.
    fn mark_full(&mut self, stream: u64) {
        let is_due = |tide: &Tide| tide.since.pieces >= PIECES_PER_MARK || tide.since.calls > 0;
        if self.room.streams.get(&(self.current, stream)).is_some_and(is_due) {
            self.mark((self.current, stream));
            let Worker { room, driver, .. } = self;
            room.look(driver);
        }
    }

    /// Records marks after all work in progress, in every context.
    fn mark_all(&mut self) {
        let here = self.current;
        let unmarked = self.room.streams.iter().filter(|(_, tide)| tide.since.pieces > 0);
        for key in unmarked.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.enter_context(key.0);
            self.mark(key);
        }
        self.enter_context(here);
    }

    /// Records a mark. If that is not possible, the work no longer counts: captured work is not in
    /// progress, and a stream that has ended blocks no call.
    fn mark(&mut self, key: Key) {
        let raw = self.objects.stream(key.1);
        let marked =
            raw.is_ok_and(|raw| self.mark_behind(raw).is_ok_and(|mark| self.enter_mark(key, mark)));
        if !marked && let Some(tide) = self.room.streams.get_mut(&key) {
            self.room.under_way.take(std::mem::take(&mut tide.since));
        }
    }

    fn enter_mark(&mut self, key: Key, mark: Option<Arc<Mark>>) -> bool {
        let (Some(mark), Some(tide)) = (mark, self.room.streams.get_mut(&key)) else {
            return false;
        };
        tide.marks.push_back((std::mem::take(&mut tide.since), mark));
        true
    }

    /// Records a mark. Returns `None` if the stream captures.
    fn mark_behind(&self, stream: CUstream) -> Result<Option<Arc<Mark>>, Refusal> {
        if self.capturing(stream)?.is_some() {
            return Ok(None);
        }
        Ok(Some(Mark::behind(&self.carrier.staging, self.context()?, stream)?))
    }
}

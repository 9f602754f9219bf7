//! Room for work in the driver. NVIDIA's takes some thousand pieces of work behind one that stands,
//! and of some graphs with host functions one launch. What comes then waits in its call, and until
//! there is room every call of the context waits, too, be it a question for an event. So does what
//! makes or ends modules, graphs and streams now and then: it waits for all that the context was
//! given. A host function's turn asks such questions: what has been copied to the host by now, what
//! managed memory holds. Behind work that waits for that very function nobody would ever go on. So
//! the thread of commands waits before the driver would, and in no call of the driver's.

use super::Worker;
use super::closing::Closing;
use super::frame::{Incoming, Refusal};
use super::staging::Mark;
use outhaul_abi::Driver;
use outhaul_abi::types::CUstream;
use outhaul_wire::codec::Message;
use outhaul_wire::effects::{self, effect};
use outhaul_wire::messages::GraphLaunch;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Pieces of work in the session's streams that are not known to be done. An H100 took 1,021
/// kernels; events that stand beside them, for turns and for copies, take places too.
const UNDER_WAY_MAX: usize = 256;
/// A mark stands behind so many.
const PIECES_PER_MARK: usize = 64;
const PAUSE: Duration = Duration::from_micros(50);
/// Then the driver has it all the same: what the streams wait for may be a command to come.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// A stream, by the number of its context and its handle.
type Key = (u16, u64);

#[derive(Default)]
pub struct Room {
    /// Nothing is counted before the session's first host function.
    calls_back: bool,
    streams: HashMap<Key, Tide>,
    /// Of streams that were destroyed, whose work goes on: the context, and what each was given.
    orphans: Vec<(u16, Tide)>,
    under_way: Count,
    /// Pinned memory of captured copies on its way out: the driver waits for the device before it
    /// frees it.
    pub freeing: Arc<Closing>,
    /// Functions that the driver has launched since then. The first launch may have it make room
    /// for their local memory.
    launched: HashSet<u64>,
}

/// How many pieces of work, and how many of them call the program.
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

/// What is waited for.
#[derive(Clone, Copy)]
enum Until {
    /// There is room for one more piece.
    Room,
    /// Nothing is under way.
    Empty,
    /// Nothing that calls the program is under way.
    NoCalls,
}

/// What a stream was given.
#[derive(Default)]
struct Tide {
    marks: VecDeque<(Count, Arc<Mark>)>,
    /// Behind the last mark.
    since: Count,
}

impl Room {
    /// Forgets what the device has passed.
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

    /// Marks go with their context.
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
    /// Counts the command among the work under way, and waits until there is room for it.
    pub fn find_room(&mut self, incoming: &Incoming<'_>) {
        let (op, body) = (incoming.op(), incoming.body());
        let calls_back = effects::calls_back(op, body);
        self.room.calls_back |= calls_back;
        if !self.room.calls_back {
            return;
        }
        if calls_back {
            // The end of pinned memory waits in the driver for all that the context has by then.
            self.segments.closing.wait_within(WAIT_MAX);
            self.room.freeing.wait_within(WAIT_MAX);
        }
        if effect(op).drains {
            self.let_calls_end();
        }
        let Some(stream) = effects::stream(op, body).filter(|_| effect(op).stands) else { return };
        self.mark_full(stream);
        // A graph with host functions may wait in the driver behind any that is under way.
        self.wait_until(if op == GraphLaunch::OP && calls_back {
            Until::Empty
        } else {
            Until::Room
        });
        let piece = Count { pieces: 1, calls: calls_back.into() };
        self.room.streams.entry((self.current, stream)).or_default().since.add(piece);
        self.room.under_way.add(piece);
    }

    /// For what waits in the driver for all that it has, as the end of an array and of a module do:
    /// behind a host function that needs the driver nobody would go on.
    pub fn let_calls_end(&mut self) {
        if self.room.calls_back {
            self.wait_until(Until::NoCalls);
        }
    }

    /// As `let_calls_end`, for what another thread has the driver do: commands to come may give a
    /// host function's turn something to ask.
    pub fn let_calls_pass(&mut self) {
        let since = Instant::now();
        while !self.calls_have_ended() && since.elapsed() < WAIT_MAX {
            std::thread::sleep(PAUSE);
        }
    }

    /// Whether nothing that calls the program is under way. It waits for nothing.
    pub fn calls_have_ended(&mut self) -> bool {
        if self.room.calls_back {
            self.mark_all();
            let Worker { room, driver, .. } = self;
            room.look(driver);
        }
        self.room.under_way.calls == 0
    }

    /// A function is about to be launched.
    pub fn note_launch(&mut self, function: u64) {
        if self.room.calls_back && self.room.launched.insert(function) {
            self.let_calls_end();
        }
    }

    /// Functions of a module go, and their numbers may come again.
    pub fn forget_launches(&mut self) {
        self.room.launched.clear();
    }

    /// No mark can be put into a stream while it captures: one stands behind what it was given
    /// before.
    pub fn mark_before_capture(&mut self, stream: u64) {
        if self.room.streams.get(&(self.current, stream)).is_some_and(|tide| tide.since.pieces > 0)
        {
            self.mark((self.current, stream));
        }
    }

    /// The stream is about to be destroyed, and its handle comes again; its work goes on.
    pub fn leave_stream(&mut self, stream: u64) {
        self.mark_before_capture(stream);
        if let Some(tide) = self.room.streams.remove(&(self.current, stream)) {
            self.room.orphans.push((self.current, tide));
            // Streams that come and go would leave ever more behind.
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

    /// Or it does not matter: no host function's turn would ask the driver.
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
            // Where memory moves, turns of managed memory are commands: to wait here would keep
            // them from coming.
            return self.moves_memory();
        }
        self.carrier.deliveries.is_idle()
    }

    /// A mark behind what the stream was given, where that is much or calls the program.
    fn mark_full(&mut self, stream: u64) {
        let is_due = |tide: &Tide| tide.since.pieces >= PIECES_PER_MARK || tide.since.calls > 0;
        if self.room.streams.get(&(self.current, stream)).is_some_and(is_due) {
            self.mark((self.current, stream));
            let Worker { room, driver, .. } = self;
            room.look(driver);
        }
    }

    /// Behind all that is under way, in whatever context.
    fn mark_all(&mut self) {
        let here = self.current;
        let unmarked = self.room.streams.iter().filter(|(_, tide)| tide.since.pieces > 0);
        for key in unmarked.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.enter_context(key.0);
            self.mark(key);
        }
        self.enter_context(here);
    }

    /// What a capture took is not under way, and a stream that is gone keeps nobody.
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

    /// None in a stream that captures.
    fn mark_behind(&self, stream: CUstream) -> Result<Option<Arc<Mark>>, Refusal> {
        if self.capturing(stream)?.is_some() {
            return Ok(None);
        }
        Ok(Some(Mark::behind(&self.carrier.staging, self.context()?, stream)?))
    }
}

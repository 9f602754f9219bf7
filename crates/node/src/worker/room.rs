//! Room for work in the driver. NVIDIA's takes some thousand pieces of work behind one that stands, and of some graphs with host functions one launch. What comes then
//! waits in its call, and until there is room every call of the context waits, too, be it a question for an event. A host function's turn asks such questions: what has
//! been copied to the host by now, what managed memory holds. Behind work that waits for that very function nobody would ever go on. So the thread of commands waits for room
//! before the driver would, and in no call of the driver's.

use super::Worker;
use super::frame::{Incoming, Refusal};
use super::staging::Mark;
use outhaul_abi::Driver;
use outhaul_abi::types::CUstream;
use outhaul_wire::codec::Message;
use outhaul_wire::effects::{self, effect};
use outhaul_wire::messages::GraphLaunch;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Pieces of work in the session's streams that are not known to be done. An H100 took 1,021 kernels; events that stand beside them, for turns and for copies, take places too.
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
    under_way: usize,
}

/// What a stream was given.
#[derive(Default)]
struct Tide {
    marks: VecDeque<(usize, Arc<Mark>)>,
    /// Behind the last mark.
    since: usize,
}

impl Room {
    /// Forgets what the device has passed.
    fn look(&mut self, driver: &Driver) {
        for tide in self.streams.values_mut() {
            while let Some((pieces, _)) =
                tide.marks.pop_front_if(|(_, mark)| mark.status(driver).is_some())
            {
                self.under_way -= pieces;
            }
        }
        self.streams.retain(|_, tide| tide.since > 0 || !tide.marks.is_empty());
    }

    /// Marks go with their context.
    pub fn forget_context(&mut self, context: u16) {
        self.forget(|key| key.0 == context);
    }

    /// The stream is destroyed, and its handle comes again.
    pub fn forget_stream(&mut self, context: u16, stream: u64) {
        self.forget(|key| *key == (context, stream));
    }

    fn forget(&mut self, which: impl Fn(&Key) -> bool) {
        let gone = self.streams.extract_if(|key, _| which(key));
        self.under_way -= gone
            .map(|(_, tide)| {
                tide.since + tide.marks.iter().map(|(pieces, _)| pieces).sum::<usize>()
            })
            .sum::<usize>();
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
        }
        let Some(stream) = effects::stream(op, body).filter(|_| effect(op).stands) else { return };
        self.mark_full(stream);
        // A graph with host functions may wait in the driver behind any that is under way.
        self.wait_for_room(if op == GraphLaunch::OP && calls_back { 0 } else { UNDER_WAY_MAX - 1 });
        self.room.streams.entry((self.current, stream)).or_default().since += 1;
        self.room.under_way += 1;
    }

    /// For what waits in the driver for all that it has, as the end of an array and of a module do: behind a host function that needs the driver nobody would go on.
    pub fn let_driver_empty(&mut self) {
        if self.room.calls_back {
            self.wait_for_room(0);
        }
    }

    /// Until no more than so many pieces are under way, or it does not matter.
    fn wait_for_room(&mut self, under_way_max: usize) {
        let since = Instant::now();
        while !self.has_room(under_way_max) && since.elapsed() < WAIT_MAX {
            self.mark_all();
            std::thread::sleep(PAUSE);
            let Worker { room, driver, .. } = self;
            room.look(driver);
        }
    }

    /// A host function's turn that asks the driver may come at any time.
    fn has_room(&self, under_way_max: usize) -> bool {
        if self.room.under_way <= under_way_max {
            return true;
        }
        if self.mirrors.asks_driver() {
            // Where memory moves, turns of managed memory are commands: to wait here would keep them from coming.
            return self.moves_memory();
        }
        self.carrier.deliveries.is_idle()
    }

    /// A mark behind what the stream was given, where that is much.
    fn mark_full(&mut self, stream: u64) {
        if self
            .room
            .streams
            .get(&(self.current, stream))
            .is_some_and(|tide| tide.since >= PIECES_PER_MARK)
        {
            self.mark((self.current, stream));
            let Worker { room, driver, .. } = self;
            room.look(driver);
        }
    }

    /// Behind all that is under way in the streams of the present context.
    fn mark_all(&mut self) {
        let unmarked =
            self.room.streams.iter().filter(|(key, tide)| key.0 == self.current && tide.since > 0);
        for key in unmarked.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.mark(key);
        }
    }

    /// What a capture took is not under way, and a stream that is gone keeps nobody.
    fn mark(&mut self, key: Key) {
        let raw = self.objects.stream(key.1);
        let marked =
            raw.is_ok_and(|raw| self.mark_behind(raw).is_ok_and(|mark| self.enter_mark(key, mark)));
        if !marked && let Some(tide) = self.room.streams.get_mut(&key) {
            self.room.under_way -= std::mem::take(&mut tide.since);
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

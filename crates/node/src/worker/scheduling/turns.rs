//! The session's turns on the GPU's engines, as the node's arbiter grants them. While no other
//! session wants an engine, submitting work to it costs two reads of memory, and only samples of
//! the work are measured. Otherwise the predicted time of work in flight is limited, and all work
//! is measured. The session passes the turn on when the turn is up or no work is left.

mod engine;
mod thread_state;

use super::meter::{Meter, MeteredStream};
use super::work_estimate::Work;
use crate::sharing::scheduler_channel::{Note, NoteKind, SchedulerChannel};
use crate::worker::io::outbound::Outbound;
use crate::worker::io::threads;
use crate::worker::log::log;
use crate::worker::memory::residency::Residency;
use engine::{EngineSlot, Occupancy};
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUevent, CUstream};
use outhaul_lock::MutexGuard;
use outhaul_share::{Admission, Charge, Engine, InFlight, Obeyed, Order, Passing};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Length of a measured span while other sessions wait, in nanoseconds. It is short compared with a
/// turn and long compared with the cost of an event.
const SPAN_NS: u64 = 500_000;
/// Number of pieces in a span of a run. A run is a turn that is not limited by time.
const RUN_SPAN_PIECES: usize = 8;
/// Interval between two measured spans while no session waits. A span costs two events and a query
/// of the time between them.
const SAMPLE: Duration = Duration::from_millis(4);
/// Maximum predicted time of work in flight while other sessions exist but none waits, in
/// nanoseconds. A session that starts to want the engine may have to wait this long.
const KEPT_WINDOW_NS: u64 = 4_000_000;
/// Maximum time that a command waits for earlier work while other sessions exist but none waits.
const ROOM_WAIT_MAX: Duration = Duration::from_millis(20);
/// Maximum interval between two checks whether that work is done.
const ROOM_POLL_INTERVAL_MAX: Duration = Duration::from_micros(500);
/// Length of a measured span while other sessions exist but none waits, in nanoseconds.
const KEPT_SPAN_NS: u64 = 1_000_000;
/// Interval between two checks whether the command thread has finished a submission.
const INSIDE_POLL_INTERVAL: Duration = Duration::from_micros(20);

/// The session's turns on all engines.
pub struct Turns {
    shared: Arc<Shared>,
    devices: HashMap<CUcontext, u8>,
    /// The current command's context, and the context's device.
    place: Option<(CUcontext, u8)>,
    /// State that only the command thread uses, by slot.
    quick: Vec<Quick>,
    /// Whether any stream of the session captures. Meanwhile events are recorded only on a stream
    /// that was just found not to capture.
    capturing: bool,
}

struct Shared {
    driver: Arc<Driver>,
    control: SchedulerChannel,
    /// Time zero of the clock that the session's seats use.
    since: Instant,
    /// The devices' identities.
    identities: Vec<u64>,
    outbound: Arc<Outbound>,
    /// One slot for each engine of each device.
    slots: Vec<EngineSlot>,
    joint: AtomicBool,
    /// Residencies by device; empty unless memory may move.
    residencies: Vec<Arc<Residency>>,
}

#[derive(Clone, Default)]
struct Quick {
    /// The last piece's context and stream, and the number of harvests when the stream was noted.
    noted: Option<(CUcontext, u64, u64)>,
    /// Whether a span is open that measures the following pieces.
    open: bool,
    sampled_at: Option<Instant>,
    /// Number of measured pieces that the meter does not know yet.
    measured: usize,
    /// Number of unmeasured pieces that the meter does not know yet.
    unmeasured: u64,
    /// Predicted time of pieces that the meter does not know yet, in nanoseconds.
    unreported_ns: u64,
    /// Mean time of a piece as the meter last reported it, in nanoseconds.
    piece_ns: u64,
    /// The last measured piece, if its span is open, and the credit for more of its kind.
    repeat: Option<(Repeatable, Credit)>,
}

/// The context, stream and kind of a piece. Pieces that share these are alike.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Repeatable {
    context: CUcontext,
    /// The client's handle for the stream.
    stream: u64,
    key: u64,
    predicted_ns: u64,
}

/// How much work like the last piece may be submitted in its span without asking the seat.
#[derive(Clone, Copy)]
struct Credit {
    /// Number of orders that the seat had obeyed. Another order ends the credit.
    orders: u64,
    /// Predicted time of that work, in nanoseconds.
    left_ns: u64,
}

/// An admitted command that has not been executed yet.
#[derive(Clone, Copy, Default)]
pub enum Entry {
    /// A command that is not work, or work that is not executed now.
    #[default]
    None,
    /// Work admitted while no other session wants the engine.
    Free { slot: usize },
    /// Work that a span measures.
    Watched { slot: usize, key: u64, predicted_ns: u64 },
    /// Work like the piece before, in the same span.
    Repeated { slot: usize },
    /// A command without measured work. The session keeps the turn until the command has been
    /// executed.
    Held { slot: usize, free: bool },
}

impl Entry {
    /// Returns whether the command is work for an engine.
    pub fn is_work(self) -> bool {
        matches!(self, Entry::Free { .. } | Entry::Watched { .. } | Entry::Repeated { .. })
    }
}

impl Turns {
    /// Starts the threads that obey the listener and evict memory.
    pub fn start(
        driver: Arc<Driver>,
        control: SchedulerChannel,
        identities: &[u64],
        outbound: Arc<Outbound>,
        residencies: Vec<Arc<Residency>>,
    ) -> Turns {
        let devices = identities.len();
        let slot = |i: usize| {
            EngineSlot::new((i / Engine::ALL.len()) as u8, Engine::ALL[i % Engine::ALL.len()])
        };
        let slots: Vec<EngineSlot> = (0..devices * Engine::ALL.len()).map(slot).collect();
        let quick = vec![Quick::default(); slots.len()];
        // If memory may move, copies always take turns together with kernels. The listener's
        // message about that may arrive only after the first commands.
        let joint = AtomicBool::new(!residencies.is_empty());
        let identities = identities.to_vec();
        let shared = Arc::new(Shared {
            driver,
            control,
            since: Instant::now(),
            identities,
            outbound,
            slots,
            joint,
            residencies,
        });
        let _ = shared.control.send(&shared.devices());
        let (listening, evicting) = (shared.clone(), shared.clone());
        let (order, orders) = channel();
        threads::start("turns", move || listening.listen(&order));
        threads::start("evict", move || evicting.evict(&orders));
        Turns { shared, devices: HashMap::new(), place: None, quick, capturing: false }
    }

    /// Notes a context and its device.
    pub fn know_context(&mut self, context: CUcontext, device: i32) {
        self.shared
            .residencies
            .get(device as usize)
            .into_iter()
            .for_each(|residency| residency.know_context(context));
        self.devices.insert(context, device as u8);
    }

    /// Notes the context of the current command.
    pub fn enter_context(&mut self, context: CUcontext) {
        self.place = self.devices.get(&context).map(|device| (context, *device));
    }

    /// Returns the current context and its device.
    pub fn place(&self) -> Option<(CUcontext, u8)> {
        self.place
    }

    /// Notes that the turn began with a move of memory that took `took`. The move's time does not
    /// count as time of the work that follows.
    pub fn note_move(
        &self,
        device: u8,
        entry: Entry,
        stream: impl FnOnce() -> Option<CUstream>,
        took: Duration,
    ) {
        for slot in self.shared.slots.iter().filter(|slot| slot.device == device) {
            slot.lock().seat.moved(self.shared.now_ns(), took.as_nanos() as u64);
        }
        if let (Entry::Watched { slot, .. }, Some((context, _)), Some(stream)) =
            (entry, self.place, stream())
        {
            let meter = &mut self.shared.slots[slot].lock().meter;
            meter.forget_empty();
            meter.begin(&self.shared.driver, MeteredStream { context, stream });
        }
    }

    /// Withdraws an admitted command, so that other sessions go first. Returns whether another
    /// session wants the engine.
    pub fn step_back(&mut self, entry: Entry) -> bool {
        let (Entry::Free { slot: index }
        | Entry::Watched { slot: index, .. }
        | Entry::Repeated { slot: index }
        | Entry::Held { slot: index, .. }) = entry
        else {
            return false;
        };
        if let Entry::Free { .. } | Entry::Repeated { .. } = entry {
            self.quick[index].take_back();
        }
        let (slot, quick) = (&self.shared.slots[index], &mut self.quick[index]);
        slot.inside.store(false, Release);
        let mut held = slot.lock();
        quick.flush_to(&mut held.meter);
        held.meter.forget_empty();
        quick.open &= held.meter.is_open();
        drop(held);
        self.rest_on(index);
        let mut held = self.shared.slots[index].lock();
        let contended = held.seat.step_back();
        self.shared.slots[index].notify();
        contended
    }

    /// Notes whether a capture is in progress.
    pub fn mind_captures(&mut self, capturing: bool) {
        if capturing && !self.capturing {
            self.rest();
            for (slot, quick) in self.shared.slots.iter().zip(&mut self.quick) {
                slot.lock().meter.forget_streams();
                quick.noted = None;
            }
        }
        self.capturing = capturing;
    }

    /// Returns one of the session's contexts on `device`.
    pub fn context_of(&self, device: u8) -> Option<CUcontext> {
        self.devices.iter().find(|(_, of)| **of == device).map(|(context, _)| *context)
    }

    /// Returns the device of a context.
    pub fn device_of(&self, context: CUcontext) -> Option<u8> {
        self.devices.get(&context).copied()
    }

    fn slot(&self, device: u8, engine: Engine) -> Option<usize> {
        let engine = if self.shared.joint.load(Relaxed) { Engine::Compute } else { engine };
        let slot = usize::from(device) * Engine::ALL.len() + engine as usize;
        (slot < self.quick.len()).then_some(slot)
    }

    /// Keeps the session's turn on `device` during a command that is not work for the device now.
    pub fn hold(&mut self, device: u8) -> Entry {
        let Some(index) = self.slot(device, Engine::Compute) else { return Entry::None };
        let slot = &self.shared.slots[index];
        slot.inside.store(true, SeqCst);
        let free = slot.free.load(SeqCst);
        if !free {
            slot.inside.store(false, Release);
            self.rest_others(index);
            self.shared.stay(index);
        }
        Entry::Held { slot: index, free }
    }

    /// Admits work for `device` once the session has the turn. Calls `describe` and `stream`, which
    /// finds the stream with the client's handle, only if reading the slot's flags does not
    /// suffice.
    pub fn enter(
        &mut self,
        device: u8,
        engine: Engine,
        describe: impl Fn() -> Option<Work>,
        stream: impl Fn(u64) -> Option<CUstream>,
    ) -> Entry {
        let Some((context, _)) = self.place else { return Entry::None };
        let Some(index) = self.slot(device, engine) else { return Entry::None };
        if engine != Engine::Compute {
            // A copy may wait for the network, and the session must not hold another turn
            // meanwhile.
            self.rest();
        }
        let slot = &self.shared.slots[index];
        slot.inside.store(true, SeqCst);
        let find = || stream(describe()?.stream);
        if slot.free.load(SeqCst) && self.pass(index, context, find) {
            return Entry::Free { slot: index };
        }
        let Some(work) = describe() else {
            self.shared.slots[index].inside.store(false, Release);
            return Entry::None;
        };
        let orders = self.shared.slots[index].orders.load(SeqCst);
        if self.quick[index].repeats(context, &work, orders) {
            return Entry::Repeated { slot: index };
        }
        self.shared.slots[index].inside.store(false, Release);
        let Some(stream) = stream(work.stream) else { return Entry::None };
        self.rest_others(index);
        let quick = &mut self.quick[index];
        quick.flush_to(&mut self.shared.slots[index].lock().meter);
        (quick.open, quick.noted, quick.repeat) = (true, None, None);
        self.shared.admit(index, &work, MeteredStream { context, stream })
    }

    /// Admits work while no other session wants the engine, and measures a span now and then.
    /// Returns false if another session wants the engine by now.
    fn pass(
        &mut self,
        index: usize,
        context: CUcontext,
        stream: impl Fn() -> Option<CUstream>,
    ) -> bool {
        let quick = &mut self.quick[index];
        quick.unreported_ns += quick.piece_ns;
        let now = Instant::now();
        let company = self.shared.slots[index].sessions() > 1;
        let due = company && quick.unreported_ns >= KEPT_SPAN_NS
            || quick.sampled_at.is_none_or(|at| now.duration_since(at) >= SAMPLE);
        if due
            && !self.capturing
            && let Some(stream) = stream()
        {
            let slot = &self.shared.slots[index];
            let mut held = slot.lock();
            quick.flush_to(&mut held.meter);
            if quick.open {
                self.shared.end_spans(&mut held.meter, Some(context));
            }
            (quick.open, quick.noted, quick.repeat) = (false, None, None);
            let Some(mut held) = self.shared.await_room(slot, held) else { return false };
            held.meter.begin(&self.shared.driver, MeteredStream { context, stream });
            (quick.open, quick.sampled_at, quick.piece_ns) =
                (true, Some(now), held.meter.piece_ns());
        }
        if quick.open {
            quick.measured += 1;
        } else {
            quick.unmeasured += 1;
        }
        true
    }

    /// Ends the admission of an executed command. `handle` and `stream` name its stream.
    pub fn leave(&mut self, entry: Entry, handle: u64, stream: impl FnOnce() -> Option<CUstream>) {
        let (index, watched) = match entry {
            Entry::None => return,
            Entry::Free { slot } => (slot, None),
            Entry::Repeated { slot } => {
                return self.shared.slots[slot].inside.store(false, Release);
            }
            Entry::Watched { slot, key, predicted_ns } => (slot, Some((key, predicted_ns))),
            Entry::Held { slot, free: true } => {
                return self.shared.slots[slot].inside.store(false, Release);
            }
            Entry::Held { slot, free: false } => {
                return self.shared.slots[slot].finish_unmeasured();
            }
        };
        let Some((context, _)) = self.place else { return };
        let (slot, quick) = (&self.shared.slots[index], &mut self.quick[index]);
        if let Some((key, predicted_ns)) = watched {
            let place = stream().map(|stream| MeteredStream { context, stream });
            let credit = self.shared.watch(slot, key, predicted_ns, place, self.capturing);
            quick.open = credit.is_some();
            let piece = Repeatable { context, stream: handle, key, predicted_ns };
            quick.repeat = credit.map(|credit| (piece, credit));
            return;
        }
        let noted = Some((context, handle, slot.harvests.load(Acquire)));
        if quick.noted != noted && !self.capturing {
            stream()
                .into_iter()
                .for_each(|stream| slot.lock().meter.note(MeteredStream { context, stream }));
            quick.noted = noted;
        }
        slot.inside.store(false, Release);
    }

    /// Ends the open spans, because no more commands have arrived or the next command is not work.
    pub fn rest(&mut self) {
        (0..self.quick.len()).for_each(|index| self.rest_on(index));
    }

    /// Passes on every other turn before this session waits for one, so that no two sessions
    /// deadlock. A session could even wait for itself: once copies take turns together with
    /// kernels, two of its slots are in one queue. A command that needs several turns takes them in
    /// device order.
    fn rest_others(&mut self, index: usize) {
        for other in (0..self.quick.len()).filter(|other| *other != index) {
            if self.quick[other].open && !self.shared.slots[other].lock().seat.is_entering() {
                self.rest_on(other);
            }
        }
    }

    fn rest_on(&mut self, index: usize) {
        let (slot, quick) = (&self.shared.slots[index], &mut self.quick[index]);
        if !quick.open {
            return;
        }
        let held = &mut *slot.lock();
        quick.flush_to(&mut held.meter);
        self.shared.end_spans(&mut held.meter, self.place.map(|place| place.0));
        (quick.open, quick.noted, quick.repeat) = (false, None, None);
        if !slot.free.load(Relaxed) {
            slot.notify();
        }
    }

    /// Forgets a stream that is about to be destroyed.
    pub fn forget_stream(&mut self, stream: CUstream) {
        self.rest();
        for (slot, quick) in self.shared.slots.iter().zip(&mut self.quick) {
            slot.lock().meter.forget_stream(stream);
            quick.noted = None;
        }
    }

    /// Forgets a context that is about to be destroyed. Blocks until no thread waits for the
    /// context's events.
    pub fn forget_context(&mut self, context: CUcontext) {
        self.rest();
        for (slot, quick) in self.shared.slots.iter().zip(&mut self.quick) {
            let mut held = slot.lock();
            while held.watching || held.meter.holds(context) {
                if held.keeper {
                    slot.notify();
                    held = slot.wait(held);
                } else {
                    let oldest = held.meter.oldest();
                    oldest.into_iter().for_each(|(_, ends)| self.shared.wait_for(&ends));
                    held.meter.used_ns += held.meter.finish_oldest(&self.shared.driver);
                }
            }
            held.meter.forget_context(context);
            quick.noted = None;
        }
        self.shared.residencies.iter().for_each(|residency| residency.forget_context(context));
        self.devices.remove(&context);
        self.place = self.place.filter(|place| place.0 != context);
    }

    /// Sends the final report of the session's use.
    pub fn finish(&mut self) {
        for (slot, quick) in self.shared.slots.iter().zip(&mut self.quick) {
            quick.flush_to(&mut slot.lock().meter);
        }
        self.shared.report(0);
    }
}

impl Quick {
    /// Takes the credit for one more piece like the last. Returns false without enough credit.
    fn repeats(&mut self, context: CUcontext, work: &Work, orders: u64) -> bool {
        let Some((piece, credit)) = &mut self.repeat else { return false };
        let like = Repeatable { context, stream: work.stream, key: work.key, ..*piece };
        let left_ns = credit.left_ns.checked_sub(piece.predicted_ns);
        let (true, Some(left_ns)) = (*piece == like && credit.orders == orders, left_ns) else {
            return false;
        };
        credit.left_ns = left_ns;
        self.measured += 1;
        self.unreported_ns += piece.predicted_ns;
        true
    }

    /// Removes the last piece from the counts, because it was not submitted.
    fn take_back(&mut self) {
        if self.open {
            self.measured = self.measured.saturating_sub(1);
        } else {
            self.unmeasured = self.unmeasured.saturating_sub(1);
        }
        self.unreported_ns = self.unreported_ns.saturating_sub(self.piece_ns);
    }

    fn flush_to(&mut self, meter: &mut Meter) {
        meter.count(std::mem::take(&mut self.measured), std::mem::take(&mut self.unreported_ns));
        meter.estimate(std::mem::take(&mut self.unmeasured));
    }
}

#[cfg(test)]
mod tests;

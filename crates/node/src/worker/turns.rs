//! The session's turns on the GPU's engines, as the node's arbiter gives them. While nobody else
//! wants an engine, work for it passes with two looks at memory, and is measured now and then.
//! Otherwise work in flight is bounded by the time that it is predicted to take, all of it is
//! measured, and the turn is passed on when it is up or there is no more work.

mod shared;
mod slot;

use super::meter::{Meter, Place};
use super::outbound::Outbound;
use super::output::log;
use super::residency::Residency;
use super::threads;
use super::work::Work;
use crate::control::{Control, Note, Word};
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUevent, CUstream};
use outhaul_lock::MutexGuard;
use outhaul_share::{Admission, Charge, Engine, InFlight, Obeyed, Order, Passing};
use slot::{Occupancy, Slot};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Measured together while others wait: short beside a turn, long beside what an event costs.
const SPAN_NS: u64 = 500_000;
/// The pieces of a span in a run, which knows no times.
const RUN_SPAN_PIECES: usize = 8;
/// While nobody waits, one span is measured in this time: it costs two events, and what their times
/// are.
const SAMPLE: Duration = Duration::from_millis(4);
/// While nobody waits but other sessions are there, work is predicted to be in flight for this long
/// at most: what somebody who comes may have to wait for. It is measured in pieces of this length
/// then.
const KEPT_WINDOW_NS: u64 = 4_000_000;
const KEPT_SPAN_NS: u64 = 1_000_000;
const INSIDE_LOOK: Duration = Duration::from_micros(20);

pub struct Turns {
    shared: Arc<Shared>,
    devices: HashMap<CUcontext, u8>,
    /// Of the current command's context.
    place: Option<(CUcontext, u8)>,
    /// By slot: what only the thread of commands knows.
    quick: Vec<Quick>,
    /// A stream of the session captures: events are recorded on no stream but one that was just
    /// seen not to.
    capturing: bool,
}

struct Shared {
    driver: Arc<Driver>,
    control: Control,
    /// When the clock of the session's seats began.
    since: Instant,
    /// Of the devices.
    identities: Vec<u64>,
    outbound: Arc<Outbound>,
    /// One for each engine of each device.
    slots: Vec<Slot>,
    joint: AtomicBool,
    /// By device, whether other sessions use it too.
    company: Vec<AtomicBool>,
    /// By device, where memory may move.
    residencies: Vec<Arc<Residency>>,
}

#[derive(Clone, Default)]
struct Quick {
    /// The stream that the last piece went to, and the harvest in which that was noted.
    noted: Option<(CUcontext, u64, u64)>,
    /// A span is open: its pieces are measured with it.
    open: bool,
    sampled_at: Option<Instant>,
    /// Pieces that the meter has not heard of, and how long they are predicted to take.
    measured: usize,
    unmeasured: u64,
    untold_ns: u64,
    /// What a piece takes, as the meter said last.
    piece_ns: u64,
}

/// A command that was let in, until it has been carried out.
#[derive(Clone, Copy, Default)]
pub enum Entry {
    /// No work, or work that is not done now.
    #[default]
    None,
    Free {
        slot: usize,
    },
    Watched {
        slot: usize,
        key: u64,
        predicted_ns: u64,
    },
    /// Nothing that is measured: the turn is there until the command has been carried out.
    Held {
        slot: usize,
        free: bool,
    },
}

impl Entry {
    pub fn is_work(self) -> bool {
        matches!(self, Entry::Free { .. } | Entry::Watched { .. })
    }
}

impl Turns {
    pub fn start(
        driver: Arc<Driver>,
        control: Control,
        identities: &[u64],
        outbound: Arc<Outbound>,
        residencies: Vec<Arc<Residency>>,
    ) -> Turns {
        let devices = identities.len();
        let slot =
            |i: usize| Slot::new((i / Engine::ALL.len()) as u8, Engine::ALL[i % Engine::ALL.len()]);
        let slots: Vec<Slot> = (0..devices * Engine::ALL.len()).map(slot).collect();
        let quick = vec![Quick::default(); slots.len()];
        let company = (0..devices).map(|_| AtomicBool::new(false)).collect();
        // Where memory may move it is never otherwise, and what the listener says of it may come
        // behind the first commands.
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
            company,
            residencies,
        });
        let _ = shared.control.send(&shared.devices());
        let (listening, evicting) = (shared.clone(), shared.clone());
        let (order, orders) = channel();
        threads::start("turns", move || listening.listen(&order));
        threads::start("evict", move || evicting.evict(&orders));
        Turns { shared, devices: HashMap::new(), place: None, quick, capturing: false }
    }

    pub fn know_context(&mut self, context: CUcontext, device: i32) {
        self.shared
            .residencies
            .get(device as usize)
            .into_iter()
            .for_each(|residency| residency.know_context(context));
        self.devices.insert(context, device as u8);
    }

    pub fn enter_context(&mut self, context: CUcontext) {
        self.place = self.devices.get(&context).map(|device| (context, *device));
    }

    /// Of the current context.
    pub fn place(&self) -> Option<(CUcontext, u8)> {
        self.place
    }

    /// The turn has begun with so long a move, which is no part of the work that follows.
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
            meter.begin(&self.shared.driver, Place { context, stream });
        }
    }

    /// The command that was let in is not carried out now: others go first. Gives whether somebody
    /// else wants an engine.
    pub fn step_back(&mut self, entry: Entry) -> bool {
        let (Entry::Free { slot: index }
        | Entry::Watched { slot: index, .. }
        | Entry::Held { slot: index, .. }) = entry
        else {
            return false;
        };
        if let Entry::Free { .. } = entry {
            self.quick[index].take_back();
        }
        let (slot, quick) = (&self.shared.slots[index], &mut self.quick[index]);
        slot.inside.store(false, Release);
        let mut held = slot.lock();
        quick.tell(&mut held.meter);
        held.meter.forget_empty();
        quick.open &= held.meter.is_open();
        drop(held);
        self.rest_on(index);
        let mut held = self.shared.slots[index].lock();
        let contended = held.seat.step_back();
        self.shared.slots[index].tell();
        contended
    }

    /// From a capture's beginning until none is left.
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

    /// A context of the device, if the session has one.
    pub fn context_of(&self, device: u8) -> Option<CUcontext> {
        self.devices.iter().find(|(_, of)| **of == device).map(|(context, _)| *context)
    }

    pub fn device_of(&self, context: CUcontext) -> Option<u8> {
        self.devices.get(&context).copied()
    }

    fn slot(&self, device: u8, engine: Engine) -> Option<usize> {
        let engine = if self.shared.joint.load(Relaxed) { Engine::Compute } else { engine };
        let slot = usize::from(device) * Engine::ALL.len() + engine as usize;
        (slot < self.quick.len()).then_some(slot)
    }

    /// Has the session keep its turn on a device while a command is carried out that is no work for
    /// it now.
    pub fn hold(&mut self, device: u8) -> Entry {
        let Some(index) = self.slot(device, Engine::Compute) else { return Entry::None };
        let slot = &self.shared.slots[index];
        slot.inside.store(true, SeqCst);
        let free = slot.free.load(SeqCst);
        if !free {
            slot.inside.store(false, Release);
            self.rest_beside(index);
            self.shared.stay(index);
        }
        Entry::Held { slot: index, free }
    }

    /// Lets work for a device in, when it is the session's turn there. `describe` is asked only
    /// where more than a look is needed.
    pub fn enter(
        &mut self,
        device: u8,
        engine: Engine,
        describe: impl Fn() -> Option<(Work, CUstream)>,
    ) -> Entry {
        let Some((context, _)) = self.place else { return Entry::None };
        let Some(index) = self.slot(device, engine) else { return Entry::None };
        if engine != Engine::Compute {
            // A copy may wait for the network. No other turn is to be held meanwhile.
            self.rest();
        }
        let slot = &self.shared.slots[index];
        slot.inside.store(true, SeqCst);
        if slot.free.load(SeqCst) && self.pass(index, context, &describe) {
            return Entry::Free { slot: index };
        }
        self.shared.slots[index].inside.store(false, Release);
        let Some((work, stream)) = describe() else { return Entry::None };
        self.rest_beside(index);
        let quick = &mut self.quick[index];
        quick.tell(&mut self.shared.slots[index].lock().meter);
        (quick.open, quick.noted) = (true, None);
        self.shared.admit(index, &work, Place { context, stream })
    }

    /// Nobody else wants the engine. Every now and then a span is measured. Gives whether that is
    /// still so.
    fn pass(
        &mut self,
        index: usize,
        context: CUcontext,
        describe: impl Fn() -> Option<(Work, CUstream)>,
    ) -> bool {
        let quick = &mut self.quick[index];
        quick.untold_ns += quick.piece_ns;
        let now = Instant::now();
        let company = self.shared.has_company(&self.shared.slots[index]);
        let due = company && quick.untold_ns >= KEPT_SPAN_NS
            || quick.sampled_at.is_none_or(|at| now.duration_since(at) >= SAMPLE);
        if due
            && !self.capturing
            && let Some((_, stream)) = describe()
        {
            let slot = &self.shared.slots[index];
            let mut held = slot.lock();
            quick.tell(&mut held.meter);
            if quick.open {
                self.shared.end_spans(&mut held.meter, Some(context));
            }
            (quick.open, quick.noted) = (false, None);
            let Some(mut held) = self.shared.await_room(slot, held) else { return false };
            held.meter.begin(&self.shared.driver, Place { context, stream });
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

    /// The command has been carried out, on the stream of this handle.
    pub fn leave(&mut self, entry: Entry, handle: u64, stream: impl FnOnce() -> Option<CUstream>) {
        let (index, watched) = match entry {
            Entry::None => return,
            Entry::Free { slot } => (slot, None),
            Entry::Watched { slot, key, predicted_ns } => (slot, Some((key, predicted_ns))),
            Entry::Held { slot, free: true } => {
                return self.shared.slots[slot].inside.store(false, Release);
            }
            Entry::Held { slot, free: false } => return self.shared.slots[slot].let_go(),
        };
        let Some((context, _)) = self.place else { return };
        let (slot, quick) = (&self.shared.slots[index], &mut self.quick[index]);
        if let Some((key, predicted_ns)) = watched {
            let place = stream().map(|stream| Place { context, stream });
            quick.open = self.shared.watch(slot, key, predicted_ns, place, self.capturing);
            return;
        }
        let noted = Some((context, handle, slot.harvests.load(Acquire)));
        if quick.noted != noted && !self.capturing {
            stream()
                .into_iter()
                .for_each(|stream| slot.lock().meter.note(Place { context, stream }));
            quick.noted = noted;
        }
        slot.inside.store(false, Release);
    }

    /// No more commands are there, or what follows is no work: what was measured so far is a span
    /// of its own.
    pub fn rest(&mut self) {
        (0..self.quick.len()).for_each(|index| self.rest_on(index));
    }

    /// Releases every other turn before this session waits for one, so that no two sessions wait
    /// for each other. A session could wait for itself too: once copies take turns together with
    /// kernels, two of its slots are in one queue. A command that needs several turns takes them in
    /// device order.
    fn rest_beside(&mut self, index: usize) {
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
        quick.tell(&mut held.meter);
        self.shared.end_spans(&mut held.meter, self.place.map(|place| place.0));
        (quick.open, quick.noted) = (false, None);
        if !slot.free.load(Relaxed) {
            slot.tell();
        }
    }

    /// The stream is about to be destroyed.
    pub fn forget_stream(&mut self, stream: CUstream) {
        self.rest();
        for (slot, quick) in self.shared.slots.iter().zip(&mut self.quick) {
            slot.lock().meter.forget_stream(stream);
            quick.noted = None;
        }
    }

    /// The context is about to be destroyed: none of its events is waited for any more.
    pub fn forget_context(&mut self, context: CUcontext) {
        self.rest();
        for (slot, quick) in self.shared.slots.iter().zip(&mut self.quick) {
            let mut held = slot.lock();
            while held.watching || held.meter.holds(context) {
                if held.keeper {
                    slot.tell();
                    held = slot.wait(held);
                } else {
                    let oldest = held.meter.oldest();
                    oldest.into_iter().for_each(|(_, ends)| self.shared.wait_for(&ends));
                    held.meter.used_ns += held.meter.settle(&self.shared.driver);
                }
            }
            held.meter.forget_context(context);
            quick.noted = None;
        }
        self.shared.residencies.iter().for_each(|residency| residency.forget_context(context));
        self.devices.remove(&context);
        self.place = self.place.filter(|place| place.0 != context);
    }

    /// The session ends: the last account of what it has used.
    pub fn finish(&mut self) {
        for (slot, quick) in self.shared.slots.iter().zip(&mut self.quick) {
            quick.tell(&mut slot.lock().meter);
        }
        self.shared.report(0);
    }
}

impl Quick {
    /// The last piece was counted and is not submitted.
    fn take_back(&mut self) {
        if self.open {
            self.measured = self.measured.saturating_sub(1);
        } else {
            self.unmeasured = self.unmeasured.saturating_sub(1);
        }
        self.untold_ns = self.untold_ns.saturating_sub(self.piece_ns);
    }

    fn tell(&mut self, meter: &mut Meter) {
        meter.count(std::mem::take(&mut self.measured), std::mem::take(&mut self.untold_ns));
        meter.estimate(std::mem::take(&mut self.unmeasured));
    }
}

#[cfg(test)]
mod tests;

//! The session's turns on the GPU's engines, as the node's arbiter gives them. While nobody else wants an engine, work for it passes with two
//! looks at memory, and is measured now and then. Otherwise work in flight is bounded by the time that it is predicted to take, all of it is
//! measured, and the turn is passed on when it is up or there is no more work.

mod slot;

use super::meter::{Meter, Place};
use super::outbound::Outbound;
use super::output::log;
use super::residency::Residency;
use super::threads;
use super::work::Work;
use crate::arbiter::{Engine, GRACE_NS, TURN_TIMES_MOVED, Term, UNUSED_NS_MAX};
use crate::control::{Control, Grant, Note, Word};
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUevent, CUstream};
use slot::{Seat, Slot, Turn};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

/// Measured together while others wait: short beside a turn, long beside what an event costs.
const SPAN_NS: u64 = 500_000;
/// The pieces of a span in a run, which knows no times.
const RUN_SPAN_PIECES: usize = 8;
/// While nobody waits, one span is measured in this time: it costs two events, and what their times are.
const SAMPLE: Duration = Duration::from_millis(4);
/// While nobody waits but other sessions are there, work is predicted to be in flight for this long at most: what somebody who comes may have to
/// wait for. It is measured in pieces of this length then.
const KEPT_WINDOW_NS: u64 = 4_000_000;
const KEPT_SPAN_NS: u64 = 1_000_000;
const GRACE: Duration = Duration::from_nanos(GRACE_NS);
/// Charges are gathered up to this much.
const CHARGE_NS: u64 = 2_000_000;
const INSIDE_LOOK: Duration = Duration::from_micros(20);

pub struct Turns {
    shared: Arc<Shared>,
    devices: HashMap<CUcontext, u8>,
    /// Of the current command's context.
    place: Option<(CUcontext, u8)>,
    /// By slot: what only the thread of commands knows.
    quick: Vec<Quick>,
    /// A stream of the session captures: events are recorded on no stream but one that was just seen not to.
    capturing: bool,
}

struct Shared {
    driver: Arc<Driver>,
    control: Control,
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
        // Where memory may move it is never otherwise, and what the listener says of it may come behind the first commands.
        let joint = AtomicBool::new(!residencies.is_empty());
        let shared =
            Arc::new(Shared { driver, control, outbound, slots, joint, company, residencies });
        let device = |(i, identity): (usize, &u64)| {
            Note::new(Word::Device, i as u8, Engine::Compute, *identity)
        };
        let _ = shared.control.send(&identities.iter().enumerate().map(device).collect::<Vec<_>>());
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
            let mut seat = slot.lock();
            seat.moved += took;
            seat.stays_until = Some(Instant::now() + took * TURN_TIMES_MOVED);
        }
        if let (Entry::Watched { slot, .. }, Some((context, _)), Some(stream)) =
            (entry, self.place, stream())
        {
            let meter = &mut self.shared.slots[slot].lock().meter;
            meter.forget_empty();
            meter.begin(&self.shared.driver, Place { context, stream });
        }
    }

    /// The command that was let in is not carried out now: others go first. Gives whether somebody else wants an engine.
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
        let mut seat = slot.lock();
        quick.tell(&mut seat.meter);
        seat.meter.forget_empty();
        quick.open &= seat.meter.is_open();
        drop(seat);
        self.rest_on(index);
        let seat = &mut *self.shared.slots[index].lock();
        (seat.entering, seat.stays_until) = (false, None);
        let turn = seat.turn.as_mut().filter(|turn| !turn.keeps);
        let contended = turn.map(|turn| turn.draining = true).is_some();
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

    /// Has the session keep its turn on a device while a command is carried out that is no work for it now.
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

    /// Lets work for a device in, when it is the session's turn there. `describe` is asked only where more than a look is needed.
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

    /// Nobody else wants the engine. Every now and then a span is measured. Gives whether that is still so.
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
            let mut seat = slot.lock();
            quick.tell(&mut seat.meter);
            if quick.open {
                self.shared.end_spans(&mut seat.meter, Some(context));
            }
            (quick.open, quick.noted) = (false, None);
            seat = match self.shared.await_room(slot, seat) {
                Some(seat) => seat,
                None => return false,
            };
            seat.meter.begin(&self.shared.driver, Place { context, stream });
            (quick.open, quick.sampled_at, quick.piece_ns) =
                (true, Some(now), seat.meter.piece_ns());
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

    /// No more commands are there, or what follows is no work: what was measured so far is a span of its own.
    pub fn rest(&mut self) {
        (0..self.quick.len()).for_each(|index| self.rest_on(index));
    }

    /// Who is about to wait for a turn holds no other, so that no two sessions wait for each other, and none for itself: where copies have begun to
    /// take turns with kernels, another slot's turn is of the same queue. What one command needs together it waits for in the order of the devices.
    fn rest_beside(&mut self, index: usize) {
        for other in (0..self.quick.len()).filter(|other| *other != index) {
            if self.quick[other].open && !self.shared.slots[other].lock().entering {
                self.rest_on(other);
            }
        }
    }

    fn rest_on(&mut self, index: usize) {
        let (slot, quick) = (&self.shared.slots[index], &mut self.quick[index]);
        if !quick.open {
            return;
        }
        let seat = &mut *slot.lock();
        quick.tell(&mut seat.meter);
        self.shared.end_spans(&mut seat.meter, self.place.map(|place| place.0));
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
            let mut seat = slot.lock();
            while seat.watching || seat.meter.holds(context) {
                if seat.keeper {
                    slot.tell();
                    seat = slot.wait(seat);
                } else {
                    seat.meter
                        .oldest()
                        .into_iter()
                        .for_each(|(_, ends)| self.shared.wait_for(&ends));
                    seat.meter.used_ns += seat.meter.settle(&self.shared.driver);
                }
            }
            seat.meter.forget_context(context);
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

impl Shared {
    /// `current`: the context to go back to, on the thread of commands.
    fn end_spans(&self, meter: &mut Meter, current: Option<CUcontext>) {
        while let Some(context) = meter.dirty_context() {
            if current != Some(context) {
                // SAFETY: the context is the session's own; it is not destroyed before the meter has forgotten it.
                let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
            }
            meter.end(&self.driver, context);
            if let Some(current) = current.filter(|current| *current != context) {
                // SAFETY: it was current before.
                let _ = unsafe { self.driver.cuCtxSetCurrent(current) };
            }
        }
    }

    /// Leaves the current context as it is, since the thread of commands waits here too; some context is current.
    fn wait_for(&self, ends: &[CUevent]) {
        for end in ends {
            // SAFETY: the event is the session's own, and lives as long as its span is not settled.
            let _ = unsafe { self.driver.cuEventSynchronize(*end) };
        }
    }

    /// Other sessions use the device too, or might.
    fn has_company(&self, slot: &Slot) -> bool {
        self.company[usize::from(slot.device)].load(Relaxed)
    }

    /// Waits until little enough is in flight for somebody who comes; gives nothing if somebody has.
    fn await_room<'s>(
        &self,
        slot: &'s Slot,
        mut seat: MutexGuard<'s, Seat>,
    ) -> Option<MutexGuard<'s, Seat>> {
        loop {
            if !seat.watching {
                seat.meter.collect(&self.driver);
            }
            let company = self.has_company(slot);
            let (pieces, in_flight_ns) = seat.meter.in_flight();
            let unknown = pieces > 0 && seat.meter.piece_ns() == 0;
            if !company || in_flight_ns < KEPT_WINDOW_NS && !unknown {
                return Some(seat);
            }
            if !slot.free.load(SeqCst) {
                return None;
            }
            if seat.watching {
                seat = slot.wait(seat);
            } else if let Some((_, ends)) = seat.meter.oldest() {
                seat.watching = true;
                drop(seat);
                self.wait_for(&ends);
                seat = slot.lock();
                seat.watching = false;
                slot.tell();
            }
        }
    }

    /// Waits until the session has the turn, and keeps it. One that is up is as good while work is in flight that it must outlast: that work may itself
    /// wait for what is done now.
    fn stay(&self, index: usize) {
        let slot = &self.slots[index];
        let mut seat = slot.lock();
        seat.come_back();
        while !seat.turn.as_ref().is_some_and(|turn| !seat.is_up(turn) || !seat.meter.is_idle()) {
            if seat.turn.is_none() && !seat.asked {
                seat.asked = self.control.send(&[slot.note(Word::Wants, 0)]).is_ok();
            }
            seat.waiting = Some(0);
            slot.tell();
            seat = slot.wait(seat);
        }
        (seat.entering, seat.waiting) = (true, None);
    }

    /// Waits until the session has the turn and room in flight.
    fn admit(self: &Arc<Shared>, index: usize, work: &Work, place: Place) -> Entry {
        let slot = &self.slots[index];
        let mut seat = slot.lock();
        seat.come_back();
        loop {
            let predicted_ns = seat.meter.predict(work);
            let (pieces, in_flight_ns) = seat.meter.in_flight();
            let turn = seat.turn.as_ref().filter(|turn| !seat.is_up(turn) && !seat.unwatched);
            let is_up = turn.is_some_and(|turn| pieces == 0 && turn.is_up_for(predicted_ns));
            if is_up {
                seat.turn.iter_mut().for_each(|turn| turn.draining = true);
                slot.tell();
                continue;
            }
            if turn.is_some_and(|turn| turn.term.admits(pieces, in_flight_ns, predicted_ns)) {
                (seat.entering, seat.waiting) = (true, None);
                seat.meter.begin(&self.driver, place);
                return Entry::Watched { slot: index, key: work.key, predicted_ns };
            }
            if seat.meter.is_open() {
                self.end_spans(&mut seat.meter, Some(place.context));
            }
            if seat.turn.is_none() && !seat.asked {
                seat.asked = self.control.send(&[slot.note(Word::Wants, predicted_ns)]).is_ok();
            }
            seat.waiting = Some(predicted_ns);
            slot.tell();
            seat = slot.wait(seat);
        }
    }

    /// The piece was submitted; `alone`: it is a span of its own. Says whether its span goes on.
    fn watch(
        &self,
        slot: &Slot,
        key: u64,
        predicted_ns: u64,
        place: Option<Place>,
        alone: bool,
    ) -> bool {
        let seat = &mut *slot.lock();
        seat.entering = false;
        place.into_iter().for_each(|place| seat.meter.note(place));
        seat.meter.add(Some(key), predicted_ns);
        let run = seat.turn.as_ref().is_some_and(|turn| matches!(turn.term, Term::Run { .. }));
        let full = if run {
            seat.meter.open_pieces() >= RUN_SPAN_PIECES
        } else {
            seat.meter.open_ns() >= SPAN_NS
        };
        if full || alone || seat.unwatched {
            self.end_spans(&mut seat.meter, place.map(|place| place.context));
            slot.tell();
        }
        seat.meter.is_open()
    }

    // ---- the thread of a slot that others want too ----

    fn appoint_keeper(self: &Arc<Shared>, index: usize, seat: &mut Seat) {
        if !std::mem::replace(&mut seat.keeper, true) {
            let shared = self.clone();
            threads::start("slot", move || shared.keep(&shared.slots[index]));
        }
        self.slots[index].tell();
    }

    fn keep(&self, slot: &Slot) {
        let mut seat = slot.lock();
        loop {
            if seat.unwatched {
                if seat.entering {
                    // What is about to be submitted belongs to what is waited for.
                    seat = slot.wait(seat);
                    continue;
                }
                if slot.inside.load(SeqCst) {
                    drop(seat);
                    std::thread::sleep(INSIDE_LOOK);
                    seat = slot.lock();
                    continue;
                }
                slot.harvests.fetch_add(1, Release);
                self.end_spans(&mut seat.meter, None);
                seat.unwatched = false;
                slot.tell();
            }
            if seat.watching {
                seat = slot.wait(seat);
                continue;
            }
            if let Some((context, ends)) = seat.meter.oldest() {
                seat.watching = true;
                drop(seat);
                // SAFETY: the context is the session's own, and is not destroyed while one of its spans is not settled.
                let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
                self.wait_for(&ends);
                seat = slot.lock();
                seat.watching = false;
                self.settle(slot, &mut seat);
                slot.tell();
                continue;
            }
            seat = match self.pass_on(slot, &mut seat) {
                Some(grace) => slot.wait_briefly(seat, grace),
                None => slot.wait(seat),
            };
        }
    }

    fn settle(&self, slot: &Slot, seat: &mut Seat) {
        let measured_ns = seat.meter.settle(&self.driver);
        let (pieces, _) = seat.meter.in_flight();
        let Some(turn) = seat.turn.as_mut().filter(|turn| !turn.keeps) else {
            seat.meter.used_ns += measured_ns;
            return;
        };
        turn.measured_ns += measured_ns;
        turn.draining |= pieces == 0 && matches!(turn.term, Term::Run { .. });
        let owed_ns = turn.measured_ns - turn.charged_ns;
        if owed_ns >= CHARGE_NS {
            turn.charged_ns = turn.measured_ns;
            let _ = self.control.send(&[slot.note(Word::Completed, owed_ns)]);
        }
    }

    /// Gives the turn up if it is over or nothing is left to do. Gives how long to wait for a program that comes back at once.
    fn pass_on(&self, slot: &Slot, seat: &mut Seat) -> Option<Duration> {
        let turn = seat.turn.as_ref().filter(|turn| !turn.keeps)?;
        let is_up = seat.is_up(turn);
        if !seat.meter.is_idle() || seat.entering || (seat.waiting.is_some() && !is_up) {
            return None;
        }
        if !is_up {
            let idle = seat.idle_since.get_or_insert_with(Instant::now).elapsed();
            let grace = if seat.absence < GRACE { GRACE.max(seat.moved) } else { seat.moved };
            if idle < grace {
                return Some(grace - idle);
            }
        }
        let unused_ns =
            (turn.held_since.elapsed().as_nanos() as u64).saturating_sub(turn.measured_ns);
        let mut notes = vec![slot.note(Word::Completed, turn.measured_ns - turn.charged_ns)];
        if unused_ns > UNUSED_NS_MAX {
            notes.push(slot.note(Word::Unused, unused_ns - UNUSED_NS_MAX));
        }
        notes.push(slot.note(Word::Yielded, 0));
        notes.extend(seat.waiting.map(|predicted_ns| slot.note(Word::Wants, predicted_ns)));
        (seat.turn, seat.asked) = (None, seat.waiting.is_some());
        if let Err(error) = self.control.send(&notes) {
            log(&format!("the node does not hear that a turn is over: {error}"));
        }
        None
    }

    // ---- what the node says ----

    fn listen(self: Arc<Shared>, order: &Sender<(u8, u64)>) {
        let mut last = None;
        while let Ok(note) = self.control.receive_behind(last) {
            last = Some(note.word);
            match note.word {
                Word::Joint => self.joint.store(note.value != 0, Relaxed),
                Word::Company => {
                    let company = self.company.get(usize::from(note.device));
                    company.into_iter().for_each(|company| company.store(note.value != 0, Relaxed));
                }
                Word::Report => self.report(note.value),
                Word::Evict => drop(order.send((note.device, note.value))),
                Word::Moving => {
                    let residency = self.residencies.get(usize::from(note.device));
                    residency.into_iter().for_each(|residency| residency.hear_of_moving());
                }
                Word::Room => {
                    let residency = self.residencies.get(usize::from(note.device));
                    residency.into_iter().for_each(|residency| residency.hear_of_room(note.value));
                }
                _ => self.obey(note),
            }
        }
        super::end_because(
            &self.outbound,
            "the node gives it no more turns, and its log says why; run the program again",
        );
    }

    /// Makes room on a device for another session, in a thread of its own.
    fn evict(&self, orders: &Receiver<(u8, u64)>) {
        for (device, bytes) in orders {
            match self.residencies.get(usize::from(device)) {
                Some(residency) => {
                    if let Err(code) = residency.evict(bytes, || self.has_turn(device)) {
                        let reason = format!(
                            "a kernel of the program has failed ({code}), and others need its memory; run the program again"
                        );
                        super::end_at_once(&self.outbound, reason);
                    }
                }
                None => {
                    drop(self.control.send(&[Note::new(Word::Evicted, device, Engine::Compute, 0)]))
                }
            }
        }
    }

    /// Whether the session may submit work to the device, or has work there.
    fn has_turn(&self, device: u8) -> bool {
        let slots = self.slots.iter().filter(|slot| slot.device == device);
        slots
            .map(Slot::lock)
            .any(|seat| seat.turn.is_some() || seat.entering || !seat.meter.is_idle())
    }

    fn obey(self: &Arc<Shared>, note: Note) {
        let index = usize::from(note.device) * Engine::ALL.len() + note.engine as usize;
        let Some(slot) = self.slots.get(index) else { return };
        if note.word == Word::Contended {
            slot.free.store(false, SeqCst);
        }
        let seat = &mut *slot.lock();
        match (note.word, &mut seat.turn) {
            (Word::Grant, turn) => {
                let Grant { term, length, keep: keeps } = note.grant();
                *turn = Some(Turn {
                    term,
                    length,
                    keeps,
                    draining: false,
                    held_since: Instant::now(),
                    measured_ns: 0,
                    charged_ns: 0,
                });
                (seat.asked, seat.moved, seat.stays_until) = (false, Duration::ZERO, None);
                slot.free.store(keeps, SeqCst);
                if !keeps {
                    self.appoint_keeper(index, seat);
                }
            }
            (Word::Contended, Some(turn)) => {
                (turn.keeps, turn.held_since, turn.measured_ns, turn.charged_ns) =
                    (false, Instant::now(), 0, 0);
                seat.unwatched = true;
                self.appoint_keeper(index, seat);
            }
            (Word::Keep, Some(turn)) if !turn.draining => {
                turn.keeps = true;
                slot.free.store(true, SeqCst);
            }
            (Word::Drain, Some(turn)) => turn.draining = true,
            _ => {}
        }
        slot.tell();
    }

    fn report(&self, number: u64) {
        for slot in &self.slots {
            let seat = &mut *slot.lock();
            if !seat.watching && seat.turn.as_ref().is_none_or(|turn| turn.keeps) {
                seat.meter.collect(&self.driver);
            }
            if seat.meter.used_ns > 0 {
                let _ = self.control.send(&[slot.note(Word::Used, seat.meter.used_ns)]);
            }
        }
        let _ = self.control.send(&[Note::plain(Word::Reported, number)]);
    }
}

#[cfg(test)]
mod tests;

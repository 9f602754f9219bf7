//! The state of turns that the session's threads share, and the thread that passes a turn on.

use super::*;
use crate::accounting::frames::FrameCounts;
use crate::worker::io::farewell::end_at_once;
use outhaul_abi::types::CUresult;

impl Shared {
    /// Returns one note for each of the session's devices.
    pub fn devices(&self) -> Vec<Note> {
        let device = |(i, identity): (usize, &u64)| {
            Note::new(NoteKind::Device, i as u8, Engine::Compute, *identity)
        };
        self.identities.iter().enumerate().map(device).collect()
    }

    /// Ends the open spans. On the command thread, `current` is the context to restore.
    pub fn end_spans(&self, meter: &mut Meter, current: Option<CUcontext>) {
        while let Some(context) = meter.dirty_context() {
            if current != Some(context) {
                // SAFETY: the context is the session's own, and is not destroyed before the meter
                // has forgotten it.
                let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
            }
            meter.end(&self.driver, context);
            if let Some(current) = current.filter(|current| *current != context) {
                // SAFETY: the context is the session's own, and was current before.
                let _ = unsafe { self.driver.cuCtxSetCurrent(current) };
            }
        }
    }

    /// Waits for events. Does not change the current context, because the command thread calls
    /// this function too. Some context must be current.
    pub fn wait_for(&self, ends: &[CUevent]) {
        for end in ends {
            // SAFETY: the event is the session's own, and exists until its span is finished.
            let _ = unsafe { self.driver.cuEventSynchronize(*end) };
        }
    }

    /// Waits like `wait_for`, but at most until `deadline`. Returns whether the device has reached
    /// all events.
    fn wait_until(&self, ends: &[CUevent], deadline: Instant) -> bool {
        let mut interval = INSIDE_POLL_INTERVAL;
        ends.iter().all(|end| {
            // SAFETY: the event is the session's own, and exists until its span is finished.
            while unsafe { self.driver.cuEventQuery(*end) } == CUresult::NOT_READY {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return false;
                }
                std::thread::sleep(interval.min(left));
                interval = (interval * 2).min(ROOM_POLL_INTERVAL_MAX);
            }
            true
        })
    }

    /// Waits until so little work is in flight that another session would not have to wait long.
    /// Returns `None` if another session wants the engine. Work that takes very long may itself
    /// wait for the program, for instance for a store to pinned memory. Then the program's next
    /// commands must not wait for that work.
    pub fn await_room<'s>(
        &self,
        slot: &'s EngineSlot,
        mut held: MutexGuard<'s, Occupancy>,
    ) -> Option<MutexGuard<'s, Occupancy>> {
        let deadline = Instant::now() + ROOM_WAIT_MAX;
        loop {
            if !held.watching {
                held.meter.collect(&self.driver);
            }
            let company = slot.sessions() > 1;
            let InFlight { pieces, predicted_ns } = held.meter.in_flight();
            let unknown = pieces > 0 && held.meter.piece_ns() == 0;
            if !company || predicted_ns < KEPT_WINDOW_NS && !unknown {
                return Some(held);
            }
            if !slot.free.load(SeqCst) {
                return None;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if held.watching && !left.is_zero() {
                held = slot.wait_briefly(held, left);
                continue;
            }
            let Some((_, ends)) = held.meter.oldest() else { return Some(held) };
            if left.is_zero() || held.outlasted == ends.first().copied() {
                held.outlasted = ends.first().copied();
                return Some(held);
            }
            held.watching = true;
            drop(held);
            self.wait_until(&ends, deadline);
            held = slot.lock();
            held.watching = false;
            slot.notify();
        }
    }

    /// Returns the current time on the seats' clock, in nanoseconds.
    pub fn now_ns(&self) -> u64 {
        self.since.elapsed().as_nanos() as u64
    }

    /// Waits until the session has the turn, and keeps the turn.
    pub fn stay(&self, index: usize) {
        let slot = &self.slots[index];
        let mut held = slot.lock();
        loop {
            let is_idle = held.meter.is_idle();
            match held.seat.stay(self.now_ns(), is_idle) {
                Admission::Enters => return,
                Admission::Waits { asks } => held = self.wait(slot, held, asks, 0),
            }
        }
    }

    /// Waits until the session has the turn and the limit on work in flight admits `work`.
    pub fn admit(self: &Arc<Shared>, index: usize, work: &Work, place: MeteredStream) -> Entry {
        let slot = &self.slots[index];
        let mut held = slot.lock();
        loop {
            let (predicted_ns, in_flight) = (held.meter.predict(work), held.meter.in_flight());
            match held.seat.admit(self.now_ns(), in_flight, predicted_ns) {
                Admission::Enters => {
                    held.meter.begin(&self.driver, place);
                    return Entry::Watched { slot: index, key: work.key, predicted_ns };
                }
                Admission::Waits { asks } => {
                    if held.meter.is_open() {
                        self.end_spans(&mut held.meter, Some(place.context));
                    }
                    held = self.wait(slot, held, asks, predicted_ns);
                }
            }
        }
    }

    /// Waits for a change at the slot, where the session waits with work of the predicted length.
    /// If `asks` is set, first asks the listener for the turn.
    fn wait<'s>(
        &self,
        slot: &'s EngineSlot,
        mut held: MutexGuard<'s, Occupancy>,
        asks: bool,
        predicted_ns: u64,
    ) -> MutexGuard<'s, Occupancy> {
        if asks && self.control.send(&[slot.note(NoteKind::Wants, predicted_ns)]).is_err() {
            held.seat.request_failed();
        }
        slot.notify();
        slot.wait(held)
    }

    /// Records a submitted piece. If `alone` is set, the piece is a span of its own. Returns the
    /// credit for more such pieces, or `None` if the piece's span has ended.
    pub fn watch(
        &self,
        slot: &EngineSlot,
        key: u64,
        predicted_ns: u64,
        place: Option<MeteredStream>,
        alone: bool,
    ) -> Option<Credit> {
        let held = &mut *slot.lock();
        held.seat.entered();
        place.into_iter().for_each(|place| held.meter.note(place));
        held.meter.add(Some(key), predicted_ns);
        let full = if held.seat.is_run() {
            held.meter.open_pieces() >= RUN_SPAN_PIECES
        } else {
            held.meter.open_ns() >= SPAN_NS
        };
        if full || alone || held.seat.is_unwatched() {
            self.end_spans(&mut held.meter, place.map(|place| place.context));
            slot.notify();
        }
        held.meter.is_open().then(|| Credit {
            orders: slot.orders.load(SeqCst),
            // A move of memory may withdraw a piece that was admitted.
            left_ns: match self.residencies.is_empty() {
                true => held
                    .seat
                    .room_ns(held.meter.in_flight())
                    .min(SPAN_NS.saturating_sub(held.meter.open_ns())),
                false => 0,
            },
        })
    }

    // ---- the thread of a slot that other sessions want too ----

    fn appoint_keeper(self: &Arc<Shared>, index: usize, held: &mut Occupancy) {
        if !std::mem::replace(&mut held.keeper, true) {
            let shared = self.clone();
            threads::start("slot", move || shared.keep(&shared.slots[index]));
        }
        self.slots[index].notify();
    }

    fn keep(&self, slot: &EngineSlot) {
        let mut held = slot.lock();
        loop {
            if held.seat.is_unwatched() {
                if held.seat.is_entering() {
                    // This thread must also wait for the work that is about to be submitted.
                    held = slot.wait(held);
                    continue;
                }
                if slot.inside.load(SeqCst) {
                    drop(held);
                    std::thread::sleep(INSIDE_POLL_INTERVAL);
                    held = slot.lock();
                    continue;
                }
                slot.harvests.fetch_add(1, Release);
                self.end_spans(&mut held.meter, None);
                held.seat.watched();
                slot.notify();
            }
            if held.watching {
                held = slot.wait(held);
                continue;
            }
            if let Some((context, ends)) = held.meter.oldest() {
                held.watching = true;
                drop(held);
                // SAFETY: the context is the session's own, and is not destroyed while one of its
                // spans is unfinished.
                let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
                self.wait_for(&ends);
                held = slot.lock();
                held.watching = false;
                self.finish_oldest(slot, &mut held);
                slot.notify();
                continue;
            }
            held = match self.pass_on(slot, &mut held) {
                Some(grace) => slot.wait_briefly(held, grace),
                None => slot.wait(held),
            };
        }
    }

    fn finish_oldest(&self, slot: &EngineSlot, held: &mut Occupancy) {
        let measured_ns = held.meter.finish_oldest(&self.driver);
        let pieces_left = held.meter.in_flight().pieces;
        let Charge { own_ns, due_ns } = held.seat.measured(measured_ns, pieces_left);
        held.meter.used_ns += own_ns;
        if due_ns > 0 {
            let _ = self.control.send(&[slot.note(NoteKind::Completed, due_ns)]);
        }
    }

    /// Passes the turn on if it is up or no work is left. Returns how long to wait first, because
    /// the program may submit more work at once.
    fn pass_on(&self, slot: &EngineSlot, held: &mut Occupancy) -> Option<Duration> {
        let is_idle = held.meter.is_idle();
        let farewell = match held.seat.pass_on(self.now_ns(), is_idle) {
            Passing::Stays => return None,
            Passing::After { ns } => return Some(Duration::from_nanos(ns)),
            Passing::Over(farewell) => farewell,
        };
        let mut notes = vec![slot.note(NoteKind::Completed, farewell.due_ns)];
        notes.extend(farewell.unused_ns.map(|unused_ns| slot.note(NoteKind::Unused, unused_ns)));
        notes.push(slot.note(NoteKind::Yielded, 0));
        notes
            .extend(farewell.wants_ns.map(|predicted_ns| slot.note(NoteKind::Wants, predicted_ns)));
        if let Err(error) = self.control.send(&notes) {
            log(&format!("cannot tell the node that a turn is over: {error}"));
        }
        None
    }

    // ---- messages from the node ----

    /// Returns the number of sessions on the device that most sessions use.
    fn sessions_most(&self) -> usize {
        self.slots.iter().map(EngineSlot::sessions).max().unwrap_or_default()
    }

    /// Obeys the listener's messages. Ends the session when no more messages can arrive.
    pub fn listen(self: Arc<Shared>, order: &Sender<(u8, u64)>) {
        let mut last = None;
        while let Ok(note) = self.control.receive_after(last, self.sessions_most()) {
            last = Some(note.kind);
            match note.kind {
                NoteKind::Joint => self.joint.store(note.value != 0, Relaxed),
                NoteKind::Sessions => {
                    let slots = self.slots.iter().filter(|slot| slot.device == note.device);
                    slots.for_each(|slot| slot.sessions.store(note.value as usize, Relaxed));
                }
                NoteKind::Report => self.report(note.value),
                NoteKind::Anew => self.begin_anew(note),
                NoteKind::Evict => drop(order.send((note.device, note.value))),
                NoteKind::Moving => {
                    let residency = self.residencies.get(usize::from(note.device));
                    residency.into_iter().for_each(|residency| residency.note_moving());
                }
                NoteKind::Room => {
                    let residency = self.residencies.get(usize::from(note.device));
                    residency.into_iter().for_each(|residency| residency.note_room(note.value));
                }
                _ => self.obey(note),
            }
        }
        end_at_once(
            &self.outbound,
            "the node gives it no more turns, and its log says why; run the program again".into(),
        );
    }

    /// Starts over with a new listener, which knows of no turn. The session loses its turns and
    /// reports again everything that a listener must know. Meanwhile no other thread sends a
    /// message about a slot.
    fn begin_anew(self: &Arc<Shared>, anew: Note) {
        let mut occupancies: Vec<_> = self.slots.iter().map(EngineSlot::lock).collect();
        let mut notes = [vec![anew], self.devices()].concat();
        for (index, (slot, held)) in self.slots.iter().zip(&mut occupancies).enumerate() {
            slot.free.store(false, SeqCst);
            slot.orders.fetch_add(1, SeqCst);
            if held.seat.has_turn() {
                self.appoint_keeper(index, held);
            }
            held.meter.used_ns += held.seat.lose_turn();
            let used_ns = Some(held.meter.used_ns).filter(|used_ns| *used_ns > 0);
            notes.extend(used_ns.map(|used_ns| slot.note(NoteKind::Used, used_ns)));
            let wants_ns = held.seat.ask_anew();
            notes.extend(wants_ns.map(|predicted_ns| slot.note(NoteKind::Wants, predicted_ns)));
            slot.notify();
        }
        if let Err(error) = self.control.send(&notes) {
            log(&format!("cannot report the session to the node's new listener: {error}"));
        }
        drop(occupancies);
        self.residencies.iter().for_each(|residency| residency.ask_anew());
    }

    /// Evicts memory from devices for other sessions. Runs in a thread of its own.
    pub fn evict(&self, orders: &Receiver<(u8, u64)>) {
        for (device, bytes) in orders {
            match self.residencies.get(usize::from(device)) {
                Some(residency) => {
                    if let Err(code) = residency.evict(bytes, || self.has_turn(device)) {
                        let reason = format!(
                            "a kernel of the program has failed ({code}), and others need its \
                            memory; run the program again"
                        );
                        end_at_once(&self.outbound, reason);
                    }
                }
                None => drop(self.control.send(&[Note::new(
                    NoteKind::Evicted,
                    device,
                    Engine::Compute,
                    0,
                )])),
            }
        }
    }

    /// Returns whether the session has a turn on `device`, is about to submit work to it, or has
    /// work there.
    fn has_turn(&self, device: u8) -> bool {
        let slots = self.slots.iter().filter(|slot| slot.device == device);
        slots
            .map(EngineSlot::lock)
            .any(|held| held.seat.has_turn() || held.seat.is_entering() || !held.meter.is_idle())
    }

    fn obey(self: &Arc<Shared>, note: Note) {
        let index = usize::from(note.device) * Engine::ALL.len() + note.engine as usize;
        let Some(slot) = self.slots.get(index) else { return };
        let Some(order) = note.order() else { return };
        if order == Order::Contended {
            // The flag changes before this thread takes the lock, because the command thread
            // submits without a lock until it sees the flag.
            slot.free.store(false, SeqCst);
        }
        let held = &mut *slot.lock();
        slot.orders.fetch_add(1, SeqCst);
        let Obeyed { free, needs_keeper } = held.seat.obey(self.now_ns(), order);
        free.into_iter().for_each(|free| slot.free.store(free, SeqCst));
        if needs_keeper {
            self.appoint_keeper(index, held);
        }
        slot.notify();
    }

    /// Reports the session's use of the engines. `number` is the number of the request that this
    /// report answers.
    pub fn report(&self, number: u64) {
        for slot in &self.slots {
            let held = &mut *slot.lock();
            if !held.watching && !held.seat.is_contended() {
                held.meter.collect(&self.driver);
            }
            if held.meter.used_ns > 0 {
                let _ = self.control.send(&[slot.note(NoteKind::Used, held.meter.used_ns)]);
            }
        }
        if let Some(FrameCounts { seen, late, skipped, worst_us }) = self.outbound.frames() {
            let _ = self.control.send(&[
                Note::plain(NoteKind::FramesSeen, seen),
                Note::plain(NoteKind::FramesLate, late),
                Note::plain(NoteKind::FramesSkipped, skipped),
                Note::plain(NoteKind::FrameWorst, worst_us),
            ]);
        }
        let _ = self.control.send(&[Note::plain(NoteKind::Reported, number)]);
    }
}

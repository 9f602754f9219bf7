//! One engine of one device, with the session's admitted and waiting work, and the turn if the
//! session has it. The session's threads share this state.

use crate::sharing::scheduler_channel::{Note, NoteKind, hand_over_spin};
use crate::worker::scheduling::meter::Meter;
use outhaul_abi::types::CUevent;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_share::{Engine, Seat};
use outhaul_transport::os::spin::spin;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::time::Duration;

/// One engine of one device.
pub struct EngineSlot {
    /// Ordinal of the device.
    pub device: u8,
    /// The engine.
    pub engine: Engine,
    /// Whether the session keeps the turn because no other session wants the engine.
    pub free: AtomicBool,
    /// Whether the command thread has read `free` and is submitting work.
    pub inside: AtomicBool,
    /// Number of times that a thread other than the command thread ended spans on the noted
    /// streams.
    pub harvests: AtomicU64,
    /// Number of the listener's orders that the seat has obeyed.
    pub orders: AtomicU64,
    /// Number of sessions that use the device, as far as the listener has said.
    pub sessions: AtomicUsize,
    occupancy: Mutex<Occupancy>,
    moved: Condvar,
    /// Number of notifications on `moved`.
    moves: AtomicU64,
}

/// The session's state at the engine.
#[derive(Default)]
pub struct Occupancy {
    /// The session's seat.
    pub seat: Seat,
    /// Whether the slot has a thread that finishes spans and passes the turn on.
    pub keeper: bool,
    /// Whether a thread waits for the oldest span.
    pub watching: bool,
    /// Last event of the oldest span for which a command has waited too long. Later commands do not
    /// wait for it again.
    pub outlasted: Option<CUevent>,
    /// The meter that measures the session's work.
    pub meter: Meter,
}

impl EngineSlot {
    /// Creates a slot that does not have the turn.
    pub fn new(device: u8, engine: Engine) -> EngineSlot {
        EngineSlot {
            device,
            engine,
            free: AtomicBool::new(false),
            inside: AtomicBool::new(false),
            harvests: AtomicU64::new(0),
            orders: AtomicU64::new(0),
            sessions: AtomicUsize::new(1),
            occupancy: Mutex::default(),
            moved: Condvar::new(),
            moves: AtomicU64::new(0),
        }
    }

    /// Returns the number of sessions that use the device.
    pub fn sessions(&self) -> usize {
        self.sessions.load(Relaxed)
    }

    /// Locks the state.
    pub fn lock(&self) -> MutexGuard<'_, Occupancy> {
        self.occupancy.lock()
    }

    /// Notifies waiting threads of a changed state. The caller still holds the lock, so that a
    /// thread that saw no change and is about to sleep wakes up.
    pub fn notify(&self) {
        self.moves.fetch_add(1, Release);
        self.moved.notify_all();
    }

    /// Waits for a change. Spins before it sleeps, because the GPU idles while a thread wakes up.
    pub fn wait<'s>(&'s self, held: MutexGuard<'s, Occupancy>) -> MutexGuard<'s, Occupancy> {
        let moves = self.moves.load(Acquire);
        drop(held);
        spin(hand_over_spin(self.sessions()), || (self.moves.load(Acquire) != moves).then_some(()));
        let held = self.lock();
        match self.moves.load(Acquire) == moves {
            true => self.moved.wait(held),
            false => held,
        }
    }

    /// Waits for a change, but at most for `limit`.
    pub fn wait_briefly<'s>(
        &'s self,
        held: MutexGuard<'s, Occupancy>,
        limit: Duration,
    ) -> MutexGuard<'s, Occupancy> {
        self.moved.wait_timeout(held, limit).0
    }

    /// Creates a note about this engine.
    pub fn note(&self, kind: NoteKind, value: u64) -> Note {
        Note::new(kind, self.device, self.engine, value)
    }

    /// Ends the admission of a command without measured work.
    pub fn finish_unmeasured(&self) {
        let mut held = self.lock();
        held.seat.entered();
        self.notify();
    }
}

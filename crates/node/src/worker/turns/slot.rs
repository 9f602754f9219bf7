//! One engine of one device, where the session's threads meet: who has been let in, what waits, and
//! the turn, if the session has it.

use crate::control::{Note, Word};
use crate::worker::meter::Meter;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_share::{Engine, Seat};
use outhaul_transport::look::{LONG, look};
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

/// One engine of one device.
pub struct Slot {
    pub device: u8,
    pub engine: Engine,
    /// The turn is kept: nobody else wants the engine.
    pub free: AtomicBool,
    /// The thread of commands has looked at `free` and is submitting.
    pub inside: AtomicBool,
    /// Counts how often the streams with work were taken over.
    pub harvests: AtomicU64,
    occupancy: Mutex<Occupancy>,
    moved: Condvar,
    /// Counts what `moved` tells.
    moves: AtomicU64,
}

/// The session there.
#[derive(Default)]
pub struct Occupancy {
    pub seat: Seat,
    /// The slot has a thread that settles spans and passes the turn on.
    pub keeper: bool,
    /// Somebody waits for the oldest span.
    pub watching: bool,
    pub meter: Meter,
}

impl Slot {
    pub fn new(device: u8, engine: Engine) -> Slot {
        Slot {
            device,
            engine,
            free: AtomicBool::new(false),
            inside: AtomicBool::new(false),
            harvests: AtomicU64::new(0),
            occupancy: Mutex::default(),
            moved: Condvar::new(),
            moves: AtomicU64::new(0),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, Occupancy> {
        self.occupancy.lock()
    }

    /// Something about the occupancy has changed. Whoever has changed it still holds its lock: one
    /// that looked in vain and is about to sleep hears of it then.
    pub fn tell(&self) {
        self.moves.fetch_add(1, Release);
        self.moved.notify_all();
    }

    /// Looks for a change for a while before it sleeps: while sessions take turns, the GPU idles
    /// for as long as a thread takes to wake up.
    pub fn wait<'s>(&'s self, held: MutexGuard<'s, Occupancy>) -> MutexGuard<'s, Occupancy> {
        let moves = self.moves.load(Acquire);
        drop(held);
        look(LONG, || (self.moves.load(Acquire) != moves).then_some(()));
        let held = self.lock();
        match self.moves.load(Acquire) == moves {
            true => self.moved.wait(held),
            false => held,
        }
    }

    /// For so long at most.
    pub fn wait_briefly<'s>(
        &'s self,
        held: MutexGuard<'s, Occupancy>,
        limit: Duration,
    ) -> MutexGuard<'s, Occupancy> {
        self.moved.wait_timeout(held, limit).0
    }

    pub fn note(&self, word: Word, value: u64) -> Note {
        Note::new(word, self.device, self.engine, value)
    }

    pub fn let_go(&self) {
        let mut held = self.lock();
        held.seat.entered();
        self.tell();
    }
}

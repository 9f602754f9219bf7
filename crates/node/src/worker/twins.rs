//! The node's side of pinned memory that program and device both reach, over a link: pages at the
//! program's addresses, in which the device finds what the program has told and whose changes are
//! told to the program. Nothing here waits for the device.

use super::watch::Watch;
use outhaul_lock::{Condvar, Mutex, MutexGuard, RwLock};
use outhaul_transport::TwinSet;
use outhaul_transport::twin::{Run, Twin};
use outhaul_wire::frame;
use outhaul_wire::limits::TWINS_MAX;
use outhaul_wire::messages::MirrorEcho;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};

#[derive(Default)]
pub struct Twins {
    set: RwLock<Arc<TwinSet>>,
    in_use: AtomicBool,
    /// There are some, and so little of them that they are told before whatever else is said.
    unasked: AtomicBool,
    /// Held by whoever tells, from the look at the memory to the last word, and before the way out:
    /// what is told later is newer.
    telling: Mutex<()>,
    heard: Mutex<Heard>,
    came: Condvar,
    pub watch: Watch,
}

/// What was told from the other side.
#[derive(Default)]
struct Heard {
    last: u64,
    /// Numbers of what is on its way to the device's own memory.
    under_way: VecDeque<u64>,
}

/// The right to tell what has changed.
pub struct Telling<'t> {
    pub set: Arc<TwinSet>,
    _one: MutexGuard<'t, ()>,
}

impl Twins {
    /// `Err` says which limit it passes.
    pub fn open(&self, parts: &[Arc<Twin>]) -> Result<(), String> {
        let mut set = self.set.write();
        if set.pieces() >= TWINS_MAX {
            return Err(format!(
                "more than {TWINS_MAX} pieces of pinned memory that the device reaches"
            ));
        }
        *set = Arc::new(set.with(parts));
        self.in_use.store(true, Release);
        self.watch.note_fresh();
        self.unasked.store(set.is_told_unasked(), Release);
        Ok(())
    }

    /// When this returns nobody touches the memory any more.
    pub fn close(&self, address: u64) {
        let mut set = self.set.write();
        let Some((left, gone)) = set.without(address as usize) else { return };
        *set = Arc::new(left);
        self.in_use.store(!set.is_empty(), Release);
        self.unasked.store(set.is_told_unasked() && !set.is_empty(), Release);
        drop(set);
        gone.iter().for_each(|part| part.retire());
    }

    /// Parts that lie in this range as a whole. Memory that was closed meanwhile is nobody's.
    pub fn set_present(&self, range: Range<usize>, is_present: bool) -> Vec<Arc<Twin>> {
        let mut set = self.set.write();
        let is_inside =
            |part: &&Arc<Twin>| range.start <= part.start() && part.range().end <= range.end;
        let parts: Vec<_> = set.within(range.clone()).filter(is_inside).cloned().collect();
        parts.iter().for_each(|part| part.set_absent(!is_present));
        *set = Arc::new(set.again());
        self.unasked.store(set.is_told_unasked() && !set.is_empty(), Release);
        parts
    }

    pub fn is_in_use(&self) -> bool {
        self.in_use.load(Acquire)
    }

    pub fn set(&self) -> Arc<TwinSet> {
        self.set.read().clone()
    }

    pub fn begin(&self) -> Telling<'_> {
        let one = self.telling.lock();
        Telling { set: self.set(), _one: one }
    }

    /// Where what has changed is told before anything else is said.
    pub fn begin_unasked(&self) -> Option<Telling<'_>> {
        if !self.unasked.load(Acquire) {
            return None;
        }
        Some(self.begin()).filter(|telling| telling.set.is_told_unasked())
    }

    /// The program has changed this. Memory that was closed meanwhile is nobody's. False: it leaves
    /// its memory.
    pub fn hear(&self, number: u64, address: u64, bytes: &[u8]) -> bool {
        let inside = self.set().hear(address as usize, bytes);
        self.lock_heard().last = number;
        self.came.notify_all();
        inside
    }

    /// What was told under that number is on its way until it is settled, as what is told later is
    /// then.
    pub fn defer(&self, number: u64) {
        let mut heard = self.lock_heard();
        heard.last = number;
        heard.under_way.push_back(number);
    }

    pub fn settle(&self, number: u64) {
        self.lock_heard().under_way.retain(|other| *other != number);
        self.came.notify_all();
    }

    pub fn heard(&self) -> u64 {
        self.lock_heard().last
    }

    /// Blocks until what was told up to that number, on another lane, has come to where it belongs.
    pub fn wait(&self, number: u64) {
        let mut heard = self.lock_heard();
        while heard.last < number || heard.under_way.front().is_some_and(|oldest| *oldest <= number)
        {
            heard = self.came.wait(heard);
        }
    }

    fn lock_heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock()
    }
}

/// Appends a frame for each run.
pub fn append(runs: &[Run], out: &mut Vec<u8>) {
    for run in runs {
        frame::append(out, &MirrorEcho { address: run.address }, 0, 0, run.bytes.len());
        out.extend_from_slice(&run.bytes);
    }
}

//! Pinned memory that program and device both reach, over a link: the worker has pages at the same
//! addresses. What the program has changed goes to the worker on the lane of callbacks, which
//! nothing holds up, and is numbered; commands stand behind what was told before them.

use crate::absence::{Absence, Piece};
use crate::connection::spawn;
use crate::context;
use crate::deferred::LOST;
use crate::driver::begun;
use crate::log;
use crate::session::{Session, ask_aside};
use crate::stats;
use crate::stream::Stream;
use crate::transfer::HostBox;
use crate::watch::Watch;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex, MutexGuard, RwLock};
use outhaul_transport::TwinSet;
use outhaul_transport::twin::{Look, Run, Twin};
use outhaul_wire::frame;
use outhaul_wire::messages::{Barrier, MirrorAsk, MirrorAwait, MirrorPresence, MirrorTell};
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
    Ordering::SeqCst,
};

#[derive(Default)]
pub struct Twins {
    set: RwLock<Arc<TwinSet>>,
    in_use: AtomicBool,
    /// So little that a look at all of it takes no longer than a write to the network.
    is_little: AtomicBool,
    /// Openings and closings that the worker may not have heard of yet.
    changing: AtomicUsize,
    /// The number of what was told last. Held by whoever tells, from the look at the memory to the
    /// last word: what is told later is newer.
    telling: Mutex<u64>,
    /// What commands stand behind already.
    awaited: AtomicU64,
    asked: AtomicU64,
    answers: Mutex<Answers>,
    answered: Condvar,
    absence: Absence,
    pub watch: Watch,
}

#[derive(Default)]
struct Answers {
    last: u64,
    lost: bool,
}

impl Twins {
    fn set(&self) -> Arc<TwinSet> {
        self.set.read().clone()
    }

    fn change(&self, change: impl FnOnce(&TwinSet) -> TwinSet) {
        let mut set = self.set.write();
        *set = Arc::new(change(&set));
        self.is_little.store(set.is_told_unasked(), Release);
        self.in_use.store(!set.is_empty(), Release);
    }

    /// `open` has the worker have pages there. `may_move`: the pages here are anonymous memory that
    /// was allocated for this alone, and the thread that brings absent pages runs.
    ///
    /// # Safety
    /// The program's pages there stay until `close` has returned.
    pub unsafe fn open(
        &self,
        address: usize,
        bytes: usize,
        may_move: bool,
        open: impl FnOnce() -> Result<(), CUresult>,
    ) -> Result<(), CUresult> {
        // What the device has changed in other memory may be too much to be told unasked from the
        // moment on when the worker has this.
        self.changing.fetch_add(1, SeqCst);
        let opened = open();
        if opened.is_ok() {
            // SAFETY: the caller's promise; `close` has it retire.
            let twin = Arc::new(unsafe { Twin::new(address, bytes) });
            self.change(|set| set.with(twin.clone()));
            if may_move {
                self.absence.enter(&twin);
            }
            self.watch.note_fresh();
        }
        self.changing.fetch_sub(1, SeqCst);
        opened
    }

    /// `close` has the worker give its pages up. When this returns nobody here touches the memory
    /// any more, and the commands that follow stand behind what was told of it.
    pub fn close(&self, session: &'static Session, address: usize, close: impl FnOnce()) {
        let mut pieces = self.absence.lock();
        self.bring_pieces(session, pieces.get_mut(&address).into_iter().collect());
        pieces.remove(&address);
        drop(pieces);
        // As long as the worker has this, what the device changes in other memory may be too much
        // to be told unasked.
        self.changing.fetch_add(1, SeqCst);
        // Commands that have not left yet count on what was written before they were posted.
        let _ = self.tell(session);
        let mut gone = None;
        let mut was_too_much = false;
        self.change(|set| match set.without(address) {
            Some((left, twin)) => {
                gone = Some(twin);
                was_too_much = !set.is_told_unasked();
                left
            }
            None => set.clone(),
        });
        gone.into_iter().for_each(|twin| twin.retire());
        let told = *self.telling();
        // A session that is lost is noticed elsewhere.
        let _ = self.stand_behind(session, told);
        close();
        let left = self.set();
        // Of two that close at once the later one sees both gone.
        if was_too_much && left.is_told_unasked() && !left.is_empty() {
            let _ = ask_aside(session, &Barrier {});
        }
        self.changing.fetch_sub(1, SeqCst);
    }

    pub fn is_in_use(&self) -> bool {
        self.in_use.load(Acquire)
    }

    fn telling(&self) -> MutexGuard<'_, u64> {
        self.telling.lock()
    }

    /// The commands that follow stand behind what the program has changed. What that is, whoever
    /// writes them to the network finds out.
    pub fn before_work(&self, session: &'static Session) -> Result<(), CUresult> {
        if self.in_use.load(Acquire) {
            session.outbox.await_writes(self.is_little.load(Acquire));
            return Ok(());
        }
        let told = *self.telling();
        self.stand_behind(session, told)
    }

    /// Tells all that the program has changed. Gives the number of what was told last.
    pub fn tell(&self, session: &'static Session) -> Result<u64, CUresult> {
        let mut number = self.telling();
        if !self.in_use.load(Acquire) {
            return Ok(*number);
        }
        let compared_bytes = self.set().tell(|runs| say(session, &mut number, &runs))?;
        stats::compared(compared_bytes);
        if let Some(address) = self.absence.find_unchanged() {
            let is_started = spawn("outhaul-absence", move || {
                session.twins.withdraw(session, address);
                session.twins.absence.note_seen_to();
            });
            if !is_started {
                self.absence.note_seen_to();
            }
        }
        Ok(*number)
    }

    /// Neither side looks at this memory from here on, until the program touches it.
    fn withdraw(&self, session: &'static Session, address: usize) {
        let mut pieces = self.absence.lock();
        let Some(piece) = pieces.get_mut(&address).filter(|piece| !piece.is_absent()) else {
            return;
        };
        if FORKS.load(SeqCst) > 0 || is_a_graphs(&piece.twin) || session.deferred.is_lost() {
            return piece.wait_longer();
        }
        // Nobody tells anything else while what is told last of this is found out.
        let mut number = self.telling();
        let withdrawn = piece.withdraw();
        let bytes = piece.twin.bytes();
        log::note(|| match &withdrawn {
            Ok(()) => {
                format!("{bytes} bytes of pinned memory at {address:#x} are compared no more")
            }
            Err(why) => format!("pinned memory at {address:#x} stays to be compared: {why}"),
        });
        if withdrawn.is_err() {
            return;
        }
        self.changing.fetch_add(1, SeqCst);
        let told = piece.twin.changes_by_parts().try_for_each(|look| {
            stats::compared(look.compared_bytes);
            say(session, &mut number, &look.runs)
        });
        piece.twin.set_absent(true);
        self.change(TwinSet::again);
        let gone = MirrorPresence { address: address as u64, is_present: false };
        let said = told.and_then(|()| session.callbacks.say(&gone, &[]).map_err(|_| LOST));
        drop(number);
        // From the answer on the node tells what little is left unasked. A session that is lost is
        // noticed elsewhere.
        let _ = said.and_then(|()| self.ask(session));
        self.changing.fetch_sub(1, SeqCst);
    }

    /// What the device has changed in absent memory that begins there comes, and the memory is
    /// looked at from here on.
    pub fn bring(&self, session: &Session, address: usize) {
        self.bring_pieces(session, self.absence.lock().get_mut(&address).into_iter().collect());
    }

    /// Before a fork: the child has no thread that would bring anything.
    pub fn bring_all(&self, session: &Session) {
        self.bring_pieces(session, self.absence.lock().values_mut().collect());
    }

    /// Of these what is absent.
    fn bring_pieces(&self, session: &Session, mut pieces: Vec<&mut Piece>) {
        pieces.retain(|piece| piece.is_absent());
        if pieces.is_empty() {
            return;
        }
        pieces.iter().for_each(|piece| piece.twin.set_absent(false));
        self.change(TwinSet::again);
        // With a session that is lost, what lies there is what it was.
        let _ = pieces
            .iter()
            .map(|piece| MirrorPresence { address: piece.twin.start() as u64, is_present: true })
            .try_for_each(|back| session.callbacks.say(&back, &[]).map_err(|_| LOST))
            .and_then(|()| self.ask(session));
        pieces.into_iter().for_each(Piece::bring);
    }

    /// Tells what the program has changed in managed memory.
    pub fn tell_run(&self, session: &Session, address: u64, bytes: &[u8]) -> Result<(), CUresult> {
        let mut number = self.telling();
        *number += 1;
        session.callbacks.say(&MirrorTell { number: *number, address }, bytes).map_err(|_| LOST)
    }

    /// Tells what the program has changed in memory that is looked at all the time. Whether there
    /// was anything.
    pub fn tell_together(&self, session: &Session) -> Result<bool, CUresult> {
        let mut number = self.telling();
        let Look { runs, compared_bytes } = self.set().changes_together();
        stats::compared(compared_bytes);
        if runs.is_empty() {
            return Ok(false);
        }
        say(session, &mut number, &runs).map(|()| true)
    }

    /// Work that may look at what is shared has been posted to a stream.
    pub fn note_work(&self, stream: &Arc<Stream>) {
        if self.in_use.load(Acquire) {
            self.watch.note_work(stream.place.session, stream);
        }
    }

    /// Noted when it is posted, and not before: others that see it noted post what stands behind
    /// it.
    fn stand_behind(&self, session: &'static Session, told: u64) -> Result<(), CUresult> {
        if told > self.awaited.load(Acquire) {
            context::place_in(session).post(&MirrorAwait { number: told })?;
            self.awaited.fetch_max(told, Release);
        }
        Ok(())
    }

    /// What the device had changed when it came to what was waited for is there when this returns.
    pub fn after_wait(&self, session: &Session) -> Result<(), CUresult> {
        if !self.in_use.load(Acquire)
            || self.set().is_told_unasked() && self.changing.load(SeqCst) == 0
        {
            return Ok(());
        }
        self.ask(session)
    }

    /// What was told has come to where it belongs, and what the device has changed is there, when
    /// this returns.
    pub fn ask(&self, session: &Session) -> Result<(), CUresult> {
        let number = self.asked.fetch_add(1, Relaxed) + 1;
        session.callbacks.say(&MirrorAsk { number }, &[]).map_err(|_| LOST)?;
        stats::waiting(|| {
            let mut answers = self.answers();
            while answers.last < number && !answers.lost {
                answers = self.answered.wait(answers);
            }
            if answers.last < number { Err(LOST) } else { Ok(()) }
        })
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock()
    }

    /// On the thread that reads: all that was changed when the question came has been heard.
    pub fn answer(&self, number: u64) {
        let mut answers = self.answers();
        answers.last = answers.last.max(number);
        self.answered.notify_all();
    }

    pub fn fail_all(&self) {
        self.answers().lost = true;
        self.answered.notify_all();
    }

    /// On the thread that reads: the device has changed this. Memory that was given up meanwhile is
    /// nobody's. False: it leaves its memory.
    pub fn hear(&self, address: u64, bytes: &[u8]) -> bool {
        self.set().find(address as usize).is_none_or(|twin| twin.hear(address, bytes))
    }
}

/// A child is being made, which is to find all memory there.
static FORKS: AtomicUsize = AtomicUsize::new(0);

pub fn note_fork() {
    FORKS.fetch_add(1, SeqCst);
}

pub fn note_forked() {
    FORKS.fetch_sub(1, SeqCst);
}

/// Whether graphs copy it on the program's side, on threads that may not wait for the node.
fn is_a_graphs(twin: &Twin) -> bool {
    let rows = HostBox::row(twin.start() as *mut u8, twin.bytes());
    begun().is_ok_and(|driver| {
        driver.sessions.iter().any(|session| {
            session.transfers.is_standing(&rows) || session.callbacks.is_fetched(&rows)
        })
    })
}

fn say(session: &Session, number: &mut u64, runs: &[Run]) -> Result<(), CUresult> {
    let mut words = Vec::new();
    for run in runs {
        *number += 1;
        frame::append(
            &mut words,
            &MirrorTell { number: *number, address: run.address },
            0,
            0,
            run.bytes.len(),
        );
        words.extend_from_slice(&run.bytes);
    }
    session.callbacks.say_frames(&words).map_err(|_| LOST)
}

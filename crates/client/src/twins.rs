//! Pinned memory that program and device both reach, over a link: the worker has pages at the same
//! addresses. What the program has changed goes to the worker on the lane of callbacks, which
//! nothing holds up, and is numbered; commands stand behind what was told before them.

use crate::absence::{self, Absence, Piece, STEP_BYTES_MAX};
use crate::calls::Slot;
use crate::connection::{SignalsHeld, spawn};
use crate::context;
use crate::deferred::LOST;
use crate::driver::begun;
use crate::log;
use crate::session::{Session, ask_aside};
use crate::stats;
use crate::stream::Stream;
use crate::transfer::HostBox;
use crate::userfault::{PAGE_BYTES, UserFault};
use crate::watch::Watch;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex, MutexGuard, RwLock};
use outhaul_transport::TwinSet;
use outhaul_transport::replica::twin::{Look, Run, Twin};
use outhaul_wire::frame;
use outhaul_wire::messages::{Barrier, MirrorAsk, MirrorAwait, MirrorPresence, MirrorTell};
use std::collections::BTreeMap;
use std::ops::Range;
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
            let parts = unsafe { Twin::cut(address, bytes) };
            self.change(|set| set.with(&parts));
            if may_move {
                self.absence.enter(&parts);
            }
            self.watch.note_fresh();
        }
        self.changing.fetch_sub(1, SeqCst);
        opened
    }

    /// `close` has the worker give its pages up. When this returns nobody here touches the memory
    /// any more, and the commands that follow stand behind what was told of it.
    pub fn close(&self, session: &'static Session, address: usize, close: impl FnOnce()) {
        // A signal handler that touches absent memory would wait for this very thread.
        let held = SignalsHeld::new();
        let mut pieces = self.absence.lock();
        let mut left: Vec<Piece> = pieces
            .extract_if(address.., |_, piece| piece.twin.whole_start() == address)
            .map(|(_, piece)| piece)
            .collect();
        self.bring_pieces(session, left.iter_mut().collect());
        drop(pieces);
        drop(held);
        // As long as the worker has this, what the device changes in other memory may be too much
        // to be told unasked.
        self.changing.fetch_add(1, SeqCst);
        // Commands that have not left yet count on what was written before they were posted.
        let _ = self.tell(session);
        let mut gone = Vec::new();
        let mut was_too_much = false;
        self.change(|set| match set.without(address) {
            Some((left, parts)) => {
                gone = parts;
                was_too_much = !set.is_told_unasked();
                left
            }
            None => set.clone(),
        });
        gone.iter().for_each(|part| part.retire());
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
        let told = self.set().tell(|runs| say(session, &mut number, &runs))?;
        stats::compared(told.compared_bytes);
        let told_last = *number;
        drop(number);
        if told.idle_parts > 0 && self.absence.begin() {
            let is_started = spawn("outhaul-absence", move || {
                session.twins.withdraw_idle(session);
                session.twins.absence.end();
            });
            if !is_started {
                let mut pieces = self.absence.lock();
                pieces.values_mut().filter(|piece| piece.is_idle()).for_each(Piece::wait_longer);
                self.absence.end();
            }
        }
        Ok(told_last)
    }

    /// Neither side looks at memory that both have left alone for long, until the program touches
    /// it.
    fn withdraw_idle(&self, session: &'static Session) {
        let mut next = Some(0);
        while let Some(from) = next.take() {
            // Nobody tells anything else while what is told last of this is found out. The lock of
            // pieces comes second: a touch waits for it, maybe in a signal handler of a thread that
            // tells.
            let number = self.telling();
            let mut pieces = self.absence.lock();
            let (mut step, mut bytes) = (Vec::new(), 0);
            for (start, piece) in pieces.range_mut(from..).filter(|(_, piece)| piece.is_idle()) {
                bytes += piece.twin.bytes();
                if bytes > STEP_BYTES_MAX && !step.is_empty() {
                    next = Some(*start);
                    break;
                }
                step.push(piece);
            }
            if FORKS.load(SeqCst) > 0 || session.deferred.is_lost() {
                return step.into_iter().for_each(Piece::wait_longer);
            }
            self.withdraw(session, number, step);
        }
    }

    fn withdraw(
        &self,
        session: &'static Session,
        mut number: MutexGuard<'_, u64>,
        pieces: Vec<&mut Piece>,
    ) {
        let gone: Vec<&Piece> = pieces.into_iter().filter_map(take_away).collect();
        if gone.is_empty() {
            return;
        }
        self.changing.fetch_add(1, SeqCst);
        let told =
            gone.iter().flat_map(|piece| piece.twin.changes_by_parts()).try_for_each(|look| {
                stats::compared(look.compared_bytes);
                say(session, &mut number, &look.runs)
            });
        gone.iter().for_each(|piece| piece.twin.set_absent(true));
        self.change(TwinSet::again);
        let asked = ask_presence(session, gone.iter().map(|piece| &*piece.twin), false);
        drop(number);
        // From the answers on the node tells what little is left unasked. A session that is lost is
        // noticed elsewhere.
        let _ = told.and_then(|()| await_presence(asked));
        self.changing.fetch_sub(1, SeqCst);
    }

    /// The program waits for this page. Memory that is absent there comes, and is looked at from
    /// here on; who walks through memory from one end to the other waits seldom. Whether the page
    /// is of memory that may be absent at all.
    pub fn bring_touched(&self, session: &Session, page: usize) -> bool {
        let mut pieces = self.absence.lock();
        let Some((start, piece)) =
            pieces.range(..=page).next_back().filter(|(_, piece)| piece.range().contains(&page))
        else {
            return false;
        };
        let (start, end) = (*start, piece.range().end);
        if piece.is_absent() {
            let ahead = (start - present_before(&pieces, start)).min(STEP_BYTES_MAX);
            let touched = pieces.range_mut(start..end.saturating_add(ahead));
            self.bring_pieces(session, touched.map(|(_, piece)| piece).collect());
        }
        // Whoever waits still waits for a page that was never written. No page may go meanwhile:
        // another would lie in its place.
        UserFault::of_process()
            .into_iter()
            .for_each(|kernel| kernel.clear(page..page + PAGE_BYTES));
        true
    }

    /// What is absent of a range comes.
    pub fn bring(&self, session: &Session, range: Range<usize>) {
        if !absence::is_in_use() {
            return;
        }
        let _held = SignalsHeld::new();
        let mut pieces = self.absence.lock();
        let first = pieces.range(..=range.start).next_back().map_or(range.start, |(at, _)| *at);
        let inside = pieces.range_mut(first..range.end.max(first)).map(|(_, piece)| piece);
        self.bring_pieces(session, inside.collect());
    }

    /// Before a fork: the child has no thread that would bring anything.
    pub fn bring_all(&self, session: &Session) {
        let _held = SignalsHeld::new();
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
        let _ = await_presence(ask_presence(session, pieces.iter().map(|p| &*p.twin), true));
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
        self.set().hear(address as usize, bytes)
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

/// Whether copies, or graphs, read or write it on threads that may not wait for the node.
fn is_in_use(twin: &Twin) -> bool {
    let rows = HostBox::row(twin.start() as *mut u8, twin.bytes());
    begun().is_ok_and(|driver| {
        driver.sessions.iter().any(|session| {
            session.transfers.is_written(&rows) || session.callbacks.is_fetched(&rows)
        })
    })
}

/// From where on all memory up to `end` is present.
fn present_before(pieces: &BTreeMap<usize, Piece>, end: usize) -> usize {
    let mut from = end;
    for (start, piece) in pieces.range(..end).rev() {
        if piece.is_absent() || piece.range().end != from {
            break;
        }
        from = *start;
    }
    from
}

/// Gives a piece whose pages have gone.
fn take_away(piece: &mut Piece) -> Option<&Piece> {
    if is_in_use(&piece.twin) {
        piece.wait_longer();
        return None;
    }
    let withdrawn = piece.withdraw();
    let (bytes, start) = (piece.twin.bytes(), piece.twin.start());
    log::note(|| match &withdrawn {
        Ok(()) => format!("{bytes} bytes of pinned memory at {start:#x} are compared no more"),
        Err(why) => format!("pinned memory at {start:#x} stays to be compared: {why}"),
    });
    withdrawn.is_ok().then_some(piece)
}

/// Tells the node of parts that become absent or present, neighbours as one.
fn ask_presence<'t>(
    session: &Session,
    parts: impl Iterator<Item = &'t Twin>,
    is_present: bool,
) -> Vec<Arc<Slot>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match ranges.last_mut() {
            Some(last) if last.end == part.start() => last.end = part.range().end,
            _ => ranges.push(part.range()),
        }
    }
    let ask = |range: Range<usize>| {
        let (address, bytes) = (range.start as u64, range.len() as u64);
        let message = MirrorPresence { address, bytes, is_present };
        session.callbacks.question(session, &message)
    };
    ranges.into_iter().map(ask).collect()
}

/// The node has done so, and what the device had changed in what is present is there.
fn await_presence(asked: Vec<Arc<Slot>>) -> Result<(), CUresult> {
    asked.iter().try_for_each(|slot| slot.wait().0.ok())
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

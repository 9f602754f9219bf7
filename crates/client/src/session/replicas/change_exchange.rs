//! Exchanges changes of replicas with the worker. The client numbers the program's changes, and
//! sends them on the callback lane, which no command delays. Commands wait for the changes that
//! were sent before them.

use crate::base::log;
use crate::base::movable_pages;
use crate::base::movable_pages::{MovablePages, STEP_BYTES_MAX};
use crate::base::page_set::PAGE_BYTES;
use crate::base::stats;
use crate::base::threads::{SignalsHeld, spawn};
use crate::base::userfault::UserFault;
use crate::session::Session;
use crate::session::bulk::transfer::HostBox;
use crate::session::pending_calls::ReplySlot;
use crate::session::pending_error::LOST;
use crate::session::replicas::state::Replicas;
use crate::session::stream_progress::Progress;
use outhaul_abi::types::CUresult;
use outhaul_lock::MutexGuard;
use outhaul_transport::ReplicaSet;
use outhaul_transport::replicas::replica::{Replica, Run, Scan};
use outhaul_wire::frame;
use outhaul_wire::messages::{Barrier, ReplicaAwait, ReplicaPresence, ReplicaQuery, ReplicaWrite};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release, Ordering::SeqCst,
};

impl Replicas {
    /// Closes a replica. `close` makes the worker release its pages. After the return no thread of
    /// this library touches the memory, and later commands wait for all changes sent from it.
    pub fn close(&self, session: &'static Session, address: usize, close: impl FnOnce()) {
        // A signal handler that touches absent memory would wait for this very thread.
        let held = SignalsHeld::begin();
        let mut pieces = self.movable.lock();
        let mut left: Vec<MovablePages> = pieces
            .extract_if(address.., |_, piece| piece.replica.whole_start() == address)
            .map(|(_, piece)| piece)
            .collect();
        self.bring_pieces(session, left.iter_mut().collect());
        drop(pieces);
        drop(held);
        // Until the worker has closed this replica, it may have too much replica memory to send the
        // device's changes unasked.
        self.changing.fetch_add(1, SeqCst);
        // Commands that are still queued rely on the program's writes before they were posted.
        let _ = self.send_changes(session);
        let mut gone = Vec::new();
        let mut was_too_much = false;
        self.change(|set| match set.without(address) {
            Some((left, parts)) => {
                gone = parts;
                was_too_much = !set.is_reported_unasked();
                left
            }
            None => set.clone(),
        });
        gone.iter().for_each(|part| part.retire());
        let number = *self.lock_last_sent();
        // Ignored because other threads report a lost session.
        let _ = self.make_commands_await(session, number);
        close();
        let left = self.set();
        // If two threads close replicas at once, at least the later one sees both closed.
        if was_too_much && left.is_reported_unasked() && !left.is_empty() {
            let _ = session.call_apart(&Barrier {});
        }
        self.changing.fetch_sub(1, SeqCst);
    }

    /// Makes later commands wait for the program's changes so far. The thread that writes the
    /// commands to the network finds the changes.
    pub fn before_work(&self, session: &'static Session) -> Result<(), CUresult> {
        if self.in_use.load(Acquire) {
            session.outbox.await_writes(self.is_little.load(Acquire));
            return Ok(());
        }
        let number = *self.lock_last_sent();
        self.make_commands_await(session, number)
    }

    /// Sends all changes by the program. Returns the number of the last change.
    pub fn send_changes(&self, session: &'static Session) -> Result<u64, CUresult> {
        let mut number = self.lock_last_sent();
        if !self.in_use.load(Acquire) {
            return Ok(*number);
        }
        let report = self.set().report(|runs| send_runs(session, &mut number, &runs))?;
        stats::compared(report.compared_bytes);
        let last_number = *number;
        drop(number);
        if report.idle_parts > 0 && self.movable.begin() {
            let is_started = spawn("outhaul-absence", move || {
                session.replicas.withdraw_idle(session);
                session.replicas.movable.end();
            });
            if !is_started {
                let mut pieces = self.movable.lock();
                pieces
                    .values_mut()
                    .filter(|piece| piece.is_idle())
                    .for_each(MovablePages::wait_longer);
                self.movable.end();
            }
        }
        Ok(last_number)
    }

    /// Moves away the pages of memory that both sides have long left unchanged. Neither side
    /// compares such memory until the program touches it.
    fn withdraw_idle(&self, session: &'static Session) {
        let mut next = Some(0);
        while let Some(from) = next.take() {
            // This lock keeps other messages back until this memory's last changes are sent. The
            // lock of pieces comes second, because a page fault waits for it, perhaps in a signal
            // handler of a thread that sends changes.
            let number = self.lock_last_sent();
            let mut pieces = self.movable.lock();
            let (mut step, mut bytes) = (Vec::new(), 0);
            for (start, piece) in pieces.range_mut(from..).filter(|(_, piece)| piece.is_idle()) {
                bytes += piece.replica.bytes();
                if bytes > STEP_BYTES_MAX && !step.is_empty() {
                    next = Some(*start);
                    break;
                }
                step.push(piece);
            }
            if FORKS.load(SeqCst) > 0 || session.deferred.is_lost() {
                return step.into_iter().for_each(MovablePages::wait_longer);
            }
            self.withdraw(session, number, step);
        }
    }

    fn withdraw(
        &self,
        session: &'static Session,
        mut number: MutexGuard<'_, u64>,
        pieces: Vec<&mut MovablePages>,
    ) {
        let gone: Vec<&MovablePages> =
            pieces.into_iter().filter_map(|piece| take_away(session, piece)).collect();
        if gone.is_empty() {
            return;
        }
        self.changing.fetch_add(1, SeqCst);
        let sent =
            gone.iter().flat_map(|piece| piece.replica.changes_by_parts()).try_for_each(|scan| {
                stats::compared(scan.compared_bytes);
                send_runs(session, &mut number, &scan.runs)
            });
        gone.iter().for_each(|piece| piece.replica.set_absent(true));
        self.change(ReplicaSet::again);
        let asked = ask_presence(session, gone.iter().map(|piece| &*piece.replica), false);
        drop(number);
        // After these answers the node sends changes unasked if little memory is still compared. An
        // error is ignored because other threads report a lost session.
        let _ = sent.and_then(|()| await_presence(asked));
        self.changing.fetch_sub(1, SeqCst);
    }

    /// Fetches the page for which a thread waits, and absent pages that follow it. A program that
    /// reads memory sequentially therefore seldom waits. The fetched memory is compared again.
    /// Returns whether the page belongs to memory that may be absent.
    pub fn bring_touched(&self, session: &Session, page: usize) -> bool {
        let mut pieces = self.movable.lock();
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
        // A thread may also wait for a page that was never written, so this fills that page with
        // zeros. No page may move away meanwhile, because the zeros would replace its contents.
        UserFault::of_process()
            .into_iter()
            .for_each(|kernel| kernel.clear(page..page + PAGE_BYTES));
        true
    }

    /// Fetches the absent pages of the range.
    pub fn bring(&self, session: &Session, range: Range<usize>) {
        if !movable_pages::is_in_use() {
            return;
        }
        let _held = SignalsHeld::begin();
        let mut pieces = self.movable.lock();
        let first = pieces.range(..=range.start).next_back().map_or(range.start, |(at, _)| *at);
        let inside = pieces.range_mut(first..range.end.max(first)).map(|(_, piece)| piece);
        self.bring_pieces(session, inside.collect());
    }

    /// Fetches all absent pages before a fork, because the child has no thread that could fetch
    /// them.
    pub fn bring_all(&self, session: &Session) {
        let _held = SignalsHeld::begin();
        self.bring_pieces(session, self.movable.lock().values_mut().collect());
    }

    /// Fetches the pieces that are absent.
    fn bring_pieces(&self, session: &Session, mut pieces: Vec<&mut MovablePages>) {
        pieces.retain(|piece| piece.is_absent());
        if pieces.is_empty() {
            return;
        }
        pieces.iter().for_each(|piece| piece.replica.set_absent(false));
        self.change(ReplicaSet::again);
        // Ignored because memory keeps its contents after the loss of its session.
        let _ = await_presence(ask_presence(session, pieces.iter().map(|p| &*p.replica), true));
        pieces.into_iter().for_each(MovablePages::bring);
    }

    /// Sends the worker `bytes`, which the program has changed in managed memory at `address`.
    pub fn send_run(&self, session: &Session, address: u64, bytes: &[u8]) -> Result<(), CUresult> {
        let mut number = self.lock_last_sent();
        *number += 1;
        session.callbacks.send(&ReplicaWrite { number: *number, address }, bytes).map_err(|_| LOST)
    }

    /// Sends the program's changes in memory that is always compared. Returns whether any change
    /// was found.
    pub fn send_small_changes(&self, session: &Session) -> Result<bool, CUresult> {
        let mut number = self.lock_last_sent();
        let Scan { runs, compared_bytes } = self.set().changes_together();
        stats::compared(compared_bytes);
        if runs.is_empty() {
            return Ok(false);
        }
        send_runs(session, &mut number, &runs).map(|()| true)
    }

    /// Notes that work was posted to a stream and may use replicas.
    pub fn note_work(&self, session: &'static Session, stream: &Arc<impl Progress + 'static>) {
        if self.in_use.load(Acquire) {
            self.scanner.note_work(session, stream.clone());
        }
    }

    /// Makes later commands wait for change `number`. Notes the number only after the post, because
    /// another thread that sees it posts commands that rely on the wait.
    fn make_commands_await(&self, session: &'static Session, number: u64) -> Result<(), CUresult> {
        if number > self.awaited.load(Acquire) {
            session.events.target(session).post(&ReplicaAwait { number })?;
            self.awaited.fetch_max(number, Release);
        }
        Ok(())
    }

    /// Blocks until the client has all changes that the device made before the awaited point.
    pub fn after_wait(&self, session: &Session) -> Result<(), CUresult> {
        if !self.in_use.load(Acquire)
            || self.set().is_reported_unasked() && self.changing.load(SeqCst) == 0
        {
            return Ok(());
        }
        self.ask(session)
    }

    /// Blocks until the worker has received all changes sent to it, and all changes by the device
    /// have arrived.
    pub fn ask(&self, session: &Session) -> Result<(), CUresult> {
        let number = self.asked.fetch_add(1, Relaxed) + 1;
        session.callbacks.send(&ReplicaQuery { number }, &[]).map_err(|_| LOST)?;
        stats::waiting(|| {
            let mut answers = self.answers();
            while answers.last < number && !answers.lost {
                answers = self.answered.wait(answers);
            }
            if answers.last < number { Err(LOST) } else { Ok(()) }
        })
    }

    /// Writes the device's changes into the program's memory, on the thread that reads from the
    /// worker. Ignores memory that was closed meanwhile. Returns false if the bytes exceed their
    /// memory.
    pub fn receive(&self, address: u64, bytes: &[u8]) -> bool {
        self.set().apply(address as usize, bytes)
    }
}

/// Number of forks in progress. The child must find all memory present.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// Notes the beginning of a fork.
pub fn note_fork() {
    FORKS.fetch_add(1, SeqCst);
}

/// Notes the end of a fork.
pub fn note_forked() {
    FORKS.fetch_sub(1, SeqCst);
}

/// Returns whether copies or graphs use the memory on threads that must not wait for the node.
fn is_in_use(session: &Session, replica: &Replica) -> bool {
    let rows = HostBox::row(replica.start() as *mut u8, replica.bytes());
    session
        .events
        .sessions()
        .iter()
        .any(|session| session.transfers.is_written(&rows) || session.callbacks.is_fetched(&rows))
}

/// Returns the lowest address from which all memory up to `end` is present.
fn present_before(pieces: &BTreeMap<usize, MovablePages>, end: usize) -> usize {
    let mut from = end;
    for (start, piece) in pieces.range(..end).rev() {
        if piece.is_absent() || piece.range().end != from {
            break;
        }
        from = *start;
    }
    from
}

/// Moves a piece's pages away. Returns the piece if the move succeeded.
fn take_away<'p>(session: &Session, piece: &'p mut MovablePages) -> Option<&'p MovablePages> {
    if is_in_use(session, &piece.replica) {
        piece.wait_longer();
        return None;
    }
    let withdrawn = piece.withdraw();
    let (bytes, start) = (piece.replica.bytes(), piece.replica.start());
    log::note(|| match &withdrawn {
        Ok(()) => format!("{bytes} bytes of pinned memory at {start:#x} are not compared any more"),
        Err(why) => format!("pinned memory at {start:#x} is still compared: {why}"),
    });
    withdrawn.is_ok().then_some(piece)
}

/// Informs the node which parts become absent or present. Adjacent parts share one message.
fn ask_presence<'t>(
    session: &Session,
    parts: impl Iterator<Item = &'t Replica>,
    is_present: bool,
) -> Vec<Arc<ReplySlot>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match ranges.last_mut() {
            Some(last) if last.end == part.start() => last.end = part.range().end,
            _ => ranges.push(part.range()),
        }
    }
    let ask = |range: Range<usize>| {
        let (address, bytes) = (range.start as u64, range.len() as u64);
        let message = ReplicaPresence { address, bytes, is_present };
        session.callbacks.question(session, &message)
    };
    ranges.into_iter().map(ask).collect()
}

/// Blocks until the node has answered and the device's changes to present parts have arrived.
fn await_presence(asked: Vec<Arc<ReplySlot>>) -> Result<(), CUresult> {
    asked.iter().try_for_each(|slot| slot.wait().0.ok())
}

fn send_runs(session: &Session, number: &mut u64, runs: &[Run]) -> Result<(), CUresult> {
    let mut words = Vec::new();
    for run in runs {
        *number += 1;
        frame::append(
            &mut words,
            &ReplicaWrite { number: *number, address: run.address },
            0,
            0,
            run.bytes.len(),
        );
        words.extend_from_slice(&run.bytes);
    }
    session.callbacks.send_frames(&words).map_err(|_| LOST)
}

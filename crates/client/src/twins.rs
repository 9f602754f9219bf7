//! Pinned memory that program and device both reach, over a link: the worker has pages at the same
//! addresses. What the program has changed goes to the worker on the lane of callbacks, which
//! nothing holds up, and is numbered; commands stand behind what was told before them.

use crate::context;
use crate::deferred::LOST;
use crate::session::{Session, ask_aside};
use crate::stats;
use crate::stream::Stream;
use crate::watch::Watch;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex, MutexGuard, RwLock};
use outhaul_transport::TwinSet;
use outhaul_transport::twin::{Look, Run, Twin};
use outhaul_wire::frame;
use outhaul_wire::messages::{Barrier, MirrorAsk, MirrorAwait, MirrorTell};
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

    /// `open` has the worker have pages there.
    ///
    /// # Safety
    /// The program's pages there stay until `close` has returned.
    pub unsafe fn open(
        &self,
        address: usize,
        bytes: usize,
        open: impl FnOnce() -> Result<(), CUresult>,
    ) -> Result<(), CUresult> {
        // What the device has changed in other memory may be too much to be told unasked from the
        // moment on when the worker has this.
        self.changing.fetch_add(1, SeqCst);
        let opened = open();
        if opened.is_ok() {
            // SAFETY: the caller's promise; `close` has it retire.
            let twin = Arc::new(unsafe { Twin::new(address, bytes) });
            self.change(|set| set.with(twin));
            self.watch.note_fresh();
        }
        self.changing.fetch_sub(1, SeqCst);
        opened
    }

    /// `close` has the worker give its pages up. When this returns nobody here touches the memory
    /// any more, and the commands that follow stand behind what was told of it.
    pub fn close(&self, session: &'static Session, address: usize, close: impl FnOnce()) {
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
    pub fn tell(&self, session: &Session) -> Result<u64, CUresult> {
        let mut number = self.telling();
        if self.in_use.load(Acquire) {
            let compared_bytes = self.set().tell(|runs| say(session, &mut number, &runs))?;
            stats::compared(compared_bytes);
        }
        Ok(*number)
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

//! The thread of a process's keeper. The thread receives commands, answers them, and publishes the
//! index of the log's last entry.

use crate::error::Error;
use crate::identity::SteadyTime;
use crate::log::keeper::{ActorCommand, Keeper};
use crate::log::rules::Command;
use crate::log::store_health::StoreHealth;
use crate::model::actor::Actor;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};

/// The most commands and reads that wait for the keeper.
const POSTED_MAX: usize = 4096;
/// The most commands in one entry.
const BATCH_MAX: usize = 256;
/// The interval at which the keeper checks for overdue leases and for others' entries. Usually the
/// keeper learns of both sooner.
const TICK: Duration = Duration::from_millis(100);

/// A message to the keeper.
struct Posted {
    work: Work,
    answer: oneshot::Sender<Answers>,
}

/// A task of the keeper.
enum Work {
    /// To carry out commands.
    CarryOut(Vec<ActorCommand>),
    /// To read others' entries.
    CatchUp,
    /// To know whether the store can be written.
    Probe,
}

impl Posted {
    fn commands(&self) -> &[ActorCommand] {
        if let Work::CarryOut(commands) = &self.work { commands } else { &[] }
    }
}

type Answers = Result<Vec<Result<(), Error>>, Error>;

/// Commands that the keeper has not answered yet.
pub(crate) struct PendingCommands(oneshot::Receiver<Answers>);

impl PendingCommands {
    /// Returns whether the keeper has answered.
    pub fn is_done(&mut self) -> bool {
        self.0.try_recv() != Err(oneshot::error::TryRecvError::Empty)
    }

    /// Blocks until the keeper has answered.
    pub fn wait(self) {
        let _ = self.0.blocking_recv();
    }
}

/// A handle to the keeper's thread, which ends when the handle is dropped.
pub struct KeeperThread {
    posted: SyncSender<Posted>,
    /// Index of the last entry that the keeper has seen.
    news: watch::Receiver<u64>,
    health: Arc<StoreHealth>,
}

impl KeeperThread {
    /// Starts the thread of a keeper that has read entries up to `head`.
    pub fn start(keeper: Keeper, head: u64, clock: SteadyTime) -> KeeperThread {
        let (post, posted) = sync_channel(POSTED_MAX);
        let (publish, news) = watch::channel(head);
        let health = Arc::<StoreHealth>::default();
        let noted = health.clone();
        std::thread::spawn(move || {
            let _ends = EndsByPanic;
            keep(keeper, &posted, &publish, &noted, &clock);
        });
        KeeperThread { posted: post, news, health }
    }

    /// Carries out a command.
    ///
    /// # Errors
    /// The keeper refuses the command, or the thread cannot accept it.
    pub async fn decide(&self, actor: Actor, command: Command) -> Result<(), Error> {
        let answered = self
            .post(Work::CarryOut(vec![(actor, command)]))?
            .await
            .unwrap_or_else(|_| Err(ending()));
        answered?.pop().unwrap_or_else(|| Err(ending()))
    }

    fn post(&self, work: Work) -> Result<oneshot::Receiver<Answers>, Error> {
        let (answer, answered) = oneshot::channel();
        self.posted.try_send(Posted { work, answer }).map_err(|error| match error {
            TrySendError::Full(_) => Error::Busy(format!("{POSTED_MAX} commands wait already")),
            TrySendError::Disconnected(_) => ending(),
        })?;
        Ok(answered)
    }

    /// Starts to carry out `commands` and ignores refusals. The returned value can wait for the
    /// answers.
    pub(crate) fn start_all(&self, commands: Vec<ActorCommand>) -> Option<PendingCommands> {
        self.post(Work::CarryOut(commands)).ok().map(PendingCommands)
    }

    /// Starts to read the entries of other processes.
    pub(crate) fn start_to_catch_up(&self) -> Option<PendingCommands> {
        self.post(Work::CatchUp).ok().map(PendingCommands)
    }

    /// Reads the entries that other processes have written before the call.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn catch_up(&self) -> Result<(), Error> {
        self.post(Work::CatchUp)?.await.unwrap_or_else(|_| Err(ending())).map(drop)
    }

    /// Checks that the store can be written, by a write unless there was one recently.
    ///
    /// # Errors
    /// The store cannot be written, with the reason.
    pub async fn probe(&self) -> Result<(), Error> {
        self.post(Work::Probe)?.await.unwrap_or_else(|_| Err(ending())).map(drop)
    }

    /// Returns a watch on the index of the last entry that the keeper has seen.
    pub fn news(&self) -> watch::Receiver<u64> {
        self.news.clone()
    }

    /// Returns what is known about the store.
    pub fn health(&self) -> &StoreHealth {
        &self.health
    }
}

/// Ends the process if the keeper's thread panics: without the thread the process answers, but
/// grants nothing, and only a new process can.
struct EndsByPanic;

impl Drop for EndsByPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

fn ending() -> Error {
    Error::Busy("it is shutting down".into())
}

/// Runs the keeper's thread: carries out commands, and reads the entries of other processes.
fn keep(
    mut keeper: Keeper,
    posted: &Receiver<Posted>,
    publish: &watch::Sender<u64>,
    health: &StoreHealth,
    clock: &SteadyTime,
) {
    let mut ticked = Instant::now();
    loop {
        let mut batch = Vec::new();
        match posted.recv_timeout(TICK.saturating_sub(ticked.elapsed())) {
            Ok(first) => batch.push(first),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        batch.extend(posted.try_iter().take(BATCH_MAX - batch.len()));
        let is_time = ticked.elapsed() >= TICK;
        // One read of the log serves all messages that arrived before it.
        let is_to_catch_up =
            is_time || batch.iter().any(|posted| matches!(posted.work, Work::CatchUp));
        let seen = if is_to_catch_up { keeper.catch_up(|_, _| {}) } else { Ok(()) };
        let mut commands: Vec<ActorCommand> =
            batch.iter().flat_map(|posted| posted.commands().iter().cloned()).collect();
        if is_time {
            ticked = Instant::now();
            commands.push((Actor::pool(), Command::Tick));
        }
        let written = keeper.written();
        let answers = if commands.is_empty() {
            Vec::new()
        } else {
            keeper.step(clock.now_ms(), &commands, |_, _| {})
        };
        let failed = answers.iter().find_map(|answer| {
            answer.as_ref().err().filter(|error| matches!(error, Error::Store(_)))
        });
        let is_asked = batch.iter().any(|posted| matches!(posted.work, Work::Probe));
        if let Some(error) = failed.cloned().or(seen.clone().err()) {
            health.note(clock.now_ms(), Err(error));
        } else if keeper.written() > written {
            health.note(clock.now_ms(), Ok(()));
        } else if health.needs_probe(clock.now_ms(), is_asked) {
            health.note(clock.now_ms(), keeper.probe());
        }
        let mut answers = answers.into_iter();
        for Posted { work, answer } in batch {
            let _ = answer.send(match work {
                Work::CarryOut(commands) => Ok(answers.by_ref().take(commands.len()).collect()),
                Work::CatchUp => seen.clone().map(|()| Vec::new()),
                Work::Probe => health.trouble().map_or(Ok(Vec::new()), Err),
            });
        }
        publish.send_if_modified(|head| std::mem::replace(head, keeper.head()) != *head);
    }
}

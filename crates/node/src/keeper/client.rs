//! The listener's side of its keeper. The listener starts a keeper, takes over the items of a dead
//! listener, and records changes from then on.

use crate::inherited_fds::spawn_with;
use crate::keeper::process::{KeeperMessage, TAKEN, WELCOME};
use crate::log::log_event;
use crate::pidfd;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::{
    FD_MESSAGE_BYTES_MAX, FdChannel, dial_keeper, listen_as_keeper, receive_fd,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for a keeper's answer; a slower keeper counts as absent.
const ANSWER_WAIT: Duration = Duration::from_secs(5);
/// Longest wait for the end of a listener that was killed.
const GOING_WAIT: Duration = Duration::from_secs(2);
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// An item that a keeper gives to a new listener.
pub struct Left {
    /// The item's name.
    pub name: String,
    /// The item's description.
    pub record: Value,
    /// The item's descriptors.
    pub descriptors: Vec<OwnedFd>,
}

/// The connection to a keeper. By default no keeper exists, and sessions end with their listener.
#[derive(Default)]
pub struct KeeperClient {
    /// Time for which a keeper waits for the next listener; None means that no keeper is wanted.
    grace: Option<Duration>,
    state: Mutex<KeeperState>,
}

#[derive(Default)]
struct KeeperState {
    channel: Option<FdChannel>,
    is_end_meant: bool,
    /// Whether the keeper served an earlier listener.
    is_inherited: bool,
    /// The previous listener's notes, by name.
    notes: BTreeMap<String, Value>,
}

impl KeeperClient {
    /// Makes a client whose keeper waits for `grace`; zero means that no keeper is started.
    pub fn of(grace: Duration) -> KeeperClient {
        KeeperClient {
            grace: Some(grace).filter(|grace| !grace.is_zero()),
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, KeeperState> {
        self.state.lock()
    }

    /// Returns whether a keeper exists, so that processes that are started now outlive this
    /// process.
    pub fn is_there(&self) -> bool {
        self.state().channel.is_some()
    }

    /// Takes over the items of the last listener at `address`, if a keeper holds them. Fails if
    /// that listener still runs.
    pub fn take_over(&self, address: SocketAddr) -> io::Result<Option<Vec<Left>>> {
        if self.grace.is_none() {
            return Ok(None);
        }
        let since = Instant::now();
        loop {
            match call(address) {
                Ok(Some((channel, left))) => {
                    self.begin(channel);
                    let (notes, left) =
                        left.into_iter().partition::<Vec<_>, _>(|one| one.descriptors.is_empty());
                    let mut state = self.state();
                    state.is_inherited = true;
                    state.notes.extend(notes.into_iter().map(|note| (note.name, note.record)));
                    return Ok(Some(left));
                }
                Ok(None) => return Ok(None),
                Err(error)
                    if error.kind() == io::ErrorKind::AddrInUse && since.elapsed() < GOING_WAIT =>
                {
                    std::thread::sleep(RETRY_PAUSE)
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Starts a keeper for a listener at `address`. If the start fails, sessions run as usual but
    /// end with this process.
    pub fn start(&self, address: SocketAddr) {
        let Some(grace) = self.grace else { return };
        let can_be_held = pidfd::can_be_held().then_some(()).ok_or_else(io::Error::last_os_error);
        match can_be_held.and_then(|()| start(address, grace)) {
            Ok(channel) => self.begin(channel),
            Err(error) => log_event(&format!(
                "sessions end with this process, since they cannot be kept beyond it: {error}"
            )),
        }
    }

    fn begin(&self, channel: FdChannel) {
        let mut state = self.state();
        state.channel = Some(channel);
        if state.is_end_meant {
            send(&mut state, &KeeperMessage::EndIsMeant, &[]);
        }
    }

    /// Makes the keeper hold an item under `name` from now on.
    pub fn keep(&self, name: &str, record: &impl Serialize, descriptors: &[BorrowedFd<'_>]) {
        match serde_json::to_value(record) {
            Ok(record) => send(
                &mut self.state(),
                &KeeperMessage::Keep { name: name.to_owned(), record },
                descriptors,
            ),
            Err(error) => log_event(&format!("{name} would not outlast this process: {error}")),
        }
    }

    /// Returns the previous listener's note under `name`. Returns each note only once.
    pub fn noted<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let note = self.state().notes.remove(name)?;
        serde_json::from_value(note).ok()
    }

    /// Records a note: an item without descriptors.
    pub fn note(&self, name: &str, record: &impl Serialize) {
        self.keep(name, record, &[]);
    }

    /// Makes the keeper drop the item under `name`.
    pub fn forget(&self, name: &str) {
        send(&mut self.state(), &KeeperMessage::Forget { name: name.to_owned() }, &[]);
    }

    /// Tells the keeper that this process is about to end, and that all sessions must end with it.
    pub fn mean_the_end(&self) {
        let mut state = self.state();
        state.is_end_meant = true;
        send(&mut state, &KeeperMessage::EndIsMeant, &[]);
    }

    /// Ends the keeper because this process cannot serve. Does nothing if the keeper served an
    /// earlier listener, because a later listener may continue its sessions.
    pub fn end_unless_it_began_before(&self) {
        if !self.state().is_inherited {
            self.end();
        }
    }

    /// Ends the keeper, and waits until all processes that it held have ended.
    pub fn end(&self) {
        self.mean_the_end();
        let Some(channel) = self.state().channel.take() else { return };
        let _ = channel
            .shut()
            .and_then(|()| channel.set_limit(Some(ANSWER_WAIT)))
            .and_then(|()| channel.receive().map(drop));
    }
}

/// Sends a message to the keeper, if one exists.
fn send(state: &mut KeeperState, message: &KeeperMessage, descriptors: &[BorrowedFd<'_>]) {
    let Some(channel) = &state.channel else { return };
    let sent = match serde_json::to_vec(message) {
        Ok(bytes) if bytes.len() <= FD_MESSAGE_BYTES_MAX => channel.send(&bytes, descriptors),
        _ => {
            return log_event(&format!(
                "something is too large to outlast this process: more than {FD_MESSAGE_BYTES_MAX} \
                 bytes"
            ));
        }
    };
    let Err(error) = sent else { return };
    if error.kind() == io::ErrorKind::WouldBlock {
        // The keeper may resume later, and must not then conclude that this process is gone.
        log_event(
            "the keeper does not respond: sessions that begin or end now are not \
            recorded",
        );
    } else {
        log_event(&format!(
            "sessions end with this process from now on, because the keeper is gone: {error}"
        ));
        state.channel = None;
    }
}

fn call(address: SocketAddr) -> io::Result<Option<(FdChannel, Vec<Left>)>> {
    let Some(stream) = dial_keeper(address) else { return Ok(None) };
    stream.set_read_timeout(Some(ANSWER_WAIT))?;
    let mut answer = [0; 16];
    let (count, channel) = receive_fd(&stream, &mut answer, 0)?;
    match &answer[..count] {
        // The keeper is about to end.
        [] => Ok(None),
        TAKEN => Err(io::ErrorKind::AddrInUse.into()),
        WELCOME => {
            let channel: FdChannel = channel.ok_or(io::ErrorKind::InvalidData)?.into();
            channel.set_limit(Some(ANSWER_WAIT))?;
            let left = receive_all(&channel)?;
            Ok(Some((channel, left)))
        }
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn receive_all(channel: &FdChannel) -> io::Result<Vec<Left>> {
    let mut all = Vec::new();
    loop {
        let (bytes, descriptors) = channel.receive()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        match serde_json::from_slice(&bytes)? {
            KeeperMessage::Keep { name, record } => all.push(Left { name, record, descriptors }),
            KeeperMessage::All => return Ok(all),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

fn start(address: SocketAddr, grace: Duration) -> io::Result<FdChannel> {
    let (own, channel) = FdChannel::pair()?;
    own.set_limit(Some(ANSWER_WAIT))?;
    let entrance = listen_as_keeper(address)?;
    let mut command = Command::new(pidfd::OWN_PROGRAM);
    command
        .arg("keeper")
        .arg(grace.as_millis().to_string())
        .env_clear()
        .envs(crate::cell::environment::of_worker());
    command.stdin(Stdio::null()).stdout(Stdio::null());
    spawn_with(command, &[channel.as_fd(), entrance.as_fd()])?;
    Ok(own)
}

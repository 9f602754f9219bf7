//! The keeper: the node's second process, from which the next listener continues the sessions. It
//! holds descriptors and their descriptions, and interprets neither. Without a listener, the keeper
//! keeps all descriptors open, so workers continue and new callers wait.
//!
//! The keeper serves only root and its own user. It ends when no listener comes in time, or when
//! the last listener announced that all sessions must end. Before it ends, it kills all processes
//! whose descriptors it holds.

use crate::inherited_fds;
use crate::log::log_event;
use crate::pidfd;
use outhaul_transport::{FdChannel, is_trusted, send_fds};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

/// Largest number of items, more than a node can have sessions and segments.
const ITEMS_MAX: usize = 1 << 17;
/// Time to wait for the next listener while no session runs.
const IDLE_WAIT: Duration = Duration::from_secs(10);
/// Longest wait for a listener that does not read.
const SEND_WAIT: Duration = Duration::from_secs(5);
/// Interval at which the keeper checks whether any process still runs, while no listener exists.
const POLL: Duration = Duration::from_millis(500);

/// Longest wait for the end of processes that were killed.
const END_WAIT: Duration = Duration::from_secs(2);
const END_POLL: Duration = Duration::from_millis(2);

/// Answer to a caller that becomes the next listener.
pub const WELCOME: &[u8] = b"welcome";
/// Answer to a caller while another listener is connected.
pub const TAKEN: &[u8] = b"taken";

/// A message between listener and keeper.
#[derive(Debug, Serialize, Deserialize)]
pub enum KeeperMessage {
    /// Asks the keeper to hold this message's descriptors under `name`, and to close those that it
    /// held under that name. A new listener receives this message for each item.
    Keep {
        /// The item's name.
        name: String,
        /// Data with which the next listener interprets the descriptors.
        record: Value,
    },
    /// Asks the keeper to close the descriptors that it holds under `name`.
    Forget {
        /// The item's name.
        name: String,
    },
    /// Announces that all sessions must end when the listener is gone.
    EndIsMeant,
    /// Tells a new listener that it has received all items.
    All,
}

struct Item {
    record: Value,
    descriptors: Vec<OwnedFd>,
}

struct Keeper {
    entrance: UnixListener,
    channel: Option<FdChannel>,
    items: BTreeMap<String, Item>,
    grace: Duration,
    is_end_meant: bool,
    alone_since: Instant,
}

/// Runs the keeper until no session is left, or until no listener comes in time.
///
/// # Safety
/// No other code in this process owns the two descriptors that it inherits, and none has opened any
/// yet.
pub unsafe fn run(grace: Duration) -> io::Result<()> {
    // The keeper ignores Ctrl-C, because the listener handles it and sends the keeper its orders.
    // SAFETY: the call takes no pointers.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
    // SAFETY: the caller upholds this function's contract.
    let inherited = unsafe { inherited_fds::take(2) };
    let Ok([Some(channel), Some(entrance)]) = <[_; 2]>::try_from(inherited) else {
        return Err(io::Error::other("only a node can start a keeper: its sockets are missing"));
    };
    Keeper::new(channel.into(), entrance.into(), grace).serve()
}

impl Keeper {
    fn new(channel: FdChannel, entrance: UnixListener, grace: Duration) -> Keeper {
        let (items, alone_since) = (BTreeMap::new(), Instant::now());
        Keeper { entrance, channel: Some(channel), items, grace, is_end_meant: false, alone_since }
    }

    fn serve(mut self) -> io::Result<()> {
        loop {
            let [has_caller, has_message] = self.wait();
            let is_gone = has_message && self.receive().is_none();
            if is_gone && self.is_end_meant || self.channel.is_none() && self.is_given_up() {
                self.end();
                return Ok(());
            }
            if is_gone {
                (self.channel, self.alone_since) = (None, Instant::now());
            }
            if has_caller {
                // An error of one caller concerns only that caller.
                let _ = self.entrance.accept().and_then(|(caller, _)| self.welcome(&caller));
            }
        }
    }

    /// Waits for a caller, for a message from the listener or the listener's end, or until the next
    /// check. Returns whether a caller, and whether the listener, is ready.
    fn wait(&self) -> [bool; 2] {
        let entry = |descriptor: Option<BorrowedFd<'_>>| libc::pollfd {
            fd: descriptor.map_or(-1, |descriptor| descriptor.as_raw_fd()),
            events: libc::POLLIN,
            revents: 0,
        };
        let mut entries =
            [entry(Some(self.entrance.as_fd())), entry(self.channel.as_ref().map(AsFd::as_fd))];
        let limit_ms = if self.channel.is_some() { -1 } else { POLL.as_millis() as i32 };
        // SAFETY: the entries live through the call.
        let ready =
            unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, limit_ms) };
        entries.map(|entry| ready > 0 && entry.revents != 0)
    }

    /// Handles a message. Returns None if the listener is gone.
    fn receive(&mut self) -> Option<()> {
        match self.channel.as_ref()?.receive() {
            Ok(message) => {
                let (bytes, descriptors) = message?;
                self.apply(&bytes, descriptors);
            }
            // The next message may be valid.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {}
            Err(_) => return None,
        }
        Some(())
    }

    /// Handles a message. A listener of a later release may send unknown messages, which must not
    /// affect the items.
    fn apply(&mut self, bytes: &[u8], descriptors: Vec<OwnedFd>) {
        match serde_json::from_slice(bytes) {
            Ok(KeeperMessage::Keep { name, record })
                if self.items.len() < ITEMS_MAX || self.items.contains_key(&name) =>
            {
                self.items.insert(name, Item { record, descriptors });
            }
            Ok(KeeperMessage::Forget { name }) => drop(self.items.remove(&name)),
            Ok(KeeperMessage::EndIsMeant) => self.is_end_meant = true,
            Ok(KeeperMessage::Keep { .. } | KeeperMessage::All) | Err(_) => {
                log_event("the keeper of the node's sessions cannot do what its listener asks")
            }
        }
    }

    /// Accepts a caller as the next listener, or answers that another listener is connected.
    fn welcome(&mut self, caller: &UnixStream) -> io::Result<()> {
        if !is_trusted(caller) {
            return Ok(());
        }
        let (own, theirs) = FdChannel::pair()?;
        own.set_limit(Some(SEND_WAIT))?;
        let answer = if self.channel.is_some() { TAKEN } else { WELCOME };
        send_fds(caller, answer, &[theirs.as_fd()], libc::MSG_DONTWAIT)?;
        drop(theirs);
        if self.channel.is_none() {
            self.hand_over(&own)?;
            own.set_limit(None)?;
            self.channel = Some(own);
        }
        Ok(())
    }

    fn hand_over(&self, channel: &FdChannel) -> io::Result<()> {
        for (name, Item { record, descriptors }) in &self.items {
            let message = KeeperMessage::Keep { name: name.clone(), record: record.clone() };
            let descriptors: Vec<BorrowedFd<'_>> = descriptors.iter().map(AsFd::as_fd).collect();
            channel.send(&serde_json::to_vec(&message)?, &descriptors)?;
        }
        channel.send(&serde_json::to_vec(&KeeperMessage::All)?, &[])
    }

    fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.items.values().flat_map(|item| item.descriptors.iter().map(AsFd::as_fd))
    }

    fn running(&self) -> usize {
        self.descriptors().filter(|descriptor| pidfd::runs(*descriptor)).count()
    }

    fn is_given_up(&self) -> bool {
        let alone = self.alone_since.elapsed();
        alone >= self.grace || alone >= IDLE_WAIT && self.running() == 0
    }

    /// Kills all held processes and waits for their ends. The listener that requested the end sees
    /// its socket close afterwards.
    fn end(&self) {
        if !self.is_end_meant && self.running() > 0 {
            let seconds = self.grace.as_secs();
            log_event(&format!(
                "the node's listener has ended, and none has taken its place within {seconds} s; \
                sessions that end with it: {}",
                self.running()
            ));
        }
        self.descriptors().for_each(pidfd::end);
        let since = Instant::now();
        while self.running() > 0 && since.elapsed() < END_WAIT {
            std::thread::sleep(END_POLL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pidfd::Process;
    use outhaul_transport::receive_fd;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;
    use std::process::Command;
    use std::thread::JoinHandle;

    fn start(name: &str, grace: Duration) -> (FdChannel, SocketAddr, JoinHandle<()>) {
        let name =
            SocketAddr::from_abstract_name(format!("outhaul/test/{name}/{}", std::process::id()))
                .unwrap();
        let entrance = UnixListener::bind_addr(&name).unwrap();
        let (listener, channel) = FdChannel::pair().unwrap();
        let serving =
            std::thread::spawn(move || Keeper::new(channel, entrance, grace).serve().unwrap());
        (listener, name, serving)
    }

    fn send(channel: &FdChannel, message: &KeeperMessage, descriptors: &[BorrowedFd<'_>]) {
        channel.send(&serde_json::to_vec(message).unwrap(), descriptors).unwrap();
    }

    fn keep(channel: &FdChannel, name: &str, record: u32, descriptors: &[BorrowedFd<'_>]) {
        send(
            channel,
            &KeeperMessage::Keep { name: name.into(), record: record.into() },
            descriptors,
        );
    }

    fn call(name: &SocketAddr) -> (Vec<u8>, FdChannel) {
        let stream = UnixStream::connect_addr(name).unwrap();
        let mut answer = [0; 16];
        let (count, channel) = receive_fd(&stream, &mut answer, 0).unwrap();
        (answer[..count].to_vec(), channel.unwrap().into())
    }

    fn sleeper() -> Process {
        Command::new("sleep").arg("1000").spawn().unwrap().into()
    }

    #[test]
    fn the_next_listener_gets_all_items_and_a_second_one_nothing() {
        let (first, name, _serving) = start("next", Duration::from_secs(60));
        let (reading, writing) = std::io::pipe().unwrap();
        keep(&first, "a", 1, &[reading.as_fd()]);
        keep(&first, "b", 2, &[]);
        keep(&first, "b", 3, &[writing.as_fd(), reading.as_fd()]);
        keep(&first, "c", 4, &[]);
        send(&first, &KeeperMessage::Forget { name: "c".into() }, &[]);
        assert_eq!(call(&name).0, TAKEN);
        drop(first);
        let (answer, second) = loop {
            match call(&name) {
                (answer, _) if answer == TAKEN => std::thread::sleep(Duration::from_millis(5)),
                called => break called,
            }
        };
        assert_eq!(answer, WELCOME);
        let mut received = Vec::new();
        loop {
            let (bytes, descriptors) = second.receive().unwrap().unwrap();
            match serde_json::from_slice(&bytes).unwrap() {
                KeeperMessage::Keep { name, record } => {
                    received.push((name, record.as_u64(), descriptors.len()))
                }
                KeeperMessage::All => break,
                message => panic!("{message:?}"),
            }
        }
        assert_eq!(received, [("a".to_owned(), Some(1), 1), ("b".to_owned(), Some(3), 2)]);
        assert_eq!(call(&name).0, TAKEN);
    }

    #[test]
    fn processes_end_with_the_keeper_after_the_grace_or_an_announced_end() {
        for is_meant in [false, true] {
            let grace = Duration::from_secs(if is_meant { 60 } else { 1 });
            let (listener, _, serving) = start(&format!("end-{is_meant}"), grace);
            let worker = sleeper();
            keep(&listener, "worker", 0, &[worker.descriptor().unwrap(), std::io::stdin().as_fd()]);
            if is_meant {
                send(&listener, &KeeperMessage::EndIsMeant, &[]);
            }
            std::thread::sleep(Duration::from_millis(50));
            assert!(pidfd::runs(worker.descriptor().unwrap()));
            let left = Instant::now();
            drop(listener);
            serving.join().unwrap();
            worker.await_end();
            assert!(
                is_meant == (left.elapsed() < Duration::from_millis(900)),
                "{:?}",
                left.elapsed()
            );
        }
    }

    #[test]
    fn invalid_messages_affect_no_items() {
        let (first, name, _serving) = start("nonsense", Duration::from_secs(60));
        let worker = sleeper();
        keep(&first, "worker", 7, &[worker.descriptor().unwrap()]);
        first.send(b"{]", &[]).unwrap();
        first.send(br#"{"Later":1}"#, &[]).unwrap();
        keep(&first, "other", 8, &[]);
        drop(first);
        let second = loop {
            match call(&name) {
                (answer, channel) if answer == WELCOME => break channel,
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let names = std::iter::from_fn(|| {
            match serde_json::from_slice(&second.receive().unwrap().unwrap().0).unwrap() {
                KeeperMessage::Keep { name, .. } => Some(name),
                _ => None,
            }
        });
        assert_eq!(names.collect::<Vec<_>>(), ["other", "worker"]);
        worker.kill();
        worker.status();
    }
}

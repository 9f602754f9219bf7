//! The keeper: a process beside the listener that holds what a listener needs to go on where
//! another one ended. It holds descriptors and what was written about them, and understands
//! neither. While no listener is there nothing that it holds is closed: workers go on, and who
//! calls waits.
//!
//! It serves root and its own user only. When no listener comes in time, or the last one has said
//! that the end is meant, it ends and takes all processes along whose descriptors it holds.

use crate::log::say;
use crate::process;
use outhaul_transport::{Parcel, Post, is_trusted, send_beside};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

/// Where a keeper finds the way to its first listener, and its entrance.
pub const POST_DESCRIPTOR: RawFd = 3;
pub const ENTRANCE_DESCRIPTOR: RawFd = 4;

/// More than sessions and segments can be on a node.
const ITEMS_MAX: usize = 1 << 17;
/// Another listener is waited for so long where no session runs.
const IDLE_WAIT: Duration = Duration::from_secs(10);
/// A listener that takes nothing for so long is given up.
const SEND_WAIT: Duration = Duration::from_secs(5);
/// How often it is looked at, while no listener is there, whether anything still runs.
const LOOK: Duration = Duration::from_millis(500);

/// A process that was killed takes a moment to be gone.
const END_WAIT: Duration = Duration::from_secs(2);
const END_LOOK: Duration = Duration::from_millis(2);

/// What a caller at the entrance is told.
pub const WELCOME: &[u8] = b"welcome";
pub const TAKEN: &[u8] = b"taken";

/// What listener and keeper say to each other.
#[derive(Debug, Serialize, Deserialize)]
pub enum Word {
    /// Holds the descriptors that come along under the name, and closes what it held there. A new
    /// listener hears the same of everything that there is.
    Keep {
        name: String,
        record: Value,
    },
    Forget {
        name: String,
    },
    /// When the listener is gone, all is to end.
    EndIsMeant,
    /// To a new listener: nothing more is kept.
    All,
}

struct Item {
    record: Value,
    descriptors: Vec<OwnedFd>,
}

struct Keeper {
    entrance: UnixListener,
    post: Option<Post>,
    items: BTreeMap<String, Item>,
    grace: Duration,
    is_end_meant: bool,
    alone_since: Instant,
}

/// Keeps until nothing is left to be kept, or for nobody.
///
/// # Safety
/// The two descriptors lie where they are looked for, and nobody else in this process owns them.
pub unsafe fn run(grace: Duration) -> io::Result<()> {
    // Ctrl-C is for the listener, which says what it means by it.
    // SAFETY: takes no pointers.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
    // SAFETY: the caller's promise.
    let (post, entrance) = unsafe {
        (OwnedFd::from_raw_fd(POST_DESCRIPTOR), OwnedFd::from_raw_fd(ENTRANCE_DESCRIPTOR))
    };
    Keeper::new(post.into(), entrance.into(), grace).serve()
}

impl Keeper {
    fn new(post: Post, entrance: UnixListener, grace: Duration) -> Keeper {
        let (items, alone_since) = (BTreeMap::new(), Instant::now());
        Keeper { entrance, post: Some(post), items, grace, is_end_meant: false, alone_since }
    }

    fn serve(mut self) -> io::Result<()> {
        loop {
            let [called, told] = self.wait();
            let is_gone = told && self.hear().is_none();
            if is_gone && self.is_end_meant || self.post.is_none() && self.is_given_up() {
                self.end();
                return Ok(());
            }
            if is_gone {
                (self.post, self.alone_since) = (None, Instant::now());
            }
            if called {
                // One that goes wrong is the caller's affair.
                let _ = self.entrance.accept().and_then(|(caller, _)| self.welcome(&caller));
            }
        }
    }

    /// Until somebody calls, or the listener says something or is gone; or it is time to look
    /// again.
    fn wait(&self) -> [bool; 2] {
        let entry = |descriptor: Option<BorrowedFd<'_>>| libc::pollfd {
            fd: descriptor.map_or(-1, |descriptor| descriptor.as_raw_fd()),
            events: libc::POLLIN,
            revents: 0,
        };
        let mut entries =
            [entry(Some(self.entrance.as_fd())), entry(self.post.as_ref().map(AsFd::as_fd))];
        let limit_ms = if self.post.is_some() { -1 } else { LOOK.as_millis() as i32 };
        // SAFETY: the entries live through the call.
        let ready =
            unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, limit_ms) };
        entries.map(|entry| ready > 0 && entry.revents != 0)
    }

    /// None: the listener is gone.
    fn hear(&mut self) -> Option<()> {
        match self.post.as_ref()?.receive() {
            Ok(parcel) => self.obey(parcel?),
            // What comes next may make sense.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {}
            Err(_) => return None,
        }
        Some(())
    }

    /// A listener of a later release may say more than is understood here. That must not cost what
    /// is kept.
    fn obey(&mut self, Parcel { bytes, descriptors }: Parcel) {
        match serde_json::from_slice(&bytes) {
            Ok(Word::Keep { name, record })
                if self.items.len() < ITEMS_MAX || self.items.contains_key(&name) =>
            {
                self.items.insert(name, Item { record, descriptors });
            }
            Ok(Word::Forget { name }) => drop(self.items.remove(&name)),
            Ok(Word::EndIsMeant) => self.is_end_meant = true,
            Ok(Word::Keep { .. } | Word::All) | Err(_) => {
                say("the keeper of the node's sessions does not do what its listener says")
            }
        }
    }

    /// A listener that would take the place of the one before.
    fn welcome(&mut self, caller: &UnixStream) -> io::Result<()> {
        if !is_trusted(caller) {
            return Ok(());
        }
        let (own, theirs) = Post::pair()?;
        own.set_limit(Some(SEND_WAIT))?;
        let words = if self.post.is_some() { TAKEN } else { WELCOME };
        send_beside(caller, words, theirs.as_fd(), libc::MSG_DONTWAIT)?;
        drop(theirs);
        if self.post.is_none() {
            self.hand_over(&own)?;
            own.set_limit(None)?;
            self.post = Some(own);
        }
        Ok(())
    }

    fn hand_over(&self, post: &Post) -> io::Result<()> {
        for (name, Item { record, descriptors }) in &self.items {
            let word = Word::Keep { name: name.clone(), record: record.clone() };
            let descriptors: Vec<BorrowedFd<'_>> = descriptors.iter().map(AsFd::as_fd).collect();
            post.send(&serde_json::to_vec(&word)?, &descriptors)?;
        }
        post.send(&serde_json::to_vec(&Word::All)?, &[])
    }

    fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.items.values().flat_map(|item| item.descriptors.iter().map(AsFd::as_fd))
    }

    fn running(&self) -> usize {
        self.descriptors().filter(|descriptor| process::runs(*descriptor)).count()
    }

    fn is_given_up(&self) -> bool {
        let alone = self.alone_since.elapsed();
        alone >= self.grace || alone >= IDLE_WAIT && self.running() == 0
    }

    /// The listener that meant the end sees its post close when this is over.
    fn end(&self) {
        if !self.is_end_meant && self.running() > 0 {
            let seconds = self.grace.as_secs();
            say(&format!(
                "the node's listener has ended, and none has taken its place within {seconds} s; \
                sessions that end with it: {}",
                self.running()
            ));
        }
        self.descriptors().for_each(process::end);
        let since = Instant::now();
        while self.running() > 0 && since.elapsed() < END_WAIT {
            std::thread::sleep(END_LOOK);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Process;
    use outhaul_transport::receive_beside;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;
    use std::process::Command;
    use std::thread::JoinHandle;

    fn start(name: &str, grace: Duration) -> (Post, SocketAddr, JoinHandle<()>) {
        let name =
            SocketAddr::from_abstract_name(format!("outhaul/test/{name}/{}", std::process::id()))
                .unwrap();
        let entrance = UnixListener::bind_addr(&name).unwrap();
        let (listener, post) = Post::pair().unwrap();
        let serving =
            std::thread::spawn(move || Keeper::new(post, entrance, grace).serve().unwrap());
        (listener, name, serving)
    }

    fn tell(post: &Post, word: &Word, descriptors: &[BorrowedFd<'_>]) {
        post.send(&serde_json::to_vec(word).unwrap(), descriptors).unwrap();
    }

    fn keep(post: &Post, name: &str, record: u32, descriptors: &[BorrowedFd<'_>]) {
        tell(post, &Word::Keep { name: name.into(), record: record.into() }, descriptors);
    }

    fn call(name: &SocketAddr) -> (Vec<u8>, Post) {
        let stream = UnixStream::connect_addr(name).unwrap();
        let mut words = [0; 16];
        let (count, post) = receive_beside(&stream, &mut words, 0).unwrap();
        (words[..count].to_vec(), post.unwrap().into())
    }

    fn sleeper() -> Process {
        Command::new("sleep").arg("1000").spawn().unwrap().into()
    }

    #[test]
    fn the_next_listener_gets_what_is_kept_and_a_second_one_nothing() {
        let (first, name, _serving) = start("next", Duration::from_secs(60));
        let (reading, writing) = std::io::pipe().unwrap();
        keep(&first, "a", 1, &[reading.as_fd()]);
        keep(&first, "b", 2, &[]);
        keep(&first, "b", 3, &[writing.as_fd(), reading.as_fd()]);
        keep(&first, "c", 4, &[]);
        tell(&first, &Word::Forget { name: "c".into() }, &[]);
        assert_eq!(call(&name).0, TAKEN);
        drop(first);
        let (words, second) = loop {
            match call(&name) {
                (words, _) if words == TAKEN => std::thread::sleep(Duration::from_millis(5)),
                called => break called,
            }
        };
        assert_eq!(words, WELCOME);
        let mut heard = Vec::new();
        loop {
            let parcel = second.receive().unwrap().unwrap();
            match serde_json::from_slice(&parcel.bytes).unwrap() {
                Word::Keep { name, record } => {
                    heard.push((name, record.as_u64(), parcel.descriptors.len()))
                }
                Word::All => break,
                word => panic!("{word:?}"),
            }
        }
        assert_eq!(heard, [("a".to_owned(), Some(1), 1), ("b".to_owned(), Some(3), 2)]);
        assert_eq!(call(&name).0, TAKEN);
    }

    #[test]
    fn when_nobody_comes_or_the_end_is_meant_what_runs_ends_with_the_keeper() {
        for is_meant in [false, true] {
            let grace = Duration::from_secs(if is_meant { 60 } else { 1 });
            let (listener, _, serving) = start(&format!("end-{is_meant}"), grace);
            let worker = sleeper();
            keep(&listener, "worker", 0, &[worker.descriptor().unwrap(), std::io::stdin().as_fd()]);
            if is_meant {
                tell(&listener, &Word::EndIsMeant, &[]);
            }
            std::thread::sleep(Duration::from_millis(50));
            assert!(process::runs(worker.descriptor().unwrap()));
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
    fn what_makes_no_sense_costs_nothing() {
        let (first, name, _serving) = start("nonsense", Duration::from_secs(60));
        let worker = sleeper();
        keep(&first, "worker", 7, &[worker.descriptor().unwrap()]);
        first.send(b"{]", &[]).unwrap();
        first.send(br#"{"Later":1}"#, &[]).unwrap();
        keep(&first, "other", 8, &[]);
        drop(first);
        let second = loop {
            match call(&name) {
                (words, post) if words == WELCOME => break post,
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let names = std::iter::from_fn(|| {
            match serde_json::from_slice(&second.receive().unwrap().unwrap().bytes).unwrap() {
                Word::Keep { name, .. } => Some(name),
                _ => None,
            }
        });
        assert_eq!(names.collect::<Vec<_>>(), ["other", "worker"]);
        worker.kill();
        worker.status();
    }
}

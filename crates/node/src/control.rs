//! What the listener and a worker tell each other about turns: notes of one size over a pair of
//! sockets. Nothing here comes from the network, but a worker serves a client that is not trusted,
//! so the listener checks what it reads all the same.

use outhaul_share::{Action, Engine, Order, Term};
use outhaul_transport::look::{LONG, look};
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// What is sent at once is in the kernel's hands whole or not at all, so a listener that dies
/// leaves no part of a note behind.
const NOTE_BYTES: usize = 16;
/// What a listener that begins anew throws away at once.
const OLD_NOTES: usize = 256;

/// Of an engine of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    // From a worker.
    /// The device is the one with this identity: sessions may see the node's devices in other
    /// orders, or not all.
    Device,
    Wants,
    Completed,
    Yielded,
    Unused,
    /// All the time that the session has used on the engine while nobody else wanted it.
    Used,
    /// Behind the answers to `Report`.
    Reported,
    /// So many bytes of the device are missing for the session's memory.
    Misses,
    /// Something has been moved for `Evict`, and more will be.
    Evicting,
    /// The answer to `Evict`: so many bytes.
    Evicted,
    /// To the host or back, by the engine: so many bytes, and how long that took. Of computing: how
    /// long the session waited for its memory.
    MovedBytes,
    Moved,
    /// A connection of the session broke, which waits for another one: for so many milliseconds.
    Lost,
    /// All its connections are there again: after so many nanoseconds.
    Found,
    /// Nothing has come from the program for so many milliseconds; 0 once something has.
    Silent,
    // To a worker.
    /// The value is the window; flags say whether it is one, and whether to keep the turn. It comes
    /// with the turn's length.
    Grant,
    Contended,
    Keep,
    Drain,
    /// The value says whether copies take turns together with computing.
    Joint,
    /// The value says whether other sessions use the device too.
    Company,
    Report,
    /// Move so many bytes of the device to the host.
    Evict,
    /// Others move memory; the answer to `Misses` takes a while yet.
    Moving,
    /// The answer to `Misses`: others have moved so many bytes.
    Room,
    // Both ways.
    /// The listener is another than before, and knows of no turn. The worker says the same with
    /// this value, and behind it all that a listener is to know.
    Anew,
}

const WORDS: [Word; 26] = [
    Word::Device,
    Word::Wants,
    Word::Completed,
    Word::Yielded,
    Word::Unused,
    Word::Used,
    Word::Reported,
    Word::Misses,
    Word::Evicting,
    Word::Evicted,
    Word::MovedBytes,
    Word::Moved,
    Word::Lost,
    Word::Found,
    Word::Silent,
    Word::Grant,
    Word::Contended,
    Word::Keep,
    Word::Drain,
    Word::Joint,
    Word::Company,
    Word::Report,
    Word::Evict,
    Word::Moving,
    Word::Room,
    Word::Anew,
];

impl Word {
    fn is_about_turns(self) -> bool {
        use Word::*;
        matches!(self, Wants | Completed | Yielded | Unused | Grant | Contended | Drain)
    }
}

const FLAG_KEEP: u8 = 1;
const FLAG_RUN: u8 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    pub word: Word,
    pub device: u8,
    pub engine: Engine,
    flags: u8,
    length_us: u32,
    pub value: u64,
}

impl Note {
    pub fn new(word: Word, device: u8, engine: Engine, value: u64) -> Note {
        Note { word, device, engine, flags: 0, length_us: 0, value }
    }

    /// About no engine.
    pub fn plain(word: Word, value: u64) -> Note {
        Note::new(word, 0, Engine::Compute, value)
    }

    /// What a worker is to hear of an action; timers and the like are the listener's own.
    pub fn of(action: Action, device: u8) -> Option<(u64, Note)> {
        Some(match action {
            Action::Grant { session, engine, term, length_ns, keep } => {
                let (kind, value) = match term {
                    Term::Run { pieces_max } => (FLAG_RUN, pieces_max as u64),
                    Term::Window { window_ns } => (0, window_ns),
                };
                let flags = kind | if keep { FLAG_KEEP } else { 0 };
                let length_us = u32::try_from(length_ns / 1000).unwrap_or(u32::MAX);
                (
                    session.0,
                    Note { flags, length_us, ..Note::new(Word::Grant, device, engine, value) },
                )
            }
            Action::Contended { session, engine } => {
                (session.0, Note::new(Word::Contended, device, engine, 0))
            }
            Action::Keep { session, engine } => {
                (session.0, Note::new(Word::Keep, device, engine, 0))
            }
            Action::Drain { session, engine } => {
                (session.0, Note::new(Word::Drain, device, engine, 0))
            }
            Action::Overlap { .. } | Action::Timer { .. } => return None,
        })
    }

    /// What the arbiter says to a worker's seat, if it is that.
    pub fn order(&self) -> Option<Order> {
        let run = self.flags & FLAG_RUN != 0;
        let term = if run {
            Term::Run { pieces_max: self.value as usize }
        } else {
            Term::Window { window_ns: self.value }
        };
        let length_ns = u64::from(self.length_us) * 1000;
        match self.word {
            Word::Grant => {
                Some(Order::Grant { term, length_ns, keep: self.flags & FLAG_KEEP != 0 })
            }
            Word::Contended => Some(Order::Contended),
            Word::Keep => Some(Order::Keep),
            Word::Drain => Some(Order::Drain),
            _ => None,
        }
    }

    fn bytes(&self) -> [u8; NOTE_BYTES] {
        let mut bytes = [0; NOTE_BYTES];
        let word = WORDS.iter().position(|word| *word == self.word).unwrap_or_default() as u8;
        bytes[..4].copy_from_slice(&[word, self.device, self.engine as u8, self.flags]);
        bytes[4..8].copy_from_slice(&self.length_us.to_le_bytes());
        bytes[8..].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8; NOTE_BYTES]) -> Option<Note> {
        let [word, device, engine, flags, ..] = *bytes;
        let (word, engine) =
            (*WORDS.get(usize::from(word))?, *Engine::ALL.get(usize::from(engine))?);
        let (length_us, value) = (
            u32::from_le_bytes(bytes[4..8].try_into().ok()?),
            u64::from_le_bytes(bytes[8..].try_into().ok()?),
        );
        Some(Note { word, device, engine, flags, length_us, value })
    }
}

/// One end. Any number of threads may send; one reads.
#[derive(Clone)]
pub struct Control(Arc<UnixStream>);

impl Control {
    pub fn pair() -> io::Result<(Control, Control)> {
        let (one, other) = UnixStream::pair()?;
        Ok((Control(Arc::new(one)), Control(Arc::new(other))))
    }

    pub fn descriptor(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    pub fn end(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// The listener's end, which another listener had.
    pub fn inherit(end: OwnedFd) -> Control {
        Control(Arc::new(end.into()))
    }

    /// # Safety
    /// The descriptor is a control socket that nobody else in this process owns.
    pub unsafe fn adopt(descriptor: RawFd) -> Control {
        // SAFETY: the caller's promise.
        Control(Arc::new(unsafe { OwnedFd::from_raw_fd(descriptor) }.into()))
    }

    /// Never waits: who does not read for so long that the socket is full is beyond help.
    pub fn send(&self, notes: &[Note]) -> io::Result<()> {
        let bytes: Vec<u8> = notes.iter().flat_map(Note::bytes).collect();
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the bytes live through the call.
        let sent =
            unsafe { libc::send(self.0.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), flags) };
        match sent {
            sent if sent == bytes.len() as isize => Ok(()),
            sent if sent < 0 => Err(io::Error::last_os_error()),
            _ => Err(io::ErrorKind::WriteZero.into()),
        }
    }

    /// The next note behind `last`. If that was about turns it looks for a while before it sleeps:
    /// others may wait, and the GPU idles for as long as a thread takes to wake up.
    pub fn receive_behind(&self, last: Option<Word>) -> io::Result<Note> {
        if last.is_some_and(Word::is_about_turns) {
            look(LONG, || self.is_there().then_some(()));
        }
        self.receive()
    }

    pub fn receive(&self) -> io::Result<Note> {
        let mut bytes = [0; NOTE_BYTES];
        (&*self.0).read_exact(&mut bytes)?;
        Note::read(&bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Has a worker, with which another listener spoke, say all again. What it said to that one is
    /// not heard.
    pub fn begin_anew(&self) -> io::Result<()> {
        self.throw_away()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Different from that of the listener before, whose answer may yet come.
        let anew = Note::plain(Word::Anew, now.as_nanos() as u64);
        self.send(&[anew])?;
        while self.receive()? != anew {}
        Ok(())
    }

    fn throw_away(&self) -> io::Result<()> {
        let mut notes = [0u8; OLD_NOTES * NOTE_BYTES];
        loop {
            // SAFETY: the bytes are a local's.
            let count = unsafe {
                libc::recv(
                    self.0.as_raw_fd(),
                    notes.as_mut_ptr().cast(),
                    notes.len(),
                    libc::MSG_DONTWAIT,
                )
            };
            match count {
                1.. => {}
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                _ => match io::Error::last_os_error() {
                    error if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                    error => return Err(error),
                },
            }
        }
    }

    /// Whether the other end is closed.
    pub fn is_over(&self) -> bool {
        let mut entry =
            libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLRDHUP, revents: 0 };
        // SAFETY: one entry, which lives through the call.
        unsafe { libc::poll(&mut entry, 1, 0) > 0 }
    }

    /// A note, or the end.
    fn is_there(&self) -> bool {
        let mut byte = 0u8;
        let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
        // SAFETY: the byte is a local.
        let found = unsafe { libc::recv(self.0.as_raw_fd(), (&raw mut byte).cast(), 1, flags) };
        found >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::WouldBlock
    }

    /// What does not come fails a test rather than holding it up.
    #[cfg(test)]
    pub fn set_read_timeout(&self, limit: std::time::Duration) {
        self.0.set_read_timeout(Some(limit)).unwrap();
    }

    pub fn close(&self) {
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outhaul_share::SessionId;

    #[test]
    fn notes_arrive_as_they_were_sent() {
        let (one, other) = Control::pair().unwrap();
        let grant = Action::Grant {
            session: SessionId(7),
            engine: Engine::CopyToHost,
            term: Term::Window { window_ns: 5 },
            length_ns: 8_000_000,
            keep: true,
        };
        let (session, note) = Note::of(grant, 3).unwrap();
        one.send(&[note, Note::plain(Word::Report, 3)]).unwrap();
        let came = other.receive().unwrap();
        assert_eq!((session, came, came.order()), (7, note, Order::of(grant)));
        assert_eq!(other.receive().unwrap().word, Word::Report);
        assert!(!other.is_over());
        drop(one);
        assert!(other.is_over());
        assert_eq!(other.receive().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn what_a_worker_said_to_another_listener_is_not_heard() {
        let (first, worker) = Control::pair().unwrap();
        let second = Control::inherit(first.0.try_clone().unwrap().into());
        let wants = |value| Note::new(Word::Wants, 0, Engine::Compute, value);
        while worker.send(&[wants(1)]).is_ok() {}
        let answering = std::thread::spawn(move || {
            let anew = worker.receive().unwrap();
            // As if it had answered the first listener just now.
            worker.send(&[Note::plain(Word::Anew, 0), wants(2)]).unwrap();
            worker.send(&[anew, wants(3)]).unwrap();
        });
        second.begin_anew().unwrap();
        assert_eq!(second.receive().unwrap(), wants(3));
        answering.join().unwrap();
    }
}

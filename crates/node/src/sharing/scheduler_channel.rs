//! Notes between the listener and a worker about turns and memory: messages of one size over a pair
//! of sockets. The notes do not come from the network. Nevertheless, the listener checks all notes,
//! because a worker serves a client that is not trusted.

use outhaul_share::{Action, Engine, Order, Term};
use outhaul_transport::os::send::has_ended;
use outhaul_transport::os::spin::{ANSWER_SPIN, PROGRAM_SPIN, spin};
use std::io::{self, Read};
use std::num::NonZero;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Size of a note in bytes. Linux accepts notes that are sent in one call as a whole or not at all,
/// so a listener that dies leaves no incomplete note.
const NOTE_BYTES: usize = 16;
/// Number of threads of a session that may spin at once while turns are handed over: one of the
/// listener, and those of the worker that read notes and wait for the turn.
const SPINNING_THREADS_OF_SESSION: usize = 3;
/// Number of sessions whose threads may spin on any machine.
const SPINNING_SESSIONS_MIN: usize = 2;
/// Number of old notes that a new listener discards in one read.
const OLD_NOTES: usize = 256;

/// The kind of a note about an engine of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    // Notes from a worker.
    /// The identity of the session's next device. Sessions may see the node's devices in another
    /// order, or not all of them.
    Device,
    Wants,
    Completed,
    Yielded,
    Unused,
    /// Time that the session has used on the engine while no other session wanted it.
    Used,
    // Counts of the session's frames, if its lease promises a rate; the last has microseconds.
    FramesSeen,
    FramesLate,
    FramesSkipped,
    FrameWorst,
    /// End of the answers to `Report`.
    Reported,
    /// Number of bytes of the device that the session's memory lacks.
    Misses,
    /// The worker has moved some memory for `Evict`, and will move more.
    Evicting,
    /// Answer to `Evict`: the number of bytes that were moved.
    Evicted,
    /// Number of bytes that the engine moved to the host or back. `Moved` has the time that the
    /// move took. For the compute engine, `Moved` has the time that the session waited for its
    /// memory.
    MovedBytes,
    Moved,
    /// A connection of the session broke. The session waits this many milliseconds for another one.
    Lost,
    /// All connections of the session work again, after this many nanoseconds.
    Found,
    /// The program has sent no data for this many milliseconds; 0 once it has sent some.
    Silent,
    // Notes to a worker.
    /// A turn. The value is the window or the number of pieces; one flag shows which, and another
    /// whether to keep the turn. The note includes the turn's length.
    Grant,
    Contended,
    Keep,
    Drain,
    /// Whether copies take turns together with computing.
    Joint,
    /// Number of sessions that use the device.
    Sessions,
    Report,
    /// A request to move this many bytes of the device to the host.
    Evict,
    /// Other sessions are moving memory; the answer to `Misses` takes a while.
    Moving,
    /// The answer to `Misses`: other sessions have moved this many bytes.
    Room,
    // Notes in both directions.
    /// The listener has replaced another one, and knows of no turn. The worker answers with an
    /// identical note, followed by all state that a listener must know.
    Anew,
}

const KINDS: [NoteKind; 30] = [
    NoteKind::Device,
    NoteKind::Wants,
    NoteKind::Completed,
    NoteKind::Yielded,
    NoteKind::Unused,
    NoteKind::Used,
    NoteKind::Reported,
    NoteKind::Misses,
    NoteKind::Evicting,
    NoteKind::Evicted,
    NoteKind::MovedBytes,
    NoteKind::Moved,
    NoteKind::Lost,
    NoteKind::Found,
    NoteKind::Silent,
    NoteKind::Grant,
    NoteKind::Contended,
    NoteKind::Keep,
    NoteKind::Drain,
    NoteKind::Joint,
    NoteKind::Sessions,
    NoteKind::Report,
    NoteKind::Evict,
    NoteKind::Moving,
    NoteKind::Room,
    NoteKind::Anew,
    NoteKind::FramesSeen,
    NoteKind::FramesLate,
    NoteKind::FramesSkipped,
    NoteKind::FrameWorst,
];

impl NoteKind {
    fn is_about_turns(self) -> bool {
        use NoteKind::*;
        matches!(self, Wants | Completed | Yielded | Unused | Grant | Contended | Drain)
    }
}

const FLAG_KEEP: u8 = 1;
const FLAG_RUN: u8 = 2;

/// A message between listener and worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// The note's kind.
    pub kind: NoteKind,
    /// The session's ordinal of the device.
    pub device: u8,
    /// The engine.
    pub engine: Engine,
    flags: u8,
    length_us: u32,
    /// The value; its meaning depends on the kind.
    pub value: u64,
}

impl Note {
    /// Makes a note.
    pub fn new(kind: NoteKind, device: u8, engine: Engine, value: u64) -> Note {
        Note { kind, device, engine, flags: 0, length_us: 0, value }
    }

    /// Makes a note that concerns no engine.
    pub fn plain(kind: NoteKind, value: u64) -> Note {
        Note::new(kind, 0, Engine::Compute, value)
    }

    /// Returns the session and the note for an action of the arbiter. Returns None for actions that
    /// concern only the listener, such as timers.
    pub fn of(action: Action, device: u8) -> Option<(u64, Note)> {
        Some(match action {
            Action::Grant { session, engine, term, length_ns, keep } => {
                let (run, value) = match term {
                    Term::Run { pieces_max } => (FLAG_RUN, pieces_max as u64),
                    Term::Window { window_ns } => (0, window_ns),
                };
                let flags = run | if keep { FLAG_KEEP } else { 0 };
                let length_us = u32::try_from(length_ns / 1000).unwrap_or(u32::MAX);
                (
                    session.0,
                    Note { flags, length_us, ..Note::new(NoteKind::Grant, device, engine, value) },
                )
            }
            Action::Contended { session, engine } => {
                (session.0, Note::new(NoteKind::Contended, device, engine, 0))
            }
            Action::Keep { session, engine } => {
                (session.0, Note::new(NoteKind::Keep, device, engine, 0))
            }
            Action::Drain { session, engine } => {
                (session.0, Note::new(NoteKind::Drain, device, engine, 0))
            }
            Action::Overlap { .. } | Action::Timer { .. } => return None,
        })
    }

    /// Returns the arbiter's order to a worker's seat, if the note is an order.
    pub fn order(&self) -> Option<Order> {
        let run = self.flags & FLAG_RUN != 0;
        let term = if run {
            Term::Run { pieces_max: self.value as usize }
        } else {
            Term::Window { window_ns: self.value }
        };
        let length_ns = u64::from(self.length_us) * 1000;
        match self.kind {
            NoteKind::Grant => {
                Some(Order::Grant { term, length_ns, keep: self.flags & FLAG_KEEP != 0 })
            }
            NoteKind::Contended => Some(Order::Contended),
            NoteKind::Keep => Some(Order::Keep),
            NoteKind::Drain => Some(Order::Drain),
            _ => None,
        }
    }

    fn bytes(&self) -> [u8; NOTE_BYTES] {
        let mut bytes = [0; NOTE_BYTES];
        let kind = KINDS.iter().position(|kind| *kind == self.kind).unwrap_or_default() as u8;
        bytes[..4].copy_from_slice(&[kind, self.device, self.engine as u8, self.flags]);
        bytes[4..8].copy_from_slice(&self.length_us.to_le_bytes());
        bytes[8..].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8; NOTE_BYTES]) -> Option<Note> {
        let [kind, device, engine, flags, ..] = *bytes;
        let (kind, engine) =
            (*KINDS.get(usize::from(kind))?, *Engine::ALL.get(usize::from(engine))?);
        let (length_us, value) = (
            u32::from_le_bytes(bytes[4..8].try_into().ok()?),
            u64::from_le_bytes(bytes[8..].try_into().ok()?),
        );
        Some(Note { kind, device, engine, flags, length_us, value })
    }
}

/// One end of the channel. Any number of threads may send; only one may read.
#[derive(Clone)]
pub struct SchedulerChannel(Arc<UnixStream>);

impl From<OwnedFd> for SchedulerChannel {
    fn from(end: OwnedFd) -> SchedulerChannel {
        SchedulerChannel(Arc::new(end.into()))
    }
}

impl AsFd for SchedulerChannel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Returns how long a thread spins that hands turns over, if the GPU has `sessions` sessions. Where
/// the CPUs do not suffice for the threads of all, each spins only briefly: spinning threads would
/// delay those that work.
pub fn hand_over_spin(sessions: usize) -> Duration {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let enough = sessions <= SPINNING_SESSIONS_MIN.max(processors / SPINNING_THREADS_OF_SESSION);
    if enough { PROGRAM_SPIN } else { ANSWER_SPIN }
}

impl SchedulerChannel {
    /// Makes two connected ends.
    pub fn pair() -> io::Result<(SchedulerChannel, SchedulerChannel)> {
        let (one, other) = UnixStream::pair()?;
        Ok((SchedulerChannel(Arc::new(one)), SchedulerChannel(Arc::new(other))))
    }

    /// Sends notes. Fails instead of blocking if the other process reads so slowly that the socket
    /// is full.
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

    /// Waits for the next note. If `last` was about turns, spins before it sleeps, because other
    /// sessions may wait and the GPU is idle while a thread wakes. `sessions` is the number of
    /// sessions that may do the same.
    pub fn receive_after(&self, last: Option<NoteKind>, sessions: usize) -> io::Result<Note> {
        if last.is_some_and(NoteKind::is_about_turns) {
            spin(hand_over_spin(sessions), || self.is_there().then_some(()));
        }
        self.receive()
    }

    /// Waits for the next note. Fails at the channel's end, or on an invalid note.
    pub fn receive(&self) -> io::Result<Note> {
        let mut bytes = [0; NOTE_BYTES];
        (&*self.0).read_exact(&mut bytes)?;
        Note::read(&bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Makes an earlier listener's worker send all its state again. Discards the notes that the
    /// worker sent to that listener.
    pub fn begin_anew(&self) -> io::Result<()> {
        self.throw_away()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // This value must differ from the previous listener's, because the answer to that listener
        // may still arrive.
        let anew = Note::plain(NoteKind::Anew, now.as_nanos() as u64);
        self.send(&[anew])?;
        while self.receive()? != anew {}
        Ok(())
    }

    fn throw_away(&self) -> io::Result<()> {
        let mut notes = [0u8; OLD_NOTES * NOTE_BYTES];
        loop {
            // SAFETY: the buffer is a local, valid for writes of its length.
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

    /// Returns whether the other end is closed.
    pub fn is_over(&self) -> bool {
        has_ended(&*self.0)
    }

    /// Returns whether a note has arrived, or the channel has ended.
    fn is_there(&self) -> bool {
        let mut byte = 0u8;
        let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
        // SAFETY: the buffer is a local, valid for writes of one byte.
        let found = unsafe { libc::recv(self.0.as_raw_fd(), (&raw mut byte).cast(), 1, flags) };
        found >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::WouldBlock
    }

    /// Limits the wait for a note, so that a test fails instead of hanging.
    #[cfg(test)]
    pub fn set_read_timeout(&self, limit: std::time::Duration) {
        self.0.set_read_timeout(Some(limit)).unwrap();
    }

    /// Closes both directions.
    pub fn close(&self) {
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outhaul_share::SessionId;

    #[test]
    fn threads_spin_for_long_only_if_the_processors_suffice_for_all_sessions() {
        assert_eq!([0, 1, 2].map(hand_over_spin), [PROGRAM_SPIN; 3]);
        assert_eq!(hand_over_spin(4096), ANSWER_SPIN);
    }

    #[test]
    fn notes_arrive_as_they_were_sent() {
        let (one, other) = SchedulerChannel::pair().unwrap();
        let grant = Action::Grant {
            session: SessionId(7),
            engine: Engine::CopyToHost,
            term: Term::Window { window_ns: 5 },
            length_ns: 8_000_000,
            keep: true,
        };
        let (session, note) = Note::of(grant, 3).unwrap();
        one.send(&[note, Note::plain(NoteKind::Report, 3)]).unwrap();
        let came = other.receive().unwrap();
        assert_eq!((session, came, came.order()), (7, note, Order::of(grant)));
        assert_eq!(other.receive().unwrap().kind, NoteKind::Report);
        assert!(!other.is_over());
        one.close();
        assert!(other.is_over());
        assert_eq!(other.receive().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_new_listener_discards_notes_to_the_one_before() {
        let (first, worker) = SchedulerChannel::pair().unwrap();
        let second = SchedulerChannel::from(first.as_fd().try_clone_to_owned().unwrap());
        let wants = |value| Note::new(NoteKind::Wants, 0, Engine::Compute, value);
        while worker.send(&[wants(1)]).is_ok() {}
        let answering = std::thread::spawn(move || {
            let anew = worker.receive().unwrap();
            // The worker behaves as if it had just answered the first listener.
            worker.send(&[Note::plain(NoteKind::Anew, 0), wants(2)]).unwrap();
            worker.send(&[anew, wants(3)]).unwrap();
        });
        second.begin_anew().unwrap();
        assert_eq!(second.receive().unwrap(), wants(3));
        answering.join().unwrap();
    }
}

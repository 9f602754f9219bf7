//! Two rings in shared memory, one for each direction: a lane between two processes of one machine.
//! Each ring has one writer and one reader. The other side may be hostile: its counters are checked
//! whenever they are read, and bytes are copied out before anybody looks at them. The socket over
//! which the memory came stays open; its hang-up is how a dead peer is noticed.

use crate::lane::{Lane, LaneReader, LaneWriter, Sink, Source};
use crate::life::{Ear, Heard, LifeLine};
use crate::local;
use crate::look::{SHORT, look};
use crate::memory_socket::MemorySocket;
use crate::shared_memory::SharedMemory;
use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release, Ordering::SeqCst, fence,
};
use std::time::Duration;

/// What one direction holds at most.
pub const RING_BYTES: usize = 2 << 20;
/// Long writes and reads go in parts, so that one side copies in while the other copies out.
const PART_BYTES: usize = 64 << 10;
const CONTROL_BYTES: usize = 4096;
/// The memory of a lane.
pub const LANE_BYTES: usize = CONTROL_BYTES + 2 * RING_BYTES;
/// How often a sleeping side looks whether the other one is still there.
const LIVENESS_CHECK: Duration = Duration::from_millis(100);

const _: () = assert!(RING_BYTES.is_power_of_two() && size_of::<[Control; 2]>() <= CONTROL_BYTES);

/// Which of the two processes this is; each writes the ring that the other reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    Client,
    Node,
}

/// What one side tells the other, in cache lines of its own.
#[repr(C, align(128))]
struct Side {
    /// Bytes that it has written or read, modulo 2^32.
    position: AtomicU32,
    /// 1 while it sleeps, which it does on this word.
    asleep: AtomicU32,
}

#[repr(C)]
struct Control {
    writer: Side,
    reader: Side,
}

/// One direction.
struct Ring {
    memory: Arc<SharedMemory>,
    peer: Arc<UnixStream>,
    index: usize,
    look: Duration,
}

impl Ring {
    fn control(&self) -> &Control {
        // SAFETY: the memory is large enough for both controls, starts at a page, lives as long as
        // self, and holds nothing but atomics there.
        unsafe { &*self.memory.address().cast::<Control>().add(self.index) }
    }

    /// From a position to the place of its byte, and how many bytes follow it without a wrap.
    fn place(&self, position: u32) -> (*mut u8, usize) {
        let offset = position as usize & (RING_BYTES - 1);
        // SAFETY: inside the ring's own part of the memory.
        (
            unsafe { self.memory.address().add(CONTROL_BYTES + self.index * RING_BYTES + offset) },
            RING_BYTES - offset,
        )
    }

    /// Bytes between two counters, of which the other side's may be anything.
    fn between(written: u32, read: u32) -> io::Result<usize> {
        let bytes = written.wrapping_sub(read) as usize;
        if bytes > RING_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the ring's counters ({written}, {read}) are impossible"),
            ));
        }
        Ok(bytes)
    }

    /// Looks for a while, then sleeps until `ready` gives more than 0. Gives 0 once the other side
    /// is gone.
    fn wait(&self, own: &Side, ready: impl Fn() -> io::Result<usize>) -> io::Result<usize> {
        if let Some(found) =
            look(self.look, || ready().map(|count| (count > 0).then_some(count)).transpose())
        {
            return found;
        }
        loop {
            own.asleep.store(1, Relaxed);
            // The other side changes its counter, then reads `asleep`; here it is the other way
            // round.
            fence(SeqCst);
            let count = ready()?;
            if count > 0 {
                own.asleep.store(0, Relaxed);
                return Ok(count);
            }
            sleep(&own.asleep);
            if ready()? == 0 && local::is_hung_up(&self.peer) {
                // What it wrote before it went still counts.
                return ready();
            }
        }
    }
}

impl Ear for Ring {
    fn heard(&self) -> Heard {
        let control = self.control();
        let written = control.writer.position.load(Relaxed);
        Heard {
            count: u64::from(written),
            unread: written != control.reader.position.load(Relaxed),
        }
    }

    fn cut(&self) {
        let _ = self.peer.shutdown(Shutdown::Both);
    }
}

/// Sleeps while the word is 1, until woken or until the next check.
fn sleep(asleep: &AtomicU32) {
    let limit = libc::timespec { tv_sec: 0, tv_nsec: LIVENESS_CHECK.subsec_nanos().into() };
    // SAFETY: the word and the limit live through the call. The word is shared between processes,
    // so the futex is not a private one.
    unsafe {
        libc::syscall(libc::SYS_futex, asleep.as_ptr(), libc::FUTEX_WAIT, 1, &raw const limit)
    };
}

/// Wakes the other side if it sleeps. Comes after a change that it may be waiting for.
fn wake(other: &Side) {
    fence(SeqCst);
    if other.asleep.load(Relaxed) != 0 && other.asleep.swap(0, SeqCst) != 0 {
        // SAFETY: the word lives through the call.
        unsafe { libc::syscall(libc::SYS_futex, other.asleep.as_ptr(), libc::FUTEX_WAKE, 1) };
    }
}

struct RingReader {
    ring: Ring,
    /// This side's own count. What stands in the memory is for the other side only.
    read: u32,
}

impl RingReader {
    fn available(&self) -> io::Result<usize> {
        Ring::between(self.ring.control().writer.position.load(Acquire), self.read)
    }

    /// Copies out a part of what there is, `available` bytes at most, and gives the room back.
    fn take(&mut self, out: &mut [u8], available: usize) -> usize {
        let count = out.len().min(available).min(PART_BYTES);
        let mut rest = &mut out[..count];
        while !rest.is_empty() {
            let (place, contiguous) = self.ring.place(self.read);
            let (now, later) = rest.split_at_mut(rest.len().min(contiguous));
            // SAFETY: inside the ring. Another process may write there against the rules; then
            // these bytes are worth nothing, like any others that it sends, and they are checked
            // after this copy.
            unsafe { std::ptr::copy_nonoverlapping(place, now.as_mut_ptr(), now.len()) };
            self.read = self.read.wrapping_add(now.len() as u32);
            rest = later;
        }
        let control = self.ring.control();
        control.reader.position.store(self.read, Release);
        wake(&control.writer);
        count
    }
}

impl Read for RingReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let available = self.ring.wait(&self.ring.control().reader, || self.available())?;
        Ok(self.take(out, available))
    }
}

impl Source for RingReader {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        match self.available()? {
            0 => Ok(None),
            available => Ok(Some(self.take(out, available))),
        }
    }
}

struct RingWriter {
    ring: Ring,
    written: u32,
}

impl RingWriter {
    fn room(&self) -> io::Result<usize> {
        Ok(RING_BYTES
            - Ring::between(self.written, self.ring.control().reader.position.load(Acquire))?)
    }

    /// Copies in without showing it yet. There is room.
    fn put(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (place, contiguous) = self.ring.place(self.written);
            let (now, later) = bytes.split_at(bytes.len().min(contiguous));
            // SAFETY: inside the ring; the reader does not look there before it is shown.
            unsafe { std::ptr::copy_nonoverlapping(now.as_ptr(), place, now.len()) };
            self.written = self.written.wrapping_add(now.len() as u32);
            bytes = later;
        }
    }

    fn show(&self) {
        let control = self.ring.control();
        control.writer.position.store(self.written, Release);
        wake(&control.reader);
    }
}

impl Write for RingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let room = self.ring.wait(&self.ring.control().writer, || self.room())?;
        if room == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let mut left = room.min(PART_BYTES);
        let before = self.written;
        for piece in pieces {
            let part = &piece[..piece.len().min(left)];
            self.put(part);
            left -= part.len();
            if left == 0 {
                break;
            }
        }
        self.show();
        Ok(self.written.wrapping_sub(before) as usize)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for RingWriter {
    fn is_ready(&self) -> bool {
        self.room().is_ok_and(|room| room >= PART_BYTES)
    }
}

/// A lane over the memory that came over `peer`.
pub fn lane(memory: SharedMemory, peer: UnixStream, end: End) -> Lane {
    lane_that_looks(memory, peer, end, SHORT)
}

fn lane_that_looks(memory: SharedMemory, peer: UnixStream, end: End, look: Duration) -> Lane {
    let (memory, peer) = (Arc::new(memory), Arc::new(peer));
    let ring = |index| Ring { memory: memory.clone(), peer: peer.clone(), index, look };
    let (own, other) = if end == End::Client { (0, 1) } else { (1, 0) };
    let reader = LaneReader::new(Box::new(RingReader { ring: ring(other), read: 0 }), look);
    let writer = LaneWriter::new(Box::new(RingWriter { ring: ring(own), written: 0 }));
    let life = LifeLine::new(writer.way(), Arc::new(ring(other)));
    Lane {
        reader,
        writer,
        life,
        memory_socket: Some(MemorySocket::new(peer)),
        meter: None,
        line: None,
        detour: None,
    }
}

#[cfg(test)]
mod tests;

//! Two rings in shared memory, one for each direction: a lane between two processes of one machine.
//! Each ring has one writer and one reader. The other side may be hostile, so each side checks the
//! other's counters whenever it reads them, and copies bytes out before it uses them. The socket
//! that delivered the memory stays open, because its hang-up reveals a dead peer.

use crate::descriptors::memory_socket::MemorySocket;
use crate::lanes::lane::{Lane, LaneReader, LaneWriter};
use crate::network::heartbeat::{LifeLine, Received, ReceivingEnd};
use crate::network::source_and_sink::{Sink, Source};
use crate::os::send::has_ended;
use crate::os::shared_memory::SharedMemory;
use crate::os::spin::{ANSWER_SPIN, spin};
use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
    Ordering::SeqCst, fence,
};
use std::time::Duration;

/// Capacity of one direction in bytes.
pub const RING_BYTES: usize = 2 << 20;
/// Size of the parts of long writes and reads, so that one side copies in while the other copies
/// out.
const PART_BYTES: usize = 64 << 10;
const CONTROL_BYTES: usize = 4096;
/// Size of a lane's memory in bytes.
pub const LANE_BYTES: usize = CONTROL_BYTES + 2 * RING_BYTES;
/// Interval at which a sleeping side checks that the other side is still alive, unless `cut` wakes
/// it earlier.
const LIVENESS_CHECK: Duration = Duration::from_millis(100);

const _: () = assert!(RING_BYTES.is_power_of_two() && size_of::<[Control; 2]>() <= CONTROL_BYTES);

/// The two ends of a lane; each writes the ring that the other reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    Client,
    Node,
}

/// State that one side shows to the other, in its own cache lines.
#[repr(C, align(128))]
struct RingSide {
    /// Number of bytes that this side has written or read, modulo 2^32.
    position: AtomicU32,
    /// 1 while this side sleeps. The side sleeps on this word, a futex.
    asleep: AtomicU32,
}

#[repr(C)]
struct Control {
    writer: RingSide,
    reader: RingSide,
}

/// The ring of one direction.
struct Ring {
    memory: Arc<SharedMemory>,
    peer: Arc<UnixStream>,
    /// Whether `cut` has ended the lane.
    is_cut: Arc<AtomicBool>,
    index: usize,
    waits: Waits,
}

/// How long a side waits in different ways.
#[derive(Clone, Copy)]
struct Waits {
    /// Time for which the side spins before it sleeps.
    spin: Duration,
    /// Interval at which the sleeping side checks that the other side is still alive.
    sleep: Duration,
}

impl Ring {
    fn control(&self) -> &Control {
        self.control_of(self.index)
    }

    fn control_of(&self, index: usize) -> &Control {
        // SAFETY: the memory is large enough for both controls, starts at a page boundary, lives as
        // long as `self`, and contains only atomics there.
        unsafe { &*self.memory.address().cast::<Control>().add(index) }
    }

    /// Returns the address of the byte at `position`, and the number of bytes from there to the end
    /// of the ring.
    fn place(&self, position: u32) -> (*mut u8, usize) {
        let offset = position as usize & (RING_BYTES - 1);
        // SAFETY: the offset is inside the ring's own part of the memory.
        (
            unsafe { self.memory.address().add(CONTROL_BYTES + self.index * RING_BYTES + offset) },
            RING_BYTES - offset,
        )
    }

    /// Returns the number of bytes between two counters. Fails if that number is impossible,
    /// because a hostile other side can store any value.
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

    /// Spins for a while, then sleeps until `ready` returns more than 0. Returns 0 if the other
    /// side is gone.
    fn wait(&self, own: &RingSide, ready: impl Fn() -> io::Result<usize>) -> io::Result<usize> {
        if let Some(found) =
            spin(self.waits.spin, || ready().map(|count| (count > 0).then_some(count)).transpose())
        {
            return found;
        }
        loop {
            own.asleep.store(1, Relaxed);
            // The other side changes its counter, then reads `asleep`. This side sets `asleep`,
            // then reads the counter.
            fence(SeqCst);
            let count = ready()?;
            if count > 0 {
                own.asleep.store(0, Relaxed);
                return Ok(count);
            }
            if !self.is_cut.load(Relaxed) {
                sleep(&own.asleep, self.waits.sleep);
            }
            if ready()? == 0 && has_ended(&*self.peer) {
                // Data that the other side wrote before it ended still counts.
                return ready();
            }
        }
    }
}

impl ReceivingEnd for Ring {
    fn received(&self) -> Received {
        let control = self.control();
        let written = control.writer.position.load(Relaxed);
        Received {
            count: u64::from(written),
            unread: written != control.reader.position.load(Relaxed),
        }
    }

    /// Ends the lane, and wakes this side's sleeping reader and writer.
    fn cut(&self) {
        let _ = self.peer.shutdown(Shutdown::Both);
        self.is_cut.store(true, Relaxed);
        // This side reads one ring and writes the other. Waking the other side too does no harm.
        for index in 0..2 {
            let Control { writer, reader } = self.control_of(index);
            wake(writer);
            wake(reader);
        }
    }
}

/// Sleeps while `asleep` is 1, until woken, but at most for `limit`.
fn sleep(asleep: &AtomicU32, limit: Duration) {
    let limit = libc::timespec {
        tv_sec: limit.as_secs() as libc::time_t,
        tv_nsec: limit.subsec_nanos().into(),
    };
    // SAFETY: the word and the limit live through the call. The word is shared between processes,
    // so the futex is not a private one.
    unsafe {
        libc::syscall(libc::SYS_futex, asleep.as_ptr(), libc::FUTEX_WAIT, 1, &raw const limit)
    };
}

/// Wakes the other side if it sleeps. The caller has just made a change that the other side may be
/// waiting for.
fn wake(other: &RingSide) {
    fence(SeqCst);
    if other.asleep.load(Relaxed) != 0 && other.asleep.swap(0, SeqCst) != 0 {
        // SAFETY: the word lives through the call.
        unsafe { libc::syscall(libc::SYS_futex, other.asleep.as_ptr(), libc::FUTEX_WAKE, 1) };
    }
}

struct RingReader {
    ring: Ring,
    /// Number of bytes that this side has read, modulo 2^32. The copy in the shared memory is for
    /// the other side only.
    read: u32,
}

impl RingReader {
    fn available(&self) -> io::Result<usize> {
        Ring::between(self.ring.control().writer.position.load(Acquire), self.read)
    }

    /// Copies at most `available` bytes to `out`, and frees their space in the ring.
    fn take(&mut self, out: &mut [u8], available: usize) -> usize {
        let count = out.len().min(available).min(PART_BYTES);
        let mut rest = &mut out[..count];
        while !rest.is_empty() {
            let (place, contiguous) = self.ring.place(self.read);
            let (now, later) = rest.split_at_mut(rest.len().min(contiguous));
            // SAFETY: the range is inside the ring. A hostile process may write there meanwhile.
            // The bytes are untrusted anyway, and are checked after this copy.
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

    /// Copies `bytes` into the ring without publishing them yet. The caller guarantees that they
    /// fit.
    fn put(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (place, contiguous) = self.ring.place(self.written);
            let (now, later) = bytes.split_at(bytes.len().min(contiguous));
            // SAFETY: the range is inside the ring; the reader does not access it before the bytes
            // are published.
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

/// Makes a lane from memory that both sides share, and from the socket over which they exchanged
/// its descriptor.
pub fn lane(memory: SharedMemory, peer: UnixStream, end: End) -> Lane {
    lane_that_waits(memory, peer, end, Waits { spin: ANSWER_SPIN, sleep: LIVENESS_CHECK })
}

fn lane_that_waits(memory: SharedMemory, peer: UnixStream, end: End, waits: Waits) -> Lane {
    let (memory, peer, is_cut) = (Arc::new(memory), Arc::new(peer), Arc::default());
    let ring = |index| Ring {
        memory: memory.clone(),
        peer: peer.clone(),
        is_cut: Arc::clone(&is_cut),
        index,
        waits,
    };
    let (own, other) = if end == End::Client { (0, 1) } else { (1, 0) };
    let reader = LaneReader::new(Box::new(RingReader { ring: ring(other), read: 0 }), waits.spin);
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

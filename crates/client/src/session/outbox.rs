//! The ordered queue of commands to the worker. A post appends to the queue and returns, and a
//! thread writes the queue. For a program that often waits for the GPU, a post is written at once
//! if the link is idle. If the link is busy, the next write takes all commands that were posted
//! meanwhile. For a program that only posts, commands gather for a moment, because writing one
//! costs as much CPU time as making it. The queue does not copy large payloads; the writer reads
//! them from the program's memory.

use crate::base::{log, stats};
use crate::session::pending_error::LOST;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::LaneWriter;
use outhaul_transport::os::spin::{
    BURST_SPIN, PROGRAM_SPIN, SUBMITTING_AFTER, has_processors_to_spare, spin, wake_exactly,
};
use outhaul_wire::codec::Message;
use outhaul_wire::frame;
use outhaul_wire::messages::{ReplicaAwait, op_name};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Release};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long commands gather while no thread waits for their effects.
const GATHERING: Duration = Duration::from_micros(100);
/// Maximum number of queued bytes that may gather.
const GATHERED_BYTES_MAX: usize = 64 << 10;
/// How many empty gatherings in a row the writer's thread makes before it sleeps.
const GATHERINGS_MAX: u32 = 10;
/// Maximum number of copied bytes in the queue. A post beyond it blocks, so a slow link slows the
/// program.
const QUEUE_BYTES_MAX: usize = 16 << 20;
/// Size in bytes above which frames go to a new buffer.
const SEGMENT_BYTES: usize = 256 << 10;
/// Maximum number of segments in one write. It is small so that threads that wait for space
/// continue while the rest is written.
const SEGMENTS_PER_WRITE: usize = 8;
/// Maximum number of buffers kept for reuse. Allocating fresh memory costs more than the copy into
/// it.
const SPARE_MAX: usize = 2 * SEGMENTS_PER_WRITE;
/// Maximum number of bytes that a posting thread writes itself while the writer's thread sleeps.
const WRITTEN_BY_POSTER_MAX: usize = 16 << 10;

/// The queue of commands of one session.
pub struct Outbox {
    /// Level of the spec. The queue rejects messages of later levels.
    level: u16,
    /// Held during a write, so that segments are sent in the order in which they were appended.
    writer: Mutex<Writer>,
    state: Mutex<QueueState>,
    wake: Condvar,
    room: Condvar,
    /// Number of appended frames, which the writer's thread polls before it sleeps.
    appended: AtomicU64,
    /// Sequence number of the last frame. Written under the lock, read without the lock.
    last: AtomicU64,
    /// Sends the worker the program's writes to replicas.
    change_sender: OnceLock<ChangeSender>,
    created: Instant,
    /// When a thread last began to wait for the worker, in microseconds since `created`.
    waited_us: AtomicU64,
}

/// Sends changes to the worker. Returns the number of the last message, for which commands then
/// wait.
pub type ChangeSender = Box<dyn Fn() -> u64 + Send + Sync>;

enum Writer {
    /// Appended frames stay in the queue until the lane is connected.
    Unconnected,
    Lane(LaneWriter),
    /// Appended frames are dropped until the reading thread has also noticed the end. Only that
    /// thread receives the node's last message, and reports it to the program.
    Broken,
}

#[derive(Default)]
struct QueueState {
    segments: VecDeque<Segment>,
    spare: Vec<Vec<u8>>,
    queued_bytes: usize,
    sequence: u64,
    /// How the queued segments wait for the program's writes to replicas.
    awaits: Awaits,
    /// State of the writer's thread. Once `called` is set, `rest` stays unchanged until the thread
    /// wakes.
    rest: Rest,
    called: bool,
    closed: bool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Rest {
    #[default]
    None,
    /// The thread wakes by itself soon.
    Gathering,
    Sleeping,
}

/// How much time the writer needs to find and send the program's writes, in ascending order.
#[derive(Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Awaits {
    #[default]
    Nothing,
    Little,
    Much,
}

enum Segment {
    Copied(Frames),
    Borrowed(Borrowed),
}

/// Frames whose bytes the post copied.
#[derive(Default)]
struct Frames {
    bytes: Vec<u8>,
    /// Position of a `ReplicaAwait`'s number, which the writer fills in when it writes the segment.
    awaited_at: Option<usize>,
}

/// Bytes of the program's memory that the writer reads in place.
struct Borrowed {
    address: *const u8,
    bytes: usize,
    sent: Arc<Sent>,
}

// SAFETY: the posting thread keeps the bytes valid for reads until `sent` is done.
unsafe impl Send for Borrowed {}

/// Counts the pieces of borrowed bytes that no thread has read yet.
pub struct Sent {
    done: AtomicBool,
    left: Mutex<usize>,
    changed: Condvar,
}

impl Sent {
    /// Creates a counter that expects `pieces` pieces.
    pub fn of(pieces: usize) -> Sent {
        Sent {
            done: AtomicBool::new(pieces == 0),
            left: Mutex::new(pieces),
            changed: Condvar::new(),
        }
    }

    /// Blocks until all pieces have been read or never will be.
    pub fn wait(&self) {
        spin(PROGRAM_SPIN, || self.is_done().then_some(()));
        let mut left = self.lock();
        while *left > 0 {
            left = self.changed.wait(left);
        }
    }

    /// Returns whether all pieces have been read or never will be.
    pub fn is_done(&self) -> bool {
        self.done.load(Acquire)
    }

    /// Notes that one piece has been read or never will be.
    pub fn finish(&self) {
        let mut left = self.lock();
        *left = left.saturating_sub(1);
        if *left == 0 {
            self.done.store(true, Release);
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.left.lock()
    }
}

/// The payload of a frame.
pub enum Payload<'a> {
    /// No payload.
    None,
    /// Bytes that the post copies.
    Copied(&'a [u8]),
    /// Bytes that remain valid for reads until `sent` is done.
    Borrowed {
        /// Address of the first byte.
        address: *const u8,
        /// Number of bytes.
        bytes: usize,
        /// Counter of the pieces into which the bytes are divided.
        sent: Arc<Sent>,
    },
    /// The number of bytes, and a function that writes them into the queue.
    Packed(usize, &'a dyn Fn(&mut [u8])),
    /// Bytes that travel on the bulk lanes. The function queues them there before any other frame
    /// is appended.
    Bulk(&'a dyn Fn()),
}

impl Payload<'_> {
    fn bytes(&self) -> usize {
        match self {
            Payload::None | Payload::Bulk(_) => 0,
            Payload::Copied(bytes) => bytes.len(),
            Payload::Borrowed { bytes, .. } | Payload::Packed(bytes, _) => *bytes,
        }
    }
}

/// Returns the error for a message that the node's older release does not know.
#[cold]
fn unknown(op: u16) -> CUresult {
    log::note(|| format!("the node's release does not know {}", op_name(op)));
    CUresult::NOT_SUPPORTED
}

impl Outbox {
    /// Creates the queue of a session that uses this level of the spec.
    pub fn new(level: u16) -> Outbox {
        Outbox {
            level,
            writer: Mutex::new(Writer::Unconnected),
            state: Mutex::default(),
            wake: Condvar::new(),
            room: Condvar::new(),
            appended: AtomicU64::new(0),
            last: AtomicU64::new(0),
            change_sender: OnceLock::new(),
            created: Instant::now(),
            waited_us: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock()
    }

    /// Sets the function that sends changes. The caller must set it before the first write.
    pub fn set_change_sender(&self, change_sender: ChangeSender) {
        let _ = self.change_sender.set(change_sender);
    }

    /// Makes later commands wait for the program's writes to replicas so far. The writer scans once
    /// for all commands that it writes together, so a command costs no scan of its own. `is_little`
    /// tells whether a scan takes no longer than a write.
    pub fn await_writes(&self, is_little: bool) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        let was_awaited = state.awaits != Awaits::Nothing;
        state.awaits = state.awaits.max(if is_little { Awaits::Little } else { Awaits::Much });
        if !was_awaited {
            state.sequence += 1;
            self.last.store(state.sequence, Release);
            state.append(&ReplicaAwait { number: 0 }, 0, Payload::None);
            let frames = state.frames();
            frames.awaited_at = Some(frames.bytes.len() - size_of::<u64>());
        }
    }

    /// Appends one frame, and ensures that a thread writes it soon. Returns its sequence number.
    pub fn post<'a, M: Message<'a>>(
        &self,
        message: &M,
        context: u16,
        payload: Payload<'_>,
    ) -> Result<u64, CUresult> {
        self.append(message, context, payload, true, |_| ())
    }

    /// Appends one frame and writes it. `announce` receives its sequence number before an answer
    /// can arrive.
    pub fn call<'a, M: Message<'a>>(
        &self,
        message: &M,
        context: u16,
        announce: impl FnOnce(u64),
    ) -> Result<(), CUresult> {
        self.append(message, context, Payload::None, false, announce)?;
        self.flush();
        Ok(())
    }

    fn append<'a, M: Message<'a>>(
        &self,
        message: &M,
        context: u16,
        payload: Payload<'_>,
        wake: bool,
        announce: impl FnOnce(u64),
    ) -> Result<u64, CUresult> {
        let mut state = self.lock();
        while state.queued_bytes > QUEUE_BYTES_MAX && !state.closed {
            state = self.room.wait(state);
        }
        let is_known = M::LEVEL <= self.level;
        if state.closed || !is_known {
            if let Payload::Borrowed { sent, .. } = &payload {
                sent.finish();
            }
            return Err(if is_known { LOST } else { unknown(M::OP) });
        }
        state.sequence += 1;
        let sequence = state.sequence;
        self.last.store(sequence, Release);
        announce(sequence);
        if let Payload::Bulk(queue) = &payload {
            queue();
        }
        let is_waited_with = matches!(payload, Payload::Borrowed { .. });
        let bytes = state.append(message, context, payload);
        // A long scan is left to the writer's thread, because it would delay the posting thread.
        let asleep = wake && state.rest == Rest::Sleeping && state.awaits != Awaits::Much;
        let gathers = state.rest == Rest::Gathering
            && !is_waited_with
            && state.queued_bytes <= GATHERED_BYTES_MAX;
        let wake = wake
            && state.rest != Rest::None
            && !gathers
            && !std::mem::replace(&mut state.called, true);
        drop(state);
        self.appended.fetch_add(1, Release);
        if asleep && bytes <= WRITTEN_BY_POSTER_MAX && has_processors_to_spare() {
            self.write_unless_written();
        }
        if wake {
            self.wake.notify_one();
        }
        stats::posted(bytes);
        Ok(sequence)
    }

    /// Makes the writes that threads made before they posted visible to a thread that acts on the
    /// worker's message. That order exists only through another process, which the language's
    /// memory model does not cover.
    pub fn fence(&self) {
        drop(self.lock());
    }

    /// Returns the sequence number of the calling thread's last frame, or of a later frame.
    pub fn last(&self) -> u64 {
        self.last.load(Acquire)
    }

    /// Writes all gathered frames, and stops gathering for a while. A thread calls this before it
    /// waits for the worker.
    pub fn flush(&self) {
        self.waited_us.store(self.created.elapsed().as_micros() as u64, Release);
        self.write_unless_written();
        let mut state = self.lock();
        let wake = state.rest == Rest::Gathering && !std::mem::replace(&mut state.called, true);
        drop(state);
        if wake {
            self.wake.notify_one();
        }
    }

    /// Returns whether no thread has waited for the worker recently.
    fn is_calm(&self) -> bool {
        let waited = Duration::from_micros(self.waited_us.load(Acquire));
        self.created.elapsed().saturating_sub(waited) > SUBMITTING_AFTER
    }

    /// Writes the queue unless another thread is writing, so that a thread that waits for an answer
    /// need not wait until the writer's thread wakes. Checks the queue again after each write,
    /// because other threads meanwhile rely on this one to write their frames.
    fn write_unless_written(&self) {
        while let Some(mut writer) = self.writer.try_lock() {
            self.write_pending(&mut writer);
            let unconnected = matches!(*writer, Writer::Unconnected);
            drop(writer);
            if unconnected || self.lock().segments.is_empty() {
                return;
            }
        }
    }

    /// Runs the writer's loop until the queue is closed.
    pub fn write_all(&self, writer: LaneWriter) {
        *self.writer.lock() = Writer::Lane(writer);
        wake_exactly();
        while self.wait_for_segments() {
            self.write_pending(&mut self.writer.lock());
        }
    }

    fn write_pending(&self, writer: &mut Writer) {
        if matches!(writer, Writer::Unconnected) {
            return;
        }
        let mut segments: Vec<Segment> = {
            let mut state = self.lock();
            let mut count = state.segments.len().min(SEGMENTS_PER_WRITE);
            // A write must end at a frame's end, so it includes the frame's borrowed payload.
            count += usize::from(matches!(state.segments.get(count), Some(Segment::Borrowed(_))));
            let segments: Vec<Segment> = state.segments.drain(..count).collect();
            if segments.iter().any(Segment::awaits) {
                state.awaits = Awaits::Nothing;
            }
            segments
        };
        self.send_changes(&mut segments);
        let pieces: Vec<&[u8]> = segments.iter().map(Segment::bytes).collect();
        if let Writer::Lane(lane) = writer
            && lane.write(&pieces).is_err()
        {
            *writer = Writer::Broken;
        }
        drop(pieces);
        let mut state = self.lock();
        segments.into_iter().for_each(|segment| state.written(segment));
        drop(state);
        self.room.notify_all();
    }

    /// Sends the worker the program's writes to replicas before these segments were posted, and
    /// makes the segments wait for them. The segments also wait for later writes that are sent with
    /// them, because CUDA does not order those with any command.
    fn send_changes(&self, segments: &mut [Segment]) {
        for segment in segments {
            if let Segment::Copied(frames) = segment
                && let Some(at) = frames.awaited_at.take()
                && let Some(change_sender) = self.change_sender.get()
            {
                frames.bytes[at..at + size_of::<u64>()]
                    .copy_from_slice(&change_sender().to_le_bytes());
            }
        }
    }

    /// Blocks until the queue has segments. Returns false once the queue is closed.
    fn wait_for_segments(&self) -> bool {
        let mut gatherings = 0;
        loop {
            let seen = self.appended.load(Acquire);
            let is_calm = self.is_calm();
            // More frames may follow the ones just written.
            if (gatherings > 0 || !is_calm) && self.has_segments_or_is_closed() {
                return !self.lock().closed;
            }
            if is_calm && gatherings < GATHERINGS_MAX {
                gatherings += 1;
                self.gather();
                continue;
            }
            if !is_calm {
                spin(BURST_SPIN, || (self.appended.load(Acquire) != seen).then_some(()));
            }
            self.sleep(seen);
        }
    }

    /// Sleeps until another thread wakes this one, unless a frame was appended since `seen`.
    fn sleep(&self, seen: u64) {
        let mut state = self.lock();
        if state.segments.is_empty() && !state.closed && self.appended.load(Acquire) == seen {
            (state.rest, state.called) = (Rest::Sleeping, false);
            while !state.called && !state.closed {
                state = self.wake.wait(state);
            }
            state.rest = Rest::None;
        }
    }

    /// Sleeps for a moment, or until another thread wakes this one.
    fn gather(&self) {
        let mut state = self.lock();
        (state.rest, state.called) = (Rest::Gathering, false);
        let waits = |state: &mut QueueState| !state.called && !state.closed;
        (state, _) = self.wake.wait_timeout_while(state, GATHERING, waits);
        state.rest = Rest::None;
    }

    fn has_segments_or_is_closed(&self) -> bool {
        let state = self.lock();
        !state.segments.is_empty() || state.closed
    }

    /// Closes the queue. Threads that wait for space, or until their bytes are read, continue.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let left = std::mem::take(&mut state.segments);
        drop(state);
        left.iter().for_each(Segment::finish);
        self.wake.notify_all();
        self.room.notify_all();
    }
}

impl QueueState {
    fn append<'a, M: Message<'a>>(
        &mut self,
        message: &M,
        context: u16,
        payload: Payload<'_>,
    ) -> usize {
        let sequence = self.sequence;
        let payload_bytes = payload.bytes();
        let buffer = &mut self.frames().bytes;
        let before = buffer.len();
        frame::append(buffer, message, context, sequence, payload_bytes);
        match &payload {
            Payload::None | Payload::Borrowed { .. } | Payload::Bulk(_) => {}
            Payload::Copied(bytes) => buffer.extend_from_slice(bytes),
            Payload::Packed(bytes, pack) => {
                let at = buffer.len();
                buffer.resize(at + bytes, 0);
                pack(&mut buffer[at..]);
            }
        }
        let copied = buffer.len() - before;
        self.queued_bytes += copied;
        if let Payload::Borrowed { address, bytes, sent } = payload {
            self.segments.push_back(Segment::Borrowed(Borrowed { address, bytes, sent }));
            return copied + bytes;
        }
        copied
    }

    fn written(&mut self, segment: Segment) {
        segment.finish();
        if let Segment::Copied(Frames { mut bytes, .. }) = segment {
            self.queued_bytes -= bytes.len();
            if self.spare.len() < SPARE_MAX && bytes.capacity() <= 2 * SEGMENT_BYTES {
                bytes.clear();
                self.spare.push(bytes);
            }
        }
    }

    /// Returns the frames to which the next frame is to be appended.
    fn frames(&mut self) -> &mut Frames {
        let fits = matches!(self.segments.back(), Some(Segment::Copied(frames))
            if frames.bytes.len() < SEGMENT_BYTES);
        if !fits {
            let bytes = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(4096));
            self.segments.push_back(Segment::Copied(Frames { bytes, awaited_at: None }));
        }
        match self.segments.back_mut() {
            Some(Segment::Copied(frames)) => frames,
            _ => unreachable!("a copied segment was just added"),
        }
    }
}

impl Segment {
    fn bytes(&self) -> &[u8] {
        match self {
            Segment::Copied(frames) => &frames.bytes,
            // SAFETY: the bytes are valid for reads until `sent` is done, and `finish` comes after
            // the write.
            Segment::Borrowed(b) => unsafe { std::slice::from_raw_parts(b.address, b.bytes) },
        }
    }

    fn awaits(&self) -> bool {
        matches!(self, Segment::Copied(Frames { awaited_at: Some(_), .. }))
    }

    fn finish(&self) {
        if let Segment::Borrowed(borrowed) = self {
            borrowed.sent.finish();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outhaul_transport::Sink;
    use outhaul_wire::frame::{HEADER_BYTES, Header};
    use outhaul_wire::messages::{CaptureBytes, MemGetInfo};
    use std::io::{self, Write};

    /// Accepts a write only if its end is the end of a frame.
    #[derive(Default)]
    struct Whole {
        frames: Arc<AtomicU64>,
    }

    impl Write for Whole {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[io::IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, slices: &[io::IoSlice<'_>]) -> io::Result<usize> {
            let bytes = slices.iter().flat_map(|slice| slice.iter().copied()).collect::<Vec<u8>>();
            let mut rest = &bytes[..];
            while let Some((header, behind)) = rest.split_first_chunk::<HEADER_BYTES>() {
                let body_bytes =
                    Header::decode(header).map_err(io::Error::other)?.body_bytes as usize;
                rest = behind.get(body_bytes..).ok_or(io::ErrorKind::UnexpectedEof)?;
                self.frames.fetch_add(1, Release);
            }
            if rest.is_empty() { Ok(bytes.len()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sink for Whole {
        fn is_ready(&self) -> bool {
            true
        }
    }

    /// Between two writes the lane may send other frames, so a write must contain whole frames.
    #[test]
    fn frames_are_written_whole() {
        static PAYLOAD: [u8; 4096] = [7; 4096];
        for before in 0..3 {
            let outbox = Outbox::new(u16::MAX);
            for _ in 0..before {
                outbox.post(&MemGetInfo {}, 0, Payload::Copied(&vec![0; SEGMENT_BYTES])).unwrap();
            }
            let frames = 4 * SEGMENTS_PER_WRITE;
            let sent = Arc::new(Sent::of(frames));
            for i in 0..frames {
                let (address, bytes, sent) = (PAYLOAD.as_ptr(), PAYLOAD.len(), sent.clone());
                let message = CaptureBytes { callback: 1, offset: i as u64 };
                outbox.post(&message, 0, Payload::Borrowed { address, bytes, sent }).unwrap();
            }
            let sink = Whole::default();
            let written = sink.frames.clone();
            std::thread::scope(|scope| {
                scope.spawn(|| outbox.write_all(LaneWriter::new(Box::new(sink))));
                sent.wait();
                outbox.close();
            });
            assert_eq!(written.load(Acquire), (before + frames) as u64);
        }
    }

    /// Collects the numbers of all `ReplicaAwait` frames that are written.
    #[derive(Clone, Default)]
    struct Awaited(Arc<Mutex<Vec<u64>>>);

    impl Write for Awaited {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[io::IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, slices: &[io::IoSlice<'_>]) -> io::Result<usize> {
            let bytes = slices.iter().flat_map(|slice| slice.iter().copied()).collect::<Vec<u8>>();
            let mut rest = &bytes[..];
            while let Some((header, behind)) = rest.split_first_chunk::<HEADER_BYTES>() {
                let header = Header::decode(header).map_err(io::Error::other)?;
                let (body, behind) = behind.split_at(header.body_bytes as usize);
                if header.op == ReplicaAwait::OP {
                    self.0.lock().push(u64::from_le_bytes(body.try_into().unwrap()));
                }
                rest = behind;
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sink for Awaited {
        fn is_ready(&self) -> bool {
            true
        }
    }

    /// The writer scans memory once for all commands that it writes together, and again for those
    /// posted after the scan.
    #[test]
    fn commands_written_together_await_one_scan() {
        let (outbox, sink) = (Outbox::new(u16::MAX), Awaited::default());
        let scans = Arc::new(AtomicU64::new(0));
        let counted = scans.clone();
        outbox.set_change_sender(Box::new(move || counted.fetch_add(1, Release) + 1));
        let post = |count: usize| {
            for _ in 0..count {
                outbox.await_writes(false);
                outbox.post(&MemGetInfo {}, 0, Payload::None).unwrap();
            }
        };
        post(1000);
        assert_eq!(scans.load(Acquire), 0);
        *outbox.writer.lock() = Writer::Lane(LaneWriter::new(Box::new(sink.clone())));
        outbox.flush();
        assert_eq!(*sink.0.lock(), [1]);
        outbox.flush();
        post(10);
        outbox.flush();
        assert_eq!((sink.0.lock().as_slice(), scans.load(Acquire)), (&[1, 2][..], 2));
    }

    /// The queue exceeds one write, and commands that were posted before the scan follow it.
    #[test]
    fn a_long_queue_awaits_one_scan() {
        let (outbox, sink) = (Outbox::new(u16::MAX), Awaited::default());
        outbox.set_change_sender(Box::new(|| 7));
        for _ in 0..2 * SEGMENTS_PER_WRITE {
            outbox.await_writes(false);
            let payload = vec![0; SEGMENT_BYTES];
            outbox.post(&MemGetInfo {}, 0, Payload::Copied(&payload)).unwrap();
        }
        *outbox.writer.lock() = Writer::Lane(LaneWriter::new(Box::new(sink.clone())));
        outbox.flush();
        assert_eq!(*sink.0.lock(), [7]);
    }

    #[test]
    fn gathered_frames_are_written_without_a_wake() {
        let (outbox, sink) = (Outbox::new(u16::MAX), Whole::default());
        let written = sink.frames.clone();
        std::thread::scope(|scope| {
            scope.spawn(|| outbox.write_all(LaneWriter::new(Box::new(sink))));
            std::thread::sleep(2 * SUBMITTING_AFTER);
            for count in 1..=50 {
                outbox.post(&MemGetInfo {}, 0, Payload::None).unwrap();
                let start = Instant::now();
                while count % 10 == 0 && written.load(Acquire) < count {
                    assert!(
                        start.elapsed() < Duration::from_secs(10),
                        "{count} frames were posted"
                    );
                    std::thread::yield_now();
                }
            }
            outbox.close();
        });
    }
}

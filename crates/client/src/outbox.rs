//! The ordered stream of commands towards the worker. A post appends to what waits and returns; one
//! thread writes. While the program waits for the GPU now and then, an idle link is written to at
//! once, and a busy one gets what has gathered meanwhile. A program that only gives work has its
//! commands gathered for a moment: to write each takes as much of a processor as to make it. Large
//! payloads are not copied here: the writer takes them from where the program has them.

use crate::deferred::LOST;
use crate::{log, stats};
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::LaneWriter;
use outhaul_transport::os::spin::{
    CALM, LONG, MEDIUM, has_processors_to_spare, look, wake_exactly,
};
use outhaul_wire::codec::Message;
use outhaul_wire::frame;
use outhaul_wire::messages::{MirrorAwait, op_name};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Release};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// For so long commands gather that nobody waits with.
const GATHERING: Duration = Duration::from_micros(100);
/// More than this does not gather.
const GATHERED_BYTES_MAX: usize = 64 << 10;
/// The writer's thread sleeps when nothing has come so many times.
const GATHERINGS_MAX: u32 = 10;
/// Copied bytes that wait to be written; a post beyond it waits, which is how a slow link slows the
/// program.
const QUEUE_BYTES_MAX: usize = 16 << 20;
/// Bytes of one buffer.
const SEGMENT_BYTES: usize = 256 << 10;
/// Segments that leave in one write: few, so that those who wait for room go on while the rest is
/// written.
const SEGMENTS_PER_WRITE: usize = 8;
/// Written buffers that are kept for what comes next. Fresh memory costs more than what is copied
/// into it.
const SPARE_MAX: usize = 2 * SEGMENTS_PER_WRITE;
/// While the writer's thread is not awake, whoever posts writes by itself, up to so many bytes at
/// once.
const WRITTEN_BY_POSTER_MAX: usize = 16 << 10;

pub struct Outbox {
    /// Of the spec: messages that came with a later one are refused.
    level: u16,
    /// Held by whoever writes, so that segments leave in the order in which they were appended.
    writer: Mutex<Writer>,
    state: Mutex<State>,
    wake: Condvar,
    room: Condvar,
    /// Grows with each append: what a writer that has not gone to sleep looks at.
    appended: AtomicU64,
    /// Of the last frame: written under the lock, read without it.
    last: AtomicU64,
    /// Tells the worker what the program has written to shared memory.
    teller: OnceLock<Teller>,
    created: Instant,
    /// When a thread last began to wait for the worker, in us since `created`.
    waited_us: AtomicU64,
}

/// Gives the number of what was told last, for commands to await.
pub type Teller = Box<dyn Fn() -> u64 + Send + Sync>;

enum Writer {
    /// What is appended waits.
    Unconnected,
    Lane(LaneWriter),
    /// What is appended is dropped until the thread that reads has met the end too: it knows what
    /// the node said last, and tells the program.
    Broken,
}

#[derive(Default)]
struct State {
    segments: VecDeque<Segment>,
    spare: Vec<Vec<u8>>,
    queued_bytes: usize,
    sequence: u64,
    /// How the segments that wait to be written await what the program has written to shared
    /// memory.
    awaits: Awaits,
    /// What the writer's thread does, until it is awake again after it was called.
    rest: Rest,
    called: bool,
    closed: bool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Rest {
    #[default]
    None,
    /// It comes back by itself, soon.
    Gathering,
    Sleeping,
}

/// In the order of how long whoever writes them takes to tell it.
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

/// Copied frames.
#[derive(Default)]
struct Frames {
    bytes: Vec<u8>,
    /// Where the number of a `MirrorAwait` lies that is known once the segment is written.
    awaited_at: Option<usize>,
}

/// Bytes of the program that the writer reads in place.
struct Borrowed {
    address: *const u8,
    bytes: usize,
    sent: Arc<Sent>,
}

// SAFETY: whoever posted the bytes keeps them readable until `sent` says so.
unsafe impl Send for Borrowed {}

/// Whether borrowed bytes have been read: how many pieces of them have not.
pub struct Sent {
    done: AtomicBool,
    left: Mutex<usize>,
    changed: Condvar,
}

impl Sent {
    pub fn of(pieces: usize) -> Sent {
        Sent {
            done: AtomicBool::new(pieces == 0),
            left: Mutex::new(pieces),
            changed: Condvar::new(),
        }
    }

    pub fn wait(&self) {
        look(LONG, || self.is_done().then_some(()));
        let mut left = self.lock();
        while *left > 0 {
            left = self.changed.wait(left);
        }
    }

    pub fn is_done(&self) -> bool {
        self.done.load(Acquire)
    }

    /// One piece has been read, or never will be.
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

/// Payload of a frame.
pub enum Payload<'a> {
    None,
    Copied(&'a [u8]),
    /// `bytes` at `address`, readable until `sent` is done.
    Borrowed {
        address: *const u8,
        bytes: usize,
        sent: Arc<Sent>,
    },
    /// Packed by the function into a place of that many bytes.
    Packed(usize, &'a dyn Fn(&mut [u8])),
}

impl Payload<'_> {
    fn bytes(&self) -> usize {
        match self {
            Payload::None => 0,
            Payload::Copied(bytes) => bytes.len(),
            Payload::Borrowed { bytes, .. } | Payload::Packed(bytes, _) => *bytes,
        }
    }
}

/// What a node of an older release does not know.
#[cold]
fn unknown(op: u16) -> CUresult {
    log::note(|| format!("the node's release does not know {}", op_name(op)));
    CUresult::NOT_SUPPORTED
}

impl Outbox {
    /// Of a session that speaks this level of the spec.
    pub fn new(level: u16) -> Outbox {
        Outbox {
            level,
            writer: Mutex::new(Writer::Unconnected),
            state: Mutex::default(),
            wake: Condvar::new(),
            room: Condvar::new(),
            appended: AtomicU64::new(0),
            last: AtomicU64::new(0),
            teller: OnceLock::new(),
            created: Instant::now(),
            waited_us: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Before anything is written.
    pub fn tell_by(&self, teller: Teller) {
        let _ = self.teller.set(teller);
    }

    /// The commands that follow await what the program has written to shared memory so far.
    /// Whoever writes them looks for it, once for all that leave together: a command costs no look
    /// of its own. `is_little`: a look takes no longer than a write.
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
            state.append(&MirrorAwait { number: 0 }, 0, Payload::None);
            let frames = state.frames();
            frames.awaited_at = Some(frames.bytes.len() - size_of::<u64>());
        }
    }

    /// Appends one frame and sees to it that it is written soon. Gives its sequence number.
    pub fn post<'a, M: Message<'a>>(
        &self,
        message: &M,
        context: u16,
        payload: Payload<'_>,
    ) -> Result<u64, CUresult> {
        self.append(message, context, payload, true, |_| ())
    }

    /// As `post`, and `announce` runs before any other frame is appended.
    pub fn post_and<'a, M: Message<'a>>(
        &self,
        message: &M,
        context: u16,
        announce: impl FnOnce(),
    ) -> Result<u64, CUresult> {
        self.append(message, context, Payload::None, true, |_| announce())
    }

    /// Appends one frame and writes it. `announce` learns its sequence number before it can be
    /// answered.
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
        let is_waited_with = matches!(payload, Payload::Borrowed { .. });
        let bytes = state.append(message, context, payload);
        // A long look is the writer's thread to take.
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

    /// What threads wrote before they posted is seen after this, by whoever acts on the worker's
    /// word: that order runs through another process, of which the language's memory model knows
    /// nothing.
    pub fn fence(&self) {
        drop(self.lock());
    }

    /// The sequence number of the last frame: the calling thread's own last one, or one behind it.
    pub fn last(&self) -> u64 {
        self.last.load(Acquire)
    }

    /// Before a thread waits for the worker: writes what has gathered, and what comes soon is not
    /// to gather.
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

    /// No thread has waited for the worker lately.
    fn is_calm(&self) -> bool {
        let waited = Duration::from_micros(self.waited_us.load(Acquire));
        self.created.elapsed().saturating_sub(waited) > CALM
    }

    /// Writes what is there, unless another thread is at it: who waits for an answer need not wait
    /// for the writer's thread to wake up. Whoever writes looks once more afterwards, since others
    /// have left to it what they appended meanwhile.
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

    /// The writer's loop; ends when the connection is closed.
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
            // A frame is written whole.
            count += usize::from(matches!(state.segments.get(count), Some(Segment::Borrowed(_))));
            let segments: Vec<Segment> = state.segments.drain(..count).collect();
            if segments.iter().any(Segment::awaits) {
                state.awaits = Awaits::Nothing;
            }
            segments
        };
        self.tell(&mut segments);
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

    /// What was written to shared memory before any of these was posted is told now, and they await
    /// it. So does what is told beyond that: CUDA orders it with none of them.
    fn tell(&self, segments: &mut [Segment]) {
        for segment in segments {
            if let Segment::Copied(frames) = segment
                && let Some(at) = frames.awaited_at.take()
                && let Some(teller) = self.teller.get()
            {
                frames.bytes[at..at + size_of::<u64>()].copy_from_slice(&teller().to_le_bytes());
            }
        }
    }

    /// False once the connection is closed.
    fn wait_for_segments(&self) -> bool {
        let mut gatherings = 0;
        loop {
            let seen = self.appended.load(Acquire);
            let is_calm = self.is_calm();
            // What was just written was not the last of it.
            if (gatherings > 0 || !is_calm) && self.has_segments_or_is_closed() {
                return !self.lock().closed;
            }
            if is_calm && gatherings < GATHERINGS_MAX {
                gatherings += 1;
                self.gather();
                continue;
            }
            if !is_calm {
                look(MEDIUM, || (self.appended.load(Acquire) != seen).then_some(()));
            }
            self.sleep(seen);
        }
    }

    /// Until it is called, unless something was appended.
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

    /// For a moment, or until it is called.
    fn gather(&self) {
        let mut state = self.lock();
        (state.rest, state.called) = (Rest::Gathering, false);
        let waits = |state: &mut State| !state.called && !state.closed;
        (state, _) = self.wake.wait_timeout_while(state, GATHERING, waits);
        state.rest = Rest::None;
    }

    fn has_segments_or_is_closed(&self) -> bool {
        let state = self.lock();
        !state.segments.is_empty() || state.closed
    }

    /// Nothing more is sent; whoever waits for room or for bytes to be read goes on.
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

impl State {
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
            Payload::None | Payload::Borrowed { .. } => {}
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

    /// Where the next frame goes.
    fn frames(&mut self) -> &mut Frames {
        let fits = matches!(self.segments.back(), Some(Segment::Copied(frames))
            if frames.bytes.len() < SEGMENT_BYTES);
        if !fits {
            let bytes = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(4096));
            self.segments.push_back(Segment::Copied(Frames { bytes, awaited_at: None }));
        }
        match self.segments.back_mut() {
            Some(Segment::Copied(frames)) => frames,
            _ => unreachable!("a copied segment was just made sure of"),
        }
    }
}

impl Segment {
    fn bytes(&self) -> &[u8] {
        match self {
            Segment::Copied(frames) => &frames.bytes,
            // SAFETY: readable until `sent` is done, which comes after the write.
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

    /// Ends a write only where a frame ends, or fails.
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

    /// Between two writes the lane may say something else.
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

    /// The numbers of all `MirrorAwait` frames that were written.
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
                if header.op == MirrorAwait::OP {
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

    /// However many commands leave together, memory is looked at once for all of them; and for what
    /// is posted after that look, once more.
    #[test]
    fn commands_that_leave_together_await_one_look() {
        let (outbox, sink) = (Outbox::new(u16::MAX), Awaited::default());
        let looks = Arc::new(AtomicU64::new(0));
        let counted = looks.clone();
        outbox.tell_by(Box::new(move || counted.fetch_add(1, Release) + 1));
        let post = |count: usize| {
            for _ in 0..count {
                outbox.await_writes(false);
                outbox.post(&MemGetInfo {}, 0, Payload::None).unwrap();
            }
        };
        post(1000);
        assert_eq!(looks.load(Acquire), 0);
        *outbox.writer.lock() = Writer::Lane(LaneWriter::new(Box::new(sink.clone())));
        outbox.flush();
        assert_eq!(*sink.0.lock(), [1]);
        outbox.flush();
        post(10);
        outbox.flush();
        assert_eq!((sink.0.lock().as_slice(), looks.load(Acquire)), (&[1, 2][..], 2));
    }

    /// More than leaves in one write: what was posted before the look stands behind it.
    #[test]
    fn a_long_queue_awaits_one_look() {
        let (outbox, sink) = (Outbox::new(u16::MAX), Awaited::default());
        outbox.tell_by(Box::new(|| 7));
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
    fn what_gathers_is_written_without_another_word() {
        let (outbox, sink) = (Outbox::new(u16::MAX), Whole::default());
        let written = sink.frames.clone();
        std::thread::scope(|scope| {
            scope.spawn(|| outbox.write_all(LaneWriter::new(Box::new(sink))));
            std::thread::sleep(2 * CALM);
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

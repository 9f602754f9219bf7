//! A connection cut into its halves. Reading is buffered for headers and small bodies; a payload is
//! read straight to where it belongs.

use crate::life::LifeLine;
use crate::line::Line;
use crate::look::look;
use crate::memory_socket::MemorySocket;
use crate::pace::PaceMeter;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::codec::DecodeError;
use outhaul_wire::frame::{BEAT, Header};
use std::io::{self, IoSlice, Read, Write};
use std::sync::Arc;
use std::time::Duration;

const READ_BUFFER_BYTES: usize = 256 << 10;

#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    #[error("the connection ended")]
    Closed,
    #[error("the other side ended it: {0}")]
    Ended(String),
    #[error("the connection failed: {0}")]
    Io(io::Error),
    #[error("a lane for bulk data: {0}")]
    Bulk(String),
    #[error("a malformed frame: {0}")]
    Malformed(#[from] DecodeError),
}

impl From<io::Error> for LaneError {
    fn from(error: io::Error) -> LaneError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe => LaneError::Closed,
            _ => LaneError::Io(error),
        }
    }
}

pub struct Lane {
    pub reader: LaneReader,
    pub writer: LaneWriter,
    pub life: LifeLine,
    /// On one machine, the way for memory that both sides map.
    pub memory_socket: Option<MemorySocket>,
    /// Over a network.
    pub meter: Option<PaceMeter>,
    /// Its connection, where another one may take its place.
    pub line: Option<Arc<Line>>,
    /// Why a lane to a node on this machine does not go through shared memory.
    pub detour: Option<io::Error>,
}

/// Where a lane's bytes come from.
pub trait Source: Read + Send {
    /// As `read`, but None where `read` would wait.
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>>;

    /// As `read_exact`, in as few system calls as the connection allows.
    fn read_all(&mut self, out: &mut [u8]) -> io::Result<()> {
        self.read_exact(out)
    }
}

pub struct LaneReader {
    source: Box<dyn Source>,
    /// How long a reader looks for more before it sleeps: waking a sleeping thread costs more than
    /// most answers take.
    look: Duration,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
}

impl LaneReader {
    pub fn new(source: Box<dyn Source>, look: Duration) -> LaneReader {
        LaneReader { source, look, buffer: vec![0; READ_BUFFER_BYTES].into(), start: 0, end: 0 }
    }

    /// Whoever reads here is waited for: it looks for so long.
    pub fn look_for(&mut self, look: Duration) {
        self.look = look;
    }

    /// Whether the next frame has been read from the connection, all of it. Of one that is there in
    /// part, or behind a beat, nobody knows when it comes.
    pub fn has_frame(&mut self) -> bool {
        while self.buffer[self.start..self.end].starts_with(&BEAT) {
            self.start += BEAT.len();
        }
        let Some((header, behind)) = self.buffer[self.start..self.end].split_first_chunk() else {
            return false;
        };
        // What is no header is refused when it is read.
        Header::decode(header).is_ok_and(|header| behind.len() >= header.body_bytes as usize)
    }

    /// Nothing more has been read from the connection, which may have more.
    fn is_drained(&self) -> bool {
        self.start == self.end
    }

    /// Looks after `errand` for so long, or until there is something to read. Whether the errand
    /// says that it is over.
    pub fn look_beside(&mut self, limit: Duration, mut errand: impl FnMut() -> bool) -> bool {
        if !self.is_drained() {
            return false;
        }
        let found = look(limit, || {
            if errand() {
                return Some(true);
            }
            match self.source.try_read(&mut self.buffer) {
                Ok(None) => None,
                Ok(Some(count)) => {
                    (self.start, self.end) = (0, count);
                    Some(false)
                }
                // It comes again when something is read.
                Err(_) => Some(false),
            }
        });
        found == Some(true)
    }

    /// The next frame's header, beats passed over. `Closed` between two frames is how a session
    /// ends.
    pub fn header(&mut self) -> Result<Header, LaneError> {
        let mut bytes = BEAT;
        self.exact(&mut bytes)?;
        while bytes == BEAT {
            // A beat says that nothing comes. To look behind each would keep a processor of an idle
            // program busy for a tenth of its time.
            if self.is_drained() {
                self.wait_for_more()?;
            }
            self.exact(&mut bytes)?;
        }
        Ok(Header::decode(&bytes)?)
    }

    /// So many bytes where they lie, if all of them have been read from the connection.
    pub fn buffered(&mut self, bytes: usize) -> Option<&mut [u8]> {
        let start = self.start;
        if self.end - start < bytes {
            return None;
        }
        self.start += bytes;
        Some(&mut self.buffer[start..self.start])
    }

    /// Fills `out`: from what is buffered, the rest of a long read without a detour through the
    /// buffer.
    pub fn exact(&mut self, mut out: &mut [u8]) -> Result<(), LaneError> {
        loop {
            let count = out.len().min(self.end - self.start);
            out[..count].copy_from_slice(&self.buffer[self.start..self.start + count]);
            self.start += count;
            out = &mut out[count..];
            if out.is_empty() {
                return Ok(());
            }
            if out.len() >= self.buffer.len() {
                return Ok(self.source.read_all(out)?);
            }
            self.refill()?;
        }
    }

    /// A body of known length.
    pub fn body(&mut self, bytes: usize) -> Result<Vec<u8>, LaneError> {
        let mut body = vec![0; bytes];
        self.exact(&mut body)?;
        Ok(body)
    }

    /// Reads and forgets.
    pub fn skip(&mut self, mut bytes: usize) -> Result<(), LaneError> {
        let mut scratch = [0; 4096];
        while bytes > 0 {
            let count = bytes.min(scratch.len());
            self.exact(&mut scratch[..count])?;
            bytes -= count;
        }
        Ok(())
    }

    /// Whether something was there, which is gone now.
    #[cfg(test)]
    pub fn discard(&mut self) -> bool {
        (self.start, self.end) = (0, 0);
        matches!(self.source.try_read(&mut self.buffer), Ok(Some(1..)))
    }

    fn refill(&mut self) -> Result<(), LaneError> {
        if let Some(count) = self.look_for_more()? {
            (self.start, self.end) = (0, count);
            return Ok(());
        }
        self.wait_for_more()
    }

    fn wait_for_more(&mut self) -> Result<(), LaneError> {
        loop {
            match self.source.read(&mut self.buffer) {
                Ok(0) => return Err(LaneError::Closed),
                Ok(count) => {
                    (self.start, self.end) = (0, count);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl LaneReader {
    fn look_for_more(&mut self) -> Result<Option<usize>, LaneError> {
        if self.look.is_zero() {
            return Ok(None);
        }
        let found = look(self.look, || match self.source.try_read(&mut self.buffer) {
            Ok(Some(0)) => Some(Err(LaneError::Closed)),
            Ok(found) => found.map(Ok),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
            Err(error) => Some(Err(error.into())),
        });
        found.transpose()
    }
}

/// Where a lane's bytes go.
pub trait Sink: Write + Send {
    /// Whether a few bytes would be taken without waiting.
    fn is_ready(&self) -> bool;
}

/// Takes everything.
impl Sink for io::Sink {
    fn is_ready(&self) -> bool {
        true
    }
}

/// The way of whole frames: of whoever writes them, and of beats between them.
pub(crate) struct Way(Mutex<Box<dyn Sink>>);

impl Way {
    fn lock(&self) -> MutexGuard<'_, Box<dyn Sink>> {
        self.0.lock()
    }

    /// Unless somebody writes, or it would wait. A connection that broke is noticed by whoever
    /// reads.
    pub fn write_if_free(&self, bytes: &[u8]) {
        let Some(mut sink) = self.0.try_lock() else { return };
        if sink.is_ready() {
            let _ = sink.write_all(bytes);
        }
    }
}

pub struct LaneWriter {
    way: Arc<Way>,
}

impl LaneWriter {
    pub fn new(sink: Box<dyn Sink>) -> LaneWriter {
        LaneWriter { way: Arc::new(Way(Mutex::new(sink))) }
    }

    pub(crate) fn way(&self) -> Arc<Way> {
        self.way.clone()
    }

    /// Writes all pieces, in order, in as few system calls as the connection allows. They are whole
    /// frames: a beat may come between this and what follows.
    pub fn write(&mut self, pieces: &[&[u8]]) -> Result<(), LaneError> {
        let mut slices: Vec<IoSlice<'_>> =
            pieces.iter().filter(|p| !p.is_empty()).map(|p| IoSlice::new(p)).collect();
        let mut rest = slices.as_mut_slice();
        let mut sink = self.way.lock();
        while !rest.is_empty() {
            match sink.write_vectored(rest) {
                Ok(0) => return Err(LaneError::Closed),
                Ok(count) => IoSlice::advance_slices(&mut rest, count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Source for io::Cursor<Vec<u8>> {
        fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
            self.read(out).map(Some)
        }
    }

    #[test]
    fn an_errand_is_left_for_what_comes_and_nothing_of_that_is_lost() {
        let mut reader = LaneReader::new(Box::new(io::Cursor::new(vec![7, 8])), Duration::ZERO);
        assert!(reader.look_beside(Duration::from_secs(1), || true));
        assert!(!reader.look_beside(Duration::from_secs(1), || false));
        assert!(
            !reader.look_beside(Duration::from_secs(1), || panic!("there is something to read"))
        );
        assert_eq!(reader.body(2).unwrap(), [7, 8]);
        assert!(!reader.look_beside(Duration::from_secs(1), || false));
        assert!(matches!(reader.body(1), Err(LaneError::Closed)));
    }

    /// Gives a beat to who looks, and a frame to who sleeps.
    struct BeatThenFrame(Option<[u8; BEAT.len()]>);

    impl Read for BeatThenFrame {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let frame = Header { body_bytes: 0, op: 9, context: 1, sequence: 5 }.encode();
            out[..frame.len()].copy_from_slice(&frame);
            Ok(frame.len())
        }
    }

    impl Source for BeatThenFrame {
        fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
            let beat = self.0.take().expect("nobody looks behind a beat");
            out[..beat.len()].copy_from_slice(&beat);
            Ok(Some(beat.len()))
        }
    }

    #[test]
    fn who_meets_a_beat_sleeps() {
        let mut reader =
            LaneReader::new(Box::new(BeatThenFrame(Some(BEAT))), Duration::from_secs(1));
        assert_eq!(reader.header().unwrap().op, 9);
    }

    /// What waits behind a command may be a beat, or a frame whose rest never comes: a turn that is
    /// kept for those would be kept for ever.
    #[test]
    fn beats_and_parts_of_frames_are_no_frames() {
        let frame = |body_bytes: usize| {
            let header = Header { body_bytes: body_bytes as u32, op: 9, context: 1, sequence: 5 };
            [&header.encode()[..], &vec![3; body_bytes]].concat()
        };
        let read = |bytes: Vec<u8>| {
            let mut reader = LaneReader::new(Box::new(io::Cursor::new(bytes)), Duration::ZERO);
            // One errand's look reads what there is.
            reader.look_beside(Duration::from_secs(1), || false);
            reader
        };
        assert!(!read(BEAT.repeat(2)).has_frame());
        assert!(!read([BEAT.to_vec(), frame(40)[..55].to_vec()].concat()).has_frame());
        assert!(!read(frame(40)[..15].to_vec()).has_frame());
        let mut reader =
            read([BEAT.to_vec(), frame(40), BEAT.to_vec(), frame(0), BEAT.to_vec()].concat());
        assert!(reader.has_frame());
        assert_eq!(reader.header().unwrap().body_bytes, 40);
        reader.body(40).unwrap();
        assert!(reader.has_frame());
        assert_eq!(reader.header().unwrap().body_bytes, 0);
        assert!(!reader.has_frame());
        assert!(matches!(reader.header(), Err(LaneError::Closed)));
    }

    #[test]
    fn reads_cross_the_buffer_in_any_pieces() {
        let data: Vec<u8> = (0..READ_BUFFER_BYTES * 3).map(|i| (i % 251) as u8).collect();
        let mut reader = LaneReader::new(Box::new(io::Cursor::new(data.clone())), Duration::ZERO);
        let mut read = Vec::new();
        for size in [1, 15, 4000, READ_BUFFER_BYTES + 7, 100].into_iter().cycle() {
            let size = size.min(data.len() - read.len());
            if size == 0 {
                break;
            }
            match reader.buffered(size).map(|bytes| bytes.to_vec()) {
                Some(bytes) => read.extend(bytes),
                None => read.extend(reader.body(size).unwrap()),
            }
        }
        assert!(read == data);
        assert!(matches!(reader.header(), Err(LaneError::Closed)));
    }
}

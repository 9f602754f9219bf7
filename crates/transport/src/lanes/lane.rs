//! The two halves of a lane. The reader reads headers and small bodies through a buffer, and a
//! payload directly into its destination.

use crate::descriptors::memory_socket::MemorySocket;
use crate::network::heartbeat::LifeLine;
use crate::network::line::Line;
use crate::network::source_and_sink::{FrameSink, Sink, Source};
use crate::network::throughput::PaceMeter;
use crate::os::spin::spin;
use outhaul_lock::Mutex;
use outhaul_wire::codec::DecodeError;
use outhaul_wire::frame::{BEAT, Header};
use std::io::{self, IoSlice, Read, Write};
use std::sync::Arc;
use std::time::Duration;

const READ_BUFFER_BYTES: usize = 256 << 10;

/// Why a lane ended.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    /// The other side closed the connection, or the connection broke.
    #[error("the connection ended")]
    Closed,
    /// The other side ended the lane for this reason.
    #[error("the other side ended it{}", why(.0))]
    Ended(String),
    /// A read or write failed in another way.
    #[error("the connection failed: {0}")]
    Io(io::Error),
    /// A bulk lane failed, for this reason.
    #[error("a lane for bulk data: {0}")]
    Bulk(String),
    /// A header cannot be decoded.
    #[error("a malformed frame: {0}")]
    Malformed(#[from] DecodeError),
}

/// Formats a reason from the other side, which may be empty.
fn why(reason: &str) -> String {
    let reason = reason.trim();
    if reason.is_empty() { " without a reason".to_owned() } else { format!(": {reason}") }
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

/// A connection that carries frames, as two halves.
pub struct Lane {
    /// The reading half.
    pub reader: LaneReader,
    /// The writing half.
    pub writer: LaneWriter,
    /// The lane's heartbeats, sent and received.
    pub life: LifeLine,
    /// The socket for further shared memory, if both sides are on one machine.
    pub memory_socket: Option<MemorySocket>,
    /// A meter for the lane's speed, if the lane uses a network.
    pub meter: Option<PaceMeter>,
    /// The lane's connection, if another connection can replace it.
    pub line: Option<Arc<Line>>,
    /// Why a lane to a node on this machine does not use shared memory.
    pub detour: Option<io::Error>,
}

/// The reading half of a lane.
pub struct LaneReader {
    source: Box<dyn Source>,
    /// How long the reader spins before it sleeps. Waking a sleeping thread takes longer than most
    /// answers.
    spin_limit: Duration,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
}

impl LaneReader {
    /// Makes a reader that spins for `spin_limit` before it sleeps.
    pub fn new(source: Box<dyn Source>, spin_limit: Duration) -> LaneReader {
        LaneReader {
            source,
            spin_limit,
            buffer: vec![0; READ_BUFFER_BYTES].into(),
            start: 0,
            end: 0,
        }
    }

    /// Sets how long the reader spins before it sleeps.
    pub fn set_spin_limit(&mut self, spin_limit: Duration) {
        self.spin_limit = spin_limit;
    }

    /// Returns whether the buffer holds the whole next frame. Heartbeats and an incomplete frame do
    /// not count, because the rest of a frame may never come.
    pub fn has_frame(&mut self) -> bool {
        while self.buffer[self.start..self.end].starts_with(&BEAT) {
            self.start += BEAT.len();
        }
        let Some((header, behind)) = self.buffer[self.start..self.end].split_first_chunk() else {
            return false;
        };
        // `header` rejects an invalid header when it reads that header.
        Header::decode(header).is_ok_and(|header| behind.len() >= header.body_bytes as usize)
    }

    /// Returns whether the buffer is empty. The connection may still have data.
    fn is_drained(&self) -> bool {
        self.start == self.end
    }

    /// Polls `errand` and the connection until `errand` returns true, data arrives or `limit` is
    /// over. Returns whether `errand` returned true.
    pub fn spin_or_run(&mut self, limit: Duration, mut errand: impl FnMut() -> bool) -> bool {
        if !self.is_drained() {
            return false;
        }
        let found = spin(limit, || {
            if errand() {
                return Some(true);
            }
            match self.source.try_read(&mut self.buffer) {
                Ok(None) => None,
                Ok(Some(count)) => {
                    (self.start, self.end) = (0, count);
                    Some(false)
                }
                // The next read returns the error again.
                Err(_) => Some(false),
            }
        });
        found == Some(true)
    }

    /// Reads the next frame's header and skips heartbeats. Fails with `Closed` when a session ends
    /// between two frames.
    pub fn header(&mut self) -> Result<Header, LaneError> {
        let mut bytes = BEAT;
        self.exact(&mut bytes)?;
        while bytes == BEAT {
            // A heartbeat shows that the other side has no data to send. A reader that spins after
            // each one would keep a CPU busy for a tenth of an idle program's time.
            if self.is_drained() {
                self.wait_for_more()?;
            }
            self.exact(&mut bytes)?;
        }
        Ok(Header::decode(&bytes)?)
    }

    /// Returns the next `bytes` bytes without copying them. Returns None if the buffer holds fewer.
    pub fn buffered(&mut self, bytes: usize) -> Option<&mut [u8]> {
        let start = self.start;
        if self.end - start < bytes {
            return None;
        }
        self.start += bytes;
        Some(&mut self.buffer[start..self.start])
    }

    /// Fills `out`: first from the buffer, then the rest of a long read directly from the
    /// connection.
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

    /// Reads a body of known length.
    pub fn body(&mut self, bytes: usize) -> Result<Vec<u8>, LaneError> {
        let mut body = vec![0; bytes];
        self.exact(&mut body)?;
        Ok(body)
    }

    /// Reads and discards `bytes` bytes.
    pub fn skip(&mut self, mut bytes: usize) -> Result<(), LaneError> {
        let mut scratch = [0; 4096];
        while bytes > 0 {
            let count = bytes.min(scratch.len());
            self.exact(&mut scratch[..count])?;
            bytes -= count;
        }
        Ok(())
    }

    /// Discards received data. Returns whether the connection delivered any.
    #[cfg(test)]
    pub fn discard(&mut self) -> bool {
        (self.start, self.end) = (0, 0);
        matches!(self.source.try_read(&mut self.buffer), Ok(Some(1..)))
    }

    fn refill(&mut self) -> Result<(), LaneError> {
        if let Some(count) = self.poll_more()? {
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
    fn poll_more(&mut self) -> Result<Option<usize>, LaneError> {
        if self.spin_limit.is_zero() {
            return Ok(None);
        }
        let found = spin(self.spin_limit, || match self.source.try_read(&mut self.buffer) {
            Ok(Some(0)) => Some(Err(LaneError::Closed)),
            Ok(found) => found.map(Ok),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
            Err(error) => Some(Err(error.into())),
        });
        found.transpose()
    }
}

/// The writing half of a lane.
pub struct LaneWriter {
    way: Arc<FrameSink>,
}

impl LaneWriter {
    /// Makes a writer that writes to `sink`.
    pub fn new(sink: Box<dyn Sink>) -> LaneWriter {
        LaneWriter { way: Arc::new(FrameSink(Mutex::new(sink))) }
    }

    /// Returns the sink, to which the sender of heartbeats writes too.
    pub(crate) fn way(&self) -> Arc<FrameSink> {
        self.way.clone()
    }

    /// Writes all pieces in order, in as few system calls as the connection allows. `pieces` must
    /// form whole frames, because a heartbeat may follow this call.
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
    fn an_errand_ends_when_data_arrives_and_no_data_is_lost() {
        let mut reader = LaneReader::new(Box::new(io::Cursor::new(vec![7, 8])), Duration::ZERO);
        assert!(reader.spin_or_run(Duration::from_secs(1), || true));
        assert!(!reader.spin_or_run(Duration::from_secs(1), || false));
        assert!(
            !reader.spin_or_run(Duration::from_secs(1), || panic!("there is something to read"))
        );
        assert_eq!(reader.body(2).unwrap(), [7, 8]);
        assert!(!reader.spin_or_run(Duration::from_secs(1), || false));
        assert!(matches!(reader.body(1), Err(LaneError::Closed)));
    }

    /// A source that gives a heartbeat to a reader that polls, and a frame to a reader that sleeps.
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
            let beat = self.0.take().expect("the reader does not read after a heartbeat");
            out[..beat.len()].copy_from_slice(&beat);
            Ok(Some(beat.len()))
        }
    }

    #[test]
    fn a_reader_sleeps_after_a_heartbeat() {
        let mut reader =
            LaneReader::new(Box::new(BeatThenFrame(Some(BEAT))), Duration::from_secs(1));
        assert_eq!(reader.header().unwrap().op, 9);
    }

    /// After a command, the buffer may hold a heartbeat, or a frame whose rest never comes. A
    /// session that kept its turn for such bytes would keep the turn forever.
    #[test]
    fn beats_and_parts_of_frames_are_no_frames() {
        let frame = |body_bytes: usize| {
            let header = Header { body_bytes: body_bytes as u32, op: 9, context: 1, sequence: 5 };
            [&header.encode()[..], &vec![3; body_bytes]].concat()
        };
        let read = |bytes: Vec<u8>| {
            let mut reader = LaneReader::new(Box::new(io::Cursor::new(bytes)), Duration::ZERO);
            // One poll with an errand reads all available data.
            reader.spin_or_run(Duration::from_secs(1), || false);
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

//! Receives data from a line's connection. The reader checks each record before it returns the
//! record's bytes, and handles control messages. A writer that waits for an acknowledgement reads
//! ahead meanwhile, because the reader may be waiting for that writer.

use crate::network::backlog::BACKLOG_BYTES_MAX;
use crate::network::checksum::{
    ControlMessage, HEAD_BYTES, Head, RECORD_BYTES_MAX, decode_control,
};
use crate::network::duplex_stream::Inlet;
use std::io::{self, IoSliceMut};
use std::ops::Range;

const BUFFER_BYTES: usize = 2 * HEAD_BYTES + RECORD_BYTES_MAX;
/// Largest number of bytes to read ahead. Without an acknowledgement, the other side sends no more
/// than its backlog; control messages come in addition.
const AHEAD_BYTES_MAX: usize = BACKLOG_BYTES_MAX as usize + (1 << 20);

/// A line as the receiver of its data sees it, with a connection that breaks and is replaced.
pub(crate) trait Replaceable {
    /// Returns the connection's receiving end and generation, which the only reader keeps. Without
    /// a connection, blocks if `may_wait` is true, and returns None otherwise.
    fn inlet(&self, may_wait: bool) -> io::Result<Option<(Inlet, u64)>>;
    /// Records that the connection of `generation` is broken.
    fn broke(&self, generation: u64, cause: io::Error);
    /// Returns whether the line waits for another connection after a break.
    fn is_patient(&self) -> bool;
    /// Records that a whole record of `bytes` bytes has arrived on the connection of `generation`.
    /// Returns false if that connection was given up meanwhile, because the bytes then arrive
    /// again.
    fn take(&self, generation: u64, bytes: usize) -> bool;
    /// Handles a control message that arrived whole.
    fn handle_control(&self, message: ControlMessage);
}

/// Received data that the reader has not read yet.
pub(crate) struct Incoming {
    /// The connection and its generation.
    connection: Option<(Inlet, u64)>,
    /// Received bytes that did not go directly to the reader. The buffer is longer than usual while
    /// it holds bytes that were read ahead.
    buffer: Vec<u8>,
    /// Range of the buffer that is checked and not read yet.
    checked: Range<usize>,
    /// Range after `checked` that is received and not checked yet.
    raw: Range<usize>,
    /// Index in the buffer before which control messages were handled ahead.
    handled_ahead: usize,
}

impl Default for Incoming {
    fn default() -> Incoming {
        Incoming {
            connection: None,
            buffer: vec![0; BUFFER_BYTES],
            checked: 0..0,
            raw: 0..0,
            handled_ahead: 0,
        }
    }
}

enum Taken {
    Bytes(usize),
    /// The read would block but must not.
    Nothing,
    /// Other data, which the buffer keeps.
    Part,
}

impl Incoming {
    /// Reads into `out`. Returns the number of bytes, at least one. With `MSG_DONTWAIT` in `flags`,
    /// returns None instead of blocking.
    pub fn take(
        &mut self,
        line: &impl Replaceable,
        out: &mut [u8],
        flags: i32,
    ) -> io::Result<Option<usize>> {
        let may_wait = flags & libc::MSG_DONTWAIT == 0;
        loop {
            if !self.checked.is_empty() {
                let count = self.checked.len().min(out.len());
                out[..count]
                    .copy_from_slice(&self.buffer[self.checked.start..self.checked.start + count]);
                self.checked.start += count;
                return Ok(Some(count));
            }
            let Some(generation) = self.connect(line, may_wait)? else { return Ok(None) };
            match self.advance(line, out, flags) {
                Ok(Taken::Bytes(count)) => return Ok(Some(count)),
                Ok(Taken::Nothing) => return Ok(None),
                Ok(Taken::Part) => {}
                // The line does not end here, because the reader may still send the other side a
                // last message.
                Err(error) if !line.is_patient() => return Err(error),
                Err(error) => self.give_up(line, generation, error),
            }
        }
    }

    /// Returns the generation of the connection to read from. Without a connection, waits for one
    /// if `may_wait` is true, and returns None otherwise.
    fn connect(&mut self, line: &impl Replaceable, may_wait: bool) -> io::Result<Option<u64>> {
        if self.connection.is_none() {
            self.connection = line.inlet(may_wait)?;
        }
        Ok(self.connection.as_ref().map(|(_, generation)| *generation))
    }

    /// Gives up the connection. The next connection delivers an incomplete record again.
    fn give_up(&mut self, line: &impl Replaceable, generation: u64, error: io::Error) {
        (self.connection, self.raw, self.handled_ahead) = (None, 0..0, 0);
        line.broke(generation, error);
    }

    /// Takes one step towards the next record.
    fn advance(
        &mut self,
        line: &impl Replaceable,
        out: &mut [u8],
        flags: i32,
    ) -> io::Result<Taken> {
        if self.raw.is_empty() && out.len() >= RECORD_BYTES_MAX {
            // The reader has consumed all bytes that were read ahead.
            self.make_room(BUFFER_BYTES);
            return self.take_straight(line, out, flags);
        }
        if !self.check_next(line)? {
            self.make_room(BUFFER_BYTES);
            match self.receive_more(flags)? {
                None => return Ok(Taken::Nothing),
                Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(_) => {}
            }
        }
        Ok(Taken::Part)
    }

    /// Checks the next record or control message. Returns whether the buffer held a complete one.
    fn check_next(&mut self, line: &impl Replaceable) -> io::Result<bool> {
        let raw = &self.buffer[self.raw.clone()];
        if raw.len() < HEAD_BYTES {
            return Ok(false);
        }
        let head = Head::decode(raw)?;
        let Some(bytes) = raw.get(HEAD_BYTES..HEAD_BYTES + head.length) else { return Ok(false) };
        head.check(bytes)?;
        let start = self.raw.start + HEAD_BYTES;
        let place = start..start + head.length;
        self.raw.start = place.end;
        if head.is_control {
            line.handle_control(decode_control(&self.buffer[place]));
        } else {
            self.take_record(line, head.length)?;
            self.checked = place;
        }
        Ok(true)
    }

    fn take_record(&self, line: &impl Replaceable, bytes: usize) -> io::Result<()> {
        let is_taken = |(_, generation): &(Inlet, u64)| line.take(*generation, HEAD_BYTES + bytes);
        if self.connection.as_ref().is_some_and(is_taken) {
            Ok(())
        } else {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }

    /// Returns the range of the unread bytes in the buffer.
    fn kept(&self) -> Range<usize> {
        let start = if self.checked.is_empty() { self.raw.start } else { self.checked.start };
        start..self.raw.end
    }

    /// Moves the unread bytes to the front of the buffer. Resizes the buffer to `bytes` bytes, or
    /// to the size of the unread bytes if that is larger.
    fn make_room(&mut self, bytes: usize) {
        let kept = self.kept();
        if kept.start > 0 {
            let moved = |place: &Range<usize>| {
                place.start.saturating_sub(kept.start)..place.end.saturating_sub(kept.start)
            };
            (self.checked, self.raw, self.handled_ahead) = (
                moved(&self.checked),
                moved(&self.raw),
                self.handled_ahead.saturating_sub(kept.start),
            );
            self.buffer.copy_within(kept, 0);
        }
        self.buffer.resize(bytes.max(self.raw.end), 0);
        if bytes == BUFFER_BYTES {
            self.buffer.shrink_to(bytes);
        }
    }

    /// Returns the buffer's size.
    #[cfg(test)]
    pub fn buffer_bytes(&self) -> usize {
        self.buffer.capacity()
    }

    /// Receives as much as fits in the buffer.
    fn receive_more(&mut self, flags: i32) -> io::Result<Option<usize>> {
        let Some((inlet, _)) = &mut self.connection else { return Ok(Some(0)) };
        let count =
            inlet.receive(&mut [IoSliceMut::new(&mut self.buffer[self.raw.end..])], flags)?;
        self.raw.end += count.unwrap_or(0);
        Ok(count)
    }

    /// Receives the next record directly into `out`, which is large enough for any record. Keeps
    /// bytes that came after the record, or an incomplete record, in the buffer.
    fn take_straight(
        &mut self,
        line: &impl Replaceable,
        out: &mut [u8],
        flags: i32,
    ) -> io::Result<Taken> {
        let Some((inlet, _)) = &mut self.connection else { return Ok(Taken::Nothing) };
        let mut bytes = [0; HEAD_BYTES];
        let place = &mut out[..RECORD_BYTES_MAX];
        let Some(count) =
            inlet.receive(&mut [IoSliceMut::new(&mut bytes), IoSliceMut::new(place)], flags)?
        else {
            return Ok(Taken::Nothing);
        };
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if count < HEAD_BYTES {
            self.keep(&bytes[..count], &[]);
            return Ok(Taken::Part);
        }
        let head = Head::decode(&bytes)?;
        let came = count - HEAD_BYTES;
        if head.is_control || came < head.length && flags & libc::MSG_DONTWAIT != 0 {
            self.keep(&bytes, &place[..came]);
            return Ok(Taken::Part);
        }
        let mut left = came.min(head.length);
        while left < head.length {
            match inlet
                .receive(&mut [IoSliceMut::new(&mut place[left..head.length])], libc::MSG_WAITALL)?
            {
                Some(0) | None => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(more) => left += more,
            }
        }
        head.check(&place[..head.length])?;
        self.take_record(line, head.length)?;
        if came > head.length {
            self.keep(&place[head.length..came], &[]);
        }
        Ok(Taken::Bytes(head.length))
    }

    fn keep(&mut self, first: &[u8], second: &[u8]) {
        self.buffer[..first.len()].copy_from_slice(first);
        self.buffer[first.len()..first.len() + second.len()].copy_from_slice(second);
        (self.raw, self.handled_ahead) = (0..first.len() + second.len(), 0);
    }

    /// Receives available data into the buffer for the reader, without blocking. Handles only
    /// acknowledgements, and leaves the other side's records to the reader.
    pub fn read_ahead(&mut self, line: &impl Replaceable) -> io::Result<()> {
        while let Some(generation) = self.connect(line, false)?
            && self.kept().len() < AHEAD_BYTES_MAX
        {
            self.make_room(self.kept().len() + BUFFER_BYTES);
            match self.receive_more(libc::MSG_DONTWAIT) {
                Ok(None) => break,
                Ok(Some(0)) => self.give_up(line, generation, io::ErrorKind::UnexpectedEof.into()),
                Ok(Some(_)) => self.handle_acknowledgements_ahead(line),
                Err(error) => self.give_up(line, generation, error),
            }
        }
        Ok(())
    }

    /// Handles acknowledgements before the reader does. The reader finds errors later, and also a
    /// goodbye, which comes after records that it has not read.
    fn handle_acknowledgements_ahead(&mut self, line: &impl Replaceable) {
        self.handled_ahead = self.handled_ahead.max(self.raw.start);
        while let Some(Ok(head)) =
            self.buffer[self.handled_ahead..self.raw.end].get(..HEAD_BYTES).map(Head::decode)
        {
            let place =
                self.handled_ahead + HEAD_BYTES..self.handled_ahead + HEAD_BYTES + head.length;
            let Some(bytes) = self.buffer[..self.raw.end].get(place.clone()) else { return };
            if head.is_control
                && head.check(bytes).is_ok()
                && let ControlMessage::Received(position) = decode_control(bytes)
            {
                line.handle_control(ControlMessage::Received(position));
            }
            self.handled_ahead = place.end;
        }
    }
}

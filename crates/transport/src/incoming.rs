//! What comes by a line's connection: records are checked before anybody has their bytes, and words
//! are heard. Whoever reads does both. A writer that waits for the other side's word reads ahead
//! meanwhile, for whoever reads may be waiting for that writer.

use crate::backlog::BACKLOG_BYTES_MAX;
use crate::checked::{HEAD_BYTES, Head, RECORD_BYTES_MAX, Word, word_of};
use crate::lane::Source;
use crate::life::Ear;
use crate::line::Line;
use crate::pipe::Inlet;
use std::io::{self, IoSliceMut, Read};
use std::ops::Range;
use std::sync::Arc;

const BUFFER_BYTES: usize = 2 * HEAD_BYTES + RECORD_BYTES_MAX;
/// What may be read ahead. The other side sends no more than its backlog without a word that it was
/// taken; words come on top.
const AHEAD_BYTES_MAX: usize = BACKLOG_BYTES_MAX as usize + (1 << 20);

pub(crate) struct Incoming {
    /// The connection, and its generation.
    connection: Option<(Inlet, u64)>,
    /// What did not go straight to its reader. Longer than usual while there is something that was
    /// read ahead.
    buffer: Vec<u8>,
    /// What has been checked and not read.
    checked: Range<usize>,
    /// What has been received and not checked, behind that.
    raw: Range<usize>,
    /// Words before this place have been heard ahead.
    heard: usize,
}

impl Default for Incoming {
    fn default() -> Incoming {
        Incoming {
            connection: None,
            buffer: vec![0; BUFFER_BYTES],
            checked: 0..0,
            raw: 0..0,
            heard: 0,
        }
    }
}

enum Taken {
    Bytes(usize),
    /// It would wait and may not.
    Nothing,
    /// Something else, which is kept.
    Part,
}

impl Incoming {
    /// At least one byte. None where it would wait and may not.
    fn take(&mut self, line: &Line, out: &mut [u8], flags: i32) -> io::Result<Option<usize>> {
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
                // Whoever reads may have a last word for the other side.
                Err(error) if !line.is_patient() => return Err(error),
                Err(error) => self.give_up(line, generation, error),
            }
        }
    }

    /// The generation of the connection to read from. None where it would wait for one and may not.
    fn connect(&mut self, line: &Line, may_wait: bool) -> io::Result<Option<u64>> {
        if self.connection.is_none() {
            self.connection = line.inlet(may_wait)?;
        }
        Ok(self.connection.as_ref().map(|(_, generation)| *generation))
    }

    /// What came of a record comes again, by another connection.
    fn give_up(&mut self, line: &Line, generation: u64, error: io::Error) {
        (self.connection, self.raw, self.heard) = (None, 0..0, 0);
        line.broke(generation, error);
    }

    /// A step towards the next record.
    fn advance(&mut self, line: &Line, out: &mut [u8], flags: i32) -> io::Result<Taken> {
        if self.raw.is_empty() && out.len() >= RECORD_BYTES_MAX {
            // Of what was read ahead nothing is left.
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

    /// Whether a whole record, or a word, was there.
    fn check_next(&mut self, line: &Line) -> io::Result<bool> {
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
        if head.is_word {
            line.hear(word_of(&self.buffer[place]));
        } else {
            self.take_record(line, head.length)?;
            self.checked = place;
        }
        Ok(true)
    }

    fn take_record(&self, line: &Line, bytes: usize) -> io::Result<()> {
        let is_taken = |(_, generation): &(Inlet, u64)| line.take(*generation, HEAD_BYTES + bytes);
        if self.connection.as_ref().is_some_and(is_taken) {
            Ok(())
        } else {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }

    /// What has not been read.
    fn kept(&self) -> Range<usize> {
        let start = if self.checked.is_empty() { self.raw.start } else { self.checked.start };
        start..self.raw.end
    }

    /// Moves what has not been read to the beginning, with room for so many bytes in all, or for as
    /// many as there are.
    fn make_room(&mut self, bytes: usize) {
        let kept = self.kept();
        if kept.start > 0 {
            let moved = |place: &Range<usize>| {
                place.start.saturating_sub(kept.start)..place.end.saturating_sub(kept.start)
            };
            (self.checked, self.raw, self.heard) =
                (moved(&self.checked), moved(&self.raw), self.heard.saturating_sub(kept.start));
            self.buffer.copy_within(kept, 0);
        }
        self.buffer.resize(bytes.max(self.raw.end), 0);
        if bytes == BUFFER_BYTES {
            self.buffer.shrink_to(bytes);
        }
    }

    #[cfg(test)]
    pub fn buffer_bytes(&self) -> usize {
        self.buffer.capacity()
    }

    /// As much as there is room for.
    fn receive_more(&mut self, flags: i32) -> io::Result<Option<usize>> {
        let Some((inlet, _)) = &mut self.connection else { return Ok(Some(0)) };
        let count =
            inlet.receive(&mut [IoSliceMut::new(&mut self.buffer[self.raw.end..])], flags)?;
        self.raw.end += count.unwrap_or(0);
        Ok(count)
    }

    /// The next record where its reader wants it, which has room for any. What came behind it, or a
    /// part of it that came alone, is kept.
    fn take_straight(&mut self, line: &Line, out: &mut [u8], flags: i32) -> io::Result<Taken> {
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
        if head.is_word || came < head.length && flags & libc::MSG_DONTWAIT != 0 {
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
        (self.raw, self.heard) = (0..first.len() + second.len(), 0);
    }

    /// Receives what is there without waiting, for whoever reads later, and hears how much has come
    /// to the other side. Nothing of it is taken yet.
    pub fn look_ahead(&mut self, line: &Line) -> io::Result<()> {
        while let Some(generation) = self.connect(line, false)?
            && self.kept().len() < AHEAD_BYTES_MAX
        {
            self.make_room(self.kept().len() + BUFFER_BYTES);
            match self.receive_more(libc::MSG_DONTWAIT) {
                Ok(None) => break,
                Ok(Some(0)) => self.give_up(line, generation, io::ErrorKind::UnexpectedEof.into()),
                Ok(Some(_)) => self.hear_ahead(line),
                Err(error) => self.give_up(line, generation, error),
            }
        }
        Ok(())
    }

    /// What is wrong, whoever reads finds; and a goodbye stands behind what it has not read.
    fn hear_ahead(&mut self, line: &Line) {
        self.heard = self.heard.max(self.raw.start);
        while let Some(Ok(head)) =
            self.buffer[self.heard..self.raw.end].get(..HEAD_BYTES).map(Head::decode)
        {
            let place = self.heard + HEAD_BYTES..self.heard + HEAD_BYTES + head.length;
            let Some(bytes) = self.buffer[..self.raw.end].get(place.clone()) else { return };
            if head.is_word
                && head.check(bytes).is_ok()
                && let Word::Received(position) = word_of(bytes)
            {
                line.hear(Word::Received(position));
            }
            self.heard = place.end;
        }
    }
}

/// Whoever reads from a line.
pub struct Reading {
    line: Arc<Line>,
}

impl Reading {
    pub fn new(line: Arc<Line>) -> Reading {
        Reading { line }
    }
}

impl Read for Reading {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Ok(self.line.incoming().take(&self.line, out, 0)?.unwrap_or(0))
    }
}

impl Source for Reading {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        self.line.incoming().take(&self.line, out, libc::MSG_DONTWAIT)
    }
}

//! The two halves of a line: one end reads the line's data, the other end writes it. Each half
//! locks only its own part of the line.

use crate::network::checksum::{HEAD_BYTES, RECORD_BYTES_MAX, put_record};
use crate::network::line::Line;
use crate::network::source_and_sink::{Sink, Source};
use crate::os::send::is_writable;
use std::io::{self, IoSlice, Read, Write};
use std::sync::Arc;

/// The reading end of a line.
pub struct Reading {
    line: Arc<Line>,
}

impl Reading {
    /// Makes the reading end of the line.
    pub fn new(line: Arc<Line>) -> Reading {
        Reading { line }
    }
}

impl Read for Reading {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Ok(self.line.incoming().take(&*self.line, out, 0)?.unwrap_or(0))
    }
}

impl Source for Reading {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        self.line.incoming().take(&*self.line, out, libc::MSG_DONTWAIT)
    }
}

/// The writing end of a line.
pub struct Writing {
    line: Arc<Line>,
}

impl Writing {
    /// Makes the writing end of the line.
    pub fn new(line: Arc<Line>) -> Writing {
        Writing { line }
    }
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    /// Writes one whole record.
    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let bytes = slices.iter().map(|slice| slice.len()).sum::<usize>().min(RECORD_BYTES_MAX);
        let mut length = 0;
        if bytes > 0 {
            self.line.send(HEAD_BYTES + bytes, |out| length = put_record(slices, out))?;
        }
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Writing {
    fn is_ready(&self) -> bool {
        self.line.stream().is_some_and(|stream| is_writable(&*stream))
    }
}

#[cfg(test)]
mod tests;

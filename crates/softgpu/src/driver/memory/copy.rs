//! Memory copies and fills, in rows and slices. A flat copy is one row.
//!
//! Device memory is host memory here, so a copy is a `memmove`. This module adds checks of the
//! device side, and CUDA's rules about when the caller may continue. An array also consists of
//! rows.

use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::memory::copy::{Copy, CopySide, Fill, Memory};
use crate::driver::objects::memory::pages;
use crate::driver::objects::streams::stream::{Length, Returns, Stream};
use crate::driver::state;
use crate::driver::state::Driver;
use crate::driver::streams::output;
use crate::driver::system::error::{Error, Result};
use crate::engine;

/// Maximum size of a pageable source that is copied to a temporary buffer, so that the call need
/// not wait for the stream. Larger copies wait, which CUDA allows.
const STAGING_BYTES_MAX: u64 = 4 << 20;
/// Size at which a copy takes about as long as waking a stream's thread.
const SHORT_BYTES_MAX: u64 = 64 << 10;

/// Maximum row size, in bytes, for which NVIDIA's driver (580, on an H200) reads pinned memory
/// during an asynchronous copy call. The driver does so if the stream is empty, regardless of the
/// default-stream rules.
const READ_AT_ONCE_BYTES_MAX: u64 = 24 << 10;

/// Addresses that the system gives to programs.
const HOST_START: u64 = 4096;
const HOST_END: u64 = 1 << 47;

/// Size of the buffer from which a fill copies repeatedly.
const PATTERN_BYTES: usize = 4096;

/// Records written memory for kernel checks. Copied bytes count as written, whether or not the
/// source did.
fn note_written(address: u64, bytes: u64) {
    if let Some(check) = state::started().and_then(|driver| driver.check.as_ref()) {
        check.set_written(address, bytes);
    }
}

/// Moves `bytes` bytes.
/// # Safety
/// Both addresses are valid for `bytes` bytes, because they are in known memory or the program
/// guarantees it.
unsafe fn move_bytes(to: u64, from: u64, bytes: usize) -> Result<()> {
    let (destination, source) = (pages::pointer::<u8>(to), pages::pointer::<u8>(from));
    if to.wrapping_sub(from) < bytes as u64 {
        // SAFETY: the caller upholds this function's contract; source and destination overlap, so
        // both are one owner's memory.
        unsafe { std::ptr::copy(source, destination, bytes) };
        return Ok(());
    }
    // SAFETY: the caller upholds this function's contract; missing memory is detected.
    match unsafe { engine::copy_if_there(destination, source, bytes) } {
        0 => Ok(()),
        _ => Err(Error::IllegalAddress),
    }
}

impl Length {
    fn of(bytes: u64) -> Length {
        if bytes <= SHORT_BYTES_MAX { Length::Short } else { Length::Long }
    }
}

impl Copy {
    /// Runs the copy. If another context frees the memory meanwhile, the copy fails, which is a
    /// fault of this context.
    pub fn run(&self) -> Result<()> {
        for slice in 0..self.depth {
            for row in 0..self.height {
                let (to, from) = (self.to.row(slice, row), self.from.row(slice, row));
                // SAFETY: the call checked the device sides against known memory. The program
                // guarantees that the host sides are valid until the copy is done.
                unsafe { move_bytes(to, from, self.width as usize) }?;
                note_written(to, self.width);
            }
        }
        Ok(())
    }

    /// Returns a copy that reads from the returned bytes, which hold the source's current content.
    pub fn staged(&self) -> (Copy, Vec<u8>) {
        let packed = self.pack();
        let address = packed.as_ptr().expose_provenance() as u64;
        (
            Copy {
                from: CopySide {
                    address,
                    pitch: self.width,
                    height: self.height,
                    memory: Memory::Host,
                },
                ..*self
            },
            packed,
        )
    }

    /// Returns the source's rows, packed without gaps.
    fn pack(&self) -> Vec<u8> {
        let mut packed = vec![0_u8; (self.rows() * self.width) as usize];
        let to = CopySide {
            address: packed.as_mut_ptr().expose_provenance() as u64,
            pitch: self.width,
            height: self.height,
            memory: Memory::Host,
        };
        // If the source no longer exists, running the copy causes the same fault.
        let _ = Copy { to, ..*self }.run();
        packed
    }
}

impl Fill {
    /// Runs the fill.
    pub fn run(&self) -> Result<()> {
        let value = self.value.to_le_bytes();
        let pattern: Vec<u8> =
            (0..PATTERN_BYTES).map(|at| value[at % self.element_bytes as usize]).collect();
        let from = pattern.as_ptr().expose_provenance() as u64;
        for row in 0..self.height {
            let (address, bytes) =
                (self.address + row * self.pitch, self.width * self.element_bytes);
            note_written(address, bytes);
            for at in (0..bytes).step_by(PATTERN_BYTES) {
                // SAFETY: the call checked the rows against known memory.
                unsafe {
                    move_bytes(address + at, from, (bytes - at).min(PATTERN_BYTES as u64) as usize)
                }?;
            }
        }
        Ok(())
    }
}

impl Driver {
    fn check_side(&self, copy: &Copy, side: &CopySide) -> Result<()> {
        let extent = copy.extent(side).ok_or(Error::InvalidValue)?;
        if side.address == 0 || (copy.rows() > 1 && side.pitch < copy.width) {
            return Err(Error::InvalidValue);
        }
        let known = self.ranges.containing(side.address);
        // A copy whose direction does not fit its pointers may name device memory as the host's.
        let is_device = known.as_ref().is_some_and(|range| !range.origin.is_host());
        let must_be_covered = side.memory == Memory::Device
            || is_device
            || (side.memory == Memory::Unified && known.is_some());
        let is_possible = if must_be_covered {
            self.ranges.covers(side.address, extent)
        } else {
            known.is_some() || self.may_be_host(side.address, extent)
        };
        if is_possible { Ok(()) } else { Err(Error::InvalidValue) }
    }

    /// Returns whether the program may have memory here. It has none on the first page, beyond the
    /// address space, and among a device's addresses.
    fn may_be_host(&self, address: u64, bytes: u64) -> bool {
        let end = address.checked_add(bytes);
        address >= HOST_START
            && end.is_some_and(|end| end <= HOST_END)
            && !self.heaps.iter().any(|heap| heap.reserves(address))
    }

    fn is_pageable(&self, side: &CopySide) -> bool {
        side.memory != Memory::Device && self.ranges.containing(side.address).is_none()
    }

    fn is_device(&self, side: &CopySide) -> bool {
        match side.memory {
            Memory::Host => false,
            Memory::Device if !self.settings.like_nvidias => true,
            _ => self.ranges.containing(side.address).is_some_and(|range| !range.origin.is_host()),
        }
    }

    /// Fails unless both sides are in memory that a copy may access.
    pub fn check_copy(&self, copy: &Copy) -> Result<()> {
        if copy.is_empty() {
            return Ok(());
        }
        copy.width
            .checked_mul(copy.height)
            .and_then(|slice| slice.checked_mul(copy.depth))
            .ok_or(Error::InvalidValue)?;
        self.check_side(copy, &copy.to)?;
        self.check_side(copy, &copy.from)
    }

    /// Fails unless the rows are in memory that a fill may access.
    pub fn check_fill(&self, fill: &Fill) -> Result<()> {
        if fill.is_empty() {
            return Ok(());
        }
        let row = fill.width.checked_mul(fill.element_bytes).ok_or(Error::InvalidValue)?;
        let extent = (fill.height - 1)
            .checked_mul(fill.pitch)
            .and_then(|rows| rows.checked_add(row))
            .ok_or(Error::InvalidValue)?;
        let aligned = fill.address.is_multiple_of(fill.element_bytes)
            && (fill.height == 1 || fill.pitch.is_multiple_of(fill.element_bytes));
        if !aligned
            || (fill.height > 1 && fill.pitch < row)
            || !self.ranges.covers(fill.address, extent)
        {
            return Err(Error::InvalidValue);
        }
        Ok(())
    }

    /// Copies in stream order. The synchronous functions set `blocking`; even for them, CUDA allows
    /// a copy inside device memory to return early.
    pub fn copy(&self, stream: &Stream, copy: Copy, blocking: bool) -> Result<()> {
        if copy.is_empty() {
            return Ok(());
        }
        self.check_copy(&copy)?;
        if blocking {
            stream.check_wait()?;
        }
        let inside = self.is_device(&copy.to) && self.is_device(&copy.from);
        let from_pageable = self.is_pageable(&copy.from);
        let bytes = copy.width * copy.rows();
        let read_at_once = || {
            !blocking && copy.rows() == 1 && bytes <= READ_AT_ONCE_BYTES_MAX && stream.is_empty()
        };
        let returns = if self.settings.like_nvidias
            && !self.is_device(&copy.from)
            && !self.is_device(&copy.to)
        {
            Returns::OnceDone
        } else if self.settings.like_nvidias && !self.is_device(&copy.from) && read_at_once() {
            Returns::OnceRead(Length::of(bytes))
        } else if (blocking && !inside)
            || self.is_pageable(&copy.to)
            || (from_pageable && bytes > STAGING_BYTES_MAX)
        {
            Returns::OnceDone
        } else if from_pageable {
            Returns::OnceRead(Length::of(bytes))
        } else {
            Returns::AtOnce(if blocking { Length::Short } else { Length::of(bytes) })
        };
        stream.submit(Task::Copy(copy), returns)?;
        if returns == Returns::OnceDone {
            output::flush();
        }
        Ok(())
    }

    /// Fills in stream order. CUDA allows the synchronous functions to return early, too. They
    /// complete at once if the stream is empty, because programs rely on that.
    pub fn fill(&self, stream: &Stream, fill: Fill, blocking: bool) -> Result<()> {
        if fill.is_empty() {
            return Ok(());
        }
        self.check_fill(&fill)?;
        if blocking {
            stream.refuse_capture()?;
        }
        let length = if blocking {
            Length::Short
        } else {
            Length::of(fill.width * fill.element_bytes * fill.height)
        };
        stream.submit(Task::Fill(fill), Returns::AtOnce(length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(bytes: &mut [u8], pitch: u64, height: u64) -> CopySide {
        CopySide {
            address: bytes.as_mut_ptr().expose_provenance() as u64,
            pitch,
            height,
            memory: Memory::Host,
        }
    }

    #[test]
    fn boxes_are_copied_row_by_row() {
        let mut from: Vec<u8> = (0..64).collect();
        let mut to = vec![0_u8; 64];
        let copy = Copy {
            from: side(&mut from, 8, 4),
            to: side(&mut to, 4, 2),
            width: 3,
            height: 2,
            depth: 2,
        };
        copy.run().unwrap();
        assert_eq!(to[..16], [0, 1, 2, 0, 8, 9, 10, 0, 32, 33, 34, 0, 40, 41, 42, 0]);
        assert_eq!(copy.pack(), [0, 1, 2, 8, 9, 10, 32, 33, 34, 40, 41, 42]);
        assert_eq!(copy.extent(&copy.from), Some(43));
    }

    #[test]
    fn extents_that_overflow_are_caught() {
        let side =
            CopySide { address: 8, pitch: u64::MAX / 2, height: 1 << 40, memory: Memory::Host };
        let copy = Copy { to: side, from: side, width: 1, height: 2, depth: 3 };
        assert_eq!(copy.extent(&side), None);
    }
}

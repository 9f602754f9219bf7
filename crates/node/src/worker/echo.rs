//! The node's side of small host memory that the device reaches: what the device has changed is told before whatever else is said.

use outhaul_wire::frame;
use outhaul_wire::limits::MIRROR_WORD_BYTES;
use outhaul_wire::messages::MirrorEcho;
use std::ops::Range;

pub struct Echo {
    /// Pages of this process, which outlive this.
    here: *mut u8,
    /// What both sides last knew.
    known: Vec<u8>,
}

// SAFETY: plain memory; device and client use it by turns.
unsafe impl Send for Echo {}

impl Echo {
    /// # Safety
    /// `here` begins a page, and as many bytes lie there as long as this lives.
    pub unsafe fn new(here: *mut u8, bytes: usize) -> Echo {
        Echo { here, known: vec![0; bytes] }
    }

    pub fn bytes(&self) -> usize {
        self.known.len()
    }

    /// Appends a frame for each run of words that the device has changed.
    pub fn tell(&mut self, address: u64, out: &mut Vec<u8>) {
        for run in self.changes() {
            frame::append(out, &MirrorEcho { address: address + run.start as u64 }, 0, 0, run.len());
            out.extend_from_slice(&self.known[run]);
        }
    }

    fn changes(&mut self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (i, known) in self.known.chunks_mut(MIRROR_WORD_BYTES).enumerate() {
            let start = i * MIRROR_WORD_BYTES;
            // SAFETY: inside the pages, whose last one is whole. The device may be writing: a word is read once.
            let now = unsafe { self.here.add(start).cast::<u32>().read_volatile() }.to_le_bytes();
            if now[..known.len()] == *known {
                continue;
            }
            known.copy_from_slice(&now[..known.len()]);
            match runs.last_mut() {
                Some(last) if last.end == start => last.end = start + known.len(),
                _ => runs.push(start..start + known.len()),
            }
        }
        runs
    }

    /// The program has written this. Words that it did not change may be the device's. False: it is outside.
    pub fn merge(&mut self, offset: usize, new: &[u8]) -> bool {
        let Some(known) = offset.checked_add(new.len()).and_then(|end| self.known.get_mut(offset..end)) else { return false };
        // SAFETY: inside the pages, as was just seen.
        unsafe { merge(self.here.add(offset), known, new) };
        known.copy_from_slice(new);
        true
    }
}

/// Writes the words that the program changed. The device may be writing those beside them.
///
/// # Safety
/// `place` has room for as many bytes as `new` has.
pub unsafe fn merge(place: *mut u8, known: &[u8], new: &[u8]) {
    for (i, (known, new)) in known.chunks(MIRROR_WORD_BYTES).zip(new.chunks(MIRROR_WORD_BYTES)).enumerate() {
        if known != new {
            // SAFETY: the caller's promise.
            unsafe { std::ptr::copy_nonoverlapping(new.as_ptr(), place.add(i * MIRROR_WORD_BYTES), new.len()) };
        }
    }
}

//! Copies towards the program: where their bytes belong, and how many are still to come. The thread that reads the connection reads them
//! straight to their place.

use crate::deferred::LOST;
use crate::session::session;
use crate::stats;
use outhaul_abi::types::CUresult;
use outhaul_transport::{LaneError, LaneReader};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// Rows of `width_bytes` at `pitch_bytes` in host memory.
#[derive(Clone, Copy)]
pub struct HostBox {
    pub address: *mut u8,
    pub pitch_bytes: usize,
    pub width_bytes: usize,
    pub rows: usize,
}

// SAFETY: the program keeps the memory valid until the copy is over, as CUDA asks of it.
unsafe impl Send for HostBox {}
// SAFETY: as above; only the reading thread writes through it.
unsafe impl Sync for HostBox {}

impl HostBox {
    fn bytes(&self) -> u64 {
        (self.width_bytes * self.rows) as u64
    }

    fn overlaps(&self, start: usize, bytes: usize) -> bool {
        let own_start = self.address as usize;
        let own_end = own_start + self.pitch_bytes * (self.rows - 1) + self.width_bytes;
        own_start < start + bytes && start < own_end
    }
}

/// The right of a captured copy to write to the program's memory at every launch of its graph.
pub struct Standing {
    pub transfer: u64,
}

impl Drop for Standing {
    fn drop(&mut self) {
        if let Ok(session) = session() {
            session.transfers.abandon(self.transfer);
        }
    }
}

pub struct Transfer {
    target: HostBox,
    /// Written again and again, and never over.
    standing: bool,
    state: Mutex<State>,
    ended: AtomicBool,
    changed: Condvar,
}

/// How often a waiting thread looks before it sleeps.
const LOOKS_BEFORE_SLEEP: u32 = 4000;

struct State {
    bytes_left: u64,
    result: Option<CUresult>,
}

impl Transfer {
    /// Blocks until the bytes are there or will not come.
    pub fn wait(&self) -> CUresult {
        stats::waiting(|| {
            for _ in 0..LOOKS_BEFORE_SLEEP {
                if self.ended.load(Ordering::Acquire) {
                    break;
                }
                std::hint::spin_loop();
            }
            let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
            loop {
                if let Some(result) = state.result {
                    return result;
                }
                state = self.changed.wait(state).unwrap_or_else(|e| e.into_inner());
            }
        })
    }

    fn finish(&self, result: CUresult) {
        self.state.lock().unwrap_or_else(|e| e.into_inner()).result.get_or_insert(result);
        self.ended.store(true, Ordering::Release);
        self.changed.notify_all();
    }
}

#[derive(Default)]
pub struct Transfers {
    next: AtomicU64,
    open: Mutex<HashMap<u64, Arc<Transfer>>>,
}

impl Transfers {
    pub fn open(&self, target: HostBox) -> (u64, Arc<Transfer>) {
        self.enter(target, false)
    }

    pub fn stand(&self, target: HostBox) -> Arc<Standing> {
        Arc::new(Standing { transfer: self.enter(target, true).0 })
    }

    fn enter(&self, target: HostBox, standing: bool) -> (u64, Arc<Transfer>) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let state = Mutex::new(State { bytes_left: target.bytes(), result: None });
        let transfer = Arc::new(Transfer { target, standing, state, ended: AtomicBool::new(false), changed: Condvar::new() });
        self.lock().insert(id, transfer.clone());
        (id, transfer)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<Transfer>>> {
        self.open.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Gives up a transfer that was never asked for.
    pub fn abandon(&self, id: u64) {
        self.lock().remove(&id);
    }

    /// Transfers that are still to write into the range.
    fn writing_to(&self, start: usize, bytes: usize) -> Vec<Arc<Transfer>> {
        self.lock().values().filter(|t| !t.standing && t.target.overlaps(start, bytes)).cloned().collect()
    }

    /// Blocks until no transfer is still to write into the range.
    pub fn settle(&self, start: usize, bytes: usize) {
        for transfer in self.writing_to(start, bytes) {
            transfer.wait();
        }
    }

    /// Reads a payload to its place.
    pub fn receive(&self, id: u64, offset: u64, status: CUresult, bytes: usize, reader: &mut LaneReader) -> Result<(), LaneError> {
        let Some(transfer) = self.lock().get(&id).cloned() else { return reader.skip(bytes) };
        if status != CUresult::SUCCESS || offset.checked_add(bytes as u64).is_none_or(|end| end > transfer.target.bytes()) {
            reader.skip(bytes)?;
            self.abandon(id);
            transfer.finish(if status == CUresult::SUCCESS { CUresult::UNKNOWN } else { status });
            return Ok(());
        }
        read_rows(&transfer.target, offset as usize, bytes, reader)?;
        if transfer.standing {
            return Ok(());
        }
        let mut state = transfer.state.lock().unwrap_or_else(|e| e.into_inner());
        state.bytes_left = state.bytes_left.saturating_sub(bytes as u64);
        let complete = state.bytes_left == 0;
        drop(state);
        if complete {
            self.abandon(id);
            transfer.finish(CUresult::SUCCESS);
        }
        Ok(())
    }

    pub fn fail_all(&self) {
        for (_, transfer) in std::mem::take(&mut *self.lock()) {
            transfer.finish(LOST);
        }
    }
}

fn read_rows(target: &HostBox, mut offset: usize, mut bytes: usize, reader: &mut LaneReader) -> Result<(), LaneError> {
    while bytes > 0 {
        let (row, column) = (offset / target.width_bytes, offset % target.width_bytes);
        let count = bytes.min(target.width_bytes - column);
        // SAFETY: inside the box that the program gave, as the caller checked, and nobody else writes there.
        let place = unsafe { std::slice::from_raw_parts_mut(target.address.add(row * target.pitch_bytes + column), count) };
        reader.exact(place)?;
        offset += count;
        bytes -= count;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::time::Duration;

    struct Bytes(Vec<u8>);

    impl Read for Bytes {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let count = out.len().min(self.0.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    impl outhaul_transport::Source for Bytes {
        fn try_read(&mut self, out: &mut [u8]) -> std::io::Result<Option<usize>> {
            self.read(out).map(Some)
        }
    }

    #[test]
    fn pieces_land_in_their_rows_and_lies_are_refused() {
        let mut memory = [0u8; 32];
        let target = HostBox { address: memory.as_mut_ptr(), pitch_bytes: 8, width_bytes: 3, rows: 4 };
        let transfers = Transfers::default();
        let (id, transfer) = transfers.open(target);
        let mut reader = LaneReader::new(Box::new(Bytes((1..=30).collect::<Vec<u8>>())), Duration::ZERO);
        transfers.receive(id, 0, CUresult::SUCCESS, 7, &mut reader).unwrap();
        assert_eq!(transfers.writing_to(memory.as_ptr() as usize + 8, 1).len(), 1);
        transfers.receive(id, 7, CUresult::SUCCESS, 5, &mut reader).unwrap();
        assert_eq!(transfer.wait(), CUresult::SUCCESS);
        assert_eq!((&memory[0..4], &memory[8..11], &memory[24..27]), (&[1, 2, 3, 0][..], &[4, 5, 6][..], &[10, 11, 12][..]));
        let (id, transfer) = transfers.open(target);
        transfers.receive(id, 10, CUresult::SUCCESS, 3, &mut reader).unwrap();
        assert_eq!(transfer.wait(), CUresult::UNKNOWN);
        assert_eq!(memory[27], 0);
    }
}

//! Copies to the program's memory: the targets of their bytes, and the number that is still
//! missing. The threads that read lanes write the bytes directly into the targets.

use crate::base::stats;
use crate::session::bulk::copy_sizes::Cut;
use crate::session::pending_error::LOST;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::os::spin::{PROGRAM_SPIN, spin};
use outhaul_transport::{LaneError, LaneReader};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Rows of `width_bytes` bytes in host memory, `pitch_bytes` bytes apart.
#[derive(Clone, Copy, PartialEq)]
pub struct HostBox {
    /// Address of the first row.
    pub address: *mut u8,
    /// Distance in bytes between the beginnings of two rows.
    pub pitch_bytes: usize,
    /// Size of one row in bytes.
    pub width_bytes: usize,
    /// Number of rows.
    pub rows: usize,
}

// SAFETY: CUDA requires the program to keep the memory valid until the copy is complete.
unsafe impl Send for HostBox {}
// SAFETY: as above; only the lanes' threads read and write through the pointer.
unsafe impl Sync for HostBox {}

impl HostBox {
    /// Creates one row of `bytes` bytes.
    pub fn row(address: *mut u8, bytes: usize) -> HostBox {
        HostBox { address, pitch_bytes: bytes, width_bytes: bytes, rows: 1 }
    }

    /// Returns the size in bytes without the gaps between rows.
    pub fn bytes(&self) -> u64 {
        (self.width_bytes * self.rows) as u64
    }

    /// Returns the address range from the first byte to the end of the last row.
    pub fn span(&self) -> Range<usize> {
        let start = self.address as usize;
        start..start + self.pitch_bytes * (self.rows - 1) + self.width_bytes
    }

    /// Returns the parts of `bytes` bytes that begin at `offset`, counted without the gaps between
    /// rows. Each part is an address and a size. The caller must check that the parts are inside.
    pub fn parts(
        &self,
        mut offset: usize,
        mut bytes: usize,
    ) -> impl Iterator<Item = (*mut u8, usize)> {
        let HostBox { address, pitch_bytes, width_bytes, .. } = *self;
        std::iter::from_fn(move || {
            let (row, column) = (offset / width_bytes, offset % width_bytes);
            let count = bytes.min(width_bytes - column);
            offset += count;
            bytes -= count;
            (count > 0).then(|| (address.wrapping_add(row * pitch_bytes + column), count))
        })
    }

    /// Returns whether the rows, including the gaps between them, overlap the range.
    pub fn meets(&self, other: Range<usize>) -> bool {
        self.span().start < other.end && other.start < self.span().end
    }
}

/// Keeps a captured copy's transfer open, because each launch of its graph writes to the program's
/// memory.
pub struct PersistentTransfer {
    transfers: &'static Transfers,
    /// The transfer's number.
    pub transfer: u64,
}

impl Drop for PersistentTransfer {
    fn drop(&mut self) {
        self.transfers.abandon(self.transfer);
    }
}

/// One copy to the program's memory.
pub struct Transfer {
    target: HostBox,
    /// Whether each launch of a graph writes to the target, so that the transfer stays open.
    is_persistent: bool,
    /// How the copy is divided, if its bytes arrive on the bulk lanes.
    by_lanes: Option<Cut>,
    state: Mutex<TransferState>,
    ended: AtomicBool,
    changed: Condvar,
}

struct TransferState {
    /// Number of bytes that no lane has started to read.
    bytes_left: u64,
    /// Number of lanes that are reading into the target now. The transfer may end only when none
    /// is.
    writing: usize,
    /// Whether some bytes of the transfer will never arrive.
    broken: bool,
    ending: Option<CUresult>,
    result: Option<CUresult>,
}

impl Transfer {
    /// Blocks until all bytes have arrived or some never will. Returns the result.
    pub fn wait(&self) -> CUresult {
        stats::waiting(|| {
            spin(PROGRAM_SPIN, || self.ended.load(Ordering::Acquire).then_some(()));
            let mut state = self.state.lock();
            loop {
                if let Some(result) = state.result {
                    return result;
                }
                state = self.changed.wait(state);
            }
        })
    }

    fn lock(&self) -> MutexGuard<'_, TransferState> {
        self.state.lock()
    }

    /// Registers a write of `bytes` bytes at `offset`, which lasts until `leave`. Returns false if
    /// that write is not allowed.
    fn enter(&self, offset: u64, bytes: u64) -> bool {
        let mut state = self.lock();
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= self.target.bytes());
        if !inside || state.ending.is_some() || !self.is_persistent && bytes > state.bytes_left {
            return false;
        }
        if !self.is_persistent {
            state.bytes_left -= bytes;
        }
        state.writing += 1;
        true
    }

    /// Ends a write. `read` tells whether the bytes arrived. Returns whether the transfer has
    /// ended. If bytes are missing, only the session's loss ends the transfer, so that the user
    /// sees the reason before the program gets the error.
    fn leave(&self, read: bool) -> bool {
        let mut state = self.lock();
        state.writing -= 1;
        state.broken |= !read;
        self.try_complete(state)
    }

    /// Notes that all bytes that the worker sent earlier have arrived. Returns whether the transfer
    /// has ended.
    fn arrived(&self) -> bool {
        let mut state = self.lock();
        if !self.is_persistent && state.bytes_left == 0 && state.writing == 0 && !state.broken {
            state.ending.get_or_insert(CUresult::SUCCESS);
        }
        self.try_complete(state)
    }

    /// Ends the transfer early, as soon as no lane writes into the target.
    fn end(&self, result: CUresult) {
        let mut state = self.lock();
        state.ending.get_or_insert(result);
        self.try_complete(state);
    }

    fn try_complete(&self, mut state: MutexGuard<'_, TransferState>) -> bool {
        if state.writing > 0 || state.ending.is_none() {
            return false;
        }
        state.result = state.ending;
        drop(state);
        self.ended.store(true, Ordering::Release);
        self.changed.notify_all();
        true
    }
}

#[derive(Default)]
/// The open transfers of a session.
pub struct Transfers {
    next: AtomicU64,
    open: Mutex<HashMap<u64, Arc<Transfer>>>,
}

impl Transfers {
    /// Opens a transfer whose bytes arrive on the command lane. Returns its number.
    pub fn open(&self, target: HostBox) -> (u64, Arc<Transfer>) {
        self.enter(target, false, None)
    }

    /// Opens a transfer whose bytes arrive on the bulk lanes, which have no order among each other.
    /// Two copies with the same target and cut are in order on each lane. Blocks until all other
    /// copies to overlapping memory have ended.
    pub fn open_by_lanes(&self, target: HostBox, cut: Cut) -> (u64, Arc<Transfer>) {
        let unlike = |t: &Arc<Transfer>| {
            !t.is_persistent
                && t.target.meets(target.span())
                && !(t.by_lanes == Some(cut) && t.target == target)
        };
        let others: Vec<_> = self.lock().values().filter(|t| unlike(t)).cloned().collect();
        others.iter().for_each(|t| {
            t.wait();
        });
        self.enter(target, false, Some(cut))
    }

    /// Returns whether an open transfer writes to the memory, or a captured one will at a launch.
    pub fn is_written(&self, memory: &HostBox) -> bool {
        self.lock().values().any(|t| t.target.meets(memory.span()))
    }

    /// Returns whether a captured copy may write to the target when its graph is launched. Such a
    /// copy's bytes arrive on the command lane, so only copies on that lane are in order with
    /// it.
    pub fn is_written_by_launches(&self, target: &HostBox) -> bool {
        self.lock().values().any(|t| t.is_persistent && t.target.meets(target.span()))
    }

    /// Opens a transfer for a captured copy. The transfer stays open until the returned value is
    /// dropped.
    pub fn open_persistent(&'static self, target: HostBox) -> Arc<PersistentTransfer> {
        Arc::new(PersistentTransfer { transfers: self, transfer: self.enter(target, true, None).0 })
    }

    fn enter(
        &self,
        target: HostBox,
        is_persistent: bool,
        by_lanes: Option<Cut>,
    ) -> (u64, Arc<Transfer>) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let state = Mutex::new(TransferState {
            bytes_left: target.bytes(),
            writing: 0,
            broken: false,
            ending: None,
            result: None,
        });
        let transfer = Arc::new(Transfer {
            target,
            is_persistent,
            by_lanes,
            state,
            ended: AtomicBool::new(false),
            changed: Condvar::new(),
        });
        self.lock().insert(id, transfer.clone());
        (id, transfer)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Transfer>>> {
        self.open.lock()
    }

    fn abandon(&self, id: u64) {
        self.lock().remove(&id);
    }

    /// Gives up a transfer that the client did not request from the worker, and wakes the threads
    /// that wait for it.
    pub fn withdraw(&self, id: u64) {
        let withdrawn = self.lock().remove(&id);
        withdrawn.inspect(|transfer| transfer.end(LOST));
    }

    /// Returns the transfers that will write into the range, except those of captured copies.
    fn writing_to(&self, start: usize, bytes: usize) -> Vec<Arc<Transfer>> {
        self.lock()
            .values()
            .filter(|t| !t.is_persistent && t.target.meets(start..start + bytes))
            .cloned()
            .collect()
    }

    /// Blocks until no open transfer will write into the range.
    pub fn wait_for_writes(&self, start: usize, bytes: usize) {
        for transfer in self.writing_to(start, bytes) {
            transfer.wait();
        }
    }

    /// Reads a payload into its transfer's target.
    pub fn receive(
        &self,
        id: u64,
        offset: u64,
        status: CUresult,
        bytes: usize,
        reader: &mut LaneReader,
    ) -> Result<(), LaneError> {
        let Some(transfer) = self.lock().get(&id).cloned() else { return reader.skip(bytes) };
        if status != CUresult::SUCCESS || !transfer.enter(offset, bytes as u64) {
            self.abandon(id);
            transfer.end(if status == CUresult::SUCCESS { CUresult::UNKNOWN } else { status });
            return reader.skip(bytes);
        }
        let read = read_rows(&transfer.target, offset as usize, bytes, reader);
        if transfer.leave(read.is_ok()) {
            self.abandon(id);
        }
        read
    }

    /// Writes bytes that a thread has already read into their transfer's target.
    pub fn place(&self, id: u64, offset: u64, mut bytes: &[u8]) -> Result<(), LaneError> {
        let Some(transfer) = self.lock().get(&id).cloned() else { return Ok(()) };
        if !transfer.enter(offset, bytes.len() as u64) {
            self.abandon(id);
            transfer.end(CUresult::UNKNOWN);
            return Ok(());
        }
        for (address, count) in transfer.target.parts(offset as usize, bytes.len()) {
            let (part, rest) = bytes.split_at(count);
            // SAFETY: the part is inside the box that the program provided, as `enter` checked, and
            // no other thread writes there.
            unsafe { address.copy_from_nonoverlapping(part.as_ptr(), count) };
            bytes = rest;
        }
        if transfer.leave(true) {
            self.abandon(id);
        }
        Ok(())
    }

    /// Notes that all bytes that the worker has sent for the transfer so far have arrived.
    pub fn arrived(&self, id: u64) {
        let transfer = self.lock().get(&id).cloned();
        if transfer.is_some_and(|transfer| transfer.arrived()) {
            self.abandon(id);
        }
    }

    /// Ends all transfers with `LOST`.
    pub fn fail_all(&self) {
        for (_, transfer) in std::mem::take(&mut *self.lock()) {
            transfer.end(LOST);
        }
    }
}

fn read_rows(
    target: &HostBox,
    offset: usize,
    bytes: usize,
    reader: &mut LaneReader,
) -> Result<(), LaneError> {
    target.parts(offset, bytes).try_for_each(|(address, count)| {
        // SAFETY: the part is inside the box that the program provided, as the caller checked, and
        // no other thread writes there.
        reader.exact(unsafe { std::slice::from_raw_parts_mut(address, count) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::sync::mpsc;
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

    /// Signals that a thread reads from it, then waits for its bytes.
    struct Late(mpsc::Sender<()>, mpsc::Receiver<Vec<u8>>);

    impl Read for Late {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            self.0.send(()).unwrap();
            let bytes = self.1.recv().unwrap();
            out[..bytes.len()].copy_from_slice(&bytes);
            Ok(bytes.len())
        }
    }

    impl outhaul_transport::Source for Late {
        fn try_read(&mut self, out: &mut [u8]) -> std::io::Result<Option<usize>> {
            self.read(out).map(Some)
        }
    }

    #[test]
    fn a_transfer_is_not_over_while_a_lane_writes() {
        let mut memory = [0u8; 8];
        let target =
            HostBox { address: memory.as_mut_ptr(), pitch_bytes: 8, width_bytes: 8, rows: 1 };
        let transfers = Transfers::default();
        let (id, transfer) = transfers.open_by_lanes(target, Cut { lanes: 4, piece_bytes: 4 });
        let (started, reading) = mpsc::channel();
        let (give, bytes) = mpsc::channel();
        std::thread::scope(|scope| {
            let mut late = LaneReader::new(Box::new(Late(started, bytes)), Duration::ZERO);
            let transfers = &transfers;
            let slow =
                scope.spawn(move || transfers.receive(id, 0, CUresult::SUCCESS, 4, &mut late));
            reading.recv().unwrap();
            // Another lane delivers an error in the meantime.
            let mut quick = LaneReader::new(Box::new(Bytes(Vec::new())), Duration::ZERO);
            transfers.receive(id, 4, CUresult::ILLEGAL_ADDRESS, 0, &mut quick).unwrap();
            assert!(!transfer.ended.load(Ordering::SeqCst));
            give.send(vec![1, 2, 3, 4]).unwrap();
            slow.join().unwrap().unwrap();
        });
        assert_eq!(transfer.wait(), CUresult::ILLEGAL_ADDRESS);
        assert_eq!(memory, [1, 2, 3, 4, 0, 0, 0, 0]);
    }

    /// A program may exit as soon as it receives an error, so the client must inform the user
    /// first.
    #[test]
    fn a_transfer_with_missing_bytes_ends_only_with_its_session() {
        let mut memory = [0u8; 8];
        let target =
            HostBox { address: memory.as_mut_ptr(), pitch_bytes: 8, width_bytes: 8, rows: 1 };
        let transfers = Transfers::default();
        let (id, transfer) = transfers.open(target);
        let mut cut = LaneReader::new(Box::new(Bytes(vec![1, 2])), Duration::ZERO);
        assert!(transfers.receive(id, 4, CUresult::SUCCESS, 4, &mut cut).is_err());
        transfers.place(id, 0, &[1; 4]).unwrap();
        transfers.arrived(id);
        assert!(!transfer.ended.load(Ordering::SeqCst));
        transfers.fail_all();
        assert_eq!(transfer.wait(), LOST);
    }

    #[test]
    fn pieces_reach_their_rows_and_pieces_out_of_bounds_are_refused() {
        let mut memory = [0u8; 32];
        let target =
            HostBox { address: memory.as_mut_ptr(), pitch_bytes: 8, width_bytes: 3, rows: 4 };
        let transfers = Transfers::default();
        let (id, transfer) = transfers.open(target);
        let mut reader =
            LaneReader::new(Box::new(Bytes((1..=30).collect::<Vec<u8>>())), Duration::ZERO);
        transfers.receive(id, 0, CUresult::SUCCESS, 7, &mut reader).unwrap();
        assert_eq!(transfers.writing_to(memory.as_ptr() as usize + 8, 1).len(), 1);
        transfers.arrived(id);
        transfers.receive(id, 7, CUresult::SUCCESS, 5, &mut reader).unwrap();
        assert!(!transfer.ended.load(Ordering::SeqCst), "what came before may be missing");
        transfers.arrived(id);
        assert_eq!(transfer.wait(), CUresult::SUCCESS);
        assert_eq!(
            (&memory[0..4], &memory[8..11], &memory[24..27]),
            (&[1, 2, 3, 0][..], &[4, 5, 6][..], &[10, 11, 12][..])
        );
        memory.fill(0);
        let (id, transfer) = transfers.open(target);
        transfers.place(id, 0, &(1..=12).collect::<Vec<u8>>()).unwrap();
        transfers.arrived(id);
        assert_eq!(transfer.wait(), CUresult::SUCCESS);
        assert_eq!(
            (&memory[0..4], &memory[8..11], &memory[24..27]),
            (&[1, 2, 3, 0][..], &[4, 5, 6][..], &[10, 11, 12][..])
        );
        let (id, transfer) = transfers.open(target);
        transfers.place(id, 10, &[9; 3]).unwrap();
        assert_eq!((transfer.wait(), memory[27]), (CUresult::UNKNOWN, 0));
        let (id, transfer) = transfers.open(target);
        transfers.receive(id, 10, CUresult::SUCCESS, 3, &mut reader).unwrap();
        assert_eq!(transfer.wait(), CUresult::UNKNOWN);
        assert_eq!(memory[27], 0);
    }
}

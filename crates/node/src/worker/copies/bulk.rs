//! Bulk lanes for the bytes of large copies, so that several connections and threads carry them at
//! once. Only the command lane defines an order. Each command on that lane names the pieces
//! that it takes from the bulk lanes. In the other direction, a frame on that lane says how many
//! pieces on the bulk lanes precede the next frames. The worker does not read a lane that has no
//! free buffer, which provides back-pressure.

use crate::worker::driver::staging;
use crate::worker::driver::staging::Staging;
use crate::worker::io::frame::{Incoming, Refusal, decode};
use crate::worker::io::outbound::Outbound;
use crate::worker::io::threads;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::os::spin::{BURST_SPIN, Backoff, PROGRAM_SPIN, spin};
use outhaul_transport::{
    Lane, LaneError, LaneReader, LaneWriter, Packer, is_packing_wanted, unpack,
};
use outhaul_wire::codec::Message;
use outhaul_wire::frame;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{Data, PackedData, PackedPiece, Piece};
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

/// Maximum number of pieces that a lane holds for later commands and for the device.
const BUFFERS_PER_LANE: usize = 4;
const PAGE_BYTES: usize = 4096;
const HOST_REGISTER_PORTABLE: u32 = 1;

/// A session's bulk lanes.
pub struct BulkLanes {
    /// Lanes before the first large copy, which starts the lanes' threads.
    idle: Vec<Lane>,
    inlets: Vec<Arc<Inlet>>,
    outlets: Arc<Outlets>,
}

impl BulkLanes {
    /// Prepares the lanes, without starting threads.
    pub fn new(lanes: Vec<Lane>, driver: &Arc<Driver>, staging: &Arc<Staging>) -> BulkLanes {
        let inlets = lanes.iter().map(|_| Arc::new(Inlet::new(driver, staging))).collect();
        let outlets = Arc::new(Outlets {
            lanes: lanes.iter().map(|_| Outlet::default()).collect(),
            may_pack: AtomicBool::new(false),
        });
        BulkLanes { inlets, outlets, idle: lanes }
    }

    /// Returns the sending sides of the lanes.
    pub fn outlets(&self) -> Arc<Outlets> {
        self.outlets.clone()
    }

    /// Blocks until all pieces have been sent and the device reads no buffer any more, because a
    /// context is about to be destroyed. Afterwards no buffer counts as pinned.
    pub fn wait_idle(&self) {
        self.outlets.lanes.iter().for_each(Outlet::wait_idle);
        self.inlets.iter().for_each(|inlet| inlet.wait_idle());
    }

    /// Returns the number of lanes.
    pub fn count(&self) -> usize {
        self.inlets.len()
    }

    /// Returns the receiving side of a lane.
    pub fn inlet(&self, lane: usize) -> Arc<Inlet> {
        self.inlets[lane].clone()
    }

    /// Sets whether the client accepts packed pieces.
    pub fn set_may_pack(&self, may_pack: bool) {
        self.outlets.may_pack.store(may_pack, Relaxed);
    }

    /// Starts the lanes' threads, unless they already run.
    pub fn start(&mut self, staging: &Arc<Staging>, outbound: &Arc<Outbound>) {
        // If the variable is invalid, `outhaul serve` has reported the error.
        let is_packing_wanted = is_packing_wanted().unwrap_or(false);
        for (index, Lane { mut reader, mut writer, meter, .. }) in self.idle.drain(..).enumerate() {
            let (inlet, outlets, staging) =
                (self.inlets[index].clone(), self.outlets.clone(), staging.clone());
            let outbound = outbound.clone();
            reader.set_spin_limit(BURST_SPIN);
            threads::start(&format!("bulk-receive-{index}"), move || {
                match inlet.listen(&mut reader) {
                    Ok(()) => crate::worker::ending::end_soon(),
                    Err(reason) => crate::worker::io::farewell::end_because(
                        &outbound,
                        &format!("bulk lane {index}: {reason}"),
                    ),
                }
            });
            let packer = meter.filter(|_| is_packing_wanted).and_then(Packer::new);
            threads::start(&format!("bulk-send-{index}"), move || {
                outlets.lanes[index].write_all(&mut writer, &staging, packer, &outlets.may_pack)
            });
        }
    }
}

/// Pinned memory that holds one piece.
pub struct Buffer {
    /// The memory's address.
    pub address: *mut u8,
    pinned: bool,
}

// SAFETY: ordinary memory that has one owner.
unsafe impl Send for Buffer {}

impl Buffer {
    fn new() -> Buffer {
        let layout = Layout::from_size_align(PIECE_BYTES, PAGE_BYTES)
            .expect("a page's alignment is a power of two");
        // SAFETY: the layout is not empty. The memory is never freed, because buffers exist as long
        // as the session.
        let address = unsafe { alloc_zeroed(layout) };
        if address.is_null() {
            handle_alloc_error(layout);
        }
        Buffer { address, pinned: false }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the buffer owns its memory, and this is the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.address, PIECE_BYTES) }
    }

    /// Pins the buffer, so that the device can read it directly. If pinning fails, copies are
    /// slower but correct.
    pub fn pin(&mut self, driver: &Driver) {
        if !std::mem::replace(&mut self.pinned, true) {
            // SAFETY: the memory is never freed.
            let _ = unsafe {
                driver.cuMemHostRegister_v2(
                    self.address.cast(),
                    PIECE_BYTES,
                    HOST_REGISTER_PORTABLE,
                )
            };
        }
    }
}

struct Arrival {
    piece: Piece,
    bytes: usize,
    buffer: Buffer,
}

/// The receiving side of one lane.
pub struct Inlet {
    driver: Arc<Driver>,
    staging: Arc<Staging>,
    state: Mutex<BulkState>,
    changed: Condvar,
    /// Number of pieces received so far, which the command thread polls before it sleeps.
    arrivals: AtomicU64,
}

#[derive(Default)]
struct BulkState {
    arrived: VecDeque<Arrival>,
    free: Vec<Buffer>,
    made: usize,
    /// Buffers that the device may still read, oldest first, each with the event after its copy.
    reading: VecDeque<(CUcontext, CUevent, Buffer)>,
    /// Whether a thread waits for a buffer that was in `reading`.
    reclaiming: bool,
}

impl BulkState {
    /// Returns whether the device has read the oldest buffer. Reusing it is cheaper than allocating
    /// another one.
    fn oldest_is_read(&self, driver: &Driver) -> bool {
        // SAFETY: the event is the session's own and exists as long as it is in this list.
        self.reading.front().is_some_and(
            |(_, event, _)| unsafe { driver.cuEventQuery(*event) } == CUresult::SUCCESS,
        )
    }
}

impl Inlet {
    fn new(driver: &Arc<Driver>, staging: &Arc<Staging>) -> Inlet {
        Inlet {
            driver: driver.clone(),
            staging: staging.clone(),
            state: Mutex::default(),
            changed: Condvar::new(),
            arrivals: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BulkState> {
        self.state.lock()
    }

    /// Reads pieces before their commands arrive, until the client is gone.
    fn listen(&self, reader: &mut LaneReader) -> Result<(), String> {
        let mut packed = Vec::new();
        loop {
            let mut incoming = match Incoming::receive(reader) {
                Ok(incoming) => incoming,
                Err(LaneError::Closed) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            };
            let came = incoming.payload_bytes();
            if ![Piece::OP, PackedPiece::OP].contains(&incoming.op()) || came > PIECE_BYTES {
                return Err(format!("op {} with {came} bytes is not allowed here", incoming.op()));
            }
            let body = incoming.take_body();
            let (piece, bytes, buffer) = if incoming.op() == Piece::OP {
                let piece = decode(&body).map_err(|e| e.to_string())?;
                let mut buffer = self.buffer();
                incoming
                    .read_payload(&mut buffer.bytes_mut()[..came])
                    .map_err(|e| e.to_string())?;
                (piece, came, buffer)
            } else {
                let PackedPiece { copy, offset, bytes } =
                    decode(&body).map_err(|e| e.to_string())?;
                packed.resize(came, 0);
                incoming.read_payload(&mut packed).map_err(|e| e.to_string())?;
                (Piece { copy, offset }, bytes as usize, self.unpacked(&packed, bytes as usize)?)
            };
            self.lock().arrived.push_back(Arrival { piece, bytes, buffer });
            self.arrivals.fetch_add(1, Release);
            self.changed.notify_all();
        }
    }

    /// Decompresses a piece into a buffer.
    fn unpacked(&self, packed: &[u8], bytes: usize) -> Result<Buffer, String> {
        let whole = (1..=PIECE_BYTES).contains(&bytes).then(|| {
            let mut buffer = self.buffer();
            unpack(packed, &mut buffer.bytes_mut()[..bytes]).then_some(buffer)
        });
        whole.flatten().ok_or_else(|| {
            format!("{} packed bytes are not a piece of {bytes} bytes", packed.len())
        })
    }

    /// Returns a free buffer, and waits for one if necessary.
    fn buffer(&self) -> Buffer {
        let mut state = self.lock();
        loop {
            if let Some(buffer) = state.free.pop() {
                return buffer;
            }
            if state.made < BUFFERS_PER_LANE && !state.oldest_is_read(&self.driver) {
                state.made += 1;
                return Buffer::new();
            }
            state = match state.reading.pop_front() {
                Some(oldest) => self.reclaim(state, oldest),
                None => self.changed.wait(state),
            };
        }
    }

    /// Waits until the device has read the buffer, without holding the lock.
    fn reclaim<'s>(
        &'s self,
        mut state: MutexGuard<'s, BulkState>,
        (context, event, buffer): (CUcontext, CUevent, Buffer),
    ) -> MutexGuard<'s, BulkState> {
        state.reclaiming = true;
        drop(state);
        // SAFETY: the context is the session's own, and is not destroyed before this wait has
        // ended.
        let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
        // The client is faster than the device. A wait in NVIDIA's driver would keep one CPU busy
        // per lane.
        let mut pauses = Backoff::new();
        // SAFETY: the event is the session's own and was recorded; its context is not destroyed
        // before this wait has ended.
        while unsafe { self.driver.cuEventQuery(event) } == CUresult::NOT_READY {
            pauses.sleep();
        }
        self.staging.put_event(context, event);
        let mut state = self.lock();
        state.reclaiming = false;
        state.free.push(buffer);
        self.changed.notify_all();
        state
    }

    fn wait_idle(&self) {
        let mut state = self.lock();
        loop {
            if let Some(oldest) = state.reading.pop_front() {
                state = self.reclaim(state, oldest);
            } else if state.reclaiming {
                state = self.changed.wait(state);
            } else {
                break;
            }
        }
        let BulkState { arrived, free, .. } = &mut *state;
        free.iter_mut()
            .chain(arrived.iter_mut().map(|a| &mut a.buffer))
            .for_each(|buffer| buffer.pinned = false);
    }

    /// Returns the next piece. Rejects a piece that is not the one that the command names.
    pub fn next(&self, copy: u64, offset: u64, bytes: usize) -> Result<Buffer, Refusal> {
        let seen = self.arrivals.load(Acquire);
        let mut state = self.lock();
        if state.arrived.is_empty() {
            drop(state);
            spin(PROGRAM_SPIN, || (self.arrivals.load(Acquire) != seen).then_some(()));
            state = self.lock();
        }
        while state.arrived.is_empty() {
            state = self.changed.wait(state);
        }
        let next = state.arrived.pop_front().expect("just seen");
        if next.piece == (Piece { copy, offset }) && next.bytes == bytes {
            return Ok(next.buffer);
        }
        let Arrival { piece, bytes: came, .. } = next;
        Err(Refusal::Violation(format!(
            "{bytes} bytes at {offset} of copy {copy} came as {came} bytes of {piece:?}"
        )))
    }

    /// Puts a free buffer back into the pool.
    pub fn put(&self, buffer: Buffer) {
        self.lock().free.push(buffer);
        self.changed.notify_all();
    }

    /// Puts a buffer back into the pool when the device has reached the event.
    pub fn put_after(&self, context: CUcontext, event: CUevent, buffer: Buffer) {
        self.lock().reading.push_back((context, event, buffer));
        self.changed.notify_all();
    }
}

/// A piece that the worker is sending to the client.
pub struct QueuedPiece {
    /// Staging memory that contains the piece.
    pub chunk: staging::Chunk,
    /// Size of the piece in bytes.
    pub bytes: usize,
    /// Number of the transfer to which the piece belongs.
    pub transfer: u64,
    /// Offset in the transfer in bytes.
    pub offset: u64,
}

/// The sending sides of all lanes.
pub struct Outlets {
    lanes: Vec<Outlet>,
    /// Whether the client accepts packed pieces, according to its last command.
    may_pack: AtomicBool,
}

#[derive(Default)]
struct Outlet {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    /// The pieces to send, at most as many as there are staging chunks.
    pieces: VecDeque<QueuedPiece>,
    /// Whether a piece is being written, so that its chunk is not back in staging yet.
    writing: bool,
}

impl Outlets {
    /// Sends a piece on a lane.
    pub fn send(&self, lane: usize, piece: QueuedPiece) {
        self.lanes[lane].lock().pieces.push_back(piece);
        self.lanes[lane].changed.notify_all();
    }
}

impl Outlet {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }

    fn write_all(
        &self,
        writer: &mut LaneWriter,
        staging: &Staging,
        mut packer: Option<Packer>,
        may_pack: &AtomicBool,
    ) {
        loop {
            let piece = self.next();
            let bytes = &piece.chunk.bytes()[..piece.bytes];
            let mut head = Vec::with_capacity(64);
            let QueuedPiece { transfer, offset, .. } = piece;
            let packed = packer
                .as_mut()
                .filter(|_| may_pack.load(Relaxed))
                .and_then(|packer| packer.pack(&[bytes]));
            match packed {
                Some(packed) => frame::append(
                    &mut head,
                    &PackedData { transfer, offset, bytes: bytes.len() as u32 },
                    0,
                    0,
                    packed.len(),
                ),
                None => frame::append(
                    &mut head,
                    &Data { transfer, offset, status: CUresult::SUCCESS.0 },
                    0,
                    0,
                    bytes.len(),
                ),
            }
            // An error is ignored, because the threads that read from the client notice when the
            // client is gone.
            let _ = writer.write(&[&head, packed.unwrap_or(bytes)]);
            staging.put_chunk(piece.chunk);
        }
    }

    /// Returns the next piece. The caller must have put the previous piece's chunk back into
    /// staging.
    fn next(&self) -> QueuedPiece {
        let mut queue = self.lock();
        queue.writing = false;
        self.changed.notify_all();
        loop {
            if let Some(piece) = queue.pieces.pop_front() {
                queue.writing = true;
                return piece;
            }
            queue = self.changed.wait(queue);
        }
    }

    /// Blocks until all pieces have been sent.
    fn wait_idle(&self) {
        let mut queue = self.lock();
        while queue.writing || !queue.pieces.is_empty() {
            queue = self.changed.wait(queue);
        }
    }
}

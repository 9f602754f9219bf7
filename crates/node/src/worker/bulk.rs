//! Lanes for the bytes of large copies, so that several connections and several threads carry them
//! at once. The order of things is that of the lane of commands alone: a command there says which
//! pieces it takes from the bulk lanes, a note there says how many pieces went out on them before
//! what follows. A lane without a free buffer is not read any further: that is the back-pressure.

use super::copy::{self, refuse_capture, report, to_client};
use super::frame::{Incoming, Refusal, decode};
use super::outbound::Outbound;
use super::staging::{self, Staging};
use super::{Worker, threads, within_host};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::look::{LONG, MEDIUM, Pauses, look};
use outhaul_transport::{
    Lane, LaneError, LaneReader, LaneWriter, Packer, is_packing_wanted, unpack,
};
use outhaul_wire::codec::Message;
use outhaul_wire::frame;
use outhaul_wire::limits::{BULK_PIECE_BYTES_MIN, PIECE_BYTES};
use outhaul_wire::messages::{
    CopyToDeviceByLanes, CopyToHostByLanes, Data, PackedData, PackedPiece, Piece,
};
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

/// Pieces that a lane holds for commands to come and for the device to read.
const BUFFERS_PER_LANE: usize = 4;
const PAGE_BYTES: usize = 4096;
const HOST_REGISTER_PORTABLE: u32 = 1;

pub struct BulkLanes {
    /// Until the first large copy, which starts their threads.
    idle: Vec<Lane>,
    inlets: Vec<Arc<Inlet>>,
    outlets: Arc<Outlets>,
}

impl BulkLanes {
    pub fn new(lanes: Vec<Lane>, driver: &Arc<Driver>, staging: &Arc<Staging>) -> BulkLanes {
        let inlets = lanes.iter().map(|_| Arc::new(Inlet::new(driver, staging))).collect();
        let outlets = Arc::new(Outlets {
            lanes: lanes.iter().map(|_| Outlet::default()).collect(),
            may_pack: AtomicBool::new(false),
        });
        BulkLanes { inlets, outlets, idle: lanes }
    }

    pub fn outlets(&self) -> Arc<Outlets> {
        self.outlets.clone()
    }

    /// A context is going away: all that went out has left, no buffer is read by the device any
    /// more, and none is taken for pinned.
    pub fn settle(&self) {
        self.outlets.lanes.iter().for_each(Outlet::settle);
        self.inlets.iter().for_each(|inlet| inlet.settle());
    }

    fn start(&mut self, staging: &Arc<Staging>, outbound: &Arc<Outbound>) {
        // Who starts nodes was told where it says neither.
        let is_packing_wanted = is_packing_wanted().unwrap_or(false);
        for (index, Lane { mut reader, mut writer, meter, .. }) in self.idle.drain(..).enumerate() {
            let (inlet, outlets, staging) =
                (self.inlets[index].clone(), self.outlets.clone(), staging.clone());
            let outbound = outbound.clone();
            reader.look_for(MEDIUM);
            threads::start(&format!("bulk-receive-{index}"), move || {
                match inlet.listen(&mut reader) {
                    Ok(()) => super::end_soon(),
                    Err(reason) => {
                        super::end_because(&outbound, &format!("bulk lane {index}: {reason}"))
                    }
                }
            });
            let packer = meter.filter(|_| is_packing_wanted).and_then(Packer::new);
            threads::start(&format!("bulk-send-{index}"), move || {
                outlets.lanes[index].write_all(&mut writer, &staging, packer, &outlets.may_pack)
            });
        }
    }
}

/// Pinned memory for one piece.
struct Buffer {
    address: *mut u8,
    pinned: bool,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for Buffer {}

impl Buffer {
    fn new() -> Buffer {
        let layout = Layout::from_size_align(PIECE_BYTES, PAGE_BYTES)
            .expect("a page's alignment is a power of two");
        // SAFETY: the layout is not empty. The memory is never freed: buffers live as long as the
        // session.
        let address = unsafe { alloc_zeroed(layout) };
        if address.is_null() {
            handle_alloc_error(layout);
        }
        Buffer { address, pinned: false }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the buffer's own memory, and this is the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.address, PIECE_BYTES) }
    }

    /// So that the device reads it by itself. Unpinned memory would do, slower.
    fn pin(&mut self, driver: &Driver) {
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

/// One lane's way in.
struct Inlet {
    driver: Arc<Driver>,
    staging: Arc<Staging>,
    state: Mutex<State>,
    changed: Condvar,
    /// Grows with each piece: what the thread of commands looks at before it sleeps.
    arrivals: AtomicU64,
}

#[derive(Default)]
struct State {
    arrived: VecDeque<Arrival>,
    free: Vec<Buffer>,
    made: usize,
    /// Buffers that the device still reads, oldest first, with the event behind their copy.
    reading: VecDeque<(CUcontext, CUevent, Buffer)>,
    /// One of them is being waited for.
    reclaiming: bool,
}

impl State {
    /// The device has passed the oldest buffer: to take it again costs less than to make one more.
    fn oldest_is_read(&self, driver: &Driver) -> bool {
        // SAFETY: the event is the session's own and live as long as it stands here.
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Reads pieces ahead of their commands until the client is gone.
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
                return Err(format!("op {} with {came} bytes has no place here", incoming.op()));
            }
            let body = incoming.take_body();
            let (piece, bytes, buffer) = if incoming.op() == Piece::OP {
                let piece = decode(&body).map_err(|e| format!("{e:?}"))?;
                let mut buffer = self.buffer();
                incoming
                    .read_payload(&mut buffer.bytes_mut()[..came])
                    .map_err(|e| format!("{e:?}"))?;
                (piece, came, buffer)
            } else {
                let PackedPiece { copy, offset, bytes } =
                    decode(&body).map_err(|e| format!("{e:?}"))?;
                packed.resize(came, 0);
                incoming.read_payload(&mut packed).map_err(|e| format!("{e:?}"))?;
                (Piece { copy, offset }, bytes as usize, self.unpacked(&packed, bytes as usize)?)
            };
            self.lock().arrived.push_back(Arrival { piece, bytes, buffer });
            self.arrivals.fetch_add(1, Release);
            self.changed.notify_all();
        }
    }

    /// A buffer with what a packed piece means.
    fn unpacked(&self, packed: &[u8], bytes: usize) -> Result<Buffer, String> {
        let whole = (1..=PIECE_BYTES).contains(&bytes).then(|| {
            let mut buffer = self.buffer();
            unpack(packed, &mut buffer.bytes_mut()[..bytes]).then_some(buffer)
        });
        whole
            .flatten()
            .ok_or_else(|| format!("{} packed bytes are no piece of {bytes}", packed.len()))
    }

    /// A free buffer, once there is one.
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

    /// Waits for the device, without the lock.
    fn reclaim<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        (context, event, buffer): (CUcontext, CUevent, Buffer),
    ) -> MutexGuard<'s, State> {
        state.reclaiming = true;
        drop(state);
        // SAFETY: the event is the session's own and recorded; its context does not go before this
        // is over.
        let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
        // The client is ahead of the device. NVIDIA's driver would keep a processor of each lane
        // busy meanwhile.
        let mut pauses = Pauses::new();
        // SAFETY: as above.
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

    fn settle(&self) {
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
        let State { arrived, free, .. } = &mut *state;
        free.iter_mut()
            .chain(arrived.iter_mut().map(|a| &mut a.buffer))
            .for_each(|buffer| buffer.pinned = false);
    }

    /// The piece that comes next, which must be the one that the command means.
    fn next(&self, copy: u64, offset: u64, bytes: usize) -> Result<Buffer, Refusal> {
        let seen = self.arrivals.load(Acquire);
        let mut state = self.lock();
        if state.arrived.is_empty() {
            drop(state);
            look(LONG, || (self.arrivals.load(Acquire) != seen).then_some(()));
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

    fn put(&self, buffer: Buffer) {
        self.lock().free.push(buffer);
        self.changed.notify_all();
    }

    /// The buffer is free when the device has passed the event.
    fn put_after(&self, context: CUcontext, event: CUevent, buffer: Buffer) {
        self.lock().reading.push_back((context, event, buffer));
        self.changed.notify_all();
    }
}

/// A piece on its way to the client.
pub struct Parcel {
    pub chunk: staging::Chunk,
    pub bytes: usize,
    pub transfer: u64,
    pub offset: u64,
}

/// The lanes' ways out.
pub struct Outlets {
    lanes: Vec<Outlet>,
    /// The client takes packed pieces, by what its last command says.
    may_pack: AtomicBool,
}

#[derive(Default)]
struct Outlet {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    /// At most as many as there are staging chunks.
    parcels: VecDeque<Parcel>,
    /// One has been taken and not been put back into staging.
    writing: bool,
}

impl Outlets {
    pub fn send(&self, lane: usize, parcel: Parcel) {
        self.lanes[lane].lock().parcels.push_back(parcel);
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
            let parcel = self.next();
            let bytes = &parcel.chunk.bytes()[..parcel.bytes];
            let mut head = Vec::with_capacity(64);
            let Parcel { transfer, offset, .. } = parcel;
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
            // A client that is gone is noticed by the threads that read from it.
            let _ = writer.write(&[&head, packed.unwrap_or(bytes)]);
            staging.put_chunk(parcel.chunk);
        }
    }

    /// The one before it is back in staging by now.
    fn next(&self) -> Parcel {
        let mut queue = self.lock();
        queue.writing = false;
        self.changed.notify_all();
        loop {
            if let Some(parcel) = queue.parcels.pop_front() {
                queue.writing = true;
                return parcel;
            }
            queue = self.changed.wait(queue);
        }
    }

    /// Blocks until every parcel has left.
    fn settle(&self) {
        let mut queue = self.lock();
        while queue.writing || !queue.parcels.is_empty() {
            queue = self.changed.wait(queue);
        }
    }
}

/// The pieces of a copy, each with its lane, offset and bytes.
fn pieces(
    worker: &Worker,
    bytes: u64,
    piece_bytes: u64,
    lanes: u16,
) -> Result<impl Iterator<Item = (usize, u64, usize)> + use<>, Refusal> {
    let (lanes, open) = (usize::from(lanes), worker.bulk.inlets.len());
    if !(1..=open).contains(&lanes)
        || bytes == 0
        || !(BULK_PIECE_BYTES_MIN..=PIECE_BYTES as u64).contains(&piece_bytes)
    {
        return Err(Refusal::Violation(format!(
            "{bytes} bytes in pieces of {piece_bytes} over {lanes} of {open} lanes"
        )));
    }
    let piece = move |i: u64| {
        (
            (i % lanes as u64) as usize,
            i * piece_bytes,
            piece_bytes.min(bytes - i * piece_bytes) as usize,
        )
    };
    Ok((0..bytes.div_ceil(piece_bytes)).map(piece))
}

impl Worker {
    pub fn copy_to_device_by_lanes(&mut self, m: &CopyToDeviceByLanes) -> Result<(), Refusal> {
        let pieces = pieces(self, m.bytes, m.piece_bytes, m.lanes)?;
        let staging = self.carrier.staging.clone();
        self.bulk.start(&staging, &self.carrier.outbound);
        let mut result = match self.objects.stream(m.stream) {
            Ok(stream) => refuse_capture(self, stream).map(|()| stream),
            Err(refusal) => Err(refusal),
        };
        for (lane, offset, bytes) in pieces {
            let inlet = self.bulk.inlets[lane].clone();
            let buffer = inlet.next(m.copy, offset, bytes)?;
            // What the driver has refused is passed over: its pieces come all the same.
            match result {
                Ok(stream) => {
                    result =
                        submit(self, &inlet, buffer, m.address.wrapping_add(offset), bytes, stream)
                            .map(|()| stream)
                }
                Err(_) => inlet.put(buffer),
            }
        }
        result.map(|_| ())
    }
}

fn submit(
    worker: &Worker,
    inlet: &Inlet,
    mut buffer: Buffer,
    address: u64,
    bytes: usize,
    stream: CUstream,
) -> Result<(), Refusal> {
    let (driver, staging) = (&worker.driver, &worker.carrier.staging);
    let event = worker.context().and_then(|context| Ok((context, staging.event(context)?)));
    let (context, event) = match event {
        Ok(found) => found,
        Err(refusal) => {
            inlet.put(buffer);
            return Err(refusal);
        }
    };
    buffer.pin(driver);
    let from = buffer.address.cast::<c_void>();
    // SAFETY: the buffer stays until the event behind the copy has passed, and the device address
    // is this session's own affair.
    let result = unsafe {
        let copied = match worker.host_memory(address, bytes as u64) {
            Some(kept) => within_host::post_row(worker, stream, address, from as u64, bytes, kept),
            None => driver.cuMemcpyHtoDAsync_v2(address, from, bytes, stream),
        };
        copied.ok().and_then(|()| driver.cuEventRecord(event, stream).ok())
    };
    match result {
        Ok(()) => inlet.put_after(context, event, buffer),
        Err(_) => {
            staging.put_event(context, event);
            inlet.put(buffer);
        }
    }
    Ok(result?)
}

impl Worker {
    pub fn copy_to_host_by_lanes(&mut self, m: &CopyToHostByLanes) -> Result<(), Refusal> {
        let mut pieces = pieces(self, m.bytes, m.piece_bytes, m.lanes)?;
        let staging = self.carrier.staging.clone();
        self.bulk.start(&staging, &self.carrier.outbound);
        self.bulk.outlets.may_pack.store(m.may_pack, Relaxed);
        let result = pieces.try_for_each(|(lane, start, bytes)| {
            let offset = m.offset.wrapping_add(start);
            let piece = copy::Piece {
                stream: m.stream,
                transfer: m.transfer,
                offset,
                bytes,
                lane: Some(lane),
            };
            let address = m.address.wrapping_add(start);
            let kept = self.host_memory(address, bytes as u64);
            to_client(self, &piece, |worker, staged, stream| {
                if let Some(kept) = kept {
                    return within_host::post_row(
                        worker,
                        stream,
                        staged as u64,
                        address,
                        bytes,
                        kept,
                    );
                }
                // SAFETY: the staged bytes belong to the piece until it is delivered; the device
                // address is this session's own affair.
                unsafe { worker.driver.cuMemcpyDtoHAsync_v2(staged, address, bytes, stream) }
            })
        });
        report(self, m.transfer, result)
    }
}

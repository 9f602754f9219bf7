//! Device memory that may move to host memory while other sessions have the turn, on a node that
//! oversubscribes its GPUs. The client's mappings are cut into chunks. Each chunk is on the device,
//! in host memory, or not allocated yet. While a session has the turn, all its chunks are on the
//! device. The listener asks other sessions to evict some of theirs. A chunk's old memory is freed
//! only after its content has arrived in the new.

mod host_chunks;
pub mod host_memory_preparer;
mod preparer_context;
mod room_requests;

use super::{allocation, mapping};
use crate::accounting::ledger::Allowance;
use crate::sharing::scheduler_channel::{Note, NoteKind, SchedulerChannel};
use host_chunks::{HostChunk, HostChunks};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_share::Engine;
use preparer_context::PreparerContext;
use room_requests::{News, RoomRequests};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// A chunk is moved, mapped and unmapped at once; its size is the device's memory divided by
/// `CHUNK_PART`, within these bounds. The minimum is large enough for the full rate of a copy.
/// Larger chunks arrive faster while other sessions' memory leaves, but more than the maximum gains
/// nothing.
const CHUNK_PART: u64 = 128;
const CHUNK_BYTES_MIN: u64 = 32 << 20;
const CHUNK_BYTES_MAX: u64 = 128 << 20;
/// Maximum number of copies in progress. Meanwhile the next chunk is prepared or the last one is
/// finished.
const COPIES_MAX: usize = 2;
/// A device's memory divided by `RESERVE_PART`, up to a maximum, stays free for new sessions'
/// contexts, code and stacks.
const RESERVE_PART: u64 = 32;
const RESERVE_BYTES_MAX: u64 = 1 << 30;
/// Maximum time that a session that has passed on its turn may take to finish its work.
const SYNCHRONIZE_WAIT: Duration = Duration::from_millis(200);
/// Interval between reports of progress to sessions that wait for room. It is short enough that
/// memory can arrive while other memory leaves, but long compared with a move.
const MOVING_EVERY: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 2 });
const RESTLESS_POLL_INTERVAL: Duration = Duration::from_millis(10);
const STREAM_NON_BLOCKING: u32 = 1;
const EVENT_DISABLE_TIMING: u32 = 2;

enum ChunkResidency {
    Device(CUmemGenericAllocationHandle),
    Host(HostChunk),
    /// In no memory, because no data was ever written.
    Nowhere,
}

struct Chunk {
    bytes: u64,
    place: ChunkResidency,
}

/// The stream that copies chunks, in one of the device's contexts.
#[derive(Clone, Copy)]
struct Mover {
    context: CUcontext,
    stream: CUstream,
}

#[derive(Default)]
struct ResidencyState {
    /// Chunks by address.
    chunks: BTreeMap<u64, Chunk>,
    contexts: Vec<CUcontext>,
    mover: Option<Mover>,
    /// Whether a stream of the session captures.
    held: bool,
}

impl ResidencyState {
    /// Returns the chunks that must leave the device to free `bytes` bytes, in the order in which
    /// they leave. Each item is the chunk's address and size.
    fn leaving(&self, bytes: u64) -> impl Iterator<Item = (u64, u64)> {
        let on_device = self
            .chunks
            .iter()
            .rev()
            .filter(|(_, chunk)| matches!(chunk.place, ChunkResidency::Device(_)));
        on_device.map(|(address, chunk)| (*address, chunk.bytes)).scan(
            bytes,
            |left_bytes, chunk| {
                let more = *left_bytes > 0;
                *left_bytes = left_bytes.saturating_sub(chunk.1);
                more.then_some(chunk)
            },
        )
    }
}

/// The session's accounts, which also give the totals of all sessions.
pub struct Holdings {
    /// Bytes that may move, whether they are on the device or the host.
    pub movable: Allowance,
    /// Movable bytes that are on the device.
    pub resident: Allowance,
    /// Bytes in host memory, which are limited for all sessions together.
    pub host: Allowance,
}

/// A session's movable memory on one device.
pub struct Residency {
    driver: Arc<Driver>,
    control: SchedulerChannel,
    ordinal: u8,
    chunk_bytes: u64,
    reserve_bytes: u64,
    state: Mutex<ResidencyState>,
    room: RoomRequests,
    /// Total size of the chunks that are not on the device, in bytes.
    away_bytes: AtomicU64,
    movable: Allowance,
    resident: Allowance,
    host: HostChunks,
    preparer_context: PreparerContext,
    /// Whether one of the session's contexts did not become idle in time, so that a thread still
    /// waits for it.
    restless: Arc<AtomicBool>,
    /// Whether the memory must not move, because the session waits on the device for a change in
    /// that memory.
    pinned: AtomicBool,
}

/// The result of restoring a session's memory.
pub enum Restored {
    /// All memory is on the device. The value is the time that moving it took.
    InPlace(Duration),
    /// Some memory is missing, and no session can make room for it now.
    NoRoom { missing_bytes: u64 },
}

/// A chunk that the worker is copying to the device.
type Coming = (u64, CUmemGenericAllocationHandle, CUevent);

/// Bytes moved together, and the time that moving them took.
#[derive(Default)]
struct Trip {
    bytes: u64,
    took: Duration,
}

/// Device memory that the client has unmapped.
pub struct Removed(Vec<(u64, u64, CUmemGenericAllocationHandle)>);

impl Removed {
    /// Frees the memory. The device must have finished using it.
    pub fn release(self, driver: &Driver) {
        for (address, bytes, handle) in self.0 {
            discard(driver, address, bytes, handle);
        }
    }
}

fn chunk_bytes(gpu_bytes: u64, page_bytes: u64) -> u64 {
    (gpu_bytes / CHUNK_PART).clamp(CHUNK_BYTES_MIN, CHUNK_BYTES_MAX).next_multiple_of(page_bytes)
}

fn discard(driver: &Driver, address: u64, bytes: u64, handle: CUmemGenericAllocationHandle) {
    // SAFETY: the chunk was the session's own and is in no table any more, and the device is done
    // with it.
    unsafe {
        let _ = mapping::unmap(driver, address, bytes);
        let _ = mapping::release(driver, handle);
    }
}

impl Residency {
    /// Creates a residency without memory.
    pub fn new(
        driver: Arc<Driver>,
        control: SchedulerChannel,
        ordinal: u8,
        page_bytes: u64,
        total_bytes: u64,
        Holdings { movable, resident, host }: Holdings,
    ) -> Residency {
        let room = RoomRequests::new(control.clone(), ordinal);
        let gpu_bytes = total_bytes.min(resident.limit_bytes());
        Residency {
            host: HostChunks::new(driver.clone(), host),
            driver,
            control,
            ordinal,
            chunk_bytes: chunk_bytes(gpu_bytes, page_bytes),
            reserve_bytes: (gpu_bytes / RESERVE_PART).min(RESERVE_BYTES_MAX),
            state: Mutex::default(),
            room,
            away_bytes: AtomicU64::new(0),
            movable,
            resident,
            preparer_context: PreparerContext::default(),
            restless: Arc::default(),
            pinned: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ResidencyState> {
        self.state.lock()
    }

    /// Notes one of the session's contexts on the device.
    pub fn know_context(&self, context: CUcontext) {
        let mut state = self.lock();
        if state.contexts.is_empty() {
            self.preparer_context.set_context(Some(context));
        }
        state.contexts.push(context);
    }

    /// Forgets a context. Blocks while the eviction's thread waits for the context.
    pub fn forget_context(&self, context: CUcontext) {
        let mut state = self.lock();
        while self.restless.load(SeqCst) {
            drop(state);
            std::thread::sleep(RESTLESS_POLL_INTERVAL);
            state = self.lock();
        }
        state.contexts.retain(|other| *other != context);
        state.mover = state.mover.take().filter(|mover| mover.context != context);
        self.preparer_context.set_context(state.contexts.first().copied());
    }

    /// Sets whether memory is on hold. While it is, no memory leaves the device. Blocks until
    /// memory that is leaving has left.
    pub fn hold(&self, held: bool) {
        self.lock().held = held;
        self.preparer_context.hold(held);
    }

    /// Prevents all further moves of the session's memory.
    pub fn pin(&self) {
        self.pinned.store(true, SeqCst);
    }

    /// Returns how much memory all sessions together can have on the device, if all movable memory
    /// moves.
    pub fn capacity_bytes(&self, free_bytes: u64) -> u64 {
        (free_bytes + self.resident.taken_bytes())
            .min(self.resident.limit_bytes())
            .saturating_sub(self.reserve_bytes)
    }

    /// Returns whether the device can permanently hold `bytes` more, in addition to the largest
    /// session's movable memory.
    pub fn can_stay(&self, bytes: u64, free_bytes: u64) -> bool {
        self.capacity_bytes(free_bytes) >= self.movable.most_bytes().saturating_add(bytes)
    }

    /// Returns the number of the session's movable bytes.
    pub fn movable_bytes(&self) -> u64 {
        self.movable.own_bytes()
    }

    /// Returns the number of the session's movable bytes that are on the device.
    pub fn resident_bytes(&self) -> u64 {
        self.resident.own_bytes()
    }

    /// Returns the maximum memory that a session can have on a device with `total_bytes`, if all
    /// other memory can move.
    pub fn most_bytes(&self, total_bytes: u64) -> u64 {
        self.gpu_bytes(total_bytes).saturating_sub(self.reserve_bytes)
    }

    /// Returns how much of a device's `total_bytes` counts as GPU memory.
    pub fn gpu_bytes(&self, total_bytes: u64) -> u64 {
        total_bytes.min(self.resident.limit_bytes())
    }

    /// Adds memory that is not allocated yet, in a range that has no mappings.
    pub fn map(&self, address: u64, bytes: u64) {
        let mut state = self.lock();
        for at in (0..bytes).step_by(self.chunk_bytes as usize) {
            state.chunks.insert(
                address + at,
                Chunk { bytes: self.chunk_bytes.min(bytes - at), place: ChunkResidency::Nowhere },
            );
        }
        self.movable.force(bytes);
        self.away_bytes.fetch_add(bytes, SeqCst);
    }

    /// Removes a range's chunks.
    pub fn unmap(&self, address: u64, bytes: u64) -> Removed {
        let mut state = self.lock();
        let inside: Vec<u64> =
            state.chunks.range(address..address + bytes).map(|(address, _)| *address).collect();
        let mut removed = Vec::new();
        for address in inside {
            let Some(Chunk { bytes, place }) = state.chunks.remove(&address) else { continue };
            self.movable.give_back(bytes);
            match place {
                ChunkResidency::Device(handle) => {
                    self.resident.give_back(bytes);
                    removed.push((address, bytes, handle));
                    continue;
                }
                ChunkResidency::Host(chunk) => self.host.free(chunk),
                ChunkResidency::Nowhere => {}
            }
            self.away_bytes.fetch_sub(bytes, SeqCst);
        }
        Removed(removed)
    }

    /// Repeats a pending request for room to a new listener.
    pub fn ask_anew(&self) {
        self.room.ask_anew();
    }

    /// Notes that the listener has made room.
    pub fn note_room(&self, bytes: u64) {
        self.room.note_made(bytes);
    }

    /// Notes that other sessions are moving memory, so that waiting longer for the answer is
    /// worthwhile.
    pub fn note_moving(&self) {
        self.room.note_moving();
    }

    /// Asks sessions without the turn to make room for memory that cannot move. Returns whether
    /// they made any.
    pub fn make_room(&self, bytes: u64) -> bool {
        self.room.ask(bytes + self.reserve_bytes) && self.room.wait() > 0
    }

    // ---- to the device ----

    /// Restores all memory to the device. The session must have the turn, and one of its contexts
    /// on the device must be current.
    pub fn restore(&self, context: CUcontext) -> Result<Restored, String> {
        // Taking the lock waits for a move to the host that began before the turn.
        let in_place = |_state: MutexGuard<'_, ResidencyState>| self.away_bytes.load(SeqCst) == 0;
        if in_place(self.lock()) {
            return Ok(Restored::InPlace(Duration::ZERO));
        }
        let (began, mut trip) = (Instant::now(), Trip::default());
        let brought = self.bring_all(context, &mut trip);
        // The arbiter lengthens a turn that took long to begin.
        let waited = Note::new(
            NoteKind::Moved,
            self.ordinal,
            Engine::Compute,
            began.elapsed().as_nanos() as u64,
        );
        let moved = trip.bytes > 0;
        let also: &[Note] = if moved && brought.is_ok() { &[waited] } else { &[] };
        self.report(Engine::CopyToDevice, trip.bytes, trip.took, also);
        match brought {
            Ok(()) => Ok(Restored::InPlace(if moved { began.elapsed() } else { Duration::ZERO })),
            Err(CUresult::OUT_OF_MEMORY) => {
                Ok(Restored::NoRoom { missing_bytes: self.away_bytes.load(SeqCst) })
            }
            Err(code) => Err(format!(
                "the session's memory cannot be brought back to the GPU: {code}; \
                 run the program again, and if that does not help, `outhaul doctor` on the node"
            )),
        }
    }

    /// Restores all chunks while other sessions' memory leaves. If they could not make enough room,
    /// asks for nothing and moves nothing.
    fn bring_all(&self, context: CUcontext, trip: &mut Trip) -> Result<(), CUresult> {
        let mut asked = false;
        loop {
            let mut state = self.lock();
            let (lacking_bytes, reserve_bytes) = self.lacks()?;
            if lacking_bytes > self.resident.others_bytes() {
                return Err(CUresult::OUT_OF_MEMORY);
            }
            if lacking_bytes > 0 && !asked {
                asked = self.room.ask(lacking_bytes);
            }
            let from = Instant::now();
            let brought = self.bring(&mut state, context, reserve_bytes, &mut trip.bytes);
            trip.took += from.elapsed();
            drop(state);
            match brought {
                Err(CUresult::OUT_OF_MEMORY) if asked => {}
                brought => return brought,
            }
            match self.room.listen() {
                Some(News::Moving) => {}
                Some(News::Made(bytes)) if bytes > 0 => asked = false,
                _ => return Err(CUresult::OUT_OF_MEMORY),
            }
        }
    }

    /// Returns two numbers of bytes: how much other sessions must move so that all of this
    /// session's memory fits, and the reserve to keep. The reserve is 0 if contexts of newer
    /// sessions have used part of it.
    fn lacks(&self) -> Result<(u64, u64), CUresult> {
        let (away_bytes, free_bytes) = (self.away_bytes.load(SeqCst), self.free_bytes()?);
        let kept = away_bytes + self.reserve_bytes <= free_bytes + self.resident.others_bytes();
        let reserve_bytes = if kept { self.reserve_bytes } else { 0 };
        Ok(((away_bytes + reserve_bytes).saturating_sub(free_bytes), reserve_bytes))
    }

    /// Sends the arbiter the number of moved bytes, the time that they took, and the notes in
    /// `also`.
    fn report(&self, engine: Engine, bytes: u64, took: Duration, also: &[Note]) {
        let note = |kind, value| Note::new(kind, self.ordinal, engine, value);
        let moved =
            [note(NoteKind::MovedBytes, bytes), note(NoteKind::Moved, took.as_nanos() as u64)];
        let notes: Vec<Note> = moved.iter().filter(|_| bytes > 0).chain(also).copied().collect();
        let _ = self.control.send(&notes);
    }

    /// Restores as many chunks as fit without the reserve.
    fn bring(
        &self,
        state: &mut ResidencyState,
        context: CUcontext,
        reserve_bytes: u64,
        moved_bytes: &mut u64,
    ) -> Result<(), CUresult> {
        let mut room = self.free_bytes()?.saturating_sub(reserve_bytes);
        let away = |chunk: &Chunk| !matches!(chunk.place, ChunkResidency::Device(_));
        let addresses: Vec<u64> = state
            .chunks
            .iter()
            .filter(|(_, chunk)| away(chunk))
            .map(|(address, _)| *address)
            .collect();
        let mut under_way = VecDeque::new();
        let mut result = Ok(());
        for address in addresses {
            let bytes = state.chunks[&address].bytes;
            result =
                if room < bytes { Err(CUresult::OUT_OF_MEMORY) } else { self.back(address, bytes) }
                    .and_then(|handle| {
                        room -= bytes;
                        self.fill(state, context, address, handle, &mut under_way)
                    });
            if result.is_ok() && under_way.len() >= COPIES_MAX {
                result = self.arrive(state, under_way.pop_front(), moved_bytes);
            }
            if result.is_err() {
                break;
            }
        }
        while let Some(next) = under_way.pop_front() {
            result = self.arrive(state, Some(next), moved_bytes).and(result);
        }
        result
    }

    /// Returns the device's free memory, within the size that counts as GPU memory.
    fn free_bytes(&self) -> Result<u64, CUresult> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the out-pointers are locals.
        unsafe { self.driver.cuMemGetInfo_v2(&mut free, &mut total) }.ok()?;
        Ok((free as u64).min(self.resident.left_bytes()))
    }

    /// Allocates device memory for a chunk. The charge precedes the copy, so that free and charged
    /// bytes always add up to the capacity that other sessions calculate.
    fn back(&self, address: u64, bytes: u64) -> Result<CUmemGenericAllocationHandle, CUresult> {
        let device = CUdevice::from(self.ordinal);
        let handle = allocation::create(&self.driver, device, 0, bytes)?;
        allocation::back(&self.driver, device, &Default::default(), address, bytes, handle)
            .inspect_err(|_| {
                // SAFETY: the handle is new, and nothing is mapped from it.
                let _ = unsafe { mapping::release(&self.driver, handle) };
            })?;
        self.resident.force(bytes);
        Ok(handle)
    }

    /// Frees a chunk's device memory.
    fn vacate(&self, address: u64, bytes: u64, handle: CUmemGenericAllocationHandle) {
        discard(&self.driver, address, bytes, handle);
        self.resident.give_back(bytes);
    }

    /// Starts copying a chunk's content, if it has any.
    fn fill(
        &self,
        state: &mut ResidencyState,
        context: CUcontext,
        address: u64,
        handle: CUmemGenericAllocationHandle,
        under_way: &mut VecDeque<Coming>,
    ) -> Result<(), CUresult> {
        let (bytes, from) = match &state.chunks[&address] {
            Chunk { bytes, place: ChunkResidency::Host(chunk) } => (*bytes, chunk.address),
            Chunk { .. } => {
                self.set_place(state, address, ChunkResidency::Device(handle));
                return Ok(());
            }
        };
        let copied = self.copy(state, context, |stream| {
            // SAFETY: both ranges are the session's own, are `bytes` long, and exist until the
            // event is reached.
            unsafe { self.driver.cuMemcpyHtoDAsync_v2(address, from, bytes as usize, stream) }
        });
        match copied {
            Ok(event) => {
                under_way.push_back((address, handle, event));
                Ok(())
            }
            Err(code) => {
                self.vacate(address, bytes, handle);
                Err(code)
            }
        }
    }

    /// Completes the oldest copy. Its source becomes an unused chunk of host memory.
    fn arrive(
        &self,
        state: &mut ResidencyState,
        next: Option<Coming>,
        moved_bytes: &mut u64,
    ) -> Result<(), CUresult> {
        let Some((address, handle, event)) = next else { return Ok(()) };
        let result = self.wait(event);
        let bytes = state.chunks[&address].bytes;
        if result.is_err() {
            self.vacate(address, bytes, handle);
            return result;
        }
        let ChunkResidency::Host(chunk) =
            self.set_place(state, address, ChunkResidency::Device(handle))
        else {
            return Ok(());
        };
        self.host.put_by(chunk);
        *moved_bytes += bytes;
        Ok(())
    }

    /// Sets a chunk's place. Returns the previous one.
    fn set_place(
        &self,
        state: &mut ResidencyState,
        address: u64,
        place: ChunkResidency,
    ) -> ChunkResidency {
        let chunk = state.chunks.get_mut(&address).expect("a chunk in the table");
        match place {
            ChunkResidency::Device(_) => self.away_bytes.fetch_sub(chunk.bytes, SeqCst),
            _ => self.away_bytes.fetch_add(chunk.bytes, SeqCst),
        };
        std::mem::replace(&mut chunk.place, place)
    }

    /// Starts a copy in the mover's context. Returns an event that marks the copy's end. `context`
    /// must be current, and is current again afterwards.
    fn copy(
        &self,
        state: &mut ResidencyState,
        context: CUcontext,
        copy: impl FnOnce(CUstream) -> CUresult,
    ) -> Result<CUevent, CUresult> {
        let mover = match state.mover {
            Some(mover) => mover,
            None => {
                let mut stream = CUstream::NULL;
                // SAFETY: the out-pointer is a local, and the context is current.
                unsafe { self.driver.cuStreamCreate(&mut stream, STREAM_NON_BLOCKING) }.ok()?;
                *state.mover.insert(Mover { context, stream })
            }
        };
        // SAFETY: both contexts are the session's own, and are not destroyed while the state is
        // locked.
        unsafe { self.driver.cuCtxSetCurrent(mover.context) }.ok()?;
        let started = self.copy_here(mover.stream, copy);
        // SAFETY: both contexts are the session's own, and are not destroyed while the state is
        // locked.
        let back = unsafe { self.driver.cuCtxSetCurrent(context) }.ok();
        started.and_then(|event| match back {
            Ok(()) => Ok(event),
            Err(code) => self.wait(event).and(Err(code)),
        })
    }

    /// Starts a copy in the current context. If starting fails, no copy is in progress.
    fn copy_here(
        &self,
        stream: CUstream,
        copy: impl FnOnce(CUstream) -> CUresult,
    ) -> Result<CUevent, CUresult> {
        let mut event = CUevent::NULL;
        // SAFETY: the out-pointer is a local; the stream is the session's own and belongs to the
        // current context.
        unsafe {
            self.driver.cuEventCreate(&mut event, EVENT_DISABLE_TIMING).ok()?;
            let started =
                copy(stream).ok().and_then(|()| self.driver.cuEventRecord(event, stream).ok());
            started.map(|()| event).inspect_err(|_| {
                let _ = self.driver.cuStreamSynchronize(stream);
                let _ = self.driver.cuEventDestroy_v2(event);
            })
        }
    }

    fn wait(&self, event: CUevent) -> Result<(), CUresult> {
        // SAFETY: the event is the session's own, and no other code uses it.
        unsafe {
            let result = self.driver.cuEventSynchronize(event).ok();
            let _ = self.driver.cuEventDestroy_v2(event);
            result
        }
    }

    // ---- to the host ----

    /// Moves `bytes` bytes to the host, unless the session has the turn, and reports how many bytes
    /// moved. An error means that a context has failed permanently, so its memory cannot be used or
    /// moved any more.
    pub fn evict(&self, bytes: u64, has_turn: impl Fn() -> bool) -> Result<(), CUresult> {
        let began = Instant::now();
        let moved = self.move_out(bytes, has_turn);
        let moved_bytes = *moved.as_ref().unwrap_or(&0);
        let answer = Note::new(NoteKind::Evicted, self.ordinal, Engine::CopyToHost, moved_bytes);
        self.report(Engine::CopyToHost, moved_bytes, began.elapsed(), &[answer]);
        moved.map(drop)
    }

    fn move_out(&self, bytes: u64, has_turn: impl Fn() -> bool) -> Result<u64, CUresult> {
        // The command thread, when it has the turn, takes this lock before it submits work, so
        // it waits for the move.
        let mut state = self.lock();
        if state.held || has_turn() || self.pinned.load(SeqCst) || !self.is_at_rest(&state)? {
            return Ok(0);
        }
        let Some(context) =
            state.mover.as_ref().map(|mover| mover.context).or(state.contexts.first().copied())
        else {
            return Ok(0);
        };
        // SAFETY: the context is the session's own, and is not destroyed before this residency has
        // forgotten it.
        if unsafe { self.driver.cuCtxSetCurrent(context) } != CUresult::SUCCESS {
            return Ok(0);
        }
        let leaving: Vec<u64> = state.leaving(bytes).map(|(address, _)| address).collect();
        let mut moved = 0;
        let (mut under_way, mut reported_at) = (VecDeque::new(), Instant::now());
        for address in leaving {
            let Some((chunk, event)) = self.send_off(&mut state, context, address) else { break };
            under_way.push_back((address, chunk, event));
            if under_way.len() >= COPIES_MAX {
                moved += self.leave(&mut state, under_way.pop_front());
            }
            if moved > 0 && reported_at.elapsed() >= MOVING_EVERY {
                reported_at = Instant::now();
                let _ = self.control.send(&[Note::new(
                    NoteKind::Evicting,
                    self.ordinal,
                    Engine::CopyToHost,
                    moved,
                )]);
            }
        }
        while let Some(next) = under_way.pop_front() {
            moved += self.leave(&mut state, Some(next));
        }
        Ok(moved)
    }

    /// Returns whether the session's contexts are idle. Gives up after `SYNCHRONIZE_WAIT` on a
    /// context that waits for something other than the device. Fails if a context has failed
    /// permanently.
    fn is_at_rest(&self, state: &ResidencyState) -> Result<bool, CUresult> {
        if self.restless.swap(true, SeqCst) {
            return Ok(false);
        }
        let (contexts, driver, restless) =
            (state.contexts.clone(), self.driver.clone(), self.restless.clone());
        let (sender, receiver) = channel();
        crate::worker::io::threads::start("rest", move || {
            let rests = contexts.into_iter().try_for_each(|context| {
                // SAFETY: the context is the session's own, and is not destroyed before this thread
                // has finished.
                unsafe {
                    driver
                        .cuCtxSetCurrent(context)
                        .ok()
                        .and_then(|()| driver.cuCtxSynchronize().ok())
                }
            });
            restless.store(false, SeqCst);
            let _ = sender.send(rests);
        });
        match receiver.recv_timeout(SYNCHRONIZE_WAIT) {
            Ok(Err(code)) if code.is_sticky() => Err(code),
            rests => Ok(rests == Ok(Ok(()))),
        }
    }

    /// Starts copying a chunk to the host, for which it first allocates host memory.
    fn send_off(
        &self,
        state: &mut ResidencyState,
        context: CUcontext,
        address: u64,
    ) -> Option<(HostChunk, CUevent)> {
        let bytes = state.chunks[&address].bytes;
        let chunk = self.host.take(bytes)?;
        let copied = self.copy(state, context, |stream| {
            // SAFETY: both ranges are the session's own, are `bytes` long, and exist until the
            // event is reached.
            unsafe {
                self.driver.cuMemcpyDtoHAsync_v2(chunk.address, address, bytes as usize, stream)
            }
        });
        match copied {
            Ok(event) => Some((chunk, event)),
            Err(_) => {
                self.host.put_by(chunk);
                None
            }
        }
    }

    /// Completes the oldest copy and frees its device memory. Returns the number of freed bytes.
    fn leave(&self, state: &mut ResidencyState, next: Option<(u64, HostChunk, CUevent)>) -> u64 {
        let Some((address, chunk, event)) = next else { return 0 };
        let bytes = state.chunks[&address].bytes;
        if self.wait(event).is_err() {
            self.host.put_by(chunk);
            return 0;
        }
        if let ChunkResidency::Device(handle) =
            self.set_place(state, address, ChunkResidency::Host(chunk))
        {
            self.vacate(address, bytes, handle);
        }
        bytes
    }
}

#[cfg(test)]
mod tests;

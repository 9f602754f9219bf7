//! Pinned host memory that copies pass through, in chunks of two sizes, and events that show when
//! the device has finished with a chunk. A copy that finds no free chunk waits for one, which
//! provides back-pressure between network and device.

use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUevent, CUresult, CUstream, values};
use outhaul_lock::{Condvar, Mutex};
use outhaul_wire::limits::PIECE_BYTES;
use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::sync::Arc;

const SMALL_BYTES: usize = 64 << 10;
const SMALL_CHUNKS_MAX: usize = 128;
const LARGE_CHUNKS_MAX: usize = 24;
/// Number of large chunks in addition to one per bulk lane, so that no lane waits for memory while
/// it could send.
const LARGE_CHUNKS_SPARE: usize = 8;
const HOST_ALLOC_PORTABLE: u32 = 1;

/// Pinned memory that has one owner until it is put back.
pub struct Chunk {
    address: *mut u8,
    capacity: usize,
    /// The context in which the memory was allocated. The memory ends with that context.
    context: CUcontext,
}

// SAFETY: ordinary memory that has one owner.
unsafe impl Send for Chunk {}

impl Chunk {
    /// Returns the chunk's memory.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the chunk owns its memory, which exists as long as the chunk.
        unsafe { std::slice::from_raw_parts(self.address, self.capacity) }
    }

    /// Returns the chunk's memory for writing.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the chunk owns its memory, and this is the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.capacity) }
    }

    /// Returns the chunk's address.
    pub fn address(&self) -> *mut c_void {
        self.address.cast()
    }
}

/// An event recorded after some work, which shows whether the device has completed that work.
/// Dropping the mark puts the event back into its pool.
pub struct Mark {
    staging: Arc<Staging>,
    context: CUcontext,
    event: CUevent,
}

impl Mark {
    /// Records an event after all work in a stream of the current context.
    pub fn after(
        staging: &Arc<Staging>,
        context: CUcontext,
        stream: CUstream,
    ) -> Result<Arc<Mark>, CUresult> {
        let mark = Mark { staging: staging.clone(), context, event: staging.event(context)? };
        // SAFETY: both event and stream belong to the current context.
        unsafe { staging.driver.cuEventRecord(mark.event, stream) }.ok()?;
        Ok(Arc::new(mark))
    }

    /// Records an event after all work in a context.
    pub fn after_all(staging: &Arc<Staging>, context: CUcontext) -> Result<Arc<Mark>, CUresult> {
        let mark = Mark { staging: staging.clone(), context, event: staging.event(context)? };
        // SAFETY: both are the session's own, and the event belongs to the context.
        unsafe { staging.driver.cuCtxRecordEvent(context, mark.event) }.ok()?;
        Ok(Arc::new(mark))
    }

    /// Returns the mark's context.
    pub fn context(&self) -> CUcontext {
        self.context
    }

    /// Returns the status of the work before the mark, or `None` if the work is not finished.
    pub fn status(&self, driver: &Driver) -> Option<CUresult> {
        // SAFETY: the event is the session's own, was recorded, and exists as long as the mark.
        Some(unsafe { driver.cuEventQuery(self.event) })
            .filter(|status| *status != CUresult::NOT_READY)
    }

    /// Blocks until the device has reached the mark. Returns the status of the work before the
    /// mark.
    pub fn wait(&self, driver: &Driver) -> CUresult {
        // SAFETY: the event was recorded and exists as long as the mark; its context is not
        // destroyed before.
        unsafe {
            let _ = driver.cuCtxSetCurrent(self.context);
            driver.cuEventSynchronize(self.event)
        }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.staging.put_event(self.context, self.event);
    }
}

#[derive(Default)]
struct Class {
    free: Vec<Chunk>,
    made: usize,
}

#[derive(Default)]
struct StagingState {
    small: Class,
    large: Class,
    /// Chunks that the device may still access, oldest first, each with the event after its copy.
    reading: VecDeque<(CUcontext, CUevent, Chunk)>,
    /// Unused events by context.
    events: HashMap<CUcontext, Vec<CUevent>>,
    /// Number of copies that wait for a chunk.
    waiting: usize,
    /// Number of chunks in use, by context.
    lent: HashMap<CUcontext, usize>,
    /// Number of contexts that are about to be destroyed and wait for their chunks.
    leaving: usize,
}

impl StagingState {
    fn class(&mut self, small: bool) -> &mut Class {
        if small { &mut self.small } else { &mut self.large }
    }
}

/// A session's staging memory.
pub struct Staging {
    driver: Arc<Driver>,
    large_chunks_max: usize,
    state: Mutex<StagingState>,
    returned: Condvar,
}

impl Staging {
    /// Creates staging memory without chunks.
    pub fn new(driver: Arc<Driver>, bulk_lanes: usize) -> Staging {
        let large_chunks_max = LARGE_CHUNKS_MAX.max(bulk_lanes + LARGE_CHUNKS_SPARE);
        Staging { driver, large_chunks_max, state: Mutex::default(), returned: Condvar::new() }
    }

    /// Returns a chunk of at least `bytes` bytes, which must not exceed the size of a piece. If all
    /// chunks are in use, waits for the device or the network.
    pub fn chunk(&self, bytes: usize) -> Result<Chunk, CUresult> {
        let small = bytes <= SMALL_BYTES;
        let (capacity, max) = if small {
            (SMALL_BYTES, SMALL_CHUNKS_MAX)
        } else {
            (PIECE_BYTES, self.large_chunks_max)
        };
        let mut state = self.state.lock();
        loop {
            if let Some(chunk) = state.class(small).free.pop() {
                *state.lent.entry(chunk.context).or_default() += 1;
                return Ok(chunk);
            }
            if self.reclaim(&mut state, false) {
                continue;
            }
            if state.class(small).made < max {
                state.class(small).made += 1;
                let made = self.allocate(capacity);
                match &made {
                    Ok(chunk) => *state.lent.entry(chunk.context).or_default() += 1,
                    Err(_) => state.class(small).made -= 1,
                }
                return made;
            }
            if state.reading.is_empty() {
                state.waiting += 1;
                state = self.returned.wait(state);
                state.waiting -= 1;
            } else {
                self.reclaim(&mut state, true);
            }
        }
    }

    fn allocate(&self, capacity: usize) -> Result<Chunk, CUresult> {
        let mut address = std::ptr::null_mut();
        // SAFETY: the out-pointer is a local.
        unsafe { self.driver.cuMemHostAlloc(&mut address, capacity, HOST_ALLOC_PORTABLE) }.ok()?;
        let mut context = CUcontext::NULL;
        // SAFETY: the out-pointer is a local.
        unsafe { self.driver.cuCtxGetCurrent(&mut context) }.ok()?;
        Ok(Chunk { address: address.cast(), capacity, context })
    }

    /// Puts a chunk back into the pool.
    pub fn put_chunk(&self, chunk: Chunk) {
        let mut state = self.state.lock();
        Staging::store(&mut state, chunk);
        if state.waiting + state.leaving > 0 {
            self.returned.notify_all();
        }
    }

    fn store(state: &mut StagingState, chunk: Chunk) {
        if let Some(lent) = state.lent.get_mut(&chunk.context) {
            *lent -= 1;
        }
        if chunk.capacity == SMALL_BYTES {
            state.small.free.push(chunk)
        } else {
            state.large.free.push(chunk)
        }
    }

    /// Puts a chunk back into the pool when the device has reached `event`.
    pub fn put_after(&self, context: CUcontext, event: CUevent, chunk: Chunk) {
        self.state.lock().reading.push_back((context, event, chunk));
    }

    /// Puts chunks whose copies are finished back into the pool. With `wait`, blocks until at least
    /// the oldest copy is finished. Returns whether any chunk was put back.
    fn reclaim(&self, state: &mut StagingState, wait: bool) -> bool {
        let mut any = false;
        while let Some((_, event, _)) = state.reading.front() {
            // SAFETY: the event is the session's own and was recorded.
            let status = unsafe {
                if wait && !any {
                    self.driver.cuEventSynchronize(*event)
                } else {
                    self.driver.cuEventQuery(*event)
                }
            };
            if status == CUresult::NOT_READY {
                break;
            }
            // The copy is finished, or the context is broken and the device will not access the
            // chunk any more.
            let (context, event, chunk) =
                state.reading.pop_front().expect("the front was just seen");
            state.events.entry(context).or_default().push(event);
            Staging::store(state, chunk);
            any = true;
        }
        any
    }

    /// Returns an unused event of the current context.
    pub fn event(&self, context: CUcontext) -> Result<CUevent, CUresult> {
        let pooled = self.state.lock().events.get_mut(&context).and_then(Vec::pop);
        if let Some(event) = pooled {
            return Ok(event);
        }
        let mut event = CUevent::NULL;
        // SAFETY: the out-pointer is a local.
        unsafe { self.driver.cuEventCreate(&mut event, values::EVENT_DISABLE_TIMING) }.ok()?;
        Ok(event)
    }

    /// Puts an event back into the pool.
    pub fn put_event(&self, context: CUcontext, event: CUevent) {
        self.state.lock().events.entry(context).or_default().push(event);
    }

    /// Frees the events and chunks of a context that is about to be destroyed. Blocks until no copy
    /// uses them, in any context.
    pub fn forget(&self, context: CUcontext) {
        let mut state = self.state.lock();
        let own = |state: &StagingState| {
            state
                .reading
                .iter()
                .position(|(of, _, chunk)| *of == context || chunk.context == context)
        };
        while let Some(index) = own(&state) {
            let (of, event, chunk) = state.reading.remove(index).expect("an index just found");
            // SAFETY: the event is the session's own and was recorded.
            let _ = unsafe { self.driver.cuEventSynchronize(event) };
            state.events.entry(of).or_default().push(event);
            Staging::store(&mut state, chunk);
        }
        state.leaving += 1;
        while state.lent.get(&context).is_some_and(|lent| *lent > 0) {
            state = self.returned.wait(state);
        }
        state.leaving -= 1;
        state.lent.remove(&context);
        state.events.remove(&context);
        let StagingState { small, large, .. } = &mut *state;
        for class in [small, large] {
            let before = class.free.len();
            class.free.retain(|chunk| chunk.context != context);
            class.made -= before - class.free.len();
        }
    }
}

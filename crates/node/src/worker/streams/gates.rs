//! Gates: points where a stream waits until the client reports that something on another node has
//! happened. The stream waits until a word of pinned memory reaches a number.

use crate::worker::io::frame::Refusal;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::limits::GATES_MAX;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

const WAIT_UNTIL_AT_LEAST: u32 = 0;
const HOST_ALLOC_PORTABLE_AND_MAPPED: u32 = 3;

/// Words of pinned memory in one context. A word can be reused as soon as its gate is open, because
/// each use waits for the next number.
struct Words {
    memory: *mut AtomicU32,
    free: Vec<usize>,
}

// SAFETY: ordinary memory that the table owns.
unsafe impl Send for Words {}

impl Words {
    fn new(driver: &Driver) -> Result<Words, CUresult> {
        let mut memory: *mut c_void = std::ptr::null_mut();
        let bytes = GATES_MAX * size_of::<AtomicU32>();
        // SAFETY: the out-pointer is a local.
        unsafe { driver.cuMemHostAlloc(&mut memory, bytes, HOST_ALLOC_PORTABLE_AND_MAPPED) }
            .ok()?;
        // SAFETY: the memory is new and valid for writes of `bytes` bytes.
        unsafe { memory.cast::<u8>().write_bytes(0, bytes) };
        Ok(Words { memory: memory.cast(), free: (0..GATES_MAX).collect() })
    }

    fn word(&self, index: usize) -> &AtomicU32 {
        // SAFETY: the index is that of a word, and the words exist as long as their context.
        unsafe { &*self.memory.add(index) }
    }
}

enum StreamGate {
    /// The context, and the index of the word for which a stream waits.
    Shut(CUcontext, usize),
    /// The gate was opened before its stream got the command to wait.
    Open,
    /// No stream waits: the wait was refused, or its context is destroyed. The client does not know
    /// and still opens the gate.
    Unused,
}

#[derive(Default)]
struct GatesState {
    words: HashMap<CUcontext, Words>,
    gates: HashMap<u64, StreamGate>,
}

/// A session's gates.
pub struct StreamGates {
    driver: Arc<Driver>,
    state: Mutex<GatesState>,
}

impl StreamGates {
    /// Creates a session's gates, without any.
    pub fn new(driver: Arc<Driver>) -> StreamGates {
        StreamGates { driver, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, GatesState> {
        self.state.lock()
    }

    /// Makes a stream of the current context wait at a gate.
    pub fn wait(&self, gate: u64, stream: CUstream, context: CUcontext) -> Result<(), Refusal> {
        let mut state = self.lock();
        match state.gates.remove(&gate) {
            Some(StreamGate::Open) => return Ok(()),
            Some(StreamGate::Shut(..) | StreamGate::Unused) => {
                return Err(Refusal::Violation(format!("gate {gate} is waited for twice")));
            }
            None => {}
        }
        if state.gates.len() >= GATES_MAX {
            return Err(Refusal::Violation(format!("more than {GATES_MAX} gates at once")));
        }
        let words = match state.words.entry(context) {
            std::collections::hash_map::Entry::Occupied(words) => words.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(Words::new(&self.driver)?)
            }
        };
        let index = words.free.pop().ok_or(CUresult::OUT_OF_MEMORY)?;
        let word = words.word(index);
        let address = std::ptr::from_ref(word) as CUdeviceptr;
        // SAFETY: the stream is the session's own, and the device reaches the pinned word by its
        // own address.
        let waits = unsafe {
            self.driver.cuStreamWaitValue32_v2(
                stream,
                address,
                word.load(SeqCst).wrapping_add(1),
                WAIT_UNTIL_AT_LEAST,
            )
        };
        if let Err(code) = waits.ok() {
            words.free.push(index);
            return Err(code.into());
        }
        state.gates.insert(gate, StreamGate::Shut(context, index));
        Ok(())
    }

    /// Forgets a gate whose wait was refused, as soon as the client has opened it.
    pub fn refuse(&self, gate: u64) {
        let mut state = self.lock();
        if state.gates.remove(&gate).is_none() {
            state.gates.insert(gate, StreamGate::Unused);
        }
    }

    /// Opens a gate. Returns an error if the gate is already open.
    pub fn open(&self, gate: u64) -> Result<(), String> {
        let mut state = self.lock();
        match state.gates.remove(&gate) {
            Some(StreamGate::Shut(context, index)) => {
                if let Some(words) = state.words.get_mut(&context) {
                    words.word(index).fetch_add(1, SeqCst);
                    words.free.push(index);
                }
            }
            Some(StreamGate::Unused) => {}
            Some(StreamGate::Open) => return Err(format!("gate {gate} is opened twice")),
            None if state.gates.len() >= GATES_MAX => {
                return Err(format!("more than {GATES_MAX} gates at once"));
            }
            None => {
                state.gates.insert(gate, StreamGate::Open);
            }
        }
        Ok(())
    }

    /// Opens all gates of a context that is about to be destroyed, because the client expects that
    /// its work can end at once.
    pub fn forget(&self, context: CUcontext) {
        let mut state = self.lock();
        let Some(words) = state.words.remove(&context) else { return };
        for gate in state.gates.values_mut() {
            if matches!(gate, StreamGate::Shut(of, _) if *of == context) {
                *gate = StreamGate::Unused;
            }
        }
        (0..GATES_MAX).filter(|index| !words.free.contains(index)).for_each(|index| {
            words.word(index).fetch_add(1, SeqCst);
        });
        // SAFETY: waits for the context's work, which no gate blocks any more, and frees what
        // `Words::new` allocated.
        unsafe {
            let _ = self.driver.cuCtxSetCurrent(context);
            let _ = self.driver.cuCtxSynchronize();
            let _ = self.driver.cuMemFreeHost(words.memory.cast());
        }
    }
}

//! cuGetExportTable: the tables that NVIDIA's runtime and libraries request from a driver at
//! start-up. This process answers all calls through the tables itself. It rejects tables that
//! libraries can do without. No table that it serves contains a null word, except one that ends in
//! null.

use crate::code::nvrtc_cache;
use crate::export_tables::integrity;
use crate::export_tables::integrity::Question;
use crate::export_tables::table_host::HOST;
pub use crate::export_tables::table_host::{DeviceIdentity, Host, install};
pub use crate::export_tables::table_word::{Word, size_word};
use crate::export_tables::tools_table;
use crate::types::{CUcontext, CUdevice, CUfunction, CUmodule, CUresult, CUstream, CUuuid};
use outhaul_lock::RwLock;
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Implements cuGetExportTable.
///
/// # Safety
///
/// `table` is null or valid for writes, and `id` is null or valid for reads.
pub unsafe fn get(table: *mut *const c_void, id: *const CUuuid) -> CUresult {
    if table.is_null() || id.is_null() {
        return CUresult::INVALID_VALUE;
    }
    // SAFETY: not null, and the caller guarantees that `id` is valid for reads.
    let id = unsafe { id.read_unaligned() };
    let found = TABLES.iter().find(|(uuid, _)| *uuid == id.bytes);
    // SAFETY: not null, and the caller guarantees that `table` is valid for writes.
    unsafe { table.write(found.map_or(std::ptr::null(), |(_, words)| words.as_ptr().cast())) };
    if found.is_some() {
        return CUresult::SUCCESS;
    }
    if let Some(host) = HOST.get() {
        host.refused(&id);
    }
    CUresult::INVALID_VALUE
}

/// Runs the destructors of the values that libraries stored in a context that is being destroyed.
pub fn context_destroyed(context: CUcontext) {
    let gone: Vec<(StorageKey, Stored)> = {
        let mut storage = STORAGE.get_or_init(Default::default).write();
        let keys: Vec<StorageKey> =
            storage.keys().filter(|(owner, _)| *owner == context.0).copied().collect();
        keys.into_iter().filter_map(|key| storage.remove(&key).map(|value| (key, value))).collect()
    };
    STORAGE_EPOCH.fetch_add(1, Ordering::Release);
    for ((_, key), stored) in gone {
        if let Some(destructor) = stored.destructor {
            // SAFETY: the library that stored the value also provided this destructor for it.
            unsafe { destructor(context, key as *mut c_void, stored.value as *mut c_void) };
        }
    }
}

const STUB: Word = Word(not_supported as *const c_void);

extern "C" fn not_supported() -> CUresult {
    CUresult::NOT_SUPPORTED
}

extern "C" fn nothing() -> CUresult {
    CUresult::SUCCESS
}

static TABLES: [([u8; 16], &[Word]); 12] = [
    (
        [
            0x6B, 0xD5, 0xFB, 0x6C, 0x5B, 0xF4, 0xE7, 0x4A, 0x89, 0x87, 0xD9, 0x39, 0x12, 0xFD,
            0x9D, 0xF9,
        ],
        &CUDART_INTERFACE,
    ),
    (
        [
            0xA0, 0x94, 0x79, 0x8C, 0x2E, 0x74, 0x2E, 0x74, 0x93, 0xF2, 0x08, 0x00, 0x20, 0x0C,
            0x0A, 0x66,
        ],
        &CALLBACK_HOOKS,
    ),
    (
        [
            0x42, 0xD8, 0x5A, 0x81, 0x23, 0xF6, 0xCB, 0x47, 0x82, 0x98, 0xF6, 0xE7, 0x8A, 0x3A,
            0xEC, 0xDC,
        ],
        &CURRENT_CONTEXT,
    ),
    (
        [
            0xC6, 0x93, 0x33, 0x6E, 0x11, 0x21, 0xDF, 0x11, 0xA8, 0xC3, 0x68, 0xF3, 0x55, 0xD8,
            0x95, 0x93,
        ],
        &CONTEXT_STORAGE,
    ),
    (
        [
            0x26, 0x3E, 0x88, 0x60, 0x7C, 0xD2, 0x61, 0x43, 0x92, 0xF6, 0xBB, 0xD5, 0x00, 0x6D,
            0xFA, 0x7E,
        ],
        &CONTEXT_CHECKS,
    ),
    (
        [
            0xD4, 0x08, 0x20, 0x55, 0xBD, 0xE6, 0x70, 0x4B, 0x8D, 0x34, 0xBA, 0x12, 0x3C, 0x66,
            0xE1, 0xF2,
        ],
        &INTEGRITY_CHECK,
    ),
    (
        [
            0x21, 0x31, 0x8C, 0x60, 0x97, 0x14, 0x32, 0x48, 0x8C, 0xA6, 0x41, 0xFF, 0x73, 0x24,
            0xC8, 0xF2,
        ],
        &CONTEXT_IDS,
    ),
    (
        [
            0x6E, 0x16, 0x3F, 0xBE, 0xB9, 0x58, 0x44, 0x4D, 0x83, 0x5C, 0xE1, 0x82, 0xAF, 0xF1,
            0x99, 0x1E,
        ],
        &MODULE_FUNCTIONS,
    ),
    (
        [
            0x17, 0x34, 0xDC, 0x26, 0x80, 0x0D, 0x47, 0x45, 0x87, 0x26, 0xC0, 0xF1, 0xE7, 0xDD,
            0x8B, 0xCA,
        ],
        &BYTE_PATTERNS,
    ),
    (
        [
            0xDA, 0x91, 0x51, 0xD3, 0x3A, 0xE6, 0xCC, 0x41, 0xA5, 0xC0, 0x4F, 0x26, 0xD5, 0x33,
            0xE3, 0x28,
        ],
        &COMPILE_CACHE,
    ),
    (tools_table::UUIDS[0], &tools_table::FRAMEWORKS),
    (tools_table::UUIDS[1], &tools_table::CUPTI),
];

static CUDART_INTERFACE: [Word; 13] = {
    let mut words = [const { STUB }; 13];
    words[0] = size_word(13);
    words[2] = Word(cudart_primary_context as *const c_void);
    words[7] = Word(nothing as *const c_void);
    words[12] = Word(nothing as *const c_void);
    words
};

static CALLBACK_HOOKS: [Word; 7] = {
    let mut words = [const { STUB }; 7];
    words[0] = size_word(7);
    words[2] = Word(hooks_runtime_flags as *const c_void);
    words[4] = Word(hooks_zero as *const c_void);
    words[6] = Word(hooks_small_flags as *const c_void);
    words
};

static CURRENT_CONTEXT: [Word; 4] =
    [size_word(4), STUB, Word(current_context as *const c_void), STUB];

/// The only table without a size word. A null word ends the table.
static CONTEXT_STORAGE: [Word; 4] = [
    Word(storage_put as *const c_void),
    Word(storage_delete as *const c_void),
    Word(storage_get as *const c_void),
    Word(std::ptr::null()),
];

static CONTEXT_CHECKS: [Word; 17] = {
    let mut words = [const { STUB }; 17];
    words[0] = size_word(17);
    words[2] = Word(context_check as *const c_void);
    words[3] = Word(nothing as *const c_void);
    words
};

static INTEGRITY_CHECK: [Word; 3] =
    [size_word(3), Word(integrity_check as *const c_void), Word(nothing as *const c_void)];

static CONTEXT_IDS: [Word; 95] = {
    let mut words = [const { STUB }; 95];
    words[0] = size_word(95);
    words[4] = Word(context_id as *const c_void);
    words[39] = Word(stream_object_value as *const c_void);
    words[51] = Word(stream_object as *const c_void);
    words
};

static MODULE_FUNCTIONS: [Word; 99] = {
    let mut words = [const { STUB }; 99];
    words[0] = size_word(99);
    words[7] = Word(module_functions as *const c_void);
    words
};

static BYTE_PATTERNS: [Word; 64] = {
    let mut words = [const { STUB }; 64];
    words[0] = size_word(64);
    words[4] = Word(patterns_allocate as *const c_void);
    words[13] = Word(patterns_free as *const c_void);
    words
};

static COMPILE_CACHE: [Word; 7] = [
    size_word(7),
    Word(nvrtc_cache::open as *const c_void),
    Word(nvrtc_cache::close as *const c_void),
    Word(nvrtc_cache::find as *const c_void),
    Word(nvrtc_cache::keep as *const c_void),
    STUB,
    Word(nvrtc_cache::release as *const c_void),
];

/// Runs `body` with the host. Returns NOT_INITIALIZED to a library that calls before cuInit.
fn with_host(body: impl FnOnce(&dyn Host) -> Result<(), CUresult>) -> CUresult {
    HOST.get().map_or(CUresult::NOT_INITIALIZED, |host| body(*host).into())
}

unsafe extern "C" fn cudart_primary_context(out: *mut CUcontext, device: CUdevice) -> CUresult {
    with_host(|host| {
        let context = host.primary_context(device)?;
        // SAFETY: cudart passes a valid out-pointer for the handle.
        unsafe { out.write(context) };
        Ok(())
    })
}

/// Flags from which cudart reads whether a profiler listens to a runtime function. All are 0.
static NO_LISTENERS: [u32; 1024] = [0; 1024];

unsafe extern "C" fn hooks_runtime_flags(flags: *mut *const u32, count: *mut usize) {
    // SAFETY: cudart passes valid out-pointers for both.
    unsafe {
        flags.write(NO_LISTENERS.as_ptr());
        count.write(NO_LISTENERS.len());
    }
}

unsafe extern "C" fn hooks_small_flags(flags: *mut *const u32, count: *mut usize) {
    // SAFETY: cudart passes valid out-pointers for both.
    unsafe {
        flags.write(NO_LISTENERS.as_ptr());
        count.write(14);
    }
}

unsafe extern "C" fn hooks_zero(_input: *const c_void, out: *mut u64) -> CUresult {
    if out.is_null() {
        return CUresult::INVALID_VALUE;
    }
    // SAFETY: checked for null; the caller guarantees that it is valid for writes.
    unsafe { out.write(0) };
    CUresult::SUCCESS
}

unsafe extern "C" fn current_context(out: *mut CUcontext) -> CUresult {
    with_host(|host| {
        // SAFETY: cuBLAS passes a valid out-pointer for the handle.
        unsafe { out.write(host.current_context()) };
        Ok(())
    })
}

unsafe extern "C" fn context_check(
    _context: CUcontext,
    flags: *mut u32,
    _more: *mut *const c_void,
) -> CUresult {
    if !flags.is_null() {
        // SAFETY: not null; cudart passes a valid out-pointer for the flags.
        unsafe { flags.write(0) };
    }
    CUresult::SUCCESS
}

unsafe extern "C" fn integrity_check(
    version: u32,
    unix_seconds: u64,
    result: *mut [u64; 2],
) -> CUresult {
    with_host(|host| {
        let question = Question {
            driver_version: host.driver_version(),
            version,
            pid: std::process::id(),
            // cudart hashes only the low half of the thread's id.
            // SAFETY: pthread_self has no preconditions.
            thread: unsafe { libc::pthread_self() } as u32,
            cudart_interface: CUDART_INTERFACE.as_ptr() as u64,
            integrity_table: INTEGRITY_CHECK.as_ptr() as u64,
            integrity_function: INTEGRITY_CHECK[1].0 as u64,
            unix_seconds,
            devices: &host.devices(),
        };
        // SAFETY: cudart passes a valid out-pointer for two numbers.
        unsafe { result.write_unaligned(integrity::answer(&question)) };
        Ok(())
    })
}

unsafe extern "C" fn context_id(context: CUcontext, out: *mut u64) -> CUresult {
    with_host(|host| {
        let id = host.context_id(context)?;
        // SAFETY: cuBLASLt passes a valid out-pointer for the number.
        unsafe { out.write(id) };
        Ok(())
    })
}

unsafe extern "C" fn stream_object(
    _context: CUcontext,
    stream: CUstream,
    out: *mut *const c_void,
) -> CUresult {
    if stream.0 == usize::MAX {
        return CUresult::INVALID_HANDLE;
    }
    // SAFETY: cuBLAS passes a valid out-pointer, and never dereferences the pointer that it
    // receives.
    unsafe { out.write((&raw const NO_LISTENERS).cast()) };
    CUresult::SUCCESS
}

unsafe extern "C" fn stream_object_value(
    _context: CUcontext,
    _object: *const c_void,
    out: *mut u64,
) -> CUresult {
    // SAFETY: cuBLAS passes a valid out-pointer for the number.
    unsafe { out.write(0) };
    CUresult::SUCCESS
}

type VisitFunction = unsafe extern "C" fn(*mut c_void, CUfunction, CUmodule);

unsafe extern "C" fn module_functions(
    _context: CUcontext,
    module: CUmodule,
    visit: VisitFunction,
    user: *mut c_void,
) -> u64 {
    let functions =
        HOST.get().and_then(|host| host.module_functions(module).ok()).unwrap_or_default();
    for function in &functions {
        // SAFETY: cuFFT passes a callback with this signature, and its own data.
        unsafe { visit(user, *function, module) };
    }
    functions.len() as u64
}

const PATTERN_BYTES: usize = 64;

/// Allocates two blocks with the byte patterns that an H200's driver writes. One repeats 0 to 7,
/// and the other contains each of 0 to 7 eight times.
unsafe extern "C" fn patterns_allocate(rising: *mut *mut u8, stepped: *mut *mut u8) -> CUresult {
    let allocate = |byte: fn(usize) -> u8| {
        // SAFETY: `malloc` has no preconditions; `patterns_free` frees the block.
        let block = unsafe { libc::malloc(PATTERN_BYTES) }.cast::<u8>();
        if !block.is_null() {
            for i in 0..PATTERN_BYTES {
                // SAFETY: `i` is inside the block that was just allocated.
                unsafe { block.add(i).write(byte(i)) };
            }
        }
        block
    };
    // SAFETY: cuBLASLt passes valid out-pointers for both blocks.
    unsafe {
        rising.write(allocate(|i| (i % 8) as u8));
        stepped.write(allocate(|i| (i / 8) as u8));
    }
    CUresult::SUCCESS
}

unsafe extern "C" fn patterns_free(rising: *mut u8, stepped: *mut u8) -> CUresult {
    // SAFETY: the caller passes blocks of `patterns_allocate` or null, which `free` accepts.
    unsafe {
        libc::free(rising.cast());
        libc::free(stepped.cast());
    }
    CUresult::SUCCESS
}

// ---- values that libraries store in a context ----

type StorageKey = (usize, usize);
type Destructor = unsafe extern "C" fn(CUcontext, *mut c_void, *mut c_void);

struct Stored {
    value: usize,
    destructor: Option<Destructor>,
}

static STORAGE: OnceLock<RwLock<HashMap<StorageKey, Stored>>> = OnceLock::new();
/// Changes with every write to `STORAGE`, so that a thread knows whether its last lookup is valid.
static STORAGE_EPOCH: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// Last successful lookup: context, key, value and epoch. cudart looks up one entry in almost
    /// every call.
    static LAST_LOOKUP: Cell<(usize, usize, usize, u64)> = const { Cell::new((0, 0, 0, 0)) };
}

fn or_current(context: CUcontext) -> Result<CUcontext, CUresult> {
    let context = if context.is_null() {
        HOST.get().map_or(CUcontext::NULL, |h| h.current_context())
    } else {
        context
    };
    if context.is_null() { Err(CUresult::INVALID_CONTEXT) } else { Ok(context) }
}

unsafe extern "C" fn storage_put(
    context: CUcontext,
    key: *mut c_void,
    value: *mut c_void,
    destructor: Option<Destructor>,
) -> CUresult {
    or_current(context)
        .map(|context| {
            let stored = Stored { value: value as usize, destructor };
            STORAGE.get_or_init(Default::default).write().insert((context.0, key as usize), stored);
            STORAGE_EPOCH.fetch_add(1, Ordering::Release);
        })
        .into()
}

unsafe extern "C" fn storage_delete(context: CUcontext, key: *mut c_void) -> CUresult {
    or_current(context)
        .map(|context| {
            STORAGE.get_or_init(Default::default).write().remove(&(context.0, key as usize));
            STORAGE_EPOCH.fetch_add(1, Ordering::Release);
        })
        .into()
}

unsafe extern "C" fn storage_get(
    value: *mut *mut c_void,
    context: CUcontext,
    key: *mut c_void,
) -> CUresult {
    let context = match or_current(context) {
        Ok(context) => context,
        Err(error) => return error,
    };
    let epoch = STORAGE_EPOCH.load(Ordering::Acquire);
    let (last_context, last_key, last_value, last_epoch) = LAST_LOOKUP.get();
    let found = if (last_context, last_key, last_epoch) == (context.0, key as usize, epoch) {
        Some(last_value)
    } else {
        let storage = STORAGE.get_or_init(Default::default).read();
        storage.get(&(context.0, key as usize)).map(|stored| stored.value)
    };
    let Some(found) = found else { return CUresult::INVALID_HANDLE };
    LAST_LOOKUP.set((context.0, key as usize, found, epoch));
    // SAFETY: the caller guarantees that the out-pointer is valid for writes.
    unsafe { value.write(found as *mut c_void) };
    CUresult::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_no_null_words_but_the_one_that_ends_storage() {
        for (uuid, words) in &TABLES {
            let nulls = words.iter().filter(|w| w.0.is_null()).count();
            assert_eq!(nulls, usize::from(words.len() == 4 && uuid[0] == 0xC6), "{uuid:02x?}");
        }
    }

    #[test]
    fn an_unknown_table_is_refused_and_nulled() {
        let mut table = std::ptr::dangling();
        let id = CUuuid { bytes: [7; 16] };
        // SAFETY: both pointers point to locals.
        assert_eq!(unsafe { get(&mut table, &id) }, CUresult::INVALID_VALUE);
        assert!(table.is_null());
    }
}

//! Functions that mostly answer queries or record the program's requests: launches from a
//! function's state, the error log, notifications, atomic operations, discarded memory.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::*;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Mutex;

pub const TESTS: &[Test] = &[
    ("function_launch/by_what_was_set", by_state),
    ("function_launch/limits", limits),
    ("function_launch/cooperative_on_one_device", one_device),
    ("log/calls_that_failed", log),
    ("log/callback_at_once", log_callback),
    ("notifications/registered", notifications),
    ("atomics/what_links_can_do", atomics),
    ("discard/managed_memory", discard),
    ("context/all_of_its_device", affinity),
    ("context/nothing_to_flush", flush),
    ("code/no_unified_functions", unified),
    ("texture/nothing_is_destroyed", nothing_destroyed),
    ("memory/reservations_with_alignments", alignments),
    ("stream/how_long_it_took", elapsed),
];

fn by_state(gpu: &Gpu) -> Done {
    let (add, mut memory) = (gpu.function(gpu.module()?, "add")?, gpu.alloc(4096)?);
    match cu!(gpu.cuFuncSetBlockShape(add, 256, 1, 1)) {
        CUresult::NOT_SUPPORTED => return Err(Outcome::Skipped("functions have no state".into())),
        result => result.ok()?,
    }
    cu!(gpu.cuMemsetD32_v2(memory, 1, 1000)).ok()?;
    cu!(gpu.cuParamSetSize(add, 16)).ok()?;
    cu!(gpu.cuParamSetv(add, 0, (&raw mut memory).cast(), 8)).ok()?;
    cu!(gpu.cuParamSeti(add, 8, 1000)).ok()?;
    cu!(gpu.cuParamSeti(add, 12, 5)).ok()?;
    cu!(gpu.cuLaunchGrid(add, 4, 1)).ok()?;
    gpu.synchronize().ok()?;
    same("a grid", gpu.read(memory, 1000)?, vec![6; 1000])?;
    // All values keep their settings, except for one parameter.
    cu!(gpu.cuParamSeti(add, 12, 2)).ok()?;
    let stream = gpu.stream(0)?;
    cu!(gpu.cuLaunchGridAsync(add, 2, 1, stream)).ok()?;
    cu!(gpu.cuLaunch(add)).ok()?;
    gpu.synchronize().ok()?;
    let found = gpu.read(memory, 1000)?;
    same("in a stream, and one block", (found[0], found[300], found[600]), (10, 8, 6))?;
    cu!(gpu.cuParamSetf(add, 12, f32::from_bits(7))).ok()?;
    cu!(gpu.cuLaunch(add)).ok()?;
    gpu.synchronize().ok()?;
    same("a float is its bits", gpu.read(memory, 1)?, vec![17])
}

fn limits(gpu: &Gpu) -> Done {
    let add = gpu.function(gpu.module()?, "add")?;
    if cu!(gpu.cuFuncSetBlockShape(add, 4, 1, 1)) == CUresult::NOT_SUPPORTED {
        return Err(Outcome::Skipped("functions have no state".into()));
    }
    let refused = [
        cu!(gpu.cuFuncSetBlockShape(add, 0, 1, 1)),
        cu!(gpu.cuFuncSetBlockShape(add, 2000, 1, 1)),
        cu!(gpu.cuFuncSetSharedSize(add, 1 << 20)),
        cu!(gpu.cuLaunchGrid(add, 0, 1)),
    ];
    same("beyond", refused, [CUresult::INVALID_VALUE; 4])?;
    Ok(cu!(gpu.cuFuncSetSharedSize(add, 1024)).ok()?)
}

fn one_device(gpu: &Gpu) -> Done {
    let (add, memory, stream) =
        (gpu.function(gpu.module()?, "add")?, gpu.alloc(4096)?, gpu.stream(0)?);
    cu!(gpu.cuMemsetD32_v2(memory, 1, 256)).ok()?;
    let (mut address, mut count, mut addend) = (memory, 256u32, 3u32);
    let mut params: [*mut c_void; 3] =
        [(&raw mut address).cast(), (&raw mut count).cast(), (&raw mut addend).cast()];
    let mut launch = CUDA_LAUNCH_PARAMS {
        function: add,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 256,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: stream,
        kernelParams: params.as_mut_ptr(),
    };
    match cu!(gpu.cuLaunchCooperativeKernelMultiDevice(&mut launch, 1, 0)) {
        CUresult::NOT_SUPPORTED => {
            return Err(Outcome::Skipped("no launches over several devices".into()));
        }
        result => result.ok()?,
    }
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("what the kernel made", gpu.read(memory, 256)?, vec![4; 256])
}

/// Returns the log's lines from a position on.
fn lines(gpu: &Gpu, from: &mut u32) -> Result<String, Outcome> {
    let (mut text, mut bytes) = (vec![0u8; 30_000], 30_000);
    cu!(gpu.cuLogsDumpToMemory(from, text.as_mut_ptr().cast(), &mut bytes, 0)).ok()?;
    text.truncate(bytes);
    String::from_utf8(text).map_err(|e| Outcome::Failed(e.to_string()))
}

fn log(gpu: &Gpu) -> Done {
    let mut place = 0;
    match cu!(gpu.cuLogsCurrent(&mut place, 0)) {
        CUresult::NOT_SUPPORTED => return Err(Outcome::Skipped("there is no log".into())),
        result => result.ok()?,
    }
    same("nothing yet", lines(gpu, &mut place)?.as_str(), "")?;
    let (mut bytes, no_room) = (0, std::ptr::null_mut());
    same(
        "no room",
        cu!(gpu.cuLogsDumpToMemory(&mut place, no_room, &mut bytes, 0)),
        CUresult::INVALID_VALUE,
    )
}

static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "C" fn note(data: *mut c_void, level: i32, message: *mut c_char, bytes: usize) {
    // SAFETY: the driver passes a C string.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    let fits = data.addr() == 42 && level == 0 && bytes == text.len();
    LOGGED.lock().expect("no thread panics here").push(if fits {
        text
    } else {
        format!("wrong: {text}")
    });
}

fn log_callback(gpu: &Gpu) -> Done {
    let mut handle = CUlogsCallbackHandle::NULL;
    let data = std::ptr::without_provenance_mut(42);
    match cu!(gpu.cuLogsRegisterCallback(Some(note), data, &mut handle)) {
        CUresult::NOT_SUPPORTED => return Err(Outcome::Skipped("there is no log".into())),
        result => result.ok()?,
    }
    same("a free of nothing", cu!(gpu.cuMemFree_v2(4096)), CUresult::INVALID_VALUE)?;
    let logged = LOGGED.lock().expect("no thread panics here").join("\n");
    if !logged.contains("CUDA_ERROR_INVALID_VALUE")
        || !logged.contains("cuMemFree_v2")
        || logged.contains("wrong")
    {
        return fail(format!("logged: {logged}"));
    }
    cu!(gpu.cuLogsUnregisterCallback(handle)).ok()?;
    let _ = cu!(gpu.cuMemFree_v2(4096));
    same("logged once", LOGGED.lock().expect("no thread panics here").join("\n"), logged)
}

unsafe extern "C" fn never(_: *mut c_void, _: *mut c_void, _: CUasyncCallbackHandle) {}

fn notifications(gpu: &Gpu) -> Done {
    let mut handle = CUasyncCallbackHandle::NULL;
    match cu!(gpu.cuDeviceRegisterAsyncNotification(
        0,
        Some(never),
        std::ptr::null_mut(),
        &mut handle
    )) {
        CUresult::NOT_SUPPORTED => {
            return Err(Outcome::Skipped("there are no notifications".into()));
        }
        result => result.ok()?,
    }
    same("a handle", handle.is_null(), false)?;
    Ok(cu!(gpu.cuDeviceUnregisterAsyncNotification(0, handle)).ok()?)
}

fn atomics(gpu: &Gpu) -> Done {
    let operations: Vec<i32> = (0..values::ATOMIC_OPERATIONS).collect();
    let mut bits = vec![99; operations.len()];
    let mut ask = |operations: &[i32]| {
        cu!(gpu.cuDeviceGetHostAtomicCapabilities(
            bits.as_mut_ptr(),
            operations.as_ptr(),
            operations.len() as u32,
            0
        ))
    };
    match ask(&operations) {
        CUresult::NOT_SUPPORTED => {
            return Err(Outcome::Skipped("the driver does not report what links support".into()));
        }
        result => result.ok()?,
    }
    same("none at all", ask(&[]), CUresult::INVALID_VALUE)?;
    same("an operation that does not exist", ask(&[99]), CUresult::INVALID_VALUE)?;
    let count = operations.len() as u32;
    let itself = cu!(gpu.cuDeviceGetP2PAtomicCapabilities(
        bits.as_mut_ptr(),
        operations.as_ptr(),
        count,
        0,
        0
    ));
    same("from a device to itself", itself, CUresult::INVALID_DEVICE)?;
    let (mut devices, mut reaches) = (0, 0);
    cu!(gpu.cuDeviceGetCount(&mut devices)).ok()?;
    if devices < 2 {
        return Ok(());
    }
    cu!(gpu.cuDeviceCanAccessPeer(&mut reaches, 0, 1)).ok()?;
    bits.fill(99);
    cu!(gpu.cuDeviceGetP2PAtomicCapabilities(bits.as_mut_ptr(), operations.as_ptr(), count, 0, 1))
        .ok()?;
    same("bits that exist", bits.iter().all(|bits| *bits < 1 << 7), true)
}

fn discard(gpu: &Gpu) -> Done {
    let (stream, mut managed) = (gpu.stream(values::STREAM_NON_BLOCKING)?, 0);
    match cu!(gpu.cuMemAllocManaged(&mut managed, 2 << 20, values::MEM_ATTACH_GLOBAL)) {
        CUresult::NOT_SUPPORTED => {
            return Err(Outcome::Skipped("there is no managed memory".into()));
        }
        result => result.ok()?,
    }
    let ask = |address: CUdeviceptr, bytes: usize, count: usize, flags: u64, stream: CUstream| {
        let (mut addresses, mut sizes) = ([address], [bytes]);
        cu!(gpu.cuMemDiscardBatchAsync(
            addresses.as_mut_ptr(),
            sizes.as_mut_ptr(),
            count,
            flags,
            stream
        ))
    };
    match ask(managed, 2 << 20, 1, 0, stream) {
        CUresult::NOT_SUPPORTED => return Err(Outcome::Skipped("memory is not discarded".into())),
        result => result.ok()?,
    }
    cu!(gpu.cuMemsetD32Async(managed, 6, 16, stream)).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("what is written then", gpu.read(managed, 16)?, vec![6; 16])?;
    let plain = gpu.alloc(4096)?;
    let refused = [
        ask(plain, 4096, 1, 0, stream),
        ask(managed, 4096, 1, 0, CUstream::NULL),
        ask(managed, 4096, 1, 1, stream),
        ask(managed, 4096, 0, 0, stream),
    ];
    same(
        "memory of another kind, the default stream, flags, no memory",
        refused,
        [CUresult::INVALID_VALUE; 4],
    )?;
    let (mut addresses, mut sizes, mut starts) = ([managed], [2usize << 20], [0usize]);
    let mut places = [CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: 0 }];
    Ok(cu!(gpu.cuMemDiscardAndPrefetchBatchAsync(
        addresses.as_mut_ptr(),
        sizes.as_mut_ptr(),
        1,
        places.as_mut_ptr(),
        starts.as_mut_ptr(),
        1,
        0,
        stream
    ))
    .ok()?)
}

fn affinity(gpu: &Gpu) -> Done {
    let mut found = CUexecAffinityParam { type_: 9, smCount: 0 };
    match cu!(gpu.cuCtxGetExecAffinity(&mut found, values::EXEC_AFFINITY_TYPE_SM_COUNT)) {
        CUresult::NOT_SUPPORTED => {
            return Err(Outcome::Skipped("contexts have no affinity".into()));
        }
        result => result.ok()?,
    }
    same("all of them", (found.type_, found.smCount as i32), (0, gpu.attribute(16)?))
}

fn flush(gpu: &Gpu) -> Done {
    match cu!(gpu.cuFlushGPUDirectRDMAWrites(0, values::FLUSH_TO_OWNER)) {
        CUresult::NOT_SUPPORTED => Err(Outcome::Skipped("there is nothing to flush".into())),
        result => Ok(result.ok()?),
    }
}

fn unified(gpu: &Gpu) -> Done {
    let (mut library, mut found, text) = (
        CUlibrary::NULL,
        std::ptr::null_mut(),
        std::ffi::CString::new(crate::kernels::MODULE).expect("no NUL"),
    );
    let (none, null) = (std::ptr::null_mut(), std::ptr::null_mut());
    cu!(gpu.cuLibraryLoadData(
        &mut library,
        text.as_ptr().cast(),
        none,
        null,
        0,
        std::ptr::null_mut(),
        std::ptr::null_mut(),
        0
    ))
    .ok()?;
    match cu!(gpu.cuLibraryGetUnifiedFunction(&mut found, library, c"add".as_ptr())) {
        CUresult::NOT_SUPPORTED => Err(Outcome::Skipped("not asked".into())),
        result => same("a kernel is not a unified function", result, CUresult::INVALID_VALUE),
    }
}

fn nothing_destroyed(gpu: &Gpu) -> Done {
    same("a texture", cu!(gpu.cuTexObjectDestroy(0)), CUresult::SUCCESS)?;
    same("a surface", cu!(gpu.cuSurfObjectDestroy(0)), CUresult::SUCCESS)
}

fn alignments(gpu: &Gpu) -> Done {
    const PAGE: usize = 2 << 20;
    for alignment in [0, 4096, PAGE, 16 * PAGE, 1 << 30] {
        let mut address = 0;
        cu!(gpu.cuMemAddressReserve(&mut address, PAGE, alignment, 0, 0)).ok()?;
        same("aligned", alignment == 0 || address.is_multiple_of(alignment as u64), true)?;
        cu!(gpu.cuMemAddressFree(address, PAGE)).ok()?;
    }
    let mut address = 0;
    same(
        "not a power of two",
        cu!(gpu.cuMemAddressReserve(&mut address, PAGE, 3 * PAGE, 0, 0)),
        CUresult::INVALID_VALUE,
    )
}

/// All ways of waiting give equal elapsed times. The times change when an event is recorded again.
fn elapsed(gpu: &Gpu) -> Done {
    let (start, end, stream, memory) =
        (gpu.event(0)?, gpu.event(0)?, gpu.stream(0)?, gpu.alloc(1 << 20)?);
    // A disturbance can only make a fill longer, so the shortest of several measurements counts.
    let mut shortest = f32::MAX;
    for fills in [1, 1, 1, 1, 1, 200] {
        cu!(gpu.cuEventRecord(start, stream)).ok()?;
        for value in 0..fills {
            cu!(gpu.cuMemsetD32Async(memory, value, 1 << 18, stream)).ok()?;
        }
        cu!(gpu.cuEventRecord(end, stream)).ok()?;
        cu!(gpu.cuEventSynchronize(end)).ok()?;
        let (mut once, mut again, mut back) = (-1.0, -2.0, 0.0);
        cu!(gpu.cuEventElapsedTime(&mut once, start, end)).ok()?;
        cu!(gpu.cuEventElapsedTime(&mut again, start, end)).ok()?;
        cu!(gpu.cuEventElapsedTime(&mut back, end, start)).ok()?;
        same("asked again", again, once)?;
        same("a time", once >= 0.0 && back <= 0.0, true)?;
        same("longer for more work", fills == 200 && once <= shortest, false)?;
        shortest = shortest.min(once);
    }
    let untimed = gpu.event(values::EVENT_DISABLE_TIMING)?;
    cu!(gpu.cuEventRecord(untimed, stream)).ok()?;
    cu!(gpu.cuEventSynchronize(untimed)).ok()?;
    let refused = cu!(gpu.cuEventElapsedTime(&mut shortest, start, untimed));
    same("without a time", refused, CUresult::INVALID_HANDLE)?;
    cu!(gpu.cuEventDestroy_v2(start)).ok()?;
    Ok(cu!(gpu.cuEventDestroy_v2(end)).ok()?)
}

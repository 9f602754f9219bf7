//! Tests the driver API through its own exports, without kernels: contexts, memory, streams and
//! events.
//!
//! Each test creates its own context on its own thread, so that tests can run concurrently.

use std::ffi::c_void;
use std::process::abort;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use outhaul_abi::types::values::{
    GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE, GRAPH_NODE_TYPE_GRAPH, MEM_ACCESS_FLAGS_PROT_READWRITE,
    MEM_ALLOCATION_TYPE_PINNED, MEM_LOCATION_TYPE_DEVICE,
};
use outhaul_abi::types::*;

use crate::driver::objects::memory::pages::PAGE_BYTES;
use crate::generated::exports::*;

const MIB: usize = 1 << 20;

/// Calls an export with pointers to locals and expects success.
macro_rules! ok {
    ($call:expr) => {
        // SAFETY: every pointer refers to a local of the right type.
        assert_eq!(unsafe { $call }, CUresult::SUCCESS)
    };
}

macro_rules! fails {
    ($call:expr, $error:ident) => {
        // SAFETY: every pointer refers to a local of the right type, or is rejected before use.
        assert_eq!(unsafe { $call }, CUresult::$error)
    };
}

struct TestContext(CUcontext);

impl TestContext {
    fn new() -> TestContext {
        ok!(cuInit(0));
        let mut context = CUcontext::NULL;
        ok!(cuCtxCreate_v2(&mut context, 0, 0));
        TestContext(context)
    }
}

impl Drop for TestContext {
    fn drop(&mut self) {
        ok!(cuCtxDestroy_v2(self.0));
    }
}

fn allocate(bytes: usize) -> CUdeviceptr {
    let mut address = 0;
    ok!(cuMemAlloc_v2(&mut address, bytes));
    address
}

fn stream(flags: u32) -> CUstream {
    let mut stream = CUstream::NULL;
    ok!(cuStreamCreate(&mut stream, flags));
    stream
}

fn event() -> CUevent {
    let mut event = CUevent::NULL;
    ok!(cuEventCreate(&mut event, 0));
    event
}

/// Keeps a stream busy until the test opens the gate.
#[derive(Default)]
struct Gate(AtomicU32);

impl Gate {
    fn hold(&self, stream: CUstream) {
        unsafe extern "C" fn wait(gate: *mut c_void) {
            // SAFETY: the test that owns the gate synchronises before it ends.
            let gate = unsafe { &*gate.cast::<Gate>() };
            for _ in 0..60_000 {
                if gate.0.load(Ordering::SeqCst) != 0 {
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            abort();
        }
        ok!(cuLaunchHostFunc(stream, Some(wait), (&raw const *self).cast_mut().cast()));
    }

    fn open(&self) {
        self.0.store(1, Ordering::SeqCst);
    }
}

#[test]
fn a_primary_context_has_its_handle_before_it_lives() {
    ok!(cuInit(0));
    let (mut first, mut second) = (CUcontext::NULL, CUcontext::NULL);
    let (mut flags, mut active) = (0, 0);
    ok!(cuDevicePrimaryCtxRetain(&mut first, 0));
    ok!(cuDevicePrimaryCtxRetain(&mut second, 0));
    assert_eq!(first, second);
    ok!(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
    assert_eq!(active, 1);
    ok!(cuCtxSetCurrent(first));
    ok!(cuDevicePrimaryCtxReset_v2(0));
    fails!(cuCtxSynchronize(), CONTEXT_IS_DESTROYED);
    ok!(cuDevicePrimaryCtxRetain(&mut second, 0));
    assert_eq!(first, second);
    ok!(cuCtxSynchronize());
    (0..3).for_each(|_| ok!(cuDevicePrimaryCtxRelease_v2(0)));
    fails!(cuDevicePrimaryCtxRelease_v2(0), INVALID_CONTEXT);
    ok!(cuCtxSetCurrent(CUcontext::NULL));
}

#[test]
fn contexts_stack_per_thread() {
    let outer = TestContext::new();
    let mut current = CUcontext::NULL;
    {
        let inner = TestContext::new();
        ok!(cuCtxGetCurrent(&mut current));
        assert_eq!(current, inner.0);
        std::thread::spawn(|| {
            let mut current = CUcontext(7);
            ok!(cuCtxGetCurrent(&mut current));
            assert!(current.is_null());
            fails!(cuCtxSynchronize(), INVALID_CONTEXT);
        })
        .join()
        .unwrap();
    }
    ok!(cuCtxGetCurrent(&mut current));
    assert_eq!(current, outer.0);
}

#[test]
fn invented_handles_are_refused() {
    let _context = TestContext::new();
    let mut place = 0_u64;
    for garbage in [0xdead_beef_usize, usize::MAX, 16] {
        fails!(cuStreamSynchronize(CUstream(garbage)), INVALID_HANDLE);
        fails!(cuEventQuery(CUevent(garbage)), INVALID_HANDLE);
        fails!(cuModuleUnload(CUmodule(garbage)), INVALID_HANDLE);
        fails!(cuLibraryUnload(CUlibrary(garbage)), INVALID_HANDLE);
        fails!(cuFuncLoad(CUfunction(garbage)), INVALID_HANDLE);
        fails!(cuCtxSetCurrent(CUcontext(garbage)), INVALID_CONTEXT);
        fails!(cuMemRelease(garbage as u64), INVALID_VALUE);
        fails!(cuMemFree_v2(garbage as u64), INVALID_VALUE);
        fails!(cuCtxGetId(CUcontext(garbage), &mut place), INVALID_CONTEXT);
    }
    fails!(cuMemAlloc_v2(std::ptr::null_mut(), 16), INVALID_VALUE);
}

#[test]
fn copies_and_fills_reach_their_bytes_only() {
    let _context = TestContext::new();
    let device = allocate(MIB);
    let from: Vec<u8> = (0..=255).collect();
    let mut to = vec![0_u8; 256];
    ok!(cuMemsetD8_v2(device, 9, MIB));
    ok!(cuMemcpyHtoD_v2(device + 256, from.as_ptr().cast(), 256));
    ok!(cuMemsetD32_v2(device + 260, 0x0403_0201, 1));
    ok!(cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), device + 254, 12));
    assert_eq!(to[..12], [9, 9, 0, 1, 2, 3, 1, 2, 3, 4, 8, 9]);
    fails!(cuMemcpyHtoD_v2(device + MIB as u64 - 8, from.as_ptr().cast(), 16), INVALID_VALUE);
    fails!(cuMemsetD16_v2(device + 1, 0, 1), INVALID_VALUE);
    fails!(cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), 0x1000, 16), INVALID_VALUE);
    ok!(cuMemFree_v2(device));
    fails!(cuMemcpyHtoD_v2(device, from.as_ptr().cast(), 16), INVALID_VALUE);
    fails!(cuMemFree_v2(device), INVALID_VALUE);
}

#[test]
fn a_pageable_source_may_be_reused_at_once() {
    let _context = TestContext::new();
    let (device, work, gate) = (allocate(64), stream(1), Gate::default());
    let mut bytes = [1_u8; 64];
    gate.hold(work);
    ok!(cuMemcpyHtoDAsync_v2(device, bytes.as_ptr().cast(), 64, work));
    bytes.fill(2);
    gate.open();
    ok!(cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), device, 64, work));
    assert_eq!(bytes, [1; 64]);
}

#[test]
fn pitched_boxes_keep_their_rows() {
    let _context = TestContext::new();
    let (mut device, mut pitch) = (0, 0);
    ok!(cuMemAllocPitch_v2(&mut device, &mut pitch, 100, 4, 4));
    assert_eq!(pitch % 512, 0);
    ok!(cuMemsetD2D8_v2(device, pitch, 7, 100, 4));
    let mut back = vec![0_u8; 400];
    let mut copy = CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: 2,
        srcHost: std::ptr::null(),
        srcDevice: device,
        srcArray: CUarray::NULL,
        srcPitch: pitch,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: 1,
        dstHost: back.as_mut_ptr().cast(),
        dstDevice: 0,
        dstArray: CUarray::NULL,
        dstPitch: 100,
        WidthInBytes: 100,
        Height: 4,
    };
    ok!(cuMemcpy2D_v2(&copy));
    assert!(back.iter().all(|byte| *byte == 7));
    copy.srcMemoryType = 3;
    fails!(cuMemcpy2D_v2(&copy), INVALID_HANDLE);
    copy.srcMemoryType = 9;
    fails!(cuMemcpy2D_v2(&copy), INVALID_VALUE);
}

#[test]
fn the_default_stream_waits_for_blocking_streams_and_holds_them_back() {
    let _context = TestContext::new();
    let (blocking, independent, gate) = (stream(0), stream(1), Gate::default());
    gate.hold(blocking);
    let (after, beside, behind) = (event(), event(), event());
    ok!(cuEventRecord(after, CUstream::NULL));
    ok!(cuEventRecord(beside, independent));
    let other = stream(0);
    ok!(cuEventRecord(behind, other));
    ok!(cuEventSynchronize(beside));
    fails!(cuEventQuery(after), NOT_READY);
    fails!(cuEventQuery(behind), NOT_READY);
    fails!(cuStreamQuery(CUstream::NULL), NOT_READY);
    gate.open();
    ok!(cuEventSynchronize(behind));
    ok!(cuEventQuery(after));
    ok!(cuStreamQuery(CUstream::NULL));
}

#[test]
fn a_stream_waits_for_the_event_as_it_was_recorded() {
    let _context = TestContext::new();
    let (first, second, gate) = (stream(1), stream(1), Gate::default());
    let (mark, done) = (event(), event());
    ok!(cuStreamWaitEvent(second, mark, 0));
    ok!(cuStreamSynchronize(second));
    gate.hold(first);
    ok!(cuEventRecord(mark, first));
    ok!(cuStreamWaitEvent(second, mark, 0));
    ok!(cuEventRecord(done, second));
    fails!(cuEventQuery(done), NOT_READY);
    let mut elapsed = 0.0;
    fails!(cuEventElapsedTime(&mut elapsed, mark, done), NOT_READY);
    std::thread::sleep(Duration::from_millis(5));
    gate.open();
    ok!(cuEventSynchronize(done));
    ok!(cuEventElapsedTime(&mut elapsed, mark, done));
    assert!(elapsed >= 0.0);
    fails!(cuEventElapsedTime(&mut elapsed, event(), done), INVALID_HANDLE);
}

#[test]
fn per_thread_default_streams_are_separate() {
    let context = TestContext::new();
    let gate = Gate::default();
    gate.hold(CUstream::PER_THREAD);
    let handle = context.0;
    std::thread::spawn(move || {
        ok!(cuCtxSetCurrent(handle));
        ok!(cuStreamSynchronize(CUstream::PER_THREAD));
    })
    .join()
    .unwrap();
    fails!(cuStreamQuery_ptsz(CUstream::NULL), NOT_READY);
    gate.open();
    ok!(cuStreamSynchronize_ptsz(CUstream::NULL));
}

#[test]
fn the_threads_of_streams_end_with_their_users() {
    let context = TestContext::new();
    let handle = context.0;
    let word = allocate(MIB);
    for _ in 0..50 {
        std::thread::spawn(move || {
            ok!(cuCtxSetCurrent(handle));
            ok!(cuMemsetD8Async(word, 1, MIB, CUstream::PER_THREAD));
            let own = stream(1);
            ok!(cuMemsetD8Async(word, 1, MIB, own));
            ok!(cuStreamDestroy_v2(own));
        })
        .join()
        .unwrap();
    }
    ok!(cuCtxSynchronize());
    let named = || {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        tasks
            .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
            .filter(|name| name.starts_with("outhaul-stream"))
            .count()
    };
    // Other tests in this process also have streams, but not as many.
    for _ in 0..60_000 {
        if named() < 50 {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{} threads of streams are left", named());
}

#[test]
fn host_functions_run_in_order_and_may_not_call_the_driver() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn count(expected: *mut c_void) {
        assert_eq!(COUNT.fetch_add(1, Ordering::SeqCst), expected.addr());
        fails!(cuCtxSynchronize(), NOT_PERMITTED);
    }
    let _context = TestContext::new();
    let work = stream(0);
    for index in 0..10 {
        ok!(cuLaunchHostFunc(work, Some(count), std::ptr::without_provenance_mut(index)));
    }
    ok!(cuStreamDestroy_v2(work));
    ok!(cuCtxSynchronize());
    assert_eq!(COUNT.load(Ordering::SeqCst), 10);
}

#[test]
fn memory_is_mapped_where_it_was_reserved() {
    let _context = TestContext::new();
    let page = PAGE_BYTES as usize;
    let location = CUmemLocation { type_: MEM_LOCATION_TYPE_DEVICE, id: 0 };
    let prop = CUmemAllocationProp {
        type_: MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: 0,
        location,
        win32HandleMetaData: std::ptr::null_mut(),
        compressionType: 0,
        gpuDirectRDMACapable: 0,
        usage: 0,
        reserved: [0; 4],
    };
    let access = CUmemAccessDesc { location, flags: MEM_ACCESS_FLAGS_PROT_READWRITE };
    let (mut granularity, mut address, mut handle) = (0, 0, 0);
    ok!(cuMemGetAllocationGranularity(&mut granularity, &prop, 0));
    assert_eq!(granularity, page);
    let wanted = 0x2000_0000_0000;
    ok!(cuMemAddressReserve(&mut address, 64 * page, 0, wanted, 0));
    assert_eq!(address, wanted);
    ok!(cuMemCreate(&mut handle, 2 * page, &prop, 0));
    ok!(cuMemMap(address, page, page, handle, 0));
    ok!(cuMemMap(address + 2 * PAGE_BYTES, page, page, handle, 0));
    fails!(cuMemMap(address, page, 0, handle, 0), INVALID_VALUE);
    ok!(cuMemRelease(handle));
    for part in [0, 2 * PAGE_BYTES] {
        ok!(cuMemSetAccess(address + part, page, &access, 1));
    }
    ok!(cuMemsetD8_v2(address, 5, page));
    let mut byte = 0_u8;
    ok!(cuMemcpyDtoH_v2((&raw mut byte).cast(), address + 3 * PAGE_BYTES - 1, 1));
    assert_eq!(byte, 5);
    fails!(cuMemAddressFree(address, 64 * page), INVALID_VALUE);
    fails!(cuMemUnmap(address, 2 * page), INVALID_VALUE);
    ok!(cuMemUnmap(address, page));
    ok!(cuMemUnmap(address + 2 * PAGE_BYTES, page));
    ok!(cuMemAddressFree(address, 64 * page));
    fails!(cuMemsetD8_v2(address, 5, page), INVALID_VALUE);
}

#[test]
fn stream_ordered_memory_comes_back_in_stream_order() {
    let _context = TestContext::new();
    let work = stream(1);
    let mut pool = CUmemoryPool::NULL;
    let props = CUmemPoolProps {
        allocType: MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: 0,
        location: CUmemLocation { type_: MEM_LOCATION_TYPE_DEVICE, id: 0 },
        win32SecurityAttributes: std::ptr::null_mut(),
        maxSize: 0,
        usage: 0,
        reserved: [0; 54],
    };
    ok!(cuMemPoolCreate(&mut pool, &props));
    let used = |attribute| {
        let mut bytes = 0_u64;
        ok!(cuMemPoolGetAttribute(pool, attribute, (&raw mut bytes).cast()));
        bytes
    };
    let gate = Gate::default();
    gate.hold(work);
    let mut address = 0;
    ok!(cuMemAllocFromPoolAsync(&mut address, MIB, pool, work));
    ok!(cuMemsetD8Async(address, 1, MIB, work));
    ok!(cuMemFreeAsync(address, work));
    assert_eq!(used(7), MIB as u64);
    fails!(cuMemFreeAsync(address, work), INVALID_VALUE);
    gate.open();
    ok!(cuStreamSynchronize(work));
    assert_eq!((used(7), used(8)), (0, MIB as u64));
    ok!(cuMemPoolDestroy(pool));
}

#[test]
fn pinned_memory_is_known_by_its_address() {
    let _context = TestContext::new();
    let mut host = std::ptr::null_mut();
    ok!(cuMemHostAlloc(&mut host, 100, 0));
    let (mut device, mut kind, mut base) = (0, 0_i32, 0_u64);
    ok!(cuMemHostGetDevicePointer_v2(&mut device, host, 0));
    ok!(cuPointerGetAttribute((&raw mut kind).cast(), 2, device + 50));
    ok!(cuPointerGetAttribute((&raw mut base).cast(), 11, device + 50));
    assert_eq!((kind, base), (1, device));
    fails!(cuMemHostRegister_v2(host, 10, 0), HOST_MEMORY_ALREADY_REGISTERED);
    ok!(cuMemFreeHost(host));
    fails!(cuPointerGetAttribute((&raw mut kind).cast(), 2, device), INVALID_VALUE);
    let mut own = [0_u8; 64];
    ok!(cuMemHostRegister_v2(own.as_mut_ptr().cast(), 64, 0));
    ok!(cuMemHostUnregister(own.as_mut_ptr().cast()));
    fails!(cuMemHostUnregister(own.as_mut_ptr().cast()), HOST_MEMORY_NOT_REGISTERED);
}

#[test]
fn a_forked_child_is_not_initialised() {
    ok!(cuInit(0));
    // SAFETY: the child only makes calls that take no locks, and exits at once.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let mut count = 0;
        // SAFETY: as above.
        unsafe {
            let codes = [cuInit(0), cuDeviceGetCount(&mut count), cuCtxSynchronize()];
            libc::_exit(i32::from(codes.iter().any(|code| *code != CUresult::NOT_INITIALIZED)));
        }
    }
    let mut status = 0;
    // SAFETY: waits for the child created above.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0);
}

#[test]
fn unsupported_functions_are_not_returned() {
    ok!(cuInit(0));
    let find = |name: &std::ffi::CStr, version| {
        let (mut address, mut status) = (std::ptr::null_mut(), -1);
        ok!(cuGetProcAddress_v2(name.as_ptr(), &mut address, version, 0, &mut status));
        (!address.is_null(), status)
    };
    assert_eq!(find(c"cuMemAlloc", 3020), (true, 0));
    assert_eq!(find(c"cuTexRefCreate", 2000), (false, 1));
    assert_eq!(find(c"cuLibraryLoadData", 11000), (false, 2));
    let mut address = std::ptr::null_mut();
    fails!(cuGetProcAddress(c"cuTexRefCreate".as_ptr(), &mut address, 2000, 0), NOT_FOUND);
    fails!(cuGetProcAddress(c"cuInit".as_ptr(), &mut address, 99000, 0), INVALID_VALUE);
}

#[test]
fn a_stream_waits_for_a_word_that_another_writes() {
    let _context = TestContext::new();
    let (waiter, writer, word) = (stream(1), stream(1), allocate(8));
    ok!(cuMemsetD32_v2(word, 0, 2));
    ok!(cuStreamWaitValue32_v2(waiter, word, 5, 0));
    ok!(cuStreamWaitValue64_v2(waiter, word, 0x7_0000_0005, 1));
    ok!(cuStreamWriteValue32_v2(writer, word, 6, 0));
    std::thread::sleep(Duration::from_millis(5));
    fails!(cuStreamQuery(waiter), NOT_READY);
    ok!(cuStreamWriteValue64_v2(writer, word, 0x7_0000_0005, 0));
    ok!(cuStreamSynchronize(waiter));
    fails!(cuStreamWaitValue32_v2(waiter, word + 2, 5, 0), INVALID_VALUE);
    fails!(cuStreamWaitValue32_v2(waiter, word, 5, 4), INVALID_VALUE);
}

/// Makes a call during a capture with the given mode. Returns the results of the call and of the
/// capture's end.
fn in_capture(mode: i32, call: impl FnOnce(CUstream) -> CUresult) -> (CUresult, CUresult) {
    let (stream, mut graph) = (stream(1), CUgraph::NULL);
    ok!(cuStreamBeginCapture_v2(stream, mode));
    let answer = call(stream);
    // SAFETY: the graph's out-pointer refers to a local.
    (answer, unsafe { cuStreamEndCapture(stream, &mut graph) })
}

#[test]
fn a_capture_refuses_forbidden_calls() {
    let _context = TestContext::new();
    let allocate = |_| {
        let mut address = 0;
        // SAFETY: the address's out-pointer refers to a local.
        unsafe { cuMemAlloc_v2(&mut address, 4096) }
    };
    let refused = (CUresult::STREAM_CAPTURE_UNSUPPORTED, CUresult::STREAM_CAPTURE_INVALIDATED);
    let (thread_local, relaxed) = (1, 2);
    assert_eq!(in_capture(thread_local, allocate), refused);
    assert_eq!(in_capture(relaxed, allocate), (CUresult::SUCCESS, CUresult::SUCCESS));
    let elsewhere =
        |stream| std::thread::spawn(move || allocate(stream)).join().unwrap_or(CUresult::UNKNOWN);
    assert_eq!(in_capture(thread_local, elsewhere), (CUresult::INVALID_CONTEXT, CUresult::SUCCESS));
    let ordered = |stream| {
        let mut address = 0;
        // SAFETY: the address's out-pointer refers to a local.
        unsafe { cuMemAllocAsync(&mut address, 4096, stream) }
    };
    assert_eq!(in_capture(thread_local, ordered), (CUresult::SUCCESS, CUresult::SUCCESS));
    // A graph frees only memory that a graph allocates.
    let memory = self::allocate(4096);
    // SAFETY: takes no host pointers.
    let free = |stream| unsafe { cuMemFreeAsync(memory, stream) };
    assert_eq!(in_capture(thread_local, free), (CUresult::INVALID_VALUE, CUresult::SUCCESS));
    ok!(cuMemFree_v2(memory));
}

#[test]
fn a_graph_whose_memory_is_gone_is_not_launched() {
    let _context = TestContext::new();
    let (stream, event) = (stream(1), event());
    let (mut graph, mut exec) = (CUgraph::NULL, CUgraphExec::NULL);
    let (mut copy, mut record) = (CUgraphNode::NULL, CUgraphNode::NULL);
    ok!(cuGraphCreate(&mut graph, 0));
    let memory = allocate(4096);
    let fill = CUDA_MEMSET_NODE_PARAMS {
        dst: memory,
        pitch: 0,
        value: 1,
        elementSize: 4,
        width: 1024,
        height: 1,
    };
    ok!(cuGraphAddMemsetNode(&mut copy, graph, std::ptr::null(), 0, &fill, CUcontext::NULL));
    ok!(cuGraphAddEventRecordNode(&mut record, graph, &copy, 1, event));
    ok!(cuGraphInstantiateWithFlags(&mut exec, graph, 0));
    ok!(cuMemFree_v2(memory));
    fails!(cuGraphLaunch(exec, stream), INVALID_VALUE);
    ok!(cuEventSynchronize(event));
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(graph));
}

#[test]
fn a_graph_is_not_moved_into_itself_or_its_child_graphs() {
    let _context = TestContext::new();
    let (mut outer, mut inner, mut node) = (CUgraph::NULL, CUgraph::NULL, CUgraphNode::NULL);
    ok!(cuGraphCreate(&mut outer, 0));
    ok!(cuGraphCreate(&mut inner, 0));
    let mut moves = |graph: CUgraph, into: CUgraph| {
        let mut params = CUgraphNodeParams {
            type_: GRAPH_NODE_TYPE_GRAPH,
            reserved0: [0; 3],
            words: [0; 29],
            reserved2: 0,
        };
        params.words[..2]
            .copy_from_slice(&[graph.0 as u64, GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE as u64]);
        // SAFETY: every pointer refers to a local of the right type.
        unsafe { cuGraphAddNode(&mut node, into, std::ptr::null(), 0, &mut params) }
    };
    assert_eq!(moves(outer, outer), CUresult::INVALID_VALUE);
    assert_eq!(moves(inner, outer), CUresult::SUCCESS);
    assert_eq!(moves(outer, inner), CUresult::INVALID_VALUE);
    assert_eq!(moves(inner, outer), CUresult::NOT_SUPPORTED);
    let mut exec = CUgraphExec::NULL;
    ok!(cuGraphInstantiateWithFlags(&mut exec, outer, 0));
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(outer));
}

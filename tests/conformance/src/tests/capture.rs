//! Stream capture into graphs: the captured work, the effect of each launch, and the calls that a
//! capture forbids.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

pub const TESTS: &[Test] = &[
    ("capture/replays", replays),
    ("capture/copies_from_and_to_the_host", host_copies),
    ("capture/copies_in_order_with_uncaptured_ones", copies_in_order),
    ("capture/boxes", boxes),
    ("capture/parameters_are_copied", parameters),
    ("capture/host_functions_at_each_launch", host_functions),
    ("capture/fork_and_join", fork),
    ("capture/per_thread_stream", per_thread),
    ("capture/launches_are_not_captured", nested),
    ("capture/events_of_each_launch", external_events),
    ("capture/what_is_known_of_it", info),
    ("capture/other_dependencies", dependencies),
    ("capture/into_a_graph", into_graph),
    ("capture/ends_once", ends_once),
    ("capture/waiting_invalidates", waiting),
    ("capture/not_of_the_legacy_stream", legacy),
    ("capture/legacy_stream_meanwhile", legacy_meanwhile),
    ("capture/other_work_meanwhile", other_work),
    ("capture/unjoined_work", unjoined),
    ("capture/uncaptured_events", isolation),
    ("capture/two_captures_stay_apart", merge),
    ("capture/captured_events_cannot_be_waited_for", captured_event),
    ("capture/threads", threads),
    ("capture/copies_within_the_host", within_the_host),
    ("capture/while_other_threads_free", while_others_free),
    ("capture/begins_after_one_that_failed", begins_again),
];

/// The flag `CU_EVENT_RECORD_EXTERNAL`.
const RECORD_EXTERNAL: u32 = 1;
const MODE_GLOBAL: i32 = 0;

fn status(gpu: &Gpu, stream: CUstream) -> Result<i32, Outcome> {
    let mut status = -1;
    cu!(gpu.cuStreamIsCapturing(stream, &mut status)).ok()?;
    Ok(status)
}

/// Ends a capture and checks that this fails. Then checks that the stream works again.
fn ends_with(gpu: &Gpu, stream: CUstream, error: CUresult) -> Done {
    let mut graph = CUgraph(1);
    same("the end", cu!(gpu.cuStreamEndCapture(stream, &mut graph)), error)?;
    same("the graph", graph, CUgraph::NULL)?;
    same("capturing", status(gpu, stream)?, values::STREAM_CAPTURE_STATUS_NONE)?;
    same("the stream", cu!(gpu.cuStreamSynchronize(stream)), CUresult::SUCCESS)
}

fn replays(gpu: &Gpu) -> Done {
    let stream = gpu.stream(0)?;
    let module = gpu.module()?;
    let add = gpu.function(module, "add")?;
    let (memory, copy) = (gpu.alloc(1024)?, gpu.alloc(1024)?);
    gpu.write(memory, &[1; 256])?;
    gpu.write(copy, &[0; 256])?;
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemsetD32Async(memory, 100, 128, stream)).ok()?;
    gpu.launch(add, (1, 256), stream, memory, &[256, 7]).ok()?;
    gpu.launch(add, (1, 256), stream, memory, &[256, 20]).ok()?;
    cu!(gpu.cuMemcpyDtoDAsync_v2(copy, memory, 1024, stream)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    same("nothing has run yet", gpu.read(memory, 256)?, vec![1; 256])?;
    for launch in 1..=4 {
        gpu.replay(exec, stream)?;
        let expected = [[127; 128], [1 + 27 * launch; 128]].concat();
        same("the copy", gpu.read(copy, 256)?, expected)?;
    }
    // Launches run in order even without a wait between them.
    for _ in 0..10 {
        cu!(gpu.cuGraphLaunch(exec, stream)).ok()?;
    }
    cu!(gpu.cuGraphExecDestroy(exec)).ok()?;
    same("after ten more", gpu.read(copy, 256)?[255], 1 + 27 * 14)
}

fn host_copies(gpu: &Gpu) -> Done {
    const COUNT: usize = 300_000;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let memory = gpu.alloc(COUNT * 4)?;
    let (source, back) = (gpu.pinned(COUNT)?, gpu.pinned(COUNT)?);
    source.fill(5);
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemcpyHtoDAsync_v2(memory, source.as_ptr().cast(), COUNT * 4, stream)).ok()?;
    gpu.launch(
        gpu.function(module, "add")?,
        (COUNT as u32 / 256 + 1, 256),
        stream,
        memory,
        &[COUNT as u32, 1000],
    )
    .ok()?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(back.as_mut_ptr().cast(), memory, COUNT * 4, stream)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    for launch in 0..4 {
        // The launch reads the source, and the capture does not.
        source.fill(launch * 10);
        source[COUNT - 1] = launch;
        back.fill(0);
        gpu.replay(exec, stream)?;
        same("the first", back[0], launch * 10 + 1000)?;
        same("the last", back[COUNT - 1], launch + 1000)?;
        same(
            "all others",
            back[1..COUNT - 1].iter().all(|word| *word == launch * 10 + 1000),
            true,
        )?;
    }
    Ok(())
}

/// A graph's copies to and from pinned memory are ordered with the stream's other copies of that
/// memory.
fn copies_in_order(gpu: &Gpu) -> Done {
    const COUNT: usize = 64;
    const BYTES: usize = COUNT * 4;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (captured, other) = (gpu.alloc(BYTES)?, gpu.alloc(BYTES)?);
    let pinned = gpu.pinned(COUNT)?;
    let host: *mut c_void = pinned.as_mut_ptr().cast();
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(host, captured, BYTES, stream)).ok()?;
    let to_host = gpu.instantiate(gpu.end_capture(stream)?)?;
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemcpyHtoDAsync_v2(captured, host, BYTES, stream)).ok()?;
    let to_device = gpu.instantiate(gpu.end_capture(stream)?)?;
    for round in 0..300 {
        cu!(gpu.cuMemsetD32Async(captured, round, COUNT, stream)).ok()?;
        cu!(gpu.cuMemsetD32Async(other, round + 1000, COUNT, stream)).ok()?;
        cu!(gpu.cuGraphLaunch(to_host, stream)).ok()?;
        cu!(gpu.cuMemcpyDtoHAsync_v2(host, other, BYTES, stream)).ok()?;
        cu!(gpu.cuGraphLaunch(to_device, stream)).ok()?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        let wrong = pinned.iter().filter(|word| **word != round + 1000).count();
        same("words that the graph still has", wrong, 0)?;
        let found = gpu.read(captured, COUNT)?;
        same(
            "words that the second graph read too early",
            found.iter().filter(|w| **w != round + 1000).count(),
            0,
        )?;
    }
    Ok(())
}

/// Copies columns 1 and 2 of the first 3 rows of 4 words, in both directions.
fn boxes(gpu: &Gpu) -> Done {
    let stream = gpu.stream(0)?;
    let memory = gpu.alloc(64)?;
    let (source, back) = (gpu.pinned(16)?, gpu.pinned(16)?);
    let mut to_device = blank_box();
    (to_device.srcMemoryType, to_device.srcHost, to_device.srcPitch) =
        (values::MEMORYTYPE_HOST, source.as_ptr().cast(), 16);
    (to_device.dstMemoryType, to_device.dstDevice, to_device.dstPitch) =
        (values::MEMORYTYPE_DEVICE, memory, 16);
    (to_device.srcXInBytes, to_device.dstXInBytes, to_device.WidthInBytes, to_device.Height) =
        (4, 4, 8, 3);
    let mut to_host = blank_box();
    (to_host.srcMemoryType, to_host.srcDevice, to_host.srcPitch) =
        (values::MEMORYTYPE_DEVICE, memory, 16);
    (to_host.dstMemoryType, to_host.dstHost, to_host.dstPitch) =
        (values::MEMORYTYPE_HOST, back.as_mut_ptr().cast(), 16);
    (to_host.dstY, to_host.WidthInBytes, to_host.Height) = (1, 16, 3);
    gpu.write(memory, &[9; 16])?;
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemcpy2DAsync_v2(&to_device, stream)).ok()?;
    cu!(gpu.cuMemcpy2DAsync_v2(&to_host, stream)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    for (index, word) in source.iter_mut().enumerate() {
        *word = index as u32 + 100;
    }
    back.fill(1);
    gpu.replay(exec, stream)?;
    same(
        "what came back",
        back.to_vec(),
        vec![1, 1, 1, 1, 9, 101, 102, 9, 9, 105, 106, 9, 9, 109, 110, 9],
    )
}

fn blank_box() -> CUDA_MEMCPY2D {
    // SAFETY: all-zero bytes are valid for a struct of numbers and pointers.
    unsafe { std::mem::zeroed() }
}

fn parameters(gpu: &Gpu) -> Done {
    let stream = gpu.stream(0)?;
    let module = gpu.module()?;
    let fill = gpu.function(module, "fill")?;
    let mut memory = gpu.alloc(8)?;
    let (mut count, mut value) = (2_u32, 40_u32);
    let mut params: [*mut c_void; 3] =
        [(&raw mut memory).cast(), (&raw mut count).cast(), (&raw mut value).cast()];
    gpu.begin_capture(stream)?;
    cu!(gpu.cuLaunchKernel(
        fill,
        1,
        1,
        1,
        2,
        1,
        1,
        0,
        stream,
        params.as_mut_ptr(),
        std::ptr::null_mut()
    ))
    .ok()?;
    let at = memory;
    (memory, count, value) = (0, 0, 0);
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    gpu.replay(exec, stream)?;
    same("the present values of the locals", (memory, count, value), (0, 0, 0))?;
    same("the values of the capture", gpu.read(at, 2)?, vec![40, 41])
}

static CALLS: AtomicU32 = AtomicU32::new(0);

/// Multiplies the word that the device computed by ten, in pinned memory.
unsafe extern "C" fn multiply(word: *mut c_void) {
    CALLS.fetch_add(1, SeqCst);
    let word = word.cast::<u32>();
    // SAFETY: the test passes a pinned word that no other code accesses at this time.
    unsafe { word.write(word.read() * 10) };
}

fn host_functions(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let add = gpu.function(module, "add")?;
    let memory = gpu.alloc(4)?;
    let host = gpu.pinned(1)?;
    let word: *mut c_void = host.as_mut_ptr().cast();
    gpu.write(memory, &[0])?;
    gpu.begin_capture(stream)?;
    gpu.launch(add, (1, 1), stream, memory, &[1, 3]).ok()?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(word, memory, 4, stream)).ok()?;
    cu!(gpu.cuLaunchHostFunc(stream, Some(multiply), word)).ok()?;
    cu!(gpu.cuMemcpyHtoDAsync_v2(memory, word, 4, stream)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    same("calls before a launch", CALLS.load(SeqCst), 0)?;
    for (launch, expected) in [30, 330, 3330, 33330].into_iter().enumerate() {
        gpu.replay(exec, stream)?;
        same("the word", gpu.read(memory, 1)?, vec![expected])?;
        same("calls", CALLS.load(SeqCst), launch as u32 + 1)?;
    }
    for _ in 0..3 {
        cu!(gpu.cuGraphLaunch(exec, stream)).ok()?;
    }
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("launches in a row", gpu.read(memory, 1)?, vec![33_333_330])?;
    same("calls", CALLS.load(SeqCst), 7)
}

fn fork(gpu: &Gpu) -> Done {
    let (a, b) = (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(0)?);
    let (forked, joined) =
        (gpu.event(values::EVENT_DISABLE_TIMING)?, gpu.event(values::EVENT_DISABLE_TIMING)?);
    let module = gpu.module()?;
    let (fill, add, spin) = (
        gpu.function(module, "fill")?,
        gpu.function(module, "add")?,
        gpu.function(module, "spin")?,
    );
    let (left, right, sum) = (gpu.alloc(4)?, gpu.alloc(4)?, gpu.alloc(8)?);
    gpu.begin_capture(a)?;
    gpu.launch(fill, (1, 1), a, left, &[1, 0]).ok()?;
    cu!(gpu.cuMemsetD32Async(right, 0, 1, a)).ok()?;
    cu!(gpu.cuEventRecord(forked, a)).ok()?;
    cu!(gpu.cuStreamWaitEvent(b, forked, 0)).ok()?;
    same("the other stream takes part", status(gpu, b)?, values::STREAM_CAPTURE_STATUS_ACTIVE)?;
    gpu.launch(spin, (1, 1), b, right, &[100_000]).ok()?;
    gpu.launch(add, (1, 1), b, right, &[1, 5]).ok()?;
    gpu.launch(spin, (1, 1), a, left, &[50_000]).ok()?;
    cu!(gpu.cuEventRecord(joined, b)).ok()?;
    cu!(gpu.cuStreamWaitEvent(a, joined, 0)).ok()?;
    cu!(gpu.cuMemcpyDtoDAsync_v2(sum, left, 4, a)).ok()?;
    cu!(gpu.cuMemcpyDtoDAsync_v2(sum + 4, right, 4, a)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(a)?)?;
    same("the other stream is free", status(gpu, b)?, values::STREAM_CAPTURE_STATUS_NONE)?;
    for _ in 0..3 {
        gpu.replay(exec, b)?;
        same("both branches", gpu.read(sum, 2)?, vec![50_000, 100_005])?;
    }
    // The streams and events work as before.
    gpu.launch(add, (1, 1), b, right, &[1, 1]).ok()?;
    cu!(gpu.cuEventRecord(joined, b)).ok()?;
    cu!(gpu.cuStreamWaitEvent(a, joined, 0)).ok()?;
    cu!(gpu.cuEventSynchronize(joined)).ok()?;
    same("afterwards", gpu.read(right, 1)?, vec![100_006])
}

fn per_thread(gpu: &Gpu) -> Done {
    let module = gpu.module()?;
    let memory = gpu.alloc(4)?;
    gpu.write(memory, &[0])?;
    gpu.begin_capture(CUstream::PER_THREAD)?;
    gpu.launch(gpu.function(module, "add")?, (1, 1), CUstream::PER_THREAD, memory, &[1, 4]).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(CUstream::PER_THREAD)?)?;
    gpu.replay(exec, CUstream::PER_THREAD)?;
    gpu.replay(exec, CUstream::LEGACY)?;
    same("two launches", gpu.read(memory, 1)?, vec![8])
}

fn nested(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let memory = gpu.alloc(4)?;
    gpu.write(memory, &[0])?;
    gpu.begin_capture(stream)?;
    gpu.launch(gpu.function(module, "add")?, (1, 1), stream, memory, &[1, 1]).ok()?;
    let inner = gpu.instantiate(gpu.end_capture(stream)?)?;
    gpu.begin_capture(stream)?;
    same(
        "a launch into a capture",
        cu!(gpu.cuGraphLaunch(inner, stream)),
        CUresult::STREAM_CAPTURE_UNSUPPORTED,
    )?;
    let mut graph = CUgraph::NULL;
    let _ = cu!(gpu.cuStreamEndCapture(stream, &mut graph));
    gpu.replay(inner, stream)?;
    same("a launch afterwards", gpu.read(memory, 1)?, vec![1])
}

fn external_events(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (start, end) = (gpu.event(0)?, gpu.event(0)?);
    let module = gpu.module()?;
    let memory = gpu.alloc(4)?;
    let outside = cu!(gpu.cuEventRecordWithFlags(start, stream, RECORD_EXTERNAL));
    same("outside a capture", outside.ok().is_ok(), false)?;
    gpu.begin_capture(stream)?;
    cu!(gpu.cuEventRecordWithFlags(start, stream, RECORD_EXTERNAL)).ok()?;
    gpu.launch(gpu.function(module, "spin")?, (1, 1), stream, memory, &[100_000]).ok()?;
    cu!(gpu.cuEventRecordWithFlags(end, stream, RECORD_EXTERNAL)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    for _ in 0..2 {
        let mut ms = -1.0;
        cu!(gpu.cuGraphLaunch(exec, stream)).ok()?;
        cu!(gpu.cuEventSynchronize(end)).ok()?;
        cu!(gpu.cuEventElapsedTime(&mut ms, start, end)).ok()?;
        same("a plausible time", ms > 0.0 && ms < 10_000.0, true)?;
    }
    Ok(())
}

/// The properties that a stream reports about its capture.
#[derive(Debug, PartialEq)]
struct CaptureInfo {
    status: i32,
    id: u64,
    graph: CUgraph,
    nodes: Vec<CUgraphNode>,
}

fn capture_info(gpu: &Gpu, stream: CUstream) -> Result<CaptureInfo, Outcome> {
    let (mut status, mut id, mut graph, mut nodes, mut count) =
        (-1, 0, CUgraph::NULL, std::ptr::null(), 0);
    cu!(gpu.cuStreamGetCaptureInfo_v2(
        stream,
        &mut status,
        &mut id,
        &mut graph,
        &mut nodes,
        &mut count
    ))
    .ok()?;
    let nodes = if count == 0 {
        Vec::new()
    } else {
        // SAFETY: the driver wrote the address of its own array. The array remains valid until the
        // next use of the stream.
        unsafe { std::slice::from_raw_parts(nodes, count) }.to_vec()
    };
    Ok(CaptureInfo { status, id, graph, nodes })
}

fn info(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let memory = gpu.alloc(4)?;
    let (mut state, mut id) = (-1, 0);
    cu!(gpu.cuStreamGetCaptureInfo_v2(
        stream,
        &mut state,
        &mut id,
        std::ptr::null_mut(),
        std::ptr::null_mut(),
        std::ptr::null_mut()
    ))
    .ok()?;
    same("before", state, values::STREAM_CAPTURE_STATUS_NONE)?;
    gpu.begin_capture(stream)?;
    let start = capture_info(gpu, stream)?;
    same(
        "at the start",
        (start.status, start.nodes.len()),
        (values::STREAM_CAPTURE_STATUS_ACTIVE, 0),
    )?;
    cu!(gpu.cuStreamGetCaptureInfo(stream, &mut state, &mut id)).ok()?;
    same("the short answer", (state, id), (start.status, start.id))?;
    gpu.launch(gpu.function(module, "add")?, (1, 1), stream, memory, &[1, 1]).ok()?;
    let later = capture_info(gpu, stream)?;
    same("the same capture", (later.id, later.graph), (start.id, start.graph))?;
    same("what the next node depends on", later.nodes.len(), 1)?;
    let mut kind = -1;
    cu!(gpu.cuGraphNodeGetType(later.nodes[0], &mut kind)).ok()?;
    same("its type", kind, values::GRAPH_NODE_TYPE_KERNEL)?;
    same("the graph that the end gives", gpu.end_capture(stream)?, start.graph)?;
    gpu.begin_capture(stream)?;
    let second = capture_info(gpu, stream)?;
    same("captures have the same id", second.id == start.id, false)?;
    gpu.end_capture(stream).map(drop)
}

fn dependencies(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let add = gpu.function(module, "add")?;
    let memory = gpu.alloc(8)?;
    gpu.write(memory, &[0, 0])?;
    let none: *mut CUgraphNode = std::ptr::null_mut();
    let idle = cu!(gpu.cuStreamUpdateCaptureDependencies(
        stream,
        none,
        0,
        values::STREAM_SET_CAPTURE_DEPENDENCIES
    ));
    same("of a stream that is not captured", idle, CUresult::ILLEGAL_STATE)?;
    gpu.begin_capture(stream)?;
    gpu.launch(add, (1, 1), stream, memory, &[1, 1]).ok()?;
    let mut first = capture_info(gpu, stream)?.nodes;
    cu!(gpu.cuStreamUpdateCaptureDependencies(
        stream,
        none,
        0,
        values::STREAM_SET_CAPTURE_DEPENDENCIES
    ))
    .ok()?;
    same("none", capture_info(gpu, stream)?.nodes.len(), 0)?;
    gpu.launch(add, (1, 1), stream, memory + 4, &[1, 2]).ok()?;
    let add_them = values::STREAM_ADD_CAPTURE_DEPENDENCIES;
    cu!(gpu.cuStreamUpdateCaptureDependencies(stream, first.as_mut_ptr(), 1, add_them)).ok()?;
    same("both", capture_info(gpu, stream)?.nodes.len(), 2)?;
    let graph = gpu.end_capture(stream)?;
    let (mut roots, mut edges) = (0, 0);
    cu!(gpu.cuGraphGetRootNodes(graph, none, &mut roots)).ok()?;
    cu!(gpu.cuGraphGetEdges(graph, none, none, &mut edges)).ok()?;
    same("roots and edges", (roots, edges), (2, 0))?;
    gpu.replay(gpu.instantiate(graph)?, stream)?;
    same("both ran", gpu.read(memory, 2)?, vec![1, 2])
}

fn into_graph(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let add = gpu.function(module, "add")?;
    let memory = gpu.alloc(8)?;
    let (mut graph, mut root) = (CUgraph::NULL, CUgraphNode::NULL);
    cu!(gpu.cuGraphCreate(&mut graph, 0)).ok()?;
    let clear = CUDA_MEMSET_NODE_PARAMS {
        dst: memory,
        pitch: 4,
        value: 50,
        elementSize: 4,
        width: 1,
        height: 1,
    };
    cu!(gpu.cuGraphAddMemsetNode(&mut root, graph, std::ptr::null(), 0, &clear, gpu.context))
        .ok()?;
    let mode = values::STREAM_CAPTURE_MODE_RELAXED;
    match cu!(gpu.cuStreamBeginCaptureToGraph(stream, graph, &root, std::ptr::null(), 1, mode)) {
        CUresult::NOT_SUPPORTED => {
            return Err(Outcome::Skipped("the driver is older than CUDA 12.3".into()));
        }
        code => code.ok()?,
    }
    gpu.launch(add, (1, 1), stream, memory, &[1, 1]).ok()?;
    same("the graph", gpu.end_capture(stream)?, graph)?;
    let exec = gpu.instantiate(graph)?;
    gpu.replay(exec, stream)?;
    gpu.replay(exec, stream)?;
    same("after the fill", gpu.read(memory, 1)?, vec![51])?;
    // The program passed the graph itself, so it need not receive the graph again.
    let none = std::ptr::null();
    cu!(gpu.cuStreamBeginCaptureToGraph(stream, graph, none, std::ptr::null(), 0, mode)).ok()?;
    gpu.launch(add, (1, 1), stream, memory + 4, &[1, 7]).ok()?;
    Ok(cu!(gpu.cuStreamEndCapture(stream, std::ptr::null_mut())).ok()?)
}

fn ends_once(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let mut graph = CUgraph::NULL;
    same(
        "an end without a start",
        cu!(gpu.cuStreamEndCapture(stream, &mut graph)).ok().is_ok(),
        false,
    )?;
    gpu.begin_capture(stream)?;
    let again = cu!(gpu.cuStreamBeginCapture_v2(stream, values::STREAM_CAPTURE_MODE_RELAXED));
    same("a second start", again.ok().is_ok(), false)?;
    gpu.end_capture(stream)?;
    same("a second end", cu!(gpu.cuStreamEndCapture(stream, &mut graph)).ok().is_ok(), false)?;
    let wrong = cu!(gpu.cuStreamBeginCapture_v2(stream, 99));
    same("a mode that does not exist", wrong, CUresult::INVALID_VALUE)
}

fn waiting(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let add = gpu.function(module, "add")?;
    let memory = gpu.alloc(4)?;
    for query in [false, true] {
        gpu.begin_capture(stream)?;
        gpu.launch(add, (1, 1), stream, memory, &[1, 1]).ok()?;
        let refused = if query {
            cu!(gpu.cuStreamQuery(stream))
        } else {
            cu!(gpu.cuStreamSynchronize(stream))
        };
        same("asking for the stream's end", refused, CUresult::STREAM_CAPTURE_UNSUPPORTED)?;
        same("the capture", status(gpu, stream)?, values::STREAM_CAPTURE_STATUS_INVALIDATED)?;
        let later = gpu.launch(add, (1, 1), stream, memory, &[1, 1]);
        same("a launch into it", later, CUresult::STREAM_CAPTURE_INVALIDATED)?;
        ends_with(gpu, stream, CUresult::STREAM_CAPTURE_INVALIDATED)?;
    }
    gpu.begin_capture(stream)?;
    same("waiting for the context", gpu.synchronize().ok().is_ok(), false)?;
    ends_with(gpu, stream, CUresult::STREAM_CAPTURE_INVALIDATED)
}

fn legacy(gpu: &Gpu) -> Done {
    for stream in [CUstream::NULL, CUstream::LEGACY] {
        let refused = cu!(gpu.cuStreamBeginCapture_v2(stream, values::STREAM_CAPTURE_MODE_RELAXED));
        same("the start", refused, CUresult::STREAM_CAPTURE_UNSUPPORTED)?;
    }
    same("the stream works", gpu.synchronize(), CUresult::SUCCESS)
}

fn legacy_meanwhile(gpu: &Gpu) -> Done {
    let stream = gpu.stream(0)?;
    let module = gpu.module()?;
    let add = gpu.function(module, "add")?;
    let memory = gpu.alloc(4)?;
    gpu.begin_capture(stream)?;
    gpu.launch(add, (1, 1), stream, memory, &[1, 1]).ok()?;
    let mut state = -1;
    let asked = cu!(gpu.cuStreamIsCapturing(CUstream::LEGACY, &mut state));
    same("a question about the legacy stream", asked, CUresult::STREAM_CAPTURE_IMPLICIT)?;
    same(
        "it leaves the capture alone",
        status(gpu, stream)?,
        values::STREAM_CAPTURE_STATUS_ACTIVE,
    )?;
    let used = gpu.launch(add, (1, 1), CUstream::LEGACY, memory, &[1, 1]);
    same("a launch in the legacy stream", used, CUresult::STREAM_CAPTURE_IMPLICIT)?;
    ends_with(gpu, stream, CUresult::STREAM_CAPTURE_INVALIDATED)?;
    gpu.launch(add, (1, 1), CUstream::LEGACY, memory, &[1, 1]).ok()?;
    same("afterwards", gpu.synchronize(), CUresult::SUCCESS)
}

fn other_work(gpu: &Gpu) -> Done {
    let (captured, other) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let module = gpu.module()?;
    let add = gpu.function(module, "add")?;
    let (memory, event) = (gpu.alloc(4)?, gpu.event(values::EVENT_DISABLE_TIMING)?);
    gpu.write(memory, &[0])?;
    // A thread in relaxed mode may make calls that could wait, in every capture mode.
    let mut mode = values::STREAM_CAPTURE_MODE_RELAXED;
    cu!(gpu.cuThreadExchangeStreamCaptureMode(&mut mode)).ok()?;
    same("the thread's mode before", mode, MODE_GLOBAL)?;
    cu!(gpu.cuStreamBeginCapture_v2(captured, MODE_GLOBAL)).ok()?;
    gpu.launch(add, (1, 1), captured, memory, &[1, 1]).ok()?;
    gpu.launch(add, (1, 1), other, memory, &[1, 10]).ok()?;
    cu!(gpu.cuEventRecord(event, other)).ok()?;
    cu!(gpu.cuEventSynchronize(event)).ok()?;
    cu!(gpu.cuStreamSynchronize(other)).ok()?;
    gpu.alloc(1 << 20)?;
    gpu.launch(add, (1, 1), captured, memory, &[1, 2]).ok()?;
    let graph = gpu.end_capture(captured)?;
    cu!(gpu.cuThreadExchangeStreamCaptureMode(&mut mode)).ok()?;
    same("the thread's mode after", mode, values::STREAM_CAPTURE_MODE_RELAXED)?;
    same("the other stream ran", gpu.read(memory, 1)?, vec![10])?;
    gpu.replay(gpu.instantiate(graph)?, captured)?;
    same("the graph has the rest", gpu.read(memory, 1)?, vec![13])
}

fn unjoined(gpu: &Gpu) -> Done {
    let (a, b) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let event = gpu.event(values::EVENT_DISABLE_TIMING)?;
    let module = gpu.module()?;
    let memory = gpu.alloc(4)?;
    gpu.begin_capture(a)?;
    cu!(gpu.cuEventRecord(event, a)).ok()?;
    cu!(gpu.cuStreamWaitEvent(b, event, 0)).ok()?;
    gpu.launch(gpu.function(module, "add")?, (1, 1), b, memory, &[1, 1]).ok()?;
    ends_with(gpu, a, CUresult::STREAM_CAPTURE_UNJOINED)?;
    same("the other stream is free", status(gpu, b)?, values::STREAM_CAPTURE_STATUS_NONE)
}

fn isolation(gpu: &Gpu) -> Done {
    let (a, b) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let event = gpu.event(values::EVENT_DISABLE_TIMING)?;
    cu!(gpu.cuEventRecord(event, b)).ok()?;
    gpu.begin_capture(a)?;
    let refused = cu!(gpu.cuStreamWaitEvent(a, event, 0));
    same("waiting for work outside", refused, CUresult::STREAM_CAPTURE_ISOLATION)?;
    ends_with(gpu, a, CUresult::STREAM_CAPTURE_INVALIDATED)
}

fn merge(gpu: &Gpu) -> Done {
    let (a, b) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let event = gpu.event(values::EVENT_DISABLE_TIMING)?;
    gpu.begin_capture(a)?;
    gpu.begin_capture(b)?;
    cu!(gpu.cuEventRecord(event, a)).ok()?;
    let refused = cu!(gpu.cuStreamWaitEvent(b, event, 0));
    same("waiting for the other capture", refused, CUresult::STREAM_CAPTURE_MERGE)?;
    ends_with(gpu, b, CUresult::STREAM_CAPTURE_INVALIDATED)
}

fn captured_event(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let event = gpu.event(values::EVENT_DISABLE_TIMING)?;
    for query in [false, true] {
        gpu.begin_capture(stream)?;
        cu!(gpu.cuEventRecord(event, stream)).ok()?;
        let refused =
            if query { cu!(gpu.cuEventQuery(event)) } else { cu!(gpu.cuEventSynchronize(event)) };
        same("asking for the event", refused, CUresult::CAPTURED_EVENT)?;
        ends_with(gpu, stream, CUresult::STREAM_CAPTURE_INVALIDATED)?;
    }
    cu!(gpu.cuEventRecord(event, stream)).ok()?;
    same("recorded outside", cu!(gpu.cuEventSynchronize(event)), CUresult::SUCCESS)
}

fn threads(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let elsewhere = |mode: i32| -> Result<CUresult, Outcome> {
        cu!(gpu.cuStreamBeginCapture_v2(stream, mode)).ok()?;
        let end = || {
            let mut graph = CUgraph::NULL;
            cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
            Ok(cu!(gpu.cuStreamEndCapture(stream, &mut graph)))
        };
        std::thread::scope(|scope| {
            scope.spawn(end).join().unwrap_or_else(|_| fail("a thread panicked"))
        })
    };
    same("a relaxed capture", elsewhere(values::STREAM_CAPTURE_MODE_RELAXED)?, CUresult::SUCCESS)?;
    same("one of a thread", elsewhere(MODE_GLOBAL)?, CUresult::STREAM_CAPTURE_WRONG_THREAD)
}

/// Copies from the device to the host, twice within the host, and back to the device. Does this in
/// a capture, and in a graph that is built from nodes.
fn within_the_host(gpu: &Gpu) -> Done {
    const BYTES: usize = 20_000;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (from, to) = (gpu.alloc(BYTES)?, gpu.alloc(BYTES)?);
    let (first, second) =
        (gpu.pinned(BYTES / 4)?.as_mut_ptr() as u64, gpu.pinned(BYTES / 4)?.as_mut_ptr() as u64);
    let mut pageable = vec![0u32; BYTES / 4];
    let way = [from, first, second, pageable.as_mut_ptr() as u64, to];
    gpu.begin_capture(stream)?;
    for side in way.windows(2) {
        cu!(gpu.cuMemcpyAsync(side[1], side[0], BYTES, stream)).ok()?;
    }
    let captured = gpu.end_capture(stream)?;
    let (mut built, mut last) = (CUgraph::NULL, CUgraphNode::NULL);
    cu!(gpu.cuGraphCreate(&mut built, 0)).ok()?;
    let mut context = CUcontext::NULL;
    cu!(gpu.cuCtxGetCurrent(&mut context)).ok()?;
    for side in way.windows(2) {
        // SAFETY: all-zero bytes are valid for a struct of numbers and pointers.
        let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
        (copy.srcMemoryType, copy.dstMemoryType) =
            (values::MEMORYTYPE_UNIFIED, values::MEMORYTYPE_UNIFIED);
        (copy.srcDevice, copy.dstDevice) = (side[0], side[1]);
        (copy.WidthInBytes, copy.Height, copy.Depth) = (BYTES, 1, 1);
        let before = last;
        cu!(gpu.cuGraphAddMemcpyNode(
            &mut last,
            built,
            &before,
            usize::from(!before.is_null()),
            &copy,
            context
        ))
        .ok()?;
    }
    for (graph, value) in [(captured, 5), (built, 70)] {
        let exec = gpu.instantiate(graph)?;
        for round in 0..3 {
            cu!(gpu.cuMemsetD32Async(from, value + round, BYTES / 4, stream)).ok()?;
            gpu.replay(exec, stream)?;
            cu!(gpu.cuStreamSynchronize(stream)).ok()?;
            same("what came back", gpu.read(to, BYTES / 4)?, vec![value + round; BYTES / 4])?;
            same(
                "and on the host",
                std::hint::black_box(&pageable).iter().all(|word| *word == value + round),
                true,
            )?;
        }
    }
    Ok(())
}

/// Frees in other threads make the client wait for the device, unknown to the program. They do not
/// invalidate a capture.
fn while_others_free(gpu: &Gpu) -> Done {
    let over = AtomicBool::new(false);
    let spin = gpu.function(gpu.module()?, "spin")?;
    let result = gpu.pinned(1)?.as_mut_ptr().addr();
    let free = || -> Result<(), CUresult> {
        cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
        let (mut stream, mut memory) = (CUstream::NULL, 0);
        cu!(gpu.cuStreamCreate(&mut stream, values::STREAM_NON_BLOCKING)).ok()?;
        while !over.load(SeqCst) {
            cu!(gpu.cuMemAlloc_v2(&mut memory, 64)).ok()?;
            cu!(gpu.cuMemcpyDtoHAsync_v2(result as *mut c_void, memory, 4, stream)).ok()?;
            cu!(gpu.cuMemFree_v2(memory)).ok()?;
        }
        Ok(())
    };
    let capture = || -> Done {
        let (stream, memory) = (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.alloc(4)?);
        (0..100).try_for_each(|_| {
            gpu.begin_capture(stream)?;
            gpu.launch(spin, (1, 1), stream, memory, &[10]).ok()?;
            gpu.end_capture(stream).map(drop)
        })
    };
    std::thread::scope(|scope| {
        let others = [scope.spawn(free), scope.spawn(free)];
        let captured = capture();
        over.store(true, SeqCst);
        let freed = others
            .into_iter()
            .map(|other| other.join().unwrap_or(Err(CUresult::UNKNOWN)).map_err(Outcome::from));
        freed.fold(captured, Done::and)
    })
}

/// Without a context, a driver may begin a capture, or reject and forget it.
fn begins_again(gpu: &Gpu) -> Done {
    let (stream, mut graph) = (gpu.stream(values::STREAM_NON_BLOCKING)?, CUgraph(7));
    cu!(gpu.cuCtxSetCurrent(CUcontext::NULL)).ok()?;
    let started = cu!(gpu.cuStreamBeginCapture_v2(stream, MODE_GLOBAL));
    cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
    if started != CUresult::SUCCESS {
        gpu.begin_capture(stream)?;
    }
    cu!(gpu.cuCtxSetCurrent(CUcontext::NULL)).ok()?;
    let ended = cu!(gpu.cuStreamEndCapture(stream, &mut graph));
    cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
    same("a graph", graph != CUgraph::NULL, ended == CUresult::SUCCESS)?;
    gpu.begin_capture(stream)?;
    gpu.end_capture(stream).map(drop)
}

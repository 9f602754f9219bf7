//! Streams and events.

// ---- Streams ----

#[since(5000)] #[ptsz(7000)] #[soft]
#[is(streams::callback::add(hStream, callback, userData, flags))]
fn cuStreamAddCallback(
    hStream: CUstream, callback: CUstreamCallback, userData: *mut c_void, #[one_of(0)] flags: u32,
);
#[since(6000)] #[ptsz(7000)] #[local] #[soft]
fn cuStreamAttachMemAsync(
    hStream: CUstream, dptr: CUdeviceptr, #[at_most(0x8000_0000_0000)] length: usize, flags: u32,
);
#[since(8000)] #[ptsz(8000)] #[unsupported(refused_natively)] #[untyped] fn cuStreamBatchMemOp();
#[since(11070)] #[ptsz(11070)] #[post(op = 292)] #[does(accesses, watches)] #[soft]
#[touches(paramArray, count)]
fn cuStreamBatchMemOp_v2(
    stream: CUstream, count: u32, paramArray: In<[CUstreamBatchMemOpParams; count], 255>,
    #[one_of(0)] flags: u32,
);
#[since(10000)] #[ptsz(10000)] #[soft]
#[is(cuStreamBeginCapture_v2(hStream, values::STREAM_CAPTURE_MODE_GLOBAL))]
fn cuStreamBeginCapture(hStream: CUstream);
#[since(10010)] #[ptsz(10010)] #[soft] #[is(graphs::capture::begin(hStream, mode))]
fn cuStreamBeginCapture_v2(hStream: CUstream, #[one_of(0..=2)] mode: CUstreamCaptureMode);
#[since(12030)] #[ptsz(12030)] #[soft]
#[is(graphs::capture::begin_in(hStream, hGraph, after(dependencies, dependencyData,
    numDependencies), mode))]
fn cuStreamBeginCaptureToGraph(
    hStream: CUstream, hGraph: CUgraph, dependencies: *const CUgraphNode,
    dependencyData: *const CUgraphEdgeData, numDependencies: usize,
    #[one_of(0..=2)] mode: CUstreamCaptureMode,
);
#[since(11000)] #[ptsz(11000)] #[call(op = 119)] #[does(nothing)] #[soft]
fn cuStreamCopyAttributes(dst: CUstream, src: CUstream);
#[since(2000)] #[soft] #[is(cuStreamCreateWithPriority(phStream, Flags, 0))]
fn cuStreamCreate(phStream: *mut CUstream, Flags: u32);
#[since(5050)] #[soft] #[is(streams::stream::create(flags, priority) -> phStream)]
fn cuStreamCreateWithPriority(phStream: Out<CUstream>, flags: u32, priority: i32);
#[since(2000)] #[form_of(cuStreamDestroy_v2)] #[soft]
fn cuStreamDestroy(hStream: CUstream);
#[since(4000)] #[soft] #[is(streams::stream::destroy(hStream))]
fn cuStreamDestroy_v2(hStream: CUstream);
#[since(10000)] #[ptsz(10000)] #[soft]
#[custom("needs its place for some captures only, and clears it on failure")]
fn cuStreamEndCapture(hStream: CUstream, phGraph: *mut CUgraph);
#[since(11000)] #[ptsz(11000)] #[call(op = 120)] #[does(nothing)] #[soft]
fn cuStreamGetAttribute(
    hStream: CUstream, #[one_of(1 | 3 | 8..=10)] attr: CUstreamAttrID,
    value_out: Out<CUstreamAttrValue>,
);
#[since(10010)] #[ptsz(10010)] #[soft]
#[is(cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, null, null, null, null))]
fn cuStreamGetCaptureInfo(
    hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut u64,
);
#[since(11030)] #[ptsz(11030)] #[soft]
#[is(cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out, dependencies_out,
    null, numDependencies_out))]
fn cuStreamGetCaptureInfo_v2(
    hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut u64,
    graph_out: *mut CUgraph, dependencies_out: *mut *const CUgraphNode,
    numDependencies_out: *mut usize,
);
#[since(12030)] #[ptsz(12030)] #[soft] #[custom("lends lists that live until the next question")]
fn cuStreamGetCaptureInfo_v3(
    hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut u64,
    graph_out: *mut CUgraph, dependencies_out: *mut *const CUgraphNode,
    edgeData_out: *mut *const CUgraphEdgeData, numDependencies_out: *mut usize,
);
#[since(9020)] #[ptsz(9020)] #[local] #[soft]
fn cuStreamGetCtx(hStream: CUstream, pctx: *mut CUcontext);
#[since(12050)] #[ptsz(12050)] #[local] #[soft]
fn cuStreamGetCtx_v2(hStream: CUstream, pctx: *mut CUcontext, pGreenCtx: *mut CUgreenCtx);
#[since(12080)] #[ptsz(12080)] #[local] #[soft]
fn cuStreamGetDevice(hStream: CUstream, device: *mut CUdevice);
#[since(5050)] #[ptsz(7000)] #[local] #[soft]
fn cuStreamGetFlags(hStream: CUstream, flags: *mut u32);
#[since(12040)] #[local] #[soft]
fn cuStreamGetGreenCtx(hStream: CUstream, phCtx: *mut CUgreenCtx);
#[since(12000)] #[ptsz(12000)] #[local] #[soft]
fn cuStreamGetId(hStream: CUstream, streamId: *mut u64);
#[since(5050)] #[ptsz(7000)] #[local] #[soft]
fn cuStreamGetPriority(hStream: CUstream, priority: *mut i32);
#[since(10000)] #[ptsz(10000)] #[soft] #[is(cuStreamGetCaptureInfo(hStream, captureStatus, null))]
fn cuStreamIsCapturing(hStream: CUstream, captureStatus: *mut CUstreamCaptureStatus);
#[since(2000)] #[ptsz(7000)] #[unsafe_in_capture] #[soft] #[is(streams::stream::query(hStream))]
fn cuStreamQuery(hStream: CUstream);
#[since(11000)] #[ptsz(11000)] #[call(op = 121)] #[does(nothing)] #[soft]
fn cuStreamSetAttribute(
    hStream: CUstream, #[one_of(1 | 3 | 8..=10)] attr: CUstreamAttrID, value: In<CUstreamAttrValue>,
);
#[since(2000)] #[ptsz(7000)] #[unsafe_in_capture] #[soft]
#[is(streams::stream::synchronize(hStream))]
fn cuStreamSynchronize(hStream: CUstream);
#[since(11030)] #[ptsz(11030)] #[soft]
#[is(cuStreamUpdateCaptureDependencies_v2(hStream, dependencies, null, numDependencies, flags))]
fn cuStreamUpdateCaptureDependencies(
    hStream: CUstream, dependencies: *mut CUgraphNode, numDependencies: usize, flags: u32,
);
#[since(12030)] #[ptsz(12030)] #[soft]
#[is(graphs::capture::depend(hStream, after(dependencies, dependencyData, numDependencies), flags))]
fn cuStreamUpdateCaptureDependencies_v2(
    hStream: CUstream, dependencies: *mut CUgraphNode, dependencyData: *const CUgraphEdgeData,
    numDependencies: usize, #[one_of(0 | 1)] flags: u32,
);
#[since(3020)] #[ptsz(7000)] #[soft] #[is(streams::event::wait(hStream, hEvent, Flags))]
fn cuStreamWaitEvent(hStream: CUstream, hEvent: CUevent, #[one_of(0 | 1)] Flags: u32);
#[since(8000)] #[ptsz(8000)] #[unsupported(refused_natively)]
fn cuStreamWaitValue32(stream: CUstream, addr: CUdeviceptr, value: u32, flags: u32);
#[since(11070)] #[ptsz(11070)] #[post(op = 123)] #[does(accesses, watches)] #[soft]
#[supports(flags & 0x4000_0000 == 0 || arguments::can_flush_remote_writes())] #[touches(addr, 4)]
fn cuStreamWaitValue32_v2(
    stream: CUstream, #[aligned(4)] addr: CUdeviceptr, value: u32, #[flags(0x4000_0003)] flags: u32,
);
#[since(9000)] #[ptsz(9000)] #[unsupported(refused_natively)]
fn cuStreamWaitValue64(stream: CUstream, addr: CUdeviceptr, value: u64, flags: u32);
#[since(11070)] #[ptsz(11070)] #[post(op = 124)] #[does(accesses, watches)] #[soft]
#[supports(flags & 0x4000_0000 == 0 || arguments::can_flush_remote_writes())] #[touches(addr, 8)]
fn cuStreamWaitValue64_v2(
    stream: CUstream, #[aligned(8)] addr: CUdeviceptr, value: u64, #[flags(0x4000_0003)] flags: u32,
);
#[since(8000)] #[ptsz(8000)] #[unsupported(refused_natively)]
fn cuStreamWriteValue32(stream: CUstream, addr: CUdeviceptr, value: u32, flags: u32);
#[since(11070)] #[ptsz(11070)] #[post(op = 125)] #[does(accesses)] #[soft]
#[touches(addr, 4)]
fn cuStreamWriteValue32_v2(
    stream: CUstream, #[aligned(4)] addr: CUdeviceptr, value: u32, #[one_of(0)] flags: u32,
);
#[since(9000)] #[ptsz(9000)] #[unsupported(refused_natively)]
fn cuStreamWriteValue64(stream: CUstream, addr: CUdeviceptr, value: u64, flags: u32);
#[since(11070)] #[ptsz(11070)] #[post(op = 126)] #[does(accesses)] #[soft]
#[touches(addr, 8)]
fn cuStreamWriteValue64_v2(
    stream: CUstream, #[aligned(8)] addr: CUdeviceptr, value: u64, #[one_of(0)] flags: u32,
);
#[since(10010)] #[local] #[soft]
fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode);

// ---- Events ----

#[since(2000)] #[soft] #[is(streams::event::create(Flags) -> phEvent)]
fn cuEventCreate(phEvent: Out<CUevent>, Flags: u32);
#[since(2000)] #[form_of(cuEventDestroy_v2)] #[soft]
fn cuEventDestroy(hEvent: CUevent);
#[since(4000)] #[soft] #[is(streams::event::destroy(hEvent))]
fn cuEventDestroy_v2(hEvent: CUevent);
#[since(2000)] #[soft] #[is(cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd))]
fn cuEventElapsedTime(pMilliseconds: *mut f32, hStart: CUevent, hEnd: CUevent);
#[since(12080)] #[soft] #[is(streams::event::elapsed(hStart, hEnd) -> pMilliseconds)]
fn cuEventElapsedTime_v2(pMilliseconds: Out<f32>, hStart: CUevent, hEnd: CUevent);
#[since(2000)] #[unsafe_in_capture] #[soft] #[is(streams::event::query(hEvent))]
fn cuEventQuery(hEvent: CUevent);
#[since(2000)] #[ptsz(7000)] #[soft] #[is(cuEventRecordWithFlags(hEvent, hStream, 0))]
fn cuEventRecord(hEvent: CUevent, hStream: CUstream);
#[since(11010)] #[ptsz(11010)] #[soft] #[is(streams::event::record(hEvent, hStream, flags))]
fn cuEventRecordWithFlags(hEvent: CUevent, hStream: CUstream, #[one_of(0 | 1)] flags: u32);
#[since(2000)] #[unsafe_in_capture] #[soft] #[is(streams::event::synchronize(hEvent))]
fn cuEventSynchronize(hEvent: CUevent);

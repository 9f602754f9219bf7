//! Parts of a device, green contexts with these parts, and events that cover whole contexts.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::*;

pub const TESTS: &[Test] = &[
    ("green/parts_of_a_device", parts),
    ("green/what_is_no_part", no_part),
    ("green/a_context_of_a_part", context),
    ("green/a_stream_of_it", stream),
    ("green/current", current),
    ("green/refused", refused),
    ("context_event/after_all_streams", after_all),
    ("context_event/holds_up_all_streams", holds_up),
    ("context_event/of_a_green_context", of_green),
    ("context_event/refused", event_refused),
];

const SM: i32 = values::DEV_RESOURCE_TYPE_SM;

fn empty() -> CUdevResource {
    CUdevResource {
        type_: 0,
        own: [0; 23],
        smCount: 0,
        minSmPartitionSize: 0,
        smCoscheduledAlignment: 0,
        rest: [0; 9],
    }
}

fn whole(gpu: &Gpu) -> Result<CUdevResource, Outcome> {
    let mut whole = empty();
    match cu!(gpu.cuDeviceGetDevResource(0, &mut whole, SM)) {
        CUresult::NOT_SUPPORTED => Err(Outcome::Skipped("devices have no parts".into())),
        result => Ok(result.ok().map(|()| whole)?),
    }
}

fn count(gpu: &Gpu, of: &CUdevResource, sm_count_min: u32) -> Result<u32, CUresult> {
    let mut groups = 0;
    let none = std::ptr::null_mut();
    cu!(gpu.cuDevSmResourceSplitByCount(none, &mut groups, of, none, 0, sm_count_min))
        .ok()
        .map(|()| groups)
}

fn parts(gpu: &Gpu) -> Done {
    const MULTIPROCESSORS: i32 = 16;
    let whole = whole(gpu)?;
    same(
        "its type and size",
        (whole.type_, whole.smCount as i32),
        (SM, gpu.attribute(MULTIPROCESSORS)?),
    )?;
    let least = whole.minSmPartitionSize;
    same("the smallest part", least >= 1 && least <= whole.smCount, true)?;
    let groups = count(gpu, &whole, least)?;
    same("some groups", groups >= 1 && groups * least <= whole.smCount, true)?;
    same("the whole as one part", count(gpu, &whole, whole.smCount)?, 1)?;
    let (mut found, mut rest, mut made) = (vec![empty(); groups as usize], empty(), 1);
    cu!(gpu.cuDevSmResourceSplitByCount(
        found.as_mut_ptr(),
        &mut made,
        &whole,
        &mut rest,
        0,
        least
    ))
    .ok()?;
    same("one group, as requested", made, 1)?;
    same("what it has", found[0].smCount >= least, true)?;
    same("nothing is lost", found[0].smCount + rest.smCount, whole.smCount)?;
    made = groups;
    cu!(gpu.cuDevSmResourceSplitByCount(
        found.as_mut_ptr(),
        &mut made,
        &whole,
        &mut rest,
        0,
        least
    ))
    .ok()?;
    let together: u32 = found.iter().map(|part| part.smCount).sum();
    same("as many as counted", made, groups)?;
    let left = if rest.type_ == SM { rest.smCount } else { 0 };
    same("disjoint", together + left, whole.smCount)
}

fn no_part(gpu: &Gpu) -> Done {
    let (whole, mut none) = (whole(gpu)?, empty());
    same(
        "another type",
        cu!(gpu.cuDeviceGetDevResource(0, &mut none, 2)),
        CUresult::INVALID_RESOURCE_TYPE,
    )?;
    same(
        "more than exists",
        count(gpu, &whole, whole.smCount + 1),
        Err(CUresult::INVALID_RESOURCE_CONFIGURATION),
    )?;
    let (mut part, mut groups, null) = (empty(), 0, std::ptr::null_mut());
    let into_none =
        cu!(gpu.cuDevSmResourceSplitByCount(&mut part, &mut groups, &whole, null, 0, 1));
    same("into no groups", into_none, CUresult::INVALID_VALUE)?;
    groups = 1;
    cu!(gpu.cuDevSmResourceSplitByCount(
        &mut part,
        &mut groups,
        &whole,
        null,
        0,
        whole.minSmPartitionSize
    ))
    .ok()?;
    same("a part of a part", count(gpu, &part, 1), Err(CUresult::INVALID_RESOURCE_CONFIGURATION))?;
    let mut nowhere = empty();
    same(
        "no device",
        cu!(gpu.cuDeviceGetDevResource(99, &mut nowhere, SM)),
        CUresult::INVALID_DEVICE,
    )
}

/// Creates a green context with the smallest possible part of the device.
fn create(gpu: &Gpu) -> Result<CUgreenCtx, Outcome> {
    let (whole, mut part, mut groups) = (whole(gpu)?, empty(), 1);
    let null = std::ptr::null_mut();
    cu!(gpu.cuDevSmResourceSplitByCount(
        &mut part,
        &mut groups,
        &whole,
        null,
        0,
        whole.minSmPartitionSize
    ))
    .ok()?;
    let (mut description, mut green) = (CUdevResourceDesc::NULL, CUgreenCtx::NULL);
    cu!(gpu.cuDevResourceGenerateDesc(&mut description, &mut part, 1)).ok()?;
    cu!(gpu.cuGreenCtxCreate(&mut green, description, 0, values::GREEN_CTX_DEFAULT_STREAM)).ok()?;
    Ok(green)
}

fn as_context(gpu: &Gpu, green: CUgreenCtx) -> Result<CUcontext, Outcome> {
    let mut context = CUcontext::NULL;
    cu!(gpu.cuCtxFromGreenCtx(&mut context, green)).ok()?;
    Ok(context)
}

fn context(gpu: &Gpu) -> Done {
    let (whole, green) = (whole(gpu)?, create(gpu)?);
    let context = as_context(gpu, green)?;
    same("a context of its own", context.is_null() || context == gpu.context, false)?;
    let (mut of_green, mut of_context, mut of_primary) = (empty(), empty(), empty());
    cu!(gpu.cuGreenCtxGetDevResource(green, &mut of_green, SM)).ok()?;
    cu!(gpu.cuCtxGetDevResource(context, &mut of_context, SM)).ok()?;
    cu!(gpu.cuCtxGetDevResource(gpu.context, &mut of_primary, SM)).ok()?;
    same("its part", of_green.smCount >= whole.minSmPartitionSize, true)?;
    same("the same as a context", of_context.smCount, of_green.smCount)?;
    same("the primary context's", of_primary.smCount, whole.smCount)?;
    let (mut one, mut other, mut third) = (0, 0, 0);
    cu!(gpu.cuGreenCtxGetId(green, &mut one)).ok()?;
    cu!(gpu.cuCtxGetId(context, &mut other)).ok()?;
    cu!(gpu.cuCtxGetId(gpu.context, &mut third)).ok()?;
    same("one number", (one == other, one == third), (true, false))?;
    Ok(cu!(gpu.cuGreenCtxDestroy(green)).ok()?)
}

fn create_stream(gpu: &Gpu, green: CUgreenCtx) -> Result<CUstream, Outcome> {
    let mut stream = CUstream::NULL;
    cu!(gpu.cuGreenCtxStreamCreate(&mut stream, green, values::STREAM_NON_BLOCKING, 0)).ok()?;
    Ok(stream)
}

fn stream(gpu: &Gpu) -> Done {
    let green = create(gpu)?;
    let (context, stream, memory) =
        (as_context(gpu, green)?, create_stream(gpu, green)?, gpu.alloc(4096)?);
    let (mut found, mut found_green) = (CUcontext::NULL, CUgreenCtx::NULL);
    cu!(gpu.cuStreamGetCtx(stream, &mut found)).ok()?;
    same("its context", found, context)?;
    cu!(gpu.cuStreamGetCtx_v2(stream, &mut found, &mut found_green)).ok()?;
    same("both of its contexts", (found, found_green), (gpu.context, green))?;
    cu!(gpu.cuStreamGetGreenCtx(stream, &mut found_green)).ok()?;
    same("its green context", found_green, green)?;
    cu!(gpu.cuStreamGetGreenCtx(gpu.stream(1)?, &mut found_green)).ok()?;
    same("another stream's", found_green, CUgreenCtx::NULL)?;
    let add = gpu.function(gpu.module()?, "add")?;
    cu!(gpu.cuMemsetD32Async(memory, 5, 1000, stream)).ok()?;
    gpu.launch(add, (4, 256), stream, memory, &[1000, 7]).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("what its kernel made", gpu.read(memory, 1000)?, vec![12; 1000])?;
    let event = gpu.event(0)?;
    cu!(gpu.cuEventRecord(event, stream)).ok()?;
    cu!(gpu.cuEventSynchronize(event)).ok()?;
    cu!(gpu.cuStreamDestroy_v2(stream)).ok()?;
    cu!(gpu.cuGreenCtxDestroy(green)).ok()?;
    same("memory is the primary context's", gpu.read(memory, 2)?, vec![12; 2])
}

fn current(gpu: &Gpu) -> Done {
    let green = create(gpu)?;
    let (context, mut device) = (as_context(gpu, green)?, -1);
    cu!(gpu.cuCtxSetCurrent(context)).ok()?;
    cu!(gpu.cuCtxGetDevice(&mut device)).ok()?;
    same("its device", device, 0)?;
    let (memory, stream) = (gpu.alloc(4096)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let mut found = CUgreenCtx::NULL;
    cu!(gpu.cuStreamGetGreenCtx(stream, &mut found)).ok()?;
    same("a stream that was made meanwhile", found, green)?;
    cu!(gpu.cuMemsetD32Async(memory, 3, 16, stream)).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("what was filled", gpu.read(memory, 16)?, vec![3; 16])?;
    cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
    cu!(gpu.cuStreamDestroy_v2(stream)).ok()?;
    cu!(gpu.cuGreenCtxDestroy(green)).ok()?;
    same("still there", gpu.read(memory, 16)?, vec![3; 16])?;
    Ok(cu!(gpu.cuMemFree_v2(memory)).ok()?)
}

fn refused(gpu: &Gpu) -> Done {
    let (mut whole, mut description, mut green) =
        (whole(gpu)?, CUdevResourceDesc::NULL, CUgreenCtx::NULL);
    cu!(gpu.cuDevResourceGenerateDesc(&mut description, &mut whole, 1)).ok()?;
    same(
        "without a default stream",
        cu!(gpu.cuGreenCtxCreate(&mut green, description, 0, 0)),
        CUresult::INVALID_VALUE,
    )?;
    cu!(gpu.cuGreenCtxCreate(&mut green, description, 0, values::GREEN_CTX_DEFAULT_STREAM)).ok()?;
    let mut found = empty();
    cu!(gpu.cuGreenCtxGetDevResource(green, &mut found, SM)).ok()?;
    same("all of the device", found.smCount, whole.smCount)?;
    let mut stream = CUstream::NULL;
    same(
        "a blocking stream",
        cu!(gpu.cuGreenCtxStreamCreate(&mut stream, green, 0, 0)),
        CUresult::INVALID_VALUE,
    )?;
    let context = as_context(gpu, green)?;
    same("ended as another context", cu!(gpu.cuCtxDestroy_v2(context)), CUresult::INVALID_CONTEXT)?;
    Ok(cu!(gpu.cuGreenCtxDestroy(green)).ok()?)
}

// ---- events of whole contexts ----

fn supported(gpu: &Gpu) -> Result<CUevent, Outcome> {
    let event = gpu.event(values::EVENT_DISABLE_TIMING)?;
    match cu!(gpu.cuCtxRecordEvent(gpu.context, event)) {
        CUresult::NOT_SUPPORTED => Err(Outcome::Skipped("contexts record no events".into())),
        result => Ok(result.ok().map(|()| event)?),
    }
}

/// Returns the address of a new word that holds 0.
fn word(gpu: &Gpu) -> Result<CUdeviceptr, Outcome> {
    let word = gpu.alloc(64)?;
    gpu.write(word, &[0])?;
    Ok(word)
}

/// Makes a stream wait until a word becomes 1.
fn hold(gpu: &Gpu, stream: CUstream, word: CUdeviceptr) -> Done {
    match cu!(gpu.cuStreamWaitValue32_v2(stream, word, 1, 1)) {
        CUresult::NOT_SUPPORTED => Err(Outcome::Skipped("streams do not wait for words".into())),
        result => Ok(result.ok()?),
    }
}

fn release(gpu: &Gpu, stream: CUstream, word: CUdeviceptr) -> Done {
    cu!(gpu.cuStreamWriteValue32_v2(stream, word, 1, 0)).ok()?;
    Ok(cu!(gpu.cuStreamSynchronize(stream)).ok()?)
}

fn after_all(gpu: &Gpu) -> Done {
    let event = supported(gpu)?;
    cu!(gpu.cuEventSynchronize(event)).ok()?;
    let (first, second) = (word(gpu)?, word(gpu)?);
    let stream = || gpu.stream(values::STREAM_NON_BLOCKING);
    let (one, other, aside) = (stream()?, stream()?, stream()?);
    hold(gpu, one, first)?;
    hold(gpu, other, second)?;
    cu!(gpu.cuCtxRecordEvent(gpu.context, event)).ok()?;
    same("while two streams are blocked", cu!(gpu.cuEventQuery(event)), CUresult::NOT_READY)?;
    release(gpu, aside, first)?;
    same("while one stream is blocked", cu!(gpu.cuEventQuery(event)), CUresult::NOT_READY)?;
    release(gpu, aside, second)?;
    cu!(gpu.cuEventSynchronize(event)).ok()?;
    same("then", cu!(gpu.cuEventQuery(event)), CUresult::SUCCESS)
}

fn holds_up(gpu: &Gpu) -> Done {
    let event = supported(gpu)?;
    let (word, memory) = (word(gpu)?, gpu.alloc(64)?);
    gpu.write(memory, &[0; 3])?;
    // A stream of another context, which does not wait.
    let mut elsewhere = CUcontext::NULL;
    cu!(gpu.cuCtxCreate_v2(&mut elsewhere, 0, 0)).ok()?;
    let aside = gpu.stream(values::STREAM_NON_BLOCKING)?;
    cu!(gpu.cuCtxPopCurrent_v2(&mut elsewhere)).ok()?;
    let stream = || gpu.stream(values::STREAM_NON_BLOCKING);
    let (held, one, other) = (stream()?, stream()?, stream()?);
    hold(gpu, held, word)?;
    cu!(gpu.cuEventRecord(event, held)).ok()?;
    cu!(gpu.cuCtxWaitEvent(gpu.context, event)).ok()?;
    for (place, stream) in [one, other, stream()?].into_iter().enumerate() {
        cu!(gpu.cuStreamWriteValue32_v2(stream, memory + 4 * place as u64, 9, 0)).ok()?;
        same("held up", cu!(gpu.cuStreamQuery(stream)), CUresult::NOT_READY)?;
    }
    cu!(gpu.cuCtxPushCurrent_v2(elsewhere)).ok()?;
    release(gpu, aside, word)?;
    cu!(gpu.cuCtxPopCurrent_v2(&mut elsewhere)).ok()?;
    gpu.synchronize().ok()?;
    same("what they wrote", gpu.read(memory, 3)?, vec![9; 3])
}

fn of_green(gpu: &Gpu) -> Done {
    let green = create(gpu)?;
    let (stream, event, memory) = (create_stream(gpu, green)?, gpu.event(0)?, gpu.alloc(1 << 20)?);
    cu!(gpu.cuMemsetD32Async(memory, 4, 1 << 18, stream)).ok()?;
    cu!(gpu.cuGreenCtxRecordEvent(green, event)).ok()?;
    let other = gpu.stream(values::STREAM_NON_BLOCKING)?;
    cu!(gpu.cuStreamWaitEvent(other, event, 0)).ok()?;
    cu!(gpu.cuMemsetD32Async(memory, 6, 1, other)).ok()?;
    cu!(gpu.cuEventRecord(event, other)).ok()?;
    cu!(gpu.cuGreenCtxWaitEvent(green, event)).ok()?;
    cu!(gpu.cuMemsetD32Async(memory + 4, 7, 1, stream)).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("in this order", gpu.read(memory, 3)?, vec![6, 7, 4])?;
    cu!(gpu.cuStreamDestroy_v2(stream)).ok()?;
    Ok(cu!(gpu.cuGreenCtxDestroy(green)).ok()?)
}

fn event_refused(gpu: &Gpu) -> Done {
    let event = supported(gpu)?;
    same(
        "no context",
        cu!(gpu.cuCtxRecordEvent(CUcontext::NULL, event)),
        CUresult::INVALID_CONTEXT,
    )?;
    same("nor a wait", cu!(gpu.cuCtxWaitEvent(CUcontext::NULL, event)), CUresult::INVALID_CONTEXT)?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    gpu.begin_capture(stream)?;
    let recorded = cu!(gpu.cuCtxRecordEvent(gpu.context, event));
    same("while a stream captures", recorded, CUresult::STREAM_CAPTURE_UNSUPPORTED)?;
    match gpu.end_capture(stream) {
        Err(Outcome::Failed(why)) if why.contains("INVALIDATED") => Ok(()),
        Err(Outcome::Failed(why)) => fail(why),
        _ => fail("the capture continues"),
    }
}

//! Device partitions, green contexts with one partition each, and events of whole contexts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use outhaul_abi::types::values::{DEV_RESOURCE_TYPE_SM, GREEN_CTX_DEFAULT_STREAM};
use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, put_if, take, take_all};
use crate::driver::green::MultiprocessorRange;
use crate::driver::lock;
use crate::driver::objects::memory::overhead::{Owner, STREAM_BYTES};
use crate::driver::objects::streams::capture;
use crate::driver::objects::streams::context::ContextSlot;
use crate::driver::objects::streams::stream::{NON_BLOCKING, Stream};
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

/// The attribute `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`.
const MULTIPROCESSOR_COUNT: i32 = 16;
/// Difference between the handles of a green context as `CUgreenCtx` and as `CUcontext`.
const GREEN: usize = 8;
/// Factor between a description's position in `descriptions` and its handle. The handle has the
/// form of a pointer, but is not valid as one.
const DESCRIPTION: usize = 16;
const DESCRIPTIONS_MAX: usize = 65_536;
/// The flags `CU_DEV_SM_RESOURCE_SPLIT_*`, which have no effect here.
const SPLIT_FLAGS_KNOWN: u32 = 3;

fn whole(device: i32) -> Result<MultiprocessorRange> {
    let device = driver()?.device(device)?;
    let count = device.attribute(MULTIPROCESSOR_COUNT).unwrap_or(1).max(1).cast_unsigned();
    Ok(MultiprocessorRange { device: device.ordinal, first: 0, count, split: 0 })
}

fn check_kind(kind: CUdevResourceType) -> Result<()> {
    if kind == DEV_RESOURCE_TYPE_SM { Ok(()) } else { Err(Error::InvalidResourceType) }
}

pub unsafe fn cuDeviceGetDevResource(
    device: CUdevice,
    resource: *mut CUdevResource,
    type_: CUdevResourceType,
) -> Result<()> {
    let part = whole(device)?;
    check_kind(type_)?;
    put(resource, part.described())
}

fn put_part_of(
    slot: &ContextSlot,
    resource: *mut CUdevResource,
    kind: CUdevResourceType,
) -> Result<()> {
    check_kind(kind)?;
    let part = slot.green.as_ref().map_or_else(|| whole(slot.device), |green| Ok(green.part))?;
    put(resource, part.described())
}

pub unsafe fn cuCtxGetDevResource(
    hCtx: CUcontext,
    resource: *mut CUdevResource,
    type_: CUdevResourceType,
) -> Result<()> {
    put_part_of(&*driver()?.slot(hCtx.0 as u64)?, resource, type_)
}

pub unsafe fn cuGreenCtxGetDevResource(
    hCtx: CUgreenCtx,
    resource: *mut CUdevResource,
    type_: CUdevResourceType,
) -> Result<()> {
    put_part_of(&*find(hCtx)?, resource, type_)
}

pub unsafe fn cuDevSmResourceSplitByCount(
    result: *mut CUdevResource,
    nbGroups: *mut u32,
    input: *const CUdevResource,
    remaining: *mut CUdevResource,
    useFlags: u32,
    minCount: u32,
) -> Result<()> {
    static LAST_SPLIT: AtomicU32 = AtomicU32::new(0);
    driver()?;
    let (wanted, part) = (take(nbGroups.cast_const())?, MultiprocessorRange::read(&take(input)?)?);
    if useFlags & !SPLIT_FLAGS_KNOWN != 0 || !result.is_null() && wanted == 0 {
        return Err(Error::InvalidValue);
    }
    let wanted = if result.is_null() { u32::MAX } else { wanted };
    let (parts, rest) =
        part.split(minCount, wanted, LAST_SPLIT.fetch_add(1, Ordering::Relaxed) + 1)?;
    for (place, part) in parts.iter().enumerate().filter(|_| !result.is_null()) {
        // SAFETY: checked for null; the program guarantees that `result` is valid for writes of the
        // requested parts.
        unsafe { result.add(place).write_unaligned(part.described()) };
    }
    put_if(remaining, rest.described());
    put(nbGroups, parts.len() as u32)
}

pub unsafe fn cuDevResourceGenerateDesc(
    phDesc: *mut CUdevResourceDesc,
    resources: *mut CUdevResource,
    nbResources: u32,
) -> Result<()> {
    let driver = driver()?;
    if phDesc.is_null() || nbResources == 0 {
        return Err(Error::InvalidValue);
    }
    let parts = take_all(resources.cast_const(), nbResources as usize)?
        .iter()
        .map(MultiprocessorRange::read)
        .collect::<Result<Vec<_>>>()?;
    let joined = if let [one] = parts[..] {
        MultiprocessorRange { split: 0, ..one }
    } else {
        MultiprocessorRange::joined(&parts)?
    };
    let mut descriptions = lock(&driver.descriptions);
    if descriptions.len() >= DESCRIPTIONS_MAX {
        return Err(Error::OutOfMemory);
    }
    descriptions.push(joined);
    put(phDesc, CUdevResourceDesc(descriptions.len() * DESCRIPTION))
}

// ---- green contexts ----

fn find(green: CUgreenCtx) -> Result<Arc<ContextSlot>> {
    let slot = driver()?.contexts.get((green.0 ^ GREEN) as u64).filter(|slot| slot.green.is_some());
    slot.ok_or(Error::InvalidContext)
}

fn green_of(handle: u64) -> CUgreenCtx {
    if handle == 0 { CUgreenCtx::NULL } else { CUgreenCtx(handle as usize | GREEN) }
}

pub unsafe fn cuGreenCtxCreate(
    phCtx: *mut CUgreenCtx,
    desc: CUdevResourceDesc,
    dev: CUdevice,
    flags: u32,
) -> Result<()> {
    let driver = driver()?;
    let primary = driver.primary(dev)?;
    let place = (desc.0 / DESCRIPTION).checked_sub(1).ok_or(Error::InvalidValue)?;
    let part = lock(&driver.descriptions)
        .get(place)
        .copied()
        .filter(|part| part.device == dev)
        .ok_or(Error::InvalidValue)?;
    if phCtx.is_null() || flags != GREEN_CTX_DEFAULT_STREAM {
        return Err(Error::InvalidValue);
    }
    primary.retain();
    let slot =
        driver.contexts.try_insert_with(|handle| ContextSlot::green(handle, &primary, part))?;
    put(phCtx, green_of(slot.handle))
}

pub unsafe fn cuGreenCtxDestroy(hCtx: CUgreenCtx) -> Result<()> {
    let (driver, slot) = (driver()?, find(hCtx)?);
    for stream in driver.streams.drain_matching(|stream| stream.green == slot.handle) {
        driver.overheads.give_back(Owner::Stream(stream.handle));
        stream.close();
    }
    driver.contexts.remove(slot.handle);
    drop(slot.end());
    // SAFETY: takes no pointers.
    unsafe { crate::driver::api::context::cuDevicePrimaryCtxRelease_v2(slot.device) }
}

pub unsafe fn cuCtxFromGreenCtx(pContext: *mut CUcontext, hCtx: CUgreenCtx) -> Result<()> {
    put(pContext, CUcontext(find(hCtx)?.handle as usize))
}

pub unsafe fn cuGreenCtxGetId(greenCtx: CUgreenCtx, greenCtxId: *mut u64) -> Result<()> {
    put(greenCtxId, find(greenCtx)?.id()?)
}

pub unsafe fn cuGreenCtxStreamCreate(
    phStream: *mut CUstream,
    greenCtx: CUgreenCtx,
    flags: u32,
    priority: i32,
) -> Result<()> {
    let slot = find(greenCtx)?;
    if phStream.is_null() || flags != NON_BLOCKING {
        return Err(Error::InvalidValue);
    }
    put(phStream, create_stream(&slot, flags, priority)?)
}

/// Number of streams at which creating another one waits for all work. An H100 waited at one of
/// forty streams.
const NVIDIAS_STREAMS_AT_ONCE: usize = 32;

/// Creates a stream in a context, green or not.
pub(super) fn create_stream(slot: &ContextSlot, flags: u32, priority: i32) -> Result<CUstream> {
    let (driver, context) = (driver()?, slot.context()?);
    context.check()?;
    if context.stream_count() >= NVIDIAS_STREAMS_AT_ONCE {
        context.empty_as_nvidias();
    }
    let green = if slot.green.is_some() { slot.handle } else { 0 };
    let stream = driver.streams.insert_with(|handle| {
        Stream::created(Arc::downgrade(&context), handle, flags, priority).of_green(green)
    });
    let owner = Owner::Stream(stream.handle);
    driver.take_overhead(owner, &context, STREAM_BYTES).inspect_err(|_| {
        driver.streams.remove(stream.handle);
    })?;
    context.adopt(&stream);
    Ok(CUstream(stream.handle as usize))
}

/// Returns a stream's green context, or 0. A default stream has the current context's.
fn green_of_stream(stream: CUstream) -> Result<u64> {
    let (driver, found) = (driver()?, driver()?.stream(stream.0 as u64)?);
    if found.handle != 0 {
        return Ok(found.green);
    }
    let slot = driver.slot(0)?;
    Ok(if slot.green.is_some() { slot.handle } else { 0 })
}

pub unsafe fn cuStreamGetGreenCtx(hStream: CUstream, phCtx: *mut CUgreenCtx) -> Result<()> {
    put(phCtx, green_of(green_of_stream(hStream)?))
}

pub unsafe fn cuStreamGetCtx(hStream: CUstream, pctx: *mut CUcontext) -> Result<()> {
    let handle = match green_of_stream(hStream)? {
        0 => driver()?.stream(hStream.0 as u64)?.context()?.handle,
        green => green,
    };
    put(pctx, CUcontext(handle as usize))
}

pub unsafe fn cuStreamGetCtx_v2(
    hStream: CUstream,
    pctx: *mut CUcontext,
    pGreenCtx: *mut CUgreenCtx,
) -> Result<()> {
    put_if(pGreenCtx, green_of(green_of_stream(hStream)?));
    put(pctx, CUcontext(driver()?.stream(hStream.0 as u64)?.context()?.handle as usize))
}

// ---- events of whole contexts ----

fn record(slot: &ContextSlot, event: CUevent) -> Result<()> {
    let (context, event) =
        (slot.context()?, driver()?.events.get(event.0 as u64).ok_or(Error::InvalidHandle)?);
    capture::refuse_in(context.handle)?;
    context.check()?;
    event.record_all_of(&context)
}

fn wait(slot: &ContextSlot, event: CUevent) -> Result<()> {
    let (context, event) =
        (slot.context()?, driver()?.events.get(event.0 as u64).ok_or(Error::InvalidHandle)?);
    capture::refuse_in(context.handle)?;
    context.check()?;
    event.hold_up(&context)
}

fn named(context: CUcontext) -> Result<Arc<ContextSlot>> {
    if context.is_null() { Err(Error::InvalidContext) } else { driver()?.slot(context.0 as u64) }
}

pub unsafe fn cuCtxRecordEvent(hCtx: CUcontext, hEvent: CUevent) -> Result<()> {
    record(&*named(hCtx)?, hEvent)
}

pub unsafe fn cuCtxWaitEvent(hCtx: CUcontext, hEvent: CUevent) -> Result<()> {
    wait(&*named(hCtx)?, hEvent)
}

pub unsafe fn cuGreenCtxRecordEvent(hCtx: CUgreenCtx, hEvent: CUevent) -> Result<()> {
    record(&*find(hCtx)?, hEvent)
}

pub unsafe fn cuGreenCtxWaitEvent(hCtx: CUgreenCtx, hEvent: CUevent) -> Result<()> {
    wait(&*find(hCtx)?, hEvent)
}

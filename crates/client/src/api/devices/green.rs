//! Device resources, which are parts of a device, and green contexts, which use such parts. The
//! worker keeps the driver's description of a part. The program's struct contains the description's
//! number, in the field reserved for the driver. For client and worker a green context is a context
//! like others. CUgreenCtx is another form of its handle.

use crate::api::arguments::{CudaResult, put};
use crate::api::streams::event;
use crate::driver::contexts;
use crate::driver::managed::sync_around_work;
use crate::driver::state::{Driver, driver};
use crate::driver::streams;
use crate::driver::streams::context_of;
use crate::objects::context::{Context, Kinship};
use crate::objects::context_stack;
use crate::session::Target;
use crate::session::outbox::Payload;
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::limits::RESOURCES_MAX;
use outhaul_wire::messages::*;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Marker in the struct's driver field, before the number.
const OURS: u32 = u32::from_le_bytes(*b"outh");
/// Bit that marks a CUgreenCtx. No other handle has this bit set.
const GREEN: usize = 8;
/// Factor that turns a description's number into a value that looks like a pointer.
const DESCRIPTION: usize = 16;

fn shown(found: &Resource) -> CUdevResource {
    let mut own = [0; 23];
    [own[0], own[1]] = [OURS, found.number];
    CUdevResource {
        type_: found.kind,
        own,
        smCount: found.sm_count,
        minSmPartitionSize: found.sm_partition_min,
        smCoscheduledAlignment: found.sm_alignment,
        rest: [0; 9],
    }
}

fn number(resource: &CUdevResource) -> Result<u32, CUresult> {
    if resource.type_ != values::DEV_RESOURCE_TYPE_SM || resource.own[0] != OURS {
        return Err(CUresult::INVALID_RESOURCE_TYPE);
    }
    Ok(resource.own[1])
}

/// Writes a resource of a device, or of one of its contexts if `context` is not 0.
///
/// # Safety
/// `out` is null or valid for writes.
pub unsafe fn resource(
    device: CUdevice,
    context: u64,
    out: *mut CUdevResource,
    kind: CUdevResourceType,
) -> CudaResult {
    let facts = driver()?.facts.device(device)?;
    if out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let message = ResourceGet { device: facts.node_ordinal, context, kind };
    let found = context_stack::target_in(facts.session)
        .call(&message)?
        .read(|reply| reply.found.0.first().map(shown).ok_or(CUresult::UNKNOWN))?;
    // SAFETY: checked for null; the caller guarantees that `out` is valid for writes.
    unsafe { put(out, found) }
}

/// Writes a resource of a context.
///
/// # Safety
/// `out` is null or valid for writes.
pub unsafe fn resource_of(
    context: Arc<Context>,
    out: *mut CUdevResource,
    kind: CUdevResourceType,
) -> CudaResult {
    // SAFETY: the caller upholds this function's contract.
    unsafe { resource(context.device, context.handle, out, kind) }
}

pub unsafe fn cuDevSmResourceSplitByCount(
    out: *mut CUdevResource,
    count: *mut u32,
    input: *const CUdevResource,
    remaining: *mut CUdevResource,
    flags: u32,
    sm_count_min: u32,
) -> CudaResult {
    driver()?;
    // SAFETY: the program guarantees that `count` is null or valid for reads and writes, and
    // `input` null or valid for reads.
    let (Some(count), Some(input)) = (unsafe { count.as_mut() }, unsafe { input.as_ref() }) else {
        return Err(CUresult::INVALID_VALUE);
    };
    let only_count = out.is_null();
    if !only_count && (*count == 0 || *count as usize > RESOURCES_MAX) {
        return Err(CUresult::INVALID_VALUE);
    }
    let wants_rest = !remaining.is_null();
    let message = ResourceSplit {
        resource: number(input)?,
        groups: *count,
        only_count,
        remaining: wants_rest,
        flags,
        sm_count_min,
    };
    let (groups, found, rest) = contexts::target_or_none()?.call(&message)?.read(|reply| {
        Ok((
            reply.groups,
            reply.found.0.iter().map(shown).collect::<Vec<_>>(),
            reply.remaining.0.first().map(shown),
        ))
    })?;
    if found.len() > *count as usize && !only_count {
        return Err(CUresult::UNKNOWN);
    }
    for (place, resource) in found.into_iter().enumerate().filter(|_| !only_count) {
        // SAFETY: checked for null; the program guarantees that `out` is valid for writes of
        // `count` structs, and `found` has no more.
        unsafe { out.add(place).write(resource) };
    }
    *count = groups;
    if let Some(rest) = rest.filter(|_| wants_rest) {
        // SAFETY: checked for null; the program guarantees that `remaining` is valid for writes.
        unsafe { remaining.write(rest) };
    }
    Ok(())
}

pub unsafe fn cuDevResourceGenerateDesc(
    out: *mut CUdevResourceDesc,
    resources: *mut CUdevResource,
    count: u32,
) -> CudaResult {
    driver()?;
    if out.is_null() || resources.is_null() || count == 0 || count as usize > RESOURCES_MAX {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: checked for null; the program guarantees that `resources` is valid for reads of
    // `count` structs.
    let resources = unsafe { std::slice::from_raw_parts(resources.cast_const(), count as usize) };
    let resources = List(resources.iter().map(number).collect::<Result<_, _>>()?);
    let made = contexts::target_or_none()?
        .call(&ResourceDescribe { resources })?
        .read(|reply| Ok(reply.number))?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, CUdevResourceDesc((made as usize + 1) * DESCRIPTION)) }
}

// ---- green contexts ----

/// Returns the green context of a handle.
pub fn find(handle: CUgreenCtx) -> Result<Arc<Context>, CUresult> {
    let found = driver()?.contexts.get((handle.0 ^ GREEN) as u64);
    found
        .filter(|context| context.is_green && !context.destroyed.load(Relaxed))
        .ok_or(CUresult::INVALID_CONTEXT)
}

fn green(context: &Context) -> CUgreenCtx {
    if context.is_green { CUgreenCtx(context.handle as usize | GREEN) } else { CUgreenCtx::NULL }
}

/// Creates a green context. The green context retains the device's primary context.
pub unsafe fn cuGreenCtxCreate(
    out: *mut CUgreenCtx,
    description: CUdevResourceDesc,
    device: CUdevice,
    flags: u32,
) -> CudaResult {
    let driver = driver()?;
    let on_node = driver.facts.on_node(device)?;
    let is_ours = description.0 >= DESCRIPTION && description.0.is_multiple_of(DESCRIPTION);
    if out.is_null() || !is_ours || flags != values::GREEN_CTX_DEFAULT_STREAM {
        return Err(CUresult::INVALID_VALUE);
    }
    let description =
        u32::try_from(description.0 / DESCRIPTION - 1).map_err(|_| CUresult::INVALID_VALUE)?;
    super::contexts::retain(device)?;
    let made = make(driver, device, |context| GreenContextCreate {
        context,
        device: on_node,
        description,
        flags,
    });
    let context = made.inspect_err(|_| {
        let _ = super::contexts::release(device);
    })?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, green(&context)) }
}

fn make(
    driver: &Driver,
    device: CUdevice,
    message: impl FnOnce(u64) -> GreenContextCreate,
) -> Result<Arc<Context>, CUresult> {
    let context = driver.new_context(device, Kinship::Green, 0)?;
    let status = Target { context: 0, ..context.target() }.call(&message(context.handle))?.status;
    status.ok().inspect_err(|_| {
        driver.contexts.remove(context.handle);
    })?;
    Ok(context)
}

/// Destroys a green context, and releases the primary context that the green context retained.
pub fn destroy(context: Arc<Context>) -> CudaResult {
    let driver = driver()?;
    context.destroyed.store(true, Relaxed);
    let result = super::contexts::take_down(driver, &context);
    driver.contexts.remove(context.handle);
    result.and(super::contexts::release(context.device))
}

pub unsafe fn cuCtxFromGreenCtx(out: *mut CUcontext, handle: CUgreenCtx) -> CudaResult {
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put(out, find(handle)?.abi()) }
}

pub unsafe fn cuGreenCtxGetId(handle: CUgreenCtx, out: *mut u64) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(out, find(handle)?.id) }
}

pub unsafe fn cuGreenCtxStreamCreate(
    out: *mut CUstream,
    handle: CUgreenCtx,
    flags: u32,
    priority: i32,
) -> CudaResult {
    let context = find(handle)?;
    if out.is_null() || flags != values::STREAM_NON_BLOCKING {
        return Err(CUresult::INVALID_VALUE);
    }
    let stream = streams::create(driver()?, &context, flags, priority)?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, CUstream(stream.handle as usize)) }
}

pub unsafe fn cuStreamGetGreenCtx(handle: CUstream, out: *mut CUgreenCtx) -> CudaResult {
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put(out, green(&*context_of(handle)?)) }
}

pub unsafe fn cuStreamGetCtx_v2(
    handle: CUstream,
    out: *mut CUcontext,
    green_out: *mut CUgreenCtx,
) -> CudaResult {
    let context = context_of(handle)?;
    let around = if context.is_green { driver()?.primary(context.device) } else { context.clone() };
    // SAFETY: the program's out-pointers for handles.
    unsafe {
        put(out, around.abi())?;
        if green_out.is_null() { Ok(()) } else { put(green_out, green(&context)) }
    }
}

// ---- events of whole contexts ----

/// Records an event that covers all work submitted to a context.
pub fn record(context: Arc<Context>, event: CUevent) -> CudaResult {
    let event = event::resolve(event)?;
    let message = ContextRecordEvent { context: context.handle, event: event.handle };
    sync_around_work::before_mark();
    // The event is remembered for the legacy stream, because that stream's work is included.
    event.remember_record(&context.legacy, || {
        let sequence = context.target().post_payload(&message, Payload::None)?;
        context.legacy.note_posted_as(sequence);
        Ok(sequence)
    })?;
    event::barrier_if_interprocess(&event)
}

/// Makes all later work in a context wait for an event.
pub fn wait(context: Arc<Context>, event: CUevent) -> CudaResult {
    let event = event::resolve(event)?;
    sync_around_work::before_mark();
    context.target().post(&ContextWaitEvent { context: context.handle, event: event.handle })?;
    context.legacy.note_posted();
    context.session.note_joined();
    event::barrier_if_interprocess(&event)
}

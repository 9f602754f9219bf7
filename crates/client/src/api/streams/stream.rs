//! Streams. Creating a stream and waiting for an event in a stream are posts. If a stream has no
//! outstanding work, the client itself answers a wait for it.

use crate::api::arguments::{CudaResult, put};
use crate::base::epoch;
use crate::driver::managed::sync_after_wait;
use crate::driver::memory::free;
use crate::driver::state::driver;
use crate::driver::streams;
use crate::driver::streams::{context_of, resolve};
use crate::managed::page_owner::Waited;
use crate::objects::context_stack;
use crate::objects::memory::pool::Passed;
use outhaul_abi::types::*;
use outhaul_wire::messages::{StreamQuery, StreamSynchronize};

/// Creates a stream in the current context.
pub fn create(flags: u32, priority: i32) -> Result<CUstream, CUresult> {
    if flags & !values::STREAM_NON_BLOCKING != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let stream = streams::create(driver()?, &context_stack::current()?, flags, priority)?;
    Ok(CUstream(stream.handle as usize))
}

/// Destroys a stream. The stream's work continues.
pub fn destroy(handle: CUstream) -> CudaResult {
    streams::end(driver()?, handle.0 as u64)
}

/// Waits for a stream's work.
pub fn synchronize(handle: CUstream) -> CudaResult {
    let driver = driver()?;
    let stream = resolve(handle)?;
    let session = stream.target.session;
    if stream.is_idle() && !driver.captures.any() {
        return session.deferred.check();
    }
    let started = epoch::now();
    let ending = stream.ending_copy(&session.outbox).filter(|_| !driver.captures.any());
    let position = match ending {
        Some((copy, position)) => {
            session.outbox.flush();
            copy.wait().ok()?;
            session.deferred.check()?;
            position
        }
        None => {
            let position = stream.position();
            let ask = || {
                stream
                    .target
                    .call(&StreamSynchronize { stream: stream.handle })
                    .map(|answer| answer.status)
            };
            sync_after_wait::wait(stream.target, Waited::Stream(&stream, position), false, ask)?
                .ok()?;
            stream.note_completed(position);
            free::release_pooled(driver, Passed::Stream(stream.key()), started);
            return Ok(());
        }
    };
    sync_after_wait::after_wait_for(&stream, position)?;
    free::release_pooled(driver, Passed::Stream(stream.key()), started);
    Ok(())
}

/// Succeeds if a stream's work is complete, otherwise fails with `NOT_READY`.
pub fn query(handle: CUstream) -> CudaResult {
    let driver = driver()?;
    let stream = resolve(handle)?;
    let session = stream.target.session;
    if stream.is_idle() && !driver.captures.any() {
        return session.deferred.check();
    }
    let position = stream.position();
    stream.target.call(&StreamQuery { stream: stream.handle })?.ok()?;
    sync_after_wait::after_wait_for(&stream, position)
}

pub unsafe fn cuStreamGetPriority(handle: CUstream, priority: *mut i32) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(priority, resolve(handle)?.priority) }
}

pub unsafe fn cuStreamGetFlags(handle: CUstream, flags: *mut u32) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(flags, resolve(handle)?.flags) }
}

pub unsafe fn cuStreamGetId(handle: CUstream, id: *mut u64) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(id, resolve(handle)?.id) }
}

pub unsafe fn cuStreamGetCtx(handle: CUstream, out: *mut CUcontext) -> CudaResult {
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put(out, context_of(handle)?.abi()) }
}

pub unsafe fn cuStreamGetDevice(handle: CUstream, device: *mut CUdevice) -> CudaResult {
    // SAFETY: the program's out-pointer for an ordinal.
    unsafe { put(device, context_of(handle)?.device) }
}

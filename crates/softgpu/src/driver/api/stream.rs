//! Stream functions of the driver API.

use std::ffi::c_void;
use std::sync::Arc;

use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, take};
use crate::driver::api::green::create_stream;
use crate::driver::objects::graphs::host_call::HostCall;
use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::memory::overhead::Owner;
use crate::driver::objects::streams::stream::{Length, NON_BLOCKING, Returns, Stream};
use crate::driver::state::driver;
use crate::driver::streams::output;
use crate::driver::system::error::{Error, Result};
use crate::driver::system::host_function;

/// The attribute `CU_LAUNCH_ATTRIBUTE_PRIORITY`, the only stream attribute with a value to report.
const ATTRIBUTE_PRIORITY: i32 = 8;

/// The flag `CU_EVENT_WAIT_EXTERNAL`.
const WAIT_EXTERNAL: u32 = 1;

fn find(stream: CUstream) -> Result<Arc<Stream>> {
    driver()?.stream(stream.0 as u64)
}

pub unsafe fn cuStreamCreateWithPriority(
    phStream: *mut CUstream,
    flags: u32,
    priority: i32,
) -> Result<()> {
    let slot = driver()?.slot(0)?;
    if phStream.is_null() || flags & !NON_BLOCKING != 0 {
        return Err(Error::InvalidValue);
    }
    put(phStream, create_stream(&slot, flags, priority)?)
}

pub unsafe fn cuStreamCreate(phStream: *mut CUstream, flags: u32) -> Result<()> {
    // SAFETY: the caller upholds the contract about phStream.
    unsafe { cuStreamCreateWithPriority(phStream, flags, 0) }
}

/// Destroys a stream without waiting for its queued work, which still runs.
pub unsafe fn cuStreamDestroy_v2(hStream: CUstream) -> Result<()> {
    let driver = driver()?;
    let stream = driver.streams.remove(hStream.0 as u64).ok_or(Error::InvalidHandle)?;
    driver.overheads.give_back(Owner::Stream(stream.handle));
    stream.close();
    Ok(())
}

pub unsafe fn cuStreamSynchronize(hStream: CUstream) -> Result<()> {
    let outcome = find(hStream)?.synchronize();
    output::flush();
    outcome
}

pub unsafe fn cuStreamQuery(hStream: CUstream) -> Result<()> {
    find(hStream)?.query()
}

pub unsafe fn cuStreamWaitEvent(hStream: CUstream, hEvent: CUevent, flags: u32) -> Result<()> {
    let stream = find(hStream)?;
    let event = driver()?.events.get(hEvent.0 as u64).ok_or(Error::InvalidHandle)?;
    if flags & !WAIT_EXTERNAL != 0 {
        return Err(Error::InvalidValue);
    }
    stream.wait_event(&event, flags & WAIT_EXTERNAL != 0)
}

pub unsafe fn cuStreamGetPriority(hStream: CUstream, priority: *mut i32) -> Result<()> {
    put(priority, find(hStream)?.priority)
}

pub unsafe fn cuStreamGetFlags(hStream: CUstream, flags: *mut u32) -> Result<()> {
    put(flags, find(hStream)?.flags)
}

pub unsafe fn cuStreamGetId(hStream: CUstream, streamId: *mut u64) -> Result<()> {
    put(streamId, find(hStream)?.id)
}

pub unsafe fn cuStreamGetDevice(hStream: CUstream, device: *mut CUdevice) -> Result<()> {
    put(device, find(hStream)?.context()?.device)
}

pub unsafe fn cuStreamGetAttribute(
    hStream: CUstream,
    attr: CUstreamAttrID,
    value_out: *mut CUstreamAttrValue,
) -> Result<()> {
    let stream = find(hStream)?;
    let mut value = [0_u64; 8];
    if attr == ATTRIBUTE_PRIORITY {
        value[0] = u64::from(stream.priority.cast_unsigned());
    }
    put(value_out, CUstreamAttrValue { value })
}

/// Ignores stream attributes, which are hints about caches and synchronisation.
pub unsafe fn cuStreamSetAttribute(
    hStream: CUstream,
    _attr: CUstreamAttrID,
    value: *const CUstreamAttrValue,
) -> Result<()> {
    find(hStream)?;
    take(value).map(drop)
}

pub unsafe fn cuStreamCopyAttributes(dst: CUstream, src: CUstream) -> Result<()> {
    find(dst)?;
    find(src).map(drop)
}

pub unsafe fn cuStreamAddCallback(
    hStream: CUstream,
    callback: CUstreamCallback,
    userData: *mut c_void,
    flags: u32,
) -> Result<()> {
    let stream = find(hStream)?;
    let callback = callback.ok_or(Error::InvalidValue)?;
    if flags != 0 {
        return Err(Error::InvalidValue);
    }
    let (context, data) = (stream.context()?, userData.expose_provenance());
    stream.submit_always(Length::Long, move || {
        let status =
            context.check().err().map_or(CUresult::SUCCESS, |fault| CUresult(fault.code()));
        // SAFETY: the program guarantees that the callback accepts its own data.
        host_function::in_host_function(|| unsafe {
            callback(hStream, status, std::ptr::with_exposed_provenance_mut(data))
        });
    })?;
    Ok(())
}

pub unsafe fn cuLaunchHostFunc(
    hStream: CUstream,
    fn_: CUhostFn,
    userData: *mut c_void,
) -> Result<()> {
    let stream = find(hStream)?;
    let call = HostCall {
        function: fn_.ok_or(Error::InvalidValue)?,
        data: userData.expose_provenance() as u64,
    };
    stream.submit(Task::Host(call), Returns::AtOnce(Length::Long))
}

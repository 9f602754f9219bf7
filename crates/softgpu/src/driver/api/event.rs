//! Event functions of the driver API.

use std::sync::Arc;

use outhaul_abi::types::*;

use crate::driver::api::arguments::put;
use crate::driver::objects::streams::event::Event;
use crate::driver::state::driver;
use crate::driver::streams::output;
use crate::driver::system::error::{Error, Result};

/// The flag `CU_EVENT_RECORD_EXTERNAL`.
const RECORD_EXTERNAL: u32 = 1;

fn find(event: CUevent) -> Result<Arc<Event>> {
    let event = driver()?.events.get(event.0 as u64).ok_or(Error::InvalidHandle)?;
    event.context()?;
    Ok(event)
}

pub unsafe fn cuEventCreate(phEvent: *mut CUevent, flags: u32) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    if phEvent.is_null() {
        return Err(Error::InvalidValue);
    }
    put(phEvent, CUevent(driver.events.insert(Event::new(&context, flags)?) as usize))
}

pub unsafe fn cuEventDestroy_v2(hEvent: CUevent) -> Result<()> {
    let event = driver()?.events.remove(hEvent.0 as u64).ok_or(Error::InvalidHandle)?;
    event.context().map(drop)
}

fn record(event: CUevent, stream: CUstream, external: bool) -> Result<()> {
    let (event, stream) = (find(event)?, driver()?.stream(stream.0 as u64)?);
    if !Arc::ptr_eq(&stream.context()?, &event.context()?) {
        return Err(Error::InvalidHandle);
    }
    event.record(&stream, external)
}

pub unsafe fn cuEventRecord(hEvent: CUevent, hStream: CUstream) -> Result<()> {
    record(hEvent, hStream, false)
}

pub unsafe fn cuEventRecordWithFlags(hEvent: CUevent, hStream: CUstream, flags: u32) -> Result<()> {
    if flags & !RECORD_EXTERNAL != 0 {
        return Err(Error::InvalidValue);
    }
    record(hEvent, hStream, flags & RECORD_EXTERNAL != 0)
}

/// Fails with the fault that ended the work before the event, if any.
fn check_context(event: &Event) -> Result<()> {
    event.context()?.check()
}

pub unsafe fn cuEventQuery(hEvent: CUevent) -> Result<()> {
    let event = find(hEvent)?;
    check_context(&event)?;
    event.query()
}

pub unsafe fn cuEventSynchronize(hEvent: CUevent) -> Result<()> {
    let event = find(hEvent)?;
    event.synchronize()?;
    output::flush();
    check_context(&event)
}

pub unsafe fn cuEventElapsedTime_v2(
    pMilliseconds: *mut f32,
    hStart: CUevent,
    hEnd: CUevent,
) -> Result<()> {
    let (start, end) = (find(hStart)?, find(hEnd)?);
    put(pMilliseconds, start.elapsed_ms(&end)?)
}

pub unsafe fn cuEventElapsedTime(
    pMilliseconds: *mut f32,
    hStart: CUevent,
    hEnd: CUevent,
) -> Result<()> {
    // SAFETY: the caller upholds the contract about pMilliseconds.
    unsafe { cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd) }
}

pub unsafe fn cuIpcGetEventHandle(pHandle: *mut CUipcEventHandle, event: CUevent) -> Result<()> {
    put(pHandle, CUipcEventHandle { reserved: find(event)?.handle()? })
}

pub unsafe fn cuIpcOpenEventHandle(phEvent: *mut CUevent, handle: CUipcEventHandle) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    if phEvent.is_null() {
        return Err(Error::InvalidValue);
    }
    put(phEvent, CUevent(driver.events.insert(Event::open(&context, &handle.reserved)?) as usize))
}

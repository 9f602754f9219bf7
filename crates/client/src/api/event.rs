//! Events.

use super::{Done, put};
use crate::context;
use crate::crossing;
use crate::driver::driver;
use crate::graph::capturing;
use crate::marshal;
use crate::mirror;
use crate::outbox::Payload;
use crate::session::{ask, barrier, post};
use crate::stream::{self, Event};
use outhaul_abi::types::*;
use outhaul_wire::messages::{EventCreate, EventDestroy, EventQuery, EventRecord, EventSynchronize, StreamWaitEvent};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

const FLAGS_KNOWN: u32 = values::EVENT_BLOCKING_SYNC | values::EVENT_DISABLE_TIMING | values::EVENT_INTERPROCESS;

pub(super) fn resolve(handle: CUevent) -> Result<Arc<Event>, CUresult> {
    let event = driver()?.events.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    marshal::object(event.handle).map_err(|_| CUresult::INVALID_HANDLE)?;
    Ok(event)
}

pub unsafe fn cuEventCreate(out: *mut CUevent, flags: u32) -> Done {
    if out.is_null() || flags & !FLAGS_KNOWN != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let interprocess = flags & values::EVENT_INTERPROCESS != 0;
    if interprocess && flags & values::EVENT_DISABLE_TIMING == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let driver = driver()?;
    let place = context::place()?;
    let event = driver.events.insert_on(place.session.number, |handle| Event::new(handle, interprocess))?;
    place.post(&EventCreate { event: event.handle, flags }).inspect_err(|_| {
        driver.events.remove(event.handle);
    })?;
    // SAFETY: not null, and the program promises room.
    unsafe { put(out, CUevent(event.handle as usize)) }
}

pub unsafe fn cuEventDestroy_v2(handle: CUevent) -> Done {
    let event = driver()?.events.remove(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    post(&EventDestroy { event: event.handle })
}

pub unsafe fn cuEventRecord(handle: CUevent, stream: CUstream) -> Done {
    // SAFETY: passed on.
    unsafe { cuEventRecordWithFlags(handle, stream, 0) }
}

pub unsafe fn cuEventRecordWithFlags(handle: CUevent, stream: CUstream, flags: u32) -> Done {
    let event = resolve(handle)?;
    let stream = stream::resolve(stream)?;
    mirror::before_work();
    let message = EventRecord { event: event.handle, stream: stream.handle, flags };
    let position = stream.place.post_numbered(&message, Payload::None)?;
    stream.note_posted_as(position);
    event.record(&stream, position);
    if flags != 0 {
        // For graphs only; elsewhere the driver refuses, and says so at the call.
        barrier()?;
        event.note_graph();
    } else if capturing(driver()?, &stream)?.is_some() {
        event.note_capture();
    }
    settled(&event)
}

/// What other processes are told once this has returned must hold for them too, so it must have happened.
fn settled(event: &Event) -> Done {
    if event.interprocess { barrier() } else { Ok(()) }
}

pub unsafe fn cuStreamWaitEvent(stream: CUstream, handle: CUevent, flags: u32) -> Done {
    let event = driver()?.events.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    let stream = stream::resolve(stream)?;
    if !std::ptr::eq(driver()?.session_of(event.handle)?, stream.place.session) {
        return crossing::wait_for(&event, &stream);
    }
    mirror::before_work();
    stream.place.post(&StreamWaitEvent { stream: stream.handle, event: event.handle, flags })?;
    stream.note_posted();
    settled(&event)
}

pub unsafe fn cuEventQuery(handle: CUevent) -> Done {
    let event = resolve(handle)?;
    if event.is_complete() {
        return context::place_or_none()?.session.deferred.check();
    }
    let (status, _) = ask(&EventQuery { event: event.handle })?;
    status.ok()?;
    note_complete(&event);
    mirror::after_wait()
}

pub unsafe fn cuEventSynchronize(handle: CUevent) -> Done {
    let event = resolve(handle)?;
    if event.is_complete() {
        return context::place_or_none()?.session.deferred.check();
    }
    let (status, _) = ask(&EventSynchronize { event: event.handle })?;
    status.ok()?;
    note_complete(&event);
    mirror::after_wait()
}

/// A thread that recorded the event anew meanwhile raced with this wait, which CUDA leaves open too.
fn note_complete(event: &Event) {
    event.known_complete.store(true, Relaxed);
    if let Some((stream, position)) = &*event.recorded.lock().unwrap_or_else(|e| e.into_inner()) {
        stream.note_completed(*position);
    }
}

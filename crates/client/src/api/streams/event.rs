//! Events.

use crate::api::arguments::CudaResult;
use crate::driver::contexts;
use crate::driver::contexts::target_or_none;
use crate::driver::internode;
use crate::driver::managed::sync_after_wait::after_wait;
use crate::driver::other_node;
use crate::driver::state::{Driver, driver};
use crate::driver::streams;
use crate::driver::submit::{submit, submit_record, submit_wait};
use crate::objects::context_stack;
use crate::objects::streams::event::Event;
use crate::objects::streams::event_timing;
use crate::objects::streams::stream::Stream;
use crate::session::Response;
use crate::session::Target;
use outhaul_abi::types::*;
use outhaul_wire::codec::{List, Reader};
use outhaul_wire::messages::*;
use std::sync::Arc;

const FLAGS_KNOWN: u32 =
    values::EVENT_BLOCKING_SYNC | values::EVENT_DISABLE_TIMING | values::EVENT_INTERPROCESS;

/// Returns the event of a handle. Fails with `INVALID_HANDLE` if the handle is invalid or the event
/// is on another node. Fails with `CONTEXT_IS_DESTROYED` if the event's context has ended.
pub(in crate::api) fn resolve(handle: CUevent) -> Result<Arc<Event>, CUresult> {
    let event = anywhere(handle)?;
    other_node::check_object(event.handle).map_err(|_| CUresult::INVALID_HANDLE)?;
    Ok(event)
}

/// Returns an event as `resolve` does, but accepts events on any node.
fn anywhere(handle: CUevent) -> Result<Arc<Event>, CUresult> {
    let event = driver()?.events.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    if event.is_over() { Err(CUresult::CONTEXT_IS_DESTROYED) } else { Ok(event) }
}

fn new(target: Target, flags: u32, interprocess: bool) -> Result<Arc<Event>, CUresult> {
    let driver = driver()?;
    let event = driver
        .events
        .insert_on(target.session.number, |handle| Event::new(handle, target, interprocess))?;
    target.post(&EventCreate { event: event.handle, flags }).inspect_err(|_| {
        driver.events.remove(event.handle);
    })?;
    Ok(event)
}

/// Creates an event in the current context.
pub fn create(flags: u32) -> Result<CUevent, CUresult> {
    if flags & !FLAGS_KNOWN != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let interprocess = flags & values::EVENT_INTERPROCESS != 0;
    if interprocess && flags & values::EVENT_DISABLE_TIMING == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let event = new(context_stack::target()?, flags, interprocess)?;
    Ok(CUevent(event.handle as usize))
}

/// Creates an event in the stream's context, and records the event in the stream.
pub(in crate::api) fn record_anew(stream: &Arc<Stream>) -> Result<CUevent, CUresult> {
    let event = new(stream.target, values::EVENT_DISABLE_TIMING, false)?;
    let message = EventRecord { event: event.handle, stream: stream.handle, flags: 0 };
    submit_record(&event, stream, &message)?;
    Ok(CUevent(event.handle as usize))
}

/// Destroys an event.
pub fn destroy(handle: CUevent) -> CudaResult {
    other_node::check_object(handle.0 as u64).map_err(|_| CUresult::INVALID_HANDLE)?;
    let event = driver()?.events.remove(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    event.target.post(&EventDestroy { event: event.handle })?;
    if event.is_over() { Err(CUresult::CONTEXT_IS_DESTROYED) } else { Ok(()) }
}

/// Marks the events of a context that is ending. The program may still query and destroy these
/// events.
pub(in crate::api) fn forget_all(driver: &Driver, target: Target) {
    let is_there = |event: &&Arc<Event>| {
        std::ptr::eq(event.target.session, target.session) && event.target.context == target.context
    };
    driver.events.all().iter().filter(is_there).for_each(|event| event.note_over());
}

/// Records an event in a stream.
pub fn record(handle: CUevent, stream: CUstream, flags: u32) -> CudaResult {
    let event = resolve(handle)?;
    let stream = streams::resolve(stream)?;
    contexts::check_same(event.target.context, &stream)?;
    let message = EventRecord { event: event.handle, stream: stream.handle, flags };
    submit_record(&event, &stream, &message)?;
    event_timing::note_record(&event);
    if flags != 0 {
        // The flags are for captures only. Otherwise the driver rejects them, and must do so in the
        // call itself.
        target_or_none()?.barrier()?;
        event.note_graph();
    } else if let Some(graph) = driver()?.captures.graph_of(&stream)? {
        event.note_capture(graph);
    }
    barrier_if_interprocess(&event)
}

/// Waits until the worker has executed the last command, if other processes can use the event. The
/// program may notify them as soon as the call returns.
pub(in crate::api) fn barrier_if_interprocess(event: &Event) -> CudaResult {
    if event.interprocess { target_or_none()?.barrier() } else { Ok(()) }
}

/// Makes a stream wait for an event.
pub fn wait(stream: CUstream, handle: CUevent, flags: u32) -> CudaResult {
    let event = anywhere(handle)?;
    let stream = streams::resolve(stream)?;
    if !std::ptr::eq(driver()?.session_of(event.handle)?, stream.target.session) {
        return internode::wait_for(&event, &stream);
    }
    let message = StreamWaitEvent { stream: stream.handle, event: event.handle, flags };
    let tracker = &driver()?.captures.tracker;
    let captured = event.captured();
    if flags == 0 && driver()?.captures.any() && tracker.may_wait(stream.handle, captured) {
        submit_wait(&stream, &message)?;
        captured.into_iter().for_each(|graph| tracker.enter(stream.handle, graph));
    } else {
        submit(&stream, &message)?;
    }
    barrier_if_interprocess(&event)
}

/// Succeeds if the device has reached the event, otherwise fails with `NOT_READY`.
pub fn query(handle: CUevent) -> CudaResult {
    let event = resolve(handle)?;
    if event.is_complete() {
        return event.target.session.deferred.check();
    }
    passed(&event, || Ok(event.target.call(&EventQuery { event: event.handle })?.status))
}

/// Waits until the device has reached the event.
pub fn synchronize(handle: CUevent) -> CudaResult {
    let event = resolve(handle)?;
    if event.is_complete() {
        return event.target.session.deferred.check();
    }
    let wait = EventSynchronize { event: event.handle };
    let Some(position) = event.known_position() else {
        return passed(&event, || Ok(event.target.call(&wait)?.status));
    };
    let starts = event_timing::starts(&event, position, |start| {
        other_node::check_object(start.handle).is_ok()
    });
    if starts.is_empty() {
        return passed(&event, || Ok(event.target.call(&wait)?.status));
    }
    let handles = List(starts.iter().map(|(start, _)| *start).collect());
    passed(&event, || {
        let message = EventSynchronizeTimed { event: event.handle, starts: handles };
        let Response { status, body, .. } = event.target.call(&message)?;
        if let Ok(reply) = Reader::new(&body).whole::<EventSynchronizeTimedReply>() {
            event.distances.note(position, starts.into_iter().zip(reply.milliseconds.0));
        }
        Ok(status)
    })
}

/// Returns the time between two events in milliseconds.
pub fn elapsed(start: CUevent, end: CUevent) -> Result<f32, CUresult> {
    let (start, end) = (resolve(start)?, resolve(end)?);
    event_timing::note_wanted();
    let positions = start.known_position().zip(end.known_position());
    let known = positions
        .filter(|_| end.is_complete())
        .and_then(|(from, to)| end.distances.find((start.handle, from), to));
    let milliseconds = match known {
        Some(milliseconds) => milliseconds,
        None => {
            let message = EventElapsed { start: start.handle, end: end.handle };
            let found = end.target.call(&message)?.read(|reply| Ok(reply.milliseconds))?;
            if let Some((from, to)) = positions {
                end.distances.note(to, [((start.handle, from), found)].into_iter());
            }
            found
        }
    };
    Ok(milliseconds)
}

/// Queries the event, or waits for it, through `ask`. If the device has reached the event, marks it
/// and everything known to precede it as completed.
fn passed(event: &Event, ask: impl FnOnce() -> Result<CUresult, CUresult>) -> CudaResult {
    let recorded = event.recorded();
    ask()?.ok()?;
    after_wait()?;
    event.note_complete(&recorded);
    Ok(())
}

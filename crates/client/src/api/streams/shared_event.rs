//! Events that programs of one node share. A program passes another one a handle with a ticket, as
//! for memory. A ticket consists of the descriptor socket of the worker with the event, and a
//! secret key.

use super::event::resolve;
use crate::api::arguments::{CudaResult, put};
use crate::driver::state::driver;
use crate::objects::context_stack;
use crate::objects::context_stack::call;
use crate::objects::streams::event::Event;
use outhaul_abi::types::*;
use outhaul_wire::codec::{Field, Reader};
use outhaul_wire::messages::{EventAdopt, EventShare};

const TICKET_BYTES: usize = 64;
const MAGIC: u64 = u64::from_le_bytes(*b"outhaulE");

fn encode(socket: u64, key: [u8; 16]) -> [u8; TICKET_BYTES] {
    let mut out = Vec::with_capacity(TICKET_BYTES);
    MAGIC.put(&mut out);
    socket.put(&mut out);
    key.put(&mut out);
    out.resize(TICKET_BYTES, 0);
    out.try_into().expect("resized just now")
}

/// Reads a ticket. Returns `None` if the handle does not contain one.
fn decode(bytes: &[u8; TICKET_BYTES]) -> Option<(u64, [u8; 16])> {
    let mut reader = Reader::new(bytes);
    let (magic, socket) = (u64::take(&mut reader).ok()?, u64::take(&mut reader).ok()?);
    let key = <[u8; 16]>::take(&mut reader).ok()?;
    (magic == MAGIC).then_some((socket, key))
}

pub unsafe fn cuIpcGetEventHandle(out: *mut CUipcEventHandle, handle: CUevent) -> CudaResult {
    let event = resolve(handle)?;
    if out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    if !event.interprocess {
        return Err(CUresult::INVALID_HANDLE);
    }
    let (socket, key) =
        call(&EventShare { event: event.handle })?.read(|reply| Ok((reply.socket, reply.key)))?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, CUipcEventHandle { reserved: encode(socket, key) }) }
}

pub unsafe fn cuIpcOpenEventHandle(out: *mut CUevent, handle: CUipcEventHandle) -> CudaResult {
    let target = context_stack::target()?;
    if out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let (socket, key) = decode(&handle.reserved).ok_or(CUresult::INVALID_VALUE)?;
    let driver = driver()?;
    let event = driver
        .events
        .insert_on(target.session.number, |handle| Event::new(handle, target, true))?;
    let adopted = target
        .call(&EventAdopt { event: event.handle, socket, key })
        .and_then(|answer| answer.ok());
    adopted.inspect_err(|_| {
        driver.events.remove(event.handle);
    })?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, CUevent(event.handle as usize)) }
}

//! Host functions in streams.

use super::Done;
use crate::callbacks::Callback;
use crate::driver::driver;
use crate::graph::note_in_client;
use crate::mirror;
use crate::stream::resolve;
use outhaul_abi::types::*;
use outhaul_wire::messages::HostCallback;
use std::ffi::c_void;

fn enter(stream: CUstream, callback: Callback) -> Done {
    let stream = resolve(stream)?;
    let callbacks = &stream.place.session.callbacks;
    mirror::before_work();
    let id = if note_in_client(driver()?, &stream)? { callbacks.stand(callback) } else { callbacks.enter(callback) };
    stream.place.post(&HostCallback { callback: id, stream: stream.handle }).inspect_err(|_| callbacks.withdraw(id))?;
    stream.note_posted();
    Ok(())
}

pub unsafe fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void) -> Done {
    enter(stream, Callback::Host { function: function.ok_or(CUresult::INVALID_VALUE)?, data })
}

pub unsafe fn cuStreamAddCallback(stream: CUstream, function: CUstreamCallback, data: *mut c_void, flags: u32) -> Done {
    if flags != 0 || function.is_none() {
        return Err(CUresult::INVALID_VALUE);
    }
    enter(stream, Callback::Stream { function, stream, data })
}

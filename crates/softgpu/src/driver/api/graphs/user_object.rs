//! User objects, and the references to them that graphs hold.

use std::ffi::c_void;
use std::sync::Arc;

use outhaul_abi::types::values::{GRAPH_USER_OBJECT_MOVE, USER_OBJECT_NO_DESTRUCTOR_SYNC};
use outhaul_abi::types::*;

use crate::driver::api::arguments::put;
use crate::driver::lock;
use crate::driver::objects::graphs::host_call::HostCall;
use crate::driver::objects::graphs::user_object::UserObject;
use crate::driver::state::{self, driver};
use crate::driver::system::error::{Error, Result};

/// Maximum number of references, which CUDA counts in an int.
const REFERENCES_MAX: u32 = i32::MAX as u32;

fn find(object: CUuserObject) -> Result<Arc<UserObject>> {
    driver()?.user_objects.get(object.0 as u64).ok_or(Error::InvalidValue)
}

fn check_count(count: u32) -> Result<()> {
    if (1..=REFERENCES_MAX).contains(&count) { Ok(()) } else { Err(Error::InvalidValue) }
}

/// Invalidates the handle of a user object whose resource has been destroyed.
fn forget(handle: u64) {
    if let Some(driver) = state::started() {
        driver.user_objects.remove(handle);
    }
}

pub unsafe fn cuUserObjectCreate(
    object_out: *mut CUuserObject,
    ptr: *mut c_void,
    destroy: CUhostFn,
    initialRefcount: u32,
    flags: u32,
) -> Result<()> {
    let driver = driver()?;
    check_count(initialRefcount)?;
    if object_out.is_null() || flags != USER_OBJECT_NO_DESTRUCTOR_SYNC {
        return Err(Error::InvalidValue);
    }
    let destroy = HostCall {
        function: destroy.ok_or(Error::InvalidValue)?,
        data: ptr.expose_provenance() as u64,
    };
    let mut given = 0;
    driver.user_objects.insert_with(|handle| {
        given = handle;
        UserObject::new(handle, destroy, initialRefcount, forget)
    });
    put(object_out, CUuserObject(given as usize))
}

pub unsafe fn cuUserObjectRetain(object: CUuserObject, count: u32) -> Result<()> {
    check_count(count)?;
    find(object)?.retain(count)
}

pub unsafe fn cuUserObjectRelease(object: CUuserObject, count: u32) -> Result<()> {
    check_count(count)?;
    find(object)?.release(count)
}

pub unsafe fn cuGraphRetainUserObject(
    graph: CUgraph,
    object: CUuserObject,
    count: u32,
    flags: u32,
) -> Result<()> {
    let (graph, resource) = (driver()?.graph(graph.0 as u64)?, find(object)?);
    check_count(count)?;
    if flags & !GRAPH_USER_OBJECT_MOVE != 0 {
        return Err(Error::InvalidValue);
    }
    lock(&graph).retain(object.0 as u64, resource.references(count)?)?;
    if flags & GRAPH_USER_OBJECT_MOVE != 0 { resource.release(count) } else { Ok(()) }
}

pub unsafe fn cuGraphReleaseUserObject(
    graph: CUgraph,
    object: CUuserObject,
    count: u32,
) -> Result<()> {
    check_count(count)?;
    lock(&*driver()?.graph(graph.0 as u64)?).release(object.0 as u64, count)
}

//! Linking of device code. The client collects inputs, and sends them when the program asks for the
//! result.

use crate::api::arguments::{CudaResult, name, put};
use crate::driver::code::loading::SENDS_MAX;
use crate::driver::state::driver;
use crate::objects::code::image::Image;
use crate::objects::code::jit_link::JitLink;
use crate::objects::code::jit_options::Options;
use crate::objects::context_stack;
use crate::session::Response;
use outhaul_abi::types::*;
use outhaul_lock::Mutex;
use outhaul_wire::codec::{List, Reader};
use outhaul_wire::limits::IMAGE_BYTES_MAX;
use outhaul_wire::messages::{LinkInput, LinkReply};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

const INPUTS_MAX: usize = 1024;

fn link(handle: CUlinkState) -> Result<Arc<JitLink>, CUresult> {
    driver()?.links.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)
}

pub unsafe fn cuLinkCreate_v2(
    count: u32,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
    out: *mut CUlinkState,
) -> CudaResult {
    context_stack::current()?;
    if out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the program guarantees that `options` and `values` are null or valid for `count`
    // entries.
    let options = unsafe { Options::new(count, options, values) };
    let driver = driver()?;
    let handle = driver.links.reserve()?;
    driver
        .links
        .fill(handle, JitLink { options, inputs: Mutex::default(), image: Mutex::default() });
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, CUlinkState(handle as usize)) }
}

fn add(handle: CUlinkState, kind: CUjitInputType, data: &[u8], label: String) -> CudaResult {
    let link = link(handle)?;
    if data.len() as u64 > IMAGE_BYTES_MAX {
        return Err(CUresult::INVALID_VALUE);
    }
    let data = if kind == values::JIT_INPUT_PTX {
        data.split(|b| *b == 0).next().unwrap_or_default()
    } else {
        data
    };
    let mut inputs = link.inputs.lock();
    if inputs.len() >= INPUTS_MAX {
        return Err(CUresult::INVALID_VALUE);
    }
    inputs.push((kind, Image::new(data.to_vec()), label));
    Ok(())
}

/// Adds an input to a link. Ignores options of the single input because they affect only
/// diagnostics. The options of the link apply to all inputs.
pub unsafe fn cuLinkAddData_v2(
    handle: CUlinkState,
    kind: CUjitInputType,
    data: *mut c_void,
    bytes: usize,
    label: *const c_char,
    _count: u32,
    _options: *mut CUjit_option,
    _values: *mut *mut c_void,
) -> CudaResult {
    if data.is_null() || bytes == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: checked for null; the program guarantees `bytes` readable bytes. `label` is null or a
    // C string.
    let (label, data) = unsafe {
        (
            name(label).map_or(String::new(), |n| n.to_string_lossy().into_owned()),
            std::slice::from_raw_parts(data.cast(), bytes),
        )
    };
    add(handle, kind, data, label)
}

pub unsafe fn cuLinkAddFile_v2(
    handle: CUlinkState,
    kind: CUjitInputType,
    path: *const c_char,
    _count: u32,
    _options: *mut CUjit_option,
    _values: *mut *mut c_void,
) -> CudaResult {
    // SAFETY: the program guarantees that `path` is null or a C string.
    let path = unsafe { name(path) }?.to_string_lossy().into_owned();
    let data = std::fs::read(&path).map_err(|_| CUresult::FILE_NOT_FOUND)?;
    add(handle, kind, &data, path)
}

/// Links the inputs. Returns the image and its size in bytes. The image lives until the link is
/// destroyed.
pub fn complete(handle: CUlinkState) -> Result<(*mut c_void, usize), CUresult> {
    let link = link(handle)?;
    let image = linked(&link)?;
    let mut held = link.image.lock();
    *held = image;
    Ok((held.as_mut_ptr().cast(), held.len()))
}

fn linked(link: &JitLink) -> Result<Vec<u8>, CUresult> {
    let target = context_stack::target()?;
    let inputs = link.inputs.lock();
    let list = inputs
        .iter()
        .map(|(kind, parcel, label)| LinkInput { kind: *kind, hash: parcel.hash, name: label })
        .collect();
    let question = outhaul_wire::messages::Link {
        inputs: List(list),
        options: List(link.options.list.clone()),
    };
    let mut sends = 0;
    loop {
        let Response { status, body, .. } = target.call(&question)?;
        let reply = Reader::new(&body)
            .whole::<LinkReply<'_>>()
            .map_err(|_| if status == CUresult::SUCCESS { CUresult::UNKNOWN } else { status })?;
        if reply.missing && sends < SENDS_MAX {
            inputs.iter().try_for_each(|(_, parcel, _)| parcel.send(target))?;
            sends += 1;
            continue;
        }
        link.options.write_logs(reply.info_log, reply.error_log);
        status.ok()?;
        return Ok(reply.image.to_vec());
    }
}

/// Destroys a link and its image.
pub fn destroy(handle: CUlinkState) -> CudaResult {
    driver()?.links.remove(handle.0 as u64).map(|_| ()).ok_or(CUresult::INVALID_HANDLE)
}

//! Marshalling between the C ABI and messages: validates handles, and reads and writes through the
//! program's pointers. Generated code calls these functions.

use crate::driver::handles;
use crate::driver::other_node::{check_here, check_object};
use crate::driver::state::driver;
use crate::driver::streams;
use crate::objects::streams::stream::Stream;
use outhaul_abi::types::{
    CUarray, CUdevice, CUfunction, CUgraph, CUgraphEdgeData, CUgraphExec, CUgraphNode,
    CUmipmappedArray, CUresult, CUstream, CUsurfref, CUtexref, CUuserObject, Plain,
};
use outhaul_wire::handle::{Handle, HandleKind};
use std::sync::Arc;

/// Returns the stream of a handle. Fails if the stream is not on the calling thread's node.
pub fn stream(handle: CUstream) -> Result<Arc<Stream>, CUresult> {
    let stream = streams::resolve(handle)?;
    check_here(stream.target.session.number)?;
    Ok(stream)
}

/// Returns the wire form of an array.
pub fn array(handle: CUarray) -> Result<u64, CUresult> {
    Ok(handles::array(handle)?.handle)
}

/// Returns the wire form of a mipmapped array.
pub fn mipmapped_array(handle: CUmipmappedArray) -> Result<u64, CUresult> {
    Ok(handles::mipmapped_array(handle)?.handle)
}

/// Returns the wire form of a CUfunction. Accepts a CUkernel too.
pub fn function(handle: CUfunction) -> Result<u64, CUresult> {
    let handle = handle.0 as u64;
    let driver = driver()?;
    driver.function(handle).map(|f| f.handle)
}

/// Returns the wire form of a graph.
pub fn graph(handle: CUgraph) -> Result<u64, CUresult> {
    driver()?
        .graphs
        .get(handle.0 as u64)
        .ok_or(CUresult::INVALID_VALUE)
        .and_then(|g| check_object(g.handle))
}

/// Returns the wire form of an executable graph.
pub fn graph_exec(handle: CUgraphExec) -> Result<u64, CUresult> {
    driver()?
        .execs
        .get(handle.0 as u64)
        .ok_or(CUresult::INVALID_VALUE)
        .and_then(|e| check_object(e.handle))
}

/// Returns the wire form of a texture reference.
pub fn texref(handle: CUtexref) -> Result<u64, CUresult> {
    driver()?
        .texture_references
        .get(handle.0 as u64)
        .ok_or(CUresult::INVALID_HANDLE)
        .and_then(|found| check_object(found.handle))
}

/// Returns the wire form of a surface reference.
pub fn surfref(handle: CUsurfref) -> Result<u64, CUresult> {
    driver()?
        .surface_references
        .get(handle.0 as u64)
        .ok_or(CUresult::INVALID_HANDLE)
        .and_then(|found| check_object(found.handle))
}

/// Returns the wire form of a user object.
pub fn user_object(handle: CUuserObject) -> Result<u64, CUresult> {
    driver()?
        .user_objects
        .get(handle.0 as u64)
        .ok_or(CUresult::INVALID_VALUE)
        .and_then(|o| check_object(*o))
}

/// Returns the wire form of a graph's node. Checks only the kind of the handle, because only the
/// worker knows which nodes exist.
pub fn graph_node(handle: CUgraphNode) -> Result<u64, CUresult> {
    let handle = handle.0 as u64;
    Handle::unpack(handle)
        .filter(|h| h.kind == HandleKind::GraphNode)
        .ok_or(CUresult::INVALID_VALUE)?;
    check_object(handle)
}

/// Returns the wire forms of an array of nodes.
///
/// # Safety
/// If `count` is not 0, `first` is null or valid for reads of `count` handles.
pub unsafe fn nodes(first: *const CUgraphNode, count: usize) -> Result<Vec<u64>, CUresult> {
    if count > 0 {
        not_null(first)?;
    }
    if !may_be_list::<CUgraphNode>(count) {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the caller upholds this function's contract.
    (0..count).map(|i| graph_node(unsafe { first.add(i).read() })).collect()
}

/// Returns the bytes of `count` edge records. Returns an empty slice if `first` is null, which
/// means that no edge has data.
///
/// # Safety
/// `first` is null or valid for reads of `count` records for `'a`.
pub unsafe fn edges<'a>(first: *const CUgraphEdgeData, count: usize) -> &'a [u8] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller upholds this function's contract; a record is plain data.
    unsafe { std::slice::from_raw_parts(first.cast(), count * size_of::<CUgraphEdgeData>()) }
}

/// Decodes edge records, and appends default records until the list has `count` entries.
pub fn edge_list(bytes: &[u8], count: usize) -> Vec<CUgraphEdgeData> {
    let record = |b: &[u8]| CUgraphEdgeData {
        from_port: b[0],
        to_port: b[1],
        type_: b[2],
        reserved: [0; 5],
    };
    let mut list: Vec<_> = bytes.chunks_exact(size_of::<CUgraphEdgeData>()).map(record).collect();
    list.resize(count, CUgraphEdgeData::default());
    list
}

/// Returns the node's ordinal of a device. Fails if the device is not on the calling thread's node.
pub fn device(ordinal: CUdevice) -> Result<i32, CUresult> {
    let device = driver()?.facts.device(ordinal)?;
    check_here(device.session.number)?;
    Ok(device.node_ordinal)
}

/// Maximum size in bytes of a list that a program passes. A longer one is a wrong count.
const LIST_BYTES_MAX: usize = 1 << 30;

/// Returns whether a program may pass a list of `count` elements.
pub fn may_be_list<T>(count: usize) -> bool {
    count.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= LIST_BYTES_MAX)
}

/// Rejects a null pointer with `INVALID_VALUE`.
pub fn not_null<T>(pointer: *const T) -> Result<(), CUresult> {
    if pointer.is_null() { Err(CUresult::INVALID_VALUE) } else { Ok(()) }
}

/// Returns the bytes of a struct that the program passes. Rejects a null pointer.
pub fn input<T: Plain>(pointer: &*const T) -> Result<&[u8], CUresult> {
    // SAFETY: the program guarantees that the pointer is null or valid for reads of a `T`.
    unsafe { pointer.as_ref() }.map(bytes).ok_or(CUresult::INVALID_VALUE)
}

/// Returns the bytes of a value.
pub fn bytes<T: Plain>(value: &T) -> &[u8] {
    // SAFETY: a `Plain` type is plain data, and no reader depends on the values of padding bytes.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}

/// Returns the bytes of `count` elements that the program passes. Fails if `count` exceeds
/// `count_max`. The pointer may be null if `count` is 0.
pub fn input_array<T: Copy>(
    pointer: &*const T,
    count: usize,
    count_max: usize,
) -> Result<&[u8], CUresult> {
    if count == 0 {
        return Ok(&[]);
    }
    if count > count_max {
        return Err(CUresult::INVALID_VALUE);
    }
    not_null(*pointer)?;
    // SAFETY: checked for null; the program guarantees that `pointer` is valid for reads of `count`
    // elements.
    Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), count * size_of::<T>()) })
}

/// Writes `value` through the program's pointer, unless the pointer is null.
pub fn output<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: checked for null; the program guarantees that `place` is valid for writes of a
        // `T`.
        unsafe { place.write(value) };
    }
}

/// Writes a struct that arrived as `bytes` through the program's pointer, unless the pointer is
/// null. Fails if the length is not the struct's size.
pub fn output_struct<T: Plain>(place: *mut T, bytes: &[u8]) -> Result<(), CUresult> {
    if bytes.len() != size_of::<T>() {
        return Err(CUresult::UNKNOWN);
    }
    if !place.is_null() {
        // SAFETY: checked for null; the program guarantees that `place` is valid for writes. The
        // lengths agree, and any bytes are a valid `T`.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place.cast(), bytes.len()) };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_must_have_enough_elements() {
        let numbers = [1u64, 2, 3];
        assert_eq!(input_array(&numbers.as_ptr(), 2, 3).unwrap().len(), 16);
        assert_eq!(input_array::<u64>(&std::ptr::null(), 0, 3).unwrap(), []);
        assert_eq!(input_array::<u64>(&std::ptr::null(), 1, 3), Err(CUresult::INVALID_VALUE));
        assert_eq!(input_array(&numbers.as_ptr(), 3, 2), Err(CUresult::INVALID_VALUE));
    }
}

//! The functions of CUDA's device runtime: `vprintf`, `__assertfail`, `malloc`, `free`,
//! `cudaGraphSetConditional`. Compiled code calls them like any device function, and passes the
//! addresses of results and arguments.

use std::ffi::CStr;

use crate::engine::Fault;
use crate::engine::exec::arithmetic::format;
use crate::engine::exec::blocks::block::{Block, Thread, fail};
use crate::engine::exec::memory::heap;

/// Returns the address of the host function that implements the `.extern .func` `name`.
pub fn find(name: &str) -> Option<usize> {
    Some(match name {
        "vprintf" => vprintf as *const () as usize,
        "__assertfail" => assert_fail as *const () as usize,
        "malloc" => malloc as *const () as usize,
        "free" => free as *const () as usize,
        "cudaGraphSetConditional" => set_conditional as *const () as usize,
        _ => return None,
    })
}

unsafe extern "C" fn vprintf(
    _thread: *mut Thread,
    block: *mut Block,
    result: *mut i32,
    format: *const *const i8,
    arguments: *const *const u8,
) {
    let mut text = Vec::new();
    // SAFETY: compiled code passes the addresses of its parameter slots. The program passes a C
    // string as the format, and a bad pointer faults like any bad access of the kernel.
    let count = unsafe { format::expand(&mut text, *format, *arguments) };
    // SAFETY: as above, and the job outlives its blocks.
    unsafe {
        (*(*block).job).output().stdout(&text);
        *result = count;
    }
}

unsafe extern "C" fn assert_fail(
    thread: *mut Thread,
    block: *mut Block,
    message: *const *const i8,
    file: *const *const i8,
    line: *const u32,
    function: *const *const i8,
    _char_bytes: *const u64,
) {
    // SAFETY: as for `vprintf`.
    unsafe {
        let text = |pointer: *const *const i8| {
            if (*pointer).is_null() {
                "".into()
            } else {
                CStr::from_ptr(*pointer).to_string_lossy()
            }
        };
        let ([bx, by, bz, _], [tx, ty, tz]) = ((*block).ctaid, (*thread).tid);
        let report = format!(
            "{}:{}: {}: block: [{bx},{by},{bz}], thread: [{tx},{ty},{tz}] Assertion `{}` failed.\n",
            text(file),
            *line,
            text(function),
            text(message)
        );
        (*(*block).job).output().stderr(report.as_bytes());
        drop(report);
        fail(block, Fault::Assert)
    }
}

unsafe extern "C" fn malloc(
    _thread: *mut Thread,
    block: *mut Block,
    result: *mut u64,
    bytes: *const u64,
) {
    // SAFETY: as for `vprintf`.
    unsafe { *result = heap::allocate(*bytes, (*(*block).job).heap_bytes_max) }
}

unsafe extern "C" fn free(_thread: *mut Thread, _block: *mut Block, address: *const u64) {
    // SAFETY: as for `vprintf`.
    unsafe { heap::release(*address) }
}

unsafe extern "C" fn set_conditional(
    _thread: *mut Thread,
    block: *mut Block,
    number: *const u64,
    value: *const u32,
) {
    // SAFETY: as for `vprintf`.
    unsafe { (*(*block).job).output().set_condition(*number, *value) }
}

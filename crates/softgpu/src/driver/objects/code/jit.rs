//! Just-in-time compilation options. Only the log buffers matter, because this device has no
//! register limit and no optimisation levels.

use std::ffi::c_void;

use outhaul_abi::types::values::{
    JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES, JIT_INFO_LOG_BUFFER,
    JIT_INFO_LOG_BUFFER_SIZE_BYTES,
};

use crate::driver::objects::memory::pages;
use crate::driver::system::error::{Error, Result};

/// Maximum number of options; more than CUDA defines.
const OPTIONS_MAX: u32 = 256;

/// Addresses of the program's log buffers. They are numbers, because a link state outlives the call
/// that passes them.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    info: Log,
    error: Log,
}

#[derive(Clone, Debug, Default)]
struct Log {
    buffer: u64,
    bytes: usize,
    /// Address at which CUDA reports the number of bytes written.
    filled: u64,
}

impl Logs {
    /// Reads the log buffers from the options.
    /// # Safety
    /// `options` and `values` have `count` elements. The buffers stay valid for as long as the
    /// driver API requires.
    pub unsafe fn read(count: u32, options: *const i32, values: *mut *mut c_void) -> Result<Logs> {
        let mut logs = Logs::default();
        if count == 0 {
            return Ok(logs);
        }
        if count > OPTIONS_MAX || options.is_null() || values.is_null() {
            return Err(Error::InvalidValue);
        }
        for index in 0..count as usize {
            // SAFETY: `index` is below `count`, and the caller guarantees that the arrays have
            // `count` elements.
            let (option, place) = unsafe { (*options.add(index), values.add(index)) };
            // SAFETY: as above.
            let value = unsafe { *place }.expose_provenance();
            match option {
                JIT_INFO_LOG_BUFFER => logs.info.buffer = value as u64,
                JIT_ERROR_LOG_BUFFER => logs.error.buffer = value as u64,
                JIT_INFO_LOG_BUFFER_SIZE_BYTES => logs.info.set_size(value, place),
                JIT_ERROR_LOG_BUFFER_SIZE_BYTES => logs.error.set_size(value, place),
                _ => {}
            }
        }
        Ok(logs)
    }

    /// Returns whether the program requested a log.
    pub fn wanted(&self) -> bool {
        self.error.buffer != 0 || self.info.buffer != 0
    }

    /// Fills the buffers from the outcome of a compilation.
    pub fn write<T>(&self, outcome: &Result<T>) {
        self.info.write("");
        self.error.write(&outcome.as_ref().err().map_or_else(String::new, ToString::to_string));
    }
}

impl Log {
    fn set_size(&mut self, value: usize, place: *mut *mut c_void) {
        // The option's value is an unsigned int in the low half of the pointer.
        self.bytes = value & 0xffff_ffff;
        self.filled = place.expose_provenance() as u64;
    }

    fn write(&self, text: &str) {
        if self.buffer == 0 || self.bytes == 0 {
            return;
        }
        let length = text.len().min(self.bytes - 1);
        // SAFETY: the program guarantees that the buffer has `bytes` bytes and that the option's
        // array element is valid for writes.
        unsafe {
            let buffer: *mut u8 = pages::pointer(self.buffer);
            std::ptr::copy_nonoverlapping(text.as_ptr(), buffer, length);
            buffer.add(length).write(0);
            pages::pointer::<usize>(self.filled).write(if length == 0 { 0 } else { length + 1 });
        }
    }
}

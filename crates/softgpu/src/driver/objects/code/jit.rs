//! The options of just-in-time compilation. Only the log buffers matter to a device that has no
//! registers to limit and no levels of optimisation.

use std::ffi::c_void;

use outhaul_abi::types::values::{
    JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES, JIT_INFO_LOG_BUFFER,
    JIT_INFO_LOG_BUFFER_SIZE_BYTES,
};

use crate::driver::objects::memory::pages;
use crate::driver::system::error::{Error, Result};

/// Maximum number of options, more than exist.
const OPTIONS_MAX: u32 = 256;

/// Addresses of the program's buffers, as numbers, because a link state outlives the call.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    info: Log,
    error: Log,
}

#[derive(Clone, Debug, Default)]
struct Log {
    buffer: u64,
    bytes: usize,
    /// Address at which CUDA reports how much was written.
    filled: u64,
}

impl Logs {
    /// # Safety
    /// `options` and `values` have `count` elements; buffers stay valid as the driver API demands.
    pub unsafe fn read(count: u32, options: *const i32, values: *mut *mut c_void) -> Result<Logs> {
        let mut logs = Logs::default();
        if count == 0 {
            return Ok(logs);
        }
        if count > OPTIONS_MAX || options.is_null() || values.is_null() {
            return Err(Error::InvalidValue);
        }
        for index in 0..count as usize {
            // SAFETY: within the arrays that the caller vouches for.
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

    /// Returns whether the program asked for any log.
    pub fn wanted(&self) -> bool {
        self.error.buffer != 0 || self.info.buffer != 0
    }

    /// Fills the buffers after a compilation.
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
        // SAFETY: the program gave a buffer of that size, and the array element with its option.
        unsafe {
            let buffer: *mut u8 = pages::pointer(self.buffer);
            std::ptr::copy_nonoverlapping(text.as_ptr(), buffer, length);
            buffer.add(length).write(0);
            pages::pointer::<usize>(self.filled).write(if length == 0 { 0 } else { length + 1 });
        }
    }
}

//! Options of the JIT compiler. The client sends the numeric options to the node, and writes the
//! logs to the program's buffers.

use outhaul_abi::code::jit_options;
use outhaul_abi::types::*;
use outhaul_wire::messages::JitOption;
use std::ffi::c_void;

/// A program's JIT options, with the buffers for its logs.
pub struct Options {
    /// The options to send.
    pub list: Vec<JitOption>,
    info: Log,
    error: Log,
}

/// A log buffer, and the option slot that receives the log's length.
#[derive(Clone, Copy)]
struct Log {
    buffer: *mut u8,
    bytes: usize,
    length: *mut *mut c_void,
}

/// Size of the error log's buffer on the node if the program asks for no error log.
const ERROR_LOG_BYTES: u64 = 4096;

impl Log {
    const NONE: Log = Log { buffer: std::ptr::null_mut(), bytes: 0, length: std::ptr::null_mut() };

    fn write(&self, text: &[u8]) {
        if self.buffer.is_null() || self.bytes == 0 {
            return;
        }
        let count = text.len().min(self.bytes - 1);
        // SAFETY: the program guarantees that the buffer is valid for writes of `bytes` bytes, and
        // the length's slot for one write.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), self.buffer, count);
            self.buffer.add(count).write(0);
            if !self.length.is_null() {
                self.length.write((count + 1) as *mut c_void);
            }
        }
    }
}

impl Options {
    /// Reads the program's options.
    ///
    /// # Safety
    ///
    /// `names` and `values` are arrays of `count` entries. They stay valid as long as `write_logs`
    /// may be called.
    pub unsafe fn new(count: u32, names: *const CUjit_option, values: *mut *mut c_void) -> Options {
        let mut options = Options { list: Vec::new(), info: Log::NONE, error: Log::NONE };
        if names.is_null() || values.is_null() {
            return options;
        }
        for i in 0..count as usize {
            // SAFETY: the caller upholds this function's contract.
            let (option, slot) = unsafe { (names.add(i).read(), values.add(i)) };
            // SAFETY: as above.
            let value = unsafe { slot.read() };
            match option {
                values::JIT_INFO_LOG_BUFFER => options.info.buffer = value.cast(),
                values::JIT_INFO_LOG_BUFFER_SIZE_BYTES => {
                    (options.info.bytes, options.info.length) = (value as u32 as usize, slot)
                }
                values::JIT_ERROR_LOG_BUFFER => options.error.buffer = value.cast(),
                values::JIT_ERROR_LOG_BUFFER_SIZE_BYTES => {
                    (options.error.bytes, options.error.length) = (value as u32 as usize, slot)
                }
                _ => {}
            }
            let is_size = matches!(
                option,
                values::JIT_INFO_LOG_BUFFER_SIZE_BYTES | values::JIT_ERROR_LOG_BUFFER_SIZE_BYTES
            );
            if jit_options::is_number(option) || is_size {
                options.list.push(JitOption { option, value: u64::from(value as usize as u32) });
            }
        }
        options
    }

    /// Returns the options to send. They always include an error log, because the log explains why
    /// the node's driver rejects code.
    pub fn with_an_error_log(&self) -> Vec<JitOption> {
        let mut list = self.list.clone();
        if !list.iter().any(|option| option.option == values::JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            list.push(JitOption {
                option: values::JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                value: ERROR_LOG_BYTES,
            });
        }
        list
    }

    /// Forgets the program's log buffers, because the program may now free or reuse them.
    pub fn forget_logs(&mut self) {
        (self.info, self.error) = (Log::NONE, Log::NONE);
    }

    /// Writes the logs to the program's buffers, if it provided any.
    pub fn write_logs(&self, info: &[u8], error: &[u8]) {
        self.info.write(info);
        self.error.write(error);
    }
}

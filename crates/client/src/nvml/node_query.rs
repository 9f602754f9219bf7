//! A query to the node's own NVML. The client sends the arguments unchanged and receives the
//! outputs. Generated code calls these functions.

use super::device::facts;
use super::entry::{CudaResult, code_of, driver, put, put_text};
use crate::session::Session;
use outhaul_abi::nvml::{nvmlDevice_t, nvmlReturn_t, versioned};
use outhaul_wire::codec::Field;
use outhaul_wire::messages::{NvmlAsk, NvmlAskReply};
use std::ffi::c_char;

/// A query under construction.
pub struct Question {
    function: u32,
    input: Vec<u8>,
    /// Session of the queried device, once a device was added.
    session: Option<&'static Session>,
}

impl Question {
    /// Creates a query for the function with number `function` in the spec.
    pub fn new(function: u32) -> Question {
        Question { function, input: Vec::new(), session: None }
    }

    /// Adds a device argument.
    pub fn device(&mut self, device: nvmlDevice_t) -> CudaResult {
        let device = facts(device)?;
        if self
            .session
            .replace(device.session)
            .is_some_and(|other| !std::ptr::eq(other, device.session))
        {
            // A node's NVML does not know devices of other nodes.
            return Err(nvmlReturn_t::NOT_SUPPORTED);
        }
        device.node_ordinal.put(&mut self.input);
        Ok(())
    }

    /// Adds a number argument.
    pub fn number(&mut self, number: u32) {
        number.put(&mut self.input);
    }

    /// Rejects a null pointer for an output, before anything is sent.
    pub fn wants<T>(&mut self, place: *mut T) -> CudaResult {
        if place.is_null() { Err(nvmlReturn_t::INVALID_ARGUMENT) } else { Ok(()) }
    }

    /// Rejects a null pointer, and a struct whose version is not 1.
    pub fn wants_version<T>(&mut self, place: *mut T) -> CudaResult {
        self.wants(place)?;
        // SAFETY: checked for null; the version is the first field, and the program has set it.
        if unsafe { place.cast::<u32>().read() } == versioned::<T>(1) {
            Ok(())
        } else {
            Err(nvmlReturn_t::ARGUMENT_VERSION_MISMATCH)
        }
    }

    /// Sends the query and blocks for the reply. A query without a device goes to the first node.
    pub fn ask(&self) -> Result<NvmlOutputs, nvmlReturn_t> {
        let driver = driver()?;
        let session = self.session.unwrap_or(driver.sessions[0]);
        let asked = session.call_apart(&NvmlAsk { function: self.function, input: &self.input });
        let read = |reply: NvmlAskReply<'_>| Ok((reply.status, reply.output.to_vec()));
        let (status, output) = asked.and_then(|answer| answer.read(read)).map_err(code_of)?;
        nvmlReturn_t(status).ok()?;
        Ok(NvmlOutputs { output, taken: 0 })
    }
}

/// Outputs of the node's NVML, taken in the order of the parameters.
pub struct NvmlOutputs {
    output: Vec<u8>,
    taken: usize,
}

impl NvmlOutputs {
    fn take(&mut self, bytes: usize) -> Result<&[u8], nvmlReturn_t> {
        let end = self.taken.checked_add(bytes).ok_or(nvmlReturn_t::UNKNOWN)?;
        let piece = self.output.get(self.taken..end).ok_or(nvmlReturn_t::UNKNOWN)?;
        self.taken = end;
        Ok(piece)
    }

    /// Writes the next output, a number or a struct.
    ///
    /// # Safety
    /// `place` is null or valid for writes of a `T`. `T` is a number or a struct of numbers.
    pub unsafe fn number_or_struct<T: Copy>(&mut self, place: *mut T) -> CudaResult {
        let bytes = self.take(size_of::<T>())?;
        // SAFETY: the piece has the length of a `T`, any bytes are a valid `T`, and the read is
        // unaligned.
        unsafe { put(place, bytes.as_ptr().cast::<T>().read_unaligned()) }
    }

    /// Writes the next output, a text.
    ///
    /// # Safety
    /// `buffer` is null or valid for writes of `length` bytes.
    pub unsafe fn text(&mut self, buffer: *mut c_char, length: u32) -> CudaResult {
        let bytes = self.take(4)?.try_into().map_err(|_| nvmlReturn_t::UNKNOWN)?;
        let text = self.take(u32::from_le_bytes(bytes) as usize)?;
        let text = std::str::from_utf8(text).map_err(|_| nvmlReturn_t::UNKNOWN)?;
        // SAFETY: the caller upholds this function's contract.
        unsafe { put_text(buffer, length, text) }
    }

    /// Fails if outputs are left, because client and node then disagree about the function.
    pub fn end(self) -> CudaResult {
        if self.taken == self.output.len() { Ok(()) } else { Err(nvmlReturn_t::UNKNOWN) }
    }
}

//! The driver calls of each operation.

use super::host::{self, HostCall, HostDeed};
use super::{Machine, Place};
use crate::program::*;
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

/// Calls a driver function, and names the function if the call fails. The model ensures that
/// handles are live and that pointers refer to sufficient memory.
macro_rules! cu {
    ($machine:ident.$function:ident($($argument:expr),* $(,)?)) => {
        super::device::named(stringify!($function),
            // SAFETY: the documentation of this macro says how the model ensures the requirements.
            unsafe { $machine.device.gpu.driver.$function($($argument),*) })
    };
}
pub(super) use cu;

/// Interval between two queries for completion.
const POLL: Duration = Duration::from_micros(50);

/// The start address of one side of a copy, and the memory kind that the call passes to CUDA.
struct Side {
    address: u64,
    memory: i32,
}

impl Machine<'_> {
    pub(super) fn call(&self, index: usize, op: &Op) -> Result<(), String> {
        match &op.deal {
            Deal::Do { stream, action } => self.enqueue(index, *stream, action),
            Deal::Now { action } => self.now(action),
            Deal::WriteHost { to, base } => {
                host::write_at(self.place(to.buffer).host + 4 * to.start as u64, to.len, *base);
                Ok(())
            }
            Deal::CheckHost { of } => {
                let address = self.place(of.buffer).host + 4 * of.start as u64;
                host::compare(
                    host::words_at(address, of.len),
                    of.start,
                    &self.model.sites[index].turns[0][0],
                )
            }
            Deal::Alloc { .. }
            | Deal::AllocAsync { .. }
            | Deal::Free { .. }
            | Deal::FreeAsync { .. }
            | Deal::Register { .. }
            | Deal::Unregister { .. } => self.memory(&op.deal),
            Deal::NewStream { .. }
            | Deal::DropStream { .. }
            | Deal::StreamSync { .. }
            | Deal::StreamPoll { .. }
            | Deal::StreamQuery { .. }
            | Deal::ContextSync => self.of_stream(index, &op.deal),
            Deal::NewEvent { .. }
            | Deal::DropEvent { .. }
            | Deal::Record { .. }
            | Deal::Wait { .. }
            | Deal::EventSync { .. }
            | Deal::EventPoll { .. }
            | Deal::EventQuery { .. } => self.of_event(index, &op.deal),
            _ => self.of_graph(index, &op.deal),
        }
    }

    fn memory(&self, deal: &Deal) -> Result<(), String> {
        match *deal {
            Deal::Alloc { buffer, memory, words } => {
                let place = self.device.allocate(memory, words * 4)?;
                self.objects().places.insert(buffer, place);
            }
            Deal::AllocAsync { buffer, words, stream } => {
                let (mut device, bytes) = (0, words * 4);
                cu!(self.cuMemAllocAsync(&mut device, bytes, self.stream(stream)))?;
                let place = Place {
                    memory: Memory::Pooled,
                    host: device,
                    device,
                    bytes,
                    registered: false,
                };
                self.objects().places.insert(buffer, place);
            }
            Deal::Free { buffer } => {
                let place = self.objects().places.remove(&buffer).ok_or("no such buffer")?;
                self.device.give_back(&place)?;
            }
            Deal::FreeAsync { buffer, stream } => {
                let place = self.objects().places.remove(&buffer).ok_or("no such buffer")?;
                cu!(self.cuMemFreeAsync(place.device, self.stream(stream)))?;
            }
            Deal::Register { buffer, mapped } => {
                let mut place = self.place(buffer);
                let flags = if mapped { values::MEMHOSTALLOC_DEVICEMAP } else { 0 };
                cu!(self.cuMemHostRegister_v2(place.host as *mut c_void, place.bytes, flags))?;
                if mapped {
                    cu!(self.cuMemHostGetDevicePointer_v2(
                        &mut place.device,
                        place.host as *mut c_void,
                        0
                    ))?;
                }
                self.objects().places.insert(buffer, Place { registered: true, ..place });
            }
            Deal::Unregister { buffer } => {
                let place = self.place(buffer);
                cu!(self.cuMemHostUnregister(place.host as *mut c_void))?;
                self.objects().places.insert(buffer, Place { registered: false, ..place });
            }
            _ => return Err("not a call about memory".to_owned()),
        }
        Ok(())
    }

    fn of_stream(&self, index: usize, deal: &Deal) -> Result<(), String> {
        match *deal {
            Deal::NewStream { stream, blocking, priority } => {
                let mut made = CUstream::NULL;
                let flags = if blocking { 0 } else { values::STREAM_NON_BLOCKING };
                match priority {
                    0 => cu!(self.cuStreamCreate(&mut made, flags))?,
                    _ => cu!(self.cuStreamCreateWithPriority(&mut made, flags, priority))?,
                }
                self.objects().streams.insert(stream, made);
                Ok(())
            }
            Deal::DropStream { stream } => {
                let made = self.objects().streams.remove(&stream).ok_or("no such stream")?;
                cu!(self.cuStreamDestroy_v2(made))
            }
            Deal::StreamSync { stream } => cu!(self.cuStreamSynchronize(self.stream(stream))),
            Deal::StreamPoll { stream } => self.poll("cuStreamQuery", || {
                // SAFETY: the stream is live.
                unsafe { self.device.gpu.driver.cuStreamQuery(self.stream(stream)) }
            }),
            // SAFETY: the stream is live.
            Deal::StreamQuery { stream } => self
                .query(index, unsafe { self.device.gpu.driver.cuStreamQuery(self.stream(stream)) }),
            _ => cu!(self.cuCtxSynchronize()),
        }
    }

    fn event(&self, number: usize) -> CUevent {
        self.objects().events[&number]
    }

    fn of_event(&self, index: usize, deal: &Deal) -> Result<(), String> {
        match *deal {
            Deal::NewEvent { event, flags } => {
                let mut made = CUevent::NULL;
                cu!(self.cuEventCreate(&mut made, flags))?;
                self.objects().events.insert(event, made);
                Ok(())
            }
            Deal::DropEvent { event } => {
                let made = self.objects().events.remove(&event).ok_or("no such event")?;
                cu!(self.cuEventDestroy_v2(made))
            }
            Deal::Record { event, stream } => {
                cu!(self.cuEventRecord(self.event(event), self.stream(stream)))
            }
            Deal::Wait { stream, event } => {
                cu!(self.cuStreamWaitEvent(self.stream(stream), self.event(event), 0))
            }
            Deal::EventSync { event } => cu!(self.cuEventSynchronize(self.event(event))),
            Deal::EventPoll { event } => self.poll("cuEventQuery", || {
                // SAFETY: the event is live.
                unsafe { self.device.gpu.driver.cuEventQuery(self.event(event)) }
            }),
            Deal::EventQuery { event } => {
                // SAFETY: the event is live.
                self.query(index, unsafe { self.device.gpu.driver.cuEventQuery(self.event(event)) })
            }
            _ => Err("not a call about events".to_owned()),
        }
    }

    fn poll(&self, what: &str, ask: impl Fn() -> CUresult) -> Result<(), String> {
        loop {
            match ask() {
                CUresult::NOT_READY if !self.shared.has_failed() => std::thread::sleep(POLL),
                CUresult::NOT_READY => return Ok(()),
                other => return super::device::named(what, other),
            }
        }
    }

    fn query(&self, index: usize, answer: CUresult) -> Result<(), String> {
        match answer {
            CUresult::NOT_READY if !self.model.sites[index].must_be_done => Ok(()),
            CUresult::NOT_READY => {
                Err("reports that it is not ready, although all work is known to be done"
                    .to_owned())
            }
            other => super::device::named("the query", other),
        }
    }

    pub(super) fn kernel(&self, index: usize, action: &Action) -> Option<super::device::Launch> {
        let (buffer, has_table) = match action {
            Action::Stamp { to, .. } => (Some(to.buffer), true),
            Action::Check { of } => (Some(of.buffer), true),
            Action::Bump { to, .. } => (Some(to.buffer), false),
            _ => (None, false),
        };
        let table = if has_table { self.table.address(index) } else { 0 };
        self.device.launch(action, buffer.map_or(0, |buffer| self.place(buffer).device), table)
    }

    fn enqueue(&self, index: usize, stream: Stream, action: &Action) -> Result<(), String> {
        let on = self.stream(stream);
        if let Some(mut kernel) = self.kernel(index, action) {
            let (function, threads, none) = (kernel.function, kernel.threads, std::ptr::null_mut());
            return cu!(self.cuLaunchKernel(
                function,
                1,
                1,
                1,
                threads,
                1,
                1,
                0,
                on,
                kernel.arguments(),
                none
            ));
        }
        match action {
            Action::Fill { to, value, unit } => {
                let (at, pitch) =
                    (self.place(to.buffer).device + 4 * to.start as u64, to.pitch * 4);
                let (count, byte, short) = (to.width * 4 / unit, *value as u8, *value as u16);
                match (unit, to.rows) {
                    (1, 1) => cu!(self.cuMemsetD8Async(at, byte, count, on)),
                    (2, 1) => cu!(self.cuMemsetD16Async(at, short, count, on)),
                    (_, 1) => cu!(self.cuMemsetD32Async(at, *value, count, on)),
                    (1, rows) => cu!(self.cuMemsetD2D8Async(at, pitch, byte, count, rows, on)),
                    (2, rows) => cu!(self.cuMemsetD2D16Async(at, pitch, short, count, rows, on)),
                    (_, rows) => cu!(self.cuMemsetD2D32Async(at, pitch, *value, count, rows, on)),
                }
            }
            Action::Copy { to, from, call } => {
                if to.rows > 1 {
                    return cu!(self.cuMemcpy2DAsync_v2(&self.rectangle(to, from, *call), on));
                }
                let (target, source, bytes) =
                    (self.side(to, *call), self.side(from, *call), to.width * 4);
                match (source.memory, target.memory) {
                    (values::MEMORYTYPE_HOST, values::MEMORYTYPE_DEVICE) => {
                        cu!(self.cuMemcpyHtoDAsync_v2(
                            target.address,
                            source.address as *const c_void,
                            bytes,
                            on
                        ))
                    }
                    (values::MEMORYTYPE_DEVICE, values::MEMORYTYPE_HOST) => {
                        cu!(self.cuMemcpyDtoHAsync_v2(
                            target.address as *mut c_void,
                            source.address,
                            bytes,
                            on
                        ))
                    }
                    (values::MEMORYTYPE_DEVICE, values::MEMORYTYPE_DEVICE) => {
                        cu!(self.cuMemcpyDtoDAsync_v2(target.address, source.address, bytes, on))
                    }
                    _ => cu!(self.cuMemcpyAsync(target.address, source.address, bytes, on)),
                }
            }
            Action::Host { deeds } => {
                cu!(self.cuLaunchHostFunc(on, Some(host::called), self.host_call(index, deeds)))
            }
            _ => Err("not work of a stream".to_owned()),
        }
    }

    fn now(&self, action: &Action) -> Result<(), String> {
        match action {
            Action::Fill { to, value, unit } => {
                let (at, pitch) =
                    (self.place(to.buffer).device + 4 * to.start as u64, to.pitch * 4);
                let (count, byte, short) = (to.width * 4 / unit, *value as u8, *value as u16);
                match (unit, to.rows) {
                    (1, 1) => cu!(self.cuMemsetD8_v2(at, byte, count)),
                    (2, 1) => cu!(self.cuMemsetD16_v2(at, short, count)),
                    (_, 1) => cu!(self.cuMemsetD32_v2(at, *value, count)),
                    (1, rows) => cu!(self.cuMemsetD2D8_v2(at, pitch, byte, count, rows)),
                    (2, rows) => cu!(self.cuMemsetD2D16_v2(at, pitch, short, count, rows)),
                    (_, rows) => cu!(self.cuMemsetD2D32_v2(at, pitch, *value, count, rows)),
                }
            }
            Action::Copy { to, from, call } => {
                if to.rows > 1 {
                    return cu!(self.cuMemcpy2D_v2(&self.rectangle(to, from, *call)));
                }
                let (target, source, bytes) =
                    (self.side(to, *call), self.side(from, *call), to.width * 4);
                match (source.memory, target.memory) {
                    (values::MEMORYTYPE_HOST, values::MEMORYTYPE_DEVICE) => {
                        cu!(self.cuMemcpyHtoD_v2(
                            target.address,
                            source.address as *const c_void,
                            bytes
                        ))
                    }
                    (values::MEMORYTYPE_DEVICE, values::MEMORYTYPE_HOST) => {
                        cu!(self.cuMemcpyDtoH_v2(
                            target.address as *mut c_void,
                            source.address,
                            bytes
                        ))
                    }
                    (values::MEMORYTYPE_DEVICE, values::MEMORYTYPE_DEVICE) => {
                        cu!(self.cuMemcpyDtoD_v2(target.address, source.address, bytes))
                    }
                    _ => cu!(self.cuMemcpy(target.address, source.address, bytes)),
                }
            }
            _ => Err("not a synchronous call".to_owned()),
        }
    }

    fn side(&self, rows: &Rows, call: Call) -> Side {
        let place = self.place(rows.buffer);
        let memory = match call {
            Call::Unified => values::MEMORYTYPE_UNIFIED,
            Call::Directed if place.is_host() => values::MEMORYTYPE_HOST,
            Call::Directed => values::MEMORYTYPE_DEVICE,
        };
        Side { address: place.host + 4 * rows.start as u64, memory }
    }

    pub(super) fn rectangle(&self, to: &Rows, from: &Rows, call: Call) -> CUDA_MEMCPY2D {
        let (target, source) = (self.side(to, call), self.side(from, call));
        // SAFETY: all-zero bytes are valid for a struct of numbers and pointers.
        let mut copy: CUDA_MEMCPY2D = unsafe { std::mem::zeroed() };
        (copy.srcMemoryType, copy.srcPitch) = (source.memory, from.pitch * 4);
        (copy.srcHost, copy.srcDevice) = (source.address as *const c_void, source.address);
        (copy.dstMemoryType, copy.dstPitch) = (target.memory, to.pitch * 4);
        (copy.dstHost, copy.dstDevice) = (target.address as *mut c_void, target.address);
        (copy.WidthInBytes, copy.Height) = (to.width * 4, to.rows);
        copy
    }

    pub(super) fn host_call(&self, index: usize, deeds: &[Deed]) -> *mut c_void {
        let at = |range: &Range| self.place(range.buffer).host + 4 * range.start as u64;
        let resolved = deeds.iter().map(|deed| match deed {
            Deed::Check(range) => {
                HostDeed::Check { address: at(range), start: range.start, len: range.len }
            }
            Deed::Write(range, base) => {
                HostDeed::Write { address: at(range), len: range.len, base: *base }
            }
            Deed::Post(token) => HostDeed::Post(*token),
        });
        let call = Arc::new(HostCall {
            name: format!("operation {index} `{}`", self.program.ops[index]),
            deeds: resolved.collect(),
            turns: self.model.sites[index].turns.clone(),
            called: AtomicUsize::new(0),
            shared: self.shared.clone(),
        });
        let argument = Arc::as_ptr(&call).cast_mut().cast();
        self.objects().host_calls.push(call);
        argument
    }
}

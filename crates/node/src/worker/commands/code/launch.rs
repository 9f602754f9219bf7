//! Launches kernels, and answers questions about launches.

use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use outhaul_abi::types::*;
use outhaul_wire::limits::PARAMETER_BYTES_MAX;
use outhaul_wire::messages::{LaunchKernel, OccupancyClusters, OccupancyClustersReply};
use std::ffi::c_void;

const ATTRIBUTES_MAX: usize = 32;
const ATTRIBUTE_BYTES: usize = size_of::<CUlaunchAttribute>();
const ATTRIBUTE_COOPERATIVE: i32 = 2;
const ATTRIBUTE_PROGRAMMATIC_EVENT: i32 = 7;
const ATTRIBUTE_LAUNCH_COMPLETION_EVENT: i32 = 12;
const ATTRIBUTE_DEVICE_UPDATABLE_NODE: i32 = 13;

/// Converts a message's attribute records for the driver. Replaces the client's event handles in
/// them by the driver's.
fn attributes(worker: &Worker, bytes: &[u8]) -> Result<Vec<CUlaunchAttribute>, Refusal> {
    if !bytes.len().is_multiple_of(ATTRIBUTE_BYTES)
        || bytes.len() / ATTRIBUTE_BYTES > ATTRIBUTES_MAX
    {
        return Err(Refusal::Violation(format!("launch attributes of {} bytes", bytes.len())));
    }
    let number = |at: &[u8]| u64::from_le_bytes(at.try_into().expect("eight bytes"));
    bytes
        .chunks_exact(ATTRIBUTE_BYTES)
        .map(|record| {
            let mut value = [0; 8];
            for (word, at) in value.iter_mut().zip(record[8..].chunks_exact(8)) {
                *word = number(at);
            }
            let id = number(&record[..8]) as u32 as i32;
            match id {
                ATTRIBUTE_PROGRAMMATIC_EVENT | ATTRIBUTE_LAUNCH_COMPLETION_EVENT => {
                    value[0] = worker.objects.event(value[0])?.0 as u64
                }
                ATTRIBUTE_DEVICE_UPDATABLE_NODE => {
                    return Err(Refusal::Driver(CUresult::NOT_SUPPORTED));
                }
                _ => {}
            }
            Ok(CUlaunchAttribute { id, pad: [0; 4], value })
        })
        .collect()
}

fn config(
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    stream: CUstream,
    attributes: &[CUlaunchAttribute],
) -> CUlaunchConfig {
    CUlaunchConfig {
        gridDimX: grid[0],
        gridDimY: grid[1],
        gridDimZ: grid[2],
        blockDimX: block[0],
        blockDimY: block[1],
        blockDimZ: block[2],
        sharedMemBytes: shared_bytes,
        hStream: stream,
        attrs: attributes.as_ptr(),
        numAttrs: attributes.len() as u32,
    }
}

impl Worker {
    /// Handles `LaunchKernel`.
    pub fn launch_kernel(&mut self, m: &LaunchKernel<'_>) -> Result<(), Refusal> {
        if m.params.len() > PARAMETER_BYTES_MAX {
            return Err(Refusal::Violation(format!(
                "{} bytes of kernel parameters",
                m.params.len()
            )));
        }
        let function = self.objects.function(m.function)?;
        self.note_launch(m.function);
        let stream = self.objects.stream(m.stream)?;
        let mut size = m.params.len();
        let mut packed = [
            values::LAUNCH_PARAM_BUFFER_POINTER as *mut c_void,
            m.params.as_ptr().cast_mut().cast(),
            values::LAUNCH_PARAM_BUFFER_SIZE as *mut c_void,
            (&raw mut size).cast(),
            values::LAUNCH_PARAM_END as *mut c_void,
        ];
        let extra = if m.params.is_empty() { std::ptr::null_mut() } else { packed.as_mut_ptr() };
        let none = std::ptr::null_mut();
        let ([gx, gy, gz], [bx, by, bz]) = (m.grid, m.block);
        if m.attributes.is_empty() && !m.cooperative {
            // SAFETY: function and stream are the session's own; the driver copies the parameters
            // during the call.
            return Ok(unsafe {
                self.driver.cuLaunchKernel(
                    function,
                    gx,
                    gy,
                    gz,
                    bx,
                    by,
                    bz,
                    m.shared_bytes,
                    stream,
                    none,
                    extra,
                )
            }
            .ok()?);
        }
        let mut attributes = attributes(self, m.attributes)?;
        if m.cooperative {
            attributes.push(CUlaunchAttribute {
                id: ATTRIBUTE_COOPERATIVE,
                pad: [0; 4],
                value: [1, 0, 0, 0, 0, 0, 0, 0],
            });
        }
        let config = config(m.grid, m.block, m.shared_bytes, stream, &attributes);
        // SAFETY: function and stream are the session's own; parameters and attributes outlive the
        // call.
        Ok(unsafe { self.driver.cuLaunchKernelEx(&config, function, none, extra) }.ok()?)
    }

    /// Handles `OccupancyClusters`.
    pub fn occupancy_clusters(
        &mut self,
        m: &OccupancyClusters<'_>,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let function = self.objects.function(m.function)?;
        let attributes = attributes(self, m.attributes)?;
        let config = config(m.grid, m.block, m.shared_bytes, CUstream::NULL, &attributes);
        let mut value = 0;
        // SAFETY: the function is the session's own; the configuration outlives the call, and the
        // out-pointer is a local.
        unsafe {
            if m.active {
                self.driver.cuOccupancyMaxActiveClusters(&mut value, function, &config)
            } else {
                self.driver.cuOccupancyMaxPotentialClusterSize(&mut value, function, &config)
            }
        }
        .ok()?;
        ticket.answer(&OccupancyClustersReply { value });
        Ok(())
    }
}

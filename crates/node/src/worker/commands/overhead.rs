//! Charges for what the driver takes by itself during a command: contexts, code, variables, stacks,
//! streams, executable graphs. Only the driver knows how much that is, and only afterwards, so a
//! command that takes the session beyond its limit is undone.

use crate::worker::log::log;
use crate::worker::memory::DriverMemory;
use crate::worker::state::Worker;
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUdevice, CUresult};
use outhaul_wire::messages::ContextCreate;

const STDERR: u8 = 2;
const MIB: u64 = 1 << 20;

impl Worker {
    /// Charges the session for what the driver took during a command. If that is beyond the limit,
    /// calls `undo` and returns the error for the program. Costs nothing without a limit; the pulse
    /// charges such a session.
    pub fn charge_overhead(&self, undo: impl FnOnce(&Driver)) -> Result<(), CUresult> {
        self.memory.charge_overhead().inspect_err(|_| {
            undo(&self.driver);
            self.memory.charge_anyway();
        })
    }

    /// Charges the session for what the driver took or gave back during a command that cannot be
    /// refused. Costs nothing without a limit.
    pub fn note_overhead(&self) {
        self.memory.charge_anyway();
    }

    /// Charges the session for a new context, or destroys the context and says why.
    pub fn charge_context(&self, context: CUcontext, m: &ContextCreate) -> Result<(), CUresult> {
        let memory = self.memory.device(m.device as usize).driver_memory.clone();
        memory.note_context();
        let before = memory.overhead_bytes();
        let mut words = String::new();
        self.charge_overhead(|driver| {
            words = refused(&memory, before, m.device);
            // SAFETY: the context is a new one of the session's.
            let _ = unsafe {
                if m.primary {
                    driver.cuDevicePrimaryCtxRelease_v2(m.device)
                } else {
                    driver.cuCtxDestroy_v2(context)
                }
            };
        })
        .inspect_err(|_| {
            log(&words);
            self.carrier.outbound.output(STDERR, format!("outhaul: {words}\n").as_bytes());
        })
    }
}

/// Says that a context does not fit, and what to do.
fn refused(memory: &DriverMemory, charged_bytes: u64, device: CUdevice) -> String {
    let (limit_bytes, left_bytes) = memory.limits();
    let context_bytes = memory.overhead().saturating_sub(charged_bytes);
    format!(
        "a CUDA context takes {} MiB of GPU {device}, but of the {} MiB that the session, its \
        tenant or its lease may have there, {} MiB are left; raise the limit (outhaul node set \
        --memory TENANT=SIZE, serve --memory-per-session, or a lease with more --memory), or end \
        other programs of the tenant",
        context_bytes.div_ceil(MIB),
        limit_bytes / MIB,
        left_bytes / MIB
    )
}

//! Questions about the devices, which the node's own NVML answers.

use crate::RELEASE;
use crate::worker::driver::sensors::Sensors;
use crate::worker::ending::end;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::log::log;
use crate::worker::state::Worker;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::codec::Field;
use outhaul_wire::messages::{
    NvmlAsk, NvmlDriverVersion, NvmlDriverVersionReply, NvmlFields, NvmlMemory, NvmlPciIds,
};

impl Worker {
    /// Answers an NVML call in another thread, because some sensors take milliseconds.
    pub fn sense(
        &self,
        ticket: Ticket,
        answer: impl FnOnce(&Sensors, &Ticket) -> Result<(), Refusal> + Send + 'static,
    ) -> Result<(), Refusal> {
        self.sensors.get().ok_or(Refusal::Driver(CUresult::NOT_SUPPORTED))?;
        let sensors = self.sensors.clone();
        self.carrier.waiters.run(move || {
            let answered = sensors.get().map_or(Ok(()), |sensors| answer(sensors, &ticket));
            if let Err(Refusal::Violation(reason)) =
                answered.or_else(|refusal| ticket.refuse(refusal))
            {
                log(&format!("the session ends: {reason}"));
                end()
            }
        });
        Ok(())
    }

    /// Handles `NvmlAsk`.
    pub fn nvml_ask(&mut self, m: &NvmlAsk<'_>, ticket: &Ticket) -> Result<(), Refusal> {
        let (function, input) = (m.function, m.input.to_vec());
        self.sense(ticket.clone(), move |sensors, ticket| {
            let answer = sensors.ask(&NvmlAsk { function, input: &input })?;
            ticket.answer(&answer.reply());
            Ok(())
        })
    }

    /// Handles `NvmlDriverVersion`.
    pub fn nvml_driver_version(
        &mut self,
        _: &NvmlDriverVersion,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let found = self.sensors.get().and_then(Sensors::driver_version);
        ticket.answer(&NvmlDriverVersionReply { text: found.as_deref().unwrap_or(RELEASE) });
        Ok(())
    }

    /// Handles `NvmlMemory`.
    pub fn nvml_memory(&mut self, m: &NvmlMemory, ticket: &Ticket) -> Result<(), Refusal> {
        let (ordinal, info) = (m.device, self.memory.info_of(m.device)?);
        let (sensors, driver) = (self.sensors.clone(), self.driver.clone());
        self.answer_when_unmapped(ticket.clone(), info, move |info| {
            let mut total = 0;
            // SAFETY: the out-pointer is a local.
            unsafe { driver.cuDeviceTotalMem_v2(&mut total, ordinal) }.ok()?;
            let free_bytes = match sensors.get().and_then(|sensors| sensors.free_bytes(ordinal)) {
                Some(free_bytes) => free_bytes,
                None => free_bytes(&driver, ordinal)?,
            };
            Ok(info.nvml_reply(free_bytes, total as u64).encoded())
        });
        Ok(())
    }

    /// Handles `NvmlFields`.
    pub fn nvml_fields(&mut self, m: &NvmlFields, ticket: &Ticket) -> Result<(), Refusal> {
        let m = m.clone();
        self.sense(ticket.clone(), move |sensors, ticket| {
            ticket.answer(&sensors.fields(&m)?);
            Ok(())
        })
    }

    /// Handles `NvmlPciIds`.
    pub fn nvml_pci_ids(&mut self, m: &NvmlPciIds, ticket: &Ticket) -> Result<(), Refusal> {
        let m = m.clone();
        self.sense(ticket.clone(), move |sensors, ticket| {
            ticket.answer(&sensors.pci_ids(&m)?);
            Ok(())
        })
    }
}

/// Returns a device's free memory in bytes, as the driver reports it. The driver reports only on
/// the current context's device.
fn free_bytes(driver: &Driver, device: i32) -> Result<u64, CUresult> {
    let (mut primary, mut before, mut free, mut total) = (CUcontext::NULL, CUcontext::NULL, 0, 0);
    // SAFETY: the out-pointers are locals, and the previous context becomes current again.
    unsafe {
        driver.cuDevicePrimaryCtxRetain(&mut primary, device).ok()?;
        let found = driver.cuCtxPushCurrent_v2(primary).ok().and_then(|()| {
            let found = driver.cuMemGetInfo_v2(&mut free, &mut total).ok();
            driver.cuCtxPopCurrent_v2(&mut before).ok().and(found)
        });
        let _ = driver.cuDevicePrimaryCtxRelease_v2(device);
        found?;
    }
    Ok(free as u64)
}

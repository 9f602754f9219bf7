//! Implements the export tables, through which NVIDIA's runtime talks to the driver at start-up.

use outhaul_abi::export_tables::export_table::{DeviceIdentity, Host};
use outhaul_abi::types::{CUcontext, CUdevice, CUfunction, CUmodule, CUresult, CUuuid};

use crate::driver::objects::streams::context;
use crate::driver::state;
use crate::driver::system::error::Error;

/// The reported driver version, CUDA 13.0.
pub const DRIVER_VERSION: i32 = 13000;

/// The software GPU, as the export tables see it.
pub struct SoftHost;

fn number(error: Error) -> CUresult {
    CUresult(error.code())
}

impl Host for SoftHost {
    fn driver_version(&self) -> u32 {
        DRIVER_VERSION as u32
    }

    fn devices(&self) -> Vec<DeviceIdentity> {
        let Ok(driver) = state::driver() else { return Vec::new() };
        let attribute =
            |device: &crate::driver::device::Device, id| device.attribute(id).unwrap_or(0);
        let identity = |device: &crate::driver::device::Device| DeviceIdentity {
            uuid: device.uuid(),
            pci_domain: attribute(device, 50),
            pci_bus: attribute(device, 33),
            pci_device: attribute(device, 34),
        };
        driver.devices.iter().map(identity).collect()
    }

    fn primary_context(&self, device: CUdevice) -> Result<CUcontext, CUresult> {
        let slot = state::driver().and_then(|driver| driver.primary(device)).map_err(number)?;
        Ok(CUcontext(slot.handle as usize))
    }

    fn current_context(&self) -> CUcontext {
        CUcontext(context::current_handle().unwrap_or(0) as usize)
    }

    fn context_id(&self, context: CUcontext) -> Result<u64, CUresult> {
        let slot =
            state::driver().and_then(|driver| driver.slot(context.0 as u64)).map_err(number)?;
        Ok(slot.context().map_err(number)?.id)
    }

    fn module_functions(&self, module: CUmodule) -> Result<Vec<CUfunction>, CUresult> {
        let driver = state::driver().map_err(number)?;
        let module = driver.modules.get(module.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
        let names: Vec<String> =
            module.program.kernels().map(|kernel| kernel.name.clone()).collect();
        let function = |name: &String| {
            driver.module_function(&module, name).map(|handle| CUfunction(handle as usize))
        };
        names.iter().map(function).collect::<Result<_, _>>().map_err(number)
    }

    fn refused(&self, id: &CUuuid) {
        if let Some(driver) = state::started() {
            let bytes: String = id.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            driver.log(&format!("export table {bytes} is not served"));
        }
    }

    fn refused_slot(&self, id: &[u8; 16], slot: u32) {
        if let Some(driver) = state::started() {
            let bytes: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
            driver.log(&format!("slot {slot} of export table {bytes} is not known"));
        }
    }
}

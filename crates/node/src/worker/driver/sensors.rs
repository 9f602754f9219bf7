//! Answers questions about the session's devices with the node's own NVML. The library is loaded
//! when a client first asks, and is never linked. Devices are found by UUID, so that a sensor's
//! value never comes from another GPU. If NVML is missing or does not know the device, the answer
//! is that the question is not supported. Deliberately absent: everything that changes a GPU.

use crate::generated::nvml_ask::ask;
use crate::worker::io::frame::Refusal;
use crate::worker::io::marshal;
use outhaul_abi::Driver;
use outhaul_abi::nvml::*;
use outhaul_abi::types::*;
use outhaul_wire::codec::{Field, List, Reader};
use outhaul_wire::limits::SENSOR_FIELDS_MAX;
use outhaul_wire::messages::{
    NvmlAsk, NvmlAskReply, NvmlField, NvmlFieldValue, NvmlFields, NvmlFieldsReply, NvmlPciIds,
    NvmlPciIdsReply,
};
use std::ffi::{CString, c_char};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// NVML's value for a number that it cannot tell.
const NOT_AVAILABLE: u64 = u64::MAX;
const LIBRARY: &str = "libnvidia-ml.so.1";
/// Size in bytes of a buffer that holds any of NVML's texts.
pub const TEXT_BYTES: usize = 256;
/// Largest number of processes on a device that NVML is asked for.
const PROCESSES_MAX: usize = 4096;
/// Number of processes for which the first question has room.
const PROCESSES_FIRST: usize = 64;

/// The node's NVML, opened when it is first asked.
pub struct LazySensors {
    driver: Arc<Driver>,
    devices: i32,
    opened: OnceLock<Option<Sensors>>,
}

impl LazySensors {
    /// Makes the sensors of the first `devices` devices.
    pub fn new(driver: Arc<Driver>, devices: i32) -> LazySensors {
        LazySensors { driver, devices, opened: OnceLock::new() }
    }

    /// Returns the sensors; `None` if the node has none.
    pub fn get(&self) -> Option<&Sensors> {
        self.opened.get_or_init(|| Sensors::open(&self.driver, self.devices)).as_ref()
    }
}

/// The node's NVML and the session's devices.
pub struct Sensors {
    nvml: Nvml,
    /// NVML's device handles by ordinal.
    devices: Vec<Option<nvmlDevice_t>>,
}

impl Sensors {
    /// Loads and initializes NVML. Returns `None` if either fails.
    pub fn open(driver: &Driver, devices: i32) -> Option<Sensors> {
        let nvml = Nvml::open(Path::new(LIBRARY)).ok()?;
        // SAFETY: takes no pointers.
        unsafe { nvml.nvmlInit_v2() }.ok().ok()?;
        let devices = (0..devices).map(|ordinal| find(&nvml, driver, ordinal)).collect();
        Some(Sensors { nvml, devices })
    }

    /// Returns the driver's version.
    pub fn driver_version(&self) -> Option<String> {
        let mut text = [0; TEXT_BYTES];
        // SAFETY: the buffer is valid for writes of `TEXT_BYTES` bytes.
        unsafe { self.nvml.nvmlSystemGetDriverVersion(text.as_mut_ptr(), TEXT_BYTES as u32) }
            .ok()
            .ok()?;
        Some(text_of(&text))
    }

    fn device(&self, ordinal: i32) -> Result<nvmlDevice_t, Refusal> {
        let found = usize::try_from(ordinal).ok().and_then(|i| self.devices.get(i));
        let device =
            found.ok_or_else(|| Refusal::Violation(format!("there is no device {ordinal}")))?;
        device.ok_or(Refusal::Driver(CUresult::NOT_SUPPORTED))
    }

    /// Calls NVML for the client and returns the answer. Fails if the arguments are invalid.
    pub fn ask(&self, m: &NvmlAsk<'_>) -> Result<NvmlAnswer, Refusal> {
        let mut question = Question {
            function: m.function,
            input: Reader::new(m.input),
            sensors: self,
            output: Vec::new(),
        };
        let status = ask(&self.nvml, &mut question)?;
        Ok(NvmlAnswer { status: status.0, output: question.output })
    }

    /// Returns the device's free memory in bytes, or `None` if NVML does not know the device.
    pub fn free_bytes(&self, ordinal: i32) -> Option<u64> {
        let mut memory = nvmlMemory_t { total: 0, free: 0, used: 0 };
        let device = self.device(ordinal).ok()?;
        // SAFETY: NVML returned the device handle, and the out-pointer is a local.
        unsafe { self.nvml.nvmlDeviceGetMemoryInfo(device, &mut memory) }.ok().ok()?;
        Some(memory.free)
    }

    /// Returns how many bytes of the device's memory this process has, or `None` if NVML does not
    /// list it: before its first context, or in a container whose process ids NVML does not know.
    /// Takes 50 us on an H200. Managed memory is not among the bytes.
    pub fn own_bytes(&self, ordinal: i32) -> Option<u64> {
        let device = self.device(ordinal).ok()?;
        let mut room = PROCESSES_FIRST;
        loop {
            let empty = nvmlProcessInfo_t {
                pid: 0,
                usedGpuMemory: 0,
                gpuInstanceId: 0,
                computeInstanceId: 0,
            };
            let mut found = vec![empty; room];
            let mut count = room as u32;
            // SAFETY: NVML returned the device handle, and the array is valid for writes of `count`
            // records.
            let status = unsafe {
                self.nvml.nvmlDeviceGetComputeRunningProcesses_v3(
                    device,
                    &mut count,
                    found.as_mut_ptr(),
                )
            };
            if status == nvmlReturn_t::INSUFFICIENT_SIZE && room < PROCESSES_MAX {
                room = (2 * room).max(count as usize).min(PROCESSES_MAX);
                continue;
            }
            status.ok().ok()?;
            let own = found.iter().take(count as usize).filter(|one| one.pid == std::process::id());
            let known = own.map(|one| one.usedGpuMemory).filter(|bytes| *bytes != NOT_AVAILABLE);
            return known.reduce(u64::saturating_add);
        }
    }

    /// Reads the values of a device's fields.
    pub fn fields(&self, m: &NvmlFields) -> Result<NvmlFieldsReply, Refusal> {
        let device = self.device(m.device)?;
        let mut values = blank(&m.fields.0)?;
        // SAFETY: NVML returned the device handle, and the array is valid for writes of
        // `values.len()` records.
        let status = unsafe {
            self.nvml.nvmlDeviceGetFieldValues(device, values.len() as i32, values.as_mut_ptr())
        };
        let reply = values.iter().map(|v| NvmlFieldValue {
            status: if status == nvmlReturn_t::SUCCESS { v.nvmlReturn } else { status.0 },
            kind: v.valueType,
            value: v.value,
            timestamp_us: v.timestamp as u64,
            latency_us: v.latencyUsec as u64,
        });
        Ok(NvmlFieldsReply { values: List(reply.collect()) })
    }

    /// Returns a device's PCI identifiers.
    pub fn pci_ids(&self, m: &NvmlPciIds) -> Result<NvmlPciIdsReply, Refusal> {
        let mut pci: nvmlPciInfo_t = marshal::zero();
        // SAFETY: NVML returned the device handle, and the out-pointer is a local.
        let status = unsafe { self.nvml.nvmlDeviceGetPciInfo_v3(self.device(m.device)?, &mut pci) };
        status.ok().map_err(|_| CUresult::NOT_SUPPORTED)?;
        Ok(NvmlPciIdsReply { device_id: pci.pciDeviceId, subsystem_id: pci.pciSubSystemId })
    }
}

/// Returns one empty record per field.
fn blank(fields: &[NvmlField]) -> Result<Vec<nvmlFieldValue_t>, Refusal> {
    if fields.len() > SENSOR_FIELDS_MAX {
        return Err(Refusal::Violation(format!(
            "{} fields are more than {SENSOR_FIELDS_MAX}",
            fields.len()
        )));
    }
    let record = |f: &NvmlField| nvmlFieldValue_t {
        fieldId: f.field,
        scopeId: f.scope,
        timestamp: 0,
        latencyUsec: 0,
        valueType: 0,
        nvmlReturn: 0,
        value: 0,
    };
    Ok(fields.iter().map(record).collect())
}

/// Finds the driver's device in NVML. A MIG slice has a UUID of its own, with another prefix.
fn find(nvml: &Nvml, driver: &Driver, ordinal: i32) -> Option<nvmlDevice_t> {
    let mut uuid = CUuuid::default();
    // SAFETY: the out-pointer is a local.
    unsafe { driver.cuDeviceGetUuid_v2(&mut uuid, ordinal) }.ok().ok()?;
    ["GPU", "MIG"].iter().find_map(|prefix| {
        let name = CString::new(format!("{prefix}-{uuid}")).ok()?;
        let mut device = nvmlDevice_t::default();
        // SAFETY: the name is a C string, and the out-pointer is a local.
        unsafe { nvml.nvmlDeviceGetHandleByUUID(name.as_ptr(), &mut device) }.ok().ok()?;
        Some(device)
    })
}

fn text_of(buffer: &[c_char]) -> String {
    let bytes: Vec<u8> = buffer.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// NVML's answer to a question.
pub struct NvmlAnswer {
    status: i32,
    output: Vec<u8>,
}

impl NvmlAnswer {
    /// Returns the reply for the client.
    pub fn reply(&self) -> NvmlAskReply<'_> {
        NvmlAskReply { status: self.status, output: &self.output }
    }
}

/// A question to NVML in progress: its arguments, and the answer so far.
pub struct Question<'a> {
    /// Number of the NVML function.
    pub function: u32,
    input: Reader<'a>,
    sensors: &'a Sensors,
    output: Vec<u8>,
}

impl Question<'_> {
    /// Reads a device from the arguments.
    pub fn device(&mut self) -> Result<nvmlDevice_t, Refusal> {
        let ordinal = i32::take(&mut self.input)?;
        self.sensors.device(ordinal)
    }

    /// Reads a number from the arguments.
    pub fn number(&mut self) -> Result<u32, Refusal> {
        Ok(u32::take(&mut self.input)?)
    }

    /// Returns an error if any arguments are left.
    pub fn end(&mut self) -> Result<(), Refusal> {
        Ok(std::mem::replace(&mut self.input, Reader::new(&[])).whole::<()>()?)
    }

    /// Appends bytes to the answer.
    pub fn answer(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
    }

    /// Appends the text in a C buffer to the answer.
    pub fn answer_text(&mut self, buffer: &[c_char]) {
        text_of(buffer).as_str().put(&mut self.output);
    }
}

//! Starts a session: its driver, its memory, and the welcome. The welcome contains facts that a
//! client learns once, such as each device's constant properties.

use crate::RELEASE;
use crate::accounting::ledger::{Ledger, LedgerRow};
use crate::sharing::scheduler_channel::SchedulerChannel;
use crate::worker::driver::devices;
use crate::worker::driver::devices::device_count;
use crate::worker::driver::process_memory::ProcessMemory;
use crate::worker::driver::sensors::LazySensors;
use crate::worker::driver::waiters::Waiters;
use crate::worker::io::incoming_connections;
use crate::worker::io::options::Options;
use crate::worker::memory::Memory;
use crate::worker::memory::info::MemoryInfo;
use crate::worker::memory::residency::{Holdings, Residency};
use crate::worker::memory::sharing::Sharing;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_transport::SessionKey;
use outhaul_wire::codec::List;
use outhaul_wire::handshake::{self, Device, HandshakeKind, KeyShare, Welcome};
use std::ffi::{CStr, c_char};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

const TEXT_BYTES: usize = 256;
/// Sent for an attribute that the driver does not know.
const NO_ATTRIBUTE: i32 = i32::MIN;

/// The ledgers of memory that may move to the host.
pub struct Moving {
    control: SchedulerChannel,
    movable: LedgerRow<Arc<Ledger>>,
    resident: LedgerRow<Arc<Ledger>>,
    host: LedgerRow<Arc<Ledger>>,
}

impl Moving {
    /// Maps the three ledgers into memory.
    pub fn adopt(
        [movable, resident, host]: [LedgerRow<OwnedFd>; 3],
        control: SchedulerChannel,
    ) -> io::Result<Moving> {
        Ok(Moving {
            control,
            movable: movable.map()?,
            resident: resident.map()?,
            host: host.map()?,
        })
    }

    /// Returns the session's accounts for `device` and for the host.
    fn holdings(&self, device: usize) -> Holdings {
        Holdings {
            movable: self.movable.allowance(device),
            resident: self.resident.allowance(device),
            host: self.host.allowance(0),
        }
    }
}

/// The state in which a session begins.
pub struct Started {
    /// The driver.
    pub driver: Arc<Driver>,
    /// The session's memory, in which nothing is mapped yet.
    pub memory: Memory,
    /// The sensors, which nothing has asked yet.
    pub sensors: Arc<LazySensors>,
    /// The session's key, if the client asked for one.
    pub key: Option<SessionKey>,
    /// The encoded welcome for the client.
    pub welcome: Vec<u8>,
    /// The devices' identities.
    pub devices: Vec<u64>,
}

/// Starts the driver, reserves the session's memory, and prepares the welcome. An error is the
/// reason to send to the client.
pub fn start_driver(
    options: &Options,
    waiters: &Arc<Waiters>,
    sharing: Sharing,
    ledger: LedgerRow<Arc<Ledger>>,
    moving: &Option<Moving>,
) -> Result<Started, String> {
    let driver = Arc::new(Driver::open(&options.library).map_err(|e| e.to_string())?);
    // SAFETY: takes no pointers.
    unsafe { driver.cuInit(0) }.ok().map_err(|e| {
        format!("the node's driver {} does not start: {e}", options.library.display())
    })?;
    let describe = |e: CUresult| format!("the node's driver does not describe its devices: {e}");
    let count = devices::device_count(&driver).map_err(describe)?;
    if let Some(devices) = options.devices.filter(|devices| *devices != count as usize) {
        let noun = if devices == 1 { "device" } else { "devices" };
        return Err(format!(
            "the lease includes {devices} {noun}, but the driver shows {count}; the node's log has \
             details"
        ));
    }
    let residency = |device: CUdevice, page_bytes, total_bytes| {
        let holdings = moving.as_ref()?.holdings(device as usize);
        let control = moving.as_ref()?.control.clone();
        Some(Arc::new(Residency::new(
            driver.clone(),
            control,
            device as u8,
            page_bytes,
            total_bytes,
            holdings,
        )))
    };
    let sensors = Arc::new(LazySensors::new(driver.clone(), count));
    let process = Arc::new(ProcessMemory::of(&options.library, sensors.clone()));
    let memory = Memory::reserve(
        driver.clone(),
        waiters.clone(),
        sharing,
        (count, options.arena_base),
        &process,
        |device| ledger.allowance(device),
        residency,
    )?;
    let (key, key_share) = incoming_connections::agree(&options.key_share)
        .map_err(|e| format!("the session gets no key: {e}; try again"))?;
    let welcome = welcome(&driver, &memory, key_share).map_err(describe)?;
    let devices = devices::identities(&driver).map_err(describe)?;
    Ok(Started { driver, memory, sensors, key, welcome, devices })
}

/// Returns the encoded welcome.
fn welcome(driver: &Driver, memory: &Memory, key_share: KeyShare) -> Result<Vec<u8>, CUresult> {
    let mut driver_version = 0;
    // SAFETY: the out-pointer is a local.
    unsafe { driver.cuDriverGetVersion(&mut driver_version) }.ok()?;
    let texts = (0..device_count(driver)?)
        .map(|d| Ok((name(driver, d)?, pci_bus_id(driver, d)?)))
        .collect::<Result<Vec<_>, CUresult>>()?;
    let devices = texts
        .iter()
        .enumerate()
        .map(|(i, (name, bus))| device(driver, memory, i, name, bus))
        .collect::<Result<Vec<_>, CUresult>>()?;
    Ok(handshake::encode(
        HandshakeKind::Welcome,
        &Welcome { release: RELEASE, driver_version, devices: List(devices), key_share },
    ))
}

fn device<'a>(
    driver: &Driver,
    memory: &Memory,
    ordinal: usize,
    name: &'a str,
    pci_bus_id: &'a str,
) -> Result<Device<'a>, CUresult> {
    let mut uuid = CUuuid::default();
    let mut total = 0;
    // SAFETY: both out-pointers are locals.
    unsafe {
        driver.cuDeviceGetUuid_v2(&mut uuid, ordinal as i32).ok()?;
        driver.cuDeviceTotalMem_v2(&mut total, ordinal as i32).ok()?;
    }
    let arena = memory.device(ordinal);
    let attribute = |id: usize| {
        let mut value = 0;
        // SAFETY: the out-pointer is a local.
        let result = unsafe { driver.cuDeviceGetAttribute(&mut value, id as i32, ordinal as i32) };
        if result == CUresult::SUCCESS { value } else { NO_ATTRIBUTE }
    };
    Ok(Device {
        name,
        uuid: uuid.bytes,
        pci_bus_id,
        total_bytes: MemoryInfo::of(arena).limited(total as u64),
        granularity_bytes: arena.granularity_bytes,
        arena_base: arena.base,
        arena_bytes: arena.bytes,
        granted_bytes: arena.granted_bytes,
        is_limited: arena.is_limited,
        memory_moves: arena.moves(),
        attributes: List((0..values::DEVICE_ATTRIBUTE_COUNT).map(attribute).collect()),
    })
}

fn text(fill: impl FnOnce(*mut c_char, i32) -> CUresult) -> Result<String, CUresult> {
    let mut buffer = [0 as c_char; TEXT_BYTES];
    fill(buffer.as_mut_ptr(), (TEXT_BYTES - 1) as i32).ok()?;
    // SAFETY: the driver wrote a C string, and the last byte is NUL in any case.
    Ok(unsafe { CStr::from_ptr(buffer.as_ptr()) }.to_string_lossy().into_owned())
}

fn name(driver: &Driver, device: CUdevice) -> Result<String, CUresult> {
    // SAFETY: `buffer` is valid for writes of `length` bytes.
    text(|buffer, length| unsafe { driver.cuDeviceGetName(buffer, length, device) })
}

fn pci_bus_id(driver: &Driver, device: CUdevice) -> Result<String, CUresult> {
    // SAFETY: `buffer` is valid for writes of `length` bytes.
    text(|buffer, length| unsafe { driver.cuDeviceGetPCIBusId(buffer, length, device) })
}

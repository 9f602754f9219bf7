//! Memory and events that sessions of one node share. A worker keeps descriptors of what its client
//! shares, each under a random key; a descriptor socket serves them. A key is valid while the
//! session has the memory or the event. A worker that has adopted an object keeps it afterwards.

use super::mapping;
use crate::worker::driver::devices::{device_count, uuid_of};
use crate::worker::driver::shared_objects::{Share, Shared, SharedObjects, random};
use crate::worker::io::frame::Refusal;
use crate::worker::io::listener::Listener;
use outhaul_abi::Driver;
use outhaul_abi::types::{
    CUdevice, CUevent, CUipcEventHandle, CUmemGenericAllocationHandle, CUresult, CUuuid,
};
use outhaul_transport::{FdServer, Key};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;

/// A session's shared memory and events.
pub struct Sharing {
    /// The connection to the listener, which knows the other sessions.
    pub listener: Listener,
    objects: SharedObjects,
    /// Number by which other workers find the descriptor socket.
    number: u64,
    /// The server, until something is first shared. From then on a thread runs the server.
    server: Option<FdServer>,
}

/// Another session's memory, as this session's driver names it.
pub struct Adopted {
    /// The memory's handle.
    pub handle: CUmemGenericAllocationHandle,
    /// Ordinal of the memory's device.
    pub device: CUdevice,
    /// Size in bytes.
    pub bytes: u64,
    /// How many of the bytes the driver counts as this process's.
    pub counted_bytes: u64,
}

impl Sharing {
    /// Opens the worker's descriptor socket. The caller must still be in the network namespace
    /// where other workers find the socket.
    pub fn open(listener: Listener) -> io::Result<Sharing> {
        let number = u64::from_le_bytes(random().map_err(|_| io::Error::last_os_error())?);
        Ok(Sharing {
            listener,
            objects: SharedObjects::default(),
            number,
            server: Some(FdServer::open(number)?),
        })
    }

    /// Returns the number of this worker's descriptor socket, and serves the socket from now on.
    pub fn socket(&mut self) -> u64 {
        if let Some(server) = self.server.take() {
            let shares = self.objects.clone();
            crate::worker::io::threads::start("shared-pools", move || {
                server.serve(|key| shares.find(key))
            });
        }
        self.number
    }

    /// Shares some of the session's memory.
    pub fn share(
        &self,
        driver: &Driver,
        handle: CUmemGenericAllocationHandle,
        device: CUdevice,
        bytes: u64,
    ) -> Result<Share, Refusal> {
        let descriptor = export(driver, handle)?;
        self.objects.insert(Shared::Memory { descriptor, uuid: uuid_of(driver, device)?, bytes })
    }

    /// Shares one of the session's events.
    pub fn share_event(&self, driver: &Driver, event: CUevent) -> Result<Share, Refusal> {
        let mut handle = CUipcEventHandle { reserved: [0; 64] };
        // SAFETY: the event is the session's own, and the out-pointer is a local.
        unsafe { driver.cuIpcGetEventHandle(&mut handle, event) }.ok()?;
        self.objects.insert(Shared::Event(handle))
    }
}

/// Adopts memory that a worker of this node shares under `key`.
pub fn adopt(
    driver: &Driver,
    listener: &Listener,
    socket: u64,
    key: &Key,
    figure: impl Fn(CUdevice) -> Option<u64>,
) -> Result<Adopted, CUresult> {
    let (content, descriptor) = listener.fetch(socket, key).map_err(|_| CUresult::INVALID_VALUE)?;
    let descriptor = descriptor.ok_or(CUresult::INVALID_VALUE)?;
    let (uuid, bytes) = content.split_first_chunk().ok_or(CUresult::INVALID_VALUE)?;
    let bytes = u64::from_le_bytes(bytes.try_into().map_err(|_| CUresult::INVALID_VALUE)?);
    import(driver, &descriptor, (&CUuuid { bytes: *uuid }, bytes), figure)
}

/// Returns a descriptor for the session's own memory.
pub fn export(driver: &Driver, handle: CUmemGenericAllocationHandle) -> Result<OwnedFd, CUresult> {
    // SAFETY: the handle is the session's own.
    unsafe { mapping::export(driver, handle) }
}

/// Whether the driver counts imported memory as the importing process's. The first import shows it.
/// The driver's figure takes up to 1 ms where many processes use the GPU, so later imports do not
/// ask.
static IMPORTS_COUNT: OnceLock<bool> = OnceLock::new();

/// Imports the `bytes` bytes behind a descriptor, on the device with this UUID. `figure` returns
/// what the driver counts as this process's memory on a device.
pub fn import(
    driver: &Driver,
    descriptor: &OwnedFd,
    (uuid, bytes): (&CUuuid, u64),
    figure: impl Fn(CUdevice) -> Option<u64>,
) -> Result<Adopted, CUresult> {
    let own =
        |device: &CUdevice| uuid_of(driver, *device).is_ok_and(|found| found.bytes == uuid.bytes);
    let device = (0..device_count(driver)?).find(own).ok_or(CUresult::INVALID_DEVICE)?;
    let ask = || if IMPORTS_COUNT.get().is_none() { figure(device) } else { None };
    let (handle, grown_bytes) = mapping::import(driver, descriptor, ask)?;
    if let Some(grown_bytes) = grown_bytes {
        let _ = IMPORTS_COUNT.set(grown_bytes > bytes / 2);
    }
    let counted_bytes = if IMPORTS_COUNT.get() == Some(&true) { bytes } else { 0 };
    Ok(Adopted { handle, device, bytes, counted_bytes })
}

/// Adopts an event that a worker of this node shares under `key`.
pub fn adopt_event(
    driver: &Driver,
    listener: &Listener,
    socket: u64,
    key: &Key,
) -> Result<CUevent, CUresult> {
    let (content, _) = listener.fetch(socket, key).map_err(|_| CUresult::INVALID_VALUE)?;
    let reserved = content.try_into().map_err(|_| CUresult::INVALID_VALUE)?;
    let mut event = CUevent::NULL;
    // SAFETY: another worker of this user got the handle from its driver, and the out-pointer is a
    // local.
    unsafe { driver.cuIpcOpenEventHandle(&mut event, CUipcEventHandle { reserved }) }.ok()?;
    Ok(event)
}

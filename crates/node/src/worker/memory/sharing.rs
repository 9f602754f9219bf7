//! Memory and events that sessions of one node share. A worker keeps the descriptors of what its
//! client shares, which a descriptor socket serves, each under a random key. A key is valid while
//! the session has the memory or the event. Another worker that has adopted it by then keeps it.

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

/// The shared memory and events of a session.
pub struct Sharing {
    objects: SharedObjects,
    /// Number by which other workers know the descriptor socket.
    number: u64,
    /// The server until something is first shared. From then on a thread runs it.
    server: Option<FdServer>,
}

/// Memory of another session, as this session's driver names it.
pub struct Adopted {
    /// Handle of the memory.
    pub handle: CUmemGenericAllocationHandle,
    /// Ordinal of its device.
    pub device: CUdevice,
    /// Size in bytes.
    pub bytes: u64,
}

impl Sharing {
    /// Opens the worker's descriptor socket. Must be called while the worker is in a network where
    /// other workers find it.
    pub fn open() -> io::Result<Sharing> {
        let number = u64::from_le_bytes(random().map_err(|_| io::Error::last_os_error())?);
        Ok(Sharing {
            objects: SharedObjects::default(),
            number,
            server: Some(FdServer::open(number)?),
        })
    }

    /// Returns the number of this worker's descriptor socket, and serves it from now on.
    pub fn socket(&mut self) -> u64 {
        if let Some(server) = self.server.take() {
            let shares = self.objects.clone();
            crate::worker::io::threads::start("shared-pools", move || {
                server.serve(|key| shares.find(key))
            });
        }
        self.number
    }

    /// Shares memory of the session.
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

    /// Shares an event of the session.
    pub fn share_event(&self, driver: &Driver, event: CUevent) -> Result<Share, Refusal> {
        let mut handle = CUipcEventHandle { reserved: [0; 64] };
        // SAFETY: the event is the session's own, and the handle goes to a local.
        unsafe { driver.cuIpcGetEventHandle(&mut handle, event) }.ok()?;
        self.objects.insert(Shared::Event(handle))
    }
}

/// Adopts memory that a worker of this node shares under the key.
pub fn adopt(
    driver: &Driver,
    listener: &Listener,
    socket: u64,
    key: &Key,
) -> Result<Adopted, CUresult> {
    let (content, descriptor) = listener.fetch(socket, key).map_err(|_| CUresult::INVALID_VALUE)?;
    let descriptor = descriptor.ok_or(CUresult::INVALID_VALUE)?;
    let (uuid, bytes) = content.split_first_chunk().ok_or(CUresult::INVALID_VALUE)?;
    let bytes = u64::from_le_bytes(bytes.try_into().map_err(|_| CUresult::INVALID_VALUE)?);
    let (handle, device) = import(driver, &descriptor, &CUuuid { bytes: *uuid })?;
    Ok(Adopted { handle, device, bytes })
}

/// Returns a descriptor of the session's own memory.
pub fn export(driver: &Driver, handle: CUmemGenericAllocationHandle) -> Result<OwnedFd, CUresult> {
    // SAFETY: the handle is the session's own.
    unsafe { mapping::export(driver, handle) }
}

/// Imports the memory of a descriptor. Returns its handle and this driver's ordinal of its device.
pub fn import(
    driver: &Driver,
    descriptor: &OwnedFd,
    uuid: &CUuuid,
) -> Result<(CUmemGenericAllocationHandle, CUdevice), CUresult> {
    let own =
        |device: &CUdevice| uuid_of(driver, *device).is_ok_and(|found| found.bytes == uuid.bytes);
    let device = (0..device_count(driver)?).find(own).ok_or(CUresult::INVALID_DEVICE)?;
    Ok((mapping::import(driver, descriptor)?, device))
}

/// Adopts an event that a worker of this node shares under the key.
pub fn adopt_event(
    driver: &Driver,
    listener: &Listener,
    socket: u64,
    key: &Key,
) -> Result<CUevent, CUresult> {
    let (content, _) = listener.fetch(socket, key).map_err(|_| CUresult::INVALID_VALUE)?;
    let reserved = content.try_into().map_err(|_| CUresult::INVALID_VALUE)?;
    let mut event = CUevent::NULL;
    // SAFETY: a worker of this user got the handle from its driver, and the event goes to a local.
    unsafe { driver.cuIpcOpenEventHandle(&mut event, CUipcEventHandle { reserved }) }.ok()?;
    Ok(event)
}

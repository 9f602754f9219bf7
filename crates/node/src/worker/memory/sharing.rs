//! Memory and events that sessions of one node share. A worker keeps the descriptors of what its
//! client shares behind a descriptor socket, each under a random key. A key is valid while the
//! session has the memory or the event. Another worker that has adopted it by then keeps it.

use super::mapping;
use crate::worker::Worker;
use crate::worker::driver::facts::device_count;
use crate::worker::driver::objects::Event;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::io::listener::Listener;
use outhaul_abi::Driver;
use outhaul_abi::types::{
    CUdevice, CUevent, CUipcEventHandle, CUmemGenericAllocationHandle, CUresult, CUuuid,
};
use outhaul_lock::Mutex;
use outhaul_transport::{DescriptorSocket, Key};
use outhaul_wire::messages::{EventAdopt, EventShare, EventShareReply};
use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// Maximum shared objects, each of which may hold a descriptor of this process.
const SHARED_MAX: usize = 512;

enum Shared {
    Memory {
        descriptor: OwnedFd,
        /// UUID of the device, which another node on this machine may number differently.
        uuid: CUuuid,
        bytes: u64,
    },
    /// An event, by the driver's own handle. The handle alone would not protect it from other
    /// programs of the machine.
    Event(CUipcEventHandle),
}

#[derive(Default)]
struct Keys(Mutex<HashMap<Key, Shared>>);

/// The shared memory and events of a session.
pub struct Sharing {
    keys: Arc<Keys>,
    /// Number by which other workers know the descriptor socket.
    number: u64,
    /// The socket until something is first shared. From then on a thread serves it.
    socket: Option<DescriptorSocket>,
}

/// A shared piece of memory or event. Sharing ends when this is dropped.
pub struct Share {
    /// Key of the object.
    pub key: Key,
    keys: Arc<Keys>,
}

impl Drop for Share {
    fn drop(&mut self) {
        self.keys.0.lock().remove(&self.key);
    }
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

fn random<const N: usize>() -> Result<[u8; N], CUresult> {
    let mut bytes = [0; N];
    // SAFETY: the local has room for its own length.
    let filled = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), N, 0) };
    if filled == N as isize { Ok(bytes) } else { Err(CUresult::OPERATING_SYSTEM) }
}

/// Returns the UUID of a device.
pub fn uuid_of(driver: &Driver, device: CUdevice) -> Result<CUuuid, CUresult> {
    let mut uuid = CUuuid::default();
    // SAFETY: the UUID goes to a local.
    unsafe { driver.cuDeviceGetUuid_v2(&mut uuid, device) }.ok()?;
    Ok(uuid)
}

impl Sharing {
    /// Opens the worker's descriptor socket. Must be called while the worker is in a network where
    /// other workers find it.
    pub fn open() -> io::Result<Sharing> {
        let number = u64::from_le_bytes(random().map_err(|_| io::Error::last_os_error())?);
        Ok(Sharing { keys: Arc::default(), number, socket: Some(DescriptorSocket::open(number)?) })
    }

    /// Returns the number of this worker's descriptor socket, and serves it from now on.
    pub fn socket(&mut self) -> u64 {
        if let Some(socket) = self.socket.take() {
            let keys = self.keys.clone();
            crate::worker::io::threads::start("shared-pools", move || {
                socket.serve(|key| keys.find(key))
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
        self.insert(Shared::Memory { descriptor, uuid: uuid_of(driver, device)?, bytes })
    }

    /// Shares an event of the session.
    pub fn share_event(&self, driver: &Driver, event: CUevent) -> Result<Share, Refusal> {
        let mut handle = CUipcEventHandle { reserved: [0; 64] };
        // SAFETY: the event is the session's own, and the handle goes to a local.
        unsafe { driver.cuIpcGetEventHandle(&mut handle, event) }.ok()?;
        self.insert(Shared::Event(handle))
    }

    fn insert(&self, shared: Shared) -> Result<Share, Refusal> {
        let key = random()?;
        let mut keys = self.keys.0.lock();
        if keys.len() >= SHARED_MAX {
            return Err(Refusal::Driver(CUresult::OUT_OF_MEMORY));
        }
        keys.insert(key, shared);
        Ok(Share { key, keys: self.keys.clone() })
    }
}

impl Keys {
    fn find(&self, key: &Key) -> Option<(Vec<u8>, Option<OwnedFd>)> {
        let keys = self.0.lock();
        Some(match keys.get(key)? {
            Shared::Memory { descriptor, uuid, bytes } => (
                [&uuid.bytes[..], &bytes.to_le_bytes()].concat(),
                Some(descriptor.try_clone().ok()?),
            ),
            Shared::Event(handle) => (handle.reserved.to_vec(), None),
        })
    }
}

/// Adopts memory that a worker of this node shares under the key.
pub fn adopt(
    driver: &Driver,
    listener: &Listener,
    socket: u64,
    key: &Key,
) -> Result<Adopted, CUresult> {
    let (words, descriptor) = listener.fetch(socket, key).map_err(|_| CUresult::INVALID_VALUE)?;
    let descriptor = descriptor.ok_or(CUresult::INVALID_VALUE)?;
    let (uuid, bytes) = words.split_first_chunk().ok_or(CUresult::INVALID_VALUE)?;
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
fn adopt_event(
    driver: &Driver,
    listener: &Listener,
    socket: u64,
    key: &Key,
) -> Result<CUevent, CUresult> {
    let (words, _) = listener.fetch(socket, key).map_err(|_| CUresult::INVALID_VALUE)?;
    let reserved = words.try_into().map_err(|_| CUresult::INVALID_VALUE)?;
    let mut event = CUevent::NULL;
    // SAFETY: a worker of this user got the handle from its driver, and the event goes to a local.
    unsafe { driver.cuIpcOpenEventHandle(&mut event, CUipcEventHandle { reserved }) }.ok()?;
    Ok(event)
}

impl Worker {
    /// Handles `EventShare`.
    pub fn event_share(&mut self, m: &EventShare, ticket: &Ticket) -> Result<(), Refusal> {
        let event = self.objects.event_object(m.event)?;
        let (socket, key) = match &event.share {
            Some(share) => (self.memory.sharing.socket(), share.key),
            None => {
                let share = self.memory.sharing.share_event(&self.driver, event.raw)?;
                let key = share.key;
                self.objects.shared(m.event, share);
                (self.memory.sharing.socket(), key)
            }
        };
        ticket.answer(&EventShareReply { socket, key });
        Ok(())
    }

    /// Handles `EventAdopt`.
    pub fn event_adopt(&mut self, m: &EventAdopt, ticket: &Ticket) -> Result<(), Refusal> {
        self.objects.put_event(
            m.event,
            Ok(Event::new(
                adopt_event(&self.driver, &self.listener, m.socket, &m.key)?,
                self.current,
            )),
        )?;
        ticket.answer(&());
        Ok(())
    }
}

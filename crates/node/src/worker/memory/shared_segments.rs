//! A worker's shared-memory segments. The listener knows the segments and which sessions may use
//! them; the worker allocates and maps the memory.

use super::attachment::Attachment;
use super::mapping;
use super::sharing::{export, import};
use crate::sharing::shared_segments::{CREATE, Question, SegmentReply};
use crate::worker::driver::devices::uuid_of;
use crate::worker::io::frame::Refusal;
use crate::worker::io::listener::Listener;
use crate::worker::memory::Memory;
use outhaul_abi::Driver;
use outhaul_abi::types::{CUdevice, CUresult, CUuuid, values};
use outhaul_wire::messages::{
    ShmAttach, ShmAttachReply, ShmGet, ShmGetReply, ShmRemove, ShmSetRights, ShmStat, ShmStatReply,
};
use std::os::fd::{AsFd, OwnedFd};

/// The connection to the listener that manages segments.
pub struct Segments {
    listener: Listener,
}

/// Returns the error for an unexpected answer.
fn strange<T>(_: SegmentReply) -> Result<T, Refusal> {
    Err(Refusal::Driver(CUresult::OPERATING_SYSTEM))
}

impl Segments {
    /// Creates the value for requests to `listener`.
    pub fn new(listener: Listener) -> Segments {
        Segments { listener }
    }

    fn ask(&self, question: Question) -> Result<(SegmentReply, Option<OwnedFd>), CUresult> {
        self.listener.segment(question, None)
    }

    /// Finds a segment, or creates it on the current context's device.
    pub fn get(
        &self,
        driver: &Driver,
        memory: &mut Memory,
        m: &ShmGet,
    ) -> Result<ShmGetReply, Refusal> {
        let ShmGet { key, bytes, flags } = *m;
        match self.ask(Question::Find { key, bytes, flags })?.0 {
            SegmentReply::Id(id) => return Ok(ShmGetReply { id }),
            SegmentReply::Make if bytes > 0 => {}
            SegmentReply::Make => return Err(CUresult::INVALID_VALUE.into()),
            other => return strange(other),
        }
        let (handle, device, bytes) = memory.make_segment(driver, bytes)?;
        let held = memory.device(device as usize).driver_memory.hold(bytes);
        let put = self.put(driver, handle, device, (key, bytes, flags | CREATE));
        // SAFETY: the handle is new; the listener's descriptor keeps the memory alive.
        let _ = unsafe { mapping::release(driver, handle) };
        drop(held);
        memory.account_for_segment(device, bytes);
        put
    }

    fn put(
        &self,
        driver: &Driver,
        handle: u64,
        device: CUdevice,
        (key, bytes, flags): (i32, u64, u32),
    ) -> Result<ShmGetReply, Refusal> {
        let descriptor = export(driver, handle)?;
        let question = Question::Put {
            key,
            bytes,
            flags,
            uuid: uuid_of(driver, device)?.bytes,
            device: device as usize,
        };
        match self.listener.segment(question, Some(descriptor.as_fd()))?.0 {
            SegmentReply::Id(id) => Ok(ShmGetReply { id }),
            other => strange(other),
        }
    }

    /// Attaches a segment, and adds it to the memory that the client maps by itself.
    pub fn attach(
        &self,
        driver: &Driver,
        memory: &mut Memory,
        m: &ShmAttach,
    ) -> Result<ShmAttachReply, Refusal> {
        memory.check_new(m.memory)?;
        let writes = m.flags == values::MEM_ACCESS_FLAGS_PROT_READWRITE;
        if !writes && m.flags != values::MEM_ACCESS_FLAGS_PROT_READ {
            return Err(Refusal::Violation(format!(
                "a segment cannot be attached with access {}",
                m.flags
            )));
        }
        let (SegmentReply::Memory { uuid, bytes }, Some(descriptor)) =
            self.ask(Question::Attach { id: m.id, writes })?
        else {
            return Err(CUresult::OPERATING_SYSTEM.into());
        };
        let attachment = Attachment { listener: self.listener.clone(), id: m.id };
        let uuid = CUuuid { bytes: uuid };
        let adopted = import(driver, &descriptor, (&uuid, bytes), |on| memory.figure(on))?;
        let device = adopted.device;
        memory.receive_segment(m.memory, adopted, (attachment, writes))?;
        Ok(ShmAttachReply { device, bytes })
    }

    /// Returns a segment's state.
    pub fn stat(&self, m: &ShmStat) -> Result<ShmStatReply, Refusal> {
        match self.ask(Question::Stat { id: m.id })?.0 {
            SegmentReply::Status(s) => Ok(ShmStatReply {
                key: s.key,
                rights: s.rights,
                bytes: s.bytes,
                attached: s.attached,
                removed: s.removed,
            }),
            other => strange(other),
        }
    }

    /// Sets a segment's rights.
    pub fn set_rights(&self, m: &ShmSetRights) -> Result<(), Refusal> {
        self.ask(Question::SetRights { id: m.id, rights: m.rights })?;
        Ok(())
    }

    /// Removes a segment.
    pub fn remove(&self, m: &ShmRemove) -> Result<(), Refusal> {
        self.ask(Question::Remove { id: m.id })?;
        Ok(())
    }
}

//! Several devices: access between them, and copies from one to another.

use crate::worker::copies::rows::box_bytes;
use crate::worker::driver::handle_history::if_live;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::messages::{
    CopyBetweenDevices, PeerAccess, PeerAtomics, PeerAtomicsReply, PeerAttribute,
    PeerAttributeReply,
};

/// Enables or disables peer access in the driver. `PeerOpen` opens the arenas' memory. This
/// function is for memory that the driver placed itself, and for the driver's checks.
fn access(worker: &Worker, m: &PeerAccess) -> Result<(), Refusal> {
    let peer = worker.objects.context(m.peer)?;
    if m.enable && worker.moves_memory() {
        return Err(Refusal::Driver(CUresult::PEER_ACCESS_UNSUPPORTED));
    }
    // SAFETY: both contexts are the session's own.
    let result = unsafe {
        if m.enable {
            worker.driver.cuCtxEnablePeerAccess(peer, 0)
        } else {
            worker.driver.cuCtxDisablePeerAccess(peer)
        }
    };
    Ok(result.ok()?)
}

/// Returns an attribute of a pair of devices. If memory may move, devices never access each other,
/// because the memory could be on the host while the other device uses it.
fn attribute(worker: &Worker, m: &PeerAttribute) -> Result<i32, CUresult> {
    let (driver, mut value) = (&worker.driver, 0);
    // SAFETY: the out-pointer is a local; the driver checks the numbers.
    unsafe {
        match m.attribute {
            0 => driver.cuDeviceCanAccessPeer(&mut value, m.source, m.target),
            attribute => driver.cuDeviceGetP2PAttribute(&mut value, attribute, m.source, m.target),
        }
    }
    .ok()?;
    Ok(if worker.moves_memory() { 0 } else { value })
}

/// Returns which atomic operations work between two devices, in the driver's bits.
fn atomics(worker: &Worker, m: &PeerAtomics) -> Result<Vec<u32>, CUresult> {
    let (asked, mut found) = (&m.operations.0, vec![0; m.operations.0.len()]);
    if worker.moves_memory() || asked.is_empty() {
        return Ok(found);
    }
    let count = asked.len() as u32;
    // SAFETY: both lists have the length that is passed; the driver checks the numbers.
    unsafe {
        worker.driver.cuDeviceGetP2PAtomicCapabilities(
            found.as_mut_ptr(),
            asked.as_ptr(),
            count,
            m.source,
            m.target,
        )
    }
    .ok()?;
    Ok(found)
}

impl Worker {
    /// Returns the context with this handle, which the client chose for the device of `address`. If
    /// another thread of the program has destroyed the context, returns another one of the device.
    fn context_at(&self, context: u64, address: u64) -> Result<CUcontext, Refusal> {
        if let Some(found) = if_live(self.objects.context(context))? {
            return Ok(found);
        }
        let device = self.memory.device_of(address);
        let other = device.and_then(|device| self.turns.context_of(device));
        Ok(other.ok_or(CUresult::INVALID_CONTEXT)?)
    }

    /// Copies between devices. If the devices cannot access each other, only the driver's peer
    /// copies can do that.
    pub fn copy_between_devices(&mut self, m: &CopyBetweenDevices) -> Result<(), Refusal> {
        let bytes = box_bytes(m.width_bytes, m.rows)? as usize;
        let stream = self.objects.stream(m.stream)?;
        let (to, from) =
            (self.context_at(m.to_context, m.to)?, self.context_at(m.from_context, m.from)?);
        let driver = &self.driver;
        if m.rows == 1 {
            // SAFETY: the contexts are the session's own. The program is responsible for the device
            // addresses.
            let copied = unsafe {
                match m.serialised {
                    true => driver.cuMemcpyPeer(m.to, to, m.from, from, bytes),
                    false => driver.cuMemcpyPeerAsync(m.to, to, m.from, from, bytes, stream),
                }
            };
            return Ok(copied.ok()?);
        }
        // SAFETY: the struct contains only numbers and pointers; zero is valid for all of them.
        let mut copy: CUDA_MEMCPY3D_PEER = unsafe { std::mem::zeroed() };
        (copy.dstMemoryType, copy.dstDevice, copy.dstContext) =
            (values::MEMORYTYPE_DEVICE, m.to, to);
        (copy.srcMemoryType, copy.srcDevice, copy.srcContext) =
            (values::MEMORYTYPE_DEVICE, m.from, from);
        (copy.dstPitch, copy.dstHeight) = (m.to_pitch_bytes as usize, m.rows as usize);
        (copy.srcPitch, copy.srcHeight) = (m.from_pitch_bytes as usize, m.rows as usize);
        (copy.WidthInBytes, copy.Height, copy.Depth) = (m.width_bytes as usize, m.rows as usize, 1);
        // SAFETY: the description outlives the call, and the contexts are the session's own. The
        // program is responsible for the device addresses.
        let copied = unsafe {
            if m.serialised {
                driver.cuMemcpy3DPeer(&copy)
            } else {
                driver.cuMemcpy3DPeerAsync(&copy, stream)
            }
        };
        Ok(copied.ok()?)
    }

    /// Handles `PeerAccess`.
    pub fn peer_access(&mut self, m: &PeerAccess, ticket: &Ticket) -> Result<(), Refusal> {
        access(self, m)?;
        ticket.answer(&());
        Ok(())
    }

    /// Handles `PeerAtomics`.
    pub fn peer_atomics(&mut self, m: &PeerAtomics, ticket: &Ticket) -> Result<(), Refusal> {
        ticket.answer(&PeerAtomicsReply { capabilities: List(atomics(self, m)?) });
        Ok(())
    }

    /// Handles `PeerAttribute`.
    pub fn peer_attribute(&mut self, m: &PeerAttribute, ticket: &Ticket) -> Result<(), Refusal> {
        ticket.answer(&PeerAttributeReply { value: attribute(self, m)? });
        Ok(())
    }
}

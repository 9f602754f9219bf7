//! Which devices reach which other devices' memory. The worker opens a device's whole arena to
//! another device, once.

use crate::objects::device_facts::Facts;
use crate::session::Target;
use outhaul_abi::types::{CUdevice, CUresult};
use outhaul_lock::Mutex;
use outhaul_wire::messages::PeerOpen;
use std::collections::BTreeSet;

/// The pairs of devices that were opened.
#[derive(Default)]
pub struct Peers {
    /// Pairs of a device and the device whose memory it reaches.
    open: Mutex<BTreeSet<(CUdevice, CUdevice)>>,
}

impl Peers {
    /// Lets `accessor` reach all memory that is or will be allocated on `owner`. Fails for devices
    /// of two nodes.
    pub fn open(&self, facts: &Facts, accessor: CUdevice, owner: CUdevice) -> Result<(), CUresult> {
        let mut open = self.open.lock();
        if accessor == owner || open.contains(&(accessor, owner)) {
            return Ok(());
        }
        let (from, to) = (facts.device(accessor)?, facts.device(owner)?);
        if !std::ptr::eq(from.session, to.session) {
            return Err(CUresult::PEER_ACCESS_UNSUPPORTED);
        }
        // Posted under the lock, so that no other thread's use precedes it.
        let place = Target { session: from.session, context: 0 };
        place.post(&PeerOpen { accessor: from.node_ordinal, owner: to.node_ordinal })?;
        open.insert((accessor, owner));
        Ok(())
    }
}

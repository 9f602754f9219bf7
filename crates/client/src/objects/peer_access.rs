//! Peer access between devices. The worker opens a device's whole arena to another device once.

use crate::objects::device_facts::Facts;
use crate::session::Target;
use outhaul_abi::types::{CUdevice, CUresult};
use outhaul_lock::Mutex;
use outhaul_wire::messages::PeerOpen;
use std::collections::BTreeSet;

/// Pairs of devices with peer access.
#[derive(Default)]
pub struct Peers {
    /// Pairs of a device and the device whose memory it can access.
    open: Mutex<BTreeSet<(CUdevice, CUdevice)>>,
}

impl Peers {
    /// Gives `accessor` access to all present and future allocations on `owner`. Fails if the
    /// devices belong to two nodes.
    pub fn open(&self, facts: &Facts, accessor: CUdevice, owner: CUdevice) -> Result<(), CUresult> {
        let mut open = self.open.lock();
        if accessor == owner || open.contains(&(accessor, owner)) {
            return Ok(());
        }
        let (from, to) = (facts.device(accessor)?, facts.device(owner)?);
        if !std::ptr::eq(from.session, to.session) {
            return Err(CUresult::PEER_ACCESS_UNSUPPORTED);
        }
        // Posts under the lock, so that no other thread posts work that uses the access before this
        // message.
        let place = Target { session: from.session, context: 0 };
        place.post(&PeerOpen { accessor: from.node_ordinal, owner: to.node_ordinal })?;
        open.insert((accessor, owner));
        Ok(())
    }
}

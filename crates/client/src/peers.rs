//! Which devices reach which others' memory. The worker opens a device's whole arena to another,
//! once.

use crate::driver::driver;
use crate::session::Place;
use outhaul_abi::types::{CUdevice, CUresult};
use outhaul_lock::Mutex;
use outhaul_wire::messages::PeerOpen;
use std::collections::BTreeSet;

#[derive(Default)]
pub struct Peers {
    /// Who reaches whom.
    open: Mutex<BTreeSet<(CUdevice, CUdevice)>>,
}

impl Peers {
    /// From here on `accessor` reaches all memory that is allocated on `owner`.
    pub fn open(&self, accessor: CUdevice, owner: CUdevice) -> Result<(), CUresult> {
        let mut open = self.open.lock();
        if accessor == owner || open.contains(&(accessor, owner)) {
            return Ok(());
        }
        let facts = &driver()?.facts;
        let (from, to) = (facts.device(accessor)?, facts.device(owner)?);
        if !std::ptr::eq(from.session, to.session) {
            return Err(CUresult::PEER_ACCESS_UNSUPPORTED);
        }
        // Posted under the lock, so that no other thread's use comes before it.
        let place = Place { session: from.session, context: 0 };
        place.post(&PeerOpen { accessor: from.node_ordinal, owner: to.node_ordinal })?;
        open.insert((accessor, owner));
        Ok(())
    }
}

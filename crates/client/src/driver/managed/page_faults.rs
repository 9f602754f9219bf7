//! Opens regions, and serves the page faults of the program in them.

use crate::base::movable_pages;
use crate::base::page_set::PAGE_BYTES;
use crate::base::threads::spawn;
use crate::base::userfault::UserFault;
use crate::driver::state::{Driver, connected, driver};
use crate::managed::region::NodeMemoryKind;
use crate::managed::registry::ManagedRegions;
use crate::session::Target;
use outhaul_abi::types::CUresult;
use std::sync::OnceLock;

impl ManagedRegions {
    /// Opens a region: the pages at `address` now belong to the program and to the worker.
    pub fn open(
        &self,
        target: Target,
        address: usize,
        bytes: usize,
        kind: NodeMemoryKind,
    ) -> Result<(), CUresult> {
        let may_move = kind == NodeMemoryKind::Host && {
            let region = driver()?.host.find(address);
            movable_pages::may_move(bytes)
                && region.is_some_and(|r| !r.registered && r.segment.is_none())
                && serve_touches()
        };
        if self.enter(target, address, bytes, kind, may_move)? {
            serve_touches();
        }
        Ok(())
    }
}

/// Fetches a page that a thread has touched. Runs on the thread that serves page faults.
fn serve(driver: &Driver, address: usize) {
    let page = address / PAGE_BYTES * PAGE_BYTES;
    // This must be first, and without the lock of regions: a signal handler may wait for pinned
    // memory while its thread holds that lock.
    if driver.sessions.iter().any(|session| session.replicas.bring_touched(session, page)) {
        return;
    }
    driver.managed.serve(address);
}

/// Starts the thread that serves page faults, once. Returns whether it runs.
fn serve_touches() -> bool {
    static STARTED: OnceLock<bool> = OnceLock::new();
    *STARTED.get_or_init(|| {
        spawn("outhaul-touches", || {
            let Some(kernel) = UserFault::of_process() else { return };
            while let Some(address) = kernel.next_absent() {
                if let Ok(driver) = connected() {
                    serve(driver, address);
                }
            }
        })
    })
}

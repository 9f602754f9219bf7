//! Opens managed regions, and handles the program's page faults in them.

use crate::base::movable_pages;
use crate::base::page_set::PAGE_BYTES;
use crate::base::threads::spawn;
use crate::base::userfault::UserFault;
use crate::driver::state::{Driver, connected, driver};
use crate::managed::region::NodeMemoryKind;
use crate::managed::registry::ManagedRegions;
use crate::session::Target;
use crate::session::replicas::state::PinnedPages;
use outhaul_abi::types::CUresult;
use std::sync::OnceLock;

impl ManagedRegions {
    /// Opens a region: from now on program and worker share the memory at `address`.
    pub fn open(
        &self,
        target: Target,
        address: usize,
        bytes: usize,
        kind: NodeMemoryKind,
    ) -> Result<(), CUresult> {
        let region = driver()?.host.find(address);
        let pinned = match region.filter(|_| kind == NodeMemoryKind::Host) {
            Some(region) if region.registered => PinnedPages::Registered,
            Some(region)
                if region.segment.is_none()
                    && movable_pages::may_move(bytes)
                    && serve_touches() =>
            {
                PinnedPages::Movable
            }
            _ => PinnedPages::Fixed,
        };
        if self.enter(target, address, bytes, kind, pinned)? {
            serve_touches();
        }
        Ok(())
    }
}

/// Fetches a page that a thread has touched. Runs on the thread that handles page faults.
fn serve(driver: &Driver, address: usize) {
    let page = address / PAGE_BYTES * PAGE_BYTES;
    // This step must come first, without the lock of the regions. A thread that holds that lock may
    // run a signal handler that waits for pinned memory.
    if driver.sessions.iter().any(|session| session.replicas.bring_touched(session, page)) {
        return;
    }
    driver.managed.serve(address);
}

/// Starts the thread that handles page faults, on the first call. Returns whether the start
/// succeeded.
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

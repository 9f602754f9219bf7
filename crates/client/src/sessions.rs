//! Opens the process's sessions, handles their reports, and ends them when the program ends.

use crate::driver::managed::sync_after_wait;
use crate::driver::state;
use crate::driver::state::{Driver, connected, is_forked};
use crate::objects::context_stack;
use crate::session::session_reports::SessionEvents;
use crate::session::{Session, Target};
use outhaul_abi::types::CUresult;
use std::ops::Range;

static REPORTS: Reports = Reports;

/// Opens the sessions unless they are open. On failure prints the reason to stderr, but only once.
pub fn connect() -> Result<&'static Driver, CUresult> {
    state::connect(&REPORTS)
}

/// Implements cuInit.
pub fn initialize() -> Result<(), CUresult> {
    state::initialize(&REPORTS)
}

/// Forwards the sessions' reports to the driver's tables.
struct Reports;

impl SessionEvents for Reports {
    fn sessions(&self) -> &'static [&'static Session] {
        connected().map_or(&[], |driver| &driver.sessions)
    }

    fn target(&self, session: &'static Session) -> Target {
        context_stack::target_in(session)
    }

    fn lost(&self, session: &Session) {
        if let Ok(driver) = connected() {
            driver.internode_copies.lose(session);
        }
    }

    fn link_opened(&self, link: u64, code: CUresult) {
        if let Ok(driver) = connected() {
            driver.internode_copies.note_opened(link, code);
        }
    }

    fn copy_finished(&self, copy: u64, code: CUresult) {
        if let Ok(driver) = connected() {
            driver.internode_copies.finish(copy, code);
        }
    }

    fn user_object_ended(&self, object: u64) {
        if let Ok(driver) = state::driver() {
            driver.user_objects.remove(object);
        }
    }

    fn before_read(&self, range: Range<usize>) {
        if let Ok(driver) = state::driver() {
            driver.managed.bring(range);
        }
    }

    fn run_callback(&self, session: &'static Session, callback: &mut dyn FnMut()) {
        sync_after_wait::around_callback(session, callback);
    }
}

/// Destructor of the library. It runs after the program's own exit handlers, which may use CUDA.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = end_sessions;

/// Ends the sessions. Without a goodbye a worker takes the end of the connection for a broken
/// network, and waits for the client.
extern "C" fn end_sessions() {
    // A forked child inherits its parent's connections, but has no sessions of its own.
    if is_forked() {
        return;
    }
    if let Ok(driver) = connected() {
        driver.sessions.iter().for_each(|session| session.end());
    }
}

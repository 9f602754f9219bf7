//! Unfinished copies between devices of two nodes, and the gates in streams that wait for another
//! node.

use crate::objects::copy_shape::{DeviceBox, Extent};
use crate::session::pending_error::LOST;
use crate::session::{Session, Target};
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_wire::limits::GATES_MAX;
use outhaul_wire::messages::GateOpen;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};

/// A closed gate in a stream. The stream waits at the gate until the client opens it.
pub struct StreamGate {
    /// The stream's session.
    pub session: &'static Session,
    /// Unique number of the gate.
    pub number: u64,
}

impl StreamGate {
    /// Opens the gate, so that the stream continues.
    pub fn open(&self) {
        // A failed send is harmless, because streams of a lost session no longer wait.
        let _ = self.session.callbacks.send(&GateOpen { gate: self.number }, &[]);
    }
}

/// One side of a copy.
pub struct End {
    /// Target of the device's context.
    pub target: Target,
    /// Handle of the device's context.
    pub context: u64,
    /// Rows on the device.
    pub rows: DeviceBox,
}

/// A copy from one node's device to another node's device. The copy runs in the order of a stream
/// on any node.
pub struct InternodeCopy {
    /// Unique number of the copy.
    pub number: u64,
    /// The sending side.
    pub from: End,
    /// The receiving side.
    pub to: End,
    /// Size of the copy.
    pub extent: Extent,
    /// Gate in the stream that continues after the copy.
    pub gate: StreamGate,
    /// Whether the program waits for the copy, and so gets its error from the call.
    pub synchronous: bool,
    /// Number of answers that must arrive before the copy may begin.
    pub awaited: AtomicUsize,
    /// The first error among the answers, or 0.
    pub error: AtomicI32,
    /// The result of the copy after its end.
    pub result: Mutex<Option<CUresult>>,
    /// Signals that the copy has ended.
    pub ended: Condvar,
}

impl InternodeCopy {
    /// Notes that an answer has arrived. After the last answer, returns the first error of all, or
    /// success if the copy may begin.
    pub fn note_answer(&self, code: CUresult) -> Option<CUresult> {
        if code != CUresult::SUCCESS {
            let _ = self.error.compare_exchange(0, code.0, SeqCst, SeqCst);
        }
        let is_last = self.awaited.fetch_sub(1, SeqCst) == 1;
        is_last.then(|| CUresult(self.error.load(SeqCst)))
    }

    /// Returns whether the session takes part in the copy.
    fn concerns(&self, session: &Session) -> bool {
        [self.from.target.session, self.to.target.session, self.gate.session]
            .iter()
            .any(|s| std::ptr::eq(*s, session))
    }

    /// Returns whether the copy reads or writes any of these bytes.
    fn touches(&self, address: u64, bytes: u64) -> bool {
        let meets = |rows: &DeviceBox| {
            let end = rows.address.saturating_add(self.extent.span(rows.pitch) as u64);
            rows.address < address.saturating_add(bytes) && address < end
        };
        meets(&self.from.rows) || meets(&self.to.rows)
    }

    /// Blocks until the copy ends, and returns its result.
    pub fn wait(&self) -> CUresult {
        let mut result = self.result.lock();
        loop {
            match *result {
                Some(result) => return result,
                None => result = self.ended.wait(result),
            }
        }
    }
}

/// Channel to the thread that performs the copies between two nodes.
type Route = Sender<Arc<InternodeCopy>>;

/// All unfinished copies between nodes, and the number of closed gates.
#[derive(Default)]
pub struct InternodeCopies {
    under_way: Mutex<HashMap<u64, Arc<InternodeCopy>>>,
    /// Routes by the numbers of the sending and the receiving node.
    routes: Mutex<HashMap<(u8, u8), Route>>,
    /// Links that the nodes are opening, by number.
    opening: Mutex<HashMap<u64, Sender<CUresult>>>,
    /// Number of closed gates.
    shut: Mutex<usize>,
    opened: Condvar,
}

impl InternodeCopies {
    /// Locks the unfinished copies, by number.
    pub fn under_way(&self) -> MutexGuard<'_, HashMap<u64, Arc<InternodeCopy>>> {
        self.under_way.lock()
    }

    /// Returns a closed gate. Blocks while `GATES_MAX` gates are closed.
    pub fn shut(&self, session: &'static Session, number: u64) -> StreamGate {
        let mut shut = self.shut.lock();
        while *shut >= GATES_MAX {
            shut = self.opened.wait(shut);
        }
        *shut += 1;
        StreamGate { session, number }
    }

    /// Opens a gate, so that another one may be created.
    pub fn open(&self, gate: &StreamGate) {
        gate.open();
        *self.shut.lock() -= 1;
        self.opened.notify_all();
    }

    /// Passes a copy to its route's thread. For a new route, `start` starts the thread, with the
    /// sending and the receiving session.
    pub fn route(
        &self,
        internode_copy: &Arc<InternodeCopy>,
        start: impl FnOnce(Receiver<Arc<InternodeCopy>>, &'static Session, &'static Session),
    ) {
        let (from, to) = (internode_copy.from.target.session, internode_copy.to.target.session);
        let mut routes = self.routes.lock();
        let route = routes.entry((from.number, to.number)).or_insert_with(|| {
            let (give, take) = channel();
            start(take, from, to);
            give
        });
        let _ = route.send(internode_copy.clone());
    }

    /// Ends a copy with `code`, so that its stream continues.
    pub fn finish(&self, number: u64, code: CUresult) {
        let Some(internode_copy) = self.under_way().remove(&number) else { return };
        if code != CUresult::SUCCESS && !internode_copy.synchronous {
            internode_copy.gate.session.deferred.note(code);
        }
        self.open(&internode_copy.gate);
        *internode_copy.result.lock() = Some(code);
        internode_copy.ended.notify_all();
    }

    /// Ends all copies in which a lost session takes part. Streams of the other nodes continue.
    pub fn lose(&self, session: &Session) {
        let lost: Vec<u64> =
            self.under_way().values().filter(|c| c.concerns(session)).map(|c| c.number).collect();
        lost.into_iter().for_each(|number| self.finish(number, LOST));
    }

    /// Blocks until no copy uses the memory.
    pub fn wait_until_unused(&self, address: u64, bytes: u64) {
        let found: Vec<_> =
            self.under_way().values().filter(|c| c.touches(address, bytes)).cloned().collect();
        found.iter().for_each(|internode_copy| {
            internode_copy.wait();
        });
    }

    /// Makes `note_opened` send the link's result to `sender`.
    pub fn expect_opened(&self, link: u64, sender: Sender<CUresult>) {
        self.opening.lock().insert(link, sender);
    }

    /// Notes the result with which the sending node tried to open the link.
    pub fn note_opened(&self, link: u64, code: CUresult) {
        if let Some(sender) = self.opening.lock().remove(&link) {
            let _ = sender.send(code);
        }
    }
}

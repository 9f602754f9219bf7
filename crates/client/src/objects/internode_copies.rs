//! Copies between devices of two nodes that are under way, and the gates in streams that wait for
//! another node.

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

/// A closed gate in a stream.
pub struct StreamGate {
    /// Session of the stream.
    pub session: &'static Session,
    /// Number that no other gate has.
    pub number: u64,
}

impl StreamGate {
    /// Lets the stream continue.
    pub fn open(&self) {
        // Streams of a lost session wait for nothing any more.
        let _ = self.session.callbacks.send(&GateOpen { gate: self.number }, &[]);
    }
}

/// One side of a copy.
pub struct End {
    /// Target of the device's context.
    pub target: Target,
    /// Handle of the context.
    pub context: u64,
    /// Rows on the device.
    pub rows: DeviceBox,
}

/// A copy from a device of one node to a device of another, in the order of a stream of any node.
pub struct InternodeCopy {
    /// Number that no other copy has.
    pub number: u64,
    /// The sending side.
    pub from: End,
    /// The receiving side.
    pub to: End,
    /// Size of the copy.
    pub extent: Extent,
    /// Gate in the stream that continues after the copy.
    pub gate: StreamGate,
    /// Whether the program waits for the copy, and so gets an error from the call.
    pub synchronous: bool,
    /// Number of answers without which the copy may not begin.
    pub awaited: AtomicUsize,
    /// The first error in the answers.
    pub error: AtomicI32,
    /// How the copy ended, once it has.
    pub result: Mutex<Option<CUresult>>,
    /// Signals the end.
    pub ended: Condvar,
}

impl InternodeCopy {
    /// Notes that an answer has come. After the last, returns the first error of all, or success:
    /// then the copy begins.
    pub fn note_answer(&self, code: CUresult) -> Option<CUresult> {
        if code != CUresult::SUCCESS {
            let _ = self.error.compare_exchange(0, code.0, SeqCst, SeqCst);
        }
        let is_last = self.awaited.fetch_sub(1, SeqCst) == 1;
        is_last.then(|| CUresult(self.error.load(SeqCst)))
    }

    /// Whether the session has a part in it.
    fn concerns(&self, session: &Session) -> bool {
        [self.from.target.session, self.to.target.session, self.gate.session]
            .iter()
            .any(|s| std::ptr::eq(*s, session))
    }

    /// Whether it reads or writes any of these bytes.
    fn touches(&self, address: u64, bytes: u64) -> bool {
        let meets = |rows: &DeviceBox| {
            let end = rows.address.saturating_add(self.extent.span(rows.pitch) as u64);
            rows.address < address.saturating_add(bytes) && address < end
        };
        meets(&self.from.rows) || meets(&self.to.rows)
    }

    /// Blocks until the copy ends, and returns how.
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

/// Passes copies to the thread that sends them to two nodes.
type Route = Sender<Arc<InternodeCopy>>;

/// All copies between nodes, and all gates.
#[derive(Default)]
pub struct InternodeCopies {
    under_way: Mutex<HashMap<u64, Arc<InternodeCopy>>>,
    /// Routes by the numbers of the sending and the receiving node.
    routes: Mutex<HashMap<(u8, u8), Route>>,
    /// Links that are being opened.
    opening: Mutex<HashMap<u64, Sender<CUresult>>>,
    /// Number of closed gates.
    shut: Mutex<usize>,
    opened: Condvar,
}

impl InternodeCopies {
    /// Locks the copies that have not ended, by number.
    pub fn under_way(&self) -> MutexGuard<'_, HashMap<u64, Arc<InternodeCopy>>> {
        self.under_way.lock()
    }

    /// Returns a closed gate. Blocks while there are too many.
    pub fn shut(&self, session: &'static Session, number: u64) -> StreamGate {
        let mut shut = self.shut.lock();
        while *shut >= GATES_MAX {
            shut = self.opened.wait(shut);
        }
        *shut += 1;
        StreamGate { session, number }
    }

    /// Opens a gate, and makes room for another.
    pub fn open(&self, gate: &StreamGate) {
        gate.open();
        *self.shut.lock() -= 1;
        self.opened.notify_all();
    }

    /// Passes a copy to the thread of its route. `start` starts the thread of a new route, with the
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

    /// Ends a copy, so that its stream continues.
    pub fn finish(&self, number: u64, code: CUresult) {
        let Some(internode_copy) = self.under_way().remove(&number) else { return };
        if code != CUresult::SUCCESS && !internode_copy.synchronous {
            internode_copy.gate.session.deferred.note(code);
        }
        self.open(&internode_copy.gate);
        *internode_copy.result.lock() = Some(code);
        internode_copy.ended.notify_all();
    }

    /// Ends all copies that involve a lost session. Streams of the other nodes continue.
    pub fn lose(&self, session: &Session) {
        let lost: Vec<u64> =
            self.under_way().values().filter(|c| c.concerns(session)).map(|c| c.number).collect();
        lost.into_iter().for_each(|number| self.finish(number, LOST));
    }

    /// Blocks until no copy uses the memory any more.
    pub fn wait_until_unused(&self, address: u64, bytes: u64) {
        let found: Vec<_> =
            self.under_way().values().filter(|c| c.touches(address, bytes)).cloned().collect();
        found.iter().for_each(|internode_copy| {
            internode_copy.wait();
        });
    }

    /// Makes `note_opened` send the result for this link.
    pub fn expect_opened(&self, link: u64, sender: Sender<CUresult>) {
        self.opening.lock().insert(link, sender);
    }

    /// Notes that the sending node has opened the link, or could not.
    pub fn note_opened(&self, link: u64, code: CUresult) {
        if let Some(sender) = self.opening.lock().remove(&link) {
            let _ = sender.send(code);
        }
    }
}

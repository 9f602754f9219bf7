//! Scans replicas while kernels may run, and sends the program's changes at once. One thread per
//! session scans. It sleeps while the device is known to be idle, and does not exist in programs
//! without replicas.

use crate::session::Session;
use crate::session::replicas::scanner::{Scanner, ScannerState};
use crate::session::stream_progress::Progress;
use outhaul_transport::os::spin::Backoff;
use outhaul_wire::messages::ReplicaIdle;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

impl ScannerState {
    /// Returns whether work that uses replicas may be unfinished.
    fn is_busy(&mut self, session: &Session) -> bool {
        let is_shared = session.replicas.is_in_use();
        self.busy.retain(|(stream, position)| is_shared && !stream.is_completed(*position));
        !self.busy.is_empty()
    }
}

impl Scanner {
    /// Notes that work was posted to a stream and may use replicas.
    pub fn note_work(&self, session: &'static Session, stream: Arc<dyn Progress>) {
        let position = stream.position();
        let mut state = self.lock();
        let was_busy = !state.busy.is_empty();
        match state.busy.iter_mut().find(|(other, _)| Arc::ptr_eq(other, &stream)) {
            Some((_, noted)) => *noted = position,
            None => state.busy.push((stream, position)),
        }
        state.last = state.last.max(position);
        if !std::mem::replace(&mut state.started, true) {
            drop(state);
            session.start_thread("outhaul-watch", move || session.replicas.scanner.run(session));
        } else if !was_busy {
            self.wake.notify_one();
        }
    }

    fn run(&self, session: &'static Session) {
        let mut pauses = Backoff::new();
        while !session.deferred.is_lost() {
            let mut state = self.lock();
            if !state.is_busy(session) {
                // The streams have no unfinished work, so the node need not scan either, unless it
                // has received work after `sequence`.
                let sequence = state.last;
                drop(state);
                let _ = session.callbacks.send(&ReplicaIdle { sequence }, &[]);
                let mut state = self.lock();
                while !state.is_busy(session) {
                    state = self.wake.wait(state);
                }
                pauses.begin();
                continue;
            }
            drop(state);
            if self.fresh.swap(false, Relaxed) {
                pauses.begin();
            }
            match session.replicas.send_small_changes(session) {
                Ok(true) => pauses.note_change(),
                Ok(false) => {}
                Err(_) => return,
            }
            pauses.sleep();
        }
    }
}

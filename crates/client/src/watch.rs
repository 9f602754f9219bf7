//! Looks at what program and device share for as long as kernels may run: what the program writes
//! then is told at once. A thread of its own, which sleeps while the device is known to be done
//! with everything, and does not exist in programs that share nothing.

use crate::connection::spawn;
use crate::session::Session;
use crate::stream::Stream;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::os::spin::Pauses;
use outhaul_wire::messages::MirrorRest;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[derive(Default)]
pub struct Watch {
    state: Mutex<State>,
    wake: Condvar,
    /// Something is shared that was not before: it is likely to be used soon.
    fresh: AtomicBool,
}

#[derive(Default)]
struct State {
    started: bool,
    /// Streams with work that is not known to be done, and its positions in them.
    busy: Vec<(Arc<Stream>, u64)>,
    /// The last position of all.
    last: u64,
}

impl State {
    /// Whether work may be under way that looks at what is shared, if anything is.
    fn is_busy(&mut self, session: &Session) -> bool {
        let is_shared = session.twins.is_in_use();
        self.busy.retain(|(stream, position)| is_shared && !stream.is_completed(*position));
        !self.busy.is_empty()
    }
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub fn note_fresh(&self) {
        self.fresh.store(true, Relaxed);
    }

    /// Work that may look at what is shared has been posted to a stream.
    pub fn note_work(&self, session: &'static Session, stream: &Arc<Stream>) {
        let position = stream.position();
        let mut state = self.lock();
        let was_busy = !state.busy.is_empty();
        match state.busy.iter_mut().find(|(other, _)| Arc::ptr_eq(other, stream)) {
            Some((_, noted)) => *noted = position,
            None => state.busy.push((stream.clone(), position)),
        }
        state.last = state.last.max(position);
        if !std::mem::replace(&mut state.started, true) {
            spawn("outhaul-watch", move || session.twins.watch.run(session));
        } else if !was_busy {
            self.wake.notify_one();
        }
    }

    fn run(&self, session: &'static Session) {
        let mut pauses = Pauses::new();
        while !session.deferred.is_lost() {
            let mut state = self.lock();
            if !state.is_busy(session) {
                // Streams are done: the node need not look either, unless it has been given more
                // than this says.
                let sequence = state.last;
                drop(state);
                let _ = session.callbacks.say(&MirrorRest { sequence }, &[]);
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
            match session.twins.tell_together(session) {
                Ok(true) => pauses.note_change(),
                Ok(false) => {}
                Err(_) => return,
            }
            pauses.sleep();
        }
    }
}

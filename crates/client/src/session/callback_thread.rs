//! The thread that runs callbacks, and queries on the callback lane.

use crate::base::log;
use crate::session::Session;
use crate::session::bulk::transfer::HostBox;
use crate::session::callbacks::{Callback, CallbackMessage, Callbacks, Entry};
use crate::session::pending_calls::{CALLBACK_LANE_SEQUENCE, ReplySlot};
use outhaul_abi::types::CUresult;
use outhaul_wire::codec::{Call, Message};
use outhaul_wire::frame;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{CallbackDone, CaptureBytes};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, Release};

impl Callback {
    fn run(self, id: u64, session: &'static Session) {
        // SAFETY: the program guarantees that function and data are valid for this call.
        unsafe {
            match self {
                Callback::Host { function, data } => {
                    session.events.run_callback(session, &mut || function(data))
                }
                Callback::Stream { function: Some(function), stream, data } => {
                    session.events.run_callback(session, &mut || {
                        function(stream, CUresult::SUCCESS, data);
                    });
                }
                Callback::Destructor { function, data, .. } => function(data),
                Callback::Fetch(source) => {
                    if let Err(code) = session.replicas.after_wait(session) {
                        session.deferred.note(code);
                    }
                    fetch(id, &source, session);
                }
                Callback::Copy { to, from } => {
                    session.events.run_callback(session, &mut || copy_rows(&to, &from))
                }
                Callback::Stream { function: None, .. } | Callback::Store { .. } => {}
            }
        }
    }
}

/// Sends the present contents of the program's memory.
///
/// # Safety
///
/// The rows of `source` are valid for reads.
unsafe fn fetch(callback: u64, source: &HostBox, session: &Session) {
    session.events.before_read(source.span());
    let mut offset = 0;
    for row in 0..source.rows {
        // SAFETY: a row of `source`, which the caller guarantees to be valid for reads.
        let row = unsafe {
            std::slice::from_raw_parts(
                source.address.add(row * source.pitch_bytes),
                source.width_bytes,
            )
        };
        for piece in row.chunks(PIECE_BYTES) {
            // Ignored because other threads report a lost session.
            let _ = session.callbacks.send(&CaptureBytes { callback, offset }, piece);
            offset += piece.len() as u64;
        }
    }
}

/// Copies the rows of `from` to `to`.
///
/// # Safety
///
/// The rows of `from` are valid for reads and those of `to` for writes. Both have the same number
/// of rows of the same width.
unsafe fn copy_rows(to: &HostBox, from: &HostBox) {
    for row in 0..to.rows {
        // SAFETY: the caller guarantees that both rows are valid; `copy` allows them to overlap.
        unsafe {
            std::ptr::copy(
                from.address.add(row * from.pitch_bytes),
                to.address.add(row * to.pitch_bytes),
                to.width_bytes,
            )
        };
    }
}

impl Callbacks {
    /// Sends a query on the callback lane. The returned slot receives the answer.
    pub fn question<'a, M: Message<'a> + Call>(
        &self,
        session: &Session,
        message: &M,
    ) -> Arc<ReplySlot> {
        self.ask_as(session, message, |sequence, slot| session.calls.expect(sequence, slot))
    }

    /// Queries on the callback lane what the device has changed. The session's `ChangeReplies`
    /// receives the answer under `number`.
    pub fn question_changes<'a, M: Message<'a> + Call>(
        &self,
        session: &'static Session,
        message: &M,
        number: u64,
    ) {
        self.ask_as(session, message, |sequence, slot| {
            session.calls.expect_changes(sequence, slot, &session.change_replies, number)
        });
    }

    fn ask_as<'a, M: Message<'a> + Call>(
        &self,
        session: &Session,
        message: &M,
        expect: impl FnOnce(u64, Arc<ReplySlot>),
    ) -> Arc<ReplySlot> {
        let slot = Arc::new(ReplySlot::default());
        let sequence = CALLBACK_LANE_SEQUENCE | self.questions.fetch_add(1, Relaxed);
        expect(sequence, slot.clone());
        let mut head = Vec::new();
        frame::append(&mut head, message, 0, sequence, 0);
        if self.write(&[&head]).is_err() || session.deferred.is_lost() {
            session.calls.fail_all();
        }
        slot
    }

    fn run(&self, id: u64, session: &'static Session) {
        let mut state = self.lock();
        let is_persistent = state.due.get(&id).is_some_and(|entry| entry.is_persistent);
        let callback = if is_persistent {
            state.due.get(&id).map(|e| e.callback.clone())
        } else {
            state.due.remove(&id).map(|e| e.callback)
        };
        drop(state);
        match callback {
            Some(callback) => {
                callback.run(id, session);
                if !is_persistent {
                    self.lock().open -= 1;
                    self.ended.notify_all();
                }
            }
            None => log::note(|| format!("the node asked for callback {id}, which does not exist")),
        }
    }
}

/// Runs the callback thread's loop until the session is lost.
pub fn run_all(session: &'static Session) {
    while let Some(message) = session.callbacks.next() {
        let callback = match message {
            CallbackMessage::Run(callback) => callback,
            CallbackMessage::Forget(id) => {
                let entry = session.callbacks.lock().due.remove(&id);
                if let Some(Entry { callback: Callback::Destructor { object, .. }, .. }) = entry {
                    session.events.user_object_ended(object);
                }
                continue;
            }
        };
        session.outbox.fence();
        session.callbacks.run(callback, session);
        session.callbacks.returned.fetch_add(1, Release);
        if session.callbacks.send(&CallbackDone { callback }, &[]).is_err() {
            return;
        }
    }
}

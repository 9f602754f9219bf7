//! Data on its way from the device to the client, one queue per stream: pieces leave in stream order, and a wait for the stream stands in
//! the same queue, so that its answer leaves behind them.

use super::bulk::{Outlets, Parcel};
use super::frame::Ticket;
use super::near::{NEAR_BYTES_MAX, Near};
use super::outbound::Outbound;
use super::output::Output;
use super::staging::{Chunk, Staging};
use super::waiters::Waiters;
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUevent, CUresult};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

pub struct Piece {
    pub chunk: Chunk,
    /// Recorded behind the copy into the chunk.
    pub event: CUevent,
    pub context: CUcontext,
    pub transfer: u64,
    pub offset: u64,
    pub bytes: usize,
    pub lane: Option<usize>,
}

/// A wait for the stream, answered when the event has passed.
pub struct Answer {
    pub event: CUevent,
    pub context: CUcontext,
    pub ticket: Ticket,
}

enum Item {
    Piece(Piece),
    Answer(Answer),
}

impl Item {
    /// What has passed before a frame of this goes out on the lane of replies, if one does.
    fn event_before_frame(&self) -> Option<CUevent> {
        match self {
            Item::Answer(answer) => Some(answer.event),
            Item::Piece(piece) if piece.lane.is_none() => Some(piece.event),
            Item::Piece(_) => None,
        }
    }

    fn is_due(&self, driver: &Driver) -> bool {
        let (Item::Piece(Piece { event, .. }) | Item::Answer(Answer { event, .. })) = self;
        // SAFETY: the event is the session's own, and live as long as this stands in the queue.
        unsafe { driver.cuEventQuery(*event) != CUresult::NOT_READY }
    }

    /// Small enough for the thread of commands to write it.
    fn is_small(&self) -> bool {
        match self {
            Item::Answer(_) => true,
            Item::Piece(piece) => piece.lane.is_none() && piece.bytes <= NEAR_BYTES_MAX,
        }
    }
}

#[derive(Default)]
pub struct Delivery {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Item>,
    /// A thread is working the queue off.
    running: bool,
    entered: u64,
    delivered: u64,
    /// Threads that wait for pieces to leave.
    waiting: usize,
}

impl State {
    fn count_delivered(&mut self, moved: &Condvar) {
        self.delivered += 1;
        if self.waiting > 0 {
            moved.notify_all();
        }
    }
}

/// What working off a queue needs.
#[derive(Clone)]
pub struct Carrier {
    pub driver: Arc<Driver>,
    pub staging: Arc<Staging>,
    pub outbound: Arc<Outbound>,
    pub waiters: Arc<Waiters>,
    pub output: Arc<Output>,
    pub outlets: Arc<Outlets>,
    pub near: Near,
}

impl Delivery {
    pub fn entered(&self) -> u64 {
        self.lock().entered
    }

    pub fn is_delivered(&self, target: u64) -> bool {
        self.lock().delivered >= target
    }

    /// Blocks until the first `target` pieces have left.
    pub fn wait(&self, target: u64) {
        let mut state = self.lock();
        state.waiting += 1;
        while state.delivered < target {
            state = self.moved.wait(state).unwrap_or_else(|e| e.into_inner());
        }
        state.waiting -= 1;
    }

    pub fn enter(self: &Arc<Delivery>, piece: Piece, carrier: &Carrier) {
        let mut state = self.lock();
        state.entered += 1;
        self.push(state, Item::Piece(piece), carrier);
    }

    /// Answers behind the data that was entered before.
    pub fn enter_answer(self: &Arc<Delivery>, answer: Answer, carrier: &Carrier) {
        self.push(self.lock(), Item::Answer(answer), carrier);
    }

    fn push(self: &Arc<Delivery>, mut state: MutexGuard<'_, State>, item: Item, carrier: &Carrier) {
        let small = item.is_small();
        state.queue.push_back(item);
        if !state.running {
            state.running = true;
            drop(state);
            if !(small && carrier.near.offer(self)) {
                self.hand_over(carrier);
            }
        }
    }

    /// To a thread that waits.
    pub fn hand_over(self: &Arc<Delivery>, carrier: &Carrier) {
        let (delivery, carrier) = (self.clone(), carrier.clone());
        carrier.waiters.clone().run(move || while !delivery.see_off_next(&carrier, |_| true) {});
    }

    /// Sees off what has come to its turn, and waits for nothing. Whether all has left.
    pub fn see_off_due(&self, carrier: &Carrier) -> bool {
        let mut due = true;
        while due {
            let is_due = |item: &Item| {
                due = item.is_due(&carrier.driver);
                due
            };
            if self.see_off_next(carrier, is_due) {
                return true;
            }
        }
        false
    }

    /// Whether all had left before.
    fn see_off_next(&self, carrier: &Carrier, may: impl FnOnce(&Item) -> bool) -> bool {
        let mut state = self.lock();
        let Some(item) = state.queue.pop_front() else {
            state.running = false;
            return true;
        };
        if !may(&item) {
            state.queue.push_front(item);
            return false;
        }
        let next_event = state.queue.front().and_then(Item::event_before_frame);
        drop(state);
        match item {
            Item::Answer(answer) => carrier.answer(answer),
            Item::Piece(piece) => {
                carrier.deliver(piece, next_event);
                self.lock().count_delivered(&self.moved);
            }
        }
        false
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl Carrier {
    fn answer(&self, answer: Answer) {
        let Answer { event, context, ticket } = answer;
        // SAFETY: context and event are the session's own and live: the event goes back to the pool only below.
        let result = unsafe {
            let _ = self.driver.cuCtxSetCurrent(context);
            self.driver.cuEventSynchronize(event)
        };
        self.staging.put_event(context, event);
        self.output.drain(&self.outbound);
        ticket.settle(result.ok());
    }

    /// `next_event` is that of what goes the same way next.
    fn deliver(&self, piece: Piece, next_event: Option<CUevent>) {
        // SAFETY: context and event are the session's own and live: an event goes back to the pool only below.
        let status = unsafe {
            let _ = self.driver.cuCtxSetCurrent(piece.context);
            self.driver.cuEventSynchronize(piece.event)
        };
        // SAFETY: the event is live: it stands in the queue behind this piece.
        let next_is_due = next_event.is_some_and(|event| unsafe { self.driver.cuEventQuery(event) } == CUresult::SUCCESS);
        if !next_is_due {
            // A copy that the program waits for shows what was printed before it.
            self.output.drain(&self.outbound);
        }
        if let (Some(lane), CUresult::SUCCESS) = (piece.lane, status) {
            self.staging.put_event(piece.context, piece.event);
            self.outbound.note_bulk(lane);
            let Piece { chunk, bytes, transfer, offset, .. } = piece;
            return self.outlets.send(lane, Parcel { chunk, bytes, transfer, offset });
        }
        let bytes: &[u8] = if status == CUresult::SUCCESS { &piece.chunk.bytes()[..piece.bytes] } else { &[] };
        self.outbound.data(piece.transfer, piece.offset, status, bytes, next_is_due);
        self.staging.put_event(piece.context, piece.event);
        self.staging.put_chunk(piece.chunk);
    }
}

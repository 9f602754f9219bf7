//! Data on its way from the device to the client, in one queue per stream. CUDA orders more than
//! what is in one stream: events, the legacy stream, graphs, and kernels that look at memory have
//! one stream's copies come before another's waits. Nothing here follows those rules. Whoever tells
//! the client that the device has come to a point first sends off every piece whose copy has passed
//! by then, of whatever stream: what is ordered before the point is among them.

use super::bulk::{Outlets, Parcel};
use super::frame::Ticket;
use super::near::{Errand, NEAR_BYTES_MAX, Near};
use super::outbound::Outbound;
use super::output::Output;
use super::staging::{Chunk, Mark, Staging};
use super::waiters::Waiters;
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUresult};
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_wire::codec::Field;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, mpsc};

/// Which stream's queue; no other stream of the session ever has the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct QueueId(u64);

impl QueueId {
    pub fn new() -> QueueId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        QueueId(NEXT.fetch_add(1, Relaxed))
    }
}

pub struct Piece {
    pub chunk: Chunk,
    /// Behind the copy into the chunk.
    pub mark: Arc<Mark>,
    pub transfer: u64,
    pub offset: u64,
    pub bytes: usize,
    pub lane: Option<usize>,
}

impl Piece {
    /// Whether to send it takes next to no time, however slow the client reads.
    fn is_quick(&self) -> bool {
        self.lane.is_some() || self.bytes <= NEAR_BYTES_MAX
    }
}

/// A wait, answered when the device has passed the mark.
pub struct Answer {
    pub mark: Arc<Mark>,
    pub ticket: Ticket,
}

#[derive(Default)]
pub struct Deliveries {
    /// Held by whoever sends: what is said behind it is behind all that had passed.
    leaving: Mutex<()>,
    state: Mutex<State>,
    emptied: Condvar,
}

#[derive(Default)]
struct State {
    /// One that stands here is being worked off, and leaves when it is empty.
    queues: BTreeMap<QueueId, Queue>,
    entered: u64,
}

struct Queue {
    context: CUcontext,
    /// Each with its number among all that were entered.
    pieces: VecDeque<(u64, Piece)>,
}

/// What sending takes.
#[derive(Clone)]
pub struct Carrier {
    pub driver: Arc<Driver>,
    pub staging: Arc<Staging>,
    pub outbound: Arc<Outbound>,
    pub waiters: Arc<Waiters>,
    pub output: Arc<Output>,
    pub outlets: Arc<Outlets>,
    pub near: Near,
    pub deliveries: Arc<Deliveries>,
}

impl Deliveries {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// What the device passes next in a queue. An empty one ends.
    fn front(&self, queue: QueueId) -> Option<Arc<Mark>> {
        let mut state = self.lock();
        if let Some((_, piece)) = state.queues.get(&queue)?.pieces.front() {
            return Some(piece.mark.clone());
        }
        state.queues.remove(&queue);
        self.emptied.notify_all();
        None
    }

    /// The oldest piece that has passed, if one of the first `limit` has, with how its copy ended.
    fn next_passed(&self, driver: &Driver, limit: u64) -> Option<(QueueId, CUresult)> {
        let fronts = |state: &State| {
            let fronts = state.queues.iter().filter_map(|(id, queue)| {
                queue.pieces.front().map(|(number, piece)| (*number, *id, piece.mark.clone()))
            });
            fronts.filter(|(number, ..)| *number <= limit).collect::<Vec<_>>()
        };
        let mut fronts = fronts(&self.lock());
        // The newest is asked first: what is ordered before it and is asked later has passed if it
        // has.
        fronts.sort_unstable_by_key(|(number, ..)| std::cmp::Reverse(*number));
        let passed = |(_, id, mark): (u64, QueueId, Arc<Mark>)| Some((id, mark.status(driver)?));
        fronts.into_iter().filter_map(passed).last()
    }

    /// The front of a queue, if it may be sent now.
    fn take(&self, queue: QueueId, may: impl FnOnce(&Piece) -> bool) -> Option<Piece> {
        let mut state = self.lock();
        let pieces = &mut state.queues.get_mut(&queue)?.pieces;
        pieces.front().filter(|(_, piece)| may(piece))?;
        pieces.pop_front().map(|(_, piece)| piece)
    }

    /// Whether nothing is on its way. What enters meanwhile has not passed yet.
    pub fn is_idle(&self) -> bool {
        self.leaving.try_lock().is_some() && self.lock().queues.is_empty()
    }

    /// A context is going away: blocks until all that was copied in it has been sent.
    pub fn settle(&self, context: CUcontext) {
        let mut state = self.lock();
        while state.queues.values().any(|queue| queue.context == context) {
            state = self.emptied.wait(state);
        }
        drop(state);
        // Nobody who sends looks at the context's marks any more.
        drop(self.leaving.lock());
    }
}

impl Carrier {
    pub fn enter(&self, queue: QueueId, piece: Piece) {
        let mut state = self.deliveries.lock();
        state.entered += 1;
        // Not where more pieces of the same command may come, which wait for memory that this one
        // gives back.
        let near = piece.lane.is_none() && piece.is_quick();
        let (number, context) = (state.entered, piece.mark.context());
        let is_worked_off = state.queues.contains_key(&queue);
        let entry =
            state.queues.entry(queue).or_insert_with(|| Queue { context, pieces: VecDeque::new() });
        entry.pieces.push_back((number, piece));
        drop(state);
        if !is_worked_off {
            self.begin(Errand::Queue(queue), near);
        }
    }

    /// Answers when the device has passed a mark.
    pub fn enter_answer(&self, answer: Answer) {
        self.begin(Errand::Answer(answer), true);
    }

    fn begin(&self, errand: Errand, near: bool) {
        let left = if near { self.near.offer(errand) } else { Some(errand) };
        left.into_iter().for_each(|errand| self.hand_over(errand));
    }

    /// To a thread that waits.
    pub fn hand_over(&self, errand: Errand) {
        let carrier = self.clone();
        self.waiters.run(move || match errand {
            Errand::Queue(queue) => carrier.work_off(queue),
            Errand::Answer(Answer { mark, ticket }) => {
                let status = mark.wait(&carrier.driver);
                carrier.answer(&ticket, status);
            }
        });
    }

    fn work_off(&self, queue: QueueId) {
        while let Some(mark) = self.deliveries.front(queue) {
            mark.wait(&self.driver);
            drop(mark);
            self.send_passed();
        }
    }

    /// Does what can be done without waiting. Whether that was all.
    pub fn try_errand(&self, errand: &Errand) -> bool {
        match errand {
            Errand::Queue(queue) => {
                while let Some(mark) = self.deliveries.front(*queue) {
                    if mark.status(&self.driver).is_none() || !self.try_send_passed() {
                        return false;
                    }
                }
                true
            }
            Errand::Answer(Answer { mark, ticket }) => {
                let Some(status) = mark.status(&self.driver) else { return false };
                let sent = self.try_send_passed();
                if sent {
                    self.say_passed(ticket, status);
                }
                sent
            }
        }
    }

    /// Answers that the device has come to a point, which it has.
    pub fn answer(&self, ticket: &Ticket, status: CUresult) {
        self.send_passed();
        self.say_passed(ticket, status);
    }

    /// As `answer`, for what is there and has more to say.
    pub fn answer_passed<'r>(&self, ticket: &Ticket, reply: &impl Field<'r>) {
        self.answer_by(ticket, |ticket| ticket.answer(reply));
    }

    /// As `answer`, by somebody who knows what is to be said.
    pub fn answer_by(&self, ticket: &Ticket, answer: impl FnOnce(&Ticket)) {
        self.send_passed();
        self.output.drain(&self.outbound);
        answer(ticket);
    }

    /// As `answer`, for the thread of commands: where there is something to send first, another
    /// thread does it.
    pub fn answer_soon(&self, ticket: Ticket) {
        if self.try_send_passed() {
            return self.say_passed(&ticket, CUresult::SUCCESS);
        }
        let carrier = self.clone();
        self.waiters.run(move || carrier.answer(&ticket, CUresult::SUCCESS));
    }

    fn say_passed(&self, ticket: &Ticket, status: CUresult) {
        self.output.drain(&self.outbound);
        ticket.settle(status.ok());
    }

    /// Sends off every piece whose copy has passed by now, in the order in which the copies were
    /// asked for.
    pub fn send_passed(&self) {
        let _leaving = self.deliveries.leaving.lock();
        self.send(|_| true);
    }

    /// As `send_passed`, where that takes next to no time. Whether all that has passed is sent.
    fn try_send_passed(&self) -> bool {
        match self.deliveries.leaving.try_lock() {
            Some(_leaving) => self.send(Piece::is_quick),
            None => false,
        }
    }

    /// As `send_passed`, for the driver's own threads, which may not ask the driver for anything.
    pub fn have_passed_sent(&self) {
        if self.deliveries.is_idle() {
            return;
        }
        let (carrier, (done, sent)) = (self.clone(), mpsc::channel());
        self.waiters.run(move || {
            carrier.send_passed();
            let _ = done.send(());
        });
        let _ = sent.recv();
    }

    /// Sends what has passed until it comes to what may not be sent, and says then which copies the
    /// client has more of. Whether that was all. What enters meanwhile is left: nobody waits for it
    /// yet.
    fn send(&self, may: impl Fn(&Piece) -> bool) -> bool {
        let limit = self.deliveries.lock().entered;
        let mut transfers = BTreeSet::new();
        let mut next = self.deliveries.next_passed(&self.driver, limit);
        while let Some((queue, status)) = next {
            let Some(piece) = self.deliveries.take(queue, &may) else { break };
            transfers.insert(piece.transfer);
            self.send_piece(piece, status);
            next = self.deliveries.next_passed(&self.driver, limit);
        }
        if !transfers.is_empty() {
            // A copy that the program waits for shows what was printed before it.
            self.output.drain(&self.outbound);
            self.outbound.arrived(&transfers);
        }
        next.is_none()
    }

    fn send_piece(&self, piece: Piece, status: CUresult) {
        let Piece { chunk, bytes, transfer, offset, lane, .. } = piece;
        if let (Some(lane), CUresult::SUCCESS) = (lane, status) {
            self.outbound.note_bulk(lane);
            return self.outlets.send(lane, Parcel { chunk, bytes, transfer, offset });
        }
        let payload: &[u8] =
            if status == CUresult::SUCCESS { &chunk.bytes()[..bytes] } else { &[] };
        self.outbound.data(transfer, offset, status, payload);
        self.staging.put_chunk(chunk);
    }
}

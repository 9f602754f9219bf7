//! Delivers data from the device to the client, with one queue per stream. CUDA orders more than
//! the work in one stream: because of events, the legacy stream, graphs, and kernels that read
//! memory, one stream's copies may precede another stream's waits. This module does not track these
//! rules. Instead, before the client learns that the device has reached a point, the worker sends
//! every piece whose copy has completed, from any stream. The pieces ordered before the point are
//! among them.

use super::inline_task::{INLINE_BYTES_MAX, InlineTask, StreamWait, Task};
use crate::worker::copies::bulk::{Outlets, QueuedPiece};
use crate::worker::driver::objects::QueueId;
use crate::worker::driver::staging::{Chunk, Mark, Staging};
use crate::worker::driver::waiters::Waiters;
use crate::worker::io::frame::Ticket;
use crate::worker::io::outbound::Outbound;
use crate::worker::io::output::Output;
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUresult};
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_wire::codec::Field;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, mpsc};

/// A part of a copy to the client, in staging memory.
pub struct DeliveredPiece {
    /// Memory to which the copy writes.
    pub chunk: Chunk,
    /// Mark after the copy into the chunk.
    pub mark: Arc<Mark>,
    /// Number of the transfer to which the bytes belong.
    pub transfer: u64,
    /// Offset in the transfer, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: usize,
    /// Bulk lane that carries the piece, if any.
    pub lane: Option<usize>,
}

impl DeliveredPiece {
    /// Returns whether sending takes almost no time, even if the client reads slowly.
    fn is_quick(&self) -> bool {
        self.lane.is_some() || self.bytes <= INLINE_BYTES_MAX
    }
}

/// All streams' queues.
#[derive(Default)]
pub struct Deliveries {
    /// Held while pieces are sent. A message sent with this lock held follows all pieces whose
    /// copies had completed when it was locked.
    leaving: Mutex<()>,
    state: Mutex<DeliveryState>,
    emptied: Condvar,
}

#[derive(Default)]
struct DeliveryState {
    /// The queues that are being processed. A queue is removed when it is empty.
    queues: BTreeMap<QueueId, Queue>,
    entered: u64,
}

struct Queue {
    context: CUcontext,
    /// Pieces, each with its number among all pieces ever entered.
    pieces: VecDeque<(u64, DeliveredPiece)>,
}

/// Everything that is needed for sending.
#[derive(Clone)]
pub struct Carrier {
    /// The node's driver.
    pub driver: Arc<Driver>,
    /// Pinned memory for copies.
    pub staging: Arc<Staging>,
    /// Sends messages to the client.
    pub outbound: Arc<Outbound>,
    /// Threads that wait for the device.
    pub waiters: Arc<Waiters>,
    /// Output that kernels print.
    pub output: Arc<Output>,
    /// Bulk lanes to the client.
    pub outlets: Arc<Outlets>,
    /// The task that the command thread may complete itself.
    pub inline_task: InlineTask,
    /// Pieces that have not been sent yet.
    pub deliveries: Arc<Deliveries>,
}

impl Deliveries {
    fn lock(&self) -> MutexGuard<'_, DeliveryState> {
        self.state.lock()
    }

    /// Returns a queue's next mark. Removes the queue if it is empty.
    fn front(&self, queue: QueueId) -> Option<Arc<Mark>> {
        let mut state = self.lock();
        if let Some((_, piece)) = state.queues.get(&queue)?.pieces.front() {
            return Some(piece.mark.clone());
        }
        state.queues.remove(&queue);
        self.emptied.notify_all();
        None
    }

    /// Returns the queue with the oldest piece whose copy has completed, and the copy's result.
    /// Ignores pieces with numbers above `limit`.
    fn next_passed(&self, driver: &Driver, limit: u64) -> Option<(QueueId, CUresult)> {
        let fronts = |state: &DeliveryState| {
            let fronts = state.queues.iter().filter_map(|(id, queue)| {
                queue.pieces.front().map(|(number, piece)| (*number, *id, piece.mark.clone()))
            });
            fronts.filter(|(number, ..)| *number <= limit).collect::<Vec<_>>()
        };
        let mut fronts = fronts(&self.lock());
        // Queries the newest piece first. If its copy has completed, the later query of a piece
        // that is ordered before it finds that one completed too.
        fronts.sort_unstable_by_key(|(number, ..)| std::cmp::Reverse(*number));
        let passed = |(_, id, mark): (u64, QueueId, Arc<Mark>)| Some((id, mark.status(driver)?));
        fronts.into_iter().filter_map(passed).last()
    }

    /// Removes and returns a queue's front piece if `may` allows sending it now.
    fn take(
        &self,
        queue: QueueId,
        may: impl FnOnce(&DeliveredPiece) -> bool,
    ) -> Option<DeliveredPiece> {
        let mut state = self.lock();
        let pieces = &mut state.queues.get_mut(&queue)?.pieces;
        pieces.front().filter(|(_, piece)| may(piece))?;
        pieces.pop_front().map(|(_, piece)| piece)
    }

    /// Returns whether no piece waits to be sent. The copies of pieces that enter meanwhile have
    /// not completed yet.
    pub fn is_idle(&self) -> bool {
        self.leaving.try_lock().is_some() && self.lock().queues.is_empty()
    }

    /// Blocks until all copies of a context that is about to be destroyed have been sent.
    pub fn wait_idle(&self, context: CUcontext) {
        let mut state = self.lock();
        while state.queues.values().any(|queue| queue.context == context) {
            state = self.emptied.wait(state);
        }
        drop(state);
        // After the lock was free once, no thread that sends uses the context's marks.
        drop(self.leaving.lock());
    }
}

impl Carrier {
    /// Enters a piece into its stream's queue.
    pub fn enter(&self, queue: QueueId, piece: DeliveredPiece) {
        let mut state = self.deliveries.lock();
        state.entered += 1;
        // The command thread must not keep a piece if more pieces of the same command may
        // follow, because they wait for the piece's memory.
        let is_inline = piece.lane.is_none() && piece.is_quick();
        let (number, context) = (state.entered, piece.mark.context());
        let is_worked_off = state.queues.contains_key(&queue);
        let entry =
            state.queues.entry(queue).or_insert_with(|| Queue { context, pieces: VecDeque::new() });
        entry.pieces.push_back((number, piece));
        drop(state);
        if !is_worked_off {
            self.begin(Task::Queue(queue), is_inline);
        }
    }

    /// Answers a wait when the device has reached its mark.
    pub fn enter_answer(&self, answer: StreamWait) {
        self.begin(Task::StreamWait(answer), true);
    }

    fn begin(&self, task: Task, is_inline: bool) {
        let left = if is_inline { self.inline_task.offer(task) } else { Some(task) };
        left.into_iter().for_each(|task| self.hand_over(task));
    }

    /// Hands a task to a thread that may wait.
    pub fn hand_over(&self, task: Task) {
        let carrier = self.clone();
        self.waiters.run(move || match task {
            Task::Queue(queue) => carrier.work_off(queue),
            Task::StreamWait(StreamWait { mark, ticket }) => {
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

    /// Does as much of a task as is possible without waiting. Returns whether the task is complete.
    pub fn try_task(&self, task: &Task) -> bool {
        match task {
            Task::Queue(queue) => {
                while let Some(mark) = self.deliveries.front(*queue) {
                    if mark.status(&self.driver).is_none() || !self.try_send_passed() {
                        return false;
                    }
                }
                true
            }
            Task::StreamWait(StreamWait { mark, ticket }) => {
                let Some(status) = mark.status(&self.driver) else { return false };
                let sent = self.try_send_passed();
                if sent {
                    self.reply_passed(ticket, status);
                }
                sent
            }
        }
    }

    /// Tells the client that the device has reached a point. The caller knows that the device has.
    pub fn answer(&self, ticket: &Ticket, status: CUresult) {
        self.send_passed();
        self.reply_passed(ticket, status);
    }

    /// Does the same as `answer`, with success and a reply.
    pub fn answer_passed<'r>(&self, ticket: &Ticket, reply: &impl Field<'r>) {
        self.answer_by(ticket, |ticket| ticket.answer(reply));
    }

    /// Does the same as `answer`, but calls the function `answer` to reply.
    pub fn answer_by(&self, ticket: &Ticket, answer: impl FnOnce(&Ticket)) {
        self.send_passed();
        self.output.drain(&self.outbound);
        answer(ticket);
    }

    /// Does the same as `answer` on the command thread, with success. If data must be sent
    /// first, another thread answers.
    pub fn answer_soon(&self, ticket: Ticket) {
        if self.try_send_passed() {
            return self.reply_passed(&ticket, CUresult::SUCCESS);
        }
        let carrier = self.clone();
        self.waiters.run(move || carrier.answer(&ticket, CUresult::SUCCESS));
    }

    fn reply_passed(&self, ticket: &Ticket, status: CUresult) {
        self.output.drain(&self.outbound);
        ticket.answer_result(status.ok());
    }

    /// Sends every piece whose copy has completed by now, in the order in which the copies were
    /// requested.
    pub fn send_passed(&self) {
        let _leaving = self.deliveries.leaving.lock();
        self.send(|_| true);
    }

    /// Does the same as `send_passed` if that takes almost no time. Returns whether all completed
    /// pieces have been sent.
    fn try_send_passed(&self) -> bool {
        match self.deliveries.leaving.try_lock() {
            Some(_leaving) => self.send(DeliveredPiece::is_quick),
            None => false,
        }
    }

    /// Does the same as `send_passed`, on behalf of the driver's own threads, which must not call
    /// the driver.
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

    /// Sends completed pieces up to the first one that `may` rejects. Then tells the client which
    /// transfers have new data. Returns whether all were sent. Skips pieces that enter meanwhile,
    /// because no thread waits for them yet.
    fn send(&self, may: impl Fn(&DeliveredPiece) -> bool) -> bool {
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
            // When the program sees a copy for which it waits, it must also see earlier output.
            self.output.drain(&self.outbound);
            self.outbound.arrived(&transfers);
        }
        next.is_none()
    }

    fn send_piece(&self, piece: DeliveredPiece, status: CUresult) {
        let DeliveredPiece { chunk, bytes, transfer, offset, lane, .. } = piece;
        if let (Some(lane), CUresult::SUCCESS) = (lane, status) {
            self.outbound.note_bulk(lane);
            return self.outlets.send(lane, QueuedPiece { chunk, bytes, transfer, offset });
        }
        let payload: &[u8] =
            if status == CUresult::SUCCESS { &chunk.bytes()[..bytes] } else { &[] };
        self.outbound.data(transfer, offset, status, payload);
        self.staging.put_chunk(chunk);
    }
}

//! Bulk lanes, which carry the bytes of large copies in pieces. The command lane carries the
//! copies' descriptions and determines their order. Each bulk lane has two threads, which start
//! with the first large copy.

use crate::base::stats;
use crate::session::bulk::copy_sizes::{COPY_SIZES, Cut};
use crate::session::bulk::lane_count::LinkPace;
use crate::session::bulk::transfer::HostBox;
use crate::session::outbox::Sent;
use outhaul_lock::{Condvar, Mutex};
use outhaul_transport::os::spin::{BURST_SPIN, spin};
use outhaul_transport::{Lane, LaneError, LaneWriter, PaceMeter, Packer};
use outhaul_wire::codec::DecodeError;
use outhaul_wire::frame;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{PackedPiece, Piece};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Release};

/// Smallest piece, except for the last one of a copy.
const PIECE_BYTES_MIN: usize = 512 << 10;

/// The bulk lanes of a session.
pub struct BulkLanes {
    pace: LinkPace,
    /// Whether both sides may send pieces packed.
    pub may_pack: bool,
    /// The lanes before the first large copy, which starts their threads.
    pub(in crate::session::bulk) idle: Mutex<Vec<Lane>>,
    pub(in crate::session::bulk) lanes: Vec<Arc<BulkLane>>,
    pub(in crate::session::bulk) outgoing: Arc<Outgoing>,
}

/// Queues of the pieces that the lanes' threads will write.
pub(in crate::session::bulk) struct Outgoing {
    queues: Mutex<Vec<Queue>>,
    /// Signals all lanes' threads, so that a copy wakes them all at once. With one condition
    /// variable per lane, the first thread to wake might take the caller's CPU and delay the next
    /// wake.
    filled: Condvar,
    /// Number of pieces queued so far, by lane. The lane's thread polls it before it sleeps.
    pushed: Vec<AtomicU64>,
}

/// The receiving half of a bulk lane.
#[derive(Default)]
pub(in crate::session::bulk) struct BulkLane {
    pub(in crate::session::bulk) received: Mutex<Received>,
    pub(in crate::session::bulk) moved: Condvar,
}

#[derive(Default)]
struct Queue {
    parcels: VecDeque<QueuedPiece>,
    closed: bool,
}

impl Queue {
    fn is_waiting(&self) -> bool {
        self.parcels.is_empty() && !self.closed
    }
}

/// Number of frames that the lane has read, and the reason once no more will come.
#[derive(Default)]
pub(in crate::session::bulk) struct Received {
    pub(in crate::session::bulk) frames: u64,
    pub(in crate::session::bulk) ended: Option<String>,
}

/// A piece whose bytes the lane's thread reads in place.
struct QueuedPiece {
    piece: Piece,
    source: HostBox,
    bytes: usize,
    /// The sender keeps the bytes valid for reads until `sent` is done.
    sent: Arc<Sent>,
}

impl BulkLanes {
    /// Prepares the lanes without starting threads. With `keeps_lanes`, copies use all lanes
    /// however fast the link is.
    pub fn new(lanes: Vec<Lane>, keeps_lanes: bool, may_pack: bool) -> BulkLanes {
        let meters =
            lanes.iter().filter(|_| !keeps_lanes).filter_map(|lane| lane.meter.clone()).collect();
        let pace = LinkPace::new(lanes.len() as u16, meters);
        BulkLanes {
            pace,
            may_pack,
            outgoing: Arc::new(Outgoing::new(lanes.len())),
            lanes: lanes.iter().map(|_| Arc::default()).collect(),
            idle: Mutex::new(lanes),
        }
    }

    /// Returns how to divide a copy, or none if it is too small for the bulk lanes.
    pub fn cut(&self, bytes: usize) -> Option<Cut> {
        let lanes = self.pace.lanes();
        if lanes == 0 || bytes < COPY_SIZES.by_lanes_from_bytes {
            return None;
        }
        let share =
            || bytes.div_ceil(lanes.into()).next_multiple_of(PIECE_BYTES_MIN).min(PIECE_BYTES);
        Some(Cut { lanes, piece_bytes: COPY_SIZES.piece_bytes.unwrap_or_else(share) })
    }

    /// Distributes a copy's pieces over the lanes. Callers must call this in the order of the
    /// copies' commands, and `sent` must expect each piece.
    pub fn send(
        &self,
        copy: u64,
        source: HostBox,
        Cut { lanes, piece_bytes }: Cut,
        sent: &Arc<Sent>,
    ) {
        let bytes = source.bytes() as usize;
        stats::sent(bytes);
        self.pace.count(bytes);
        let parcels = (0..bytes).step_by(piece_bytes).map(|start| QueuedPiece {
            piece: Piece { copy, offset: start as u64 },
            source,
            bytes: piece_bytes.min(bytes - start),
            sent: sent.clone(),
        });
        self.outgoing.push((0..usize::from(lanes)).cycle().zip(parcels));
    }

    /// Blocks until the lane has read `frames` frames. Fails if the lane ends earlier.
    pub fn wait(&self, lane: u16, frames: u64) -> Result<(), LaneError> {
        let lane =
            self.lanes.get(usize::from(lane)).ok_or(DecodeError::TooLong(usize::from(lane)))?;
        let mut received = lane.received.lock();
        while received.frames < frames && received.ended.is_none() {
            received = lane.moved.wait(received);
        }
        match &received.ended {
            Some(reason) if received.frames < frames => Err(LaneError::Bulk(reason.clone())),
            _ => Ok(()),
        }
    }

    /// Closes all lanes. Threads that wait until a lane has read their bytes continue.
    pub fn close(&self) {
        (0..self.lanes.len()).for_each(|lane| self.outgoing.close(lane));
    }
}

impl Outgoing {
    fn new(lanes: usize) -> Outgoing {
        Outgoing {
            queues: Mutex::new((0..lanes).map(|_| Queue::default()).collect()),
            filled: Condvar::new(),
            pushed: (0..lanes).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn push(&self, parcels: impl Iterator<Item = (usize, QueuedPiece)>) {
        let mut queues = self.queues.lock();
        for (lane, parcel) in parcels {
            if queues[lane].closed {
                parcel.sent.finish();
                continue;
            }
            queues[lane].parcels.push_back(parcel);
            self.pushed[lane].fetch_add(1, Release);
        }
        drop(queues);
        self.filled.notify_all();
    }

    fn close(&self, lane: usize) {
        let mut queues = self.queues.lock();
        queues[lane].closed = true;
        let left = std::mem::take(&mut queues[lane].parcels);
        drop(queues);
        left.iter().for_each(|parcel| parcel.sent.finish());
        self.filled.notify_all();
    }

    /// Blocks until the lane's next piece is queued, and returns it. Returns none once the lane is
    /// closed.
    fn next(&self, lane: usize) -> Option<QueuedPiece> {
        let mut queues = self.queues.lock();
        if queues[lane].is_waiting() {
            let pushed = &self.pushed[lane];
            let seen = pushed.load(Acquire);
            drop(queues);
            spin(BURST_SPIN, || (pushed.load(Acquire) != seen).then_some(()));
            queues = self.queues.lock();
        }
        while queues[lane].is_waiting() {
            queues = self.filled.wait(queues);
        }
        queues[lane].parcels.pop_front()
    }

    /// Writes a lane's pieces until the session ends, and packs each if that makes it faster.
    pub(in crate::session::bulk) fn write_all(
        &self,
        lane: usize,
        writer: &mut LaneWriter,
        meter: Option<PaceMeter>,
    ) {
        let mut packer = meter.and_then(Packer::new);
        while let Some(parcel) = self.next(lane) {
            let parts = parcel.source.parts(parcel.piece.offset as usize, parcel.bytes);
            // SAFETY: the bytes are valid for reads until `sent` is done, and `finish` comes after
            // the write.
            let rows = parts.map(|(address, count)| unsafe {
                std::slice::from_raw_parts(address.cast_const(), count)
            });
            let rows: Vec<&[u8]> = rows.collect();
            let mut head = Vec::with_capacity(64);
            let result = match packer.as_mut().and_then(|packer| packer.pack(&rows)) {
                Some(packed) => {
                    let Piece { copy, offset } = parcel.piece;
                    frame::append(
                        &mut head,
                        &PackedPiece { copy, offset, bytes: parcel.bytes as u32 },
                        0,
                        0,
                        packed.len(),
                    );
                    writer.write(&[&head, packed])
                }
                None => {
                    frame::append(&mut head, &parcel.piece, 0, 0, parcel.bytes);
                    writer.write(&std::iter::once(&head[..]).chain(rows).collect::<Vec<_>>())
                }
            };
            parcel.sent.finish();
            if result.is_err() {
                self.close(lane);
            }
        }
    }
}

//! Lanes for the bytes of large copies. The lane of commands says what is copied, and in which
//! order; these lanes carry the pieces. Each has two threads, which start with the first large
//! copy.

use crate::base::stats;
use crate::session::Session;
use crate::session::bulk::copy_sizes::COPY_SIZES;
use crate::session::bulk::lane_count::LinkPace;
use crate::session::bulk::transfer::HostBox;
use crate::session::connect::connection::spawn;
use crate::session::outbox::Sent;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex};
use outhaul_transport::os::spin::{MEDIUM, look};
use outhaul_transport::{Lane, LaneError, LaneReader, LaneWriter, PaceMeter, Packer, unpack};
use outhaul_wire::codec::{DecodeError, Message, Reader};
use outhaul_wire::frame;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{Data, PackedData, PackedPiece, Piece, head_bytes};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Release};
use std::time::Duration;

/// Longest wait for the lane of commands to say why the session ends.
const LAST_WORD_MAX: Duration = Duration::from_secs(1);
/// Smallest piece, except the last of a copy.
const PIECE_BYTES_MIN: usize = 512 << 10;

/// How a copy is cut: into pieces of one size, which the lanes take in turn.
#[derive(Clone, Copy, PartialEq)]
pub struct Cut {
    /// Number of lanes.
    pub lanes: u16,
    /// Bytes of a piece.
    pub piece_bytes: usize,
}

/// The bulk lanes of a session.
pub struct BulkLanes {
    pace: LinkPace,
    /// Whether pieces may travel packed, in either direction.
    pub may_pack: bool,
    /// The lanes, until the first large copy.
    idle: Mutex<Vec<Lane>>,
    lanes: Vec<Arc<BulkLane>>,
    outgoing: Arc<Outgoing>,
}

/// The pieces that the lanes' threads write, by lane.
struct Outgoing {
    queues: Mutex<Vec<Queue>>,
    /// One for all lanes, so that a copy wakes all threads at once. Otherwise a thread that wakes
    /// may take the CPU of the caller, which would delay waking the next one.
    filled: Condvar,
    /// Counts of each lane's parcels, which its thread polls before it sleeps.
    pushed: Vec<AtomicU64>,
}

#[derive(Default)]
struct BulkLane {
    received: Mutex<Received>,
    moved: Condvar,
}

#[derive(Default)]
struct Queue {
    parcels: VecDeque<Parcel>,
    closed: bool,
}

impl Queue {
    fn is_waiting(&self) -> bool {
        self.parcels.is_empty() && !self.closed
    }
}

/// Number of frames that have been read, and why no more will come.
#[derive(Default)]
struct Received {
    frames: u64,
    ended: Option<String>,
}

/// A piece that the lane's thread reads in place.
struct Parcel {
    piece: Piece,
    source: HostBox,
    bytes: usize,
    /// Until `sent` says so, the sender keeps the bytes readable.
    sent: Arc<Sent>,
}

impl BulkLanes {
    /// Prepares the lanes without threads. With `keeps_lanes`, copies use all of them, however fast
    /// the link is.
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

    /// Returns how to cut a copy, or none if it is too small for the bulk lanes.
    pub fn cut(&self, bytes: usize) -> Option<Cut> {
        let lanes = self.pace.lanes();
        if lanes == 0 || bytes < COPY_SIZES.by_lanes_from_bytes {
            return None;
        }
        let share =
            || bytes.div_ceil(lanes.into()).next_multiple_of(PIECE_BYTES_MIN).min(PIECE_BYTES);
        Some(Cut { lanes, piece_bytes: COPY_SIZES.piece_bytes.unwrap_or_else(share) })
    }

    /// Starts the threads that read and write the lanes, if they do not run.
    pub fn start(&self, session: &'static Session) {
        let idle = std::mem::take(&mut *self.idle.lock());
        for (number, Lane { mut reader, mut writer, life, meter, .. }) in
            idle.into_iter().enumerate()
        {
            let meter = meter.filter(|_| self.may_pack);
            life.begin();
            let (outgoing, receiving) = (self.outgoing.clone(), self.lanes[number].clone());
            reader.look_for(MEDIUM);
            spawn("outhaul-send", move || outgoing.write_all(number, &mut writer, meter));
            spawn("outhaul-recv", move || {
                let reason = receiving.read_all(session, &mut reader);
                if let LaneError::Closed = reason {
                    session.deferred.wait_lost(LAST_WORD_MAX);
                }
                session.lose(&LaneError::Bulk(reason.to_string()).to_string());
            });
        }
    }

    /// Distributes the pieces of a copy to the lanes. Callers call it in the order of the copies'
    /// commands. `sent` expects each piece.
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
        let parcels = (0..bytes).step_by(piece_bytes).map(|start| Parcel {
            piece: Piece { copy, offset: start as u64 },
            source,
            bytes: piece_bytes.min(bytes - start),
            sent: sent.clone(),
        });
        self.outgoing.push((0..usize::from(lanes)).cycle().zip(parcels));
    }

    /// Blocks until the lane has brought this many frames. Fails if the lane ends before.
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

    /// Closes all lanes. Threads that wait for bytes to be read continue.
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

    fn push(&self, parcels: impl Iterator<Item = (usize, Parcel)>) {
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

    /// Blocks for the lane's next parcel. Returns none once the lane is closed.
    fn next(&self, lane: usize) -> Option<Parcel> {
        let mut queues = self.queues.lock();
        if queues[lane].is_waiting() {
            let pushed = &self.pushed[lane];
            let seen = pushed.load(Acquire);
            drop(queues);
            look(MEDIUM, || (pushed.load(Acquire) != seen).then_some(()));
            queues = self.queues.lock();
        }
        while queues[lane].is_waiting() {
            queues = self.filled.wait(queues);
        }
        queues[lane].parcels.pop_front()
    }

    fn write_all(&self, lane: usize, writer: &mut LaneWriter, meter: Option<PaceMeter>) {
        let mut packer = meter.and_then(Packer::new);
        while let Some(parcel) = self.next(lane) {
            let parts = parcel.source.parts(parcel.piece.offset as usize, parcel.bytes);
            // SAFETY: readable until `sent` is done, which comes after the write.
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

impl BulkLane {
    /// Reads data into their targets until the connection ends, and returns the reason.
    fn read_all(&self, session: &Session, reader: &mut LaneReader) -> LaneError {
        let mut packing = Packing::default();
        let reason = loop {
            if let Err(error) = read_one(session, reader, &mut packing) {
                break error;
            }
            self.received.lock().frames += 1;
            self.moved.notify_all();
        };
        self.received.lock().ended = Some(reason.to_string());
        self.moved.notify_all();
        reason
    }
}

/// Buffers for a packed piece and its plain bytes.
#[derive(Default)]
struct Packing {
    packed: Vec<u8>,
    plain: Vec<u8>,
}

fn read_one(
    session: &Session,
    reader: &mut LaneReader,
    packing: &mut Packing,
) -> Result<(), LaneError> {
    let header = reader.header()?;
    let head = head_bytes(header.op)
        .filter(|_| [Data::OP, PackedData::OP].contains(&header.op))
        .ok_or(DecodeError::Trailing)?;
    let payload = (header.body_bytes as usize).checked_sub(head).ok_or(DecodeError::Truncated)?;
    let body = reader.body(head)?;
    stats::received(head + payload);
    if header.op == PackedData::OP {
        let data: PackedData = Reader::new(&body).whole()?;
        return session.transfers.place(
            data.transfer,
            data.offset,
            packing.read(data.bytes as usize, payload, reader)?,
        );
    }
    let data: Data = Reader::new(&body).whole()?;
    session.transfers.receive(data.transfer, data.offset, CUresult(data.status), payload, reader)
}

impl Packing {
    /// Reads `payload` packed bytes and unpacks them to `bytes` bytes.
    fn read(
        &mut self,
        bytes: usize,
        payload: usize,
        reader: &mut LaneReader,
    ) -> Result<&[u8], LaneError> {
        if bytes > PIECE_BYTES || payload > PIECE_BYTES {
            return Err(DecodeError::TooLong(bytes.max(payload)).into());
        }
        self.packed.resize(payload, 0);
        self.plain.resize(bytes, 0);
        reader.exact(&mut self.packed)?;
        if unpack(&self.packed, &mut self.plain) {
            Ok(&self.plain)
        } else {
            Err(DecodeError::Truncated.into())
        }
    }
}

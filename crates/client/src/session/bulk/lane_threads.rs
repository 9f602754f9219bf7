//! The threads that read and write bulk lanes. They read data directly into its target.

use crate::base::stats;
use crate::session::Session;
use crate::session::bulk::lanes::{BulkLane, BulkLanes};
use outhaul_abi::types::CUresult;
use outhaul_transport::os::spin::BURST_SPIN;
use outhaul_transport::{Lane, LaneError, LaneReader, unpack};
use outhaul_wire::codec::{DecodeError, Message, Reader};
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{Data, PackedData, head_bytes};
use std::time::Duration;

/// Longest wait for the command lane to report why the session ends.
const LAST_WORD_MAX: Duration = Duration::from_secs(1);

impl BulkLanes {
    /// Starts the threads that read and write the lanes, unless they already run.
    pub fn start(&self, session: &'static Session) {
        let idle = std::mem::take(&mut *self.idle.lock());
        for (number, Lane { mut reader, mut writer, life, meter, .. }) in
            idle.into_iter().enumerate()
        {
            let meter = meter.filter(|_| self.may_pack);
            life.begin();
            let (outgoing, receiving) = (self.outgoing.clone(), self.lanes[number].clone());
            reader.set_spin_limit(BURST_SPIN);
            session.start_thread("outhaul-send", move || {
                outgoing.write_all(number, &mut writer, meter)
            });
            session.start_thread("outhaul-recv", move || {
                let reason = receiving.read_all(session, &mut reader);
                if let LaneError::Closed = reason {
                    session.deferred.wait_lost(LAST_WORD_MAX);
                }
                session.lose(&LaneError::Bulk(reason.to_string()).to_string());
            });
        }
    }
}

impl BulkLane {
    /// Reads data into the copies' targets until the connection ends, and returns the reason.
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

/// Buffers for a packed piece and its unpacked bytes.
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
    /// Reads `payload` packed bytes, and unpacks them into `bytes` bytes.
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

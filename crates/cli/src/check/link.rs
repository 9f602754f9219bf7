//! Measures the connection to a node's worker: the round trip of a call that changes nothing, and
//! the rate of bulk data.

use outhaul_transport::{Lane, LaneError};
use outhaul_wire::codec::Message;
use outhaul_wire::frame;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{CodePut, MemGetInfo, Reply};
use std::time::{Duration, Instant};

const ROUND_TRIPS: usize = 31;
const IMAGES: u8 = 3;
const PIECES: usize = 2;

/// The measurements of a connection to a worker.
pub struct LinkMeasurement {
    /// Median round trip of several calls.
    pub round_trip: Duration,
    /// Highest rate of several short bursts.
    pub to_node_bytes_per_s: f64,
    pub transport: &'static str,
}

/// Measures the round trip and the rate of a command lane.
pub fn measure(lane: &mut Lane) -> Result<LinkMeasurement, LaneError> {
    let mut sequence = 0;
    let mut times = Vec::new();
    for _ in 0..ROUND_TRIPS {
        let start = Instant::now();
        ask(lane, &mut sequence)?;
        times.push(start.elapsed());
    }
    times.sort();
    let round_trip = times[ROUND_TRIPS / 2];
    let piece = vec![0; PIECE_BYTES];
    let mut to_node_bytes_per_s: f64 = 0.0;
    for image in 0..IMAGES {
        let start = Instant::now();
        // `total_bytes` announces one byte more than arrives. So the image never becomes complete,
        // and the worker frees it with the session.
        let total_bytes = (PIECES * PIECE_BYTES + 1) as u64;
        for i in 0..PIECES {
            let put = CodePut { hash: [image; 32], total_bytes, offset: (i * PIECE_BYTES) as u64 };
            send(lane, &mut sequence, &put, &piece)?;
        }
        ask(lane, &mut sequence)?;
        let seconds = start.elapsed().saturating_sub(round_trip).as_secs_f64().max(1e-9);
        to_node_bytes_per_s = to_node_bytes_per_s.max((PIECES * PIECE_BYTES) as f64 / seconds);
    }
    let transport = if lane.memory_socket.is_some() { "shared memory" } else { "TCP" };
    Ok(LinkMeasurement { round_trip, to_node_bytes_per_s, transport })
}

/// Makes one call and waits for the reply. Ignores the result, because an error takes as long as a
/// success.
fn ask(lane: &mut Lane, sequence: &mut u64) -> Result<(), LaneError> {
    send(lane, sequence, &MemGetInfo {}, &[])?;
    loop {
        let header = lane.reader.header()?;
        lane.reader.skip(header.body_bytes as usize)?;
        if header.op == Reply::OP && header.sequence == *sequence {
            return Ok(());
        }
    }
}

fn send<'a>(
    lane: &mut Lane,
    sequence: &mut u64,
    message: &impl Message<'a>,
    payload: &[u8],
) -> Result<(), LaneError> {
    *sequence += 1;
    let mut head = Vec::new();
    frame::append(&mut head, message, 0, *sequence, payload.len());
    lane.writer.write(&[&head, payload])
}

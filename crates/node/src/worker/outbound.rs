//! The way back to the client: replies, data, faults and output share one lane, and each frame is
//! written whole.

use super::twins::{self, Telling, Twins};
use outhaul_abi::types::CUresult;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::LaneWriter;
use outhaul_transport::twin::{Run, Twin};
use outhaul_wire::frame;
use outhaul_wire::messages::{
    Arrived, Data, Farewell, Fault, ForgetCallback, LaneReached, LinkDone, LinkOpened, MirrorTold,
    Output, Reply, RunCallback,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub struct Outbound {
    twins: Arc<Twins>,
    way: Mutex<Way>,
    /// What the client was told, in times.
    said: AtomicU64,
}

struct Way {
    writer: LaneWriter,
    /// Small frames that go with the one after them.
    held: Vec<u8>,
    /// Pieces that went out on each bulk lane, and how many of them the client has been told of.
    bulk: Vec<(u64, u64)>,
}

impl Way {
    /// What follows stands behind the pieces that went out on other lanes, and behind what the
    /// device has changed in memory that it shares with the program, if that is told unasked:
    /// whoever hears that the device has passed something has heard before what it wrote there.
    fn tell_before(&mut self, telling: &Option<Telling<'_>>) {
        telling.iter().for_each(|telling| {
            twins::append(&telling.set.changes_together().runs, &mut self.held)
        });
        for (lane, (sent, told)) in
            self.bulk.iter_mut().enumerate().filter(|(_, (sent, told))| sent > told)
        {
            frame::append(
                &mut self.held,
                &LaneReached { lane: lane as u16, frames: *sent },
                0,
                0,
                0,
            );
            *told = *sent;
        }
    }

    /// What is held, and these behind it. A client that is gone is noticed by the thread that reads
    /// from it.
    fn write(&mut self, pieces: &[&[u8]]) {
        let mut all: Vec<&[u8]> = vec![&self.held];
        all.extend_from_slice(pieces);
        let _ = self.writer.write(&all);
        self.held.clear();
    }
}

/// Frames up to here may be held: copying them costs less than a system call.
const HELD_BYTES_MAX: usize = 64 << 10;

impl Outbound {
    pub fn new(writer: LaneWriter, bulk_lanes: usize) -> Outbound {
        let way = Way { writer, held: Vec::new(), bulk: vec![(0, 0); bulk_lanes] };
        Outbound { twins: Arc::default(), way: Mutex::new(way), said: AtomicU64::new(0) }
    }

    /// Grows with all that the client is told, upon which it may go on.
    pub fn said(&self) -> u64 {
        self.said.load(Relaxed)
    }

    pub fn twins(&self) -> &Arc<Twins> {
        &self.twins
    }

    /// A piece goes out on a bulk lane, before all that is written here from now on.
    pub fn note_bulk(&self, lane: usize) {
        self.lock().bulk[lane].0 += 1;
    }

    /// All that the device has changed in memory that it shares with the program.
    pub fn tell_twins(&self) {
        let telling = self.twins.begin();
        let _ = telling.set.tell(|runs| {
            self.say_runs(&runs);
            Ok::<(), ()>(())
        });
    }

    /// What the device has changed in these parts.
    pub fn tell_parts(&self, parts: &[Arc<Twin>]) {
        let _telling = self.twins.begin();
        parts
            .iter()
            .flat_map(|part| part.changes_by_parts())
            .filter(|look| !look.runs.is_empty())
            .for_each(|look| self.say_runs(&look.runs));
    }

    /// What the device has changed in memory that is looked at all the time. Whether there was
    /// anything.
    pub fn tell_twins_together(&self) -> bool {
        let telling = self.twins.begin();
        let runs = telling.set.changes_together().runs;
        if !runs.is_empty() {
            self.say_runs(&runs);
        }
        !runs.is_empty()
    }

    fn say_runs(&self, runs: &[Run]) {
        let mut words = Vec::new();
        twins::append(runs, &mut words);
        self.lock().write(&[&words]);
    }

    /// What the device had changed when it was asked for is told.
    pub fn told(&self, number: u64) {
        let mut head = Vec::new();
        frame::append(&mut head, &MirrorTold { number }, 0, 0, 0);
        self.write(&[&head]);
    }

    pub fn reply(&self, sequence: u64, code: CUresult, body: &[u8]) {
        let mut head = Vec::with_capacity(64);
        frame::append(&mut head, &Reply { status: code.0 }, 0, sequence, body.len());
        self.write(&[&head, body]);
    }

    /// Bytes of a copy. `arrived` follows at once, so small ones wait for it.
    pub fn data(&self, transfer: u64, offset: u64, status: CUresult, bytes: &[u8]) {
        let mut head = Vec::with_capacity(64);
        frame::append(&mut head, &Data { transfer, offset, status: status.0 }, 0, 0, bytes.len());
        let telling = self.twins.begin_unasked();
        let mut way = self.lock();
        way.tell_before(&telling);
        if way.held.len() + bytes.len() < HELD_BYTES_MAX {
            way.held.extend_from_slice(&head);
            way.held.extend_from_slice(bytes);
        } else {
            way.write(&[&head, bytes]);
        }
    }

    /// A copy has failed, and no bytes of it come.
    pub fn no_data(&self, transfer: u64, status: CUresult) {
        let mut head = Vec::new();
        frame::append(&mut head, &Data { transfer, offset: 0, status: status.0 }, 0, 0, 0);
        self.write(&[&head]);
    }

    /// The bytes that were sent of these copies are there when this is: until then the client tells
    /// nobody of them.
    pub fn arrived(&self, transfers: &BTreeSet<u64>) {
        let mut words = Vec::new();
        transfers.iter().for_each(|transfer| {
            frame::append(&mut words, &Arrived { transfer: *transfer }, 0, 0, 0)
        });
        self.write(&[&words]);
    }

    pub fn fault(&self, sequence: u64, status: CUresult, what: &str) {
        let mut head = Vec::new();
        frame::append(&mut head, &Fault { sequence, status: status.0, what }, 0, 0, 0);
        self.write(&[&head]);
    }

    pub fn callback(&self, callback: u64) {
        let mut head = Vec::new();
        frame::append(&mut head, &RunCallback { callback, status: CUresult::SUCCESS.0 }, 0, 0, 0);
        self.write(&[&head]);
    }

    pub fn forget(&self, callback: u64) {
        let mut head = Vec::new();
        frame::append(&mut head, &ForgetCallback { callback }, 0, 0, 0);
        self.write(&[&head]);
    }

    pub fn link_opened(&self, link: u64, status: CUresult) {
        let mut head = Vec::new();
        frame::append(&mut head, &LinkOpened { link, status: status.0 }, 0, 0, 0);
        self.write(&[&head]);
    }

    pub fn link_done(&self, copy: u64, status: CUresult) {
        let mut head = Vec::new();
        frame::append(&mut head, &LinkDone { copy, status: status.0 }, 0, 0, 0);
        self.write(&[&head]);
    }

    pub fn farewell(&self, reason: &str) {
        let mut head = Vec::new();
        frame::append(&mut head, &Farewell { reason }, 0, 0, 0);
        self.write(&[&head]);
    }

    pub fn output(&self, descriptor: u8, text: &[u8]) {
        let mut head = Vec::new();
        frame::append(&mut head, &Output { descriptor, text }, 0, 0, 0);
        self.write(&[&head]);
    }

    fn write(&self, pieces: &[&[u8]]) {
        let telling = self.twins.begin_unasked();
        let mut way = self.lock();
        way.tell_before(&telling);
        way.write(pieces);
        drop(way);
        self.said.fetch_add(1, Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Way> {
        self.way.lock()
    }
}

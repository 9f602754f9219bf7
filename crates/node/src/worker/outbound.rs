//! The way back to the client: replies, data, faults and output share one lane, and each frame is written whole.

use super::echo::Echo;
use outhaul_abi::types::CUresult;
use outhaul_transport::LaneWriter;
use outhaul_wire::frame;
use outhaul_wire::limits::{ECHO_BYTES_MAX, ECHOES_MAX};
use outhaul_wire::messages::{Data, Farewell, Fault, ForgetCallback, LaneReached, LinkDone, LinkOpened, Output, Reply, RunCallback};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

pub struct Outbound {
    way: Mutex<Way>,
}

struct Way {
    writer: LaneWriter,
    /// A small frame that goes with the one after it.
    held: Vec<u8>,
    /// Pieces that went out on each bulk lane, and how many of them the client has been told of.
    bulk: Vec<(u64, u64)>,
    /// By address. Whoever hears that the device has passed something has heard before what it wrote there.
    echoes: BTreeMap<u64, Echo>,
}

impl Way {
    /// What follows stands behind the pieces that went out on other lanes, and behind what the device wrote to small memory.
    fn tell_before(&mut self) {
        self.echoes.iter_mut().for_each(|(address, echo)| echo.tell(*address, &mut self.held));
        for (lane, (sent, told)) in self.bulk.iter_mut().enumerate().filter(|(_, (sent, told))| sent > told) {
            frame::append(&mut self.held, &LaneReached { lane: lane as u16, frames: *sent }, 0, 0, 0);
            *told = *sent;
        }
    }
}

/// Frames up to here may be held: copying them costs less than a system call.
const HELD_BYTES_MAX: usize = 64 << 10;

impl Outbound {
    pub fn new(writer: LaneWriter, bulk_lanes: usize) -> Outbound {
        Outbound { way: Mutex::new(Way { writer, held: Vec::new(), bulk: vec![(0, 0); bulk_lanes], echoes: BTreeMap::new() }) }
    }

    /// A piece goes out on a bulk lane, before all that is written here from now on.
    pub fn note_bulk(&self, lane: usize) {
        self.lock().bulk[lane].0 += 1;
    }

    /// Mapped memory that is small. `Err` says which limit it passes.
    pub fn add_echo(&self, address: u64, echo: Echo) -> Result<(), String> {
        let echoes = &mut self.lock().echoes;
        if echo.bytes() > ECHO_BYTES_MAX || echoes.len() >= ECHOES_MAX {
            return Err(format!("{} bytes of small memory beside {} other pieces", echo.bytes(), echoes.len()));
        }
        echoes.insert(address, echo);
        Ok(())
    }

    pub fn remove_echo(&self, address: u64) {
        self.lock().echoes.remove(&address);
    }

    /// What the program wrote there. False: it is not inside.
    pub fn merge_echo(&self, address: u64, offset: usize, new: &[u8]) -> bool {
        self.lock().echoes.get_mut(&address).is_some_and(|echo| echo.merge(offset, new))
    }

    pub fn reply(&self, sequence: u64, code: CUresult, body: &[u8]) {
        let mut head = Vec::with_capacity(64);
        frame::append(&mut head, &Reply { status: code.0 }, 0, sequence, body.len());
        self.write(&[&head, body]);
    }

    /// With `more`, another frame follows at once, and a small one may wait for it.
    pub fn data(&self, transfer: u64, offset: u64, status: CUresult, bytes: &[u8], more: bool) {
        let mut head = Vec::with_capacity(64);
        frame::append(&mut head, &Data { transfer, offset, status: status.0 }, 0, 0, bytes.len());
        if more && bytes.len() < HELD_BYTES_MAX {
            let mut way = self.lock();
            if way.held.len() < HELD_BYTES_MAX {
                way.tell_before();
                way.held.extend_from_slice(&head);
                way.held.extend_from_slice(bytes);
                return;
            }
        }
        self.write(&[&head, bytes]);
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

    /// A client that is gone is noticed by the thread that reads from it.
    fn write(&self, pieces: &[&[u8]]) {
        let way = &mut *self.lock();
        way.tell_before();
        let mut all: Vec<&[u8]> = vec![&way.held];
        all.extend_from_slice(pieces);
        let _ = way.writer.write(&all);
        way.held.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Way> {
        self.way.lock().unwrap_or_else(|e| e.into_inner())
    }
}

//! The way back to the client: replies, data, faults and output share one lane, and each frame is written whole.

use outhaul_abi::types::CUresult;
use outhaul_transport::LaneWriter;
use outhaul_wire::frame;
use outhaul_wire::messages::{Data, Fault, Output, Reply, RunCallback};
use std::sync::Mutex;

pub struct Outbound {
    writer: Mutex<LaneWriter>,
}

impl Outbound {
    pub fn new(writer: LaneWriter) -> Outbound {
        Outbound { writer: Mutex::new(writer) }
    }

    pub fn reply(&self, sequence: u64, code: CUresult, body: &[u8]) {
        let mut head = Vec::with_capacity(64);
        frame::append(&mut head, &Reply { status: code.0 }, 0, sequence, body.len());
        self.write(&[&head, body]);
    }

    pub fn data(&self, transfer: u64, offset: u64, status: CUresult, bytes: &[u8]) {
        let mut head = Vec::with_capacity(64);
        frame::append(&mut head, &Data { transfer, offset, status: status.0 }, 0, 0, bytes.len());
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

    pub fn output(&self, descriptor: u8, text: &[u8]) {
        let mut head = Vec::new();
        frame::append(&mut head, &Output { descriptor, text }, 0, 0, 0);
        self.write(&[&head]);
    }

    /// A client that is gone is noticed by the thread that reads from it.
    fn write(&self, pieces: &[&[u8]]) {
        let _ = self.writer.lock().unwrap_or_else(|e| e.into_inner()).write(pieces);
    }
}

//! Callbacks: host functions that run in the client. The device's stream blocks in a function of
//! the worker until the client reports that its function has returned. The request to run that
//! function follows earlier copied data on the same lane. The client answers on the callback lane,
//! which no command delays.

use super::delivery::Carrier;
use crate::worker::copies::node_links::NodeLinks;
use crate::worker::io::frame::{Incoming, Ticket};
use crate::worker::managed::region::ManagedRegions;
use crate::worker::streams::captured_buffers::Buffers;
use crate::worker::streams::gates::StreamGates;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex};
use outhaul_transport::{LaneError, LaneReader};
use outhaul_wire::codec::{Message, Reader};
use outhaul_wire::messages::{
    CallbackDone, CaptureBytes, GateOpen, LinkOpen, LinkReceive, LinkSend, ManagedChanges,
    ManagedFetch, ReplicaIdle, ReplicaPresence, ReplicaQuery, ReplicaWrite,
};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;

/// A session's callbacks.
pub struct Callbacks {
    /// Sends data and requests to the client.
    pub carrier: Carrier,
    /// Buffers for the bytes that the client sends on the callback lane.
    pub buffers: Buffers,
    running: Mutex<HashMap<u64, Runs>>,
    ended: Condvar,
}

/// One callback's runs. Several may be due at once, from graphs that run concurrently.
#[derive(Default)]
struct Runs {
    started: u64,
    ended: u64,
}

/// Argument of `trampoline`, which the driver calls.
pub struct Due {
    callbacks: Arc<Callbacks>,
    callback: u64,
}

impl Callbacks {
    /// Starts a thread that reads the session's second lane until the client is gone.
    pub fn start(
        carrier: Carrier,
        mut reader: LaneReader,
        gates: Arc<StreamGates>,
        links: Arc<NodeLinks>,
        regions: Arc<ManagedRegions>,
    ) -> Arc<Callbacks> {
        let callbacks = Arc::new(Callbacks {
            carrier,
            buffers: Buffers::default(),
            running: Mutex::default(),
            ended: Condvar::new(),
        });
        let listening = callbacks.clone();
        crate::worker::io::threads::start("callbacks", move || {
            match listening.listen(&mut reader, &gates, &links, &regions) {
                Ok(()) => crate::worker::ending::end_soon(),
                Err(reason) => crate::worker::io::farewell::end_because(
                    &listening.carrier.outbound,
                    &format!("the callback lane: {reason}"),
                ),
            }
        });
        callbacks
    }

    fn listen(
        &self,
        reader: &mut LaneReader,
        gates: &StreamGates,
        links: &Arc<NodeLinks>,
        regions: &Arc<ManagedRegions>,
    ) -> Result<(), String> {
        loop {
            let mut incoming = match Incoming::receive(reader) {
                Ok(incoming) => incoming,
                Err(LaneError::Closed) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            };
            match incoming.op() {
                CallbackDone::OP => {
                    let done: CallbackDone =
                        Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?;
                    if let Some(runs) = self.running.lock().get_mut(&done.callback) {
                        runs.ended += 1;
                    }
                    self.ended.notify_all();
                }
                CaptureBytes::OP => {
                    let bytes: CaptureBytes =
                        Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?;
                    self.buffers.receive(&bytes, &mut incoming)?;
                }
                ReplicaWrite::OP => {
                    let write: ReplicaWrite =
                        Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?;
                    let mut bytes = vec![0; incoming.payload_bytes()];
                    incoming.read_payload(&mut bytes).map_err(|e| e.to_string())?;
                    regions.queue_write(&write, bytes)?;
                }
                ManagedChanges::OP => {
                    let changes: ManagedChanges =
                        Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?;
                    let outbound = self.carrier.outbound.clone();
                    regions.queue_scan(
                        &changes,
                        Ticket { sequence: incoming.header.sequence, outbound },
                    )?;
                }
                ManagedFetch::OP => {
                    let fetch: ManagedFetch =
                        Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?;
                    let outbound = self.carrier.outbound.clone();
                    regions.queue_fetch(
                        &fetch,
                        Ticket { sequence: incoming.header.sequence, outbound },
                    )?;
                }
                ReplicaQuery::OP => {
                    let ask: ReplicaQuery =
                        Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?;
                    let outbound = self.carrier.outbound.clone();
                    let received = outbound.replicas().last_received();
                    self.carrier.waiters.run(move || {
                        outbound.replicas().wait(received);
                        outbound.send_replica_changes();
                        outbound.replicas_current(ask.number);
                    });
                }
                ReplicaIdle::OP => {
                    let rest: ReplicaIdle =
                        Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?;
                    self.carrier.outbound.replicas().watch.rest(rest.sequence);
                }
                ReplicaPresence::OP => {
                    let presence: ReplicaPresence =
                        Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?;
                    self.set_present(&presence, incoming.header.sequence);
                }
                GateOpen::OP => {
                    let open: GateOpen =
                        Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?;
                    gates.open(open.gate)?;
                }
                LinkOpen::OP => links.open(
                    &Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?,
                )?,
                LinkSend::OP => links
                    .send(Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?)?,
                LinkReceive::OP => links.receive(
                    Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?,
                )?,
                op => return Err(format!("op {op} is not allowed on the callback lane")),
            }
        }
    }

    fn set_present(&self, m: &ReplicaPresence, sequence: u64) {
        let outbound = self.carrier.outbound.clone();
        let start = m.address as usize;
        let range = start..start.saturating_add(m.bytes as usize);
        let parts = outbound.replicas().set_present(range, m.is_present);
        if !m.is_present {
            return outbound.reply(sequence, CUresult::SUCCESS, &[]);
        }
        self.carrier.waiters.run(move || {
            outbound.send_changes_of(&parts);
            outbound.reply(sequence, CUresult::SUCCESS, &[]);
        });
    }

    /// Returns the argument for `trampoline`.
    pub fn due(self: &Arc<Callbacks>, callback: u64) -> *mut c_void {
        Box::into_raw(Box::new(Due { callbacks: self.clone(), callback })).cast()
    }

    /// Makes the client run a callback, and blocks until it has ended. A thread of the driver calls
    /// this function when the device has reached the callback.
    pub fn run(&self, callback: u64) {
        let mut running = self.running.lock();
        let runs = running.entry(callback).or_default();
        runs.started += 1;
        let number = runs.started;
        drop(running);
        self.carrier.have_passed_sent();
        self.carrier.outbound.callback(callback);
        let mut running = self.running.lock();
        while running.get(&callback).is_some_and(|runs| runs.ended < number) {
            running = self.ended.wait(running);
        }
        if running.get(&callback).is_some_and(|runs| runs.started == runs.ended) {
            running.remove(&callback);
        }
    }
}

/// Runs a callback. The driver calls this function when the stream has reached the callback.
///
/// # Safety
/// `due` comes from `Callbacks::due` and is passed to one call only.
pub unsafe extern "C" fn trampoline(due: *mut c_void) {
    // SAFETY: the caller upholds this function's contract.
    let due = unsafe { Box::from_raw(due.cast::<Due>()) };
    due.callbacks.run(due.callback);
}

/// Frees the argument of a call that the driver rejected.
///
/// # Safety
/// `due` comes from `Callbacks::due`, and the driver will not call the trampoline with it.
pub unsafe fn cancel(due: *mut c_void) {
    // SAFETY: the caller upholds this function's contract.
    drop(unsafe { Box::from_raw(due.cast::<Due>()) });
}

//! Sends messages to the client. Replies, data, faults and output share one lane, and each frame is
//! written without interruption.

use super::threads;
use crate::accounting::frames::{FrameCommand, FrameCounts, FrameFinder};
use crate::worker::replicas;
use crate::worker::replicas::{Replicas, ReportGuard};
use outhaul_abi::types::CUresult;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::LaneWriter;
use outhaul_transport::replicas::replica::{Replica, Run};
use outhaul_wire::effect::Effect;
use outhaul_wire::effects::effect;
use outhaul_wire::frame;
use outhaul_wire::messages::{
    Arrived, Data, Farewell, Fault, ForgetCallback, LaneReached, LinkDone, LinkOpened, Output,
    ReplicaCurrent, Reply, RunCallback,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// The sending side of the command lane.
pub struct Outbound {
    replicas: Arc<Replicas>,
    way: Mutex<CommandLane>,
    /// Number of messages sent to the client after which it may continue.
    messages_sent: AtomicU64,
    /// The session's frames, if its lease promises a rate.
    frames: Option<FrameClock>,
}

/// A clock for the session's frames.
struct FrameClock {
    since: Instant,
    finder: Mutex<FrameFinder>,
}

impl FrameClock {
    fn new(frames_per_s: u32) -> FrameClock {
        FrameClock { since: Instant::now(), finder: Mutex::new(FrameFinder::new(frames_per_s)) }
    }

    fn now_ns(&self) -> u64 {
        self.since.elapsed().as_nanos() as u64
    }
}

struct CommandLane {
    writer: LaneWriter,
    /// Small frames that are sent together with the next frame.
    held: Vec<u8>,
    /// For each bulk lane, the number of pieces sent and the number that the client has been told
    /// of.
    bulk: Vec<(u64, u64)>,
}

impl CommandLane {
    /// Announces pieces sent on other lanes and, if replica changes are reported unasked, the
    /// device's changes. Both must precede the next frame: a client that learns that the device has
    /// completed something must already know the device's earlier writes.
    fn announce_before(&mut self, guard: &Option<ReportGuard<'_>>) {
        guard
            .iter()
            .for_each(|guard| replicas::append(&guard.set.changes_together().runs, &mut self.held));
        for (lane, (sent, announced)) in
            self.bulk.iter_mut().enumerate().filter(|(_, (sent, announced))| sent > announced)
        {
            frame::append(
                &mut self.held,
                &LaneReached { lane: lane as u16, frames: *sent },
                0,
                0,
                0,
            );
            *announced = *sent;
        }
    }

    /// Writes the held frames and then `pieces`. Ignores errors, because the thread that reads from
    /// the client notices when the client is gone.
    fn write(&mut self, pieces: &[&[u8]]) {
        let mut all: Vec<&[u8]> = vec![&self.held];
        all.extend_from_slice(pieces);
        let _ = self.writer.write(&all);
        self.held.clear();
    }
}

/// Maximum size of frames that may be held. Copying that much costs less than a system call.
const HELD_BYTES_MAX: usize = 64 << 10;

impl Outbound {
    /// Creates the sending side.
    pub fn new(writer: LaneWriter, bulk_lanes: usize) -> Outbound {
        let way = CommandLane { writer, held: Vec::new(), bulk: vec![(0, 0); bulk_lanes] };
        Outbound {
            replicas: Arc::default(),
            way: Mutex::new(way),
            messages_sent: AtomicU64::new(0),
            frames: None,
        }
    }

    /// Counts the session's frames, if its lease promises a rate.
    pub fn counting_frames(self, frames_per_s: Option<u32>) -> Outbound {
        Outbound { frames: frames_per_s.map(FrameClock::new), ..self }
    }

    /// Notes a command that has arrived, for the session's frames.
    pub fn note_command(&self, op: u16, sequence: u64) {
        let Some(clock) = &self.frames else { return };
        let Effect { engine, launches, waits, .. } = effect(op);
        let command = FrameCommand { sequence, is_work: engine.is_some(), launches, waits };
        clock.finder.lock().arrived(clock.now_ns(), command);
    }

    /// Returns the session's frames so far; None if its lease promises no rate.
    pub fn frames(&self) -> Option<FrameCounts> {
        Some(self.frames.as_ref()?.finder.lock().counts())
    }

    /// Returns a counter that increases with each message to the client after which the client may
    /// continue.
    pub fn messages_sent(&self) -> u64 {
        self.messages_sent.load(Relaxed)
    }

    /// Returns the session's replicas.
    pub fn replicas(&self) -> &Arc<Replicas> {
        &self.replicas
    }

    /// Notes that a piece is sent on a bulk lane. The piece counts as sent before all later frames
    /// on this lane.
    pub fn note_bulk(&self, lane: usize) {
        self.lock().bulk[lane].0 += 1;
    }

    /// Reports all changes that the device has made in replicas.
    pub fn send_replica_changes(&self) {
        let telling = self.replicas.begin();
        let _ = telling.set.report(|runs| {
            self.send_runs(&runs);
            Ok::<(), ()>(())
        });
    }

    /// Reports the changes that the device has made in `parts`.
    pub fn send_changes_of(&self, parts: &[Arc<Replica>]) {
        let _guard = self.replicas.begin();
        parts
            .iter()
            .flat_map(|part| part.changes_by_parts())
            .filter(|changes| !changes.runs.is_empty())
            .for_each(|changes| self.send_runs(&changes.runs));
    }

    /// Reports the device's changes in those replicas that are compared continually. Returns
    /// whether there were any changes.
    pub fn send_changes_together(&self) -> bool {
        let telling = self.replicas.begin();
        let runs = telling.set.changes_together().runs;
        if !runs.is_empty() {
            self.send_runs(&runs);
        }
        !runs.is_empty()
    }

    /// Notes a kernel that may write to replicas, by the number of its frame. From now on a thread
    /// reports the changes.
    pub fn watch_replicas(self: &Arc<Outbound>, sequence: u64) {
        self.replicas.watch.launched(sequence, || {
            let outbound = self.clone();
            threads::start("replicas", move || {
                let replicas = outbound.replicas();
                replicas.watch.run(|| replicas.is_in_use(), || outbound.send_changes_together())
            });
        });
    }

    fn send_runs(&self, runs: &[Run]) {
        let mut frames = Vec::new();
        replicas::append(runs, &mut frames);
        self.lock().write(&[&frames]);
    }

    /// Tells the client that all changes up to request `number` have been reported.
    pub fn replicas_current(&self, number: u64) {
        let mut head = Vec::new();
        frame::append(&mut head, &ReplicaCurrent { number }, 0, 0, 0);
        self.write(&[&head]);
    }

    /// Sends a reply.
    pub fn reply(&self, sequence: u64, code: CUresult, body: &[u8]) {
        let mut head = Vec::with_capacity(64);
        frame::append(&mut head, &Reply { status: code.0 }, 0, sequence, body.len());
        self.write(&[&head, body]);
        if let Some(clock) = &self.frames {
            clock.finder.lock().answered(clock.now_ns(), sequence);
        }
    }

    /// Sends bytes of a copy. `arrived` follows at once, so small frames are held until then.
    pub fn data(&self, transfer: u64, offset: u64, status: CUresult, bytes: &[u8]) {
        let mut head = Vec::with_capacity(64);
        frame::append(&mut head, &Data { transfer, offset, status: status.0 }, 0, 0, bytes.len());
        let guard = self.replicas.begin_unasked();
        let mut way = self.lock();
        way.announce_before(&guard);
        if way.held.len() + bytes.len() < HELD_BYTES_MAX {
            way.held.extend_from_slice(&head);
            way.held.extend_from_slice(bytes);
        } else {
            way.write(&[&head, bytes]);
        }
    }

    /// Reports that a copy has failed, so that no bytes follow.
    pub fn no_data(&self, transfer: u64, status: CUresult) {
        let mut head = Vec::new();
        frame::append(&mut head, &Data { transfer, offset: 0, status: status.0 }, 0, 0, 0);
        self.write(&[&head]);
    }

    /// Reports that all bytes of these copies have been sent. The client does not use the bytes
    /// earlier.
    pub fn arrived(&self, transfers: &BTreeSet<u64>) {
        let mut frames = Vec::new();
        transfers.iter().for_each(|transfer| {
            frame::append(&mut frames, &Arrived { transfer: *transfer }, 0, 0, 0)
        });
        self.write(&[&frames]);
        if let Some(clock) = &self.frames {
            clock.finder.lock().delivered(clock.now_ns());
        }
    }

    /// Reports the error of a post.
    pub fn fault(&self, sequence: u64, status: CUresult, what: &str) {
        let mut head = Vec::new();
        frame::append(&mut head, &Fault { sequence, status: status.0, what }, 0, 0, 0);
        self.write(&[&head]);
    }

    /// Asks the client to run a callback.
    pub fn callback(&self, callback: u64) {
        let mut head = Vec::new();
        frame::append(&mut head, &RunCallback { callback, status: CUresult::SUCCESS.0 }, 0, 0, 0);
        self.write(&[&head]);
    }

    /// Tells the client that a callback is no longer needed.
    pub fn forget(&self, callback: u64) {
        let mut head = Vec::new();
        frame::append(&mut head, &ForgetCallback { callback }, 0, 0, 0);
        self.write(&[&head]);
    }

    /// Reports whether a link was opened.
    pub fn link_opened(&self, link: u64, status: CUresult) {
        let mut head = Vec::new();
        frame::append(&mut head, &LinkOpened { link, status: status.0 }, 0, 0, 0);
        self.write(&[&head]);
    }

    /// Reports that a copy over a link has ended.
    pub fn link_done(&self, copy: u64, status: CUresult) {
        let mut head = Vec::new();
        frame::append(&mut head, &LinkDone { copy, status: status.0 }, 0, 0, 0);
        self.write(&[&head]);
    }

    /// Tells the client why the session ends.
    pub fn farewell(&self, reason: &str) {
        let mut head = Vec::new();
        frame::append(&mut head, &Farewell { reason }, 0, 0, 0);
        self.write(&[&head]);
    }

    /// Sends output that kernels have printed.
    pub fn output(&self, descriptor: u8, text: &[u8]) {
        let mut head = Vec::new();
        frame::append(&mut head, &Output { descriptor, text }, 0, 0, 0);
        self.write(&[&head]);
    }

    fn write(&self, pieces: &[&[u8]]) {
        let guard = self.replicas.begin_unasked();
        let mut way = self.lock();
        way.announce_before(&guard);
        way.write(pieces);
        drop(way);
        self.messages_sent.fetch_add(1, Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, CommandLane> {
        self.way.lock()
    }
}

//! Links to other nodes' workers, for copies from device to device. Each link has one thread per
//! direction, with pinned memory of its own. So a copy over a link never waits for something that
//! waits for that copy.

use super::rows::{RowsSide, two_dimensional};
use crate::worker::io::frame::Incoming;
use crate::worker::io::listener::Listener;
use crate::worker::io::outbound::Outbound;
use crate::worker::io::threads;
use crate::worker::log::log;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::{Connection, Key, LaneReader, LaneWriter, answer_link, link_lane};
use outhaul_wire::codec::{Message, Reader};
use outhaul_wire::frame;
use outhaul_wire::handshake::{LinkHello, PROTOCOL};
use outhaul_wire::level::SPEC_HASH;
use outhaul_wire::limits::{LINK_COPIES_MAX, LINK_STRANGERS_MAX, LINKS_MAX, PIECE_BYTES};
use outhaul_wire::messages::{LinkOpen, LinkPiece, LinkReceive, LinkSend};
use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Number of a copy's pieces in progress at once: one at the device and one at the network.
const PIECES: usize = 2;
/// Result of a copy after the link or its other side was lost.
const LOST: CUresult = CUresult::DEVICE_UNAVAILABLE;

/// One side of a copy.
struct Rows {
    copy: u64,
    context: CUcontext,
    address: u64,
    pitch_bytes: u64,
    width_bytes: u64,
    rows: u64,
}

enum Job {
    Copy(Rows),
    /// Frees the objects of a context that is being destroyed.
    Forget(CUcontext, Sender<()>),
}

/// Sends jobs to one direction's thread, and counts the waiting copies.
struct LinkDirection {
    jobs: Sender<Job>,
    waiting: Arc<AtomicUsize>,
}

struct NodeLink {
    sending: LinkDirection,
    receiving: LinkDirection,
    /// Jobs that wait until the link is connected.
    idle: Option<(Receiver<Job>, Receiver<Job>)>,
}

#[derive(Default)]
struct LinksState {
    /// The client's contexts, by handle.
    contexts: HashMap<u64, CUcontext>,
    links: HashMap<u64, NodeLink>,
    /// Links whose connection has not arrived yet.
    expected: HashMap<Key, (u64, [u8; 16])>,
    /// Connections that arrived before the client announced them.
    strangers: VecDeque<(Key, Connection)>,
}

/// A session's links.
pub struct NodeLinks {
    driver: Arc<Driver>,
    outbound: Arc<Outbound>,
    listener: Listener,
    /// Whether links are refused, so that bytes go through the client. If memory may move, a link
    /// cannot be used, because it does not wait for turns.
    refuses: bool,
    state: Mutex<LinksState>,
}

impl NodeLinks {
    /// Creates a session's links, without any.
    pub fn new(
        driver: Arc<Driver>,
        outbound: Arc<Outbound>,
        listener: Listener,
        refuses: bool,
    ) -> Arc<NodeLinks> {
        Arc::new(NodeLinks { driver, outbound, listener, refuses, state: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, LinksState> {
        self.state.lock()
    }

    /// Notes a context and its handle.
    pub fn know(&self, handle: u64, context: CUcontext) {
        self.lock().contexts.insert(handle, context);
    }

    /// Forgets a context. Blocks until no copy uses the context.
    pub fn forget(&self, handle: u64) {
        let mut state = self.lock();
        let Some(context) = state.contexts.remove(&handle) else { return };
        let (done_sender, done) = channel();
        for link in state.links.values().filter(|link| link.idle.is_none()) {
            for way in [&link.sending, &link.receiving] {
                let _ = way.jobs.send(Job::Forget(context, done_sender.clone()));
            }
        }
        drop((state, done_sender));
        while done.recv().is_ok() {}
    }

    /// Opens a link: connects to the other side, or waits for the other side to connect.
    pub fn open(self: &Arc<NodeLinks>, m: &LinkOpen<'_>) -> Result<(), String> {
        if self.refuses {
            // The other side's connection gets no answer, so the other side gives up.
            if !m.address.is_empty() {
                self.outbound.link_opened(m.link, LOST);
            }
            return Ok(());
        }
        let mut state = self.lock();
        if state.links.len() >= LINKS_MAX || state.expected.len() >= LINKS_MAX {
            return Err(format!("more than {LINKS_MAX} links"));
        }
        let way = || {
            let (jobs, work) = channel();
            (LinkDirection { jobs, waiting: Arc::default() }, work)
        };
        let ((sending, to_send), (receiving, to_receive)) = (way(), way());
        let link = NodeLink { sending, receiving, idle: Some((to_send, to_receive)) };
        if state.links.insert(m.link, link).is_some_and(|before| before.idle.is_none()) {
            return Err(format!("link {} is open already", m.link));
        }
        if m.address.is_empty() {
            state.expected.insert(m.key, (m.link, m.session));
            let early = state
                .strangers
                .iter()
                .position(|(key, _)| *key == m.key)
                .and_then(|at| state.strangers.remove(at));
            drop(state);
            if let Some((key, connection)) = early {
                self.arrive(key, connection);
            }
            return Ok(());
        }
        drop(state);
        let (links, link, address) = (self.clone(), m.link, m.address.to_owned());
        let (session, key) = (m.session, m.key);
        threads::start("link-call", move || {
            let called = links.listener.call(address, session, key);
            let status = match called
                .map_err(|e| e.to_string())
                .and_then(|connection| links.connect(link, connection))
            {
                Ok(()) => CUresult::SUCCESS,
                // The listener has logged the reason.
                Err(_) => LOST,
            };
            links.outbound.link_opened(link, status);
        });
        Ok(())
    }

    /// Accepts a connection that arrived through the handover socket.
    pub fn arrive(self: &Arc<NodeLinks>, key: Key, mut connection: Connection) {
        let mut state = self.lock();
        let Some((link, session)) = state.expected.remove(&key) else {
            if state.strangers.len() >= LINK_STRANGERS_MAX {
                state.strangers.pop_front();
            }
            state.strangers.push_back((key, connection));
            return;
        };
        drop(state);
        let hello = LinkHello { protocol: PROTOCOL, spec_hash: SPEC_HASH, session, key };
        let connected = answer_link(&mut connection, &hello)
            .map_err(|e| e.to_string())
            .and_then(|()| self.connect(link, connection));
        if let Err(reason) = connected {
            log(&format!("a link is refused: {reason}"));
        }
    }

    fn connect(self: &Arc<NodeLinks>, link: u64, connection: Connection) -> Result<(), String> {
        let mut lane = link_lane(connection).map_err(|error| error.to_string())?;
        let mut state = self.lock();
        let link = state.links.get_mut(&link).ok_or("it was given up")?;
        let (to_send, to_receive) = link.idle.take().ok_or("it is connected already")?;
        let (sent, received) = (link.sending.waiting.clone(), link.receiving.waiting.clone());
        drop(state);
        let sending = Traffic { driver: self.driver.clone(), tools: None };
        threads::start("link-send", move || sending.send_all(&to_send, &sent, &mut lane.writer));
        let (receiving, outbound) =
            (Traffic { driver: self.driver.clone(), tools: None }, self.outbound.clone());
        threads::start("link-receive", move || {
            receiving.receive_all(&to_receive, &received, &mut lane.reader, &outbound)
        });
        Ok(())
    }

    /// Starts sending a copy over a link.
    pub fn send(&self, m: LinkSend) -> Result<(), String> {
        let LinkSend { link, copy, context, address, pitch_bytes, width_bytes, rows } = m;
        let state = self.lock();
        let context = state.contexts.get(&context).copied().unwrap_or_default();
        let link = state.links.get(&link).ok_or_else(|| format!("there is no link {link}"))?;
        link.sending.enter(Rows { copy, context, address, pitch_bytes, width_bytes, rows })
    }

    /// Starts receiving a copy from a link.
    pub fn receive(&self, m: LinkReceive) -> Result<(), String> {
        let LinkReceive { link, copy, context, address, pitch_bytes, width_bytes, rows } = m;
        let state = self.lock();
        let context = state.contexts.get(&context).copied().unwrap_or_default();
        let link = state.links.get(&link).ok_or_else(|| format!("there is no link {link}"))?;
        link.receiving.enter(Rows { copy, context, address, pitch_bytes, width_bytes, rows })
    }
}

impl LinkDirection {
    fn enter(&self, rows: Rows) -> Result<(), String> {
        if rows.width_bytes.checked_mul(rows.rows).is_none_or(|bytes| bytes == 0)
            || rows.rows > 1 && rows.width_bytes > PIECE_BYTES as u64
        {
            return Err(format!("a copy of {} rows of {} bytes", rows.rows, rows.width_bytes));
        }
        if self.waiting.fetch_add(1, SeqCst) >= LINK_COPIES_MAX {
            return Err(format!("more than {LINK_COPIES_MAX} copies wait on a link"));
        }
        // If the link broke, its thread has reported that.
        let _ = self.jobs.send(Job::Copy(rows));
        Ok(())
    }
}

/// A part of a copy that is sent as one piece: either whole rows or a part of one row.
struct CopyPart {
    address: u64,
    pitch_bytes: u64,
    width_bytes: u64,
    rows: u64,
}

impl Rows {
    fn parts(&self) -> impl Iterator<Item = CopyPart> {
        let (address, pitch, width, rows) =
            (self.address, self.pitch_bytes, self.width_bytes, self.rows);
        let piece = PIECE_BYTES as u64;
        let rows_per_part = if rows == 1 { 1 } else { piece / width };
        let width_per_part = if rows == 1 { width.min(piece) } else { width };
        (0..rows).step_by(rows_per_part as usize).flat_map(move |row| {
            (0..width).step_by(width_per_part as usize).map(move |column| CopyPart {
                address: address + row * pitch + column,
                pitch_bytes: pitch,
                width_bytes: width_per_part.min(width - column),
                rows: rows_per_part.min(rows - row),
            })
        })
    }
}

impl CopyPart {
    fn bytes(&self) -> usize {
        (self.width_bytes * self.rows) as usize
    }
}

/// A thread's objects in a context: a stream, and pinned memory for the pieces, each with an event
/// after its last use.
struct Tools {
    context: CUcontext,
    stream: CUstream,
    pieces: [(*mut c_void, CUevent); PIECES],
}

/// One direction of a link.
struct Traffic {
    driver: Arc<Driver>,
    tools: Option<Tools>,
}

// SAFETY: only the thread that owns the tools uses them.
unsafe impl Send for Traffic {}

impl Traffic {
    fn tools(&mut self, context: CUcontext) -> Result<(&Driver, &Tools), CUresult> {
        if self.tools.as_ref().is_none_or(|tools| tools.context != context) {
            self.drop_tools();
            self.tools = Some(Tools::new(&self.driver, context)?);
        }
        Ok((&self.driver, self.tools.as_ref().expect("made just now")))
    }

    fn drop_tools(&mut self) {
        let Some(tools) = self.tools.take() else { return };
        // SAFETY: everything was created in that context, which still exists, and the wait ensures
        // that nothing is in use.
        unsafe {
            let _ = self.driver.cuCtxSetCurrent(tools.context);
            let _ = self.driver.cuStreamSynchronize(tools.stream);
            for (memory, event) in tools.pieces {
                let _ = self.driver.cuMemFreeHost(memory);
                let _ = self.driver.cuEventDestroy_v2(event);
            }
            let _ = self.driver.cuStreamDestroy_v2(tools.stream);
        }
    }

    fn forget(&mut self, context: CUcontext) {
        if self.tools.as_ref().is_some_and(|tools| tools.context == context) {
            self.drop_tools();
        }
    }

    /// Sends copies until the session ends. After the link has broken, sends nothing, which the
    /// other side notices.
    fn send_all(mut self, jobs: &Receiver<Job>, waiting: &AtomicUsize, writer: &mut LaneWriter) {
        let mut broken = false;
        for job in jobs {
            match job {
                Job::Forget(context, _done) => self.forget(context),
                Job::Copy(rows) => {
                    broken = broken || self.send(&rows, writer).is_err();
                    waiting.fetch_sub(1, SeqCst);
                }
            }
        }
    }

    /// Sends one copy. While one piece is being sent, the device copies the next. Returns the
    /// network's errors; sends the device's errors to the other side.
    fn send(
        &mut self,
        rows: &Rows,
        writer: &mut LaneWriter,
    ) -> Result<(), outhaul_transport::LaneError> {
        let mut piece = |status: CUresult, bytes: &[u8]| {
            let mut head = Vec::with_capacity(64);
            frame::append(
                &mut head,
                &LinkPiece { copy: rows.copy, status: status.0 },
                0,
                0,
                bytes.len(),
            );
            writer.write(&[&head, bytes])
        };
        let (driver, tools) = match self.tools(rows.context) {
            Ok(found) => found,
            Err(code) => return piece(code, &[]),
        };
        let mut parts = rows.parts().enumerate();
        let mut on_the_way =
            parts.next().map(|(i, part)| (i, part.bytes(), tools.read(driver, i, &part)));
        while let Some((i, bytes, read)) = on_the_way {
            on_the_way = match read {
                Ok(()) => {
                    parts.next().map(|(i, part)| (i, part.bytes(), tools.read(driver, i, &part)))
                }
                Err(_) => None,
            };
            match read.and_then(|()| tools.wait(driver, i)) {
                // SAFETY: the copy into the piece has ended, and the next one into it starts later.
                Ok(()) => piece(CUresult::SUCCESS, unsafe {
                    std::slice::from_raw_parts(tools.pieces[i % PIECES].0.cast(), bytes)
                })?,
                Err(code) => return piece(code, &[]),
            }
        }
        Ok(())
    }

    fn receive_all(
        mut self,
        jobs: &Receiver<Job>,
        waiting: &AtomicUsize,
        reader: &mut LaneReader,
        outbound: &Outbound,
    ) {
        let mut broken = false;
        for job in jobs {
            match job {
                Job::Forget(context, _done) => self.forget(context),
                Job::Copy(rows) => {
                    let result =
                        if broken { Err(LOST) } else { self.receive(&rows, reader, &mut broken) };
                    waiting.fetch_sub(1, SeqCst);
                    outbound.link_done(rows.copy, CUresult::from(result));
                }
            }
        }
    }

    /// Receives all of a copy's pieces from the link, even if the device fails.
    fn receive(
        &mut self,
        rows: &Rows,
        reader: &mut LaneReader,
        broken: &mut bool,
    ) -> Result<(), CUresult> {
        let mut found = self.tools(rows.context);
        let mut last = 0;
        for (i, part) in rows.parts().enumerate() {
            let result = found
                .as_ref()
                .map_err(|code| *code)
                .and_then(|(driver, tools)| tools.wait(driver, i));
            let mut incoming = Incoming::receive(reader).map_err(|_| lost(broken))?;
            let piece = Reader::new(&incoming.take_body())
                .whole::<LinkPiece>()
                .ok()
                .filter(|piece| piece.copy == rows.copy);
            let piece = piece.ok_or_else(|| lost(broken))?;
            if piece.status != 0 {
                return Err(CUresult(piece.status));
            }
            if incoming.op() != LinkPiece::OP || incoming.payload_bytes() != part.bytes() {
                return Err(lost(broken));
            }
            if let (Ok(()), Ok((driver, tools))) = (result, &found) {
                // SAFETY: the device has read the piece, which is valid for writes of the longest
                // part.
                let bytes = unsafe {
                    std::slice::from_raw_parts_mut(tools.pieces[i % PIECES].0.cast(), part.bytes())
                };
                incoming.read_payload(bytes).map_err(|_| lost(broken))?;
                if let Err(code) = tools.write(driver, i, &part) {
                    found = Err(code);
                }
            } else {
                found = Err(result.err().unwrap_or(CUresult::UNKNOWN));
                incoming.finish().map_err(|_| lost(broken))?;
            }
            last = i;
        }
        let (driver, tools) = found?;
        (last.saturating_sub(PIECES - 1)..=last).try_for_each(|i| tools.wait(driver, i))
    }
}

/// Marks the link as broken.
fn lost(broken: &mut bool) -> CUresult {
    *broken = true;
    LOST
}

impl Tools {
    fn new(driver: &Driver, context: CUcontext) -> Result<Tools, CUresult> {
        let (mut least, mut greatest) = (0, 0);
        let mut tools = Tools {
            context,
            stream: CUstream::NULL,
            pieces: [(std::ptr::null_mut(), CUevent::NULL); PIECES],
        };
        // SAFETY: the context is the session's own, or null, which the driver rejects; the
        // out-pointers are locals.
        unsafe {
            driver.cuCtxSetCurrent(context).ok()?;
            driver.cuCtxGetStreamPriorityRange(&mut least, &mut greatest).ok()?;
            // The highest priority prevents the stream from sharing a hardware queue with a stream
            // that waits for this copy.
            driver
                .cuStreamCreateWithPriority(
                    &mut tools.stream,
                    values::STREAM_NON_BLOCKING,
                    greatest,
                )
                .ok()?;
            for (memory, event) in &mut tools.pieces {
                driver.cuMemHostAlloc(memory, PIECE_BYTES, 0).ok()?;
                driver.cuEventCreate(event, values::EVENT_DISABLE_TIMING).ok()?;
            }
        }
        Ok(tools)
    }

    /// Makes the device copy a part into piece `i`.
    fn read(&self, driver: &Driver, i: usize, part: &CopyPart) -> Result<(), CUresult> {
        let (memory, event) = self.pieces[i % PIECES];
        let rows = (RowsSide::Device(part.address), part.pitch_bytes);
        let copy = || {
            two_dimensional(
                rows,
                (RowsSide::Host(memory), part.width_bytes),
                part.width_bytes,
                part.rows,
            )
        };
        // SAFETY: the piece is free once its event is reached. The program is responsible for the
        // device addresses.
        self.enqueue(driver, event, || unsafe {
            match part.rows {
                1 => driver.cuMemcpyDtoHAsync_v2(memory, part.address, part.bytes(), self.stream),
                _ => driver.cuMemcpy2DAsync_v2(&copy(), self.stream),
            }
        })
    }

    fn write(&self, driver: &Driver, i: usize, part: &CopyPart) -> Result<(), CUresult> {
        let (memory, event) = self.pieces[i % PIECES];
        let rows = (RowsSide::Device(part.address), part.pitch_bytes);
        let copy = || {
            two_dimensional(
                (RowsSide::Host(memory), part.width_bytes),
                rows,
                part.width_bytes,
                part.rows,
            )
        };
        // SAFETY: the piece is in use until its event is reached. The program is responsible for
        // the device addresses.
        self.enqueue(driver, event, || unsafe {
            match part.rows {
                1 => driver.cuMemcpyHtoDAsync_v2(part.address, memory, part.bytes(), self.stream),
                _ => driver.cuMemcpy2DAsync_v2(&copy(), self.stream),
            }
        })
    }

    fn enqueue(
        &self,
        driver: &Driver,
        event: CUevent,
        copy: impl FnOnce() -> CUresult,
    ) -> Result<(), CUresult> {
        copy().ok()?;
        // SAFETY: event and stream belong to these tools.
        unsafe { driver.cuEventRecord(event, self.stream) }.ok()
    }

    /// Blocks until the device no longer uses piece `i`.
    fn wait(&self, driver: &Driver, i: usize) -> Result<(), CUresult> {
        // SAFETY: the event belongs to these tools; an event that was never recorded counts as
        // reached.
        unsafe { driver.cuEventSynchronize(self.pieces[i % PIECES].1) }.ok()
    }
}

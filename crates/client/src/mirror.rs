//! Memory that program and device reach by the same address, over a link: managed memory, and pinned memory that the device was given a pointer
//! to, whose contents are `twins`'. Each side has pages of its own there. What the program may have written goes to the device before its next work; what
//! the device may have written comes back after a wait. Changes are found by comparing with what both sides last knew, so no fault handler is needed.

use crate::context;
use crate::driver::{Driver, driver};
use crate::outbox::Payload;
use crate::session::{Place, Session, ask_aside};
use crate::stream::Stream;
use crate::transfer::{HostBox, Standing};
use outhaul_abi::types::CUresult;
use outhaul_wire::codec::Reader;
use outhaul_wire::limits::MIRROR_AHEAD_BYTES_MAX;
use outhaul_wire::messages::{Barrier, MirrorClose, MirrorOpen, MirrorRead, MirrorReadReply, MirrorWrite};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};

const PAGE_BYTES: usize = 4096;
/// What one message carries to the device, and what one question asks back.
const WRITE_BYTES_MAX: usize = 1 << 20;
const READ_BYTES_MAX: usize = 64 << 20;

/// Whose memory it is on the node's side.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Device memory that was allocated just now.
    Device = 0,
    /// Host memory of the worker, which the device reaches.
    Host = 1,
    /// Where the driver has put it, with what stands there.
    Placed = 2,
}

struct Mirror {
    /// Whose worker has the other pages.
    session: &'static Session,
    bytes: usize,
    kind: Kind,
    /// Its turns need not wait for commands.
    beside: bool,
    /// What both sides last knew. Of host memory its twin knows.
    known: Vec<u8>,
    /// The right of what comes back to be written here.
    _right: Option<Arc<Standing>>,
}

impl Mirror {
    /// With a node that is lost, what lies there is what it was; whoever needs that node learns of it elsewhere.
    fn is_reachable(&self) -> bool {
        let lost_alone = || driver().is_ok_and(|driver| driver.sessions.len() > 1);
        !self.session.deferred.is_lost() || !lost_alone()
    }
}

#[derive(Default)]
struct State {
    mirrors: BTreeMap<usize, Mirror>,
    /// The program may have written since both were alike.
    program: bool,
}

#[derive(Default)]
pub struct Mirrors {
    state: Mutex<State>,
    /// Held by whoever has the device reach pinned memory, so that nobody does so twice.
    pub reaching: Mutex<()>,
}

/// Whether there are any at all: programs without managed or mapped memory pay this look and nothing else.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// Stays so: such a program pays for a few waits more.
static IN_GRAPHS: AtomicBool = AtomicBool::new(false);

pub fn in_use() -> bool {
    IN_USE.load(Relaxed)
}

/// Graphs copy from or to memory that the device came to reach after they were made: on the program's side, out of order with what it does there.
pub fn note_in_graphs() {
    IN_GRAPHS.store(true, Relaxed);
}

/// The program is about to give the device work.
pub fn before_work() {
    if IN_USE.load(Relaxed)
        && let Ok(driver) = driver()
    {
        // To wait while a stream captures would spoil the capture.
        if IN_GRAPHS.load(Relaxed) && !driver.captures.any() {
            driver.captures.settle();
        }
        // A lost session is noticed by the work itself.
        let _ = driver.mirrors.lock().send();
        for session in &driver.sessions {
            let _ = session.twins.before_work(session);
        }
    }
}

/// Work that may look at what both sides share has been posted to a stream.
pub fn note_work(stream: &Arc<Stream>) {
    if IN_USE.load(Relaxed) {
        stream.place.session.twins.note_work(stream);
    }
}

/// A kernel was posted: until the program has waited, it may not write to what both sides share. What is captured does not run yet.
pub fn note_kernel() {
    if IN_USE.load(Relaxed)
        && let Ok(driver) = driver()
        && !driver.captures.any()
    {
        driver.mirrors.lock().program = false;
    }
}

/// Runs a host callback: while it runs, its stream counts as idle. Nothing here waits for commands, which may stand behind it.
pub fn around_callback(session: &Session, callback: impl FnOnce()) {
    let before = after_wait();
    callback();
    if let Err(code) = before {
        session.deferred.note(code);
    }
    if IN_USE.load(Relaxed)
        && let Ok(driver) = driver()
    {
        // A lost session is noticed elsewhere.
        let _ = driver.mirrors.send_before_return(session);
        let _ = session.twins.tell(session);
    }
}

/// Whether the device has the same memory at this address of the program's: a copy of it is then the device's own affair, in stream order.
pub fn is_shared(driver: &Driver, address: u64) -> bool {
    driver.mirrors.is_here(address as usize)
}

/// A wait has succeeded. Whether the device has nothing left to do is not known: another thread may have given it work meanwhile.
pub fn after_wait() -> Result<(), CUresult> {
    if !IN_USE.load(Relaxed) {
        return Ok(());
    }
    let driver = driver()?;
    let mut state = driver.mirrors.lock();
    state.send()?;
    state.fetch()?;
    state.program = true;
    drop(state);
    let reachable = |session: &&&Session| !session.deferred.is_lost() || driver.sessions.len() == 1;
    driver.sessions.iter().filter(reachable).try_for_each(|session| session.twins.after_wait(session))
}

/// A wait has shown that a stream has come to a position. Other threads are spared a wait of their own by that, so they hear of it when the memory is there.
pub fn after_wait_for(stream: &Stream, position: u64) -> Result<(), CUresult> {
    after_wait()?;
    stream.note_completed(position);
    Ok(())
}

impl Mirrors {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The pages at `address` are the program's from here on, and the worker's too.
    pub fn open(&self, place: Place, address: usize, bytes: usize, kind: Kind) -> Result<(), CUresult> {
        let session = place.session;
        let ask = |transfer| {
            let message = MirrorOpen { address: address as u64, bytes: bytes as u64, kind: kind as u8, transfer };
            place.call(&message, |reply| Ok(reply.beside))
        };
        let (known, right, beside) = if kind == Kind::Host {
            // SAFETY: pinned memory is given up by way of `close`, before it goes.
            unsafe { session.twins.open(address, bytes, || ask(0).map(drop)) }?;
            (Vec::new(), None, true)
        } else {
            let target = HostBox { address: address as *mut u8, pitch_bytes: bytes, width_bytes: bytes, rows: 1 };
            let right = session.transfers.stand(session, target);
            let beside = ask(right.transfer)?;
            (vec![0; bytes], Some(right), beside)
        };
        let mut state = self.lock();
        state.mirrors.insert(address, Mirror { session, bytes, kind, beside, known, _right: right });
        state.program = true;
        IN_USE.store(true, Relaxed);
        if kind == Kind::Placed { state.fetch() } else { Ok(()) }
    }

    /// The program may have written to some of it, though work is under way that uses the rest.
    pub fn note_program(&self) {
        if IN_USE.load(Relaxed) {
            self.lock().program = true;
        }
    }

    /// Before a stream goes on behind a host callback: what was sent must have come, since the stream goes on by way of another lane.
    fn send_before_return(&self, session: &Session) -> Result<(), CUresult> {
        let mut state = self.lock();
        // It was the program's turn all along, though other threads may have posted kernels since it began.
        let program = std::mem::replace(&mut state.program, true);
        let sent = state.send();
        state.program = program;
        sent?;
        let managed = |m: &&Mirror| m.kind != Kind::Host && std::ptr::eq(m.session, session);
        let ways: Vec<bool> = state.mirrors.values().filter(managed).map(|m| m.beside).collect();
        drop(state);
        if ways.contains(&false) {
            ask_aside(session, &Barrier {})?;
        }
        if ways.contains(&true) { session.twins.ask(session) } else { Ok(()) }
    }

    /// Whether the calling thread's node has the other pages of a mirror that an address lies in.
    fn is_here(&self, address: usize) -> bool {
        let Some((_, start)) = self.find(address) else { return false };
        let here = context::place().ok().map(|place| place.session);
        self.lock().mirrors.get(&start).is_some_and(|mirror| here.is_none_or(|here| std::ptr::eq(here, mirror.session)))
    }

    /// The kind of the mirror that an address lies in, and where that begins.
    pub fn find(&self, address: usize) -> Option<(Kind, usize)> {
        if !IN_USE.load(Relaxed) {
            return None;
        }
        let state = self.lock();
        let (start, mirror) = state.mirrors.range(..=address).next_back()?;
        (address < start + mirror.bytes).then_some((mirror.kind, *start))
    }

    /// Its bytes; None if none begins there.
    pub fn close(&self, address: usize) -> Option<usize> {
        if !IN_USE.load(Relaxed) {
            return None;
        }
        let mut state = self.lock();
        let mirror = state.mirrors.remove(&address)?;
        IN_USE.store(!state.mirrors.is_empty(), Relaxed);
        drop(state);
        mirror.session.twins.close(mirror.session, address, || {
            // A session that is lost holds nothing any more.
            let _ = context::place_in(mirror.session).post(&MirrorClose { address: address as u64 });
        });
        Some(mirror.bytes)
    }
}

impl State {
    /// What the program has written goes to the device, in runs of pages.
    fn send(&mut self) -> Result<(), CUresult> {
        if !self.program {
            return Ok(());
        }
        for (address, mirror) in self.mirrors.iter_mut().filter(|(_, m)| m.kind != Kind::Host && m.is_reachable()) {
            let (place, twins) = (context::place_in(mirror.session), &mirror.session.twins);
            let mut ahead_bytes = 0;
            // SAFETY: the mirror's pages are mapped here as long as it is in the table; what is written meanwhile goes over the next time.
            let pages = unsafe { std::slice::from_raw_parts(*address as *const u8, mirror.bytes) };
            for run in runs(pages, &mirror.known, PAGE_BYTES) {
                for start in run.clone().step_by(WRITE_BYTES_MAX) {
                    let part = start..run.end.min(start + WRITE_BYTES_MAX);
                    let message = MirrorWrite { address: (*address + start) as u64 };
                    // The program may go on writing: what is sent and what is remembered must be the same.
                    mirror.known[part.clone()].copy_from_slice(&pages[part.clone()]);
                    if !mirror.beside {
                        place.post_payload(&message, Payload::Copied(&mirror.known[part]))?;
                        continue;
                    }
                    ahead_bytes += part.len();
                    twins.tell_run(mirror.session, message.address, &mirror.known[part])?;
                    if ahead_bytes >= MIRROR_AHEAD_BYTES_MAX {
                        twins.ask(mirror.session)?;
                        ahead_bytes = 0;
                    }
                }
            }
        }
        Ok(())
    }

    /// What the device has written comes here.
    fn fetch(&mut self) -> Result<(), CUresult> {
        for (address, mirror) in self.mirrors.iter_mut().filter(|(_, m)| m.kind != Kind::Host && m.is_reachable()) {
            let place = context::place_in(mirror.session);
            for offset in (0..mirror.bytes).step_by(READ_BYTES_MAX) {
                let bytes = (mirror.bytes - offset).min(READ_BYTES_MAX);
                let message = MirrorRead { address: *address as u64, offset: offset as u64, bytes: bytes as u64 };
                let changed = if mirror.beside {
                    let (status, body) = mirror.session.callbacks.ask(mirror.session, &message)?;
                    status.ok()?;
                    Reader::new(&body).whole::<MirrorReadReply>().map_err(|_| CUresult::UNKNOWN)?.changed.0
                } else {
                    place.call(&message, |reply| Ok(reply.changed.0))?
                };
                for pair in changed.chunks_exact(2) {
                    let (start, end) = (pair[0] as usize, pair[0].saturating_add(pair[1]) as usize);
                    let known = mirror.known.get_mut(start..end).ok_or(CUresult::UNKNOWN)?;
                    // SAFETY: as in `send`; the bytes came before the answer.
                    known.copy_from_slice(unsafe { std::slice::from_raw_parts((*address + start) as *const u8, end - start) });
                }
            }
        }
        Ok(())
    }
}

/// Where two images differ, by whole grains.
pub fn runs(now: &[u8], known: &[u8], grain_bytes: usize) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for (i, (a, b)) in now.chunks(grain_bytes).zip(known.chunks(grain_bytes)).enumerate() {
        if a == b {
            continue;
        }
        let (start, end) = (i * grain_bytes, i * grain_bytes + a.len());
        match runs.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => runs.push(start..end),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    #[test]
    fn changes_are_whole_pages_and_neighbours_are_one_run() {
        let known = vec![0; 5 * super::PAGE_BYTES + 7];
        let mut now = known.clone();
        let runs = |now: &[u8]| super::runs(now, &known, super::PAGE_BYTES);
        assert!(runs(&now).is_empty());
        (now[4097], now[8192], now[20486]) = (1, 1, 1);
        assert_eq!(runs(&now), [4096..12288, 20480..20487]);
    }
}

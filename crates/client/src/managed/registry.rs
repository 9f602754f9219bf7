//! The registry of all memory that program and device reach at the same address over a network. It
//! contains managed memory, and pinned memory for which the device has a pointer. `replicas` keeps
//! the contents of the pinned memory.

use crate::base::dirty_pages::Pages;
use crate::base::page_set::{PAGE_BYTES, PageSet, pages};
use crate::base::userfault::UserFault;
use crate::managed::page_owner::PageOwner;
use crate::managed::region::{Attachment, ManagedRegion, NodeMemoryKind, page_bounds};
use crate::managed::state::{ManagedState, find_in, with_work_in_progress};
use crate::objects::context_stack;
use crate::objects::streams::stream::Stream;
use crate::session::bulk::transfer::HostBox;
use crate::session::replicas::state::PinnedPages;
use crate::session::{Session, Target};
use outhaul_abi::types::CUresult;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::messages::{Barrier, ManagedClose, ManagedOpen};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst, fence};

/// All managed memory, and pinned memory that the device reaches.
pub struct ManagedRegions {
    state: Mutex<ManagedState>,
    /// Held while a thread makes pinned memory reachable, so that only one thread does so at a
    /// time.
    pub reaching: Mutex<()>,
}

/// Whether any regions exist. A program without managed or mapped memory pays only for this check.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// Returns whether any regions exist.
pub fn in_use() -> bool {
    IN_USE.load(Relaxed)
}

impl ManagedRegions {
    /// Creates the table without regions.
    pub fn new(has_several_nodes: bool) -> ManagedRegions {
        let state = ManagedState { has_several_nodes, ..ManagedState::default() };
        ManagedRegions { state: Mutex::new(state), reaching: Mutex::default() }
    }

    /// Locks the state of the regions.
    pub fn lock(&self) -> MutexGuard<'_, ManagedState> {
        self.state.lock()
    }

    /// Adds a region, and makes the worker open it. `pinned` matters only for pinned memory.
    /// Returns whether pages of managed memory are fetched when the program touches them.
    pub fn enter(
        &self,
        target: Target,
        address: usize,
        bytes: usize,
        kind: NodeMemoryKind,
        pinned: PinnedPages,
    ) -> Result<bool, CUresult> {
        let session = target.session;
        let by_touch = kind == NodeMemoryKind::Device
            && UserFault::of_process().is_some_and(|kernel| kernel.brings_pages);
        let ask = |transfer| {
            let message = ManagedOpen {
                address: address as u64,
                bytes: bytes as u64,
                kind: kind as u8,
                transfer,
                by_touch,
            };
            target.call(&message)?.read(|reply| Ok(reply.beside))
        };
        let (pages, right, is_independent) = if kind == NodeMemoryKind::Host {
            // SAFETY: `close` gives the pinned memory up before it is freed, unless it is
            // registered.
            unsafe { session.replicas.open(address, bytes, pinned, || ask(0).map(drop)) }?;
            (None, None, true)
        } else {
            let target = HostBox {
                address: address as *mut u8,
                pitch_bytes: bytes,
                width_bytes: bytes,
                rows: 1,
            };
            let right = session.transfers.open_persistent(target);
            let is_independent = ask(right.transfer)?;
            // SAFETY: the pages were allocated for this region, and are freed only after it is
            // closed.
            let pages = unsafe {
                match kind {
                    NodeMemoryKind::Device => {
                        Pages::new(address, bytes, by_touch && is_independent)
                    }
                    _ => Pages::compared(address, bytes),
                }
            };
            (Some(pages), Some(right), is_independent)
        };
        let is_lazy = pages.as_ref().is_some_and(Pages::is_lazy);
        let mut state = self.lock();
        state.opened += 1;
        let region = ManagedRegion {
            number: state.opened,
            session,
            bytes,
            kind,
            is_independent,
            pages,
            attachment: Attachment::Everybody,
            turn: None,
            wanted: None,
            preferred: None,
            _right: right,
        };
        state.regions.insert(address, region);
        state.turn.program = true;
        IN_USE.store(true, Relaxed);
        if kind != NodeMemoryKind::Placed {
            return Ok(is_lazy);
        }
        state.query_changes(&[address]).map(|()| is_lazy)
    }

    /// Sends what the program has written before a callback returns, and waits until the data has
    /// arrived. The message that continues the stream uses another lane, and lanes are not ordered
    /// with each other.
    pub fn send_before_return(&self, session: &Session) -> Result<(), CUresult> {
        let mut state = self.lock();
        // The program's turn lasted through the callback, although other threads may have posted
        // kernels since it began.
        state.send(|_| true, true)?;
        let managed =
            |m: &&ManagedRegion| m.kind != NodeMemoryKind::Host && std::ptr::eq(m.session, session);
        let independent: Vec<bool> =
            state.regions.values().filter(managed).map(|m| m.is_independent).collect();
        drop(state);
        if independent.contains(&false) {
            session.call_apart(&Barrier {})?;
        }
        if independent.contains(&true) { session.replicas.ask(session) } else { Ok(()) }
    }

    /// Returns whether the node orders data of managed memory with commands, even around host
    /// functions. The node does so for memory that it moves.
    pub fn takes_turns_by_command(&self) -> bool {
        IN_USE.load(Relaxed)
            && self
                .lock()
                .regions
                .values()
                .any(|m| m.kind != NodeMemoryKind::Host && !m.is_independent)
    }

    /// Returns whether the device of the calling thread's node has its own pages of the memory at
    /// this address. A copy then happens on the device alone, in stream order.
    pub fn is_shared(&self, address: u64) -> bool {
        let address = address as usize;
        let Some((_, start)) = self.find(address) else { return false };
        let here = context_stack::target().ok().map(|place| place.session);
        self.lock()
            .regions
            .get(&start)
            .is_some_and(|region| here.is_none_or(|here| std::ptr::eq(here, region.session)))
    }

    /// Checks as `is_shared` does, but for a copy that has already entered its target. Another
    /// thread may have made the memory reachable since the first check. Such a thread waits for all
    /// copies that had entered by then.
    pub fn is_shared_by_now(&self, address: u64) -> bool {
        fence(SeqCst);
        self.is_shared(address)
    }

    /// Returns the kind and the start of the region that contains `address`.
    pub fn find(&self, address: usize) -> Option<(NodeMemoryKind, usize)> {
        if !IN_USE.load(Relaxed) {
            return None;
        }
        let mut state = self.lock();
        state.find(address).map(|(start, region)| (region.kind, start))
    }

    /// Closes the region that begins at `address`, and returns its size in bytes. Returns `None` if
    /// no region begins there.
    pub fn close(&self, address: usize) -> Option<usize> {
        if !IN_USE.load(Relaxed) {
            return None;
        }
        let mut state = self.lock();
        let region = state.regions.remove(&address)?;
        state.apart.remove(&address);
        IN_USE.store(!state.regions.is_empty(), Relaxed);
        drop(state);
        region.session.replicas.close(region.session, address, || {
            // Ignores errors, because a lost session holds no memory.
            let _ = context_stack::target_in(region.session)
                .post(&ManagedClose { address: address as u64 });
        });
        Some(region.bytes)
    }

    // ---- the program's advice about managed memory ----

    /// Sets which work may use the region from now on. The program may have written to the region
    /// before, while kernels used other memory.
    pub fn attach(&self, address: usize, attachment: Attachment) {
        let mut state = self.lock();
        let ManagedState { regions, turn, apart, .. } = &mut *state;
        let Some(region) = regions.get_mut(&address) else { return };
        let mut own = region.turn.take().unwrap_or_else(|| {
            let mut copy = PageOwner::default();
            copy.take_over(turn);
            copy
        });
        own.program = true;
        match attachment {
            Attachment::Everybody => {
                turn.take_over(&own);
                apart.remove(&address);
            }
            _ => {
                region.turn = Some(own);
                apart.insert(address);
            }
        }
        region.attachment = attachment;
    }

    /// Sends the device what the program has written in the range, before the device needs it.
    pub fn send_ahead(&self, range: Range<usize>) -> Result<(), CUresult> {
        let mut state = self.lock();
        let ManagedState { regions, turn, .. } = &mut *state;
        let Some((start, region)) = find_in(regions, range.start) else { return Ok(()) };
        let is_programs = region.turn.as_ref().unwrap_or(turn).program;
        if is_programs {
            region.send(start, page_bounds(range.start - start..range.end - start, region.bytes))
        } else {
            Ok(())
        }
    }

    /// Fetches what the device has changed in the range, before the program touches it. If not
    /// `now`, work may still change the range, so the fetch follows the next wait.
    pub fn want(&self, range: Range<usize>, now: bool) -> Result<(), CUresult> {
        let mut state = self.lock();
        let Some((start, region)) = state.find(range.start) else { return Ok(()) };
        let range = range.start - start..range.end - start;
        if now {
            region.fetch(start, range, false);
        } else {
            region
                .wanted
                .get_or_insert_with(|| PageSet::new(region.bytes.div_ceil(PAGE_BYTES)))
                .insert(pages(&range));
        }
        Ok(())
    }

    /// Sets whether the range is fetched after every wait that follows a change by the device.
    pub fn prefer(&self, range: Range<usize>, here: bool) {
        let mut state = self.lock();
        let Some((start, region)) = state.find(range.start) else { return };
        let range = pages(&(range.start - start..range.end - start));
        if here {
            region
                .preferred
                .get_or_insert_with(|| PageSet::new(region.bytes.div_ceil(PAGE_BYTES)))
                .insert(range);
        } else if let Some(preferred) = &mut region.preferred {
            preferred.remove(range);
        }
    }

    /// Fetches absent pages of the range, before a thread that must not block reads or writes them.
    pub fn bring(&self, range: Range<usize>) {
        if IN_USE.load(Relaxed)
            && let mut state = self.lock()
            && let Some((start, region)) = state.find(range.start)
        {
            if region.kind == NodeMemoryKind::Host {
                let session = region.session;
                drop(state);
                session.replicas.bring(session, range);
                return;
            }
            let end = range.end.min(start + region.bytes);
            region.fetch(start, range.start - start..end - start, false);
        }
    }

    /// Notes that the calling thread has posted work to `stream`, up to `position`.
    pub fn note_posted(&self, stream: &Stream, position: u64) {
        with_work_in_progress(stream, |work| self.lock().end(stream, position, work));
    }

    /// Fetches the page at an address that a thread touched.
    pub fn serve(&self, address: usize) {
        let page = address / PAGE_BYTES * PAGE_BYTES;
        let mut state = self.lock();
        match state.find(address) {
            Some((start, region)) if region.kind != NodeMemoryKind::Host => {
                region.serve(start, address - start);
            }
            // No thread ever wrote the page, so it contains zeros.
            _ => UserFault::of_process()
                .into_iter()
                .for_each(|kernel| kernel.clear(page..page + PAGE_BYTES)),
        }
    }
}

//! A piece of memory that program and device reach at the same address over a network. Each side
//! has its own pages. The client sends the program's writes before the device's next work. After a
//! wait, the device's writes are copied back, or their pages become absent until the program
//! touches them.

use crate::base::dirty_pages::Pages;
use crate::base::log;
use crate::base::page_set::{PAGE_BYTES, PageSet};
use crate::managed::page_owner::PageOwner;
use crate::objects::context_stack;
use crate::objects::streams::stream::Stream;
use crate::session::Session;
use crate::session::bulk::transfer::PersistentTransfer;
use crate::session::outbox::Payload;
use outhaul_abi::types::CUresult;
use outhaul_wire::codec::Reader;
use outhaul_wire::limits::{MANAGED_AHEAD_BYTES_MAX, MANAGED_FETCH_BYTES_MAX};
use outhaul_wire::messages::{ManagedFetch, ManagedFetchReply, ManagedWrite};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of bytes in one message to the device.
const WRITE_BYTES_MAX: usize = 1 << 20;

/// Maximum number of fetches of absent pages in flight at once.
const FETCHES_MAX: usize = 8;

/// Kind of the node's memory behind a region.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NodeMemoryKind {
    /// Newly allocated device memory.
    Device = 0,
    /// Host memory of the worker that the device can reach.
    Host = 1,
    /// Memory that the driver placed and initialised, such as a managed variable.
    Placed = 2,
}

/// Which work may use a managed region, as `cuStreamAttachMemAsync` sets.
#[derive(Clone)]
pub enum Attachment {
    /// All work may use the region.
    Everybody,
    /// Only the program, and kernels whose parameters point into the region.
    Program,
    /// Only the program, the stream's kernels, and kernels whose parameters point into the region.
    Stream(Arc<Stream>),
}

/// A piece of memory that program and device reach at the same address.
pub struct ManagedRegion {
    /// Sequence number of the region in the order of opening.
    pub(in crate::managed) number: u64,
    /// Session whose worker has the node's pages.
    pub(in crate::managed) session: &'static Session,
    /// Size in bytes.
    pub(in crate::managed) bytes: usize,
    /// Kind of the node's memory.
    pub(in crate::managed) kind: NodeMemoryKind,
    /// Whether data moves independently of the order of commands.
    pub(in crate::managed) is_independent: bool,
    /// The program's pages, for managed memory.
    pub(in crate::managed) pages: Option<Pages>,
    /// Which work may use the region.
    pub(in crate::managed) attachment: Attachment,
    /// The region's own turn, unless it shares the common turn of all managed memory.
    pub(in crate::managed) turn: Option<PageOwner>,
    /// Pages to fetch once, after the next wait.
    pub(in crate::managed) wanted: Option<PageSet>,
    /// Pages to fetch after every wait if the device has changed them.
    pub(in crate::managed) preferred: Option<PageSet>,
    /// Keeps open the transfer through which the worker writes to the region.
    pub(in crate::managed) _right: Option<Arc<PersistentTransfer>>,
}

impl ManagedRegion {
    /// Returns whether the node can be queried. If one of several nodes is lost, the program's
    /// pages of its memory keep their contents, and other calls report the loss.
    pub fn is_reachable(&self, has_several_nodes: bool) -> bool {
        !(self.session.deferred.is_lost() && has_several_nodes)
    }

    /// Returns whether the stream's kernels may use the region, whatever their parameters.
    pub fn is_for(&self, stream: &Stream) -> bool {
        match &self.attachment {
            Attachment::Everybody => true,
            Attachment::Program => false,
            // Once the stream has ended, all work may use its memory.
            Attachment::Stream(other) => other.key() == stream.key() || other.is_ended(),
        }
    }

    /// Sends the device what the program has written inside `within`, in runs of pages.
    pub fn send(&mut self, address: usize, within: Range<usize>) -> Result<(), CUresult> {
        let Some(pages) = &mut self.pages else { return Ok(()) };
        let (place, replicas) = (context_stack::target_in(self.session), &self.session.replicas);
        let mut ahead_bytes = 0;
        for run in pages.written(within)? {
            for start in run.clone().step_by(WRITE_BYTES_MAX) {
                let bytes = &pages.bytes_of(start..run.end.min(start + WRITE_BYTES_MAX));
                let message = ManagedWrite { address: (address + start) as u64 };
                if !self.is_independent {
                    place.post_payload(&message, Payload::Copied(bytes))?;
                    continue;
                }
                ahead_bytes += bytes.len();
                replicas.send_run(self.session, message.address, bytes)?;
                if ahead_bytes >= MANAGED_AHEAD_BYTES_MAX {
                    replicas.ask(self.session)?;
                    ahead_bytes = 0;
                }
            }
        }
        Ok(())
    }

    /// Notes that the device has changed the run. Unless pages are fetched on touch, the caller has
    /// already written the new bytes.
    pub fn change(&mut self, run: Range<usize>, all_programs: bool) -> Result<(), CUresult> {
        let is_programs = self.turn.as_ref().map_or(all_programs, |turn| turn.program);
        match &mut self.pages {
            // During the program's turn, the program's writes are newer than the reported change.
            Some(pages) if pages.is_lazy() && is_programs => pages.withdraw_unwritten(run),
            Some(pages) if pages.is_lazy() => pages.withdraw(run),
            Some(pages) => pages.arrived(run),
            None => Err(CUresult::UNKNOWN),
        }
    }

    /// Fetches an absent page that a thread touched. Also fetches its neighbours, because they are
    /// likely to be touched too.
    pub fn serve(&mut self, address: usize, offset: usize) {
        let Some(range) = self.pages.as_mut().and_then(|pages| pages.touched(offset)) else {
            return;
        };
        self.fetch(address, range, true);
    }

    /// Fetches the absent pages of a range. Set `is_touched` if a thread waits for them.
    pub fn fetch(&mut self, address: usize, range: Range<usize>, is_touched: bool) {
        let Some(pages) = &mut self.pages else { return };
        let (mut at, mut asked) = (range.start, VecDeque::new());
        loop {
            let next = if asked.len() < FETCHES_MAX { pages.away_in(at..range.end) } else { None };
            if let Some(run) = next {
                let run = run.start
                    ..run.end.min(run.start + MANAGED_FETCH_BYTES_MAX as usize).min(self.bytes);
                at = run.end;
                let message = ManagedFetch {
                    address: (address + run.start) as u64,
                    bytes: run.len() as u64,
                    is_touched,
                };
                asked.push_back((self.session.callbacks.question(self.session, &message), run));
                continue;
            }
            let Some((slot, run)) = asked.pop_front() else { return };
            let (status, body) = slot.wait();
            let reply = Reader::new(&body)
                .whole::<ManagedFetchReply>()
                .ok()
                .filter(|_| status == CUresult::SUCCESS);
            match reply.filter(|reply| reply.bytes.len() == run.len()) {
                Some(reply) => pages.bring(run.start, reply.bytes),
                None => {
                    log::warn(&format!(
                        "what the GPU wrote at {:#x} was only there and cannot be fetched \
                        ({status}): reading it raises SIGBUS; with OUTHAUL_TUNE=managed=writes, \
                        each wait fetches all changes, and this cannot happen",
                        address + run.start
                    ));
                    pages.lose(run);
                }
            }
        }
    }

    /// Fetches the pages in `wanted` and `preferred`, and clears `wanted`.
    pub fn fetch_wanted(&mut self, address: usize) {
        let mut wanted: Vec<Range<usize>> = Vec::new();
        for set in [self.wanted.take().as_ref(), self.preferred.as_ref()].into_iter().flatten() {
            let mut at = 0;
            while let Some(run) = set.run_in(at..usize::MAX) {
                at = run.end;
                wanted.push(run.start * PAGE_BYTES..run.end * PAGE_BYTES);
            }
        }
        wanted.into_iter().for_each(|range| self.fetch(address, range, false));
    }
}

/// Extends a range to whole pages, but not beyond `bytes`.
pub fn page_bounds(range: Range<usize>, bytes: usize) -> Range<usize> {
    range.start / PAGE_BYTES * PAGE_BYTES..range.end.next_multiple_of(PAGE_BYTES).min(bytes)
}

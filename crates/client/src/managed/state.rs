//! The client's state of all regions, protected by one lock, and the steps before work and after a
//! wait.

use crate::base::dirty_pages::Pages;
use crate::managed::page_owner::{PageOwner, Waited};
use crate::managed::region::{ManagedRegion, NodeMemoryKind};
use crate::objects::context_stack;
use crate::objects::streams::stream::Stream;
use crate::session::Session;
use outhaul_abi::types::CUresult;
use outhaul_wire::codec::{List, Reader};
use outhaul_wire::limits::MANAGED_REGIONS_PER_QUERY_MAX;
use outhaul_wire::messages::{ManagedChanges, ManagedChangesReply};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// A region's start address, the region, and a range of offsets in it.
type Named<'m> = (usize, &'m mut ManagedRegion, Range<usize>);

/// The client's state of all regions.
#[derive(Default)]
pub struct ManagedState {
    /// The regions by start address.
    pub(in crate::managed) regions: BTreeMap<usize, ManagedRegion>,
    /// The common turn of all managed memory without its own turn.
    pub(in crate::managed) turn: PageOwner,
    /// Start addresses of regions with their own turn.
    pub(in crate::managed) apart: BTreeSet<usize>,
    /// Number of regions opened so far.
    pub(in crate::managed) opened: u64,
    /// Queries in flight about the device's changes, by session and query number. The value is the
    /// number of regions opened before the query. A reply does not apply to a region that was
    /// opened later at the same address.
    pub(in crate::managed) asked: HashMap<(u8, u64), u64>,
    /// Whether the program uses several nodes, so that the loss of one session leaves the others.
    pub(in crate::managed) has_several_nodes: bool,
}

/// A query about the device's changes that is combined with a wait.
pub struct Asked {
    session: &'static Session,
    /// Number of the query.
    pub number: u64,
    /// Start addresses of the regions in the query.
    pub starts: Vec<usize>,
}

/// Work that the calling thread posts to a stream in pieces. `turns` has the start addresses of
/// regions whose own turn the work also began.
pub struct WorkInProgress {
    stream: *const Stream,
    turns: Vec<usize>,
    /// Whether any piece was posted.
    is_posted: bool,
}

thread_local! {
    static IN_PROGRESS: RefCell<Option<WorkInProgress>> = const { RefCell::new(None) };
}

/// Forgets the calling thread's work in progress.
pub fn forget_work_in_progress() {
    IN_PROGRESS.set(None);
}

/// Passes the calling thread's work in progress to `body`, if it is in this stream.
pub fn with_work_in_progress(stream: &Stream, body: impl FnOnce(&mut WorkInProgress)) {
    IN_PROGRESS.with_borrow_mut(|work| {
        work.as_mut().filter(|work| std::ptr::eq(work.stream, stream)).map(body)
    });
}

impl ManagedState {
    /// Returns the region that contains the address, and its start.
    pub fn find(&mut self, address: usize) -> Option<(usize, &mut ManagedRegion)> {
        find_in(&mut self.regions, address)
    }

    /// Returns the start addresses of regions with their own turn to which a kernel's parameters
    /// point.
    pub fn named(&self, params: &[u8]) -> Vec<usize> {
        if self.apart.is_empty() {
            return Vec::new();
        }
        let words = params.as_chunks::<8>().0.iter().map(|word| usize::from_le_bytes(*word));
        let start = |address: usize| {
            let (start, region) = self.regions.range(..=address).next_back()?;
            (address < start + region.bytes && region.turn.is_some()).then_some(*start)
        };
        words.filter_map(start).collect()
    }

    /// Begins work in a stream that may use the memory that `used` accepts. Sends the program's
    /// writes first. If `ends_turn`, ends the program's turn.
    pub fn begin(
        &mut self,
        stream: &Stream,
        used: impl Fn((&usize, &ManagedRegion)) -> bool,
        ends_turn: bool,
    ) -> Result<(), CUresult> {
        let sent = self.send(&used, false);
        let mut turns = Vec::new();
        for start in &self.apart {
            let Some(region) = self.regions.get_mut(start) else { continue };
            let is_used = used((start, region));
            if let Some(turn) = region.turn.as_mut().filter(|_| is_used) {
                turn.begin(stream);
                turn.program &= !ends_turn;
                turns.push(*start);
            }
        }
        self.turn.begin(stream);
        self.turn.program &= !ends_turn;
        IN_PROGRESS.set(Some(WorkInProgress {
            stream: std::ptr::from_ref(stream),
            turns,
            is_posted: false,
        }));
        sent
    }

    /// Begins work in an unknown stream that may use all managed memory. Sends the program's writes
    /// first.
    pub fn begin_anywhere(&mut self) -> Result<(), CUresult> {
        let sent = self.send(|_| true, false);
        self.turn.begin_anywhere();
        self.regions
            .values_mut()
            .filter_map(|region| region.turn.as_mut())
            .for_each(PageOwner::begin_anywhere);
        sent
    }

    /// Notes that a piece of the work was posted. If the piece is not the first, another thread may
    /// have waited since the previous one, so the work begins again.
    pub fn end(&mut self, stream: &Stream, position: u64, work: &mut WorkInProgress) {
        let again = std::mem::replace(&mut work.is_posted, true);
        let end = |turn: &mut PageOwner| {
            if again {
                turn.begin(stream);
            }
            turn.end(stream, position);
        };
        end(&mut self.turn);
        for start in &work.turns {
            self.regions
                .get_mut(start)
                .and_then(|region| region.turn.as_mut())
                .into_iter()
                .for_each(end);
        }
    }

    /// Sends the device what the program has written to the regions that `which` accepts. Skips
    /// regions outside the program's turn, unless `was_programs`.
    pub fn send(
        &mut self,
        which: impl Fn((&usize, &ManagedRegion)) -> bool,
        was_programs: bool,
    ) -> Result<(), CUresult> {
        let ManagedState { regions, turn, apart, has_several_nodes, .. } = self;
        if !turn.program && apart.is_empty() && !was_programs {
            return Ok(());
        }
        for (address, region) in regions.iter_mut().filter(|(_, m)| m.kind != NodeMemoryKind::Host)
        {
            let is_programs = was_programs || region.turn.as_ref().unwrap_or(turn).program;
            if is_programs && region.is_reachable(*has_several_nodes) && which((address, region)) {
                region.send(*address, 0..region.bytes)?;
            }
        }
        Ok(())
    }

    /// Receives what the device may have changed, as far as a wait covers it: the data arrives, or
    /// the pages become absent. Then begins the program's turn.
    pub fn take_changes(
        &mut self,
        waited: Waited<'_>,
        asked: Option<&Asked>,
    ) -> Result<(), CUresult> {
        if let Some(Asked { session, number, .. }) = asked {
            self.take_answers(session, *number)?;
        }
        let answered =
            |start: &usize| asked.is_some_and(|asked| asked.starts.binary_search(start).is_ok());
        let seen: Vec<usize> =
            self.shown(waited).map(|(start, _)| *start).filter(|start| !answered(start)).collect();
        self.send(|(start, _)| seen.binary_search(start).is_ok(), false)?;
        self.query_changes(&seen)?;
        let turns = self.regions.values_mut().filter_map(|region| region.turn.as_mut());
        for turn in turns.chain([&mut self.turn]) {
            if turn.shows(waited) {
                turn.forget_completed(waited);
            }
            turn.program = true;
        }
        for (start, region) in
            self.regions.iter_mut().filter(|(_, m)| m.wanted.is_some() || m.preferred.is_some())
        {
            region.fetch_wanted(*start);
        }
        Ok(())
    }

    /// Returns the regions that work covered by the wait may have changed.
    fn shown(&self, waited: Waited<'_>) -> impl Iterator<Item = (&usize, &ManagedRegion)> {
        let managed = self.regions.iter().filter(|(_, m)| {
            m.kind != NodeMemoryKind::Host && m.is_reachable(self.has_several_nodes)
        });
        managed.filter(move |(_, m)| m.turn.as_ref().unwrap_or(&self.turn).shows(waited))
    }

    /// Returns a query to combine with a wait, if regions need one. The query excludes memory that
    /// is not fetched on touch, because the program may be using that memory when data arrives.
    pub fn ask_with(&mut self, session: &'static Session, waited: Waited<'_>) -> Option<Asked> {
        let comes = |m: &ManagedRegion| {
            m.is_independent
                && m.pages.as_ref().is_some_and(Pages::is_lazy)
                && std::ptr::eq(m.session, session)
        };
        let starts: Vec<usize> = self
            .shown(waited)
            .filter(|(_, m)| comes(m))
            .map(|(start, _)| *start)
            .take(MANAGED_REGIONS_PER_QUERY_MAX)
            .collect();
        let number = (!starts.is_empty()).then(|| self.note_asked(session))?;
        Some(Asked { session, number, starts })
    }

    fn note_asked(&mut self, session: &Session) -> u64 {
        let number = session.change_replies.number();
        self.asked.insert((session.number, number), self.opened);
        number
    }

    /// Forgets a query whose reply will not arrive.
    pub fn forget_asked(&mut self, session: &Session, number: u64) {
        self.asked.remove(&(session.number, number));
    }

    /// Handles replies up to and including reply `number`. Another thread may have handled that
    /// reply already.
    fn take_answers(&mut self, session: &Session, number: u64) -> Result<(), CUresult> {
        while self.asked.contains_key(&(session.number, number)) {
            let (this, (status, body)) = session.change_replies.take();
            let opened = self.asked.remove(&(session.number, this));
            match (status, opened) {
                (CUresult::SUCCESS, Some(opened)) => {
                    self.take_in(
                        &Reader::new(&body).whole().map_err(|_| CUresult::UNKNOWN)?,
                        opened,
                    )?;
                }
                (code, _) if this == number => code.ok()?,
                // The thread that sent the query has received the status.
                _ => {}
            }
        }
        Ok(())
    }

    /// Asks the node what the device has changed in these regions, and handles the replies.
    pub fn query_changes(&mut self, starts: &[usize]) -> Result<(), CUresult> {
        let (mut independent, mut in_turn): (BTreeMap<u8, Vec<u64>>, Vec<u64>) = Default::default();
        for start in starts {
            let region = &self.regions[start];
            if region.is_independent {
                independent.entry(region.session.number).or_default().push(*start as u64);
            } else {
                in_turn.push(*start as u64);
            }
        }
        for starts in independent.into_values().flat_map(|all| {
            all.chunks(MANAGED_REGIONS_PER_QUERY_MAX).map(<[u64]>::to_vec).collect::<Vec<_>>()
        }) {
            let session = self.regions[&(starts[0] as usize)].session;
            let message = ManagedChanges { first: starts[0], others: List(starts[1..].to_vec()) };
            let number = self.note_asked(session);
            session.callbacks.question_changes(session, &message, number);
            self.take_answers(session, number)?;
        }
        for first in in_turn {
            let target = context_stack::target_in(self.regions[&(first as usize)].session);
            let message = ManagedChanges { first, others: List(Vec::new()) };
            let opened = self.opened;
            target.call(&message)?.read(|reply| self.take_in(&reply, opened))?;
        }
        Ok(())
    }

    /// Returns the region that contains an address that the node reported, and the range in it.
    /// Returns `None` if the region was closed meanwhile. `opened` is the number of regions opened
    /// before the query.
    fn named_by(&mut self, pair: &[u64], opened: u64) -> Result<Option<Named<'_>>, CUresult> {
        let [address, bytes] = [pair[0] as usize, pair[1] as usize];
        let Some((start, region)) =
            self.find(address).filter(|(_, region)| region.number <= opened)
        else {
            return Ok(None);
        };
        let from = address - start;
        let end =
            from.checked_add(bytes).filter(|end| *end <= region.bytes).ok_or(CUresult::UNKNOWN)?;
        Ok(Some((start, region, from..end)))
    }

    fn take_in(&mut self, reply: &ManagedChangesReply<'_>, opened: u64) -> Result<(), CUresult> {
        let all_programs = self.turn.program;
        for start in &reply.unknown.0 {
            if let Some((_, region, _)) = self.named_by(&[*start, 0], opened)? {
                region.change(0..region.bytes, all_programs)?;
            }
        }
        for pair in reply.changed.0.chunks_exact(2) {
            if let Some((_, region, run)) = self.named_by(pair, opened)? {
                region.change(run, all_programs)?;
            }
        }
        let mut bytes = reply.bytes;
        for pair in reply.brought.0.chunks_exact(2) {
            let (these, rest) =
                bytes.split_at_checked(pair[1] as usize).ok_or(CUresult::UNKNOWN)?;
            bytes = rest;
            if let Some((_, ManagedRegion { pages: Some(pages), .. }, run)) =
                self.named_by(pair, opened)?
            {
                pages.bring(run.start, these);
            }
        }
        for pair in reply.wanted.0.chunks_exact(2) {
            if let Some((start, region, run)) = self.named_by(pair, opened)? {
                region.fetch(start, run, false);
            }
        }
        Ok(())
    }
}

/// Returns the region that contains the address, and its start.
pub fn find_in(
    regions: &mut BTreeMap<usize, ManagedRegion>,
    address: usize,
) -> Option<(usize, &mut ManagedRegion)> {
    let (start, region) = regions.range_mut(..=address).next_back()?;
    (address < start + region.bytes).then_some((*start, region))
}

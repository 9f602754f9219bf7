//! Memory that program and device reach by the same address, over a link: managed memory, and
//! pinned memory that the device was given a pointer to, whose contents are `twins`'. Each side has
//! pages of its own there. What the program has written goes to the device before its next work;
//! what the device may have written comes back after a wait, or is known then to be fetched when
//! the program touches it.

mod state;

use crate::absence;
use crate::connection::spawn;
use crate::context;
use crate::driver::{Driver, begun, driver};
use crate::log;
use crate::outbox::Payload;
use crate::page_set::{PageSet, pages};
use crate::pages::Pages;
use crate::session::{Place, Session, ask_aside};
use crate::stream::Stream;
use crate::transfer::{HostBox, Standing};
use crate::turn::{Turn, Waited};
use crate::userfault::{PAGE_BYTES, UserFault};
use outhaul_abi::types::CUresult;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::codec::{List, Reader};
use outhaul_wire::limits::{MIRROR_AHEAD_BYTES_MAX, MIRROR_FETCH_BYTES_MAX, MIRRORS_LOOKED_AT_MAX};
use outhaul_wire::messages::{
    Barrier, MirrorClose, MirrorFetch, MirrorFetchReply, MirrorLook, MirrorLookReply, MirrorOpen,
    MirrorWrite, WaitAndLook,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst, fence};
use std::sync::{Arc, OnceLock};

/// What one message carries to the device.
const WRITE_BYTES_MAX: usize = 1 << 20;
/// Questions for what is away that are on their way at once.
const FETCHES_MAX: usize = 8;

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

/// Who may use a piece of managed memory, as `cuStreamAttachMemAsync` says.
#[derive(Clone)]
pub enum Attachment {
    Everybody,
    /// The program, and kernels that are given its address.
    Program,
    /// The program and a stream's kernels.
    Stream(Arc<Stream>),
}

struct Mirror {
    /// How many pieces were opened before it.
    number: u64,
    /// Whose worker has the other pages.
    session: &'static Session,
    bytes: usize,
    kind: Kind,
    /// Its turns need not wait for commands.
    beside: bool,
    /// The program's side of managed memory.
    pages: Option<Pages>,
    attachment: Attachment,
    /// Whose turn it is, where that is not the same for all.
    turn: Option<Turn>,
    /// What the program wants here, once and whenever the device has changed it.
    wanted: Option<PageSet>,
    preferred: Option<PageSet>,
    /// The right of what comes back to be written here.
    _right: Option<Arc<Standing>>,
}

/// A mirror, where it begins, and a range of it.
type Named<'m> = (usize, &'m mut Mirror, Range<usize>);

#[derive(Default)]
struct State {
    mirrors: BTreeMap<usize, Mirror>,
    /// Of all managed memory that has no turn of its own.
    turn: Turn,
    /// Where memory begins that has one.
    apart: BTreeSet<usize>,
    opened: u64,
    /// Questions under way for what the device has changed, by session and number, and how many
    /// pieces of memory there had been: one that came later at the same place is not meant.
    asked: HashMap<(u8, u64), u64>,
}

/// A question for what the device has changed that a wait brings along.
pub struct Asked {
    session: &'static Session,
    number: u64,
    starts: Vec<usize>,
}

#[derive(Default)]
pub struct Mirrors {
    state: Mutex<State>,
    /// Held by whoever has the device reach pinned memory, so that nobody does so twice.
    pub reaching: Mutex<()>,
}

/// Whether there are any at all: programs without managed or mapped memory pay this look and
/// nothing else.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// Stays so: such a program pays for a few waits more.
static IN_GRAPHS: AtomicBool = AtomicBool::new(false);

/// Work of the calling thread, in one or several pieces, to a stream: the turns that it began,
/// besides the one that most memory has.
struct Begun {
    stream: *const Stream,
    turns: Vec<usize>,
    /// Some of it.
    is_posted: bool,
}

thread_local! {
    static BEGUN: RefCell<Option<Begun>> = const { RefCell::new(None) };
}

pub fn in_use() -> bool {
    IN_USE.load(Relaxed)
}

/// Graphs copy from or to memory that the device came to reach after they were made: on the
/// program's side, out of order with what it does there.
pub fn note_in_graphs() {
    IN_GRAPHS.store(true, Relaxed);
}

/// The program is about to give a stream work that may use all that both sides share.
pub fn before_work(stream: &Stream) {
    before(|state| state.begin(stream, |_| true, false));
}

/// The same for work of who knows which stream.
pub fn before_any_work() {
    before(State::begin_anywhere);
}

/// Nothing looks at managed memory there, but what was written to pinned memory before is seen by
/// what comes after.
pub fn before_mark() {
    before(|_| Ok(()));
}

/// A kernel is about to be posted, with these parameters: until the program has waited, it may not
/// write to what the kernel may use. What is captured does not run yet.
pub fn before_kernel(stream: &Stream, params: &[u8]) {
    before(|state| {
        let named = state.named(params);
        let ends_turn = driver().is_ok_and(|driver| !driver.captures.any());
        state.begin(
            stream,
            |(start, mirror)| mirror.is_for(stream) || named.contains(start),
            ends_turn,
        )
    });
}

fn before(begin: impl FnOnce(&mut State) -> Result<(), CUresult>) {
    if IN_USE.load(Relaxed)
        && let Ok(driver) = driver()
    {
        // To wait while a stream captures would spoil the capture.
        if IN_GRAPHS.load(Relaxed) && !driver.captures.any() {
            driver.captures.settle();
        }
        BEGUN.set(None);
        // A lost session is noticed by the work itself.
        let _ = begin(&mut driver.mirrors.lock());
        for session in &driver.sessions {
            let _ = session.twins.before_work(session);
        }
    }
}

/// Something has just been posted to a stream, by the calling thread.
pub fn note_posted(stream: &Stream, position: u64) {
    if !IN_USE.load(Relaxed) {
        return;
    }
    BEGUN.with_borrow_mut(|begun| {
        if let (Some(begun), Ok(driver)) =
            (begun.as_mut().filter(|begun| std::ptr::eq(begun.stream, stream)), driver())
        {
            driver.mirrors.lock().end(stream, position, begun);
        }
    });
}

/// Work that may look at pinned memory that both sides share has been posted to a stream.
pub fn note_work(stream: &Arc<Stream>) {
    if IN_USE.load(Relaxed) {
        stream.place.session.twins.note_work(stream);
    }
}

/// Runs a host callback: while it runs, its stream counts as idle. Nothing here waits for commands,
/// which may stand behind it.
pub fn around_callback(session: &'static Session, callback: impl FnOnce()) {
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

/// Whether the device has the same memory at this address of the program's: a copy of it is then
/// the device's own affair, in stream order.
pub fn is_shared(driver: &Driver, address: u64) -> bool {
    driver.mirrors.is_here(address as usize)
}

/// The same for a copy that has entered what it is to write there: another thread may have had the
/// device reach the memory since it was looked up. Who has it reached waits for what had entered by
/// then.
pub fn is_shared_by_now(driver: &Driver, address: u64) -> bool {
    fence(SeqCst);
    is_shared(driver, address)
}

/// A wait has succeeded. Whether the device has nothing left to do is not known: another thread may
/// have given it work meanwhile.
pub fn after_wait() -> Result<(), CUresult> {
    after(Waited::Something)
}

/// A wait has shown that a stream has come to a position. Other threads are spared a wait of their
/// own by that, so they hear of it when the memory is there.
pub fn after_wait_for(stream: &Stream, position: u64) -> Result<(), CUresult> {
    after(Waited::Stream(stream, position))?;
    stream.note_completed(position);
    Ok(())
}

/// Waits for what `waited` says, with `ask` if nothing is to be known about it but that, or with a
/// question that answers what it shows of managed memory. Gives how it ended. `is_implicit`: the
/// program has not asked for it.
pub fn wait(
    place: Place,
    waited: Waited<'_>,
    is_implicit: bool,
    ask: impl FnOnce() -> Result<CUresult, CUresult>,
) -> Result<CUresult, CUresult> {
    let asked = if IN_USE.load(Relaxed) {
        driver()?.mirrors.lock().ask_with(place.session, waited)
    } else {
        None
    };
    let Some(asked) = asked else {
        let status = ask()?;
        if status == CUresult::SUCCESS {
            after(waited)?;
        }
        return Ok(status);
    };
    let (stream, whole) =
        if let Waited::Stream(stream, _) = waited { (stream.handle, false) } else { (0, true) };
    let looks = List(asked.starts.iter().map(|start| *start as u64).collect());
    let status = place.ask_look(&WaitAndLook { stream, whole, is_implicit, looks }, asked.number);
    if status != Ok(CUresult::SUCCESS) {
        driver()?.mirrors.lock().asked.remove(&(place.session.number, asked.number));
        return status;
    }
    after_asking(waited, Some(&asked))?;
    status
}

fn after(waited: Waited<'_>) -> Result<(), CUresult> {
    if IN_USE.load(Relaxed) { after_asking(waited, None) } else { Ok(()) }
}

fn after_asking(waited: Waited<'_>, asked: Option<&Asked>) -> Result<(), CUresult> {
    let driver = driver()?;
    driver.mirrors.lock().look(waited, asked)?;
    let reachable = |session: &&&Session| !session.deferred.is_lost() || driver.sessions.len() == 1;
    driver
        .sessions
        .iter()
        .filter(reachable)
        .try_for_each(|session| session.twins.after_wait(session))
}

impl Mirrors {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// The pages at `address` are the program's from here on, and the worker's too.
    pub fn open(
        &self,
        place: Place,
        address: usize,
        bytes: usize,
        kind: Kind,
    ) -> Result<(), CUresult> {
        let session = place.session;
        let by_touch = kind == Kind::Device
            && UserFault::of_process().is_some_and(|kernel| kernel.brings_pages);
        let ask = |transfer| {
            let message = MirrorOpen {
                address: address as u64,
                bytes: bytes as u64,
                kind: kind as u8,
                transfer,
                by_touch,
            };
            place.call(&message, |reply| Ok(reply.beside))
        };
        let (pages, right, beside) = if kind == Kind::Host {
            let region = driver()?.host.find(address);
            let may_move = absence::may_move(bytes)
                && region.is_some_and(|r| !r.registered && r.segment.is_none())
                && serve_touches();
            // SAFETY: pinned memory is given up by way of `close`, before it goes.
            unsafe { session.twins.open(address, bytes, may_move, || ask(0).map(drop)) }?;
            (None, None, true)
        } else {
            let target = HostBox {
                address: address as *mut u8,
                pitch_bytes: bytes,
                width_bytes: bytes,
                rows: 1,
            };
            let right = session.transfers.stand(session, target);
            let beside = ask(right.transfer)?;
            // SAFETY: the pages were made for this, and go when this is closed.
            let pages = unsafe {
                match kind {
                    Kind::Device => Pages::new(address, bytes, by_touch && beside),
                    _ => Pages::compared(address, bytes),
                }
            };
            (Some(pages), Some(right), beside)
        };
        if pages.as_ref().is_some_and(Pages::is_lazy) {
            serve_touches();
        }
        let mut state = self.lock();
        state.opened += 1;
        let mirror = Mirror {
            number: state.opened,
            session,
            bytes,
            kind,
            beside,
            pages,
            attachment: Attachment::Everybody,
            turn: None,
            wanted: None,
            preferred: None,
            _right: right,
        };
        state.mirrors.insert(address, mirror);
        state.turn.program = true;
        IN_USE.store(true, Relaxed);
        if kind != Kind::Placed {
            return Ok(());
        }
        state.look_at(&[address])
    }

    /// Before a stream goes on behind a host callback: what was sent must have come, since the
    /// stream goes on by way of another lane.
    fn send_before_return(&self, session: &Session) -> Result<(), CUresult> {
        let mut state = self.lock();
        // It was the program's turn all along, though other threads may have posted kernels since
        // it began.
        state.send(|_| true, true)?;
        let managed = |m: &&Mirror| m.kind != Kind::Host && std::ptr::eq(m.session, session);
        let ways: Vec<bool> = state.mirrors.values().filter(managed).map(|m| m.beside).collect();
        drop(state);
        if ways.contains(&false) {
            ask_aside(session, &Barrier {})?;
        }
        if ways.contains(&true) { session.twins.ask(session) } else { Ok(()) }
    }

    /// Where memory moves, the node carries out turns of managed memory in order with the commands,
    /// also those of host functions.
    pub fn takes_turns_by_command(&self) -> bool {
        IN_USE.load(Relaxed)
            && self.lock().mirrors.values().any(|m| m.kind != Kind::Host && !m.beside)
    }

    /// Whether the calling thread's node has the other pages of a mirror that an address lies in.
    fn is_here(&self, address: usize) -> bool {
        let Some((_, start)) = self.find(address) else { return false };
        let here = context::place().ok().map(|place| place.session);
        self.lock()
            .mirrors
            .get(&start)
            .is_some_and(|mirror| here.is_none_or(|here| std::ptr::eq(here, mirror.session)))
    }

    /// The kind of the mirror that an address lies in, and where that begins.
    pub fn find(&self, address: usize) -> Option<(Kind, usize)> {
        if !IN_USE.load(Relaxed) {
            return None;
        }
        let mut state = self.lock();
        state.find(address).map(|(start, mirror)| (mirror.kind, start))
    }

    /// Its bytes; None if none begins there.
    pub fn close(&self, address: usize) -> Option<usize> {
        if !IN_USE.load(Relaxed) {
            return None;
        }
        let mut state = self.lock();
        let mirror = state.mirrors.remove(&address)?;
        state.apart.remove(&address);
        IN_USE.store(!state.mirrors.is_empty(), Relaxed);
        drop(state);
        mirror.session.twins.close(mirror.session, address, || {
            // A session that is lost holds nothing any more.
            let _ =
                context::place_in(mirror.session).post(&MirrorClose { address: address as u64 });
        });
        Some(mirror.bytes)
    }

    // ---- what programs say of managed memory ----

    /// From here on others may use it. The program may have written to it before, while kernels
    /// used other memory.
    pub fn attach(&self, address: usize, attachment: Attachment) {
        let mut state = self.lock();
        let State { mirrors, turn, apart, .. } = &mut *state;
        let Some(mirror) = mirrors.get_mut(&address) else { return };
        let mut own = mirror.turn.take().unwrap_or_else(|| {
            let mut copy = Turn::default();
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
                mirror.turn = Some(own);
                apart.insert(address);
            }
        }
        mirror.attachment = attachment;
    }

    /// The device is to have what the program has written there, before it needs it.
    pub fn send_ahead(&self, range: Range<usize>) -> Result<(), CUresult> {
        let mut state = self.lock();
        let State { mirrors, turn, .. } = &mut *state;
        let Some((start, mirror)) = find_in(mirrors, range.start) else { return Ok(()) };
        let is_programs = mirror.turn.as_ref().unwrap_or(turn).program;
        if is_programs {
            mirror.send(start, page_bounds(range.start - start..range.end - start, mirror.bytes))
        } else {
            Ok(())
        }
    }

    /// The program is to have what the device has changed there before it touches it: now, or where
    /// work is under way that may change it, after the next wait.
    pub fn want(&self, range: Range<usize>, now: bool) -> Result<(), CUresult> {
        let mut state = self.lock();
        let Some((start, mirror)) = state.find(range.start) else { return Ok(()) };
        let range = range.start - start..range.end - start;
        if now {
            mirror.fetch(start, range, false);
        } else {
            mirror
                .wanted
                .get_or_insert_with(|| PageSet::new(mirror.bytes.div_ceil(PAGE_BYTES)))
                .insert(pages(&range));
        }
        Ok(())
    }

    /// Whenever the device has changed it, the program is to have it after the next wait.
    pub fn prefer(&self, range: Range<usize>, here: bool) {
        let mut state = self.lock();
        let Some((start, mirror)) = state.find(range.start) else { return };
        let range = pages(&(range.start - start..range.end - start));
        if here {
            mirror
                .preferred
                .get_or_insert_with(|| PageSet::new(mirror.bytes.div_ceil(PAGE_BYTES)))
                .insert(range);
        } else if let Some(preferred) = &mut mirror.preferred {
            preferred.remove(range);
        }
    }

    /// What is away of some memory comes, before it is read or written where nobody may wait.
    pub fn bring(&self, range: Range<usize>) {
        if IN_USE.load(Relaxed)
            && let mut state = self.lock()
            && let Some((start, mirror)) = state.find(range.start)
        {
            if mirror.kind == Kind::Host {
                let session = mirror.session;
                drop(state);
                session.twins.bring(session, range);
                return;
            }
            let end = range.end.min(start + mirror.bytes);
            mirror.fetch(start, range.start - start..end - start, false);
        }
    }

    /// On the thread that serves touches: somebody waits for an absent page.
    fn serve(&self, driver: &Driver, address: usize) {
        let page = address / PAGE_BYTES * PAGE_BYTES;
        // First, and without the lock of mirrors: a signal handler may wait for pinned memory while
        // its thread holds that.
        if driver.sessions.iter().any(|session| session.twins.bring_touched(session, page)) {
            return;
        }
        let mut state = self.lock();
        match state.find(address) {
            Some((start, mirror)) if mirror.kind != Kind::Host => {
                mirror.serve(start, address - start);
            }
            // A page that was never written.
            _ => UserFault::of_process()
                .into_iter()
                .for_each(|kernel| kernel.clear(page..page + PAGE_BYTES)),
        }
    }
}

/// Starts the thread that brings absent pages when they are touched, once. Whether it runs.
fn serve_touches() -> bool {
    static STARTED: OnceLock<bool> = OnceLock::new();
    *STARTED.get_or_init(|| {
        spawn("outhaul-touches", || {
            let Some(kernel) = UserFault::of_process() else { return };
            while let Some(address) = kernel.next_absent() {
                if let Ok(driver) = begun() {
                    driver.mirrors.serve(driver, address);
                }
            }
        })
    })
}

fn find_in(mirrors: &mut BTreeMap<usize, Mirror>, address: usize) -> Option<(usize, &mut Mirror)> {
    let (start, mirror) = mirrors.range_mut(..=address).next_back()?;
    (address < start + mirror.bytes).then_some((*start, mirror))
}

/// The whole pages around a range.
fn page_bounds(range: Range<usize>, bytes: usize) -> Range<usize> {
    range.start / PAGE_BYTES * PAGE_BYTES..range.end.next_multiple_of(PAGE_BYTES).min(bytes)
}

impl Mirror {
    /// With a node that is lost, what lies there is what it was; whoever needs that node learns of
    /// it elsewhere.
    fn is_reachable(&self) -> bool {
        let lost_alone = || driver().is_ok_and(|driver| driver.sessions.len() > 1);
        !self.session.deferred.is_lost() || !lost_alone()
    }

    /// Whether a stream's kernels may use it, whatever they are given.
    fn is_for(&self, stream: &Stream) -> bool {
        match &self.attachment {
            Attachment::Everybody => true,
            Attachment::Program => false,
            // What a stream leaves behind is everybody's.
            Attachment::Stream(other) => other.key() == stream.key() || other.is_ended(),
        }
    }

    /// What the program has written goes to the device, in runs of pages.
    fn send(&mut self, address: usize, within: Range<usize>) -> Result<(), CUresult> {
        let Some(pages) = &mut self.pages else { return Ok(()) };
        let (place, twins) = (context::place_in(self.session), &self.session.twins);
        let mut ahead_bytes = 0;
        for run in pages.written(within)? {
            for start in run.clone().step_by(WRITE_BYTES_MAX) {
                let bytes = &pages.told(start..run.end.min(start + WRITE_BYTES_MAX));
                let message = MirrorWrite { address: (address + start) as u64 };
                if !self.beside {
                    place.post_payload(&message, Payload::Copied(bytes))?;
                    continue;
                }
                ahead_bytes += bytes.len();
                twins.tell_run(self.session, message.address, bytes)?;
                if ahead_bytes >= MIRROR_AHEAD_BYTES_MAX {
                    twins.ask(self.session)?;
                    ahead_bytes = 0;
                }
            }
        }
        Ok(())
    }

    /// The device has changed it. What does not come by touch came before that was said.
    fn change(&mut self, run: Range<usize>, all_programs: bool) -> Result<(), CUresult> {
        let is_programs = self.turn.as_ref().map_or(all_programs, |turn| turn.program);
        match &mut self.pages {
            // What the program is writing just now, in its turn, is its own, whatever else is said
            // to have happened there.
            Some(pages) if pages.is_lazy() && is_programs => pages.withdraw_unwritten(run),
            Some(pages) if pages.is_lazy() => pages.withdraw(run),
            Some(pages) => pages.arrived(run),
            None => Err(CUresult::UNKNOWN),
        }
    }

    /// Somebody waits for an absent page. What lies near is likely to be touched too.
    fn serve(&mut self, address: usize, offset: usize) {
        let Some(range) = self.pages.as_mut().and_then(|pages| pages.touched(offset)) else {
            return;
        };
        self.fetch(address, range, true);
    }

    /// Brings what is away of a range.
    fn fetch(&mut self, address: usize, range: Range<usize>, is_touched: bool) {
        let Some(pages) = &mut self.pages else { return };
        let (mut at, mut asked) = (range.start, VecDeque::new());
        loop {
            let next = if asked.len() < FETCHES_MAX { pages.away_in(at..range.end) } else { None };
            if let Some(run) = next {
                let run = run.start
                    ..run.end.min(run.start + MIRROR_FETCH_BYTES_MAX as usize).min(self.bytes);
                at = run.end;
                let message = MirrorFetch {
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
                .whole::<MirrorFetchReply>()
                .ok()
                .filter(|_| status == CUresult::SUCCESS);
            match reply.filter(|reply| reply.bytes.len() == run.len()) {
                Some(reply) => pages.bring(run.start, reply.bytes),
                None => {
                    log::warn(&format!(
                        "what the GPU wrote at {:#x} cannot be had ({status}): who reads it gets \
                        SIGBUS",
                        address + run.start
                    ));
                    pages.lose(run);
                }
            }
        }
    }

    /// Brings what the program wants here.
    fn fetch_wanted(&mut self, address: usize) {
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

//! Memory that program and device reach at the same address over a network. It is managed memory,
//! and pinned memory to which the device got a pointer; `twins` keeps the contents of the latter.
//! Each side has its own pages. What the program has written goes to the device before its next
//! work. What the device may have written comes back after a wait. Or it is absent after the wait,
//! and is fetched when the program touches it.

mod state;

use crate::base::absence;
use crate::base::dirty_pages::Pages;
use crate::base::log;
use crate::base::page_set::{PageSet, pages};
use crate::base::threads::spawn;
use crate::base::userfault::{PAGE_BYTES, UserFault};
use crate::managed::page_owner::{Turn, Waited};
use crate::objects::context;
use crate::objects::driver::{Driver, begun, driver};
use crate::objects::streams::stream::Stream;
use crate::session::bulk::transfer::{HostBox, Standing};
use crate::session::outbox::Payload;
use crate::session::{Place, Session, ask_aside};
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

/// Most bytes that one message carries to the device.
const WRITE_BYTES_MAX: usize = 1 << 20;
/// Most questions for absent pages that are in flight at once.
const FETCHES_MAX: usize = 8;

/// Kind of the node's memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Device memory that was just allocated.
    Device = 0,
    /// Host memory of the worker that the device reaches.
    Host = 1,
    /// Memory that the driver placed, with its contents, as a managed variable.
    Placed = 2,
}

/// Which work may use a piece of managed memory, as `cuStreamAttachMemAsync` sets.
#[derive(Clone)]
pub enum Attachment {
    /// All work.
    Everybody,
    /// The program, and kernels that get its address.
    Program,
    /// The program, and a stream's kernels.
    Stream(Arc<Stream>),
}

struct Mirror {
    /// Number of pieces that were opened before it.
    number: u64,
    /// Session whose worker has the other pages.
    session: &'static Session,
    bytes: usize,
    kind: Kind,
    /// Whether its turns are independent of the order of commands.
    beside: bool,
    /// The program's pages of managed memory.
    pages: Option<Pages>,
    attachment: Attachment,
    /// Its own turn, if it does not share that of all managed memory.
    turn: Option<Turn>,
    /// Pages that the program wants once.
    /// Pages that the program wants whenever the device has changed them.
    wanted: Option<PageSet>,
    preferred: Option<PageSet>,
    /// The right to write what comes back.
    _right: Option<Arc<Standing>>,
}

/// Address of a mirror, the mirror, and a range in it.
type Named<'m> = (usize, &'m mut Mirror, Range<usize>);

#[derive(Default)]
struct State {
    mirrors: BTreeMap<usize, Mirror>,
    /// The turn of all managed memory without its own.
    turn: Turn,
    /// Addresses of mirrors with their own turn.
    apart: BTreeSet<usize>,
    opened: u64,
    /// Questions in flight about what the device has changed, by session and number, and the number
    /// of pieces opened before. An answer does not concern a piece that was opened later at the
    /// same address.
    asked: HashMap<(u8, u64), u64>,
}

/// A question about what the device has changed that travels with a wait.
pub struct Asked {
    session: &'static Session,
    number: u64,
    starts: Vec<usize>,
}

#[derive(Default)]
/// All managed memory, and pinned memory that the device reaches.
pub struct Mirrors {
    state: Mutex<State>,
    /// Held while a thread makes pinned memory reachable, so that no two threads do.
    pub reaching: Mutex<()>,
}

/// Whether there are any mirrors. A program without managed or mapped memory pays only this check.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// Whether `note_in_graphs` was called. It is never reset: the cost is a few more waits.
static IN_GRAPHS: AtomicBool = AtomicBool::new(false);

/// Work that the calling thread posts to a stream in pieces, and the turns that it began in
/// addition to the common one.
struct Begun {
    stream: *const Stream,
    turns: Vec<usize>,
    /// Whether a piece has been posted.
    is_posted: bool,
}

thread_local! {
    static BEGUN: RefCell<Option<Begun>> = const { RefCell::new(None) };
}

/// Whether there are any mirrors.
pub fn in_use() -> bool {
    IN_USE.load(Relaxed)
}

/// Notes that graphs copy from or to memory that the device learnt to reach after they were made.
/// They copy on the client, in no order with the device's accesses.
pub fn note_in_graphs() {
    IN_GRAPHS.store(true, Relaxed);
}

/// Prepares for work in a stream that may use all shared memory.
pub fn before_work(stream: &Stream) {
    before(|state| state.begin(stream, |_| true, false));
}

/// Prepares for work in an unknown stream.
pub fn before_any_work() {
    before(State::begin_anywhere);
}

/// Prepares for a command that does not use managed memory. Work after it must still see what was
/// written to pinned memory before.
pub fn before_mark() {
    before(|_| Ok(()));
}

/// Prepares for a kernel with these parameters. Until it has waited, the program may not write to
/// what the kernel may use. A captured kernel does not run yet.
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
        // A wait while a stream captures would spoil the capture.
        if IN_GRAPHS.load(Relaxed) && !driver.captures.any() {
            driver.captures.settle();
        }
        BEGUN.set(None);
        // The work itself reports a lost session.
        let _ = begin(&mut driver.mirrors.lock());
        for session in &driver.sessions {
            let _ = session.twins.before_work(session);
        }
    }
}

/// Notes that the calling thread has posted work to a stream.
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

/// Notes that work that may use shared pinned memory was posted to a stream.
pub fn note_work(stream: &Arc<Stream>) {
    if IN_USE.load(Relaxed) {
        let session = stream.place.session;
        session.twins.note_work(session, stream);
    }
}

/// Runs a host callback. While it runs, its stream counts as idle. This must not wait for commands,
/// which may be queued after the callback.
pub fn around_callback(session: &'static Session, callback: impl FnOnce()) {
    let before = after_wait();
    callback();
    if let Err(code) = before {
        session.deferred.note(code);
    }
    if IN_USE.load(Relaxed)
        && let Ok(driver) = driver()
    {
        // Other threads report a lost session.
        let _ = driver.mirrors.send_before_return(session);
        let _ = session.twins.tell(session);
    }
}

/// Returns whether the device has its pages of the memory at this address. Then a copy happens on
/// the device alone, in stream order.
pub fn is_shared(driver: &Driver, address: u64) -> bool {
    driver.mirrors.is_here(address as usize)
}

/// Does as `is_shared`, for a copy that has already entered its target. Another thread may have
/// made the memory reachable since the first check. Such a thread waits for all copies that had
/// entered by then.
pub fn is_shared_by_now(driver: &Driver, address: u64) -> bool {
    fence(SeqCst);
    is_shared(driver, address)
}

/// Takes in changes after a wait that has succeeded. The device may not be idle: another thread may
/// have given it work meanwhile.
pub fn after_wait() -> Result<(), CUresult> {
    after(Waited::Something)
}

/// Takes in changes after a wait for a stream's position. Only then is the position noted as
/// completed, because other threads then do not wait themselves.
pub fn after_wait_for(stream: &Stream, position: u64) -> Result<(), CUresult> {
    after(Waited::Stream(stream, position))?;
    stream.note_completed(position);
    Ok(())
}

/// Waits as `waited` says and returns how it ended. The message is a question that also returns the
/// changes to managed memory, or `ask` if there is nothing to ask about it. `is_implicit`: the
/// program has not asked for the wait.
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

    /// Opens a mirror: the pages at `address` now belong to the program and to the worker.
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
            // SAFETY: pinned memory is given up through `close`, before it is freed.
            unsafe { session.twins.open(address, bytes, may_move, || ask(0).map(drop)) }?;
            (None, None, true)
        } else {
            let target = HostBox {
                address: address as *mut u8,
                pitch_bytes: bytes,
                width_bytes: bytes,
                rows: 1,
            };
            let right = session.transfers.stand(target);
            let beside = ask(right.transfer)?;
            // SAFETY: the pages were made for this, and are freed when this is closed.
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

    /// Sends what the program wrote before a callback returns, and waits until it has come. The
    /// stream continues by a message on another lane, so the lanes do not keep the order.
    fn send_before_return(&self, session: &Session) -> Result<(), CUresult> {
        let mut state = self.lock();
        // It was the program's turn during the callback, though other threads may have posted
        // kernels since it began.
        state.send(|_| true, true)?;
        let managed = |m: &&Mirror| m.kind != Kind::Host && std::ptr::eq(m.session, session);
        let ways: Vec<bool> = state.mirrors.values().filter(managed).map(|m| m.beside).collect();
        drop(state);
        if ways.contains(&false) {
            ask_aside(session, &Barrier {})?;
        }
        if ways.contains(&true) { session.twins.ask(session) } else { Ok(()) }
    }

    /// Whether the node executes turns of managed memory in the order of commands, also for host
    /// functions. This is so if the node moves memory.
    pub fn takes_turns_by_command(&self) -> bool {
        IN_USE.load(Relaxed)
            && self.lock().mirrors.values().any(|m| m.kind != Kind::Host && !m.beside)
    }

    /// Whether the calling thread's node has the other pages of the mirror that contains the
    /// address.
    fn is_here(&self, address: usize) -> bool {
        let Some((_, start)) = self.find(address) else { return false };
        let here = context::place().ok().map(|place| place.session);
        self.lock()
            .mirrors
            .get(&start)
            .is_some_and(|mirror| here.is_none_or(|here| std::ptr::eq(here, mirror.session)))
    }

    /// Returns the kind and the address of the mirror that contains the address.
    pub fn find(&self, address: usize) -> Option<(Kind, usize)> {
        if !IN_USE.load(Relaxed) {
            return None;
        }
        let mut state = self.lock();
        state.find(address).map(|(start, mirror)| (mirror.kind, start))
    }

    /// Closes the mirror that begins at the address, and returns its bytes. Returns none if there
    /// is none.
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
            // A lost session holds no memory any more.
            let _ =
                context::place_in(mirror.session).post(&MirrorClose { address: address as u64 });
        });
        Some(mirror.bytes)
    }

    // ---- the program's advice about managed memory ----

    /// Sets which work may use the memory from now on. The program may have written to it before,
    /// while kernels used other memory.
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

    /// Sends what the program has written in the range to the device, before it needs it.
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

    /// Fetches what the device has changed in the range before the program touches it. That happens
    /// now, or after the next wait if work may still change it.
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

    /// Sets whether the program gets each change of the range after the next wait.
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

    /// Fetches absent pages of the range, before a thread that may not block reads or writes them.
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

    /// Fetches a page that a thread has touched. Runs on the thread that serves page faults.
    fn serve(&self, driver: &Driver, address: usize) {
        let page = address / PAGE_BYTES * PAGE_BYTES;
        // This must be first, and without the lock of mirrors: a signal handler may wait for pinned
        // memory while its thread holds that lock.
        if driver.sessions.iter().any(|session| session.twins.bring_touched(session, page)) {
            return;
        }
        let mut state = self.lock();
        match state.find(address) {
            Some((start, mirror)) if mirror.kind != Kind::Host => {
                mirror.serve(start, address - start);
            }
            // No thread ever wrote the page.
            _ => UserFault::of_process()
                .into_iter()
                .for_each(|kernel| kernel.clear(page..page + PAGE_BYTES)),
        }
    }
}

/// Starts the thread that serves page faults, once. Returns whether it runs.
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

/// Returns the whole pages around a range.
fn page_bounds(range: Range<usize>, bytes: usize) -> Range<usize> {
    range.start / PAGE_BYTES * PAGE_BYTES..range.end.next_multiple_of(PAGE_BYTES).min(bytes)
}

impl Mirror {
    /// Whether the node can be asked. After the loss of one of several nodes its memory keeps its
    /// contents, and other calls report the loss.
    fn is_reachable(&self) -> bool {
        let lost_alone = || driver().is_ok_and(|driver| driver.sessions.len() > 1);
        !self.session.deferred.is_lost() || !lost_alone()
    }

    /// Whether the stream's kernels may use it, whatever their parameters.
    fn is_for(&self, stream: &Stream) -> bool {
        match &self.attachment {
            Attachment::Everybody => true,
            Attachment::Program => false,
            // Once a stream has ended, all work may use its memory.
            Attachment::Stream(other) => other.key() == stream.key() || other.is_ended(),
        }
    }

    /// Sends what the program has written to the device, in runs of pages.
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

    /// Notes that the device has changed the run. If its pages are not fetched on touch, their
    /// bytes came before this.
    fn change(&mut self, run: Range<usize>, all_programs: bool) -> Result<(), CUresult> {
        let is_programs = self.turn.as_ref().map_or(all_programs, |turn| turn.program);
        match &mut self.pages {
            // What the program writes now, in its turn, is newer than the reported change.
            Some(pages) if pages.is_lazy() && is_programs => pages.withdraw_unwritten(run),
            Some(pages) if pages.is_lazy() => pages.withdraw(run),
            Some(pages) => pages.arrived(run),
            None => Err(CUresult::UNKNOWN),
        }
    }

    /// Fetches an absent page that a thread touched, and its neighbours, which are likely to be
    /// touched too.
    fn serve(&mut self, address: usize, offset: usize) {
        let Some(range) = self.pages.as_mut().and_then(|pages| pages.touched(offset)) else {
            return;
        };
        self.fetch(address, range, true);
    }

    /// Fetches the absent pages of a range.
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
                        "what the GPU wrote at {:#x} cannot be fetched ({status}): reading it \
                        raises SIGBUS",
                        address + run.start
                    ));
                    pages.lose(run);
                }
            }
        }
    }

    /// Fetches the pages that the program wants.
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

//! Copies between devices of two nodes, and waits for events of another node. No thread blocks here
//! for a device. The answer to a mark says that a stream has reached a point. A gate in the stream
//! stops it there until the other node has done what the stream needs.

use crate::base::log;
use crate::base::threads::spawn;
use crate::managed::region;
use crate::objects::context;
use crate::objects::context::Context;
use crate::objects::copy_shape::{DeviceBox, Extent, Mode};
use crate::objects::driver::{begun, driver};
use crate::objects::graphs::graph::refuse_capture;
use crate::objects::node_link;
use crate::objects::streams::stream::{Event, Stream};
use crate::session::pending_error::LOST;
use crate::session::{Place, Session};
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_wire::limits::{GATES_MAX, PIECE_BYTES};
use outhaul_wire::messages::{
    Barrier, EventMark, GateOpen, GateWait, LinkReceive, LinkSend, StreamSynchronize,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};

/// A gate in a stream of the session.
struct StreamGate {
    session: &'static Session,
    number: u64,
}

impl StreamGate {
    fn open(&self) {
        // Streams of a lost session wait for nothing any more.
        let _ = self.session.callbacks.say(&GateOpen { gate: self.number }, &[]);
    }
}

/// One side of a copy.
struct End {
    place: Place,
    context: u64,
    rows: DeviceBox,
}

struct Crossing {
    number: u64,
    from: End,
    to: End,
    extent: Extent,
    gate: StreamGate,
    /// Whether the program waits for the copy, and so gets an error from the call.
    synchronous: bool,
    /// Number of answers without which the copy may not begin, and the first error in them.
    awaited: AtomicUsize,
    error: AtomicI32,
    result: Mutex<Option<CUresult>>,
    ended: Condvar,
}

impl Crossing {
    fn concerns(&self, session: &Session) -> bool {
        [self.from.place.session, self.to.place.session, self.gate.session]
            .iter()
            .any(|s| std::ptr::eq(*s, session))
    }

    fn touches(&self, address: u64, bytes: u64) -> bool {
        let meets = |rows: &DeviceBox| {
            let end = rows.address.saturating_add(self.extent.span(rows.pitch) as u64);
            rows.address < address.saturating_add(bytes) && address < end
        };
        meets(&self.from.rows) || meets(&self.to.rows)
    }

    fn wait(&self) -> CUresult {
        let mut result = self.result.lock();
        loop {
            match *result {
                Some(result) => return result,
                None => result = self.ended.wait(result),
            }
        }
    }

    /// Notes that an answer has come. After the last, the copy begins.
    fn note_answer(self: &Arc<Crossing>, code: CUresult) {
        if code != CUresult::SUCCESS {
            let _ = self.error.compare_exchange(0, code.0, SeqCst, SeqCst);
        }
        if self.awaited.fetch_sub(1, SeqCst) > 1 {
            return;
        }
        let Ok(driver) = begun() else { return };
        match self.error.load(SeqCst) {
            0 => driver.crossings.route(self),
            code => driver.crossings.finish(self.number, CUresult(code)),
        }
    }
}

/// Passes copies to the thread that tells two nodes of them.
type Route = Sender<Arc<Crossing>>;

#[derive(Default)]
/// All copies between nodes, and all gates.
pub struct Crossings {
    under_way: Mutex<HashMap<u64, Arc<Crossing>>>,
    /// Routes by the numbers of the sending and the receiving node.
    routes: Mutex<HashMap<(u8, u8), Route>>,
    /// Links that are being opened.
    opening: Mutex<HashMap<u64, Sender<CUresult>>>,
    /// Number of closed gates.
    shut: Mutex<usize>,
    opened: Condvar,
}

impl Crossings {
    fn under_way(&self) -> MutexGuard<'_, HashMap<u64, Arc<Crossing>>> {
        self.under_way.lock()
    }

    /// Returns a closed gate. Blocks while there are too many.
    fn shut(&self, session: &'static Session, number: u64) -> StreamGate {
        let mut shut = self.shut.lock();
        while *shut >= GATES_MAX {
            shut = self.opened.wait(shut);
        }
        *shut += 1;
        StreamGate { session, number }
    }

    fn open(&self, gate: &StreamGate) {
        gate.open();
        *self.shut.lock() -= 1;
        self.opened.notify_all();
    }

    /// Passes a copy to the thread of its route.
    fn route(&self, crossing: &Arc<Crossing>) {
        let (from, to) = (crossing.from.place.session, crossing.to.place.session);
        let mut routes = self.routes.lock();
        let route = routes.entry((from.number, to.number)).or_insert_with(|| {
            let (give, take) = channel();
            spawn("outhaul-cross", move || carry_all(&take, from, to));
            give
        });
        let _ = route.send(crossing.clone());
    }

    /// Ends a copy, so that its stream continues.
    pub fn finish(&self, number: u64, code: CUresult) {
        let Some(crossing) = self.under_way().remove(&number) else { return };
        if code != CUresult::SUCCESS && !crossing.synchronous {
            crossing.gate.session.deferred.note(code);
        }
        self.open(&crossing.gate);
        *crossing.result.lock() = Some(code);
        crossing.ended.notify_all();
    }

    /// Ends all copies that involve a lost session. Streams of the other nodes continue.
    pub fn lose(&self, session: &Session) {
        let lost: Vec<u64> =
            self.under_way().values().filter(|c| c.concerns(session)).map(|c| c.number).collect();
        lost.into_iter().for_each(|number| self.finish(number, LOST));
    }

    /// Blocks until no copy uses the memory any more.
    pub fn settle(&self, address: u64, bytes: u64) {
        let found: Vec<_> =
            self.under_way().values().filter(|c| c.touches(address, bytes)).cloned().collect();
        found.iter().for_each(|crossing| {
            crossing.wait();
        });
    }

    /// Makes `note_opened` send the result for this link.
    pub fn expect_opened(&self, link: u64, tell: Sender<CUresult>) {
        self.opening.lock().insert(link, tell);
    }

    /// Notes that the sending node has opened the link, or could not.
    pub fn note_opened(&self, link: u64, code: CUresult) {
        if let Some(tell) = self.opening.lock().remove(&link) {
            let _ = tell.send(code);
        }
    }
}

/// Tells both nodes of the copies that may begin, in one order.
fn carry_all(work: &Receiver<Arc<Crossing>>, from: &Session, to: &Session) {
    let Ok(driver) = begun() else { return };
    let mut link = None;
    for crossing in work {
        if link.is_none() {
            link = node_link::open(from, to)
                .inspect_err(|reason| {
                    log::warn(&format!(
                        "no data can go from {} to {}: {reason}",
                        from.node, to.node
                    ))
                })
                .ok();
        }
        let told = link.is_some_and(|link| tell(&crossing, link));
        if !told {
            driver.crossings.finish(crossing.number, LOST);
        }
    }
}

fn tell(crossing: &Crossing, link: u64) -> bool {
    let (copy, width_bytes, rows) =
        (crossing.number, crossing.extent.width as u64, crossing.extent.rows as u64);
    let End { context, rows: DeviceBox { address, pitch }, .. } = crossing.to;
    let receive =
        LinkReceive { link, copy, context, address, pitch_bytes: pitch as u64, width_bytes, rows };
    let End { context, rows: DeviceBox { address, pitch }, .. } = crossing.from;
    let send =
        LinkSend { link, copy, context, address, pitch_bytes: pitch as u64, width_bytes, rows };
    let said = crossing.to.place.session.callbacks.say(&receive, &[]);
    said.and_then(|()| crossing.from.place.session.callbacks.say(&send, &[])).is_ok()
}

/// Copies rows from a device of one node to a device of another, in the order of a stream of any
/// node.
pub fn copy(
    to: (DeviceBox, &Arc<Context>),
    from: (DeviceBox, &Arc<Context>),
    extent: Extent,
    stream: &Arc<Stream>,
    mode: Mode,
) -> Result<(), CUresult> {
    if extent.rows > 1 && extent.width > PIECE_BYTES {
        let row = |of: DeviceBox, i: usize| DeviceBox {
            address: of.address + (i * of.pitch) as u64,
            ..of
        };
        let one = Extent { rows: 1, ..extent };
        return (0..extent.rows).try_for_each(|i| {
            copy((row(to.0, i), to.1), (row(from.0, i), from.1), one, stream, mode)
        });
    }
    let driver = driver()?;
    refuse_capture(driver, stream)?;
    [stream.place.session, to.1.session, from.1.session]
        .iter()
        .try_for_each(|session| session.deferred.check())?;
    region::before_any_work();
    let end = |(rows, context): (DeviceBox, &Arc<Context>)| End {
        place: context.place(),
        context: context.handle,
        rows,
    };
    let (synchronous, number) = (mode == Mode::Synchronous, driver.next_id());
    let crossing = Arc::new(Crossing {
        number,
        from: end(from),
        to: end(to),
        extent,
        gate: driver.crossings.shut(stream.place.session, number),
        synchronous,
        awaited: 3.into(),
        error: 0.into(),
        result: Mutex::default(),
        ended: Condvar::new(),
    });
    driver.crossings.under_way().insert(number, crossing.clone());
    for end in [&crossing.from, &crossing.to] {
        let (answered, place) = (crossing.clone(), end.place);
        let then = move |code| answered.note_answer(code);
        if synchronous && stream.handle == 0 {
            // In the order of both contexts.
            place.call_then(&StreamSynchronize { stream: 0 }, then);
        } else {
            // Earlier posts have been executed, so the memory exists.
            place.call_then(&Barrier {}, then);
        }
    }
    let answered = crossing.clone();
    stream.place.call_then(&StreamSynchronize { stream: stream.handle }, move |code| {
        answered.note_answer(code)
    });
    let posted = stream.place.post(&GateWait { gate: number, stream: stream.handle });
    stream.note_posted();
    if synchronous || region::in_use() {
        crossing.wait().ok()?;
        region::after_wait()?;
    }
    posted
}

/// Makes a stream wait for the present record of an event of another node.
pub fn wait_for(event: &Event, stream: &Stream) -> Result<(), CUresult> {
    if event.is_complete() {
        return Ok(());
    }
    let driver = driver()?;
    refuse_capture(driver, stream)?;
    let session = driver.session_of(event.handle)?;
    let context = context::of_node(driver, session.number).ok_or(CUresult::INVALID_HANDLE)?;
    session.deferred.check()?;
    region::before_any_work();
    let number = driver.next_id();
    let gate = driver.crossings.shut(stream.place.session, number);
    context.place().call_then(&EventMark { event: event.handle }, move |code| {
        if code != CUresult::SUCCESS {
            gate.session.deferred.note(code);
        }
        if let Ok(driver) = begun() {
            driver.crossings.open(&gate);
        }
    });
    stream.place.post(&GateWait { gate: number, stream: stream.handle })?;
    stream.note_posted();
    Ok(())
}

//! Copies between devices of two nodes, and waits for another node's events. The client blocks no
//! thread for a device here. A node's reply shows that a stream has reached a point. A gate holds
//! the stream there until the other node has done what the stream needs.

use crate::base::log;
use crate::base::threads::spawn;
use crate::driver::managed::sync_after_wait;
use crate::driver::managed::sync_around_work;
use crate::driver::node_link;
use crate::driver::state::{connected, driver};
use crate::driver::submit::submit;
use crate::managed::registry;
use crate::objects::context::Context;
use crate::objects::copy_shape::{DeviceBox, Extent, Mode};
use crate::objects::internode_copies::{End, InternodeCopy};
use crate::objects::streams::event::Event;
use crate::objects::streams::stream::Stream;
use crate::session::Session;
use crate::session::pending_error::LOST;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex};
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{
    Barrier, EventMark, GateWait, LinkReceive, LinkSend, StreamSynchronize,
};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

/// Records a reply that the copy needs. After the last reply the copy begins, or fails with the
/// first error.
fn note_answer(internode_copy: &Arc<InternodeCopy>, code: CUresult) {
    let Some(code) = internode_copy.note_answer(code) else { return };
    let Ok(driver) = connected() else { return };
    if code != CUresult::SUCCESS {
        driver.internode_copies.finish(internode_copy.number, code);
        return;
    }
    driver.internode_copies.route(internode_copy, |work, from, to| {
        spawn("outhaul-cross", move || carry_all(&work, from, to));
    });
}

/// Sends both nodes the copies that may begin, to each node in the same order.
fn carry_all(work: &Receiver<Arc<InternodeCopy>>, from: &Session, to: &Session) {
    let Ok(driver) = connected() else { return };
    let mut link = None;
    for internode_copy in work {
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
        let is_sent = link.is_some_and(|link| send_to_both(&internode_copy, link));
        if !is_sent {
            driver.internode_copies.finish(internode_copy.number, LOST);
        }
    }
}

/// Sends both nodes the message of a copy that may begin. Returns false if one of the sessions is
/// lost.
fn send_to_both(internode_copy: &InternodeCopy, link: u64) -> bool {
    let (copy, width_bytes, rows) = (
        internode_copy.number,
        internode_copy.extent.width as u64,
        internode_copy.extent.rows as u64,
    );
    let End { context, rows: DeviceBox { address, pitch }, .. } = internode_copy.to;
    let receive =
        LinkReceive { link, copy, context, address, pitch_bytes: pitch as u64, width_bytes, rows };
    let End { context, rows: DeviceBox { address, pitch }, .. } = internode_copy.from;
    let send =
        LinkSend { link, copy, context, address, pitch_bytes: pitch as u64, width_bytes, rows };
    let received = internode_copy.to.target.session.callbacks.send(&receive, &[]);
    received.and_then(|()| internode_copy.from.target.session.callbacks.send(&send, &[])).is_ok()
}

/// Copies rows from one node's device to another node's device. The copy runs in the order of
/// `stream`, which may be on any node.
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
    driver.captures.refuse(stream)?;
    [stream.target.session, to.1.session, from.1.session]
        .iter()
        .try_for_each(|session| session.deferred.check())?;
    sync_around_work::before_any_work();
    let end = |(rows, context): (DeviceBox, &Arc<Context>)| End {
        target: context.target(),
        context: context.handle,
        rows,
    };
    let (synchronous, number) = (mode == Mode::Synchronous, driver.next_id());
    let internode_copy = Arc::new(InternodeCopy {
        number,
        from: end(from),
        to: end(to),
        extent,
        gate: driver.internode_copies.shut(stream.target.session, number),
        synchronous,
        awaited: 3.into(),
        error: 0.into(),
        result: Mutex::default(),
        ended: Condvar::new(),
    });
    driver.internode_copies.under_way().insert(number, internode_copy.clone());
    for end in [&internode_copy.from, &internode_copy.to] {
        let (answered, place) = (internode_copy.clone(), end.target);
        let then = move |code| note_answer(&answered, code);
        if synchronous && stream.handle == 0 {
            // The copy must be ordered in both contexts.
            place.call_then(&StreamSynchronize { stream: 0 }, then);
        } else {
            // The reply shows that earlier posts were executed, so the memory exists.
            place.call_then(&Barrier {}, then);
        }
    }
    let answered = internode_copy.clone();
    stream.target.call_then(&StreamSynchronize { stream: stream.handle }, move |code| {
        note_answer(&answered, code)
    });
    let posted = submit(stream, &GateWait { gate: number, stream: stream.handle });
    if synchronous || registry::in_use() {
        internode_copy.wait().ok()?;
        sync_after_wait::after_wait()?;
    }
    posted.map(drop)
}

/// Makes a stream wait for the latest record of another node's event.
pub fn wait_for(event: &Event, stream: &Arc<Stream>) -> Result<(), CUresult> {
    if event.is_complete() {
        return Ok(());
    }
    let driver = driver()?;
    driver.captures.refuse(stream)?;
    event.target.session.deferred.check()?;
    sync_around_work::before_any_work();
    let number = driver.next_id();
    let gate = driver.internode_copies.shut(stream.target.session, number);
    // The event's own context exists as long as the event; another one may end at any moment.
    event.target.call_then(&EventMark { event: event.handle }, move |code| {
        if code != CUresult::SUCCESS {
            gate.session.deferred.note(code);
        }
        if let Ok(driver) = connected() {
            driver.internode_copies.open(&gate);
        }
    });
    submit(stream, &GateWait { gate: number, stream: stream.handle }).map(drop)
}

//! Connections that arrive during a session, through the handover socket from its listener: links
//! of other sessions, and replacements for broken connections of lanes.

use super::threads;
use crate::worker::log::log;
use outhaul_transport::{
    Caller, Connection, Grace, HandoverSocket, Key, KeyExchange, Line, SessionKey, answer_rejoin,
};
use outhaul_wire::handshake::{KeyShare, LANE_CALLBACKS, LANE_COMMANDS, NO_KEY_SHARE, Rejoin};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Longest wait on the lane of callbacks after a connection ended in order. A program that is gone
/// leaves such connections, but a broken network seldom does. A program that is still there
/// reconnects at once. This lane never has data in flight towards the program that could turn the
/// end into a reset.
const GONE_WAIT: Duration = Duration::from_secs(3);
/// Shortest break that is logged.
const SAID_FROM: Duration = Duration::from_secs(1);

/// Returns how long a lane waits for another connection.
pub fn grace(lane: u16, broken: Duration) -> Grace {
    let ended = if lane == LANE_CALLBACKS { broken.min(GONE_WAIT) } else { broken };
    Grace { broken, ended }
}

/// Returns the session's key, by which a client that calls again is recognised, and the worker's
/// share of it. Returns no key if the client wants none; then the session accepts no such calls.
pub fn agree(theirs: &KeyShare) -> io::Result<(Option<SessionKey>, KeyShare)> {
    if *theirs == NO_KEY_SHARE {
        return Ok((None, NO_KEY_SHARE));
    }
    let exchange = KeyExchange::begin()?;
    let share = exchange.share;
    Ok((exchange.agree(theirs), share))
}

/// Starts the thread that accepts connections. `lines` are those of the session's lanes, by their
/// numbers. `link` takes a link of another session, with its key.
pub fn start(
    handover: HandoverSocket,
    lines: Vec<Option<Arc<Line>>>,
    key: Option<SessionKey>,
    link: impl Fn(Key, Connection) + Send + 'static,
) {
    let key = key.map(Arc::new);
    threads::start("callers", move || {
        while let Ok((caller, connection)) = handover.take() {
            match caller {
                Caller::Link(key) => link(key, connection),
                Caller::Lane(call) => {
                    // A caller without a valid proof gets no thread.
                    let key = key.as_ref().filter(|key| key.is_call(&call));
                    if let (Some(Some(line)), Some(key)) = (lines.get(usize::from(call.lane)), key)
                    {
                        let (line, key) = (line.clone(), key.clone());
                        threads::start("rejoin", move || go_on(connection, &key, &line, &call));
                    }
                }
            }
        }
    });
}

fn go_on(connection: Connection, key: &SessionKey, line: &Line, call: &Rejoin) {
    let (lane, broken) = (call.lane, line.broken_for().unwrap_or_default());
    match answer_rejoin(connection, key, line, call) {
        Ok(()) if lane == LANE_COMMANDS && broken >= SAID_FROM => {
            log(&format!("the client is back after {:.1} s", broken.as_secs_f64()))
        }
        Ok(()) => {}
        Err(error) => log(&format!("lane {lane} cannot continue: {error}")),
    }
}

//! Connections that arrive during a session. The listener passes them through the handover socket.
//! They are links from other sessions, or replacements for broken connections of lanes.

use super::threads;
use crate::worker::log::log;
use outhaul_transport::{
    Caller, Connection, Grace, HandoverSocket, Key, KeyExchange, Line, SessionKey, answer_rejoin,
};
use outhaul_wire::handshake::{KeyShare, LANE_CALLBACKS, LANE_COMMANDS, NO_KEY_SHARE, Rejoin};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Maximum wait on the callback lane after an orderly end of a connection. A program that has
/// ended leaves such connections, but a broken network seldom does. A program that still runs
/// reconnects at once. On this lane no data to the program is ever in flight that could turn the
/// end into a reset.
const GONE_WAIT: Duration = Duration::from_secs(3);
/// Shortest break that is logged.
const SAID_FROM: Duration = Duration::from_secs(1);

/// Returns how long a lane waits for another connection. `broken` is the wait after a break.
pub fn grace(lane: u16, broken: Duration) -> Grace {
    let ended = if lane == LANE_CALLBACKS { broken.min(GONE_WAIT) } else { broken };
    Grace { broken, ended }
}

/// Returns the session's key and the worker's share of it. The key proves that a client that
/// reconnects is the session's own. If the client wants no key, returns none, and the session
/// accepts no new connections for its lanes.
pub fn agree(theirs: &KeyShare) -> io::Result<(Option<SessionKey>, KeyShare)> {
    if *theirs == NO_KEY_SHARE {
        return Ok((None, NO_KEY_SHARE));
    }
    let exchange = KeyExchange::begin()?;
    let share = exchange.share;
    Ok((exchange.agree(theirs), share))
}

/// Starts the thread that accepts connections. `lines` are those of the session's lanes, by number.
/// `link` receives each link from another session, with the link's key.
pub fn start(
    handover: HandoverSocket,
    lines: Vec<Option<Arc<Line>>>,
    key: Option<SessionKey>,
    link: impl Fn(Key, Connection) + Send + 'static,
) {
    let key = key.map(Arc::new);
    threads::start("callers", move || {
        while let Some((caller, connection)) = next(&handover) {
            match caller {
                Caller::Link(key) => link(key, connection),
                Caller::Lane(call) => {
                    // A connection without a valid proof gets no thread.
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

/// Waits for the next connection. Returns `None` when the listener has ended.
fn next(handover: &HandoverSocket) -> Option<(Caller, Connection)> {
    loop {
        match handover.take() {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => log(&format!(
                "a connection to this session was lost on its way from the node: {error}; the \
                 worker may have no free file descriptor; the client will connect again"
            )),
            taken => return taken.ok(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_lost_connection_does_not_keep_the_next_one_from_the_session() {
        let (listener, worker) = HandoverSocket::pair().unwrap();
        let raw = listener.as_fd().try_clone_to_owned().unwrap();
        UnixStream::from(raw).write_all(b"no connection").unwrap();
        let entrance = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(entrance.local_addr().unwrap()).unwrap();
        listener.give(Caller::Link([7; 16]), &Connection::Tcp(stream)).unwrap();
        drop(listener);
        assert!(matches!(next(&worker), Some((Caller::Link(key), _)) if key == [7; 16]));
        assert!(next(&worker).is_none(), "the listener is gone");
    }
}

//! Replacing a lane's broken connection. The client calls the node again, names the session and the
//! lane, and says how much of that lane's data it has received. The session's worker answers with
//! how much it has received. The client confirms the answer, and both continue from these
//! positions. Each message carries a proof made with the session's key.

use crate::connect::connection::{Connection, redial, resolve};
use crate::connect::hello_error::HelloError;
use crate::connect::session_key::SessionKey;
use crate::network::duplex_stream::Pipe;
use crate::network::heartbeat::ReceivingEnd;
use crate::network::line::{Frozen, Line};
use crate::os::deadline::Deadline;
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{
    self, Confirm, HandshakeError, HandshakeKind, PROTOCOL, Proof, Rejoin, Rejoined,
};
use outhaul_wire::level::SPEC_HASH;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// Time limit for the other side's next message, including the round trip.
const ANSWER_WAIT: Duration = Duration::from_secs(2);

/// Returns the time limit for an answer: `ANSWER_WAIT` or `limit`, whichever is shorter, but at
/// least four round trips.
fn answer_wait(connection: &Connection, limit: Duration) -> Duration {
    ANSWER_WAIT.min(limit).max(4 * connection.round_trip().unwrap_or_default())
}

/// Calls the node at `address` for a lane of a session. Waits at most `timeout` for a connection,
/// and as long again for an answer. `attempt` increases with each call for that lane. An error
/// other than a refusal may be temporary.
pub fn rejoin(
    address: &str,
    (session, key): ([u8; 16], &SessionKey),
    (lane, attempt): (u16, u64),
    line: &Arc<Line>,
    timeout: Duration,
) -> Result<(), HelloError> {
    let mut connection = redial(address, &resolve(address)?, timeout)?;
    let Some(frozen) = line.freeze() else { return Ok(()) };
    let (received, proof) = (frozen.received, Proof::default());
    let call = key.call(Rejoin {
        protocol: PROTOCOL,
        spec_hash: SPEC_HASH,
        session,
        lane,
        attempt,
        received,
        proof,
    });
    connection.write_all(&handshake::encode(HandshakeKind::Rejoin, &call))?;
    match connection.read_message(Deadline::after(answer_wait(&connection, timeout)))? {
        (HandshakeKind::Rejoined, body) => {
            let answer: Rejoined = Reader::new(&body).whole().map_err(HandshakeError::from)?;
            if !key.is_answer(&call, &answer) {
                return Err(
                    io::Error::other("the answer does not come from the session's worker").into()
                );
            }
            connection.write_all(&handshake::encode(
                HandshakeKind::Confirm,
                &key.confirm(&call, &answer),
            ))?;
            Ok(go_on(line, connection.into_pipe()?, frozen, answer.received)?)
        }
        (kind, body) => Err(HelloError::of_answer(kind, &body)),
    }
}

/// Continues `line` on the new connection. Another thread sends the backlog, because the worker may
/// not read it before the other lanes are connected too. The calling thread makes those
/// connections, so it must not wait.
fn go_on(line: &Arc<Line>, pipe: Pipe, frozen: Frozen, received: u64) -> io::Result<()> {
    let Some(outlet) = line.open(pipe, frozen)? else { return Ok(()) };
    let sending = line.clone();
    // The line keeps the error.
    let send = move || drop(sending.catch_up(outlet, frozen, received));
    let started = std::thread::Builder::new().name("outhaul-resend".to_owned()).spawn(send);
    started.map(drop).inspect_err(|_| {
        line.interrupt();
    })
}

/// Answers a call on the worker's side. Rejects a call without a valid proof. Ignores a call that
/// is older than another call for its lane. A call that the client does not confirm does not take
/// over the lane, and the line waits for another call.
pub fn answer_rejoin(
    mut connection: Connection,
    key: &SessionKey,
    line: &Line,
    call: &Rejoin,
) -> io::Result<()> {
    if !key.is_call(call) {
        return Err(io::Error::other("the caller does not have the session's key"));
    }
    let Some(frozen) = line.freeze_for(call.attempt) else { return Ok(()) };
    let answer = key.answer(call, frozen.received)?;
    connection.write_all(&handshake::encode(HandshakeKind::Rejoined, &answer))?;
    let wait = answer_wait(&connection, ANSWER_WAIT);
    let (kind, body) = connection.read_message(Deadline::after(wait)).map_err(io::Error::other)?;
    let confirm =
        Reader::new(&body).whole::<Confirm>().ok().filter(|_| kind == HandshakeKind::Confirm);
    if !confirm.is_some_and(|confirm| key.is_confirm(call, &answer, &confirm)) {
        return Err(io::Error::other("the caller repeats a message of the session's client"));
    }
    line.install(connection.into_pipe()?, frozen, call.received)
}

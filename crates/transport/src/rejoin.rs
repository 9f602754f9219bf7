//! How another connection takes the place of a lane's that broke: the client calls the node again
//! and says which lane of which session it is and how much of it has come; the session's worker
//! says the same of its side, the client confirms it, and both go on from there. Each word is
//! proved by the session's key.

use crate::connection::{Connection, HelloError, redial, resolve};
use crate::deadline::Deadline;
use crate::life::Ear;
use crate::line::{Frozen, Line};
use crate::pipe::Pipe;
use crate::session_key::SessionKey;
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{
    self, Confirm, HandshakeError, Kind, PROTOCOL, Proof, Rejoin, Rejoined,
};
use outhaul_wire::level::SPEC_HASH;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// For the other side's next word, the way there and back with it.
const ANSWER_WAIT: Duration = Duration::from_secs(2);

/// How long to wait for it, `limit` at most: on far networks longer.
fn answer_wait(connection: &Connection, limit: Duration) -> Duration {
    ANSWER_WAIT.min(limit).max(4 * connection.round_trip().unwrap_or_default())
}

/// Calls the node at `address` for a lane of a session, and waits so long for a connection, and so
/// long for an answer. `attempt` grows with each call for that lane. An error that is no refusal
/// may go over.
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
    connection.write_all(&handshake::encode(Kind::Rejoin, &call))?;
    match connection.read_message(Deadline::after(answer_wait(&connection, timeout)))? {
        (Kind::Rejoined, body) => {
            let answer: Rejoined = Reader::new(&body).whole().map_err(HandshakeError::from)?;
            if !key.is_answer(&call, &answer) {
                return Err(io::Error::other("who answered is not the session's worker").into());
            }
            connection
                .write_all(&handshake::encode(Kind::Confirm, &key.confirm(&call, &answer)))?;
            Ok(go_on(line, connection.into_pipe()?, frozen, answer.received)?)
        }
        (kind, body) => Err(HelloError::of_answer(kind, &body)),
    }
}

/// The worker reads what is sent again when it can, which may take other lanes' connections, so
/// whoever makes those does not wait: a thread sends it.
fn go_on(line: &Arc<Line>, pipe: Pipe, frozen: Frozen, received: u64) -> io::Result<()> {
    let Some(outlet) = line.open(pipe, frozen)? else { return Ok(()) };
    let sending = line.clone();
    // What is wrong, the line knows.
    let send = move || drop(sending.catch_up(outlet, frozen, received));
    let started = std::thread::Builder::new().name("outhaul-resend".to_owned()).spawn(send);
    started.map(drop).inspect_err(|_| {
        line.interrupt();
    })
}

/// The worker's side. A call without proof changes nothing, and neither does one that is older than
/// another of its lane: nobody answers. A call that nobody confirms takes no lane over: the line
/// waits for another one.
pub fn answer_rejoin(
    mut connection: Connection,
    key: &SessionKey,
    line: &Line,
    call: &Rejoin,
) -> io::Result<()> {
    if !key.is_call(call) {
        return Err(io::Error::other("somebody called who has not the session's key"));
    }
    let Some(frozen) = line.freeze_for(call.attempt) else { return Ok(()) };
    let answer = key.answer(call, frozen.received)?;
    connection.write_all(&handshake::encode(Kind::Rejoined, &answer))?;
    let wait = answer_wait(&connection, ANSWER_WAIT);
    let (kind, body) = connection.read_message(Deadline::after(wait)).map_err(io::Error::other)?;
    let confirm = Reader::new(&body).whole::<Confirm>().ok().filter(|_| kind == Kind::Confirm);
    if !confirm.is_some_and(|confirm| key.is_confirm(call, &answer, &confirm)) {
        return Err(io::Error::other("somebody said again what the session's client said"));
    }
    line.install(connection.into_pipe()?, frozen, call.received)
}

//! Links between the workers of two nodes. Each direction has its own link, opened for the first
//! copy. The sending node connects to the receiving node. If it cannot, this process connects to
//! both nodes and relays the data.

use crate::base::log;
use crate::base::random::random;
use crate::base::threads::spawn;
use crate::driver::state::connected;
use crate::session::Session;
use outhaul_abi::types::CUresult;
use outhaul_transport::call_link;
use outhaul_transport::os::tune_settings;
use outhaul_wire::handshake::{LinkHello, PROTOCOL};
use outhaul_wire::level::SPEC_HASH;
use outhaul_wire::messages::LinkOpen;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Timeout for a node's answer to a connection from this process, in seconds.
const CALL_SECONDS_MAX: u64 = 5;
/// Timeout for the sending node to connect and get an answer, in seconds.
const OPENED_SECONDS_MAX: u64 = 20;
/// Setting that makes this process relay all data, even if the nodes can reach each other.
const RELAY_SETTING: &str = "relay";

/// Opens a link from `from` to `to`. Returns its number.
pub fn open(from: &Session, to: &Session) -> Result<u64, String> {
    if !tune_settings::is_on(RELAY_SETTING) {
        match direct(from, to) {
            Ok(link) => return Ok(link),
            Err(reason) => log::note(|| {
                format!(
                    "{} cannot reach {} ({reason}): copies pass through this machine",
                    from.node, to.node
                )
            }),
        }
    }
    relayed(from, to)
}

fn direct(from: &Session, to: &Session) -> Result<u64, String> {
    let driver = connected().map_err(|code| code.to_string())?;
    let (link, key) = (driver.next_id(), random());
    let (sender, receiver) = channel();
    driver.internode_copies.expect_opened(link, sender);
    let request = |session: &Session, address: &str| {
        session
            .callbacks
            .send(&LinkOpen { link, key, address, session: to.name }, &[])
            .map_err(|e| e.to_string())
    };
    request(to, "").and_then(|()| request(from, &to.node))?;
    match receiver.recv_timeout(Duration::from_secs(OPENED_SECONDS_MAX)) {
        Ok(CUresult::SUCCESS) => Ok(link),
        Ok(_) => Err("its log says why".into()),
        Err(_) => Err("it does not answer in time".into()),
    }
}

fn relayed(from: &Session, to: &Session) -> Result<u64, String> {
    let link = connected().map_err(|code| code.to_string())?.next_id();
    let call = |session: &Session| {
        let (key, name) = (random(), session.name);
        session
            .callbacks
            .send(&LinkOpen { link, key, address: "", session: name }, &[])
            .map_err(|e| e.to_string())?;
        let hello = LinkHello { protocol: PROTOCOL, spec_hash: SPEC_HASH, session: name, key };
        call_link(&session.node, &hello, Duration::from_secs(CALL_SECONDS_MAX))
            .map_err(|e| e.to_string())
    };
    let (source, target) = (call(from)?, call(to)?);
    if spawn("outhaul-relay", move || source.relay(target)) {
        Ok(link)
    } else {
        Err("the thread that carries its data cannot start".to_owned())
    }
}

//! Ends a session whose node sends no heartbeats.

use crate::session::Session;
use outhaul_transport::network::heartbeat::{SILENCE_MAX, TICK};
use outhaul_wire::handshake::LANE_BULK;

/// Sends and checks heartbeats until the session ends.
pub fn watch(session: &Session) {
    let mut watch = session.life.watch();
    loop {
        std::thread::sleep(TICK);
        if session.deferred.is_lost() {
            return;
        }
        if let Some(lane) = watch.tick().filter(|lane| !session.life.0[*lane].interrupt()) {
            return session.lose(&reason(lane));
        }
    }
}

fn reason(lane: usize) -> String {
    let seconds = SILENCE_MAX.as_secs();
    match lane.checked_sub(usize::from(LANE_BULK)) {
        None => format!(
            "it gave no sign of life for {seconds} s: its worker was stopped, or the network drops \
            what it says"
        ),
        Some(bulk) => format!(
            "bulk lane {bulk} gave no sign of life for {seconds} s: something between holds that \
            connection up"
        ),
    }
}

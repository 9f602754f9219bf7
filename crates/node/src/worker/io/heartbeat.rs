//! Heartbeats, from a thread of their own, so that they continue while the driver is busy. The
//! worker tolerates a client that is silent on all lanes, because its user may have suspended it.
//! Linux itself detects a broken network on the callback lane, where data to the client is
//! never in flight.

use super::outbound::Outbound;
use crate::worker::io::farewell::end_at_once;
use outhaul_transport::network::heartbeat::{LifeLine, Patience, Role, SILENCE_MAX, TICK, Watch};
use outhaul_transport::os::send::await_end;
use outhaul_wire::handshake::{LANE_CALLBACKS, LANE_COMMANDS};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

/// Starts a thread that ends `lanes` as soon as the client on this machine is gone. `socket` is one
/// of the client's sockets. Without the thread, a lane in shared memory would notice that only at
/// its next check.
pub fn cut_at_end_of(socket: OwnedFd, lanes: &[LifeLine]) {
    let lanes = lanes.to_vec();
    super::threads::start("client", move || {
        await_end(&socket);
        lanes.iter().for_each(LifeLine::cut);
    });
}

/// Starts the heartbeats. `lanes` are the session's lanes by number. The thread calls `silent` at
/// each beat with the length of the current silence on all lanes.
pub fn start(
    lanes: Vec<LifeLine>,
    outbound: Arc<Outbound>,
    silent: impl Fn(Duration) + Send + 'static,
) {
    let role = |lane| if lane == usize::from(LANE_CALLBACKS) { Role::Checks } else { Role::Both };
    lanes[usize::from(LANE_COMMANDS)].begin();
    let lines = lanes.clone();
    let mut watch = Watch::new(
        lanes.into_iter().enumerate().map(|(lane, line)| (line, role(lane))),
        Patience::Whole,
    );
    super::threads::start("life", move || {
        loop {
            std::thread::sleep(TICK);
            let lane = watch.tick();
            silent(watch.silent_for());
            if let Some(lane) = lane.filter(|lane| !lines[*lane].interrupt()) {
                let seconds = SILENCE_MAX.as_secs();
                let text = format!(
                    "nothing came on connection {lane} of the session for {seconds} s, while \
                    others went on"
                );
                end_at_once(
                    &outbound,
                    format!("{text}: something between client and node holds it up"),
                );
            }
        }
    });
}

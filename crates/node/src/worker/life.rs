//! Signs of life, from a thread that does nothing else: whatever the driver takes its time for, the
//! client hears that the worker lives. It is patient with a client that is silent altogether, which
//! its user may have stopped; that a network is cut the kernel notices by itself, on the lane of
//! callbacks, on which nothing is ever on its way to the client.

use super::end_at_once;
use super::outbound::Outbound;
use outhaul_transport::life::{LifeLine, Patience, Role, SILENCE_MAX, TICK, Watch};
use outhaul_wire::handshake::{LANE_CALLBACKS, LANE_COMMANDS};
use std::sync::Arc;
use std::time::Duration;

/// `lanes` are those of a session, by their numbers.
/// `silent` is told each time for how long nothing has come on any of them.
pub fn start(
    lanes: Vec<LifeLine>,
    outbound: Arc<Outbound>,
    silent: impl Fn(Duration) + Send + 'static,
) {
    let role = |lane| if lane == usize::from(LANE_CALLBACKS) { Role::Hears } else { Role::Both };
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
                let what = format!(
                    "nothing came on connection {lane} of the session for {seconds} s, while \
                    others went on"
                );
                end_at_once(
                    &outbound,
                    format!("{what}: something between client and node holds it up"),
                );
            }
        }
    });
}

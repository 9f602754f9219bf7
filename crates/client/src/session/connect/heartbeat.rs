//! Heartbeats between client and node. One thread per session sends a heartbeat each second on the
//! lanes in use, and checks that the worker sends them too. The worker sends from a thread that
//! never blocks, whatever the device does.

use outhaul_transport::network::heartbeat::{LifeLine, Patience, Role, Watch};
use outhaul_wire::handshake::{LANE_BULK, LANE_CALLBACKS, LANE_COMMANDS};
use std::time::{Duration, Instant};

/// How long a program that ends waits for a broken connection to be replaced. The worker then
/// learns of the end, and does not wait for the program.
const GOODBYE_WAIT: Duration = Duration::from_secs(1);
/// Pause between two attempts to send the goodbye.
const GOODBYE_PAUSE: Duration = Duration::from_micros(500);

/// The life lines of a session's lanes, by number.
pub struct Heartbeat(pub(in crate::session::connect) Vec<LifeLine>);

impl Heartbeat {
    /// Creates the heartbeats of `lanes`, which are in the order of their numbers.
    pub fn new(lanes: Vec<LifeLine>) -> Heartbeat {
        Heartbeat(lanes)
    }

    /// Cuts the connections of all lanes.
    pub fn cut(&self) {
        self.0.iter().for_each(LifeLine::cut);
    }

    /// Sends the goodbye on all lanes, because the program ends. The worker ends with the first
    /// lane that ends. So the command lane, on which the worker answered last, comes first.
    pub fn send_goodbye(&self) {
        let deadline = Instant::now() + GOODBYE_WAIT;
        while !self.0[usize::from(LANE_COMMANDS)].send_goodbye() && Instant::now() < deadline {
            std::thread::sleep(GOODBYE_PAUSE);
        }
        for lane in &self.0[usize::from(LANE_CALLBACKS)..] {
            lane.send_goodbye();
        }
    }

    /// Returns a watch that sends and expects heartbeats on the lanes.
    pub fn watch(&self) -> Watch {
        // The worker sends nothing on the callback lane. Bulk lanes take part from the first
        // large copy on.
        let role =
            |lane| if lane == usize::from(LANE_CALLBACKS) { Role::Sends } else { Role::Both };
        self.0.iter().take(usize::from(LANE_BULK)).for_each(LifeLine::begin);
        Watch::new(
            self.0.iter().enumerate().map(|(lane, line)| (line.clone(), role(lane))),
            Patience::None,
        )
    }
}

//! Whether the node is still there. A thread for each session says a beat on the lanes that are
//! used, every second, and looks whether the worker has said one: it does so from a thread that
//! waits for nothing, whatever the device does.

use crate::session::Session;
use outhaul_transport::lanes::heartbeat::{LifeLine, Patience, Role, SILENCE_MAX, TICK, Watch};
use outhaul_wire::handshake::{LANE_BULK, LANE_CALLBACKS, LANE_COMMANDS};
use std::time::{Duration, Instant};

/// For as long a program that ends waits for a connection that broke, so that its worker hears of
/// the end and need not wait for the program.
const GOODBYE_WAIT: Duration = Duration::from_secs(1);
const GOODBYE_PAUSE: Duration = Duration::from_micros(500);

/// The lanes of a session, by their numbers.
pub struct Life(Vec<LifeLine>);

impl Life {
    pub fn new(lanes: Vec<LifeLine>) -> Life {
        Life(lanes)
    }

    /// Ends all connections.
    pub fn cut(&self) {
        self.0.iter().for_each(LifeLine::cut);
    }

    /// The program ends. The worker ends with the first lane that does; on that of commands it has
    /// answered last.
    pub fn say_goodbye(&self) {
        let deadline = Instant::now() + GOODBYE_WAIT;
        while !self.0[usize::from(LANE_COMMANDS)].say_goodbye() && Instant::now() < deadline {
            std::thread::sleep(GOODBYE_PAUSE);
        }
        for lane in &self.0[usize::from(LANE_CALLBACKS)..] {
            lane.say_goodbye();
        }
    }

    fn watch(&self) -> Watch {
        // The worker says nothing on the lane of callbacks. Bulk lanes are used from the first
        // large copy on.
        let role =
            |lane| if lane == usize::from(LANE_CALLBACKS) { Role::Speaks } else { Role::Both };
        self.0.iter().take(usize::from(LANE_BULK)).for_each(LifeLine::begin);
        Watch::new(
            self.0.iter().enumerate().map(|(lane, line)| (line.clone(), role(lane))),
            Patience::None,
        )
    }
}

/// The watch's loop; ends with the session.
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

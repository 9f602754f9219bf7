//! When the pool last received a message from each node and lease holder, and when each lease was
//! last used. Each pool process notes the messages that it receives and learns what the others
//! noted. Reports contain ages, so that the processes need no common clock. A process counts
//! silence only for the time in which it listened itself. So nobody counts as silent while the pool
//! or its store is down. Pure: every event carries its time.

use crate::log::keeper::ActorCommand;
use crate::log::rules::Command;
use crate::log::state::State;
use crate::model::actor::Actor;
use crate::model::lease::{Ask, End, Lease};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The interval between a node's heartbeats, in milliseconds.
pub const NODE_BEAT_MS: u64 = 1_000;
/// How long a node may be silent before the pool places nothing new there.
pub const NODE_SILENT_MS: u64 = 2_500;
/// How long a node may take to reconnect after its connection broke.
const NODE_BACK_MS: u64 = 1_000;
/// The same for a holder that waits. It may reconnect to another process, whose report takes a
/// while to arrive.
const HOLDER_BACK_MS: u64 = 2_000;
/// How long a request lives without its holder's heartbeat, unless its own limit is shorter. The
/// pool must not grant a lease that no program waits for any more.
pub const WAITING_TTL_S: u32 = 20;
/// The least lifetime of a lease, so that the pool notices a silent node before the holders of the
/// leases on that node.
const LEASE_MS_MIN: u64 = 2 * NODE_SILENT_MS;
/// The upper bound of a lease's timers.
const TIMER_S_MAX: u64 = 366 * 86_400;
/// A process that has not listened for longer than this may have missed reports.
const DEAF_MS: u64 = 1_500;
/// Each report covers this much time, so that a process that misses a report learns its contents
/// from the next one.
const REPORTED_MS: u64 = 1_300;
/// A process that has not reported for longer than this counts as ended.
const GONE_MS: u64 = 60_000;
/// The most pool processes whose reports a process reads.
const PROCESSES_MAX: usize = 64;

/// A process's report to the other processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The process that reports.
    pub process: String,
    /// The report's number, larger than that of every earlier report of the process.
    pub number: u64,
    /// The names of the senders of received messages, and the messages' ages in milliseconds.
    #[serde(rename = "heard")]
    pub ages: Vec<(String, u64)>,
}

/// The events that change a process's attendance.
#[derive(Debug, Clone)]
pub enum Event {
    /// A message from a node or holder arrives, or a timer restarts, with this age.
    Received {
        /// A name from `node_name`, `lease_name` or `Timer`.
        name: String,
        /// Milliseconds since the message or the restart.
        age_ms: u64,
    },
    /// The connection of a node or of a waiting holder breaks before the answer.
    Lost {
        /// A name from `node_name` or `lease_name`.
        name: String,
    },
    /// Another process's report arrives.
    Reported(Report),
    /// All pending reports of other processes have been read.
    Listened,
}

/// One process's knowledge about which nodes, holders and processes are alive.
pub struct Attendance {
    process: String,
    reports: u64,
    /// When any process last received a message with each name.
    last_received: HashMap<String, u64>,
    /// When this process last lost the connection of each name.
    lost: HashMap<String, u64>,
    /// When this process itself last received a message with each name; old entries are dropped.
    own: HashMap<String, u64>,
    /// When the current period of uninterrupted listening began, and when the process last
    /// listened.
    since_ms: u64,
    listened_ms: u64,
    /// The number of each other process's last report, and when it arrived.
    others: HashMap<String, (u64, u64)>,
}

/// Returns the name of a lease's holder in reports.
pub fn lease_name(id: &str) -> String {
    format!("lease/{id}")
}

/// Returns the name of a node in reports.
pub fn node_name(node: &str) -> String {
    format!("node/{node}")
}

/// A timer that ends a lease that is unused although its holder is alive.
pub struct Timer {
    /// The name of the lease's use in reports.
    pub name: String,
    /// How long the lease may be unused, in milliseconds.
    pub limit_ms: u64,
    /// Why the lease ends.
    pub end: End,
}

/// Returns the timers of a held lease.
pub fn timers(id: &str, ask: &Ask) -> Vec<Timer> {
    // The limit includes the time for which a silent node may still be using the lease.
    let limit_ms = |seconds: u64| seconds.min(TIMER_S_MAX) * 1000 + LEASE_MS_MIN;
    let unused = ask.release_after_s.map(|seconds| Timer {
        name: format!("used/{id}"),
        limit_ms: limit_ms(seconds),
        end: End::Unused,
    });
    let idle = ask.kill_after_s.map(|seconds| Timer {
        name: format!("active/{id}"),
        limit_ms: limit_ms(seconds),
        end: End::Idle,
    });
    unused.into_iter().chain(idle).collect()
}

impl Attendance {
    /// Returns the attendance of a process that begins to listen at `now_ms`.
    pub fn new(process: String, now_ms: u64) -> Attendance {
        let (last_received, lost, own, others) = Default::default();
        Attendance {
            process,
            reports: 0,
            last_received,
            lost,
            own,
            since_ms: now_ms,
            listened_ms: now_ms,
            others,
        }
    }

    /// Applies an event.
    pub fn step(&mut self, now_ms: u64, event: Event) {
        match event {
            Event::Received { name, age_ms } => {
                let at_ms = now_ms.saturating_sub(age_ms);
                later(&mut self.own, name.clone(), at_ms);
                later(&mut self.last_received, name, at_ms);
            }
            Event::Lost { name } => {
                // After a pause, the other side may have reconnected to another process long ago.
                let is_known = |at_ms: &u64| *at_ms >= self.since_ms;
                let is_awake = now_ms.saturating_sub(self.listened_ms) <= DEAF_MS;
                if is_awake && self.last_received.get(&name).is_some_and(is_known) {
                    self.lost.insert(name, now_ms);
                }
            }
            Event::Reported(report) => self.apply_report(now_ms, report),
            Event::Listened => {
                if now_ms.saturating_sub(self.listened_ms) > DEAF_MS {
                    self.since_ms = now_ms;
                }
                self.listened_ms = now_ms;
            }
        }
    }

    fn apply_report(&mut self, now_ms: u64, report: Report) {
        let is_new =
            self.others.get(&report.process).is_none_or(|(number, _)| *number < report.number);
        let has_room =
            self.others.len() < PROCESSES_MAX || self.others.contains_key(&report.process);
        if report.process == self.process || !is_new || !has_room {
            return;
        }
        self.others.insert(report.process, (report.number, now_ms));
        for (name, age_ms) in report.ages {
            later(&mut self.last_received, name, now_ms.saturating_sub(age_ms));
        }
    }

    /// Returns the next report to the other processes.
    pub fn report(&mut self, now_ms: u64) -> Report {
        self.own.retain(|_, at_ms| now_ms.saturating_sub(*at_ms) <= REPORTED_MS);
        self.reports += 1;
        let ages = self
            .own
            .iter()
            .map(|(name, at_ms)| (name.clone(), now_ms.saturating_sub(*at_ms)))
            .collect();
        Report { process: self.process.clone(), number: self.reports, ages }
    }

    /// Removes the processes that have ended and returns their names, so that the caller can delete
    /// their last reports.
    pub fn gone(&mut self, now_ms: u64) -> Vec<String> {
        let is_over =
            |_: &String, (_, at_ms): &mut (u64, u64)| now_ms.saturating_sub(*at_ms) > GONE_MS;
        self.others.extract_if(is_over).map(|(process, _)| process).collect()
    }

    /// Returns the commands that follow from silence. The silence of a new name begins at `now_ms`.
    pub fn judge(&mut self, now_ms: u64, state: &State) -> Vec<ActorCommand> {
        let mut last_received = HashMap::with_capacity(self.last_received.len());
        let since_ms = self.since_ms;
        let (before, lost) = (&self.last_received, &self.lost);
        let mut silent_ms = |name: String, back_ms: u64| {
            let at_ms = before.get(&name).copied().unwrap_or(now_ms);
            let is_gone = lost.get(&name).is_some_and(|lost_ms| {
                *lost_ms >= at_ms && now_ms.saturating_sub(*lost_ms.max(&since_ms)) >= back_ms
            });
            last_received.insert(name, at_ms);
            if is_gone { u64::MAX } else { now_ms.saturating_sub(at_ms.max(since_ms)) }
        };
        let mut commands = Vec::new();
        for (name, node) in &state.nodes {
            if silent_ms(node_name(name), NODE_BACK_MS) >= NODE_SILENT_MS && node.down.is_none() {
                commands.push(Command::Silent { node: name.clone() });
            }
        }
        for (id, lease) in &state.leases {
            let end = silence_of(id, lease, &mut silent_ms);
            commands.extend(
                end.filter(|_| !state.is_without_node(lease))
                    .map(|end| Command::Finish { id: id.clone(), end }),
            );
        }
        self.lost.retain(|name, lost_ms| {
            last_received.get(name).is_some_and(|at_ms| *lost_ms >= *at_ms)
        });
        self.last_received = last_received;
        commands.into_iter().map(|command| (Actor::pool(), command)).collect()
    }
}

/// Returns why a lease ends by silence, if it does.
fn silence_of(
    id: &str,
    lease: &Lease,
    mut silent_ms: impl FnMut(String, u64) -> u64,
) -> Option<End> {
    let is_held = lease.fence().is_some();
    let seconds = if is_held { lease.ask.ttl_s } else { lease.ask.ttl_s.min(WAITING_TTL_S) };
    let limit_ms = (u64::from(seconds) * 1000).max(LEASE_MS_MIN);
    let mut end = (silent_ms(lease_name(id), HOLDER_BACK_MS) >= limit_ms).then_some(End::Expired);
    for timer in timers(id, &lease.ask).into_iter().filter(|_| is_held) {
        // Checks every timer, whatever ends the lease, so that all names are remembered.
        let is_over = silent_ms(timer.name, u64::MAX) >= timer.limit_ms;
        end = end.or(is_over.then_some(timer.end));
    }
    end
}

fn later(table: &mut HashMap<String, u64>, name: String, at_ms: u64) {
    let known = table.entry(name).or_insert(at_ms);
    *known = at_ms.max(*known);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::entry::{Entry, Event as Happened};
    use crate::log::rules::Rules;
    use crate::model::lease::Holder;
    use crate::model::node::{Absence, Gpu, NodeFacts};

    const TTL_S: u32 = 20;

    /// Returns the state with a node that has one GPU, and a lease of that GPU.
    fn state() -> State {
        let gpus = vec![Gpu { uuid: "g".into(), model: "test".into(), memory_bytes: 1 }];
        let facts = NodeFacts {
            name: "n".into(),
            address: "n:1".into(),
            gpus,
            link_gbps: 0,
            link_hops: 0,
            frame_curves: Vec::new(),
        };
        let (ask, holder) =
            (Ask { ttl_s: TTL_S, ..Ask::default() }, Holder { user: "alice".into(), group: None });
        let asked =
            Happened::Asked { id: "x".into(), holder, ask, key_hash: String::new(), limits: None };
        let mut state = State::default();
        happen(&mut state, Happened::Joined { facts });
        happen(&mut state, asked);
        let granted = Rules::default().next_grant(&state, 0).unwrap();
        happen(&mut state, granted);
        state
    }

    fn happen(state: &mut State, event: Happened) {
        let entry = Entry { at_ms: 0, nonce: String::new(), events: vec![(Actor::pool(), event)] };
        state.apply(state.head + 1, &entry);
    }

    fn receive(attendance: &mut Attendance, now_ms: u64, name: String) {
        attendance.step(now_ms, Event::Received { name, age_ms: 0 });
    }

    /// Listens every quarter of a second until the first command. Returns the command and its time.
    fn listen(
        attendance: &mut Attendance,
        state: &State,
        from_ms: u64,
        to_ms: u64,
    ) -> Option<(u64, Command)> {
        (from_ms..=to_ms).step_by(250).find_map(|now_ms| {
            attendance.step(now_ms, Event::Listened);
            attendance.judge(now_ms, state).into_iter().next().map(|(_, command)| (now_ms, command))
        })
    }

    #[test]
    fn a_silent_node_is_noticed_in_time_and_its_leases_are_not_judged() {
        let (mut state, mut attendance) = (state(), Attendance::new("one".into(), 0));
        let command = listen(&mut attendance, &state, 0, 60_000);
        assert_eq!(command, Some((2_500, Command::Silent { node: "n".into() })));
        happen(&mut state, Happened::Down { node: "n".into(), why: Absence::Silent });
        assert_eq!(
            listen(&mut attendance, &state, 2_750, 3_600_000),
            None,
            "the pool cannot know whether the lease is used"
        );
        happen(&mut state, Happened::Up { node: "n".into() });
        receive(&mut attendance, 3_600_000, node_name("n"));
        let finish = Command::Finish { id: "x".into(), end: End::Expired };
        assert_eq!(
            listen(&mut attendance, &state, 3_600_000, 3_600_000),
            Some((3_600_000, finish))
        );
    }

    #[test]
    fn a_connection_that_breaks_is_noticed_sooner_unless_the_node_comes_back() {
        let (state, mut attendance) = (state(), Attendance::new("one".into(), 0));
        for now_ms in (0..10_000).step_by(1_000) {
            receive(&mut attendance, now_ms, node_name("n"));
            assert_eq!(listen(&mut attendance, &state, now_ms, now_ms + 1_000), None);
        }
        receive(&mut attendance, 10_000, node_name("n"));
        attendance.step(10_000, Event::Lost { name: node_name("n") });
        assert_eq!(
            listen(&mut attendance, &state, 10_250, 19_000).map(|(at_ms, _)| at_ms),
            Some(11_000)
        );
        receive(&mut attendance, 11_000, node_name("n"));
        assert_eq!(listen(&mut attendance, &state, 11_250, 13_250), None);
    }

    #[test]
    fn a_request_whose_holder_is_gone_leaves_soon_and_a_lease_stays() {
        let (mut state, mut attendance) = (state(), Attendance::new("one".into(), 0));
        let holder = Holder { user: "bob".into(), group: None };
        let ask = Ask { ttl_s: TTL_S, ..Ask::default() };
        let id = "waits".to_owned();
        let (key_hash, limits) = (String::new(), None);
        happen(&mut state, Happened::Asked { id, holder, ask, key_hash, limits });
        for name in ["x", "waits"].map(lease_name).into_iter().chain([node_name("n")]) {
            receive(&mut attendance, 0, name);
        }
        attendance.step(0, Event::Lost { name: lease_name("waits") });
        let listen_to = |attendance: &mut Attendance, to_ms| {
            receive(attendance, to_ms, node_name("n"));
            listen(attendance, &state, to_ms, to_ms)
        };
        assert_eq!(listen_to(&mut attendance, 1_000), None, "it may reconnect");
        assert_eq!(listen_to(&mut attendance, 1_750), None);
        let end = Command::Finish { id: "waits".into(), end: End::Expired };
        assert_eq!(listen_to(&mut attendance, 2_000), Some((2_000, end)));
        receive(&mut attendance, 2_250, lease_name("waits"));
        assert_eq!(listen_to(&mut attendance, 2_250), None, "it reconnected");
        // The process pauses, and meanwhile the holder turns to another process.
        attendance.step(60_000, Event::Lost { name: lease_name("waits") });
        assert_eq!(listen_to(&mut attendance, 60_250), None);
        attendance.step(60_300, Event::Lost { name: lease_name("waits") });
        assert!((60_500..70_000).step_by(250).all(|at| listen_to(&mut attendance, at).is_none()));
    }

    #[test]
    fn time_in_which_the_process_did_not_listen_is_no_silence() {
        let (state, mut attendance) = (state(), Attendance::new("one".into(), 0));
        assert_eq!(listen(&mut attendance, &state, 0, 1_000), None);
        // The process pauses for a minute, twice.
        assert_eq!(listen(&mut attendance, &state, 61_000, 63_000), None);
        assert_eq!(listen(&mut attendance, &state, 120_000, 122_250), None);
        assert_eq!(
            listen(&mut attendance, &state, 122_500, 122_500).map(|(at_ms, _)| at_ms),
            Some(122_500)
        );
    }

    #[test]
    fn a_node_that_reaches_one_process_is_silent_for_none() {
        let (state, mut one, mut other) =
            (state(), Attendance::new("one".into(), 0), Attendance::new("other".into(), 0));
        for now_ms in (0..60_000).step_by(250) {
            if now_ms % NODE_BEAT_MS == 0 {
                receive(&mut one, now_ms, node_name("n"));
                receive(&mut one, now_ms, lease_name("x"));
            }
            // The other process has a different clock and receives only every second report.
            let report = one.report(now_ms);
            if now_ms % 500 == 0 {
                other.step(now_ms + 7_000_000, Event::Reported(report));
            }
            assert_eq!(listen(&mut other, &state, now_ms + 7_000_000, now_ms + 7_000_000), None);
        }
        let last = one.report(60_000);
        for now_ms in (60_000..70_000).step_by(250) {
            other.step(now_ms + 7_000_000, Event::Reported(last.clone()));
            let command = listen(&mut other, &state, now_ms + 7_000_000, now_ms + 7_000_000);
            assert_eq!(command.is_some(), now_ms >= 61_500, "an old report adds nothing: {now_ms}");
        }
        assert_eq!(other.gone(7_200_000), ["one"]);
    }
}

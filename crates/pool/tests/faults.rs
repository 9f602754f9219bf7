//! Several keepers over one store that answers late, fails, and loses keepers halfway, as seeds
//! determine. Nodes and holders fall silent, return and complain, and reports are lost. A judge
//! checks the log, entry by entry. The pool grants no part of a GPU twice or on a node that is
//! down. No holder exceeds a quota or overtakes an equal request. Silence ends no lease while one
//! of its nodes is down. The pool keeps all that it confirmed, and in the end no lease remains.
//! `OUTHAUL_SEEDS=100000 cargo test --release -p outhaul-pool --test faults` tries more seeds.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod judge;

use judge::judge;
use outhaul_pool::Error;
use outhaul_pool::liveness::attendance::{Attendance, Event as Message, lease_name, node_name};
use outhaul_pool::log::entry::{Entry, Event};
use outhaul_pool::log::journal::Journal;
use outhaul_pool::log::keeper::{ActorCommand, Keeper};
use outhaul_pool::log::rules::{Command, Rules};
use outhaul_pool::log::state::State;
use outhaul_pool::log::store::{Memory, Sqlite, Store, StoreError, Versioned};
use outhaul_pool::model::actor::Actor;
use outhaul_pool::model::lease::{Amount, Ask, End, Holder, Lease, Part};
use outhaul_pool::model::node::{Gpu, NodeFacts};
use outhaul_pool::model::quota::Quota;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The number of seeds, unless the environment sets another.
const SEEDS: u64 = 200;
const STEPS: u64 = 150;
const KEEPERS: usize = 3;
const NODES: u64 = 3;
const GPU_BYTES: u64 = 1000;
/// The quota of `bob`, one of two users.
const BOB_GPUS_MAX: f64 = 2.0;
/// The upper bound of the difference between two processes' clocks.
const CLOCKS_APART_MS: u64 = 3_600_000;
/// The upper bound of a turn's time.
const TURN_MS: u64 = 1_000;

/// Pseudorandom numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.next(n) == 0
    }
}

/// A store that fails before or after it carries out a request, or carries it out after the caller
/// gave up.
struct Faulty {
    inner: Memory,
    faults: Mutex<Faults>,
}

struct Faults {
    random: Random,
    on: bool,
    /// Swaps that returned an error and are carried out later.
    late: Vec<(String, u64, Vec<u8>)>,
}

impl Faulty {
    fn lost(&self) -> Result<(), StoreError> {
        let mut faults = self.faults.lock().unwrap();
        if faults.on && faults.random.one_in(15) {
            Err(StoreError::NoAnswer("lost".into()))
        } else {
            Ok(())
        }
    }

    /// Carries out the swaps that returned an error earlier.
    fn deliver(&self) {
        let late = std::mem::take(&mut self.faults.lock().unwrap().late);
        late.into_iter()
            .for_each(|(key, expected, value)| drop(self.inner.swap(&key, expected, &value)));
    }
}

impl Store for Faulty {
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError> {
        self.lost()?;
        self.inner.read(key)
    }

    fn list(
        &self,
        prefix: &str,
        from: &str,
        max: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.lost()?;
        self.inner.list(prefix, from, max)
    }

    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError> {
        self.lost()?;
        let late = {
            let mut faults = self.faults.lock().unwrap();
            let late = faults.on && faults.random.one_in(12);
            if late {
                faults.late.push((key.into(), expected, value.into()));
            }
            late
        };
        if late {
            return Err(StoreError::NoAnswer("late".into()));
        }
        let swapped = self.inner.swap(key, expected, value);
        self.lost()?;
        swapped
    }

    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError> {
        self.inner.trim(prefix, end)
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.lost()?;
        self.inner.put(key, value)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn watch(&self, prefix: &str, seen: u64, patience: Duration) -> Result<u64, StoreError> {
        self.inner.watch(prefix, seen, patience)
    }
}

/// Holders, nodes and keepers that use one store.
struct World {
    random: Random,
    now_ms: u64,
    store: Arc<Faulty>,
    processes: Vec<Option<Process>>,
    opened: u64,
    /// Until when each process is paused, with the state that it has.
    paused_until_ms: [u64; KEEPERS],
    /// How far ahead each process's clock is. The test may set a clock, which then continues from
    /// the new time.
    ahead_ms: [u64; KEEPERS],
    /// Nodes whose heartbeats are lost.
    silent: BTreeSet<u64>,
    /// Holders whose heartbeats have stopped.
    vanished: BTreeSet<String>,
    /// Leases by name, and whether the pool confirmed the request.
    asked: BTreeMap<String, bool>,
    /// Leases that the pool has reported as ended.
    finished: BTreeSet<String>,
}

struct Process {
    keeper: Keeper,
    attendance: Attendance,
}

impl World {
    fn new(seed: u64) -> World {
        let faults =
            Mutex::new(Faults { random: Random(seed * 7919 + 13), on: true, late: Vec::new() });
        let store = Arc::new(Faulty { inner: Memory::default(), faults });
        let processes = (0..KEEPERS).map(|_| None).collect();
        let (silent, vanished, asked, finished) = Default::default();
        let (paused_until_ms, ahead_ms) = Default::default();
        let random = Random(seed * 104_729 + 1);
        World {
            random,
            now_ms: 1,
            store,
            processes,
            opened: 0,
            paused_until_ms,
            ahead_ms,
            silent,
            vanished,
            asked,
            finished,
        }
    }

    /// Returns the time by a process's clock.
    fn clock_ms(&self, number: usize) -> u64 {
        self.now_ms + self.ahead_ms[number]
    }

    fn calm(&mut self) {
        self.paused_until_ms = Default::default();
        self.store.faults.lock().unwrap().on = false;
        self.store.deliver();
    }

    /// Returns a process, which is restarted first if it was killed and the store permits.
    fn process(&mut self, number: usize) -> Option<&mut Process> {
        if self.paused_until_ms[number] > self.now_ms {
            return None;
        }
        let now_ms = self.clock_ms(number);
        if self.processes[number].is_none() {
            self.opened += 1;
            let (process, mut count) = (self.opened, 0);
            let nonces = Box::new(move || {
                count += 1;
                format!("{process}-{count}")
            });
            let attendance = Attendance::new(process.to_string(), now_ms);
            let opened = Keeper::open(self.store.clone(), Rules::default(), nonces).ok();
            self.processes[number] = opened.map(|keeper| Process { keeper, attendance });
        }
        self.processes[number].as_mut()
    }

    fn step(&mut self, number: usize, commands: &[ActorCommand]) -> Vec<Result<(), Error>> {
        let now_ms = self.clock_ms(number);
        match self.process(number) {
            Some(process) => process.keeper.step(now_ms, commands, |_, _| {}),
            None => commands.iter().map(|_| Err(Error::Asked("no pool".into()))).collect(),
        }
    }

    /// Delivers a heartbeat to some process and returns the process's number.
    fn receive(&mut self, name: String) -> usize {
        let number = self.random.next(KEEPERS as u64) as usize;
        let now_ms = self.clock_ms(number);
        let age_ms = self.random.next(200);
        if let Some(process) = self.process(number) {
            process.attendance.step(now_ms, Message::Received { name, age_ms });
        }
        number
    }

    /// Lets every process read the others' reports, most of the time, and act on silence.
    fn listen(&mut self, misses: bool) {
        for number in 0..KEEPERS {
            if misses && self.random.one_in(6) {
                continue;
            }
            let now_ms = self.clock_ms(number);
            let Some(report) =
                self.process(number).map(|process| process.attendance.report(now_ms))
            else {
                continue;
            };
            for other in 0..KEEPERS {
                let now_ms = self.clock_ms(other);
                if !(misses && self.random.one_in(6))
                    && let Some(process) = self.process(other)
                {
                    process.attendance.step(now_ms, Message::Reported(report.clone()));
                }
            }
        }
        for number in 0..KEEPERS {
            if misses && self.random.one_in(6) {
                continue;
            }
            let now_ms = self.clock_ms(number);
            let Some(process) = self.process(number) else { continue };
            if process.keeper.catch_up(|_, _| {}).is_err() {
                continue;
            }
            process.attendance.step(now_ms, Message::Listened);
            let state = process.keeper.state();
            let commands = process.attendance.judge(now_ms, &state.read());
            let _ = self.step(number, &commands);
        }
    }

    /// Sends a node's heartbeat; the node joins or comes up again if it has to.
    fn beat(&mut self, node: u64) {
        let name = format!("n{node}");
        let number = self.receive(node_name(&name));
        let Some(process) = self.process(number) else { return };
        let state = process.keeper.state();
        let known = state.read().nodes.get(&name).map(|known| (known.joined, known.down.is_some()));
        let command = match known {
            None => Command::Join(facts(node)),
            Some((joined, true)) => Command::Up { node: name, joined },
            Some(_) => return,
        };
        if self.step(number, &[(Actor::pool(), command)]) != [Ok(())] {
            let _ = self.step(number, &[(Actor::pool(), Command::Join(facts(node)))]);
        }
    }

    fn turn(&mut self) {
        self.now_ms += self.random.next(TURN_MS);
        if self.random.one_in(3) {
            self.store.deliver();
        }
        let number = self.random.next(KEEPERS as u64) as usize;
        if self.random.one_in(20) {
            self.processes[number] = None;
        }
        if self.random.one_in(30) {
            self.paused_until_ms[number] = self.now_ms + self.random.next(20 * TURN_MS);
        }
        if self.random.one_in(30) {
            // A process starts with its own clock, so setting the clock means restarting the
            // process.
            self.processes[number] = None;
            self.ahead_ms[number] = self.random.next(CLOCKS_APART_MS);
        }
        for node in 0..NODES {
            // A node falls silent and returns later.
            let changes = self.random.one_in(12);
            if changes && !self.silent.remove(&node) {
                self.silent.insert(node);
            }
            if !self.silent.contains(&node) {
                self.beat(node);
            }
        }
        for id in self.asked.keys().cloned().collect::<Vec<_>>() {
            if self.random.one_in(40) {
                self.vanished.insert(id.clone());
            }
            if !self.vanished.contains(&id) {
                self.receive(lease_name(&id));
            }
        }
        self.listen(true);
        let commands: Vec<ActorCommand> =
            (0..self.random.next(3)).map(|_| (Actor::pool(), self.command())).collect();
        let answers = self.step(number, &commands);
        for ((_, command), answer) in commands.into_iter().zip(answers) {
            match (command, answer) {
                (Command::Request { id, .. }, answer) => {
                    *self.asked.entry(id).or_default() |= answer.is_ok()
                }
                (Command::Finish { id, .. }, Ok(()) | Err(Error::Ended(_))) => {
                    let _ = self.finished.insert(id);
                }
                _ => {}
            }
        }
    }

    /// Returns a holder's complaint about a node of its lease, as some process knows the lease.
    fn complaint(&mut self) -> Option<Command> {
        let number = self.random.next(KEEPERS as u64) as usize;
        let state = self.process(number)?.keeper.state();
        let state = state.read();
        let held: Vec<(&String, &Lease)> =
            state.leases.iter().filter(|(_, lease)| lease.fence().is_some()).collect();
        let (id, lease) = *held.get(self.random.next(held.len().max(1) as u64) as usize)?;
        let address = format!("{}:7654", lease.parts()[0].node);
        Some(Command::Unreachable { id: id.clone(), fence: lease.fence()?, address })
    }

    fn command(&mut self) -> Command {
        if self.random.one_in(12)
            && let Some(complaint) = self.complaint()
        {
            return complaint;
        }
        if self.random.one_in(25) {
            let node = format!("n{}", self.random.next(NODES));
            return if self.random.one_in(2) {
                Command::Leave { node }
            } else {
                Command::Forget { node }
            };
        }
        if self.random.one_in(25) {
            let quota = Some(Quota { gpus: Some(BOB_GPUS_MAX), ..Quota::default() });
            return Command::SetQuota { subject: "user:bob".into(), quota };
        }
        let known: Vec<String> = self.asked.keys().cloned().collect();
        if !known.is_empty() && self.random.one_in(3) {
            let id = known[self.random.next(known.len() as u64) as usize].clone();
            return Command::Finish { id, end: End::Released };
        }
        // A holder that got no answer repeats its request under the lease's name.
        let id = if !known.is_empty() && self.random.one_in(5) {
            known[self.random.next(known.len() as u64) as usize].clone()
        } else {
            format!("l{}", known.len())
        };
        Command::Request {
            key_hash: format!("hash of {id}"),
            holder: holder_of(&id),
            ask: ask(&id),
            id,
            limits: None,
        }
    }

    fn log(&self) -> Vec<(u64, Entry)> {
        Journal::new(self.store.clone()).entries(0, usize::MAX >> 1).unwrap()
    }
}

fn holder() -> Holder {
    Holder { user: "alice".into(), group: None }
}

/// Returns one of two users, alternately.
fn holder_of(id: &str) -> Holder {
    let number: u32 = id[1..].parse().unwrap();
    Holder { user: if number.is_multiple_of(2) { "alice" } else { "bob" }.into(), group: None }
}

/// Returns a request that depends on the name, with a period of eight names.
fn ask(id: &str) -> Ask {
    let number: u32 = id[1..].parse::<u32>().unwrap() % 8;
    let memory = (!number.is_multiple_of(3)).then_some(Amount::Percent(10 + number * 37 % 90));
    let share_percent = (number % 4 == 1).then_some(5 + number * 53 % 95);
    let kill_after_s = (number % 7 == 2).then_some(1);
    Ask {
        gpus: 1 + u32::from(number.is_multiple_of(5)),
        memory,
        share_percent,
        ttl_s: 6,
        kill_after_s,
        ..Ask::default()
    }
}

fn facts(node: u64) -> NodeFacts {
    let gpu = |gpu| Gpu { uuid: format!("g{gpu}"), model: "test".into(), memory_bytes: GPU_BYTES };
    let gpus = (0..2).map(gpu).collect();
    NodeFacts {
        name: format!("n{node}"),
        address: format!("n{node}:7654"),
        gpus,
        link_gbps: 10,
        link_hops: 0,
        frame_curves: Vec::new(),
    }
}

/// Checks that the index by node agrees with the leases. Returns the number of parts.
fn on_nodes(state: &State) -> usize {
    let mut parts = 0;
    for node in (0..NODES).map(|node| format!("n{node}")) {
        let is_there = |lease: &Lease| lease.parts().iter().any(|part| part.node == node);
        let there: Vec<&str> = state
            .leases
            .iter()
            .filter(|(_, lease)| is_there(lease))
            .map(|(id, _)| id.as_str())
            .collect();
        assert_eq!(state.on_node(&node).map(|(id, _)| id).collect::<Vec<_>>(), there);
        parts += there.len();
    }
    parts
}

#[test]
fn nothing_is_granted_twice_lost_or_left_leased_whatever_the_store_does() {
    let seeds = std::env::var("OUTHAUL_SEEDS").map_or(SEEDS, |seeds| seeds.parse().unwrap());
    let (mut granted, mut overtaken, mut returned, mut lapsed) = (0, 0, 0, 0);
    for seed in 1..=seeds {
        let mut world = World::new(seed);
        (0..STEPS).for_each(|_| world.turn());
        world.calm();
        let log = world.log();
        judge(&format!("seed {seed}"), &log);
        // The state has every confirmed lease, and no lease that the pool reported as ended.
        let mut state = State::default();
        log.iter().for_each(|(index, entry)| state.apply(*index, entry));
        on_nodes(&state);
        let events: Vec<&Event> =
            log.iter().flat_map(|(_, entry)| entry.events.iter().map(|(_, event)| event)).collect();
        for (id, _) in world.asked.iter().filter(|(_, acknowledged)| **acknowledged) {
            assert!(
                events
                    .iter()
                    .any(|event| matches!(event, Event::Asked { id: asked, .. } if asked == id)),
                "seed {seed}: {id} is lost"
            );
        }
        for id in &world.finished {
            assert!(!state.leases.contains_key(id), "seed {seed}: the log has the end of {id}");
        }
        // All heartbeats stop, and in the end the pool forgets the nodes.
        for _ in 0..30 {
            world.now_ms += TURN_MS;
            world.listen(false);
        }
        let forget = |node| (Actor::pool(), Command::Forget { node: format!("n{node}") });
        let _ = world.step(0, &(0..NODES).map(forget).collect::<Vec<_>>());
        for number in 0..KEEPERS {
            world.process(number).unwrap().keeper.catch_up(|_, _| {}).unwrap();
        }
        let log = world.log();
        judge(&format!("seed {seed}"), &log);
        log[state.head as usize..].iter().for_each(|(index, entry)| state.apply(*index, entry));
        assert!(
            state.leases.is_empty() && state.nodes.is_empty(),
            "seed {seed}: left behind: {:?} {:?}",
            state.leases,
            state.nodes
        );
        assert!(
            state
                .usage
                .values()
                .all(|usage| usage.leases == 0 && usage.memory_bytes == 0 && usage.gpus == 0.0),
            "{:?}",
            state.usage
        );
        for keeper in world.processes.iter().flatten().map(|process| &process.keeper) {
            assert_eq!(
                serde_json::to_string(&*keeper.state().read()).unwrap(),
                serde_json::to_string(&state).unwrap(),
                "seed {seed}"
            );
        }
        granted += events.iter().filter(|event| matches!(event, Event::Granted { .. })).count();
        overtaken += world.opened;
        returned += events.iter().filter(|event| matches!(event, Event::Returned { .. })).count();
        lapsed += events
            .iter()
            .filter(|event| matches!(event, Event::Ended { end, .. } if end.is_by_silence()))
            .count();
    }
    // The test proves nothing if too little happened.
    let enough = seeds as usize * 2;
    assert!(
        granted > enough * 5
            && overtaken > seeds * KEEPERS as u64
            && returned > enough / 2
            && lapsed > enough,
        "{granted} grants, {overtaken} processes, {returned} came back, {lapsed} lapsed"
    );
}

#[test]
fn a_pool_that_is_killed_goes_on_from_its_file() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("pool-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("pool.sqlite");
    let open =
        || Keeper::open(Arc::new(Sqlite::open(&path).unwrap()), Rules::default(), counting());
    let mut keeper = open().unwrap();
    let request = |id: &str| Command::Request {
        id: id.into(),
        key_hash: "hash".into(),
        holder: holder(),
        ask: Ask::default(),
        limits: None,
    };
    let commands = [Command::Join(facts(0)), request("a"), request("b"), request("c")]
        .map(|command| (Actor::pool(), command));
    assert_eq!(keeper.step(5, &commands, |_, _| {}), vec![Ok(()); 4]);
    let before = serde_json::to_string(&*keeper.state().read()).unwrap();
    let second = Sqlite::open(&path).err().map(|error| error.to_string()).unwrap();
    assert!(second.contains("belongs to another pool"), "{second}");
    drop(keeper);

    let mut keeper = open().unwrap();
    assert_eq!(serde_json::to_string(&*keeper.state().read()).unwrap(), before);
    let released = [(Actor::pool(), Command::Finish { id: "a".into(), end: End::Released })];
    assert_eq!(keeper.step(3, &released, |_, _| {}), [Ok(())]);
    let state = keeper.state();
    let state = state.read();
    assert!(state.leases["c"].fence().unwrap() > state.leases["b"].fence().unwrap());
    assert_eq!(state.at_ms, 5, "a clock that was set back does not take time back");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_long_log_is_read_from_its_snapshot() {
    let store = Arc::new(Memory::default());
    let open = || Keeper::open(store.clone(), Rules::default(), counting()).unwrap();
    let mut keeper = open();
    let run = |keeper: &mut Keeper, command| {
        assert_eq!(keeper.step(1, &[(Actor::pool(), command)], |_, _| {}), [Ok(())])
    };
    run(&mut keeper, Command::Join(facts(0)));
    for number in 0..2100 {
        // Some leases are held, one waits, and most have ended.
        let id = format!("l{number}");
        run(
            &mut keeper,
            Command::Request {
                key_hash: "hash".into(),
                holder: holder(),
                ask: ask(&id),
                id: id.clone(),
                limits: None,
            },
        );
        if number > 4 {
            run(&mut keeper, Command::Finish { id, end: End::Released });
        }
    }
    assert!(store.read("snapshot").unwrap().is_some(), "the log is long enough");
    let text = |keeper: &Keeper| serde_json::to_string(&*keeper.state().read()).unwrap();
    let mut second = open();
    assert_eq!(text(&second), text(&keeper));
    // The state also has what snapshots omit: the free GPUs, each node's leases, and the queue.
    assert!(on_nodes(&second.state().read()) > 0);
    let id = "l9000".to_owned();
    let request = Command::Request {
        key_hash: "hash".into(),
        holder: holder(),
        ask: Ask::default(),
        id,
        limits: None,
    };
    run(&mut second, request);
    keeper.catch_up(|_, _| {}).unwrap();
    assert_eq!(text(&second), text(&keeper));
    let queues = [&keeper, &second].map(|keeper| {
        keeper.state().read().queue().map(|(id, _)| id.to_owned()).collect::<Vec<_>>()
    });
    assert!(!queues[0].is_empty() && queues[0] == queues[1], "{queues:?}");
    judge("a long log", &Journal::new(store).entries(0, usize::MAX >> 1).unwrap());
}

fn counting() -> Box<dyn FnMut() -> String + Send> {
    let mut count = 0;
    Box::new(move || {
        count += 1;
        count.to_string()
    })
}

/// Judges a log with one node with one GPU, two requests for the GPU, and the events `next`.
fn judged(next: &[Event]) {
    let asked = |id: &str| Event::Asked {
        id: id.into(),
        holder: holder(),
        ask: Ask::default(),
        key_hash: String::new(),
        limits: None,
    };
    let mut facts = facts(0);
    facts.gpus.truncate(1);
    let before = [Event::Joined { facts }, asked("a"), asked("b")];
    let entry = |event: &Event| Entry {
        at_ms: 1,
        nonce: String::new(),
        events: vec![(Actor::pool(), event.clone())],
    };
    let log: Vec<(u64, Entry)> = (1..).zip(before.iter().chain(next).map(entry)).collect();
    judge("a log", &log);
}

fn grant(id: &str) -> Event {
    let part = Part {
        node: "n0".into(),
        gpu: "g0".into(),
        memory_bytes: GPU_BYTES,
        time_ns: 1_000_000_000,
        fraction: 1.0,
    };
    Event::Granted { id: id.into(), parts: vec![part] }
}

/// Each of these logs contains a fault that a pool could have, and the judge must find it.
#[test]
fn the_judge_finds_each_fault_of_a_log() {
    let released = |id: &str| Event::Ended { id: id.into(), end: End::Released };
    judged(&[grant("a"), released("a"), grant("b"), released("b")]);
    let down = Event::Down { node: "n0".into(), why: outhaul_pool::model::node::Absence::Silent };
    let quota = Quota { gpus: Some(0.5), ..Quota::default() };
    let quota = Event::QuotaSet { subject: "user:alice".into(), quota: Some(quota) };
    let lapsed = Event::Ended { id: "a".into(), end: End::Expired };
    let wrong: [(&str, &[Event]); 7] = [
        ("granted twice", &[grant("a"), grant("b")]),
        ("goes before its equal", &[grant("b")]),
        ("is not to be had", &[down.clone(), grant("a")]),
        ("more than the quota", &[quota, grant("a")]),
        ("judged by silence", &[grant("a"), down, lapsed]),
        ("ends twice", &[released("a"), released("a")]),
        ("was not asked for", &[grant("c")]),
    ];
    for (part, log) in wrong {
        let panic = std::panic::catch_unwind(|| judged(log)).expect_err(part);
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(text.contains(part), "{part}: {text}");
    }
}

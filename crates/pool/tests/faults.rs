//! Several keepers over one store that answers late, fails, and loses them in the middle, from seeds. The log is judged by itself, entry by entry:
//! no part of a GPU is granted twice, nothing that was promised is lost, and nothing stays leased.

use outhaul_pool::Error;
use outhaul_pool::entry::{Actor, Entry, Event};
use outhaul_pool::journal::Journal;
use outhaul_pool::keeper::{Keeper, Wish, lease_name, node_name};
use outhaul_pool::lease::{Amount, Ask, End, Holder, Lease, Part};
use outhaul_pool::node::{Gpu, NodeFacts};
use outhaul_pool::rules::{Command, Rules};
use outhaul_pool::state::State;
use outhaul_pool::store::{Memory, Sqlite, Store, StoreError, Versioned};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SEEDS: u64 = 200;
const STEPS: u64 = 150;
const KEEPERS: usize = 3;
const NODES: u64 = 3;
const GPU_BYTES: u64 = 1000;
const SECOND_NS: u64 = 1_000_000_000;

/// Numbers from a seed.
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

/// A store that fails before it does what it is asked to, or after, or does it when nobody waits any more.
struct Faulty {
    inner: Memory,
    faults: Mutex<Faults>,
}

struct Faults {
    random: Random,
    on: bool,
    /// Swaps that were answered with an error and happen later.
    late: Vec<(String, u64, Vec<u8>)>,
}

impl Faulty {
    fn lost(&self) -> Result<(), StoreError> {
        let mut faults = self.faults.lock().unwrap();
        if faults.on && faults.random.one_in(15) { Err(StoreError("lost".into())) } else { Ok(()) }
    }

    /// What was late arrives.
    fn deliver(&self) {
        let late = std::mem::take(&mut self.faults.lock().unwrap().late);
        late.into_iter().for_each(|(key, expected, value)| drop(self.inner.swap(&key, expected, &value)));
    }
}

impl Store for Faulty {
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError> {
        self.lost()?;
        self.inner.read(key)
    }

    fn list(&self, prefix: &str, from: &str, max: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
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
            return Err(StoreError("late".into()));
        }
        let swapped = self.inner.swap(key, expected, value);
        self.lost()?;
        swapped
    }

    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError> {
        self.inner.trim(prefix, end)
    }

    fn hold(&self, name: &str, ttl: Duration) -> Result<(), StoreError> {
        self.lost()?;
        self.inner.hold(name, ttl)?;
        self.lost()
    }

    fn renew(&self, name: &str) -> Result<bool, StoreError> {
        self.lost()?;
        self.inner.renew(name)
    }

    fn let_go(&self, name: &str) -> Result<(), StoreError> {
        self.lost()?;
        self.inner.let_go(name)
    }

    fn held(&self) -> Result<BTreeSet<String>, StoreError> {
        self.lost()?;
        self.inner.held()
    }

    fn watch(&self, seen: u64, patience: Duration) -> Result<u64, StoreError> {
        self.inner.watch(seen, patience)
    }
}

/// Holders, nodes and keepers over one store.
struct World {
    random: Random,
    clock_ms: Arc<AtomicU64>,
    store: Arc<Faulty>,
    keepers: Vec<Option<Keeper>>,
    opened: u64,
    /// Leases by name, and whether the pool has said that they are taken in.
    asked: BTreeMap<String, bool>,
    /// Those that the pool has said to have ended.
    finished: BTreeSet<String>,
}

impl World {
    fn new(seed: u64) -> World {
        let clock_ms = Arc::new(AtomicU64::new(1));
        let clock = clock_ms.clone();
        let inner = Memory::new(Box::new(move || Duration::from_millis(clock.load(Ordering::Relaxed))));
        let faults = Mutex::new(Faults { random: Random(seed * 7919 + 13), on: true, late: Vec::new() });
        let store = Arc::new(Faulty { inner, faults });
        let keepers = (0..KEEPERS).map(|_| None).collect();
        let (asked, finished) = Default::default();
        World { random: Random(seed * 104_729 + 1), clock_ms, store, keepers, opened: 0, asked, finished }
    }

    fn calm(&mut self) {
        self.store.faults.lock().unwrap().on = false;
        self.store.deliver();
    }

    /// A keeper; one that was killed is started anew, if the store lets it.
    fn keeper(&mut self, number: usize) -> Option<&mut Keeper> {
        if self.keepers[number].is_none() {
            self.opened += 1;
            let (process, mut count) = (self.opened, 0);
            let nonces = Box::new(move || {
                count += 1;
                format!("{process}-{count}")
            });
            self.keepers[number] = Keeper::open(self.store.clone(), Rules::default(), nonces).ok();
        }
        self.keepers[number].as_mut()
    }

    fn step(&mut self, number: usize, mut wishes: Vec<Wish>) -> Vec<Result<(), Error>> {
        let now_ms = self.clock_ms.load(Ordering::Relaxed);
        let Some(keeper) = self.keeper(number) else { return wishes.iter().map(|_| Err(Error::Asked("no pool".into()))).collect() };
        let own = wishes.len();
        // What has lapsed is known only to who knows the log.
        wishes.extend(keeper.catch_up(|_, _| {}).and_then(|()| keeper.lapsed()).unwrap_or_default());
        let mut answers = keeper.step(now_ms, &wishes, |_, _| {});
        answers.truncate(own);
        answers
    }

    fn turn(&mut self) {
        self.clock_ms.fetch_add(self.random.next(1500), Ordering::Relaxed);
        if self.random.one_in(3) {
            self.store.deliver();
        }
        let number = self.random.next(KEEPERS as u64) as usize;
        if self.random.one_in(20) {
            self.keepers[number] = None;
        }
        for node in 0..NODES {
            // A node that is silent for long is lost, and comes back.
            if !self.random.one_in(4) && !matches!(self.store.renew(&node_name(&format!("n{node}"))), Ok(true)) {
                let _ = self.step(number, vec![(Actor::pool(), Command::Join(facts(node)))]);
            }
        }
        for id in self.asked.keys().cloned().collect::<Vec<_>>() {
            if !self.random.one_in(3) {
                let _ = self.store.renew(&lease_name(&id));
            }
        }
        let wishes: Vec<Wish> = (0..self.random.next(3)).map(|_| (Actor::pool(), self.command())).collect();
        let answers = self.step(number, wishes.clone());
        for ((_, command), answer) in wishes.into_iter().zip(answers) {
            match (command, answer) {
                (Command::Request { id, .. }, answer) => *self.asked.entry(id).or_default() |= answer.is_ok(),
                (Command::Finish { id, .. }, Ok(()) | Err(Error::Ended(_))) => drop(self.finished.insert(id)),
                _ => {}
            }
        }
    }

    fn command(&mut self) -> Command {
        let known: Vec<String> = self.asked.keys().cloned().collect();
        if !known.is_empty() && self.random.one_in(3) {
            let id = known[self.random.next(known.len() as u64) as usize].clone();
            return Command::Finish { id, end: End::Released };
        }
        // Somebody who had no answer asks again under the same name.
        let id = if !known.is_empty() && self.random.one_in(5) {
            known[self.random.next(known.len() as u64) as usize].clone()
        } else {
            format!("l{}", known.len())
        };
        Command::Request { key_hash: format!("hash of {id}"), holder: holder(), ask: ask(&id), id, limits: None }
    }

    fn log(&self) -> Vec<(u64, Entry)> {
        Journal::new(self.store.clone()).entries(0, usize::MAX >> 1).unwrap()
    }
}

fn holder() -> Holder {
    Holder { user: "alice".into(), group: None }
}

/// Of each name another.
fn ask(id: &str) -> Ask {
    let number: u32 = id[1..].parse().unwrap();
    let memory = (!number.is_multiple_of(3)).then_some(Amount::Percent(10 + number * 37 % 90));
    let share_percent = (number % 4 == 1).then_some(5 + number * 53 % 95);
    let kill_after_s = (number % 7 == 2).then_some(1);
    Ask { gpus: 1 + u32::from(number.is_multiple_of(5)), memory, share_percent, ttl_s: 6, kill_after_s, ..Ask::default() }
}

fn facts(node: u64) -> NodeFacts {
    let gpu = |gpu| Gpu { uuid: format!("g{gpu}"), model: "test".into(), memory_bytes: GPU_BYTES };
    let gpus = (0..2).map(gpu).collect();
    NodeFacts { name: format!("n{node}"), address: format!("n{node}:7654"), gpus, link_gbps: 10, link_hops: 0 }
}

/// Follows the log with its own bookkeeping, and fails at the first entry that breaks a promise.
fn judge(seed: u64, log: &[(u64, Entry)]) {
    let mut held: BTreeMap<String, (u64, Vec<Part>)> = BTreeMap::new();
    let (mut asked, mut granted, mut ended) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut nodes, mut fences): (BTreeSet<String>, BTreeMap<(String, String), u64>) = Default::default();
    let mut at_ms = 0;
    for (place, (index, entry)) in log.iter().enumerate() {
        assert_eq!(*index, place as u64 + 1, "seed {seed}: the log has a gap");
        assert!(entry.at_ms >= at_ms, "seed {seed}, entry {index}: time runs backwards");
        at_ms = entry.at_ms;
        for (_, event) in &entry.events {
            match event {
                Event::Asked { id, .. } => assert!(asked.insert(id.clone()), "seed {seed}, entry {index}: {id} is asked for twice"),
                Event::Granted { id, parts } => {
                    assert!(asked.contains(id) && !ended.contains(id), "seed {seed}, entry {index}: {id} is not waiting");
                    assert!(granted.insert(id.clone()), "seed {seed}, entry {index}: {id} is granted twice");
                    for part in parts {
                        assert!(nodes.contains(&part.node), "seed {seed}, entry {index}: {} is no node", part.node);
                        let last = fences.insert((part.node.clone(), part.gpu.clone()), *index);
                        assert!(last <= Some(*index), "seed {seed}, entry {index}: an older fence");
                    }
                    held.insert(id.clone(), (*index, parts.clone()));
                    within(&held, &format!("seed {seed}, entry {index}"));
                }
                Event::Ended { id, .. } => {
                    assert!(asked.contains(id) && ended.insert(id.clone()), "seed {seed}, entry {index}: {id} ends and is not there");
                    held.remove(id);
                }
                Event::Joined { facts } => {
                    nodes.insert(facts.name.clone());
                }
                Event::Left { node } => {
                    nodes.remove(node);
                    let left = held.values().flat_map(|(_, parts)| parts).find(|part| part.node == *node);
                    assert_eq!(left, None, "seed {seed}, entry {index}: a lost node leaves a lease behind");
                }
                _ => {}
            }
        }
    }
}

/// That what is known of nodes is what leases say. Gives how many parts there are.
fn on_nodes(state: &State) -> usize {
    let mut parts = 0;
    for node in (0..NODES).map(|node| format!("n{node}")) {
        let is_there = |lease: &Lease| lease.parts().iter().any(|part| part.node == node);
        let there: Vec<&str> = state.leases.iter().filter(|(_, lease)| is_there(lease)).map(|(id, _)| id.as_str()).collect();
        assert_eq!(state.on_node(&node).map(|(id, _)| id).collect::<Vec<_>>(), there);
        parts += there.len();
    }
    parts
}

fn within(held: &BTreeMap<String, (u64, Vec<Part>)>, what: &str) {
    let mut sums: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for part in held.values().flat_map(|(_, parts)| parts) {
        let sum = sums.entry((&part.node, &part.gpu)).or_default();
        *sum = (sum.0 + part.memory_bytes, sum.1 + part.time_ns);
        assert!(sum.0 <= GPU_BYTES && sum.1 <= SECOND_NS, "{what}: {} of {} is granted twice", part.gpu, part.node);
    }
}

#[test]
fn nothing_is_granted_twice_lost_or_left_leased_whatever_the_store_does() {
    let (mut granted, mut overtaken) = (0, 0);
    for seed in 1..=SEEDS {
        let mut world = World::new(seed);
        (0..STEPS).for_each(|_| world.turn());
        world.calm();
        let log = world.log();
        judge(seed, &log);
        // What was acknowledged is there; who was told the end does not go on.
        let mut state = State::default();
        log.iter().for_each(|(index, entry)| state.apply(*index, entry));
        on_nodes(&state);
        let events: Vec<&Event> = log.iter().flat_map(|(_, entry)| entry.events.iter().map(|(_, event)| event)).collect();
        for (id, _) in world.asked.iter().filter(|(_, acknowledged)| **acknowledged) {
            assert!(events.iter().any(|event| matches!(event, Event::Asked { id: asked, .. } if asked == id)), "seed {seed}: {id} is lost");
        }
        for id in &world.finished {
            assert!(!state.leases.contains_key(id), "seed {seed}: {id} was said to have ended");
        }
        // Nobody renews anything any more.
        world.clock_ms.fetch_add(60_000, Ordering::Relaxed);
        (0..KEEPERS).for_each(|number| drop(world.step(number, Vec::new())));
        let log = world.log();
        judge(seed, &log);
        log[state.head as usize..].iter().for_each(|(index, entry)| state.apply(*index, entry));
        assert!(state.leases.is_empty() && state.nodes.is_empty(), "seed {seed}: left behind: {:?} {:?}", state.leases, state.nodes);
        assert!(state.usage.values().all(|usage| usage.leases == 0 && usage.memory_bytes == 0 && usage.gpus == 0.0), "{:?}", state.usage);
        for keeper in world.keepers.iter().flatten() {
            assert_eq!(
                serde_json::to_string(&*keeper.state().read().unwrap()).unwrap(),
                serde_json::to_string(&state).unwrap(),
                "seed {seed}"
            );
        }
        granted += events.iter().filter(|event| matches!(event, Event::Granted { .. })).count();
        overtaken += world.opened;
    }
    // The test would be worth nothing if little happened.
    assert!(granted > SEEDS as usize * 10 && overtaken > SEEDS * KEEPERS as u64, "{granted} grants, {overtaken} keepers");
}

#[test]
fn a_pool_that_is_killed_goes_on_from_its_file() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pool-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("pool.sqlite");
    let open = || Keeper::open(Arc::new(Sqlite::open(&path).unwrap()), Rules::default(), counting());
    let mut keeper = open().unwrap();
    let request =
        |id: &str| Command::Request { id: id.into(), key_hash: "hash".into(), holder: holder(), ask: Ask::default(), limits: None };
    let wishes = [Command::Join(facts(0)), request("a"), request("b"), request("c")].map(|command| (Actor::pool(), command));
    assert_eq!(keeper.step(5, &wishes, |_, _| {}), vec![Ok(()); 4]);
    let before = serde_json::to_string(&*keeper.state().read().unwrap()).unwrap();
    let second = Sqlite::open(&path).err().map(|error| error.0).unwrap();
    assert!(second.contains("belongs to another pool"), "{second}");
    drop(keeper);

    let mut keeper = open().unwrap();
    assert_eq!(serde_json::to_string(&*keeper.state().read().unwrap()).unwrap(), before);
    assert_eq!(keeper.lapsed().unwrap(), Vec::new(), "the pool's absence costs nobody a lease");
    let released = [(Actor::pool(), Command::Finish { id: "a".into(), end: End::Released })];
    assert_eq!(keeper.step(3, &released, |_, _| {}), [Ok(())]);
    let state = keeper.state();
    let state = state.read().unwrap();
    assert!(state.leases["c"].fence().unwrap() > state.leases["b"].fence().unwrap());
    assert_eq!(state.at_ms, 5, "a clock that was set back does not take time back");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_long_log_is_read_from_its_snapshot() {
    let store = Arc::new(Memory::new(Box::new(|| Duration::ZERO)));
    let open = || Keeper::open(store.clone(), Rules::default(), counting()).unwrap();
    let mut keeper = open();
    let run = |keeper: &mut Keeper, command| assert_eq!(keeper.step(1, &[(Actor::pool(), command)], |_, _| {}), [Ok(())]);
    run(&mut keeper, Command::Join(facts(0)));
    for number in 0..2100 {
        // Some are held, one waits, and most have ended.
        let id = format!("l{number}");
        run(&mut keeper, Command::Request { key_hash: "hash".into(), holder: holder(), ask: ask(&id), id: id.clone(), limits: None });
        if number > 4 {
            run(&mut keeper, Command::Finish { id, end: End::Released });
        }
    }
    assert!(store.read("snapshot").unwrap().is_some(), "the log is long enough");
    let text = |keeper: &Keeper| serde_json::to_string(&*keeper.state().read().unwrap()).unwrap();
    let mut second = open();
    assert_eq!(text(&second), text(&keeper));
    // What a snapshot leaves out is there too: what is free, what nodes have, and the queue.
    assert!(on_nodes(&second.state().read().unwrap()) > 0);
    let id = "l9000".to_owned();
    let request = Command::Request { key_hash: "hash".into(), holder: holder(), ask: Ask::default(), id, limits: None };
    run(&mut second, request);
    keeper.catch_up(|_, _| {}).unwrap();
    assert_eq!(text(&second), text(&keeper));
    let queues = [&keeper, &second].map(|keeper| keeper.state().read().unwrap().queue().map(|(id, _)| id.to_owned()).collect::<Vec<_>>());
    assert!(!queues[0].is_empty() && queues[0] == queues[1], "{queues:?}");
    judge(0, &Journal::new(store).entries(0, usize::MAX >> 1).unwrap());
}

fn counting() -> Box<dyn FnMut() -> String + Send> {
    let mut count = 0;
    Box::new(move || {
        count += 1;
        count.to_string()
    })
}

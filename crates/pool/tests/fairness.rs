//! The order of grants. No user's requests keep others from GPUs that suit only them. A request
//! that was overtaken often reserves GPUs that suit it, and no others.

use outhaul_pool::log::keeper::{ActorCommand, Keeper};
use outhaul_pool::log::rules::{Command, Rules};
use outhaul_pool::log::store::Memory;
use outhaul_pool::model::actor::Actor;
use outhaul_pool::model::lease::{Amount, Ask, End, Holder};
use outhaul_pool::model::node::{Gpu, NodeFacts};
use outhaul_pool::model::quota::Quota;
use std::sync::Arc;

/// How often a request may be overtaken.
const PASSED_MAX: usize = 64;

struct Pool(Keeper);

impl Pool {
    /// Returns a pool with one node, `X`, of one GPU of model X, and likewise for Y.
    fn new() -> Pool {
        let mut count = 0;
        let nonces = Box::new(move || {
            count += 1;
            count.to_string()
        });
        let store = Arc::new(Memory::default());
        let mut pool = Pool(Keeper::open(store, Rules::default(), nonces).unwrap());
        for model in ["X", "Y"] {
            let gpu = Gpu { uuid: model.into(), model: model.into(), memory_bytes: 1 << 30 };
            pool.carry_out(Command::Join(NodeFacts {
                name: model.into(),
                address: format!("{model}:1"),
                gpus: vec![gpu],
                link_gbps: 0,
                link_hops: 0,
                frame_curves: Vec::new(),
            }));
        }
        pool
    }

    fn carry_out(&mut self, command: Command) {
        let commands: [ActorCommand; 1] = [(Actor::pool(), command)];
        assert_eq!(self.0.step(1, &commands, |_, _| {}), [Ok(())]);
    }

    /// Asks for a lease, and returns whether it is held then.
    fn ask(&mut self, user: &str, id: &str, ask: Ask) -> bool {
        let holder = Holder { user: user.into(), group: None };
        let (id, key_hash) = (id.to_owned(), String::new());
        self.carry_out(Command::Request { id: id.clone(), key_hash, holder, ask, limits: None });
        self.holds(&id)
    }

    fn release(&mut self, id: &str) {
        self.carry_out(Command::Finish { id: id.into(), end: End::Released });
    }

    fn holds(&self, id: &str) -> bool {
        self.0.state().read().leases[id].fence().is_some()
    }
}

fn model(model: &str) -> Ask {
    Ask { model: Some(model.into()), ..Ask::default() }
}

#[test]
fn many_requests_for_a_busy_gpu_hide_no_request_for_a_free_one() {
    let mut pool = Pool::new();
    assert!(pool.ask("alice", "x", model("X")));
    for number in 0..200 {
        // Requests of many users that want the same, and different ones of one user.
        pool.ask(&format!("user{number}"), &format!("same{number}"), model("X"));
        let seconds_max = Some(number + 1);
        let memory = Some(Amount::Bytes((1 << 30) - number));
        pool.ask("alice", &format!("own{number}"), Ask { memory, seconds_max, ..model("X") });
    }
    assert!(pool.ask("bob", "y", model("Y")), "Y is free");
    pool.release("x");
    let state = pool.0.state();
    let held = state.read().leases.values().filter(|lease| lease.fence().is_some()).count();
    assert_eq!(held, 2, "X is used again");
}

#[test]
fn a_request_for_a_busy_gpu_reserves_no_other_gpu_however_often_it_is_overtaken() {
    let mut pool = Pool::new();
    assert!(pool.ask("alice", "x", model("X")) && !pool.ask("alice", "more", model("X")));
    for number in 0..2 * PASSED_MAX {
        let id = format!("y{number}");
        assert!(pool.ask("bob", &id, model("Y")), "{number}");
        pool.release(&id);
    }
}

#[test]
fn a_large_request_reserves_the_gpus_that_suit_it_once_it_was_overtaken_often() {
    let mut pool = Pool::new();
    assert!(pool.ask("alice", "x", model("X")));
    assert!(!pool.ask("carol", "both", Ask { gpus: 2, ..Ask::default() }));
    for number in 0..=PASSED_MAX {
        let id = format!("y{number}");
        assert_eq!(pool.ask("bob", &id, model("Y")), number < PASSED_MAX, "{number}");
        pool.release(&id);
    }
    pool.release("x");
    assert!(pool.holds("both"));
}

#[test]
fn a_request_that_waits_for_its_quota_is_not_overtaken_and_reserves_nothing() {
    let mut pool = Pool::new();
    let quota = Some(Quota { leases: Some(1), ..Quota::default() });
    pool.carry_out(Command::SetQuota { subject: "user:alice".into(), quota });
    assert!(pool.ask("alice", "x", model("X")));
    assert!(!pool.ask("alice", "both", Ask { gpus: 2, ..Ask::default() }));
    for number in 0..2 * PASSED_MAX {
        let id = format!("y{number}");
        assert!(pool.ask("bob", &id, model("Y")), "{number}");
        pool.release(&id);
    }
    assert!(pool.ask("bob", "y", model("Y")));
    pool.release("x");
    assert!(pool.ask("bob", "also", model("X")), "alice's request waits only since now");
}

#[test]
fn a_request_beyond_its_quota_does_not_keep_another_users_like_it_back() {
    let mut pool = Pool::new();
    assert!(pool.ask("carol", "x", model("X")) && pool.ask("carol", "y", model("Y")));
    let share = Ask { share_percent: Some(40), ..Ask::default() };
    assert!(!pool.ask("alice", "own", share.clone()) && !pool.ask("bob", "other", share));
    // How much memory the share has is known only once a GPU is chosen.
    let quota = Some(Quota { memory_bytes: Some(1 << 28), ..Quota::default() });
    pool.carry_out(Command::SetQuota { subject: "user:alice".into(), quota });
    pool.release("y");
    assert!(pool.holds("other") && !pool.holds("own"));
}

//! A pool's grants, their holders and order, and its refusals with their messages.

use outhaul_placement::policy::Policy;
use outhaul_placement::time_time_curves::Curves;
use outhaul_placement::time_time_curves::measured::Measured;
use outhaul_pool::Error;
use outhaul_pool::log::keeper::Keeper;
use outhaul_pool::log::rules::{Command, Rules};
use outhaul_pool::log::store::Memory;
use outhaul_pool::model::actor::Actor;
use outhaul_pool::model::lease::{Amount, Ask, End, FrameRate, Holder, Lease};
use outhaul_pool::model::node::{FrameCurve, FramePoint, Gpu, NodeFacts};
use outhaul_pool::model::quota::Quota;
use std::sync::Arc;

const GIB: u64 = 1 << 30;
const HOUR_MS: u64 = 3_600_000;

struct Pool {
    keeper: Keeper,
    now_ms: u64,
}

impl Pool {
    /// Returns a pool with nodes, each given by name, number of 80 GiB GPUs, and link in Gb/s.
    fn of(nodes: &[(&str, usize, u32)]) -> Pool {
        let rules = Rules { curves: Curves::FIT, ..Rules::default() };
        Pool::by(rules, nodes.iter().map(|node| facts(*node)).collect())
    }

    /// Returns a pool with these rules and nodes.
    fn by(rules: Rules, nodes: Vec<NodeFacts>) -> Pool {
        let mut count = 0;
        let nonces = Box::new(move || {
            count += 1;
            count.to_string()
        });
        let keeper = Keeper::open(Arc::new(Memory::default()), rules, nonces).unwrap();
        let mut pool = Pool { keeper, now_ms: 0 };
        nodes.into_iter().for_each(|facts| pool.run(Command::Join(facts)).unwrap());
        pool
    }

    fn run(&mut self, command: Command) -> Result<(), Error> {
        self.keeper.step(self.now_ms, &[(Actor::pool(), command)], |_, _| {}).remove(0)
    }

    fn ask_as(&mut self, user: &str, id: &str, ask: Ask) -> Result<(), Error> {
        let holder = Holder { user: user.into(), group: Some("lab".into()) };
        self.run(Command::Request {
            id: id.into(),
            key_hash: "hash".into(),
            holder,
            ask,
            limits: None,
        })
    }

    fn ask(&mut self, id: &str, ask: Ask) -> Result<(), Error> {
        self.ask_as("alice", id, ask)
    }

    fn refused(&mut self, ask: Ask) -> String {
        self.ask("refused", ask).unwrap_err().to_string()
    }

    fn end(&mut self, id: &str) {
        self.run(Command::Finish { id: id.into(), end: End::Released }).unwrap();
    }

    fn lease(&self, id: &str) -> Lease {
        self.keeper.state().read().leases[id].clone()
    }

    /// Returns `NODE/GPU` for each part; empty while the lease waits.
    fn places(&self, id: &str) -> Vec<String> {
        self.lease(id).parts().iter().map(|part| format!("{}/{}", part.node, part.gpu)).collect()
    }

    fn end_of(&self, id: &str) -> Option<End> {
        self.keeper.state().read().end_of(id)
    }
}

fn facts((name, gpus, link_gbps): (&str, usize, u32)) -> NodeFacts {
    let gpu =
        |gpu| Gpu { uuid: format!("g{gpu}"), model: "NVIDIA H200".into(), memory_bytes: 80 * GIB };
    let gpus = (0..gpus).map(gpu).collect();
    NodeFacts {
        name: name.into(),
        address: format!("{name}:7654"),
        gpus,
        link_gbps,
        link_hops: 0,
        frame_curves: Vec::new(),
    }
}

fn whole(gpus: u32) -> Ask {
    Ask { gpus, ..Ask::default() }
}

fn share(percent: u32) -> Ask {
    Ask { share_percent: Some(percent), ..Ask::default() }
}

fn frames(per_s: u32, reference_ms: f64) -> Ask {
    Ask {
        frames: Some(FrameRate { per_s, reference_ms }),
        memory: Some(Amount::Bytes(GIB)),
        ..Ask::default()
    }
}

#[test]
fn parts_fill_a_gpu_and_no_more() {
    let mut pool = Pool::of(&[("a", 1, 10)]);
    pool.ask(
        "memory",
        Ask { memory: Some(Amount::Bytes(60 * GIB)), share_percent: Some(10), ..Ask::default() },
    )
    .unwrap();
    pool.ask(
        "time",
        Ask { memory: Some(Amount::Percent(25)), share_percent: Some(90), ..Ask::default() },
    )
    .unwrap();
    assert_eq!(
        (pool.places("memory"), pool.places("time")),
        (vec!["a/g0".to_owned()], vec!["a/g0".to_owned()])
    );
    pool.ask("more", share(1)).unwrap();
    assert_eq!(pool.places("more"), Vec::<String>::new());
    pool.end("time");
    assert_eq!(pool.places("more"), ["a/g0"]);
    let part = pool.lease("more").parts()[0].clone();
    assert_eq!(
        (part.memory_bytes, part.time_ns),
        (80 * GIB / 100, 10_000_000),
        "a share alone is as much of the memory"
    );
    assert!(pool.lease("more").fence() > pool.lease("memory").fence());
}

#[test]
fn names_of_nodes_that_differ_in_case_only_are_one_name() {
    let mut pool = Pool::of(&[("gpu7", 1, 10)]);
    let second = NodeFacts { address: "elsewhere:7654".into(), ..facts(("GPU7", 1, 10)) };
    let error = pool.run(Command::Join(second.clone())).unwrap_err().to_string();
    assert!(
        error.contains("'gpu7'") && error.contains("'GPU7'") && error.contains("only in case"),
        "{error}"
    );
    pool.run(Command::Leave { node: "gpu7".into() }).unwrap();
    pool.run(Command::Join(second)).unwrap();
}

#[test]
fn several_gpus_lie_on_one_node_if_they_can_and_come_all_at_once() {
    let mut pool = Pool::of(&[("a", 4, 10), ("b", 2, 10), ("c", 1, 10)]);
    pool.ask("two", whole(2)).unwrap();
    assert_eq!(pool.places("two"), ["b/g0", "b/g1"], "the node that it leaves least room on");
    pool.ask("five", whole(5)).unwrap();
    assert_eq!(pool.places("five").len(), 5);
    pool.ask("three", whole(3)).unwrap();
    assert_eq!(pool.places("three"), Vec::<String>::new());
    pool.end("two");
    assert_eq!(pool.places("three"), Vec::<String>::new(), "two of three are none");
    pool.end("five");
    assert_eq!(pool.places("three"), ["a/g0", "a/g1", "a/g2"]);
}

#[test]
fn priority_goes_first_and_a_request_is_passed_a_limited_number_of_times() {
    let mut pool = Pool::of(&[("a", 2, 10)]);
    pool.ask("first", whole(2)).unwrap();
    pool.ask("plain", whole(1)).unwrap();
    pool.ask("urgent", Ask { priority: 5, ..whole(1) }).unwrap();
    pool.ask("both", whole(2)).unwrap();
    assert_eq!(pool.keeper.state().read().ahead("plain"), Some(1));
    pool.end("first");
    assert!(!pool.places("urgent").is_empty() && !pool.places("plain").is_empty());
    pool.end("plain");
    // Small requests overtake `both` until the limit.
    let mut passed = 0;
    loop {
        let id = format!("small{passed}");
        pool.ask(&id, whole(1)).unwrap();
        if pool.places(&id).is_empty() {
            break;
        }
        passed += 1;
        pool.end(&id);
        assert!(passed < 1000, "`both` waits for ever");
    }
    pool.end("urgent");
    assert_eq!(pool.places("both").len(), 2);
}

#[test]
fn quotas_delay_requests_and_refuse_impossible_ones() {
    let mut pool = Pool::of(&[("a", 4, 10)]);
    let set =
        |subject: &str, quota| Command::SetQuota { subject: subject.into(), quota: Some(quota) };
    pool.run(set("user:alice", Quota { gpus: Some(1.5), leases: Some(2), ..Quota::default() }))
        .unwrap();
    pool.ask("one", whole(1)).unwrap();
    pool.ask("another", whole(1)).unwrap();
    assert!(pool.places("another").is_empty(), "there is room, but not for alice");
    pool.ask("third", share(10)).unwrap();
    assert!(pool.places("third").len() == 1, "a smaller one fits the quota");
    pool.ask("fourth", share(10)).unwrap();
    assert!(pool.places("fourth").is_empty(), "two leases are held");
    pool.end("third");
    assert!(!pool.places("fourth").is_empty(), "one lease after the other passes");
    pool.end("fourth");
    pool.ask_as("bob", "bobs", whole(1)).unwrap();
    assert!(!pool.places("bobs").is_empty(), "a request that waits for a quota delays no other");
    pool.end("one");
    assert!(!pool.places("another").is_empty());
    assert!(pool.refused(whole(2)).contains("quota is 1.5"));
    pool.run(set("user:dave", Quota { leases: Some(0), ..Quota::default() })).unwrap();
    let never = pool.ask_as("dave", "never", share(10)).unwrap_err().to_string();
    assert!(never.contains("1 leases with this lease; the quota is 0"), "{never}");
    pool.run(set("group:lab", Quota { memory_bytes: Some(170 * GIB), ..Quota::default() }))
        .unwrap();
    pool.ask_as("carol", "carols", share(50)).unwrap();
    assert!(pool.places("carols").is_empty(), "the group has 160 GiB of 170");
    assert!(
        pool.run(set("alice", Quota::default())).unwrap_err().to_string().contains("user:NAME")
    );
}

#[test]
fn a_user_may_not_fill_the_queue() {
    let mut pool = Pool::of(&[("a", 1, 10)]);
    let holder = |user: &str| Holder { user: user.into(), group: None };
    let request = |user: &str, number: usize| Command::Request {
        id: format!("{user}{number}"),
        key_hash: "hash".into(),
        holder: holder(user),
        ask: Ask { priority: 127, ..whole(1) },
        limits: None,
    };
    let all: Vec<_> = (0..1003).map(|number| (Actor::pool(), request("greedy", number))).collect();
    let answers = pool.keeper.step(0, &all, |_, _| {});
    let refused: Vec<_> = answers.into_iter().filter_map(Result::err).collect();
    // The requests of one entry are decided before its grants.
    assert_eq!(refused.len(), 3, "{refused:?}");
    assert!(refused[0].to_string().contains("1000 requests of user:greedy wait already"));
    pool.ask("honest", whole(1)).unwrap();
    pool.run(request("greedy", 2000)).unwrap();
    pool.run(request("greedy", 2001)).unwrap_err();
    pool.end("greedy1");
    pool.run(request("greedy", 2001)).unwrap();
}

#[test]
fn gpu_hours_end_leases_and_time_limits_too() {
    let mut pool = Pool::of(&[("a", 4, 10)]);
    let quota = Quota { gpu_hours: Some(2.0), ..Quota::default() };
    pool.run(Command::SetQuota { subject: "user:*".into(), quota: Some(quota) }).unwrap();
    pool.ask("long", whole(2)).unwrap();
    pool.ask_as("bob", "limited", Ask { seconds_max: Some(1800), ..share(10) }).unwrap();
    pool.now_ms = HOUR_MS / 2;
    pool.run(Command::Tick).unwrap();
    assert_eq!((pool.end_of("long"), pool.end_of("limited")), (None, Some(End::TimeUp)));
    pool.now_ms = HOUR_MS;
    pool.run(Command::Tick).unwrap();
    assert_eq!(pool.end_of("long"), Some(End::QuotaUsedUp));
    assert!(pool.refused(whole(1)).contains("2 GPU-hours is used up"));
}

#[test]
fn a_node_that_drains_gets_nothing_new_and_one_that_is_lost_ends_its_leases() {
    let mut pool = Pool::of(&[("a", 1, 10), ("b", 1, 10)]);
    pool.ask("kept", whole(1)).unwrap();
    pool.run(Command::Drain { node: "b".into(), draining: true }).unwrap();
    pool.ask("waits", whole(1)).unwrap();
    assert_eq!((pool.places("kept").len(), pool.places("waits").len()), (1, 0));
    pool.run(Command::Drain { node: "b".into(), draining: false }).unwrap();
    assert_eq!(pool.places("waits"), ["b/g0"]);
    pool.run(Command::Leave { node: "b".into() }).unwrap();
    assert_eq!(pool.end_of("waits"), Some(End::NodeLost));
    let again = pool.ask("waits", whole(1)).unwrap_err().to_string();
    assert!(again.contains("one of its nodes was lost"), "{again}");
    // A node that starts again has lost its sessions. Another machine cannot take its name.
    pool.run(Command::Join(facts(("a", 1, 10)))).unwrap();
    assert_eq!(pool.end_of("kept"), Some(End::NodeLost));
    let impostor = NodeFacts { address: "elsewhere:7654".into(), ..facts(("a", 8, 10)) };
    assert!(
        pool.run(Command::Join(impostor)).unwrap_err().to_string().contains("choose another name")
    );
}

#[test]
fn a_frame_rate_is_promised_where_it_can_be_kept_waits_or_is_refused_with_the_nearest() {
    // With `Curves::FIT`, 6 ms become 12.3 ms of GPU time and 33.3 ms in all at 10 Gb/s. At 20
    // Gb/s they become 8.6 ms and 29.6 ms.
    let mut pool = Pool::of(&[("slow", 1, 10), ("fast", 1, 20)]);
    pool.ask("first", frames(33, 6.0)).unwrap();
    assert_eq!(
        pool.places("first"),
        ["fast/g0"],
        "a frame of 33.3 ms would be late behind 10 Gb/s"
    );
    let time_ns = pool.lease("first").parts()[0].time_ns;
    assert_eq!(time_ns / 1_000_000, 283, "33 times 8.6 ms");
    for id in ["second", "third"] {
        pool.ask(id, frames(33, 6.0)).unwrap();
        assert_eq!(pool.places(id), ["fast/g0"]);
    }
    pool.ask("fourth", frames(33, 6.0)).unwrap();
    assert!(pool.places("fourth").is_empty(), "four times 284 ms are more than a second");
    pool.ask("slower", frames(25, 6.0)).unwrap();
    assert_eq!(
        pool.places("slower"),
        ["slow/g0"],
        "requests that the slow link can serve avoid the fast one"
    );
    let refused = pool.refused(frames(60, 6.0));
    assert!(
        refused.contains("late at 60 a second")
            && refused.contains("33 a second would be accepted")
            && refused.contains("behind 20 Gb/s, by the pool's lines 1.8,1.5,1.3,0.8,21"),
        "{refused}"
    );
    assert!(
        pool.refused(Ask { share_percent: Some(5), ..frames(30, 6.0) })
            .contains("determines its share")
    );
}

/// A curve of 2 to 8 ms, behind whose link a frame takes as much longer.
fn curve(link_ms: u32) -> Vec<FrameCurve> {
    let point = |reference_us| FramePoint {
        reference_us,
        gpu_us: reference_us + 100,
        whole_us: reference_us + 100 + link_ms * 1000,
    };
    vec![FrameCurve { model: "NVIDIA H200".into(), points: vec![point(2000), point(8000)] }]
}

#[test]
fn ninety_frames_a_second_are_granted_by_default_where_the_link_has_time_for_their_pictures() {
    let nodes = [("slow", 1, 10), ("fast", 1, 25)].map(facts).to_vec();
    let mut pool = Pool::by(Rules::default(), nodes);
    for id in ["first", "second", "third"] {
        pool.ask(id, frames(90, 3.0)).unwrap();
        assert_eq!(pool.places(id), ["fast/g0"], "a picture takes 8.3 ms at 10 Gb/s");
    }
    pool.ask("fourth", frames(90, 3.0)).unwrap();
    assert!(pool.places("fourth").is_empty(), "four times 3.3 ms are more than a tick");
    let refused = pool.refused(frames(90, 8.0));
    assert!(
        refused.contains("behind 25 Gb/s, by the pool's model `calls`")
            && refused
                .contains("82 a second would be accepted, or frames of 7.02 ms at 90 a second"),
        "{refused}"
    );
}

#[test]
fn a_node_is_admitted_by_the_curve_that_it_measured() {
    let near = NodeFacts { frame_curves: curve(5), ..facts(("near", 1, 10)) };
    // The node does not know its link's rate, and needs not.
    let unknown = NodeFacts { frame_curves: curve(9), ..facts(("unknown", 1, 0)) };
    let mut pool = Pool::by(Rules::default(), vec![near, unknown, facts(("other", 1, 10))]);
    pool.ask("quick", frames(90, 3.0)).unwrap();
    assert_eq!(pool.places("quick"), ["near/g0"], "the model says 12.4 ms, and the curve 8.1 ms");
    let time_ns = pool.lease("quick").parts()[0].time_ns;
    assert_eq!(time_ns, 90 * 3_100_000, "the GPU's time is the curve's");
    pool.ask("small", frames(90, 0.5)).unwrap();
    assert_eq!(
        pool.lease("small").parts()[0].time_ns % 90,
        0,
        "a load below the smallest measured one counts as that one"
    );
    pool.ask("slower", frames(58, 8.0)).unwrap();
    assert_eq!(pool.places("slower"), ["unknown/g0"], "17.1 ms are less than 17.2 ms");
    let late = pool.refused(frames(90, 7.0));
    assert!(
        late.contains("takes 12.1 ms, by the curve that node near has measured; 82 a second")
            && late.contains("or frames of 6.01 ms at 90 a second"),
        "{late}"
    );
    let mut measured = Pool::by(
        Rules::default(),
        vec![NodeFacts { frame_curves: curve(5), ..facts(("near", 1, 10)) }],
    );
    let large = measured.refused(frames(10, 9.0));
    assert!(
        large.contains("largest that was measured are of 8.00 ms, by the curve that node near"),
        "{large}"
    );
}

#[test]
fn a_wrong_curve_is_refused_with_its_reason() {
    let point = |reference_us| FramePoint { reference_us, gpu_us: 1, whole_us: 1 };
    let of = |points| FrameCurve { model: "NVIDIA H200".into(), points };
    let other = FrameCurve { model: "NVIDIA L4".into(), points: vec![point(1)] };
    for (frame_curves, part) in [
        (vec![of(Vec::new())], "0 points"),
        (vec![of((1..66).map(point).collect())], "65 points"),
        (vec![of(vec![point(2), point(2)])], "not sorted"),
        (vec![of(vec![point(0)])], "from 1 us"),
        (vec![of(vec![FramePoint { whole_us: u32::MAX, ..point(1) }])], "from 1 us"),
        (vec![other], "a model of its GPUs"),
        (vec![of(vec![point(1)]), of(vec![point(1)])], "one measured curve"),
    ] {
        let node = NodeFacts { frame_curves, ..facts(("a", 1, 10)) };
        let error = node.check().unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let far = NodeFacts { link_hops: 65, ..facts(("a", 1, 10)) };
    assert!(far.check().unwrap_err().to_string().contains("65 switches"));
}

#[test]
fn a_table_of_measured_curves_is_read_by_model_rate_and_switches() {
    let table = "gbps,hops,reference_ms,gpu_ms,whole_ms,gpu\n\
                 10,0,1,1.1,6,NVIDIA H200\n10,0,5,5.1,10,NVIDIA H200\n\
                 10,2,1,1.1,9,\n10,2,5,5.1,13,\n";
    let rules =
        || Rules { curves: Curves::Measured(Measured::parse(table).unwrap()), ..Rules::default() };
    let far = |name| NodeFacts { link_hops: 2, ..facts((name, 1, 10)) };
    let mut pool = Pool::by(rules(), vec![far("far"), facts(("near", 1, 10))]);
    pool.ask("first", frames(90, 5.0)).unwrap();
    assert_eq!(pool.places("first"), ["near/g0"], "10 ms are in time");
    let mut gpu = facts(("l4", 1, 10));
    gpu.gpus[0].model = "NVIDIA L4".into();
    let mut others = Pool::by(rules(), vec![gpu]);
    let refused = others.refused(frames(90, 5.0));
    assert!(refused.contains("takes 13.0 ms, behind 10 Gb/s, by the pool's table"), "{refused}");
}

/// The paper's methods, on nodes behind links of 10 and 20 Gb/s, one of these behind two switches.
#[test]
fn every_method_places_leases_in_its_order_and_the_nearest_first() {
    let mut expected = vec![
        // The highest bandwidth first; the lowest; and the fullest GPU.
        (Policy::HighestBandwidth, ["fast", "fast", "slow", "slow"]),
        (Policy::LowestBandwidth, ["slow", "slow", "far", "far"]),
        (Policy::Fullest, ["slow", "slow", "far", "far"]),
    ];
    expected.push((Policy::Rule, expected[2].1));
    for (policy, places) in expected {
        let rules = Rules { policy, curves: Curves::FIT, ..Rules::default() };
        let far = NodeFacts { link_hops: 2, ..facts(("far", 1, 10)) };
        let nodes = vec![far, facts(("fast", 1, 20)), facts(("slow", 1, 10))];
        let mut pool = Pool::by(rules, nodes);
        let found = ["a", "b", "c", "d"].map(|id| {
            pool.ask(id, Ask { memory: Some(Amount::Percent(50)), ..frames(30, 4.0) }).unwrap();
            pool.places(id).remove(0)
        });
        assert_eq!(found, places.map(|node| format!("{node}/g0")), "{policy:?}");
    }
}

#[test]
fn impossible_requests_are_refused_with_a_reason() {
    let mut empty = Pool::of(&[]);
    assert!(empty.refused(whole(1)).contains("outhaul serve --pool"));
    let mut pool = Pool::of(&[("a", 2, 10)]);
    for (ask, part) in [
        (whole(3), "the pool has 2 such GPUs; 3 were requested"),
        (whole(0), "ask for 1 to 64"),
        (share(101), "101 % of a GPU's time"),
        (
            Ask { memory: Some(Amount::Bytes(81 * GIB)), ..Ask::default() },
            "no GPU of the pool has that much memory",
        ),
        (Ask { memory: Some(Amount::Percent(0)), ..Ask::default() }, "0 % of a GPU's memory"),
        (
            Ask { model: Some("A100".into()), ..Ask::default() },
            "no GPU of the pool is a 'A100'; it has NVIDIA H200",
        ),
        (Ask { ttl_s: 1, ..Ask::default() }, "from 2 to 86400"),
    ] {
        let error = pool.refused(ask);
        assert!(error.contains(part), "{error}");
    }
    let name = pool.ask_as("../etc", "x", whole(1)).unwrap_err().to_string();
    assert!(name.contains("cannot name a user"), "{name}");
    let double =
        NodeFacts { gpus: vec![facts(("x", 1, 0)).gpus[0].clone(); 2], ..facts(("x", 1, 10)) };
    assert!(pool.run(Command::Join(double)).unwrap_err().to_string().contains("the same name"));
}

#[test]
fn a_repeated_request_is_harmless_and_one_of_another_user_is_refused() {
    let mut pool = Pool::of(&[("a", 1, 10)]);
    pool.ask("x", whole(1)).unwrap();
    let head = pool.keeper.state().read().head;
    pool.ask("x", whole(1)).unwrap();
    assert_eq!(pool.keeper.state().read().head, head);
    assert!(
        pool.ask_as("mallory", "x", whole(1))
            .unwrap_err()
            .to_string()
            .contains("a lease x exists already")
    );
}

//! The arbiter's guarantees, tested on nodes that are simulated from seeds.

use super::simulator::{Client, Machine, Random, Simulation, Trace};
use super::{
    Action, Arbiter, Configuration, Engine, Event, PolicyName, Refusal, SessionId, Tenant,
    TenantId, Term,
};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;
const POLICIES: [PolicyName; 4] =
    [PolicyName::Fifo, PolicyName::Credit, PolicyName::Band, PolicyName::Weighted];

/// Returns the seeds below `count`, or only the one in OUTHAUL_SEED, which reproduces a failure:
///
///     OUTHAUL_SEED=17 cargo test --release -p outhaul-share
fn seeds(count: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("OUTHAUL_SEED").ok();
    let asked = asked.map(|text| text.parse().expect("OUTHAUL_SEED is a number"));
    asked.map_or(0..count, |seed: u64| seed..seed + 1)
}

fn shares(policy: PolicyName, percents: &[u32]) -> Configuration {
    prioritised(policy, &percents.iter().map(|percent| (*percent, 0)).collect::<Vec<_>>())
}

fn prioritised(policy: PolicyName, shares: &[(u32, u8)]) -> Configuration {
    let tenant = |(i, &(percent, priority)): (usize, &(u32, u8))| {
        (TenantId(i as u32 + 1), Tenant { share_basis_points: percent * 100, priority })
    };
    Configuration::new(policy, shares.iter().enumerate().map(tenant).collect())
        .expect("a few tenants")
}

/// Returns up to eight programs of three tenants. Some die, and some copy.
fn some_clients(seed: u64) -> Vec<Client> {
    let mut random = Random(seed);
    let count = 2 + random.below(7);
    let client = |i: u64| {
        let kernel_ns = [50_000, 500_000, 2 * MS, 10 * MS, 60 * MS][random.below(5) as usize];
        let mut client =
            Client::kernels(i as u32 % 3 + 1, 1 + random.below(30) as usize, kernel_ns);
        client.starts_ns = random.below(500) * MS;
        client.pause_ns = [0, 20_000, 3 * MS][random.below(3) as usize];
        client.dies_ns = (random.below(4) == 0).then(|| client.starts_ns + random.below(1000) * MS);
        if random.below(3) == 0 {
            client.burst.insert(0, (Engine::CopyToDevice, MS));
            client.burst.push((Engine::CopyToHost, MS));
        }
        client
    };
    (0..count).map(client).collect()
}

fn run(configuration: Configuration, clients: &[Client], seed: u64, until_ns: u64) -> Trace {
    Simulation::new(Machine::default(), Some(configuration), clients, seed).run(until_ns)
}

#[test]
fn a_turn_is_long_compared_with_the_move_of_memory_before_it() {
    let mut arbiter =
        Arbiter::new(shares(PolicyName::Weighted, &[50, 50]).joint(true).exclusive(true));
    let [one, two] = [1, 2].map(SessionId);
    let mut step = |at_ns, event| arbiter.step(at_ns, event).unwrap();
    for (session, tenant) in [(one, TenantId(1)), (two, TenantId(2))] {
        step(0, Event::Opened { session, tenant });
    }
    step(0, Event::Wants { session: one, engine: Engine::Compute, predicted_ns: MS });
    step(100 * MS, Event::Moved { session: one, moved_ns: 100 * MS });
    step(110 * MS, Event::Wants { session: two, engine: Engine::Compute, predicted_ns: MS });
    let drains = |actions: &[Action]| {
        actions.contains(&Action::Drain { session: one, engine: Engine::Compute })
    };
    assert!(!drains(&step(499 * MS, Event::Timer)), "four times as long");
    assert!(drains(&step(501 * MS, Event::Timer)));
}

#[test]
fn one_session_has_the_turn_none_starves_and_the_gpu_does_not_idle() {
    for seed in seeds(60) {
        let clients = some_clients(seed);
        for (policy, joint) in
            POLICIES.into_iter().flat_map(|policy| [(policy, false), (policy, true)])
        {
            let configuration = shares(policy, &[50, 30, 20]).exclusive(true).joint(joint);
            let trace = run(configuration, &clients, seed, 20 * SECOND);
            assert!(
                trace.holders_max <= 1,
                "{policy:?}, seed {seed}: {} sessions on the engine",
                trace.holders_max
            );
            let longest_wait_ns = *trace.wait_ns_max.iter().max().unwrap();
            assert!(
                longest_wait_ns < 10 * SECOND,
                "{policy:?}, seed {seed}: {longest_wait_ns} ns without a turn"
            );
            // A hand-over takes two messages and at most a wait for a tenant that returns. The wait
            // is longer while the longest kernels, 66 ms, run. In the joint form, copies occupy the
            // single turn.
            let idle_ns_max = match policy {
                PolicyName::Band => 550_000,
                PolicyName::Weighted => 200_000 + 66 * MS / 100,
                _ => 200_000,
            };
            let idle_ns = trace.idle_while_wanted_ns_max;
            assert!(
                joint || idle_ns <= idle_ns_max,
                "{policy:?}, seed {seed}: idle for {idle_ns} ns while wanted"
            );
        }
    }
}

#[test]
fn a_program_that_pauses_gets_its_demand_within_its_share() {
    for seed in seeds(10) {
        // Tenant 1 computes a quarter of the time, in pieces far shorter than the other tenant's
        // turns.
        let clients =
            [Client::kernels(1, 1, 500_000).pausing(1_500_000), Client::kernels(2, 50, 500_000)];
        let trace = run(shares(PolicyName::Weighted, &[50, 50]), &clients, seed, 10 * SECOND);
        let share = trace.share_percent(TenantId(1), SECOND, trace.until_ns);
        assert!(share >= 15.0, "seed {seed}: {share} %");
        // Each piece costs a context switch there and one back.
        assert!(
            trace.lost_percent(SECOND) < 15.0,
            "seed {seed}: {} % lost",
            trace.lost_percent(SECOND)
        );
    }
}

#[test]
fn a_program_that_takes_a_while_to_come_back_has_its_share_beside_long_kernels() {
    for pause_us in [50, 120, 200, 400] {
        let clients = [
            Client::kernels(1, 1, 2_400_000).pausing(pause_us * 1000),
            Client::kernels(2, 1, 112 * MS),
        ];
        let trace = run(shares(PolicyName::Weighted, &[50, 50]), &clients, 1, 10 * SECOND);
        let share = trace.share_percent(TenantId(1), SECOND, trace.until_ns);
        // The time for which the GPU stays free for a tenant is charged to that tenant.
        assert!((45.0..=51.0).contains(&share), "{pause_us} us away, {share} %");
    }
}

#[test]
fn sessions_that_wait_for_each_other_all_come_to_the_gpu() {
    let mut arbiter = Arbiter::new(shares(PolicyName::Weighted, &[30, 30, 30]));
    let engine = Engine::Compute;
    for id in 0..6 {
        arbiter
            .step(0, Event::Opened { session: SessionId(id), tenant: TenantId(id as u32 / 2 + 1) })
            .unwrap();
    }
    let (mut now_ns, mut seated) = (0, 0);
    for id in 0..6 {
        // No session's work ends, because each session waits for the next one.
        let actions = arbiter
            .step(now_ns, Event::Wants { session: SessionId(id), engine, predicted_ns: 10_000 })
            .unwrap();
        seated += actions.iter().filter(|a| matches!(a, Action::Grant { .. })).count();
    }
    while seated < 6 {
        now_ns += MS;
        assert!(now_ns < SECOND, "{seated} of 6 have come to the GPU");
        let actions = arbiter.step(now_ns, Event::Timer).unwrap();
        seated += actions.iter().filter(|a| matches!(a, Action::Grant { .. })).count();
    }
}

#[test]
fn a_turn_is_kept_again_after_a_while_without_contention() {
    let mut arbiter = Arbiter::new(shares(PolicyName::Weighted, &[50, 50]));
    let (engine, busy, other) = (Engine::Compute, SessionId(1), SessionId(2));
    for session in [busy, other] {
        arbiter.step(0, Event::Opened { session, tenant: TenantId(session.0 as u32) }).unwrap();
    }
    arbiter.step(0, Event::Wants { session: busy, engine, predicted_ns: MS }).unwrap();
    let actions =
        arbiter.step(MS, Event::Wants { session: other, engine, predicted_ns: MS }).unwrap();
    assert!(actions.contains(&Action::Contended { session: busy, engine }), "{actions:?}");
    arbiter.step(5 * MS, Event::Ended { session: other }).unwrap();
    let soon =
        arbiter.step(10 * MS, Event::Completed { session: busy, engine, measured_ns: MS }).unwrap();
    assert!(!soon.iter().any(|a| matches!(a, Action::Keep { .. })), "{soon:?}");
    assert_eq!(
        arbiter.step(100 * MS, Event::Timer).unwrap(),
        [Action::Keep { session: busy, engine }]
    );
}

#[test]
fn shares_hold_for_bursts_processes_and_kernels_longer_than_a_turn() {
    for seed in seeds(5) {
        for percent in [30, 50, 70] {
            let chopped = [
                Client::kernels(1, 1, 2_400_000),
                Client::kernels(2, 50, 2_240_000).starting(2 * SECOND),
            ];
            let trace = run(
                shares(PolicyName::Weighted, &[percent, 100 - percent]),
                &chopped,
                seed,
                20 * SECOND,
            );
            let errors = trace.errors_points(TenantId(1), f64::from(percent), 4 * SECOND, SECOND);
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            assert!(mean <= 1.0, "share {percent}, seed {seed}: off by {mean} points");
        }
        let long = [Client::kernels(1, 1, 2_400_000), Client::kernels(2, 1, 112 * MS)];
        let trace = run(shares(PolicyName::Weighted, &[50, 50]), &long, seed, 20 * SECOND);
        let share = trace.share_percent(TenantId(1), 2 * SECOND, trace.until_ns);
        assert!((share - 50.0).abs() <= 1.0, "seed {seed}: {share} % beside kernels of 112 ms");
        let processes: Vec<_> = (0..5).map(|i| Client::kernels(1 + i / 4, 10, MS)).collect();
        let trace = run(shares(PolicyName::Weighted, &[50, 50]), &processes, seed, 20 * SECOND);
        let share = trace.share_percent(TenantId(1), SECOND, trace.until_ns);
        assert!((share - 50.0).abs() <= 1.0, "seed {seed}: {share} % with four processes");
        let busy = [Client::kernels(1, 20, MS).pausing(0), Client::kernels(2, 20, MS).pausing(0)];
        let trace = run(shares(PolicyName::Weighted, &[50, 50]), &busy, seed, 20 * SECOND);
        assert!(
            trace.lost_percent(SECOND) <= 2.0,
            "seed {seed}: {} % lost",
            trace.lost_percent(SECOND)
        );
        let alone: Vec<_> = (0..4).map(|_| Client::kernels(1, 20, MS).pausing(0)).collect();
        let trace = run(shares(PolicyName::Weighted, &[50, 50]), &alone, seed, 5 * SECOND);
        assert!(
            trace.lost_percent(SECOND) <= 2.0,
            "seed {seed}: {} % lost between one tenant's programs",
            trace.lost_percent(SECOND)
        );
    }
}

#[test]
fn copies_are_shared_like_kernels_beside_them_or_together_with_them() {
    let copies = |tenant, count| Client {
        burst: vec![(Engine::CopyToDevice, MS); count],
        ..Client::kernels(tenant, 0, 0)
    };
    let clients = [copies(1, 1), copies(2, 10), Client::kernels(3, 10, MS)];
    let until_ns = 20 * SECOND;
    // Returns each tenant's part of the time, in percent.
    let done = |joint| {
        let trace =
            run(shares(PolicyName::Weighted, &[35, 15, 50]).joint(joint), &clients, 1, until_ns);
        let percent = |(i, client): (usize, &Client)| {
            (trace.bursts_ns[i].len() * client.burst.len()) as f64 * MS as f64 * 100.0
                / until_ns as f64
        };
        clients.iter().enumerate().map(percent).collect::<Vec<_>>()
    };
    let separate = done(false);
    assert!(
        (separate[0] / (separate[0] + separate[1]) - 0.7).abs() <= 0.01,
        "{separate:?}: 35 and 15 of the programs that copy"
    );
    assert!(
        separate[0] + separate[1] >= 85.0 && separate[2] >= 95.0,
        "{separate:?}: engines work beside each other"
    );
    let joint = done(true);
    let sum: f64 = joint.iter().sum();
    let parts = joint.iter().map(|part| 100.0 * part / sum).collect::<Vec<_>>();
    assert!(
        parts.iter().zip([35.0, 15.0, 50.0]).all(|(part, share)| (part - share).abs() <= 1.5),
        "{parts:?}"
    );
    assert!((80.0..=100.0).contains(&sum), "{joint:?}: one at a time");
}

#[test]
fn kernels_longer_than_a_turn_leave_the_others_their_share_of_a_tenth_of_a_second() {
    for seed in seeds(5) {
        let clients = [Client::kernels(1, 20, MS), Client::kernels(2, 20, 10 * MS)];
        let errors = run(shares(PolicyName::Weighted, &[50, 50]), &clients, seed, 20 * SECOND)
            .errors_points(TenantId(1), 50.0, SECOND, 100 * MS);
        let most = errors[errors.len() * 95 / 100];
        assert!(most <= 4.0, "seed {seed}: {most} points in one window of twenty");
    }
}

#[test]
fn a_priority_is_served_beside_long_kernels_and_takes_no_more_than_its_share() {
    let configuration = prioritised(PolicyName::Weighted, &[(50, 1), (50, 0)]);
    let polite = [Client::kernels(1, 1, 200_000).pausing(5 * MS), Client::kernels(2, 4, 74 * MS)];
    let trace = run(configuration.clone(), &polite, 1, 20 * SECOND);
    let mut took_ns = trace.bursts_ns[0].clone();
    took_ns.sort_unstable();
    assert!(took_ns[took_ns.len() * 99 / 100] < 2 * MS, "{} ns", took_ns[took_ns.len() * 99 / 100]);
    let greedy = [Client::kernels(1, 20, MS), Client::kernels(2, 20, MS)];
    let share =
        run(configuration, &greedy, 1, 20 * SECOND).share_percent(TenantId(1), SECOND, 20 * SECOND);
    // When two sessions share the engine, the driver's slices decide how much each one gets. Each
    // session pays for its own context switches.
    assert!((47.0..=51.0).contains(&share), "{share} %");
}

#[test]
fn a_priority_within_its_share_does_not_wait_for_lower_ones() {
    let configuration = prioritised(PolicyName::Weighted, &[(40, 2), (30, 1), (30, 0)]);
    for seed in seeds(20) {
        let mut clients = vec![Client::kernels(1, 1, 200_000).pausing(5 * MS)];
        clients
            .extend(some_clients(seed).into_iter().filter(|client| client.tenant != TenantId(1)));
        let trace = run(configuration.clone(), &clients, seed, 5 * SECOND);
        let waited_ns = trace.wait_ns_max[0];
        assert!(waited_ns <= Machine::default().slice_ns, "seed {seed}: {waited_ns} ns");
    }
}

#[test]
fn a_single_session_waits_for_nothing() {
    let alone = [Client::kernels(1, 1, 200_000)];
    let shared = run(shares(PolicyName::Weighted, &[50, 50]), &alone, 1, SECOND);
    let native = Simulation::new(Machine::default(), None, &alone, 1).run(SECOND);
    assert!(native.bursts_ns[0].len() - shared.bursts_ns[0].len() <= 1);
}

#[test]
fn short_work_of_one_tenant_does_not_wait_for_its_turn() {
    let mut arbiter = Arbiter::new(shares(PolicyName::Weighted, &[50, 50]));
    let engine = Engine::Compute;
    for (session, tenant) in [(1, 1), (2, 1), (3, 1), (4, 2)] {
        let (session, tenant) = (SessionId(session), TenantId(tenant));
        arbiter.step(0, Event::Opened { session, tenant }).unwrap();
    }
    let granted = |actions: Vec<Action>| -> Vec<u64> {
        let granted = |action: &Action| match action {
            Action::Grant { session, .. } => Some(session.0),
            _ => None,
        };
        actions.iter().filter_map(granted).collect()
    };
    let mut step = |at_ns, event| arbiter.step(at_ns, event).unwrap();
    let wants =
        |session, predicted_ns| Event::Wants { session: SessionId(session), engine, predicted_ns };
    let yielded = |session| Event::Yielded { session: SessionId(session), engine };
    assert_eq!(granted(step(0, wants(1, MS))), [1]);
    assert_eq!(granted(step(MS, wants(2, 50_000))), [2], "it visits");
    assert!(granted(step(MS, wants(3, 3 * MS))).is_empty(), "its kernel is long");
    let drains = step(6 * MS, Event::Timer);
    let drain = |session| Action::Drain { session: SessionId(session), engine };
    assert!(drains.contains(&drain(2)) && !drains.contains(&drain(1)), "a visit is short");
    assert!(granted(step(6 * MS, yielded(2))).is_empty());
    assert!(granted(step(6 * MS, wants(2, 50_000))).is_empty(), "it always has work");
    assert_eq!(granted(step(7 * MS, yielded(1))), [3]);
    assert_eq!(granted(step(8 * MS, wants(1, 50_000))), [1], "it was out of work");
    step(8 * MS, yielded(1));
    step(8 * MS, wants(4, 50_000));
    assert!(granted(step(8 * MS, wants(1, 50_000))).is_empty(), "another tenant contends");
}

#[test]
fn shares_and_policy_change_while_work_runs() {
    let clients = [Client::kernels(1, 20, MS), Client::kernels(2, 20, MS)];
    for from in POLICIES.into_iter().chain([PolicyName::None]) {
        let first = shares(from, &[50, 50]).joint(true);
        let mut simulation = Simulation::new(Machine::default(), Some(first), &clients, 1);
        simulation.reconfigure(5 * SECOND, shares(PolicyName::Weighted, &[80, 20]));
        let share = simulation.run(20 * SECOND).share_percent(TenantId(1), 6 * SECOND, 20 * SECOND);
        assert!((share - 80.0).abs() <= 1.0, "from {from:?}: {share} %");
    }
}

#[test]
fn the_dead_hold_no_turn() {
    for policy in POLICIES {
        let mut arbiter = Arbiter::new(shares(policy, &[50, 50]));
        let engine = Engine::Compute;
        let (dead, next) = (SessionId(1), SessionId(2));
        arbiter.step(0, Event::Opened { session: dead, tenant: TenantId(1) }).unwrap();
        arbiter.step(0, Event::Opened { session: next, tenant: TenantId(2) }).unwrap();
        arbiter.step(0, Event::Wants { session: dead, engine, predicted_ns: MS }).unwrap();
        arbiter.step(1, Event::Wants { session: next, engine, predicted_ns: MS }).unwrap();
        let actions = arbiter.step(2, Event::Ended { session: dead }).unwrap();
        assert!(
            actions.iter().any(|a| matches!(a, Action::Grant { session, .. } if *session == next)),
            "{policy:?}: {actions:?}"
        );
    }
}

#[test]
fn invalid_events_are_refused_with_a_reason() {
    let mut arbiter = Arbiter::new(shares(PolicyName::Weighted, &[50]));
    let (session, engine) = (SessionId(1), Engine::Compute);
    let stranger = Event::Opened { session, tenant: TenantId(9) };
    assert_eq!(arbiter.step(0, stranger), Err(Refusal::UnknownTenant { tenant: TenantId(9) }));
    assert!(arbiter.step(0, Event::Wants { session, engine, predicted_ns: 1 }).is_err());
    arbiter.step(0, Event::Opened { session, tenant: TenantId(1) }).unwrap();
    assert!(arbiter.step(0, Event::Completed { session, engine, measured_ns: 1 }).is_err());
    let granted = arbiter.step(0, Event::Wants { session, engine, predicted_ns: 1 }).unwrap();
    assert!(
        matches!(granted[..], [Action::Grant { keep: true, term: Term::Window { .. }, .. }]),
        "{granted:?}"
    );
    assert!(arbiter.step(0, Event::Wants { session, engine, predicted_ns: 1 }).is_err());
    let without = shares(PolicyName::Weighted, &[]);
    assert_eq!(
        arbiter.step(0, Event::Configured(without)),
        Err(Refusal::TenantInUse { tenant: TenantId(1) })
    );
}

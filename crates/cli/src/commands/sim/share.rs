//! `outhaul sim share`: simulates each scenario of programs that share a GPU, under each policy and
//! from several seeds. The simulation runs the node's own arbiter.

use crate::error::Error;
use outhaul_share::simulator::{Client, Machine, Simulation, Trace};
use outhaul_share::{Configuration, Engine, PolicyName, Tenant, TenantId};
use serde_json::json;
use std::process::ExitCode;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;
const COLUMNS: [(&str, Option<(PolicyName, bool)>); 6] = [
    ("driver alone", None),
    ("FIFO", Some((PolicyName::Fifo, true))),
    ("Credit", Some((PolicyName::Credit, true))),
    ("BAND", Some((PolicyName::Band, true))),
    ("weighted, turns only", Some((PolicyName::Weighted, true))),
    ("weighted", Some((PolicyName::Weighted, false))),
];

/// Simulate programs that share a GPU, under each of the node's policies.
#[derive(clap::Args)]
pub struct Arguments {
    /// Number of seeds. Each figure is the mean over all seeds.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// One-way latency between a worker and the arbiter, in microseconds.
    #[arg(long, default_value_t = 25)]
    message_us: u64,
    /// Time that the GPU takes to switch contexts, in microseconds.
    #[arg(long, default_value_t = 180)]
    switch_us: u64,
    /// Length of the driver's time slice, in microseconds.
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    slice_us: u64,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

struct Scenario {
    name: &'static str,
    shares: Vec<(u32, u8)>,
    clients: Vec<Client>,
    seconds: u64,
    /// Whether copies take turns together with kernels.
    joint: bool,
    figure: fn(&Trace) -> f64,
}

fn mean(errors: &[f64]) -> f64 {
    errors.iter().sum::<f64>() / errors.len().max(1) as f64
}

fn quantile(sorted: &[f64], percent: usize) -> f64 {
    sorted
        .get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or(0.0)
}

fn mean_error<const PERCENT: u32>(trace: &Trace) -> f64 {
    mean(&trace.errors_points(TenantId(1), f64::from(PERCENT), 5 * SECOND, SECOND))
}

fn spread(trace: &Trace) -> f64 {
    let shares: Vec<f64> =
        (1..=4).map(|t| trace.share_percent(TenantId(t), 12 * SECOND, trace.until_ns)).collect();
    shares.iter().fold(0.0, |a: f64, b| a.max(*b))
        - shares.iter().fold(100.0, |a: f64, b| a.min(*b))
}

fn p99_ms(trace: &Trace) -> f64 {
    let mut took: Vec<f64> = trace.bursts_ns[0].iter().map(|ns| *ns as f64 / 1e6).collect();
    took.sort_by(f64::total_cmp);
    quantile(&took, 99)
}

fn pair(name: &'static str, share: u32, long: Client, figure: fn(&Trace) -> f64) -> Scenario {
    let clients = vec![Client::kernels(1, 1, 2_400_000), long.starting(3 * SECOND)];
    let shares = vec![(share, 0), (100 - share, 0)];
    Scenario { name, shares, clients, seconds: 60, joint: false, figure }
}

fn scenarios() -> Vec<Scenario> {
    let long = || Client::kernels(2, 1, 112 * MS);
    let chopped = || Client::kernels(2, 50, 2_240_000);
    let even = vec![(50, 0), (50, 0)];
    let short = |tenant, kernel_ns| Client::kernels(tenant, 20, kernel_ns);
    let processes = |tenant, count: u64, step_ns| {
        (0..count).map(move |i| {
            Client::kernels(tenant, 10, 1_000_000 + 300_000 * i).starting(step_ns * i)
        })
    };
    let four = (1..=4).flat_map(|t| {
        processes(t, 4, 500 * MS)
            .map(move |c| Client { starts_ns: c.starts_ns + u64::from(t) * SECOND, ..c })
    });
    let copying = |tenant, kernel_ns| Client {
        burst: vec![
            (Engine::CopyToDevice, 3 * MS),
            (Engine::Compute, kernel_ns),
            (Engine::CopyToHost, 3 * MS),
        ],
        ..Client::kernels(tenant, 1, kernel_ns)
    };
    vec![
        pair(
            "bursts of 2.4 and 112 ms, 50/50, one kernel each: mean error in 1 s, points",
            50,
            long(),
            mean_error::<50>,
        ),
        pair("the same, 70/30", 70, long(), mean_error::<70>),
        pair("the same, 30/70", 30, long(), mean_error::<30>),
        pair(
            "bursts of 2.4 and 112 ms, 50/50, kernels of 2.4 ms: mean error in 1 s, points",
            50,
            chopped(),
            mean_error::<50>,
        ),
        pair("the same, 70/30", 70, chopped(), mean_error::<70>),
        Scenario {
            name: "kernels of 10 and 1 ms, 50/50: 95th percentile of the error in 100 ms, points",
            shares: even.clone(),
            clients: vec![short(1, MS), short(2, 10 * MS)],
            seconds: 30,
            joint: false,
            figure: |t| quantile(&t.errors_points(TenantId(1), 50.0, SECOND, 100 * MS), 95),
        },
        Scenario {
            name: "four processes next to one, 50/50: error over the run, points",
            shares: even.clone(),
            clients: processes(1, 4, 0).chain(processes(2, 1, 0)).collect(),
            seconds: 30,
            joint: false,
            figure: |t| (t.share_percent(TenantId(1), SECOND, t.until_ns) - 50.0).abs(),
        },
        Scenario {
            name: "four tenants with four processes each, staggered: largest less smallest share, \
            points",
            shares: vec![(25, 0); 4],
            clients: four.collect(),
            seconds: 60,
            joint: false,
            figure: spread,
        },
        Scenario {
            name: "two tenants with kernels of 1 ms, always busy: time lost, percent",
            shares: even.clone(),
            clients: vec![short(1, MS), short(2, MS)].into_iter().map(|c| c.pausing(0)).collect(),
            seconds: 30,
            joint: false,
            figure: |t| t.lost_percent(SECOND),
        },
        Scenario {
            name: "one tenant alone, kernels of 0.2 ms, waiting for each: time lost, percent",
            shares: even.clone(),
            clients: vec![Client::kernels(1, 1, 200_000)],
            seconds: 10,
            joint: false,
            figure: |t| t.lost_percent(SECOND),
        },
        Scenario {
            name: "0.2 ms every 5 ms at high priority, next to 74 ms kernels: 99th percentile, ms",
            shares: vec![(50, 1), (50, 0)],
            clients: vec![
                Client::kernels(1, 1, 200_000).pausing(5 * MS),
                Client::kernels(2, 4, 74 * MS),
            ],
            seconds: 60,
            joint: false,
            figure: p99_ms,
        },
        Scenario {
            name: "sixteen programs of one tenant, 0.05 ms every 4 ms each: 99th percentile, ms",
            shares: even.clone(),
            clients: vec![Client::kernels(1, 1, 50_000).pausing(4 * MS); 16],
            seconds: 10,
            joint: false,
            figure: p99_ms,
        },
        Scenario {
            name: "0.05 ms every 5 ms, next to 1 ms kernels of its own tenant: 99th percentile, ms",
            shares: even.clone(),
            clients: vec![Client::kernels(1, 1, 50_000).pausing(5 * MS), short(1, MS)],
            seconds: 30,
            joint: false,
            figure: p99_ms,
        },
        Scenario {
            name: "two programs of one tenant, kernels of 0.2 ms, always busy: time lost, percent",
            shares: even.clone(),
            clients: vec![short(1, 200_000).pausing(0); 2],
            seconds: 30,
            joint: false,
            figure: |t| t.lost_percent(SECOND),
        },
        Scenario {
            name: "copies of 3 ms around kernels of 6 ms, two tenants: time without computing, \
            percent",
            shares: even.clone(),
            clients: vec![copying(1, 6 * MS), copying(2, 6 * MS)],
            seconds: 30,
            joint: false,
            figure: |t| t.lost_percent(SECOND),
        },
        Scenario {
            name: "the same: computing and copying together, percent of the time",
            shares: even.clone(),
            clients: vec![copying(1, 6 * MS), copying(2, 6 * MS)],
            seconds: 30,
            joint: false,
            figure: worked_percent::<12>,
        },
        Scenario {
            name: "the same, with one queue for copies and kernels (SDQ)",
            shares: even,
            clients: vec![copying(1, 6 * MS), copying(2, 6 * MS)],
            seconds: 30,
            joint: true,
            figure: worked_percent::<12>,
        },
    ]
}

/// Returns the work of all bursts, each of `BURST_MS`, in percent of the time.
fn worked_percent<const BURST_MS: u64>(trace: &Trace) -> f64 {
    let bursts: usize = trace.bursts_ns.iter().map(Vec::len).sum();
    100.0 * (bursts as u64 * BURST_MS * MS) as f64 / trace.until_ns as f64
}

fn figure(
    scenario: &Scenario,
    column: Option<(PolicyName, bool)>,
    machine: Machine,
    seeds: u64,
) -> f64 {
    let tenant = |(i, &(percent, priority)): (usize, &(u32, u8))| {
        (TenantId(i as u32 + 1), Tenant { share_basis_points: percent * 100, priority })
    };
    let configuration = column.map(|(policy, exclusive)| {
        let tenants = scenario.shares.iter().enumerate().map(tenant).collect();
        Configuration::new(policy, tenants)
            .expect("a few tenants")
            .exclusive(exclusive)
            .joint(scenario.joint)
    });
    let run = |seed| {
        Simulation::new(machine, configuration.clone(), &scenario.clients, seed)
            .run(scenario.seconds * SECOND)
    };
    (1..=seeds).map(|seed| (scenario.figure)(&run(seed))).sum::<f64>() / seeds as f64
}

/// Simulates all scenarios under all policies and prints a table.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let Arguments { seeds, message_us, switch_us, slice_us, json } = arguments;
    let machine = Machine {
        message_ns: message_us * 1000,
        switch_ns: switch_us * 1000,
        slice_ns: slice_us * 1000,
    };
    if !json {
        println!("| scenario | {} |", COLUMNS.map(|c| c.0).join(" | "));
        println!("|---{}|", "|---:".repeat(COLUMNS.len()));
    }
    let mut rows = Vec::new();
    for scenario in scenarios() {
        let figures =
            COLUMNS.map(|(name, column)| (name, figure(&scenario, column, machine, seeds)));
        if json {
            rows.push(json!({ "scenario": scenario.name,
                    "figures": serde_json::Map::from_iter(figures.map(|(n, f)| (n.to_owned(),
                        f.into()))) }));
        } else {
            println!(
                "| {} | {} |",
                scenario.name,
                figures.map(|(_, figure)| format!("{figure:.2}")).join(" | ")
            );
        }
    }
    if json {
        println!("{:#}", serde_json::Value::from(rows));
    }
    Ok(ExitCode::SUCCESS)
}

//! `outhaul bench`: measures how fast programs run on a GPU, natively and over links. Compares the
//! times with the limit of the link itself. Uses Outhaul as users do: starts nodes and programs by
//! the command line of its own binary. So this crate imports neither the node nor the pool.

pub mod byte_sizes;
mod cases;
mod error;
mod links;
pub mod measurement;
pub mod report;
mod shared;

pub use crate::error::{CommandError, Error};
pub use crate::measurement::place::Certify;

use crate::links::link::LinkKind;
use crate::measurement::case::{Case, Sample, Scale};
use crate::measurement::results::Results;
use crate::measurement::rounds::Plan;
use crate::measurement::scratch;
use crate::report::file::{write, write_json};
use clap::ValueEnum;
use outhaul_share::PolicyName;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Measure programs on a GPU, natively and over links, and compare with what the links allow.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
The exit code is 1 if a case failed, if its result differs from the native one, or if it became \
slower than in --compare's file.

Examples:
  outhaul bench                                             some cases, natively and over loopback \
  and shared memory
  outhaul bench search particles --link 0.94g,10g,100g      over links that the kernel or a relay \
  shapes
  outhaul bench --link 10g+hops:2 --json new.json --compare old.json
  outhaul bench frames --tenants 1,2,3,4,5                  rising numbers of programs that draw \
  at a fixed rate on one node
  outhaul bench frames --link 10g,25g --curves curves.csv   for a pool's promises of frame rates
  outhaul bench --from new.json --plots figures             draws an earlier measurement, or one \
  of another machine
  outhaul run --node gpu7:7654 -- outhaul bench --here copies     one case where this process \
  finds a GPU"
)]
pub struct Arguments {
    #[command(subcommand)]
    part: Option<BenchPart>,
    /// Cases to measure; --list shows them [default: latencies, search, particles].
    #[arg(value_name = "CASE", hide_possible_values = true)]
    cases: Vec<Case>,
    /// List the cases and the named links.
    #[arg(long)]
    list: bool,
    /// Links, separated by commas: memory, loopback, a rate in Gb/s such as 10g, a delay such as
    /// rtt:200us or hops:2, or sums such as 10g+hops:2.
    #[arg(
        long = "link",
        value_name = "LINK,...",
        value_delimiter = ',',
        default_value = "loopback,memory"
    )]
    links: Vec<LinkKind>,
    /// Number of rounds; each round measures everything once.
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    runs: u16,
    /// Amount of work [default: full on a GPU, small on the software GPU].
    #[arg(long, value_name = "small|full")]
    scale: Option<Scale>,
    #[command(flatten)]
    places: crate::measurement::place::Options,
    /// Policy by which nodes share their GPU, as in `outhaul serve --policy` [default: the node's].
    #[arg(long, value_name = "NAME")]
    policy: Option<PolicyName>,
    /// Maximum seconds for one run of a case.
    #[arg(long, value_name = "S", default_value_t = 120)]
    limit_s: u64,
    /// Seconds after which no further run starts; the results so far are shown [default: no limit].
    #[arg(long, value_name = "S")]
    within_s: Option<u64>,
    /// Measure power too. This takes a second per sample.
    #[arg(long)]
    energy: bool,
    /// File with results to show, instead of measuring.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "here"])]
    from: Option<PathBuf>,
    /// File for the results as JSON [default: not written].
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// File for the results as comma-separated values [default: not written].
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// File for the time-time curves of the case frames, for `outhaul pool serve --model csv:FILE`
    /// and `outhaul serve --frame-curves FILE` [default: not written].
    #[arg(long, value_name = "FILE")]
    curves: Option<PathBuf>,
    /// Folder for charts: slowdown against bandwidth, round trip and size, and time-time graphs
    /// [default: no charts].
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// File with earlier results. The command reports which results are now slower, beyond the
    /// spread.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Measure the cases once in this process, on the libcuda.so.1 that the loader finds, and print
    /// one JSON object per sample.
    #[arg(long)]
    here: bool,
    #[command(flatten)]
    tenants: crate::shared::frames::tenants::Options,
}

#[derive(clap::Subcommand)]
enum BenchPart {
    Flow(crate::shared::flow::Arguments),
    Over(crate::measurement::over::Arguments),
    Pieces(crate::cases::pieces::Arguments),
    Relay(crate::links::relay::Arguments),
    Share(crate::shared::share::Arguments),
    Swap(crate::shared::swap::Arguments),
    #[command(hide = true)]
    Player(crate::shared::share::burst_program::Arguments),
    #[command(hide = true)]
    Headset(crate::shared::frames::headset::Arguments),
    #[command(hide = true)]
    Adder(crate::shared::flow::adder_program::Arguments),
    #[command(hide = true)]
    Mover(crate::cases::pieces::copy_program::Arguments),
    #[command(hide = true)]
    Holder(crate::shared::swap::holder::Arguments),
    #[command(hide = true)]
    FarEnd(crate::links::raw_link::FarEnd),
    #[command(hide = true)]
    NearEnd(crate::links::raw_link::NearEnd),
}

impl Arguments {
    /// Returns whether the measurement needs this installation's client library, whatever its other
    /// options are.
    pub fn needs_client(&self) -> bool {
        self.tenants.are_given() || matches!(self.part, Some(BenchPart::Swap(_)))
    }
}

/// Runs the command. `certify` issues the certificates for the nodes of links over TLS.
pub fn execute(mut arguments: Arguments, certify: Certify) -> Result<ExitCode, Error> {
    match arguments.part {
        Some(BenchPart::Flow(flow)) => return crate::shared::flow::execute(flow),
        Some(BenchPart::Over(over)) => return crate::measurement::over::execute(over, certify),
        Some(BenchPart::Pieces(pieces)) => return crate::cases::pieces::execute(&pieces),
        Some(BenchPart::Relay(relay)) => return crate::links::relay::execute(relay),
        Some(BenchPart::Share(share)) => return crate::shared::share::execute(share),
        Some(BenchPart::Swap(swap)) => return crate::shared::swap::execute(swap),
        Some(BenchPart::Player(player)) => {
            return crate::shared::share::burst_program::execute(&player);
        }
        Some(BenchPart::Headset(headset)) => {
            return crate::shared::frames::headset::execute(&headset);
        }
        Some(BenchPart::Adder(adder)) => {
            return crate::shared::flow::adder_program::execute(&adder);
        }
        Some(BenchPart::Mover(mover)) => {
            return crate::cases::pieces::copy_program::execute(&mover);
        }
        Some(BenchPart::Holder(holder)) => return crate::shared::swap::holder::execute(&holder),
        Some(BenchPart::FarEnd(end)) => return crate::links::raw_link::far_end(&end),
        Some(BenchPart::NearEnd(end)) => return crate::links::raw_link::near_end(&end),
        None => {}
    }
    if arguments.list {
        list();
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.tenants.are_given() {
        return measure_tenants(&arguments);
    }
    if arguments.cases.is_empty() {
        arguments.cases = vec![Case::Latencies, Case::Search, Case::Particles];
    }
    if arguments.here {
        let run = |case: &Case| cases::run::run(*case, arguments.scale, arguments.energy, print);
        arguments.cases.iter().try_for_each(run)?;
        return Ok(ExitCode::SUCCESS);
    }
    let old = arguments.compare.as_deref().map(load).transpose()?;
    let results = match &arguments.from {
        Some(file) => load(file)?,
        None => measure(&arguments, certify)?,
    };
    show(&arguments, &results, old.as_ref())
}

fn list() {
    for case in Case::value_variants() {
        println!("{:<18} {}", case.name(), case.about());
    }
    println!();
    for (name, source) in crate::links::link::PROFILES {
        println!("{name:<18} {source}");
    }
}

fn print(sample: &Sample) {
    println!("{}", serde_json::to_string(sample).unwrap_or_default());
}

fn measure_tenants(arguments: &Arguments) -> Result<ExitCode, Error> {
    if arguments.cases != [Case::Frames] {
        return Err(Error::Bench(
            "--tenants is of one case only: `outhaul bench frames --tenants 1,2,3`".into(),
        ));
    }
    let setting = crate::shared::frames::tenants::Setting {
        gpu: &arguments.places.gpu,
        scale: arguments.scale,
        policy: arguments.policy,
        json: arguments.json.as_deref(),
        csv: arguments.csv.as_deref(),
        plots: arguments.plots.as_deref(),
    };
    crate::shared::frames::tenants::execute(&arguments.tenants, &setting)
}

fn measure(arguments: &Arguments, certify: Certify) -> Result<Results, Error> {
    let cache = scratch::for_caches()?;
    let mut setting = arguments.places.setting(cache.path(), arguments.policy, certify);
    let plan = Plan {
        cases: arguments.cases.clone(),
        links: arguments.links.clone(),
        rounds: usize::from(arguments.runs),
        scale: arguments.scale,
        energy: arguments.energy,
        seconds_max: arguments.limit_s,
        within: arguments.within_s.map(Duration::from_secs),
    };
    crate::measurement::rounds::measure(&plan, &mut setting, |results| save(arguments, results))
}

fn show(
    arguments: &Arguments,
    results: &Results,
    old: Option<&Results>,
) -> Result<ExitCode, Error> {
    print!("{}", crate::report::table::table(results));
    save(arguments, results)?;
    if let Some(file) = &arguments.csv {
        write(file, crate::report::csv::csv(results))?;
    }
    if let Some(file) = &arguments.curves {
        write(file, crate::report::curves::csv(results)?)?;
    }
    if let Some(folder) = &arguments.plots {
        crate::report::plots::write(results, folder)?;
    }
    let mut good = crate::measurement::rounds::is_sound(results);
    if let Some(old) = old {
        let (report, slower) = crate::measurement::compare::report(old, results);
        print!("{report}");
        good &= !slower;
    }
    Ok(ExitCode::from(u8::from(!good)))
}

fn save(arguments: &Arguments, results: &Results) -> Result<(), Error> {
    arguments.json.as_ref().map_or(Ok(()), |file| write_json(file, results))
}

fn load(file: &Path) -> Result<Results, Error> {
    let failed =
        |reason: String| Error::Bench(format!("{} holds no results: {reason}", file.display()));
    let text = std::fs::read_to_string(file)
        .map_err(|error| Error::Io { doing: format!("cannot read {}", file.display()), error })?;
    let results: Results =
        serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    match results.version {
        crate::measurement::results::VERSION => Ok(results),
        other => Err(failed(format!(
            "its form is {other}, and this release reads {}",
            crate::measurement::results::VERSION
        ))),
    }
}

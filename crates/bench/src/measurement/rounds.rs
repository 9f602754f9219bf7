//! Runs a measurement. First it creates all links. Then each round covers all places and cases, so
//! that a temporary disturbance of the machine affects all of them. An untimed round before the
//! first counts messages and warms up.

use super::case::{Case, Scale};
use super::place::{Setting, Venue};
use super::progress::Progress;
use super::results::{Failure, NATIVE, Results, VERSION};
use crate::error::Error;
use crate::links::link::LinkKind;
use crate::measurement::cuda_driver::DRIVER;
use crate::measurement::process;
use std::process::Command;
use std::time::{Duration, Instant};

const SOFTWARE: &str = "soft";
/// Maximum seconds for a driver to start, on a machine with many GPUs.
const DRIVER_SECONDS_MAX: u64 = 90;

/// The cases, links and rounds of a measurement.
pub struct Plan {
    pub cases: Vec<Case>,
    pub links: Vec<LinkKind>,
    pub rounds: usize,
    pub scale: Option<Scale>,
    pub energy: bool,
    pub seconds_max: u64,
    /// Time after which no further run starts, counted from the first timed round.
    pub within: Option<Duration>,
}

/// Runs the measurement. Passes the results to `keep` after each round, so that an interruption
/// loses little.
pub fn measure(
    plan: &Plan,
    setting: &mut Setting,
    mut keep: impl FnMut(&Results) -> Result<(), Error>,
) -> Result<Results, Error> {
    let start = Instant::now();
    if setting.gpu == "auto" && !finds_a_gpu() {
        setting.gpu = SOFTWARE.into();
    }
    setting.gain_rights(&plan.links);
    let scale =
        plan.scale.unwrap_or(if setting.gpu == SOFTWARE { Scale::Small } else { Scale::Full });
    let mut progress = Progress::new(
        plan.links.len() + (plan.rounds + 1) * (plan.links.len() + 1) * plan.cases.len(),
    );
    let mut places = vec![Venue::native(&setting.gpu)];
    for link in &plan.links {
        progress.next(&format!("making {}", link.name));
        places.push(Venue::over(link, setting)?);
    }
    let mut results = empty(setting);
    results.links = places.iter().filter_map(|place| place.report().cloned()).collect();
    for round in 0..=plan.rounds {
        for case in &plan.cases {
            for place in &places {
                progress.next(&format!("round {round}: {} over {}", case.name(), place.name()));
                if round > 0 && plan.within.is_some_and(|within| start.elapsed() > within) {
                    continue;
                }
                if results.failures.iter().any(|f| f.case == case.name() && f.link == place.name())
                {
                    continue;
                }
                let first = round == 0;
                match place.run(*case, scale, first, first && plan.energy, plan.seconds_max) {
                    Ok(samples) => {
                        if let Some(sample) = samples.first() {
                            results.device.clone_from(&sample.device);
                        }
                        results.add(place.name(), samples, !first);
                    }
                    Err(reason) => results.failures.push(Failure {
                        case: case.name(),
                        link: place.name().into(),
                        reason,
                    }),
                }
            }
        }
        results.software = results.device.starts_with(outhaul_abi::SOFTWARE_GPU);
        keep(&timed(&results))?;
    }
    Ok(timed(&results))
}

/// Returns whether the driver that the loader finds has a GPU. A separate process loads the driver,
/// because a process cannot unload a driver completely.
fn finds_a_gpu() -> bool {
    let count = |outhaul| {
        let mut command = Command::new(outhaul);
        command.args(["probe", "count", DRIVER]);
        command
    };
    process::executable().is_ok_and(|outhaul| process::succeeds(count(outhaul), DRIVER_SECONDS_MAX))
}

/// Drops the rows of cases that failed before their first timed round. Keeps rows that were
/// measured only natively.
fn timed(results: &Results) -> Results {
    let mut results = results.clone();
    results.rows.retain(|row| !row.us.is_empty());
    results
}

fn empty(setting: &Setting) -> Results {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    Results {
        version: VERSION,
        outhaul: env!("CARGO_PKG_VERSION").into(),
        device: String::new(),
        software: false,
        kernel: kernel.trim().into(),
        cores: std::thread::available_parallelism().map_or(0, usize::from),
        lanes: setting.lanes,
        links: Vec::new(),
        rows: Vec::new(),
        failures: Vec::new(),
    }
}

/// Returns whether every case ran, and computed the same result everywhere.
pub fn is_sound(results: &Results) -> bool {
    results.failures.is_empty()
        && !results.rows.iter().any(|row| row.link != NATIVE && results.differs(row))
}

//! `outhaul bench share`: tenants on one GPU, on the driver alone, under MPS, and on a node under
//! each of its policies. The programs count their own completed work, so the results do not depend
//! on the node's accounts.

pub mod burst_program;
mod case;
mod gpu_activity;
pub mod sharing_way;
mod timeline;

use crate::error::Error;
use crate::measurement::process;
use crate::measurement::progress::Progress;
use crate::measurement::scratch;
use crate::report::chart::{Axis, Chart, Point, Series};
use burst_program::{Calibration, Played, now_ns};
use case::{Case, Performance, Program, SECOND_NS};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use sharing_way::{Setting, Stage, tenant_name};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Time within which all programs of a case must start.
const START_NS: u64 = 3 * SECOND_NS;
const START_NS_EACH: u64 = SECOND_NS / 4;
const LIMIT_S: u64 = 60;
/// Length of a window in the charts.
const PICTURE_WINDOW_NS: u64 = SECOND_NS / 10;

/// Measure how tenants share one GPU: shares, latencies and lost time, under each policy.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul bench share --gpu soft --seconds 4
  outhaul bench share pair50 pair70 --setting driver,weighted --plots figures
  outhaul bench share --json share.json --csv share.csv")]
pub struct Arguments {
    /// Cases to measure; --list shows them [default: all].
    #[arg(value_name = "CASE", hide_possible_values = true)]
    cases: Vec<Case>,
    /// List the cases and the meaning of their figures.
    #[arg(long)]
    list: bool,
    /// Settings in which the programs run [default: all settings].
    #[arg(long = "setting", value_name = "NAME,...", value_delimiter = ',')]
    settings: Vec<Setting>,
    /// GPU to measure: this machine's own (`auto`), the software GPU (`soft`), or the path of a
    /// libcuda.so.1.
    #[arg(long, value_name = "auto|soft|PATH", default_value = "auto")]
    gpu: String,
    /// Seconds of measurement for each case.
    #[arg(long, value_name = "S", default_value_t = 8,
        value_parser = clap::value_parser!(u64).range(2..=600))]
    seconds: u64,
    /// File for the results as JSON [default: not written].
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// File for the results as comma-separated values [default: not written].
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Folder for charts of each tenant's use of the GPU over time [default: no charts].
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct Results {
    gpu: String,
    seconds: u64,
    rounds_per_ms: f64,
    cells: Vec<Cell>,
}

/// One case in one setting.
#[derive(Serialize, Deserialize)]
struct Cell {
    case: Case,
    setting: Setting,
    /// The case's figure; none if the case failed.
    figure: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    unit: String,
    /// Remark about an aspect that the figure does not show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
    /// Each tenant's GPU use in percent, per window of 100 ms.
    utilisation: Vec<Vec<f64>>,
}

/// Runs `outhaul bench share`.
pub fn execute(mut arguments: Arguments) -> Result<ExitCode, Error> {
    if arguments.list {
        for case in Case::value_variants() {
            let about = case
                .to_possible_value()
                .and_then(|value| value.get_help().map(ToString::to_string))
                .unwrap_or_default();
            println!("{:<12} {about}", case.name());
        }
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.cases.is_empty() {
        arguments.cases = Case::value_variants().to_vec();
    }
    if arguments.settings.is_empty() {
        arguments.settings = Setting::value_variants().to_vec();
    }
    let cache = scratch::for_caches()?;
    let results = measure(&arguments, cache.path())?;
    drop(cache);
    print!("{}", table(&arguments, &results));
    save(&arguments, &results)?;
    Ok(ExitCode::from(u8::from(results.cells.iter().all(|cell| cell.figure.is_none()))))
}

fn measure(arguments: &Arguments, cache: &Path) -> Result<Results, Error> {
    let stage = Setting::Driver.open(&arguments.gpu, cache, &[])?;
    let mut command = stage.program(0)?;
    command.args(["bench", "player", "--calibrate"]);
    let calibration: Calibration =
        parse(&process::output(command, LIMIT_S).map_err(Error::Bench)?).map_err(Error::Bench)?;
    let mut results = Results {
        gpu: calibration.gpu,
        seconds: arguments.seconds,
        rounds_per_ms: calibration.rounds_per_ms,
        cells: Vec::new(),
    };
    let mut progress = Progress::new(arguments.cases.len() * arguments.settings.len());
    for case in &arguments.cases {
        for setting in &arguments.settings {
            progress.next(&format!("{} {}", case.name(), setting.name()));
            let measured = cell(arguments, cache, *case, *setting, results.rounds_per_ms);
            let (measured, error) = match measured {
                Ok(measured) => (measured, None),
                Err(error) => (Measured::default(), Some(error.to_string())),
            };
            let (Measured { figure, remark, utilisation }, unit) =
                (measured, case.unit().to_owned());
            results.cells.push(Cell {
                case: *case,
                setting: *setting,
                figure,
                error,
                unit,
                remark,
                utilisation,
            });
            // If the run is interrupted, the file has the results so far.
            save(arguments, &results)?;
        }
    }
    Ok(results)
}

fn parse<T: serde::de::DeserializeOwned>(printed: &str) -> Result<T, String> {
    serde_json::from_str(printed.trim())
        .map_err(|error| format!("its output is not understood: {error}"))
}

#[derive(Default)]
struct Measured {
    figure: Option<f64>,
    remark: Option<String>,
    utilisation: Vec<Vec<f64>>,
}

fn cell(
    arguments: &Arguments,
    cache: &Path,
    case: Case,
    setting: Setting,
    rounds_per_ms: f64,
) -> Result<Measured, Error> {
    if case.needs_node() && !setting.is_node() {
        return Err(Error::Bench(
            "nobody keeps accounts there; choose a setting of a node, as --setting weighted".into(),
        ));
    }
    let stage = setting.open(&arguments.gpu, cache, &case.terms())?;
    let programs = case.programs();
    let lasts_ns = case.settled_ns() + arguments.seconds * SECOND_NS;
    let alone = case
        .is_against_alone()
        .then(|| perform(&stage, &programs[..1], lasts_ns, rounds_per_ms))
        .transpose()?;
    let (from_ns, played) = perform(&stage, &programs, lasts_ns, rounds_per_ms)?;
    let alone = alone.as_ref().and_then(|(_, played)| played.first());
    let accounted_ns = if case.needs_node() { stage.computed_ns()? } else { None };
    let performance = Performance {
        programs: &programs,
        played: &played,
        from_ns,
        until_ns: from_ns + lasts_ns,
        alone,
        accounted_ns,
    };
    let utilisation = timeline::utilisation(
        &performance.timelines(),
        from_ns,
        performance.until_ns,
        PICTURE_WINDOW_NS,
    );
    Ok(Measured {
        figure: Some(performance.figure(case)),
        remark: performance.remark(case),
        utilisation,
    })
}

/// Runs the programs by a common clock. Returns the time at which they began, and their records.
fn perform(
    stage: &Stage,
    programs: &[Program],
    lasts_ns: u64,
    rounds_per_ms: f64,
) -> Result<(u64, Vec<Played>), Error> {
    let from_ns = now_ns() + START_NS + START_NS_EACH * programs.len() as u64;
    let limit_s = (from_ns - now_ns() + lasts_ns) / SECOND_NS + LIMIT_S;
    let run = |program: &Program| -> Result<Played, String> {
        let mut command = stage.program(program.tenant).map_err(|error| error.to_string())?;
        let rounds = (program.kernel_us as f64 * 1e-3 * rounds_per_ms).max(1.0) as u64;
        // Marks two milliseconds apart are close enough to show turns.
        let mark = (2_000 / program.kernel_us.max(1)).max(1);
        command.args([
            "bench",
            "player",
            "--rounds",
            &rounds.to_string(),
            "--kernels",
            &program.kernels.to_string(),
        ]);
        command.args(["--mark", &mark.to_string(), "--pause-us", &program.pause_us.to_string()]);
        command.args([
            "--from-ns",
            &(from_ns + program.starts_ms * 1_000_000).to_string(),
            "--until-ns",
            &(from_ns + lasts_ns).to_string(),
        ]);
        if program.timed {
            // The buffer of times holds twice as many kernels as fit in `lasts_ns`.
            let kernels = 2 * lasts_ns / (program.kernel_us * 1000) + program.kernels as u64;
            command.args(["--timed", &kernels.to_string()]);
        }
        parse(&process::output(command, limit_s)?)
    };
    let played = std::thread::scope(|scope| {
        let running: Vec<_> = programs.iter().map(|program| scope.spawn(|| run(program))).collect();
        running
            .into_iter()
            .map(|run| run.join().unwrap_or_else(|_| Err("a thread died".into())))
            .collect::<Result<Vec<_>, _>>()
    });
    Ok((from_ns, played.map_err(Error::Bench)?))
}

fn table(arguments: &Arguments, results: &Results) -> String {
    let mut text =
        format!("{}; {} s for each case\n{:<12} {:<10}", results.gpu, results.seconds, "", "");
    for setting in &arguments.settings {
        text += &format!(" {:>13}", setting.name());
    }
    text.push('\n');
    let mut remarks = Vec::new();
    for case in &arguments.cases {
        text += &format!("{:<12} {:<10}", case.name(), case.unit());
        for setting in &arguments.settings {
            let cell =
                results.cells.iter().find(|cell| cell.case == *case && cell.setting == *setting);
            text += &match cell.and_then(|cell| cell.figure) {
                Some(figure) => format!(" {figure:>13.2}"),
                None => format!(" {:>13}", "-"),
            };
            let remark = cell.and_then(|cell| cell.error.clone().or(cell.remark.clone()));
            remarks.extend(
                remark.map(|remark| format!("{} {}: {remark}\n", case.name(), setting.name())),
            );
        }
        text.push('\n');
    }
    text + &remarks.concat()
}

fn save(arguments: &Arguments, results: &Results) -> Result<(), Error> {
    if let Some(file) = &arguments.json {
        crate::report::file::write_json(file, results)?;
    }
    if let Some(file) = &arguments.csv {
        let row = |cell: &Cell| {
            let figure = cell.figure.map(|figure| figure.to_string()).unwrap_or_default();
            format!("{},{},{figure},{}\n", cell.case.name(), cell.setting.name(), cell.unit)
        };
        crate::report::file::write(
            file,
            "case,setting,figure,unit\n".to_owned()
                + &results.cells.iter().map(row).collect::<String>(),
        )?;
    }
    if let Some(folder) = &arguments.plots {
        outhaul_files::report_folder(folder).map_err(|error| Error::Io {
            doing: format!("cannot make {}", folder.display()),
            error,
        })?;
        for cell in results.cells.iter().filter(|cell| !cell.utilisation.is_empty()) {
            let name = format!("share-{}-{}.svg", cell.case.name(), cell.setting.name());
            crate::report::file::write(&folder.join(name), picture(cell, &results.gpu).svg())?;
        }
    }
    Ok(())
}

fn picture(cell: &Cell, gpu: &str) -> Chart {
    let axis = |label: &str, mark| Axis { label: label.into(), logarithmic: false, mark };
    let tenants = cell.utilisation.first().map_or(0, Vec::len);
    let point = |tenant: usize, (i, window): (usize, &Vec<f64>)| {
        let x = (i as u64 * PICTURE_WINDOW_NS) as f64 / SECOND_NS as f64;
        Point { x, y: window[tenant], range: None }
    };
    let series = |tenant: usize| Series {
        name: tenant_name(tenant),
        colour: tenant,
        dashed: false,
        points: cell.utilisation.iter().enumerate().map(|window| point(tenant, window)).collect(),
    };
    Chart {
        title: format!("{} under {}", cell.case.name(), cell.setting.name()),
        note: format!("{gpu}; work done in windows of 100 ms"),
        x: axis("seconds", None),
        y: axis("% of what one program alone does", Some(0.0)),
        series: (0..tenants).map(series).collect(),
    }
}

//! `outhaul bench share`: tenants on one GPU, on the driver alone, under MPS, and on a node under
//! each of its policies. The programs count their own completed work, so the results do not depend
//! on the node's accounts.

pub mod burst_program;
mod case;
mod gpu_activity;
mod performance;
pub mod sharing_way;
mod timeline;

use crate::error::Error;
use crate::measurement::process;
use crate::measurement::progress::Progress;
use crate::measurement::scratch;
use crate::report::chart::{Axis, Chart, Point, Series};
use burst_program::{Calibration, Played, now_ns};
use case::{Case, Program, SECOND_NS, settled_ns};
use clap::ValueEnum;
use performance::Performance;
use serde::{Deserialize, Serialize};
use sharing_way::{Column, Copies, Setting, Stage, tenant_name};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Time within which all programs of a case must start.
const START_NS: u64 = 3 * SECOND_NS;
const START_NS_EACH: u64 = SECOND_NS / 4;
const LIMIT_S: u64 = 60;
/// Number of windows in a chart of which each is 100 ms; a longer chart has windows of a second.
const PICTURE_WINDOWS_MAX: u64 = 300;

/// Measure how tenants share one GPU: shares, latencies and lost time, under each policy.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul bench share --gpu soft --seconds 4
  outhaul bench share pair50 pair70 --setting driver,weighted --plots figures
  outhaul bench share copies --setting fifo,credit,band,weighted --copies joint,separate
  outhaul bench share pair50 four --apart-seconds 30 --seconds 169 --plots figures
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
    /// Whether copies have turns of their own on a node, or take turns together with kernels.
    /// Several ways make several columns.
    #[arg(long, value_name = "WAY,...", value_delimiter = ',', default_value = "separate")]
    copies: Vec<Copies>,
    /// GPU to measure: this machine's own (`auto`), the software GPU (`soft`), or the path of a
    /// libcuda.so.1.
    #[arg(long, value_name = "auto|soft|PATH", default_value = "auto")]
    gpu: String,
    /// Seconds of measurement for each case.
    #[arg(long, value_name = "S", default_value_t = 8,
        value_parser = clap::value_parser!(u64).range(2..=600))]
    seconds: u64,
    /// Seconds between the starts of the tenants, in cases that start one after the other; the Gdev
    /// paper has 30 [default: each case's own].
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=60))]
    apart_seconds: Option<u64>,
    /// Program that starts the program that goes around the node in the case `around`, to show what
    /// stops it [default: none].
    #[arg(long, value_name = "PROGRAM")]
    around_under: Option<PathBuf>,
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
    copy_bytes_per_ms: f64,
    cells: Vec<Cell>,
}

/// One case in one setting.
#[derive(Serialize, Deserialize)]
struct Cell {
    case: Case,
    setting: Setting,
    #[serde(default)]
    copies: Copies,
    /// The case's figure; none if the case failed.
    figure: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    unit: String,
    /// Remark about an aspect that the figure does not show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
    /// Length of a window of the following lists.
    #[serde(default)]
    window_ns: u64,
    /// Each tenant's computing in percent of the time, by window.
    utilisation: Vec<Vec<f64>>,
    /// The same of its copying; empty if no program copies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    copying: Vec<Vec<f64>>,
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
    let speed: Calibration =
        parse(&process::output(command, LIMIT_S).map_err(Error::Bench)?).map_err(Error::Bench)?;
    let mut results = Results {
        gpu: speed.gpu.clone(),
        seconds: arguments.seconds,
        rounds_per_ms: speed.rounds_per_ms,
        copy_bytes_per_ms: speed.copy_bytes_per_ms,
        cells: Vec::new(),
    };
    let columns = arguments.columns();
    let mut progress = Progress::new(arguments.cases.len() * columns.len());
    for case in &arguments.cases {
        for column in &columns {
            progress.next(&format!("{} {}", case.name(), column.name()));
            let measured = cell(arguments, cache, *case, *column, &speed).unwrap_or_else(|error| {
                Measured { error: Some(error.to_string()), ..Measured::default() }
            });
            results.cells.push(Cell {
                case: *case,
                setting: column.setting,
                copies: column.copies,
                figure: measured.figure,
                error: measured.error,
                unit: case.unit().to_owned(),
                remark: measured.remark,
                window_ns: measured.window_ns,
                utilisation: measured.utilisation,
                copying: measured.copying,
            });
            // If the run is interrupted, the file has the results so far.
            save(arguments, &results)?;
        }
    }
    Ok(results)
}

impl Arguments {
    fn columns(&self) -> Vec<Column> {
        Column::all(&self.settings, &self.copies)
    }
}

fn parse<T: serde::de::DeserializeOwned>(printed: &str) -> Result<T, String> {
    serde_json::from_str(printed.trim())
        .map_err(|error| format!("its output is not understood: {error}"))
}

#[derive(Default)]
struct Measured {
    figure: Option<f64>,
    error: Option<String>,
    remark: Option<String>,
    window_ns: u64,
    utilisation: Vec<Vec<f64>>,
    copying: Vec<Vec<f64>>,
}

fn cell(
    arguments: &Arguments,
    cache: &Path,
    case: Case,
    column: Column,
    speed: &Calibration,
) -> Result<Measured, Error> {
    if case.needs_node() && !column.setting.is_node() {
        return Err(Error::Bench(
            "nobody keeps accounts there; choose a setting of a node, as --setting weighted".into(),
        ));
    }
    let stage = column.open(&arguments.gpu, cache, &case.terms())?;
    let programs = case.programs_apart(arguments.apart_seconds.map(|seconds| seconds * 1000));
    let settled_ns = settled_ns(&programs);
    let lasts_ns = settled_ns + arguments.seconds * SECOND_NS;
    let plan = Plan { stage: &stage, lasts_ns, speed, under: arguments.around_under.as_deref() };
    let alone = match case.alone() {
        0 => Vec::new(),
        count => plan.perform(&programs[..count])?.played,
    };
    let Performed { from_ns, played, refused } = plan.perform(&programs)?;
    let accounted_ns = if case.needs_node() { stage.computed_ns()? } else { None };
    let performance = Performance {
        programs: &programs,
        played: &played,
        until_ns: from_ns + lasts_ns,
        settled_ns: from_ns + settled_ns,
        alone: &alone,
        refused: refused.as_deref(),
        accounted_ns,
    };
    let tenth_ns = SECOND_NS / 10;
    let window_ns = if lasts_ns / tenth_ns > PICTURE_WINDOWS_MAX { SECOND_NS } else { tenth_ns };
    let use_of = |timelines: &[timeline::Timeline]| {
        timeline::utilisation(timelines, from_ns, performance.until_ns, window_ns)
    };
    let copying = performance.copying();
    Ok(Measured {
        figure: Some(performance.figure(case)),
        error: None,
        remark: performance.remark(case),
        window_ns,
        utilisation: use_of(&performance.timelines()),
        copying: if copying.is_empty() { Vec::new() } else { use_of(&copying) },
    })
}

/// Where and for how long the programs of a case run.
struct Plan<'a> {
    stage: &'a Stage,
    lasts_ns: u64,
    speed: &'a Calibration,
    /// The program that starts a program that goes around the node.
    under: Option<&'a Path>,
}

/// A run of a case's programs.
struct Performed {
    /// When the programs began.
    from_ns: u64,
    /// The programs' records; an empty one of a program that could not go around the node.
    played: Vec<Played>,
    /// Why a program could not go around the node.
    refused: Option<String>,
}

impl Plan<'_> {
    /// Runs the programs by a common clock.
    fn perform(&self, programs: &[Program]) -> Result<Performed, Error> {
        let from_ns = now_ns() + START_NS + START_NS_EACH * programs.len() as u64;
        let limit_s = (from_ns - now_ns() + self.lasts_ns) / SECOND_NS + LIMIT_S;
        let run = |program: &Program| -> Result<Played, String> {
            let command = self.command(program, from_ns).map_err(|error| error.to_string())?;
            parse(&process::output(command, limit_s)?)
        };
        let records: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> =
                programs.iter().map(|program| scope.spawn(|| run(program))).collect();
            running
                .into_iter()
                .map(|run| run.join().unwrap_or_else(|_| Err("a thread died".into())))
                .collect()
        });
        let mut performed = Performed { from_ns, played: Vec::new(), refused: None };
        for (program, record) in programs.iter().zip(records) {
            performed.played.push(match record {
                Ok(played) => played,
                Err(why) if program.goes_around => {
                    performed.refused = Some(why);
                    Played::default()
                }
                Err(why) => return Err(Error::Bench(why)),
            });
        }
        Ok(performed)
    }

    fn command(&self, program: &Program, from_ns: u64) -> Result<Command, Error> {
        let mut command = if program.goes_around {
            self.stage.around(self.under)?
        } else {
            self.stage.program(program.tenant)?
        };
        let rounds = (program.kernel_us as f64 * 1e-3 * self.speed.rounds_per_ms).max(1.0) as u64;
        let copy_bytes = (program.copy_us as f64 * 1e-3 * self.speed.copy_bytes_per_ms) as u64;
        // Marks two milliseconds apart are close enough to show turns.
        let mark = (2_000 / program.kernel_us.max(1)).max(1);
        let mut options = vec![
            ("--rounds", rounds),
            ("--kernels", program.kernels as u64),
            ("--mark", mark),
            ("--pause-us", program.pause_us),
            ("--copy-bytes", copy_bytes),
            ("--from-ns", from_ns + program.starts_ms * 1_000_000),
            ("--until-ns", from_ns + self.lasts_ns),
        ];
        if program.timed {
            // The buffer of times holds twice as many kernels as fit in `lasts_ns`.
            let kernels = 2 * self.lasts_ns / (program.kernel_us * 1000) + program.kernels as u64;
            options.push(("--timed", kernels));
        }
        command.args(["bench", "player"]);
        for (name, value) in options {
            command.args([name, &value.to_string()]);
        }
        Ok(command)
    }
}

fn table(arguments: &Arguments, results: &Results) -> String {
    let columns = arguments.columns();
    let mut text =
        format!("{}; {} s for each case\n{:<12} {:<10}", results.gpu, results.seconds, "", "");
    for column in &columns {
        text += &format!(" {:>13}", column.name());
    }
    text.push('\n');
    let mut remarks = Vec::new();
    for case in &arguments.cases {
        text += &format!("{:<12} {:<10}", case.name(), case.unit());
        for column in &columns {
            let cell =
                results.cells.iter().find(|cell| cell.case == *case && cell.column() == *column);
            text += &match cell.and_then(|cell| cell.figure) {
                Some(figure) => format!(" {figure:>13.2}"),
                None => format!(" {:>13}", "-"),
            };
            let remark = cell.and_then(|cell| cell.error.clone().or(cell.remark.clone()));
            remarks.extend(
                remark.map(|remark| format!("{} {}: {remark}\n", case.name(), column.name())),
            );
        }
        text.push('\n');
    }
    text + &remarks.concat()
}

impl Cell {
    fn column(&self) -> Column {
        Column { setting: self.setting, copies: self.copies }
    }
}

fn save(arguments: &Arguments, results: &Results) -> Result<(), Error> {
    if let Some(file) = &arguments.json {
        crate::report::file::write_json(file, results)?;
    }
    if let Some(file) = &arguments.csv {
        let row = |cell: &Cell| {
            let figure = cell.figure.map(|figure| figure.to_string()).unwrap_or_default();
            format!("{},{},{figure},{}\n", cell.case.name(), cell.column().name(), cell.unit)
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
            let name = format!("share-{}-{}", cell.case.name(), cell.column().name());
            let draw = |name: &str, chart: Chart| {
                crate::report::file::write(&folder.join(format!("{name}.svg")), chart.svg())
            };
            draw(&name, cell.chart("", &cell.utilisation, &results.gpu))?;
            if !cell.copying.is_empty() {
                let chart = cell.chart(", copies", &cell.copying, &results.gpu);
                draw(&(name + "-copies"), chart)?;
            }
        }
    }
    Ok(())
}

impl Cell {
    /// Draws the use of each tenant over time.
    fn chart(&self, part: &str, windows: &[Vec<f64>], gpu: &str) -> Chart {
        let axis = |label: &str, mark| Axis { label: label.into(), logarithmic: false, mark };
        let point = |tenant: usize, (i, window): (usize, &Vec<f64>)| {
            let x = (i as u64 * self.window_ns) as f64 / SECOND_NS as f64;
            Point { x, y: window[tenant], range: None }
        };
        let programs = self.case.programs();
        let name = |tenant: usize| {
            let goes_around =
                programs.iter().any(|program| program.tenant == tenant && program.goes_around);
            if goes_around { "around the node".into() } else { tenant_name(tenant) }
        };
        let series = |tenant: usize| Series {
            name: name(tenant),
            colour: tenant,
            dashed: false,
            points: windows.iter().enumerate().map(|window| point(tenant, window)).collect(),
        };
        Chart {
            title: format!("{} under {}{part}", self.case.name(), self.column().name()),
            note: format!("{gpu}; work done in windows of {} ms", self.window_ns / 1_000_000),
            x: axis("seconds", None),
            y: axis("% of what one program alone does", Some(0.0)),
            series: (0..windows.first().map_or(0, Vec::len)).map(series).collect(),
        }
    }
}

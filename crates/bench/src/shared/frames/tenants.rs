//! `outhaul bench frames --tenants`: rising numbers of programs draw frames at one rate on one
//! node. Reports whether their frames are in time. Equation 2 of "A Case for Remote GPUs over 10GbE
//! Network for VR Applications" gives the condition. Frames are in time while the GPU times of all
//! frames, each measured alone, add up to less than a tick.

use super::headset::{Calibration, Drawn, tick_ns};
use crate::error::Error;
use crate::measurement::case::Scale;
use crate::measurement::process;
use crate::measurement::process::Server;
use crate::measurement::progress::Progress;
use crate::measurement::results::{median, quantile};
use crate::measurement::scratch;
use crate::report::chart::{Axis, Chart, Point, Series};
use crate::report::file::{write, write_json};
use crate::report::plots;
use crate::shared::share::burst_program::now_ns;
use clap::ValueEnum;
use outhaul_share::PolicyName;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const SECOND_NS: u64 = 1_000_000_000;
/// Time in which all programs must have started.
const START_NS: u64 = 3 * SECOND_NS;
const START_NS_EACH: u64 = SECOND_NS / 2;
const LIMIT_S: u64 = 60;

#[derive(clap::Args)]
#[command(next_help_heading = "Tenants that draw frames at a fixed rate, on one node")]
pub struct Options {
    /// Numbers of programs that draw at once, separated by commas: `outhaul bench frames --tenants
    /// 1,2,3,4,5`.
    #[arg(long, value_name = "N,...", value_delimiter = ',',
        value_parser = clap::value_parser!(u16).range(1..=64))]
    #[arg(conflicts_with_all = ["links", "runs", "compare", "from", "here", "energy",
        "client_under", "within_s", "list", "curves"])]
    tenants: Vec<u16>,
    /// Frames per second of each program [default: 90 on a GPU, 5 on the software GPU].
    #[arg(long, value_name = "N", requires = "tenants",
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    fps: Option<u16>,
    /// GPU time of one frame alone, in percent of a tick. It determines the number of objects.
    #[arg(long, value_name = "PERCENT", requires = "tenants", default_value_t = 28,
        value_parser = clap::value_parser!(u16).range(1..=200))]
    load: u16,
    /// Seconds for which the programs draw.
    #[arg(long, value_name = "S", requires = "tenants", default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
}

/// The benchmark's other arguments that apply to this measurement: the GPU, and the files for
/// results.
pub struct Setting<'a> {
    pub gpu: &'a str,
    pub scale: Option<Scale>,
    pub policy: Option<PolicyName>,
    pub json: Option<&'a Path>,
    pub csv: Option<&'a Path>,
    pub plots: Option<&'a Path>,
}

#[derive(Serialize)]
struct Results {
    outhaul: &'static str,
    cores: usize,
    policy: Option<String>,
    seconds: u64,
    alone: Calibration,
    rows: Vec<Row>,
}

/// The result for one number of tenants.
#[derive(Serialize)]
struct Row {
    tenants: u16,
    /// GPU time of all frames in a tick, in percent of the tick.
    load_percent: f64,
    equation_2_holds: bool,
    each: Vec<Drawn>,
}

impl Options {
    /// Returns whether the options ask for this measurement.
    pub fn are_given(&self) -> bool {
        !self.tenants.is_empty()
    }
}

/// Runs `outhaul bench frames --tenants`.
pub fn execute(options: &Options, setting: &Setting) -> Result<ExitCode, Error> {
    let cache = scratch::for_caches()?;
    let results = measure(options, setting, cache.path())?;
    drop(cache);
    print!("{}", table(&results));
    save(setting, &results)?;
    if let Some(folder) = setting.plots {
        plots::draw(&[("frames-tenants".into(), chart(&results))], folder)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(options: &Options, setting: &Setting, cache: &Path) -> Result<Results, Error> {
    let stage = Stage::open(setting, cache)?;
    let mut progress = Progress::new(options.tenants.len() + 1);
    progress.next("one frame alone");
    let alone = stage.alone(options)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let policy = setting.policy.map(|policy| policy.to_string());
    let mut results = Results {
        outhaul: env!("CARGO_PKG_VERSION"),
        cores,
        policy,
        seconds: options.seconds,
        alone,
        rows: Vec::new(),
    };
    for tenants in options.tenants.iter().copied() {
        progress.next(&format!("{tenants} at once"));
        let each = stage.together(tenants, &results.alone, options.seconds)?;
        let load_percent =
            f64::from(tenants) * results.alone.gpu_us * 1e5 / tick_ns(results.alone.fps) as f64;
        results.rows.push(Row {
            tenants,
            load_percent,
            equation_2_holds: load_percent < 100.0,
            each,
        });
        // If the run is interrupted, the file has the results so far.
        save(setting, &results)?;
    }
    Ok(results)
}

/// The running node, and the settings for each program.
struct Stage {
    node: Server,
    outhaul: PathBuf,
    scale: Option<Scale>,
}

impl Stage {
    fn open(setting: &Setting, cache: &Path) -> Result<Stage, Error> {
        let outhaul = process::executable()?;
        let mut command = Command::new(&outhaul);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--gpu", setting.gpu, "--cache"])
            .arg(cache);
        if let Some(policy) = setting.policy {
            command.arg("--policy").arg(policy.to_string());
        }
        Ok(Stage { node: Server::start(command)?, outhaul, scale: setting.scale })
    }

    fn headset(&self, tenant: u16) -> Command {
        let mut command = Command::new(&self.outhaul);
        command.args([
            "run",
            "--node",
            &self.node.address,
            "--tenant",
            &format!("tenant{}", tenant + 1),
            "--",
        ]);
        command.arg(&self.outhaul).args(["bench", "headset"]);
        if let Some(scale) = self.scale.and_then(|scale| scale.to_possible_value()) {
            command.args(["--scale", scale.get_name()]);
        }
        command
    }

    fn alone(&self, options: &Options) -> Result<Calibration, Error> {
        let mut command = self.headset(0);
        command.args(["--calibrate", &options.load.to_string()]);
        command.args(options.fps.iter().flat_map(|fps| ["--fps".to_owned(), fps.to_string()]));
        output(command, LIMIT_S).map_err(Error::Bench)
    }

    /// Runs `tenants` programs at once, on the same ticks.
    fn together(
        &self,
        tenants: u16,
        alone: &Calibration,
        seconds: u64,
    ) -> Result<Vec<Drawn>, Error> {
        let from_ns = now_ns() + START_NS + START_NS_EACH * u64::from(tenants);
        let limit_s = (from_ns - now_ns()) / SECOND_NS + seconds + LIMIT_S;
        let ticks = seconds * u64::from(alone.fps);
        let run = |tenant: u16| {
            let mut command = self.headset(tenant);
            command.args([
                "--fps",
                &alone.fps.to_string(),
                "--objects",
                &alone.objects.to_string(),
            ]);
            command.args(["--from-ns", &from_ns.to_string(), "--ticks", &ticks.to_string()]);
            output(command, limit_s)
        };
        let drawn: Result<Vec<Drawn>, String> = std::thread::scope(|scope| {
            let run = &run;
            let running: Vec<_> =
                (0..tenants).map(|tenant| scope.spawn(move || run(tenant))).collect();
            running
                .into_iter()
                .map(|run| run.join().unwrap_or_else(|_| Err("a thread died".into())))
                .collect()
        });
        drawn.map_err(Error::Bench)
    }
}

fn output<T: serde::de::DeserializeOwned>(command: Command, limit_s: u64) -> Result<T, String> {
    let printed = process::output(command, limit_s)?;
    serde_json::from_str(printed.trim())
        .map_err(|error| format!("a program's output is not understood: {error}"))
}

impl Row {
    /// Returns the sum of a count over all programs, in percent of all ticks.
    fn percent(&self, of: fn(&Drawn) -> u64) -> f64 {
        100.0 * self.sum(of) as f64 / self.sum(|drawn| drawn.ticks.next()).max(1) as f64
    }

    fn sum(&self, of: fn(&Drawn) -> u64) -> u64 {
        self.each.iter().map(of).sum()
    }
}

fn about(results: &Results) -> String {
    let alone = &results.alone;
    let caution = if alone.software { "; the software GPU: says nothing about a GPU" } else { "" };
    format!("{}, {} cores, Outhaul {}{caution}", alone.gpu, results.cores, results.outhaul)
}

fn table(results: &Results) -> String {
    let alone = &results.alone;
    let mut text = format!(
        "{}\n{} frames a second of {} x {} with {} objects: {:.2} ms of the GPU for each, alone; \
        {} s\n\n\
         {:>7} {:>12} {:>10} {:>8} {:>8} {:>8}   {}\n",
        about(results),
        alone.fps,
        alone.width,
        alone.height,
        alone.objects,
        alone.gpu_us / 1e3,
        results.seconds,
        "tenants",
        "GPU's times",
        "Equation 2",
        "in time",
        "late",
        "dropped",
        "each: in time/late/dropped, whole time of a frame"
    );
    for row in &results.rows {
        let holds = if row.equation_2_holds { "holds" } else { "does not" };
        let (in_time, late, dropped) =
            (row.sum(|d| d.ticks.in_time), row.sum(|d| d.ticks.late), row.sum(|d| d.ticks.dropped));
        let each: Vec<String> = row.each.iter().map(of_one).collect();
        text += &format!(
            "{:>7} {:>10.1} % {holds:>10} {in_time:>8} {late:>8} {dropped:>8}   {}\n",
            row.tenants,
            row.load_percent,
            each.join(", ")
        );
    }
    text
}

fn of_one(drawn: &Drawn) -> String {
    let Drawn { ticks, whole_us } = drawn;
    format!("{}/{}/{} {:.1} ms", ticks.in_time, ticks.late, ticks.dropped, median(whole_us) / 1e3)
}

fn save(setting: &Setting, results: &Results) -> Result<(), Error> {
    if let Some(file) = setting.json {
        write_json(file, results)?;
    }
    let Some(file) = setting.csv else { return Ok(()) };
    let line = |row: &Row, (tenant, drawn): (usize, &Drawn)| {
        let Drawn { ticks, whole_us } = drawn;
        let (half, most) = (median(whole_us), quantile(whole_us, 0.99));
        let counts = format!("{},{},{}", ticks.in_time, ticks.late, ticks.dropped);
        format!(
            "{},{},{},{},{counts},{half},{most}\n",
            row.tenants,
            row.load_percent,
            row.equation_2_holds,
            tenant + 1
        )
    };
    let lines: String = results
        .rows
        .iter()
        .flat_map(|row| row.each.iter().enumerate().map(|each| line(row, each)))
        .collect();
    let head = "tenants,load_percent,equation_2_holds,tenant,in_time,late,dropped,\
                whole_us_median,whole_us_99\n";
    write(file, head.to_owned() + &lines)
}

fn chart(results: &Results) -> Chart {
    let series = |name: &str, colour: usize, of: fn(&Drawn) -> u64| {
        let point = |row: &Row| Point { x: row.load_percent, y: row.percent(of), range: None };
        let mut points: Vec<Point> = results.rows.iter().map(point).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Series { name: name.into(), colour, dashed: false, points }
    };
    let limit = [0.0, 100.0].map(|y| Point { x: 100.0, y, range: None }).to_vec();
    let axis = |label: &str| Axis { label: label.into(), logarithmic: false, mark: None };
    Chart {
        title: format!("frames of tenants on one GPU, {} a second", results.alone.fps),
        note: about(results),
        x: axis("GPU's times of all frames, each as alone, % of a tick"),
        y: axis("% of all ticks"),
        series: vec![
            series("in time", 2, |drawn| drawn.ticks.in_time),
            series("late", 4, |drawn| drawn.ticks.late),
            series("dropped", 1, |drawn| drawn.ticks.dropped),
            Series {
                name: "Equation 2 holds left of it".into(),
                colour: 7,
                dashed: true,
                points: limit,
            },
        ],
    }
}

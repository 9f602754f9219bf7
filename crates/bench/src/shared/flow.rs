//! `outhaul bench flow`: graphs whose nodes are separate programs. The programs pass matrices on
//! through the host's memory, or leave them in device memory that they share by key. All programs
//! start in advance, so that the time of a node does not include the creation of a context.

pub mod adder_program;
mod graph;

use super::share::sharing_way::{Setting, Stage};
use crate::error::Error;
use crate::measurement::process::Talk;
use crate::measurement::results::{median, range};
use crate::measurement::scratch;
use clap::ValueEnum;
use graph::{Graph, Shape};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Maximum number of programs that open the GPU at once. Some drivers open the GPU for one program
/// at a time, and the last of many would wait very long.
const STARTED_AT_ONCE: usize = 16;
/// A folder whose files are in memory.
const FOLDER: &str = "/dev/shm";

/// Measure graphs of programs that pass their results on, through the host or in shared device
/// memory.
#[derive(clap::Args)]
#[command(after_help = "\
Each node adds two matrices in a program of its own. Results are checked. Times are of a whole \
graph, from the first node's start to the last node's end;
what it takes to start the programs is reported separately.

Examples:
  outhaul bench flow
  outhaul bench flow --side 512 --runs 20 --json flow.json
  outhaul bench flow --gpu soft --side 256 --levels 3 --width 4")]
pub struct Arguments {
    /// Number of rows and columns of each matrix.
    #[arg(long, value_name = "N", default_value_t = 1024,
        value_parser = clap::value_parser!(u16).range(1..=8192))]
    side: u16,
    /// Number of levels of the tree and of the rectangle. A tree of 6 levels has 63 nodes.
    #[arg(long, value_name = "N", default_value_t = 6,
        value_parser = clap::value_parser!(u32).range(2..=6))]
    levels: u32,
    /// Width of the rectangle in nodes; the tree's follows from its levels. A tenant may have 128
    /// segments.
    #[arg(long, value_name = "N", default_value_t = 10,
        value_parser = clap::value_parser!(u16).range(2..=16))]
    width: u16,
    /// Number of runs of each graph, after one that is not counted.
    #[arg(long, value_name = "N", default_value_t = 10,
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    runs: u16,
    /// Settings in which the programs run: on the driver alone, or on a node under a policy.
    #[arg(
        long = "setting",
        value_name = "NAME,...",
        value_delimiter = ',',
        default_value = "driver,weighted"
    )]
    settings: Vec<Setting>,
    /// GPU to measure: this machine's own (`auto`), the software GPU (`soft`), or the path of a
    /// libcuda.so.1.
    #[arg(long, value_name = "auto|soft|PATH", default_value = "auto")]
    gpu: String,
    /// File for the results as JSON [default: not written].
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A way in which a matrix gets from one program to the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FlowMethod {
    /// As a file in memory that each program maps in each run and copies to the device and back.
    Host,
    /// As `Host`, but programs keep their mappings.
    HostKept,
    /// In device memory shared by key, which each program attaches in each run.
    Segments,
    /// As `Segments`, but programs stay attached.
    SegmentsKept,
}

impl FlowMethod {
    fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self)
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    fn of_name(name: &str) -> Option<FlowMethod> {
        FlowMethod::from_str(name, false).ok()
    }

    fn is_segments(self) -> bool {
        matches!(self, FlowMethod::Segments | FlowMethod::SegmentsKept)
    }

    fn is_kept(self) -> bool {
        matches!(self, FlowMethod::HostKept | FlowMethod::SegmentsKept)
    }

    /// Returns the variant of this way without kept mappings or attachments.
    fn fresh(self) -> FlowMethod {
        if self.is_segments() { FlowMethod::Segments } else { FlowMethod::Host }
    }
}

#[derive(Serialize, Deserialize)]
struct Results {
    gpu: String,
    side: u16,
    levels: u32,
    width: u16,
    runs: u16,
    crews: Vec<Crew>,
}

/// The programs of one setting.
#[derive(Serialize, Deserialize)]
struct Crew {
    setting: Setting,
    programs: usize,
    /// Milliseconds until all programs were ready. Sixteen programs start at a time.
    started_ms: f64,
    /// Milliseconds that one program took to open the GPU: context, kernel and memory.
    opened_ms: f64,
    cells: Vec<Cell>,
}

#[derive(Serialize, Deserialize)]
struct Cell {
    shape: Shape,
    way: FlowMethod,
    makespans_ms: Vec<f64>,
}

/// Runs `outhaul bench flow`.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let cache = scratch::for_caches()?;
    let folder = scratch::within(Path::new(FOLDER))?;
    let results = measure(&arguments, cache.path(), folder.path())?;
    drop((cache, folder));
    print!("{}", table(&results));
    arguments
        .json
        .as_ref()
        .map_or(Ok(()), |file| crate::report::file::write_json(file, &results))?;
    Ok(ExitCode::SUCCESS)
}

fn measure(arguments: &Arguments, cache: &Path, folder: &Path) -> Result<Results, Error> {
    let &Arguments { side, levels, width, runs, .. } = arguments;
    let mut results = Results { gpu: String::new(), side, levels, width, runs, crews: Vec::new() };
    for setting in &arguments.settings {
        let stage = setting.open(&arguments.gpu, cache, &[(100, 0)])?;
        let shapes = [Shape::Tree, Shape::Rectangle]
            .map(|shape| (shape, shape.graph(levels, usize::from(width))));
        let programs = shapes.iter().map(|(_, graph)| graph.nodes.len()).max().unwrap_or(0);
        let begin = Instant::now();
        let (mut adders, mut greetings) = (Vec::new(), Vec::new());
        while adders.len() < programs {
            let batch = STARTED_AT_ONCE.min(programs - adders.len());
            let mut started =
                (0..batch).map(|_| start(&stage, side, folder)).collect::<Result<Vec<_>, _>>()?;
            started
                .iter_mut()
                .try_for_each(|adder| ready(adder).map(|greeting| greetings.push(greeting)))?;
            adders.append(&mut started);
        }
        let started_ms = begin.elapsed().as_secs_f64() * 1e3;
        let opened_ms = median(&greetings.iter().map(|(ms, _)| *ms).collect::<Vec<_>>());
        results.gpu = greetings.into_iter().map(|(_, gpu)| gpu).next().unwrap_or_default();
        let mut cells = Vec::new();
        for (shape, graph) in &shapes {
            for way in FlowMethod::value_variants()
                .iter()
                .filter(|way| setting.is_node() || !way.is_segments())
            {
                let run = |run| run_once(&mut adders, graph, *way, run);
                let makespans_ms =
                    (0..=u64::from(runs)).map(run).skip(1).collect::<Result<_, _>>()?;
                cells.push(Cell { shape: *shape, way: *way, makespans_ms });
            }
        }
        results.crews.push(Crew { setting: *setting, programs, started_ms, opened_ms, cells });
    }
    Ok(results)
}

fn start(stage: &Stage, side: u16, folder: &Path) -> Result<Talk, Error> {
    let mut command = stage.program(0)?;
    command.args(["bench", "adder", "--side", &side.to_string(), "--folder"]).arg(folder);
    Talk::start(command)
}

/// Returns the time that a program took to open the GPU, and the GPU's name.
fn ready(adder: &mut Talk) -> Result<(f64, String), Error> {
    let line = adder.receive()?;
    let mut words = line.splitn(3, ' ').skip(1);
    let opened_ms = words.next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN);
    Ok((opened_ms, words.next().unwrap_or_default().to_owned()))
}

/// Starts each node when both of its inputs are ready. Returns the makespan in milliseconds.
fn run_once(adders: &mut [Talk], graph: &Graph, way: FlowMethod, run: u64) -> Result<f64, Error> {
    let (factors, name) = (graph.factors(run), way.name());
    for input in 0..graph.inputs {
        let adder = &mut adders[input % graph.nodes.len()];
        adder.send(&format!("put {name} {input} {}", factors[input]))?;
        adder.receive()?;
    }
    let begin = Instant::now();
    let mut done = vec![false; graph.nodes.len()];
    for (node, [a, b]) in graph.nodes.iter().enumerate() {
        for before in [a, b].into_iter().filter_map(|place| place.checked_sub(graph.inputs)) {
            if !std::mem::replace(&mut done[before], true) {
                adders[before].receive()?;
            }
        }
        adders[node].send(&format!("add {name} {a} {b} {}", graph.inputs + node))?;
    }
    for node in (0..graph.nodes.len()).filter(|node| !done[*node]) {
        adders[node].receive()?;
    }
    let makespan_ms = begin.elapsed().as_secs_f64() * 1e3;
    for node in graph.nodes.len() - graph.ends..graph.nodes.len() {
        // A program other than the one that computed the result checks it.
        let adder = &mut adders[(node + 1) % graph.nodes.len()];
        adder.send(&format!(
            "check {name} {} {}",
            graph.inputs + node,
            factors[graph.inputs + node]
        ))?;
        adder.receive()?;
    }
    Ok(makespan_ms)
}

fn table(results: &Results) -> String {
    let Results { gpu, side, levels, width, runs, .. } = results;
    let mut text = format!(
        "{gpu}; matrices of {side} x {side}, medians of {runs} runs and their range, in ms\n"
    );
    let tree = format!("tree {levels} x {}", 1 << (levels - 1));
    text += &format!("{:<40} {tree:>28} {:>28}\n", "", format!("rectangle {levels} x {width}"));
    for crew in &results.crews {
        for way in FlowMethod::value_variants() {
            let cells = crew.cells.iter().filter(|cell| cell.way == *way).map(|cell| {
                let (least, most) = range(&cell.makespans_ms);
                format!(
                    " {:>28}",
                    format!("{:.2} ({least:.2} to {most:.2})", median(&cell.makespans_ms))
                )
            });
            let cells: String = cells.collect();
            if !cells.is_empty() {
                text += &format!("{:<12} {:<27}{cells}\n", crew.setting.name(), way.name());
            }
        }
    }
    let of = |setting: Setting| results.crews.iter().find(move |crew| crew.setting == setting);
    for node in results.crews.iter().filter(|crew| crew.setting.is_node()) {
        for host in of(Setting::Driver).into_iter().chain([node]) {
            for (by_host, by_segments) in [
                (FlowMethod::Host, FlowMethod::Segments),
                (FlowMethod::HostKept, FlowMethod::SegmentsKept),
            ] {
                let ratio =
                    |shape| host.makespan_ms(shape, by_host) / node.makespan_ms(shape, by_segments);
                let ratios = [Shape::Tree, Shape::Rectangle]
                    .map(|shape| format!(" {:>28}", format!("{:.2}x", ratio(shape))))
                    .concat();
                let of = |crew: &Crew, way: FlowMethod| {
                    format!("{} {}", crew.setting.name(), way.name())
                };
                let names = format!("{}/{}", of(host, by_host), of(node, by_segments));
                text += &format!("{names:<40}{ratios}\n");
            }
        }
    }
    for crew in &results.crews {
        let (setting, programs, started_s) =
            (crew.setting.name(), crew.programs, crew.started_ms / 1e3);
        text += &format!(
            "{setting}: {programs} programs started in {started_s:.2} s, each {:.0} ms to open the \
            GPU\n",
            crew.opened_ms
        );
    }
    text
}

impl Crew {
    fn makespan_ms(&self, shape: Shape, way: FlowMethod) -> f64 {
        let cell = self.cells.iter().find(|cell| (cell.shape, cell.way) == (shape, way));
        cell.map_or(f64::NAN, |cell| median(&cell.makespans_ms))
    }
}

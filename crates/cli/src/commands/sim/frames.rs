//! `outhaul sim frames`: simulates tasks with a frame rate on pooled GPUs over links. Prints each
//! method's frames and which of the paper's claims hold, and writes the figures. The placement
//! crate does the simulation.

use crate::error::Error;
use crate::pool;
use crate::quantity::counted;
use crate::table::Table;
use outhaul_bench::report::chart::{Axis, Chart, Point, Series};
use outhaul_bench::report::plots;
use outhaul_placement::claims_search::{self, Searched};
use outhaul_placement::figures::{self, Figure};
use outhaul_placement::frame_deadline::Promise;
use outhaul_placement::paper_claims::{self, Claim};
use outhaul_placement::policy::Policy;
use outhaul_placement::simulator::Window;
use outhaul_placement::study::{Method, Study, Sweep};
use outhaul_placement::tasks::Case;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Simulate the placement of tasks with a frame rate on GPUs over links.
#[derive(clap::Args)]
pub struct Arguments {
    /// Time-time curves: slope and offset (fit), transfer only (add), Outhaul's cost (calls), or
    /// measured ones from a file of `outhaul bench frames --curves` (csv:FILE). --search prints
    /// other slopes and offsets.
    #[arg(long, default_value = "fit", value_name = "fit|lines:...|add|calls|csv:FILE")]
    model: String,
    /// Check all claims for lines through the paper's two thresholds, with seeds 1, 7 and 42, and
    /// print which fail.
    #[arg(long, conflicts_with_all = ["model", "case", "n20", "n10", "method", "queue", "fps",
        "shown_fps", "seed", "out"])]
    search: bool,
    /// Loads of the tasks: up to 6 ms (low) or 8 ms (high) of GPU time per frame.
    #[arg(long, value_delimiter = ',', default_value = "high,low")]
    case: Vec<CaseName>,
    /// Number of GPUs on 20 Gb/s links.
    #[arg(long, default_value_t = 5)]
    n20: usize,
    /// Numbers of GPUs on 10 Gb/s links, one fleet for each number.
    #[arg(long, value_delimiter = ',', default_value = "0,5,10,15,20,25,30,45,60")]
    n10: Vec<usize>,
    /// Placement policies: the paper's 1, 2, 3; bf, wf, low+bf; ours.
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,ours")]
    method: Vec<Policy>,
    /// Parts of the queue that a policy sees: fifo, or window:N. Each policy runs with each of
    /// these.
    #[arg(long, value_delimiter = ',', default_value = "fifo,window:256")]
    queue: Vec<Window>,
    /// Frames per second that each task needs.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    fps: u32,
    /// Frames per second of the display in Fig 4.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1000))]
    shown_fps: u32,
    /// Total work of all tasks, in ms x frames.
    #[arg(long, default_value_t = 1e8)]
    work: f64,
    /// Seed of the random tasks.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Folder for the figures as CSV, SVG and PNG [default: no figures].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum CaseName {
    High,
    Low,
}

/// Simulates all methods and prints the figures and claims.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    if arguments.search {
        return search(arguments.work);
    }
    let curves = pool::curves(&arguments.model)?;
    let methods = arguments.method.iter().flat_map(|policy| {
        arguments.queue.iter().map(|window| Method { policy: *policy, window: *window })
    });
    let study = Study {
        promise: Promise::new(curves.clone(), arguments.fps),
        n20: arguments.n20,
        n10: arguments.n10.clone(),
        work: arguments.work,
        seed: arguments.seed,
        methods: methods.collect(),
    };
    let mut figures: Vec<Figure> = figures::time_time(&curves, arguments.shown_fps).into();
    let mut found = paper_claims::of_curves(&curves, arguments.shown_fps);
    let [mut high, mut low] = [None, None];
    for case in &arguments.case {
        let (case, kept) =
            if let CaseName::High = case { (Case::High, &mut high) } else { (Case::Low, &mut low) };
        let sweep = study.sweep(case)?;
        print_sweep(&sweep);
        figures.extend(figures::frames(&study, &sweep));
        *kept = Some(sweep);
    }
    let paper = Policy::PAPER
        .into_iter()
        .all(|policy| study.methods.contains(&Method { policy, window: Window::FIFO }));
    if let (Some(high), Some(low), true) = (high, low, paper) {
        found.extend(paper_claims::of_sweeps(&high, &low));
    }
    print_claims(&found);
    if let Some(folder) = &arguments.out {
        write(
            &figures,
            folder,
            &format!(
                "curves {}, {} fps, work {:e}, seed {}",
                arguments.model, arguments.fps, arguments.work, arguments.seed
            ),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Searches for lines that satisfy the paper's claims. C1 to C4 are about the lines alone, so only
/// lines that satisfy these are studied. Prints those first that fail the fewest claims.
fn search(work: f64) -> Result<ExitCode, Error> {
    let (studied, others): (Vec<_>, Vec<_>) = claims_search::grid()
        .into_iter()
        .map(claims_search::check_curves)
        .partition(|searched| searched.fail.is_empty());
    let mut counts = BTreeMap::<String, usize>::new();
    others.iter().for_each(|one| *counts.entry(one.fail.join(" ")).or_default() += 1);
    let checked = studied.into_iter().map(|searched| claims_search::check(searched.lines, work));
    let mut found = checked.collect::<Result<Vec<_>, _>>()?;
    found.sort_by_key(|searched| searched.fail.len());
    let mut table = Table::new(&["LINES", "FAIL"]);
    for Searched { lines, fail, .. } in found {
        let fail = if fail.is_empty() { "none".to_owned() } else { fail.join(" ") };
        table.row([format!("--model lines:{lines}"), fail]);
    }
    counts.into_iter().for_each(|(fail, count)| table.row([format!("{count} others"), fail]));
    print!("{table}");
    Ok(ExitCode::SUCCESS)
}

fn print_sweep(sweep: &Sweep) {
    println!("{:?} load: frames until all are done, and mean utilisation of the GPUs", sweep.case);
    for point in &sweep.points {
        println!(
            "  {}, {} of them behind 10 Gb/s: no fewer than {}; in the tasks' machines {}",
            counted(point.gpus, "GPU"),
            point.n10,
            point.bound,
            point.direct
        );
        for (method, frames, utilisation) in &point.runs {
            let over = *frames as f64 / point.bound.max(1) as f64;
            println!(
                "    {:<18} {frames:>8}  {over:.3} x bound  {:>5.1} %",
                method.to_string(),
                100.0 * utilisation
            );
        }
    }
}

fn print_claims(claims: &[Claim]) {
    for claim in claims {
        println!(
            "{:<4} {:<5} {}: {}",
            claim.name,
            if claim.holds { "holds" } else { "fails" },
            claim.text,
            claim.evidence
        );
    }
}

fn write(figures: &[Figure], folder: &Path, note: &str) -> Result<(), Error> {
    let charts: Vec<(String, Chart)> =
        figures.iter().map(|figure| (figure.name.to_owned(), chart(figure, note))).collect();
    plots::draw(&charts, folder)?;
    for figure in figures {
        let path = folder.join(format!("{}.csv", figure.name));
        outhaul_files::write_report(&path, figure.csv().as_bytes()).map_err(|error| Error::Io {
            doing: format!("cannot write {}", path.display()),
            error,
        })?;
    }
    Ok(())
}

fn chart(figure: &Figure, note: &str) -> Chart {
    // With many points, markers would hide the line.
    let every = |count: usize| count.div_ceil(40).max(1);
    let series = |(colour, line): (usize, &figures::Line)| Series {
        name: line.name.clone(),
        colour,
        dashed: line.limit,
        points: line
            .points
            .iter()
            .step_by(every(line.points.len()))
            .map(|(x, y)| Point { x: *x, y: *y, range: None })
            .collect(),
    };
    let axis = |label: &str| Axis { label: label.to_owned(), logarithmic: false, mark: None };
    Chart {
        title: figure.title.clone(),
        note: note.to_owned(),
        x: axis(figure.x),
        y: axis(figure.y),
        series: figure.lines.iter().enumerate().map(series).collect(),
    }
}

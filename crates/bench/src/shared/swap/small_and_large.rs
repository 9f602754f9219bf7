//! Measures rising numbers of small programs next to a large one of high priority, on a GPU that
//! cannot hold all of them. Compares the makespan with the time to compute, and with the time to
//! move the bytes that must move.

use super::arguments::Arguments;
use super::holder::whole_pieces;
use super::oversubscribed_node::{Holder, Moved, Stage, gpu_memory_options};
use crate::cases::pieces;
use crate::error::Error;
use crate::measurement::results::quantile;
use crate::report::chart::{Axis, Chart, Point, Series};
use crate::report::file::write_json;
use crate::report::plots;
use crate::report::table::align;
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// Memory of the GPU in bytes, unless an option names another size.
const GPU_BYTES: u64 = 16_000_000_000;
/// Size of the large program, as a part of GPU memory in hundredths of a percent. Programs have 10
/// GB and 1.28 GB of 16 GB. In the Gdev paper, programs have 1 GB and 128 MB of 1.6 GB.
const LARGE_HUNDREDTHS: u64 = 6250;
const SMALL_HUNDREDTHS: u64 = 800;
const LARGE: &str = "large";
/// Pause after each round of the large program, in round lengths. So the program computes a fifth
/// of the time.
const LARGE_PAUSE_ROUNDS: f64 = 4.0;
/// Number of rounds from which the length of a round is measured.
const TRIAL_ROUNDS: u32 = 5;
const ROUNDS_MAX: f64 = 1000.0;
const GB: f64 = 1e9;

#[derive(Serialize)]
struct Results {
    gpu: String,
    #[serde(rename = "card_bytes")]
    gpu_bytes: u64,
    large_bytes: u64,
    small_bytes: u64,
    /// Number of rounds of each small program.
    rounds: u32,
    /// Time of a round while the program runs alone, for each kind of program.
    small_round_ms: f64,
    large_round_ms: f64,
    /// Rate of pinned copies while one program runs alone.
    to_host_bytes_per_s: f64,
    to_device_bytes_per_s: f64,
    cells: Vec<Cell>,
}

/// The result for one number of small programs.
#[derive(Serialize)]
struct Cell {
    programs: usize,
    makespan_ms: f64,
    /// Total time of all rounds, if each program ran alone.
    compute_ms: f64,
    /// Bytes of all programs' memory beyond what the GPU holds. These bytes must move to the host
    /// and back.
    must_bytes: u64,
    limit_ms: f64,
    to_host: Moved,
    back: Moved,
    large_rounds_ms: Vec<f64>,
}

/// Runs `outhaul bench swap --beside`.
pub fn execute(arguments: &Arguments, cache: &Path) -> Result<(), Error> {
    let results = measure(arguments, cache)?;
    print!("{}", table(&results));
    if let Some(folder) = &arguments.plots {
        plots::draw(&[("swap-beside".to_owned(), chart(&results))], folder)?;
    }
    arguments.json.as_ref().map_or(Ok(()), |file| write_json(file, &results))
}

fn measure(arguments: &Arguments, cache: &Path) -> Result<Results, Error> {
    let gpu_bytes = arguments.gpu_memory.unwrap_or(GPU_BYTES);
    let part = |hundredths: u64| {
        whole_pieces((u128::from(gpu_bytes) * u128::from(hundredths) / 10_000) as u64)
    };
    let terms =
        ["--share".into(), format!("{LARGE}=50"), "--priority".into(), format!("{LARGE}=1")];
    let stage = Stage::open(
        arguments,
        cache,
        &[gpu_memory_options(Some(gpu_bytes)), terms.into()].concat(),
    )?;
    let [to_host_bytes_per_s, to_device_bytes_per_s] = pieces::pinned_rates(stage.program(&[]))?;
    let mut large = stage.start_holder(&["--tenant", LARGE], part(LARGE_HUNDREDTHS))?.ready()?;
    let mut smalls = vec![stage.holder(part(SMALL_HUNDREDTHS))?];
    let [large_round_ms, small_round_ms] = [alone(&mut large)?, alone(&mut smalls[0])?];
    let mut results = Results {
        gpu: large.gpu.clone(),
        gpu_bytes,
        large_bytes: part(LARGE_HUNDREDTHS),
        small_bytes: part(SMALL_HUNDREDTHS),
        rounds: (f64::from(arguments.work_ms) / small_round_ms).clamp(1.0, ROUNDS_MAX) as u32,
        small_round_ms,
        large_round_ms,
        to_host_bytes_per_s,
        to_device_bytes_per_s,
        cells: Vec::new(),
    };
    let mut counts = arguments.beside.clone();
    counts.sort_unstable();
    for count in counts.into_iter().map(usize::from) {
        let missing = count.saturating_sub(smalls.len());
        let started = (0..missing)
            .map(|_| stage.start_holder(&[], results.small_bytes))
            .collect::<Result<Vec<_>, _>>()?;
        for small in started {
            smalls.push(small.ready()?);
        }
        let cell = compete(&stage, &results, &mut large, &mut smalls)?;
        results.cells.push(cell);
    }
    large.finish()?;
    smalls.into_iter().try_for_each(Holder::finish)?;
    Ok(results)
}

/// Measures a program's round while no other program computes.
fn alone(holder: &mut Holder) -> Result<f64, Error> {
    // The first round may have to move memory back.
    holder.round()?;
    let begin = Instant::now();
    holder.start_rounds(TRIAL_ROUNDS)?;
    (0..TRIAL_ROUNDS).try_for_each(|_| holder.wait_round())?;
    Ok(begin.elapsed().as_secs_f64() * 1e3 / f64::from(TRIAL_ROUNDS))
}

/// Runs all small programs at once, and the large one now and then, until the last small one has
/// finished.
fn compete(
    stage: &Stage,
    results: &Results,
    large: &mut Holder,
    smalls: &mut [Holder],
) -> Result<Cell, Error> {
    let (before, over) = (stage.moved()?, AtomicBool::new(false));
    let pause = Duration::from_secs_f64(results.large_round_ms * LARGE_PAUSE_ROUNDS / 1e3);
    let begin = Instant::now();
    let (makespan_ms, large_rounds_ms) = std::thread::scope(|scope| {
        let large = scope.spawn(|| now_and_then(large, pause, &over));
        let done = smalls.iter_mut().try_for_each(|small| small.start_rounds(results.rounds));
        let done = done.and_then(|()| {
            smalls
                .iter_mut()
                .try_for_each(|small| (0..results.rounds).try_for_each(|_| small.wait_round()))
        });
        let makespan_ms = begin.elapsed().as_secs_f64() * 1e3;
        over.store(true, SeqCst);
        let rounds = large.join().map_err(|_| {
            Error::Bench(
                "the thread that drives the large program panicked, see above: run the benchmark \
            again, and report it if it happens again"
                    .into(),
            )
        })?;
        done.and(rounds).map(|rounds| (makespan_ms, rounds))
    })?;
    let after = stage.moved()?;
    let programs = smalls.len();
    let all_bytes = results.large_bytes + results.small_bytes * programs as u64;
    let must_bytes = all_bytes.saturating_sub(results.gpu_bytes);
    let small_rounds = f64::from(results.rounds) * programs as f64;
    let compute_ms = small_rounds * results.small_round_ms
        + large_rounds_ms.len() as f64 * results.large_round_ms;
    let move_s = must_bytes as f64 / results.to_host_bytes_per_s
        + must_bytes as f64 / results.to_device_bytes_per_s;
    Ok(Cell {
        programs,
        makespan_ms,
        compute_ms,
        must_bytes,
        limit_ms: compute_ms + move_s * 1e3,
        to_host: after.0.since(&before.0),
        back: after.1.since(&before.1),
        large_rounds_ms,
    })
}

fn now_and_then(large: &mut Holder, pause: Duration, over: &AtomicBool) -> Result<Vec<f64>, Error> {
    let mut rounds_ms = Vec::new();
    while !over.load(SeqCst) {
        let begin = Instant::now();
        large.round()?;
        rounds_ms.push(begin.elapsed().as_secs_f64() * 1e3);
        std::thread::sleep(pause);
    }
    Ok(rounds_ms)
}

fn table(results: &Results) -> String {
    let Results { gpu, rounds, small_round_ms, large_round_ms, .. } = results;
    let gb = |bytes: u64| bytes as f64 / GB;
    let (gpu_gb, large, small) =
        (gb(results.gpu_bytes), gb(results.large_bytes), gb(results.small_bytes));
    let mut text = format!(
        "{gpu}, taken for a GPU of {gpu_gb:.1} GB; {large:.2} GB at high priority next to \
        programs of {small:.2} GB\n"
    );
    text += &format!(
        "a small program: {rounds} rounds of {small_round_ms:.2} ms; the large one: \
        {large_round_ms:.2} ms a fifth of the time\n"
    );
    let (to_host, to_device) =
        (results.to_host_bytes_per_s / GB, results.to_device_bytes_per_s / GB);
    text += &format!(
        "pinned copies of a program alone: {to_host:.1} GB/s to the host, {to_device:.1} GB/s to \
        the device\n"
    );
    let head = [
        "PROGRAMS",
        "MAKESPAN",
        "LIMIT",
        "RATIO",
        "MUST MOVE",
        "TO HOST",
        "",
        "BACK",
        "",
        "LARGE, P50",
        "WORST",
    ];
    let mut lines = vec![head.map(str::to_owned)];
    for cell in &results.cells {
        let ms = |ms: f64| format!("{ms:.1} ms");
        let moved = |moved: &Moved| format!("{:.2} GB", moved.gb());
        lines.push([
            cell.programs.to_string(),
            ms(cell.makespan_ms),
            ms(cell.limit_ms),
            format!("{:.2}", cell.makespan_ms / cell.limit_ms),
            format!("{:.2} GB", gb(cell.must_bytes)),
            moved(&cell.to_host),
            cell.to_host.rate(),
            moved(&cell.back),
            cell.back.rate(),
            ms(quantile(&cell.large_rounds_ms, 0.5)),
            ms(quantile(&cell.large_rounds_ms, 1.0)),
        ]);
    }
    text + &align(&lines, 0)
}

fn chart(results: &Results) -> Chart {
    let series = |name: &str, colour, dashed, y: fn(&Cell) -> f64| Series {
        name: name.to_owned(),
        colour,
        dashed,
        points: results
            .cells
            .iter()
            .map(|cell| Point { x: cell.programs as f64, y: y(cell), range: None })
            .collect(),
    };
    let axis = |label: &str| Axis { label: label.to_owned(), logarithmic: false, mark: None };
    let [gpu_gb, large, small] = [results.gpu_bytes, results.large_bytes, results.small_bytes]
        .map(|bytes| bytes as f64 / GB);
    Chart {
        title: "Small programs next to a large one".to_owned(),
        note: format!(
            "{}, taken for {gpu_gb:.1} GB; {large:.2} GB at high priority next to programs \
            of {small:.2} GB",
            results.gpu
        ),
        x: axis("small programs"),
        y: axis("until all are done, ms"),
        series: vec![
            series("measured", 0, false, |cell| cell.makespan_ms),
            series("computing alone", 2, false, |cell| cell.compute_ms),
            series("and bytes that must move", 1, true, |cell| cell.limit_ms),
        ],
    }
}

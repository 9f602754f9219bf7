//! `outhaul bench swap`: programs that together have more memory than a GPU, on a node with
//! --oversubscribe. The programs take turns, so each finds that its memory was moved to the host.
//! Each program checks its memory's contents.

mod arguments;
pub mod holder;
mod oversubscribed_node;
mod small_and_large;

use crate::cases::pieces;
use crate::error::Error;
use crate::measurement::scratch;
use crate::report::table::align;
pub use arguments::Arguments;
use holder::whole_pieces;
use oversubscribed_node::{GIB, Holder, Moved, Stage, gpu_memory_options};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Percentages of the GPU's memory that each program has, unless an option sets sizes.
const PERCENTS: [u64; 3] = [40, 60, 90];
/// Target rate of moving memory, as a fraction of the rate of pinned copies.
const ASKED_PART: f64 = 0.8;

#[derive(Serialize)]
struct Results {
    gpu: String,
    memory_bytes: u64,
    programs: u16,
    rounds: u16,
    allocation_bytes: u64,
    /// Rate of pinned copies while one program runs alone, in bytes per second.
    to_host_bytes_per_s: f64,
    to_device_bytes_per_s: f64,
    cells: Vec<Cell>,
}

/// The result for programs of one size.
#[derive(Serialize, Default)]
struct Cell {
    bytes: u64,
    /// Time of a round while one program runs alone.
    alone_ms: f64,
    /// Time of a round while all programs take turns.
    round_ms: f64,
    /// Memory moved while the programs start, and in their first common round. Meanwhile the node
    /// pins host memory.
    first_to_host: Moved,
    first_back: Moved,
    /// Memory moved in later rounds.
    to_host: Moved,
    back: Moved,
}

/// Runs `outhaul bench swap`.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let cache = scratch::for_caches()?;
    let results = if arguments.beside.is_empty() {
        pairs(&arguments, cache.path())
    } else {
        small_and_large::execute(&arguments, cache.path())
    };
    results.map(|()| ExitCode::SUCCESS)
}

fn pairs(arguments: &Arguments, cache: &Path) -> Result<(), Error> {
    let results = measure(arguments, cache)?;
    print!("{}", table(&results));
    arguments.json.as_ref().map_or(Ok(()), |file| crate::report::file::write_json(file, &results))
}

fn measure(arguments: &Arguments, cache: &Path) -> Result<Results, Error> {
    let stage = Stage::open(arguments, cache, &gpu_memory_options(arguments.gpu_memory))?;
    let probe = stage.holder(1)?;
    let (memory_bytes, gpu) = (probe.memory_bytes, probe.gpu.clone());
    let [to_host_bytes_per_s, to_device_bytes_per_s] = pieces::pinned_rates(stage.program(&[]))?;
    drop((probe, stage));
    let sizes = match &arguments.sizes[..] {
        [] => PERCENTS.map(|percent| whole_pieces(memory_bytes / 100 * percent)).to_vec(),
        sizes => sizes.to_vec(),
    };
    let cells =
        sizes.into_iter().map(|size| cell(arguments, cache, size)).collect::<Result<_, _>>()?;
    let Arguments { programs, rounds, allocation: allocation_bytes, .. } = *arguments;
    Ok(Results {
        gpu,
        memory_bytes,
        programs,
        rounds,
        allocation_bytes,
        to_host_bytes_per_s,
        to_device_bytes_per_s,
        cells,
    })
}

fn cell(arguments: &Arguments, cache: &Path, bytes: u64) -> Result<Cell, Error> {
    let stage = Stage::open(arguments, cache, &gpu_memory_options(arguments.gpu_memory))?;
    let mut cell = Cell { bytes, ..Cell::default() };
    let mut holders = vec![stage.holder(bytes)?];
    cell.alone_ms = rounds(&mut holders, arguments.rounds)?;
    for _ in 1..arguments.programs {
        holders.push(stage.holder(bytes)?);
    }
    // The program that started last has its memory resident, and runs first. So the first round
    // moves nothing twice, and each later round moves everything.
    holders.reverse();
    rounds(&mut holders, 1)?;
    (cell.first_to_host, cell.first_back) = stage.moved()?;
    cell.round_ms = rounds(&mut holders, arguments.rounds)?;
    let (to_host, back) = stage.moved()?;
    (cell.to_host, cell.back) = (to_host.since(&cell.first_to_host), back.since(&cell.first_back));
    holders.into_iter().try_for_each(Holder::finish)?;
    Ok(cell)
}

/// Returns a round's mean time in milliseconds.
fn rounds(holders: &mut [Holder], count: u16) -> Result<f64, Error> {
    let start = Instant::now();
    for _ in 0..count {
        holders.iter_mut().try_for_each(Holder::round)?;
    }
    Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(count) / holders.len() as f64)
}

fn table(results: &Results) -> String {
    let gib = |bytes: u64| bytes as f64 / GIB;
    let Results { gpu, programs, rounds, .. } = results;
    let (memory, allocation) = (gib(results.memory_bytes), results.allocation_bytes >> 20);
    let mut text = format!(
        "{gpu}, {memory:.1} GiB; {programs} programs by turns, {rounds} rounds each; allocations \
        of {allocation} MiB\n"
    );
    let [to_host, to_device] =
        [results.to_host_bytes_per_s, results.to_device_bytes_per_s].map(|rate| rate / 1e9);
    text += &format!(
        "pinned copies of a program alone: {to_host:.1} GB/s to the host, {to_device:.1} GB/s to \
        the device\n"
    );
    let (percent, [asked_to_host, asked_back]) =
        (ASKED_PART * 100.0, [to_host, to_device].map(|rate| rate * ASKED_PART));
    text += &format!(
        "moving must reach {percent:.0} % of that after the first time: {asked_to_host:.1} GB/s \
        and {asked_back:.1} GB/s\n"
    );
    let head = [
        "EACH",
        "ALONE",
        "BY TURNS",
        "FIRST TO HOST",
        "",
        "FIRST BACK",
        "",
        "THEN TO HOST",
        "",
        "THEN BACK",
        "",
    ];
    let mut lines = vec![head.map(str::to_owned)];
    for cell in &results.cells {
        let ms = |ms: f64| format!("{ms:.1} ms");
        let moved = |moved: &Moved| format!("{:.2} GiB", moved.gib);
        lines.push([
            format!("{:.2} GiB", gib(cell.bytes)),
            ms(cell.alone_ms),
            ms(cell.round_ms),
            moved(&cell.first_to_host),
            cell.first_to_host.rate(),
            moved(&cell.first_back),
            cell.first_back.rate(),
            moved(&cell.to_host),
            cell.to_host.rate(),
            moved(&cell.back),
            cell.back.rate(),
        ]);
    }
    text + &align(&lines, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_first_moves_later_moves_and_the_required_rate() {
        let moved = |gib: f64, gb_per_s: f64| Moved { gib, seconds: gib * GIB / 1e9 / gb_per_s };
        let (first_to_host, first_back) = (moved(31.0, 5.0), moved(15.5, 6.0));
        let (to_host, back) = (moved(186.0, 40.0).since(&first_to_host), moved(0.0, 1.0));
        let cell = Cell {
            bytes: 16 << 30,
            alone_ms: 4.25,
            round_ms: 800.0,
            first_to_host,
            first_back,
            to_host,
            back,
        };
        let results = Results {
            gpu: "GPU".into(),
            memory_bytes: 140 << 30,
            programs: 2,
            rounds: 5,
            allocation_bytes: 64 << 20,
            to_host_bytes_per_s: 50e9,
            to_device_bytes_per_s: 60e9,
            cells: vec![cell],
        };
        let table = table(&results);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(
            lines[0],
            "GPU, 140.0 GiB; 2 programs by turns, 5 rounds each; allocations of 64 MiB"
        );
        assert_eq!(
            lines[2],
            "moving must reach 80 % of that after the first time: 40.0 GB/s and 48.0 GB/s"
        );
        // Each heading ends where its column ends.
        let ends = |name: &str, value: &str| {
            assert_eq!(
                lines[3].find(name).unwrap() + name.len(),
                lines[4].find(value).unwrap() + value.len()
            )
        };
        ends("EACH", "16.00 GiB");
        ends("FIRST TO HOST", "31.00 GiB");
        ends("FIRST BACK", "15.50 GiB");
        ends("THEN TO HOST", "155.00 GiB");
        ends("THEN BACK", " 0.00 GiB");
        assert!(
            lines[4].contains("5.0 GB/s")
                && lines[4].contains("6.0 GB/s")
                && lines[4].ends_with(" -"),
            "{table}"
        );
    }
}

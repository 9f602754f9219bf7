//! `outhaul bench swap`: programs that together have more memory than a GPU, on a node with
//! --oversubscribe. They take turns, so each finds its memory moved to the host; each checks its
//! contents.

mod beside;
pub mod holder;

use crate::bench::cases::pieces;
use crate::bench::measurement::process;
use crate::bench::measurement::process::Server;
use crate::bench::report::table::align;
use crate::error::Error;
use crate::install::Part;
use crate::pool::request::bytes;
use holder::PIECE_BYTES;
use outhaul_node::sharing::administration::{Answer, Request, Status, ask};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

const GIB: f64 = (1u64 << 30) as f64;
/// Fraction of the GPU's memory for each program, unless sizes are given.
const PERCENTS: [u64; 3] = [40, 60, 90];
/// Target rate of moving memory, as a part of the rate of pinned copies.
const ASKED_PART: f64 = 0.8;

/// Measure programs that together have more memory than a GPU: the cost of moving it to the host
/// and back.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul bench swap
  outhaul bench swap --size 4GiB,16GiB,64GiB,120GiB --rounds 10 --json swap.json
  outhaul bench swap --size 16GiB --card 17GiB --allocation 1GiB
  outhaul bench swap --beside 1,2,4,8,12 --plots figures
  OUTHAUL_SOFT_MEMORY=512MiB OUTHAUL_SOFT_CARD=/tmp/card outhaul bench swap --gpu soft --size \
  256MiB,384MiB")]
pub struct Arguments {
    /// Memory of each program, separated by commas [default: 40, 60 and 90 % of the GPU's].
    #[arg(long = "size", value_name = "BYTES,...", value_delimiter = ',', value_parser = bytes)]
    sizes: Vec<u64>,
    /// Size of each allocation, in multiples of 64 MiB. A node moves up to 128 MiB at once.
    #[arg(long, value_name = "BYTES", default_value = "64MiB", value_parser = pieces_bytes)]
    allocation: u64,
    /// Number of programs.
    #[arg(long, value_name = "N", default_value_t = 2,
        value_parser = clap::value_parser!(u16).range(2..=16))]
    programs: u16,
    /// Rounds of each program.
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Instead, run this many small programs at once next to a large one of high priority, for each
    /// number.
    #[arg(long, value_name = "N,...", value_delimiter = ',',
        value_parser = clap::value_parser!(u16).range(1..=64), conflicts_with_all = ["sizes",
            "programs", "rounds"])]
    beside: Vec<u16>,
    /// GPU memory that the node counts with [default: all of it; with --beside 16 GB, of which the
    /// large program has ten sixteenths and each small one 8 %].
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    card: Option<u64>,
    /// With --beside: compute time of each small program alone.
    #[arg(long, value_name = "MS", default_value_t = 400,
        value_parser = clap::value_parser!(u32).range(1..=100_000), requires = "beside")]
    work_ms: u32,
    /// Host memory that the node may use [default: half of it].
    #[arg(long, value_name = "64GiB")]
    host: Option<String>,
    /// The GPU: this machine's own (`auto`), the software GPU (`soft`), or the path of a
    /// libcuda.so.1.
    #[arg(long, value_name = "auto|soft|PATH", default_value = "auto")]
    gpu: String,
    /// Write the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// With --beside: draw the makespans into this folder.
    #[arg(long, value_name = "DIR", requires = "beside")]
    plots: Option<PathBuf>,
}

#[derive(Serialize)]
struct Results {
    gpu: String,
    memory_bytes: u64,
    programs: u16,
    rounds: u16,
    allocation_bytes: u64,
    /// Rates of pinned copies by a program alone.
    to_host_bytes_per_s: f64,
    to_device_bytes_per_s: f64,
    cells: Vec<Cell>,
}

/// Programs of one size.
#[derive(Serialize, Default)]
struct Cell {
    bytes: u64,
    /// A round of one program while there is no other.
    alone_ms: f64,
    /// A round while all take turns.
    round_ms: f64,
    /// Until each program has computed once next to the others; host memory is being pinned.
    first_to_host: Moved,
    first_back: Moved,
    /// Later rounds.
    to_host: Moved,
    back: Moved,
}

#[derive(Serialize, Default)]
struct Moved {
    gib: f64,
    seconds: f64,
}

impl Moved {
    fn add(&mut self, bytes: u64, ns: u64) {
        self.gib += bytes as f64 / GIB;
        self.seconds += ns as f64 / 1e9;
    }

    fn since(&self, before: &Moved) -> Moved {
        Moved { gib: self.gib - before.gib, seconds: self.seconds - before.seconds }
    }

    fn gb(&self) -> f64 {
        self.gib * GIB / 1e9
    }

    fn rate(&self) -> String {
        if self.seconds > 0.0 {
            format!("{:.1} GB/s", self.gb() / self.seconds)
        } else {
            "-".into()
        }
    }
}

pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let cache = std::env::temp_dir().join(format!("outhaul-bench-{}", std::process::id()));
    let results = if arguments.beside.is_empty() {
        pairs(&arguments, &cache)
    } else {
        beside::execute(&arguments, &cache)
    };
    // Nothing may have been cached.
    let _ = std::fs::remove_dir_all(&cache);
    results.map(|()| ExitCode::SUCCESS)
}

fn pairs(arguments: &Arguments, cache: &Path) -> Result<(), Error> {
    let results = measure(arguments, cache)?;
    print!("{}", table(&results));
    arguments.json.as_ref().map_or(Ok(()), |file| crate::bench::write_json(file, &results))
}

/// For a node that counts with a smaller GPU.
fn card_options(card_bytes: Option<u64>) -> Vec<String> {
    card_bytes.map_or(Vec::new(), |bytes| vec!["--card-memory".into(), bytes.to_string()])
}

fn measure(arguments: &Arguments, cache: &Path) -> Result<Results, Error> {
    let stage = Stage::open(arguments, cache, &card_options(arguments.card))?;
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

fn pieces_bytes(text: &str) -> Result<u64, String> {
    let whole = |bytes: u64| {
        if bytes.is_multiple_of(PIECE_BYTES as u64) {
            Ok(bytes)
        } else {
            Err(format!("'{text}' is not a multiple of 64MiB; write 64MiB or 1GiB"))
        }
    };
    bytes(text).and_then(whole)
}

/// As holders have memory.
fn whole_pieces(bytes: u64) -> u64 {
    (bytes / PIECE_BYTES as u64).max(1) * PIECE_BYTES as u64
}

fn cell(arguments: &Arguments, cache: &Path, bytes: u64) -> Result<Cell, Error> {
    let stage = Stage::open(arguments, cache, &card_options(arguments.card))?;
    let mut cell = Cell { bytes, ..Cell::default() };
    let mut holders = vec![stage.holder(bytes)?];
    cell.alone_ms = rounds(&mut holders, arguments.rounds)?;
    for _ in 1..arguments.programs {
        holders.push(stage.holder(bytes)?);
    }
    // The last program to start has its memory resident, so the first round moves nothing twice,
    // and each later round moves everything.
    holders.reverse();
    rounds(&mut holders, 1)?;
    (cell.first_to_host, cell.first_back) = stage.moved()?;
    cell.round_ms = rounds(&mut holders, arguments.rounds)?;
    let (to_host, back) = stage.moved()?;
    (cell.to_host, cell.back) = (to_host.since(&cell.first_to_host), back.since(&cell.first_back));
    holders.into_iter().try_for_each(Holder::finish)?;
    Ok(cell)
}

/// The mean of a round, in milliseconds.
fn rounds(holders: &mut [Holder], count: u16) -> Result<f64, Error> {
    let start = Instant::now();
    for _ in 0..count {
        holders.iter_mut().try_for_each(Holder::round)?;
    }
    Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(count) / holders.len() as f64)
}

/// A node that promises more memory than its GPU has.
struct Stage {
    node: Server,
    outhaul: PathBuf,
    allocation_bytes: u64,
}

impl Stage {
    fn open(arguments: &Arguments, cache: &Path, options: &[String]) -> Result<Stage, Error> {
        let outhaul = std::env::current_exe()
            .map_err(|error| Error::Io { doing: "cannot find this executable".into(), error })?;
        Part::Client.find()?;
        let mut command = Command::new(&outhaul);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--gpu", &arguments.gpu])
            .arg("--cache")
            .arg(cache);
        command.arg(
            arguments
                .host
                .as_ref()
                .map_or("--oversubscribe".to_owned(), |host| format!("--oversubscribe={host}")),
        );
        command.args(options);
        Ok(Stage { node: Server::start(command)?, outhaul, allocation_bytes: arguments.allocation })
    }

    fn status(&self) -> Result<Status, Error> {
        let failed = || Error::Bench("the node does not say what it moved".into());
        let address = self.node.address.parse().map_err(|_| failed())?;
        match ask(address, &Request::Show) {
            Some(Ok(Answer::Is(status))) => Ok(status),
            _ => Err(failed()),
        }
    }

    /// Bytes moved to the host and back so far, for all programs.
    fn moved(&self) -> Result<(Moved, Moved), Error> {
        let (mut to_host, mut back) = (Moved::default(), Moved::default());
        for moved in self.status()?.sessions.iter().flat_map(|session| &session.moved) {
            to_host.add(moved.to_host_bytes, moved.to_host_ns);
            back.add(moved.back_bytes, moved.back_ns);
        }
        Ok((to_host, back))
    }

    /// Starts this binary as a program on the node.
    fn program(&self, options: &[&str]) -> Command {
        let mut command = Command::new(&self.outhaul);
        command
            .args(["run", "--node", &self.node.address])
            .args(options)
            .arg("--")
            .arg(&self.outhaul);
        command
    }

    fn holder(&self, bytes: u64) -> Result<Holder, Error> {
        self.start_holder(&[], bytes)?.ready()
    }

    fn start_holder(&self, options: &[&str], bytes: u64) -> Result<Holder, Error> {
        let mut command = self.program(options);
        command.args([
            "bench",
            "holder",
            "--bytes",
            &bytes.to_string(),
            "--allocation",
            &self.allocation_bytes.to_string(),
        ]);
        Ok(Holder { talk: process::Talk::start(command)?, memory_bytes: 0, gpu: String::new() })
    }
}

struct Holder {
    talk: process::Talk,
    memory_bytes: u64,
    gpu: String,
}

impl Holder {
    /// Returns once it has its memory.
    fn ready(mut self) -> Result<Holder, Error> {
        let ready = self.talk.hear()?;
        let mut words = ready.splitn(3, ' ').skip(1);
        self.memory_bytes = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        self.gpu = words.next().unwrap_or_default().to_owned();
        Ok(self)
    }

    fn round(&mut self) -> Result<(), Error> {
        self.say_rounds(1)?;
        self.hear_round()
    }

    /// Starts rounds, one after another, without waiting for other programs.
    fn say_rounds(&mut self, rounds: u32) -> Result<(), Error> {
        (0..rounds).try_for_each(|_| self.talk.say("go"))
    }

    fn hear_round(&mut self) -> Result<(), Error> {
        self.talk.hear().map(drop)
    }

    /// It checks all of its memory once more.
    fn finish(mut self) -> Result<(), Error> {
        self.talk.close();
        match self.talk.hear()?.as_str() {
            "right" => Ok(()),
            other => Err(Error::Bench(format!("a program that held memory ended with '{other}'"))),
        }
    }
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
        "moving is to reach {percent:.0} % of that after the first time: {asked_to_host:.1} GB/s \
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
    fn first_moves_stand_beside_later_ones_and_what_is_asked_of_these() {
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
            "moving is to reach 80 % of that after the first time: 40.0 GB/s and 48.0 GB/s"
        );
        // Each name ends where its column does.
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

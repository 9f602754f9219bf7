//! `outhaul bench pieces`: finds the best piece size for large copies, and the best of three paths
//! for each copy size. Shows the client's own choice for comparison.

pub mod copy_program;

use super::copies::size;
use crate::byte_sizes::bytes;
use crate::error::Error;
use crate::measurement::process;
use crate::measurement::process::Server;
use crate::measurement::scratch;
use crate::report::chart::{Axis, Chart, Point, Series};
use outhaul_transport::os::tune_settings;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Piece sizes: those of the Gdev paper, up to the largest allowed size.
const PIECES: [usize; 7] = [64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20];
/// Sizes of the copies that each path is measured with.
const SIZES: [usize; 6] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];
const MOVER_SECONDS_MAX: u64 = 120;
/// Size of the copies that determine a rate.
const RATE_BYTES: &str = "256MiB";
/// Name of one of the client's settings.
const COPIED: &str = "copied-bytes";
const BY_LANES_FROM: &str = "lanes-from-bytes";
const PIECE: &str = "piece-bytes";
/// Sets the number of lanes, even if the client itself finds too few cores.
const LANES: (&str, &str) = ("OUTHAUL_LANES", "4");

/// Measure the best piece sizes for copies, and the best path for each copy size.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul bench pieces --plots figures
  outhaul bench pieces --gpu soft --size 16MiB --link memory")]
pub struct Arguments {
    /// Size of the large copies in bytes.
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "256MiB")]
    size: u64,
    /// Ways to reach the node: by shared memory or over loopback.
    #[arg(
        long = "link",
        value_name = "NAME,...",
        value_delimiter = ',',
        default_value = "memory,loopback"
    )]
    links: Vec<PieceLink>,
    /// GPU to measure: this machine's own (`auto`), the software GPU (`soft`), or the path of a
    /// libcuda.so.1.
    #[arg(long, value_name = "auto|soft|PATH", default_value = "auto")]
    gpu: String,
    /// File for the results as JSON [default: not written].
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Folder for charts of the results [default: no charts].
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PieceLink {
    Memory,
    Loopback,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PieceDirection {
    ToDevice,
    ToHost,
}

/// A copy's time, as the mover prints it.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Moved {
    pinned: bool,
    way: PieceDirection,
    bytes: u64,
    us: f64,
}

#[derive(Serialize)]
struct Results {
    gpu: String,
    size_bytes: u64,
    rows: Vec<Row>,
}

/// One setting of the client, and the times of its copies.
#[derive(Serialize)]
struct Row {
    link: PieceLink,
    what: String,
    /// Size of all pieces; none for the client's own choice.
    piece_bytes: Option<usize>,
    moved: Vec<Moved>,
}

/// The name for the client's own choice of settings.
const DEFAULT: &str = "as it is";
const PATHS: [(&str, usize, usize); 3] =
    [("copied", usize::MAX, usize::MAX), ("in place", 0, usize::MAX), ("by lanes", 0, 0)];

/// Runs `outhaul bench pieces`.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    let cache = scratch::for_caches()?;
    let results = measure(arguments, cache.path())?;
    drop(cache);
    print!("{}", table(arguments, &results));
    if let Some(folder) = &arguments.plots {
        crate::report::plots::draw(&charts(arguments, &results), folder)?;
    }
    arguments
        .json
        .as_ref()
        .map_or(Ok(()), |file| crate::report::file::write_json(file, &results))?;
    Ok(ExitCode::SUCCESS)
}

fn measure(arguments: &Arguments, cache: &Path) -> Result<Results, Error> {
    let outhaul = process::executable()?;
    let mut serve = Command::new(&outhaul);
    serve.args(["serve", "--listen", "127.0.0.1:0", "--gpu", &arguments.gpu, "--cache"]).arg(cache);
    let node = Server::start(serve)?;
    let mut results = Results { gpu: String::new(), size_bytes: arguments.size, rows: Vec::new() };
    let large = arguments.size.to_string();
    let small = SIZES.map(|bytes| bytes.to_string()).join(",");
    for link in &arguments.links {
        let mut row = |what: &str,
                       piece_bytes,
                       sizes: &str,
                       settings: &[(&str, String)]|
         -> Result<(), Error> {
            let (moved, gpu) = run(&outhaul, &node, *link, sizes, settings)?;
            results.gpu = gpu;
            results.rows.push(Row { link: *link, what: what.to_owned(), piece_bytes, moved });
            Ok(())
        };
        row(DEFAULT, None, &format!("{small},{large}"), &[])?;
        for piece in PIECES {
            row(&size(piece), Some(piece), &large, &[(PIECE, piece.to_string())])?;
        }
        for (path, copied, lanes_from) in PATHS {
            row(
                path,
                None,
                &small,
                &[(COPIED, copied.to_string()), (BY_LANES_FROM, lanes_from.to_string())],
            )?;
        }
    }
    Ok(results)
}

fn run(
    outhaul: &Path,
    node: &Server,
    link: PieceLink,
    sizes: &str,
    settings: &[(&str, String)],
) -> Result<(Vec<Moved>, String), Error> {
    let mut command = Command::new(outhaul);
    command
        .args(["run", "--node", &node.address, "--"])
        .arg(outhaul)
        .args(["bench", "mover", "--bytes", sizes]);
    command
        .env("OUTHAUL_TRANSPORT", if link == PieceLink::Memory { "shared-memory" } else { "tcp" });
    let before = std::env::var(tune_settings::VARIABLE).ok();
    let settings = settings.iter().map(|(key, value)| format!("{key}={value}"));
    let settings: Vec<String> = before.into_iter().chain(settings).collect();
    command.env(LANES.0, LANES.1).env(tune_settings::VARIABLE, settings.join(","));
    moved(command)
}

/// Runs a mover and parses its output.
fn moved(command: Command) -> Result<(Vec<Moved>, String), Error> {
    let printed = process::output(command, MOVER_SECONDS_MAX).map_err(Error::Bench)?;
    let unclear = || {
        Error::Bench(format!(
            "cannot parse the output of `outhaul bench mover`: '{}'; rebuild all of Outhaul \
            (`make build`)",
            printed.trim()
        ))
    };
    let (moved, gpu) = printed.trim().rsplit_once("] ").ok_or_else(unclear)?;
    let moved = serde_json::from_str(&format!("{moved}]")).map_err(|_| unclear())?;
    Ok((moved, gpu.to_owned()))
}

/// Returns the rates of pinned copies to the host and to the device, in bytes per second. `command`
/// starts this binary on the GPU to measure.
pub fn pinned_rates(mut command: Command) -> Result<[f64; 2], Error> {
    command.args(["bench", "mover", "--bytes", RATE_BYTES]);
    let (moved, _) = moved(command)?;
    let rate = |way| {
        moved
            .iter()
            .find(|copy| copy.pinned && copy.way == way)
            .map_or(0.0, |copy| copy.bytes as f64 / copy.us * 1e6)
    };
    Ok([rate(PieceDirection::ToHost), rate(PieceDirection::ToDevice)])
}

const KINDS: [(bool, PieceDirection, &str); 4] = [
    (false, PieceDirection::ToDevice, "pageable to device"),
    (false, PieceDirection::ToHost, "pageable to host"),
    (true, PieceDirection::ToDevice, "pinned to device"),
    (true, PieceDirection::ToHost, "pinned to host"),
];

impl PieceLink {
    fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self)
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }
}

impl Row {
    fn us(&self, pinned: bool, way: PieceDirection, bytes: u64) -> Option<f64> {
        self.moved
            .iter()
            .find(|moved| (moved.pinned, moved.way, moved.bytes) == (pinned, way, bytes))
            .map(|moved| moved.us)
    }
}

impl Results {
    fn on(&self, link: PieceLink) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.link == link)
    }

    fn is_path(row: &Row) -> bool {
        row.what == DEFAULT || PATHS.iter().any(|(path, ..)| row.what == *path)
    }
}

fn table(arguments: &Arguments, results: &Results) -> String {
    let mut text = format!("{}\n", results.gpu);
    let head = |text: &mut String, first: &str| {
        *text += &format!("{first:<22}");
        KINDS.iter().for_each(|(.., name)| *text += &format!(" {name:>19}"));
        text.push('\n');
    };
    for link in &arguments.links {
        let name = link.name();
        text += &format!(
            "\n{name}: copies of {} in pieces of one size, GB/s\n",
            size(results.size_bytes as usize)
        );
        head(&mut text, "PIECES");
        for row in results.on(*link).filter(|row| row.piece_bytes.is_some() || row.what == DEFAULT)
        {
            text += &format!("{:<22}", row.what);
            for (pinned, way, _) in KINDS {
                let gb_per_s = row
                    .us(pinned, way, results.size_bytes)
                    .map_or(f64::NAN, |us| results.size_bytes as f64 / us / 1e3);
                text += &format!(" {gb_per_s:>19.2}");
            }
            text.push('\n');
        }
        text += &format!("\n{name}: one copy, waited for, us\n");
        head(&mut text, "COPY");
        for bytes in SIZES {
            for row in results.on(*link).filter(|row| Results::is_path(row)) {
                text += &format!("{:<22}", format!("{} {}", size(bytes), row.what));
                for (pinned, way, _) in KINDS {
                    text += &format!(
                        " {:>19.1}",
                        row.us(pinned, way, bytes as u64).unwrap_or(f64::NAN)
                    );
                }
                text.push('\n');
            }
        }
    }
    text
}

fn charts(arguments: &Arguments, results: &Results) -> Vec<(String, Chart)> {
    let axis = |label: &str, logarithmic| Axis { label: label.to_owned(), logarithmic, mark: None };
    let mut charts = Vec::new();
    for link in &arguments.links {
        let pieces = |(colour, (pinned, way, name)): (usize, &(bool, PieceDirection, &str))| {
            let point = |row: &Row| {
                let y =
                    results.size_bytes as f64 / row.us(*pinned, *way, results.size_bytes)? / 1e3;
                Some(Point { x: row.piece_bytes? as f64 / 1024.0, y, range: None })
            };
            Series {
                name: (*name).to_owned(),
                colour,
                dashed: false,
                points: results.on(*link).filter_map(point).collect(),
            }
        };
        let chart = Chart {
            title: format!(
                "Copies of {} by the size of their pieces",
                size(results.size_bytes as usize)
            ),
            note: format!("{}; {}", results.gpu, link.name()),
            x: axis("KiB of a piece", true),
            y: axis("GB/s", false),
            series: KINDS.iter().enumerate().map(pieces).collect(),
        };
        charts.push((format!("pieces-{}", link.name()), chart));
        let paths = results.on(*link).filter(|row| Results::is_path(row)).enumerate();
        let path = |(colour, row): (usize, &Row)| {
            let us = |bytes: usize| row.us(false, PieceDirection::ToDevice, bytes as u64);
            let points = SIZES.iter().filter_map(|bytes| {
                Some(Point { x: *bytes as f64 / 1024.0, y: us(*bytes)?, range: None })
            });
            Series { name: row.what.clone(), colour, dashed: false, points: points.collect() }
        };
        let chart = Chart {
            title: "Copies of pageable memory to the device, by the way they go".to_owned(),
            note: format!("{}; {}", results.gpu, link.name()),
            x: axis("KiB of a copy", true),
            y: axis("us until it is done", true),
            series: paths.map(path).collect(),
        };
        charts.push((format!("copy-paths-{}", link.name()), chart));
    }
    charts
}

//! The options of `outhaul bench swap`.

use crate::byte_sizes::bytes;
use crate::shared::swap::holder::pieces_bytes;
use std::path::PathBuf;

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
    pub sizes: Vec<u64>,
    /// Size of each allocation, in multiples of 64 MiB. A node moves up to 128 MiB at once.
    #[arg(long, value_name = "BYTES", default_value = "64MiB", value_parser = pieces_bytes)]
    pub allocation: u64,
    /// Number of programs.
    #[arg(long, value_name = "N", default_value_t = 2,
        value_parser = clap::value_parser!(u16).range(2..=16))]
    pub programs: u16,
    /// Number of rounds of each program.
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub rounds: u16,
    /// Numbers of small programs to run at once next to a large one of high priority. The command
    /// measures each number, instead of programs of equal size.
    #[arg(long, value_name = "N,...", value_delimiter = ',',
        value_parser = clap::value_parser!(u16).range(1..=64), conflicts_with_all = ["sizes",
            "programs", "rounds"])]
    pub beside: Vec<u16>,
    /// GPU memory that the node uses [default: all of it]. With `--beside` the default is 16 GB, of
    /// which the large program has ten sixteenths and each small one 8 %.
    #[arg(long = "card", value_name = "BYTES", value_parser = bytes)]
    pub gpu_memory: Option<u64>,
    /// Compute time of each small program alone, in milliseconds. Only with `--beside`.
    #[arg(long, value_name = "MS", default_value_t = 400,
        value_parser = clap::value_parser!(u32).range(1..=100_000), requires = "beside")]
    pub work_ms: u32,
    /// Host memory that the node may use [default: half of the machine's].
    #[arg(long, value_name = "64GiB")]
    pub host: Option<String>,
    /// GPU to measure: this machine's own (`auto`), the software GPU (`soft`), or the path of a
    /// libcuda.so.1.
    #[arg(long, value_name = "auto|soft|PATH", default_value = "auto")]
    pub gpu: String,
    /// File for the results as JSON [default: not written].
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Folder for a chart of the makespans [default: no chart]. Only with `--beside`.
    #[arg(long, value_name = "DIR", requires = "beside")]
    pub plots: Option<PathBuf>,
}

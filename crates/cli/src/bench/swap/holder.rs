//! A program of the swapping benchmark: it holds memory, and in each round reads a part of every piece, finds what it left there, and writes all of
//! it anew. It runs on the libcuda.so.1 that the loader finds.

use crate::bench::gpu::{Gpu, ok};
use crate::error::Error;
use crate::install::DRIVER;
use crate::wish::bytes;
use outhaul_abi::types::CUdeviceptr;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;

/// Allocated, written and looked at as one.
const PIECE_BYTES: usize = 64 << 20;
const PIECE_WORDS: usize = PIECE_BYTES / 4;
/// Looked at in each round, evenly over a piece; at the end all are.
const WORDS_LOOKED_AT: usize = 16;

/// Hold memory and see whether it stays what it is; the swapping benchmark starts this.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// In whole pieces of 64 MiB.
    #[arg(long, value_parser = bytes)]
    bytes: u64,
    /// Rounds, if nobody says when each begins.
    #[arg(long)]
    rounds: Option<u32>,
}

struct Holder {
    gpu: Gpu,
    pieces: Vec<CUdeviceptr>,
}

/// What lies in a piece after so many rounds, in every word.
fn content(piece: usize, rounds: u32) -> u32 {
    (piece as u32).wrapping_mul(0x9E37_79B9) ^ rounds.wrapping_mul(0x85EB_CA6B)
}

impl Holder {
    fn new(bytes: u64) -> Result<Holder, Error> {
        let gpu = Gpu::open(Path::new(DRIVER))?;
        let pieces = (0..bytes / PIECE_BYTES as u64).map(|_| gpu.allocate(PIECE_BYTES)).collect::<Result<_, _>>()?;
        let holder = Holder { gpu, pieces };
        holder.write(0)?;
        Ok(holder)
    }

    fn write(&self, rounds: u32) -> Result<(), Error> {
        for (piece, address) in self.pieces.iter().enumerate() {
            // SAFETY: the piece is this program's own.
            let filled = unsafe { self.gpu.driver.cuMemsetD32Async(*address, content(piece, rounds), PIECE_WORDS, self.gpu.stream) };
            ok("cuMemsetD32Async", filled)?;
        }
        self.gpu.wait(self.gpu.stream)
    }

    /// That so many words of each piece are what was written.
    fn check(&self, rounds: u32, words: usize) -> Result<(), Error> {
        let mut found = vec![0u32; PIECE_WORDS / words];
        for (piece, address) in self.pieces.iter().enumerate() {
            let step = PIECE_WORDS / words;
            for at in 0..words {
                let looked_at = if words == 1 { &mut found[..] } else { &mut found[..1] };
                self.gpu.fetch(looked_at, address + (at * step * 4) as u64, self.gpu.stream)?;
                self.gpu.wait(self.gpu.stream)?;
                if let Some(wrong) = looked_at.iter().find(|word| **word != content(piece, rounds)) {
                    let expected = content(piece, rounds);
                    return Err(Error::Bench(format!("piece {piece} holds {wrong:#x} after round {rounds}, not {expected:#x}")));
                }
            }
        }
        Ok(())
    }

    fn total_bytes(&self) -> Result<usize, Error> {
        let mut total = 0;
        // SAFETY: the size goes to a local.
        ok("cuDeviceTotalMem", unsafe { self.gpu.driver.cuDeviceTotalMem_v2(&mut total, 0) })?;
        Ok(total)
    }
}

pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    let holder = Holder::new(arguments.bytes)?;
    say(&format!("ready {} {}", holder.total_bytes()?, holder.gpu.name))?;
    let (mut rounds, mut lines) = (0, std::io::stdin().lock().lines());
    while arguments.rounds.map_or_else(|| lines.next().is_some(), |most| rounds < most) {
        holder.check(rounds, WORDS_LOOKED_AT)?;
        rounds += 1;
        holder.write(rounds)?;
        say("done")?;
    }
    holder.check(rounds, 1)?;
    say("right")?;
    Ok(ExitCode::SUCCESS)
}

fn say(line: &str) -> Result<(), Error> {
    let mut out = std::io::stdout();
    let said = writeln!(out, "{line}").and_then(|()| out.flush());
    said.map_err(|error| Error::Io { doing: "cannot write to standard output".into(), error })
}

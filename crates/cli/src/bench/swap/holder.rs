//! A program of the swapping benchmark: it holds memory, and in each round reads a part of every page, finds what it left there, and writes all of
//! it anew. It runs on the libcuda.so.1 that the loader finds.

use crate::bench::gpu::{Gpu, ok};
use crate::error::Error;
use crate::install::DRIVER;
use crate::wish::bytes;
use outhaul_abi::types::{CUdeviceptr, CUfunction, CUmemAllocationProp, CUmemLocation, CUmodule, values};
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;

/// Allocated as one.
pub const PIECE_BYTES: usize = 64 << 20;
/// What GPUs map as one. Each has its own content, so that one in another's place is found.
const PAGE_BYTES: usize = 2 << 20;
const PAGE_WORDS: usize = PAGE_BYTES / 4;
const PAGES: usize = PIECE_BYTES / PAGE_BYTES;
/// Looked at in each round, of every page; at the end all words are.
const WORDS_LOOKED_AT: usize = 1;

const FAILS: &std::ffi::CStr = c".version 7.0
.target sm_50
.address_size 64
.visible .entry fails() { trap; }";

/// Hold memory and see whether it stays what it is; the swapping benchmark starts this.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// In whole pieces of 64 MiB.
    #[arg(long, value_parser = bytes)]
    bytes: u64,
    /// Memory made by cuMemCreate besides, which does not move.
    #[arg(long, value_parser = bytes)]
    staying: Option<u64>,
    /// Run a kernel that fails, and stay until nobody says anything more.
    #[arg(long)]
    fail: bool,
    /// Rounds, if nobody says when each begins.
    #[arg(long)]
    rounds: Option<u32>,
}

struct Holder {
    gpu: Gpu,
    pieces: Vec<CUdeviceptr>,
}

/// What lies in a page after so many rounds, in every word: the factors are odd, so no two pages have the same.
fn content(page: usize, rounds: u32) -> u32 {
    (page as u32).wrapping_mul(0x9E37_79B9) ^ rounds.wrapping_mul(0x85EB_CA6B)
}

impl Holder {
    fn new(bytes: u64) -> Result<Holder, Error> {
        let gpu = Gpu::open(Path::new(DRIVER))?;
        let pieces = (0..bytes / PIECE_BYTES as u64).map(|_| gpu.allocate(PIECE_BYTES)).collect::<Result<_, _>>()?;
        let holder = Holder { gpu, pieces };
        holder.write(0)?;
        Ok(holder)
    }

    fn keep(&self, bytes: u64) -> Result<(), Error> {
        let location = CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: 0 };
        let properties = CUmemAllocationProp {
            type_: values::MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: 0,
            location,
            win32HandleMetaData: std::ptr::null_mut(),
            compressionType: 0,
            gpuDirectRDMACapable: 0,
            usage: 0,
            reserved: [0; 4],
        };
        for at in (0..bytes as usize).step_by(PIECE_BYTES) {
            let (mut handle, bytes) = (0, PIECE_BYTES.min(bytes as usize - at));
            // SAFETY: the handle goes to a local, and the properties are read during the call.
            ok("cuMemCreate", unsafe { self.gpu.driver.cuMemCreate(&mut handle, bytes, &properties, 0) })?;
        }
        Ok(())
    }

    /// From here on its contexts are of no use, as those of a program that waits for its user behind an error.
    fn fail(&self) -> Result<(), Error> {
        let (driver, nothing) = (&self.gpu.driver, std::ptr::null_mut());
        let (mut module, mut function) = (CUmodule::NULL, CUfunction::NULL);
        // SAFETY: handles go to locals, and the kernel takes nothing.
        unsafe {
            ok("cuModuleLoadData", driver.cuModuleLoadData(&mut module, FAILS.as_ptr().cast()))?;
            ok("cuModuleGetFunction", driver.cuModuleGetFunction(&mut function, module, c"fails".as_ptr()))?;
            ok("cuLaunchKernel", driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, self.gpu.stream, nothing, nothing))?;
        }
        let failed = self.gpu.wait(self.gpu.stream).is_err();
        say(if failed { "failed" } else { "the kernel has not failed" })
    }

    fn write(&self, rounds: u32) -> Result<(), Error> {
        for (piece, start) in self.pieces.iter().enumerate() {
            for page in 0..PAGES {
                let (address, word) = (start + (page * PAGE_BYTES) as u64, content(piece * PAGES + page, rounds));
                // SAFETY: the page is this program's own.
                let filled = unsafe { self.gpu.driver.cuMemsetD32Async(address, word, PAGE_WORDS, self.gpu.stream) };
                ok("cuMemsetD32Async", filled)?;
            }
        }
        self.gpu.wait(self.gpu.stream)
    }

    /// That so many words of each page are what was written.
    fn check(&self, rounds: u32, words: usize) -> Result<(), Error> {
        let mut found = vec![0u32; PAGES * words];
        for (piece, start) in self.pieces.iter().enumerate() {
            for (page, place) in found.chunks_mut(words).enumerate() {
                self.gpu.fetch(place, start + (page * PAGE_BYTES) as u64, self.gpu.stream)?;
            }
            self.gpu.wait(self.gpu.stream)?;
            for (page, place) in found.chunks(words).enumerate() {
                let expected = content(piece * PAGES + page, rounds);
                if let Some(wrong) = place.iter().find(|word| **word != expected) {
                    return Err(Error::Bench(format!(
                        "page {page} of piece {piece} holds {wrong:#x} after round {rounds}, not {expected:#x}"
                    )));
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
    arguments.staying.map_or(Ok(()), |bytes| holder.keep(bytes))?;
    say(&format!("ready {} {}", holder.total_bytes()?, holder.gpu.name))?;
    if arguments.fail {
        holder.fail()?;
        std::io::stdin().lock().lines().for_each(drop);
        return Ok(ExitCode::SUCCESS);
    }
    let (mut rounds, mut lines) = (0, std::io::stdin().lock().lines());
    while arguments.rounds.map_or_else(|| lines.next().is_some(), |most| rounds < most) {
        holder.check(rounds, WORDS_LOOKED_AT)?;
        rounds += 1;
        holder.write(rounds)?;
        say("done")?;
    }
    holder.check(rounds, PAGE_WORDS)?;
    say("right")?;
    Ok(ExitCode::SUCCESS)
}

fn say(line: &str) -> Result<(), Error> {
    let mut out = std::io::stdout();
    let said = writeln!(out, "{line}").and_then(|()| out.flush());
    said.map_err(|error| Error::Io { doing: "cannot write to standard output".into(), error })
}

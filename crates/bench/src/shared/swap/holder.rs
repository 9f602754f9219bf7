//! A program of the swapping benchmark, which holds memory. In each round, a kernel reads all of
//! the memory, checks the contents of the last round, and writes new ones. The program runs on the
//! libcuda.so.1 that the loader finds.

use crate::byte_sizes::bytes;
use crate::error::Error;
use crate::measurement::cuda_driver::{MeasuredGpu, ok};
use outhaul_abi::types::{
    CUdeviceptr, CUfunction, CUmemAllocationProp, CUmemLocation, CUmodule, values,
};
use std::io::{BufRead, Write};
use std::process::ExitCode;

/// Bytes that one kernel launch reads and writes.
pub const PIECE_BYTES: usize = 64 << 20;
/// Size of a GPU page in bytes. Each page has its own content, so that the check detects a
/// misplaced page.
const PAGE_BYTES: usize = 2 << 20;
const PAGE_WORDS: usize = PAGE_BYTES / 4;
const PAGES: usize = PIECE_BYTES / PAGE_BYTES;
const KERNEL: &str = include_str!("../../kernels/renew.ptx");
/// Number of the kernel's blocks for each page.
const BLOCKS: usize = 4;
const THREADS: u32 = 256;

const FAILS: &std::ffi::CStr = c".version 7.0
.target sm_50
.address_size 64
.visible .entry fails() { trap; }";

/// Hold memory and check that its contents remain; the swapping benchmark starts this command.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Bytes of memory to hold, in whole pieces of 64 MiB.
    #[arg(long, value_parser = bytes)]
    bytes: u64,
    /// Bytes of each allocation, in whole pieces of 64 MiB.
    #[arg(long, default_value = "64MiB", value_parser = pieces_bytes)]
    allocation: u64,
    /// Bytes of additional memory from cuMemCreate, which does not move [default: none].
    #[arg(long, value_parser = bytes)]
    staying: Option<u64>,
    /// Run a kernel that fails, and then wait until standard input ends.
    #[arg(long)]
    fail: bool,
    /// Number of rounds [default: one round for each line of standard input].
    #[arg(long)]
    rounds: Option<u32>,
}

struct Holder {
    gpu: MeasuredGpu,
    renew: CUfunction,
    pieces: Vec<CUdeviceptr>,
    /// Device address where the kernel reports wrong words: their number, the page of one, and that
    /// word's value.
    wrong: CUdeviceptr,
}

/// Returns the part of a page's content that depends on the number of rounds.
fn mask(rounds: u32) -> u32 {
    rounds.wrapping_mul(0x85EB_CA6B)
}

/// Returns the word that fills a page after `rounds` rounds. The factors are odd, so no two pages
/// have the same word.
fn content(page: usize, rounds: u32) -> u32 {
    (page as u32).wrapping_mul(0x9E37_79B9) ^ mask(rounds)
}

impl Holder {
    fn new(bytes: u64, allocation_bytes: u64) -> Result<Holder, Error> {
        let gpu = MeasuredGpu::open()?;
        let [renew] = gpu.functions(KERNEL, [c"renew"])?;
        let (count, at_once) =
            (bytes as usize / PIECE_BYTES, allocation_bytes as usize / PIECE_BYTES);
        let mut pieces = Vec::new();
        while pieces.len() < count {
            let bytes = at_once.min(count - pieces.len()) * PIECE_BYTES;
            let start = gpu.allocate(bytes)?;
            pieces.extend((0..bytes).step_by(PIECE_BYTES).map(|at| start + at as u64));
        }
        let wrong = gpu.place(&[0u32; 3])?;
        let holder = Holder { gpu, renew, pieces, wrong };
        holder.write()?;
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
            // SAFETY: the out-pointer is to a local; the call only reads the properties.
            ok("cuMemCreate", unsafe {
                self.gpu.driver.cuMemCreate(&mut handle, bytes, &properties, 0)
            })?;
        }
        Ok(())
    }

    /// Makes the context unusable, as in a program that waits for its user after an error.
    fn fail(&self) -> Result<(), Error> {
        let (driver, nothing) = (&self.gpu.driver, std::ptr::null_mut());
        let (mut module, mut function) = (CUmodule::NULL, CUfunction::NULL);
        // SAFETY: the out-pointers are to locals, and the kernel has no parameters.
        unsafe {
            ok("cuModuleLoadData", driver.cuModuleLoadData(&mut module, FAILS.as_ptr().cast()))?;
            ok(
                "cuModuleGetFunction",
                driver.cuModuleGetFunction(&mut function, module, c"fails".as_ptr()),
            )?;
            ok(
                "cuLaunchKernel",
                driver.cuLaunchKernel(
                    function,
                    1,
                    1,
                    1,
                    1,
                    1,
                    1,
                    0,
                    self.gpu.stream,
                    nothing,
                    nothing,
                ),
            )?;
        }
        let failed = self.gpu.wait(self.gpu.stream).is_err();
        print_line(if failed { "failed" } else { "the kernel has not failed" })
    }

    /// Writes the contents that the first round expects.
    fn write(&self) -> Result<(), Error> {
        for (piece, start) in self.pieces.iter().enumerate() {
            for page in 0..PAGES {
                let (address, word) =
                    (start + (page * PAGE_BYTES) as u64, content(piece * PAGES + page, 0));
                // SAFETY: the page belongs to this program.
                let filled = unsafe {
                    self.gpu.driver.cuMemsetD32Async(address, word, PAGE_WORDS, self.gpu.stream)
                };
                ok("cuMemsetD32Async", filled)?;
            }
        }
        self.gpu.wait(self.gpu.stream)
    }

    /// Runs the round that follows `rounds` rounds: checks that every word has its expected value,
    /// and writes new ones.
    fn round(&self, rounds: u32) -> Result<(), Error> {
        let gpu = &self.gpu;
        for (piece, start) in self.pieces.iter().enumerate() {
            let masks = [mask(rounds), mask(rounds + 1)].map(u64::from);
            let arguments = [
                *start,
                (PAGE_BYTES / size_of::<[u32; 4]>()) as u64,
                (piece * PAGES) as u64,
                masks[0],
                masks[1],
                self.wrong,
            ];
            gpu.launch(self.renew, PAGES * BLOCKS, THREADS, gpu.stream, &arguments)?;
        }
        let mut found = [0u32; 3];
        gpu.fetch(&mut found, self.wrong, gpu.stream)?;
        gpu.wait(gpu.stream)?;
        match found {
            [0, ..] => Ok(()),
            [places, page, wrong] => {
                let expected = content(page as usize, rounds);
                Err(Error::Bench(format!(
                    "{places} groups of four words are wrong after round {rounds}, one in page \
                    {page}: {wrong:#x}, not {expected:#x}"
                )))
            }
        }
    }

    /// Checks one word of each page, read by copies.
    fn check(&self, rounds: u32) -> Result<(), Error> {
        let mut found = [0u32; PAGES];
        for (piece, start) in self.pieces.iter().enumerate() {
            for (page, place) in found.iter_mut().enumerate() {
                self.gpu.fetch(
                    std::slice::from_mut(place),
                    start + (page * PAGE_BYTES) as u64,
                    self.gpu.stream,
                )?;
            }
            self.gpu.wait(self.gpu.stream)?;
            for (page, wrong) in found.iter().enumerate() {
                let expected = content(piece * PAGES + page, rounds);
                if *wrong != expected {
                    return Err(Error::Bench(format!(
                        "page {page} of piece {piece} holds {wrong:#x} at the end, not \
                        {expected:#x}"
                    )));
                }
            }
        }
        Ok(())
    }

    fn total_bytes(&self) -> Result<usize, Error> {
        let mut total = 0;
        // SAFETY: the out-pointer is to a local.
        ok("cuDeviceTotalMem", unsafe { self.gpu.driver.cuDeviceTotalMem_v2(&mut total, 0) })?;
        Ok(total)
    }
}

/// Parses an amount of memory in whole pieces.
pub fn pieces_bytes(text: &str) -> Result<u64, String> {
    let whole = |bytes: u64| {
        if bytes.is_multiple_of(PIECE_BYTES as u64) {
            Ok(bytes)
        } else {
            Err(format!("'{text}' is not a multiple of 64MiB; write 64MiB or 1GiB"))
        }
    };
    bytes(text).and_then(whole)
}

/// Rounds an amount of memory down to whole pieces, but to at least one.
pub fn whole_pieces(bytes: u64) -> u64 {
    (bytes / PIECE_BYTES as u64).max(1) * PIECE_BYTES as u64
}

/// Runs the program: allocates its memory, and then runs a round for each input line.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    let holder = Holder::new(arguments.bytes, arguments.allocation)?;
    arguments.staying.map_or(Ok(()), |bytes| holder.keep(bytes))?;
    print_line(&format!("ready {} {}", holder.total_bytes()?, holder.gpu.name))?;
    if arguments.fail {
        holder.fail()?;
        std::io::stdin().lock().lines().for_each(drop);
        return Ok(ExitCode::SUCCESS);
    }
    let (mut rounds, mut lines) = (0, std::io::stdin().lock().lines());
    while arguments.rounds.map_or_else(|| lines.next().is_some(), |most| rounds < most) {
        holder.round(rounds)?;
        rounds += 1;
        print_line("done")?;
    }
    // A kernel reads all of the last contents, and copies read one word of each page.
    holder.round(rounds)?;
    holder.check(rounds + 1)?;
    print_line("right")?;
    Ok(ExitCode::SUCCESS)
}

fn print_line(line: &str) -> Result<(), Error> {
    let mut out = std::io::stdout();
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    written.map_err(|error| Error::Io { doing: "cannot write to standard output".into(), error })
}

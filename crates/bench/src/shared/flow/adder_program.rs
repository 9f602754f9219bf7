//! A program of the data-flow benchmark: one node of a graph. On command, the program adds two
//! matrices that other programs left, and leaves the sum. It runs on the libcuda.so.1 that the
//! loader finds.

use super::FlowMethod;
use crate::error::Error;
use crate::measurement::cuda_driver::{DRIVER, MeasuredGpu, ok};
use outhaul_abi::Library;
use outhaul_abi::types::{CUdeviceptr, CUfunction, CUresult};
use std::collections::HashMap;
use std::ffi::c_void;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const KERNEL: &str = include_str!("../../kernels/add.ptx");
const THREADS: u32 = 256;
const BLOCKS_MAX: usize = 1024;
/// Number of different elements. Different elements reveal misplaced ones. All are small, so that
/// sums are exact.
const PATTERN: usize = 97;
/// Flags for a new segment that only the creator's tenant may use.
const CREATE: u32 = 0o1600;
const READ_ONLY: u32 = 0o10000;

/// Add matrices that other programs left; the data-flow benchmark starts this command.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Number of rows and columns of each matrix.
    #[arg(long)]
    side: usize,
    /// Folder for the matrices' files.
    #[arg(long)]
    folder: PathBuf,
}

/// The functions of outhaul.h, which only Outhaul's driver has.
#[derive(Clone, Copy)]
struct Segments {
    get: unsafe extern "C" fn(*mut i32, i32, usize, u32) -> CUresult,
    attach: unsafe extern "C" fn(*mut CUdeviceptr, i32, u32) -> CUresult,
    detach: unsafe extern "C" fn(CUdeviceptr) -> CUresult,
}

/// The pages of a file in this process.
struct Mapping {
    address: *mut c_void,
    bytes: usize,
}

/// A matrix by its place and purpose. A matrix that a program attached for reading is not attached
/// for writing.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Use {
    way: FlowMethod,
    place: usize,
    writes: bool,
}

/// A matrix as this program accesses it.
enum Held {
    Host(Mapping),
    Segment(CUdeviceptr),
}

struct Adder {
    gpu: MeasuredGpu,
    function: CUfunction,
    segments: Option<Segments>,
    folder: PathBuf,
    elements: usize,
    /// Device memory for matrices that pass through the host.
    own: [CUdeviceptr; 3],
    /// Mappings that remain from one run to the next.
    kept: HashMap<Use, Held>,
}

impl Segments {
    fn find() -> Option<Segments> {
        let library = Library::open(Path::new(DRIVER)).ok()?;
        // SAFETY: the client library exports functions of these types by these names; no other
        // driver exports the names.
        unsafe {
            Some(Segments {
                get: library.symbol(c"outhaulShmGet")?,
                attach: library.symbol(c"outhaulShmAttach")?,
                detach: library.symbol(c"outhaulShmDetach")?,
            })
        }
    }

    fn attach(self, place: usize, bytes: usize, writes: bool) -> Result<CUdeviceptr, Error> {
        let (mut id, mut address, flags) = (0, 0, if writes { 0 } else { READ_ONLY });
        // SAFETY: the out-pointers are to locals. Keys begin at 1, because 0 is not a key.
        unsafe {
            ok("outhaulShmGet", (self.get)(&mut id, place as i32 + 1, bytes, CREATE))?;
            ok("outhaulShmAttach", (self.attach)(&mut address, id, flags))?;
        }
        Ok(address)
    }
}

impl Mapping {
    fn open(file: &Path, bytes: usize) -> Result<Mapping, Error> {
        let failed = |error| Error::Io { doing: format!("cannot map {}", file.display()), error };
        // The bench's own folder is private, and its programs open the files that others made.
        let file: File = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(outhaul_files::FILE_MODE)
            .custom_flags(libc::O_NOFOLLOW)
            .open(file)
            .map_err(failed)?;
        file.set_len(bytes as u64).map_err(failed)?;
        let (access, none) = (libc::PROT_READ | libc::PROT_WRITE, std::ptr::null_mut());
        // SAFETY: maps new pages, which replace none.
        let address =
            unsafe { libc::mmap(none, bytes, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if address == libc::MAP_FAILED {
            Err(failed(std::io::Error::last_os_error()))
        } else {
            Ok(Mapping { address, bytes })
        }
    }

    fn elements(&mut self) -> &mut [f32] {
        // SAFETY: the address is aligned to a page, the mapping has `bytes` bytes, and any bits are
        // a valid `f32`. The benchmark lets one program at a time use the pages.
        unsafe {
            std::slice::from_raw_parts_mut(self.address.cast(), self.bytes / size_of::<f32>())
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the pages belong to this mapping alone.
        unsafe { libc::munmap(self.address, self.bytes) };
    }
}

fn element(at: usize, factor: u64) -> f32 {
    (factor as usize * (1 + at % PATTERN)) as f32
}

impl Adder {
    fn new(arguments: &Arguments) -> Result<Adder, Error> {
        let gpu = MeasuredGpu::open()?;
        let [function] = gpu.functions(KERNEL, [c"add"])?;
        let elements = arguments.side * arguments.side;
        let bytes = elements * size_of::<f32>();
        let own = [gpu.allocate(bytes)?, gpu.allocate(bytes)?, gpu.allocate(bytes)?];
        let (segments, folder) = (Segments::find(), arguments.folder.clone());
        let adder = Adder { gpu, function, segments, folder, elements, own, kept: HashMap::new() };
        // The first launch takes longer, and that time must not count as a node's.
        adder.add(own)?;
        Ok(adder)
    }

    fn bytes(&self) -> usize {
        self.elements * size_of::<f32>()
    }

    fn add(&self, matrices: [CUdeviceptr; 3]) -> Result<(), Error> {
        self.launch(matrices)?;
        self.gpu.wait(self.gpu.stream)
    }

    fn launch(&self, [a, b, sum]: [CUdeviceptr; 3]) -> Result<(), Error> {
        let blocks = self.elements.div_ceil(THREADS as usize).min(BLOCKS_MAX);
        self.gpu.launch(
            self.function,
            blocks,
            THREADS,
            self.gpu.stream,
            &[a, b, sum, self.elements as u64],
        )
    }

    fn hold(&mut self, what: Use) -> Result<Held, Error> {
        if let Some(held) = self.kept.remove(&what) {
            return Ok(held);
        }
        if !what.way.is_segments() {
            return Mapping::open(&self.folder.join(what.place.to_string()), self.bytes())
                .map(Held::Host);
        }
        let segments = self
            .segments
            .ok_or_else(|| Error::Bench("this driver has no segments: run on a node".into()))?;
        segments.attach(what.place, self.bytes(), what.writes).map(Held::Segment)
    }

    fn let_go(&mut self, what: Use, held: Held) -> Result<(), Error> {
        if what.way.is_kept() {
            self.kept.insert(what, held);
            return Ok(());
        }
        match (held, self.segments) {
            (Held::Segment(address), Some(segments)) => {
                // SAFETY: this program attached the segment, and no longer uses it.
                ok("outhaulShmDetach", unsafe { (segments.detach)(address) })
            }
            _ => Ok(()),
        }
    }

    /// Does a node's work: adds two matrices.
    fn work(&mut self, way: FlowMethod, [a, b, sum]: [usize; 3]) -> Result<(), Error> {
        let uses =
            [(a, false), (b, false), (sum, true)].map(|(place, writes)| Use { way, place, writes });
        let mut held = [self.hold(uses[0])?, self.hold(uses[1])?, self.hold(uses[2])?];
        match &mut held {
            [Held::Segment(a), Held::Segment(b), Held::Segment(sum)] => self.add([*a, *b, *sum])?,
            [Held::Host(a), Held::Host(b), Held::Host(sum)] => {
                self.gpu.send(self.own[0], a.elements(), self.gpu.stream)?;
                self.gpu.send(self.own[1], b.elements(), self.gpu.stream)?;
                self.launch(self.own)?;
                self.gpu.fetch(sum.elements(), self.own[2], self.gpu.stream)?;
                self.gpu.wait(self.gpu.stream)?;
            }
            _ => return Err(Error::Bench("a node's matrices are in different memories".into())),
        }
        uses.into_iter().zip(held).try_for_each(|(what, held)| self.let_go(what, held))
    }

    fn put(&mut self, way: FlowMethod, place: usize, factor: u64) -> Result<(), Error> {
        let elements: Vec<f32> = (0..self.elements).map(|at| element(at, factor)).collect();
        let what = Use { way: way.fresh(), place, writes: true };
        let mut held = self.hold(what)?;
        match &mut held {
            Held::Host(mapping) => mapping.elements().copy_from_slice(&elements),
            Held::Segment(address) => {
                self.gpu.send(*address, &elements, self.gpu.stream)?;
                self.gpu.wait(self.gpu.stream)?;
            }
        }
        self.let_go(what, held)
    }

    fn check(&mut self, way: FlowMethod, place: usize, factor: u64) -> Result<(), Error> {
        let what = Use { way: way.fresh(), place, writes: false };
        let mut held = self.hold(what)?;
        let found = match &mut held {
            Held::Host(mapping) => mapping.elements().to_vec(),
            Held::Segment(address) => self.gpu.read(*address, self.elements)?,
        };
        self.let_go(what, held)?;
        match found.iter().enumerate().find(|(at, found)| **found != element(*at, factor)) {
            None => Ok(()),
            Some((at, found)) => {
                let (expected, name) = (element(at, factor), way.name());
                Err(Error::Bench(format!(
                    "element {at} of matrix {place} is {found}, not {expected}, by way of {name}"
                )))
            }
        }
    }

    fn obey(&mut self, line: &str) -> Result<(), Error> {
        let failed = || Error::Bench(format!("a node of a graph does not understand '{line}'"));
        let mut words = line.split(' ');
        let (what, way) = (
            words.next().unwrap_or_default(),
            words.next().and_then(FlowMethod::of_name).ok_or_else(failed)?,
        );
        let numbers: Vec<usize> =
            words.map(|word| word.parse().map_err(|_| failed())).collect::<Result<_, _>>()?;
        match (what, &numbers[..]) {
            ("add", &[a, b, sum]) => self.work(way, [a, b, sum]),
            ("put", &[place, factor]) => self.put(way, place, factor as u64),
            ("check", &[place, factor]) => self.check(way, place, factor as u64),
            _ => Err(failed()),
        }
    }
}

/// Runs the program: executes one command for each input line.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    let begin = Instant::now();
    let mut adder = Adder::new(arguments)?;
    print_line(&format!("ready {:.3} {}", begin.elapsed().as_secs_f64() * 1e3, adder.gpu.name))?;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        adder.obey(&line)?;
        print_line("done")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_line(line: &str) -> Result<(), Error> {
    let mut out = std::io::stdout();
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    written.map_err(|error| Error::Io { doing: "cannot write to standard output".into(), error })
}

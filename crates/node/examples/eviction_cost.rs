//! Measures the steps of moving device memory to the host and back. Several threads allocate pinned
//! memory in pieces of several kinds. Device memory is allocated and mapped in chunks of several
//! sizes. Memory moves both ways as in `residency`, alone and against another process. A small
//! piece of work waits while pinned memory is allocated.
//!
//!     cargo run --release -p outhaul-node --example chunks -- \
//!         libcuda.so.1 [MIB PINNED] [MIB MOVED]

use outhaul_abi::Driver;
use outhaul_abi::types::*;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::io::{BufRead, BufReader, Lines, Write, stdin};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Instant;

const MIB: usize = 1 << 20;
const HUGE_BYTES: usize = 2 * MIB;
const PIECE_BYTES: usize = 32 * MIB;
const CHUNKS_MIB: [usize; 4] = [32, 64, 128, 256];
/// Bytes that are registered at once in the memory for moves. No chunk crosses a border between
/// two.
const REGISTERED_BYTES: usize = 256 * MIB;
/// Bytes that are pinned while small pieces of work run.
const BESIDE_BYTES: usize = 1024 * MIB;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let mib = |at: usize, default: usize| {
        words.get(at).map_or(default, |word| word.parse().expect("a number of MiB")) * MIB
    };
    let library = words.get(1).expect("the path of a libcuda.so.1");
    let (pinned_bytes, moved_bytes) = (mib(2, 4096), mib(3, 8192));
    let gpu = Gpu::open(library);
    if words.get(4).is_some_and(|word| word == "other") {
        return be_the_other(&gpu, moved_bytes);
    }
    let began = Instant::now();
    make(&gpu, pinned_bytes);
    wait_beside(&gpu, pinned_bytes.min(BESIDE_BYTES));
    chunks(&gpu);
    let both = Both::new(&gpu, moved_bytes);
    alone(&both);
    beside(&both, library, moved_bytes);
    println!("\n{:.1} s", began.elapsed().as_secs_f64());
}

fn gb_per_s(bytes: usize, seconds: f64) -> String {
    if seconds > 0.0 { format!("{:.1}", bytes as f64 / 1e9 / seconds) } else { "-".into() }
}

fn timed(work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_secs_f64()
}

// ---- the device ----

struct Gpu {
    driver: Driver,
    context: CUcontext,
    stream: CUstream,
}

impl Gpu {
    fn open(library: &str) -> Gpu {
        let driver = Driver::open(library.as_ref()).expect("a driver");
        let (mut context, mut stream) = (CUcontext::NULL, CUstream::NULL);
        // SAFETY: results go to locals.
        unsafe {
            driver.cuInit(0).ok().unwrap();
            driver.cuDevicePrimaryCtxRetain(&mut context, 0).ok().unwrap();
            driver.cuCtxSetCurrent(context).ok().unwrap();
            driver.cuStreamCreate(&mut stream, 1).ok().unwrap();
        }
        Gpu { driver, context, stream }
    }

    fn enter(&self) {
        // SAFETY: the context lives as long as the process.
        unsafe { self.driver.cuCtxSetCurrent(self.context) }.ok().unwrap();
    }

    fn create(&self, bytes: usize) -> CUmemGenericAllocationHandle {
        let location = CUmemLocation { type_: 1, id: 0 };
        let (win32, reserved) = (null_mut(), [0; 4]);
        let wanted = CUmemAllocationProp {
            type_: 1,
            requestedHandleTypes: 0,
            location,
            win32HandleMetaData: win32,
            compressionType: 0,
            gpuDirectRDMACapable: 0,
            usage: 0,
            reserved,
        };
        let mut handle = 0;
        // SAFETY: the handle goes to a local.
        unsafe { self.driver.cuMemCreate(&mut handle, bytes, &wanted, 0) }.ok().unwrap();
        handle
    }

    fn map(&self, address: u64, bytes: usize, handle: CUmemGenericAllocationHandle) {
        // SAFETY: the range is this program's, and nothing is mapped there.
        unsafe { self.driver.cuMemMap(address, bytes, 0, handle, 0) }.ok().unwrap();
    }

    fn let_in(&self, address: u64, bytes: usize) {
        let access = CUmemAccessDesc { location: CUmemLocation { type_: 1, id: 0 }, flags: 3 };
        // SAFETY: the range is mapped.
        unsafe { self.driver.cuMemSetAccess(address, bytes, &access, 1) }.ok().unwrap();
    }

    fn unmap(&self, address: u64, bytes: usize) {
        // SAFETY: the range is mapped, and the device is done with it.
        unsafe { self.driver.cuMemUnmap(address, bytes) }.ok().unwrap();
    }

    fn release(&self, handle: CUmemGenericAllocationHandle) {
        // SAFETY: the handle is not used any more.
        unsafe { self.driver.cuMemRelease(handle) }.ok().unwrap();
    }

    fn reserve(&self, bytes: usize) -> u64 {
        let mut address = 0;
        // SAFETY: the result goes to a local.
        unsafe { self.driver.cuMemAddressReserve(&mut address, bytes, 0, 0, 0) }.ok().unwrap();
        address
    }

    /// Begins a copy and returns the event of its end.
    fn copy(&self, to_host: bool, address: u64, host: *mut c_void, bytes: usize) -> CUevent {
        let mut event = CUevent::NULL;
        // SAFETY: both places have that many bytes and remain until the event is reached.
        unsafe {
            self.driver.cuEventCreate(&mut event, 2).ok().unwrap();
            match to_host {
                true => self.driver.cuMemcpyDtoHAsync_v2(host, address, bytes, self.stream),
                false => self.driver.cuMemcpyHtoDAsync_v2(address, host, bytes, self.stream),
            }
            .ok()
            .unwrap();
            self.driver.cuEventRecord(event, self.stream).ok().unwrap();
        }
        event
    }

    fn wait(&self, event: CUevent) {
        // SAFETY: the event is used nowhere else.
        unsafe {
            self.driver.cuEventSynchronize(event).ok().unwrap();
            self.driver.cuEventDestroy_v2(event).ok().unwrap();
        }
    }

    fn register(&self, address: *mut c_void, bytes: usize) {
        // SAFETY: the pages are this program's and remain until they are unregistered.
        unsafe { self.driver.cuMemHostRegister_v2(address, bytes, 1) }.ok().unwrap();
    }

    fn unregister(&self, address: *mut c_void) {
        // SAFETY: registered before, and nothing copies from or to it.
        unsafe { self.driver.cuMemHostUnregister(address) }.ok().unwrap();
    }
}

// ---- pinned memory ----

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Small,
    Huge,
    /// Memory of the driver, which populates and registers at once.
    Driver,
}

#[derive(Clone, Copy)]
struct Piece {
    address: *mut c_void,
    bytes: usize,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for Piece {}

impl Piece {
    /// Makes populated pages that begin at the border of a huge page.
    fn populate(bytes: usize, kind: Kind) -> Piece {
        let (access, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: fresh pages. Their ends are unmapped, and the rest gets advice.
        unsafe {
            let whole = libc::mmap(null_mut(), bytes + HUGE_BYTES, access, flags, -1, 0);
            assert_ne!(whole, libc::MAP_FAILED);
            let before = whole.align_offset(HUGE_BYTES);
            let address = whole.byte_add(before);
            let _ = before > 0 && libc::munmap(whole, before) == 0;
            libc::munmap(address.byte_add(bytes), HUGE_BYTES - before);
            libc::madvise(
                address,
                bytes,
                if kind == Kind::Huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE },
            );
            if libc::madvise(address, bytes, libc::MADV_POPULATE_WRITE) != 0 {
                (0..bytes)
                    .step_by(4096)
                    .for_each(|at| address.byte_add(at).cast::<u8>().write_volatile(0));
            }
            Piece { address, bytes }
        }
    }

    fn of_driver(gpu: &Gpu) -> Piece {
        let mut address = null_mut();
        // SAFETY: the result goes to a local.
        unsafe { gpu.driver.cuMemHostAlloc(&mut address, PIECE_BYTES, 1) }.ok().unwrap();
        Piece { address, bytes: PIECE_BYTES }
    }

    fn free(self, gpu: &Gpu, kind: Kind) {
        if kind == Kind::Driver {
            // SAFETY: the memory is the driver's, and is not used any more.
            unsafe { gpu.driver.cuMemFreeHost(self.address) }.ok().unwrap();
        } else {
            gpu.unregister(self.address);
            // SAFETY: this piece's own pages.
            unsafe { libc::munmap(self.address, self.bytes) };
        }
    }
}

/// Runs that many threads, each with the context current, and returns the time until all have
/// ended.
fn with(gpu: &Gpu, threads: usize, work: impl Fn(usize) + Sync) -> f64 {
    timed(|| {
        thread::scope(|scope| {
            for at in 0..threads {
                let work = &work;
                scope.spawn(move || {
                    gpu.enter();
                    work(at);
                });
            }
        });
    })
}

// SAFETY: the driver may be called from any thread, and the handles remain valid.
unsafe impl Sync for Gpu {}

fn make(gpu: &Gpu, bytes: usize) {
    let enabled = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled")
        .unwrap_or_else(|error| error.to_string());
    println!(
        "transparent huge pages: {}; processors: {}",
        enabled.trim(),
        thread::available_parallelism().map_or(0, usize::from)
    );
    println!(
        "\npinned memory in pieces of {} MiB, {} MiB in all, GB/s",
        PIECE_BYTES / MIB,
        bytes / MIB
    );
    println!(
        "{:<18} {:>7} {:>9} {:>9} {:>9} {:>9}",
        "pages", "threads", "populate", "register", "both", "free"
    );
    for (kind, name) in
        [(Kind::Small, "4 KiB"), (Kind::Huge, "2 MiB"), (Kind::Driver, "cuMemHostAlloc")]
    {
        for threads in [1, 4, 8] {
            let pieces: Vec<Mutex<Vec<Piece>>> = (0..threads).map(|_| Mutex::default()).collect();
            let count = bytes / PIECE_BYTES / threads;
            let of_kind = || {
                if kind == Kind::Driver {
                    Piece::of_driver(gpu)
                } else {
                    Piece::populate(PIECE_BYTES, kind)
                }
            };
            let populated = with(gpu, threads, |at| {
                *pieces[at].lock().unwrap() = (0..count).map(|_| of_kind()).collect()
            });
            let register = |piece: &Piece| gpu.register(piece.address, piece.bytes);
            let registered = match kind {
                Kind::Driver => 0.0,
                _ => with(gpu, threads, |at| pieces[at].lock().unwrap().iter().for_each(register)),
            };
            let freed = with(gpu, threads, |at| {
                pieces[at].lock().unwrap().drain(..).for_each(|piece| piece.free(gpu, kind))
            });
            let rate = |seconds| gb_per_s(count * threads * PIECE_BYTES, seconds);
            let [parts, all] =
                [[populated, registered].map(rate), [populated + registered, freed].map(rate)];
            println!(
                "{name:<18} {threads:>7} {:>9} {:>9} {:>9} {:>9}",
                parts[0], parts[1], all[0], all[1]
            );
        }
    }
    at_once(gpu, bytes);
}

/// Shows whether the calls or the pages take the time.
fn at_once(gpu: &Gpu, bytes: usize) {
    let mut piece = Piece { address: null_mut(), bytes };
    let populated = timed(|| piece = Piece::populate(bytes, Kind::Huge));
    let registered = timed(|| gpu.register(piece.address, bytes));
    let freed = timed(|| piece.free(gpu, Kind::Huge));
    let rates = [populated, registered, populated + registered, freed]
        .map(|seconds| gb_per_s(bytes, seconds));
    println!(
        "{:<18} {:>7} {:>9} {:>9} {:>9} {:>9}",
        "2 MiB, one piece", 1, rates[0], rates[1], rates[2], rates[3]
    );
}

/// Measures a small fill and the wait for it, while another thread pins memory.
fn wait_beside(gpu: &Gpu, bytes: usize) {
    let (address, handle) = (gpu.reserve(HUGE_BYTES), gpu.create(HUGE_BYTES));
    gpu.map(address, HUGE_BYTES, handle);
    gpu.let_in(address, HUGE_BYTES);
    let fill = || {
        // SAFETY: the memory is this program's.
        unsafe {
            gpu.driver.cuMemsetD32Async(address, 1, 1024, gpu.stream).ok().unwrap();
            gpu.driver.cuStreamSynchronize(gpu.stream).ok().unwrap();
        }
    };
    println!(
        "\na small fill and its wait, us\n{:<32} {:>9} {:>9} {:>9}",
        "beside", "median", "99 %", "most"
    );
    for (kind, name) in
        [(None, "nothing"), (Some(Kind::Small), "4 KiB pages"), (Some(Kind::Huge), "2 MiB pages")]
    {
        let done = AtomicBool::new(false);
        let mut took_us = Vec::new();
        thread::scope(|scope| {
            scope.spawn(|| {
                gpu.enter();
                let pieces = (0..bytes / PIECE_BYTES).filter_map(|_| {
                    let piece = Piece::populate(PIECE_BYTES, kind?);
                    gpu.register(piece.address, piece.bytes);
                    Some(piece)
                });
                let pieces: Vec<Piece> = pieces.collect();
                thread::sleep(std::time::Duration::from_millis(if kind.is_none() {
                    300
                } else {
                    0
                }));
                done.store(true, SeqCst);
                pieces.into_iter().for_each(|piece| piece.free(gpu, Kind::Huge));
            });
            while !done.load(SeqCst) {
                took_us.push(timed(fill) * 1e6);
            }
        });
        took_us.sort_by(f64::total_cmp);
        let at = |part: usize| took_us[(took_us.len() - 1) * part / 100];
        println!("{name:<32} {:>9.1} {:>9.1} {:>9.1}", at(50), at(99), at(100));
    }
}

// ---- chunks of the device's memory ----

fn chunks(gpu: &Gpu) {
    println!(
        "\na chunk of device memory, us\n{:>6} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "MiB", "create", "map", "access", "unmap", "release"
    );
    for mib in CHUNKS_MIB {
        let (bytes, times) = (mib * MIB, 16);
        let address = gpu.reserve(bytes);
        let mut took = [0.0; 5];
        for time in 0..=times {
            let mut handle = 0;
            let steps = [
                timed(|| handle = gpu.create(bytes)),
                timed(|| gpu.map(address, bytes, handle)),
                timed(|| gpu.let_in(address, bytes)),
                timed(|| gpu.unmap(address, bytes)),
                timed(|| gpu.release(handle)),
            ];
            // The first time differs from the others.
            took.iter_mut()
                .zip(steps)
                .filter(|_| time > 0)
                .for_each(|(sum, step)| *sum += step * 1e6 / times as f64);
        }
        println!(
            "{mib:>6} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9.1}",
            took[0], took[1], took[2], took[3], took[4]
        );
    }
}

/// Device memory and pinned memory of the same size, between which chunks move.
struct Both<'a> {
    gpu: &'a Gpu,
    address: u64,
    host: Piece,
}

/// Handles of the chunks.
type Handles = Vec<CUmemGenericAllocationHandle>;

impl<'a> Both<'a> {
    fn new(gpu: &'a Gpu, bytes: usize) -> Both<'a> {
        let host = Piece::populate(bytes, Kind::Huge);
        let registered = REGISTERED_BYTES.min(bytes);
        (0..bytes)
            .step_by(registered)
            .for_each(|at| gpu.register(host.address.wrapping_byte_add(at), registered));
        Both { gpu, address: gpu.reserve(bytes), host }
    }

    fn at(&self, bytes: usize, index: usize) -> (u64, *mut c_void) {
        (self.address + (index * bytes) as u64, self.host.address.wrapping_byte_add(index * bytes))
    }

    fn back(&self, bytes: usize, copies_max: usize) -> Handles {
        let (mut handles, mut under_way) = (Vec::new(), VecDeque::new());
        for index in 0..self.host.bytes / bytes {
            let (address, host) = self.at(bytes, index);
            let handle = self.gpu.create(bytes);
            self.gpu.map(address, bytes, handle);
            self.gpu.let_in(address, bytes);
            handles.push(handle);
            under_way.push_back(self.gpu.copy(false, address, host, bytes));
            if under_way.len() >= copies_max {
                under_way.pop_front().into_iter().for_each(|event| self.gpu.wait(event));
            }
        }
        under_way.into_iter().for_each(|event| self.gpu.wait(event));
        handles
    }

    fn out(&self, bytes: usize, copies_max: usize, handles: Handles) {
        let mut under_way = VecDeque::new();
        let leave = |(address, handle, event)| {
            self.gpu.wait(event);
            self.gpu.unmap(address, bytes);
            self.gpu.release(handle);
        };
        for (index, handle) in handles.into_iter().enumerate() {
            let (address, host) = self.at(bytes, index);
            under_way.push_back((address, handle, self.gpu.copy(true, address, host, bytes)));
            if under_way.len() >= copies_max {
                under_way.pop_front().into_iter().for_each(leave);
            }
        }
        under_way.into_iter().for_each(leave);
    }

    /// Measures copies alone: to the host, and back.
    fn copies(&self, handles: &Handles, bytes: usize) -> [f64; 2] {
        [true, false].map(|to_host| {
            timed(|| {
                let begin = |index| {
                    self.gpu.copy(to_host, self.at(bytes, index).0, self.at(bytes, index).1, bytes)
                };
                let events: Vec<CUevent> = (0..handles.len()).map(begin).collect();
                events.into_iter().for_each(|event| self.gpu.wait(event));
            })
        })
    }
}

fn alone(both: &Both) {
    println!(
        "\n{} MiB out and back, GB/s; nodes of the host's memory: {}",
        both.host.bytes / MIB,
        nodes(&both.host)
    );
    println!("{:>6} {:>8} {:>9} {:>9}", "MiB", "copies", "out", "back");
    for mib in CHUNKS_MIB.map(|mib| mib.min(both.host.bytes / MIB)) {
        let bytes = mib * MIB;
        let mut handles = both.back(bytes, 2);
        let [out, back] =
            both.copies(&handles, bytes).map(|seconds| gb_per_s(both.host.bytes, seconds));
        println!("{mib:>6} {:>8} {out:>9} {back:>9}", "alone");
        for copies_max in [2, 3, 4] {
            let out = timed(|| both.out(bytes, copies_max, std::mem::take(&mut handles)));
            let back = timed(|| handles = both.back(bytes, copies_max));
            let [out, back] = [out, back].map(|seconds| gb_per_s(both.host.bytes, seconds));
            println!("{mib:>6} {copies_max:>8} {out:>9} {back:>9}");
        }
        both.out(bytes, 2, handles);
    }
}

/// Returns the MiB on each node of the host's memory, as far as the kernel reports it.
fn nodes(piece: &Piece) -> String {
    let mut counts = std::collections::BTreeMap::<i32, usize>::new();
    for at in (0..piece.bytes).step_by(PIECE_BYTES) {
        let mut node: i32 = -1;
        let (node_of_address, place) = (3, piece.address.wrapping_byte_add(at));
        // SAFETY: the result goes to a local.
        unsafe {
            libc::syscall(
                libc::SYS_get_mempolicy,
                &raw mut node,
                null_mut::<c_void>(),
                0,
                place,
                node_of_address,
            )
        };
        *counts.entry(node).or_default() += PIECE_BYTES / MIB;
    }
    format!("{counts:?}")
}

// ---- two processes at once ----

/// Another process that follows orders: `out MIB`, `back MIB`. It answers with the seconds that
/// each took.
struct Other {
    process: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Other {
    fn start(library: &str, bytes: usize) -> Other {
        let program = std::env::current_exe().expect("this program");
        let words = [library.to_owned(), "0".into(), (bytes / MIB).to_string(), "other".into()];
        let mut process = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("another process");
        let orders = process.stdin.take().expect("a pipe");
        let answers = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        Other { process, orders, answers }
    }

    fn order(&mut self, order: &str) {
        writeln!(self.orders, "{order}").expect("it listens");
    }

    fn answer(&mut self) -> f64 {
        self.answers.next().expect("an answer").expect("text").parse().expect("seconds")
    }
}

fn be_the_other(gpu: &Gpu, bytes: usize) {
    let both = Both::new(gpu, bytes);
    let mut handles = Handles::new();
    println!("0");
    for line in stdin().lines() {
        let line = line.expect("text");
        let (way, mib) = line.split_once(' ').expect("a way and a size");
        let bytes = mib.parse::<usize>().expect("MiB") * MIB;
        let took = match way {
            "out" => timed(|| both.out(bytes, 2, std::mem::take(&mut handles))),
            _ => timed(|| handles = both.back(bytes, 2)),
        };
        println!("{took}");
    }
}

fn beside(both: &Both, library: &str, bytes: usize) {
    let mut other = Other::start(library, bytes);
    other.answer();
    println!(
        "\ntwo processes at once, one out, one back, {} MiB each, 2 copies, GB/s; then the other \
        way round",
        bytes / MIB
    );
    println!("{:>6} {:>9} {:>9} {:>9} {:>9}", "MiB", "out", "back", "out", "back");
    for mib in CHUNKS_MIB.map(|mib| mib.min(bytes / MIB)) {
        let mut handles = both.back(mib * MIB, 2);
        other.order(&format!("back {mib}"));
        let out = timed(|| both.out(mib * MIB, 2, std::mem::take(&mut handles)));
        let others_back = other.answer();
        other.order(&format!("out {mib}"));
        let back = timed(|| handles = both.back(mib * MIB, 2));
        let others_out = other.answer();
        both.out(mib * MIB, 2, handles);
        let [out, others_back, others_out, back] =
            [out, others_back, others_out, back].map(|seconds| gb_per_s(bytes, seconds));
        println!("{mib:>6} {out:>9} {others_back:>9} {others_out:>9} {back:>9}");
    }
    drop(other.orders);
    other.process.wait().expect("its end");
}

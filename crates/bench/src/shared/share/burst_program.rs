//! A program of the sharing benchmark. The program runs bursts of kernels of one length, one burst
//! after another, and may copy before and after each. It records how many kernels and copies were
//! complete at which times. It runs on the
//! libcuda.so.1 that the loader finds.

use crate::error::Error;
use crate::measurement::cuda_driver::{MeasuredGpu, Pinned, ok};
use outhaul_abi::types::{CUcontext, CUevent, CUfunction};
use serde::{Deserialize, Serialize};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

const KERNEL: &str = include_str!("../../kernels/burn.ptx");
const THREADS: u32 = 256;
/// Number of blocks: four for each multiprocessor of the largest GPUs. The software GPU needs only
/// as many as its cores.
const BLOCKS: usize = 528;
const BLOCKS_SOFTWARE: usize = 16;
const THREADS_SOFTWARE: u32 = 32;
/// Number of events between kernels of bursts in flight.
const EVENTS: usize = 64;
const CALIBRATION_ROUNDS: u64 = 2_000;
const CALIBRATION_NS: f64 = 50e6;
const CALIBRATION_COPY_BYTES: usize = 64 << 20;

/// Run bursts of kernels; the sharing benchmark starts this command.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Arguments {
    /// Print how many rounds a kernel of one millisecond has, and exit.
    #[arg(long)]
    calibrate: bool,
    /// Number of rounds of each kernel.
    #[arg(long, default_value_t = 0)]
    pub rounds: u64,
    /// Number of kernels in a burst.
    #[arg(long, default_value_t = 1)]
    pub kernels: usize,
    /// Number of kernels of a burst between two marks.
    #[arg(long, default_value_t = 1)]
    pub mark: usize,
    /// Pause between bursts, in microseconds.
    #[arg(long, default_value_t = 0)]
    pub pause_us: u64,
    /// Maximum number of kernels whose times on the GPU's own clock the program reports.
    #[arg(long, default_value_t = 0)]
    pub timed: usize,
    /// Number of bytes that are copied to the device before each burst, and back after it.
    #[arg(long, default_value_t = 0)]
    pub copy_bytes: usize,
    /// Number of bytes of device memory that the program holds besides.
    #[arg(long, default_value_t = 0)]
    pub hold_bytes: usize,
    /// Time of the first burst in nanoseconds, on the machine's monotonic clock.
    #[arg(long, default_value_t = 0)]
    pub from_ns: u64,
    /// Time after which no burst begins, in nanoseconds on the machine's monotonic clock.
    #[arg(long, default_value_t = 0)]
    pub until_ns: u64,
    /// Number of bursts, instead of an end time.
    #[arg(long, conflicts_with = "until_ns")]
    pub bursts: Option<usize>,
}

impl Arguments {
    fn go_on(&self, bursts: usize) -> bool {
        self.bursts.map_or_else(|| now_ns() < self.until_ns, |all| bursts < all)
    }
}

/// A program's record. `marks` has times on the machine's clock, each with the number of kernels
/// complete by then, and `copied` with the number of copies. `bursts_us` has the duration of each
/// burst. `ran_ns`, on request, has each kernel's time on the GPU's own clock, from the start of
/// its first block to the end of its last.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Played {
    pub marks: Vec<(u64, u64)>,
    #[serde(default)]
    pub copied: Vec<(u64, u64)>,
    pub bursts_us: Vec<f64>,
    pub ran_ns: Vec<(u64, u64)>,
}

/// The speed of a GPU: rounds of a kernel's loop, and bytes from and to pinned memory, per
/// millisecond.
#[derive(Serialize, Deserialize)]
pub struct Calibration {
    pub gpu: String,
    pub rounds_per_ms: f64,
    pub copy_bytes_per_ms: f64,
}

/// Returns the machine's monotonic clock in nanoseconds. All processes see the same clock.
pub fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the out-pointer is to a local.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

struct Burner {
    gpu: MeasuredGpu,
    function: CUfunction,
    sink: u64,
    blocks: usize,
    threads: u32,
}

impl Burner {
    fn new() -> Result<Burner, Error> {
        let gpu = MeasuredGpu::open()?;
        let [function] = gpu.functions(KERNEL, [c"burn"])?;
        let sink = gpu.allocate(4)?;
        let (blocks, threads) =
            if gpu.is_software() { (BLOCKS_SOFTWARE, THREADS_SOFTWARE) } else { (BLOCKS, THREADS) };
        let burner = Burner { gpu, function, sink, blocks, threads };
        burner.burn(1, 0)?;
        burner.gpu.wait(burner.gpu.stream)?;
        Ok(burner)
    }

    /// Launches a kernel. `busy` is the device address where the kernel writes its begin and end,
    /// or 0.
    fn burn(&self, rounds: u64, busy: u64) -> Result<(), Error> {
        self.gpu.launch(
            self.function,
            self.blocks,
            self.threads,
            self.gpu.stream,
            &[self.sink, rounds, busy],
        )
    }

    /// Returns the rounds per millisecond. Takes the best of several measurements, because noise
    /// only makes a kernel longer.
    fn calibrate(&self) -> Result<f64, Error> {
        let (before, after) = (self.gpu.new_event()?, self.gpu.new_event()?);
        let mut rounds = CALIBRATION_ROUNDS;
        let mut best: f64 = 0.0;
        for _ in 0..8 {
            self.gpu.record(before)?;
            self.burn(rounds, 0)?;
            self.gpu.record(after)?;
            self.gpu.wait(self.gpu.stream)?;
            let ns = self.gpu.elapsed_us(before, after)? * 1e3;
            best = if ns < CALIBRATION_NS / 4.0 { 0.0 } else { best.max(rounds as f64 / ns * 1e6) };
            rounds = (rounds as f64 * (CALIBRATION_NS / ns.max(1.0)).clamp(0.1, 100.0))
                .clamp(1.0, 4e9) as u64;
        }
        if best > 0.0 {
            Ok(best)
        } else {
            Err(Error::Bench("the GPU is too fast or too slow to be calibrated".into()))
        }
    }
}

/// Memory that a program copies to the device and back.
struct Copied {
    host: Pinned<u8>,
    device: u64,
}

impl Copied {
    fn new(gpu: &MeasuredGpu, bytes: usize) -> Result<Copied, Error> {
        Ok(Copied { host: gpu.pin(bytes)?, device: gpu.allocate(bytes)? })
    }

    /// Returns the bytes per millisecond, both ways together. Takes the best of several
    /// measurements.
    fn calibrate(&mut self, gpu: &MeasuredGpu) -> Result<f64, Error> {
        let (before, after) = (gpu.new_event()?, gpu.new_event()?);
        let mut best: f64 = 0.0;
        for _ in 0..5 {
            gpu.record(before)?;
            gpu.send(self.device, &self.host, gpu.stream)?;
            gpu.fetch(&mut self.host, self.device, gpu.stream)?;
            gpu.record(after)?;
            gpu.wait(gpu.stream)?;
            let bytes = 2 * self.host.len();
            best = best.max(bytes as f64 * 1e3 / gpu.elapsed_us(before, after)?.max(1.0));
        }
        Ok(best)
    }
}

/// Runs the program: calibrates the kernel, or runs the bursts and prints their record.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    let burner = Burner::new()?;
    if arguments.calibrate {
        let mut copied = Copied::new(&burner.gpu, CALIBRATION_COPY_BYTES)?;
        let calibration = Calibration {
            gpu: burner.gpu.name.clone(),
            rounds_per_ms: burner.calibrate()?,
            copy_bytes_per_ms: copied.calibrate(&burner.gpu)?,
        };
        println!("{}", serde_json::to_string(&calibration).unwrap_or_default());
        return Ok(ExitCode::SUCCESS);
    }
    let played = play(&burner, arguments)?;
    println!("{}", serde_json::to_string(&played).unwrap_or_default());
    Ok(ExitCode::SUCCESS)
}

/// An event of the program's stream, with the kernels and the copies that are complete at it.
type Mark = (CUevent, u64, u64);

fn play(burner: &Burner, arguments: &Arguments) -> Result<Played, Error> {
    let gpu = &burner.gpu;
    let mut context = CUcontext::NULL;
    // SAFETY: the out-pointer is to a local.
    ok("cuCtxGetCurrent", unsafe { gpu.driver.cuCtxGetCurrent(&mut context) })?;
    let (give, take) = channel::<Mark>();
    let (give_back, free) = channel();
    for _ in 0..EVENTS {
        let _ = give_back.send(gpu.new_event()?);
    }
    let origin = Origin::new(gpu)?;
    let clock = if arguments.timed > 0 { Some(Clock::new(gpu, arguments.timed)?) } else { None };
    let mut copied = match arguments.copy_bytes {
        0 => None,
        bytes => Some(Copied::new(gpu, bytes)?),
    };
    gpu.allocate(arguments.hold_bytes)?;
    std::thread::sleep(Duration::from_nanos(arguments.from_ns.saturating_sub(now_ns())));
    let mut played = Played::default();
    let (mut done, mut copies) = (0u64, 0u64);
    played.mark(now_ns(), done, copies);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(move || watch(gpu, context, &origin, &take, &give_back));
        let mark = |kernels: u64, copies: u64| -> Result<(), Error> {
            let event =
                free.recv().map_err(|_| Error::Bench("the watching thread has ended".into()))?;
            gpu.record(event)?;
            let _ = give.send((event, kernels, copies));
            Ok(())
        };
        while arguments.go_on(played.bursts_us.len()) {
            let start_ns = now_ns();
            if let Some(copied) = &copied {
                gpu.send(copied.device, &copied.host, gpu.stream)?;
                copies += 1;
                mark(done, copies)?;
            }
            for kernel in 1..=arguments.kernels {
                let busy =
                    clock.as_ref().map_or(Ok(0), |clock| clock.of(done as usize + kernel - 1))?;
                burner.burn(arguments.rounds, busy)?;
                if kernel < arguments.kernels && kernel % arguments.mark == 0 {
                    mark(done + kernel as u64, copies)?;
                }
            }
            done += arguments.kernels as u64;
            if let Some(copied) = &mut copied {
                mark(done, copies)?;
                gpu.fetch(&mut copied.host, copied.device, gpu.stream)?;
                copies += 1;
            }
            gpu.wait(gpu.stream)?;
            let end_ns = now_ns();
            played.mark(end_ns, done, copies);
            played.bursts_us.push((end_ns - start_ns) as f64 / 1e3);
            if arguments.pause_us > 0 {
                std::thread::sleep(Duration::from_micros(arguments.pause_us));
                // The program did nothing during the pause, so the counts stay unchanged.
                played.mark(now_ns(), done, copies);
            }
        }
        drop(give);
        played.ran_ns = clock.map_or(Ok(Vec::new()), |clock| clock.read(gpu, done as usize))?;
        let watched = watcher.join();
        for (at_ns, kernels, copies) in
            watched.map_err(|_| Error::Bench("the watching thread died".into()))??
        {
            played.mark(at_ns, kernels, copies);
        }
        in_order(&mut played.marks);
        in_order(&mut played.copied);
        Ok(played)
    })
}

impl Played {
    fn mark(&mut self, at_ns: u64, kernels: u64, copies: u64) {
        self.marks.push((at_ns, kernels));
        self.copied.push((at_ns, copies));
    }
}

/// Sorts marks by the work that was complete. The watching thread may have seen a mark late: the
/// work was complete at the latest when later work was.
fn in_order(marks: &mut [(u64, u64)]) {
    marks.sort_unstable_by_key(|(at_ns, done)| (*done, *at_ns));
    (1..marks.len()).rev().for_each(|i| marks[i - 1].0 = marks[i - 1].0.min(marks[i].0));
}

/// Device memory into which kernels write their begin and end.
struct Clock {
    times: u64,
    kernels: usize,
}

impl Clock {
    const UNSET: [u64; 2] = [u64::MAX, 0];

    fn new(gpu: &MeasuredGpu, kernels: usize) -> Result<Clock, Error> {
        Ok(Clock { times: gpu.place(&Clock::UNSET.repeat(kernels))?, kernels })
    }

    fn of(&self, kernel: usize) -> Result<u64, Error> {
        if kernel < self.kernels {
            return Ok(self.times + (kernel * size_of_val(&Clock::UNSET)) as u64);
        }
        Err(Error::Bench(format!(
            "more than {} kernels ran, twice as many as there was time for when their length was \
            measured; measure again while nobody else uses the GPU",
            self.kernels
        )))
    }

    fn read(&self, gpu: &MeasuredGpu, kernels: usize) -> Result<Vec<(u64, u64)>, Error> {
        Ok(gpu
            .read::<u64>(self.times, 2 * kernels)?
            .chunks_exact(2)
            .map(|times| (times[0], times[1]))
            .collect())
    }
}

/// One moment, on the GPU's clock and on the machine's clock.
struct Origin {
    event: CUevent,
    at_ns: u64,
}

impl Origin {
    fn new(gpu: &MeasuredGpu) -> Result<Origin, Error> {
        let event = gpu.new_event()?;
        gpu.record(event)?;
        gpu.wait(gpu.stream)?;
        Ok(Origin { event, at_ns: now_ns() })
    }
}

/// Waits for events, and returns for each the time at which the GPU passed it, with its kernels and
/// copies. The driver may report an event much later, because the query waits in the queue after
/// launches that wait for their turn.
fn watch(
    gpu: &MeasuredGpu,
    context: CUcontext,
    origin: &Origin,
    take: &Receiver<Mark>,
    free: &Sender<CUevent>,
) -> Result<Vec<(u64, u64, u64)>, Error> {
    // SAFETY: the context belongs to this process.
    ok("cuCtxSetCurrent", unsafe { gpu.driver.cuCtxSetCurrent(context) })?;
    let mut marks = Vec::new();
    for (event, kernels, copies) in take {
        // SAFETY: takes only a handle.
        ok("cuEventSynchronize", unsafe { gpu.driver.cuEventSynchronize(event) })?;
        let passed_ns = (gpu.elapsed_us(origin.event, event)? * 1e3) as u64;
        marks.push((origin.at_ns + passed_ns, kernels, copies));
        let _ = free.send(event);
    }
    Ok(marks)
}

//! A program that draws frames at a fixed rate, as one of several on a node. It runs on the
//! libcuda.so.1 that the loader finds.

use super::ticks::Ticks;
use super::{Scene, picture};
use crate::error::Error;
use crate::measurement::case::Scale;
use crate::measurement::cuda_driver::MeasuredGpu;
use crate::measurement::random::Random;
use crate::measurement::results::range;
use crate::shared::share::burst_program::now_ns;
use serde::{Deserialize, Serialize};
use std::process::ExitCode;
use std::time::Duration;

/// Frames per second on a GPU, unless the caller sets another rate.
const FPS: u16 = 90;
const FPS_SOFTWARE: u16 = 5;
const OBJECTS_MAX: usize = 1 << 16;
/// The first two guesses of the number of objects. Each further guess is on the line through the
/// last two.
const GUESSES: [usize; 2] = [32, 256];
const CORRECTIONS: usize = 6;
/// Maximum error of the frame's time, as a fraction of the wanted time.
const NEAR: f64 = 0.03;
/// Maximum ratio of two consecutive guesses, because noise in two close guesses could lead
/// anywhere.
const STEP_MAX: f64 = 8.0;

/// Draw frames at a fixed rate; `outhaul bench frames --tenants` starts this command.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Size of the picture [default: full on a GPU, small on the software GPU].
    #[arg(long)]
    pub scale: Option<Scale>,
    /// Frames per second [default: 90 on a GPU, 5 on the software GPU].
    #[arg(long)]
    pub fps: Option<u16>,
    /// Part of a tick in percent. The command prints how many objects take that long, and ends.
    #[arg(long)]
    pub calibrate: Option<u16>,
    /// Number of objects in each frame.
    #[arg(long, default_value_t = 1)]
    pub objects: usize,
    /// Time of the first tick in nanoseconds, on the machine's monotonic clock.
    #[arg(long, default_value_t = 0)]
    pub from_ns: u64,
    /// Number of ticks to draw.
    #[arg(long, default_value_t = 0)]
    pub ticks: u64,
}

/// The time of a frame while no other program draws.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Calibration {
    pub gpu: String,
    pub software: bool,
    pub width: usize,
    pub height: usize,
    pub fps: u16,
    pub objects: usize,
    pub gpu_us: f64,
}

/// The frames of a program: how many were in time, and the time of each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Drawn {
    #[serde(flatten)]
    pub ticks: Ticks,
    /// Time of each frame in microseconds, from its start until its picture has arrived.
    pub whole_us: Vec<f64>,
}

/// Returns the length of a tick in nanoseconds.
pub fn tick_ns(fps: u16) -> u64 {
    1_000_000_000 / u64::from(fps.max(1))
}

/// Runs the program: calibrates the scene, or draws frames and prints their times.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    let gpu = MeasuredGpu::open()?;
    let scale =
        arguments.scale.unwrap_or(if gpu.is_software() { Scale::Small } else { Scale::Full });
    let fps = arguments.fps.unwrap_or(if gpu.is_software() { FPS_SOFTWARE } else { FPS });
    let mut random = Random::new(super::SEED);
    let mut scene = Scene::new(&gpu, scale, OBJECTS_MAX, &mut random)?;
    let printed = match arguments.calibrate {
        Some(percent) => serde_json::to_string(&calibrate(&gpu, &mut scene, scale, fps, percent)?),
        None => serde_json::to_string(&draw(&gpu, &mut scene, &mut random, fps, arguments)?),
    };
    println!("{}", printed.map_err(|error| Error::Bench(error.to_string()))?);
    Ok(ExitCode::SUCCESS)
}

/// Finds the number of objects whose frame takes the wanted time. A frame's time is almost linear
/// in its objects, so each guess is on the line through the last two. Uses the minimum of several
/// measurements, because noise only makes a frame longer.
fn calibrate(
    gpu: &MeasuredGpu,
    scene: &mut Scene,
    scale: Scale,
    fps: u16,
    percent: u16,
) -> Result<Calibration, Error> {
    let wanted_us = tick_ns(fps) as f64 / 1e3 * f64::from(percent) / 100.0;
    scene.gpu_us(gpu, GUESSES[0])?;
    let mut measure =
        |objects: usize| Ok::<_, Error>((objects, range(&scene.gpu_us(gpu, objects)?).0));
    let (mut old, mut new) = (measure(GUESSES[0])?, measure(GUESSES[1])?);
    for _ in 0..CORRECTIONS {
        let us_per_object = (new.1 - old.1) / (new.0 as f64 - old.0 as f64);
        let is_near = (new.1 - wanted_us).abs() < NEAR * wanted_us;
        if is_near || us_per_object.is_nan() || us_per_object <= 0.0 {
            break;
        }
        let most = new.0 as f64 * STEP_MAX;
        let guess = (new.0 as f64 + (wanted_us - new.1) / us_per_object)
            .clamp(new.0 as f64 / STEP_MAX, most);
        (old, new) = (new, measure((guess as usize).clamp(1, OBJECTS_MAX))?);
    }
    let (width, height, _) = picture(scale);
    Ok(Calibration {
        gpu: gpu.name.clone(),
        software: gpu.is_software(),
        width,
        height,
        fps,
        objects: new.0,
        gpu_us: new.1,
    })
}

fn draw(
    gpu: &MeasuredGpu,
    scene: &mut Scene,
    random: &mut Random,
    fps: u16,
    arguments: &Arguments,
) -> Result<Drawn, Error> {
    let tick_ns = tick_ns(fps);
    let objects = arguments.objects.clamp(1, OBJECTS_MAX);
    // The first launch loads the code.
    scene.frame(gpu, objects)?;
    if now_ns() > arguments.from_ns {
        return Err(Error::Bench(
            "a program was not ready by the first tick; use fewer tenants, or a \
        machine that is otherwise idle"
                .into(),
        ));
    }
    let mut drawn = Drawn { ticks: Ticks::default(), whole_us: Vec::new() };
    while drawn.ticks.next() < arguments.ticks {
        let begin_ns = arguments.from_ns + drawn.ticks.next() * tick_ns;
        std::thread::sleep(Duration::from_nanos(begin_ns.saturating_sub(now_ns())));
        let start_ns = now_ns();
        scene.frame(gpu, objects)?;
        let ready_ns = now_ns();
        drawn.ticks.ready(ready_ns - arguments.from_ns, tick_ns, arguments.ticks);
        drawn.whole_us.push((ready_ns - start_ns) as f64 / 1e3);
    }
    scene.check(objects, random)?;
    Ok(drawn)
}

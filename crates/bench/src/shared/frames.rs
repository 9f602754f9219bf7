//! Frames for a display: each frame sends the objects' positions to the GPU, renders a picture and
//! reads the picture back. The number of objects determines the GPU time; the picture's size
//! determines the bytes. The CPU recomputes some pixels of the last frame.

pub mod headset;
pub mod tenants;
mod ticks;

use crate::error::Error;
use crate::measurement::case::Scale;
use crate::measurement::cuda_driver::{MeasuredGpu, Pinned};
use crate::measurement::random::Random;
use crate::measurement::results::median;
use crate::measurement::stopwatch::{Stopwatch, Unit};
use outhaul_abi::types::*;

const THREADS: u32 = 256;
const CHECKED: usize = 1000;
const TIMES: usize = 9;
const SEED: u64 = 20_180_416;

struct Scene {
    width: usize,
    height: usize,
    kernel: CUfunction,
    bumps: Pinned<[i32; 4]>,
    on_device: CUdeviceptr,
    pixels: Pinned<u32>,
    picture: CUdeviceptr,
}

/// Returns the picture's width and height, and the numbers of objects. The larger picture has a
/// headset's size.
fn picture(scale: Scale) -> (usize, usize, &'static [usize]) {
    match scale {
        Scale::Small => (240, 135, &[4, 8, 16, 32]),
        Scale::Full => (2160, 1200, &[250, 500, 1000, 2000, 4000, 8000]),
    }
}

/// Measures the case.
pub fn run(scale: Scale, watch: &mut Stopwatch) -> Result<(), Error> {
    let (width, height, loads) = picture(scale);
    let mut random = Random::new(SEED);
    let mut scene = Scene::new(&watch.gpu, scale, *loads.last().unwrap_or(&1), &mut random)?;
    for objects in loads {
        let what = format!("{objects} objects, {width} x {height}");
        let unit = Unit { size: Some(*objects as f64), ..Unit::new(&what, TIMES) };
        let mut sample = watch.time(&unit, |gpu| scene.frame(gpu, *objects))?;
        sample.gpu_us = Some(median(&scene.gpu_us(&watch.gpu, *objects)?));
        scene.check(*objects, &mut random)?;
        watch.emit(&sample);
    }
    Ok(())
}

impl Scene {
    /// Allocates memory for `most` objects. Each frame uses some of them, from the first on.
    fn new(
        gpu: &MeasuredGpu,
        scale: Scale,
        most: usize,
        random: &mut Random,
    ) -> Result<Scene, Error> {
        let (width, height, _) = picture(scale);
        let [kernel] = gpu.functions(include_str!("../kernels/frames.ptx"), [c"render"])?;
        let mut bumps: Pinned<[i32; 4]> = gpu.pin(most)?;
        for bump in bumps.iter_mut() {
            let peak = 400 + random.below(width * height / 40) as i32;
            *bump = [
                random.below(width) as i32,
                random.below(height) as i32,
                peak,
                (random.next() as i32) & 0x7f00_0000,
            ];
        }
        let on_device = gpu.allocate(most * size_of::<[i32; 4]>())?;
        let pixels = gpu.pin(width * height)?;
        let picture = gpu.allocate(width * height * size_of::<u32>())?;
        Ok(Scene { width, height, kernel, bumps, on_device, pixels, picture })
    }

    fn frame(&mut self, gpu: &MeasuredGpu, objects: usize) -> Result<(), Error> {
        self.draw(gpu, objects)?;
        gpu.wait(gpu.stream)
    }

    /// Moves each of the first `objects` objects by a pixel, renders the picture and reads it back.
    fn draw(&mut self, gpu: &MeasuredGpu, objects: usize) -> Result<(), Error> {
        let width = self.width as i32;
        self.bumps[..objects].iter_mut().for_each(|bump| bump[0] = (bump[0] + 1) % width);
        gpu.send(self.on_device, &self.bumps[..objects], gpu.stream)?;
        let pixels = self.width * self.height;
        let arguments =
            [self.on_device, objects as u64, self.picture, self.width as u64, self.height as u64];
        gpu.launch(
            self.kernel,
            pixels.div_ceil(THREADS as usize),
            THREADS,
            gpu.stream,
            &arguments,
        )?;
        gpu.fetch(&mut self.pixels, self.picture, gpu.stream)
    }

    /// Measures the GPU time of some frames by events. The timed frames have no events, because
    /// reading an event costs a wait.
    fn gpu_us(&mut self, gpu: &MeasuredGpu, objects: usize) -> Result<Vec<f64>, Error> {
        let (start, end) = (gpu.new_event()?, gpu.new_event()?);
        let mut us = Vec::new();
        for _ in 0..TIMES {
            gpu.record(start)?;
            self.draw(gpu, objects)?;
            gpu.record(end)?;
            gpu.wait(gpu.stream)?;
            us.push(gpu.elapsed_us(start, end)?);
        }
        Ok(us)
    }

    fn check(&self, objects: usize, random: &mut Random) -> Result<(), Error> {
        for _ in 0..CHECKED {
            let at = random.below(self.pixels.len());
            let (expected, found) = (self.pixel(at, objects), self.pixels[at]);
            if expected != found {
                return Err(Error::Bench(format!(
                    "frames: pixel {at} is {found:#x}; {expected:#x} is right"
                )));
            }
        }
        Ok(())
    }

    fn pixel(&self, at: usize, objects: usize) -> u32 {
        let (x, y) = ((at % self.width) as i32, (at / self.width) as i32);
        let (mut highest, mut colour) = (0, 0);
        for [bump_x, bump_y, peak, bump_colour] in self.bumps[..objects].iter().copied() {
            let (dx, dy) = (x - bump_x, y - bump_y);
            let height = peak - dx * dx - dy * dy;
            if height > highest {
                (highest, colour) = (height, bump_colour);
            }
        }
        (colour + highest) as u32
    }
}

//! The programs of the demonstration: ordinary CUDA programs that use the driver API and check
//! their results. They know nothing of Outhaul.

use crate::error::Error;
use outhaul_abi::types::{CUdeviceptr, CUfunction};
use outhaul_bench::measurement::cuda_driver::MeasuredGpu;
use std::ffi::CStr;

const KERNELS: &str = include_str!("kernels.ptx");
const THREADS: u32 = 256;
/// Length of the vectors: not a multiple of the block size, so that the last block has idle
/// threads.
const ELEMENTS: usize = 1_000_003;
/// Side of the matrices: a multiple of 16, the side of a tile.
const SIDE: usize = 256;
const COLUMNS: usize = 72;
const ROWS: usize = 24;
const STEPS_MAX: i32 = 1000;
/// Characters for points with few to many iterations.
const SHADES: &[u8] = b" .:-=+*#%@";

/// A program of the demonstration.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Program {
    VectorAdd,
    MatrixProduct,
    Mandelbrot,
}

impl Program {
    /// All programs of the demonstration.
    pub const ALL: [Program; 3] = [Program::VectorAdd, Program::MatrixProduct, Program::Mandelbrot];

    /// Returns the name of the program on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Program::VectorAdd => "vector-add",
            Program::MatrixProduct => "matrix-product",
            Program::Mandelbrot => "mandelbrot",
        }
    }

    /// Returns the title of the program.
    pub fn title(self) -> &'static str {
        match self {
            Program::VectorAdd => "A sum of vectors",
            Program::MatrixProduct => "A product of matrices, with tiles in shared memory",
            Program::Mandelbrot => "A picture",
        }
    }

    /// Runs the program and checks its results.
    pub fn run(self) -> Result<(), Error> {
        let gpu = MeasuredGpu::open()?;
        match self {
            Program::VectorAdd => vector_add(&gpu),
            Program::MatrixProduct => matrix_product(&gpu),
            Program::Mandelbrot => mandelbrot(&gpu),
        }
    }
}

fn kernel(gpu: &MeasuredGpu, name: &CStr) -> Result<CUfunction, Error> {
    let [function] = gpu.functions(KERNELS, [name])?;
    Ok(function)
}

/// Returns `count` whole numbers below `period`, so that sums and products are exact.
fn numbers(count: usize, period: usize) -> Vec<f32> {
    (0..count).map(|i| (i % period) as f32).collect()
}

/// Launches the kernel, waits, and fetches its output.
fn computed<T: outhaul_bench::measurement::cuda_driver::Plain>(
    gpu: &MeasuredGpu,
    name: &CStr,
    blocks: usize,
    arguments: &[u64],
    result: CUdeviceptr,
    count: usize,
) -> Result<Vec<T>, Error> {
    gpu.launch(kernel(gpu, name)?, blocks, THREADS, gpu.stream, arguments)?;
    gpu.wait(gpu.stream)?;
    Ok(gpu.read(result, count)?)
}

fn vector_add(gpu: &MeasuredGpu) -> Result<(), Error> {
    let (a, b) = (numbers(ELEMENTS, 97), numbers(ELEMENTS, 89));
    let (on_a, on_b, on_c) = (gpu.place(&a)?, gpu.place(&b)?, gpu.allocate(size_of_val(&*a))?);
    let blocks = ELEMENTS.div_ceil(THREADS as usize);
    let c: Vec<f32> =
        computed(gpu, c"add", blocks, &[on_a, on_b, on_c, ELEMENTS as u64], on_c, ELEMENTS)?;
    let right = a.iter().zip(&b).map(|(a, b)| a + b);
    verdict(gpu, &format!("{ELEMENTS} sums"), c.iter().copied().eq(right))
}

fn matrix_product(gpu: &MeasuredGpu) -> Result<(), Error> {
    let (a, b) = (numbers(SIDE * SIDE, 13), numbers(SIDE * SIDE, 11));
    let (on_a, on_b, on_c) = (gpu.place(&a)?, gpu.place(&b)?, gpu.allocate(size_of_val(&*a))?);
    let c: Vec<f32> = computed(
        gpu,
        c"multiply",
        (SIDE / 16).pow(2),
        &[on_a, on_b, on_c, SIDE as u64],
        on_c,
        SIDE * SIDE,
    )?;
    let element =
        |i: usize| (0..SIDE).map(|k| a[i / SIDE * SIDE + k] * b[k * SIDE + i % SIDE]).sum::<f32>();
    verdict(
        gpu,
        &format!("{} elements of a product of {SIDE} x {SIDE} matrices", SIDE * SIDE),
        c.iter().copied().eq((0..SIDE * SIDE).map(element)),
    )
}

fn mandelbrot(gpu: &MeasuredGpu) -> Result<(), Error> {
    let points = COLUMNS * ROWS;
    let on_device = gpu.allocate(points * size_of::<i32>())?;
    let arguments = [on_device, COLUMNS as u64, ROWS as u64, STEPS_MAX as u64];
    let steps: Vec<i32> = computed(
        gpu,
        c"mandelbrot",
        points.div_ceil(THREADS as usize),
        &arguments,
        on_device,
        points,
    )?;
    for row in steps.chunks(COLUMNS) {
        let line: String = row.iter().map(|count| char::from(shade(*count))).collect();
        println!("{}", line.trim_end());
    }
    // The Mandelbrot set is symmetric, so the result must be symmetric.
    let mirrored = |i: usize| steps[(ROWS - 1 - i / COLUMNS) * COLUMNS + i % COLUMNS];
    let inside = steps.iter().filter(|count| **count == STEPS_MAX).count();
    verdict(
        gpu,
        &format!("{points} points, {inside} of them in the set"),
        inside > 0 && (0..points).all(|i| steps[i] == mirrored(i)),
    )
}

fn shade(steps: i32) -> u8 {
    let brightness = f64::from(steps.max(1)).ln() / f64::from(STEPS_MAX).ln();
    SHADES[(brightness * (SHADES.len() - 1) as f64).round() as usize]
}

fn verdict(gpu: &MeasuredGpu, what: &str, right: bool) -> Result<(), Error> {
    if !right {
        return Err(Error::Demo(format!(
            "{what}: the results of {} differ from the CPU's",
            gpu.name
        )));
    }
    println!("ok: {what} on {}", gpu.name);
    Ok(())
}

//! The program that measures copies for `outhaul bench pieces`. It copies memory of given sizes
//! both ways, pinned and pageable, on the libcuda.so.1 that the loader finds.

use super::{Moved, PieceDirection};
use crate::byte_sizes::bytes;
use crate::error::Error;
use crate::measurement::cuda_driver::MeasuredGpu;
use crate::measurement::results::median;
use outhaul_abi::types::CUdeviceptr;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Minimum number of timed copies. More copies follow until `ENOUGH` time has passed.
const TIMES_MIN: usize = 5;
const TIMES_MAX: usize = 200;
const ENOUGH: Duration = Duration::from_millis(60);

/// Copy memory to the device and back; `outhaul bench pieces` starts this command.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Sizes of the copies in bytes, separated by commas.
    #[arg(long, value_delimiter = ',', value_parser = bytes, required = true)]
    bytes: Vec<u64>,
}

/// Runs the program: copies each size both ways, and prints the times.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    let gpu = MeasuredGpu::open()?;
    let most = arguments.bytes.iter().copied().max().unwrap_or(0) as usize;
    let (device, mut pinned, mut pageable) =
        (gpu.allocate(most)?, gpu.pin::<u8>(most)?, vec![1u8; most]);
    let mut found = Vec::new();
    for bytes in arguments.bytes.iter().map(|bytes| *bytes as usize) {
        for (is_pinned, host) in [(true, &mut pinned[..bytes]), (false, &mut pageable[..bytes])] {
            check(&gpu, device, host, is_pinned)?;
            for way in [PieceDirection::ToDevice, PieceDirection::ToHost] {
                let us = time(&gpu, device, host, way)?;
                found.push(Moved { pinned: is_pinned, way, bytes: bytes as u64, us });
            }
        }
    }
    println!("{} {}", serde_json::to_string(&found).unwrap_or_default(), gpu.name);
    Ok(ExitCode::SUCCESS)
}

/// Returns a copy's median time in microseconds. The time ends when the stream is idle, so that
/// data still in flight counts.
fn time(
    gpu: &MeasuredGpu,
    device: CUdeviceptr,
    host: &mut [u8],
    way: PieceDirection,
) -> Result<f64, Error> {
    let (begin, mut times_us) = (Instant::now(), Vec::new());
    while times_us.len() < TIMES_MIN || times_us.len() < TIMES_MAX && begin.elapsed() < ENOUGH {
        let start = Instant::now();
        match way {
            PieceDirection::ToDevice => gpu.send(device, host, gpu.stream)?,
            PieceDirection::ToHost => gpu.fetch(host, device, gpu.stream)?,
        }
        gpu.wait(gpu.stream)?;
        times_us.push(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(&times_us))
}

/// Checks that the bytes arrive. Each page has its own content.
fn check(
    gpu: &MeasuredGpu,
    device: CUdeviceptr,
    host: &mut [u8],
    is_pinned: bool,
) -> Result<(), Error> {
    let content = |page: usize| (page % 251) as u8 ^ u8::from(is_pinned);
    host.chunks_mut(4096).enumerate().for_each(|(page, bytes)| bytes.fill(content(page)));
    gpu.send(device, host, gpu.stream)?;
    gpu.wait(gpu.stream)?;
    host.fill(255);
    gpu.fetch(host, device, gpu.stream)?;
    gpu.wait(gpu.stream)?;
    match host
        .chunks(4096)
        .enumerate()
        .find(|(page, bytes)| bytes.iter().any(|byte| *byte != content(*page)))
    {
        None => Ok(()),
        Some((page, _)) => Err(Error::Bench(format!(
            "page {page} of a copy of {} bytes came back as another, so figures are worthless \
            until `make test` passes here",
            host.len()
        ))),
    }
}

//! Copies of several sizes in both directions, from pinned and pageable memory, synchronous and
//! asynchronous. The case checks each kind of copy once.

use crate::error::Error;
use crate::measurement::case::Scale;
use crate::measurement::cuda_driver::{MeasuredGpu, Pinned, ok};
use crate::measurement::stopwatch::{Stopwatch, Unit};
use outhaul_abi::types::CUdeviceptr;

/// Sizes in bytes, the repetitions of each, and the number of asynchronous copies in flight at
/// once.
const SIZES: [(usize, usize, usize); 5] = [
    (4 << 10, 301, 32),
    (256 << 10, 101, 16),
    (1 << 20, 61, 8),
    (4 << 20, 31, 8),
    (256 << 20, 5, 2),
];
const LARGEST_SMALL: usize = 4 << 20;
const PAGE_BYTES: usize = 4096;

#[derive(Clone, Copy, PartialEq)]
enum CopyDirection {
    ToDevice,
    ToHost,
}

/// The two ends of the copies.
struct Ends {
    device: CUdeviceptr,
    pinned: Pinned<u8>,
    pageable: Vec<u8>,
}

/// Measures the case.
pub fn run(scale: Scale, watch: &mut Stopwatch) -> Result<(), Error> {
    let sizes =
        SIZES.into_iter().filter(|(bytes, ..)| scale == Scale::Full || *bytes <= LARGEST_SMALL);
    let largest = sizes.clone().map(|(bytes, ..)| bytes).max().unwrap_or_default();
    let mut ends = Ends {
        device: watch.gpu.allocate(largest)?,
        pinned: watch.gpu.pin(largest)?,
        pageable: vec![1; largest],
    };
    ends.pinned.fill(1);
    for (bytes, times, depth) in sizes {
        for way in [CopyDirection::ToDevice, CopyDirection::ToHost] {
            for pinned in [true, false] {
                ends.check(&watch.gpu, way, pinned, bytes)?;
                let [sync, queued] = ["sync", "async"].map(|how| describe(way, pinned, bytes, how));
                let unit = Unit { copy_bytes: Some(bytes as u64), ..Unit::new(&sync, times) };
                let sample = watch.time(&unit, |gpu| ends.wait(gpu, way, pinned, bytes))?;
                watch.emit(&sample);
                let unit = Unit {
                    what: &queued,
                    times: times.div_ceil(depth).max(5),
                    at_once: depth,
                    ..unit
                };
                let sample = watch.time(&unit, |gpu| {
                    (0..depth).try_for_each(|_| ends.queue(gpu, way, pinned, bytes))?;
                    gpu.wait(gpu.stream)
                })?;
                watch.emit(&sample);
            }
        }
    }
    Ok(())
}

/// Formats a number of bytes.
pub fn size(bytes: usize) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}

fn describe(way: CopyDirection, pinned: bool, bytes: usize, how: &str) -> String {
    let way = if way == CopyDirection::ToDevice { "to device" } else { "to host" };
    format!("{} {way}, {}, {how}", size(bytes), if pinned { "pinned" } else { "pageable" })
}

impl Ends {
    fn host(&mut self, pinned: bool, bytes: usize) -> &mut [u8] {
        if pinned { &mut self.pinned[..bytes] } else { &mut self.pageable[..bytes] }
    }

    /// Enqueues an asynchronous copy.
    fn queue(
        &mut self,
        gpu: &MeasuredGpu,
        way: CopyDirection,
        pinned: bool,
        bytes: usize,
    ) -> Result<(), Error> {
        let device = self.device;
        let host = self.host(pinned, bytes);
        match way {
            CopyDirection::ToDevice => gpu.send(device, host, gpu.stream),
            CopyDirection::ToHost => gpu.fetch(host, device, gpu.stream),
        }
    }

    /// Makes a synchronous copy.
    fn wait(
        &mut self,
        gpu: &MeasuredGpu,
        way: CopyDirection,
        pinned: bool,
        bytes: usize,
    ) -> Result<(), Error> {
        let device = self.device;
        let host = self.host(pinned, bytes);
        // SAFETY: host and device memory both have `bytes` bytes, valid for reads and writes.
        unsafe {
            match way {
                CopyDirection::ToDevice => ok(
                    "cuMemcpyHtoD_v2",
                    gpu.driver.cuMemcpyHtoD_v2(device, host.as_ptr().cast(), bytes),
                ),
                CopyDirection::ToHost => ok(
                    "cuMemcpyDtoH_v2",
                    gpu.driver.cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), device, bytes),
                ),
            }
        }
    }

    /// Checks that a copy of this kind delivers the bytes. Compares the start of each page, and the
    /// end.
    fn check(
        &mut self,
        gpu: &MeasuredGpu,
        way: CopyDirection,
        pinned: bool,
        bytes: usize,
    ) -> Result<(), Error> {
        let value = bytes.trailing_zeros() as u8
            + u8::from(pinned) * 64
            + u8::from(way == CopyDirection::ToHost) * 128;
        let found = if way == CopyDirection::ToDevice {
            self.host(pinned, bytes).fill(value);
            self.queue(gpu, way, pinned, bytes)?;
            gpu.wait(gpu.stream)?;
            gpu.read(self.device, bytes)?
        } else {
            // SAFETY: the device memory has at least `bytes` bytes.
            ok("cuMemsetD8_v2", unsafe { gpu.driver.cuMemsetD8_v2(self.device, value, bytes) })?;
            gpu.synchronize()?;
            self.queue(gpu, way, pinned, bytes)?;
            gpu.wait(gpu.stream)?;
            self.host(pinned, bytes).to_vec()
        };
        match found.iter().step_by(PAGE_BYTES).chain(found.last()).find(|byte| **byte != value) {
            None => Ok(()),
            Some(byte) => Err(Error::Bench(format!(
                "{}: {byte} arrived for {value}",
                describe(way, pinned, bytes, "async")
            ))),
        }
    }
}

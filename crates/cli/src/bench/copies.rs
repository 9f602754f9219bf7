//! Copies of several sizes in both directions, from pinned and from pageable memory, waited for and not, and the latencies that bound small
//! work: a launch, a wait, a value read back. Medians, one line of JSON for each case or a table. Each kind of copy is checked once.

use crate::error::Error;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Sizes, how often each is measured, and how many copies stand behind one another where nothing waits.
const SIZES: [(usize, usize, usize); 4] = [(4 << 10, 301, 32), (256 << 10, 101, 16), (4 << 20, 31, 8), (256 << 20, 7, 2)];
const LATENCY_TIMES: usize = 501;
const LAUNCHES: usize = 1000;
const PAGE_BYTES: usize = 4096;
const KERNEL: &std::ffi::CStr = c"
.version 6.4
.target sm_75
.address_size 64
.visible .entry count(.param .u64 p)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [p];
    cvta.to.global.u64 %d1, %d0;
    ld.global.u32 %r0, [%d1];
    add.u32 %r1, %r0, 1;
    st.global.u32 [%d1], %r1;
    ret;
}
";

/// Copies of 4 KiB to 256 MiB, and the latency of launches and waits.
#[derive(clap::Args)]
pub struct Arguments {
    /// The driver to measure; by this name the loader finds what programs get.
    #[arg(long, value_name = "PATH", default_value = "libcuda.so.1")]
    library: PathBuf,
    /// One JSON object for each case instead of a table.
    #[arg(long)]
    json: bool,
    /// The largest copy, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    largest: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    ToDevice,
    ToHost,
}

/// One line of the result.
struct Case {
    name: String,
    /// Of one copy; 0 for a latency.
    bytes: usize,
    us: f64,
}

struct Gpu {
    driver: Driver,
    stream: CUstream,
    device: CUdeviceptr,
    pinned: *mut u8,
    pageable: Vec<u8>,
    kernel: CUfunction,
}

pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let failed = |code: CUresult| Error::Bench(format!("the driver says {code}"));
    let largest = (arguments.largest << 20).max(SIZES[0].0);
    let driver = Driver::open(&arguments.library).map_err(|e| Error::Bench(e.to_string()))?;
    let mut gpu = Gpu::open(driver, largest).map_err(failed)?;
    if !arguments.json {
        println!("{:<44} {:>12} {:>10}", "case", "us", "GB/s");
    }
    let mut show = |case: Case| case.print(arguments.json);
    gpu.latencies(&mut show).map_err(failed)?;
    for (bytes, times, depth) in SIZES.into_iter().filter(|(bytes, ..)| *bytes <= largest) {
        for way in [Way::ToDevice, Way::ToHost] {
            for pinned in [true, false] {
                gpu.check(way, pinned, bytes)?;
                show(gpu.waited(way, pinned, bytes, times).map_err(failed)?);
                show(gpu.queued(way, pinned, bytes, times, depth).map_err(failed)?);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Case {
    fn print(&self, json: bool) {
        if json {
            println!("{}", serde_json::json!({ "case": self.name, "bytes": self.bytes, "us": self.us }));
        } else if self.bytes == 0 {
            println!("{:<44} {:>12.2}", self.name, self.us);
        } else {
            println!("{:<44} {:>12.2} {:>10.2}", self.name, self.us, self.bytes as f64 / self.us / 1e3);
        }
    }
}

/// The median time of one call, in microseconds.
fn median_us(times: usize, mut once: impl FnMut() -> Result<(), CUresult>) -> Result<f64, CUresult> {
    // The first of each kind pays for what is made once.
    once()?;
    let mut us = Vec::with_capacity(times);
    for _ in 0..times {
        let start = Instant::now();
        once()?;
        us.push(start.elapsed().as_secs_f64() * 1e6);
    }
    us.sort_by(f64::total_cmp);
    Ok(us[times / 2])
}

fn size(bytes: usize) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}

fn describe(way: Way, pinned: bool, bytes: usize, how: &str) -> String {
    let way = if way == Way::ToDevice { "to the device" } else { "to the host" };
    format!("{:>8} {way}, {}, {how}", size(bytes), if pinned { "pinned" } else { "pageable" })
}

impl Gpu {
    fn open(driver: Driver, largest: usize) -> Result<Gpu, CUresult> {
        let (mut context, mut module, mut kernel) = (CUcontext::NULL, CUmodule::NULL, CUfunction::NULL);
        let (mut stream, mut device) = (CUstream::NULL, 0);
        let mut pinned: *mut c_void = std::ptr::null_mut();
        // SAFETY: results go to locals, texts end in NUL.
        unsafe {
            driver.cuInit(0).ok()?;
            driver.cuDevicePrimaryCtxRetain(&mut context, 0).ok()?;
            driver.cuCtxSetCurrent(context).ok()?;
            driver.cuModuleLoadData(&mut module, KERNEL.as_ptr().cast()).ok()?;
            driver.cuModuleGetFunction(&mut kernel, module, c"count".as_ptr()).ok()?;
            driver.cuStreamCreate(&mut stream, values::STREAM_NON_BLOCKING).ok()?;
            driver.cuMemAlloc_v2(&mut device, largest).ok()?;
            driver.cuMemHostAlloc(&mut pinned, largest, 0).ok()?;
            driver.cuMemsetD8_v2(device, 0, largest).ok()?;
            std::slice::from_raw_parts_mut(pinned.cast::<u8>(), largest).fill(1);
        }
        Ok(Gpu { driver, stream, device, pinned: pinned.cast(), pageable: vec![1; largest], kernel })
    }

    fn host(&mut self, pinned: bool) -> *mut c_void {
        if pinned { self.pinned.cast() } else { self.pageable.as_mut_ptr().cast() }
    }

    fn synchronize(&self) -> Result<(), CUresult> {
        // SAFETY: waits only.
        unsafe { self.driver.cuStreamSynchronize(self.stream) }.ok()
    }

    fn launch(&self) -> Result<(), CUresult> {
        let mut address = self.device;
        let mut params: [*mut c_void; 1] = [(&raw mut address).cast()];
        let none = std::ptr::null_mut();
        // SAFETY: one pointer for the one parameter, which lives through the call.
        unsafe { self.driver.cuLaunchKernel(self.kernel, 1, 1, 1, 1, 1, 1, 0, self.stream, params.as_mut_ptr(), none) }.ok()
    }

    fn copy(&self, way: Way, host: *mut c_void, bytes: usize) -> Result<(), CUresult> {
        // SAFETY: host and device memory have room for the largest copy.
        unsafe {
            match way {
                Way::ToDevice => self.driver.cuMemcpyHtoDAsync_v2(self.device, host, bytes, self.stream),
                Way::ToHost => self.driver.cuMemcpyDtoHAsync_v2(host, self.device, bytes, self.stream),
            }
        }
        .ok()
    }

    fn latencies(&mut self, show: &mut impl FnMut(Case)) -> Result<(), CUresult> {
        let mut latency = |name: &str, us| show(Case { name: name.into(), bytes: 0, us });
        let launches = || {
            (0..LAUNCHES).try_for_each(|_| self.launch())?;
            self.synchronize()
        };
        latency("launch, one of a thousand", median_us(5, launches)? / LAUNCHES as f64);
        latency("launch and wait", median_us(LATENCY_TIMES, || self.launch().and_then(|()| self.synchronize()))?);
        for (name, pinned) in
            [("launch, read 4 bytes to pinned memory, wait", true), ("launch, read 4 bytes to pageable memory, wait", false)]
        {
            let host = self.host(pinned);
            let us = median_us(LATENCY_TIMES, || {
                self.launch()?;
                self.copy(Way::ToHost, host, 4)?;
                self.synchronize()
            })?;
            latency(name, us);
        }
        Ok(())
    }

    /// The synchronous functions.
    fn waited(&mut self, way: Way, pinned: bool, bytes: usize, times: usize) -> Result<Case, CUresult> {
        let host = self.host(pinned);
        let us = median_us(times, || {
            // SAFETY: as in `copy`.
            unsafe {
                match way {
                    Way::ToDevice => self.driver.cuMemcpyHtoD_v2(self.device, host, bytes),
                    Way::ToHost => self.driver.cuMemcpyDtoH_v2(host, self.device, bytes),
                }
            }
            .ok()
        })?;
        Ok(Case { name: describe(way, pinned, bytes, "sync"), bytes, us })
    }

    /// The asynchronous functions: several, one wait.
    fn queued(&mut self, way: Way, pinned: bool, bytes: usize, times: usize, depth: usize) -> Result<Case, CUresult> {
        let host = self.host(pinned);
        let us = median_us(times.div_ceil(depth).max(5), || {
            (0..depth).try_for_each(|_| self.copy(way, host, bytes))?;
            self.synchronize()
        })?;
        Ok(Case { name: describe(way, pinned, bytes, "async"), bytes, us: us / depth as f64 })
    }

    /// Whether such a copy brings the bytes, at the start of each page and at the end.
    fn check(&mut self, way: Way, pinned: bool, bytes: usize) -> Result<(), Error> {
        let failed = |code: CUresult| Error::Bench(format!("the driver says {code}"));
        let value = bytes.trailing_zeros() as u8 + u8::from(pinned) * 64 + u8::from(way == Way::ToHost) * 128;
        let host = self.host(pinned).cast::<u8>();
        let mut back = vec![0u8; bytes];
        // SAFETY: all places have room for the copy, and nothing else uses them now.
        let found = unsafe {
            if way == Way::ToDevice {
                std::slice::from_raw_parts_mut(host, bytes).fill(value);
                self.copy(way, host.cast(), bytes).and_then(|()| self.synchronize()).map_err(failed)?;
                self.driver.cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), self.device, bytes).ok().map_err(failed)?;
                &back
            } else {
                self.driver.cuMemsetD8_v2(self.device, value, bytes).ok().map_err(failed)?;
                self.driver.cuCtxSynchronize().ok().map_err(failed)?;
                self.copy(way, host.cast(), bytes).and_then(|()| self.synchronize()).map_err(failed)?;
                std::slice::from_raw_parts(host, bytes)
            }
        };
        let wrong = found.iter().step_by(PAGE_BYTES).chain(found.last()).find(|byte| **byte != value);
        match wrong {
            None => Ok(()),
            Some(byte) => Err(Error::Bench(format!("{}: {byte} arrived for {value}", describe(way, pinned, bytes, "async")))),
        }
    }
}

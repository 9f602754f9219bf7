//! Latencies that limit small work: a launch, a wait, a small copy, a graph's replay, reading a
//! value back.

use crate::error::Error;
use crate::measurement::case::Scale;
use crate::measurement::cuda_driver::{MeasuredGpu, ok};
use crate::measurement::stopwatch::{Stopwatch, Unit};
use outhaul_abi::types::*;

const LAUNCHES: usize = 1000;
const GRAPH_LAUNCHES: usize = 20;
const BLOCK_BYTES: usize = 4096;

struct Bed {
    kernel: CUfunction,
    value: CUdeviceptr,
    launches: u64,
}

/// Measures the case.
pub fn run(scale: Scale, watch: &mut Stopwatch) -> Result<(), Error> {
    let times = if scale == Scale::Full { 501 } else { 51 };
    let [kernel] = watch.gpu.functions(include_str!("../kernels/count.ptx"), [c"count"])?;
    let mut bed = Bed { kernel, value: watch.gpu.allocate(BLOCK_BYTES)?, launches: 0 };
    let mut pinned = watch.gpu.pin::<u8>(BLOCK_BYTES)?;
    let mut pageable = vec![0u8; BLOCK_BYTES];
    let other = watch.gpu.allocate(BLOCK_BYTES)?;

    let one_of_many = Unit { at_once: LAUNCHES, ..Unit::new("launch, one of a thousand", 5) };
    let sample = watch.time(&one_of_many, |gpu| {
        (0..LAUNCHES).try_for_each(|_| bed.launch(gpu))?;
        gpu.wait(gpu.stream)
    })?;
    watch.emit(&sample);
    measure(watch, "launch and wait", times, |gpu| {
        bed.launch(gpu)?;
        gpu.wait(gpu.stream)
    })?;
    for (name, host) in [
        ("launch, read 4 B (pinned), wait", &mut pinned[..]),
        ("launch, read 4 B (pageable), wait", &mut pageable[..]),
    ] {
        measure(watch, name, times, |gpu| {
            bed.launch(gpu)?;
            gpu.fetch(&mut host[..4], bed.value, gpu.stream)?;
            gpu.wait(gpu.stream)
        })?;
        bed.check(&host[..4])?;
    }
    measure(watch, "4 KiB to device, pinned, sync", times, |gpu| {
        // SAFETY: both buffers have `BLOCK_BYTES` bytes.
        ok("cuMemcpyHtoD_v2", unsafe {
            gpu.driver.cuMemcpyHtoD_v2(other, pinned.as_ptr().cast(), BLOCK_BYTES)
        })
    })?;
    measure(watch, "4 KiB to device, pinned, async, wait", times, |gpu| {
        gpu.send(other, &pinned, gpu.stream)?;
        gpu.wait(gpu.stream)
    })?;
    measure(watch, "4 KiB to host, pinned, sync", times, |gpu| {
        // SAFETY: both buffers have `BLOCK_BYTES` bytes.
        ok("cuMemcpyDtoH_v2", unsafe {
            gpu.driver.cuMemcpyDtoH_v2(pinned.as_mut_ptr().cast(), other, BLOCK_BYTES)
        })
    })?;
    let graph = bed.graph(&watch.gpu)?;
    measure(watch, "graph of 20, read 4 B, wait", times, |gpu| {
        // SAFETY: passes handles only.
        ok("cuGraphLaunch", unsafe { gpu.driver.cuGraphLaunch(graph, gpu.stream) })?;
        bed.launches += GRAPH_LAUNCHES as u64;
        gpu.fetch(&mut pinned[..4], bed.value, gpu.stream)?;
        gpu.wait(gpu.stream)
    })?;
    bed.check(&pinned[..4])
}

fn measure(
    watch: &mut Stopwatch,
    what: &str,
    times: usize,
    work: impl FnMut(&MeasuredGpu) -> Result<(), Error>,
) -> Result<(), Error> {
    let sample = watch.time(&Unit::new(what, times), work)?;
    watch.emit(&sample);
    Ok(())
}

impl Bed {
    fn launch(&mut self, gpu: &MeasuredGpu) -> Result<(), Error> {
        self.launches += 1;
        gpu.launch(self.kernel, 1, 1, gpu.stream, &[self.value])
    }

    /// Makes a graph of twenty launches in a row, without running it.
    fn graph(&mut self, gpu: &MeasuredGpu) -> Result<CUgraphExec, Error> {
        let (mut graph, mut exec) = (CUgraph::NULL, CUgraphExec::NULL);
        // SAFETY: takes handles, and out-pointers to locals.
        unsafe {
            ok(
                "cuStreamBeginCapture_v2",
                gpu.driver.cuStreamBeginCapture_v2(gpu.stream, values::STREAM_CAPTURE_MODE_RELAXED),
            )?;
            for _ in 0..GRAPH_LAUNCHES {
                gpu.launch(self.kernel, 1, 1, gpu.stream, &[self.value])?;
            }
            ok("cuStreamEndCapture", gpu.driver.cuStreamEndCapture(gpu.stream, &mut graph))?;
            ok(
                "cuGraphInstantiateWithFlags",
                gpu.driver.cuGraphInstantiateWithFlags(&mut exec, graph, 0),
            )?;
        }
        Ok(exec)
    }

    /// Checks that every launch was counted.
    fn check(&self, read: &[u8]) -> Result<(), Error> {
        let found = u32::from_le_bytes(read.try_into().unwrap_or_default());
        if u64::from(found) == self.launches {
            return Ok(());
        }
        Err(Error::Bench(format!(
            "latencies: the kernel counted {found} launches of {}",
            self.launches
        )))
    }
}

//! Loops that use the device until a call fails, for tests that take the device away in the
//! meantime.

use crate::gpu::{Done, Gpu, Outcome, cu};
use outhaul_abi::types::*;
use std::path::Path;

type Way = (&'static str, fn(&Gpu) -> Done);

/// All loops, by name.
pub const WAYS: &[Way] = &[
    ("copies", copies),
    ("posts", posts),
    ("synchronize", synchronize),
    ("graphs", graphs),
    ("managed", managed),
];

/// Uses the device in the given way until a call fails. Returns the error.
pub fn until_error(library: &str, way: &str) -> Option<String> {
    let (_, body) = WAYS.iter().find(|(name, _)| *name == way)?;
    match Gpu::open(Path::new(library)).and_then(|gpu| body(&gpu)) {
        Err(Outcome::Failed(why) | Outcome::Skipped(why)) => Some(why),
        Ok(()) => None,
    }
}

/// Makes calls that wait for a reply.
fn copies(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4096)?;
    println!("started");
    loop {
        gpu.write(memory, &[1; 64])?;
        gpu.read(memory, 64)?;
    }
}

/// Makes calls that do not wait.
fn posts(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4096)?;
    println!("started");
    loop {
        cu!(gpu.cuMemsetD32Async(memory, 1, 64, CUstream::NULL)).ok()?;
    }
}

/// Waits in a thread for work that takes much longer than any test.
fn synchronize(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4096)?;
    let spin = gpu.function(gpu.module()?, "spin")?;
    println!("started");
    loop {
        gpu.launch(spin, (1, 1), CUstream::NULL, memory, &[u32::MAX]).ok()?;
        gpu.synchronize().ok()?;
    }
}

fn graphs(gpu: &Gpu) -> Done {
    let (memory, stream) = (gpu.alloc(4096)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemsetD32Async(memory, 1, 64, stream)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    println!("started");
    loop {
        cu!(gpu.cuGraphLaunch(exec, stream)).ok()?;
    }
}

/// Waits for a kernel that writes managed memory, and reads that memory only after the loss. A
/// client that fetches pages on touch gets SIGBUS then.
fn managed(gpu: &Gpu) -> Done {
    let mut memory = 0;
    cu!(gpu.cuMemAllocManaged(&mut memory, 4096, values::MEM_ATTACH_GLOBAL)).ok()?;
    let fill = gpu.function(gpu.module()?, "fill")?;
    gpu.launch(fill, (1, 256), CUstream::NULL, memory, &[256, 7]).ok()?;
    gpu.synchronize().ok()?;
    println!("started");
    while gpu.synchronize() == CUresult::SUCCESS {}
    // SAFETY: the memory is allocated, and the program may read it after the wait.
    println!("read {}", unsafe { (memory as *const u32).read_volatile() });
    gpu.synchronize().ok()?;
    Ok(())
}

//! Memory that program and device reach by the same address. The program touches it only while the device is idle, as every device allows.

use crate::gpu::{Done, Gpu, Outcome, cu, same};
use crate::tests::Test;
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

pub const TESTS: &[Test] = &[
    ("managed/written_by_turns", by_turns),
    ("managed/copied_and_filled", copied),
    ("managed/several_and_again", several),
    ("managed/what_is_known_of_it", known),
    ("managed/refused", refused),
    ("managed/beside_a_graph_without_kernels", beside_graph),
    ("managed/a_host_function_before_much_work", before_much_work),
    ("mapped/a_host_function_before_much_work", mapped_before_much_work),
    ("mapped/written_by_the_device", mapped),
    ("mapped/filled_by_the_device", filled),
    ("mapped/registered", registered),
];

const MANAGED_MEMORY: i32 = 83;
const CAN_MAP_HOST_MEMORY: i32 = 19;
const ATTACH_GLOBAL: u32 = 1;
const HOST_ALLOC_DEVICEMAP: u32 = 2;
const WORDS: usize = 5000;

fn managed(gpu: &Gpu, words: usize) -> Result<&'static mut [u32], Outcome> {
    if gpu.attribute(MANAGED_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device has no managed memory".into()));
    }
    let mut address = 0;
    cu!(gpu.cuMemAllocManaged(&mut address, words * 4, ATTACH_GLOBAL)).ok()?;
    // SAFETY: the driver gave that many bytes, for the program too.
    Ok(unsafe { std::slice::from_raw_parts_mut(address as *mut u32, words) })
}

fn address(memory: &[u32]) -> CUdeviceptr {
    memory.as_ptr() as CUdeviceptr
}

fn by_turns(gpu: &Gpu) -> Done {
    let memory = managed(gpu, WORDS)?;
    let add = gpu.function(gpu.module()?, "add")?;
    for (i, word) in memory.iter_mut().enumerate() {
        *word = i as u32;
    }
    for round in 1..4u32 {
        gpu.launch(add, (20, 256), CUstream::NULL, address(memory), &[WORDS as u32, 100]).ok()?;
        gpu.synchronize().ok()?;
        let expected: Vec<u32> = (0..WORDS as u32).map(|i| i + round * 100 + if i == 7 { round - 1 } else { 0 }).collect();
        same("after the device", memory.to_vec(), expected)?;
        memory[7] += 1;
    }
    cu!(gpu.cuMemFree_v2(address(memory))).ok().map_err(Into::into)
}

fn copied(gpu: &Gpu) -> Done {
    let memory = managed(gpu, WORDS)?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    memory.fill(3);
    same("a copy from it", gpu.read(address(memory), 2)?, vec![3, 3])?;
    gpu.write(address(memory) + 4, &[9])?;
    gpu.synchronize().ok()?;
    same("a copy to it", memory[..3].to_vec(), vec![3, 9, 3])?;
    cu!(gpu.cuMemsetD32Async(address(memory), 5, WORDS, stream)).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("filled", (memory[0], memory[WORDS - 1]), (5, 5))
}

fn several(gpu: &Gpu) -> Done {
    let fill = gpu.function(gpu.module()?, "fill")?;
    for round in 0..3 {
        let (first, second) = (managed(gpu, WORDS)?, managed(gpu, 10)?);
        gpu.launch(fill, (20, 256), CUstream::NULL, address(first), &[WORDS as u32, round]).ok()?;
        gpu.launch(fill, (1, 32), CUstream::NULL, address(second), &[10, 50 + round]).ok()?;
        let event = gpu.event(0)?;
        cu!(gpu.cuEventRecord(event, CUstream::NULL)).ok()?;
        cu!(gpu.cuEventSynchronize(event)).ok()?;
        same("one", first[WORDS - 1], round + WORDS as u32 - 1)?;
        same("the other", second[9], 59 + round)?;
        cu!(gpu.cuMemFree_v2(address(first))).ok()?;
        cu!(gpu.cuMemFree_v2(address(second))).ok()?;
    }
    Ok(())
}

fn known(gpu: &Gpu) -> Done {
    const IS_MANAGED: i32 = 8;
    let memory = managed(gpu, WORDS)?;
    let mut is = 0u32;
    cu!(gpu.cuPointerGetAttribute((&raw mut is).cast(), IS_MANAGED, address(memory) + 40)).ok()?;
    same("managed", is & 1, 1)?;
    let plain = gpu.alloc(4)?;
    cu!(gpu.cuPointerGetAttribute((&raw mut is).cast(), IS_MANAGED, plain)).ok()?;
    same("device memory is managed", is & 1, 0)
}

fn refused(gpu: &Gpu) -> Done {
    managed(gpu, 1)?;
    let mut place = 0;
    same("no bytes", cu!(gpu.cuMemAllocManaged(&mut place, 0, ATTACH_GLOBAL)), CUresult::INVALID_VALUE)?;
    same("no flags", cu!(gpu.cuMemAllocManaged(&mut place, 4096, 0)), CUresult::INVALID_VALUE)?;
    same("no place", cu!(gpu.cuMemAllocManaged(std::ptr::null_mut(), 4096, ATTACH_GLOBAL)), CUresult::INVALID_VALUE)
}

fn pinned(gpu: &Gpu) -> Result<&'static mut [u32], Outcome> {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let mut host: *mut c_void = std::ptr::null_mut();
    cu!(gpu.cuMemHostAlloc(&mut host, WORDS * 4, HOST_ALLOC_DEVICEMAP)).ok()?;
    // SAFETY: the driver gave that many bytes.
    Ok(unsafe { std::slice::from_raw_parts_mut(host.cast(), WORDS) })
}

fn device_pointer(gpu: &Gpu, memory: &mut [u32]) -> Result<CUdeviceptr, Outcome> {
    let mut address = 0;
    cu!(gpu.cuMemHostGetDevicePointer_v2(&mut address, memory.as_mut_ptr().cast(), 0)).ok()?;
    Ok(address)
}

fn mapped(gpu: &Gpu) -> Done {
    let memory = pinned(gpu)?;
    memory.fill(1);
    let device = device_pointer(gpu, memory)?;
    same("the device's address", device, address(memory))?;
    let add = gpu.function(gpu.module()?, "add")?;
    for round in 1..4 {
        gpu.launch(add, (20, 256), CUstream::NULL, device, &[WORDS as u32, 10]).ok()?;
        gpu.synchronize().ok()?;
        same("after the device", (memory[0], memory[WORDS - 1]), (1 + 11 * round - round, 1 + 11 * round - 1))?;
        memory[WORDS - 1] += 1;
    }
    cu!(gpu.cuMemFreeHost(memory.as_mut_ptr().cast())).ok().map_err(Into::into)
}

/// Without asking for the device's address.
fn filled(gpu: &Gpu) -> Done {
    let memory = pinned(gpu)?;
    memory.fill(1);
    cu!(gpu.cuMemsetD32Async(address(memory) + 8, 7, 2, CUstream::NULL)).ok()?;
    gpu.synchronize().ok()?;
    same("filled", memory[..5].to_vec(), vec![1, 1, 7, 7, 1])
}

fn registered(gpu: &Gpu) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let layout = std::alloc::Layout::from_size_align(1 << 16, 4096).expect("a power of two");
    // SAFETY: the layout is not empty; the memory is never freed.
    let memory = unsafe { std::slice::from_raw_parts_mut(std::alloc::alloc_zeroed(layout).cast::<u32>(), (1 << 16) / 4) };
    cu!(gpu.cuMemHostRegister_v2(memory.as_mut_ptr().cast(), 1 << 16, HOST_ALLOC_DEVICEMAP)).ok()?;
    let device = device_pointer(gpu, memory)?;
    let fill = gpu.function(gpu.module()?, "fill")?;
    gpu.launch(fill, (4, 256), CUstream::NULL, device, &[1024, 30]).ok()?;
    gpu.synchronize().ok()?;
    same("after the device", (memory[0], memory[1023], memory[1024]), (30, 1053, 0))?;
    cu!(gpu.cuMemHostUnregister(memory.as_mut_ptr().cast())).ok().map_err(Into::into)
}

/// A graph that only fills other memory leaves the program its turn.
fn beside_graph(gpu: &Gpu) -> Done {
    let (memory, other) = (managed(gpu, WORDS)?, gpu.alloc(64)?);
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let add = gpu.function(gpu.module()?, "add")?;
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemsetD32Async(other, 1, 16, stream)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    for round in 1..4 {
        cu!(gpu.cuGraphLaunch(exec, stream)).ok()?;
        memory[9] = round * 10;
        gpu.launch(add, (20, 256), stream, address(memory), &[WORDS as u32, 1]).ok()?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        same("after the device", (memory[8], memory[9]), (round, round * 10 + 1))?;
    }
    Ok(())
}

/// More kernels than the node has in flight at once stand behind a host function, which sees what the device wrote before
/// it and is seen by what comes behind. The program posts all of it while the function runs.
fn much_work(gpu: &Gpu, memory: &mut [u32]) -> Done {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    unsafe extern "C" fn double(word: *mut c_void) {
        // At some length it ends while the program posts.
        let round = CALLS.fetch_add(1, SeqCst);
        std::thread::sleep(std::time::Duration::from_micros(150 * (round % 16)));
        // SAFETY: a word that nobody else touches meanwhile.
        unsafe { word.cast::<u32>().write(word.cast::<u32>().read().wrapping_mul(2)) };
    }
    let (work, other) = (gpu.alloc(1 << 20)?, gpu.alloc(64)?);
    let (stream, second) = (gpu.stream(0)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let add = gpu.function(gpu.module()?, "add")?;
    memory[5] = 1;
    let mut expected: u32 = 1;
    for _ in 0..16 {
        gpu.launch(add, (1, 32), stream, address(memory), &[6, 3]).ok()?;
        cu!(gpu.cuLaunchHostFunc(stream, Some(double), std::ptr::from_mut(&mut memory[5]).cast())).ok()?;
        gpu.launch(add, (1, 32), stream, address(memory), &[6, 1]).ok()?;
        for _ in 0..150 {
            gpu.launch(add, (8, 256), stream, work, &[1 << 11, 1]).ok()?;
        }
        gpu.launch(add, (1, 32), second, other, &[16, 1]).ok()?;
        cu!(gpu.cuStreamSynchronize(second)).ok()?;
        gpu.synchronize().ok()?;
        expected = expected.wrapping_add(3).wrapping_mul(2) + 1;
        same("what both wrote", memory[5], expected)?;
    }
    Ok(())
}

fn before_much_work(gpu: &Gpu) -> Done {
    much_work(gpu, managed(gpu, WORDS)?)
}

fn mapped_before_much_work(gpu: &Gpu) -> Done {
    let memory = pinned(gpu)?;
    device_pointer(gpu, memory)?;
    much_work(gpu, memory)?;
    // Also where there is too much to be told unasked.
    let mut host: *mut c_void = std::ptr::null_mut();
    cu!(gpu.cuMemHostAlloc(&mut host, 1 << 20, HOST_ALLOC_DEVICEMAP)).ok()?;
    // SAFETY: the driver gave that many bytes.
    let memory = unsafe { std::slice::from_raw_parts_mut(host.cast(), WORDS) };
    device_pointer(gpu, memory)?;
    much_work(gpu, memory)
}

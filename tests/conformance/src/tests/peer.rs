//! Two devices in one machine: copies between them, and kernels that access the other device's
//! memory.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, same};
use crate::kernels::MODULE;
use outhaul_abi::types::*;
use std::ffi::CString;

pub const TESTS: &[Test] = &[
    ("peer/attributes", attributes),
    ("peer/copies", copies),
    ("peer/boxes", boxes),
    ("peer/unified_copies", unified),
    ("peer/host_copies_of_the_other", host_copies),
    ("peer/synchronous_copies_keep_both_orders", both_orders),
    ("peer/synchronous_copies_are_there_for_the_other", there_for_the_other),
    ("peer/captured_copies", captured),
    ("peer/events_order_streams", events),
    ("peer/streams_take_turns", turns),
    ("peer/objects_are_used_from_the_other", from_the_other),
    ("peer/copies_in_a_stream_of_the_other", copies_in_its_stream),
    ("peer/kernels_of_one_library", one_library),
    ("peer/access_is_switched", switched),
    ("peer/kernels_reach_the_other", kernels),
    ("peer/virtual_memory_of_the_other", virtual_memory),
    ("peer/pool_access", pool_access),
    ("peer/kernels_differ_by_device", kernels_by_device),
    ("peer/variables_differ_by_context", variables_by_context),
];

const OTHER: CUdevice = 1;
const WORDS: usize = 3 << 20;

/// Returns the second device's primary context. Device 0's context remains current.
fn other(gpu: &Gpu) -> Result<CUcontext, Outcome> {
    let mut count = 0;
    cu!(gpu.cuDeviceGetCount(&mut count)).ok()?;
    if count < 2 {
        return Err(Outcome::Skipped("there is only one device".into()));
    }
    let mut context = CUcontext::NULL;
    cu!(gpu.cuDevicePrimaryCtxRetain(&mut context, OTHER)).ok()?;
    Ok(context)
}

fn reaching(gpu: &Gpu) -> Result<CUcontext, Outcome> {
    let context = other(gpu)?;
    let mut can = 0;
    cu!(gpu.cuDeviceCanAccessPeer(&mut can, 0, OTHER)).ok()?;
    if can == 0 {
        Err(Outcome::Skipped("the devices do not reach each other".into()))
    } else {
        Ok(context)
    }
}

/// Calls a closure while `context` is current.
fn inside<T>(
    gpu: &Gpu,
    context: CUcontext,
    body: impl FnOnce() -> Result<T, Outcome>,
) -> Result<T, Outcome> {
    cu!(gpu.cuCtxPushCurrent_v2(context)).ok()?;
    let done = body();
    cu!(gpu.cuCtxPopCurrent_v2(&mut CUcontext::default())).ok()?;
    done
}

fn pattern(first: u32) -> Vec<u32> {
    (first..).take(WORDS).collect()
}

fn attributes(gpu: &Gpu) -> Done {
    const ACCESS_SUPPORTED: i32 = 2;
    other(gpu)?;
    let (mut can, mut supported) = (-1, -1);
    cu!(gpu.cuDeviceCanAccessPeer(&mut can, 0, OTHER)).ok()?;
    cu!(gpu.cuDeviceGetP2PAttribute(&mut supported, ACCESS_SUPPORTED, 0, OTHER)).ok()?;
    same("both answers", (can, can == 0 || can == 1), (supported, true))?;
    same(
        "a device and itself",
        cu!(gpu.cuDeviceCanAccessPeer(&mut can, OTHER, OTHER)),
        CUresult::SUCCESS,
    )?;
    same("is not a peer", can, 0)?;
    same("no device", cu!(gpu.cuDeviceCanAccessPeer(&mut can, 0, 1000)), CUresult::INVALID_DEVICE)?;
    same(
        "no attribute",
        cu!(gpu.cuDeviceGetP2PAttribute(&mut can, 0, 0, OTHER)),
        CUresult::INVALID_VALUE,
    )
}

fn copies(gpu: &Gpu) -> Done {
    let context = other(gpu)?;
    let there = inside(gpu, context, || gpu.alloc(WORDS * 4))?;
    let (here, back) = (gpu.alloc(WORDS * 4)?, gpu.alloc(WORDS * 4)?);
    gpu.write(here, &pattern(7))?;
    cu!(gpu.cuMemcpyPeer(there, context, here, gpu.context, WORDS * 4)).ok()?;
    let stream = gpu.stream(1)?;
    cu!(gpu.cuCtxSynchronize()).ok()?;
    cu!(gpu.cuMemcpyPeerAsync(back, gpu.context, there, context, WORDS * 4, stream)).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("there and back", gpu.read(back, WORDS)? == pattern(7), true)?;
    let past = cu!(gpu.cuMemcpyPeer(there, context, here, gpu.context, WORDS * 4 + 1));
    same("a byte too many", past, CUresult::INVALID_VALUE)
}

/// A copy from pinned memory is complete when the call returns. This also holds for streams of the
/// other device, which do not wait for this device.
fn there_for_the_other(gpu: &Gpu) -> Done {
    let context = other(gpu)?;
    let (here, host) = (gpu.alloc(WORDS * 4)?, gpu.pinned(WORDS)?);
    let (there, stream) = inside(gpu, context, || {
        Ok((gpu.alloc(WORDS * 4)?, gpu.stream(values::STREAM_NON_BLOCKING)?))
    })?;
    let back = gpu.pinned(WORDS)?;
    for round in 1..=4 {
        host.fill(round);
        cu!(gpu.cuMemcpyHtoD_v2(here, host.as_ptr().cast(), WORDS * 4)).ok()?;
        let found = inside(gpu, context, || {
            cu!(gpu.cuMemcpyPeerAsync(there, context, here, gpu.context, WORDS * 4, stream))
                .ok()?;
            cu!(gpu.cuStreamSynchronize(stream)).ok()?;
            gpu.read(there, WORDS)
        })?;
        same("words that differ", found.iter().filter(|word| **word != round).count(), 0)?;
        // Copies from the host to the other device's memory while this context is current. Not all
        // nodes support such copies.
        host.fill(round + 100);
        match cu!(gpu.cuMemcpyHtoD_v2(there, host.as_ptr().cast(), WORDS * 4)) {
            CUresult::NOT_SUPPORTED => continue,
            code => code.ok()?,
        }
        inside(gpu, context, || {
            cu!(gpu.cuMemcpyDtoHAsync_v2(back.as_mut_ptr().cast(), there, WORDS * 4, stream))
                .ok()?;
            Ok(cu!(gpu.cuStreamSynchronize(stream)).ok()?)
        })?;
        same(
            "words of the other device that differ",
            back.iter().filter(|word| **word != round + 100).count(),
            0,
        )?;
    }
    Ok(())
}

fn boxes(gpu: &Gpu) -> Done {
    let context = other(gpu)?;
    let there = inside(gpu, context, || gpu.alloc(64 * 8))?;
    let here = gpu.alloc(64 * 8)?;
    gpu.write(here, &pattern(0)[..128])?;
    inside(gpu, context, || gpu.write(there, &[9; 128]))?;
    // SAFETY: all-zero bytes are valid for a struct of numbers and pointers.
    let mut copy: CUDA_MEMCPY3D_PEER = unsafe { std::mem::zeroed() };
    (copy.srcMemoryType, copy.srcDevice, copy.srcPitch, copy.srcHeight) =
        (values::MEMORYTYPE_DEVICE, here, 64, 4);
    (copy.dstMemoryType, copy.dstDevice, copy.dstPitch, copy.dstHeight) =
        (values::MEMORYTYPE_DEVICE, there, 64, 4);
    (copy.srcContext, copy.dstContext, copy.srcXInBytes) = (gpu.context, context, 16);
    (copy.WidthInBytes, copy.Height, copy.Depth) = (8, 3, 2);
    cu!(gpu.cuMemcpy3DPeer(&copy)).ok()?;
    let found = inside(gpu, context, || gpu.read(there, 128))?;
    for row in (0..8).filter(|row| row % 4 < 3) {
        let first = row as u32 * 16 + 4;
        same("a row", found[row * 16..][..3].to_vec(), vec![first, first + 1, 9])?;
    }
    same("a row between the slices", found[48..52].to_vec(), vec![9; 4])
}

/// Copies with functions that infer the devices from the addresses.
fn unified(gpu: &Gpu) -> Done {
    let context = reaching(gpu)?;
    let there = inside(gpu, context, || gpu.alloc(WORDS * 4))?;
    let (here, back) = (gpu.alloc(WORDS * 4)?, gpu.alloc(WORDS * 4)?);
    gpu.write(here, &pattern(3))?;
    cu!(gpu.cuMemcpyDtoD_v2(there, here, WORDS * 4)).ok()?;
    gpu.synchronize().ok()?;
    cu!(gpu.cuMemcpy(back, there, WORDS * 4)).ok()?;
    same("there and back", gpu.read(back, WORDS)? == pattern(3), true)
}

/// Accesses the other device's memory while this device's context is current.
fn host_copies(gpu: &Gpu) -> Done {
    const DEVICE_ORDINAL: i32 = 9;
    let context = reaching(gpu)?;
    let there = inside(gpu, context, || gpu.alloc(4096))?;
    gpu.write(there, &[1, 2, 3])?;
    same("what is there", gpu.read(there, 3)?, vec![1, 2, 3])?;
    let mut ordinal = -1;
    cu!(gpu.cuPointerGetAttribute((&raw mut ordinal).cast(), DEVICE_ORDINAL, there)).ok()?;
    same("whose it is", ordinal, OTHER)
}

/// A copy without a stream runs after the earlier work of both contexts and before their later
/// work.
fn both_orders(gpu: &Gpu) -> Done {
    let context = other(gpu)?;
    let here = gpu.alloc(4)?;
    gpu.write(here, &[0])?;
    let there = inside(gpu, context, || {
        let there = gpu.alloc(4)?;
        gpu.write(there, &[0])?;
        let spin = gpu.function(gpu.module()?, "spin")?;
        gpu.launch(spin, (1, 1), CUstream::NULL, there, &[1_000_000]).ok()?;
        Ok(there)
    })?;
    cu!(gpu.cuMemcpyPeer(here, gpu.context, there, context, 4)).ok()?;
    inside(gpu, context, || Ok(cu!(gpu.cuMemsetD32Async(there, 5, 1, CUstream::NULL)).ok()?))?;
    same("after the kernel, before the fill", gpu.read(here, 1)?, vec![1_000_000])?;
    same("the fill", inside(gpu, context, || gpu.read(there, 1))?, vec![5])
}

/// A graph copies to the other device and back at each launch.
fn captured(gpu: &Gpu) -> Done {
    let context = other(gpu)?;
    let there = inside(gpu, context, || gpu.alloc(WORDS * 4))?;
    let (here, back, stream) = (gpu.alloc(WORDS * 4)?, gpu.alloc(WORDS * 4)?, gpu.stream(1)?);
    gpu.begin_capture(stream)?;
    let first = cu!(gpu.cuMemcpyPeerAsync(there, context, here, gpu.context, WORDS * 4, stream));
    if first == CUresult::STREAM_CAPTURE_UNSUPPORTED {
        return Err(Outcome::Skipped("graphs hold no copies between devices of two nodes".into()));
    }
    first.ok()?;
    cu!(gpu.cuMemcpyPeerAsync(back, gpu.context, there, context, WORDS * 4, stream)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    for first in [3, 8] {
        gpu.write(here, &pattern(first))?;
        gpu.synchronize().ok()?;
        gpu.replay(exec, stream)?;
        same("there and back", gpu.read(back, WORDS)? == pattern(first), true)?;
    }
    Ok(())
}

fn events(gpu: &Gpu) -> Done {
    let context = other(gpu)?;
    let here = gpu.alloc(4)?;
    let (there, event) = inside(gpu, context, || {
        let there = gpu.alloc(4)?;
        gpu.write(there, &[0])?;
        let (stream, event) = (gpu.stream(1)?, gpu.event(2)?);
        let spin = gpu.function(gpu.module()?, "spin")?;
        gpu.launch(spin, (1, 1), stream, there, &[1_000_000]).ok()?;
        cu!(gpu.cuEventRecord(event, stream)).ok()?;
        Ok((there, event))
    })?;
    let stream = gpu.stream(1)?;
    cu!(gpu.cuStreamWaitEvent(stream, event, 0)).ok()?;
    cu!(gpu.cuMemcpyPeerAsync(here, gpu.context, there, context, 4, stream)).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("what the kernel left", gpu.read(here, 1)?, vec![1_000_000])
}

/// Kernels on both devices and copies in both directions. Only events order them, and the program
/// does not wait in between.
fn turns(gpu: &Gpu) -> Done {
    const ROUNDS: u32 = 10;
    const BYTES: usize = 16 << 10;
    let context = other(gpu)?;
    let open = || {
        Ok((gpu.alloc(BYTES)?, gpu.stream(1)?, gpu.event(2)?, gpu.function(gpu.module()?, "fill")?))
    };
    let (here, stream, event, fill) = open()?;
    let (there, its_stream, its_event, its_fill) = inside(gpu, context, open)?;
    for round in 0..ROUNDS {
        // The first half is filled and copied to the other device. That device fills the second
        // half, and both halves are copied back.
        gpu.launch(fill, (8, 256), stream, here, &[2048, round]).ok()?;
        cu!(gpu.cuMemcpyPeerAsync(there, context, here, gpu.context, BYTES / 2, stream)).ok()?;
        cu!(gpu.cuEventRecord(event, stream)).ok()?;
        inside(gpu, context, || {
            cu!(gpu.cuStreamWaitEvent(its_stream, event, 0)).ok()?;
            gpu.launch(
                its_fill,
                (8, 256),
                its_stream,
                there + BYTES as u64 / 2,
                &[2048, 5000 + round],
            )
            .ok()?;
            cu!(gpu.cuMemcpyPeerAsync(here, gpu.context, there, context, BYTES, its_stream))
                .ok()?;
            Ok(cu!(gpu.cuEventRecord(its_event, its_stream)).ok()?)
        })?;
        cu!(gpu.cuStreamWaitEvent(stream, its_event, 0)).ok()?;
    }
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    let expected: Vec<u32> =
        (ROUNDS - 1..).take(2048).chain((5000 + ROUNDS - 1..).take(2048)).collect();
    same("after the last turn", gpu.read(here, 4096)? == expected, true)?;
    same("on the other device", inside(gpu, context, || gpu.read(there, 4096))? == expected, true)
}

/// The first device's context remains current, although the objects belong to the other device.
fn from_the_other(gpu: &Gpu) -> Done {
    let context = other(gpu)?;
    let (there, stream, event) = inside(gpu, context, || {
        let (there, stream, event) = (gpu.alloc(4)?, gpu.stream(1)?, gpu.event(2)?);
        gpu.write(there, &[0])?;
        let spin = gpu.function(gpu.module()?, "spin")?;
        gpu.launch(spin, (1, 1), stream, there, &[1_000_000]).ok()?;
        cu!(gpu.cuEventRecord(event, stream)).ok()?;
        Ok((there, stream, event))
    })?;
    cu!(gpu.cuEventSynchronize(event)).ok()?;
    same("the event", cu!(gpu.cuEventQuery(event)), CUresult::SUCCESS)?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("the stream", cu!(gpu.cuStreamQuery(stream)), CUresult::SUCCESS)?;
    let mut of = CUcontext::NULL;
    cu!(gpu.cuStreamGetCtx(stream, &mut of)).ok()?;
    same("the stream's context", of, context)?;
    same("the kernel", inside(gpu, context, || gpu.read(there, 1))?, vec![1_000_000])?;
    cu!(gpu.cuEventDestroy_v2(event)).ok()?;
    cu!(gpu.cuStreamDestroy_v2(stream)).ok()?;
    cu!(gpu.cuMemFree_v2(there)).ok()?;
    same("the first device works", gpu.synchronize(), CUresult::SUCCESS)
}

/// The first device's context remains current throughout.
fn copies_in_its_stream(gpu: &Gpu) -> Done {
    let context = other(gpu)?;
    for words in [1, WORDS] {
        let (bytes, sent) = (words * 4, &pattern(words as u32)[..words]);
        let (there, stream) = inside(gpu, context, || Ok((gpu.alloc(bytes)?, gpu.stream(1)?)))?;
        cu!(gpu.cuMemcpyHtoDAsync_v2(there, sent.as_ptr().cast(), bytes, stream)).ok()?;
        same(
            "what waiting for the stream gives",
            cu!(gpu.cuStreamSynchronize(stream)),
            CUresult::SUCCESS,
        )?;
        let mut back = vec![0; words];
        cu!(gpu.cuMemcpyDtoHAsync_v2(back.as_mut_ptr().cast(), there, bytes, stream)).ok()?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        same("what came back", &back[..], sent)?;
        cu!(gpu.cuStreamDestroy_v2(stream)).ok()?;
        cu!(gpu.cuMemFree_v2(there)).ok()?;
    }
    Ok(gpu.synchronize().ok()?)
}

/// A library belongs to no context, and its kernels run in each context.
fn one_library(gpu: &Gpu) -> Done {
    let context = other(gpu)?;
    let (mut library, mut kernel) = (CUlibrary::NULL, CUkernel::NULL);
    let text = CString::new(MODULE).expect("no NUL in it");
    let none = std::ptr::null_mut::<std::ffi::c_void>();
    cu!(gpu.cuLibraryLoadData(
        &mut library,
        text.as_ptr().cast(),
        none.cast(),
        none.cast(),
        0,
        none.cast(),
        none.cast(),
        0
    ))
    .ok()?;
    cu!(gpu.cuLibraryGetKernel(&mut kernel, library, c"fill".as_ptr())).ok()?;
    let run = |first: u32| {
        let memory = gpu.alloc(256 * 4)?;
        gpu.launch(CUfunction(kernel.0), (4, 64), CUstream::NULL, memory, &[256, first]).ok()?;
        same("what the kernel wrote", gpu.read(memory, 256)?, (first..first + 256).collect())?;
        let mut function = CUfunction::NULL;
        cu!(gpu.cuKernelGetFunction(&mut function, kernel)).ok()?;
        gpu.launch(function, (4, 64), CUstream::NULL, memory, &[256, first + 1]).ok()?;
        same("as a function", gpu.read(memory, 256)?, (first + 1..first + 257).collect())
    };
    inside(gpu, context, || run(10))?;
    run(20)?;
    inside(gpu, context, || run(30))?;
    cu!(gpu.cuLibraryUnload(library)).ok()?;
    Ok(gpu.synchronize().ok()?)
}

fn switched(gpu: &Gpu) -> Done {
    let context = reaching(gpu)?;
    same("flags", cu!(gpu.cuCtxEnablePeerAccess(context, 1)), CUresult::INVALID_VALUE)?;
    same("not yet", cu!(gpu.cuCtxDisablePeerAccess(context)), CUresult::PEER_ACCESS_NOT_ENABLED)?;
    same("once", cu!(gpu.cuCtxEnablePeerAccess(context, 0)), CUresult::SUCCESS)?;
    same(
        "twice",
        cu!(gpu.cuCtxEnablePeerAccess(context, 0)),
        CUresult::PEER_ACCESS_ALREADY_ENABLED,
    )?;
    same("off", cu!(gpu.cuCtxDisablePeerAccess(context)), CUresult::SUCCESS)?;
    same("off again", cu!(gpu.cuCtxDisablePeerAccess(context)), CUresult::PEER_ACCESS_NOT_ENABLED)?;
    same("on again", cu!(gpu.cuCtxEnablePeerAccess(context, 0)), CUresult::SUCCESS)
}

/// A kernel on this device writes memory, and the other device reads the memory.
fn fill_and_read(gpu: &Gpu, context: CUcontext, memory: CUdeviceptr) -> Done {
    let fill = gpu.function(gpu.module()?, "fill")?;
    gpu.launch(fill, (4, 64), CUstream::NULL, memory, &[256, 40]).ok()?;
    gpu.synchronize().ok()?;
    same(
        "what the kernel wrote",
        inside(gpu, context, || gpu.read(memory, 256))?,
        (40..296).collect(),
    )
}

fn kernels(gpu: &Gpu) -> Done {
    let context = reaching(gpu)?;
    let before = inside(gpu, context, || gpu.alloc(WORDS * 4))?;
    cu!(gpu.cuCtxEnablePeerAccess(context, 0)).ok()?;
    let after = inside(gpu, context, || gpu.alloc(WORDS * 4))?;
    fill_and_read(gpu, context, before)?;
    fill_and_read(gpu, context, after)
}

fn virtual_memory(gpu: &Gpu) -> Done {
    const SUPPORTED: i32 = 102;
    let context = reaching(gpu)?;
    if gpu.attribute(SUPPORTED)? == 0 {
        return Err(Outcome::Skipped("the device has no virtual memory management".into()));
    }
    let at = |id| CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id };
    let properties = CUmemAllocationProp {
        type_: values::MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: 0,
        location: at(OTHER),
        win32HandleMetaData: std::ptr::null_mut(),
        compressionType: 0,
        gpuDirectRDMACapable: 0,
        usage: 0,
        reserved: [0; 4],
    };
    let grant = |id, flags| CUmemAccessDesc { location: at(id), flags };
    let (mut page, mut address, mut memory) = (0, 0, 0);
    cu!(gpu.cuMemGetAllocationGranularity(&mut page, &properties, 0)).ok()?;
    cu!(gpu.cuMemAddressReserve(&mut address, page, 0, 0, 0)).ok()?;
    inside(gpu, context, || Ok(cu!(gpu.cuMemCreate(&mut memory, page, &properties, 0)).ok()?))?;
    cu!(gpu.cuMemMap(address, page, 0, memory, 0)).ok()?;
    cu!(gpu.cuMemSetAccess(
        address,
        page,
        &grant(OTHER, values::MEM_ACCESS_FLAGS_PROT_READWRITE),
        1
    ))
    .ok()?;
    let access = |id| {
        let mut flags = 9;
        cu!(gpu.cuMemGetAccess(&mut flags, &at(id), address)).ok().map(|()| flags)
    };
    same("the owner's alone", (access(0)?, access(OTHER)?), (0, 3))?;
    cu!(gpu.cuMemSetAccess(address, page, &grant(0, values::MEM_ACCESS_FLAGS_PROT_READWRITE), 1))
        .ok()?;
    same("both", (access(0)?, access(OTHER)?), (3, 3))?;
    fill_and_read(gpu, context, address)?;
    cu!(gpu.cuMemSetAccess(address, page, &grant(0, 0), 1)).ok()?;
    same("what the owner finds", inside(gpu, context, || gpu.read(address, 2))?, vec![40, 41])
}

fn pool_access(gpu: &Gpu) -> Done {
    const SUPPORTED: i32 = 115;
    let context = reaching(gpu)?;
    if gpu.attribute(SUPPORTED)? == 0 {
        return Err(Outcome::Skipped("the device has no memory pools".into()));
    }
    let mut location = CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: 0 };
    let access = CUmemAccessDesc { location, flags: values::MEM_ACCESS_FLAGS_PROT_READWRITE };
    let (mut pool, mut flags, mut memory) = (CUmemoryPool::NULL, -1, 0);
    cu!(gpu.cuDeviceGetDefaultMemPool(&mut pool, OTHER)).ok()?;
    cu!(gpu.cuMemPoolGetAccess(&mut flags, pool, &mut location)).ok()?;
    same("closed", flags, 0)?;
    cu!(gpu.cuMemPoolSetAccess(pool, &access, 1)).ok()?;
    cu!(gpu.cuMemPoolGetAccess(&mut flags, pool, &mut location)).ok()?;
    same("open", flags, values::MEM_ACCESS_FLAGS_PROT_READWRITE)?;
    inside(gpu, context, || {
        cu!(gpu.cuMemAllocAsync(&mut memory, 4096, CUstream::NULL)).ok()?;
        Ok(gpu.synchronize().ok()?)
    })?;
    fill_and_read(gpu, context, memory)
}

fn library(gpu: &Gpu) -> Result<CUlibrary, Outcome> {
    let mut library = CUlibrary::NULL;
    let text = CString::new(crate::kernels::MODULE).expect("no NUL");
    let none = std::ptr::null_mut();
    cu!(gpu.cuLibraryLoadData(
        &mut library,
        text.as_ptr().cast(),
        none,
        none.cast(),
        0,
        none.cast(),
        none.cast(),
        0
    ))
    .ok()?;
    Ok(library)
}

/// A library's kernel has attributes for each device. Its function in a context has the attributes
/// of the context's device.
fn kernels_by_device(gpu: &Gpu) -> Done {
    const DYNAMIC_SHARED: CUfunction_attribute = 8;
    const BYTES: i32 = 60 << 10;
    let context = other(gpu)?;
    let mut kernel = CUkernel::NULL;
    cu!(gpu.cuLibraryGetKernel(&mut kernel, library(gpu)?, c"fill".as_ptr())).ok()?;
    let attribute = |device| {
        let mut value = -1;
        cu!(gpu.cuKernelGetAttribute(&mut value, DYNAMIC_SHARED, kernel, device))
            .ok()
            .map(|()| value)
    };
    let before = attribute(0)?;
    let function = || {
        let mut function = CUfunction::NULL;
        cu!(gpu.cuKernelGetFunction(&mut function, kernel)).ok().map(|()| function)
    };
    let there = inside(gpu, context, || Ok(function()?))?;
    cu!(gpu.cuKernelSetAttribute(DYNAMIC_SHARED, BYTES, kernel, OTHER)).ok()?;
    same("attributes", (attribute(0)?, attribute(OTHER)?), (before, BYTES))?;
    let here = function()?;
    same("the same function in two contexts", here == there, false)?;
    let run = |function: CUfunction| -> Done {
        let (memory, mut count, mut first) = (gpu.alloc(64)?, 16u32, 5u32);
        let mut address = memory;
        let mut params =
            [(&raw mut address).cast(), (&raw mut count).cast(), (&raw mut first).cast()];
        let (params, none, bytes) = (
            params.as_mut_ptr(),
            std::ptr::null_mut(),
            if function == there { BYTES as u32 } else { 0 },
        );
        cu!(gpu.cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, bytes, CUstream::NULL, params, none))
            .ok()?;
        same("what it wrote", gpu.read(memory, 2)?, vec![5, 6])
    };
    run(here)?;
    inside(gpu, context, || run(there))
}

fn variables_by_context(gpu: &Gpu) -> Done {
    let context = other(gpu)?;
    let library = library(gpu)?;
    let variable = || {
        let (mut address, mut bytes) = (0, 0);
        cu!(gpu.cuLibraryGetGlobal(&mut address, &mut bytes, library, c"counter".as_ptr()))
            .ok()
            .map(|()| address)
    };
    let here = variable()?;
    gpu.write(here, &[100])?;
    let there = inside(gpu, context, || {
        let there = variable()?;
        same("at first", gpu.read(there, 1)?, vec![7])?;
        Ok(there)
    })?;
    same("the same address in two contexts", here == there, false)?;
    same("here", gpu.read(variable()?, 1)?, vec![100])
}

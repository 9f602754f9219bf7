//! Device memory, pinned memory, pointer attributes, virtual memory, and pools.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, same};
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::time::Duration;

pub const TESTS: &[Test] = &[
    ("memory/alignment_and_range", range),
    ("memory/bad_frees", bad_frees),
    ("memory/too_much_is_said_at_the_call", too_much),
    ("memory/all_of_it_and_again", all_of_it),
    ("memory/many_blocks_keep_apart", many),
    ("memory/info_follows", info),
    ("memory/freed_is_free", freed_is_free),
    ("memory/a_pools_maximum", pool_maximum),
    ("memory/handles_of_mapped_memory", retained_handles),
    ("memory/codes_of_host_memory", host_codes),
    ("memory/pointer_attributes", attributes),
    ("memory/pinned_is_known", pinned),
    ("memory/fills", fills),
    ("memory/fills_stay_inside", fill_past_the_end),
    ("memory/virtual", virtual_memory),
    ("memory/created_in_vain_is_not_charged", created_in_vain),
    ("memory/mapped_again_after_no_context", mapped_again),
    ("memory/access_without_descriptions", access_without_descriptions),
    ("memory/reservations_are_aligned", reservations),
    ("memory/stream_ordered", stream_ordered),
    ("memory/stream_ordered_in_what_a_pool_keeps", kept),
    ("memory/stream_ordered_on_the_streams_device", stream_ordered_elsewhere),
];

fn range(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(1000)?;
    same("aligned", memory % 256, 0)?;
    let (mut base, mut bytes) = (0, 0);
    // SAFETY: all out-pointers refer to locals.
    unsafe { gpu.driver.cuMemGetAddressRange_v2(&mut base, &mut bytes, memory + 999) }.ok()?;
    same("the range around the last byte", (base, bytes), (memory, 1000))
}

fn bad_frees(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4096)?;
    // SAFETY: the driver checks the addresses.
    unsafe {
        same("the middle", gpu.driver.cuMemFree_v2(memory + 512), CUresult::INVALID_VALUE)?;
        gpu.driver.cuMemFree_v2(memory).ok()?;
        same("twice", gpu.driver.cuMemFree_v2(memory), CUresult::INVALID_VALUE)?;
        same("nothing", gpu.driver.cuMemFree_v2(0), CUresult::SUCCESS)
    }
}

fn too_much(gpu: &Gpu) -> Done {
    let mut address = 0;
    // SAFETY: the out-pointer refers to a local.
    unsafe {
        same("4 TiB", gpu.driver.cuMemAlloc_v2(&mut address, 1 << 42), CUresult::OUT_OF_MEMORY)?;
        same("no bytes", gpu.driver.cuMemAlloc_v2(&mut address, 0), CUresult::INVALID_VALUE)?;
    }
    gpu.alloc(1 << 20).map(|_| ())
}

/// A program that allocates memory until none is left gets an error that it can handle. The program
/// can allocate freed memory again.
fn all_of_it(gpu: &Gpu) -> Done {
    let mut total = 0;
    cu!(gpu.cuDeviceTotalMem_v2(&mut total, 0)).ok()?;
    for _ in 0..2 {
        let mut blocks = Vec::new();
        let mut address = 0;
        let last = loop {
            match cu!(gpu.cuMemAlloc_v2(&mut address, total / 4)) {
                CUresult::SUCCESS => blocks.push(address),
                other => break other,
            }
        };
        same(
            "the end of the memory",
            (last, (1..=4).contains(&blocks.len())),
            (CUresult::OUT_OF_MEMORY, true),
        )?;
        gpu.write(blocks[0], &[5, 6])?;
        same("a block that is there", gpu.read(blocks[0], 2)?, vec![5, 6])?;
        for block in blocks {
            cu!(gpu.cuMemFree_v2(block)).ok()?;
        }
    }
    Ok(())
}

fn many(gpu: &Gpu) -> Done {
    let blocks: Vec<CUdeviceptr> =
        (0..300).map(|i| gpu.alloc(64 + i * 37)).collect::<Result<_, _>>()?;
    for (i, block) in blocks.iter().enumerate() {
        gpu.write(*block, &[i as u32; 16])?;
    }
    for (i, block) in blocks.iter().enumerate() {
        same("a block", gpu.read(*block, 16)?, vec![i as u32; 16])?;
    }
    Ok(())
}

/// Returns whether free memory shrinks by at least 256 MiB while an allocation of that size exists.
fn less_is_free(gpu: &Gpu) -> Result<bool, Outcome> {
    let (mut free, mut total, mut left) = (0, 0, 0);
    // SAFETY: all out-pointers refer to locals.
    unsafe {
        gpu.driver.cuMemGetInfo_v2(&mut free, &mut total).ok()?;
        let memory = gpu.alloc(256 << 20)?;
        gpu.driver.cuMemGetInfo_v2(&mut left, &mut total).ok()?;
        gpu.driver.cuMemFree_v2(memory).ok()?;
    }
    Ok(left + (250 << 20) <= free && free <= total)
}

/// Tries several times and needs one success, because other programs may allocate and free GPU
/// memory between two queries.
fn info(gpu: &Gpu) -> Done {
    for _ in 0..10 {
        if less_is_free(gpu)? {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    same("less is free", false, true)
}

/// The next question counts what was freed before, in large and in small blocks.
fn freed_is_free(gpu: &Gpu) -> Done {
    const SMALL_BYTES: usize = 1000;
    const SMALL_COUNT: usize = 12_000;
    let memory = || -> Result<(usize, usize), Outcome> {
        let (mut free, mut total) = (0, 0);
        cu!(gpu.cuMemGetInfo_v2(&mut free, &mut total)).ok()?;
        Ok((free, total))
    };
    // Other programs may allocate memory between two questions, at most this much.
    let others_bytes = memory()?.1 / 128;
    let lacks = |bytes: usize, count: usize| -> Result<bool, Outcome> {
        let before = memory()?.0;
        let blocks = (0..count).map(|_| gpu.alloc(bytes)).collect::<Result<Vec<_>, _>>()?;
        blocks.into_iter().try_for_each(|block| cu!(gpu.cuMemFree_v2(block)).ok())?;
        Ok(memory()?.0 + others_bytes.min(bytes * count / 2) < before)
    };
    // On a large device the others take more than all small blocks.
    let small = SMALL_BYTES * SMALL_COUNT > others_bytes / 8;
    let mut lacking = 0;
    for _ in 0..10 {
        lacking += usize::from(lacks(others_bytes / 5, 10)?);
        lacking += usize::from(small && lacks(SMALL_BYTES, SMALL_COUNT)?);
    }
    same("times that too little was free, at most 2", lacking.max(2), 2)
}

/// A pool's maximum is rounded up to 32 MiB. Freed memory makes room.
fn pool_maximum(gpu: &Gpu) -> Done {
    const SUPPORTED: i32 = 115;
    const MIB: usize = 1 << 20;
    if gpu.attribute(SUPPORTED)? == 0 {
        return Err(Outcome::Skipped("the device has no memory pools".into()));
    }
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    // SAFETY: the struct has numbers and a pointer only, for which zeros are valid.
    let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = values::MEM_ALLOCATION_TYPE_PINNED;
    properties.location = CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: 0 };
    properties.maxSize = 40 * MIB;
    let mut pool = CUmemoryPool::NULL;
    cu!(gpu.cuMemPoolCreate(&mut pool, &properties)).ok()?;
    let take = |bytes: usize| {
        let mut address = 0;
        let code = cu!(gpu.cuMemAllocFromPoolAsync(&mut address, bytes, pool, stream));
        (code, address)
    };
    let (first, address) = take(40 * MIB);
    same("the maximum", first, CUresult::SUCCESS)?;
    same("as much again", take(40 * MIB).0, CUresult::OUT_OF_MEMORY)?;
    cu!(gpu.cuMemFreeAsync(address, stream)).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    let (again, address) = take(40 * MIB);
    same("after a free", again, CUresult::SUCCESS)?;
    cu!(gpu.cuMemFreeAsync(address, stream)).ok()?;
    Ok(cu!(gpu.cuMemPoolDestroy(pool)).ok()?)
}

/// A mapping gives the handle of its memory, also after the program has released the handle.
fn retained_handles(gpu: &Gpu) -> Done {
    // SAFETY: the struct has numbers and a pointer only, for which zeros are valid.
    let mut properties: CUmemAllocationProp = unsafe { std::mem::zeroed() };
    properties.type_ = values::MEM_ALLOCATION_TYPE_PINNED;
    properties.location = CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: 0 };
    let (mut page, mut handle, mut again, mut address) = (0, 0, 0, 0);
    cu!(gpu.cuMemGetAllocationGranularity(&mut page, &properties, 0)).ok()?;
    cu!(gpu.cuMemCreate(&mut handle, page, &properties, 0)).ok()?;
    cu!(gpu.cuMemAddressReserve(&mut address, 2 * page, 0, 0, 0)).ok()?;
    cu!(gpu.cuMemMap(address, page, 0, handle, 0)).ok()?;
    cu!(gpu.cuMemRelease(handle)).ok()?;
    let inside = std::ptr::with_exposed_provenance_mut::<c_void>(address as usize + 77);
    cu!(gpu.cuMemRetainAllocationHandle(&mut again, inside)).ok()?;
    cu!(gpu.cuMemMap(address + page as u64, page, 0, again, 0)).ok()?;
    cu!(gpu.cuMemRelease(again)).ok()?;
    cu!(gpu.cuMemUnmap(address, 2 * page)).ok()?;
    let gone = cu!(gpu.cuMemRetainAllocationHandle(&mut again, inside));
    same("a handle of nothing", gone, CUresult::INVALID_VALUE)?;
    Ok(cu!(gpu.cuMemAddressFree(address, 2 * page)).ok()?)
}

fn host_codes(gpu: &Gpu) -> Done {
    const DEVICEMAP: u32 = 2;
    let bad = CUresult::INVALID_VALUE;
    let (mut host, mut flags): (*mut c_void, u32) = (std::ptr::null_mut(), 0);
    same("a free of null", cu!(gpu.cuMemFreeHost(host)), CUresult::SUCCESS)?;
    same("an end of null", cu!(gpu.cuMemHostUnregister(host)), bad)?;
    cu!(gpu.cuMemHostAlloc(&mut host, 100, 0)).ok()?;
    cu!(gpu.cuMemHostGetFlags(&mut flags, host)).ok()?;
    same("flags", flags, DEVICEMAP)?;
    same("an end of allocated memory", cu!(gpu.cuMemHostUnregister(host)), bad)?;
    cu!(gpu.cuMemFreeHost(host)).ok()?;
    let mut own = vec![0u8; 3 * 4096];
    let page = own.as_mut_ptr().map_addr(|address| address.next_multiple_of(4096));
    cu!(gpu.cuMemHostRegister_v2(page.cast(), 8192, 0)).ok()?;
    let middle = cu!(gpu.cuMemHostUnregister(page.wrapping_add(64).cast()));
    same("an end from the middle", middle, bad)?;
    cu!(gpu.cuMemHostUnregister(page.cast())).ok()?;
    let unknown = cu!(gpu.cuMemHostUnregister(page.cast()));
    same("an end of unknown memory", unknown, CUresult::HOST_MEMORY_NOT_REGISTERED)
}

fn attribute<T: Default>(gpu: &Gpu, id: i32, address: u64) -> Result<T, CUresult> {
    let mut value = [T::default(), T::default()];
    // SAFETY: the out-pointer is valid for writes of more bytes than the attribute has.
    unsafe { gpu.driver.cuPointerGetAttribute(value.as_mut_ptr().cast(), id, address) }.ok()?;
    let [first, _] = value;
    Ok(first)
}

fn attributes(gpu: &Gpu) -> Done {
    const MEMORY_TYPE: i32 = 2;
    const DEVICE_ORDINAL: i32 = 9;
    const RANGE_SIZE: i32 = 12;
    let memory = gpu.alloc(12345)?;
    same(
        "memory type",
        attribute::<u32>(gpu, MEMORY_TYPE, memory + 5)?,
        values::MEMORYTYPE_DEVICE as u32,
    )?;
    same("ordinal", attribute::<i32>(gpu, DEVICE_ORDINAL, memory)?, 0)?;
    same("size", attribute::<u64>(gpu, RANGE_SIZE, memory + 100)?, 12345)?;
    let local = 1u64;
    same(
        "memory that the driver does not know",
        attribute::<u32>(gpu, MEMORY_TYPE, &raw const local as u64),
        Err(CUresult::INVALID_VALUE),
    )
}

fn pinned(gpu: &Gpu) -> Done {
    const MEMORY_TYPE: i32 = 2;
    let mut host: *mut c_void = std::ptr::null_mut();
    // SAFETY: the out-pointer refers to a local, and the memory is freed once.
    unsafe {
        gpu.driver.cuMemHostAlloc(&mut host, 1 << 20, 1).ok()?;
        same(
            "memory type",
            attribute::<u32>(gpu, MEMORY_TYPE, host as u64 + 77)?,
            values::MEMORYTYPE_HOST as u32,
        )?;
        let (mut device, mut base, mut bytes) = (0, 0, 0);
        gpu.driver.cuMemHostGetDevicePointer_v2(&mut device, host, 0).ok()?;
        gpu.driver.cuMemGetAddressRange_v2(&mut base, &mut bytes, device + 77).ok()?;
        same("the range around a byte", (base, bytes), (device, 1 << 20))?;
        gpu.driver.cuMemFreeHost(host).ok()?;
        same("freed", gpu.driver.cuMemFreeHost(host), CUresult::INVALID_VALUE)
    }
}

fn fills(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4096)?;
    // SAFETY: all ranges are inside the allocation.
    unsafe {
        gpu.driver.cuMemsetD32_v2(memory, 0, 1024).ok()?;
        gpu.driver.cuMemsetD8_v2(memory + 1, 0xAB, 2).ok()?;
        gpu.driver.cuMemsetD16_v2(memory + 4, 0x1234, 2).ok()?;
        gpu.driver.cuMemsetD2D8_v2(memory + 64, 32, 0x55, 4, 3).ok()?;
    }
    let words = gpu.read(memory, 40)?;
    same("bytes", words[0], 0x00AB_AB00)?;
    same("shorts", words[1], 0x1234_1234)?;
    same(
        "rows",
        (words[16], words[17], words[24], words[32], words[33]),
        (0x5555_5555, 0, 0x5555_5555, 0x5555_5555, 0),
    )
}

fn fill_past_the_end(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4 << 20)?;
    // SAFETY: the driver rejects fills that exceed the allocation.
    let result = unsafe { gpu.driver.cuMemsetD8_v2(memory, 1, (4 << 20) + 1) };
    same("a byte too many", result, CUresult::INVALID_VALUE)
}

/// Reserves addresses with any power of two as alignment. The gaps remain available for other
/// reservations.
fn reservations(gpu: &Gpu) -> Done {
    for alignment in [0, 1 << 21, 1 << 25, 1 << 30] {
        let mut addresses = [0; 8];
        for address in &mut addresses {
            cu!(gpu.cuMemAddressReserve(address, 1 << 21, alignment, 0, 0)).ok()?;
            same("aligned", address.is_multiple_of(alignment.max(1) as u64), true)?;
        }
        addresses.sort_unstable();
        let apart = addresses.windows(2).all(|pair| pair[0] + (1 << 21) <= pair[1]);
        same("apart from each other", apart, true)?;
        addresses
            .iter()
            .try_for_each(|address| cu!(gpu.cuMemAddressFree(*address, 1 << 21)).ok())?;
    }
    let mut address = 0;
    let odd = cu!(gpu.cuMemAddressReserve(&mut address, 1 << 21, 3 << 21, 0, 0));
    same("three pages as an alignment", odd, CUresult::INVALID_VALUE)
}

/// Returns the properties of memory of device 0 that the program maps itself.
fn mappable(gpu: &Gpu) -> Result<CUmemAllocationProp, Outcome> {
    const SUPPORTED: i32 = 102;
    if gpu.attribute(SUPPORTED)? == 0 {
        return Err(Outcome::Skipped("the device has no virtual memory management".into()));
    }
    Ok(CUmemAllocationProp {
        type_: values::MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: 0,
        location: CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: 0 },
        win32HandleMetaData: std::ptr::null_mut(),
        compressionType: 0,
        gpuDirectRDMACapable: 0,
        usage: 0,
        reserved: [0; 4],
    })
}

/// A creation that returns the error of an earlier call takes no memory from the program.
fn created_in_vain(gpu: &Gpu) -> Done {
    const NOT_A_LIMIT: i32 = 99;
    let properties = mappable(gpu)?;
    let (mut page, mut free, mut total, mut memory) = (0, 0, 0, 0);
    cu!(gpu.cuMemGetAllocationGranularity(&mut page, &properties, 0)).ok()?;
    cu!(gpu.cuMemGetInfo_v2(&mut free, &mut total)).ok()?;
    let bytes = free / 5 * 3 / page * page;
    for is_in_vain in [false, true, false] {
        if is_in_vain {
            // The error may surface here or at the next call.
            let _ = cu!(gpu.cuCtxSetLimit(NOT_A_LIMIT, 1));
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        match cu!(gpu.cuMemCreate(&mut memory, bytes, &properties, 0)) {
            CUresult::SUCCESS => cu!(gpu.cuMemRelease(memory)).ok()?,
            code if !is_in_vain => return Err(code.into()),
            _ => {}
        }
    }
    same("afterwards", gpu.synchronize(), CUresult::SUCCESS)
}

/// Memory that a thread without a context unmaps can be replaced.
fn mapped_again(gpu: &Gpu) -> Done {
    let properties = mappable(gpu)?;
    let (mut page, mut address, mut memory) = (0, 0, 0);
    cu!(gpu.cuMemGetAllocationGranularity(&mut page, &properties, 0)).ok()?;
    cu!(gpu.cuDevicePrimaryCtxReset_v2(0)).ok()?;
    cu!(gpu.cuMemAddressReserve(&mut address, page, 0, 0, 0)).ok()?;
    let mut context = CUcontext::NULL;
    for _ in 0..2 {
        cu!(gpu.cuDevicePrimaryCtxRetain(&mut context, 0)).ok()?;
        cu!(gpu.cuCtxSetCurrent(context)).ok()?;
        cu!(gpu.cuMemCreate(&mut memory, page, &properties, 0)).ok()?;
        cu!(gpu.cuMemMap(address, page, 0, memory, 0)).ok()?;
        cu!(gpu.cuMemRelease(memory)).ok()?;
        cu!(gpu.cuCtxSetCurrent(CUcontext::NULL)).ok()?;
        cu!(gpu.cuDevicePrimaryCtxRelease_v2(0)).ok()?;
        cu!(gpu.cuMemUnmap(address, page)).ok()?;
    }
    Ok(cu!(gpu.cuMemAddressFree(address, page)).ok()?)
}

fn access_without_descriptions(gpu: &Gpu) -> Done {
    const SUPPORTED: i32 = 115;
    if gpu.attribute(SUPPORTED)? == 0 {
        return Err(Outcome::Skipped("the device has no memory pools".into()));
    }
    let mut pool = CUmemoryPool::NULL;
    cu!(gpu.cuDeviceGetDefaultMemPool(&mut pool, 0)).ok()?;
    for count in [0, 1] {
        let refused = cu!(gpu.cuMemPoolSetAccess(pool, std::ptr::null(), count));
        same("no descriptions", refused, CUresult::INVALID_VALUE)?;
    }
    Ok(())
}

fn virtual_memory(gpu: &Gpu) -> Done {
    let properties = mappable(gpu)?;
    let location = properties.location;
    let access = CUmemAccessDesc { location, flags: values::MEM_ACCESS_FLAGS_PROT_READWRITE };
    let (mut page, mut address, mut first, mut second) = (0, 0, 0, 0);
    // SAFETY: all out-pointers refer to locals. The test unmaps and releases all mapped memory
    // once.
    unsafe {
        gpu.driver.cuMemGetAllocationGranularity(&mut page, &properties, 0).ok()?;
        gpu.driver.cuMemAddressReserve(&mut address, page * 4, 0, 0, 0).ok()?;
        gpu.driver.cuMemCreate(&mut first, page, &properties, 0).ok()?;
        gpu.driver.cuMemCreate(&mut second, page, &properties, 0).ok()?;
        gpu.driver.cuMemMap(address, page, 0, first, 0).ok()?;
        gpu.driver.cuMemMap(address + page as u64, page, 0, second, 0).ok()?;
        gpu.driver.cuMemSetAccess(address, page * 2, &access, 1).ok()?;
    }
    let border = address + page as u64 - 8;
    gpu.write(border, &[1, 2, 3, 4])?;
    same("across the border of two mappings", gpu.read(border, 4)?, vec![1, 2, 3, 4])?;
    // SAFETY: as above. Other memory is mapped at the same addresses.
    unsafe {
        gpu.driver.cuMemUnmap(address, page * 2).ok()?;
        gpu.driver.cuMemMap(address, page, 0, second, 0).ok()?;
        gpu.driver.cuMemSetAccess(address, page, &access, 1).ok()?;
    }
    same("the second at the first's place", gpu.read(address, 2)?, vec![3, 4])?;
    // SAFETY: as above.
    unsafe {
        gpu.driver.cuMemUnmap(address, page).ok()?;
        gpu.driver.cuMemRelease(first).ok()?;
        gpu.driver.cuMemRelease(second).ok()?;
        Ok(gpu.driver.cuMemAddressFree(address, page * 4).ok()?)
    }
}

fn stream_ordered(gpu: &Gpu) -> Done {
    const SUPPORTED: i32 = 115;
    if gpu.attribute(SUPPORTED)? == 0 {
        return Err(Outcome::Skipped("the device has no memory pools".into()));
    }
    let stream = gpu.stream(0)?;
    let mut addresses = Vec::new();
    for round in 0..20u32 {
        let mut address = 0;
        let data = [round; 8];
        let mut back = [0u32; 8];
        // SAFETY: the locals live until the synchronisation below.
        unsafe {
            gpu.driver.cuMemAllocAsync(&mut address, 1 << 16, stream).ok()?;
            gpu.driver.cuMemcpyHtoDAsync_v2(address, data.as_ptr().cast(), 32, stream).ok()?;
            gpu.driver.cuMemcpyDtoHAsync_v2(back.as_mut_ptr().cast(), address, 32, stream).ok()?;
            gpu.driver.cuMemFreeAsync(address, stream).ok()?;
            gpu.driver.cuStreamSynchronize(stream).ok()?;
        }
        same("a round", back, data)?;
        addresses.push(address);
    }
    Ok(())
}

/// A pool that keeps all freed memory can allocate a smaller block from that memory, even if the
/// device has no free memory.
fn kept(gpu: &Gpu) -> Done {
    const SUPPORTED: i32 = 115;
    const RELEASE_THRESHOLD: i32 = 4;
    if gpu.attribute(SUPPORTED)? == 0 {
        return Err(Outcome::Skipped("the device has no memory pools".into()));
    }
    let stream = gpu.stream(0)?;
    let (mut free, mut total, mut keep, mut pool) = (0, 0, u64::MAX, CUmemoryPool::NULL);
    cu!(gpu.cuDeviceGetDefaultMemPool(&mut pool, 0)).ok()?;
    cu!(gpu.cuMemPoolSetAttribute(pool, RELEASE_THRESHOLD, (&raw mut keep).cast())).ok()?;
    cu!(gpu.cuMemGetInfo_v2(&mut free, &mut total)).ok()?;
    let (mut large, mut small) = (0, 0);
    if cu!(gpu.cuMemAllocFromPoolAsync(&mut large, free / 10 * 7, pool, stream))
        == CUresult::OUT_OF_MEMORY
    {
        return Err(Outcome::Skipped("another program has the memory".into()));
    }
    cu!(gpu.cuMemFreeAsync(large, stream)).ok()?;
    cu!(gpu.cuMemAllocFromPoolAsync(&mut small, free / 10 * 4, pool, stream)).ok()?;
    gpu.write(small, &[5, 6])?;
    same("the block", gpu.read(small, 2)?, vec![5, 6])?;
    cu!(gpu.cuMemFreeAsync(small, stream)).ok()?;
    Ok(cu!(gpu.cuStreamSynchronize(stream)).ok()?)
}

/// Stream-ordered memory belongs to the stream's or the pool's device, even if another context is
/// current.
fn stream_ordered_elsewhere(gpu: &Gpu) -> Done {
    const SUPPORTED: i32 = 115;
    const DEVICE_ORDINAL: i32 = 9;
    let (mut count, mut second) = (0, CUcontext::NULL);
    cu!(gpu.cuDeviceGetCount(&mut count)).ok()?;
    if count < 2 || gpu.attribute(SUPPORTED)? == 0 {
        return Err(Outcome::Skipped("there are no two devices with memory pools".into()));
    }
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    cu!(gpu.cuDevicePrimaryCtxRetain(&mut second, 1)).ok()?;
    let device_of = |address| {
        let mut device = -1;
        cu!(gpu.cuPointerGetAttribute((&raw mut device).cast(), DEVICE_ORDINAL, address))
            .ok()
            .map(|()| device)
    };
    let (mut of_stream, mut of_pool, mut pool) = (0, 0, CUmemoryPool::NULL);
    cu!(gpu.cuCtxSetCurrent(second)).ok()?;
    cu!(gpu.cuMemAllocAsync(&mut of_stream, 1 << 16, stream)).ok()?;
    same("the stream's device", device_of(of_stream)?, 0)?;
    cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
    cu!(gpu.cuDeviceGetDefaultMemPool(&mut pool, 1)).ok()?;
    cu!(gpu.cuMemAllocFromPoolAsync(&mut of_pool, 1 << 16, pool, stream)).ok()?;
    same("the pool's device", device_of(of_pool)?, 1)?;
    cu!(gpu.cuMemsetD32Async(of_stream, 3, 16, stream)).ok()?;
    cu!(gpu.cuMemFreeAsync(of_pool, stream)).ok()?;
    cu!(gpu.cuMemFreeAsync(of_stream, stream)).ok()?;
    Ok(cu!(gpu.cuStreamSynchronize(stream)).ok()?)
}

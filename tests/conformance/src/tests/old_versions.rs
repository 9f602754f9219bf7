//! Older versions of functions: 32-bit versions with contexts of their own, and versions that only
//! changed their names.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::*;
use std::ffi::c_void;

pub const TESTS: &[Test] = &[
    ("forms/memory_below_4_gib", memory),
    ("forms/a_kernel_there", kernel),
    ("forms/boxes_and_arrays", boxes),
    ("forms/a_context_takes_one_kind", one_kind),
    ("forms/questions_about_devices", devices),
    ("forms/names_alone", names),
    ("forms/captures_and_graphs", graphs),
];

const LOW_END: u64 = 1 << 32;

/// Creates a 32-bit context and makes it current.
fn narrow(gpu: &Gpu) -> Result<CUcontext, Outcome> {
    let mut context = CUcontext::NULL;
    match cu!(gpu.cuCtxCreate(&mut context, 0, 0)) {
        // NVIDIA's driver returns OUT_OF_MEMORY on some machines, even if much memory is free.
        CUresult::NOT_SUPPORTED | CUresult::OUT_OF_MEMORY => {
            Err(Outcome::Skipped("no contexts of 32 bits".into()))
        }
        result => Ok(result.ok().map(|()| context)?),
    }
}

fn alloc(gpu: &Gpu, bytes: u32) -> Result<CUdeviceptr_v1, Outcome> {
    let mut address = CUdeviceptr_v1(u32::MAX);
    match cu!(gpu.cuMemAlloc(&mut address, bytes)) {
        // Memory below 4 GiB may not exist, for example where the node's memory moves.
        CUresult::OUT_OF_MEMORY => Err(Outcome::Skipped("there is no memory below 4 GiB".into())),
        result => Ok(result.ok().map(|()| address)?),
    }
}

fn read(gpu: &Gpu, from: CUdeviceptr_v1, count: usize) -> Result<Vec<u32>, Outcome> {
    let mut data = vec![0u32; count];
    cu!(gpu.cuMemcpyDtoH(data.as_mut_ptr().cast(), from, count as u32 * 4)).ok()?;
    Ok(data)
}

fn memory(gpu: &Gpu) -> Done {
    let context = narrow(gpu)?;
    let mut version = 0;
    cu!(gpu.cuCtxGetApiVersion(context, &mut version)).ok()?;
    same("the context's version", version, 3010)?;
    let (one, other, large) = (alloc(gpu, 1024)?, alloc(gpu, 1024)?, alloc(gpu, 5 << 20)?);
    same("three blocks", one != other && other != large, true)?;
    let data = [1u32, 2, 3, 4];
    cu!(gpu.cuMemcpyHtoD(one, data.as_ptr().cast(), 16)).ok()?;
    cu!(gpu.cuMemcpyDtoD(other, one, 16)).ok()?;
    same("what was copied", read(gpu, other, 4)?, data.to_vec())?;
    cu!(gpu.cuMemsetD32(one, 7, 2)).ok()?;
    cu!(gpu.cuMemsetD8(CUdeviceptr_v1(one.0 + 8), 9, 4)).ok()?;
    same("what was filled", read(gpu, one, 4)?, vec![7, 7, 0x0909_0909, 4])?;
    let (mut base, mut bytes) = (CUdeviceptr_v1(0), 0);
    cu!(gpu.cuMemGetAddressRange(&mut base, &mut bytes, CUdeviceptr_v1(large.0 + 100))).ok()?;
    same("the block around an address", (base, bytes), (large, 5 << 20))?;
    let (mut pitched, mut pitch) = (CUdeviceptr_v1(0), 0);
    cu!(gpu.cuMemAllocPitch(&mut pitched, &mut pitch, 100, 10, 4)).ok()?;
    same("a pitch", pitch >= 100 && pitched.0 != 0, true)?;
    let (mut free, mut total) = (0, 0);
    cu!(gpu.cuMemGetInfo(&mut free, &mut total)).ok()?;
    same("free of all", free > 0 && free <= total, true)?;
    let mut pinned: *mut c_void = std::ptr::null_mut();
    cu!(gpu.cuMemAllocHost(&mut pinned, 4096)).ok()?;
    cu!(gpu.cuMemcpyDtoHAsync(pinned, one, 8, CUstream::NULL)).ok()?;
    gpu.synchronize().ok()?;
    // SAFETY: the new memory has this size.
    same("copied to pinned memory", unsafe { pinned.cast::<[u32; 2]>().read() }, [7, 7])?;
    cu!(gpu.cuMemFreeHost(pinned)).ok()?;
    for block in [one, other, large, pitched] {
        cu!(gpu.cuMemFree(block)).ok()?;
    }
    same("freed again", cu!(gpu.cuMemFree(large)), CUresult::INVALID_VALUE)
}

fn kernel(gpu: &Gpu) -> Done {
    narrow(gpu)?;
    let memory = alloc(gpu, 4096)?;
    cu!(gpu.cuMemsetD32(memory, 5, 1000)).ok()?;
    let add = gpu.function(gpu.module()?, "add")?;
    gpu.launch(add, (4, 256), CUstream::NULL, memory.0.into(), &[1000, 3]).ok()?;
    gpu.synchronize().ok()?;
    same("what the kernel made of it", read(gpu, memory, 1000)?, vec![8; 1000])
}

fn boxes(gpu: &Gpu) -> Done {
    narrow(gpu)?;
    let memory = alloc(gpu, 4096)?;
    let data: Vec<u32> = (0..64).collect();
    // SAFETY: all-zero bytes are valid for a struct of numbers and pointers.
    let mut copy: CUDA_MEMCPY2D_v1 = unsafe { std::mem::zeroed() };
    (copy.srcMemoryType, copy.srcHost, copy.srcPitch) =
        (values::MEMORYTYPE_HOST, data.as_ptr().cast(), 32);
    (copy.dstMemoryType, copy.dstDevice, copy.dstPitch) = (values::MEMORYTYPE_DEVICE, memory, 64);
    (copy.WidthInBytes, copy.Height) = (16, 4);
    cu!(gpu.cuMemcpy2D(&copy)).ok()?;
    same("the second row", read(gpu, CUdeviceptr_v1(memory.0 + 64), 4)?, vec![8, 9, 10, 11])?;
    let mut array = CUarray::NULL;
    let asked = CUDA_ARRAY_DESCRIPTOR_v1 {
        Width: 16,
        Height: 0,
        Format: values::FORMAT_UNSIGNED_INT32,
        NumChannels: 1,
    };
    cu!(gpu.cuArrayCreate(&mut array, &asked)).ok()?;
    let mut found = CUDA_ARRAY_DESCRIPTOR_v1 { Width: 0, Height: 9, Format: 0, NumChannels: 0 };
    cu!(gpu.cuArrayGetDescriptor(&mut found, array)).ok()?;
    same("the array", (found.Width, found.Height, found.NumChannels), (16, 0, 1))?;
    let mut back = [0u32; 16];
    cu!(gpu.cuMemcpyHtoA(array, 0, data.as_ptr().cast(), 64)).ok()?;
    cu!(gpu.cuMemcpyAtoH(back.as_mut_ptr().cast(), array, 16, 32)).ok()?;
    same("from the array", back[..8].to_vec(), (4..12).collect::<Vec<u32>>())?;
    cu!(gpu.cuMemcpyAtoD(memory, array, 0, 64)).ok()?;
    same("from the array to memory", read(gpu, memory, 16)?, data[..16].to_vec())?;
    Ok(cu!(gpu.cuArrayDestroy(array)).ok()?)
}

fn one_kind(gpu: &Gpu) -> Done {
    let (mut address, mut low) = (0, CUdeviceptr_v1(1));
    let (mut free, mut total) = (0, 0);
    let wide = gpu.alloc(64)?;
    let context = narrow(gpu)?;
    let later = [
        cu!(gpu.cuMemAlloc_v2(&mut address, 64)),
        cu!(gpu.cuMemGetInfo_v2(&mut free, &mut total)),
        cu!(gpu.cuMemsetD32_v2(wide, 0, 1)),
        cu!(gpu.cuMemFree_v2(wide)),
    ];
    same("later forms in a context of 32 bits", later, [CUresult::INVALID_CONTEXT; 4])?;
    let mut popped = CUcontext::NULL;
    cu!(gpu.cuCtxPopCurrent(&mut popped)).ok()?;
    same("what was current", popped, context)?;
    let (mut free, mut total) = (0, 0);
    let older = [
        cu!(gpu.cuMemAlloc(&mut low, 64)),
        cu!(gpu.cuMemGetInfo(&mut free, &mut total)),
        cu!(gpu.cuMemsetD32(CUdeviceptr_v1(4096), 0, 1)),
        cu!(gpu.cuMemFree(CUdeviceptr_v1(4096))),
    ];
    same("older forms in any other", older, [CUresult::INVALID_CONTEXT; 4])?;
    gpu.write(wide, &[1, 2])?;
    cu!(gpu.cuCtxPushCurrent(context)).ok()?;
    Ok(cu!(gpu.cuCtxDestroy(context)).ok()?)
}

fn devices(gpu: &Gpu) -> Done {
    let (mut wide, mut narrow) = (0usize, 0u32);
    match cu!(gpu.cuDeviceTotalMem(&mut narrow, 0)) {
        CUresult::NOT_SUPPORTED => return Err(Outcome::Skipped("no older forms".into())),
        result => result.ok()?,
    }
    cu!(gpu.cuDeviceTotalMem_v2(&mut wide, 0)).ok()?;
    same("as much as 32 bits can say", u64::from(narrow), (wide as u64).min(LOW_END - 1))?;
    // SAFETY: all-zero bytes are valid for a struct of numbers.
    let mut properties: CUdevprop = unsafe { std::mem::zeroed() };
    cu!(gpu.cuDeviceGetProperties(&mut properties, 0)).ok()?;
    same("threads", properties.maxThreadsPerBlock, gpu.attribute(1)?)?;
    same("the grid's last dimension", properties.maxGridSize[2], gpu.attribute(7)?)?;
    same("the warp", properties.SIMDWidth, 32)?;
    same("the clock", properties.clockRate, gpu.attribute(13)?)?;
    same("no device", cu!(gpu.cuDeviceGetProperties(&mut properties, 99)), CUresult::INVALID_DEVICE)
}

fn names(gpu: &Gpu) -> Done {
    let (stream, event) = (gpu.stream(0)?, gpu.event(0)?);
    match cu!(gpu.cuStreamDestroy(stream)) {
        CUresult::NOT_SUPPORTED => return Err(Outcome::Skipped("no older forms".into())),
        result => result.ok()?,
    }
    cu!(gpu.cuEventDestroy(event)).ok()?;
    let mut link = CUlinkState::NULL;
    cu!(gpu.cuLinkCreate(0, std::ptr::null_mut(), std::ptr::null_mut(), &mut link)).ok()?;
    cu!(gpu.cuLinkDestroy(link)).ok()?;
    let mut pages = vec![0u8; 16384];
    let page = pages.as_mut_ptr().map_addr(|address| address.next_multiple_of(4096)).cast();
    cu!(gpu.cuMemHostRegister(page, 4096, 0)).ok()?;
    Ok(cu!(gpu.cuMemHostUnregister(page)).ok()?)
}

fn graphs(gpu: &Gpu) -> Done {
    let (stream, memory) = (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.alloc(64)?);
    match cu!(gpu.cuStreamBeginCapture(stream)) {
        CUresult::NOT_SUPPORTED => return Err(Outcome::Skipped("no older forms".into())),
        result => result.ok()?,
    }
    cu!(gpu.cuMemsetD32Async(memory, 6, 4, stream)).ok()?;
    let graph = gpu.end_capture(stream)?;
    let (mut exec, mut node) = (CUgraphExec::NULL, CUgraphNode::NULL);
    cu!(gpu.cuGraphInstantiate(&mut exec, graph, &mut node, std::ptr::null_mut(), 0)).ok()?;
    gpu.replay(exec, stream)?;
    let found = gpu.read(memory, 4)?;
    if found == [6; 4] { Ok(()) } else { fail(format!("found {found:?}")) }
}

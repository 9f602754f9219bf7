//! Memory pools that two processes share. The second process is this program in a role.

use super::Test;
use super::ipc::{from_hex, given, hex, role, run};
use crate::gpu::{Done, Gpu, Outcome, cu, same};
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::Stdio;

pub const TESTS: &[Test] = &[
    ("shared_pool/memory_of_another_process", of_another),
    ("shared_pool/in_its_own_process", own),
    ("shared_pool/what_cannot_be_shared", not_shared),
    ("shared_pool/an_imported_pool_gives_nothing_by_itself", imported),
];

const POSIX_FILE_DESCRIPTOR: i32 = values::MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

fn create(gpu: &Gpu, handle_types: i32) -> Result<CUmemoryPool, Outcome> {
    const SUPPORTED: i32 = 119;
    if gpu.attribute(SUPPORTED)? & POSIX_FILE_DESCRIPTOR == 0 {
        return Err(Outcome::Skipped("pools have no descriptors".into()));
    }
    let mut pool = CUmemoryPool::NULL;
    let properties = CUmemPoolProps {
        allocType: values::MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: handle_types,
        location: CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: 0 },
        win32SecurityAttributes: std::ptr::null_mut(),
        maxSize: 0,
        usage: 0,
        reserved: [0; 54],
    };
    cu!(gpu.cuMemPoolCreate(&mut pool, &properties)).ok()?;
    Ok(pool)
}

fn alloc(
    gpu: &Gpu,
    pool: CUmemoryPool,
    bytes: usize,
    stream: CUstream,
) -> Result<CUdeviceptr, Outcome> {
    let mut address = 0;
    cu!(gpu.cuMemAllocFromPoolAsync(&mut address, bytes, pool, stream)).ok()?;
    Ok(address)
}

fn export(gpu: &Gpu, pool: CUmemoryPool) -> Result<OwnedFd, CUresult> {
    let mut descriptor: i32 = -1;
    cu!(gpu.cuMemPoolExportToShareableHandle(
        (&raw mut descriptor).cast(),
        pool,
        POSIX_FILE_DESCRIPTOR,
        0
    ))
    .ok()?;
    // SAFETY: the driver created the descriptor for this process.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn import(gpu: &Gpu, descriptor: i32) -> Result<CUmemoryPool, CUresult> {
    let mut pool = CUmemoryPool::NULL;
    let number: *mut c_void = std::ptr::without_provenance_mut(descriptor as usize);
    cu!(gpu.cuMemPoolImportFromShareableHandle(&mut pool, number, POSIX_FILE_DESCRIPTOR, 0))
        .ok()
        .map(|()| pool)
}

fn export_pointer(gpu: &Gpu, address: CUdeviceptr) -> Result<CUmemPoolPtrExportData, CUresult> {
    let mut data = CUmemPoolPtrExportData { reserved: [0; 64] };
    cu!(gpu.cuMemPoolExportPointer(&mut data, address)).ok().map(|()| data)
}

fn pattern(first: u32, count: usize) -> Vec<u32> {
    (first..).take(count).collect()
}

fn of_another(gpu: &Gpu) -> Done {
    let (pool, stream) =
        (create(gpu, POSIX_FILE_DESCRIPTOR)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    for (count, first) in [(250, 1), (1 << 20, 2)] {
        let (memory, behind) =
            (alloc(gpu, pool, count * 4, stream)?, alloc(gpu, pool, count * 4, stream)?);
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        gpu.write(memory, &pattern(first, count))?;
        gpu.write(behind, &pattern(first, count))?;
        gpu.synchronize().ok()?;
        // NVIDIA's driver exports a pool's memory only after the pool itself was exported.
        let (descriptor, data) = (export(gpu, pool)?, export_pointer(gpu, memory)?);
        let arguments = [
            hex(&CUipcMemHandle { reserved: data.reserved }),
            count.to_string(),
            first.to_string(),
        ];
        run(role(gpu, "shared_pool/importer", &arguments).stdin(Stdio::from(descriptor)))?;
        same("what the other wrote", gpu.read(memory, count)? == pattern(first + 1, count), true)?;
        same("a neighbour", gpu.read(behind, count)? == pattern(first, count), true)?;
        cu!(gpu.cuMemFreeAsync(memory, stream)).ok()?;
        cu!(gpu.cuMemFreeAsync(behind, stream)).ok()?;
    }
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    Ok(cu!(gpu.cuMemPoolDestroy(pool)).ok()?)
}

/// Imports the pool whose descriptor is on standard input.
pub fn importer(gpu: &Gpu, arguments: &[&str]) -> Done {
    let [text, count, first] = arguments else { return crate::gpu::fail("data, count, first") };
    let (count, first) = (count.parse().unwrap_or(0), first.parse().unwrap_or(0));
    let (pool, mut address) = (import(gpu, given()?)?, 0);
    let mut data = CUmemPoolPtrExportData { reserved: from_hex(text).reserved };
    cu!(gpu.cuMemPoolImportPointer(&mut address, pool, &mut data)).ok()?;
    same("what the owner wrote", gpu.read(address, count)? == pattern(first, count), true)?;
    let (add, stream) =
        (gpu.function(gpu.module()?, "add")?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    gpu.launch(add, ((count as u32).div_ceil(256), 256), stream, address, &[count as u32, 1])
        .ok()?;
    cu!(gpu.cuMemFreeAsync(address, stream)).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    Ok(cu!(gpu.cuMemPoolDestroy(pool)).ok()?)
}

fn own(gpu: &Gpu) -> Done {
    use std::os::fd::AsRawFd;
    let (pool, stream) =
        (create(gpu, POSIX_FILE_DESCRIPTOR)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let memory = alloc(gpu, pool, 4096, stream)?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    let (imported, mut again) = (import(gpu, export(gpu, pool)?.as_raw_fd())?, 0);
    cu!(gpu.cuMemPoolImportPointer(&mut again, imported, &mut export_pointer(gpu, memory)?))
        .ok()?;
    same("another address", again == memory, false)?;
    gpu.write(memory, &[1, 2, 3])?;
    gpu.synchronize().ok()?;
    same("one memory", gpu.read(again, 3)?, vec![1, 2, 3])?;
    cu!(gpu.cuMemFree_v2(again)).ok()?;
    same("still the pool's", gpu.read(memory, 3)?, vec![1, 2, 3])
}

fn not_shared(gpu: &Gpu) -> Done {
    let (private, shared, stream) = (
        create(gpu, 0)?,
        create(gpu, POSIX_FILE_DESCRIPTOR)?,
        gpu.stream(values::STREAM_NON_BLOCKING)?,
    );
    let mut default = CUmemoryPool::NULL;
    cu!(gpu.cuDeviceGetDefaultMemPool(&mut default, 0)).ok()?;
    let (of_private, of_shared) =
        (alloc(gpu, private, 1024, stream)?, alloc(gpu, shared, 1024, stream)?);
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    let pools = [export(gpu, private).err(), export(gpu, default).err()];
    same(
        "a pool that was not made for it, and the default one",
        pools,
        [Some(CUresult::INVALID_VALUE); 2],
    )?;
    let pointers = [of_private, of_shared + 16, gpu.alloc(64)?]
        .map(|address| export_pointer(gpu, address).err());
    same(
        "memory of such a pool, the middle of a block, memory of none",
        pointers,
        [Some(CUresult::INVALID_VALUE); 3],
    )?;
    let nothing = std::fs::File::open("/dev/null").map_err(|e| Outcome::Failed(e.to_string()))?;
    use std::os::fd::AsRawFd;
    same("a file", import(gpu, nothing.as_raw_fd()).is_err(), true)
}

fn imported(gpu: &Gpu) -> Done {
    use std::os::fd::AsRawFd;
    let (pool, stream) =
        (create(gpu, POSIX_FILE_DESCRIPTOR)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let (imported, mut address, mut value) =
        (import(gpu, export(gpu, pool)?.as_raw_fd())?, 0, 0u64);
    let refused = [
        cu!(gpu.cuMemAllocFromPoolAsync(&mut address, 64, imported, stream)),
        cu!(gpu.cuDeviceSetMemPool(0, imported)),
        cu!(gpu.cuMemPoolGetAttribute(imported, 7, (&raw mut value).cast())),
        cu!(gpu.cuMemPoolTrimTo(imported, 0)),
    ];
    same(
        "an allocation, the device's pool, an attribute, a trim",
        refused,
        [CUresult::INVALID_VALUE; 4],
    )?;
    Ok(cu!(gpu.cuMemPoolDestroy(imported)).ok()?)
}

//! Devices, versions, function lookup, and errors.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, fail, same};
use outhaul_abi::types::*;
use std::ffi::{CStr, CString, c_char, c_void};

pub const TESTS: &[Test] = &[
    ("device/identity_is_stable", identity),
    ("device/pci_address_without_function", pci_address),
    ("device/questions_need_no_context", questions_without_context),
    ("device/is_no_peer_of_itself", no_peer_of_itself),
    ("device/peers_that_are_none", peers_that_are_none),
    ("device/graphs_hold_no_memory", graph_memory),
    ("device/ordinals_end", ordinals),
    ("device/attributes_hang_together", attributes),
    ("device/error_names", error_names),
    ("device/proc_address_by_version", proc_address),
    ("device/proc_address_of_nothing", proc_address_unknown),
    ("device/export_tables", export_tables),
];

fn identity(gpu: &Gpu) -> Done {
    let (mut a, mut b) = (CUuuid::default(), CUuuid::default());
    let mut bus = [0 as c_char; 32];
    let mut found = -1;
    // SAFETY: all out-pointers refer to locals of the lengths passed.
    unsafe {
        gpu.driver.cuDeviceGetUuid(&mut a, 0).ok()?;
        gpu.driver.cuDeviceGetUuid_v2(&mut b, 0).ok()?;
        gpu.driver.cuDeviceGetPCIBusId(bus.as_mut_ptr(), 32, 0).ok()?;
        gpu.driver.cuDeviceGetByPCIBusId(&mut found, bus.as_ptr()).ok()?;
    }
    same("the UUID", a, b)?;
    same("the device at its own PCI address", found, 0)
}

fn pci_address(gpu: &Gpu) -> Done {
    let mut bus = [0 as c_char; 32];
    let mut found = -1;
    // SAFETY: all out-pointers refer to locals of the lengths passed.
    unsafe {
        gpu.driver.cuDeviceGetPCIBusId(bus.as_mut_ptr(), 32, 0).ok()?;
        let dot = bus.iter().position(|c| *c as u8 == b'.').unwrap_or(0);
        bus[dot] = 0;
        gpu.driver.cuDeviceGetByPCIBusId(&mut found, bus.as_ptr()).ok()?;
        same("domain, bus and device", found, 0)
    }
}

fn questions_without_context(gpu: &Gpu) -> Done {
    const VIRTUAL_MEMORY_MANAGEMENT: i32 = 102;
    let properties = CUmemAllocationProp {
        type_: values::MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: 0,
        location: CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: 0 },
        win32HandleMetaData: std::ptr::null_mut(),
        compressionType: 0,
        gpuDirectRDMACapable: 0,
        usage: 0,
        reserved: [0; 4],
    };
    let managed = gpu.attribute(VIRTUAL_MEMORY_MANAGEMENT)? != 0;
    let (mut total, mut page) = (0, 0);
    // SAFETY: all out-pointers refer to locals, and the driver reads the properties during the
    // call.
    unsafe {
        gpu.driver.cuCtxSetCurrent(CUcontext::NULL).ok()?;
        gpu.driver.cuDeviceTotalMem_v2(&mut total, 0).ok()?;
        if managed {
            gpu.driver.cuMemGetAllocationGranularity(&mut page, &properties, 0).ok()?;
            same("the granularity is a power of two", page.is_power_of_two(), true)?;
        }
    }
    Ok(())
}

fn no_peer_of_itself(gpu: &Gpu) -> Done {
    const ACCESS_SUPPORTED: i32 = 2;
    let mut value = 0;
    // SAFETY: the out-pointer refers to a local.
    let code = unsafe { gpu.driver.cuDeviceGetP2PAttribute(&mut value, ACCESS_SUPPORTED, 0, 0) };
    same("a device and itself", code, CUresult::INVALID_DEVICE)
}

fn peers_that_are_none(gpu: &Gpu) -> Done {
    let mut own = CUcontext::NULL;
    // SAFETY: the out-pointer refers to a local.
    unsafe {
        gpu.driver.cuCtxGetCurrent(&mut own).ok()?;
        same(
            "a context and itself",
            gpu.driver.cuCtxEnablePeerAccess(own, 0),
            CUresult::PEER_ACCESS_UNSUPPORTED,
        )?;
        same(
            "no context",
            gpu.driver.cuCtxEnablePeerAccess(CUcontext::NULL, 0),
            CUresult::INVALID_CONTEXT,
        )
    }
}

fn graph_memory(gpu: &Gpu) -> Done {
    const USED_NOW: i32 = 0;
    let mut bytes = u64::MAX;
    // SAFETY: the out-pointer refers to a local.
    let code =
        unsafe { gpu.driver.cuDeviceGetGraphMemAttribute(0, USED_NOW, (&raw mut bytes).cast()) };
    if code == CUresult::NOT_SUPPORTED {
        return Err(Outcome::Skipped("graphs that allocate are not supported".into()));
    }
    code.ok()?;
    same("memory of graphs", bytes, 0)
}

fn ordinals(gpu: &Gpu) -> Done {
    let (mut count, mut device) = (0, 0);
    // SAFETY: all out-pointers refer to locals.
    unsafe {
        gpu.driver.cuDeviceGetCount(&mut count).ok()?;
        same("past the end", gpu.driver.cuDeviceGet(&mut device, count), CUresult::INVALID_DEVICE)?;
        same("before the start", gpu.driver.cuDeviceGet(&mut device, -1), CUresult::INVALID_DEVICE)
    }
}

fn attributes(gpu: &Gpu) -> Done {
    const MAX_THREADS: i32 = 1;
    const WARP: i32 = 10;
    const UNIFIED_ADDRESSING: i32 = 41;
    const NOT_AN_ATTRIBUTE: i32 = 100_000;
    same("a warp", gpu.attribute(WARP)?, 32)?;
    same("threads in whole warps", gpu.attribute(MAX_THREADS)? % 32, 0)?;
    same("unified addressing", gpu.attribute(UNIFIED_ADDRESSING)?, 1)?;
    let mut value = 0;
    // SAFETY: the out-pointer refers to a local.
    same(
        "no such attribute",
        unsafe { gpu.driver.cuDeviceGetAttribute(&mut value, NOT_AN_ATTRIBUTE, 0) },
        CUresult::INVALID_VALUE,
    )
}

fn error_names(gpu: &Gpu) -> Done {
    let mut text: *const c_char = std::ptr::null();
    // SAFETY: the out-pointer refers to a local. On success the driver stores a pointer to a C
    // string.
    unsafe {
        gpu.driver.cuGetErrorName(CUresult::OUT_OF_MEMORY, &mut text).ok()?;
        same("the name of 2", CStr::from_ptr(text), c"CUDA_ERROR_OUT_OF_MEMORY")?;
        gpu.driver.cuGetErrorString(CUresult::INVALID_VALUE, &mut text).ok()?;
        same("the text of 1", CStr::from_ptr(text), c"invalid argument")?;
        same(
            "a code that does not exist",
            gpu.driver.cuGetErrorName(CUresult(4242), &mut text),
            CUresult::INVALID_VALUE,
        )
    }
}

fn lookup(
    gpu: &Gpu,
    name: &str,
    version: i32,
    flags: u64,
) -> Result<(CUresult, usize, i32), crate::gpu::Outcome> {
    let name = CString::new(name).expect("no NUL");
    let (mut address, mut status): (*mut c_void, i32) = (std::ptr::null_mut(), -1);
    // SAFETY: the name is a C string, and all out-pointers refer to locals.
    let code = unsafe {
        gpu.driver.cuGetProcAddress_v2(name.as_ptr(), &mut address, version, flags, &mut status)
    };
    Ok((code, address as usize, status))
}

fn proc_address(gpu: &Gpu) -> Done {
    const PER_THREAD: u64 = 2;
    let (code, legacy, status) = lookup(gpu, "cuLaunchKernel", 4000, 0)?;
    same("cuLaunchKernel", (code, status), (CUresult::SUCCESS, 0))?;
    let (_, per_thread, _) = lookup(gpu, "cuLaunchKernel", 7000, PER_THREAD)?;
    if legacy == 0 || per_thread == 0 || legacy == per_thread {
        return fail("the two flavours of cuLaunchKernel are the same function");
    }
    let (_, four_arguments, _) = lookup(gpu, "cuGetProcAddress", 11030, 0)?;
    let (_, five_arguments, _) = lookup(gpu, "cuGetProcAddress", 12000, 0)?;
    if four_arguments == five_arguments {
        return fail("the two versions of cuGetProcAddress are the same function");
    }
    Ok(())
}

fn proc_address_unknown(gpu: &Gpu) -> Done {
    let (code, address, status) = lookup(gpu, "cuNoSuchThing", 12000, 0)?;
    same("an unknown name", (code, address, status), (CUresult::SUCCESS, 0, 1))?;
    let (_, address, status) = lookup(gpu, "cuLibraryLoadData", 11000, 0)?;
    same("a version before the function", (address, status), (0, 2))
}

fn export_tables(gpu: &Gpu) -> Done {
    let needed = CUuuid {
        bytes: [
            0x6B, 0xD5, 0xFB, 0x6C, 0x5B, 0xF4, 0xE7, 0x4A, 0x89, 0x87, 0xD9, 0x39, 0x12, 0xFD,
            0x9D, 0xF9,
        ],
    };
    let unknown = CUuuid { bytes: [0x5A; 16] };
    let mut table = std::ptr::null();
    // SAFETY: all out-pointers refer to locals.
    unsafe {
        gpu.driver.cuGetExportTable(&mut table, &needed).ok()?;
        same("a table", table.is_null(), false)?;
        match gpu.driver.cuGetExportTable(&mut table, &unknown) {
            CUresult::SUCCESS => fail("an unknown table is served"),
            _ => Ok(()),
        }
    }
}

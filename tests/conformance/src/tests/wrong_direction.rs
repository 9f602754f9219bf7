//! Copies whose direction does not fit their pointers: each gives an error or what the driver
//! guesses, and never ends the program or the work of later calls.

use super::Test;
use super::array::zeroed;
use crate::gpu::{Done, Gpu, cu, fail, same};
use outhaul_abi::types::*;
use std::ffi::c_void;

pub const TESTS: &[Test] = &[
    ("wrong/direction_of_flat_copies", flat),
    ("wrong/direction_of_boxes", boxes),
    ("wrong/direction_of_copies_with_arrays", arrays),
    ("wrong/addresses_that_are_nowhere", nowhere),
    ("wrong/variables_that_only_kernels_know", unknown_variable),
];

const BYTES: usize = 64;

/// Memory of each kind.
struct Places {
    device: CUdeviceptr,
    pageable: Vec<u64>,
    pinned: &'static mut [u32],
    variable: CUdeviceptr,
    freed: CUdeviceptr,
}

impl Places {
    fn new(gpu: &Gpu) -> Result<Places, crate::gpu::Outcome> {
        let (mut variable, mut bytes) = (0, 0);
        let module = gpu.module()?;
        let name = c"counter".as_ptr();
        cu!(gpu.cuModuleGetGlobal_v2(&mut variable, &mut bytes, module, name)).ok()?;
        let freed = gpu.alloc(4 << 20)?;
        cu!(gpu.cuMemFree_v2(freed)).ok()?;
        let (device, pinned) = (gpu.alloc(4096)?, gpu.pinned(BYTES)?);
        Ok(Places { device, pageable: vec![0; BYTES], pinned, variable, freed })
    }

    /// Addresses, each with a name and the bytes that are there.
    fn all(&mut self) -> [(&'static str, u64, usize); 6] {
        [
            ("device memory", self.device + 8, BYTES),
            ("pageable memory", self.pageable.as_mut_ptr() as u64, BYTES),
            ("pinned memory", self.pinned.as_mut_ptr() as u64, BYTES),
            ("a variable", self.variable, 4),
            ("freed memory", self.freed, BYTES),
            ("null", 0, BYTES),
        ]
    }
}

/// Fails unless the outcome is success or an error of this call, and the next calls succeed.
fn settled(gpu: &Gpu, what: &str, outcome: CUresult, device: CUdeviceptr) -> Done {
    let known = [CUresult::SUCCESS, CUresult::INVALID_VALUE, CUresult::NOT_SUPPORTED];
    if !known.contains(&outcome) {
        return fail(format!("{what}: {outcome}"));
    }
    same(&format!("a wait after {what}"), gpu.synchronize(), CUresult::SUCCESS)?;
    let fill = cu!(gpu.cuMemsetD32_v2(device, 7, 16));
    same(&format!("a fill after {what}"), fill, CUresult::SUCCESS)?;
    same(&format!("what is there after {what}"), gpu.read(device, 16)?, vec![7; 16])
}

fn flat(gpu: &Gpu) -> Done {
    let mut places = Places::new(gpu)?;
    let stream = gpu.stream(0)?;
    let device = places.device;
    let all = places.all();
    for (to_name, to, to_bytes) in all {
        for (from_name, from, from_bytes) in all {
            // Pageable memory is read by null's address natively too: both ends must be there.
            let bytes = to_bytes.min(from_bytes);
            let (to_host, from_host) = (to as *mut c_void, from as *const c_void);
            let context = gpu.context;
            let copies: [(&str, CUresult); 10] = [
                ("cuMemcpy", cu!(gpu.cuMemcpy(to, from, bytes))),
                ("cuMemcpyAsync", cu!(gpu.cuMemcpyAsync(to, from, bytes, stream))),
                ("cuMemcpyHtoD", cu!(gpu.cuMemcpyHtoD_v2(to, from_host, bytes))),
                ("cuMemcpyHtoDAsync", cu!(gpu.cuMemcpyHtoDAsync_v2(to, from_host, bytes, stream))),
                ("cuMemcpyDtoH", cu!(gpu.cuMemcpyDtoH_v2(to_host, from, bytes))),
                ("cuMemcpyDtoHAsync", cu!(gpu.cuMemcpyDtoHAsync_v2(to_host, from, bytes, stream))),
                ("cuMemcpyDtoD", cu!(gpu.cuMemcpyDtoD_v2(to, from, bytes))),
                ("cuMemcpyDtoDAsync", cu!(gpu.cuMemcpyDtoDAsync_v2(to, from, bytes, stream))),
                ("cuMemcpyPeer", cu!(gpu.cuMemcpyPeer(to, context, from, context, bytes))),
                (
                    "cuMemcpyPeerAsync",
                    cu!(gpu.cuMemcpyPeerAsync(to, context, from, context, bytes, stream)),
                ),
            ];
            for (function, outcome) in copies {
                let what = format!("{function} from {from_name} to {to_name}");
                settled(gpu, &what, outcome, device)?;
            }
        }
    }
    Ok(())
}

fn boxes(gpu: &Gpu) -> Done {
    let mut places = Places::new(gpu)?;
    let stream = gpu.stream(0)?;
    let device = places.device;
    let kinds = [
        values::MEMORYTYPE_HOST,
        values::MEMORYTYPE_DEVICE,
        values::MEMORYTYPE_UNIFIED,
        values::MEMORYTYPE_HOST + 8,
    ];
    let all = places.all();
    for (to_name, to, to_bytes) in all {
        for (from_name, from, from_bytes) in all {
            for (to_kind, from_kind) in kinds.iter().flat_map(|a| kinds.map(|b| (*a, b))) {
                let is_one_word = to_bytes.min(from_bytes) == 4;
                let (width, rows) = if is_one_word { (4, 1) } else { (12, 4) };
                let copy = CUDA_MEMCPY2D {
                    dstMemoryType: to_kind,
                    dstHost: to as *mut c_void,
                    dstDevice: to,
                    srcMemoryType: from_kind,
                    srcHost: from as *const c_void,
                    srcDevice: from,
                    srcPitch: 16,
                    dstPitch: 16,
                    WidthInBytes: width,
                    Height: rows,
                    ..zeroed()
                };
                let volume = CUDA_MEMCPY3D {
                    dstMemoryType: to_kind,
                    dstHost: to as *mut c_void,
                    dstDevice: to,
                    srcMemoryType: from_kind,
                    srcHost: from as *const c_void,
                    srcDevice: from,
                    srcPitch: 16,
                    dstPitch: 16,
                    srcHeight: rows,
                    dstHeight: rows,
                    WidthInBytes: width,
                    Height: rows,
                    Depth: 1,
                    ..zeroed()
                };
                let outcomes = [
                    ("cuMemcpy2D", cu!(gpu.cuMemcpy2D_v2(&copy))),
                    ("cuMemcpy2DUnaligned", cu!(gpu.cuMemcpy2DUnaligned_v2(&copy))),
                    ("cuMemcpy2DAsync", cu!(gpu.cuMemcpy2DAsync_v2(&copy, stream))),
                    ("cuMemcpy3D", cu!(gpu.cuMemcpy3D_v2(&volume))),
                    ("cuMemcpy3DAsync", cu!(gpu.cuMemcpy3DAsync_v2(&volume, stream))),
                ];
                for (function, outcome) in outcomes {
                    let what = format!(
                        "{function} from {from_name} as kind {from_kind} to {to_name} as {to_kind}"
                    );
                    settled(gpu, &what, outcome, device)?;
                }
            }
        }
    }
    Ok(())
}

fn arrays(gpu: &Gpu) -> Done {
    let mut places = Places::new(gpu)?;
    let stream = gpu.stream(0)?;
    let device = places.device;
    let description = CUDA_ARRAY_DESCRIPTOR { Width: 64, Height: 0, Format: 1, NumChannels: 1 };
    let mut array = CUarray::NULL;
    cu!(gpu.cuArrayCreate_v2(&mut array, &description)).ok()?;
    for (name, address, bytes) in places.all() {
        let (to, from) = (address as *mut c_void, address as *const c_void);
        let outcomes = [
            ("cuMemcpyHtoA", cu!(gpu.cuMemcpyHtoA_v2(array, 0, from, bytes))),
            ("cuMemcpyHtoAAsync", cu!(gpu.cuMemcpyHtoAAsync_v2(array, 0, from, bytes, stream))),
            ("cuMemcpyAtoH", cu!(gpu.cuMemcpyAtoH_v2(to, array, 0, bytes))),
            ("cuMemcpyAtoHAsync", cu!(gpu.cuMemcpyAtoHAsync_v2(to, array, 0, bytes, stream))),
            ("cuMemcpyDtoA", cu!(gpu.cuMemcpyDtoA_v2(array, 0, address, bytes))),
            ("cuMemcpyAtoD", cu!(gpu.cuMemcpyAtoD_v2(address, array, 0, bytes))),
            ("cuMemcpyAtoD past the end", cu!(gpu.cuMemcpyAtoD_v2(address, array, 60, 64))),
        ];
        for (function, outcome) in outcomes {
            settled(gpu, &format!("{function} with {name}"), outcome, device)?;
        }
    }
    Ok(())
}

/// Addresses that no memory can have, and sizes beyond all memory, are refused at the call.
fn nowhere(gpu: &Gpu) -> Done {
    let device = gpu.alloc(4096)?;
    let mut host = [0u8; 64];
    let there = host.as_mut_ptr() as u64;
    for (address, bytes) in [
        (8, 64),
        (4095, 64),
        (u64::MAX - 8, 64),
        (1 << 63, 64),
        (0xdead_beef_dead_beef, 64),
        (there, usize::MAX),
        (there, usize::MAX / 2),
        (there, 1 << 50),
    ] {
        let outcomes = [
            ("HtoD", cu!(gpu.cuMemcpyHtoD_v2(device, address as *const c_void, bytes))),
            ("DtoH", cu!(gpu.cuMemcpyDtoH_v2(address as *mut c_void, device, bytes))),
            ("DtoD to it", cu!(gpu.cuMemcpyDtoD_v2(address, device, bytes))),
            ("DtoD from it", cu!(gpu.cuMemcpyDtoD_v2(device, address, bytes))),
            ("HtoD to it", cu!(gpu.cuMemcpyHtoD_v2(address, host.as_ptr().cast(), bytes))),
            ("a fill", cu!(gpu.cuMemsetD8_v2(address, 1, bytes))),
        ];
        for (what, outcome) in outcomes {
            let what = format!("{what}, {bytes} bytes at {address:#x}");
            same(&what, outcome, CUresult::INVALID_VALUE)?;
            settled(gpu, &what, outcome, device)?;
        }
    }
    Ok(())
}

/// A variable whose address the program has from a kernel is device memory, although the program
/// never asked the driver for it.
fn unknown_variable(gpu: &Gpu) -> Done {
    const TEXT: &std::ffi::CStr = c".version 6.4
.target sm_75
.address_size 64
.visible .global .align 4 .u32 hidden = 41;
.visible .entry where(.param .u64 p)
{
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [p];
    cvta.to.global.u64 %d1, %d0;
    mov.u64 %d2, hidden;
    cvta.global.u64 %d3, %d2;
    st.global.u64 [%d1], %d3;
    ret;
}
";
    let mut module = CUmodule::NULL;
    cu!(gpu.cuModuleLoadData(&mut module, TEXT.as_ptr().cast())).ok()?;
    let (function, place) = (gpu.function(module, "where")?, gpu.alloc(8)?);
    gpu.launch(function, (1, 1), CUstream::NULL, place, &[]).ok()?;
    let words = gpu.read(place, 2)?;
    let hidden = u64::from(words[0]) | u64::from(words[1]) << 32;
    same("what it holds", gpu.read(hidden, 1)?, vec![41])?;
    cu!(gpu.cuMemsetD32_v2(hidden, 6, 1)).ok()?;
    same("what it holds after a fill", gpu.read(hidden, 1)?, vec![6])?;
    let mut two = [0u32; 2048];
    let past = cu!(gpu.cuMemcpyDtoH_v2(two.as_mut_ptr().cast(), hidden, 8192));
    settled(gpu, "a copy past the variable's end", past, gpu.alloc(64)?)
}

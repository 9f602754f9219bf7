//! Wrong values of arguments: which code each call gives. The call itself gives the code, and the
//! next calls are not told of it. `codes.tsv` has the codes: from CUDA's documentation, or recorded
//! on a device by `conformance --codes`.

use super::Test;
use super::array::zeroed;
use crate::gpu::{Done, Gpu, Outcome, cu, fail};
use outhaul_abi::types::*;
use std::fmt::Write;
use std::ptr::{null, null_mut};

pub const TESTS: &[Test] = &[
    ("wrong/values_in_fills", |gpu| compare(gpu, "fill ")),
    ("wrong/values_in_copies", |gpu| compare(gpu, "copy ")),
    ("wrong/values_in_memory_functions", |gpu| compare(gpu, "memory ")),
    ("wrong/values_in_stream_functions", |gpu| compare(gpu, "stream ")),
    ("wrong/values_in_kernel_functions", |gpu| compare(gpu, "kernel ")),
    ("wrong/values_in_array_functions", |gpu| compare(gpu, "array ")),
    ("wrong/values_in_graph_functions", |gpu| compare(gpu, "graph ")),
    ("wrong/values_in_context_functions", |gpu| compare(gpu, "context ")),
];

/// Lines `name<tab>code<tab>source`. The source is `documented`, `device` or `stricter`: NVIDIA's
/// driver takes that call, and then the device faults and the context ends.
const CODES: &str = include_str!("../../codes.tsv");

/// Objects that the calls use.
struct Objects {
    memory: CUdeviceptr,
    host: Vec<u64>,
    stream: CUstream,
    event: CUevent,
    function: CUfunction,
    array: CUarray,
    mipmaps: CUmipmappedArray,
    graph: CUgraph,
    user_object: CUuserObject,
    pool: CUmemoryPool,
}

extern "C" fn nothing(_: *mut std::ffi::c_void) {}

impl Objects {
    fn new(gpu: &Gpu) -> Result<Objects, Outcome> {
        let line = CUDA_ARRAY_DESCRIPTOR { Width: 64, Height: 4, Format: 1, NumChannels: 1 };
        let levels = CUDA_ARRAY3D_DESCRIPTOR {
            Width: 64,
            Height: 64,
            Format: 1,
            NumChannels: 1,
            ..zeroed()
        };
        let mut o = Objects {
            memory: gpu.alloc(4096)?,
            host: vec![0; 512],
            stream: gpu.stream(0)?,
            event: gpu.event(0)?,
            function: gpu.function(gpu.module()?, "fill")?,
            array: CUarray::NULL,
            mipmaps: CUmipmappedArray::NULL,
            graph: CUgraph::NULL,
            user_object: CUuserObject::NULL,
            pool: CUmemoryPool::NULL,
        };
        cu!(gpu.cuArrayCreate_v2(&mut o.array, &line)).ok()?;
        cu!(gpu.cuMipmappedArrayCreate(&mut o.mipmaps, &levels, 3)).ok()?;
        cu!(gpu.cuGraphCreate(&mut o.graph, 0)).ok()?;
        cu!(gpu.cuUserObjectCreate(&mut o.user_object, null_mut(), Some(nothing), 1, 1)).ok()?;
        cu!(gpu.cuDeviceGetDefaultMemPool(&mut o.pool, 0)).ok()?;
        Ok(o)
    }

    /// Submits one memory operation, described by its first words.
    fn batch(&self, gpu: &Gpu, [head, address, value, flags]: [u64; 4]) -> CUresult {
        let words = [head, address, value, flags, 0, 0];
        let mut description = CUstreamBatchMemOpParams { words };
        cu!(gpu.cuStreamBatchMemOp_v2(self.stream, 1, &mut description, 0))
    }

    /// A copy between host and device whose rows have these pitches.
    fn rows(&self, host_pitch: usize, device_pitch: usize, width: usize) -> CUDA_MEMCPY2D {
        CUDA_MEMCPY2D {
            srcMemoryType: values::MEMORYTYPE_HOST,
            srcHost: self.host.as_ptr().cast(),
            srcPitch: host_pitch,
            dstMemoryType: values::MEMORYTYPE_DEVICE,
            dstDevice: self.memory,
            dstPitch: device_pitch,
            WidthInBytes: width,
            Height: 4,
            ..zeroed()
        }
    }
}

/// A call with a wrong argument.
type Call = (&'static str, fn(&Gpu, &mut Objects) -> CUresult);

/// The wrong calls, each with its name in the table.
const CALLS: &[Call] = &[
    ("fill 16 bits, misaligned", |g, o| cu!(g.cuMemsetD16_v2(o.memory + 1, 0, 4))),
    ("fill 32 bits, misaligned", |g, o| cu!(g.cuMemsetD32_v2(o.memory + 2, 0, 4))),
    ("fill 32 bits, misaligned, async", |g, o| {
        cu!(g.cuMemsetD32Async(o.memory + 1, 0, 4, o.stream))
    }),
    ("fill 8 bits, past the end", |g, o| cu!(g.cuMemsetD8_v2(o.memory, 0, 4097))),
    ("fill 32 bits, past the end", |g, o| cu!(g.cuMemsetD32_v2(o.memory, 0, 4096))),
    ("fill 32 bits, huge", |g, o| cu!(g.cuMemsetD32_v2(o.memory, 0, usize::MAX / 2))),
    ("fill null", |g, _| cu!(g.cuMemsetD8_v2(0, 0, 4))),
    ("fill host memory", |g, o| cu!(g.cuMemsetD8_v2(o.host.as_ptr() as u64, 0, 4))),
    ("fill rows of 32 bits, pitch 18", |g, o| cu!(g.cuMemsetD2D32_v2(o.memory, 18, 0, 4, 2))),
    ("fill rows of 32 bits, short pitch", |g, o| cu!(g.cuMemsetD2D32_v2(o.memory, 8, 0, 4, 2))),
    ("fill rows of 16 bits, odd pitch", |g, o| cu!(g.cuMemsetD2D16_v2(o.memory, 33, 0, 4, 2))),
    ("fill rows of 8 bits, short pitch", |g, o| cu!(g.cuMemsetD2D8_v2(o.memory, 8, 0, 16, 2))),
    ("fill rows of 8 bits, past the end", |g, o| cu!(g.cuMemsetD2D8_v2(o.memory, 1024, 0, 16, 9))),
    ("fill rows, misaligned, async", |g, o| {
        cu!(g.cuMemsetD2D32Async(o.memory + 1, 32, 0, 4, 2, o.stream))
    }),
    ("copy to the device, past the end", |g, o| {
        cu!(g.cuMemcpyHtoD_v2(o.memory + 4000, o.host.as_ptr().cast(), 200))
    }),
    ("copy to the host, past the end", |g, o| {
        cu!(g.cuMemcpyDtoH_v2(o.host.as_mut_ptr().cast(), o.memory + 4000, 200))
    }),
    ("copy on the device, past the end", |g, o| {
        cu!(g.cuMemcpyDtoDAsync_v2(o.memory, o.memory + 4000, 200, o.stream))
    }),
    ("copy to null", |g, o| cu!(g.cuMemcpyHtoD_v2(0, o.host.as_ptr().cast(), 8))),
    ("copy from null", |g, o| cu!(g.cuMemcpyHtoD_v2(o.memory, null(), 8))),
    ("copy rows, short host pitch", |g, o| cu!(g.cuMemcpy2D_v2(&o.rows(16, 64, 32)))),
    ("copy rows, short device pitch", |g, o| cu!(g.cuMemcpy2D_v2(&o.rows(64, 16, 32)))),
    ("copy rows, past the end, async", |g, o| {
        cu!(g.cuMemcpy2DAsync_v2(&o.rows(32, 2048, 32), o.stream))
    }),
    ("copy rows, unknown kind of memory", |g, o| {
        cu!(g.cuMemcpy2D_v2(&CUDA_MEMCPY2D { srcMemoryType: 77, ..o.rows(64, 64, 32) }))
    }),
    ("copy rows, huge offset", |g, o| {
        cu!(g.cuMemcpy2D_v2(&CUDA_MEMCPY2D { dstY: usize::MAX, ..o.rows(64, 64, 32) }))
    }),
    ("copy rows, no description", |g, _| cu!(g.cuMemcpy2D_v2(null()))),
    ("memory of no bytes", |g, _| cu!(g.cuMemAlloc_v2(&mut 0, 0))),
    ("memory of too many bytes", |g, _| cu!(g.cuMemAlloc_v2(&mut 0, 1 << 50))),
    ("memory without a place", |g, _| cu!(g.cuMemAlloc_v2(null_mut(), 64))),
    ("memory in rows of elements of 3 bytes", |g, _| {
        cu!(g.cuMemAllocPitch_v2(&mut 0, &mut 0, 64, 4, 3))
    }),
    ("memory freed inside", |g, o| cu!(g.cuMemFree_v2(o.memory + 64))),
    ("memory of the host, unknown flags", |g, _| cu!(g.cuMemHostAlloc(&mut null_mut(), 64, 0x100))),
    ("memory of the host, no bytes", |g, _| cu!(g.cuMemHostAlloc(&mut null_mut(), 0, 0))),
    ("memory managed, unknown flags", |g, _| cu!(g.cuMemAllocManaged(&mut 0, 64, 9))),
    ("memory registered, unknown flags", |g, o| {
        cu!(g.cuMemHostRegister_v2(o.host.as_mut_ptr().cast(), 4096, 0x100))
    }),
    ("memory of the pool, unknown attribute", |g, o| {
        cu!(g.cuMemPoolSetAttribute(o.pool, 99, (&raw mut o.host[0]).cast()))
    }),
    ("memory of the pool, read-only attribute", |g, o| {
        cu!(g.cuMemPoolSetAttribute(o.pool, 5, (&raw mut o.host[0]).cast()))
    }),
    ("memory of a pool, pool null", |g, o| {
        cu!(g.cuMemAllocFromPoolAsync(&mut 0, 64, CUmemoryPool::NULL, o.stream))
    }),
    ("memory asynchronously, no bytes", |g, o| cu!(g.cuMemAllocAsync(&mut 0, 0, o.stream))),
    ("memory reserved, unknown flags", |g, _| cu!(g.cuMemAddressReserve(&mut 0, 2 << 20, 0, 0, 7))),
    ("memory reserved, odd size", |g, _| cu!(g.cuMemAddressReserve(&mut 0, 100, 0, 0, 0))),
    ("memory created, unknown flags", |g, _| {
        let properties: CUmemAllocationProp = CUmemAllocationProp { type_: 1, ..zeroed() };
        cu!(g.cuMemCreate(&mut 0, 2 << 20, &properties, 7))
    }),
    ("memory pointer, unknown attribute", |g, o| {
        cu!(g.cuPointerGetAttribute(o.host.as_mut_ptr().cast(), 999, o.memory))
    }),
    ("stream with unknown flags", |g, _| cu!(g.cuStreamCreate(&mut CUstream(0), 6))),
    ("stream event with unknown flags", |g, _| cu!(g.cuEventCreate(&mut CUevent(0), 0x80))),
    ("stream event between processes with times", |g, _| {
        cu!(g.cuEventCreate(&mut CUevent(0), values::EVENT_INTERPROCESS))
    }),
    ("stream event recorded with unknown flags", |g, o| {
        cu!(g.cuEventRecordWithFlags(o.event, o.stream, 8))
    }),
    ("stream wait with unknown flags", |g, o| cu!(g.cuStreamWaitEvent(o.stream, o.event, 8))),
    ("stream callback with flags", |g, o| {
        cu!(g.cuStreamAddCallback(o.stream, None, null_mut(), 1))
    }),
    ("stream capture of an unknown mode", |g, o| cu!(g.cuStreamBeginCapture_v2(o.stream, 7))),
    ("stream value waited for, misaligned", |g, o| {
        cu!(g.cuStreamWaitValue32_v2(o.stream, o.memory + 2, 0, 0))
    }),
    ("stream value waited for, unknown flags", |g, o| {
        cu!(g.cuStreamWaitValue32_v2(o.stream, o.memory, 0, 0x100))
    }),
    ("stream value written, misaligned", |g, o| {
        cu!(g.cuStreamWriteValue64_v2(o.stream, o.memory + 4, 0, 0))
    }),
    ("stream value written, unknown flags", |g, o| {
        cu!(g.cuStreamWriteValue32_v2(o.stream, o.memory, 0, 0x100))
    }),
    ("stream value written without a barrier", |g, o| {
        cu!(g.cuStreamWriteValue32_v2(o.stream, o.memory, 0, 1))
    }),
    ("stream value waited for with a flush", |g, o| {
        cu!(g.cuStreamWaitValue64_v2(o.stream, o.memory, 0, 1 << 30))
    }),
    ("stream batch, unknown operation", |g, o| o.batch(g, [77, 0, 0, 0])),
    ("stream batch, value written without a barrier", |g, o| o.batch(g, [2, o.memory, 0, 1])),
    ("stream batch, value outside memory", |g, o| o.batch(g, [2, 0, 0, 0])),
    ("stream batch, flush", |g, o| o.batch(g, [3, 0, 0, 0])),
    ("stream batch, unknown barrier", |g, o| o.batch(g, [2 << 32 | 6, 0, 0, 0])),
    ("stream attribute, unknown", |g, o| {
        cu!(g.cuStreamSetAttribute(o.stream, 999, &zeroed::<CUstreamAttrValue>()))
    }),
    ("stream memory attached with unknown flags", |g, o| {
        cu!(g.cuStreamAttachMemAsync(o.stream, o.memory, 0, 64))
    }),
    ("kernel with no blocks", |g, o| g.launch(o.function, (0, 1), o.stream, o.memory, &[1, 1])),
    ("kernel with no threads", |g, o| g.launch(o.function, (1, 0), o.stream, o.memory, &[1, 1])),
    ("kernel with too many threads", |g, o| {
        g.launch(o.function, (1, 1025), o.stream, o.memory, &[1, 1])
    }),
    ("kernel without parameters", |g, o| {
        let none = null_mut();
        cu!(g.cuLaunchKernel(o.function, 1, 1, 1, 1, 1, 1, 0, o.stream, none, none))
    }),
    ("kernel with too much shared memory", |g, o| {
        let mut words = [0u64; 3].map(|word| Box::leak(Box::new(word)) as *mut u64);
        let params = words.as_mut_ptr().cast();
        cu!(g.cuLaunchKernel(o.function, 1, 1, 1, 1, 1, 1, 1 << 24, o.stream, params, null_mut()))
    }),
    ("kernel attribute, read-only", |g, o| cu!(g.cuFuncSetAttribute(o.function, 4, 8))),
    ("kernel attribute, unknown", |g, o| cu!(g.cuFuncSetAttribute(o.function, 99, 8))),
    ("kernel attribute, negative size", |g, o| cu!(g.cuFuncSetAttribute(o.function, 8, -1))),
    ("kernel attribute, carveout 101", |g, o| cu!(g.cuFuncSetAttribute(o.function, 9, 101))),
    ("kernel attribute, carveout -2", |g, o| cu!(g.cuFuncSetAttribute(o.function, 9, -2))),
    ("kernel cache, unknown", |g, o| cu!(g.cuFuncSetCacheConfig(o.function, 9))),
    ("kernel banks, unknown", |g, o| cu!(g.cuFuncSetSharedMemConfig(o.function, 9))),
    ("kernel occupancy, unknown flags", |g, o| {
        cu!(g.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&mut 0, o.function, 32, 0, 8))
    }),
    ("array of unknown format", |g, _| {
        let d = CUDA_ARRAY_DESCRIPTOR { Width: 4, Height: 4, Format: 77, NumChannels: 1 };
        cu!(g.cuArrayCreate_v2(&mut CUarray(0), &d))
    }),
    ("array of three channels", |g, _| {
        let d = CUDA_ARRAY_DESCRIPTOR { Width: 4, Height: 4, Format: 1, NumChannels: 3 };
        cu!(g.cuArrayCreate_v2(&mut CUarray(0), &d))
    }),
    ("array of no width", |g, _| {
        let d = CUDA_ARRAY_DESCRIPTOR { Width: 0, Height: 4, Format: 1, NumChannels: 1 };
        cu!(g.cuArrayCreate_v2(&mut CUarray(0), &d))
    }),
    ("array of huge width", |g, _| {
        let d = CUDA_ARRAY_DESCRIPTOR { Width: 1 << 40, Height: 4, Format: 1, NumChannels: 1 };
        cu!(g.cuArrayCreate_v2(&mut CUarray(0), &d))
    }),
    ("array mipmapped, level beyond", |g, o| {
        cu!(g.cuMipmappedArrayGetLevel(&mut CUarray(0), o.mipmaps, 3))
    }),
    ("array copied to, past the end", |g, o| {
        cu!(g.cuMemcpyHtoA_v2(o.array, 32, o.host.as_ptr().cast(), 64))
    }),
    ("graph with flags", |g, _| cu!(g.cuGraphCreate(&mut CUgraph(0), 1))),
    ("graph instantiated with unknown flags", |g, o| {
        cu!(g.cuGraphInstantiateWithFlags(&mut CUgraphExec(0), o.graph, 0x100))
    }),
    ("graph fill, elements of 3 bytes", |g, o| {
        let fill = CUDA_MEMSET_NODE_PARAMS {
            dst: o.memory,
            pitch: 0,
            value: 0,
            elementSize: 3,
            width: 4,
            height: 1,
        };
        let node = &mut CUgraphNode(0);
        cu!(g.cuGraphAddMemsetNode(node, o.graph, null(), 0, &fill, g.context))
    }),
    ("graph fill, misaligned", |g, o| {
        let fill = CUDA_MEMSET_NODE_PARAMS {
            dst: o.memory + 1,
            pitch: 0,
            value: 0,
            elementSize: 4,
            width: 4,
            height: 1,
        };
        let node = &mut CUgraphNode(0);
        cu!(g.cuGraphAddMemsetNode(node, o.graph, null(), 0, &fill, g.context))
    }),
    ("graph user object, no references", |g, o| cu!(g.cuUserObjectRetain(o.user_object, 0))),
    ("graph user object, unknown flags", |g, o| {
        cu!(g.cuGraphRetainUserObject(o.graph, o.user_object, 1, 8))
    }),
    ("graph user object, created without flags", |g, _| {
        let place = &mut CUuserObject(0);
        cu!(g.cuUserObjectCreate(place, null_mut(), Some(nothing), 1, 0))
    }),
    ("graph condition, unknown flags", |g, o| {
        cu!(g.cuGraphConditionalHandleCreate(&mut 0, o.graph, g.context, 0, 8))
    }),
    ("context with unknown flags", |g, _| cu!(g.cuCtxCreate_v2(&mut CUcontext(0), 0x8000, 0))),
    ("context of no device", |g, _| cu!(g.cuCtxCreate_v2(&mut CUcontext(0), 0, 99))),
    ("context banks, unknown", |g, _| cu!(g.cuCtxSetSharedMemConfig(9))),
    ("context limit, unknown, read", |g, _| cu!(g.cuCtxGetLimit(&mut 0, 99))),
    ("context device attribute, unknown", |g, _| cu!(g.cuDeviceGetAttribute(&mut 0, 9999, 0))),
    ("context device attribute, no device", |g, _| cu!(g.cuDeviceGetAttribute(&mut 0, 1, 99))),
    ("context driver, flags", |g, _| cu!(g.cuInit(5))),
];

/// Returns an error that a call after a wrong one got.
fn error_after(gpu: &Gpu, o: &mut Objects) -> Option<String> {
    let waited = gpu.synchronize();
    let filled = cu!(gpu.cuMemsetD32_v2(o.memory, 5, 1024));
    let asked = cu!(gpu.cuStreamQuery(o.stream));
    let read = cu!(gpu.cuMemcpyDtoH_v2(o.host.as_mut_ptr().cast(), o.memory, 64));
    [("wait", waited), ("fill", filled), ("query", asked), ("copy", read)]
        .into_iter()
        .find(|(_, code)| !matches!(*code, CUresult::SUCCESS | CUresult::NOT_READY))
        .map(|(what, code)| format!("the next {what} gave {code}"))
}

/// Makes the calls whose names start with `group`, and compares the codes with the table.
fn compare(gpu: &Gpu, group: &str) -> Done {
    let mut objects = Objects::new(gpu)?;
    let mut wrong = String::new();
    for (name, call) in CALLS.iter().filter(|(name, _)| name.starts_with(group)) {
        let expected = CODES.lines().find_map(|line| {
            let mut fields = line.split('\t');
            (fields.next() == Some(name)).then(|| fields.next().and_then(|n| n.parse().ok()))?
        });
        let found = call(gpu, &mut objects);
        if expected != Some(found.0) {
            let _ = write!(wrong, "{name}: found {}, the table has {expected:?}; ", found.0);
        }
        if let Some(late) = error_after(gpu, &mut objects) {
            let _ = write!(wrong, "{name}: {late}; ");
        }
    }
    if wrong.is_empty() { Ok(()) } else { fail(wrong) }
}

/// Prints the table as this driver answers. Each call has its own process, because a driver may
/// crash in it.
pub fn record(gpu: &Gpu, name: &str) -> Done {
    let Some((_, call)) = CALLS.iter().find(|(called, _)| *called == name) else {
        return fail(format!("there is no call {name}"));
    };
    println!("{name}\t{}\tdevice", call(gpu, &mut Objects::new(gpu)?).0);
    Ok(())
}

/// Returns the names of the wrong calls.
pub fn names() -> impl Iterator<Item = &'static str> {
    CALLS.iter().map(|(name, _)| *name)
}

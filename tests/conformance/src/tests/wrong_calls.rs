//! Random calls of every function of the spec with wrong arguments. No call ends the program or its
//! session, and after each one innocent calls succeed, so no error is told late.
//!
//! Each test is a process with its own seed. OUTHAUL_WRONG_CALLS sets the number of its calls,
//! OUTHAUL_WRONG_SEED another seed, and OUTHAUL_SHOW_CALLS prints each call before it is made.

use super::Test;
use super::array::zeroed;
use crate::generated::parameters::FUNCTIONS;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::*;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;

pub const TESTS: &[Test] = &[
    ("wrong/random_calls_1", |gpu| random(gpu, 1)),
    ("wrong/random_calls_2", |gpu| random(gpu, 2)),
    ("wrong/random_calls_3", |gpu| random(gpu, 3)),
    ("wrong/random_calls_4", |gpu| random(gpu, 4)),
    ("wrong/random_calls_5", |gpu| random(gpu, 5)),
    ("wrong/random_calls_6", |gpu| random(gpu, 6)),
    ("wrong/random_calls_7", |gpu| random(gpu, 7)),
    ("wrong/random_calls_8", |gpu| random(gpu, 8)),
];

/// Calls of each test.
const CALLS: usize = 1_500;
/// Size of the memory that pointers point to. No valid copy or list is as long.
const GUARD_BYTES: usize = 16 << 20;
/// Size of the device memory that copies and fills use.
const DEVICE_BYTES: usize = 64 << 10;

/// Functions that are left out. Some end or replace what all later calls use. Some wait for what
/// never comes. Some read as many bytes of the program's memory as an argument says.
const LEFT_OUT: &[&str] = &[
    "cuCtxAttach",
    "cuCtxDetach",
    "cuCtxCreate",
    "cuCtxPopCurrent",
    "cuCtxPushCurrent",
    "cuCtxSetCurrent",
    "cuCtxSetLimit",
    "cuDevicePrimaryCtx",
    "cuDeviceSetMemPool",
    "cuMemSetMemPool",
    "cuStreamBeginCapture",
    "cuStreamWaitValue",
    "cuStreamBatchMemOp",
    "cuStreamWaitEvent",
    "cuLinkAddData",
    "cuIpcOpen",
    "cuGraphDebugDotPrint",
    "cuGraphLaunch",
    "cuLaunchGrid",
    "cuParamSet",
    "cuGetExportTable",
    "cuLogs",
    "cuProfiler",
];

/// Parts of the names of functions that end an object. They get only wrong handles.
const ENDS: &[&str] = &["Destroy", "Free", "Unload", "Release", "Unmap", "Unregister", "Close"];

/// A random number generator (xorshift), so that a seed gives the same calls everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 16) as usize % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Valid arguments, and wrong ones that look like them.
struct Pool {
    device: CUdeviceptr,
    freed: CUdeviceptr,
    /// Memory that calls may read and write, with the first words drawn for each call.
    guard: Vec<u64>,
    /// A list of pointers to zeros, as kernel parameters are.
    pointers: Vec<u64>,
    /// A number that a call reads as the room in a list.
    room: Vec<u64>,
    /// The zeros.
    zeros: Vec<u64>,
    /// Zeros that a call may change.
    blank: Vec<u64>,
    pinned: u64,
    strings: Vec<CString>,
    /// Handles by the name of their type: one that exists, and one that is ended.
    handles: Vec<(&'static str, u64, u64)>,
}

extern "C" fn nothing(_: *mut c_void) -> usize {
    0
}

extern "C" fn no_end(_: *mut c_void) {}

impl Pool {
    fn new(gpu: &Gpu) -> Result<Pool, Outcome> {
        let freed = gpu.alloc(4 << 20)?;
        cu!(gpu.cuMemFree_v2(freed)).ok()?;
        let guard = vec![0u64; GUARD_BYTES / 8];
        let zeros = vec![0u64; 512];
        let pointers = vec![zeros.as_ptr() as u64; 512];
        let strings = ["fill", "counter", "/proc/none", ""]
            .map(|text| CString::new(text).expect("a text without NUL"));
        Ok(Pool {
            device: gpu.alloc(DEVICE_BYTES)?,
            freed,
            pinned: gpu.pinned(1 << 18)?.as_mut_ptr() as u64,
            guard,
            pointers,
            room: vec![4],
            zeros,
            blank: vec![0; 512],
            strings: strings.into(),
            handles: handles(gpu)?,
        })
    }

    fn host(&self, random: &mut Random) -> u64 {
        self.guard.as_ptr() as u64 + 8 * random.below(64) as u64
    }

    /// Draws an address: valid, misaligned, past the end, freed, of the host, null or wild.
    fn address(&self, random: &mut Random) -> u64 {
        let end = self.device + DEVICE_BYTES as u64;
        match random.below(10) {
            0..4 => self.device + 4 * random.below(DEVICE_BYTES / 4) as u64,
            4 => self.device + random.below(64) as u64,
            5 => end - random.below(16) as u64,
            6 => random.of(&[self.freed, end + (1 << 30)]),
            7 => self.host(random),
            8 => self.pinned + 8 * random.below(64) as u64,
            _ => {
                random.of(&[0, 1, 4095, u64::MAX, u64::MAX - 4095, 1 << 63, 0xdead_beef_0000_0001])
            }
        }
    }

    /// Draws a host address: valid, of the device, null or wild.
    fn place(&self, random: &mut Random) -> u64 {
        match random.below(8) {
            0..5 => self.host(random),
            5 => self.address(random),
            6 => self.pinned,
            _ => 0,
        }
    }

    /// Draws a size or a count: small, just too large, or huge.
    fn size(&self, random: &mut Random) -> u64 {
        match random.below(8) {
            0..4 => random.below(64) as u64,
            4 => random.below(4096) as u64,
            5 => (DEVICE_BYTES + random.below(64)) as u64,
            6 => random.of(&[u64::MAX, u64::MAX / 2, u64::MAX - 7, 1 << 62, 1 << 50]),
            _ => 0,
        }
    }

    fn number(&self, random: &mut Random) -> u64 {
        match random.below(4) {
            0 | 1 => random.below(5) as u64,
            2 => random.below(40) as u64,
            _ => random.of(&[u64::MAX, 1 << 31, 0x7fff_ffff, 0x100, 1 << 16, 255]),
        }
    }

    /// Draws a handle: valid, ended, of another type, a pointer, null or nonsense.
    fn handle(&self, ty: &str, may_be_valid: bool, random: &mut Random) -> u64 {
        let own = self.handles.iter().find(|(name, ..)| *name == ty);
        let others: Vec<u64> = self
            .handles
            .iter()
            .filter(|(name, ..)| *name != ty)
            .map(|(_, live, _)| *live)
            .collect();
        match (random.below(8), own) {
            (0..5, Some((_, live, _))) if may_be_valid => *live,
            (5, Some((_, _, ended))) => *ended,
            (6, _) => random.of(&others),
            _ => random.of(&[0, 3, 77, self.device, self.guard.as_ptr() as u64, u64::MAX]),
        }
    }

    /// Fills the guarded memory with what a struct or a list may have. Pointers in it are null, of
    /// the device, or to zeros.
    fn scramble(&mut self, random: &mut Random) {
        self.zeros.fill(0);
        self.blank.fill(0);
        self.pointers.fill(self.zeros.as_ptr() as u64);
        self.room[0] = random.below(5) as u64;
        if random.below(3) == 0 {
            return;
        }
        for i in 0..64 {
            let word = match random.below(4) {
                0 => self.address(random),
                1 => self.size(random),
                _ => self.number(random),
            };
            self.guard[i] = word;
        }
    }
}

/// Creates an object of each type, and one that is ended.
fn handles(gpu: &Gpu) -> Result<Vec<(&'static str, u64, u64)>, Outcome> {
    let module = gpu.module()?;
    let gone = gpu.module()?;
    let function = gpu.function(module, "fill")?;
    let gone_function = gpu.function(gone, "fill")?;
    cu!(gpu.cuModuleUnload(gone)).ok()?;
    let (stream, gone_stream) = (gpu.stream(0)?, gpu.stream(0)?);
    cu!(gpu.cuStreamDestroy_v2(gone_stream)).ok()?;
    let (event, gone_event) = (gpu.event(0)?, gpu.event(0)?);
    cu!(gpu.cuEventDestroy_v2(gone_event)).ok()?;
    let (mut graph, mut gone_graph) = (CUgraph::NULL, CUgraph::NULL);
    cu!(gpu.cuGraphCreate(&mut graph, 0)).ok()?;
    cu!(gpu.cuGraphCreate(&mut gone_graph, 0)).ok()?;
    let (exec, gone_exec) = (gpu.instantiate(graph)?, gpu.instantiate(gone_graph)?);
    let (mut node, mut gone_node) = (CUgraphNode::NULL, CUgraphNode::NULL);
    let none = std::ptr::null();
    cu!(gpu.cuGraphAddEmptyNode(&mut node, graph, none, 0)).ok()?;
    cu!(gpu.cuGraphAddEmptyNode(&mut gone_node, gone_graph, none, 0)).ok()?;
    cu!(gpu.cuGraphExecDestroy(gone_exec)).ok()?;
    cu!(gpu.cuGraphDestroy(gone_graph)).ok()?;
    let line = CUDA_ARRAY_DESCRIPTOR { Width: 64, Height: 4, Format: 1, NumChannels: 1 };
    let (mut array, mut gone_array) = (CUarray::NULL, CUarray::NULL);
    cu!(gpu.cuArrayCreate_v2(&mut array, &line)).ok()?;
    cu!(gpu.cuArrayCreate_v2(&mut gone_array, &line)).ok()?;
    cu!(gpu.cuArrayDestroy(gone_array)).ok()?;
    let d =
        CUDA_ARRAY3D_DESCRIPTOR { Width: 64, Height: 64, Format: 1, NumChannels: 1, ..zeroed() };
    let (mut mipmaps, mut gone_mipmaps) = (CUmipmappedArray::NULL, CUmipmappedArray::NULL);
    cu!(gpu.cuMipmappedArrayCreate(&mut mipmaps, &d, 3)).ok()?;
    cu!(gpu.cuMipmappedArrayCreate(&mut gone_mipmaps, &d, 3)).ok()?;
    cu!(gpu.cuMipmappedArrayDestroy(gone_mipmaps)).ok()?;
    let mut pool = CUmemoryPool::NULL;
    cu!(gpu.cuDeviceGetDefaultMemPool(&mut pool, 0)).ok()?;
    let (mut object, mut gone_object) = (CUuserObject::NULL, CUuserObject::NULL);
    cu!(gpu.cuUserObjectCreate(&mut object, null_mut(), Some(no_end), 1, 1)).ok()?;
    cu!(gpu.cuUserObjectCreate(&mut gone_object, null_mut(), Some(no_end), 1, 1)).ok()?;
    cu!(gpu.cuUserObjectRelease(gone_object, 1)).ok()?;
    Ok(vec![
        ("CUcontext", gpu.context.0 as u64, 99),
        ("CUmodule", module.0 as u64, gone.0 as u64),
        ("CUfunction", function.0 as u64, gone_function.0 as u64),
        ("CUstream", stream.0 as u64, gone_stream.0 as u64),
        ("CUevent", event.0 as u64, gone_event.0 as u64),
        ("CUgraph", graph.0 as u64, gone_graph.0 as u64),
        ("CUgraphExec", exec.0 as u64, gone_exec.0 as u64),
        ("CUgraphNode", node.0 as u64, gone_node.0 as u64),
        ("CUarray", array.0 as u64, gone_array.0 as u64),
        ("CUmipmappedArray", mipmaps.0 as u64, gone_mipmaps.0 as u64),
        ("CUmemoryPool", pool.0 as u64, 98),
        ("CUuserObject", object.0 as u64, gone_object.0 as u64),
    ])
}

/// Structs with pointers to the program's memory. They hold zeros, because such pointers are valid
/// or null in every program.
const POINT_FURTHER: &[&str] = &[
    "CUlaunchConfig",
    "CUDA_BATCH_MEM_OP_NODE_PARAMS",
    "CUDA_KERNEL_NODE_PARAMS",
    "CUDA_KERNEL_NODE_PARAMS_v1",
    "CUDA_LAUNCH_PARAMS",
    "CUDA_MEM_ALLOC_NODE_PARAMS",
    "CUgraphNodeParams",
    "CUctxCreateParams",
];

/// Returns what a parameter gets.
fn argument(pool: &Pool, random: &mut Random, function: &str, (name, ty): (&str, &str)) -> u64 {
    let is_pool_type = ty.starts_with("CU") && pool.handles.iter().any(|(known, ..)| *known == ty);
    let is_end = ENDS.iter().any(|part| function.contains(part));
    match ty {
        _ if is_pool_type => pool.handle(ty, !is_end, random),
        "CUdeviceptr" | "CUdeviceptr_v1" if is_end => {
            random.of(&[0, 8, pool.freed, pool.device + 4])
        }
        "CUdeviceptr" | "CUdeviceptr_v1" => pool.address(random),
        // A list of pointers and a list of places have as many entries as `pool` has.
        "usize" if name == "numAttributes" => random.below(64) as u64,
        "usize" => pool.size(random),
        // The number goes in as the room in a list.
        "*mut usize" if name.starts_with("num") => pool.room.as_ptr() as u64,
        "u32" | "u64" if name.to_lowercase().contains("count") || name.starts_with("num") => {
            pool.size(random)
        }
        "*const c_char" => match random.below(6) {
            0 => 0,
            _ => pool.strings[random.below(pool.strings.len())].as_ptr() as u64,
        },
        "*mut *mut c_void" => random.of(&[0, pool.pointers.as_ptr() as u64]),
        // A launch of many blocks takes long.
        "u32" if name.starts_with("gridDim") => random.of(&[0, 1, 2, 3, 1 << 31, u64::MAX]),
        _ if POINT_FURTHER.iter().any(|part| ty.ends_with(part)) => {
            random.of(&[0, pool.blank.as_ptr() as u64])
        }
        "*mut c_void" if is_end => random.of(&[0, pool.guard.as_ptr() as u64, pool.device]),
        "*mut c_void" | "*const c_void" if function.starts_with("cuMemcpy") => pool.place(random),
        _ if ty.starts_with('*') => {
            if random.below(8) == 0 {
                0
            } else {
                pool.host(random)
            }
        }
        "CUhostFn" | "CUstreamCallback" | "CUoccupancyB2DSize" | "CUasyncCallback" => {
            if random.below(3) == 0 { 0 } else { nothing as *const () as u64 }
        }
        _ => pool.number(random),
    }
}

/// Parameters of a call, padded: a C function ignores what it does not take.
pub type Arguments = [u64; 18];

/// Calls a function of the library.
pub fn call(address: *mut c_void, a: &Arguments) -> CUresult {
    type Words = unsafe extern "C" fn(
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
        u64,
    ) -> CUresult;
    // SAFETY: the symbol is a driver function. Its parameters are words, and in the C ABI of x86-64
    // and of aarch64 a function ignores further ones.
    let function = unsafe { std::mem::transmute::<*mut c_void, Words>(address) };
    // SAFETY: pointers are null, or to memory that is larger than what the function uses, or must
    // be refused.
    unsafe {
        function(
            a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
            a[14], a[15], a[16], a[17],
        )
    }
}

/// Returns the address of a function of a library, if the library has it.
pub fn address(library: &str, name: &str) -> Option<*mut c_void> {
    let (path, symbol) = (CString::new(library).ok()?, CString::new(name).ok()?);
    // SAFETY: the paths are C strings. The library is never closed.
    let address = unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        if library.is_null() {
            return None;
        }
        libc::dlsym(library, symbol.as_ptr())
    };
    (!address.is_null()).then_some(address)
}

/// A function's name, its parameters, and its address.
type Function = (&'static str, &'static [(&'static str, &'static str)], *mut c_void);

/// Returns the functions of the library that the test calls, with their addresses.
fn functions(gpu: &Gpu) -> Vec<Function> {
    let library = gpu.library.to_string_lossy();
    let is_left_out = |name: &str| LEFT_OUT.iter().any(|start| name.starts_with(start));
    let found = FUNCTIONS.iter().filter(|(name, _)| !is_left_out(name));
    found.filter_map(|(name, params)| Some((*name, *params, address(&library, name)?))).collect()
}

fn random(gpu: &Gpu, seed: u64) -> Done {
    let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let calls = setting("OUTHAUL_WRONG_CALLS").map_or(CALLS, |calls| calls as usize);
    let seed = setting("OUTHAUL_WRONG_SEED").unwrap_or(seed);
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut pool, functions) = (Pool::new(gpu)?, functions(gpu));
    let innocent = gpu.alloc(64)?;
    let is_shown = std::env::var_os("OUTHAUL_SHOW_CALLS").is_some();
    for number in 0..calls {
        let (name, params, address) = random.of(&functions);
        pool.scramble(&mut random);
        let mut arguments = Arguments::default();
        for (place, param) in arguments.iter_mut().zip(params) {
            *place = argument(&pool, &mut random, name, *param);
        }
        let shown = || {
            let words: Vec<String> = params
                .iter()
                .zip(arguments)
                .map(|((param, _), word)| format!("{param}: {word:#x}"))
                .collect();
            format!("call {number} of seed {seed}, {name}({})", words.join(", "))
        };
        if is_shown {
            eprintln!("{}", shown());
        }
        let outcome = call(address, &arguments);
        if outcome == CUresult::UNKNOWN {
            return fail(format!("{} gave {outcome}", shown()));
        }
        // A call may make another context current.
        same(&shown(), cu!(gpu.cuCtxSetCurrent(gpu.context)), CUresult::SUCCESS)?;
        let filled = cu!(gpu.cuMemsetD32_v2(innocent, number as u32, 1));
        let waited = gpu.synchronize();
        for (what, code) in [("fill", filled), ("wait", waited)] {
            if code != CUresult::SUCCESS {
                return fail(format!("{} gave {outcome}, and the {what} after it {code}", shown()));
            }
        }
    }
    let last = gpu.read(innocent, 1)?;
    if last[0] as usize + 1 == calls { Ok(()) } else { fail("the last fill") }
}

//! Modules, functions, variables, the linker, and launches.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use crate::kernels::MODULE;
use outhaul_abi::types::*;
use std::ffi::{CStr, CString, c_char, c_void};

pub const TESTS: &[Test] = &[
    ("code/a_module_runs", runs),
    ("code/variables", variables),
    ("code/missing_names", missing),
    ("code/bad_images", bad_images),
    ("code/truncated_files", truncated_files),
    ("code/for_another_architecture", another_architecture),
    ("code/libraries_and_kernels", libraries),
    ("code/function_facts", facts),
    ("code/the_linker", linker),
    ("code/packed_parameters", packed),
    ("code/extended_launch", extended),
    ("code/bad_launches_fail_at_the_call", bad_launches),
    ("code/occupancy", occupancy),
    ("code/unloading", unloading),
];

fn runs(gpu: &Gpu) -> Done {
    let module = gpu.module()?;
    let memory = gpu.alloc(4000)?;
    gpu.launch(gpu.function(module, "fill")?, (8, 128), CUstream::NULL, memory, &[1000, 5]).ok()?;
    gpu.launch(gpu.function(module, "add")?, (8, 128), CUstream::NULL, memory, &[1000, 100])
        .ok()?;
    same("each element", gpu.read(memory, 1000)?, (105..1105).collect())
}

fn variables(gpu: &Gpu) -> Done {
    let module = gpu.module()?;
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: all out-pointers refer to locals.
    unsafe {
        gpu.driver.cuModuleGetGlobal_v2(&mut address, &mut bytes, module, c"counter".as_ptr())
    }
    .ok()?;
    same("size", bytes, 4)?;
    const DEVICE_ORDINAL: i32 = 9;
    let mut device = -1;
    // SAFETY: the out-pointer refers to a local.
    unsafe { gpu.driver.cuPointerGetAttribute((&raw mut device).cast(), DEVICE_ORDINAL, address) }
        .ok()?;
    same("its device", device, 0)?;
    same("initial value", gpu.read(address, 1)?, vec![7])?;
    gpu.write(address, &[11])?;
    let memory = gpu.alloc(4)?;
    gpu.launch(gpu.function(module, "scaled")?, (1, 1), CUstream::NULL, memory, &[]).ok()?;
    same("the kernel sees what was written, and the constant", gpu.read(memory, 1)?, vec![55])
}

fn missing(gpu: &Gpu) -> Done {
    let module = gpu.module()?;
    let (mut function, mut address, mut bytes) = (CUfunction::NULL, 0, 0);
    // SAFETY: all out-pointers refer to locals.
    unsafe {
        same(
            "a kernel",
            gpu.driver.cuModuleGetFunction(&mut function, module, c"nowhere".as_ptr()),
            CUresult::NOT_FOUND,
        )?;
        same(
            "a variable",
            gpu.driver.cuModuleGetGlobal_v2(&mut address, &mut bytes, module, c"nowhere".as_ptr()),
            CUresult::NOT_FOUND,
        )
    }
}

fn bad_images(gpu: &Gpu) -> Done {
    let mut module = CUmodule::NULL;
    let text = MODULE.replace("mad.lo.s32", "mad.lo.s32 garbage");
    let text = CString::new(text).expect("no NUL");
    // SAFETY: the text ends in NUL.
    let result = unsafe { gpu.driver.cuModuleLoadData(&mut module, text.as_ptr().cast()) };
    same("PTX with an error", result, CUresult::INVALID_PTX)?;
    let mut nothing = [0u8; 4096];
    nothing[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    let result = cu!(gpu.cuModuleLoadData(&mut module, nothing.as_ptr().cast()));
    same("a cubin without code", result != CUresult::SUCCESS, true)?;
    // SAFETY: the file does not exist.
    let result = unsafe { gpu.driver.cuModuleLoad(&mut module, c"/nowhere/at.ptx".as_ptr()) };
    same("a file that does not exist", result, CUresult::FILE_NOT_FOUND)
}

/// Returns PTX in a fat binary's container, whose only entry is not compressed.
fn container(text: &[u8]) -> Vec<u8> {
    let mut entry = [0u8; 64];
    entry[..2].copy_from_slice(&1u16.to_le_bytes());
    entry[4..8].copy_from_slice(&64u32.to_le_bytes());
    entry[8..16].copy_from_slice(&(text.len() as u64).to_le_bytes());
    entry[28..32].copy_from_slice(&75u32.to_le_bytes());
    entry[40..48].copy_from_slice(&0x11u64.to_le_bytes());
    let mut file = Vec::from(0xBA55_ED50u32.to_le_bytes());
    file.extend([1, 0, 16, 0]);
    file.extend((64 + text.len() as u64).to_le_bytes());
    file.extend(entry);
    file.extend(text);
    file
}

/// Returns an ELF file whose one section ends it.
fn elf() -> Vec<u8> {
    let mut file = vec![0; 64 + 64 + 40];
    file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    file[40..48].copy_from_slice(&64u64.to_le_bytes());
    file[60] = 1;
    file[68] = 1;
    file[88..96].copy_from_slice(&128u64.to_le_bytes());
    file[96..104].copy_from_slice(&40u64.to_le_bytes());
    file
}

/// A file may end before the code that its headers name. NVIDIA's driver reads beyond the end of
/// some of these.
fn truncated_files(gpu: &Gpu) -> Done {
    gpu.require_checks()?;
    let path = std::env::temp_dir().join(format!("outhaul-truncated-{}", std::process::id()));
    let name = CString::new(path.to_string_lossy().as_ref()).expect("no NUL");
    let load = |bytes: &[u8]| -> Result<[CUresult; 2], Outcome> {
        let (mut module, mut library) = (CUmodule::NULL, CUlibrary::NULL);
        let none: *mut *mut c_void = std::ptr::null_mut();
        std::fs::write(&path, bytes).map_err(|e| Outcome::Failed(e.to_string()))?;
        let as_module = cu!(gpu.cuModuleLoad(&mut module, name.as_ptr()));
        let as_library = cu!(gpu.cuLibraryLoadFromFile(
            &mut library,
            name.as_ptr(),
            none.cast(),
            none,
            0,
            none.cast(),
            none,
            0
        ));
        std::fs::remove_file(&path).map_err(|e| Outcome::Failed(e.to_string()))?;
        Ok([as_module, as_library])
    };
    let fat = container(MODULE.as_bytes());
    for whole in [MODULE.as_bytes(), &fat] {
        same("a whole file", load(whole)?, [CUresult::SUCCESS; 2])?;
    }
    same("a beginning of PTX", load(&MODULE.as_bytes()[..2])?, [CUresult::INVALID_IMAGE; 2])?;
    // A library's code may be compiled later.
    let [as_module, _] = load(&MODULE.as_bytes()[..MODULE.len() / 2])?;
    same("half of PTX", as_module == CUresult::SUCCESS, false)?;
    for file in [fat, elf()] {
        for length in (0..80).chain((80..file.len()).step_by(97)).chain([file.len() - 1]) {
            let what = format!("the first {length} of {} bytes", file.len());
            same(&what, load(&file[..length])?, [CUresult::INVALID_IMAGE; 2])?;
        }
    }
    Ok(())
}

/// The driver rejects code for another GPU when it loads the code. Other code still runs.
fn another_architecture(gpu: &Gpu) -> Done {
    const CAPABILITY_MAJOR: i32 = 75;
    if gpu.attribute(CAPABILITY_MAJOR)? >= 12 {
        return Err(Outcome::Skipped("the device runs the code of the test's other GPU".into()));
    }
    let text = CString::new(
        MODULE.replace(".target sm_75", ".target sm_120").replace(".version 6.4", ".version 8.7"),
    )
    .expect("no NUL");
    let mut module = CUmodule::NULL;
    let result = cu!(gpu.cuModuleLoadData(&mut module, text.as_ptr().cast()));
    let refusals =
        [CUresult::NO_BINARY_FOR_GPU, CUresult::INVALID_PTX, CUresult::UNSUPPORTED_PTX_VERSION];
    if !refusals.contains(&result) {
        return fail(format!("code for another GPU: {result}"));
    }
    runs(gpu)
}

fn libraries(gpu: &Gpu) -> Done {
    const PREFER_SHARED: i32 = 1;
    let text = CString::new(MODULE).expect("no NUL");
    let (mut library, mut kernel, mut function, mut count) =
        (CUlibrary::NULL, CUkernel::NULL, CUfunction::NULL, 0);
    let none: *mut *mut c_void = std::ptr::null_mut();
    let mut name: *const c_char = std::ptr::null();
    // SAFETY: all out-pointers refer to locals, and the name lives as long as the kernel.
    unsafe {
        gpu.driver
            .cuLibraryLoadData(
                &mut library,
                text.as_ptr().cast(),
                none.cast(),
                none,
                0,
                none.cast(),
                none,
                0,
            )
            .ok()?;
        gpu.driver.cuLibraryGetKernel(&mut kernel, library, c"fill".as_ptr()).ok()?;
        gpu.driver.cuKernelGetFunction(&mut function, kernel).ok()?;
        gpu.driver.cuLibraryGetKernelCount(&mut count, library).ok()?;
        gpu.driver.cuKernelGetName(&mut name, kernel).ok()?;
        same("its name", CStr::from_ptr(name), c"fill")?;
    }
    same("kernels", count, 5)?;
    cu!(gpu.cuKernelSetCacheConfig(kernel, PREFER_SHARED, 0)).ok()?;
    cu!(gpu.cuFuncSetCacheConfig(function, PREFER_SHARED)).ok()?;
    gpu.synchronize().ok()?;
    let memory = gpu.alloc(64)?;
    gpu.launch(CUfunction(kernel.0), (1, 16), CUstream::NULL, memory, &[16, 1]).ok()?;
    gpu.launch(function, (1, 8), CUstream::NULL, memory, &[8, 50]).ok()?;
    let expected: Vec<u32> = (50..58).chain(9..17).collect();
    same("launched as a kernel, then as a function", gpu.read(memory, 16)?, expected)?;
    // SAFETY: the test no longer uses the library.
    Ok(unsafe { gpu.driver.cuLibraryUnload(library) }.ok()?)
}

fn facts(gpu: &Gpu) -> Done {
    const MAX_THREADS: i32 = 0;
    const MAX_DYNAMIC_SHARED: i32 = 8;
    let function = gpu.function(gpu.module()?, "fill")?;
    let (mut offset, mut size, mut value) = (0, 0, 0);
    // SAFETY: all out-pointers refer to locals.
    unsafe {
        gpu.driver.cuFuncGetParamInfo(function, 2, &mut offset, &mut size).ok()?;
        same("the third parameter", (offset, size), (12, 4))?;
        same(
            "a fourth",
            gpu.driver.cuFuncGetParamInfo(function, 3, &mut offset, &mut size),
            CUresult::INVALID_VALUE,
        )?;
        gpu.driver.cuFuncGetAttribute(&mut value, MAX_THREADS, function).ok()?;
        same("threads", value, 1024)?;
        gpu.driver.cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED, 60 << 10).ok()?;
        gpu.driver.cuFuncGetAttribute(&mut value, MAX_DYNAMIC_SHARED, function).ok()?;
        same("shared memory after it was set", value, 60 << 10)?;
        same(
            "too much of it",
            gpu.driver.cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED, 1 << 30),
            CUresult::INVALID_VALUE,
        )
    }
}

fn linker(gpu: &Gpu) -> Done {
    const PTX: i32 = 1;
    let callee = ".version 6.4\n.target sm_75\n.address_size 64\n.visible .func (.param .b32 r) \
    twice(.param .b32 x) \
    { .reg .b32 %r<2>; ld.param.b32 %r0, [x]; add.u32 %r1, %r0, %r0; \
    st.param.b32 [r], %r1; ret; }\n";
    let caller = ".version 6.4\n.target sm_75\n.address_size 64\n.extern .func (.param .b32 r) \
    twice(.param .b32 x);\n.visible .entry use(.param .u64 p) \
    { .reg .b32 %r<3>; .reg .b64 %d<2>; ld.param.u64 %d0, [p]; cvta.to.global.u64 %d1, %d0; \
    mov.u32 %r0, 21; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; \
    call.uni (b), twice, (a); ld.param.b32 %r1, [b]; } st.global.u32 [%d1], %r1; \
    ret; }\n";
    let (mut state, mut image, mut bytes, mut module) =
        (CUlinkState::NULL, std::ptr::null_mut::<c_void>(), 0, CUmodule::NULL);
    let none: *mut *mut c_void = std::ptr::null_mut();
    // SAFETY: each text ends in NUL, and its size includes the NUL. All out-pointers refer to
    // locals. The image lives until the link is destroyed.
    unsafe {
        gpu.driver.cuLinkCreate_v2(0, none.cast(), none, &mut state).ok()?;
        for text in [callee, caller] {
            let text = CString::new(text).expect("no NUL");
            let length = text.as_bytes_with_nul().len();
            gpu.driver
                .cuLinkAddData_v2(
                    state,
                    PTX,
                    text.as_ptr().cast_mut().cast(),
                    length,
                    c"part".as_ptr(),
                    0,
                    none.cast(),
                    none,
                )
                .ok()?;
        }
        gpu.driver.cuLinkComplete(state, &mut image, &mut bytes).ok()?;
        gpu.driver.cuModuleLoadData(&mut module, image).ok()?;
        gpu.driver.cuLinkDestroy(state).ok()?;
    }
    let memory = gpu.alloc(4)?;
    gpu.launch(gpu.function(module, "use")?, (1, 1), CUstream::NULL, memory, &[]).ok()?;
    same("a function of the other part", gpu.read(memory, 1)?, vec![42])
}

fn packed(gpu: &Gpu) -> Done {
    let function = gpu.function(gpu.module()?, "fill")?;
    let memory = gpu.alloc(64)?;
    let mut buffer = Vec::from(memory.to_le_bytes());
    buffer.extend(16u32.to_le_bytes());
    buffer.extend(9u32.to_le_bytes());
    let mut size = buffer.len();
    let mut extra: [*mut c_void; 5] = [
        values::LAUNCH_PARAM_BUFFER_POINTER as *mut c_void,
        buffer.as_mut_ptr().cast(),
        values::LAUNCH_PARAM_BUFFER_SIZE as *mut c_void,
        (&raw mut size).cast(),
        std::ptr::null_mut(),
    ];
    // SAFETY: the list has an end marker. The buffer and its size outlive the call.
    unsafe {
        gpu.driver.cuLaunchKernel(
            function,
            1,
            1,
            1,
            16,
            1,
            1,
            0,
            CUstream::NULL,
            std::ptr::null_mut(),
            extra.as_mut_ptr(),
        )
    }
    .ok()?;
    same("each element", gpu.read(memory, 16)?, (9..25).collect())
}

fn extended(gpu: &Gpu) -> Done {
    let function = gpu.function(gpu.module()?, "fill")?;
    let memory = gpu.alloc(64)?;
    let stream = gpu.stream(0)?;
    let config = CUlaunchConfig {
        gridDimX: 2,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 8,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: stream,
        attrs: std::ptr::null(),
        numAttrs: 0,
    };
    let (mut address, mut count, mut value) = (memory, 16u32, 3u32);
    let mut params: [*mut c_void; 3] =
        [(&raw mut address).cast(), (&raw mut count).cast(), (&raw mut value).cast()];
    // SAFETY: the list has one pointer per parameter, to values that outlive the call.
    unsafe {
        gpu.driver
            .cuLaunchKernelEx(&config, function, params.as_mut_ptr(), std::ptr::null_mut())
            .ok()?;
        gpu.driver.cuStreamSynchronize(stream).ok()?;
    }
    same("each element", gpu.read(memory, 16)?, (3..19).collect())
}

fn bad_launches(gpu: &Gpu) -> Done {
    let function = gpu.function(gpu.module()?, "fill")?;
    let memory = gpu.alloc(64)?;
    for (what, shape) in [
        ("no blocks", (0, 32)),
        ("no threads", (1, 0)),
        ("too many threads", (1, 1025)),
        ("too many blocks", (0x8000_0000, 1)),
    ] {
        same(
            what,
            gpu.launch(function, shape, CUstream::NULL, memory, &[1, 1]),
            CUresult::INVALID_VALUE,
        )?;
    }
    gpu.launch(function, (1, 16), CUstream::NULL, memory, &[16, 1]).ok()?;
    same("a good one after them", gpu.synchronize(), CUresult::SUCCESS)
}

fn occupancy(gpu: &Gpu) -> Done {
    let function = gpu.function(gpu.module()?, "fill")?;
    let (mut blocks, mut grid, mut block) = (0, 0, 0);
    // SAFETY: all out-pointers refer to locals.
    unsafe {
        gpu.driver
            .cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, function, 256, 0)
            .ok()?;
        gpu.driver
            .cuOccupancyMaxPotentialBlockSize(&mut grid, &mut block, function, None, 0, 0)
            .ok()?;
    }
    if blocks < 1 || grid < 1 || !(1..=1024).contains(&block) {
        return fail(format!("{blocks} blocks of 256; {grid} blocks of {block}"));
    }
    Ok(())
}

fn unloading(gpu: &Gpu) -> Done {
    let module = gpu.module()?;
    let memory = gpu.alloc(4)?;
    gpu.write(memory, &[0])?;
    gpu.launch(gpu.function(module, "spin")?, (1, 1), CUstream::NULL, memory, &[200_000]).ok()?;
    // SAFETY: the driver waits for running work before it unloads the module.
    unsafe { gpu.driver.cuModuleUnload(module) }.ok()?;
    same("a kernel that was under way", gpu.read(memory, 1)?, vec![200_000])
}

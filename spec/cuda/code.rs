//! Modules, libraries, kernels, and launches.

// ---- Modules ----

#[since(5050)] #[form_of(cuLinkAddData_v2)] #[soft]
fn cuLinkAddData(
    state: CUlinkState, type_: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char,
    numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void,
);
#[since(6050)] #[soft] #[custom("ignores options, and takes a name that may be null")]
fn cuLinkAddData_v2(
    state: CUlinkState, type_: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char,
    #[at_most(1024)] numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void,
);
#[since(5050)] #[form_of(cuLinkAddFile_v2)] #[soft]
fn cuLinkAddFile(
    state: CUlinkState, type_: CUjitInputType, path: *const c_char, numOptions: u32,
    options: *mut CUjit_option, optionValues: *mut *mut c_void,
);
#[since(6050)] #[soft] #[custom("ignores options")]
fn cuLinkAddFile_v2(
    state: CUlinkState, type_: CUjitInputType, path: *const c_char,
    #[at_most(1024)] numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void,
);
#[since(5050)] #[soft] #[is(code::jit_link::complete(state) -> (cubinOut, sizeOut))]
fn cuLinkComplete(state: CUlinkState, cubinOut: *mut *mut c_void, sizeOut: Option<Out<usize>>);
#[since(5050)] #[form_of(cuLinkCreate_v2)] #[soft]
fn cuLinkCreate(
    numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void,
    stateOut: *mut CUlinkState,
);
#[since(6050)] #[soft] #[custom("checks its place after the context")]
fn cuLinkCreate_v2(
    #[at_most(1024)] numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void,
    stateOut: *mut CUlinkState,
);
#[since(5050)] #[soft] #[is(code::jit_link::destroy(state))]
fn cuLinkDestroy(state: CUlinkState);
#[since(12040)] #[soft]
#[is(code::module::enumerate(handles::module(module), functions, numFunctions))]
fn cuModuleEnumerateFunctions(functions: *mut CUfunction, numFunctions: u32, module: CUmodule);
#[since(2000)] #[soft]
#[is(code::functions::function_in(handles::module(hmod), arguments::name(name)) -> hfunc)]
fn cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char);
#[since(12040)] #[soft] #[is(code::module::function_count(handles::module(hmod)) -> count)]
fn cuModuleGetFunctionCount(count: *mut u32, hmod: CUmodule);
#[since(2000)] #[form_of(cuModuleGetGlobal_v2, narrow)] #[soft]
fn cuModuleGetGlobal(
    dptr: *mut CUdeviceptr_v1, bytes: *mut u32, hmod: CUmodule, name: *const c_char,
);
#[since(3020)] #[soft]
#[is(code::module::global(handles::module(hmod), arguments::name(name)) -> (dptr, bytes))]
fn cuModuleGetGlobal_v2(
    dptr: Option<Out<CUdeviceptr>>, bytes: Option<Out<usize>>, hmod: CUmodule, name: *const c_char,
);
#[since(11070)] #[local] #[soft]
fn cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode);
#[since(3000)]
#[is(code::references::surface_in(handles::module(hmod), arguments::name(name)) -> pSurfRef)]
fn cuModuleGetSurfRef(pSurfRef: Out<CUsurfref>, hmod: CUmodule, name: *const c_char);
#[since(2000)]
#[is(code::references::texture_in(handles::module(hmod), arguments::name(name)) -> pTexRef)]
fn cuModuleGetTexRef(pTexRef: Out<CUtexref>, hmod: CUmodule, name: *const c_char);
#[since(2000)] #[soft] #[custom("reads the file before it checks its place")]
fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char);
#[since(2000)] #[soft] #[is(cuModuleLoadDataEx(module, image, 0, null, null))]
fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void);
#[since(2010)] #[soft] #[is(code::module::load(image, numOptions, options, optionValues) -> module)]
fn cuModuleLoadDataEx(
    module: Out<CUmodule>, image: *const c_void, #[at_most(1024)] numOptions: u32,
    options: *mut CUjit_option, optionValues: *mut *mut c_void,
);
#[since(2000)] #[soft] #[is(cuModuleLoadData(module, fatCubin))]
fn cuModuleLoadFatBinary(module: *mut CUmodule, fatCubin: *const c_void);
#[since(2000)] #[unsafe_in_capture] #[soft] #[is(code::module::unload(handles::module(hmod)))]
fn cuModuleUnload(hmod: CUmodule);

// ---- Libraries and kernels ----

#[since(2020)] #[local] #[soft]
fn cuFuncGetAttribute(pi: *mut i32, attrib: CUfunction_attribute, hfunc: CUfunction);
#[since(11000)] #[local] #[soft]
fn cuFuncGetModule(hmod: *mut CUmodule, hfunc: CUfunction);
#[since(12030)] #[local] #[soft]
fn cuFuncGetName(name: *mut *const c_char, hfunc: CUfunction);
#[since(12040)] #[local] #[soft]
fn cuFuncGetParamInfo(
    func: CUfunction, paramIndex: usize, paramOffset: *mut usize, paramSize: *mut usize,
);
#[since(12040)] #[local] #[soft]
fn cuFuncIsLoaded(state: *mut CUfunctionLoadingState, hfunc: CUfunction);
#[since(12040)] #[local] #[soft]
fn cuFuncLoad(hfunc: CUfunction);
#[since(9000)] #[soft]
#[is(code::functions::set_attribute(function(hfunc), attrib, value, current_device()))]
#[requires(attrib == 9 || value >= 0)] #[requires(attrib != 9 || matches!(value, -1..=100))]
#[requires(attrib != 14 || value <= 1)] #[requires(attrib != 15 || value <= 2)]
fn cuFuncSetAttribute(
    hfunc: CUfunction, #[one_of(8 | 9 | 11..=15)] attrib: CUfunction_attribute, value: i32,
);
#[since(2000)] #[local] #[soft]
fn cuFuncSetBlockShape(hfunc: CUfunction, x: i32, y: i32, z: i32);
#[since(3000)] #[soft]
#[is(code::functions::set_cache_config(function(hfunc), config, current_device()))]
fn cuFuncSetCacheConfig(hfunc: CUfunction, #[one_of(0..=3)] config: CUfunc_cache);
#[since(4020)] #[local] #[soft]
fn cuFuncSetSharedMemConfig(hfunc: CUfunction, #[one_of(0..=2)] config: CUsharedconfig);
#[since(2000)] #[local] #[soft]
fn cuFuncSetSharedSize(hfunc: CUfunction, bytes: u32);
#[since(12000)] #[local] #[soft]
fn cuKernelGetAttribute(
    pi: *mut i32, attrib: CUfunction_attribute, kernel: CUkernel, dev: CUdevice,
);
#[since(12000)] #[soft] #[is(code::functions::function_of(kernel) -> pFunc)]
fn cuKernelGetFunction(pFunc: *mut CUfunction, kernel: CUkernel);
#[since(12050)] #[local] #[soft]
fn cuKernelGetLibrary(pLib: *mut CUlibrary, kernel: CUkernel);
#[since(12030)] #[local] #[soft]
fn cuKernelGetName(name: *mut *const c_char, hfunc: CUkernel);
#[since(12040)] #[local] #[soft]
fn cuKernelGetParamInfo(
    kernel: CUkernel, paramIndex: usize, paramOffset: *mut usize, paramSize: *mut usize,
);
#[since(12000)] #[soft] #[is(code::functions::set_attribute(kernel(kernel), attrib, val, dev))]
#[requires(attrib == 9 || val >= 0)] #[requires(attrib != 9 || matches!(val, -1..=100))]
#[requires(attrib != 14 || val <= 1)] #[requires(attrib != 15 || val <= 2)]
fn cuKernelSetAttribute(
    #[one_of(8 | 9 | 11..=15)] attrib: CUfunction_attribute, val: i32, kernel: CUkernel,
    dev: CUdevice,
);
#[since(12000)] #[soft] #[is(code::functions::set_cache_config(kernel(kernel), config, dev))]
fn cuKernelSetCacheConfig(kernel: CUkernel, #[one_of(0..=3)] config: CUfunc_cache, dev: CUdevice);
#[since(12040)] #[soft] #[is(code::module::enumerate(handles::library(lib), kernels, numKernels))]
fn cuLibraryEnumerateKernels(kernels: *mut CUkernel, numKernels: u32, lib: CUlibrary);
#[since(12000)] #[soft]
#[is(code::module::global(handles::library(library), arguments::name(name)) -> (dptr, bytes))]
fn cuLibraryGetGlobal(
    dptr: Option<Out<CUdeviceptr>>, bytes: Option<Out<usize>>, library: CUlibrary,
    name: *const c_char,
);
#[since(12000)] #[soft]
#[is(code::functions::kernel_in(handles::library(library), arguments::name(name)) -> pKernel)]
fn cuLibraryGetKernel(pKernel: *mut CUkernel, library: CUlibrary, name: *const c_char);
#[since(12040)] #[soft] #[is(code::module::function_count(handles::library(lib)) -> count)]
fn cuLibraryGetKernelCount(count: *mut u32, lib: CUlibrary);
#[since(12000)] #[soft] #[is(memory::managed::variable(library, name) -> (dptr, bytes))]
fn cuLibraryGetManaged(
    dptr: Option<Out<CUdeviceptr>>, bytes: Option<Out<usize>>, library: CUlibrary,
    name: *const c_char,
);
#[since(12000)] #[soft] #[is(code::module::of_library(library) -> pMod)]
fn cuLibraryGetModule(pMod: *mut CUmodule, library: CUlibrary);
#[since(12000)] #[local] #[soft]
fn cuLibraryGetUnifiedFunction(fptr: *mut *mut c_void, library: CUlibrary, symbol: *const c_char);
#[since(12000)] #[soft] #[custom("ignores options that do not change what is loaded")]
fn cuLibraryLoadData(
    library: *mut CUlibrary, code: *const c_void, jitOptions: *mut CUjit_option,
    jitOptionsValues: *mut *mut c_void, #[at_most(1024)] numJitOptions: u32,
    libraryOptions: *mut CUlibraryOption, libraryOptionValues: *mut *mut c_void,
    #[at_most(1024)] numLibraryOptions: u32,
);
#[since(12000)] #[soft] #[custom("reads the file before it checks its place")]
fn cuLibraryLoadFromFile(
    library: *mut CUlibrary, fileName: *const c_char, jitOptions: *mut CUjit_option,
    jitOptionsValues: *mut *mut c_void, #[at_most(1024)] numJitOptions: u32,
    libraryOptions: *mut CUlibraryOption, libraryOptionValues: *mut *mut c_void,
    #[at_most(1024)] numLibraryOptions: u32,
);
#[since(12000)] #[soft] #[is(code::module::unload(loaded_library(library)))]
fn cuLibraryUnload(library: CUlibrary);

// ---- Launches ----

#[since(2000)] #[soft] #[is(code::legacy_launch::launch(f, 1, 1, CUstream::NULL))]
fn cuLaunch(f: CUfunction);
#[since(9000)] #[ptsz(9000)] #[soft]
#[is(code::launch::launch_cooperative(f, [gridDimX, gridDimY, gridDimZ], [blockDimX, blockDimY,
    blockDimZ], sharedMemBytes, hStream, kernelParams))]
fn cuLaunchCooperativeKernel(
    f: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32,
    blockDimZ: u32, sharedMemBytes: u32, hStream: CUstream, kernelParams: *mut *mut c_void,
);
#[since(9000)] #[soft] #[custom("a list of launches, of which it takes one")]
fn cuLaunchCooperativeKernelMultiDevice(
    launchParamsList: *mut CUDA_LAUNCH_PARAMS, numDevices: u32, #[flags(3)] flags: u32,
);
#[since(2000)] #[soft]
#[is(code::legacy_launch::launch(f, grid_width, grid_height, CUstream::NULL))]
fn cuLaunchGrid(f: CUfunction, grid_width: i32, grid_height: i32);
#[since(2000)] #[soft] #[is(code::legacy_launch::launch(f, grid_width, grid_height, hStream))]
fn cuLaunchGridAsync(f: CUfunction, grid_width: i32, grid_height: i32, hStream: CUstream);
#[since(10000)] #[ptsz(10000)] #[soft] #[is(streams::callback::launch(hStream, fn_, userData))]
fn cuLaunchHostFunc(hStream: CUstream, fn_: CUhostFn, userData: *mut c_void);
#[since(4000)] #[ptsz(7000)] #[soft]
#[is(code::launch::launch(f, [gridDimX, gridDimY, gridDimZ], [blockDimX, blockDimY, blockDimZ],
    sharedMemBytes, hStream, kernelParams, extra))]
fn cuLaunchKernel(
    f: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32,
    blockDimZ: u32, sharedMemBytes: u32, hStream: CUstream, kernelParams: *mut *mut c_void,
    extra: *mut *mut c_void,
);
#[since(11060)] #[ptsz(11060)] #[soft]
#[is(code::launch::launch_configured(config, f, kernelParams, extra, stream))]
fn cuLaunchKernelEx(
    config: In<CUlaunchConfig>, f: CUfunction, kernelParams: *mut *mut c_void,
    extra: *mut *mut c_void,
);
#[since(10020)] #[call(op = 116, memo)] #[does(nothing)] #[soft]
fn cuOccupancyAvailableDynamicSMemPerBlock(
    dynamicSmemSize: Out<usize>, func: CUfunction, numBlocks: i32, blockSize: i32,
);
#[since(6050)] #[call(op = 117, memo)] #[does(nothing)] #[soft]
fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    numBlocks: Out<i32>, func: CUfunction, blockSize: i32, dynamicSMemSize: usize,
);
#[since(7000)] #[call(op = 118, memo)] #[does(nothing)] #[soft]
fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    numBlocks: Out<i32>, func: CUfunction, blockSize: i32, dynamicSMemSize: usize,
    #[flags(1)] flags: u32,
);
#[since(11070)] #[soft] #[is(code::occupancy::clusters(func, config, true) -> numClusters)]
fn cuOccupancyMaxActiveClusters(
    numClusters: *mut i32, func: CUfunction, config: In<CUlaunchConfig>,
);
#[since(6050)] #[local] #[soft]
fn cuOccupancyMaxPotentialBlockSize(
    minGridSize: *mut i32, blockSize: *mut i32, func: CUfunction,
    blockSizeToDynamicSMemSize: CUoccupancyB2DSize, dynamicSMemSize: usize, blockSizeLimit: i32,
);
#[since(7000)] #[local] #[soft]
fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    minGridSize: *mut i32, blockSize: *mut i32, func: CUfunction,
    blockSizeToDynamicSMemSize: CUoccupancyB2DSize, dynamicSMemSize: usize, blockSizeLimit: i32,
    #[flags(1)] flags: u32,
);
#[since(11070)] #[soft] #[is(code::occupancy::clusters(func, config, false) -> clusterSize)]
fn cuOccupancyMaxPotentialClusterSize(
    clusterSize: *mut i32, func: CUfunction, config: In<CUlaunchConfig>,
);
#[since(2000)] #[local] #[soft]
fn cuParamSetSize(hfunc: CUfunction, numbytes: u32);
#[since(2000)] #[local]
fn cuParamSetTexRef(hfunc: CUfunction, texunit: i32, hTexRef: CUtexref);
#[since(2000)] #[local] #[soft]
fn cuParamSetf(hfunc: CUfunction, offset: i32, value: f32);
#[since(2000)] #[local] #[soft]
fn cuParamSeti(hfunc: CUfunction, offset: i32, value: u32);
#[since(2000)] #[local] #[soft]
fn cuParamSetv(hfunc: CUfunction, offset: i32, ptr: *mut c_void, numbytes: u32);

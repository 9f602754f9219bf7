//! Modules, libraries, kernels, and their launches.

// ---- Modules ----

#[since(5050)] #[form_of(cuLinkAddData_v2)] #[soft]
fn cuLinkAddData(
    state: CUlinkState, type_: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char,
    numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void,
);
#[since(6050)] #[custom] #[soft]
fn cuLinkAddData_v2(
    state: CUlinkState, type_: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char,
    numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void,
);
#[since(5050)] #[form_of(cuLinkAddFile_v2)] #[soft]
fn cuLinkAddFile(
    state: CUlinkState, type_: CUjitInputType, path: *const c_char, numOptions: u32,
    options: *mut CUjit_option, optionValues: *mut *mut c_void,
);
#[since(6050)] #[custom] #[soft]
fn cuLinkAddFile_v2(
    state: CUlinkState, type_: CUjitInputType, path: *const c_char, numOptions: u32,
    options: *mut CUjit_option, optionValues: *mut *mut c_void,
);
#[since(5050)] #[custom] #[soft]
fn cuLinkComplete(state: CUlinkState, cubinOut: *mut *mut c_void, sizeOut: *mut usize);
#[since(5050)] #[form_of(cuLinkCreate_v2)] #[soft]
fn cuLinkCreate(
    numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void,
    stateOut: *mut CUlinkState,
);
#[since(6050)] #[custom] #[soft]
fn cuLinkCreate_v2(
    numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void,
    stateOut: *mut CUlinkState,
);
#[since(5050)] #[custom] #[soft]
fn cuLinkDestroy(state: CUlinkState);
#[since(12040)] #[custom] #[soft]
fn cuModuleEnumerateFunctions(functions: *mut CUfunction, numFunctions: u32, module: CUmodule);
#[since(2000)] #[custom] #[soft]
fn cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char);
#[since(12040)] #[custom] #[soft]
fn cuModuleGetFunctionCount(count: *mut u32, hmod: CUmodule);
#[since(2000)] #[form_of(cuModuleGetGlobal_v2, narrow)] #[soft]
fn cuModuleGetGlobal(
    dptr: *mut CUdeviceptr_v1, bytes: *mut u32, hmod: CUmodule, name: *const c_char,
);
#[since(3020)] #[custom] #[soft]
fn cuModuleGetGlobal_v2(
    dptr: *mut CUdeviceptr, bytes: *mut usize, hmod: CUmodule, name: *const c_char,
);
#[since(11070)] #[local] #[soft]
fn cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode);
#[since(3000)] #[custom]
fn cuModuleGetSurfRef(pSurfRef: *mut CUsurfref, hmod: CUmodule, name: *const c_char);
#[since(2000)] #[custom]
fn cuModuleGetTexRef(pTexRef: *mut CUtexref, hmod: CUmodule, name: *const c_char);
#[since(2000)] #[custom] #[soft]
fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char);
#[since(2000)] #[custom] #[soft]
fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void);
#[since(2010)] #[custom] #[soft]
fn cuModuleLoadDataEx(
    module: *mut CUmodule, image: *const c_void, numOptions: u32, options: *mut CUjit_option,
    optionValues: *mut *mut c_void,
);
#[since(2000)] #[custom] #[soft]
fn cuModuleLoadFatBinary(module: *mut CUmodule, fatCubin: *const c_void);
#[since(2000)] #[custom] #[soft]
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
#[since(9000)] #[custom] #[soft]
fn cuFuncSetAttribute(hfunc: CUfunction, attrib: CUfunction_attribute, value: i32);
#[since(2000)] #[local] #[soft]
fn cuFuncSetBlockShape(hfunc: CUfunction, x: i32, y: i32, z: i32);
#[since(3000)] #[custom] #[soft]
fn cuFuncSetCacheConfig(hfunc: CUfunction, config: CUfunc_cache);
#[since(4020)] #[local] #[soft]
fn cuFuncSetSharedMemConfig(hfunc: CUfunction, config: CUsharedconfig);
#[since(2000)] #[local] #[soft]
fn cuFuncSetSharedSize(hfunc: CUfunction, bytes: u32);
#[since(12000)] #[local] #[soft]
fn cuKernelGetAttribute(
    pi: *mut i32, attrib: CUfunction_attribute, kernel: CUkernel, dev: CUdevice,
);
#[since(12000)] #[custom] #[soft]
fn cuKernelGetFunction(pFunc: *mut CUfunction, kernel: CUkernel);
#[since(12050)] #[local] #[soft]
fn cuKernelGetLibrary(pLib: *mut CUlibrary, kernel: CUkernel);
#[since(12030)] #[local] #[soft]
fn cuKernelGetName(name: *mut *const c_char, hfunc: CUkernel);
#[since(12040)] #[local] #[soft]
fn cuKernelGetParamInfo(
    kernel: CUkernel, paramIndex: usize, paramOffset: *mut usize, paramSize: *mut usize,
);
#[since(12000)] #[custom] #[soft]
fn cuKernelSetAttribute(attrib: CUfunction_attribute, val: i32, kernel: CUkernel, dev: CUdevice);
#[since(12000)] #[custom] #[soft]
fn cuKernelSetCacheConfig(kernel: CUkernel, config: CUfunc_cache, dev: CUdevice);
#[since(12040)] #[custom] #[soft]
fn cuLibraryEnumerateKernels(kernels: *mut CUkernel, numKernels: u32, lib: CUlibrary);
#[since(12000)] #[custom] #[soft]
fn cuLibraryGetGlobal(
    dptr: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char,
);
#[since(12000)] #[custom] #[soft]
fn cuLibraryGetKernel(pKernel: *mut CUkernel, library: CUlibrary, name: *const c_char);
#[since(12040)] #[custom] #[soft]
fn cuLibraryGetKernelCount(count: *mut u32, lib: CUlibrary);
#[since(12000)] #[custom] #[soft]
fn cuLibraryGetManaged(
    dptr: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char,
);
#[since(12000)] #[custom] #[soft]
fn cuLibraryGetModule(pMod: *mut CUmodule, library: CUlibrary);
#[since(12000)] #[local] #[soft]
fn cuLibraryGetUnifiedFunction(fptr: *mut *mut c_void, library: CUlibrary, symbol: *const c_char);
#[since(12000)] #[custom] #[soft]
fn cuLibraryLoadData(
    library: *mut CUlibrary, code: *const c_void, jitOptions: *mut CUjit_option,
    jitOptionsValues: *mut *mut c_void, numJitOptions: u32, libraryOptions: *mut CUlibraryOption,
    libraryOptionValues: *mut *mut c_void, numLibraryOptions: u32,
);
#[since(12000)] #[custom] #[soft]
fn cuLibraryLoadFromFile(
    library: *mut CUlibrary, fileName: *const c_char, jitOptions: *mut CUjit_option,
    jitOptionsValues: *mut *mut c_void, numJitOptions: u32, libraryOptions: *mut CUlibraryOption,
    libraryOptionValues: *mut *mut c_void, numLibraryOptions: u32,
);
#[since(12000)] #[custom] #[soft]
fn cuLibraryUnload(library: CUlibrary);

// ---- Launches ----

#[since(2000)] #[custom] #[soft]
fn cuLaunch(f: CUfunction);
#[since(9000)] #[ptsz(9000)] #[custom] #[soft]
fn cuLaunchCooperativeKernel(
    f: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32,
    blockDimZ: u32, sharedMemBytes: u32, hStream: CUstream, kernelParams: *mut *mut c_void,
);
#[since(9000)] #[custom] #[soft]
fn cuLaunchCooperativeKernelMultiDevice(
    launchParamsList: *mut CUDA_LAUNCH_PARAMS, numDevices: u32, flags: u32,
);
#[since(2000)] #[custom] #[soft]
fn cuLaunchGrid(f: CUfunction, grid_width: i32, grid_height: i32);
#[since(2000)] #[custom] #[soft]
fn cuLaunchGridAsync(f: CUfunction, grid_width: i32, grid_height: i32, hStream: CUstream);
#[since(10000)] #[ptsz(10000)] #[custom] #[soft]
fn cuLaunchHostFunc(hStream: CUstream, fn_: CUhostFn, userData: *mut c_void);
#[since(4000)] #[ptsz(7000)] #[custom] #[soft]
fn cuLaunchKernel(
    f: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32,
    blockDimZ: u32, sharedMemBytes: u32, hStream: CUstream, kernelParams: *mut *mut c_void,
    extra: *mut *mut c_void,
);
#[since(11060)] #[ptsz(11060)] #[custom] #[soft]
fn cuLaunchKernelEx(
    config: *const CUlaunchConfig, f: CUfunction, kernelParams: *mut *mut c_void,
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
    numBlocks: Out<i32>, func: CUfunction, blockSize: i32, dynamicSMemSize: usize, flags: u32,
);
#[since(11070)] #[custom] #[soft]
fn cuOccupancyMaxActiveClusters(
    numClusters: *mut i32, func: CUfunction, config: *const CUlaunchConfig,
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
    flags: u32,
);
#[since(11070)] #[custom] #[soft]
fn cuOccupancyMaxPotentialClusterSize(
    clusterSize: *mut i32, func: CUfunction, config: *const CUlaunchConfig,
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

//! Memory: memory pools, virtual memory, and other memory.

// ---- Memory pools ----

#[since(11020)] #[ptsz(11020)] #[soft] #[custom("checks its place after the stream")]
fn cuMemAllocAsync(dptr: *mut CUdeviceptr, #[room] bytesize: usize, hStream: CUstream);
#[since(11020)] #[ptsz(11020)] #[soft] #[custom("checks its place after the stream")]
fn cuMemAllocFromPoolAsync(
    dptr: *mut CUdeviceptr, #[room] bytesize: usize, pool: CUmemoryPool, hStream: CUstream,
);
#[since(11020)] #[ptsz(11020)] #[soft] #[is(memory::pools::free_in_stream(dptr, hStream))]
fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream);
#[since(13000)] #[local]
fn cuMemGetDefaultMemPool(
    pool_out: *mut CUmemoryPool, location: *mut CUmemLocation, type_: CUmemAllocationType,
);
#[since(13000)] #[local]
fn cuMemGetMemPool(
    pool_out: *mut CUmemoryPool, location: *mut CUmemLocation, type_: CUmemAllocationType,
);
#[since(11020)] #[local] #[unsafe_in_capture] #[soft]
fn cuMemPoolCreate(pool: *mut CUmemoryPool, poolProps: *const CUmemPoolProps);
#[since(11020)] #[local] #[soft]
fn cuMemPoolDestroy(pool: CUmemoryPool);
#[since(11020)] #[custom("checks its place after the address")]
fn cuMemPoolExportPointer(shareData_out: *mut CUmemPoolPtrExportData, ptr: CUdeviceptr);
#[since(11020)] #[local]
fn cuMemPoolExportToShareableHandle(
    handle_out: *mut c_void, pool: CUmemoryPool, handleType: CUmemAllocationHandleType, flags: u64,
);
#[since(11020)] #[local] #[soft]
fn cuMemPoolGetAccess(
    flags: *mut CUmemAccess_flags, memPool: CUmemoryPool, location: *mut CUmemLocation,
);
#[since(11020)] #[local] #[unsafe_in_capture] #[soft]
fn cuMemPoolGetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void);
#[since(11020)] #[local]
fn cuMemPoolImportFromShareableHandle(
    pool_out: *mut CUmemoryPool, handle: *mut c_void, handleType: CUmemAllocationHandleType,
    flags: u64,
);
#[since(11020)] #[custom("checks its place after the pool and the ticket")]
fn cuMemPoolImportPointer(
    ptr_out: *mut CUdeviceptr, pool: CUmemoryPool, shareData: *mut CUmemPoolPtrExportData,
);
#[since(11020)] #[local] #[soft]
fn cuMemPoolSetAccess(pool: CUmemoryPool, map: *const CUmemAccessDesc, count: usize);
#[since(11020)] #[local] #[soft]
fn cuMemPoolSetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void);
#[since(11020)] #[unsafe_in_capture] #[soft]
#[is(memory::pools::trim_to(own_pool(pool), minBytesToKeep))]
fn cuMemPoolTrimTo(pool: CUmemoryPool, minBytesToKeep: usize);
#[since(13000)] #[local]
fn cuMemSetMemPool(location: *mut CUmemLocation, type_: CUmemAllocationType, pool: CUmemoryPool);

// ---- Virtual memory ----

#[since(10020)] #[local] #[soft]
fn cuMemAddressFree(ptr: CUdeviceptr, #[at_most(0x8000_0000_0000)] size: usize);
#[since(10020)] #[local] #[soft]
fn cuMemAddressReserve(
    ptr: *mut CUdeviceptr, #[room] size: usize, alignment: usize, addr: CUdeviceptr,
    #[one_of(0)] flags: u64,
);
#[since(10020)] #[soft] #[custom("checks its place after the properties")]
fn cuMemCreate(
    handle: *mut CUmemGenericAllocationHandle, #[room] size: usize,
    prop: *const CUmemAllocationProp, #[one_of(0)] flags: u64,
);
#[since(10020)] #[soft] #[custom("the type of its place depends on another argument")]
fn cuMemExportToShareableHandle(
    shareableHandle: *mut c_void, handle: CUmemGenericAllocationHandle,
    handleType: CUmemAllocationHandleType, flags: u64,
);
#[since(10020)] #[local] #[soft]
fn cuMemGetAccess(flags: *mut u64, location: *const CUmemLocation, ptr: CUdeviceptr);
#[since(10020)] #[local] #[soft]
fn cuMemGetAllocationGranularity(
    granularity: *mut usize, prop: *const CUmemAllocationProp,
    option: CUmemAllocationGranularity_flags,
);
#[since(10020)] #[local] #[soft]
fn cuMemGetAllocationPropertiesFromHandle(
    prop: *mut CUmemAllocationProp, handle: CUmemGenericAllocationHandle,
);
#[since(10020)] #[soft] #[custom("a pointer argument that is a descriptor")]
fn cuMemImportFromShareableHandle(
    handle: *mut CUmemGenericAllocationHandle, osHandle: *mut c_void,
    shHandleType: CUmemAllocationHandleType,
);
#[since(10020)] #[soft] #[is(memory::virtual_memory::map(ptr, size, offset, handle, flags))]
fn cuMemMap(
    ptr: CUdeviceptr, #[at_most(0x8000_0000_0000)] size: usize,
    #[at_most(0x8000_0000_0000)] offset: usize, handle: CUmemGenericAllocationHandle,
    #[one_of(0)] flags: u64,
);
#[since(11010)] #[ptsz(11010)] #[unsupported(sparse)] #[untyped] fn cuMemMapArrayAsync();
#[since(10020)] #[soft] #[is(memory::virtual_memory::release(handle))]
fn cuMemRelease(handle: CUmemGenericAllocationHandle);
#[since(11000)] #[local] #[soft]
fn cuMemRetainAllocationHandle(handle: *mut CUmemGenericAllocationHandle, addr: *mut c_void);
#[since(10020)] #[soft]
#[custom("a list of descriptions, each carried out before the next is checked")]
fn cuMemSetAccess(
    ptr: CUdeviceptr, #[at_most(0x8000_0000_0000)] size: usize, desc: *const CUmemAccessDesc,
    count: usize,
);
#[since(10020)] #[soft] #[is(memory::virtual_memory::unmap(ptr, size))]
fn cuMemUnmap(ptr: CUdeviceptr, #[at_most(0x8000_0000_0000)] size: usize);
#[since(12010)] #[unsupported(multicast)] #[refused]
fn cuMulticastAddDevice(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice);
#[since(12010)] #[unsupported(multicast)] #[refused]
fn cuMulticastBindAddr(
    mcHandle: CUmemGenericAllocationHandle, mcOffset: usize, memptr: CUdeviceptr, size: usize,
    flags: u64,
);
#[since(12010)] #[unsupported(multicast)] #[refused]
fn cuMulticastBindMem(
    mcHandle: CUmemGenericAllocationHandle, mcOffset: usize,
    memHandle: CUmemGenericAllocationHandle, memOffset: usize, size: usize, flags: u64,
);
#[since(12010)] #[unsupported(multicast)] #[refused] #[untyped] fn cuMulticastCreate();
#[since(12010)] #[unsupported(multicast)] #[refused] #[untyped] fn cuMulticastGetGranularity();
#[since(12010)] #[unsupported(multicast)] #[refused]
fn cuMulticastUnbind(
    mcHandle: CUmemGenericAllocationHandle, dev: CUdevice, mcOffset: usize, size: usize,
);

// ---- Memory ----

#[since(4010)] #[is(memory::sharing::close_opened(dptr))]
fn cuIpcCloseMemHandle(dptr: CUdeviceptr);
#[since(4010)] #[soft] #[custom("checks its place after the event")]
fn cuIpcGetEventHandle(pHandle: *mut CUipcEventHandle, event: CUevent);
#[since(4010)] #[custom("checks its place after the address")]
fn cuIpcGetMemHandle(pHandle: *mut CUipcMemHandle, dptr: CUdeviceptr);
#[since(4010)] #[soft] #[custom("checks its place after the context")]
fn cuIpcOpenEventHandle(phEvent: *mut CUevent, handle: CUipcEventHandle);
#[since(4010)] #[is(cuIpcOpenMemHandle_v2(pdptr, handle, Flags))]
fn cuIpcOpenMemHandle(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, Flags: u32);
#[since(11000)] #[custom("checks its place after the context")]
fn cuIpcOpenMemHandle_v2(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, Flags: u32);
#[since(8000)] #[local] #[soft]
fn cuMemAdvise(
    devPtr: CUdeviceptr, #[at_most(0x8000_0000_0000)] count: usize, advice: CUmem_advise,
    device: CUdevice,
);
#[since(12020)] #[local] #[soft]
fn cuMemAdvise_v2(
    devPtr: CUdeviceptr,
    #[at_most(0x8000_0000_0000)] count: usize, advice: CUmem_advise, location: CUmemLocation,
);
#[since(2000)] #[form_of(cuMemAlloc_v2, narrow)] #[soft]
fn cuMemAlloc(dptr: *mut CUdeviceptr_v1, bytesize: u32);
#[since(3020)] #[unsafe_in_capture] #[soft] #[is(memory::allocate_on_device(bytesize) -> dptr)]
fn cuMemAlloc_v2(dptr: Out<CUdeviceptr>, #[room] bytesize: usize);
#[since(2000)] #[form_of(cuMemAllocHost_v2, narrow)] #[soft]
fn cuMemAllocHost(pp: *mut *mut c_void, bytesize: u32);
#[since(3020)] #[local] #[unsafe_in_capture] #[soft]
fn cuMemAllocHost_v2(pp: *mut *mut c_void, #[room] bytesize: usize);
#[since(6000)] #[unsafe_in_capture] #[soft]
#[is(memory::managed::allocate_managed(bytesize, flags) -> dptr)]
fn cuMemAllocManaged(dptr: Out<CUdeviceptr>, #[room] bytesize: usize, flags: u32);
#[since(2000)] #[form_of(cuMemAllocPitch_v2, narrow)] #[soft]
fn cuMemAllocPitch(
    dptr: *mut CUdeviceptr_v1, pPitch: *mut u32, WidthInBytes: u32, Height: u32,
    ElementSizeBytes: u32,
);
#[since(3020)] #[unsafe_in_capture] #[soft]
#[is(memory::allocate_rows(WidthInBytes, Height, ElementSizeBytes) -> (dptr, pPitch))]
fn cuMemAllocPitch_v2(
    dptr: Out<CUdeviceptr>, pPitch: Out<usize>, #[room] WidthInBytes: usize, #[room] Height: usize,
    #[one_of(4 | 8 | 16)] ElementSizeBytes: u32,
);
#[since(12060)] #[ptsz(12060)] #[unsupported(decompression)] #[untyped]
fn cuMemBatchDecompressAsync();
#[since(13000)] #[ptsz(13000)] #[local] #[soft]
fn cuMemDiscardAndPrefetchBatchAsync(
    dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetchLocs: *mut CUmemLocation,
    prefetchLocIdxs: *mut usize, numPrefetchLocs: usize, flags: u64, hStream: CUstream,
);
#[since(13000)] #[ptsz(13000)] #[local] #[soft]
fn cuMemDiscardBatchAsync(
    dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, flags: u64, hStream: CUstream,
);
#[since(2000)] #[form_of(cuMemFree_v2, narrow)] #[soft]
fn cuMemFree(dptr: CUdeviceptr_v1);
#[since(3020)] #[unsafe_in_capture] #[soft] #[is(memory::free_on_device(dptr))]
fn cuMemFree_v2(dptr: CUdeviceptr);
#[since(2000)] #[unsafe_in_capture] #[soft] #[is(memory::host::free(p))]
fn cuMemFreeHost(p: *mut c_void);
#[since(2000)] #[form_of(cuMemGetAddressRange_v2, narrow)] #[soft]
fn cuMemGetAddressRange(pbase: *mut CUdeviceptr_v1, psize: *mut u32, dptr: CUdeviceptr_v1);
#[since(3020)] #[local] #[soft]
fn cuMemGetAddressRange_v2(pbase: *mut CUdeviceptr, psize: *mut usize, dptr: CUdeviceptr);
#[unsupported(undocumented)] #[untyped] fn cuMemGetAttribute();
#[unsupported(undocumented)] #[untyped] fn cuMemGetAttribute_v2();
#[since(11070)] #[unsupported(rdma)] #[refused] #[untyped] fn cuMemGetHandleForAddressRange();
#[since(2000)] #[form_of(cuMemGetInfo_v2, narrow)] #[soft]
fn cuMemGetInfo(free: *mut u32, total: *mut u32);
#[since(3020)] #[soft] #[is(memory::free_and_total() -> (free, total))]
fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>);
#[since(2020)] #[local] #[unsafe_in_capture] #[soft]
fn cuMemHostAlloc(pp: *mut *mut c_void, #[room] bytesize: usize, Flags: u32);
#[since(2020)] #[form_of(cuMemHostGetDevicePointer_v2, narrow)] #[soft]
fn cuMemHostGetDevicePointer(pdptr: *mut CUdeviceptr_v1, p: *mut c_void, Flags: u32);
#[since(3020)] #[local] #[soft]
fn cuMemHostGetDevicePointer_v2(pdptr: *mut CUdeviceptr, p: *mut c_void, #[one_of(0)] Flags: u32);
#[since(2030)] #[local] #[soft]
fn cuMemHostGetFlags(pFlags: *mut u32, p: *mut c_void);
#[since(4000)] #[form_of(cuMemHostRegister_v2)] #[soft]
fn cuMemHostRegister(p: *mut c_void, bytesize: usize, Flags: u32);
#[since(6050)] #[local] #[unsafe_in_capture] #[soft]
fn cuMemHostRegister_v2(p: *mut c_void, #[at_most(0x8000_0000_0000)] bytesize: usize, Flags: u32);
#[since(4000)] #[unsafe_in_capture] #[soft] #[is(memory::host::unregister(p))]
fn cuMemHostUnregister(p: *mut c_void);
#[since(8000)] #[ptsz(8000)] #[local] #[soft]
fn cuMemPrefetchAsync(
    devPtr: CUdeviceptr, #[at_most(0x8000_0000_0000)] count: usize, dstDevice: CUdevice,
    hStream: CUstream,
);
#[since(12020)] #[ptsz(12020)] #[local] #[soft]
fn cuMemPrefetchAsync_v2(
    devPtr: CUdeviceptr, #[at_most(0x8000_0000_0000)] count: usize, location: CUmemLocation,
    #[one_of(0)] flags: u32, hStream: CUstream,
);
#[since(13000)] #[ptsz(13000)] #[local] #[soft]
fn cuMemPrefetchBatchAsync(
    dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetchLocs: *mut CUmemLocation,
    prefetchLocIdxs: *mut usize, numPrefetchLocs: usize, flags: u64, hStream: CUstream,
);
#[since(8000)] #[local] #[soft]
fn cuMemRangeGetAttribute(
    data: *mut c_void, dataSize: usize, attribute: CUmem_range_attribute, devPtr: CUdeviceptr,
    #[at_most(0x8000_0000_0000)] count: usize,
);
#[since(8000)] #[local] #[soft]
fn cuMemRangeGetAttributes(
    data: *mut *mut c_void, dataSizes: *mut usize, attributes: *mut CUmem_range_attribute,
    numAttributes: usize, devPtr: CUdeviceptr, #[at_most(0x8000_0000_0000)] count: usize,
);
#[since(4000)] #[local] #[soft]
fn cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr);
#[since(7000)] #[local] #[soft]
fn cuPointerGetAttributes(
    numAttributes: u32, attributes: *mut CUpointer_attribute, data: *mut *mut c_void,
    ptr: CUdeviceptr,
);
#[since(6000)] #[local] #[soft]
fn cuPointerSetAttribute(value: *const c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr);

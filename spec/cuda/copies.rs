//! Copies, and fills with a value.

// ---- Copies ----

#[since(4000)] #[ptds(7000)] #[soft]
#[is(copies::flat::unified(dst, src, ByteCount, stream, Mode::Synchronous))]
fn cuMemcpy(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize);
#[since(2000)] #[form_of(cuMemcpy2D_v2, narrow)] #[soft]
fn cuMemcpy2D(pCopy: *const CUDA_MEMCPY2D_v1);
#[since(3020)] #[ptds(7000)] #[soft] #[is(copies::rows::copy_2d(pCopy, stream, Mode::Synchronous))]
fn cuMemcpy2D_v2(pCopy: In<CUDA_MEMCPY2D>);
#[since(2000)] #[form_of(cuMemcpy2DAsync_v2, narrow)] #[soft]
fn cuMemcpy2DAsync(pCopy: *const CUDA_MEMCPY2D_v1, hStream: CUstream);
#[since(3020)] #[ptsz(7000)] #[soft]
#[is(copies::rows::copy_2d(pCopy, hStream, Mode::Asynchronous))]
fn cuMemcpy2DAsync_v2(pCopy: In<CUDA_MEMCPY2D>, hStream: CUstream);
#[since(2000)] #[form_of(cuMemcpy2DUnaligned_v2, narrow)] #[soft]
fn cuMemcpy2DUnaligned(pCopy: *const CUDA_MEMCPY2D_v1);
#[since(3020)] #[ptds(7000)] #[soft] #[is(copies::rows::copy_2d(pCopy, stream, Mode::Synchronous))]
fn cuMemcpy2DUnaligned_v2(pCopy: In<CUDA_MEMCPY2D>);
#[since(2000)] #[form_of(cuMemcpy3D_v2, narrow)] #[soft]
fn cuMemcpy3D(pCopy: *const CUDA_MEMCPY3D_v1);
#[since(3020)] #[ptds(7000)] #[soft] #[is(copies::rows::copy_3d(pCopy, stream, Mode::Synchronous))]
fn cuMemcpy3D_v2(pCopy: In<CUDA_MEMCPY3D>);
#[since(2000)] #[form_of(cuMemcpy3DAsync_v2, narrow)] #[soft]
fn cuMemcpy3DAsync(pCopy: *const CUDA_MEMCPY3D_v1, hStream: CUstream);
#[since(3020)] #[ptsz(7000)] #[soft]
#[is(copies::rows::copy_3d(pCopy, hStream, Mode::Asynchronous))]
fn cuMemcpy3DAsync_v2(pCopy: In<CUDA_MEMCPY3D>, hStream: CUstream);
#[since(12080)] #[ptsz(12080)] #[soft] #[custom("a list of copies, and an index of what failed")]
fn cuMemcpy3DBatchAsync(
    numOps: usize, opList: *const CUDA_MEMCPY3D_BATCH_OP, failIdx: *mut usize, flags: u64,
    hStream: CUstream,
);
#[since(13000)] #[ptsz(13000)] #[soft]
#[is(cuMemcpy3DBatchAsync(numOps, opList, null, flags, hStream))]
fn cuMemcpy3DBatchAsync_v2(
    numOps: usize, opList: *const CUDA_MEMCPY3D_BATCH_OP, flags: u64, hStream: CUstream,
);
#[since(4000)] #[ptds(7000)] #[soft] #[is(copies::peer::copy_3d(pCopy, stream, Mode::Synchronous))]
fn cuMemcpy3DPeer(pCopy: In<CUDA_MEMCPY3D_PEER>);
#[since(4000)] #[ptsz(7000)] #[soft]
#[is(copies::peer::copy_3d(pCopy, hStream, Mode::Asynchronous))]
fn cuMemcpy3DPeerAsync(pCopy: In<CUDA_MEMCPY3D_PEER>, hStream: CUstream);
#[since(4000)] #[ptsz(7000)] #[soft]
#[is(copies::flat::unified(dst, src, ByteCount, hStream, Mode::Asynchronous))]
fn cuMemcpyAsync(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize, hStream: CUstream);
#[since(2000)] #[form_of(cuMemcpyAtoA_v2, narrow)] #[soft]
fn cuMemcpyAtoA(
    dstArray: CUarray, dstOffset: u32, srcArray: CUarray, srcOffset: u32, ByteCount: u32,
);
#[since(3020)] #[ptds(7000)] #[soft]
#[is(copies::array::between(dstArray, dstOffset, srcArray, srcOffset, ByteCount, stream))]
fn cuMemcpyAtoA_v2(
    dstArray: CUarray, dstOffset: usize, srcArray: CUarray, srcOffset: usize, ByteCount: usize,
);
#[since(2000)] #[form_of(cuMemcpyAtoD_v2, narrow)] #[soft]
fn cuMemcpyAtoD(dstDevice: CUdeviceptr_v1, srcArray: CUarray, srcOffset: u32, ByteCount: u32);
#[since(3020)] #[ptds(7000)] #[soft]
#[is(copies::array::to_device(dstDevice, srcArray, srcOffset, ByteCount, stream))]
fn cuMemcpyAtoD_v2(dstDevice: CUdeviceptr, srcArray: CUarray, srcOffset: usize, ByteCount: usize);
#[since(2000)] #[form_of(cuMemcpyAtoH_v2, narrow)] #[soft]
fn cuMemcpyAtoH(dstHost: *mut c_void, srcArray: CUarray, srcOffset: u32, ByteCount: u32);
#[since(3020)] #[ptds(7000)] #[soft]
#[is(copies::array::to_host(dstHost, srcArray, srcOffset, ByteCount, stream, Mode::Synchronous))]
fn cuMemcpyAtoH_v2(dstHost: *mut c_void, srcArray: CUarray, srcOffset: usize, ByteCount: usize);
#[since(2000)] #[form_of(cuMemcpyAtoHAsync_v2, narrow)] #[soft]
fn cuMemcpyAtoHAsync(
    dstHost: *mut c_void, srcArray: CUarray, srcOffset: u32, ByteCount: u32, hStream: CUstream,
);
#[since(3020)] #[ptsz(7000)] #[soft]
#[is(copies::array::to_host(dstHost, srcArray, srcOffset, ByteCount, hStream, Mode::Asynchronous))]
fn cuMemcpyAtoHAsync_v2(
    dstHost: *mut c_void, srcArray: CUarray, srcOffset: usize, ByteCount: usize, hStream: CUstream,
);
#[since(12080)] #[ptsz(12080)] #[soft]
#[custom("one count for several lists, and an index of what failed")]
fn cuMemcpyBatchAsync(
    dsts: *const CUdeviceptr, srcs: *const CUdeviceptr, sizes: *const usize, count: usize,
    attrs: *const CUmemcpyAttributes, attrsIdxs: *const usize, numAttrs: usize, failIdx: *mut usize,
    hStream: CUstream,
);
#[since(13000)] #[ptsz(13000)] #[soft]
#[is(cuMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, null, hStream))]
fn cuMemcpyBatchAsync_v2(
    dsts: *const CUdeviceptr, srcs: *const CUdeviceptr, sizes: *const usize, count: usize,
    attrs: *const CUmemcpyAttributes, attrsIdxs: *const usize, numAttrs: usize, hStream: CUstream,
);
#[since(2000)] #[form_of(cuMemcpyDtoA_v2, narrow)] #[soft]
fn cuMemcpyDtoA(dstArray: CUarray, dstOffset: u32, srcDevice: CUdeviceptr_v1, ByteCount: u32);
#[since(3020)] #[ptds(7000)] #[soft]
#[is(copies::array::from_device(dstArray, dstOffset, srcDevice, ByteCount, stream))]
fn cuMemcpyDtoA_v2(dstArray: CUarray, dstOffset: usize, srcDevice: CUdeviceptr, ByteCount: usize);
#[since(2000)] #[form_of(cuMemcpyDtoD_v2, narrow)] #[soft]
fn cuMemcpyDtoD(dstDevice: CUdeviceptr_v1, srcDevice: CUdeviceptr_v1, ByteCount: u32);
#[since(3020)] #[ptds(7000)] #[soft]
#[is(copies::flat::flat_on_device(dstDevice, srcDevice, ByteCount, stream, Mode::Synchronous))]
fn cuMemcpyDtoD_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize);
#[since(3000)] #[form_of(cuMemcpyDtoDAsync_v2, narrow)] #[soft]
fn cuMemcpyDtoDAsync(
    dstDevice: CUdeviceptr_v1, srcDevice: CUdeviceptr_v1, ByteCount: u32, hStream: CUstream,
);
#[since(3020)] #[ptsz(7000)] #[soft]
#[is(copies::flat::flat_on_device(dstDevice, srcDevice, ByteCount, hStream, Mode::Asynchronous))]
fn cuMemcpyDtoDAsync_v2(
    dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream,
);
#[since(2000)] #[form_of(cuMemcpyDtoH_v2, narrow)] #[soft]
fn cuMemcpyDtoH(dstHost: *mut c_void, srcDevice: CUdeviceptr_v1, ByteCount: u32);
#[since(3020)] #[ptds(7000)] #[soft]
#[is(copies::flat::flat_to_host(dstHost, srcDevice, ByteCount, stream, Mode::Synchronous))]
fn cuMemcpyDtoH_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize);
#[since(2000)] #[form_of(cuMemcpyDtoHAsync_v2, narrow)] #[soft]
fn cuMemcpyDtoHAsync(
    dstHost: *mut c_void, srcDevice: CUdeviceptr_v1, ByteCount: u32, hStream: CUstream,
);
#[since(3020)] #[ptsz(7000)] #[soft]
#[is(copies::flat::flat_to_host(dstHost, srcDevice, ByteCount, hStream, Mode::Asynchronous))]
fn cuMemcpyDtoHAsync_v2(
    dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream,
);
#[since(2000)] #[form_of(cuMemcpyHtoA_v2, narrow)] #[soft]
fn cuMemcpyHtoA(dstArray: CUarray, dstOffset: u32, srcHost: *const c_void, ByteCount: u32);
#[since(3020)] #[ptds(7000)] #[soft]
#[is(copies::array::from_host(dstArray, dstOffset, srcHost, ByteCount, stream, Mode::Synchronous))]
fn cuMemcpyHtoA_v2(dstArray: CUarray, dstOffset: usize, srcHost: *const c_void, ByteCount: usize);
#[since(2000)] #[form_of(cuMemcpyHtoAAsync_v2, narrow)] #[soft]
fn cuMemcpyHtoAAsync(
    dstArray: CUarray, dstOffset: u32, srcHost: *const c_void, ByteCount: u32, hStream: CUstream,
);
#[since(3020)] #[ptsz(7000)] #[soft]
#[is(copies::array::from_host(dstArray, dstOffset, srcHost, ByteCount, hStream,
    Mode::Asynchronous))]
fn cuMemcpyHtoAAsync_v2(
    dstArray: CUarray, dstOffset: usize, srcHost: *const c_void, ByteCount: usize,
    hStream: CUstream,
);
#[since(2000)] #[form_of(cuMemcpyHtoD_v2, narrow)] #[soft]
fn cuMemcpyHtoD(dstDevice: CUdeviceptr_v1, srcHost: *const c_void, ByteCount: u32);
#[since(3020)] #[ptds(7000)] #[soft]
#[is(copies::flat::flat_to_device(dstDevice, srcHost, ByteCount, stream, Mode::Synchronous))]
fn cuMemcpyHtoD_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize);
#[since(2000)] #[form_of(cuMemcpyHtoDAsync_v2, narrow)] #[soft]
fn cuMemcpyHtoDAsync(
    dstDevice: CUdeviceptr_v1, srcHost: *const c_void, ByteCount: u32, hStream: CUstream,
);
#[since(3020)] #[ptsz(7000)] #[soft]
#[is(copies::flat::flat_to_device(dstDevice, srcHost, ByteCount, hStream, Mode::Asynchronous))]
fn cuMemcpyHtoDAsync_v2(
    dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize, hStream: CUstream,
);
#[since(4000)] #[ptds(7000)] #[soft]
#[is(copies::peer::copy(dstDevice, dstContext, srcDevice, srcContext, ByteCount, stream,
    Mode::Synchronous))]
fn cuMemcpyPeer(
    dstDevice: CUdeviceptr, dstContext: CUcontext, srcDevice: CUdeviceptr, srcContext: CUcontext,
    ByteCount: usize,
);
#[since(4000)] #[ptsz(7000)] #[soft]
#[is(copies::peer::copy(dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream,
    Mode::Asynchronous))]
fn cuMemcpyPeerAsync(
    dstDevice: CUdeviceptr, dstContext: CUcontext, srcDevice: CUdeviceptr, srcContext: CUcontext,
    ByteCount: usize, hStream: CUstream,
);

// ---- Fills ----

#[since(2000)] #[form_of(cuMemsetD16_v2, narrow)] #[soft]
fn cuMemsetD16(dstDevice: CUdeviceptr_v1, us: u16, N: u32);
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD16Async)] #[soft]
#[touches(dstDevice, N.saturating_mul(2))]
fn cuMemsetD16_v2(dstDevice: CUdeviceptr, us: u16, N: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 110)]
#[does(compute, bytes = N * 2, captured)] #[soft]
#[touches(dstDevice, N.saturating_mul(2))]
fn cuMemsetD16Async(#[aligned(2)] dstDevice: CUdeviceptr, us: u16, N: usize, hStream: CUstream);
#[since(2000)] #[form_of(cuMemsetD2D16_v2, narrow)] #[soft]
fn cuMemsetD2D16(dstDevice: CUdeviceptr_v1, dstPitch: u32, us: u16, Width: u32, Height: u32);
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD2D16Async)] #[soft]
#[touches(dstDevice,
    Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width.saturating_mul(2)))]
fn cuMemsetD2D16_v2(dstDevice: CUdeviceptr, dstPitch: usize, us: u16, Width: usize, Height: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 111)]
#[does(compute, bytes = Width * Height * 2, captured)] #[soft]
#[touches(dstDevice,
    Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width.saturating_mul(2)))]
#[requires(Height <= 1 || dstPitch.is_multiple_of(2) && dstPitch >= Width.saturating_mul(2))]
fn cuMemsetD2D16Async(
    #[aligned(2)] dstDevice: CUdeviceptr, dstPitch: usize, us: u16, Width: usize, Height: usize,
    hStream: CUstream,
);
#[since(2000)] #[form_of(cuMemsetD2D32_v2, narrow)] #[soft]
fn cuMemsetD2D32(dstDevice: CUdeviceptr_v1, dstPitch: u32, ui: u32, Width: u32, Height: u32);
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD2D32Async)] #[soft]
#[touches(dstDevice,
    Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width.saturating_mul(4)))]
fn cuMemsetD2D32_v2(dstDevice: CUdeviceptr, dstPitch: usize, ui: u32, Width: usize, Height: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 112)]
#[does(compute, bytes = Width * Height * 4, captured)] #[soft]
#[touches(dstDevice,
    Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width.saturating_mul(4)))]
#[requires(Height <= 1 || dstPitch.is_multiple_of(4) && dstPitch >= Width.saturating_mul(4))]
fn cuMemsetD2D32Async(
    #[aligned(4)] dstDevice: CUdeviceptr, dstPitch: usize, ui: u32, Width: usize, Height: usize,
    hStream: CUstream,
);
#[since(2000)] #[form_of(cuMemsetD2D8_v2, narrow)] #[soft]
fn cuMemsetD2D8(dstDevice: CUdeviceptr_v1, dstPitch: u32, uc: u8, Width: u32, Height: u32);
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD2D8Async)] #[soft]
#[touches(dstDevice, Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width))]
fn cuMemsetD2D8_v2(dstDevice: CUdeviceptr, dstPitch: usize, uc: u8, Width: usize, Height: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 113)]
#[does(compute, bytes = Width * Height, captured)] #[soft]
#[touches(dstDevice, Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width))]
#[requires(Height <= 1 || dstPitch >= Width)]
fn cuMemsetD2D8Async(
    dstDevice: CUdeviceptr, dstPitch: usize, uc: u8, Width: usize, Height: usize, hStream: CUstream,
);
#[since(2000)] #[form_of(cuMemsetD32_v2, narrow)] #[soft]
fn cuMemsetD32(dstDevice: CUdeviceptr_v1, ui: u32, N: u32);
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD32Async)] #[soft]
#[touches(dstDevice, N.saturating_mul(4))]
fn cuMemsetD32_v2(dstDevice: CUdeviceptr, ui: u32, N: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 114)]
#[does(compute, bytes = N * 4, captured)] #[soft]
#[touches(dstDevice, N.saturating_mul(4))]
fn cuMemsetD32Async(#[aligned(4)] dstDevice: CUdeviceptr, ui: u32, N: usize, hStream: CUstream);
#[since(2000)] #[form_of(cuMemsetD8_v2, narrow)] #[soft]
fn cuMemsetD8(dstDevice: CUdeviceptr_v1, uc: u8, N: u32);
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD8Async)] #[soft] #[touches(dstDevice, N)]
fn cuMemsetD8_v2(dstDevice: CUdeviceptr, uc: u8, N: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 115)]
#[does(compute, bytes = N, captured)] #[soft]
#[touches(dstDevice, N)]
fn cuMemsetD8Async(dstDevice: CUdeviceptr, uc: u8, N: usize, hStream: CUstream);

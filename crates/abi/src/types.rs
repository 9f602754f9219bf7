//! Types of the driver API, with the names from cuda.h and C's layout on 64-bit systems.

#![allow(non_camel_case_types, non_snake_case)]

pub use crate::error::CUresult;
use std::ffi::{c_char, c_void};

/// The ordinal of a device.
pub type CUdevice = i32;
/// A device address.
pub type CUdeviceptr = u64;
/// A device address in the 32-bit forms of functions.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CUdeviceptr_v1(pub u32);
/// A handle of physical memory.
pub type CUmemGenericAllocationHandle = u64;
/// A texture object.
pub type CUtexObject = u64;
/// A surface object.
pub type CUsurfObject = u64;

macro_rules! handles {
    ($($name:ident)*) => {$(
        /// An opaque pointer that no code dereferences.
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        pub struct $name(pub usize);

        impl $name {
            /// The NULL handle.
            pub const NULL: $name = $name(0);

            /// Returns whether the handle is NULL.
            pub fn is_null(self) -> bool {
                self.0 == 0
            }
        }
    )*};
}

handles! {
    CUcontext CUmodule CUfunction CUkernel CUlibrary CUstream CUevent CUgraph CUgraphNode
    CUgraphExec CUarray CUmipmappedArray CUmemoryPool
    CUlinkState CUtexref CUsurfref CUuserObject CUgraphicsResource CUexternalMemory
    CUexternalSemaphore CUgreenCtx CUdevResourceDesc
    CUasyncCallbackHandle CUlogsCallbackHandle
}

impl CUstream {
    /// The legacy default stream.
    pub const LEGACY: CUstream = CUstream(1);
    /// The calling thread's default stream.
    pub const PER_THREAD: CUstream = CUstream(2);

    /// Returns the stream that functions of the per-thread flavour use. For them, NULL means the
    /// calling thread's default stream.
    pub fn or_per_thread(self) -> CUstream {
        if self.is_null() { CUstream::PER_THREAD } else { self }
    }
}

macro_rules! enums {
    ($($name:ident)*) => {$(
        /// The C enum of this name.
        pub type $name = i32;
    )*};
}

enums! {
    CUjit_option CUjitInputType CUstreamCaptureStatus CUstreamCaptureMode CUstreamAttrID
    CUgraphExecUpdateResult CUfunction_attribute CUdevice_attribute CUfunc_cache
    CUsharedconfig CUlimit CUpointer_attribute CUmemPool_attribute CUmemAllocationGranularity_flags
    CUmemAccess_flags
    CUdriverProcAddressQueryResult CUmoduleLoadingMode CUlibraryOption CUfunctionLoadingState
    CUdevice_P2PAttribute CUarray_format
    CUtensorMapDataType CUtensorMapInterleave CUtensorMapSwizzle CUtensorMapL2promotion
    CUtensorMapFloatOOBfill CUtensorMapIm2ColWideMode
    CUresourcetype CUaddress_mode CUfilter_mode CUresourceViewFormat CUexecAffinityType
    CUmem_advise CUmem_range_attribute CUmemAllocationHandleType CUmemAllocationType
    CUgraphNodeType CUoutput_mode CUgraphMem_attribute
    CUatomicOperation CUdevResourceType
}

/// A position in the log of failed calls.
pub type CUlogIterator = u32;
/// A callback for cuLogsRegisterCallback.
pub type CUlogsCallback = Option<unsafe extern "C" fn(*mut c_void, i32, *mut c_char, usize)>;
/// A callback for cuDeviceRegisterAsyncNotification.
pub type CUasyncCallback =
    Option<unsafe extern "C" fn(*mut c_void, *mut c_void, CUasyncCallbackHandle)>;
/// A host function, as cuLaunchHostFunc takes it.
pub type CUhostFn = Option<unsafe extern "C" fn(*mut c_void)>;
/// A callback for cuStreamAddCallback.
pub type CUstreamCallback = Option<unsafe extern "C" fn(CUstream, CUresult, *mut c_void)>;
/// A function that returns the dynamic shared memory in bytes for a block size.
pub type CUoccupancyB2DSize = Option<unsafe extern "C" fn(i32) -> usize>;

/// A type of plain numbers. Every bit pattern is a valid value, and padding has no meaning.
///
/// # Safety
///
/// The implementor is `repr(C)`. It contains only integers, floats, pointers used as data, and
/// arrays of them.
pub unsafe trait Plain: Copy {}

// SAFETY: an integer.
unsafe impl Plain for u64 {}
// SAFETY: an integer.
unsafe impl Plain for usize {}

macro_rules! plain {
    ($($(#[$meta:meta])* struct $name:ident { $($field:ident: $ty:ty,)* })*) => {$(
        // NVIDIA's documents describe each struct.
        #[allow(missing_docs)]
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            $(pub $field: $ty,)*
        }

        // SAFETY: repr(C), and all fields are numbers, pointers or arrays of them.
        unsafe impl Plain for $name {}
    )*};
}

plain! {
    #[derive(PartialEq, Eq, Default)]
    struct CUuuid { bytes: [u8; 16], }

    struct CUdevprop {
        maxThreadsPerBlock: i32, maxThreadsDim: [i32; 3], maxGridSize: [i32; 3],
        sharedMemPerBlock: i32, totalConstantMemory: i32,
        SIMDWidth: i32, memPitch: i32, regsPerBlock: i32, clockRate: i32, textureAlign: i32,
    }

    struct CUDA_MEMCPY2D {
        srcXInBytes: usize, srcY: usize, srcMemoryType: i32, srcHost: *const c_void,
        srcDevice: CUdeviceptr, srcArray: CUarray, srcPitch: usize,
        dstXInBytes: usize, dstY: usize, dstMemoryType: i32, dstHost: *mut c_void,
        dstDevice: CUdeviceptr, dstArray: CUarray, dstPitch: usize,
        WidthInBytes: usize, Height: usize,
    }

    struct CUDA_MEMCPY3D {
        srcXInBytes: usize, srcY: usize, srcZ: usize, srcLOD: usize, srcMemoryType: i32,
        srcHost: *const c_void, srcDevice: CUdeviceptr,
        srcArray: CUarray, reserved0: *mut c_void, srcPitch: usize, srcHeight: usize,
        dstXInBytes: usize, dstY: usize, dstZ: usize, dstLOD: usize, dstMemoryType: i32,
        dstHost: *mut c_void, dstDevice: CUdeviceptr,
        dstArray: CUarray, reserved1: *mut c_void, dstPitch: usize, dstHeight: usize,
        WidthInBytes: usize, Height: usize, Depth: usize,
    }

    struct CUDA_MEMCPY2D_v1 {
        srcXInBytes: u32, srcY: u32, srcMemoryType: i32, srcHost: *const c_void,
        srcDevice: CUdeviceptr_v1, srcArray: CUarray, srcPitch: u32,
        dstXInBytes: u32, dstY: u32, dstMemoryType: i32, dstHost: *mut c_void,
        dstDevice: CUdeviceptr_v1, dstArray: CUarray, dstPitch: u32,
        WidthInBytes: u32, Height: u32,
    }

    struct CUDA_MEMCPY3D_v1 {
        srcXInBytes: u32, srcY: u32, srcZ: u32, srcLOD: u32, srcMemoryType: i32,
        srcHost: *const c_void, srcDevice: CUdeviceptr_v1,
        srcArray: CUarray, reserved0: *mut c_void, srcPitch: u32, srcHeight: u32,
        dstXInBytes: u32, dstY: u32, dstZ: u32, dstLOD: u32, dstMemoryType: i32,
        dstHost: *mut c_void, dstDevice: CUdeviceptr_v1,
        dstArray: CUarray, reserved1: *mut c_void, dstPitch: u32, dstHeight: u32,
        WidthInBytes: u32, Height: u32, Depth: u32,
    }

    struct CUDA_MEMCPY3D_PEER {
        srcXInBytes: usize, srcY: usize, srcZ: usize, srcLOD: usize, srcMemoryType: i32,
        srcHost: *const c_void, srcDevice: CUdeviceptr,
        srcArray: CUarray, srcContext: CUcontext, srcPitch: usize, srcHeight: usize,
        dstXInBytes: usize, dstY: usize, dstZ: usize, dstLOD: usize, dstMemoryType: i32,
        dstHost: *mut c_void, dstDevice: CUdeviceptr,
        dstArray: CUarray, dstContext: CUcontext, dstPitch: usize, dstHeight: usize,
        WidthInBytes: usize, Height: usize, Depth: usize,
    }

    struct CUmemcpyAttributes {
        srcAccessOrder: i32, srcLocHint: CUmemLocation, dstLocHint: CUmemLocation, flags: u32,
    }

    /// One side of a copy in a batch, in elements. `op` is a union. It holds an address, a row
    /// length, a layer height and a hint, or an array's handle and an offset in each dimension.
    struct CUmemcpy3DOperand { type_: i32, pad: u32, op: [u64; 4], }

    struct CUDA_MEMCPY3D_BATCH_OP {
        src: CUmemcpy3DOperand, dst: CUmemcpy3DOperand, width: usize, height: usize, depth: usize,
        srcAccessOrder: i32, flags: u32,
    }

    /// A launch attribute: an id and a 64-byte union.
    struct CUlaunchAttribute { id: i32, pad: [u8; 4], value: [u64; 8], }

    struct CUlaunchConfig {
        gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32, blockDimZ: u32,
        sharedMemBytes: u32,
        hStream: CUstream, attrs: *const CUlaunchAttribute, numAttrs: u32,
    }

    #[derive(PartialEq, Eq, Default)]
    struct CUmemLocation { type_: i32, id: i32, }

    struct CUmemAllocationProp {
        type_: CUmemAllocationType, requestedHandleTypes: CUmemAllocationHandleType,
        location: CUmemLocation, win32HandleMetaData: *mut c_void,
        compressionType: u8, gpuDirectRDMACapable: u8, usage: u16, reserved: [u8; 4],
    }

    struct CUmemAccessDesc { location: CUmemLocation, flags: CUmemAccess_flags, }

    struct CUmemPoolProps {
        allocType: CUmemAllocationType, handleTypes: CUmemAllocationHandleType,
        location: CUmemLocation, win32SecurityAttributes: *mut c_void,
        maxSize: usize, usage: u16, reserved: [u8; 54],
    }

    struct CUmemPoolPtrExportData { reserved: [u8; 64], }

    struct CUstreamAttrValue { value: [u64; 8], }

    struct CUstreamBatchMemOpParams { words: [u64; 6], }

    /// Memory operations that form a graph node, with their context.
    struct CUDA_BATCH_MEM_OP_NODE_PARAMS {
        ctx: CUcontext, count: u32, paramArray: *mut CUstreamBatchMemOpParams, flags: u32,
    }

    struct CUDA_LAUNCH_PARAMS {
        function: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32,
        blockDimY: u32, blockDimZ: u32,
        sharedMemBytes: u32, hStream: CUstream, kernelParams: *mut *mut c_void,
    }

    /// A part of a device. Only the driver knows the meaning of `own` and `rest`.
    struct CUdevResource {
        type_: CUdevResourceType, own: [u32; 23], smCount: u32, minSmPartitionSize: u32,
        smCoscheduledAlignment: u32, rest: [u32; 9],
    }

    struct CUexecAffinityParam { type_: CUexecAffinityType, smCount: u32, }

    struct CUctxCreateParams {
        execAffinityParams: *mut CUexecAffinityParam, numExecAffinityParams: i32,
        cigParams: *mut c_void,
    }

    struct CUipcEventHandle { reserved: [u8; 64], }

    struct CUipcMemHandle { reserved: [u8; 64], }

    #[derive(PartialEq, Eq)]
    struct CUDA_ARRAY_DESCRIPTOR {
        Width: usize, Height: usize, Format: CUarray_format, NumChannels: u32,
    }

    #[derive(PartialEq, Eq)]
    struct CUDA_ARRAY3D_DESCRIPTOR {
        Width: usize, Height: usize, Depth: usize, Format: CUarray_format, NumChannels: u32,
        Flags: u32, pad: u32,
    }

    struct CUDA_ARRAY_DESCRIPTOR_v1 {
        Width: u32, Height: u32, Format: CUarray_format, NumChannels: u32,
    }

    struct CUDA_ARRAY3D_DESCRIPTOR_v1 {
        Width: u32, Height: u32, Depth: u32, Format: CUarray_format, NumChannels: u32, Flags: u32,
    }

    /// Four numbers. A pointer to a border colour points to the first one.
    struct CUborderColor { value: [f32; 4], }

    struct CUDA_ARRAY_MEMORY_REQUIREMENTS { size: usize, alignment: usize, reserved: [u32; 4], }

    /// The source of a texture or a surface. `res` is a union. It holds an array's handle, or an
    /// address, a word with format and channels, and sizes.
    #[derive(PartialEq, Eq)]
    struct CUDA_RESOURCE_DESC {
        resType: CUresourcetype, pad: u32, res: [u64; 16], flags: u32, pad2: u32,
    }

    #[derive(PartialEq)]
    struct CUDA_TEXTURE_DESC {
        addressMode: [CUaddress_mode; 3], filterMode: CUfilter_mode, flags: u32, maxAnisotropy: u32,
        mipmapFilterMode: CUfilter_mode,
        mipmapLevelBias: f32, minMipmapLevelClamp: f32, maxMipmapLevelClamp: f32,
        borderColor: [f32; 4], reserved: [i32; 12],
    }

    #[derive(PartialEq, Eq)]
    struct CUDA_RESOURCE_VIEW_DESC {
        format: CUresourceViewFormat, pad: u32, width: usize, height: usize, depth: usize,
        firstMipmapLevel: u32, lastMipmapLevel: u32,
        firstLayer: u32, lastLayer: u32, reserved: [u32; 16],
    }

    #[derive(PartialEq, Eq, Default)]
    struct CUgraphEdgeData { from_port: u8, to_port: u8, type_: u8, reserved: [u8; 5], }

    struct CUDA_KERNEL_NODE_PARAMS_v1 {
        func: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32,
        blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32,
        kernelParams: *mut *mut c_void, extra: *mut *mut c_void,
    }

    struct CUDA_KERNEL_NODE_PARAMS {
        func: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32,
        blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32,
        kernelParams: *mut *mut c_void, extra: *mut *mut c_void, kern: CUkernel, ctx: CUcontext,
    }

    struct CUDA_MEMSET_NODE_PARAMS {
        dst: CUdeviceptr, pitch: usize, value: u32, elementSize: u32, width: usize, height: usize,
    }

    struct CUDA_MEMCPY_NODE_PARAMS {
        flags: i32, reserved: i32, copyCtx: CUcontext, copyParams: CUDA_MEMCPY3D,
    }

    /// The parameters of an allocation node. The driver writes `dptr`.
    struct CUDA_MEM_ALLOC_NODE_PARAMS {
        poolProps: CUmemPoolProps, accessDescs: *const CUmemAccessDesc, accessDescCount: usize,
        bytesize: usize, dptr: CUdeviceptr,
    }

    struct CUDA_HOST_NODE_PARAMS { func: CUhostFn, userData: *mut c_void, }

    /// The parameters of a node of any kind, as words of a union.
    struct CUgraphNodeParams {
        type_: CUgraphNodeType, reserved0: [i32; 3], words: [u64; 29], reserved2: u64,
    }

    /// The parameters of a conditional node. The driver writes an array of `size` graphs to
    /// `phGraph_out`.
    struct CUDA_CONDITIONAL_NODE_PARAMS {
        handle: u64, type_: i32, size: u32, phGraph_out: *mut CUgraph, ctx: CUcontext,
    }

    struct CUDA_GRAPH_INSTANTIATE_PARAMS {
        flags: u64, hUploadStream: CUstream, hErrNode_out: CUgraphNode, result_out: i32,
    }

    struct CUgraphExecUpdateResultInfo {
        result: i32, errorNode: CUgraphNode, errorFromNode: CUgraphNode,
    }
}

impl CUDA_ARRAY3D_DESCRIPTOR {
    /// Returns the size of an element in bytes. Returns None for planar and block-compressed
    /// formats, whose elements have no fixed number of values.
    pub fn element_bytes(&self) -> Option<usize> {
        values::format_bytes(self.Format).map(|bytes| bytes * self.NumChannels as usize)
    }

    /// Returns the descriptor of a mipmapped array's level. The numbers of layers and faces do not
    /// shrink.
    pub fn level(&self, level: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
        let shrunk = |extent: usize| if extent == 0 { 0 } else { (extent >> level).max(1) };
        let layered = self.Flags & (values::ARRAY3D_LAYERED | values::ARRAY3D_CUBEMAP) != 0;
        let depth = if layered { self.Depth } else { shrunk(self.Depth) };
        CUDA_ARRAY3D_DESCRIPTOR {
            Width: shrunk(self.Width),
            Height: shrunk(self.Height),
            Depth: depth,
            ..*self
        }
    }

    /// Returns the number of levels until all sizes have shrunk to 1.
    pub fn levels_max(&self) -> u32 {
        let layered = self.Flags & (values::ARRAY3D_LAYERED | values::ARRAY3D_CUBEMAP) != 0;
        let largest = self.Width.max(self.Height).max(if layered { 0 } else { self.Depth });
        largest.max(1).ilog2() + 1
    }
}

/// A description of a tensor for Hopper's copy engine. Only the driver knows the encoding, and the
/// engine requires the alignment.
#[repr(C, align(128))]
#[derive(Clone, Copy, Debug)]
pub struct CUtensorMap {
    /// The encoded description.
    pub opaque: [u64; 16],
}

// SAFETY: repr(C), and the type consists of sixteen numbers without padding.
unsafe impl Plain for CUtensorMap {}

/// Constants from cuda.h that both client and worker need, without the prefix `CU_`. NVIDIA's
/// documents describe them.
#[allow(missing_docs)]
pub mod values {
    pub const MEMORYTYPE_HOST: i32 = 1;
    pub const MEMORYTYPE_DEVICE: i32 = 2;
    pub const MEMORYTYPE_ARRAY: i32 = 3;
    pub const MEMORYTYPE_UNIFIED: i32 = 4;

    pub const SHARED_MEM_CONFIG_LAST: i32 = 2;

    pub const SRC_ACCESS_ORDER_STREAM: i32 = 1;
    pub const SRC_ACCESS_ORDER_DURING_API_CALL: i32 = 2;
    pub const SRC_ACCESS_ORDER_ANY: i32 = 3;
    pub const OPERAND_TYPE_POINTER: i32 = 1;
    pub const OPERAND_TYPE_ARRAY: i32 = 2;

    pub const ARRAY3D_LAYERED: u32 = 0x01;
    pub const ARRAY3D_SURFACE_LDST: u32 = 0x02;
    pub const ARRAY3D_CUBEMAP: u32 = 0x04;
    pub const ARRAY3D_TEXTURE_GATHER: u32 = 0x08;
    pub const ARRAY3D_SPARSE: u32 = 0x40;
    pub const ARRAY3D_DEFERRED_MAPPING: u32 = 0x80;

    pub const RESOURCE_TYPE_ARRAY: i32 = 0;
    pub const RESOURCE_TYPE_MIPMAPPED_ARRAY: i32 = 1;
    pub const RESOURCE_TYPE_LINEAR: i32 = 2;
    pub const RESOURCE_TYPE_PITCH2D: i32 = 3;

    pub const FORMAT_UNSIGNED_INT8: i32 = 0x01;
    pub const FORMAT_UNSIGNED_INT16: i32 = 0x02;
    pub const FORMAT_UNSIGNED_INT32: i32 = 0x03;
    pub const FORMAT_SIGNED_INT8: i32 = 0x08;
    pub const FORMAT_SIGNED_INT16: i32 = 0x09;
    pub const FORMAT_SIGNED_INT32: i32 = 0x0a;
    pub const FORMAT_HALF: i32 = 0x10;
    pub const FORMAT_FLOAT: i32 = 0x20;

    /// Returns the size of one channel in bytes, or None if the format has no fixed channel size.
    pub fn format_bytes(format: i32) -> Option<usize> {
        match format {
            FORMAT_UNSIGNED_INT8 | FORMAT_SIGNED_INT8 => Some(1),
            FORMAT_UNSIGNED_INT16 | FORMAT_SIGNED_INT16 | FORMAT_HALF => Some(2),
            FORMAT_UNSIGNED_INT32 | FORMAT_SIGNED_INT32 | FORMAT_FLOAT => Some(4),
            _ => None,
        }
    }

    pub const LAUNCH_PARAM_END: usize = 0;
    pub const LAUNCH_PARAM_BUFFER_POINTER: usize = 1;
    pub const LAUNCH_PARAM_BUFFER_SIZE: usize = 2;

    pub const STREAM_NON_BLOCKING: u32 = 1;
    pub const EVENT_BLOCKING_SYNC: u32 = 1;
    pub const EVENT_DISABLE_TIMING: u32 = 2;
    pub const EVENT_INTERPROCESS: u32 = 4;

    pub const STREAM_CAPTURE_MODE_GLOBAL: i32 = 0;
    pub const STREAM_CAPTURE_MODE_RELAXED: i32 = 2;
    pub const STREAM_CAPTURE_STATUS_NONE: i32 = 0;
    pub const STREAM_CAPTURE_STATUS_ACTIVE: i32 = 1;
    pub const STREAM_CAPTURE_STATUS_INVALIDATED: i32 = 2;
    pub const STREAM_ADD_CAPTURE_DEPENDENCIES: u32 = 0;
    pub const STREAM_SET_CAPTURE_DEPENDENCIES: u32 = 1;
    pub const GRAPH_NODE_TYPE_KERNEL: i32 = 0;
    pub const GRAPH_NODE_TYPE_MEMCPY: i32 = 1;
    pub const GRAPH_NODE_TYPE_MEMSET: i32 = 2;
    pub const GRAPH_NODE_TYPE_HOST: i32 = 3;
    pub const GRAPH_NODE_TYPE_GRAPH: i32 = 4;
    pub const GRAPH_NODE_TYPE_EMPTY: i32 = 5;
    pub const GRAPH_NODE_TYPE_WAIT_EVENT: i32 = 6;
    pub const GRAPH_NODE_TYPE_EVENT_RECORD: i32 = 7;
    pub const GRAPH_NODE_TYPE_MEM_ALLOC: i32 = 10;
    pub const GRAPH_NODE_TYPE_MEM_FREE: i32 = 11;
    pub const GRAPH_NODE_TYPE_BATCH_MEM_OP: i32 = 12;
    pub const GRAPH_NODE_TYPE_CONDITIONAL: i32 = 13;
    pub const GRAPH_COND_TYPE_IF: i32 = 0;
    pub const GRAPH_COND_TYPE_WHILE: i32 = 1;
    pub const GRAPH_COND_TYPE_SWITCH: i32 = 2;
    pub const GRAPH_COND_ASSIGN_DEFAULT: u32 = 1;
    pub const GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE: i32 = 0;
    pub const GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE: i32 = 1;
    pub const GRAPH_INSTANTIATE_SUCCESS: i32 = 0;
    pub const GRAPH_INSTANTIATE_ERROR: i32 = 1;
    pub const GRAPH_USER_OBJECT_MOVE: u32 = 1;
    pub const USER_OBJECT_NO_DESTRUCTOR_SYNC: u32 = 1;

    pub const EXEC_AFFINITY_TYPE_SM_COUNT: i32 = 0;
    pub const FLUSH_TO_OWNER: i32 = 100;
    pub const FLUSH_TO_ALL_DEVICES: i32 = 200;
    pub const DEV_RESOURCE_TYPE_INVALID: i32 = 0;
    pub const DEV_RESOURCE_TYPE_SM: i32 = 1;
    pub const GREEN_CTX_DEFAULT_STREAM: u32 = 1;
    pub const ATOMIC_OPERATIONS: i32 = 13;
    /// Maximum number of memory operations in one batch.
    pub const BATCH_MEM_OPS_MAX: usize = 255;

    pub const MEM_ALLOCATION_TYPE_PINNED: i32 = 1;
    pub const MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR: i32 = 1;
    pub const MEM_LOCATION_TYPE_DEVICE: i32 = 1;
    pub const MEM_LOCATION_TYPE_HOST: i32 = 2;
    pub const MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: i32 = 4;
    pub const DEVICE_CPU: i32 = -1;
    pub const DEVICE_INVALID: i32 = -2;
    pub const MEM_ATTACH_GLOBAL: u32 = 1;
    pub const MEM_ATTACH_HOST: u32 = 2;
    pub const MEM_ATTACH_SINGLE: u32 = 4;
    pub const POINTER_ATTRIBUTE_IS_MANAGED: i32 = 8;
    pub const MEMHOSTALLOC_DEVICEMAP: u32 = 2;
    pub const MEM_ACCESS_FLAGS_PROT_READ: i32 = 1;
    pub const MEM_ACCESS_FLAGS_PROT_READWRITE: i32 = 3;

    pub const JIT_INPUT_CUBIN: i32 = 0;
    pub const JIT_INPUT_PTX: i32 = 1;
    pub const JIT_INPUT_FATBINARY: i32 = 2;
    pub const JIT_INPUT_OBJECT: i32 = 3;
    pub const JIT_INPUT_LIBRARY: i32 = 4;

    pub const JIT_INFO_LOG_BUFFER: i32 = 3;
    pub const JIT_INFO_LOG_BUFFER_SIZE_BYTES: i32 = 4;
    pub const JIT_ERROR_LOG_BUFFER: i32 = 5;
    pub const JIT_ERROR_LOG_BUFFER_SIZE_BYTES: i32 = 6;

    pub const FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: i32 = 0;
    pub const FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: i32 = 1;
    pub const FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: i32 = 8;
    pub const FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: i32 = 10;
    /// The first of three attributes: cluster width, height and depth.
    pub const FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: i32 = 11;
    pub const FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: i32 = 14;
    /// Number of function attributes: driver 13.0 has those from 0 to 15.
    pub const FUNC_ATTRIBUTE_COUNT: usize = 16;
    /// Number of device attributes to query: driver 13.0 has 1 to 147, and later drivers may have
    /// more.
    pub const DEVICE_ATTRIBUTE_COUNT: usize = 160;
}

/// Formats the UUID as NVIDIA's tools do, without the prefix for the kind of device.
impl std::fmt::Display for CUuuid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, byte) in self.bytes.iter().enumerate() {
            let dash = if matches!(i, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{dash}{byte:02x}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn layouts_are_those_of_c() {
        assert_eq!(
            (
                size_of::<CUDA_MEMCPY2D>(),
                size_of::<CUDA_MEMCPY3D>(),
                size_of::<CUDA_MEMCPY3D_PEER>()
            ),
            (128, 200, 200)
        );
        assert_eq!(
            (offset_of!(CUDA_MEMCPY3D_PEER, dstContext), offset_of!(CUDA_MEMCPY3D_PEER, Depth)),
            (152, 192)
        );
        assert_eq!(
            (offset_of!(CUDA_MEMCPY3D, reserved1), offset_of!(CUDA_MEMCPY3D, Depth)),
            (152, 192)
        );
        assert_eq!(
            (
                offset_of!(CUlaunchConfig, hStream),
                offset_of!(CUlaunchConfig, attrs),
                offset_of!(CUlaunchConfig, numAttrs)
            ),
            (32, 40, 48)
        );
        assert_eq!(
            (
                size_of::<CUlaunchAttribute>(),
                size_of::<CUmemAllocationProp>(),
                size_of::<CUmemPoolProps>()
            ),
            (72, 32, 88)
        );
        assert_eq!(
            (size_of::<CUDA_KERNEL_NODE_PARAMS_v1>(), size_of::<CUDA_KERNEL_NODE_PARAMS>()),
            (56, 72)
        );
        assert_eq!(
            (size_of::<CUgraphNodeParams>(), size_of::<CUDA_MEMCPY_NODE_PARAMS>()),
            (256, 216)
        );
        assert_eq!(
            (size_of::<CUDA_GRAPH_INSTANTIATE_PARAMS>(), size_of::<CUDA_MEMSET_NODE_PARAMS>()),
            (32, 40)
        );
        assert_eq!((size_of::<CUstreamAttrValue>(), size_of::<CUdevprop>()), (64, 56));
        assert_eq!(
            (size_of::<CUDA_ARRAY_DESCRIPTOR>(), size_of::<CUDA_ARRAY3D_DESCRIPTOR>()),
            (24, 40)
        );
        assert_eq!(
            (size_of::<CUDA_RESOURCE_DESC>(), offset_of!(CUDA_RESOURCE_DESC, flags)),
            (144, 136)
        );
        assert_eq!(
            (size_of::<CUDA_TEXTURE_DESC>(), size_of::<CUDA_RESOURCE_VIEW_DESC>()),
            (104, 112)
        );
        assert_eq!(
            (size_of::<CUmemcpyAttributes>(), size_of::<CUDA_MEMCPY3D_BATCH_OP>()),
            (24, 112)
        );
        assert_eq!((size_of::<CUtensorMap>(), align_of::<CUtensorMap>()), (128, 128));
        assert_eq!(
            (
                size_of::<CUdevResource>(),
                offset_of!(CUdevResource, smCount),
                size_of::<CUDA_LAUNCH_PARAMS>()
            ),
            (144, 96, 56)
        );
        assert_eq!(
            (
                size_of::<CUDA_BATCH_MEM_OP_NODE_PARAMS>(),
                size_of::<CUDA_MEMCPY2D_v1>(),
                size_of::<CUDA_MEMCPY3D_v1>()
            ),
            (32, 96, 144)
        );
    }
}

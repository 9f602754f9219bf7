//! The driver as the cases use it: the first device, one stream, memory and launches. Errors name
//! the function that failed.

use crate::error::Error;
use outhaul_abi::types::*;
use outhaul_abi::{Driver, SOFTWARE_GPU};
use std::ffi::{CStr, CString, c_void};
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// The name under which the loader finds a driver.
pub const DRIVER: &str = "libcuda.so.1";

/// The first device of a driver, with one stream.
pub struct MeasuredGpu {
    /// The driver's functions.
    pub driver: Driver,
    /// Name of the GPU.
    pub name: String,
    /// Stream that the measurements use.
    pub stream: CUstream,
}

/// Pinned memory for values of type `T`. It lives as long as the process.
pub struct Pinned<T> {
    start: *mut T,
    length: usize,
}

/// Numbers without padding, for which any bits are valid.
///
/// # Safety
/// The type has no padding, and any bits are a valid value.
pub unsafe trait Plain: Copy + Default {}
// SAFETY: a primitive number.
unsafe impl Plain for u8 {}
// SAFETY: a primitive number.
unsafe impl Plain for i8 {}
// SAFETY: a primitive number.
unsafe impl Plain for u32 {}
// SAFETY: a primitive number.
unsafe impl Plain for i32 {}
// SAFETY: a primitive number.
unsafe impl Plain for f32 {}
// SAFETY: a primitive number.
unsafe impl Plain for u64 {}
// SAFETY: an array of primitive numbers has no padding.
unsafe impl Plain for [f32; 4] {}
// SAFETY: an array of primitive numbers has no padding.
unsafe impl Plain for [i32; 4] {}
// SAFETY: an array of primitive numbers has no padding.
unsafe impl Plain for [f64; 2] {}

/// Turns an error code of a driver function into an error.
pub fn ok(function: &str, code: CUresult) -> Result<(), Error> {
    code.ok().map_err(|code| Error::Bench(format!("{function}: the driver says {code}")))
}

impl MeasuredGpu {
    /// Opens the driver that the loader finds, its first device, and a stream.
    pub fn open() -> Result<MeasuredGpu, Error> {
        let driver = Driver::open(Path::new(DRIVER)).map_err(|e| Error::Bench(e.to_string()))?;
        let (mut context, mut stream, mut name) =
            (CUcontext::NULL, CUstream::NULL, [0 as std::ffi::c_char; 128]);
        // SAFETY: the out-pointers are to locals of sufficient size.
        unsafe {
            ok("cuInit", driver.cuInit(0))?;
            ok("cuDeviceGetName", driver.cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, 0))?;
            ok("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain(&mut context, 0))?;
            ok("cuCtxSetCurrent", driver.cuCtxSetCurrent(context))?;
            ok("cuStreamCreate", driver.cuStreamCreate(&mut stream, values::STREAM_NON_BLOCKING))?;
        }
        // SAFETY: the driver ends the name with NUL.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        Ok(MeasuredGpu { driver, name, stream })
    }

    /// Returns whether the device is the software GPU.
    pub fn is_software(&self) -> bool {
        self.name.starts_with(SOFTWARE_GPU)
    }

    /// Loads PTX text, and returns the functions with these names.
    pub fn functions<const N: usize>(
        &self,
        ptx: &str,
        names: [&CStr; N],
    ) -> Result<[CUfunction; N], Error> {
        let text = CString::new(ptx).map_err(|e| Error::Bench(e.to_string()))?;
        let (mut module, mut functions) = (CUmodule::NULL, [CUfunction::NULL; N]);
        // SAFETY: the text ends in NUL; the out-pointers are to locals.
        unsafe {
            ok(
                "cuModuleLoadData",
                self.driver.cuModuleLoadData(&mut module, text.as_ptr().cast()),
            )?;
            for (function, name) in functions.iter_mut().zip(names) {
                ok(
                    "cuModuleGetFunction",
                    self.driver.cuModuleGetFunction(function, module, name.as_ptr()),
                )?;
            }
        }
        Ok(functions)
    }

    /// Creates another stream.
    pub fn new_stream(&self) -> Result<CUstream, Error> {
        let mut stream = CUstream::NULL;
        // SAFETY: the out-pointer is to a local.
        ok("cuStreamCreate", unsafe {
            self.driver.cuStreamCreate(&mut stream, values::STREAM_NON_BLOCKING)
        })?;
        Ok(stream)
    }

    /// Creates an event.
    pub fn new_event(&self) -> Result<CUevent, Error> {
        let mut event = CUevent::NULL;
        // SAFETY: the out-pointer is to a local.
        ok("cuEventCreate", unsafe { self.driver.cuEventCreate(&mut event, 0) })?;
        Ok(event)
    }

    /// Records an event in the stream.
    pub fn record(&self, event: CUevent) -> Result<(), Error> {
        // SAFETY: takes only handles.
        ok("cuEventRecord", unsafe { self.driver.cuEventRecord(event, self.stream) })
    }

    /// Returns the microseconds between two events.
    pub fn elapsed_us(&self, from: CUevent, to: CUevent) -> Result<f64, Error> {
        let mut ms = 0f32;
        // SAFETY: the out-pointer is to a local.
        ok("cuEventElapsedTime", unsafe { self.driver.cuEventElapsedTime(&mut ms, from, to) })?;
        Ok(f64::from(ms) * 1e3)
    }

    /// Allocates device memory and clears it. It lives as long as the context.
    pub fn allocate(&self, bytes: usize) -> Result<CUdeviceptr, Error> {
        let mut address = 0;
        // SAFETY: the out-pointer is to a local, and the allocated memory has as many bytes as the
        // second call sets.
        unsafe {
            ok("cuMemAlloc_v2", self.driver.cuMemAlloc_v2(&mut address, bytes.max(1)))?;
            ok("cuMemsetD8_v2", self.driver.cuMemsetD8_v2(address, 0, bytes.max(1)))?;
        }
        // The memset is on the default stream, and the streams of the cases do not wait for that
        // stream.
        self.synchronize()?;
        Ok(address)
    }

    /// Frees device memory.
    pub fn free(&self, address: CUdeviceptr) -> Result<(), Error> {
        // SAFETY: `allocate` returned the address.
        ok("cuMemFree_v2", unsafe { self.driver.cuMemFree_v2(address) })
    }

    /// Allocates device memory, and copies `numbers` to it.
    pub fn place<T: Plain>(&self, numbers: &[T]) -> Result<CUdeviceptr, Error> {
        let address = self.allocate(size_of_val(numbers))?;
        // SAFETY: the device memory has exactly as many bytes as `numbers`.
        ok("cuMemcpyHtoD_v2", unsafe {
            self.driver.cuMemcpyHtoD_v2(address, numbers.as_ptr().cast(), size_of_val(numbers))
        })?;
        self.synchronize()?;
        Ok(address)
    }

    /// Copies `count` numbers from the device, and waits for the copy.
    pub fn read<T: Plain>(&self, address: CUdeviceptr, count: usize) -> Result<Vec<T>, Error> {
        let mut numbers = vec![T::default(); count];
        // SAFETY: the vector is valid for writes of `count` numbers, for which any bits are valid.
        ok("cuMemcpyDtoH_v2", unsafe {
            self.driver.cuMemcpyDtoH_v2(
                numbers.as_mut_ptr().cast(),
                address,
                size_of_val(&*numbers),
            )
        })?;
        Ok(numbers)
    }

    /// Allocates pinned memory for `length` numbers.
    pub fn pin<T: Plain>(&self, length: usize) -> Result<Pinned<T>, Error> {
        let mut start: *mut c_void = std::ptr::null_mut();
        // SAFETY: the out-pointer is to a local. The memory is valid for `length` numbers, for
        // which any bits are valid.
        unsafe {
            ok(
                "cuMemHostAlloc",
                self.driver.cuMemHostAlloc(&mut start, (length * size_of::<T>()).max(1), 0),
            )?;
            start.cast::<u8>().write_bytes(0, length * size_of::<T>());
        }
        Ok(Pinned { start: start.cast(), length })
    }

    /// Enqueues a copy to the device.
    pub fn send<T: Plain>(
        &self,
        to: CUdeviceptr,
        from: &[T],
        stream: CUstream,
    ) -> Result<(), Error> {
        // SAFETY: the cases keep the slice until they have waited for the stream.
        ok("cuMemcpyHtoDAsync_v2", unsafe {
            self.driver.cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), size_of_val(from), stream)
        })
    }

    /// Enqueues a copy to the host.
    pub fn fetch<T: Plain>(
        &self,
        to: &mut [T],
        from: CUdeviceptr,
        stream: CUstream,
    ) -> Result<(), Error> {
        // SAFETY: the cases keep the slice until they have waited for the stream; any bits are
        // valid numbers.
        ok("cuMemcpyDtoHAsync_v2", unsafe {
            self.driver.cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, size_of_val(to), stream)
        })
    }

    /// Launches a kernel. Each parameter takes the low bytes of its argument.
    pub fn launch(
        &self,
        function: CUfunction,
        blocks: usize,
        threads: u32,
        stream: CUstream,
        arguments: &[u64],
    ) -> Result<(), Error> {
        let mut places: Vec<*mut c_void> =
            arguments.iter().map(|argument| (&raw const *argument).cast_mut().cast()).collect();
        let (blocks, none) = (blocks as u32, std::ptr::null_mut());
        // SAFETY: each parameter has a pointer to at least its own size. The pointers live through
        // the call, which only reads them.
        let code = unsafe {
            self.driver.cuLaunchKernel(
                function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                0,
                stream,
                places.as_mut_ptr(),
                none,
            )
        };
        ok("cuLaunchKernel", code)
    }

    /// Waits until a stream is idle.
    pub fn wait(&self, stream: CUstream) -> Result<(), Error> {
        // SAFETY: takes only a handle.
        ok("cuStreamSynchronize", unsafe { self.driver.cuStreamSynchronize(stream) })
    }

    /// Waits until the context is idle.
    pub fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: takes no pointers.
        ok("cuCtxSynchronize", unsafe { self.driver.cuCtxSynchronize() })
    }
}

impl<T> Deref for Pinned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `start` is valid for reads of `length` numbers, for which any bits are valid.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl<T> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: `start` is valid for reads and writes of `length` numbers, and only `self` refers
        // to them.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

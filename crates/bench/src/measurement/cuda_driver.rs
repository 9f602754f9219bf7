//! The driver for the cases: the first device, one stream, memory and launches. Errors name the
//! function that failed.

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

/// Pinned memory for numbers. It lives as long as the process.
pub struct Pinned<T> {
    start: *mut T,
    length: usize,
}

/// Numbers without padding, valid with any bits.
///
/// # Safety
/// The type has no padding, and any bits are a value.
pub unsafe trait Plain: Copy + Default {}
// SAFETY: plain numbers.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for i8 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for i32 {}
// SAFETY: as above.
unsafe impl Plain for f32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above; four of them lie without padding.
unsafe impl Plain for [f32; 4] {}
// SAFETY: as above.
unsafe impl Plain for [i32; 4] {}
// SAFETY: as above.
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
        // SAFETY: results go to locals with room for them.
        unsafe {
            ok("cuInit", driver.cuInit(0))?;
            ok("cuDeviceGetName", driver.cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, 0))?;
            ok("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain(&mut context, 0))?;
            ok("cuCtxSetCurrent", driver.cuCtxSetCurrent(context))?;
            ok("cuStreamCreate", driver.cuStreamCreate(&mut stream, values::STREAM_NON_BLOCKING))?;
        }
        // SAFETY: the driver ends the name in NUL.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        Ok(MeasuredGpu { driver, name, stream })
    }

    /// Returns whether the device is the software GPU.
    pub fn is_software(&self) -> bool {
        self.name.starts_with(SOFTWARE_GPU)
    }

    /// Loads a PTX text and returns its functions by name.
    pub fn functions<const N: usize>(
        &self,
        ptx: &str,
        names: [&CStr; N],
    ) -> Result<[CUfunction; N], Error> {
        let text = CString::new(ptx).map_err(|e| Error::Bench(e.to_string()))?;
        let (mut module, mut functions) = (CUmodule::NULL, [CUfunction::NULL; N]);
        // SAFETY: the text ends in NUL, results go to locals.
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

    /// Makes another stream.
    pub fn new_stream(&self) -> Result<CUstream, Error> {
        let mut stream = CUstream::NULL;
        // SAFETY: the result goes to a local.
        ok("cuStreamCreate", unsafe {
            self.driver.cuStreamCreate(&mut stream, values::STREAM_NON_BLOCKING)
        })?;
        Ok(stream)
    }

    /// Makes an event.
    pub fn new_event(&self) -> Result<CUevent, Error> {
        let mut event = CUevent::NULL;
        // SAFETY: the result goes to a local.
        ok("cuEventCreate", unsafe { self.driver.cuEventCreate(&mut event, 0) })?;
        Ok(event)
    }

    /// Records an event in the stream.
    pub fn record(&self, event: CUevent) -> Result<(), Error> {
        // SAFETY: passes handles only.
        ok("cuEventRecord", unsafe { self.driver.cuEventRecord(event, self.stream) })
    }

    /// Returns the microseconds between two events.
    pub fn elapsed_us(&self, from: CUevent, to: CUevent) -> Result<f64, Error> {
        let mut ms = 0f32;
        // SAFETY: the result goes to a local.
        ok("cuEventElapsedTime", unsafe { self.driver.cuEventElapsedTime(&mut ms, from, to) })?;
        Ok(f64::from(ms) * 1e3)
    }

    /// Allocates device memory and clears it. It lives as long as the context.
    pub fn allocate(&self, bytes: usize) -> Result<CUdeviceptr, Error> {
        let mut address = 0;
        // SAFETY: the result goes to a local, and the memory has that many bytes.
        unsafe {
            ok("cuMemAlloc_v2", self.driver.cuMemAlloc_v2(&mut address, bytes.max(1)))?;
            ok("cuMemsetD8_v2", self.driver.cuMemsetD8_v2(address, 0, bytes.max(1)))?;
        }
        // The default stream clears the memory, and our streams do not wait for that stream.
        self.synchronize()?;
        Ok(address)
    }

    /// Frees device memory.
    pub fn free(&self, address: CUdeviceptr) -> Result<(), Error> {
        // SAFETY: gives back what `allocate` gave.
        ok("cuMemFree_v2", unsafe { self.driver.cuMemFree_v2(address) })
    }

    /// Allocates device memory that holds these numbers.
    pub fn place<T: Plain>(&self, numbers: &[T]) -> Result<CUdeviceptr, Error> {
        let address = self.allocate(size_of_val(numbers))?;
        // SAFETY: the memory was made for them.
        ok("cuMemcpyHtoD_v2", unsafe {
            self.driver.cuMemcpyHtoD_v2(address, numbers.as_ptr().cast(), size_of_val(numbers))
        })?;
        self.synchronize()?;
        Ok(address)
    }

    /// Copies numbers from the device and waits for them.
    pub fn read<T: Plain>(&self, address: CUdeviceptr, count: usize) -> Result<Vec<T>, Error> {
        let mut numbers = vec![T::default(); count];
        // SAFETY: the vector has room, and any bits are numbers.
        ok("cuMemcpyDtoH_v2", unsafe {
            self.driver.cuMemcpyDtoH_v2(
                numbers.as_mut_ptr().cast(),
                address,
                size_of_val(&*numbers),
            )
        })?;
        Ok(numbers)
    }

    /// Allocates pinned memory for this many numbers.
    pub fn pin<T: Plain>(&self, length: usize) -> Result<Pinned<T>, Error> {
        let mut start: *mut c_void = std::ptr::null_mut();
        // SAFETY: the result goes to a local; the memory has room for as many numbers and any bits
        // are numbers.
        unsafe {
            ok(
                "cuMemHostAlloc",
                self.driver.cuMemHostAlloc(&mut start, (length * size_of::<T>()).max(1), 0),
            )?;
            start.cast::<u8>().write_bytes(0, length * size_of::<T>());
        }
        Ok(Pinned { start: start.cast(), length })
    }

    /// Queues a copy to the device.
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

    /// Queues a copy to the host.
    pub fn fetch<T: Plain>(
        &self,
        to: &mut [T],
        from: CUdeviceptr,
        stream: CUstream,
    ) -> Result<(), Error> {
        // SAFETY: as above, and any bits are numbers.
        ok("cuMemcpyDtoHAsync_v2", unsafe {
            self.driver.cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, size_of_val(to), stream)
        })
    }

    /// Launches a kernel. Each argument is in the low bytes of its number.
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
        // SAFETY: a pointer for each parameter, to no fewer bytes than it has; they live through
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

    /// Waits for a stream.
    pub fn wait(&self, stream: CUstream) -> Result<(), Error> {
        // SAFETY: waits only.
        ok("cuStreamSynchronize", unsafe { self.driver.cuStreamSynchronize(stream) })
    }

    /// Waits for the context.
    pub fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: waits only.
        ok("cuCtxSynchronize", unsafe { self.driver.cuCtxSynchronize() })
    }
}

impl<T> Deref for Pinned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: made with room for `length` numbers, all bits of which are values.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl<T> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and this is the only way to it.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

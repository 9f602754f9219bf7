//! A thin layer over the driver for tests: results as `Result`, and helpers for buffers and
//! modules. It frees nothing, because each test has its own process.

use crate::kernels::MODULE;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};

/// The reason why a test did not succeed.
pub enum Outcome {
    Failed(String),
    /// The device reports that it lacks the tested feature. The value names the feature.
    Skipped(String),
}

/// The result type of tests.
pub type Done = Result<(), Outcome>;

impl From<CUresult> for Outcome {
    #[track_caller]
    fn from(code: CUresult) -> Outcome {
        let place = std::panic::Location::caller();
        Outcome::Failed(format!("unexpected {code}, at {}:{}", place.file(), place.line()))
    }
}

/// Fails with the message `why`.
pub fn fail<T>(why: impl Into<String>) -> Result<T, Outcome> {
    Err(Outcome::Failed(why.into()))
}

/// Fails unless both values are equal. The message names the value `what`.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Done {
    if found == expected {
        Ok(())
    } else {
        let (found, expected) = parting(&format!("{found:?}"), &format!("{expected:?}"));
        fail(format!("{what}: found {found}, expected {expected}"))
    }
}

/// Returns both texts. Shortens long texts to the parts around the first difference.
fn parting(one: &str, other: &str) -> (String, String) {
    const CHARS_MAX: usize = 100;
    if one.len().max(other.len()) <= CHARS_MAX {
        return (one.to_owned(), other.to_owned());
    }
    let alike = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let start = alike.saturating_sub(CHARS_MAX / 4);
    let part = |text: &str| {
        let shown: String = text.chars().skip(start).take(CHARS_MAX).collect();
        let before = if start > 0 { "..." } else { "" };
        let behind = if text.chars().count() > start + CHARS_MAX { "..." } else { "" };
        format!("{before}{shown}{behind}")
    };
    (part(one), part(other))
}

/// Calls a driver function as a test intends. Handles are live, or deliberately invalid. Every
/// pointer refers to a local or buffer that is large enough and outlives the driver's use.
macro_rules! cu {
    ($gpu:ident.$function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: the documentation of this macro states the requirements, and each test meets
        // them.
        unsafe { $gpu.driver.$function($($argument),*) }
    };
}
pub(crate) use cu;

/// A driver library, with a current context.
pub struct Gpu {
    /// Path of the library.
    pub library: PathBuf,
    /// Driver functions of the library.
    pub driver: Driver,
    /// Primary context of device 0.
    pub context: CUcontext,
}

impl Gpu {
    /// Opens the library, initialises the driver, and makes device 0's primary context current.
    pub fn open(path: &Path) -> Result<Gpu, Outcome> {
        let driver = Driver::open(path).map_err(|e| Outcome::Failed(e.to_string()))?;
        let mut context = CUcontext::NULL;
        // SAFETY: all out-pointers refer to locals.
        unsafe {
            driver.cuInit(0).ok()?;
            driver.cuDevicePrimaryCtxRetain(&mut context, 0).ok()?;
            driver.cuCtxSetCurrent(context).ok()?;
        }
        Ok(Gpu { library: path.to_owned(), driver, context })
    }

    /// Skips a test of arguments that NVIDIA's driver reads without a check, unless the device is
    /// the software GPU, on a node or not.
    pub fn require_checks(&self) -> Done {
        let mut name = [0u8; 256];
        cu!(self.cuDeviceGetName(name.as_mut_ptr().cast(), 256, 0)).ok()?;
        let found = std::ffi::CStr::from_bytes_until_nul(&name).unwrap_or_default();
        if found.to_string_lossy().starts_with(outhaul_abi::SOFTWARE_GPU) {
            return Ok(());
        }
        Err(Outcome::Skipped("NVIDIA's driver reads these arguments without a check".into()))
    }

    /// Returns an attribute of device 0.
    pub fn attribute(&self, id: i32) -> Result<i32, Outcome> {
        let mut value = 0;
        // SAFETY: the out-pointer refers to a local.
        unsafe { self.driver.cuDeviceGetAttribute(&mut value, id, 0) }.ok()?;
        Ok(value)
    }

    /// Allocates device memory.
    pub fn alloc(&self, bytes: usize) -> Result<CUdeviceptr, Outcome> {
        let mut address = 0;
        // SAFETY: the out-pointer refers to a local.
        unsafe { self.driver.cuMemAlloc_v2(&mut address, bytes) }.ok()?;
        Ok(address)
    }

    /// Copies 32-bit words to device memory.
    pub fn write(&self, to: CUdeviceptr, data: &[u32]) -> Done {
        // SAFETY: the slice is valid for reads.
        Ok(unsafe { self.driver.cuMemcpyHtoD_v2(to, data.as_ptr().cast(), size_of_val(data)) }
            .ok()?)
    }

    /// Copies 32-bit words from device memory.
    pub fn read(&self, from: CUdeviceptr, count: usize) -> Result<Vec<u32>, Outcome> {
        let mut data = vec![0u32; count];
        // SAFETY: the vector is valid for writes of this size.
        unsafe { self.driver.cuMemcpyDtoH_v2(data.as_mut_ptr().cast(), from, count * 4) }.ok()?;
        Ok(data)
    }

    /// Loads the module with the common kernels.
    pub fn module(&self) -> Result<CUmodule, Outcome> {
        let text = CString::new(MODULE).expect("PTX holds no NUL");
        let mut module = CUmodule::NULL;
        // SAFETY: the text ends in NUL and the out-pointer refers to a local.
        unsafe { self.driver.cuModuleLoadData(&mut module, text.as_ptr().cast()) }.ok()?;
        Ok(module)
    }

    /// Returns the function `name` of a module.
    pub fn function(&self, module: CUmodule, name: &str) -> Result<CUfunction, Outcome> {
        let name = CString::new(name).expect("a name holds no NUL");
        let mut function = CUfunction::NULL;
        // SAFETY: the name is a C string and the out-pointer refers to a local.
        unsafe { self.driver.cuModuleGetFunction(&mut function, module, name.as_ptr()) }.ok()?;
        Ok(function)
    }

    /// Creates a stream.
    pub fn stream(&self, flags: u32) -> Result<CUstream, Outcome> {
        let mut stream = CUstream::NULL;
        // SAFETY: the out-pointer refers to a local.
        unsafe { self.driver.cuStreamCreate(&mut stream, flags) }.ok()?;
        Ok(stream)
    }

    /// Creates an event.
    pub fn event(&self, flags: u32) -> Result<CUevent, Outcome> {
        let mut event = CUevent::NULL;
        // SAFETY: the out-pointer refers to a local.
        unsafe { self.driver.cuEventCreate(&mut event, flags) }.ok()?;
        Ok(event)
    }

    /// Launches a kernel. Its parameters are a 64-bit address, followed by 32-bit numbers.
    pub fn launch(
        &self,
        function: CUfunction,
        shape: (u32, u32),
        stream: CUstream,
        address: CUdeviceptr,
        numbers: &[u32],
    ) -> CUresult {
        let mut address = address;
        let mut numbers = numbers.to_vec();
        let mut params: Vec<*mut c_void> = vec![(&raw mut address).cast()];
        params.extend(numbers.iter_mut().map(|n| std::ptr::from_mut(n).cast()));
        let none = std::ptr::null_mut();
        // SAFETY: the list has one pointer per parameter. The values have the parameters' sizes and
        // outlive the call.
        unsafe {
            self.driver.cuLaunchKernel(
                function,
                shape.0,
                1,
                1,
                shape.1,
                1,
                1,
                0,
                stream,
                params.as_mut_ptr(),
                none,
            )
        }
    }

    /// Begins a capture on a stream.
    pub fn begin_capture(&self, stream: CUstream) -> Done {
        Ok(cu!(self.cuStreamBeginCapture_v2(stream, values::STREAM_CAPTURE_MODE_RELAXED)).ok()?)
    }

    /// Ends the capture on a stream and returns the graph.
    pub fn end_capture(&self, stream: CUstream) -> Result<CUgraph, Outcome> {
        let mut graph = CUgraph::NULL;
        cu!(self.cuStreamEndCapture(stream, &mut graph)).ok()?;
        Ok(graph)
    }

    /// Instantiates a graph.
    pub fn instantiate(&self, graph: CUgraph) -> Result<CUgraphExec, Outcome> {
        let mut exec = CUgraphExec::NULL;
        cu!(self.cuGraphInstantiateWithFlags(&mut exec, graph, 0)).ok()?;
        Ok(exec)
    }

    /// Launches a graph and waits until the stream is done.
    pub fn replay(&self, exec: CUgraphExec, stream: CUstream) -> Done {
        cu!(self.cuGraphLaunch(exec, stream)).ok()?;
        Ok(cu!(self.cuStreamSynchronize(stream)).ok()?)
    }

    /// Allocates pinned memory for `count` words.
    pub fn pinned(&self, count: usize) -> Result<&'static mut [u32], Outcome> {
        let mut host = std::ptr::null_mut();
        cu!(self.cuMemHostAlloc(&mut host, count * 4, 0)).ok()?;
        // SAFETY: the new memory has this size and page alignment, and is never freed.
        Ok(unsafe { std::slice::from_raw_parts_mut(host.cast(), count) })
    }

    /// Waits until the context has no more work.
    pub fn synchronize(&self) -> CUresult {
        // SAFETY: the call only waits.
        unsafe { self.driver.cuCtxSynchronize() }
    }
}

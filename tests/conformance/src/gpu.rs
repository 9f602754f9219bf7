//! A thin layer over the driver for tests: results as `Result`, buffers and modules by name. It
//! frees nothing, because the process ends.

use crate::kernels::MODULE;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};

/// The end of a test that did not succeed.
pub enum Outcome {
    Failed(String),
    /// The device reports that it lacks the feature under test.
    Skipped(String),
}

/// The result of a test.
pub type Done = Result<(), Outcome>;

impl From<CUresult> for Outcome {
    #[track_caller]
    fn from(code: CUresult) -> Outcome {
        let place = std::panic::Location::caller();
        Outcome::Failed(format!("unexpected {code}, at {}:{}", place.file(), place.line()))
    }
}

/// Fails with a message.
pub fn fail<T>(why: impl Into<String>) -> Result<T, Outcome> {
    Err(Outcome::Failed(why.into()))
}

/// Fails unless both values are equal. `what` names the value in the message.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Done {
    if found == expected {
        Ok(())
    } else {
        let (found, expected) = parting(&format!("{found:?}"), &format!("{expected:?}"));
        fail(format!("{what}: found {found}, expected {expected}"))
    }
}

/// Returns both texts, or of long texts the parts around their first difference.
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

/// Calls a driver function as a test intends. Handles are live or deliberately wrong. Every pointer
/// leads to a local or a buffer that is large enough and lives until the driver no longer uses it.
macro_rules! cu {
    ($gpu:ident.$function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: see above; each test keeps it.
        unsafe { $gpu.driver.$function($($argument),*) }
    };
}
pub(crate) use cu;

/// A driver library with a current context.
pub struct Gpu {
    /// Path of the library.
    pub library: PathBuf,
    /// Functions of the library.
    pub driver: Driver,
    /// Primary context of device 0.
    pub context: CUcontext,
}

impl Gpu {
    /// Opens the library, initialises it and makes device 0's primary context current.
    pub fn open(path: &Path) -> Result<Gpu, Outcome> {
        let driver = Driver::open(path).map_err(|e| Outcome::Failed(e.to_string()))?;
        let mut context = CUcontext::NULL;
        // SAFETY: results go to locals.
        unsafe {
            driver.cuInit(0).ok()?;
            driver.cuDevicePrimaryCtxRetain(&mut context, 0).ok()?;
            driver.cuCtxSetCurrent(context).ok()?;
        }
        Ok(Gpu { library: path.to_owned(), driver, context })
    }

    /// Returns an attribute of device 0.
    pub fn attribute(&self, id: i32) -> Result<i32, Outcome> {
        let mut value = 0;
        // SAFETY: the value goes to a local.
        unsafe { self.driver.cuDeviceGetAttribute(&mut value, id, 0) }.ok()?;
        Ok(value)
    }

    /// Allocates device memory.
    pub fn alloc(&self, bytes: usize) -> Result<CUdeviceptr, Outcome> {
        let mut address = 0;
        // SAFETY: the address goes to a local.
        unsafe { self.driver.cuMemAlloc_v2(&mut address, bytes) }.ok()?;
        Ok(address)
    }

    /// Copies words to device memory.
    pub fn write(&self, to: CUdeviceptr, data: &[u32]) -> Done {
        // SAFETY: the slice is readable for its length.
        Ok(unsafe { self.driver.cuMemcpyHtoD_v2(to, data.as_ptr().cast(), size_of_val(data)) }
            .ok()?)
    }

    /// Copies words from device memory.
    pub fn read(&self, from: CUdeviceptr, count: usize) -> Result<Vec<u32>, Outcome> {
        let mut data = vec![0u32; count];
        // SAFETY: the vector has room for the bytes.
        unsafe { self.driver.cuMemcpyDtoH_v2(data.as_mut_ptr().cast(), from, count * 4) }.ok()?;
        Ok(data)
    }

    /// Loads the common kernels.
    pub fn module(&self) -> Result<CUmodule, Outcome> {
        let text = CString::new(MODULE).expect("PTX holds no NUL");
        let mut module = CUmodule::NULL;
        // SAFETY: the text ends in NUL and the handle goes to a local.
        unsafe { self.driver.cuModuleLoadData(&mut module, text.as_ptr().cast()) }.ok()?;
        Ok(module)
    }

    /// Returns a function of a module.
    pub fn function(&self, module: CUmodule, name: &str) -> Result<CUfunction, Outcome> {
        let name = CString::new(name).expect("a name holds no NUL");
        let mut function = CUfunction::NULL;
        // SAFETY: the name is a C string and the handle goes to a local.
        unsafe { self.driver.cuModuleGetFunction(&mut function, module, name.as_ptr()) }.ok()?;
        Ok(function)
    }

    /// Creates a stream.
    pub fn stream(&self, flags: u32) -> Result<CUstream, Outcome> {
        let mut stream = CUstream::NULL;
        // SAFETY: the handle goes to a local.
        unsafe { self.driver.cuStreamCreate(&mut stream, flags) }.ok()?;
        Ok(stream)
    }

    /// Creates an event.
    pub fn event(&self, flags: u32) -> Result<CUevent, Outcome> {
        let mut event = CUevent::NULL;
        // SAFETY: the handle goes to a local.
        unsafe { self.driver.cuEventCreate(&mut event, flags) }.ok()?;
        Ok(event)
    }

    /// Launches a kernel. The parameters are an address of 64 bits, then numbers of 32 bits.
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
        // SAFETY: one pointer per parameter, to values of their sizes that live through the call.
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

    /// Begins to capture a stream.
    pub fn begin_capture(&self, stream: CUstream) -> Done {
        Ok(cu!(self.cuStreamBeginCapture_v2(stream, values::STREAM_CAPTURE_MODE_RELAXED)).ok()?)
    }

    /// Ends a capture and returns the graph.
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

    /// Launches a graph and waits for it.
    pub fn replay(&self, exec: CUgraphExec, stream: CUstream) -> Done {
        cu!(self.cuGraphLaunch(exec, stream)).ok()?;
        Ok(cu!(self.cuStreamSynchronize(stream)).ok()?)
    }

    /// Allocates pinned memory for so many words.
    pub fn pinned(&self, count: usize) -> Result<&'static mut [u32], Outcome> {
        let mut host = std::ptr::null_mut();
        cu!(self.cuMemHostAlloc(&mut host, count * 4, 0)).ok()?;
        // SAFETY: fresh memory of that size, aligned to a page, that is never freed.
        Ok(unsafe { std::slice::from_raw_parts_mut(host.cast(), count) })
    }

    /// Waits for the context.
    pub fn synchronize(&self) -> CUresult {
        // SAFETY: waits only.
        unsafe { self.driver.cuCtxSynchronize() }
    }
}

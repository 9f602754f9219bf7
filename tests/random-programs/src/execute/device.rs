//! The driver that programs use. It is opened once, and the kernels are loaded.

use super::Place;
use crate::kernels::{MODULE, THREADS};
use crate::program::{Action, Memory};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use std::ffi::{CString, c_void};
use std::path::Path;

/// An open driver with loaded kernels.
pub struct Gpu {
    /// Driver functions of the library.
    pub driver: Driver,
    context: CUcontext,
    stamp: CUfunction,
    bump: CUfunction,
    check: CUfunction,
    spin: CUfunction,
}

impl Gpu {
    /// Opens a driver library.
    pub fn open(path: &Path) -> Result<Gpu, String> {
        let driver = Driver::open(path).map_err(|e| e.to_string())?;
        let (mut context, mut module) = (CUcontext::NULL, CUmodule::NULL);
        let text = CString::new(MODULE).expect("PTX holds no NUL");
        // SAFETY: all out-pointers refer to locals, and the text ends in NUL.
        unsafe {
            named("cuInit", driver.cuInit(0))?;
            named("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain(&mut context, 0))?;
            named("cuCtxSetCurrent", driver.cuCtxSetCurrent(context))?;
            named("cuModuleLoadData", driver.cuModuleLoadData(&mut module, text.as_ptr().cast()))?;
        }
        let function = |name: &str| {
            let (mut function, name) =
                (CUfunction::NULL, CString::new(name).expect("a name holds no NUL"));
            // SAFETY: the name is a C string and the out-pointer refers to a local.
            named("cuModuleGetFunction", unsafe {
                driver.cuModuleGetFunction(&mut function, module, name.as_ptr())
            })?;
            Ok::<_, String>(function)
        };
        let (stamp, bump, check, spin) =
            (function("stamp")?, function("bump")?, function("check")?, function("spin")?);
        Ok(Gpu { driver, context, stamp, bump, check, spin })
    }
}

/// Returns an error that names the function, unless the code is `SUCCESS`.
pub fn named(what: &str, code: CUresult) -> Result<(), String> {
    code.ok().map_err(|code| format!("{what} gives {code}"))
}

/// A kernel's function and arguments. Each argument occupies eight bytes.
pub struct Launch {
    /// The kernel's function.
    pub function: CUfunction,
    /// Number of threads.
    pub threads: u32,
    arguments: Vec<u64>,
    pointers: Vec<*mut c_void>,
}

impl Launch {
    fn new(function: CUfunction, threads: u32, arguments: &[u64]) -> Launch {
        let mut launch =
            Launch { function, threads, arguments: arguments.to_vec(), pointers: Vec::new() };
        launch.pointers = launch
            .arguments
            .iter_mut()
            .map(|argument| std::ptr::from_mut(argument).cast())
            .collect();
        launch
    }

    /// Returns the description of a graph node.
    pub fn node(&mut self) -> CUDA_KERNEL_NODE_PARAMS {
        CUDA_KERNEL_NODE_PARAMS {
            func: self.function,
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: self.threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: self.pointers.as_mut_ptr(),
            extra: std::ptr::null_mut(),
            kern: CUkernel::NULL,
            ctx: CUcontext::NULL,
        }
    }

    /// Returns the arguments for a launch.
    pub fn arguments(&mut self) -> *mut *mut c_void {
        self.pointers.as_mut_ptr()
    }
}

/// The device that a program uses.
#[derive(Clone, Copy)]
pub struct Device<'a> {
    /// The device's driver.
    pub gpu: &'a Gpu,
}

impl Device<'_> {
    /// Returns an error that names the call, unless the code is `SUCCESS`.
    pub fn ok(&self, what: &str, code: CUresult) -> Result<(), String> {
        named(what, code)
    }

    /// Makes the context current in the calling thread.
    pub fn enter(&self) -> Result<(), String> {
        // SAFETY: the context was retained and is never released.
        named("cuCtxSetCurrent", unsafe { self.gpu.driver.cuCtxSetCurrent(self.gpu.context) })
    }

    /// Waits until the context has no more work.
    pub fn synchronize(&self) -> CUresult {
        // SAFETY: the call only waits.
        unsafe { self.gpu.driver.cuCtxSynchronize() }
    }

    /// Returns the context.
    pub fn context(&self) -> CUcontext {
        self.gpu.context
    }

    /// Returns the kernel launch for an action. `place` is the device address of the action's
    /// buffer, and `table` is the device address of its words in the table.
    pub fn launch(&self, action: &Action, place: u64, table: u64) -> Option<Launch> {
        let at = |start: usize| place + 4 * start as u64;
        let word = u64::from;
        Some(match action {
            Action::Stamp { to, base, step } => Launch::new(
                self.gpu.stamp,
                THREADS,
                &[at(to.start), to.len as u64, word(*base), word(*step), table],
            ),
            Action::Bump { to, more } => {
                Launch::new(self.gpu.bump, THREADS, &[at(to.start), to.len as u64, word(*more)])
            }
            Action::Check { .. } => Launch::new(self.gpu.check, THREADS, &[place, table]),
            Action::Spin { us } => Launch::new(self.gpu.spin, 1, &[word(us * 1000)]),
            _ => return None,
        })
    }

    /// Allocates a buffer.
    pub fn allocate(&self, memory: Memory, bytes: usize) -> Result<Place, String> {
        let driver = &self.gpu.driver;
        let (mut host, mut device) = (std::ptr::null_mut(), 0);
        // SAFETY: all out-pointers refer to locals, and a new mapping does not affect existing
        // memory.
        unsafe {
            match memory {
                Memory::Device => named("cuMemAlloc", driver.cuMemAlloc_v2(&mut device, bytes))?,
                Memory::Managed => {
                    named(
                        "cuMemAllocManaged",
                        driver.cuMemAllocManaged(&mut device, bytes, values::MEM_ATTACH_GLOBAL),
                    )?;
                }
                Memory::Pinned => {
                    named("cuMemHostAlloc", driver.cuMemHostAlloc(&mut host, bytes, 0))?
                }
                Memory::Mapped => {
                    named(
                        "cuMemHostAlloc",
                        driver.cuMemHostAlloc(&mut host, bytes, values::MEMHOSTALLOC_DEVICEMAP),
                    )?;
                    named(
                        "cuMemHostGetDevicePointer",
                        driver.cuMemHostGetDevicePointer_v2(&mut device, host, 0),
                    )?;
                }
                Memory::Pooled => return Err("a pool's memory comes in a stream".to_owned()),
                Memory::Pageable => {
                    let rights = libc::PROT_READ | libc::PROT_WRITE;
                    host = libc::mmap(
                        std::ptr::null_mut(),
                        bytes,
                        rights,
                        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                        -1,
                        0,
                    );
                    if host == libc::MAP_FAILED {
                        return Err("there is no host memory left".to_owned());
                    }
                }
            }
        }
        let host = if host.is_null() { device } else { host as u64 };
        let device = if device == 0 { host } else { device };
        Ok(Place { memory, host, device, bytes, registered: false })
    }

    /// Frees memory that is no longer used.
    pub fn give_back(&self, place: &Place) -> Result<(), String> {
        let driver = &self.gpu.driver;
        // SAFETY: the memory was allocated by that call's counterpart, with that size.
        unsafe {
            match place.memory {
                Memory::Device | Memory::Managed | Memory::Pooled => {
                    named("cuMemFree", driver.cuMemFree_v2(place.device))
                }
                Memory::Pinned | Memory::Mapped => {
                    named("cuMemFreeHost", driver.cuMemFreeHost(place.host as *mut c_void))
                }
                Memory::Pageable => match libc::munmap(place.host as *mut c_void, place.bytes) {
                    0 => Ok(()),
                    _ => Err("the program's memory cannot be unmapped".to_owned()),
                },
            }
        }
    }
}

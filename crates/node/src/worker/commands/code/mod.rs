//! Modules, libraries, kernels and globals. The worker loads them from images and describes them to
//! the client once.

pub mod launch;
pub mod texture;

use crate::worker::driver::objects::Owner;
use crate::worker::io::frame::{Incoming, Refusal, Ticket};
use crate::worker::io::marshal::c_name;
use crate::worker::log::log;
use crate::worker::state::Worker;
use outhaul_abi::Driver;
use outhaul_abi::code::fatbin;
use outhaul_abi::code::fatbin::Image;
use outhaul_abi::code::jit_options;
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::handle::{Handle, HandleKind};
use outhaul_wire::messages::*;
use std::ffi::{CStr, CString, c_char, c_void};

const LOG_BYTES_MAX: usize = 1 << 20;
const PARAMS_MAX: usize = 4096;
const FUNCTIONS_MAX: u32 = 60_000;
/// Maximum number of kernels in an image that are described when the image is loaded. Run-time
/// compilers create images of one or two kernels, which the program looks up at once.
const DESCRIBED_MAX: usize = 4;
/// Sent for an attribute that the driver does not know.
const NO_ATTRIBUTE: i32 = i32::MIN;

/// JIT options in the driver's form, with buffers for the driver's logs.
pub struct Options {
    names: Vec<CUjit_option>,
    values: Vec<*mut c_void>,
    info: Vec<u8>,
    error: Vec<u8>,
    info_size: Option<usize>,
    error_size: Option<usize>,
}

impl Options {
    /// Converts a client's options. Rejects each option whose value is not a number, because the
    /// value would be an address, which no client may choose.
    pub fn new(list: &[JitOption]) -> Result<Options, Refusal> {
        let mut options = Options {
            names: vec![],
            values: vec![],
            info: vec![],
            error: vec![],
            info_size: None,
            error_size: None,
        };
        for JitOption { option, value } in list {
            match *option {
                values::JIT_INFO_LOG_BUFFER_SIZE_BYTES => {
                    options.info = vec![0; (*value as usize).min(LOG_BYTES_MAX)]
                }
                values::JIT_ERROR_LOG_BUFFER_SIZE_BYTES => {
                    options.error = vec![0; (*value as usize).min(LOG_BYTES_MAX)]
                }
                values::JIT_INFO_LOG_BUFFER | values::JIT_ERROR_LOG_BUFFER => {}
                number if jit_options::is_number(number) => {
                    options.push(number, *value as u32 as usize as *mut c_void)
                }
                other => {
                    return Err(Refusal::Violation(format!(
                        "option {other} of the JIT compiler is not a number"
                    )));
                }
            }
        }
        if !options.info.is_empty() {
            let (buffer, bytes) = (options.info.as_mut_ptr(), options.info.len());
            options.push(values::JIT_INFO_LOG_BUFFER, buffer.cast());
            options.info_size = Some(options.values.len());
            options.push(values::JIT_INFO_LOG_BUFFER_SIZE_BYTES, bytes as *mut c_void);
        }
        if !options.error.is_empty() {
            let (buffer, bytes) = (options.error.as_mut_ptr(), options.error.len());
            options.push(values::JIT_ERROR_LOG_BUFFER, buffer.cast());
            options.error_size = Some(options.values.len());
            options.push(values::JIT_ERROR_LOG_BUFFER_SIZE_BYTES, bytes as *mut c_void);
        }
        Ok(options)
    }

    fn push(&mut self, name: CUjit_option, value: *mut c_void) {
        self.names.push(name);
        self.values.push(value);
    }

    fn count(&self) -> u32 {
        self.names.len() as u32
    }

    fn text(buffer: &[u8]) -> &[u8] {
        buffer.split(|b| *b == 0).next().unwrap_or_default()
    }

    fn info_log(&self) -> &[u8] {
        Options::text(&self.info)
    }

    fn error_log(&self) -> &[u8] {
        Options::text(&self.error)
    }
}

/// The 24-byte wrapper through which programs refer to a container.
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    data: *const c_void,
    list: *const c_void,
}

impl Worker {
    /// Handles `CodePut`.
    pub fn code_put(&mut self, m: &CodePut, incoming: &mut Incoming<'_>) -> Result<(), Refusal> {
        let bytes = incoming.payload_bytes();
        let place = self
            .images
            .piece(&m.hash, m.total_bytes, m.offset, bytes)
            .map_err(Refusal::Violation)?;
        incoming.read_payload(place)?;
        self.images.filled(&m.hash, m.total_bytes).map_err(Refusal::Violation)
    }
}

/// Calls `body` with the pointer through which the driver takes the image. Appends a NUL to the
/// image, as PTX requires. The pointer refers to a wrapper for a library's fat binary and for
/// several containers to be linked, as in programs. Otherwise it refers to the image itself.
fn with_image<T>(
    mut image: Vec<u8>,
    library: bool,
    body: impl FnOnce(*const c_void) -> Result<T, CUresult>,
) -> Result<T, CUresult> {
    image.push(0);
    match Image::of(&image) {
        Ok(Image::Fatbin(containers)) if library || containers.len() > 1 => {
            let mut parts: Vec<*const c_void> =
                containers[1..].iter().map(|part| part.as_ptr().cast()).collect();
            parts.push(std::ptr::null());
            let (version, list) =
                if parts.len() == 1 { (1, std::ptr::null()) } else { (2, parts.as_ptr().cast()) };
            let wrapper = Wrapper {
                magic: fatbin::WRAPPER_MAGIC,
                version,
                data: image.as_ptr().cast(),
                list,
            };
            body((&raw const wrapper).cast()).inspect_err(|code| explain(*code, &image))
        }
        Ok(_) => body(image.as_ptr().cast()).inspect_err(|code| explain(*code, &image)),
        Err(error) => {
            log(&format!("a code image is refused: {error}"));
            Err(CUresult::INVALID_IMAGE)
        }
    }
}

fn explain(code: CUresult, container: &[u8]) {
    if code == CUresult::NO_BINARY_FOR_GPU
        && let Ok(entries) = fatbin::entries(container)
    {
        let targets: Vec<_> = entries.iter().map(fatbin::Entry::target).collect();
        log(&format!(
            "a module has no code for this GPU; its targets: {}",
            if targets.is_empty() { "none that fit".into() } else { targets.join(", ") }
        ));
    }
}

impl Worker {
    /// Handles `ModuleLoad`.
    pub fn module_load(&mut self, m: &ModuleLoad, ticket: &Ticket) -> Result<(), Refusal> {
        let Some(image) = self.images.get(&m.hash) else {
            ticket.answer(&ModuleLoadReply {
                missing: true,
                kernels: List(vec![]),
                info_log: &[],
                error_log: &[],
            });
            return Ok(());
        };
        let mut options = Options::new(&m.options.0)?;
        let driver = self.driver.clone();
        let result = if m.library {
            let made = with_image(image, true, |pointer| {
                let mut library = CUlibrary::NULL;
                // SAFETY: the image, the options and the out-pointer outlive the call; the driver
                // copies the code.
                unsafe {
                    driver.cuLibraryLoadData(
                        &mut library,
                        pointer,
                        options.names.as_mut_ptr(),
                        options.values.as_mut_ptr(),
                        options.count(),
                        std::ptr::null_mut(),
                        std::ptr::null_mut(),
                        0,
                    )
                }
                .ok()
                .map(|()| library)
            });
            let code = made.as_ref().err().copied();
            let _ = self.objects.put_library(m.module, made);
            code
        } else {
            let made = with_image(image, false, |pointer| {
                let mut module = CUmodule::NULL;
                // SAFETY: the image, the options and the out-pointer outlive the call; the driver
                // copies the code.
                unsafe {
                    driver.cuModuleLoadDataEx(
                        &mut module,
                        pointer,
                        options.count(),
                        options.names.as_mut_ptr(),
                        options.values.as_mut_ptr(),
                    )
                }
                .ok()
                .map(|()| module)
            });
            let code = made.as_ref().err().copied();
            let _ = self.objects.put_module(m.module, made);
            self.objects.note_owned_by_context(m.module);
            code
        };
        if let Some(code) = result
            && !options.error_log().is_empty()
        {
            log(&format!("{code}: {}", String::from_utf8_lossy(options.error_log())));
        }
        let names = if result.is_none() { few_names(self, m.module) } else { vec![] };
        let kernels = names.iter().filter_map(|name| described_kernel(self, m.module, name));
        let kernels = List(kernels.collect());
        // Describing a kernel may have made the driver load it.
        let result = result.or_else(|| self.charge_code(m.module).err());
        let reply = ModuleLoadReply {
            missing: false,
            kernels,
            info_log: options.info_log(),
            error_log: options.error_log(),
        };
        ticket.answer_with(result.unwrap_or(CUresult::SUCCESS), &reply);
        Ok(())
    }
}

impl Worker {
    /// Charges the session for code that was just loaded to the device, or unloads it. The driver
    /// loads a module at once, and a library at its first use. Later uses then get the error, too.
    fn charge_code(&mut self, module: u64) -> Result<(), CUresult> {
        let Err(code) = self.memory.charge_overhead() else { return Ok(()) };
        let library = is_library(module);
        let _ = self.module_unload(&ModuleUnload { module, library });
        let _ = if library {
            self.objects.put_library(module, Err(code))
        } else {
            self.objects.put_module(module, Err(code))
        };
        Err(code)
    }

    /// Handles `ModuleUnload`.
    pub fn module_unload(&mut self, m: &ModuleUnload) -> Result<(), Refusal> {
        self.forget_launches();
        // SAFETY: the handle is the session's own, and has left the table.
        let result = unsafe {
            if m.library {
                self.driver.cuLibraryUnload(self.objects.library(m.module)?)
            } else {
                self.driver.cuModuleUnload(self.objects.module(m.module)?)
            }
        };
        self.forget_module(m.module)?;
        result.ok()?;
        self.note_overhead();
        Ok(())
    }

    /// Removes a module or a library from the tables, with its functions and references.
    pub fn forget_module(&mut self, module: u64) -> Result<(), Refusal> {
        for reference in self.textures.take_references(module) {
            let _ = self.objects.remove(reference);
        }
        self.objects.remove(module)
    }

    /// Handles `LibraryGetModule`.
    pub fn library_get_module(&mut self, m: &LibraryGetModule) -> Result<(), Refusal> {
        let library = self.objects.library(m.library)?;
        let mut module = CUmodule::NULL;
        // SAFETY: the library is the session's own, and the out-pointer is a local.
        let made =
            unsafe { self.driver.cuLibraryGetModule(&mut module, library) }.ok().map(|()| module);
        self.objects.put_module(m.module, made)?;
        self.objects.note_owner(m.module, Owner::Object(m.library));
        self.objects.note_owned_by_context(m.module);
        let Err(code) = self.charge_code(m.library) else { return Ok(()) };
        // The module has ended with its library.
        self.objects.put_module(m.module, Err(code))
    }
}

fn is_library(handle: u64) -> bool {
    matches!(Handle::unpack(handle), Some(Handle { kind: HandleKind::Library, .. }))
}

/// Returns whether a function's handle belongs to a CUkernel, which the driver accepts as a
/// CUfunction only in some calls.
pub fn is_kernel(handle: u64) -> bool {
    matches!(Handle::unpack(handle), Some(Handle { kind: HandleKind::Kernel, .. }))
}

/// Returns the function called `name` in a module, or the kernel called `name` in a library.
fn find(worker: &Worker, module: u64, name: &str) -> Result<CUfunction, Refusal> {
    let name = c_name(name)?;
    let (mut kernel, mut function) = (CUkernel::NULL, CUfunction::NULL);
    // SAFETY: the library or module is the session's own; the name outlives the call, and the
    // out-pointer is a local.
    unsafe {
        if is_library(module) {
            worker
                .driver
                .cuLibraryGetKernel(&mut kernel, worker.objects.library(module)?, name.as_ptr())
                .ok()?;
            Ok(CUfunction(kernel.0))
        } else {
            worker
                .driver
                .cuModuleGetFunction(&mut function, worker.objects.module(module)?, name.as_ptr())
                .ok()?;
            Ok(function)
        }
    }
}

impl Worker {
    /// Handles `NameFunction`.
    pub fn name_function(&mut self, m: &NameFunction<'_>) -> Result<(), Refusal> {
        let function = find(self, m.module, m.name)?;
        self.objects.put_function(m.function, Ok(function))?;
        self.objects.note_owner(m.function, Owner::Object(m.module));
        Ok(())
    }

    /// Handles `GetFunction`.
    pub fn get_function(&mut self, m: &GetFunction<'_>, ticket: &Ticket) -> Result<(), Refusal> {
        let function = find(self, m.module, m.name)?;
        let kernel = is_library(m.module);
        // The driver describes a kernel only in a context, but a program may look up a library's
        // kernels before it has a context.
        let described = has_context(self);
        let (attributes, params) = if described {
            describe(self, function, kernel, current_device(self))?
        } else {
            Default::default()
        };
        let reply =
            GetFunctionReply { described, attributes: List(attributes), params: List(params) };
        self.objects.put_function(m.function, Ok(function))?;
        self.objects.note_owner(m.function, Owner::Object(m.module));
        ticket.answer(&reply);
        Ok(())
    }
}

fn has_context(worker: &Worker) -> bool {
    let mut context = CUcontext::NULL;
    // SAFETY: the out-pointer is a local.
    let result = unsafe { worker.driver.cuCtxGetCurrent(&mut context) };
    result == CUresult::SUCCESS && !context.is_null()
}

fn current_device(worker: &Worker) -> CUdevice {
    let mut device = 0;
    // SAFETY: the out-pointer is a local.
    let _ = unsafe { worker.driver.cuCtxGetDevice(&mut device) };
    device
}

fn describe(
    worker: &Worker,
    function: CUfunction,
    kernel: bool,
    device: CUdevice,
) -> Result<(Vec<i32>, Vec<ParamLayout>), CUresult> {
    Ok((attributes(worker, function, kernel, device), params(&worker.driver, function, kernel)?))
}

impl Worker {
    /// Handles `DescribeFunction`.
    pub fn describe_function(
        &mut self,
        m: &DescribeFunction,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let function = self.objects.function(m.function)?;
        let kernel = is_kernel(m.function);
        let (attributes, params) = describe(self, function, kernel, m.device)?;
        ticket
            .answer(&DescribeFunctionReply { attributes: List(attributes), params: List(params) });
        Ok(())
    }
}

/// Returns a function's attributes. A kernel has attributes for each device; another function only
/// for its own device.
fn attributes(worker: &Worker, function: CUfunction, kernel: bool, device: CUdevice) -> Vec<i32> {
    let read = |attribute: i32| {
        let mut value = 0;
        // SAFETY: the function is the session's own, and the out-pointer is a local.
        let result = unsafe {
            if kernel {
                worker.driver.cuKernelGetAttribute(
                    &mut value,
                    attribute,
                    CUkernel(function.0),
                    device,
                )
            } else {
                worker.driver.cuFuncGetAttribute(&mut value, attribute, function)
            }
        };
        if result == CUresult::SUCCESS { value } else { NO_ATTRIBUTE }
    };
    (0..values::FUNC_ATTRIBUTE_COUNT as i32).map(read).collect()
}

/// Returns each parameter's offset and size.
pub fn params(
    driver: &Driver,
    function: CUfunction,
    kernel: bool,
) -> Result<Vec<ParamLayout>, CUresult> {
    let mut layouts = Vec::new();
    for i in 0..PARAMS_MAX {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the function is the session's own, and the out-pointers are locals.
        let result = unsafe {
            if kernel {
                driver.cuKernelGetParamInfo(CUkernel(function.0), i, &mut offset, &mut size)
            } else {
                driver.cuFuncGetParamInfo(function, i, &mut offset, &mut size)
            }
        };
        match result {
            CUresult::SUCCESS => {
                layouts.push(ParamLayout { offset_bytes: offset as u32, size_bytes: size as u32 })
            }
            CUresult::INVALID_VALUE => return Ok(layouts),
            other => return Err(other),
        }
    }
    Ok(layouts)
}

impl Worker {
    /// Handles `KernelGetFunction`.
    pub fn kernel_get_function(&mut self, m: &KernelGetFunction) -> Result<(), Refusal> {
        let kernel = self.objects.function(m.kernel)?;
        let mut function = CUfunction::NULL;
        // SAFETY: the kernel is the session's own, and the out-pointer is a local.
        let made = unsafe { self.driver.cuKernelGetFunction(&mut function, CUkernel(kernel.0)) }
            .ok()
            .map(|()| function);
        self.objects.put_function(m.function, made)?;
        self.objects.note_owner(m.function, Owner::Object(m.kernel));
        Ok(())
    }

    /// Handles `GetGlobal`.
    pub fn get_global(&mut self, m: &GetGlobal<'_>, ticket: &Ticket) -> Result<(), Refusal> {
        let name = c_name(m.name)?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is the session's own; the name outlives the call, and the out-pointers
        // are locals.
        unsafe {
            if is_library(m.module) {
                self.driver.cuLibraryGetGlobal(
                    &mut address,
                    &mut bytes,
                    self.objects.library(m.module)?,
                    name.as_ptr(),
                )
            } else {
                self.driver.cuModuleGetGlobal_v2(
                    &mut address,
                    &mut bytes,
                    self.objects.module(m.module)?,
                    name.as_ptr(),
                )
            }
        }
        .ok()?;
        self.charge_code(m.module)?;
        ticket.answer(&GetGlobalReply { address, bytes: bytes as u64 });
        Ok(())
    }

    /// Handles `GetManaged`.
    pub fn get_managed(&mut self, m: &GetManaged<'_>, ticket: &Ticket) -> Result<(), Refusal> {
        let name = c_name(m.name)?;
        let (mut address, mut bytes) = (0, 0);
        let library = self.objects.library(m.library)?;
        // SAFETY: the library is the session's own; the name outlives the call, and the
        // out-pointers are locals.
        unsafe {
            self.driver.cuLibraryGetManaged(&mut address, &mut bytes, library, name.as_ptr())
        }
        .ok()?;
        self.managed_variables.push((address, bytes as u64));
        ticket.answer(&GetManagedReply { address, bytes: bytes as u64 });
        Ok(())
    }
}

/// Returns the names of a module's kernels. Returns no names if there are more than `DESCRIBED_MAX`
/// or the driver does not list them.
fn few_names(worker: &Worker, module: u64) -> Vec<String> {
    if !has_context(worker)
        || !function_count(worker, module).is_ok_and(|count| count <= DESCRIBED_MAX)
    {
        return vec![];
    }
    let functions = functions_of(worker, module).unwrap_or_default();
    functions
        .iter()
        .filter_map(|function| function_name(worker, *function, is_library(module)).ok())
        .collect()
}

/// Describes a kernel. Returns `None` if that fails; the program gets the error when it looks the
/// kernel up.
fn described_kernel<'n>(
    worker: &Worker,
    module: u64,
    name: &'n str,
) -> Option<DescribedKernel<'n>> {
    let function = find(worker, module, name).ok()?;
    let (attributes, params) =
        describe(worker, function, is_library(module), current_device(worker)).ok()?;
    Some(DescribedKernel { name, attributes: List(attributes), params: List(params) })
}

fn function_count(worker: &Worker, module: u64) -> Result<usize, Refusal> {
    let mut count = 0;
    // SAFETY: the library or module is the session's own, and the out-pointer is a local.
    unsafe {
        if is_library(module) {
            worker.driver.cuLibraryGetKernelCount(&mut count, worker.objects.library(module)?)
        } else {
            worker.driver.cuModuleGetFunctionCount(&mut count, worker.objects.module(module)?)
        }
    }
    .ok()?;
    Ok(count.min(FUNCTIONS_MAX) as usize)
}

fn functions_of(worker: &Worker, module: u64) -> Result<Vec<CUfunction>, Refusal> {
    let mut functions = vec![CUfunction::NULL; function_count(worker, module)?];
    let count = functions.len() as u32;
    // SAFETY: the array is valid for writes of `count` handles, and a CUkernel is as large as a
    // CUfunction.
    unsafe {
        if is_library(module) {
            worker.driver.cuLibraryEnumerateKernels(
                functions.as_mut_ptr().cast(),
                count,
                worker.objects.library(module)?,
            )
        } else {
            worker.driver.cuModuleEnumerateFunctions(
                functions.as_mut_ptr(),
                count,
                worker.objects.module(module)?,
            )
        }
    }
    .ok()?;
    Ok(functions)
}

impl Worker {
    /// Handles `ListFunctions`.
    pub fn list_functions(&mut self, m: &ListFunctions, ticket: &Ticket) -> Result<(), Refusal> {
        let functions = functions_of(self, m.module)?;
        let name = |f: &CUfunction| function_name(self, *f, is_library(m.module));
        let names: Vec<String> = functions.iter().map(name).collect::<Result<_, _>>()?;
        ticket.answer(&ListFunctionsReply {
            names: List(names.iter().map(|name| Name { name }).collect()),
        });
        Ok(())
    }
}

fn function_name(worker: &Worker, function: CUfunction, kernel: bool) -> Result<String, CUresult> {
    let mut name: *const c_char = std::ptr::null();
    // SAFETY: the function is the session's own, and the out-pointer is a local.
    unsafe {
        if kernel {
            worker.driver.cuKernelGetName(&mut name, CUkernel(function.0))
        } else {
            worker.driver.cuFuncGetName(&mut name, function)
        }
    }
    .ok()?;
    // SAFETY: the call succeeded, so the pointer refers to a C string that exists as long as the
    // function.
    Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

impl Worker {
    /// Handles `Link`.
    pub fn link(&mut self, m: &Link<'_>, ticket: &Ticket) -> Result<(), Refusal> {
        let mut images = Vec::new();
        for input in &m.inputs.0 {
            let Some(mut image) = self.images.get(&input.hash) else {
                ticket.answer(&LinkReply {
                    missing: true,
                    image: &[],
                    info_log: &[],
                    error_log: &[],
                });
                return Ok(());
            };
            image.push(0);
            images.push((input.kind, c_name(input.name)?, image));
        }
        let mut options = Options::new(&m.options.0)?;
        let mut state = CUlinkState::NULL;
        let driver = &self.driver;
        // SAFETY: the options outlive the link state, which is destroyed below.
        unsafe {
            driver.cuLinkCreate_v2(
                options.count(),
                options.names.as_mut_ptr(),
                options.values.as_mut_ptr(),
                &mut state,
            )
        }
        .ok()?;
        let linked = link_images(self, state, &mut images);
        let code = linked.as_ref().err().copied().unwrap_or(CUresult::SUCCESS);
        let image = linked.unwrap_or_default();
        let reply = LinkReply {
            missing: false,
            image: &image,
            info_log: options.info_log(),
            error_log: options.error_log(),
        };
        ticket.answer_with(code, &reply);
        // SAFETY: the state was created above, and the image was copied out of it.
        let _ = unsafe { driver.cuLinkDestroy(state) };
        Ok(())
    }
}

fn link_images(
    worker: &Worker,
    state: CUlinkState,
    images: &mut [(i32, CString, Vec<u8>)],
) -> Result<Vec<u8>, CUresult> {
    for (kind, name, image) in images {
        // The size of PTX includes its NUL; binary inputs have no NUL.
        let bytes = if *kind == values::JIT_INPUT_PTX { image.len() } else { image.len() - 1 };
        // SAFETY: image and name outlive the call, which copies them.
        unsafe {
            worker.driver.cuLinkAddData_v2(
                state,
                *kind,
                image.as_mut_ptr().cast(),
                bytes,
                name.as_ptr(),
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            )
        }
        .ok()?;
    }
    let (mut cubin, mut bytes) = (std::ptr::null_mut(), 0);
    // SAFETY: the link state is the caller's, and the out-pointers are locals.
    unsafe { worker.driver.cuLinkComplete(state, &mut cubin, &mut bytes) }.ok()?;
    // SAFETY: the call succeeded, so the pointer is valid for reads of `bytes` bytes while the link
    // state exists.
    Ok(unsafe { std::slice::from_raw_parts(cubin.cast::<u8>(), bytes) }.to_vec())
}

impl Worker {
    /// Handles `FunctionSetAttribute`.
    pub fn function_set_attribute(&mut self, m: &FunctionSetAttribute) -> Result<(), Refusal> {
        let function = self.objects.function(m.function)?;
        let kernel = is_kernel(m.function);
        // SAFETY: the function is the session's own, and the driver checks the ordinal.
        let result = unsafe {
            if kernel {
                self.driver.cuKernelSetAttribute(
                    m.attribute,
                    m.value,
                    CUkernel(function.0),
                    m.device,
                )
            } else {
                self.driver.cuFuncSetAttribute(function, m.attribute, m.value)
            }
        };
        Ok(result.ok()?)
    }

    /// Handles `FunctionSetCacheConfig`.
    pub fn function_set_cache_config(&mut self, m: &FunctionSetCacheConfig) -> Result<(), Refusal> {
        let function = self.objects.function(m.function)?;
        let kernel = is_kernel(m.function);
        // SAFETY: the function is the session's own, and the driver checks the preference.
        let result = unsafe {
            if kernel {
                self.driver.cuKernelSetCacheConfig(CUkernel(function.0), m.config, m.device)
            } else {
                self.driver.cuFuncSetCacheConfig(function, m.config)
            }
        };
        Ok(result.ok()?)
    }
}

//! Modules and libraries. An image is reduced to the code for the target, named by its hash, and
//! sent only if the node does not have it.

use super::functions::look_up;
use crate::api::arguments::{Done, name, put};
use crate::base::log;
use crate::marshal;
use crate::objects::context;
use crate::objects::driver::{Driver, driver};
use crate::objects::function::{Described, Facts, Function, Module};
use crate::objects::memory;
use crate::session::outbox::{Payload, Sent};
use crate::session::{Place, call};
use outhaul_abi::SOFTWARE_GPU;
use outhaul_abi::code::fatbin;
use outhaul_abi::code::fatbin::Kind;
use outhaul_abi::code::{jit, refusals};
use outhaul_abi::types::*;
use outhaul_wire::codec::{List, Reader};
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{
    CodePut, GetGlobal, JitOption, LibraryGetModule, ListFunctions, ModuleLoad, ModuleLoadReply,
    ModuleUnload,
};
use std::borrow::Cow;
use std::ffi::{c_char, c_void};
use std::sync::{Arc, Weak};

const LOADING_EAGER: i32 = 1;
const LOADING_LAZY: i32 = 2;
/// Largest image that is sent with the first question, which costs less than a round trip. A small
/// image has most likely just been compiled, so the node does not have it.
const SENT_AHEAD_BYTES_MAX: usize = 64 << 10;

// ---- images ----

/// An image as it is sent, and its hash.
pub struct Parcel {
    bytes: Vec<u8>,
    /// Hash by which the node knows the image.
    pub hash: [u8; 32],
}

impl Parcel {
    /// Computes the hash.
    pub fn new(bytes: Vec<u8>) -> Parcel {
        Parcel { hash: *blake3::hash(&bytes).as_bytes(), bytes }
    }

    /// Reads an image of the program, and reduces it.
    ///
    /// # Safety
    /// As for `fatbin::Image::at`.
    unsafe fn at(image: *const c_void) -> Result<Parcel, CUresult> {
        // SAFETY: the caller's promise.
        let image = unsafe { fatbin::Image::at(image.cast()) }.map_err(|error| {
            log::note(|| format!("a code image is refused: {error}"));
            CUresult::INVALID_IMAGE
        })?;
        match image {
            fatbin::Image::Fatbin(containers) => cut(&containers),
            fatbin::Image::Cubin(bytes) | fatbin::Image::Ptx(bytes) => {
                Ok(Parcel::new(bytes.to_vec()))
            }
        }
    }

    /// Sends the image, and blocks until it has been read.
    pub fn send(&self, place: Place) -> Done {
        let mut last = None;
        for (i, piece) in self.bytes.chunks(PIECE_BYTES).enumerate() {
            let sent = Arc::new(Sent::of(1));
            let message = CodePut {
                hash: self.hash,
                total_bytes: self.bytes.len() as u64,
                offset: (i * PIECE_BYTES) as u64,
            };
            place
                .post_payload(
                    &message,
                    Payload::Borrowed {
                        address: piece.as_ptr(),
                        bytes: piece.len(),
                        sent: sent.clone(),
                    },
                )
                .inspect_err(|_| last.take().iter().for_each(|s: &Arc<Sent>| s.wait()))?;
            last = Some(sent);
        }
        if let Some(last) = last {
            last.wait();
        }
        Ok(())
    }
}

/// Reduces a program's containers to code that the session's devices can run. A program that was
/// compiled in parts has its linked code first. A driver that cannot run that code links the parts
/// anew, and needs all of them.
fn cut(containers: &[&[u8]]) -> Result<Parcel, CUresult> {
    let capabilities: Vec<u32> = driver()?.facts.devices.iter().map(|d| d.capability()).collect();
    let (linked, parts) = containers.split_first().ok_or(CUresult::INVALID_IMAGE)?;
    let linked_code = cut_one(linked, &capabilities)?;
    let parts: Option<Vec<_>> =
        parts.iter().map(|part| cut_one(part, &capabilities)).collect::<Result<_, _>>()?;
    let parts = parts.unwrap_or_default();
    if linked_code.is_none() && parts.is_empty() {
        refused(&capabilities, containers);
        return Err(CUresult::NO_BINARY_FOR_GPU);
    }
    let nothing = || fatbin::cut(linked, |_| false).map_err(|_| CUresult::INVALID_IMAGE);
    let mut all = vec![linked_code.map_or_else(nothing, Ok)?];
    all.extend(parts);
    Ok(Parcel::new(fatbin::join(&all)))
}

/// Keeps the best machine code of a container for each device, and all PTX that the devices can
/// compile. Returns none if there is neither.
fn cut_one(container: &[u8], capabilities: &[u32]) -> Result<Option<Vec<u8>>, CUresult> {
    let entries = fatbin::entries(container).map_err(|_| CUresult::INVALID_IMAGE)?;
    let best: Vec<Option<u32>> = capabilities
        .iter()
        .map(|sm| {
            entries.iter().filter(|e| e.kind == Kind::Cubin && e.runs_on(*sm)).map(|e| e.sm).max()
        })
        .collect();
    let keep = |entry: &fatbin::Entry<'_>| {
        capabilities.iter().zip(&best).any(|(sm, best)| {
            entry.runs_on(*sm) && (entry.kind != Kind::Cubin || Some(entry.sm) == *best)
        })
    };
    if !entries.iter().any(keep) {
        return Ok(None);
    }
    fatbin::cut(container, keep).map(Some).map_err(|_| CUresult::INVALID_IMAGE)
}

/// Reports that no device can run any of the code. For the software GPU this is always printed,
/// because a framework may hide the error.
fn refused(capabilities: &[u32], containers: &[&[u8]]) {
    let entries =
        containers.iter().filter_map(|container| fatbin::entries(container).ok()).flatten();
    let targets: Vec<String> = entries.map(|entry| entry.target()).collect();
    let shown: Vec<String> =
        capabilities.iter().map(|sm| format!("{}.{}", sm / 10, sm % 10)).collect();
    if log::verbose() {
        log::note(|| {
            format!(
                "a module has no code for compute capability {}; it has {}",
                shown.join(", "),
                targets.join(", ")
            )
        });
    } else if has_software_gpu() {
        refusals::say(&refusals::no_ptx(&shown.join(", "), &targets));
    }
}

fn has_software_gpu() -> bool {
    driver().is_ok_and(|driver| {
        driver.facts.devices.iter().any(|device| device.name.starts_with(SOFTWARE_GPU))
    })
}

/// Reports why the node's driver refuses code.
fn refused_there(code: CUresult, error_log: &[u8]) {
    let reasons = String::from_utf8_lossy(error_log);
    if log::verbose() {
        log::note(|| format!("a code image is refused: {code}: {}", reasons.trim_end()));
    } else if has_software_gpu() {
        reasons.lines().filter(|reason| !reason.trim().is_empty()).for_each(refusals::say);
    }
}

// ---- JIT options ----

/// A program's JIT options: numbers are sent, and logs are written back.
pub struct Options {
    /// Options to send.
    pub list: Vec<JitOption>,
    info: Log,
    error: Log,
}

/// Buffer for a log, and the option slot for its length.
#[derive(Clone, Copy)]
struct Log {
    buffer: *mut u8,
    bytes: usize,
    length: *mut *mut c_void,
}

/// Bytes of the error log if the program wants none.
const ERROR_LOG_BYTES: u64 = 4096;

impl Log {
    const NONE: Log = Log { buffer: std::ptr::null_mut(), bytes: 0, length: std::ptr::null_mut() };

    fn write(&self, text: &[u8]) {
        if self.buffer.is_null() || self.bytes == 0 {
            return;
        }
        let count = text.len().min(self.bytes - 1);
        // SAFETY: the program gave a buffer of that size, and the slot of its length.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), self.buffer, count);
            self.buffer.add(count).write(0);
            if !self.length.is_null() {
                self.length.write((count + 1) as *mut c_void);
            }
        }
    }
}

impl Options {
    /// Reads the program's options.
    ///
    /// # Safety
    /// `names` and `values` have `count` entries that stay valid as long as the logs may be
    /// written.
    pub unsafe fn new(count: u32, names: *const CUjit_option, values: *mut *mut c_void) -> Options {
        let mut options = Options { list: Vec::new(), info: Log::NONE, error: Log::NONE };
        if names.is_null() || values.is_null() {
            return options;
        }
        for i in 0..count as usize {
            // SAFETY: the caller's promise.
            let (option, slot) = unsafe { (names.add(i).read(), values.add(i)) };
            // SAFETY: as above.
            let value = unsafe { slot.read() };
            match option {
                values::JIT_INFO_LOG_BUFFER => options.info.buffer = value.cast(),
                values::JIT_INFO_LOG_BUFFER_SIZE_BYTES => {
                    (options.info.bytes, options.info.length) = (value as u32 as usize, slot)
                }
                values::JIT_ERROR_LOG_BUFFER => options.error.buffer = value.cast(),
                values::JIT_ERROR_LOG_BUFFER_SIZE_BYTES => {
                    (options.error.bytes, options.error.length) = (value as u32 as usize, slot)
                }
                _ => {}
            }
            let is_size = matches!(
                option,
                values::JIT_INFO_LOG_BUFFER_SIZE_BYTES | values::JIT_ERROR_LOG_BUFFER_SIZE_BYTES
            );
            if jit::is_number(option) || is_size {
                options.list.push(JitOption { option, value: u64::from(value as usize as u32) });
            }
        }
        options
    }

    /// Returns the options to send. They always include an error log, because the reason for
    /// refused code is useful.
    fn with_an_error_log(&self) -> Vec<JitOption> {
        let mut list = self.list.clone();
        if !list.iter().any(|option| option.option == values::JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            list.push(JitOption {
                option: values::JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                value: ERROR_LOG_BYTES,
            });
        }
        list
    }

    fn forget_logs(&mut self) {
        (self.info, self.error) = (Log::NONE, Log::NONE);
    }

    /// Writes the logs to the program's buffers, if it gave any.
    pub fn write_logs(&self, info: &[u8], error: &[u8]) {
        self.info.write(info);
        self.error.write(error);
    }
}

// ---- loading ----

/// What a module is loaded from: the image, and the options for its compilation.
pub struct Source {
    parcel: Parcel,
    options: Options,
}

// SAFETY: the options' pointers are the program's log buffers, which are written while a load call
// is under way and never after it.
unsafe impl Send for Source {}
// SAFETY: as above.
unsafe impl Sync for Source {}

impl Source {
    /// Loads the image under a handle, in the place's context and on its node.
    pub fn load(&self, handle: u64, place: Place, library: bool) -> Result<Described, CUresult> {
        let options = List(self.options.with_an_error_log());
        let question = ModuleLoad { module: handle, hash: self.parcel.hash, options, library };
        let mut sent = self.parcel.bytes.len() <= SENT_AHEAD_BYTES_MAX;
        if sent {
            self.parcel.send(place)?;
        }
        loop {
            let (status, body) = place.ask(&question)?;
            let reply = Reader::new(&body).whole::<ModuleLoadReply<'_>>();
            if !sent && matches!(&reply, Ok(reply) if reply.missing) {
                self.parcel.send(place)?;
                sent = true;
                continue;
            }
            let Ok(reply) = reply else { return status.ok().map(|()| Described::default()) };
            if reply.missing {
                // The image was sent, so it is empty.
                return Err(CUresult::INVALID_IMAGE);
            }
            self.options.write_logs(reply.info_log, reply.error_log);
            status.ok().inspect_err(|code| refused_there(*code, reply.error_log))?;
            let kernels = reply.kernels.0.into_iter();
            let kernels = kernels
                .map(|k| (k.name.to_owned(), Arc::new(Facts::new(&k.params.0, k.attributes.0))))
                .collect();
            return Ok(Described { context: place.context, kernels });
        }
    }
}

fn load(parcel: Parcel, options: Options, library: bool) -> Result<Arc<Module>, CUresult> {
    let driver = driver()?;
    let context = if library { context::current().ok() } else { Some(context::current()?) };
    let place = context.as_ref().map_or_else(context::place_or_none, |c| Ok(c.place()))?;
    let (slab, node) =
        if library { (&driver.libraries, 0) } else { (&driver.modules, place.session.number) };
    let handle = slab.reserve_on(node)?;
    let mut source = Source { parcel, options };
    let described = source.load(handle, place, library).inspect_err(|_| slab.release(handle))?;
    // The program's buffers are its own again.
    source.options.forget_logs();
    let context =
        if library { Weak::new() } else { context.as_ref().map_or(Weak::new(), Arc::downgrade) };
    let source = (library && driver.sessions.len() > 1).then_some(source);
    Ok(slab.fill(handle, Module::new(handle, context, library, source, place, described)))
}

pub unsafe fn cuModuleLoadData(out: *mut CUmodule, image: *const c_void) -> Done {
    // SAFETY: passed on.
    unsafe { cuModuleLoadDataEx(out, image, 0, std::ptr::null_mut(), std::ptr::null_mut()) }
}

pub unsafe fn cuModuleLoadDataEx(
    out: *mut CUmodule,
    image: *const c_void,
    count: u32,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
) -> Done {
    if out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the program's image, options and place.
    unsafe {
        let module = load(Parcel::at(image)?, Options::new(count, options, values), false)?;
        put(out, CUmodule(module.handle as usize))
    }
}

pub unsafe fn cuModuleLoadFatBinary(out: *mut CUmodule, image: *const c_void) -> Done {
    // SAFETY: passed on.
    unsafe { cuModuleLoadData(out, image) }
}

/// Returns a file's content, with the NUL that PTX needs.
fn read_file(path: *const c_char) -> Result<Vec<u8>, CUresult> {
    // SAFETY: the program passes a C string.
    let path = unsafe { name(path) }?.to_str().map_err(|_| CUresult::INVALID_VALUE)?;
    let mut bytes = std::fs::read(path).map_err(|_| CUresult::FILE_NOT_FOUND)?;
    bytes.push(0);
    Ok(bytes)
}

pub unsafe fn cuModuleLoad(out: *mut CUmodule, path: *const c_char) -> Done {
    let bytes = read_file(path)?;
    // SAFETY: the file's content lives through the call; an image with a wrong size is detected as
    // far as the file reaches.
    unsafe { cuModuleLoadData(out, bytes.as_ptr().cast()) }
}

/// Loads a library. `values` of its options may be null, and none of them changes what is loaded.
pub unsafe fn cuLibraryLoadData(
    out: *mut CUlibrary,
    code: *const c_void,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
    count: u32,
    _library_options: *mut CUlibraryOption,
    _library_values: *mut *mut c_void,
    _library_count: u32,
) -> Done {
    if out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the program's image, options and place.
    unsafe {
        let library = load(Parcel::at(code)?, Options::new(count, options, values), true)?;
        put(out, CUlibrary(library.handle as usize))
    }
}

pub unsafe fn cuLibraryLoadFromFile(
    out: *mut CUlibrary,
    path: *const c_char,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
    count: u32,
    _library_options: *mut CUlibraryOption,
    _library_values: *mut *mut c_void,
    _library_count: u32,
) -> Done {
    let bytes = read_file(path)?;
    let none = std::ptr::null_mut();
    // SAFETY: as for cuModuleLoad.
    unsafe {
        cuLibraryLoadData(out, bytes.as_ptr().cast(), options, values, count, none, none.cast(), 0)
    }
}

pub unsafe fn cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode) -> Done {
    driver()?;
    let eager =
        std::env::var_os("CUDA_MODULE_LOADING").is_some_and(|v| v.eq_ignore_ascii_case("EAGER"));
    // SAFETY: the program's place for a mode.
    unsafe { put(mode, if eager { LOADING_EAGER } else { LOADING_LAZY }) }
}

// ---- unloading ----

/// Removes a module and all that was looked up in it from the tables.
pub fn forget(driver: &Driver, module: &Module) {
    let slab = if module.library { &driver.libraries } else { &driver.modules };
    slab.remove(module.handle);
    super::references::forget(module.handle);
    for (_, function) in module.functions.lock().drain() {
        forget_function(driver, &function);
    }
    for (_, variable) in module.globals().drain() {
        variable.session.globals.lock().remove(&variable.address);
        crate::api::memory::managed::displace(driver, variable.address);
    }
    for inner in module.inner.all().into_iter().filter_map(|inner| driver.modules.get(inner)) {
        forget(driver, &inner);
    }
}

fn forget_function(driver: &Driver, function: &Function) {
    driver.functions.remove(function.handle);
    driver.kernels.remove(function.handle);
    for inner in function.inner.all() {
        driver.functions.remove(inner);
    }
}

fn unload(module: &Module) -> Done {
    let driver = driver()?;
    memory::settle_turns(driver);
    forget(driver, module);
    let known_to = driver.sessions.iter().filter(|session| module.nodes.has(session));
    // At exit a thread may have no context any more. A library does not need one.
    let results: Vec<Done> = known_to
        .map(|session| {
            context::place_in(session)
                .post(&ModuleUnload { module: module.handle, library: module.library })
        })
        .collect();
    results.into_iter().collect()
}

/// Returns the module of a handle.
pub fn module(handle: CUmodule) -> Result<Arc<Module>, CUresult> {
    let module = driver()?.modules.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    marshal::object(module.handle)?;
    Ok(module)
}

/// Returns the library of a handle, after the calling thread's node has learnt it.
pub fn library(handle: CUlibrary) -> Result<Arc<Module>, CUresult> {
    let library = driver()?.libraries.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    library.learn(context::place_or_none()?)?;
    Ok(library)
}

pub unsafe fn cuModuleUnload(handle: CUmodule) -> Done {
    unload(&*module(handle)?)
}

pub unsafe fn cuLibraryUnload(handle: CUlibrary) -> Done {
    unload(&*driver()?.libraries.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?)
}

pub unsafe fn cuLibraryGetModule(out: *mut CUmodule, handle: CUlibrary) -> Done {
    let driver = driver()?;
    let library = library(handle)?;
    let context = context::current()?;
    let place = context.place();
    let known = driver.modules.get(library.inner.get(place));
    let module = match known {
        Some(module) => module,
        None => {
            let make = |handle| {
                Module::new(
                    handle,
                    Arc::downgrade(&context),
                    false,
                    None,
                    place,
                    Described::default(),
                )
            };
            let module = driver.modules.insert_on(place.session.number, make)?;
            place.post(&LibraryGetModule { library: library.handle, module: module.handle })?;
            library.inner.set(place, module.handle);
            module
        }
    };
    // SAFETY: the program's place for a handle.
    unsafe { put(out, CUmodule(module.handle as usize)) }
}

// ---- variables ----

/// Looks up a variable. The node is asked once per variable.
unsafe fn global(
    module: &Module,
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    variable: *const c_char,
) -> Done {
    // SAFETY: the program passes a C string.
    let variable: Cow<'_, str> = unsafe { name(variable) }?.to_string_lossy();
    let place = context::place()?;
    let found = match module.variable(place, &variable) {
        Some(found) => (found.address, found.bytes),
        None => {
            let found = place
                .call(&GetGlobal { module: module.handle, name: &variable }, |reply| {
                    Ok((reply.address, reply.bytes))
                })?;
            module.note_variable(place, &variable, found.0, found.1);
            found
        }
    };
    // SAFETY: null, or the program's places.
    unsafe {
        if !address.is_null() {
            address.write(found.0);
        }
        if !bytes.is_null() {
            bytes.write(found.1 as usize);
        }
    }
    Ok(())
}

pub unsafe fn cuModuleGetGlobal_v2(
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    handle: CUmodule,
    variable: *const c_char,
) -> Done {
    // SAFETY: the program's promise.
    unsafe { global(&*module(handle)?, address, bytes, variable) }
}

pub unsafe fn cuLibraryGetGlobal(
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    handle: CUlibrary,
    variable: *const c_char,
) -> Done {
    // SAFETY: the program's promise.
    unsafe { global(&*library(handle)?, address, bytes, variable) }
}

// ---- enumeration ----

/// Always fails: the devices report that they share no functions with the program.
pub unsafe fn cuLibraryGetUnifiedFunction(
    _out: *mut *mut c_void,
    handle: CUlibrary,
    symbol: *const c_char,
) -> Done {
    library(handle)?;
    // SAFETY: the program passes a C string.
    unsafe { name(symbol) }?;
    Err(CUresult::INVALID_VALUE)
}

fn names_in(module: &Module) -> Result<Vec<String>, CUresult> {
    call(&ListFunctions { module: module.handle }, |reply| {
        Ok(reply.names.0.iter().map(|n| n.name.to_owned()).collect())
    })
}

/// Returns all functions of a module.
pub fn all_functions(handle: CUmodule) -> Result<Vec<CUfunction>, CUresult> {
    let module = module(handle)?;
    names_in(&module)?
        .iter()
        .map(|name| Ok(CUfunction(look_up(&module, name)?.handle as usize)))
        .collect()
}

pub unsafe fn cuModuleGetFunctionCount(count: *mut u32, handle: CUmodule) -> Done {
    // SAFETY: the program's place for a number.
    unsafe { put(count, names_in(&*module(handle)?)?.len() as u32) }
}

pub unsafe fn cuLibraryGetKernelCount(count: *mut u32, handle: CUlibrary) -> Done {
    // SAFETY: the program's place for a number.
    unsafe { put(count, names_in(&*library(handle)?)?.len() as u32) }
}

/// Writes the handles of a module's functions.
///
/// # Safety
/// `out` has room for `count` handles.
unsafe fn enumerate(module: &Module, out: *mut usize, count: u32) -> Done {
    if out.is_null() || count == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    for (i, name) in names_in(module)?.iter().take(count as usize).enumerate() {
        // SAFETY: the caller's promise.
        unsafe { out.add(i).write(look_up(module, name)?.handle as usize) };
    }
    Ok(())
}

pub unsafe fn cuModuleEnumerateFunctions(
    out: *mut CUfunction,
    count: u32,
    handle: CUmodule,
) -> Done {
    // SAFETY: the program promises room; a handle is a transparent number.
    unsafe { enumerate(&*module(handle)?, out.cast(), count) }
}

pub unsafe fn cuLibraryEnumerateKernels(out: *mut CUkernel, count: u32, handle: CUlibrary) -> Done {
    // SAFETY: the program promises room; a handle is a transparent number.
    unsafe { enumerate(&*library(handle)?, out.cast(), count) }
}

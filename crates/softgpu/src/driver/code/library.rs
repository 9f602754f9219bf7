//! Loads libraries, and loads a library into each context at first use.
//!
//! Libraries are parsed at the first query of their content, unless the program requests eager
//! loading. Therefore a program that registers much code and uses little starts quickly.

use outhaul_lock::Mutex;
use std::ffi::CString;
use std::sync::{Arc, OnceLock, Weak};

use crate::driver::lock;
use crate::driver::objects::code::function::{Function, Tuning};
use crate::driver::objects::code::library::{Kernel, Library, Managed};
use crate::driver::objects::code::module::Module;
use crate::driver::objects::memory::overhead::Owner;
use crate::driver::objects::memory::pages;
use crate::driver::objects::memory::ranges::Origin;
use crate::driver::objects::streams::context::Context;
use crate::driver::state::Driver;
use crate::driver::system::error::{Error, Result};
use crate::engine::{Program, VariableLocation};

impl Library {
    /// Returns the library's program, and parses the texts if necessary.
    pub fn program(&self, driver: &Driver) -> Result<Arc<Program>> {
        self.program.get_or_init(|| driver.parse(&self.texts)).clone()
    }
}

impl Driver {
    /// Loads a library and returns its handle. With `now`, the texts are parsed at once, because
    /// the program wants the log or eager loading.
    pub fn load_library(&self, texts: Vec<String>, now: bool) -> Result<u64> {
        let library = self.libraries.insert_with(|handle| Library {
            handle,
            texts,
            program: OnceLock::new(),
            modules: Mutex::default(),
            managed: OnceLock::new(),
            kernels: Mutex::default(),
        });
        if (now || self.settings.eager_loading)
            && let Err(error) = library.program(self)
        {
            self.libraries.remove(library.handle);
            return Err(error);
        }
        Ok(library.handle)
    }

    /// Returns the library's managed variables. Allocates them at first use, which may be before
    /// any context exists.
    pub fn managed_variables(&self, library: &Library) -> Result<Managed> {
        let place = || {
            let mut addresses = Vec::new();
            let placed = library.program(self)?.instantiate(|global| {
                if !global.managed {
                    return Some(VariableLocation {
                        address: std::ptr::null_mut(),
                        has_value: true,
                    });
                }
                let address =
                    self.allocate_on(0, 0, global.size_bytes.max(1), Origin::ManagedModule).ok()?;
                addresses.push(address);
                Some(VariableLocation::fresh(pages::pointer(address)))
            });
            placed
                .map(|instance| Managed { instance: Arc::new(instance), addresses })
                .map_err(|error| self.refused(&error))
        };
        library.managed.get_or_init(place).clone()
    }

    /// Unloads a library, its modules and its kernels.
    pub fn unload_library(&self, handle: u64) -> Result<()> {
        let library = self.libraries.remove(handle).ok_or(Error::InvalidHandle)?;
        for address in library
            .managed
            .get()
            .iter()
            .flat_map(|managed| managed.iter())
            .flat_map(|managed| &managed.addresses)
        {
            if let Some(range) =
                self.ranges.take(*address, |range| range.origin == Origin::ManagedModule)
            {
                self.give_back(&range);
            }
        }
        self.kernels.drain_matching(|kernel| kernel.library.handle == handle);
        self.functions.drain_matching(|function| function.module.library == handle);
        for module in self.modules.drain_matching(|module| module.library == handle) {
            self.overheads.give_back(Owner::Module(module.handle));
        }
        Ok(())
    }

    /// Returns the handle of the kernel called `name`.
    pub fn library_kernel(&self, library: &Arc<Library>, name: &str) -> Result<u64> {
        let kernel = library.program(self)?.kernel(name).ok_or(Error::NotFound)?;
        let mut kernels = lock(&library.kernels);
        if let Some(handle) = kernels.get(name) {
            return Ok(*handle);
        }
        let handle = self.kernels.insert(Kernel {
            library: Arc::clone(library),
            tuning: self
                .devices
                .iter()
                .map(|device| Arc::new(Tuning::of(&kernel, device.limits())))
                .collect(),
            kernel,
            name: CString::new(name).unwrap_or_default(),
            functions: Mutex::default(),
        });
        kernels.insert(name.to_owned(), handle);
        Ok(handle)
    }

    /// Returns the library's module in a context, and loads the module if necessary.
    pub fn library_module(&self, library: &Library, context: &Context) -> Result<Arc<Module>> {
        let program = library.program(self)?;
        let mut modules = lock(&library.modules);
        modules.retain(|_, module| module.strong_count() > 0);
        if let Some(module) = modules.get(&context.id).and_then(Weak::upgrade) {
            return Ok(module);
        }
        let managed = self.managed_variables(library)?;
        let module = self.load_module(context, program, library.handle, &managed.addresses)?;
        modules.insert(context.id, Arc::downgrade(&module));
        Ok(module)
    }

    /// Returns the handle of a kernel's function in the current context.
    pub fn kernel_function(&self, kernel: &Kernel) -> Result<u64> {
        let context = self.current()?;
        let module = self.library_module(&kernel.library, &context)?;
        let mut functions = lock(&kernel.functions);
        if let Some(handle) = functions.get(&module.handle) {
            return Ok(*handle);
        }
        let key = module.handle;
        let tuning = Arc::clone(kernel.tuning(context.device)?);
        let handle =
            self.functions.insert(Function::new(module, Arc::clone(&kernel.kernel), tuning));
        functions.insert(key, handle);
        Ok(handle)
    }
}

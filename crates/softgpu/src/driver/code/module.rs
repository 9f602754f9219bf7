//! Parses and compiles programs, and loads them as modules.

use std::sync::Arc;

use crate::driver::lock;
use crate::driver::objects::code::function::{Function, Tuning};
use crate::driver::objects::code::module::Module;
use crate::driver::objects::memory::overhead::{CODE_BYTES, Owner};
use crate::driver::objects::memory::pages;
use crate::driver::objects::memory::ranges::Origin;
use crate::driver::objects::streams::context::Context;
use crate::driver::state;
use crate::driver::state::Driver;
use crate::driver::system::error::{Error, Result};
use crate::engine::{self, CompileError, Grouping, Program, VariableLocation};

/// Frees a module's variables.
fn free_variables(variables: &[(u64, u64)]) {
    let Some(driver) = state::started() else { return };
    for (address, id) in variables {
        // The context may have freed the memory earlier, and the address may be in use again.
        if let Some(range) = driver.ranges.take(*address, |range| range.id == *id) {
            driver.give_back(&range);
        }
    }
}

/// Returns CUDA's error for PTX that was rejected.
pub fn compile_error(error: &CompileError) -> Error {
    match error {
        CompileError::Unsupported { .. } => Error::UnsupportedCode(error.to_string()),
        CompileError::TooNew(_) => Error::UnsupportedPtxVersion(error.to_string()),
        CompileError::NoMemory(_) => Error::OutOfMemory,
        _ => Error::InvalidPtx(error.to_string()),
    }
}

impl Driver {
    /// Parses texts into a program and checks that the device can run it.
    pub fn parse(&self, texts: &[String]) -> Result<Arc<Program>> {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let program = Program::parse_for(&texts, self.check.is_some(), Grouping::default())
            .map_err(|error| self.refused(&error))?;
        let (sm, exact) = program.target();
        let (major, minor) = self.devices[0].capability;
        if sm > major * 10 + minor || (exact && sm != major * 10 + minor) {
            let reason =
                format!("code for sm_{sm} cannot run on compute capability {major}.{minor}");
            self.refuse(&reason);
            return Err(Error::NoBinary(reason));
        }
        if self.settings.eager_loading {
            for kernel in program.kernels() {
                self.prepare(kernel)?;
            }
        }
        Ok(Arc::new(program))
    }

    /// Compiles kernels until one succeeds, and fails if none does. The others are compiled at
    /// their launch, so a kernel that uses an unsupported feature fails alone.
    pub fn compile(&self, program: &Program) -> Result<()> {
        let mut complaints = Vec::new();
        for kernel in program.kernels() {
            match kernel.prepare() {
                Ok(()) => return Ok(()),
                Err(error) => complaints.push(format!("kernel {}: {error}", kernel.name)),
            }
        }
        for complaint in &complaints {
            self.refuse(complaint);
        }
        if complaints.is_empty() { Ok(()) } else { Err(Error::InvalidPtx(complaints.join("\n"))) }
    }

    /// Returns CUDA's error for rejected PTX, and logs the reason unless memory ran out.
    pub fn refused(&self, error: &CompileError) -> Error {
        if !matches!(error, CompileError::NoMemory(_)) {
            self.refuse(&error.to_string());
        }
        compile_error(error)
    }

    /// Compiles a kernel, so that the call that needs the kernel reports unsupported features.
    pub fn prepare(&self, kernel: &engine::Kernel) -> Result<()> {
        kernel
            .prepare()
            .map_err(|error| compile_error(&error))
            .inspect_err(|error| self.refuse(&format!("kernel {}: {error}", kernel.name)))
    }

    /// Loads a module. `managed` has the managed variables' addresses in order, if a library has
    /// already allocated them.
    pub fn load_module(
        &self,
        context: &Context,
        program: Arc<Program>,
        library: u64,
        managed: &[u64],
    ) -> Result<Arc<Module>> {
        let mut variables = Vec::new();
        let mut managed = managed.iter();
        let placed = program.instantiate(|global| {
            if global.managed
                && let Some(address) = managed.next()
            {
                return Some(VariableLocation {
                    address: pages::pointer(*address),
                    has_value: true,
                });
            }
            let origin = if global.managed { Origin::ManagedModule } else { Origin::Module };
            let address = self.allocate(context, global.size_bytes.max(1), origin).ok()?;
            variables.push((address, self.ranges.containing(address)?.id));
            Some(VariableLocation::fresh(pages::pointer(address)))
        });
        let instance = match placed {
            Ok(instance) => instance,
            Err(error) => {
                for (address, _) in variables {
                    if let Some(range) = self.ranges.take(address, |_| true) {
                        self.give_back(&range);
                    }
                }
                return Err(self.refused(&error));
            }
        };
        let module = self.modules.insert_with(|handle| Module {
            handle,
            context: context.handle,
            library,
            program,
            instance,
            variables,
            free: free_variables,
            functions: Default::default(),
        });
        self.take_overhead(Owner::Module(module.handle), context, CODE_BYTES).inspect_err(
            |_| {
                self.modules.remove(module.handle);
            },
        )?;
        Ok(module)
    }

    /// Unloads a module and its functions.
    pub fn unload_module(&self, handle: u64) -> Result<()> {
        let module = self.modules.remove(handle).ok_or(Error::InvalidHandle)?;
        self.functions.drain_matching(|function| Arc::ptr_eq(&function.module, &module));
        self.overheads.give_back(Owner::Module(handle));
        Ok(())
    }

    /// Returns the handle of the function called `name`.
    pub fn module_function(&self, module: &Arc<Module>, name: &str) -> Result<u64> {
        let kernel = module.program.kernel(name).ok_or(Error::NotFound)?;
        let mut functions = lock(&module.functions);
        if let Some(handle) = functions.get(name) {
            return Ok(*handle);
        }
        let tuning = Arc::new(Tuning::of(&kernel, self.devices[0].limits()));
        let handle = self.functions.insert(Function::new(Arc::clone(module), kernel, tuning));
        functions.insert(name.to_owned(), handle);
        Ok(handle)
    }
}

//! Programs, their kernels, and their instances in memory.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use outhaul_abi::code::nvrtc_cache;

use super::CompileError;
use super::link::{Global, Grouping, Linked, Symbol};
use super::lower;
use super::lower::analysis::layout::{parameter_layout, shared_layout};
use super::runtime_use::RuntimeUse;
use super::syntax::ir::{ClusterBounds, Function, Initializer, Operand, Space, Statement};
use super::syntax::parser;
use crate::engine::exec::blocks::limits::GROUP;
use crate::engine::lower::lowering::Compiled;

/// Location of a kernel parameter in the parameter buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Offset in bytes.
    pub offset_bytes: u32,
    /// Size in bytes.
    pub size_bytes: u32,
    /// Alignment in bytes.
    pub align_bytes: u32,
}

/// One or more PTX texts that are linked together. The engine compiles a kernel when it is first
/// prepared or launched.
pub struct Program {
    linked: Arc<Linked>,
    kernels: Vec<Arc<Kernel>>,
}

/// An entry function and its properties, for the driver.
pub struct Kernel {
    /// Name.
    pub name: String,
    /// Parameters, in order.
    pub params: Vec<Param>,
    /// Size of the parameter buffer in bytes.
    pub param_bytes: u32,
    /// Static shared memory in bytes.
    pub static_shared_bytes: u32,
    /// Local memory per thread in bytes.
    pub local_bytes: u32,
    /// Size of the program's constant memory in bytes.
    pub const_bytes: u32,
    /// Limit from `.maxntid` or `.reqntid`, or 1024 if the text has neither.
    pub max_threads_per_block: u32,
    /// Block shape from `.reqntid`. A launch with another shape is invalid.
    pub required_block: Option<[u32; 3]>,
    /// Clusters that the kernel requests.
    pub cluster: ClusterBounds,
    /// Estimated number of registers per thread, because a CPU has no GPU registers to count.
    pub registers: u32,
    /// PTX ISA version: major * 10 + minor.
    pub ptx_version: u32,
    /// The `.target` of the kernel's text.
    pub sm: u32,
    linked: Arc<Linked>,
    function: u32,
    /// Whether the kernel also has code for blocks whose rows consist of whole groups of threads.
    in_groups: OnceLock<bool>,
    runtime_use: OnceLock<RuntimeUse>,
    /// Code for blocks of any shape, and code for blocks whose rows consist of whole groups.
    code: [OnceLock<Result<Compiled, CompileError>>; 2],
}

/// The memory for a global variable.
#[derive(Clone, Copy)]
pub struct VariableLocation {
    /// Address, or null if this instance does not use the variable.
    pub address: *mut u8,
    /// Whether the variable already has a value, because another instance shares and initialised
    /// it.
    pub has_value: bool,
}

impl VariableLocation {
    /// Returns a location in memory that has no value yet.
    pub fn fresh(address: *mut u8) -> VariableLocation {
        VariableLocation { address, has_value: false }
    }
}

/// A program with the addresses of its globals.
pub struct Instance {
    linked: Arc<Linked>,
    addresses: Vec<*mut u8>,
    names: HashMap<String, usize>,
}

// SAFETY: the addresses are only passed to kernels and initial values, and never form references.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

impl Program {
    /// Parses the texts. Links `.extern` declarations with definitions in all texts.
    pub fn parse(texts: &[&str]) -> Result<Program, CompileError> {
        Program::parse_for(texts, false, Grouping::default())
    }

    /// Like [`Program::parse`]. If `checked`, the compiled code calls a [`Checker`](super::Checker)
    /// at every memory access.
    pub fn parse_for(
        texts: &[&str],
        checked: bool,
        grouping: Grouping,
    ) -> Result<Program, CompileError> {
        let modules =
            texts.iter().map(|text| parser::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let parts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
        let linked =
            Arc::new(Linked::new(modules, nvrtc_cache::digest(&parts), checked, grouping)?);
        let all = 0..linked.functions.len() as u32;
        let kernels = all
            .filter(|&id| linked.function(id).kernel)
            .map(|id| Arc::new(Kernel::new(&linked, id)))
            .collect();
        Ok(Program { linked, kernels })
    }

    /// Returns all kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &Arc<Kernel>> {
        self.kernels.iter()
    }

    /// Returns the kernel with this name.
    pub fn kernel(&self, name: &str) -> Option<Arc<Kernel>> {
        self.kernels.iter().find(|kernel| kernel.name == name).cloned()
    }

    /// Returns all global variables.
    pub fn globals(&self) -> impl Iterator<Item = &Global> {
        self.linked.globals.iter().map(|entry| &entry.global)
    }

    /// Returns the highest `.target` of the texts, and whether it is architecture-specific
    /// (`sm_90a`).
    pub fn target(&self) -> (u32, bool) {
        let targets = self.linked.modules.iter().map(|module| (module.sm, module.arch_specific));
        targets.max().unwrap_or((0, false))
    }

    /// Places every global variable at the address that `memory_for_globals` returns, and writes
    /// its initial value there.
    pub fn instantiate(
        self: &Arc<Self>,
        mut memory_for_globals: impl FnMut(&Global) -> Option<VariableLocation>,
    ) -> Result<Instance, CompileError> {
        let mut instance =
            Instance { linked: self.linked.clone(), addresses: Vec::new(), names: HashMap::new() };
        let mut without_value = Vec::new();
        for (index, entry) in self.linked.globals.iter().enumerate() {
            let Some(place) = memory_for_globals(&entry.global) else {
                return Err(CompileError::NoMemory(entry.global.name.clone()));
            };
            instance.addresses.push(place.address);
            if !place.has_value {
                without_value.push(index);
            }
            if entry.global.visible || !instance.names.contains_key(&entry.global.name) {
                instance.names.insert(entry.global.name.clone(), index);
            }
        }
        without_value.into_iter().try_for_each(|index| instance.initialize(index))?;
        Ok(instance)
    }
}

impl Kernel {
    fn new(linked: &Arc<Linked>, id: u32) -> Kernel {
        let function = linked.function(id);
        let module = &linked.modules[linked.functions[id as usize].module];
        let (offsets, param_bytes) = parameter_layout(function);
        let params = function.arguments.iter().zip(offsets).map(|(argument, offset)| Param {
            offset_bytes: offset as u32,
            size_bytes: argument.variable.size_bytes as u32,
            align_bytes: argument.variable.align_bytes as u32,
        });
        let threads = function.required_threads.or(function.max_threads);
        let product =
            |shape: [u32; 3]| shape.iter().fold(1u32, |product, &n| product.saturating_mul(n));
        let body = function.body.as_ref();
        let constants =
            linked.globals.iter().map(|entry| &entry.global).filter(|global| global.is_constant);
        Kernel {
            name: function.name.to_string(),
            params: params.collect(),
            param_bytes: param_bytes as u32,
            static_shared_bytes: u32::try_from(static_shared(
                linked,
                linked.functions[id as usize].module,
                function,
            ))
            .unwrap_or(u32::MAX),
            local_bytes: body.map_or(0, |body| {
                let locals =
                    body.variables.iter().filter(|variable| variable.space == Space::Local);
                locals.map(|variable| variable.size_bytes).sum::<u64>() as u32
            }),
            const_bytes: constants.map(|global| global.size_bytes).sum::<u64>() as u32,
            max_threads_per_block: threads.map_or(1024, product).clamp(1, 1024),
            required_block: function.required_threads,
            cluster: function.cluster,
            registers: function.max_registers.unwrap_or(32).clamp(1, 255),
            ptx_version: module.version,
            sm: module.sm,
            linked: linked.clone(),
            function: id,
            in_groups: OnceLock::new(),
            runtime_use: OnceLock::new(),
            code: Default::default(),
        }
    }

    /// Returns which functions of the device runtime the kernel's code names.
    pub fn runtime_use(&self) -> RuntimeUse {
        *self.runtime_use.get_or_init(|| RuntimeUse::of(&self.linked, self.function))
    }

    /// Compiles the kernel now, so that an unsupported instruction is reported before the launch.
    pub fn prepare(&self) -> Result<(), CompileError> {
        let block = self.required_block.unwrap_or([GROUP; 3]);
        self.compiled(block).map(|_| ())
    }

    /// Returns the code for blocks of shape `block`.
    pub(super) fn compiled(&self, block: [u32; 3]) -> Result<Compiled, CompileError> {
        let in_groups = block[0].is_multiple_of(GROUP)
            && *self.in_groups.get_or_init(|| lower::runs_in_groups(&self.linked, self.function));
        self.code[usize::from(in_groups)]
            .get_or_init(|| lower::compile(&self.linked, self.function, in_groups))
            .clone()
    }
}

/// Returns the bytes of shared memory that the module scope and the kernel declare, or 0 if the
/// kernel uses neither.
fn static_shared(linked: &Linked, module: usize, function: &Function) -> u64 {
    let Some(body) = &function.body else { return 0 };
    let own = body
        .variables
        .iter()
        .any(|variable| variable.space == Space::Shared && !variable.unsized_array);
    let reaches = body.statements.iter().any(|statement| match statement {
        Statement::Instruction(instruction) => {
            instruction.operands.iter().any(|operand| reaches_shared(linked, module, operand))
        }
        _ => false,
    });
    if own || reaches { shared_layout(body, linked.module_shared_bytes).1 } else { 0 }
}

/// Returns whether the operand names a shared variable, or a function that may use one.
fn reaches_shared(linked: &Linked, module: usize, operand: &Operand) -> bool {
    match operand {
        Operand::Name(name, _) => {
            matches!(
                linked.symbols[module].get(name),
                Some(Symbol::Shared(_) | Symbol::Function(_))
            )
        }
        Operand::Address(base, _) => reaches_shared(linked, module, base),
        _ => false,
    }
}

impl Instance {
    /// Returns the address and size of a global variable of this instance.
    pub fn global(&self, name: &str) -> Option<(*mut u8, u64)> {
        let &index = self.names.get(name)?;
        Some((self.addresses[index], self.linked.globals[index].global.size_bytes))
    }

    /// Returns the table of the global variables' addresses, which compiled code reads.
    pub(super) fn addresses(&self) -> *const *mut u8 {
        self.addresses.as_ptr()
    }

    fn initialize(&self, index: usize) -> Result<(), CompileError> {
        let entry = &self.linked.globals[index];
        let variable = &self.linked.modules[entry.module].variables[entry.index];
        let address = self.addresses[index];
        // SAFETY: the driver's memory has the variable's size. The parser checked that the pieces
        // are inside.
        unsafe {
            std::ptr::write_bytes(address, 0, variable.size_bytes as usize);
            for (offset, piece) in &variable.init {
                let to = address.add(*offset as usize);
                match piece {
                    Initializer::Bytes(bytes) => {
                        std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len())
                    }
                    Initializer::Symbol { name, offset, bytes, shift } => {
                        let value =
                            self.symbol(entry.module, name)?.wrapping_add_signed(*offset) >> shift;
                        let value = value.to_le_bytes();
                        std::ptr::copy_nonoverlapping(value.as_ptr(), to, (*bytes as usize).min(8));
                    }
                }
            }
        }
        Ok(())
    }

    fn symbol(&self, module: usize, name: &str) -> Result<u64, CompileError> {
        match self.linked.symbols[module].get(name) {
            Some(Symbol::Global(index)) => Ok(self.addresses[*index as usize] as u64),
            Some(Symbol::Function(id)) => {
                if self.linked.compiled(*id).is_none() && !self.linked.function(*id).kernel {
                    lower::compile_callee(&self.linked, *id)?;
                }
                Ok(self.linked.compiled(*id).map_or(0, |address| address as u64))
            }
            Some(Symbol::Builtin(address)) => Ok(*address as u64),
            Some(Symbol::Shared(offset)) => Ok(*offset),
            _ => Err(CompileError::UnresolvedSymbol(name.to_string())),
        }
    }
}

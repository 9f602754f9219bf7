//! Links a program's PTX texts: each name in a module refers to a function, a global variable,
//! shared memory, or a builtin.

use outhaul_lock::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::CompileError;
use super::exec::builtin;
use super::exec::code::Code;
use super::syntax::ir::{Function, Linkage, Module, Space, Variable};

/// A `.global` or `.const` variable of a program.
#[derive(Debug, Clone)]
pub struct Global {
    /// Name.
    pub name: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Alignment in bytes.
    pub align_bytes: u64,
    /// Whether the variable is declared `.const`.
    pub is_constant: bool,
    /// Whether the variable is `.visible`, `.weak` or `.common`, so that a program can find it by
    /// name.
    pub visible: bool,
    /// Whether the variable is declared with `.attribute(.managed)`.
    pub managed: bool,
}

/// The kernels whose code runs groups of neighbouring threads in step, with vector instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    #[default]
    /// Kernels that are likely to become faster.
    WhereItPays,
    /// Every kernel that supports it.
    WherePossible,
}

/// The definition that a name refers to.
#[derive(Debug, Clone, Copy)]
pub enum Symbol {
    Function(u32),
    Global(u32),
    /// Offset in the shared memory that the module scope declares.
    Shared(u64),
    DynamicShared,
    /// Address of a host function with the calling convention of device functions.
    Builtin(usize),
    /// A name that is declared `.extern` and not defined. The error occurs only where code uses the
    /// name.
    Missing,
}

/// A function of the program.
pub struct FunctionEntry {
    /// Index of the function's module.
    pub module: usize,
    /// Index of the function within its module.
    pub index: usize,
    /// Address of the compiled code. Compiled callers read the cell at each call.
    pub cell: AtomicPtr<u8>,
}

/// A global variable of the program.
pub struct GlobalEntry {
    /// Index of the variable's module.
    pub module: usize,
    /// Index of the variable within its module.
    pub index: usize,
    /// The variable's properties, for the driver.
    pub global: Global,
}

/// A program's texts, with all names resolved.
pub struct Linked {
    /// The parsed texts.
    pub modules: Vec<Module>,
    /// Definition of each name, for each module.
    pub symbols: Vec<HashMap<Box<str>, Symbol>>,
    /// All functions.
    pub functions: Vec<FunctionEntry>,
    /// All global variables.
    pub globals: Vec<GlobalEntry>,
    /// Bytes of shared memory that device functions or the module scope declare. The kernel's own
    /// shared memory follows them.
    pub module_shared_bytes: u64,
    /// Offset of each shared variable that a device function declares, by function and variable.
    pub function_shared: HashMap<(u32, u32), u64>,
    /// Whether the code checks every memory access.
    pub checked: bool,
    /// Kernels whose code runs groups of threads in step.
    pub grouping: Grouping,
    /// Digest of the PTX texts.
    pub digest: [u8; 32],
    code: Mutex<Vec<Code>>,
}

impl Linked {
    /// Links the modules.
    pub fn new(
        modules: Vec<Module>,
        digest: [u8; 32],
        checked: bool,
        grouping: Grouping,
    ) -> Result<Linked, CompileError> {
        let mut linked = Linked {
            symbols: vec![HashMap::new(); modules.len()],
            modules,
            functions: Vec::new(),
            globals: Vec::new(),
            module_shared_bytes: 0,
            function_shared: HashMap::new(),
            checked,
            grouping,
            digest,
            code: Mutex::default(),
        };
        let mut public: HashMap<Box<str>, (Symbol, Linkage)> = HashMap::new();
        for module in 0..linked.modules.len() {
            linked.define(module, &mut public)?;
        }
        for module in 0..linked.modules.len() {
            linked.resolve(module, &public);
        }
        linked.place_function_shared();
        Ok(linked)
    }

    /// Returns the function with the number `id`.
    pub fn function(&self, id: u32) -> &Function {
        let entry = &self.functions[id as usize];
        &self.modules[entry.module].functions[entry.index]
    }

    /// Keeps compiled code as long as the program lives, and returns the code's address.
    pub fn keep(&self, code: Code) -> *mut u8 {
        let address = code.address();
        self.code.lock().push(code);
        address
    }

    /// Returns the address of a function's code, or `None` if the function is not compiled yet.
    pub fn compiled(&self, id: u32) -> Option<*mut u8> {
        let address = self.functions[id as usize].cell.load(Ordering::Acquire);
        (!address.is_null()).then_some(address)
    }

    fn reserve_shared(&mut self, size: u64, align: u64) -> u64 {
        let offset = self.module_shared_bytes.next_multiple_of(align.max(1));
        self.module_shared_bytes = offset.saturating_add(size);
        offset
    }

    fn define(
        &mut self,
        module: usize,
        public: &mut HashMap<Box<str>, (Symbol, Linkage)>,
    ) -> Result<(), CompileError> {
        for index in 0..self.modules[module].functions.len() {
            let function = &self.modules[module].functions[index];
            if function.body.is_some() {
                let (name, linkage) = (function.name.clone(), function.linkage);
                let symbol = Symbol::Function(self.functions.len() as u32);
                self.functions.push(FunctionEntry { module, index, cell: AtomicPtr::default() });
                self.publish(module, name, symbol, linkage, public)?;
            }
        }
        for index in 0..self.modules[module].variables.len() {
            let variable = self.modules[module].variables[index].clone();
            if let Some(symbol) = self.variable(module, index, &variable) {
                self.publish(module, variable.name, symbol, variable.linkage, public)?;
            }
        }
        Ok(())
    }

    fn variable(&mut self, module: usize, index: usize, variable: &Variable) -> Option<Symbol> {
        match variable.space {
            Space::Shared if variable.unsized_array => Some(Symbol::DynamicShared),
            _ if variable.linkage == Linkage::Extern => None,
            Space::Shared => {
                Some(Symbol::Shared(self.reserve_shared(variable.size_bytes, variable.align_bytes)))
            }
            Space::Global | Space::Const => {
                let global = Global {
                    name: variable.name.to_string(),
                    size_bytes: variable.size_bytes,
                    align_bytes: variable.align_bytes,
                    is_constant: variable.space == Space::Const,
                    visible: variable.linkage != Linkage::Private,
                    managed: variable.managed,
                };
                self.globals.push(GlobalEntry { module, index, global });
                Some(Symbol::Global(self.globals.len() as u32 - 1))
            }
            Space::Local | Space::Param | Space::ClusterShared => None,
        }
    }

    /// Adds a definition to its module, and to the other modules if they can see it.
    fn publish(
        &mut self,
        module: usize,
        name: Box<str>,
        symbol: Symbol,
        linkage: Linkage,
        public: &mut HashMap<Box<str>, (Symbol, Linkage)>,
    ) -> Result<(), CompileError> {
        if self.symbols[module].insert(name.clone(), symbol).is_some() {
            return Err(CompileError::DuplicateSymbol(name.into()));
        }
        let dynamic = matches!(symbol, Symbol::DynamicShared);
        if linkage == Linkage::Private || dynamic {
            return Ok(());
        }
        match public.get(&name) {
            None => {
                public.insert(name, (symbol, linkage));
            }
            Some((_, Linkage::Weak)) if linkage == Linkage::Visible => {
                public.insert(name, (symbol, linkage));
            }
            Some((first, _)) if linkage == Linkage::Weak => {
                self.symbols[module].insert(name, *first);
            }
            Some(_) => return Err(CompileError::DuplicateSymbol(name.into())),
        }
        Ok(())
    }

    fn resolve(&mut self, module: usize, public: &HashMap<Box<str>, (Symbol, Linkage)>) {
        let wanted: Vec<Box<str>> = {
            let functions = self.modules[module].functions.iter().map(|function| &function.name);
            let variables = self.modules[module].variables.iter().map(|variable| &variable.name);
            functions.chain(variables).cloned().collect()
        };
        for name in wanted {
            if self.symbols[module].contains_key(&name) {
                continue;
            }
            let symbol = match public.get(&name) {
                Some((symbol, _)) => *symbol,
                None => builtin::find(&name).map_or(Symbol::Missing, Symbol::Builtin),
            };
            self.symbols[module].insert(name, symbol);
        }
        for (alias, target) in &self.modules[module].aliases {
            if let Some(&symbol) = self.symbols[module].get(target) {
                self.symbols[module].insert(alias.clone(), symbol);
            }
        }
    }

    fn place_function_shared(&mut self) {
        for id in 0..self.functions.len() as u32 {
            let function = self.function(id);
            let Some(body) = function.body.as_ref().filter(|_| !function.kernel) else { continue };
            let shared: Vec<(u32, u64, u64)> = (0u32..)
                .zip(&body.variables)
                .filter(|(_, variable)| variable.space == Space::Shared && !variable.unsized_array)
                .map(|(index, variable)| (index, variable.size_bytes, variable.align_bytes))
                .collect();
            for (index, size, align) in shared {
                let offset = self.reserve_shared(size, align);
                self.function_shared.insert((id, index), offset);
            }
        }
    }
}

//! Modules and libraries, with the functions and variables that the program has looked up in them.

use crate::objects::code::function::Function;
use crate::objects::code::kernel_facts::Facts;
use crate::objects::code::module_source::Source;
use crate::objects::code::node_handles::{Inner, Nodes};
use crate::objects::context::Context;
use crate::session::{Session, Target};
use outhaul_lock::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// A variable of a module.
#[derive(Clone, Copy)]
pub struct Variable {
    /// Session with the variable's device.
    pub session: &'static Session,
    /// Address of the first byte.
    pub address: u64,
    /// Number of bytes.
    pub bytes: u64,
}

/// Kernels that the node described in its reply when it loaded a small image. The facts hold in the
/// context that loaded the image.
#[derive(Default)]
pub struct Described {
    /// Index of the context that loaded the image.
    pub context: u16,
    /// Facts by kernel name.
    pub kernels: HashMap<String, Arc<Facts>>,
}

impl Described {
    /// Returns a kernel's facts if `target` is in the context that loaded the image.
    pub fn get(&self, target: Target, name: &str) -> Option<Arc<Facts>> {
        self.kernels.get(name).filter(|_| target.context == self.context).cloned()
    }
}

/// A CUmodule or a CUlibrary. A library belongs to no context, and each node receives it when the
/// program first uses it there.
pub struct Module {
    /// The handle that the program holds.
    pub handle: u64,
    /// Context of a module; none for a library.
    pub context: Weak<Context>,
    /// Whether this is a library.
    pub library: bool,
    /// Image from which further nodes load a library; none in programs with one node.
    pub source: Option<Source>,
    /// Kernels that the node described when it loaded the image.
    pub described: Described,
    /// Nodes that know the module.
    pub nodes: Nodes,
    /// For a library, the CUmodules that the program asked for.
    pub inner: Inner,
    /// Kernels that the program looked up, by name.
    pub functions: Mutex<HashMap<String, Arc<Function>>>,
    /// Variables that the program looked up, by name. For a library the key includes the context's
    /// index.
    globals: Mutex<HashMap<(u16, String), Variable>>,
}

impl Module {
    /// Creates a module that `target`'s node knows.
    pub fn new(
        handle: u64,
        context: Weak<Context>,
        library: bool,
        source: Option<Source>,
        target: Target,
        described: Described,
    ) -> Module {
        let (inner, functions, globals) = (Inner::default(), Mutex::default(), Mutex::default());
        let module = Module {
            handle,
            context,
            library,
            source,
            described,
            nodes: Nodes::default(),
            inner,
            functions,
            globals,
        };
        module.nodes.add(target.session);
        module
    }

    /// Returns a variable that the program looked up before.
    pub fn variable(&self, target: Target, name: &str) -> Option<Variable> {
        self.globals().get(&self.key(target, name)).copied()
    }

    /// Remembers the address and size of a variable.
    pub fn note_variable(&self, target: Target, name: &str, address: u64, bytes: u64) {
        self.globals()
            .insert(self.key(target, name), Variable { session: target.session, address, bytes });
        target.session.globals.lock().insert(address, bytes);
    }

    fn key(&self, target: Target, name: &str) -> (u16, String) {
        (if self.library { target.context } else { 0 }, name.to_owned())
    }

    /// Locks the variables that the program looked up.
    pub fn globals(&self) -> outhaul_lock::MutexGuard<'_, HashMap<(u16, String), Variable>> {
        self.globals.lock()
    }
}

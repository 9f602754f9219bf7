//! Modules and libraries, with what was looked up in them.

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

/// The kernels of a small image, which came with its loading, in the context in which it was
/// loaded.
#[derive(Default)]
pub struct Described {
    /// Index of the context.
    pub context: u16,
    /// Facts by name.
    pub kernels: HashMap<String, Arc<Facts>>,
}

impl Described {
    /// Returns the facts of a kernel if the place is of the same context.
    pub fn get(&self, target: Target, name: &str) -> Option<Arc<Facts>> {
        self.kernels.get(name).filter(|_| target.context == self.context).cloned()
    }
}

/// A CUmodule or a CUlibrary. A library belongs to no context, and a node learns of it when it is
/// first used there.
pub struct Module {
    /// The handle that the program holds.
    pub handle: u64,
    /// Context of a module; none for a library.
    pub context: Weak<Context>,
    /// Whether this is a library.
    pub library: bool,
    /// Image from which a library is loaded on further nodes. Kept only in programs with several
    /// nodes.
    pub source: Option<Source>,
    /// Kernels that the node described when it loaded the image.
    pub described: Described,
    /// Nodes that know the module.
    pub nodes: Nodes,
    /// CUmodules of a library that were asked for.
    pub inner: Inner,
    /// Kernels that were looked up, by name.
    pub functions: Mutex<HashMap<String, Arc<Function>>>,
    /// Variables that were looked up, by name. For a library the context's index is part of the
    /// key.
    globals: Mutex<HashMap<(u16, String), Variable>>,
}

impl Module {
    /// Creates a module that the place's node knows.
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

    /// Returns a variable that was looked up before.
    pub fn variable(&self, target: Target, name: &str) -> Option<Variable> {
        self.globals().get(&self.key(target, name)).copied()
    }

    /// Remembers a variable.
    pub fn note_variable(&self, target: Target, name: &str, address: u64, bytes: u64) {
        self.globals()
            .insert(self.key(target, name), Variable { session: target.session, address, bytes });
        target.session.globals.lock().insert(address, bytes);
    }

    fn key(&self, target: Target, name: &str) -> (u16, String) {
        (if self.library { target.context } else { 0 }, name.to_owned())
    }

    /// Locks the variables that were looked up.
    pub fn globals(&self) -> outhaul_lock::MutexGuard<'_, HashMap<(u16, String), Variable>> {
        self.globals.lock()
    }
}

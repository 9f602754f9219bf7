//! Functions and kernels, with the facts that the node returned when the program looked them up.
//! CUDA accepts a CUkernel wherever it accepts a CUfunction.

use crate::objects::code::kernel_facts::Facts;
use crate::objects::code::node_handles::{Inner, Nodes};
use crate::objects::context_stack;
use crate::session::{AnswerCache, Session, Target};
use outhaul_abi::code::legacy_launch::LaunchState;
use outhaul_lock::Mutex;
use std::ffi::CString;
use std::sync::{Arc, OnceLock};

/// A CUfunction or a CUkernel.
pub struct Function {
    /// The handle that the program holds.
    pub handle: u64,
    /// Handle of the function's module or library.
    pub module: u64,
    /// Index of the context in which the function runs; 0 for a library's kernel.
    pub context: u16,
    /// The function's name in its module.
    pub name: CString,
    /// Facts by device. They are unknown until a context of the device is current.
    pub known: Box<[OnceLock<Arc<Facts>>]>,
    /// Nodes that know the function.
    pub nodes: Nodes,
    /// For a CUkernel, the CUfunctions that the program asked for.
    pub inner: Inner,
    /// Cached answers to queries about the function.
    pub answer_cache: AnswerCache,
    /// Parameters and launch shape that the program set with the deprecated functions, for launches
    /// that pass none.
    pub launch_state: Mutex<LaunchState>,
}

impl Function {
    /// Creates a function that `target`'s node knows, in a program with `devices` devices.
    /// `context` is as in the struct.
    pub fn new(
        handle: u64,
        module: u64,
        context: u16,
        name: CString,
        target: Target,
        facts: Option<Arc<Facts>>,
        devices: usize,
    ) -> Function {
        let known: Box<[OnceLock<Arc<Facts>>]> = (0..devices).map(|_| OnceLock::new()).collect();
        let function = Function {
            handle,
            module,
            context,
            name,
            known,
            nodes: Nodes::default(),
            inner: Inner::default(),
            answer_cache: AnswerCache::default(),
            launch_state: Mutex::default(),
        };
        function.note(target.session, facts);
        function
    }

    /// Notes that the session's node knows the function. `facts` are those on the device of the
    /// calling thread's context.
    pub fn note(&self, session: &Session, facts: Option<Arc<Facts>>) {
        if let Some((facts, device)) = facts.zip(context_stack::with_current(|c| Ok(c.device)).ok())
        {
            let _ = self.known[device as usize].set(facts);
        }
        self.nodes.add(session);
    }
}

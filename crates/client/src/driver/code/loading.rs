//! Loads modules on nodes, and looks up kernels there. A node gets a library and its kernels when
//! they are first used there.

use crate::driver::code::images::refused_there;
use crate::driver::contexts;
use crate::driver::state::{Driver, driver};
use crate::objects::code::function::Function;
use crate::objects::code::kernel_facts::{Facts, described};
use crate::objects::code::module::{Described, Module};
use crate::objects::code::module_source::Source;
use crate::objects::context_stack;
use crate::session::Response;
use crate::session::Target;
use outhaul_abi::types::*;
use outhaul_wire::codec::{List, Reader};
use outhaul_wire::handle::{Handle, HandleKind};
use outhaul_wire::messages::{DescribeFunction, GetFunction, ModuleLoad, ModuleLoadReply};
use std::sync::Arc;

/// Maximum size of an image that is sent before the node asks for it, which costs less than a round
/// trip. A small image has most likely just been compiled, so the node does not have it.
const SENT_AHEAD_BYTES_MAX: usize = 64 << 10;
/// How often an image is sent for one load. A node may lose an image that it has: its copy is on
/// disk, where it can be damaged.
pub const SENDS_MAX: usize = 3;

impl Source {
    /// Loads the image under `handle`, in the target's context.
    pub fn load(&self, handle: u64, target: Target, library: bool) -> Result<Described, CUresult> {
        let options = List(self.options.with_an_error_log());
        let question = ModuleLoad { module: handle, hash: self.parcel.hash, options, library };
        let is_sent_ahead = self.parcel.bytes.len() <= SENT_AHEAD_BYTES_MAX;
        if is_sent_ahead {
            self.parcel.send(target)?;
        }
        let mut sends = usize::from(is_sent_ahead);
        loop {
            let Response { status, body, .. } = target.call(&question)?;
            let reply = Reader::new(&body).whole::<ModuleLoadReply<'_>>();
            if sends < SENDS_MAX && matches!(&reply, Ok(reply) if reply.missing) {
                self.parcel.send(target)?;
                sends += 1;
                continue;
            }
            let Ok(reply) = reply else { return status.ok().map(|()| Described::default()) };
            if reply.missing {
                // The node has what was sent and still misses the image, so the image is empty.
                return Err(CUresult::INVALID_IMAGE);
            }
            self.options.write_logs(reply.info_log, reply.error_log);
            status.ok().inspect_err(|code| refused_there(*code, reply.error_log))?;
            let kernels = reply.kernels.0.into_iter();
            let kernels = kernels
                .map(|k| (k.name.to_owned(), Arc::new(Facts::new(&k.params.0, k.attributes.0))))
                .collect();
            return Ok(Described { context: target.context, kernels });
        }
    }
}

impl Module {
    /// Loads the library on the target's node, unless the node has it.
    pub fn learn(&self, target: Target) -> Result<(), CUresult> {
        if self.nodes.has(target.session) {
            return Ok(());
        }
        let source = self.source.as_ref().ok_or(CUresult::INVALID_HANDLE)?;
        source.load(self.handle, target, true)?;
        self.nodes.add(target.session);
        Ok(())
    }
}

impl Function {
    /// Returns the function's facts on the device of the calling thread's context.
    pub fn facts(&self) -> Result<&Arc<Facts>, CUresult> {
        self.facts_on(if self.known.len() == 1 {
            0
        } else {
            context_stack::with_current(|c| Ok(c.device))?
        })
    }

    /// Returns the function's facts on a device. Asks the device's node if they are not known yet.
    pub fn facts_on(&self, device: CUdevice) -> Result<&Arc<Facts>, CUresult> {
        let known = self.known.get(device as usize).ok_or(CUresult::INVALID_DEVICE)?;
        if let Some(facts) = known.get() {
            return Ok(facts);
        }
        let target = contexts::target_of_device(driver()?, device)?;
        self.learn(target)?;
        let message = DescribeFunction {
            function: self.handle,
            device: driver()?.facts.device(device)?.node_ordinal,
        };
        let found = target
            .call(&message)?
            .read(|reply| Ok(Facts::new(&reply.params.0, reply.attributes.0)))?;
        Ok(known.get_or_init(|| Arc::new(found)))
    }

    /// Looks up the kernel on the target's node, unless the node already knows it.
    pub fn learn(&self, target: Target) -> Result<(), CUresult> {
        if self.nodes.has(target.session) {
            return Ok(());
        }
        if Handle::unpack(self.handle).is_none_or(|handle| handle.kind != HandleKind::Kernel) {
            return Err(CUresult::INVALID_HANDLE);
        }
        let library = driver()?.libraries.get(self.module).ok_or(CUresult::INVALID_HANDLE)?;
        library.learn(target)?;
        let name = self.name.to_string_lossy();
        let question = GetFunction { module: self.module, function: self.handle, name: &name };
        let facts = target.call(&question)?.read(described)?;
        let is_here = context_stack::target().is_ok_and(|here| here.context == target.context);
        self.note(target.session, facts.filter(|_| is_here));
        Ok(())
    }
}

impl Driver {
    /// Returns the function of a CUfunction or a CUkernel. First makes sure that the calling
    /// thread's node knows the function.
    pub fn function(&self, handle: u64) -> Result<Arc<Function>, CUresult> {
        let function = self
            .functions
            .get(handle)
            .or_else(|| self.kernels.get(handle))
            .ok_or(CUresult::INVALID_HANDLE)?;
        if self.sessions.len() > 1 {
            function.learn(contexts::target_or_none()?)?;
        }
        Ok(function)
    }
}

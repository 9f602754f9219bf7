//! Modules, libraries, kernels and functions with the facts that came when they were looked up. A
//! CUkernel serves wherever a CUfunction does.

use crate::api::module::Source;
use crate::context::{self, Context};
use crate::driver::driver;
use crate::session::{Memo, Place, Session};
use outhaul_abi::launch_state::LaunchState;
use outhaul_abi::types::{CUdevice, CUresult, values};
use outhaul_lock::Mutex;
use outhaul_wire::handle::{Handle, Kind};
use outhaul_wire::messages::{DescribeFunction, GetFunction, GetFunctionReply, ParamLayout};
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, OnceLock, Weak};

/// Stands for an attribute that the node's driver does not know.
const NO_ATTRIBUTE: i32 = i32::MIN;

/// Nodes that know of something, as bits.
#[derive(Default)]
pub struct Nodes(AtomicU32);

impl Nodes {
    pub fn has(&self, session: &Session) -> bool {
        self.0.load(SeqCst) >> session.number & 1 == 1
    }

    pub fn add(&self, session: &Session) {
        self.0.fetch_or(1 << session.number, SeqCst);
    }
}

/// What a library or a kernel is in each context that asked, by the context's index.
#[derive(Default)]
pub struct Inner(Mutex<HashMap<u16, u64>>);

impl Inner {
    pub fn get(&self, place: Place) -> u64 {
        self.lock().get(&place.context).copied().unwrap_or(0)
    }

    pub fn set(&self, place: Place, handle: u64) {
        self.lock().insert(place.context, handle);
    }

    pub fn all(&self) -> Vec<u64> {
        self.lock().values().copied().collect()
    }

    fn lock(&self) -> outhaul_lock::MutexGuard<'_, HashMap<u16, u64>> {
        self.0.lock()
    }
}

/// A variable of a module.
#[derive(Clone, Copy)]
pub struct Variable {
    pub session: &'static Session,
    pub address: u64,
    pub bytes: u64,
}

/// The few kernels of a small image, in the context that it was loaded in.
#[derive(Default)]
pub struct Described {
    pub context: u16,
    pub kernels: HashMap<String, Arc<Facts>>,
}

impl Described {
    pub fn get(&self, place: Place, name: &str) -> Option<Arc<Facts>> {
        self.kernels.get(name).filter(|_| place.context == self.context).cloned()
    }
}

/// A CUmodule or a CUlibrary. A library belongs to no context, and a node learns of it when it is
/// first used there.
pub struct Module {
    pub handle: u64,
    pub context: Weak<Context>,
    pub library: bool,
    /// What a library is loaded from where it is not yet. Only a program with several nodes needs
    /// it.
    pub source: Option<Source>,
    /// What the node said of its kernels when it was loaded.
    pub described: Described,
    pub nodes: Nodes,
    /// The CUmodules of a library, once asked for.
    pub inner: Inner,
    /// Kernels that were looked up, by name.
    pub functions: Mutex<HashMap<String, Arc<Function>>>,
    /// Variables that were looked up, by name; those of a library by the context's index too.
    globals: Mutex<HashMap<(u16, String), Variable>>,
}

/// A CUfunction or a CUkernel.
pub struct Function {
    pub handle: u64,
    pub module: u64,
    pub name: CString,
    /// By device. Unknown while no context of it was current since it was looked up.
    facts: Box<[OnceLock<Arc<Facts>>]>,
    nodes: Nodes,
    /// The CUfunctions of a CUkernel, once asked for.
    pub inner: Inner,
    /// What was asked about it.
    pub memo: Memo,
    /// What launches without parameters of their own are made with.
    pub launch_state: Mutex<LaunchState>,
}

/// A kernel's and those of its functions on one device are the same.
pub struct Facts {
    /// Offset and size in bytes, by parameter.
    pub params: Arc<[(u32, u32)]>,
    attributes: Vec<AtomicI32>,
    /// The code says the size of its clusters, and nobody may change it.
    pub cluster_is_compiled: bool,
}

impl Facts {
    pub fn new(params: &[ParamLayout], attributes: Vec<i32>) -> Facts {
        let params = params.iter().map(|p| (p.offset_bytes, p.size_bytes)).collect();
        let cluster_is_compiled = attributes
            .get(values::FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH as usize)
            .is_some_and(|blocks| *blocks > 0);
        Facts {
            params,
            attributes: attributes.into_iter().map(AtomicI32::new).collect(),
            cluster_is_compiled,
        }
    }

    pub fn attribute(&self, id: i32) -> Result<i32, CUresult> {
        let value =
            usize::try_from(id).ok().and_then(|i| self.attributes.get(i)).map(|v| v.load(Relaxed));
        value.filter(|v| *v != NO_ATTRIBUTE).ok_or(CUresult::INVALID_VALUE)
    }

    /// All values, as a part of questions whose answers depend on them.
    pub fn attribute_bytes(&self) -> Vec<u8> {
        self.attributes.iter().flat_map(|v| v.load(Relaxed).to_le_bytes()).collect()
    }

    /// True if the value changed.
    pub fn set_attribute(&self, id: i32, value: i32) -> Result<bool, CUresult> {
        let place = usize::try_from(id)
            .ok()
            .and_then(|i| self.attributes.get(i))
            .ok_or(CUresult::INVALID_VALUE)?;
        Ok(place.swap(value, Relaxed) != value)
    }

    pub fn param_bytes(&self) -> usize {
        self.params.iter().map(|(offset, size)| (offset + size) as usize).max().unwrap_or(0)
    }

    /// Shared memory that a launch may ask for beside what the kernel declares.
    pub fn dynamic_shared_bytes_max(&self) -> u32 {
        self.attribute(values::FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
            .map_or(u32::MAX, |v| v as u32)
    }

    /// Blocks of a cluster, where code or program fix them.
    pub fn cluster(&self) -> Option<[u32; 3]> {
        let width = values::FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
        let shape = std::array::from_fn(|axis| {
            self.attribute(width + axis as i32).map_or(0, |blocks| blocks as u32)
        });
        (shape != [0; 3]).then_some(shape)
    }

    /// Whether it cannot be launched without clusters.
    pub fn needs_clusters(&self) -> bool {
        self.attribute(values::FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET).is_ok_and(|must| must != 0)
    }

    /// Larger than every device has.
    pub fn allows_larger_clusters(&self) -> bool {
        self.attribute(values::FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
            .is_ok_and(|allowed| allowed != 0)
    }

    pub fn threads_per_block_max(&self) -> u32 {
        self.attribute(values::FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK).map_or(u32::MAX, |v| v as u32)
    }
}

impl Function {
    /// A function that the place's node knows.
    pub fn new(
        handle: u64,
        module: u64,
        name: CString,
        place: Place,
        facts: Option<Arc<Facts>>,
    ) -> Result<Function, CUresult> {
        let known: Box<[OnceLock<Arc<Facts>>]> =
            driver()?.facts.devices.iter().map(|_| OnceLock::new()).collect();
        let function = Function {
            handle,
            module,
            name,
            facts: known,
            nodes: Nodes::default(),
            inner: Inner::default(),
            memo: Memo::default(),
            launch_state: Mutex::default(),
        };
        function.note(place.session, facts);
        Ok(function)
    }

    /// `facts` are those on the device of the calling thread's context.
    fn note(&self, session: &Session, facts: Option<Arc<Facts>>) {
        if let Some((facts, device)) = facts.zip(context::with_current(|c| Ok(c.device)).ok()) {
            let _ = self.facts[device as usize].set(facts);
        }
        self.nodes.add(session);
    }

    /// On the device of the calling thread's context.
    pub fn facts(&self) -> Result<&Arc<Facts>, CUresult> {
        self.facts_on(if self.facts.len() == 1 {
            0
        } else {
            context::with_current(|c| Ok(c.device))?
        })
    }

    /// Asked for once, in a context.
    pub fn facts_on(&self, device: CUdevice) -> Result<&Arc<Facts>, CUresult> {
        let known = self.facts.get(device as usize).ok_or(CUresult::INVALID_DEVICE)?;
        if let Some(facts) = known.get() {
            return Ok(facts);
        }
        let place = context::place_of_device(driver()?, device)?;
        self.learn(place)?;
        let message = DescribeFunction {
            function: self.handle,
            device: driver()?.facts.device(device)?.node_ordinal,
        };
        let found =
            place.call(&message, |reply| Ok(Facts::new(&reply.params.0, reply.attributes.0)))?;
        Ok(known.get_or_init(|| Arc::new(found)))
    }

    /// Sees to it that the place's node knows the function: a kernel is looked up on each node that
    /// uses it.
    pub fn learn(&self, place: Place) -> Result<(), CUresult> {
        if self.nodes.has(place.session) {
            return Ok(());
        }
        if Handle::unpack(self.handle).is_none_or(|handle| handle.kind != Kind::Kernel) {
            return Err(CUresult::INVALID_HANDLE);
        }
        let library = driver()?.libraries.get(self.module).ok_or(CUresult::INVALID_HANDLE)?;
        library.learn(place)?;
        let name = self.name.to_string_lossy();
        let facts = place.call(
            &GetFunction { module: self.module, function: self.handle, name: &name },
            described,
        )?;
        let is_here = context::place().is_ok_and(|here| here.context == place.context);
        self.note(place.session, facts.filter(|_| is_here));
        Ok(())
    }
}

pub fn described(reply: GetFunctionReply) -> Result<Option<Arc<Facts>>, CUresult> {
    Ok(reply.described.then(|| Arc::new(Facts::new(&reply.params.0, reply.attributes.0))))
}

impl Module {
    pub fn new(
        handle: u64,
        context: Weak<Context>,
        library: bool,
        source: Option<Source>,
        place: Place,
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
        module.nodes.add(place.session);
        module
    }

    /// Sees to it that the place's node knows the library.
    pub fn learn(&self, place: Place) -> Result<(), CUresult> {
        if self.nodes.has(place.session) {
            return Ok(());
        }
        let source = self.source.as_ref().ok_or(CUresult::INVALID_HANDLE)?;
        source.load(self.handle, place, true)?;
        self.nodes.add(place.session);
        Ok(())
    }

    pub fn variable(&self, place: Place, name: &str) -> Option<Variable> {
        self.globals().get(&self.key(place, name)).copied()
    }

    pub fn note_variable(&self, place: Place, name: &str, address: u64, bytes: u64) {
        self.globals()
            .insert(self.key(place, name), Variable { session: place.session, address, bytes });
        place.session.globals.lock().insert(address, bytes);
    }

    fn key(&self, place: Place, name: &str) -> (u16, String) {
        (if self.library { place.context } else { 0 }, name.to_owned())
    }

    pub fn globals(&self) -> outhaul_lock::MutexGuard<'_, HashMap<(u16, String), Variable>> {
        self.globals.lock()
    }
}

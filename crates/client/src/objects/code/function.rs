//! Modules, libraries, kernels and functions, with the facts that came with the lookup. A CUkernel
//! is valid wherever a CUfunction is.

use crate::objects::code::source::Source;
use crate::objects::context;
use crate::objects::context::Context;
use crate::objects::driver::driver;
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

/// Value of an attribute that the node's driver does not know.
const NO_ATTRIBUTE: i32 = i32::MIN;

/// Nodes that know an object, as bits.
#[derive(Default)]
pub struct Nodes(AtomicU32);

impl Nodes {
    /// Whether the session's node knows it.
    pub fn has(&self, session: &Session) -> bool {
        self.0.load(SeqCst) >> session.number & 1 == 1
    }

    /// Notes that the session's node knows it.
    pub fn add(&self, session: &Session) {
        self.0.fetch_or(1 << session.number, SeqCst);
    }
}

/// The handles of a library or a kernel in each context that asked, by the context's index.
#[derive(Default)]
pub struct Inner(Mutex<HashMap<u16, u64>>);

impl Inner {
    /// Returns the handle in the place's context, or 0.
    pub fn get(&self, place: Place) -> u64 {
        self.lock().get(&place.context).copied().unwrap_or(0)
    }

    /// Remembers the handle in the place's context.
    pub fn set(&self, place: Place, handle: u64) {
        self.lock().insert(place.context, handle);
    }

    /// Returns all handles.
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
    pub fn get(&self, place: Place, name: &str) -> Option<Arc<Facts>> {
        self.kernels.get(name).filter(|_| place.context == self.context).cloned()
    }
}

/// A CUmodule or a CUlibrary. A library belongs to no context, and a node learns of it when it is
/// first used there.
pub struct Module {
    /// What the program holds.
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

/// A CUfunction or a CUkernel.
pub struct Function {
    /// What the program holds.
    pub handle: u64,
    /// Handle of its module or library.
    pub module: u64,
    /// Name in the module.
    pub name: CString,
    /// Facts by device. They are unknown until a context of the device is current.
    facts: Box<[OnceLock<Arc<Facts>>]>,
    nodes: Nodes,
    /// CUfunctions of a CUkernel that were asked for.
    pub inner: Inner,
    /// Remembered answers to questions about it.
    pub memo: Memo,
    /// Parameters and shape of the launches that pass none.
    pub launch_state: Mutex<LaunchState>,
}

/// Facts of a kernel on one device, which its functions share.
pub struct Facts {
    /// Offset and size in bytes, by parameter.
    pub params: Arc<[(u32, u32)]>,
    attributes: Vec<AtomicI32>,
    /// Whether the code fixes the size of clusters. Then the program cannot change it.
    pub cluster_is_compiled: bool,
}

impl Facts {
    /// Reads the node's description.
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

    /// Returns the value of an attribute, or `INVALID_VALUE`.
    pub fn attribute(&self, id: i32) -> Result<i32, CUresult> {
        let value =
            usize::try_from(id).ok().and_then(|i| self.attributes.get(i)).map(|v| v.load(Relaxed));
        value.filter(|v| *v != NO_ATTRIBUTE).ok_or(CUresult::INVALID_VALUE)
    }

    /// Returns all values, as a part of questions whose answers depend on them.
    pub fn attribute_bytes(&self) -> Vec<u8> {
        self.attributes.iter().flat_map(|v| v.load(Relaxed).to_le_bytes()).collect()
    }

    /// Sets an attribute. Returns whether the value changed.
    pub fn set_attribute(&self, id: i32, value: i32) -> Result<bool, CUresult> {
        let place = usize::try_from(id)
            .ok()
            .and_then(|i| self.attributes.get(i))
            .ok_or(CUresult::INVALID_VALUE)?;
        Ok(place.swap(value, Relaxed) != value)
    }

    /// Returns the bytes of all parameters, with padding.
    pub fn param_bytes(&self) -> usize {
        self.params.iter().map(|(offset, size)| (offset + size) as usize).max().unwrap_or(0)
    }

    /// Returns the most shared memory for which a launch may ask, in addition to what the kernel
    /// declares.
    pub fn dynamic_shared_bytes_max(&self) -> u32 {
        self.attribute(values::FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
            .map_or(u32::MAX, |v| v as u32)
    }

    /// Returns the shape of a cluster in blocks, if the code or the program fixes it.
    pub fn cluster(&self) -> Option<[u32; 3]> {
        let width = values::FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
        let shape = std::array::from_fn(|axis| {
            self.attribute(width + axis as i32).map_or(0, |blocks| blocks as u32)
        });
        (shape != [0; 3]).then_some(shape)
    }

    /// Whether launches must use clusters.
    pub fn needs_clusters(&self) -> bool {
        self.attribute(values::FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET).is_ok_and(|must| must != 0)
    }

    /// Whether launches may use clusters larger than every device supports.
    pub fn allows_larger_clusters(&self) -> bool {
        self.attribute(values::FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
            .is_ok_and(|allowed| allowed != 0)
    }

    /// Returns the most threads of a block.
    pub fn threads_per_block_max(&self) -> u32 {
        self.attribute(values::FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK).map_or(u32::MAX, |v| v as u32)
    }
}

impl Function {
    /// Creates a function that the place's node knows.
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

    /// Notes that the node knows it. `facts` are those on the device of the calling thread's
    /// context.
    fn note(&self, session: &Session, facts: Option<Arc<Facts>>) {
        if let Some((facts, device)) = facts.zip(context::with_current(|c| Ok(c.device)).ok()) {
            let _ = self.facts[device as usize].set(facts);
        }
        self.nodes.add(session);
    }

    /// Returns the facts on the device of the calling thread's context.
    pub fn facts(&self) -> Result<&Arc<Facts>, CUresult> {
        self.facts_on(if self.facts.len() == 1 {
            0
        } else {
            context::with_current(|c| Ok(c.device))?
        })
    }

    /// Returns the facts on a device. The first call asks the node, in a context.
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

    /// Makes the place's node know the function: a kernel is looked up on each node that uses it.
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

/// Reads the facts in a reply, if there are any.
pub fn described(reply: GetFunctionReply) -> Result<Option<Arc<Facts>>, CUresult> {
    Ok(reply.described.then(|| Arc::new(Facts::new(&reply.params.0, reply.attributes.0))))
}

impl Module {
    /// Creates a module that the place's node knows.
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

    /// Makes the place's node know the library.
    pub fn learn(&self, place: Place) -> Result<(), CUresult> {
        if self.nodes.has(place.session) {
            return Ok(());
        }
        let source = self.source.as_ref().ok_or(CUresult::INVALID_HANDLE)?;
        source.load(self.handle, place, true)?;
        self.nodes.add(place.session);
        Ok(())
    }

    /// Returns a variable that was looked up before.
    pub fn variable(&self, place: Place, name: &str) -> Option<Variable> {
        self.globals().get(&self.key(place, name)).copied()
    }

    /// Remembers a variable.
    pub fn note_variable(&self, place: Place, name: &str, address: u64, bytes: u64) {
        self.globals()
            .insert(self.key(place, name), Variable { session: place.session, address, bytes });
        place.session.globals.lock().insert(address, bytes);
    }

    fn key(&self, place: Place, name: &str) -> (u16, String) {
        (if self.library { place.context } else { 0 }, name.to_owned())
    }

    /// Locks the variables that were looked up.
    pub fn globals(&self) -> outhaul_lock::MutexGuard<'_, HashMap<(u16, String), Variable>> {
        self.globals.lock()
    }
}

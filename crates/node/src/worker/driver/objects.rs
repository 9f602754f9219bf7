//! The session's objects: a table that maps the client's handles to the driver's. If an object's
//! creation failed, the table keeps the error. Later posts with the handle then fail with the same
//! error, and the handle does not look forged. Neither does the handle of an object that has ended.

use super::handle_history::{HandleHistory, never_was};
use super::shared_objects::Share;
use crate::worker::io::frame::Refusal;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::handle::{Handle, HandleKind};
use outhaul_wire::limits::OBJECTS_MAX;
use std::cell::Cell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Identifies a stream's queue. No other stream of the session ever has the same identifier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct QueueId(u64);

impl QueueId {
    /// Creates an identifier that no other queue has.
    pub fn new() -> QueueId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        QueueId(NEXT.fetch_add(1, Relaxed))
    }
}

/// A stream.
#[derive(Clone)]
pub struct Stream {
    /// The driver's handle.
    pub raw: CUstream,
    /// The queue of the stream's data for the client.
    pub queue: QueueId,
    /// Whether the stream and the legacy stream wait for each other.
    pub blocking: bool,
    /// Index of the stream's context. The stream ends with that context.
    pub context: u16,
}

/// An event. A thread that uses the event while the command thread continues holds a clone. The
/// event then exists until the clone is dropped, even if the client destroys the event meanwhile.
#[derive(Clone)]
pub struct Event {
    raw: CUevent,
    /// Index of the event's context. The event ends with that context.
    context: u16,
    /// The key by which other sessions may open the event; `None` if the event is not shared.
    pub share: Option<Arc<Share>>,
    in_use: Arc<()>,
}

impl Event {
    /// Creates an event that is not shared.
    pub fn new(raw: CUevent, context: u16) -> Event {
        Event { raw, context, share: None, in_use: Arc::default() }
    }

    /// Returns whether the event belongs to `context`.
    pub fn is_of(&self, context: u16) -> bool {
        self.context == context
    }

    /// Returns the driver's handle. A closure that calls this method owns the whole event. If it
    /// read a field, it would own only the handle, and the event could be destroyed meanwhile.
    pub fn raw(&self) -> CUevent {
        self.raw
    }

    /// Blocks until the device has reached the event.
    pub fn wait(&self, driver: &Driver) -> CUresult {
        // SAFETY: the event is the session's own, and is not destroyed while this clone exists.
        unsafe { driver.cuEventSynchronize(self.raw) }
    }

    /// Returns whether another clone of the event exists, so that a thread may be using the event.
    pub fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.in_use) > 1
    }
}

#[derive(Clone)]
enum Object {
    Context(CUcontext),
    Module(CUmodule),
    Library(CUlibrary),
    Function(CUfunction),
    Stream(Stream),
    Event(Event),
    Graph(CUgraph),
    GraphExec(CUgraphExec),
    GraphNode(CUgraphNode),
    User(CUuserObject),
    Array(CUarray),
    MipmappedArray(CUmipmappedArray),
    TextureReference(CUtexref),
    SurfaceReference(CUsurfref),
    Failed(CUresult),
}

/// The owner of an object, which ends with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Owner {
    /// A context, by its index.
    Context(u16),
    /// Another object, by its handle.
    Object(u64),
}

/// The table of objects.
#[derive(Default)]
pub struct Objects {
    table: HashMap<u64, Object>,
    /// The owners of each object that has any.
    owners: HashMap<u64, Vec<Owner>>,
    /// The objects that end with an owner.
    owned: HashMap<Owner, HashSet<u64>>,
    history: HandleHistory,
    /// Arrays that are levels of mipmapped arrays.
    levels: HashSet<u64>,
    /// Queues of the legacy streams, by context.
    legacy: HashMap<u16, QueueId>,
    current_context: u16,
    /// Whether the current context exists.
    is_live: bool,
    /// Why the current context could not be created.
    failure: Option<CUresult>,
    /// Whether the session ever had a stream that the legacy streams wait for.
    any_blocking: bool,
    /// Handle of the stream that was looked up last.
    named: Cell<u64>,
}

macro_rules! accessors {
    ($($get:ident $put:ident $variant:ident $ty:ty, $kind:pat,)*) => {$(
        /// Returns the object with the given handle. Returns an error if the handle is unknown, the
        /// object has ended, or its creation failed.
        pub fn $get(&self, handle: u64) -> Result<$ty, Refusal> {
            match self.table.get(&handle) {
                Some(Object::$variant(raw)) => Ok(raw.clone()),
                Some(Object::Failed(code)) => Err(Refusal::Driver(*code)),
                None if matches!(Handle::unpack(handle), Some(Handle { kind: $kind, .. })) => {
                    Err(self.history.refuse(handle))
                }
                _ => Err(never_was(handle)),
            }
        }

        /// Stores a new object, or the error of its creation.
        pub fn $put(&mut self, handle: u64, made: Result<$ty, CUresult>) -> Result<(), Refusal> {
            if !matches!(Handle::unpack(handle),
                Some(Handle { kind: $kind, .. })) || self.table.len() >= OBJECTS_MAX {
                return Err(never_was(handle));
            }
            let (object, result) = match made {
                Ok(raw) => (Object::$variant(raw), Ok(())),
                Err(code) => (Object::Failed(code), Err(Refusal::Driver(code))),
            };
            self.table.insert(handle, object);
            self.history.note(handle);
            result
        }
    )*};
}

impl Objects {
    accessors! {
        context put_context Context CUcontext, HandleKind::Context,
        module put_module Module CUmodule, HandleKind::Module,
        library put_library Library CUlibrary, HandleKind::Library,
        function put_function Function CUfunction, HandleKind::Function | HandleKind::Kernel,
        stream_object put_stream Stream Stream, HandleKind::Stream,
        event_object put_event Event Event, HandleKind::Event,
        graph put_graph Graph CUgraph, HandleKind::Graph,
        graph_exec put_graph_exec GraphExec CUgraphExec, HandleKind::GraphExec,
        user_object put_user_object User CUuserObject, HandleKind::UserObject,
        array put_array Array CUarray, HandleKind::Array,
        texref put_texref TextureReference CUtexref, HandleKind::TextureReference,
        surfref put_surfref SurfaceReference CUsurfref, HandleKind::SurfaceReference,
        mipmapped_array put_mipmapped MipmappedArray CUmipmappedArray, HandleKind::MipmappedArray,
    }

    /// Notes that a post failed. If it was to create an object, other threads of the program may
    /// already name that object.
    pub fn note_failed_post(&mut self) {
        self.history.note_failed_post();
    }

    /// Removes the object with the given handle, and all that end with it.
    pub fn remove(&mut self, handle: u64) -> Result<(), Refusal> {
        self.levels.remove(&handle);
        self.table.remove(&handle).map(|_| ()).ok_or_else(|| self.history.refuse(handle))?;
        for owner in self.owners.remove(&handle).unwrap_or_default() {
            if let Entry::Occupied(mut owned) = self.owned.entry(owner) {
                owned.get_mut().remove(&handle);
                if owned.get().is_empty() {
                    owned.remove();
                }
            }
        }
        for part in self.owned_by(Owner::Object(handle)) {
            let _ = self.remove(part);
        }
        Ok(())
    }

    /// Notes that an object ends with `owner`. It may have several owners, and ends with the first
    /// that ends.
    pub fn note_owner(&mut self, handle: u64, owner: Owner) {
        if self.table.contains_key(&handle) && self.owned.entry(owner).or_default().insert(handle) {
            self.owners.entry(handle).or_default().push(owner);
        }
    }

    /// Notes that an object ends with the current context.
    pub fn note_owned_by_context(&mut self, handle: u64) {
        self.note_owner(handle, Owner::Context(self.current_context));
    }

    /// Returns the objects that end with `owner`.
    pub fn owned_by(&self, owner: Owner) -> Vec<u64> {
        self.owned.get(&owner).into_iter().flatten().copied().collect()
    }

    /// Returns the handle of the stream that the current command uses.
    pub fn named_stream(&self) -> u64 {
        self.named.get()
    }

    /// Returns the stream with the given handle; 0 means the legacy stream.
    pub fn stream(&self, handle: u64) -> Result<CUstream, Refusal> {
        self.enter_stream(handle)?;
        if handle == 0 { Ok(CUstream::LEGACY) } else { Ok(self.stream_object(handle)?.raw) }
    }

    /// Returns the stream with the given handle, and its queue; 0 means the current context's
    /// legacy stream.
    pub fn stream_with_queue(&mut self, handle: u64) -> Result<Stream, Refusal> {
        self.enter_stream(handle)?;
        if handle != 0 {
            return self.stream_object(handle);
        }
        let queue = *self.legacy.entry(self.current_context).or_insert_with(QueueId::new);
        Ok(Stream { raw: CUstream::LEGACY, queue, blocking: true, context: self.current_context })
    }

    /// Notes that a stream was created. `blocking` says whether it and the legacy stream wait for
    /// each other.
    pub fn note_stream(&mut self, blocking: bool) {
        self.any_blocking |= blocking;
    }

    /// Returns whether a stream may implicitly wait for others.
    pub fn waits_for_others(&self, handle: u64) -> bool {
        self.any_blocking
            && (handle == 0 || self.stream_object(handle).is_ok_and(|stream| stream.blocking))
    }

    /// Returns the graph node with the given handle. The client keeps no table of nodes, so an
    /// unknown handle is the program's error and not a violation.
    pub fn graph_node(&self, handle: u64) -> Result<CUgraphNode, Refusal> {
        match self.table.get(&handle) {
            Some(Object::GraphNode(raw)) => Ok(*raw),
            _ => Err(Refusal::Driver(CUresult::INVALID_VALUE)),
        }
    }

    /// Stores a graph node. Returns an error if there are too many objects.
    pub fn put_graph_node(&mut self, handle: u64, raw: CUgraphNode) -> Result<(), Refusal> {
        if self.table.len() >= OBJECTS_MAX {
            return Err(Refusal::Driver(CUresult::OUT_OF_MEMORY));
        }
        self.table.insert(handle, Object::GraphNode(raw));
        Ok(())
    }

    /// Returns the libraries' kernels, with their handles.
    pub fn kernels(&self) -> impl Iterator<Item = (u64, CUkernel)> {
        self.table.iter().filter_map(|(handle, object)| match object {
            Object::Function(f)
                if Handle::unpack(*handle).is_some_and(|h| h.kind == HandleKind::Kernel) =>
            {
                Some((*handle, CUkernel(f.0)))
            }
            _ => None,
        })
    }

    /// Returns a function's handle.
    pub fn find_function(&self, raw: CUfunction) -> Option<u64> {
        self.table
            .iter()
            .find(|(_, o)| matches!(o, Object::Function(f) if *f == raw))
            .map(|(handle, _)| *handle)
    }

    /// Returns an event's handle.
    pub fn find_event(&self, raw: CUevent) -> Option<u64> {
        self.table
            .iter()
            .find(|(_, o)| matches!(o, Object::Event(e) if e.raw == raw))
            .map(|(handle, _)| *handle)
    }

    /// Returns an array's handle.
    pub fn find_array(&self, raw: CUarray) -> Option<u64> {
        self.table
            .iter()
            .find(|(_, o)| matches!(o, Object::Array(a) if *a == raw))
            .map(|(handle, _)| *handle)
    }

    /// Returns a mipmapped array's handle.
    pub fn find_mipmapped(&self, raw: CUmipmappedArray) -> Option<u64> {
        self.table
            .iter()
            .find(|(_, o)| matches!(o, Object::MipmappedArray(a) if *a == raw))
            .map(|(handle, _)| *handle)
    }

    /// Returns the handles of a context's streams.
    pub fn streams_of(&self, context: u16) -> Vec<u64> {
        let streams = self.table.iter().filter(
            |(_, object)| matches!(object, Object::Stream(stream) if stream.context == context),
        );
        streams.map(|(handle, _)| *handle).collect()
    }

    /// Replaces the events of a destroyed context by an error, because the client may still use
    /// their handles.
    pub fn end_events(&mut self, context: u16) {
        for object in self.table.values_mut() {
            if matches!(object, Object::Event(event) if event.is_of(context)) {
                *object = Object::Failed(CUresult::CONTEXT_IS_DESTROYED);
            }
        }
    }

    /// Returns the event with the given handle.
    pub fn event(&self, handle: u64) -> Result<CUevent, Refusal> {
        Ok(self.event_object(handle)?.raw())
    }

    /// Notes that `array` is a level of a mipmapped array.
    pub fn note_level(&mut self, array: u64) {
        self.levels.insert(array);
    }

    /// Returns whether the array is a level of a mipmapped array.
    pub fn is_level(&self, array: u64) -> bool {
        self.levels.contains(&array)
    }

    /// Notes that other sessions may open an event.
    pub fn shared(&mut self, handle: u64, share: Share) {
        if let Some(Object::Event(event)) = self.table.get_mut(&handle) {
            event.share = Some(Arc::new(share));
        }
    }

    /// Sets the current context's index, and whether that context exists or why not.
    pub fn set_current_context(&mut self, index: u16, life: Result<(), CUresult>) {
        (self.current_context, self.is_live, self.failure) = (index, life.is_ok(), life.err());
    }

    /// Notes the command's stream. Fails unless the current context exists: a driver would execute
    /// the command anyway, outside the session's turns and without a charge.
    fn enter_stream(&self, handle: u64) -> Result<(), Refusal> {
        self.named.set(handle);
        if self.is_live {
            return Ok(());
        }
        Err(Refusal::Driver(self.failure.unwrap_or(CUresult::INVALID_CONTEXT)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handle(kind: HandleKind, index: u32) -> u64 {
        Handle { kind, node: 0, index, generation: 0 }.pack()
    }

    #[test]
    fn objects_end_with_their_owners() {
        let mut objects = Objects::default();
        objects.set_current_context(1, Ok(()));
        for round in 0..3 {
            let [library, module] = [HandleKind::Library, HandleKind::Module].map(|k| handle(k, 0));
            objects.put_library(library, Ok(CUlibrary::NULL)).unwrap();
            objects.put_module(module, Ok(CUmodule::NULL)).unwrap();
            objects.note_owned_by_context(module);
            objects.note_owner(module, Owner::Object(library));
            for index in 0..10 {
                let function = handle(HandleKind::Function, index);
                objects.put_function(function, Ok(CUfunction::NULL)).unwrap();
                objects.note_owner(function, Owner::Object(module));
            }
            assert_eq!(objects.table.len(), 12);
            if round < 2 {
                objects.remove([module, library][round]).unwrap();
            } else {
                objects.owned_by(Owner::Context(1)).into_iter().for_each(|part| {
                    objects.remove(part).unwrap();
                });
            }
            let _ = objects.remove(library);
            assert_eq!(objects.table.len() + objects.owners.len() + objects.owned.len(), 0);
        }
    }

    #[test]
    fn an_event_is_in_use_while_a_wait_is_pending() {
        let event = Event::new(CUevent::NULL, 1);
        let (waiting, reading) = (event.clone(), event.clone());
        let wait = move |driver: &Driver| waiting.wait(driver);
        let read = move || reading.raw();
        assert!(event.is_in_use());
        drop(wait);
        assert!(event.is_in_use());
        drop(read);
        assert!(!event.is_in_use());
    }
}

//! Handles that the client creates. A program holds one, for instance as a CUstream, and the worker
//! uses it as a key in its table. A handle contains its kind and its index in the table. A
//! generation distinguishes an object from a destroyed one with the same index.

/// The kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum HandleKind {
    /// A `CUcontext`.
    Context = 1,
    /// A `CUmodule`.
    Module = 2,
    /// A `CUfunction`.
    Function = 3,
    /// A `CUkernel`.
    Kernel = 4,
    /// A `CUlibrary`.
    Library = 5,
    /// A `CUstream`.
    Stream = 6,
    /// A `CUevent`.
    Event = 7,
    /// A `CUmemoryPool`.
    Pool = 8,
    /// A `CUlinkState`.
    Link = 9,
    /// A `CUmemGenericAllocationHandle`: physical memory.
    Memory = 10,
    /// A `CUgraph`.
    Graph = 11,
    /// A `CUgraphExec`: an executable graph.
    GraphExec = 12,
    /// A node of a graph. The worker creates these handles, because only it sees the nodes of
    /// captures.
    GraphNode = 13,
    /// A `CUuserObject`.
    UserObject = 14,
    /// A `CUarray`.
    Array = 20,
    /// A `CUmipmappedArray`.
    MipmappedArray = 21,
    /// A `CUtexref`.
    TextureReference = 22,
    /// A `CUsurfref`.
    SurfaceReference = 23,
}

impl HandleKind {
    const ALL: [HandleKind; 18] = [
        HandleKind::Context,
        HandleKind::Module,
        HandleKind::Function,
        HandleKind::Kernel,
        HandleKind::Library,
        HandleKind::Stream,
        HandleKind::Event,
        HandleKind::Pool,
        HandleKind::Link,
        HandleKind::Memory,
        HandleKind::Graph,
        HandleKind::GraphExec,
        HandleKind::GraphNode,
        HandleKind::UserObject,
        HandleKind::Array,
        HandleKind::MipmappedArray,
        HandleKind::TextureReference,
        HandleKind::SurfaceReference,
    ];
}

/// The parts of a handle: bits 4 to 27 hold the index, 28 to 31 the node, 32 to 37 the kind and 38
/// to 45 the generation. The number looks like an aligned pointer but is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Handle {
    /// Kind of the object.
    pub kind: HandleKind,
    /// Index, among the program's nodes, of the node that has the object.
    pub node: u8,
    /// Index of the object in the table.
    pub index: u32,
    /// Number that distinguishes the object from earlier ones with the same index.
    pub generation: u8,
}

/// Largest index of a handle.
pub const INDEX_MAX: u32 = (1 << 24) - 1;
/// Maximum number of nodes that one program can use.
pub const NODES_MAX: usize = 16;

impl Handle {
    /// Returns the handle as a number.
    pub fn pack(self) -> u64 {
        u64::from(self.generation) << 38
            | u64::from(self.kind as u8) << 32
            | u64::from(self.node) << 28
            | u64::from(self.index) << 4
    }

    /// Returns the parts of a handle, or None if `value` is not a handle.
    pub fn unpack(value: u64) -> Option<Handle> {
        let kind =
            HandleKind::ALL.into_iter().find(|k| u64::from(*k as u8) == value >> 32 & 0x3F)?;
        let handle = Handle {
            kind,
            node: (value >> 28) as u8 % NODES_MAX as u8,
            index: (value >> 4) as u32 & INDEX_MAX,
            generation: (value >> 38) as u8,
        };
        (handle.pack() == value).then_some(handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_survive_and_other_numbers_are_none() {
        for kind in HandleKind::ALL {
            let handle = Handle { kind, node: 5, index: 0xABCDE, generation: 7 };
            assert_eq!(Handle::unpack(handle.pack()), Some(handle));
            assert_eq!(Handle::unpack(handle.pack() + 1), None);
        }
        for value in [0, 1, 2, 0x7fff_1234_5678, u64::MAX] {
            assert_eq!(Handle::unpack(value), None, "{value:#x}");
        }
    }
}

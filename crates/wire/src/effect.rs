//! What a command does, as its declaration in `spec/cuda` says.

/// What work on the GPU runs on. Copies each way have an engine of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    Compute,
    CopyToDevice,
    CopyToHost,
}

impl Engine {
    pub const ALL: [Engine; 3] = [Engine::Compute, Engine::CopyToDevice, Engine::CopyToHost];
}

/// What an op means, whatever its message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// It is work for this engine.
    pub engine: Option<Engine>,
    /// Kernels run by it.
    pub launches: bool,
    /// It takes a place in a stream.
    pub stands: bool,
    /// It reads or writes the device's memory in a stream's order.
    pub accesses: bool,
    /// A stream may stand still here for something that is no work of the GPU's.
    pub stalls: bool,
    /// A stream may look at the device's memory for as long as it likes.
    pub watches: bool,
    /// The client is about to wait for what it gave, or the command may take so long that no turn
    /// is to be held meanwhile.
    pub waits: bool,
    /// The driver may wait in it for all work that its context was given, and keep other calls
    /// waiting meanwhile.
    pub drains: bool,
    /// It makes device memory that does not move.
    pub makes_fixed: bool,
    /// It names device memory.
    pub names_memory: bool,
    /// It names a graph, an executable one or a node, whose descriptions hold addresses.
    pub names_graph: bool,
}

impl Effect {
    pub const NOTHING: Effect = Effect {
        engine: None,
        launches: false,
        stands: false,
        accesses: false,
        stalls: false,
        watches: false,
        waits: false,
        drains: false,
        makes_fixed: false,
        names_memory: false,
        names_graph: false,
    };

    /// Whether memory that may move is to be in place meanwhile: drivers look at addresses when
    /// they are handed them.
    pub fn needs_memory(&self) -> bool {
        self.engine.is_some() || self.names_memory || self.names_graph || self.makes_fixed
    }
}

/// What tells how long a piece of work takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    Bytes(u64),
    /// Work of the same op with the same number takes about as long.
    Like(u64),
}

/// FNV-1a, of fields in their wire form.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use crate::codec::Message;
    use crate::effects::effect;
    use crate::messages::*;

    #[test]
    fn what_names_memory_or_a_graph_has_it_in_place() {
        for op in [
            LaunchKernel::OP,
            CopyToHost::OP,
            StreamWriteValue32::OP,
            StreamBatchMemOp::OP,
            MirrorLook::OP,
            TextureCreate::OP,
        ] {
            assert!(effect(op).needs_memory(), "{}", op_name(op));
        }
        for op in [
            GraphAddNode::OP,
            GraphAddCopy::OP,
            GraphSetCopy::OP,
            GraphInstantiate::OP,
            GraphUpload::OP,
            GraphNodeSetEnabled::OP,
            CaptureCopy::OP,
        ] {
            assert!(effect(op).needs_memory(), "{}", op_name(op));
        }
        for op in [PhysicalCreate::OP, ArrayCreate::OP, ShmGet::OP] {
            assert!(
                effect(op).needs_memory(),
                "{}: whoever has the turn would keep it from being made",
                op_name(op)
            );
        }
        for op in [
            MemoryMap::OP,
            MemoryUnmap::OP,
            StreamSynchronize::OP,
            EventRecord::OP,
            StreamQuery::OP,
            ModuleLoad::OP,
            NvmlAsk::OP,
        ] {
            assert!(!effect(op).needs_memory(), "{} would wait for a turn", op_name(op));
        }
    }
}

//! Effects of commands on the GPU, as `spec/cuda` declares them.

/// A part of the GPU that executes work. Copies have one engine for each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// Kernels.
    Compute,
    /// Copies from the host to the device.
    CopyToDevice,
    /// Copies from the device to the host.
    CopyToHost,
}

impl Engine {
    /// All engines.
    pub const ALL: [Engine; 3] = [Engine::Compute, Engine::CopyToDevice, Engine::CopyToHost];
}

/// The effect of an op, which does not depend on its message's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// The engine that the op occupies; none if the op is not GPU work.
    pub engine: Option<Engine>,
    /// Whether the op runs kernels.
    pub launches: bool,
    /// Whether the op is queued in a stream.
    pub queued: bool,
    /// Whether the op reads or writes device memory in stream order.
    pub accesses: bool,
    /// Whether the op may block its stream for a reason other than GPU work.
    pub stalls: bool,
    /// Whether the op may read device memory for an unlimited time, while its stream waits.
    pub watches: bool,
    /// Whether the op may block its stream until other streams' work is complete.
    pub joins: bool,
    /// Whether every capturing stream accepts the op.
    pub captured: bool,
    /// Whether the session should pass its turn on during the op. The reason is that the client is
    /// about to wait for its work, or that the op may take very long.
    pub waits: bool,
    /// Whether the driver may wait during the op for all work of the context, and block other calls
    /// meanwhile.
    pub drains: bool,
    /// Whether the op allocates device memory that cannot move.
    pub makes_fixed: bool,
    /// Whether the op's message refers to device memory.
    pub names_memory: bool,
    /// Whether the op's message refers to a graph, an executable graph or a node. Their
    /// descriptions contain addresses.
    pub names_graph: bool,
}

impl Effect {
    /// The effect of an op that has no effect on the GPU.
    pub const NOTHING: Effect = Effect {
        engine: None,
        launches: false,
        queued: false,
        accesses: false,
        stalls: false,
        watches: false,
        joins: false,
        captured: false,
        waits: false,
        drains: false,
        makes_fixed: false,
        names_memory: false,
        names_graph: false,
    };

    /// Returns whether movable memory must be resident during the op, because drivers check the
    /// addresses that they receive.
    pub fn needs_memory(&self) -> bool {
        self.engine.is_some() || self.names_memory || self.names_graph || self.makes_fixed
    }
}

/// A measure of the duration of a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Number of bytes that a copy or fill processes.
    Bytes(u64),
    /// A number; work of the same op with the same number takes about the same time.
    Like(u64),
}

/// Returns the FNV-1a hash of `bytes`.
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
    fn messages_that_name_memory_or_a_graph_need_memory() {
        for op in [
            LaunchKernel::OP,
            CopyToHost::OP,
            StreamWriteValue32::OP,
            StreamBatchMemOp::OP,
            ManagedChanges::OP,
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

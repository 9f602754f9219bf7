//! Effects of commands on the GPU, as their declarations in `spec/cuda` say.

/// A part of the GPU that runs work. Copies have one engine for each direction.
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

/// The effect of an op, for any fields of its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// The engine that it occupies, if it is work for the GPU.
    pub engine: Option<Engine>,
    /// Whether it runs kernels.
    pub launches: bool,
    /// Whether it is queued in a stream.
    pub queued: bool,
    /// Whether it reads or writes device memory in stream order.
    pub accesses: bool,
    /// Whether a stream may block here for a reason other than GPU work.
    pub stalls: bool,
    /// Whether a stream may read device memory here for an unlimited time.
    pub watches: bool,
    /// Whether the stream may block here until other streams' work is done.
    pub joins: bool,
    /// Whether every stream that captures accepts it.
    pub captured: bool,
    /// Whether the session should give up its turn meanwhile: the client is about to wait for its
    /// work, or the command may take very long.
    pub waits: bool,
    /// Whether the driver may wait in it for all work of its context, and block other calls
    /// meanwhile.
    pub drains: bool,
    /// Whether it allocates device memory that cannot move.
    pub makes_fixed: bool,
    /// Whether it refers to device memory.
    pub names_memory: bool,
    /// Whether it refers to a graph, an executable graph or a node, whose descriptions contain
    /// addresses.
    pub names_graph: bool,
}

impl Effect {
    /// The effect of an op that does nothing to the GPU.
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

    /// Returns whether memory that may move must be resident meanwhile: drivers check addresses
    /// that are passed to them.
    pub fn needs_memory(&self) -> bool {
        self.engine.is_some() || self.names_memory || self.names_graph || self.makes_fixed
    }
}

/// A measure of how long a piece of work takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// A copy or fill of so many bytes.
    Bytes(u64),
    /// Work of the same op with the same number takes about as long.
    Like(u64),
}

/// Returns the FNV-1a hash of encoded fields.
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

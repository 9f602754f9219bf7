//! What a command means to the GPU: the engine that it keeps busy, the stream that it goes to, and what tells how long it takes.

use crate::arbiter::Engine;
use outhaul_wire::codec::{Field, Message, Reader};
use outhaul_wire::messages::*;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A guess for the first copy of its kind, in bytes per nanosecond: less than any link between a GPU and its host gives.
const COPY_BYTES_PER_NS: u64 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// The client's handle; 0 is the legacy stream.
    pub stream: u64,
    /// Work with the same key takes about as long each time.
    pub key: u64,
    /// Before anything of its kind was measured.
    pub guess_ns: Option<u64>,
}

/// None: the command is no work for an engine.
pub fn engine(op: u16) -> Option<Engine> {
    match op {
        LaunchKernel::OP | GraphLaunch::OP | CopyOnDevice::OP | CopyArray::OP | CopyBetweenDevices::OP => Some(Engine::Compute),
        MemsetD8Async::OP | MemsetD16Async::OP | MemsetD32Async::OP => Some(Engine::Compute),
        MemsetD2D8Async::OP | MemsetD2D16Async::OP | MemsetD2D32Async::OP => Some(Engine::Compute),
        CopyToDevice::OP | CopyToDeviceByLanes::OP | CopyFromSegment::OP | CopyToArray::OP => Some(Engine::CopyToDevice),
        CopyToHost::OP | CopyToHostByLanes::OP | CopyToSegment::OP | CopyFromArray::OP => Some(Engine::CopyToHost),
        _ => None,
    }
}

/// Whether memory that may move is to be in place meanwhile.
pub fn needs_memory(op: u16) -> bool {
    engine(op).is_some() || names_memory(op) || names_graph(op) || makes_what_stays(op)
}

/// Whether memory is made that does not move. In the session's turn all others can make room for it.
fn makes_what_stays(op: u16) -> bool {
    matches!(op, PhysicalCreate::OP | ArrayCreate::OP | ShmGet::OP)
}

/// Of a copy between devices: a context of the one that it goes to, and of the one that it comes from.
pub fn sides(op: u16, body: &[u8]) -> Option<(u64, u64)> {
    if op != CopyBetweenDevices::OP {
        return None;
    }
    let m: CopyBetweenDevices = read(body)?;
    Some((m.to_context, m.from_context))
}

/// Whether a stream may look at the device's memory for as long as it likes.
pub fn watches(op: u16) -> bool {
    matches!(op, StreamWaitValue32::OP | StreamWaitValue64::OP | StreamBatchMemOp::OP)
}

/// Whether kernels run by it.
pub fn launches(op: u16) -> bool {
    matches!(op, LaunchKernel::OP | GraphLaunch::OP)
}

/// Whether a stream may stand still here for something that is no work of the GPU's.
pub fn stalls(op: u16) -> bool {
    matches!(
        op,
        HostCallback::OP | GateWait::OP | StreamWaitEvent::OP | StreamWaitValue32::OP | StreamWaitValue64::OP | StreamBatchMemOp::OP
    )
}

/// Whether the client is about to wait for what it gave, or the command may take so long that a turn is not to be held meanwhile.
pub fn waits(op: u16) -> bool {
    let for_work = matches!(
        op,
        StreamSynchronize::OP
            | ContextSynchronize::OP
            | WaitAndLook::OP
            | EventSynchronize::OP
            | EventSynchronizeTimed::OP
            | EventMark::OP
            | Barrier::OP
            | MirrorAwait::OP
    );
    let long = matches!(
        op,
        ModuleLoad::OP | Link::OP | GraphInstantiate::OP | MemoryMap::OP | MirrorLook::OP | MirrorWrite::OP | ArrayDestroy::OP
    );
    for_work || long
}

fn read<'a, M: Field<'a>>(body: &'a [u8]) -> Option<M> {
    M::take(&mut Reader::new(body)).ok()
}

fn copy(op: u16, stream: u64, bytes: u64) -> Work {
    Work { stream, key: key((op, bytes.checked_ilog2())), guess_ns: Some(bytes / COPY_BYTES_PER_NS) }
}

fn key(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

macro_rules! copies {
    ($op:ident, $body:ident, $($message:ident |$m:ident| $bytes:expr,)*) => {
        match $op {
            $($message::OP => {
                let $m: $message = read($body)?;
                Some(copy($op, $m.stream, $bytes))
            })*
            _ => None,
        }
    };
}

/// Of a command for an engine; None if it is malformed, which will be said when it is carried out.
pub fn work(op: u16, body: &[u8]) -> Option<Work> {
    match op {
        LaunchKernel::OP => {
            let m: LaunchKernel<'_> = read(body)?;
            Some(Work { stream: m.stream, key: key((m.function, m.grid, m.block)), guess_ns: None })
        }
        GraphLaunch::OP => {
            let m: GraphLaunch = read(body)?;
            Some(Work { stream: m.stream, key: key(m.exec), guess_ns: None })
        }
        _ => copies! { op, body,
            CopyOnDevice |m| m.width_bytes.saturating_mul(m.rows),
            CopyArray |m| m.width_bytes.saturating_mul(m.rows).saturating_mul(m.slices),
            CopyBetweenDevices |m| m.width_bytes.saturating_mul(m.rows),
            CopyToDevice |m| m.width_bytes.saturating_mul(m.rows),
            CopyToDeviceByLanes |m| m.bytes,
            CopyFromSegment |m| m.width_bytes.saturating_mul(m.rows),
            CopyToArray |m| m.width_bytes.saturating_mul(m.rows),
            CopyToHost |m| m.width_bytes.saturating_mul(m.rows),
            CopyToHostByLanes |m| m.bytes,
            CopyToSegment |m| m.width_bytes.saturating_mul(m.rows),
            CopyFromArray |m| m.width_bytes.saturating_mul(m.rows),
            MemsetD8Async |m| m.n,
            MemsetD16Async |m| m.n.saturating_mul(2),
            MemsetD32Async |m| m.n.saturating_mul(4),
            MemsetD2D8Async |m| m.width.saturating_mul(m.height),
            MemsetD2D16Async |m| m.width.saturating_mul(m.height).saturating_mul(2),
            MemsetD2D32Async |m| m.width.saturating_mul(m.height).saturating_mul(4),
        },
    }
}

/// Whether the device will come to a function in the program by it.
pub fn calls_back(op: u16, body: &[u8]) -> bool {
    match op {
        HostCallback::OP => true,
        GraphLaunch::OP => read(body).is_some_and(|m: GraphLaunch| m.calls_back),
        _ => false,
    }
}

/// The stream of a command that takes a place in it.
pub fn stands_in(op: u16, body: &[u8]) -> Option<u64> {
    match op {
        HostCallback::OP => Some(read::<HostCallback>(body)?.stream),
        EventRecord::OP => Some(read::<EventRecord>(body)?.stream),
        StreamWaitEvent::OP => Some(read::<StreamWaitEvent>(body)?.stream),
        _ => accesses_in(op, body),
    }
}

/// The stream of a command that reads or writes the device's memory in stream order.
pub fn accesses_in(op: u16, body: &[u8]) -> Option<u64> {
    match op {
        StreamWriteValue32::OP => Some(read::<StreamWriteValue32>(body)?.stream),
        StreamWriteValue64::OP => Some(read::<StreamWriteValue64>(body)?.stream),
        StreamBatchMemOp::OP => Some(read::<StreamBatchMemOp<'_>>(body)?.stream),
        CopyBetweenDevices::OP => Some(read::<CopyBetweenDevices>(body)?.stream),
        _ if engine(op).is_some() => Some(work(op, body)?.stream),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_memory_or_a_graph_has_it_in_place() {
        for op in [LaunchKernel::OP, CopyToHost::OP, StreamWriteValue32::OP, StreamBatchMemOp::OP, MirrorLook::OP, TextureCreate::OP] {
            assert!(needs_memory(op), "{}", op_name(op));
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
            assert!(needs_memory(op), "{}", op_name(op));
        }
        for op in [PhysicalCreate::OP, ArrayCreate::OP, ShmGet::OP] {
            assert!(needs_memory(op), "{}: whoever has the turn would keep it from being made", op_name(op));
        }
        for op in [MemoryMap::OP, MemoryUnmap::OP, StreamSynchronize::OP, EventRecord::OP, StreamQuery::OP, ModuleLoad::OP, NvmlAsk::OP] {
            assert!(!needs_memory(op), "{} would wait for a turn", op_name(op));
        }
    }
}

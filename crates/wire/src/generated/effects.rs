// Written by `cargo xtask codegen` from spec/cuda; change that.

//! The effect of each op, and what its message says about it.

use crate::codec::{Field, Message, Reader};
use crate::effect::{Amount, Effect, Engine, hash};
use crate::messages::*;

/// Returns the effect of an op. An op that a client does not send has none.
pub const fn effect(op: u16) -> Effect {
    match op {
        ContextDestroy::OP => Effect { drains: true, ..Effect::NOTHING },
        ContextSynchronize::OP => Effect { waits: true, ..Effect::NOTHING },
        ContextSetLimit::OP => Effect { drains: true, ..Effect::NOTHING },
        GreenContextCreate::OP => Effect { drains: true, ..Effect::NOTHING },
        MemoryMap::OP => Effect { waits: true, ..Effect::NOTHING },
        PhysicalCreate::OP => Effect { makes_fixed: true, ..Effect::NOTHING },
        ShmGet::OP => Effect { makes_fixed: true, ..Effect::NOTHING },
        CopyBetweenDevices::OP => Effect {
            engine: Some(Engine::Compute),
            queued: true,
            accesses: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        EventMark::OP => Effect { waits: true, ..Effect::NOTHING },
        GateWait::OP => Effect { queued: true, stalls: true, ..Effect::NOTHING },
        LinkSend::OP => Effect { names_memory: true, ..Effect::NOTHING },
        LinkReceive::OP => Effect { names_memory: true, ..Effect::NOTHING },
        CopyToDevice::OP => Effect {
            engine: Some(Engine::CopyToDevice),
            queued: true,
            accesses: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        CopyToHost::OP => Effect {
            engine: Some(Engine::CopyToHost),
            queued: true,
            accesses: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        CopyOnDevice::OP => Effect {
            engine: Some(Engine::Compute),
            queued: true,
            accesses: true,
            captured: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        CopyToDeviceByLanes::OP => Effect {
            engine: Some(Engine::CopyToDevice),
            queued: true,
            accesses: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        CopyToHostByLanes::OP => Effect {
            engine: Some(Engine::CopyToHost),
            queued: true,
            accesses: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        CopyFromSegment::OP => Effect {
            engine: Some(Engine::CopyToDevice),
            queued: true,
            accesses: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        CopyToSegment::OP => Effect {
            engine: Some(Engine::CopyToHost),
            queued: true,
            accesses: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        ModuleLoad::OP => Effect { waits: true, drains: true, ..Effect::NOTHING },
        ModuleUnload::OP => Effect { drains: true, ..Effect::NOTHING },
        LibraryGetModule::OP => Effect { drains: true, ..Effect::NOTHING },
        KernelGetFunction::OP => Effect { drains: true, ..Effect::NOTHING },
        Link::OP => Effect { waits: true, ..Effect::NOTHING },
        LaunchKernel::OP => Effect {
            engine: Some(Engine::Compute),
            launches: true,
            queued: true,
            accesses: true,
            captured: true,
            ..Effect::NOTHING
        },
        HostCallback::OP => {
            Effect { queued: true, stalls: true, captured: true, ..Effect::NOTHING }
        }
        StreamCreate::OP => Effect { drains: true, ..Effect::NOTHING },
        StreamSynchronize::OP => Effect { waits: true, ..Effect::NOTHING },
        EventRecord::OP => Effect { queued: true, captured: true, ..Effect::NOTHING },
        StreamWaitEvent::OP => {
            Effect { queued: true, stalls: true, joins: true, ..Effect::NOTHING }
        }
        EventSynchronize::OP => Effect { waits: true, ..Effect::NOTHING },
        EventSynchronizeTimed::OP => Effect { waits: true, ..Effect::NOTHING },
        ArrayCreate::OP => Effect { makes_fixed: true, ..Effect::NOTHING },
        ArrayDestroy::OP => Effect { waits: true, drains: true, ..Effect::NOTHING },
        CopyToArray::OP => Effect {
            engine: Some(Engine::CopyToDevice),
            queued: true,
            accesses: true,
            ..Effect::NOTHING
        },
        CopyFromArray::OP => Effect {
            engine: Some(Engine::CopyToHost),
            queued: true,
            accesses: true,
            ..Effect::NOTHING
        },
        CopyArray::OP => Effect {
            engine: Some(Engine::Compute),
            queued: true,
            accesses: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        TextureCreate::OP => Effect { names_memory: true, ..Effect::NOTHING },
        ManagedOpen::OP => Effect { drains: true, names_memory: true, ..Effect::NOTHING },
        ManagedClose::OP => Effect { drains: true, ..Effect::NOTHING },
        ManagedWrite::OP => Effect { waits: true, names_memory: true, ..Effect::NOTHING },
        ManagedChanges::OP => Effect { waits: true, names_memory: true, ..Effect::NOTHING },
        WaitForChanges::OP => Effect { waits: true, ..Effect::NOTHING },
        ReplicaAwait::OP => Effect { waits: true, ..Effect::NOTHING },
        TensorMapReplaceAddress::OP => Effect { names_memory: true, ..Effect::NOTHING },
        Barrier::OP => Effect { waits: true, ..Effect::NOTHING },
        GraphCreate::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphClone::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphDestroy::OP => Effect { drains: true, names_graph: true, ..Effect::NOTHING },
        GraphInstantiate::OP => {
            Effect { waits: true, drains: true, names_graph: true, ..Effect::NOTHING }
        }
        GraphExecUpdate::OP => Effect { drains: true, names_graph: true, ..Effect::NOTHING },
        GraphExecDestroy::OP => Effect { drains: true, names_graph: true, ..Effect::NOTHING },
        GraphList::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphDepend::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphAddNode::OP => Effect { drains: true, names_graph: true, ..Effect::NOTHING },
        GraphCondition::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphSetNode::OP => Effect { drains: true, names_graph: true, ..Effect::NOTHING },
        GraphDestroyNode::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphNodeParams::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphSetNodeAttribute::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphNodeAttribute::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphFindInClone::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphAddCopy::OP => {
            Effect { drains: true, names_memory: true, names_graph: true, ..Effect::NOTHING }
        }
        GraphSetCopy::OP => {
            Effect { drains: true, names_memory: true, names_graph: true, ..Effect::NOTHING }
        }
        GraphChild::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphNodeType::OP => Effect { names_graph: true, ..Effect::NOTHING },
        CaptureCopy::OP => Effect { captured: true, names_memory: true, ..Effect::NOTHING },
        GraphLaunch::OP => Effect {
            engine: Some(Engine::Compute),
            launches: true,
            queued: true,
            accesses: true,
            joins: true,
            names_graph: true,
            ..Effect::NOTHING
        },
        GraphKernelNode::OP => Effect { names_graph: true, ..Effect::NOTHING },
        StreamBatchMemOp::OP => Effect {
            queued: true,
            accesses: true,
            stalls: true,
            watches: true,
            joins: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        StreamWaitValue32::OP => Effect {
            queued: true,
            accesses: true,
            stalls: true,
            watches: true,
            joins: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        StreamWaitValue64::OP => Effect {
            queued: true,
            accesses: true,
            stalls: true,
            watches: true,
            joins: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        StreamWriteValue32::OP => {
            Effect { queued: true, accesses: true, names_memory: true, ..Effect::NOTHING }
        }
        StreamWriteValue64::OP => {
            Effect { queued: true, accesses: true, names_memory: true, ..Effect::NOTHING }
        }
        MemsetD16Async::OP => Effect {
            engine: Some(Engine::Compute),
            queued: true,
            accesses: true,
            captured: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        MemsetD2D16Async::OP => Effect {
            engine: Some(Engine::Compute),
            queued: true,
            accesses: true,
            captured: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        MemsetD2D32Async::OP => Effect {
            engine: Some(Engine::Compute),
            queued: true,
            accesses: true,
            captured: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        MemsetD2D8Async::OP => Effect {
            engine: Some(Engine::Compute),
            queued: true,
            accesses: true,
            captured: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        MemsetD32Async::OP => Effect {
            engine: Some(Engine::Compute),
            queued: true,
            accesses: true,
            captured: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        MemsetD8Async::OP => Effect {
            engine: Some(Engine::Compute),
            queued: true,
            accesses: true,
            captured: true,
            names_memory: true,
            ..Effect::NOTHING
        },
        GraphExecGetFlags::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphKernelNodeCopyAttributes::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphNodeGetEnabled::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphNodeSetEnabled::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphReleaseUserObject::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphRetainUserObject::OP => Effect { names_graph: true, ..Effect::NOTHING },
        GraphUpload::OP => Effect {
            engine: Some(Engine::CopyToDevice),
            queued: true,
            accesses: true,
            drains: true,
            names_graph: true,
            ..Effect::NOTHING
        },
        TensorMapEncodeIm2col::OP => Effect { names_memory: true, ..Effect::NOTHING },
        TensorMapEncodeIm2colWide::OP => Effect { names_memory: true, ..Effect::NOTHING },
        TensorMapEncodeTiled::OP => Effect { names_memory: true, ..Effect::NOTHING },
        TexRefSetAddress::OP => Effect { names_memory: true, ..Effect::NOTHING },
        TexRefSetAddress2D::OP => Effect { names_memory: true, ..Effect::NOTHING },
        _ => Effect::NOTHING,
    }
}

fn read<'a, M: Field<'a>>(body: &'a [u8]) -> Option<M> {
    M::take(&mut Reader::new(body)).ok()
}

/// Returns the client's handle of the stream that a command goes to, 0 for the legacy stream.
pub fn stream(op: u16, body: &[u8]) -> Option<u64> {
    match op {
        CopyBetweenDevices::OP => read::<CopyBetweenDevices>(body).map(|m| m.stream),
        GateWait::OP => read::<GateWait>(body).map(|m| m.stream),
        CopyToDevice::OP => read::<CopyToDevice>(body).map(|m| m.stream),
        CopyToHost::OP => read::<CopyToHost>(body).map(|m| m.stream),
        CopyOnDevice::OP => read::<CopyOnDevice>(body).map(|m| m.stream),
        CopyToDeviceByLanes::OP => read::<CopyToDeviceByLanes>(body).map(|m| m.stream),
        CopyToHostByLanes::OP => read::<CopyToHostByLanes>(body).map(|m| m.stream),
        CopyFromSegment::OP => read::<CopyFromSegment>(body).map(|m| m.stream),
        CopyToSegment::OP => read::<CopyToSegment>(body).map(|m| m.stream),
        LaunchKernel::OP => read::<LaunchKernel>(body).map(|m| m.stream),
        HostCallback::OP => read::<HostCallback>(body).map(|m| m.stream),
        EventRecord::OP => read::<EventRecord>(body).map(|m| m.stream),
        StreamWaitEvent::OP => read::<StreamWaitEvent>(body).map(|m| m.stream),
        CopyToArray::OP => read::<CopyToArray>(body).map(|m| m.stream),
        CopyFromArray::OP => read::<CopyFromArray>(body).map(|m| m.stream),
        CopyArray::OP => read::<CopyArray>(body).map(|m| m.stream),
        GraphLaunch::OP => read::<GraphLaunch>(body).map(|m| m.stream),
        StreamBatchMemOp::OP => read::<StreamBatchMemOp>(body).map(|m| m.stream),
        StreamWaitValue32::OP => read::<StreamWaitValue32>(body).map(|m| m.stream),
        StreamWaitValue64::OP => read::<StreamWaitValue64>(body).map(|m| m.stream),
        StreamWriteValue32::OP => read::<StreamWriteValue32>(body).map(|m| m.stream),
        StreamWriteValue64::OP => read::<StreamWriteValue64>(body).map(|m| m.stream),
        MemsetD16Async::OP => read::<MemsetD16Async>(body).map(|m| m.stream),
        MemsetD2D16Async::OP => read::<MemsetD2D16Async>(body).map(|m| m.stream),
        MemsetD2D32Async::OP => read::<MemsetD2D32Async>(body).map(|m| m.stream),
        MemsetD2D8Async::OP => read::<MemsetD2D8Async>(body).map(|m| m.stream),
        MemsetD32Async::OP => read::<MemsetD32Async>(body).map(|m| m.stream),
        MemsetD8Async::OP => read::<MemsetD8Async>(body).map(|m| m.stream),
        GraphUpload::OP => read::<GraphUpload>(body).map(|m| m.stream),
        _ => None,
    }
}

/// Returns the amount of a command's work. Returns None if the command is not work,
/// or is malformed, which the worker reports when it executes the command.
pub fn amount(op: u16, body: &[u8]) -> Option<Amount> {
    match op {
        CopyBetweenDevices::OP => read::<CopyBetweenDevices>(body)
            .map(|m| Amount::Bytes(m.width_bytes.saturating_mul(m.rows))),
        CopyToDevice::OP => {
            read::<CopyToDevice>(body).map(|m| Amount::Bytes(m.width_bytes.saturating_mul(m.rows)))
        }
        CopyToHost::OP => {
            read::<CopyToHost>(body).map(|m| Amount::Bytes(m.width_bytes.saturating_mul(m.rows)))
        }
        CopyOnDevice::OP => {
            read::<CopyOnDevice>(body).map(|m| Amount::Bytes(m.width_bytes.saturating_mul(m.rows)))
        }
        CopyToDeviceByLanes::OP => {
            read::<CopyToDeviceByLanes>(body).map(|m| Amount::Bytes(m.bytes))
        }
        CopyToHostByLanes::OP => read::<CopyToHostByLanes>(body).map(|m| Amount::Bytes(m.bytes)),
        CopyFromSegment::OP => read::<CopyFromSegment>(body)
            .map(|m| Amount::Bytes(m.width_bytes.saturating_mul(m.rows))),
        CopyToSegment::OP => {
            read::<CopyToSegment>(body).map(|m| Amount::Bytes(m.width_bytes.saturating_mul(m.rows)))
        }
        LaunchKernel::OP => read::<LaunchKernel>(body).map(|m| {
            let mut key = Vec::new();
            m.function.put(&mut key);
            m.grid.put(&mut key);
            m.block.put(&mut key);
            Amount::Like(hash(&key))
        }),
        CopyToArray::OP => {
            read::<CopyToArray>(body).map(|m| Amount::Bytes(m.width_bytes.saturating_mul(m.rows)))
        }
        CopyFromArray::OP => {
            read::<CopyFromArray>(body).map(|m| Amount::Bytes(m.width_bytes.saturating_mul(m.rows)))
        }
        CopyArray::OP => read::<CopyArray>(body)
            .map(|m| Amount::Bytes(m.width_bytes.saturating_mul(m.rows).saturating_mul(m.slices))),
        GraphLaunch::OP => read::<GraphLaunch>(body).map(|m| {
            let mut key = Vec::new();
            m.exec.put(&mut key);
            Amount::Like(hash(&key))
        }),
        MemsetD16Async::OP => {
            read::<MemsetD16Async>(body).map(|m| Amount::Bytes(m.n.saturating_mul(2)))
        }
        MemsetD2D16Async::OP => read::<MemsetD2D16Async>(body)
            .map(|m| Amount::Bytes(m.width.saturating_mul(m.height).saturating_mul(2))),
        MemsetD2D32Async::OP => read::<MemsetD2D32Async>(body)
            .map(|m| Amount::Bytes(m.width.saturating_mul(m.height).saturating_mul(4))),
        MemsetD2D8Async::OP => {
            read::<MemsetD2D8Async>(body).map(|m| Amount::Bytes(m.width.saturating_mul(m.height)))
        }
        MemsetD32Async::OP => {
            read::<MemsetD32Async>(body).map(|m| Amount::Bytes(m.n.saturating_mul(4)))
        }
        MemsetD8Async::OP => read::<MemsetD8Async>(body).map(|m| Amount::Bytes(m.n)),
        GraphUpload::OP => read::<GraphUpload>(body).map(|m| {
            let mut key = Vec::new();
            m.h_graph.put(&mut key);
            Amount::Like(hash(&key))
        }),
        _ => None,
    }
}

/// Returns the client's handles of other contexts of whose devices a command uses memory.
pub fn contexts(op: u16, body: &[u8]) -> Option<Vec<u64>> {
    match op {
        CopyBetweenDevices::OP => {
            read::<CopyBetweenDevices>(body).map(|m| vec![m.to_context, m.from_context])
        }
        _ => None,
    }
}

/// Returns whether the command makes the device call a function of the program.
pub fn calls_back(op: u16, body: &[u8]) -> bool {
    match op {
        HostCallback::OP => true,
        GraphLaunch::OP => read::<GraphLaunch>(body).is_some_and(|m| m.calls_back),
        _ => false,
    }
}

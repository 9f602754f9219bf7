// Written by `cargo xtask codegen` from spec/cuda; change that.

use crate::worker::io::frame::{Incoming, Refusal, decode};
use crate::worker::io::marshal;
use crate::worker::state::Worker;
use outhaul_abi::types::*;
use outhaul_wire::codec::Message;
use outhaul_wire::messages::*;

/// Executes one frame. A message with hand-written code goes to the method of its name. The code
/// answers a call through its ticket, at once or from another thread. The worker reports an error
/// of the driver to the client; this function fails only if the client violates the protocol.
pub fn dispatch(worker: &mut Worker, incoming: &mut Incoming) -> Result<(), String> {
    let result = match incoming.op() {
        ContextCreate::OP => {
            decode::<ContextCreate>(&incoming.take_body()).and_then(|m| worker.context_create(&m))
        }
        ContextDestroy::OP => {
            decode::<ContextDestroy>(&incoming.take_body()).and_then(|m| worker.context_destroy(&m))
        }
        ContextSynchronize::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ContextSynchronize>(&incoming.take_body())
                .and_then(|m| worker.context_synchronize(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ContextGetLimit::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ContextGetLimit>(&incoming.take_body())
                .and_then(|m| worker.context_get_limit(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ContextSetLimit::OP => decode::<ContextSetLimit>(&incoming.take_body())
            .and_then(|m| worker.context_set_limit(&m)),
        ContextRecordEvent::OP => decode::<ContextRecordEvent>(&incoming.take_body())
            .and_then(|m| worker.context_record_event(&m)),
        ContextWaitEvent::OP => decode::<ContextWaitEvent>(&incoming.take_body())
            .and_then(|m| worker.context_wait_event(&m)),
        ResourceGet::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ResourceGet>(&incoming.take_body())
                .and_then(|m| worker.resource_get(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ResourceSplit::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ResourceSplit>(&incoming.take_body())
                .and_then(|m| worker.resource_split(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ResourceDescribe::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ResourceDescribe>(&incoming.take_body())
                .and_then(|m| worker.resource_describe(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GreenContextCreate::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GreenContextCreate>(&incoming.take_body())
                .and_then(|m| worker.green_context_create(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        MemoryMap::OP => {
            decode::<MemoryMap>(&incoming.take_body()).and_then(|m| worker.memory_map(&m))
        }
        MemoryUnmap::OP => {
            decode::<MemoryUnmap>(&incoming.take_body()).and_then(|m| worker.memory_unmap(&m))
        }
        LowReserve::OP => {
            let ticket = worker.ticket(incoming);
            decode::<LowReserve>(&incoming.take_body())
                .and_then(|m| worker.low_reserve(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GrantGrow::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GrantGrow>(&incoming.take_body())
                .and_then(|m| worker.grant_grow(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        MemoryRange::OP => {
            let ticket = worker.ticket(incoming);
            decode::<MemoryRange>(&incoming.take_body())
                .and_then(|m| worker.memory_range(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        MemGetInfo::OP => {
            let ticket = worker.ticket(incoming);
            decode::<MemGetInfo>(&incoming.take_body())
                .and_then(|m| worker.mem_get_info(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        PhysicalCreate::OP => {
            decode::<PhysicalCreate>(&incoming.take_body()).and_then(|m| worker.physical_create(&m))
        }
        PhysicalRelease::OP => decode::<PhysicalRelease>(&incoming.take_body())
            .and_then(|m| worker.physical_release(&m)),
        VirtualMap::OP => {
            decode::<VirtualMap>(&incoming.take_body()).and_then(|m| worker.virtual_map(&m))
        }
        VirtualUnmap::OP => {
            decode::<VirtualUnmap>(&incoming.take_body()).and_then(|m| worker.virtual_unmap(&m))
        }
        VirtualSetAccess::OP => decode::<VirtualSetAccess>(&incoming.take_body())
            .and_then(|m| worker.virtual_set_access(&m)),
        MemoryShare::OP => {
            let ticket = worker.ticket(incoming);
            decode::<MemoryShare>(&incoming.take_body())
                .and_then(|m| worker.memory_share(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        MemoryAdopt::OP => {
            let ticket = worker.ticket(incoming);
            decode::<MemoryAdopt>(&incoming.take_body())
                .and_then(|m| worker.memory_adopt(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ShmGet::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ShmGet>(&incoming.take_body())
                .and_then(|m| worker.shm_get(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ShmAttach::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ShmAttach>(&incoming.take_body())
                .and_then(|m| worker.shm_attach(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ShmStat::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ShmStat>(&incoming.take_body())
                .and_then(|m| worker.shm_stat(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ShmSetRights::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ShmSetRights>(&incoming.take_body())
                .and_then(|m| worker.shm_set_rights(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ShmRemove::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ShmRemove>(&incoming.take_body())
                .and_then(|m| worker.shm_remove(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        EventShare::OP => {
            let ticket = worker.ticket(incoming);
            decode::<EventShare>(&incoming.take_body())
                .and_then(|m| worker.event_share(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        EventAdopt::OP => {
            let ticket = worker.ticket(incoming);
            decode::<EventAdopt>(&incoming.take_body())
                .and_then(|m| worker.event_adopt(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        PeerAccess::OP => {
            let ticket = worker.ticket(incoming);
            decode::<PeerAccess>(&incoming.take_body())
                .and_then(|m| worker.peer_access(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        PeerOpen::OP => {
            decode::<PeerOpen>(&incoming.take_body()).and_then(|m| worker.peer_open(&m))
        }
        CopyBetweenDevices::OP => decode::<CopyBetweenDevices>(&incoming.take_body())
            .and_then(|m| worker.copy_between_devices(&m)),
        PeerAttribute::OP => {
            let ticket = worker.ticket(incoming);
            decode::<PeerAttribute>(&incoming.take_body())
                .and_then(|m| worker.peer_attribute(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        PeerAtomics::OP => {
            let ticket = worker.ticket(incoming);
            decode::<PeerAtomics>(&incoming.take_body())
                .and_then(|m| worker.peer_atomics(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        EventMark::OP => {
            let ticket = worker.ticket(incoming);
            decode::<EventMark>(&incoming.take_body())
                .and_then(|m| worker.event_mark(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GateWait::OP => {
            decode::<GateWait>(&incoming.take_body()).and_then(|m| worker.gate_wait(&m))
        }
        StreamGoesFirst::OP => decode::<StreamGoesFirst>(&incoming.take_body())
            .and_then(|m| worker.stream_goes_first(&m)),
        CopyToDevice::OP => decode::<CopyToDevice>(&incoming.take_body())
            .and_then(|m| worker.copy_to_device(&m, incoming)),
        CopyToHost::OP => {
            decode::<CopyToHost>(&incoming.take_body()).and_then(|m| worker.copy_to_host(&m))
        }
        CopyOnDevice::OP => {
            decode::<CopyOnDevice>(&incoming.take_body()).and_then(|m| worker.copy_on_device(&m))
        }
        CopyToDeviceByLanes::OP => decode::<CopyToDeviceByLanes>(&incoming.take_body())
            .and_then(|m| worker.copy_to_device_by_lanes(&m)),
        CopyToHostByLanes::OP => decode::<CopyToHostByLanes>(&incoming.take_body())
            .and_then(|m| worker.copy_to_host_by_lanes(&m)),
        HostSegmentOpen::OP => {
            let ticket = worker.ticket(incoming);
            decode::<HostSegmentOpen>(&incoming.take_body())
                .and_then(|m| worker.host_segment_open(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        HostSegmentClose::OP => decode::<HostSegmentClose>(&incoming.take_body())
            .and_then(|m| worker.host_segment_close(&m)),
        CopyFromSegment::OP => decode::<CopyFromSegment>(&incoming.take_body())
            .and_then(|m| worker.copy_from_segment(&m)),
        CopyToSegment::OP => {
            decode::<CopyToSegment>(&incoming.take_body()).and_then(|m| worker.copy_to_segment(&m))
        }
        CodePut::OP => {
            decode::<CodePut>(&incoming.take_body()).and_then(|m| worker.code_put(&m, incoming))
        }
        ModuleLoad::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ModuleLoad>(&incoming.take_body())
                .and_then(|m| worker.module_load(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ModuleUnload::OP => {
            decode::<ModuleUnload>(&incoming.take_body()).and_then(|m| worker.module_unload(&m))
        }
        LibraryGetModule::OP => decode::<LibraryGetModule>(&incoming.take_body())
            .and_then(|m| worker.library_get_module(&m)),
        GetFunction::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GetFunction>(&incoming.take_body())
                .and_then(|m| worker.get_function(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        NameFunction::OP => {
            decode::<NameFunction>(&incoming.take_body()).and_then(|m| worker.name_function(&m))
        }
        KernelGetFunction::OP => decode::<KernelGetFunction>(&incoming.take_body())
            .and_then(|m| worker.kernel_get_function(&m)),
        GetGlobal::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GetGlobal>(&incoming.take_body())
                .and_then(|m| worker.get_global(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ListFunctions::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ListFunctions>(&incoming.take_body())
                .and_then(|m| worker.list_functions(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        FunctionSetAttribute::OP => decode::<FunctionSetAttribute>(&incoming.take_body())
            .and_then(|m| worker.function_set_attribute(&m)),
        FunctionSetCacheConfig::OP => decode::<FunctionSetCacheConfig>(&incoming.take_body())
            .and_then(|m| worker.function_set_cache_config(&m)),
        DescribeFunction::OP => {
            let ticket = worker.ticket(incoming);
            decode::<DescribeFunction>(&incoming.take_body())
                .and_then(|m| worker.describe_function(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        Link::OP => {
            let ticket = worker.ticket(incoming);
            decode::<Link>(&incoming.take_body())
                .and_then(|m| worker.link(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        LaunchKernel::OP => {
            decode::<LaunchKernel>(&incoming.take_body()).and_then(|m| worker.launch_kernel(&m))
        }
        OccupancyClusters::OP => {
            let ticket = worker.ticket(incoming);
            decode::<OccupancyClusters>(&incoming.take_body())
                .and_then(|m| worker.occupancy_clusters(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        HostCallback::OP => {
            decode::<HostCallback>(&incoming.take_body()).and_then(|m| worker.host_callback(&m))
        }
        StreamCreate::OP => {
            decode::<StreamCreate>(&incoming.take_body()).and_then(|m| worker.stream_create(&m))
        }
        StreamDestroy::OP => {
            decode::<StreamDestroy>(&incoming.take_body()).and_then(|m| worker.stream_destroy(&m))
        }
        StreamSynchronize::OP => {
            let ticket = worker.ticket(incoming);
            decode::<StreamSynchronize>(&incoming.take_body())
                .and_then(|m| worker.stream_synchronize(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        StreamQuery::OP => {
            let ticket = worker.ticket(incoming);
            decode::<StreamQuery>(&incoming.take_body())
                .and_then(|m| worker.stream_query(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        EventCreate::OP => {
            decode::<EventCreate>(&incoming.take_body()).and_then(|m| worker.event_create(&m))
        }
        EventDestroy::OP => {
            decode::<EventDestroy>(&incoming.take_body()).and_then(|m| worker.event_destroy(&m))
        }
        EventRecord::OP => {
            decode::<EventRecord>(&incoming.take_body()).and_then(|m| worker.event_record(&m))
        }
        StreamWaitEvent::OP => decode::<StreamWaitEvent>(&incoming.take_body())
            .and_then(|m| worker.stream_wait_event(&m)),
        EventSynchronize::OP => {
            let ticket = worker.ticket(incoming);
            decode::<EventSynchronize>(&incoming.take_body())
                .and_then(|m| worker.event_synchronize(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        EventQuery::OP => {
            let ticket = worker.ticket(incoming);
            decode::<EventQuery>(&incoming.take_body())
                .and_then(|m| worker.event_query(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        EventSynchronizeTimed::OP => {
            let ticket = worker.ticket(incoming);
            decode::<EventSynchronizeTimed>(&incoming.take_body())
                .and_then(|m| worker.event_synchronize_timed(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        EventElapsed::OP => {
            let ticket = worker.ticket(incoming);
            decode::<EventElapsed>(&incoming.take_body())
                .and_then(|m| worker.event_elapsed(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ArrayCreate::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ArrayCreate>(&incoming.take_body())
                .and_then(|m| worker.array_create(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ArrayDestroy::OP => {
            decode::<ArrayDestroy>(&incoming.take_body()).and_then(|m| worker.array_destroy(&m))
        }
        MipmappedArrayGetLevel::OP => decode::<MipmappedArrayGetLevel>(&incoming.take_body())
            .and_then(|m| worker.mipmapped_array_get_level(&m)),
        CopyToArray::OP => decode::<CopyToArray>(&incoming.take_body())
            .and_then(|m| worker.copy_to_array(&m, incoming)),
        CopyFromArray::OP => {
            decode::<CopyFromArray>(&incoming.take_body()).and_then(|m| worker.copy_from_array(&m))
        }
        CopyArray::OP => {
            decode::<CopyArray>(&incoming.take_body()).and_then(|m| worker.copy_array(&m))
        }
        TextureCreate::OP => {
            let ticket = worker.ticket(incoming);
            decode::<TextureCreate>(&incoming.take_body())
                .and_then(|m| worker.texture_create(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        TextureDestroy::OP => {
            decode::<TextureDestroy>(&incoming.take_body()).and_then(|m| worker.texture_destroy(&m))
        }
        SurfaceCreate::OP => {
            let ticket = worker.ticket(incoming);
            decode::<SurfaceCreate>(&incoming.take_body())
                .and_then(|m| worker.surface_create(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        SurfaceDestroy::OP => {
            decode::<SurfaceDestroy>(&incoming.take_body()).and_then(|m| worker.surface_destroy(&m))
        }
        ReferenceFind::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ReferenceFind>(&incoming.take_body())
                .and_then(|m| worker.reference_find(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        TextureReferenceCreate::OP => {
            let ticket = worker.ticket(incoming);
            decode::<TextureReferenceCreate>(&incoming.take_body())
                .and_then(|m| worker.texture_reference_create(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        TextureReferenceDestroy::OP => decode::<TextureReferenceDestroy>(&incoming.take_body())
            .and_then(|m| worker.texture_reference_destroy(&m)),
        ReferenceArray::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ReferenceArray>(&incoming.take_body())
                .and_then(|m| worker.reference_array(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ManagedOpen::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ManagedOpen>(&incoming.take_body())
                .and_then(|m| worker.managed_open(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ManagedClose::OP => {
            decode::<ManagedClose>(&incoming.take_body()).and_then(|m| worker.managed_close(&m))
        }
        ManagedWrite::OP => decode::<ManagedWrite>(&incoming.take_body())
            .and_then(|m| worker.managed_write(&m, incoming)),
        ManagedChanges::OP => {
            let ticket = worker.ticket(incoming);
            decode::<ManagedChanges>(&incoming.take_body())
                .and_then(|m| worker.managed_changes(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        WaitForChanges::OP => {
            let ticket = worker.ticket(incoming);
            decode::<WaitForChanges>(&incoming.take_body())
                .and_then(|m| worker.wait_for_changes(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        ReplicaAwait::OP => {
            decode::<ReplicaAwait>(&incoming.take_body()).and_then(|m| worker.replica_await(&m))
        }
        GetManaged::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GetManaged>(&incoming.take_body())
                .and_then(|m| worker.get_managed(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        TensorMapReplaceAddress::OP => {
            let ticket = worker.ticket(incoming);
            decode::<TensorMapReplaceAddress>(&incoming.take_body())
                .and_then(|m| worker.tensor_map_replace_address(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        Barrier::OP => {
            let ticket = worker.ticket(incoming);
            decode::<Barrier>(&incoming.take_body())
                .and_then(|m| worker.barrier(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        CaptureBegin::OP => {
            let ticket = worker.ticket(incoming);
            decode::<CaptureBegin>(&incoming.take_body())
                .and_then(|m| worker.capture_begin(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        CaptureEnd::OP => {
            let ticket = worker.ticket(incoming);
            decode::<CaptureEnd>(&incoming.take_body())
                .and_then(|m| worker.capture_end(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        CaptureInfo::OP => {
            let ticket = worker.ticket(incoming);
            decode::<CaptureInfo>(&incoming.take_body())
                .and_then(|m| worker.capture_info(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        CaptureDepend::OP => {
            let ticket = worker.ticket(incoming);
            decode::<CaptureDepend>(&incoming.take_body())
                .and_then(|m| worker.capture_depend(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphCreate::OP => {
            decode::<GraphCreate>(&incoming.take_body()).and_then(|m| worker.graph_create(&m))
        }
        GraphClone::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphClone>(&incoming.take_body())
                .and_then(|m| worker.graph_clone(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphDestroy::OP => {
            decode::<GraphDestroy>(&incoming.take_body()).and_then(|m| worker.graph_destroy(&m))
        }
        GraphInstantiate::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphInstantiate>(&incoming.take_body())
                .and_then(|m| worker.graph_instantiate(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphExecUpdate::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphExecUpdate>(&incoming.take_body())
                .and_then(|m| worker.graph_exec_update(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphExecDestroy::OP => decode::<GraphExecDestroy>(&incoming.take_body())
            .and_then(|m| worker.graph_exec_destroy(&m)),
        GraphList::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphList>(&incoming.take_body())
                .and_then(|m| worker.graph_list(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphDepend::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphDepend>(&incoming.take_body())
                .and_then(|m| worker.graph_depend(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphAddNode::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphAddNode>(&incoming.take_body())
                .and_then(|m| worker.graph_add_node(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphCondition::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphCondition>(&incoming.take_body())
                .and_then(|m| worker.graph_condition(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphSetNode::OP => {
            decode::<GraphSetNode>(&incoming.take_body()).and_then(|m| worker.graph_set_node(&m))
        }
        GraphDestroyNode::OP => decode::<GraphDestroyNode>(&incoming.take_body())
            .and_then(|m| worker.graph_destroy_node(&m)),
        GraphNodeParams::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphNodeParams>(&incoming.take_body())
                .and_then(|m| worker.graph_node_params(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphSetNodeAttribute::OP => decode::<GraphSetNodeAttribute>(&incoming.take_body())
            .and_then(|m| worker.graph_set_node_attribute(&m)),
        GraphNodeAttribute::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphNodeAttribute>(&incoming.take_body())
                .and_then(|m| worker.graph_node_attribute(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphFindInClone::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphFindInClone>(&incoming.take_body())
                .and_then(|m| worker.graph_find_in_clone(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphAddCopy::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphAddCopy>(&incoming.take_body())
                .and_then(|m| worker.graph_add_copy(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphSetCopy::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphSetCopy>(&incoming.take_body())
                .and_then(|m| worker.graph_set_copy(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphChild::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphChild>(&incoming.take_body())
                .and_then(|m| worker.graph_child(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        GraphNodeType::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphNodeType>(&incoming.take_body())
                .and_then(|m| worker.graph_node_type(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        CaptureCopy::OP => {
            decode::<CaptureCopy>(&incoming.take_body()).and_then(|m| worker.capture_copy(&m))
        }
        UserObjectCreate::OP => decode::<UserObjectCreate>(&incoming.take_body())
            .and_then(|m| worker.user_object_create(&m)),
        GraphLaunch::OP => {
            decode::<GraphLaunch>(&incoming.take_body()).and_then(|m| worker.graph_launch(&m))
        }
        GraphKernelNode::OP => {
            let ticket = worker.ticket(incoming);
            decode::<GraphKernelNode>(&incoming.take_body())
                .and_then(|m| worker.graph_kernel_node(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        NvmlAsk::OP => {
            let ticket = worker.ticket(incoming);
            decode::<NvmlAsk>(&incoming.take_body())
                .and_then(|m| worker.nvml_ask(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        NvmlDriverVersion::OP => {
            let ticket = worker.ticket(incoming);
            decode::<NvmlDriverVersion>(&incoming.take_body())
                .and_then(|m| worker.nvml_driver_version(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        NvmlMemory::OP => {
            let ticket = worker.ticket(incoming);
            decode::<NvmlMemory>(&incoming.take_body())
                .and_then(|m| worker.nvml_memory(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        NvmlFields::OP => {
            let ticket = worker.ticket(incoming);
            decode::<NvmlFields>(&incoming.take_body())
                .and_then(|m| worker.nvml_fields(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        NvmlPciIds::OP => {
            let ticket = worker.ticket(incoming);
            decode::<NvmlPciIds>(&incoming.take_body())
                .and_then(|m| worker.nvml_pci_ids(&m, &ticket))
                .or_else(|e| ticket.refuse(e))
        }
        DeviceGetTexture1DLinearMaxWidth::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<DeviceGetTexture1DLinearMaxWidth>(&body)?;
                let mut max_width_in_elements: usize = marshal::zero();
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuDeviceGetTexture1DLinearMaxWidth(
                        &mut max_width_in_elements,
                        m.format,
                        m.num_channels,
                        m.dev,
                    )
                }
                .ok()?;
                ticket.answer(&DeviceGetTexture1DLinearMaxWidthReply {
                    max_width_in_elements: max_width_in_elements as u64,
                });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        CtxGetCacheConfig::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let _m = decode::<CtxGetCacheConfig>(&body)?;
                let mut pconfig: i32 = marshal::zero();
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuCtxGetCacheConfig(&mut pconfig) }.ok()?;
                ticket.answer(&CtxGetCacheConfigReply { pconfig });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        CtxGetStreamPriorityRange::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let _m = decode::<CtxGetStreamPriorityRange>(&body)?;
                let mut least_priority: i32 = marshal::zero();
                let mut greatest_priority: i32 = marshal::zero();
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker
                        .driver
                        .cuCtxGetStreamPriorityRange(&mut least_priority, &mut greatest_priority)
                }
                .ok()?;
                ticket
                    .answer(&CtxGetStreamPriorityRangeReply { least_priority, greatest_priority });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        CtxResetPersistingL2Cache::OP => (|| {
            let body = incoming.take_body();
            let _m = decode::<CtxResetPersistingL2Cache>(&body)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe { worker.driver.cuCtxResetPersistingL2Cache() }.ok()?;
            Ok(())
        })(),
        CtxSetCacheConfig::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<CtxSetCacheConfig>(&body)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe { worker.driver.cuCtxSetCacheConfig(m.config) }.ok()?;
            Ok(())
        })(),
        OccupancyAvailableDynamicSMemPerBlock::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<OccupancyAvailableDynamicSMemPerBlock>(&body)?;
                let mut dynamic_smem_size: usize = marshal::zero();
                let func = worker.objects.function(m.func)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuOccupancyAvailableDynamicSMemPerBlock(
                        &mut dynamic_smem_size,
                        func,
                        m.num_blocks,
                        m.block_size,
                    )
                }
                .ok()?;
                ticket.answer(&OccupancyAvailableDynamicSMemPerBlockReply {
                    dynamic_smem_size: dynamic_smem_size as u64,
                });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        OccupancyMaxActiveBlocksPerMultiprocessor::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<OccupancyMaxActiveBlocksPerMultiprocessor>(&body)?;
                let mut num_blocks: i32 = marshal::zero();
                let func = worker.objects.function(m.func)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                        &mut num_blocks,
                        func,
                        m.block_size,
                        m.dynamic_smem_size as usize,
                    )
                }
                .ok()?;
                ticket.answer(&OccupancyMaxActiveBlocksPerMultiprocessorReply { num_blocks });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        OccupancyMaxActiveBlocksPerMultiprocessorWithFlags::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<OccupancyMaxActiveBlocksPerMultiprocessorWithFlags>(&body)?;
                let mut num_blocks: i32 = marshal::zero();
                let func = worker.objects.function(m.func)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                        &mut num_blocks,
                        func,
                        m.block_size,
                        m.dynamic_smem_size as usize,
                        m.flags,
                    )
                }
                .ok()?;
                ticket.answer(&OccupancyMaxActiveBlocksPerMultiprocessorWithFlagsReply {
                    num_blocks,
                });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        StreamBatchMemOp::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<StreamBatchMemOp>(&body)?;
            let stream = worker.objects.stream(m.stream)?;
            let param_array =
                marshal::read_array::<CUstreamBatchMemOpParams>(m.param_array, (m.count) as usize)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe {
                worker.driver.cuStreamBatchMemOp_v2(stream, m.count, param_array.as_ptr(), m.flags)
            }
            .ok()?;
            Ok(())
        })(),
        StreamCopyAttributes::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<StreamCopyAttributes>(&body)?;
                let dst = worker.objects.stream(m.dst)?;
                let src = worker.objects.stream(m.src)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuStreamCopyAttributes(dst, src) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        StreamGetAttribute::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<StreamGetAttribute>(&body)?;
                let stream = worker.objects.stream(m.stream)?;
                let mut value_out: CUstreamAttrValue = marshal::zero();
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuStreamGetAttribute(stream, m.attr, &mut value_out) }
                    .ok()?;
                ticket.answer(&StreamGetAttributeReply { value_out: marshal::bytes(&value_out) });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        StreamSetAttribute::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<StreamSetAttribute>(&body)?;
                let stream = worker.objects.stream(m.stream)?;
                let value: CUstreamAttrValue = marshal::read(m.value)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuStreamSetAttribute(stream, m.attr, &value) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        StreamWaitValue32::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<StreamWaitValue32>(&body)?;
            let stream = worker.objects.stream(m.stream)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe { worker.driver.cuStreamWaitValue32_v2(stream, m.addr, m.value, m.flags) }
                .ok()?;
            Ok(())
        })(),
        StreamWaitValue64::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<StreamWaitValue64>(&body)?;
            let stream = worker.objects.stream(m.stream)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe { worker.driver.cuStreamWaitValue64_v2(stream, m.addr, m.value, m.flags) }
                .ok()?;
            Ok(())
        })(),
        StreamWriteValue32::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<StreamWriteValue32>(&body)?;
            let stream = worker.objects.stream(m.stream)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe { worker.driver.cuStreamWriteValue32_v2(stream, m.addr, m.value, m.flags) }
                .ok()?;
            Ok(())
        })(),
        StreamWriteValue64::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<StreamWriteValue64>(&body)?;
            let stream = worker.objects.stream(m.stream)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe { worker.driver.cuStreamWriteValue64_v2(stream, m.addr, m.value, m.flags) }
                .ok()?;
            Ok(())
        })(),
        MemsetD16Async::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<MemsetD16Async>(&body)?;
            let stream = worker.objects.stream(m.stream)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe { worker.driver.cuMemsetD16Async(m.dst_device, m.us, m.n as usize, stream) }
                .ok()?;
            Ok(())
        })(),
        MemsetD2D16Async::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<MemsetD2D16Async>(&body)?;
            let stream = worker.objects.stream(m.stream)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe {
                worker.driver.cuMemsetD2D16Async(
                    m.dst_device,
                    m.dst_pitch as usize,
                    m.us,
                    m.width as usize,
                    m.height as usize,
                    stream,
                )
            }
            .ok()?;
            Ok(())
        })(),
        MemsetD2D32Async::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<MemsetD2D32Async>(&body)?;
            let stream = worker.objects.stream(m.stream)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe {
                worker.driver.cuMemsetD2D32Async(
                    m.dst_device,
                    m.dst_pitch as usize,
                    m.ui,
                    m.width as usize,
                    m.height as usize,
                    stream,
                )
            }
            .ok()?;
            Ok(())
        })(),
        MemsetD2D8Async::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<MemsetD2D8Async>(&body)?;
            let stream = worker.objects.stream(m.stream)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe {
                worker.driver.cuMemsetD2D8Async(
                    m.dst_device,
                    m.dst_pitch as usize,
                    m.uc,
                    m.width as usize,
                    m.height as usize,
                    stream,
                )
            }
            .ok()?;
            Ok(())
        })(),
        MemsetD32Async::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<MemsetD32Async>(&body)?;
            let stream = worker.objects.stream(m.stream)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe { worker.driver.cuMemsetD32Async(m.dst_device, m.ui, m.n as usize, stream) }
                .ok()?;
            Ok(())
        })(),
        MemsetD8Async::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<MemsetD8Async>(&body)?;
            let stream = worker.objects.stream(m.stream)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe { worker.driver.cuMemsetD8Async(m.dst_device, m.uc, m.n as usize, stream) }
                .ok()?;
            Ok(())
        })(),
        GraphExecGetFlags::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<GraphExecGetFlags>(&body)?;
                let h_graph_exec = worker.objects.graph_exec(m.h_graph_exec)?;
                let mut flags: u64 = marshal::zero();
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuGraphExecGetFlags(h_graph_exec, &mut flags) }.ok()?;
                ticket.answer(&GraphExecGetFlagsReply { flags });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        GraphKernelNodeCopyAttributes::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<GraphKernelNodeCopyAttributes>(&body)?;
                let dst = worker.objects.graph_node(m.dst)?;
                let src = worker.objects.graph_node(m.src)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuGraphKernelNodeCopyAttributes(dst, src) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        GraphNodeGetEnabled::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<GraphNodeGetEnabled>(&body)?;
                let h_graph_exec = worker.objects.graph_exec(m.h_graph_exec)?;
                let h_node = worker.objects.graph_node(m.h_node)?;
                let mut is_enabled: u32 = marshal::zero();
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuGraphNodeGetEnabled(h_graph_exec, h_node, &mut is_enabled)
                }
                .ok()?;
                ticket.answer(&GraphNodeGetEnabledReply { is_enabled });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        GraphNodeSetEnabled::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<GraphNodeSetEnabled>(&body)?;
                let h_graph_exec = worker.objects.graph_exec(m.h_graph_exec)?;
                let h_node = worker.objects.graph_node(m.h_node)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuGraphNodeSetEnabled(h_graph_exec, h_node, m.is_enabled) }
                    .ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        GraphReleaseUserObject::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<GraphReleaseUserObject>(&body)?;
                let graph = worker.objects.graph(m.graph)?;
                let object = worker.objects.user_object(m.object)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuGraphReleaseUserObject(graph, object, m.count) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        GraphRetainUserObject::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<GraphRetainUserObject>(&body)?;
                let graph = worker.objects.graph(m.graph)?;
                let object = worker.objects.user_object(m.object)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuGraphRetainUserObject(graph, object, m.count, m.flags) }
                    .ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        GraphUpload::OP => (|| {
            let body = incoming.take_body();
            let m = decode::<GraphUpload>(&body)?;
            let h_graph = worker.objects.graph_exec(m.h_graph)?;
            let stream = worker.objects.stream(m.stream)?;
            // SAFETY: handles are the session's own, structs were read whole, and device
            // addresses reach this session's memory only.
            unsafe { worker.driver.cuGraphUpload(h_graph, stream) }.ok()?;
            Ok(())
        })(),
        UserObjectRelease::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<UserObjectRelease>(&body)?;
                let object = worker.objects.user_object(m.object)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuUserObjectRelease(object, m.count) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        UserObjectRetain::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<UserObjectRetain>(&body)?;
                let object = worker.objects.user_object(m.object)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuUserObjectRetain(object, m.count) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        ArrayGetMemoryRequirements::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<ArrayGetMemoryRequirements>(&body)?;
                let mut memory_requirements: CUDA_ARRAY_MEMORY_REQUIREMENTS = marshal::zero();
                let array = worker.objects.array(m.array)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuArrayGetMemoryRequirements(
                        &mut memory_requirements,
                        array,
                        m.device,
                    )
                }
                .ok()?;
                ticket.answer(&ArrayGetMemoryRequirementsReply {
                    memory_requirements: marshal::bytes(&memory_requirements),
                });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        MipmappedArrayGetMemoryRequirements::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<MipmappedArrayGetMemoryRequirements>(&body)?;
                let mut memory_requirements: CUDA_ARRAY_MEMORY_REQUIREMENTS = marshal::zero();
                let mipmap = worker.objects.mipmapped_array(m.mipmap)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuMipmappedArrayGetMemoryRequirements(
                        &mut memory_requirements,
                        mipmap,
                        m.device,
                    )
                }
                .ok()?;
                ticket.answer(&MipmappedArrayGetMemoryRequirementsReply {
                    memory_requirements: marshal::bytes(&memory_requirements),
                });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        SurfRefSetArray::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<SurfRefSetArray>(&body)?;
                let h_surf_ref = worker.objects.surfref(m.h_surf_ref)?;
                let h_array = worker.objects.array(m.h_array)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuSurfRefSetArray(h_surf_ref, h_array, m.flags) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TensorMapEncodeIm2col::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TensorMapEncodeIm2col>(&body)?;
                let mut tensor_map: CUtensorMap = marshal::zero();
                let global_dim =
                    marshal::read_array::<u64>(m.global_dim, (m.tensor_rank) as usize)?;
                let global_strides = marshal::read_array::<u64>(
                    m.global_strides,
                    (m.tensor_rank.saturating_sub(1)) as usize,
                )?;
                let pixel_box_lower_corner = marshal::read_array::<i32>(
                    m.pixel_box_lower_corner,
                    (m.tensor_rank.saturating_sub(2)) as usize,
                )?;
                let pixel_box_upper_corner = marshal::read_array::<i32>(
                    m.pixel_box_upper_corner,
                    (m.tensor_rank.saturating_sub(2)) as usize,
                )?;
                let element_strides =
                    marshal::read_array::<u32>(m.element_strides, (m.tensor_rank) as usize)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuTensorMapEncodeIm2col(
                        &mut tensor_map,
                        m.tensor_data_type,
                        m.tensor_rank,
                        m.global_address,
                        global_dim.as_ptr(),
                        global_strides.as_ptr(),
                        pixel_box_lower_corner.as_ptr(),
                        pixel_box_upper_corner.as_ptr(),
                        m.channels_per_pixel,
                        m.pixels_per_column,
                        element_strides.as_ptr(),
                        m.interleave,
                        m.swizzle,
                        m.l2_promotion,
                        m.oob_fill,
                    )
                }
                .ok()?;
                ticket.answer(&TensorMapEncodeIm2colReply {
                    tensor_map: marshal::bytes(&tensor_map),
                });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TensorMapEncodeIm2colWide::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TensorMapEncodeIm2colWide>(&body)?;
                let mut tensor_map: CUtensorMap = marshal::zero();
                let global_dim =
                    marshal::read_array::<u64>(m.global_dim, (m.tensor_rank) as usize)?;
                let global_strides = marshal::read_array::<u64>(
                    m.global_strides,
                    (m.tensor_rank.saturating_sub(1)) as usize,
                )?;
                let element_strides =
                    marshal::read_array::<u32>(m.element_strides, (m.tensor_rank) as usize)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuTensorMapEncodeIm2colWide(
                        &mut tensor_map,
                        m.tensor_data_type,
                        m.tensor_rank,
                        m.global_address,
                        global_dim.as_ptr(),
                        global_strides.as_ptr(),
                        m.pixel_box_lower_corner_width,
                        m.pixel_box_upper_corner_width,
                        m.channels_per_pixel,
                        m.pixels_per_column,
                        element_strides.as_ptr(),
                        m.interleave,
                        m.mode,
                        m.swizzle,
                        m.l2_promotion,
                        m.oob_fill,
                    )
                }
                .ok()?;
                ticket.answer(&TensorMapEncodeIm2colWideReply {
                    tensor_map: marshal::bytes(&tensor_map),
                });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TensorMapEncodeTiled::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TensorMapEncodeTiled>(&body)?;
                let mut tensor_map: CUtensorMap = marshal::zero();
                let global_dim =
                    marshal::read_array::<u64>(m.global_dim, (m.tensor_rank) as usize)?;
                let global_strides = marshal::read_array::<u64>(
                    m.global_strides,
                    (m.tensor_rank.saturating_sub(1)) as usize,
                )?;
                let box_dim = marshal::read_array::<u32>(m.box_dim, (m.tensor_rank) as usize)?;
                let element_strides =
                    marshal::read_array::<u32>(m.element_strides, (m.tensor_rank) as usize)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuTensorMapEncodeTiled(
                        &mut tensor_map,
                        m.tensor_data_type,
                        m.tensor_rank,
                        m.global_address,
                        global_dim.as_ptr(),
                        global_strides.as_ptr(),
                        box_dim.as_ptr(),
                        element_strides.as_ptr(),
                        m.interleave,
                        m.swizzle,
                        m.l2_promotion,
                        m.oob_fill,
                    )
                }
                .ok()?;
                ticket
                    .answer(&TensorMapEncodeTiledReply { tensor_map: marshal::bytes(&tensor_map) });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefGetAddress::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefGetAddress>(&body)?;
                let mut pdptr: CUdeviceptr = marshal::zero();
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefGetAddress_v2(&mut pdptr, h_tex_ref) }.ok()?;
                ticket.answer(&TexRefGetAddressReply { pdptr });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefGetAddressMode::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefGetAddressMode>(&body)?;
                let mut pam: i32 = marshal::zero();
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefGetAddressMode(&mut pam, h_tex_ref, m.dim) }.ok()?;
                ticket.answer(&TexRefGetAddressModeReply { pam });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefGetBorderColor::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefGetBorderColor>(&body)?;
                let mut p_border_color: CUborderColor = marshal::zero();
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefGetBorderColor(&mut p_border_color, h_tex_ref) }
                    .ok()?;
                ticket.answer(&TexRefGetBorderColorReply {
                    p_border_color: marshal::bytes(&p_border_color),
                });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefGetFilterMode::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefGetFilterMode>(&body)?;
                let mut pfm: i32 = marshal::zero();
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefGetFilterMode(&mut pfm, h_tex_ref) }.ok()?;
                ticket.answer(&TexRefGetFilterModeReply { pfm });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefGetFlags::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefGetFlags>(&body)?;
                let mut p_flags: u32 = marshal::zero();
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefGetFlags(&mut p_flags, h_tex_ref) }.ok()?;
                ticket.answer(&TexRefGetFlagsReply { p_flags });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefGetFormat::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefGetFormat>(&body)?;
                let mut p_format: i32 = marshal::zero();
                let mut p_num_channels: i32 = marshal::zero();
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuTexRefGetFormat(&mut p_format, &mut p_num_channels, h_tex_ref)
                }
                .ok()?;
                ticket.answer(&TexRefGetFormatReply { p_format, p_num_channels });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefGetMaxAnisotropy::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefGetMaxAnisotropy>(&body)?;
                let mut pmax_aniso: i32 = marshal::zero();
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefGetMaxAnisotropy(&mut pmax_aniso, h_tex_ref) }
                    .ok()?;
                ticket.answer(&TexRefGetMaxAnisotropyReply { pmax_aniso });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefGetMipmapFilterMode::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefGetMipmapFilterMode>(&body)?;
                let mut pfm: i32 = marshal::zero();
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefGetMipmapFilterMode(&mut pfm, h_tex_ref) }.ok()?;
                ticket.answer(&TexRefGetMipmapFilterModeReply { pfm });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefGetMipmapLevelBias::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefGetMipmapLevelBias>(&body)?;
                let mut pbias: f32 = marshal::zero();
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefGetMipmapLevelBias(&mut pbias, h_tex_ref) }.ok()?;
                ticket.answer(&TexRefGetMipmapLevelBiasReply { pbias });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefGetMipmapLevelClamp::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefGetMipmapLevelClamp>(&body)?;
                let mut pmin_mipmap_level_clamp: f32 = marshal::zero();
                let mut pmax_mipmap_level_clamp: f32 = marshal::zero();
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuTexRefGetMipmapLevelClamp(
                        &mut pmin_mipmap_level_clamp,
                        &mut pmax_mipmap_level_clamp,
                        h_tex_ref,
                    )
                }
                .ok()?;
                ticket.answer(&TexRefGetMipmapLevelClampReply {
                    pmin_mipmap_level_clamp,
                    pmax_mipmap_level_clamp,
                });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetAddress::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetAddress>(&body)?;
                let mut byte_offset: usize = marshal::zero();
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuTexRefSetAddress_v2(
                        &mut byte_offset,
                        h_tex_ref,
                        m.dptr,
                        m.bytes as usize,
                    )
                }
                .ok()?;
                ticket.answer(&TexRefSetAddressReply { byte_offset: byte_offset as u64 });
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetAddress2D::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetAddress2D>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                let desc: CUDA_ARRAY_DESCRIPTOR = marshal::read(m.desc)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuTexRefSetAddress2D_v3(
                        h_tex_ref,
                        &desc,
                        m.dptr,
                        m.pitch as usize,
                    )
                }
                .ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetAddressMode::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetAddressMode>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefSetAddressMode(h_tex_ref, m.dim, m.am) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetArray::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetArray>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                let h_array = worker.objects.array(m.h_array)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefSetArray(h_tex_ref, h_array, m.flags) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetBorderColor::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetBorderColor>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                let p_border_color: CUborderColor = marshal::read(m.p_border_color)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefSetBorderColor(h_tex_ref, &p_border_color) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetFilterMode::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetFilterMode>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefSetFilterMode(h_tex_ref, m.fm) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetFlags::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetFlags>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefSetFlags(h_tex_ref, m.flags) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetFormat::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetFormat>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuTexRefSetFormat(h_tex_ref, m.fmt, m.num_packed_components)
                }
                .ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetMaxAnisotropy::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetMaxAnisotropy>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefSetMaxAnisotropy(h_tex_ref, m.max_aniso) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetMipmapFilterMode::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetMipmapFilterMode>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefSetMipmapFilterMode(h_tex_ref, m.fm) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetMipmapLevelBias::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetMipmapLevelBias>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe { worker.driver.cuTexRefSetMipmapLevelBias(h_tex_ref, m.bias) }.ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetMipmapLevelClamp::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetMipmapLevelClamp>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuTexRefSetMipmapLevelClamp(
                        h_tex_ref,
                        m.min_mipmap_level_clamp,
                        m.max_mipmap_level_clamp,
                    )
                }
                .ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        TexRefSetMipmappedArray::OP => {
            let ticket = worker.ticket(incoming);
            (|| {
                let body = incoming.take_body();
                let m = decode::<TexRefSetMipmappedArray>(&body)?;
                let h_tex_ref = worker.objects.texref(m.h_tex_ref)?;
                let h_mipmapped_array = worker.objects.mipmapped_array(m.h_mipmapped_array)?;
                // SAFETY: handles are the session's own, structs were read whole, and device
                // addresses reach this session's memory only.
                unsafe {
                    worker.driver.cuTexRefSetMipmappedArray(h_tex_ref, h_mipmapped_array, m.flags)
                }
                .ok()?;
                ticket.answer(&());
                Ok(())
            })()
            .or_else(|e| ticket.refuse(e))
        }
        GateOpen::OP => Err(Refusal::Violation("it belongs on the callback lane".into())),
        LinkOpen::OP => Err(Refusal::Violation("it belongs on the callback lane".into())),
        LinkSend::OP => Err(Refusal::Violation("it belongs on the callback lane".into())),
        LinkReceive::OP => Err(Refusal::Violation("it belongs on the callback lane".into())),
        LinkPiece::OP => Err(Refusal::Violation("it belongs on a link".into())),
        Piece::OP => Err(Refusal::Violation("it belongs on a bulk lane".into())),
        PackedPiece::OP => Err(Refusal::Violation("it belongs on a bulk lane".into())),
        CallbackDone::OP => Err(Refusal::Violation("it belongs on the callback lane".into())),
        ManagedFetch::OP => Err(Refusal::Violation("it belongs on the callback lane".into())),
        ReplicaWrite::OP => Err(Refusal::Violation("it belongs on the callback lane".into())),
        ReplicaQuery::OP => Err(Refusal::Violation("it belongs on the callback lane".into())),
        ReplicaIdle::OP => Err(Refusal::Violation("it belongs on the callback lane".into())),
        ReplicaPresence::OP => Err(Refusal::Violation("it belongs on the callback lane".into())),
        CaptureBytes::OP => Err(Refusal::Violation("it belongs on the callback lane".into())),
        op => Err(Refusal::Violation(format!("op {op} is not one that a client sends"))),
    };
    worker.finish_post(incoming, result)
}

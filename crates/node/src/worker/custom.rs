//! The hand-written messages, each led to the noun that it belongs to; the short ones are carried out here.

use super::Worker;
use super::callbacks::{cancel, trampoline};
use super::delivery::{Answer, QueueId};
use super::frame::{Incoming, Refusal, Ticket};
use super::objects::{Event, Stream};
use super::sharing::adopt_event;
use super::{array, bulk, code, copy, gates, host_segments, launch, peer, plain, texture};
use crate::RELEASE;
use crate::generated::dispatch::Custom;
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::messages::*;

impl Custom for Worker {
    fn context_create(&mut self, m: ContextCreate) -> Result<(), Refusal> {
        self.create_context(&m)
    }

    fn green_context_create(
        &mut self,
        m: GreenContextCreate,
        ticket: Ticket,
    ) -> Result<(), Refusal> {
        self.create_green_context(&m)?;
        ticket.answer(&());
        Ok(())
    }

    fn resource_get(&mut self, m: ResourceGet, ticket: Ticket) -> Result<(), Refusal> {
        self.resource_of(&m, &ticket)
    }

    fn resource_split(&mut self, m: ResourceSplit, ticket: Ticket) -> Result<(), Refusal> {
        self.split_resource(&m, &ticket)
    }

    fn resource_describe(&mut self, m: ResourceDescribe, ticket: Ticket) -> Result<(), Refusal> {
        self.describe_resources(&m, &ticket)
    }

    fn context_record_event(&mut self, m: ContextRecordEvent) -> Result<(), Refusal> {
        let (context, event) = (self.objects.context(m.context)?, self.objects.event(m.event)?);
        // SAFETY: both are the session's own.
        Ok(unsafe { self.driver.cuCtxRecordEvent(context, event) }.ok()?)
    }

    fn context_wait_event(&mut self, m: ContextWaitEvent) -> Result<(), Refusal> {
        let (context, event) = (self.objects.context(m.context)?, self.objects.event(m.event)?);
        // SAFETY: both are the session's own.
        Ok(unsafe { self.driver.cuCtxWaitEvent(context, event) }.ok()?)
    }

    fn context_destroy(&mut self, m: ContextDestroy) -> Result<(), Refusal> {
        self.destroy_context(&m)
    }

    fn context_synchronize(
        &mut self,
        _: ContextSynchronize,
        ticket: Ticket,
    ) -> Result<(), Refusal> {
        // SAFETY: waits for the calling thread's context, which the waiting thread has set.
        self.wait_then_answer(ticket, |driver| unsafe { driver.cuCtxSynchronize() });
        Ok(())
    }

    fn context_get_limit(&mut self, m: ContextGetLimit, ticket: Ticket) -> Result<(), Refusal> {
        let mut value = 0;
        // SAFETY: the value goes to a local.
        unsafe { self.driver.cuCtxGetLimit(&mut value, m.limit) }.ok()?;
        ticket.answer(&ContextGetLimitReply { value: value as u64 });
        Ok(())
    }

    fn context_set_limit(&mut self, m: ContextSetLimit) -> Result<(), Refusal> {
        // SAFETY: takes no pointers.
        Ok(unsafe { self.driver.cuCtxSetLimit(m.limit, m.value as usize) }.ok()?)
    }

    fn mem_get_info(&mut self, _: MemGetInfo, ticket: Ticket) -> Result<(), Refusal> {
        let (mut free, mut total, mut ordinal) = (0, 0, 0);
        // SAFETY: all three go to locals.
        unsafe {
            self.driver.cuMemGetInfo_v2(&mut free, &mut total).ok()?;
            self.driver.cuCtxGetDevice(&mut ordinal).ok()?;
        }
        self.memory.used_bytes(ordinal)?;
        let device = self.memory.device(ordinal as usize);
        ticket.answer(&MemGetInfoReply {
            free: device.reachable(free as u64),
            total: device.limited(total as u64),
        });
        Ok(())
    }

    fn memory_map(&mut self, m: MemoryMap) -> Result<(), Refusal> {
        self.memory.map(&m)
    }

    fn memory_unmap(&mut self, m: MemoryUnmap) -> Result<(), Refusal> {
        let context = self.context()?;
        self.memory.unmap(&m, context)
    }

    fn low_reserve(&mut self, m: LowReserve, ticket: Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.memory.reserve_low(&m)?);
        Ok(())
    }

    fn grant_grow(&mut self, m: GrantGrow, ticket: Ticket) -> Result<(), Refusal> {
        self.memory.grow(&m, &ticket)
    }

    fn physical_create(&mut self, m: PhysicalCreate) -> Result<(), Refusal> {
        self.memory.create(&m)
    }

    fn physical_release(&mut self, m: PhysicalRelease) -> Result<(), Refusal> {
        self.memory.release(&m)
    }

    fn virtual_map(&mut self, m: VirtualMap) -> Result<(), Refusal> {
        self.memory.virtual_map(&m)
    }

    fn virtual_unmap(&mut self, m: VirtualUnmap) -> Result<(), Refusal> {
        let context = self.context()?;
        self.memory.virtual_unmap(&m, context)
    }

    fn virtual_set_access(&mut self, m: VirtualSetAccess) -> Result<(), Refusal> {
        self.memory.set_access(&m)
    }

    fn memory_share(&mut self, m: MemoryShare, ticket: Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.memory.share(&m)?);
        Ok(())
    }

    fn memory_adopt(&mut self, m: MemoryAdopt, ticket: Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.memory.adopt(&m)?);
        Ok(())
    }

    fn shm_get(&mut self, m: ShmGet, ticket: Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.shared_segments.get(&self.driver, &mut self.memory, &m)?);
        Ok(())
    }

    fn shm_attach(&mut self, m: ShmAttach, ticket: Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.shared_segments.attach(&self.driver, &mut self.memory, &m)?);
        Ok(())
    }

    fn shm_stat(&mut self, m: ShmStat, ticket: Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.shared_segments.stat(&m)?);
        Ok(())
    }

    fn shm_set_rights(&mut self, m: ShmSetRights, ticket: Ticket) -> Result<(), Refusal> {
        self.shared_segments.set_rights(&m)?;
        ticket.settle(Ok(()));
        Ok(())
    }

    fn shm_remove(&mut self, m: ShmRemove, ticket: Ticket) -> Result<(), Refusal> {
        self.shared_segments.remove(&m)?;
        ticket.settle(Ok(()));
        Ok(())
    }

    fn peer_access(&mut self, m: PeerAccess, ticket: Ticket) -> Result<(), Refusal> {
        peer::access(self, &m)?;
        ticket.answer(&());
        Ok(())
    }

    fn peer_open(&mut self, m: PeerOpen) -> Result<(), Refusal> {
        self.memory.open_to(&m)
    }

    fn copy_between_devices(&mut self, m: CopyBetweenDevices) -> Result<(), Refusal> {
        peer::copy(self, &m)
    }

    fn peer_atomics(&mut self, m: PeerAtomics, ticket: Ticket) -> Result<(), Refusal> {
        ticket.answer(&PeerAtomicsReply { capabilities: List(peer::atomics(self, &m)?) });
        Ok(())
    }

    fn peer_attribute(&mut self, m: PeerAttribute, ticket: Ticket) -> Result<(), Refusal> {
        ticket.answer(&PeerAttributeReply { value: peer::attribute(self, &m)? });
        Ok(())
    }

    fn copy_to_device(&mut self, m: CopyToDevice, incoming: &mut Incoming) -> Result<(), Refusal> {
        copy::to_device(self, &m, incoming)
    }

    fn copy_to_host(&mut self, m: CopyToHost) -> Result<(), Refusal> {
        copy::to_host(self, &m)
    }

    fn copy_on_device(&mut self, m: CopyOnDevice) -> Result<(), Refusal> {
        copy::on_device(self, &m)
    }

    fn copy_to_device_by_lanes(&mut self, m: CopyToDeviceByLanes) -> Result<(), Refusal> {
        bulk::to_device(self, &m)
    }

    fn copy_to_host_by_lanes(&mut self, m: CopyToHostByLanes) -> Result<(), Refusal> {
        bulk::to_host(self, &m)
    }

    fn host_segment_open(&mut self, m: HostSegmentOpen, ticket: Ticket) -> Result<(), Refusal> {
        self.segments.open(&m, self.context()?, ticket)
    }

    fn host_segment_close(&mut self, m: HostSegmentClose) -> Result<(), Refusal> {
        self.segments.close(&m, self.contexts.values().copied().collect())
    }

    fn copy_from_segment(&mut self, m: CopyFromSegment) -> Result<(), Refusal> {
        host_segments::copy_from(self, &m)
    }

    fn copy_to_segment(&mut self, m: CopyToSegment) -> Result<(), Refusal> {
        host_segments::copy_to(self, &m)
    }

    fn code_put(&mut self, m: CodePut, incoming: &mut Incoming) -> Result<(), Refusal> {
        code::put(self, &m, incoming)
    }

    fn module_load(&mut self, m: ModuleLoad, ticket: Ticket) -> Result<(), Refusal> {
        code::load(self, m, ticket)
    }

    fn module_unload(&mut self, m: ModuleUnload) -> Result<(), Refusal> {
        code::unload(self, &m)
    }

    fn library_get_module(&mut self, m: LibraryGetModule) -> Result<(), Refusal> {
        code::library_module(self, &m)
    }

    fn get_function(&mut self, m: GetFunction<'_>, ticket: Ticket) -> Result<(), Refusal> {
        code::get_function(self, &m, &ticket)
    }

    fn name_function(&mut self, m: NameFunction<'_>) -> Result<(), Refusal> {
        code::name_function(self, &m)
    }

    fn describe_function(&mut self, m: DescribeFunction, ticket: Ticket) -> Result<(), Refusal> {
        code::describe_function(self, &m, &ticket)
    }

    fn kernel_get_function(&mut self, m: KernelGetFunction) -> Result<(), Refusal> {
        code::kernel_function(self, &m)
    }

    fn get_global(&mut self, m: GetGlobal<'_>, ticket: Ticket) -> Result<(), Refusal> {
        code::global(self, &m, &ticket)
    }

    fn list_functions(&mut self, m: ListFunctions, ticket: Ticket) -> Result<(), Refusal> {
        code::list(self, &m, &ticket)
    }

    fn function_set_attribute(&mut self, m: FunctionSetAttribute) -> Result<(), Refusal> {
        let function = self.objects.function(m.function)?;
        let kernel = code::is_kernel(m.function);
        // SAFETY: the function is the session's own, and the driver checks the ordinal.
        let result = unsafe {
            if kernel {
                self.driver.cuKernelSetAttribute(
                    m.attribute,
                    m.value,
                    CUkernel(function.0),
                    m.device,
                )
            } else {
                self.driver.cuFuncSetAttribute(function, m.attribute, m.value)
            }
        };
        Ok(result.ok()?)
    }

    fn function_set_cache_config(&mut self, m: FunctionSetCacheConfig) -> Result<(), Refusal> {
        let function = self.objects.function(m.function)?;
        let kernel = code::is_kernel(m.function);
        // SAFETY: the function is the session's own, and the driver checks the ordinal.
        let result = unsafe {
            if kernel {
                self.driver.cuKernelSetCacheConfig(CUkernel(function.0), m.config, m.device)
            } else {
                self.driver.cuFuncSetCacheConfig(function, m.config)
            }
        };
        Ok(result.ok()?)
    }

    fn link(&mut self, m: Link<'_>, ticket: Ticket) -> Result<(), Refusal> {
        code::link(self, &m, &ticket)
    }

    fn launch_kernel(&mut self, m: LaunchKernel<'_>) -> Result<(), Refusal> {
        launch::kernel(self, &m)
    }

    fn occupancy_clusters(
        &mut self,
        m: OccupancyClusters<'_>,
        ticket: Ticket,
    ) -> Result<(), Refusal> {
        launch::occupancy_clusters(self, &m, &ticket)
    }

    fn host_callback(&mut self, m: HostCallback) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        if let Some(capturing) = self.capturing(stream)? {
            return self.capture_callback(m.callback, stream, capturing.raw);
        }
        let due = self.callbacks.due(m.callback);
        // SAFETY: the trampoline gets its due once, when the stream has come to it.
        let result = unsafe { self.driver.cuLaunchHostFunc(stream, Some(trampoline), due) };
        result.ok().map_err(|code| {
            // SAFETY: refused, so the driver will not call with it.
            unsafe { cancel(due) };
            Refusal::Driver(code)
        })
    }

    fn array_create(&mut self, m: ArrayCreate, ticket: Ticket) -> Result<(), Refusal> {
        array::create(self, &m, &ticket)
    }

    fn array_destroy(&mut self, m: ArrayDestroy) -> Result<(), Refusal> {
        array::destroy(self, &m)
    }

    fn mipmapped_array_get_level(&mut self, m: MipmappedArrayGetLevel) -> Result<(), Refusal> {
        array::level(self, &m)
    }

    fn copy_to_array(&mut self, m: CopyToArray, incoming: &mut Incoming) -> Result<(), Refusal> {
        array::copy_in(self, &m, incoming)
    }

    fn copy_from_array(&mut self, m: CopyFromArray) -> Result<(), Refusal> {
        array::copy_out(self, &m)
    }

    fn copy_array(&mut self, m: CopyArray) -> Result<(), Refusal> {
        array::copy_on_device(self, &m)
    }

    fn texture_create(&mut self, m: TextureCreate<'_>, ticket: Ticket) -> Result<(), Refusal> {
        texture::create(self, &m, &ticket)
    }

    fn texture_destroy(&mut self, m: TextureDestroy) -> Result<(), Refusal> {
        texture::destroy(self, m.texture)
    }

    fn surface_create(&mut self, m: SurfaceCreate, ticket: Ticket) -> Result<(), Refusal> {
        texture::create_surface(self, &m, &ticket)
    }

    fn surface_destroy(&mut self, m: SurfaceDestroy) -> Result<(), Refusal> {
        texture::destroy_surface(self, m.surface)
    }

    fn reference_find(&mut self, m: ReferenceFind<'_>, ticket: Ticket) -> Result<(), Refusal> {
        texture::find_reference(self, &m)?;
        ticket.answer(&());
        Ok(())
    }

    fn texture_reference_create(
        &mut self,
        m: TextureReferenceCreate,
        ticket: Ticket,
    ) -> Result<(), Refusal> {
        texture::create_reference(self, &m)?;
        ticket.answer(&());
        Ok(())
    }

    fn texture_reference_destroy(&mut self, m: TextureReferenceDestroy) -> Result<(), Refusal> {
        texture::destroy_reference(self, &m)
    }

    fn reference_array(&mut self, m: ReferenceArray, ticket: Ticket) -> Result<(), Refusal> {
        ticket.answer(&ReferenceArrayReply { array: texture::array_of_reference(self, &m)? });
        Ok(())
    }

    fn tensor_map_replace_address(
        &mut self,
        m: TensorMapReplaceAddress,
        ticket: Ticket,
    ) -> Result<(), Refusal> {
        let mut map = CUtensorMap { opaque: m.map };
        // SAFETY: the map is a local; the driver does not follow the address.
        unsafe { self.driver.cuTensorMapReplaceAddress(&mut map, m.address) }.ok()?;
        ticket.answer(&TensorMapReplaceAddressReply { map: map.opaque });
        Ok(())
    }

    fn stream_create(&mut self, m: StreamCreate) -> Result<(), Refusal> {
        let mut raw = CUstream::NULL;
        // SAFETY: the handle goes to a local.
        let made = unsafe { self.driver.cuStreamCreateWithPriority(&mut raw, m.flags, m.priority) };
        let blocking = m.flags & values::STREAM_NON_BLOCKING == 0;
        self.objects.note_stream(blocking);
        self.objects.put_stream(
            m.stream,
            made.ok().map(|()| Stream { raw, queue: QueueId::new(), blocking }),
        )
    }

    fn stream_destroy(&mut self, m: StreamDestroy) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        self.objects.remove(m.stream)?;
        if let Some(capture) = self.capture_over(m.stream) {
            self.capture_lost(&capture)?;
        }
        self.turns.forget_stream(stream);
        self.stream_goes(m.stream);
        self.room.forget_stream(self.current, m.stream);
        // SAFETY: the stream is the session's own and has left the table; its work goes on to its end.
        Ok(unsafe { self.driver.cuStreamDestroy_v2(stream) }.ok()?)
    }

    fn stream_synchronize(&mut self, m: StreamSynchronize, ticket: Ticket) -> Result<(), Refusal> {
        let mark = self.mark_waited_for(m.stream)?;
        self.carrier.enter_answer(Answer { mark, ticket });
        Ok(())
    }

    fn stream_query(&mut self, m: StreamQuery, ticket: Ticket) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        // SAFETY: the stream is the session's own.
        unsafe { self.driver.cuStreamQuery(stream) }.ok()?;
        self.carrier.answer_soon(ticket);
        Ok(())
    }

    fn event_create(&mut self, m: EventCreate) -> Result<(), Refusal> {
        let mut raw = CUevent::NULL;
        // SAFETY: the handle goes to a local.
        let made = unsafe { self.driver.cuEventCreate(&mut raw, m.flags) };
        self.objects.put_event(m.event, made.ok().map(|()| Event::new(raw)))
    }

    fn event_destroy(&mut self, m: EventDestroy) -> Result<(), Refusal> {
        self.destroy_event(&m)
    }

    fn event_elapsed(&mut self, m: EventElapsed, ticket: Ticket) -> Result<(), Refusal> {
        self.ask_elapsed(&m, &ticket)
    }

    fn event_synchronize_timed(
        &mut self,
        m: EventSynchronizeTimed,
        ticket: Ticket,
    ) -> Result<(), Refusal> {
        self.await_timed(&m, ticket)
    }

    fn event_record(&mut self, m: EventRecord) -> Result<(), Refusal> {
        let event = self.objects.event(m.event)?;
        let stream = self.objects.stream(m.stream)?;
        // SAFETY: both are the session's own.
        let recorded = unsafe {
            if m.flags == 0 {
                self.driver.cuEventRecord(event, stream)
            } else {
                self.driver.cuEventRecordWithFlags(event, stream, m.flags)
            }
        };
        Ok(recorded.ok()?)
    }

    fn event_share(&mut self, m: EventShare, ticket: Ticket) -> Result<(), Refusal> {
        let event = self.objects.event_object(m.event)?;
        let (door, key) = match &event.share {
            Some(share) => (self.memory.sharing.door()?, share.key),
            None => {
                let share = self.memory.sharing.share_event(&self.driver, event.raw)?;
                let key = share.key;
                self.objects.shared(m.event, share);
                (self.memory.sharing.door()?, key)
            }
        };
        ticket.answer(&EventShareReply { door, key });
        Ok(())
    }

    fn event_adopt(&mut self, m: EventAdopt, ticket: Ticket) -> Result<(), Refusal> {
        self.objects
            .put_event(m.event, Ok(Event::new(adopt_event(&self.driver, m.door, &m.key)?)))?;
        ticket.answer(&());
        Ok(())
    }

    fn stream_wait_event(&mut self, m: StreamWaitEvent) -> Result<(), Refusal> {
        let (stream, event) = (self.objects.stream(m.stream)?, self.objects.event(m.event)?);
        // SAFETY: both are the session's own.
        Ok(unsafe { self.driver.cuStreamWaitEvent(stream, event, m.flags) }.ok()?)
    }

    fn event_synchronize(&mut self, m: EventSynchronize, ticket: Ticket) -> Result<(), Refusal> {
        let event = self.objects.event_object(m.event)?;
        // SAFETY: the event is the session's own; destroying it is a later command of the same client.
        self.wait_then_answer(ticket, move |driver| unsafe {
            driver.cuEventSynchronize(event.raw)
        });
        Ok(())
    }

    fn event_mark(&mut self, m: EventMark, ticket: Ticket) -> Result<(), Refusal> {
        gates::mark(self, &m, ticket)
    }

    fn stream_goes_first(&mut self, m: StreamGoesFirst) -> Result<(), Refusal> {
        self.go_first(m.stream)
    }

    fn gate_wait(&mut self, m: GateWait) -> Result<(), Refusal> {
        gates::wait(self, &m)
    }

    fn event_query(&mut self, m: EventQuery, ticket: Ticket) -> Result<(), Refusal> {
        let event = self.objects.event(m.event)?;
        // SAFETY: the event is the session's own.
        unsafe { self.driver.cuEventQuery(event) }.ok()?;
        self.carrier.answer_soon(ticket);
        Ok(())
    }

    fn capture_begin(&mut self, m: CaptureBegin<'_>, ticket: Ticket) -> Result<(), Refusal> {
        self.capture_begin_in(&m)?;
        ticket.answer(&());
        Ok(())
    }

    fn capture_end(&mut self, m: CaptureEnd, ticket: Ticket) -> Result<(), Refusal> {
        self.capture_end_in(&m)?;
        ticket.answer(&());
        Ok(())
    }

    fn capture_info(&mut self, m: CaptureInfo, ticket: Ticket) -> Result<(), Refusal> {
        self.capture_info_of(&m, &ticket)
    }

    fn capture_depend(&mut self, m: CaptureDepend<'_>, ticket: Ticket) -> Result<(), Refusal> {
        self.capture_depend_on(&m)?;
        ticket.answer(&());
        Ok(())
    }

    fn graph_create(&mut self, m: GraphCreate) -> Result<(), Refusal> {
        // SAFETY: the graph goes to a local of the caller.
        self.graph_made(m.graph, |worker, raw| {
            Ok(unsafe { worker.driver.cuGraphCreate(raw, m.flags) })
        })
    }

    fn graph_clone(&mut self, m: GraphClone, ticket: Ticket) -> Result<(), Refusal> {
        let original = self.objects.graph(m.original)?;
        // SAFETY: the original is the session's own; the graph goes to a local of the caller.
        self.graph_made(m.graph, |worker, raw| {
            Ok(unsafe { worker.driver.cuGraphClone(raw, original) })
        })?;
        self.note_clone(m.graph, m.original)?;
        ticket.answer(&());
        Ok(())
    }

    fn graph_destroy(&mut self, m: GraphDestroy) -> Result<(), Refusal> {
        let graph = self.objects.graph(m.graph)?;
        self.forget_graph(m.graph)?;
        self.sweep_buffers();
        // SAFETY: the graph is the session's own and has left the table.
        Ok(unsafe { self.driver.cuGraphDestroy(graph) }.ok()?)
    }

    fn graph_instantiate(&mut self, m: GraphInstantiate, ticket: Ticket) -> Result<(), Refusal> {
        self.instantiate(&m, &ticket)
    }

    fn graph_exec_update(&mut self, m: GraphExecUpdate, ticket: Ticket) -> Result<(), Refusal> {
        self.exec_update(&m, &ticket)
    }

    fn graph_exec_destroy(&mut self, m: GraphExecDestroy) -> Result<(), Refusal> {
        let exec = self.objects.graph_exec(m.exec)?;
        self.objects.remove(m.exec)?;
        let replaced = self
            .graphs
            .replaced
            .extract_if(|(of, _), _| *of == m.exec)
            .map(|(_, standing)| standing)
            .collect();
        self.retire(replaced);
        self.sweep_buffers();
        // SAFETY: the executable graph is the session's own and has left the table; a launch of it goes on to its end.
        Ok(unsafe { self.driver.cuGraphExecDestroy(exec) }.ok()?)
    }

    fn graph_list(&mut self, m: GraphList, ticket: Ticket) -> Result<(), Refusal> {
        self.list(&m, &ticket)
    }

    fn graph_depend(&mut self, m: GraphDepend<'_>, ticket: Ticket) -> Result<(), Refusal> {
        self.depend(&m)?;
        ticket.answer(&());
        Ok(())
    }

    fn graph_add_node(&mut self, m: GraphAddNode<'_>, ticket: Ticket) -> Result<(), Refusal> {
        self.add_node(&m, &ticket)
    }

    fn graph_child(&mut self, m: GraphChild, ticket: Ticket) -> Result<(), Refusal> {
        self.child_graph(&m, &ticket)
    }

    fn graph_condition(&mut self, m: GraphCondition, ticket: Ticket) -> Result<(), Refusal> {
        self.condition(&m, &ticket)
    }

    fn graph_set_node(&mut self, m: GraphSetNode<'_>) -> Result<(), Refusal> {
        self.set_node(&m)
    }

    fn graph_destroy_node(&mut self, m: GraphDestroyNode) -> Result<(), Refusal> {
        let node = self.forget_node(m.node)?;
        // SAFETY: the node is the session's own and has left the table.
        Ok(unsafe { self.driver.cuGraphDestroyNode(node) }.ok()?)
    }

    fn graph_node_params(&mut self, m: GraphNodeParams, ticket: Ticket) -> Result<(), Refusal> {
        self.node_params(&m, &ticket)
    }

    fn graph_set_node_attribute(&mut self, m: GraphSetNodeAttribute<'_>) -> Result<(), Refusal> {
        let (node, value) =
            (self.objects.graph_node(m.node)?, plain::read::<CUstreamAttrValue>(m.value)?);
        // SAFETY: the node is the session's own; the value lives through the call.
        Ok(unsafe { self.driver.cuGraphKernelNodeSetAttribute(node, m.attribute, &value) }.ok()?)
    }

    fn graph_node_attribute(
        &mut self,
        m: GraphNodeAttribute,
        ticket: Ticket,
    ) -> Result<(), Refusal> {
        let (node, mut value) =
            (self.objects.graph_node(m.node)?, plain::zero::<CUstreamAttrValue>());
        // SAFETY: the node is the session's own; the value goes to a local.
        unsafe { self.driver.cuGraphKernelNodeGetAttribute(node, m.attribute, &mut value) }.ok()?;
        ticket.answer(&GraphNodeAttributeReply { value: plain::bytes(&value) });
        Ok(())
    }

    fn graph_find_in_clone(&mut self, m: GraphFindInClone, ticket: Ticket) -> Result<(), Refusal> {
        self.find_in_clone(&m, &ticket)
    }

    fn graph_kernel_node(&mut self, m: GraphKernelNode, ticket: Ticket) -> Result<(), Refusal> {
        self.kernel_node(&m, &ticket)
    }

    fn graph_launch(&mut self, m: GraphLaunch) -> Result<(), Refusal> {
        self.launch_graph(&m)
    }

    fn mirror_open(&mut self, m: MirrorOpen, ticket: Ticket) -> Result<(), Refusal> {
        let beside = self.open_mirror(&m)?;
        ticket.answer(&MirrorOpenReply { beside });
        Ok(())
    }

    fn mirror_close(&mut self, m: MirrorClose) -> Result<(), Refusal> {
        self.close_mirror(&m)
    }

    fn mirror_write(&mut self, m: MirrorWrite, incoming: &mut Incoming) -> Result<(), Refusal> {
        self.write_mirror(&m, incoming)
    }

    fn mirror_look(&mut self, m: MirrorLook, ticket: Ticket) -> Result<(), Refusal> {
        self.look_at_mirror(&m, &ticket)
    }

    fn wait_and_look(&mut self, m: WaitAndLook, ticket: Ticket) -> Result<(), Refusal> {
        let looked_at = self.mirrors.named(&m.looks.0).map_err(Refusal::Violation)?;
        let mark = if m.whole { None } else { Some(self.mark_waited_for(m.stream)?) };
        let (mirrors, carrier, context) =
            (self.mirrors.clone(), self.carrier.clone(), self.context()?);
        self.carrier.waiters.run(move || {
            let driver = &carrier.driver;
            let status = match mark {
                Some(mark) => mark.wait(driver),
                // SAFETY: the context is the session's own.
                None => unsafe {
                    driver
                        .cuCtxSetCurrent(context)
                        .ok()
                        .map_or_else(|code| code, |()| driver.cuCtxSynchronize())
                },
            };
            match status {
                CUresult::SUCCESS => {
                    carrier.answer_by(&ticket, |ticket| mirrors.answer_wait(&looked_at, ticket))
                }
                code => carrier.answer(&ticket, code),
            }
        });
        Ok(())
    }

    fn mirror_await(&mut self, m: MirrorAwait) -> Result<(), Refusal> {
        self.carrier.outbound.twins().wait(m.number);
        Ok(())
    }

    fn get_managed(&mut self, m: GetManaged<'_>, ticket: Ticket) -> Result<(), Refusal> {
        code::managed(self, &m, &ticket)
    }

    fn barrier(&mut self, _: Barrier, ticket: Ticket) -> Result<(), Refusal> {
        ticket.answer(&());
        Ok(())
    }

    fn graph_add_copy(&mut self, m: GraphAddCopy<'_>, ticket: Ticket) -> Result<(), Refusal> {
        self.add_copy_node(&m, &ticket)
    }

    fn graph_set_copy(&mut self, m: GraphSetCopy, ticket: Ticket) -> Result<(), Refusal> {
        self.set_copy(&m, &ticket)
    }

    fn graph_node_type(&mut self, m: GraphNodeType, ticket: Ticket) -> Result<(), Refusal> {
        self.node_type(&m, &ticket)
    }

    fn capture_copy(&mut self, m: CaptureCopy) -> Result<(), Refusal> {
        self.capture_copy_in(&m)
    }

    fn user_object_create(&mut self, m: UserObjectCreate) -> Result<(), Refusal> {
        self.user_object(&m)
    }

    fn nvml_ask(&mut self, m: NvmlAsk<'_>, ticket: Ticket) -> Result<(), Refusal> {
        let (function, input) = (m.function, m.input.to_vec());
        self.sense(ticket, move |sensors, ticket| {
            let answer = sensors.ask(&NvmlAsk { function, input: &input })?;
            ticket.answer(&answer.reply());
            Ok(())
        })
    }

    fn nvml_driver_version(&mut self, _: NvmlDriverVersion, ticket: Ticket) -> Result<(), Refusal> {
        let found = self.sensors().and_then(|sensors| sensors.driver_version());
        ticket.answer(&NvmlDriverVersionReply { text: found.as_deref().unwrap_or(RELEASE) });
        Ok(())
    }

    fn nvml_memory(&mut self, m: NvmlMemory, ticket: Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.memory_seen(m.device)?);
        Ok(())
    }

    fn nvml_fields(&mut self, m: NvmlFields, ticket: Ticket) -> Result<(), Refusal> {
        self.sense(ticket, move |sensors, ticket| {
            ticket.answer(&sensors.fields(&m)?);
            Ok(())
        })
    }

    fn nvml_pci_ids(&mut self, m: NvmlPciIds, ticket: Ticket) -> Result<(), Refusal> {
        self.sense(ticket, move |sensors, ticket| {
            ticket.answer(&sensors.pci_ids(&m)?);
            Ok(())
        })
    }
}

//! Nodes that a program puts into graphs itself, and copies between device and program in capturing streams.

use super::Worker;
use super::copy::{Side, two_dimensional};
use super::frame::{Refusal, Ticket};
use super::graph::edges;
use super::standing::{Standing, come_by};
use outhaul_abi::types::*;
use outhaul_wire::limits::PARAMETER_BYTES_MAX;
use outhaul_wire::messages::*;
use std::ffi::c_void;

/// What a node does, as the driver takes it.
enum Params {
    Kernel { shape: CUDA_KERNEL_NODE_PARAMS, packed: Vec<u8> },
    Copy(CUDA_MEMCPY3D),
    Fill(CUDA_MEMSET_NODE_PARAMS),
    Host(u64),
    Child(CUgraph),
    Empty,
    Wait(CUevent),
    Record(CUevent),
}

/// The fields that messages about nodes share.
struct Described<'m> {
    kind: i32,
    object: u64,
    numbers: &'m [u64],
    params: &'m [u8],
}

impl Worker {
    fn params(&self, m: &Described<'_>) -> Result<Params, Refusal> {
        use values::*;
        let short = || Refusal::Violation(format!("{} numbers for a node of kind {}", m.numbers.len(), m.kind));
        Ok(match m.kind {
            GRAPH_NODE_TYPE_KERNEL => {
                let [gx, gy, gz, bx, by, bz, shared] = *m.numbers else { return Err(short()) };
                if m.params.len() > PARAMETER_BYTES_MAX {
                    return Err(Refusal::Violation(format!("{} bytes of kernel parameters", m.params.len())));
                }
                let shape = CUDA_KERNEL_NODE_PARAMS {
                    func: self.objects.function(m.object)?,
                    gridDimX: gx as u32,
                    gridDimY: gy as u32,
                    gridDimZ: gz as u32,
                    blockDimX: bx as u32,
                    blockDimY: by as u32,
                    blockDimZ: bz as u32,
                    sharedMemBytes: shared as u32,
                    kernelParams: std::ptr::null_mut(),
                    extra: std::ptr::null_mut(),
                    kern: CUkernel::NULL,
                    ctx: CUcontext::NULL,
                };
                Params::Kernel { shape, packed: m.params.to_vec() }
            }
            GRAPH_NODE_TYPE_MEMCPY => {
                let [to, to_pitch, to_height, from, from_pitch, from_height, width, height, depth] = *m.numbers else {
                    return Err(short());
                };
                // SAFETY: the struct is plain numbers and pointers; all zero is a valid value.
                let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
                (copy.srcMemoryType, copy.dstMemoryType) = (MEMORYTYPE_DEVICE, MEMORYTYPE_DEVICE);
                (copy.dstDevice, copy.dstPitch, copy.dstHeight) = (to, to_pitch as usize, to_height as usize);
                (copy.srcDevice, copy.srcPitch, copy.srcHeight) = (from, from_pitch as usize, from_height as usize);
                (copy.WidthInBytes, copy.Height, copy.Depth) = (width as usize, height as usize, depth as usize);
                Params::Copy(copy)
            }
            GRAPH_NODE_TYPE_MEMSET => {
                let [dst, pitch, value, element_bytes, width, height] = *m.numbers else { return Err(short()) };
                let (pitch, width, height) = (pitch as usize, width as usize, height as usize);
                Params::Fill(CUDA_MEMSET_NODE_PARAMS { dst, pitch, value: value as u32, elementSize: element_bytes as u32, width, height })
            }
            GRAPH_NODE_TYPE_HOST => Params::Host(m.object),
            GRAPH_NODE_TYPE_GRAPH => Params::Child(self.objects.graph(m.object)?),
            GRAPH_NODE_TYPE_EMPTY => Params::Empty,
            GRAPH_NODE_TYPE_WAIT_EVENT => Params::Wait(self.objects.event(m.object)?),
            GRAPH_NODE_TYPE_EVENT_RECORD => Params::Record(self.objects.event(m.object)?),
            _ => return Err(Refusal::Driver(CUresult::NOT_SUPPORTED)),
        })
    }

    pub fn add_node(&mut self, m: &GraphAddNode<'_>, ticket: &Ticket) -> Result<(), Refusal> {
        let graph = self.objects.graph(m.graph)?;
        let described = Described { kind: m.kind, object: m.object, numbers: &m.numbers.0, params: m.params };
        let mut params = self.params(&described)?;
        let context = self.context()?;
        let dependencies = m.dependencies.0.iter().map(|d| self.objects.graph_node(*d)).collect::<Result<Vec<_>, _>>()?;
        let (on, count) = (dependencies.as_ptr(), dependencies.len());
        let edges = edges(m.edges, count)?;
        let mut node = CUgraphNode::NULL;
        let driver = &self.driver;
        // SAFETY: handles are the session's own, descriptions and lists live through the call, and the node goes to a local.
        let made = unsafe {
            match &mut params {
                Params::Kernel { shape, packed } => {
                    with_packed(shape, packed, |shape| driver.cuGraphAddKernelNode_v2(&mut node, graph, std::ptr::null(), 0, shape))
                }
                Params::Copy(copy) => driver.cuGraphAddMemcpyNode(&mut node, graph, std::ptr::null(), 0, copy, context),
                Params::Fill(fill) => driver.cuGraphAddMemsetNode(&mut node, graph, std::ptr::null(), 0, fill, context),
                Params::Host(callback) => {
                    let standing = Standing::run(&self.callbacks, *callback).into_graph(driver, graph)?;
                    let host = CUDA_HOST_NODE_PARAMS { func: Some(come_by), userData: standing };
                    driver.cuGraphAddHostNode(&mut node, graph, std::ptr::null(), 0, &host)
                }
                Params::Child(child) => driver.cuGraphAddChildGraphNode(&mut node, graph, std::ptr::null(), 0, *child),
                Params::Empty => driver.cuGraphAddEmptyNode(&mut node, graph, std::ptr::null(), 0),
                Params::Wait(event) => driver.cuGraphAddEventWaitNode(&mut node, graph, std::ptr::null(), 0, *event),
                Params::Record(event) => driver.cuGraphAddEventRecordNode(&mut node, graph, std::ptr::null(), 0, *event),
            }
        };
        made.ok()?;
        let to = vec![node; count];
        // SAFETY: as above. The edges come afterwards, since only this call takes their data for every kind of node.
        let tied = unsafe {
            if m.edges.is_empty() {
                driver.cuGraphAddDependencies(graph, on, to.as_ptr(), count)
            } else {
                driver.cuGraphAddDependencies_v2(graph, on, to.as_ptr(), edges.as_ptr(), count)
            }
        };
        if count > 0
            && let Err(code) = tied.ok()
        {
            // SAFETY: the node was made just now and nobody has heard of it.
            let _ = unsafe { driver.cuGraphDestroyNode(node) };
            return Err(code.into());
        }
        let node = self.node_handle(node, m.graph)?;
        ticket.answer(&GraphAddNodeReply { node });
        Ok(())
    }

    pub fn set_node(&mut self, m: &GraphSetNode<'_>) -> Result<(), Refusal> {
        let node = self.objects.graph_node(m.node)?;
        let described = Described { kind: m.kind, object: m.object, numbers: &m.numbers.0, params: m.params };
        let mut params = self.params(&described)?;
        let exec = if m.exec == 0 { CUgraphExec::NULL } else { self.objects.graph_exec(m.exec)? };
        let context = self.context()?;
        let driver = &self.driver;
        // SAFETY: handles are the session's own, and descriptions live through the call.
        let set = unsafe {
            match &mut params {
                Params::Kernel { shape, packed } => with_packed(shape, packed, |shape| {
                    if exec.is_null() {
                        driver.cuGraphKernelNodeSetParams_v2(node, shape)
                    } else {
                        driver.cuGraphExecKernelNodeSetParams_v2(exec, node, shape)
                    }
                }),
                Params::Fill(fill) if exec.is_null() => driver.cuGraphMemsetNodeSetParams(node, fill),
                Params::Fill(fill) => driver.cuGraphExecMemsetNodeSetParams(exec, node, fill, context),
                _ => CUresult::NOT_SUPPORTED,
            }
        };
        Ok(set.ok()?)
    }

    pub fn kernel_node(&mut self, m: &GraphKernelNode, ticket: &Ticket) -> Result<(), Refusal> {
        let node = self.objects.graph_node(m.node)?;
        // SAFETY: the struct is plain numbers and pointers; all zero is a valid value.
        let mut found: CUDA_KERNEL_NODE_PARAMS = unsafe { std::mem::zeroed() };
        // SAFETY: the node is the session's own; the description goes to a local.
        unsafe { self.driver.cuGraphKernelNodeGetParams_v2(node, &mut found) }.ok()?;
        let raw = if found.func.is_null() { CUfunction(found.kern.0) } else { found.func };
        let function = self.objects.find_function(raw).ok_or(CUresult::NOT_SUPPORTED)?;
        // SAFETY: the driver keeps the description's parameters until the node changes.
        let params = unsafe { self.parameters(raw, &found)? };
        ticket.answer(&GraphKernelNodeReply {
            graph: self.graph_of(node),
            function,
            grid: [found.gridDimX, found.gridDimY, found.gridDimZ],
            block: [found.blockDimX, found.blockDimY, found.blockDimZ],
            shared_bytes: found.sharedMemBytes,
            params: &params,
        });
        Ok(())
    }

    /// The packed parameters of a kernel node.
    ///
    /// # Safety
    /// What the description points to is readable.
    unsafe fn parameters(&self, function: CUfunction, found: &CUDA_KERNEL_NODE_PARAMS) -> Result<Vec<u8>, Refusal> {
        let mut params = Vec::new();
        if !found.extra.is_null() {
            // SAFETY: the driver's list is a buffer, its size and the end, as this process gave it.
            let (buffer, bytes) = unsafe { (found.extra.add(1).read(), found.extra.add(3).read().cast::<usize>().read()) };
            // SAFETY: that many bytes, by the driver's word.
            return Ok(unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), bytes.min(PARAMETER_BYTES_MAX)) }.to_vec());
        }
        for i in 0.. {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: the function is live; results go to locals. Past the last parameter the driver refuses.
            if unsafe { self.driver.cuFuncGetParamInfo(function, i, &mut offset, &mut bytes) } != CUresult::SUCCESS {
                break;
            }
            if found.kernelParams.is_null() || offset + bytes > PARAMETER_BYTES_MAX {
                return Err(Refusal::Driver(CUresult::NOT_SUPPORTED));
            }
            params.resize(offset + bytes, 0);
            // SAFETY: a value of the parameter's size lies behind each pointer.
            let value = unsafe { std::slice::from_raw_parts(found.kernelParams.add(i).read().cast::<u8>(), bytes) };
            params[offset..].copy_from_slice(value);
        }
        Ok(params)
    }

    /// A copy to the device comes behind a node that fetches its bytes from the client, one to the host before a node that sends them there.
    pub fn capture_copy_in(&mut self, m: &CaptureCopy) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        let graph = self.capturing(stream)?.map(|c| c.raw).filter(|graph| !graph.is_null());
        let graph = graph.ok_or(CUresult::STREAM_CAPTURE_INVALIDATED)?;
        let bytes = m.width_bytes.checked_mul(m.rows).filter(|b| *b > 0);
        let bytes = bytes.ok_or_else(|| Refusal::Violation(format!("a copy of {} rows of {} bytes", m.rows, m.width_bytes)))?;
        let buffer = self.callbacks.buffers.make(&self.driver, m.callback, bytes)?;
        let (host, device) = ((Side::Host(buffer.address()), m.width_bytes), (Side::Device(m.address), m.pitch_bytes));
        let (from, to) = if m.to_host { (device, host) } else { (host, device) };
        let copy = two_dimensional(from, to, m.width_bytes, m.rows);
        let standing = if m.to_host {
            Standing::store(&self.callbacks, m.callback, self.carrier.clone(), buffer, m.transfer)
        } else {
            Standing::run(&self.callbacks, m.callback)
        };
        let standing = standing.into_graph(&self.driver, graph)?;
        // SAFETY: the graph keeps what the function takes, and with it the buffer; the device address is this session's own affair.
        unsafe {
            if !m.to_host {
                self.driver.cuLaunchHostFunc(stream, Some(come_by), standing).ok()?;
            }
            self.driver.cuMemcpy2DAsync_v2(&copy, stream).ok()?;
            if m.to_host {
                self.driver.cuLaunchHostFunc(stream, Some(come_by), standing).ok()?;
            }
        }
        Ok(())
    }
}

/// Adds the packed parameters for the length of the call.
fn with_packed(
    shape: &mut CUDA_KERNEL_NODE_PARAMS,
    packed: &[u8],
    call: impl FnOnce(*const CUDA_KERNEL_NODE_PARAMS) -> CUresult,
) -> CUresult {
    let mut size = packed.len();
    let mut extra = [
        values::LAUNCH_PARAM_BUFFER_POINTER as *mut c_void,
        packed.as_ptr().cast_mut().cast(),
        values::LAUNCH_PARAM_BUFFER_SIZE as *mut c_void,
        (&raw mut size).cast(),
        values::LAUNCH_PARAM_END as *mut c_void,
    ];
    shape.extra = extra.as_mut_ptr();
    call(shape)
}

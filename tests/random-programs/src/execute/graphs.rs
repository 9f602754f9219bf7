//! The driver calls that build, capture and launch graphs.

use super::calls::cu;
use super::{Machine, host};
use crate::program::*;
use outhaul_abi::types::*;

/// The thread-local capture mode, in which a capture does not restrict calls in other threads.
const CAPTURE_THREAD_LOCAL: i32 = 1;

impl Machine<'_> {
    pub(super) fn of_graph(&self, index: usize, deal: &Deal) -> Result<(), String> {
        match deal {
            Deal::Capture { stream, .. } => {
                cu!(self.cuStreamBeginCapture_v2(self.stream(*stream), CAPTURE_THREAD_LOCAL))
            }
            Deal::EndCapture { graph, stream } => {
                let mut made = CUgraph::NULL;
                cu!(self.cuStreamEndCapture(self.stream(*stream), &mut made))?;
                self.objects().graphs.insert(*graph, made);
                Ok(())
            }
            Deal::NewGraph { graph } => {
                let mut made = CUgraph::NULL;
                cu!(self.cuGraphCreate(&mut made, 0))?;
                self.objects().graphs.insert(*graph, made);
                Ok(())
            }
            Deal::Node { graph, after, action } => self.node(index, *graph, after, action),
            Deal::Instantiate { exec, graph } => {
                let (mut made, source) = (CUgraphExec::NULL, self.objects().graphs[graph]);
                cu!(self.cuGraphInstantiateWithFlags(&mut made, source, 0))?;
                let mut objects = self.objects();
                objects.execs.insert(*exec, made);
                objects.sources.insert(*exec, *graph);
                Ok(())
            }
            Deal::Change { exec, node, action } => self.change(index, *exec, *node, action),
            Deal::Launch { exec, stream } => {
                let handle = self.objects().execs[exec];
                cu!(self.cuGraphLaunch(handle, self.stream(*stream)))
            }
            Deal::DropExec { exec } => {
                let handle = self.objects().execs.remove(exec).ok_or("no such executable graph")?;
                cu!(self.cuGraphExecDestroy(handle))
            }
            Deal::DropGraph { graph } => {
                let handle = self.objects().graphs.remove(graph).ok_or("no such graph")?;
                cu!(self.cuGraphDestroy(handle))
            }
            _ => Err("not a call about graphs".to_owned()),
        }
    }

    fn node(
        &self,
        index: usize,
        graph: usize,
        after: &[usize],
        action: &Action,
    ) -> Result<(), String> {
        let (into, before): (CUgraph, Vec<CUgraphNode>) = {
            let mut objects = self.objects();
            let nodes = objects.nodes.entry(graph).or_default();
            let before = after.iter().map(|number| nodes[*number]).collect();
            (objects.graphs[&graph], before)
        };
        let (mut made, list, count, context) =
            (CUgraphNode::NULL, before.as_ptr(), before.len(), self.device.context());
        if let Some(mut kernel) = self.kernel(index, action) {
            cu!(self.cuGraphAddKernelNode_v2(&mut made, into, list, count, &kernel.node()))?;
        } else {
            match action {
                Action::Fill { .. } => cu!(self.cuGraphAddMemsetNode(
                    &mut made,
                    into,
                    list,
                    count,
                    &self.fill(action)?,
                    context
                ))?,
                Action::Copy { to, from, call } => {
                    cu!(self.cuGraphAddMemcpyNode(
                        &mut made,
                        into,
                        list,
                        count,
                        &self.volume(to, from, *call),
                        context
                    ))?;
                }
                Action::Host { deeds } => {
                    let params = CUDA_HOST_NODE_PARAMS {
                        func: Some(host::called),
                        userData: self.host_call(index, deeds),
                    };
                    cu!(self.cuGraphAddHostNode(&mut made, into, list, count, &params))?;
                }
                _ => return Err("no node".to_owned()),
            }
        }
        self.objects().nodes.entry(graph).or_default().push(made);
        Ok(())
    }

    fn change(
        &self,
        index: usize,
        exec: usize,
        node: usize,
        action: &Action,
    ) -> Result<(), String> {
        let (handle, of) = {
            let objects = self.objects();
            (objects.execs[&exec], objects.nodes[&objects.sources[&exec]][node])
        };
        let context = self.device.context();
        if let Some(mut kernel) = self.kernel(index, action) {
            return cu!(self.cuGraphExecKernelNodeSetParams_v2(handle, of, &kernel.node()));
        }
        match action {
            Action::Fill { .. } => {
                cu!(self.cuGraphExecMemsetNodeSetParams(handle, of, &self.fill(action)?, context))
            }
            Action::Copy { to, from, call } => {
                cu!(self.cuGraphExecMemcpyNodeSetParams(
                    handle,
                    of,
                    &self.volume(to, from, *call),
                    context
                ))
            }
            Action::Host { deeds } => {
                let params = CUDA_HOST_NODE_PARAMS {
                    func: Some(host::called),
                    userData: self.host_call(index, deeds),
                };
                cu!(self.cuGraphExecHostNodeSetParams(handle, of, &params))
            }
            _ => Err("no node".to_owned()),
        }
    }

    fn fill(&self, action: &Action) -> Result<CUDA_MEMSET_NODE_PARAMS, String> {
        let Action::Fill { to, value, unit } = action else { return Err("no fill".to_owned()) };
        Ok(CUDA_MEMSET_NODE_PARAMS {
            dst: self.place(to.buffer).device + 4 * to.start as u64,
            pitch: to.pitch * 4,
            value: *value,
            elementSize: *unit as u32,
            width: to.width * 4 / unit,
            height: to.rows,
        })
    }

    fn volume(&self, to: &Rows, from: &Rows, call: Call) -> CUDA_MEMCPY3D {
        let flat = self.rectangle(to, from, call);
        // SAFETY: all-zero bytes are valid for a struct of numbers and pointers.
        let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
        (copy.srcMemoryType, copy.srcPitch, copy.srcHeight) =
            (flat.srcMemoryType, flat.srcPitch, to.rows);
        (copy.srcHost, copy.srcDevice) = (flat.srcHost, flat.srcDevice);
        (copy.dstMemoryType, copy.dstPitch, copy.dstHeight) =
            (flat.dstMemoryType, flat.dstPitch, to.rows);
        (copy.dstHost, copy.dstDevice) = (flat.dstHost, flat.dstDevice);
        (copy.WidthInBytes, copy.Height, copy.Depth) = (flat.WidthInBytes, flat.Height, 1);
        copy
    }
}

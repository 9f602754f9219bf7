//! Changes to graphs that a program built itself, before and after instantiation.

use super::Test;
use super::graph::*;
use crate::gpu::{Done, Gpu, Outcome, cu, same};
use outhaul_abi::types::*;

pub const TESTS: &[Test] = &[
    ("graph/changed_before_it_is_instantiated", set_node),
    ("graph/changed_after_it_was_instantiated", set_exec_node),
    ("graph/nodes_switched_off", switched_off),
    ("graph/other_events", other_events),
    ("graph/parameters_of_a_kernel", get_kernel),
    ("graph/updated_as_a_whole", update),
    ("graph/update_of_another_shape", update_refused),
];

fn set_node(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(8)?;
    gpu.write(memory, &[0, 0])?;
    let clear = build.fill(&[], word_fill(memory, 1))?;
    let step = build.add(&[clear], memory, 1)?;
    cu!(gpu.cuGraphMemsetNodeSetParams(clear, &word_fill(memory + 4, 70))).ok()?;
    let fill = gpu.function(gpu.module()?, "fill")?;
    cu!(gpu.cuGraphKernelNodeSetParams_v2(step, &Kernel::new(fill, 1, memory, &[1, 33]).params))
        .ok()?;
    build.run()?;
    same("the later parameters", gpu.read(memory, 2)?, vec![33, 70])
}

fn set_exec_node(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let clear = build.fill(&[], word_fill(memory, 100))?;
    let step = build.add(&[clear], memory, 1)?;
    let exec = gpu.instantiate(build.graph)?;
    gpu.replay(exec, CUstream::NULL)?;
    same("as it was made", gpu.read(memory, 1)?, vec![101])?;
    // A launch in progress keeps its parameters.
    cu!(gpu.cuGraphLaunch(exec, CUstream::NULL)).ok()?;
    cu!(gpu.cuGraphExecKernelNodeSetParams_v2(
        exec,
        step,
        &Kernel::new(build.add, 1, memory, &[1, 5]).params
    ))
    .ok()?;
    same("launched before", gpu.read(memory, 1)?, vec![101])?;
    gpu.replay(exec, CUstream::NULL)?;
    same("with another number", gpu.read(memory, 1)?, vec![105])?;
    cu!(gpu.cuGraphExecMemsetNodeSetParams(exec, clear, &word_fill(memory, 200), gpu.context))
        .ok()?;
    gpu.replay(exec, CUstream::NULL)?;
    same("with another fill", gpu.read(memory, 1)?, vec![205])?;
    // The graph itself has not changed.
    build.run()?;
    same("the graph", gpu.read(memory, 1)?, vec![101])
}

fn switched_off(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let clear = build.fill(&[], word_fill(memory, 100))?;
    let step = build.add(&[clear], memory, 1)?;
    build.add(&[step], memory, 10)?;
    let exec = gpu.instantiate(build.graph)?;
    for (enabled, expected) in [(1, 111), (0, 110), (1, 111)] {
        cu!(gpu.cuGraphNodeSetEnabled(exec, step, enabled)).ok()?;
        let mut found = 9;
        cu!(gpu.cuGraphNodeGetEnabled(exec, step, &mut found)).ok()?;
        same("enabled", found, enabled)?;
        gpu.replay(exec, CUstream::NULL)?;
        same("the word", gpu.read(memory, 1)?, vec![expected])?;
    }
    Ok(())
}

fn other_events(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (first, second, start) = (gpu.event(0)?, gpu.event(0)?, gpu.event(0)?);
    let mut record = CUgraphNode::NULL;
    cu!(gpu.cuGraphAddEventRecordNode(&mut record, build.graph, std::ptr::null(), 0, first))
        .ok()?;
    let exec = gpu.instantiate(build.graph)?;
    cu!(gpu.cuGraphExecEventRecordNodeSetEvent(exec, record, second)).ok()?;
    cu!(gpu.cuEventRecord(start, stream)).ok()?;
    gpu.replay(exec, stream)?;
    let mut ms = -1.0;
    let untouched = cu!(gpu.cuEventElapsedTime(&mut ms, start, first));
    same("the previous event was never recorded", untouched, CUresult::INVALID_HANDLE)?;
    cu!(gpu.cuEventElapsedTime(&mut ms, start, second)).ok()?;
    same("a plausible time", (0.0..10_000.0).contains(&ms), true)
}

fn get_kernel(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(64)?;
    let node = build.kernel(&[], &Kernel::new(build.add, 16, memory, &[16, 9]))?;
    // SAFETY: all-zero bytes are valid for a struct of numbers and pointers.
    let mut params: CUDA_KERNEL_NODE_PARAMS = unsafe { std::mem::zeroed() };
    cu!(gpu.cuGraphKernelNodeGetParams_v2(node, &mut params)).ok()?;
    same("function", params.func, build.add)?;
    same("grid", (params.gridDimX, params.gridDimY, params.gridDimZ), (1, 1, 1))?;
    same("block", (params.blockDimX, params.blockDimY, params.blockDimZ), (16, 1, 1))?;
    same("shared memory", params.sharedMemBytes, 0)?;
    same("parameters", params.kernelParams.is_null(), false)?;
    // SAFETY: the list has one pointer for each of the three parameters, which live as long as the
    // node.
    let values = unsafe {
        let pointers = std::slice::from_raw_parts(params.kernelParams, 3);
        (
            pointers[0].cast::<u64>().read(),
            pointers[1].cast::<u32>().read(),
            pointers[2].cast::<u32>().read(),
        )
    };
    same("their values", values, (memory, 16, 9))
}

fn update(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let (add, fill) = (gpu.function(module, "add")?, gpu.function(module, "fill")?);
    let (memory, other) = (gpu.alloc(1024)?, gpu.alloc(1024)?);
    let record = |to: CUdeviceptr, function, value: u32| -> Result<CUgraph, Outcome> {
        gpu.begin_capture(stream)?;
        cu!(gpu.cuMemsetD32Async(to, value, 256, stream)).ok()?;
        gpu.launch(function, (1, 256), stream, to, &[256, 1]).ok()?;
        gpu.end_capture(stream)
    };
    let exec = gpu.instantiate(record(memory, add, 10)?)?;
    gpu.replay(exec, stream)?;
    same("at first", gpu.read(memory, 256)?, vec![11; 256])?;
    for (to, value) in [(memory, 20), (other, 30)] {
        let graph = record(to, add, value)?;
        let mut info = CUgraphExecUpdateResultInfo {
            result: -1,
            errorNode: CUgraphNode::NULL,
            errorFromNode: CUgraphNode::NULL,
        };
        cu!(gpu.cuGraphExecUpdate_v2(exec, graph, &mut info)).ok()?;
        cu!(gpu.cuGraphDestroy(graph)).ok()?;
        same("the result", info.result, 0)?;
        gpu.replay(exec, stream)?;
        same("updated", gpu.read(to, 256)?, vec![value + 1; 256])?;
    }
    let mut info = CUgraphExecUpdateResultInfo {
        result: -1,
        errorNode: CUgraphNode::NULL,
        errorFromNode: CUgraphNode::NULL,
    };
    cu!(gpu.cuGraphExecUpdate_v2(exec, record(memory, fill, 0)?, &mut info)).ok()?;
    gpu.replay(exec, stream)?;
    same("with another function", gpu.read(memory, 256)?, (1..257).collect())
}

fn update_refused(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let clear = build.fill(&[], word_fill(memory, 1))?;
    let step = build.add(&[clear], memory, 1)?;
    let exec = gpu.instantiate(build.graph)?;
    let refused = |graph: CUgraph| -> Done {
        let mut info = CUgraphExecUpdateResultInfo {
            result: 0,
            errorNode: CUgraphNode::NULL,
            errorFromNode: CUgraphNode::NULL,
        };
        same(
            "the update",
            cu!(gpu.cuGraphExecUpdate_v2(exec, graph, &mut info)),
            CUresult::GRAPH_EXEC_UPDATE_FAILURE,
        )?;
        same("the result is a success", info.result == 0, false)
    };
    build.add(&[step], memory, 1)?;
    refused(build.graph)?;
    let other = Build::new(gpu)?;
    let first = other.add(&[], memory, 1)?;
    other.add(&[first], memory, 1)?;
    refused(other.graph)?;
    gpu.replay(exec, CUstream::NULL)?;
    same("as it was", gpu.read(memory, 1)?, vec![2])
}

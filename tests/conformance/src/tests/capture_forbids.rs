//! The calls that a capture forbids, by its mode and by the calling thread.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::*;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

pub const TESTS: &[Test] = &[
    ("capture/calls_that_may_be_forbidden", forbidden_calls),
    ("capture/invalidated_while_work_is_captured", invalidated_beside_work),
];

/// Another thread's forbidden calls invalidate captures at any moment. Only work in the capture and
/// the capture's end may fail.
fn invalidated_beside_work(gpu: &Gpu) -> Done {
    const ROUNDS: u32 = 200;
    let (stream, memory) = (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.alloc(4096)?);
    let is_over = AtomicBool::new(false);
    let forbidden = || -> Done {
        cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
        while !is_over.load(SeqCst) {
            let mut other = 0;
            match cu!(gpu.cuMemAlloc_v2(&mut other, 4096)) {
                CUresult::STREAM_CAPTURE_UNSUPPORTED => continue,
                code => code.ok()?,
            }
            while cu!(gpu.cuMemFree_v2(other)) == CUresult::STREAM_CAPTURE_UNSUPPORTED {}
        }
        Ok(())
    };
    let captures = || -> Done {
        for _ in 0..ROUNDS {
            let mut graph = CUgraph::NULL;
            cu!(gpu.cuStreamBeginCapture_v2(stream, values::STREAM_CAPTURE_MODE_GLOBAL)).ok()?;
            for value in 0..4 {
                match cu!(gpu.cuMemsetD32Async(memory, value, 16, stream)) {
                    CUresult::STREAM_CAPTURE_INVALIDATED => {}
                    code => code.ok()?,
                }
            }
            match cu!(gpu.cuStreamEndCapture(stream, &mut graph)) {
                CUresult::STREAM_CAPTURE_INVALIDATED => {}
                code => {
                    code.ok()?;
                    cu!(gpu.cuGraphDestroy(graph)).ok()?;
                }
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(forbidden);
        let captured = captures();
        is_over.store(true, SeqCst);
        let other = other.join().unwrap_or_else(|_| fail("a thread panicked"));
        captured.and(other)
    })
}

/// Calls that NVIDIA's driver forbids during a capture, depending on the capture's mode and on the
/// thread. A forbidden call also invalidates the capture.
fn forbidden_calls(gpu: &Gpu) -> Done {
    const GLOBAL: i32 = values::STREAM_CAPTURE_MODE_GLOBAL;
    const THREAD_LOCAL: i32 = 1;
    const RELAXED: i32 = values::STREAM_CAPTURE_MODE_RELAXED;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let other = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let event = gpu.event(values::EVENT_DISABLE_TIMING)?;
    let (mut pool, mut graph) = (CUmemoryPool::NULL, CUgraph::NULL);
    cu!(gpu.cuDeviceGetDefaultMemPool(&mut pool, 0)).ok()?;
    cu!(gpu.cuGraphCreate(&mut graph, 0)).ok()?;
    let calls: [(&str, &(dyn Fn() -> CUresult + Sync)); 10] = [
        ("an allocation", &|| cu!(gpu.cuMemAlloc_v2(&mut 0, 4096))),
        ("a free of nothing", &|| cu!(gpu.cuMemFree_v2(0))),
        ("pinned memory", &|| cu!(gpu.cuMemHostAlloc(&mut std::ptr::null_mut(), 4096, 0))),
        ("a question about an event", &|| cu!(gpu.cuEventQuery(event))),
        ("a wait for an event", &|| cu!(gpu.cuEventSynchronize(event))),
        ("a question about a stream", &|| cu!(gpu.cuStreamQuery(other))),
        ("a wait for a stream", &|| cu!(gpu.cuStreamSynchronize(other))),
        ("an allocation in a stream", &|| cu!(gpu.cuMemAllocAsync(&mut 0, 4096, other))),
        ("a trim", &|| cu!(gpu.cuMemPoolTrimTo(pool, 0))),
        ("an executable graph", &|| {
            let mut exec = CUgraphExec::NULL;
            cu!(gpu.cuGraphInstantiateWithFlags(&mut exec, graph, 0))
        }),
    ];
    // The capture's mode, whether another thread calls, the calling thread's mode, whether the call
    // is forbidden.
    let ways = [
        (GLOBAL, false, GLOBAL, true),
        (GLOBAL, true, GLOBAL, true),
        (THREAD_LOCAL, false, GLOBAL, true),
        (THREAD_LOCAL, true, GLOBAL, false),
        (RELAXED, false, GLOBAL, false),
        (GLOBAL, false, RELAXED, false),
        (GLOBAL, true, THREAD_LOCAL, false),
    ];
    for (what, call) in calls {
        for (mode, elsewhere, own, forbidden) in ways {
            let at = format!("{what}, capture {mode}, other thread {elsewhere}, own mode {own}");
            cu!(gpu.cuStreamBeginCapture_v2(stream, mode)).ok()?;
            let in_mode = || -> Result<CUresult, Outcome> {
                let mut own = own;
                cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
                cu!(gpu.cuThreadExchangeStreamCaptureMode(&mut own)).ok()?;
                let code = call();
                cu!(gpu.cuThreadExchangeStreamCaptureMode(&mut own)).ok()?;
                Ok(code)
            };
            let code = if elsewhere {
                std::thread::scope(|scope| {
                    scope.spawn(in_mode).join().unwrap_or_else(|_| fail("a thread panicked"))
                })?
            } else {
                in_mode()?
            };
            let expected = if forbidden {
                (CUresult::STREAM_CAPTURE_UNSUPPORTED, CUresult::STREAM_CAPTURE_INVALIDATED)
            } else {
                (CUresult::SUCCESS, CUresult::SUCCESS)
            };
            let mut graph = CUgraph::NULL;
            let end = cu!(gpu.cuStreamEndCapture(stream, &mut graph));
            same(&at, (code, end), expected)?;
        }
    }
    Ok(())
}

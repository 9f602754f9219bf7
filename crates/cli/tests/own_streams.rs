//! A thread's own default stream ends with the thread, on the node too. So a program whose threads
//! come and go leaves nothing on the node.

#[allow(dead_code, reason = "each test binary uses a part of it")]
mod fixtures;

use fixtures::node_process::{Node, PATIENCE, built};
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUstream};
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

const THREADS: usize = 200;

static CALLS: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count(_: *mut c_void) {
    CALLS.fetch_add(1, SeqCst);
}

#[test]
fn a_threads_own_stream_ends_with_it() {
    let node = Node::start(&[]);
    // SAFETY: this process has only this test, and no other thread yet.
    unsafe { std::env::set_var("OUTHAUL_NODE", &node.address) };
    let driver = Driver::open(&built("libouthaul_client.so")).unwrap();
    let (mut context, mut memory) = (CUcontext::NULL, 0);
    // SAFETY: the out-pointers are to locals.
    unsafe {
        driver.cuInit(0).ok().unwrap();
        driver.cuDevicePrimaryCtxRetain(&mut context, 0).ok().unwrap();
        driver.cuCtxSetCurrent(context).ok().unwrap();
        driver.cuMemAlloc_v2(&mut memory, THREADS * 4).ok().unwrap();
    }
    // On the software GPU, a stream that has run a host function keeps a thread while the stream
    // exists.
    let threads_of = |worker| std::fs::read_dir(format!("/proc/{worker}/task")).unwrap().count();
    let worker = node.worker();
    let before = threads_of(worker);
    for number in 0..THREADS as u32 {
        let fill = || {
            // SAFETY: the memory belongs to this program, and has a word for each thread.
            unsafe {
                driver.cuCtxSetCurrent(context).ok().unwrap();
                driver
                    .cuMemsetD32Async(
                        memory + 4 * u64::from(number),
                        number,
                        1,
                        CUstream::PER_THREAD,
                    )
                    .ok()
                    .unwrap();
                driver
                    .cuLaunchHostFunc(CUstream::PER_THREAD, Some(count), std::ptr::null_mut())
                    .ok()
                    .unwrap();
            }
        };
        std::thread::scope(|scope| scope.spawn(fill).join().unwrap());
    }
    let mut words = vec![0u32; THREADS];
    // SAFETY: `words` is valid for writes of the copied bytes.
    unsafe {
        driver.cuCtxSynchronize().ok().unwrap();
        driver.cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), memory, THREADS * 4).ok().unwrap();
    }
    assert!(words.iter().copied().eq(0..THREADS as u32), "their work went on");
    assert_eq!(CALLS.load(SeqCst), THREADS);
    let start = Instant::now();
    while threads_of(worker) > before + THREADS / 10 && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(
        threads_of(worker) <= before + THREADS / 10,
        "{before} threads before, {} after",
        threads_of(worker)
    );
}

//! Worker threads. They live as long as the process and share the clusters of all running grids.

use outhaul_lock::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::block::Progress;
use super::cluster::Cluster;
use super::fault_handler;
use super::fiber::Stacks;
use super::job::{Job, Plan};
use super::limits::THREADS_MAX;
use crate::engine::Fault;

struct Pool {
    jobs: Mutex<VecDeque<Arc<Job>>>,
    arrived: Condvar,
}

/// The worker threads, which the time limit interrupts.
static THREADS: Mutex<Vec<libc::pthread_t>> = Mutex::new(Vec::new());
/// Interval between interrupts of a worker. An interrupt outside compiled code has no effect.
const INTERRUPT_EVERY: Duration = Duration::from_millis(5);

static POOL: Pool = Pool { jobs: Mutex::new(VecDeque::new()), arrived: Condvar::new() };

/// Returns the number of worker threads. The first call starts them.
pub fn workers() -> usize {
    static WORKERS: OnceLock<usize> = OnceLock::new();
    *WORKERS.get_or_init(|| {
        let count = std::thread::available_parallelism().map_or(1, |n| n.get());
        fault_handler::install();
        for index in 0..count {
            let name = format!("softgpu-{index}");
            let body = move || work(index as u32);
            std::thread::Builder::new().name(name).spawn(body).expect("a worker thread");
        }
        count
    })
}

/// Runs a grid on the pool and waits until the grid ends.
pub fn run(plan: &Plan<'_>) -> Result<(), Fault> {
    let job = Arc::new(Job::new(plan));
    if job.count == 0 {
        return Ok(());
    }
    workers();
    POOL.jobs.lock().push_back(job.clone());
    POOL.arrived.notify_all();
    let mut state = job.state.lock();
    let deadline = plan.time_limit.map(|limit| Instant::now() + limit);
    while state.finished < job.count {
        let Some(deadline) = deadline else {
            state = job.done.wait(state);
            continue;
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            job.stop.store(true, Ordering::Relaxed);
            job.overdue.store(true, Ordering::Relaxed);
            state.fault.get_or_insert(Fault::TimeLimit);
            THREADS.lock().iter().for_each(|&thread| fault_handler::interrupt(thread));
        }
        let pause = left.max(INTERRUPT_EVERY);
        state = job.done.wait_timeout(state, pause).0;
    }
    state.fault.take().map_or(Ok(()), Err)
}

fn next_job() -> Arc<Job> {
    let mut jobs = POOL.jobs.lock();
    loop {
        jobs.retain(|job| !job.exhausted());
        if let Some(job) = jobs.front() {
            return job.clone();
        }
        jobs = POOL.arrived.wait(jobs);
    }
}

fn work(worker: u32) {
    fault_handler::prepare_thread();
    // SAFETY: the call returns the calling thread, which lives as long as the process.
    THREADS.lock().push(unsafe { libc::pthread_self() });
    let mut stacks = None;
    loop {
        let job = next_job();
        let share = if job.cooperative { job.count.div_ceil(workers() as u64) as usize } else { 1 };
        let result = if job.cooperative {
            cooperative(&job, worker, share)
        } else {
            let count = if job.stacks() > 1 { job.stacks().max(THREADS_MAX) } else { 1 };
            reserve(&mut stacks, count, job.stack_bytes)
                .map(|stacks| independent(&job, worker, stacks))
        };
        // The pool does not keep the many stacks of a large cluster.
        stacks = stacks.filter(|stacks| stacks.count() <= THREADS_MAX);
        if let Err(fault) = result {
            drain(&job, fault);
        }
    }
}

/// Returns at least `count` stacks of at least `bytes` bytes. Reuses the stacks of the previous job
/// if they suffice.
fn reserve(stacks: &mut Option<Stacks>, count: usize, bytes: usize) -> Result<&mut Stacks, Fault> {
    if stacks.as_ref().is_none_or(|stacks| stacks.count() < count || stacks.stack_bytes() < bytes) {
        *stacks = None;
        *stacks = Some(Stacks::new(count, bytes).map_err(|_| Fault::OutOfMemory)?);
    }
    stacks.as_mut().ok_or(Fault::OutOfMemory)
}

fn drain(job: &Job, fault: Fault) {
    while job.claim().is_some() {
        job.finish(1, Some(fault.clone()));
    }
}

/// Runs clusters one after another, in index order, because a block may wait for an earlier block.
fn independent(job: &Job, worker: u32, stacks: &mut Stacks) {
    if job.exhausted() {
        return;
    }
    let mut cluster = Cluster::new(job, worker, stacks);
    let mut finished = 0;
    while let Some(id) = job.claim() {
        if !job.stopped() {
            cluster.begin(id);
            if let Err(fault) = complete(&mut cluster) {
                job.finish(1, Some(fault));
                continue;
            }
        }
        finished += 1;
    }
    if finished > 0 {
        job.finish(finished, None);
    }
}

fn complete(cluster: &mut Cluster) -> Result<(), Fault> {
    loop {
        match cluster.advance() {
            Progress::Done => return Ok(()),
            Progress::Stalled => std::thread::yield_now(),
            Progress::Failed(fault) => return Err(fault),
        }
    }
}

struct Resident {
    cluster: Cluster,
    _stacks: Box<Stacks>,
}

/// Runs all clusters of a worker's share concurrently, in turns. If all of them wait, the worker
/// admits one more cluster, so that the grid never starves.
fn cooperative(job: &Job, worker: u32, share: usize) -> Result<(), Fault> {
    let mut resident: Vec<Resident> = Vec::new();
    loop {
        let mut moved = false;
        while resident.len() < share.max(1)
            && let Some(cluster) = admit(job, worker)?
        {
            resident.push(cluster);
            moved = true;
        }
        let before = resident.len();
        resident.retain_mut(|entry| {
            let fault = match entry.cluster.advance() {
                Progress::Stalled if !job.stopped() => return true,
                Progress::Stalled => Some(Fault::Trap),
                Progress::Done => None,
                Progress::Failed(fault) => Some(fault),
            };
            job.finish(1, fault);
            false
        });
        if resident.is_empty() && job.exhausted() {
            return Ok(());
        }
        if !moved && resident.len() == before {
            match admit(job, worker)? {
                Some(cluster) => resident.push(cluster),
                None => std::thread::yield_now(),
            }
        }
    }
}

fn admit(job: &Job, worker: u32) -> Result<Option<Resident>, Fault> {
    let Some(id) = job.claim() else { return Ok(None) };
    let mut stacks = match Stacks::new(job.stacks(), job.stack_bytes) {
        Ok(stacks) => Box::new(stacks),
        Err(_) => {
            job.finish(1, Some(Fault::OutOfMemory));
            return Err(Fault::OutOfMemory);
        }
    };
    let mut cluster = Cluster::new(job, worker, &raw mut *stacks);
    cluster.begin(id);
    Ok(Some(Resident { cluster, _stacks: stacks }))
}

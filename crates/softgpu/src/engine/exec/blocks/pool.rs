//! Worker threads. They live as long as the process and share the clusters of every running grid.

use outhaul_lock::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::block::{Entry, Progress, THREADS_MAX};
use super::cluster::Cluster;
use super::fiber::Stacks;
use super::signal;
use crate::engine::{Checker, Fault, Output};

/// Words of zeroed memory that each grid gets for the grid barrier of cooperative groups.
const WORKSPACE_WORDS: usize = 64;

/// A running grid.
pub struct Job {
    /// Number that differs for each grid.
    pub id: u64,
    /// Entry point of the kernel.
    pub entry: Entry,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: [u32; 3],
    /// Clusters of the grid.
    pub clusters: [u32; 3],
    /// Whether the launch or the kernel asked for clusters.
    pub cluster_is_explicit: bool,
    /// Shared memory of a block, in bytes.
    pub shared_bytes: u64,
    /// Offset of dynamic shared memory.
    pub dynamic_base: u32,
    /// Size of dynamic shared memory.
    pub dynamic_bytes: u32,
    /// Addresses of the program's global variables.
    pub globals: *const *mut u8,
    /// Whether all blocks must be resident at once.
    pub cooperative: bool,
    /// Size of each stack.
    pub stack_bytes: usize,
    /// Size of each thread's frame.
    pub frame_bytes: usize,
    /// Receiver of the kernel's output.
    pub output: *const dyn Output,
    /// Name of the kernel.
    pub name: String,
    checker: Option<*const dyn Checker>,
    params: Vec<u128>,
    workspace: Box<[AtomicU32; WORKSPACE_WORDS]>,
    /// Number of clusters.
    count: u64,
    claimed: AtomicU64,
    stop: AtomicBool,
    overdue: AtomicBool,
    state: Mutex<State>,
    done: Condvar,
}

#[derive(Default)]
struct State {
    finished: u64,
    fault: Option<Fault>,
}

// SAFETY: the raw pointers (globals, output) stay valid until `Pool::run` returns, which is after
// the last worker used them.
unsafe impl Send for Job {}
// SAFETY: as above; what changes is atomic or locked.
unsafe impl Sync for Job {}

/// The arguments of a launch.
pub struct Plan<'a> {
    /// Entry point of the kernel.
    pub entry: Entry,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster, if the launch or the kernel has clusters. The grid consists of whole
    /// clusters.
    pub cluster: Option<[u32; 3]>,
    /// Size of static shared memory.
    pub static_shared_bytes: u32,
    /// Size of dynamic shared memory.
    pub dynamic_bytes: u32,
    /// Addresses of the program's global variables.
    pub globals: *const *mut u8,
    /// Whether all blocks must be resident at once.
    pub cooperative: bool,
    /// Size of each stack.
    pub stack_bytes: usize,
    /// Bytes that a waiting thread saves, in kernels that are entered by block.
    pub frame_bytes: usize,
    /// Receiver of the kernel's output.
    pub output: &'a dyn Output,
    /// Kernel parameters.
    pub params: &'a [u8],
    /// Name of the kernel.
    pub name: &'a str,
    /// Checker of every access. The code must be compiled for it.
    pub checker: Option<&'a dyn Checker>,
    /// Maximum run time.
    pub time_limit: Option<Duration>,
}

impl Job {
    fn new(plan: &Plan<'_>) -> Job {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        let mut params = vec![0u128; plan.params.len() / 16 + 1];
        // SAFETY: the vector has at least as many bytes as `plan.params`.
        unsafe {
            std::ptr::copy_nonoverlapping(
                plan.params.as_ptr(),
                params.as_mut_ptr().cast(),
                plan.params.len(),
            );
        }
        let cluster = plan.cluster.unwrap_or([1; 3]);
        let clusters = std::array::from_fn(|axis| plan.grid[axis] / cluster[axis]);
        let dynamic_base = plan.static_shared_bytes.next_multiple_of(16);
        let output: *const (dyn Output + '_) = plan.output;
        // SAFETY: only the lifetime changes; `Pool::run` returns after the last use.
        let output: *const dyn Output = unsafe { std::mem::transmute(output) };
        let checker: Option<*const (dyn Checker + '_)> =
            plan.checker.map(|checker| checker as *const _);
        // SAFETY: as above.
        let checker: Option<*const dyn Checker> = unsafe { std::mem::transmute(checker) };
        Job {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            entry: plan.entry,
            grid: plan.grid,
            block: plan.block,
            cluster,
            clusters,
            cluster_is_explicit: plan.cluster.is_some(),
            shared_bytes: u64::from(dynamic_base) + u64::from(plan.dynamic_bytes),
            dynamic_base,
            dynamic_bytes: plan.dynamic_bytes,
            globals: plan.globals,
            cooperative: plan.cooperative,
            stack_bytes: plan.stack_bytes,
            frame_bytes: plan.frame_bytes,
            output,
            name: plan.name.to_string(),
            checker,
            params,
            workspace: Box::new([const { AtomicU32::new(0) }; WORKSPACE_WORDS]),
            count: clusters.iter().map(|&n| u64::from(n)).product(),
            claimed: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            overdue: AtomicBool::new(false),
            state: Mutex::default(),
            done: Condvar::new(),
        }
    }

    /// Returns the kernel parameters.
    pub fn params(&self) -> *const u8 {
        self.params.as_ptr().cast()
    }

    /// Returns the size of the kernel parameters, rounded up.
    pub fn params_bytes(&self) -> u64 {
        self.params.len() as u64 * 16
    }

    /// Returns the size of the workspace.
    pub fn workspace_bytes(&self) -> u64 {
        WORKSPACE_WORDS as u64 * 4
    }

    /// Returns the checker of accesses.
    pub fn checker(&self) -> Option<&dyn Checker> {
        // SAFETY: see `new`.
        self.checker.map(|checker| unsafe { &*checker })
    }

    /// Returns the address of the zeroed workspace.
    pub fn workspace(&self) -> u64 {
        self.workspace.as_ptr() as u64
    }

    /// Returns whether another block has failed, so that waiting for it would never end.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns whether its threads must be removed from their code.
    pub fn overdue(&self) -> bool {
        self.overdue.load(Ordering::Relaxed)
    }

    /// Returns the receiver of the kernel's output.
    pub fn output(&self) -> &dyn Output {
        // SAFETY: see `new`.
        unsafe { &*self.output }
    }

    fn claim(&self) -> Option<[u32; 3]> {
        let index = self.claimed.fetch_add(1, Ordering::Relaxed);
        let [x, y] = [u64::from(self.clusters[0]), u64::from(self.clusters[1])];
        (index < self.count)
            .then(|| [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32])
    }

    /// Returns how many threads of a cluster have their own stacks. Blocks whose threads have none
    /// take turns on one stack.
    fn stacks(&self) -> usize {
        match self.entry {
            Entry::Thread(_) => self.block.iter().chain(&self.cluster).product::<u32>() as usize,
            Entry::Block(_) => 1,
        }
    }

    fn exhausted(&self) -> bool {
        self.claimed.load(Ordering::Relaxed) >= self.count
    }

    fn finish(&self, count: u64, fault: Option<Fault>) {
        let mut state = self.state.lock();
        state.finished += count;
        if fault.is_some() {
            self.stop.store(true, Ordering::Relaxed);
            state.fault = state.fault.take().or(fault);
        }
        if state.finished == self.count {
            self.done.notify_all();
        }
    }
}

struct Pool {
    jobs: Mutex<VecDeque<Arc<Job>>>,
    arrived: Condvar,
}

/// The worker threads, to interrupt them.
static THREADS: Mutex<Vec<libc::pthread_t>> = Mutex::new(Vec::new());
/// Interval between interrupts of a thread. An interrupt outside the kernel's own code has no
/// effect.
const INTERRUPT_EVERY: Duration = Duration::from_millis(5);

static POOL: Pool = Pool { jobs: Mutex::new(VecDeque::new()), arrived: Condvar::new() };

/// Returns the number of worker threads. The first call starts them.
pub fn workers() -> usize {
    static WORKERS: OnceLock<usize> = OnceLock::new();
    *WORKERS.get_or_init(|| {
        let count = std::thread::available_parallelism().map_or(1, |n| n.get());
        signal::install();
        for index in 0..count {
            let name = format!("softgpu-{index}");
            let body = move || work(index as u32);
            std::thread::Builder::new().name(name).spawn(body).expect("a worker thread");
        }
        count
    })
}

/// Runs a grid on the pool and waits for its end.
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
            THREADS.lock().iter().for_each(|&thread| signal::interrupt(thread));
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
    signal::prepare_thread();
    // SAFETY: asks for the calling thread, which lives as long as the process.
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
        // The stacks of a large cluster are not kept.
        stacks = stacks.filter(|stacks| stacks.count() <= THREADS_MAX);
        if let Err(fault) = result {
            drain(&job, fault);
        }
    }
}

/// Returns stacks of at least the given size, kept from job to job.
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

/// Runs clusters one after the other, in the order of their indices, because a block may wait for
/// an earlier one.
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

/// Runs all clusters of a worker's share at once, in turn. If every one of them waits, it admits
/// more, so that the grid never starves.
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

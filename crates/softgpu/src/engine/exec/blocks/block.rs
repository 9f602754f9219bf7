//! The threads of one block, which share a core. When a thread cannot continue, another ready
//! thread runs, without help from the operating system. Compiled code jumps to that thread, or
//! switches to its stack if each thread has a stack. Compiled code reads the leading fields of
//! [`Thread`] and [`Block`] directly.

mod barrier;
pub mod sync;

use super::attendance::Attendance;
use super::fiber::{Stacks, switch};
use super::job::{Job, Start};
use super::limits::{BARRIERS, EXITED, SLOT_BYTES, SPINS_PER_YIELD, THREADS_MAX};
use super::warp::{Pending, Warp};
use crate::engine::Fault;
use crate::engine::exec::arithmetic::matrix::{FRAGMENT_WORDS, Fragment};
use crate::engine::exec::memory::local::Local;
use crate::engine::exec::memory::shadow::Shadow;
use barrier::Barrier;

/// The entry point of compiled code.
#[derive(Debug, Clone, Copy)]
enum Entry {
    /// Runs one thread on the thread's own stack.
    Thread(unsafe extern "C" fn(*mut Thread, *mut Block)),
    /// Runs all threads, beginning with the given one. The code itself jumps from one thread to the
    /// next. Frames hold the values that a waiting thread needs later.
    Block(unsafe extern "C" fn(*mut Block, u32)),
}

impl Entry {
    fn new(start: Start) -> Entry {
        // SAFETY: the caller of `Start::new` guarantees that the code has exactly this signature
        // and lives as long as the grid.
        unsafe {
            match start.by_block() {
                true => Entry::Block(std::mem::transmute::<
                    usize,
                    unsafe extern "C" fn(*mut Block, u32),
                >(start.address())),
                false => Entry::Thread(std::mem::transmute::<
                    usize,
                    unsafe extern "C" fn(*mut Thread, *mut Block),
                >(start.address())),
            }
        }
    }
}

/// A thread of a block.
#[repr(C)]
pub struct Thread {
    pub tid: [u32; 3],
    /// Index of the thread's lane in the warp.
    pub lane: u32,
    /// Index of the thread's warp in the block.
    pub warp: u32,
    /// Index of the thread in the block.
    pub index: u32,
    /// Lowest address that compiled code may push to.
    pub stack_limit: usize,
    /// Lowest address of the thread's local variables.
    pub stack_low: usize,
    /// End of the thread's local variables.
    pub stack_high: usize,
    /// Loop iterations that remain until the thread lets others run.
    pub spins: u32,
    /// Predicate that the last collective returned.
    pub flag: u32,
    /// Value that the last collective returned.
    pub result: u64,
    /// Saved stack pointer. 0 before the thread has started.
    sp: usize,
    stack: u32,
    exited: bool,
    /// The collective that the thread waits in.
    pub pending: Pending,
    /// Local memory that the thread has allocated.
    pub local: Local,
}

/// A block. The first fields are PTX special registers with the same names.
#[repr(C)]
pub struct Block {
    pub ctaid: [u32; 4],
    pub ntid: [u32; 4],
    pub nctaid: [u32; 4],
    pub clusterid: [u32; 4],
    pub nclusterid: [u32; 4],
    pub cluster_ctaid: [u32; 4],
    pub cluster_nctaid: [u32; 4],
    pub cluster_rank: u32,
    pub cluster_size: u32,
    pub cluster_is_explicit: u32,
    /// The cluster's shared memory: one slot for each block, in rank order.
    pub cluster_shared: *mut u8,
    /// The cluster's first block. The blocks of a cluster are contiguous in memory.
    pub first_of_cluster: *mut Block,
    /// Kernel parameters.
    pub params: *const u8,
    pub first_thread: *mut Thread,
    /// The threads' frames, one after another, in kernels that are entered by block.
    pub frames: *mut u8,
    /// Each thread's resume point, in kernels that are entered by block.
    pub states: *mut u32,
    /// Number of threads.
    pub count: u32,
    /// Index of the running thread.
    pub current: u32,
    /// The thread that the scheduler chose in its last call. Negative if no thread can continue.
    pub next: i32,
    /// Number of threads that wait at barrier 0 during a pass.
    pub arrived: u32,
    /// Whether a pass is in progress. In a pass, threads run in index order, each until the thread
    /// leaves or arrives at barrier 0. The tables below keep their values from the start of the
    /// pass. Lanes that meet in a collective run again, beginning with the first of them.
    pub in_order: u8,
    /// Whether all threads share one stack.
    pub stackless: bool,
    /// The block's shared memory.
    pub shared: *mut u8,
    pub shared_bytes: u64,
    /// Offset of dynamic shared memory.
    pub dynamic_base: u32,
    /// Size of dynamic shared memory.
    pub dynamic_bytes: u32,
    /// Addresses of the program's global variables.
    pub globals: *const *mut u8,
    /// Address of zeroed memory for the grid barrier. All blocks of the grid share the memory.
    pub workspace: u64,
    pub grid_id: u64,
    /// Index of the worker that runs the block.
    pub worker: u32,
    /// The grid.
    pub job: *const Job,
    pub threads: Vec<Thread>,
    pub warps: Vec<Warp>,
    /// The worker's stacks.
    pub stacks: *mut Stacks,
    /// Matrix fragments, one for each thread, in kernels that multiply matrices.
    fragments: Vec<Fragment>,
    /// Recorded accesses to shared memory, if accesses are checked.
    pub shadow: Shadow,
    checked: bool,
    frame_memory: Vec<u128>,
    state_memory: Vec<u32>,
    frame_bytes: usize,
    entry: Entry,
    ready: [u64; THREADS_MAX / 64],
    /// Number of threads that have not left the kernel.
    pub live: u32,
    /// Number of lanes that have arrived at a collective in the current pass and still wait there.
    pub in_collectives: u32,
    barriers: Vec<Barrier>,
    barriers_busy: u32,
    /// The block's threads at the cluster barrier.
    pub at_cluster: Attendance,
    scheduler_sp: usize,
    discarded_sp: usize,
    /// Whether the tables above still hold their values from the start of the block.
    pristine: bool,
    /// Whether any thread has allocated local memory.
    pub allocates: bool,
    /// Whether other blocks must also run on this core before this block can continue.
    shares_core: bool,
    /// The fault that ends the grid.
    pub fault: Option<Fault>,
}

/// The outcome of a call to [`Block::advance`].
pub enum Progress {
    Done,
    /// Every remaining thread spins or waits, so other blocks must run first.
    Stalled,
    Failed(Fault),
}

impl Block {
    /// Returns the block of rank `rank` in clusters of `job`'s shape. One `Block` value can run
    /// several blocks of the grid in turn.
    pub fn new(
        job: &Job,
        worker: u32,
        rank: u32,
        cluster_shared: *mut u8,
        stacks: *mut Stacks,
    ) -> Block {
        let ntid = job.block;
        let count = ntid.iter().product::<u32>();
        let threads = (0..count).map(|index| Thread::new(index, ntid)).collect();
        let wide = |[x, y, z]: [u32; 3]| [x, y, z, 0];
        let mut block = Block {
            ctaid: [0; 4],
            ntid: wide(ntid),
            nctaid: wide(job.grid),
            clusterid: [0; 4],
            nclusterid: wide(job.clusters),
            cluster_ctaid: [0; 4],
            cluster_nctaid: wide(job.cluster),
            cluster_rank: rank,
            cluster_size: job.cluster.iter().product(),
            cluster_is_explicit: u32::from(job.cluster_is_explicit),
            cluster_shared,
            first_of_cluster: std::ptr::null_mut(),
            params: job.params(),
            first_thread: std::ptr::null_mut(),
            frames: std::ptr::null_mut(),
            states: std::ptr::null_mut(),
            count,
            current: 0,
            next: 0,
            arrived: 0,
            in_order: 0,
            stackless: job.start.by_block(),
            shared: cluster_shared.wrapping_add(rank as usize * SLOT_BYTES as usize),
            shared_bytes: job.shared_bytes,
            dynamic_base: job.dynamic_base,
            dynamic_bytes: job.dynamic_bytes,
            globals: job.globals,
            workspace: job.workspace(),
            grid_id: job.id,
            worker,
            job,
            threads,
            warps: vec![Warp::default(); count.div_ceil(32) as usize],
            stacks,
            fragments: Vec::new(),
            shadow: Shadow::default(),
            checked: job.checker().is_some(),
            frame_memory: vec![0; job.frame_bytes * count as usize / 16],
            state_memory: vec![0; if job.frame_bytes > 0 { count as usize } else { 0 }],
            frame_bytes: job.frame_bytes,
            entry: Entry::new(job.start),
            ready: [0; THREADS_MAX / 64],
            live: count,
            in_collectives: 0,
            barriers: vec![Barrier::default(); BARRIERS],
            barriers_busy: 0,
            at_cluster: Attendance::default(),
            scheduler_sp: 0,
            discarded_sp: 0,
            pristine: false,
            allocates: false,
            shares_core: job.cooperative || job.cluster != [1; 3],
            fault: None,
        };
        block.frames = block.frame_memory.as_mut_ptr().cast();
        block.states = block.state_memory.as_mut_ptr();
        block.first_thread = block.threads.as_mut_ptr();
        block
    }

    /// Resets every thread to its start, for the block at position `within` in the cluster `id`.
    pub fn begin(&mut self, id: [u32; 3], within: [u32; 3], cluster: [u32; 3]) {
        for axis in 0..3 {
            self.clusterid[axis] = id[axis];
            self.cluster_ctaid[axis] = within[axis];
            self.ctaid[axis] = id[axis] * cluster[axis] + within[axis];
        }
        self.at_cluster = Attendance::default();
        self.fault = None;
        self.live = self.count;
        self.current = self.count - 1;
        self.in_order = 1;
        self.arrived = 0;
        self.in_collectives = 0;
        if self.checked {
            self.shadow.begin(self.shared_bytes as usize, self.warps.len());
        }
        // SAFETY: `states` points to `state_memory`, and compiled code also uses this pointer.
        unsafe { self.states.write_bytes(0, self.state_memory.len()) };
        if std::mem::take(&mut self.allocates) {
            self.threads.iter_mut().for_each(|thread| thread.local.release(0));
        }
        if !std::mem::replace(&mut self.pristine, true) {
            self.reset();
        }
    }

    fn reset(&mut self) {
        let count = self.threads.len();
        for (word, bits) in self.ready.iter_mut().enumerate() {
            let left = count.saturating_sub(word * 64);
            *bits = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
        }
        for thread in &mut self.threads {
            thread.sp = 0;
            thread.exited = false;
            thread.spins = SPINS_PER_YIELD;
            thread.pending = Pending::NONE;
        }
        for (index, warp) in self.warps.iter_mut().enumerate() {
            let left = count - index * 32;
            *warp = Warp::new(if left >= 32 { u32::MAX } else { (1 << left) - 1 });
        }
        if self.barriers_busy > 0 {
            self.barriers.fill(Barrier::default());
            self.barriers_busy = 0;
        }
    }

    /// Ends a pass early and updates the tables. Must run before a thread waits for anything except
    /// barrier 0.
    pub fn end_pass_early(&mut self) {
        if std::mem::replace(&mut self.in_order, 0) == 0 {
            return;
        }
        self.pristine = false;
        if !self.stackless {
            // Threads with stacks end the pass as soon as one of them waits. So all threads before
            // the current one have finished.
            (0..self.current).for_each(|index| self.finish(index));
            return;
        }
        for index in 0..self.count {
            if self.has_left(index) && !self.threads[index as usize].exited {
                self.finish(index);
            }
        }
        self.arrived = 0;
        let before: Vec<u32> =
            (0..self.current).filter(|&index| !self.threads[index as usize].exited).collect();
        for &index in &before {
            self.block_thread(index);
            self.lane_blocked(index);
            if self.threads[index as usize].pending.waits() {
                continue;
            }
            self.barriers_busy += u32::from(self.barriers[0].arrived == 0);
            self.barriers[0].arrived += 1;
            self.barriers[0].waiting[index as usize / 64] |= 1 << (index % 64);
        }
        if std::mem::take(&mut self.in_collectives) > 0 {
            before.into_iter().for_each(|index| self.arrive_late(index));
        }
    }

    /// Returns whether compiled code has recorded that thread `index` has left.
    fn has_left(&self, index: u32) -> bool {
        // SAFETY: `states` has one entry for each thread, and only this core writes it.
        !self.state_memory.is_empty() && unsafe { self.states.add(index as usize).read() } == EXITED
    }

    /// Ends a pass after every thread has run. Threads that wait at barrier 0 continue in the next
    /// pass.
    fn end_pass(&mut self) -> i32 {
        if self.in_collectives > 0 {
            // A collective waits for lanes that cannot arrive in this pass.
            self.current = self.count;
            self.end_pass_early();
            self.current = self.count - 1;
            return self.choose(self.current, false).map_or(-1, |next| next as i32);
        }
        self.shadow.pass();
        if std::mem::take(&mut self.arrived) == 0 {
            self.live = 0;
            return -1;
        }
        0
    }

    /// Runs threads until the block is done or cannot continue by itself.
    pub fn advance(&mut self) -> Progress {
        let block: *mut Block = self;
        // SAFETY: `self` is exclusively borrowed, so no other code accesses the block while its
        // threads run. The threads access the block through `block`, and return here only through
        // `scheduler_sp`.
        unsafe {
            if let Some(next) = (*block).choose((*block).current, true) {
                let to = if (*block).stackless {
                    (*block).start_at(next)
                } else {
                    (*block).target(next)
                };
                switch(&raw mut (*block).scheduler_sp, to);
            }
            (*block).scheduler_sp = 0;
            if let Some(fault) = (*block).fault.take() {
                return Progress::Failed(fault);
            }
        }
        if self.is_done() {
            return Progress::Done;
        }
        if self.can_run() || self.waits_for_cluster() {
            return Progress::Stalled;
        }
        Progress::Failed(Fault::Deadlock { block: [self.ctaid[0], self.ctaid[1], self.ctaid[2]] })
    }

    /// Returns whether every thread has left the kernel.
    pub fn is_done(&self) -> bool {
        self.live == 0
    }

    /// Returns whether any thread is ready.
    pub fn can_run(&self) -> bool {
        self.live > 0 && self.ready.iter().any(|&bits| bits != 0)
    }

    /// Returns whether the bytes are in a thread's stack or frame, in the parameters, or in the
    /// grid's workspace.
    pub fn is_own(&self, address: u64, bytes: u32) -> bool {
        let within = |base: u64, size: u64| {
            address >= base && address.saturating_add(u64::from(bytes)) <= base.saturating_add(size)
        };
        // SAFETY: the job and the stacks outlive the running block.
        let (job, stacks) = unsafe { (&*self.job, &*self.stacks) };
        let (low, high) = stacks.span();
        within(low as u64, (high - low) as u64)
            || within(self.frames as u64, self.frame_memory.len() as u64 * 16)
            || within(self.params as u64, job.params_bytes())
            || within(self.workspace, job.workspace_bytes())
    }

    /// Returns the matrix fragment of thread `index`.
    pub fn fragment(&mut self, index: usize) -> &mut Fragment {
        if self.fragments.is_empty() {
            self.fragments = vec![[0; FRAGMENT_WORDS]; self.count as usize];
        }
        &mut self.fragments[index]
    }

    /// Returns the matrix fragments of `count` threads, beginning with `first`.
    pub fn fragments(&mut self, first: usize, count: usize) -> &mut [Fragment] {
        self.fragment(first);
        &mut self.fragments[first..first + count]
    }

    /// Returns a slot in which to discard a stack pointer, and the scheduler's stack pointer. The
    /// latter is 0 while no thread runs.
    pub fn scheduler(&self) -> (*mut usize, usize) {
        (&raw const self.discarded_sp as *mut usize, self.scheduler_sp)
    }

    /// Returns the running thread.
    pub fn current(&self) -> &Thread {
        &self.threads[self.current as usize]
    }

    /// Returns the next ready thread. Prefers threads of the same warp, unless `fair` is set, which
    /// means index order.
    #[inline]
    fn pick(&self, after: u32, fair: bool) -> Option<u32> {
        if !fair {
            let bits = (self.ready[after as usize / 64] >> (after & 32)) as u32;
            if bits != 0 {
                let later = bits & !1u32.checked_shl(after & 31).map_or(0, |bit| bit | (bit - 1));
                return Some(
                    (after & !31) + if later != 0 { later } else { bits }.trailing_zeros(),
                );
            }
        }
        let (word, bit) = (after as usize / 64, after % 64);
        let words = self.threads.len().div_ceil(64);
        let above = self.ready[word] & !(u64::MAX >> (63 - bit));
        if above != 0 {
            return Some(word as u32 * 64 + above.trailing_zeros());
        }
        (1..=words).map(|step| (word + step) % words).find_map(|index| {
            let bits = self.ready[index];
            (bits != 0).then(|| index as u32 * 64 + bits.trailing_zeros())
        })
    }

    /// Like [`Self::pick`], except that a pass begins with the first thread.
    fn choose(&self, after: u32, fair: bool) -> Option<u32> {
        if self.stackless && self.in_order != 0 {
            self.pick(self.count - 1, true)
        } else {
            self.pick(after, fair)
        }
    }

    /// Marks a thread as ready.
    #[inline]
    pub fn wake(&mut self, thread: u32) {
        self.ready[thread as usize / 64] |= 1 << (thread % 64);
    }

    /// Marks a thread as not ready.
    #[inline]
    pub fn block_thread(&mut self, thread: u32) {
        self.ready[thread as usize / 64] &= !(1 << (thread % 64));
    }

    /// Prepares one stack that all threads share. The first thread to run is `next`.
    unsafe fn start_at(&mut self, next: u32) -> usize {
        self.next = next as i32;
        // SAFETY: `stacks` points to the worker's stacks while a block runs.
        let stacks = unsafe { &mut *self.stacks };
        let stack = stacks.take().expect("a stack for the block");
        let (low, high) = stacks.range(stack);
        if self.threads[0].stack_limit != stacks.limit(stack) {
            let frames = self.frames as usize;
            for (index, thread) in self.threads.iter_mut().enumerate() {
                thread.stack_limit = stacks.limit(stack);
                // If local variables must outlive a wait, they are in frames.
                let own = frames + index * self.frame_bytes;
                (thread.stack_low, thread.stack_high) =
                    if self.frame_bytes > 0 { (own, own + self.frame_bytes) } else { (low, high) };
            }
        }
        self.threads[0].stack = stack;
        stacks.prepare(stack, block_main, (&raw mut *self).cast())
    }

    /// Records that the running thread uses the stack `stack`.
    #[inline]
    fn place(&mut self, stack: u32) -> *mut Thread {
        // SAFETY: `stacks` points to the worker's stacks while a block runs.
        let stacks = unsafe { &*self.stacks };
        let thread = &mut self.threads[self.current as usize];
        thread.stack = stack;
        thread.stack_limit = stacks.limit(stack);
        (thread.stack_low, thread.stack_high) = stacks.range(stack);
        thread
    }

    /// Makes `next` the running thread and returns the stack pointer to switch to.
    #[inline]
    unsafe fn target(&mut self, next: u32) -> usize {
        self.current = next;
        let sp = self.threads[next as usize].sp;
        if sp != 0 {
            return sp;
        }
        // SAFETY: `stacks` points to the worker's stacks while a block runs.
        let stacks = unsafe { &mut *self.stacks };
        let stack = stacks.take().expect("one stack per thread");
        let sp = stacks.prepare(stack, fiber_main, (&raw mut *self).cast());
        self.threads[next as usize].stack = stack;
        sp
    }
}

impl Thread {
    fn new(index: u32, ntid: [u32; 3]) -> Thread {
        Thread {
            tid: [index % ntid[0], index / ntid[0] % ntid[1], index / ntid[0] / ntid[1]],
            lane: index % 32,
            warp: index / 32,
            index,
            stack_limit: 0,
            stack_low: 0,
            stack_high: 0,
            spins: SPINS_PER_YIELD,
            flag: 0,
            result: 0,
            sp: 0,
            stack: 0,
            exited: false,
            pending: Pending::NONE,
            local: Local::default(),
        }
    }
}

/// Runs all threads of a block on one stack until none can continue.
extern "C" fn block_main(block: *mut u8) -> ! {
    let block: *mut Block = block.cast();
    // SAFETY: the scheduler passes its live block, and no other stack runs until this one is left.
    unsafe {
        let stack = (&(*block).threads)[0].stack;
        if let Entry::Block(entry) = (*block).entry {
            entry(block, (*block).next as u32);
        }
        leave(block, stack, None)
    }
}

/// Runs threads that have not started, one after another. Ends when the next thread to run is one
/// that has waited.
extern "C" fn fiber_main(block: *mut u8) -> ! {
    let block: *mut Block = block.cast();
    // SAFETY: the scheduler passes its live block, and no other fiber runs until this one switches
    // away.
    unsafe {
        let stack = (*block).current().stack;
        let Entry::Thread(entry) = (*block).entry else {
            unreachable!("a block without stacks was given one per thread")
        };
        loop {
            let thread = (*block).place(stack);
            entry(thread, block);
            if (*block).in_order != 0 {
                if (*block).current + 1 < (*block).count {
                    (*block).current += 1;
                    continue;
                }
                (*block).live = 0;
                leave(block, stack, None);
            }
            let index = (*thread).index;
            (*block).finish(index);
            match (*block).pick(index, false) {
                Some(next) if (&(*block).threads)[next as usize].sp == 0 => (*block).current = next,
                next => leave(block, stack, next),
            }
        }
    }
}

/// Releases the running stack and continues with `next`, or with the scheduler.
unsafe fn leave(block: *mut Block, stack: u32, next: Option<u32>) -> ! {
    // SAFETY: as for `fiber_main`. The released stack remains intact until the switch, and no
    // thread returns to it afterwards.
    unsafe {
        (*(*block).stacks).give(stack);
        let to = match next {
            Some(next) => (*block).target(next),
            None => (*block).scheduler_sp,
        };
        switch(&raw mut (*block).discarded_sp, to);
    }
    unreachable!("a finished thread was resumed")
}

impl Block {
    /// Removes a thread from all counts. This may release threads that wait for that thread.
    fn finish(&mut self, index: u32) {
        self.block_thread(index);
        self.at_cluster.leave(index);
        self.threads[index as usize].exited = true;
        self.live -= 1;
        if self.barriers_busy > 0 {
            for id in 0..BARRIERS {
                let barrier = &self.barriers[id];
                if barrier.arrived > 0 && barrier.expected == 0 && barrier.arrived >= self.live {
                    self.release(id);
                }
            }
        }
        self.lane_left(index);
    }

    fn release(&mut self, id: usize) {
        self.shadow.pass();
        let barrier = std::mem::take(&mut self.barriers[id]);
        self.barriers_busy -= 1;
        if id == 0 {
            self.go_on_after_barrier(&barrier.waiting);
        } else {
            self.make_ready(&barrier.waiting);
        }
        for word in 0..self.threads.len().div_ceil(64) {
            let mut left = if barrier.reduces { barrier.waiting[word] } else { 0 };
            while left != 0 {
                let thread = &mut self.threads[word * 64 + left.trailing_zeros() as usize];
                thread.result = barrier.result();
                left &= left - 1;
            }
        }
    }

    /// Like [`Self::make_ready`]. If all live threads were waiting, a pass begins.
    pub fn go_on_after_barrier(&mut self, waiting: &[u64; THREADS_MAX / 64]) {
        let waited: u32 = waiting.iter().map(|bits| bits.count_ones()).sum();
        if self.stackless && waited == self.live && self.barriers_busy == 0 {
            self.in_order = 1;
        }
        self.make_ready(waiting);
    }

    fn make_ready(&mut self, waiting: &[u64; THREADS_MAX / 64]) {
        for (word, &bits) in waiting[..self.threads.len().div_ceil(64)].iter().enumerate() {
            self.ready[word] |= bits;
            for (half, warp) in self.warps[word * 2..].iter_mut().take(2).enumerate() {
                warp.runnable |= (bits >> (32 * half)) as u32;
            }
        }
    }
}

/// Lets other threads run, and returns when the scheduler chooses `thread` again. In a block
/// without stacks, the function returns at once and stores the choice in `next`. The caller has
/// already marked the thread as ready or waiting.
///
/// # Safety
/// The caller runs on the stack of `thread`, which is the running thread of `block`.
pub unsafe fn suspend(block: *mut Block, thread: *mut Thread, fair: bool) {
    // SAFETY: the caller upholds this function's contract. Every reference that is created here
    // ends before the switch.
    unsafe {
        let index = (*thread).index;
        if (*block).stackless {
            (*block).next = (*block).choose(index, fair).map_or(-1, |next| next as i32);
            return;
        }
        match (*block).pick(index, fair) {
            Some(next) if next == index => (*block).current = next,
            Some(next) => {
                let to = (*block).target(next);
                switch(&raw mut (*thread).sp, to);
            }
            None => switch(&raw mut (*thread).sp, (*block).scheduler_sp),
        }
    }
}

/// Ends a pass. Returns the index of the next thread to run, or -1 if no thread can continue.
pub unsafe extern "C" fn end_pass(block: *mut Block) -> i32 {
    // SAFETY: compiled code passes its own block.
    unsafe { (*block).end_pass() }
}

/// Removes a thread that has left its kernel outside a pass. Only blocks without stacks use it.
pub unsafe extern "C" fn thread_left(block: *mut Block, thread: *mut Thread) {
    // SAFETY: as for `barrier`.
    unsafe {
        let index = (*thread).index;
        (*block).finish(index);
        suspend(block, thread, false);
    }
}

/// Lets other threads run. Compiled code calls this function in `nanosleep`, and every
/// [`SPINS_PER_YIELD`] iterations of a loop that may wait for another thread.
pub unsafe extern "C" fn spin(block: *mut Block, thread: *mut Thread) {
    // SAFETY: as for `barrier`.
    unsafe {
        (*block).end_pass_early();
        (*thread).spins = SPINS_PER_YIELD;
        let index = (*thread).index;
        (*block).lane_spins(index);
        let next = (*block).pick(index, true);
        if next.is_some_and(|next| next > index) {
            return suspend(block, thread, true);
        }
        // Every other thread has run, so this thread may wait for another block.
        if (*(*block).job).stopped() {
            (*block).fault = Some(Fault::Trap);
            abandon(block);
        }
        // If all threads have arrived at the cluster barrier, the scheduler releases them.
        let to_scheduler = (*block).shares_core || (*block).waits_for_cluster();
        if to_scheduler && (*block).stackless {
            (*block).next = -1;
        } else if to_scheduler {
            switch(&raw mut (*thread).sp, (*block).scheduler_sp);
        } else {
            libc::sched_yield();
            suspend(block, thread, true);
        }
    }
}

/// Ends a thread that executes `exit` inside a called function. The callers' frames are dropped.
pub unsafe extern "C" fn exit_thread(block: *mut Block, thread: *mut Thread) {
    // SAFETY: as for `barrier`.
    unsafe {
        (*block).end_pass_early();
        let (index, stack) = ((*thread).index, (*thread).stack);
        (*block).finish(index);
        let next = (*block).pick(index, false);
        leave(block, stack, next)
    }
}

/// Leaves all threads of the block and never resumes them. The caller has recorded the fault.
///
/// # Safety
/// The caller runs on a thread of the block.
pub unsafe fn abandon(block: *mut Block) -> ! {
    // SAFETY: the scheduler waits at `scheduler_sp`, and resets the abandoned stacks.
    unsafe { switch(&raw mut (*block).discarded_sp, (*block).scheduler_sp) };
    unreachable!("an abandoned block was resumed")
}

/// Ends the grid with a fault of the running thread.
///
/// # Safety
/// The caller runs on a thread of the block.
pub unsafe fn fail(block: *mut Block, fault: Fault) -> ! {
    // SAFETY: as for `abandon`.
    unsafe {
        (*block).fault = Some(fault);
        abandon(block)
    }
}

/// Ends the grid with a trap.
pub unsafe extern "C" fn trap(block: *mut Block, _thread: *mut Thread) {
    // SAFETY: compiled code passes the running thread's block.
    unsafe { fail(block, Fault::Trap) }
}

/// Ends the grid because the thread has no stack left.
pub unsafe extern "C" fn stack_overflow(block: *mut Block, thread: *mut Thread) {
    // SAFETY: as for `trap`.
    unsafe {
        let [x, y, z, _] = (*block).ctaid;
        fail(block, Fault::StackOverflow { block: [x, y, z], thread: (*thread).tid })
    }
}

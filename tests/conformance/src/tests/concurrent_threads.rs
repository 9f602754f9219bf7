//! Threads that work concurrently, in an order that depends on a seed. Each thread uses its own
//! memory and all shared objects of a context. The test knows the contents of device memory at
//! every step, so it detects any effect of one thread on another.
//!
//! The variable `OUTHAUL_CROWD_STEPS` sets more steps than a test should have.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::values::*;
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub const TESTS: &[Test] =
    &[("crowd/one_context", one_context), ("crowd/two_devices", two_devices)];

const THREADS: u64 = 6;
const STEPS: u32 = 250;
const BLOCKS_MAX: usize = 12;
/// Sizes of blocks. Small blocks share pages, and the client sends the largest over several lanes.
const SIZES_WORDS: [usize; 5] = [16, 1000, 20_000, 150_000, 800_000];
const LARGEST_WORDS: usize = 800_000;
const MEMORY_POOLS_SUPPORTED: i32 = 115;
const VIRTUAL_MEMORY_SUPPORTED: i32 = 102;
const POINTER_ATTRIBUTE_DEVICE_ORDINAL: i32 = 9;

/// Pseudo-random numbers (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

enum Kind {
    Plain,
    Pooled,
    Mapped { handle: CUmemGenericAllocationHandle, bytes: usize },
}

struct Block {
    address: CUdeviceptr,
    /// The block's contents after all work submitted so far.
    words: Vec<u32>,
    kind: Kind,
}

impl Block {
    fn bytes(&self) -> usize {
        self.words.len() * 4
    }
}

/// The state of one thread.
struct Hand<'a> {
    gpu: &'a Gpu,
    device: CUdevice,
    context: CUcontext,
    other: CUcontext,
    random: Random,
    fill: CUfunction,
    add: CUfunction,
    stream: CUstream,
    second: CUstream,
    event: CUevent,
    blocks: Vec<Block>,
    pinned: &'static mut [u32],
    /// Number of host functions that have run.
    ran: Box<AtomicU32>,
    /// Number of host functions that were submitted.
    given: u32,
    /// A graph that adds 1 to each word of the first block, which is never freed.
    graph: CUgraphExec,
    has_pools: bool,
    has_virtual_memory: bool,
}

unsafe extern "C" fn count(ran: *mut c_void) {
    // SAFETY: the counter belongs to this thread and outlives the work in its stream.
    unsafe { &*ran.cast::<AtomicU32>() }.fetch_add(1, SeqCst);
}

impl<'a> Hand<'a> {
    fn new(
        gpu: &'a Gpu,
        device: CUdevice,
        context: CUcontext,
        other: CUcontext,
        seed: u64,
    ) -> Result<Hand<'a>, Outcome> {
        cu!(gpu.cuCtxSetCurrent(context)).ok()?;
        let module = gpu.module()?;
        let supports = |id: i32| {
            let mut value = 0;
            cu!(gpu.cuDeviceGetAttribute(&mut value, id, device)).ok().map(|()| value != 0)
        };
        let mut hand = Hand {
            gpu,
            device,
            context,
            other,
            random: Random(0x9E37_79B9_7F4A_7C15 ^ (seed << 20)),
            fill: gpu.function(module, "fill")?,
            add: gpu.function(module, "add")?,
            stream: gpu.stream(STREAM_NON_BLOCKING)?,
            second: gpu.stream(STREAM_NON_BLOCKING)?,
            event: gpu.event(EVENT_DISABLE_TIMING)?,
            blocks: Vec::new(),
            pinned: gpu.pinned(LARGEST_WORDS)?,
            ran: Box::default(),
            given: 0,
            graph: CUgraphExec::NULL,
            has_pools: supports(MEMORY_POOLS_SUPPORTED)?,
            has_virtual_memory: supports(VIRTUAL_MEMORY_SUPPORTED)?,
        };
        hand.take(1000, Kind::Plain)?;
        gpu.begin_capture(hand.stream)?;
        hand.launch(hand.add, hand.stream, 0, 1)?;
        hand.graph = gpu.instantiate(gpu.end_capture(hand.stream)?)?;
        Ok(hand)
    }

    fn launch(&self, function: CUfunction, stream: CUstream, block: usize, value: u32) -> Done {
        let Block { address, words, .. } = &self.blocks[block];
        let count = words.len() as u32;
        Ok(self
            .gpu
            .launch(function, (count.div_ceil(256), 256), stream, *address, &[count, value])
            .ok()?)
    }

    fn synchronize(&self) -> Done {
        let gpu = self.gpu;
        cu!(gpu.cuStreamSynchronize(self.stream)).ok()?;
        same("host functions that have run", self.ran.load(SeqCst), self.given)
    }

    // ---- memory ----

    fn take(&mut self, words: usize, kind: Kind) -> Done {
        let (gpu, mut address, bytes) = (self.gpu, 0, words * 4);
        let kind = match kind {
            Kind::Plain => {
                address = gpu.alloc(bytes)?;
                Kind::Plain
            }
            Kind::Pooled => {
                cu!(gpu.cuMemAllocAsync(&mut address, bytes, self.stream)).ok()?;
                Kind::Pooled
            }
            Kind::Mapped { .. } => self.map(&mut address, bytes)?,
        };
        let value = self.random.below(1 << 20) as u32;
        cu!(gpu.cuMemsetD32Async(address, value, words, self.stream)).ok()?;
        self.blocks.push(Block { address, words: vec![value; words], kind });
        Ok(())
    }

    fn map(&self, address: &mut CUdeviceptr, bytes: usize) -> Result<Kind, Outcome> {
        let (gpu, mut granularity, mut handle) = (self.gpu, 0, 0);
        let location = CUmemLocation { type_: MEM_LOCATION_TYPE_DEVICE, id: self.device };
        // SAFETY: all-zero bytes are valid for a struct of numbers.
        let mut properties: CUmemAllocationProp = unsafe { std::mem::zeroed() };
        (properties.type_, properties.location) = (MEM_ALLOCATION_TYPE_PINNED, location);
        cu!(gpu.cuMemGetAllocationGranularity(&mut granularity, &properties, 0)).ok()?;
        let bytes = bytes.next_multiple_of(granularity);
        cu!(gpu.cuMemAddressReserve(address, bytes, 0, 0, 0)).ok()?;
        cu!(gpu.cuMemCreate(&mut handle, bytes, &properties, 0)).ok()?;
        cu!(gpu.cuMemMap(*address, bytes, 0, handle, 0)).ok()?;
        let access = CUmemAccessDesc {
            location: CUmemLocation { type_: MEM_LOCATION_TYPE_DEVICE, id: self.device },
            flags: MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        cu!(gpu.cuMemSetAccess(*address, bytes, &access, 1)).ok()?;
        Ok(Kind::Mapped { handle, bytes })
    }

    fn give(&mut self, block: usize) -> Done {
        let (gpu, Block { address, kind, .. }) = (self.gpu, self.blocks.swap_remove(block));
        match kind {
            Kind::Plain => cu!(gpu.cuMemFree_v2(address)).ok()?,
            Kind::Pooled => cu!(gpu.cuMemFreeAsync(address, self.stream)).ok()?,
            Kind::Mapped { handle, bytes } => {
                self.synchronize()?;
                cu!(gpu.cuMemUnmap(address, bytes)).ok()?;
                cu!(gpu.cuMemRelease(handle)).ok()?;
                cu!(gpu.cuMemAddressFree(address, bytes)).ok()?;
            }
        }
        Ok(())
    }

    fn take_any(&mut self) -> Done {
        if self.blocks.len() == BLOCKS_MAX {
            let block = 1 + self.random.below(BLOCKS_MAX - 1);
            self.give(block)?;
        }
        let kind = match self.random.below(3) {
            1 if self.has_pools => Kind::Pooled,
            2 if self.has_virtual_memory => Kind::Mapped { handle: 0, bytes: 0 },
            _ => Kind::Plain,
        };
        let words = SIZES_WORDS[self.random.below(SIZES_WORDS.len())];
        self.take(words, kind)
    }

    // ---- work ----

    fn fill(&mut self, block: usize, stream: CUstream) -> Done {
        let value = self.random.below(1 << 20) as u32;
        self.launch(self.fill, stream, block, value)?;
        self.blocks[block].words.iter_mut().zip(value..).for_each(|(word, value)| *word = value);
        Ok(())
    }

    fn add(&mut self, block: usize) -> Done {
        let value = self.random.below(1 << 20) as u32;
        self.launch(self.add, self.stream, block, value)?;
        self.blocks[block].words.iter_mut().for_each(|word| *word = word.wrapping_add(value));
        Ok(())
    }

    /// Moves work on a block to another stream and back.
    fn turn(&mut self, block: usize) -> Done {
        let gpu = self.gpu;
        cu!(gpu.cuEventRecord(self.event, self.stream)).ok()?;
        cu!(gpu.cuStreamWaitEvent(self.second, self.event, 0)).ok()?;
        self.fill(block, self.second)?;
        cu!(gpu.cuEventRecord(self.event, self.second)).ok()?;
        Ok(cu!(gpu.cuStreamWaitEvent(self.stream, self.event, 0)).ok()?)
    }

    fn write(&mut self, block: usize, pinned: bool) -> Done {
        let (gpu, first, stream) = (self.gpu, self.random.below(1 << 20) as u32, self.stream);
        let Block { address, words, .. } = &mut self.blocks[block];
        words.iter_mut().zip(first..).for_each(|(word, value)| *word = value ^ 0x5555);
        if !pinned {
            return Ok(cu!(gpu.cuMemcpyHtoDAsync_v2(
                *address,
                words.as_ptr().cast(),
                words.len() * 4,
                stream
            ))
            .ok()?);
        }
        // Earlier copies from and to the pinned memory must be done.
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        self.pinned[..words.len()].copy_from_slice(words);
        Ok(cu!(gpu.cuMemcpyHtoDAsync_v2(
            *address,
            self.pinned.as_ptr().cast(),
            words.len() * 4,
            stream
        ))
        .ok()?)
    }

    fn check(&mut self, block: usize, pinned: bool) -> Done {
        let (gpu, stream) = (self.gpu, self.stream);
        let Block { address, words, .. } = &self.blocks[block];
        let (mut pageable, bytes) =
            (vec![0u32; if pinned { 0 } else { words.len() }], words.len() * 4);
        if pinned {
            cu!(gpu.cuMemcpyDtoHAsync_v2(self.pinned.as_mut_ptr().cast(), *address, bytes, stream))
                .ok()?;
            cu!(gpu.cuEventRecord(self.event, stream)).ok()?;
            cu!(gpu.cuEventSynchronize(self.event)).ok()?;
        } else {
            cu!(gpu.cuMemcpyDtoHAsync_v2(pageable.as_mut_ptr().cast(), *address, bytes, stream))
                .ok()?;
            self.synchronize()?;
        }
        let found = if pinned { &self.pinned[..words.len()] } else { &pageable[..] };
        match found.iter().zip(words).position(|(found, expected)| found != expected) {
            None => Ok(()),
            Some(at) => fail(format!(
                "word {at} of {} is {:#x}, expected {:#x}",
                words.len(),
                found[at],
                words[at]
            )),
        }
    }

    fn copy(&mut self, from: usize, to: usize) -> Done {
        let (gpu, count) =
            (self.gpu, self.blocks[from].words.len().min(self.blocks[to].words.len()));
        if from == to {
            return Ok(());
        }
        cu!(gpu.cuMemcpyDtoDAsync_v2(
            self.blocks[to].address,
            self.blocks[from].address,
            count * 4,
            self.stream
        ))
        .ok()?;
        let words = self.blocks[from].words[..count].to_vec();
        self.blocks[to].words[..count].copy_from_slice(&words);
        Ok(())
    }

    /// Copies a block to the other context and back. Overwrites the block in between.
    fn there_and_back(&mut self, block: usize) -> Done {
        let (gpu, stream, bytes) = (self.gpu, self.stream, self.blocks[block].bytes());
        cu!(gpu.cuCtxPushCurrent_v2(self.other)).ok()?;
        let there = gpu.alloc(bytes);
        cu!(gpu.cuCtxPopCurrent_v2(&mut CUcontext::default())).ok()?;
        let (here, there, words) =
            (self.blocks[block].address, there?, self.blocks[block].words.len());
        cu!(gpu.cuMemcpyPeerAsync(there, self.other, here, self.context, bytes, stream)).ok()?;
        cu!(gpu.cuMemsetD32Async(here, 0, words, stream)).ok()?;
        cu!(gpu.cuMemcpyPeerAsync(here, self.context, there, self.other, bytes, stream)).ok()?;
        self.synchronize()?;
        Ok(cu!(gpu.cuMemFree_v2(there)).ok()?)
    }

    fn call_back(&mut self) -> Done {
        let (gpu, ran) = (self.gpu, (&raw const *self.ran).cast_mut().cast());
        self.given += 1;
        Ok(cu!(gpu.cuLaunchHostFunc(self.stream, Some(count), ran)).ok()?)
    }

    fn replay(&mut self) -> Done {
        let gpu = self.gpu;
        cu!(gpu.cuGraphLaunch(self.graph, self.stream)).ok()?;
        self.blocks[0].words.iter_mut().for_each(|word| *word = word.wrapping_add(1));
        Ok(())
    }

    fn ask(&mut self, block: usize) -> Done {
        let gpu = self.gpu;
        let (mut free, mut total, mut owner) = (0, 0, -1);
        cu!(gpu.cuMemGetInfo_v2(&mut free, &mut total)).ok()?;
        cu!(gpu.cuPointerGetAttribute(
            (&raw mut owner).cast(),
            POINTER_ATTRIBUTE_DEVICE_ORDINAL,
            self.blocks[block].address
        ))
        .ok()?;
        same("the block's device", owner, self.device)?;
        match cu!(gpu.cuStreamQuery(self.stream)) {
            CUresult::SUCCESS | CUresult::NOT_READY => Ok(()),
            other => Err(other.into()),
        }
    }

    fn load_code(&mut self) -> Done {
        let gpu = self.gpu;
        let module = gpu.module()?;
        gpu.function(module, "spin")?;
        Ok(cu!(gpu.cuModuleUnload(module)).ok()?)
    }

    fn step(&mut self) -> Done {
        let (block, another) =
            (self.random.below(self.blocks.len()), self.random.below(self.blocks.len()));
        match self.random.below(20) {
            0..=3 => self.take_any(),
            4 | 5 => self.fill(block, self.stream),
            6 | 7 => self.add(block),
            8 | 9 => self.turn(block),
            10 => self.write(block, false),
            11 => self.write(block, true),
            12 => self.check(block, false),
            13 => self.check(block, true),
            14 => self.copy(block, another),
            15 => self.there_and_back(block),
            16 => self.call_back(),
            17 => self.replay(),
            18 => self.ask(block),
            _ => self.load_code(),
        }
    }

    fn work(&mut self, steps: u32) -> Done {
        (0..steps).try_for_each(|_| self.step())?;
        (0..self.blocks.len()).try_for_each(|block| self.check(block, false))?;
        (0..self.blocks.len()).try_for_each(|_| self.give(0))?;
        self.synchronize()
    }
}

/// Runs the threads. They use `places`, which are devices with their contexts, in turn.
fn crowd(gpu: &Gpu, places: &[(CUdevice, CUcontext)]) -> Done {
    let steps = std::env::var("OUTHAUL_CROWD_STEPS")
        .ok()
        .and_then(|steps| steps.parse().ok())
        .unwrap_or(STEPS);
    std::thread::scope(|scope| {
        let at_work: Vec<_> = (0..THREADS)
            .map(|number| {
                let (device, context) = places[number as usize % places.len()];
                let (_, other) = places[(number as usize + 1) % places.len()];
                scope.spawn(move || Hand::new(gpu, device, context, other, number + 1)?.work(steps))
            })
            .collect();
        let mut outcomes =
            at_work.into_iter().zip(1..).map(|(thread, number)| match thread.join() {
                Ok(Err(Outcome::Failed(why))) => fail(format!("thread {number}: {why}")),
                Ok(outcome) => outcome,
                Err(_) => fail(format!("thread {number} panicked")),
            });
        outcomes.find(Result::is_err).unwrap_or(Ok(()))
    })
}

fn one_context(gpu: &Gpu) -> Done {
    crowd(gpu, &[(0, gpu.context)])
}

fn two_devices(gpu: &Gpu) -> Done {
    let (mut count, mut second) = (0, CUcontext::NULL);
    cu!(gpu.cuDeviceGetCount(&mut count)).ok()?;
    if count < 2 {
        return Err(Outcome::Skipped("there is only one device".into()));
    }
    cu!(gpu.cuDevicePrimaryCtxRetain(&mut second, 1)).ok()?;
    crowd(gpu, &[(0, gpu.context), (1, second)])
}

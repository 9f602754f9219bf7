//! Tests in which memory leaves the software GPU and comes back. They open the library that `make
//! build` put next to them by its path, as a node does.

use super::host_memory_preparer::{Preparer, SURPLUS_KEPT};
use super::room_requests::ANSWER_WAIT;
use super::*;
use crate::accounting::ledger::Ledger;
use std::path::PathBuf;

const MIB: u64 = 1 << 20;
/// A whole chunk, and a part of another one.
const BYTES: u64 = 40 * MIB;
const CHUNK_BYTES: u64 = CHUNK_BYTES_MIN;

/// Excludes this process's other tests, which use the same GPU, because each test needs to know how
/// much memory is free.
static GPU: Mutex<()> = Mutex::new(());

struct Stage {
    driver: Arc<Driver>,
    residency: Arc<Residency>,
    listener: SchedulerChannel,
    contexts: [CUcontext; 2],
    address: u64,
    /// Other sessions' accounts in the ledgers.
    others: Holdings,
    host: Arc<Ledger>,
    ballast: Option<CUmemGenericAllocationHandle>,
    _gpu: MutexGuard<'static, ()>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(ballast) = self.ballast {
            // SAFETY: this stage allocated the memory, and nothing is mapped from it.
            let _ = unsafe { mapping::release(&self.driver, ballast) };
        }
    }
}

fn library() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let path = tests.ancestors().nth(2).unwrap().join("libouthaul_softgpu.so");
    assert!(path.exists(), "{} is missing: run `make build` first", path.display());
    path
}

impl Stage {
    /// Creates two contexts, the second of which is current. Maps memory that is not allocated yet.
    fn new() -> Stage {
        Stage::with_gpu_bytes(None)
    }

    /// Does the same as `new`, on a device that counts as `gpu_bytes` large.
    fn with_gpu_bytes(gpu_bytes: Option<u64>) -> Stage {
        let gpu = GPU.lock();
        let driver = Arc::new(Driver::open(&library()).unwrap());
        let (mut contexts, mut address) = ([CUcontext::NULL; 2], 0);
        // SAFETY: the out-pointers are locals.
        unsafe {
            driver.cuInit(0).ok().unwrap();
            contexts
                .iter_mut()
                .for_each(|context| driver.cuCtxCreate_v2(context, 0, 0).ok().unwrap());
            driver.cuMemAddressReserve(&mut address, BYTES as usize, 0, 0, 0).ok().unwrap();
        }
        let (control, listener) = SchedulerChannel::pair().unwrap();
        listener.set_read_timeout(Duration::from_secs(60));
        let ledgers = [(); 3].map(|()| Arc::new(Ledger::create().unwrap().0));
        ledgers[1].set_limit(0, gpu_bytes);
        let [own, others] = [0, 1].map(|row| {
            let [movable, resident, host] =
                ledgers.each_ref().map(|ledger| Allowance::new(ledger.clone(), row, 0));
            Holdings { movable, resident, host }
        });
        let residency = Residency::new(driver.clone(), control, 0, 2 * MIB, 32 * MIB, own);
        contexts.iter().for_each(|context| residency.know_context(*context));
        residency.map(address, BYTES);
        let [_, _, host] = ledgers;
        Stage {
            driver,
            residency: Arc::new(residency),
            listener,
            contexts,
            address,
            others,
            host,
            ballast: None,
            _gpu: gpu,
        }
    }

    /// Leaves only `bytes` bytes of the GPU free, and perhaps a page more.
    fn leave_free(&mut self, bytes: u64) {
        let bytes = (self.residency.free_bytes().unwrap() - bytes) / (2 * MIB) * (2 * MIB);
        self.ballast = crate::worker::memory::allocation::create(&self.driver, 0, 0, bytes).ok();
    }

    /// Restores the memory in a new thread, which plays the command thread.
    fn begin_to_restore(&self) -> std::thread::JoinHandle<Restored> {
        let (driver, residency, context) =
            (self.driver.clone(), self.residency.clone(), self.contexts[1]);
        std::thread::spawn(move || {
            // SAFETY: the context is the test's own.
            unsafe { driver.cuCtxSetCurrent(context) }.ok().unwrap();
            residency.restore(context).unwrap()
        })
    }

    fn restore(&self) {
        assert!(matches!(self.residency.restore(self.contexts[1]).unwrap(), Restored::InPlace(_)));
        assert_eq!(self.away_bytes(), 0);
    }

    fn away_bytes(&self) -> u64 {
        self.residency.away_bytes.load(SeqCst)
    }

    /// Creates a device that can hold all of the session's memory, or as much of other sessions',
    /// but not both. Host memory is limited to `host_bytes`.
    fn crowded(host_bytes: u64) -> Stage {
        let stage = Stage::with_gpu_bytes(Some(BYTES + 2 * MIB));
        stage.restore();
        stage.write();
        stage.others.movable.force(BYTES);
        stage.host.set_limit(0, Some(host_bytes));
        stage
    }

    fn preparer(&self) -> Preparer {
        Preparer::new(self.residency.clone())
    }

    /// Returns how many bytes of host memory the session uses.
    fn host_bytes(&self) -> u64 {
        self.host.taken_bytes(0) - self.others.host.own_bytes()
    }

    /// Returns the chunks that are ready on the host, as pairs of size and number.
    fn ready(&self) -> Vec<(u64, usize)> {
        self.residency.host.ready_counts().into_iter().collect()
    }

    /// Writes different content to each MiB.
    fn write(&self) {
        for at in 0..BYTES / MIB {
            // SAFETY: the memory is the test's own.
            unsafe {
                self.driver.cuMemsetD32_v2(self.address + at * MIB, at as u32 + 1, MIB as usize / 4)
            }
            .ok()
            .unwrap();
        }
    }

    fn assert_written(&self) {
        let mut found = vec![0u32; BYTES as usize / 4];
        // SAFETY: the vector is valid for writes of `BYTES` bytes, and the device memory is the
        // test's own.
        unsafe {
            self.driver.cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), self.address, BYTES as usize)
        }
        .ok()
        .unwrap();
        for (at, words) in found.chunks(MIB as usize / 4).enumerate() {
            assert!(words.iter().all(|word| *word == at as u32 + 1), "MiB {at}");
        }
    }

    /// Evicts memory. Returns the kinds of the worker's notes before its answer to `Evict`, and the
    /// value of the answer.
    fn evict(&self, bytes: u64, has_turn: bool) -> (Vec<NoteKind>, u64) {
        self.residency.evict(bytes, || has_turn).unwrap();
        let mut words = Vec::new();
        loop {
            let note = self.listener.receive().unwrap();
            if note.kind == NoteKind::Evicted {
                return (words, note.value);
            }
            words.push(note.kind);
        }
    }
}

#[test]
fn a_session_with_the_turn_keeps_its_memory() {
    let stage = Stage::new();
    stage.restore();
    stage.write();
    assert_eq!(stage.evict(BYTES, true), (vec![], 0));
    assert_eq!(stage.away_bytes(), 0);
    stage.assert_written();
}

#[test]
fn memory_leaves_and_comes_back_unchanged_and_waiting_sessions_learn_of_it() {
    let stage = Stage::new();
    stage.restore();
    stage.write();
    assert_eq!(
        stage.evict(1, false).1,
        BYTES % CHUNK_BYTES,
        "no more than is asked for, in whole chunks"
    );
    let (words, moved_bytes) = stage.evict(BYTES, false);
    assert_eq!((moved_bytes, stage.away_bytes()), (CHUNK_BYTES, BYTES));
    assert_eq!(words, [NoteKind::MovedBytes, NoteKind::Moved]);
    stage.restore();
    stage.assert_written();
    let words = std::iter::repeat_with(|| stage.listener.receive().unwrap().kind)
        .take(3)
        .collect::<Vec<_>>();
    assert_eq!(
        words,
        [NoteKind::MovedBytes, NoteKind::Moved, NoteKind::Moved],
        "what came back, and how long the session waited"
    );
    let (words, moved_bytes) = stage.evict(BYTES, false);
    assert_eq!(
        (words, moved_bytes),
        (vec![NoteKind::Evicting, NoteKind::MovedBytes, NoteKind::Moved], BYTES)
    );
}

#[test]
fn large_gpus_move_memory_in_large_chunks() {
    let sizes_mib = |gpu_mib: u64| chunk_bytes(gpu_mib * MIB, 2 * MIB) / MIB;
    assert_eq!([512, 4096, 10_000, 16_384, 143_000].map(sizes_mib), [32, 32, 80, 128, 128]);
}

#[test]
fn memory_moves_in_one_context_and_the_sessions_stays_current() {
    let stage = Stage::new();
    stage.restore();
    stage.write();
    let residency = stage.residency.clone();
    // As in a worker, another thread makes room, and makes the session's first context current in
    // that thread.
    std::thread::spawn(move || residency.evict(BYTES, || false)).join().unwrap().unwrap();
    assert_eq!(stage.away_bytes(), BYTES);
    stage.restore();
    stage.assert_written();
    let mut current = CUcontext::NULL;
    // SAFETY: the out-pointer is a local.
    unsafe { stage.driver.cuCtxGetCurrent(&mut current) }.ok().unwrap();
    assert_eq!(current, stage.contexts[1]);
}

#[test]
fn memory_that_the_device_watches_does_not_move() {
    let stage = Stage::new();
    stage.restore();
    stage.residency.pin();
    assert_eq!(stage.evict(BYTES, false).1, 0);
}

#[test]
fn memory_stays_while_it_is_held() {
    let stage = Stage::new();
    stage.restore();
    stage.residency.hold(true);
    assert_eq!(stage.evict(BYTES, false).1, 0);
    stage.residency.hold(false);
    assert_eq!(stage.evict(BYTES, false).1, BYTES);
}

#[test]
fn a_new_session_is_promised_no_more_than_the_gpu_holds() {
    let stage = Stage::new();
    stage.restore();
    let most_bytes = stage.residency.most_bytes(32 * MIB);
    assert_eq!(
        (most_bytes, stage.residency.capacity_bytes(0)),
        (31 * MIB, BYTES - MIB),
        "what others have of it does not add to it"
    );
}

#[test]
fn a_gpu_that_counts_as_a_smaller_one_holds_no_more() {
    let stage = Stage::with_gpu_bytes(Some(BYTES - MIB));
    let gpu_bytes = stage.residency.gpu_bytes(1 << 40);
    assert_eq!(
        (gpu_bytes, stage.residency.capacity_bytes(1 << 40)),
        (BYTES - MIB, BYTES - 2 * MIB),
        "however much is free"
    );
    let restored = stage.residency.restore(stage.contexts[1]).unwrap();
    assert!(
        matches!(restored, Restored::NoRoom { missing_bytes: BYTES }),
        "nothing else is there that could leave"
    );
    drop(stage);
    Stage::with_gpu_bytes(Some(BYTES + MIB)).restore();
}

#[test]
fn room_is_waited_for_while_memory_moves_and_not_much_longer() {
    let stage = Stage::new();
    let began = Instant::now();
    assert!(!stage.residency.make_room(MIB), "no session answers");
    assert!(began.elapsed() >= ANSWER_WAIT);
    let residency = stage.residency.clone();
    let waiting = std::thread::spawn(move || residency.make_room(MIB));
    for _ in 0..24 {
        std::thread::sleep(ANSWER_WAIT / 12);
        stage.residency.note_moving();
    }
    assert!(!waiting.is_finished());
    stage.residency.note_room(MIB);
    assert!(waiting.join().unwrap());
}

#[test]
fn a_session_that_could_get_no_room_asks_for_none() {
    let mut stage = Stage::new();
    stage.leave_free(BYTES - 8 * MIB);
    let restored = stage.residency.restore(stage.contexts[1]).unwrap();
    assert!(matches!(restored, Restored::NoRoom { missing_bytes: BYTES }));
    assert_eq!(
        stage.evict(BYTES, false),
        (vec![], 0),
        "no request was sent before, and no memory was brought"
    );
}

#[test]
fn a_promised_session_uses_the_reserve_when_others_have_taken_of_it() {
    let mut stage = Stage::new();
    Arc::get_mut(&mut stage.residency).unwrap().reserve_bytes = 16 * MIB;
    stage.leave_free(BYTES);
    stage.restore();
}

#[test]
fn memory_comes_while_that_of_others_leaves() {
    let mut stage = Stage::new();
    let others = crate::worker::memory::allocation::create(&stage.driver, 0, 0, BYTES).unwrap();
    stage.others.resident.force(BYTES);
    stage.leave_free(20 * MIB);
    let restoring = stage.begin_to_restore();
    let (asked, missing_bytes) =
        (stage.listener.receive().unwrap(), BYTES + MIB - stage.residency.free_bytes().unwrap());
    assert_eq!(
        (asked.kind, asked.value),
        (NoteKind::Misses, missing_bytes),
        "no more than is missing"
    );
    // SAFETY: this test allocated the memory, and nothing is mapped from it.
    unsafe { mapping::release(&stage.driver, others) }.unwrap();
    stage.residency.note_moving();
    assert!(
        matches!(restoring.join().unwrap(), Restored::InPlace(_)),
        "without an answer: there was room"
    );
}

#[test]
fn a_session_that_gets_no_room_learns_that() {
    let mut stage = Stage::new();
    stage.others.resident.force(BYTES);
    stage.leave_free(20 * MIB);
    let restoring = stage.begin_to_restore();
    assert_eq!(stage.listener.receive().unwrap().kind, NoteKind::Misses);
    stage.residency.note_room(0);
    assert!(matches!(restoring.join().unwrap(), Restored::NoRoom { .. }));
}

#[test]
fn a_chunk_whose_eviction_fails_stays_on_the_device() {
    let stage = Stage::new();
    stage.restore();
    stage.write();
    let handle = match stage.residency.lock().chunks[&stage.address].place {
        ChunkResidency::Device(handle) => handle,
        _ => panic!("it is on the device"),
    };
    // The device loses its mapping of the first chunk. SAFETY: the chunk is the test's own, and
    // nothing uses it.
    unsafe { mapping::unmap(&stage.driver, stage.address, CHUNK_BYTES) }.unwrap();
    assert_eq!(stage.evict(BYTES, false).1, BYTES % CHUNK_BYTES, "the other one has left");
    // SAFETY: the range is the test's own, and nothing is mapped there.
    unsafe { mapping::map(&stage.driver, stage.address, CHUNK_BYTES, 0, handle) }.unwrap();
    let access = CUmemAccessDesc { location: CUmemLocation { type_: 1, id: 0 }, flags: 3 };
    // SAFETY: this test has just mapped the range.
    unsafe { mapping::allow_access(&stage.driver, stage.address, CHUNK_BYTES, access) }.unwrap();
    stage.restore();
    stage.assert_written();
}

#[test]
fn a_chunk_whose_restore_fails_can_be_restored_later() {
    let stage = Stage::new();
    stage.restore();
    stage.write();
    assert_eq!(stage.evict(BYTES, false).1, BYTES);
    // Another mapping occupies the first chunk's addresses.
    let handle =
        crate::worker::memory::allocation::create(&stage.driver, 0, 0, CHUNK_BYTES).unwrap();
    // SAFETY: the range is the test's own, and nothing is mapped there.
    unsafe { mapping::map(&stage.driver, stage.address, CHUNK_BYTES, 0, handle) }.unwrap();
    assert!(stage.residency.restore(stage.contexts[1]).is_err());
    assert_eq!(stage.away_bytes(), BYTES);
    discard(&stage.driver, stage.address, CHUNK_BYTES, handle);
    stage.restore();
    stage.assert_written();
}

#[test]
fn evicted_memory_finds_host_memory_that_is_ready() {
    let stage = Stage::crowded(4 * BYTES);
    stage.preparer().prepare(Instant::now());
    assert_eq!(
        stage.ready(),
        [(BYTES % CHUNK_BYTES, 1), (CHUNK_BYTES, 1)],
        "for the whole chunk and for the part of one"
    );
    assert_eq!(stage.evict(BYTES, false).1, BYTES);
    assert_eq!(
        (stage.host_bytes(), stage.ready()),
        (BYTES, vec![]),
        "an eviction makes nothing that is ready"
    );
    stage.preparer().prepare(Instant::now());
    assert_eq!(stage.host_bytes(), BYTES, "there is nothing left that could leave");
    stage.restore();
    stage.assert_written();
    assert_eq!(
        stage.ready(),
        [(BYTES % CHUNK_BYTES, 1), (CHUNK_BYTES, 1)],
        "kept for the next time"
    );
}

#[test]
fn host_memory_is_ready_only_for_chunks_that_would_leave_first() {
    let stage = Stage::crowded(4 * BYTES);
    // The GPU lacks only 4 MiB to hold both sessions' memory.
    stage.others.movable.give_back(BYTES - 5 * MIB);
    stage.preparer().prepare(Instant::now());
    assert_eq!(stage.ready(), [(BYTES % CHUNK_BYTES, 1)]);
}

#[test]
fn no_host_memory_is_prepared_while_all_memory_has_room_and_a_surplus_is_freed_later() {
    let stage = Stage::crowded(4 * BYTES);
    stage.others.movable.give_back(BYTES);
    let (mut preparer, now) = (stage.preparer(), Instant::now());
    preparer.prepare(now);
    assert_eq!(stage.host_bytes(), 0);
    stage.others.movable.force(BYTES);
    preparer.prepare(now);
    stage.others.movable.give_back(BYTES);
    preparer.prepare(now);
    preparer.prepare(now + SURPLUS_KEPT / 2);
    assert_eq!(stage.host_bytes(), BYTES);
    preparer.prepare(now + SURPLUS_KEPT);
    assert_eq!(stage.host_bytes(), 0);
    stage.assert_written();
}

#[test]
fn ready_chunks_of_an_unused_size_are_freed_later_though_another_size_is_needed() {
    let stage = Stage::crowded(2 * BYTES);
    let (mut preparer, now) = (stage.preparer(), Instant::now());
    assert!(stage.residency.host.make_ready(20 * MIB));
    preparer.prepare(now);
    assert_eq!(stage.ready(), [(BYTES % CHUNK_BYTES, 1), (20 * MIB, 1)], "there may be no more");
    preparer.prepare(now + SURPLUS_KEPT);
    assert_eq!(stage.ready(), [(BYTES % CHUNK_BYTES, 1)]);
    preparer.prepare(now + SURPLUS_KEPT);
    assert_eq!(stage.ready(), [(BYTES % CHUNK_BYTES, 1), (CHUNK_BYTES, 1)]);
}

#[test]
fn ready_memory_is_at_most_half_of_the_host_memory_that_sessions_may_have() {
    let stage = Stage::crowded(2 * BYTES - MIB);
    let mut preparer = stage.preparer();
    preparer.prepare(Instant::now());
    assert_eq!(stage.host_bytes(), BYTES % CHUNK_BYTES);
    stage.host.set_limit(0, Some(2 * BYTES));
    preparer.prepare(Instant::now());
    assert_eq!(stage.host_bytes(), BYTES);
    stage.others.host.force(BYTES + MIB);
    preparer.prepare(Instant::now());
    assert_eq!(stage.host_bytes(), 0, "the rest is for those whose memory leaves");
    assert_eq!(stage.evict(BYTES, false).1, BYTES % CHUNK_BYTES, "what has no place there stays");
    stage.restore();
    stage.assert_written();
}

#[test]
fn ready_chunks_of_other_sizes_make_room_for_evicted_memory() {
    let stage = Stage::crowded(2 * BYTES);
    assert!(stage.residency.host.make_ready(20 * MIB) && stage.residency.host.make_ready(12 * MIB));
    stage.others.host.force(BYTES);
    assert_eq!(stage.evict(BYTES, false).1, BYTES);
    assert_eq!((stage.host_bytes(), stage.ready()), (BYTES, vec![]));
    stage.restore();
    stage.assert_written();
}

#[test]
fn the_preparer_does_not_wait_for_a_move_of_memory() {
    let stage = Stage::crowded(4 * BYTES);
    let moving = stage.residency.lock();
    stage.preparer().prepare(Instant::now());
    drop(moving);
    assert_eq!(stage.host_bytes(), 0);
}

#[test]
fn host_memory_is_left_alone_while_streams_capture_and_without_a_context() {
    let stage = Stage::crowded(4 * BYTES);
    let mut preparer = stage.preparer();
    stage.residency.hold(true);
    preparer.prepare(Instant::now());
    assert_eq!(stage.host_bytes(), 0);
    stage.residency.hold(false);
    stage.contexts.iter().for_each(|context| stage.residency.forget_context(*context));
    preparer.prepare(Instant::now());
    assert_eq!(stage.host_bytes(), 0);
    stage.residency.know_context(stage.contexts[1]);
    preparer.prepare(Instant::now());
    assert_eq!(stage.host_bytes(), BYTES);
}

#[test]
fn memory_that_the_device_watches_needs_no_place_on_the_host() {
    let stage = Stage::crowded(4 * BYTES);
    stage.residency.pin();
    stage.preparer().prepare(Instant::now());
    assert_eq!(stage.host_bytes(), 0);
}

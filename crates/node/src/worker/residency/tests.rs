//! Memory that leaves the software GPU and comes back. It is what `make build` left beside the tests, opened by its path as a node does.

use super::*;
use crate::ledger::Ledger;
use std::path::PathBuf;

const MIB: u64 = 1 << 20;
/// One whole chunk, and a part of one.
const BYTES: u64 = 40 * MIB;

struct Stage {
    driver: Arc<Driver>,
    residency: Arc<Residency>,
    listener: Control,
    contexts: [CUcontext; 2],
    address: u64,
}

fn library() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let path = tests.ancestors().nth(2).unwrap().join("libouthaul_softgpu.so");
    assert!(path.exists(), "{} is missing: run `make build` first", path.display());
    path
}

impl Stage {
    /// Two contexts, of which the second is current, and memory that is mapped and lies nowhere.
    fn new() -> Stage {
        let driver = Arc::new(Driver::open(&library()).unwrap());
        let (mut contexts, mut address) = ([CUcontext::NULL; 2], 0);
        // SAFETY: results go to locals.
        unsafe {
            driver.cuInit(0).ok().unwrap();
            contexts.iter_mut().for_each(|context| driver.cuCtxCreate_v2(context, 0, 0).ok().unwrap());
            driver.cuMemAddressReserve(&mut address, BYTES as usize, 0, 0, 0).ok().unwrap();
        }
        let (control, listener) = Control::pair().unwrap();
        listener.set_read_timeout(Duration::from_secs(5));
        let allowance = || Allowance::new(Arc::new(Ledger::create().unwrap().0), 0, 0);
        let residency = Residency::new(driver.clone(), control, 0, 2 * MIB, 32 * MIB, (allowance(), allowance()));
        contexts.iter().for_each(|context| residency.know_context(*context));
        residency.map(address, BYTES);
        Stage { driver, residency: Arc::new(residency), listener, contexts, address }
    }

    fn restore(&self) {
        self.residency.restore(self.contexts[1]).unwrap();
        assert_eq!(self.away_bytes(), 0);
    }

    fn away_bytes(&self) -> u64 {
        self.residency.away_bytes.load(SeqCst)
    }

    /// Each MiB has its own content.
    fn write(&self) {
        for at in 0..BYTES / MIB {
            // SAFETY: the memory is this test's own.
            unsafe { self.driver.cuMemsetD32_v2(self.address + at * MIB, at as u32 + 1, MIB as usize / 4) }.ok().unwrap();
        }
    }

    fn assert_written(&self) {
        let mut found = vec![0u32; BYTES as usize / 4];
        // SAFETY: the vector has room, and the memory is this test's own.
        unsafe { self.driver.cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), self.address, BYTES as usize) }.ok().unwrap();
        for (at, words) in found.chunks(MIB as usize / 4).enumerate() {
            assert!(words.iter().all(|word| *word == at as u32 + 1), "MiB {at}");
        }
    }

    /// What the worker says, up to the answer to `Evict`, which is given too.
    fn evict(&self, bytes: u64, has_turn: bool) -> (Vec<Word>, u64) {
        self.residency.evict(bytes, || has_turn);
        let mut words = Vec::new();
        loop {
            let note = self.listener.receive().unwrap();
            if note.word == Word::Evicted {
                return (words, note.value);
            }
            words.push(note.word);
        }
    }
}

#[test]
fn who_has_the_turn_keeps_its_memory() {
    let stage = Stage::new();
    stage.restore();
    stage.write();
    assert_eq!(stage.evict(BYTES, true), (vec![], 0));
    assert_eq!(stage.away_bytes(), 0);
    stage.assert_written();
}

#[test]
fn memory_leaves_and_comes_back_as_it_was_and_those_who_wait_hear_of_it() {
    let stage = Stage::new();
    stage.restore();
    stage.write();
    assert_eq!(stage.evict(1, false).1, BYTES % CHUNK_BYTES, "no more than is asked for, in whole chunks");
    let (words, moved_bytes) = stage.evict(BYTES, false);
    assert_eq!((moved_bytes, stage.away_bytes()), (CHUNK_BYTES, BYTES));
    assert_eq!(words, [Word::MovedBytes, Word::Moved]);
    stage.restore();
    stage.assert_written();
    let words = std::iter::repeat_with(|| stage.listener.receive().unwrap().word).take(3).collect::<Vec<_>>();
    assert_eq!(words, [Word::MovedBytes, Word::Moved, Word::Moved], "what came back, and how long the session waited");
    let (words, moved_bytes) = stage.evict(BYTES, false);
    assert_eq!((words, moved_bytes), (vec![Word::Evicting, Word::MovedBytes, Word::Moved], BYTES));
}

#[test]
fn memory_moves_in_one_context_and_the_sessions_stays_current() {
    let stage = Stage::new();
    stage.restore();
    stage.write();
    let residency = stage.residency.clone();
    // As in a worker, a thread of its own makes room, and its context is the first.
    std::thread::spawn(move || residency.evict(BYTES, || false)).join().unwrap();
    assert_eq!(stage.away_bytes(), BYTES);
    stage.restore();
    stage.assert_written();
    let mut current = CUcontext::NULL;
    // SAFETY: the result goes to a local.
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
fn who_comes_is_promised_no_more_than_the_card_holds() {
    let stage = Stage::new();
    stage.restore();
    let most_bytes = stage.residency.most_bytes(32 * MIB);
    assert_eq!((most_bytes, stage.residency.capacity_bytes(0)), (31 * MIB, BYTES - MIB), "what others have of it does not add to it");
}

#[test]
fn room_is_waited_for_while_memory_moves_and_not_much_longer() {
    let stage = Stage::new();
    let began = Instant::now();
    assert!(!stage.residency.make_room(MIB), "nobody answers");
    assert!(began.elapsed() >= ROOM_WAIT);
    let residency = stage.residency.clone();
    let waiting = std::thread::spawn(move || residency.make_room(MIB));
    for _ in 0..6 {
        std::thread::sleep(ROOM_WAIT / 3);
        stage.residency.hear_of_moving();
    }
    assert!(!waiting.is_finished());
    stage.residency.hear_of_room(MIB);
    assert!(waiting.join().unwrap());
}

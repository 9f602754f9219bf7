use super::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Returns `bytes` zeros at `offset` in leaked memory, and a replica of them.
fn memory(offset: usize, bytes: usize) -> (&'static [AtomicU8], Arc<Replica>) {
    /// Keeps leaked memory reachable, so that the address sanitizer does not report it.
    static KEPT: Mutex<Vec<&'static [AtomicU64]>> = Mutex::new(Vec::new());
    let pages: &'static [AtomicU64] =
        (0..(offset + bytes).div_ceil(8) + 1).map(|_| AtomicU64::new(0)).collect::<Vec<_>>().leak();
    KEPT.lock().push(pages);
    let start = pages.as_ptr() as usize + offset;
    // SAFETY: the memory is leaked, and consists of atomics.
    let inside = unsafe { std::slice::from_raw_parts(start as *const AtomicU8, bytes) };
    // SAFETY: as above.
    (inside, Arc::new(unsafe { Replica::new(start, bytes) }))
}

fn changes(replicas: &[Arc<Replica>]) -> Vec<Run> {
    super::changes(replicas).runs
}

fn reported(runs: &[Run], start: usize) -> Vec<(usize, Vec<u8>)> {
    runs.iter().map(|run| (run.address as usize - start, run.bytes.clone())).collect()
}

/// The memory contains a ring of items of two words, and their count.
#[test]
fn an_item_whose_first_half_was_reported_is_reported_whole_before_its_count() {
    let (memory, replica) = memory(0, 64);
    let replicas = [replica.clone()];
    let (count, items) = (0, 16);
    let put = |word: usize, value: u8| memory[word].store(value, Relaxed);
    let put_item =
        |item: usize, value: u8| (put(items + 8 * item, value), put(items + 8 * item + 4, value));
    (0..4).for_each(|item| _ = put_item(item, 1));
    put(count, 4);
    changes(&replicas);
    put_item(0, 2);
    put(count, 5);
    put(items + 8, 2);
    changes(&replicas);
    put(items + 12, 2);
    put(count, 6);
    let places: Vec<usize> =
        changes(&replicas).iter().map(|run| run.address as usize - replica.start()).collect();
    assert_eq!(places, [items + 12, count]);
    replica.retire();
}

#[test]
fn adjacent_replicas_are_reported_separately() {
    let (memory, whole) = memory(0, 32);
    let start = whole.start();
    // SAFETY: the replicas are parts of the leaked memory.
    let replicas = [0, 16].map(|offset| Arc::new(unsafe { Replica::new(start + offset, 16) }));
    memory.iter().for_each(|byte| byte.store(1, Relaxed));
    assert_eq!(reported(&changes(&replicas), start), [(0, vec![1; 16]), (16, vec![1; 16])]);
    replicas.iter().chain([&whole]).for_each(|replica| replica.retire());
}

#[test]
fn each_side_reports_its_own_words_and_keeps_the_others() {
    let (memory, replica) = memory(0, 18);
    let replicas = [replica.clone()];
    assert_eq!(changes(&replicas), []);
    memory[5].store(1, Relaxed);
    memory[9].store(2, Relaxed);
    memory[17].store(3, Relaxed);
    assert_eq!(
        reported(&changes(&replicas), replica.start()),
        [(4, vec![0, 1, 0, 0, 0, 2, 0, 0]), (16, vec![0, 3])]
    );
    memory[0].store(7, Relaxed);
    assert!(replica.apply(replica.start() as u64 + 12, &[9; 4]));
    assert_eq!((memory[0].load(Relaxed), memory[12].load(Relaxed)), (7, 9));
    assert_eq!(
        reported(&changes(&replicas), replica.start()),
        [(0, vec![7, 0, 0, 0])],
        "received changes are not reported back"
    );
    assert!(
        !replica.apply(replica.start() as u64 + 16, &[1; 4])
            && !replica.apply(replica.start() as u64 - 1, &[1])
    );
    replica.retire();
    memory[0].store(8, Relaxed);
    assert_eq!(changes(&replicas), []);
}

#[test]
fn a_report_ends_at_the_edges_of_the_memory_inside_a_word() {
    let (memory, replica) = memory(3, 10);
    memory.iter().for_each(|byte| byte.store(1, Relaxed));
    assert_eq!(
        reported(&changes(std::slice::from_ref(&replica)), replica.start()),
        [(0, vec![1; 10])]
    );
    // SAFETY: the bytes before and after belong to the same leaked memory.
    let around = unsafe { std::slice::from_raw_parts(memory.as_ptr().sub(1), 12) };
    around[0].store(5, Relaxed);
    around[11].store(5, Relaxed);
    assert_eq!(
        changes(std::slice::from_ref(&replica)),
        [],
        "bytes outside the memory are not reported"
    );
    assert!(replica.apply(replica.start() as u64, &[2; 10]));
    assert_eq!(
        (
            around[0].load(Relaxed),
            around[1].load(Relaxed),
            around[10].load(Relaxed),
            around[11].load(Relaxed)
        ),
        (5, 2, 2, 5)
    );
}

#[test]
fn words_that_change_often_come_last() {
    let (memory, replica) = memory(0, 4096);
    let replicas = [replica.clone()];
    for round in 1..4 {
        memory[0].store(round, Relaxed);
        changes(&replicas);
    }
    memory[0].store(9, Relaxed);
    memory[800].store(1, Relaxed);
    (400..440).for_each(|i| memory[i].store(1, Relaxed));
    let order: Vec<usize> =
        reported(&changes(&replicas), replica.start()).into_iter().map(|(at, _)| at).collect();
    assert_eq!(order, [400, 800, 0]);
}

#[test]
fn large_memory_is_reported_in_parts() {
    let (memory, replica) = memory(8, Run::BYTES_MAX + 100);
    memory.iter().for_each(|byte| byte.store(3, Relaxed));
    let scans: Vec<Scan> = replica.changes_by_parts().collect();
    assert!(scans.iter().all(|scan| scan.runs.len() == 1));
    let reported: Vec<usize> = scans.iter().map(|scan| scan.runs[0].bytes.len()).collect();
    assert_eq!((reported.len(), reported.iter().sum::<usize>()), (2, replica.bytes()));
}

#[test]
fn moved_pages_are_compared_at_their_new_address() {
    let ((memory, replica), (elsewhere, other)) = (memory(0, 64), memory(0, 64));
    let replicas = [replica.clone()];
    memory[8].store(1, Relaxed);
    let moved = || {
        memory.iter().zip(elsewhere).for_each(|(from, to)| to.store(from.load(Relaxed), Relaxed));
        Ok::<(), ()>(())
    };
    // SAFETY: the memory is leaked, so it remains valid.
    unsafe { replica.relocate(other.start(), moved) }.unwrap();
    memory[16].store(9, Relaxed);
    assert_eq!(reported(&changes(&replicas), replica.start()), [(8, vec![1, 0, 0, 0])]);
    assert!(replica.apply(replica.start() as u64 + 24, &[7; 4]));
    assert_eq!((memory[24].load(Relaxed), elsewhere[24].load(Relaxed)), (0, 7));
    // SAFETY: the memory is leaked, so it remains valid.
    assert_eq!(unsafe { replica.relocate(replica.start(), || Err::<(), ()>(())) }, Err(()));
    assert_eq!(changes(&replicas), [], "they are where they were");
    [replica, other].iter().for_each(|replica| replica.retire());
}

#[test]
fn memory_is_idle_after_scans_without_changes() {
    let (memory, replica) = memory(0, 64);
    let scan = || (changes(std::slice::from_ref(&replica)), replica.note_scanned()).1;
    assert_eq!([scan(), scan()], [false, false], "it has no number of scans");
    replica.set_idle_scans(2);
    assert_eq!([scan(), scan()], [false, true]);
    memory[0].store(1, Relaxed);
    assert_eq!([scan(), scan()], [false, true]);
    assert!(replica.apply(replica.start() as u64, &[2]));
    assert_eq!((scan(), replica.is_idle()), (false, false));
    replica.retire();
}

#[test]
fn large_memory_is_cut_at_the_same_addresses_on_both_sides() {
    let cut = |start, bytes| {
        // SAFETY: no thread accesses the memory through these replicas.
        let parts = unsafe { Replica::cut(start, bytes, ReplicaPages::Permanent) };
        assert!(parts.iter().all(|part| part.whole_start() == start));
        parts.iter().map(|part| part.range()).collect::<Vec<_>>()
    };
    const PART: usize = REPLICA_PART_BYTES;
    assert_eq!(cut(PART - 8, REPLICA_BYTES_TOGETHER_MAX).len(), 1);
    assert_eq!(
        cut(2 * PART, 2 * PART + 8),
        [2 * PART..3 * PART, 3 * PART..4 * PART, 4 * PART..4 * PART + 8]
    );
    assert_eq!(
        cut(2 * PART - 8, 2 * PART + 8),
        [2 * PART - 8..2 * PART, 2 * PART..3 * PART, 3 * PART..4 * PART]
    );
}

#[test]
fn a_reader_of_a_count_sees_earlier_writes() {
    assert_eq!(wrong_items(0, 0), 0);
}

/// The writer takes about as long as a pass does, so that each pass finds something new.
#[test]
fn a_reader_of_a_count_that_is_written_all_the_time_sees_earlier_writes() {
    assert_eq!(wrong_items(1 << 16, 300), 0);
}

/// Returns how many items were missing although the count included them. One thread writes
/// items and then their count, another reports changes, a third takes items out of the copy.
/// `gap` is the number of words between items and count; a larger gap makes a pass longer. The
/// writer pauses for up to `pause` turns.
fn wrong_items(gap: usize, pause: u32) -> u32 {
    const SLOTS: usize = 64;
    const ITEMS: u32 = 20_000;
    let bytes = (SLOTS + gap + 32) * 4;
    let (count, taken) = (SLOTS + gap, SLOTS + gap + 16);
    let rest = |turns: u32| (0..turns).for_each(|_| std::hint::spin_loop());
    let ((here, sender), (there, receiver)) = (memory(0, bytes), memory(0, bytes));
    // SAFETY: the memory is leaked, and aligned to 8 bytes.
    let words = |of: &'static [AtomicU8]| unsafe {
        std::slice::from_raw_parts(of.as_ptr().cast::<AtomicU32>(), of.len() / 4)
    };
    let (here, there) = (words(here), words(there));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for i in 0..ITEMS {
                while there[taken].load(Acquire) + SLOTS as u32 <= i {
                    std::thread::yield_now();
                }
                here[i as usize % SLOTS].store(i + 1, Relaxed);
                rest((i * 7).checked_rem(pause).unwrap_or(0));
                here[count].store(i + 1, Release);
                rest(i.checked_rem(pause).unwrap_or(0));
            }
        });
        scope.spawn(|| {
            while !over.load(Acquire) {
                for run in changes(std::slice::from_ref(&sender)) {
                    let offset = run.address as usize - sender.start();
                    assert!(receiver.apply((receiver.start() + offset) as u64, &run.bytes));
                }
                std::thread::yield_now();
            }
        });
        let mut wrong = 0;
        for i in 0..ITEMS {
            while there[count].load(Acquire) <= i {
                std::thread::yield_now();
            }
            wrong += u32::from(there[i as usize % SLOTS].load(Acquire) != i + 1);
            there[taken].store(i + 1, Release);
        }
        over.store(true, Release);
        wrong
    })
}

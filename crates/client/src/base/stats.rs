//! Counters per driver function: calls, messages sent, waits for the worker, and the time spent.
//! The library counts only with OUTHAUL_TUNE=stats=1, and prints the counters when the program
//! ends.

use outhaul_abi::loading::symbols::SYMBOLS;
use outhaul_transport::os::tune_settings;
use std::cell::Cell;
use std::fmt::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Row that counts NVML's functions together.
pub const NVML: usize = SYMBOLS.len();

/// The process's counters.
pub struct Stats {
    functions: Vec<Counters>,
    bytes_sent: AtomicU64,
    bytes_received: AtomicU64,
    bytes_compared: AtomicU64,
}

#[derive(Default)]
struct Counters {
    entered: AtomicU64,
    posts: AtomicU64,
    waits: AtomicU64,
    wait_ns: AtomicU64,
    spent_ns: AtomicU64,
}

thread_local! {
    /// Row of the function that the program called last on this thread.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// Returns the counters, or `None` unless the user asked for them.
fn stats() -> Option<&'static Stats> {
    static STATS: OnceLock<Option<Stats>> = OnceLock::new();
    STATS
        .get_or_init(|| {
            let wanted = tune_settings::is_on("stats");
            wanted.then(|| {
                // SAFETY: the exit handler remains valid, because this library is never unloaded.
                unsafe { libc::atexit(print_at_exit) };
                Stats {
                    functions: (0..=NVML).map(|_| Counters::default()).collect(),
                    bytes_sent: AtomicU64::new(0),
                    bytes_received: AtomicU64::new(0),
                    bytes_compared: AtomicU64::new(0),
                }
            })
        })
        .as_ref()
}

/// Counts a call of the function in row `symbol`.
pub fn entered(symbol: usize) {
    if let Some(stats) = stats() {
        CURRENT.set(symbol);
        stats.functions[symbol].entered.fetch_add(1, Relaxed);
    }
}

/// Runs `body` and adds the elapsed time to the function in row `symbol`.
pub fn spending<T>(symbol: usize, body: impl FnOnce() -> T) -> T {
    let Some(stats) = stats() else { return body() };
    let start = std::time::Instant::now();
    let result = body();
    stats.functions[symbol].spent_ns.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    result
}

/// Counts a message of `bytes` bytes.
pub fn posted(bytes: usize) {
    if let Some(stats) = stats() {
        stats.functions[CURRENT.get()].posts.fetch_add(1, Relaxed);
        stats.bytes_sent.fetch_add(bytes as u64, Relaxed);
    }
}

/// Adds `bytes` bytes of a message that was counted already.
pub fn sent(bytes: usize) {
    if let Some(stats) = stats() {
        stats.bytes_sent.fetch_add(bytes as u64, Relaxed);
    }
}

/// Counts `bytes` bytes received from the worker.
pub fn received(bytes: usize) {
    if let Some(stats) = stats() {
        stats.bytes_received.fetch_add(bytes as u64, Relaxed);
    }
}

/// Counts `bytes` bytes of shared host memory that were compared for changes.
pub fn compared(bytes: usize) {
    if let Some(stats) = stats() {
        stats.bytes_compared.fetch_add(bytes as u64, Relaxed);
    }
}

/// Runs `wait`, which waits for the worker, and counts one wait and the elapsed time.
pub fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    let Some(stats) = stats() else { return wait() };
    let start = std::time::Instant::now();
    let result = wait();
    let counters = &stats.functions[CURRENT.get()];
    counters.waits.fetch_add(1, Relaxed);
    counters.wait_ns.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    result
}

/// Writes four counters for a benchmark that runs in this process: messages sent, waits, bytes
/// sent, bytes received. Returns false, and writes nothing, unless statistics are on.
///
/// # Safety
/// `totals` is valid for writes of four `u64` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn outhaul_totals(totals: *mut [u64; 4]) -> bool {
    let Some(stats) = stats() else { return false };
    let sum = |counter: fn(&Counters) -> &AtomicU64| {
        stats.functions.iter().map(|c| counter(c).load(Relaxed)).sum()
    };
    let bytes = [&stats.bytes_sent, &stats.bytes_received].map(|b| b.load(Relaxed));
    // SAFETY: the caller upholds this function's contract.
    unsafe { totals.write([sum(|c| &c.posts), sum(|c| &c.waits), bytes[0], bytes[1]]) };
    true
}

extern "C" fn print_at_exit() {
    if let Some(stats) = stats() {
        eprint!("{}", stats.table());
    }
}

/// A table row: name, calls, messages, waits, time waited and time spent, both in microseconds.
type Row = (&'static str, u64, u64, u64, u64, u64);

impl Stats {
    fn table(&self) -> String {
        let get = |c: &AtomicU64| c.load(Relaxed);
        let names = SYMBOLS.iter().map(|s| s.name).chain(["NVML"]);
        let mut rows: Vec<Row> = names
            .zip(&self.functions)
            .filter(|(_, c)| get(&c.entered) > 0)
            .map(|(name, c)| {
                (
                    name,
                    get(&c.entered),
                    get(&c.posts),
                    get(&c.waits),
                    get(&c.wait_ns) / 1000,
                    get(&c.spent_ns) / 1000,
                )
            })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse((row.3, row.2, row.1)));
        let sum = |column: fn(&Row) -> u64| rows.iter().map(column).sum::<u64>();
        let (calls, posts, waits, wait_us, spent_us) =
            (sum(|r| r.1), sum(|r| r.2), sum(|r| r.3), sum(|r| r.4), sum(|r| r.5));
        let local = rows.iter().filter(|r| r.2 == 0 && r.3 == 0).map(|r| r.1).sum::<u64>();
        let mut out = format!(
            "outhaul: {:<44} {:>10} {:>10} {:>10} {:>12} {:>12}\n",
            "driver function", "calls", "messages", "waits", "waited us", "spent us"
        );
        for (name, calls, posts, waits, wait_us, spent_us) in &rows {
            let _ = writeln!(
                out,
                "outhaul: {name:<44} {calls:>10} {posts:>10} {waits:>10} {wait_us:>12} \
                {spent_us:>12}"
            );
        }
        let _ = writeln!(
            out,
            "outhaul: {:<44} {calls:>10} {posts:>10} {waits:>10} {wait_us:>12} {spent_us:>12}",
            "total"
        );
        let _ = writeln!(
            out,
            "outhaul: {local} calls answered locally, {posts} messages sent, {waits} waited for; \
            {} bytes sent, {} received; {} bytes of shared host memory compared",
            get(&self.bytes_sent),
            get(&self.bytes_received),
            get(&self.bytes_compared)
        );
        out
    }
}

//! Device memory checks for `OUTHAUL_SOFT_CHECK=1`, and their reports. A report is a line on
//! stderr; the number of reports is limited.

use outhaul_lock::{Mutex, RwLock};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::driver::lock;
use crate::driver::objects::memory::ranges::{Origin, Range, Ranges};
use crate::engine;

const REPORTS_MAX: u32 = 50;
const CHUNK_BYTES: u64 = 4096;

/// One bit per byte of memory.
type Chunk = Box<[u64; CHUNK_BYTES as usize / 64]>;

/// A record of the bytes of allocations that kernels or the host have written.
pub struct Check {
    /// All memory that CUDA knows about.
    ranges: Arc<Ranges>,
    written: RwLock<HashMap<u64, Mutex<Chunk>>>,
    /// Memory freed in stream order that earlier work may still use.
    leaving: Mutex<Vec<Arc<Range>>>,
    reports: AtomicU32,
    /// Kinds and positions of errors that have already been reported.
    places: Mutex<HashSet<String>>,
}

impl Check {
    /// Returns checks for the memory in `ranges`, none of which counts as written.
    pub fn new(ranges: Arc<Ranges>) -> Check {
        Check {
            ranges,
            written: RwLock::default(),
            leaving: Mutex::default(),
            reports: AtomicU32::new(0),
            places: Mutex::default(),
        }
    }

    /// Calls `act` with the number of each chunk that the bytes touch and with the bits in the
    /// chunk. Stops if `act` returns false.
    fn each(
        address: u64,
        bytes: u64,
        mut act: impl FnMut(u64, std::ops::Range<u64>) -> bool,
    ) -> bool {
        let end = address.saturating_add(bytes);
        let mut at = address;
        while at < end {
            let chunk = at / CHUNK_BYTES;
            let stop = end.min((chunk + 1) * CHUNK_BYTES);
            if !act(chunk, at % CHUNK_BYTES..(stop - 1) % CHUNK_BYTES + 1) {
                return false;
            }
            at = stop;
        }
        true
    }

    /// Records that the bytes were written.
    pub fn set_written(&self, address: u64, bytes: u64) {
        Check::each(address, bytes, |chunk, bits| {
            let mark = |chunk: &Mutex<Chunk>| {
                bits.clone().for_each(|bit| lock(chunk)[bit as usize / 64] |= 1 << (bit % 64))
            };
            let known = {
                let chunks = self.written.read();
                chunks.get(&chunk).map(mark).is_some()
            };
            if !known {
                let mut chunks = self.written.write();
                mark(
                    chunks
                        .entry(chunk)
                        .or_insert_with(|| Mutex::new(Box::new([0; CHUNK_BYTES as usize / 64]))),
                );
            }
            true
        });
    }

    /// Records that memory was freed in stream order, so that earlier work may still use it.
    pub fn leaves(&self, range: &Arc<Range>) {
        lock(&self.leaving).push(Arc::clone(range));
    }

    /// Records that no work can use `range`, freed in stream order, any more.
    pub fn has_left(&self, range: &Range) {
        let mut leaving = lock(&self.leaving);
        if let Some(at) = leaving.iter().position(|other| other.id == range.id) {
            leaving.swap_remove(at);
        }
    }

    fn is_leaving(&self, address: u64, bytes: u64) -> bool {
        lock(&self.leaving)
            .iter()
            .any(|range| address >= range.base && address.saturating_add(bytes) <= range.end())
    }

    fn all_written(&self, address: u64, bytes: u64) -> bool {
        Check::each(address, bytes, |chunk, mut bits| {
            let chunks = self.written.read();
            chunks.get(&chunk).is_some_and(|chunk| {
                let chunk = lock(chunk);
                bits.all(|bit| chunk[bit as usize / 64] >> (bit % 64) & 1 != 0)
            })
        })
    }

    /// Records that new memory counts as unwritten, regardless of its former contents.
    pub fn set_unwritten(&self, address: u64, bytes: u64) {
        Check::each(address, bytes, |chunk, bits| {
            let chunks = self.written.read();
            if let Some(chunk) = chunks.get(&chunk) {
                let mut chunk = lock(chunk);
                bits.for_each(|bit| chunk[bit as usize / 64] &= !(1 << (bit % 64)));
            }
            true
        });
    }
}

/// Returns whether new memory of this origin counts as unwritten. Only device memory that programs
/// allocate does.
fn begins_empty(origin: Origin) -> bool {
    matches!(origin, Origin::Device | Origin::Pool(_) | Origin::Graph)
}

fn name(origin: Origin) -> &'static str {
    match origin {
        Origin::Device | Origin::Pool(_) | Origin::Graph | Origin::Mapped(_) => "device memory",
        Origin::Managed => "managed memory",
        Origin::Module | Origin::ManagedModule => "a variable",
        Origin::Array => "an array",
        Origin::HostAllocated(_) | Origin::HostRegistered(_) => "pinned memory",
    }
}

fn describe(range: &Range, address: u64) -> String {
    let place = if address >= range.end() {
        format!("{} bytes behind", address - range.end())
    } else if address < range.base {
        format!("{} bytes before", range.base - address)
    } else {
        "at the end of".to_string()
    };
    format!("{place} {:#x}, {} bytes of {}", range.base, range.bytes, name(range.origin))
}

impl engine::Checker for Check {
    fn holds(&self, address: u64, bytes: u32) -> bool {
        let bytes = u64::from(bytes);
        self.ranges.covers(address, bytes) || self.is_leaving(address, bytes)
    }

    fn nearest(&self, address: u64) -> String {
        let nearest = self.ranges.nearest(address);
        nearest.map_or_else(|| "there is none".to_string(), |range| describe(&range, address))
    }

    fn initialised(&self, address: u64, bytes: u32) -> bool {
        let empty = self.ranges.containing(address).is_some_and(|range| begins_empty(range.origin));
        !empty || self.all_written(address, u64::from(bytes))
    }

    fn written(&self, address: u64, bytes: u32) {
        self.set_written(address, u64::from(bytes));
    }

    fn report(&self, place: &str, text: &str) {
        if !lock(&self.places).insert(place.to_string()) {
            return;
        }
        let number = self.reports.fetch_add(1, Ordering::Relaxed);
        if number < REPORTS_MAX {
            eprintln!("outhaul check: {text}");
        } else if number == REPORTS_MAX {
            eprintln!("outhaul check: {REPORTS_MAX} reports; further ones are left out");
        }
    }
}

//! Conditions: numbers that kernels set while a graph runs, and that conditional nodes read.

use crate::driver::lock;
use outhaul_lock::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Weak};

/// A number that kernels set and conditional nodes read.
pub struct Condition {
    /// Number by which kernels name it.
    pub number: u64,
    value: AtomicU32,
    /// Value at the start of each launch of the graph.
    default: Option<u32>,
}

/// Conditions by number. A destroyed graph leaves a number without a condition.
static CONDITIONS: Mutex<BTreeMap<u64, Weak<Condition>>> = Mutex::new(BTreeMap::new());

impl Condition {
    /// Creates a condition.
    pub fn new(default: Option<u32>) -> Arc<Condition> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let number = MADE.fetch_add(1, SeqCst) + 1;
        let condition =
            Arc::new(Condition { number, value: AtomicU32::new(default.unwrap_or(0)), default });
        let mut all = lock(&CONDITIONS);
        all.retain(|_, known| known.strong_count() > 0);
        all.insert(number, Arc::downgrade(&condition));
        condition
    }

    /// Returns the condition with this number.
    pub fn find(number: u64) -> Option<Arc<Condition>> {
        lock(&CONDITIONS).get(&number)?.upgrade()
    }

    /// Sets the value.
    pub fn set(&self, value: u32) {
        self.value.store(value, SeqCst);
    }

    /// Sets the default value, if there is one.
    pub fn reset(&self) {
        self.default.into_iter().for_each(|value| self.set(value));
    }

    /// Returns the value.
    pub fn value(&self) -> u32 {
        self.value.load(SeqCst)
    }
}

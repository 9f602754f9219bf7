//! Conditions: numbers that kernels set while a graph runs, and that conditional nodes read.

use crate::driver::lock;
use outhaul_lock::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Weak};

/// A value that kernels set and conditional nodes read.
pub struct Condition {
    /// The number with which kernels name the condition.
    pub number: u64,
    value: AtomicU32,
    /// The value at the start of each graph launch, if the program gave one.
    default: Option<u32>,
}

/// Conditions by number. After a graph is destroyed, the numbers of its conditions refer to
/// nothing.
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

    /// Returns the condition with the given number, if its graph still exists.
    pub fn find(number: u64) -> Option<Arc<Condition>> {
        lock(&CONDITIONS).get(&number)?.upgrade()
    }

    /// Sets the condition's value.
    pub fn set(&self, value: u32) {
        self.value.store(value, SeqCst);
    }

    /// Resets the value to the default, if the condition has one.
    pub fn reset(&self) {
        self.default.into_iter().for_each(|value| self.set(value));
    }

    /// Returns the condition's value.
    pub fn value(&self) -> u32 {
        self.value.load(SeqCst)
    }
}

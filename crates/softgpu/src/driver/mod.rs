//! The driver API of the software GPU: everything around the kernels.
//!
//! `api` is the C ABI, with one function for each driver function. The other modules are named
//! after CUDA's concepts. The engine only parses PTX and runs grids. Deliberately absent: a driver
//! trait, and any knowledge of remoting.

use outhaul_lock::{Condvar, Mutex, MutexGuard};

pub(crate) mod api;
mod array;
mod capture;
mod card;
mod check;
mod cluster;
mod conditional;
mod context;
mod copy;
mod device;
pub(crate) mod entry;
mod error;
mod event;
pub(crate) mod forms;
mod function;
mod graph;
mod graph_exec;
mod graph_table;
mod green;
mod handle;
mod heap;
mod host;
mod image;
mod jit;
mod launch;
mod library;
mod link;
mod memory;
mod memory_operation;
mod module;
mod need;
mod occupancy;
mod output;
mod pages;
mod pool;
mod quarantine;
mod queue;
mod ranges;
mod settings;
mod shared_event;
mod signals;
mod state;
mod stream;
mod task;
#[cfg(test)]
mod tests;
mod texture;
mod user_object;
mod virtual_memory;

/// Locks even if an earlier holder panicked. Every critical section here leaves its data consistent
/// at each step, and a panic must not make the program hang.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard)
}

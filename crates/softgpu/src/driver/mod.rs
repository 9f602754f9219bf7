//! The driver API of the software GPU: everything except kernel execution.
//!
//! `api` is the C ABI, with one function for each driver function. The other modules are named
//! after CUDA's concepts. The engine only parses PTX and runs grids. Deliberately absent: a driver
//! trait, and any knowledge of remote execution.

pub(crate) mod abi;
pub mod code;
pub mod graphs;
pub mod objects;
pub mod streams;
pub mod system;

use outhaul_lock::{Condvar, Mutex, MutexGuard};

pub(crate) mod api;
mod device;
mod green;
mod memory;
mod state;
#[cfg(test)]
mod tests;

/// Locks a mutex even if an earlier holder panicked. Every critical section here leaves its data
/// consistent at each step, and a panic must not make the program hang.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard)
}

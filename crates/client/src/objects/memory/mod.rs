//! Memory as the client knows it: pinned and physical memory, pools, arrays, and shared memory.

pub mod arrays;
pub mod host_memory;
pub mod physical;
pub mod pool;
pub mod shared_memory;

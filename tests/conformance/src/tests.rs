//! The tests, by subject.

mod array;
mod before_init;
mod capture;
mod capture_forbids;
mod cluster;
mod code;
mod concurrent_threads;
mod conditional;
mod context;
mod copy;
mod copy_batch;
mod device;
mod ended_beside;
mod fault;
mod graph;
mod graph_change;
mod graph_contents;
mod graph_memory;
mod graph_params;
mod green_contexts;
mod host_device_turns;
mod ipc;
mod managed;
mod mapped_memory;
mod memory;
mod memory_reuse;
mod old_versions;
mod own_objects;
mod peer;
mod pinned;
mod queries;
mod shared_pool;
mod stream;
mod tensor_map;
mod texture;
mod texture_reference;
mod visibility_after_waits;
mod wrong_calls;
mod wrong_direction;
pub mod wrong_values;

use crate::gpu::{Done, Gpu};

pub use before_init::other_codes;
pub use ipc::ROLES;
pub use wrong_calls::address;

/// Name and body of a test.
pub type Test = (&'static str, fn(&Gpu) -> Done);

/// Returns all tests.
pub fn all() -> Vec<Test> {
    [
        device::TESTS,
        before_init::TESTS,
        context::TESTS,
        memory::TESTS,
        copy::TESTS,
        visibility_after_waits::TESTS,
        pinned::TESTS,
        peer::TESTS,
        managed::TESTS,
        mapped_memory::TESTS,
        memory_reuse::TESTS,
        host_device_turns::TESTS,
        ipc::TESTS,
        array::TESTS,
        copy_batch::TESTS,
        texture::TESTS,
        code::TESTS,
        cluster::TESTS,
        stream::TESTS,
        capture::TESTS,
        capture_forbids::TESTS,
        graph::TESTS,
        graph_change::TESTS,
        graph_memory::TESTS,
        graph_params::TESTS,
        conditional::TESTS,
        tensor_map::TESTS,
        shared_pool::TESTS,
        texture_reference::TESTS,
        old_versions::TESTS,
        green_contexts::TESTS,
        graph_contents::TESTS,
        queries::TESTS,
        concurrent_threads::TESTS,
        ended_beside::TESTS,
        own_objects::TESTS,
        wrong_direction::TESTS,
        wrong_values::TESTS,
        wrong_calls::TESTS,
        fault::TESTS,
    ]
    .concat()
}

//! The tests, by subject.

mod array;
mod arrival;
mod batch;
mod capture;
mod cluster;
mod code;
mod conditional;
mod context;
mod copy;
mod crowd;
mod device;
mod fault;
mod forms;
mod graph;
mod graph_change;
mod graph_inside;
mod graph_memory;
mod graph_params;
mod green;
mod ipc;
mod managed;
mod memory;
mod peer;
mod pinned;
mod questions;
mod reach;
mod reference;
mod reuse;
mod shared_pool;
mod stream;
mod tensor_map;
mod texture;
mod turns;

use crate::gpu::{Done, Gpu};

pub use ipc::ROLES;

/// Name and body of a test.
pub type Test = (&'static str, fn(&Gpu) -> Done);

/// Returns all tests.
pub fn all() -> Vec<Test> {
    [
        device::TESTS,
        context::TESTS,
        memory::TESTS,
        copy::TESTS,
        arrival::TESTS,
        pinned::TESTS,
        peer::TESTS,
        managed::TESTS,
        reach::TESTS,
        reuse::TESTS,
        turns::TESTS,
        ipc::TESTS,
        array::TESTS,
        batch::TESTS,
        texture::TESTS,
        code::TESTS,
        cluster::TESTS,
        stream::TESTS,
        capture::TESTS,
        graph::TESTS,
        graph_change::TESTS,
        graph_memory::TESTS,
        graph_params::TESTS,
        conditional::TESTS,
        tensor_map::TESTS,
        shared_pool::TESTS,
        reference::TESTS,
        forms::TESTS,
        green::TESTS,
        graph_inside::TESTS,
        questions::TESTS,
        crowd::TESTS,
        fault::TESTS,
    ]
    .concat()
}

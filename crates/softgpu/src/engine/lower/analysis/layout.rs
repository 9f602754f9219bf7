//! The layout of kernel parameters and shared variables.

use crate::engine::syntax::ir::{Body, Function, Space};

/// Returns the offset of each kernel parameter, and their total size in bytes.
pub fn parameter_layout(function: &Function) -> (Vec<u64>, u64) {
    let mut end = 0u64;
    let offsets = function.arguments.iter().map(|argument| {
        let offset = end.next_multiple_of(argument.variable.align_bytes.max(1));
        end = offset + argument.variable.size_bytes;
        offset
    });
    (offsets.collect(), end)
}

/// Returns the offsets of a kernel body's shared variables, which begin at `start`, and their end.
pub fn shared_layout(body: &Body, start: u64) -> (Vec<u64>, u64) {
    let mut end = start;
    let offsets = body.variables.iter().map(|variable| {
        if variable.space != Space::Shared || variable.unsized_array {
            return 0;
        }
        let offset = end.next_multiple_of(variable.align_bytes.max(1));
        end = offset.saturating_add(variable.size_bytes);
        offset
    });
    (offsets.collect(), end)
}

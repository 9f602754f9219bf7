//! The services that a running grid needs from the driver.

/// Receiver for data that kernels send to the host.
pub trait Output: Sync {
    /// Receives `printf` output.
    fn stdout(&self, bytes: &[u8]);
    /// Receives the message of a failed assertion.
    fn stderr(&self, bytes: &[u8]);
    /// Sets a condition of the graph in which the kernel runs.
    fn set_condition(&self, _number: u64, _value: u32) {}
}

/// The services that checked code needs from the allocator of its memory.
pub trait Checker: Sync {
    /// Returns whether the bytes are in one allocation.
    fn holds(&self, address: u64, bytes: u32) -> bool;
    /// Describes the allocation closest to an address.
    fn nearest(&self, address: u64) -> String;
    /// Returns whether all of the bytes have been written.
    fn initialised(&self, address: u64, bytes: u32) -> bool;
    /// Records that the bytes have been written.
    fn written(&self, address: u64, bytes: u32);
    /// Reports an error. `place` identifies its kind and position, so that a loop does not repeat
    /// the report.
    fn report(&self, place: &str, text: &str);
}

//! The services that a running grid needs of its caller.

/// Receiver of what kernels send to the host.
pub trait Output: Sync {
    /// Receives output of `printf`.
    fn stdout(&self, bytes: &[u8]);
    /// Receives the message of a failed assertion.
    fn stderr(&self, bytes: &[u8]);
    /// Sets a condition of the graph that the kernel runs in.
    fn set_condition(&self, _number: u64, _value: u32) {}
}

/// The allocator of the memory that checked code accesses.
pub trait Checker: Sync {
    /// Returns whether the bytes are in one allocation.
    fn holds(&self, address: u64, bytes: u32) -> bool;
    /// Describes the allocation closest to an address.
    fn nearest(&self, address: u64) -> String;
    /// Returns whether all of the bytes have been written.
    fn initialised(&self, address: u64, bytes: u32) -> bool;
    /// Notes that the bytes have been written.
    fn written(&self, address: u64, bytes: u32);
    /// Reports an error. `place` is its kind and position, so that a loop does not repeat a report.
    fn report(&self, place: &str, text: &str);
}

//! Numbers on which compiled code and a block's scheduler agree.

/// Maximum number of threads in a block.
pub const THREADS_MAX: usize = 1024;
/// Number of named barriers in a block.
pub const BARRIERS: usize = 16;
/// Number of neighbouring threads that run in step where possible. A warp consists of whole groups.
pub const GROUP: u32 = 4;
/// Input to a barrier that does not reduce predicates.
pub const NO_INPUT: u32 = 2;
/// Loop iterations around an atomic or volatile access before the thread lets others run.
pub const SPINS_PER_YIELD: u32 = 256;
/// State of a thread that has left its kernel. Smaller states number the resume points, and 0 is
/// the start.
pub const EXITED: u32 = u32::MAX;
/// Distance from one block's shared memory to the next block's. It is a power of two and larger
/// than a block's maximum, so that an address identifies its block.
pub const SLOT_BYTES: u64 = 1 << 18;

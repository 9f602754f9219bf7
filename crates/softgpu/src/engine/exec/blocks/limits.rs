//! Numbers that compiled code and the scheduler of a block agree on.

/// Maximum threads of a block.
pub const THREADS_MAX: usize = 1024;
/// Named barriers of a block.
pub const BARRIERS: usize = 16;
/// Number of neighbouring threads that run in step where they can. A warp consists of whole groups.
pub const GROUP: u32 = 4;
/// Input of a barrier that is not a reduction.
pub const NO_INPUT: u32 = 2;
/// Loop iterations around an atomic or volatile access before the thread lets others run.
pub const SPINS_PER_YIELD: u32 = 256;
/// State of a thread that has left its kernel. Other states count the resume points; 0 is the
/// start.
pub const EXITED: u32 = u32::MAX;
/// Distance from one block's shared memory to the next one's. It is a power of two larger than a
/// block's maximum, so that an address identifies the block.
pub const SLOT_BYTES: u64 = 1 << 18;

//! All limits that both sides apply. Each side refuses input that exceeds one.

/// Largest body of a frame in bytes, payload included. Larger copies are cut into pieces.
pub const BODY_BYTES_MAX: usize = 8 << 20;
/// Size of a piece of a copy in bytes: this reaches 96 % of the copy engine's full rate on an H200,
/// and the Gdev paper found the same size.
pub const PIECE_BYTES: usize = 4 << 20;
/// Size of the smallest piece of a large copy in bytes.
pub const BULK_PIECE_BYTES_MIN: u64 = 64 << 10;
/// Largest body without a payload in bytes.
pub const MESSAGE_BYTES_MAX: usize = 4 << 20;
/// Largest number of entries of a list in a message.
pub const LIST_LENGTH_MAX: usize = 65_536;
/// Largest name of a kernel, a variable or a file in bytes. Names of C++ templates can be long.
pub const NAME_BYTES_MAX: usize = 1 << 20;
/// Largest handshake message in bytes, except a welcome.
pub const HELLO_BYTES_MAX: usize = 8 << 10;
/// Largest welcome in bytes.
pub const WELCOME_BYTES_MAX: usize = 1 << 20;
/// Largest number of connections of one session: commands, callbacks and 32 bulk lanes, which carry
/// 5 Gb/s on a far network.
pub const LANES_MAX: u16 = 34;
/// Largest code image in bytes, after it is cut to the target.
pub const IMAGE_BYTES_MAX: u64 = 1 << 30;
/// Largest number of objects of one kind that a session may hold.
pub const OBJECTS_MAX: usize = 1 << 22;
/// Largest number of GPUs of a node.
pub const GPUS_MAX: usize = 64;
/// Largest number of sensors that a client may read in one question.
pub const SENSOR_FIELDS_MAX: usize = 512;
/// Largest number of graphs inside one conditional node.
pub const CONDITIONAL_GRAPHS_MAX: usize = 4096;
/// Largest number of earlier events whose distance a wait for an event may ask for.
pub const EVENT_STARTS_MAX: usize = 8;
/// Largest number of device parts that a session may know, and of descriptions of them.
pub const RESOURCES_MAX: usize = 65_536;
/// Largest size of a kernel's packed parameters in bytes (CUDA's own limit).
pub const PARAMETER_BYTES_MAX: usize = 32_764;

/// Largest number of host segments of a session: pinned host memory that client and worker both
/// map.
pub const HOST_SEGMENTS_MAX: usize = 4096;
/// Largest size of a session's host segments together, in bytes.
pub const HOST_SEGMENT_BYTES_MAX: u64 = 64 << 30;

/// Address of the first device's arena, in client and worker alike: above the addresses that
/// linkers and allocators use, below the stacks.
pub const ARENA_BASE: u64 = 0x2000_0000_0000;
/// Distance from one device's arena to the next: several times the memory of the largest GPU, so
/// that addresses need not be reused at once.
pub const ARENA_STRIDE: u64 = 0x0200_0000_0000;

/// Largest number of a session's closed gates.
pub const GATES_MAX: usize = 1024;
/// Largest number of copies that wait on one link.
pub const LINK_COPIES_MAX: usize = 4096;
/// Largest number of links of a session, for each direction and each other session of the same
/// program.
pub const LINKS_MAX: usize = 64;
/// Largest number of connections for links that the client has not announced yet.
pub const LINK_STRANGERS_MAX: usize = 16;

/// Largest size of a session's regions in bytes: pinned memory that the device reaches over a link,
/// and managed variables. Both sides keep a copy of it to compare with.
pub const MANAGED_BYTES_MAX: u64 = 16 << 30;
/// Largest number of pieces of managed memory that one question covers.
pub const MANAGED_REGIONS_PER_QUERY_MAX: usize = 4096;
/// Largest number of changed bytes in the answer to such a question.
pub const MANAGED_BROUGHT_BYTES_MAX: u64 = 1 << 20;
/// Largest number of bytes that are fetched at once.
pub const MANAGED_FETCH_BYTES_MAX: u64 = 2 << 20;
/// Largest number of changed pieces in one answer.
pub const MANAGED_RUNS_MAX: usize = 16 << 10;
/// Largest number of bytes of managed memory that the program has changed and that wait for the
/// device.
pub const MANAGED_QUEUE_BYTES_MAX: usize = 128 << 20;
/// Number of these bytes that the client sends before it waits for their arrival.
pub const MANAGED_AHEAD_BYTES_MAX: usize = 64 << 20;
/// Largest number of a session's twins: pinned memory that program and device both reach by its
/// address over a link.
pub const REPLICAS_MAX: usize = 4096;
/// Size of a page in which twins are counted, in bytes.
pub const REPLICA_PAGE_BYTES: usize = 4096;
/// Largest size of a session's twins, in whole pages, up to which the node reports the device's
/// changes before its other messages. Above it, the client asks.
pub const REPLICA_BYTES_UNASKED_MAX: usize = 64 << 10;
/// Largest size of the twins that are compared as one, so that words in different pieces keep their
/// order.
pub const REPLICA_BYTES_TOGETHER_MAX: usize = 4 << 20;
/// Size of the parts that a larger piece is cut into, at multiples of this address, so that each
/// part can be absent. It is a huge page, which Linux moves as one.
pub const REPLICA_PART_BYTES: usize = 2 << 20;

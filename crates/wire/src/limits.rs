//! Limits that both sides enforce. Each side rejects input that exceeds one.

/// Maximum size of a frame's body in bytes, including the payload. Larger copies are divided into
/// pieces.
pub const BODY_BYTES_MAX: usize = 8 << 20;
/// Size of a copy's piece in bytes. With this size a copy reaches 96 % of an H200 copy engine's
/// full rate. The Gdev paper found the same size.
pub const PIECE_BYTES: usize = 4 << 20;
/// Minimum size of a large copy's piece in bytes, except for the last piece.
pub const BULK_PIECE_BYTES_MIN: u64 = 64 << 10;
/// Maximum size of a body without a payload in bytes.
pub const MESSAGE_BYTES_MAX: usize = 4 << 20;
/// Maximum number of entries in a message's list.
pub const LIST_LENGTH_MAX: usize = 65_536;
/// Maximum length of a kernel's, a variable's or a file's name in bytes. Names of C++ templates can
/// be long.
pub const NAME_BYTES_MAX: usize = 1 << 20;
/// Maximum size of a handshake message in bytes, except a welcome.
pub const HELLO_BYTES_MAX: usize = 8 << 10;
/// Maximum size of a welcome in bytes.
pub const WELCOME_BYTES_MAX: usize = 1 << 20;
/// Maximum number of lanes in one session: commands, callbacks and 32 bulk lanes. The bulk lanes
/// carry 5 Gb/s on a far network.
pub const LANES_MAX: u16 = 34;
/// Maximum size of a code image in bytes, after it is reduced to the target.
pub const IMAGE_BYTES_MAX: u64 = 1 << 30;
/// Maximum number of objects of one kind in a session.
pub const OBJECTS_MAX: usize = 1 << 22;
/// Maximum number of GPUs in a node.
pub const GPUS_MAX: usize = 64;
/// Maximum number of sensors that a client may read in one query.
pub const SENSOR_FIELDS_MAX: usize = 512;
/// Maximum number of graphs inside one conditional node.
pub const CONDITIONAL_GRAPHS_MAX: usize = 4096;
/// Maximum number of earlier events whose elapsed time a wait for an event may query.
pub const EVENT_STARTS_MAX: usize = 8;
/// Maximum number of a session's device parts, and of its descriptions of them.
pub const RESOURCES_MAX: usize = 65_536;
/// Maximum size of a kernel's packed parameters in bytes, which is CUDA's own limit.
pub const PARAMETER_BYTES_MAX: usize = 32_764;

/// Maximum number of host segments in a session: pieces of pinned host memory that client and
/// worker both map.
pub const HOST_SEGMENTS_MAX: usize = 4096;
/// Maximum total size of a session's host segments, in bytes.
pub const HOST_SEGMENT_BYTES_MAX: u64 = 64 << 30;

/// Address of the first device's arena, which is the same in client and worker. The arenas are
/// above the addresses that linkers and allocators use, and below the stacks.
pub const ARENA_BASE: u64 = 0x2000_0000_0000;
/// Distance in bytes from one device's arena to the next. It is several times the memory of the
/// largest GPU, so that the worker need not reuse addresses at once.
pub const ARENA_STRIDE: u64 = 0x0200_0000_0000;

/// Maximum number of closed gates in a session.
pub const GATES_MAX: usize = 1024;
/// Maximum number of copies that wait on one link.
pub const LINK_COPIES_MAX: usize = 4096;
/// Maximum number of links in a session, in each direction and for each other session of the
/// program.
pub const LINKS_MAX: usize = 64;
/// Maximum number of link connections that the client has not announced yet.
pub const LINK_STRANGERS_MAX: usize = 16;

/// Maximum total size of a session's managed regions in bytes. They contain managed variables, and
/// pinned memory that the device accesses over a network. Each side keeps a copy for comparisons.
pub const MANAGED_BYTES_MAX: u64 = 16 << 30;
/// Maximum number of pieces of managed memory in one query.
pub const MANAGED_REGIONS_PER_QUERY_MAX: usize = 4096;
/// Maximum number of changed bytes in the answer to a query about managed memory.
pub const MANAGED_BROUGHT_BYTES_MAX: u64 = 1 << 20;
/// Maximum number of bytes of managed memory that one request fetches.
pub const MANAGED_FETCH_BYTES_MAX: u64 = 2 << 20;
/// Maximum number of changed pieces in one answer.
pub const MANAGED_RUNS_MAX: usize = 16 << 10;
/// Maximum number of bytes of managed memory that the program has changed and that are queued for
/// the device.
pub const MANAGED_QUEUE_BYTES_MAX: usize = 128 << 20;
/// Number of queued bytes of managed memory that the client sends before it waits for their
/// arrival.
pub const MANAGED_AHEAD_BYTES_MAX: usize = 64 << 20;
/// Maximum number of replicas in a session: pieces of pinned memory that program and device both
/// access by the same addresses over a network.
pub const REPLICAS_MAX: usize = 4096;
/// Page size in which replicas are counted, in bytes.
pub const REPLICA_PAGE_BYTES: usize = 4096;
/// Maximum total size of a session's replicas, in bytes of whole pages, for which the node sends
/// changes unasked. It sends the changes before its other messages. Above this size, the client
/// asks for them.
pub const REPLICA_BYTES_UNASKED_MAX: usize = 64 << 10;
/// Maximum total size of the replicas that are compared together, in bytes. Changed words in
/// different replicas then keep their order.
pub const REPLICA_BYTES_TOGETHER_MAX: usize = 4 << 20;
/// Size in bytes of the parts into which a larger replica is divided, so that each part can be
/// absent. Parts begin at multiples of this size. A part is a huge page, which Linux moves as one.
pub const REPLICA_PART_BYTES: usize = 2 << 20;

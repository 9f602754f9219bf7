//! Every bound that both sides keep. What exceeds one is refused by the side that receives it.

/// A frame's body, payload included. Larger copies are cut into pieces.
pub const BODY_BYTES_MAX: usize = 8 << 20;
/// A piece of a copy: 96 % of the copy engine's full rate on an H200, and the size that the Gdev
/// paper found.
pub const PIECE_BYTES: usize = 4 << 20;
/// The least that a large copy is cut into.
pub const BULK_PIECE_BYTES_MIN: u64 = 64 << 10;
/// A body that carries no payload.
pub const MESSAGE_BYTES_MAX: usize = 4 << 20;
/// Entries of a list inside a message.
pub const LIST_LENGTH_MAX: usize = 65_536;
/// A name of a kernel, a variable or a file. Names of C++ templates grow long.
pub const NAME_BYTES_MAX: usize = 1 << 20;
/// The handshake's messages.
pub const HELLO_BYTES_MAX: usize = 8 << 10;
pub const WELCOME_BYTES_MAX: usize = 1 << 20;
/// Connections of one session: commands, callbacks and thirty-two for bulk data, which far away
/// carry 5 Gb/s.
pub const LANES_MAX: u16 = 34;
/// A code image after it is cut to the target.
pub const IMAGE_BYTES_MAX: u64 = 1 << 30;
/// Objects of one kind that a session may hold.
pub const OBJECTS_MAX: usize = 1 << 22;
pub const GPUS_MAX: usize = 64;
/// Sensors that a client may read in one question.
pub const SENSOR_FIELDS_MAX: usize = 512;
/// Graphs inside one conditional node.
pub const CONDITIONAL_GRAPHS_MAX: usize = 4096;
/// Events before one that is waited for whose distance may be asked with it.
pub const EVENT_STARTS_MAX: usize = 8;
/// Parts of devices that a session may have been told of, and descriptions of them.
pub const RESOURCES_MAX: usize = 65_536;
/// A kernel's packed parameters (CUDA allows 32,764 bytes).
pub const PARAMETER_BYTES_MAX: usize = 32_764;

/// Pinned host memory that client and worker both map: how many pieces a session may have of it,
/// and their bytes together.
pub const HOST_SEGMENTS_MAX: usize = 4096;
pub const HOST_SEGMENT_BYTES_MAX: u64 = 64 << 30;

/// Where the first device's memory lies, in client and worker alike: above what a linker or an
/// allocator uses, below the stacks.
pub const ARENA_BASE: u64 = 0x2000_0000_0000;
/// From one device's range to the next: several times the memory of the largest GPU, so that
/// addresses need not be reused at once.
pub const ARENA_STRIDE: u64 = 0x0200_0000_0000;

/// Gates of a session that are not open yet, and copies that wait on one link.
pub const GATES_MAX: usize = 1024;
pub const LINK_COPIES_MAX: usize = 4096;
/// Links of a session, for each direction and each other session of the same program; and
/// connections for links that nobody has spoken of yet.
pub const LINKS_MAX: usize = 64;
pub const LINK_STRANGERS_MAX: usize = 16;

/// Pinned memory of a session that the device reaches over a link, and managed variables, of which
/// both sides keep a copy to compare with.
pub const MIRROR_BYTES_MAX: u64 = 16 << 30;
/// Pieces of managed memory that one question asks about, what of them is brought with the answer,
/// and what is fetched at once.
pub const MIRRORS_LOOKED_AT_MAX: usize = 4096;
pub const MIRROR_BROUGHT_BYTES_MAX: u64 = 1 << 20;
pub const MIRROR_FETCH_BYTES_MAX: u64 = 2 << 20;
/// Pieces that one answer names.
pub const MIRROR_RUNS_MAX: usize = 16 << 10;
/// What the program has changed of managed memory, on its way to the device; and how much of it is
/// sent before the client waits for it to come there.
pub const MIRROR_QUEUE_BYTES_MAX: usize = 128 << 20;
pub const MIRROR_AHEAD_BYTES_MAX: usize = 64 << 20;
/// Pinned memory that program and device both reach by its address, over a link: pieces of a
/// session. Where all of it is no more than so many bytes, counted in whole pages, the node tells
/// what the device has changed before it says anything else; otherwise it is asked.
pub const TWINS_MAX: usize = 4096;
pub const TWIN_PAGE_BYTES: usize = 4096;
pub const TWIN_BYTES_UNASKED_MAX: usize = 64 << 10;
/// How much of it is compared as one: words in different pieces keep their order then.
pub const TWIN_BYTES_TOGETHER_MAX: usize = 4 << 20;
/// A larger piece is cut at addresses that are multiples of this, so that a part of it can be
/// absent. It is a huge page, which Linux moves as one.
pub const TWIN_PART_BYTES: usize = 2 << 20;

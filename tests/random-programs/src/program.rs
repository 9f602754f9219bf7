//! A program as a value: operations on numbered objects. `text.rs` writes and reads it, and
//! `model.rs` defines its meaning.

/// A range of a buffer. Lengths and positions are in words of four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Number of the buffer.
    pub buffer: usize,
    /// First word.
    pub start: usize,
    /// Number of words.
    pub len: usize,
}

impl Range {
    /// Returns the position after the last word.
    pub fn end(&self) -> usize {
        self.start + self.len
    }
}

/// Rows of words. One row is a plain copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// Number of the buffer.
    pub buffer: usize,
    /// First word.
    pub start: usize,
    /// Words in a row.
    pub width: usize,
    /// Number of rows.
    pub rows: usize,
    /// Words from one row to the next.
    pub pitch: usize,
}

impl Rows {
    /// Returns the range of each row.
    pub fn ranges(self) -> impl Iterator<Item = Range> {
        (0..self.rows).map(move |row| Range {
            buffer: self.buffer,
            start: self.start + row * self.pitch,
            len: self.width,
        })
    }
}

/// The kind of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    Device,
    /// Memory of `cuMemAllocAsync`, in a stream.
    Pooled,
    Managed,
    Pinned,
    /// Pinned memory of which kernels have the address that `cuMemHostGetDevicePointer` returns.
    Mapped,
    /// Memory of the program, which may be registered.
    Pageable,
}

/// A stream.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stream {
    Legacy,
    /// The calling thread's own default stream.
    Own,
    Made(usize),
}

/// The function that copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// The function for the copy's direction.
    Directed,
    /// `cuMemcpyAsync` or `cuMemcpy`, which find out the direction.
    Unified,
}

/// An operation of a host function: the host's part of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    Check(Range),
    Write(Range, u32),
    /// Releases a thread that waits for the token.
    Post(usize),
}

/// Work of a stream, or of a graph node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    Stamp {
        to: Range,
        base: u32,
        step: u32,
    },
    Bump {
        to: Range,
        more: u32,
    },
    Check {
        of: Range,
    },
    Spin {
        us: u32,
    },
    /// Repeats a number of 1, 2 or 4 bytes.
    Fill {
        to: Rows,
        value: u32,
        unit: usize,
    },
    Copy {
        to: Rows,
        from: Rows,
        call: Call,
    },
    Host {
        deeds: Vec<Deed>,
    },
}

/// An operation, without its thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deal {
    Alloc {
        buffer: usize,
        memory: Memory,
        words: usize,
    },
    AllocAsync {
        buffer: usize,
        words: usize,
        stream: Stream,
    },
    Free {
        buffer: usize,
    },
    FreeAsync {
        buffer: usize,
        stream: Stream,
    },
    /// Registers memory, with a device pointer or without.
    Register {
        buffer: usize,
        mapped: bool,
    },
    Unregister {
        buffer: usize,
    },
    NewStream {
        stream: usize,
        blocking: bool,
        priority: i32,
    },
    DropStream {
        stream: usize,
    },
    NewEvent {
        event: usize,
        flags: u32,
    },
    DropEvent {
        event: usize,
    },
    Do {
        stream: Stream,
        action: Action,
    },
    /// Runs the synchronous form of a copy or fill, in the legacy stream.
    Now {
        action: Action,
    },
    Record {
        event: usize,
        stream: Stream,
    },
    Wait {
        stream: Stream,
        event: usize,
    },
    WriteHost {
        to: Range,
        base: u32,
    },
    CheckHost {
        of: Range,
    },
    StreamSync {
        stream: Stream,
    },
    /// Queries until the stream is done.
    StreamPoll {
        stream: Stream,
    },
    /// Queries once.
    StreamQuery {
        stream: Stream,
    },
    EventSync {
        event: usize,
    },
    EventPoll {
        event: usize,
    },
    EventQuery {
        event: usize,
    },
    ContextSync,
    Capture {
        graph: usize,
        stream: Stream,
    },
    EndCapture {
        graph: usize,
        stream: Stream,
    },
    NewGraph {
        graph: usize,
    },
    Node {
        graph: usize,
        after: Vec<usize>,
        action: Action,
    },
    Instantiate {
        exec: usize,
        graph: usize,
    },
    /// Sets another action of the same kind for a node of a graph that was built.
    Change {
        exec: usize,
        node: usize,
        action: Action,
    },
    Launch {
        exec: usize,
        stream: Stream,
    },
    DropExec {
        exec: usize,
    },
    DropGraph {
        graph: usize,
    },
    /// Tells another thread that it may continue.
    Hand {
        to: usize,
    },
    Await {
        token: usize,
    },
}

/// An operation of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Op {
    /// Thread that runs it.
    pub thread: usize,
    /// The operation.
    pub deal: Deal,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Number of threads.
    pub threads: usize,
    /// Operations of all threads, in one order.
    pub ops: Vec<Op>,
}

/// Maximum threads of a program.
pub const THREADS_MAX: usize = 4;
/// Maximum words of a buffer: 16 MiB.
pub const WORDS_MAX: usize = 4 << 20;
/// Limit of the numbers of objects in a text.
pub const OBJECTS_MAX: usize = 4096;

//! A program as a value: operations on numbered objects. `text.rs` writes and parses programs, and
//! `model.rs` defines their meaning.

/// A range of words in a buffer. Lengths and positions are in words of four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Number of the buffer.
    pub buffer: usize,
    /// Position of the first word.
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

/// Rows of words. A single row makes a plain copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// Number of the buffer.
    pub buffer: usize,
    /// Position of the first word.
    pub start: usize,
    /// Number of words in a row.
    pub width: usize,
    /// Number of rows.
    pub rows: usize,
    /// Distance between the starts of two rows, in words.
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

/// A kind of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    Device,
    /// Memory from `cuMemAllocAsync`, in a stream.
    Pooled,
    Managed,
    Pinned,
    /// Pinned memory that kernels access at the address from `cuMemHostGetDevicePointer`.
    Mapped,
    /// The program's own memory, which may be registered.
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

/// The driver function that makes a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// The function for the copy's direction.
    Directed,
    /// `cuMemcpyAsync` or `cuMemcpy`, which infer the direction.
    Unified,
}

/// An operation in a host function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    Check(Range),
    Write(Range, u32),
    /// Releases the thread that waits for the token.
    Post(usize),
}

/// Work in a stream or in a graph node.
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
    /// Fills rows with a repeated value of 1, 2 or 4 bytes.
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

/// An operation, without the thread that executes it.
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
    /// Registers memory, with or without a device pointer.
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
    /// Makes a synchronous copy or fill, in the legacy stream.
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
    /// Queries a stream repeatedly until it is done.
    StreamPoll {
        stream: Stream,
    },
    /// Queries a stream once.
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
    /// Sets another action of the same kind for a node in an executable graph.
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
    /// Signals another thread that it may continue.
    Hand {
        to: usize,
    },
    Await {
        token: usize,
    },
}

/// An operation and the thread that executes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Op {
    /// Index of the thread.
    pub thread: usize,
    /// The operation.
    pub deal: Deal,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Number of threads.
    pub threads: usize,
    /// Operations of all threads, in a single order.
    pub ops: Vec<Op>,
}

/// Maximum number of threads in a program.
pub const THREADS_MAX: usize = 4;
/// Maximum number of words in a buffer, which is 16 MiB.
pub const WORDS_MAX: usize = 4 << 20;
/// Upper bound on object numbers in a program's text.
pub const OBJECTS_MAX: usize = 4096;

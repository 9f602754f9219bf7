//! A program as a value: operations on numbered objects. `text.rs` writes and reads it, `model.rs`
//! says what it means.

/// A place of a buffer; lengths and places are in words of four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub buffer: usize,
    pub start: usize,
    pub len: usize,
}

impl Range {
    pub fn end(&self) -> usize {
        self.start + self.len
    }
}

/// Rows of words with a pitch each; one row is a plain copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    pub buffer: usize,
    pub start: usize,
    pub width: usize,
    pub rows: usize,
    pub pitch: usize,
}

impl Rows {
    pub fn ranges(self) -> impl Iterator<Item = Range> {
        (0..self.rows).map(move |row| Range {
            buffer: self.buffer,
            start: self.start + row * self.pitch,
            len: self.width,
        })
    }
}

/// Where memory comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    Device,
    /// `cuMemAllocAsync`, in a stream.
    Pooled,
    Managed,
    Pinned,
    /// Pinned; kernels have the address that `cuMemHostGetDevicePointer` says.
    Mapped,
    /// The program's own, which may be registered.
    Pageable,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stream {
    Legacy,
    /// The calling thread's own default stream.
    Own,
    Made(usize),
}

/// How a copy is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// By the function of its direction.
    Directed,
    /// By `cuMemcpyAsync` or `cuMemcpy`, which find the direction out.
    Unified,
}

/// What a host function does: the host's part of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    Check(Range),
    Write(Range, u32),
    /// Lets a thread go on that awaits the token.
    Post(usize),
}

/// Work of a stream, or a graph's node.
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
    /// With a device pointer asked for, or not.
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
    /// The synchronous form, in the legacy stream: copies and fills.
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
    /// Asks until the stream is done.
    StreamPoll {
        stream: Stream,
    },
    /// Asks once.
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
    /// Another action of the same kind for a node of a graph that was built.
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
    /// The thread tells another that it may go on.
    Hand {
        to: usize,
    },
    Await {
        token: usize,
    },
}

/// What a thread of the program does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Op {
    pub thread: usize,
    pub deal: Deal,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub threads: usize,
    pub ops: Vec<Op>,
}

pub const THREADS_MAX: usize = 4;
/// Of one buffer: 16 MiB.
pub const WORDS_MAX: usize = 4 << 20;
/// Numbers of objects in a text are below this.
pub const OBJECTS_MAX: usize = 4096;

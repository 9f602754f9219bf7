//! The driver API, each function described once. Rust syntax, read by `cargo xtask codegen` and
//! never compiled.
//!
//! A function has exactly one class:
//!
//! * `#[local]`        the client answers from what it knows; nothing is sent
//! * `#[post(op = N)]` sent, not answered; generated on both sides; `like = F` sends F's message
//!   with the default stream
//! * `#[call(op = N)]` sent, answered; generated on both sides; `memo` remembers the answer (about
//!   a kernel: for the attributes that it has)
//! * `#[custom]`       hand-written on both sides over the messages below
//! * `#[form_of(F)]` the older form of F, which carries it out with its arguments widened;
//!   `narrow`: its sizes and addresses have 32 bits, and only contexts that know no others take it,
//!   which take nothing else
//! * `#[unsupported(why)]` returns CUDA_ERROR_NOT_SUPPORTED, and is never handed out by
//!   cuGetProcAddress; `why` is one of REASONS
//!
//! `#[since(V)]` is the CUDA version in which the symbol's ABI appeared, the key of
//! cuGetProcAddress. `#[ptsz(V)]` and `#[ptds(V)]` say that a per-thread-default-stream flavour is
//! exported too. `#[soft]` says that the software GPU implements it. `#[refused]` on an unsupported
//! function: cuGetProcAddress hands it out all the same, since programs look it up before they ask
//! whether the device has the feature, which it denies. `#[touches(address, bytes)]` is a range of
//! device memory that the client checks before it sends. `#[untyped]` stands for a symbol whose
//! parameters nobody needed yet; `#[data]` for a symbol that is no function. `In<T>`, `Out<T>` and
//! `Option<Out<T>>` are pointers to one T that is read or written; `In<[T; n], MAX>` points to n of
//! them, where n is an expression over the parameters, and at most MAX. A handle is any type of
//! HANDLES. Op numbers are for ever: append, never reuse. `spec/ops.lock` has the message of each,
//! which keeps its name.
//!
//! What a client sends, a `#[post]` or `#[call]` here or among the messages, says in `#[does(...)]`
//! what the worker is to do about it:
//!
//! * `nothing`         none of what follows
//! * `compute`, `to_device`, `to_host` it is work for that engine, as long as `bytes = EXPRESSION`
//!   takes, or as work with the same `like = (FIELD, ...)` took: the session's turn is waited for,
//!   and the work is charged
//! * `launches`        kernels run by it: the node's limit on kernels holds
//! * `stands` it takes a place in its stream; `accesses`: it reads or writes the device's memory
//!   there, as all work does
//! * `stalls` the stream may stand still there for something that is no work of the GPU's: the turn
//!   is not held meanwhile
//! * `watches` the stream may stand there looking at the device's memory, which then does not move
//! * `calls_back` the device will come to a function in the program, always or where `calls_back =
//!   FIELD` is true
//! * `waits` the program is about to wait for what it gave; `takes_long`: it takes so long that no
//!   turn is to be held meanwhile
//! * `drains` the driver may wait in it for all that its context was given, and keep other calls
//!   waiting meanwhile
//! * `makes_fixed`     it makes device memory that does not move
//! * `contexts = (FIELD, ...)`   it uses memory of these contexts, too
//!
//! Work, and whatever else goes to a stream, has a field `stream` and needs a live context. What
//! names device memory or a graph, by the types of its fields, has its memory in place.
//! `#[lane(callbacks)]`, `#[lane(bulk)]` and `#[lane(link)]` are for what is no command.

const HANDLES: [&str; 21] = [
    "CUcontext", "CUmodule", "CUfunction", "CUkernel", "CUlibrary", "CUstream", "CUevent",
    "CUgraph", "CUgraphNode", "CUgraphExec", "CUarray",
    "CUmipmappedArray", "CUmemoryPool", "CUlinkState", "CUtexref", "CUsurfref", "CUuserObject",
    "CUgraphicsResource", "CUexternalMemory",
    "CUexternalSemaphore", "CUgreenCtx",
];

/// Why functions are unsupported: a word, what they are, and what a program gets instead or why
/// there is nothing.
const REASONS: [(&str, &str, &str); 15] = [
    ("refused_natively", "Older forms that NVIDIA's driver refuses too",
        "It answers CUDA_ERROR_NOT_SUPPORTED, unless an administrator loads its kernel module with \
        an option. The later forms work."),
    ("graphics", "OpenGL and other graphics interoperation",
        "A frame would have to cross to the display's machine; there is no display context of the \
        program's on the node."),
    ("egl", "EGL streams",
        "They connect producers and consumers on one machine, and the program's are not on the \
        node."),
    ("vdpau", "VDPAU", "Video surfaces belong to the display's machine."),
    ("external", "Memory and semaphores of other interfaces",
        "They come from Vulkan, Direct3D or NvSci on the program's machine, where there is no GPU \
        to share them with."),
    ("windows", "Windows", "The function has no meaning on Linux."),
    ("debugger", "The debugger's symbols",
        "A debugger stops the GPU of its own machine through them. They are data, and not \
        exported."),
    ("coredump", "Core dumps of the GPU",
        "They would be written on the node, where the program cannot read them."),
    ("checkpoint", "Checkpoints",
        "They stop a process and keep its GPU state in it; the process that has the state is the \
        worker."),
    ("multicast", "Multicast memory",
        "The device attribute says that there is none, since it needs a fabric that sessions are \
        not given."),
    ("rdma", "Access to GPU memory by other hardware",
        "The device attributes say that there is none: a network card of the program's machine \
        cannot reach the node's GPU."),
    ("sparse", "Sparse arrays",
        "The device attribute says that there are none. Nobody has asked for them."),
    ("planes", "Planes of arrays", "Formats of several planes belong to video interoperation."),
    ("decompression", "Decompression by hardware",
        "The device attribute says that there is none. Nobody has asked for it."),
    ("undocumented", "Without a document", "No program is known to call it."),
];

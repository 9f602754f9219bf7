//! The driver API: each function is described once. `cargo xtask codegen` reads these files; their
//! syntax is Rust's, but they are never compiled.
//!
//! A function has exactly one class:
//!
//! * `#[local]`: the client answers from its own knowledge and sends nothing.
//! * `#[post(op = N)]`: the client sends a message without an answer. Both sides are generated.
//!   `like = F` sends F's message with the default stream.
//! * `#[call(op = N)]`: the client sends a message with an answer. Both sides are generated. `memo`
//!   keeps the answer (for a kernel, while its attributes do not change).
//! * `#[is(CALL)]`: delegated. The client only makes this call; the function that it calls uses the
//!   messages of messages.rs. `CALL -> place` writes the result, `CALL -> (a, b)` several.
//! * `#[custom("why")]`: both sides are hand-written and use the messages of messages.rs. `why`
//!   says in at most 12 words what the spec cannot describe.
//! * `#[form_of(F)]`: an older form of F. The client widens its arguments and calls F. `narrow`:
//!   the form's sizes and addresses have 32 bits. Only contexts of programs with 32-bit addresses
//!   accept it, and they accept no other form.
//! * `#[unsupported(why)]`: the function returns CUDA_ERROR_NOT_SUPPORTED, and cuGetProcAddress
//!   does not return the function; `why` is one of REASONS.
//!
//! `#[since(V)]` is the CUDA version in which the symbol's ABI appeared, the key of
//! cuGetProcAddress. `#[ptsz(V)]` and `#[ptds(V)]` also export a flavour for the per-thread default
//! stream. `#[soft]`: the software GPU implements the function. `#[refused]`: cuGetProcAddress
//! returns an unsupported function, because programs look the function up before they ask whether
//! the device has the feature. `#[touches(address, bytes)]`: the client checks this range of device
//! memory before it sends the message. If `address` is an array of operations, the client makes the
//! pinned memory reachable that its words name. `#[unsafe_in_capture]`: a capture may forbid the
//! call, in other threads too; the call then invalidates the capture. `#[untyped]`: the spec does
//! not describe the parameters. `#[data]`: the symbol is not a function.
//!
//! A CALL is `folder::file::function(argument, ...)` with a Rust function of crates/client/src/api
//! that returns a `Result`, or `cuFunction(argument, ...)` with a driver function. Every parameter
//! is an argument or takes a result. An argument is one of these:
//!
//! * a parameter, a literal, the path of a constant, or `[a, b]`.
//! * `null`: a null pointer.
//! * `stream`: the default stream. Only a function with a per-thread flavour has it.
//! * a CALL of a Rust function, whose error becomes the function's error. This CALL may omit folder
//!   and file if they equal those of the outer CALL. It may also look up a handle's object:
//!   `handles::module(hmod)`, `contexts::resolve(ctx)`, `marshal::graph(hGraph)`.
//!
//! A Rust function gets an `In<T>` as `&T`; a null pointer is an error, which the client finds in
//! the order of the arguments. A null `Out<T>` is an error before the call. A null `*mut T` that
//! takes a result is an error after the call. An `Option<Out<T>>` may be null. The choice must
//! match the behaviour of real drivers.
//!
//! The call itself refuses arguments that its function does not accept, with
//! CUDA_ERROR_INVALID_VALUE and before anything is sent. The exports of client and software GPU do
//! so. A parameter states what it requires: `#[aligned(N)]` a multiple of N, `#[flags(MASK)]` no
//! other bits, `#[one_of(PATTERN)]` one of these values, `#[at_least(N)]` N or more,
//! `#[at_most(N)]` N or less. `#[room]` is a size that an address space can have; a larger one is
//! CUDA_ERROR_OUT_OF_MEMORY. `#[requires(CONDITION)]` of the function relates several parameters.
//! `#[supports(CONDITION)]` of the function says what the device must support; other arguments are
//! CUDA_ERROR_NOT_SUPPORTED. A post that is `like` another function has that function's
//! requirements too.
//!
//! `In<T>`, `Out<T>` and `Option<Out<T>>` are pointers to one T that is read or written. `In<[T;
//! n], MAX>` points to n elements, where n is an expression over the parameters, and is at most
//! MAX. A handle is any type of HANDLES. Op numbers are permanent: append, never reuse.
//! `spec/ops.lock` lists each number's message, whose name is permanent, too.
//!
//! A message that a client sends, a `#[post]` or `#[call]` here or among the messages, declares its
//! effect in `#[does(...)]`:
//!
//! * `nothing`: none of the effects below.
//! * `compute`, `to_device`, `to_host`: the message is work for this engine. The worker estimates
//!   the work's time from `bytes = EXPRESSION`, or from earlier work with equal `like = (FIELD,
//!   ...)`. The work waits for the session's turn, and its time is charged.
//! * `launches`: the message runs kernels, to which the node's limit on kernels applies.
//! * `queued`: the message takes effect in its stream's order. `accesses`: the message then reads
//!   or writes the device's memory, as all work does.
//! * `stalls`: the stream may wait at this message for something other than the GPU. Meanwhile the
//!   session does not hold its turn.
//! * `watches`: the stream may wait at this message while it reads the device's memory, which does
//!   not move meanwhile.
//! * `joins`: the stream may wait at this message until other streams' work is done, as with
//!   `watches`.
//! * `captured`: every stream that captures accepts it.
//! * `calls_back`: the device will call a function of the program, always or if `calls_back =
//!   FIELD` is true.
//! * `waits`: the program is about to wait for its own work. `takes_long`: the call takes so long
//!   that the session must not hold a turn meanwhile.
//! * `drains`: the driver may wait for all work of the context, and block other calls meanwhile.
//! * `makes_fixed`: the message creates device memory that does not move.
//! * `contexts = (FIELD, ...)`: the message also uses memory of these contexts.
//!
//! Work, and any other message for a stream, has a field `stream` and needs an existing context.
//! The memory that a message's `Address` and `Graph` fields name is resident while the worker
//! executes the message. `#[lane(callbacks)]`, `#[lane(bulk)]` and `#[lane(link)]` are for messages
//! that are not commands.

const HANDLES: [&str; 21] = [
    "CUcontext", "CUmodule", "CUfunction", "CUkernel", "CUlibrary", "CUstream", "CUevent",
    "CUgraph", "CUgraphNode", "CUgraphExec", "CUarray",
    "CUmipmappedArray", "CUmemoryPool", "CUlinkState", "CUtexref", "CUsurfref", "CUuserObject",
    "CUgraphicsResource", "CUexternalMemory",
    "CUexternalSemaphore", "CUgreenCtx",
];

/// Reasons why functions are unsupported: a key, the kind of functions, and the reason or what a
/// program gets instead.
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

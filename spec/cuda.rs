//! The driver API, each function described once. Rust syntax, read by `cargo xtask codegen` and never compiled.
//!
//! A function has exactly one class:
//!
//! * `#[local]`        the client answers from what it knows; nothing is sent
//! * `#[post(op = N)]` sent, not answered; generated on both sides; `like = F` sends F's message with the default stream
//! * `#[call(op = N)]` sent, answered; generated on both sides; `memo` remembers the answer (about a kernel: for the attributes that it has)
//! * `#[custom]`       hand-written on both sides over the messages below
//! * `#[unsupported(why)]` returns CUDA_ERROR_NOT_SUPPORTED, and is never handed out by cuGetProcAddress; `why` is one of REASONS
//!
//! `#[since(V)]` is the CUDA version in which the symbol's ABI appeared, the key of cuGetProcAddress. `#[ptsz(V)]` and
//! `#[ptds(V)]` say that a per-thread-default-stream flavour is exported too. `#[soft]` says that the software GPU implements it.
//! `#[refused]` on an unsupported function: cuGetProcAddress hands it out all the same, since programs look it up before they ask whether
//! the device has the feature, which it denies.
//! `#[touches(address, bytes)]` is a range of device memory that the client checks before it sends.
//! `#[untyped]` stands for a symbol whose parameters nobody needed yet; `#[data]` for a symbol that is no function.
//! `In<T>`, `Out<T>` and `Option<Out<T>>` are pointers to one T that is read or written; `In<[T; n]>` points to n of them, where n is an
//! expression over the parameters. A handle is any type of HANDLES.
//! Op numbers are for ever: append, never reuse.

const HANDLES: [&str; 21] = [
    "CUcontext", "CUmodule", "CUfunction", "CUkernel", "CUlibrary", "CUstream", "CUevent", "CUgraph", "CUgraphNode", "CUgraphExec", "CUarray",
    "CUmipmappedArray", "CUmemoryPool", "CUlinkState", "CUtexref", "CUsurfref", "CUuserObject", "CUgraphicsResource", "CUexternalMemory",
    "CUexternalSemaphore", "CUgreenCtx",
];

/// Why functions are unsupported: a word, what they are, and what a program gets instead or why there is nothing.
const REASONS: [(&str, &str, &str); 28] = [
    ("older", "Superseded forms", "Every program built since gets the later form under the same name, which cuda.h renames. Most of these take sizes and addresses of 32 bits."),
    ("launch_state", "Launches by state of the function", "The way to launch before CUDA 4.0. cuLaunchKernel is what libraries and compilers have used since."),
    ("references", "Texture and surface references", "CUDA 12 has removed them from its runtime. Texture and surface objects work."),
    ("graphics", "OpenGL and other graphics interoperation", "A frame would have to cross to the display's machine; there is no display context of the program's on the node."),
    ("egl", "EGL streams", "They connect producers and consumers on one machine, and the program's are not on the node."),
    ("vdpau", "VDPAU", "Video surfaces belong to the display's machine."),
    ("external", "Memory and semaphores of other interfaces", "They come from Vulkan, Direct3D or NvSci on the program's machine, where there is no GPU to share them with."),
    ("windows", "Windows", "The function has no meaning on Linux."),
    ("debugger", "The debugger's symbols", "A debugger stops the GPU of its own machine through them. They are data, and not exported."),
    ("coredump", "Core dumps of the GPU", "They would be written on the node, where the program cannot read them."),
    ("logs", "The driver's log", "It belongs to the worker's driver, whose calls are not the program's."),
    ("checkpoint", "Checkpoints", "They stop a process and keep its GPU state in it; the process that has the state is the worker."),
    ("green", "Parts of a GPU: green contexts, execution affinity, and events over whole contexts", "Libraries look these functions up and go on without them. Dividing a GPU is the node's affair."),
    ("multicast", "Multicast memory", "The device attribute says that there is none, since it needs a fabric that sessions are not given."),
    ("rdma", "Access to GPU memory by other hardware", "The device attributes say that there is none: a network card of the program's machine cannot reach the node's GPU."),
    ("sparse", "Sparse arrays", "The device attribute says that there are none. Nobody has asked for them."),
    ("planes", "Planes of arrays", "Formats of several planes belong to video interoperation."),
    ("pools", "Memory pools that processes share", "The device attribute says that no kind of handle is possible. Memory of cuMemAlloc and of cuMemCreate can be shared."),
    ("memory_nodes", "Graphs that allocate", "Addresses of a session are given out in the client, and those of memory nodes by the driver. A capture refuses cuMemAllocAsync; memory from before the capture works."),
    ("batch_nodes", "Batches of memory operations as graph nodes", "cuStreamBatchMemOp_v2 works in streams. Not done yet."),
    ("graph_rest", "Graphs as texts and as parts", "The text would be written on the node; the graph inside a child node is not handed out. Not done yet."),
    ("discard", "Hints that memory may be forgotten", "Nobody has asked for them. Memory keeps what it holds."),
    ("notifications", "Notifications about memory budgets", "They come where several programs share a GPU under a budget of its driver, which the node does not set."),
    ("atomics", "Which atomic operations reach across", "The attributes answer: none between the program's memory and the device; between devices as the node's driver says."),
    ("decompression", "Decompression by hardware", "The device attribute says that there is none. Nobody has asked for it."),
    ("several_devices", "Launches over several devices", "CUDA 13 has removed it from its runtime."),
    ("unified", "Functions of host and device at once", "The device attribute says that there are none."),
    ("undocumented", "Without a document", "No program is known to call it."),
];

/// Messages of the hand-written functions. `#[post]` and `#[call]` travel from client to worker, `#[push]` from worker to client.
/// `#[payload]`: the rest of the frame is bulk data that is read straight to where it belongs.
mod messages {
    // -- contexts --
    #[post(op = 1)] struct ContextCreate { context: u64, device: i32, flags: u32, primary: bool }
    #[post(op = 2)] struct ContextDestroy { context: u64 }
    #[call(op = 3)] struct ContextSynchronize {}
    #[call(op = 4)] struct ContextGetLimit { limit: i32 }
    #[reply] struct ContextGetLimitReply { value: u64 }
    #[post(op = 5)] struct ContextSetLimit { limit: i32, value: u64 }

    // -- memory --
    /// Backs [address, address + bytes) of the device's arena with memory; bytes is a multiple of the device's granularity.
    #[post(op = 10)] struct MemoryMap { device: i32, address: u64, bytes: u64 }
    #[post(op = 11)] struct MemoryUnmap { device: i32, address: u64, bytes: u64 }
    /// Asks for more device memory than the session holds.
    #[call(op = 12)] struct GrantGrow { device: i32, bytes: u64 }
    #[reply] struct GrantGrowReply { granted_bytes: u64 }

    /// What the session can get of the current context's device, and what of it there is.
    #[call(op = 109)] struct MemGetInfo {}
    #[reply] struct MemGetInfoReply { free: u64, total: u64 }

    // -- virtual memory: the client maps what it created where it reserved --
    #[post(op = 13)] struct PhysicalCreate { memory: u64, device: i32, bytes: u64 }
    #[post(op = 14)] struct PhysicalRelease { memory: u64 }
    #[post(op = 15)] struct VirtualMap { memory: u64, address: u64, bytes: u64, offset: u64 }
    #[post(op = 16)] struct VirtualUnmap { address: u64, bytes: u64 }
    #[post(op = 17)] struct VirtualSetAccess { address: u64, bytes: u64, device: i32, flags: i32 }

    // -- memory that sessions of one node share --
    /// Memory of the program's own making, or where that is 0, what backs an address.
    #[call(op = 284)] struct MemoryShare { memory: u64, address: u64 }
    /// Whoever knows the key finds the memory behind the door. bytes: all of it. offset: of the address.
    #[reply] struct MemoryShareReply { door: u64, key: [u8; 16], bytes: u64, offset: u64 }
    /// What any session of the node shares becomes memory that can be mapped.
    #[call(op = 285)] struct MemoryAdopt { memory: u64, door: u64, key: [u8; 16] }
    #[reply] struct MemoryAdoptReply { device: i32, bytes: u64 }
    /// A segment of memory shared by key, found or made on the context's device. Flags and rights are those of outhaul.h.
    #[call(op = 340)] struct ShmGet { key: i32, bytes: u64, flags: u32 }
    #[reply] struct ShmGetReply { id: i32 }
    /// It becomes memory that can be mapped, with this access at most, and is attached until neither handle nor mapping is left.
    #[call(op = 341)] struct ShmAttach { id: i32, memory: u64, flags: i32 }
    #[reply] struct ShmAttachReply { device: i32, bytes: u64 }
    #[call(op = 342)] struct ShmStat { id: i32 }
    #[reply] struct ShmStatReply { key: i32, rights: u32, bytes: u64, attached: u32, removed: bool }
    #[call(op = 343)] struct ShmSetRights { id: i32, rights: u32 }
    #[call(op = 344)] struct ShmRemove { id: i32 }
    /// The same of an event: whoever knows the key may record it and wait for it.
    #[call(op = 286)] struct EventShare { event: u64 }
    #[reply] struct EventShareReply { door: u64, key: [u8; 16] }
    #[call(op = 287)] struct EventAdopt { event: u64, door: u64, key: [u8; 16] }

    // -- several devices of one node --
    /// The context may reach the memory of a context of another device, or may no longer.
    #[call(op = 280)] struct PeerAccess { peer: u64, enable: bool }
    /// One device is to reach what is and will be backed in another's arena.
    #[post(op = 281)] struct PeerOpen { accessor: i32, owner: i32 }
    /// Rows from one device's memory to another's. serialised: after all work of both contexts, and before what follows in them.
    #[post(op = 282)] struct CopyBetweenDevices {
        to: u64, to_pitch_bytes: u64, to_context: u64, from: u64, from_pitch_bytes: u64, from_context: u64,
        width_bytes: u64, rows: u64, stream: u64, serialised: bool
    }
    /// attribute 0: whether the source can reach the target at all; otherwise a CUdevice_P2PAttribute.
    #[call(op = 283)] struct PeerAttribute { attribute: i32, source: i32, target: i32 }
    #[reply] struct PeerAttributeReply { value: i32 }

    // -- several nodes --
    /// Answered when what the event holds now has passed.
    #[call(op = 300)] struct EventMark { event: u64 }
    /// The stream stops here until the gate opens.
    #[post(op = 301)] struct GateWait { gate: u64, stream: u64 }
    /// On the lane of callbacks, like all that follows: nothing that waits for a gate may hold it up.
    #[post(op = 302)] struct GateOpen { gate: u64 }
    /// A link to the worker of another session. With an address, a connection is made to that node's listener, for the session of that name; without one, it is waited for.
    #[post(op = 303)] struct LinkOpen { link: u64, key: [u8; 16], address: Str, session: [u8; 16] }
    #[push(op = 304)] struct LinkOpened { link: u64, status: i32 }
    /// Rows of the context's device go over the link, or come. Both sides hear of copies in one order.
    #[post(op = 305)] struct LinkSend { link: u64, copy: u64, context: u64, address: u64, pitch_bytes: u64, width_bytes: u64, rows: u64 }
    #[post(op = 306)] struct LinkReceive { link: u64, copy: u64, context: u64, address: u64, pitch_bytes: u64, width_bytes: u64, rows: u64 }
    /// On a link: the next bytes of a copy's packed rows. A status other than 0 ends the copy.
    #[post(op = 307)] #[payload] struct LinkPiece { copy: u64, status: i32 }
    /// What was to be received lies on the device, or will not come.
    #[push(op = 308)] struct LinkDone { copy: u64, status: i32 }

    // -- copies: boxes of rows; rows = 1 is a flat copy --
    #[post(op = 20)] #[payload] struct CopyToDevice { address: u64, pitch_bytes: u64, width_bytes: u64, rows: u64, stream: u64 }
    #[post(op = 21)] struct CopyToHost { address: u64, pitch_bytes: u64, width_bytes: u64, rows: u64, stream: u64, transfer: u64, offset: u64 }
    #[post(op = 22)] struct CopyOnDevice { to: u64, to_pitch_bytes: u64, from: u64, from_pitch_bytes: u64, width_bytes: u64, rows: u64, stream: u64 }
    /// Bytes [offset, offset + payload) of a transfer's packed rows. A status other than 0 ends the transfer.
    #[push(op = 23)] #[payload] struct Data { transfer: u64, offset: u64, status: i32 }

    // -- large copies: piece i of one travels on bulk lane i modulo their number, and each lane carries the pieces in the commands' order --
    /// The number of the copy is the client's own.
    #[post(op = 194)] struct CopyToDeviceByLanes { address: u64, bytes: u64, piece_bytes: u64, stream: u64, copy: u64 }
    /// On a bulk lane: bytes of that copy.
    #[post(op = 195)] #[payload] struct Piece { copy: u64, offset: u64 }
    /// The pieces come as Data on the bulk lanes.
    #[post(op = 196)] struct CopyToHostByLanes { address: u64, bytes: u64, piece_bytes: u64, stream: u64, transfer: u64, offset: u64 }
    /// What follows on this lane stands behind the first frames of a bulk lane.
    #[push(op = 197)] struct LaneReached { lane: u16, frames: u64 }

    // -- pinned host memory that client and worker both map: the GPU copies from it and to it by itself --
    /// The memory lies on the passage under this number. A refusal leaves the client with memory of its own, whose bytes travel.
    /// address: where the client has it; in_place: the worker has it there too, so that the device reaches it by the client's pointers.
    #[call(op = 190)] struct HostSegmentOpen { segment: u64, bytes: u64, address: u64 }
    #[reply] struct HostSegmentOpenReply { in_place: bool }
    #[post(op = 191)] struct HostSegmentClose { segment: u64 }
    /// Rows at an offset of a segment, to rows on the device.
    #[post(op = 192)] struct CopyFromSegment { segment: u64, offset: u64, host_pitch_bytes: u64, address: u64, pitch_bytes: u64, width_bytes: u64, rows: u64, stream: u64 }
    #[post(op = 193)] struct CopyToSegment { segment: u64, offset: u64, host_pitch_bytes: u64, address: u64, pitch_bytes: u64, width_bytes: u64, rows: u64, stream: u64 }

    // -- code --
    /// Bytes of an image that later messages name by its hash.
    #[post(op = 30)] #[payload] struct CodePut { hash: [u8; 32], total_bytes: u64, offset: u64 }
    /// status NOT_FOUND with empty logs: the worker does not hold the image; put it and ask again.
    #[call(op = 31)] struct ModuleLoad { module: u64, hash: [u8; 32], options: List<JitOption>, library: bool }
    /// kernels: all of them, where a context is current and they are few.
    #[reply] struct ModuleLoadReply { missing: bool, kernels: List<DescribedKernel>, info_log: Bytes, error_log: Bytes }
    #[part] struct DescribedKernel { name: Str, attributes: List<i32>, params: List<ParamLayout> }
    #[part] struct JitOption { option: i32, value: u64 }
    #[post(op = 32)] struct ModuleUnload { module: u64, library: bool }
    #[post(op = 33)] struct LibraryGetModule { library: u64, module: u64 }
    /// From a module (CUmodule -> CUfunction) or a library (CUlibrary -> CUkernel), by the handle's kind.
    #[call(op = 34)] struct GetFunction { module: u64, function: u64, name: Str }
    /// Attributes and parameters are known once a context is current; before that the answer says only that the function exists.
    #[reply] struct GetFunctionReply { described: bool, attributes: List<i32>, params: List<ParamLayout> }
    /// The same for a kernel that ModuleLoadReply described.
    #[post(op = 320)] struct NameFunction { module: u64, function: u64, name: Str }
    #[part] struct ParamLayout { offset_bytes: u32, size_bytes: u32 }
    #[post(op = 35)] struct KernelGetFunction { kernel: u64, function: u64 }
    #[call(op = 36)] struct GetGlobal { module: u64, name: Str }
    #[reply] struct GetGlobalReply { address: u64, bytes: u64 }
    #[call(op = 37)] struct ListFunctions { module: u64 }
    #[reply] struct ListFunctionsReply { names: List<Name> }
    #[part] struct Name { name: Str }
    #[post(op = 38)] struct FunctionSetAttribute { function: u64, attribute: i32, value: i32, device: i32 }
    #[post(op = 39)] struct FunctionSetCacheConfig { function: u64, config: i32, device: i32 }
    #[call(op = 41)] struct DescribeFunction { function: u64, device: i32 }
    #[reply] struct DescribeFunctionReply { attributes: List<i32>, params: List<ParamLayout> }
    #[call(op = 40)] struct Link { inputs: List<LinkInput>, options: List<JitOption> }
    #[part] struct LinkInput { kind: i32, hash: [u8; 32], name: Str }
    #[reply] struct LinkReply { missing: bool, image: Bytes, info_log: Bytes, error_log: Bytes }

    // -- launches --
    /// attributes: 72-byte CUlaunchAttribute records; params: the packed parameter buffer.
    #[post(op = 50)] struct LaunchKernel { function: u64, grid: [u32; 3], block: [u32; 3], shared_bytes: u32, stream: u64, cooperative: bool, attributes: Bytes, params: Bytes }
    #[call(op = 51)] struct OccupancyClusters { function: u64, grid: [u32; 3], block: [u32; 3], shared_bytes: u32, attributes: Bytes, active: bool }
    #[reply] struct OccupancyClustersReply { value: i32 }
    #[post(op = 52)] struct HostCallback { callback: u64, stream: u64 }
    #[push(op = 53)] struct RunCallback { callback: u64, status: i32 }
    #[post(op = 54)] struct CallbackDone { callback: u64 }

    // -- streams and events --
    #[post(op = 60)] struct StreamCreate { stream: u64, flags: u32, priority: i32 }
    #[post(op = 61)] struct StreamDestroy { stream: u64 }
    #[call(op = 62)] struct StreamSynchronize { stream: u64 }
    #[call(op = 63)] struct StreamQuery { stream: u64 }
    #[post(op = 64)] struct EventCreate { event: u64, flags: u32 }
    #[post(op = 65)] struct EventDestroy { event: u64 }
    #[post(op = 66)] struct EventRecord { event: u64, stream: u64, flags: u32 }
    #[post(op = 122)] struct StreamWaitEvent { stream: u64, event: u64, flags: u32 }
    #[call(op = 67)] struct EventSynchronize { event: u64 }
    #[call(op = 68)] struct EventQuery { event: u64 }

    // -- arrays --
    /// levels 0: an array; otherwise a mipmapped array of so many.
    #[call(op = 210)] struct ArrayCreate { array: u64, width: u64, height: u64, depth: u64, format: i32, channels: u32, flags: u32, levels: u32 }
    /// A mipmapped array takes its levels with it.
    #[post(op = 211)] struct ArrayDestroy { array: u64 }
    #[post(op = 212)] struct MipmappedArrayGetLevel { mipmapped_array: u64, level: u32, array: u64 }
    /// Packed rows of one slice or layer. at: bytes, row, slice.
    #[post(op = 220)] #[payload] struct CopyToArray { array: u64, at: [u64; 3], width_bytes: u64, rows: u64, stream: u64 }
    #[post(op = 221)] struct CopyFromArray { array: u64, at: [u64; 3], width_bytes: u64, rows: u64, stream: u64, transfer: u64 }
    /// Between two places on the device. A side is an array from `at` on, or where its array is 0, memory.
    #[post(op = 222)] struct CopyArray {
        to_array: u64, to_at: [u64; 3], to_address: u64, to_pitch_bytes: u64, to_rows: u64,
        from_array: u64, from_at: [u64; 3], from_address: u64, from_pitch_bytes: u64, from_rows: u64,
        width_bytes: u64, rows: u64, slices: u64, stream: u64
    }

    // -- textures and surfaces: their numbers are the worker's driver's own --
    /// width: of linear memory its bytes. view: empty for none.
    #[call(op = 230)] struct TextureCreate {
        kind: i32, array: u64, address: u64, format: i32, channels: u32, width: u64, height: u64, pitch_bytes: u64, texture: Bytes, view: Bytes
    }
    #[reply] struct TextureCreateReply { texture: u64 }
    #[post(op = 231)] struct TextureDestroy { texture: u64 }
    #[call(op = 232)] struct SurfaceCreate { array: u64 }
    #[reply] struct SurfaceCreateReply { surface: u64 }
    #[post(op = 233)] struct SurfaceDestroy { surface: u64 }

    // -- mirrors: memory that program and device reach by the same address, made alike where CUDA promises that it is --
    /// kind: 0 device memory, to be zeroed; 1 memory of the worker's own, which the device reaches; 2 what the driver placed there; 3 as 1, so small
    /// that what the device changes there is told unasked.
    #[call(op = 250)] struct MirrorOpen { address: u64, bytes: u64, kind: u8, transfer: u64 }
    #[post(op = 251)] struct MirrorClose { address: u64 }
    #[post(op = 252)] #[payload] struct MirrorWrite { address: u64 }
    /// Answered behind the data of what the device has changed in [offset, offset + bytes): pairs of offset and length.
    #[call(op = 253)] struct MirrorRead { address: u64, offset: u64, bytes: u64 }
    #[reply] struct MirrorReadReply { changed: List<u64> }
    /// What the device has changed there, in words.
    #[push(op = 323)] #[payload] struct MirrorEcho { address: u64 }
    #[call(op = 254)] struct GetManaged { library: u64, name: Str }
    #[reply] struct GetManagedReply { address: u64, bytes: u64 }

    // -- tensor maps --
    #[call(op = 203)] struct TensorMapReplaceAddress { map: [u64; 16], address: u64 }
    #[reply] struct TensorMapReplaceAddressReply { map: [u64; 16] }

    /// Answers when everything before it has been carried out, so that the errors of posts are there.
    #[call(op = 129)] struct Barrier {}

    // -- graphs: streams that record, graphs, and what they are made of --
    /// edges: 8-byte CUgraphEdgeData records beside the nodes, or nothing. With `into`, the graph exists and is added to.
    #[call(op = 130)] struct CaptureBegin { stream: u64, graph: u64, into: bool, dependencies: List<u64>, edges: Bytes }
    #[call(op = 131)] struct CaptureEnd { stream: u64 }
    #[call(op = 132)] struct CaptureInfo { stream: u64 }
    #[reply] struct CaptureInfoReply { status: i32, id: u64, graph: u64, dependencies: List<u64>, edges: Bytes }
    #[call(op = 133)] struct CaptureDepend { stream: u64, dependencies: List<u64>, edges: Bytes, flags: u32 }
    #[post(op = 134)] struct GraphCreate { graph: u64, flags: u32 }
    #[call(op = 135)] struct GraphClone { graph: u64, original: u64 }
    #[post(op = 136)] struct GraphDestroy { graph: u64 }
    #[call(op = 137)] struct GraphInstantiate { exec: u64, graph: u64, flags: u64 }
    #[reply] struct GraphInstantiateReply { result: i32, error_node: u64 }
    #[call(op = 138)] struct GraphExecUpdate { exec: u64, graph: u64 }
    #[reply] struct GraphExecUpdateReply { result: i32, error_node: u64, error_from: u64 }
    #[post(op = 139)] struct GraphExecDestroy { exec: u64 }
    /// of: a graph or a node. which: 0 nodes, 1 root nodes, 2 edges, 3 what a node depends on, 4 what depends on it.
    #[call(op = 140)] struct GraphList { of: u64, which: u8 }
    #[reply] struct GraphListReply { from: List<u64>, to: List<u64>, edges: Bytes }
    #[call(op = 141)] struct GraphDepend { graph: u64, from: List<u64>, to: List<u64>, edges: Bytes, remove: bool }
    /// kind: a CUgraphNodeType. object: the function, event or graph that the node is about. numbers: the rest, by kind.
    #[call(op = 142)] struct GraphAddNode { graph: u64, dependencies: List<u64>, edges: Bytes, kind: i32, object: u64, numbers: List<u64>, params: Bytes }
    #[reply] struct GraphAddNodeReply { node: u64 }
    /// The driver's own number of a condition, which kernels set and GraphAddNode names as the object of a conditional node. There numbers are
    /// the node's kind and then the handles of the graphs inside, which are minted by the client.
    #[call(op = 322)] struct GraphCondition { graph: u64, default_value: u32, flags: u32 }
    #[reply] struct GraphConditionReply { number: u64 }
    /// exec: 0 changes the graph's own node.
    #[post(op = 143)] struct GraphSetNode { exec: u64, node: u64, kind: i32, object: u64, numbers: List<u64>, params: Bytes }
    #[post(op = 144)] struct GraphDestroyNode { node: u64 }
    /// What a node was given: object and numbers as in GraphAddNode. A copy from or to the program's memory has its callback as the object, and the
    /// numbers to_host, address, pitch_bytes, width_bytes, rows.
    #[call(op = 288)] struct GraphNodeParams { node: u64 }
    #[reply] struct GraphNodeParamsReply { kind: i32, object: u64, numbers: List<u64> }
    #[post(op = 289)] struct GraphSetNodeAttribute { node: u64, attribute: i32, value: Bytes }
    #[call(op = 290)] struct GraphNodeAttribute { node: u64, attribute: i32 }
    #[reply] struct GraphNodeAttributeReply { value: Bytes }
    #[call(op = 291)] struct GraphFindInClone { node: u64, graph: u64 }
    #[reply] struct GraphFindInCloneReply { node: u64 }
    /// A copy between the device and the program's memory: a callback of the client fetches or stores the bytes at each launch.
    #[call(op = 165)] struct GraphAddCopy { graph: u64, dependencies: List<u64>, edges: Bytes, callback: u64, to_host: bool, transfer: u64, address: u64, pitch_bytes: u64, width_bytes: u64, rows: u64 }
    #[reply] struct GraphAddCopyReply { node: u64 }
    #[call(op = 151)] struct GraphNodeType { node: u64 }
    #[reply] struct GraphNodeTypeReply { kind: i32 }
    /// The same in a stream that captures.
    #[post(op = 145)] struct CaptureCopy { stream: u64, callback: u64, to_host: bool, transfer: u64, address: u64, pitch_bytes: u64, width_bytes: u64, rows: u64 }
    /// On the lane of callbacks: what a captured copy reads at this launch.
    #[post(op = 146)] #[payload] struct CaptureBytes { callback: u64, offset: u64 }
    #[post(op = 147)] struct UserObjectCreate { object: u64, callback: u64, references: u32, flags: u32 }
    /// Nothing can call it any more.
    #[push(op = 148)] struct ForgetCallback { callback: u64 }
    /// host: the graph has nodes that run in the client, which must see the data that was copied before.
    #[post(op = 164)] struct GraphLaunch { exec: u64, stream: u64, host: bool }
    #[call(op = 149)] struct GraphKernelNode { node: u64 }
    #[reply] struct GraphKernelNodeReply { graph: u64, function: u64, grid: [u32; 3], block: [u32; 3], shared_bytes: u32, params: Bytes }

    // -- NVML: what the node's own library says, and what only the worker knows --
    /// function: its number in spec/nvml.rs. input: ordinals and numbers of 4 bytes, in the order of its parameters. NOT_SUPPORTED: the node has
    /// no NVML, or one that does not know the device.
    #[call(op = 90)] struct NvmlAsk { function: u32, input: Bytes }
    /// status is NVML's. output: numbers and structs as they are, texts with their length before them.
    #[reply] struct NvmlAskReply { status: i32, output: Bytes }
    /// The version of the node's NVIDIA driver, or of the node if it has none.
    #[call(op = 91)] struct NvmlDriverVersion {}
    #[reply] struct NvmlDriverVersionReply { text: Str }
    /// The device's memory as this session sees it: what it may use, what it uses, and what is left.
    #[call(op = 92)] struct NvmlMemory { device: i32 }
    #[reply] struct NvmlMemoryReply { total_bytes: u64, used_bytes: u64, free_bytes: u64 }
    /// fields: pairs of field and scope. The reply has a record for each.
    #[call(op = 93)] struct NvmlFields { device: i32, fields: List<NvmlField> }
    #[part] struct NvmlField { field: u32, scope: u32 }
    #[reply] struct NvmlFieldsReply { values: List<NvmlFieldValue> }
    #[part] struct NvmlFieldValue { status: i32, kind: u32, value: u64, timestamp_us: u64, latency_us: u64 }
    /// The PCI identity that CUDA does not tell: device and subsystem. NOT_SUPPORTED as for NvmlAsk.
    #[call(op = 94)] struct NvmlPciIds { device: i32 }
    #[reply] struct NvmlPciIdsReply { device_id: u32, subsystem_id: u32 }

    // -- what the worker says by itself --
    /// Answers the call whose sequence number the frame carries; the reply's fields follow the status.
    #[push(op = 80)] #[payload] struct Reply { status: i32 }
    /// A post failed. sequence is the post's own number.
    #[push(op = 81)] struct Fault { sequence: u64, status: i32, what: Str }
    /// Why the worker ends the session. Nothing comes after it.
    #[push(op = 321)] struct Farewell { reason: Str }
    /// What kernels printed: descriptor 1 or 2.
    #[push(op = 82)] struct Output { descriptor: u8, text: Bytes }
}

// ---- Driver ----

#[since(2020)] #[local] #[soft]
fn cuDriverGetVersion(driverVersion: *mut i32);
#[since(6000)] #[local] #[soft]
fn cuGetErrorName(error: CUresult, pStr: *mut *const c_char);
#[since(6000)] #[local] #[soft]
fn cuGetErrorString(error: CUresult, pStr: *mut *const c_char);
#[since(3000)] #[local] #[soft]
fn cuGetExportTable(ppExportTable: *mut *const c_void, pExportTableId: *const CUuuid);
#[since(11030)] #[local] #[soft]
fn cuGetProcAddress(symbol: *const c_char, pfn: *mut *mut c_void, driverVersion: i32, flags: u64);
#[since(12000)] #[local] #[soft]
fn cuGetProcAddress_v2(symbol: *const c_char, pfn: *mut *mut c_void, driverVersion: i32, flags: u64, symbolFound: *mut CUdriverProcAddressQueryResult);
#[since(2000)] #[custom] #[soft]
fn cuInit(Flags: u32);
#[since(4000)] #[local]
fn cuProfilerInitialize(configFile: *const c_char, outputFile: *const c_char, outputMode: CUoutput_mode);
#[since(4000)] #[local] #[soft]
fn cuProfilerStart();
#[since(4000)] #[local] #[soft]
fn cuProfilerStop();

// ---- Devices ----

#[since(4000)] #[custom] #[soft]
fn cuDeviceCanAccessPeer(canAccessPeer: *mut i32, dev: CUdevice, peerDev: CUdevice);
#[since(2000)] #[local] #[soft]
fn cuDeviceComputeCapability(major: *mut i32, minor: *mut i32, dev: CUdevice);
#[since(2000)] #[local] #[soft]
fn cuDeviceGet(device: *mut CUdevice, ordinal: i32);
#[since(2000)] #[local] #[soft]
fn cuDeviceGetAttribute(pi: *mut i32, attrib: CUdevice_attribute, dev: CUdevice);
#[since(4010)] #[local] #[soft]
fn cuDeviceGetByPCIBusId(dev: *mut CUdevice, pciBusId: *const c_char);
#[since(2000)] #[local] #[soft]
fn cuDeviceGetCount(count: *mut i32);
#[since(11020)] #[local] #[soft]
fn cuDeviceGetDefaultMemPool(pool_out: *mut CUmemoryPool, dev: CUdevice);
#[since(12040)] #[unsupported(green)] #[refused] #[untyped] fn cuDeviceGetDevResource();
#[since(11040)] #[local] #[soft]
fn cuDeviceGetExecAffinitySupport(pi: *mut i32, type_: CUexecAffinityType, dev: CUdevice);
#[since(11040)] #[local]
fn cuDeviceGetGraphMemAttribute(device: CUdevice, attr: CUgraphMem_attribute, value: *mut c_void);
#[since(13000)] #[unsupported(atomics)] #[untyped] fn cuDeviceGetHostAtomicCapabilities();
#[since(10000)] #[unsupported(windows)]
fn cuDeviceGetLuid(luid: *mut c_char, deviceNodeMask: *mut u32, dev: CUdevice);
#[since(11020)] #[local] #[soft]
fn cuDeviceGetMemPool(pool: *mut CUmemoryPool, dev: CUdevice);
#[since(2000)] #[local] #[soft]
fn cuDeviceGetName(name: *mut c_char, len: i32, dev: CUdevice);
#[since(10020)] #[unsupported(external)]
fn cuDeviceGetNvSciSyncAttributes(nvSciSyncAttrList: *mut c_void, dev: CUdevice, flags: i32);
#[since(13000)] #[unsupported(atomics)] #[untyped] fn cuDeviceGetP2PAtomicCapabilities();
#[since(8000)] #[custom] #[soft]
fn cuDeviceGetP2PAttribute(value: *mut i32, attrib: CUdevice_P2PAttribute, srcDevice: CUdevice, dstDevice: CUdevice);
#[since(4010)] #[local] #[soft]
fn cuDeviceGetPCIBusId(pciBusId: *mut c_char, len: i32, dev: CUdevice);
#[since(2000)] #[unsupported(older)]
fn cuDeviceGetProperties(prop: *mut CUdevprop, dev: CUdevice);
#[since(11010)] #[call(op = 104, memo)] #[soft]
fn cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements: Out<usize>, format: CUarray_format, numChannels: u32, dev: CUdevice);
#[since(9020)] #[local] #[soft]
fn cuDeviceGetUuid(uuid: *mut CUuuid, dev: CUdevice);
#[since(11040)] #[local] #[soft]
fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice);
#[since(11040)] #[local]
fn cuDeviceGraphMemTrim(device: CUdevice);
#[since(12040)] #[unsupported(notifications)] #[untyped] fn cuDeviceRegisterAsyncNotification();
#[since(11040)] #[local]
fn cuDeviceSetGraphMemAttribute(device: CUdevice, attr: CUgraphMem_attribute, value: *mut c_void);
#[since(11020)] #[local] #[soft]
fn cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool);
#[since(2000)] #[unsupported(older)]
fn cuDeviceTotalMem(bytes: *mut u32, dev: CUdevice);
#[since(3020)] #[local] #[soft]
fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice);
#[since(12040)] #[unsupported(notifications)] #[untyped] fn cuDeviceUnregisterAsyncNotification();

// ---- Contexts ----

#[since(2000)] #[custom]
fn cuCtxAttach(pctx: *mut CUcontext, flags: u32);
#[since(2000)] #[unsupported(older)]
fn cuCtxCreate(pctx: *mut CUcontext, flags: u32, dev: CUdevice);
#[since(3020)] #[custom] #[soft]
fn cuCtxCreate_v2(pctx: *mut CUcontext, flags: u32, dev: CUdevice);
#[since(11040)] #[custom] #[soft]
fn cuCtxCreate_v3(pctx: *mut CUcontext, paramsArray: *mut CUexecAffinityParam, numParams: i32, flags: u32, dev: CUdevice);
#[since(12050)] #[custom] #[soft]
fn cuCtxCreate_v4(pctx: *mut CUcontext, ctxCreateParams: *mut CUctxCreateParams, flags: u32, dev: CUdevice);
#[since(2000)] #[unsupported(older)]
fn cuCtxDestroy(ctx: CUcontext);
#[since(4000)] #[custom] #[soft]
fn cuCtxDestroy_v2(ctx: CUcontext);
#[since(2000)] #[custom] #[soft]
fn cuCtxDetach(ctx: CUcontext);
#[since(4000)] #[custom] #[soft]
fn cuCtxDisablePeerAccess(peerContext: CUcontext);
#[since(4000)] #[custom] #[soft]
fn cuCtxEnablePeerAccess(peerContext: CUcontext, Flags: u32);
#[since(12040)] #[unsupported(green)] #[refused]
fn cuCtxFromGreenCtx(pContext: *mut CUcontext, hCtx: CUgreenCtx);
#[since(3020)] #[local] #[soft]
fn cuCtxGetApiVersion(ctx: CUcontext, version: *mut u32);
#[since(3020)] #[local] #[soft]
fn cuCtxGetCacheConfig(pconfig: *mut CUfunc_cache);
#[since(4000)] #[local] #[soft]
fn cuCtxGetCurrent(pctx: *mut CUcontext);
#[since(12040)] #[unsupported(green)] #[untyped] fn cuCtxGetDevResource();
#[since(2000)] #[local] #[soft]
fn cuCtxGetDevice(device: *mut CUdevice);
#[since(13000)] #[local] #[soft]
fn cuCtxGetDevice_v2(device: *mut CUdevice, ctx: CUcontext);
#[since(11040)] #[unsupported(green)]
fn cuCtxGetExecAffinity(pExecAffinity: *mut CUexecAffinityParam, type_: CUexecAffinityType);
#[since(7000)] #[local] #[soft]
fn cuCtxGetFlags(flags: *mut u32);
#[since(12000)] #[local] #[soft]
fn cuCtxGetId(ctx: CUcontext, ctxId: *mut u64);
#[since(3010)] #[custom] #[soft]
fn cuCtxGetLimit(pvalue: *mut usize, limit: CUlimit);
#[since(4020)] #[local] #[soft]
fn cuCtxGetSharedMemConfig(pConfig: *mut CUsharedconfig);
#[since(5050)] #[call(op = 100, memo)] #[soft]
fn cuCtxGetStreamPriorityRange(leastPriority: Option<Out<i32>>, greatestPriority: Option<Out<i32>>);
#[since(2000)] #[unsupported(older)]
fn cuCtxPopCurrent(pctx: *mut CUcontext);
#[since(4000)] #[local] #[soft]
fn cuCtxPopCurrent_v2(pctx: *mut CUcontext);
#[since(2000)] #[unsupported(older)]
fn cuCtxPushCurrent(ctx: CUcontext);
#[since(4000)] #[local] #[soft]
fn cuCtxPushCurrent_v2(ctx: CUcontext);
#[since(12050)] #[unsupported(green)]
fn cuCtxRecordEvent(hCtx: CUcontext, hEvent: CUevent);
#[since(11000)] #[post(op = 101)] #[soft]
fn cuCtxResetPersistingL2Cache();
#[since(3020)] #[post(op = 102)] #[soft]
fn cuCtxSetCacheConfig(config: CUfunc_cache);
#[since(4000)] #[local] #[soft]
fn cuCtxSetCurrent(ctx: CUcontext);
#[since(12010)] #[custom] #[soft]
fn cuCtxSetFlags(flags: u32);
#[since(3010)] #[custom] #[soft]
fn cuCtxSetLimit(limit: CUlimit, value: usize);
#[since(4020)] #[local] #[soft]
fn cuCtxSetSharedMemConfig(config: CUsharedconfig);
#[since(2000)] #[custom] #[soft]
fn cuCtxSynchronize();
#[since(13000)] #[custom] #[soft]
fn cuCtxSynchronize_v2(ctx: CUcontext);
#[since(12050)] #[unsupported(green)]
fn cuCtxWaitEvent(hCtx: CUcontext, hEvent: CUevent);
#[since(7000)] #[local] #[soft]
fn cuDevicePrimaryCtxGetState(dev: CUdevice, flags: *mut u32, active: *mut i32);
#[since(7000)] #[custom] #[soft]
fn cuDevicePrimaryCtxRelease(dev: CUdevice);
#[since(11000)] #[custom] #[soft]
fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice);
#[since(7000)] #[custom] #[soft]
fn cuDevicePrimaryCtxReset(dev: CUdevice);
#[since(11000)] #[custom] #[soft]
fn cuDevicePrimaryCtxReset_v2(dev: CUdevice);
#[since(7000)] #[custom] #[soft]
fn cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice);
#[since(7000)] #[local] #[soft]
fn cuDevicePrimaryCtxSetFlags(dev: CUdevice, flags: u32);
#[since(11000)] #[local] #[soft]
fn cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: u32);

// ---- Modules ----

#[since(5050)] #[unsupported(older)]
fn cuLinkAddData(state: CUlinkState, type_: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char, numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void);
#[since(6050)] #[custom] #[soft]
fn cuLinkAddData_v2(state: CUlinkState, type_: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char, numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void);
#[since(5050)] #[unsupported(older)]
fn cuLinkAddFile(state: CUlinkState, type_: CUjitInputType, path: *const c_char, numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void);
#[since(6050)] #[custom] #[soft]
fn cuLinkAddFile_v2(state: CUlinkState, type_: CUjitInputType, path: *const c_char, numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void);
#[since(5050)] #[custom] #[soft]
fn cuLinkComplete(state: CUlinkState, cubinOut: *mut *mut c_void, sizeOut: *mut usize);
#[since(5050)] #[unsupported(older)]
fn cuLinkCreate(numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void, stateOut: *mut CUlinkState);
#[since(6050)] #[custom] #[soft]
fn cuLinkCreate_v2(numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void, stateOut: *mut CUlinkState);
#[since(5050)] #[custom] #[soft]
fn cuLinkDestroy(state: CUlinkState);
#[since(12040)] #[custom] #[soft]
fn cuModuleEnumerateFunctions(functions: *mut CUfunction, numFunctions: u32, module: CUmodule);
#[since(2000)] #[custom] #[soft]
fn cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char);
#[since(12040)] #[custom] #[soft]
fn cuModuleGetFunctionCount(count: *mut u32, hmod: CUmodule);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuModuleGetGlobal();
#[since(3020)] #[custom] #[soft]
fn cuModuleGetGlobal_v2(dptr: *mut CUdeviceptr, bytes: *mut usize, hmod: CUmodule, name: *const c_char);
#[since(11070)] #[local] #[soft]
fn cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode);
#[since(3000)] #[unsupported(references)]
fn cuModuleGetSurfRef(pSurfRef: *mut CUsurfref, hmod: CUmodule, name: *const c_char);
#[since(2000)] #[unsupported(references)]
fn cuModuleGetTexRef(pTexRef: *mut CUtexref, hmod: CUmodule, name: *const c_char);
#[since(2000)] #[custom] #[soft]
fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char);
#[since(2000)] #[custom] #[soft]
fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void);
#[since(2010)] #[custom] #[soft]
fn cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_void, numOptions: u32, options: *mut CUjit_option, optionValues: *mut *mut c_void);
#[since(2000)] #[custom] #[soft]
fn cuModuleLoadFatBinary(module: *mut CUmodule, fatCubin: *const c_void);
#[since(2000)] #[custom] #[soft]
fn cuModuleUnload(hmod: CUmodule);

// ---- Libraries and kernels ----

#[since(2020)] #[local] #[soft]
fn cuFuncGetAttribute(pi: *mut i32, attrib: CUfunction_attribute, hfunc: CUfunction);
#[since(11000)] #[local] #[soft]
fn cuFuncGetModule(hmod: *mut CUmodule, hfunc: CUfunction);
#[since(12030)] #[local] #[soft]
fn cuFuncGetName(name: *mut *const c_char, hfunc: CUfunction);
#[since(12040)] #[local] #[soft]
fn cuFuncGetParamInfo(func: CUfunction, paramIndex: usize, paramOffset: *mut usize, paramSize: *mut usize);
#[since(12040)] #[local] #[soft]
fn cuFuncIsLoaded(state: *mut CUfunctionLoadingState, hfunc: CUfunction);
#[since(12040)] #[local] #[soft]
fn cuFuncLoad(hfunc: CUfunction);
#[since(9000)] #[custom] #[soft]
fn cuFuncSetAttribute(hfunc: CUfunction, attrib: CUfunction_attribute, value: i32);
#[since(2000)] #[unsupported(launch_state)]
fn cuFuncSetBlockShape(hfunc: CUfunction, x: i32, y: i32, z: i32);
#[since(3000)] #[custom] #[soft]
fn cuFuncSetCacheConfig(hfunc: CUfunction, config: CUfunc_cache);
#[since(4020)] #[local] #[soft]
fn cuFuncSetSharedMemConfig(hfunc: CUfunction, config: CUsharedconfig);
#[since(2000)] #[unsupported(launch_state)]
fn cuFuncSetSharedSize(hfunc: CUfunction, bytes: u32);
#[since(12000)] #[local] #[soft]
fn cuKernelGetAttribute(pi: *mut i32, attrib: CUfunction_attribute, kernel: CUkernel, dev: CUdevice);
#[since(12000)] #[custom] #[soft]
fn cuKernelGetFunction(pFunc: *mut CUfunction, kernel: CUkernel);
#[since(12050)] #[local] #[soft]
fn cuKernelGetLibrary(pLib: *mut CUlibrary, kernel: CUkernel);
#[since(12030)] #[local] #[soft]
fn cuKernelGetName(name: *mut *const c_char, hfunc: CUkernel);
#[since(12040)] #[local] #[soft]
fn cuKernelGetParamInfo(kernel: CUkernel, paramIndex: usize, paramOffset: *mut usize, paramSize: *mut usize);
#[since(12000)] #[custom] #[soft]
fn cuKernelSetAttribute(attrib: CUfunction_attribute, val: i32, kernel: CUkernel, dev: CUdevice);
#[since(12000)] #[custom] #[soft]
fn cuKernelSetCacheConfig(kernel: CUkernel, config: CUfunc_cache, dev: CUdevice);
#[since(12040)] #[custom] #[soft]
fn cuLibraryEnumerateKernels(kernels: *mut CUkernel, numKernels: u32, lib: CUlibrary);
#[since(12000)] #[custom] #[soft]
fn cuLibraryGetGlobal(dptr: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char);
#[since(12000)] #[custom] #[soft]
fn cuLibraryGetKernel(pKernel: *mut CUkernel, library: CUlibrary, name: *const c_char);
#[since(12040)] #[custom] #[soft]
fn cuLibraryGetKernelCount(count: *mut u32, lib: CUlibrary);
#[since(12000)] #[custom] #[soft]
fn cuLibraryGetManaged(dptr: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char);
#[since(12000)] #[custom] #[soft]
fn cuLibraryGetModule(pMod: *mut CUmodule, library: CUlibrary);
#[since(12000)] #[unsupported(unified)]
fn cuLibraryGetUnifiedFunction(fptr: *mut *mut c_void, library: CUlibrary, symbol: *const c_char);
#[since(12000)] #[custom] #[soft]
fn cuLibraryLoadData(library: *mut CUlibrary, code: *const c_void, jitOptions: *mut CUjit_option, jitOptionsValues: *mut *mut c_void, numJitOptions: u32, libraryOptions: *mut CUlibraryOption, libraryOptionValues: *mut *mut c_void, numLibraryOptions: u32);
#[since(12000)] #[custom] #[soft]
fn cuLibraryLoadFromFile(library: *mut CUlibrary, fileName: *const c_char, jitOptions: *mut CUjit_option, jitOptionsValues: *mut *mut c_void, numJitOptions: u32, libraryOptions: *mut CUlibraryOption, libraryOptionValues: *mut *mut c_void, numLibraryOptions: u32);
#[since(12000)] #[custom] #[soft]
fn cuLibraryUnload(library: CUlibrary);

// ---- Launches ----

#[since(2000)] #[unsupported(launch_state)]
fn cuLaunch(f: CUfunction);
#[since(9000)] #[ptsz(9000)] #[custom] #[soft]
fn cuLaunchCooperativeKernel(f: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, hStream: CUstream, kernelParams: *mut *mut c_void);
#[since(9000)] #[unsupported(several_devices)] #[untyped] fn cuLaunchCooperativeKernelMultiDevice();
#[since(2000)] #[unsupported(launch_state)]
fn cuLaunchGrid(f: CUfunction, grid_width: i32, grid_height: i32);
#[since(2000)] #[unsupported(launch_state)]
fn cuLaunchGridAsync(f: CUfunction, grid_width: i32, grid_height: i32, hStream: CUstream);
#[since(10000)] #[ptsz(10000)] #[custom] #[soft]
fn cuLaunchHostFunc(hStream: CUstream, fn_: CUhostFn, userData: *mut c_void);
#[since(4000)] #[ptsz(7000)] #[custom] #[soft]
fn cuLaunchKernel(f: CUfunction, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, hStream: CUstream, kernelParams: *mut *mut c_void, extra: *mut *mut c_void);
#[since(11060)] #[ptsz(11060)] #[custom] #[soft]
fn cuLaunchKernelEx(config: *const CUlaunchConfig, f: CUfunction, kernelParams: *mut *mut c_void, extra: *mut *mut c_void);
#[since(10020)] #[call(op = 116, memo)] #[soft]
fn cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize: Out<usize>, func: CUfunction, numBlocks: i32, blockSize: i32);
#[since(6050)] #[call(op = 117, memo)] #[soft]
fn cuOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks: Out<i32>, func: CUfunction, blockSize: i32, dynamicSMemSize: usize);
#[since(7000)] #[call(op = 118, memo)] #[soft]
fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks: Out<i32>, func: CUfunction, blockSize: i32, dynamicSMemSize: usize, flags: u32);
#[since(11070)] #[custom]
fn cuOccupancyMaxActiveClusters(numClusters: *mut i32, func: CUfunction, config: *const CUlaunchConfig);
#[since(6050)] #[local] #[soft]
fn cuOccupancyMaxPotentialBlockSize(minGridSize: *mut i32, blockSize: *mut i32, func: CUfunction, blockSizeToDynamicSMemSize: CUoccupancyB2DSize, dynamicSMemSize: usize, blockSizeLimit: i32);
#[since(7000)] #[local] #[soft]
fn cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize: *mut i32, blockSize: *mut i32, func: CUfunction, blockSizeToDynamicSMemSize: CUoccupancyB2DSize, dynamicSMemSize: usize, blockSizeLimit: i32, flags: u32);
#[since(11070)] #[custom]
fn cuOccupancyMaxPotentialClusterSize(clusterSize: *mut i32, func: CUfunction, config: *const CUlaunchConfig);
#[since(2000)] #[unsupported(launch_state)]
fn cuParamSetSize(hfunc: CUfunction, numbytes: u32);
#[since(2000)] #[unsupported(references)]
fn cuParamSetTexRef(hfunc: CUfunction, texunit: i32, hTexRef: CUtexref);
#[since(2000)] #[unsupported(launch_state)]
fn cuParamSetf(hfunc: CUfunction, offset: i32, value: f32);
#[since(2000)] #[unsupported(launch_state)]
fn cuParamSeti(hfunc: CUfunction, offset: i32, value: u32);
#[since(2000)] #[unsupported(launch_state)]
fn cuParamSetv(hfunc: CUfunction, offset: i32, ptr: *mut c_void, numbytes: u32);

// ---- Streams ----

#[since(5000)] #[ptsz(7000)] #[custom] #[soft]
fn cuStreamAddCallback(hStream: CUstream, callback: CUstreamCallback, userData: *mut c_void, flags: u32);
#[since(6000)] #[ptsz(7000)] #[local] #[soft]
fn cuStreamAttachMemAsync(hStream: CUstream, dptr: CUdeviceptr, length: usize, flags: u32);
#[since(8000)] #[ptsz(8000)] #[unsupported(older)] #[untyped] fn cuStreamBatchMemOp();
#[since(11070)] #[ptsz(11070)] #[post(op = 292)] #[soft]
fn cuStreamBatchMemOp_v2(stream: CUstream, count: u32, paramArray: In<[CUstreamBatchMemOpParams; count]>, flags: u32);
#[since(10000)] #[ptsz(10000)] #[unsupported(older)]
fn cuStreamBeginCapture(hStream: CUstream);
#[since(10010)] #[ptsz(10010)] #[custom] #[soft]
fn cuStreamBeginCapture_v2(hStream: CUstream, mode: CUstreamCaptureMode);
#[since(12030)] #[ptsz(12030)] #[custom] #[soft]
fn cuStreamBeginCaptureToGraph(hStream: CUstream, hGraph: CUgraph, dependencies: *const CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, mode: CUstreamCaptureMode);
#[since(11000)] #[ptsz(11000)] #[post(op = 119)] #[soft]
fn cuStreamCopyAttributes(dst: CUstream, src: CUstream);
#[since(2000)] #[custom] #[soft]
fn cuStreamCreate(phStream: *mut CUstream, Flags: u32);
#[since(5050)] #[custom] #[soft]
fn cuStreamCreateWithPriority(phStream: *mut CUstream, flags: u32, priority: i32);
#[since(2000)] #[unsupported(older)]
fn cuStreamDestroy(hStream: CUstream);
#[since(4000)] #[custom] #[soft]
fn cuStreamDestroy_v2(hStream: CUstream);
#[since(10000)] #[ptsz(10000)] #[custom] #[soft]
fn cuStreamEndCapture(hStream: CUstream, phGraph: *mut CUgraph);
#[since(11000)] #[ptsz(11000)] #[call(op = 120)] #[soft]
fn cuStreamGetAttribute(hStream: CUstream, attr: CUstreamAttrID, value_out: Out<CUstreamAttrValue>);
#[since(10010)] #[ptsz(10010)] #[custom] #[soft]
fn cuStreamGetCaptureInfo(hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut u64);
#[since(11030)] #[ptsz(11030)] #[custom] #[soft]
fn cuStreamGetCaptureInfo_v2(hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut u64, graph_out: *mut CUgraph, dependencies_out: *mut *const CUgraphNode, numDependencies_out: *mut usize);
#[since(12030)] #[ptsz(12030)] #[custom] #[soft]
fn cuStreamGetCaptureInfo_v3(hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut u64, graph_out: *mut CUgraph, dependencies_out: *mut *const CUgraphNode, edgeData_out: *mut *const CUgraphEdgeData, numDependencies_out: *mut usize);
#[since(9020)] #[ptsz(9020)] #[local] #[soft]
fn cuStreamGetCtx(hStream: CUstream, pctx: *mut CUcontext);
#[since(12050)] #[ptsz(12050)] #[local] #[soft]
fn cuStreamGetCtx_v2(hStream: CUstream, pctx: *mut CUcontext, pGreenCtx: *mut CUgreenCtx);
#[since(12080)] #[ptsz(12080)] #[local] #[soft]
fn cuStreamGetDevice(hStream: CUstream, device: *mut CUdevice);
#[since(5050)] #[ptsz(7000)] #[local] #[soft]
fn cuStreamGetFlags(hStream: CUstream, flags: *mut u32);
#[since(12040)] #[unsupported(green)]
fn cuStreamGetGreenCtx(hStream: CUstream, phCtx: *mut CUgreenCtx);
#[since(12000)] #[ptsz(12000)] #[local] #[soft]
fn cuStreamGetId(hStream: CUstream, streamId: *mut u64);
#[since(5050)] #[ptsz(7000)] #[local] #[soft]
fn cuStreamGetPriority(hStream: CUstream, priority: *mut i32);
#[since(10000)] #[ptsz(10000)] #[custom] #[soft]
fn cuStreamIsCapturing(hStream: CUstream, captureStatus: *mut CUstreamCaptureStatus);
#[since(2000)] #[ptsz(7000)] #[custom] #[soft]
fn cuStreamQuery(hStream: CUstream);
#[since(11000)] #[ptsz(11000)] #[post(op = 121)] #[soft]
fn cuStreamSetAttribute(hStream: CUstream, attr: CUstreamAttrID, value: In<CUstreamAttrValue>);
#[since(2000)] #[ptsz(7000)] #[custom] #[soft]
fn cuStreamSynchronize(hStream: CUstream);
#[since(11030)] #[ptsz(11030)] #[custom] #[soft]
fn cuStreamUpdateCaptureDependencies(hStream: CUstream, dependencies: *mut CUgraphNode, numDependencies: usize, flags: u32);
#[since(12030)] #[ptsz(12030)] #[custom] #[soft]
fn cuStreamUpdateCaptureDependencies_v2(hStream: CUstream, dependencies: *mut CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, flags: u32);
#[since(3020)] #[ptsz(7000)] #[custom] #[soft]
fn cuStreamWaitEvent(hStream: CUstream, hEvent: CUevent, Flags: u32);
#[since(8000)] #[ptsz(8000)] #[unsupported(older)]
fn cuStreamWaitValue32(stream: CUstream, addr: CUdeviceptr, value: u32, flags: u32);
#[since(11070)] #[ptsz(11070)] #[post(op = 123)] #[soft]
fn cuStreamWaitValue32_v2(stream: CUstream, addr: CUdeviceptr, value: u32, flags: u32);
#[since(9000)] #[ptsz(9000)] #[unsupported(older)]
fn cuStreamWaitValue64(stream: CUstream, addr: CUdeviceptr, value: u64, flags: u32);
#[since(11070)] #[ptsz(11070)] #[post(op = 124)] #[soft]
fn cuStreamWaitValue64_v2(stream: CUstream, addr: CUdeviceptr, value: u64, flags: u32);
#[since(8000)] #[ptsz(8000)] #[unsupported(older)]
fn cuStreamWriteValue32(stream: CUstream, addr: CUdeviceptr, value: u32, flags: u32);
#[since(11070)] #[ptsz(11070)] #[post(op = 125)] #[soft]
fn cuStreamWriteValue32_v2(stream: CUstream, addr: CUdeviceptr, value: u32, flags: u32);
#[since(9000)] #[ptsz(9000)] #[unsupported(older)]
fn cuStreamWriteValue64(stream: CUstream, addr: CUdeviceptr, value: u64, flags: u32);
#[since(11070)] #[ptsz(11070)] #[post(op = 126)] #[soft]
fn cuStreamWriteValue64_v2(stream: CUstream, addr: CUdeviceptr, value: u64, flags: u32);
#[since(10010)] #[local] #[soft]
fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode);

// ---- Events ----

#[since(2000)] #[custom] #[soft]
fn cuEventCreate(phEvent: *mut CUevent, Flags: u32);
#[since(2000)] #[unsupported(older)]
fn cuEventDestroy(hEvent: CUevent);
#[since(4000)] #[custom] #[soft]
fn cuEventDestroy_v2(hEvent: CUevent);
#[since(2000)] #[call(op = 105)] #[soft]
fn cuEventElapsedTime(pMilliseconds: Out<f32>, hStart: CUevent, hEnd: CUevent);
#[since(12080)] #[call(op = 106)] #[soft]
fn cuEventElapsedTime_v2(pMilliseconds: Out<f32>, hStart: CUevent, hEnd: CUevent);
#[since(2000)] #[custom] #[soft]
fn cuEventQuery(hEvent: CUevent);
#[since(2000)] #[ptsz(7000)] #[custom] #[soft]
fn cuEventRecord(hEvent: CUevent, hStream: CUstream);
#[since(11010)] #[ptsz(11010)] #[custom] #[soft]
fn cuEventRecordWithFlags(hEvent: CUevent, hStream: CUstream, flags: u32);
#[since(2000)] #[custom] #[soft]
fn cuEventSynchronize(hEvent: CUevent);

// ---- Copies ----

#[since(4000)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpy(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpy2D();
#[since(3020)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpy2D_v2(pCopy: *const CUDA_MEMCPY2D);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpy2DAsync();
#[since(3020)] #[ptsz(7000)] #[custom] #[soft]
fn cuMemcpy2DAsync_v2(pCopy: *const CUDA_MEMCPY2D, hStream: CUstream);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpy2DUnaligned();
#[since(3020)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpy2DUnaligned_v2(pCopy: *const CUDA_MEMCPY2D);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpy3D();
#[since(3020)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpy3D_v2(pCopy: *const CUDA_MEMCPY3D);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpy3DAsync();
#[since(3020)] #[ptsz(7000)] #[custom] #[soft]
fn cuMemcpy3DAsync_v2(pCopy: *const CUDA_MEMCPY3D, hStream: CUstream);
#[since(12080)] #[ptsz(12080)] #[custom] #[soft]
fn cuMemcpy3DBatchAsync(numOps: usize, opList: *const CUDA_MEMCPY3D_BATCH_OP, failIdx: *mut usize, flags: u64, hStream: CUstream);
#[since(13000)] #[ptsz(13000)] #[custom] #[soft]
fn cuMemcpy3DBatchAsync_v2(numOps: usize, opList: *const CUDA_MEMCPY3D_BATCH_OP, flags: u64, hStream: CUstream);
#[since(4000)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpy3DPeer(pCopy: *const CUDA_MEMCPY3D_PEER);
#[since(4000)] #[ptsz(7000)] #[custom] #[soft]
fn cuMemcpy3DPeerAsync(pCopy: *const CUDA_MEMCPY3D_PEER, hStream: CUstream);
#[since(4000)] #[ptsz(7000)] #[custom] #[soft]
fn cuMemcpyAsync(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize, hStream: CUstream);
#[since(2000)] #[unsupported(older)]
fn cuMemcpyAtoA(dstArray: CUarray, dstOffset: u32, srcArray: CUarray, srcOffset: u32, ByteCount: u32);
#[since(3020)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpyAtoA_v2(dstArray: CUarray, dstOffset: usize, srcArray: CUarray, srcOffset: usize, ByteCount: usize);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpyAtoD();
#[since(3020)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpyAtoD_v2(dstDevice: CUdeviceptr, srcArray: CUarray, srcOffset: usize, ByteCount: usize);
#[since(2000)] #[unsupported(older)]
fn cuMemcpyAtoH(dstHost: *mut c_void, srcArray: CUarray, srcOffset: u32, ByteCount: u32);
#[since(3020)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpyAtoH_v2(dstHost: *mut c_void, srcArray: CUarray, srcOffset: usize, ByteCount: usize);
#[since(2000)] #[unsupported(older)]
fn cuMemcpyAtoHAsync(dstHost: *mut c_void, srcArray: CUarray, srcOffset: u32, ByteCount: u32, hStream: CUstream);
#[since(3020)] #[ptsz(7000)] #[custom] #[soft]
fn cuMemcpyAtoHAsync_v2(dstHost: *mut c_void, srcArray: CUarray, srcOffset: usize, ByteCount: usize, hStream: CUstream);
#[since(12080)] #[ptsz(12080)] #[custom] #[soft]
fn cuMemcpyBatchAsync(dsts: *const CUdeviceptr, srcs: *const CUdeviceptr, sizes: *const usize, count: usize, attrs: *const CUmemcpyAttributes, attrsIdxs: *const usize, numAttrs: usize, failIdx: *mut usize, hStream: CUstream);
#[since(13000)] #[ptsz(13000)] #[custom] #[soft]
fn cuMemcpyBatchAsync_v2(dsts: *const CUdeviceptr, srcs: *const CUdeviceptr, sizes: *const usize, count: usize, attrs: *const CUmemcpyAttributes, attrsIdxs: *const usize, numAttrs: usize, hStream: CUstream);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpyDtoA();
#[since(3020)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpyDtoA_v2(dstArray: CUarray, dstOffset: usize, srcDevice: CUdeviceptr, ByteCount: usize);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpyDtoD();
#[since(3020)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpyDtoD_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize);
#[since(3000)] #[unsupported(older)] #[untyped] fn cuMemcpyDtoDAsync();
#[since(3020)] #[ptsz(7000)] #[custom] #[soft]
fn cuMemcpyDtoDAsync_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpyDtoH();
#[since(3020)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpyDtoH_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpyDtoHAsync();
#[since(3020)] #[ptsz(7000)] #[custom] #[soft]
fn cuMemcpyDtoHAsync_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream);
#[since(2000)] #[unsupported(older)]
fn cuMemcpyHtoA(dstArray: CUarray, dstOffset: u32, srcHost: *const c_void, ByteCount: u32);
#[since(3020)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpyHtoA_v2(dstArray: CUarray, dstOffset: usize, srcHost: *const c_void, ByteCount: usize);
#[since(2000)] #[unsupported(older)]
fn cuMemcpyHtoAAsync(dstArray: CUarray, dstOffset: u32, srcHost: *const c_void, ByteCount: u32, hStream: CUstream);
#[since(3020)] #[ptsz(7000)] #[custom] #[soft]
fn cuMemcpyHtoAAsync_v2(dstArray: CUarray, dstOffset: usize, srcHost: *const c_void, ByteCount: usize, hStream: CUstream);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpyHtoD();
#[since(3020)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpyHtoD_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemcpyHtoDAsync();
#[since(3020)] #[ptsz(7000)] #[custom] #[soft]
fn cuMemcpyHtoDAsync_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize, hStream: CUstream);
#[since(4000)] #[ptds(7000)] #[custom] #[soft]
fn cuMemcpyPeer(dstDevice: CUdeviceptr, dstContext: CUcontext, srcDevice: CUdeviceptr, srcContext: CUcontext, ByteCount: usize);
#[since(4000)] #[ptsz(7000)] #[custom] #[soft]
fn cuMemcpyPeerAsync(dstDevice: CUdeviceptr, dstContext: CUcontext, srcDevice: CUdeviceptr, srcContext: CUcontext, ByteCount: usize, hStream: CUstream);

// ---- Fills ----

#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemsetD16();
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD16Async)] #[soft] #[touches(dstDevice, N.saturating_mul(2))]
fn cuMemsetD16_v2(dstDevice: CUdeviceptr, us: u16, N: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 110)] #[soft] #[touches(dstDevice, N.saturating_mul(2))]
fn cuMemsetD16Async(dstDevice: CUdeviceptr, us: u16, N: usize, hStream: CUstream);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemsetD2D16();
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD2D16Async)] #[soft] #[touches(dstDevice, Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width.saturating_mul(2)))]
fn cuMemsetD2D16_v2(dstDevice: CUdeviceptr, dstPitch: usize, us: u16, Width: usize, Height: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 111)] #[soft] #[touches(dstDevice, Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width.saturating_mul(2)))]
fn cuMemsetD2D16Async(dstDevice: CUdeviceptr, dstPitch: usize, us: u16, Width: usize, Height: usize, hStream: CUstream);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemsetD2D32();
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD2D32Async)] #[soft] #[touches(dstDevice, Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width.saturating_mul(4)))]
fn cuMemsetD2D32_v2(dstDevice: CUdeviceptr, dstPitch: usize, ui: u32, Width: usize, Height: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 112)] #[soft] #[touches(dstDevice, Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width.saturating_mul(4)))]
fn cuMemsetD2D32Async(dstDevice: CUdeviceptr, dstPitch: usize, ui: u32, Width: usize, Height: usize, hStream: CUstream);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemsetD2D8();
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD2D8Async)] #[soft] #[touches(dstDevice, Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width))]
fn cuMemsetD2D8_v2(dstDevice: CUdeviceptr, dstPitch: usize, uc: u8, Width: usize, Height: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 113)] #[soft] #[touches(dstDevice, Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width))]
fn cuMemsetD2D8Async(dstDevice: CUdeviceptr, dstPitch: usize, uc: u8, Width: usize, Height: usize, hStream: CUstream);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemsetD32();
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD32Async)] #[soft] #[touches(dstDevice, N.saturating_mul(4))]
fn cuMemsetD32_v2(dstDevice: CUdeviceptr, ui: u32, N: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 114)] #[soft] #[touches(dstDevice, N.saturating_mul(4))]
fn cuMemsetD32Async(dstDevice: CUdeviceptr, ui: u32, N: usize, hStream: CUstream);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemsetD8();
#[since(3020)] #[ptds(7000)] #[post(like = cuMemsetD8Async)] #[soft] #[touches(dstDevice, N)]
fn cuMemsetD8_v2(dstDevice: CUdeviceptr, uc: u8, N: usize);
#[since(3020)] #[ptsz(7000)] #[post(op = 115)] #[soft] #[touches(dstDevice, N)]
fn cuMemsetD8Async(dstDevice: CUdeviceptr, uc: u8, N: usize, hStream: CUstream);

// ---- Memory pools ----

#[since(11020)] #[ptsz(11020)] #[custom] #[soft]
fn cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, hStream: CUstream);
#[since(11020)] #[ptsz(11020)] #[custom] #[soft]
fn cuMemAllocFromPoolAsync(dptr: *mut CUdeviceptr, bytesize: usize, pool: CUmemoryPool, hStream: CUstream);
#[since(11020)] #[ptsz(11020)] #[custom] #[soft]
fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream);
#[since(13000)] #[local]
fn cuMemGetDefaultMemPool(pool_out: *mut CUmemoryPool, location: *mut CUmemLocation, type_: CUmemAllocationType);
#[since(13000)] #[local]
fn cuMemGetMemPool(pool_out: *mut CUmemoryPool, location: *mut CUmemLocation, type_: CUmemAllocationType);
#[since(11020)] #[local] #[soft]
fn cuMemPoolCreate(pool: *mut CUmemoryPool, poolProps: *const CUmemPoolProps);
#[since(11020)] #[local] #[soft]
fn cuMemPoolDestroy(pool: CUmemoryPool);
#[since(11020)] #[unsupported(pools)]
fn cuMemPoolExportPointer(shareData_out: *mut CUmemPoolPtrExportData, ptr: CUdeviceptr);
#[since(11020)] #[unsupported(pools)]
fn cuMemPoolExportToShareableHandle(handle_out: *mut c_void, pool: CUmemoryPool, handleType: CUmemAllocationHandleType, flags: u64);
#[since(11020)] #[local] #[soft]
fn cuMemPoolGetAccess(flags: *mut CUmemAccess_flags, memPool: CUmemoryPool, location: *mut CUmemLocation);
#[since(11020)] #[local] #[soft]
fn cuMemPoolGetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void);
#[since(11020)] #[unsupported(pools)]
fn cuMemPoolImportFromShareableHandle(pool_out: *mut CUmemoryPool, handle: *mut c_void, handleType: CUmemAllocationHandleType, flags: u64);
#[since(11020)] #[unsupported(pools)]
fn cuMemPoolImportPointer(ptr_out: *mut CUdeviceptr, pool: CUmemoryPool, shareData: *mut CUmemPoolPtrExportData);
#[since(11020)] #[local] #[soft]
fn cuMemPoolSetAccess(pool: CUmemoryPool, map: *const CUmemAccessDesc, count: usize);
#[since(11020)] #[local] #[soft]
fn cuMemPoolSetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void);
#[since(11020)] #[custom] #[soft]
fn cuMemPoolTrimTo(pool: CUmemoryPool, minBytesToKeep: usize);
#[since(13000)] #[local]
fn cuMemSetMemPool(location: *mut CUmemLocation, type_: CUmemAllocationType, pool: CUmemoryPool);

// ---- Virtual memory ----

#[since(10020)] #[local] #[soft]
fn cuMemAddressFree(ptr: CUdeviceptr, size: usize);
#[since(10020)] #[local] #[soft]
fn cuMemAddressReserve(ptr: *mut CUdeviceptr, size: usize, alignment: usize, addr: CUdeviceptr, flags: u64);
#[since(10020)] #[custom] #[soft]
fn cuMemCreate(handle: *mut CUmemGenericAllocationHandle, size: usize, prop: *const CUmemAllocationProp, flags: u64);
#[since(10020)] #[custom] #[soft]
fn cuMemExportToShareableHandle(shareableHandle: *mut c_void, handle: CUmemGenericAllocationHandle, handleType: CUmemAllocationHandleType, flags: u64);
#[since(10020)] #[local] #[soft]
fn cuMemGetAccess(flags: *mut u64, location: *const CUmemLocation, ptr: CUdeviceptr);
#[since(10020)] #[local] #[soft]
fn cuMemGetAllocationGranularity(granularity: *mut usize, prop: *const CUmemAllocationProp, option: CUmemAllocationGranularity_flags);
#[since(10020)] #[local] #[soft]
fn cuMemGetAllocationPropertiesFromHandle(prop: *mut CUmemAllocationProp, handle: CUmemGenericAllocationHandle);
#[since(10020)] #[custom] #[soft]
fn cuMemImportFromShareableHandle(handle: *mut CUmemGenericAllocationHandle, osHandle: *mut c_void, shHandleType: CUmemAllocationHandleType);
#[since(10020)] #[custom] #[soft]
fn cuMemMap(ptr: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: u64);
#[since(11010)] #[ptsz(11010)] #[unsupported(sparse)] #[untyped] fn cuMemMapArrayAsync();
#[since(10020)] #[custom] #[soft]
fn cuMemRelease(handle: CUmemGenericAllocationHandle);
#[since(11000)] #[local] #[soft]
fn cuMemRetainAllocationHandle(handle: *mut CUmemGenericAllocationHandle, addr: *mut c_void);
#[since(10020)] #[custom] #[soft]
fn cuMemSetAccess(ptr: CUdeviceptr, size: usize, desc: *const CUmemAccessDesc, count: usize);
#[since(10020)] #[custom] #[soft]
fn cuMemUnmap(ptr: CUdeviceptr, size: usize);
#[since(12010)] #[unsupported(multicast)] #[refused]
fn cuMulticastAddDevice(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice);
#[since(12010)] #[unsupported(multicast)] #[refused]
fn cuMulticastBindAddr(mcHandle: CUmemGenericAllocationHandle, mcOffset: usize, memptr: CUdeviceptr, size: usize, flags: u64);
#[since(12010)] #[unsupported(multicast)] #[refused]
fn cuMulticastBindMem(mcHandle: CUmemGenericAllocationHandle, mcOffset: usize, memHandle: CUmemGenericAllocationHandle, memOffset: usize, size: usize, flags: u64);
#[since(12010)] #[unsupported(multicast)] #[refused] #[untyped] fn cuMulticastCreate();
#[since(12010)] #[unsupported(multicast)] #[refused] #[untyped] fn cuMulticastGetGranularity();
#[since(12010)] #[unsupported(multicast)] #[refused]
fn cuMulticastUnbind(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice, mcOffset: usize, size: usize);

// ---- Memory ----

#[since(4010)] #[custom]
fn cuIpcCloseMemHandle(dptr: CUdeviceptr);
#[since(4010)] #[custom] #[soft]
fn cuIpcGetEventHandle(pHandle: *mut CUipcEventHandle, event: CUevent);
#[since(4010)] #[custom]
fn cuIpcGetMemHandle(pHandle: *mut CUipcMemHandle, dptr: CUdeviceptr);
#[since(4010)] #[custom] #[soft]
fn cuIpcOpenEventHandle(phEvent: *mut CUevent, handle: CUipcEventHandle);
#[since(4010)] #[custom]
fn cuIpcOpenMemHandle(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, Flags: u32);
#[since(11000)] #[custom]
fn cuIpcOpenMemHandle_v2(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, Flags: u32);
#[since(8000)] #[local] #[soft]
fn cuMemAdvise(devPtr: CUdeviceptr, count: usize, advice: CUmem_advise, device: CUdevice);
#[since(12020)] #[local] #[soft]
fn cuMemAdvise_v2(devPtr: CUdeviceptr, count: usize, advice: CUmem_advise, location: CUmemLocation);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemAlloc();
#[since(3020)] #[custom] #[soft]
fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize);
#[since(2000)] #[unsupported(older)]
fn cuMemAllocHost(pp: *mut *mut c_void, bytesize: u32);
#[since(3020)] #[local] #[soft]
fn cuMemAllocHost_v2(pp: *mut *mut c_void, bytesize: usize);
#[since(6000)] #[custom] #[soft]
fn cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: u32);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemAllocPitch();
#[since(3020)] #[custom] #[soft]
fn cuMemAllocPitch_v2(dptr: *mut CUdeviceptr, pPitch: *mut usize, WidthInBytes: usize, Height: usize, ElementSizeBytes: u32);
#[since(12060)] #[ptsz(12060)] #[unsupported(decompression)] #[untyped] fn cuMemBatchDecompressAsync();
#[since(13000)] #[ptsz(13000)] #[unsupported(discard)]
fn cuMemDiscardAndPrefetchBatchAsync(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetchLocs: *mut CUmemLocation, prefetchLocIdxs: *mut usize, numPrefetchLocs: usize, flags: u64, hStream: CUstream);
#[since(13000)] #[ptsz(13000)] #[unsupported(discard)]
fn cuMemDiscardBatchAsync(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, flags: u64, hStream: CUstream);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemFree();
#[since(3020)] #[custom] #[soft]
fn cuMemFree_v2(dptr: CUdeviceptr);
#[since(2000)] #[custom] #[soft]
fn cuMemFreeHost(p: *mut c_void);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuMemGetAddressRange();
#[since(3020)] #[local] #[soft]
fn cuMemGetAddressRange_v2(pbase: *mut CUdeviceptr, psize: *mut usize, dptr: CUdeviceptr);
#[unsupported(undocumented)] #[untyped] fn cuMemGetAttribute();
#[unsupported(undocumented)] #[untyped] fn cuMemGetAttribute_v2();
#[since(11070)] #[unsupported(rdma)] #[refused] #[untyped] fn cuMemGetHandleForAddressRange();
#[since(2000)] #[unsupported(older)]
fn cuMemGetInfo(free: *mut u32, total: *mut u32);
#[since(3020)] #[custom] #[soft]
fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
#[since(2020)] #[local] #[soft]
fn cuMemHostAlloc(pp: *mut *mut c_void, bytesize: usize, Flags: u32);
#[since(2020)] #[unsupported(older)] #[untyped] fn cuMemHostGetDevicePointer();
#[since(3020)] #[local] #[soft]
fn cuMemHostGetDevicePointer_v2(pdptr: *mut CUdeviceptr, p: *mut c_void, Flags: u32);
#[since(2030)] #[local] #[soft]
fn cuMemHostGetFlags(pFlags: *mut u32, p: *mut c_void);
#[since(4000)] #[unsupported(older)] #[soft]
fn cuMemHostRegister(p: *mut c_void, bytesize: usize, Flags: u32);
#[since(6050)] #[local] #[soft]
fn cuMemHostRegister_v2(p: *mut c_void, bytesize: usize, Flags: u32);
#[since(4000)] #[custom] #[soft]
fn cuMemHostUnregister(p: *mut c_void);
#[since(8000)] #[ptsz(8000)] #[local] #[soft]
fn cuMemPrefetchAsync(devPtr: CUdeviceptr, count: usize, dstDevice: CUdevice, hStream: CUstream);
#[since(12020)] #[ptsz(12020)] #[local] #[soft]
fn cuMemPrefetchAsync_v2(devPtr: CUdeviceptr, count: usize, location: CUmemLocation, flags: u32, hStream: CUstream);
#[since(13000)] #[ptsz(13000)] #[local] #[soft]
fn cuMemPrefetchBatchAsync(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetchLocs: *mut CUmemLocation, prefetchLocIdxs: *mut usize, numPrefetchLocs: usize, flags: u64, hStream: CUstream);
#[since(8000)] #[local] #[soft]
fn cuMemRangeGetAttribute(data: *mut c_void, dataSize: usize, attribute: CUmem_range_attribute, devPtr: CUdeviceptr, count: usize);
#[since(8000)] #[local] #[soft]
fn cuMemRangeGetAttributes(data: *mut *mut c_void, dataSizes: *mut usize, attributes: *mut CUmem_range_attribute, numAttributes: usize, devPtr: CUdeviceptr, count: usize);
#[since(4000)] #[local] #[soft]
fn cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr);
#[since(7000)] #[local] #[soft]
fn cuPointerGetAttributes(numAttributes: u32, attributes: *mut CUpointer_attribute, data: *mut *mut c_void, ptr: CUdeviceptr);
#[since(6000)] #[local] #[soft]
fn cuPointerSetAttribute(value: *const c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr);

// ---- Graphs ----

#[since(11070)] #[unsupported(batch_nodes)] #[untyped] fn cuGraphAddBatchMemOpNode();
#[since(10000)] #[custom] #[soft]
fn cuGraphAddChildGraphNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, childGraph: CUgraph);
#[since(10000)] #[custom] #[soft]
fn cuGraphAddDependencies(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, numDependencies: usize);
#[since(12030)] #[custom] #[soft]
fn cuGraphAddDependencies_v2(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, edgeData: *const CUgraphEdgeData, numDependencies: usize);
#[since(10000)] #[custom] #[soft]
fn cuGraphAddEmptyNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize);
#[since(11010)] #[custom] #[soft]
fn cuGraphAddEventRecordNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, event: CUevent);
#[since(11010)] #[custom] #[soft]
fn cuGraphAddEventWaitNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, event: CUevent);
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphAddExternalSemaphoresSignalNode();
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphAddExternalSemaphoresWaitNode();
#[since(10000)] #[custom] #[soft]
fn cuGraphAddHostNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_HOST_NODE_PARAMS);
#[since(10000)] #[custom] #[soft]
fn cuGraphAddKernelNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1);
#[since(12000)] #[custom] #[soft]
fn cuGraphAddKernelNode_v2(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_KERNEL_NODE_PARAMS);
#[since(11040)] #[unsupported(memory_nodes)] #[untyped] fn cuGraphAddMemAllocNode();
#[since(11040)] #[unsupported(memory_nodes)]
fn cuGraphAddMemFreeNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, dptr: CUdeviceptr);
#[since(10000)] #[custom] #[soft]
fn cuGraphAddMemcpyNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, copyParams: *const CUDA_MEMCPY3D, ctx: CUcontext);
#[since(10000)] #[custom] #[soft]
fn cuGraphAddMemsetNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, memsetParams: *const CUDA_MEMSET_NODE_PARAMS, ctx: CUcontext);
#[since(12020)] #[custom] #[soft]
fn cuGraphAddNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *mut CUgraphNodeParams);
#[since(12030)] #[custom] #[soft]
fn cuGraphAddNode_v2(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, nodeParams: *mut CUgraphNodeParams);
#[since(11070)] #[unsupported(batch_nodes)] #[untyped] fn cuGraphBatchMemOpNodeGetParams();
#[since(11070)] #[unsupported(batch_nodes)] #[untyped] fn cuGraphBatchMemOpNodeSetParams();
#[since(10000)] #[unsupported(graph_rest)]
fn cuGraphChildGraphNodeGetGraph(hNode: CUgraphNode, phGraph: *mut CUgraph);
#[since(10000)] #[custom] #[soft]
fn cuGraphClone(phGraphClone: *mut CUgraph, originalGraph: CUgraph);
#[since(12030)] #[custom] #[soft]
fn cuGraphConditionalHandleCreate(pHandle_out: *mut u64, hGraph: CUgraph, ctx: CUcontext, defaultLaunchValue: u32, flags: u32);
#[since(10000)] #[custom] #[soft]
fn cuGraphCreate(phGraph: *mut CUgraph, flags: u32);
#[since(11030)] #[unsupported(graph_rest)]
fn cuGraphDebugDotPrint(hGraph: CUgraph, path: *const c_char, flags: u32);
#[since(10000)] #[custom] #[soft]
fn cuGraphDestroy(hGraph: CUgraph);
#[since(10000)] #[custom] #[soft]
fn cuGraphDestroyNode(hNode: CUgraphNode);
#[since(11010)] #[custom] #[soft]
fn cuGraphEventRecordNodeGetEvent(hNode: CUgraphNode, event_out: *mut CUevent);
#[since(11010)] #[custom] #[soft]
fn cuGraphEventRecordNodeSetEvent(hNode: CUgraphNode, event: CUevent);
#[since(11010)] #[custom] #[soft]
fn cuGraphEventWaitNodeGetEvent(hNode: CUgraphNode, event_out: *mut CUevent);
#[since(11010)] #[custom] #[soft]
fn cuGraphEventWaitNodeSetEvent(hNode: CUgraphNode, event: CUevent);
#[since(11070)] #[unsupported(batch_nodes)] #[untyped] fn cuGraphExecBatchMemOpNodeSetParams();
#[since(11010)] #[custom]
fn cuGraphExecChildGraphNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, childGraph: CUgraph);
#[since(10000)] #[custom] #[soft]
fn cuGraphExecDestroy(hGraphExec: CUgraphExec);
#[since(11010)] #[custom] #[soft]
fn cuGraphExecEventRecordNodeSetEvent(hGraphExec: CUgraphExec, hNode: CUgraphNode, event: CUevent);
#[since(11010)] #[custom] #[soft]
fn cuGraphExecEventWaitNodeSetEvent(hGraphExec: CUgraphExec, hNode: CUgraphNode, event: CUevent);
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphExecExternalSemaphoresSignalNodeSetParams();
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphExecExternalSemaphoresWaitNodeSetParams();
#[since(12000)] #[call(op = 152)] #[soft]
fn cuGraphExecGetFlags(hGraphExec: CUgraphExec, flags: Out<u64>);
#[since(10020)] #[custom] #[soft]
fn cuGraphExecHostNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_HOST_NODE_PARAMS);
#[since(10010)] #[custom] #[soft]
fn cuGraphExecKernelNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1);
#[since(12000)] #[custom] #[soft]
fn cuGraphExecKernelNodeSetParams_v2(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS);
#[since(10020)] #[custom] #[soft]
fn cuGraphExecMemcpyNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, copyParams: *const CUDA_MEMCPY3D, ctx: CUcontext);
#[since(10020)] #[custom] #[soft]
fn cuGraphExecMemsetNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, memsetParams: *const CUDA_MEMSET_NODE_PARAMS, ctx: CUcontext);
#[since(12020)] #[custom] #[soft]
fn cuGraphExecNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams);
#[since(10020)] #[custom]
fn cuGraphExecUpdate(hGraphExec: CUgraphExec, hGraph: CUgraph, hErrorNode_out: *mut CUgraphNode, updateResult_out: *mut CUgraphExecUpdateResult);
#[since(12000)] #[custom] #[soft]
fn cuGraphExecUpdate_v2(hGraphExec: CUgraphExec, hGraph: CUgraph, resultInfo: *mut CUgraphExecUpdateResultInfo);
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphExternalSemaphoresSignalNodeGetParams();
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphExternalSemaphoresSignalNodeSetParams();
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphExternalSemaphoresWaitNodeGetParams();
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphExternalSemaphoresWaitNodeSetParams();
#[since(10000)] #[custom] #[soft]
fn cuGraphGetEdges(hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, numEdges: *mut usize);
#[since(12030)] #[custom] #[soft]
fn cuGraphGetEdges_v2(hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData, numEdges: *mut usize);
#[since(10000)] #[custom] #[soft]
fn cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize);
#[since(10000)] #[custom] #[soft]
fn cuGraphGetRootNodes(hGraph: CUgraph, rootNodes: *mut CUgraphNode, numRootNodes: *mut usize);
#[since(10000)] #[custom] #[soft]
fn cuGraphHostNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_HOST_NODE_PARAMS);
#[since(10000)] #[custom] #[soft]
fn cuGraphHostNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_HOST_NODE_PARAMS);
#[since(10000)] #[unsupported(older)]
fn cuGraphInstantiate(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode, logBuffer: *mut c_char, bufferSize: usize);
#[since(11000)] #[custom] #[soft]
fn cuGraphInstantiate_v2(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode, logBuffer: *mut c_char, bufferSize: usize);
#[since(11040)] #[custom] #[soft]
fn cuGraphInstantiateWithFlags(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, flags: u64);
#[since(12000)] #[ptsz(12000)] #[custom] #[soft]
fn cuGraphInstantiateWithParams(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS);
#[since(11000)] #[post(op = 163)] #[soft]
fn cuGraphKernelNodeCopyAttributes(dst: CUgraphNode, src: CUgraphNode);
#[since(11000)] #[custom] #[soft]
fn cuGraphKernelNodeGetAttribute(hNode: CUgraphNode, attr: CUstreamAttrID, value_out: *mut CUstreamAttrValue);
#[since(10000)] #[custom] #[soft]
fn cuGraphKernelNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS_v1);
#[since(12000)] #[custom] #[soft]
fn cuGraphKernelNodeGetParams_v2(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS);
#[since(11000)] #[custom] #[soft]
fn cuGraphKernelNodeSetAttribute(hNode: CUgraphNode, attr: CUstreamAttrID, value: *const CUstreamAttrValue);
#[since(10000)] #[custom] #[soft]
fn cuGraphKernelNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1);
#[since(12000)] #[custom] #[soft]
fn cuGraphKernelNodeSetParams_v2(hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS);
#[since(10000)] #[ptsz(10000)] #[custom] #[soft]
fn cuGraphLaunch(hGraph: CUgraphExec, hStream: CUstream);
#[since(11040)] #[unsupported(memory_nodes)] #[untyped] fn cuGraphMemAllocNodeGetParams();
#[since(11040)] #[unsupported(memory_nodes)]
fn cuGraphMemFreeNodeGetParams(hNode: CUgraphNode, dptr_out: *mut CUdeviceptr);
#[since(10000)] #[custom] #[soft]
fn cuGraphMemcpyNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_MEMCPY3D);
#[since(10000)] #[custom] #[soft]
fn cuGraphMemcpyNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_MEMCPY3D);
#[since(10000)] #[custom] #[soft]
fn cuGraphMemsetNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_MEMSET_NODE_PARAMS);
#[since(10000)] #[custom] #[soft]
fn cuGraphMemsetNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_MEMSET_NODE_PARAMS);
#[since(10000)] #[custom] #[soft]
fn cuGraphNodeFindInClone(phNode: *mut CUgraphNode, hOriginalNode: CUgraphNode, hClonedGraph: CUgraph);
#[since(10000)] #[custom] #[soft]
fn cuGraphNodeGetDependencies(hNode: CUgraphNode, dependencies: *mut CUgraphNode, numDependencies: *mut usize);
#[since(12030)] #[custom] #[soft]
fn cuGraphNodeGetDependencies_v2(hNode: CUgraphNode, dependencies: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData, numDependencies: *mut usize);
#[since(10000)] #[custom] #[soft]
fn cuGraphNodeGetDependentNodes(hNode: CUgraphNode, dependentNodes: *mut CUgraphNode, numDependentNodes: *mut usize);
#[since(12030)] #[custom] #[soft]
fn cuGraphNodeGetDependentNodes_v2(hNode: CUgraphNode, dependentNodes: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData, numDependentNodes: *mut usize);
#[since(11060)] #[call(op = 158)] #[soft]
fn cuGraphNodeGetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: Out<u32>);
#[since(10000)] #[custom] #[soft]
fn cuGraphNodeGetType(hNode: CUgraphNode, type_: *mut CUgraphNodeType);
#[since(11060)] #[post(op = 157)] #[soft]
fn cuGraphNodeSetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: u32);
#[since(12020)] #[custom] #[soft]
fn cuGraphNodeSetParams(hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams);
#[since(11030)] #[post(op = 156)] #[soft]
fn cuGraphReleaseUserObject(graph: CUgraph, object: CUuserObject, count: u32);
#[since(10000)] #[custom] #[soft]
fn cuGraphRemoveDependencies(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, numDependencies: usize);
#[since(12030)] #[custom] #[soft]
fn cuGraphRemoveDependencies_v2(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, edgeData: *const CUgraphEdgeData, numDependencies: usize);
#[since(11030)] #[post(op = 155)] #[soft]
fn cuGraphRetainUserObject(graph: CUgraph, object: CUuserObject, count: u32, flags: u32);
#[since(11010)] #[ptsz(11010)] #[post(op = 150)] #[soft]
fn cuGraphUpload(hGraph: CUgraphExec, hStream: CUstream);
#[since(11030)] #[custom] #[soft]
fn cuUserObjectCreate(object_out: *mut CUuserObject, ptr: *mut c_void, destroy: CUhostFn, initialRefcount: u32, flags: u32);
#[since(11030)] #[post(op = 154)] #[soft]
fn cuUserObjectRelease(object: CUuserObject, count: u32);
#[since(11030)] #[post(op = 153)] #[soft]
fn cuUserObjectRetain(object: CUuserObject, count: u32);

// ---- Arrays, textures, surfaces ----

#[since(2000)] #[unsupported(older)] #[untyped] fn cuArray3DCreate();
#[since(3020)] #[custom] #[soft]
fn cuArray3DCreate_v2(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuArray3DGetDescriptor();
#[since(3020)] #[local] #[soft]
fn cuArray3DGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR, hArray: CUarray);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuArrayCreate();
#[since(3020)] #[custom] #[soft]
fn cuArrayCreate_v2(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR);
#[since(2000)] #[custom] #[soft]
fn cuArrayDestroy(hArray: CUarray);
#[since(2000)] #[unsupported(older)] #[untyped] fn cuArrayGetDescriptor();
#[since(3020)] #[local] #[soft]
fn cuArrayGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR, hArray: CUarray);
#[since(11060)] #[call(op = 213)] #[soft]
fn cuArrayGetMemoryRequirements(memoryRequirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>, array: CUarray, device: CUdevice);
#[since(11020)] #[unsupported(planes)]
fn cuArrayGetPlane(pPlaneArray: *mut CUarray, hArray: CUarray, planeIdx: u32);
#[since(11010)] #[unsupported(sparse)] #[untyped] fn cuArrayGetSparseProperties();
#[since(5000)] #[custom] #[soft]
fn cuMipmappedArrayCreate(pHandle: *mut CUmipmappedArray, pMipmappedArrayDesc: *const CUDA_ARRAY3D_DESCRIPTOR, numMipmapLevels: u32);
#[since(5000)] #[custom] #[soft]
fn cuMipmappedArrayDestroy(hMipmappedArray: CUmipmappedArray);
#[since(5000)] #[custom] #[soft]
fn cuMipmappedArrayGetLevel(pLevelArray: *mut CUarray, hMipmappedArray: CUmipmappedArray, level: u32);
#[since(11060)] #[call(op = 214)] #[soft]
fn cuMipmappedArrayGetMemoryRequirements(memoryRequirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>, mipmap: CUmipmappedArray, device: CUdevice);
#[since(11010)] #[unsupported(sparse)] #[untyped] fn cuMipmappedArrayGetSparseProperties();
#[since(5000)] #[custom] #[soft]
fn cuSurfObjectCreate(pSurfObject: *mut CUsurfObject, pResDesc: *const CUDA_RESOURCE_DESC);
#[since(5000)] #[custom] #[soft]
fn cuSurfObjectDestroy(surfObject: CUsurfObject);
#[since(5000)] #[local] #[soft]
fn cuSurfObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, surfObject: CUsurfObject);
#[since(3000)] #[unsupported(references)]
fn cuSurfRefGetArray(phArray: *mut CUarray, hSurfRef: CUsurfref);
#[since(3000)] #[unsupported(references)]
fn cuSurfRefSetArray(hSurfRef: CUsurfref, hArray: CUarray, Flags: u32);
#[since(12000)] #[call(op = 201, memo)]
fn cuTensorMapEncodeIm2col(tensorMap: Out<CUtensorMap>, tensorDataType: CUtensorMapDataType, tensorRank: u32, globalAddress: CUdeviceptr, globalDim: In<[u64; tensorRank]>, globalStrides: In<[u64; tensorRank.saturating_sub(1)]>, pixelBoxLowerCorner: In<[i32; tensorRank.saturating_sub(2)]>, pixelBoxUpperCorner: In<[i32; tensorRank.saturating_sub(2)]>, channelsPerPixel: u32, pixelsPerColumn: u32, elementStrides: In<[u32; tensorRank]>, interleave: CUtensorMapInterleave, swizzle: CUtensorMapSwizzle, l2Promotion: CUtensorMapL2promotion, oobFill: CUtensorMapFloatOOBfill);
#[since(12080)] #[call(op = 202, memo)]
fn cuTensorMapEncodeIm2colWide(tensorMap: Out<CUtensorMap>, tensorDataType: CUtensorMapDataType, tensorRank: u32, globalAddress: CUdeviceptr, globalDim: In<[u64; tensorRank]>, globalStrides: In<[u64; tensorRank.saturating_sub(1)]>, pixelBoxLowerCornerWidth: i32, pixelBoxUpperCornerWidth: i32, channelsPerPixel: u32, pixelsPerColumn: u32, elementStrides: In<[u32; tensorRank]>, interleave: CUtensorMapInterleave, mode: CUtensorMapIm2ColWideMode, swizzle: CUtensorMapSwizzle, l2Promotion: CUtensorMapL2promotion, oobFill: CUtensorMapFloatOOBfill);
#[since(12000)] #[call(op = 200, memo)]
fn cuTensorMapEncodeTiled(tensorMap: Out<CUtensorMap>, tensorDataType: CUtensorMapDataType, tensorRank: u32, globalAddress: CUdeviceptr, globalDim: In<[u64; tensorRank]>, globalStrides: In<[u64; tensorRank.saturating_sub(1)]>, boxDim: In<[u32; tensorRank]>, elementStrides: In<[u32; tensorRank]>, interleave: CUtensorMapInterleave, swizzle: CUtensorMapSwizzle, l2Promotion: CUtensorMapL2promotion, oobFill: CUtensorMapFloatOOBfill);
#[since(12000)] #[custom]
fn cuTensorMapReplaceAddress(tensorMap: *mut CUtensorMap, globalAddress: CUdeviceptr);
#[since(5000)] #[custom] #[soft]
fn cuTexObjectCreate(pTexObject: *mut CUtexObject, pResDesc: *const CUDA_RESOURCE_DESC, pTexDesc: *const CUDA_TEXTURE_DESC, pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC);
#[since(5000)] #[custom] #[soft]
fn cuTexObjectDestroy(texObject: CUtexObject);
#[since(5000)] #[local] #[soft]
fn cuTexObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, texObject: CUtexObject);
#[since(5000)] #[local] #[soft]
fn cuTexObjectGetResourceViewDesc(pResViewDesc: *mut CUDA_RESOURCE_VIEW_DESC, texObject: CUtexObject);
#[since(5000)] #[local] #[soft]
fn cuTexObjectGetTextureDesc(pTexDesc: *mut CUDA_TEXTURE_DESC, texObject: CUtexObject);
#[since(2000)] #[unsupported(references)]
fn cuTexRefCreate(pTexRef: *mut CUtexref);
#[since(2000)] #[unsupported(references)]
fn cuTexRefDestroy(hTexRef: CUtexref);
#[since(2000)] #[unsupported(references)] #[untyped] fn cuTexRefGetAddress();
#[since(3020)] #[unsupported(references)]
fn cuTexRefGetAddress_v2(pdptr: *mut CUdeviceptr, hTexRef: CUtexref);
#[since(2000)] #[unsupported(references)] #[untyped] fn cuTexRefGetAddressMode();
#[since(2000)] #[unsupported(references)]
fn cuTexRefGetArray(phArray: *mut CUarray, hTexRef: CUtexref);
#[since(8000)] #[unsupported(references)]
fn cuTexRefGetBorderColor(pBorderColor: *mut f32, hTexRef: CUtexref);
#[since(2000)] #[unsupported(references)] #[untyped] fn cuTexRefGetFilterMode();
#[since(2000)] #[unsupported(references)]
fn cuTexRefGetFlags(pFlags: *mut u32, hTexRef: CUtexref);
#[since(2000)] #[unsupported(references)]
fn cuTexRefGetFormat(pFormat: *mut CUarray_format, pNumChannels: *mut i32, hTexRef: CUtexref);
#[since(5000)] #[unsupported(references)]
fn cuTexRefGetMaxAnisotropy(pmaxAniso: *mut i32, hTexRef: CUtexref);
#[since(5000)] #[unsupported(references)] #[untyped] fn cuTexRefGetMipmapFilterMode();
#[since(5000)] #[unsupported(references)]
fn cuTexRefGetMipmapLevelBias(pbias: *mut f32, hTexRef: CUtexref);
#[since(5000)] #[unsupported(references)]
fn cuTexRefGetMipmapLevelClamp(pminMipmapLevelClamp: *mut f32, pmaxMipmapLevelClamp: *mut f32, hTexRef: CUtexref);
#[since(5000)] #[unsupported(references)]
fn cuTexRefGetMipmappedArray(phMipmappedArray: *mut CUmipmappedArray, hTexRef: CUtexref);
#[since(2000)] #[unsupported(references)] #[untyped] fn cuTexRefSetAddress();
#[since(3020)] #[unsupported(references)]
fn cuTexRefSetAddress_v2(ByteOffset: *mut usize, hTexRef: CUtexref, dptr: CUdeviceptr, bytes: usize);
#[since(2020)] #[unsupported(references)] #[untyped] fn cuTexRefSetAddress2D();
#[since(3020)] #[unsupported(references)] #[untyped] fn cuTexRefSetAddress2D_v2();
#[since(4010)] #[unsupported(references)] #[untyped] fn cuTexRefSetAddress2D_v3();
#[since(2000)] #[unsupported(references)] #[untyped] fn cuTexRefSetAddressMode();
#[since(2000)] #[unsupported(references)]
fn cuTexRefSetArray(hTexRef: CUtexref, hArray: CUarray, Flags: u32);
#[since(8000)] #[unsupported(references)]
fn cuTexRefSetBorderColor(hTexRef: CUtexref, pBorderColor: *mut f32);
#[since(2000)] #[unsupported(references)] #[untyped] fn cuTexRefSetFilterMode();
#[since(2000)] #[unsupported(references)]
fn cuTexRefSetFlags(hTexRef: CUtexref, Flags: u32);
#[since(2000)] #[unsupported(references)]
fn cuTexRefSetFormat(hTexRef: CUtexref, fmt: CUarray_format, NumPackedComponents: i32);
#[since(5000)] #[unsupported(references)]
fn cuTexRefSetMaxAnisotropy(hTexRef: CUtexref, maxAniso: u32);
#[since(5000)] #[unsupported(references)] #[untyped] fn cuTexRefSetMipmapFilterMode();
#[since(5000)] #[unsupported(references)]
fn cuTexRefSetMipmapLevelBias(hTexRef: CUtexref, bias: f32);
#[since(5000)] #[unsupported(references)]
fn cuTexRefSetMipmapLevelClamp(hTexRef: CUtexref, minMipmapLevelClamp: f32, maxMipmapLevelClamp: f32);
#[since(5000)] #[unsupported(references)]
fn cuTexRefSetMipmappedArray(hTexRef: CUtexref, hMipmappedArray: CUmipmappedArray, Flags: u32);

// ---- Other processes and APIs ----

#[since(12080)] #[unsupported(checkpoint)] #[untyped] fn cuCheckpointProcessCheckpoint();
#[since(12080)] #[unsupported(checkpoint)]
fn cuCheckpointProcessGetRestoreThreadId(pid: i32, tid: *mut i32);
#[since(12080)] #[unsupported(checkpoint)] #[untyped] fn cuCheckpointProcessGetState();
#[since(12080)] #[unsupported(checkpoint)] #[untyped] fn cuCheckpointProcessLock();
#[since(12080)] #[unsupported(checkpoint)] #[untyped] fn cuCheckpointProcessRestore();
#[since(12080)] #[unsupported(checkpoint)] #[untyped] fn cuCheckpointProcessUnlock();
#[since(12010)] #[unsupported(coredump)] #[untyped] fn cuCoredumpGetAttribute();
#[since(12010)] #[unsupported(coredump)] #[untyped] fn cuCoredumpGetAttributeGlobal();
#[since(12010)] #[unsupported(coredump)] #[untyped] fn cuCoredumpSetAttribute();
#[since(12010)] #[unsupported(coredump)] #[untyped] fn cuCoredumpSetAttributeGlobal();
#[since(10000)] #[unsupported(external)]
fn cuDestroyExternalMemory(extMem: CUexternalMemory);
#[since(10000)] #[unsupported(external)]
fn cuDestroyExternalSemaphore(extSem: CUexternalSemaphore);
#[since(12040)] #[unsupported(green)] #[refused] #[untyped] fn cuDevResourceGenerateDesc();
#[since(12040)] #[unsupported(green)] #[refused] #[untyped] fn cuDevSmResourceSplitByCount();
#[unsupported(egl)] #[untyped] fn cuEGLApiInit();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamConsumerAcquireFrame();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamConsumerConnect();
#[since(8000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamConsumerConnectWithFlags();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamConsumerDisconnect();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamConsumerReleaseFrame();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamProducerConnect();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamProducerDisconnect();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamProducerPresentFrame();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamProducerReturnFrame();
#[since(10000)] #[unsupported(external)] #[untyped] fn cuExternalMemoryGetMappedBuffer();
#[since(10000)] #[unsupported(external)] #[untyped] fn cuExternalMemoryGetMappedMipmappedArray();
#[since(11030)] #[unsupported(rdma)] #[untyped] fn cuFlushGPUDirectRDMAWrites();
#[since(2000)] #[unsupported(graphics)]
fn cuGLCtxCreate(pCtx: *mut CUcontext, Flags: u32, device: CUdevice);
#[since(3020)] #[unsupported(graphics)]
fn cuGLCtxCreate_v2(pCtx: *mut CUcontext, Flags: u32, device: CUdevice);
#[since(4010)] #[unsupported(graphics)] #[untyped] fn cuGLGetDevices();
#[since(6050)] #[unsupported(graphics)] #[untyped] fn cuGLGetDevices_v2();
#[since(2000)] #[unsupported(graphics)]
fn cuGLInit();
#[since(2000)] #[unsupported(graphics)] #[untyped] fn cuGLMapBufferObject();
#[since(3020)] #[ptds(7000)] #[unsupported(graphics)] #[untyped] fn cuGLMapBufferObject_v2();
#[since(2030)] #[unsupported(graphics)] #[untyped] fn cuGLMapBufferObjectAsync();
#[since(3020)] #[ptsz(7000)] #[unsupported(graphics)] #[untyped] fn cuGLMapBufferObjectAsync_v2();
#[since(2000)] #[unsupported(graphics)] #[untyped] fn cuGLRegisterBufferObject();
#[since(2030)] #[unsupported(graphics)] #[untyped] fn cuGLSetBufferObjectMapFlags();
#[since(2000)] #[unsupported(graphics)] #[untyped] fn cuGLUnmapBufferObject();
#[since(2030)] #[unsupported(graphics)] #[untyped] fn cuGLUnmapBufferObjectAsync();
#[since(2000)] #[unsupported(graphics)] #[untyped] fn cuGLUnregisterBufferObject();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuGraphicsEGLRegisterImage();
#[since(3000)] #[unsupported(graphics)] #[untyped] fn cuGraphicsGLRegisterBuffer();
#[since(3000)] #[unsupported(graphics)] #[untyped] fn cuGraphicsGLRegisterImage();
#[since(3000)] #[ptsz(7000)] #[unsupported(graphics)]
fn cuGraphicsMapResources(count: u32, resources: *mut CUgraphicsResource, hStream: CUstream);
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuGraphicsResourceGetMappedEglFrame();
#[since(5000)] #[unsupported(graphics)]
fn cuGraphicsResourceGetMappedMipmappedArray(pMipmappedArray: *mut CUmipmappedArray, resource: CUgraphicsResource);
#[since(3000)] #[unsupported(graphics)] #[untyped] fn cuGraphicsResourceGetMappedPointer();
#[since(3020)] #[unsupported(graphics)]
fn cuGraphicsResourceGetMappedPointer_v2(pDevPtr: *mut CUdeviceptr, pSize: *mut usize, resource: CUgraphicsResource);
#[since(3000)] #[unsupported(graphics)]
fn cuGraphicsResourceSetMapFlags(resource: CUgraphicsResource, flags: u32);
#[since(6050)] #[unsupported(graphics)]
fn cuGraphicsResourceSetMapFlags_v2(resource: CUgraphicsResource, flags: u32);
#[since(3000)] #[unsupported(graphics)]
fn cuGraphicsSubResourceGetMappedArray(pArray: *mut CUarray, resource: CUgraphicsResource, arrayIndex: u32, mipLevel: u32);
#[since(3000)] #[ptsz(7000)] #[unsupported(graphics)]
fn cuGraphicsUnmapResources(count: u32, resources: *mut CUgraphicsResource, hStream: CUstream);
#[since(3000)] #[unsupported(graphics)]
fn cuGraphicsUnregisterResource(resource: CUgraphicsResource);
#[since(3010)] #[unsupported(vdpau)] #[untyped] fn cuGraphicsVDPAURegisterOutputSurface();
#[since(3010)] #[unsupported(vdpau)] #[untyped] fn cuGraphicsVDPAURegisterVideoSurface();
#[since(12040)] #[unsupported(green)] #[refused] #[untyped] fn cuGreenCtxCreate();
#[since(12040)] #[unsupported(green)] #[refused]
fn cuGreenCtxDestroy(hCtx: CUgreenCtx);
#[since(12040)] #[unsupported(green)] #[refused] #[untyped] fn cuGreenCtxGetDevResource();
#[since(12090)] #[unsupported(green)]
fn cuGreenCtxGetId(greenCtx: CUgreenCtx, greenCtxId: *mut u64);
#[since(12040)] #[unsupported(green)]
fn cuGreenCtxRecordEvent(hCtx: CUgreenCtx, hEvent: CUevent);
#[since(12050)] #[unsupported(green)] #[refused]
fn cuGreenCtxStreamCreate(phStream: *mut CUstream, greenCtx: CUgreenCtx, flags: u32, priority: i32);
#[since(12040)] #[unsupported(green)]
fn cuGreenCtxWaitEvent(hCtx: CUgreenCtx, hEvent: CUevent);
#[since(10000)] #[unsupported(external)] #[untyped] fn cuImportExternalMemory();
#[since(10000)] #[unsupported(external)] #[untyped] fn cuImportExternalSemaphore();
#[since(12090)] #[unsupported(logs)] #[untyped] fn cuLogsCurrent();
#[since(12090)] #[unsupported(logs)] #[untyped] fn cuLogsDumpToFile();
#[since(12090)] #[unsupported(logs)] #[untyped] fn cuLogsDumpToMemory();
#[since(12090)] #[unsupported(logs)] #[untyped] fn cuLogsRegisterCallback();
#[since(12090)] #[unsupported(logs)] #[untyped] fn cuLogsUnregisterCallback();
#[since(10000)] #[ptsz(10000)] #[unsupported(external)] #[untyped] fn cuSignalExternalSemaphoresAsync();
#[since(3010)] #[unsupported(vdpau)] #[untyped] fn cuVDPAUCtxCreate();
#[since(3020)] #[unsupported(vdpau)] #[untyped] fn cuVDPAUCtxCreate_v2();
#[since(3010)] #[unsupported(vdpau)] #[untyped] fn cuVDPAUGetDevice();
#[since(10000)] #[ptsz(10000)] #[unsupported(external)] #[untyped] fn cuWaitExternalSemaphoresAsync();

// ---- Debugger: data and entry points that only cuda-gdb uses ----

#[unsupported(debugger)] #[untyped] #[data] fn cudbgApiAttach();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgApiClientPid();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgApiClientRevision();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgApiDetach();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgApiInit();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgAttachHandlerAvailable();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgDebuggerCapabilities();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgDebuggerInitialized();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgDetachSuspendedDevicesMask();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgEnableIntegratedMemcheck();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgEnableLaunchBlocking();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgEnablePreemptionDebugging();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgGetAPI();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgGetAPIVersion();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgInjectionPath();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgIpcFlag();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgMain();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportDriverApiError();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportDriverApiErrorFlags();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportDriverInternalError();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorCode();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorFuncNameAddr();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorFuncNameSize();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorNameAddr();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorNameSize();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorSource();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorStringAddr();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorStringSize();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverInternalErrorCode();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgResumeForAttachDetach();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgRpcEnabled();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgSessionId();
#[unsupported(external)] #[untyped] #[data] fn cudbgUseExternalDebugger();

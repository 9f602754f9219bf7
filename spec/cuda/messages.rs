//! The messages between client and worker, for the hand-written functions.

/// Messages of the hand-written functions. `#[post]` and `#[call]` go from client to worker,
/// `#[push]` from worker to client. With `#[payload]`, the rest of the frame is bulk data, which
/// the receiver reads directly to its destination. `Address` and `Graph` are u64. `Address` is
/// device memory that the worker's driver may inspect when the driver gets the address. `Graph` is
/// a graph, an executable graph or a node, whose description contains such addresses. On a node
/// that moves memory, that memory is resident while the worker executes commands with these fields.
mod messages {
    // -- contexts --
    #[post(op = 1)] #[does(nothing)]
    struct ContextCreate { context: u64, device: i32, flags: u32, primary: bool }
    #[post(op = 2)] #[does(drains)] struct ContextDestroy { context: u64 }
    /// is_implicit: the client waits although the program did not ask for it. Then the answer is
    /// CUDA_ERROR_NOT_READY while a stream captures, and a capture that begins meanwhile remains
    /// valid.
    #[call(op = 3)] #[does(waits)] struct ContextSynchronize { is_implicit: bool }
    #[call(op = 4)] #[does(nothing)] struct ContextGetLimit { limit: i32 }
    #[reply] struct ContextGetLimitReply { value: u64 }
    #[post(op = 5)] #[does(drains)] struct ContextSetLimit { limit: i32, value: u64 }

    /// ContextRecordEvent records an event after all work that the context has received.
    /// ContextWaitEvent makes all later work of the context wait for an event.
    #[post(op = 401)] #[does(nothing)] struct ContextRecordEvent { context: u64, event: u64 }
    #[post(op = 402)] #[does(nothing)] struct ContextWaitEvent { context: u64, event: u64 }

    // -- parts of a device: the worker keeps the driver's descriptions and assigns numbers to them
    // --
    #[part]
    struct Resource {
        number: u32, kind: i32, sm_count: u32, sm_partition_min: u32, sm_alignment: u32,
    }
    /// Returns the resources of the device or, if context is not 0, of that context.
    #[call(op = 403)] #[does(nothing)] struct ResourceGet { device: i32, context: u64, kind: i32 }
    #[reply] struct ResourceGetReply { found: List<Resource> }
    /// groups: number of requested groups. only_count: the worker creates nothing, and the answer
    /// has the number of groups that it would create.
    #[call(op = 404)] #[does(nothing)]
    struct ResourceSplit {
        resource: u32, groups: u32, only_count: bool, remaining: bool, flags: u32,
        sm_count_min: u32,
    }
    #[reply]
    struct ResourceSplitReply { groups: u32, found: List<Resource>, remaining: List<Resource> }
    #[call(op = 405)] #[does(nothing)] struct ResourceDescribe { resources: List<u32> }
    #[reply] struct ResourceDescribeReply { number: u32 }
    /// Creates a context for a part of its device. ContextDestroy destroys it.
    #[call(op = 406)] #[does(drains)]
    struct GreenContextCreate { context: u64, device: i32, description: u32, flags: u32 }

    // -- memory --
    /// Backs the range [address, address + bytes) of the device's arena with memory. bytes is a
    /// multiple of the device's granularity.
    #[post(op = 10)] #[does(takes_long)] struct MemoryMap { device: i32, address: u64, bytes: u64 }
    #[post(op = 11)] #[does(nothing)] struct MemoryUnmap { device: i32, address: u64, bytes: u64 }
    /// Reserves addresses below 4 GiB, for contexts of programs with 32-bit addresses. A repeated
    /// call returns equal values.
    #[call(op = 500)] #[does(nothing)] struct LowReserve { device: i32 }
    #[reply] struct LowReserveReply { base: u64, bytes: u64 }
    /// Asks for more device memory than the session's grant has.
    #[call(op = 12)] #[does(nothing)] struct GrantGrow { device: i32, bytes: u64 }
    #[reply] struct GrantGrowReply { more_bytes: u64 }

    /// Returns start and size of the device memory that contains an address outside the arenas, for
    /// instance of a module's variable. Fails if there is none.
    #[call(op = 18)] #[does(nothing)] struct MemoryRange { at: u64 }
    #[reply] struct MemoryRangeReply { start: u64, bytes: u64 }

    /// Returns how much memory of the current context's device the session can still get, and the
    /// memory's size.
    #[call(op = 109)] #[does(nothing)] struct MemGetInfo {}
    #[reply] struct MemGetInfoReply { free: u64, total: u64 }

    // -- virtual memory: the client maps memory that it created to addresses that it reserved --
    #[post(op = 13)] #[does(makes_fixed)]
    struct PhysicalCreate { memory: u64, device: i32, bytes: u64 }
    #[post(op = 14)] #[does(nothing)] struct PhysicalRelease { memory: u64 }
    #[post(op = 15)] #[does(nothing)]
    struct VirtualMap { memory: u64, address: u64, bytes: u64, offset: u64 }
    #[post(op = 16)] #[does(nothing)] struct VirtualUnmap { address: u64, bytes: u64 }
    #[post(op = 17)] #[does(nothing)]
    struct VirtualSetAccess { address: u64, bytes: u64, device: i32, flags: i32 }

    // -- memory that sessions of one node share --
    /// Shares memory that the program created or, if memory is 0, the memory at an address.
    #[call(op = 284)] #[does(nothing)] struct MemoryShare { memory: u64, address: u64 }
    /// Any process with the key finds the memory through the descriptor socket. bytes: the size of
    /// the whole memory. offset: the address's offset in it.
    #[reply] struct MemoryShareReply { socket: u64, key: [u8; 16], bytes: u64, offset: u64 }
    /// Makes memory that another session of the node shares available for mapping.
    #[call(op = 285)] #[does(nothing)]
    struct MemoryAdopt { memory: u64, socket: u64, key: [u8; 16] }
    #[reply] struct MemoryAdoptReply { device: i32, bytes: u64 }
    /// Finds a segment of shared memory by its key, or creates one on the context's device. The
    /// values of flags and rights are those of outhaul.h.
    #[call(op = 340)] #[does(makes_fixed)] struct ShmGet { key: i32, bytes: u64, flags: u32 }
    #[reply] struct ShmGetReply { id: i32 }
    /// Makes a segment available for mapping, with this access at most. The segment remains
    /// attached until neither a handle nor a mapping is left.
    #[call(op = 341)] #[does(nothing)] struct ShmAttach { id: i32, memory: u64, flags: i32 }
    #[reply] struct ShmAttachReply { device: i32, bytes: u64 }
    #[call(op = 342)] #[does(nothing)] struct ShmStat { id: i32 }
    #[reply] struct ShmStatReply { key: i32, rights: u32, bytes: u64, attached: u32, removed: bool }
    #[call(op = 343)] #[does(nothing)] struct ShmSetRights { id: i32, rights: u32 }
    #[call(op = 344)] #[does(nothing)] struct ShmRemove { id: i32 }
    /// Shares an event: any process with the key may record the event and wait for it.
    #[call(op = 286)] #[does(nothing)] struct EventShare { event: u64 }
    #[reply] struct EventShareReply { socket: u64, key: [u8; 16] }
    #[call(op = 287)] #[does(nothing)] struct EventAdopt { event: u64, socket: u64, key: [u8; 16] }

    // -- several devices of one node --
    /// Allows the context to reach the memory of another device's context, or withdraws that
    /// access.
    #[call(op = 280)] #[does(nothing)] struct PeerAccess { peer: u64, enable: bool }
    /// Lets the device `accessor` reach all present and future memory in the arena of the device
    /// `owner`.
    #[post(op = 281)] #[does(nothing)] struct PeerOpen { accessor: i32, owner: i32 }
    /// Copies rows from one device's memory to another's. serialised: the copy runs after all
    /// earlier work of both contexts, and before their later work.
    #[post(op = 282)]
    #[does(compute, bytes = width_bytes * rows, contexts = (to_context, from_context))]
    struct CopyBetweenDevices {
        to: Address, to_pitch_bytes: u64, to_context: u64, from: Address, from_pitch_bytes: u64,
        from_context: u64,
        width_bytes: u64, rows: u64, stream: u64, serialised: bool
    }
    /// attribute: 0 asks whether the source can reach the target at all; other values are those of
    /// CUdevice_P2PAttribute.
    #[call(op = 283)] #[does(nothing)]
    struct PeerAttribute { attribute: i32, source: i32, target: i32 }
    #[reply] struct PeerAttributeReply { value: i32 }
    /// Returns the capabilities of each atomic operation from one device on another's memory.
    #[call(op = 407)] #[does(nothing)]
    struct PeerAtomics { source: i32, target: i32, operations: List<i32> }
    #[reply] struct PeerAtomicsReply { capabilities: List<u32> }

    // -- several nodes --
    /// The worker answers after the work that the event's last record covers.
    #[call(op = 300)] #[does(waits)] struct EventMark { event: u64 }
    /// Stops the stream at this point until the gate opens.
    #[post(op = 301)] #[does(queued, stalls)] struct GateWait { gate: u64, stream: u64 }
    /// Makes work that other streams receive later wait for the present work of this stream.
    #[post(op = 400)] #[does(nothing)] struct StreamGoesFirst { stream: u64 }
    /// GateOpen and the messages after it travel on the callback lane, so that no work that
    /// waits for a gate delays them.
    #[post(op = 302)] #[does(nothing)] #[lane(callbacks)] struct GateOpen { gate: u64 }
    /// Opens a link to the worker of another session. With an address, the worker connects to that
    /// node's listener and names the session. Without one, the worker waits for the connection.
    #[post(op = 303)] #[does(nothing)] #[lane(callbacks)]
    struct LinkOpen { link: u64, key: [u8; 16], address: Str, session: [u8; 16] }
    #[push(op = 304)] struct LinkOpened { link: u64, status: i32 }
    /// LinkSend sends rows from memory of its context's device over the link; LinkReceive receives
    /// rows. Both workers get their copies in one order.
    #[post(op = 305)] #[does(nothing)] #[lane(callbacks)]
    struct LinkSend {
        link: u64, copy: u64, context: u64, address: Address, pitch_bytes: u64, width_bytes: u64,
        rows: u64,
    }
    #[post(op = 306)] #[does(nothing)] #[lane(callbacks)]
    struct LinkReceive {
        link: u64, copy: u64, context: u64, address: Address, pitch_bytes: u64, width_bytes: u64,
        rows: u64,
    }
    /// On a link: the next bytes of a copy's packed rows. A status other than 0 ends the copy.
    #[post(op = 307)] #[does(nothing)] #[lane(link)] #[payload]
    struct LinkPiece { copy: u64, status: i32 }
    /// The received rows are on the device or, with a status other than 0, will not arrive.
    #[push(op = 308)] struct LinkDone { copy: u64, status: i32 }

    // -- copies: boxes of rows; a flat copy has rows = 1 --
    #[post(op = 20)] #[does(to_device, bytes = width_bytes * rows)] #[payload]
    struct CopyToDevice {
        address: Address, pitch_bytes: u64, width_bytes: u64, rows: u64, stream: u64,
    }
    #[post(op = 21)] #[does(to_host, bytes = width_bytes * rows)]
    struct CopyToHost {
        address: Address, pitch_bytes: u64, width_bytes: u64, rows: u64, stream: u64, transfer: u64,
        offset: u64,
    }
    #[post(op = 22)] #[does(compute, bytes = width_bytes * rows, captured)]
    struct CopyOnDevice {
        to: Address, to_pitch_bytes: u64, from: Address, from_pitch_bytes: u64, width_bytes: u64,
        rows: u64, stream: u64,
    }
    /// Bytes [offset, offset + payload) of a transfer's packed rows. A status other than 0 ends the
    /// transfer.
    #[push(op = 23)] #[payload] struct Data { transfer: u64, offset: u64, status: i32 }
    /// The worker has sent, on every lane, all data that the device passed before this transfer's
    /// bytes up to now. Only then may the client report those bytes to the program.
    #[push(op = 345)] struct Arrived { transfer: u64 }

    // -- large copies: piece i travels on bulk lane i modulo `lanes`, the number of bulk lanes that
    // the copy uses. Each lane carries its pieces in the order of the commands --
    /// copy: a number that the client assigns.
    #[post(op = 194)] #[does(to_device, bytes = bytes)]
    struct CopyToDeviceByLanes {
        address: Address, bytes: u64, piece_bytes: u64, lanes: u16, stream: u64, copy: u64,
    }
    /// On a bulk lane: bytes of the copy with this number.
    #[post(op = 195)] #[does(nothing)] #[lane(bulk)] #[payload]
    struct Piece { copy: u64, offset: u64 }
    /// Replaces Piece with a packed payload. bytes: the payload's length after unpacking.
    #[post(op = 501)] #[does(nothing)] #[lane(bulk)] #[payload]
    struct PackedPiece { copy: u64, offset: u64, bytes: u32 }
    /// The worker sends the pieces as Data on the bulk lanes, or as PackedData if may_pack is true.
    #[post(op = 196)] #[does(to_host, bytes = bytes)]
    struct CopyToHostByLanes {
        address: Address, bytes: u64, piece_bytes: u64, lanes: u16, may_pack: bool, stream: u64,
        transfer: u64, offset: u64,
    }
    #[push(op = 502)] #[payload] struct PackedData { transfer: u64, offset: u64, bytes: u32 }
    /// Later messages on this lane count as later than the first `frames` frames of the bulk lane
    /// `lane`.
    #[push(op = 197)] struct LaneReached { lane: u16, frames: u64 }

    // -- pinned host memory that client and worker both map, so that the GPU itself can copy from
    // and to it --
    /// The memory socket has the memory under this number. If the worker refuses, the client uses
    /// its own memory, whose bytes travel. address: the memory's address in the client. in_place:
    /// the worker has the memory at that address, too, so that the device can use the client's
    /// pointers.
    #[call(op = 190)] #[does(nothing)]
    struct HostSegmentOpen { segment: u64, bytes: u64, address: u64 }
    #[reply] struct HostSegmentOpenReply { in_place: bool }
    #[post(op = 191)] #[does(nothing)] struct HostSegmentClose { segment: u64 }
    /// Copies rows at a segment's offset to rows on the device.
    #[post(op = 192)] #[does(to_device, bytes = width_bytes * rows)]
    struct CopyFromSegment {
        segment: u64, offset: u64, host_pitch_bytes: u64, address: Address, pitch_bytes: u64,
        width_bytes: u64, rows: u64, stream: u64,
    }
    #[post(op = 193)] #[does(to_host, bytes = width_bytes * rows)]
    struct CopyToSegment {
        segment: u64, offset: u64, host_pitch_bytes: u64, address: Address, pitch_bytes: u64,
        width_bytes: u64, rows: u64, stream: u64,
    }

    // -- code --
    /// Bytes of an image. Later messages name the image by its hash.
    #[post(op = 30)] #[does(nothing)] #[payload]
    struct CodePut { hash: [u8; 32], total_bytes: u64, offset: u64 }
    /// If the reply says `missing`, the worker lacks the image; the client sends the image and asks
    /// again.
    #[call(op = 31)] #[does(takes_long, drains)]
    struct ModuleLoad { module: u64, hash: [u8; 32], options: List<JitOption>, library: bool }
    /// kernels: all kernels, if a context is current and their number is small.
    #[reply]
    struct ModuleLoadReply {
        missing: bool, kernels: List<DescribedKernel>, info_log: Bytes, error_log: Bytes,
    }
    #[part] struct DescribedKernel { name: Str, attributes: List<i32>, params: List<ParamLayout> }
    #[part] struct JitOption { option: i32, value: u64 }
    #[post(op = 32)] #[does(drains)] struct ModuleUnload { module: u64, library: bool }
    #[post(op = 33)] #[does(drains)] struct LibraryGetModule { library: u64, module: u64 }
    /// Gets a module's function (CUmodule -> CUfunction) or a library's kernel (CUlibrary ->
    /// CUkernel), by the kind of the handle.
    #[call(op = 34)] #[does(nothing)] struct GetFunction { module: u64, function: u64, name: Str }
    /// The worker knows attributes and parameters once a context is current. Before that, the
    /// answer only confirms that the function exists.
    #[reply]
    struct GetFunctionReply { described: bool, attributes: List<i32>, params: List<ParamLayout> }
    /// Assigns a handle to a kernel that ModuleLoadReply described.
    #[post(op = 320)] #[does(nothing)] struct NameFunction { module: u64, function: u64, name: Str }
    #[part] struct ParamLayout { offset_bytes: u32, size_bytes: u32 }
    #[post(op = 35)] #[does(drains)] struct KernelGetFunction { kernel: u64, function: u64 }
    #[call(op = 36)] #[does(nothing)] struct GetGlobal { module: u64, name: Str }
    #[reply] struct GetGlobalReply { address: u64, bytes: u64 }
    #[call(op = 37)] #[does(nothing)] struct ListFunctions { module: u64 }
    #[reply] struct ListFunctionsReply { names: List<Name> }
    #[part] struct Name { name: Str }
    #[post(op = 38)] #[does(nothing)]
    struct FunctionSetAttribute { function: u64, attribute: i32, value: i32, device: i32 }
    #[post(op = 39)] #[does(nothing)]
    struct FunctionSetCacheConfig { function: u64, config: i32, device: i32 }
    #[call(op = 41)] #[does(nothing)] struct DescribeFunction { function: u64, device: i32 }
    #[reply] struct DescribeFunctionReply { attributes: List<i32>, params: List<ParamLayout> }
    #[call(op = 40)] #[does(takes_long)]
    struct Link { inputs: List<LinkInput>, options: List<JitOption> }
    #[part] struct LinkInput { kind: i32, hash: [u8; 32], name: Str }
    #[reply] struct LinkReply { missing: bool, image: Bytes, info_log: Bytes, error_log: Bytes }

    // -- launches --
    /// attributes: CUlaunchAttribute records of 72 bytes. params: the packed parameter buffer.
    #[post(op = 50)] #[does(compute, launches, like = (function, grid, block), captured)]
    struct LaunchKernel {
        function: u64, grid: [u32; 3], block: [u32; 3], shared_bytes: u32, stream: u64,
        cooperative: bool, attributes: Bytes, params: Bytes,
    }
    #[call(op = 51)] #[does(nothing)]
    struct OccupancyClusters {
        function: u64, grid: [u32; 3], block: [u32; 3], shared_bytes: u32, attributes: Bytes,
        active: bool,
    }
    #[reply] struct OccupancyClustersReply { value: i32 }
    #[post(op = 52)] #[does(queued, stalls, calls_back, captured)]
    struct HostCallback { callback: u64, stream: u64 }
    #[push(op = 53)] struct RunCallback { callback: u64, status: i32 }
    #[post(op = 54)] #[does(nothing)] #[lane(callbacks)] struct CallbackDone { callback: u64 }

    // -- streams and events --
    #[post(op = 60)] #[does(drains)] struct StreamCreate { stream: u64, flags: u32, priority: i32 }
    #[post(op = 61)] #[does(nothing)] struct StreamDestroy { stream: u64 }
    #[call(op = 62)] #[does(waits)] struct StreamSynchronize { stream: u64 }
    #[call(op = 63)] #[does(nothing)] struct StreamQuery { stream: u64 }
    #[post(op = 64)] #[does(nothing)] struct EventCreate { event: u64, flags: u32 }
    #[post(op = 65)] #[does(nothing)] struct EventDestroy { event: u64 }
    #[post(op = 66)] #[does(queued, captured)]
    struct EventRecord { event: u64, stream: u64, flags: u32 }
    #[post(op = 122)] #[does(queued, stalls, joins)]
    struct StreamWaitEvent { stream: u64, event: u64, flags: u32 }
    #[call(op = 67)] #[does(waits)] struct EventSynchronize { event: u64 }
    #[call(op = 68)] #[does(nothing)] struct EventQuery { event: u64 }
    /// Waits like EventSynchronize, and returns the times from the events in starts to this one. A
    /// time that the driver does not know is NaN.
    #[call(op = 450)] #[does(waits)] struct EventSynchronizeTimed { event: u64, starts: List<u64> }
    #[reply] struct EventSynchronizeTimedReply { milliseconds: List<f32> }
    #[call(op = 451)] #[does(nothing)] struct EventElapsed { start: u64, end: u64 }
    #[reply] struct EventElapsedReply { milliseconds: f32 }

    // -- arrays --
    /// levels: 0 for an array, otherwise the number of a mipmapped array's levels.
    #[call(op = 210)] #[does(makes_fixed)]
    struct ArrayCreate {
        array: u64, width: u64, height: u64, depth: u64, format: i32, channels: u32, flags: u32,
        levels: u32,
    }
    /// Destroys an array. A mipmapped array's levels are destroyed with it.
    #[post(op = 211)] #[does(takes_long, drains)] struct ArrayDestroy { array: u64 }
    #[post(op = 212)] #[does(nothing)]
    struct MipmappedArrayGetLevel { mipmapped_array: u64, level: u32, array: u64 }
    /// Packed rows of one slice or layer. at: byte, row and slice where the rows begin.
    #[post(op = 220)] #[does(to_device, bytes = width_bytes * rows)] #[payload]
    struct CopyToArray { array: u64, at: [u64; 3], width_bytes: u64, rows: u64, stream: u64 }
    #[post(op = 221)] #[does(to_host, bytes = width_bytes * rows)]
    struct CopyFromArray {
        array: u64, at: [u64; 3], width_bytes: u64, rows: u64, stream: u64, transfer: u64,
    }
    /// Copies between two places on the device. A side is an array from `at` on or, if its array is
    /// 0, memory.
    #[post(op = 222)] #[does(compute, bytes = width_bytes * rows * slices)] struct CopyArray {
        to_array: u64, to_at: [u64; 3], to_address: Address, to_pitch_bytes: u64, to_rows: u64,
        from_array: u64, from_at: [u64; 3], from_address: Address, from_pitch_bytes: u64,
        from_rows: u64,
        width_bytes: u64, rows: u64, slices: u64, stream: u64
    }

    // -- textures and surfaces: their numbers are those of the worker's driver --
    /// width: for linear memory, its size in bytes. view: empty if the texture has no resource
    /// view.
    #[call(op = 230)] #[does(nothing)] struct TextureCreate {
        kind: i32, array: u64, address: Address, format: i32, channels: u32, width: u64,
        height: u64, pitch_bytes: u64, texture: Bytes, view: Bytes
    }
    #[reply] struct TextureCreateReply { texture: u64 }
    #[post(op = 231)] #[does(nothing)] struct TextureDestroy { texture: u64 }
    #[call(op = 232)] #[does(nothing)] struct SurfaceCreate { array: u64 }
    #[reply] struct SurfaceCreateReply { surface: u64 }
    #[post(op = 233)] #[does(nothing)] struct SurfaceDestroy { surface: u64 }

    // -- texture and surface references: variables of modules, or references that the program
    // created; the driver keeps their settings --
    /// surface: whether the reference is a surface reference.
    #[call(op = 440)] #[does(nothing)]
    struct ReferenceFind { module: u64, name: Str, surface: bool, reference: u64 }
    #[call(op = 441)] #[does(nothing)] struct TextureReferenceCreate { reference: u64 }
    #[post(op = 442)] #[does(nothing)] struct TextureReferenceDestroy { reference: u64 }
    /// Returns the array of a reference. which: 0 for an array, 1 for a mipmapped array, 2 for a
    /// surface's array.
    #[call(op = 443)] #[does(nothing)] struct ReferenceArray { reference: u64, which: u8 }
    #[reply] struct ReferenceArrayReply { array: u64 }

    // -- regions: memory that program and device reach at one address, made consistent at the
    // points where CUDA guarantees consistency --
    /// kind 0: device memory, which the worker clears. kind 1: host memory of the worker that the
    /// device reaches; each side sends the other its changed words. kind 2: memory that the driver
    /// placed. by_touch: the client gets the device's changes when the program touches the memory,
    /// if the client can fetch them on the callback lane.
    #[call(op = 250)] #[does(drains)]
    struct ManagedOpen { address: Address, bytes: u64, kind: u8, transfer: u64, by_touch: bool }
    /// beside: ReplicaWrite, ManagedChanges and ManagedFetch for this memory travel on the callback
    /// lane
    ///  and wait for no command.
    #[reply] struct ManagedOpenReply { beside: bool }
    #[post(op = 251)] #[does(drains)] struct ManagedClose { address: u64 }
    #[post(op = 252)] #[does(takes_long)] #[payload] struct ManagedWrite { address: Address }
    /// Asks for the device's changes since the last question, in managed memory that begins at
    /// these addresses. Changes that the client does not get by touch arrive before the answer.
    #[call(op = 366)] #[does(takes_long)]
    struct ManagedChanges { first: Address, others: List<u64> }
    /// The lists contain pairs of address and length. brought: changes whose bytes are in `bytes`,
    /// one after another. wanted: changes that the client should fetch at once. unknown: starts of
    /// memory for which the device could not record all changes.
    #[reply]
    struct ManagedChangesReply {
        changed: List<u64>, brought: List<u64>, wanted: List<u64>, unknown: List<u64>, bytes: Bytes,
    }
    /// Waits for a stream or for the whole context, and then answers with the device's changes in
    /// managed memory with by_touch. Addresses at which no such memory begins any more are ignored.
    /// is_implicit: as in ContextSynchronize.
    #[call(op = 368, like = ManagedChanges)] #[does(waits)]
    struct WaitForChanges { stream: u64, whole: bool, is_implicit: bool, looks: List<u64> }
    /// On the callback lane: asks for the present bytes of managed memory with by_touch.
    /// is_touched: the program waits for them.
    #[call(op = 367)] #[does(nothing)] #[lane(callbacks)]
    struct ManagedFetch { address: u64, bytes: u64, is_touched: bool }
    #[reply] struct ManagedFetchReply { bytes: Bytes }
    /// Words that the device has changed at this address.
    #[push(op = 323)] #[payload] struct ReplicaUpdate { address: u64 }
    /// On the callback lane: words that the program has changed at this address. number: the
    /// message's number for ReplicaAwait.
    #[post(op = 360)] #[does(nothing)] #[lane(callbacks)] #[payload]
    struct ReplicaWrite { number: u64, address: u64 }
    /// Later commands wait for the ReplicaWrite with this number.
    #[post(op = 361)] #[does(waits)] struct ReplicaAwait { number: u64 }
    /// On the callback lane: asks for the device's changes up to now. ReplicaCurrent follows
    /// them.
    #[post(op = 362)] #[does(nothing)] #[lane(callbacks)] struct ReplicaQuery { number: u64 }
    #[push(op = 363)] struct ReplicaCurrent { number: u64 }
    /// On the callback lane: all kernels up to this frame of the command lane have
    /// finished. So the worker need not look for their changes.
    #[post(op = 364)] #[does(nothing)] #[lane(callbacks)] struct ReplicaIdle { sequence: u64 }
    /// On the callback lane: is_present says whether the program may touch this pinned memory.
    /// If false, the worker need not look for the device's changes in the memory. If true, the
    /// answer follows those changes.
    #[call(op = 369)] #[does(nothing)] #[lane(callbacks)]
    struct ReplicaPresence { address: u64, bytes: u64, is_present: bool }
    #[call(op = 254)] #[does(nothing)] struct GetManaged { library: u64, name: Str }
    #[reply] struct GetManagedReply { address: u64, bytes: u64 }

    // -- tensor maps --
    #[call(op = 203)] #[does(nothing)]
    struct TensorMapReplaceAddress { map: [u64; 16], address: Address }
    #[reply] struct TensorMapReplaceAddressReply { map: [u64; 16] }

    /// The worker answers after it has executed all earlier messages and has reported the errors of
    /// posts.
    #[call(op = 129)] #[does(waits)] struct Barrier {}

    // -- graphs: streams that capture, graphs, and their nodes --
    /// edges: CUgraphEdgeData records of 8 bytes for the nodes, or nothing. into: the graph exists,
    /// and the capture adds nodes to it.
    #[call(op = 130)] #[does(nothing)]
    struct CaptureBegin {
        stream: u64, graph: u64, into: bool, dependencies: List<u64>, edges: Bytes,
    }
    #[call(op = 131)] #[does(nothing)] struct CaptureEnd { stream: u64 }
    #[call(op = 132)] #[does(nothing)] struct CaptureInfo { stream: u64 }
    #[reply]
    struct CaptureInfoReply {
        status: i32, id: u64, graph: u64, dependencies: List<u64>, edges: Bytes,
    }
    #[call(op = 133)] #[does(nothing)]
    struct CaptureDepend { stream: u64, dependencies: List<u64>, edges: Bytes, flags: u32 }
    #[post(op = 134)] #[does(nothing)] struct GraphCreate { graph: Graph, flags: u32 }
    #[call(op = 135)] #[does(nothing)] struct GraphClone { graph: Graph, original: Graph }
    #[post(op = 136)] #[does(drains)] struct GraphDestroy { graph: Graph }
    #[call(op = 137)] #[does(takes_long, drains)]
    struct GraphInstantiate { exec: Graph, graph: Graph, flags: u64 }
    #[reply] struct GraphInstantiateReply { result: i32, error_node: u64 }
    #[call(op = 138)] #[does(drains)] struct GraphExecUpdate { exec: Graph, graph: Graph }
    #[reply] struct GraphExecUpdateReply { result: i32, error_node: u64, error_from: u64 }
    #[post(op = 139)] #[does(drains)] struct GraphExecDestroy { exec: Graph }
    /// of: a graph or a node. which: 0 nodes, 1 root nodes, 2 edges, 3 the nodes that a node
    /// depends on, 4 the nodes that depend on it.
    #[call(op = 140)] #[does(nothing)] struct GraphList { of: Graph, which: u8 }
    #[reply] struct GraphListReply { from: List<u64>, to: List<u64>, edges: Bytes }
    #[call(op = 141)] #[does(nothing)]
    struct GraphDepend { graph: Graph, from: List<u64>, to: List<u64>, edges: Bytes, remove: bool }
    /// kind: a CUgraphNodeType. object: the node's function, event or graph. numbers: other
    /// parameters, which depend on the kind.
    #[call(op = 142)] #[does(drains)]
    struct GraphAddNode {
        graph: Graph, dependencies: List<u64>, edges: Bytes, kind: i32, object: u64,
        numbers: List<u64>, params: Bytes,
    }
    #[reply] struct GraphAddNodeReply { node: u64 }
    /// Returns the driver's number for a condition, which kernels set. In GraphAddNode this number
    /// is the object of a conditional node. The numbers there are the node's kind, then the handles
    /// of the inner graphs, which the client assigns.
    #[call(op = 322)] #[does(nothing)]
    struct GraphCondition { graph: Graph, default_value: u32, flags: u32 }
    #[reply] struct GraphConditionReply { number: u64 }
    /// exec: the executable graph whose node changes, or 0 to change the graph's own node.
    #[post(op = 143)] #[does(drains)]
    struct GraphSetNode {
        exec: Graph, node: Graph, kind: i32, object: u64, numbers: List<u64>, params: Bytes,
    }
    #[post(op = 144)] #[does(nothing)] struct GraphDestroyNode { node: Graph }
    /// Returns a node's parameters: object and numbers as in GraphAddNode. For a copy from or to
    /// the program's memory, object is its callback, and the numbers are to_host, address,
    /// pitch_bytes, width_bytes, rows. For a batch of operations, object is its graph, and the
    /// numbers are the operations' words.
    #[call(op = 288)] #[does(nothing)] struct GraphNodeParams { node: Graph }
    #[reply] struct GraphNodeParamsReply { kind: i32, object: u64, numbers: List<u64> }
    #[post(op = 289)] #[does(nothing)]
    struct GraphSetNodeAttribute { node: Graph, attribute: i32, value: Bytes }
    #[call(op = 290)] #[does(nothing)] struct GraphNodeAttribute { node: Graph, attribute: i32 }
    #[reply] struct GraphNodeAttributeReply { value: Bytes }
    #[call(op = 291)] #[does(nothing)] struct GraphFindInClone { node: Graph, graph: Graph }
    #[reply] struct GraphFindInCloneReply { node: u64 }
    /// Adds a copy between the device and the program's memory. At each launch, a callback of the
    /// client reads or writes the bytes in the program's memory.
    #[call(op = 165)] #[does(drains)]
    struct GraphAddCopy {
        graph: Graph, dependencies: List<u64>, edges: Bytes, callback: u64, to_host: bool,
        transfer: u64, address: Address, pitch_bytes: u64, width_bytes: u64, rows: u64,
    }
    #[reply] struct GraphAddCopyReply { node: u64 }
    /// Replaces the parameters of a GraphAddCopy copy in an executable graph.
    #[call(op = 365)] #[does(drains)]
    struct GraphSetCopy {
        exec: Graph, node: Graph, callback: u64, to_host: bool, transfer: u64, address: Address,
        pitch_bytes: u64, width_bytes: u64, rows: u64,
    }
    /// Returns the graph inside a child node, under the client's handle or an earlier one, and the
    /// graph that contains the node.
    #[call(op = 408)] #[does(nothing)] struct GraphChild { node: Graph, graph: u64 }
    #[reply] struct GraphChildReply { graph: u64, around: u64 }
    #[call(op = 151)] #[does(nothing)] struct GraphNodeType { node: Graph }
    #[reply] struct GraphNodeTypeReply { kind: i32 }
    /// Adds a copy between the device and the program's memory to a stream that captures.
    #[post(op = 145)] #[does(captured)]
    struct CaptureCopy {
        stream: u64, callback: u64, to_host: bool, transfer: u64, address: Address,
        pitch_bytes: u64, width_bytes: u64, rows: u64,
    }
    /// On the callback lane: the bytes that a captured copy reads at this launch.
    #[post(op = 146)] #[does(nothing)] #[lane(callbacks)] #[payload]
    struct CaptureBytes { callback: u64, offset: u64 }
    #[post(op = 147)] #[does(nothing)]
    struct UserObjectCreate { object: u64, callback: u64, references: u32, flags: u32 }
    /// The device will not call this callback any more.
    #[push(op = 148)] struct ForgetCallback { callback: u64 }
    /// calls_back: the graph has host functions, or copies from or to the program's memory.
    #[post(op = 164)] #[does(compute, launches, like = (exec,), calls_back = calls_back, joins)]
    struct GraphLaunch { exec: Graph, stream: u64, calls_back: bool }
    #[call(op = 149)] #[does(nothing)] struct GraphKernelNode { node: Graph }
    #[reply]
    struct GraphKernelNodeReply {
        graph: u64, function: u64, grid: [u32; 3], block: [u32; 3], shared_bytes: u32,
        params: Bytes,
    }

    // -- NVML: answers from the node's own library, and properties that only the worker knows --
    /// function: the function's number in spec/nvml.rs. input: ordinals and numbers of 4 bytes, in
    /// the order of the function's parameters. The answer is NOT_SUPPORTED if the node has no NVML,
    /// or if its NVML does not know the device.
    #[call(op = 90)] #[does(nothing)] struct NvmlAsk { function: u32, input: Bytes }
    /// status: NVML's status. output: numbers and structs unchanged, and texts after their length.
    #[reply] struct NvmlAskReply { status: i32, output: Bytes }
    /// Returns the version of the node's NVIDIA driver or, if the node has no such driver, of the
    /// node.
    #[call(op = 91)] #[does(nothing)] struct NvmlDriverVersion {}
    #[reply] struct NvmlDriverVersionReply { text: Str }
    /// Returns the device's memory for this session: its total, used and free bytes.
    #[call(op = 92)] #[does(nothing)] struct NvmlMemory { device: i32 }
    #[reply] struct NvmlMemoryReply { total_bytes: u64, used_bytes: u64, free_bytes: u64 }
    /// fields: pairs of field and scope. The reply has one record for each pair.
    #[call(op = 93)] #[does(nothing)] struct NvmlFields { device: i32, fields: List<NvmlField> }
    #[part] struct NvmlField { field: u32, scope: u32 }
    #[reply] struct NvmlFieldsReply { values: List<NvmlFieldValue> }
    #[part]
    struct NvmlFieldValue { status: i32, kind: u32, value: u64, timestamp_us: u64, latency_us: u64 }
    /// Returns the PCI identity that CUDA does not report: device and subsystem. NOT_SUPPORTED has
    /// the meaning that it has for NvmlAsk.
    #[call(op = 94)] #[does(nothing)] struct NvmlPciIds { device: i32 }
    #[reply] struct NvmlPciIdsReply { device_id: u32, subsystem_id: u32 }

    // -- messages that the worker sends without being asked, and its replies --
    /// Answers the call whose sequence number is in the frame's header. The reply's fields follow
    /// the status.
    #[push(op = 80)] #[payload] struct Reply { status: i32 }
    /// A post failed. sequence: the post's sequence number.
    #[push(op = 81)] struct Fault { sequence: u64, status: i32, what: Str }
    /// The reason why the worker ends the session. No message follows.
    #[push(op = 321)] struct Farewell { reason: Str }
    /// Text that kernels printed, for descriptor 1 or 2.
    #[push(op = 82)] struct Output { descriptor: u8, text: Bytes }
}

// Written by `cargo xtask codegen` from spec/cuda; change that.

//! Messages between client and worker, each a struct with its codec.

// The spec describes related messages together, and fields where their names do not say it.
#![allow(missing_docs)]

use crate::codec::{Call, DecodeError, Field, List, Message, Reader};
use crate::sample::{Sample, Seed};

/// The levels that this release understands, each with its sum, the newest last.
pub const LEVELS: &[(u16, u64)] = &[(1, 0xab6b47781de82fc8)];

#[derive(Clone, Debug, PartialEq)]
pub struct ContextCreate {
    pub context: u64,
    pub device: i32,
    pub flags: u32,
    pub primary: bool,
}

impl<'a> Field<'a> for ContextCreate {
    fn put(&self, out: &mut Vec<u8>) {
        self.context.put(out);
        self.device.put(out);
        self.flags.put(out);
        self.primary.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ContextCreate {
            context: Field::take(reader)?,
            device: Field::take(reader)?,
            flags: Field::take(reader)?,
            primary: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for ContextCreate {
    const OP: u16 = 1;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ContextDestroy {
    pub context: u64,
}

impl<'a> Field<'a> for ContextDestroy {
    fn put(&self, out: &mut Vec<u8>) {
        self.context.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ContextDestroy { context: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ContextDestroy {
    const OP: u16 = 2;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// is_implicit: the client waits although the program did not ask for it. Then the answer is
/// CUDA_ERROR_NOT_READY while a stream captures, and a capture that begins meanwhile remains valid.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextSynchronize {
    pub is_implicit: bool,
}

impl<'a> Field<'a> for ContextSynchronize {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_implicit.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ContextSynchronize { is_implicit: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ContextSynchronize {
    const OP: u16 = 3;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ContextSynchronize {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct ContextGetLimit {
    pub limit: i32,
}

impl<'a> Field<'a> for ContextGetLimit {
    fn put(&self, out: &mut Vec<u8>) {
        self.limit.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ContextGetLimit { limit: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ContextGetLimit {
    const OP: u16 = 4;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ContextGetLimit {
    type Reply<'r> = ContextGetLimitReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ContextGetLimitReply {
    pub value: u64,
}

impl<'a> Field<'a> for ContextGetLimitReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.value.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ContextGetLimitReply { value: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ContextSetLimit {
    pub limit: i32,
    pub value: u64,
}

impl<'a> Field<'a> for ContextSetLimit {
    fn put(&self, out: &mut Vec<u8>) {
        self.limit.put(out);
        self.value.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ContextSetLimit { limit: Field::take(reader)?, value: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ContextSetLimit {
    const OP: u16 = 5;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// ContextRecordEvent records an event after all work that the context has received.
/// ContextWaitEvent makes all later work of the context wait for an event.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextRecordEvent {
    pub context: u64,
    pub event: u64,
}

impl<'a> Field<'a> for ContextRecordEvent {
    fn put(&self, out: &mut Vec<u8>) {
        self.context.put(out);
        self.event.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ContextRecordEvent { context: Field::take(reader)?, event: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ContextRecordEvent {
    const OP: u16 = 401;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ContextWaitEvent {
    pub context: u64,
    pub event: u64,
}

impl<'a> Field<'a> for ContextWaitEvent {
    fn put(&self, out: &mut Vec<u8>) {
        self.context.put(out);
        self.event.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ContextWaitEvent { context: Field::take(reader)?, event: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ContextWaitEvent {
    const OP: u16 = 402;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    pub number: u32,
    pub kind: i32,
    pub sm_count: u32,
    pub sm_partition_min: u32,
    pub sm_alignment: u32,
}

impl<'a> Field<'a> for Resource {
    fn put(&self, out: &mut Vec<u8>) {
        self.number.put(out);
        self.kind.put(out);
        self.sm_count.put(out);
        self.sm_partition_min.put(out);
        self.sm_alignment.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Resource {
            number: Field::take(reader)?,
            kind: Field::take(reader)?,
            sm_count: Field::take(reader)?,
            sm_partition_min: Field::take(reader)?,
            sm_alignment: Field::take(reader)?,
        })
    }
}

/// Returns the resources of the device or, if context is not 0, of that context.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceGet {
    pub device: i32,
    pub context: u64,
    pub kind: i32,
}

impl<'a> Field<'a> for ResourceGet {
    fn put(&self, out: &mut Vec<u8>) {
        self.device.put(out);
        self.context.put(out);
        self.kind.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ResourceGet {
            device: Field::take(reader)?,
            context: Field::take(reader)?,
            kind: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for ResourceGet {
    const OP: u16 = 403;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ResourceGet {
    type Reply<'r> = ResourceGetReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ResourceGetReply {
    pub found: List<Resource>,
}

impl<'a> Field<'a> for ResourceGetReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.found.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ResourceGetReply { found: Field::take(reader)? })
    }
}

/// groups: number of requested groups. only_count: the worker creates nothing, and the answer has
/// the number of groups that it would create.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceSplit {
    pub resource: u32,
    pub groups: u32,
    pub only_count: bool,
    pub remaining: bool,
    pub flags: u32,
    pub sm_count_min: u32,
}

impl<'a> Field<'a> for ResourceSplit {
    fn put(&self, out: &mut Vec<u8>) {
        self.resource.put(out);
        self.groups.put(out);
        self.only_count.put(out);
        self.remaining.put(out);
        self.flags.put(out);
        self.sm_count_min.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ResourceSplit {
            resource: Field::take(reader)?,
            groups: Field::take(reader)?,
            only_count: Field::take(reader)?,
            remaining: Field::take(reader)?,
            flags: Field::take(reader)?,
            sm_count_min: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for ResourceSplit {
    const OP: u16 = 404;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ResourceSplit {
    type Reply<'r> = ResourceSplitReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ResourceSplitReply {
    pub groups: u32,
    pub found: List<Resource>,
    pub remaining: List<Resource>,
}

impl<'a> Field<'a> for ResourceSplitReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.groups.put(out);
        self.found.put(out);
        self.remaining.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ResourceSplitReply {
            groups: Field::take(reader)?,
            found: Field::take(reader)?,
            remaining: Field::take(reader)?,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ResourceDescribe {
    pub resources: List<u32>,
}

impl<'a> Field<'a> for ResourceDescribe {
    fn put(&self, out: &mut Vec<u8>) {
        self.resources.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ResourceDescribe { resources: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ResourceDescribe {
    const OP: u16 = 405;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ResourceDescribe {
    type Reply<'r> = ResourceDescribeReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ResourceDescribeReply {
    pub number: u32,
}

impl<'a> Field<'a> for ResourceDescribeReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.number.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ResourceDescribeReply { number: Field::take(reader)? })
    }
}

/// Creates a context for a part of its device. ContextDestroy destroys it.
#[derive(Clone, Debug, PartialEq)]
pub struct GreenContextCreate {
    pub context: u64,
    pub device: i32,
    pub description: u32,
    pub flags: u32,
}

impl<'a> Field<'a> for GreenContextCreate {
    fn put(&self, out: &mut Vec<u8>) {
        self.context.put(out);
        self.device.put(out);
        self.description.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GreenContextCreate {
            context: Field::take(reader)?,
            device: Field::take(reader)?,
            description: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GreenContextCreate {
    const OP: u16 = 406;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GreenContextCreate {
    type Reply<'r> = ();
}

/// Backs the range [address, address + bytes) of the device's arena with memory. bytes is a
/// multiple of the device's granularity.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryMap {
    pub device: i32,
    pub address: u64,
    pub bytes: u64,
}

impl<'a> Field<'a> for MemoryMap {
    fn put(&self, out: &mut Vec<u8>) {
        self.device.put(out);
        self.address.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemoryMap {
            device: Field::take(reader)?,
            address: Field::take(reader)?,
            bytes: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for MemoryMap {
    const OP: u16 = 10;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct MemoryUnmap {
    pub device: i32,
    pub address: u64,
    pub bytes: u64,
}

impl<'a> Field<'a> for MemoryUnmap {
    fn put(&self, out: &mut Vec<u8>) {
        self.device.put(out);
        self.address.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemoryUnmap {
            device: Field::take(reader)?,
            address: Field::take(reader)?,
            bytes: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for MemoryUnmap {
    const OP: u16 = 11;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// Reserves addresses below 4 GiB, for contexts of programs with 32-bit addresses. A repeated call
/// returns equal values.
#[derive(Clone, Debug, PartialEq)]
pub struct LowReserve {
    pub device: i32,
}

impl<'a> Field<'a> for LowReserve {
    fn put(&self, out: &mut Vec<u8>) {
        self.device.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LowReserve { device: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for LowReserve {
    const OP: u16 = 500;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for LowReserve {
    type Reply<'r> = LowReserveReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct LowReserveReply {
    pub base: u64,
    pub bytes: u64,
}

impl<'a> Field<'a> for LowReserveReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.base.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LowReserveReply { base: Field::take(reader)?, bytes: Field::take(reader)? })
    }
}

/// Asks for more device memory than the session's grant has.
#[derive(Clone, Debug, PartialEq)]
pub struct GrantGrow {
    pub device: i32,
    pub bytes: u64,
}

impl<'a> Field<'a> for GrantGrow {
    fn put(&self, out: &mut Vec<u8>) {
        self.device.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GrantGrow { device: Field::take(reader)?, bytes: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GrantGrow {
    const OP: u16 = 12;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GrantGrow {
    type Reply<'r> = GrantGrowReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GrantGrowReply {
    pub more_bytes: u64,
}

impl<'a> Field<'a> for GrantGrowReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.more_bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GrantGrowReply { more_bytes: Field::take(reader)? })
    }
}

/// Returns start and size of the device memory that contains an address outside the arenas, for
/// instance of a module's variable. Fails if there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryRange {
    pub at: u64,
}

impl<'a> Field<'a> for MemoryRange {
    fn put(&self, out: &mut Vec<u8>) {
        self.at.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemoryRange { at: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for MemoryRange {
    const OP: u16 = 18;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for MemoryRange {
    type Reply<'r> = MemoryRangeReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct MemoryRangeReply {
    pub start: u64,
    pub bytes: u64,
}

impl<'a> Field<'a> for MemoryRangeReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.start.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemoryRangeReply { start: Field::take(reader)?, bytes: Field::take(reader)? })
    }
}

/// Returns how much memory of the current context's device the session can still get, and the
/// memory's size.
#[derive(Clone, Debug, PartialEq)]
pub struct MemGetInfo {}

impl<'a> Field<'a> for MemGetInfo {
    fn put(&self, _out: &mut Vec<u8>) {}

    fn take(_reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemGetInfo {})
    }
}

impl<'a> Message<'a> for MemGetInfo {
    const OP: u16 = 109;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for MemGetInfo {
    type Reply<'r> = MemGetInfoReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct MemGetInfoReply {
    pub free: u64,
    pub total: u64,
}

impl<'a> Field<'a> for MemGetInfoReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.free.put(out);
        self.total.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemGetInfoReply { free: Field::take(reader)?, total: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct PhysicalCreate {
    pub memory: u64,
    pub device: i32,
    pub bytes: u64,
}

impl<'a> Field<'a> for PhysicalCreate {
    fn put(&self, out: &mut Vec<u8>) {
        self.memory.put(out);
        self.device.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(PhysicalCreate {
            memory: Field::take(reader)?,
            device: Field::take(reader)?,
            bytes: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for PhysicalCreate {
    const OP: u16 = 13;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct PhysicalRelease {
    pub memory: u64,
}

impl<'a> Field<'a> for PhysicalRelease {
    fn put(&self, out: &mut Vec<u8>) {
        self.memory.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(PhysicalRelease { memory: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for PhysicalRelease {
    const OP: u16 = 14;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct VirtualMap {
    pub memory: u64,
    pub address: u64,
    pub bytes: u64,
    pub offset: u64,
}

impl<'a> Field<'a> for VirtualMap {
    fn put(&self, out: &mut Vec<u8>) {
        self.memory.put(out);
        self.address.put(out);
        self.bytes.put(out);
        self.offset.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(VirtualMap {
            memory: Field::take(reader)?,
            address: Field::take(reader)?,
            bytes: Field::take(reader)?,
            offset: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for VirtualMap {
    const OP: u16 = 15;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct VirtualUnmap {
    pub address: u64,
    pub bytes: u64,
}

impl<'a> Field<'a> for VirtualUnmap {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(VirtualUnmap { address: Field::take(reader)?, bytes: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for VirtualUnmap {
    const OP: u16 = 16;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct VirtualSetAccess {
    pub address: u64,
    pub bytes: u64,
    pub device: i32,
    pub flags: i32,
}

impl<'a> Field<'a> for VirtualSetAccess {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
        self.bytes.put(out);
        self.device.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(VirtualSetAccess {
            address: Field::take(reader)?,
            bytes: Field::take(reader)?,
            device: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for VirtualSetAccess {
    const OP: u16 = 17;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// Shares memory that the program created or, if memory is 0, the memory at an address.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryShare {
    pub memory: u64,
    pub address: u64,
}

impl<'a> Field<'a> for MemoryShare {
    fn put(&self, out: &mut Vec<u8>) {
        self.memory.put(out);
        self.address.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemoryShare { memory: Field::take(reader)?, address: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for MemoryShare {
    const OP: u16 = 284;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for MemoryShare {
    type Reply<'r> = MemoryShareReply;
}

/// Any process with the key finds the memory through the descriptor socket. bytes: the size of the
/// whole memory. offset: the address's offset in it.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryShareReply {
    pub socket: u64,
    pub key: [u8; 16],
    pub bytes: u64,
    pub offset: u64,
}

impl<'a> Field<'a> for MemoryShareReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.socket.put(out);
        self.key.put(out);
        self.bytes.put(out);
        self.offset.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemoryShareReply {
            socket: Field::take(reader)?,
            key: Field::take(reader)?,
            bytes: Field::take(reader)?,
            offset: Field::take(reader)?,
        })
    }
}

/// Makes memory that another session of the node shares available for mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryAdopt {
    pub memory: u64,
    pub socket: u64,
    pub key: [u8; 16],
}

impl<'a> Field<'a> for MemoryAdopt {
    fn put(&self, out: &mut Vec<u8>) {
        self.memory.put(out);
        self.socket.put(out);
        self.key.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemoryAdopt {
            memory: Field::take(reader)?,
            socket: Field::take(reader)?,
            key: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for MemoryAdopt {
    const OP: u16 = 285;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for MemoryAdopt {
    type Reply<'r> = MemoryAdoptReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct MemoryAdoptReply {
    pub device: i32,
    pub bytes: u64,
}

impl<'a> Field<'a> for MemoryAdoptReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.device.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemoryAdoptReply { device: Field::take(reader)?, bytes: Field::take(reader)? })
    }
}

/// Finds a segment of shared memory by its key, or creates one on the context's device. The values
/// of flags and rights are those of outhaul.h.
#[derive(Clone, Debug, PartialEq)]
pub struct ShmGet {
    pub key: i32,
    pub bytes: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for ShmGet {
    fn put(&self, out: &mut Vec<u8>) {
        self.key.put(out);
        self.bytes.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ShmGet {
            key: Field::take(reader)?,
            bytes: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for ShmGet {
    const OP: u16 = 340;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ShmGet {
    type Reply<'r> = ShmGetReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShmGetReply {
    pub id: i32,
}

impl<'a> Field<'a> for ShmGetReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.id.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ShmGetReply { id: Field::take(reader)? })
    }
}

/// Makes a segment available for mapping, with this access at most. The segment remains attached
/// until neither a handle nor a mapping is left.
#[derive(Clone, Debug, PartialEq)]
pub struct ShmAttach {
    pub id: i32,
    pub memory: u64,
    pub flags: i32,
}

impl<'a> Field<'a> for ShmAttach {
    fn put(&self, out: &mut Vec<u8>) {
        self.id.put(out);
        self.memory.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ShmAttach {
            id: Field::take(reader)?,
            memory: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for ShmAttach {
    const OP: u16 = 341;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ShmAttach {
    type Reply<'r> = ShmAttachReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShmAttachReply {
    pub device: i32,
    pub bytes: u64,
}

impl<'a> Field<'a> for ShmAttachReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.device.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ShmAttachReply { device: Field::take(reader)?, bytes: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShmStat {
    pub id: i32,
}

impl<'a> Field<'a> for ShmStat {
    fn put(&self, out: &mut Vec<u8>) {
        self.id.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ShmStat { id: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ShmStat {
    const OP: u16 = 342;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ShmStat {
    type Reply<'r> = ShmStatReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShmStatReply {
    pub key: i32,
    pub rights: u32,
    pub bytes: u64,
    pub attached: u32,
    pub removed: bool,
}

impl<'a> Field<'a> for ShmStatReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.key.put(out);
        self.rights.put(out);
        self.bytes.put(out);
        self.attached.put(out);
        self.removed.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ShmStatReply {
            key: Field::take(reader)?,
            rights: Field::take(reader)?,
            bytes: Field::take(reader)?,
            attached: Field::take(reader)?,
            removed: Field::take(reader)?,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShmSetRights {
    pub id: i32,
    pub rights: u32,
}

impl<'a> Field<'a> for ShmSetRights {
    fn put(&self, out: &mut Vec<u8>) {
        self.id.put(out);
        self.rights.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ShmSetRights { id: Field::take(reader)?, rights: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ShmSetRights {
    const OP: u16 = 343;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ShmSetRights {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShmRemove {
    pub id: i32,
}

impl<'a> Field<'a> for ShmRemove {
    fn put(&self, out: &mut Vec<u8>) {
        self.id.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ShmRemove { id: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ShmRemove {
    const OP: u16 = 344;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ShmRemove {
    type Reply<'r> = ();
}

/// Shares an event: any process with the key may record the event and wait for it.
#[derive(Clone, Debug, PartialEq)]
pub struct EventShare {
    pub event: u64,
}

impl<'a> Field<'a> for EventShare {
    fn put(&self, out: &mut Vec<u8>) {
        self.event.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventShare { event: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for EventShare {
    const OP: u16 = 286;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for EventShare {
    type Reply<'r> = EventShareReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventShareReply {
    pub socket: u64,
    pub key: [u8; 16],
}

impl<'a> Field<'a> for EventShareReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.socket.put(out);
        self.key.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventShareReply { socket: Field::take(reader)?, key: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventAdopt {
    pub event: u64,
    pub socket: u64,
    pub key: [u8; 16],
}

impl<'a> Field<'a> for EventAdopt {
    fn put(&self, out: &mut Vec<u8>) {
        self.event.put(out);
        self.socket.put(out);
        self.key.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventAdopt {
            event: Field::take(reader)?,
            socket: Field::take(reader)?,
            key: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for EventAdopt {
    const OP: u16 = 287;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for EventAdopt {
    type Reply<'r> = ();
}

/// Allows the context to reach the memory of another device's context, or withdraws that access.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerAccess {
    pub peer: u64,
    pub enable: bool,
}

impl<'a> Field<'a> for PeerAccess {
    fn put(&self, out: &mut Vec<u8>) {
        self.peer.put(out);
        self.enable.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(PeerAccess { peer: Field::take(reader)?, enable: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for PeerAccess {
    const OP: u16 = 280;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for PeerAccess {
    type Reply<'r> = ();
}

/// Lets the device `accessor` reach all present and future memory in the arena of the device
/// `owner`.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerOpen {
    pub accessor: i32,
    pub owner: i32,
}

impl<'a> Field<'a> for PeerOpen {
    fn put(&self, out: &mut Vec<u8>) {
        self.accessor.put(out);
        self.owner.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(PeerOpen { accessor: Field::take(reader)?, owner: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for PeerOpen {
    const OP: u16 = 281;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// Copies rows from one device's memory to another's. serialised: the copy runs after all earlier
/// work of both contexts, and before their later work.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyBetweenDevices {
    pub to: u64,
    pub to_pitch_bytes: u64,
    pub to_context: u64,
    pub from: u64,
    pub from_pitch_bytes: u64,
    pub from_context: u64,
    pub width_bytes: u64,
    pub rows: u64,
    pub stream: u64,
    pub serialised: bool,
}

impl<'a> Field<'a> for CopyBetweenDevices {
    fn put(&self, out: &mut Vec<u8>) {
        self.to.put(out);
        self.to_pitch_bytes.put(out);
        self.to_context.put(out);
        self.from.put(out);
        self.from_pitch_bytes.put(out);
        self.from_context.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
        self.stream.put(out);
        self.serialised.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CopyBetweenDevices {
            to: Field::take(reader)?,
            to_pitch_bytes: Field::take(reader)?,
            to_context: Field::take(reader)?,
            from: Field::take(reader)?,
            from_pitch_bytes: Field::take(reader)?,
            from_context: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
            stream: Field::take(reader)?,
            serialised: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CopyBetweenDevices {
    const OP: u16 = 282;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// attribute: 0 asks whether the source can reach the target at all; other values are those of
/// CUdevice_P2PAttribute.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerAttribute {
    pub attribute: i32,
    pub source: i32,
    pub target: i32,
}

impl<'a> Field<'a> for PeerAttribute {
    fn put(&self, out: &mut Vec<u8>) {
        self.attribute.put(out);
        self.source.put(out);
        self.target.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(PeerAttribute {
            attribute: Field::take(reader)?,
            source: Field::take(reader)?,
            target: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for PeerAttribute {
    const OP: u16 = 283;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for PeerAttribute {
    type Reply<'r> = PeerAttributeReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct PeerAttributeReply {
    pub value: i32,
}

impl<'a> Field<'a> for PeerAttributeReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.value.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(PeerAttributeReply { value: Field::take(reader)? })
    }
}

/// Returns the capabilities of each atomic operation from one device on another's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerAtomics {
    pub source: i32,
    pub target: i32,
    pub operations: List<i32>,
}

impl<'a> Field<'a> for PeerAtomics {
    fn put(&self, out: &mut Vec<u8>) {
        self.source.put(out);
        self.target.put(out);
        self.operations.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(PeerAtomics {
            source: Field::take(reader)?,
            target: Field::take(reader)?,
            operations: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for PeerAtomics {
    const OP: u16 = 407;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for PeerAtomics {
    type Reply<'r> = PeerAtomicsReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct PeerAtomicsReply {
    pub capabilities: List<u32>,
}

impl<'a> Field<'a> for PeerAtomicsReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.capabilities.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(PeerAtomicsReply { capabilities: Field::take(reader)? })
    }
}

/// The worker answers after the work that the event's last record covers.
#[derive(Clone, Debug, PartialEq)]
pub struct EventMark {
    pub event: u64,
}

impl<'a> Field<'a> for EventMark {
    fn put(&self, out: &mut Vec<u8>) {
        self.event.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventMark { event: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for EventMark {
    const OP: u16 = 300;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for EventMark {
    type Reply<'r> = ();
}

/// Stops the stream at this point until the gate opens.
#[derive(Clone, Debug, PartialEq)]
pub struct GateWait {
    pub gate: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for GateWait {
    fn put(&self, out: &mut Vec<u8>) {
        self.gate.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GateWait { gate: Field::take(reader)?, stream: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GateWait {
    const OP: u16 = 301;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// Makes work that other streams receive later wait for the present work of this stream.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamGoesFirst {
    pub stream: u64,
}

impl<'a> Field<'a> for StreamGoesFirst {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamGoesFirst { stream: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for StreamGoesFirst {
    const OP: u16 = 400;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// GateOpen and the messages after it travel on the callback lane, so that no work that waits for a
/// gate delays them.
#[derive(Clone, Debug, PartialEq)]
pub struct GateOpen {
    pub gate: u64,
}

impl<'a> Field<'a> for GateOpen {
    fn put(&self, out: &mut Vec<u8>) {
        self.gate.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GateOpen { gate: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GateOpen {
    const OP: u16 = 302;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// Opens a link to the worker of another session. With an address, the worker connects to that
/// node's listener and names the session. Without one, the worker waits for the connection.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkOpen<'a> {
    pub link: u64,
    pub key: [u8; 16],
    pub address: &'a str,
    pub session: [u8; 16],
}

impl<'a> Field<'a> for LinkOpen<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.link.put(out);
        self.key.put(out);
        self.address.put(out);
        self.session.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LinkOpen {
            link: Field::take(reader)?,
            key: Field::take(reader)?,
            address: Field::take(reader)?,
            session: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for LinkOpen<'a> {
    const OP: u16 = 303;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct LinkOpened {
    pub link: u64,
    pub status: i32,
}

impl<'a> Field<'a> for LinkOpened {
    fn put(&self, out: &mut Vec<u8>) {
        self.link.put(out);
        self.status.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LinkOpened { link: Field::take(reader)?, status: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for LinkOpened {
    const OP: u16 = 304;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// LinkSend sends rows from memory of its context's device over the link; LinkReceive receives
/// rows. Both workers get their copies in one order.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSend {
    pub link: u64,
    pub copy: u64,
    pub context: u64,
    pub address: u64,
    pub pitch_bytes: u64,
    pub width_bytes: u64,
    pub rows: u64,
}

impl<'a> Field<'a> for LinkSend {
    fn put(&self, out: &mut Vec<u8>) {
        self.link.put(out);
        self.copy.put(out);
        self.context.put(out);
        self.address.put(out);
        self.pitch_bytes.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LinkSend {
            link: Field::take(reader)?,
            copy: Field::take(reader)?,
            context: Field::take(reader)?,
            address: Field::take(reader)?,
            pitch_bytes: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for LinkSend {
    const OP: u16 = 305;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct LinkReceive {
    pub link: u64,
    pub copy: u64,
    pub context: u64,
    pub address: u64,
    pub pitch_bytes: u64,
    pub width_bytes: u64,
    pub rows: u64,
}

impl<'a> Field<'a> for LinkReceive {
    fn put(&self, out: &mut Vec<u8>) {
        self.link.put(out);
        self.copy.put(out);
        self.context.put(out);
        self.address.put(out);
        self.pitch_bytes.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LinkReceive {
            link: Field::take(reader)?,
            copy: Field::take(reader)?,
            context: Field::take(reader)?,
            address: Field::take(reader)?,
            pitch_bytes: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for LinkReceive {
    const OP: u16 = 306;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// On a link: the next bytes of a copy's packed rows. A status other than 0 ends the copy.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPiece {
    pub copy: u64,
    pub status: i32,
}

impl<'a> Field<'a> for LinkPiece {
    fn put(&self, out: &mut Vec<u8>) {
        self.copy.put(out);
        self.status.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LinkPiece { copy: Field::take(reader)?, status: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for LinkPiece {
    const OP: u16 = 307;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(12);
}

/// The received rows are on the device or, with a status other than 0, will not arrive.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkDone {
    pub copy: u64,
    pub status: i32,
}

impl<'a> Field<'a> for LinkDone {
    fn put(&self, out: &mut Vec<u8>) {
        self.copy.put(out);
        self.status.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LinkDone { copy: Field::take(reader)?, status: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for LinkDone {
    const OP: u16 = 308;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct CopyToDevice {
    pub address: u64,
    pub pitch_bytes: u64,
    pub width_bytes: u64,
    pub rows: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for CopyToDevice {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
        self.pitch_bytes.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CopyToDevice {
            address: Field::take(reader)?,
            pitch_bytes: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CopyToDevice {
    const OP: u16 = 20;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(40);

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct CopyToHost {
    pub address: u64,
    pub pitch_bytes: u64,
    pub width_bytes: u64,
    pub rows: u64,
    pub stream: u64,
    pub transfer: u64,
    pub offset: u64,
}

impl<'a> Field<'a> for CopyToHost {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
        self.pitch_bytes.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
        self.stream.put(out);
        self.transfer.put(out);
        self.offset.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CopyToHost {
            address: Field::take(reader)?,
            pitch_bytes: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
            stream: Field::take(reader)?,
            transfer: Field::take(reader)?,
            offset: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CopyToHost {
    const OP: u16 = 21;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct CopyOnDevice {
    pub to: u64,
    pub to_pitch_bytes: u64,
    pub from: u64,
    pub from_pitch_bytes: u64,
    pub width_bytes: u64,
    pub rows: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for CopyOnDevice {
    fn put(&self, out: &mut Vec<u8>) {
        self.to.put(out);
        self.to_pitch_bytes.put(out);
        self.from.put(out);
        self.from_pitch_bytes.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CopyOnDevice {
            to: Field::take(reader)?,
            to_pitch_bytes: Field::take(reader)?,
            from: Field::take(reader)?,
            from_pitch_bytes: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CopyOnDevice {
    const OP: u16 = 22;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// Bytes [offset, offset + payload) of a transfer's packed rows. A status other than 0 ends the
/// transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    pub transfer: u64,
    pub offset: u64,
    pub status: i32,
}

impl<'a> Field<'a> for Data {
    fn put(&self, out: &mut Vec<u8>) {
        self.transfer.put(out);
        self.offset.put(out);
        self.status.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Data {
            transfer: Field::take(reader)?,
            offset: Field::take(reader)?,
            status: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for Data {
    const OP: u16 = 23;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(20);
}

/// The worker has sent, on every lane, all data that the device passed before this transfer's bytes
/// up to now. Only then may the client report those bytes to the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrived {
    pub transfer: u64,
}

impl<'a> Field<'a> for Arrived {
    fn put(&self, out: &mut Vec<u8>) {
        self.transfer.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Arrived { transfer: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for Arrived {
    const OP: u16 = 345;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// copy: a number that the client assigns.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyToDeviceByLanes {
    pub address: u64,
    pub bytes: u64,
    pub piece_bytes: u64,
    pub lanes: u16,
    pub stream: u64,
    pub copy: u64,
}

impl<'a> Field<'a> for CopyToDeviceByLanes {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
        self.bytes.put(out);
        self.piece_bytes.put(out);
        self.lanes.put(out);
        self.stream.put(out);
        self.copy.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CopyToDeviceByLanes {
            address: Field::take(reader)?,
            bytes: Field::take(reader)?,
            piece_bytes: Field::take(reader)?,
            lanes: Field::take(reader)?,
            stream: Field::take(reader)?,
            copy: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CopyToDeviceByLanes {
    const OP: u16 = 194;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// On a bulk lane: bytes of the copy with this number.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub copy: u64,
    pub offset: u64,
}

impl<'a> Field<'a> for Piece {
    fn put(&self, out: &mut Vec<u8>) {
        self.copy.put(out);
        self.offset.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Piece { copy: Field::take(reader)?, offset: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for Piece {
    const OP: u16 = 195;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(16);
}

/// Replaces Piece with a packed payload. bytes: the payload's length after unpacking.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedPiece {
    pub copy: u64,
    pub offset: u64,
    pub bytes: u32,
}

impl<'a> Field<'a> for PackedPiece {
    fn put(&self, out: &mut Vec<u8>) {
        self.copy.put(out);
        self.offset.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(PackedPiece {
            copy: Field::take(reader)?,
            offset: Field::take(reader)?,
            bytes: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for PackedPiece {
    const OP: u16 = 501;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(20);
}

/// The worker sends the pieces as Data on the bulk lanes, or as PackedData if may_pack is true.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyToHostByLanes {
    pub address: u64,
    pub bytes: u64,
    pub piece_bytes: u64,
    pub lanes: u16,
    pub may_pack: bool,
    pub stream: u64,
    pub transfer: u64,
    pub offset: u64,
}

impl<'a> Field<'a> for CopyToHostByLanes {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
        self.bytes.put(out);
        self.piece_bytes.put(out);
        self.lanes.put(out);
        self.may_pack.put(out);
        self.stream.put(out);
        self.transfer.put(out);
        self.offset.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CopyToHostByLanes {
            address: Field::take(reader)?,
            bytes: Field::take(reader)?,
            piece_bytes: Field::take(reader)?,
            lanes: Field::take(reader)?,
            may_pack: Field::take(reader)?,
            stream: Field::take(reader)?,
            transfer: Field::take(reader)?,
            offset: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CopyToHostByLanes {
    const OP: u16 = 196;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct PackedData {
    pub transfer: u64,
    pub offset: u64,
    pub bytes: u32,
}

impl<'a> Field<'a> for PackedData {
    fn put(&self, out: &mut Vec<u8>) {
        self.transfer.put(out);
        self.offset.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(PackedData {
            transfer: Field::take(reader)?,
            offset: Field::take(reader)?,
            bytes: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for PackedData {
    const OP: u16 = 502;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(20);
}

/// Later messages on this lane count as later than the first `frames` frames of the bulk lane
/// `lane`.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneReached {
    pub lane: u16,
    pub frames: u64,
}

impl<'a> Field<'a> for LaneReached {
    fn put(&self, out: &mut Vec<u8>) {
        self.lane.put(out);
        self.frames.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LaneReached { lane: Field::take(reader)?, frames: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for LaneReached {
    const OP: u16 = 197;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// The memory socket has the memory under this number. If the worker refuses, the client uses its
/// own memory, whose bytes travel. address: the memory's address in the client. in_place: the
/// worker has the memory at that address, too, so that the device can use the client's pointers.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSegmentOpen {
    pub segment: u64,
    pub bytes: u64,
    pub address: u64,
}

impl<'a> Field<'a> for HostSegmentOpen {
    fn put(&self, out: &mut Vec<u8>) {
        self.segment.put(out);
        self.bytes.put(out);
        self.address.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(HostSegmentOpen {
            segment: Field::take(reader)?,
            bytes: Field::take(reader)?,
            address: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for HostSegmentOpen {
    const OP: u16 = 190;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for HostSegmentOpen {
    type Reply<'r> = HostSegmentOpenReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct HostSegmentOpenReply {
    pub in_place: bool,
}

impl<'a> Field<'a> for HostSegmentOpenReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.in_place.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(HostSegmentOpenReply { in_place: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct HostSegmentClose {
    pub segment: u64,
}

impl<'a> Field<'a> for HostSegmentClose {
    fn put(&self, out: &mut Vec<u8>) {
        self.segment.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(HostSegmentClose { segment: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for HostSegmentClose {
    const OP: u16 = 191;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// Copies rows at a segment's offset to rows on the device.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyFromSegment {
    pub segment: u64,
    pub offset: u64,
    pub host_pitch_bytes: u64,
    pub address: u64,
    pub pitch_bytes: u64,
    pub width_bytes: u64,
    pub rows: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for CopyFromSegment {
    fn put(&self, out: &mut Vec<u8>) {
        self.segment.put(out);
        self.offset.put(out);
        self.host_pitch_bytes.put(out);
        self.address.put(out);
        self.pitch_bytes.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CopyFromSegment {
            segment: Field::take(reader)?,
            offset: Field::take(reader)?,
            host_pitch_bytes: Field::take(reader)?,
            address: Field::take(reader)?,
            pitch_bytes: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CopyFromSegment {
    const OP: u16 = 192;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct CopyToSegment {
    pub segment: u64,
    pub offset: u64,
    pub host_pitch_bytes: u64,
    pub address: u64,
    pub pitch_bytes: u64,
    pub width_bytes: u64,
    pub rows: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for CopyToSegment {
    fn put(&self, out: &mut Vec<u8>) {
        self.segment.put(out);
        self.offset.put(out);
        self.host_pitch_bytes.put(out);
        self.address.put(out);
        self.pitch_bytes.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CopyToSegment {
            segment: Field::take(reader)?,
            offset: Field::take(reader)?,
            host_pitch_bytes: Field::take(reader)?,
            address: Field::take(reader)?,
            pitch_bytes: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CopyToSegment {
    const OP: u16 = 193;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// Bytes of an image. Later messages name the image by its hash.
#[derive(Clone, Debug, PartialEq)]
pub struct CodePut {
    pub hash: [u8; 32],
    pub total_bytes: u64,
    pub offset: u64,
}

impl<'a> Field<'a> for CodePut {
    fn put(&self, out: &mut Vec<u8>) {
        self.hash.put(out);
        self.total_bytes.put(out);
        self.offset.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CodePut {
            hash: Field::take(reader)?,
            total_bytes: Field::take(reader)?,
            offset: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CodePut {
    const OP: u16 = 30;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(48);
}

/// If the reply says `missing`, the worker lacks the image; the client sends the image and asks
/// again.
#[derive(Clone, Debug, PartialEq)]
pub struct ModuleLoad {
    pub module: u64,
    pub hash: [u8; 32],
    pub options: List<JitOption>,
    pub library: bool,
}

impl<'a> Field<'a> for ModuleLoad {
    fn put(&self, out: &mut Vec<u8>) {
        self.module.put(out);
        self.hash.put(out);
        self.options.put(out);
        self.library.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ModuleLoad {
            module: Field::take(reader)?,
            hash: Field::take(reader)?,
            options: Field::take(reader)?,
            library: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for ModuleLoad {
    const OP: u16 = 31;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ModuleLoad {
    type Reply<'r> = ModuleLoadReply<'r>;
}

/// kernels: all kernels, if a context is current and their number is small.
#[derive(Clone, Debug, PartialEq)]
pub struct ModuleLoadReply<'a> {
    pub missing: bool,
    pub kernels: List<DescribedKernel<'a>>,
    pub info_log: &'a [u8],
    pub error_log: &'a [u8],
}

impl<'a> Field<'a> for ModuleLoadReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.missing.put(out);
        self.kernels.put(out);
        self.info_log.put(out);
        self.error_log.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ModuleLoadReply {
            missing: Field::take(reader)?,
            kernels: Field::take(reader)?,
            info_log: Field::take(reader)?,
            error_log: Field::take(reader)?,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct DescribedKernel<'a> {
    pub name: &'a str,
    pub attributes: List<i32>,
    pub params: List<ParamLayout>,
}

impl<'a> Field<'a> for DescribedKernel<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.name.put(out);
        self.attributes.put(out);
        self.params.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(DescribedKernel {
            name: Field::take(reader)?,
            attributes: Field::take(reader)?,
            params: Field::take(reader)?,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct JitOption {
    pub option: i32,
    pub value: u64,
}

impl<'a> Field<'a> for JitOption {
    fn put(&self, out: &mut Vec<u8>) {
        self.option.put(out);
        self.value.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(JitOption { option: Field::take(reader)?, value: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ModuleUnload {
    pub module: u64,
    pub library: bool,
}

impl<'a> Field<'a> for ModuleUnload {
    fn put(&self, out: &mut Vec<u8>) {
        self.module.put(out);
        self.library.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ModuleUnload { module: Field::take(reader)?, library: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ModuleUnload {
    const OP: u16 = 32;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct LibraryGetModule {
    pub library: u64,
    pub module: u64,
}

impl<'a> Field<'a> for LibraryGetModule {
    fn put(&self, out: &mut Vec<u8>) {
        self.library.put(out);
        self.module.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LibraryGetModule { library: Field::take(reader)?, module: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for LibraryGetModule {
    const OP: u16 = 33;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// Gets a module's function (CUmodule -> CUfunction) or a library's kernel (CUlibrary -> CUkernel),
/// by the kind of the handle.
#[derive(Clone, Debug, PartialEq)]
pub struct GetFunction<'a> {
    pub module: u64,
    pub function: u64,
    pub name: &'a str,
}

impl<'a> Field<'a> for GetFunction<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.module.put(out);
        self.function.put(out);
        self.name.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GetFunction {
            module: Field::take(reader)?,
            function: Field::take(reader)?,
            name: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GetFunction<'a> {
    const OP: u16 = 34;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GetFunction<'_> {
    type Reply<'r> = GetFunctionReply;
}

/// The worker knows attributes and parameters once a context is current. Before that, the answer
/// only confirms that the function exists.
#[derive(Clone, Debug, PartialEq)]
pub struct GetFunctionReply {
    pub described: bool,
    pub attributes: List<i32>,
    pub params: List<ParamLayout>,
}

impl<'a> Field<'a> for GetFunctionReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.described.put(out);
        self.attributes.put(out);
        self.params.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GetFunctionReply {
            described: Field::take(reader)?,
            attributes: Field::take(reader)?,
            params: Field::take(reader)?,
        })
    }
}

/// Assigns a handle to a kernel that ModuleLoadReply described.
#[derive(Clone, Debug, PartialEq)]
pub struct NameFunction<'a> {
    pub module: u64,
    pub function: u64,
    pub name: &'a str,
}

impl<'a> Field<'a> for NameFunction<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.module.put(out);
        self.function.put(out);
        self.name.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NameFunction {
            module: Field::take(reader)?,
            function: Field::take(reader)?,
            name: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for NameFunction<'a> {
    const OP: u16 = 320;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ParamLayout {
    pub offset_bytes: u32,
    pub size_bytes: u32,
}

impl<'a> Field<'a> for ParamLayout {
    fn put(&self, out: &mut Vec<u8>) {
        self.offset_bytes.put(out);
        self.size_bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ParamLayout { offset_bytes: Field::take(reader)?, size_bytes: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct KernelGetFunction {
    pub kernel: u64,
    pub function: u64,
}

impl<'a> Field<'a> for KernelGetFunction {
    fn put(&self, out: &mut Vec<u8>) {
        self.kernel.put(out);
        self.function.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(KernelGetFunction { kernel: Field::take(reader)?, function: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for KernelGetFunction {
    const OP: u16 = 35;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GetGlobal<'a> {
    pub module: u64,
    pub name: &'a str,
}

impl<'a> Field<'a> for GetGlobal<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.module.put(out);
        self.name.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GetGlobal { module: Field::take(reader)?, name: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GetGlobal<'a> {
    const OP: u16 = 36;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GetGlobal<'_> {
    type Reply<'r> = GetGlobalReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GetGlobalReply {
    pub address: u64,
    pub bytes: u64,
}

impl<'a> Field<'a> for GetGlobalReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GetGlobalReply { address: Field::take(reader)?, bytes: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ListFunctions {
    pub module: u64,
}

impl<'a> Field<'a> for ListFunctions {
    fn put(&self, out: &mut Vec<u8>) {
        self.module.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ListFunctions { module: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ListFunctions {
    const OP: u16 = 37;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ListFunctions {
    type Reply<'r> = ListFunctionsReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ListFunctionsReply<'a> {
    pub names: List<Name<'a>>,
}

impl<'a> Field<'a> for ListFunctionsReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.names.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ListFunctionsReply { names: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Name<'a> {
    pub name: &'a str,
}

impl<'a> Field<'a> for Name<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.name.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Name { name: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionSetAttribute {
    pub function: u64,
    pub attribute: i32,
    pub value: i32,
    pub device: i32,
}

impl<'a> Field<'a> for FunctionSetAttribute {
    fn put(&self, out: &mut Vec<u8>) {
        self.function.put(out);
        self.attribute.put(out);
        self.value.put(out);
        self.device.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(FunctionSetAttribute {
            function: Field::take(reader)?,
            attribute: Field::take(reader)?,
            value: Field::take(reader)?,
            device: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for FunctionSetAttribute {
    const OP: u16 = 38;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionSetCacheConfig {
    pub function: u64,
    pub config: i32,
    pub device: i32,
}

impl<'a> Field<'a> for FunctionSetCacheConfig {
    fn put(&self, out: &mut Vec<u8>) {
        self.function.put(out);
        self.config.put(out);
        self.device.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(FunctionSetCacheConfig {
            function: Field::take(reader)?,
            config: Field::take(reader)?,
            device: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for FunctionSetCacheConfig {
    const OP: u16 = 39;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct DescribeFunction {
    pub function: u64,
    pub device: i32,
}

impl<'a> Field<'a> for DescribeFunction {
    fn put(&self, out: &mut Vec<u8>) {
        self.function.put(out);
        self.device.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(DescribeFunction { function: Field::take(reader)?, device: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for DescribeFunction {
    const OP: u16 = 41;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for DescribeFunction {
    type Reply<'r> = DescribeFunctionReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct DescribeFunctionReply {
    pub attributes: List<i32>,
    pub params: List<ParamLayout>,
}

impl<'a> Field<'a> for DescribeFunctionReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.attributes.put(out);
        self.params.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(DescribeFunctionReply { attributes: Field::take(reader)?, params: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Link<'a> {
    pub inputs: List<LinkInput<'a>>,
    pub options: List<JitOption>,
}

impl<'a> Field<'a> for Link<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.inputs.put(out);
        self.options.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Link { inputs: Field::take(reader)?, options: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for Link<'a> {
    const OP: u16 = 40;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for Link<'_> {
    type Reply<'r> = LinkReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct LinkInput<'a> {
    pub kind: i32,
    pub hash: [u8; 32],
    pub name: &'a str,
}

impl<'a> Field<'a> for LinkInput<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.kind.put(out);
        self.hash.put(out);
        self.name.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LinkInput {
            kind: Field::take(reader)?,
            hash: Field::take(reader)?,
            name: Field::take(reader)?,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct LinkReply<'a> {
    pub missing: bool,
    pub image: &'a [u8],
    pub info_log: &'a [u8],
    pub error_log: &'a [u8],
}

impl<'a> Field<'a> for LinkReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.missing.put(out);
        self.image.put(out);
        self.info_log.put(out);
        self.error_log.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LinkReply {
            missing: Field::take(reader)?,
            image: Field::take(reader)?,
            info_log: Field::take(reader)?,
            error_log: Field::take(reader)?,
        })
    }
}

/// attributes: CUlaunchAttribute records of 72 bytes. params: the packed parameter buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchKernel<'a> {
    pub function: u64,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub stream: u64,
    pub cooperative: bool,
    pub attributes: &'a [u8],
    pub params: &'a [u8],
}

impl<'a> Field<'a> for LaunchKernel<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.function.put(out);
        self.grid.put(out);
        self.block.put(out);
        self.shared_bytes.put(out);
        self.stream.put(out);
        self.cooperative.put(out);
        self.attributes.put(out);
        self.params.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LaunchKernel {
            function: Field::take(reader)?,
            grid: Field::take(reader)?,
            block: Field::take(reader)?,
            shared_bytes: Field::take(reader)?,
            stream: Field::take(reader)?,
            cooperative: Field::take(reader)?,
            attributes: Field::take(reader)?,
            params: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for LaunchKernel<'a> {
    const OP: u16 = 50;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct OccupancyClusters<'a> {
    pub function: u64,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub attributes: &'a [u8],
    pub active: bool,
}

impl<'a> Field<'a> for OccupancyClusters<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.function.put(out);
        self.grid.put(out);
        self.block.put(out);
        self.shared_bytes.put(out);
        self.attributes.put(out);
        self.active.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(OccupancyClusters {
            function: Field::take(reader)?,
            grid: Field::take(reader)?,
            block: Field::take(reader)?,
            shared_bytes: Field::take(reader)?,
            attributes: Field::take(reader)?,
            active: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for OccupancyClusters<'a> {
    const OP: u16 = 51;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for OccupancyClusters<'_> {
    type Reply<'r> = OccupancyClustersReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct OccupancyClustersReply {
    pub value: i32,
}

impl<'a> Field<'a> for OccupancyClustersReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.value.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(OccupancyClustersReply { value: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct HostCallback {
    pub callback: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for HostCallback {
    fn put(&self, out: &mut Vec<u8>) {
        self.callback.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(HostCallback { callback: Field::take(reader)?, stream: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for HostCallback {
    const OP: u16 = 52;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct RunCallback {
    pub callback: u64,
    pub status: i32,
}

impl<'a> Field<'a> for RunCallback {
    fn put(&self, out: &mut Vec<u8>) {
        self.callback.put(out);
        self.status.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(RunCallback { callback: Field::take(reader)?, status: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for RunCallback {
    const OP: u16 = 53;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct CallbackDone {
    pub callback: u64,
}

impl<'a> Field<'a> for CallbackDone {
    fn put(&self, out: &mut Vec<u8>) {
        self.callback.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CallbackDone { callback: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for CallbackDone {
    const OP: u16 = 54;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct StreamCreate {
    pub stream: u64,
    pub flags: u32,
    pub priority: i32,
}

impl<'a> Field<'a> for StreamCreate {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.flags.put(out);
        self.priority.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamCreate {
            stream: Field::take(reader)?,
            flags: Field::take(reader)?,
            priority: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for StreamCreate {
    const OP: u16 = 60;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct StreamDestroy {
    pub stream: u64,
}

impl<'a> Field<'a> for StreamDestroy {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamDestroy { stream: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for StreamDestroy {
    const OP: u16 = 61;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct StreamSynchronize {
    pub stream: u64,
}

impl<'a> Field<'a> for StreamSynchronize {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamSynchronize { stream: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for StreamSynchronize {
    const OP: u16 = 62;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

impl Call for StreamSynchronize {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct StreamQuery {
    pub stream: u64,
}

impl<'a> Field<'a> for StreamQuery {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamQuery { stream: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for StreamQuery {
    const OP: u16 = 63;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

impl Call for StreamQuery {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventCreate {
    pub event: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for EventCreate {
    fn put(&self, out: &mut Vec<u8>) {
        self.event.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventCreate { event: Field::take(reader)?, flags: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for EventCreate {
    const OP: u16 = 64;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventDestroy {
    pub event: u64,
}

impl<'a> Field<'a> for EventDestroy {
    fn put(&self, out: &mut Vec<u8>) {
        self.event.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventDestroy { event: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for EventDestroy {
    const OP: u16 = 65;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventRecord {
    pub event: u64,
    pub stream: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for EventRecord {
    fn put(&self, out: &mut Vec<u8>) {
        self.event.put(out);
        self.stream.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventRecord {
            event: Field::take(reader)?,
            stream: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for EventRecord {
    const OP: u16 = 66;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct StreamWaitEvent {
    pub stream: u64,
    pub event: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for StreamWaitEvent {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.event.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamWaitEvent {
            stream: Field::take(reader)?,
            event: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for StreamWaitEvent {
    const OP: u16 = 122;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventSynchronize {
    pub event: u64,
}

impl<'a> Field<'a> for EventSynchronize {
    fn put(&self, out: &mut Vec<u8>) {
        self.event.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventSynchronize { event: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for EventSynchronize {
    const OP: u16 = 67;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for EventSynchronize {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventQuery {
    pub event: u64,
}

impl<'a> Field<'a> for EventQuery {
    fn put(&self, out: &mut Vec<u8>) {
        self.event.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventQuery { event: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for EventQuery {
    const OP: u16 = 68;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for EventQuery {
    type Reply<'r> = ();
}

/// Waits like EventSynchronize, and returns the times from the events in starts to this one. A time
/// that the driver does not know is NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct EventSynchronizeTimed {
    pub event: u64,
    pub starts: List<u64>,
}

impl<'a> Field<'a> for EventSynchronizeTimed {
    fn put(&self, out: &mut Vec<u8>) {
        self.event.put(out);
        self.starts.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventSynchronizeTimed { event: Field::take(reader)?, starts: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for EventSynchronizeTimed {
    const OP: u16 = 450;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for EventSynchronizeTimed {
    type Reply<'r> = EventSynchronizeTimedReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventSynchronizeTimedReply {
    pub milliseconds: List<f32>,
}

impl<'a> Field<'a> for EventSynchronizeTimedReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.milliseconds.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventSynchronizeTimedReply { milliseconds: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventElapsed {
    pub start: u64,
    pub end: u64,
}

impl<'a> Field<'a> for EventElapsed {
    fn put(&self, out: &mut Vec<u8>) {
        self.start.put(out);
        self.end.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventElapsed { start: Field::take(reader)?, end: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for EventElapsed {
    const OP: u16 = 451;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for EventElapsed {
    type Reply<'r> = EventElapsedReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventElapsedReply {
    pub milliseconds: f32,
}

impl<'a> Field<'a> for EventElapsedReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.milliseconds.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(EventElapsedReply { milliseconds: Field::take(reader)? })
    }
}

/// levels: 0 for an array, otherwise the number of a mipmapped array's levels.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayCreate {
    pub array: u64,
    pub width: u64,
    pub height: u64,
    pub depth: u64,
    pub format: i32,
    pub channels: u32,
    pub flags: u32,
    pub levels: u32,
}

impl<'a> Field<'a> for ArrayCreate {
    fn put(&self, out: &mut Vec<u8>) {
        self.array.put(out);
        self.width.put(out);
        self.height.put(out);
        self.depth.put(out);
        self.format.put(out);
        self.channels.put(out);
        self.flags.put(out);
        self.levels.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ArrayCreate {
            array: Field::take(reader)?,
            width: Field::take(reader)?,
            height: Field::take(reader)?,
            depth: Field::take(reader)?,
            format: Field::take(reader)?,
            channels: Field::take(reader)?,
            flags: Field::take(reader)?,
            levels: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for ArrayCreate {
    const OP: u16 = 210;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ArrayCreate {
    type Reply<'r> = ();
}

/// Destroys an array. A mipmapped array's levels are destroyed with it.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayDestroy {
    pub array: u64,
}

impl<'a> Field<'a> for ArrayDestroy {
    fn put(&self, out: &mut Vec<u8>) {
        self.array.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ArrayDestroy { array: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ArrayDestroy {
    const OP: u16 = 211;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct MipmappedArrayGetLevel {
    pub mipmapped_array: u64,
    pub level: u32,
    pub array: u64,
}

impl<'a> Field<'a> for MipmappedArrayGetLevel {
    fn put(&self, out: &mut Vec<u8>) {
        self.mipmapped_array.put(out);
        self.level.put(out);
        self.array.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MipmappedArrayGetLevel {
            mipmapped_array: Field::take(reader)?,
            level: Field::take(reader)?,
            array: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for MipmappedArrayGetLevel {
    const OP: u16 = 212;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// Packed rows of one slice or layer. at: byte, row and slice where the rows begin.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyToArray {
    pub array: u64,
    pub at: [u64; 3],
    pub width_bytes: u64,
    pub rows: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for CopyToArray {
    fn put(&self, out: &mut Vec<u8>) {
        self.array.put(out);
        self.at.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CopyToArray {
            array: Field::take(reader)?,
            at: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CopyToArray {
    const OP: u16 = 220;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(56);

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct CopyFromArray {
    pub array: u64,
    pub at: [u64; 3],
    pub width_bytes: u64,
    pub rows: u64,
    pub stream: u64,
    pub transfer: u64,
}

impl<'a> Field<'a> for CopyFromArray {
    fn put(&self, out: &mut Vec<u8>) {
        self.array.put(out);
        self.at.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
        self.stream.put(out);
        self.transfer.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CopyFromArray {
            array: Field::take(reader)?,
            at: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
            stream: Field::take(reader)?,
            transfer: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CopyFromArray {
    const OP: u16 = 221;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// Copies between two places on the device. A side is an array from `at` on or, if its array is 0,
/// memory.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyArray {
    pub to_array: u64,
    pub to_at: [u64; 3],
    pub to_address: u64,
    pub to_pitch_bytes: u64,
    pub to_rows: u64,
    pub from_array: u64,
    pub from_at: [u64; 3],
    pub from_address: u64,
    pub from_pitch_bytes: u64,
    pub from_rows: u64,
    pub width_bytes: u64,
    pub rows: u64,
    pub slices: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for CopyArray {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_array.put(out);
        self.to_at.put(out);
        self.to_address.put(out);
        self.to_pitch_bytes.put(out);
        self.to_rows.put(out);
        self.from_array.put(out);
        self.from_at.put(out);
        self.from_address.put(out);
        self.from_pitch_bytes.put(out);
        self.from_rows.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
        self.slices.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CopyArray {
            to_array: Field::take(reader)?,
            to_at: Field::take(reader)?,
            to_address: Field::take(reader)?,
            to_pitch_bytes: Field::take(reader)?,
            to_rows: Field::take(reader)?,
            from_array: Field::take(reader)?,
            from_at: Field::take(reader)?,
            from_address: Field::take(reader)?,
            from_pitch_bytes: Field::take(reader)?,
            from_rows: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
            slices: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CopyArray {
    const OP: u16 = 222;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// width: for linear memory, its size in bytes. view: empty if the texture has no resource view.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureCreate<'a> {
    pub kind: i32,
    pub array: u64,
    pub address: u64,
    pub format: i32,
    pub channels: u32,
    pub width: u64,
    pub height: u64,
    pub pitch_bytes: u64,
    pub texture: &'a [u8],
    pub view: &'a [u8],
}

impl<'a> Field<'a> for TextureCreate<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.kind.put(out);
        self.array.put(out);
        self.address.put(out);
        self.format.put(out);
        self.channels.put(out);
        self.width.put(out);
        self.height.put(out);
        self.pitch_bytes.put(out);
        self.texture.put(out);
        self.view.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TextureCreate {
            kind: Field::take(reader)?,
            array: Field::take(reader)?,
            address: Field::take(reader)?,
            format: Field::take(reader)?,
            channels: Field::take(reader)?,
            width: Field::take(reader)?,
            height: Field::take(reader)?,
            pitch_bytes: Field::take(reader)?,
            texture: Field::take(reader)?,
            view: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TextureCreate<'a> {
    const OP: u16 = 230;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TextureCreate<'_> {
    type Reply<'r> = TextureCreateReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TextureCreateReply {
    pub texture: u64,
}

impl<'a> Field<'a> for TextureCreateReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.texture.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TextureCreateReply { texture: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct TextureDestroy {
    pub texture: u64,
}

impl<'a> Field<'a> for TextureDestroy {
    fn put(&self, out: &mut Vec<u8>) {
        self.texture.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TextureDestroy { texture: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TextureDestroy {
    const OP: u16 = 231;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceCreate {
    pub array: u64,
}

impl<'a> Field<'a> for SurfaceCreate {
    fn put(&self, out: &mut Vec<u8>) {
        self.array.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(SurfaceCreate { array: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for SurfaceCreate {
    const OP: u16 = 232;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for SurfaceCreate {
    type Reply<'r> = SurfaceCreateReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceCreateReply {
    pub surface: u64,
}

impl<'a> Field<'a> for SurfaceCreateReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.surface.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(SurfaceCreateReply { surface: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceDestroy {
    pub surface: u64,
}

impl<'a> Field<'a> for SurfaceDestroy {
    fn put(&self, out: &mut Vec<u8>) {
        self.surface.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(SurfaceDestroy { surface: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for SurfaceDestroy {
    const OP: u16 = 233;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// surface: whether the reference is a surface reference.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceFind<'a> {
    pub module: u64,
    pub name: &'a str,
    pub surface: bool,
    pub reference: u64,
}

impl<'a> Field<'a> for ReferenceFind<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.module.put(out);
        self.name.put(out);
        self.surface.put(out);
        self.reference.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ReferenceFind {
            module: Field::take(reader)?,
            name: Field::take(reader)?,
            surface: Field::take(reader)?,
            reference: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for ReferenceFind<'a> {
    const OP: u16 = 440;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ReferenceFind<'_> {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct TextureReferenceCreate {
    pub reference: u64,
}

impl<'a> Field<'a> for TextureReferenceCreate {
    fn put(&self, out: &mut Vec<u8>) {
        self.reference.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TextureReferenceCreate { reference: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TextureReferenceCreate {
    const OP: u16 = 441;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TextureReferenceCreate {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct TextureReferenceDestroy {
    pub reference: u64,
}

impl<'a> Field<'a> for TextureReferenceDestroy {
    fn put(&self, out: &mut Vec<u8>) {
        self.reference.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TextureReferenceDestroy { reference: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TextureReferenceDestroy {
    const OP: u16 = 442;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// Returns the array of a reference. which: 0 for an array, 1 for a mipmapped array, 2 for a
/// surface's array.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceArray {
    pub reference: u64,
    pub which: u8,
}

impl<'a> Field<'a> for ReferenceArray {
    fn put(&self, out: &mut Vec<u8>) {
        self.reference.put(out);
        self.which.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ReferenceArray { reference: Field::take(reader)?, which: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ReferenceArray {
    const OP: u16 = 443;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ReferenceArray {
    type Reply<'r> = ReferenceArrayReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceArrayReply {
    pub array: u64,
}

impl<'a> Field<'a> for ReferenceArrayReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.array.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ReferenceArrayReply { array: Field::take(reader)? })
    }
}

/// kind 0: device memory, which the worker clears. kind 1: host memory of the worker that the
/// device reaches; each side sends the other its changed words. kind 2: memory that the driver
/// placed. by_touch: the client gets the device's changes when the program touches the memory, if
/// the client can fetch them on the callback lane.
#[derive(Clone, Debug, PartialEq)]
pub struct ManagedOpen {
    pub address: u64,
    pub bytes: u64,
    pub kind: u8,
    pub transfer: u64,
    pub by_touch: bool,
}

impl<'a> Field<'a> for ManagedOpen {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
        self.bytes.put(out);
        self.kind.put(out);
        self.transfer.put(out);
        self.by_touch.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ManagedOpen {
            address: Field::take(reader)?,
            bytes: Field::take(reader)?,
            kind: Field::take(reader)?,
            transfer: Field::take(reader)?,
            by_touch: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for ManagedOpen {
    const OP: u16 = 250;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ManagedOpen {
    type Reply<'r> = ManagedOpenReply;
}

/// beside: ReplicaWrite, ManagedChanges and ManagedFetch for this memory travel on the callback
/// lane and wait for no command.
#[derive(Clone, Debug, PartialEq)]
pub struct ManagedOpenReply {
    pub beside: bool,
}

impl<'a> Field<'a> for ManagedOpenReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.beside.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ManagedOpenReply { beside: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ManagedClose {
    pub address: u64,
}

impl<'a> Field<'a> for ManagedClose {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ManagedClose { address: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ManagedClose {
    const OP: u16 = 251;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ManagedWrite {
    pub address: u64,
}

impl<'a> Field<'a> for ManagedWrite {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ManagedWrite { address: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ManagedWrite {
    const OP: u16 = 252;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(8);
}

/// Asks for the device's changes since the last question, in managed memory that begins at these
/// addresses. Changes that the client does not get by touch arrive before the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ManagedChanges {
    pub first: u64,
    pub others: List<u64>,
}

impl<'a> Field<'a> for ManagedChanges {
    fn put(&self, out: &mut Vec<u8>) {
        self.first.put(out);
        self.others.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ManagedChanges { first: Field::take(reader)?, others: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ManagedChanges {
    const OP: u16 = 366;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ManagedChanges {
    type Reply<'r> = ManagedChangesReply<'r>;
}

/// The lists contain pairs of address and length. brought: changes whose bytes are in `bytes`, one
/// after another. wanted: changes that the client should fetch at once. unknown: starts of memory
/// for which the device could not record all changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ManagedChangesReply<'a> {
    pub changed: List<u64>,
    pub brought: List<u64>,
    pub wanted: List<u64>,
    pub unknown: List<u64>,
    pub bytes: &'a [u8],
}

impl<'a> Field<'a> for ManagedChangesReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.changed.put(out);
        self.brought.put(out);
        self.wanted.put(out);
        self.unknown.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ManagedChangesReply {
            changed: Field::take(reader)?,
            brought: Field::take(reader)?,
            wanted: Field::take(reader)?,
            unknown: Field::take(reader)?,
            bytes: Field::take(reader)?,
        })
    }
}

/// Waits for a stream or for the whole context, and then answers with the device's changes in
/// managed memory with by_touch. Addresses at which no such memory begins any more are ignored.
/// is_implicit: as in ContextSynchronize.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitForChanges {
    pub stream: u64,
    pub whole: bool,
    pub is_implicit: bool,
    pub looks: List<u64>,
}

impl<'a> Field<'a> for WaitForChanges {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.whole.put(out);
        self.is_implicit.put(out);
        self.looks.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(WaitForChanges {
            stream: Field::take(reader)?,
            whole: Field::take(reader)?,
            is_implicit: Field::take(reader)?,
            looks: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for WaitForChanges {
    const OP: u16 = 368;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

impl Call for WaitForChanges {
    type Reply<'r> = ManagedChangesReply<'r>;
}

/// On the callback lane: asks for the present bytes of managed memory with by_touch. is_touched:
/// the program waits for them.
#[derive(Clone, Debug, PartialEq)]
pub struct ManagedFetch {
    pub address: u64,
    pub bytes: u64,
    pub is_touched: bool,
}

impl<'a> Field<'a> for ManagedFetch {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
        self.bytes.put(out);
        self.is_touched.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ManagedFetch {
            address: Field::take(reader)?,
            bytes: Field::take(reader)?,
            is_touched: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for ManagedFetch {
    const OP: u16 = 367;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ManagedFetch {
    type Reply<'r> = ManagedFetchReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ManagedFetchReply<'a> {
    pub bytes: &'a [u8],
}

impl<'a> Field<'a> for ManagedFetchReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ManagedFetchReply { bytes: Field::take(reader)? })
    }
}

/// Words that the device has changed at this address.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaUpdate {
    pub address: u64,
}

impl<'a> Field<'a> for ReplicaUpdate {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ReplicaUpdate { address: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ReplicaUpdate {
    const OP: u16 = 323;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(8);
}

/// On the callback lane: words that the program has changed at this address. number: the message's
/// number for ReplicaAwait.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaWrite {
    pub number: u64,
    pub address: u64,
}

impl<'a> Field<'a> for ReplicaWrite {
    fn put(&self, out: &mut Vec<u8>) {
        self.number.put(out);
        self.address.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ReplicaWrite { number: Field::take(reader)?, address: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ReplicaWrite {
    const OP: u16 = 360;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(16);
}

/// Later commands wait for the ReplicaWrite with this number.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaAwait {
    pub number: u64,
}

impl<'a> Field<'a> for ReplicaAwait {
    fn put(&self, out: &mut Vec<u8>) {
        self.number.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ReplicaAwait { number: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ReplicaAwait {
    const OP: u16 = 361;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// On the callback lane: asks for the device's changes up to now. ReplicaCurrent follows them.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaQuery {
    pub number: u64,
}

impl<'a> Field<'a> for ReplicaQuery {
    fn put(&self, out: &mut Vec<u8>) {
        self.number.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ReplicaQuery { number: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ReplicaQuery {
    const OP: u16 = 362;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaCurrent {
    pub number: u64,
}

impl<'a> Field<'a> for ReplicaCurrent {
    fn put(&self, out: &mut Vec<u8>) {
        self.number.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ReplicaCurrent { number: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ReplicaCurrent {
    const OP: u16 = 363;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// On the callback lane: all kernels up to this frame of the command lane have finished. So the
/// worker need not look for their changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaIdle {
    pub sequence: u64,
}

impl<'a> Field<'a> for ReplicaIdle {
    fn put(&self, out: &mut Vec<u8>) {
        self.sequence.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ReplicaIdle { sequence: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ReplicaIdle {
    const OP: u16 = 364;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// On the callback lane: is_present says whether the program may touch this pinned memory. If
/// false, the worker need not look for the device's changes in the memory. If true, the answer
/// follows those changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaPresence {
    pub address: u64,
    pub bytes: u64,
    pub is_present: bool,
}

impl<'a> Field<'a> for ReplicaPresence {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
        self.bytes.put(out);
        self.is_present.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ReplicaPresence {
            address: Field::take(reader)?,
            bytes: Field::take(reader)?,
            is_present: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for ReplicaPresence {
    const OP: u16 = 369;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ReplicaPresence {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct GetManaged<'a> {
    pub library: u64,
    pub name: &'a str,
}

impl<'a> Field<'a> for GetManaged<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.library.put(out);
        self.name.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GetManaged { library: Field::take(reader)?, name: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GetManaged<'a> {
    const OP: u16 = 254;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GetManaged<'_> {
    type Reply<'r> = GetManagedReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GetManagedReply {
    pub address: u64,
    pub bytes: u64,
}

impl<'a> Field<'a> for GetManagedReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.address.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GetManagedReply { address: Field::take(reader)?, bytes: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct TensorMapReplaceAddress {
    pub map: [u64; 16],
    pub address: u64,
}

impl<'a> Field<'a> for TensorMapReplaceAddress {
    fn put(&self, out: &mut Vec<u8>) {
        self.map.put(out);
        self.address.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TensorMapReplaceAddress { map: Field::take(reader)?, address: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TensorMapReplaceAddress {
    const OP: u16 = 203;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TensorMapReplaceAddress {
    type Reply<'r> = TensorMapReplaceAddressReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TensorMapReplaceAddressReply {
    pub map: [u64; 16],
}

impl<'a> Field<'a> for TensorMapReplaceAddressReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.map.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TensorMapReplaceAddressReply { map: Field::take(reader)? })
    }
}

/// The worker answers after it has executed all earlier messages and has reported the errors of
/// posts.
#[derive(Clone, Debug, PartialEq)]
pub struct Barrier {}

impl<'a> Field<'a> for Barrier {
    fn put(&self, _out: &mut Vec<u8>) {}

    fn take(_reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Barrier {})
    }
}

impl<'a> Message<'a> for Barrier {
    const OP: u16 = 129;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for Barrier {
    type Reply<'r> = ();
}

/// edges: CUgraphEdgeData records of 8 bytes for the nodes, or nothing. into: the graph exists, and
/// the capture adds nodes to it.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureBegin<'a> {
    pub stream: u64,
    pub graph: u64,
    pub into: bool,
    pub dependencies: List<u64>,
    pub edges: &'a [u8],
}

impl<'a> Field<'a> for CaptureBegin<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.graph.put(out);
        self.into.put(out);
        self.dependencies.put(out);
        self.edges.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CaptureBegin {
            stream: Field::take(reader)?,
            graph: Field::take(reader)?,
            into: Field::take(reader)?,
            dependencies: Field::take(reader)?,
            edges: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CaptureBegin<'a> {
    const OP: u16 = 130;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

impl Call for CaptureBegin<'_> {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct CaptureEnd {
    pub stream: u64,
}

impl<'a> Field<'a> for CaptureEnd {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CaptureEnd { stream: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for CaptureEnd {
    const OP: u16 = 131;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

impl Call for CaptureEnd {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct CaptureInfo {
    pub stream: u64,
}

impl<'a> Field<'a> for CaptureInfo {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CaptureInfo { stream: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for CaptureInfo {
    const OP: u16 = 132;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

impl Call for CaptureInfo {
    type Reply<'r> = CaptureInfoReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct CaptureInfoReply<'a> {
    pub status: i32,
    pub id: u64,
    pub graph: u64,
    pub dependencies: List<u64>,
    pub edges: &'a [u8],
}

impl<'a> Field<'a> for CaptureInfoReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.status.put(out);
        self.id.put(out);
        self.graph.put(out);
        self.dependencies.put(out);
        self.edges.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CaptureInfoReply {
            status: Field::take(reader)?,
            id: Field::take(reader)?,
            graph: Field::take(reader)?,
            dependencies: Field::take(reader)?,
            edges: Field::take(reader)?,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct CaptureDepend<'a> {
    pub stream: u64,
    pub dependencies: List<u64>,
    pub edges: &'a [u8],
    pub flags: u32,
}

impl<'a> Field<'a> for CaptureDepend<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.dependencies.put(out);
        self.edges.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CaptureDepend {
            stream: Field::take(reader)?,
            dependencies: Field::take(reader)?,
            edges: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CaptureDepend<'a> {
    const OP: u16 = 133;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

impl Call for CaptureDepend<'_> {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphCreate {
    pub graph: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for GraphCreate {
    fn put(&self, out: &mut Vec<u8>) {
        self.graph.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphCreate { graph: Field::take(reader)?, flags: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphCreate {
    const OP: u16 = 134;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphClone {
    pub graph: u64,
    pub original: u64,
}

impl<'a> Field<'a> for GraphClone {
    fn put(&self, out: &mut Vec<u8>) {
        self.graph.put(out);
        self.original.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphClone { graph: Field::take(reader)?, original: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphClone {
    const OP: u16 = 135;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphClone {
    type Reply<'r> = ();
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphDestroy {
    pub graph: u64,
}

impl<'a> Field<'a> for GraphDestroy {
    fn put(&self, out: &mut Vec<u8>) {
        self.graph.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphDestroy { graph: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphDestroy {
    const OP: u16 = 136;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphInstantiate {
    pub exec: u64,
    pub graph: u64,
    pub flags: u64,
}

impl<'a> Field<'a> for GraphInstantiate {
    fn put(&self, out: &mut Vec<u8>) {
        self.exec.put(out);
        self.graph.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphInstantiate {
            exec: Field::take(reader)?,
            graph: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphInstantiate {
    const OP: u16 = 137;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphInstantiate {
    type Reply<'r> = GraphInstantiateReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphInstantiateReply {
    pub result: i32,
    pub error_node: u64,
}

impl<'a> Field<'a> for GraphInstantiateReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.result.put(out);
        self.error_node.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphInstantiateReply { result: Field::take(reader)?, error_node: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphExecUpdate {
    pub exec: u64,
    pub graph: u64,
}

impl<'a> Field<'a> for GraphExecUpdate {
    fn put(&self, out: &mut Vec<u8>) {
        self.exec.put(out);
        self.graph.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphExecUpdate { exec: Field::take(reader)?, graph: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphExecUpdate {
    const OP: u16 = 138;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphExecUpdate {
    type Reply<'r> = GraphExecUpdateReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphExecUpdateReply {
    pub result: i32,
    pub error_node: u64,
    pub error_from: u64,
}

impl<'a> Field<'a> for GraphExecUpdateReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.result.put(out);
        self.error_node.put(out);
        self.error_from.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphExecUpdateReply {
            result: Field::take(reader)?,
            error_node: Field::take(reader)?,
            error_from: Field::take(reader)?,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphExecDestroy {
    pub exec: u64,
}

impl<'a> Field<'a> for GraphExecDestroy {
    fn put(&self, out: &mut Vec<u8>) {
        self.exec.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphExecDestroy { exec: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphExecDestroy {
    const OP: u16 = 139;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// of: a graph or a node. which: 0 nodes, 1 root nodes, 2 edges, 3 the nodes that a node depends
/// on, 4 the nodes that depend on it.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphList {
    pub of: u64,
    pub which: u8,
}

impl<'a> Field<'a> for GraphList {
    fn put(&self, out: &mut Vec<u8>) {
        self.of.put(out);
        self.which.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphList { of: Field::take(reader)?, which: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphList {
    const OP: u16 = 140;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphList {
    type Reply<'r> = GraphListReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphListReply<'a> {
    pub from: List<u64>,
    pub to: List<u64>,
    pub edges: &'a [u8],
}

impl<'a> Field<'a> for GraphListReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.from.put(out);
        self.to.put(out);
        self.edges.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphListReply {
            from: Field::take(reader)?,
            to: Field::take(reader)?,
            edges: Field::take(reader)?,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphDepend<'a> {
    pub graph: u64,
    pub from: List<u64>,
    pub to: List<u64>,
    pub edges: &'a [u8],
    pub remove: bool,
}

impl<'a> Field<'a> for GraphDepend<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.graph.put(out);
        self.from.put(out);
        self.to.put(out);
        self.edges.put(out);
        self.remove.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphDepend {
            graph: Field::take(reader)?,
            from: Field::take(reader)?,
            to: Field::take(reader)?,
            edges: Field::take(reader)?,
            remove: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphDepend<'a> {
    const OP: u16 = 141;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphDepend<'_> {
    type Reply<'r> = ();
}

/// kind: a CUgraphNodeType. object: the node's function, event or graph. numbers: other parameters,
/// which depend on the kind.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphAddNode<'a> {
    pub graph: u64,
    pub dependencies: List<u64>,
    pub edges: &'a [u8],
    pub kind: i32,
    pub object: u64,
    pub numbers: List<u64>,
    pub params: &'a [u8],
}

impl<'a> Field<'a> for GraphAddNode<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.graph.put(out);
        self.dependencies.put(out);
        self.edges.put(out);
        self.kind.put(out);
        self.object.put(out);
        self.numbers.put(out);
        self.params.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphAddNode {
            graph: Field::take(reader)?,
            dependencies: Field::take(reader)?,
            edges: Field::take(reader)?,
            kind: Field::take(reader)?,
            object: Field::take(reader)?,
            numbers: Field::take(reader)?,
            params: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphAddNode<'a> {
    const OP: u16 = 142;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphAddNode<'_> {
    type Reply<'r> = GraphAddNodeReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphAddNodeReply {
    pub node: u64,
}

impl<'a> Field<'a> for GraphAddNodeReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.node.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphAddNodeReply { node: Field::take(reader)? })
    }
}

/// Returns the driver's number for a condition, which kernels set. In GraphAddNode this number is
/// the object of a conditional node. The numbers there are the node's kind, then the handles of the
/// inner graphs, which the client assigns.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphCondition {
    pub graph: u64,
    pub default_value: u32,
    pub flags: u32,
}

impl<'a> Field<'a> for GraphCondition {
    fn put(&self, out: &mut Vec<u8>) {
        self.graph.put(out);
        self.default_value.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphCondition {
            graph: Field::take(reader)?,
            default_value: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphCondition {
    const OP: u16 = 322;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphCondition {
    type Reply<'r> = GraphConditionReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphConditionReply {
    pub number: u64,
}

impl<'a> Field<'a> for GraphConditionReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.number.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphConditionReply { number: Field::take(reader)? })
    }
}

/// exec: the executable graph whose node changes, or 0 to change the graph's own node.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphSetNode<'a> {
    pub exec: u64,
    pub node: u64,
    pub kind: i32,
    pub object: u64,
    pub numbers: List<u64>,
    pub params: &'a [u8],
}

impl<'a> Field<'a> for GraphSetNode<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.exec.put(out);
        self.node.put(out);
        self.kind.put(out);
        self.object.put(out);
        self.numbers.put(out);
        self.params.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphSetNode {
            exec: Field::take(reader)?,
            node: Field::take(reader)?,
            kind: Field::take(reader)?,
            object: Field::take(reader)?,
            numbers: Field::take(reader)?,
            params: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphSetNode<'a> {
    const OP: u16 = 143;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphDestroyNode {
    pub node: u64,
}

impl<'a> Field<'a> for GraphDestroyNode {
    fn put(&self, out: &mut Vec<u8>) {
        self.node.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphDestroyNode { node: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphDestroyNode {
    const OP: u16 = 144;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// Returns a node's parameters: object and numbers as in GraphAddNode. For a copy from or to the
/// program's memory, object is its callback, and the numbers are to_host, address, pitch_bytes,
/// width_bytes, rows. For a batch of operations, object is its graph, and the numbers are the
/// operations' words.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNodeParams {
    pub node: u64,
}

impl<'a> Field<'a> for GraphNodeParams {
    fn put(&self, out: &mut Vec<u8>) {
        self.node.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphNodeParams { node: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphNodeParams {
    const OP: u16 = 288;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphNodeParams {
    type Reply<'r> = GraphNodeParamsReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphNodeParamsReply {
    pub kind: i32,
    pub object: u64,
    pub numbers: List<u64>,
}

impl<'a> Field<'a> for GraphNodeParamsReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.kind.put(out);
        self.object.put(out);
        self.numbers.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphNodeParamsReply {
            kind: Field::take(reader)?,
            object: Field::take(reader)?,
            numbers: Field::take(reader)?,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphSetNodeAttribute<'a> {
    pub node: u64,
    pub attribute: i32,
    pub value: &'a [u8],
}

impl<'a> Field<'a> for GraphSetNodeAttribute<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.node.put(out);
        self.attribute.put(out);
        self.value.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphSetNodeAttribute {
            node: Field::take(reader)?,
            attribute: Field::take(reader)?,
            value: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphSetNodeAttribute<'a> {
    const OP: u16 = 289;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphNodeAttribute {
    pub node: u64,
    pub attribute: i32,
}

impl<'a> Field<'a> for GraphNodeAttribute {
    fn put(&self, out: &mut Vec<u8>) {
        self.node.put(out);
        self.attribute.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphNodeAttribute { node: Field::take(reader)?, attribute: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphNodeAttribute {
    const OP: u16 = 290;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphNodeAttribute {
    type Reply<'r> = GraphNodeAttributeReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphNodeAttributeReply<'a> {
    pub value: &'a [u8],
}

impl<'a> Field<'a> for GraphNodeAttributeReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.value.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphNodeAttributeReply { value: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphFindInClone {
    pub node: u64,
    pub graph: u64,
}

impl<'a> Field<'a> for GraphFindInClone {
    fn put(&self, out: &mut Vec<u8>) {
        self.node.put(out);
        self.graph.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphFindInClone { node: Field::take(reader)?, graph: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphFindInClone {
    const OP: u16 = 291;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphFindInClone {
    type Reply<'r> = GraphFindInCloneReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphFindInCloneReply {
    pub node: u64,
}

impl<'a> Field<'a> for GraphFindInCloneReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.node.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphFindInCloneReply { node: Field::take(reader)? })
    }
}

/// Adds a copy between the device and the program's memory. At each launch, a callback of the
/// client reads or writes the bytes in the program's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphAddCopy<'a> {
    pub graph: u64,
    pub dependencies: List<u64>,
    pub edges: &'a [u8],
    pub callback: u64,
    pub to_host: bool,
    pub transfer: u64,
    pub address: u64,
    pub pitch_bytes: u64,
    pub width_bytes: u64,
    pub rows: u64,
}

impl<'a> Field<'a> for GraphAddCopy<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.graph.put(out);
        self.dependencies.put(out);
        self.edges.put(out);
        self.callback.put(out);
        self.to_host.put(out);
        self.transfer.put(out);
        self.address.put(out);
        self.pitch_bytes.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphAddCopy {
            graph: Field::take(reader)?,
            dependencies: Field::take(reader)?,
            edges: Field::take(reader)?,
            callback: Field::take(reader)?,
            to_host: Field::take(reader)?,
            transfer: Field::take(reader)?,
            address: Field::take(reader)?,
            pitch_bytes: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphAddCopy<'a> {
    const OP: u16 = 165;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphAddCopy<'_> {
    type Reply<'r> = GraphAddCopyReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphAddCopyReply {
    pub node: u64,
}

impl<'a> Field<'a> for GraphAddCopyReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.node.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphAddCopyReply { node: Field::take(reader)? })
    }
}

/// Replaces the parameters of a GraphAddCopy copy in an executable graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphSetCopy {
    pub exec: u64,
    pub node: u64,
    pub callback: u64,
    pub to_host: bool,
    pub transfer: u64,
    pub address: u64,
    pub pitch_bytes: u64,
    pub width_bytes: u64,
    pub rows: u64,
}

impl<'a> Field<'a> for GraphSetCopy {
    fn put(&self, out: &mut Vec<u8>) {
        self.exec.put(out);
        self.node.put(out);
        self.callback.put(out);
        self.to_host.put(out);
        self.transfer.put(out);
        self.address.put(out);
        self.pitch_bytes.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphSetCopy {
            exec: Field::take(reader)?,
            node: Field::take(reader)?,
            callback: Field::take(reader)?,
            to_host: Field::take(reader)?,
            transfer: Field::take(reader)?,
            address: Field::take(reader)?,
            pitch_bytes: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphSetCopy {
    const OP: u16 = 365;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphSetCopy {
    type Reply<'r> = ();
}

/// Returns the graph inside a child node, under the client's handle or an earlier one, and the
/// graph that contains the node.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphChild {
    pub node: u64,
    pub graph: u64,
}

impl<'a> Field<'a> for GraphChild {
    fn put(&self, out: &mut Vec<u8>) {
        self.node.put(out);
        self.graph.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphChild { node: Field::take(reader)?, graph: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphChild {
    const OP: u16 = 408;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphChild {
    type Reply<'r> = GraphChildReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphChildReply {
    pub graph: u64,
    pub around: u64,
}

impl<'a> Field<'a> for GraphChildReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.graph.put(out);
        self.around.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphChildReply { graph: Field::take(reader)?, around: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphNodeType {
    pub node: u64,
}

impl<'a> Field<'a> for GraphNodeType {
    fn put(&self, out: &mut Vec<u8>) {
        self.node.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphNodeType { node: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphNodeType {
    const OP: u16 = 151;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphNodeType {
    type Reply<'r> = GraphNodeTypeReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphNodeTypeReply {
    pub kind: i32,
}

impl<'a> Field<'a> for GraphNodeTypeReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.kind.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphNodeTypeReply { kind: Field::take(reader)? })
    }
}

/// Adds a copy between the device and the program's memory to a stream that captures.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureCopy {
    pub stream: u64,
    pub callback: u64,
    pub to_host: bool,
    pub transfer: u64,
    pub address: u64,
    pub pitch_bytes: u64,
    pub width_bytes: u64,
    pub rows: u64,
}

impl<'a> Field<'a> for CaptureCopy {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.callback.put(out);
        self.to_host.put(out);
        self.transfer.put(out);
        self.address.put(out);
        self.pitch_bytes.put(out);
        self.width_bytes.put(out);
        self.rows.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CaptureCopy {
            stream: Field::take(reader)?,
            callback: Field::take(reader)?,
            to_host: Field::take(reader)?,
            transfer: Field::take(reader)?,
            address: Field::take(reader)?,
            pitch_bytes: Field::take(reader)?,
            width_bytes: Field::take(reader)?,
            rows: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for CaptureCopy {
    const OP: u16 = 145;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// On the callback lane: the bytes that a captured copy reads at this launch.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureBytes {
    pub callback: u64,
    pub offset: u64,
}

impl<'a> Field<'a> for CaptureBytes {
    fn put(&self, out: &mut Vec<u8>) {
        self.callback.put(out);
        self.offset.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CaptureBytes { callback: Field::take(reader)?, offset: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for CaptureBytes {
    const OP: u16 = 146;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(16);
}

#[derive(Clone, Debug, PartialEq)]
pub struct UserObjectCreate {
    pub object: u64,
    pub callback: u64,
    pub references: u32,
    pub flags: u32,
}

impl<'a> Field<'a> for UserObjectCreate {
    fn put(&self, out: &mut Vec<u8>) {
        self.object.put(out);
        self.callback.put(out);
        self.references.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(UserObjectCreate {
            object: Field::take(reader)?,
            callback: Field::take(reader)?,
            references: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for UserObjectCreate {
    const OP: u16 = 147;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// The device will not call this callback any more.
#[derive(Clone, Debug, PartialEq)]
pub struct ForgetCallback {
    pub callback: u64,
}

impl<'a> Field<'a> for ForgetCallback {
    fn put(&self, out: &mut Vec<u8>) {
        self.callback.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ForgetCallback { callback: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ForgetCallback {
    const OP: u16 = 148;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// calls_back: the graph has host functions, or copies from or to the program's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphLaunch {
    pub exec: u64,
    pub stream: u64,
    pub calls_back: bool,
}

impl<'a> Field<'a> for GraphLaunch {
    fn put(&self, out: &mut Vec<u8>) {
        self.exec.put(out);
        self.stream.put(out);
        self.calls_back.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphLaunch {
            exec: Field::take(reader)?,
            stream: Field::take(reader)?,
            calls_back: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphLaunch {
    const OP: u16 = 164;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphKernelNode {
    pub node: u64,
}

impl<'a> Field<'a> for GraphKernelNode {
    fn put(&self, out: &mut Vec<u8>) {
        self.node.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphKernelNode { node: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphKernelNode {
    const OP: u16 = 149;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphKernelNode {
    type Reply<'r> = GraphKernelNodeReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphKernelNodeReply<'a> {
    pub graph: u64,
    pub function: u64,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub params: &'a [u8],
}

impl<'a> Field<'a> for GraphKernelNodeReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.graph.put(out);
        self.function.put(out);
        self.grid.put(out);
        self.block.put(out);
        self.shared_bytes.put(out);
        self.params.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphKernelNodeReply {
            graph: Field::take(reader)?,
            function: Field::take(reader)?,
            grid: Field::take(reader)?,
            block: Field::take(reader)?,
            shared_bytes: Field::take(reader)?,
            params: Field::take(reader)?,
        })
    }
}

/// function: the function's number in spec/nvml.rs. input: ordinals and numbers of 4 bytes, in the
/// order of the function's parameters. The answer is NOT_SUPPORTED if the node has no NVML, or if
/// its NVML does not know the device.
#[derive(Clone, Debug, PartialEq)]
pub struct NvmlAsk<'a> {
    pub function: u32,
    pub input: &'a [u8],
}

impl<'a> Field<'a> for NvmlAsk<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.function.put(out);
        self.input.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlAsk { function: Field::take(reader)?, input: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for NvmlAsk<'a> {
    const OP: u16 = 90;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for NvmlAsk<'_> {
    type Reply<'r> = NvmlAskReply<'r>;
}

/// status: NVML's status. output: numbers and structs unchanged, and texts after their length.
#[derive(Clone, Debug, PartialEq)]
pub struct NvmlAskReply<'a> {
    pub status: i32,
    pub output: &'a [u8],
}

impl<'a> Field<'a> for NvmlAskReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.status.put(out);
        self.output.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlAskReply { status: Field::take(reader)?, output: Field::take(reader)? })
    }
}

/// Returns the version of the node's NVIDIA driver or, if the node has no such driver, of the node.
#[derive(Clone, Debug, PartialEq)]
pub struct NvmlDriverVersion {}

impl<'a> Field<'a> for NvmlDriverVersion {
    fn put(&self, _out: &mut Vec<u8>) {}

    fn take(_reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlDriverVersion {})
    }
}

impl<'a> Message<'a> for NvmlDriverVersion {
    const OP: u16 = 91;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for NvmlDriverVersion {
    type Reply<'r> = NvmlDriverVersionReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct NvmlDriverVersionReply<'a> {
    pub text: &'a str,
}

impl<'a> Field<'a> for NvmlDriverVersionReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.text.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlDriverVersionReply { text: Field::take(reader)? })
    }
}

/// Returns the device's memory for this session: its total, used and free bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct NvmlMemory {
    pub device: i32,
}

impl<'a> Field<'a> for NvmlMemory {
    fn put(&self, out: &mut Vec<u8>) {
        self.device.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlMemory { device: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for NvmlMemory {
    const OP: u16 = 92;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for NvmlMemory {
    type Reply<'r> = NvmlMemoryReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct NvmlMemoryReply {
    pub total_bytes: u64,
    pub used_bytes: u64,
    pub free_bytes: u64,
}

impl<'a> Field<'a> for NvmlMemoryReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.total_bytes.put(out);
        self.used_bytes.put(out);
        self.free_bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlMemoryReply {
            total_bytes: Field::take(reader)?,
            used_bytes: Field::take(reader)?,
            free_bytes: Field::take(reader)?,
        })
    }
}

/// fields: pairs of field and scope. The reply has one record for each pair.
#[derive(Clone, Debug, PartialEq)]
pub struct NvmlFields {
    pub device: i32,
    pub fields: List<NvmlField>,
}

impl<'a> Field<'a> for NvmlFields {
    fn put(&self, out: &mut Vec<u8>) {
        self.device.put(out);
        self.fields.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlFields { device: Field::take(reader)?, fields: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for NvmlFields {
    const OP: u16 = 93;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for NvmlFields {
    type Reply<'r> = NvmlFieldsReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct NvmlField {
    pub field: u32,
    pub scope: u32,
}

impl<'a> Field<'a> for NvmlField {
    fn put(&self, out: &mut Vec<u8>) {
        self.field.put(out);
        self.scope.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlField { field: Field::take(reader)?, scope: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct NvmlFieldsReply {
    pub values: List<NvmlFieldValue>,
}

impl<'a> Field<'a> for NvmlFieldsReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.values.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlFieldsReply { values: Field::take(reader)? })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct NvmlFieldValue {
    pub status: i32,
    pub kind: u32,
    pub value: u64,
    pub timestamp_us: u64,
    pub latency_us: u64,
}

impl<'a> Field<'a> for NvmlFieldValue {
    fn put(&self, out: &mut Vec<u8>) {
        self.status.put(out);
        self.kind.put(out);
        self.value.put(out);
        self.timestamp_us.put(out);
        self.latency_us.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlFieldValue {
            status: Field::take(reader)?,
            kind: Field::take(reader)?,
            value: Field::take(reader)?,
            timestamp_us: Field::take(reader)?,
            latency_us: Field::take(reader)?,
        })
    }
}

/// Returns the PCI identity that CUDA does not report: device and subsystem. NOT_SUPPORTED has the
/// meaning that it has for NvmlAsk.
#[derive(Clone, Debug, PartialEq)]
pub struct NvmlPciIds {
    pub device: i32,
}

impl<'a> Field<'a> for NvmlPciIds {
    fn put(&self, out: &mut Vec<u8>) {
        self.device.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlPciIds { device: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for NvmlPciIds {
    const OP: u16 = 94;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for NvmlPciIds {
    type Reply<'r> = NvmlPciIdsReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct NvmlPciIdsReply {
    pub device_id: u32,
    pub subsystem_id: u32,
}

impl<'a> Field<'a> for NvmlPciIdsReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.device_id.put(out);
        self.subsystem_id.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(NvmlPciIdsReply { device_id: Field::take(reader)?, subsystem_id: Field::take(reader)? })
    }
}

/// Answers the call whose sequence number is in the frame's header. The reply's fields follow the
/// status.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub status: i32,
}

impl<'a> Field<'a> for Reply {
    fn put(&self, out: &mut Vec<u8>) {
        self.status.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Reply { status: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for Reply {
    const OP: u16 = 80;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = Some(4);
}

/// A post failed. sequence: the post's sequence number.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault<'a> {
    pub sequence: u64,
    pub status: i32,
    pub what: &'a str,
}

impl<'a> Field<'a> for Fault<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.sequence.put(out);
        self.status.put(out);
        self.what.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Fault {
            sequence: Field::take(reader)?,
            status: Field::take(reader)?,
            what: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for Fault<'a> {
    const OP: u16 = 81;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// The reason why the worker ends the session. No message follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Farewell<'a> {
    pub reason: &'a str,
}

impl<'a> Field<'a> for Farewell<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.reason.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Farewell { reason: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for Farewell<'a> {
    const OP: u16 = 321;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// Text that kernels printed, for descriptor 1 or 2.
#[derive(Clone, Debug, PartialEq)]
pub struct Output<'a> {
    pub descriptor: u8,
    pub text: &'a [u8],
}

impl<'a> Field<'a> for Output<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.descriptor.put(out);
        self.text.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Output { descriptor: Field::take(reader)?, text: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for Output<'a> {
    const OP: u16 = 82;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// `cuDeviceGetTexture1DLinearMaxWidth`
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceGetTexture1DLinearMaxWidth {
    pub format: i32,
    pub num_channels: u32,
    pub dev: i32,
}

impl<'a> Field<'a> for DeviceGetTexture1DLinearMaxWidth {
    fn put(&self, out: &mut Vec<u8>) {
        self.format.put(out);
        self.num_channels.put(out);
        self.dev.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(DeviceGetTexture1DLinearMaxWidth {
            format: Field::take(reader)?,
            num_channels: Field::take(reader)?,
            dev: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for DeviceGetTexture1DLinearMaxWidth {
    const OP: u16 = 104;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for DeviceGetTexture1DLinearMaxWidth {
    type Reply<'r> = DeviceGetTexture1DLinearMaxWidthReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct DeviceGetTexture1DLinearMaxWidthReply {
    pub max_width_in_elements: u64,
}

impl<'a> Field<'a> for DeviceGetTexture1DLinearMaxWidthReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.max_width_in_elements.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(DeviceGetTexture1DLinearMaxWidthReply { max_width_in_elements: Field::take(reader)? })
    }
}

/// `cuCtxGetCacheConfig`
#[derive(Clone, Debug, PartialEq)]
pub struct CtxGetCacheConfig {}

impl<'a> Field<'a> for CtxGetCacheConfig {
    fn put(&self, _out: &mut Vec<u8>) {}

    fn take(_reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CtxGetCacheConfig {})
    }
}

impl<'a> Message<'a> for CtxGetCacheConfig {
    const OP: u16 = 103;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for CtxGetCacheConfig {
    type Reply<'r> = CtxGetCacheConfigReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct CtxGetCacheConfigReply {
    pub pconfig: i32,
}

impl<'a> Field<'a> for CtxGetCacheConfigReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.pconfig.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CtxGetCacheConfigReply { pconfig: Field::take(reader)? })
    }
}

/// `cuCtxGetStreamPriorityRange`
#[derive(Clone, Debug, PartialEq)]
pub struct CtxGetStreamPriorityRange {}

impl<'a> Field<'a> for CtxGetStreamPriorityRange {
    fn put(&self, _out: &mut Vec<u8>) {}

    fn take(_reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CtxGetStreamPriorityRange {})
    }
}

impl<'a> Message<'a> for CtxGetStreamPriorityRange {
    const OP: u16 = 100;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for CtxGetStreamPriorityRange {
    type Reply<'r> = CtxGetStreamPriorityRangeReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct CtxGetStreamPriorityRangeReply {
    pub least_priority: i32,
    pub greatest_priority: i32,
}

impl<'a> Field<'a> for CtxGetStreamPriorityRangeReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.least_priority.put(out);
        self.greatest_priority.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CtxGetStreamPriorityRangeReply {
            least_priority: Field::take(reader)?,
            greatest_priority: Field::take(reader)?,
        })
    }
}

/// `cuCtxResetPersistingL2Cache`
#[derive(Clone, Debug, PartialEq)]
pub struct CtxResetPersistingL2Cache {}

impl<'a> Field<'a> for CtxResetPersistingL2Cache {
    fn put(&self, _out: &mut Vec<u8>) {}

    fn take(_reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CtxResetPersistingL2Cache {})
    }
}

impl<'a> Message<'a> for CtxResetPersistingL2Cache {
    const OP: u16 = 101;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// `cuCtxSetCacheConfig`
#[derive(Clone, Debug, PartialEq)]
pub struct CtxSetCacheConfig {
    pub config: i32,
}

impl<'a> Field<'a> for CtxSetCacheConfig {
    fn put(&self, out: &mut Vec<u8>) {
        self.config.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(CtxSetCacheConfig { config: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for CtxSetCacheConfig {
    const OP: u16 = 102;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

/// `cuOccupancyAvailableDynamicSMemPerBlock`
#[derive(Clone, Debug, PartialEq)]
pub struct OccupancyAvailableDynamicSMemPerBlock {
    pub func: u64,
    pub num_blocks: i32,
    pub block_size: i32,
}

impl<'a> Field<'a> for OccupancyAvailableDynamicSMemPerBlock {
    fn put(&self, out: &mut Vec<u8>) {
        self.func.put(out);
        self.num_blocks.put(out);
        self.block_size.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(OccupancyAvailableDynamicSMemPerBlock {
            func: Field::take(reader)?,
            num_blocks: Field::take(reader)?,
            block_size: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for OccupancyAvailableDynamicSMemPerBlock {
    const OP: u16 = 116;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for OccupancyAvailableDynamicSMemPerBlock {
    type Reply<'r> = OccupancyAvailableDynamicSMemPerBlockReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct OccupancyAvailableDynamicSMemPerBlockReply {
    pub dynamic_smem_size: u64,
}

impl<'a> Field<'a> for OccupancyAvailableDynamicSMemPerBlockReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.dynamic_smem_size.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(OccupancyAvailableDynamicSMemPerBlockReply { dynamic_smem_size: Field::take(reader)? })
    }
}

/// `cuOccupancyMaxActiveBlocksPerMultiprocessor`
#[derive(Clone, Debug, PartialEq)]
pub struct OccupancyMaxActiveBlocksPerMultiprocessor {
    pub func: u64,
    pub block_size: i32,
    pub dynamic_smem_size: u64,
}

impl<'a> Field<'a> for OccupancyMaxActiveBlocksPerMultiprocessor {
    fn put(&self, out: &mut Vec<u8>) {
        self.func.put(out);
        self.block_size.put(out);
        self.dynamic_smem_size.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(OccupancyMaxActiveBlocksPerMultiprocessor {
            func: Field::take(reader)?,
            block_size: Field::take(reader)?,
            dynamic_smem_size: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for OccupancyMaxActiveBlocksPerMultiprocessor {
    const OP: u16 = 117;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for OccupancyMaxActiveBlocksPerMultiprocessor {
    type Reply<'r> = OccupancyMaxActiveBlocksPerMultiprocessorReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct OccupancyMaxActiveBlocksPerMultiprocessorReply {
    pub num_blocks: i32,
}

impl<'a> Field<'a> for OccupancyMaxActiveBlocksPerMultiprocessorReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.num_blocks.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(OccupancyMaxActiveBlocksPerMultiprocessorReply { num_blocks: Field::take(reader)? })
    }
}

/// `cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags`
#[derive(Clone, Debug, PartialEq)]
pub struct OccupancyMaxActiveBlocksPerMultiprocessorWithFlags {
    pub func: u64,
    pub block_size: i32,
    pub dynamic_smem_size: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for OccupancyMaxActiveBlocksPerMultiprocessorWithFlags {
    fn put(&self, out: &mut Vec<u8>) {
        self.func.put(out);
        self.block_size.put(out);
        self.dynamic_smem_size.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags {
            func: Field::take(reader)?,
            block_size: Field::take(reader)?,
            dynamic_smem_size: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for OccupancyMaxActiveBlocksPerMultiprocessorWithFlags {
    const OP: u16 = 118;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for OccupancyMaxActiveBlocksPerMultiprocessorWithFlags {
    type Reply<'r> = OccupancyMaxActiveBlocksPerMultiprocessorWithFlagsReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct OccupancyMaxActiveBlocksPerMultiprocessorWithFlagsReply {
    pub num_blocks: i32,
}

impl<'a> Field<'a> for OccupancyMaxActiveBlocksPerMultiprocessorWithFlagsReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.num_blocks.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(OccupancyMaxActiveBlocksPerMultiprocessorWithFlagsReply {
            num_blocks: Field::take(reader)?,
        })
    }
}

/// `cuStreamBatchMemOp_v2`
#[derive(Clone, Debug, PartialEq)]
pub struct StreamBatchMemOp<'a> {
    pub stream: u64,
    pub count: u32,
    pub param_array: &'a [u8],
    pub flags: u32,
}

impl<'a> Field<'a> for StreamBatchMemOp<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.count.put(out);
        self.param_array.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamBatchMemOp {
            stream: Field::take(reader)?,
            count: Field::take(reader)?,
            param_array: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for StreamBatchMemOp<'a> {
    const OP: u16 = 292;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuStreamCopyAttributes`
#[derive(Clone, Debug, PartialEq)]
pub struct StreamCopyAttributes {
    pub dst: u64,
    pub src: u64,
}

impl<'a> Field<'a> for StreamCopyAttributes {
    fn put(&self, out: &mut Vec<u8>) {
        self.dst.put(out);
        self.src.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamCopyAttributes { dst: Field::take(reader)?, src: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for StreamCopyAttributes {
    const OP: u16 = 119;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for StreamCopyAttributes {
    type Reply<'r> = ();
}

/// `cuStreamGetAttribute`
#[derive(Clone, Debug, PartialEq)]
pub struct StreamGetAttribute {
    pub stream: u64,
    pub attr: i32,
}

impl<'a> Field<'a> for StreamGetAttribute {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.attr.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamGetAttribute { stream: Field::take(reader)?, attr: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for StreamGetAttribute {
    const OP: u16 = 120;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

impl Call for StreamGetAttribute {
    type Reply<'r> = StreamGetAttributeReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct StreamGetAttributeReply<'a> {
    pub value_out: &'a [u8],
}

impl<'a> Field<'a> for StreamGetAttributeReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.value_out.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamGetAttributeReply { value_out: Field::take(reader)? })
    }
}

/// `cuStreamSetAttribute`
#[derive(Clone, Debug, PartialEq)]
pub struct StreamSetAttribute<'a> {
    pub stream: u64,
    pub attr: i32,
    pub value: &'a [u8],
}

impl<'a> Field<'a> for StreamSetAttribute<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.attr.put(out);
        self.value.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamSetAttribute {
            stream: Field::take(reader)?,
            attr: Field::take(reader)?,
            value: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for StreamSetAttribute<'a> {
    const OP: u16 = 121;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

impl Call for StreamSetAttribute<'_> {
    type Reply<'r> = ();
}

/// `cuStreamWaitValue32_v2`
#[derive(Clone, Debug, PartialEq)]
pub struct StreamWaitValue32 {
    pub stream: u64,
    pub addr: u64,
    pub value: u32,
    pub flags: u32,
}

impl<'a> Field<'a> for StreamWaitValue32 {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.addr.put(out);
        self.value.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamWaitValue32 {
            stream: Field::take(reader)?,
            addr: Field::take(reader)?,
            value: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for StreamWaitValue32 {
    const OP: u16 = 123;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuStreamWaitValue64_v2`
#[derive(Clone, Debug, PartialEq)]
pub struct StreamWaitValue64 {
    pub stream: u64,
    pub addr: u64,
    pub value: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for StreamWaitValue64 {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.addr.put(out);
        self.value.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamWaitValue64 {
            stream: Field::take(reader)?,
            addr: Field::take(reader)?,
            value: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for StreamWaitValue64 {
    const OP: u16 = 124;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuStreamWriteValue32_v2`
#[derive(Clone, Debug, PartialEq)]
pub struct StreamWriteValue32 {
    pub stream: u64,
    pub addr: u64,
    pub value: u32,
    pub flags: u32,
}

impl<'a> Field<'a> for StreamWriteValue32 {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.addr.put(out);
        self.value.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamWriteValue32 {
            stream: Field::take(reader)?,
            addr: Field::take(reader)?,
            value: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for StreamWriteValue32 {
    const OP: u16 = 125;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuStreamWriteValue64_v2`
#[derive(Clone, Debug, PartialEq)]
pub struct StreamWriteValue64 {
    pub stream: u64,
    pub addr: u64,
    pub value: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for StreamWriteValue64 {
    fn put(&self, out: &mut Vec<u8>) {
        self.stream.put(out);
        self.addr.put(out);
        self.value.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(StreamWriteValue64 {
            stream: Field::take(reader)?,
            addr: Field::take(reader)?,
            value: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for StreamWriteValue64 {
    const OP: u16 = 126;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuMemsetD16Async`
#[derive(Clone, Debug, PartialEq)]
pub struct MemsetD16Async {
    pub dst_device: u64,
    pub us: u16,
    pub n: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for MemsetD16Async {
    fn put(&self, out: &mut Vec<u8>) {
        self.dst_device.put(out);
        self.us.put(out);
        self.n.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemsetD16Async {
            dst_device: Field::take(reader)?,
            us: Field::take(reader)?,
            n: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for MemsetD16Async {
    const OP: u16 = 110;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuMemsetD2D16Async`
#[derive(Clone, Debug, PartialEq)]
pub struct MemsetD2D16Async {
    pub dst_device: u64,
    pub dst_pitch: u64,
    pub us: u16,
    pub width: u64,
    pub height: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for MemsetD2D16Async {
    fn put(&self, out: &mut Vec<u8>) {
        self.dst_device.put(out);
        self.dst_pitch.put(out);
        self.us.put(out);
        self.width.put(out);
        self.height.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemsetD2D16Async {
            dst_device: Field::take(reader)?,
            dst_pitch: Field::take(reader)?,
            us: Field::take(reader)?,
            width: Field::take(reader)?,
            height: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for MemsetD2D16Async {
    const OP: u16 = 111;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuMemsetD2D32Async`
#[derive(Clone, Debug, PartialEq)]
pub struct MemsetD2D32Async {
    pub dst_device: u64,
    pub dst_pitch: u64,
    pub ui: u32,
    pub width: u64,
    pub height: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for MemsetD2D32Async {
    fn put(&self, out: &mut Vec<u8>) {
        self.dst_device.put(out);
        self.dst_pitch.put(out);
        self.ui.put(out);
        self.width.put(out);
        self.height.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemsetD2D32Async {
            dst_device: Field::take(reader)?,
            dst_pitch: Field::take(reader)?,
            ui: Field::take(reader)?,
            width: Field::take(reader)?,
            height: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for MemsetD2D32Async {
    const OP: u16 = 112;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuMemsetD2D8Async`
#[derive(Clone, Debug, PartialEq)]
pub struct MemsetD2D8Async {
    pub dst_device: u64,
    pub dst_pitch: u64,
    pub uc: u8,
    pub width: u64,
    pub height: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for MemsetD2D8Async {
    fn put(&self, out: &mut Vec<u8>) {
        self.dst_device.put(out);
        self.dst_pitch.put(out);
        self.uc.put(out);
        self.width.put(out);
        self.height.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemsetD2D8Async {
            dst_device: Field::take(reader)?,
            dst_pitch: Field::take(reader)?,
            uc: Field::take(reader)?,
            width: Field::take(reader)?,
            height: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for MemsetD2D8Async {
    const OP: u16 = 113;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuMemsetD32Async`
#[derive(Clone, Debug, PartialEq)]
pub struct MemsetD32Async {
    pub dst_device: u64,
    pub ui: u32,
    pub n: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for MemsetD32Async {
    fn put(&self, out: &mut Vec<u8>) {
        self.dst_device.put(out);
        self.ui.put(out);
        self.n.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemsetD32Async {
            dst_device: Field::take(reader)?,
            ui: Field::take(reader)?,
            n: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for MemsetD32Async {
    const OP: u16 = 114;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuMemsetD8Async`
#[derive(Clone, Debug, PartialEq)]
pub struct MemsetD8Async {
    pub dst_device: u64,
    pub uc: u8,
    pub n: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for MemsetD8Async {
    fn put(&self, out: &mut Vec<u8>) {
        self.dst_device.put(out);
        self.uc.put(out);
        self.n.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MemsetD8Async {
            dst_device: Field::take(reader)?,
            uc: Field::take(reader)?,
            n: Field::take(reader)?,
            stream: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for MemsetD8Async {
    const OP: u16 = 115;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuGraphExecGetFlags`
#[derive(Clone, Debug, PartialEq)]
pub struct GraphExecGetFlags {
    pub h_graph_exec: u64,
}

impl<'a> Field<'a> for GraphExecGetFlags {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_graph_exec.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphExecGetFlags { h_graph_exec: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphExecGetFlags {
    const OP: u16 = 152;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphExecGetFlags {
    type Reply<'r> = GraphExecGetFlagsReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphExecGetFlagsReply {
    pub flags: u64,
}

impl<'a> Field<'a> for GraphExecGetFlagsReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphExecGetFlagsReply { flags: Field::take(reader)? })
    }
}

/// `cuGraphKernelNodeCopyAttributes`
#[derive(Clone, Debug, PartialEq)]
pub struct GraphKernelNodeCopyAttributes {
    pub dst: u64,
    pub src: u64,
}

impl<'a> Field<'a> for GraphKernelNodeCopyAttributes {
    fn put(&self, out: &mut Vec<u8>) {
        self.dst.put(out);
        self.src.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphKernelNodeCopyAttributes { dst: Field::take(reader)?, src: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphKernelNodeCopyAttributes {
    const OP: u16 = 163;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphKernelNodeCopyAttributes {
    type Reply<'r> = ();
}

/// `cuGraphNodeGetEnabled`
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNodeGetEnabled {
    pub h_graph_exec: u64,
    pub h_node: u64,
}

impl<'a> Field<'a> for GraphNodeGetEnabled {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_graph_exec.put(out);
        self.h_node.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphNodeGetEnabled { h_graph_exec: Field::take(reader)?, h_node: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphNodeGetEnabled {
    const OP: u16 = 158;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphNodeGetEnabled {
    type Reply<'r> = GraphNodeGetEnabledReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphNodeGetEnabledReply {
    pub is_enabled: u32,
}

impl<'a> Field<'a> for GraphNodeGetEnabledReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_enabled.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphNodeGetEnabledReply { is_enabled: Field::take(reader)? })
    }
}

/// `cuGraphNodeSetEnabled`
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNodeSetEnabled {
    pub h_graph_exec: u64,
    pub h_node: u64,
    pub is_enabled: u32,
}

impl<'a> Field<'a> for GraphNodeSetEnabled {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_graph_exec.put(out);
        self.h_node.put(out);
        self.is_enabled.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphNodeSetEnabled {
            h_graph_exec: Field::take(reader)?,
            h_node: Field::take(reader)?,
            is_enabled: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphNodeSetEnabled {
    const OP: u16 = 157;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphNodeSetEnabled {
    type Reply<'r> = ();
}

/// `cuGraphReleaseUserObject`
#[derive(Clone, Debug, PartialEq)]
pub struct GraphReleaseUserObject {
    pub graph: u64,
    pub object: u64,
    pub count: u32,
}

impl<'a> Field<'a> for GraphReleaseUserObject {
    fn put(&self, out: &mut Vec<u8>) {
        self.graph.put(out);
        self.object.put(out);
        self.count.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphReleaseUserObject {
            graph: Field::take(reader)?,
            object: Field::take(reader)?,
            count: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphReleaseUserObject {
    const OP: u16 = 156;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphReleaseUserObject {
    type Reply<'r> = ();
}

/// `cuGraphRetainUserObject`
#[derive(Clone, Debug, PartialEq)]
pub struct GraphRetainUserObject {
    pub graph: u64,
    pub object: u64,
    pub count: u32,
    pub flags: u32,
}

impl<'a> Field<'a> for GraphRetainUserObject {
    fn put(&self, out: &mut Vec<u8>) {
        self.graph.put(out);
        self.object.put(out);
        self.count.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphRetainUserObject {
            graph: Field::take(reader)?,
            object: Field::take(reader)?,
            count: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for GraphRetainUserObject {
    const OP: u16 = 155;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for GraphRetainUserObject {
    type Reply<'r> = ();
}

/// `cuGraphUpload`
#[derive(Clone, Debug, PartialEq)]
pub struct GraphUpload {
    pub h_graph: u64,
    pub stream: u64,
}

impl<'a> Field<'a> for GraphUpload {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_graph.put(out);
        self.stream.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(GraphUpload { h_graph: Field::take(reader)?, stream: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for GraphUpload {
    const OP: u16 = 150;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;

    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
}

/// `cuUserObjectRelease`
#[derive(Clone, Debug, PartialEq)]
pub struct UserObjectRelease {
    pub object: u64,
    pub count: u32,
}

impl<'a> Field<'a> for UserObjectRelease {
    fn put(&self, out: &mut Vec<u8>) {
        self.object.put(out);
        self.count.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(UserObjectRelease { object: Field::take(reader)?, count: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for UserObjectRelease {
    const OP: u16 = 154;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for UserObjectRelease {
    type Reply<'r> = ();
}

/// `cuUserObjectRetain`
#[derive(Clone, Debug, PartialEq)]
pub struct UserObjectRetain {
    pub object: u64,
    pub count: u32,
}

impl<'a> Field<'a> for UserObjectRetain {
    fn put(&self, out: &mut Vec<u8>) {
        self.object.put(out);
        self.count.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(UserObjectRetain { object: Field::take(reader)?, count: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for UserObjectRetain {
    const OP: u16 = 153;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for UserObjectRetain {
    type Reply<'r> = ();
}

/// `cuArrayGetMemoryRequirements`
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayGetMemoryRequirements {
    pub array: u64,
    pub device: i32,
}

impl<'a> Field<'a> for ArrayGetMemoryRequirements {
    fn put(&self, out: &mut Vec<u8>) {
        self.array.put(out);
        self.device.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ArrayGetMemoryRequirements { array: Field::take(reader)?, device: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for ArrayGetMemoryRequirements {
    const OP: u16 = 213;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for ArrayGetMemoryRequirements {
    type Reply<'r> = ArrayGetMemoryRequirementsReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ArrayGetMemoryRequirementsReply<'a> {
    pub memory_requirements: &'a [u8],
}

impl<'a> Field<'a> for ArrayGetMemoryRequirementsReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.memory_requirements.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(ArrayGetMemoryRequirementsReply { memory_requirements: Field::take(reader)? })
    }
}

/// `cuMipmappedArrayGetMemoryRequirements`
#[derive(Clone, Debug, PartialEq)]
pub struct MipmappedArrayGetMemoryRequirements {
    pub mipmap: u64,
    pub device: i32,
}

impl<'a> Field<'a> for MipmappedArrayGetMemoryRequirements {
    fn put(&self, out: &mut Vec<u8>) {
        self.mipmap.put(out);
        self.device.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MipmappedArrayGetMemoryRequirements {
            mipmap: Field::take(reader)?,
            device: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for MipmappedArrayGetMemoryRequirements {
    const OP: u16 = 214;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for MipmappedArrayGetMemoryRequirements {
    type Reply<'r> = MipmappedArrayGetMemoryRequirementsReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct MipmappedArrayGetMemoryRequirementsReply<'a> {
    pub memory_requirements: &'a [u8],
}

impl<'a> Field<'a> for MipmappedArrayGetMemoryRequirementsReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.memory_requirements.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(MipmappedArrayGetMemoryRequirementsReply { memory_requirements: Field::take(reader)? })
    }
}

/// `cuSurfRefSetArray`
#[derive(Clone, Debug, PartialEq)]
pub struct SurfRefSetArray {
    pub h_surf_ref: u64,
    pub h_array: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for SurfRefSetArray {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_surf_ref.put(out);
        self.h_array.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(SurfRefSetArray {
            h_surf_ref: Field::take(reader)?,
            h_array: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for SurfRefSetArray {
    const OP: u16 = 433;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for SurfRefSetArray {
    type Reply<'r> = ();
}

/// `cuTensorMapEncodeIm2col`
#[derive(Clone, Debug, PartialEq)]
pub struct TensorMapEncodeIm2col<'a> {
    pub tensor_data_type: i32,
    pub tensor_rank: u32,
    pub global_address: u64,
    pub global_dim: &'a [u8],
    pub global_strides: &'a [u8],
    pub pixel_box_lower_corner: &'a [u8],
    pub pixel_box_upper_corner: &'a [u8],
    pub channels_per_pixel: u32,
    pub pixels_per_column: u32,
    pub element_strides: &'a [u8],
    pub interleave: i32,
    pub swizzle: i32,
    pub l2_promotion: i32,
    pub oob_fill: i32,
}

impl<'a> Field<'a> for TensorMapEncodeIm2col<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.tensor_data_type.put(out);
        self.tensor_rank.put(out);
        self.global_address.put(out);
        self.global_dim.put(out);
        self.global_strides.put(out);
        self.pixel_box_lower_corner.put(out);
        self.pixel_box_upper_corner.put(out);
        self.channels_per_pixel.put(out);
        self.pixels_per_column.put(out);
        self.element_strides.put(out);
        self.interleave.put(out);
        self.swizzle.put(out);
        self.l2_promotion.put(out);
        self.oob_fill.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TensorMapEncodeIm2col {
            tensor_data_type: Field::take(reader)?,
            tensor_rank: Field::take(reader)?,
            global_address: Field::take(reader)?,
            global_dim: Field::take(reader)?,
            global_strides: Field::take(reader)?,
            pixel_box_lower_corner: Field::take(reader)?,
            pixel_box_upper_corner: Field::take(reader)?,
            channels_per_pixel: Field::take(reader)?,
            pixels_per_column: Field::take(reader)?,
            element_strides: Field::take(reader)?,
            interleave: Field::take(reader)?,
            swizzle: Field::take(reader)?,
            l2_promotion: Field::take(reader)?,
            oob_fill: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TensorMapEncodeIm2col<'a> {
    const OP: u16 = 201;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TensorMapEncodeIm2col<'_> {
    type Reply<'r> = TensorMapEncodeIm2colReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TensorMapEncodeIm2colReply<'a> {
    pub tensor_map: &'a [u8],
}

impl<'a> Field<'a> for TensorMapEncodeIm2colReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.tensor_map.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TensorMapEncodeIm2colReply { tensor_map: Field::take(reader)? })
    }
}

/// `cuTensorMapEncodeIm2colWide`
#[derive(Clone, Debug, PartialEq)]
pub struct TensorMapEncodeIm2colWide<'a> {
    pub tensor_data_type: i32,
    pub tensor_rank: u32,
    pub global_address: u64,
    pub global_dim: &'a [u8],
    pub global_strides: &'a [u8],
    pub pixel_box_lower_corner_width: i32,
    pub pixel_box_upper_corner_width: i32,
    pub channels_per_pixel: u32,
    pub pixels_per_column: u32,
    pub element_strides: &'a [u8],
    pub interleave: i32,
    pub mode: i32,
    pub swizzle: i32,
    pub l2_promotion: i32,
    pub oob_fill: i32,
}

impl<'a> Field<'a> for TensorMapEncodeIm2colWide<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.tensor_data_type.put(out);
        self.tensor_rank.put(out);
        self.global_address.put(out);
        self.global_dim.put(out);
        self.global_strides.put(out);
        self.pixel_box_lower_corner_width.put(out);
        self.pixel_box_upper_corner_width.put(out);
        self.channels_per_pixel.put(out);
        self.pixels_per_column.put(out);
        self.element_strides.put(out);
        self.interleave.put(out);
        self.mode.put(out);
        self.swizzle.put(out);
        self.l2_promotion.put(out);
        self.oob_fill.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TensorMapEncodeIm2colWide {
            tensor_data_type: Field::take(reader)?,
            tensor_rank: Field::take(reader)?,
            global_address: Field::take(reader)?,
            global_dim: Field::take(reader)?,
            global_strides: Field::take(reader)?,
            pixel_box_lower_corner_width: Field::take(reader)?,
            pixel_box_upper_corner_width: Field::take(reader)?,
            channels_per_pixel: Field::take(reader)?,
            pixels_per_column: Field::take(reader)?,
            element_strides: Field::take(reader)?,
            interleave: Field::take(reader)?,
            mode: Field::take(reader)?,
            swizzle: Field::take(reader)?,
            l2_promotion: Field::take(reader)?,
            oob_fill: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TensorMapEncodeIm2colWide<'a> {
    const OP: u16 = 202;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TensorMapEncodeIm2colWide<'_> {
    type Reply<'r> = TensorMapEncodeIm2colWideReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TensorMapEncodeIm2colWideReply<'a> {
    pub tensor_map: &'a [u8],
}

impl<'a> Field<'a> for TensorMapEncodeIm2colWideReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.tensor_map.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TensorMapEncodeIm2colWideReply { tensor_map: Field::take(reader)? })
    }
}

/// `cuTensorMapEncodeTiled`
#[derive(Clone, Debug, PartialEq)]
pub struct TensorMapEncodeTiled<'a> {
    pub tensor_data_type: i32,
    pub tensor_rank: u32,
    pub global_address: u64,
    pub global_dim: &'a [u8],
    pub global_strides: &'a [u8],
    pub box_dim: &'a [u8],
    pub element_strides: &'a [u8],
    pub interleave: i32,
    pub swizzle: i32,
    pub l2_promotion: i32,
    pub oob_fill: i32,
}

impl<'a> Field<'a> for TensorMapEncodeTiled<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.tensor_data_type.put(out);
        self.tensor_rank.put(out);
        self.global_address.put(out);
        self.global_dim.put(out);
        self.global_strides.put(out);
        self.box_dim.put(out);
        self.element_strides.put(out);
        self.interleave.put(out);
        self.swizzle.put(out);
        self.l2_promotion.put(out);
        self.oob_fill.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TensorMapEncodeTiled {
            tensor_data_type: Field::take(reader)?,
            tensor_rank: Field::take(reader)?,
            global_address: Field::take(reader)?,
            global_dim: Field::take(reader)?,
            global_strides: Field::take(reader)?,
            box_dim: Field::take(reader)?,
            element_strides: Field::take(reader)?,
            interleave: Field::take(reader)?,
            swizzle: Field::take(reader)?,
            l2_promotion: Field::take(reader)?,
            oob_fill: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TensorMapEncodeTiled<'a> {
    const OP: u16 = 200;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TensorMapEncodeTiled<'_> {
    type Reply<'r> = TensorMapEncodeTiledReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TensorMapEncodeTiledReply<'a> {
    pub tensor_map: &'a [u8],
}

impl<'a> Field<'a> for TensorMapEncodeTiledReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.tensor_map.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TensorMapEncodeTiledReply { tensor_map: Field::take(reader)? })
    }
}

/// `cuTexRefGetAddress_v2`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetAddress {
    pub h_tex_ref: u64,
}

impl<'a> Field<'a> for TexRefGetAddress {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetAddress { h_tex_ref: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefGetAddress {
    const OP: u16 = 423;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefGetAddress {
    type Reply<'r> = TexRefGetAddressReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetAddressReply {
    pub pdptr: u64,
}

impl<'a> Field<'a> for TexRefGetAddressReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.pdptr.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetAddressReply { pdptr: Field::take(reader)? })
    }
}

/// `cuTexRefGetAddressMode`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetAddressMode {
    pub h_tex_ref: u64,
    pub dim: i32,
}

impl<'a> Field<'a> for TexRefGetAddressMode {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.dim.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetAddressMode { h_tex_ref: Field::take(reader)?, dim: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefGetAddressMode {
    const OP: u16 = 424;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefGetAddressMode {
    type Reply<'r> = TexRefGetAddressModeReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetAddressModeReply {
    pub pam: i32,
}

impl<'a> Field<'a> for TexRefGetAddressModeReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.pam.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetAddressModeReply { pam: Field::take(reader)? })
    }
}

/// `cuTexRefGetBorderColor`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetBorderColor {
    pub h_tex_ref: u64,
}

impl<'a> Field<'a> for TexRefGetBorderColor {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetBorderColor { h_tex_ref: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefGetBorderColor {
    const OP: u16 = 432;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefGetBorderColor {
    type Reply<'r> = TexRefGetBorderColorReply<'r>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetBorderColorReply<'a> {
    pub p_border_color: &'a [u8],
}

impl<'a> Field<'a> for TexRefGetBorderColorReply<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.p_border_color.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetBorderColorReply { p_border_color: Field::take(reader)? })
    }
}

/// `cuTexRefGetFilterMode`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetFilterMode {
    pub h_tex_ref: u64,
}

impl<'a> Field<'a> for TexRefGetFilterMode {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetFilterMode { h_tex_ref: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefGetFilterMode {
    const OP: u16 = 425;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefGetFilterMode {
    type Reply<'r> = TexRefGetFilterModeReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetFilterModeReply {
    pub pfm: i32,
}

impl<'a> Field<'a> for TexRefGetFilterModeReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.pfm.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetFilterModeReply { pfm: Field::take(reader)? })
    }
}

/// `cuTexRefGetFlags`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetFlags {
    pub h_tex_ref: u64,
}

impl<'a> Field<'a> for TexRefGetFlags {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetFlags { h_tex_ref: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefGetFlags {
    const OP: u16 = 426;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefGetFlags {
    type Reply<'r> = TexRefGetFlagsReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetFlagsReply {
    pub p_flags: u32,
}

impl<'a> Field<'a> for TexRefGetFlagsReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.p_flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetFlagsReply { p_flags: Field::take(reader)? })
    }
}

/// `cuTexRefGetFormat`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetFormat {
    pub h_tex_ref: u64,
}

impl<'a> Field<'a> for TexRefGetFormat {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetFormat { h_tex_ref: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefGetFormat {
    const OP: u16 = 427;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefGetFormat {
    type Reply<'r> = TexRefGetFormatReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetFormatReply {
    pub p_format: i32,
    pub p_num_channels: i32,
}

impl<'a> Field<'a> for TexRefGetFormatReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.p_format.put(out);
        self.p_num_channels.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetFormatReply {
            p_format: Field::take(reader)?,
            p_num_channels: Field::take(reader)?,
        })
    }
}

/// `cuTexRefGetMaxAnisotropy`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetMaxAnisotropy {
    pub h_tex_ref: u64,
}

impl<'a> Field<'a> for TexRefGetMaxAnisotropy {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetMaxAnisotropy { h_tex_ref: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefGetMaxAnisotropy {
    const OP: u16 = 428;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefGetMaxAnisotropy {
    type Reply<'r> = TexRefGetMaxAnisotropyReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetMaxAnisotropyReply {
    pub pmax_aniso: i32,
}

impl<'a> Field<'a> for TexRefGetMaxAnisotropyReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.pmax_aniso.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetMaxAnisotropyReply { pmax_aniso: Field::take(reader)? })
    }
}

/// `cuTexRefGetMipmapFilterMode`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetMipmapFilterMode {
    pub h_tex_ref: u64,
}

impl<'a> Field<'a> for TexRefGetMipmapFilterMode {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetMipmapFilterMode { h_tex_ref: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefGetMipmapFilterMode {
    const OP: u16 = 429;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefGetMipmapFilterMode {
    type Reply<'r> = TexRefGetMipmapFilterModeReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetMipmapFilterModeReply {
    pub pfm: i32,
}

impl<'a> Field<'a> for TexRefGetMipmapFilterModeReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.pfm.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetMipmapFilterModeReply { pfm: Field::take(reader)? })
    }
}

/// `cuTexRefGetMipmapLevelBias`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetMipmapLevelBias {
    pub h_tex_ref: u64,
}

impl<'a> Field<'a> for TexRefGetMipmapLevelBias {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetMipmapLevelBias { h_tex_ref: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefGetMipmapLevelBias {
    const OP: u16 = 430;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefGetMipmapLevelBias {
    type Reply<'r> = TexRefGetMipmapLevelBiasReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetMipmapLevelBiasReply {
    pub pbias: f32,
}

impl<'a> Field<'a> for TexRefGetMipmapLevelBiasReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.pbias.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetMipmapLevelBiasReply { pbias: Field::take(reader)? })
    }
}

/// `cuTexRefGetMipmapLevelClamp`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetMipmapLevelClamp {
    pub h_tex_ref: u64,
}

impl<'a> Field<'a> for TexRefGetMipmapLevelClamp {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetMipmapLevelClamp { h_tex_ref: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefGetMipmapLevelClamp {
    const OP: u16 = 431;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefGetMipmapLevelClamp {
    type Reply<'r> = TexRefGetMipmapLevelClampReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TexRefGetMipmapLevelClampReply {
    pub pmin_mipmap_level_clamp: f32,
    pub pmax_mipmap_level_clamp: f32,
}

impl<'a> Field<'a> for TexRefGetMipmapLevelClampReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.pmin_mipmap_level_clamp.put(out);
        self.pmax_mipmap_level_clamp.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefGetMipmapLevelClampReply {
            pmin_mipmap_level_clamp: Field::take(reader)?,
            pmax_mipmap_level_clamp: Field::take(reader)?,
        })
    }
}

/// `cuTexRefSetAddress_v2`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetAddress {
    pub h_tex_ref: u64,
    pub dptr: u64,
    pub bytes: u64,
}

impl<'a> Field<'a> for TexRefSetAddress {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.dptr.put(out);
        self.bytes.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetAddress {
            h_tex_ref: Field::take(reader)?,
            dptr: Field::take(reader)?,
            bytes: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TexRefSetAddress {
    const OP: u16 = 421;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetAddress {
    type Reply<'r> = TexRefSetAddressReply;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetAddressReply {
    pub byte_offset: u64,
}

impl<'a> Field<'a> for TexRefSetAddressReply {
    fn put(&self, out: &mut Vec<u8>) {
        self.byte_offset.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetAddressReply { byte_offset: Field::take(reader)? })
    }
}

/// `cuTexRefSetAddress2D_v3`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetAddress2D<'a> {
    pub h_tex_ref: u64,
    pub desc: &'a [u8],
    pub dptr: u64,
    pub pitch: u64,
}

impl<'a> Field<'a> for TexRefSetAddress2D<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.desc.put(out);
        self.dptr.put(out);
        self.pitch.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetAddress2D {
            h_tex_ref: Field::take(reader)?,
            desc: Field::take(reader)?,
            dptr: Field::take(reader)?,
            pitch: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TexRefSetAddress2D<'a> {
    const OP: u16 = 422;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetAddress2D<'_> {
    type Reply<'r> = ();
}

/// `cuTexRefSetAddressMode`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetAddressMode {
    pub h_tex_ref: u64,
    pub dim: i32,
    pub am: i32,
}

impl<'a> Field<'a> for TexRefSetAddressMode {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.dim.put(out);
        self.am.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetAddressMode {
            h_tex_ref: Field::take(reader)?,
            dim: Field::take(reader)?,
            am: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TexRefSetAddressMode {
    const OP: u16 = 411;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetAddressMode {
    type Reply<'r> = ();
}

/// `cuTexRefSetArray`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetArray {
    pub h_tex_ref: u64,
    pub h_array: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for TexRefSetArray {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.h_array.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetArray {
            h_tex_ref: Field::take(reader)?,
            h_array: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TexRefSetArray {
    const OP: u16 = 419;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetArray {
    type Reply<'r> = ();
}

/// `cuTexRefSetBorderColor`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetBorderColor<'a> {
    pub h_tex_ref: u64,
    pub p_border_color: &'a [u8],
}

impl<'a> Field<'a> for TexRefSetBorderColor<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.p_border_color.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetBorderColor {
            h_tex_ref: Field::take(reader)?,
            p_border_color: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TexRefSetBorderColor<'a> {
    const OP: u16 = 417;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetBorderColor<'_> {
    type Reply<'r> = ();
}

/// `cuTexRefSetFilterMode`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetFilterMode {
    pub h_tex_ref: u64,
    pub fm: i32,
}

impl<'a> Field<'a> for TexRefSetFilterMode {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.fm.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetFilterMode { h_tex_ref: Field::take(reader)?, fm: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefSetFilterMode {
    const OP: u16 = 412;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetFilterMode {
    type Reply<'r> = ();
}

/// `cuTexRefSetFlags`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetFlags {
    pub h_tex_ref: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for TexRefSetFlags {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetFlags { h_tex_ref: Field::take(reader)?, flags: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefSetFlags {
    const OP: u16 = 418;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetFlags {
    type Reply<'r> = ();
}

/// `cuTexRefSetFormat`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetFormat {
    pub h_tex_ref: u64,
    pub fmt: i32,
    pub num_packed_components: i32,
}

impl<'a> Field<'a> for TexRefSetFormat {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.fmt.put(out);
        self.num_packed_components.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetFormat {
            h_tex_ref: Field::take(reader)?,
            fmt: Field::take(reader)?,
            num_packed_components: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TexRefSetFormat {
    const OP: u16 = 410;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetFormat {
    type Reply<'r> = ();
}

/// `cuTexRefSetMaxAnisotropy`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetMaxAnisotropy {
    pub h_tex_ref: u64,
    pub max_aniso: u32,
}

impl<'a> Field<'a> for TexRefSetMaxAnisotropy {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.max_aniso.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetMaxAnisotropy {
            h_tex_ref: Field::take(reader)?,
            max_aniso: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TexRefSetMaxAnisotropy {
    const OP: u16 = 416;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetMaxAnisotropy {
    type Reply<'r> = ();
}

/// `cuTexRefSetMipmapFilterMode`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetMipmapFilterMode {
    pub h_tex_ref: u64,
    pub fm: i32,
}

impl<'a> Field<'a> for TexRefSetMipmapFilterMode {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.fm.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetMipmapFilterMode { h_tex_ref: Field::take(reader)?, fm: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefSetMipmapFilterMode {
    const OP: u16 = 413;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetMipmapFilterMode {
    type Reply<'r> = ();
}

/// `cuTexRefSetMipmapLevelBias`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetMipmapLevelBias {
    pub h_tex_ref: u64,
    pub bias: f32,
}

impl<'a> Field<'a> for TexRefSetMipmapLevelBias {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.bias.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetMipmapLevelBias { h_tex_ref: Field::take(reader)?, bias: Field::take(reader)? })
    }
}

impl<'a> Message<'a> for TexRefSetMipmapLevelBias {
    const OP: u16 = 414;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetMipmapLevelBias {
    type Reply<'r> = ();
}

/// `cuTexRefSetMipmapLevelClamp`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetMipmapLevelClamp {
    pub h_tex_ref: u64,
    pub min_mipmap_level_clamp: f32,
    pub max_mipmap_level_clamp: f32,
}

impl<'a> Field<'a> for TexRefSetMipmapLevelClamp {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.min_mipmap_level_clamp.put(out);
        self.max_mipmap_level_clamp.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetMipmapLevelClamp {
            h_tex_ref: Field::take(reader)?,
            min_mipmap_level_clamp: Field::take(reader)?,
            max_mipmap_level_clamp: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TexRefSetMipmapLevelClamp {
    const OP: u16 = 415;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetMipmapLevelClamp {
    type Reply<'r> = ();
}

/// `cuTexRefSetMipmappedArray`
#[derive(Clone, Debug, PartialEq)]
pub struct TexRefSetMipmappedArray {
    pub h_tex_ref: u64,
    pub h_mipmapped_array: u64,
    pub flags: u32,
}

impl<'a> Field<'a> for TexRefSetMipmappedArray {
    fn put(&self, out: &mut Vec<u8>) {
        self.h_tex_ref.put(out);
        self.h_mipmapped_array.put(out);
        self.flags.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(TexRefSetMipmappedArray {
            h_tex_ref: Field::take(reader)?,
            h_mipmapped_array: Field::take(reader)?,
            flags: Field::take(reader)?,
        })
    }
}

impl<'a> Message<'a> for TexRefSetMipmappedArray {
    const OP: u16 = 420;
    const LEVEL: u16 = 1;
    const HEAD_BYTES: Option<usize> = None;
}

impl Call for TexRefSetMipmappedArray {
    type Reply<'r> = ();
}

/// Returns the name of an op, for logs and statistics.
pub fn op_name(op: u16) -> &'static str {
    match op {
        ContextCreate::OP => "ContextCreate",
        ContextDestroy::OP => "ContextDestroy",
        ContextSynchronize::OP => "ContextSynchronize",
        ContextGetLimit::OP => "ContextGetLimit",
        ContextSetLimit::OP => "ContextSetLimit",
        ContextRecordEvent::OP => "ContextRecordEvent",
        ContextWaitEvent::OP => "ContextWaitEvent",
        ResourceGet::OP => "ResourceGet",
        ResourceSplit::OP => "ResourceSplit",
        ResourceDescribe::OP => "ResourceDescribe",
        GreenContextCreate::OP => "GreenContextCreate",
        MemoryMap::OP => "MemoryMap",
        MemoryUnmap::OP => "MemoryUnmap",
        LowReserve::OP => "LowReserve",
        GrantGrow::OP => "GrantGrow",
        MemoryRange::OP => "MemoryRange",
        MemGetInfo::OP => "MemGetInfo",
        PhysicalCreate::OP => "PhysicalCreate",
        PhysicalRelease::OP => "PhysicalRelease",
        VirtualMap::OP => "VirtualMap",
        VirtualUnmap::OP => "VirtualUnmap",
        VirtualSetAccess::OP => "VirtualSetAccess",
        MemoryShare::OP => "MemoryShare",
        MemoryAdopt::OP => "MemoryAdopt",
        ShmGet::OP => "ShmGet",
        ShmAttach::OP => "ShmAttach",
        ShmStat::OP => "ShmStat",
        ShmSetRights::OP => "ShmSetRights",
        ShmRemove::OP => "ShmRemove",
        EventShare::OP => "EventShare",
        EventAdopt::OP => "EventAdopt",
        PeerAccess::OP => "PeerAccess",
        PeerOpen::OP => "PeerOpen",
        CopyBetweenDevices::OP => "CopyBetweenDevices",
        PeerAttribute::OP => "PeerAttribute",
        PeerAtomics::OP => "PeerAtomics",
        EventMark::OP => "EventMark",
        GateWait::OP => "GateWait",
        StreamGoesFirst::OP => "StreamGoesFirst",
        GateOpen::OP => "GateOpen",
        LinkOpen::OP => "LinkOpen",
        LinkOpened::OP => "LinkOpened",
        LinkSend::OP => "LinkSend",
        LinkReceive::OP => "LinkReceive",
        LinkPiece::OP => "LinkPiece",
        LinkDone::OP => "LinkDone",
        CopyToDevice::OP => "CopyToDevice",
        CopyToHost::OP => "CopyToHost",
        CopyOnDevice::OP => "CopyOnDevice",
        Data::OP => "Data",
        Arrived::OP => "Arrived",
        CopyToDeviceByLanes::OP => "CopyToDeviceByLanes",
        Piece::OP => "Piece",
        PackedPiece::OP => "PackedPiece",
        CopyToHostByLanes::OP => "CopyToHostByLanes",
        PackedData::OP => "PackedData",
        LaneReached::OP => "LaneReached",
        HostSegmentOpen::OP => "HostSegmentOpen",
        HostSegmentClose::OP => "HostSegmentClose",
        CopyFromSegment::OP => "CopyFromSegment",
        CopyToSegment::OP => "CopyToSegment",
        CodePut::OP => "CodePut",
        ModuleLoad::OP => "ModuleLoad",
        ModuleUnload::OP => "ModuleUnload",
        LibraryGetModule::OP => "LibraryGetModule",
        GetFunction::OP => "GetFunction",
        NameFunction::OP => "NameFunction",
        KernelGetFunction::OP => "KernelGetFunction",
        GetGlobal::OP => "GetGlobal",
        ListFunctions::OP => "ListFunctions",
        FunctionSetAttribute::OP => "FunctionSetAttribute",
        FunctionSetCacheConfig::OP => "FunctionSetCacheConfig",
        DescribeFunction::OP => "DescribeFunction",
        Link::OP => "Link",
        LaunchKernel::OP => "LaunchKernel",
        OccupancyClusters::OP => "OccupancyClusters",
        HostCallback::OP => "HostCallback",
        RunCallback::OP => "RunCallback",
        CallbackDone::OP => "CallbackDone",
        StreamCreate::OP => "StreamCreate",
        StreamDestroy::OP => "StreamDestroy",
        StreamSynchronize::OP => "StreamSynchronize",
        StreamQuery::OP => "StreamQuery",
        EventCreate::OP => "EventCreate",
        EventDestroy::OP => "EventDestroy",
        EventRecord::OP => "EventRecord",
        StreamWaitEvent::OP => "StreamWaitEvent",
        EventSynchronize::OP => "EventSynchronize",
        EventQuery::OP => "EventQuery",
        EventSynchronizeTimed::OP => "EventSynchronizeTimed",
        EventElapsed::OP => "EventElapsed",
        ArrayCreate::OP => "ArrayCreate",
        ArrayDestroy::OP => "ArrayDestroy",
        MipmappedArrayGetLevel::OP => "MipmappedArrayGetLevel",
        CopyToArray::OP => "CopyToArray",
        CopyFromArray::OP => "CopyFromArray",
        CopyArray::OP => "CopyArray",
        TextureCreate::OP => "TextureCreate",
        TextureDestroy::OP => "TextureDestroy",
        SurfaceCreate::OP => "SurfaceCreate",
        SurfaceDestroy::OP => "SurfaceDestroy",
        ReferenceFind::OP => "ReferenceFind",
        TextureReferenceCreate::OP => "TextureReferenceCreate",
        TextureReferenceDestroy::OP => "TextureReferenceDestroy",
        ReferenceArray::OP => "ReferenceArray",
        ManagedOpen::OP => "ManagedOpen",
        ManagedClose::OP => "ManagedClose",
        ManagedWrite::OP => "ManagedWrite",
        ManagedChanges::OP => "ManagedChanges",
        WaitForChanges::OP => "WaitForChanges",
        ManagedFetch::OP => "ManagedFetch",
        ReplicaUpdate::OP => "ReplicaUpdate",
        ReplicaWrite::OP => "ReplicaWrite",
        ReplicaAwait::OP => "ReplicaAwait",
        ReplicaQuery::OP => "ReplicaQuery",
        ReplicaCurrent::OP => "ReplicaCurrent",
        ReplicaIdle::OP => "ReplicaIdle",
        ReplicaPresence::OP => "ReplicaPresence",
        GetManaged::OP => "GetManaged",
        TensorMapReplaceAddress::OP => "TensorMapReplaceAddress",
        Barrier::OP => "Barrier",
        CaptureBegin::OP => "CaptureBegin",
        CaptureEnd::OP => "CaptureEnd",
        CaptureInfo::OP => "CaptureInfo",
        CaptureDepend::OP => "CaptureDepend",
        GraphCreate::OP => "GraphCreate",
        GraphClone::OP => "GraphClone",
        GraphDestroy::OP => "GraphDestroy",
        GraphInstantiate::OP => "GraphInstantiate",
        GraphExecUpdate::OP => "GraphExecUpdate",
        GraphExecDestroy::OP => "GraphExecDestroy",
        GraphList::OP => "GraphList",
        GraphDepend::OP => "GraphDepend",
        GraphAddNode::OP => "GraphAddNode",
        GraphCondition::OP => "GraphCondition",
        GraphSetNode::OP => "GraphSetNode",
        GraphDestroyNode::OP => "GraphDestroyNode",
        GraphNodeParams::OP => "GraphNodeParams",
        GraphSetNodeAttribute::OP => "GraphSetNodeAttribute",
        GraphNodeAttribute::OP => "GraphNodeAttribute",
        GraphFindInClone::OP => "GraphFindInClone",
        GraphAddCopy::OP => "GraphAddCopy",
        GraphSetCopy::OP => "GraphSetCopy",
        GraphChild::OP => "GraphChild",
        GraphNodeType::OP => "GraphNodeType",
        CaptureCopy::OP => "CaptureCopy",
        CaptureBytes::OP => "CaptureBytes",
        UserObjectCreate::OP => "UserObjectCreate",
        ForgetCallback::OP => "ForgetCallback",
        GraphLaunch::OP => "GraphLaunch",
        GraphKernelNode::OP => "GraphKernelNode",
        NvmlAsk::OP => "NvmlAsk",
        NvmlDriverVersion::OP => "NvmlDriverVersion",
        NvmlMemory::OP => "NvmlMemory",
        NvmlFields::OP => "NvmlFields",
        NvmlPciIds::OP => "NvmlPciIds",
        Reply::OP => "Reply",
        Fault::OP => "Fault",
        Farewell::OP => "Farewell",
        Output::OP => "Output",
        DeviceGetTexture1DLinearMaxWidth::OP => "DeviceGetTexture1DLinearMaxWidth",
        CtxGetCacheConfig::OP => "CtxGetCacheConfig",
        CtxGetStreamPriorityRange::OP => "CtxGetStreamPriorityRange",
        CtxResetPersistingL2Cache::OP => "CtxResetPersistingL2Cache",
        CtxSetCacheConfig::OP => "CtxSetCacheConfig",
        OccupancyAvailableDynamicSMemPerBlock::OP => "OccupancyAvailableDynamicSMemPerBlock",
        OccupancyMaxActiveBlocksPerMultiprocessor::OP => {
            "OccupancyMaxActiveBlocksPerMultiprocessor"
        }
        OccupancyMaxActiveBlocksPerMultiprocessorWithFlags::OP => {
            "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags"
        }
        StreamBatchMemOp::OP => "StreamBatchMemOp",
        StreamCopyAttributes::OP => "StreamCopyAttributes",
        StreamGetAttribute::OP => "StreamGetAttribute",
        StreamSetAttribute::OP => "StreamSetAttribute",
        StreamWaitValue32::OP => "StreamWaitValue32",
        StreamWaitValue64::OP => "StreamWaitValue64",
        StreamWriteValue32::OP => "StreamWriteValue32",
        StreamWriteValue64::OP => "StreamWriteValue64",
        MemsetD16Async::OP => "MemsetD16Async",
        MemsetD2D16Async::OP => "MemsetD2D16Async",
        MemsetD2D32Async::OP => "MemsetD2D32Async",
        MemsetD2D8Async::OP => "MemsetD2D8Async",
        MemsetD32Async::OP => "MemsetD32Async",
        MemsetD8Async::OP => "MemsetD8Async",
        GraphExecGetFlags::OP => "GraphExecGetFlags",
        GraphKernelNodeCopyAttributes::OP => "GraphKernelNodeCopyAttributes",
        GraphNodeGetEnabled::OP => "GraphNodeGetEnabled",
        GraphNodeSetEnabled::OP => "GraphNodeSetEnabled",
        GraphReleaseUserObject::OP => "GraphReleaseUserObject",
        GraphRetainUserObject::OP => "GraphRetainUserObject",
        GraphUpload::OP => "GraphUpload",
        UserObjectRelease::OP => "UserObjectRelease",
        UserObjectRetain::OP => "UserObjectRetain",
        ArrayGetMemoryRequirements::OP => "ArrayGetMemoryRequirements",
        MipmappedArrayGetMemoryRequirements::OP => "MipmappedArrayGetMemoryRequirements",
        SurfRefSetArray::OP => "SurfRefSetArray",
        TensorMapEncodeIm2col::OP => "TensorMapEncodeIm2col",
        TensorMapEncodeIm2colWide::OP => "TensorMapEncodeIm2colWide",
        TensorMapEncodeTiled::OP => "TensorMapEncodeTiled",
        TexRefGetAddress::OP => "TexRefGetAddress",
        TexRefGetAddressMode::OP => "TexRefGetAddressMode",
        TexRefGetBorderColor::OP => "TexRefGetBorderColor",
        TexRefGetFilterMode::OP => "TexRefGetFilterMode",
        TexRefGetFlags::OP => "TexRefGetFlags",
        TexRefGetFormat::OP => "TexRefGetFormat",
        TexRefGetMaxAnisotropy::OP => "TexRefGetMaxAnisotropy",
        TexRefGetMipmapFilterMode::OP => "TexRefGetMipmapFilterMode",
        TexRefGetMipmapLevelBias::OP => "TexRefGetMipmapLevelBias",
        TexRefGetMipmapLevelClamp::OP => "TexRefGetMipmapLevelClamp",
        TexRefSetAddress::OP => "TexRefSetAddress",
        TexRefSetAddress2D::OP => "TexRefSetAddress2D",
        TexRefSetAddressMode::OP => "TexRefSetAddressMode",
        TexRefSetArray::OP => "TexRefSetArray",
        TexRefSetBorderColor::OP => "TexRefSetBorderColor",
        TexRefSetFilterMode::OP => "TexRefSetFilterMode",
        TexRefSetFlags::OP => "TexRefSetFlags",
        TexRefSetFormat::OP => "TexRefSetFormat",
        TexRefSetMaxAnisotropy::OP => "TexRefSetMaxAnisotropy",
        TexRefSetMipmapFilterMode::OP => "TexRefSetMipmapFilterMode",
        TexRefSetMipmapLevelBias::OP => "TexRefSetMipmapLevelBias",
        TexRefSetMipmapLevelClamp::OP => "TexRefSetMipmapLevelClamp",
        TexRefSetMipmappedArray::OP => "TexRefSetMipmappedArray",
        _ => "an unknown op",
    }
}

/// Returns the number of bytes before the payload, for an op with a payload.
pub fn head_bytes(op: u16) -> Option<usize> {
    match op {
        LinkPiece::OP => LinkPiece::HEAD_BYTES,
        CopyToDevice::OP => CopyToDevice::HEAD_BYTES,
        Data::OP => Data::HEAD_BYTES,
        Piece::OP => Piece::HEAD_BYTES,
        PackedPiece::OP => PackedPiece::HEAD_BYTES,
        PackedData::OP => PackedData::HEAD_BYTES,
        CodePut::OP => CodePut::HEAD_BYTES,
        CopyToArray::OP => CopyToArray::HEAD_BYTES,
        ManagedWrite::OP => ManagedWrite::HEAD_BYTES,
        ReplicaUpdate::OP => ReplicaUpdate::HEAD_BYTES,
        ReplicaWrite::OP => ReplicaWrite::HEAD_BYTES,
        CaptureBytes::OP => CaptureBytes::HEAD_BYTES,
        Reply::OP => Reply::HEAD_BYTES,
        _ => None,
    }
}

/// Returns one valid body of every message, generated from `seed`. Tests of the codec use them, and
/// fuzzing starts from them.
pub fn samples(seed: &mut Seed) -> Vec<Sample> {
    let (bytes, text) = (seed.next_bytes(), seed.next_text());
    vec![
        Sample::new(
            "ContextCreate",
            Some(1),
            &ContextCreate {
                context: seed.next_u64(),
                device: seed.next_i32(),
                flags: seed.next_u32(),
                primary: seed.next_bool(),
            },
            |body| {
                Reader::new(body).whole::<ContextCreate>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ContextDestroy",
            Some(2),
            &ContextDestroy { context: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<ContextDestroy>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ContextSynchronize",
            Some(3),
            &ContextSynchronize { is_implicit: seed.next_bool() },
            |body| {
                Reader::new(body)
                    .whole::<ContextSynchronize>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ContextGetLimit",
            Some(4),
            &ContextGetLimit { limit: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<ContextGetLimit>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ContextGetLimitReply",
            None,
            &ContextGetLimitReply { value: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<ContextGetLimitReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ContextSetLimit",
            Some(5),
            &ContextSetLimit { limit: seed.next_i32(), value: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<ContextSetLimit>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ContextRecordEvent",
            Some(401),
            &ContextRecordEvent { context: seed.next_u64(), event: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<ContextRecordEvent>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ContextWaitEvent",
            Some(402),
            &ContextWaitEvent { context: seed.next_u64(), event: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<ContextWaitEvent>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "Resource",
            None,
            &Resource {
                number: seed.next_u32(),
                kind: seed.next_i32(),
                sm_count: seed.next_u32(),
                sm_partition_min: seed.next_u32(),
                sm_alignment: seed.next_u32(),
            },
            |body| Reader::new(body).whole::<Resource>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "ResourceGet",
            Some(403),
            &ResourceGet {
                device: seed.next_i32(),
                context: seed.next_u64(),
                kind: seed.next_i32(),
            },
            |body| {
                Reader::new(body).whole::<ResourceGet>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ResourceGetReply",
            None,
            &ResourceGetReply {
                found: List(
                    (0..seed.next_length())
                        .map(|_| Resource {
                            number: seed.next_u32(),
                            kind: seed.next_i32(),
                            sm_count: seed.next_u32(),
                            sm_partition_min: seed.next_u32(),
                            sm_alignment: seed.next_u32(),
                        })
                        .collect(),
                ),
            },
            |body| {
                Reader::new(body)
                    .whole::<ResourceGetReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ResourceSplit",
            Some(404),
            &ResourceSplit {
                resource: seed.next_u32(),
                groups: seed.next_u32(),
                only_count: seed.next_bool(),
                remaining: seed.next_bool(),
                flags: seed.next_u32(),
                sm_count_min: seed.next_u32(),
            },
            |body| {
                Reader::new(body).whole::<ResourceSplit>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ResourceSplitReply",
            None,
            &ResourceSplitReply {
                groups: seed.next_u32(),
                found: List(
                    (0..seed.next_length())
                        .map(|_| Resource {
                            number: seed.next_u32(),
                            kind: seed.next_i32(),
                            sm_count: seed.next_u32(),
                            sm_partition_min: seed.next_u32(),
                            sm_alignment: seed.next_u32(),
                        })
                        .collect(),
                ),
                remaining: List(
                    (0..seed.next_length())
                        .map(|_| Resource {
                            number: seed.next_u32(),
                            kind: seed.next_i32(),
                            sm_count: seed.next_u32(),
                            sm_partition_min: seed.next_u32(),
                            sm_alignment: seed.next_u32(),
                        })
                        .collect(),
                ),
            },
            |body| {
                Reader::new(body)
                    .whole::<ResourceSplitReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ResourceDescribe",
            Some(405),
            &ResourceDescribe {
                resources: List((0..seed.next_length()).map(|_| seed.next_u32()).collect()),
            },
            |body| {
                Reader::new(body)
                    .whole::<ResourceDescribe>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ResourceDescribeReply",
            None,
            &ResourceDescribeReply { number: seed.next_u32() },
            |body| {
                Reader::new(body)
                    .whole::<ResourceDescribeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GreenContextCreate",
            Some(406),
            &GreenContextCreate {
                context: seed.next_u64(),
                device: seed.next_i32(),
                description: seed.next_u32(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<GreenContextCreate>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MemoryMap",
            Some(10),
            &MemoryMap {
                device: seed.next_i32(),
                address: seed.next_u64(),
                bytes: seed.next_u64(),
            },
            |body| Reader::new(body).whole::<MemoryMap>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "MemoryUnmap",
            Some(11),
            &MemoryUnmap {
                device: seed.next_i32(),
                address: seed.next_u64(),
                bytes: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<MemoryUnmap>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("LowReserve", Some(500), &LowReserve { device: seed.next_i32() }, |body| {
            Reader::new(body).whole::<LowReserve>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "LowReserveReply",
            None,
            &LowReserveReply { base: seed.next_u64(), bytes: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<LowReserveReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GrantGrow",
            Some(12),
            &GrantGrow { device: seed.next_i32(), bytes: seed.next_u64() },
            |body| Reader::new(body).whole::<GrantGrow>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "GrantGrowReply",
            None,
            &GrantGrowReply { more_bytes: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<GrantGrowReply>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("MemoryRange", Some(18), &MemoryRange { at: seed.next_u64() }, |body| {
            Reader::new(body).whole::<MemoryRange>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "MemoryRangeReply",
            None,
            &MemoryRangeReply { start: seed.next_u64(), bytes: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<MemoryRangeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("MemGetInfo", Some(109), &MemGetInfo {}, |body| {
            Reader::new(body).whole::<MemGetInfo>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "MemGetInfoReply",
            None,
            &MemGetInfoReply { free: seed.next_u64(), total: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<MemGetInfoReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "PhysicalCreate",
            Some(13),
            &PhysicalCreate {
                memory: seed.next_u64(),
                device: seed.next_i32(),
                bytes: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<PhysicalCreate>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "PhysicalRelease",
            Some(14),
            &PhysicalRelease { memory: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<PhysicalRelease>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "VirtualMap",
            Some(15),
            &VirtualMap {
                memory: seed.next_u64(),
                address: seed.next_u64(),
                bytes: seed.next_u64(),
                offset: seed.next_u64(),
            },
            |body| Reader::new(body).whole::<VirtualMap>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "VirtualUnmap",
            Some(16),
            &VirtualUnmap { address: seed.next_u64(), bytes: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<VirtualUnmap>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "VirtualSetAccess",
            Some(17),
            &VirtualSetAccess {
                address: seed.next_u64(),
                bytes: seed.next_u64(),
                device: seed.next_i32(),
                flags: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<VirtualSetAccess>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MemoryShare",
            Some(284),
            &MemoryShare { memory: seed.next_u64(), address: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<MemoryShare>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MemoryShareReply",
            None,
            &MemoryShareReply {
                socket: seed.next_u64(),
                key: std::array::from_fn(|_| seed.next_u8()),
                bytes: seed.next_u64(),
                offset: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<MemoryShareReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MemoryAdopt",
            Some(285),
            &MemoryAdopt {
                memory: seed.next_u64(),
                socket: seed.next_u64(),
                key: std::array::from_fn(|_| seed.next_u8()),
            },
            |body| {
                Reader::new(body).whole::<MemoryAdopt>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MemoryAdoptReply",
            None,
            &MemoryAdoptReply { device: seed.next_i32(), bytes: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<MemoryAdoptReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ShmGet",
            Some(340),
            &ShmGet { key: seed.next_i32(), bytes: seed.next_u64(), flags: seed.next_u32() },
            |body| Reader::new(body).whole::<ShmGet>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new("ShmGetReply", None, &ShmGetReply { id: seed.next_i32() }, |body| {
            Reader::new(body).whole::<ShmGetReply>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "ShmAttach",
            Some(341),
            &ShmAttach { id: seed.next_i32(), memory: seed.next_u64(), flags: seed.next_i32() },
            |body| Reader::new(body).whole::<ShmAttach>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "ShmAttachReply",
            None,
            &ShmAttachReply { device: seed.next_i32(), bytes: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<ShmAttachReply>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("ShmStat", Some(342), &ShmStat { id: seed.next_i32() }, |body| {
            Reader::new(body).whole::<ShmStat>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "ShmStatReply",
            None,
            &ShmStatReply {
                key: seed.next_i32(),
                rights: seed.next_u32(),
                bytes: seed.next_u64(),
                attached: seed.next_u32(),
                removed: seed.next_bool(),
            },
            |body| {
                Reader::new(body).whole::<ShmStatReply>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ShmSetRights",
            Some(343),
            &ShmSetRights { id: seed.next_i32(), rights: seed.next_u32() },
            |body| {
                Reader::new(body).whole::<ShmSetRights>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("ShmRemove", Some(344), &ShmRemove { id: seed.next_i32() }, |body| {
            Reader::new(body).whole::<ShmRemove>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new("EventShare", Some(286), &EventShare { event: seed.next_u64() }, |body| {
            Reader::new(body).whole::<EventShare>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "EventShareReply",
            None,
            &EventShareReply {
                socket: seed.next_u64(),
                key: std::array::from_fn(|_| seed.next_u8()),
            },
            |body| {
                Reader::new(body)
                    .whole::<EventShareReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "EventAdopt",
            Some(287),
            &EventAdopt {
                event: seed.next_u64(),
                socket: seed.next_u64(),
                key: std::array::from_fn(|_| seed.next_u8()),
            },
            |body| Reader::new(body).whole::<EventAdopt>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "PeerAccess",
            Some(280),
            &PeerAccess { peer: seed.next_u64(), enable: seed.next_bool() },
            |body| Reader::new(body).whole::<PeerAccess>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "PeerOpen",
            Some(281),
            &PeerOpen { accessor: seed.next_i32(), owner: seed.next_i32() },
            |body| Reader::new(body).whole::<PeerOpen>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "CopyBetweenDevices",
            Some(282),
            &CopyBetweenDevices {
                to: seed.next_u64(),
                to_pitch_bytes: seed.next_u64(),
                to_context: seed.next_u64(),
                from: seed.next_u64(),
                from_pitch_bytes: seed.next_u64(),
                from_context: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
                stream: seed.next_u64(),
                serialised: seed.next_bool(),
            },
            |body| {
                Reader::new(body)
                    .whole::<CopyBetweenDevices>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "PeerAttribute",
            Some(283),
            &PeerAttribute {
                attribute: seed.next_i32(),
                source: seed.next_i32(),
                target: seed.next_i32(),
            },
            |body| {
                Reader::new(body).whole::<PeerAttribute>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "PeerAttributeReply",
            None,
            &PeerAttributeReply { value: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<PeerAttributeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "PeerAtomics",
            Some(407),
            &PeerAtomics {
                source: seed.next_i32(),
                target: seed.next_i32(),
                operations: List((0..seed.next_length()).map(|_| seed.next_i32()).collect()),
            },
            |body| {
                Reader::new(body).whole::<PeerAtomics>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "PeerAtomicsReply",
            None,
            &PeerAtomicsReply {
                capabilities: List((0..seed.next_length()).map(|_| seed.next_u32()).collect()),
            },
            |body| {
                Reader::new(body)
                    .whole::<PeerAtomicsReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("EventMark", Some(300), &EventMark { event: seed.next_u64() }, |body| {
            Reader::new(body).whole::<EventMark>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "GateWait",
            Some(301),
            &GateWait { gate: seed.next_u64(), stream: seed.next_u64() },
            |body| Reader::new(body).whole::<GateWait>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "StreamGoesFirst",
            Some(400),
            &StreamGoesFirst { stream: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<StreamGoesFirst>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("GateOpen", Some(302), &GateOpen { gate: seed.next_u64() }, |body| {
            Reader::new(body).whole::<GateOpen>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "LinkOpen",
            Some(303),
            &LinkOpen {
                link: seed.next_u64(),
                key: std::array::from_fn(|_| seed.next_u8()),
                address: &text,
                session: std::array::from_fn(|_| seed.next_u8()),
            },
            |body| Reader::new(body).whole::<LinkOpen>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "LinkOpened",
            Some(304),
            &LinkOpened { link: seed.next_u64(), status: seed.next_i32() },
            |body| Reader::new(body).whole::<LinkOpened>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "LinkSend",
            Some(305),
            &LinkSend {
                link: seed.next_u64(),
                copy: seed.next_u64(),
                context: seed.next_u64(),
                address: seed.next_u64(),
                pitch_bytes: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
            },
            |body| Reader::new(body).whole::<LinkSend>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "LinkReceive",
            Some(306),
            &LinkReceive {
                link: seed.next_u64(),
                copy: seed.next_u64(),
                context: seed.next_u64(),
                address: seed.next_u64(),
                pitch_bytes: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<LinkReceive>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "LinkPiece",
            Some(307),
            &LinkPiece { copy: seed.next_u64(), status: seed.next_i32() },
            |body| Reader::new(body).whole::<LinkPiece>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "LinkDone",
            Some(308),
            &LinkDone { copy: seed.next_u64(), status: seed.next_i32() },
            |body| Reader::new(body).whole::<LinkDone>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "CopyToDevice",
            Some(20),
            &CopyToDevice {
                address: seed.next_u64(),
                pitch_bytes: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<CopyToDevice>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CopyToHost",
            Some(21),
            &CopyToHost {
                address: seed.next_u64(),
                pitch_bytes: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
                stream: seed.next_u64(),
                transfer: seed.next_u64(),
                offset: seed.next_u64(),
            },
            |body| Reader::new(body).whole::<CopyToHost>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "CopyOnDevice",
            Some(22),
            &CopyOnDevice {
                to: seed.next_u64(),
                to_pitch_bytes: seed.next_u64(),
                from: seed.next_u64(),
                from_pitch_bytes: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<CopyOnDevice>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "Data",
            Some(23),
            &Data { transfer: seed.next_u64(), offset: seed.next_u64(), status: seed.next_i32() },
            |body| Reader::new(body).whole::<Data>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new("Arrived", Some(345), &Arrived { transfer: seed.next_u64() }, |body| {
            Reader::new(body).whole::<Arrived>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "CopyToDeviceByLanes",
            Some(194),
            &CopyToDeviceByLanes {
                address: seed.next_u64(),
                bytes: seed.next_u64(),
                piece_bytes: seed.next_u64(),
                lanes: seed.next_u16(),
                stream: seed.next_u64(),
                copy: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<CopyToDeviceByLanes>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "Piece",
            Some(195),
            &Piece { copy: seed.next_u64(), offset: seed.next_u64() },
            |body| Reader::new(body).whole::<Piece>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "PackedPiece",
            Some(501),
            &PackedPiece { copy: seed.next_u64(), offset: seed.next_u64(), bytes: seed.next_u32() },
            |body| {
                Reader::new(body).whole::<PackedPiece>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CopyToHostByLanes",
            Some(196),
            &CopyToHostByLanes {
                address: seed.next_u64(),
                bytes: seed.next_u64(),
                piece_bytes: seed.next_u64(),
                lanes: seed.next_u16(),
                may_pack: seed.next_bool(),
                stream: seed.next_u64(),
                transfer: seed.next_u64(),
                offset: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<CopyToHostByLanes>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "PackedData",
            Some(502),
            &PackedData {
                transfer: seed.next_u64(),
                offset: seed.next_u64(),
                bytes: seed.next_u32(),
            },
            |body| Reader::new(body).whole::<PackedData>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "LaneReached",
            Some(197),
            &LaneReached { lane: seed.next_u16(), frames: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<LaneReached>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "HostSegmentOpen",
            Some(190),
            &HostSegmentOpen {
                segment: seed.next_u64(),
                bytes: seed.next_u64(),
                address: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<HostSegmentOpen>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "HostSegmentOpenReply",
            None,
            &HostSegmentOpenReply { in_place: seed.next_bool() },
            |body| {
                Reader::new(body)
                    .whole::<HostSegmentOpenReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "HostSegmentClose",
            Some(191),
            &HostSegmentClose { segment: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<HostSegmentClose>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CopyFromSegment",
            Some(192),
            &CopyFromSegment {
                segment: seed.next_u64(),
                offset: seed.next_u64(),
                host_pitch_bytes: seed.next_u64(),
                address: seed.next_u64(),
                pitch_bytes: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<CopyFromSegment>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CopyToSegment",
            Some(193),
            &CopyToSegment {
                segment: seed.next_u64(),
                offset: seed.next_u64(),
                host_pitch_bytes: seed.next_u64(),
                address: seed.next_u64(),
                pitch_bytes: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<CopyToSegment>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CodePut",
            Some(30),
            &CodePut {
                hash: std::array::from_fn(|_| seed.next_u8()),
                total_bytes: seed.next_u64(),
                offset: seed.next_u64(),
            },
            |body| Reader::new(body).whole::<CodePut>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "ModuleLoad",
            Some(31),
            &ModuleLoad {
                module: seed.next_u64(),
                hash: std::array::from_fn(|_| seed.next_u8()),
                options: List(
                    (0..seed.next_length())
                        .map(|_| JitOption { option: seed.next_i32(), value: seed.next_u64() })
                        .collect(),
                ),
                library: seed.next_bool(),
            },
            |body| Reader::new(body).whole::<ModuleLoad>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "ModuleLoadReply",
            None,
            &ModuleLoadReply {
                missing: seed.next_bool(),
                kernels: List(
                    (0..seed.next_length())
                        .map(|_| DescribedKernel {
                            name: &text,
                            attributes: List(
                                (0..seed.next_length()).map(|_| seed.next_i32()).collect(),
                            ),
                            params: List(
                                (0..seed.next_length())
                                    .map(|_| ParamLayout {
                                        offset_bytes: seed.next_u32(),
                                        size_bytes: seed.next_u32(),
                                    })
                                    .collect(),
                            ),
                        })
                        .collect(),
                ),
                info_log: &bytes,
                error_log: &bytes,
            },
            |body| {
                Reader::new(body)
                    .whole::<ModuleLoadReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "DescribedKernel",
            None,
            &DescribedKernel {
                name: &text,
                attributes: List((0..seed.next_length()).map(|_| seed.next_i32()).collect()),
                params: List(
                    (0..seed.next_length())
                        .map(|_| ParamLayout {
                            offset_bytes: seed.next_u32(),
                            size_bytes: seed.next_u32(),
                        })
                        .collect(),
                ),
            },
            |body| {
                Reader::new(body)
                    .whole::<DescribedKernel>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "JitOption",
            None,
            &JitOption { option: seed.next_i32(), value: seed.next_u64() },
            |body| Reader::new(body).whole::<JitOption>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "ModuleUnload",
            Some(32),
            &ModuleUnload { module: seed.next_u64(), library: seed.next_bool() },
            |body| {
                Reader::new(body).whole::<ModuleUnload>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "LibraryGetModule",
            Some(33),
            &LibraryGetModule { library: seed.next_u64(), module: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<LibraryGetModule>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GetFunction",
            Some(34),
            &GetFunction { module: seed.next_u64(), function: seed.next_u64(), name: &text },
            |body| {
                Reader::new(body).whole::<GetFunction>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GetFunctionReply",
            None,
            &GetFunctionReply {
                described: seed.next_bool(),
                attributes: List((0..seed.next_length()).map(|_| seed.next_i32()).collect()),
                params: List(
                    (0..seed.next_length())
                        .map(|_| ParamLayout {
                            offset_bytes: seed.next_u32(),
                            size_bytes: seed.next_u32(),
                        })
                        .collect(),
                ),
            },
            |body| {
                Reader::new(body)
                    .whole::<GetFunctionReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "NameFunction",
            Some(320),
            &NameFunction { module: seed.next_u64(), function: seed.next_u64(), name: &text },
            |body| {
                Reader::new(body).whole::<NameFunction>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ParamLayout",
            None,
            &ParamLayout { offset_bytes: seed.next_u32(), size_bytes: seed.next_u32() },
            |body| {
                Reader::new(body).whole::<ParamLayout>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "KernelGetFunction",
            Some(35),
            &KernelGetFunction { kernel: seed.next_u64(), function: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<KernelGetFunction>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GetGlobal",
            Some(36),
            &GetGlobal { module: seed.next_u64(), name: &text },
            |body| Reader::new(body).whole::<GetGlobal>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "GetGlobalReply",
            None,
            &GetGlobalReply { address: seed.next_u64(), bytes: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<GetGlobalReply>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ListFunctions",
            Some(37),
            &ListFunctions { module: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<ListFunctions>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ListFunctionsReply",
            None,
            &ListFunctionsReply {
                names: List((0..seed.next_length()).map(|_| Name { name: &text }).collect()),
            },
            |body| {
                Reader::new(body)
                    .whole::<ListFunctionsReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("Name", None, &Name { name: &text }, |body| {
            Reader::new(body).whole::<Name>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "FunctionSetAttribute",
            Some(38),
            &FunctionSetAttribute {
                function: seed.next_u64(),
                attribute: seed.next_i32(),
                value: seed.next_i32(),
                device: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<FunctionSetAttribute>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "FunctionSetCacheConfig",
            Some(39),
            &FunctionSetCacheConfig {
                function: seed.next_u64(),
                config: seed.next_i32(),
                device: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<FunctionSetCacheConfig>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "DescribeFunction",
            Some(41),
            &DescribeFunction { function: seed.next_u64(), device: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<DescribeFunction>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "DescribeFunctionReply",
            None,
            &DescribeFunctionReply {
                attributes: List((0..seed.next_length()).map(|_| seed.next_i32()).collect()),
                params: List(
                    (0..seed.next_length())
                        .map(|_| ParamLayout {
                            offset_bytes: seed.next_u32(),
                            size_bytes: seed.next_u32(),
                        })
                        .collect(),
                ),
            },
            |body| {
                Reader::new(body)
                    .whole::<DescribeFunctionReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "Link",
            Some(40),
            &Link {
                inputs: List(
                    (0..seed.next_length())
                        .map(|_| LinkInput {
                            kind: seed.next_i32(),
                            hash: std::array::from_fn(|_| seed.next_u8()),
                            name: &text,
                        })
                        .collect(),
                ),
                options: List(
                    (0..seed.next_length())
                        .map(|_| JitOption { option: seed.next_i32(), value: seed.next_u64() })
                        .collect(),
                ),
            },
            |body| Reader::new(body).whole::<Link>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "LinkInput",
            None,
            &LinkInput {
                kind: seed.next_i32(),
                hash: std::array::from_fn(|_| seed.next_u8()),
                name: &text,
            },
            |body| Reader::new(body).whole::<LinkInput>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "LinkReply",
            None,
            &LinkReply {
                missing: seed.next_bool(),
                image: &bytes,
                info_log: &bytes,
                error_log: &bytes,
            },
            |body| Reader::new(body).whole::<LinkReply>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "LaunchKernel",
            Some(50),
            &LaunchKernel {
                function: seed.next_u64(),
                grid: std::array::from_fn(|_| seed.next_u32()),
                block: std::array::from_fn(|_| seed.next_u32()),
                shared_bytes: seed.next_u32(),
                stream: seed.next_u64(),
                cooperative: seed.next_bool(),
                attributes: &bytes,
                params: &bytes,
            },
            |body| {
                Reader::new(body).whole::<LaunchKernel>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "OccupancyClusters",
            Some(51),
            &OccupancyClusters {
                function: seed.next_u64(),
                grid: std::array::from_fn(|_| seed.next_u32()),
                block: std::array::from_fn(|_| seed.next_u32()),
                shared_bytes: seed.next_u32(),
                attributes: &bytes,
                active: seed.next_bool(),
            },
            |body| {
                Reader::new(body)
                    .whole::<OccupancyClusters>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "OccupancyClustersReply",
            None,
            &OccupancyClustersReply { value: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<OccupancyClustersReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "HostCallback",
            Some(52),
            &HostCallback { callback: seed.next_u64(), stream: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<HostCallback>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "RunCallback",
            Some(53),
            &RunCallback { callback: seed.next_u64(), status: seed.next_i32() },
            |body| {
                Reader::new(body).whole::<RunCallback>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CallbackDone",
            Some(54),
            &CallbackDone { callback: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<CallbackDone>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamCreate",
            Some(60),
            &StreamCreate {
                stream: seed.next_u64(),
                flags: seed.next_u32(),
                priority: seed.next_i32(),
            },
            |body| {
                Reader::new(body).whole::<StreamCreate>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamDestroy",
            Some(61),
            &StreamDestroy { stream: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<StreamDestroy>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamSynchronize",
            Some(62),
            &StreamSynchronize { stream: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<StreamSynchronize>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("StreamQuery", Some(63), &StreamQuery { stream: seed.next_u64() }, |body| {
            Reader::new(body).whole::<StreamQuery>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "EventCreate",
            Some(64),
            &EventCreate { event: seed.next_u64(), flags: seed.next_u32() },
            |body| {
                Reader::new(body).whole::<EventCreate>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("EventDestroy", Some(65), &EventDestroy { event: seed.next_u64() }, |body| {
            Reader::new(body).whole::<EventDestroy>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "EventRecord",
            Some(66),
            &EventRecord {
                event: seed.next_u64(),
                stream: seed.next_u64(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body).whole::<EventRecord>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamWaitEvent",
            Some(122),
            &StreamWaitEvent {
                stream: seed.next_u64(),
                event: seed.next_u64(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<StreamWaitEvent>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "EventSynchronize",
            Some(67),
            &EventSynchronize { event: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<EventSynchronize>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("EventQuery", Some(68), &EventQuery { event: seed.next_u64() }, |body| {
            Reader::new(body).whole::<EventQuery>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "EventSynchronizeTimed",
            Some(450),
            &EventSynchronizeTimed {
                event: seed.next_u64(),
                starts: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
            },
            |body| {
                Reader::new(body)
                    .whole::<EventSynchronizeTimed>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "EventSynchronizeTimedReply",
            None,
            &EventSynchronizeTimedReply {
                milliseconds: List((0..seed.next_length()).map(|_| seed.next_f32()).collect()),
            },
            |body| {
                Reader::new(body)
                    .whole::<EventSynchronizeTimedReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "EventElapsed",
            Some(451),
            &EventElapsed { start: seed.next_u64(), end: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<EventElapsed>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "EventElapsedReply",
            None,
            &EventElapsedReply { milliseconds: seed.next_f32() },
            |body| {
                Reader::new(body)
                    .whole::<EventElapsedReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ArrayCreate",
            Some(210),
            &ArrayCreate {
                array: seed.next_u64(),
                width: seed.next_u64(),
                height: seed.next_u64(),
                depth: seed.next_u64(),
                format: seed.next_i32(),
                channels: seed.next_u32(),
                flags: seed.next_u32(),
                levels: seed.next_u32(),
            },
            |body| {
                Reader::new(body).whole::<ArrayCreate>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("ArrayDestroy", Some(211), &ArrayDestroy { array: seed.next_u64() }, |body| {
            Reader::new(body).whole::<ArrayDestroy>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "MipmappedArrayGetLevel",
            Some(212),
            &MipmappedArrayGetLevel {
                mipmapped_array: seed.next_u64(),
                level: seed.next_u32(),
                array: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<MipmappedArrayGetLevel>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CopyToArray",
            Some(220),
            &CopyToArray {
                array: seed.next_u64(),
                at: std::array::from_fn(|_| seed.next_u64()),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<CopyToArray>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CopyFromArray",
            Some(221),
            &CopyFromArray {
                array: seed.next_u64(),
                at: std::array::from_fn(|_| seed.next_u64()),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
                stream: seed.next_u64(),
                transfer: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<CopyFromArray>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CopyArray",
            Some(222),
            &CopyArray {
                to_array: seed.next_u64(),
                to_at: std::array::from_fn(|_| seed.next_u64()),
                to_address: seed.next_u64(),
                to_pitch_bytes: seed.next_u64(),
                to_rows: seed.next_u64(),
                from_array: seed.next_u64(),
                from_at: std::array::from_fn(|_| seed.next_u64()),
                from_address: seed.next_u64(),
                from_pitch_bytes: seed.next_u64(),
                from_rows: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
                slices: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| Reader::new(body).whole::<CopyArray>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "TextureCreate",
            Some(230),
            &TextureCreate {
                kind: seed.next_i32(),
                array: seed.next_u64(),
                address: seed.next_u64(),
                format: seed.next_i32(),
                channels: seed.next_u32(),
                width: seed.next_u64(),
                height: seed.next_u64(),
                pitch_bytes: seed.next_u64(),
                texture: &bytes,
                view: &bytes,
            },
            |body| {
                Reader::new(body).whole::<TextureCreate>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TextureCreateReply",
            None,
            &TextureCreateReply { texture: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TextureCreateReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TextureDestroy",
            Some(231),
            &TextureDestroy { texture: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<TextureDestroy>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "SurfaceCreate",
            Some(232),
            &SurfaceCreate { array: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<SurfaceCreate>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "SurfaceCreateReply",
            None,
            &SurfaceCreateReply { surface: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<SurfaceCreateReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "SurfaceDestroy",
            Some(233),
            &SurfaceDestroy { surface: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<SurfaceDestroy>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ReferenceFind",
            Some(440),
            &ReferenceFind {
                module: seed.next_u64(),
                name: &text,
                surface: seed.next_bool(),
                reference: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<ReferenceFind>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TextureReferenceCreate",
            Some(441),
            &TextureReferenceCreate { reference: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TextureReferenceCreate>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TextureReferenceDestroy",
            Some(442),
            &TextureReferenceDestroy { reference: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TextureReferenceDestroy>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ReferenceArray",
            Some(443),
            &ReferenceArray { reference: seed.next_u64(), which: seed.next_u8() },
            |body| {
                Reader::new(body).whole::<ReferenceArray>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ReferenceArrayReply",
            None,
            &ReferenceArrayReply { array: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<ReferenceArrayReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ManagedOpen",
            Some(250),
            &ManagedOpen {
                address: seed.next_u64(),
                bytes: seed.next_u64(),
                kind: seed.next_u8(),
                transfer: seed.next_u64(),
                by_touch: seed.next_bool(),
            },
            |body| {
                Reader::new(body).whole::<ManagedOpen>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ManagedOpenReply",
            None,
            &ManagedOpenReply { beside: seed.next_bool() },
            |body| {
                Reader::new(body)
                    .whole::<ManagedOpenReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ManagedClose",
            Some(251),
            &ManagedClose { address: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<ManagedClose>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ManagedWrite",
            Some(252),
            &ManagedWrite { address: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<ManagedWrite>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ManagedChanges",
            Some(366),
            &ManagedChanges {
                first: seed.next_u64(),
                others: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
            },
            |body| {
                Reader::new(body).whole::<ManagedChanges>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ManagedChangesReply",
            None,
            &ManagedChangesReply {
                changed: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                brought: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                wanted: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                unknown: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                bytes: &bytes,
            },
            |body| {
                Reader::new(body)
                    .whole::<ManagedChangesReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "WaitForChanges",
            Some(368),
            &WaitForChanges {
                stream: seed.next_u64(),
                whole: seed.next_bool(),
                is_implicit: seed.next_bool(),
                looks: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
            },
            |body| {
                Reader::new(body).whole::<WaitForChanges>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ManagedFetch",
            Some(367),
            &ManagedFetch {
                address: seed.next_u64(),
                bytes: seed.next_u64(),
                is_touched: seed.next_bool(),
            },
            |body| {
                Reader::new(body).whole::<ManagedFetch>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("ManagedFetchReply", None, &ManagedFetchReply { bytes: &bytes }, |body| {
            Reader::new(body).whole::<ManagedFetchReply>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "ReplicaUpdate",
            Some(323),
            &ReplicaUpdate { address: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<ReplicaUpdate>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ReplicaWrite",
            Some(360),
            &ReplicaWrite { number: seed.next_u64(), address: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<ReplicaWrite>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("ReplicaAwait", Some(361), &ReplicaAwait { number: seed.next_u64() }, |body| {
            Reader::new(body).whole::<ReplicaAwait>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new("ReplicaQuery", Some(362), &ReplicaQuery { number: seed.next_u64() }, |body| {
            Reader::new(body).whole::<ReplicaQuery>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "ReplicaCurrent",
            Some(363),
            &ReplicaCurrent { number: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<ReplicaCurrent>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("ReplicaIdle", Some(364), &ReplicaIdle { sequence: seed.next_u64() }, |body| {
            Reader::new(body).whole::<ReplicaIdle>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "ReplicaPresence",
            Some(369),
            &ReplicaPresence {
                address: seed.next_u64(),
                bytes: seed.next_u64(),
                is_present: seed.next_bool(),
            },
            |body| {
                Reader::new(body)
                    .whole::<ReplicaPresence>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GetManaged",
            Some(254),
            &GetManaged { library: seed.next_u64(), name: &text },
            |body| Reader::new(body).whole::<GetManaged>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "GetManagedReply",
            None,
            &GetManagedReply { address: seed.next_u64(), bytes: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GetManagedReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TensorMapReplaceAddress",
            Some(203),
            &TensorMapReplaceAddress {
                map: std::array::from_fn(|_| seed.next_u64()),
                address: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<TensorMapReplaceAddress>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TensorMapReplaceAddressReply",
            None,
            &TensorMapReplaceAddressReply { map: std::array::from_fn(|_| seed.next_u64()) },
            |body| {
                Reader::new(body)
                    .whole::<TensorMapReplaceAddressReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("Barrier", Some(129), &Barrier {}, |body| {
            Reader::new(body).whole::<Barrier>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "CaptureBegin",
            Some(130),
            &CaptureBegin {
                stream: seed.next_u64(),
                graph: seed.next_u64(),
                into: seed.next_bool(),
                dependencies: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                edges: &bytes,
            },
            |body| {
                Reader::new(body).whole::<CaptureBegin>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("CaptureEnd", Some(131), &CaptureEnd { stream: seed.next_u64() }, |body| {
            Reader::new(body).whole::<CaptureEnd>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new("CaptureInfo", Some(132), &CaptureInfo { stream: seed.next_u64() }, |body| {
            Reader::new(body).whole::<CaptureInfo>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "CaptureInfoReply",
            None,
            &CaptureInfoReply {
                status: seed.next_i32(),
                id: seed.next_u64(),
                graph: seed.next_u64(),
                dependencies: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                edges: &bytes,
            },
            |body| {
                Reader::new(body)
                    .whole::<CaptureInfoReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CaptureDepend",
            Some(133),
            &CaptureDepend {
                stream: seed.next_u64(),
                dependencies: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                edges: &bytes,
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body).whole::<CaptureDepend>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphCreate",
            Some(134),
            &GraphCreate { graph: seed.next_u64(), flags: seed.next_u32() },
            |body| {
                Reader::new(body).whole::<GraphCreate>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphClone",
            Some(135),
            &GraphClone { graph: seed.next_u64(), original: seed.next_u64() },
            |body| Reader::new(body).whole::<GraphClone>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new("GraphDestroy", Some(136), &GraphDestroy { graph: seed.next_u64() }, |body| {
            Reader::new(body).whole::<GraphDestroy>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "GraphInstantiate",
            Some(137),
            &GraphInstantiate {
                exec: seed.next_u64(),
                graph: seed.next_u64(),
                flags: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<GraphInstantiate>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphInstantiateReply",
            None,
            &GraphInstantiateReply { result: seed.next_i32(), error_node: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphInstantiateReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphExecUpdate",
            Some(138),
            &GraphExecUpdate { exec: seed.next_u64(), graph: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphExecUpdate>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphExecUpdateReply",
            None,
            &GraphExecUpdateReply {
                result: seed.next_i32(),
                error_node: seed.next_u64(),
                error_from: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<GraphExecUpdateReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphExecDestroy",
            Some(139),
            &GraphExecDestroy { exec: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphExecDestroy>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphList",
            Some(140),
            &GraphList { of: seed.next_u64(), which: seed.next_u8() },
            |body| Reader::new(body).whole::<GraphList>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "GraphListReply",
            None,
            &GraphListReply {
                from: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                to: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                edges: &bytes,
            },
            |body| {
                Reader::new(body).whole::<GraphListReply>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphDepend",
            Some(141),
            &GraphDepend {
                graph: seed.next_u64(),
                from: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                to: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                edges: &bytes,
                remove: seed.next_bool(),
            },
            |body| {
                Reader::new(body).whole::<GraphDepend>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphAddNode",
            Some(142),
            &GraphAddNode {
                graph: seed.next_u64(),
                dependencies: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                edges: &bytes,
                kind: seed.next_i32(),
                object: seed.next_u64(),
                numbers: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                params: &bytes,
            },
            |body| {
                Reader::new(body).whole::<GraphAddNode>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphAddNodeReply",
            None,
            &GraphAddNodeReply { node: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphAddNodeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphCondition",
            Some(322),
            &GraphCondition {
                graph: seed.next_u64(),
                default_value: seed.next_u32(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body).whole::<GraphCondition>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphConditionReply",
            None,
            &GraphConditionReply { number: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphConditionReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphSetNode",
            Some(143),
            &GraphSetNode {
                exec: seed.next_u64(),
                node: seed.next_u64(),
                kind: seed.next_i32(),
                object: seed.next_u64(),
                numbers: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                params: &bytes,
            },
            |body| {
                Reader::new(body).whole::<GraphSetNode>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphDestroyNode",
            Some(144),
            &GraphDestroyNode { node: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphDestroyNode>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphNodeParams",
            Some(288),
            &GraphNodeParams { node: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphNodeParams>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphNodeParamsReply",
            None,
            &GraphNodeParamsReply {
                kind: seed.next_i32(),
                object: seed.next_u64(),
                numbers: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
            },
            |body| {
                Reader::new(body)
                    .whole::<GraphNodeParamsReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphSetNodeAttribute",
            Some(289),
            &GraphSetNodeAttribute {
                node: seed.next_u64(),
                attribute: seed.next_i32(),
                value: &bytes,
            },
            |body| {
                Reader::new(body)
                    .whole::<GraphSetNodeAttribute>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphNodeAttribute",
            Some(290),
            &GraphNodeAttribute { node: seed.next_u64(), attribute: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<GraphNodeAttribute>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphNodeAttributeReply",
            None,
            &GraphNodeAttributeReply { value: &bytes },
            |body| {
                Reader::new(body)
                    .whole::<GraphNodeAttributeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphFindInClone",
            Some(291),
            &GraphFindInClone { node: seed.next_u64(), graph: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphFindInClone>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphFindInCloneReply",
            None,
            &GraphFindInCloneReply { node: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphFindInCloneReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphAddCopy",
            Some(165),
            &GraphAddCopy {
                graph: seed.next_u64(),
                dependencies: List((0..seed.next_length()).map(|_| seed.next_u64()).collect()),
                edges: &bytes,
                callback: seed.next_u64(),
                to_host: seed.next_bool(),
                transfer: seed.next_u64(),
                address: seed.next_u64(),
                pitch_bytes: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<GraphAddCopy>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphAddCopyReply",
            None,
            &GraphAddCopyReply { node: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphAddCopyReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphSetCopy",
            Some(365),
            &GraphSetCopy {
                exec: seed.next_u64(),
                node: seed.next_u64(),
                callback: seed.next_u64(),
                to_host: seed.next_bool(),
                transfer: seed.next_u64(),
                address: seed.next_u64(),
                pitch_bytes: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<GraphSetCopy>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphChild",
            Some(408),
            &GraphChild { node: seed.next_u64(), graph: seed.next_u64() },
            |body| Reader::new(body).whole::<GraphChild>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "GraphChildReply",
            None,
            &GraphChildReply { graph: seed.next_u64(), around: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphChildReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("GraphNodeType", Some(151), &GraphNodeType { node: seed.next_u64() }, |body| {
            Reader::new(body).whole::<GraphNodeType>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "GraphNodeTypeReply",
            None,
            &GraphNodeTypeReply { kind: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<GraphNodeTypeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CaptureCopy",
            Some(145),
            &CaptureCopy {
                stream: seed.next_u64(),
                callback: seed.next_u64(),
                to_host: seed.next_bool(),
                transfer: seed.next_u64(),
                address: seed.next_u64(),
                pitch_bytes: seed.next_u64(),
                width_bytes: seed.next_u64(),
                rows: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<CaptureCopy>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CaptureBytes",
            Some(146),
            &CaptureBytes { callback: seed.next_u64(), offset: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<CaptureBytes>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "UserObjectCreate",
            Some(147),
            &UserObjectCreate {
                object: seed.next_u64(),
                callback: seed.next_u64(),
                references: seed.next_u32(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<UserObjectCreate>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ForgetCallback",
            Some(148),
            &ForgetCallback { callback: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<ForgetCallback>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphLaunch",
            Some(164),
            &GraphLaunch {
                exec: seed.next_u64(),
                stream: seed.next_u64(),
                calls_back: seed.next_bool(),
            },
            |body| {
                Reader::new(body).whole::<GraphLaunch>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphKernelNode",
            Some(149),
            &GraphKernelNode { node: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphKernelNode>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphKernelNodeReply",
            None,
            &GraphKernelNodeReply {
                graph: seed.next_u64(),
                function: seed.next_u64(),
                grid: std::array::from_fn(|_| seed.next_u32()),
                block: std::array::from_fn(|_| seed.next_u32()),
                shared_bytes: seed.next_u32(),
                params: &bytes,
            },
            |body| {
                Reader::new(body)
                    .whole::<GraphKernelNodeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "NvmlAsk",
            Some(90),
            &NvmlAsk { function: seed.next_u32(), input: &bytes },
            |body| Reader::new(body).whole::<NvmlAsk>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "NvmlAskReply",
            None,
            &NvmlAskReply { status: seed.next_i32(), output: &bytes },
            |body| {
                Reader::new(body).whole::<NvmlAskReply>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("NvmlDriverVersion", Some(91), &NvmlDriverVersion {}, |body| {
            Reader::new(body).whole::<NvmlDriverVersion>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "NvmlDriverVersionReply",
            None,
            &NvmlDriverVersionReply { text: &text },
            |body| {
                Reader::new(body)
                    .whole::<NvmlDriverVersionReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("NvmlMemory", Some(92), &NvmlMemory { device: seed.next_i32() }, |body| {
            Reader::new(body).whole::<NvmlMemory>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "NvmlMemoryReply",
            None,
            &NvmlMemoryReply {
                total_bytes: seed.next_u64(),
                used_bytes: seed.next_u64(),
                free_bytes: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<NvmlMemoryReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "NvmlFields",
            Some(93),
            &NvmlFields {
                device: seed.next_i32(),
                fields: List(
                    (0..seed.next_length())
                        .map(|_| NvmlField { field: seed.next_u32(), scope: seed.next_u32() })
                        .collect(),
                ),
            },
            |body| Reader::new(body).whole::<NvmlFields>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "NvmlField",
            None,
            &NvmlField { field: seed.next_u32(), scope: seed.next_u32() },
            |body| Reader::new(body).whole::<NvmlField>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "NvmlFieldsReply",
            None,
            &NvmlFieldsReply {
                values: List(
                    (0..seed.next_length())
                        .map(|_| NvmlFieldValue {
                            status: seed.next_i32(),
                            kind: seed.next_u32(),
                            value: seed.next_u64(),
                            timestamp_us: seed.next_u64(),
                            latency_us: seed.next_u64(),
                        })
                        .collect(),
                ),
            },
            |body| {
                Reader::new(body)
                    .whole::<NvmlFieldsReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "NvmlFieldValue",
            None,
            &NvmlFieldValue {
                status: seed.next_i32(),
                kind: seed.next_u32(),
                value: seed.next_u64(),
                timestamp_us: seed.next_u64(),
                latency_us: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<NvmlFieldValue>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("NvmlPciIds", Some(94), &NvmlPciIds { device: seed.next_i32() }, |body| {
            Reader::new(body).whole::<NvmlPciIds>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "NvmlPciIdsReply",
            None,
            &NvmlPciIdsReply { device_id: seed.next_u32(), subsystem_id: seed.next_u32() },
            |body| {
                Reader::new(body)
                    .whole::<NvmlPciIdsReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("Reply", Some(80), &Reply { status: seed.next_i32() }, |body| {
            Reader::new(body).whole::<Reply>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "Fault",
            Some(81),
            &Fault { sequence: seed.next_u64(), status: seed.next_i32(), what: &text },
            |body| Reader::new(body).whole::<Fault>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new("Farewell", Some(321), &Farewell { reason: &text }, |body| {
            Reader::new(body).whole::<Farewell>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "Output",
            Some(82),
            &Output { descriptor: seed.next_u8(), text: &bytes },
            |body| Reader::new(body).whole::<Output>().map(|m| (m.encoded(), format!("{m:?}"))),
        ),
        Sample::new(
            "DeviceGetTexture1DLinearMaxWidth",
            Some(104),
            &DeviceGetTexture1DLinearMaxWidth {
                format: seed.next_i32(),
                num_channels: seed.next_u32(),
                dev: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<DeviceGetTexture1DLinearMaxWidth>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "DeviceGetTexture1DLinearMaxWidthReply",
            None,
            &DeviceGetTexture1DLinearMaxWidthReply { max_width_in_elements: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<DeviceGetTexture1DLinearMaxWidthReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new("CtxGetCacheConfig", Some(103), &CtxGetCacheConfig {}, |body| {
            Reader::new(body).whole::<CtxGetCacheConfig>().map(|m| (m.encoded(), format!("{m:?}")))
        }),
        Sample::new(
            "CtxGetCacheConfigReply",
            None,
            &CtxGetCacheConfigReply { pconfig: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<CtxGetCacheConfigReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CtxGetStreamPriorityRange",
            Some(100),
            &CtxGetStreamPriorityRange {},
            |body| {
                Reader::new(body)
                    .whole::<CtxGetStreamPriorityRange>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CtxGetStreamPriorityRangeReply",
            None,
            &CtxGetStreamPriorityRangeReply {
                least_priority: seed.next_i32(),
                greatest_priority: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<CtxGetStreamPriorityRangeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CtxResetPersistingL2Cache",
            Some(101),
            &CtxResetPersistingL2Cache {},
            |body| {
                Reader::new(body)
                    .whole::<CtxResetPersistingL2Cache>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "CtxSetCacheConfig",
            Some(102),
            &CtxSetCacheConfig { config: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<CtxSetCacheConfig>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "OccupancyAvailableDynamicSMemPerBlock",
            Some(116),
            &OccupancyAvailableDynamicSMemPerBlock {
                func: seed.next_u64(),
                num_blocks: seed.next_i32(),
                block_size: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<OccupancyAvailableDynamicSMemPerBlock>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "OccupancyAvailableDynamicSMemPerBlockReply",
            None,
            &OccupancyAvailableDynamicSMemPerBlockReply { dynamic_smem_size: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<OccupancyAvailableDynamicSMemPerBlockReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "OccupancyMaxActiveBlocksPerMultiprocessor",
            Some(117),
            &OccupancyMaxActiveBlocksPerMultiprocessor {
                func: seed.next_u64(),
                block_size: seed.next_i32(),
                dynamic_smem_size: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<OccupancyMaxActiveBlocksPerMultiprocessor>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "OccupancyMaxActiveBlocksPerMultiprocessorReply",
            None,
            &OccupancyMaxActiveBlocksPerMultiprocessorReply { num_blocks: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<OccupancyMaxActiveBlocksPerMultiprocessorReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
            Some(118),
            &OccupancyMaxActiveBlocksPerMultiprocessorWithFlags {
                func: seed.next_u64(),
                block_size: seed.next_i32(),
                dynamic_smem_size: seed.next_u64(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<OccupancyMaxActiveBlocksPerMultiprocessorWithFlags>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "OccupancyMaxActiveBlocksPerMultiprocessorWithFlagsReply",
            None,
            &OccupancyMaxActiveBlocksPerMultiprocessorWithFlagsReply {
                num_blocks: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<OccupancyMaxActiveBlocksPerMultiprocessorWithFlagsReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamBatchMemOp",
            Some(292),
            &StreamBatchMemOp {
                stream: seed.next_u64(),
                count: seed.next_u32(),
                param_array: &bytes,
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<StreamBatchMemOp>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamCopyAttributes",
            Some(119),
            &StreamCopyAttributes { dst: seed.next_u64(), src: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<StreamCopyAttributes>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamGetAttribute",
            Some(120),
            &StreamGetAttribute { stream: seed.next_u64(), attr: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<StreamGetAttribute>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamGetAttributeReply",
            None,
            &StreamGetAttributeReply { value_out: &bytes },
            |body| {
                Reader::new(body)
                    .whole::<StreamGetAttributeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamSetAttribute",
            Some(121),
            &StreamSetAttribute { stream: seed.next_u64(), attr: seed.next_i32(), value: &bytes },
            |body| {
                Reader::new(body)
                    .whole::<StreamSetAttribute>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamWaitValue32",
            Some(123),
            &StreamWaitValue32 {
                stream: seed.next_u64(),
                addr: seed.next_u64(),
                value: seed.next_u32(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<StreamWaitValue32>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamWaitValue64",
            Some(124),
            &StreamWaitValue64 {
                stream: seed.next_u64(),
                addr: seed.next_u64(),
                value: seed.next_u64(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<StreamWaitValue64>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamWriteValue32",
            Some(125),
            &StreamWriteValue32 {
                stream: seed.next_u64(),
                addr: seed.next_u64(),
                value: seed.next_u32(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<StreamWriteValue32>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "StreamWriteValue64",
            Some(126),
            &StreamWriteValue64 {
                stream: seed.next_u64(),
                addr: seed.next_u64(),
                value: seed.next_u64(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<StreamWriteValue64>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MemsetD16Async",
            Some(110),
            &MemsetD16Async {
                dst_device: seed.next_u64(),
                us: seed.next_u16(),
                n: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<MemsetD16Async>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MemsetD2D16Async",
            Some(111),
            &MemsetD2D16Async {
                dst_device: seed.next_u64(),
                dst_pitch: seed.next_u64(),
                us: seed.next_u16(),
                width: seed.next_u64(),
                height: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<MemsetD2D16Async>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MemsetD2D32Async",
            Some(112),
            &MemsetD2D32Async {
                dst_device: seed.next_u64(),
                dst_pitch: seed.next_u64(),
                ui: seed.next_u32(),
                width: seed.next_u64(),
                height: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<MemsetD2D32Async>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MemsetD2D8Async",
            Some(113),
            &MemsetD2D8Async {
                dst_device: seed.next_u64(),
                dst_pitch: seed.next_u64(),
                uc: seed.next_u8(),
                width: seed.next_u64(),
                height: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<MemsetD2D8Async>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MemsetD32Async",
            Some(114),
            &MemsetD32Async {
                dst_device: seed.next_u64(),
                ui: seed.next_u32(),
                n: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<MemsetD32Async>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MemsetD8Async",
            Some(115),
            &MemsetD8Async {
                dst_device: seed.next_u64(),
                uc: seed.next_u8(),
                n: seed.next_u64(),
                stream: seed.next_u64(),
            },
            |body| {
                Reader::new(body).whole::<MemsetD8Async>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphExecGetFlags",
            Some(152),
            &GraphExecGetFlags { h_graph_exec: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphExecGetFlags>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphExecGetFlagsReply",
            None,
            &GraphExecGetFlagsReply { flags: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphExecGetFlagsReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphKernelNodeCopyAttributes",
            Some(163),
            &GraphKernelNodeCopyAttributes { dst: seed.next_u64(), src: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphKernelNodeCopyAttributes>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphNodeGetEnabled",
            Some(158),
            &GraphNodeGetEnabled { h_graph_exec: seed.next_u64(), h_node: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<GraphNodeGetEnabled>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphNodeGetEnabledReply",
            None,
            &GraphNodeGetEnabledReply { is_enabled: seed.next_u32() },
            |body| {
                Reader::new(body)
                    .whole::<GraphNodeGetEnabledReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphNodeSetEnabled",
            Some(157),
            &GraphNodeSetEnabled {
                h_graph_exec: seed.next_u64(),
                h_node: seed.next_u64(),
                is_enabled: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<GraphNodeSetEnabled>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphReleaseUserObject",
            Some(156),
            &GraphReleaseUserObject {
                graph: seed.next_u64(),
                object: seed.next_u64(),
                count: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<GraphReleaseUserObject>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphRetainUserObject",
            Some(155),
            &GraphRetainUserObject {
                graph: seed.next_u64(),
                object: seed.next_u64(),
                count: seed.next_u32(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<GraphRetainUserObject>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "GraphUpload",
            Some(150),
            &GraphUpload { h_graph: seed.next_u64(), stream: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<GraphUpload>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "UserObjectRelease",
            Some(154),
            &UserObjectRelease { object: seed.next_u64(), count: seed.next_u32() },
            |body| {
                Reader::new(body)
                    .whole::<UserObjectRelease>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "UserObjectRetain",
            Some(153),
            &UserObjectRetain { object: seed.next_u64(), count: seed.next_u32() },
            |body| {
                Reader::new(body)
                    .whole::<UserObjectRetain>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ArrayGetMemoryRequirements",
            Some(213),
            &ArrayGetMemoryRequirements { array: seed.next_u64(), device: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<ArrayGetMemoryRequirements>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "ArrayGetMemoryRequirementsReply",
            None,
            &ArrayGetMemoryRequirementsReply { memory_requirements: &bytes },
            |body| {
                Reader::new(body)
                    .whole::<ArrayGetMemoryRequirementsReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MipmappedArrayGetMemoryRequirements",
            Some(214),
            &MipmappedArrayGetMemoryRequirements {
                mipmap: seed.next_u64(),
                device: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<MipmappedArrayGetMemoryRequirements>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "MipmappedArrayGetMemoryRequirementsReply",
            None,
            &MipmappedArrayGetMemoryRequirementsReply { memory_requirements: &bytes },
            |body| {
                Reader::new(body)
                    .whole::<MipmappedArrayGetMemoryRequirementsReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "SurfRefSetArray",
            Some(433),
            &SurfRefSetArray {
                h_surf_ref: seed.next_u64(),
                h_array: seed.next_u64(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<SurfRefSetArray>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TensorMapEncodeIm2col",
            Some(201),
            &TensorMapEncodeIm2col {
                tensor_data_type: seed.next_i32(),
                tensor_rank: seed.next_u32(),
                global_address: seed.next_u64(),
                global_dim: &bytes,
                global_strides: &bytes,
                pixel_box_lower_corner: &bytes,
                pixel_box_upper_corner: &bytes,
                channels_per_pixel: seed.next_u32(),
                pixels_per_column: seed.next_u32(),
                element_strides: &bytes,
                interleave: seed.next_i32(),
                swizzle: seed.next_i32(),
                l2_promotion: seed.next_i32(),
                oob_fill: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<TensorMapEncodeIm2col>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TensorMapEncodeIm2colReply",
            None,
            &TensorMapEncodeIm2colReply { tensor_map: &bytes },
            |body| {
                Reader::new(body)
                    .whole::<TensorMapEncodeIm2colReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TensorMapEncodeIm2colWide",
            Some(202),
            &TensorMapEncodeIm2colWide {
                tensor_data_type: seed.next_i32(),
                tensor_rank: seed.next_u32(),
                global_address: seed.next_u64(),
                global_dim: &bytes,
                global_strides: &bytes,
                pixel_box_lower_corner_width: seed.next_i32(),
                pixel_box_upper_corner_width: seed.next_i32(),
                channels_per_pixel: seed.next_u32(),
                pixels_per_column: seed.next_u32(),
                element_strides: &bytes,
                interleave: seed.next_i32(),
                mode: seed.next_i32(),
                swizzle: seed.next_i32(),
                l2_promotion: seed.next_i32(),
                oob_fill: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<TensorMapEncodeIm2colWide>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TensorMapEncodeIm2colWideReply",
            None,
            &TensorMapEncodeIm2colWideReply { tensor_map: &bytes },
            |body| {
                Reader::new(body)
                    .whole::<TensorMapEncodeIm2colWideReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TensorMapEncodeTiled",
            Some(200),
            &TensorMapEncodeTiled {
                tensor_data_type: seed.next_i32(),
                tensor_rank: seed.next_u32(),
                global_address: seed.next_u64(),
                global_dim: &bytes,
                global_strides: &bytes,
                box_dim: &bytes,
                element_strides: &bytes,
                interleave: seed.next_i32(),
                swizzle: seed.next_i32(),
                l2_promotion: seed.next_i32(),
                oob_fill: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<TensorMapEncodeTiled>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TensorMapEncodeTiledReply",
            None,
            &TensorMapEncodeTiledReply { tensor_map: &bytes },
            |body| {
                Reader::new(body)
                    .whole::<TensorMapEncodeTiledReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetAddress",
            Some(423),
            &TexRefGetAddress { h_tex_ref: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetAddress>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetAddressReply",
            None,
            &TexRefGetAddressReply { pdptr: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetAddressReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetAddressMode",
            Some(424),
            &TexRefGetAddressMode { h_tex_ref: seed.next_u64(), dim: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetAddressMode>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetAddressModeReply",
            None,
            &TexRefGetAddressModeReply { pam: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetAddressModeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetBorderColor",
            Some(432),
            &TexRefGetBorderColor { h_tex_ref: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetBorderColor>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetBorderColorReply",
            None,
            &TexRefGetBorderColorReply { p_border_color: &bytes },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetBorderColorReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetFilterMode",
            Some(425),
            &TexRefGetFilterMode { h_tex_ref: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetFilterMode>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetFilterModeReply",
            None,
            &TexRefGetFilterModeReply { pfm: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetFilterModeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetFlags",
            Some(426),
            &TexRefGetFlags { h_tex_ref: seed.next_u64() },
            |body| {
                Reader::new(body).whole::<TexRefGetFlags>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetFlagsReply",
            None,
            &TexRefGetFlagsReply { p_flags: seed.next_u32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetFlagsReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetFormat",
            Some(427),
            &TexRefGetFormat { h_tex_ref: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetFormat>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetFormatReply",
            None,
            &TexRefGetFormatReply { p_format: seed.next_i32(), p_num_channels: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetFormatReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetMaxAnisotropy",
            Some(428),
            &TexRefGetMaxAnisotropy { h_tex_ref: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetMaxAnisotropy>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetMaxAnisotropyReply",
            None,
            &TexRefGetMaxAnisotropyReply { pmax_aniso: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetMaxAnisotropyReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetMipmapFilterMode",
            Some(429),
            &TexRefGetMipmapFilterMode { h_tex_ref: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetMipmapFilterMode>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetMipmapFilterModeReply",
            None,
            &TexRefGetMipmapFilterModeReply { pfm: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetMipmapFilterModeReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetMipmapLevelBias",
            Some(430),
            &TexRefGetMipmapLevelBias { h_tex_ref: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetMipmapLevelBias>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetMipmapLevelBiasReply",
            None,
            &TexRefGetMipmapLevelBiasReply { pbias: seed.next_f32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetMipmapLevelBiasReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetMipmapLevelClamp",
            Some(431),
            &TexRefGetMipmapLevelClamp { h_tex_ref: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetMipmapLevelClamp>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefGetMipmapLevelClampReply",
            None,
            &TexRefGetMipmapLevelClampReply {
                pmin_mipmap_level_clamp: seed.next_f32(),
                pmax_mipmap_level_clamp: seed.next_f32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<TexRefGetMipmapLevelClampReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetAddress",
            Some(421),
            &TexRefSetAddress {
                h_tex_ref: seed.next_u64(),
                dptr: seed.next_u64(),
                bytes: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetAddress>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetAddressReply",
            None,
            &TexRefSetAddressReply { byte_offset: seed.next_u64() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetAddressReply>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetAddress2D",
            Some(422),
            &TexRefSetAddress2D {
                h_tex_ref: seed.next_u64(),
                desc: &bytes,
                dptr: seed.next_u64(),
                pitch: seed.next_u64(),
            },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetAddress2D>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetAddressMode",
            Some(411),
            &TexRefSetAddressMode {
                h_tex_ref: seed.next_u64(),
                dim: seed.next_i32(),
                am: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetAddressMode>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetArray",
            Some(419),
            &TexRefSetArray {
                h_tex_ref: seed.next_u64(),
                h_array: seed.next_u64(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body).whole::<TexRefSetArray>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetBorderColor",
            Some(417),
            &TexRefSetBorderColor { h_tex_ref: seed.next_u64(), p_border_color: &bytes },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetBorderColor>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetFilterMode",
            Some(412),
            &TexRefSetFilterMode { h_tex_ref: seed.next_u64(), fm: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetFilterMode>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetFlags",
            Some(418),
            &TexRefSetFlags { h_tex_ref: seed.next_u64(), flags: seed.next_u32() },
            |body| {
                Reader::new(body).whole::<TexRefSetFlags>().map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetFormat",
            Some(410),
            &TexRefSetFormat {
                h_tex_ref: seed.next_u64(),
                fmt: seed.next_i32(),
                num_packed_components: seed.next_i32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetFormat>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetMaxAnisotropy",
            Some(416),
            &TexRefSetMaxAnisotropy { h_tex_ref: seed.next_u64(), max_aniso: seed.next_u32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetMaxAnisotropy>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetMipmapFilterMode",
            Some(413),
            &TexRefSetMipmapFilterMode { h_tex_ref: seed.next_u64(), fm: seed.next_i32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetMipmapFilterMode>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetMipmapLevelBias",
            Some(414),
            &TexRefSetMipmapLevelBias { h_tex_ref: seed.next_u64(), bias: seed.next_f32() },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetMipmapLevelBias>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetMipmapLevelClamp",
            Some(415),
            &TexRefSetMipmapLevelClamp {
                h_tex_ref: seed.next_u64(),
                min_mipmap_level_clamp: seed.next_f32(),
                max_mipmap_level_clamp: seed.next_f32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetMipmapLevelClamp>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
        Sample::new(
            "TexRefSetMipmappedArray",
            Some(420),
            &TexRefSetMipmappedArray {
                h_tex_ref: seed.next_u64(),
                h_mipmapped_array: seed.next_u64(),
                flags: seed.next_u32(),
            },
            |body| {
                Reader::new(body)
                    .whole::<TexRefSetMipmappedArray>()
                    .map(|m| (m.encoded(), format!("{m:?}")))
            },
        ),
    ]
}

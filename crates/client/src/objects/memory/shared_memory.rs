//! Memory that programs of one node share: the tickets that name it, and what is opened.

use crate::objects::memory::physical::Physical;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::codec::{Field, Reader};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Bytes of a ticket.
pub const TICKET_BYTES: usize = 64;
const MAGIC: u64 = u64::from_le_bytes(*b"outhaul1");

/// Identifies memory. The allocation is at an offset in the memory that the worker maps as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// Number of the worker's descriptor socket.
    pub socket: u64,
    /// Secret key of the memory.
    pub key: [u8; 16],
    /// Bytes of the memory as a whole.
    pub whole_bytes: u64,
    /// Offset of the allocation.
    pub offset: u64,
    /// Bytes of the allocation.
    pub bytes: u64,
}

impl Ticket {
    /// Returns the bytes that a program passes to another.
    pub fn encode(&self) -> [u8; TICKET_BYTES] {
        let mut out = Vec::with_capacity(TICKET_BYTES);
        MAGIC.put(&mut out);
        self.socket.put(&mut out);
        self.key.put(&mut out);
        [self.whole_bytes, self.offset, self.bytes].iter().for_each(|n| n.put(&mut out));
        out.resize(TICKET_BYTES, 0);
        out.try_into().expect("resized just now")
    }

    /// Returns none if the bytes are not a ticket, or its numbers are impossible.
    pub fn decode(bytes: &[u8; TICKET_BYTES]) -> Option<Ticket> {
        let mut reader = Reader::new(bytes);
        let mut number = || u64::take(&mut reader).ok();
        let (magic, socket) = (number()?, number()?);
        let key = <[u8; 16]>::take(&mut reader).ok()?;
        let mut number = || u64::take(&mut reader).ok();
        let ticket =
            Ticket { socket, key, whole_bytes: number()?, offset: number()?, bytes: number()? };
        let fits =
            ticket.offset.checked_add(ticket.bytes).is_some_and(|end| end <= ticket.whole_bytes);
        (magic == MAGIC && ticket.bytes > 0 && fits).then_some(ticket)
    }
}

/// Another session's memory, mapped in this one.
pub struct Opened {
    pub ticket: Ticket,
    /// Whether a pool gave it. Then it is freed rather than closed.
    pub is_pooled: bool,
    pub memory: Arc<Physical>,
    /// First address of the whole memory.
    pub base: u64,
    pub count: u32,
}

/// Memory that other processes share, or that is shared with them.
#[derive(Default)]
pub struct Sharing {
    /// Keys of memory that this session itself has.
    own: Mutex<HashSet<[u8; 16]>>,
    /// Memory of other sessions, by the address that the program got.
    opened: Mutex<BTreeMap<u64, Opened>>,
    /// Segments, by the address where they are attached.
    pub segments: Mutex<BTreeMap<u64, Arc<Physical>>>,
}

impl Sharing {
    /// Memory of other sessions, by the address that the program got.
    pub fn opened(&self) -> MutexGuard<'_, BTreeMap<u64, Opened>> {
        self.opened.lock()
    }

    /// Keys of memory that this session itself has.
    pub fn own(&self) -> MutexGuard<'_, HashSet<[u8; 16]>> {
        self.own.lock()
    }
}

//! Memory that programs of one node share: tickets that identify it, and memory that this program
//! has opened.

use crate::objects::memory::physical::Physical;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::codec::{Field, Reader};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Size of a ticket in bytes.
pub const TICKET_BYTES: usize = 64;
const MAGIC: u64 = u64::from_le_bytes(*b"outhaul1");

/// Identifies a shared allocation, which is a part of memory that the worker maps as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// Number of the worker's descriptor socket.
    pub socket: u64,
    /// Secret key of the memory.
    pub key: [u8; 16],
    /// Size of the memory as a whole, in bytes.
    pub whole_bytes: u64,
    /// Offset of the allocation within the whole memory.
    pub offset: u64,
    /// Size of the allocation in bytes.
    pub bytes: u64,
}

impl Ticket {
    /// Returns the ticket as bytes, which one program passes to another.
    pub fn encode(&self) -> [u8; TICKET_BYTES] {
        let mut out = Vec::with_capacity(TICKET_BYTES);
        MAGIC.put(&mut out);
        self.socket.put(&mut out);
        self.key.put(&mut out);
        [self.whole_bytes, self.offset, self.bytes].iter().for_each(|n| n.put(&mut out));
        out.resize(TICKET_BYTES, 0);
        out.try_into().expect("resized just now")
    }

    /// Decodes a ticket. Returns none if the bytes are not a ticket or the ticket's numbers are
    /// inconsistent.
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
    /// Whether the memory came from a pool, so that the program frees rather than closes it.
    pub is_pooled: bool,
    pub memory: Arc<Physical>,
    /// First address of the whole memory.
    pub base: u64,
    pub count: u32,
}

/// Memory that this session shares with other processes, or opened from them.
#[derive(Default)]
pub struct Sharing {
    /// Keys of the memory that this session itself shares.
    own: Mutex<HashSet<[u8; 16]>>,
    /// Memory of other sessions, by the address that the program received.
    opened: Mutex<BTreeMap<u64, Opened>>,
    /// Segments, by the address where they are attached.
    pub segments: Mutex<BTreeMap<u64, Arc<Physical>>>,
}

impl Sharing {
    /// Locks the memory of other sessions, by the address that the program received.
    pub fn opened(&self) -> MutexGuard<'_, BTreeMap<u64, Opened>> {
        self.opened.lock()
    }

    /// Locks the keys of the memory that this session itself shares.
    pub fn own(&self) -> MutexGuard<'_, HashSet<[u8; 16]>> {
        self.own.lock()
    }
}

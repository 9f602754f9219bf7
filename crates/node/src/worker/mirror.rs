//! The node's side of memory that program and device reach by the same address. It answers what the device has changed by comparing with what
//! both sides last knew. Copies run in a stream of their own, so that they wait for nobody's work; the client asks when there is none.

use super::Worker;
use super::echo::{Echo, merge};
use super::frame::{Incoming, Refusal, Ticket};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::limits::{MIRROR_BYTES_MAX, MIRROR_READ_BYTES_MAX, PIECE_BYTES};
use outhaul_wire::messages::*;
use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::Arc;

const PAGE_BYTES: usize = 4096;
const REGISTER_PORTABLE_DEVICEMAP: u32 = 3;

const DEVICE: u8 = 0;
const HOST: u8 = 1;
const PLACED: u8 = 2;
const SMALL: u8 = 3;

#[derive(Default)]
pub struct Mirrors {
    open: BTreeMap<u64, Mirror>,
    /// By context.
    streams: HashMap<CUcontext, CUstream>,
}

struct Mirror {
    known: Vec<u8>,
    transfer: u64,
    /// Where this process reaches it too: pages of its own, or what the driver manages.
    here: Option<Here>,
    /// The way out tells what the device has changed.
    small: bool,
    _pages: Option<HostPages>,
}

struct Here(*mut u8);

// SAFETY: plain memory; device and client use it by turns.
unsafe impl Send for Here {}

struct HostPages {
    driver: Arc<Driver>,
    address: *mut c_void,
    bytes: usize,
}

// SAFETY: plain memory; device and client use it by turns.
unsafe impl Send for HostPages {}

impl HostPages {
    /// Pages at an address that the client chose, if nothing lies there.
    fn map(driver: &Arc<Driver>, address: u64, bytes: usize) -> Result<HostPages, CUresult> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE);
        let bytes = bytes.next_multiple_of(PAGE_BYTES);
        // SAFETY: a new mapping, and only where nothing lies.
        let found = unsafe { libc::mmap(address as *mut c_void, bytes, protection, flags, -1, 0) };
        if found == libc::MAP_FAILED {
            return Err(CUresult::NOT_SUPPORTED);
        }
        let pages = HostPages { driver: driver.clone(), address: found, bytes };
        if found as u64 != address {
            return Err(CUresult::NOT_SUPPORTED);
        }
        // SAFETY: the mapping lives until it is unregistered.
        unsafe { driver.cuMemHostRegister_v2(found, bytes, REGISTER_PORTABLE_DEVICEMAP) }.ok()?;
        Ok(pages)
    }
}

impl Drop for HostPages {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`; a registration that failed, or that its context took along, leaves nothing to undo.
        unsafe {
            let _ = self.driver.cuMemHostUnregister(self.address);
            libc::munmap(self.address, self.bytes);
        }
    }
}

impl Worker {
    fn mirror_stream(&mut self) -> Result<CUstream, Refusal> {
        let context = self.context()?;
        if let Some(stream) = self.mirrors.streams.get(&context) {
            return Ok(*stream);
        }
        let mut stream = CUstream::NULL;
        // SAFETY: the handle goes to a local.
        unsafe { self.driver.cuStreamCreate(&mut stream, values::STREAM_NON_BLOCKING) }.ok()?;
        self.mirrors.streams.insert(context, stream);
        Ok(stream)
    }

    pub fn open_mirror(&mut self, m: &MirrorOpen) -> Result<(), Refusal> {
        let held: u64 = self.mirrors.open.values().map(|mirror| mirror.known.len() as u64).sum();
        if m.bytes == 0 || m.bytes > MIRROR_BYTES_MAX - held {
            return Err(Refusal::Driver(CUresult::OUT_OF_MEMORY));
        }
        let before = self.mirrors.open.range(..m.address + m.bytes).next_back();
        if before.is_some_and(|(start, mirror)| start + mirror.known.len() as u64 > m.address) {
            return Err(Refusal::Violation(format!("two mirrors at {:#x}", m.address)));
        }
        let bytes = m.bytes as usize;
        let (mut here, mut pages) = (None, None);
        match m.kind {
            HOST | SMALL => {
                let mapped = HostPages::map(&self.driver, m.address, bytes)?;
                if m.kind == SMALL {
                    // SAFETY: the pages are mapped for as long as the mirror is open, and longer than the echo.
                    let echo = unsafe { Echo::new(mapped.address.cast(), bytes) };
                    self.carrier.outbound.add_echo(m.address, echo).map_err(Refusal::Violation)?;
                }
                (here, pages) = (Some(Here(mapped.address.cast())), Some(mapped));
            }
            DEVICE => {
                let stream = self.mirror_stream()?;
                // SAFETY: the device address is this session's own affair.
                unsafe {
                    self.driver.cuMemsetD8Async(m.address, 0, bytes, stream).ok()?;
                    self.driver.cuStreamSynchronize(stream).ok()?;
                }
            }
            PLACED => {
                if !self.managed.iter().any(|(start, size)| (*start, *size) == (m.address, m.bytes)) {
                    return Err(Refusal::Violation(format!("{:#x} is no managed variable", m.address)));
                }
                here = Some(Here(m.address as *mut u8));
            }
            other => return Err(Refusal::Violation(format!("a mirror of kind {other}"))),
        }
        self.mirrors
            .open
            .insert(m.address, Mirror { known: vec![0; bytes], transfer: m.transfer, here, small: m.kind == SMALL, _pages: pages });
        Ok(())
    }

    pub fn close_mirror(&mut self, m: &MirrorClose) -> Result<(), Refusal> {
        self.carrier.outbound.remove_echo(m.address);
        let mirror = self.mirrors.open.remove(&m.address);
        mirror.map(drop).ok_or_else(|| Refusal::Violation(format!("there is no mirror at {:#x}", m.address)))
    }

    pub fn write_mirror(&mut self, m: &MirrorWrite, incoming: &mut Incoming<'_>) -> Result<(), Refusal> {
        let bytes = incoming.payload_bytes();
        let stream = self.mirror_stream();
        let driver = self.driver.clone();
        let outside = || Refusal::Violation(format!("{bytes} bytes at {:#x} leave their mirror", m.address));
        let (start, mirror) = self.mirrors.open.range_mut(..=m.address).next_back().ok_or_else(outside)?;
        let offset = (m.address - start) as usize;
        let known = offset.checked_add(bytes).and_then(|end| mirror.known.get_mut(offset..end)).ok_or_else(outside)?;
        if let Some(here) = &mirror.here {
            let mut new = vec![0; bytes];
            incoming.read_payload(&mut new)?;
            if mirror.small {
                let is_inside = self.carrier.outbound.merge_echo(*start, offset, &new);
                return if is_inside { Ok(()) } else { Err(outside()) };
            }
            // SAFETY: inside the mirror.
            unsafe { merge(here.0.add(offset), known, &new) };
            known.copy_from_slice(&new);
            return Ok(());
        }
        incoming.read_payload(known)?;
        let stream = stream?;
        // SAFETY: the bytes live through the wait; the device address is this session's own affair.
        unsafe {
            driver.cuMemcpyHtoDAsync_v2(m.address, known.as_ptr().cast(), bytes, stream).ok()?;
            Ok(driver.cuStreamSynchronize(stream).ok()?)
        }
    }

    pub fn read_mirror(&mut self, m: &MirrorRead, ticket: &Ticket) -> Result<(), Refusal> {
        let outside = || Refusal::Violation(format!("{} bytes at {} leave the mirror at {:#x}", m.bytes, m.offset, m.address));
        if m.bytes > MIRROR_READ_BYTES_MAX {
            return Err(outside());
        }
        let stream = self.mirror_stream();
        let driver = self.driver.clone();
        let mirror = self.mirrors.open.get_mut(&m.address).ok_or_else(outside)?;
        let (start, bytes) = (m.offset as usize, m.bytes as usize);
        let known = start.checked_add(bytes).and_then(|end| mirror.known.get_mut(start..end)).ok_or_else(outside)?;
        let mut now = vec![0u8; bytes];
        // SAFETY: inside the mirror, on either side; the place is a local of that size.
        unsafe {
            match &mirror.here {
                Some(here) => std::ptr::copy_nonoverlapping(here.0.add(start), now.as_mut_ptr(), bytes),
                None => {
                    let stream = stream?;
                    driver.cuMemcpyDtoHAsync_v2(now.as_mut_ptr().cast(), m.address + m.offset, bytes, stream).ok()?;
                    driver.cuStreamSynchronize(stream).ok()?;
                }
            }
        }
        let mut changed = Vec::new();
        for (i, (now, known)) in now.chunks(PAGE_BYTES).zip(known.chunks_mut(PAGE_BYTES)).enumerate() {
            if now != known {
                known.copy_from_slice(now);
                let offset = m.offset + (i * PAGE_BYTES) as u64;
                match changed.last_mut() {
                    Some((start, bytes)) if *start + *bytes == offset && *bytes + (now.len() as u64) <= PIECE_BYTES as u64 => {
                        *bytes += now.len() as u64
                    }
                    _ => changed.push((offset, now.len() as u64)),
                }
            }
        }
        for (offset, bytes) in &changed {
            let from = (offset - m.offset) as usize;
            self.carrier.outbound.data(mirror.transfer, *offset, CUresult::SUCCESS, &now[from..from + *bytes as usize], false);
        }
        ticket.answer(&MirrorReadReply { changed: List(changed.into_iter().flat_map(|(offset, bytes)| [offset, bytes]).collect()) });
        Ok(())
    }
}

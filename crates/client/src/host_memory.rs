//! Host memory that the program pinned. Where the worker runs on the same machine it is memory that both map; else it is ordinary memory, and
//! what pinning buys is that a copy may read it after the call returned.

use crate::host_segment::{HostSegment, place};
use crate::outbox::Sent;
use crate::session::Place;
use outhaul_abi::types::CUresult;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, RwLock};

const PAGE_BYTES: usize = 4096;

#[derive(Clone)]
pub struct Region {
    pub start: usize,
    pub bytes: usize,
    pub flags: u32,
    pub registered: bool,
    pub context: u64,
    pub device: i32,
    pub id: u64,
    /// What lies under it if the worker maps it too.
    pub segment: Option<Arc<HostSegment>>,
    /// Copies that read it in the background.
    reading: Arc<Mutex<Vec<Arc<Sent>>>>,
}

impl Region {
    /// Notes a copy that is still to read the region.
    pub fn note_reading(&self, sent: Arc<Sent>) {
        let mut reading = self.reading.lock().unwrap_or_else(|e| e.into_inner());
        reading.retain(|other| !other.is_done());
        reading.push(sent);
    }

    /// Blocks until no posted copy reads it any more.
    fn wait_read(&self) {
        let reading = std::mem::take(&mut *self.reading.lock().unwrap_or_else(|e| e.into_inner()));
        reading.iter().for_each(|sent| sent.wait());
    }
}

#[derive(Default)]
pub struct HostMemory {
    regions: RwLock<BTreeMap<usize, Region>>,
}

/// Whose a region is.
#[derive(Clone, Copy)]
pub struct Owner {
    pub context: u64,
    pub device: i32,
    pub id: u64,
}

impl HostMemory {
    fn write(&self) -> std::sync::RwLockWriteGuard<'_, BTreeMap<usize, Region>> {
        self.regions.write().unwrap_or_else(|e| e.into_inner())
    }

    pub fn allocate(&self, bytes: usize, flags: u32, owner: Owner, at: Place) -> Result<usize, CUresult> {
        if bytes == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        if let Some(segment) = at.session.segments.open(bytes, at).map(Arc::new) {
            let address = segment.address();
            self.enter(address, bytes, flags, false, Some(segment), owner);
            return Ok(address);
        }
        let (protection, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a fresh anonymous mapping, which replaces none.
        let map = |place: usize, flags: i32| unsafe { libc::mmap(place as *mut libc::c_void, bytes, protection, kind | flags, -1, 0) };
        let mut address = map(place(bytes), libc::MAP_FIXED_NOREPLACE);
        if address == libc::MAP_FAILED {
            // The device cannot reach it then, unless nothing lies there on the node by chance.
            address = map(0, 0);
        }
        if address == libc::MAP_FAILED {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        self.enter(address as usize, bytes, flags, false, None, owner);
        Ok(address as usize)
    }

    fn enter(&self, start: usize, bytes: usize, flags: u32, registered: bool, segment: Option<Arc<HostSegment>>, owner: Owner) {
        let Owner { context, device, id } = owner;
        let region = Region { start, bytes, flags, registered, context, device, id, segment, reading: Arc::default() };
        self.write().insert(start, region);
    }

    pub fn register(&self, start: usize, bytes: usize, flags: u32, owner: Owner) -> Result<(), CUresult> {
        if start == 0 || bytes == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        if self.overlapping(start, bytes) {
            return Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED);
        }
        self.enter(start, bytes, flags, true, None, owner);
        Ok(())
    }

    fn overlapping(&self, start: usize, bytes: usize) -> bool {
        let regions = self.regions.read().unwrap_or_else(|e| e.into_inner());
        regions.range(..start + bytes).next_back().is_some_and(|(a, r)| a + r.bytes > start)
    }

    pub fn unregister(&self, start: usize) -> Result<(), CUresult> {
        let region = self.write().remove(&start).filter(|r| r.registered).ok_or(CUresult::HOST_MEMORY_NOT_REGISTERED)?;
        region.wait_read();
        Ok(())
    }

    pub fn free(&self, start: usize) -> Result<(), CUresult> {
        let mut regions = self.write();
        if regions.get(&start).is_none_or(|r| r.registered) {
            return Err(CUresult::INVALID_VALUE);
        }
        let region = regions.remove(&start).expect("just seen");
        drop(regions);
        region.wait_read();
        if let Some(segment) = &region.segment {
            segment.close();
            return Ok(());
        }
        // SAFETY: mapped by `allocate` with this length, and no copy reads it any more.
        unsafe { libc::munmap(start as *mut libc::c_void, region.bytes.next_multiple_of(PAGE_BYTES)) };
        Ok(())
    }

    /// The region that an address lies in.
    pub fn find(&self, address: usize) -> Option<Region> {
        let regions = self.regions.read().unwrap_or_else(|e| e.into_inner());
        let (_, region) = regions.range(..=address).next_back()?;
        (address < region.start + region.bytes).then(|| region.clone())
    }
}

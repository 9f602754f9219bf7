//! Pages of this process at addresses that the client chose, registered with the driver, so that
//! the device can use the client's pointers. Two pieces of the client's memory may share a page.

use outhaul_abi::Driver;
use outhaul_abi::types::CUresult;
use outhaul_lock::Mutex;
use outhaul_wire::limits::{MANAGED_BYTES_MAX, REPLICAS_MAX};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Weak};

const PAGE_BYTES: usize = 4096;
const REGISTER_PORTABLE_DEVICEMAP: u32 = 3;
/// Maximum size of all runs together in bytes: the client's limit, plus the pages at both ends of
/// each piece.
const BYTES_MAX: usize = MANAGED_BYTES_MAX as usize + 2 * PAGE_BYTES * REPLICAS_MAX;

/// The pages around a piece of the client's memory.
pub struct HostPages {
    _runs: Vec<Arc<Run>>,
}

/// All runs, by start address.
#[derive(Default)]
pub struct Runs(Mutex<BTreeMap<usize, Weak<Run>>>);

/// Adjacent pages that are mapped while any piece of memory needs them.
struct Run {
    driver: Arc<Driver>,
    address: usize,
    bytes: usize,
}

impl Runs {
    /// Maps the pages around a piece of the client's memory. Fails if the process has other memory
    /// at these addresses.
    pub fn map(&self, driver: &Arc<Driver>, start: u64, bytes: u64) -> Result<HostPages, CUresult> {
        let page = PAGE_BYTES as u64;
        let end = start
            .checked_add(bytes)
            .and_then(|end| end.checked_next_multiple_of(page))
            .ok_or(CUresult::INVALID_VALUE)?;
        let (mut at, end) = ((start / page * page) as usize, end as usize);
        let mut runs = self.0.lock();
        // These references live through the loop, so that no run ends meanwhile.
        let mut live: BTreeMap<usize, Arc<Run>> =
            runs.iter().filter_map(|(at, run)| Some((*at, run.upgrade()?))).collect();
        let held: usize = live.values().map(|run| run.bytes).sum();
        if end.saturating_sub(at) > BYTES_MAX.saturating_sub(held) {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        let mut found = Vec::new();
        while at < end {
            let before =
                live.range(..=at).next_back().filter(|(_, run)| at < run.address + run.bytes);
            let run = match before {
                Some((_, run)) => run.clone(),
                None => {
                    let next = live.range(at..end).next().map_or(end, |(address, _)| *address);
                    Arc::new(Run::map(driver, at, next - at)?)
                }
            };
            at = run.address + run.bytes;
            live.insert(run.address, run.clone());
            found.push(run);
        }
        *runs = live.iter().map(|(at, run)| (*at, Arc::downgrade(run))).collect();
        Ok(HostPages { _runs: found })
    }
}

impl Run {
    fn map(driver: &Arc<Driver>, address: usize, bytes: usize) -> Result<Run, CUresult> {
        let (protection, flags) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
        );
        // SAFETY: the flags allow a new mapping only where nothing is mapped.
        let found = unsafe { libc::mmap(address as *mut c_void, bytes, protection, flags, -1, 0) };
        if found == libc::MAP_FAILED {
            return Err(CUresult::NOT_SUPPORTED);
        }
        let run = Run { driver: driver.clone(), address: found as usize, bytes };
        if run.address != address {
            return Err(CUresult::NOT_SUPPORTED);
        }
        // SAFETY: the pages remain mapped until they are unregistered.
        unsafe { driver.cuMemHostRegister_v2(found, bytes, REGISTER_PORTABLE_DEVICEMAP) }.ok()?;
        Ok(run)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // SAFETY: `map` mapped these pages. If their registration failed, or ended with its
        // context, unregistering has no effect.
        unsafe {
            let _ = self.driver.cuMemHostUnregister(self.address as *mut c_void);
            libc::munmap(self.address as *mut c_void, self.bytes);
        }
    }
}

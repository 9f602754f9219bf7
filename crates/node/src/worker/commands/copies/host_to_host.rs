//! Copies from host memory to host memory in stream order. NVIDIA's driver performs such copies
//! inside its call, when the stream reaches them. But the stream may wait for something that a
//! later command triggers. So this module performs them in a host function.

use crate::worker::copies::rows::Rows;
use crate::worker::driver::waiters::Waiters;
use crate::worker::managed::region::ManagedRegion;
use crate::worker::memory::host_segments::HostSegment;
use crate::worker::state::Worker;
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUresult, CUstream};
use std::ffi::c_void;
use std::sync::Arc;

/// Host memory that the program knows too. The memory remains mapped while this value exists.
#[derive(Clone)]
pub enum HostMemory {
    Pages(Arc<ManagedRegion>),
    Segment(Arc<HostSegment>),
}

struct Copy {
    to: Rows,
    from: Rows,
    /// Bytes per row, and number of rows.
    size: (u64, u64),
    kept: Vec<HostMemory>,
    waiters: Arc<Waiters>,
    driver: Arc<Driver>,
    context: CUcontext,
}

impl HostMemory {
    /// Returns the memory if no other code refers to it.
    fn into_last(self) -> Option<Box<dyn Send>> {
        match self {
            HostMemory::Pages(region) => {
                Arc::into_inner(region).map(|last| Box::new(last) as Box<dyn Send>)
            }
            HostMemory::Segment(segment) => {
                Arc::into_inner(segment).map(|last| Box::new(last) as Box<dyn Send>)
            }
        }
    }
}

impl Copy {
    fn run(self) {
        let (width_bytes, rows) = self.size;
        for row in 0..rows {
            let at = |rows: Rows| (rows.address + row * rows.pitch_bytes) as *mut u8;
            // SAFETY: the code that posted the copy has checked the bounds of both ranges, and
            // `kept` keeps them mapped.
            unsafe { std::ptr::copy(at(self.from), at(self.to), width_bytes as usize) };
        }
        // Dropping the last reference calls the driver, which a host function must not do.
        let last: Vec<_> = self.kept.into_iter().filter_map(HostMemory::into_last).collect();
        if !last.is_empty() {
            let (driver, context) = (self.driver, self.context);
            self.waiters.run(move || {
                // SAFETY: the context is the session's own. If it was destroyed, the call fails and
                // the registrations ended with it.
                let _ = unsafe { driver.cuCtxSetCurrent(context) };
                drop(last);
            });
        }
    }
}

impl Worker {
    /// Returns the host memory that contains the whole range, or `None` if no host memory does.
    pub fn host_memory(&self, address: u64, bytes: u64) -> Option<HostMemory> {
        let pages = || self.managed.pages(address, bytes).map(HostMemory::Pages);
        self.segments.at(address, bytes).map(HostMemory::Segment).or_else(pages)
    }

    /// Returns the host memory that contains all rows, from the first byte to the last.
    pub fn host_rows(&self, rows: Rows, width_bytes: u64, count: u64) -> Option<HostMemory> {
        if count > 1 && rows.pitch_bytes < width_bytes {
            return None;
        }
        self.host_memory(
            rows.address,
            rows.pitch_bytes.checked_mul(count.checked_sub(1)?)?.checked_add(width_bytes)?,
        )
    }
}

/// Makes the stream copy rows. `size` is the number of bytes per row, and the number of rows.
/// `kept` is the memory that must exist until the stream has completed the copy, unless the caller
/// ensures that.
pub fn post(
    worker: &Worker,
    stream: CUstream,
    (to, from): (Rows, Rows),
    size: (u64, u64),
    kept: Vec<HostMemory>,
) -> CUresult {
    let context = match worker.context() {
        Ok(context) => context,
        Err(_) => return CUresult::INVALID_CONTEXT,
    };
    let copy = Copy {
        to,
        from,
        size,
        kept,
        waiters: worker.carrier.waiters.clone(),
        driver: worker.driver.clone(),
        context,
    };
    let copy = Box::into_raw(Box::new(copy));
    // SAFETY: the driver passes `copy` to `run` exactly once.
    let posted = unsafe { worker.driver.cuLaunchHostFunc(stream, Some(run), copy.cast()) };
    if posted != CUresult::SUCCESS {
        // SAFETY: the driver rejected the call, so it will not call `run`.
        drop(unsafe { Box::from_raw(copy) });
    }
    posted
}

/// Does the same as `post` for one row.
pub fn post_row(
    worker: &Worker,
    stream: CUstream,
    to: u64,
    from: u64,
    bytes: usize,
    kept: HostMemory,
) -> CUresult {
    let [to, from] = [to, from].map(|address| Rows { address, pitch_bytes: bytes as u64 });
    post(worker, stream, (to, from), (bytes as u64, 1), vec![kept])
}

unsafe extern "C" fn run(copy: *mut c_void) {
    // SAFETY: `post` created the box for this one call.
    unsafe { Box::from_raw(copy.cast::<Copy>()) }.run();
}

//! Stream-ordered allocation from pools. The device gets memory back when the stream reaches the
//! free. Deliberately absent: sharing pools between processes.

use crate::driver::objects::memory::ranges::{Origin, Range};
use crate::driver::objects::streams::capture;
use crate::driver::objects::streams::stream::{Length, Stream};
use crate::driver::state;
use crate::driver::state::Driver;
use crate::driver::system::error::{Error, Result};

impl Driver {
    /// Allocates memory for work that is submitted to the stream later.
    pub fn allocate_ordered(&self, stream: &Stream, pool_handle: u64, bytes: u64) -> Result<u64> {
        let context = stream.context()?;
        let pool = self.pools.get(pool_handle).ok_or(Error::InvalidHandle)?;
        if bytes == 0 {
            return Ok(0);
        }
        if let Some(capture) = stream.usable_capture()? {
            return capture.allocate(self, stream, pool.device, bytes);
        }
        capture::check_thread()?;
        // Memory of another device's pool belongs to no context here.
        let owner = if pool.device == context.device { context.handle } else { 0 };
        let allocate = || {
            if !pool.count_used(bytes) {
                return Err(Error::OutOfMemory);
            }
            self.allocate_on(pool.device, owner, bytes, Origin::Pool(pool_handle))
                .inspect_err(|_| pool.count_freed(bytes))
        };
        let address = match allocate() {
            Err(Error::OutOfMemory) => {
                // Memory that was freed in stream order may become available when the streams have
                // reached the frees.
                context.synchronize()?;
                allocate()?
            }
            other => other?,
        };
        Ok(address)
    }

    /// Frees memory in stream order.
    pub fn free_ordered(&self, stream: &Stream, address: u64) -> Result<()> {
        if address == 0 {
            return Ok(());
        }
        if let Some(capture) = stream.usable_capture()? {
            return capture.free(self, stream, address);
        }
        capture::check_thread()?;
        if let Some(allocation) = self.graph_memory.free(address) {
            return stream.submit_always(Length::Short, move || drop(allocation)).map(drop);
        }
        let owns = |range: &Range| matches!(range.origin, Origin::Device | Origin::Pool(_));
        let range = self
            .ranges
            .containing(address)
            .filter(|range| range.base == address && owns(range))
            .ok_or(Error::InvalidValue)?;
        // The range is recorded as leaving before it is removed from the allocations. A running
        // kernel therefore always finds the range in one of the two.
        self.check.iter().for_each(|check| check.leaves(&range));
        if self.ranges.take(address, owns).is_none() {
            self.check.iter().for_each(|check| check.has_left(&range));
            return Err(Error::InvalidValue);
        }
        stream.submit_always(Length::Short, move || {
            if let Some(driver) = state::started() {
                driver.check.iter().for_each(|check| check.has_left(&range));
                driver.give_back(&range);
            }
        })?;
        Ok(())
    }
}

//! Allocates graph memory, and frees it when the last reference ends.

use crate::driver::memory::address_lookup;
use crate::driver::memory::allocate;
use crate::driver::memory::free;
use crate::driver::state::driver;
use crate::objects::graphs::memory::{Block, GraphMemory, OF_GRAPHS};
use outhaul_abi::types::CUresult;
use std::sync::Arc;

impl GraphMemory {
    /// Allocates memory for a graph node on the current context's device.
    pub fn allocate(&self, bytes: u64, device: i32) -> Result<Arc<Block>, CUresult> {
        let address = allocate::allocate(bytes as usize, OF_GRAPHS)?;
        let id = address_lookup::find(driver()?, address).map_or(0, |(found, _)| found.id);
        Ok(self.add(address, bytes, device, id))
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            driver.graph_memory.forget(self);
        }
        let is_there = |driver| {
            address_lookup::find(driver, self.address).is_some_and(|(found, _)| found.id == self.id)
        };
        if driver().is_ok_and(is_there) {
            // Ignores errors, because a lost session holds no memory.
            let _ = free::free(self.address);
        }
    }
}

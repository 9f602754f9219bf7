//! Allocates device memory. The arena makes the decisions, and posts tell the worker which pages to
//! map. Only a call that grows the session's grant blocks.

use crate::base::arena::{Outcome, Pages};
use crate::driver::memory::address_lookup::arena;
use crate::driver::memory::context_synchronize::{
    synchronize_all_unless_capturing, synchronize_unless_capturing,
};
use crate::driver::memory::free::unmap;
use crate::driver::state::{Driver, driver};
use crate::objects::context::Context;
use crate::objects::context_stack;
use outhaul_abi::types::{CUdeviceptr, CUresult};
use outhaul_wire::messages::{GrantGrow, LowReserve, MemoryMap};
use std::sync::Arc;

/// Upper bound for quarantined small blocks in bytes. Above it an allocation waits for the device
/// so that it can reuse them.
const RESTING_BYTES_MAX: u64 = 256 << 20;

/// Size of the address space of a program. No device has as much memory.
const ADDRESS_SPACE_BYTES: u64 = 1 << 47;

/// Allocates memory on the calling thread's device. `pool` is a memory pool's handle, or 0 for
/// none.
pub fn allocate(bytes: usize, pool: u64) -> Result<CUdeviceptr, CUresult> {
    allocate_in(&context_stack::current()?, bytes, pool)
}

/// Allocates memory on the context's device. The memory is freed when the context ends.
pub fn allocate_in(
    context: &Arc<Context>,
    bytes: usize,
    pool: u64,
) -> Result<CUdeviceptr, CUresult> {
    let driver = driver()?;
    context.session.deferred.check()?;
    let primary;
    let context = if context.is_green {
        primary = driver.primary(context.device);
        &primary
    } else {
        context
    };
    if bytes == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    if bytes as u64 > ADDRESS_SPACE_BYTES {
        return Err(CUresult::OUT_OF_MEMORY);
    }
    if arena(driver, context.device).resting_bytes(context.handle) > RESTING_BYTES_MAX {
        synchronize_unless_capturing(driver, context)?;
    }
    let low = context.is_narrow();
    if low {
        open_low(driver, context)?;
    }
    let mut waited = false;
    loop {
        let mut guard = arena(driver, context.device);
        let needed = match guard.allocate(bytes as u64, context.handle, pool, low) {
            Outcome::CudaResult { address, map: None } => return Ok(address),
            Outcome::CudaResult { address, map: Some(pages) } => {
                // The message is posted under the lock, so that no other thread uses the pages
                // before they are mapped.
                let Pages { address: start, bytes } = pages;
                context.target().post(&MemoryMap {
                    device: driver.facts.on_node(context.device)?,
                    address: start,
                    bytes,
                })?;
                return Ok(address);
            }
            Outcome::Grant { bytes } => bytes,
            Outcome::Exhausted => return Err(CUresult::OUT_OF_MEMORY),
        };
        drop(guard);
        if grow(driver, context, needed)? || give_up_empty_pages(driver, context)? {
            continue;
        }
        // Waiting may free enough memory: quarantined blocks, or blocks whose free waits for a
        // stream.
        let has_waited = std::mem::replace(&mut waited, true);
        if has_waited
            || !synchronize_all_unless_capturing(driver, |other| other.device == context.device)?
        {
            return Err(CUresult::OUT_OF_MEMORY);
        }
    }
}

/// Unmaps shared pages without blocks. Returns whether any existed.
fn give_up_empty_pages(driver: &Driver, context: &Context) -> Result<bool, CUresult> {
    let mut guard = arena(driver, context.device);
    let empty = guard.give_up_empty_pages();
    let were_any = !empty.is_empty();
    unmap(driver, context.device, context.index, empty).map(|()| were_any)
}

/// Reserves addresses below 4 GiB on the context's device, unless they are reserved already.
fn open_low(driver: &Driver, context: &Context) -> Result<(), CUresult> {
    if driver.low[context.device as usize].get().is_some() {
        return Ok(());
    }
    let message = LowReserve { device: driver.facts.on_node(context.device)? };
    let (base, bytes) =
        context.target().call(&message)?.read(|reply| Ok((reply.base, reply.bytes)))?;
    let mut arena = arena(driver, context.device);
    if driver.low[context.device as usize].set((base, bytes)).is_ok() {
        arena.open_low(base, bytes);
    }
    Ok(())
}

/// Asks the node to raise the grant by at least `bytes`. Returns whether the grant grew.
pub fn grow(driver: &Driver, context: &Context, bytes: u64) -> Result<bool, CUresult> {
    let ask = GrantGrow { device: driver.facts.on_node(context.device)?, bytes };
    let more_bytes = context.target().call(&ask)?.read(|reply| Ok(reply.more_bytes))?;
    arena(driver, context.device).grant(more_bytes);
    Ok(more_bytes > 0)
}

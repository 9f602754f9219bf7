//! The description of memory that a graph's node allocates.

use outhaul_abi::types::CUDA_MEM_ALLOC_NODE_PARAMS;
use outhaul_abi::types::values::{MEM_ALLOCATION_TYPE_PINNED, MEM_LOCATION_TYPE_DEVICE};

use crate::driver::api::arguments::{put, take, take_all};
use crate::driver::objects::graphs::task::Task;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

/// Returns the task of an allocation node, and writes the memory's address to `params`. All devices
/// can access all memory, so the access descriptions are only checked.
pub(in crate::driver::api) fn allocation(params: *mut CUDA_MEM_ALLOC_NODE_PARAMS) -> Result<Task> {
    let (driver, mut given) = (driver()?, take(params.cast_const())?);
    let pool = &given.poolProps;
    if pool.location.type_ != MEM_LOCATION_TYPE_DEVICE
        || pool.allocType != MEM_ALLOCATION_TYPE_PINNED
    {
        return Err(Error::InvalidValue);
    }
    if pool.handleTypes != 0 {
        return Err(Error::NotSupported);
    }
    let device = driver.device(pool.location.id)?.ordinal;
    for description in take_all(given.accessDescs, given.accessDescCount)? {
        driver.device(description.location.id)?;
    }
    let allocation =
        driver.allocate_for_graph(&*driver.current()?, device, given.bytesize as u64)?;
    given.dptr = allocation.address;
    put(params, given)?;
    Ok(Task::Allocate(allocation))
}

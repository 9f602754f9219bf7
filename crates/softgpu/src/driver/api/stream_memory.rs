//! Stream memory operations.

use std::sync::Arc;

use outhaul_abi::types::values::BATCH_MEM_OPS_MAX;
use outhaul_abi::types::*;

use crate::driver::api::arguments::{take, take_all};
use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::streams::memory_operation::Batch;
use crate::driver::objects::streams::stream::{Length, Returns};
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

fn submit(stream: CUstream, operations: Vec<CUstreamBatchMemOpParams>) -> Result<()> {
    let driver = driver()?;
    let stream = driver.stream(stream.0 as u64)?;
    let batch = Batch::new(&driver.ranges, operations)?;
    let length = if batch.waits() { Length::Long } else { Length::Short };
    stream.submit(Task::Batch(Arc::new(batch)), Returns::AtOnce(length))
}

/// Submits one operation. `kind` is a `CUstreamBatchMemOpType`.
fn one(stream: CUstream, kind: u64, address: u64, value: u64, flags: u32) -> Result<()> {
    submit(
        stream,
        vec![CUstreamBatchMemOpParams { words: [kind, address, value, flags.into(), 0, 0] }],
    )
}

pub unsafe fn cuStreamWaitValue32_v2(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u32,
    flags: u32,
) -> Result<()> {
    one(stream, 1, addr, value.into(), flags)
}

pub unsafe fn cuStreamWriteValue32_v2(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u32,
    flags: u32,
) -> Result<()> {
    one(stream, 2, addr, value.into(), flags)
}

pub unsafe fn cuStreamWaitValue64_v2(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u64,
    flags: u32,
) -> Result<()> {
    one(stream, 4, addr, value, flags)
}

pub unsafe fn cuStreamWriteValue64_v2(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u64,
    flags: u32,
) -> Result<()> {
    one(stream, 5, addr, value, flags)
}

fn operations(
    first: *const CUstreamBatchMemOpParams,
    count: u32,
    flags: u32,
) -> Result<Vec<CUstreamBatchMemOpParams>> {
    if flags != 0 || count as usize > BATCH_MEM_OPS_MAX {
        return Err(Error::InvalidValue);
    }
    take_all(first, count as usize)
}

pub unsafe fn cuStreamBatchMemOp_v2(
    stream: CUstream,
    count: u32,
    paramArray: *const CUstreamBatchMemOpParams,
    flags: u32,
) -> Result<()> {
    submit(stream, operations(paramArray, count, flags)?)
}

/// Returns a batch node's task. Ignores the context, because all devices can access all memory.
pub(super) fn batch(params: *const CUDA_BATCH_MEM_OP_NODE_PARAMS) -> Result<Task> {
    let params = take(params)?;
    if params.ctx.is_null() {
        return Err(Error::InvalidValue);
    }
    Ok(Task::Batch(Arc::new(Batch::new(
        &driver()?.ranges,
        operations(params.paramArray.cast_const(), params.count, params.flags)?,
    )?)))
}

//! Copies between two devices of one node.

use crate::api::arguments::CudaResult;
use crate::driver::contexts;
use crate::driver::managed::work;
use crate::driver::memory::addresses;
use crate::driver::state::Driver;
use crate::objects::copy_shape::{DeviceBox, Extent, Mode};
use crate::objects::streams::stream::Stream;
use outhaul_abi::types::*;
use outhaul_wire::messages::CopyBetweenDevices;

/// Contexts of the two devices of a copy.
pub(in crate::api) struct Contexts {
    /// Handle of a context of the target's device.
    pub to: u64,
    /// Handle of a context of the source's device.
    pub from: u64,
}

/// Returns a context for each side of a copy, if their memory is on different devices.
pub(in crate::api) fn contexts(
    driver: &Driver,
    to: u64,
    from: u64,
) -> Result<Option<Contexts>, CUresult> {
    if driver.facts.devices.len() < 2 {
        return Ok(None);
    }
    let device = |address| addresses::find(driver, address).map(|(_, device)| device);
    match (device(to), device(from)) {
        (Some(to), Some(from)) if to != from => {
            let of = |device| contexts::of_device(driver, device).map(|c| c.handle);
            Ok(Some(Contexts { to: of(to)?, from: of(from)? }))
        }
        _ => Ok(None),
    }
}

/// Posts a copy from one device to another.
pub(in crate::api) fn copy(
    to: (DeviceBox, u64),
    from: (DeviceBox, u64),
    extent: Extent,
    stream: &Stream,
    mode: Mode,
) -> CudaResult {
    work::before_work(stream);
    stream.target.post(&CopyBetweenDevices {
        to: to.0.address,
        to_pitch_bytes: to.0.pitch as u64,
        to_context: to.1,
        from: from.0.address,
        from_pitch_bytes: from.0.pitch as u64,
        from_context: from.1,
        width_bytes: extent.width as u64,
        rows: extent.rows as u64,
        stream: stream.handle,
        serialised: mode == Mode::Synchronous && stream.handle == 0,
    })?;
    stream.note_posted();
    Ok(())
}

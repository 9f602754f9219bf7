//! The route of a copy between the program's memory and a device, chosen before anything is sent.

use crate::api::copies::host_rows::reached_in_graph;
use crate::api::copies::segment_copies;
use crate::api::copies::segment_copies::SegmentBox;
use crate::driver::memory::ranges::check_range_in;
use crate::driver::other_node;
use crate::driver::state;
use crate::driver::state::driver;
use crate::objects::context::Context;
use crate::objects::copy_shape::HostCopy;
use crate::objects::streams::stream::Stream;
use outhaul_abi::types::*;
use std::sync::Arc;

/// Direction of a copy.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::api) enum Direction {
    /// From the program's memory to the device.
    ToDevice,
    /// From the device to the program's memory.
    ToHost,
}

/// Route of a copy.
pub(in crate::api) enum Route {
    /// The device belongs to another node, and this is a context on that device. The copy runs
    /// there, and the calling thread waits before and after.
    OtherNode(Arc<Context>),
    /// The device accesses the program's memory at the program's address.
    OnDevice,
    /// The stream captures into this graph, so the data moves at each launch.
    Captured(u64),
    /// The worker maps the program's memory too.
    Segment(SegmentBox),
    /// The data moves over the session's lanes.
    Lanes,
}

impl Route {
    /// Chooses the route of a copy. Fails if the rows on the device exceed their allocation.
    pub fn of(copy: &HostCopy, direction: Direction, stream: &Stream) -> Result<Route, CUresult> {
        let HostCopy { device, host, mode } = copy;
        if state::several()
            && let Some(context) = other_node::owner_elsewhere(device.address)?
        {
            return Ok(Route::OtherNode(context));
        }
        let driver = driver()?;
        let extent = copy.extent();
        check_range_in(stream, device.address, extent.span(device.pitch) as u64)?;
        if let Some(graph) = driver.captures.graph_of(stream)? {
            let is_reached = reached_in_graph(driver, host)?;
            return Ok(if is_reached { Route::OnDevice } else { Route::Captured(graph) });
        }
        let segment = segment_copies::find(driver, host);
        let is_sent = |rows: &SegmentBox| {
            direction == Direction::ToDevice && rows.is_better_sent(extent, *mode)
        };
        Ok(segment.filter(|rows| !is_sent(rows)).map_or(Route::Lanes, Route::Segment))
    }
}

//! Copies of boxes with an array on at least one side. As with other copies, a copy to the device
//! is a post, and returns once its bytes are queued. The worker sends the bytes of a copy to the
//! host unasked. Rows of an array have at most 2 MiB, so pieces are whole rows. Graph copies
//! between an array and the program's memory are deliberately absent.

use crate::api::arguments::CudaResult;
use crate::api::copies::host_rows::{reached_in_place, wait_for_earlier_writes};
use crate::api::copies::segment_copies;
use crate::api::copies::sides::{Box3, BoxSide, SideFields};
use crate::api::copies::to_device::arrive;
use crate::driver::handles;
use crate::driver::managed::sync_after_wait;
use crate::driver::memory::ranges::check_range_in;
use crate::driver::state::driver;
use crate::driver::streams::resolve;
use crate::driver::submit::{Pieces, submit};
use crate::objects::copy_shape::{Extent, Mode};
use crate::objects::streams::stream::Stream;
use crate::session::outbox::Payload;
use outhaul_abi::types::*;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{CopyArray, CopyFromArray, CopyToArray};
use std::sync::Arc;

/// Position in an array where a copy starts: byte in the row, row, slice.
#[derive(Clone, Copy)]
struct Corner {
    array: u64,
    at: [u64; 3],
}

enum End {
    Array(Corner),
    Memory(BoxSide),
}

impl End {
    fn new(fields: &SideFields, size: Box3) -> Result<End, CUresult> {
        if fields.kind != values::MEMORYTYPE_ARRAY {
            return Ok(End::Memory(BoxSide::new(fields, size)?));
        }
        let array = handles::array(fields.array)?;
        let d = &array.descriptor;
        let (from, size) = ([fields.x, fields.y, fields.z], [size.width, size.height, size.depth]);
        // For other formats the node's driver checks the extents.
        if let Some(element_bytes) = d.element_bytes() {
            let extents = [d.Width * element_bytes, d.Height.max(1), d.Depth.max(1)];
            let inside =
                (0..3).all(|i| from[i].checked_add(size[i]).is_some_and(|end| end <= extents[i]));
            if !inside
                || !from[0].is_multiple_of(element_bytes)
                || !size[0].is_multiple_of(element_bytes)
            {
                return Err(CUresult::INVALID_VALUE);
            }
        }
        Ok(End::Array(Corner { array: array.handle, at: from.map(|n| n as u64) }))
    }
}

impl End {
    /// Treats memory as device memory if the device uses it at the program's address. Data in
    /// messages would not be ordered with what kernels do there.
    fn in_place(self, size: Box3) -> Result<End, CUresult> {
        let End::Memory(side) = self else { return Ok(self) };
        let rows = side.slice / side.pitch * (size.depth - 1) + size.height;
        let target = side.host_box(Extent { width: size.width, rows });
        let device = side.device || reached_in_place(driver()?, &target)?;
        Ok(End::Memory(BoxSide { device, ..side }))
    }

    /// Returns whether the program can read the memory without a copy.
    fn is_seen(&self) -> Result<bool, CUresult> {
        let End::Memory(side) = self else { return Ok(false) };
        let driver = driver()?;
        Ok(driver.managed.is_shared(side.address)
            || driver.host.find(side.address as usize).is_some())
    }
}

impl Corner {
    fn plus(self, row: usize, slice: usize) -> [u64; 3] {
        [self.at[0], self.at[1] + row as u64, self.at[2] + slice as u64]
    }
}

/// Copies a box between two sides in stream order; at least one side is an array. Returns
/// `INVALID_VALUE` for a box that exceeds its array, and for rows of more than 4 MiB.
pub(in crate::api) fn copy(
    from: &SideFields,
    to: &SideFields,
    size: Box3,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    if size.width > PIECE_BYTES {
        return Err(CUresult::INVALID_VALUE);
    }
    let (from, to) = (End::new(from, size)?.in_place(size)?, End::new(to, size)?.in_place(size)?);
    let (handle, stream) = (stream, resolve(stream)?);
    match (from, to) {
        (End::Memory(side), End::Array(corner)) if !side.device => {
            to_array(corner, side, size, &stream)?;
            arrive(handle, &stream, mode)
        }
        (End::Array(corner), End::Memory(side)) if !side.device => {
            from_array(corner, side, size, &stream, mode)
        }
        (from, to) => {
            on_device(&from, &to, size, &stream)?;
            // The program may read such memory directly after a synchronous copy.
            if from.is_seen()? || to.is_seen()? {
                segment_copies::wait_if_synchronous(&stream, mode)
            } else {
                Ok(())
            }
        }
    }
}

fn to_array(to: Corner, host: BoxSide, size: Box3, stream: &Arc<Stream>) -> CudaResult {
    let driver = driver()?;
    driver.captures.refuse(stream)?;
    let rows = host.slice / host.pitch * (size.depth - 1) + size.height;
    wait_for_earlier_writes(driver, &host.host_box(Extent { width: size.width, rows }));
    let rows_per_piece = PIECE_BYTES / size.width;
    let mut pieces = Pieces::begin(stream)?;
    for slice in 0..size.depth {
        for first in (0..size.height).step_by(rows_per_piece) {
            let rows = rows_per_piece.min(size.height - first);
            let (array, at, width_bytes) = (to.array, to.plus(first, slice), size.width as u64);
            let message =
                CopyToArray { array, at, width_bytes, rows: rows as u64, stream: stream.handle };
            let pack = |place: &mut [u8]| {
                for (row, place) in place.chunks_exact_mut(size.width).enumerate() {
                    let address = host.at(slice).address as usize + (first + row) * host.pitch;
                    // SAFETY: the program guarantees that its box is valid for reads, and this is
                    // one of its rows.
                    place.copy_from_slice(unsafe {
                        std::slice::from_raw_parts(address as *const u8, size.width)
                    });
                }
            };
            pieces.post(&message, Payload::Packed(rows * size.width, &pack))?;
        }
    }
    pieces.end()
}

/// Copies a box from an array to host memory. Each slice has its own transfer, and all are in
/// flight before the first wait.
fn from_array(
    from: Corner,
    host: BoxSide,
    size: Box3,
    stream: &Arc<Stream>,
    mode: Mode,
) -> CudaResult {
    let driver = driver()?;
    driver.captures.refuse(stream)?;
    let session = stream.target.session;
    let mut pieces = Pieces::begin(stream)?;
    let extent = Extent { width: size.width, rows: size.height };
    let target = |slice| host.at(slice).host_box(extent);
    let opened: Vec<_> =
        (0..size.depth).map(|slice| session.transfers.open(target(slice))).collect();
    // Absent pages are fetched first, as for other copies to the host.
    driver.managed.bring(host.address as usize..host.address as usize + host.span(size));
    let withdraw =
        |from: usize| opened[from..].iter().for_each(|(id, _)| session.transfers.withdraw(*id));
    if driver.managed.is_shared_by_now(host.address) {
        withdraw(0);
        on_device(&End::Array(from), &End::Memory(BoxSide { device: true, ..host }), size, stream)?;
        return segment_copies::wait_if_synchronous(stream, mode);
    }
    let mut last = 0;
    for (slice, (id, arrived)) in opened.iter().enumerate() {
        let (array, at, width_bytes, rows) =
            (from.array, from.plus(0, slice), size.width as u64, size.height as u64);
        let message =
            CopyFromArray { array, at, width_bytes, rows, stream: stream.handle, transfer: *id };
        last = pieces.post(&message, Payload::None).inspect_err(|_| withdraw(slice))?;
        stream.remember_copy(last, arrived);
    }
    if mode == Mode::Asynchronous && driver.host.find(host.address as usize).is_some() {
        session.note_touching(last);
        return Ok(());
    }
    session.outbox.flush();
    // The wait includes all transfers, because none may write the program's memory after the
    // return.
    let results: Vec<CUresult> = opened.iter().map(|(_, arrived)| arrived.wait()).collect();
    results.into_iter().try_for_each(CUresult::ok)?;
    sync_after_wait::after_wait_for(stream, last)?;
    session.deferred.check()
}

fn on_device(from: &End, to: &End, size: Box3, stream: &Arc<Stream>) -> CudaResult {
    for end in [from, to] {
        if let End::Memory(side) = end {
            check_range_in(stream, side.address, side.span(size) as u64)?;
        }
    }
    // An array's handle, a position in the array, and address, pitch and rows in memory.
    let parts = |end: &End| match *end {
        End::Array(Corner { array, at }) => (array, at, (0, 0, 0)),
        End::Memory(side) => {
            (0, [0; 3], (side.address, side.pitch as u64, (side.slice / side.pitch) as u64))
        }
    };
    let (to_array, to_at, (to_address, to_pitch_bytes, to_rows)) = parts(to);
    let (from_array, from_at, (from_address, from_pitch_bytes, from_rows)) = parts(from);
    let copy = CopyArray {
        to_array,
        to_at,
        to_address,
        to_pitch_bytes,
        to_rows,
        from_array,
        from_at,
        from_address,
        from_pitch_bytes,
        from_rows,
        width_bytes: size.width as u64,
        rows: size.height as u64,
        slices: size.depth as u64,
        stream: stream.handle,
    };
    submit(stream, &copy).map(drop)
}

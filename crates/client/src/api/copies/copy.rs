//! Copies. To the device: a copy is a post once its bytes are queued. A synchronous copy also waits
//! for the device if a stream could overtake it. From the device: the bytes come without a request,
//! before the completion that follows them. Only a synchronous copy, or one into memory that is not
//! pinned, waits for them.

use crate::api::arguments::CudaResult;
use crate::api::copies::between_devices;
use crate::api::copies::memfd;
use crate::api::streams::event;
use crate::driver::contexts;
use crate::driver::internode;
use crate::driver::managed::reach::{reach, reach_if_named};
use crate::driver::managed::wait;
use crate::driver::managed::work;
use crate::driver::memory::addresses;
use crate::driver::memory::addresses::is_device;
use crate::driver::memory::ranges::{check_bounds, check_range_in, open_to};
use crate::driver::near;
use crate::driver::state;
use crate::driver::state::{Driver, driver};
use crate::driver::streams::resolve;
use crate::managed::mirrors;
use crate::objects::context::Context;
use crate::objects::context_stack;
use crate::objects::copy_shape::{DeviceBox, Extent, Mode};
use crate::objects::memory::host_memory;
use crate::objects::memory::host_memory::Region;
use crate::objects::streams::stream::Stream;
use crate::objects::streams::sync_copy_policy;
use crate::objects::streams::sync_copy_policy::Care;
use crate::session::Target;
use crate::session::bulk::copy_sizes::{COPY_SIZES, Cut};
use crate::session::bulk::transfer::HostBox;
use crate::session::callbacks::Callback;
use crate::session::host_segment;
use crate::session::outbox::{Payload, Sent};
use outhaul_abi::types::*;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{
    CaptureCopy, CopyOnDevice, CopyToDevice, CopyToDeviceByLanes, CopyToHost, CopyToHostByLanes,
    StreamGoesFirst,
};
use std::ffi::c_void;
use std::sync::Arc;

// ---- towards the device ----

pub(in crate::api) fn to_device(
    to: DeviceBox,
    host: *const u8,
    host_pitch: usize,
    extent: Extent,
    stream: &Stream,
    mode: Mode,
) -> CudaResult {
    if state::several()
        && let Some(context) = near::owner_elsewhere(to.address)?
    {
        return elsewhere(context, stream, |stream| {
            to_device(to, host, host_pitch, extent, stream, Mode::Synchronous)?;
            memfd::settle(stream, Mode::Synchronous)
        });
    }
    send(to, host, host_pitch, extent, stream, mode)?;
    // The program may look at the memory after a synchronous copy.
    if mirrors::in_use() { memfd::settle(stream, mode) } else { Ok(()) }
}

/// Ends a synchronous copy from the host. When it returns, the copy is over, and so is the earlier
/// work of its stream. Streams that would not wait for it see that, and the program finds in its
/// own memory what was on its way there. If neither can notice, this does not wait.
pub(in crate::api) fn arrive(default_stream: CUstream, stream: &Stream, mode: Mode) -> CudaResult {
    if mode == Mode::Asynchronous || stream.is_completed(stream.position()) {
        return Ok(());
    }
    let driver = driver()?;
    match sync_copy_policy::care(default_stream, driver.sessions.len()) {
        Care::None if !may_show_here(stream) => Ok(()),
        Care::GoesFirst if !may_show_here(stream) && !driver.captures.any() => {
            stream.target.post(&StreamGoesFirst { stream: stream.handle })
        }
        _ => memfd::settle(stream, mode),
    }
}

/// Whether work of the stream may still write to the program's own memory, by copies or from
/// kernels, or read it.
pub(in crate::api) fn may_show_here(stream: &Stream) -> bool {
    host_segment::is_any_reached() || !stream.is_completed(stream.target.session.touching())
}

fn send(
    to: DeviceBox,
    host: *const u8,
    host_pitch: usize,
    extent: Extent,
    stream: &Stream,
    mode: Mode,
) -> CudaResult {
    let driver = driver()?;
    check_range_in(stream, to.address, extent.span(to.pitch) as u64)?;
    let source = HostBox {
        address: host.cast_mut(),
        pitch_bytes: host_pitch,
        width_bytes: extent.width,
        rows: extent.rows,
    };
    if let Some(graph) = driver.captures.graph_of(stream)? {
        if reached_in_graph(driver, &source)? {
            return post_on_device(
                to,
                DeviceBox { address: host as u64, pitch: host_pitch },
                extent,
                stream,
            );
        }
        driver.note_in_client(graph);
        let callback = stream.target.session.callbacks.stand(Callback::Fetch(source));
        return post_captured(callback, None, to, extent, stream);
    }
    let flat = extent.flattened([to.pitch, host_pitch]);
    if let Some(rows) = memfd::find(driver, host as usize, host_pitch, extent)
        && !rows.is_better_sent(extent, mode)
    {
        return rows.to_device(to, flat, stream, mode);
    }
    settle_source(driver, host as usize, extent.span(host_pitch));
    // SAFETY: the program promises readable rows, and all earlier writes there were waited for.
    unsafe { note_named(to, host, host_pitch, extent) };
    let extent = flat;
    work::before_work(stream);
    let lane = Towards { driver, place: stream.target, stream: stream.handle };
    let result = if extent.rows == 1 {
        lane.row(to.address, host, extent.width, mode)
    } else if extent.is_dense_at(to.pitch)
        && let Some(cut) = stream.target.session.bulk.cut(extent.bytes())
    {
        lane.by_lanes(to.address, source, cut).map(|sent| lane.await_reading(host, sent, mode))
    } else if extent.width > PIECE_BYTES {
        (0..extent.rows).try_for_each(|row| {
            // SAFETY: a row of the program's box.
            let source = unsafe { host.add(row * host_pitch) };
            lane.row(to.address + (row * to.pitch) as u64, source, extent.width, Mode::Synchronous)
        })
    } else {
        lane.rows(to, host, host_pitch, extent)
    };
    stream.note_posted();
    result
}

/// Looks for addresses of pinned memory in a small copy to the device, because kernels may use
/// them.
///
/// # Safety
/// The rows are readable.
unsafe fn note_named(to: DeviceBox, host: *const u8, host_pitch: usize, extent: Extent) {
    if !host_memory::may_be_named() || extent.bytes() > host_memory::named_bytes_max() {
        return;
    }
    for row in 0..extent.rows {
        // SAFETY: the caller's promise.
        let bytes = unsafe { std::slice::from_raw_parts(host.add(row * host_pitch), extent.width) };
        let unaligned = (to.address + (row * to.pitch) as u64).wrapping_neg() as usize
            % size_of::<CUdeviceptr>();
        reach_if_named(bytes.get(unaligned..).unwrap_or_default());
    }
}

/// Blocks until earlier commands of the program have written all that they write to this memory,
/// before it is read.
pub(in crate::api) fn settle_source(driver: &Driver, start: usize, bytes: usize) {
    driver.sessions.iter().for_each(|session| session.transfers.settle(start, bytes));
    if let Some(segment) = driver.host.find(start).and_then(|region| region.segment) {
        segment.settle();
    }
    driver.captures.settle();
    // Another node may have the pages.
    driver.mirrors.bring(start..start + bytes);
    driver.sessions.iter().for_each(|session| session.callbacks.wait_all());
}

/// Whether the device uses these rows of the program's memory at the program's own address. Then a
/// graph's copies happen on the device, in order with its other work there. Bytes in messages could
/// arrive after later direct writes.
pub(in crate::api) fn reached_in_place(driver: &Driver, rows: &HostBox) -> Result<bool, CUresult> {
    match region_of(driver, rows) {
        Some(region) if region.is_in_place()? => reach(driver, region.start).map(|_| true),
        _ => Ok(false),
    }
}

/// Does as `reached_in_place`, for a graph's copies. From now on the device also reaches memory to
/// which the program has a device pointer: kernels of the graph may use it.
pub(in crate::api) fn reached_in_graph(driver: &Driver, rows: &HostBox) -> Result<bool, CUresult> {
    let is_reached = |region: Region| region.is_asked() && reach(driver, region.start).is_ok();
    Ok(reached_in_place(driver, rows)? || region_of(driver, rows).is_some_and(is_reached))
}

/// Returns the pinned memory that contains the rows.
fn region_of(driver: &Driver, rows: &HostBox) -> Option<Region> {
    let span = rows.span();
    let region = driver.host.find(span.start)?;
    (span.end <= region.start + region.bytes).then_some(region)
}

/// Posts a copy that happens at every launch of the graph into which the stream captures. The
/// callback is the program's side of it.
fn post_captured(
    callback: u64,
    to_host: Option<u64>,
    device: DeviceBox,
    extent: Extent,
    stream: &Stream,
) -> CudaResult {
    work::before_work(stream);
    stream
        .target
        .post(&CaptureCopy {
            stream: stream.handle,
            callback,
            to_host: to_host.is_some(),
            transfer: to_host.unwrap_or(0),
            address: device.address,
            pitch_bytes: device.pitch as u64,
            width_bytes: extent.width as u64,
            rows: extent.rows as u64,
        })
        .inspect_err(|_| stream.target.session.callbacks.withdraw(callback))?;
    stream.note_posted();
    Ok(())
}

struct Towards {
    driver: &'static Driver,
    target: Target,
    stream: u64,
}

impl Towards {
    fn row(&self, address: u64, host: *const u8, bytes: usize, mode: Mode) -> CudaResult {
        let piece = |address, width: usize| CopyToDevice {
            address,
            pitch_bytes: width as u64,
            width_bytes: width as u64,
            rows: 1,
            stream: self.stream,
        };
        if bytes <= COPY_SIZES.copied_bytes_max {
            // SAFETY: the program promises readable bytes.
            let bytes = unsafe { std::slice::from_raw_parts(host, bytes) };
            return self.target.post_payload(&piece(address, bytes.len()), Payload::Copied(bytes));
        }
        let sent = match self.target.session.bulk.cut(bytes) {
            Some(cut) => self.by_lanes(address, HostBox::row(host.cast_mut(), bytes), cut)?,
            None => {
                let sent = Arc::new(Sent::of(bytes.div_ceil(PIECE_BYTES)));
                for start in (0..bytes).step_by(PIECE_BYTES) {
                    let count = PIECE_BYTES.min(bytes - start);
                    let payload = Payload::Borrowed {
                        // SAFETY: inside the program's bytes.
                        address: unsafe { host.add(start) },
                        bytes: count,
                        sent: sent.clone(),
                    };
                    self.target.post_payload(&piece(address + start as u64, count), payload)?;
                }
                sent
            }
        };
        self.await_reading(host, sent, mode);
        Ok(())
    }

    /// Blocks until the bytes have been read, except for asynchronous copies from pinned memory:
    /// there the copy may be read after the call has returned.
    fn await_reading(&self, host: *const u8, sent: Arc<Sent>, mode: Mode) {
        match self.driver.host.find(host as usize) {
            Some(region) if mode == Mode::Asynchronous => {
                region.note_reading(sent);
                self.target.session.note_touching(self.target.session.outbox.last());
            }
            _ => sent.wait(),
        }
    }

    /// Copies by bulk lanes: the command follows other commands, and the bytes go to device memory
    /// without gaps.
    fn by_lanes(&self, address: u64, source: HostBox, cut: Cut) -> Result<Arc<Sent>, CUresult> {
        let Towards { driver, target: Target { session, context }, stream } = *self;
        session.deferred.check()?;
        session.bulk.start(session);
        let sent = Arc::new(Sent::of(source.bytes().div_ceil(cut.piece_bytes as u64) as usize));
        let copy = driver.next_id();
        let (bytes, piece_bytes, lanes) = (source.bytes(), cut.piece_bytes as u64, cut.lanes);
        let message = CopyToDeviceByLanes { address, bytes, piece_bytes, lanes, stream, copy };
        session
            .outbox
            .post_and(&message, context, || session.bulk.send(copy, source, cut, &sent))?;
        Ok(sent)
    }

    /// Packs rows into pieces.
    fn rows(
        &self,
        to: DeviceBox,
        host: *const u8,
        host_pitch: usize,
        extent: Extent,
    ) -> CudaResult {
        let rows_per_piece = PIECE_BYTES / extent.width;
        for first in (0..extent.rows).step_by(rows_per_piece) {
            let rows = rows_per_piece.min(extent.rows - first);
            let message = CopyToDevice {
                address: to.address + (first * to.pitch) as u64,
                pitch_bytes: to.pitch as u64,
                width_bytes: extent.width as u64,
                rows: rows as u64,
                stream: self.stream,
            };
            let pack = |place: &mut [u8]| {
                for (row, place) in place.chunks_exact_mut(extent.width).enumerate() {
                    // SAFETY: a row of the program's box.
                    let source = unsafe {
                        std::slice::from_raw_parts(
                            host.add((first + row) * host_pitch),
                            extent.width,
                        )
                    };
                    place.copy_from_slice(source);
                }
            };
            self.target.post_payload(&message, Payload::Packed(rows * extent.width, &pack))?;
        }
        Ok(())
    }
}

// ---- from the device ----

pub(in crate::api) fn to_host(
    from: DeviceBox,
    host: *mut u8,
    host_pitch: usize,
    extent: Extent,
    stream: &Arc<Stream>,
    mode: Mode,
) -> CudaResult {
    if state::several()
        && let Some(context) = near::owner_elsewhere(from.address)?
    {
        return elsewhere(context, stream, |stream| {
            to_host(from, host, host_pitch, extent, stream, Mode::Synchronous)
        });
    }
    let driver = driver()?;
    check_range_in(stream, from.address, extent.span(from.pitch) as u64)?;
    let target = HostBox {
        address: host,
        pitch_bytes: host_pitch,
        width_bytes: extent.width,
        rows: extent.rows,
    };
    let Target { session, context } = stream.target;
    if let Some(graph) = driver.captures.graph_of(stream)? {
        if reached_in_graph(driver, &target)? {
            return post_on_device(
                DeviceBox { address: host as u64, pitch: host_pitch },
                from,
                extent,
                stream,
            );
        }
        driver.note_in_client(graph);
        let standing = session.transfers.stand(target);
        let transfer = standing.transfer;
        return post_captured(
            session.callbacks.stand(Callback::Store { target, _right: standing }),
            Some(transfer),
            from,
            extent,
            stream,
        );
    }
    let flat = extent.flattened([from.pitch, host_pitch]);
    if let Some(rows) = memfd::find(driver, host as usize, host_pitch, extent) {
        return rows.to_host(from, flat, stream, mode);
    }
    session.deferred.check()?;
    work::before_work(stream);
    // If the device's side is one row, so is the copy's.
    let flat =
        if flat.is_dense_at(from.pitch) { Extent { width: flat.bytes(), rows: 1 } } else { flat };
    let by_lanes =
        (flat.rows == 1 || flat.width > PIECE_BYTES) && !session.transfers.is_standing(&target);
    let cut = if by_lanes { session.bulk.cut(flat.width) } else { None };
    let (transfer, arrived) = match cut {
        Some(cut) => session.transfers.open_by_lanes(target, cut),
        None => session.transfers.open(target),
    };
    // Another node may have the pages. They remain here from now on: the thread that writes
    // incoming bytes must not wait for the other node.
    driver.mirrors.bring(target.span());
    if driver.mirrors.is_shared_by_now(host as u64) {
        session.transfers.withdraw(transfer);
        post_on_device(
            DeviceBox { address: host as u64, pitch: host_pitch },
            from,
            extent,
            stream,
        )?;
        return memfd::settle(stream, mode);
    }
    let ask = |address: u64, extent: Extent, offset: usize| {
        if let Some(Cut { lanes, piece_bytes }) = cut {
            let (bytes, piece_bytes, offset) =
                (extent.width as u64, piece_bytes as u64, offset as u64);
            let may_pack = session.bulk.may_pack;
            let message = CopyToHostByLanes {
                address,
                bytes,
                piece_bytes,
                lanes,
                may_pack,
                stream: stream.handle,
                transfer,
                offset,
            };
            session.bulk.start(session);
            return session.outbox.post(&message, context, Payload::None);
        }
        let (pitch_bytes, width_bytes, rows) =
            (from.pitch as u64, extent.width as u64, extent.rows as u64);
        let message = CopyToHost {
            address,
            pitch_bytes,
            width_bytes,
            rows,
            stream: stream.handle,
            transfer,
            offset: offset as u64,
        };
        session.outbox.post(&message, context, Payload::None)
    };
    let posted = if flat.rows > 1 && flat.width > PIECE_BYTES {
        let row = Extent { width: flat.width, rows: 1 };
        (0..flat.rows)
            .try_fold(0, |_, i| ask(from.address + (i * from.pitch) as u64, row, i * flat.width))
    } else {
        ask(from.address, flat, 0)
    };
    let sequence = posted.inspect_err(|_| session.transfers.withdraw(transfer))?;
    stream.note_copy(sequence, &arrived);
    if mode == Mode::Asynchronous && driver.host.find(host as usize).is_some() {
        session.note_touching(sequence);
        return Ok(());
    }
    session.outbox.flush();
    arrived.wait().ok()?;
    // The bytes left the device after all earlier work of the stream.
    wait::after_wait_for(stream, sequence)?;
    session.deferred.check()
}

// ---- flat copies ----

fn flat(bytes: usize) -> Extent {
    Extent { width: bytes, rows: 1 }
}

/// Copies bytes of the program to the device.
///
/// # Safety
/// `host` is null or leads to `bytes` readable bytes.
pub unsafe fn flat_to_device(
    to: CUdeviceptr,
    host: *const c_void,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    if bytes == 0 {
        return Ok(());
    }
    if host.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    if driver()?.mirrors.is_shared(host as u64) {
        return flat_on_device(to, host as u64, bytes, stream, mode);
    }
    let resolved = resolve(stream)?;
    to_device(
        DeviceBox { address: to, pitch: bytes },
        host.cast(),
        bytes,
        flat(bytes),
        &resolved,
        mode,
    )?;
    arrive(stream, &resolved, mode)
}

/// Copies bytes of the device to the program.
///
/// # Safety
/// `host` is null or leads to `bytes` writable bytes.
pub unsafe fn flat_to_host(
    host: *mut c_void,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    if bytes == 0 {
        return Ok(());
    }
    if host.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    if driver()?.mirrors.is_shared(host as u64) {
        return flat_on_device(host as u64, from, bytes, stream, mode);
    }
    to_host(
        DeviceBox { address: from, pitch: bytes },
        host.cast(),
        bytes,
        flat(bytes),
        &resolve(stream)?,
        mode,
    )
}

/// Copies between addresses that themselves show on which side they are.
pub fn unified(to: u64, from: u64, bytes: usize, stream: CUstream, mode: Mode) -> CudaResult {
    if bytes == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let on_device = |address| is_device(driver, address) || driver.mirrors.is_shared(address);
    match (on_device(to), on_device(from)) {
        (true, true) => flat_on_device(to, from, bytes, stream, mode),
        // SAFETY: the program promises both ranges.
        (true, false) => unsafe { flat_to_device(to, from as *const c_void, bytes, stream, mode) },
        // SAFETY: as above.
        (false, true) => unsafe { flat_to_host(to as *mut c_void, from, bytes, stream, mode) },
        (false, false) => on_host(to, from, bytes, stream),
    }
}

/// Makes another node copy in the order of a stream here: this waits before and after.
fn elsewhere(
    context: Arc<Context>,
    stream: &Stream,
    copy: impl FnOnce(&Arc<Stream>) -> CudaResult,
) -> CudaResult {
    memfd::settle(stream, Mode::Synchronous)?;
    let legacy = context.legacy.clone();
    context_stack::within(context, || copy(&legacy))
}

pub(in crate::api) fn on_device(
    to: DeviceBox,
    from: DeviceBox,
    extent: Extent,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    check_bounds(to.address, extent.span(to.pitch) as u64)?;
    check_bounds(from.address, extent.span(from.pitch) as u64)?;
    let (driver, stream) = (driver()?, resolve(stream)?);
    if state::several() {
        let here = context_stack::current()?;
        let of = |address| {
            addresses::find(driver, address)
                .map_or(Ok(here.clone()), |(_, device)| contexts::with_memory_of(driver, device))
        };
        let (of_to, of_from) = (of(to.address)?, of(from.address)?);
        if !std::ptr::eq(of_to.session, of_from.session) {
            return internode::copy((to, &of_to), (from, &of_from), extent, &stream, mode);
        }
        if !std::ptr::eq(of_to.session, here.session) {
            return elsewhere(of_to, &stream, |stream| {
                on_device(to, from, extent, CUstream::LEGACY, Mode::Synchronous)?;
                memfd::settle(stream, Mode::Synchronous)
            });
        }
    }
    if let Some(contexts) = between_devices::contexts(driver, to.address, from.address)? {
        return between_devices::copy(
            (to, contexts.to),
            (from, contexts.from),
            extent,
            &stream,
            mode,
        );
    }
    open_to(driver, to.address, || stream.device())?;
    open_to(driver, from.address, || stream.device())?;
    post_on_device(to, from, extent, &stream)?;
    let seen = driver.mirrors.is_shared(to.address) || driver.mirrors.is_shared(from.address);
    if seen { memfd::settle(&stream, mode) } else { Ok(()) }
}

fn post_on_device(to: DeviceBox, from: DeviceBox, extent: Extent, stream: &Stream) -> CudaResult {
    work::before_work(stream);
    stream.target.post(&CopyOnDevice {
        to: to.address,
        to_pitch_bytes: to.pitch as u64,
        from: from.address,
        from_pitch_bytes: from.pitch as u64,
        width_bytes: extent.width as u64,
        rows: extent.rows as u64,
        stream: stream.handle,
    })?;
    stream.note_posted();
    Ok(())
}

/// Copies bytes between two addresses that the device reaches.
pub fn flat_on_device(
    to: u64,
    from: u64,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    if bytes == 0 {
        return Ok(());
    }
    on_device(
        DeviceBox { address: to, pitch: bytes },
        DeviceBox { address: from, pitch: bytes },
        flat(bytes),
        stream,
        mode,
    )
}

/// Copies on the host in stream order, for which the program must wait.
pub(in crate::api) fn on_host(to: u64, from: u64, bytes: usize, stream: CUstream) -> CudaResult {
    if to == 0 || from == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let (driver, stream) = (driver()?, resolve(stream)?);
    if let Some(graph) = driver.captures.graph_of(&stream)? {
        let [to, from] = [to, from].map(|address| HostBox::row(address as *mut u8, bytes));
        return crate::api::streams::callback::capture(
            driver,
            &stream,
            graph,
            Callback::Copy { to, from },
        );
    }
    // An idle stream needs no wait, even if its next work would wait for the legacy stream.
    let recorded = event::record_anew(&stream)?;
    let waited = event::synchronize(recorded);
    event::destroy(recorded)?;
    waited?;
    // SAFETY: the program promises both ranges, which may overlap as far as the driver is
    // concerned.
    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) };
    Ok(())
}

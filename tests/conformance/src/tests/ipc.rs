//! Memory and events that two processes share, by 64-byte handles or, for memory, by file
//! descriptors. The second process is this program in a role.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::process::parent_id;
use std::process::{Command, Stdio};
use std::time::Duration;

pub const TESTS: &[Test] = &[
    ("ipc/memory_is_one", memory_is_one),
    ("ipc/a_synchronous_copy_is_there_for_the_other", there_for_the_other),
    ("ipc/memory_opened_again", opened_again),
    ("ipc/what_is_no_handle", no_handle),
    ("ipc/exporter_gone", exporter_gone),
    ("ipc/pointers_say_so", pointers),
    ("ipc/descriptors", descriptors),
    ("ipc/what_is_no_descriptor", no_descriptor),
    ("ipc/descriptor_in_its_own_process", own_descriptor),
    ("ipc/memory_outlives_its_exporter", outlives),
    ("ipc/event_holds_up_another_process", event_holds_up),
    ("ipc/event_of_another_process", event_of_another),
    ("ipc/what_is_no_event", no_event),
];

/// Name and body of a role, for a second process.
pub type Role = (&'static str, fn(&Gpu, &[&str]) -> Done);

/// All roles.
pub const ROLES: &[Role] = &[
    ("ipc/writer", writer),
    ("ipc/reopener", reopener),
    ("ipc/memory_reader", memory_reader),
    ("ipc/exporter", exporter),
    ("ipc/importer", importer),
    ("ipc/leaving_exporter", leaving_exporter),
    ("ipc/staying_importer", staying_importer),
    ("ipc/follower", follower),
    ("ipc/recorder", recorder),
    ("shared_pool/importer", super::shared_pool::importer),
];

const LAZY_ENABLE_PEER_ACCESS: u32 = 1;
const POSIX_FILE_DESCRIPTOR: i32 = 1;

pub(super) fn role(gpu: &Gpu, name: &str, arguments: &[String]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a running program has a path"));
    command.arg("--role").arg(&gpu.library).arg(name).args(arguments);
    command
}

/// Runs a role to its end and returns the output.
pub(super) fn run(command: &mut Command) -> Result<String, Outcome> {
    let output =
        command.output().map_err(|e| Outcome::Failed(format!("no second process: {e}")))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() { Ok(text) } else { fail(format!("{text} ({})", output.status)) }
}

// ---- handles ----

fn handle(gpu: &Gpu, memory: CUdeviceptr) -> Result<CUipcMemHandle, Outcome> {
    let mut handle = CUipcMemHandle { reserved: [0; 64] };
    match cu!(gpu.cuIpcGetMemHandle(&mut handle, memory)) {
        CUresult::NOT_SUPPORTED => {
            Err(Outcome::Skipped("the driver has no handles of memory".into()))
        }
        result => Ok(result.ok().map(|()| handle)?),
    }
}

pub(super) fn hex(handle: &CUipcMemHandle) -> String {
    handle.reserved.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn from_hex(text: &str) -> CUipcMemHandle {
    let mut reserved = [0; 64];
    for (i, byte) in reserved.iter_mut().enumerate() {
        *byte = text
            .get(2 * i..2 * i + 2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .unwrap_or(0);
    }
    CUipcMemHandle { reserved }
}

fn open(gpu: &Gpu, text: &str) -> Result<CUdeviceptr, CUresult> {
    let mut address = 0;
    cu!(gpu.cuIpcOpenMemHandle_v2(&mut address, from_hex(text), LAZY_ENABLE_PEER_ACCESS))
        .ok()
        .map(|()| address)
}

fn pattern(first: u32, count: usize) -> Vec<u32> {
    (first..).take(count).collect()
}

fn memory_is_one(gpu: &Gpu) -> Done {
    for (count, first) in [(250, 1), (3 << 20, 2), (64, 3)] {
        let (before, memory, behind) =
            (gpu.alloc(count * 4)?, gpu.alloc(count * 4)?, gpu.alloc(count * 4)?);
        for block in [before, memory, behind] {
            gpu.write(block, &pattern(first, count))?;
        }
        let found = handle(gpu, memory)?;
        gpu.synchronize().ok()?;
        run(&mut role(gpu, "ipc/writer", &[hex(&found), count.to_string(), first.to_string()]))?;
        same("what the other wrote", gpu.read(memory, count)? == pattern(first + 1, count), true)?;
        for block in [before, behind] {
            same("a neighbour", gpu.read(block, count)? == pattern(first, count), true)?;
        }
        cu!(gpu.cuMemFree_v2(memory)).ok()?;
    }
    Ok(())
}

fn writer(gpu: &Gpu, arguments: &[&str]) -> Done {
    let [text, count, first] = arguments else { return fail("handle, count, first") };
    let (count, first) = (count.parse().unwrap_or(0), first.parse().unwrap_or(0));
    let memory = open(gpu, text)?;
    same("what the owner wrote", gpu.read(memory, count)? == pattern(first, count), true)?;
    let (add, one) = (gpu.function(gpu.module()?, "add")?, 1);
    gpu.launch(
        add,
        ((count as u32).div_ceil(256), 256),
        CUstream::NULL,
        memory,
        &[count as u32, one],
    )
    .ok()?;
    gpu.synchronize().ok()?;
    Ok(cu!(gpu.cuIpcCloseMemHandle(memory)).ok()?)
}

fn opened_again(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4096)?;
    gpu.write(memory, &[17])?;
    let (one, other) = (handle(gpu, memory)?, handle(gpu, memory)?);
    same("asked twice", hex(&one), hex(&other))?;
    gpu.synchronize().ok()?;
    run(&mut role(gpu, "ipc/reopener", &[hex(&one)])).map(|_| ())
}

fn reopener(gpu: &Gpu, arguments: &[&str]) -> Done {
    let [text] = arguments else { return fail("handle") };
    let (first, second) = (open(gpu, text)?, open(gpu, text)?);
    same("one address", first, second)?;
    cu!(gpu.cuIpcCloseMemHandle(first)).ok()?;
    same("still open", gpu.read(first, 1)?, vec![17])?;
    cu!(gpu.cuIpcCloseMemHandle(first)).ok()?;
    same("closed for good", cu!(gpu.cuIpcCloseMemHandle(first)), CUresult::INVALID_VALUE)?;
    let third = open(gpu, text)?;
    same("anew", gpu.read(third, 1)?, vec![17])
}

fn no_handle(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4096)?;
    let own = handle(gpu, memory)?;
    let mut address = 0;
    same(
        "flags that do not exist",
        cu!(gpu.cuIpcOpenMemHandle_v2(&mut address, own, 0x80)),
        CUresult::INVALID_VALUE,
    )?;
    same("one's own", open(gpu, &hex(&own)).is_err(), true)?;
    same("nothing", open(gpu, "").is_err(), true)?;
    let mut out = CUipcMemHandle { reserved: [0; 64] };
    same("no memory", cu!(gpu.cuIpcGetMemHandle(&mut out, 4096)), CUresult::INVALID_VALUE)?;
    same("never opened", cu!(gpu.cuIpcCloseMemHandle(memory)), CUresult::INVALID_VALUE)?;
    gpu.write(memory, &[1])
}

fn exporter_gone(gpu: &Gpu) -> Done {
    handle(gpu, gpu.alloc(4096)?)?;
    let text = run(&mut role(gpu, "ipc/exporter", &[]))?;
    // A process that has ended may take a moment to disappear. If the handle remains valid, the
    // test exceeds its time limit.
    while let Ok(address) = open(gpu, &text) {
        cu!(gpu.cuIpcCloseMemHandle(address)).ok()?;
        std::thread::sleep(Duration::from_millis(1));
    }
    gpu.write(gpu.alloc(4096)?, &[1])
}

fn exporter(gpu: &Gpu, _: &[&str]) -> Done {
    println!("{}", hex(&handle(gpu, gpu.alloc(4096)?)?));
    Ok(())
}

fn pointers(gpu: &Gpu) -> Done {
    const IS_LEGACY_CUDA_IPC_CAPABLE: i32 = 10;
    let memory = gpu.alloc(4096)?;
    handle(gpu, memory)?;
    let mut capable = 0u32;
    cu!(gpu.cuPointerGetAttribute((&raw mut capable).cast(), IS_LEGACY_CUDA_IPC_CAPABLE, memory))
        .ok()?;
    same("capable", capable & 0xFF, 1)
}

// ---- descriptors ----

fn properties(handle_types: i32) -> CUmemAllocationProp {
    CUmemAllocationProp {
        type_: values::MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: handle_types,
        location: CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: 0 },
        win32HandleMetaData: std::ptr::null_mut(),
        compressionType: 0,
        gpuDirectRDMACapable: 0,
        usage: 0,
        reserved: [0; 4],
    }
}

fn check_descriptors(gpu: &Gpu) -> Done {
    const SUPPORTED: i32 = 103;
    if gpu.attribute(SUPPORTED)? == 0 {
        Err(Outcome::Skipped("memory has no descriptors".into()))
    } else {
        Ok(())
    }
}

fn page(gpu: &Gpu) -> Result<usize, Outcome> {
    let mut page = 0;
    cu!(gpu.cuMemGetAllocationGranularity(&mut page, &properties(POSIX_FILE_DESCRIPTOR), 0))
        .ok()?;
    Ok(page)
}

fn create(gpu: &Gpu, handle_types: i32) -> Result<CUmemGenericAllocationHandle, Outcome> {
    let mut memory = 0;
    cu!(gpu.cuMemCreate(&mut memory, page(gpu)?, &properties(handle_types), 0)).ok()?;
    Ok(memory)
}

fn map(gpu: &Gpu, memory: CUmemGenericAllocationHandle) -> Result<CUdeviceptr, Outcome> {
    let (page, mut address) = (page(gpu)?, 0);
    let access = CUmemAccessDesc {
        location: properties(0).location,
        flags: values::MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    cu!(gpu.cuMemAddressReserve(&mut address, page, 0, 0, 0)).ok()?;
    cu!(gpu.cuMemMap(address, page, 0, memory, 0)).ok()?;
    cu!(gpu.cuMemSetAccess(address, page, &access, 1)).ok()?;
    Ok(address)
}

fn export(gpu: &Gpu, memory: CUmemGenericAllocationHandle) -> Result<OwnedFd, CUresult> {
    let mut descriptor: i32 = -1;
    cu!(gpu.cuMemExportToShareableHandle(
        (&raw mut descriptor).cast(),
        memory,
        POSIX_FILE_DESCRIPTOR,
        0
    ))
    .ok()?;
    // SAFETY: the driver created the descriptor for this process.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn import(gpu: &Gpu, descriptor: i32) -> Result<CUmemGenericAllocationHandle, CUresult> {
    let mut memory = 0;
    let number: *mut c_void = std::ptr::without_provenance_mut(descriptor as usize);
    cu!(gpu.cuMemImportFromShareableHandle(&mut memory, number, POSIX_FILE_DESCRIPTOR))
        .ok()
        .map(|()| memory)
}

/// Releases the allocation handle while the memory is mapped, as programs do.
fn descriptors(gpu: &Gpu) -> Done {
    check_descriptors(gpu)?;
    let memory = create(gpu, POSIX_FILE_DESCRIPTOR)?;
    let address = map(gpu, memory)?;
    gpu.write(address, &pattern(5, 1000))?;
    let descriptor = export(gpu, memory)?;
    cu!(gpu.cuMemRelease(memory)).ok()?;
    gpu.synchronize().ok()?;
    run(role(gpu, "ipc/importer", &[]).stdin(Stdio::from(descriptor)))?;
    same("what the other wrote", gpu.read(address, 1000)?, pattern(6, 1000))
}

/// Returns a duplicate of the descriptor on standard input, under a number other than 0. NVIDIA's
/// driver does not accept 0 as a descriptor.
pub(super) fn given() -> Result<i32, Outcome> {
    let descriptor = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map_err(|e| Outcome::Failed(e.to_string()))?;
    Ok(descriptor.into_raw_fd())
}

/// Imports the memory whose descriptor is on standard input.
fn importer(gpu: &Gpu, _: &[&str]) -> Done {
    let memory = import(gpu, given()?)?;
    let address = map(gpu, memory)?;
    same("what the owner wrote", gpu.read(address, 1000)?, pattern(5, 1000))?;
    gpu.write(address, &pattern(6, 1000))?;
    gpu.synchronize().ok()?;
    cu!(gpu.cuMemUnmap(address, page(gpu)?)).ok()?;
    Ok(cu!(gpu.cuMemRelease(memory)).ok()?)
}

fn no_descriptor(gpu: &Gpu) -> Done {
    check_descriptors(gpu)?;
    let nothing = std::fs::File::open("/dev/null").map_err(|e| Outcome::Failed(e.to_string()))?;
    same("a file", import(gpu, OwnedFd::from(nothing).into_raw_fd()).is_err(), true)?;
    same("none", import(gpu, 1 << 20).is_err(), true)?;
    same("memory that was not made for it", export(gpu, create(gpu, 0)?).is_err(), true)?;
    gpu.write(gpu.alloc(4096)?, &[1])
}

fn own_descriptor(gpu: &Gpu) -> Done {
    use std::os::fd::AsRawFd;
    check_descriptors(gpu)?;
    let memory = create(gpu, POSIX_FILE_DESCRIPTOR)?;
    let (one, other) =
        (map(gpu, memory)?, map(gpu, import(gpu, export(gpu, memory)?.as_raw_fd())?)?);
    same("two addresses", one != other, true)?;
    let (size, mut room) = (page(gpu)?, 0);
    cu!(gpu.cuMemAddressReserve(&mut room, 2 * size, 0, 0, 0)).ok()?;
    same(
        "more than exists",
        cu!(gpu.cuMemMap(room, 2 * size, 0, memory, 0)) == CUresult::SUCCESS,
        false,
    )?;
    gpu.write(one, &[1, 2, 3])?;
    gpu.synchronize().ok()?;
    same("one memory", gpu.read(other, 3)?, vec![1, 2, 3])
}

fn outlives(gpu: &Gpu) -> Done {
    check_descriptors(gpu)?;
    let output = run(&mut role(gpu, "ipc/leaving_exporter", &[]))?;
    same("the importer's last output", output.as_str(), "found")
}

/// Exports memory and exits when its importer has received it.
fn leaving_exporter(gpu: &Gpu, _: &[&str]) -> Done {
    let memory = create(gpu, POSIX_FILE_DESCRIPTOR)?;
    let address = map(gpu, memory)?;
    gpu.write(address, &pattern(5, 1000))?;
    gpu.synchronize().ok()?;
    let mut command = role(gpu, "ipc/staying_importer", &[std::process::id().to_string()]);
    let child = command.stdin(Stdio::from(export(gpu, memory)?)).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|e| Outcome::Failed(e.to_string()))?;
    let mut line = String::new();
    let _ = BufReader::new(child.stderr.take().expect("piped")).read_line(&mut line);
    same("the importer", line.trim(), "imported")
}

fn staying_importer(gpu: &Gpu, arguments: &[&str]) -> Done {
    let [exporter] = arguments else { return fail("exporter") };
    let address = map(gpu, import(gpu, given()?)?)?;
    gpu.read(address, 1)?;
    eprintln!("imported");
    while parent_id().to_string() == **exporter {
        std::thread::sleep(Duration::from_millis(1));
    }
    same("what the exporter wrote", gpu.read(address, 1000)?, pattern(5, 1000))?;
    println!("found");
    Ok(())
}

/// A pipe notifies the other process, which reads the memory at once.
fn there_for_the_other(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(READ_WORDS * 4)?;
    let mut command = role(gpu, "ipc/memory_reader", &[hex(&handle(gpu, memory)?)]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|e| Outcome::Failed(e.to_string()))?;
    let (mut input, mut lines) = (
        child.stdin.take().expect("piped"),
        BufReader::new(child.stdout.take().expect("piped")).lines(),
    );
    let mut answer = || lines.next().and_then(Result::ok).unwrap_or_else(|| "nothing".into());
    same("the other process", answer().as_str(), "ready")?;
    for round in 1..=8u32 {
        gpu.write(memory, &vec![round; READ_WORDS])?;
        writeln!(input, "read").map_err(|e| Outcome::Failed(e.to_string()))?;
        same("what it found", answer(), round.to_string())?;
    }
    drop(input);
    let _ = child.wait();
    Ok(())
}

const READ_WORDS: usize = 4 << 20;

fn memory_reader(gpu: &Gpu, arguments: &[&str]) -> Done {
    let [text] = arguments else { return fail("handle") };
    let last = open(gpu, text)? + (READ_WORDS as u64 - 1) * 4;
    gpu.read(last, 1)?;
    println!("ready");
    for _ in std::io::stdin().lock().lines() {
        println!("{}", gpu.read(last, 1)?[0]);
    }
    Ok(())
}

// ---- events ----

const SHARED: u32 = values::EVENT_INTERPROCESS | values::EVENT_DISABLE_TIMING;

fn event_text(gpu: &Gpu, event: CUevent) -> Result<String, Outcome> {
    let mut handle = CUipcEventHandle { reserved: [0; 64] };
    cu!(gpu.cuIpcGetEventHandle(&mut handle, event)).ok()?;
    Ok(hex(&CUipcMemHandle { reserved: handle.reserved }))
}

fn open_event(gpu: &Gpu, text: &str) -> Result<CUevent, CUresult> {
    let (mut event, reserved) = (CUevent::NULL, from_hex(text).reserved);
    cu!(gpu.cuIpcOpenEventHandle(&mut event, CUipcEventHandle { reserved })).ok().map(|()| event)
}

fn check_events(gpu: &Gpu) -> Done {
    const SUPPORTED: i32 = 125;
    if gpu.attribute(SUPPORTED)? == 0 {
        Err(Outcome::Skipped("events are not shared between processes".into()))
    } else {
        Ok(())
    }
}

/// Blocks the recording stream until the other process has queried the event and queued its own
/// work after the event.
fn event_holds_up(gpu: &Gpu) -> Done {
    check_events(gpu)?;
    let (memory, gate) = (gpu.alloc(4096)?, gpu.alloc(4096)?);
    gpu.write(memory, &pattern(1, 1000))?;
    gpu.write(gate, &[0])?;
    let memory_handle = hex(&handle(gpu, memory)?);
    let (event, held, other) = (gpu.event(SHARED)?, gpu.stream(1)?, gpu.stream(1)?);
    gpu.synchronize().ok()?;
    cu!(gpu.cuStreamWaitValue32_v2(held, gate, 1, 0)).ok()?;
    cu!(gpu.cuMemsetD32Async(memory, 7, 1000, held)).ok()?;
    cu!(gpu.cuEventRecord(event, held)).ok()?;
    let mut command = role(gpu, "ipc/follower", &[event_text(gpu, event)?, memory_handle]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|e| Outcome::Failed(e.to_string()))?;
    let mut line = String::new();
    let _ = BufReader::new(child.stderr.take().expect("piped")).read_line(&mut line);
    cu!(gpu.cuStreamWriteValue32_v2(other, gate, 1, 0)).ok()?;
    gpu.synchronize().ok()?;
    let output = child.wait_with_output().map_err(|e| Outcome::Failed(e.to_string()))?;
    same("the other's first word", line.trim(), "after the event")?;
    if output.status.success() {
        Ok(())
    } else {
        fail(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

fn follower(gpu: &Gpu, arguments: &[&str]) -> Done {
    let [event, memory] = arguments else { return fail("event, memory") };
    let (event, memory, stream, copy) =
        (open_event(gpu, event)?, open(gpu, memory)?, gpu.stream(1)?, gpu.alloc(4096)?);
    same("before it was reached", cu!(gpu.cuEventQuery(event)), CUresult::NOT_READY)?;
    cu!(gpu.cuStreamWaitEvent(stream, event, 0)).ok()?;
    cu!(gpu.cuMemcpyDtoDAsync_v2(copy, memory, 4000, stream)).ok()?;
    same("work after it", cu!(gpu.cuStreamQuery(stream)), CUresult::NOT_READY)?;
    eprintln!("after the event");
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("what the owner wrote before it", gpu.read(copy, 1000)?, vec![7; 1000])?;
    same("after it was reached", cu!(gpu.cuEventQuery(event)), CUresult::SUCCESS)
}

/// A process that opens an event may also record it.
fn event_of_another(gpu: &Gpu) -> Done {
    check_events(gpu)?;
    let (memory, event, stream, copy) =
        (gpu.alloc(4096)?, gpu.event(SHARED)?, gpu.stream(1)?, gpu.alloc(4096)?);
    gpu.write(memory, &[1])?;
    gpu.synchronize().ok()?;
    same("never recorded", cu!(gpu.cuEventQuery(event)), CUresult::SUCCESS)?;
    for round in 2..5u32 {
        run(&mut role(
            gpu,
            "ipc/recorder",
            &[event_text(gpu, event)?, hex(&handle(gpu, memory)?), round.to_string()],
        ))?;
        cu!(gpu.cuStreamWaitEvent(stream, event, 0)).ok()?;
        cu!(gpu.cuMemcpyDtoDAsync_v2(copy, memory, 4000, stream)).ok()?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        same("what the other wrote", gpu.read(copy, 1000)?, vec![round; 1000])?;
        cu!(gpu.cuEventSynchronize(event)).ok()?;
    }
    Ok(cu!(gpu.cuEventDestroy_v2(event)).ok()?)
}

fn recorder(gpu: &Gpu, arguments: &[&str]) -> Done {
    let [event, memory, number] = arguments else { return fail("event, memory, number") };
    let (event, memory, stream) = (open_event(gpu, event)?, open(gpu, memory)?, gpu.stream(1)?);
    cu!(gpu.cuMemsetD32Async(memory, number.parse().unwrap_or(0), 1000, stream)).ok()?;
    cu!(gpu.cuEventRecord(event, stream)).ok()?;
    cu!(gpu.cuEventSynchronize(event)).ok()?;
    same("once reached", cu!(gpu.cuEventQuery(event)), CUresult::SUCCESS)?;
    Ok(cu!(gpu.cuEventDestroy_v2(event)).ok()?)
}

fn no_event(gpu: &Gpu) -> Done {
    check_events(gpu)?;
    let (mut event, mut out) = (CUevent::NULL, CUipcEventHandle { reserved: [0; 64] });
    same(
        "with timing",
        cu!(gpu.cuEventCreate(&mut event, values::EVENT_INTERPROCESS)),
        CUresult::INVALID_VALUE,
    )?;
    let private = gpu.event(values::EVENT_DISABLE_TIMING)?;
    same(
        "an event of this process alone",
        cu!(gpu.cuIpcGetEventHandle(&mut out, private)).ok().is_err(),
        true,
    )?;
    same("nothing", open_event(gpu, "").is_err(), true)?;
    gpu.write(gpu.alloc(4096)?, &[1])
}

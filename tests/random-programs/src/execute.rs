//! Runs a program on a libcuda.so.1, with one host thread for each of the program's threads.
//! Reports the first result that CUDA's rules do not permit.

mod calls;
mod device;
mod graphs;
mod host;
mod table;

use crate::model::Model;
use crate::program::*;
use device::Device;
use host::{HostCall, Shared};
use outhaul_abi::types::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use table::Table;

pub use device::Gpu;

/// The memory of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Kind of memory.
    pub memory: Memory,
    /// Address for the program, and for calls that derive the memory kind from an address.
    pub host: u64,
    /// Address for kernels and fills.
    pub device: u64,
    /// Size in bytes.
    pub bytes: usize,
    /// Whether the memory is registered.
    pub registered: bool,
}

impl Place {
    fn is_host(&self) -> bool {
        matches!(self.memory, Memory::Pinned | Memory::Mapped | Memory::Pageable)
    }
}

#[derive(Default)]
struct Objects {
    places: BTreeMap<usize, Place>,
    streams: BTreeMap<usize, CUstream>,
    events: BTreeMap<usize, CUevent>,
    graphs: BTreeMap<usize, CUgraph>,
    nodes: BTreeMap<usize, Vec<CUgraphNode>>,
    execs: BTreeMap<usize, CUgraphExec>,
    /// For each executable graph, the graph from which it was created.
    sources: BTreeMap<usize, usize>,
    /// Arguments of host functions, which live as long as the program.
    host_calls: Vec<Arc<HostCall>>,
}

struct Machine<'a> {
    device: Device<'a>,
    program: &'a Program,
    model: &'a Model,
    table: Table,
    objects: Mutex<Objects>,
    shared: Shared,
    /// Lock that prevents other threads from making calls that a capture forbids.
    captures: RwLock<()>,
}

/// Runs the program. Returns the first failure as an error.
pub fn run(gpu: &Gpu, program: &Program, model: &Model) -> Result<(), String> {
    let device = Device { gpu };
    let table = Table::make(&device, program, model)?;
    let shared = Shared::default();
    let (objects, captures) = (Mutex::default(), RwLock::default());
    let machine = Machine { device, program, model, table, objects, shared, captures };
    std::thread::scope(|scope| {
        for thread in 0..program.threads {
            let machine = &machine;
            scope.spawn(move || {
                if let Err(why) = machine.play(thread) {
                    machine.shared.fail(why);
                }
            });
        }
    });
    if !machine.shared.has_failed() {
        machine.device.ok("the last cuCtxSynchronize", machine.device.synchronize())?;
        machine
            .table
            .verify(&machine.device, program, model)
            .unwrap_or_else(|why| machine.shared.fail(why));
        machine.verify_contents().unwrap_or_else(|why| machine.shared.fail(why));
    }
    match machine.shared.first_failure() {
        // Work may still use the program's memory, so nothing is freed, and the process exits.
        Some(why) => {
            std::mem::forget(machine);
            Err(why)
        }
        None => machine.clean_up(),
    }
}

/// The kind of capture lock that a thread holds.
enum Held<'a> {
    Nothing,
    Capture(#[allow(dead_code, reason = "held, not looked at")] RwLockWriteGuard<'a, ()>),
}

impl<'a> Machine<'a> {
    /// Runs all operations of one thread, in order.
    fn play(&self, thread: usize) -> Result<(), String> {
        self.device.enter()?;
        let mut held = Held::Nothing;
        for (index, op) in self.program.ops.iter().enumerate() {
            if self.shared.has_failed() {
                return Ok(());
            }
            match op.deal {
                Deal::Hand { to } if to == thread => self.shared.wait(Latched::Hand(index)),
                _ if op.thread != thread => continue,
                Deal::Hand { .. } => self.shared.post(Latched::Hand(index)),
                Deal::Await { token } => self.shared.wait(Latched::Token(token)),
                _ => {
                    if matches!(op.deal, Deal::Capture { .. }) {
                        held = Held::Capture(self.captures.write().expect("no holder panics"));
                    }
                    let _reading: Option<RwLockReadGuard<'_, ()>> = match held {
                        Held::Nothing => Some(self.captures.read().expect("no holder panics")),
                        Held::Capture(_) => None,
                    };
                    self.call(index, op)
                        .map_err(|why| format!("operation {index} `{op}`: {why}"))?;
                    if matches!(op.deal, Deal::EndCapture { .. }) {
                        held = Held::Nothing;
                    }
                }
            }
        }
        Ok(())
    }

    fn objects(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock().expect("no holder panics")
    }

    fn place(&self, buffer: usize) -> Place {
        self.objects().places[&buffer]
    }

    fn stream(&self, stream: Stream) -> CUstream {
        match stream {
            Stream::Legacy => CUstream::LEGACY,
            Stream::Own => CUstream::PER_THREAD,
            Stream::Made(number) => self.objects().streams[&number],
        }
    }

    /// Checks the final contents of all buffers.
    fn verify_contents(&self) -> Result<(), String> {
        for (number, buffer) in self.model.buffers.iter().filter(|(_, buffer)| buffer.alive) {
            let runs = buffer.content.known(0, buffer.words);
            let place = self.place(*number);
            if runs.is_empty() {
                continue;
            }
            let mut words = vec![0u32; buffer.words];
            let bytes = words.len() * 4;
            match place.is_host() || place.memory == Memory::Managed {
                // SAFETY: the buffer has this size, and no work runs any more.
                true => unsafe {
                    std::ptr::copy_nonoverlapping(
                        place.host as *const u32,
                        words.as_mut_ptr(),
                        buffer.words,
                    )
                },
                false => {
                    // SAFETY: the vector is valid for writes of this size.
                    let read = unsafe {
                        self.device.gpu.driver.cuMemcpyDtoH_v2(
                            words.as_mut_ptr().cast(),
                            place.device,
                            bytes,
                        )
                    };
                    self.device.ok("the last copy", read)?;
                }
            }
            host::compare(&words, 0, &runs)
                .map_err(|why| format!("at the end b{number} ({}): {why}", buffer.memory))?;
        }
        Ok(())
    }

    fn clean_up(self) -> Result<(), String> {
        let objects = self.objects.into_inner().expect("no holder panicked");
        let (device, driver) = (&self.device, &self.device.gpu.driver);
        // SAFETY: all handles are live, and no work runs any more.
        unsafe {
            for exec in objects.execs.values() {
                device.ok("cuGraphExecDestroy", driver.cuGraphExecDestroy(*exec))?;
            }
            for graph in objects.graphs.values() {
                device.ok("cuGraphDestroy", driver.cuGraphDestroy(*graph))?;
            }
            for event in objects.events.values() {
                device.ok("cuEventDestroy", driver.cuEventDestroy_v2(*event))?;
            }
            for stream in objects.streams.values() {
                device.ok("cuStreamDestroy", driver.cuStreamDestroy_v2(*stream))?;
            }
        }
        for place in objects.places.values() {
            if place.registered {
                // SAFETY: the memory is registered and no longer used.
                device.ok("cuMemHostUnregister", unsafe {
                    driver.cuMemHostUnregister(place.host as *mut _)
                })?;
            }
            device.give_back(place)?;
        }
        self.table.give_back(&self.device)?;
        drop(objects.host_calls);
        device.ok("cuCtxSynchronize after all", device.synchronize())
    }
}

/// An event for which a thread waits without the driver.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Latched {
    /// A handover, identified by the operation that makes it.
    Hand(usize),
    Token(usize),
}

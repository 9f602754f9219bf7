//! A session's state: everything that its commands use, and the current context. Deliberately
//! absent: the commands, which are methods of `Worker` in `commands`.

use crate::worker::copies::bulk::BulkLanes;
use crate::worker::copies::node_links::NodeLinks;
use crate::worker::driver::device_resources::DeviceResources;
use crate::worker::driver::images::Images;
use crate::worker::driver::objects::{Event, Objects};
use crate::worker::driver::sensors::LazySensors;
use crate::worker::driver::textures::Textures;
use crate::worker::graphs::Graphs;
use crate::worker::io::frame::{Incoming, Refusal, Ticket};
use crate::worker::io::listener::Listener;
use crate::worker::managed::region::ManagedRegions;
use crate::worker::memory::Memory;
use crate::worker::memory::host_segments::HostSegments;
use crate::worker::memory::shared_segments::Segments;
use crate::worker::scheduling::implicit_order::ImplicitOrder;
use crate::worker::scheduling::kernel_time_limit::KernelLimit;
use crate::worker::scheduling::submit_limit::Room;
use crate::worker::scheduling::turns::Turns;
use crate::worker::streams::callbacks::Callbacks;
use crate::worker::streams::delivery::Carrier;
use crate::worker::streams::gates::StreamGates;
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUresult};
use outhaul_wire::messages::op_name;
use std::collections::HashMap;
use std::sync::Arc;

/// A session's state.
pub struct Worker {
    /// The driver.
    pub driver: Arc<Driver>,
    /// The session's objects.
    pub objects: Objects,
    /// The session's device memory.
    pub(super) memory: Memory,
    /// Pinned host memory that client and worker share.
    pub(super) segments: HostSegments,
    /// Memory that sessions share by key.
    pub(super) shared_segments: Segments,
    /// The listener, for actions that the worker may not perform itself.
    pub(super) listener: Listener,
    /// Code images.
    pub(super) images: Images,
    /// Carries data and replies to the client.
    pub(super) carrier: Carrier,
    /// Functions that run in the client.
    pub(super) callbacks: Arc<Callbacks>,
    /// Gates, where streams wait for other nodes.
    pub(super) gates: Arc<StreamGates>,
    /// Callbacks, which run in the client.
    pub(super) links: Arc<NodeLinks>,
    /// The bulk lanes.
    pub(super) bulk: BulkLanes,
    /// Graphs and captures.
    pub(super) graphs: Graphs,
    /// Work that other streams must wait for.
    pub(super) first: Option<ImplicitOrder>,
    /// The session's work in the driver.
    pub(super) room: Room,
    /// Memory that program and device reach at the same address.
    pub(super) managed: Arc<ManagedRegions>,
    /// Addresses and sizes of managed variables that the client looked up.
    pub(super) managed_variables: Vec<(u64, u64)>,
    /// Texture and surface objects.
    pub(super) textures: Textures,
    /// Parts of devices, such as groups of multiprocessors.
    pub(super) parts: DeviceResources,
    /// The session's turns on the GPUs.
    pub(super) turns: Turns,
    /// The limit on how long a kernel runs.
    pub(super) kernel_limit: KernelLimit,
    /// The sensors.
    pub(super) sensors: Arc<LazySensors>,
    /// Contexts by their index in frames.
    pub(super) contexts: HashMap<u16, CUcontext>,
    /// Why contexts could not be created, by the same index.
    pub(super) failed_contexts: HashMap<u16, CUresult>,
    /// Events that the client has destroyed while a thread still queries them.
    pub(super) leaving_events: Vec<Event>,
    /// Index of the current context; 0 if no context is current.
    pub(super) current: u16,
}

impl Worker {
    /// Makes context `index` current. Does nothing if `index` is 0, as in a frame without a context
    /// or one that creates a context.
    pub fn enter_context(&mut self, index: u16) {
        if index == self.current || index == 0 {
            return;
        }
        // If a context's creation failed, its commands must not run in another context.
        let context = self.contexts.get(&index).copied().unwrap_or_default();
        // SAFETY: the context is the session's own, or null.
        let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
        self.current = index;
        self.objects.set_current_context(index, self.current_context().map(|_| ()));
        self.turns.enter_context(context);
    }

    /// Returns whether the session's memory may move to the host.
    pub fn moves_memory(&self) -> bool {
        !self.memory.residencies().is_empty()
    }

    /// Returns the current context, or the error of its creation.
    pub fn context(&self) -> Result<CUcontext, Refusal> {
        Ok(self.current_context()?)
    }

    /// Does the same as `context`, with the driver's error alone.
    pub fn current_context(&self) -> Result<CUcontext, CUresult> {
        let why = || self.failed_contexts.get(&self.current).copied();
        let context = self.contexts.get(&self.current).copied();
        context.ok_or_else(|| why().unwrap_or(CUresult::INVALID_CONTEXT))
    }

    /// Returns the current context, or NULL if there is none. Another thread of the program may
    /// have destroyed the context, and then its work has ended.
    pub fn context_or_none(&self) -> CUcontext {
        self.context().unwrap_or_default()
    }

    /// Returns a ticket for the reply to a command.
    pub fn ticket(&self, incoming: &Incoming<'_>) -> Ticket {
        Ticket { sequence: incoming.header.sequence, outbound: self.carrier.outbound.clone() }
    }

    /// Reports a post that the driver rejected. A violation of the protocol is returned as an
    /// error.
    pub fn finish_post(
        &mut self,
        incoming: &Incoming<'_>,
        result: Result<(), Refusal>,
    ) -> Result<(), String> {
        match result {
            Ok(()) => Ok(()),
            Err(Refusal::Driver(code)) => {
                self.objects.note_failed_post();
                self.carrier.outbound.fault(incoming.header.sequence, code, op_name(incoming.op()));
                Ok(())
            }
            Err(Refusal::Violation(reason)) => Err(format!(
                "{} (frame {}): {reason}",
                op_name(incoming.op()),
                incoming.header.sequence
            )),
        }
    }
}

//! What a command waits for before it is carried out: the session's turn, and where memory may move, that it is in place. There the rule is one for all
//! commands: whatever names device memory, or a graph, which holds addresses, has it in place, be it work or not, since drivers look at addresses when
//! they are handed them. What names none waits for nothing.

use super::Worker;
use super::frame::Incoming;
use super::kernel_limit::Begun;
use super::objects::Objects;
use super::turns::Entry;
use super::work::{self, Work};
use crate::arbiter::Engine;
use outhaul_abi::types::{CUcontext, CUstream};
use outhaul_wire::codec::Message;
use outhaul_wire::messages::{CaptureBegin, names_graph};

/// A command that was let in, until it has been carried out.
#[derive(Default)]
pub struct Admission {
    /// On the device of its context.
    here: Entry,
    /// On others whose memory it may use.
    beside: Vec<Entry>,
}

fn describe(objects: &Objects, incoming: &Incoming<'_>) -> Option<(Work, CUstream)> {
    let work = work::work(incoming.op(), incoming.body())?;
    Some((work, objects.stream(work.stream).ok()?))
}

impl Worker {
    pub fn let_in(&mut self, incoming: &Incoming<'_>) -> Result<Admission, String> {
        let op = incoming.op();
        self.turns.mind_captures(self.graphs.is_capturing() || op == CaptureBegin::OP);
        let engine = self.engine_now(incoming);
        if engine.is_none() && (work::stalls(op) || work::waits(op)) {
            self.turns.rest();
        }
        let Some((_, device)) = self.turns.place() else { return Ok(Admission::default()) };
        if !self.moves_memory() {
            let here = engine.map_or(Entry::None, |engine| self.enter(incoming, device, engine));
            return Ok(Admission { here, beside: Vec::new() });
        }
        if !work::needs_memory(op) {
            return Ok(Admission::default());
        }
        let mut admission = Admission::default();
        for other in self.devices(incoming, device) {
            let entry = match engine {
                Some(engine) => self.enter(incoming, other, engine),
                None => self.turns.hold(other),
            };
            self.bring_memory(op, other, entry)?;
            if other == device { admission.here = entry } else { admission.beside.push(entry) }
        }
        Ok(admission)
    }

    pub fn let_out(&mut self, admission: Admission) {
        let objects = &self.objects;
        for entry in admission.beside.into_iter().chain([admission.here]) {
            self.turns.leave(entry, objects.named_stream(), || objects.stream(objects.named_stream()).ok());
        }
    }

    /// The engine that the command is work for, if it is to be done now rather than when a graph runs.
    fn engine_now(&self, incoming: &Incoming<'_>) -> Option<Engine> {
        let engine = work::engine(incoming.op())?;
        if self.graphs.is_capturing() {
            let (_, stream) = describe(&self.objects, incoming)?;
            return matches!(self.capturing(stream), Ok(None)).then_some(engine);
        }
        Some(engine)
    }

    fn enter(&mut self, incoming: &Incoming<'_>, device: u8, engine: Engine) -> Entry {
        let Worker { turns, objects, .. } = self;
        turns.enter(device, engine, || describe(objects, incoming))
    }

    /// Whose memory the command may use, in the order of the devices: all sessions wait for turns in this one, so that none waits for another that waits
    /// for it. A graph may have nodes of any device.
    fn devices(&self, incoming: &Incoming<'_>, here: u8) -> Vec<u8> {
        let op = incoming.op();
        let of = |context: u64| self.turns.device_of(self.objects.context(context).ok()?);
        let mut devices = match work::sides(op, incoming.body()) {
            Some((to, from)) => [of(to), of(from)].into_iter().flatten().collect(),
            None if names_graph(op) => self.memory.devices_in_use(),
            None => Vec::new(),
        };
        devices.retain(|device| *device != here && self.turns.context_of(*device).is_some());
        devices.push(here);
        devices.sort_unstable();
        devices.dedup();
        devices
    }

    /// Where memory may move, it is on the device before a command that may use it is carried out.
    fn bring_memory(&self, op: u16, device: u8, entry: Entry) -> Result<(), String> {
        let Some(residency) = self.memory.residency(device).filter(|_| !matches!(entry, Entry::None)) else { return Ok(()) };
        let Some((current, here)) = self.turns.place() else { return Ok(()) };
        if work::watches(op) {
            residency.pin();
        }
        let took = if device == here {
            residency.restore(current)?
        } else {
            let Some(context) = self.turns.context_of(device) else { return Ok(()) };
            self.make_current(context);
            let restored = residency.restore(context);
            self.make_current(current);
            restored?
        };
        if !took.is_zero() {
            self.turns.note_move(device, took);
        }
        Ok(())
    }

    fn make_current(&self, context: CUcontext) {
        // SAFETY: the context is the session's own.
        let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
    }

    /// What the node's limit on kernels is to know of a command.
    pub fn begin_launch(&mut self, incoming: &Incoming<'_>, admission: &Admission) -> Option<Begun> {
        if !self.kernel_limit.is_set() {
            return None;
        }
        if !work::launches(incoming.op()) || !admission.here.is_work() {
            self.kernel_limit.pass();
            return None;
        }
        let (_, stream) = describe(&self.objects, incoming)?;
        self.kernel_limit.begin(self.context().ok()?, stream)
    }
}

//! Admits commands. A command is executed only when the session has the turn and, if memory may
//! move, when the session's memory is resident.
//!
//! Drivers inspect addresses on submission. So residency is required for every command that names a
//! device address or a graph. Other commands do not wait for memory.

use crate::worker::driver::objects::Objects;
use crate::worker::io::frame::Incoming;
use crate::worker::log::log;
use crate::worker::memory::residency::Restored;
use crate::worker::scheduling::kernel_time_limit::PendingLaunch;
use crate::worker::scheduling::turns::Entry;
use crate::worker::scheduling::work_estimate::Work;
use crate::worker::state::Worker;
use outhaul_abi::types::{CUcontext, CUstream};
use outhaul_share::Engine;
use outhaul_wire::codec::Message;
use outhaul_wire::effects::{self, effect};
use outhaul_wire::messages::CaptureBegin;
use std::time::{Duration, Instant};

/// First pause between two checks for room. Pauses grow, because each check may make other sessions
/// move memory in vain.
const PAUSE_MIN: Duration = Duration::from_millis(10);
/// Maximum pause between two checks for room.
const PAUSE_MAX: Duration = Duration::from_secs(1);
/// How long a session waits for room before it ends, if no other session wants the GPU and so could
/// make room.
const ROOM_WAIT: Duration = Duration::from_secs(20);

/// An admitted command that has not been executed yet.
#[derive(Default)]
pub struct Admission {
    /// Entry for the device of the command's context.
    here: Entry,
    /// Entries for other devices whose memory the command may use.
    others: Vec<Entry>,
}

impl Admission {
    fn entries(self) -> impl Iterator<Item = Entry> {
        self.others.into_iter().chain([self.here])
    }
}

/// The wait of a session for whose memory the GPU has no room. The session holds no turn while it
/// waits.
struct Patience {
    /// Time when another session last wanted the GPU, or when room was last made.
    since: Instant,
    pause: Duration,
    missing_bytes: u64,
}

impl Patience {
    fn new() -> Patience {
        Patience { since: Instant::now(), pause: PAUSE_MIN, missing_bytes: u64::MAX }
    }

    fn wait(&mut self, missing_bytes: u64, contended: bool) -> Result<(), String> {
        if contended || missing_bytes < self.missing_bytes {
            self.since = Instant::now();
        }
        self.missing_bytes = missing_bytes;
        if self.since.elapsed() >= ROOM_WAIT {
            return Err(format!(
                "the GPU has no room for the program's memory: {missing_bytes} bytes are \
                 elsewhere, the memory of other programs cannot be moved, and none of \
                 them has used the GPU for {} s; end one of them, or run this one again when fewer \
                 are on the GPU",
                ROOM_WAIT.as_secs()
            ));
        }
        std::thread::sleep(self.pause);
        if self.pause < PAUSE_MAX && self.pause * 2 >= PAUSE_MAX {
            log(&format!(
                "the session waits for room on the GPU: {missing_bytes} bytes of its memory are \
                 elsewhere, and the memory of other sessions does not move"
            ));
        }
        self.pause = (self.pause * 2).min(PAUSE_MAX);
        Ok(())
    }
}

fn describe(objects: &Objects, incoming: &Incoming<'_>) -> Option<(Work, CUstream)> {
    let work = Work::of(incoming.op(), incoming.body())?;
    Some((work, objects.stream(work.stream).ok()?))
}

impl Worker {
    /// Admits a command once the session has its turns and its memory is resident.
    pub fn admit_command(&mut self, incoming: &Incoming<'_>) -> Result<Admission, String> {
        let op = incoming.op();
        self.turns.mind_captures(self.graphs.is_capturing() || op == CaptureBegin::OP);
        let engine = self.engine_now(incoming);
        let effect = effect(op);
        if engine.is_none() && (effect.stalls || effect.waits) {
            self.turns.rest();
        }
        let Some((_, device)) = self.turns.place() else { return Ok(Admission::default()) };
        if !self.moves_memory() {
            let here = engine.map_or(Entry::None, |engine| self.enter(incoming, device, engine));
            return Ok(Admission { here, others: Vec::new() });
        }
        if !effect.needs_memory() {
            return Ok(Admission::default());
        }
        let mut patience = None;
        loop {
            let mut admission = Admission::default();
            let Some(missing_bytes) = self.admit(incoming, engine, device, &mut admission)? else {
                return Ok(admission);
            };
            // Other sessions continue meanwhile, and may need less memory afterwards.
            let contended = admission
                .entries()
                .fold(false, |contended, entry| self.turns.step_back(entry) | contended);
            patience.get_or_insert_with(Patience::new).wait(missing_bytes, contended)?;
        }
    }

    /// Waits for the turns that the command needs, and makes its memory resident. Returns the
    /// number of bytes that did not fit, if any.
    fn admit(
        &mut self,
        incoming: &Incoming<'_>,
        engine: Option<Engine>,
        device: u8,
        admission: &mut Admission,
    ) -> Result<Option<u64>, String> {
        for other in self.devices(incoming, device) {
            let entry = match engine {
                Some(engine) => self.enter(incoming, other, engine),
                None => self.turns.hold(other),
            };
            if other == device {
                admission.here = entry
            } else {
                admission.others.push(entry)
            }
            if let Restored::NoRoom { missing_bytes } = self.bring_memory(incoming, other, entry)? {
                return Ok(Some(missing_bytes));
            }
        }
        Ok(None)
    }

    /// Ends the admission of an executed command.
    pub fn finish_admission(&mut self, admission: Admission) {
        let objects = &self.objects;
        for entry in admission.entries() {
            self.turns.leave(entry, objects.named_stream(), || {
                objects.stream(objects.named_stream()).ok()
            });
        }
    }

    /// Returns the engine that will execute the command's work. Returns `None` if the command is
    /// not work, or if the work waits for a graph's launch.
    fn engine_now(&self, incoming: &Incoming<'_>) -> Option<Engine> {
        let engine = effect(incoming.op()).engine?;
        if self.graphs.is_capturing() {
            let (_, stream) = describe(&self.objects, incoming)?;
            return matches!(self.capturing(stream), Ok(None)).then_some(engine);
        }
        Some(engine)
    }

    fn enter(&mut self, incoming: &Incoming<'_>, device: u8, engine: Engine) -> Entry {
        let Worker { turns, objects, .. } = self;
        turns.enter(
            device,
            engine,
            || Work::of(incoming.op(), incoming.body()),
            |stream| objects.stream(stream).ok(),
        )
    }

    /// Returns the devices whose memory the command may use, in ascending order. All sessions wait
    /// for turns in this order, so that they do not deadlock. A graph may have nodes on any device.
    fn devices(&self, incoming: &Incoming<'_>, here: u8) -> Vec<u8> {
        let op = incoming.op();
        let of = |context: u64| self.turns.device_of(self.objects.context(context).ok()?);
        let mut devices: Vec<u8> = match effects::contexts(op, incoming.body()) {
            Some(contexts) => contexts.into_iter().filter_map(of).collect(),
            None if effect(op).names_graph => self.memory.devices_in_use(),
            None => Vec::new(),
        };
        devices.retain(|device| *device != here && self.turns.context_of(*device).is_some());
        devices.push(here);
        devices.sort_unstable();
        devices.dedup();
        devices
    }

    /// Makes movable memory resident before a command that may use it is executed.
    fn bring_memory(
        &mut self,
        incoming: &Incoming<'_>,
        device: u8,
        entry: Entry,
    ) -> Result<Restored, String> {
        let nothing = Ok(Restored::InPlace(Duration::ZERO));
        let Some(residency) =
            self.memory.residency(device).filter(|_| !matches!(entry, Entry::None))
        else {
            return nothing;
        };
        let Some((current, here)) = self.turns.place() else { return nothing };
        let restored = if device == here {
            residency.restore(current)?
        } else {
            let Some(context) = self.turns.context_of(device) else { return nothing };
            self.make_current(context);
            let restored = residency.restore(context);
            self.make_current(current);
            restored?
        };
        let Restored::InPlace(took) = restored else { return Ok(restored) };
        if effect(incoming.op()).watches {
            residency.pin();
        }
        if !took.is_zero() {
            let objects = &self.objects;
            self.turns.note_move(device, entry, || Some(describe(objects, incoming)?.1), took);
        }
        Ok(restored)
    }

    fn make_current(&self, context: CUcontext) {
        // SAFETY: the context is the session's own.
        let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
    }

    /// Prepares the node's limit on kernel time for a launch, if the command is one.
    pub fn begin_launch(
        &mut self,
        incoming: &Incoming<'_>,
        admission: &Admission,
    ) -> Option<PendingLaunch> {
        if !self.kernel_limit.is_set() {
            return None;
        }
        if !effect(incoming.op()).launches || !admission.here.is_work() {
            self.kernel_limit.pass();
            return None;
        }
        let (_, stream) = describe(&self.objects, incoming)?;
        self.kernel_limit.begin(self.context().ok()?, stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_without_room_waits_for_as_long_as_others_use_the_gpu() {
        let waiting = || Patience {
            since: Instant::now() - ROOM_WAIT,
            pause: Duration::ZERO,
            missing_bytes: 100,
        };
        assert!(waiting().wait(100, true).is_ok(), "another session wants the GPU");
        assert!(waiting().wait(99, false).is_ok(), "room was made");
        assert!(waiting().wait(100, false).unwrap_err().contains("100 bytes"));
    }
}

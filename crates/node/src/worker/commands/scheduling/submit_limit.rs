//! Limits the work in the driver. After blocked work, NVIDIA's driver accepts about a thousand
//! pieces of work, and only one launch of some graphs with host functions. A further call blocks
//! until there is room, and so does every other call in the context, even a query of an event.
//! Calls that create or destroy modules, graphs and streams sometimes block too, until the context
//! has completed all its work.
//!
//! When a host function exchanges memory, the worker makes such queries: what has been copied to
//! the host by now, and what managed memory contains. After work that waits for that very function,
//! they would deadlock. So the command thread waits before the driver would, and outside the
//! driver.

use crate::worker::driver::staging::Mark;
use crate::worker::io::frame::{Incoming, Refusal};
use crate::worker::scheduling::submit_limit::{Key, Until};
use crate::worker::state::Worker;
use outhaul_abi::types::CUstream;
use outhaul_wire::codec::Message;
use outhaul_wire::effects::{self, effect};
use outhaul_wire::messages::GraphLaunch;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_micros(50);
/// Maximum wait. Afterwards the driver gets the work anyway, because the streams may wait for a
/// later command.
const WAIT_MAX: Duration = Duration::from_secs(10);

impl Worker {
    /// Counts the command as work in progress, and blocks until there is room for it.
    pub fn find_room(&mut self, incoming: &Incoming<'_>) {
        let (op, body) = (incoming.op(), incoming.body());
        let calls_back = effects::calls_back(op, body);
        self.room.calls_back |= calls_back;
        if !self.room.calls_back {
            return;
        }
        if calls_back {
            // The driver frees pinned memory only after all work that the context has when freeing
            // starts.
            self.segments.closing.wait_within(WAIT_MAX);
            self.room.freeing.wait_within(WAIT_MAX);
        }
        if effect(op).drains {
            self.wait_for_calls();
        }
        let Some(stream) = effects::stream(op, body).filter(|_| effect(op).queued) else { return };
        self.mark_full(stream);
        // A graph with host functions may block in the driver after any work in progress.
        self.wait_until(if op == GraphLaunch::OP && calls_back {
            Until::Empty
        } else {
            Until::Room
        });
        self.room.count((self.current, stream), calls_back);
    }

    /// Waits before a call that blocks in the driver until all its work is done, such as destroying
    /// an array or a module. The call would deadlock after a host function that needs the driver.
    pub fn wait_for_calls(&mut self) {
        if self.room.calls_back {
            self.wait_until(Until::NoCalls);
        }
    }

    /// Does the same as `wait_for_calls` for a call that another thread makes. Always waits,
    /// because later commands may give a host function a reason to query the driver.
    pub fn wait_for_all_calls(&mut self) {
        let since = Instant::now();
        while !self.calls_have_ended() && since.elapsed() < WAIT_MAX {
            std::thread::sleep(PAUSE);
        }
    }

    /// Returns whether all work that calls the program has ended. Does not wait.
    pub fn calls_have_ended(&mut self) -> bool {
        if self.room.calls_back {
            self.mark_all();
            let Worker { room, driver, .. } = self;
            room.forget_passed(driver);
        }
        self.room.has(Until::NoCalls)
    }

    /// Notes that a function is about to be launched. Before the function's first launch, waits as
    /// `wait_for_calls` does.
    pub fn note_launch(&mut self, function: u64) {
        if self.room.calls_back && self.room.launched.insert(function) {
            self.wait_for_calls();
        }
    }

    /// Forgets which functions were launched, because their numbers may be reused when a module is
    /// unloaded.
    pub fn forget_launches(&mut self) {
        self.room.launched.clear();
    }

    /// Records a mark after the stream's work so far, because a capturing stream accepts no mark.
    pub fn mark_before_capture(&mut self, stream: u64) {
        if self.room.is_unmarked((self.current, stream)) {
            self.mark((self.current, stream));
        }
    }

    /// Notes that a stream is about to be destroyed. Its work continues, although its handle may be
    /// reused.
    pub fn leave_stream(&mut self, stream: u64) {
        self.mark_before_capture(stream);
        if self.room.leave_stream((self.current, stream)) {
            // Otherwise short-lived streams would leave more and more work to track.
            let Worker { room, driver, .. } = self;
            room.forget_passed(driver);
        }
    }

    fn wait_until(&mut self, until: Until) {
        let since = Instant::now();
        while !self.has_come(until) && since.elapsed() < WAIT_MAX {
            self.mark_all();
            std::thread::sleep(PAUSE);
            let Worker { room, driver, .. } = self;
            room.forget_passed(driver);
        }
    }

    /// Returns whether the wait may end: the condition holds, or no host function would query the
    /// driver.
    fn has_come(&self, until: Until) -> bool {
        if self.room.has(until) {
            return true;
        }
        if self.managed.asks_driver() {
            // If memory may move, exchanges of managed memory are commands, and a wait in this
            // thread would block them.
            return self.moves_memory();
        }
        self.carrier.deliveries.is_idle()
    }

    /// Records a mark after the stream's work if a mark is due.
    fn mark_full(&mut self, stream: u64) {
        if self.room.is_due((self.current, stream)) {
            self.mark((self.current, stream));
            let Worker { room, driver, .. } = self;
            room.forget_passed(driver);
        }
    }

    /// Records marks after all work in progress, in every context.
    fn mark_all(&mut self) {
        let here = self.current;
        for key in self.room.unmarked() {
            self.enter_context(key.0);
            self.mark(key);
        }
        self.enter_context(here);
    }

    /// Records a mark. If that fails, the work no longer counts, because captured work is not in
    /// progress and a destroyed stream blocks no call.
    fn mark(&mut self, key: Key) {
        let raw = self.objects.stream(key.1);
        let marked = raw.is_ok_and(|raw| {
            self.mark_after(raw).is_ok_and(|mark| self.room.enter_mark(key, mark))
        });
        if !marked {
            self.room.forget_unmarked(key);
        }
    }

    /// Records a mark. Returns `None` if the stream captures.
    fn mark_after(&self, stream: CUstream) -> Result<Option<Arc<Mark>>, Refusal> {
        if self.capturing(stream)?.is_some() {
            return Ok(None);
        }
        Ok(Some(Mark::after(&self.carrier.staging, self.context()?, stream)?))
    }
}

//! Streams: queues with CUDA's rules about the default stream and about faults, or captures into
//! which operations go instead.
//!
//! An operation of the legacy default stream waits for all earlier work of the blocking streams
//! of its context, and their later work waits for it. Every submission of a context takes one
//! lock, so operations wait only for earlier ones and no circle can form.

use outhaul_lock::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

use super::capture::{self, Capture};
use super::context::Context;
use super::error::{Error, Result};
use super::event::{Event, Last};
use super::lock;
use super::queue::{Operation, Queue, Ticket, WAITING_MAX, Work};
use super::state;
use super::task::Task;

/// `CU_STREAM_NON_BLOCKING`.
pub const NON_BLOCKING: u32 = 1;
pub const PRIORITY_LEAST: i32 = 0;
pub const PRIORITY_GREATEST: i32 = -5;

/// Kernels that an H100 took behind a host function; the next launch waited in its call.
const NVIDIAS_WAITING_MAX: usize = 1021;

/// Short work is done by the submitter when nothing is ahead of it, because waking a thread would
/// take longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Short,
    Long,
}

/// When the call that submits a task may return to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    AtOnce(Length),
    /// The program may reuse what the task reads.
    OnceRead(Length),
    OnceDone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Legacy,
    Blocking,
    Independent,
}

pub struct Stream {
    /// 0 for the default streams, which have no handle of their own.
    pub handle: u64,
    pub id: u64,
    pub flags: u32,
    pub priority: i32,
    /// The handle of the green context that it was made in, or 0.
    pub green: u64,
    role: Role,
    queue: Arc<Queue>,
    context: std::sync::Weak<Context>,
    /// The capture that it takes or took part in.
    capture: Mutex<Option<Arc<Capture>>>,
}

static LAST_ID: AtomicU64 = AtomicU64::new(0);

impl Stream {
    pub fn legacy(context: std::sync::Weak<Context>) -> Stream {
        Stream::with_role(context, 0, 0, 0, Role::Legacy)
    }

    pub fn created(
        context: std::sync::Weak<Context>,
        handle: u64,
        flags: u32,
        priority: i32,
    ) -> Stream {
        let role = if flags & NON_BLOCKING != 0 { Role::Independent } else { Role::Blocking };
        Stream::with_role(
            context,
            handle,
            flags,
            priority.clamp(PRIORITY_GREATEST, PRIORITY_LEAST),
            role,
        )
    }

    fn with_role(
        context: std::sync::Weak<Context>,
        handle: u64,
        flags: u32,
        priority: i32,
        role: Role,
    ) -> Stream {
        let id = LAST_ID.fetch_add(1, Ordering::Relaxed) + 1;
        Stream {
            handle,
            id,
            flags,
            priority,
            green: 0,
            role,
            queue: Arc::default(),
            context,
            capture: Mutex::default(),
        }
    }

    pub fn of_green(mut self, green: u64) -> Stream {
        self.green = green;
        self
    }

    pub fn context(&self) -> Result<Arc<Context>> {
        self.context.upgrade().ok_or(Error::ContextIsDestroyed)
    }

    /// Does a task in its place in the stream, or makes it a node of the graph that the stream is
    /// captured into.
    pub fn submit(&self, task: Task, returns: Returns) -> Result<()> {
        let Some(task) = self.capture_or_return(task)? else { return Ok(()) };
        match returns {
            Returns::AtOnce(length) => {
                self.submit_once(length, move |_| task.run(&mut VecDeque::new())).map(drop)
            }
            Returns::OnceRead(length) => {
                let (task, bytes) = task.staged();
                self.submit_once(length, move |_| {
                    let done = task.run(&mut VecDeque::new());
                    drop(bytes);
                    done
                })
                .map(drop)
            }
            Returns::OnceDone => self.complete(move || task.run(&mut VecDeque::new())),
        }
    }

    /// The one place where captures take operations away: a task that comes back is to be queued.
    pub fn capture_or_return(&self, task: Task) -> Result<Option<Task>> {
        match self.usable_capture()? {
            Some(capture) => capture.add(self, task).map(|()| None),
            None => Ok(Some(task)),
        }
    }

    /// Queues work that no graph can hold, and that is skipped once the context has faulted. A
    /// failure of the work is a fault of the context.
    pub fn submit_once(
        &self,
        length: Length,
        work: impl FnOnce(&Context) -> Result<()> + Send + 'static,
    ) -> Result<Ticket> {
        self.refuse_capture()?;
        let context = self.context()?;
        let held = Arc::clone(&context);
        self.place(&context, length, Box::new(move || held.run_guarded(work)))
    }

    /// Queues work that must happen even after a fault: an event completing, memory given back.
    pub fn submit_always(
        &self,
        length: Length,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<Ticket> {
        self.refuse_capture()?;
        self.place(&*self.context()?, length, Box::new(work))
    }

    /// Later work waits for an event; `external`: for the event as it is at each launch, rather
    /// than as a part of the capture.
    pub fn wait_event(&self, event: &Arc<Event>, external: bool) -> Result<()> {
        let capture = self.usable_capture()?;
        if external {
            let capture = capture.ok_or(Error::InvalidValue)?;
            return capture.add(self, Task::EventWait(Arc::clone(event)));
        }
        match (event.state(), capture) {
            (None, _) => Ok(()),
            // Seen on an H100: nothing enters the stream then, which so does not wait for the
            // legacy stream.
            (Some(Last::Recorded(record)), None)
                if state::is_like_nvidias() && record.is_reached() =>
            {
                Ok(())
            }
            (Some(Last::Recorded(record)), None) => {
                self.submit_always(Length::Long, move || record.wait()).map(drop)
            }
            (Some(Last::Recorded(_)), Some(capture)) => {
                capture.invalidate();
                Err(Error::StreamCaptureIsolation)
            }
            (Some(Last::Captured(other, _)), Some(capture)) if !Arc::ptr_eq(&capture, &other) => {
                capture.invalidate();
                other.invalidate();
                Err(Error::StreamCaptureMerge)
            }
            (Some(Last::Captured(capture, tips)), _) => capture.join(self, &tips),
        }
    }

    /// Does work in its place in the stream and returns when it is done. An error of the work is
    /// the caller's alone.
    pub fn complete<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let context = self.context()?;
        context.check()?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let held = Arc::clone(&context);
        let work: Work = Box::new(move || {
            // The receiver is below; it cannot be gone.
            let _ = sender.send(held.check().and_then(|()| work()));
        });
        let order = lock(&context.order);
        let after = self.implicit_waits(&context);
        match self.queue.claim() {
            Some(_) => {
                drop(order);
                self.queue.run_claimed(Operation { after, work });
            }
            None => {
                let ticket = self.queue.push(Operation { after, work })?;
                drop(order);
                ticket.wait();
            }
        }
        receiver.recv().unwrap_or(Err(Error::LaunchFailed))
    }

    /// Waits for everything submitted so far, default-stream rules included.
    pub fn synchronize(&self) -> Result<()> {
        self.check_wait()?;
        let context = self.context()?;
        for ticket in self.pending(&context) {
            ticket.wait();
        }
        context.check()
    }

    pub fn query(&self) -> Result<()> {
        self.check_wait()?;
        let context = self.context()?;
        context.check()?;
        // What a stream that blocks has been given waits for the legacy stream itself; one with
        // nothing in it is done.
        let pending = if self.is_legacy() {
            self.pending(&context)
        } else {
            self.queue.tail().into_iter().collect()
        };
        if pending.iter().all(Ticket::is_done) { Ok(()) } else { Err(Error::NotReady) }
    }

    /// Nothing stands in it, whatever the next operation would have to wait for.
    pub fn is_empty(&self) -> bool {
        self.queue.tail().is_none()
    }

    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    pub fn is_blocking(&self) -> bool {
        self.role == Role::Blocking
    }

    pub fn is_legacy(&self) -> bool {
        self.role == Role::Legacy
    }

    /// The capture that it takes part in, valid or not.
    pub fn capture(&self) -> Option<Arc<Capture>> {
        lock(&self.capture).clone().filter(|capture| !capture.is_ended())
    }

    pub fn set_capture(&self, capture: &Arc<Capture>) {
        *lock(&self.capture) = Some(Arc::clone(capture));
    }

    /// The capture that the next operation goes into, if it is still valid, and after the rule that
    /// nothing may go into the legacy stream while a stream is captured that it would wait for.
    pub fn usable_capture(&self) -> Result<Option<Arc<Capture>>> {
        if self.role == Role::Legacy {
            capture::check_legacy(&*self.context()?)?;
        }
        let capture = self.capture();
        capture.as_ref().map_or(Ok(()), |capture| capture.check())?;
        Ok(capture)
    }

    /// For operations that have no place in a graph.
    pub fn refuse_capture(&self) -> Result<()> {
        match self.usable_capture()? {
            None => Ok(()),
            Some(capture) => {
                capture.invalidate();
                Err(Error::StreamCaptureUnsupported)
            }
        }
    }

    /// For calls that wait for the stream, or ask how far it is.
    pub fn check_wait(&self) -> Result<()> {
        self.refuse_capture()?;
        capture::check_thread()
    }

    pub fn close(&self) {
        self.queue.close();
    }

    fn place(&self, context: &Context, length: Length, work: Work) -> Result<Ticket> {
        // Before the lock, so that the other streams of the context go on.
        self.wait_for_room(context);
        let order = lock(&context.order);
        let after = self.implicit_waits(context);
        if length == Length::Short
            && after.is_empty()
            && let Some(ticket) = self.queue.claim()
        {
            drop(order);
            self.queue.run_claimed(Operation { after, work });
            return Ok(ticket);
        }
        self.queue.push(Operation { after, work })
    }

    fn wait_for_room(&self, context: &Context) {
        if !state::is_like_nvidias() {
            self.queue.wait_for_room(WAITING_MAX);
        } else if !self.queue.has_room(NVIDIAS_WAITING_MAX) {
            context.hold_up(|| self.queue.wait_for_room(NVIDIAS_WAITING_MAX));
        }
    }

    fn pending(&self, context: &Context) -> Vec<Ticket> {
        let _order = lock(&context.order);
        let mut tickets = self.implicit_waits(context);
        tickets.extend(self.queue.tail());
        tickets
    }

    /// What the default-stream rules make the next operation wait for. The caller holds `order`.
    fn implicit_waits(&self, context: &Context) -> Vec<Ticket> {
        let mut waits = match self.role {
            Role::Independent => Vec::new(),
            Role::Blocking => context.legacy.queue().tail().into_iter().collect(),
            Role::Legacy => context.blocking_tails(),
        };
        waits.extend(context.gates());
        waits
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let (Some(capture), Some(driver)) = (self.capture(), state::started()) {
            capture.abandon(driver, self);
        }
        self.queue.close();
    }
}

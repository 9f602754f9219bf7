//! Streams: queues with CUDA's rules for the default stream and for faults. A captured stream adds
//! its operations to a graph instead.
//!
//! An operation of the legacy default stream waits for all earlier work of its context's blocking
//! streams, and their later work waits for that operation. Every submission in a context takes one
//! lock. Therefore, operations wait only for earlier ones, and no cycle can form.

use outhaul_lock::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

use crate::driver::lock;
use crate::driver::objects::streams::capture;
use crate::driver::objects::streams::capture::Capture;
use crate::driver::objects::streams::context::Context;
use crate::driver::objects::streams::queue::{Operation, Queue, Ticket, WAITING_MAX, Work};
use crate::driver::system::error::{Error, Result};

/// The flag `CU_STREAM_NON_BLOCKING`.
pub const NON_BLOCKING: u32 = 1;
/// The lowest priority.
pub const PRIORITY_LEAST: i32 = 0;
/// The highest priority.
pub const PRIORITY_GREATEST: i32 = -5;

/// Number of kernels that an H100 accepted after a host function. The next launch call blocked.
const NVIDIAS_WAITING_MAX: usize = 1021;

/// Expected duration of work. If the queue is empty, the submitter runs short work itself, because
/// waking a thread would take longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Short,
    Long,
}

/// The moment when a call that submits a task may return to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    AtOnce(Length),
    /// The call returns when the program may reuse the memory that the task reads.
    OnceRead(Length),
    OnceDone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Legacy,
    Blocking,
    Independent,
}

/// A `CUstream`.
pub struct Stream {
    /// The stream's handle, or 0 for default streams, which have no handle of their own.
    pub handle: u64,
    /// Identifier that is unique within the process.
    pub id: u64,
    /// The stream's flags.
    pub flags: u32,
    /// The stream's priority.
    pub priority: i32,
    /// Handle of the green context in which the stream was created, or 0.
    pub green: u64,
    role: Role,
    queue: Arc<Queue>,
    context: std::sync::Weak<Context>,
    /// The capture in which the stream participates or has participated.
    capture: Mutex<Option<Arc<Capture>>>,
}

static LAST_ID: AtomicU64 = AtomicU64::new(0);

impl Stream {
    /// Returns a context's legacy default stream.
    pub fn legacy(context: std::sync::Weak<Context>) -> Stream {
        Stream::with_role(context, 0, 0, 0, Role::Legacy)
    }

    /// Creates a stream.
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

    /// Returns the stream with its green context's handle set.
    pub fn of_green(mut self, green: u64) -> Stream {
        self.green = green;
        self
    }

    /// Returns the stream's context, if it is alive.
    pub fn context(&self) -> Result<Arc<Context>> {
        self.context.upgrade().ok_or(Error::ContextIsDestroyed)
    }

    /// Enqueues work that no graph can hold and that is skipped if the context has a fault. A
    /// failure of the work becomes the context's fault.
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

    /// Enqueues work that must run even after a fault, such as completing an event or freeing
    /// memory.
    pub fn submit_always(
        &self,
        length: Length,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<Ticket> {
        self.refuse_capture()?;
        self.place(&*self.context()?, length, Box::new(work))
    }

    /// Runs work in stream order and returns when the work is done. An error of the work affects
    /// only the caller.
    pub fn complete<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let context = self.context()?;
        context.check()?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let held = Arc::clone(&context);
        let work: Work = Box::new(move || {
            // The receiver still exists, because this function waits for it below.
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

    /// Waits for all work submitted so far, including work that the default-stream rules add.
    pub fn synchronize(&self) -> Result<()> {
        self.check_wait()?;
        let context = self.context()?;
        for ticket in self.pending(&context) {
            ticket.wait();
        }
        context.check()
    }

    /// Fails with `NotReady` unless all submitted work is done.
    pub fn query(&self) -> Result<()> {
        self.check_wait()?;
        let context = self.context()?;
        context.check()?;
        // A blocking stream's own work waits for the legacy stream, so a blocking stream without
        // work is done.
        let pending = if self.is_legacy() {
            self.pending(&context)
        } else {
            self.queue.tail().into_iter().collect()
        };
        if pending.iter().all(Ticket::is_done) { Ok(()) } else { Err(Error::NotReady) }
    }

    /// Returns whether the queue is empty, regardless of the waits that the next operation would
    /// have.
    pub fn is_empty(&self) -> bool {
        self.queue.tail().is_none()
    }

    /// Returns the stream's queue.
    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    /// Returns whether the stream synchronises with the legacy default stream.
    pub fn is_blocking(&self) -> bool {
        self.role == Role::Blocking
    }

    /// Returns whether this is the legacy default stream.
    pub fn is_legacy(&self) -> bool {
        self.role == Role::Legacy
    }

    /// Returns the capture in which the stream participates, valid or not.
    pub fn capture(&self) -> Option<Arc<Capture>> {
        lock(&self.capture).clone().filter(|capture| !capture.is_ended())
    }

    /// Makes the stream participate in a capture.
    pub fn set_capture(&self, capture: &Arc<Capture>) {
        *lock(&self.capture) = Some(Arc::clone(capture));
    }

    /// Returns the capture to which the next operation belongs. Fails if the capture is invalid.
    /// Also fails for the legacy stream while a stream that the legacy stream would wait for is
    /// captured.
    pub fn usable_capture(&self) -> Result<Option<Arc<Capture>>> {
        if self.role == Role::Legacy {
            capture::check_legacy(self.context()?.handle)?;
        }
        let capture = self.capture();
        capture.as_ref().map_or(Ok(()), |capture| capture.check())?;
        Ok(capture)
    }

    /// Fails if the stream is captured. Used for operations that a graph cannot hold.
    pub fn refuse_capture(&self) -> Result<()> {
        match self.usable_capture()? {
            None => Ok(()),
            Some(capture) => {
                capture.invalidate();
                Err(Error::StreamCaptureUnsupported)
            }
        }
    }

    /// Checks a call that waits for the stream or queries it.
    pub fn check_wait(&self) -> Result<()> {
        self.refuse_capture()?;
        capture::check_thread()
    }

    /// Lets the queue end when its work is done.
    pub fn close(&self) {
        self.queue.close();
    }

    fn place(&self, context: &Context, length: Length, work: Work) -> Result<Ticket> {
        // The wait precedes the lock, so that the context's other streams can continue.
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
        if !context.is_like_nvidias {
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

    /// Returns the tickets that the next operation must wait for by the default-stream rules. The
    /// caller holds `order`.
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
        if let Some(capture) = self.capture() {
            capture.abandon(self.id);
        }
        self.queue.close();
    }
}

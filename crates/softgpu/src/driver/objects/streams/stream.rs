//! Streams: queues with CUDA's rules about the default stream and about faults. A stream that is
//! captured adds its operations to a graph instead.
//!
//! An operation of the legacy default stream waits for all earlier work of its context's blocking
//! streams. Their later work waits for it. Every submission of a context takes one lock. So
//! operations wait only for earlier ones, and no cycle can form.

use outhaul_lock::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

use crate::driver::lock;
use crate::driver::objects::streams::capture;
use crate::driver::objects::streams::capture::Capture;
use crate::driver::objects::streams::context::Context;
use crate::driver::objects::streams::queue::{Operation, Queue, Ticket, WAITING_MAX, Work};
use crate::driver::system::error::{Error, Result};

/// Flag `CU_STREAM_NON_BLOCKING`.
pub const NON_BLOCKING: u32 = 1;
/// Lowest priority.
pub const PRIORITY_LEAST: i32 = 0;
/// Highest priority.
pub const PRIORITY_GREATEST: i32 = -5;

/// Number of kernels that an H100 accepted after a host function. The next launch waited in its
/// call.
const NVIDIAS_WAITING_MAX: usize = 1021;

/// Expected duration of work. The submitter runs short work itself if the queue is empty, because
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
    /// Once the program may reuse the memory that the task reads.
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
    /// Handle, or 0 for the default streams, which have none of their own.
    pub handle: u64,
    /// Identifier, which is unique in the process.
    pub id: u64,
    /// Flags.
    pub flags: u32,
    /// Priority.
    pub priority: i32,
    /// Handle of the green context in which it was created, or 0.
    pub green: u64,
    role: Role,
    queue: Arc<Queue>,
    context: std::sync::Weak<Context>,
    /// The capture in which it takes or took part.
    capture: Mutex<Option<Arc<Capture>>>,
}

static LAST_ID: AtomicU64 = AtomicU64::new(0);

impl Stream {
    /// Returns the legacy default stream of a context.
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

    /// Returns the stream with the handle of its green context.
    pub fn of_green(mut self, green: u64) -> Stream {
        self.green = green;
        self
    }

    /// Returns the context, if it is alive.
    pub fn context(&self) -> Result<Arc<Context>> {
        self.context.upgrade().ok_or(Error::ContextIsDestroyed)
    }

    /// Queues work that no graph can hold and that is skipped once the context has a fault. A
    /// failure of the work becomes a fault of the context.
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

    /// Queues work that must happen even after a fault, such as completing an event or freeing
    /// memory.
    pub fn submit_always(
        &self,
        length: Length,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<Ticket> {
        self.refuse_capture()?;
        self.place(&*self.context()?, length, Box::new(work))
    }

    /// Runs work in stream order and returns when it is done. An error of the work concerns only
    /// the caller.
    pub fn complete<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let context = self.context()?;
        context.check()?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let held = Arc::clone(&context);
        let work: Work = Box::new(move || {
            // The receiver is below, so it still exists.
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

    /// Waits for everything submitted so far, including work that the default-stream rules name.
    pub fn synchronize(&self) -> Result<()> {
        self.check_wait()?;
        let context = self.context()?;
        for ticket in self.pending(&context) {
            ticket.wait();
        }
        context.check()
    }

    /// Returns whether all submitted work is done, as an error if not.
    pub fn query(&self) -> Result<()> {
        self.check_wait()?;
        let context = self.context()?;
        context.check()?;
        // The work of a blocking stream itself waits for the legacy stream. A blocking stream
        // without work is done.
        let pending = if self.is_legacy() {
            self.pending(&context)
        } else {
            self.queue.tail().into_iter().collect()
        };
        if pending.iter().all(Ticket::is_done) { Ok(()) } else { Err(Error::NotReady) }
    }

    /// Returns whether the queue is empty, whatever the next operation would have to wait for.
    pub fn is_empty(&self) -> bool {
        self.queue.tail().is_none()
    }

    /// Returns the queue.
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

    /// Returns the capture in which it takes part, valid or not.
    pub fn capture(&self) -> Option<Arc<Capture>> {
        lock(&self.capture).clone().filter(|capture| !capture.is_ended())
    }

    /// Makes the stream take part in a capture.
    pub fn set_capture(&self, capture: &Arc<Capture>) {
        *lock(&self.capture) = Some(Arc::clone(capture));
    }

    /// Returns the capture to which the next operation belongs. Fails if the capture is invalid.
    /// Also fails for the legacy stream while a stream that it would wait for is captured.
    pub fn usable_capture(&self) -> Result<Option<Arc<Capture>>> {
        if self.role == Role::Legacy {
            capture::check_legacy(self.context()?.handle)?;
        }
        let capture = self.capture();
        capture.as_ref().map_or(Ok(()), |capture| capture.check())?;
        Ok(capture)
    }

    /// Fails if the stream is captured, for operations that a graph cannot hold.
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

    /// Lets the queue end once its work is done.
    pub fn close(&self) {
        self.queue.close();
    }

    fn place(&self, context: &Context, length: Length, work: Work) -> Result<Ticket> {
        // This precedes the lock, so that the other streams of the context can continue.
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

    /// Returns the tickets for which the default-stream rules make the next operation wait. The
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

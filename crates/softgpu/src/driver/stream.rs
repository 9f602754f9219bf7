//! Streams: queues with CUDA's rules about the default stream and about faults.
//!
//! An operation of the legacy default stream waits for all earlier work of the blocking streams
//! of its context, and their later work waits for it. Every submission of a context takes one
//! lock, so operations wait only for earlier ones and no circle can form.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use super::context::Context;
use super::error::{Error, Result};
use super::lock;
use super::queue::{Operation, Queue, Ticket, Work};

/// `CU_STREAM_NON_BLOCKING`.
pub const NON_BLOCKING: u32 = 1;
pub const PRIORITY_LEAST: i32 = 0;
pub const PRIORITY_GREATEST: i32 = -5;

/// Short work is done by the submitter when nothing is ahead of it, because waking a thread would
/// take longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Short,
    Long,
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
    role: Role,
    queue: Arc<Queue>,
    context: std::sync::Weak<Context>,
}

static LAST_ID: AtomicU64 = AtomicU64::new(0);

impl Stream {
    pub fn legacy(context: std::sync::Weak<Context>) -> Stream {
        Stream::with_role(context, 0, 0, 0, Role::Legacy)
    }

    pub fn created(context: std::sync::Weak<Context>, handle: u64, flags: u32, priority: i32) -> Stream {
        let role = if flags & NON_BLOCKING != 0 { Role::Independent } else { Role::Blocking };
        Stream::with_role(context, handle, flags, priority.clamp(PRIORITY_GREATEST, PRIORITY_LEAST), role)
    }

    fn with_role(context: std::sync::Weak<Context>, handle: u64, flags: u32, priority: i32, role: Role) -> Stream {
        let id = LAST_ID.fetch_add(1, Ordering::Relaxed) + 1;
        Stream { handle, id, flags, priority, role, queue: Arc::default(), context }
    }

    pub fn context(&self) -> Result<Arc<Context>> {
        self.context.upgrade().ok_or(Error::ContextIsDestroyed)
    }

    /// Queues work, which is skipped once the context has faulted. A failure of the work is a
    /// fault of the context.
    pub fn submit(&self, length: Length, work: impl FnOnce(&Context) -> Result<()> + Send + 'static) -> Result<Ticket> {
        let context = self.context()?;
        let held = Arc::clone(&context);
        self.place(&context, length, Box::new(move || held.run_guarded(work)))
    }

    /// Queues work that must happen even after a fault: an event completing, memory given back.
    pub fn submit_always(&self, length: Length, work: impl FnOnce() + Send + 'static) -> Result<Ticket> {
        self.place(&*self.context()?, length, Box::new(work))
    }

    /// Does work in its place in the stream and returns when it is done. An error of the work is
    /// the caller's alone.
    pub fn complete<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
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
        let context = self.context()?;
        for ticket in self.pending(&context) {
            ticket.wait();
        }
        context.check()
    }

    pub fn query(&self) -> Result<()> {
        let context = self.context()?;
        context.check()?;
        if self.pending(&context).iter().all(Ticket::is_done) { Ok(()) } else { Err(Error::NotReady) }
    }

    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    pub fn is_blocking(&self) -> bool {
        self.role == Role::Blocking
    }

    pub fn close(&self) {
        self.queue.close();
    }

    fn place(&self, context: &Context, length: Length, work: Work) -> Result<Ticket> {
        // Before the lock, so that the other streams of the context go on.
        self.queue.wait_for_room();
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

    fn pending(&self, context: &Context) -> Vec<Ticket> {
        let _order = lock(&context.order);
        let mut tickets = self.implicit_waits(context);
        tickets.extend(self.queue.tail());
        tickets
    }

    /// What the default-stream rules make the next operation wait for. The caller holds `order`.
    fn implicit_waits(&self, context: &Context) -> Vec<Ticket> {
        match self.role {
            Role::Independent => Vec::new(),
            Role::Blocking => context.legacy.queue().tail().into_iter().collect(),
            Role::Legacy => context.blocking_tails(),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.queue.close();
    }
}

//! Submission of commands to a stream: the post, and the steps before and after it. The steps
//! depend on the command's effect, which `#[does]` in spec/cuda declares.

use crate::driver::managed::sync_around_work;
use crate::objects::context_stack;
use crate::objects::streams::event::Event;
use crate::objects::streams::stream::Stream;
use crate::session::Target;
use crate::session::outbox::Payload;
use outhaul_abi::types::CUresult;
use outhaul_wire::codec::Message;
use outhaul_wire::effect::{Effect, Engine};
use outhaul_wire::effects::effect;
use outhaul_wire::messages::{EventRecord, LaunchKernel, StreamWaitEvent};
use std::sync::Arc;

/// Submits a command to its stream. Returns the frame's sequence number. Fails with an error that
/// an earlier post left.
pub fn submit<'a, M: Message<'a>>(stream: &Arc<Stream>, message: &M) -> Result<u64, CUresult> {
    before(const { effect(M::OP) }, stream);
    let sequence = stream.target.post_payload(message, Payload::None)?;
    after(const { effect(M::OP) }, stream, sequence);
    Ok(sequence)
}

/// Submits a command as `submit` does, but in the calling thread's context rather than the
/// stream's.
pub fn submit_here<'a, M: Message<'a>>(stream: &Arc<Stream>, message: &M) -> Result<u64, CUresult> {
    before(const { effect(M::OP) }, stream);
    let sequence = context_stack::target()?.post_payload(message, Payload::None)?;
    after(const { effect(M::OP) }, stream, sequence);
    Ok(sequence)
}

/// Submits a kernel in the calling thread's context. Of managed memory attached to other streams or
/// to the program, the kernel uses only what its parameters point to.
pub fn submit_kernel(stream: &Arc<Stream>, kernel: &LaunchKernel<'_>) -> Result<u64, CUresult> {
    sync_around_work::before_kernel(stream, kernel.params);
    let sequence = context_stack::target()?.post_payload(kernel, Payload::None)?;
    after(const { effect(LaunchKernel::OP) }, stream, sequence);
    Ok(sequence)
}

/// Submits the record of an event, and remembers it. If two threads record the event, the later
/// post counts. A thread that queries the event meanwhile waits for both.
pub fn submit_record(
    event: &Event,
    stream: &Arc<Stream>,
    record: &EventRecord,
) -> Result<(), CUresult> {
    // This step may wait for threads that query the event, so it comes before the event is locked.
    before(const { effect(EventRecord::OP) }, stream);
    let sequence =
        event.remember_record(stream, || stream.target.post_payload(record, Payload::None))?;
    after(const { effect(EventRecord::OP) }, stream, sequence);
    Ok(())
}

/// Submits a wait for an event. The node accepts the wait during a capture, so no barrier follows.
pub fn submit_wait(stream: &Arc<Stream>, wait: &StreamWaitEvent) -> Result<u64, CUresult> {
    before(const { effect(StreamWaitEvent::OP) }, stream);
    let Target { session, context } = stream.target;
    session.deferred.check()?;
    let sequence = session.outbox.post(wait, context, Payload::None)?;
    after(const { effect(StreamWaitEvent::OP) }, stream, sequence);
    Ok(sequence)
}

/// Submission of one copy in several pieces. Errors of earlier work are reported before the first
/// piece. Between pieces no error is reported, because the lanes may still use the program's memory
/// for earlier pieces.
pub struct Pieces<'s> {
    stream: &'s Arc<Stream>,
    /// Whether a capture may make the node reject a piece.
    may_be_refused: bool,
}

impl<'s> Pieces<'s> {
    /// Prepares for a copy. Fails with an error that earlier work left.
    pub fn begin(stream: &'s Arc<Stream>) -> Result<Pieces<'s>, CUresult> {
        stream.target.session.deferred.check()?;
        sync_around_work::before_work(stream);
        Ok(Pieces { stream, may_be_refused: false })
    }

    /// Returns the copy's stream.
    pub fn stream(&self) -> &'s Arc<Stream> {
        self.stream
    }

    /// Posts a piece. Returns the frame's sequence number. Fails only if the session is lost.
    pub fn post<'a, M: Message<'a>>(
        &mut self,
        message: &M,
        payload: Payload<'_>,
    ) -> Result<u64, CUresult> {
        let Target { session, context } = self.stream.target;
        let sequence = session.outbox.post(message, context, payload)?;
        after(const { effect(M::OP) }, self.stream, sequence);
        let captures = &session.captures;
        self.may_be_refused |= captures.any() && !captures.accepts(message);
        Ok(sequence)
    }

    /// Finishes the copy. Fails with the error of a rejected piece. Afterwards the lanes do not use
    /// the program's memory.
    pub fn end(self) -> Result<(), CUresult> {
        if self.may_be_refused { self.stream.target.barrier() } else { Ok(()) }
    }
}

/// Returns whether the command itself reads or writes device memory, rather than only marking a
/// point in its stream.
const fn is_work(effect: Effect) -> bool {
    effect.engine.is_some() || effect.accesses
}

fn before(effect: Effect, stream: &Stream) {
    if is_work(effect) {
        sync_around_work::before_work(stream);
    } else {
        sync_around_work::before_mark();
    }
}

fn after(effect: Effect, stream: &Arc<Stream>, sequence: u64) {
    stream.note_posted_as(sequence);
    if effect.joins {
        stream.target.session.note_joined();
    }
    // Copies between host and device do not write to pinned memory that the device reaches.
    let is_copy = matches!(effect.engine, Some(Engine::CopyToDevice | Engine::CopyToHost));
    if is_work(effect) && !is_copy {
        sync_around_work::note_work(stream);
    }
}

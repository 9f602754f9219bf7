//! Submission of commands to a stream: the post, and what must precede and follow it. That follows
//! from the command's effect, which `#[does]` in spec/cuda declares.

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

/// Submits a command to its stream. Returns the frame's number, or an error that an earlier post
/// left.
pub fn submit<'a, M: Message<'a>>(stream: &Arc<Stream>, message: &M) -> Result<u64, CUresult> {
    before(const { effect(M::OP) }, stream);
    let sequence = stream.target.post_payload(message, Payload::None)?;
    after(const { effect(M::OP) }, stream, sequence);
    Ok(sequence)
}

/// Submits as `submit` does, in the calling thread's context instead of the stream's.
pub fn submit_here<'a, M: Message<'a>>(stream: &Arc<Stream>, message: &M) -> Result<u64, CUresult> {
    before(const { effect(M::OP) }, stream);
    let sequence = context_stack::target()?.post_payload(message, Payload::None)?;
    after(const { effect(M::OP) }, stream, sequence);
    Ok(sequence)
}

/// Submits a kernel in the calling thread's context. It uses only the managed memory that its
/// parameters name.
pub fn submit_kernel(stream: &Arc<Stream>, kernel: &LaunchKernel<'_>) -> Result<u64, CUresult> {
    sync_around_work::before_kernel(stream, kernel.params);
    let sequence = context_stack::target()?.post_payload(kernel, Payload::None)?;
    after(const { effect(LaunchKernel::OP) }, stream, sequence);
    Ok(sequence)
}

/// Submits the record of an event, and remembers it. If two threads do so, the later post is
/// remembered, and a thread that asks meanwhile waits for both.
pub fn submit_record(
    event: &Event,
    stream: &Arc<Stream>,
    record: &EventRecord,
) -> Result<(), CUresult> {
    // This may wait for threads that ask about the event, so it comes before the event's lock.
    before(const { effect(EventRecord::OP) }, stream);
    let sequence =
        event.remember_record(stream, || stream.target.post_payload(record, Payload::None))?;
    after(const { effect(EventRecord::OP) }, stream, sequence);
    Ok(())
}

/// Submits a wait that the node accepts although streams capture.
pub fn submit_wait(stream: &Arc<Stream>, wait: &StreamWaitEvent) -> Result<u64, CUresult> {
    before(const { effect(StreamWaitEvent::OP) }, stream);
    let Target { session, context } = stream.target;
    session.deferred.check()?;
    let sequence = session.outbox.post(wait, context, Payload::None)?;
    after(const { effect(StreamWaitEvent::OP) }, stream, sequence);
    Ok(sequence)
}

/// The submission of one copy in several pieces. Errors of earlier work come before the first
/// piece. None comes between two pieces: the lanes may still read or write the program's memory for
/// the earlier ones.
pub struct Pieces<'s> {
    stream: &'s Arc<Stream>,
    /// Whether the node may refuse a piece because of a capture.
    may_be_refused: bool,
}

impl<'s> Pieces<'s> {
    /// Prepares for a copy. Returns an error that earlier work left.
    pub fn begin(stream: &'s Arc<Stream>) -> Result<Pieces<'s>, CUresult> {
        stream.target.session.deferred.check()?;
        sync_around_work::before_work(stream);
        Ok(Pieces { stream, may_be_refused: false })
    }

    /// The copy's stream.
    pub fn stream(&self) -> &'s Arc<Stream> {
        self.stream
    }

    /// Posts a piece. Returns the frame's number. Fails only if the session is lost.
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

    /// Returns the error of a refused piece. The lanes no longer need the program's memory.
    pub fn end(self) -> Result<(), CUresult> {
        if self.may_be_refused { self.stream.target.barrier() } else { Ok(()) }
    }
}

/// Whether the command itself reads or writes device memory, and not only waits for its turn.
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
    // Copies between the two sides do not write to pinned memory that the device reaches.
    let is_copy = matches!(effect.engine, Some(Engine::CopyToDevice | Engine::CopyToHost));
    if is_work(effect) && !is_copy {
        sync_around_work::note_work(stream);
    }
}

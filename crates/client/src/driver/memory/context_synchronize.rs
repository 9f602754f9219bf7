//! Waits for the work of contexts. After a wait, memory that the program freed before can be
//! reused.

use crate::base::epoch;
use crate::driver::managed::sync_after_wait;
use crate::driver::memory::address_lookup::arena;
use crate::driver::memory::free::{release_pooled, unmap};
use crate::driver::state::Driver;
use crate::managed::page_owner::Waited;
use crate::objects::context::Context;
use crate::objects::context_stack;
use crate::objects::memory::pool::Passed;
use crate::objects::streams::stream::Stream;
use outhaul_abi::types::CUresult;
use outhaul_wire::messages::ContextSynchronize;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

fn streams_of(driver: &Driver, context: &Arc<Context>) -> Vec<Arc<Stream>> {
    driver
        .streams
        .all()
        .into_iter()
        .filter(|s| s.context.ptr_eq(&Arc::downgrade(context)))
        .collect()
}

/// Returns the later of two positions: the legacy stream's, and that of the last frame that writes
/// the program's memory. That frame is in no stream, but a wait for the context covers it.
fn last_of_all(context: &Context) -> u64 {
    context.legacy.position().max(context.legacy.target.session.touching())
}

/// Returns whether earlier waits cover all of the context's work, so that its results are in the
/// program's memory.
pub fn is_idle(driver: &Driver, context: &Arc<Context>) -> bool {
    let none_left = context.left_and_passed.load(SeqCst) == context.left_at_work.load(SeqCst);
    none_left
        && context.legacy.is_completed(last_of_all(context))
        && streams_of(driver, context).iter().all(|s| s.is_completed(s.position()))
}

/// Waits for the context's device, and marks all work submitted before as completed.
pub fn synchronize(driver: &Driver, context: &Arc<Context>) -> Result<(), CUresult> {
    synchronize_as(driver, context, false)
}

/// Waits for the context as `synchronize` does, but implicitly. During a capture the function does
/// nothing, because a wait would invalidate the capture. Returns whether it waited.
pub fn synchronize_unless_capturing(
    driver: &Driver,
    context: &Arc<Context>,
) -> Result<bool, CUresult> {
    if driver.captures.any() {
        return Ok(false);
    }
    match synchronize_as(driver, context, true) {
        // The node rejected the wait because a capture has started since the check.
        Err(CUresult::NOT_READY) => Ok(false),
        ended => ended.map(|()| true),
    }
}

fn synchronize_as(
    driver: &Driver,
    context: &Arc<Context>,
    is_implicit: bool,
) -> Result<(), CUresult> {
    let started = epoch::now();
    let streams = streams_of(driver, context);
    let (legacy, brought) = (last_of_all(context), context.session.touching());
    let left = context.left_at_work.load(SeqCst);
    let positions: Vec<_> = streams.iter().map(|s| s.position()).chain([legacy]).collect();
    let posted = context.session.outbox.last();
    let message = ContextSynchronize { is_implicit };
    let ask = || context.target().call(&message).map(|answer| answer.status);
    let waited = Waited::Context(context.index, posted);
    sync_after_wait::wait(context.target(), waited, is_implicit, ask)?.ok()?;
    context.left_and_passed.fetch_max(left, SeqCst);
    context.brought.fetch_max(brought, SeqCst);
    for (stream, position) in streams.iter().chain([&context.legacy]).zip(positions) {
        stream.note_completed(position);
    }
    let mut guard = arena(driver, context.device);
    let pages = guard.wake(context.handle, started);
    let result = unmap(driver, context.device, context.index, pages);
    drop(guard);
    release_pooled(driver, Passed::Context(context.index), started);
    result
}

fn live(driver: &Driver, which: impl Fn(&Context) -> bool) -> impl Iterator<Item = Arc<Context>> {
    let contexts = driver.contexts.all().into_iter();
    contexts.filter(move |context| which(context) && context.is_live(driver))
}

/// Ignores the error of a wait for a context that another thread destroyed meanwhile. Destroying it
/// has waited for its work.
fn unless_ended(
    driver: &Driver,
    context: &Context,
    waited: Result<(), CUresult>,
) -> Result<(), CUresult> {
    match waited {
        Err(CUresult::INVALID_CONTEXT | CUresult::CONTEXT_IS_DESTROYED)
            if !context.is_live(driver) =>
        {
            Ok(())
        }
        waited => waited,
    }
}

/// Waits as `synchronize` does for each live context that `which` accepts.
pub fn synchronize_all(driver: &Driver, which: impl Fn(&Context) -> bool) -> Result<(), CUresult> {
    live(driver, which).try_for_each(|context| {
        let waited = context_stack::within(context.clone(), || synchronize(driver, &context));
        unless_ended(driver, &context, waited)
    })
}

/// Waits as `synchronize_unless_capturing` does for each live context that `which` accepts. Returns
/// false if a capture prevented it.
pub fn synchronize_all_unless_capturing(
    driver: &Driver,
    which: impl Fn(&Context) -> bool,
) -> Result<bool, CUresult> {
    let mut may_go_on = true;
    for context in live(driver, which) {
        let waited = context_stack::within(context.clone(), || {
            synchronize_unless_capturing(driver, &context).map(|waited| may_go_on &= waited)
        });
        unless_ended(driver, &context, waited)?;
        if !may_go_on {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Waits for all contexts before pinned memory, a module or an array is released. The node's driver
/// waits for all work at that point. Natively the program waits there, while Outhaul waits only if
/// host functions synchronize managed memory by commands. Such a command would be queued after the
/// release, which itself waits for the host function: a deadlock.
pub fn synchronize_before_release(driver: &Driver) {
    if driver.managed.takes_turns_by_command() {
        // The object is released even if the work failed.
        let _ = synchronize_all_unless_capturing(driver, |_| true);
    }
}

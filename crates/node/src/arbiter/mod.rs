//! Fair sharing of one GPU: which session may put work on which engine, and for how long. A pure core, told of events and answering with
//! actions; whoever talks to workers keeps the clock. Deliberately absent: memory, which is shared out elsewhere, and any driver call.
#![forbid(unsafe_code)]

mod configuration;
mod event;
mod policy;
mod queue;
mod shares;
pub mod simulator;
mod step;
mod window;

pub use configuration::{
    Configuration, PolicyName, Refusal, SESSIONS_MAX, TENANTS_MAX, Tenant, WHOLE_BASIS_POINTS,
};
pub use event::{Action, Engine, Event, GRACE_NS, SessionId, TenantId, Term, UNUSED_NS_MAX};
pub use queue::TURN_TIMES_MOVED;
pub use shares::{Share, Shares, check_name};
pub use step::Arbiter;
pub use window::Window;

#[cfg(test)]
mod tests;

//! Fair sharing of one GPU: decides which session may put work on which engine, and for how long.
//! The core is pure: it receives events and returns actions, and the caller keeps the clock. Memory
//! and driver calls are handled elsewhere.
#![forbid(unsafe_code)]

mod arbiter;
mod configuration;
mod event;
mod inflight_window;
mod policy;
mod queue;
mod seat;
mod shares;
pub mod simulator;
mod tenant;

pub use arbiter::Arbiter;
pub use configuration::{
    Configuration, PolicyName, Refusal, SESSIONS_MAX, TENANTS_MAX, WHOLE_BASIS_POINTS,
};
pub use event::{Action, Engine, Event, GRACE_NS, SessionId, Term, UNUSED_NS_MAX};
pub use inflight_window::{InFlight, Window};
pub use queue::TURN_TIMES_MOVED;
pub use seat::{Admission, Charge, Farewell, Obeyed, Order, Passing, Seat};
pub use shares::{Share, Shares, check_name};
pub use tenant::{Tenant, TenantId};

#[cfg(test)]
mod tests;

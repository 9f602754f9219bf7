//! Facts that the lowering finds out about a kernel before it translates it.

pub mod classes;
pub mod layout;
pub mod liveness;
pub mod numbers;
pub mod sinking;
pub mod uniformity;
pub mod waiting;

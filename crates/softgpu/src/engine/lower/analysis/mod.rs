//! What the lowering finds out about a kernel before it translates it.

pub mod liveness;
pub mod sinking;
pub mod uniformity;

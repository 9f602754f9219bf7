//! Facts that the lowering finds out about a kernel before it translates it.

pub mod layout;
pub mod liveness;
pub mod nan_bits;
pub mod register_types;
pub mod sinking;
pub mod uniformity;
pub mod waiting;

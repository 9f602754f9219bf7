//! Analyses of a kernel that run before its translation.

pub mod layout;
pub mod liveness;
pub mod nan_bits;
pub mod register_types;
pub mod sinking;
pub mod uniformity;
pub mod waiting;

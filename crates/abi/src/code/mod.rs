//! Code that programs pass to a driver: fat binaries, JIT compiler options, and the compile cache.

pub mod fatbin;
pub mod frameworks;
pub mod jit_options;
pub mod legacy_launch;
pub mod nvrtc_cache;
pub mod unsupported_code;

//! Code that programs hand to a driver: fat binaries, options of the JIT compiler, the compile
//! cache.

pub mod fatbin;
pub mod jit_options;
pub mod nvrtc_cache;
pub mod unsupported_code;

//! Code that programs hand to a driver: fat binaries, options of the JIT compiler, the compile
//! cache.

pub mod compile_cache;
pub mod fatbin;
pub mod jit_options;
pub mod unsupported_code;

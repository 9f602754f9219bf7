//! A `libcuda.so.1` whose GPU is this machine's processor: `driver` is the driver API, `engine`
//! turns PTX into code that runs here. Loading the library does nothing; `cuInit` starts it.

mod driver;
pub mod engine;
mod generated {
    pub mod exports;
    pub mod instructions;
}

#[used]
#[unsafe(link_section = ".init_array")]
static TELL_WHEN_LOADED: extern "C" fn() = outhaul_abi::witness::tell;

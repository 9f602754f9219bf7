//! A `libcuda.so.1` that runs kernels on this machine's CPU. `driver` is the driver API, and
//! `engine` compiles PTX to CPU code. Loading the library does nothing; `cuInit` starts it.

mod driver;
pub mod engine;
mod generated {
    pub mod exports;
    pub mod instructions;
}

#[used]
#[unsafe(link_section = ".init_array")]
static ANNOUNCE_LOAD: extern "C" fn() = outhaul_abi::loading::witness::announce_load;

//! libcuda.so.1 and libnvidia-ml.so.1 for programs whose GPU is in another machine. The library
//! answers locally what it can, and posts commands that change the device to the worker in one
//! ordered queue. A call blocks only if the program needs the worker's answer. By default the
//! library prints only problems. It installs no signal handler and never uses a local GPU.

pub mod base;

mod api;
mod driver;
mod entry;
mod generated {
    pub mod exports;
    pub mod nvml_exports;
}
mod managed;
mod marshal;
mod nvml;
mod objects;
mod own_exports;
mod session;
mod sessions;

pub use generated::exports::*;
pub use generated::nvml_exports::*;
pub use own_exports::*;

#[used]
#[unsafe(link_section = ".init_array")]
static ANNOUNCE_LOAD: extern "C" fn() = outhaul_abi::loading::witness::announce_load;

//! libcuda.so.1 and libnvidia-ml.so.1 for programs whose GPU is in another machine. The library
//! answers what it knows itself, and posts changes to the device to the worker in one ordered
//! queue. A call blocks only for what must come back. The library prints only problems unless
//! asked, installs no signal handler, and never uses a local GPU.

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

//! libcuda.so.1 and libnvidia-ml.so.1 for programs whose GPU is in another machine. The library
//! answers what it knows itself, and posts changes to the device to the worker in one ordered
//! queue. A call blocks only for what must come back. The library prints only problems unless
//! asked, installs no signal handler, and never uses a local GPU.

mod absence;
mod api;
mod arena;
mod bulk;
mod callbacks;
mod calls;
mod connection;
mod context;
mod copy_sizes;
mod crossing;
mod deferred;
mod distances;
mod driver;
mod entry;
mod facts;
mod forms;
mod function;
mod goodbye;
mod graph;
mod graph_memory;
mod generated {
    pub mod exports;
    pub mod nvml_exports;
}
mod host_memory;
mod host_segment;
mod inbox;
mod life;
mod link;
mod log;
mod looks;
mod marshal;
mod memory;
mod mirror;
mod moment;
mod nvml;
mod outbox;
mod overtaking;
mod own_exports;
mod pace;
mod page_set;
mod pages;
mod participants;
mod pci;
mod peers;
mod pool;
mod reconnect;
mod session;
mod slab;
mod stats;
mod stream;
mod transfer;
mod turn;
mod twins;
mod userfault;
mod watch;

pub use generated::exports::*;
pub use generated::nvml_exports::*;
pub use own_exports::*;

#[used]
#[unsafe(link_section = ".init_array")]
static TELL_WHEN_LOADED: extern "C" fn() = outhaul_abi::loading::witness::tell;

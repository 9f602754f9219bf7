//! The machine on which a graph is scheduled or simulated.

use outhaul_dag::{Machine, Sharing, Way};
use pyo3::prelude::*;

/// GPUs, their memory, and the links to the host and to files. Each direction of a link is a pair:
/// bytes per second, and nanoseconds per transfer.
#[pyclass(name = "Machine", frozen)]
pub struct PyMachine {
    pub inner: Machine,
}

#[pymethods]
impl PyMachine {
    /// `files` is the rates of reading and writing. `host_capacity_bytes` limits the data in
    /// transit between files and GPUs.
    #[new]
    #[pyo3(signature = (*, gpus, capacity_bytes, load, store, files, host_capacity_bytes = None,
        peer_bytes_per_s = None, shared_link = false))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords to whoever calls")]
    fn new(
        gpus: usize,
        capacity_bytes: u64,
        load: (f64, u64),
        store: (f64, u64),
        files: (f64, f64),
        host_capacity_bytes: Option<u64>,
        peer_bytes_per_s: Option<f64>,
        shared_link: bool,
    ) -> PyMachine {
        let inner = Machine {
            capacity_bytes,
            link_bytes_per_s: load.0,
            latency_ns: load.1,
            store: Some(Way { bytes_per_s: store.0, latency_ns: store.1 }),
            host_capacity_bytes,
            sharing: if shared_link { Sharing::SharedBus } else { Sharing::FullDuplex },
            peer_bytes_per_s,
            file_read_bytes_per_s: files.0,
            file_write_bytes_per_s: files.1,
            ..Machine::victream(gpus)
        };
        PyMachine { inner }
    }
}

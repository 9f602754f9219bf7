//! The machine that a graph is scheduled on and simulated for.

use outhaul_dag::{Machine, Sharing, Way};
use pyo3::prelude::*;

/// GPUs, their memory, and the rates of links and files; `store` is what differs from GPU to host: bytes per second, and nanoseconds for each transfer.
#[pyclass(name = "Machine", frozen)]
pub struct PyMachine {
    pub inner: Machine,
}

#[pymethods]
impl PyMachine {
    #[new]
    #[pyo3(signature = (*, gpus, capacity_bytes, link_bytes_per_s, file_read_bytes_per_s, file_write_bytes_per_s, store = None, peer_bytes_per_s = None, latency_ns = 0, shared_link = false))]
    fn new(
        gpus: usize,
        capacity_bytes: u64,
        link_bytes_per_s: f64,
        file_read_bytes_per_s: f64,
        file_write_bytes_per_s: f64,
        store: Option<(f64, u64)>,
        peer_bytes_per_s: Option<f64>,
        latency_ns: u64,
        shared_link: bool,
    ) -> PyMachine {
        let rates = Machine {
            link_bytes_per_s,
            file_read_bytes_per_s,
            file_write_bytes_per_s,
            store: store.map(|(bytes_per_s, latency_ns)| Way { bytes_per_s, latency_ns }),
            peer_bytes_per_s,
            latency_ns,
            ..Machine::victream(gpus)
        };
        let sharing = if shared_link { Sharing::SharedBus } else { Sharing::FullDuplex };
        PyMachine { inner: Machine { capacity_bytes, sharing, ..rates } }
    }
}

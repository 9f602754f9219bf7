//! The machine that a graph is scheduled on and simulated for.

use outhaul_dag::{Machine, Sharing};
use pyo3::prelude::*;

/// GPUs, their memory, and the rates of links and files.
#[pyclass(name = "Machine", frozen)]
pub struct PyMachine {
    pub inner: Machine,
}

#[pymethods]
impl PyMachine {
    #[new]
    #[pyo3(signature = (*, gpus, capacity_bytes, link_bytes_per_s, file_read_bytes_per_s, file_write_bytes_per_s, peer_bytes_per_s = None, latency_ns = 0))]
    fn new(
        gpus: usize,
        capacity_bytes: u64,
        link_bytes_per_s: f64,
        file_read_bytes_per_s: f64,
        file_write_bytes_per_s: f64,
        peer_bytes_per_s: Option<f64>,
        latency_ns: u64,
    ) -> PyMachine {
        let rates = Machine {
            link_bytes_per_s,
            file_read_bytes_per_s,
            file_write_bytes_per_s,
            peer_bytes_per_s,
            latency_ns,
            ..Machine::victream(gpus)
        };
        PyMachine { inner: Machine { capacity_bytes, sharing: Sharing::FullDuplex, ..rates } }
    }
}

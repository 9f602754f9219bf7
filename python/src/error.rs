//! The error that Python raises for what the crate refuses.

use pyo3::prelude::*;

pyo3::create_exception!(
    outhaul._dag,
    GraphError,
    pyo3::exceptions::PyValueError,
    "A graph, a machine or a request that cannot be run, with the culprit's name."
);

/// Turns an error of the crate into the one that Python raises.
pub fn refused(error: outhaul_dag::Error) -> PyErr {
    GraphError::new_err(error.to_string())
}

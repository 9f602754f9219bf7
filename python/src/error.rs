//! The Python exception for errors of `crates/dag`.

use pyo3::prelude::*;

pyo3::create_exception!(
    outhaul._dag,
    GraphError,
    pyo3::exceptions::PyValueError,
    "A graph, a machine or a request that cannot be run, with the culprit's name."
);

/// Converts an error of `crates/dag` to its Python exception.
pub fn refused(error: outhaul_dag::Error) -> PyErr {
    GraphError::new_err(error.to_string())
}

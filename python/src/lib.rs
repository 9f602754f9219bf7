//! The Python module `outhaul._dag`: graphs, machines, schedulers and the simulator of
//! `crates/dag`, as they are. It exists so that the runtime in Python decides by the very code that
//! is simulated. Deliberately absent: any decision of its own.

#![forbid(unsafe_code)]

mod graph;
mod machine;
mod op;
mod planning;
mod scheduler;
mod simulation;

use pyo3::prelude::*;

pyo3::create_exception!(
    outhaul._dag,
    GraphError,
    pyo3::exceptions::PyValueError,
    "A graph, a machine or a request that cannot be run, with the culprit's name."
);

/// An error of the crate, as Python raises it.
fn refused(error: outhaul_dag::Error) -> PyErr {
    GraphError::new_err(error.to_string())
}

#[pymodule]
fn _dag(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("GraphError", module.py().get_type::<GraphError>())?;
    module.add_class::<graph::PyGraph>()?;
    module.add_class::<machine::PyMachine>()?;
    module.add_class::<scheduler::PyScheduler>()?;
    module.add_class::<simulation::PySimulation>()?;
    module.add_function(wrap_pyfunction!(simulation::simulate, module)?)
}

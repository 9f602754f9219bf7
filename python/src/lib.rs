//! The Python module `outhaul._dag`: graphs, machines, schedulers and the simulator of
//! `crates/dag`, as they are. It exists so that the runtime in Python decides by the very code that
//! is simulated. Deliberately absent: any decision of its own.

#![forbid(unsafe_code)]

mod error;
mod graph;
mod machine;
mod op;
mod planning;
mod scheduler;
mod simulation;

use pyo3::prelude::*;

#[pymodule]
fn _dag(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("GraphError", module.py().get_type::<error::GraphError>())?;
    module.add_class::<graph::PyGraph>()?;
    module.add_class::<machine::PyMachine>()?;
    module.add_class::<scheduler::PyScheduler>()?;
    module.add_class::<simulation::PySimulation>()?;
    module.add_function(wrap_pyfunction!(simulation::simulate, module)?)
}

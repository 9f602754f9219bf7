//! The Python module `outhaul._dag`: the graphs, machines, schedulers and simulator of
//! `crates/dag`. Through this module, the Python runtime and the simulator use one implementation
//! of the policies. The module only converts values and makes no decisions.

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

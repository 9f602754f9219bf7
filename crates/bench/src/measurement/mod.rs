//! The parts of a measurement: places, rounds, stopwatches and results.

pub(crate) mod case;
pub(crate) mod compare;
pub mod cuda_driver;
pub(crate) mod energy;
pub(crate) mod node_status;
pub(crate) mod over;
pub(crate) mod place;
pub mod process;
pub(crate) mod progress;
pub(crate) mod random;
pub(crate) mod results;
pub(crate) mod rounds;
pub(crate) mod scratch;
pub(crate) mod stopwatch;

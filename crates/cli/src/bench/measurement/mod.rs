//! The parts of a measurement: places, rounds, stopwatches and results.

pub mod case;
pub mod compare;
pub mod energy;
pub mod gpu;
pub mod over;
pub mod place;
pub mod process;
pub mod progress;
pub mod random;
pub mod results;
pub mod rounds;
pub mod stopwatch;

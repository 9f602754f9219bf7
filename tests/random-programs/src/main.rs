//! Random programs of CUDA driver calls for any libcuda.so.1: NVIDIA's, the software GPU, and the
//! client over either of them. Each program defines the order of its operations, so every value
//! that CUDA guarantees is known and checked. docs/random-programs.md describes the method.

mod arguments;
mod campaign;
mod child;
mod clock;
mod content;
mod execute;
mod features;
mod generate;
mod kernels;
mod model;
mod program;
mod random;
mod relay;
mod shrink;
mod text;

use arguments::{Source, Task};
use std::process::ExitCode;

fn main() -> ExitCode {
    let task = match arguments::parse(std::env::args().skip(1).collect()) {
        Ok(task) => task,
        Err(why) => {
            eprintln!("random-programs: {why}\n\n{}", arguments::usage());
            return ExitCode::from(2);
        }
    };
    let done = match task {
        Task::Campaign(campaign) => return campaign::run(&campaign),
        Task::Child { library, features } => return child::serve(&library, &features),
        Task::Relay(relay) => relay::serve(&relay),
        Task::Print(Source::File(path), _) => {
            child::load(&path).map(|(program, _)| print!("{program}"))
        }
        Task::Print(Source::Seed(seed), features) => {
            print!("{}", generate::generate(seed, &features).0);
            Ok(())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("random-programs: {why}");
            ExitCode::FAILURE
        }
    }
}

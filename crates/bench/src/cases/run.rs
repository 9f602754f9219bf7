//! Runs a case by its name.

use super::{copies, latencies, models, particles, smith_waterman};
use crate::error::Error;
use crate::measurement::case::{Case, Sample, Scale};
use crate::measurement::stopwatch::Stopwatch;
use crate::shared::frames;

/// Runs the case in this process, on the driver that the loader finds.
pub fn run(case: Case, scale: Option<Scale>, energy: bool, emit: fn(&Sample)) -> Result<(), Error> {
    if matches!(case, Case::Resnet50 | Case::Inception | Case::Llama | Case::Calls | Case::Import) {
        return models::run(case, scale.unwrap_or(Scale::Full), emit);
    }
    let mut watch = Stopwatch::new(case, energy, emit)?;
    let scale = scale.unwrap_or(if watch.gpu.is_software() { Scale::Small } else { Scale::Full });
    match case {
        Case::Copies => copies::run(scale, &mut watch),
        Case::Latencies => latencies::run(scale, &mut watch),
        Case::Search => smith_waterman::run(scale, &mut watch),
        Case::Particles => particles::run(scale, &mut watch),
        Case::Frames => frames::run(scale, &mut watch),
        Case::Resnet50 | Case::Inception | Case::Llama | Case::Calls | Case::Import => Ok(()),
    }
}

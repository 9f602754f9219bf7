//! Models in PyTorch: a program of their own, run by this machine's python3.

use super::case::{Case, Sample, Scale, Traffic};
use crate::error::Error;
use serde::Deserialize;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

const PROGRAM: &str = include_str!("../../../../bench/device/models.py");

/// What the program prints of one model.
#[derive(Deserialize)]
struct Printed {
    device: String,
    ms_per_step: f64,
    losses: Vec<f64>,
    traffic: Option<Traffic>,
}

/// The program's names of a case's models, and their batch sizes.
fn models(case: Case) -> &'static [(&'static str, u32)] {
    match case {
        Case::Resnet50 => &[("resnet50-bf16-16", 16), ("resnet50-bf16", 64), ("resnet50-bf16-256", 256)],
        Case::Inception => &[("inception-bf16", 64)],
        Case::Llama => &[("llama", 1)],
        Case::Copies | Case::Latencies | Case::Search | Case::Particles | Case::Frames => &[],
    }
}

pub fn run(case: Case, scale: Scale, emit: fn(&Sample)) -> Result<(), Error> {
    let (steps, count) = if scale == Scale::Small { ("2", 1) } else { ("20", usize::MAX) };
    for (model, batch) in models(case).iter().take(count) {
        let printed = printed(model, steps)?;
        emit(&Sample {
            device: printed.device,
            case: case.name(),
            what: format!("batch {batch}, one step"),
            us: printed.ms_per_step * 1e3,
            gpu_us: None,
            size: Some(f64::from(*batch)),
            copy_bytes: None,
            result: Some(format!("losses {:?}", printed.losses)),
            traffic: printed.traffic,
            power: None,
        });
    }
    Ok(())
}

fn printed(model: &str, steps: &str) -> Result<Printed, Error> {
    let failed = |error| Error::Command { command: "python3".into(), error };
    // -P: nothing of the folder it starts in is imported.
    let mut command = Command::new("python3");
    command.args(["-P", "-", model, steps]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(PROGRAM.as_bytes()).map_err(failed)?;
    }
    let mut text = String::new();
    if let Some(mut output) = child.stdout.take() {
        output.read_to_string(&mut text).map_err(failed)?;
    }
    let status = child.wait().map_err(failed)?;
    if !status.success() {
        return Err(Error::Bench(format!("{model}: python3 ended with {status}; it needs PyTorch, and torchvision or transformers")));
    }
    let line = text.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    serde_json::from_str(line).map_err(|error| Error::Bench(format!("{model}: what python3 printed is not understood: {error}")))
}

//! Models in PyTorch: a separate program that this machine's python3 runs.

use crate::error::{CommandError, Error};
use crate::measurement::case::{Case, Sample, Scale, Traffic};
use serde::Deserialize;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// Number of steps between two readings of a model's loss. A training loop that prints its loss now
/// and then reads as often. At each reading, the link drains and fills again.
const STEPS: &str = "50";
const PROGRAM: &str = include_str!("../../../../bench/device/models.py");

/// A model's results, as the program prints them.
#[derive(Deserialize)]
struct Printed {
    device: String,
    ms_per_step: f64,
    losses: Vec<f64>,
    traffic: Option<Traffic>,
}

/// Returns the models of a case: their names in the program, their descriptions, and their batch
/// sizes if they differ in nothing else.
fn models(case: Case) -> &'static [(&'static str, &'static str, Option<u32>)] {
    match case {
        Case::Resnet50 => &[
            ("resnet50-bf16-16", "bf16, batch 16, one step", Some(16)),
            ("resnet50-bf16", "bf16, batch 64, one step", Some(64)),
            ("resnet50-bf16-256", "bf16, batch 256, one step", Some(256)),
            ("resnet50-fp32", "fp32, batch 64, one step", None),
        ],
        Case::Inception => &[("inception-bf16", "bf16, batch 64, one step", None)],
        Case::Llama => &[("llama", "bf16, one token", None)],
        Case::Calls => &[
            ("call-add", "x.add_(1), one of 500 issued", None),
            ("call-item", "x.item()", None),
            ("call-to-device-async", "4 KiB to device, pinned, async", None),
            ("call-to-device", "4 KiB to device, pinned", None),
            ("call-to-host-async", "4 KiB to host, pinned, async", None),
            ("call-to-host", "4 KiB to host, pinned", None),
            ("call-replay", "graph of 20, replay and item()", None),
        ],
        Case::Import => &[("import", "from `import torch` to a product and a convolution", None)],
        Case::Copies | Case::Latencies | Case::Search | Case::Particles | Case::Frames => &[],
    }
}

/// Runs all models of a case in one process, because starting PyTorch takes longer than measuring.
pub fn run(case: Case, scale: Scale, emit: fn(&Sample)) -> Result<(), Error> {
    let (steps, count) = if scale == Scale::Small { ("2", 1) } else { (STEPS, usize::MAX) };
    let models: Vec<_> = models(case).iter().take(count).collect();
    let names: Vec<_> = models.iter().map(|(name, ..)| *name).collect();
    let mut missing = models.iter();
    if case == Case::Import {
        // The first run compiles code and sends images. So the next run finds them in the caches.
        printed(&names.join(","), steps, |_| {})?;
    }
    printed(&names.join(","), steps, |printed| {
        let Some((_, what, batch)) = missing.next() else { return };
        emit(&Sample {
            device: printed.device,
            case: case.name(),
            what: (*what).into(),
            us: printed.ms_per_step * 1e3,
            gpu_us: None,
            size: batch.map(f64::from),
            copy_bytes: None,
            result: Some(format!("losses {:?}", printed.losses)),
            traffic: printed.traffic,
            power: None,
        });
    })
}

/// Runs the models. Passes each model's results to `take` as soon as the program prints them.
fn printed(models: &str, steps: &str, mut take: impl FnMut(Printed)) -> Result<(), Error> {
    let failed = |error| CommandError { command: "python3".into(), error };
    // With -P, Python does not import from the folder in which it starts.
    let mut command = Command::new("python3");
    command.args(["-P", "-", models, steps]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(PROGRAM.as_bytes()).map_err(failed)?;
    }
    let output = child
        .stdout
        .take()
        .into_iter()
        .flat_map(|output| BufReader::new(output).lines().map_while(Result::ok));
    for line in output.filter(|line| line.starts_with('{')) {
        let printed = serde_json::from_str(&line);
        take(printed.map_err(|error| {
            Error::Bench(format!("{models}: cannot parse the output of python3: {error}"))
        })?);
    }
    let status = child.wait().map_err(failed)?;
    if !status.success() {
        return Err(Error::Bench(format!(
            "{models}: python3 ended with {status}; it needs PyTorch, and torchvision or \
            transformers"
        )));
    }
    Ok(())
}

//! The cases by name, and the results of one measurement.

use serde::{Deserialize, Serialize};

/// A case of `outhaul bench`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Case {
    /// Copies of 4 KiB to 256 MiB, in both directions, pinned and pageable, synchronous and not.
    Copies,
    /// Times of a launch, a wait, a graph's replay, and reading a value back.
    Latencies,
    /// Smith-Waterman: streams a database of sequences to the GPU and reads scores back.
    Search,
    /// Lennard-Jones particles: time steps with neighbour forces; reads energies now and then.
    Particles,
    /// Renders pictures from objects that it sends for each, and reads them back, at rising loads.
    Frames,
    /// Training ResNet-50 in PyTorch, bf16, for three batch sizes.
    Resnet50,
    /// Training Inception v3 in PyTorch, bf16.
    Inception,
    /// Decoding with a Llama of 1 B parameters in transformers, eager.
    Llama,
    /// Single calls in PyTorch: an addition in a loop, `item()`, copies of 4 KiB, a graph's replay.
    Calls,
    /// Time that PyTorch takes to start and to give a first result.
    Import,
}

/// The amount of work of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Scale {
    /// For the software GPU, and for trials.
    Small,
    /// For a GPU.
    Full,
}

/// One line of a case's output: the time of one unit of its work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Name of the device, as the driver gives it.
    pub device: String,
    pub case: String,
    /// Name of the measurement, unique in its case.
    pub what: String,
    pub us: f64,
    /// GPU time measured by events, if the case measures it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_us: Option<f64>,
    /// The problem's size, if the case sweeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    /// Bytes of one copy, if the case measures copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_bytes: Option<u64>,
    /// Result of the work, which is equal on every link to the same GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<Power>,
}

/// The messages, waits and bytes of one unit of work.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Traffic {
    pub messages: f64,
    pub waits: f64,
    pub bytes_sent: f64,
    pub bytes_received: f64,
}

/// Average power while the unit of work repeats.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Power {
    pub gpu_w: Option<f64>,
    pub host_w: Option<f64>,
}

impl Case {
    /// Returns the name of the case on the command line.
    pub fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self)
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    /// Returns the description of the case.
    pub fn about(self) -> String {
        let value = clap::ValueEnum::to_possible_value(&self);
        value.and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
    }

    /// Returns the unit of the case's sizes.
    pub fn size_unit(self) -> &'static str {
        match self {
            Case::Copies | Case::Latencies => "bytes",
            Case::Search => "residues of the database times those of the query",
            Case::Particles => "particles",
            Case::Frames => "objects",
            Case::Resnet50 | Case::Inception | Case::Llama | Case::Calls | Case::Import => {
                "images or sequences in a batch"
            }
        }
    }
}

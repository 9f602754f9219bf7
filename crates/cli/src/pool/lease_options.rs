//! Command-line options of a lease from a pool.

use crate::quantity::{amount, percent, seconds, seconds_or_none};
use outhaul_pool::model::lease::{Amount, Ask, FrameRate};
use outhaul_transport::GRACE_VARIABLE;

/// The resources per GPU of a lease. The default is a whole GPU. If only --memory or --share is
/// given, the other gets the same fraction.
#[derive(clap::Args)]
pub struct LeaseOptions {
    /// Number of GPUs [default: 1].
    #[arg(short = 'n', long, value_name = "N")]
    gpus: Option<u32>,
    /// Memory per GPU [default: all of it, or the same fraction as --share].
    #[arg(long, value_name = "10GiB|25%", value_parser = amount)]
    memory: Option<Amount>,
    /// Share of each GPU's time [default: all of it, or the same fraction as --memory].
    #[arg(long, value_name = "50%", value_parser = percent)]
    share: Option<u32>,
    /// Frames per second to keep [default: no frame rate].
    #[arg(long, value_name = "N", requires = "frame_ms")]
    frames: Option<u32>,
    /// GPU time per frame, in milliseconds, on a GPU in the program's own machine.
    #[arg(long, value_name = "MS", requires = "frames")]
    frame_ms: Option<f64>,
    /// Part of the GPU's model name [default: any GPU].
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Priority in the queue, higher first, from -128 to 127 [default: 0].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    priority: Option<i8>,
    /// Time after the grant at which the lease ends [default: no limit].
    #[arg(long, value_name = "2h", value_parser = seconds)]
    time: Option<u64>,
    /// Time without a program after which the lease is released [default: no limit].
    #[arg(long, value_name = "10m", value_parser = seconds)]
    release_after: Option<u64>,
    /// Time without activity after which the lease and its programs end [default: no limit].
    #[arg(long, value_name = "30m", value_parser = seconds)]
    kill_after: Option<u64>,
    /// Maximum time to wait for the node when a connection breaks; the node may wait for less. With
    /// 0s the program ends at once [default: OUTHAUL_GRACE, or 2m].
    #[arg(long, value_name = "10m", value_parser = seconds_or_none)]
    grace: Option<u64>,
}

impl LeaseOptions {
    /// Returns the name of the first option that the user gave.
    pub fn flag(&self) -> Option<&'static str> {
        let flags = [
            ("-n", self.gpus.is_some()),
            ("--memory", self.memory.is_some()),
            ("--share", self.share.is_some()),
            ("--frames", self.frames.is_some()),
            ("--model", self.model.is_some()),
            ("--priority", self.priority.is_some()),
            ("--time", self.time.is_some()),
            ("--release-after", self.release_after.is_some()),
            ("--kill-after", self.kill_after.is_some()),
            ("--grace", self.grace.is_some()),
        ];
        flags.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }

    /// Returns the environment variables for the program.
    pub fn variables(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.grace.map(|seconds| (GRACE_VARIABLE, seconds.to_string())).into_iter()
    }

    /// Returns the request for a lease that lives `ttl_s` seconds without a heartbeat.
    pub fn ask(&self, ttl_s: u32) -> Ask {
        let frames = self
            .frames
            .zip(self.frame_ms)
            .map(|(per_s, reference_ms)| FrameRate { per_s, reference_ms });
        Ask {
            gpus: self.gpus.unwrap_or(1),
            memory: self.memory,
            share_percent: self.share,
            frames,
            model: self.model.clone(),
            priority: self.priority.unwrap_or(0),
            ttl_s,
            seconds_max: self.time,
            release_after_s: self.release_after,
            kill_after_s: self.kill_after,
            grace_s: self.grace,
        }
    }
}

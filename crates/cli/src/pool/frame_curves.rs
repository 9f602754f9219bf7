//! The time-time curves that a node tells its pool: read from a file, or measured by the bench when
//! the node first joins.

use crate::error::Error;
use outhaul_files::TemporaryFolder;
use outhaul_node::keeper::client::KeeperClient;
use outhaul_node::log::log_event;
use outhaul_placement::time_time_curves::Attachment;
use outhaul_placement::time_time_curves::measured::Measured;
use outhaul_pool::model::node::{CURVE_POINTS_MAX, FrameCurve, FramePoint, HOPS_MAX};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Name under which the node's keeper stores the curves. So the node's next process tells the pool
/// the same, and remains a member.
const TITLE: &str = "frame curves";
const US_PER_MS: f64 = 1e3;

/// The link of a node, and how long frames take over it.
#[derive(clap::Args, Clone)]
pub struct FrameOptions {
    /// Rate of the link between this node and the pool's programs in Gb/s, for leases with a frame
    /// rate; 0 if it is unknown.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "pool")]
    link_gbps: u32,
    /// Number of switches between this node and the pool's programs.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "pool",
        value_parser = clap::value_parser!(u32).range(..=i64::from(HOPS_MAX)))]
    link_hops: u32,
    /// File with curves of frame times from `outhaul bench frames --curves`. By those for its GPUs
    /// and its link, the pool promises frame rates on this node [default: by the pool's model].
    #[arg(long, value_name = "FILE", requires = "link_gbps", conflicts_with = "measure_frames")]
    frame_curves: Option<PathBuf>,
    /// Measure these curves before the node first joins, in some seconds, over a link of this rate
    /// that the machine makes for it.
    #[arg(long, requires = "link_gbps")]
    measure_frames: bool,
}

impl FrameOptions {
    /// Returns the rate of the node's link in Gb/s, and the number of its switches.
    pub fn link(&self) -> (u32, u32) {
        (self.link_gbps, self.link_hops)
    }

    /// Reads the file, if the options name one.
    pub fn read(&self) -> Result<Option<Measured>, Error> {
        self.frame_curves.as_deref().map(read).transpose()
    }

    /// Returns the curves of the node's GPUs, which have these models. Measures them if the options
    /// ask for that and no earlier process of this node has. A curve that cannot be had is logged,
    /// and the pool's model applies.
    pub fn curves(
        &self,
        file: Option<Measured>,
        gpu: &str,
        models: &[String],
        keeping: &KeeperClient,
    ) -> Vec<FrameCurve> {
        let earlier = keeping.noted::<Vec<FrameCurve>>(TITLE);
        let found = match (file, earlier) {
            (Some(measured), _) => self.chosen(&measured, models),
            (None, Some(earlier)) if self.measure_frames => Ok(earlier),
            (None, _) if self.measure_frames => {
                self.measured(gpu).and_then(|measured| self.chosen(&measured, models))
            }
            _ => return Vec::new(),
        };
        let curves = found.unwrap_or_else(|reason| {
            log_event(&format!("the pool promises frame rates here by its own model: {reason}"));
            Vec::new()
        });
        keeping.note(TITLE, &curves);
        curves
    }

    /// Runs the bench over a link like the node's.
    fn measured(&self, gpu: &str) -> Result<Measured, String> {
        let folder = TemporaryFolder::new("curves")
            .map_err(|error| format!("cannot make a folder for them: {error}"))?;
        let file = folder.path().join("curves.csv");
        self.run_bench(gpu, &file)?;
        read(&file).map_err(|error| error.to_string())
    }

    fn run_bench(&self, gpu: &str, file: &Path) -> Result<(), String> {
        let hops = (self.link_hops > 0).then(|| format!("+hops:{}", self.link_hops));
        let link = format!("{}g{}", self.link_gbps, hops.unwrap_or_default());
        log_event(&format!("measuring frames over a link of {link}"));
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut bench = Command::new(own);
        bench.args(["bench", "frames", "--runs", "1", "--gpu", gpu, "--link", &link, "--curves"]);
        bench.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let ended = bench.output().map_err(|error| format!("`outhaul bench`: {error}"))?;
        if ended.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&ended.stderr);
        let last = said.lines().last().unwrap_or("it did not say why").to_owned();
        Err(format!("`outhaul bench frames --link {link}` failed: {last}"))
    }

    /// Returns the curves of these models over the node's link.
    fn chosen(&self, measured: &Measured, models: &[String]) -> Result<Vec<FrameCurve>, String> {
        let link = Attachment::Network { gbps: self.link_gbps, hops: self.link_hops };
        let mut curves: Vec<FrameCurve> = Vec::new();
        for model in models {
            if curves.iter().any(|known| known.model == *model) {
                continue;
            }
            let curve = measured.curve(link, Some(model)).ok_or_else(|| {
                format!(
                    "no curve of a {model} behind {link} was measured; measure one with `outhaul \
                    bench frames --link {}g --curves FILE`",
                    self.link_gbps
                )
            })?;
            let more_ms = curve.added_ms(link.hops());
            let us = |ms: f64| (ms * US_PER_MS).ceil() as u32;
            let mut points: Vec<FramePoint> = curve
                .points
                .iter()
                .map(|point| FramePoint {
                    reference_us: us(point.reference_ms),
                    gpu_us: us(point.gpu_ms + more_ms),
                    whole_us: us(point.whole_ms + more_ms),
                })
                .collect();
            points.dedup_by_key(|point| point.reference_us);
            if points.len() > CURVE_POINTS_MAX {
                return Err(format!(
                    "the curve of a {model} behind {link} has {} points, and may have \
                    {CURVE_POINTS_MAX}",
                    points.len()
                ));
            }
            curves.push(FrameCurve { model: model.clone(), points });
        }
        Ok(curves)
    }
}

/// Reads a file of curves.
pub fn read(file: &Path) -> Result<Measured, Error> {
    let table = std::fs::read_to_string(file)
        .map_err(|error| Error::Io { doing: format!("cannot read {}", file.display()), error })?;
    Ok(Measured::parse(&table)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(link_hops: u32) -> FrameOptions {
        FrameOptions { link_gbps: 10, link_hops, frame_curves: None, measure_frames: false }
    }

    #[test]
    fn a_node_tells_the_curve_of_each_of_its_models_over_its_link() {
        let table = "gbps,hops,reference_ms,gpu_ms,whole_ms,gpu\n\
                     10,0,1,1.1,6,A\n10,0,2,2.1,7,A\n10,0,1,1.3,9,\n25,0,1,1,4,A\n";
        let measured = Measured::parse(table).unwrap();
        let models = ["A".to_owned(), "B".to_owned(), "A".to_owned()];
        let curves = options(2).chosen(&measured, &models).unwrap();
        let whole_us = |curve: &FrameCurve| curve.points.iter().map(|p| p.whole_us).collect();
        let found: Vec<(&str, Vec<u32>)> =
            curves.iter().map(|curve| (curve.model.as_str(), whole_us(curve))).collect();
        assert_eq!(found, [("A", vec![6100, 7100]), ("B", vec![9100])], "50 us for a switch");
        let none = FrameOptions { link_gbps: 40, ..options(0) }.chosen(&measured, &models);
        assert!(none.unwrap_err().contains("A behind 40 Gb/s"));
    }
}

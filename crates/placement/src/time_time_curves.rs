//! Time-time curves give a task's GPU time and whole time per frame behind a link, as functions of
//! its reference time. The reference time is the task's GPU time per frame on a GPU attached by
//! PCIe. The curves come from models or from measured tables. No model reproduces a published
//! curve, because publications give no numbers.

mod attachment;
pub mod measured;

use crate::Error;
use attachment::HOP_MS;
pub use attachment::{Attachment, FrameTimes};
use measured::Measured;
use std::str::FromStr;

/// Size of the picture that returns with every frame: two eyes of 1080x1200 pixels of 4 bytes.
const FRAME_BITS: f64 = 2160.0 * 1200.0 * 4.0 * 8.0;
const TRANSFER_CPU_MS: f64 = 19.0;
/// Part of a link's rate that carries pictures. Ethernet's and TCP's headers take 6 %, and we
/// measured 4 % more (docs/frames.md).
const CALLS_LINK_PART: f64 = 0.9;
/// The most that a link added to the GPU's own time of a frame when we measured.
const CALLS_GPU_MS: f64 = 0.3;
/// Time of a frame's two round trips, and of the node's part in them.
const CALLS_ROUND_TRIPS_MS: f64 = 0.1;

/// A model or table that maps reference times to times behind a link.
#[derive(Debug, Clone, PartialEq)]
pub enum Curves {
    /// Outhaul's cost by our measurements. The driver's calls travel and not PCIe, so a link
    /// adds the time of one picture to the whole time and little to the GPU's. Supports any
    /// bandwidth.
    Calls,
    /// A link adds the time to transfer one frame's picture to the GPU's time, whatever the load.
    /// Supports any bandwidth.
    Transfer,
    /// A link multiplies the GPU time by a factor and adds an offset, both specific to the link.
    /// Supports only 10 and 20 Gb/s.
    Lines(Lines),
    /// Linear interpolation between measured points, without values outside their range.
    Measured(Measured),
}

/// The parameters of curves that are straight lines: the GPU time behind a link is `slope` times
/// the reference time, plus `offset_ms`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lines {
    /// Slope and offset behind 10 Gb/s.
    pub at_10: Line,
    /// Slope and offset behind 20 Gb/s.
    pub at_20: Line,
    /// CPU time of a frame, which the whole time includes.
    pub cpu_ms: f64,
}

/// A straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// The factor.
    pub slope: f64,
    /// The offset, in milliseconds.
    pub offset_ms: f64,
}

impl Line {
    /// Returns the value at `reference_ms`.
    pub fn at(self, reference_ms: f64) -> f64 {
        self.slope * reference_ms + self.offset_ms
    }
}

impl Lines {
    /// Our fit to the paper's thresholds at 30 frames a second.
    pub const FIT: Lines = Lines {
        at_10: Line { slope: 1.8, offset_ms: 1.5 },
        at_20: Line { slope: 1.3, offset_ms: 0.8 },
        cpu_ms: 21.0,
    };
    /// Lines that satisfy these thresholds too, and all of the paper's claims.
    pub const ALL_CLAIMS: Lines = Lines {
        at_10: Line { slope: 3.4, offset_ms: 1.0 },
        at_20: Line { slope: 2.5, offset_ms: 1.2 },
        cpu_ms: 11.85,
    };
}

impl FromStr for Lines {
    type Err = Error;

    /// Parses five numbers, separated by commas: slope and offset at 10 Gb/s, slope and offset at
    /// 20 Gb/s, and the CPU time.
    fn from_str(text: &str) -> Result<Lines, Error> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
        match numbers.as_deref() {
            Some(&[slope_10, offset_10, slope_20, offset_20, cpu_ms])
                if slope_10 > 0.0 && slope_20 > 0.0 && cpu_ms >= 0.0 =>
            {
                Ok(Lines {
                    at_10: Line { slope: slope_10, offset_ms: offset_10 },
                    at_20: Line { slope: slope_20, offset_ms: offset_20 },
                    cpu_ms,
                })
            }
            _ => Err(Error::Usage(format!(
                "`{text}` are not lines; write five numbers: slope and offset in ms at 10 Gb/s, \
                the same at 20 Gb/s, and ms of CPU time, such as 3.4,1,2.5,1.2,11.85"
            ))),
        }
    }
}

impl std::fmt::Display for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Lines { at_10, at_20, cpu_ms } = self;
        write!(
            f,
            "{},{},{},{},{cpu_ms}",
            at_10.slope, at_10.offset_ms, at_20.slope, at_20.offset_ms
        )
    }
}

impl Curves {
    /// Curves of the lines `Lines::FIT`.
    pub const FIT: Curves = Curves::Lines(Lines::FIT);

    /// Returns the times of a frame on a GPU of the model `gpu`, or of any model. Returns None if
    /// the curves have no value.
    pub fn times(
        &self,
        reference_ms: f64,
        link: Attachment,
        gpu: Option<&str>,
    ) -> Option<FrameTimes> {
        if let Curves::Measured(measured) = self {
            return if link == Attachment::Pcie {
                let gpu_ms = reference_ms;
                let whole_ms = measured.times(reference_ms, link, gpu)?.whole_ms;
                Some(FrameTimes { gpu_ms, whole_ms })
            } else {
                measured.times(reference_ms, link, gpu)
            };
        }
        let gpu_ms = self.model_gpu_ms(reference_ms, link)?;
        let whole_ms = match (self, link) {
            (Curves::Calls, Attachment::Network { gbps, hops }) => {
                let picture_ms = transfer_ms(gbps) / CALLS_LINK_PART;
                gpu_ms + picture_ms + CALLS_ROUND_TRIPS_MS + f64::from(hops) * HOP_MS
            }
            (Curves::Transfer, _) => gpu_ms + TRANSFER_CPU_MS,
            (Curves::Lines(lines), _) => gpu_ms + lines.cpu_ms,
            (Curves::Calls | Curves::Measured(_), _) => gpu_ms,
        };
        Some(FrameTimes { gpu_ms, whole_ms })
    }

    fn model_gpu_ms(&self, reference_ms: f64, link: Attachment) -> Option<f64> {
        let Attachment::Network { gbps, hops } = link else { return Some(reference_ms) };
        let cable_ms = match self {
            Curves::Calls if gbps > 0 => return Some(reference_ms + CALLS_GPU_MS),
            Curves::Transfer if gbps > 0 => reference_ms + transfer_ms(gbps),
            Curves::Lines(lines) if gbps == 10 => lines.at_10.at(reference_ms),
            Curves::Lines(lines) if gbps == 20 => lines.at_20.at(reference_ms),
            _ => return None,
        };
        Some(cable_ms + f64::from(hops) * HOP_MS)
    }

    /// Returns the smallest reference time with a value, in milliseconds.
    pub fn smallest_ms(&self, link: Attachment, gpu: &str) -> f64 {
        let Curves::Measured(measured) = self else { return 0.0 };
        let first = measured.curve(link, Some(gpu)).and_then(|curve| curve.points.first());
        first.map_or(0.0, |point| point.reference_ms)
    }

    /// Returns the curves' name, for people.
    pub fn name(&self) -> String {
        match self {
            Curves::Calls => "the pool's model `calls`".into(),
            Curves::Transfer => "the pool's model `add`".into(),
            Curves::Lines(lines) => format!("the pool's lines {lines}"),
            Curves::Measured(_) => "the pool's table of measured curves".into(),
        }
    }

    /// Returns the GPU time per frame, or None if the curves have no value.
    pub fn gpu_ms(&self, reference_ms: f64, link: Attachment) -> Option<f64> {
        if link == Attachment::Pcie {
            return Some(reference_ms);
        }
        Some(self.times(reference_ms, link, None)?.gpu_ms)
    }

    /// Returns the time of GPU, CPU and transfers per frame, without the wait for the tick.
    pub fn whole_ms(&self, reference_ms: f64, link: Attachment) -> Option<f64> {
        Some(self.times(reference_ms, link, None)?.whole_ms)
    }
}

/// Returns the time that a picture takes over a link.
fn transfer_ms(gbps: u32) -> f64 {
    FRAME_BITS / (f64::from(gbps) * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole times of docs/frames.md, measured on an H200: GPU time natively, Gb/s of the
    /// relayed link, and whole time.
    const MEASURED: [(f64, u32, f64); 12] = [
        (0.53, 25, 3.96),
        (0.85, 25, 4.27),
        (1.49, 25, 4.85),
        (2.78, 25, 6.17),
        (5.35, 25, 8.81),
        (10.5, 25, 14.0),
        (0.53, 10, 9.26),
        (0.85, 10, 9.43),
        (1.49, 10, 10.1),
        (2.78, 10, 11.4),
        (5.35, 10, 14.1),
        (10.5, 10, 19.2),
    ];

    #[test]
    fn calls_predict_no_less_than_was_measured_and_little_more() {
        for (reference_ms, gbps, measured_ms) in MEASURED {
            let link = Attachment::network(gbps);
            let predicted_ms = Curves::Calls.whole_ms(reference_ms, link).unwrap();
            let more_ms = predicted_ms - measured_ms;
            assert!((0.0..1.2).contains(&more_ms), "{reference_ms} ms at {gbps}: {more_ms}");
        }
        assert_eq!(Curves::Calls.whole_ms(3.0, Attachment::network(0)), None);
        assert_eq!(Curves::Calls.whole_ms(3.0, Attachment::Pcie), Some(3.0));
    }

    #[test]
    fn measured_curves_are_lines_between_points_and_nothing_beyond() {
        let table = "gbps,reference_ms,gpu_ms,whole_ms\n10,4,8,30\n10,2,4,20\npcie,2,2,12\n";
        let curves = Curves::Measured(Measured::parse(table).unwrap());
        let link = Attachment::network(10);
        assert_eq!((curves.gpu_ms(3.0, link), curves.whole_ms(3.0, link)), (Some(6.0), Some(25.0)));
        assert_eq!(
            (curves.gpu_ms(2.0, link), curves.gpu_ms(1.9, link), curves.gpu_ms(4.1, link)),
            (Some(4.0), None, None)
        );
        assert_eq!(curves.gpu_ms(3.0, Attachment::network(20)), None);
        assert_eq!(
            (curves.whole_ms(2.0, Attachment::Pcie), curves.whole_ms(3.0, Attachment::Pcie)),
            (Some(12.0), None)
        );
    }

    #[test]
    fn lines_are_written_as_they_are_read() {
        let text = "3.4,1,2.5,1.2,11.85";
        assert_eq!(text.parse::<Lines>().unwrap(), Lines::ALL_CLAIMS);
        assert_eq!(Lines::ALL_CLAIMS.to_string(), text);
        for wrong in ["", "1,2,3,4", "1,2,3,4,x", "0,1,1,1,1", "1,2,3,4,-1", "1,2,3,4,nan"] {
            let error = wrong.parse::<Lines>().unwrap_err().to_string();
            assert!(error.contains("five numbers"), "{wrong}: {error}");
        }
    }
}

//! Time-time curves give a task's GPU time and whole time per frame behind a link, as functions of
//! its reference time. The reference time is the task's GPU time per frame on a GPU attached by
//! PCIe. The curves come from two models or from measured tables. No model reproduces a published
//! curve, because publications give no numbers.

use crate::Error;

/// Size of the picture that returns with every frame: two eyes of 1080x1200 pixels of 4 bytes.
const FRAME_BITS: f64 = 2160.0 * 1200.0 * 4.0 * 8.0;
/// Time that a switch adds to a frame.
const HOP_MS: f64 = 0.05;
const TRANSFER_CPU_MS: f64 = 19.0;
const SLOPE_CPU_MS: f64 = 21.0;
const POINTS_MAX: usize = 100_000;

/// How a GPU is attached to the task's machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attachment {
    /// Over a network.
    Network {
        /// Bandwidth of the slowest part of the path, in Gb/s.
        gbps: u32,
        /// Number of switches on the path.
        hops: u32,
    },
    /// In the task's own machine, by PCIe.
    Pcie,
}

impl Attachment {
    /// Makes a network attachment without a switch.
    pub const fn network(gbps: u32) -> Attachment {
        Attachment::Network { gbps, hops: 0 }
    }

    /// Returns a number that grows with the bandwidth.
    pub fn bandwidth(self) -> u32 {
        match self {
            Attachment::Network { gbps, .. } => gbps,
            Attachment::Pcie => u32::MAX,
        }
    }
}

impl std::fmt::Display for Attachment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Attachment::Pcie => write!(f, "PCIe"),
            Attachment::Network { gbps, hops: 0 } => write!(f, "{gbps} Gb/s"),
            Attachment::Network { gbps, hops } => write!(f, "{gbps} Gb/s, hops {hops}"),
        }
    }
}

/// A model or table that maps reference times to times behind a link.
#[derive(Debug, Clone, PartialEq)]
pub enum Curves {
    /// A link adds the time to transfer one frame's picture, whatever the load. Supports any
    /// bandwidth.
    Transfer,
    /// A link multiplies the GPU time by a factor and adds an offset, both specific to the link.
    /// Supports only 10 and 20 Gb/s.
    Slope,
    /// Linear interpolation between measured points, without values outside their range.
    Measured(Measured),
}

impl Curves {
    /// Returns the GPU time per frame, or None if the curves have no value.
    pub fn gpu_ms(&self, reference_ms: f64, link: Attachment) -> Option<f64> {
        let Attachment::Network { gbps, hops } = link else { return Some(reference_ms) };
        let cable_ms = match self {
            Curves::Transfer if gbps > 0 => reference_ms + FRAME_BITS / (f64::from(gbps) * 1e6),
            Curves::Slope if gbps == 10 => 1.8 * reference_ms + 1.5,
            Curves::Slope if gbps == 20 => 1.3 * reference_ms + 0.8,
            Curves::Transfer | Curves::Slope => return None,
            Curves::Measured(measured) => measured.at(reference_ms, link)?.0,
        };
        Some(cable_ms + f64::from(hops) * HOP_MS)
    }

    /// Returns the time of GPU, CPU and transfers per frame, without the wait for the tick.
    pub fn whole_ms(&self, reference_ms: f64, link: Attachment) -> Option<f64> {
        let Curves::Measured(measured) = self else {
            let cpu_ms = if *self == Curves::Transfer { TRANSFER_CPU_MS } else { SLOPE_CPU_MS };
            return Some(self.gpu_ms(reference_ms, link)? + cpu_ms);
        };
        let hops = if let Attachment::Network { hops, .. } = link { hops } else { 0 };
        Some(measured.at(reference_ms, link)?.1 + f64::from(hops) * HOP_MS)
    }
}

/// Measured points by link. Each link's points are sorted by reference time.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured(Vec<(u32, Vec<Sample>)>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Sample {
    reference_ms: f64,
    gpu_ms: f64,
    whole_ms: f64,
}

impl Measured {
    /// Parses lines of `gbps,reference_ms,gpu_ms,whole_ms` that follow a header line; `pcie` means
    /// a GPU in the task's machine.
    /// # Errors
    /// `Measured`, with the number of the faulty line.
    pub fn parse(csv: &str) -> Result<Measured, Error> {
        let mut links: Vec<(u32, Vec<Sample>)> = Vec::new();
        for (at, text) in
            csv.lines().enumerate().skip(1).filter(|(_, text)| !text.trim().is_empty())
        {
            let fault = |problem: String| Error::Measured { line: at + 1, problem };
            if at > POINTS_MAX {
                return Err(fault(format!("more than {POINTS_MAX} points")));
            }
            let (link, sample) = sample(text).map_err(fault)?;
            match links.iter_mut().find(|(known, _)| *known == link) {
                Some((_, samples)) => samples.push(sample),
                None => links.push((link, vec![sample])),
            }
        }
        for (link, samples) in &mut links {
            samples.sort_by(|a, b| a.reference_ms.total_cmp(&b.reference_ms));
            if samples.windows(2).any(|pair| pair[0].reference_ms == pair[1].reference_ms) {
                return Err(Error::Measured {
                    line: 0,
                    problem: format!("{link} Gb/s has two points of one reference time"),
                });
            }
        }
        if links.is_empty() {
            return Err(Error::Measured { line: 1, problem: "no point in the table".into() });
        }
        Ok(Measured(links))
    }

    /// Returns GPU time and whole time behind `link`, interpolated from its samples.
    fn at(&self, reference_ms: f64, link: Attachment) -> Option<(f64, f64)> {
        let (_, samples) = self.0.iter().find(|(known, _)| *known == link.bandwidth())?;
        let after = samples.iter().position(|sample| sample.reference_ms >= reference_ms)?;
        let (low, high) = (samples[after.saturating_sub(1)], samples[after]);
        if reference_ms < low.reference_ms {
            return None;
        }
        let width_ms = high.reference_ms - low.reference_ms;
        let part = if width_ms > 0.0 { (reference_ms - low.reference_ms) / width_ms } else { 0.0 };
        Some((
            low.gpu_ms + part * (high.gpu_ms - low.gpu_ms),
            low.whole_ms + part * (high.whole_ms - low.whole_ms),
        ))
    }
}

fn sample(text: &str) -> Result<(u32, Sample), String> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let [link, reference, gpu, whole] = fields[..] else {
        return Err(format!(
            "{} fields, not the 4 of gbps,reference_ms,gpu_ms,whole_ms",
            fields.len()
        ));
    };
    let link = if link.eq_ignore_ascii_case("pcie") {
        u32::MAX
    } else {
        link.parse().map_err(|_| format!("`{link}` is not a rate in Gb/s"))?
    };
    let time_ms = |text: &str| match text.parse::<f64>() {
        Ok(time_ms) if time_ms.is_finite() && time_ms > 0.0 => Ok(time_ms),
        _ => Err(format!("`{text}` is not a time in milliseconds")),
    };
    Ok((
        link,
        Sample {
            reference_ms: time_ms(reference)?,
            gpu_ms: time_ms(gpu)?,
            whole_ms: time_ms(whole)?,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_bad_table_is_refused_with_its_line() {
        for (table, part) in [
            ("", "no point"),
            ("h\n10,1,2\n", "line 2"),
            ("h\n10,1,2,3\nx,1,2,3\n", "line 3"),
            ("h\n10,1,-2,3", "-2"),
        ] {
            let error = Measured::parse(table).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}

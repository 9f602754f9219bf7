//! Measured time-time curves, and their file. A file is a table of comma-separated values. Its
//! first line names the columns, in any order, except that `gpu` is the last:
//!
//! - `gbps`: the link's rate in whole Gb/s, or `pcie` for a GPU in the task's machine.
//! - `hops`: the number of switches on the way; 0 if the file has no such column.
//! - `reference_ms`, `gpu_ms`, `whole_ms`: the times of a frame, as [`CurvePoint`] has them.
//! - `gpu`: the GPU's model. Without the column, or with an empty field, any GPU.

use super::attachment::{Attachment, FrameTimes, HOP_MS};
use crate::Error;
use std::fmt::Write;

const POINTS_MAX: usize = 100_000;
/// The columns that every file has.
const NEEDED: [&str; 4] = ["gbps", "reference_ms", "gpu_ms", "whole_ms"];
const KNOWN: [&str; 6] = ["gbps", "hops", "reference_ms", "gpu_ms", "whole_ms", "gpu"];

/// A point of a curve: a frame's times, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// GPU time on a GPU attached by PCIe.
    pub reference_ms: f64,
    /// GPU time behind the link.
    pub gpu_ms: f64,
    /// Whole time behind the link, without the wait for the tick.
    pub whole_ms: f64,
}

/// A measured curve: its points, sorted by reference time.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredCurve {
    /// The link.
    pub link: Attachment,
    /// The GPU's model; None for any.
    pub gpu: Option<String>,
    /// The points.
    pub points: Vec<CurvePoint>,
}

/// Measured curves of GPUs behind links.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured(Vec<MeasuredCurve>);

/// Returns a frame's times on the line between a curve's points, which are sorted by reference
/// time. Returns None beyond them.
pub fn interpolated(points: &[CurvePoint], reference_ms: f64) -> Option<FrameTimes> {
    let after = points.iter().position(|point| point.reference_ms >= reference_ms)?;
    let (low, high) = (points[after.saturating_sub(1)], points[after]);
    if reference_ms < low.reference_ms {
        return None;
    }
    let width_ms = high.reference_ms - low.reference_ms;
    let part = if width_ms > 0.0 { (reference_ms - low.reference_ms) / width_ms } else { 0.0 };
    Some(FrameTimes {
        gpu_ms: low.gpu_ms + part * (high.gpu_ms - low.gpu_ms),
        whole_ms: low.whole_ms + part * (high.whole_ms - low.whole_ms),
    })
}

impl MeasuredCurve {
    /// Returns what the way over `hops` switches adds to the curve's times: switches that were not
    /// on the measured way add their time, and those that were too many subtract none.
    pub fn added_ms(&self, hops: u32) -> f64 {
        f64::from(hops.saturating_sub(self.link.hops())) * HOP_MS
    }

    /// Returns a frame's times behind `hops` switches.
    fn times(&self, reference_ms: f64, hops: u32) -> Option<FrameTimes> {
        let FrameTimes { gpu_ms, whole_ms } = interpolated(&self.points, reference_ms)?;
        let more_ms = self.added_ms(hops);
        Some(FrameTimes { gpu_ms: gpu_ms + more_ms, whole_ms: whole_ms + more_ms })
    }
}

impl Measured {
    /// Makes a table of curves. Sorts the points of each.
    /// # Errors
    /// `Measured` if two points of a curve have one reference time, or if there is no point.
    pub fn new(mut curves: Vec<MeasuredCurve>) -> Result<Measured, Error> {
        for MeasuredCurve { link, gpu, points } in &mut curves {
            points.sort_by(|a, b| a.reference_ms.total_cmp(&b.reference_ms));
            if points.windows(2).any(|pair| pair[0].reference_ms == pair[1].reference_ms) {
                let of = gpu.as_ref().map_or(String::new(), |gpu| format!(" of {gpu}"));
                return Err(Error::Measured {
                    line: 0,
                    problem: format!("{link}{of} has two points of one reference time"),
                });
            }
        }
        if curves.iter().all(|curve| curve.points.is_empty()) {
            return Err(Error::Measured { line: 1, problem: "no point in the table".into() });
        }
        Ok(Measured(curves))
    }

    /// Parses a file.
    /// # Errors
    /// `Measured`, with the number of the faulty line.
    pub fn parse(csv: &str) -> Result<Measured, Error> {
        let mut lines = csv.lines().enumerate().filter(|(_, text)| !text.trim().is_empty());
        let columns = match lines.next() {
            Some((at, text)) => {
                columns(text).map_err(|problem| Error::Measured { line: at + 1, problem })?
            }
            None => return Measured::new(Vec::new()),
        };
        let mut curves: Vec<MeasuredCurve> = Vec::new();
        for (at, text) in lines {
            let fault = |problem: String| Error::Measured { line: at + 1, problem };
            if at > POINTS_MAX {
                return Err(fault(format!("more than {POINTS_MAX} points")));
            }
            let (link, gpu, point) = row(&columns, text).map_err(fault)?;
            match curves.iter_mut().find(|known| known.link == link && known.gpu == gpu) {
                Some(curve) => curve.points.push(point),
                None => curves.push(MeasuredCurve { link, gpu, points: vec![point] }),
            }
        }
        Measured::new(curves)
    }

    /// Formats the file.
    pub fn csv(&self) -> String {
        let mut csv = KNOWN.join(",") + "\n";
        for MeasuredCurve { link, gpu, points } in &self.0 {
            let gbps = match link {
                Attachment::Network { gbps, .. } => gbps.to_string(),
                Attachment::Pcie => "pcie".into(),
            };
            let (hops, gpu) = (link.hops(), gpu.as_deref().unwrap_or_default());
            for CurvePoint { reference_ms, gpu_ms, whole_ms } in points {
                let _ = writeln!(
                    csv,
                    "{gbps},{hops},{reference_ms:.4},{gpu_ms:.4},{whole_ms:.4},{gpu}"
                );
            }
        }
        csv
    }

    /// Returns the curve for a GPU of the model `gpu` behind `link`, or for any model if `gpu` is
    /// None. Prefers the model's own curve to one for any GPU. Then prefers the curve with the most
    /// switches that are on the link's way too, or else with the fewest.
    pub fn curve(&self, link: Attachment, gpu: Option<&str>) -> Option<&MeasuredCurve> {
        let fits = |curve: &&MeasuredCurve| {
            curve.link.bandwidth() == link.bandwidth()
                && gpu.is_none_or(|gpu| curve.gpu.as_ref().is_none_or(|of| of == gpu))
        };
        let rank = |curve: &&MeasuredCurve| {
            let (hops, most) = (curve.link.hops(), link.hops());
            let distance = if hops <= most { most - hops } else { hops };
            (gpu.is_some() && curve.gpu.is_none(), hops > most, distance)
        };
        self.0.iter().filter(fits).min_by_key(rank)
    }

    /// Returns a frame's times on a GPU of the model `gpu` behind `link`.
    pub fn times(
        &self,
        reference_ms: f64,
        link: Attachment,
        gpu: Option<&str>,
    ) -> Option<FrameTimes> {
        self.curve(link, gpu)?.times(reference_ms, link.hops())
    }
}

/// Returns the places of a file's columns.
fn columns(text: &str) -> Result<Vec<&str>, String> {
    let columns: Vec<&str> = text.split(',').map(str::trim).collect();
    if let Some(unknown) = columns.iter().find(|column| !KNOWN.contains(column)) {
        return Err(format!("`{unknown}` is not a column; the columns are {}", KNOWN.join(",")));
    }
    if let Some(missing) = NEEDED.iter().find(|needed| !columns.contains(needed)) {
        return Err(format!("the column {missing} is missing; every table has {NEEDED:?}"));
    }
    if columns.iter().rposition(|column| *column == "gpu").is_some_and(|at| at + 1 < columns.len())
    {
        return Err("gpu must be the last column, because a model's name may have commas".into());
    }
    let twice = |at: &usize| columns[..*at].contains(&columns[*at]);
    match (0..columns.len()).find(twice) {
        Some(at) => Err(format!("the column {} is there twice", columns[at])),
        None => Ok(columns),
    }
}

fn row(columns: &[&str], text: &str) -> Result<(Attachment, Option<String>, CurvePoint), String> {
    let fields: Vec<&str> = text.splitn(columns.len(), ',').map(str::trim).collect();
    if fields.len() != columns.len() {
        return Err(format!(
            "{} fields, not the {} of {}",
            fields.len(),
            columns.len(),
            columns.join(",")
        ));
    }
    let field = |name: &str| columns.iter().position(|column| *column == name).map(|at| fields[at]);
    let time_ms = |name: &str| {
        let text = field(name).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(time_ms) if time_ms.is_finite() && time_ms > 0.0 => Ok(time_ms),
            _ => Err(format!("`{text}` is not a time in milliseconds")),
        }
    };
    let hops = field("hops").unwrap_or("0");
    let hops = hops.parse().map_err(|_| format!("`{hops}` is not a number of switches"))?;
    let link = match field("gbps").unwrap_or_default() {
        pcie if pcie.eq_ignore_ascii_case("pcie") => Attachment::Pcie,
        gbps => match gbps.parse() {
            Ok(gbps) if gbps < u32::MAX => Attachment::Network { gbps, hops },
            _ => return Err(format!("`{gbps}` is not a rate in whole Gb/s")),
        },
    };
    let gpu = field("gpu").filter(|gpu| !gpu.is_empty()).map(str::to_owned);
    let point = CurvePoint {
        reference_ms: time_ms("reference_ms")?,
        gpu_ms: time_ms("gpu_ms")?,
        whole_ms: time_ms("whole_ms")?,
    };
    Ok((link, gpu, point))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "gbps,reference_ms,gpu_ms,whole_ms\n";

    #[test]
    fn a_curve_is_chosen_by_model_and_by_the_switches_on_the_way() {
        let table = "gbps,hops,reference_ms,gpu_ms,whole_ms,gpu\n\
                     10,0,2,2.1,10,\n\
                     10,2,2,2.1,20,\n\
                     10,1,2,2.1,30,NVIDIA H200, 141 GB\n";
        let measured = Measured::parse(table).unwrap();
        let whole_ms = |hops, gpu| {
            measured.times(2.0, Attachment::Network { gbps: 10, hops }, gpu).unwrap().whole_ms
        };
        let (own, other) = (Some("NVIDIA H200, 141 GB"), Some("NVIDIA L4"));
        assert_eq!((whole_ms(0, other), whole_ms(2, other)), (10.0, 20.0));
        assert_eq!(whole_ms(1, other), 10.0 + HOP_MS, "a switch more than measured");
        assert_eq!(whole_ms(0, own), 30.0, "fewer than measured subtract nothing");
        assert_eq!((whole_ms(3, own), whole_ms(2, None)), (30.0 + 2.0 * HOP_MS, 20.0));
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let curve = |link, gpu: Option<&str>, whole_ms| MeasuredCurve {
            link,
            gpu: gpu.map(str::to_owned),
            points: vec![
                CurvePoint { reference_ms: 1.5, gpu_ms: 1.75, whole_ms },
                CurvePoint { reference_ms: 3.25, gpu_ms: 3.5, whole_ms: whole_ms + 2.0 },
            ],
        };
        let measured = Measured::new(vec![
            curve(Attachment::Network { gbps: 25, hops: 2 }, Some("A, B"), 5.0),
            curve(Attachment::network(10), None, 10.0),
            curve(Attachment::Pcie, Some("A, B"), 1.5),
        ])
        .unwrap();
        assert_eq!(Measured::parse(&measured.csv()).unwrap(), measured);
    }

    #[test]
    fn a_bad_table_is_refused_with_its_line() {
        for (table, part) in [
            ("".to_owned(), "no point"),
            (HEAD.to_owned(), "no point"),
            (format!("{HEAD}10,1,2\n"), "line 2"),
            (format!("{HEAD}10,1,2,3\nx,1,2,3\n"), "line 3"),
            (format!("{HEAD}10,1,-2,3"), "-2"),
            (format!("{HEAD}10,1,2,3,4"), "3,4"),
            (format!("{HEAD}10,1,2,3\n10,1,2,4"), "two points"),
            ("gbps,reference_ms,gpu_ms,latency\n".into(), "`latency` is not a column"),
            ("gbps,reference_ms,gpu_ms\n".into(), "whole_ms is missing"),
            ("gpu,gbps,reference_ms,gpu_ms,whole_ms\n".into(), "last column"),
            ("gbps,gbps,reference_ms,gpu_ms,whole_ms\n".into(), "twice"),
            ("gbps,hops,reference_ms,gpu_ms,whole_ms\n10,-1,1,2,3".into(), "switches"),
        ] {
            let error = Measured::parse(&table).unwrap_err().to_string();
            assert!(error.contains(part), "{table}: {error}");
        }
    }
}

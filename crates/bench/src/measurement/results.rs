//! The results, as the files hold them: rows of times, one per sample and link. Derives slowdowns,
//! limits and spreads from the rows.

use super::case::{Power, Sample, Traffic};
use super::place::LinkReport;
use serde::{Deserialize, Serialize};

/// The version of the file format that this release writes and reads.
pub const VERSION: u32 = 1;
/// The name of the link in native rows.
pub const NATIVE: &str = "native";

/// The results of a measurement, and where it ran.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Version of the file format.
    pub version: u32,
    pub outhaul: String,
    pub device: String,
    /// Whether the GPU is the software GPU, whose figures say nothing about a GPU.
    pub software: bool,
    pub kernel: String,
    pub cores: usize,
    /// Number of bulk lanes of a session.
    pub lanes: usize,
    pub links: Vec<LinkReport>,
    pub rows: Vec<Row>,
    pub failures: Vec<Failure>,
}

/// One sample over one link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    pub case: String,
    pub what: String,
    pub link: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_bytes: Option<u64>,
    /// Time of each round in microseconds.
    pub us: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpu_us: Vec<f64>,
    /// Result of the computation, or a remark if rounds gave different results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<Power>,
}

/// A case that failed over a link, and the reason.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    pub case: String,
    pub link: String,
    pub reason: String,
}

/// The minimum time that a link allows for one unit of work, under two assumptions about overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Time in microseconds if copies overlap with everything else.
    pub overlapped_us: f64,
    /// Time in microseconds if nothing overlaps.
    pub serial_us: f64,
}

impl Results {
    /// Returns the native row of this row's sample.
    pub fn native(&self, row: &Row) -> Option<&Row> {
        self.rows.iter().find(|other| other.link == NATIVE && other.is_same_sample(row))
    }

    /// Returns the row's time divided by the native time.
    pub fn slowdown(&self, row: &Row) -> Option<f64> {
        Some(row.median_us() / self.native(row)?.median_us())
    }

    /// Returns the minimum time that the link allows for the row, or none for a native row.
    pub fn limit(&self, row: &Row) -> Option<Limit> {
        let (native, traffic) = (self.native(row)?, row.traffic.as_ref()?);
        let reach = &self.links.iter().find(|link| link.name == row.link)?.reach;
        let computing_us = native.median_us() + traffic.waits * reach.round_trip_us;
        let to_node_us = traffic.bytes_sent / reach.to_node_bytes_per_s * 1e6;
        let to_client_us = traffic.bytes_received / reach.to_client_bytes_per_s * 1e6;
        Some(Limit {
            overlapped_us: computing_us.max(to_node_us).max(to_client_us),
            serial_us: computing_us + to_node_us + to_client_us,
        })
    }

    /// Returns whether the row's result differs from the native one.
    pub fn differs(&self, row: &Row) -> bool {
        self.native(row).is_some_and(|native| native.result != row.result)
    }

    /// Returns the rows' cases, in order.
    pub fn cases(&self) -> Vec<&str> {
        let mut cases: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !cases.contains(&row.case.as_str()) {
                cases.push(&row.case);
            }
        }
        cases
    }

    /// Adds the samples of one process. With `timed`, adds their times too.
    pub fn add(&mut self, link: &str, samples: Vec<Sample>, timed: bool) {
        for sample in samples {
            let place = self
                .rows
                .iter()
                .position(|r| r.link == link && r.case == sample.case && r.what == sample.what);
            let place = place.unwrap_or_else(|| {
                self.rows.push(Row::new(link, &sample));
                self.rows.len() - 1
            });
            self.rows[place].add(sample, timed);
        }
    }
}

impl Row {
    fn new(link: &str, sample: &Sample) -> Row {
        Row {
            case: sample.case.clone(),
            what: sample.what.clone(),
            link: link.into(),
            size: sample.size,
            copy_bytes: sample.copy_bytes,
            us: Vec::new(),
            gpu_us: Vec::new(),
            result: sample.result.clone(),
            traffic: None,
            power: None,
        }
    }

    fn add(&mut self, sample: Sample, timed: bool) {
        if timed {
            self.us.push(sample.us);
            self.gpu_us.extend(sample.gpu_us);
        }
        self.traffic = self.traffic.or(sample.traffic);
        self.power = self.power.or(sample.power);
        if self.result != sample.result {
            self.result = Some("differs from round to round".into());
        }
    }

    /// Returns whether both rows have the same case and sample.
    pub fn is_same_sample(&self, other: &Row) -> bool {
        self.case == other.case && self.what == other.what
    }

    /// Returns the median of all rounds in microseconds.
    pub fn median_us(&self) -> f64 {
        median(&self.us)
    }

    /// Returns the difference between the slowest and the fastest round, divided by the median.
    pub fn spread(&self) -> f64 {
        let (least, most) = range(&self.us);
        (most - least) / self.median_us()
    }

    /// Returns the GPU energy of one unit of work, in joules.
    pub fn gpu_j(&self) -> Option<f64> {
        Some(self.power?.gpu_w? * self.median_us() / 1e6)
    }
}

/// Returns the median.
pub fn median(numbers: &[f64]) -> f64 {
    quantile(numbers, 0.5)
}

/// Returns the quantile: the fraction `part` of all numbers is below it.
pub fn quantile(numbers: &[f64], part: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() as f64 * part) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

/// Returns the smallest and the largest number.
pub fn range(numbers: &[f64]) -> (f64, f64) {
    numbers
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), n| (least.min(*n), most.max(*n)))
}

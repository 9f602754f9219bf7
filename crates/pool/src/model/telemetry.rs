//! Nodes' reports about their GPUs and leases in the last hour: utilisation and power. Reports are
//! only in memory; the log contains the total of an ended lease.

use crate::model::bill::{FrameCounts, Item, Method};
use crate::model::heartbeat::{GpuUse, Heartbeat, LeaseUse};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The time between two points of a curve, in milliseconds.
const STEP_MS: u64 = 10_000;
/// Two reports of a node that are less than this apart give too noisy a utilisation.
const APART_MS_MIN: u64 = 1_500;
/// The number of points in an hour.
const POINTS_MAX: usize = 360;

/// All reports of the last hour.
#[derive(Default)]
pub struct Telemetry {
    /// GPUs by node and name.
    gpus: BTreeMap<(String, String), GpuReadings>,
    /// Series by lease, node and GPU.
    leases: BTreeMap<(String, String, String), Series>,
    /// For the mean of all GPUs: each step's start, its sum of utilisations, and the number of
    /// summands.
    steps: VecDeque<(u64, f64, u32)>,
    /// When GPUs and leases that no longer exist were last removed.
    tidied_ms: u64,
}

struct GpuReadings {
    series: Series,
    /// The node's last report.
    last_report: GpuUse,
}

#[derive(Default)]
struct Series {
    /// Time and counters of the report from which the next rate is computed.
    last: Option<(u64, Counters)>,
    /// Counters of the last report.
    latest: Counters,
    busy_percent: f32,
    watts: Option<f32>,
    history: VecDeque<(u64, f32)>,
}

/// Counters of one GPU, or of a lease on it.
#[derive(Clone, Copy, Default)]
struct Counters {
    busy_ns: u64,
    active_mj: u64,
    idle_mj: u64,
    method: Option<Method>,
    frames: FrameCounts,
}

/// A GPU's utilisation and power, now and over the last hour.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GpuUsage {
    /// The name of the GPU's node.
    pub node: String,
    /// The GPU's name.
    pub gpu: String,
    /// Utilisation now, in percent.
    pub busy_percent: f32,
    /// Power now, in watts, if known.
    pub watts: Option<f32>,
    /// How the energy was measured.
    pub method: Option<Method>,
    /// The GPU's curve over the last hour, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Curve,
}

/// Energy that a GPU has drawn since its node started.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GpuEnergy {
    /// The name of the GPU's node.
    pub node: String,
    /// The GPU's name on its node.
    pub gpu: String,
    /// All energy that the GPU has drawn, in millijoules.
    pub total_mj: u64,
    /// Energy that belongs to no lease, in millijoules.
    pub unleased_mj: u64,
    /// How the energy was measured.
    pub method: Option<Method>,
}

/// Points of a time, in milliseconds since 1970, and a utilisation, in percent.
pub type Curve = Vec<(u64, f32)>;

/// A lease's current and past use of its GPUs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LeaseUsage {
    /// The lease's name.
    pub id: String,
    /// Utilisation now, in percent, summed over the lease's GPUs: two fully busy GPUs make 200.
    pub busy_percent: f32,
    /// The GPUs' busy time in total.
    pub busy_ns: u64,
    /// Energy that the GPUs drew while they were busy, in millijoules.
    pub active_mj: u64,
    /// The lease's share of the GPUs' idle energy, in millijoules.
    pub idle_mj: u64,
    /// How the energy was measured.
    pub method: Option<Method>,
    /// The lease's frames. Its request names the promised rate.
    #[serde(default, skip_serializing_if = "FrameCounts::are_none")]
    pub frames: FrameCounts,
}

impl Series {
    /// Records a report. Returns the next point of the curve, if one is due.
    fn record(&mut self, at_ms: u64, counters: Counters) -> Option<f32> {
        self.latest = counters;
        let Some((before_ms, before)) = self.last else {
            self.last = Some((at_ms, counters));
            return None;
        };
        let apart_ms = at_ms.saturating_sub(before_ms);
        if apart_ms < APART_MS_MIN {
            return None;
        }
        self.last = Some((at_ms, counters));
        let energy = |counters: Counters| counters.active_mj.saturating_add(counters.idle_mj);
        // The counters of a restarted node begin at zero.
        let busy_ns = counters.busy_ns.saturating_sub(before.busy_ns) as f64;
        self.busy_percent = (busy_ns / (apart_ms as f64 * 1e4)).min(100.0) as f32;
        self.watts = counters
            .method
            .map(|_| energy(counters).saturating_sub(energy(before)) as f32 / apart_ms as f32);
        if self.history.back().is_some_and(|(last_ms, _)| at_ms < last_ms + STEP_MS) {
            return None;
        }
        let point = (self.busy_percent * 10.0).round() / 10.0;
        self.history.push_back((at_ms, point));
        if self.history.len() > POINTS_MAX {
            self.history.pop_front();
        }
        Some(point)
    }
}

impl Series {
    fn item(&self, node: &str, gpu: &str) -> Item {
        let Counters { busy_ns, active_mj, idle_mj, method, frames } = self.latest;
        let (node, gpu) = (node.to_owned(), gpu.to_owned());
        Item { node, gpu, busy_ns, active_mj, idle_mj, method, frames, last_reported: false }
    }
}

impl Telemetry {
    /// Records a node's heartbeat.
    pub fn record(&mut self, at_ms: u64, node: &str, heartbeat: &Heartbeat) {
        for one in &heartbeat.gpus {
            let counters = Counters {
                busy_ns: one.busy_ns,
                active_mj: one.total_mj,
                idle_mj: 0,
                method: one.method,
                frames: FrameCounts::default(),
            };
            let place = (node.to_owned(), one.gpu.clone());
            let gpu = self.gpus.entry(place).or_insert_with(|| GpuReadings {
                series: Series::default(),
                last_report: one.clone(),
            });
            gpu.last_report = one.clone();
            if let Some(percent) = gpu.series.record(at_ms, counters) {
                self.add(at_ms, percent);
            }
        }
        for LeaseUse { id, gpu, busy_ns, active_mj, idle_mj, method, frames, is_final } in
            &heartbeat.uses
        {
            if !is_final {
                let counters = Counters {
                    busy_ns: *busy_ns,
                    active_mj: *active_mj,
                    idle_mj: *idle_mj,
                    method: *method,
                    frames: *frames,
                };
                self.leases
                    .entry((id.clone(), node.to_owned(), gpu.clone()))
                    .or_default()
                    .record(at_ms, counters);
            }
        }
    }

    /// Adds a point of one GPU's curve to the sum for all GPUs.
    fn add(&mut self, at_ms: u64, percent: f32) {
        let step_ms = at_ms - at_ms % STEP_MS;
        match self.steps.back_mut() {
            Some((last_ms, sum, count)) if *last_ms >= step_ms => {
                *sum += f64::from(percent);
                *count += 1;
            }
            _ => self.steps.push_back((step_ms, f64::from(percent), 1)),
        }
        if self.steps.len() > POINTS_MAX {
            self.steps.pop_front();
        }
    }

    /// Keeps only GPUs whose node satisfies `node`, and leases that satisfy `lease`.
    pub fn keep(&mut self, node: impl Fn(&str) -> bool, lease: impl Fn(&str) -> bool) {
        self.gpus.retain(|(name, _), _| node(name));
        self.leases.retain(|(id, ..), _| lease(id));
    }

    /// Calls `keep` at intervals of at least `STEP_MS`, because it visits every GPU and lease.
    pub fn tidy(&mut self, at_ms: u64, node: impl Fn(&str) -> bool, lease: impl Fn(&str) -> bool) {
        if at_ms >= self.tidied_ms + STEP_MS {
            self.tidied_ms = at_ms;
            self.keep(node, lease);
        }
    }

    /// Returns all GPUs. Those of nodes that are not `is_up` are not busy and draw nothing that the
    /// pool knows of. `curves` adds their curves, which are tens of megabytes for ten thousand
    /// GPUs.
    pub fn gpus(&self, curves: bool, is_up: impl Fn(&str) -> bool) -> Vec<GpuUsage> {
        let usage = |((node, gpu), GpuReadings { series, last_report }): (
            &(String, String),
            &GpuReadings,
        )| {
            let is_up = is_up(node);
            GpuUsage {
                node: node.clone(),
                gpu: gpu.clone(),
                busy_percent: if is_up { series.busy_percent } else { 0.0 },
                watts: series.watts.filter(|_| is_up),
                method: last_report.method,
                history: if curves { series.history.iter().copied().collect() } else { Vec::new() },
            }
        };
        self.gpus.iter().map(usage).collect()
    }

    /// Returns the mean utilisation of all GPUs in each step.
    pub fn mean(&self) -> Curve {
        let mean = |(step_ms, sum, count): &(u64, f64, u32)| {
            (*step_ms, (sum * 10.0 / f64::from(*count)).round() as f32 / 10.0)
        };
        self.steps.iter().map(mean).collect()
    }

    /// Returns the energy that GPUs have drawn since their nodes started.
    pub fn energy(&self) -> Vec<GpuEnergy> {
        let energy =
            |((node, gpu), GpuReadings { last_report, .. }): (&(String, String), &GpuReadings)| {
                let GpuUse { total_mj, unleased_mj, method, .. } = *last_report;
                GpuEnergy { node: node.clone(), gpu: gpu.clone(), total_mj, unleased_mj, method }
            };
        self.gpus.iter().map(energy).collect()
    }

    /// Returns the use of a lease so far, by GPU.
    pub fn items(&self, lease: &str) -> Vec<Item> {
        let item =
            |((_, node, gpu), series): (&(String, String, String), &Series)| series.item(node, gpu);
        let first = (lease.to_owned(), String::new(), String::new());
        self.leases.range(first..).take_while(|((id, ..), _)| id == lease).map(item).collect()
    }

    /// Returns all leases' last figures from nodes that are `lost` to the lease, by lease.
    pub fn last_reported(&self, lost: impl Fn(&str, &str) -> bool) -> Vec<(String, Item)> {
        let reports = self.leases.iter().filter(|((id, node, _), _)| lost(node, id));
        let item = |((id, node, gpu), series): (&(String, String, String), &Series)| {
            (id.clone(), Item { last_reported: true, ..series.item(node, gpu) })
        };
        reports.map(item).collect()
    }

    /// Returns the use of all leases with reports.
    pub fn leases(&self) -> Vec<LeaseUsage> {
        let mut all: BTreeMap<&str, LeaseUsage> = BTreeMap::new();
        for ((id, ..), series) in &self.leases {
            let usage = all
                .entry(id)
                .or_insert_with(|| LeaseUsage { id: id.clone(), ..LeaseUsage::default() });
            let counters = series.latest;
            usage.busy_percent += series.busy_percent;
            usage.busy_ns += counters.busy_ns;
            usage.active_mj += counters.active_mj;
            usage.idle_mj += counters.idle_mj;
            usage.method = usage.method.or(counters.method);
            // A lease with a rate has one GPU.
            if !counters.frames.are_none() {
                usage.frames = counters.frames;
            }
        }
        all.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat(busy_ms: u64, mj: u64) -> Heartbeat {
        let (gpu, method) = ("g".to_owned(), Some(Method::Nvml));
        let gpus = vec![GpuUse {
            gpu: gpu.clone(),
            busy_ns: busy_ms * 1_000_000,
            total_mj: mj,
            unleased_mj: 0,
            method,
        }];
        let uses = vec![LeaseUse {
            id: "l".into(),
            gpu,
            busy_ns: busy_ms * 1_000_000,
            active_mj: mj,
            idle_mj: 0,
            method,
            frames: FrameCounts::default(),
            is_final: false,
        }];
        Heartbeat { gpus, uses, ..Heartbeat::default() }
    }

    #[test]
    fn counters_become_rates_and_a_node_that_begins_anew_none() {
        let mut telemetry = Telemetry::default();
        telemetry.record(0, "n", &beat(0, 0));
        telemetry.record(1000, "n", &beat(900, 1));
        telemetry.record(10_000, "n", &beat(5000, 600_000));
        let gpu = &telemetry.gpus(true, |_| true)[0];
        assert_eq!(
            (gpu.busy_percent, gpu.watts, gpu.history.as_slice()),
            (50.0, Some(60.0), &[(10_000, 50.0)][..])
        );
        assert_eq!(
            (telemetry.leases()[0].busy_percent, telemetry.leases()[0].active_mj),
            (50.0, 600_000)
        );
        telemetry.record(20_000, "n", &beat(0, 0));
        assert_eq!(
            (
                telemetry.gpus(false, |_| true)[0].busy_percent,
                telemetry.gpus(false, |_| true)[0].watts
            ),
            (0.0, Some(0.0))
        );
        telemetry.keep(|_| false, |_| false);
        assert!(
            telemetry.gpus(true, |_| true).is_empty()
                && telemetry.leases().is_empty()
                && telemetry.energy().is_empty()
        );
    }

    #[test]
    fn the_curve_of_all_is_the_mean_of_each_and_others_are_given_when_asked_for() {
        let mut telemetry = Telemetry::default();
        for step in 0..3 {
            telemetry.record(step * 10_000, "idle", &beat(0, 0));
            telemetry.record(step * 10_000, "busy", &beat(step * 5000, 0));
        }
        assert_eq!(telemetry.mean(), [(10_000, 25.0), (20_000, 25.0)]);
        assert!(telemetry.gpus(false, |_| true).iter().all(|gpu| gpu.history.is_empty()));
        // A removed node's past utilisation still counts in the mean.
        telemetry.keep(|node| node == "idle", |_| true);
        assert_eq!(
            (telemetry.mean().len(), telemetry.gpus(true, |_| true)[0].history.len()),
            (2, 2)
        );
    }

    #[test]
    fn an_hour_is_kept() {
        let mut telemetry = Telemetry::default();
        (0..2000u64).for_each(|step| telemetry.record(step * 10_000, "n", &beat(step * 1000, 0)));
        assert_eq!(
            (telemetry.gpus(true, |_| true)[0].history.len(), telemetry.mean().len()),
            (POINTS_MAX, POINTS_MAX)
        );
    }
}

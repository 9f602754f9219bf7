//! The cases of the sharing benchmark: the programs of each tenant that run at the same time, and
//! the case's one figure.

use super::burst_program::Played;
use super::gpu_activity::Busy;
use super::timeline::{Timeline, shares};
use crate::measurement::results::quantile;
use serde::{Deserialize, Serialize};

/// Nanoseconds per second.
pub const SECOND_NS: u64 = 1_000_000_000;

/// A case of `outhaul bench share`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Case {
    /// Bursts of 2.4 and 112 ms, shares 50 and 50; the second starts late. Error in windows of 1 s,
    /// in points.
    Pair50,
    /// As pair50, with shares 70 and 30.
    Pair70,
    /// As pair50, but each burst is one kernel.
    Long50,
    /// As pair70, but each burst is one kernel.
    Long70,
    /// Kernels of 1 and 10 ms, equal shares. 95th percentile of the error in windows of 100 ms, in
    /// points.
    Tail,
    /// Four processes of one tenant and one process of another, equal shares. Error over the whole
    /// time, in points.
    Processes,
    /// Four tenants with four processes each, which start one after the other. Largest less
    /// smallest share, in points.
    Four,
    /// Two tenants with kernels of 1 ms, always busy, against one of them alone. Work lost, in
    /// percent.
    Lost,
    /// As lost, with kernels of 4 us.
    #[value(name = "lost-4us")]
    #[serde(rename = "lost-4us")]
    Lost4us,
    /// As lost, with kernels of 20 us.
    #[value(name = "lost-20us")]
    #[serde(rename = "lost-20us")]
    Lost20us,
    /// As lost, with kernels of 100 us.
    #[value(name = "lost-100us")]
    #[serde(rename = "lost-100us")]
    Lost100us,
    /// As lost, with kernels of 10 ms.
    #[value(name = "lost-10ms")]
    #[serde(rename = "lost-10ms")]
    Lost10ms,
    /// Kernels of 4 us next to kernels of 74 ms, equal shares. Half of the speed that the former
    /// have alone, less what they have, in points.
    #[value(name = "beside-74ms")]
    #[serde(rename = "beside-74ms")]
    Beside74ms,
    /// One program that waits for each kernel of 0.2 ms. Kernels per second.
    Alone,
    /// 0.2 ms every 5 ms at high priority, next to kernels of 74 ms. 99th percentile of a burst's
    /// time, in milliseconds.
    Priority,
    /// Programs of two tenants, which pause now and then. Difference between the use that the node
    /// reports and the kernels' time by the GPU's own clock, in percent.
    Accounts,
}

/// A program of a case.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub tenant: usize,
    pub kernel_us: u64,
    pub kernels: usize,
    pub pause_us: u64,
    pub starts_ms: u64,
    /// Whether the program reports when its kernels ran on the GPU.
    pub timed: bool,
}

/// A tenant's share and priority.
pub type Terms = (u32, u8);

/// The results of a case: the record of each program, in order, and when the case began and ended
/// on the machine's clock.
pub struct Performance<'a> {
    pub programs: &'a [Program],
    pub played: &'a [Played],
    pub from_ns: u64,
    pub until_ns: u64,
    /// Record of the first program alone, in the same setting, if the case compares with it.
    pub alone: Option<&'a Played>,
    /// Computing time of all programs, as the node reports it; for `Accounts`.
    pub accounted_ns: Option<u64>,
}

const fn program(tenant: usize, kernel_us: u64, kernels: usize, starts_ms: u64) -> Program {
    Program { tenant, kernel_us, kernels, pause_us: 0, starts_ms, timed: false }
}

impl Case {
    /// Returns the name of the case on the command line.
    pub fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self)
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    /// Returns the unit of the case's figure.
    pub fn unit(self) -> &'static str {
        match self {
            Case::Lost | Case::Lost4us | Case::Lost20us | Case::Lost100us | Case::Lost10ms => {
                "% lost"
            }
            Case::Alone => "kernels/s",
            Case::Priority => "ms",
            Case::Accounts => "% off",
            _ => "points",
        }
    }

    /// Returns the share and the priority of each tenant.
    pub fn terms(self) -> Vec<Terms> {
        match self {
            Case::Pair70 | Case::Long70 => vec![(70, 0), (30, 0)],
            Case::Four => vec![(25, 0); 4],
            Case::Alone => vec![(50, 0)],
            Case::Priority => vec![(50, 1), (50, 0)],
            _ => vec![(50, 0), (50, 0)],
        }
    }

    /// Returns the programs of the case.
    pub fn programs(self) -> Vec<Program> {
        let beside = |count: usize, tenant, starts_ms: u64| {
            (0..count).map(move |i| {
                program(tenant, 1000 + 300 * i as u64, 10, starts_ms + 250 * i as u64)
            })
        };
        let both = |kernel_us, kernels| {
            (0..2).map(|tenant| program(tenant, kernel_us, kernels, 0)).collect()
        };
        match self {
            Case::Pair50 | Case::Pair70 => {
                vec![program(0, 2_400, 1, 0), program(1, 2_240, 50, 1500)]
            }
            Case::Long50 | Case::Long70 => {
                vec![program(0, 2_400, 1, 0), program(1, 112_000, 1, 1500)]
            }
            Case::Tail => vec![program(0, 1_000, 20, 0), program(1, 10_000, 4, 0)],
            Case::Processes => {
                (0..4).map(|_| program(0, 1_000, 10, 0)).chain([program(1, 1_000, 10, 0)]).collect()
            }
            Case::Four => {
                (0..4).flat_map(|tenant| beside(4, tenant, 500 * tenant as u64)).collect()
            }
            Case::Lost => (0..2)
                .map(|tenant| Program { timed: true, ..program(tenant, 1_000, 20, 0) })
                .collect(),
            Case::Lost4us => both(4, 5_000),
            Case::Lost20us => both(20, 1_000),
            Case::Lost100us => both(100, 200),
            Case::Lost10ms => both(10_000, 4),
            Case::Beside74ms => vec![program(0, 4, 5_000, 0), program(1, 74_000, 4, 0)],
            Case::Alone => vec![program(0, 200, 1, 0)],
            Case::Accounts => {
                let pauses = |pause_us, program| Program { pause_us, timed: true, ..program };
                vec![
                    pauses(0, program(0, 1_000, 10, 0)),
                    pauses(2_000, program(1, 300, 4, 700)),
                    pauses(200_000, program(1, 10_000, 2, 1500)),
                ]
            }
            Case::Priority => {
                vec![Program { pause_us: 5_000, ..program(0, 200, 1, 0) }, program(1, 74_000, 4, 0)]
            }
        }
    }

    /// Returns whether the figure compares the programs with the first of them alone.
    pub fn is_against_alone(self) -> bool {
        matches!(
            self,
            Case::Lost
                | Case::Lost4us
                | Case::Lost20us
                | Case::Lost100us
                | Case::Lost10ms
                | Case::Beside74ms
        )
    }

    /// Returns whether the case needs a node's accounts, because the driver alone keeps none.
    pub fn needs_node(self) -> bool {
        self == Case::Accounts
    }

    /// Returns the time, after the start of the case, at which the last program has run for a
    /// second.
    pub fn settled_ns(self) -> u64 {
        self.programs().iter().map(|program| program.starts_ms).max().unwrap_or(0) * 1_000_000
            + SECOND_NS
    }
}

impl Performance<'_> {
    /// Returns the timeline of each tenant.
    pub fn timelines(&self) -> Vec<Timeline> {
        let tenants = self.programs.iter().map(|program| program.tenant + 1).max().unwrap_or(0);
        let mut timelines: Vec<Timeline> = (0..tenants).map(|_| Timeline::default()).collect();
        for (program, played) in self.programs.iter().zip(self.played) {
            timelines[program.tenant].add(played, program.kernel_us as f64 * 1e3);
        }
        timelines
    }

    /// Returns a remark about an aspect that the figure does not show.
    pub fn remark(&self, case: Case) -> Option<String> {
        let remarks = [
            (case == Case::Priority).then(|| self.cost_of_priority()),
            self.switches(),
            self.alone.map(|alone| self.rates(alone)),
        ];
        let remarks: Vec<_> = remarks.into_iter().flatten().collect();
        (!remarks.is_empty()).then(|| remarks.join("; "))
    }

    /// Reports how many kernels per second ran alone and together, by tenant, and how long a burst
    /// took.
    fn rates(&self, alone: &Played) -> String {
        let together: Vec<_> =
            self.played.iter().map(|played| format!("{:.0}", rate(played))).collect();
        let bursts_us: Vec<_> =
            self.played.iter().flat_map(|played| played.bursts_us.iter().copied()).collect();
        format!(
            "{:.0} kernels a second alone, {} together; a burst took {:.1} ms alone, {:.1} \
             together in the median and {:.1} in the 99th percentile",
            rate(alone),
            together.join(" and "),
            quantile(&alone.bursts_us, 0.5) / 1e3,
            quantile(&bursts_us, 0.5) / 1e3,
            quantile(&bursts_us, 0.99) / 1e3,
        )
    }

    /// Reports how much of the GPU the long program loses to the short one, and how much the short
    /// one uses.
    fn cost_of_priority(&self) -> String {
        let from_ns = self.from_ns + Case::Priority.settled_ns();
        let percent = |tenant: &Timeline| {
            100.0 * tenant.work_ns(from_ns, self.until_ns) / (self.until_ns - from_ns) as f64
        };
        let [short, long] =
            [0, 1].map(|tenant| self.timelines().get(tenant).map_or(f64::NAN, percent));
        format!(
            "the short program used {short:.1} % of the GPU, and the long one lost {:.1} %",
            100.0 - long
        )
    }

    /// Reports how long kernels ran and how long switches took, if the programs report their
    /// kernels' times.
    fn switches(&self) -> Option<String> {
        let busy = Busy::of(self.played);
        let switches_us: Vec<f64> = busy.switches_ns.iter().map(|ns| *ns as f64 / 1e3).collect();
        let ms = |ns: u64| ns as f64 / 1e6;
        let accounted = self
            .accounted_ns
            .map_or(String::new(), |ns| format!("; the node says {:.1} ms", ms(ns)));
        (busy.ran_ns > 0).then(|| {
            format!(
                "kernels ran for {:.1} ms, and {} switches between programs took {:.1} ms, {:.0} \
                us each in the median{accounted}",
                ms(busy.ran_ns),
                switches_us.len(),
                ms(busy.switches_ns.iter().sum()),
                if switches_us.is_empty() { 0.0 } else { quantile(&switches_us, 0.5) },
            )
        })
    }

    /// Computes the figure of the case.
    pub fn figure(&self, case: Case) -> f64 {
        let (timelines, terms) = (self.timelines(), case.terms());
        let from_ns = self.from_ns + case.settled_ns();
        let errors = |window_ns: u64| {
            let share = f64::from(terms[0].0);
            shares(&timelines, from_ns, self.until_ns, window_ns)
                .iter()
                .map(|window| (window[0] - share).abs())
                .collect::<Vec<_>>()
        };
        let overall = || {
            shares(&timelines, from_ns, self.until_ns, self.until_ns - from_ns)
                .pop()
                .unwrap_or_default()
        };
        match case {
            Case::Pair50 | Case::Pair70 | Case::Long50 | Case::Long70 => mean(&errors(SECOND_NS)),
            Case::Tail => quantile(&errors(SECOND_NS / 10), 0.95),
            // A launch adds to a kernel of 4 us, so the time of kernels would say too little.
            Case::Beside74ms => match (self.alone, self.played.first()) {
                (Some(alone), Some(beside)) => 50.0 - 100.0 * rate(beside) / rate(alone),
                _ => f64::NAN,
            },
            Case::Processes => {
                overall().first().map_or(f64::NAN, |share| (share - f64::from(terms[0].0)).abs())
            }
            Case::Four => {
                let shares = overall();
                shares.iter().fold(f64::MIN, |a, b| a.max(*b))
                    - shares.iter().fold(f64::MAX, |a, b| a.min(*b))
            }
            Case::Lost | Case::Lost4us | Case::Lost20us | Case::Lost100us | Case::Lost10ms => {
                let elapsed_ns = (self.until_ns - from_ns) as f64;
                let together = timelines
                    .iter()
                    .map(|tenant| tenant.work_ns(from_ns, self.until_ns))
                    .sum::<f64>()
                    / elapsed_ns;
                self.alone.map_or(f64::NAN, |alone| {
                    100.0
                        * (1.0
                            - together / (rate(alone) * self.programs[0].kernel_us as f64 * 1e-6))
                })
            }
            Case::Alone => self.played.first().map_or(f64::NAN, rate),
            Case::Accounts => self.accounted_ns.map_or(f64::NAN, |accounted_ns| {
                100.0 * (accounted_ns as f64 / Busy::of(self.played).ran_ns as f64 - 1.0).abs()
            }),
            Case::Priority => self
                .played
                .first()
                .map_or(f64::NAN, |played| quantile(&played.bursts_us, 0.99) / 1e3),
        }
    }
}

/// Returns the rate of kernels per second, from the first mark to the last.
fn rate(played: &Played) -> f64 {
    match (played.marks.first(), played.marks.last()) {
        (Some(first), Some(last)) => {
            (last.1 - first.1) as f64 * 1e9 / (last.0 - first.0).max(1) as f64
        }
        _ => f64::NAN,
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

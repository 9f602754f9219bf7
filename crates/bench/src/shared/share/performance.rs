//! Computes a case's figure from the records of its programs.

use super::burst_program::Played;
use super::case::{Case, Program, SECOND_NS};
use super::gpu_activity::Busy;
use super::timeline::{Timeline, shares};
use crate::measurement::results::quantile;

/// The results of a case: the record of each program, in order, and when the case ended on
/// the machine's clock.
pub struct Performance<'a> {
    pub programs: &'a [Program],
    pub played: &'a [Played],
    pub until_ns: u64,
    /// When the last program had run for a second.
    pub settled_ns: u64,
    /// Records of the first programs without the others, in the same setting, if the case compares
    /// with them.
    pub alone: &'a [Played],
    /// Why the program that goes around the node could not run.
    pub refused: Option<&'a str>,
    /// Computing time of all programs, as the node reports it; for `Accounts`.
    pub accounted_ns: Option<u64>,
}

impl Performance<'_> {
    /// Returns the timeline of each tenant's computing.
    pub fn timelines(&self) -> Vec<Timeline> {
        self.by_tenant(|played| &played.marks, |program| program.kernel_us)
    }

    /// Returns the timeline of each tenant's copying; none if no program copies.
    pub fn copying(&self) -> Vec<Timeline> {
        if self.programs.iter().all(|program| program.copy_us == 0) {
            return Vec::new();
        }
        self.by_tenant(|played| &played.copied, |program| program.copy_us)
    }

    fn by_tenant(
        &self,
        marks: fn(&Played) -> &Vec<(u64, u64)>,
        piece_us: fn(&Program) -> u64,
    ) -> Vec<Timeline> {
        let tenants = self.programs.iter().map(|program| program.tenant + 1).max().unwrap_or(0);
        let mut timelines: Vec<Timeline> = (0..tenants).map(|_| Timeline::default()).collect();
        for (program, played) in self.programs.iter().zip(self.played) {
            timelines[program.tenant].add(marks(played), piece_us(program) as f64 * 1e3);
        }
        timelines
    }

    /// Returns a remark about an aspect that the figure does not show.
    pub fn remark(&self, case: Case) -> Option<String> {
        let remarks = [
            (case == Case::Priority).then(|| self.cost_of_priority()),
            self.switches(),
            (case == Case::Around).then(|| self.stranger()),
            self.alone.first().filter(|_| case != Case::Around).map(|alone| self.rates(alone)),
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

    /// Reports what the program that goes around the node had, and what the tenants had with and
    /// without it.
    fn stranger(&self) -> String {
        if let Some(why) = self.refused {
            return format!("the program that goes around did not run: {why}");
        }
        let percent = |played: &[Played]| {
            let each = played.iter().zip(self.programs);
            let of = |(played, program): (&Played, &Program)| {
                format!("{:.1} %", rate(played) * program.kernel_us as f64 * 1e-4)
            };
            each.map(of).collect::<Vec<_>>().join(", ")
        };
        format!(
            "of the GPU, the tenants and the program that goes around had {}; without it, the \
            tenants had {}",
            percent(self.played),
            percent(self.alone)
        )
    }

    /// Reports how much of the GPU the long program loses to the short one, and how much the short
    /// one uses.
    fn cost_of_priority(&self) -> String {
        let from_ns = self.settled_ns;
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
        let from_ns = self.settled_ns;
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
            Case::Beside74ms => match (self.alone.first(), self.played.first()) {
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
                self.alone.first().map_or(f64::NAN, |alone| {
                    100.0
                        * (1.0
                            - together / (rate(alone) * self.programs[0].kernel_us as f64 * 1e-6))
                })
            }
            Case::Around => {
                let sum = |played: &[Played]| played.iter().map(rate).sum::<f64>();
                100.0 * (1.0 - sum(&self.played[..self.alone.len()]) / sum(self.alone))
            }
            Case::Copies => {
                let elapsed_ns = (self.until_ns - from_ns) as f64;
                let worked = |of: &[Timeline]| {
                    of.iter().map(|one| one.work_ns(from_ns, self.until_ns)).sum::<f64>()
                };
                100.0 * (worked(&timelines) + worked(&self.copying())) / elapsed_ns
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

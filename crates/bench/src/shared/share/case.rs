//! The cases of the sharing benchmark: the programs of each tenant that run at the same time.

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
    /// Two tenants that copy and compute, as Gdev's SRAD: copies of 4 ms around 4 and around 16
    /// kernels of 1 ms. Computing and copying of both together, in percent of the time; more than
    /// 100 if copies overlap kernels.
    Copies,
    /// Two tenants with kernels of 1 ms, equal shares, next to a program with such kernels that
    /// opens the GPU itself. Work that the tenants lose, in percent.
    Around,
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
    /// Time of a copy to the device before each burst, and of one back after it, if nothing else
    /// copies; 0 for none.
    pub copy_us: u64,
    /// Whether the program opens the GPU itself, and does not ask the node.
    pub goes_around: bool,
}

/// A tenant's share and priority.
pub type Terms = (u32, u8);

const fn program(tenant: usize, kernel_us: u64, kernels: usize, starts_ms: u64) -> Program {
    Program {
        tenant,
        kernel_us,
        kernels,
        pause_us: 0,
        starts_ms,
        timed: false,
        copy_us: 0,
        goes_around: false,
    }
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
            Case::Around => "% lost",
            Case::Copies => "% used",
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
            Case::Copies => [(0, 4), (1, 16)]
                .map(|(tenant, kernels)| Program {
                    copy_us: 4_000,
                    ..program(tenant, 1_000, kernels, 0)
                })
                .into(),
            Case::Around => {
                let around = Program { goes_around: true, ..program(2, 1_000, 20, 0) };
                vec![program(0, 1_000, 20, 0), program(1, 1_000, 20, 0), around]
            }
            Case::Priority => {
                vec![Program { pause_us: 5_000, ..program(0, 200, 1, 0) }, program(1, 74_000, 4, 0)]
            }
        }
    }

    /// Returns how many of the programs, from the first on, also run without the others, because
    /// the figure compares both.
    pub fn alone(self) -> usize {
        match self {
            Case::Around => 2,
            Case::Lost
            | Case::Lost4us
            | Case::Lost20us
            | Case::Lost100us
            | Case::Lost10ms
            | Case::Beside74ms => 1,
            _ => 0,
        }
    }

    /// Returns whether the case needs a node's accounts, because the driver alone keeps none.
    pub fn needs_node(self) -> bool {
        self == Case::Accounts
    }

    /// Returns the programs of the case. If its tenants start one after the other, their starts are
    /// `apart_ms` apart.
    pub fn programs_apart(self, apart_ms: Option<u64>) -> Vec<Program> {
        let mut programs = self.programs();
        let Some(apart_ms) = apart_ms.filter(|_| programs.iter().any(|one| one.starts_ms > 0))
        else {
            return programs;
        };
        let first = |tenant, programs: &[Program]| {
            programs.iter().filter(|one| one.tenant == tenant).map(|one| one.starts_ms).min()
        };
        let before = programs.clone();
        for program in &mut programs {
            let start_ms = first(program.tenant, &before).unwrap_or(0);
            program.starts_ms += program.tenant as u64 * apart_ms - start_ms;
        }
        programs
    }
}

/// Returns the time, after the start of a case, at which the last program has run for a second.
pub fn settled_ns(programs: &[Program]) -> u64 {
    programs.iter().map(|program| program.starts_ms).max().unwrap_or(0) * 1_000_000 + SECOND_NS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenants_start_as_far_apart_as_in_the_paper() {
        let starts = |case: Case, apart_ms| -> Vec<u64> {
            case.programs_apart(apart_ms).iter().map(|program| program.starts_ms).collect()
        };
        assert_eq!(starts(Case::Pair50, Some(30_000)), [0, 30_000]);
        assert_eq!(starts(Case::Lost, Some(30_000)), [0, 0], "both always start at once");
        let four = starts(Case::Four, Some(30_000));
        assert_eq!((four[0], four[3], four[4], four[15]), (0, 750, 30_000, 90_750));
        assert_eq!(starts(Case::Four, None)[4], 500);
        assert_eq!(settled_ns(&Case::Pair50.programs_apart(Some(30_000))), 31 * SECOND_NS);
    }
}

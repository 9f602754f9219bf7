//! Placement: which waiting task goes where, now. A policy sees the fleet and the head of the queue
//! and names one task and one GPU, or nobody; what it names satisfies Equations 1 and 2. The pool
//! and the simulator ask the same code.

use crate::Error;
use crate::fleet::{Demand, Fleet};
use std::cmp::Reverse;
use std::str::FromStr;

/// Tasks whose demands differ by less than this part of a frame are of one size.
const SIZES: u64 = 128;
/// Room that lacks less than this part of a task of mean size has room for it: some are smaller.
const SLACK: u64 = 8;

/// A task that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// What it asks of each class of GPUs.
    pub demand: Demand,
    /// How long it will last.
    pub frames: u64,
}

/// Who goes where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Position among those that wait.
    pub position: usize,
    /// The GPU's number.
    pub gpu: usize,
}

/// The policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// The paper's Method 1: the highest bandwidth.
    HighestBandwidth,
    /// The paper's Method 2: the lowest bandwidth.
    LowestBandwidth,
    /// The paper's Method 3: the highest utilisation.
    Fullest,
    /// The least room left.
    BestFit,
    /// The most room left.
    WorstFit,
    /// The lowest bandwidth, and there the fullest GPU.
    LowestBestFit,
    /// Chooses the task for a GPU rather than a GPU for the task; the scarcest first.
    Ours,
}

impl Policy {
    /// All, in the order of tables.
    pub const ALL: [Policy; 7] = [
        Policy::HighestBandwidth,
        Policy::LowestBandwidth,
        Policy::Fullest,
        Policy::BestFit,
        Policy::WorstFit,
        Policy::LowestBestFit,
        Policy::Ours,
    ];

    /// Name in flags and tables.
    pub fn name(self) -> &'static str {
        match self {
            Policy::HighestBandwidth => "1",
            Policy::LowestBandwidth => "2",
            Policy::Fullest => "3",
            Policy::BestFit => "bf",
            Policy::WorstFit => "wf",
            Policy::LowestBestFit => "low+bf",
            Policy::Ours => "ours",
        }
    }

    /// The next task to place and its GPU; none if nobody in `waiting` fits anywhere.
    pub fn choose(self, fleet: &Fleet, waiting: &[Waiting]) -> Option<Choice> {
        self.choose_admitted(fleet, waiting, &|_| true)
    }

    /// As `choose`, where time is not all that a GPU must have room for: of those waiting, `admits`
    /// says who may go where.
    pub fn choose_admitted(
        self,
        fleet: &Fleet,
        waiting: &[Waiting],
        admits: &dyn Fn(Choice) -> bool,
    ) -> Option<Choice> {
        if self == Policy::Ours {
            return scarcest(fleet, waiting, admits);
        }
        let mut queue = waiting.iter().enumerate();
        queue.find_map(|(position, task)| {
            let gpu = self.gpu(fleet, &task.demand, |gpu| admits(Choice { position, gpu }))?;
            Some(Choice { position, gpu })
        })
    }

    /// A GPU for one task.
    fn gpu(self, fleet: &Fleet, demand: &Demand, admits: impl Fn(usize) -> bool) -> Option<usize> {
        let mut rising = fleet.classes().filter_map(|class| Some((class, demand.ns(class)?)));
        let load_with =
            |gpu: usize| fleet.load_ns(gpu) + demand.ns(fleet.class_of(gpu)).unwrap_or(0);
        match self {
            Policy::HighestBandwidth => {
                rising.rev().find_map(|(class, ns)| fleet.first(class, ns, &admits))
            }
            Policy::LowestBandwidth => {
                rising.find_map(|(class, ns)| fleet.first(class, ns, &admits))
            }
            Policy::LowestBestFit | Policy::Ours => {
                rising.find_map(|(class, ns)| fleet.fullest(class, ns, &admits))
            }
            Policy::Fullest => {
                lowest(rising.filter_map(|(class, ns)| fleet.fullest(class, ns, &admits)), |gpu| {
                    u64::MAX - fleet.load_ns(gpu)
                })
            }
            Policy::BestFit => {
                lowest(rising.filter_map(|(class, ns)| fleet.fullest(class, ns, &admits)), |gpu| {
                    u64::MAX - load_with(gpu)
                })
            }
            Policy::WorstFit => lowest(
                rising.filter_map(|(class, ns)| fleet.emptiest(class, ns, &admits)),
                load_with,
            ),
        }
    }
}

impl FromStr for Policy {
    type Err = Error;

    fn from_str(name: &str) -> Result<Policy, Error> {
        let found = Policy::ALL.into_iter().find(|policy| policy.name() == name);
        found.ok_or_else(|| {
            Error::Usage(format!(
                "no placement `{name}`: {}",
                Policy::ALL.map(Policy::name).join(", ")
            ))
        })
    }
}

/// The GPU with the lowest cost; of equal ones the lowest number.
fn lowest(gpus: impl Iterator<Item = usize>, cost: impl Fn(usize) -> u64) -> Option<usize> {
    gpus.min_by_key(|gpu| (cost(*gpu), *gpu))
}

/// First the tasks that only one class may have, then the others, behind the slowest link that has
/// room: what is flexible leaves alone what somebody else depends on.
fn scarcest(fleet: &Fleet, waiting: &[Waiting], admits: &dyn Fn(Choice) -> bool) -> Option<Choice> {
    let captive = || fleet.classes().find_map(|class| even(fleet, waiting, class, true, admits));
    captive()
        .or_else(|| fleet.classes().find_map(|class| even(fleet, waiting, class, false, admits)))
}

/// For the emptiest GPU of a class the task that divides its room evenly: where there is room for
/// three of mean size it gets a third, so that the last gap is as large as a task. Of tasks of
/// about one size the longest goes first, so that none is left alone at the end. The GPU is the one
/// that it fits most tightly.
fn even(
    fleet: &Fleet,
    waiting: &[Waiting],
    class: usize,
    captive: bool,
    admits: &dyn Fn(Choice) -> bool,
) -> Option<Choice> {
    let room_ns = fleet.frame_ns().saturating_sub(fleet.least_load_ns(class));
    let fitting = || {
        let of_kind = waiting
            .iter()
            .enumerate()
            .filter(move |(_, task)| (task.demand.only_class() == Some(class)) == captive);
        of_kind.filter_map(move |(position, task)| {
            Some((position, task.demand.ns(class).filter(|ns| *ns < room_ns)?))
        })
    };
    let (count, sum_ns) =
        fitting().fold((0, 0), |(count, sum_ns), (_, ns)| (count + 1, sum_ns + ns));
    let mean_ns = (sum_ns / u64::max(count, 1)).max(1);
    let share_ns = room_ns / ((room_ns + mean_ns / SLACK) / mean_ns).max(1);
    let same_ns = (fleet.frame_ns() / SIZES).max(1);
    let rank = |(position, ns): &(usize, u64)| {
        // Too large for its share is worse than any size below it.
        let miss_ns = if *ns <= share_ns { share_ns - ns } else { *ns };
        (miss_ns / same_ns, Reverse(waiting[*position].frames), *position)
    };
    let tightest = |(position, ns): (usize, u64)| {
        let gpu = fleet.fullest(class, ns, |gpu| admits(Choice { position, gpu }))?;
        Some(Choice { position, gpu })
    };
    tightest(fitting().min_by_key(rank)?).or_else(|| {
        let mut ranked: Vec<_> = fitting().collect();
        ranked.sort_by_key(rank);
        ranked.into_iter().skip(1).find_map(tightest)
    })
}

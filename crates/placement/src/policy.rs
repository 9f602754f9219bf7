//! Placement policies: which waiting task to place next, and where. A policy sees the fleet and the
//! head of the queue, and names one task and one GPU, or none. Its choice satisfies Equations 1 and
//! 2. The pool and the simulator run the same code.

use crate::Error;
use crate::fleet::{Demand, Fleet};
use std::cmp::Reverse;
use std::str::FromStr;

/// Divisor of a frame: tasks whose demands differ by less than the quotient count as equal in size.
const SIZES: u64 = 128;
/// Divisor of a mean task: the room for n tasks may lack the quotient, because some tasks are
/// smaller.
const SLACK: u64 = 8;

/// A waiting task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The task's demand in each class of GPUs.
    pub demand: Demand,
    /// The number of frames that the task lasts.
    pub frames: u64,
}

/// The task to place, and its GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The task's position among the waiting tasks.
    pub position: usize,
    /// The GPU's number.
    pub gpu: usize,
}

/// The placement policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// The paper's Method 1: highest bandwidth first.
    HighestBandwidth,
    /// The paper's Method 2: lowest bandwidth first.
    LowestBandwidth,
    /// The paper's Method 3: highest utilisation first.
    Fullest,
    /// The paper's rule: Method 2 while some waiting task cannot run behind every link, else Method
    /// 3.
    Rule,
    /// The GPU with the least room left.
    BestFit,
    /// The GPU with the most room left.
    WorstFit,
    /// Lowest bandwidth first, and the fullest GPU of that class.
    LowestBestFit,
    /// Chooses a task for a GPU instead of a GPU for a task. Tasks that only one class may run go
    /// first.
    Ours,
}

impl Policy {
    /// All policies, in the order used in tables.
    pub const ALL: [Policy; 8] = [
        Policy::HighestBandwidth,
        Policy::LowestBandwidth,
        Policy::Fullest,
        Policy::Rule,
        Policy::BestFit,
        Policy::WorstFit,
        Policy::LowestBestFit,
        Policy::Ours,
    ];

    /// The paper's Methods 1 to 3.
    pub const PAPER: [Policy; 3] =
        [Policy::HighestBandwidth, Policy::LowestBandwidth, Policy::Fullest];

    /// Returns the policy's name in flags and tables.
    pub fn name(self) -> &'static str {
        match self {
            Policy::HighestBandwidth => "1",
            Policy::LowestBandwidth => "2",
            Policy::Fullest => "3",
            Policy::Rule => "rule",
            Policy::BestFit => "bf",
            Policy::WorstFit => "wf",
            Policy::LowestBestFit => "low+bf",
            Policy::Ours => "ours",
        }
    }

    /// Returns the next task to place and its GPU, or None if no task in `waiting` fits anywhere.
    pub fn choose(self, fleet: &Fleet, waiting: &[Waiting]) -> Option<Choice> {
        self.choose_admitted(fleet, waiting, &|_| true)
    }

    /// Returns a choice as `choose` does, restricted to choices that `admits` accepts. The caller
    /// uses `admits` for resources other than time.
    pub fn choose_admitted(
        self,
        fleet: &Fleet,
        waiting: &[Waiting],
        admits: &dyn Fn(Choice) -> bool,
    ) -> Option<Choice> {
        if self == Policy::Ours {
            return scarcest(fleet, waiting, admits);
        }
        if self == Policy::Rule {
            let is_picky = |task: &Waiting| fleet.classes().any(|c| task.demand.ns(c).is_none());
            let picky = waiting.iter().any(is_picky);
            let method = if picky { Policy::LowestBandwidth } else { Policy::Fullest };
            return method.choose_admitted(fleet, waiting, admits);
        }
        let mut queue = waiting.iter().enumerate();
        queue.find_map(|(position, task)| {
            let gpu = self.gpu(fleet, &task.demand, |gpu| admits(Choice { position, gpu }))?;
            Some(Choice { position, gpu })
        })
    }

    /// Returns a GPU for one task.
    fn gpu(self, fleet: &Fleet, demand: &Demand, admits: impl Fn(usize) -> bool) -> Option<usize> {
        let mut rising = fleet.classes().filter_map(|class| Some((class, demand.ns(class)?)));
        let load_with =
            |gpu: usize| fleet.load_ns(gpu) + demand.ns(fleet.class_of(gpu)).unwrap_or(0);
        match self {
            Policy::HighestBandwidth => {
                // Behind links of one bandwidth, the nearest GPU is first.
                let mut falling: Vec<_> = rising.collect();
                falling.sort_by_key(|(class, _)| Reverse(fleet.link(*class).bandwidth()));
                falling.into_iter().find_map(|(class, ns)| fleet.first(class, ns, &admits))
            }
            Policy::LowestBandwidth => {
                rising.find_map(|(class, ns)| fleet.first(class, ns, &admits))
            }
            Policy::LowestBestFit | Policy::Ours => {
                rising.find_map(|(class, ns)| fleet.fullest(class, ns, &admits))
            }
            Policy::Fullest | Policy::Rule => {
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
                "unknown placement policy `{name}`; choose one of {}",
                Policy::ALL.map(Policy::name).join(", ")
            ))
        })
    }
}

/// Returns the GPU with the lowest cost; among equal costs, the one with the lowest number.
fn lowest(gpus: impl Iterator<Item = usize>, cost: impl Fn(usize) -> u64) -> Option<usize> {
    gpus.min_by_key(|gpu| (cost(*gpu), *gpu))
}

/// Chooses tasks that only one class may run before the others. A task goes to the slowest link
/// that has room, so that flexible tasks leave fast links to tasks that depend on them.
fn scarcest(fleet: &Fleet, waiting: &[Waiting], admits: &dyn Fn(Choice) -> bool) -> Option<Choice> {
    let captive = || fleet.classes().find_map(|class| even(fleet, waiting, class, true, admits));
    captive()
        .or_else(|| fleet.classes().find_map(|class| even(fleet, waiting, class, false, admits)))
}

/// Chooses the task that divides the room of a class's emptiest GPU evenly. If three mean-sized
/// tasks fit, the task takes a third of the room. The last gap is then as large as a task. Among
/// tasks of similar size, the longest goes first, so that none remains alone at the end. The task
/// goes to the GPU that it fits most tightly.
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
        // A task larger than the share ranks after every task that is not.
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

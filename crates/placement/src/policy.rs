//! Placement: which waiting task to place now, and where. A policy sees the fleet and the head of
//! the queue, and names one task and one GPU, or none. Its choice satisfies Equations 1 and 2. The
//! pool and the simulator run the same code.

use crate::Error;
use crate::fleet::{Demand, Fleet};
use std::cmp::Reverse;
use std::str::FromStr;

/// Tasks whose demands differ by less than this part of a frame count as equal in size.
const SIZES: u64 = 128;
/// Room for n tasks of mean size may lack this part of one: some tasks are smaller.
const SLACK: u64 = 8;

/// A waiting task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its demand in each class of GPUs.
    pub demand: Demand,
    /// How many frames it will last.
    pub frames: u64,
}

/// Which task goes to which GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Position among the waiting tasks.
    pub position: usize,
    /// The GPU's number.
    pub gpu: usize,
}

/// The policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// The paper's Method 1: highest bandwidth first.
    HighestBandwidth,
    /// The paper's Method 2: lowest bandwidth first.
    LowestBandwidth,
    /// The paper's Method 3: highest utilisation first.
    Fullest,
    /// Least room left.
    BestFit,
    /// Most room left.
    WorstFit,
    /// Lowest bandwidth first, and there the fullest GPU.
    LowestBestFit,
    /// Chooses a task for a GPU instead of a GPU for a task; first tasks that only one class may
    /// run.
    Ours,
}

impl Policy {
    /// All policies, in the order of tables.
    pub const ALL: [Policy; 7] = [
        Policy::HighestBandwidth,
        Policy::LowestBandwidth,
        Policy::Fullest,
        Policy::BestFit,
        Policy::WorstFit,
        Policy::LowestBestFit,
        Policy::Ours,
    ];

    /// The paper's Methods 1 to 3.
    pub const PAPER: [Policy; 3] =
        [Policy::HighestBandwidth, Policy::LowestBandwidth, Policy::Fullest];

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

    /// The next task to place and its GPU; none if no task in `waiting` fits anywhere.
    pub fn choose(self, fleet: &Fleet, waiting: &[Waiting]) -> Option<Choice> {
        self.choose_admitted(fleet, waiting, &|_| true)
    }

    /// Like `choose`, if a GPU must have room for more than time: `admits` decides which choices
    /// are allowed.
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
                "unknown placement policy `{name}`; choose one of {}",
                Policy::ALL.map(Policy::name).join(", ")
            ))
        })
    }
}

/// The GPU with the lowest cost; of equal ones, the lowest number.
fn lowest(gpus: impl Iterator<Item = usize>, cost: impl Fn(usize) -> u64) -> Option<usize> {
    gpus.min_by_key(|gpu| (cost(*gpu), *gpu))
}

/// First places tasks that only one class may run, then the others, behind the slowest link that
/// has room: flexible tasks leave room for tasks that depend on it.
fn scarcest(fleet: &Fleet, waiting: &[Waiting], admits: &dyn Fn(Choice) -> bool) -> Option<Choice> {
    let captive = || fleet.classes().find_map(|class| even(fleet, waiting, class, true, admits));
    captive()
        .or_else(|| fleet.classes().find_map(|class| even(fleet, waiting, class, false, admits)))
}

/// Chooses the task that divides the room of a class's emptiest GPU evenly: room for three tasks of
/// mean size gets a task of a third, so that the last gap is as large as a task. Among tasks of
/// about one size the longest goes first, so that none remains alone at the end. The task goes to
/// the GPU that it fits most tightly.
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
        // A task larger than this share ranks behind every smaller size.
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

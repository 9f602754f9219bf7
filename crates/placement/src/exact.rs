//! The proven minimum number of frames for a few tasks on a few GPUs. Once each task has its GPU,
//! the GPUs are independent. The outer search assigns tasks to GPUs; the inner search packs one GPU
//! and caches the result.

use crate::Error;
use crate::fleet::{Demand, Fleet};
use crate::frame_deadline::Promise;
use crate::policy::Policy;
use crate::simulator::{Window, simulate};
use crate::tasks::Task;
use crate::time_time_curves::Attachment;
use std::collections::HashMap;

const TASKS_MAX: usize = 16;
const STEPS_MAX: usize = 50_000_000;

/// Returns the minimum makespan over all schedules without migration or interruption.
/// # Errors
/// `TooMany` for too many tasks, or for too many steps before a proof; `NeverFits`; any error of
/// `Fleet`.
pub fn frames(
    tasks: &[Task],
    promise: &Promise,
    gpus: &[(Attachment, usize)],
) -> Result<u64, Error> {
    if tasks.len() > TASKS_MAX {
        return Err(Error::TooMany {
            what: "tasks of an exact search",
            found: tasks.len(),
            max: TASKS_MAX,
        });
    }
    let fleet = Fleet::new(promise.frame_ns(), gpus)?;
    let demands =
        tasks.iter().map(|task| fleet.demand(promise, task)).collect::<Result<Vec<_>, _>>()?;
    let found = simulate(tasks, promise, gpus, Policy::Ours, Window::new(TASKS_MAX)?)?.frames;
    let total: usize = gpus.iter().map(|(_, count)| count).sum();
    let mut search = Search {
        tasks,
        demands: &demands,
        fleet: &fleet,
        best: found,
        packed: HashMap::new(),
        steps: 0,
    };
    search.deal(0, &mut vec![0; total], 0)?;
    Ok(search.best)
}

struct Search<'a> {
    tasks: &'a [Task],
    demands: &'a [Demand],
    fleet: &'a Fleet,
    best: u64,
    /// The minimum makespan of a set of tasks on one GPU, by class and by the set's bits.
    packed: HashMap<(usize, u32), u64>,
    steps: usize,
}

impl Search<'_> {
    /// Assigns the tasks from number `next` on. `sets` holds a bit per task for each GPU; `longest`
    /// is the largest number of frames that any GPU needs so far.
    fn deal(&mut self, next: usize, sets: &mut Vec<u32>, longest: u64) -> Result<(), Error> {
        self.step()?;
        if next == self.tasks.len() {
            self.best = self.best.min(longest);
            return Ok(());
        }
        for gpu in 0..sets.len() {
            let class = self.fleet.class_of(gpu);
            // The empty GPUs of a class are interchangeable.
            let alike = gpu > self.fleet.gpus(class).start && sets[gpu] == 0 && sets[gpu - 1] == 0;
            if alike || self.demands[next].ns(class).is_none() {
                continue;
            }
            sets[gpu] |= 1 << next;
            let needed = longest.max(self.pack(class, sets[gpu])?);
            if needed < self.best {
                self.deal(next + 1, sets, needed)?;
            }
            sets[gpu] &= !(1 << next);
        }
        Ok(())
    }

    fn pack(&mut self, class: usize, set: u32) -> Result<u64, Error> {
        if let Some(known) = self.packed.get(&(class, set)) {
            return Ok(*known);
        }
        let members = (0..self.tasks.len()).filter(|task| set & (1 << task) != 0);
        let jobs = members
            .filter_map(|task| Some((self.demands[task].ns(class)?, self.tasks[task].frames)))
            .collect();
        let mut gpu =
            Packing { jobs, room_ns: self.fleet.frame_ns() - 1, best: u64::MAX, steps: self.steps };
        let all = (1u32 << gpu.jobs.len()) - 1;
        gpu.start(0, &mut Vec::new(), all, 0)?;
        self.steps = gpu.steps;
        self.packed.insert((class, set), gpu.best);
        Ok(gpu.best)
    }

    fn step(&mut self) -> Result<(), Error> {
        self.steps += 1;
        enough(self.steps)
    }
}

/// The search for one GPU's best schedule. Each job is a pair of demand and frames.
struct Packing {
    jobs: Vec<(u64, u64)>,
    room_ns: u64,
    best: u64,
    steps: usize,
}

impl Packing {
    /// Starts jobs of the set `left` at frame `now`, from number `from` on, or advances time to
    /// the next end. Some best schedule starts each job at frame 0 or when another job ends.
    /// `running` holds pairs of demand and end.
    fn start(
        &mut self,
        now: u64,
        running: &mut Vec<(u64, u64)>,
        left: u32,
        from: usize,
    ) -> Result<(), Error> {
        self.steps += 1;
        enough(self.steps)?;
        let last = running.iter().map(|(_, end)| *end).max().unwrap_or(now);
        if left == 0 {
            self.best = self.best.min(last);
            return Ok(());
        }
        let waiting =
            || (0..self.jobs.len()).filter(|job| left & (1 << job) != 0).map(|job| self.jobs[job]);
        let area: u64 = running.iter().map(|(ns, end)| ns * (end - now)).sum::<u64>()
            + waiting().map(|(ns, frames)| ns * frames).sum::<u64>();
        let longest = waiting().map(|(_, frames)| frames).max().unwrap_or(0);
        if (now + area.div_ceil(self.room_ns).max(longest)).max(last) >= self.best {
            return Ok(());
        }
        let used_ns: u64 = running.iter().map(|(ns, _)| ns).sum();
        for job in (from..self.jobs.len()).filter(|job| left & (1 << job) != 0) {
            let (ns, frames) = self.jobs[job];
            if used_ns + ns <= self.room_ns {
                running.push((ns, now + frames));
                self.start(now, running, left & !(1 << job), job + 1)?;
                running.pop();
            }
        }
        let Some(next) = running.iter().map(|(_, end)| *end).min() else { return Ok(()) };
        let mut later: Vec<_> = running.iter().copied().filter(|(_, end)| *end > next).collect();
        self.start(next, &mut later, left, 0)
    }
}

fn enough(steps: usize) -> Result<(), Error> {
    if steps > STEPS_MAX {
        Err(Error::TooMany { what: "steps of an exact search", found: steps, max: STEPS_MAX })
    } else {
        Ok(())
    }
}

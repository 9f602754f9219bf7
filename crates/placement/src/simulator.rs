//! A simulator that runs tasks through a policy, frame by frame, until all are done. Time advances
//! in whole frames; tasks never migrate and are never interrupted.

use crate::Error;
use crate::fleet::Fleet;
use crate::frame_deadline::Promise;
use crate::policy::{Policy, Waiting};
use crate::tasks::Task;
use crate::time_time_curves::Attachment;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const WINDOW_MAX: usize = 1 << 16;

/// The number of tasks at the head of the queue that a policy sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window(usize);

impl Window {
    /// A window of one task, so that the first task blocks all others.
    pub const FIFO: Window = Window(1);

    /// Makes a window of `len` tasks.
    /// # Errors
    /// `Usage` if `len` is zero or more than the maximum.
    pub fn new(len: usize) -> Result<Window, Error> {
        match len {
            1..=WINDOW_MAX => Ok(Window(len)),
            _ => Err(Error::Usage(format!("a window of {len} tasks; choose 1 to {WINDOW_MAX}"))),
        }
    }
}

impl std::fmt::Display for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == Window::FIFO { write!(f, "fifo") } else { write!(f, "window:{}", self.0) }
    }
}

impl std::str::FromStr for Window {
    type Err = Error;

    fn from_str(text: &str) -> Result<Window, Error> {
        if text == "fifo" {
            return Ok(Window::FIFO);
        }
        let len = text.strip_prefix("window:").and_then(|len| len.parse().ok());
        Window::new(
            len.ok_or_else(|| Error::Usage(format!("no queue `{text}`; choose fifo or window:N")))?,
        )
    }
}

/// A placement: where and when a task ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The task's position among the tasks.
    pub task: usize,
    /// The GPU's number.
    pub gpu: usize,
    /// The task's first frame.
    pub start: u64,
    /// The frame after the task's last one.
    pub end: u64,
    /// The task's GPU time per frame.
    pub demand_ns: u64,
}

/// The result of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Number of frames until all tasks were done.
    pub frames: u64,
    /// The placements, in order.
    pub placed: Vec<Placed>,
    /// Mean utilisation of the GPUs (Equation 3).
    pub utilisation: f64,
}

/// Places `tasks`, which all wait from the start, on `gpus`.
/// # Errors
/// `NeverFits` for a task that no GPU can run; any error of `Fleet`.
pub fn simulate(
    tasks: &[Task],
    promise: &Promise,
    gpus: &[(Attachment, usize)],
    policy: Policy,
    window: Window,
) -> Result<Run, Error> {
    let mut fleet = Fleet::new(promise.frame_ns(), gpus)?;
    let demands =
        tasks.iter().map(|task| fleet.demand(promise, task)).collect::<Result<Vec<_>, _>>()?;
    let mut arriving = demands
        .into_iter()
        .zip(tasks)
        .map(|(demand, task)| Waiting { demand, frames: task.frames })
        .enumerate();
    let (mut numbers, mut waiting): (Vec<usize>, Vec<Waiting>) =
        arriving.by_ref().take(window.0).unzip();
    let mut ends = BinaryHeap::new();
    let (mut now, mut placed) = (0, Vec::with_capacity(tasks.len()));
    loop {
        while let Some(choice) = policy.choose(&fleet, &waiting) {
            let (task, next) = (numbers.remove(choice.position), waiting.remove(choice.position));
            let demand_ns = next.demand.ns(fleet.class_of(choice.gpu)).unwrap_or(u64::MAX);
            fleet.add(choice.gpu, demand_ns);
            ends.push(Reverse((now + next.frames, choice.gpu, demand_ns)));
            placed.push(Placed {
                task,
                gpu: choice.gpu,
                start: now,
                end: now + next.frames,
                demand_ns,
            });
            if let Some((task, next)) = arriving.next() {
                numbers.push(task);
                waiting.push(next);
            }
        }
        let Some(Reverse((end, ..))) = ends.peek().copied() else { break };
        now = end;
        while let Some(Reverse((_, gpu, demand_ns))) =
            ends.peek().copied().filter(|Reverse((end, ..))| *end == now)
        {
            fleet.remove(gpu, demand_ns);
            ends.pop();
        }
    }
    let busy_ns: f64 = placed.iter().map(|p| p.demand_ns as f64 * (p.end - p.start) as f64).sum();
    let total_gpus: usize = gpus.iter().map(|(_, count)| count).sum();
    let available_ns = now as f64 * promise.frame_ns() as f64 * total_gpus as f64;
    Ok(Run {
        frames: now,
        placed,
        utilisation: if available_ns > 0.0 { busy_ns / available_ns } else { 0.0 },
    })
}

/// Returns the frames that the tasks need without a pool. Each task has a GPU in its own machine,
/// and a GPU runs one task at a time.
pub fn direct(tasks: &[Task], gpus: usize) -> u64 {
    let mut free: BinaryHeap<Reverse<u64>> = (0..gpus).map(|_| Reverse(0)).collect();
    let mut last = 0;
    for task in tasks {
        let Some(Reverse(start)) = free.pop() else { return u64::MAX };
        last = last.max(start + task.frames);
        free.push(Reverse(start + task.frames));
    }
    last
}

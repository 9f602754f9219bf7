//! The paper's study: one set of tasks on fleets of more and more 10 Gb/s GPUs beside a fixed
//! number of 20 Gb/s ones, under several policies, beside what GPUs in the tasks' own machines give
//! and what no placement can beat.

use crate::Error;
use crate::bounds::bounds;
use crate::curves::Link;
use crate::frame::Promise;
use crate::policy::Policy;
use crate::simulator::{Window, direct, simulate};
use crate::tasks::Case;

/// What is varied and what is not.
#[derive(Debug, Clone)]
pub struct Study {
    /// Curves and frame rate.
    pub promise: Promise,
    /// GPUs behind 20 Gb/s.
    pub n20: usize,
    /// GPUs behind 10 Gb/s, a point each.
    pub n10: Vec<usize>,
    /// Of all tasks together, ms x frames.
    pub work: f64,
    /// For the tasks.
    pub seed: u64,
    /// Who places.
    pub methods: Vec<Method>,
}

/// A policy and what it sees of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Who goes where.
    pub policy: Policy,
    /// Who is seen.
    pub window: Window,
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.policy.name(), self.window)
    }
}

/// One case over all fleets.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Which.
    pub case: Case,
    /// By rising number of GPUs.
    pub points: Vec<Point>,
}

/// One fleet.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// GPUs behind 10 Gb/s.
    pub n10: usize,
    /// All GPUs.
    pub gpus: usize,
    /// Frames with as many GPUs, each in the machine of one task at a time.
    pub direct: u64,
    /// Frames that any placement needs.
    pub bound: u64,
    /// Frames of all tasks, one after another.
    pub frames_total: u64,
    /// Frames and utilisation by method.
    pub runs: Vec<(Method, u64, f64)>,
}

impl Point {
    /// Frames of a policy that sees only the head of the queue, as in the paper.
    pub fn fifo(&self, policy: Policy) -> Option<u64> {
        self.frames(Method { policy, window: Window::FIFO })
    }

    /// Frames of a method.
    pub fn frames(&self, method: Method) -> Option<u64> {
        self.runs.iter().find(|(known, ..)| *known == method).map(|(_, frames, _)| *frames)
    }
}

impl Study {
    /// Runs one case.
    ///
    /// # Errors
    /// What the tasks, the fleet and the promise refuse.
    pub fn sweep(&self, case: Case) -> Result<Sweep, Error> {
        let tasks = case.tasks(self.work, self.seed)?;
        let mut points = Vec::new();
        for n10 in self.n10.iter().copied() {
            let gpus = [(Link::network(10), n10), (Link::network(20), self.n20)];
            let mut runs = Vec::new();
            for method in &self.methods {
                let run = simulate(&tasks, &self.promise, &gpus, method.policy, method.window)?;
                runs.push((*method, run.frames, run.utilisation));
            }
            points.push(Point {
                n10,
                gpus: n10 + self.n20,
                direct: direct(&tasks, n10 + self.n20),
                bound: bounds(&tasks, &self.promise, &gpus)?.best(),
                frames_total: tasks.iter().map(|task| task.frames).sum(),
                runs,
            });
        }
        points.sort_by_key(|point| point.n10);
        Ok(Sweep { case, points })
    }
}

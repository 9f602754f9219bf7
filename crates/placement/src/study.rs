//! The paper's study: one set of tasks on a series of fleets, under several policies. The fleets
//! have a growing number of 10 Gb/s GPUs and a fixed number of 20 Gb/s GPUs. The study compares the
//! policies with GPUs in the tasks' own machines and with a bound that no placement can beat.

use crate::Error;
use crate::bounds::bounds;
use crate::frame_deadline::Promise;
use crate::policy::Policy;
use crate::simulator::{Window, direct, simulate};
use crate::tasks::Case;
use crate::time_time_curves::Attachment;

/// The parameters of a study.
#[derive(Debug, Clone)]
pub struct Study {
    /// Curves and frame rate.
    pub promise: Promise,
    /// Number of GPUs behind 20 Gb/s.
    pub n20: usize,
    /// The numbers of GPUs behind 10 Gb/s; each gives one point.
    pub n10: Vec<usize>,
    /// Total work of all tasks, in ms x frames.
    pub work: f64,
    /// Seed from which the tasks are drawn.
    pub seed: u64,
    /// The policies to compare.
    pub methods: Vec<Method>,
}

/// A policy and the part of the queue that it sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// The placement policy.
    pub policy: Policy,
    /// The part of the queue that the policy sees.
    pub window: Window,
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.policy.name(), self.window)
    }
}

/// The results of one case for all fleets.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// The case.
    pub case: Case,
    /// The points, by rising number of GPUs.
    pub points: Vec<Point>,
}

/// The results for one fleet.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Number of GPUs behind 10 Gb/s.
    pub n10: usize,
    /// Total number of GPUs.
    pub gpus: usize,
    /// Frames needed when the same number of GPUs are in the tasks' machines, one task at a time.
    pub direct: u64,
    /// Lower bound on the frames that any placement needs.
    pub bound: u64,
    /// Sum of all tasks' frames.
    pub frames_total: u64,
    /// Each method with its frames and utilisation.
    pub runs: Vec<(Method, u64, f64)>,
}

impl Point {
    /// Returns the frames of `policy` when it sees only the first task of the queue, as in the
    /// paper.
    pub fn fifo(&self, policy: Policy) -> Option<u64> {
        self.frames(Method { policy, window: Window::FIFO })
    }

    /// Returns the frames of `method`, or None if the study did not include it.
    pub fn frames(&self, method: Method) -> Option<u64> {
        self.runs.iter().find(|(known, ..)| *known == method).map(|(_, frames, _)| *frames)
    }
}

impl Study {
    /// Runs one case.
    /// # Errors
    /// Any error of the tasks, the fleet or the promise.
    pub fn sweep(&self, case: Case) -> Result<Sweep, Error> {
        let tasks = case.tasks(self.work, self.seed)?;
        let mut points = Vec::new();
        for n10 in self.n10.iter().copied() {
            let gpus = [(Attachment::network(10), n10), (Attachment::network(20), self.n20)];
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

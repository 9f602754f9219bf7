//! Lower bounds on the number of frames that any placement needs.

use crate::Error;
use crate::fleet::{Demand, Fleet};
use crate::frame_deadline::Promise;
use crate::tasks::Task;
use crate::time_time_curves::Attachment;

const PRICE_STEPS: usize = 25;
const PRICE_ROUNDS: usize = 4;

/// Lower bounds from several arguments. Each one is valid by itself; the largest is the tightest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Frames that the tasks would need even if they could be divided arbitrarily.
    pub fluid: u64,
    /// Frames needed by the tasks that fit only one class, given how many of them fit its GPUs at
    /// once.
    pub count: u64,
    /// Frames of the longest task.
    pub longest: u64,
}

impl Bounds {
    /// Returns the tightest bound.
    pub fn best(&self) -> u64 {
        self.fluid.max(self.count).max(self.longest)
    }
}

/// Computes the bounds for `tasks` on `gpus`.
/// # Errors
/// Any error of `Fleet`.
pub fn bounds(
    tasks: &[Task],
    promise: &Promise,
    gpus: &[(Attachment, usize)],
) -> Result<Bounds, Error> {
    let fleet = Fleet::new(promise.frame_ns(), gpus)?;
    let demands =
        tasks.iter().map(|task| fleet.demand(promise, task)).collect::<Result<Vec<_>, _>>()?;
    let demands: Vec<(Demand, u64)> =
        demands.into_iter().zip(tasks).map(|(demand, task)| (demand, task.frames)).collect();
    Ok(Bounds {
        fluid: fluid(&fleet, &demands),
        count: count(&fleet, &demands),
        longest: tasks.iter().map(|t| t.frames).max().unwrap_or(0),
    })
}

/// Solves the dual of the fluid problem, which gives each class's GPU time a price. Every task pays
/// at least the price of its cheapest class, and one frame of the whole fleet has a fixed worth.
/// Any prices give a valid bound; the search only improves the bound.
fn fluid(fleet: &Fleet, demands: &[(Demand, u64)]) -> u64 {
    let mut prices = vec![1.0f64; fleet.classes().len()];
    let bound = |prices: &[f64]| {
        let worth: f64 = fleet
            .classes()
            .map(|class| prices[class] * fleet.gpus(class).len() as f64 * fleet.frame_ns() as f64)
            .sum();
        let paid = |demand: &Demand| {
            let costs =
                fleet.classes().filter_map(|class| Some(prices[class] * demand.ns(class)? as f64));
            costs.fold(f64::INFINITY, f64::min)
        };
        demands.iter().map(|(demand, frames)| paid(demand) * *frames as f64).sum::<f64>() / worth
    };
    let mut best = bound(&prices);
    for round in 0..PRICE_ROUNDS * usize::from(prices.len() > 1) {
        for class in fleet.classes() {
            // Each round searches more finely around the best price so far; the first round covers
            // factors from a thousandth to a thousand.
            let (from, width) = (prices[class].ln(), 14.0 / 20f64.powi(round as i32));
            for step in 0..=PRICE_STEPS {
                let mut tried = prices.clone();
                tried[class] = (from + width * (step as f64 / PRICE_STEPS as f64 - 0.5)).exp();
                let found = bound(&tried);
                if found > best {
                    (best, prices) = (found, tried);
                }
            }
        }
    }
    // The subtracted part far exceeds the rounding error in a sum of this many terms.
    (best * (1.0 - 1e-9)).ceil() as u64
}

/// Returns the largest bound over the classes. A class's bound is the frames of the tasks that fit
/// no other class, divided by how many of its smallest tasks fit at once.
fn count(fleet: &Fleet, demands: &[(Demand, u64)]) -> u64 {
    let of_class = |class: usize| {
        let captive: Vec<_> =
            demands.iter().filter(|(demand, _)| demand.only_class() == Some(class)).collect();
        let Some(least_ns) = captive.iter().filter_map(|(demand, _)| demand.ns(class)).min() else {
            return 0;
        };
        let at_once = (fleet.frame_ns() - 1) / least_ns.max(1) * fleet.gpus(class).len() as u64;
        captive.iter().map(|(_, frames)| frames).sum::<u64>().div_ceil(at_once.max(1))
    };
    fleet.classes().map(of_class).max().unwrap_or(0)
}

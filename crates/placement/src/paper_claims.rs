//! The paper's claims about its figures, checked on our figures. Whether a claim holds depends on
//! the curves; numbers are the evidence.

use crate::figures::reference_ms;
use crate::frame_deadline::Promise;
use crate::policy::Policy;
use crate::study::{Point, Sweep};
use crate::time_time_curves::{Attachment, Curves};

/// Maximum ratio between a saturated fleet's frames and those of a fleet with many more GPUs.
const SATURATED: f64 = 1.03;
/// Maximum cost of a switch, relative to the cost of halving the bandwidth.
const HOP_PART_MAX: f64 = 0.1;
const SATURATED_N10: usize = 15;
const MANY_N10: usize = 45;
/// Largest load of the high case.
const REFERENCE_MS_MAX: f64 = 8.0;

/// A claim and whether it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The claim's number, C1 to C11.
    pub name: &'static str,
    /// The claim as a sentence.
    pub text: String,
    /// Whether the claim holds for our figures.
    pub holds: bool,
    /// By how much the claim holds, or where it fails.
    pub evidence: String,
}

fn claim(name: &'static str, text: &str, holds: bool, evidence: String) -> Claim {
    Claim { name, text: text.to_owned(), holds, evidence }
}

/// Checks C1 to C4 on time-time curves. `frames_per_s` sets the tick of C2.
pub fn of_curves(curves: &Curves, frames_per_s: u32) -> Vec<Claim> {
    let [pcie, fast, slow, switched] = [
        Attachment::Pcie,
        Attachment::network(20),
        Attachment::network(10),
        Attachment::Network { gbps: 10, hops: 1 },
    ];
    let loads = || reference_ms().filter(|load_ms| *load_ms <= REFERENCE_MS_MAX);
    let gpu = |load_ms, link| curves.gpu_ms(load_ms, link).unwrap_or(f64::NAN);
    let whole = |load_ms, link| curves.whole_ms(load_ms, link).unwrap_or(f64::NAN);
    let ordered = |time: &dyn Fn(f64, Attachment) -> f64| {
        loads()
            .all(|load| time(load, slow) > time(load, fast) && time(load, fast) > time(load, pcie))
    };
    let hop_part = loads()
        .map(|load| (gpu(load, switched) - gpu(load, slow)) / (gpu(load, slow) - gpu(load, fast)))
        .fold(0.0, f64::max);
    let at = |load: f64| {
        format!(
            "at {load} ms: {:.2} > {:.2} > {:.2} ms",
            gpu(load, slow),
            gpu(load, fast),
            gpu(load, pcie)
        )
    };
    let rises = [pcie, fast, slow].map(|link| rises_at(curves, link, frames_per_s));
    let flat_first = rises[1..].iter().all(|rise| rise.is_some_and(|load| load > 1.0));
    let sooner = rises[2] < rises[1] && (rises[0].is_none() || rises[1] < rises[0]);
    let texts = rises.map(|rise| rise.map_or("never".into(), |load| format!("{load}")));
    vec![
        claim(
            "C1",
            "less bandwidth, more GPU time; PCIe is y = x",
            ordered(&gpu) && loads().all(|load| gpu(load, pcie) == load),
            at(4.0),
        ),
        claim(
            "C2",
            &format!(
                "at {frames_per_s} fps the whole time is the tick, then rises, sooner with less \
                bandwidth"
            ),
            flat_first && sooner,
            format!(
                "longer than the tick from {} (PCIe), {} (20 Gb/s), {} ms (10 Gb/s)",
                texts[0], texts[1], texts[2]
            ),
        ),
        claim(
            "C3",
            "the order in whole time is the order in GPU time",
            ordered(&gpu) && ordered(&whole),
            format!(
                "at 4 ms: {:.2} > {:.2} > {:.2} ms",
                whole(4.0, slow),
                whole(4.0, fast),
                whole(4.0, pcie)
            ),
        ),
        claim(
            "C4",
            "a switch costs little beside half the bandwidth",
            hop_part > 0.0 && hop_part < HOP_PART_MAX,
            format!("at most {:.1} % of it", 100.0 * hop_part),
        ),
    ]
}

/// Returns the smallest load whose frames are longer than the tick.
fn rises_at(curves: &Curves, link: Attachment, frames_per_s: u32) -> Option<f64> {
    let tick_ms = Promise::new(curves.clone(), frames_per_s).frame_ns() as f64 / 1e6;
    reference_ms()
        .find(|load_ms| curves.whole_ms(*load_ms, link).is_some_and(|whole_ms| whole_ms > tick_ms))
}

/// Checks C5 to C11 on a study of both cases with Methods 1 to 3 under a first-in first-out queue.
/// Only C7 and C9 include fleets with fewer than five 10 Gb/s GPUs.
pub fn of_sweeps(high: &Sweep, low: &Sweep) -> Vec<Claim> {
    let (second, third) = (Policy::LowestBandwidth, Policy::Fullest);
    let wins_high = wins(high, second);
    let wins_low = wins(low, third);
    let points = peopled(low).count();
    let narrower =
        peopled(low).zip(peopled(high)).filter(|(low, high)| spread(low) < spread(high)).count();
    let widest = |sweep: &Sweep| 100.0 * peopled(sweep).map(spread).fold(0.0, f64::max);
    let (saturated, slack) = saturation(high);
    let falls = Policy::PAPER.into_iter().all(|policy| {
        low.points.windows(2).all(|pair| pair[1].fifo(policy) < pair[0].fifo(policy))
    });
    let beats = |point: &&Point| paper(point) < point.direct;
    let gain = low.points.iter().map(|point| point.direct as f64 / paper(point) as f64);
    let crossings = high.points.windows(2).filter(|pair| beats(&&pair[0]) != beats(&&pair[1]));
    let crossing: Vec<String> = crossings
        .map(|pair| format!("between {} and {} GPUs", pair[0].gpus, pair[1].gpus))
        .collect();
    let shared =
        |point: &Point| point.frames_total as f64 / (paper(point) as f64 * point.gpus as f64);
    let both = || high.points.iter().chain(&low.points);
    let gains_when_shared = both().filter(|point| shared(point) > 1.0).all(|point| beats(&point));
    let rule = wins_high == peopled(high).count() && wins_low == points;
    vec![
        claim(
            "C5",
            "high: Method 2 needs the fewest frames",
            wins_high == peopled(high).count(),
            format!("at {wins_high} of {} fleets", peopled(high).count()),
        ),
        claim("C6", "high: saturated from 15 GPUs behind 10 Gb/s on", saturated, slack),
        claim("C7", "low: every GPU more helps", falls, format!("{} fleets", low.points.len())),
        claim(
            "C8",
            "low: the methods are closer than in the high case, and Method 3 is best",
            narrower == points && wins_low == points,
            format!(
                "closer at {narrower}, best at {wins_low} of {points}; at most {:.2} % apart, \
                {:.2} % in the high case",
                widest(low),
                widest(high)
            ),
        ),
        claim(
            "C9",
            "low: the pool beats a GPU per task",
            low.points.iter().all(|point| beats(&point)),
            format!(
                "by {:.2} to {:.2} times",
                gain.clone().fold(f64::INFINITY, f64::min),
                gain.fold(0.0, f64::max)
            ),
        ),
        claim(
            "C10",
            "high: the pool beats a GPU per task with few GPUs, not with many",
            crossing.len() == 1 && high.points.first().is_some_and(|point| beats(&point)),
            crossing.join(", "),
        ),
        claim(
            "C11",
            "Method 2 if a task may be late behind slow links, else Method 3; more than one task \
            per GPU is a gain",
            rule && gains_when_shared,
            format!(
                "Method 2 best at {wins_high}, Method 3 at {wins_low}, of {points} each; gain \
                where shared: {gains_when_shared}"
            ),
        ),
    ]
}

fn peopled(sweep: &Sweep) -> impl Iterator<Item = &Point> {
    sweep.points.iter().filter(|point| point.n10 >= 5)
}

/// Returns the fewest frames that any of Methods 1 to 3 needs.
fn paper(point: &Point) -> u64 {
    Policy::PAPER.into_iter().filter_map(|policy| point.fifo(policy)).min().unwrap_or(u64::MAX)
}

/// Returns the number of fleets at which `policy` needs the fewest frames of Methods 1 to 3.
fn wins(sweep: &Sweep, policy: Policy) -> usize {
    peopled(sweep).filter(|point| point.fifo(policy) == Some(paper(point))).count()
}

/// Returns how much more frames the worst of Methods 1 to 3 needs than the best, as a fraction.
fn spread(point: &Point) -> f64 {
    let most =
        Policy::PAPER.into_iter().filter_map(|policy| point.fifo(policy)).max().unwrap_or(u64::MAX);
    most as f64 / paper(point) as f64 - 1.0
}

fn saturation(sweep: &Sweep) -> (bool, String) {
    let at = |n10: usize, policy: Policy| {
        sweep.points.iter().find(|point| point.n10 == n10).and_then(|point| point.fifo(policy))
    };
    let slack = |policy| Some(at(SATURATED_N10, policy)? as f64 / at(MANY_N10, policy)? as f64);
    let slacks = Policy::PAPER.map(|policy| slack(policy).unwrap_or(f64::INFINITY));
    let texts: Vec<String> =
        slacks.iter().map(|slack| format!("{:.1} %", 100.0 * (slack - 1.0))).collect();
    (
        slacks.iter().all(|slack| *slack <= SATURATED),
        format!("from {SATURATED_N10} to {MANY_N10} the methods gain {}", texts.join(", ")),
    )
}

//! A search for curves that satisfy the paper's claims. The paper gives its curves as pictures, and
//! two numbers with them. At 30 frames a second, loads of up to 6 ms are in time behind 10 Gb/s.
//! Behind 20 Gb/s, loads of up to 8 ms are. Straight lines through these two thresholds leave three
//! numbers free: both slopes, and the CPU time.

use crate::Error;
use crate::frame_deadline::Promise;
use crate::paper_claims::{Claim, of_curves, of_sweeps};
use crate::policy::Policy;
use crate::simulator::Window;
use crate::study::{Method, Study};
use crate::tasks::Case;
use crate::time_time_curves::{Attachment, Curves, Line, Lines};

/// Frames per second at which the thresholds hold.
pub const FRAMES_PER_S: u32 = 30;
/// Frames per second of the display in C2.
pub const SHOWN_FRAMES_PER_S: u32 = 60;
/// The seeds that a claim must hold for.
pub const SEEDS: [u64; 3] = [1, 7, 42];
/// The fleets of the paper: numbers of GPUs behind 10 Gb/s, and of those behind 20 Gb/s.
pub const N10: [usize; 9] = [0, 5, 10, 15, 20, 25, 30, 45, 60];
/// Number of GPUs behind 20 Gb/s.
pub const N20: usize = 5;

/// Loads at the thresholds, in milliseconds.
const THRESHOLD_10_MS: f64 = 6.0;
const THRESHOLD_20_MS: f64 = 8.0;
/// By how much frames of a threshold's load are early behind each link, so that they are in time.
const EARLY_10_MS: f64 = 0.08;
const EARLY_20_MS: [f64; 2] = [0.08, 0.28];

/// Loads that are this much beyond a threshold are late.
const BEYOND_MS: f64 = 0.3;

const SLOPES_10: [f64; 6] = [1.8, 2.6, 3.0, 3.4, 3.6, 3.8];
const SLOPES_20: [f64; 6] = [1.3, 1.9, 2.3, 2.5, 2.7, 2.9];
const CPU_MS: [f64; 7] = [4.0, 8.0, 9.0, 10.0, 11.0, 11.85, 21.0];

/// Lines, and the claims that they satisfy with every seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// The lines.
    pub lines: Lines,
    /// The claims' names.
    pub hold: Vec<&'static str>,
    /// The names of the claims that fail with at least one seed.
    pub fail: Vec<&'static str>,
}

/// Returns the grid that is searched: the lines through the thresholds whose offsets are not
/// negative.
pub fn grid() -> Vec<Lines> {
    let tick_ms = 1e3 / f64::from(FRAMES_PER_S);
    let line = |slope: f64, threshold_ms: f64, cpu_and_early_ms: f64| {
        let offset_ms = tick_ms - cpu_and_early_ms - slope * threshold_ms;
        // Whole hundredths, so that a printed number is the number that was searched.
        Line { slope, offset_ms: (offset_ms * 100.0).floor() / 100.0 }
    };
    let mut grid = Vec::new();
    for slope_10 in SLOPES_10 {
        for slope_20 in SLOPES_20 {
            for cpu_ms in CPU_MS {
                grid.extend(EARLY_20_MS.map(|early_20_ms| Lines {
                    at_10: line(slope_10, THRESHOLD_10_MS, cpu_ms + EARLY_10_MS),
                    at_20: line(slope_20, THRESHOLD_20_MS, cpu_ms + early_20_ms),
                    cpu_ms,
                }));
            }
        }
    }
    grid.retain(|lines| lines.at_10.offset_ms >= 0.0 && lines.at_20.offset_ms >= 0.0);
    grid
}

/// Returns whether the lines have the paper's thresholds.
pub fn has_thresholds(lines: Lines) -> bool {
    let promise = Promise::new(Curves::Lines(lines), FRAMES_PER_S);
    let admits =
        |reference_ms, gbps| promise.demand_ns(reference_ms, Attachment::network(gbps)).is_some();
    admits(THRESHOLD_10_MS, 10)
        && !admits(THRESHOLD_10_MS + BEYOND_MS, 10)
        && admits(THRESHOLD_20_MS, 20)
        && !admits(THRESHOLD_20_MS + BEYOND_MS, 20)
}

/// Checks C1 to C4, which need no study.
pub fn check_curves(lines: Lines) -> Searched {
    Searched::of(lines, &of_curves(&Curves::Lines(lines), SHOWN_FRAMES_PER_S))
}

/// Checks all claims on the lines, with a study of `work` in ms x frames for each seed.
/// # Errors
/// Any error of the study.
pub fn check(lines: Lines, work: f64) -> Result<Searched, Error> {
    let mut claims = of_curves(&Curves::Lines(lines), SHOWN_FRAMES_PER_S);
    for seed in SEEDS {
        let method = |policy| Method { policy, window: Window::FIFO };
        let study = Study {
            promise: Promise::new(Curves::Lines(lines), FRAMES_PER_S),
            n20: N20,
            n10: N10.to_vec(),
            work,
            seed,
            methods: Policy::PAPER.map(method).to_vec(),
        };
        claims.extend(of_sweeps(&study.sweep(Case::High)?, &study.sweep(Case::Low)?));
    }
    Ok(Searched::of(lines, &claims))
}

impl Searched {
    fn of(lines: Lines, claims: &[Claim]) -> Searched {
        let (mut hold, mut fail) = (Vec::new(), Vec::new());
        for Claim { name, .. } in claims {
            let all = claims.iter().filter(|claim| claim.name == *name).all(|claim| claim.holds);
            let names = if all { &mut hold } else { &mut fail };
            if !names.contains(name) {
                names.push(*name);
            }
        }
        Searched { lines, hold, fail }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_of_the_grid_has_the_papers_thresholds() {
        let grid = grid();
        assert!(grid.len() > 20, "{}", grid.len());
        for lines in grid.into_iter().chain([Lines::ALL_CLAIMS]) {
            assert!(has_thresholds(lines), "{lines}");
        }
    }
}

//! Tests of the paper's claims C1 to C11, under both models of the curves and several seeds, and of
//! our policy against the paper's methods. Where a claim does not hold, its test asserts that, and
//! docs/frames.md gives the numbers.

use outhaul_placement::claims_search::{self, N10, SEEDS};
use outhaul_placement::frame_deadline::Promise;
use outhaul_placement::paper_claims::{Claim, of_curves, of_sweeps};
use outhaul_placement::policy::Policy;
use outhaul_placement::simulator::Window;
use outhaul_placement::study::{Method, Study, Sweep};
use outhaul_placement::tasks::Case;
use outhaul_placement::time_time_curves::{Curves, Lines};
use std::sync::LazyLock;

/// The paper's total work.
const WORK: f64 = 1e8;
/// Work for comparing our policy with others. It is large enough that the end of a run, when the
/// queue is empty, hardly counts.
const WORK_WINDOWED: f64 = 1e7;

struct Studied {
    high: Sweep,
    low: Sweep,
}

static SLOPE: LazyLock<Vec<Studied>> = LazyLock::new(|| {
    SEEDS.map(|seed| studied(Curves::FIT, seed, (WORK, &N10), &Policy::PAPER.map(fifo))).into()
});
static TRANSFER: LazyLock<Vec<Studied>> = LazyLock::new(|| {
    SEEDS.map(|seed| studied(Curves::Transfer, seed, (WORK, &N10), &Policy::PAPER.map(fifo))).into()
});

fn fifo(policy: Policy) -> Method {
    Method { policy, window: Window::FIFO }
}

fn wide(policy: Policy) -> Method {
    Method { policy, window: Window::new(256).unwrap() }
}

fn studied(curves: Curves, seed: u64, (work, n10): (f64, &[usize]), methods: &[Method]) -> Studied {
    let study = Study {
        promise: Promise::new(curves, 30),
        n20: 5,
        n10: n10.to_vec(),
        work,
        seed,
        methods: methods.to_vec(),
    };
    Studied { high: study.sweep(Case::High).unwrap(), low: study.sweep(Case::Low).unwrap() }
}

/// Returns the number of seeds for which a claim holds.
fn holding(studies: &[Studied], name: &str) -> usize {
    let found = studies.iter().map(|study| find(of_sweeps(&study.high, &study.low), name));
    found.inspect(|claim| println!("{claim:?}")).filter(|claim| claim.holds).count()
}

fn find(claims: Vec<Claim>, name: &str) -> Claim {
    claims.into_iter().find(|claim| claim.name == name).unwrap()
}

fn of_both_models(name: &str, frames_per_s: u32) -> [bool; 2] {
    [Curves::FIT, Curves::Transfer].map(|curves| find(of_curves(&curves, frames_per_s), name).holds)
}

#[test]
fn c1_less_bandwidth_is_more_gpu_time_under_both_models() {
    assert_eq!(of_both_models("C1", 60), [true, true]);
}

/// At 60 fps it holds for neither model, because their CPU time alone exceeds a tick. It does for
/// other lines through the same thresholds: `all_claims_hold_for_lines_through_the_thresholds`.
#[test]
fn c2_the_whole_time_is_flat_then_rises_under_both_models_at_30_fps() {
    assert_eq!(of_both_models("C2", 30), [true, true]);
    assert_eq!(of_both_models("C2", 60), [false, false]);
}

#[test]
fn all_claims_hold_for_lines_through_the_thresholds() {
    let lines = Lines::ALL_CLAIMS;
    assert!(claims_search::has_thresholds(lines));
    let found = claims_search::check(lines, WORK).unwrap();
    assert_eq!((found.hold.len(), found.fail.as_slice()), (11, &[][..]), "{found:?}");
}

/// The whole time rises where a line crosses the tick of 60 fps. Through the thresholds, only lines
/// with large slopes do so beyond 1 ms.
#[test]
fn c2_asks_for_large_slopes_of_the_lines_through_the_thresholds() {
    let mut holding = 0;
    for lines in claims_search::grid() {
        let [rises_10_ms, rises_20_ms] = [lines.at_10, lines.at_20]
            .map(|line| (1e3 / 60.0 - lines.cpu_ms - line.offset_ms) / line.slope);
        let expected = rises_10_ms > 1.0 && rises_20_ms > rises_10_ms;
        let curves = Curves::Lines(lines);
        assert_eq!(find(of_curves(&curves, 60), "C2").holds, expected, "{lines}");
        if expected {
            assert!(lines.at_10.slope > 3.3 && lines.at_20.slope > 2.4, "{lines}");
            holding += 1;
        }
    }
    assert!(holding > 0);
}

#[test]
fn c3_whole_times_are_in_the_order_of_gpu_times_under_both_models() {
    assert_eq!(of_both_models("C3", 60), [true, true]);
}

#[test]
fn c4_a_switch_costs_little_under_both_models() {
    assert_eq!(of_both_models("C4", 60), [true, true]);
}

#[test]
fn c5_method_2_is_best_at_high_load_under_both_models() {
    assert_eq!((holding(&SLOPE, "C5"), holding(&TRANSFER, "C5")), (3, 3));
}

#[test]
fn c6_high_load_saturates_under_slope_not_under_transfer() {
    assert_eq!((holding(&SLOPE, "C6"), holding(&TRANSFER, "C6")), (3, 0));
}

#[test]
fn c7_every_gpu_helps_at_low_load_under_both_models() {
    assert_eq!((holding(&SLOPE, "C7"), holding(&TRANSFER, "C7")), (3, 3));
}

#[test]
fn c8_method_3_is_best_at_low_load_under_slope_not_under_transfer() {
    assert_eq!((holding(&SLOPE, "C8"), holding(&TRANSFER, "C8")), (3, 0));
}

#[test]
fn c9_the_pool_beats_a_gpu_per_task_at_low_load_under_both_models() {
    assert_eq!((holding(&SLOPE, "C9"), holding(&TRANSFER, "C9")), (3, 3));
}

#[test]
fn c10_at_high_load_there_is_one_crossing_under_both_models() {
    assert_eq!((holding(&SLOPE, "C10"), holding(&TRANSFER, "C10")), (3, 3));
}

#[test]
fn c11_the_rule_between_methods_holds_under_slope_not_under_transfer() {
    assert_eq!((holding(&SLOPE, "C11"), holding(&TRANSFER, "C11")), (3, 0));
}

/// Compares our policy with every other policy under the paper's first-in first-out queue, at every
/// fleet.
#[test]
fn ours_beats_every_first_in_first_out_policy_in_both_cases_under_both_models() {
    let (lost, _) = against(fifo);
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

/// The other policies get the same window, so that ours does not win by its window alone. Ours wins
/// nearly everywhere and is nowhere far behind.
#[test]
fn ours_beats_every_policy_of_the_same_window_nearly_everywhere() {
    let (lost, compared) = against(wide);
    assert!(lost.len() * 50 <= compared, "{} of {compared}:\n{}", lost.len(), lost.join("\n"));
}

/// Returns the comparisons that our policy does not win, and the number of comparisons.
fn against(method: fn(Policy) -> Method) -> (Vec<String>, usize) {
    let others = || Policy::ALL.into_iter().filter(|policy| *policy != Policy::Ours).map(method);
    let methods: Vec<Method> = others().chain([wide(Policy::Ours)]).collect();
    let (mut lost, mut compared) = (Vec::new(), 0);
    for (curves, seed) in [Curves::FIT, Curves::Transfer]
        .into_iter()
        .flat_map(|curves| SEEDS.map(|seed| (curves.clone(), seed)))
    {
        let Studied { high, low } =
            studied(curves.clone(), seed, (WORK_WINDOWED, &[0, 5, 15, 45]), &methods);
        for (case, point) in [&high, &low]
            .into_iter()
            .flat_map(|sweep| sweep.points.iter().map(|point| (sweep.case, point)))
        {
            let ours = point.frames(wide(Policy::Ours)).unwrap();
            for (other, frames) in others().map(|other| (other, point.frames(other).unwrap())) {
                compared += 1;
                if frames <= ours {
                    lost.push(format!(
                        "{curves:?} {case:?} seed {seed} n10 {}: {other} {frames}, ours {ours}",
                        point.n10
                    ));
                }
                assert!(
                    ours as f64 <= 1.01 * frames as f64,
                    "{curves:?} {case:?} seed {seed} n10 {}: {other} {frames}, ours {ours}",
                    point.n10
                );
            }
        }
    }
    (lost, compared)
}

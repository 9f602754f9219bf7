//! The numbers that the documentation promises, each as a test: distances from the optimum, from
//! the lower bound and from PTask, and planning costs. The tests show when a change breaks one of
//! these promises. tests/simulation prints the tables from which the numbers come.

use outhaul_dag::Error;
use outhaul_dag::apps::{App, MB, Size};
use outhaul_dag::exact;
use outhaul_dag::machine::Machine;
use outhaul_dag::policy::Policy;
use outhaul_dag::reporting::report::{Report, Row};
use outhaul_dag::reporting::sim_command;
use outhaul_dag::simulator::simulate;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn report(flags: &str) -> Report {
    sim_command::run(&flags.split_whitespace().collect::<Vec<_>>()).expect("the flags are valid")
}

fn row<'a>(report: &'a Report, policy: &str) -> &'a Row {
    report.rows.iter().find(|row| row.policy == policy).expect("the policy was asked for")
}

#[test]
fn table_2_is_within_three_percent_of_the_proven_best() {
    for case in [
        "logistic --partitions 3 --gpus 1",
        "blur --partitions 4",
        "blur --partitions 5",
        "matmul --partitions 4",
    ] {
        for home in ["file", "host"] {
            let report = report(&format!("--app {case} --home {home} --policy ours,best"));
            let best = row(&report, "best");
            assert!(best.proven, "{case}: not proven");
            let over = row(&report, "ours").over_best.expect("proven");
            assert!(over <= 1.03, "{case}, {home}: {over}");
        }
    }
}

#[test]
fn known_optima_are_found() {
    // 256 MB transfers take 40 ms and subtasks 40 ms. Two other formulations prove optima of 9 and
    // 11 slots.
    for (memory_mb, best_ms) in [(1536, 360), (1024, 440)] {
        let report = report(&format!(
            "--app blur --partitions 5 --home host --link-mbps 6400 --memory-mb {memory_mb} \
            --policy ours"
        ));
        assert_eq!(row(&report, "ours").makespan_ns, best_ms * 1_000_000);
    }
}

#[test]
fn large_graphs_are_within_a_third_of_the_bound() {
    let blur = "--app blur --partitions 32 --iterations 10 --partition-mb 100 --compute-ms 8";
    let gemm = "--app gemm --partitions 10 --partition-mb 50 --compute-ms 8 --memory-mb 1000";
    let outer = "--app outer --partitions 30 --partition-mb 50 --compute-ms 4 --memory-mb 500";
    let logistic =
        "--app logistic --partitions 40 --iterations 10 --partition-mb 100 --compute-ms 5";
    for (case, gpus) in [
        (blur, 1),
        (blur, 2),
        (blur, 4),
        (gemm, 1),
        (gemm, 2),
        (gemm, 4),
        (outer, 1),
        (outer, 2),
        (outer, 4),
        (logistic, 2),
    ] {
        let report = report(&format!("{case} --home host --gpus {gpus}"));
        let ours = row(&report, "ours");
        assert!(ours.over_bound <= 1.3, "{case} on {gpus}: {}", ours.over_bound);
        for other in &report.rows {
            assert!(
                ours.makespan_ns <= other.makespan_ns,
                "{case} on {gpus}: {} is faster",
                other.policy
            );
        }
    }
}

#[test]
fn blur_on_four_disaggregated_gpus_is_four_times_as_fast_as_ptask() {
    let report = report(
        "--app blur --partitions 64 --iterations 10 --partition-mb 128 --compute-ms 10 --gpus 4 \
        --link-mbps 3700 --policy ptask,ours",
    );
    let gain = row(&report, "ptask").makespan_ns as f64 / row(&report, "ours").makespan_ns as f64;
    assert!(gain >= 3.96, "only {gain:.2} times");
}

#[test]
#[ignore = "measures time"]
fn ten_thousand_subtasks_on_eight_gpus_take_under_a_second() {
    let size = Size {
        app: App::Blur,
        partitions: 1000,
        iterations: 10,
        partition_bytes: 100 * MB,
        compute_ns: 8_000_000,
        files: false,
    };
    let graph = Arc::new(size.graph().expect("a valid size"));
    let machine = Machine::victream(8);
    let start = Instant::now();
    let policy: Policy = "ours".parse().expect("a policy");
    let mut scheduler = policy.scheduler(&graph, &machine).expect("it fits");
    simulate(&graph, &machine, &mut *scheduler).expect("it runs");
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn graphs_that_cannot_run_are_refused() {
    let refused = |flags: &str| {
        sim_command::run(&flags.split_whitespace().collect::<Vec<_>>()).expect_err("refused")
    };
    let Error::WorkingSet { subtask, partition, .. } = refused("--memory-mb 1000") else {
        panic!("another error")
    };
    assert!(
        subtask.starts_with("blur0[") && partition.starts_with("in["),
        "{subtask}, {partition}"
    );
    for flags in [
        "--gpus 0",
        "--gpus x",
        "--app nothing",
        "--policy nothing",
        "--nothing 1",
        "--gpus",
        "--link-mbps 0",
        "--partitions 0",
    ] {
        assert!(matches!(refused(flags), Error::Usage(_)), "{flags}");
    }
    let large = Size {
        app: App::Blur,
        partitions: 40,
        iterations: 2,
        partition_bytes: MB,
        compute_ns: 1,
        files: false,
    };
    let graph = large.graph().expect("a valid size");
    assert!(matches!(
        exact::best(&graph, &Machine::victream(2), u64::MAX, 1),
        Err(Error::TooLarge(_))
    ));
}

#[test]
fn reports_and_pictures_are_text() {
    let args: Vec<&str> =
        "--policy ours,best --csv a.csv --json a.json --svg pictures".split(' ').collect();
    let request = sim_command::Request::parse(&args).expect("valid flags");
    let report = request.run().expect("it runs");
    let files = request.files(&report).expect("all numbers are finite");
    assert_eq!(files.len(), 2 + 2 + 2 * 2);
    let heads: Vec<&str> =
        files[0].1.lines().map(|line| line.split(',').next().unwrap_or_default()).collect();
    assert_eq!(heads, ["policy", "ours", "best"]);
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".svg")) {
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"), "{path}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{path}");
    }
}

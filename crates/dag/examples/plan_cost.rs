//! Measures what one decision of each policy costs. The cost is the wall time of planning and
//! simulating, divided by the number of subtasks, on graphs of about ten thousand subtasks.
//! Parsing, bounds and reports are not measured, because they are not part of scheduling.

use outhaul_dag::apps::{App, MB, Size};
use outhaul_dag::simulator::simulate;
use outhaul_dag::{Error, Machine, Policy};
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Error> {
    let size = |app, partitions, iterations, mb: u64, compute_ns| Size {
        app,
        partitions,
        iterations,
        partition_bytes: mb * MB,
        compute_ns,
        files: false,
    };
    let cases = [
        ("blur 1000x10", size(App::Blur, 1000, 10, 100, 8_000_000)),
        ("logistic 990x10", size(App::LogisticRegression, 990, 10, 100, 5_000_000)),
        ("gemm 21x21x21", size(App::Gemm, 21, 1, 50, 8_000_000)),
        ("outer 100x100", size(App::Outer, 100, 1, 50, 4_000_000)),
        ("sort 32x156", size(App::Sort, 32, 156, 50, 4_000_000)),
    ];
    println!(
        "| graph on 8 GPUs | subtasks | policy | total ms | us per subtask | us per operation \
        |\n|---|---|---|---|---|---|"
    );
    for (name, size) in cases {
        let graph = Arc::new(size.graph()?);
        let machine = Machine::victream(8);
        for policy in ["fifo", "ptask", "locality", "victream", "ours"] {
            let policy: Policy = policy.parse()?;
            let start = Instant::now();
            let mut scheduler = policy.scheduler(&graph, &machine)?;
            let run = simulate(&graph, &machine, &mut *scheduler)?;
            let spent = start.elapsed();
            let count = graph.subtasks().len();
            let each_us = spent.as_secs_f64() * 1e6 / count as f64;
            let operation_us = spent.as_secs_f64() * 1e6 / run.spans.len() as f64;
            let total_ms = spent.as_secs_f64() * 1e3;
            println!(
                "| {name} | {count} | {} | {total_ms:.0} | {each_us:.1} | {operation_us:.1} |",
                policy.name()
            );
        }
    }
    Ok(())
}

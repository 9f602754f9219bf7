use outhaul_dag::{apps::*, policy::Policy, simulator::simulate, Machine};
use std::{sync::Arc, time::Instant};
fn main() {
    let cases = [("lr", App::LogisticRegression, 1, 3), ("blur4", App::Blur, 2, 4), ("blur5", App::Blur, 2, 5), ("mm", App::MatMul, 2, 4)];
    for files in [true, false] {
        for (name, app, gpus, partitions) in cases {
            let size = Size { app, partitions, iterations: 2, partition_bytes: 256 * MB, compute_ns: 40_000_000, files };
            run(name, size, gpus, 1650 * MB);
        }
    }
    let h = |app, partitions, iterations, mb: u64, us: u64| Size { app, partitions, iterations, partition_bytes: mb * MB, compute_ns: us * 1000, files: false };
    for g in [1, 2, 4] { run("blur32x10", h(App::Blur, 32, 10, 100, 8000), g, 1650 * MB); }
    for g in [1, 2, 4] { run("gemm", h(App::Gemm, 10, 1, 50, 8000), g, 1000 * MB); }
    for g in [1, 2, 4] { run("outer", h(App::Outer, 30, 1, 50, 4000), g, 500 * MB); }
    run("lr40x10", h(App::LogisticRegression, 40, 10, 100, 5000), 2, 1650 * MB);
    run("blur1000x10", h(App::Blur, 1000, 10, 100, 8000), 8, 1650 * MB);
}
fn run(name: &str, size: Size, gpus: usize, cap: u64) {
    let graph = Arc::new(size.graph().unwrap());
    let mut machine = Machine::victream(gpus);
    machine.capacity_bytes = cap;
    let compute: u64 = graph.subtasks().iter().map(|s| s.compute_ns).sum::<u64>() / gpus as u64;
    print!("{name:12} g{gpus} n={:5}", graph.subtasks().len());
    for p in ["fifo", "ptask", "locality", "victream", "ours"] {
        let t = Instant::now();
        let policy: Policy = p.parse().unwrap();
        let mut s = policy.scheduler(&graph, &machine).unwrap();
        let plan = t.elapsed();
        match simulate(&graph, &machine, &mut *s) {
            Ok(run) => print!("  {p} {:.1}ms x{:.2} ({:?}+{:?})", run.makespan_ns as f64 / 1e6, run.makespan_ns as f64 / compute as f64, plan, t.elapsed() - plan),
            Err(e) => print!("  {p} {e}"),
        }
    }
    println!();
}

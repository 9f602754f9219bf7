use outhaul_dag::{
    Machine,
    apps::*,
    exact,
    policy::{Policy, replay::Replay},
    simulator::simulate,
};
use std::{sync::Arc, time::Instant};
fn main() {
    let pts: u64 = std::env::args().nth(1).map_or(5_000_000, |a| a.parse().unwrap());
    let cases = [("lr", App::LogisticRegression, 1, 3), ("blur4", App::Blur, 2, 4), ("blur5", App::Blur, 2, 5), ("mm", App::MatMul, 2, 4)];
    for files in [true, false] {
        for (name, app, gpus, partitions) in cases {
            let size = Size { app, partitions, iterations: 2, partition_bytes: 256 * MB, compute_ns: 40_000_000, files };
            run(name, size, gpus, 1650 * MB, 6377e6, pts);
        }
    }
    let slot =
        |app, partitions, iterations| Size { app, partitions, iterations, partition_bytes: 256 * MB, compute_ns: 40_000_000, files: false };
    run("blur5x2c6 =9", slot(App::Blur, 5, 2), 2, 1536 * MB, 6400e6, pts);
    run("blur5x2c4 =11", slot(App::Blur, 5, 2), 2, 1024 * MB, 6400e6, pts);
    run("mm4x2c4 =11", slot(App::MatMul, 4, 2), 2, 1024 * MB, 6400e6, pts);
    run("blur8x2c5 =14", slot(App::Blur, 8, 2), 2, 1280 * MB, 6400e6, pts);
    run("blur6x3c5 =15", slot(App::Blur, 6, 3), 2, 1280 * MB, 6400e6, pts);
}
fn run(name: &str, size: Size, gpus: usize, cap: u64, bw: f64, pts: u64) {
    let graph = Arc::new(size.graph().unwrap());
    let mut machine = Machine::victream(gpus);
    machine.capacity_bytes = cap;
    machine.link_bytes_per_s = bw;
    print!("{name:12} g{gpus} n={:5}", graph.subtasks().len());
    let mut known = u64::MAX;
    for p in ["fifo", "ptask", "locality", "victream", "ours"] {
        let policy: Policy = p.parse().unwrap();
        let mut s = policy.scheduler(&graph, &machine).unwrap();
        match simulate(&graph, &machine, &mut *s) {
            Ok(run) => {
                known = known.min(run.makespan_ns);
                print!("  {p} {:.1}", run.makespan_ns as f64 / 1e6)
            }
            Err(e) => print!("  {p} {e}"),
        }
    }
    let t = Instant::now();
    let b = exact::best(&graph, &machine, known + 1, pts).unwrap();
    print!(
        "  best {:.1} {} bound {:.1} points {} {:?}",
        b.makespan_ns as f64 / 1e6,
        b.proven,
        b.bound_ns as f64 / 1e6,
        b.points,
        t.elapsed()
    );
    if let Some(c) = b.commands {
        let r = simulate(&graph, &machine, &mut Replay::new(c));
        match r {
            Ok(r) => print!(" replay {}", r.makespan_ns == b.makespan_ns),
            Err(e) => print!(" REPLAY {e}"),
        }
    }
    let t = Instant::now();
    let w = exact::worst(&graph, &machine, 300_000).unwrap();
    println!("  worst {:.1} {} n={} {:?}", w.run.makespan_ns as f64 / 1e6, w.proven, w.schedules, t.elapsed());
}

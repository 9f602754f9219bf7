//! The cost of a run and its causes, as CSV and JSON text. A report has the makespan, bytes moved,
//! idle time by cause, and the distances to the bound and to the proven best. Callers write the
//! files.

use crate::bounds::Bounds;
use crate::error::Error;
use crate::graph::{Graph, PartitionId};
use crate::simulator::{Run, Span};
use crate::state::Op;
use serde::Serialize;

/// Idle time by cause, summed over GPUs, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Idle {
    /// Time in which loads of the GPU were running.
    pub load_ns: u64,
    /// Time in which write-backs of the GPU were running, but no loads.
    pub swap_ns: u64,
    /// Time in which files were being read, and none of the above applies.
    pub file_ns: u64,
    /// Time in which other GPUs were computing or moving data, and none of the above applies.
    pub others_ns: u64,
    /// Time after the GPU's last subtask.
    pub done_ns: u64,
    /// Time in which no operation was running, because the policy waited.
    pub policy_ns: u64,
}

/// One row of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The policy's name, or `best`, or `worst`.
    pub policy: String,
    /// Time until the graph was finished, in nanoseconds.
    pub makespan_ns: u64,
    /// Whether a `best` or `worst` is proven; true for policies.
    pub proven: bool,
    /// The makespan divided by the best lower bound.
    pub over_bound: f64,
    /// The makespan divided by the bound from compute alone.
    pub over_compute: f64,
    /// The makespan divided by the proven best makespan, if known.
    pub over_best: Option<f64>,
    /// Bytes moved from the host to GPUs.
    pub loaded_bytes: u64,
    /// Bytes moved from GPUs to the host.
    pub stored_bytes: u64,
    /// Bytes moved between GPUs.
    pub peer_bytes: u64,
    /// Bytes read from files.
    pub read_bytes: u64,
    /// Bytes written to files.
    pub written_bytes: u64,
    /// The most memory taken on any GPU.
    pub peak_bytes: u64,
    /// Idle time of the GPUs by cause.
    pub idle: Idle,
}

impl Row {
    /// Summarizes a run.
    pub fn new(policy: &str, graph: &Graph, gpus: usize, run: &Run, bounds_ns: (u64, u64)) -> Row {
        let sum = |want: &dyn Fn(Op) -> Option<PartitionId>| -> u64 {
            run.spans.iter().filter_map(|span| want(span.op)).map(|p| graph.bytes(p)).sum()
        };
        let (bound_ns, compute_ns) = bounds_ns;
        Row {
            policy: policy.into(),
            makespan_ns: run.makespan_ns,
            proven: true,
            over_bound: run.makespan_ns as f64 / bound_ns.max(1) as f64,
            over_compute: run.makespan_ns as f64 / compute_ns.max(1) as f64,
            over_best: None,
            loaded_bytes: sum(&|op| if let Op::Load(p, _) = op { Some(p) } else { None }),
            stored_bytes: sum(&|op| if let Op::Store(p, _) = op { Some(p) } else { None }),
            peer_bytes: sum(&|op| if let Op::Peer(p, ..) = op { Some(p) } else { None }),
            read_bytes: sum(&|op| if let Op::Read(p) = op { Some(p) } else { None }),
            written_bytes: sum(&|op| if let Op::Write(p) = op { Some(p) } else { None }),
            peak_bytes: run.peak_bytes.iter().copied().max().unwrap_or(0),
            idle: idle(gpus, run),
        }
    }
}

/// Splits each GPU's idle time at every start and end of an operation, and finds each piece's
/// cause.
fn idle(gpus: usize, run: &Run) -> Idle {
    let mut idle = Idle::default();
    for gpu in 0..gpus {
        let busy = |span: &&Span| matches!(span.op, Op::Compute(_, g) if g == gpu);
        let last_ns = run.spans.iter().filter(busy).map(|span| span.end_ns).max().unwrap_or(0);
        idle.done_ns += run.makespan_ns - last_ns;
        let mut edges: Vec<(u64, i64, usize)> = Vec::new();
        for span in &run.spans {
            let kind = kind(span.op, gpu);
            edges.push((span.start_ns, 1, kind));
            edges.push((span.end_ns, -1, kind));
        }
        edges.sort_unstable();
        let mut active = [0i64; 5];
        let mut at_ns = 0;
        for (edge_ns, change, kind) in edges {
            let piece_ns = edge_ns.min(last_ns).saturating_sub(at_ns);
            let cause = active.iter().position(|n| *n > 0);
            match cause {
                Some(0) => {}
                Some(1) => idle.load_ns += piece_ns,
                Some(2) => idle.swap_ns += piece_ns,
                Some(3) => idle.file_ns += piece_ns,
                Some(_) => idle.others_ns += piece_ns,
                None => idle.policy_ns += piece_ns,
            }
            active[kind] += change;
            at_ns = at_ns.max(edge_ns.min(last_ns));
        }
    }
    idle
}

/// Returns the kind of an operation for `gpu`: its compute, its load, its write-back, a file read,
/// or another operation.
fn kind(op: Op, gpu: usize) -> usize {
    match op {
        Op::Compute(_, g) if g == gpu => 0,
        Op::Load(_, g) | Op::Peer(_, _, g) if g == gpu => 1,
        Op::Store(_, g) if g == gpu => 2,
        Op::Read(_) => 3,
        _ => 4,
    }
}

/// A report about one graph on one machine.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// A title that names the simulated graph and machine.
    pub title: String,
    /// Number of subtasks.
    pub subtasks: usize,
    /// The machine.
    pub machine: crate::machine::Machine,
    /// The lower bounds.
    pub bounds: Bounds,
    /// The largest lower bound, or the proven best if that is larger, in nanoseconds.
    pub bound_ns: u64,
    /// One row per policy.
    pub rows: Vec<Row>,
    /// The runs of the rows, in the order of the rows.
    #[serde(skip)]
    pub runs: Vec<Run>,
    /// The graph that ran.
    #[serde(skip)]
    pub graph: std::sync::Arc<Graph>,
}

impl Report {
    /// Returns the rows as comma-separated values with a header.
    pub fn csv(&self) -> String {
        let mut text = String::from(
            "policy,makespan_ms,proven,over_bound,over_compute,over_best,loaded_bytes,stored_bytes,\
             peer_bytes,read_bytes,written_bytes,peak_bytes,idle_load_ms,idle_swap_ms,\
             idle_file_ms,idle_others_ms,idle_done_ms,idle_policy_ms\n",
        );
        for row in &self.rows {
            let over_best = row.over_best.map(|o| format!("{o:.4}")).unwrap_or_default();
            let idle = row.idle;
            let idle = [
                idle.load_ns,
                idle.swap_ns,
                idle.file_ns,
                idle.others_ns,
                idle.done_ns,
                idle.policy_ns,
            ];
            let bytes = [
                row.loaded_bytes,
                row.stored_bytes,
                row.peer_bytes,
                row.read_bytes,
                row.written_bytes,
                row.peak_bytes,
            ];
            let fields = [row.policy.clone(), ms(row.makespan_ns), row.proven.to_string()]
                .into_iter()
                .chain([
                    format!("{:.4}", row.over_bound),
                    format!("{:.4}", row.over_compute),
                    over_best,
                ])
                .chain(bytes.map(|b| b.to_string()))
                .chain(idle.map(ms));
            text += &fields.collect::<Vec<_>>().join(",");
            text.push('\n');
        }
        text
    }

    /// Returns the report as pretty-printed JSON.
    ///
    /// # Errors
    /// `Usage` if a number has no JSON form (an infinite rate).
    pub fn json(&self) -> Result<String, Error> {
        serde_json::to_string_pretty(self).map_err(|error| Error::Usage(error.to_string()))
    }

    /// Returns the report as an aligned table for people.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{}: {} subtasks, lower bound {} ms\n",
            self.title,
            self.subtasks,
            ms(self.bound_ns)
        );
        text += "policy      makespan ms  /bound   /best  /compute   loaded GB   stored GB   idle \
        ms: load, swap, file, others, policy\n";
        for row in &self.rows {
            let best = row.over_best.map_or("-".into(), |o| format!("{o:.3}"));
            let idle = [
                row.idle.load_ns,
                row.idle.swap_ns,
                row.idle.file_ns,
                row.idle.others_ns,
                row.idle.policy_ns,
            ];
            let idle = idle.map(|ns| format!("{:.0}", ns as f64 / 1e6)).join(", ");
            let name = if row.proven { row.policy.clone() } else { format!("{}?", row.policy) };
            text += &format!(
                "{name:11} {:>11}  {:>6.3}  {best:>6}  {:>8.3}  {:>10.3}  {:>10.3}   {idle}\n",
                ms(row.makespan_ns),
                row.over_bound,
                row.over_compute,
                row.loaded_bytes as f64 / 1e9,
                row.stored_bytes as f64 / 1e9,
            );
        }
        text
    }
}

/// Returns milliseconds with three decimals.
pub fn ms(ns: u64) -> String {
    format!("{:.3}", ns as f64 / 1e6)
}

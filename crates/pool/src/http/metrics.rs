//! The pool's metrics for Prometheus: one series for each GPU and one for each lease, never one for
//! each GPU of a lease.

use crate::http::api::UsageView;
use crate::http::prometheus::{Metric, escaped};
use crate::log::state::State;
use crate::model::bill::FrameCounts;
use crate::model::lease::Phase;
use crate::model::telemetry::{GpuUsage, LeaseUsage};

const GPU_MEMORY: Metric = Metric::gauge("outhaul_gpu_memory_bytes", "Memory of a GPU.");
const GPU_MEMORY_FREE: Metric = Metric::gauge(
    "outhaul_gpu_memory_free_bytes",
    "Memory of a GPU that no lease has; 0 while its node is down.",
);
const GPU_TIME_FREE: Metric = Metric::gauge(
    "outhaul_gpu_time_free_ratio",
    "Time of a GPU that no lease has, from 0 to 1; 0 while its node is down.",
);
const NODE_DRAINING: Metric =
    Metric::gauge("outhaul_node_draining", "Whether the pool places nothing new on a node.");
const NODE_UP: Metric = Metric::gauge("outhaul_node_up", "Whether a node is up.");
const LEASE_GPUS: Metric =
    Metric::gauge("outhaul_lease_gpus", "GPUs of a lease; a part of one counts as that part.");
const LEASE_MEMORY: Metric = Metric::gauge("outhaul_lease_memory_bytes", "GPU memory of a lease.");
const LEASE_SECONDS: Metric = Metric::gauge("outhaul_lease_seconds", "How long a lease is held.");
const GPU_BUSY: Metric =
    Metric::gauge("outhaul_gpu_busy_ratio", "Utilisation of a GPU, from 0 to 1.");
const GPU_WATTS: Metric = Metric::gauge("outhaul_gpu_watts", "Power that a GPU draws.");
const LEASE_BUSY: Metric = Metric::counter(
    "outhaul_lease_gpu_seconds_total",
    "How long a lease's sessions have kept GPUs busy.",
);
const LEASE_JOULES: Metric = Metric::counter(
    "outhaul_lease_joules_total",
    "Energy of a lease's work, and its share of idle GPUs' energy.",
);
const LEASE_RATE: Metric = Metric::gauge(
    "outhaul_lease_frames_promised_hertz",
    "Frames per second that the pool has promised a lease.",
);
const LEASE_FRAMES: Metric = Metric::counter(
    "outhaul_lease_frames_total",
    "Frames that the node has counted of a lease with a promised rate.",
);
const LEASE_LATE: Metric = Metric::counter(
    "outhaul_lease_frames_late_total",
    "Frames of such a lease for which the node alone took longer than a tick.",
);
const LEASE_SKIPPED: Metric = Metric::counter(
    "outhaul_lease_ticks_skipped_total",
    "Ticks in which such a lease's program, while it drew, began no frame.",
);
const LEASE_WORST: Metric = Metric::gauge(
    "outhaul_lease_frame_worst_seconds",
    "The longest time that the node took for a frame of such a lease.",
);
const WAITING: Metric = Metric::gauge("outhaul_requests_waiting", "Requests in the queue.");
const HEALTHY: Metric = Metric::gauge("outhaul_pool_healthy", "Whether the pool's store answers.");
const ENTRIES: Metric =
    Metric::counter("outhaul_pool_entries_total", "Entries of the pool's log so far.");

/// Returns all metrics of the pool's state.
pub fn render(state: &State, now_ms: u64, healthy: bool) -> String {
    let mut text = String::new();
    let gpus: Vec<_> = state
        .nodes
        .values()
        .flat_map(|node| node.facts.gpus.iter().map(move |gpu| (&node.facts.name, gpu)))
        .collect();
    let of_gpu = |(node, gpu): &(&String, &crate::model::node::Gpu)| {
        format!(
            "node=\"{}\",gpu=\"{}\",model=\"{}\"",
            escaped(node),
            escaped(&gpu.uuid),
            escaped(&gpu.model)
        )
    };
    let free = |(node, gpu): &(&String, &crate::model::node::Gpu)| state.offered(node, &gpu.uuid);
    GPU_MEMORY.write(&mut text, gpus.iter().map(|gpu| (of_gpu(gpu), gpu.1.memory_bytes as f64)));
    GPU_MEMORY_FREE.write(&mut text, gpus.iter().map(|gpu| (of_gpu(gpu), free(gpu).1 as f64)));
    GPU_TIME_FREE.write(&mut text, gpus.iter().map(|gpu| (of_gpu(gpu), free(gpu).0 as f64 / 1e9)));
    let draining = state.nodes.iter().map(|(name, node)| {
        (format!("node=\"{}\"", escaped(name)), f64::from(u8::from(node.draining)))
    });
    NODE_DRAINING.write(&mut text, draining);
    let up = state.nodes.iter().map(|(name, node)| {
        (format!("node=\"{}\"", escaped(name)), f64::from(u8::from(node.down.is_none())))
    });
    NODE_UP.write(&mut text, up);
    let held = state.leases.iter().filter_map(|(id, lease)| match &lease.phase {
        Phase::Held { since_ms, parts, .. } => Some((
            format!("lease=\"{}\",user=\"{}\"", escaped(id), escaped(&lease.holder.user)),
            *since_ms,
            parts,
        )),
        Phase::Waiting => None,
    });
    let held: Vec<_> = held.collect();
    let sum = |part: fn(&crate::model::lease::Part) -> f64| {
        held.iter().map(move |(labels, _, parts)| (labels.clone(), parts.iter().map(part).sum()))
    };
    LEASE_GPUS.write(&mut text, sum(|part| part.fraction));
    LEASE_MEMORY.write(&mut text, sum(|part| part.memory_bytes as f64));
    let seconds = held.iter().map(|(labels, since_ms, _)| {
        (labels.clone(), now_ms.saturating_sub(*since_ms) as f64 / 1e3)
    });
    LEASE_SECONDS.write(&mut text, seconds);
    for (metric, value) in [
        (&WAITING, (state.leases.len() - held.len()) as f64),
        (&HEALTHY, f64::from(u8::from(healthy))),
        (&ENTRIES, state.head as f64),
    ] {
        metric.write(&mut text, [(String::new(), value)].into_iter());
    }
    text
}

/// Appends the metrics of GPUs and leases that their nodes report. GPUs of nodes that are down have
/// none, since nobody reports them.
pub fn render_usage(text: &mut String, state: &State, usage: &UsageView) {
    let is_up =
        |gpu: &&GpuUsage| state.nodes.get(&gpu.node).is_some_and(|node| node.down.is_none());
    let of_gpu =
        |gpu: &GpuUsage| format!("node=\"{}\",gpu=\"{}\"", escaped(&gpu.node), escaped(&gpu.gpu));
    GPU_BUSY.write(
        text,
        usage
            .gpus
            .iter()
            .filter(is_up)
            .map(|gpu| (of_gpu(gpu), f64::from(gpu.busy_percent) / 100.0)),
    );
    GPU_WATTS.write(
        text,
        usage
            .gpus
            .iter()
            .filter(is_up)
            .filter_map(|gpu| Some((of_gpu(gpu), f64::from(gpu.watts?)))),
    );
    let of_lease = |lease: &LeaseUsage| format!("lease=\"{}\"", escaped(&lease.id));
    LEASE_BUSY.write(
        text,
        usage.leases.iter().map(|lease| (of_lease(lease), lease.busy_ns as f64 / 1e9)),
    );
    let metered = usage.leases.iter().filter(|lease| lease.method.is_some());
    let joules =
        metered.map(|lease| (of_lease(lease), (lease.active_mj + lease.idle_mj) as f64 / 1e3));
    LEASE_JOULES.write(text, joules);
    render_frames(text, state, usage);
}

/// Appends the promised rate of each lease with one, and the frames that its node saw.
fn render_frames(text: &mut String, state: &State, usage: &UsageView) {
    let of_lease = |id: &str| format!("lease=\"{}\"", escaped(id));
    let promised = state.leases.iter().filter(|(_, lease)| lease.fence().is_some());
    let rates =
        promised.filter_map(|(id, lease)| Some((of_lease(id), f64::from(lease.ask.frames?.per_s))));
    LEASE_RATE.write(text, rates);
    let drawing = || usage.leases.iter().filter(|lease| !lease.frames.are_none());
    let mut write = |metric: &Metric, value: fn(&FrameCounts) -> f64| {
        metric.write(text, drawing().map(|lease| (of_lease(&lease.id), value(&lease.frames))));
    };
    write(&LEASE_FRAMES, |frames| frames.seen as f64);
    write(&LEASE_LATE, |frames| frames.late as f64);
    write(&LEASE_SKIPPED, |frames| frames.skipped as f64);
    write(&LEASE_WORST, |frames| frames.worst_us as f64 / 1e6);
}

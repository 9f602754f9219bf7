//! The pool in numbers, as Prometheus reads them: a series per GPU and one per lease, never one per node and GPU of a lease.

use crate::api::UsageView;
use crate::lease::Phase;
use crate::state::State;
use crate::telemetry::{GpuUsage, LeaseUsage};
use std::fmt::Write;

/// What is measured, in Prometheus' words.
struct Metric {
    name: &'static str,
    help: &'static str,
}

const GPU_MEMORY: Metric = Metric { name: "outhaul_gpu_memory_bytes", help: "Memory of a GPU." };
const GPU_MEMORY_FREE: Metric = Metric { name: "outhaul_gpu_memory_free_bytes", help: "Memory of a GPU that no lease has." };
const GPU_TIME_FREE: Metric = Metric { name: "outhaul_gpu_time_free_ratio", help: "Time of a GPU that no lease has, from 0 to 1." };
const NODE_DRAINING: Metric = Metric { name: "outhaul_node_draining", help: "Whether nothing new is placed on a node." };
const LEASE_GPUS: Metric = Metric { name: "outhaul_lease_gpus", help: "GPUs of a lease; a part of one counts as that part." };
const LEASE_MEMORY: Metric = Metric { name: "outhaul_lease_memory_bytes", help: "GPU memory of a lease." };
const LEASE_SECONDS: Metric = Metric { name: "outhaul_lease_seconds", help: "How long a lease is held." };
const GPU_BUSY: Metric = Metric { name: "outhaul_gpu_busy_ratio", help: "How busy a GPU is, from 0 to 1, as its node says." };
const GPU_WATTS: Metric = Metric { name: "outhaul_gpu_watts", help: "What a GPU draws, as its node says." };
const LEASE_BUSY: Metric = Metric { name: "outhaul_lease_gpu_seconds", help: "How long a lease's sessions have kept GPUs busy." };
const LEASE_JOULES: Metric = Metric { name: "outhaul_lease_joules", help: "What a lease's work and its share of idle GPUs drew." };
const WAITING: Metric = Metric { name: "outhaul_requests_waiting", help: "Requests in the queue." };
const HEALTHY: Metric = Metric { name: "outhaul_pool_healthy", help: "Whether the pool's store answers." };
const ENTRIES: Metric = Metric { name: "outhaul_pool_entries", help: "Entries of the pool's log so far." };

/// All metrics of a moment.
pub fn render(state: &State, now_ms: u64, healthy: bool) -> String {
    let mut text = String::new();
    let gpus: Vec<_> = state.nodes.values().flat_map(|node| node.facts.gpus.iter().map(move |gpu| (&node.facts.name, gpu))).collect();
    let of_gpu = |(node, gpu): &(&String, &crate::node::Gpu)| {
        format!("node=\"{}\",gpu=\"{}\",model=\"{}\"", escaped(node), escaped(&gpu.uuid), escaped(&gpu.model))
    };
    let free = |(node, gpu): &(&String, &crate::node::Gpu)| state.free(node, &gpu.uuid).unwrap_or_default();
    family(&mut text, &GPU_MEMORY, gpus.iter().map(|gpu| (of_gpu(gpu), gpu.1.memory_bytes as f64)));
    family(&mut text, &GPU_MEMORY_FREE, gpus.iter().map(|gpu| (of_gpu(gpu), free(gpu).1 as f64)));
    family(&mut text, &GPU_TIME_FREE, gpus.iter().map(|gpu| (of_gpu(gpu), free(gpu).0 as f64 / 1e9)));
    let draining = state.nodes.iter().map(|(name, node)| (format!("node=\"{}\"", escaped(name)), f64::from(u8::from(node.draining))));
    family(&mut text, &NODE_DRAINING, draining);
    let held = state.leases.iter().filter_map(|(id, lease)| match &lease.phase {
        Phase::Held { since_ms, parts, .. } => {
            Some((format!("lease=\"{}\",user=\"{}\"", escaped(id), escaped(&lease.holder.user)), *since_ms, parts))
        }
        Phase::Waiting => None,
    });
    let held: Vec<_> = held.collect();
    let sum =
        |part: fn(&crate::lease::Part) -> f64| held.iter().map(move |(labels, _, parts)| (labels.clone(), parts.iter().map(part).sum()));
    family(&mut text, &LEASE_GPUS, sum(|part| part.fraction));
    family(&mut text, &LEASE_MEMORY, sum(|part| part.memory_bytes as f64));
    let seconds = held.iter().map(|(labels, since_ms, _)| (labels.clone(), now_ms.saturating_sub(*since_ms) as f64 / 1e3));
    family(&mut text, &LEASE_SECONDS, seconds);
    for (metric, value) in
        [(&WAITING, (state.leases.len() - held.len()) as f64), (&HEALTHY, f64::from(u8::from(healthy))), (&ENTRIES, state.head as f64)]
    {
        family(&mut text, metric, [(String::new(), value)].into_iter());
    }
    text
}

/// What nodes say that GPUs and leases do.
pub fn render_usage(text: &mut String, usage: &UsageView) {
    let of_gpu = |gpu: &GpuUsage| format!("node=\"{}\",gpu=\"{}\"", escaped(&gpu.node), escaped(&gpu.gpu));
    family(text, &GPU_BUSY, usage.gpus.iter().map(|gpu| (of_gpu(gpu), f64::from(gpu.busy_percent) / 100.0)));
    family(text, &GPU_WATTS, usage.gpus.iter().filter_map(|gpu| Some((of_gpu(gpu), f64::from(gpu.watts?)))));
    let of_lease = |lease: &LeaseUsage| format!("lease=\"{}\"", escaped(&lease.id));
    family(text, &LEASE_BUSY, usage.leases.iter().map(|lease| (of_lease(lease), lease.busy_ns as f64 / 1e9)));
    let metered = usage.leases.iter().filter(|lease| lease.method.is_some());
    let joules = metered.map(|lease| (of_lease(lease), (lease.active_mj + lease.idle_mj) as f64 / 1e3));
    family(text, &LEASE_JOULES, joules);
}

fn family(text: &mut String, metric: &Metric, samples: impl Iterator<Item = (String, f64)>) {
    let Metric { name, help } = metric;
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
    for (labels, value) in samples {
        let braced = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
        let _ = writeln!(text, "{name}{braced} {value}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

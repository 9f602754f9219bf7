//! What a node's tenants and sessions use of its GPUs in numbers, as Prometheus reads them. A node has no server for that: `outhaul top --metrics` prints
//! them, for a collector that reads files.

use outhaul_node::administration::{GpuTime, Status};
use std::fmt::Write;

struct Metric {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
}

const TENANT_SECONDS: Metric = Metric {
    name: "outhaul_tenant_gpu_seconds_total",
    kind: "counter",
    help: "Time that a tenant's programs have used of a GPU's engine since the tenant first came.",
};
const TENANT_SHARE: Metric =
    Metric { name: "outhaul_tenant_share_ratio", kind: "gauge", help: "A tenant's part of a GPU if everybody wants it, from 0 to 1." };
const TENANT_SESSIONS: Metric = Metric { name: "outhaul_tenant_sessions", kind: "gauge", help: "Sessions of a tenant." };
const SESSION_SECONDS: Metric = Metric {
    name: "outhaul_session_gpu_seconds_total",
    kind: "counter",
    help: "Time that a session has used of a GPU's engine since it began.",
};

pub fn render(status: &Status) -> String {
    let mut text = String::new();
    let of_tenants = status.tenants.iter().flat_map(|tenant| {
        let labels = format!("tenant=\"{}\"", escaped(&tenant.name));
        tenant.gpus.iter().enumerate().flat_map(move |(gpu, of)| engines(&labels, gpu, of.time))
    });
    family(&mut text, &TENANT_SECONDS, of_tenants);
    let shares = status.tenants.iter().flat_map(|tenant| {
        let share = |(gpu, of): (usize, &outhaul_node::administration::TenantGpu)| {
            (format!("tenant=\"{}\",gpu=\"{gpu}\"", escaped(&tenant.name)), of.share_percent / 100.0)
        };
        tenant.gpus.iter().enumerate().map(share).collect::<Vec<_>>()
    });
    family(&mut text, &TENANT_SHARE, shares);
    let sessions = status.tenants.iter().map(|tenant| (format!("tenant=\"{}\"", escaped(&tenant.name)), tenant.sessions as f64));
    family(&mut text, &TENANT_SESSIONS, sessions);
    let of_sessions = status.sessions.iter().flat_map(|session| {
        let labels = format!("tenant=\"{}\",worker=\"{}\",peer=\"{}\"", escaped(&session.tenant), session.worker, escaped(&session.peer));
        session.gpus.iter().enumerate().flat_map(move |(gpu, time)| engines(&labels, gpu, *time))
    });
    family(&mut text, &SESSION_SECONDS, of_sessions);
    text
}

fn engines(labels: &str, gpu: usize, time: GpuTime) -> [(String, f64); 3] {
    let GpuTime { compute_ns, to_device_ns, to_host_ns } = time;
    [("compute", compute_ns), ("to_device", to_device_ns), ("to_host", to_host_ns)]
        .map(|(engine, ns)| (format!("{labels},gpu=\"{gpu}\",engine=\"{engine}\""), ns as f64 / 1e9))
}

fn family(text: &mut String, metric: &Metric, samples: impl Iterator<Item = (String, f64)>) {
    let Metric { name, kind, help } = metric;
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (labels, value) in samples {
        let _ = writeln!(text, "{name}{{{labels}}} {value}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

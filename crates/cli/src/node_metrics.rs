//! What a node's tenants and sessions use of its GPUs in numbers, as Prometheus reads them. A node has no server for that: `outhaul top --metrics` prints
//! them, for a collector that reads files.

use outhaul_node::administration::{GpuTime, Status};
use outhaul_pool::prometheus::{Metric, escaped};

const TENANT_SECONDS: Metric = Metric::counter(
    "outhaul_tenant_gpu_seconds_total",
    "Time that a tenant's programs have used of a GPU's engine since the tenant first came.",
);
const TENANT_SHARE: Metric = Metric::gauge(
    "outhaul_tenant_share_ratio",
    "A tenant's part of a GPU if everybody wants it, from 0 to 1.",
);
const TENANT_SESSIONS: Metric = Metric::gauge("outhaul_tenant_sessions", "Sessions of a tenant.");
const SESSION_SECONDS: Metric = Metric::counter(
    "outhaul_session_gpu_seconds_total",
    "Time that a session has used of a GPU's engine since it began.",
);

pub fn render(status: &Status) -> String {
    let (mut text, mut shares, mut tenant_seconds) = (String::new(), Vec::new(), Vec::new());
    for tenant in &status.tenants {
        let labels = of_tenant(&tenant.name);
        for (gpu, of) in tenant.gpus.iter().enumerate() {
            shares.push((format!("{labels},gpu=\"{gpu}\""), of.share_percent / 100.0));
            tenant_seconds.extend(engines(&labels, gpu, of.time));
        }
    }
    let sessions =
        status.tenants.iter().map(|tenant| (of_tenant(&tenant.name), tenant.sessions as f64));
    let session_seconds = status.sessions.iter().flat_map(|session| {
        let labels = format!(
            "{},worker=\"{}\",peer=\"{}\"",
            of_tenant(&session.tenant),
            session.worker,
            escaped(&session.peer)
        );
        session.gpus.iter().enumerate().flat_map(move |(gpu, time)| engines(&labels, gpu, *time))
    });
    TENANT_SECONDS.write(&mut text, tenant_seconds.into_iter());
    TENANT_SHARE.write(&mut text, shares.into_iter());
    TENANT_SESSIONS.write(&mut text, sessions);
    SESSION_SECONDS.write(&mut text, session_seconds);
    text
}

fn of_tenant(name: &str) -> String {
    format!("tenant=\"{}\"", escaped(name))
}

fn engines(labels: &str, gpu: usize, time: GpuTime) -> [(String, f64); 3] {
    let GpuTime { compute_ns, to_device_ns, to_host_ns } = time;
    [("compute", compute_ns), ("to_device", to_device_ns), ("to_host", to_host_ns)].map(
        |(engine, ns)| (format!("{labels},gpu=\"{gpu}\",engine=\"{engine}\""), ns as f64 / 1e9),
    )
}

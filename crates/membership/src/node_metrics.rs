//! Formats Prometheus metrics of a node's tenants and sessions, and of their GPU use. The node has
//! no HTTP server for metrics: `outhaul top --metrics` prints them, for a collector that reads
//! files.

use outhaul_node::meter::gpu_processes::OtherProcess;
use outhaul_node::sharing::admin_socket::{Breaks, GpuTime, SessionStatus, Status};
use outhaul_pool::http::prometheus::{Metric, escaped};

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

const SESSION_BREAKS: Metric = Metric::counter(
    "outhaul_session_breaks_total",
    "How often connections of a session broke and were replaced since it began.",
);
const SESSION_MISSING: Metric = Metric::counter(
    "outhaul_session_missing_seconds_total",
    "For how long a session was without a connection that broke, in all.",
);
const SESSION_LOST: Metric =
    Metric::gauge("outhaul_session_lost", "1 while a session waits for its program to call again.");
const SESSION_SILENT: Metric = Metric::gauge(
    "outhaul_session_silent_seconds",
    "For how long nothing has come from a session's program whose connections are there.",
);

const OTHER_PROCESSES: Metric = Metric::gauge(
    "outhaul_gpu_other_processes",
    "Processes on a GPU that go around the node, as far as NVML knows them.",
);
const OTHER_BYTES: Metric = Metric::gauge(
    "outhaul_gpu_other_memory_bytes",
    "Memory of a GPU that processes hold which go around the node.",
);

/// Formats a node's status as metrics. `others` are the processes that go around the node.
pub fn render(status: &Status, others: &[OtherProcess]) -> String {
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
    let of_session = |one: &SessionStatus| {
        format!(
            "{},worker=\"{}\",peer=\"{}\"",
            of_tenant(&one.tenant),
            one.worker,
            escaped(&one.peer)
        )
    };
    let of_sessions = |value: fn(&Breaks) -> f64| {
        status.sessions.iter().map(move |one| (of_session(one), value(&one.breaks)))
    };
    let session_seconds = status.sessions.iter().flat_map(|session| {
        let labels = of_session(session);
        session.gpus.iter().enumerate().flat_map(move |(gpu, time)| engines(&labels, gpu, *time))
    });
    let of_gpu = |gpu| others.iter().filter(move |other| other.gpu == gpu);
    let gpus =
        || (0..status.gpu_identities.len()).map(|gpu| (format!("gpu=\"{gpu}\""), of_gpu(gpu)));
    let bytes = |other: &OtherProcess| other.memory_bytes.unwrap_or(0) as f64;
    OTHER_PROCESSES.write(&mut text, gpus().map(|(gpu, of)| (gpu, of.count() as f64)));
    OTHER_BYTES.write(&mut text, gpus().map(|(gpu, of)| (gpu, of.map(bytes).sum())));
    TENANT_SECONDS.write(&mut text, tenant_seconds.into_iter());
    TENANT_SHARE.write(&mut text, shares.into_iter());
    TENANT_SESSIONS.write(&mut text, sessions);
    SESSION_SECONDS.write(&mut text, session_seconds);
    SESSION_BREAKS.write(&mut text, of_sessions(|breaks| breaks.count as f64));
    SESSION_MISSING.write(&mut text, of_sessions(|breaks| breaks.missing_ns as f64 / 1e9));
    SESSION_LOST.write(&mut text, of_sessions(|breaks| f64::from(u8::from(breaks.lost.is_some()))));
    SESSION_SILENT.write(&mut text, of_sessions(|breaks| breaks.silent_ms as f64 / 1e3));
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

//! `outhaul top`: shows which tenants and sessions use the GPUs of a node on this machine. Prints a
//! table repeatedly or once, or prints JSON.

use crate::address::pool::PoolAddress;
use crate::error::Error;
use crate::pool::top;
use crate::shares::node::{NodeHere, Seen};
use crate::table::{cut, fitted};
use outhaul_membership::node_metrics;
use outhaul_node::meter::gpu_processes::GpuProcesses;
use outhaul_node::sharing::admin_socket::{GpuTime, SessionStatus, Status};
use std::fmt::Write;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

/// Characters of a tenant's name. A line has 79 in all.
const TENANT_COLUMNS: usize = 20;
/// Characters of the columns before the GPU's.
const HEAD_COLUMNS: usize = 32;

/// Show what each tenant and session uses of a node's GPUs.
#[derive(clap::Args)]
#[command(after_help = "\
Percentages are of the time between two measurements. Times are since the session began, or since \
the tenant's first session. Processes on the node's GPUs that go around the node are listed below \
the table, as far as NVML knows them.

Examples:
  outhaul top                   a table that is redrawn every second
  outhaul top --once            one table
  outhaul top --pool https://pool:7653
  outhaul top --metrics >outhaul.prom
  outhaul top --json            one object with all times in nanoseconds, for programs that \
  compute rates themselves")]
pub struct Arguments {
    #[command(flatten)]
    node: NodeHere,
    /// Show the GPUs and leases of the pool at this URL instead; without a URL, of the pool in
    /// OUTHAUL_POOL.
    #[arg(long, value_name = "URL[,URL...]", num_args = 0..=1, conflicts_with = "node")]
    pool: Option<Option<PoolAddress>>,
    /// Seconds between two measurements.
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    every: f64,
    /// Measure twice, print one table, and exit.
    #[arg(long)]
    once: bool,
    /// Print the node's data as JSON, and exit.
    #[arg(long)]
    json: bool,
    /// Print the node's data in Prometheus' format, for a collector of text files, and exit.
    #[arg(long, conflicts_with_all = ["pool", "json", "once"])]
    metrics: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.05..=3600.0).contains(seconds));
    seconds.ok_or_else(|| format!("'{text}' is not a number of seconds between 0.05 and 3600"))
}

/// Shows the GPU use of a pool or a node, repeatedly unless an option says otherwise.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    if let Some(pool) = &arguments.pool {
        let pool = PoolAddress::or_environment(pool.clone())?.ok_or(Error::NoPool)?;
        return top::show(
            &pool,
            Duration::from_secs_f64(arguments.every),
            arguments.once,
            arguments.json,
        );
    }
    let processes = GpuProcesses::open();
    let observe = || arguments.node.observe(processes.as_ref());
    let mut before = observe()?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&before).unwrap_or_default());
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.metrics {
        print!("{}", node_metrics::render(&before.status, &before.other_processes));
        return Ok(ExitCode::SUCCESS);
    }
    loop {
        std::thread::sleep(Duration::from_secs_f64(arguments.every));
        let now = observe()?;
        let mut text = table(&before, &now);
        if !arguments.once && std::io::stdout().is_terminal() {
            // Move to the corner and clear the screen.
            text = format!("\x1b[H\x1b[2J{}", fitted(&text));
        }
        print!("{text}");
        if arguments.once {
            return Ok(ExitCode::SUCCESS);
        }
        before = now;
    }
}

/// Returns, for each engine, the percentage of the time between two measurements that the engine
/// was busy.
fn percent(before: Option<&GpuTime>, now: &GpuTime, elapsed_ns: u64) -> [f64; 3] {
    let before = before.copied().unwrap_or_default();
    let pairs = [
        (before.compute_ns, now.compute_ns),
        (before.to_device_ns, now.to_device_ns),
        (before.to_host_ns, now.to_host_ns),
    ];
    pairs.map(|(before, now)| 100.0 * now.saturating_sub(before) as f64 / elapsed_ns.max(1) as f64)
}

fn table(before: &Seen, now: &Seen) -> String {
    tenants(&before.status, &now.status) + &now.describe_others()
}

fn tenants(before: &Status, now: &Status) -> String {
    let elapsed_ns = now.at_ns - before.at_ns;
    let mut text = format!(
        "policy {}\n{:<20} {:>6} {:>4} {:>4} {:>9} {:>9} {:>9} {:>11}\n",
        now.policy, "TENANT", "SHARE", "PRIO", "GPU", "COMPUTE", "TO GPU", "FROM GPU", "COMPUTED"
    );
    if now.tenants.is_empty() {
        text += "no program uses the node's GPUs\n";
    }
    for tenant in &now.tenants {
        let earlier = before.tenants.iter().find(|other| other.name == tenant.name);
        if tenant.gpus.is_empty() {
            let _ = writeln!(text, "{:<HEAD_COLUMNS$}    -", cut(&tenant.name, HEAD_COLUMNS));
        }
        for (ordinal, gpu) in tenant.gpus.iter().enumerate() {
            let name = cut(&tenant.name, TENANT_COLUMNS);
            let head =
                format!("{name:<TENANT_COLUMNS$} {:>5.1}% {:>4}", gpu.share_percent, gpu.priority);
            let before = earlier.and_then(|earlier| earlier.gpus.get(ordinal)).map(|gpu| &gpu.time);
            row(&mut text, &head, ordinal, before, &gpu.time, elapsed_ns);
        }
        for session in now.sessions.iter().filter(|session| session.tenant == tenant.name) {
            let earlier = before.sessions.iter().find(|other| other.worker == session.worker);
            let head = format!("  worker {:<7} {:<15}", session.worker, cut(&session.peer, 15));
            rows(
                &mut text,
                &head,
                earlier.map(|earlier| earlier.gpus.as_slice()),
                &session.gpus,
                elapsed_ns,
            );
            text.extend(lost(session, now.at_ns));
        }
    }
    text
}

/// Returns a message if a session waits for its program to reconnect, or hears nothing from it.
fn lost(session: &SessionStatus, now_ns: u64) -> Option<String> {
    let breaks = &session.breaks;
    let silent = || {
        format!(
            "    nothing heard for {} s: the program is stopped, or its network\n",
            breaks.silent_ms / 1000
        )
    };
    let Some(lost) = breaks.lost else { return (breaks.silent_ms > 0).then(silent) };
    let (ago, wait) = (now_ns.saturating_sub(lost.at_ns) / 1_000_000_000, lost.wait_ms / 1000);
    Some(format!("    connection lost {ago} s ago, waiting up to {wait} s\n"))
}

fn rows(
    text: &mut String,
    head: &str,
    before: Option<&[GpuTime]>,
    now: &[GpuTime],
    elapsed_ns: u64,
) {
    if now.is_empty() {
        let _ = writeln!(text, "{head:<HEAD_COLUMNS$}    -");
    }
    for (ordinal, time) in now.iter().enumerate() {
        row(text, head, ordinal, before.and_then(|before| before.get(ordinal)), time, elapsed_ns);
    }
}

fn row(
    text: &mut String,
    head: &str,
    ordinal: usize,
    before: Option<&GpuTime>,
    now: &GpuTime,
    elapsed_ns: u64,
) {
    let [compute, to_device, to_host] = percent(before, now, elapsed_ns);
    let seconds = now.compute_ns as f64 / 1e9;
    let _ = writeln!(
        text,
        "{head:<HEAD_COLUMNS$} {ordinal:>4} {compute:>8.1}% {to_device:>8.1}% {to_host:>8.1}% \
        {seconds:>9.2} s"
    );
}

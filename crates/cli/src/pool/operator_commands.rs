//! `outhaul node`, `quota` and `health`: commands for a pool's operator.

use crate::address::destination::PoolOption;
use crate::address::names;
use crate::error::Error;
use crate::local_time::time_of_day;
use crate::quantity::{bytes, counted};
use crate::shares::node;
use crate::table::Table;
use outhaul_pool::http::api::{Drain, GpuView, Health, NodeView, Quotas};
use outhaul_pool::http::client::Client;
use outhaul_pool::model::quota::{Quota, Usage};
use serde::Serialize;
use std::process::ExitCode;

const GIB: f64 = (1u64 << 30) as f64;

fn print(json: bool, value: &impl Serialize, table: impl FnOnce() -> String) {
    if json {
        println!("{}", serde_json::to_string_pretty(value).unwrap_or_default());
    } else {
        print!("{}", table());
    }
}

/// List and drain the nodes of a pool; show or change how a node of this machine shares its GPUs.
#[derive(clap::Args)]
pub struct Node {
    #[command(subcommand)]
    what: NodeWhat,
}

#[derive(clap::Subcommand)]
enum NodeWhat {
    /// List all nodes, and the free part of each GPU. `--json` has the GPUs' UUIDs too.
    Ls {
        #[command(flatten)]
        pool: PoolOption,
        /// Print the nodes as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Place nothing new on a node. Its leases continue.
    Drain {
        #[command(flatten)]
        pool: PoolOption,
        /// Name of the node.
        #[arg(value_name = "NODE", value_parser = names::node)]
        node: String,
        /// Place leases on the node again.
        #[arg(long)]
        undo: bool,
    },
    /// Remove a node that is gone for good, and end its leases. A node that is alive joins again.
    Forget {
        #[command(flatten)]
        pool: PoolOption,
        /// Name of the node.
        #[arg(value_name = "NODE", value_parser = names::node)]
        node: String,
    },
    Show(node::Show),
    Set(node::Set),
}

/// Runs `outhaul node`.
pub fn node(arguments: Node) -> Result<ExitCode, Error> {
    match arguments.what {
        NodeWhat::Ls { pool, json } => {
            return list(&pool.client()?, json);
        }
        NodeWhat::Drain { pool, node, undo } => {
            let drain = Drain { draining: !undo };
            pool.client()?.put::<()>(&format!("/v1/nodes/{node}/drain"), &drain)?;
            if undo {
                println!("outhaul: the pool places leases on node {node} again");
            } else {
                println!("outhaul: the pool places no new leases on node {node}");
            }
        }
        NodeWhat::Forget { pool, node } => {
            pool.client()?.delete::<()>(&format!("/v1/nodes/{node}"))?;
            println!("outhaul: the pool has removed node {node} and ended its leases");
        }
        NodeWhat::Show(show) => show.execute()?,
        NodeWhat::Set(set) => set.execute()?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the GPUs of a pool as a table.
pub fn list(client: &Client, json: bool) -> Result<ExitCode, Error> {
    let nodes: Vec<NodeView> = client.get("/v1/nodes")?;
    print(json, &nodes, || gpus(&nodes));
    Ok(ExitCode::SUCCESS)
}

/// Formats the GPUs, one line per GPU.
fn gpus(nodes: &[NodeView]) -> String {
    let mut table =
        Table::new(&["NODE", "ADDRESS", "STATE", "GPU", "NAME", "MEMORY", "FREE", "TIME FREE"]);
    for node in nodes {
        let state = match node.down {
            Some(down) => format!("down since {}", time_of_day(down.since_ms)),
            None => if node.draining { "draining" } else { "up" }.to_owned(),
        };
        let memory = |bytes: u64| format!("{:.1} GiB", bytes as f64 / GIB);
        for (ordinal, view) in node.gpus.iter().enumerate() {
            let GpuView { gpu, memory_free_bytes, time_free_percent } = view;
            let (name, address) = (node.name.clone(), node.address.clone());
            let (free, time) = match node.down {
                Some(_) => ("-".to_owned(), "-".to_owned()),
                None => (memory(*memory_free_bytes), format!("{time_free_percent:.0} %")),
            };
            table.row([
                name,
                address,
                state.clone(),
                ordinal.to_string(),
                gpu.model.clone(),
                memory(gpu.memory_bytes),
                free,
                time,
            ]);
        }
    }
    table.to_string()
}

/// Show or set the quotas of users and groups, and show their use.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul quota
  outhaul quota user:alice --gpus 2 --gpu-hours 100
  outhaul quota 'user:*' --leases 4
  outhaul quota user:alice --clear")]
pub struct QuotaArguments {
    #[command(flatten)]
    pool: PoolOption,
    /// User or group: user:NAME, group:NAME, or user:* and group:* for those without a quota of
    /// their own [default: all].
    #[arg(value_parser = names::subject)]
    subject: Option<String>,
    /// Maximum number of GPUs at once; a part of a GPU counts as that fraction [default: no limit].
    #[arg(long, value_name = "N", value_parser = names::limit, requires = "subject")]
    gpus: Option<f64>,
    /// Maximum GPU memory at once [default: no limit].
    #[arg(long, value_name = "80GiB", value_parser = bytes, requires = "subject")]
    memory: Option<u64>,
    /// Maximum number of leases at once; further requests wait [default: no limit].
    #[arg(long, value_name = "N", requires = "subject")]
    leases: Option<u32>,
    /// Maximum GPU-hours from now on [default: no limit].
    #[arg(long, value_name = "N", value_parser = names::limit, requires = "subject")]
    gpu_hours: Option<f64>,
    /// Remove the quota.
    #[arg(long, requires = "subject", conflicts_with_all = ["gpus", "memory", "leases",
        "gpu_hours"])]
    clear: bool,
    /// Print the quotas as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `outhaul quota`.
pub fn quota(arguments: QuotaArguments) -> Result<ExitCode, Error> {
    let client = arguments.pool.client()?;
    let quota = Quota {
        gpus: arguments.gpus,
        memory_bytes: arguments.memory,
        leases: arguments.leases,
        gpu_hours: arguments.gpu_hours,
    };
    let quotas: Quotas = match &arguments.subject {
        Some(subject) if arguments.clear => client.delete(&format!("/v1/quotas/{subject}"))?,
        Some(subject) if quota != Quota::default() => {
            client.put(&format!("/v1/quotas/{subject}"), &quota)?
        }
        _ => client.get("/v1/quotas")?,
    };
    print(arguments.json, &quotas, || quota_table(&quotas, arguments.subject.as_deref()));
    Ok(ExitCode::SUCCESS)
}

/// Formats each quota's use and limits.
fn quota_table(quotas: &Quotas, subject: Option<&str>) -> String {
    let mut table = Table::new(&["SUBJECT", "GPUS", "MEMORY", "LEASES", "GPU-HOURS"]);
    let mut subjects: Vec<&String> = quotas.quotas.keys().chain(quotas.usage.keys()).collect();
    subjects.sort();
    subjects.dedup();
    for name in subjects.into_iter().filter(|name| subject.is_none_or(|subject| *name == subject)) {
        let of = |used: String, limit: Option<String>| {
            limit.map_or(used.clone(), |limit| format!("{used} of {limit}"))
        };
        let none = (Usage::default(), Quota::default());
        let (usage, quota) =
            (quotas.usage.get(name).unwrap_or(&none.0), quotas.quotas.get(name).unwrap_or(&none.1));
        let memory = |bytes: u64| format!("{:.1} GiB", bytes as f64 / GIB);
        table.row([
            name.clone(),
            of(format!("{:.2}", usage.gpus), quota.gpus.map(|gpus| gpus.to_string())),
            of(memory(usage.memory_bytes), quota.memory_bytes.map(memory)),
            of(usage.leases.to_string(), quota.leases.map(|leases| leases.to_string())),
            of(format!("{:.2}", usage.gpu_hours), quota.gpu_hours.map(|hours| hours.to_string())),
        ]);
    }
    table.to_string()
}

/// The text of `limits` for a quota without limits at any time.
pub const NO_LIMITS: &str = "none";

/// Formats a quota's limits at any time in one line.
pub fn limits(quota: &Quota) -> String {
    let some = [
        quota.gpus.map(|gpus| counted(gpus, "GPU")),
        quota.memory_bytes.map(|bytes| format!("{:.1} GiB", bytes as f64 / GIB)),
        quota.leases.map(|leases| counted(leases, "lease")),
    ];
    let some: Vec<String> = some.into_iter().flatten().collect();
    if some.is_empty() { NO_LIMITS.to_owned() } else { format!("{} at once", some.join(", ")) }
}

/// Show the pool's health; the exit code reflects it.
#[derive(clap::Args)]
pub struct HealthArguments {
    #[command(flatten)]
    pool: PoolOption,
    /// Print the health as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `outhaul health`.
pub fn health(arguments: HealthArguments) -> Result<ExitCode, Error> {
    let client = arguments.pool.client()?;
    let health: Health = client.get("/v1/health")?;
    let (url, release) = (client.url(), &health.release);
    print(arguments.json, &health, || {
        format!(
            "the pool at {url} works: Outhaul {release}, {}{}, {}, {} held, {} waiting\n",
            counted(health.nodes, "node"),
            without(&health.down),
            counted(health.gpus, "GPU"),
            counted(health.held, "lease"),
            health.waiting
        )
    });
    Ok(ExitCode::SUCCESS)
}

/// Formats the names of nodes that are down.
fn without(down: &[String]) -> String {
    match down.len() {
        0 => String::new(),
        count @ 1..=8 => format!(" ({count} down: {})", down.join(", ")),
        count => format!(" ({count} down)"),
    }
}

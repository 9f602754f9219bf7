//! `outhaul energy`: prints the energy that a pool's leases and GPUs used.

use crate::address::destination::PoolOption;
use crate::address::names;
use crate::error::Error;
use crate::table::Table;
use outhaul_pool::http::api::{EnergyView, GpuEnergy};
use outhaul_pool::model::bill::{Bill, Item, Method};
use std::process::ExitCode;

/// Show how much GPU time and energy a pool's leases used.
#[derive(clap::Args)]
#[command(after_help = "\
ACTIVE is the energy that a GPU drew for the lease's own work: the board's energy less its idle \
energy, split by measured busy time. IDLE is the lease's share of the energy that the GPU drew \
while nothing ran. METHOD names the source: nvml is the board's own counter; synthetic is made up, \
on the software GPU.

Examples:
  outhaul energy                all leases, and the unleased energy of each GPU
  outhaul energy LEASE --json")]
pub struct Arguments {
    #[command(flatten)]
    pool: PoolOption,
    /// Lease to show [default: all leases and GPUs].
    #[arg(value_parser = names::lease)]
    lease: Option<String>,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

/// Prints the energy of a pool's leases and GPUs.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let one = arguments.lease.as_ref().map_or(String::new(), |lease| format!("?lease={lease}"));
    let energy: EnergyView = arguments.pool.client()?.get(&format!("/v1/energy{one}"))?;
    if let Some(lease) = arguments.lease.filter(|_| energy.leases.is_empty()) {
        return Err(Error::Refused(format!("the pool has no record of a lease {lease}")));
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&energy).unwrap_or_default());
    } else {
        print!("{}", leases(&energy.leases));
        if !energy.gpus.is_empty() {
            print!("\n{}", gpus(&energy.gpus));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn joules(mj: u64) -> String {
    format!("{:.1} J", mj as f64 / 1e3)
}

fn named(method: Option<Method>) -> String {
    method.map_or("none".to_owned(), |method| method.to_string())
}

fn leases(bills: &[Bill]) -> String {
    let mut table =
        Table::new(&["LEASE", "USER", "STATE", "GPUS", "BUSY", "ACTIVE", "IDLE", "METHOD"]);
    for bill in bills {
        let sum = |part: fn(&Item) -> u64| bill.items.iter().map(part).sum::<u64>();
        let state = if bill.to_ms.is_some() { "ended" } else { "held" };
        table.row([
            bill.id.clone(),
            bill.user.clone(),
            state.to_owned(),
            bill.items.len().to_string(),
            format!("{:.1} s", sum(|item| item.busy_ns) as f64 / 1e9),
            joules(sum(|item| item.active_mj)),
            joules(sum(|item| item.idle_mj)),
            named(bill.items.iter().find_map(|item| item.method)),
        ]);
    }
    table.to_string()
}

fn gpus(gpus: &[GpuEnergy]) -> String {
    let mut table = Table::new(&["NODE", "GPU", "DRAWN", "UNLEASED", "METHOD"]);
    for gpu in gpus {
        table.row([
            gpu.node.clone(),
            gpu.gpu.clone(),
            joules(gpu.total_mj),
            joules(gpu.unleased_mj),
            named(gpu.method),
        ]);
    }
    table.to_string()
}

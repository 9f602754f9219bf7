//! `outhaul ls`: the devices of a node, for people or as JSON.

use crate::error::Error;
use crate::node_address::NodeAddress;
use crate::session::{Offer, Session};
use serde_json::json;
use std::process::ExitCode;

/// List the GPUs of a node.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul ls --node gpu7:7654
  outhaul ls --node gpu7:7654 --json")]
pub struct Arguments {
    /// The node to ask [default: the environment's OUTHAUL_NODE].
    #[arg(long, value_name = "HOST:PORT")]
    node: Option<NodeAddress>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let node = NodeAddress::or_environment(arguments.node)?;
    let session = Session::open(&node)?;
    let offer = session.offer()?;
    session.end();
    if arguments.json {
        println!("{:#}", as_json(&node, &offer))
    } else {
        print!("{}", as_table(&node, &offer))
    }
    Ok(ExitCode::SUCCESS)
}

/// 13000 is CUDA 13.0.
pub fn version(driver_version: i32) -> String {
    format!("{}.{}", driver_version / 1000, driver_version % 1000 / 10)
}

fn as_json(node: &NodeAddress, offer: &Offer) -> serde_json::Value {
    let devices: Vec<_> = offer
        .devices
        .iter()
        .enumerate()
        .map(|(ordinal, gpu)| {
            json!({
                "ordinal": ordinal,
                "name": gpu.name,
                "memory_bytes": gpu.memory_bytes,
                "compute_capability": format!("{}.{}", gpu.capability.0, gpu.capability.1),
                "uuid": gpu.uuid,
                "pci_bus_id": gpu.pci_bus_id,
            })
        })
        .collect();
    json!({ "node": node.as_str(), "release": offer.release, "driver_version": version(offer.driver_version), "devices": devices })
}

fn as_table(node: &NodeAddress, offer: &Offer) -> String {
    let head = format!("{node}: Outhaul {}, CUDA driver {}\n", offer.release, version(offer.driver_version));
    if offer.devices.is_empty() {
        return head + "no GPUs\n";
    }
    let mut rows = vec![["GPU", "NAME", "MEMORY", "CAPABILITY", "UUID", "PCI"].map(str::to_owned)];
    rows.extend(offer.devices.iter().enumerate().map(|(ordinal, gpu)| {
        let memory = format!("{:.1} GiB", gpu.memory_bytes as f64 / f64::from(1 << 30));
        let capability = format!("{}.{}", gpu.capability.0, gpu.capability.1);
        [ordinal.to_string(), gpu.name.clone(), memory, capability, gpu.uuid.clone(), gpu.pci_bus_id.clone()]
    }));
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; 6]| {
        let cells: Vec<_> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    head + &rows.iter().map(line).collect::<String>()
}

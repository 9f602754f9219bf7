//! `outhaul ls`: lists the devices of one node or several as a table or as JSON, with their
//! ordinals in a program.

use crate::address::node::{NodeAddress, NodeList};
use crate::address::pool::PoolAddress;
use crate::check::session::{Offer, Session};
use crate::error::Error;
use crate::pool::operator_commands;
use serde_json::json;
use std::process::ExitCode;

/// List the GPUs of one node or several.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul ls --node gpu7:7654
  outhaul ls --node gpu7:7654 --json
  outhaul ls --node gpu7:7654,gpu8:7654     as a program on both sees them
  outhaul ls --pool http://pool:7653        and what is free")]
pub struct Arguments {
    /// Addresses of the nodes to ask [default: OUTHAUL_NODE].
    #[arg(long, value_name = "HOST:PORT[,HOST:PORT...]")]
    node: Option<NodeList>,
    /// URL of a pool: list its GPUs and how much of each is free [default: OUTHAUL_POOL, if no node
    /// is named].
    #[arg(long, value_name = "URL[,URL...]", conflicts_with = "node")]
    pool: Option<PoolAddress>,
    /// Print JSON: an object for one node, or a list of objects for several.
    #[arg(long)]
    json: bool,
}

/// Prints the GPUs of a pool or of nodes.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    if let Some(pool) = PoolAddress::unless_node(&arguments.pool, &arguments.node)? {
        return operator_commands::list(&pool.client()?, arguments.json);
    }
    let nodes = NodeList::or_environment(arguments.node)?;
    let (mut first, mut objects) = (0, Vec::new());
    for node in nodes.nodes() {
        let session = Session::open(node)?;
        let offer = session.offer()?;
        session.end();
        if arguments.json {
            objects.push(as_json(node, &offer, first));
        } else {
            print!("{}", as_table(node, &offer, first));
        }
        first += offer.devices.len();
    }
    match objects.len() {
        0 => {}
        1 => println!("{:#}", objects[0]),
        _ => println!("{:#}", serde_json::Value::from(objects)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Formats a driver version: 13000 is CUDA 13.0.
pub fn version(driver_version: i32) -> String {
    format!("{}.{}", driver_version / 1000, driver_version % 1000 / 10)
}

/// Formats a node's devices as JSON. `first` is the ordinal of the node's first device.
fn as_json(node: &NodeAddress, offer: &Offer, first: usize) -> serde_json::Value {
    let devices: Vec<_> = offer
        .devices
        .iter()
        .enumerate()
        .map(|(ordinal, gpu)| {
            json!({
                "ordinal": first + ordinal,
                "name": gpu.name,
                "memory_bytes": gpu.memory_bytes,
                "compute_capability": format!("{}.{}", gpu.capability.0, gpu.capability.1),
                "uuid": gpu.uuid,
                "pci_bus_id": gpu.pci_bus_id,
            })
        })
        .collect();
    json!({ "node": node.as_str(), "release": offer.release,
        "driver_version": version(offer.driver_version), "devices": devices })
}

fn as_table(node: &NodeAddress, offer: &Offer, first: usize) -> String {
    let head = format!(
        "{node}: Outhaul {}, CUDA driver {}\n",
        offer.release,
        version(offer.driver_version)
    );
    if offer.devices.is_empty() {
        return head + "no GPUs\n";
    }
    let mut rows = vec![["GPU", "NAME", "MEMORY", "CAPABILITY", "UUID", "PCI"].map(str::to_owned)];
    rows.extend(offer.devices.iter().enumerate().map(|(ordinal, gpu)| {
        let memory = format!("{:.1} GiB", gpu.memory_bytes as f64 / f64::from(1 << 30));
        let capability = format!("{}.{}", gpu.capability.0, gpu.capability.1);
        [
            (first + ordinal).to_string(),
            gpu.name.clone(),
            memory,
            capability,
            gpu.uuid.clone(),
            gpu.pci_bus_id.clone(),
        ]
    }));
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; 6]| {
        let cells: Vec<_> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    head + &rows.iter().map(line).collect::<String>()
}

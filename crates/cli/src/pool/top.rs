//! `outhaul top --pool`: prints every GPU and lease of a pool, as tables repeatedly or once, or as
//! JSON.

use crate::address::pool::PoolAddress;
use crate::error::Error;
use crate::quantity::counted;
use crate::table::{Table, fitted, terminal_columns};
use outhaul_pool::http::api::{LeaseState, LeaseView, NodeView, UsageView};
use outhaul_pool::http::client::Client;
use outhaul_pool::model::bill::FrameCounts;
use outhaul_pool::model::telemetry::{GpuUsage, LeaseUsage};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

const BAR_CELLS: usize = 10;
const GIB: f64 = (1u64 << 30) as f64;

#[derive(Serialize)]
struct Snapshot {
    nodes: Vec<NodeView>,
    leases: Vec<LeaseView>,
    usage: UsageView,
}

/// Prints the tables again after each `every`, or once.
pub fn show(
    pool: &PoolAddress,
    every: Duration,
    once: bool,
    json: bool,
) -> Result<ExitCode, Error> {
    let client = pool.client()?;
    loop {
        let snapshot = Snapshot::take(&client)?;
        if json {
            println!("{}", serde_json::to_string_pretty(&snapshot).unwrap_or_default());
            return Ok(ExitCode::SUCCESS);
        }
        let mut out = std::io::stdout();
        let mut text = snapshot.text(pool);
        if !once && out.is_terminal() {
            text = format!("\x1b[H\x1b[2J{}", fitted(&text));
        }
        // A failed write means that the reader has ended.
        if write!(out, "{text}").and_then(|()| out.flush()).is_err() || once {
            return Ok(ExitCode::SUCCESS);
        }
        std::thread::sleep(every);
    }
}

impl Snapshot {
    fn take(client: &Client) -> Result<Snapshot, Error> {
        Ok(Snapshot {
            nodes: client.get("/v1/nodes")?,
            leases: client.get("/v1/leases")?,
            usage: client.get("/v1/usage")?,
        })
    }

    fn text(&self, pool: &PoolAddress) -> String {
        let gpus: usize = self.nodes.iter().map(|node| node.gpus.len()).sum();
        let waiting = self
            .leases
            .iter()
            .filter(|lease| matches!(lease.state, LeaseState::Waiting(_)))
            .count();
        let held = self.leases.len() - waiting;
        format!(
            "{pool}: {}, {}, {waiting} waiting\n\n{}\n{}",
            counted(gpus, "GPU"),
            counted(held, "lease"),
            self.gpus(),
            self.held_and_waiting()
        )
    }

    fn gpus(&self) -> String {
        let mut table =
            Table::new(&["NODE", "GPU", "NAME", "MEMORY", "LEASED", "BUSY", "", "WATTS"]);
        for node in &self.nodes {
            for (ordinal, view) in node.gpus.iter().enumerate() {
                let own = |usage: &&GpuUsage| {
                    (usage.node.as_str(), usage.gpu.as_str())
                        == (node.name.as_str(), view.gpu.uuid.as_str())
                };
                let usage = self.usage.gpus.iter().find(own);
                let busy = usage.map_or(0.0, |usage| usage.busy_percent);
                let used =
                    view.gpu.memory_bytes - view.memory_free_bytes.min(view.gpu.memory_bytes);
                if node.down.is_some() {
                    let (name, none) = (node.name.clone(), String::new);
                    let model = view.gpu.model.clone();
                    let down = "down".to_owned();
                    let ordinal = ordinal.to_string();
                    table.row([name, ordinal, model, down, none(), none(), none(), none()]);
                    continue;
                }
                table.row([
                    node.name.clone(),
                    ordinal.to_string(),
                    view.gpu.model.clone(),
                    format!(
                        "{:.1}/{:.1} GiB",
                        used as f64 / GIB,
                        view.gpu.memory_bytes as f64 / GIB
                    ),
                    format!("{:.0} %", 100.0 - view.time_free_percent),
                    format!("{busy:.0} %"),
                    bar(busy),
                    usage
                        .and_then(|usage| usage.watts)
                        .map_or("-".to_owned(), |watts| format!("{watts:.0}")),
                ]);
            }
        }
        terminal_columns().into_iter().for_each(|columns| table.fit(columns, &[0, 2]));
        table.to_string()
    }

    fn held_and_waiting(&self) -> String {
        let mut table =
            Table::new(&["LEASE", "USER", "STATE", "WHERE", "BUSY", "USED", "ENERGY", "FRAMES"]);
        for lease in &self.leases {
            let none = LeaseUsage::default();
            let usage =
                self.usage.leases.iter().find(|usage| usage.id == lease.id).unwrap_or(&none);
            let place = |part: &outhaul_pool::model::lease::Part| {
                format!("{} {:.0} %", part.node, 100.0 * part.fraction)
            };
            let places: Vec<String> = lease.parts.iter().map(place).collect();
            let energy = usage
                .method
                .map(|_| format!("{:.1} J", (usage.active_mj + usage.idle_mj) as f64 / 1e3));
            let state = match lease.state {
                LeaseState::Held(_) => "held".to_owned(),
                LeaseState::Waiting(ahead) => format!("waiting, {ahead} ahead"),
            };
            table.row([
                lease.id.clone(),
                lease.holder.user.clone(),
                state,
                lease.reason.clone().unwrap_or_else(|| places.join(", ")),
                format!("{:.0} %", usage.busy_percent),
                format!("{:.1} s", usage.busy_ns as f64 / 1e9),
                energy.unwrap_or_else(|| "-".to_owned()),
                frames(lease, usage.frames),
            ]);
        }
        terminal_columns().into_iter().for_each(|columns| table.fit(columns, &[1, 2, 3]));
        table.to_string()
    }
}

/// Returns the promised rate, and the frames that the node saw.
fn frames(lease: &LeaseView, counts: FrameCounts) -> String {
    let Some(promised) = lease.ask.frames else { return "-".into() };
    let FrameCounts { seen, late, skipped, worst_us } = counts;
    let worst_ms = worst_us as f64 / 1e3;
    let per_s = promised.per_s;
    if counts.are_none() {
        return format!("{per_s}/s promised, none seen");
    }
    format!("{per_s}/s promised, {seen} seen, {late} late, {skipped} skipped, {worst_ms:.1} ms")
}

fn bar(percent: f32) -> String {
    let full = (percent.clamp(0.0, 100.0) / 100.0 * BAR_CELLS as f32).round() as usize;
    "█".repeat(full) + &"·".repeat(BAR_CELLS - full)
}

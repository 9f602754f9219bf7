//! `outhaul audit`: prints the pool's log in words, or as JSON.

use crate::address::destination::PoolOption;
use crate::address::names;
use crate::error::Error;
use crate::local_time::{date_and_time, since};
use crate::pool::operator_commands::{NO_LIMITS, limits};
use crate::pool::waiting::wanted;
use crate::quantity::counted;
use outhaul_pool::http::api::Logged;
use outhaul_pool::log::entry::Event;
use std::io::Write;
use std::process::ExitCode;

/// Maximum time in milliseconds that the pool holds a request while there is no news.
const NEWS_WAIT_MS: u64 = 20_000;

/// Print what happened in a pool, and who caused it.
#[derive(clap::Args)]
#[command(after_help = "\
Operators read everything. Other users read what is about themselves, with --user NAME.

Examples:
  outhaul audit --since 2h
  outhaul audit --user alice --since 2026-11-28
  outhaul audit --follow --json")]
pub struct Arguments {
    #[command(flatten)]
    pool: PoolOption,
    /// Time of the first event: a duration before now, or a local time or date [default: all that
    /// the pool still has].
    #[arg(long, value_name = "2h|TIME", value_parser = since)]
    since: Option<u64>,
    /// User whose actions, leases and quotas to print [default: all users].
    #[arg(long, value_name = "NAME", value_parser = names::user)]
    user: Option<String>,
    /// Number of the log entry after which to start.
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    after: u64,
    /// Continue with new entries as they come.
    #[arg(long)]
    follow: bool,
    /// Print each entry as a line of JSON, with its time in milliseconds since 1970.
    #[arg(long)]
    json: bool,
}

/// Runs `outhaul audit`.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let Arguments { pool, since, user, mut after, follow, json } = arguments;
    let (client, mut out) = (pool.client()?, std::io::stdout());
    loop {
        let wait_ms = if follow { NEWS_WAIT_MS } else { 0 };
        let entries = client.events(after, since.unwrap_or(0), user.as_deref(), wait_ms)?;
        for logged in &entries {
            after = logged.index;
            let text = if json {
                serde_json::to_string(logged).unwrap_or_default() + "\n"
            } else {
                lines(logged)
            };
            // A failed write means that the reader has ended.
            if out.write_all(text.as_bytes()).is_err() {
                return Ok(ExitCode::SUCCESS);
            }
        }
        if entries.is_empty() && !follow {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// Formats an entry as a line for each event.
fn lines(Logged { entry, .. }: &Logged) -> String {
    let time = date_and_time(entry.at_ms);
    let line = |(actor, event): &(outhaul_pool::model::actor::Actor, Event)| {
        format!("{time}  {:<16}  {}\n", actor.0, words(event))
    };
    entry.events.iter().map(line).collect()
}

/// Describes an event.
fn words(event: &Event) -> String {
    match event {
        Event::Joined { facts } => {
            let gpus = counted(facts.gpus.len(), "GPU");
            format!("node {} joined with {gpus} at {}", facts.name, facts.address)
        }
        Event::Down { node, why } => format!("node {node} is down: {why}"),
        Event::Up { node } => format!("node {node} is up again"),
        Event::Left { node } => format!("node {node} was removed"),
        Event::Drained { node, draining: true } => format!("node {node} gets no new leases"),
        Event::Drained { node, draining: false } => format!("node {node} gets leases again"),
        Event::Asked { id, holder, ask, .. } => {
            format!("{} asked for {}: lease {id}", holder.user, wanted(ask))
        }
        Event::Admitted { .. } => "joined with a token".to_owned(),
        Event::Granted { id, parts } => {
            let part = |part: &outhaul_pool::model::lease::Part| {
                format!("{:.0} % of {} on {}", 100.0 * part.fraction, part.gpu, part.node)
            };
            let parts: Vec<String> = parts.iter().map(part).collect();
            format!("lease {id} got {}", parts.join(", "))
        }
        Event::Returned { id } => format!("lease {id} waits again: its node did not serve it"),
        Event::Ended { id, end } => format!("lease {id} ended: {end}"),
        Event::Billed { id, item } => format!(
            "lease {id} used {} on {} for {:.1} s and {:.1} J{}",
            item.gpu,
            item.node,
            item.busy_ns as f64 / 1e9,
            (item.active_mj + item.idle_mj) as f64 / 1e3,
            if item.last_reported { ", by the last report before the node was lost" } else { "" }
        ),
        Event::QuotaSet { subject, quota: Some(quota) } => {
            let hours = quota.gpu_hours.map(|hours| format!("{hours} GPU-hours"));
            let at_once = Some(limits(quota)).filter(|text| hours.is_none() || text != NO_LIMITS);
            let all: Vec<String> = at_once.into_iter().chain(hours).collect();
            format!("the quota of {subject} is {}", all.join(", "))
        }
        Event::QuotaSet { subject, quota: None } => format!("{subject} has no quota any more"),
    }
}

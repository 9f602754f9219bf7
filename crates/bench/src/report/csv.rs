//! Formats the results as comma-separated values, one line per sample and link, with derived
//! figures.

use crate::measurement::results::{Results, Row};
use std::fmt::Write;

const HEAD: &str = "device,software,case,what,size,link,rounds,median_us,min_us,max_us,gpu_us,\
                    slowdown,limit_us,serial_limit_us,round_trip_us,to_node_bytes_per_s,\
                    to_client_bytes_per_s,messages,waits,bytes_sent,bytes_received,gpu_w,gpu_j,\
                    host_w";

/// Formats the results.
pub fn csv(results: &Results) -> String {
    let mut out = format!("{HEAD}\n");
    for row in &results.rows {
        let _ = writeln!(out, "{}", line(results, row));
    }
    out
}

fn line(results: &Results, row: &Row) -> String {
    let number = |n: Option<f64>| n.map_or(String::new(), |n| format!("{n}"));
    let (least, most) = crate::measurement::results::range(&row.us);
    let limit = results.limit(row);
    let reach = results.links.iter().find(|link| link.name == row.link).map(|link| link.reach);
    let gpu_us = (!row.gpu_us.is_empty()).then(|| crate::measurement::results::median(&row.gpu_us));
    let mut cells = vec![
        quoted(&results.device),
        results.software.to_string(),
        quoted(&row.case),
        quoted(&row.what),
    ];
    cells.extend([number(row.size), quoted(&row.link), row.us.len().to_string()]);
    let numbers = [
        Some(row.median_us()),
        Some(least),
        Some(most),
        gpu_us,
        results.slowdown(row),
        limit.map(|l| l.overlapped_us),
        limit.map(|l| l.serial_us),
        reach.map(|r| r.round_trip_us),
        reach.map(|r| r.to_node_bytes_per_s),
        reach.map(|r| r.to_client_bytes_per_s),
        row.traffic.map(|t| t.messages),
        row.traffic.map(|t| t.waits),
        row.traffic.map(|t| t.bytes_sent),
        row.traffic.map(|t| t.bytes_received),
        row.power.and_then(|p| p.gpu_w),
        row.gpu_j(),
        row.power.and_then(|p| p.host_w),
    ];
    cells.extend(numbers.map(number));
    cells.join(",")
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

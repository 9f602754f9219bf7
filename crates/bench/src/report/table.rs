//! Formats the results as a table for a terminal of a hundred columns.

use crate::measurement::case::Case;
use crate::measurement::place::LinkReport;
use crate::measurement::results::{NATIVE, Results, Row};
use clap::ValueEnum;
use std::fmt::Write;

const COPY_BYTES_MIN: u64 = 256 << 10;
/// Minimum number of links for a summary, because slowdowns over fewer links are easy to compare
/// without one.
const SUMMARY_LINKS_MIN: usize = 3;

/// Formats the results.
pub fn table(results: &Results) -> String {
    let mut out = head(results);
    for case in results.cases() {
        let about = Case::from_str(case, true).map(Case::about).unwrap_or_default();
        let _ = writeln!(out, "\n{case}: {about}");
        let mut lines = vec![
            ["", "over", "time", "spread", "slowdown", "limit", "x limit", "waits", ""]
                .map(str::to_owned),
        ];
        let mut whats: Vec<&str> = Vec::new();
        for row in results.rows.iter().filter(|row| row.case == case) {
            if !whats.contains(&row.what.as_str()) {
                whats.push(&row.what);
            }
        }
        for what in whats {
            let rows = results.rows.iter().filter(|row| row.case == case && row.what == what);
            for (i, row) in rows.enumerate() {
                lines.push(line(results, row, if i == 0 { what } else { "" }));
            }
        }
        out += &align(&lines, 2);
    }
    if results.links.len() >= SUMMARY_LINKS_MIN {
        out += &summary(results);
    }
    for failure in &results.failures {
        let _ =
            writeln!(out, "\nFAILED {} over {}: {}", failure.case, failure.link, failure.reason);
    }
    let mut powers = results.rows.iter().filter_map(|row| row.power).peekable();
    if powers.peek().is_some() {
        let metered = powers.any(|power| power.gpu_w.is_some() || power.host_w.is_some());
        out += &if metered {
            power(results)
        } else {
            "\npower: neither the GPU nor the host has a meter that can be read\n".into()
        };
    }
    out
}

/// Formats the machine and the links.
fn head(results: &Results) -> String {
    let rounds = results.rows.iter().map(|row| row.us.len()).max().unwrap_or_default();
    let mut out = match results.rows.is_empty() {
        true => "Nothing was measured.\n".to_owned(),
        false => {
            format!("{}, {} cores, medians of {rounds} rounds\n", results.device, results.cores)
        }
    };
    if results.software {
        out += "The software GPU: these figures say nothing about a GPU.\n";
    }
    if !results.links.is_empty() {
        let _ = writeln!(
            out,
            "\n{:<22} {:>12} {:>11} {:>11} {:>11}  shaped by",
            "link", "round trip", "to node", "to client", "iperf3"
        );
    }
    let gbits = |bytes_per_s: f64| format!("{:.4} Gb/s", digits(bytes_per_s * 8.0 / 1e9));
    for link in &results.links {
        let iperf = link.iperf_bytes_per_s.map_or("-".into(), gbits);
        let reach = &link.reach;
        let rates = [gbits(reach.to_node_bytes_per_s), gbits(reach.to_client_bytes_per_s), iperf];
        let [to_node, to_client, iperf] = rates;
        let (name, round_trip) = (&link.name, time(reach.round_trip_us));
        let _ = writeln!(
            out,
            "{name:<22} {round_trip:>12} {to_node:>11} {to_client:>11} {iperf:>11}  {}",
            link.shaped_by
        );
    }
    out
}

fn line(results: &Results, row: &Row, what: &str) -> [String; 9] {
    let missing = || "-".to_string();
    let us = row.median_us();
    let spread = format!("{:.0} %", row.spread() * 100.0);
    let [mut slowdown, mut at_best, mut distance, mut waits] = [const { String::new() }; 4];
    if row.link != NATIVE {
        let limit = results.limit(row);
        slowdown = results.slowdown(row).map_or_else(missing, digits);
        at_best = limit.map_or_else(missing, |limit| speed(row, limit.overlapped_us));
        distance = limit.map_or_else(missing, |limit| digits(us / limit.overlapped_us));
        waits = row.traffic.map_or_else(missing, |traffic| digits(traffic.waits));
    }
    let remark = if results.differs(row) { "RESULT DIFFERS" } else { "" };
    [
        what.into(),
        row.link.clone(),
        speed(row, us),
        spread,
        slowdown,
        at_best,
        distance,
        waits,
        remark.into(),
    ]
}

/// Formats power and energy, if the bench measured them.
fn power(results: &Results) -> String {
    let watts = |w: Option<f64>| w.map_or("-".into(), |w| format!("{w:.1} W"));
    let joules = |j: f64| {
        if j < 1.0 { format!("{} mJ", digits(j * 1e3)) } else { format!("{} J", digits(j)) }
    };
    let mut lines = vec![["", "over", "GPU", "its energy", "hosts"].map(str::to_owned)];
    for row in &results.rows {
        let Some(power) = &row.power else { continue };
        let energy = row.gpu_j().map_or("-".into(), joules);
        lines.push([
            format!("{}: {}", row.case, row.what),
            row.link.clone(),
            watts(power.gpu_w),
            energy,
            watts(power.host_w),
        ]);
    }
    format!("\npower, and energy of one unit of work\n{}", align(&lines, 2))
}

/// Formats all slowdowns together: one line per sample, one column per link.
fn summary(results: &Results) -> String {
    let mut head = vec!["slowdown".to_owned()];
    head.extend(results.links.iter().map(|link| link.name.clone()));
    let mut lines = vec![head];
    for native in results.rows.iter().filter(|row| row.link == NATIVE) {
        let cell = |link: &LinkReport| {
            let row =
                results.rows.iter().find(|row| row.link == link.name && row.is_same_sample(native));
            row.and_then(|row| results.slowdown(row)).map_or("-".into(), digits)
        };
        lines.push(
            [native.what.clone()].into_iter().chain(results.links.iter().map(cell)).collect(),
        );
    }
    format!("\n{}", align(&lines, 1))
}

/// Formats columns as wide as their contents. The first `words` columns are text, the others
/// numbers.
pub fn align<L: AsRef<[String]>>(lines: &[L], words: usize) -> String {
    let lines = || lines.iter().map(AsRef::as_ref);
    let width = |i: usize| {
        lines()
            .filter_map(|line| line.get(i))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> =
        (0..lines().map(<[String]>::len).max().unwrap_or_default()).map(width).collect();
    let pad = |(i, cell): (usize, &String)| {
        let width = widths[i];
        if i < words { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    };
    lines()
        .map(|line| {
            line.iter().enumerate().map(pad).collect::<Vec<_>>().join("  ").trim_end().to_owned()
                + "\n"
        })
        .collect()
}

/// Formats a time, or the rate of a large copy.
fn speed(row: &Row, us: f64) -> String {
    match row.copy_bytes {
        Some(bytes) if bytes >= COPY_BYTES_MIN => {
            format!("{} GB/s", digits(bytes as f64 / us / 1e3))
        }
        _ => time(us),
    }
}

/// Formats a time in microseconds with a suitable unit.
pub fn time(us: f64) -> String {
    match us {
        us if us < 1e3 => format!("{} us", digits(us)),
        us if us < 1e6 => format!("{} ms", digits(us / 1e3)),
        us => format!("{} s", digits(us / 1e6)),
    }
}

/// Formats a number with three significant digits.
pub fn digits(number: f64) -> String {
    match number.abs() {
        n if n >= 100.0 => format!("{number:.0}"),
        n if n >= 10.0 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

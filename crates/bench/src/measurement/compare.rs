//! Finds results that became slower or faster since an earlier measurement, beyond the spread of
//! both.
//! Compares slowdowns, because another machine or a busy day affects native and remote times alike.
//! Compares times for native runs, and for samples without a native run.

use super::results::{NATIVE, Results, Row, median, range};
use crate::report::table::digits;
use std::fmt::Write;

/// Minimum change to report, however steady the times are.
const CHANGE_MIN: f64 = 0.03;

/// A sample over a link that became slower or faster.
#[derive(Debug)]
pub struct Change {
    pub name: String,
    /// Ratio of the new median to the old one.
    pub times: f64,
}

/// Returns the samples that became slower, and those that became faster.
pub fn compare(old: &Results, new: &Results) -> (Vec<Change>, Vec<Change>) {
    let (mut slower, mut faster) = (Vec::new(), Vec::new());
    for row in &new.rows {
        let Some(before) =
            old.rows.iter().find(|other| other.link == row.link && other.is_same_sample(row))
        else {
            continue;
        };
        let (before, after) = (figures(old, before), figures(new, row));
        if before.is_empty() || after.is_empty() {
            continue;
        }
        let change = Change {
            name: format!("{}: {} over {}", row.case, row.what, row.link),
            times: median(&after) / median(&before),
        };
        if change.times > 1.0 + CHANGE_MIN && range(&after).0 > range(&before).1 {
            slower.push(change);
        } else if change.times < 1.0 - CHANGE_MIN && range(&after).1 < range(&before).0 {
            faster.push(change);
        }
    }
    (slower, faster)
}

/// Returns the slowdown in each round, or the time if the slowdown is unknown.
fn figures(results: &Results, row: &Row) -> Vec<f64> {
    match results.native(row) {
        Some(native) if row.link != NATIVE => {
            row.us.iter().zip(&native.us).map(|(remote, native)| remote / native).collect()
        }
        _ => row.us.clone(),
    }
}

/// Formats the changes. Also returns whether a sample became slower.
pub fn report(old: &Results, new: &Results) -> (String, bool) {
    let (slower, faster) = compare(old, new);
    let mut out = String::from("\ncompared with the earlier file:\n");
    if old.device != new.device {
        let _ = writeln!(out, "  another device: {} then, {} now", old.device, new.device);
    }
    for (word, changes) in [("SLOWER", &slower), ("faster", &faster)] {
        for change in changes {
            let _ = writeln!(out, "  {word} x {}  {}", digits(change.times), change.name);
        }
    }
    if slower.is_empty() {
        out += "  nothing became slower beyond the scatter\n";
    }
    (out, !slower.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(native: &[f64], remote: &[f64]) -> Results {
        let row = |link: &str, us: &[f64]| {
            let (case, what) = ("search", "all");
            serde_json::json!({ "case": case, "what": what, "link": link, "us": us })
        };
        let rows = [row(NATIVE, native), row("10g", remote)];
        let head = serde_json::json!({ "version": 1, "outhaul": "0", "device": "d",
            "software": true, "kernel": "", "cores": 2,
            "lanes": 4, "links": [], "failures": [], "rows": rows });
        serde_json::from_value(head).unwrap()
    }

    fn names(changes: &[Change]) -> Vec<&str> {
        changes.iter().map(|change| change.name.as_str()).collect()
    }

    #[test]
    fn a_larger_slowdown_beyond_the_scatter_is_found_and_a_slower_machine_is_not() {
        let old = results(&[10.0, 10.1, 10.2], &[12.0, 12.1, 12.4]);
        let busy = results(&[10.1, 10.1, 10.1], &[12.2, 12.3, 12.2]);
        assert!(names(&compare(&old, &busy).0).is_empty());
        let (slower, _) = compare(&old, &results(&[20.0, 20.2, 20.4], &[24.0, 24.2, 24.8]));
        assert_eq!(names(&slower), ["search: all over native"]);
        let (slower, faster) = compare(&old, &results(&[10.0, 10.1, 10.2], &[13.0, 13.1, 13.4]));
        assert_eq!((names(&slower), names(&faster)), (vec!["search: all over 10g"], vec![]));
        let (_, faster) = compare(&old, &results(&[10.0, 10.1, 10.2], &[11.0, 11.1, 11.2]));
        assert_eq!(names(&faster), ["search: all over 10g"]);
    }

    #[test]
    fn one_slow_round_is_scatter() {
        let old = results(&[10.0, 10.0, 10.0], &[12.0, 12.1, 15.0]);
        let new = results(&[10.0, 10.0, 10.0], &[14.0, 14.1, 14.2]);
        assert!(compare(&old, &new).0.is_empty());
    }
}

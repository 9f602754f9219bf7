//! Metrics in Prometheus' text format.

use std::fmt::Write;

/// A metric, with Prometheus' names for its properties.
pub struct Metric {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
}

impl Metric {
    /// Returns a metric whose value goes up and down.
    pub const fn gauge(name: &'static str, help: &'static str) -> Metric {
        Metric { name, kind: "gauge", help }
    }

    /// Returns a metric whose value only grows.
    pub const fn counter(name: &'static str, help: &'static str) -> Metric {
        Metric { name, kind: "counter", help }
    }

    /// Appends the metric's samples to `text`, each with its labels, if any.
    pub fn write(&self, text: &mut String, samples: impl Iterator<Item = (String, f64)>) {
        let Metric { name, kind, help } = self;
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in samples {
            let braced = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
            let _ = writeln!(text, "{name}{braced} {value}");
        }
    }
}

/// Returns a label's value with special characters escaped.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

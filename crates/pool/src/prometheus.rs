//! Numbers as Prometheus reads them.

use std::fmt::Write;

/// What is measured, in Prometheus' words.
pub struct Metric {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
}

impl Metric {
    /// What goes up and down.
    pub const fn gauge(name: &'static str, help: &'static str) -> Metric {
        Metric { name, kind: "gauge", help }
    }

    /// What only grows.
    pub const fn counter(name: &'static str, help: &'static str) -> Metric {
        Metric { name, kind: "counter", help }
    }

    /// Writes its series, each with its labels, which may be none.
    pub fn write(&self, text: &mut String, samples: impl Iterator<Item = (String, f64)>) {
        let Metric { name, kind, help } = self;
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in samples {
            let braced = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
            let _ = writeln!(text, "{name}{braced} {value}");
        }
    }
}

/// A label's value, without what would end it.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

//! The paper's figures as tables of points. Drawing happens elsewhere.

use crate::frame_deadline::Promise;
use crate::policy::Policy;
use crate::study::{Point, Study, Sweep};
use crate::tasks::Case;
use crate::time_time_curves::{Attachment, Curves};
use std::fmt::Write;

/// The largest load, in tenths of a millisecond. Loads run from 1 ms in steps of 0.1 ms.
const REFERENCE_TENTHS_MAX: u32 = 160;
const LINKS: [Attachment; 3] = [Attachment::Pcie, Attachment::network(20), Attachment::network(10)];

/// A figure: lines over a common horizontal axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Name used in file names.
    pub name: &'static str,
    /// Title shown to readers.
    pub title: String,
    /// The horizontal axis.
    pub x: &'static str,
    /// The vertical axis.
    pub y: &'static str,
    /// The lines, in the order of the legend.
    pub lines: Vec<Line>,
}

/// One line of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// Whether the line shows a limit instead of a result.
    pub limit: bool,
    /// Pairs of x and y values.
    pub points: Vec<(f64, f64)>,
}

impl Figure {
    /// Returns the figure as CSV, one row per point.
    pub fn csv(&self) -> String {
        let mut csv = format!("line,{},{}\n", self.x.replace(',', ""), self.y.replace(',', ""));
        for line in &self.lines {
            for (x, y) in &line.points {
                let _ = writeln!(csv, "\"{}\",{x},{y:.3}", line.name);
            }
        }
        csv
    }
}

/// Returns the loads, in milliseconds, at which curves are drawn and examined.
pub fn reference_ms() -> impl Iterator<Item = f64> {
    (10..=REFERENCE_TENTHS_MAX).map(|tenths| f64::from(tenths) / 10.0)
}

/// Returns Figs 3 to 5, which show the cost of links. `frames_per_s` sets the tick that a viewer
/// sees.
pub fn time_time(curves: &Curves, frames_per_s: u32) -> [Figure; 3] {
    let promise = Promise::new(curves.clone(), frames_per_s);
    let figure = |name,
                  title: &str,
                  y,
                  links: &[Attachment],
                  time: &dyn Fn(f64, Attachment) -> Option<f64>| Figure {
        name,
        title: title.to_owned(),
        x: "reference time, ms",
        y,
        lines: links
            .iter()
            .map(|link| curve(*link, |reference_ms| time(reference_ms, *link)))
            .collect(),
    };
    let hops = [0, 1].map(|hops| Attachment::Network { gbps: 10, hops });
    let gpu = |reference_ms: f64, link: Attachment| curves.gpu_ms(reference_ms, link);
    let shown = |reference_ms: f64, link: Attachment| promise.shown_ms(reference_ms, link);
    [
        figure("fig3", "GPU time per frame against bandwidth", "GPU time, ms", &LINKS, &gpu),
        figure(
            "fig4",
            &format!("whole time per frame at {frames_per_s} fps"),
            "whole time, ms",
            &LINKS,
            &shown,
        ),
        figure("fig5", "GPU time per frame against switches", "GPU time, ms", &hops, &gpu),
    ]
}

fn curve(link: Attachment, time_ms: impl Fn(f64) -> Option<f64>) -> Line {
    let points =
        reference_ms().filter_map(|reference_ms| Some((reference_ms, time_ms(reference_ms)?)));
    Line { name: link.to_string(), limit: false, points: points.collect() }
}

/// Returns Figs 6 and 8 in the high case, or Figs 7 and 9 in the low case.
pub fn frames(study: &Study, sweep: &Sweep) -> [Figure; 2] {
    let (methods_name, direct_name, case) = match sweep.case {
        Case::High => ("fig6", "fig8", "high"),
        Case::Low => ("fig7", "fig9", "low"),
    };
    let line = |name: String,
                limit: bool,
                x: fn(&Point) -> usize,
                y: &dyn Fn(&Point) -> Option<u64>| Line {
        name,
        limit,
        points: sweep
            .points
            .iter()
            .filter_map(|point| Some((x(point) as f64, y(point)? as f64)))
            .collect(),
    };
    let mut methods: Vec<Line> = study
        .methods
        .iter()
        .map(|method| {
            line(method.to_string(), false, |point| point.n10, &|point| point.frames(*method))
        })
        .collect();
    methods.push(line("lower bound".into(), true, |point| point.n10, &|point| Some(point.bound)));
    let best = |point: &Point| point.runs.iter().map(|(_, frames, _)| *frames).min();
    let paper =
        |point: &Point| Policy::PAPER.into_iter().filter_map(|policy| point.fifo(policy)).min();
    let direct = vec![
        line("in the task's machine".into(), false, |point| point.gpus, &|point| {
            Some(point.direct)
        }),
        line("pool, best of 1 to 3, fifo".into(), false, |point| point.gpus, &paper),
        line("pool, best of all".into(), false, |point| point.gpus, &best),
    ];
    [
        Figure {
            name: methods_name,
            title: format!("{case} load: methods"),
            x: "GPUs behind 10 Gb/s",
            y: "frames until all are done",
            lines: methods,
        },
        Figure {
            name: direct_name,
            title: format!("{case} load: pool against direct"),
            x: "GPUs",
            y: "frames until all are done",
            lines: direct,
        },
    ]
}

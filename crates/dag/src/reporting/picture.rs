//! Draws runs as SVG text: the order of subtasks per GPU, completions over time, and makespans as
//! bars. A Gantt chart has lanes for compute, loads, write-backs and files. Callers cannot change
//! the style, and SVG is the only format.

use crate::graph::Graph;
use crate::machine::Machine;
use crate::reporting::report::Report;
use crate::simulator::Run;
use crate::state::Op;
use std::fmt::Write;

/// Colours that colour-blind readers can distinguish (Okabe and Ito).
const COLOURS: [&str; 7] =
    ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#7F7F7F"];
const TEXT: &str = "font-family=\"sans-serif\" font-size=\"11\" fill=\"#222\"";

struct Svg {
    body: String,
    width: f64,
    height: f64,
}

impl Svg {
    fn new(width: f64, height: f64) -> Svg {
        Svg { body: String::new(), width, height }
    }

    fn rect(&mut self, at: (f64, f64), size: (f64, f64), fill: &str, tip: &str) {
        let _ = writeln!(
            self.body,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{fill}\" \
            stroke=\"#fff\" stroke-width=\"0.5\"><title>{}</title></rect>",
            at.0,
            at.1,
            size.0,
            size.1,
            escape(tip)
        );
    }

    fn text(&mut self, at: (f64, f64), anchor: &str, text: &str) {
        let _ = writeln!(
            self.body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" {TEXT}>{}</text>",
            at.0,
            at.1,
            escape(text)
        );
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let _ = writeln!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" \
            stroke-width=\"1\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// Draws a horizontal axis of milliseconds under a plot, with a grid.
    fn time_axis(&mut self, left: f64, right: f64, top: f64, bottom: f64, end_ns: u64) {
        let end_ms = end_ns as f64 / 1e6;
        let step = nice_step(end_ms / 8.0);
        let mut tick = 0.0;
        while tick <= end_ms * 1.0001 {
            let x = left + (right - left) * tick / end_ms.max(1e-9);
            self.line((x, top), (x, bottom), "#ddd");
            self.text((x, bottom + 14.0), "middle", &format!("{tick}"));
            tick += step;
        }
        self.text((right, bottom + 28.0), "end", "ms");
    }

    fn finish(self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{1:.0}\" \
            viewBox=\"0 0 {0:.0} {1:.0}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
            self.width, self.height, self.body
        )
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns the least of 1, 2 or 5 times a power of ten that is at least `least`.
fn nice_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-6).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|s| *s >= least)
        .unwrap_or(power * 10.0)
}

/// Returns a function from nanoseconds to horizontal positions between `left` and `right`.
fn scale(left: f64, right: f64, end_ns: u64) -> impl Fn(u64) -> f64 {
    move |ns| left + (right - left) * ns as f64 / end_ns.max(1) as f64
}

/// Draws a Gantt chart: lanes of compute, loads and write-backs for each GPU, then files.
pub fn gantt(title: &str, graph: &Graph, machine: &Machine, run: &Run) -> String {
    let mut lanes: Vec<String> = Vec::new();
    for gpu in 0..machine.gpus {
        lanes.extend(["compute", "load", "write-back"].map(|kind| format!("GPU{gpu} {kind}")));
    }
    lanes.extend(["file read".to_string(), "file write".to_string()]);
    let (left, right, top, row) = (110.0, 980.0, 30.0, 20.0);
    let bottom = top + row * lanes.len() as f64;
    let mut svg = Svg::new(1000.0, bottom + 40.0);
    svg.text((left, 18.0), "start", title);
    svg.time_axis(left, right, top, bottom, run.makespan_ns);
    for (i, lane) in lanes.iter().enumerate() {
        svg.text((left - 6.0, top + row * i as f64 + 14.0), "end", lane);
    }
    let x = scale(left, right, run.makespan_ns);
    for span in &run.spans {
        let (lane, colour, name) = match span.op {
            Op::Compute(s, gpu) => (3 * gpu, 0, &graph.subtask(s).name),
            Op::Load(p, gpu) | Op::Peer(p, _, gpu) => (3 * gpu + 1, 2, &graph.partition(p).name),
            Op::Store(p, gpu) => (3 * gpu + 2, 1, &graph.partition(p).name),
            Op::Read(p) => (3 * machine.gpus, 5, &graph.partition(p).name),
            Op::Write(p) => (3 * machine.gpus + 1, 4, &graph.partition(p).name),
        };
        let (from, to) = (x(span.start_ns), x(span.end_ns));
        let y = top + row * lane as f64 + 2.0;
        svg.rect((from, y), (to - from, row - 4.0), COLOURS[colour], name);
        if to - from > 7.0 * name.len() as f64 {
            svg.text(((from + to) / 2.0, y + 12.0), "middle", name);
        }
    }
    svg.finish()
}

/// Draws the order of subtasks per GPU, as in the paper's Figs 6 and 7. Columns are levels of the
/// graph, and rows are subtasks of one level. Colours are GPUs, and numbers give the order on a
/// GPU.
pub fn order(title: &str, graph: &Graph, run: &Run) -> String {
    let sequence = crate::policy::replay::sequence(&run.spans);
    let mut row_of_level = std::collections::HashMap::new();
    let mut cell = vec![(0, 0); graph.subtasks().len()];
    for s in graph.order() {
        let row = row_of_level.entry(graph.level(*s)).or_insert(0usize);
        cell[s.at()] = (graph.level(*s) as usize, *row);
        *row += 1;
    }
    let columns = row_of_level.len().max(1);
    let rows = row_of_level.values().copied().max().unwrap_or(1);
    let (side_x, side_y) = (58.0, 26.0);
    let mut svg =
        Svg::new((20.0 + side_x * columns as f64).max(260.0), 50.0 + side_y * rows as f64);
    svg.text((10.0, 18.0), "start", title);
    let mut counts = std::collections::HashMap::new();
    for (s, gpu) in sequence {
        let count = counts.entry(gpu).or_insert(0);
        *count += 1;
        let (column, row) = cell[s.at()];
        let at = (10.0 + side_x * column as f64, 30.0 + side_y * row as f64);
        svg.rect(
            at,
            (side_x - 4.0, side_y - 4.0),
            COLOURS[gpu % COLOURS.len()],
            &graph.subtask(s).name,
        );
        let _ = writeln!(
            svg.body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-family=\"sans-serif\" \
            font-size=\"12\" fill=\"#fff\">{gpu}:{count}</text>",
            at.0 + side_x / 2.0 - 2.0,
            at.1 + 16.0
        );
    }
    svg.finish()
}

/// Draws subtasks completed over time, one line per run (the paper's Fig. 8 with its axes
/// exchanged).
pub fn completions(title: &str, runs: &[(&str, &Run)]) -> String {
    let (left, right, top, bottom) = (50.0, 640.0, 30.0, 330.0);
    let end_ns = runs.iter().map(|(_, run)| run.makespan_ns).max().unwrap_or(1);
    let total = runs.iter().map(|(_, run)| ends(run).len()).max().unwrap_or(1).max(1);
    let mut svg = Svg::new(760.0, bottom + 40.0);
    svg.text((left, 18.0), "start", title);
    svg.time_axis(left, right, top, bottom, end_ns);
    svg.line((left, bottom), (left, top), "#222");
    svg.text((left - 6.0, top + 10.0), "end", &total.to_string());
    svg.text((left - 6.0, bottom), "end", "0");
    let x = scale(left, right, end_ns);
    for (i, (name, run)) in runs.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let mut path = format!("M{left:.1} {bottom:.1}");
        for (done, end_ns) in ends(run).into_iter().enumerate() {
            let y = bottom - (bottom - top) * (done + 1) as f64 / total as f64;
            let _ = write!(path, " H{:.1} V{y:.1}", x(end_ns));
        }
        let _ = writeln!(
            svg.body,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>"
        );
        svg.rect((right + 14.0, top + 18.0 * i as f64), (12.0, 12.0), colour, name);
        svg.text((right + 32.0, top + 18.0 * i as f64 + 10.0), "start", name);
    }
    svg.finish()
}

fn ends(run: &Run) -> Vec<u64> {
    let mut ends: Vec<u64> =
        run.spans.iter().filter(|s| matches!(s.op, Op::Compute(..))).map(|s| s.end_ns).collect();
    ends.sort_unstable();
    ends
}

/// Draws makespans as bars relative to their lower bounds, several reports next to each other (the
/// paper's Fig. 5).
pub fn bars(title: &str, reports: &[&Report]) -> String {
    let (left, top, height) = (50.0, 40.0, 260.0);
    let bottom = top + height;
    let bar = 16.0;
    let group = |r: &Report| bar * r.rows.len() as f64 + 40.0;
    let width: f64 = reports.iter().map(|r| group(r)).sum();
    let most = reports.iter().flat_map(|r| &r.rows).map(|row| row.over_bound).fold(1.0, f64::max);
    let mut svg = Svg::new(left + width + 110.0, bottom + 40.0);
    svg.text((10.0, 18.0), "start", title);
    let y = |over: f64| bottom - height * over / most;
    let step = nice_step(most / 6.0);
    let mut tick = 0.0;
    while tick <= most {
        svg.line(
            (left, y(tick)),
            (left + width, y(tick)),
            if (tick - 1.0).abs() < 1e-9 { "#222" } else { "#ddd" },
        );
        svg.text(
            (left - 6.0, y(tick) + 4.0),
            "end",
            &format!("{}", (tick * 100.0).round() / 100.0),
        );
        tick += step;
    }
    let mut x = left + 20.0;
    for report in reports {
        svg.text((x, bottom + 16.0), "start", &report.title);
        for (i, row) in report.rows.iter().enumerate() {
            let tip = format!(
                "{}: {} ms, {:.3} x bound",
                row.policy,
                crate::reporting::report::ms(row.makespan_ns),
                row.over_bound
            );
            svg.rect(
                (x, y(row.over_bound)),
                (bar - 2.0, bottom - y(row.over_bound)),
                COLOURS[i % COLOURS.len()],
                &tip,
            );
            x += bar;
        }
        x += 40.0;
    }
    if let Some(report) = reports.first() {
        for (i, row) in report.rows.iter().enumerate() {
            svg.rect(
                (left + width + 10.0, top + 18.0 * i as f64),
                (12.0, 12.0),
                COLOURS[i % COLOURS.len()],
                &row.policy,
            );
            svg.text((left + width + 28.0, top + 18.0 * i as f64 + 10.0), "start", &row.policy);
        }
    }
    svg.finish()
}

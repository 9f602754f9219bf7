//! Draws one chart as SVG text: linear or logarithmic axes, lines with the range of each point, and
//! a legend. `plots` decides which charts to draw.

use std::fmt::Write;

const WIDTH: f64 = 820.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 66.0;
const BOTTOM: f64 = 420.0;
const LEGEND_STEP: f64 = 20.0;
/// Colours that colour-blind readers can tell apart (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#222222"];
const FONT: &str = "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\"";

/// A chart.
pub struct Chart {
    /// Heading of the chart.
    pub title: String,
    /// The place and the device of the measurement.
    pub note: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Lines of the chart.
    pub series: Vec<Series>,
}

/// An axis of a chart.
pub struct Axis {
    /// Text next to the axis, with its unit.
    pub label: String,
    /// Whether the axis is logarithmic.
    pub logarithmic: bool,
    /// Value that the axis always includes, marked by a line.
    pub mark: Option<f64>,
}

/// A line of a chart, with its points.
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Colour of the series. Series of one colour belong together.
    pub colour: usize,
    /// Whether the line is a limit, not a measurement.
    pub dashed: bool,
    /// Points, from left to right.
    pub points: Vec<Point>,
}

/// A point of a series.
#[derive(Clone, Copy)]
pub struct Point {
    /// Position on the horizontal axis.
    pub x: f64,
    /// Position on the vertical axis.
    pub y: f64,
    /// The smallest and the largest measurement.
    pub range: Option<(f64, f64)>,
}

/// Maps values to positions in the picture.
struct Scale {
    logarithmic: bool,
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Chart {
    /// Returns the chart as SVG text.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Scale::over(&self.x, points().map(|p| p.x), LEFT, RIGHT);
        let ys = points().flat_map(|p| {
            [p.y].into_iter().chain(p.range.into_iter().flat_map(|(least, most)| [least, most]))
        });
        let y = Scale::over(&self.y, ys, BOTTOM, TOP);
        let mut body = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
            viewBox=\"0 0 {WIDTH} {HEIGHT}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        text(&mut body, (LEFT, 26.0), "start", 16, &self.title);
        text(&mut body, (LEFT, 46.0), "start", 11, &self.note);
        self.axes(&mut body, &x, &y);
        for series in &self.series {
            series.draw(&mut body, &x, &y);
        }
        self.legend(&mut body);
        body + "</svg>\n"
    }

    /// Draws the names of the series. Explains dashed lines once.
    fn legend(&self, body: &mut String) {
        let (start, end, mut y) = (RIGHT + 18.0, RIGHT + 42.0, TOP + 6.0);
        for series in self.series.iter().filter(|series| !series.dashed) {
            let (colour, dashes) = (series.colour(), series.dashes());
            let _ = writeln!(
                body,
                "<line x1=\"{start}\" y1=\"{y}\" x2=\"{end}\" y2=\"{y}\" stroke=\"{colour}\" \
                {dashes}/>"
            );
            series.marker(body, ((start + end) / 2.0, y));
            text(body, (end + 8.0, y + 4.0), "start", 11, &series.name);
            y += LEGEND_STEP;
        }
        if let Some(series) = self.series.iter().find(|series| series.dashed) {
            let _ = writeln!(
                body,
                "<line x1=\"{start}\" y1=\"{y}\" x2=\"{end}\" y2=\"{y}\" stroke=\"#222\" {}/>",
                series.dashes()
            );
            text(body, (end + 8.0, y + 4.0), "start", 11, &series.name);
        }
    }

    fn axes(&self, body: &mut String, x: &Scale, y: &Scale) {
        for tick in x.ticks() {
            line(body, (x.at(tick), TOP), (x.at(tick), BOTTOM), "#e4e4e4");
            text(body, (x.at(tick), BOTTOM + 18.0), "middle", 11, &label(tick));
        }
        for tick in y.ticks() {
            line(body, (LEFT, y.at(tick)), (RIGHT, y.at(tick)), "#e4e4e4");
            text(body, (LEFT - 8.0, y.at(tick) + 4.0), "end", 11, &label(tick));
        }
        if let Some(mark) = self.y.mark {
            line(body, (LEFT, y.at(mark)), (RIGHT, y.at(mark)), "#888");
        }
        line(body, (LEFT, BOTTOM), (RIGHT, BOTTOM), "#222");
        line(body, (LEFT, TOP), (LEFT, BOTTOM), "#222");
        text(body, ((LEFT + RIGHT) / 2.0, BOTTOM + 42.0), "middle", 12, &self.x.label);
        let middle = (TOP + BOTTOM) / 2.0;
        let turned = format!("transform=\"rotate(-90 20 {middle})\"");
        let _ = writeln!(
            body,
            "<text x=\"20\" y=\"{middle}\" text-anchor=\"middle\" {FONT} font-size=\"12\" \
            fill=\"#222\" {turned}>{}</text>",
            escape(&self.y.label)
        );
    }
}

impl Series {
    fn colour(&self) -> &'static str {
        COLOURS[self.colour % COLOURS.len()]
    }

    fn dashes(&self) -> &'static str {
        if self.dashed {
            "stroke-width=\"1.3\" stroke-dasharray=\"5 4\""
        } else {
            "stroke-width=\"2\""
        }
    }

    fn draw(&self, body: &mut String, x: &Scale, y: &Scale) {
        let (colour, dashes) = (self.colour(), self.dashes());
        let path: Vec<String> =
            self.points.iter().map(|p| format!("{:.1},{:.1}", x.at(p.x), y.at(p.y))).collect();
        let _ = writeln!(
            body,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" {dashes}/>",
            path.join(" ")
        );
        for point in self.points.iter().filter(|_| !self.dashed) {
            let at = (x.at(point.x), y.at(point.y));
            if let Some((least, most)) = point.range {
                line(body, (at.0, y.at(least)), (at.0, y.at(most)), colour);
            }
            self.marker(body, at);
        }
    }

    /// Draws a marker: a circle, or a square once all colours are in use.
    fn marker(&self, body: &mut String, (x, y): (f64, f64)) {
        let colour = self.colour();
        let _ = match self.colour / COLOURS.len() % 2 {
            0 => {
                writeln!(body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>")
            }
            _ => writeln!(
                body,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"7\" height=\"7\" fill=\"{colour}\"/>",
                x - 3.5,
                y - 3.5
            ),
        };
    }
}

impl Scale {
    /// Creates a scale that covers all values and the mark. A logarithmic axis extends from tick to
    /// tick, a linear one from zero.
    fn over(axis: &Axis, values: impl Iterator<Item = f64>, start: f64, end: f64) -> Scale {
        let usable =
            values.chain(axis.mark).filter(|v| v.is_finite() && (*v > 0.0 || !axis.logarithmic));
        let (least, most) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), v| {
            (least.min(v), most.max(v))
        });
        let (least, most) = if least <= most { (least, most) } else { (1.0, 2.0) };
        let (from, to) = if axis.logarithmic {
            (step_below(least), step_above(if most > least { most } else { most * 1.5 }))
        } else {
            let step = nice(most.max(1e-9) / 6.0);
            (0.0, (most / step).ceil() * step)
        };
        Scale { logarithmic: axis.logarithmic, from, to, start, end }
    }

    fn at(&self, value: f64) -> f64 {
        let part = if self.logarithmic {
            (value.max(self.from) / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        self.start + (self.end - self.start) * part
    }

    fn ticks(&self) -> Vec<f64> {
        if !self.logarithmic {
            let step = nice(self.to / 7.0);
            return (0..)
                .map(|i| f64::from(i) * step)
                .take_while(|tick| *tick <= self.to * 1.0001)
                .collect();
        }
        let decades = (self.to / self.from).log10();
        let every: &[f64] = if decades > 4.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let powers = self.from.log10().floor() as i32..=self.to.log10().ceil() as i32;
        let ticks = powers.flat_map(|power| every.iter().map(move |m| m * 10f64.powi(power)));
        ticks.filter(|tick| *tick >= self.from * 0.999 && *tick <= self.to * 1.001).collect()
    }
}

/// Rounds `least` up to the next 1, 2 or 5 times a power of ten.
fn nice(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|step| *step >= least * 0.9999)
        .unwrap_or(power * 10.0)
}

fn step_above(value: f64) -> f64 {
    nice(value)
}

fn step_below(value: f64) -> f64 {
    1.0 / nice(1.0 / value)
}

fn label(number: f64) -> String {
    match number.abs() {
        n if n >= 1e6 => format!("{} M", rounded(number / 1e6)),
        n if n >= 1e4 => format!("{} k", rounded(number / 1e3)),
        _ => rounded(number),
    }
}

fn rounded(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn text(body: &mut String, at: (f64, f64), anchor: &str, size: u32, text: &str) {
    let _ = writeln!(
        body,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" {FONT} font-size=\"{size}\" \
        fill=\"#222\">{}</text>",
        at.0,
        at.1,
        escape(text)
    );
}

fn line(body: &mut String, from: (f64, f64), to: (f64, f64), colour: &str) {
    let _ = writeln!(
        body,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_hold_all_values_and_put_ticks_on_round_numbers() {
        let axis = |logarithmic| Axis { label: String::new(), logarithmic, mark: Some(1.0) };
        let scale = Scale::over(&axis(true), [3.0, 40.0].into_iter(), 0.0, 100.0);
        assert_eq!((scale.from, scale.to), (1.0, 50.0));
        assert_eq!(scale.ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert!((scale.at(50f64.sqrt()) - 50.0).abs() < 1e-9);
        let scale = Scale::over(&axis(false), [0.0, 7.3].into_iter(), 0.0, 100.0);
        assert_eq!((scale.from, scale.to), (0.0, 8.0));
        assert_eq!((scale.at(0.0), scale.at(8.0)), (0.0, 100.0));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.94, 100.0, 1_755_904.0, 32_000.0].map(label),
            ["0.94", "100", "1.756 M", "32 k"]
        );
    }
}

//! Draws the charts of a measurement: slowdown against bandwidth, round trip and problem size, and
//! the time-time graph of rising loads. Writes each chart as SVG, and as PNG if the machine has a
//! font.

use super::chart::{Axis, Chart, Point, Series};
use super::file;
use crate::error::Error;
use crate::links::link::LinkKind;
use crate::measurement::case::Case;
use crate::measurement::place::LinkReport;
use crate::measurement::results::{NATIVE, Results, Row, median, range};
use clap::ValueEnum;
use resvg::{tiny_skia, usvg};
use std::path::Path;
use std::sync::Arc;

const PIXELS_PER_UNIT: f32 = 2.0;

/// Draws all charts of the results into a folder.
pub fn write(results: &Results, folder: &Path) -> Result<(), Error> {
    draw(&charts(results), folder)
}

/// Draws charts by name into a folder.
pub fn draw(charts: &[(String, Chart)], folder: &Path) -> Result<(), Error> {
    let failed = |path: &Path| {
        let doing = format!("cannot write {}", path.display());
        |error| Error::Io { doing, error }
    };
    outhaul_files::report_folder(folder).map_err(failed(folder))?;
    let fonts = fonts();
    if fonts.is_none() {
        eprintln!(
            "outhaul: this machine has no font, so the plots are SVG only; `outhaul bench --from` \
            draws a measurement elsewhere"
        );
    }
    for (name, chart) in charts {
        let (svg, path) = (chart.svg(), folder.join(format!("{name}.svg")));
        file::write(&path, svg.as_bytes())?;
        if let Some(fonts) = &fonts {
            let path = folder.join(format!("{name}.png"));
            file::write(&path, png(&svg, fonts.clone())?)?;
        }
    }
    Ok(())
}

fn charts(results: &Results) -> Vec<(String, Chart)> {
    let mut charts = Vec::new();
    for case in results.cases() {
        let rates = series_over_links(results, case, |link, report| {
            (link.delay.is_none() && !link.memory)
                .then_some(report.reach.to_node_bytes_per_s * 8.0 / 1e9)
        });
        if case != Case::Latencies.name() {
            let chart =
                slowdown(results, case, "measured bandwidth to the node, Gb/s", "bandwidth", rates);
            charts.push((format!("{case}-bandwidth"), chart));
        }
        let trips = series_over_links(results, case, |link, report| {
            (link.bits_per_s.is_none() && !link.memory).then_some(report.reach.round_trip_us)
        });
        charts.push((
            format!("{case}-round-trip"),
            slowdown(results, case, "measured round trip, us", "round trip", trips),
        ));
        let unit = Case::from_str(case, true).map_or("size", Case::size_unit);
        charts.push((
            format!("{case}-size"),
            slowdown(results, case, unit, "size", series_over_sizes(results, case)),
        ));
        charts.push((
            format!("{case}-time-time-gpu"),
            time_time(results, case, "time of the GPU", gpu_us),
        ));
        charts.push((
            format!("{case}-time-time-whole"),
            time_time(results, case, "whole time", |row| Some(&row.us)),
        ));
    }
    // A line needs two points.
    charts.retain(|(_, chart)| chart.series.iter().any(|series| series.points.len() > 1));
    charts
}

fn slowdown(results: &Results, case: &str, x: &str, against: &str, series: Vec<Series>) -> Chart {
    Chart {
        title: format!("{case}: slowdown against {against}"),
        note: note(results),
        x: Axis { label: x.into(), logarithmic: true, mark: None },
        y: Axis { label: "time over native time".into(), logarithmic: true, mark: Some(1.0) },
        series,
    }
}

/// Makes a time-time chart with the native GPU time on x, as in "A Case for Remote GPUs over 10GbE
/// Network for VR Applications".
fn time_time(results: &Results, case: &str, what: &str, us: fn(&Row) -> Option<&[f64]>) -> Chart {
    let mut links: Vec<&str> = vec![NATIVE];
    links.extend(results.links.iter().map(|link| link.name.as_str()));
    let series = links.iter().enumerate().map(|(colour, link)| {
        let rows = results.rows.iter().filter(|row| row.case == case && row.link == *link);
        let point = |row: &Row| {
            let (native, own) = (gpu_us(results.native(row)?)?, us(row)?);
            let (least, most) = range(own);
            Some(Point {
                x: median(native) / 1e3,
                y: median(own) / 1e3,
                range: Some((least / 1e3, most / 1e3)),
            })
        };
        Series {
            name: link.to_string(),
            colour,
            dashed: false,
            points: rows.filter_map(point).collect(),
        }
    });
    Chart {
        title: format!("{case}: {what} per frame against the GPU's time natively"),
        note: note(results),
        x: Axis { label: "GPU's time natively, ms".into(), logarithmic: false, mark: None },
        y: Axis { label: format!("{what}, ms"), logarithmic: false, mark: None },
        series: series.filter(|series| !series.points.is_empty()).collect(),
    }
}

fn gpu_us(row: &Row) -> Option<&[f64]> {
    (!row.gpu_us.is_empty()).then_some(&row.gpu_us)
}

fn note(results: &Results) -> String {
    let caution =
        if results.software { "; the software GPU: says nothing about a GPU" } else { "" };
    format!("{}, {} cores, Outhaul {}{caution}", results.device, results.cores, results.outhaul)
}

/// Returns, for each sample, a line over the links for which `x` has a value, and a dashed line for
/// the limit.
fn series_over_links(
    results: &Results,
    case: &str,
    x: impl Fn(&LinkKind, &LinkReport) -> Option<f64>,
) -> Vec<Series> {
    let mut links: Vec<(f64, &str)> = results
        .links
        .iter()
        .filter_map(|report| {
            Some((x(&report.name.parse::<LinkKind>().ok()?, report)?, report.name.as_str()))
        })
        .collect();
    links.sort_by(|a, b| a.0.total_cmp(&b.0));
    let natives = || results.rows.iter().filter(|row| row.case == case && row.link == NATIVE);
    // Keeps only the largest copies, because the latencies of small copies are a separate case.
    let largest = natives().filter_map(|row| row.copy_bytes).max();
    let natives = natives().filter(|row| row.copy_bytes == largest);
    let mut series = Vec::new();
    for (colour, native) in natives.enumerate() {
        let rows: Vec<(f64, &Row)> = links
            .iter()
            .filter_map(|(x, link)| {
                Some((
                    *x,
                    results
                        .rows
                        .iter()
                        .find(|row| row.link == *link && row.is_same_sample(native))?,
                ))
            })
            .collect();
        series.extend(measured_and_limit(results, &native.what, colour, &rows));
    }
    series
}

/// Returns one line over the sizes for each link.
fn series_over_sizes(results: &Results, case: &str) -> Vec<Series> {
    let mut series = Vec::new();
    for (colour, link) in results.links.iter().enumerate() {
        let rows = results.rows.iter().filter(|row| row.case == case && row.link == link.name);
        let rows: Vec<(f64, &Row)> = rows.filter_map(|row| Some((row.size?, row))).collect();
        series.extend(measured_and_limit(results, &link.name, colour, &rows));
    }
    series
}

fn measured_and_limit(
    results: &Results,
    name: &str,
    colour: usize,
    rows: &[(f64, &Row)],
) -> Vec<Series> {
    let measured = rows.iter().filter_map(|(x, row)| {
        let native_us = results.native(row)?.median_us();
        let (least, most) = range(&row.us);
        Some(Point {
            x: *x,
            y: row.median_us() / native_us,
            range: Some((least / native_us, most / native_us)),
        })
    });
    let limit = rows.iter().filter_map(|(x, row)| {
        let native_us = results.native(row)?.median_us();
        Some(Point { x: *x, y: results.limit(row)?.overlapped_us / native_us, range: None })
    });
    let measured = Series { name: name.into(), colour, dashed: false, points: measured.collect() };
    let limit =
        Series { name: "limit of the link".into(), colour, dashed: true, points: limit.collect() };
    [measured, limit].into_iter().filter(|series| !series.points.is_empty()).collect()
}

/// Returns the machine's fonts, if it has any.
fn fonts() -> Option<Arc<usvg::fontdb::Database>> {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_system_fonts();
    let family = fonts.faces().next()?.families.first()?.0.clone();
    fonts.set_sans_serif_family(family);
    Some(Arc::new(fonts))
}

fn png(svg: &str, fontdb: Arc<usvg::fontdb::Database>) -> Result<Vec<u8>, Error> {
    let failed = |reason: String| Error::Bench(format!("cannot draw a plot: {reason}"));
    let options = usvg::Options { fontdb, ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| failed(error.to_string()))?;
    let (width, height) =
        (tree.size().width() * PIXELS_PER_UNIT, tree.size().height() * PIXELS_PER_UNIT);
    let mut pixels = tiny_skia::Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| failed("it is too large".into()))?;
    let larger = tiny_skia::Transform::from_scale(PIXELS_PER_UNIT, PIXELS_PER_UNIT);
    resvg::render(&tree, larger, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| failed(error.to_string()))
}

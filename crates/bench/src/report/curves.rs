//! Makes time-time curves of the case `frames`, in the file that `outhaul pool serve --model csv:`
//! and `outhaul serve --frame-curves` read.

use crate::error::Error;
use crate::links::link::LinkKind;
use crate::measurement::results::{NATIVE, Results, Row, median, range};
use outhaul_placement::Error as CurveError;
use outhaul_placement::time_time_curves::Attachment;
use outhaul_placement::time_time_curves::measured::{CurvePoint, Measured, MeasuredCurve};

const CASE: &str = "frames";

/// Formats the curves of all links, and of the GPU in the machine.
/// # Errors
/// `Bench` if the results have no frames.
pub fn csv(results: &Results) -> Result<String, Error> {
    let mut curves: Vec<MeasuredCurve> = Vec::new();
    for row in results.rows.iter().filter(|row| row.case == CASE) {
        let (Some(link), Some(point)) = (attachment(results, row), point(results, row)) else {
            continue;
        };
        match curves.iter_mut().find(|curve| curve.link == link) {
            Some(curve) => curve.points.push(point),
            None => curves.push(MeasuredCurve {
                link,
                gpu: Some(results.device.clone()),
                points: vec![point],
            }),
        }
    }
    if curves.is_empty() {
        return Err(Error::Bench(
            "--curves is of frames that were measured natively and over a network: `outhaul bench \
            frames --link 10g,25g --curves FILE`"
                .into(),
        ));
    }
    let unusable = |error: CurveError| Error::Bench(format!("the curves are of no use: {error}"));
    Ok(Measured::new(curves).map_err(unusable)?.csv())
}

/// Returns a row's times, with the GPU's own time natively as the reference. The whole time is that
/// of the slowest round, because a promise is made of it.
fn point(results: &Results, row: &Row) -> Option<CurvePoint> {
    let gpu_ms = |row: &Row| (!row.gpu_us.is_empty()).then(|| median(&row.gpu_us) / 1e3);
    let (reference_ms, gpu_ms) = (gpu_ms(results.native(row)?)?, gpu_ms(row)?);
    let (_, slowest_us) = range(&row.us);
    Some(CurvePoint { reference_ms, gpu_ms, whole_ms: f64::max(slowest_us / 1e3, gpu_ms) })
}

/// Returns how the row's link attaches the GPU; None for shared memory. The rate of a link without
/// one is the measured rate towards the client, since pictures go there. Rates are whole Gb/s, and
/// 0.94 is a whole one.
fn attachment(results: &Results, row: &Row) -> Option<Attachment> {
    if row.link == NATIVE {
        return Some(Attachment::Pcie);
    }
    let link: LinkKind = row.link.parse().ok().filter(|link: &LinkKind| !link.memory)?;
    let measured = || {
        let report = results.links.iter().find(|report| report.name == row.link)?;
        Some(report.reach.to_client_bytes_per_s * 8.0)
    };
    let gbps = link.bits_per_s.or_else(measured)? / 1e9;
    Some(Attachment::Network { gbps: (gbps.round() as u32).max(1), hops: link.hops })
}

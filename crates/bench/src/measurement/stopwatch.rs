//! Times a unit of work repeatedly. Reports the median time, messages, waits and power.

use super::case::{Case, Power, Sample, Traffic};
use super::cuda_driver::{DRIVER, MeasuredGpu};
use crate::error::Error;
use crate::measurement::energy::Meters;
use outhaul_abi::Library;
use std::path::Path;
use std::time::{Duration, Instant};

/// Seconds after which no further repetition starts, so that slow links get fewer repetitions.
const SECONDS_ENOUGH: f64 = 1.0;
/// Minimum seconds of a power measurement, because energy counters are updated about ten times a
/// second.
const POWER_SECONDS_MIN: f64 = 1.0;
/// Maximum repetitions during a power measurement. A unit of work may be shorter than a driver
/// call.
const REPEATS_MAX: usize = 1 << 20;

type Totals = unsafe extern "C" fn(*mut [u64; 4]) -> bool;

/// The GPU, the case and the meters of a measuring process.
pub struct Stopwatch {
    pub gpu: MeasuredGpu,
    case: Case,
    totals: Option<Totals>,
    meters: Option<Meters>,
    emit: fn(&Sample),
}

/// A unit of work, and how often to call it.
pub struct Unit<'a> {
    pub what: &'a str,
    /// Number of repetitions, unless they take too long.
    pub times: usize,
    /// Units of work in one call.
    pub at_once: usize,
    pub size: Option<f64>,
    pub copy_bytes: Option<u64>,
}

impl Unit<'_> {
    /// Creates a unit of work to call `times` times.
    pub fn new(what: &str, times: usize) -> Unit<'_> {
        Unit { what, times, at_once: 1, size: None, copy_bytes: None }
    }
}

impl Stopwatch {
    /// Opens a driver, and the meters if `energy` is set. `emit` receives the results.
    pub fn new(case: Case, energy: bool, emit: fn(&Sample)) -> Result<Stopwatch, Error> {
        let gpu = MeasuredGpu::open()?;
        // SAFETY: the client library exports a function of this type by this name; no other driver
        // exports the name.
        let totals = Library::open(Path::new(DRIVER))
            .ok()
            .and_then(|library| unsafe { library.symbol(c"outhaul_totals") });
        Ok(Stopwatch { gpu, case, totals, meters: energy.then(Meters::open), emit })
    }

    /// Returns the name of the case.
    pub fn name(&self) -> String {
        self.case.name()
    }

    /// Times `work` and returns the sample. The case completes the sample and passes it to `emit`.
    pub fn time(
        &mut self,
        unit: &Unit,
        mut work: impl FnMut(&MeasuredGpu) -> Result<(), Error>,
    ) -> Result<Sample, Error> {
        // The first call has one-time costs, so it is not timed.
        work(&self.gpu)?;
        let before = self.counted();
        let mut us = Vec::with_capacity(unit.times);
        let begin = Instant::now();
        while us.is_empty()
            || us.len() < unit.times && begin.elapsed().as_secs_f64() < SECONDS_ENOUGH
        {
            let start = Instant::now();
            work(&self.gpu)?;
            us.push(start.elapsed().as_secs_f64() * 1e6 / unit.at_once as f64);
        }
        let traffic = before
            .zip(self.counted())
            .map(|(before, after)| traffic(before, after, us.len() * unit.at_once));
        us.sort_by(f64::total_cmp);
        let power = self.power(&mut work)?;
        Ok(Sample {
            device: self.gpu.name.clone(),
            case: self.name(),
            what: unit.what.into(),
            us: us[us.len() / 2],
            gpu_us: None,
            size: unit.size,
            copy_bytes: unit.copy_bytes,
            result: None,
            traffic,
            power,
        })
    }

    /// Passes a sample to the function that receives the results.
    pub fn emit(&self, sample: &Sample) {
        (self.emit)(sample);
    }

    fn counted(&self) -> Option<[u64; 4]> {
        let mut totals = [0; 4];
        // SAFETY: `totals` is valid for writes of four numbers.
        self.totals.is_some_and(|count| unsafe { count(&mut totals) }).then_some(totals)
    }

    /// Measures average power while the work repeats for at least `POWER_SECONDS_MIN`.
    fn power(
        &self,
        work: &mut impl FnMut(&MeasuredGpu) -> Result<(), Error>,
    ) -> Result<Option<Power>, Error> {
        let Some(meters) = &self.meters else { return Ok(None) };
        let (start, before) = (Instant::now(), meters.read());
        for _ in 0..REPEATS_MAX {
            work(&self.gpu)?;
            if start.elapsed() > Duration::from_secs_f64(POWER_SECONDS_MIN) {
                break;
            }
        }
        Ok(Some(meters.read().since(&before, start.elapsed().as_secs_f64())))
    }
}

fn traffic(before: [u64; 4], after: [u64; 4], units: usize) -> Traffic {
    let of = |i: usize| after[i].saturating_sub(before[i]) as f64 / units as f64;
    Traffic { messages: of(0), waits: of(1), bytes_sent: of(2), bytes_received: of(3) }
}

//! Measures the work on one engine in spans between events on the device's own clock. Predicts from
//! these how long later work of the same kind takes. Where spans overlap or follow each other
//! closely, each counts from the end of the previous one, so that no time counts twice.

use super::work_estimate::Work;
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUevent, CUresult, CUstream};
use outhaul_share::InFlight;
use std::collections::{HashMap, VecDeque};
use std::time::Instant;

/// Maximum number of kinds of work whose times are stored.
const KINDS_MAX: usize = 4096;
/// Maximum number of streams on which a span may end. Work on any further stream counts as finished
/// when the work on these streams is.
const STREAMS_MAX: usize = 64;
const EVENT_DEFAULT: u32 = 0;

/// A stream and its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeteredStream {
    /// The context.
    pub context: CUcontext,
    /// The stream.
    pub stream: CUstream,
}

/// Pieces of work that are measured together.
pub struct Span {
    context: CUcontext,
    /// Event at the start. `None` if the work began before measuring; the host's clock then gives
    /// the time.
    start: Option<CUevent>,
    ends: Vec<CUevent>,
    began: Instant,
    /// Number of pieces of work.
    pub pieces: usize,
    /// Predicted time of all pieces.
    pub predicted_ns: u64,
    kinds: Vec<(u64, u64)>,
}

/// One engine's measurements.
#[derive(Default)]
pub struct Meter {
    /// Streams that have had work since the last span ended.
    dirty: Vec<MeteredStream>,
    open: Option<Span>,
    in_flight: VecDeque<Span>,
    /// The end event that was reached last. The next span counts from this event if the span's work
    /// was submitted before the event was reached.
    last_end: Option<(CUcontext, CUevent)>,
    /// Unused events by context.
    free: HashMap<CUcontext, Vec<CUevent>>,
    kinds: HashMap<u64, u64>,
    piece_ns: u64,
    /// Predicted time of pieces submitted while no span was open; they count as finished when the
    /// next span is.
    carried_ns: u64,
    /// Time used while no other session wanted the engine.
    pub used_ns: u64,
}

impl Meter {
    /// Returns the predicted time of `work`.
    pub fn predict(&self, work: &Work) -> u64 {
        self.kinds.get(&work.key).copied().or(work.guess_ns).unwrap_or(self.piece_ns)
    }

    /// Notes that a stream has work.
    pub fn note(&mut self, place: MeteredStream) {
        if !self.dirty.contains(&place) && self.dirty.len() < STREAMS_MAX {
            self.dirty.push(place);
        }
    }

    /// Forgets a stream.
    pub fn forget_stream(&mut self, stream: CUstream) {
        self.dirty.retain(|place| place.stream != stream);
    }

    /// Forgets all streams.
    pub fn forget_streams(&mut self) {
        self.dirty.clear();
    }

    /// Returns whether no work is in progress.
    pub fn is_idle(&self) -> bool {
        self.in_flight.is_empty() && self.open.is_none()
    }

    /// Returns whether a span is open.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Returns the submitted work that has not finished.
    pub fn in_flight(&self) -> InFlight {
        self.in_flight.iter().chain(&self.open).fold(InFlight::default(), |sum, span| InFlight {
            pieces: sum.pieces + span.pieces,
            predicted_ns: sum.predicted_ns + span.predicted_ns,
        })
    }

    /// Returns the predicted time of the open span.
    pub fn open_ns(&self) -> u64 {
        self.open.as_ref().map_or(0, |span| span.predicted_ns)
    }

    /// Returns the number of pieces in the open span.
    pub fn open_pieces(&self) -> usize {
        self.open.as_ref().map_or(0, |span| span.pieces)
    }

    fn event(&mut self, driver: &Driver, context: CUcontext) -> Option<CUevent> {
        if let Some(event) = self.free.get_mut(&context).and_then(Vec::pop) {
            return Some(event);
        }
        let mut event = CUevent::NULL;
        // SAFETY: the out-pointer is a local.
        unsafe { driver.cuEventCreate(&mut event, EVENT_DEFAULT) }.ok().ok()?;
        Some(event)
    }

    fn record(&mut self, driver: &Driver, place: MeteredStream) -> Option<CUevent> {
        let event = self.event(driver, place.context)?;
        // SAFETY: stream and event are the session's own and belong to this context.
        match unsafe { driver.cuEventRecord(event, place.stream) } {
            CUresult::SUCCESS => Some(event),
            _ => {
                self.free.entry(place.context).or_default().push(event);
                None
            }
        }
    }

    /// Opens a span for the work that follows on this stream, unless a span is open. The stream's
    /// context must be current.
    pub fn begin(&mut self, driver: &Driver, place: MeteredStream) {
        if self.open.is_none() {
            let start = self.record(driver, place);
            let (ends, kinds, predicted_ns) =
                (Vec::new(), Vec::new(), std::mem::take(&mut self.carried_ns));
            self.open = Some(Span {
                context: place.context,
                start,
                ends,
                began: Instant::now(),
                pieces: 0,
                predicted_ns,
                kinds,
            });
        }
    }

    /// Discards the open span if it has no pieces yet.
    pub fn forget_empty(&mut self) {
        if let Some(span) = self.open.take_if(|span| span.pieces == 0) {
            self.carried_ns += span.predicted_ns;
            self.free.entry(span.context).or_default().extend(span.start);
        }
    }

    /// Adds a piece to the open span.
    pub fn add(&mut self, kind: Option<u64>, predicted_ns: u64) {
        let Some(span) = &mut self.open else { return };
        span.pieces += 1;
        span.predicted_ns = span.predicted_ns.saturating_add(predicted_ns);
        span.kinds.extend(kind.map(|kind| (kind, predicted_ns)));
    }

    /// Adds pieces that are counted but not measured individually. `predicted_ns` covers all work
    /// that is finished when the span is.
    pub fn count(&mut self, pieces: usize, predicted_ns: u64) {
        let Some(span) = &mut self.open else {
            self.carried_ns += predicted_ns;
            return;
        };
        span.pieces += pieces;
        span.predicted_ns = span.predicted_ns.saturating_add(predicted_ns);
    }

    /// Returns the mean time of a piece, in nanoseconds.
    pub fn piece_ns(&self) -> u64 {
        self.piece_ns
    }

    /// Charges the mean time for each of `pieces` unmeasured pieces.
    pub fn estimate(&mut self, pieces: u64) {
        self.used_ns += pieces * self.piece_ns;
    }

    /// Returns a context that has work which no finished span covers.
    pub fn dirty_context(&self) -> Option<CUcontext> {
        self.open
            .as_ref()
            .map(|span| span.context)
            .or(self.dirty.first().map(|place| place.context))
    }

    /// Ends the span, which contains all work of this context so far. If no span is open, measures
    /// the context's work from now on. The context must be current.
    pub fn end(&mut self, driver: &Driver, context: CUcontext) {
        let (mut ends, dirty) = (Vec::new(), std::mem::take(&mut self.dirty));
        for place in dirty {
            if place.context == context {
                ends.extend(self.record(driver, place));
            } else {
                self.dirty.push(place);
            }
        }
        let (began, kinds) = (Instant::now(), Vec::new());
        let fresh = Span {
            context,
            start: None,
            ends: Vec::new(),
            began,
            pieces: 1,
            predicted_ns: 0,
            kinds,
        };
        let span = self.open.take_if(|span| span.context == context).unwrap_or(fresh);
        self.in_flight.push_back(Span { ends, ..span });
    }

    /// Returns the events that must be reached before the oldest span can be finished, and their
    /// context.
    pub fn oldest(&self) -> Option<(CUcontext, Vec<CUevent>)> {
        self.in_flight.front().map(|span| (span.context, span.ends.clone()))
    }

    /// Returns whether a span of the context is in progress.
    pub fn holds(&self, context: CUcontext) -> bool {
        self.in_flight.iter().any(|span| span.context == context)
    }

    /// Finishes spans whose work is done, without blocking.
    pub fn collect(&mut self, driver: &Driver) {
        while let Some(span) = self.in_flight.front() {
            if span
                .ends
                .iter()
                // SAFETY: the events are the session's own and still exist.
                .any(|end| unsafe { driver.cuEventQuery(*end) } == CUresult::NOT_READY)
            {
                return;
            }
            self.used_ns += self.finish_oldest(driver);
        }
    }

    /// Finishes the oldest span, whose work is done. Returns its time in nanoseconds.
    pub fn finish_oldest(&mut self, driver: &Driver) -> u64 {
        let Some(span) = self.in_flight.pop_front() else { return 0 };
        let reference =
            self.last_end.filter(|(context, _)| *context == span.context).map(|(_, event)| event);
        let mut last = None;
        for end in &span.ends {
            let from = reference.or(span.start);
            let at_ns = from.and_then(|from| elapsed_ns(driver, from, *end)).unwrap_or(0);
            if last.is_none_or(|(_, latest_ns)| at_ns > latest_ns) {
                last = Some((*end, at_ns));
            }
        }
        let since_start_ns = match (span.start, last) {
            (Some(start), Some((end, _))) => elapsed_ns(driver, start, end),
            _ => None,
        };
        let host_ns = span.began.elapsed().as_nanos() as i64;
        let since_reference_ns = reference.and(last).map(|(_, at_ns)| at_ns);
        let measured_ns = match (since_start_ns, since_reference_ns) {
            (Some(start), Some(reference)) => start.min(reference),
            (Some(start), None) => start,
            (None, Some(reference)) => reference.min(host_ns),
            (None, None) => host_ns,
        };
        let measured_ns = measured_ns.max(0) as u64;
        self.learn(&span, measured_ns);
        self.recycle(span, last.map(|(event, _)| event));
        measured_ns
    }

    fn learn(&mut self, span: &Span, measured_ns: u64) {
        if span.pieces > 0 && span.start.is_some() {
            let mean_ns = measured_ns / span.pieces as u64;
            self.piece_ns =
                if self.piece_ns == 0 { mean_ns } else { (3 * self.piece_ns + mean_ns) / 4 };
        }
        if self.kinds.len() > KINDS_MAX {
            self.kinds.clear();
        }
        // Each kind gets its proportional part of the measured time.
        let pieces = span.kinds.len().max(1) as u64;
        for (kind, predicted_ns) in &span.kinds {
            let found_ns = match span.predicted_ns {
                0 => measured_ns / pieces,
                sum_ns => {
                    (u128::from(*predicted_ns) * u128::from(measured_ns) / u128::from(sum_ns))
                        as u64
                }
            };
            let known = self.kinds.entry(*kind).or_insert(found_ns);
            *known = ((*known + found_ns) / 2).max(1);
        }
    }

    fn recycle(&mut self, span: Span, last: Option<CUevent>) {
        let kept = last.map(|event| (span.context, event));
        let gone = if kept.is_some() { std::mem::replace(&mut self.last_end, kept) } else { None };
        let free = self.free.entry(span.context).or_default();
        free.extend(span.ends.into_iter().filter(|end| Some(*end) != last));
        free.extend(span.start);
        if let Some((context, event)) = gone {
            self.free.entry(context).or_default().push(event);
        }
    }

    /// Forgets a context that is about to be destroyed, and its events.
    pub fn forget_context(&mut self, context: CUcontext) {
        self.dirty.retain(|place| place.context != context);
        self.free.remove(&context);
        self.open = self.open.take().filter(|span| span.context != context);
        self.last_end = self.last_end.filter(|(other, _)| *other != context);
    }
}

/// Returns the time between two events; negative if `from` was reached after `to`.
fn elapsed_ns(driver: &Driver, from: CUevent, to: CUevent) -> Option<i64> {
    let mut milliseconds = 0.0;
    // SAFETY: both events are the session's own and have been reached; the out-pointer is a local.
    unsafe { driver.cuEventElapsedTime(&mut milliseconds, from, to) }.ok().ok()?;
    Some((f64::from(milliseconds) * 1e6) as i64)
}

//! The promise that a task's frame is ready before the next one is due. The promise determines a
//! task's demand on a GPU, and which GPUs may run the task.

use crate::time_time_curves::{Attachment, Curves, FrameTimes};

const NS_PER_MS: f64 = 1e6;

/// Time-time curves, and the promised frame rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Promise {
    curves: Curves,
    frame_ns: u64,
}

/// Returns the length of a frame at `frames_per_s` frames per second; 0 counts as 1.
pub fn frame_ns(frames_per_s: u32) -> u64 {
    1_000_000_000 / u64::from(frames_per_s.max(1))
}

/// Returns the GPU time of a frame with these times. Returns None if the frame would be late even
/// on an idle GPU (Equation 1).
pub fn demand_ns(FrameTimes { gpu_ms, whole_ms }: FrameTimes, frame_ns: u64) -> Option<u64> {
    let (whole_ns, gpu_ns) = (whole_ms * NS_PER_MS, gpu_ms * NS_PER_MS);
    // Rounding up ensures that the sum of admitted demands never exceeds the frame.
    (whole_ns < frame_ns as f64 && gpu_ns < frame_ns as f64).then_some(gpu_ns.ceil() as u64)
}

impl Promise {
    /// Promises `frames_per_s` frames per second; 0 counts as 1.
    pub fn new(curves: Curves, frames_per_s: u32) -> Promise {
        Promise { curves, frame_ns: frame_ns(frames_per_s) }
    }

    /// Returns the maximum duration of a frame, which is also how long a GPU may be busy per frame
    /// (Equations 1 and 2).
    pub fn frame_ns(&self) -> u64 {
        self.frame_ns
    }

    /// Returns the time-time curves.
    pub fn curves(&self) -> &Curves {
        &self.curves
    }

    /// Returns the task's GPU time per frame behind `link`. Returns None if a frame would be late
    /// even on an idle GPU (Equation 1), or if the curves have no value for the load.
    pub fn demand_ns(&self, reference_ms: f64, link: Attachment) -> Option<u64> {
        demand_ns(self.curves.times(reference_ms, link, None)?, self.frame_ns)
    }

    /// Returns a frame's whole time as a viewer sees it: an early frame waits for its tick.
    pub fn shown_ms(&self, reference_ms: f64, link: Attachment) -> Option<f64> {
        Some(self.curves.whole_ms(reference_ms, link)?.max(self.frame_ns as f64 / NS_PER_MS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_models_admit_the_same_as_the_paper() {
        for curves in [Curves::Transfer, Curves::FIT] {
            let promise = Promise::new(curves, 30);
            let admits = |reference_ms, gbps| {
                promise.demand_ns(reference_ms, Attachment::network(gbps)).is_some()
            };
            assert!(admits(6.0, 10) && !admits(6.5, 10) && admits(8.0, 20), "{promise:?}");
        }
    }
}

//! The tasks to place. Each renders a number of frames with a certain amount of work. Equal seeds
//! give equal tasks.

use crate::Error;

const WORK_MAX: f64 = 1e10;
const REFERENCE_MS_MIN: f64 = 1.0;
const FRAMES_MIN: u64 = 100;
const FRAMES_MAX: u64 = 1000;

/// A user's application.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Task {
    /// GPU time per frame on a GPU attached by PCIe.
    pub reference_ms: f64,
    /// The number of frames that the task lasts.
    pub frames: u64,
}

/// The paper's two cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Every task may run behind 10 Gb/s.
    Low,
    /// Some tasks may run only behind 20 Gb/s.
    High,
}

impl Case {
    fn reference_ms_max(self) -> f64 {
        match self {
            Case::Low => 6.0,
            Case::High => 8.0,
        }
    }

    /// Draws tasks until their total work reaches `work` (Equation 4). A task's work is its
    /// reference time multiplied by its frames.
    /// # Errors
    /// `Usage` if `work` is not positive or too large.
    pub fn tasks(self, work: f64, seed: u64) -> Result<Vec<Task>, Error> {
        if !(work > 0.0 && work <= WORK_MAX) {
            return Err(Error::Usage(format!(
                "work of {work} ms x frames: give more than 0 and at most {WORK_MAX:e}"
            )));
        }
        let mut random = Random(seed);
        let (mut tasks, mut sum) = (Vec::new(), 0.0);
        while sum < work {
            let reference_ms =
                REFERENCE_MS_MIN + random.fraction() * (self.reference_ms_max() - REFERENCE_MS_MIN);
            let frames =
                FRAMES_MIN + (random.fraction() * (FRAMES_MAX - FRAMES_MIN + 1) as f64) as u64;
            sum += reference_ms * frames as f64;
            tasks.push(Task { reference_ms, frames });
        }
        Ok(tasks)
    }
}

/// The generator SplitMix64, which gives identical numbers on every machine.
struct Random(u64);

impl Random {
    /// Returns a number from 0 up to, but not including, 1.
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

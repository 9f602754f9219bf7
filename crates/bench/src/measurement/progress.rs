//! Shows the progress of a long measurement in a terminal's last line. Shows nothing if stderr is
//! not a terminal.

use std::io::{IsTerminal, Write};
use std::time::Instant;

const WIDTH: usize = 24;

/// A progress bar.
pub struct Progress {
    total: usize,
    done: usize,
    start: Instant,
    shown: bool,
}

impl Progress {
    /// Creates a bar for `total` steps.
    pub fn new(total: usize) -> Progress {
        Progress {
            total: total.max(1),
            done: 0,
            start: Instant::now(),
            shown: std::io::stderr().is_terminal(),
        }
    }

    /// Shows the name of the step that begins now.
    pub fn next(&mut self, what: &str) {
        if self.shown {
            let filled = WIDTH * self.done / self.total;
            let left = match self.done {
                0 => String::new(),
                done => format!(
                    ", {:.0} s left",
                    self.start.elapsed().as_secs_f64() / done as f64 * (self.total - done) as f64
                ),
            };
            let bar = format!("{}{}", "#".repeat(filled), ".".repeat(WIDTH - filled));
            let _ = write!(
                std::io::stderr(),
                "\r\x1b[K[{bar}] {}/{}{left}  {what}",
                self.done,
                self.total
            );
        }
        self.done += 1;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

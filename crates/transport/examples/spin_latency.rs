//! Measures how soon a spinning thread notices a change, and how often it falls asleep first. Run
//! it on an idle machine.
//!
//!     OUTHAUL_TUNE=spin=1 cargo run --release -p outhaul-transport --example spin_latency

use outhaul_transport::os::spin::{PROGRAM_SPIN, spin};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

const WAITS: usize = 600;

fn main() {
    println!(
        "{:>8} {:>8} {:>12} {:>12} {:>12}",
        "waits of", "asleep", "median, us", "90 %, us", "99 %, us"
    );
    for wait_ms in [1, 2, 8] {
        let (asleep, mut late_us) = measure(Duration::from_millis(wait_ms));
        late_us.sort_by(f64::total_cmp);
        let at = |part: usize| late_us[WAITS * part / 100];
        println!(
            "{:>5} ms {asleep:>8} {:>12.1} {:>12.1} {:>12.1}",
            wait_ms,
            at(50),
            at(90),
            at(99)
        );
    }
}

/// Returns the number of waits that outlasted the spinning, and each wait's delay in microseconds.
fn measure(wait: Duration) -> (usize, Vec<f64>) {
    let (there, waits) = (AtomicBool::new(false), AtomicBool::new(false));
    let (give, take) = channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..WAITS {
                while !waits.load(SeqCst) {
                    std::hint::spin_loop();
                }
                let begin = Instant::now();
                while begin.elapsed() < wait {
                    std::hint::spin_loop();
                }
                waits.store(false, SeqCst);
                let now = Instant::now();
                there.store(true, SeqCst);
                let _ = give.send(now);
            }
        });
        let (mut asleep, mut late_us) = (0, Vec::new());
        for _ in 0..WAITS {
            there.store(false, SeqCst);
            waits.store(true, SeqCst);
            asleep +=
                usize::from(spin(PROGRAM_SPIN, || there.load(SeqCst).then_some(())).is_none());
            let given: Instant =
                take.recv().expect("the other thread gives as often as this one takes");
            late_us.push(given.elapsed().as_secs_f64() * 1e6);
        }
        (asleep, late_us)
    })
}

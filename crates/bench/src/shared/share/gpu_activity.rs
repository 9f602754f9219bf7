//! Computes the GPU's activity by its own clock, from the times of all programs' kernels.

use super::burst_program::Played;

/// Maximum time that a GPU takes to switch between programs. In a longer pause, the GPU was idle.
const SWITCH_NS_MAX: u64 = 1_000_000;

/// The time during which the GPU ran kernels, and its switches between programs.
#[derive(Default)]
pub struct Busy {
    /// Time during which at least one kernel ran.
    pub ran_ns: u64,
    /// Pauses between a kernel and the next one of another program, up to `SWITCH_NS_MAX`.
    pub switches_ns: Vec<u64>,
}

impl Busy {
    /// Computes the activity from the kernels of all programs.
    pub fn of(played: &[Played]) -> Busy {
        let of = |(program, played): (usize, &'_ Played)| {
            played.ran_ns.iter().map(move |ran| (*ran, program)).collect::<Vec<_>>()
        };
        let mut kernels: Vec<_> = played.iter().enumerate().flat_map(of).collect();
        kernels.sort_unstable();
        let (mut busy, mut last) = (Busy::default(), None);
        for ((began_ns, ended_ns), program) in kernels {
            let (until_ns, before) = last.unwrap_or((began_ns, program));
            let waited_ns = began_ns.saturating_sub(until_ns);
            if program != before && (1..=SWITCH_NS_MAX).contains(&waited_ns) {
                busy.switches_ns.push(waited_ns);
            }
            busy.ran_ns += ended_ns.saturating_sub(began_ns.max(until_ns));
            if ended_ns >= until_ns {
                last = Some((ended_ns, program));
            }
        }
        busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_once_where_kernels_overlap_and_a_pause_is_no_switch() {
        let played =
            |ran_ns: &[(u64, u64)]| Played { ran_ns: ran_ns.to_vec(), ..Played::default() };
        let busy = Busy::of(&[
            played(&[(0, 100), (110, 200), (5_000_000, 5_000_100)]),
            played(&[(150, 300), (160, 170), (330, 400)]),
        ]);
        assert_eq!(busy.ran_ns, 100 + (300 - 110) + (400 - 330) + 100);
        assert!(busy.switches_ns.is_empty());
        assert_eq!(
            Busy::of(&[played(&[(0, 100), (300, 400)]), played(&[(120, 290)])]).switches_ns,
            [20, 10]
        );
    }
}

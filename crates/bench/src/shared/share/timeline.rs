//! Computes how much of a GPU each tenant had at any time, from the marks of its programs. Work
//! counts as the time that it takes alone. So the switches between time slices, which no program
//! sees, count for no tenant.

/// The marks of one program: times, each with the number of kernels or copies complete by then.
pub struct Progress {
    piece_ns: f64,
    marks: Vec<(u64, u64)>,
}

/// The programs of one tenant.
#[derive(Default)]
pub struct Timeline(Vec<Progress>);

impl Timeline {
    /// Adds the marks of a program whose pieces of work each take `piece_ns` alone.
    pub fn add(&mut self, marks: &[(u64, u64)], piece_ns: f64) {
        self.0.push(Progress { piece_ns, marks: marks.to_vec() });
    }

    /// Returns the nanoseconds of work between two times. Assumes that work is evenly distributed
    /// between two marks.
    pub fn work_ns(&self, from_ns: u64, to_ns: u64) -> f64 {
        self.0
            .iter()
            .map(|progress| {
                (progress.done_by(to_ns) - progress.done_by(from_ns)) * progress.piece_ns
            })
            .sum()
    }
}

impl Progress {
    fn done_by(&self, at_ns: u64) -> f64 {
        let next = self.marks.partition_point(|mark| mark.0 <= at_ns);
        match (next.checked_sub(1).map(|last| self.marks[last]), self.marks.get(next)) {
            (Some((_, done)), None) => done as f64,
            (None, _) => 0.0,
            (Some((last_ns, last)), Some((next_ns, next))) => {
                last as f64
                    + (next - last) as f64 * (at_ns - last_ns) as f64
                        / (next_ns - last_ns).max(1) as f64
            }
        }
    }
}

/// Returns each tenant's percentage of all work in each window.
pub fn shares(tenants: &[Timeline], from_ns: u64, to_ns: u64, window_ns: u64) -> Vec<Vec<f64>> {
    windows(from_ns, to_ns, window_ns)
        .map(|(start, end)| {
            let work: Vec<f64> = tenants.iter().map(|tenant| tenant.work_ns(start, end)).collect();
            let sum = work.iter().sum::<f64>().max(1.0);
            work.iter().map(|work| 100.0 * work / sum).collect()
        })
        .collect()
}

/// Returns each tenant's GPU use in each window, for charts: the tenant's work in percent of the
/// window's length.
pub fn utilisation(
    tenants: &[Timeline],
    from_ns: u64,
    to_ns: u64,
    window_ns: u64,
) -> Vec<Vec<f64>> {
    let of = |(start, end): (u64, u64)| {
        tenants
            .iter()
            .map(|tenant| 100.0 * tenant.work_ns(start, end) / (end - start) as f64)
            .collect()
    };
    windows(from_ns, to_ns, window_ns).map(of).collect()
}

fn windows(from_ns: u64, to_ns: u64, window_ns: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..)
        .map(move |i| from_ns + i * window_ns)
        .map(move |start| (start, start + window_ns))
        .take_while(move |(_, end)| *end <= to_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_even_between_marks_and_nothing_before_and_after() {
        let mut one = Timeline::default();
        one.add(&[(100, 0), (200, 10), (250, 10), (350, 20)], 5.0);
        assert_eq!(one.work_ns(0, 100), 0.0);
        assert_eq!(one.work_ns(100, 150), 25.0);
        assert_eq!(one.work_ns(200, 250), 0.0);
        assert_eq!(one.work_ns(0, 1000), 100.0);
        let mut other = Timeline::default();
        other.add(&[(100, 0), (200, 15)], 10.0);
        assert_eq!(shares(&[one, other], 100, 200, 100), [[25.0, 75.0]]);
    }
}

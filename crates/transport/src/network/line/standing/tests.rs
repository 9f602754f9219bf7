use super::*;

const GRACE: Grace = Grace { broken: Duration::from_secs(120), ended: Duration::from_secs(3) };
const RECORD_BYTES: usize = 100;

fn reset() -> io::Error {
    io::ErrorKind::ConnectionReset.into()
}

fn spoilt() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

#[test]
fn a_broken_line_waits_for_its_grace_and_not_longer() {
    for (cause, grace) in [
        (io::ErrorKind::ConnectionReset, GRACE.broken),
        (io::ErrorKind::UnexpectedEof, GRACE.ended),
    ] {
        let (mut standing, start) = (Standing::new(GRACE), Instant::now());
        standing.break_off(start, cause.into());
        assert_eq!(standing.actions(), Actions { close: true, wake: true, ring: true });
        let last = start + grace - Duration::from_nanos(1);
        assert_eq!(standing.may_sleep(last).unwrap(), Duration::from_nanos(1));
        assert_eq!(standing.may_sleep(start + grace).unwrap_err().kind(), cause);
        assert!(standing.freeze(last).is_none() && standing.not_over().is_err());
    }
}

#[test]
fn each_break_has_the_whole_grace() {
    let (mut standing, mut now) = (Standing::new(GRACE), Instant::now());
    for _ in 0..100 {
        standing.break_off(now, reset());
        now += GRACE.broken - Duration::from_secs(1);
        let frozen = standing.freeze(now).unwrap();
        assert!(standing.open(frozen).unwrap());
    }
    assert_eq!(standing.may_sleep(now).unwrap(), Duration::MAX);
}

#[test]
fn a_way_that_spoils_what_it_carries_ends_the_line_unless_something_comes_whole() {
    let (mut standing, now) = (Standing::new(GRACE), Instant::now());
    let renew = |standing: &mut Standing| {
        let frozen = standing.freeze(now).unwrap();
        assert!(standing.open(frozen).unwrap());
    };
    for whole in [true, false] {
        for _ in 1..SPOILT_MAX {
            standing.break_off(now, spoilt());
            renew(&mut standing);
        }
        if whole {
            assert!(standing.take(standing.generation(), RECORD_BYTES));
        }
    }
    standing.break_off(now, spoilt());
    assert!(standing.not_over().is_err());
}

#[test]
fn without_a_grace_the_first_break_is_the_end_and_nobody_calls() {
    let (mut standing, now) = (Standing::new(Grace::NONE), Instant::now());
    assert!(standing.freeze(now).is_none() && standing.not_over().is_ok());
    standing.break_off(now, reset());
    assert!(standing.not_over().is_err());
}

/// Pseudo-random numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// Invariants that are checked while random events happen to a line.
struct Watched {
    standing: Standing,
    now: Instant,
    /// Connections that were opened and not given up: never more than one.
    connections: u32,
    frozen: Vec<Frozen>,
    received: u64,
    is_over: bool,
}

impl Watched {
    fn happens(&mut self, random: &mut Random) {
        let generation = self.standing.generation().saturating_sub(random.below(3));
        match random.below(10) {
            0 => {
                self.now += Duration::from_millis(random.below(GRACE.broken.as_millis() as u64 / 4))
            }
            1 => self.standing.broke(self.now, generation, reset()),
            2 => self.standing.break_off(self.now, io::ErrorKind::UnexpectedEof.into()),
            3 => drop(self.standing.may_sleep(self.now)),
            4 => self.frozen.extend(self.standing.freeze(self.now)),
            5 => self.frozen.extend(self.standing.freeze_for(self.now, random.below(1000))),
            6 => self.opens(random),
            7 if random.below(50) == 0 => self.standing.hear(Word::Goodbye),
            _ => self.takes(generation),
        }
    }

    fn opens(&mut self, random: &mut Random) {
        let Some(&frozen) = self.frozen.get(random.below(self.frozen.len().max(1) as u64) as usize)
        else {
            return;
        };
        if self.standing.open(frozen).is_ok_and(|is_open| is_open) {
            assert_eq!(frozen.received, self.received, "a line goes on where it stopped");
            self.connections += 1;
        }
    }

    fn takes(&mut self, generation: u64) {
        if self.standing.take(generation, RECORD_BYTES) {
            self.received += RECORD_BYTES as u64;
        }
    }

    fn holds(&mut self) {
        let Actions { close, wake, ring } = self.standing.actions();
        if close {
            assert_eq!(self.connections, 1, "a connection is given up once");
            self.connections = 0;
            assert!(wake && ring);
        }
        let is_over = self.standing.not_over().is_err();
        assert!(is_over || !self.is_over, "what is over stays so");
        assert!(!is_over || wake && ring || self.is_over, "everybody hears of the end");
        self.is_over = is_over;
        let is_broken = self.standing.broken_for(self.now).is_some();
        assert_eq!(
            u32::from(!is_over && !is_broken),
            self.connections,
            "an open line has one connection"
        );
    }
}

#[test]
fn whatever_happens_in_whatever_order() {
    let mut ends = 0;
    for seed in 0..2000 {
        let standing = Standing::new(GRACE);
        let (now, frozen) = (Instant::now(), Vec::new());
        let mut watched =
            Watched { standing, now, connections: 1, frozen, received: 0, is_over: false };
        let mut random = Random(seed * 77 + 5);
        for _ in 0..300 {
            watched.happens(&mut random);
            watched.holds();
        }
        ends += u32::from(watched.is_over);
    }
    assert!((100..2000).contains(&ends), "{ends} of 2000 ended");
}

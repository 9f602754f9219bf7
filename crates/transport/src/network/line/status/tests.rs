use super::*;

const GRACE: Grace = Grace { broken: Duration::from_secs(120), ended: Duration::from_secs(3) };
const RECORD_BYTES: usize = 100;

fn reset() -> io::Error {
    io::ErrorKind::ConnectionReset.into()
}

fn corruptions() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

#[test]
fn a_broken_line_waits_for_its_grace_and_not_longer() {
    for (cause, grace) in [
        (io::ErrorKind::ConnectionReset, GRACE.broken),
        (io::ErrorKind::UnexpectedEof, GRACE.ended),
    ] {
        let (mut status, start) = (LineStatus::new(GRACE), Instant::now());
        status.break_off(start, cause.into());
        assert_eq!(status.actions(), Actions { close: true, wake: true, ring: true });
        let last = start + grace - Duration::from_nanos(1);
        assert_eq!(status.may_sleep(last).unwrap(), Duration::from_nanos(1));
        assert_eq!(status.may_sleep(start + grace).unwrap_err().kind(), cause);
        assert!(status.freeze(last).is_none() && status.not_over().is_err());
    }
}

#[test]
fn each_break_has_the_whole_grace() {
    let (mut status, mut now) = (LineStatus::new(GRACE), Instant::now());
    for _ in 0..100 {
        status.break_off(now, reset());
        now += GRACE.broken - Duration::from_secs(1);
        let frozen = status.freeze(now).unwrap();
        assert!(status.open(frozen).unwrap());
    }
    assert_eq!(status.may_sleep(now).unwrap(), Duration::MAX);
}

#[test]
fn a_network_that_corrupts_all_data_ends_the_line_and_one_intact_record_does_not() {
    let (mut status, now) = (LineStatus::new(GRACE), Instant::now());
    let renew = |status: &mut LineStatus| {
        let frozen = status.freeze(now).unwrap();
        assert!(status.open(frozen).unwrap());
    };
    for whole in [true, false] {
        for _ in 1..CORRUPTIONS_MAX {
            status.break_off(now, corruptions());
            renew(&mut status);
        }
        if whole {
            assert!(status.take(status.generation(), RECORD_BYTES));
        }
    }
    status.break_off(now, corruptions());
    assert!(status.not_over().is_err());
}

#[test]
fn without_a_grace_the_first_break_ends_the_line() {
    let (mut status, now) = (LineStatus::new(Grace::NONE), Instant::now());
    assert!(status.freeze(now).is_none() && status.not_over().is_ok());
    status.break_off(now, reset());
    assert!(status.not_over().is_err());
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
    status: LineStatus,
    now: Instant,
    /// Number of connections that were opened and not given up: never more than one.
    connections: u32,
    frozen: Vec<Frozen>,
    received: u64,
    is_over: bool,
}

impl Watched {
    fn happens(&mut self, random: &mut Random) {
        let generation = self.status.generation().saturating_sub(random.below(3));
        match random.below(10) {
            0 => {
                self.now += Duration::from_millis(random.below(GRACE.broken.as_millis() as u64 / 4))
            }
            1 => self.status.broke(self.now, generation, reset()),
            2 => self.status.break_off(self.now, io::ErrorKind::UnexpectedEof.into()),
            3 => drop(self.status.may_sleep(self.now)),
            4 => self.frozen.extend(self.status.freeze(self.now)),
            5 => self.frozen.extend(self.status.freeze_for(self.now, random.below(1000))),
            6 => self.opens(random),
            7 if random.below(50) == 0 => self.status.handle_control(ControlMessage::Goodbye),
            _ => self.takes(generation),
        }
    }

    fn opens(&mut self, random: &mut Random) {
        let Some(&frozen) = self.frozen.get(random.below(self.frozen.len().max(1) as u64) as usize)
        else {
            return;
        };
        if self.status.open(frozen).is_ok_and(|is_open| is_open) {
            assert_eq!(frozen.received, self.received, "a line goes on where it stopped");
            self.connections += 1;
        }
    }

    fn takes(&mut self, generation: u64) {
        if self.status.take(generation, RECORD_BYTES) {
            self.received += RECORD_BYTES as u64;
        }
    }

    fn holds(&mut self) {
        let Actions { close, wake, ring } = self.status.actions();
        if close {
            assert_eq!(self.connections, 1, "a connection is given up once");
            self.connections = 0;
            assert!(wake && ring);
        }
        let is_over = self.status.not_over().is_err();
        assert!(is_over || !self.is_over, "what is over stays so");
        assert!(!is_over || wake && ring || self.is_over, "everybody hears of the end");
        self.is_over = is_over;
        let is_broken = self.status.broken_for(self.now).is_some();
        assert_eq!(
            u32::from(!is_over && !is_broken),
            self.connections,
            "an open line has one connection"
        );
    }
}

#[test]
fn the_invariants_hold_for_random_events() {
    let mut ends = 0;
    for seed in 0..2000 {
        let status = LineStatus::new(GRACE);
        let (now, frozen) = (Instant::now(), Vec::new());
        let mut watched =
            Watched { status, now, connections: 1, frozen, received: 0, is_over: false };
        let mut random = Random(seed * 77 + 5);
        for _ in 0..300 {
            watched.happens(&mut random);
            watched.holds();
        }
        ends += u32::from(watched.is_over);
    }
    assert!((100..2000).contains(&ends), "{ends} of 2000 ended");
}

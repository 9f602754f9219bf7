//! Two lines over a network whose behaviour a seed determines. No thread blocks, and one thread
//! moves every byte, so a seed always produces the same story. Connections break at any byte in any
//! way, and late data arrives late. Calls for another connection and their answers get lost or
//! overtake each other. Each side must receive the sent data, once and in order.
//!
//! `OUTHAUL_CUTS` sets the number of cuts; `OUTHAUL_STORY=17` repeats one story. With fewer than
//! 100,000 cuts, the test also cuts the short story at fewer bytes.
//!
//!     export OUTHAUL_CUTS=1000000
//!     cargo test --release -p outhaul-transport --lib simulation -- --nocapture

use super::*;
use crate::network::checksum::RECORD_BYTES_MAX;
use crate::network::line_halves::Reading;
use crate::network::line_halves::Writing;
use crate::network::source_and_sink::Source;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

/// Longer than any wait here.
const GRACE: Grace = Grace { broken: Duration::from_secs(3600), ended: Duration::from_secs(3600) };
/// Limit for a write to a socket: a longer wait means that the test hangs.
const SOCKET_WAIT: Duration = Duration::from_secs(5);
/// Default number of cuts.
pub const CUTS: u64 = 100_000;
const CUTS_OF_STORY: u64 = 300;
/// Number of bytes that a side sends in a story.
const STORY_BYTES: u64 = 40_000;
const SHORT_STORY_BYTES: u64 = 1_500;
/// Number of bytes that a side may be ahead of the other. Sockets hold more.
const AHEAD_BYTES_MAX: u64 = 20_000;
const WRITE_BYTES_MAX: u64 = 600;
/// Largest number of consecutive flips, below the limit at which a line ends by design.
const FLIPS_MAX: u32 = status::CORRUPTIONS_MAX - 2;
const STEPS_MAX: u64 = 2_000_000;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// Both directions end, and data in flight is lost.
    Resets,
    /// This direction ends after its data, and the other one continues.
    HalfCloses,
    /// Data no longer arrives, and neither side notices.
    Silent,
    /// The next byte arrives with one bit changed.
    Flips,
}

const HOWS: [How; 4] = [How::Resets, How::HalfCloses, How::Silent, How::Flips];

/// A break after `bytes` bytes from side `from`.
#[derive(Clone, Copy, Debug)]
struct Cut {
    from: usize,
    bytes: u64,
    how: How,
}

/// A connection: the network's ends of the two sides' sockets.
struct Wire {
    ends: [UnixStream; 2],
    passed: [u64; 2],
    cut: Option<Cut>,
    is_silent: bool,
    is_over: [bool; 2],
}

/// Returns a side's end and the network's end.
fn socket() -> (TcpStream, UnixStream) {
    let (side, network) = UnixStream::pair().unwrap();
    network.set_nonblocking(true).unwrap();
    side.set_write_timeout(Some(SOCKET_WAIT)).unwrap();
    (OwnedFd::from(side).into(), network)
}

impl Wire {
    /// Returns the connection with the ends of its sides.
    fn new(cut: Option<Cut>) -> (Wire, [TcpStream; 2]) {
        let ((client, near), (server, far)) = (socket(), socket());
        (
            Wire { ends: [near, far], passed: [0; 2], cut, is_silent: false, is_over: [false; 2] },
            [client, server],
        )
    }

    /// Carries at most `bytes_max` bytes that side `from` has written. Returns whether a cut
    /// happened.
    fn carry(&mut self, from: usize, bytes_max: u64) -> bool {
        if self.is_silent || self.is_over[from] {
            return false;
        }
        let left = self.cut.filter(|cut| cut.from == from).map(|cut| cut.bytes - self.passed[from]);
        if left == Some(0) {
            return self.break_here(from);
        }
        let mut buffer = [0; 4096];
        let room = bytes_max.min(left.unwrap_or(u64::MAX)).min(buffer.len() as u64) as usize;
        match (&self.ends[from]).read(&mut buffer[..room]) {
            Ok(0) => self.end(from),
            Ok(count) => {
                self.passed[from] += count as u64;
                self.deliver(from, &buffer[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => self.end(from),
        }
        false
    }

    /// Delivers `bytes` to the other side, which may be gone.
    fn deliver(&self, from: usize, bytes: &[u8]) {
        let sent = crate::os::send::send(&self.ends[1 - from], &[std::io::IoSlice::new(bytes)], 0);
        assert!(
            sent.is_err() || sent.is_ok_and(|count| count == bytes.len()),
            "sockets hold what is ahead"
        );
    }

    fn end(&mut self, from: usize) {
        self.is_over[from] = true;
        let _ = self.ends[1 - from].shutdown(Shutdown::Write);
    }

    /// Breaks the connection as its cut says. Returns false if no byte has arrived yet in which a
    /// bit could flip.
    fn break_here(&mut self, from: usize) -> bool {
        let Some(Cut { how, .. }) = self.cut else { return false };
        match how {
            How::Resets => self.ends.iter().for_each(|end| drop(end.shutdown(Shutdown::Both))),
            How::HalfCloses => self.end(from),
            How::Silent => self.is_silent = true,
            How::Flips => {
                let mut byte = [0];
                let Ok(1) = (&self.ends[from]).read(&mut byte) else { return false };
                self.deliver(from, &[byte[0] ^ 4]);
            }
        }
        if how == How::Resets {
            self.is_over = [true; 2];
        }
        self.cut = None;
        true
    }
}

/// Returns the byte at index `place` of the data that a side sends.
fn sent_byte(seed: u64, place: u64) -> u8 {
    ((place ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
}

struct SimulatedSide {
    line: Arc<Line>,
    reading: Reading,
    writing: Writing,
    sent: u64,
    came: u64,
    flips: u32,
}

impl SimulatedSide {
    fn new(stream: TcpStream) -> SimulatedSide {
        let line = Line::new(stream.into(), GRACE, Arc::default());
        SimulatedSide {
            reading: Reading::new(line.clone()),
            writing: Writing::new(line.clone()),
            line,
            sent: 0,
            came: 0,
            flips: 0,
        }
    }
}

/// The last message of a call for another connection.
#[derive(Clone, Copy)]
enum CallStep {
    Call,
    /// The other side takes no more data from its old connection.
    Answer(Frozen),
    Confirm(Frozen),
}

/// A call for another connection, whose last message is in transit.
struct Call {
    attempt: u64,
    frozen: Frozen,
    streams: [Option<TcpStream>; 2],
    step: CallStep,
}

struct Story {
    random: Random,
    seed: u64,
    bytes: u64,
    sides: [SimulatedSide; 2],
    /// The connections, the newest last. The earlier ones deliver late data.
    wires: Vec<Wire>,
    calls: Vec<Call>,
    attempts: u64,
    cuts: u64,
    cuts_max: u64,
}

impl Story {
    fn new(seed: u64, bytes: u64, cuts_max: u64, first: Option<Cut>) -> Story {
        let (wire, streams) = Wire::new(first);
        let sides = streams.map(SimulatedSide::new);
        let random = Random(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 7);
        Story {
            random,
            seed,
            bytes,
            sides,
            wires: vec![wire],
            calls: Vec::new(),
            attempts: 0,
            cuts: 0,
            cuts_max,
        }
    }

    /// Runs the story to its end. Returns the number of cuts that happened.
    fn run(mut self) -> u64 {
        for _ in 0..STEPS_MAX {
            if self.sides.iter().all(|side| side.came == self.bytes) {
                (0..2).for_each(|side| self.read(side));
                return self.cuts;
            }
            self.step();
        }
        panic!(
            "it does not end: {:?} of {} came, {} cuts",
            self.sides.each_ref().map(|side| side.came),
            self.bytes,
            self.cuts
        );
    }

    fn step(&mut self) {
        let side = self.random.below(2) as usize;
        match self.random.below(12) {
            0..3 => self.write(side),
            3..6 => self.read(side),
            6..10 => self.carry(side),
            10 => self.give_up(side),
            _ => self.go_on(),
        }
    }

    fn write(&mut self, side: usize) {
        let (from, ahead) = (&self.sides[side], self.sides[side].sent - self.sides[1 - side].came);
        let count = (self.random.below(WRITE_BYTES_MAX) + 1).min(self.bytes - from.sent);
        if count == 0 || ahead > AHEAD_BYTES_MAX {
            return;
        }
        let from = &mut self.sides[side];
        let bytes: Vec<u8> = (from.sent..from.sent + count)
            .map(|place| sent_byte(self.seed + side as u64, place))
            .collect();
        from.writing
            .write_all(&bytes)
            .unwrap_or_else(|error| panic!("side {side} cannot write: {error}"));
        from.sent += count;
    }

    fn read(&mut self, side: usize) {
        let bytes_max = if self.random.one_in(3) {
            RECORD_BYTES_MAX
        } else {
            self.random.below(700) as usize + 1
        };
        let mut bytes = vec![0; bytes_max];
        let to = &mut self.sides[side];
        let count = to
            .reading
            .try_read(&mut bytes)
            .unwrap_or_else(|error| panic!("side {side} cannot read: {error}"))
            .unwrap_or(0);
        for byte in &bytes[..count] {
            assert_eq!(
                *byte,
                sent_byte(self.seed + 1 - side as u64, to.came),
                "side {side}, byte {}",
                to.came
            );
            to.came += 1;
        }
        if count > 0 {
            to.flips = 0;
        }
        assert!(to.came <= self.bytes, "side {side} has more than was sent");
    }

    /// Carries data from `side`, mostly on the newest connection, and sometimes late data on
    /// another.
    fn carry(&mut self, side: usize) {
        let late = self.random.one_in(6);
        let wire = if late {
            self.random.below(self.wires.len() as u64) as usize
        } else {
            self.wires.len() - 1
        };
        let bytes = if self.random.one_in(4) {
            self.random.below(40) + 1
        } else {
            self.random.below(4000) + 1
        };
        self.cuts += u64::from(self.wires[wire].carry(side, bytes));
    }

    /// Gives up a connection that is silent, or, sometimes, one that is not.
    fn give_up(&mut self, side: usize) {
        let is_silent = self.wires.last().is_some_and(|wire| wire.is_silent);
        if is_silent && self.random.one_in(4)
            || self.cuts < self.cuts_max && self.random.one_in(100)
        {
            self.cuts += u64::from(!is_silent);
            self.sides[side].line.interrupt();
        }
    }

    /// Makes the first side call again if its line is broken, and advances the pending calls.
    fn go_on(&mut self) {
        if self.sides[0].line.broken_for().is_some()
            && (self.calls.is_empty() || self.random.one_in(8))
        {
            self.call();
        }
        if !self.calls.is_empty() {
            let call = self.random.below(self.calls.len() as u64) as usize;
            let call = self.calls.swap_remove(call);
            // A call that gets lost takes its connection along.
            if self.cuts >= self.cuts_max || !self.random.one_in(8) {
                self.deliver(call);
            } else {
                self.cuts += 1;
            }
        }
    }

    fn call(&mut self) {
        let Some(frozen) = self.sides[0].line.freeze() else { panic!("the line is over") };
        self.attempts += 1;
        let cut = (self.cuts < self.cuts_max).then(|| self.next_cut());
        let (wire, streams) = Wire::new(cut);
        self.wires.push(wire);
        if self.wires.len() > 4 {
            self.wires.remove(0);
        }
        self.calls.push(Call {
            attempt: self.attempts,
            frozen,
            streams: streams.map(Some),
            step: CallStep::Call,
        });
    }

    fn next_cut(&mut self) -> Cut {
        let from = self.random.below(2) as usize;
        let bytes =
            if self.random.one_in(2) { self.random.below(60) } else { self.random.below(1000) };
        let how = HOWS[self.random.below(HOWS.len() as u64) as usize];
        let to = &mut self.sides[1 - from];
        if how == How::Flips && to.flips >= FLIPS_MAX {
            return Cut { from, bytes, how: How::Resets };
        }
        to.flips += u32::from(how == How::Flips);
        Cut { from, bytes, how }
    }

    /// Delivers the message and sends the next one.
    fn deliver(&mut self, mut call: Call) {
        let next = match call.step {
            // The server does not answer a call that is older than another.
            CallStep::Call => self.sides[1].line.freeze_for(call.attempt).map(CallStep::Answer),
            CallStep::Answer(far) => {
                self.install(0, call.streams[0].take(), call.frozen, far.received);
                Some(CallStep::Confirm(far))
            }
            CallStep::Confirm(far) => {
                self.install(1, call.streams[1].take(), far, call.frozen.received);
                None
            }
        };
        self.calls.extend(next.map(|step| Call { step, ..call }));
    }

    fn install(&self, side: usize, stream: Option<TcpStream>, frozen: Frozen, position: u64) {
        let Some(stream) = stream else { return };
        self.sides[side]
            .line
            .install(stream, frozen, position)
            .unwrap_or_else(|error| panic!("side {side} cannot continue: {error}"));
    }
}

/// Returns the number in the environment variable `name`.
pub fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| {
        text.parse().unwrap_or_else(|_| panic!("{name} is '{text}', which is not a number"))
    })
}

#[test]
fn nothing_is_lost_and_nothing_repeated_in_stories_full_of_cuts() {
    if let Some(seed) = asked("OUTHAUL_STORY") {
        println!("story {seed}: {} cuts", Story::new(seed, STORY_BYTES, CUTS_OF_STORY, None).run());
        return;
    }
    let (cuts_max, mut cuts, mut stories) = (asked("OUTHAUL_CUTS").unwrap_or(CUTS), 0, 0);
    while cuts < cuts_max {
        let result = std::panic::catch_unwind(|| {
            Story::new(stories, STORY_BYTES, CUTS_OF_STORY, None).run()
        });
        cuts += result.unwrap_or_else(|_| {
            panic!(
                "again: OUTHAUL_STORY={stories} cargo test --release -p \
            outhaul-transport --lib simulation"
            )
        });
        stories += 1;
    }
    println!("{cuts} cuts in {stories} stories");
}

#[test]
fn nothing_is_lost_and_nothing_repeated_whichever_byte_of_a_short_story_a_connection_breaks_at() {
    let (mut came, step) = (0, (CUTS / asked("OUTHAUL_CUTS").unwrap_or(CUTS).max(1)).max(1));
    for from in 0..2 {
        for how in HOWS {
            for bytes in (0..).step_by(step as usize) {
                let cuts =
                    Story::new(bytes, SHORT_STORY_BYTES, 0, Some(Cut { from, bytes, how })).run();
                came += cuts;
                // After the last byte of the longest story, nothing is left to break.
                if cuts == 0 && bytes > 2 * SHORT_STORY_BYTES {
                    break;
                }
            }
        }
    }
    assert!(came * step > 8 * SHORT_STORY_BYTES, "{came} cuts came");
}

use super::*;
use crate::connect::connection::{Connection, dial, resolve};
use crate::connect::hello_error::HelloError;
use crate::connect::rejoin::{answer_rejoin, rejoin};
use crate::connect::session_key::{KeyExchange, SessionKey};
use crate::lanes::lane::{Lane, LaneError, LaneReader, LaneWriter};
use crate::lanes::tcp;
use crate::network::backlog::BACKLOG_BYTES_MAX;
use crate::network::tls;
use crate::network::tls::tests::Pool;
use crate::network::tls::{Identity, Tls, trust};
use crate::os::deadline::Deadline;
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{HandshakeError, Rejoin};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc::{Receiver, channel};

/// Longer than any wait here. Tests check that less than a quarter of this time has passed, so no
/// thread has waited for all of it.
const PATIENT: Grace = Grace { broken: Duration::from_secs(240), ended: Duration::from_secs(240) };

/// Largest number of attempts at a first connection.
const CONNECTIONS_MAX: usize = 100;

/// Interval at which a thread that waits for a connection checks whether it is still needed.
const ACCEPT_WAIT: Duration = Duration::from_millis(5);

/// Largest size of either side's handshake, with a certificate.
const TLS_HANDSHAKE_BYTES_MAX: usize = 2000;

/// Pseudo-random numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// How a connection breaks: after `bytes` bytes from the client's or the server's side.
#[derive(Clone, Copy, Debug)]
struct Cut {
    towards_server: bool,
    bytes: usize,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// The connection breaks with a reset, and data in flight is lost.
    Resets,
    InOrder,
    /// The connection continues, with one bit of the next byte changed.
    Flips,
}

fn reset_on_close(stream: &TcpStream) {
    let linger = libc::linger { l_onoff: 1, l_linger: 0 };
    let length = size_of::<libc::linger>() as libc::socklen_t;
    // SAFETY: the descriptor is open, and the option takes a `linger`, as the local is.
    unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_LINGER,
            (&raw const linger).cast(),
            length,
        )
    };
}

/// Forwards data until the connection breaks.
fn forward(mut from: TcpStream, mut to: TcpStream, cut: Option<Cut>) {
    let left = pass(&mut from, &mut to, cut.map_or(usize::MAX, |cut| cut.bytes));
    if left == 0 && cut.is_some_and(|cut| cut.how == How::Flips) {
        let mut byte = [0];
        if from.read_exact(&mut byte).is_ok() && to.write_all(&[byte[0] ^ 4]).is_ok() {
            pass(&mut from, &mut to, usize::MAX);
        }
    }
    for end in [&from, &to] {
        if left == 0 && cut.is_some_and(|cut| cut.how == How::Resets) {
            reset_on_close(end);
        }
        let _ = end.shutdown(Shutdown::Both);
    }
}

/// Forwards `left` bytes. Returns the number of bytes that did not arrive.
fn pass(from: &mut TcpStream, to: &mut TcpStream, mut left: usize) -> usize {
    let mut buffer = [0; 64 << 10];
    while left > 0 {
        let room = left.min(buffer.len());
        match from.read(&mut buffer[..room]) {
            Ok(count @ 1..) if to.write_all(&buffer[..count]).is_ok() => left -= count,
            _ => break,
        }
    }
    left
}

/// Whether a network's connections use TLS.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Seal {
    None,
    Tls,
}

/// A network between a client and a server. Each cut breaks one connection, in order; the
/// connections after the last cut do not break.
struct Network {
    /// The address as a client writes it.
    address: String,
    identity: Option<&'static Identity>,
    /// The client's and the worker's key.
    keys: (SessionKey, SessionKey),
    listener: Arc<TcpListener>,
    accepted: Mutex<Receiver<TcpStream>>,
}

/// Ends the thread that accepts.
impl Drop for Network {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open; the waiting thread returns with an error.
        unsafe { libc::shutdown(self.listener.as_raw_fd(), libc::SHUT_RDWR) };
    }
}

fn agreed() -> (SessionKey, SessionKey) {
    let (client, worker) = (KeyExchange::begin().unwrap(), KeyExchange::begin().unwrap());
    let shares = (client.share, worker.share);
    (client.agree(&shares.1).unwrap(), worker.agree(&shares.0).unwrap())
}

/// Returns the server's identity, which clients of this process trust.
fn identity() -> &'static Identity {
    static IDENTITY: OnceLock<Identity> = OnceLock::new();
    IDENTITY.get_or_init(|| {
        let pool = Pool::new();
        let file = std::env::temp_dir().join(format!("outhaul-line-{}.pem", std::process::id()));
        std::fs::write(&file, pool.ca_pem()).unwrap();
        trust(file);
        pool.node("gpu7")
    })
}

impl Network {
    fn new(cuts: Vec<Cut>, seal: Seal) -> Network {
        let (outer, inner) =
            (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
        let (address, inside) = (outer.local_addr().unwrap(), inner.local_addr().unwrap());
        let (listener, (accept, accepted)) = (Arc::new(outer), channel());
        let outer = listener.clone();
        std::thread::spawn(move || {
            for (number, near) in outer.incoming().map_while(Result::ok).enumerate() {
                let far = TcpStream::connect(inside).unwrap();
                [&near, &far].iter().for_each(|stream| stream.set_nodelay(true).unwrap());
                if accept.send(inner.accept().unwrap().0).is_err() {
                    return;
                }
                let cut: Option<Cut> = cuts.get(number).copied();
                let back = (far.try_clone().unwrap(), near.try_clone().unwrap());
                let of = |towards_server| cut.filter(|cut| cut.towards_server == towards_server);
                let (there, here) = (of(true), of(false));
                std::thread::spawn(move || forward(near, far, there));
                std::thread::spawn(move || forward(back.0, back.1, here));
            }
        });
        let (address, identity) = match seal {
            Seal::None => (address.to_string(), None),
            Seal::Tls => (format!("gpu7@{address}"), Some(identity())),
        };
        Network { address, identity, keys: agreed(), listener, accepted: Mutex::new(accepted) }
    }

    fn dial(&self) -> Result<Connection, HelloError> {
        dial(&self.address, &resolve(&self.address)?, PATIENT.broken)
    }

    fn next(&self, wait: Duration) -> Option<TcpStream> {
        self.accepted.lock().recv_timeout(wait).ok()
    }

    fn accept(&self, stream: TcpStream) -> io::Result<Connection> {
        let Some(identity) = self.identity else { return Ok(Connection::Tcp(stream)) };
        let keys = tls::answer(&stream, identity, Deadline::after(PATIENT.broken))?;
        Ok(Connection::Tls(Tls::new(stream, keys).into()))
    }

    /// Returns both ends of the next connection.
    fn pipes(&self) -> Result<(Pipe, Pipe), HelloError> {
        std::thread::scope(|scope| {
            let far = scope
                .spawn(|| self.accept(self.next(PATIENT.broken).ok_or(io::ErrorKind::TimedOut)?));
            let near = self.dial();
            Ok((near?.into_pipe()?, far.join().unwrap()?.into_pipe()?))
        })
    }

    /// Returns a lane for each side.
    fn lanes(&self, grace: Grace) -> (Lane, Lane, Arc<Bell>) {
        let bell = Arc::<Bell>::default();
        // A connection that breaks at its first byte may break before it is complete.
        let (near, far) = std::iter::repeat_with(|| self.pipes())
            .take(CONNECTIONS_MAX)
            .find_map(Result::ok)
            .unwrap();
        (tcp::lane(near, grace, bell.clone()), tcp::lane(far, grace, Arc::default()), bell)
    }
}

impl Network {
    /// Makes the client call again for its lane.
    fn call_again(&self, line: &Arc<Line>, attempt: u64) -> Result<(), HelloError> {
        rejoin(&self.address, ([7; 16], &self.keys.0), (0, attempt), line, Duration::from_secs(5))
    }

    /// Makes the client call again for its lane, and the worker answer.
    fn call_for(&self, near: &Arc<Line>, far: &Line, attempt: u64) -> Result<(), HelloError> {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| self.serve(far, || done.load(SeqCst)));
            let called = self.call_again(near, attempt);
            done.store(true, SeqCst);
            called
        })
    }

    /// Answers calls for the worker's lane until `is_done` returns true. As on a node, each
    /// connection has its own thread, so a connection that its client gave up delays no other.
    fn serve(&self, line: &Line, is_done: impl Fn() -> bool) {
        std::thread::scope(|scope| {
            while !is_done() {
                if let Some(stream) = self.next(ACCEPT_WAIT) {
                    scope.spawn(|| self.answer(stream, line));
                }
            }
        });
    }

    /// Treats a connection for a lane as a node and the lane's worker do.
    fn answer(&self, stream: TcpStream, line: &Line) -> Result<(), HelloError> {
        let mut connection = self.accept(stream)?;
        let (_, body) = connection.read_message(Deadline::after(Duration::from_secs(5)))?;
        let call: Rejoin = Reader::new(&body).whole().map_err(HandshakeError::from)?;
        Ok(answer_rejoin(connection, &self.keys.1, line, &call)?)
    }
}

/// Returns the bytes of a side's message `number`.
fn message(seed: u64, number: u64, large: usize) -> Vec<u8> {
    let mut random = Random(seed ^ number << 20);
    let bytes = if random.below(8) == 0 {
        random.below(large as u64) as usize
    } else {
        random.below(200) as usize
    } + 1;
    (0..bytes).map(|i| (i as u64 ^ number ^ seed) as u8).collect()
}

fn speak(lane: &mut LaneWriter, seed: u64, count: u64, large: usize) -> Result<(), LaneError> {
    (0..count).try_for_each(|number| {
        let body = message(seed, number, large);
        lane.write(&[&(body.len() as u32).to_le_bytes(), &body])
    })
}

fn listen(lane: &mut LaneReader, seed: u64, count: u64, large: usize) {
    for number in 0..count {
        let mut length = [0; 4];
        lane.exact(&mut length).unwrap_or_else(|e| panic!("message {number}: {e}"));
        let body = lane
            .body(u32::from_le_bytes(length) as usize)
            .unwrap_or_else(|e| panic!("message {number}: {e}"));
        assert!(body == message(seed, number, large), "message {number} came otherwise");
    }
}

/// Lets both sides send and receive at once while the network breaks. All data must arrive, once
/// and in order.
fn converse(cuts: Vec<Cut>, seal: Seal, count: u64, large: usize) {
    let network = Network::new(cuts, seal);
    let (near, far, bell) = network.lanes(PATIENT);
    let (near_line, far_line) = (near.line.clone().unwrap(), far.line.clone().unwrap());
    let (
        Lane { reader: near_reader, writer: mut near_writer, .. },
        Lane { reader: far_reader, writer: mut far_writer, .. },
    ) = (near, far);
    let (done, readers_done) = (AtomicBool::new(false), AtomicUsize::new(0));
    // After all messages, the reader continues to read, as a lane's reader does.
    let read_all = |mut reader: LaneReader, seed| {
        listen(&mut reader, seed, count, large);
        readers_done.fetch_add(1, SeqCst);
        assert!(reader.body(1).is_err(), "nothing more was said");
    };
    std::thread::scope(|scope| {
        scope.spawn(|| network.serve(&far_line, || done.load(SeqCst)));
        scope.spawn(|| {
            let (mut rings, mut attempt) = (0, 0);
            while !done.load(SeqCst) {
                rings = bell.wait(rings, Duration::from_millis(5));
                while near_line.broken_for().is_some() && !done.load(SeqCst) {
                    attempt += 1;
                    let _ = network.call_again(&near_line, attempt);
                }
            }
        });
        let threads = [
            scope.spawn(move || speak(&mut near_writer, 1, count, large).unwrap()),
            scope.spawn(move || speak(&mut far_writer, 2, count, large).unwrap()),
            scope.spawn(|| read_all(near_reader, 2)),
            scope.spawn(|| read_all(far_reader, 1)),
        ];
        while readers_done.load(SeqCst) < 2
            && !threads[2..].iter().any(|thread| thread.is_finished())
        {
            std::thread::sleep(Duration::from_micros(200));
        }
        done.store(true, SeqCst);
        [&near_line, &far_line]
            .iter()
            .for_each(|line| line.end(io::ErrorKind::UnexpectedEof.into()));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

/// Returns the distance between two bytes at which a connection breaks. It is larger when
/// OUTHAUL_CUTS asks for fewer cuts than usual, as with a sanitizer.
fn step() -> usize {
    if seeded_simulation::asked("OUTHAUL_CUTS").is_some_and(|cuts| cuts < seeded_simulation::CUTS) {
        7
    } else {
        1
    }
}

/// Returns every kind of cut after `bytes` bytes.
fn cuts_at(bytes: usize) -> impl Iterator<Item = Cut> {
    let hows = [How::Resets, How::InOrder, How::Flips];
    [true, false]
        .into_iter()
        .flat_map(move |towards_server| hows.map(|how| Cut { towards_server, bytes, how }))
}

#[test]
fn nothing_is_lost_and_nothing_repeated_whichever_byte_a_connection_breaks_at() {
    (0..400)
        .step_by(step())
        .flat_map(cuts_at)
        .for_each(|cut| converse(vec![cut], Seal::None, 6, 40));
}

#[test]
fn nothing_is_lost_and_nothing_repeated_whichever_byte_of_its_beginning_the_next_one_breaks_at() {
    let first = Cut { towards_server: true, bytes: 30, how: How::Resets };
    (0..220)
        .step_by(step())
        .flat_map(cuts_at)
        .for_each(|cut| converse(vec![first, cut], Seal::None, 6, 40));
}

/// The connection breaks in TLS's handshake, in the messages of a new call, or in the first
/// records.
#[test]
fn nothing_is_lost_and_nothing_repeated_whichever_byte_a_sealed_connection_breaks_at() {
    let first = Cut { towards_server: true, bytes: TLS_HANDSHAKE_BYTES_MAX + 40, how: How::Resets };
    let cuts = (0..TLS_HANDSHAKE_BYTES_MAX)
        .step_by(13 * step())
        .flat_map(cuts_at)
        .filter(|cut| cut.how != How::Flips);
    cuts.for_each(|cut| converse(vec![first, cut], Seal::Tls, 20, 400));
}

#[test]
fn nothing_is_lost_and_nothing_repeated_however_often_connections_break() {
    break_often(0..40, Seal::None);
}

#[test]
fn nothing_is_lost_and_nothing_repeated_however_often_sealed_connections_break() {
    break_often(0..20, Seal::Tls);
}

fn break_often(seeds: std::ops::Range<u64>, seal: Seal) {
    for seed in seeds.step_by(step()) {
        let mut random = Random(seed);
        // The first connection must succeed, and TLS notices a changed bit by itself. A line ends
        // if its network changes too many bits.
        let (handshake_bytes, mut flips_left) = if seal == Seal::Tls {
            (TLS_HANDSHAKE_BYTES_MAX, 0)
        } else {
            (0, status::CORRUPTIONS_MAX - 1)
        };
        let cuts = (0..30)
            .map(|number| {
                let bytes =
                    if random.below(3) == 0 { random.below(200) } else { random.below(300_000) }
                        as usize;
                let how = match random.below(3) {
                    0 if flips_left > 0 => {
                        flips_left -= 1;
                        How::Flips
                    }
                    1 => How::InOrder,
                    _ => How::Resets,
                };
                Cut {
                    towards_server: random.below(2) == 0,
                    bytes: if number == 0 { handshake_bytes + bytes } else { bytes },
                    how,
                }
            })
            .collect();
        converse(cuts, seal, 150, 400_000);
    }
}

#[test]
fn a_line_without_a_new_connection_is_over_after_its_grace() {
    let grace = Duration::from_millis(200);
    let network =
        Network::new(vec![Cut { towards_server: true, bytes: 30, how: How::InOrder }], Seal::None);
    let (near, mut far, _) = network.lanes(Grace::of(grace));
    let (line, mut writer) = (near.line.unwrap(), near.writer);
    let start = Instant::now();
    writer.write(&[&[7; 200]]).unwrap();
    assert!(far.reader.body(200).is_err());
    assert!(start.elapsed() >= grace);
    line.check();
    assert!(line.broken_for().is_some());
    // The line keeps data that is written meanwhile. A writer that writes more than fits gets the
    // error.
    let error = std::iter::repeat_with(|| writer.write(&[&[7; 100_000]])).find_map(Result::err);
    assert!(matches!(error, Some(LaneError::Closed)), "{error:?}");
}

/// A worker's command thread does not read while it waits for data that another thread writes.
#[test]
fn a_writer_continues_while_no_thread_reads() {
    const BYTES: usize = 3 * BACKLOG_BYTES_MAX as usize;
    const LESS: usize = BACKLOG_BYTES_MAX as usize / 3;
    for seal in [Seal::None, Seal::Tls] {
        let network = Network::new(Vec::new(), seal);
        let (mut near, mut far, _) = network.lanes(PATIENT);
        let content = |bytes: usize, seed: u8| {
            (0..bytes).map(|i| (i % 251) as u8 ^ seed).collect::<Vec<u8>>()
        };
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(far.reader.body(BYTES).unwrap() == content(BYTES, 1)));
            far.writer.write(&[&content(LESS, 2)]).unwrap();
            near.reader.body(100).unwrap();
            near.writer.write(&[&content(BYTES, 1)]).unwrap();
        });
        assert!(near.reader.body(LESS - 100).unwrap() == content(LESS, 2)[100..]);
        far.writer.write(&[&[3; 10]]).unwrap();
        assert_eq!(near.reader.body(10).unwrap(), [3; 10]);
        let line = near.line.as_ref().unwrap();
        assert!(
            line.incoming().buffer_bytes() < BACKLOG_BYTES_MAX as usize / 16,
            "what was read ahead takes no memory any more"
        );
    }
}

/// The node never waits for another connection, but the client would.
#[test]
fn a_side_without_grace_still_acknowledges() {
    const BYTES: usize = 3 * BACKLOG_BYTES_MAX as usize;
    let network = Network::new(Vec::new(), Seal::None);
    let (near, far) = network.pipes().unwrap();
    let (mut near, mut far) =
        (tcp::lane(near, PATIENT, Arc::default()), tcp::lane(far, Grace::NONE, Arc::default()));
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(far.reader.body(BYTES).unwrap().len(), BYTES));
        near.writer.write(&[&vec![1; BYTES]]).unwrap();
    });
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(near.reader.body(BYTES).unwrap().len(), BYTES));
        far.writer.write(&[&vec![2; BYTES]]).unwrap();
    });
}

#[test]
fn a_side_does_not_wait_after_a_goodbye() {
    let network = Network::new(Vec::new(), Seal::None);
    let (near, mut far, _) = network.lanes(PATIENT);
    let mut writer = near.writer;
    writer.write(&[&[7; 200]]).unwrap();
    assert!(near.life.send_goodbye());
    assert_eq!(far.reader.body(200).unwrap(), [7; 200]);
    let start = Instant::now();
    assert!(matches!(far.reader.body(1), Err(LaneError::Closed)));
    assert!(start.elapsed() < PATIENT.broken / 4);
}

/// Otherwise the node would wait for a client that ends while it waits for a connection.
#[test]
fn a_goodbye_is_sent_after_reconnection() {
    let network = Network::new(Vec::new(), Seal::None);
    let (near, mut far, _) = network.lanes(PATIENT);
    let (near_line, far_line) = (near.line.clone().unwrap(), far.line.clone().unwrap());
    near_line.interrupt();
    assert!(!near.life.send_goodbye());
    network.call_for(&near_line, &far_line, 1).unwrap();
    // The goodbye fails while another thread resends lost data.
    let start = Instant::now();
    while !near.life.send_goodbye() {
        assert!(start.elapsed() < PATIENT.broken / 4);
        std::thread::yield_now();
    }
    assert!(matches!(far.reader.body(1), Err(LaneError::Closed)));
    near_line.end(io::ErrorKind::UnexpectedEof.into());
    assert!(near.life.send_goodbye(), "what is over needs none");
}

/// Otherwise the thread that reconnects several lanes could not reconnect the next lane, on which
/// the worker's next message may come.
#[test]
fn a_reconnecting_client_does_not_wait_until_resent_data_is_read() {
    const BYTES: usize = BACKLOG_BYTES_MAX as usize * 9 / 10;
    let network = Network::new(Vec::new(), Seal::None);
    let (near, mut far, _) = network.lanes(PATIENT);
    let (near_line, far_line) = (near.line.clone().unwrap(), far.line.clone().unwrap());
    near_line.interrupt();
    let mut writer = near.writer;
    writer.write(&[&vec![7; BYTES]]).unwrap();
    let called = Instant::now();
    network.call_for(&near_line, &far_line, 1).unwrap();
    assert!(called.elapsed() < PATIENT.broken / 4 && near_line.broken_for().is_none());
    assert_eq!(far.reader.body(BYTES).unwrap(), vec![7; BYTES]);
}

#[test]
fn an_outdated_connection_is_refused() {
    let network = Network::new(Vec::new(), Seal::None);
    let (near, far, _) = network.lanes(PATIENT);
    let (near, far) = (near.line.unwrap(), far.line.unwrap());
    network.call_for(&near, &far, 2).unwrap();
    assert_eq!(far.freeze_for(1), None);
    assert!(far.stream().is_some(), "and the line goes on");
    assert_eq!(far.freeze_for(2), None);
    assert!(far.freeze_for(3).is_some());
}

#[test]
fn an_acknowledgement_of_unsent_bytes_ends_the_line() {
    let network = Network::new(Vec::new(), Seal::None);
    let (near, far, _) = network.lanes(PATIENT);
    let mut writer = near.writer;
    writer.write(&[&[7; 200]]).unwrap();
    let line = near.line.unwrap();
    let frozen = line.freeze().unwrap();
    let (one, _other) = network.pipes().unwrap();
    assert!(line.install(one, frozen, 100_000).is_err());
    assert!(writer.write(&[&[7; 200]]).is_err());
    drop(far);
}

#[test]
fn a_later_attempt_replaces_an_earlier_one() {
    let network = Network::new(Vec::new(), Seal::None);
    let (near, far, _) = network.lanes(PATIENT);
    let mut writer = near.writer;
    writer.write(&[&[7; 200]]).unwrap();
    let line = near.line.unwrap();
    let first = line.freeze().unwrap();
    let second = line.freeze().unwrap();
    let ((late, _other), (next, there)) = (network.pipes().unwrap(), network.pipes().unwrap());
    let mut there = &*there.stream;
    line.install(next, second, 0).unwrap();
    line.install(late, first, 0).unwrap();
    let mut sent_again = vec![0; 200];
    there.read_exact(&mut sent_again).unwrap();
    writer.write(&[&[8; 200]]).unwrap();
    let mut rest = vec![0; 2 * 216 - 200];
    there.read_exact(&mut rest).unwrap();
    assert!(rest.ends_with(&[8; 200]), "both went to the one that came");
    drop(far);
}

#[test]
fn a_network_that_corrupts_all_data_is_given_up() {
    // Each connection breaks after the messages of the client's new call.
    let cuts = vec![Cut { towards_server: true, bytes: 160, how: How::Flips }; 100];
    let network = Network::new(cuts, Seal::None);
    let (near, far, bell) = network.lanes(PATIENT);
    let (near_line, far_line) = (near.line.unwrap(), far.line.unwrap());
    let (mut writer, mut reader, mut near_reader) = (near.writer, far.reader, near.reader);
    writer.write(&[&[7; 200]]).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| network.serve(&far_line, || far_line.is_over()));
        scope.spawn(|| while near_reader.body(1).is_ok() {});
        scope.spawn(|| {
            let mut attempt = 0;
            while !far_line.is_over() {
                bell.wait(0, Duration::from_millis(5));
                if near_line.broken_for().is_some() {
                    attempt += 1;
                    let _ = network.call_again(&near_line, attempt);
                }
            }
            near_line.end(io::ErrorKind::UnexpectedEof.into());
        });
        let read = reader.body(200);
        far_line.end(io::ErrorKind::UnexpectedEof.into());
        let error = read.unwrap_err().to_string();
        assert!(error.contains("changed on their way"), "{error}");
    });
}

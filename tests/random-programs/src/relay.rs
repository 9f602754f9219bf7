//! A relay between client and node that imitates a network. It delays each connection
//! independently, so that lanes overtake each other. It also breaks connections after a random
//! number of bytes.

use crate::arguments::Relay;
use crate::random::Random;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Maximum number of bytes to forward at once.
const PIECE_BYTES: usize = 64 << 10;
/// Factor between a long delay and a usual delay.
const LONG: u64 = 10;
/// Maximum time in milliseconds for which a connection discards data before it breaks.
const SILENCE_MS_MAX: u64 = 200;
/// Percentage of connections that break within the first `FEW_BYTES` bytes.
const FEW_PERCENT: usize = 10;
const FEW_BYTES: u64 = 200;
/// Number of cuts between two lines that report the total.
const CUTS_PER_LINE: u64 = 10;

/// First bytes of a connection to a node.
const MAGIC: &[u8] = b"OUTHAUL\n";
/// Kind of the message that begins a session.
const HELLO: u8 = 1;
/// First byte of a TLS connection, whose content the relay cannot read.
const TLS_HANDSHAKE: u8 = 22;
/// Upper bound on the size of a hello or welcome, encrypted or not.
const HELLO_BYTES: u64 = 16 << 10;

static CUTS: AtomicU64 = AtomicU64::new(0);

/// One direction of a connection.
struct Course {
    from: TcpStream,
    to: TcpStream,
    random: Random,
    delay_us: u64,
    /// Number of bytes until the connection breaks.
    bytes_left: u64,
}

/// Accepts connections and relays them to the node.
pub fn serve(relay: &Relay) -> Result<(), String> {
    let listener =
        TcpListener::bind(&relay.listen).map_err(|e| format!("{}: {e}", relay.listen))?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    println!("relaying to {} on {address}", relay.to);
    let mut seed = relay.seed;
    for client in listener.incoming() {
        let Ok(client) = client else { continue };
        let Ok(node) = TcpStream::connect(&relay.to) else { continue };
        seed = seed.wrapping_add(2);
        let (delay_us, cut_bytes) = (relay.delay_us, relay.cut_bytes);
        std::thread::spawn(move || relay_one(&client, &node, (delay_us, cut_bytes), seed));
    }
    Ok(())
}

fn relay_one(client: &TcpStream, node: &TcpStream, (delay_us, cut_bytes): (u64, u64), seed: u64) {
    // Outhaul does not guarantee that a session begins if its connections break at that time.
    let first = if begins_session(client) { HELLO_BYTES } else { 0 };
    for (way, (from, to)) in [(client, node), (node, client)].into_iter().enumerate() {
        let (Ok(from), Ok(to)) = (from.try_clone(), to.try_clone()) else { return };
        let mut random = Random::new(seed + way as u64);
        let bytes_left =
            if cut_bytes == 0 { u64::MAX } else { first + bytes_until_cut(&mut random, cut_bytes) };
        let course = Course { from, to, random, delay_us, bytes_left };
        std::thread::spawn(move || course.run());
    }
}

/// Returns whether the client's first message is, or may be, a hello. Waits for the message.
fn begins_session(client: &TcpStream) -> bool {
    let mut first = [0; MAGIC.len() + 1];
    while let Ok(bytes @ 1..) = client.peek(&mut first) {
        if first[0] == TLS_HANDSHAKE {
            return true;
        }
        if bytes == first.len() {
            return first.starts_with(MAGIC) && first[MAGIC.len()] == HELLO;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Returns the number of bytes after which a connection breaks. The number is occasionally small,
/// so that connections also break near their start.
fn bytes_until_cut(random: &mut Random, bytes_max: u64) -> u64 {
    let limit = if random.percent(FEW_PERCENT) { FEW_BYTES.min(bytes_max) } else { bytes_max };
    random.next() % (limit + 1)
}

impl Course {
    fn run(mut self) {
        let _ = self.to.set_nodelay(true);
        let mut piece = vec![0; PIECE_BYTES];
        // Reads pieces of any size, so that frames arrive in parts.
        while self.bytes_left > 0 {
            let room = piece.len().min(usize::try_from(self.bytes_left).unwrap_or(usize::MAX));
            let Ok(bytes @ 1..) = self.from.read(&mut piece[..room]) else { return self.end() };
            self.bytes_left -= bytes as u64;
            self.wait();
            if self.to.write_all(&piece[..bytes]).is_err() {
                return self.end();
            }
        }
        self.cut(&mut piece);
    }

    fn wait(&mut self) {
        let delay = match self.random.below(100) {
            0..50 => 0,
            50..98 => self.random.next() % (self.delay_us + 1),
            _ => self.random.next() % (LONG * self.delay_us + 1),
        };
        if delay > 0 {
            std::thread::sleep(Duration::from_micros(delay));
        }
    }

    /// Ends this direction of the connection after one side has ended it.
    fn end(self) {
        let _ = self.to.shutdown(Shutdown::Write);
        let _ = self.from.shutdown(Shutdown::Read);
    }

    /// Resets the connection, closes it normally, or closes one direction. Sometimes discards data
    /// for a while first.
    fn cut(mut self, piece: &mut [u8]) {
        let cuts = 1 + CUTS.fetch_add(1, Relaxed);
        if cuts.is_multiple_of(CUTS_PER_LINE) {
            eprintln!("{cuts} connections cut");
        }
        let way = self.random.below(4);
        if way == 0 {
            let silence = Duration::from_millis(1 + self.random.next() % SILENCE_MS_MAX);
            let _ = self.from.set_read_timeout(Some(silence));
            while matches!(self.from.read(piece), Ok(1..)) {}
        }
        if way == 1 {
            return self.end();
        }
        if way < 3 {
            [&self.from, &self.to].into_iter().for_each(reset_on_close);
        }
        [&self.from, &self.to].into_iter().for_each(|end| drop(end.shutdown(Shutdown::Both)));
    }
}

fn reset_on_close(stream: &TcpStream) {
    let linger = libc::linger { l_onoff: 1, l_linger: 0 };
    let length = size_of::<libc::linger>() as libc::socklen_t;
    // SAFETY: the descriptor is open, and the option takes a linger.
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

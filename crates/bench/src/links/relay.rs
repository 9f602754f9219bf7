//! A simulated link: accepts connections and passes their bytes on after a fixed time. All bytes of
//! one direction together have at most a given rate. The relay needs no privileges. It passes on a
//! stream's bytes, so there is neither loss nor congestion. The measured round trip includes the
//! relay's own delay.

use crate::error::Error;
use outhaul_lock::Mutex;
use outhaul_transport::tune;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

/// Maximum number of directions. Each connection has two, and each direction has two threads.
const DIRECTIONS_MAX: usize = 512;
/// Maximum number of pieces in flight in one direction of one connection: 16 MiB.
const PIECES_MAX: usize = 256;
const PIECE_BYTES: usize = 64 << 10;
/// Maximum time by which the relay reserves the rate in advance, at least as long as a switch's
/// queue. Further bytes wait at their senders, so that connections share the rate fairly.
const BACKLOG_MAX: Duration = Duration::from_millis(2);
/// Length of the spin at the end of a wait, because a sleep ends late.
const AWAKE: Duration = Duration::from_micros(60);

/// Pass connections on, later and slower: a link for experiments.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  outhaul bench relay --to gpu7:7654 --link 1g+rtt:5ms --listen 127.0.0.1:7000
  OUTHAUL_TRANSPORT=tcp outhaul run --node 127.0.0.1:7000 -- ./program")]
pub struct Arguments {
    /// Address to listen on. Port 0 picks a free port.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Address to which the relay passes connections on.
    #[arg(long, value_name = "HOST:PORT")]
    to: String,
    /// Rate and delay of the link, as in 10g+rtt:200us.
    #[arg(long)]
    link: super::link::LinkKind,
}

struct RelayedBytes {
    due: Instant,
    /// Buffer for a whole piece. Only its first `count` bytes belong to this piece.
    bytes: Vec<u8>,
    count: usize,
}

/// One direction of the link, shared by all connections.
struct Direction {
    bits_per_s: Option<f64>,
    delay: Duration,
    /// The time at which all bytes reserved so far have left.
    free: Mutex<Instant>,
}

/// Runs the relay until its process is killed.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let failed =
        |error| Error::Io { doing: format!("cannot relay on {}", arguments.listen), error };
    let listener = TcpListener::bind(arguments.listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    println!("outhaul: relaying to {} on {address}", arguments.to);
    let direction = || {
        Arc::new(Direction::new(
            arguments.link.bits_per_s,
            arguments.link.delay.unwrap_or_default(),
        ))
    };
    let (there, back) = (direction(), direction());
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(near) = stream else { continue };
        if open.load(Ordering::SeqCst) >= DIRECTIONS_MAX {
            continue;
        }
        match TcpStream::connect(&arguments.to) {
            Ok(far) => join(near, far, &there, &back, &open).map_err(failed)?,
            Err(error) => eprintln!("outhaul: cannot reach {}: {error}", arguments.to),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Passes bytes both ways until either side ends.
fn join(
    near: TcpStream,
    far: TcpStream,
    there: &Arc<Direction>,
    back: &Arc<Direction>,
    open: &Arc<AtomicUsize>,
) -> std::io::Result<()> {
    tune(&near)?;
    tune(&far)?;
    for (from, to, direction) in [(near.try_clone()?, far.try_clone()?, there), (far, near, back)] {
        let (give, take) = sync_channel(PIECES_MAX);
        // The threads reuse buffers, because allocating one costs as much as filling it.
        let (give_back, take_back) = channel();
        let direction = direction.clone();
        std::thread::spawn(move || read(from, &direction, &give, &take_back));
        let open = open.clone();
        open.fetch_add(1, Ordering::SeqCst);
        std::thread::spawn(move || {
            write(to, &take, &give_back);
            open.fetch_sub(1, Ordering::SeqCst);
        });
    }
    Ok(())
}

impl Direction {
    fn new(bits_per_s: Option<f64>, delay: Duration) -> Direction {
        Direction { bits_per_s, delay, free: Mutex::new(Instant::now()) }
    }

    /// Returns when the last of `bytes` bytes that arrive `now` is due at the other side.
    fn due(&self, bytes: usize, now: Instant) -> Instant {
        let Some(bits_per_s) = self.bits_per_s else { return now + self.delay };
        let mut free = self.free.lock();
        *free = now.max(*free) + Duration::from_secs_f64(bytes as f64 * 8.0 / bits_per_s);
        *free + self.delay
    }

    /// Returns when the relay may read more bytes from a sender.
    fn open_from(&self) -> Option<Instant> {
        self.bits_per_s?;
        let free = *self.free.lock();
        free.checked_sub(BACKLOG_MAX)
    }
}

fn read(
    mut from: TcpStream,
    direction: &Direction,
    give: &SyncSender<RelayedBytes>,
    empty: &Receiver<Vec<u8>>,
) {
    loop {
        if let Some(when) = direction.open_from() {
            std::thread::sleep(when.saturating_duration_since(Instant::now()));
        }
        let mut bytes = empty.try_recv().unwrap_or_else(|_| vec![0; PIECE_BYTES]);
        match from.read(&mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(count) => {
                let due = direction.due(count, Instant::now());
                if give.send(RelayedBytes { due, bytes, count }).is_err() {
                    return;
                }
            }
        }
    }
}

/// Writes pieces until there are no more, and then closes the stream for writing.
fn write(mut to: TcpStream, take: &Receiver<RelayedBytes>, empty: &Sender<Vec<u8>>) {
    for piece in take {
        wait_until(piece.due);
        if to.write_all(&piece.bytes[..piece.count]).is_err() {
            let _ = to.shutdown(Shutdown::Both);
            return;
        }
        // The reading thread may have ended.
        let _ = empty.send(piece.bytes);
    }
    let _ = to.shutdown(Shutdown::Write);
}

/// Sleeps until shortly before `due`, and then spins until `due`.
pub fn wait_until(due: Instant) {
    std::thread::sleep(due.saturating_duration_since(Instant::now()).saturating_sub(AWAKE));
    while Instant::now() < due {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_is_added_to_each_and_a_rate_to_all_in_turn() {
        let now = Instant::now();
        let delayed = Direction::new(None, Duration::from_micros(100));
        assert_eq!(
            (delayed.due(1 << 20, now) - now, delayed.due(1, now) - now),
            (Duration::from_micros(100), Duration::from_micros(100))
        );
        let shaped = Direction {
            free: Mutex::new(now),
            ..Direction::new(Some(8e6), Duration::from_millis(1))
        };
        assert_eq!(shaped.due(1000, now) - now, Duration::from_millis(2));
        assert_eq!(shaped.due(1000, now) - now, Duration::from_millis(3));
        // An idle link saves no rate for later.
        assert_eq!(
            shaped.due(1000, now + Duration::from_secs(1)) - now,
            Duration::from_millis(1002)
        );
    }
}

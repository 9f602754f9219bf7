//! A long cable between two network namespaces. The cable carries packets from one side's Linux
//! network stack to the other's after a fixed time, at most at a given rate. Whole packets travel,
//! so both stacks apply their own windows, acknowledgements and congestion control, and notice the
//! delay. A relay, in contrast, ends TCP on each side. Needs /dev/net/tun. Loses no packets, except
//! those that exceed the queue before the rate limit.

use super::relay::wait_until;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

/// Maximum bytes of a packet with its virtio_net header. Linux passes several segments of a
/// connection as one large packet.
const PACKET_BYTES_MAX: usize = 10 + 65_536;
/// Maximum number of packets in transit in one direction.
const PACKETS_MAX: usize = 65_536;
/// Time that packets may wait before a rate limit. The queue holds at least `QUEUE_BYTES_MIN`
/// bytes. Packets beyond the queue are lost, as in a switch.
const QUEUE: Duration = Duration::from_millis(20);
const QUEUE_BYTES_MIN: f64 = 2_000_000.0;
/// Milliseconds between a reader's checks whether the cable still exists.
const POLL_MS: i32 = 100;
const OFFLOADS: libc::c_ulong =
    (libc::TUN_F_CSUM | libc::TUN_F_TSO4 | libc::TUN_F_TSO6) as libc::c_ulong;

/// A running cable. Dropping it ends the cable.
pub struct Cable {
    cut: Arc<AtomicBool>,
}

struct Packet {
    due: Instant,
    /// Buffer for the largest packet. Only its first `count` bytes belong to this packet.
    bytes: Vec<u8>,
    count: usize,
}

impl Cable {
    /// Joins two devices. `bits_per_s` and `delay` apply to each direction.
    pub fn between(ends: [File; 2], bits_per_s: Option<f64>, delay: Duration) -> io::Result<Cable> {
        let cut = Arc::new(AtomicBool::new(false));
        let [one, other] = ends;
        for (from, to) in [(one.try_clone()?, other.try_clone()?), (other, one)] {
            let (give, take) = sync_channel(PACKETS_MAX);
            // The threads reuse buffers, because allocating one costs as much as filling it.
            let (give_back, take_back) = channel();
            let cut = cut.clone();
            std::thread::spawn(move || {
                carry(&from, &mut CableDirection::new(bits_per_s, delay), &give, &take_back, &cut)
            });
            std::thread::spawn(move || deliver(to, &take, &give_back));
        }
        Ok(Cable { cut })
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        self.cut.store(true, Ordering::Relaxed);
    }
}

/// Creates a cable's end, a device, in the calling thread's namespace.
pub fn end(name: &str) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).open("/dev/net/tun")?;
    // SAFETY: all zeros are a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request
        .ifr_name
        .iter_mut()
        .zip(name.bytes())
        .for_each(|(place, byte)| *place = byte as libc::c_char);
    request.ifr_ifru.ifru_flags =
        (libc::IFF_TUN | libc::IFF_NO_PI | libc::IFF_VNET_HDR) as libc::c_short;
    // SAFETY: the descriptor is open; the first call reads a local, and the second takes a number.
    let made = unsafe {
        libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw const request) == 0
            && libc::ioctl(file.as_raw_fd(), libc::TUNSETOFFLOAD, OFFLOADS) == 0
    };
    if made { Ok(file) } else { Err(io::Error::last_os_error()) }
}

/// One direction of a cable.
struct CableDirection {
    bits_per_s: Option<f64>,
    delay: Duration,
    queue_max: Duration,
    /// The time at which all packets accepted so far have left the queue.
    free: Instant,
}

impl CableDirection {
    fn new(bits_per_s: Option<f64>, delay: Duration) -> CableDirection {
        let queue_max = bits_per_s
            .map_or(QUEUE, |rate| QUEUE.max(Duration::from_secs_f64(QUEUE_BYTES_MIN * 8.0 / rate)));
        CableDirection { bits_per_s, delay, queue_max, free: Instant::now() }
    }

    /// Returns when a packet that arrives `now` is due at the other side. Returns none if the queue
    /// is full.
    fn due(&mut self, bytes: usize, now: Instant) -> Option<Instant> {
        let Some(bits_per_s) = self.bits_per_s else { return Some(now + self.delay) };
        let start = now.max(self.free);
        if start - now > self.queue_max {
            return None;
        }
        self.free = start + Duration::from_secs_f64(bytes as f64 * 8.0 / bits_per_s);
        Some(self.free + self.delay)
    }
}

fn carry(
    mut from: &File,
    way: &mut CableDirection,
    give: &SyncSender<Packet>,
    empty: &Receiver<Vec<u8>>,
    cut: &AtomicBool,
) {
    while !cut.load(Ordering::Relaxed) {
        let mut poll = libc::pollfd { fd: from.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: `poll` is a local, and the only entry.
        if unsafe { libc::poll(&mut poll, 1, POLL_MS) } <= 0 {
            continue;
        }
        let mut bytes = empty.try_recv().unwrap_or_else(|_| vec![0; PACKET_BYTES_MAX]);
        let Ok(count) = from.read(&mut bytes) else { return };
        let Some(due) = way.due(count, Instant::now()) else { continue };
        if give.send(Packet { due, bytes, count }).is_err() {
            return;
        }
    }
}

fn deliver(mut to: File, take: &Receiver<Packet>, empty: &Sender<Vec<u8>>) {
    for packet in take {
        wait_until(packet.due);
        // A packet that the other side rejects is lost.
        let _ = to.write(&packet.bytes[..packet.count]);
        let _ = empty.send(packet.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_drops_packets() {
        let now = Instant::now();
        let mut way = CableDirection {
            free: now,
            ..CableDirection::new(Some(8e6), Duration::from_millis(15))
        };
        assert_eq!(way.due(1000, now), Some(now + Duration::from_millis(16)));
        let taken = (0..10_000).filter(|_| way.due(1000, now).is_some()).count();
        assert!(
            (1900..=2100).contains(&taken),
            "{taken} of 1,000 bytes where two million have room"
        );
        assert_eq!(
            CableDirection::new(None, Duration::from_millis(75)).due(1 << 20, now),
            Some(now + Duration::from_millis(75))
        );
    }
}

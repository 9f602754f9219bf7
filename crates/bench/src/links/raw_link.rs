//! Measures a link without Outhaul: the round trip of a small message, and the rate of a stream. A
//! stream uses as many connections as a session has bulk lanes. At the far end, a process of this
//! binary echoes, receives or sends.

use crate::error::Error;
use outhaul_transport::tune;
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const ROUND_TRIPS: usize = 301;
const ROUND_TRIPS_SECONDS_MAX: f64 = 1.0;
const MESSAGE_BYTES: usize = 64;
/// Bytes of the first stream, which suffice to estimate the rate. Several streams of about
/// `STREAM_SECONDS` follow. The fastest one counts, because a link that carried a rate once can
/// carry it again.
const FIRST_BYTES: u64 = 4 << 20;
const STREAMS: usize = 3;
const STREAM_SECONDS: f64 = 0.2;
/// Minimum length of a stream in round trips, because connections start slowly and reach the link's
/// rate only after several round trips.
const STREAM_ROUND_TRIPS: f64 = 20.0;
const STREAM_BYTES_MAX: u64 = 4 << 30;
const CHUNK_BYTES: usize = 1 << 20;
const CONNECTIONS_MAX: u64 = 64;
const PATIENCE: Duration = Duration::from_secs(30);

/// The measured round trip and rates of a link.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Reach {
    pub round_trip_us: f64,
    pub to_node_bytes_per_s: f64,
    pub to_client_bytes_per_s: f64,
}

/// Serve at the far end of a link for its measurement; `outhaul bench` starts this command.
#[derive(clap::Args)]
pub struct FarEnd {
    /// Address to listen on.
    #[arg(long)]
    listen: SocketAddr,
}

/// Measure a link to a far end; `outhaul bench` starts this command.
#[derive(clap::Args)]
pub struct NearEnd {
    /// Address of the far end.
    #[arg(long)]
    to: String,
    /// Number of connections per stream.
    #[arg(long)]
    connections: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Request {
    Echo = b'e' as isize,
    EchoAwake = b'a' as isize,
    Swallow = b's' as isize,
    Pour = b'p' as isize,
}

fn failed(doing: &str) -> impl FnOnce(std::io::Error) -> Error {
    move |error| Error::Io { doing: doing.into(), error }
}

/// Serves until a signal ends the process.
pub fn far_end(arguments: &FarEnd) -> Result<ExitCode, Error> {
    let listener =
        TcpListener::bind(arguments.listen).map_err(failed("cannot listen for the measurement"))?;
    println!(
        "outhaul: measuring on {}",
        listener.local_addr().map_err(failed("cannot listen for the measurement"))?
    );
    let open = std::sync::Arc::new(AtomicU64::new(0));
    for stream in listener.incoming().flatten() {
        let open = open.clone();
        if open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS_MAX {
            open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        std::thread::spawn(move || {
            // Errors appear at the near end, which reports them.
            let _ = grant(stream);
            open.fetch_sub(1, Ordering::SeqCst);
        });
    }
    Ok(ExitCode::SUCCESS)
}

fn grant(mut stream: TcpStream) -> std::io::Result<()> {
    tune(&stream)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let (mut request, mut bytes) = ([0], [0; 8]);
    stream.read_exact(&mut request)?;
    stream.read_exact(&mut bytes)?;
    let bytes = u64::from_le_bytes(bytes).min(STREAM_BYTES_MAX);
    match request[0] {
        kind @ (b'e' | b'a') => {
            stream.set_nonblocking(kind == Request::EchoAwake as u8)?;
            let mut message = [0; MESSAGE_BYTES];
            while receive(&mut stream, &mut message).is_ok() {
                stream.write_all(&message)?;
            }
            Ok(())
        }
        b's' => {
            swallow(&mut stream, bytes)?;
            stream.write_all(&[1])
        }
        _ => pour(&mut stream, bytes),
    }
}

/// Reads a whole message. On a non-blocking stream, spins instead of sleeping.
fn receive(stream: &mut TcpStream, message: &mut [u8]) -> std::io::Result<()> {
    let (start, mut have) = (Instant::now(), 0);
    while have < message.len() {
        match stream.read(&mut message[have..]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => have += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock && start.elapsed() < PATIENCE => {
                std::hint::spin_loop()
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn swallow(stream: &mut TcpStream, bytes: u64) -> std::io::Result<()> {
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut left = bytes;
    while left > 0 {
        let most = left.min(CHUNK_BYTES as u64) as usize;
        match stream.read(&mut buffer[..most])? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            count => left -= count as u64,
        }
    }
    Ok(())
}

fn pour(stream: &mut TcpStream, bytes: u64) -> std::io::Result<()> {
    let buffer = vec![7; CHUNK_BYTES];
    let mut left = bytes;
    while left > 0 {
        let count = left.min(CHUNK_BYTES as u64);
        stream.write_all(&buffer[..count as usize])?;
        left -= count;
    }
    Ok(())
}

/// Measures the link and prints the results as JSON.
pub fn near_end(arguments: &NearEnd) -> Result<ExitCode, Error> {
    let reach =
        measure(&arguments.to, arguments.connections).map_err(failed("cannot measure the link"))?;
    println!("{}", serde_json::to_string(&reach).unwrap_or_default());
    Ok(ExitCode::SUCCESS)
}

fn measure(to: &str, connections: usize) -> std::io::Result<Reach> {
    // Spinning is faster if each end has a core of its own, and far slower otherwise.
    let round_trip_us =
        round_trip_us(to, Request::EchoAwake)?.min(round_trip_us(to, Request::Echo)?);
    let stream_s = STREAM_SECONDS.max(STREAM_ROUND_TRIPS * round_trip_us / 1e6);
    let rate = |request| {
        let mut best = stream(to, request, FIRST_BYTES, connections)?;
        for _ in 0..STREAMS {
            let bytes = ((best * stream_s) as u64).clamp(FIRST_BYTES / 2, STREAM_BYTES_MAX);
            best = best.max(stream(to, request, bytes, connections)?);
        }
        Ok::<f64, std::io::Error>(best)
    };
    Ok(Reach {
        round_trip_us,
        to_node_bytes_per_s: rate(Request::Swallow)?,
        to_client_bytes_per_s: rate(Request::Pour)?,
    })
}

fn request(to: &str, request: Request, bytes: u64) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(to)?;
    tune(&stream)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(&[&[request as u8][..], &bytes.to_le_bytes()].concat())?;
    Ok(stream)
}

fn round_trip_us(to: &str, kind: Request) -> std::io::Result<f64> {
    let mut stream = request(to, kind, 0)?;
    let mut message = [1; MESSAGE_BYTES];
    stream.set_nonblocking(kind == Request::EchoAwake)?;
    let mut us = Vec::with_capacity(ROUND_TRIPS);
    let begin = Instant::now();
    while us.len() < ROUND_TRIPS
        && (us.is_empty() || begin.elapsed().as_secs_f64() < ROUND_TRIPS_SECONDS_MAX)
    {
        let start = Instant::now();
        stream.write_all(&message)?;
        receive(&mut stream, &mut message)?;
        us.push(start.elapsed().as_secs_f64() * 1e6);
    }
    us.sort_by(f64::total_cmp);
    Ok(us[us.len() / 2])
}

/// Returns the total rate of all connections, in bytes per second.
fn stream(to: &str, kind: Request, bytes: u64, connections: usize) -> std::io::Result<f64> {
    let each = bytes.div_ceil(connections as u64);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..connections)
            .map(|_| {
                scope.spawn(move || {
                    let mut stream = request(to, kind, each)?;
                    if kind == Request::Pour {
                        return swallow(&mut stream, each);
                    }
                    pour(&mut stream, each)?;
                    stream.read_exact(&mut [0])
                })
            })
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(ErrorKind::Other.into())))
    })?;
    Ok((each * connections as u64) as f64 / start.elapsed().as_secs_f64())
}

/// Measures shared memory: two threads poll a number for the round trip, and `threads` threads copy
/// for the rate.
pub fn measure_memory(threads: usize) -> Reach {
    let bytes_per_s = copy_bytes_per_s(threads);
    Reach {
        round_trip_us: hand_over_us(),
        to_node_bytes_per_s: bytes_per_s,
        to_client_bytes_per_s: bytes_per_s,
    }
}

/// Returns the shortest time of several batches, because another process may use a core during some
/// of them.
fn hand_over_us() -> f64 {
    (0..20).map(|_| batch_of_hand_overs_us()).fold(f64::INFINITY, f64::min)
}

fn batch_of_hand_overs_us() -> f64 {
    const TIMES: u64 = 5000;
    const SPIN_POLLS: u32 = 1000;
    let number = AtomicU64::new(0);
    let wait = |value| {
        // After some polls, this thread yields its core, because the other thread may have none.
        for polls in 0.. {
            match number.load(Ordering::Acquire) {
                found if found == value => return,
                _ if polls < SPIN_POLLS => std::hint::spin_loop(),
                _ => std::thread::yield_now(),
            }
        }
    };
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for i in 0..TIMES {
                wait(2 * i + 1);
                number.store(2 * i + 2, Ordering::Release);
            }
        });
        for i in 0..TIMES {
            number.store(2 * i + 1, Ordering::Release);
            wait(2 * i + 2);
        }
    });
    start.elapsed().as_secs_f64() * 1e6 / TIMES as f64
}

fn copy_bytes_per_s(threads: usize) -> f64 {
    const BYTES: usize = 64 << 20;
    const TIMES: usize = 4;
    let mut places: Vec<(Vec<u8>, Vec<u8>)> =
        (0..threads).map(|_| (vec![1; BYTES], vec![2; BYTES])).collect();
    let start = Instant::now();
    std::thread::scope(|scope| {
        for (from, to) in &mut places {
            scope.spawn(move || {
                (0..TIMES).for_each(|_| to.copy_from_slice(std::hint::black_box(from)))
            });
        }
    });
    (threads * BYTES * TIMES) as f64 / start.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_end_echoes_swallows_and_pours() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            listener
                .incoming()
                .flatten()
                .for_each(|stream| drop(std::thread::spawn(|| grant(stream))))
        });
        let reach = measure(&to, 2).unwrap();
        assert!(
            reach.round_trip_us > 0.0
                && reach.to_node_bytes_per_s > 1e6
                && reach.to_client_bytes_per_s > 1e6,
            "{reach:?}"
        );
    }
}

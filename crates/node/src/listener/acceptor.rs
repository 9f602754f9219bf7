//! Accepted connections that have not sent a hello. One thread waits for all of them, so a silent
//! connection costs only a descriptor for some seconds. When a connection begins its hello, another
//! thread reads it. The number of these threads is limited, and further connections wait.
//!
//! The network and this machine have separate limits, and one address may use only part of a limit.
//! So no caller can block all others. A connection beyond the limits gets a refusal at once.

use crate::listener::descriptor_limit::Descriptors;
use crate::listener::thread_spawning::thread;
use crate::log::log_event;
use crate::worker::io::threads::no_threads;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::Connection;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpListener};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Largest number of connections that have not begun their hello, for the network and for this
/// machine separately.
const PENDING_MAX: usize = 16_384;
/// Largest number of these connections from one address. A thousand programs have six thousand.
const PENDING_OF_ONE_ADDRESS_MAX: usize = PENDING_MAX / 2;
/// Largest numbers of hellos that are read at once: for the network and for this machine
/// separately, and from one address.
const HELLOS_MAX: usize = 512;
const HELLOS_OF_ONE_ADDRESS_MAX: usize = HELLOS_MAX / 2;
/// Longest time for which a connection may be silent.
const SILENCE_MAX: Duration = Duration::from_secs(5);
/// Time for a rejected client to read the reason before the listener closes the connection.
const LEAVE_WAIT: Duration = Duration::from_secs(5);
/// Interval of checks for silent connections; the shorter interval applies while connections wait
/// to be read.
const POLL: Duration = Duration::from_millis(100);
const POLL_SOON: Duration = Duration::from_millis(5);
/// Pause after a temporary error of the operating system.
const PAUSE: Duration = Duration::from_millis(50);
const TOO_MANY: &str = "the node hears too many connections at once";

/// Address from which a connection comes; None means this machine's local socket.
type Origin = Option<IpAddr>;

/// A socket that accepts connections.
pub enum Entrance {
    Network(TcpListener),
    Local(UnixListener),
}

impl Entrance {
    fn take(&self) -> io::Result<(Origin, Connection)> {
        match self {
            Entrance::Network(listener) => {
                listener.accept().map(|(stream, from)| (Some(from.ip()), Connection::Tcp(stream)))
            }
            Entrance::Local(listener) => {
                listener.accept().map(|(stream, _)| (None, Connection::Local(stream, None)))
            }
        }
    }

    /// Accepts connections forever. Linux's own queue is limited, so this thread does nothing else.
    fn accept_forever(&self, arrived: &Sender<(Origin, Connection)>, mut bell: &UnixStream) {
        loop {
            match self.take() {
                Ok(arrival) => {
                    if arrived.send(arrival).is_err() {
                        return;
                    }
                    // If the bell's buffer is full, the bell is already ringing.
                    let _ = bell.write(&[0]);
                }
                // The process probably lacks descriptors, which become free when sessions end.
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }
}

struct PendingConnection {
    connection: Connection,
    from: Origin,
    since: Instant,
    /// Whether the connection was refused and has received the reason.
    leaves: bool,
    /// Why no thread has read the hello yet, although it has begun.
    waits: Option<String>,
}

impl PendingConnection {
    fn is_late(&self) -> bool {
        self.since.elapsed() >= if self.leaves { LEAVE_WAIT } else { SILENCE_MAX }
    }
}

/// Number of hellos that are being read, by origin.
#[derive(Default)]
struct HelloCounts(Mutex<HashMap<Origin, usize>>);

impl HelloCounts {
    fn counts(&self) -> MutexGuard<'_, HashMap<Origin, usize>> {
        self.0.lock()
    }

    fn has_room(&self, from: Origin) -> bool {
        let counts = self.counts();
        let of_kind: usize = counts
            .iter()
            .filter(|(other, _)| other.is_some() == from.is_some())
            .map(|(_, count)| count)
            .sum();
        of_kind < HELLOS_MAX
            && (from.is_none()
                || counts.get(&from).is_none_or(|count| *count < HELLOS_OF_ONE_ADDRESS_MAX))
    }
}

/// Permission to read a hello, which counts as being read until the permit is dropped.
pub struct HelloPermit {
    hello_counts: Arc<HelloCounts>,
    from: Origin,
}

impl HelloPermit {
    fn begin(hello_counts: &Arc<HelloCounts>, from: Origin) -> HelloPermit {
        *hello_counts.counts().entry(from).or_default() += 1;
        HelloPermit { hello_counts: hello_counts.clone(), from }
    }
}

impl Drop for HelloPermit {
    fn drop(&mut self) {
        let mut counts = self.hello_counts.counts();
        if let Some(count) = counts.get_mut(&self.from) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.from);
            }
        }
    }
}

/// The connections that have not sent a hello.
pub struct Acceptor {
    arrivals: Receiver<(Origin, Connection)>,
    /// Rings when a connection arrives.
    bell: UnixStream,
    descriptors: Descriptors,
    /// Whether connections over the network use TLS. A TLS client understands no message before the
    /// handshake.
    is_sealed: bool,
    pending: Vec<PendingConnection>,
    hello_counts: Arc<HelloCounts>,
}

impl Acceptor {
    /// Starts a thread for each of `entrances`.
    pub fn new(
        entrances: Vec<Entrance>,
        descriptors: Descriptors,
        is_sealed: bool,
    ) -> io::Result<Acceptor> {
        let (arrived, arrivals) = channel();
        let (rung, bell) = UnixStream::pair()?;
        [&rung, &bell].into_iter().try_for_each(|end| end.set_nonblocking(true))?;
        for entrance in entrances {
            let (arrived, rung) = (arrived.clone(), rung.try_clone()?);
            thread(move || entrance.accept_forever(&arrived, &rung))?;
        }
        Ok(Acceptor {
            arrivals,
            bell,
            descriptors,
            is_sealed,
            pending: Vec::new(),
            hello_counts: Arc::default(),
        })
    }

    /// Serves connections forever. `read_hello` reads a hello, in a new thread for each.
    pub fn keep(
        mut self,
        read_hello: impl Fn(Connection, HelloPermit) + Clone + Send + 'static,
    ) -> ! {
        loop {
            let mut ready = self.wait().into_iter().peekable();
            // The loop preserves the order of arrival.
            for (place, one) in std::mem::take(&mut self.pending).into_iter().enumerate() {
                match if ready.next_if_eq(&place).is_some() {
                    self.attend(one, &read_hello)
                } else {
                    Some(one)
                } {
                    Some(PendingConnection {
                        connection,
                        from,
                        waits: Some(reason),
                        since,
                        ..
                    }) if since.elapsed() >= SILENCE_MAX => {
                        log_event(&format!("turned away a connection: {reason}"));
                        self.turn_away(from, connection, &reason);
                    }
                    stays => self.pending.extend(stays.filter(|one| !one.is_late())),
                }
            }
            if self.pending.iter().any(|one| one.waits.is_some()) {
                std::thread::sleep(PAUSE);
            }
            self.take_in();
        }
    }

    /// Waits until a connection arrives, or a pending one has data. Returns the indexes of pending
    /// connections that can be served, in order.
    fn wait(&self) -> Vec<usize> {
        let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut polled = vec![entry(self.bell.as_raw_fd())];
        let is_attended =
            |one: &PendingConnection| one.leaves || self.hello_counts.has_room(one.from);
        let places: Vec<usize> =
            (0..self.pending.len()).filter(|place| is_attended(&self.pending[*place])).collect();
        polled.extend(places.iter().map(|place| entry(self.pending[*place].connection.socket())));
        let longest_ms = match self.pending.len() {
            0 => -1,
            all if all > places.len() => POLL_SOON.as_millis() as i32,
            _ => POLL.as_millis() as i32,
        };
        // SAFETY: the entries live through the call.
        if unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, longest_ms) } < 0
        {
            std::thread::sleep(PAUSE);
            return Vec::new();
        }
        places
            .into_iter()
            .zip(&polled[1..])
            .filter(|(_, entry)| entry.revents != 0)
            .map(|(place, _)| place)
            .collect()
    }

    fn take_in(&mut self) {
        while matches!((&self.bell).read(&mut [0; 256]), Ok(1..)) {}
        let mut counts = HashMap::<Origin, usize>::new();
        self.pending
            .iter()
            .filter(|one| !one.leaves)
            .for_each(|one| *counts.entry(one.from).or_default() += 1);
        while let Ok((from, connection)) = self.arrivals.try_recv() {
            let of_kind: usize = counts
                .iter()
                .filter(|(other, _)| other.is_some() == from.is_some())
                .map(|(_, count)| count)
                .sum();
            let of_address = counts.entry(from).or_default();
            if self.descriptors.are_short(connection.socket()) {
                self.turn_away(from, connection, &self.descriptors.refusal());
            } else if of_kind >= PENDING_MAX
                || from.is_some() && *of_address >= PENDING_OF_ONE_ADDRESS_MAX
            {
                self.turn_away(from, connection, TOO_MANY);
            } else {
                *of_address += 1;
                self.pending.push(PendingConnection {
                    connection,
                    from,
                    since: Instant::now(),
                    leaves: false,
                    waits: None,
                });
            }
        }
    }

    fn turn_away(&mut self, from: Origin, mut connection: Connection, reason: &str) {
        if self.is_sealed && from.is_some() {
            return;
        }
        let _ = connection.send_busy(reason);
        let leaving = self.pending.iter().filter(|one| one.leaves).count();
        if leaving < PENDING_MAX {
            self.pending.push(PendingConnection {
                connection,
                from,
                since: Instant::now(),
                leaves: true,
                waits: None,
            });
        }
    }

    /// Handles a connection that has data or is gone. Returns the connection if it must remain
    /// pending.
    fn attend(
        &mut self,
        mut one: PendingConnection,
        read_hello: &(impl Fn(Connection, HelloPermit) + Clone + Send + 'static),
    ) -> Option<PendingConnection> {
        if one.leaves {
            return one.connection.drain().then_some(one);
        }
        if !self.hello_counts.has_room(one.from) {
            return Some(one);
        }
        let PendingConnection { connection, from, since, .. } = one;
        let (given, permit, read_hello) = (
            Arc::new(Mutex::new(Some(connection))),
            HelloPermit::begin(&self.hello_counts, from),
            read_hello.clone(),
        );
        let take = |given: &Mutex<Option<Connection>>| given.lock().take();
        let taken = given.clone();
        let started = thread(move || {
            if let Some(connection) = take(&taken) {
                read_hello(connection, permit);
            }
        });
        // A refusal now would also end a session that has other accepted connections. Other hellos
        // are read within milliseconds, so this hello can wait.
        let error = started.err()?;
        let waits = Some(no_threads(&error));
        take(&given).map(|connection| PendingConnection {
            connection,
            from,
            since,
            leaves: false,
            waits,
        })
    }
}

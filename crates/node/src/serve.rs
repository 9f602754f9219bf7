//! The listener: reads a stranger's hello, gathers the lanes of a session, and starts a worker process that owns them.

use crate::RELEASE;
use outhaul_transport::{accept_hello, refuse};
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{Hello, objection};
use std::collections::HashMap;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Connections whose hello has not been read yet.
const STRANGERS_MAX: usize = 256;
/// Sessions whose lanes have not all arrived.
const GATHERING_MAX: usize = 1024;
const GATHERING_SECONDS_MAX: u64 = 10;
/// The first descriptor of a worker's lanes; lane n is at this plus n.
pub const FIRST_LANE_DESCRIPTOR: RawFd = 3;

#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    /// The libcuda.so.1 that workers open.
    pub library: PathBuf,
    /// Where code images are kept between sessions.
    pub cache: PathBuf,
    pub sessions_max: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot listen on {address}: {error}; choose another with --listen HOST:PORT")]
    Listen { address: SocketAddr, error: io::Error },
}

/// One line for the log, in one write, so that it does not mix with the lines of workers.
fn say(message: &str) {
    let _ = io::stderr().write_all(format!("outhaul: {message}\n").as_bytes());
}

struct Node {
    config: Config,
    gathering: Mutex<HashMap<[u8; 16], Gathering>>,
    sessions: AtomicUsize,
}

struct Gathering {
    lanes: Vec<Option<TcpStream>>,
    arena_base: u64,
    since: Instant,
}

/// Listens; `ready` gets the address once connections are taken. Returns only on an error.
pub fn serve(config: Config, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let error = |error| ServeError::Listen { address: config.listen, error };
    let listener = TcpListener::bind(config.listen).map_err(error)?;
    let address = listener.local_addr().map_err(error)?;
    let node = Arc::new(Node { config, gathering: Mutex::default(), sessions: AtomicUsize::new(0) });
    ready(address);
    let strangers = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Out of descriptors, most likely: give sessions time to end.
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        if strangers.fetch_add(1, Ordering::Relaxed) >= STRANGERS_MAX {
            strangers.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (node, strangers) = (node.clone(), strangers.clone());
        std::thread::spawn(move || {
            node.welcome(stream);
            strangers.fetch_sub(1, Ordering::Relaxed);
        });
    }
    Ok(())
}

impl Node {
    fn welcome(self: &Arc<Node>, mut stream: TcpStream) {
        let peer = stream.peer_addr().map_or("an unknown address".to_owned(), |a| a.to_string());
        let body = match accept_hello(&mut stream) {
            Ok(body) => body,
            Err(error) => {
                say(&format!("turned away {peer}: {error}"));
                return;
            }
        };
        match Reader::new(&body).whole::<Hello<'_>>() {
            Ok(hello) => {
                if let Some(reason) = objection(&hello, RELEASE) {
                    say(&format!("turned away {peer}: {reason}"));
                    let _ = refuse(&mut stream, &reason);
                } else if let Some((lanes, arena_base)) = self.gather(&hello, stream) {
                    self.start(&peer, lanes, arena_base);
                }
            }
            Err(error) => say(&format!("turned away {peer}: its hello is malformed: {error}")),
        }
    }

    /// Adds a lane to its session; gives all of them once they are complete.
    fn gather(&self, hello: &Hello<'_>, mut stream: TcpStream) -> Option<(Vec<TcpStream>, u64)> {
        let mut gathering = self.gathering.lock().unwrap_or_else(|e| e.into_inner());
        gathering.retain(|_, g| g.since.elapsed() < Duration::from_secs(GATHERING_SECONDS_MAX));
        if gathering.len() >= GATHERING_MAX {
            let _ = refuse(&mut stream, "the node is starting too many sessions at once; try again in a few seconds");
            return None;
        }
        let entry = gathering.entry(hello.session).or_insert_with(|| Gathering {
            lanes: (0..hello.lanes).map(|_| None).collect(),
            arena_base: hello.arena_base,
            since: Instant::now(),
        });
        match entry.lanes.get_mut(usize::from(hello.lane)) {
            Some(place @ None) => *place = Some(stream),
            _ => {
                let _ = refuse(&mut stream, "the lane belongs to another session; connect anew");
                return None;
            }
        }
        if entry.lanes.iter().any(Option::is_none) {
            return None;
        }
        let complete = gathering.remove(&hello.session)?;
        Some((complete.lanes.into_iter().flatten().collect(), complete.arena_base))
    }

    fn start(self: &Arc<Node>, peer: &str, mut lanes: Vec<TcpStream>, arena_base: u64) {
        if self.sessions.fetch_add(1, Ordering::SeqCst) >= self.config.sessions_max {
            self.sessions.fetch_sub(1, Ordering::SeqCst);
            let _ = refuse(
                &mut lanes[0],
                &format!("the node serves {} sessions already; end one or raise --sessions", self.config.sessions_max),
            );
            return;
        }
        match self.spawn(&lanes, arena_base) {
            Ok(mut child) => {
                drop(lanes);
                say(&format!("session of {peer} is worker {}", child.id()));
                let status = child.wait();
                // Before it is said: whoever reads that a place is free may take it.
                self.sessions.fetch_sub(1, Ordering::SeqCst);
                match status {
                    Ok(status) if status.success() => say(&format!("worker {} of {peer} ended", child.id())),
                    Ok(status) => say(&format!("worker {} of {peer} died: {status}", child.id())),
                    Err(error) => say(&format!("lost sight of worker {}: {error}", child.id())),
                }
            }
            Err(error) => {
                say(&format!("cannot start a worker for {peer}: {error}"));
                let _ = refuse(&mut lanes[0], "the node cannot start a worker process; its log says why");
                self.sessions.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }

    fn spawn(&self, lanes: &[TcpStream], arena_base: u64) -> io::Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("worker").arg("--library").arg(&self.config.library).arg("--cache").arg(&self.config.cache);
        command.arg("--lanes").arg(lanes.len().to_string()).arg("--arena-base").arg(arena_base.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let descriptors: Vec<RawFd> = lanes.iter().map(AsRawFd::as_raw_fd).collect();
        let parent = std::process::id();
        // SAFETY: the closure calls only functions that are safe between fork and exec.
        unsafe { command.pre_exec(move || hand_over(&descriptors, parent)) };
        command.spawn()
    }
}

/// In the child: puts the lanes where the worker looks for them, and ties its life to the node's.
fn hand_over(lanes: &[RawFd], parent: u32) -> io::Result<()> {
    let check = |result: i32| if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) };
    // Out of the way first: a lane's descriptor may be another lane's destination.
    const SCRATCH: RawFd = 64;
    for (i, lane) in lanes.iter().enumerate() {
        // SAFETY: plain descriptor calls.
        check(unsafe { libc::fcntl(*lane, libc::F_DUPFD_CLOEXEC, SCRATCH + i as RawFd) }).and_then(|high| {
            // SAFETY: as above. dup2 clears close-on-exec on its result.
            check(unsafe { libc::dup2(high, FIRST_LANE_DESCRIPTOR + SCRATCH * 2 + i as RawFd) })
        })?;
    }
    for i in 0..lanes.len() as RawFd {
        // SAFETY: as above.
        unsafe {
            check(libc::dup2(FIRST_LANE_DESCRIPTOR + SCRATCH * 2 + i, FIRST_LANE_DESCRIPTOR + i))?;
            libc::close(FIRST_LANE_DESCRIPTOR + SCRATCH * 2 + i);
        }
    }
    // SAFETY: prctl and getppid take no pointers here.
    unsafe {
        check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        if libc::getppid() as u32 != parent {
            libc::_exit(1);
        }
    }
    Ok(())
}

//! A node in a separate process, and sessions with the node. The tests themselves write the
//! sessions' frames, and decide how the node is started.

use outhaul_abi::types::CUresult;
use outhaul_transport::{HelloError, Lane, Transport, connect};
use outhaul_wire::codec::{Message, Reader};
use outhaul_wire::frame;
use outhaul_wire::handle::{self, Handle};
use outhaul_wire::handshake::{
    Hello, LANE_BULK, LANE_CALLBACKS, LANE_COMMANDS, NO_KEY_SHARE, PROTOCOL,
};
use outhaul_wire::level::SPEC_HASH;
use outhaul_wire::limits::ARENA_BASE;
use outhaul_wire::messages::{
    ContextCreate, CopyToHost, Data, Farewell, Fault, GrantGrow, GrantGrowReply, MemGetInfo,
    MemGetInfoReply, Reply,
};
use std::any::Any;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// One second.
pub const SECOND: Duration = Duration::from_secs(1);
/// Maximum wait before a test counts as hanging. The value is large, because the machine may be
/// busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Size of a page in bytes.
pub const PAGE_BYTES: usize = 4096;
/// The transports to test.
pub const TRANSPORTS: [Transport; 2] = [Transport::Tcp, Transport::SharedMemory];

/// A running node.
pub struct Node {
    /// The node's address.
    pub address: String,
    /// The transport that the node's sessions use.
    pub transport: Transport,
    /// The sessions' lease, with its key.
    pub lease: String,
    /// The sessions' tenant.
    pub tenant: String,
    /// The node's process.
    pub process: Child,
    /// The lines of the node's log.
    pub log: Receiver<String>,
    _files: Box<dyn Any>,
}

impl Node {
    /// Runs `serve`, whose process must run until it is killed and end its first line with its
    /// address. Keeps `files` until the node is dropped.
    pub fn of(serve: &mut Command, files: impl Any) -> Node {
        let mut process =
            serve.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(line.starts_with("outhaul: serving "), "{line}");
        let (give, log) = channel();
        let lines = BufReader::new(process.stderr.take().unwrap()).lines();
        std::thread::spawn(move || {
            lines.map_while(Result::ok).try_for_each(|line| give.send(line))
        });
        let (transport, lease, tenant) = (Transport::Tcp, String::new(), String::new());
        Node { address, transport, lease, tenant, process, log, _files: Box::new(files) }
    }

    /// Waits for a log line that contains `part`, and returns it.
    pub fn wait_for(&self, part: &str) -> String {
        let start = Instant::now();
        while let Ok(line) = self.log.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
            if line.contains(part) {
                return line;
            }
        }
        panic!("the node's log has no line with '{part}'");
    }

    /// Waits for one log line per element of `parts`. Several threads write them, so they come in
    /// any order.
    pub fn wait_for_each(&self, parts: &[&str]) {
        let mut missing = parts.to_vec();
        while !missing.is_empty() {
            let line = self
                .log
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|_| panic!("the node's log has no lines with {missing:?}"));
            missing.retain(|part| !line.contains(part));
        }
    }

    /// Opens a session without bulk lanes.
    pub fn open(&self) -> Result<Session, HelloError> {
        self.open_with(LANE_BULK).map(|(session, _)| session)
    }

    /// Opens a session with `lanes` lanes. Also returns the session's bulk lanes.
    pub fn open_with(&self, lanes: u16) -> Result<(Session, Vec<Lane>), HelloError> {
        open_at(&self.address, self.transport, (&self.lease, &self.tenant), lanes)
    }

    /// Opens a session, which must succeed.
    pub fn session(&self) -> Session {
        self.open().unwrap()
    }

    /// Returns the process number of the worker that serves the session opened last.
    pub fn worker(&self) -> u32 {
        self.wait_for("is worker").rsplit(' ').next().unwrap().parse().unwrap()
    }
}

/// Opens a session of the given lease or tenant with `lanes` lanes. Also returns the session's bulk
/// lanes.
pub fn open_at(
    address: &str,
    transport: Transport,
    (lease, tenant): (&str, &str),
    lanes: u16,
) -> Result<(Session, Vec<Lane>), HelloError> {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let mut session = [7; 16];
    session[..8].copy_from_slice(&COUNT.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    let lane = |lane| {
        let (protocol, spec_hash, release, arena_base) = (PROTOCOL, SPEC_HASH, "0", ARENA_BASE);
        let hello = Hello {
            protocol,
            spec_hash,
            release,
            session,
            lane,
            lanes,
            arena_base,
            lease,
            tenant,
            grace_ms: 0,
            key_share: NO_KEY_SHARE,
        };
        connect(address, &hello, transport, PATIENCE).map(|(lane, _)| lane)
    };
    let bulk = (LANE_BULK..lanes).map(lane).collect::<Result<_, _>>()?;
    let callbacks = lane(LANE_CALLBACKS)?;
    Ok((Session { commands: lane(LANE_COMMANDS)?, callbacks, name: session }, bulk))
}

impl Node {
    /// Kills the node and all processes that it has started, as if its machine had failed.
    pub fn kill(&mut self) {
        // SAFETY: takes no pointers; signals only the process group that this child leads.
        unsafe { libc::kill(-(self.process.id() as i32), libc::SIGKILL) };
        let _ = self.process.wait();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A session whose frames the test writes itself.
pub struct Session {
    /// The command lane.
    pub commands: Lane,
    /// The callback lane.
    pub callbacks: Lane,
    /// The session's name.
    pub name: [u8; 16],
}

impl Session {
    /// Sends a message on the command lane.
    pub fn send<'a>(&mut self, message: &impl Message<'a>) {
        let mut bytes = Vec::new();
        // The frame names context 1, which is the session's first context if it creates one.
        frame::append(&mut bytes, message, 1, 1, 0);
        self.commands.writer.write(&[&bytes]).unwrap();
    }

    /// Sends a message on the callback lane.
    pub fn send_on_callbacks<'a>(&mut self, message: &impl Message<'a>) {
        let mut bytes = Vec::new();
        frame::append(&mut bytes, message, 0, 0, 0);
        self.callbacks.writer.write(&[&bytes]).unwrap();
    }

    /// Returns whether the session answers a call.
    pub fn answers(&mut self) -> bool {
        self.send(&MemGetInfo {});
        self.commands
            .reader
            .header()
            .and_then(|header| self.commands.reader.skip(header.body_bytes as usize))
            .is_ok()
    }

    /// Sends a call. Returns the answer's status and body.
    pub fn ask<'a>(&mut self, message: &impl Message<'a>) -> (CUresult, Vec<u8>) {
        self.send(message);
        let header = self.commands.reader.header().unwrap();
        assert_eq!(header.op, Reply::OP);
        let body = self.commands.reader.body(header.body_bytes as usize).unwrap();
        let (status, rest) = body.split_first_chunk().unwrap();
        (CUresult(i32::from_le_bytes(*status)), rest.to_vec())
    }

    /// Creates a context.
    pub fn create_context(&mut self) {
        let context =
            Handle { kind: handle::HandleKind::Context, node: 0, index: 0, generation: 0 }.pack();
        self.send(&ContextCreate { context, device: 0, flags: 0, primary: true });
    }

    /// Returns the free and the total memory of the current context's device.
    pub fn memory(&mut self) -> (u64, u64) {
        let (status, body) = self.ask(&MemGetInfo {});
        assert_eq!(status, CUresult::SUCCESS);
        let MemGetInfoReply { free, total } = Reader::new(&body).whole().unwrap();
        (free, total)
    }

    /// Requests a larger grant for the first device. Returns the number of bytes by which the grant
    /// grew.
    pub fn grow(&mut self, bytes: u64) -> u64 {
        let (status, body) = self.ask(&GrantGrow { device: 0, bytes });
        assert_eq!(status, CUresult::SUCCESS);
        Reader::new(&body).whole::<GrantGrowReply>().unwrap().more_bytes
    }

    /// Reads a page of device memory at `address`.
    pub fn read_page(&mut self, address: u64) -> Vec<u8> {
        let width_bytes = PAGE_BYTES as u64;
        self.send(&CopyToHost {
            address,
            pitch_bytes: width_bytes,
            width_bytes,
            rows: 1,
            stream: 0,
            transfer: 1,
            offset: 0,
        });
        let header = self.commands.reader.header().unwrap();
        let body = self.commands.reader.body(header.body_bytes as usize).unwrap();
        assert_eq!(header.op, Data::OP);
        body[body.len() - PAGE_BYTES..].to_vec()
    }

    /// Reads the next frame, which must report a failed post. Returns its status and the post's
    /// name.
    pub fn next_fault(&mut self) -> (CUresult, String) {
        let header = self.commands.reader.header().unwrap();
        let body = self.commands.reader.body(header.body_bytes as usize).unwrap();
        assert_eq!(header.op, Fault::OP, "{}", String::from_utf8_lossy(&body));
        let fault: Fault<'_> = Reader::new(&body).whole().unwrap();
        (CUresult(fault.status), fault.what.to_owned())
    }

    /// Reads the next frame and returns its op number.
    pub fn next_op(&mut self) -> u16 {
        let header = self.commands.reader.header().unwrap();
        self.commands.reader.skip(header.body_bytes as usize).unwrap();
        header.op
    }

    /// Checks that the node ends the session at once. Returns the reason, if the node sends one.
    pub fn assert_ended(&mut self) -> String {
        let start = Instant::now();
        let mut reason = String::new();
        while let Ok(header) = self.commands.reader.header() {
            let body = self.commands.reader.body(header.body_bytes as usize).unwrap();
            if header.op == Farewell::OP {
                reason = Reader::new(&body).whole::<Farewell<'_>>().unwrap().reason.to_owned();
            }
        }
        assert_in_time(start, SECOND, "the end of a session");
        reason
    }
}

/// Returns the path of a file that the build left in the folder above the test's own.
pub fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(|deps| deps.parent()).unwrap().join(name);
    assert!(
        path.exists(),
        "{} is missing: run `make build` and `cargo build --release --examples` first",
        path.display()
    );
    path
}

/// Returns whether the process has ended.
pub fn is_gone(process: u32) -> bool {
    // A zombie holds no resources any more.
    std::fs::read_to_string(format!("/proc/{process}/stat"))
        .map_or(true, |stat| stat.contains(") Z "))
}

/// Checks that the process ends at once.
pub fn assert_gone(process: u32) {
    let start = Instant::now();
    while !is_gone(process) {
        assert!(start.elapsed() < PATIENCE, "worker {process} outlives its session");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_in_time(start, SECOND, "the end of a worker");
}

/// Checks that a time limit was kept, but only if OUTHAUL_TIMED is set, which requires a machine
/// that is otherwise idle.
pub fn assert_in_time(since: Instant, limit: Duration, what: &str) {
    let is_timed = std::env::var_os("OUTHAUL_TIMED").is_some();
    assert!(
        !is_timed || since.elapsed() < limit,
        "{what} took {:?}, the limit is {limit:?}",
        since.elapsed()
    );
}

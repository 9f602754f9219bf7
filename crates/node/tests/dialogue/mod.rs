//! A node in a process of its own, and sessions with it that are spoken by hand. How the node is
//! started is the including tests' business.

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

pub const SECOND: Duration = Duration::from_secs(1);
/// A guard against hangs, for what must come: this machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub const PAGE_BYTES: usize = 4096;
pub const TRANSPORTS: [Transport; 2] = [Transport::Tcp, Transport::SharedMemory];

pub struct Node {
    pub address: String,
    /// How sessions are opened.
    pub transport: Transport,
    /// By what sessions prove that they belong to a lease.
    pub lease: String,
    /// Whose they are.
    pub tenant: String,
    pub process: Child,
    /// The lines of its log.
    pub log: Receiver<String>,
    _files: Box<dyn Any>,
}

impl Node {
    /// `serve` runs until it is killed and ends its first line with its address; `files` are kept
    /// for as long.
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

    pub fn wait_for(&self, part: &str) -> String {
        let start = Instant::now();
        while let Ok(line) = self.log.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
            if line.contains(part) {
                return line;
            }
        }
        panic!("the node's log has no line with '{part}'");
    }

    /// Lines of threads that do not wait for each other: they come in any order.
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

    pub fn open(&self) -> Result<Session, HelloError> {
        self.open_with(LANE_BULK).map(|(session, _)| session)
    }

    /// A session, and the bulk lanes that it has with so many lanes.
    pub fn open_with(&self, lanes: u16) -> Result<(Session, Vec<Lane>), HelloError> {
        open_at(&self.address, self.transport, (&self.lease, &self.tenant), lanes)
    }

    pub fn session(&self) -> Session {
        self.open().unwrap()
    }

    /// Of the session that was opened last.
    pub fn worker(&self) -> u32 {
        self.wait_for("is worker").rsplit(' ').next().unwrap().parse().unwrap()
    }
}

/// A session of that lease or tenant, and the bulk lanes that it has with so many lanes.
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
    /// As when its machine is gone: with all that it has started.
    pub fn kill(&mut self) {
        // SAFETY: signals the group that this child leads.
        unsafe { libc::kill(-(self.process.id() as i32), libc::SIGKILL) };
        let _ = self.process.wait();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

pub struct Session {
    pub commands: Lane,
    pub callbacks: Lane,
    pub name: [u8; 16],
}

impl Session {
    pub fn send<'a>(&mut self, message: &impl Message<'a>) {
        let mut bytes = Vec::new();
        // In the context that a session's first context gets, if it creates one.
        frame::append(&mut bytes, message, 1, 1, 0);
        self.commands.writer.write(&[&bytes]).unwrap();
    }

    /// Sends a message on the lane of callbacks.
    pub fn say<'a>(&mut self, message: &impl Message<'a>) {
        let mut bytes = Vec::new();
        frame::append(&mut bytes, message, 0, 0, 0);
        self.callbacks.writer.write(&[&bytes]).unwrap();
    }

    /// Whether a call is answered.
    pub fn answers(&mut self) -> bool {
        self.send(&MemGetInfo {});
        self.commands
            .reader
            .header()
            .and_then(|header| self.commands.reader.skip(header.body_bytes as usize))
            .is_ok()
    }

    /// The status of an answer, and what follows it.
    pub fn ask<'a>(&mut self, message: &impl Message<'a>) -> (CUresult, Vec<u8>) {
        self.send(message);
        let header = self.commands.reader.header().unwrap();
        assert_eq!(header.op, Reply::OP);
        let body = self.commands.reader.body(header.body_bytes as usize).unwrap();
        let (status, rest) = body.split_first_chunk().unwrap();
        (CUresult(i32::from_le_bytes(*status)), rest.to_vec())
    }

    pub fn create_context(&mut self) {
        let context =
            Handle { kind: handle::Kind::Context, node: 0, index: 0, generation: 0 }.pack();
        self.send(&ContextCreate { context, device: 0, flags: 0, primary: true });
    }

    /// What is free of the current context's device, and all of it.
    pub fn memory(&mut self) -> (u64, u64) {
        let (status, body) = self.ask(&MemGetInfo {});
        assert_eq!(status, CUresult::SUCCESS);
        let MemGetInfoReply { free, total } = Reader::new(&body).whole().unwrap();
        (free, total)
    }

    /// By how much the grant of the first device has grown when it was to.
    pub fn grow(&mut self, bytes: u64) -> u64 {
        let (status, body) = self.ask(&GrantGrow { device: 0, bytes });
        assert_eq!(status, CUresult::SUCCESS);
        Reader::new(&body).whole::<GrantGrowReply>().unwrap().more_bytes
    }

    /// What lies in device memory.
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

    /// The next frame, which says that a post failed: how, and which.
    pub fn next_fault(&mut self) -> (CUresult, String) {
        let header = self.commands.reader.header().unwrap();
        assert_eq!(header.op, Fault::OP);
        let body = self.commands.reader.body(header.body_bytes as usize).unwrap();
        let fault: Fault<'_> = Reader::new(&body).whole().unwrap();
        (CUresult(fault.status), fault.what.to_owned())
    }

    /// What the next frame is.
    pub fn next_op(&mut self) -> u16 {
        let header = self.commands.reader.header().unwrap();
        self.commands.reader.skip(header.body_bytes as usize).unwrap();
        header.op
    }

    /// The node ends the session at once. Gives the reason, where it says one.
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

/// What the build left in the folder above this test's own.
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

pub fn is_gone(process: u32) -> bool {
    // A process that ended and was not waited for yet holds nothing any more.
    std::fs::read_to_string(format!("/proc/{process}/stat"))
        .map_or(true, |stat| stat.contains(") Z "))
}

/// It is gone at once.
pub fn assert_gone(process: u32) {
    let start = Instant::now();
    while !is_gone(process) {
        assert!(start.elapsed() < PATIENCE, "worker {process} outlives its session");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_in_time(start, SECOND, "the end of a worker");
}

/// A promise of time is kept. It is looked at where OUTHAUL_TIMED is set alone, on a machine that
/// does nothing else; elsewhere it is enough that it happened.
pub fn assert_in_time(since: Instant, promised: Duration, what: &str) {
    let is_timed = std::env::var_os("OUTHAUL_TIMED").is_some();
    assert!(
        !is_timed || since.elapsed() < promised,
        "{what} took {:?}, promised are {promised:?}",
        since.elapsed()
    );
}

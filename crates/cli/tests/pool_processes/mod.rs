//! Pool processes over one store, nodes of them on the software GPU, and an etcd, each a process that can be killed and stopped; and a way between a node and its
//! pool that can be cut. Everything goes over TCP.

use crate::installation::Installation;
use crate::node_process::{Node, built};
use outhaul_pool::api::{LeaseView, NodeView};
use outhaul_pool::client::Client;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// For what has no promise but must come: this machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Pool {
    pub url: String,
    process: Child,
    store: String,
    pub installation: Installation,
}

impl Pool {
    /// Over a file of its own.
    pub fn start() -> Pool {
        let installation = complete();
        let store = installation.folder.join("pool.sqlite").display().to_string();
        Pool::over(store, installation)
    }

    /// Over an etcd that others may use too.
    pub fn start_over(etcd: &Etcd) -> Pool {
        Pool::over(etcd.url(), complete())
    }

    fn over(store: String, installation: Installation) -> Pool {
        let (process, url) = spawn(&installation, "127.0.0.1:0", &store);
        Pool { url, process, store, installation }
    }

    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    pub fn start_again(&mut self) {
        let address = self.url.strip_prefix("http://").unwrap();
        (self.process, self.url) = spawn(&self.installation, address, &self.store);
    }

    pub fn client(&self) -> Client {
        Client::new(&self.url, "alice")
    }

    /// A node with so many GPUs, which reaches the pool at a URL.
    pub fn node_by(&self, url: &str, name: &str, gpus: usize) -> Node {
        Node::start_in_pool(|command| {
            command.args(["--pool", url, "--name", name]).env("OUTHAUL_SOFT_DEVICES", gpus.to_string());
        })
    }

    pub fn node(&self, name: &str, gpus: usize) -> Node {
        self.node_by(&self.url, name, gpus)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.installation.command(arguments);
        command.env("OUTHAUL_POOL", &self.url).env("USER", "alice").env("OUTHAUL_TRANSPORT", "tcp");
        command
    }

    /// The binary itself, which is a program too.
    pub fn own(&self) -> String {
        self.installation.folder.join("outhaul").display().to_string()
    }

    /// A program that keeps a GPU busy until it is killed.
    pub fn player(&self) -> Program {
        let own = self.own();
        let mut command = self.command(&["run", "--", &own, "bench", "player", "--rounds", "500", "--kernels", "400", "--mark", "400"]);
        command.args(["--until-ns", &u64::MAX.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
        Program(command.spawn().unwrap())
    }

    pub fn leases(&self) -> Vec<LeaseView> {
        self.client().get("/v1/leases").unwrap()
    }

    pub fn node_view(&self, name: &str) -> Option<NodeView> {
        let nodes: Vec<NodeView> = self.client().get("/v1/nodes").ok()?;
        nodes.into_iter().find(|node| node.name == name)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// With a client library that programs can use.
fn complete() -> Installation {
    let installation = Installation::with_client();
    let library = installation.folder.join("outhaul-client/libcuda.so.1");
    std::fs::remove_file(&library).unwrap();
    std::fs::hard_link(built("libouthaul_client.so"), library).unwrap();
    installation
}

fn spawn(installation: &Installation, address: &str, store: &str) -> (Child, String) {
    let mut command = installation.command(&["pool", "serve", "--listen", address, "--store", store]);
    let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (process, line.trim().rsplit(' ').next().unwrap().to_owned())
}

/// Killed when the test ends.
pub struct Program(Child);

impl Program {
    pub fn runs(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// Ends it, as its user would.
    pub fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end();
    }
}

/// One member.
pub struct Etcd {
    folder: PathBuf,
    ports: [u16; 2],
    process: Child,
}

impl Etcd {
    /// None, and a line that says so, where the machine has no etcd.
    pub fn start() -> Option<Etcd> {
        let mut version = Command::new("etcd");
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        if !version.status().is_ok_and(|status| status.success()) {
            eprintln!("skipped: no etcd on this machine (Debian's package: etcd-server)");
            return None;
        }
        let ports = [free_port(), free_port()];
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("etcd-cli-{}-{}", std::process::id(), ports[0]));
        let process = Etcd::spawn(&folder, ports);
        Some(Etcd { folder, ports, process })
    }

    fn spawn(folder: &PathBuf, [port, peers]: [u16; 2]) -> Child {
        let (own, peer) = (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{peers}"));
        let mut command = Command::new("etcd");
        command.arg("--data-dir").arg(folder).args(["--name", "one", "--listen-client-urls", &own, "--advertise-client-urls", &own]);
        command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer, "--initial-cluster", &format!("one={peer}")]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn url(&self) -> String {
        format!("etcd://127.0.0.1:{}", self.ports[0])
    }

    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub fn start_again(&mut self) {
        self.process = Etcd::spawn(&self.folder, self.ports);
    }

    pub fn stop(&self) {
        signal(self.process.id(), libc::SIGSTOP);
    }

    pub fn go_on(&self) {
        signal(self.process.id(), libc::SIGCONT);
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub fn signal(process: u32, signal: libc::c_int) {
    // SAFETY: takes no pointers.
    unsafe { libc::kill(process as libc::pid_t, signal) };
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A way to a pool. While it is cut it swallows what comes, and lets nobody know.
pub struct Way {
    pub url: String,
    cut: Arc<AtomicBool>,
}

impl Way {
    pub fn to(pool: &Pool) -> Way {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (behind, cut) = (pool.url.strip_prefix("http://").unwrap().to_owned(), Arc::new(AtomicBool::new(false)));
        let is_cut = cut.clone();
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(&behind) else { continue };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to, cut) = (from.try_clone().unwrap(), to.try_clone().unwrap(), is_cut.clone());
                    std::thread::spawn(move || carry(from, to, &cut));
                }
            }
        });
        Way { url, cut }
    }

    pub fn cut(&self, cut: bool) {
        self.cut.store(cut, Ordering::Relaxed);
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, cut: &AtomicBool) {
    let mut bytes = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if !cut.load(Ordering::Relaxed) && to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

pub fn until(what: &str, mut holds: impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
    start.elapsed()
}

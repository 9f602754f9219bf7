//! Pool processes over one store, nodes on the software GPU, and an etcd. Tests can kill and stop
//! each process, and cut a connection between a node and its pool. Everything runs over TCP.

use crate::installation::{Installation, own_address};
use crate::node_process::{Node, built};
use outhaul_pool::http::api::{LeaseView, NodeView};
use outhaul_pool::http::client::Client;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use crate::node_process::PATIENCE;

pub struct Pool {
    pub url: String,
    process: Child,
    store: String,
    pub installation: Installation,
}

impl Pool {
    /// Starts a pool with its own file.
    pub fn start() -> Pool {
        let installation = complete();
        let store = installation.folder.join("pool.sqlite").display().to_string();
        Pool::over(store, installation)
    }

    /// Starts a pool over an etcd that others may use too.
    pub fn start_over(etcd: &Etcd) -> Pool {
        Pool::over(etcd.url(), complete())
    }

    pub fn start_over_url(store: String) -> Pool {
        Pool::over(store, complete())
    }

    /// Sets the pool's wall clock ahead by so many seconds, if OUTHAUL_FAKETIME names libfaketime.
    pub fn set_clock(&self, ahead_s: i64) {
        std::fs::write(clock(&self.installation), format!("{ahead_s:+}")).unwrap();
    }

    /// Starts a pool with its own file, by another command.
    pub fn start_under(starter: &[&str]) -> Pool {
        let installation = complete();
        let store = installation.folder.join("pool.sqlite").display().to_string();
        let (process, url) = spawn(starter, &installation, "127.0.0.1:0", &store);
        Pool { url, process, store, installation }
    }

    fn over(store: String, installation: Installation) -> Pool {
        let (process, url) = spawn(&[], &installation, "127.0.0.1:0", &store);
        Pool { url, process, store, installation }
    }

    /// Sets the store of the pool's next start.
    pub fn store_is(&mut self, store: String) {
        self.store = store;
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
        (self.process, self.url) = spawn(&[], &self.installation, address, &self.store);
    }

    pub fn client(&self) -> Client {
        Client::new(&self.url, "alice")
    }

    /// Starts a node with so many GPUs that reaches the pool at this URL.
    pub fn node_by(&self, url: &str, name: &str, gpus: usize) -> Node {
        Node::start_in_pool(|command| {
            command
                .args(["--pool", url, "--name", name])
                .env("OUTHAUL_SOFT_DEVICES", gpus.to_string());
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

    /// Returns the path of the binary itself, which is also used as a program.
    pub fn own(&self) -> String {
        self.installation.folder.join("outhaul").display().to_string()
    }

    /// Starts a program that keeps a GPU busy until it is killed.
    pub fn player(&self) -> Program {
        let own = self.own();
        let mut command = self.command(&[
            "run",
            "--",
            &own,
            "bench",
            "player",
            "--rounds",
            "500",
            "--kernels",
            "400",
            "--mark",
            "400",
        ]);
        command
            .args(["--until-ns", &u64::MAX.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Program(command.spawn().unwrap())
    }

    /// Returns the pool's answer to a client without a name.
    pub fn page(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.url.strip_prefix("http://").unwrap()).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: pool\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
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

/// Returns an installation with a client library that programs can load.
fn complete() -> Installation {
    let installation = Installation::with_client();
    let library = installation.folder.join("outhaul-client/libcuda.so.1");
    std::fs::remove_file(&library).unwrap();
    std::fs::hard_link(built("libouthaul_client.so"), library).unwrap();
    installation
}

/// Returns the file that says how far ahead a pool's wall clock is.
fn clock(installation: &Installation) -> PathBuf {
    installation.folder.join("clock")
}

fn spawn(
    starter: &[&str],
    installation: &Installation,
    address: &str,
    store: &str,
) -> (Child, String) {
    let mut command =
        installation.command(&["pool", "serve", "--listen", address, "--store", store]);
    if let [first, rest @ ..] = starter {
        let (program, arguments) = (
            command.get_program().to_owned(),
            command.get_args().map(ToOwned::to_owned).collect::<Vec<_>>(),
        );
        command = Command::new(first);
        command.args(rest).arg(program).args(arguments);
    }
    if let Some(library) = std::env::var_os("OUTHAUL_FAKETIME") {
        std::fs::write(clock(installation), "+0").unwrap();
        command
            .env("LD_PRELOAD", library)
            .env("FAKETIME_TIMESTAMP_FILE", clock(installation))
            .env("FAKETIME_CACHE_DURATION", "1");
        command
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .env("DONT_FAKE_MONOTONIC", "1")
            .env("FAKETIME_DISABLE_SHM", "1");
    }
    let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (process, line.trim().rsplit(' ').next().unwrap().to_owned())
}

/// A node that the test can kill and restart at the same address. `start` does not wait until it
/// serves.
pub struct Serving {
    address: SocketAddr,
    words: [String; 2],
    gpus: usize,
    process: Child,
    installation: Installation,
}

impl Serving {
    pub fn start(pool: &str, name: &str, gpus: usize) -> Serving {
        let installation = Installation::bare();
        std::fs::create_dir(installation.folder.join("outhaul-soft")).unwrap();
        std::fs::hard_link(
            built("libouthaul_softgpu.so"),
            installation.folder.join("outhaul-soft/libcuda.so.1"),
        )
        .unwrap();
        let (address, words) = (own_address(), [pool.to_owned(), name.to_owned()]);
        let process = Serving::spawn(&installation, address, &words, gpus);
        Serving { address, words, gpus, process, installation }
    }

    fn spawn(
        installation: &Installation,
        address: SocketAddr,
        [pool, name]: &[String; 2],
        gpus: usize,
    ) -> Child {
        let address = address.to_string();
        let mut command = installation.command(&[
            "serve", "--listen", &address, "--gpu", "soft", "--pool", pool, "--name", name,
        ]);
        command
            .env("XDG_CACHE_HOME", installation.folder.join("cache"))
            .env("OUTHAUL_SOFT_DEVICES", gpus.to_string());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub fn start_again(&mut self) {
        self.process = Serving::spawn(&self.installation, self.address, &self.words, self.gpus);
    }

    /// Returns one of the node's workers, if there is one.
    pub fn worker(&self, draw: u64) -> Option<u32> {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.process.id())).ok()?;
        let children = threads.filter_map(|thread| {
            std::fs::read_to_string(thread.ok()?.path().join("children")).ok()
        });
        let workers: Vec<u32> = children
            .flat_map(|pids| {
                pids.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()
            })
            .collect();
        workers.get(draw as usize % workers.len().max(1)).copied()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // The signal ends all processes of the node, also those from before it was last killed.
        signal(self.process.id(), libc::SIGTERM);
        let _ = self.process.wait();
    }
}

/// A program that is killed when the test ends.
pub struct Program(Child);

impl Program {
    pub fn runs(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// Ends the program as its user would.
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

fn begin(mut etcd: Command) -> Child {
    etcd.stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("this test needs etcd (Debian's package: etcd-server)")
}

/// One member of an etcd.
pub struct Etcd {
    folder: PathBuf,
    addresses: [SocketAddr; 2],
    process: Child,
}

impl Etcd {
    pub fn start() -> Etcd {
        let addresses = [own_address(), own_address()];
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!(
            "etcd-cli-{}-{}",
            std::process::id(),
            addresses[0].ip()
        ));
        let process = Etcd::spawn(&folder, addresses);
        Etcd { folder, addresses, process }
    }

    fn spawn(folder: &PathBuf, [own, peer]: [SocketAddr; 2]) -> Child {
        let (own, peer) = (format!("http://{own}"), format!("http://{peer}"));
        let mut command = Command::new("etcd");
        command.arg("--data-dir").arg(folder).args([
            "--name",
            "one",
            "--listen-client-urls",
            &own,
            "--advertise-client-urls",
            &own,
        ]);
        command.args([
            "--listen-peer-urls",
            &peer,
            "--initial-advertise-peer-urls",
            &peer,
            "--initial-cluster",
            &format!("one={peer}"),
        ]);
        begin(command)
    }

    fn url(&self) -> String {
        format!("etcd://{}", self.addresses[0])
    }

    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub fn start_again(&mut self) {
        self.process = Etcd::spawn(&self.folder, self.addresses);
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

/// Several members of one etcd.
pub struct Cluster {
    folder: PathBuf,
    addresses: Vec<[SocketAddr; 2]>,
    processes: Vec<Child>,
}

impl Cluster {
    pub fn start(members: usize) -> Cluster {
        let addresses: Vec<[SocketAddr; 2]> =
            (0..members).map(|_| [own_address(), own_address()]).collect();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!(
            "etcd-cluster-{}-{}",
            std::process::id(),
            addresses[0][0].ip()
        ));
        let mut cluster = Cluster { folder, addresses, processes: Vec::new() };
        cluster.processes = (0..members).map(|member| cluster.spawn(member)).collect();
        cluster
    }

    fn spawn(&self, member: usize) -> Child {
        let peers =
            self.addresses.iter().enumerate().map(|(n, [_, peer])| format!("m{n}=http://{peer}"));
        let (peers, [own, peer]) = (peers.collect::<Vec<_>>().join(","), self.addresses[member]);
        let (own, peer) = (format!("http://{own}"), format!("http://{peer}"));
        let mut command = Command::new("etcd");
        command
            .arg("--data-dir")
            .arg(self.folder.join(member.to_string()))
            .args(["--name", &format!("m{member}")]);
        command.args([
            "--listen-client-urls",
            &own,
            "--advertise-client-urls",
            &own,
            "--listen-peer-urls",
            &peer,
        ]);
        command.args(["--initial-advertise-peer-urls", &peer, "--initial-cluster", &peers]);
        begin(command)
    }

    pub fn url(&self) -> String {
        let members: Vec<String> = self.addresses.iter().map(|[own, _]| own.to_string()).collect();
        format!("etcd://{}", members.join(","))
    }

    pub fn id(&self, member: usize) -> u32 {
        self.processes[member].id()
    }

    pub fn kill(&mut self, member: usize) {
        self.processes[member].kill().unwrap();
        self.processes[member].wait().unwrap();
    }

    pub fn start_again(&mut self, member: usize) {
        self.processes[member] = self.spawn(member);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub fn signal(process: u32, signal: libc::c_int) {
    // SAFETY: takes no pointers.
    unsafe { libc::kill(process as libc::pid_t, signal) };
}

/// A connection to a pool. While it is cut, it drops all data and tells neither side.
pub struct Way {
    pub url: String,
    cut: Arc<AtomicBool>,
}

impl Way {
    pub fn to(pool: &Pool) -> Way {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (behind, cut) = (
            pool.url.strip_prefix("http://").unwrap().to_owned(),
            Arc::new(AtomicBool::new(false)),
        );
        let is_cut = cut.clone();
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(&behind) else { continue };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to, cut) =
                        (from.try_clone().unwrap(), to.try_clone().unwrap(), is_cut.clone());
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

/// Copies bytes from one side to the other, unless the connection is cut.
pub fn carry(mut from: TcpStream, mut to: TcpStream, cut: &AtomicBool) {
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

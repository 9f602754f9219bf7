//! Checks that an attacker who controls a worker reaches only its own session. The worker's driver
//! is `hostile.c`, which makes the attempts in `TABLE` to leave the cell. A whole cell refuses each
//! attempt. So does each wall in the attempt's row alone. Without walls, the attempt succeeds.

use super::walls::{WALLS, supported_walls};
use crate::fixtures::installation;
use crate::fixtures::node_process::{Node, put_driver};
use std::fs::{self, File};
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};

/// The target of an attempt.
enum On {
    Nothing,
    /// A file that only the node's user may read, such as a file with a key or a token.
    Secret,
    /// A file that does not exist, next to the secret.
    New,
    Folder,
    /// An existing and a new file in the folder in which the node caches code.
    Code,
    NewCode,
    /// Processes: the node, another program of the same user, and the worker of another session.
    Node,
    Neighbour,
    OtherWorker,
    /// The address of a server on this machine.
    Port,
    /// The socket by which operators set the limits of the node's tenants.
    Administration,
    Socket,
    Program,
    /// The key of the neighbour's shared memory.
    Key,
    /// An open descriptor that the node inherited.
    Stray,
}

struct Try {
    name: &'static str,
    on: On,
    /// Walls, each of which refuses the attempt alone.
    walls: &'static [&'static str],
    /// Whether the attempt fails for users other than root, even without walls.
    needs_root: bool,
}

const fn row(name: &'static str, on: On, walls: &'static [&'static str]) -> Try {
    Try { name, on, walls, needs_root: false }
}

const fn as_root(name: &'static str, on: On, walls: &'static [&'static str]) -> Try {
    Try { name, on, walls, needs_root: true }
}

/// All attempts. Any Landlock rule keeps processes inside the cell from tracing processes outside.
const TABLE: [Try; 48] = [
    row("read", On::Secret, &["files"]),
    row("write", On::Secret, &["files"]),
    row("remove", On::Secret, &["files"]),
    row("make", On::New, &["files"]),
    row("link", On::New, &["files", "calls"]),
    row("list", On::Folder, &["files"]),
    row("change-mode", On::Secret, &["calls"]),
    as_root("open-by-handle", On::Secret, &["files", "privileges", "calls"]),
    row("write", On::Code, &["files"]),
    row("remove", On::Code, &["files"]),
    row("make", On::NewCode, &["files"]),
    row("read-environment", On::Node, &["files"]),
    row("read-environment", On::Neighbour, &["files"]),
    row("read-environment", On::OtherWorker, &["files"]),
    row("read-maps", On::Node, &["files"]),
    row("list-descriptors", On::Node, &["files"]),
    row("list-descriptors", On::OtherWorker, &["files"]),
    as_root("trace", On::Node, &["files", "network", "calls"]),
    as_root("trace", On::Neighbour, &["files", "network", "calls"]),
    as_root("peek", On::Node, &["files", "network", "calls"]),
    as_root("peek", On::OtherWorker, &["files", "network", "calls"]),
    as_root("borrow", On::Node, &["files", "network", "calls"]),
    as_root("borrow", On::OtherWorker, &["files", "network", "calls"]),
    row("signal", On::Node, &["network", "calls"]),
    row("signal", On::Neighbour, &["network", "calls"]),
    row("signal", On::OtherWorker, &["network", "calls"]),
    row("connect", On::Port, &["namespaces", "network", "calls"]),
    row("listen", On::Nothing, &["network", "calls"]),
    row("meet", On::Administration, &["namespaces", "network", "calls"]),
    row("visit", On::Socket, &["calls"]),
    row("fork", On::Nothing, &["calls"]),
    row("run", On::Program, &["files", "calls"]),
    row("attach", On::Key, &["calls"]),
    row("stray", On::Stray, &["descriptors"]),
    row("be-dumped", On::Nothing, &["secrecy"]),
    row("become-dumpable", On::Nothing, &["calls"]),
    as_root("dump-core", On::Nothing, &["privileges", "calls"]),
    as_root("open-many", On::Nothing, &["limits"]),
    as_root("real-time", On::Nothing, &["privileges"]),
    as_root("mount", On::Folder, &["files", "privileges", "calls"]),
    as_root("unshare", On::Nothing, &["privileges", "calls"]),
    as_root("set-host-name", On::Nothing, &["privileges", "calls"]),
    as_root("set-user", On::Nothing, &["privileges", "calls"]),
    as_root("bpf", On::Nothing, &["privileges", "calls"]),
    as_root("count-events", On::Nothing, &["calls"]),
    row("keep-key", On::Nothing, &["calls"]),
    as_root("userfaultfd", On::Nothing, &["calls"]),
    row("io-uring", On::Nothing, &["calls"]),
];

/// Number of a descriptor that the node inherits. It refers to a file that a session may not open.
const STRAY: i32 = 77;
/// The node's limit on open descriptors.
const FILES_MAX: libc::rlim_t = 32_768;
/// The result of an attempt that uses a feature missing from this kernel. Such an attempt fails
/// with or without walls.
const NOT_THERE: &str = ": ENOSYS";
const REACHED: &str = ": reached";

/// A machine with files, processes and sockets that do not belong to a session.
struct Surroundings {
    folder: PathBuf,
    neighbour: Child,
    server: TcpListener,
    _socket: UnixListener,
    /// Key and ID of a System V shared memory segment.
    key: (i32, i32),
}

impl Surroundings {
    fn new() -> Surroundings {
        static COUNT: AtomicI32 = AtomicI32::new(0);
        let name = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("cell-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let neighbour = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let _socket = UnixListener::bind(folder.join("socket")).unwrap();
        let key = 0x0C31_0000 | (std::process::id() as i32 & 0xFFF) << 4 | name;
        // SAFETY: takes no pointers.
        let segment = unsafe { libc::shmget(key, 4096, libc::IPC_CREAT | 0o600) };
        let surroundings = Surroundings { folder, neighbour, server, _socket, key: (key, segment) };
        surroundings.renew();
        surroundings
    }

    /// Renews the targets, because some attempts destroy them.
    fn renew(&self) {
        let secret = self.folder.join("secret");
        fs::write(&secret, "a key\n").unwrap();
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
        for new in ["new", "code/new"] {
            let _ = fs::remove_file(self.folder.join(new));
        }
        // The first call fails, because the node has not created the folder yet.
        let _ = fs::write(self.folder.join("code/kept"), "code");
    }

    /// Starts a node with a hostile driver and exactly these walls. Returns the node, and the
    /// folder of the driver.
    fn node(&self, walls: &[&str], more: &[&str]) -> (Node, PathBuf) {
        let without: Vec<_> = WALLS.into_iter().filter(|wall| !walls.contains(wall)).collect();
        let stray = File::open(self.folder.join("secret")).unwrap();
        let (open, mut driver) = (stray.as_raw_fd(), PathBuf::new());
        let node = Node::start_as(|command| {
            driver = Path::new(command.get_program()).with_file_name("outhaul-soft");
            put_driver(&driver, "hostile.c");
            command.arg("--cache").arg(self.folder.join("code")).args(more);
            if !without.is_empty() {
                command.args(["--no-wall", &without.join(",")]);
            }
            let many = libc::rlimit { rlim_cur: FILES_MAX, rlim_max: FILES_MAX };
            // SAFETY: the closure makes only async-signal-safe calls. Users other than root may
            // fail to raise the limit.
            unsafe {
                command.pre_exec(move || {
                    libc::dup2(open, STRAY);
                    libc::setrlimit(libc::RLIMIT_NOFILE, &many);
                    Ok(())
                });
            }
        });
        (node, driver)
    }

    fn words(&self, on: &On, node: &Node, other: u32) -> String {
        let path = |name: &str| self.folder.join(name).display().to_string();
        match on {
            On::Nothing => String::new(),
            On::Secret => path("secret"),
            On::New => path("new"),
            On::Folder => self.folder.display().to_string(),
            On::Code => path("code/kept"),
            On::NewCode => path("code/new"),
            On::Node => node.process.id().to_string(),
            On::Neighbour => self.neighbour.id().to_string(),
            On::OtherWorker => other.to_string(),
            On::Port => self.server.local_addr().unwrap().port().to_string(),
            On::Administration => format!("outhaul/{}/administration", node.address),
            On::Socket => path("socket"),
            On::Program => "/bin/true".into(),
            On::Key => self.key.0.to_string(),
            On::Stray => STRAY.to_string(),
        }
    }

    /// Makes a session's worker try each of `tries`. Returns the results.
    fn outcomes<'a>(&self, walls: &[&str], tries: impl Iterator<Item = &'a Try>) -> Vec<String> {
        let (node, driver) = self.node(walls, &[]);
        // The sessions start one after the other, so that the node logs their workers in this
        // order.
        let mut session = node.session();
        node.worker();
        let mut other = node.session();
        let other_worker = node.worker();
        session.create_context();
        let mut outcomes = Vec::new();
        for one in tries {
            self.renew();
            let on = self.words(&one.on, &node, other_worker);
            fs::write(driver.join("tries"), format!("{} {on}\n", one.name)).unwrap();
            assert!(session.answers(), "{} {on}: the session has ended", one.name);
            let line = node.wait_for(&format!("hostile: {} ", one.name));
            outcomes.push(format!("{} {on}: {}", one.name, line.rsplit(' ').next().unwrap()));
        }
        assert!(session.answers() && other.answers(), "sessions go on");
        outcomes
    }

    fn reached<'a>(&self, walls: &[&str], tries: impl Iterator<Item = &'a Try>) -> Vec<String> {
        self.outcomes(walls, tries)
            .into_iter()
            .filter(|outcome| outcome.ends_with(REACHED))
            .collect()
    }
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        let _ = self.neighbour.kill();
        let _ = self.neighbour.wait();
        // SAFETY: takes a null pointer; the segment belongs to this test.
        unsafe { libc::shmctl(self.key.1, libc::IPC_RMID, std::ptr::null_mut()) };
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns whether the test has all capabilities of root.
fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let rights = status.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap().trim();
    u64::from_str_radix(rights, 16).unwrap() & 0x3F_FFFF_FFFF == 0x3F_FFFF_FFFF
}

fn tries() -> impl Iterator<Item = &'static Try> {
    let root = is_root();
    TABLE.iter().filter(move |one| root || !one.needs_root)
}

#[test]
fn a_worker_in_a_cell_reaches_nothing_but_its_session() {
    let supported = supported_walls();
    let refused = tries().filter(|one| one.walls.iter().any(|wall| supported.contains(wall)));
    assert_eq!(Surroundings::new().reached(&WALLS, refused), [""; 0]);
}

#[test]
fn each_wall_alone_refuses_its_attacks() {
    for wall in supported_walls() {
        let own = tries().filter(|one| one.walls.contains(&wall));
        assert_eq!(
            Surroundings::new().reached(&[wall], own),
            [""; 0],
            "with the wall '{wall}' alone"
        );
    }
}

/// Without this test, the refusals in the other tests would prove nothing.
#[test]
fn without_walls_a_worker_reaches_all_of_it() {
    let outcomes = Surroundings::new().outcomes(&[], tries());
    let refused: Vec<_> = outcomes
        .iter()
        .filter(|outcome| !outcome.ends_with(REACHED) && !outcome.ends_with(NOT_THERE))
        .collect();
    assert_eq!(refused, [""; 0]);
}

#[test]
fn a_refused_system_call_is_logged_on_request() {
    let surroundings = Surroundings::new();
    let (node, driver) = surroundings.node(&WALLS, &["--log-refusals"]);
    let mut session = node.session();
    session.create_context();
    fs::write(driver.join("tries"), "keep-key\n").unwrap();
    assert!(session.answers());
    node.wait_for("the system call add_key is refused");
    assert!(node.wait_for("hostile: keep-key ").ends_with("EPERM") && session.answers());
}

#[test]
fn the_doctor_lists_the_walls_and_how_to_enable_the_missing_ones() {
    let report =
        installation::text(&installation::Installation::with_client().output(&["doctor"]).stdout);
    let cells: Vec<_> = report.lines().filter(|line| line.contains(" cells ")).collect();
    assert!(supported_walls().iter().all(|wall| cells[0].contains(wall)), "{report}");
    assert_eq!(cells.len(), 1 + WALLS.len() - supported_walls().len(), "{report}");
}

#[test]
fn a_wall_that_is_no_wall_is_not_left_away() {
    let refused = installation::Installation::bare().output(&["serve", "--no-wall", "moat"]);
    let words = installation::text(&refused.stderr);
    assert!(
        !refused.status.success()
            && words.contains("'moat'")
            && WALLS.iter().all(|wall| words.contains(wall)),
        "{words}"
    );
}

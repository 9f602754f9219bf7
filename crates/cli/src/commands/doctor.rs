//! `outhaul doctor`: checks this machine, then the node, or the pool with its nodes, then the
//! connection between them. Prints one line per check: the fault, and what to do. Skips checks that
//! depend on a failed one.

use crate::address::node::{NodeAddress, NodeList, PORT};
use crate::address::pool::PoolAddress;
use crate::check::cell_walls;
use crate::check::device_files;
use crate::check::driver_probe;
use crate::check::elf::Elf;
use crate::check::link::LinkMeasurement;
use crate::check::session::{Offer, Session, would_serve};
use crate::commands::ls::version;
use crate::error::Error;
use crate::install::{DRIVER, InstalledLibrary, NVML};
use crate::quantity::counted;
use crate::shares::node::NodeHere;
use outhaul_node::cell::{Plan, WALLS, Wall};
use outhaul_node::meter::gpu_processes::GpuProcesses;
use outhaul_pool::http::api::{Health, NodeView};
use outhaul_transport::{HelloError, NODE_VARIABLE};
use outhaul_wire::handshake::PROTOCOL;
use outhaul_wire::level::SPEC_HASH;
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

const MEASURE_SECONDS_MAX: u64 = 60;
/// Device files. JAX uses no driver unless at least one of them exists.
const JAX_DEVICE_FILES: [&str; 3] = ["/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"];
/// Longest round trip that suits a program that often waits for its GPU.
const ROUND_TRIP_GOOD: Duration = Duration::from_millis(2);

/// Check this machine, a node and the link between them; say what is wrong and what to do.
#[derive(clap::Args)]
#[command(after_help = "\
The exit code is 1 if anything is wrong.

Examples:
  outhaul doctor                      this machine only
  outhaul doctor --node gpu7:7654     and whether programs can use that node
  outhaul doctor --pool https://pool:7653    and whether they can use that pool and each of its \
  nodes")]
pub struct Arguments {
    /// Addresses of the nodes to check [default: OUTHAUL_NODE].
    #[arg(long, value_name = "HOST:PORT[,HOST:PORT...]")]
    node: Option<NodeList>,
    /// URL of the pool to check [default: OUTHAUL_POOL, if no node is named].
    #[arg(long, value_name = "URL[,URL...]", conflicts_with = "node")]
    pool: Option<PoolAddress>,
}

enum Verdict {
    Ok,
    Wrong,
    /// The line is information, not a fault.
    Note,
}

#[derive(Default)]
struct Checkup {
    wrong: bool,
}

impl Checkup {
    fn say(&mut self, verdict: Verdict, subject: &str, finding: &str) {
        let word = match verdict {
            Verdict::Ok => "ok",
            Verdict::Note => "note",
            Verdict::Wrong => {
                self.wrong = true;
                "WRONG"
            }
        };
        println!("{word:<6} {subject:<15} {finding}");
    }

    /// Prints a check's result. Returns the result's value if the check passed.
    fn check<T>(
        &mut self,
        subject: &str,
        result: Result<T, impl ToString>,
        finding: impl FnOnce(&T) -> String,
    ) -> Option<T> {
        match result {
            Ok(found) => {
                self.say(Verdict::Ok, subject, &finding(&found));
                Some(found)
            }
            Err(error) => {
                self.say(Verdict::Wrong, subject, &error.to_string());
                None
            }
        }
    }
}

/// Prints what works on this machine and what does not.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let mut checkup = Checkup::default();
    checkup.say(
        Verdict::Ok,
        "outhaul",
        &format!("release {}, protocol {PROTOCOL}, spec {SPEC_HASH:016x}", outhaul_node::RELEASE),
    );
    let client = checkup.check("client library", InstalledLibrary::Client.find(), |folder| {
        folder.join(DRIVER).display().to_string()
    });
    if let Some(folder) = &client {
        files_that_programs_need(&mut checkup, folder);
        shared_memory(&mut checkup, folder);
    }
    own_gpu(&mut checkup);
    cells(&mut checkup);
    ways_around(&mut checkup, arguments.node.as_ref());
    if let Some(pool) = PoolAddress::unless_node(&arguments.pool, &arguments.node)? {
        pool_works(&mut checkup, &pool);
        return Ok(ExitCode::from(u8::from(checkup.wrong)));
    }
    match NodeList::or_environment(arguments.node) {
        Ok(nodes) => {
            let broken =
                nodes.nodes().iter().filter(|node| !node_works(&mut checkup, node)).count();
            if let (0, Some(folder)) = (broken, client) {
                let found = driver_probe::count(
                    &folder.join(DRIVER),
                    &[(NODE_VARIABLE, &nodes.to_string())],
                );
                checkup.check("program", found, |count| {
                    format!(
                        "the client library starts and \
                finds {}",
                        counted(*count, "GPU")
                    )
                });
            }
        }
        Err(Error::NoNode) => checkup.say(
            Verdict::Note,
            "node",
            "not checked, because none is named; name one with \
            --node HOST:PORT, or a pool with --pool URL",
        ),
        Err(error) => checkup.say(Verdict::Wrong, "node", &error.to_string()),
    }
    Ok(ExitCode::from(u8::from(checkup.wrong)))
}

/// Checks for files that some programs need in addition to the driver.
fn files_that_programs_need(checkup: &mut Checkup, folder: &Path) {
    let (driver, nvml) = (folder.join(DRIVER), folder.join(NVML));
    let advice = format!("ln -sf {DRIVER} {}", nvml.display());
    match (driver.metadata(), nvml.metadata()) {
        (_, Err(_)) => {
            let finding = format!(
                "no {NVML} next to the client library, so monitors see no GPU; make it: {advice}"
            );
            checkup.say(Verdict::Note, "NVML", &finding);
        }
        (Ok(one), Ok(other))
            if (one.dev(), one.ino()) != (other.dev(), other.ino()) && !loads_the_driver(&nvml) =>
        {
            let finding = format!(
                "{NVML} and {DRIVER} are different files; a program that loads both, as NCCL does, \
                needs one with two names: {advice}"
            );
            checkup.say(Verdict::Wrong, "NVML", &finding);
        }
        _ => {}
    }
    if !JAX_DEVICE_FILES.iter().any(|path| Path::new(path).exists()) {
        let file = JAX_DEVICE_FILES[0];
        checkup.say(
            Verdict::Note,
            "JAX",
            &format!(
                "checks whether {file} exists before it asks any driver; for JAX, make an \
            empty one: touch {file}"
            ),
        );
    }
}

/// Reports how the client detects a program's writes to memory that it shares with the GPU.
fn shared_memory(checkup: &mut Checkup, folder: &Path) {
    // The probe may fail because the library is of another release. The handshake reports that.
    let Ok(found) = driver_probe::writes(&folder.join(DRIVER)) else { return };
    let (verdict, finding) = match found {
        0 => (
            Verdict::Note,
            "this kernel does not say which pages a program writes, so managed memory, and pinned \
            memory that kernels use, are compared over a link, 50 us for a MiB; Linux 6.8 says it, \
            where `userfaultfd` is permitted",
        ),
        1 => (
            Verdict::Note,
            "the kernel says which pages a program writes, and not when it touches one: managed \
            memory comes back whole after each wait, and pinned memory that kernels use is \
            compared, unless vm.unprivileged_userfaultfd is 1 or /dev/userfaultfd may be opened",
        ),
        2 => (
            Verdict::Note,
            "managed memory is fetched when read; pinned memory that kernels use is compared over \
            a link, 50 us for a MiB, unless Linux is 6.8 or later",
        ),
        _ => (
            Verdict::Ok,
            "managed memory is fetched when read, and pinned memory that kernels use is compared \
            only while the program touches it",
        ),
    };
    checkup.say(verdict, "shared host memory", finding);
}

/// Returns whether the NVML library loads the driver. Packages without symbolic links ship a
/// separate NVML library, which only loads the driver.
fn loads_the_driver(nvml: &Path) -> bool {
    Elf::read(nvml).is_some_and(|elf| elf.needed.iter().any(|name| name == DRIVER))
}

/// Reports what `outhaul serve` would offer here. A machine without a GPU is not a fault.
fn own_gpu(checkup: &mut Checkup) {
    match (driver_probe::count(DRIVER.as_ref(), &[]), InstalledLibrary::Soft.find()) {
        (Ok(count), _) => checkup.say(
            Verdict::Ok,
            "this machine",
            &format!("{}; `outhaul serve` offers the driver's", counted(count, "GPU")),
        ),
        (Err(_), Ok(_)) => checkup.say(
            Verdict::Note,
            "this machine",
            "no CUDA driver with a GPU; `outhaul serve` offers the software GPU",
        ),
        (Err(_), Err(error)) => {
            checkup.say(
                Verdict::Note,
                "this machine",
                &format!("no CUDA driver with a GPU, so nothing to serve: {error}"),
            );
        }
    }
}

/// Reports which walls would protect this machine from an attacker in a session, if it served.
fn cells(checkup: &mut Checkup) {
    let (library, nowhere) = (driver_probe::resolve("auto").ok(), Path::new("/nonexistent"));
    let driver = library.as_ref().map(|library| (library.as_path(), nowhere));
    let finding = cell_walls::test_walls(&[], |without| {
        driver_probe::cell(&Plan { without: without.to_vec(), ..Plan::default() }, driver)
    });
    let falls = |wall: &Wall| {
        finding.missing.iter().any(|one| one.wall == *wall)
            || finding.refused.iter().any(|(one, _)| one == wall)
    };
    let effective: Vec<_> =
        WALLS.iter().filter(|wall| !falls(wall)).map(|wall| wall.name()).collect();
    checkup.say(
        Verdict::Ok,
        "cells",
        &format!("sessions served here have these walls: {}", effective.join(", ")),
    );
    for words in finding.words(library.as_deref().unwrap_or(nowhere)) {
        checkup.say(Verdict::Note, "cells", &words);
    }
}

/// Reports ways around the nodes of this machine that serve this user: device files that everyone
/// may open, and processes that use a GPU already.
fn ways_around(checkup: &mut Checkup, named: Option<&NodeList>) {
    let Some(processes) = GpuProcesses::open() else { return };
    let usual = format!("127.0.0.1:{PORT}").parse::<NodeAddress>().ok();
    let named = named.map(|nodes| nodes.nodes().to_vec());
    for node in named.unwrap_or_else(|| usual.into_iter().collect()) {
        let Ok(seen) = NodeHere::at(node.clone()).observe(Some(&processes)) else { continue };
        if !processes.know_any(&seen.status.gpu_identities) {
            continue;
        }
        let open = device_files::open_to_everyone(Path::new("/dev"));
        if !open.is_empty() {
            let words = device_files::words(&open, node.as_str());
            checkup.say(Verdict::Note, "ways around", &words);
        }
        for line in seen.describe_others().lines() {
            checkup.say(Verdict::Note, "ways around", line);
        }
        if open.is_empty() && seen.other_processes.is_empty() {
            let finding = format!("none is open to all users, and nobody goes around {node}");
            checkup.say(Verdict::Ok, "ways around", &finding);
        }
    }
}

/// Checks that sessions with the node work.
fn node_works(checkup: &mut Checkup, node: &NodeAddress) -> bool {
    let resolved = node.as_str().to_socket_addrs().map_err(|e| {
        format!(
            "{} has no address ({e}); check the spelling, or use the machine's IP address",
            node.host()
        )
    });
    let addresses = |found: &Vec<_>| {
        format!(
            "{} is {}",
            node.host(),
            found
                .iter()
                .map(|a: &std::net::SocketAddr| a.ip().to_string())
                .collect::<Vec<_>>()
                .join(", ")
        )
    };
    if checkup.check("node name", resolved.map(Iterator::collect::<Vec<_>>), addresses).is_none() {
        return false;
    }
    let start = Instant::now();
    let opened = Session::open(node).and_then(|session| Ok((session.offer()?, session)));
    let took_ms = start.elapsed().as_millis();
    let described = |(offer, _): &(Offer, _)| {
        format!(
            "{node} took one in {took_ms} ms; Outhaul {}, CUDA driver {}",
            offer.release,
            version(offer.driver_version)
        )
    };
    let Some((offer, session)) = checkup.check("session", opened, described) else { return false };
    let devices = match offer.devices.len() {
        0 => Err(
            "the node has no GPU; restart it with --gpu soft, or --gpu PATH of a driver that finds \
            one",
        ),
        count => Ok(format!(
            "{}: {}",
            counted(count, "GPU"),
            offer.devices.iter().map(|gpu| gpu.name.as_str()).collect::<Vec<_>>().join(", ")
        )),
    };
    let devices = checkup.check("devices", devices, String::clone).is_some();
    let link = checkup.check("link", measure(session), describe);
    if link.as_ref().is_some_and(|link| link.round_trip > ROUND_TRIP_GOOD) {
        checkup.say(
            Verdict::Note,
            "link",
            "programs that wait for each result will be slow over \
        this link; use a nearer node for them",
        );
    }
    devices && link.is_some()
}

/// Checks that a pool answers, knows the user, and has nodes that programs on this machine reach.
fn pool_works(checkup: &mut Checkup, pool: &PoolAddress) {
    if pool.processes().filter(|process| has_address(checkup, process)).count() == 0 {
        return;
    }
    let Some(client) = checkup.check("identity", pool.client(), |_| who(pool)) else { return };
    if pool.processes().filter(|process| process_works(checkup, process)).count() == 0 {
        return;
    }
    let known = |nodes: &Vec<NodeView>| {
        format!("{pool} knows this user, and has {}", counted(nodes.len(), "node"))
    };
    let Some(nodes) = checkup.check("access", client.get::<Vec<NodeView>>("/v1/nodes"), known)
    else {
        return;
    };
    if let Ok(Some(file)) = pool.ca_file() {
        outhaul_transport::trust(file);
    }
    if nodes.is_empty() {
        checkup.say(
            Verdict::Wrong,
            "nodes",
            "the pool has none; start one with `outhaul serve --pool URL`",
        );
    }
    nodes.iter().for_each(|node| pools_node_works(checkup, node));
}

fn has_address(checkup: &mut Checkup, process: &PoolAddress) -> bool {
    let host = process.host();
    let resolved = (host, process.port()).to_socket_addrs().map_err(|error| {
        format!(
            "{host} has no address ({error}); check the spelling, or use the machine's IP address"
        )
    });
    let addresses = |found: &Vec<SocketAddr>| {
        found.iter().map(|one| one.ip().to_string()).collect::<Vec<_>>().join(", ")
    };
    checkup
        .check("pool's name", resolved.map(Iterator::collect), |found| {
            format!("{host} is {}", addresses(found))
        })
        .is_some()
}

/// Checks that one of a pool's processes answers.
fn process_works(checkup: &mut Checkup, process: &PoolAddress) -> bool {
    let described = |health: &Health| {
        let Health { release, nodes, gpus, held, waiting, .. } = health;
        format!(
            "{process} is Outhaul {release}, with {}, {}, {} and {} in the queue",
            counted(nodes, "node"),
            counted(gpus, "GPU"),
            counted(held, "lease"),
            counted(waiting, "request")
        )
    };
    let health = process.client().and_then(|client| Ok(client.get("/v1/health")?));
    checkup.check("pool", health, described).is_some()
}

fn who(pool: &PoolAddress) -> String {
    if pool.is_secure() {
        "this machine has a token of the pool".into()
    } else {
        "the pool has no identity, so it trusts any user name".into()
    }
}

/// Checks that programs on this machine reach a pool's node. The check shows no lease, so a healthy
/// node refuses to begin a session.
fn pools_node_works(checkup: &mut Checkup, node: &NodeView) {
    let subject = format!("node {}", node.name);
    if let Some(down) = node.down {
        return checkup.say(
            Verdict::Wrong,
            &subject,
            &format!("down: {}; its log says more", down.why),
        );
    }
    let draining = if node.draining { " (nothing new is placed there)" } else { "" };
    match would_serve(&node.address, "", "").map_err(|failure| failure.error) {
        Ok(()) | Err(HelloError::Refused(_) | HelloError::Busy(_)) => {
            checkup.say(
                Verdict::Ok,
                &subject,
                &format!(
                    "answers at {}{draining}, with {}",
                    node.address,
                    counted(node.gpus.len(), "GPU")
                ),
            );
        }
        Err(error) => {
            let finding = format!(
                "{error}; if programs elsewhere reach it by another address, set that with \
                `outhaul serve --advertise HOST:PORT`"
            );
            checkup.say(Verdict::Wrong, &subject, &finding);
        }
    }
}

/// Measures the link to a node. Gives up if the node stops answering.
fn measure(mut session: Session) -> Result<LinkMeasurement, String> {
    let (give, take) = mpsc::channel();
    std::thread::spawn(move || {
        let measured = session
            .link()
            .map_err(|error| format!("the session broke: {error}; the node's log says why"));
        session.end();
        // The thread that waits for the measurement may have given up.
        let _ = give.send(measured);
    });
    let late = |_| {
        format!(
            "no answer within {MEASURE_SECONDS_MAX} seconds; check the network between the two \
            machines"
        )
    };
    take.recv_timeout(Duration::from_secs(MEASURE_SECONDS_MAX)).map_err(late)?
}

fn describe(link: &LinkMeasurement) -> String {
    let round_trip_ms = link.round_trip.as_secs_f64() * 1e3;
    format!(
        "{round_trip_ms:.3} ms round trip, {:.2} GB/s to the node, over {}",
        link.to_node_bytes_per_s / 1e9,
        link.transport
    )
}

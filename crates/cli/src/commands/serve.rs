//! `outhaul serve`: offers this machine's GPUs. The listener itself loads no driver. It learns
//! about the GPUs as a client of itself, so its line on stdout means that sessions work.

use crate::address::credentials;
use crate::address::folders::keep_private;
use crate::address::hostname::hostname;
use crate::address::names;
use crate::address::node::NodeAddress;
use crate::address::pool::PoolAddress;
use crate::check::cell_walls;
use crate::check::cell_walls::CellOptions;
use crate::check::driver_probe;
use crate::check::session::{self, Offer, Session};
use crate::error::{Error, SessionError};
use crate::internal::notify;
use crate::internal::reexec::Renewal;
use crate::pool::frame_curves::FrameOptions;
use crate::quantity::{bytes, seconds, seconds_or_none};
use crate::shares::SharingFlags;
use crate::signals::{Signal, SignalActions};
use outhaul_abi::SOFTWARE_GPU;
use outhaul_membership::Membership;
use outhaul_node::accounting::accounts::Limits;
use outhaul_node::cell::{WALLS, Wall};
use outhaul_node::keeper::client::KeeperClient;
use outhaul_node::listener::drain::Drain;
use outhaul_node::listener::node::Config;
use outhaul_node::log::log_event;
use outhaul_node::meter::{Meter, energy_counters};
use outhaul_pool::http::client::Client;
use outhaul_pool::http::joining;
use outhaul_pool::identity::credentials::Proof;
use outhaul_pool::identity::secret::random_digits;
use outhaul_pool::identity::token::unverified;
use outhaul_pool::identity::{Credentials, Grant};
use outhaul_pool::model::node::{FrameCurve, Gpu, NodeFacts};
use outhaul_share::Shares;
use outhaul_transport::os::tune_settings;
use outhaul_transport::{HelloError, Identity, is_packing_wanted};
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const OWN_DIGITS: usize = 32;

/// Offer this machine's GPUs to programs on other machines.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul serve                               the machine's GPU, for programs on this machine
  outhaul serve --gpu soft                    the software GPU: no GPU needed
  outhaul serve --pool http://127.0.0.1:7653  as a node of a pool
  outhaul serve --listen 0.0.0.0:7654 --pool https://pool:7653 --join TOKEN    over TLS, as a node \
  of a pool with an identity
  outhaul serve --share research=70 --share teaching=30
  outhaul serve --listen 10.0.0.7:7654 --insecure    on a network that you trust")]
pub struct Arguments {
    /// Address to listen on. Port 0 picks a free port.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7654",
        value_parser = crate::address::listen::listen_address)]
    listen: SocketAddr,
    /// Driver of the GPUs: `soft` for the software GPU, the path of a libcuda.so.1, or `auto`.
    /// `auto` takes the machine's driver if it finds a GPU, else the software GPU.
    #[arg(long, value_name = "auto|soft|PATH", default_value = "auto")]
    gpu: String,
    /// Folder that caches code between sessions [default: ~/.cache/outhaul/code].
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Maximum number of sessions at once.
    #[arg(long, value_name = "N", default_value_t = 256,
        value_parser = clap::value_parser!(u16).range(1..))]
    sessions: u16,
    /// URL of a pool to join. Then only programs with a lease may use the GPUs.
    #[arg(long, value_name = "URL[,URL...]")]
    pool: Option<PoolAddress>,
    /// Name of the node in the pool [default: the machine's name].
    #[arg(long, value_name = "NAME", requires = "pool", value_parser = names::node)]
    name: Option<String>,
    /// Token from `outhaul pool token node`, to join a pool that has an identity. The node needs it
    /// once, and again when its certificate cannot be renewed.
    #[arg(
        long,
        value_name = "TOKEN",
        requires = "pool",
        env = "OUTHAUL_JOIN",
        hide_env_values = true
    )]
    join: Option<String>,
    /// Folder for the node's certificate and TLS key [default: ~/.local/state/outhaul/node/POOL, in
    /// a pool with an identity].
    #[arg(long, value_name = "DIR")]
    identity: Option<PathBuf>,
    /// Address at which the pool's programs reach this node [default: the address that it listens
    /// on, or the machine's name].
    #[arg(long, value_name = "HOST:PORT", requires = "pool")]
    advertise: Option<NodeAddress>,
    /// Time without an answer from the pool after which the node ends all leases [default: no
    /// limit; programs continue without the pool].
    #[arg(long, value_name = "1h", value_parser = seconds, requires = "pool")]
    pool_absence_max: Option<u64>,
    #[command(flatten)]
    frames: FrameOptions,
    #[command(flatten)]
    shares: SharingFlags,
    /// Maximum memory of each GPU for a session [default: no limit]. Leases have limits of their
    /// own.
    #[arg(long, value_name = "4GiB", value_parser = bytes, conflicts_with = "pool")]
    memory_per_session: Option<u64>,
    /// Maximum run time of a kernel or a whole graph. The node ends the session of a longer one
    /// [default: no limit].
    #[arg(long, value_name = "30s", value_parser = seconds)]
    kernel_limit: Option<u64>,
    /// Maximum time to wait for a program whose connection broke. Programs ask for a time with
    /// OUTHAUL_GRACE. If this process is killed, its sessions wait as long for another `outhaul
    /// serve` at this address. With 0s no session waits.
    #[arg(long, value_name = "120s", value_parser = seconds_or_none, default_value = "120s")]
    grace: u64,
    /// Maximum time to wait for running sessions after SIGTERM; meanwhile the node accepts no new
    /// ones. A second SIGTERM, or SIGINT, ends the node at once; with 0s, the first SIGTERM does.
    #[arg(long, value_name = "10m", value_parser = seconds_or_none, default_value = "20s")]
    drain_timeout: u64,
    /// Host memory for data that a GPU does not hold [default: half of the machine's]. With this
    /// option, programs together may allocate more memory than a GPU has; they take turns, one at a
    /// time.
    #[arg(long, value_name = "64GiB", num_args = 0..=1, default_missing_value = HALF,
        value_parser = host_memory, conflicts_with = "pool")]
    oversubscribe: Option<u64>,
    /// Maximum memory that the node uses on each GPU, to try out a smaller GPU [default: all of
    /// it].
    #[arg(long, value_name = "16GiB", alias = "card-memory", value_parser = bytes,
        requires = "oversubscribe")]
    gpu_memory: Option<u64>,
    /// Wall to leave out of the cells, for a driver that does not work within it. `outhaul doctor`
    /// lists the walls. An attacker in a session then reaches what the wall protects.
    #[arg(long, value_name = "WALL|all", value_delimiter = ',', value_parser = walls)]
    no_wall: Vec<Walls>,
    /// Do not serve if this machine or its driver does not support a wall. By default, the node
    /// logs the missing wall and serves.
    #[arg(long)]
    require_walls: bool,
    /// Log each system call that a cell denies a session, to find out what a driver needs. A denied
    /// call in a thread that blocks all signals then ends the session.
    #[arg(long)]
    log_refusals: bool,
    /// Listen on addresses beyond this machine without authenticating clients. In a pool with an
    /// identity, accept sessions without TLS.
    #[arg(long)]
    insecure: bool,
}

/// Maximum time for telling the pool that the node leaves.
const LEAVING_MAX: Duration = Duration::from_secs(3);

fn wait_for_sessions(drain: &Drain, limit: Duration) {
    match drain.begin() {
        0 => {}
        running => log_event(&format!(
            "the node ends when its sessions have ended, or in {} s; sessions: {running}",
            limit.as_secs()
        )),
    }
    match drain.wait(limit) {
        0 => {}
        running => log_event(&format!(
            "--drain-timeout is over: running sessions end with the node: {running}"
        )),
    }
}

/// The walls that an option names: one wall, or all.
#[derive(Clone)]
struct Walls(Vec<Wall>);

fn walls(text: &str) -> Result<Walls, String> {
    if text == ALL { Ok(Walls(WALLS.to_vec())) } else { text.parse().map(|wall| Walls(vec![wall])) }
}

/// The value that means all walls.
const ALL: &str = "all";
/// The value that means half of the machine's memory.
const HALF: &str = "half";

fn host_memory(text: &str) -> Result<u64, String> {
    if text != HALF {
        return bytes(text);
    }
    // SAFETY: takes no pointers.
    let (pages, page_bytes) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    Ok(pages.max(0) as u64 * page_bytes.max(0) as u64 / 2)
}

/// Serves this machine's GPUs until the process is told to end.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let secure = arguments.pool.as_ref().is_some_and(PoolAddress::is_secure);
    if !arguments.listen.ip().is_loopback() && !arguments.insecure && !secure {
        return Err(Error::NotLoopback(arguments.listen));
    }
    let credentials = credentials(&arguments)?;
    let identity =
        credentials.as_ref().filter(|_| !arguments.insecure).map(identity).transpose()?;
    tune_settings::check().map_err(Error::Refused)?;
    is_packing_wanted().map_err(Error::Refused)?;
    let measured = arguments.frames.read()?;
    let cache = arguments.cache.map_or_else(default_cache, Ok)?;
    let mut shares = Shares::default();
    if arguments.oversubscribe.is_some() {
        (shares.joint, shares.exclusive, shares.oversubscribed) = (true, true, true);
    }
    arguments.shares.change().apply(&mut shares).map_err(|e| Error::Refused(e.to_string()))?;
    shares
        .configuration(&BTreeMap::new(), &BTreeMap::new())
        .map_err(|e| Error::Refused(e.to_string()))?;
    let mut limits = Limits::of_each_session(arguments.memory_per_session);
    limits.set(&arguments.shares.change().memory).map_err(|e| Error::Refused(e.to_string()))?;
    let library = driver_probe::resolve(&arguments.gpu)?;
    let without = arguments.no_wall.iter().flat_map(|walls| walls.0.iter().copied()).collect();
    let options = CellOptions {
        without,
        required: arguments.require_walls,
        logs_refusals: arguments.log_refusals,
    };
    let cell = cell_walls::of_node(options, &library, &cache)?;
    let own = random_digits(OWN_DIGITS)
        .map_err(|error| Error::Io { doing: "cannot make a key".into(), error })?;
    let name = credentials
        .as_ref()
        .map(Credentials::node_name)
        .transpose()?
        .flatten()
        .or(arguments.name)
        .unwrap_or_else(hostname);
    let client = |pool: PoolAddress| match &credentials {
        Some(credentials) => Ok(Client::of(&pool.to_string(), credentials)?),
        None => pool.client(),
    };
    let meter = Arc::new(Meter::default());
    let absence_max = arguments.pool_absence_max.map(Duration::from_secs);
    let keeping = Arc::new(KeeperClient::of(Duration::from_secs(arguments.grace)));
    let accounts = || (meter.clone(), keeping.clone());
    let member =
        |client| Membership::new(client, name.clone(), own.clone(), accounts(), absence_max);
    let pool_place = arguments.pool.as_ref().map(|pool| (pool.host().to_owned(), pool.port()));
    let member = arguments.pool.map(client).transpose()?.map(member);
    let drain = Arc::<Drain>::default();
    let (draining, drain_timeout) = (drain.clone(), Duration::from_secs(arguments.drain_timeout));
    let leaving = member.as_ref().map(|(membership, _)| membership.clone());
    let [meaning, ending, renewing] = [(); 3].map(|()| keeping.clone());
    let at_end = move |signal| {
        if signal == Signal::Terminate && !drain_timeout.is_zero() {
            wait_for_sessions(&draining, drain_timeout);
        }
        leaving.inspect(|membership| membership.leave());
        ending.end();
    };
    let renewal = Renewal::of_this_program();
    let renew = move || renewal.begin(renewing.is_there());
    SignalActions {
        limit: drain_timeout + LEAVING_MAX,
        before_end: move || meaning.mean_the_end(),
        renew,
        at_end,
    }
    .prepare()
    .map_err(|error| Error::Io { doing: "cannot wait for signals".into(), error })?;
    let leases = member.as_ref().map(|(_, leases)| leases.clone());
    let metered = leases.is_some().then(|| meter.clone());
    let (listen, sessions_max) = (arguments.listen, usize::from(arguments.sessions));
    let (kernel_limit, oversubscribe, gpu_bytes) = (
        arguments.kernel_limit.map(Duration::from_secs),
        arguments.oversubscribe,
        arguments.gpu_memory,
    );
    let sealed = identity.is_some();
    let config = Config {
        listen,
        library,
        cache,
        sessions_max,
        leases,
        shares,
        limits,
        kernel_limit,
        grace: Duration::from_secs(arguments.grace),
        oversubscribe,
        gpu_bytes,
        identity,
        meter: metered,
        cell,
        drain,
        keeping: keeping.clone(),
    };
    let kept = keeping.clone();
    let frames = arguments.frames.clone();
    let served = outhaul_node::listener::serve::serve(config, move |address| {
        let announcing = std::thread::Builder::new().spawn(move || {
            let prove = |address: String| {
                if sealed { NodeAddress::named(&name, &address) } else { address }
            };
            let itself = prove(reachable(address).to_string());
            let offer = announce(address, &itself, &own, &keeping);
            if let Some((membership, _)) = member {
                let reached = arguments.advertise.map_or_else(
                    || advertised(address, pool_place),
                    |address| address.as_str().to_owned(),
                );
                let reached = prove(reached);
                let uuids: Vec<String> = offer.devices.iter().map(|gpu| gpu.uuid.clone()).collect();
                let are_software =
                    offer.devices.iter().all(|gpu| gpu.name.starts_with(SOFTWARE_GPU));
                let meter = meter.clone();
                std::thread::spawn(move || energy_counters::book(&meter, &uuids, are_software));
                let models: Vec<String> =
                    offer.devices.iter().map(|gpu| gpu.name.clone()).collect();
                let curves = frames.curves(measured, &arguments.gpu, &models, &keeping);
                let facts = facts(name, reached, frames.link(), curves, &offer);
                membership.live(&facts, move || check_gpus(&itself, &own, &offer));
            }
        });
        announcing.map(drop)
    });
    served.inspect_err(|_| kept.end_unless_it_began_before())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns this machine's credentials in a pool that has an identity. Joins with the token if this
/// machine is not, or no longer, a node of the pool. Otherwise renews the credentials.
fn credentials(arguments: &Arguments) -> Result<Option<Credentials>, Error> {
    let Some(pool) = arguments.pool.as_ref().filter(|pool| pool.is_secure()) else {
        let Some(folder) = &arguments.identity else { return Ok(None) };
        keep_private(folder)?;
        let credentials = Credentials::load(folder)?
            .ok_or_else(|| Error::Identity(format!("{} has no certificate", folder.display())))?;
        outhaul_transport::trust(Credentials::ca_file(folder));
        return Ok(Some(credentials));
    };
    let folder = arguments.identity.clone().map_or_else(|| credentials::node_folder(pool), Ok)?;
    keep_private(&folder)?;
    let credentials = match (Credentials::load(&folder)?, &arguments.join) {
        (Some(credentials), token) => renewed(&pool.to_string(), credentials, token.as_deref()),
        (None, Some(token)) => join(&pool.to_string(), token)?,
        (None, None) => return Err(Error::NodeNotJoined(pool.to_string())),
    };
    let name = credentials.node_name()?.ok_or_else(for_a_user)?;
    if let Some(other) = arguments.name.as_ref().filter(|other| !other.eq_ignore_ascii_case(&name))
    {
        return Err(Error::Identity(format!(
            "this machine is the pool's node '{name}', and cannot be '{other}'; {} says so",
            folder.display()
        )));
    }
    credentials.save(&folder)?;
    // With this certificate, the node's own session verifies the pool's nodes. So do the node's
    // workers when they connect to other nodes.
    outhaul_transport::trust(Credentials::ca_file(&folder));
    Ok(Some(credentials))
}

/// Renews the credentials, or gets new ones with the token. If both fail, the old credentials
/// remain valid until they expire.
fn renewed(pool: &str, old: Credentials, token: Option<&str>) -> Credentials {
    let failed = match joining::renew(pool, &old) {
        Ok(credentials) => return credentials,
        Err(error) => format!("the node's certificate is not renewed: {error}"),
    };
    match token.map(|token| join(pool, token)) {
        None => log_event(&format!(
            "{failed}; the node keeps the old one. If the pool refuses it, join again with --join \
            TOKEN"
        )),
        Some(Ok(credentials)) => {
            log_event(&format!("{failed}; the node has joined anew with its token"));
            return credentials;
        }
        Some(Err(error)) => log_event(&format!(
            "{failed}; joining with the token failed too: {error}; the node keeps the old one"
        )),
    }
    old
}

/// Joins with a node's token. Refuses another before it is used, because a token is good once.
fn join(pool: &str, token: &str) -> Result<Credentials, Error> {
    if matches!(unverified(token)?.grant, Grant::JoinUser(_)) {
        return Err(for_a_user());
    }
    Ok(joining::join(pool, token)?.1)
}

fn for_a_user() -> Error {
    Error::Identity("the token is for a user: join with `outhaul token join TOKEN`".into())
}

/// Returns the TLS identity that the node presents on its lanes.
fn identity(credentials: &Credentials) -> Result<Identity, Error> {
    let Proof::Certificate { chain_pem, key_pem } = &credentials.proof else {
        return Err(Error::Identity("the node has no certificate".into()));
    };
    Identity::new(chain_pem, key_pem)
        .map_err(|error| Error::Identity(format!("the node's certificate: {error}")))
}

/// Returns the address at which other machines reach a listener. The address is this machine's name
/// if that resolves to this machine, else this machine's address on the route to the pool.
fn advertised(address: SocketAddr, pool: Option<(String, u16)>) -> String {
    if !address.ip().is_unspecified() {
        return address.to_string();
    }
    let (machine, port) = (hostname(), address.port());
    let by_name = format!("{machine}:{port}");
    let towards = pool.and_then(|pool| address_towards(&pool));
    let found: Vec<IpAddr> = by_name
        .to_socket_addrs()
        .map_or_else(|_| Vec::new(), |found| found.map(|one| one.ip()).collect());
    // On its own machine the name may resolve to the loopback address, which says nothing about
    // other machines.
    if !found.is_empty() && found.iter().all(|ip| is_own(*ip) && !ip.is_loopback()) {
        return by_name;
    }
    let Some(ip) = towards else {
        log_event(&format!(
            "programs may not reach this node: the name {machine} does not resolve to it; set its \
            address with --advertise HOST:PORT"
        ));
        return by_name;
    };
    log_event(&format!(
        "programs reach this node at {ip}, because the name {machine} does not resolve to it; \
        --advertise HOST:PORT sets another address"
    ));
    SocketAddr::new(ip, port).to_string()
}

/// Returns whether this machine has the address.
fn is_own(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

/// Returns this machine's address on the route to the pool. Sends no packet.
fn address_towards(pool: &(String, u16)) -> Option<IpAddr> {
    let there = (pool.0.as_str(), pool.1).to_socket_addrs().ok()?.next()?;
    let any: IpAddr =
        if there.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect(there).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Opens the node's own session, and returns the node's offer.
fn offered(reached: &str, own: &str) -> Result<Offer, SessionError> {
    let session = Session::of_lease(reached, own)?;
    let offer = session.offer();
    session.end();
    offer
}

/// Checks that sessions can still begin, and still find all GPUs of `before`.
fn check_gpus(reached: &str, own: &str, before: &Offer) -> Result<(), String> {
    let now = match offered(reached, own).map_err(|failure| failure.error) {
        Ok(now) => now,
        // A full node's refusal says nothing about the driver.
        Err(HelloError::Busy(_)) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let is_gone = |gpu: &&session::NodeGpu| now.devices.iter().all(|other| other.uuid != gpu.uuid);
    let gone: Vec<&str> =
        before.devices.iter().filter(is_gone).map(|gpu| gpu.uuid.as_str()).collect();
    if gone.is_empty() {
        Ok(())
    } else {
        Err(format!("the driver no longer finds {}", gone.join(", ")))
    }
}

/// Returns the node's description of itself.
fn facts(
    name: String,
    address: String,
    (link_gbps, link_hops): (u32, u32),
    frame_curves: Vec<FrameCurve>,
    offer: &Offer,
) -> NodeFacts {
    let gpu = |gpu: &session::NodeGpu| Gpu {
        uuid: gpu.uuid.clone(),
        model: gpu.name.clone(),
        memory_bytes: gpu.memory_bytes,
    };
    NodeFacts {
        name,
        address,
        gpus: offer.devices.iter().map(gpu).collect(),
        link_gbps,
        link_hops,
        frame_curves,
    }
}

/// Opens a session, and prints what the node serves. Ends the process if the node cannot serve a
/// session.
fn announce(address: SocketAddr, reached: &str, own: &str, keeping: &KeeperClient) -> Offer {
    match offered(reached, own) {
        Ok(offer) => {
            let mut out = std::io::stdout();
            // A closed stdout does not stop the node.
            let _ = writeln!(out, "outhaul: serving {} on {address}", describe(&offer))
                .and_then(|()| out.flush());
            notify::ready();
            offer
        }
        Err(failure) => {
            let _ = std::io::stderr()
                .write_all(format!("outhaul: {}\n", Error::Unservable(failure.error)).as_bytes());
            keeping.end_unless_it_began_before();
            std::process::exit(1);
        }
    }
}

/// Replaces the unspecified address of a listener on all interfaces with the loopback address.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

fn describe(offer: &Offer) -> String {
    let Some(first) = offer.devices.first() else { return "no GPU".into() };
    let more = match offer.devices.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    format!("{} ({}){more}", first.name, first.uuid)
}

fn default_cache() -> Result<PathBuf, Error> {
    let folder = |variable: &str| {
        std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    cache.map(|cache| cache.join("outhaul/code")).ok_or(Error::NoCache)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advertised_address_reaches_the_node() {
        let bound: SocketAddr = "127.0.0.1:7654".parse().unwrap();
        assert_eq!(advertised(bound, None), "127.0.0.1:7654");
        let pool = ("127.0.0.1".to_owned(), 7653);
        let everywhere: SocketAddr = "0.0.0.0:7654".parse().unwrap();
        let (host, port) = advertised(everywhere, Some(pool.clone()))
            .rsplit_once(':')
            .map(|(host, port)| (host.to_owned(), port.to_owned()))
            .unwrap();
        let leads: Vec<IpAddr> =
            (host.as_str(), 7654).to_socket_addrs().unwrap().map(|one| one.ip()).collect();
        assert!(port == "7654" && leads.iter().all(|ip| is_own(*ip)), "{host} is {leads:?}");
        assert_eq!(address_towards(&pool), Some(Ipv4Addr::LOCALHOST.into()));
        assert!(!is_own("192.0.2.1".parse().unwrap()), "an address for documents");
    }
}

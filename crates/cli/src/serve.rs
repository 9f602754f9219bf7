//! `outhaul serve`: offers this machine's GPUs. The listener itself starts no driver; what it says about the GPU it learns as a client of
//! its own, so that the line on stdout means that sessions work.

use crate::error::Error;
use crate::farewell::say_before_the_end;
use crate::membership::{Membership, facts, hostname};
use crate::metering;
use crate::node_address::NodeAddress;
use crate::notify;
use crate::passports;
use crate::pool_address::PoolAddress;
use crate::probe;
use crate::session::{Offer, Session};
use crate::shares::SharingFlags;
use crate::wish::{bytes, seconds};
use outhaul_node::accounts::Limits;
use outhaul_node::arbiter::Shares;
use outhaul_node::log::say;
use outhaul_node::meter::Meter;
use outhaul_node::serve::Config;
use outhaul_pool::client::{Client, random_digits};
use outhaul_pool::identity::passport::Proof;
use outhaul_pool::identity::{Passport, joining};
use outhaul_transport::{Identity, is_packing_wanted};
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
  outhaul serve --listen 0.0.0.0:7654 --pool https://pool:7653 --join TOKEN    over TLS, as a node of a pool with an identity
  outhaul serve --share research=70 --share teaching=30
  outhaul serve --listen 10.0.0.7:7654 --insecure    on a network that you trust")]
pub struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7654", value_parser = listen_address)]
    listen: SocketAddr,
    /// `auto` (the machine's driver if it finds a GPU, else the software GPU), `soft`, or the path of a libcuda.so.1.
    #[arg(long, value_name = "auto|soft|PATH", default_value = "auto")]
    gpu: String,
    /// Where code is kept from one session to the next [default: ~/.cache/outhaul/code].
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// How many sessions may run at once.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..))]
    sessions: u16,
    /// Belong to a pool: only programs with a lease of it may use the GPUs.
    #[arg(long, value_name = "URL")]
    pool: Option<PoolAddress>,
    /// The node's name in the pool [default: the machine's].
    #[arg(long, value_name = "NAME", requires = "pool")]
    name: Option<String>,
    /// Join a pool that has an identity with a token of `outhaul pool token node`; needed once, and again when the node's certificate cannot be renewed.
    #[arg(
        long,
        value_name = "TOKEN",
        requires = "pool",
        env = "OUTHAUL_JOIN",
        hide_env_values = true
    )]
    join: Option<String>,
    /// Where the node keeps its certificate, by which it speaks TLS [default: ~/.local/state/outhaul/node/POOL, in a pool with an identity].
    #[arg(long, value_name = "DIR")]
    identity: Option<PathBuf>,
    /// Where the pool's programs reach this node [default: where it listens, or the machine's name].
    #[arg(long, value_name = "HOST:PORT", requires = "pool")]
    advertise: Option<NodeAddress>,
    /// End all leases when the pool has not answered for so long [default: what runs goes on without the pool, for as long as it takes].
    #[arg(long, value_name = "1h", value_parser = seconds, requires = "pool")]
    pool_absence_max: Option<u64>,
    /// Gb/s between this node and the pool's programs, for leases with a frame rate.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "pool")]
    link_gbps: u32,
    #[command(flatten)]
    shares: SharingFlags,
    /// How much memory of each GPU a session may have; leases have limits of their own.
    #[arg(long, value_name = "4GiB", value_parser = bytes, conflicts_with = "pool")]
    memory_per_session: Option<u64>,
    /// End a session when a kernel of it, or a whole graph, runs for longer.
    #[arg(long, value_name = "30s", value_parser = seconds)]
    kernel_limit: Option<u64>,
    /// Let programs together have more memory than a GPU holds. What does not fit lies in so much of the machine's memory [default: half of it], and
    /// programs take turns one at a time.
    #[arg(long, value_name = "64GiB", num_args = 0..=1, default_missing_value = HALF, value_parser = host_memory, conflicts_with = "pool")]
    oversubscribe: Option<u64>,
    /// Take each GPU for one of so much memory, where it has more: for trying out what a smaller one would do.
    #[arg(long, value_name = "16GiB", value_parser = bytes, requires = "oversubscribe")]
    card_memory: Option<u64>,
    /// Listen beyond this machine although clients are not authenticated; in a pool with an identity, take sessions without TLS.
    #[arg(long)]
    insecure: bool,
}

/// In the place of an amount of memory.
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

pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let wrong = |reason: String| format!("{reason}; write HOST:PORT, for example 127.0.0.1:7654");
    text.to_socket_addrs()
        .map_err(|e| wrong(e.to_string()))?
        .next()
        .ok_or_else(|| wrong("the name has no address".into()))
}

pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let secure = arguments.pool.as_ref().is_some_and(PoolAddress::is_secure);
    if !arguments.listen.ip().is_loopback() && !arguments.insecure && !secure {
        return Err(Error::NotLoopback(arguments.listen));
    }
    let passport = passport(&arguments)?;
    let identity = passport.as_ref().filter(|_| !arguments.insecure).map(identity).transpose()?;
    is_packing_wanted().map_err(Error::Refused)?;
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
    let library = probe::resolve(&arguments.gpu)?;
    let own = random_digits(OWN_DIGITS)
        .map_err(|error| Error::Io { doing: "cannot make a key".into(), error })?;
    let name = passport
        .as_ref()
        .map(Passport::node_name)
        .transpose()?
        .flatten()
        .or(arguments.name)
        .unwrap_or_else(hostname);
    let client = |pool: PoolAddress| match &passport {
        Some(passport) => Ok(Client::of(&pool.to_string(), passport)?),
        None => pool.client(),
    };
    let meter = Arc::new(Meter::default());
    let absence_max = arguments.pool_absence_max.map(Duration::from_secs);
    let member =
        |client| Membership::new(client, name.clone(), own.clone(), meter.clone(), absence_max);
    let pool_place = arguments.pool.as_ref().map(|pool| (pool.host().to_owned(), pool.port()));
    let member = arguments.pool.map(client).transpose()?.map(member);
    if let Some((membership, _)) = &member {
        let leaving = membership.clone();
        say_before_the_end(move || leaving.leave())
            .map_err(|error| Error::Io { doing: "cannot wait for signals".into(), error })?;
    }
    let leases = member.as_ref().map(|(_, leases)| leases.clone());
    let metered = leases.is_some().then(|| meter.clone());
    let (listen, sessions_max) = (arguments.listen, usize::from(arguments.sessions));
    let (kernel_limit, oversubscribe, card_bytes) = (
        arguments.kernel_limit.map(Duration::from_secs),
        arguments.oversubscribe,
        arguments.card_memory,
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
        oversubscribe,
        card_bytes,
        identity,
        meter: metered,
    };
    outhaul_node::serve::serve(config, move |address| {
        std::thread::spawn(move || {
            let prove = |address: String| {
                if sealed { NodeAddress::named(&name, &address) } else { address }
            };
            let offer = announce(address, &prove(reachable(address).to_string()), &own);
            if let Some((membership, _)) = member {
                let reached = arguments.advertise.map_or_else(
                    || advertised(address, pool_place),
                    |address| address.as_str().to_owned(),
                );
                let reached = prove(reached);
                let (offered, meter) = (offer.clone(), meter.clone());
                std::thread::spawn(move || metering::keep(&meter, &offered));
                membership.live(&facts(name, reached, arguments.link_gbps, &offer));
            }
        });
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Who this machine is in a pool that has an identity: joins with the token if it is not a node of the pool yet or no more, else renews.
fn passport(arguments: &Arguments) -> Result<Option<Passport>, Error> {
    let Some(pool) = arguments.pool.as_ref().filter(|pool| pool.is_secure()) else {
        let Some(folder) = &arguments.identity else { return Ok(None) };
        let passport = Passport::load(folder)?
            .ok_or_else(|| Error::Identity(format!("{} holds no certificate", folder.display())))?;
        outhaul_transport::trust(Passport::ca_file(folder));
        return Ok(Some(passport));
    };
    let folder = arguments.identity.clone().map_or_else(|| passports::node_folder(pool), Ok)?;
    let passport = match (Passport::load(&folder)?, &arguments.join) {
        (Some(passport), token) => renewed(&pool.to_string(), passport, token.as_deref()),
        (None, Some(token)) => joining::join(&pool.to_string(), token)?.1,
        (None, None) => return Err(Error::NodeNotJoined(pool.to_string())),
    };
    let name = passport.node_name()?.ok_or_else(|| {
        Error::Identity("the token is for a user: join with `outhaul token join TOKEN`".into())
    })?;
    if let Some(other) = arguments.name.as_ref().filter(|other| !other.eq_ignore_ascii_case(&name))
    {
        return Err(Error::Identity(format!(
            "this machine is the pool's node '{name}', and cannot be '{other}'; {} says so",
            folder.display()
        )));
    }
    passport.save(&folder)?;
    // Its own session and its workers, which call other nodes, know the pool's nodes by it.
    outhaul_transport::trust(Passport::ca_file(&folder));
    Ok(Some(passport))
}

/// A passport that lasts longer, or one that the token gives. Not in time is not too late: without either the old one serves as long as it is good.
fn renewed(pool: &str, old: Passport, token: Option<&str>) -> Passport {
    let failed = match joining::renew(pool, &old) {
        Ok(passport) => return passport,
        Err(error) => format!("the node's certificate is not renewed: {error}"),
    };
    match token.map(|token| joining::join(pool, token)) {
        None => say(&format!(
            "{failed}; the one it has is kept. If the pool turns it away, join again with --join TOKEN"
        )),
        Some(Ok((_, passport))) => {
            say(&format!("{failed}; the node has joined anew with its token"));
            return passport;
        }
        Some(Err(error)) => say(&format!(
            "{failed}; the token does not help either: {error}; the certificate that it has is kept"
        )),
    }
    old
}

/// What lanes are sealed by.
fn identity(passport: &Passport) -> Result<Identity, Error> {
    let Proof::Certificate { chain_pem, key_pem } = &passport.proof else {
        return Err(Error::Identity("the node has no certificate".into()));
    };
    Identity::new(chain_pem, key_pem)
        .map_err(|error| Error::Identity(format!("the node's certificate: {error}")))
}

/// Where others reach a listener: by the machine's name if that leads here, else by the address that this machine has on the way to the pool.
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
    // On this machine its name may be a name of the loopback, which says nothing of what it is elsewhere.
    if !found.is_empty() && found.iter().all(|ip| is_own(*ip) && !ip.is_loopback()) {
        return by_name;
    }
    let Some(ip) = towards else {
        say(&format!(
            "nobody may reach this node: {machine} does not lead here; name it with --advertise HOST:PORT"
        ));
        return by_name;
    };
    say(&format!(
        "programs reach this node at {ip}, since the name {machine} does not lead here; --advertise HOST:PORT names it otherwise"
    ));
    SocketAddr::new(ip, port).to_string()
}

/// Whether this machine has the address.
fn is_own(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

/// By which address packets to the pool leave this machine. None is sent.
fn address_towards(pool: &(String, u16)) -> Option<IpAddr> {
    let there = (pool.0.as_str(), pool.1).to_socket_addrs().ok()?.next()?;
    let any: IpAddr =
        if there.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect(there).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Says what is served, once a session has shown that it is. A node that cannot serve one ends here.
fn announce(address: SocketAddr, reached: &str, own: &str) -> Offer {
    let offer = Session::of_lease(reached, own).and_then(|session| {
        let offer = session.offer();
        session.end();
        offer
    });
    match offer {
        Ok(offer) => {
            let mut out = std::io::stdout();
            // Nobody may be reading; the node serves all the same.
            let _ = writeln!(out, "outhaul: serving {} on {address}", describe(&offer))
                .and_then(|()| out.flush());
            notify::ready();
            offer
        }
        Err(failure) => {
            let _ = std::io::stderr()
                .write_all(format!("outhaul: {}\n", Error::Unservable(failure.error)).as_bytes());
            std::process::exit(1);
        }
    }
}

/// A listener on every address is reached on the loopback.
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
    fn what_a_node_advertises_leads_to_it() {
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

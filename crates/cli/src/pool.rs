//! `outhaul pool`: runs the control plane that leases GPUs. This module also contains the other
//! commands that talk to a pool.

pub mod audit;
pub mod authority;
pub mod backup;
pub mod frame_curves;
pub mod held_lease;
pub mod lease;
pub mod lease_environment;
pub mod lease_keeper;
pub mod lease_options;
pub mod operator_commands;
mod patience;
mod store_location;
pub mod token;
pub mod top;
pub mod waiting;

use crate::address::folders::keep_private;
use crate::address::hostname::hostname;
use crate::error::Error;
use crate::pool::authority::default_store;
use crate::pool::backup::{Backup, Restore};
use crate::pool::store_location::StoreLocation;
use crate::quantity::seconds;
use outhaul_node::listener::descriptor_limit::Descriptors;
use outhaul_node::log::log_event;
use outhaul_placement::policy::Policy;
use outhaul_placement::time_time_curves::Curves;
use outhaul_pool::http::listen::Identity;
use outhaul_pool::http::service::Service;
use outhaul_pool::identity::Authority;
use outhaul_pool::identity::secret::random_digits;
use outhaul_pool::log::keeper::Keeper;
use outhaul_pool::log::rules::Rules;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;

const NONCE_DIGITS: usize = 16;

/// Run a pool, which leases the GPUs of many nodes.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Init(authority::Init),
    Token(authority::Token),
    Serve(Serve),
    Backup(Backup),
    Restore(Restore),
}

/// Run the pool. Nodes join it with `outhaul serve --pool URL`; programs use it with `outhaul run
/// --pool URL`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul pool serve                          for nodes and programs on this machine
  outhaul serve --pool http://127.0.0.1:7653  a node of it
  outhaul run --pool http://127.0.0.1:7653 --memory 25% -- ./vector_add")]
struct Serve {
    /// Address to listen on. Port 0 picks a free port.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7653",
        value_parser = crate::address::listen::listen_address)]
    listen: SocketAddr,
    /// Store of the pool: a file, for one pool process, or an etcd, for several [default:
    /// ~/.local/state/outhaul/pool.sqlite].
    #[arg(long, value_name = "FILE|etcd://HOST:PORT[,...][/PREFIX]")]
    store: Option<StoreLocation>,
    /// Placement policy: 1, 2, 3, bf, wf, low+bf, or ours.
    #[arg(long, default_value = "ours")]
    placement: Policy,
    /// Number of waiting requests that the policy considers at once.
    #[arg(long, value_name = "N", default_value_t = 64)]
    window: usize,
    /// Effect of links on frame times, for nodes without curves of their own: what Outhaul costs by
    /// our measurements (calls), a table of `outhaul bench frames --curves` (csv:FILE), or a model
    /// of `outhaul sim frames`.
    #[arg(long, default_value = "calls", value_name = "calls|csv:FILE|add|fit|lines:...")]
    model: String,
    #[command(flatten)]
    identity: authority::Folder,
    /// Further name or address at which nodes and users reach the pool, in addition to this
    /// machine's name. May be repeated.
    #[arg(long, value_name = "HOST")]
    name: Vec<String>,
    /// Time after which a node that is down counts as lost, and its leases end [default: they last
    /// until the node returns or an operator removes it].
    #[arg(long, value_name = "1h", value_parser = seconds)]
    lost_after: Option<u64>,
    /// Serve HTTP without TLS or authentication, even beyond this machine.
    #[arg(long)]
    insecure: bool,
}

/// Runs `outhaul pool`.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    match arguments.what {
        What::Init(init) => init.execute().map(|()| ExitCode::SUCCESS),
        What::Token(token) => token.execute().map(|()| ExitCode::SUCCESS),
        What::Serve(serve) => self::serve(serve),
        What::Backup(backup) => backup.execute().map(|()| ExitCode::SUCCESS),
        What::Restore(restore) => restore.execute().map(|()| ExitCode::SUCCESS),
    }
}

/// Returns the pool's identity, if it has one.
fn identity(serve: &Serve, place: &StoreLocation) -> Result<Option<Identity>, Error> {
    let file = if let StoreLocation::File(file) = place { Some(file) } else { None };
    let folder = serve.identity.path(file)?;
    if let Some(named) = serve.identity.named().filter(|named| !Authority::is_in(named)) {
        return Err(Error::NoPoolIdentity(named.clone()));
    }
    if serve.insecure || !Authority::is_in(&folder) {
        return Ok(None);
    }
    keep_private(&folder)?;
    let authority = Authority::open(&folder)?;
    let mut names =
        vec![hostname(), "localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    if !serve.listen.ip().is_unspecified() {
        names.push(serve.listen.ip().to_string());
    }
    names.extend(serve.name.iter().cloned());
    names.sort();
    names.dedup();
    Ok(Some(Identity { authority, names }))
}

fn serve(serve: Serve) -> Result<ExitCode, Error> {
    let place = serve.store.clone().map_or_else(|| default_store().map(StoreLocation::File), Ok)?;
    let identity = identity(&serve, &place)?;
    if identity.is_none() && !serve.listen.ip().is_loopback() && !serve.insecure {
        return Err(Error::PoolNotLoopback(serve.listen));
    }
    let scheme = if identity.is_some() { "https" } else { "http" };
    let store = place.open_in_time()?;
    let rules = Rules {
        policy: serve.placement,
        window: serve.window,
        curves: curves(&serve.model)?,
        lost_after_s: serve.lost_after,
    };
    let process = random_digits(NONCE_DIGITS).map_err(|error| Error::Io {
        doing: "cannot tell this process from others".into(),
        error,
    })?;
    let mut count = 0u64;
    let nonces = Box::new(move || {
        count += 1;
        format!("{process}-{count}")
    });
    let keeper = Keeper::open(store.clone(), rules, nonces).map_err(Error::Pool)?;
    Descriptors::raise();
    let service = Service::start(keeper, store);
    service.listen_to_store(Box::new(|trouble| match trouble {
        Some(error) => log_event(&error.to_string()),
        None => log_event("the pool's store works again"),
    }));
    outhaul_pool::http::listen::serve(serve.listen, service, identity, |address| {
        let mut out = std::io::stdout();
        // A closed stdout does not stop the pool.
        let _ = writeln!(out, "outhaul: the pool in {place} is at {scheme}://{address}")
            .and_then(|()| out.flush());
        crate::internal::notify::ready();
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Parses the value of --model.
pub fn curves(model: &str) -> Result<Curves, Error> {
    match model {
        "calls" => Ok(Curves::Calls),
        "fit" => Ok(Curves::FIT),
        "add" => Ok(Curves::Transfer),
        _ => {
            if let Some(lines) = model.strip_prefix("lines:") {
                return Ok(Curves::Lines(lines.parse()?));
            }
            let unknown = || {
                let problem = format!(
                    "unknown model `{model}`; choose calls, fit, add, \
                    lines:SLOPE10,OFFSET10,SLOPE20,OFFSET20,CPU, or csv:FILE"
                );
                outhaul_placement::Error::Usage(problem)
            };
            let path = model.strip_prefix("csv:").ok_or_else(unknown)?;
            Ok(Curves::Measured(frame_curves::read(Path::new(path))?))
        }
    }
}

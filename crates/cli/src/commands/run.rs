//! `outhaul run`: execs the command with Outhaul's driver first in the library path, so exit codes
//! and signals are the command's own. Deliberately absent: a fallback to a local GPU.

use crate::address::node::NodeList;
use crate::address::pool::PoolAddress;
use crate::check::program;
use crate::check::session::would_serve;
use crate::error::{Error, SessionError};
use crate::install::{DRIVER, InstalledLibrary};
use crate::internal::witness::Witness;
use crate::pool::held_lease::HeldLease;
use crate::pool::lease_options::LeaseOptions;
use crate::shares::tenant_name;
use outhaul_bench::CommandError;
use outhaul_transport::os::tune_settings;
use outhaul_transport::{CA_VARIABLE, HelloError, LEASE_VARIABLE, NODE_VARIABLE, TENANT_VARIABLE};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const SOFT: &str = "soft";
/// The variable that makes CuPy compile to PTX instead of a GPU's machine code.
const CUPY_PTX_VARIABLE: &str = "CUPY_COMPILE_WITH_PTX";

/// Run an unmodified program on a node's GPU.
#[derive(clap::Args)]
#[command(after_help = "\
The exit code is the command's own; 126 means that it could not be run, 127 that it does not \
exist, and 125 that Outhaul did not start it. Outhaul then prints the reason.

Examples:
  outhaul run --node gpu7:7654 -- python train.py
  outhaul run --node gpu7:7654,gpu8:7654 -- python train.py
  outhaul run --pool http://pool:7653 -n 2 -- python train.py
  outhaul run --pool http://pool:7653 --memory 10GiB --share 50% -- python train.py
  OUTHAUL_NODE=gpu7:7654 outhaul run -- ./vector_add
  outhaul run --gpu soft -- ./vector_add          on this machine's software GPU, without a node")]
pub struct Arguments {
    /// Address of the node whose GPUs the program sees, or addresses of several nodes. The program
    /// sees the GPUs of all nodes as one list, in the order of the nodes [default: OUTHAUL_NODE].
    #[arg(long, value_name = "HOST:PORT[,HOST:PORT...]", conflicts_with = "gpu")]
    node: Option<NodeList>,
    /// Driver to run on without a node: the software GPU (`soft`), or the path of a libcuda.so.1.
    #[arg(long, value_name = "soft|PATH")]
    gpu: Option<PathBuf>,
    /// URL of the pool that leases GPUs while the program runs [default: OUTHAUL_POOL, if no node
    /// is named].
    #[arg(long, value_name = "URL[,URL...]", conflicts_with_all = ["node", "gpu"])]
    pool: Option<PoolAddress>,
    /// Tenant whose share of the GPU the program uses, together with the tenant's other programs
    /// [default: OUTHAUL_TENANT, else a share of its own].
    #[arg(long, value_name = "NAME", conflicts_with = "gpu", value_parser = tenant_name)]
    tenant: Option<String>,
    /// When the program ends, print what it sent and what the client answered locally.
    #[arg(long, conflicts_with = "gpu")]
    stats: bool,
    /// Start the program without two checks: whether it can load Outhaul's library, and whether the
    /// nodes would serve it.
    #[arg(long)]
    unchecked: bool,
    /// Do not report that the program never loaded Outhaul's library.
    #[arg(short, long)]
    quiet: bool,
    /// Command to run, and its arguments.
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    command: Vec<OsString>,
    // This field comes last, because clap puts all later arguments under the same heading.
    #[command(flatten, next_help_heading = "Resources of a lease from a pool")]
    options: LeaseOptions,
}

/// Replaces this process with the program. Returns only if the program did not start.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    // Exit codes 125 to 127 mean that the program did not start.
    become_program(arguments).map_err(|error| {
        if matches!(error, Error::Command(_)) { error } else { Error::NotStarted(Box::new(error)) }
    })
}

fn become_program(arguments: Arguments) -> Result<ExitCode, Error> {
    let name = &arguments.command[0];
    let mut command = Command::new(name);
    command.args(&arguments.command[1..]);
    let folder =
        arguments.gpu.as_deref().map_or_else(|| InstalledLibrary::Client.find(), local_driver)?;
    let pool = if arguments.gpu.is_some() {
        None
    } else {
        PoolAddress::unless_node(&arguments.pool, &arguments.node)?
    };
    arguments.refuse_what_would_be_ignored(pool.is_some())?;
    if !arguments.unchecked
        && let Some(obstacle) = program::obstacle(name, &folder)
    {
        return Err(Error::Unsuitable { program: name.to_string_lossy().into_owned(), obstacle });
    }
    match (&arguments.gpu, pool) {
        (Some(gpu), _) => {
            command.env_remove(NODE_VARIABLE);
            if gpu == Path::new(SOFT) && std::env::var_os(CUPY_PTX_VARIABLE).is_none() {
                command.env(CUPY_PTX_VARIABLE, "1");
            }
        }
        (None, Some(pool)) => {
            let ca_file = pool.ca_file()?;
            ca_file.iter().for_each(|file| outhaul_transport::trust(file.clone()));
            let serves = |node: &str, lease: &str| arguments.ask(&[node.to_owned()], lease);
            let lease = HeldLease::begin(&pool, &arguments.options, serves)?;
            command
                .env(NODE_VARIABLE, lease.nodes())
                .env(LEASE_VARIABLE, lease.credential())
                .envs(arguments.options.variables());
            command.envs(ca_file.map(|file| (CA_VARIABLE, file)));
        }
        (None, None) => {
            let nodes = NodeList::or_environment(arguments.node.clone())?;
            let addresses: Vec<String> = nodes.nodes().iter().map(ToString::to_string).collect();
            let lease = std::env::var(LEASE_VARIABLE).unwrap_or_default();
            arguments.ask(&addresses, &lease).map_err(|error| explain(error, &lease))?;
            command.env(NODE_VARIABLE, nodes.to_string());
        }
    }
    command.env(
        "LD_LIBRARY_PATH",
        first_in_path(&folder, std::env::var_os("LD_LIBRARY_PATH").as_deref()),
    );
    // Triton searches for the driver itself, first in the folder of this variable.
    command.env("TRITON_LIBCUDA_PATH", &folder);
    if let Some(tenant) = &arguments.tenant {
        command.env(TENANT_VARIABLE, tenant);
    }
    if arguments.stats {
        command.env(tune_settings::VARIABLE, tune_settings::with("stats", "1"));
    }
    let witness = if arguments.quiet { None } else { Witness::stand() };
    command.envs(witness.as_ref().map(Witness::variable));
    let error = command.exec();
    witness.iter().for_each(Witness::dismiss);
    Err(CommandError { command: name.to_string_lossy().into_owned(), error }.into())
}

impl Arguments {
    /// Rejects an option that has no effect in this run, because the user expects an effect.
    fn refuse_what_would_be_ignored(&self, in_pool: bool) -> Result<(), Error> {
        match self.options.flag() {
            Some(flag) if !in_pool => return Err(Error::LeaseOptionWithoutPool(flag)),
            _ => {}
        }
        if in_pool && self.tenant.is_some() { Err(Error::TenantInPool) } else { Ok(()) }
    }

    /// Checks whether the nodes would serve the program. Asks all nodes at once, because some may
    /// be far away.
    fn ask(&self, nodes: &[String], lease: &str) -> Result<(), Error> {
        if self.unchecked {
            return Ok(());
        }
        let tenant =
            self.tenant.clone().or_else(|| std::env::var(TENANT_VARIABLE).ok()).unwrap_or_default();
        let ask = |node: &str| {
            would_serve(node, lease, &tenant).map_err(|failure| match failure.error {
                HelloError::Refused(reason) | HelloError::Busy(reason) => {
                    Error::NodeRefuses { node: node.to_owned(), reason }
                }
                error @ HelloError::Speaks { .. } => {
                    Error::NodeRefuses { node: node.to_owned(), reason: error.to_string() }
                }
                _ => failure.into(),
            })
        };
        std::thread::scope(|scope| {
            let ask = &ask;
            let asked: Vec<_> = nodes
                .iter()
                .map(|node| std::thread::Builder::new().spawn_scoped(scope, move || ask(node)))
                .collect();
            asked.into_iter().try_for_each(|thread| {
                let thread = thread.map_err(|e| SessionError::from(HelloError::Thread(e)))?;
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        })
    }
}

/// Returns the end of the lease in this process's environment as the error, if a node refuses
/// because of that.
fn explain(error: Error, credential: &str) -> Error {
    let (Error::NodeRefuses { .. }, Some((lease, _))) = (&error, credential.split_once('.')) else {
        return error;
    };
    let pool = PoolAddress::or_environment(None).ok().flatten();
    let client = pool.and_then(|pool| pool.holder(credential).ok());
    match client.map(|client| client.end_of(lease)) {
        Some(Ok(Some(end))) => {
            Error::OwnLeaseEnded { lease: lease.to_owned(), why: end.to_string() }
        }
        Some(Ok(None)) => error,
        _ => Error::OwnLeaseRefused(Box::new(error)),
    }
}

/// Returns the folder with the driver that `gpu` selects, for a program that runs without a node.
fn local_driver(gpu: &Path) -> Result<PathBuf, Error> {
    if gpu == Path::new(SOFT) {
        return InstalledLibrary::Soft.find();
    }
    let absolute = std::path::absolute(gpu).map_err(|_| Error::NotADriver(gpu.into()))?;
    if absolute.join(DRIVER).exists() {
        return Ok(absolute);
    }
    match absolute.parent() {
        Some(folder) if absolute.ends_with(DRIVER) && absolute.exists() => Ok(folder.into()),
        _ => Err(Error::NotADriver(gpu.into())),
    }
}

fn first_in_path(folder: &Path, path: Option<&OsStr>) -> OsString {
    let mut joined = folder.as_os_str().to_owned();
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        joined.push(":");
        joined.push(path);
    }
    joined
}

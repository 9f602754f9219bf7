//! `outhaul run`: becomes the command, with Outhaul's driver first in the library path. Because it execs, exit codes and signals are the
//! command's own. Deliberately absent: any way to end up on a local GPU that was not asked for.

use crate::error::Error;
use crate::install::{DRIVER, Part};
use crate::node_address::{NodeList, VARIABLE};
use crate::pool_address::PoolAddress;
use crate::shares::tenant_name;
use crate::tenure::{Tenure, WATCHED_TTL_S};
use crate::wish::Wish;
use outhaul_transport::{CA_VARIABLE, LEASE_VARIABLE, TENANT_VARIABLE};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Run a program on a node's GPU; the program needs no change.
#[derive(clap::Args)]
#[command(after_help = "\
The exit code is the command's own; 126 and 127 mean that it could not be run or does not exist.

Examples:
  outhaul run --node gpu7:7654 -- python train.py
  outhaul run --node gpu7:7654,gpu8:7654 -- python train.py
  outhaul run --pool http://pool:7653 -n 2 -- python train.py
  outhaul run --pool http://pool:7653 --memory 10GiB --share 50% -- python train.py
  OUTHAUL_NODE=gpu7:7654 outhaul run -- ./vector_add
  outhaul run --gpu soft -- ./vector_add          on this machine's software GPU, without a node")]
pub struct Arguments {
    /// The node whose GPUs the program sees, or several, whose GPUs it sees one behind the other [default: the environment's OUTHAUL_NODE].
    #[arg(long, value_name = "HOST:PORT[,HOST:PORT...]", conflicts_with = "gpu")]
    node: Option<NodeList>,
    /// Run without a node: on the software GPU (`soft`), or on the libcuda.so.1 at a path.
    #[arg(long, value_name = "soft|PATH")]
    gpu: Option<PathBuf>,
    /// Run on GPUs that a pool leases for the time of the program [default: the environment's OUTHAUL_POOL, if no node is named].
    #[arg(long, value_name = "URL", conflicts_with_all = ["node", "gpu"])]
    pool: Option<PoolAddress>,
    #[command(flatten, next_help_heading = "What to lease of a pool")]
    wish: Wish,
    /// Whose share of the GPU the program uses, with all others of that tenant [default: the environment's OUTHAUL_TENANT, else a share of its own].
    #[arg(long, value_name = "NAME", conflicts_with = "gpu", value_parser = tenant_name)]
    tenant: Option<String>,
    /// Print what was sent and what was answered locally when the program ends.
    #[arg(long)]
    stats: bool,
    /// The command and its arguments.
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    command: Vec<OsString>,
}

pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let mut command = Command::new(&arguments.command[0]);
    command.args(&arguments.command[1..]);
    let folder = match arguments.gpu {
        Some(gpu) => {
            command.env_remove(VARIABLE);
            local_driver(&gpu)?
        }
        None => {
            let folder = Part::Client.find()?;
            match PoolAddress::unless_node(&arguments.pool, &arguments.node)? {
                Some(pool) => {
                    let tenure = Tenure::obtain(&pool.client()?, &arguments.wish, WATCHED_TTL_S)?;
                    tenure.watch_over_me(&pool)?;
                    command.env(VARIABLE, tenure.nodes()).env(LEASE_VARIABLE, tenure.credential());
                    command.envs(pool.ca_file()?.map(|file| (CA_VARIABLE, file)));
                }
                None => drop(command.env(VARIABLE, NodeList::or_environment(arguments.node)?.to_string())),
            }
            folder
        }
    };
    command.env("LD_LIBRARY_PATH", first_in_path(&folder, std::env::var_os("LD_LIBRARY_PATH").as_deref()));
    // Triton looks for the driver on its own; this is where it asks first.
    command.env("TRITON_LIBCUDA_PATH", &folder);
    if let Some(tenant) = arguments.tenant {
        command.env(TENANT_VARIABLE, tenant);
    }
    if arguments.stats {
        command.env("OUTHAUL_STATS", "1");
    }
    let error = command.exec();
    Err(Error::Command { command: arguments.command[0].to_string_lossy().into_owned(), error })
}

/// The folder to load the driver from when no node is used.
fn local_driver(gpu: &Path) -> Result<PathBuf, Error> {
    if gpu == Path::new("soft") {
        return Part::Soft.find();
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

//! `outhaul lease`, `request` and `release`: leases for people and shell scripts.

use crate::address::destination::PoolOption;
use crate::address::names;
use crate::address::pool::VARIABLE;
use crate::error::Error;
use crate::local_time::{now_ms, time_of_day};
use crate::pool::held_lease::HeldLease;
use crate::pool::lease_environment::LeaseEnvironment;
use crate::pool::lease_options::LeaseOptions;
use crate::quantity::seconds;
use crate::table::Table;
use outhaul_pool::http::api::{LeaseState, LeaseView, Renewal};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::model::lease::TTL_S;
use outhaul_transport::{CA_VARIABLE, LEASE_VARIABLE, NODE_VARIABLE};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// List, renew and end a pool's leases.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// List all leases and the queue.
    Ls {
        #[command(flatten)]
        pool: PoolOption,
        /// Print the leases as JSON.
        #[arg(long)]
        json: bool,
    },
    /// End leases, your own or those of others.
    Kill {
        #[command(flatten)]
        pool: PoolOption,
        /// Leases to end.
        #[arg(required = true, value_name = "LEASE", value_parser = names::lease)]
        leases: Vec<String>,
    },
    /// Renew a lease for its original duration.
    Renew {
        #[command(flatten)]
        pool: PoolOption,
        /// Lease to renew [default: OUTHAUL_LEASE].
        #[arg(value_name = "LEASE", value_parser = names::lease)]
        lease: Option<String>,
    },
}

/// Runs `outhaul lease`.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    match arguments.what {
        What::Ls { pool, json } => {
            let leases: Vec<LeaseView> = pool.client()?.get("/v1/leases")?;
            if json {
                println!("{}", serde_json::to_string_pretty(&leases).unwrap_or_default());
            } else {
                print!("{}", table(&leases));
            }
        }
        What::Kill { pool, leases } => {
            let client = pool.client()?;
            for lease in &leases {
                client.release(lease)?;
                println!("outhaul: lease {lease} has ended");
            }
        }
        What::Renew { pool, lease } => {
            let lease = Meant::by(lease)?;
            let view = lease.client(pool)?.renew(&lease.id, &Renewal::default())?;
            println!(
                "outhaul: lease {} lives until {} unless it is renewed again",
                lease.id,
                time_of_day(now_ms() + 1000 * u64::from(view.ask.ttl_s))
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Request a lease, and print the environment variables that programs need to use it.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  eval \"$(outhaul request --pool http://pool:7653 -n 2 --for 2h)\"
  outhaul run -- python train.py
  eval \"$(outhaul release)\"")]
pub struct Request {
    #[command(flatten)]
    pool: PoolOption,
    #[command(flatten)]
    options: LeaseOptions,
    /// Time until the lease ends unless it is renewed, at most a day.
    #[arg(long = "for", value_name = "1h", default_value = "1h", value_parser = seconds)]
    life: u64,
}

/// Runs `outhaul request`.
pub fn request(arguments: Request) -> Result<ExitCode, Error> {
    let life = u32::try_from(arguments.life).unwrap_or(u32::MAX).min(*TTL_S.end());
    let pool = arguments.pool.address()?;
    let ask = arguments.options.ask(life);
    let (lease, keeper) = HeldLease::obtain(&pool, &pool.client()?, &ask)?;
    let mut variables = vec![
        (VARIABLE, pool.to_string()),
        (NODE_VARIABLE, lease.nodes()),
        (LEASE_VARIABLE, lease.credential()),
    ];
    variables.extend(arguments.options.variables());
    variables.extend(pool.ca_file()?.map(|file| (CA_VARIABLE, file.display().to_string())));
    print!("{}", LeaseEnvironment::of_process().with(&variables));
    std::io::stdout().flush().map_err(|error| Error::Io {
        doing: "cannot print the lease's environment".into(),
        error,
    })?;
    keeper.leave()?;
    Ok(ExitCode::SUCCESS)
}

/// Release a lease, and print the command that removes it from a shell's environment.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  eval \"$(outhaul release)\"      the lease of this shell, from `outhaul request`")]
pub struct Release {
    #[command(flatten)]
    pool: PoolOption,
    /// Lease to release [default: OUTHAUL_LEASE].
    #[arg(value_name = "LEASE", value_parser = names::lease)]
    lease: Option<String>,
}

/// Runs `outhaul release`.
pub fn release(arguments: Release) -> Result<ExitCode, Error> {
    let lease = Meant::by(arguments.lease)?;
    let released = lease.client(arguments.pool)?.release(&lease.id);
    match released {
        // The shell must not keep a lease that has ended in another way.
        Err(error @ ClientError::Gone(_)) if lease.credential.is_some() => {
            eprintln!("outhaul: {error}");
        }
        released => {
            released?;
            eprintln!("outhaul: lease {} is released", lease.id);
        }
    }
    if lease.credential.is_some() {
        if std::io::stdout().is_terminal() {
            eprintln!(
                "outhaul: this shell still has its variables; enter the next line, or use `eval \
                \"$(outhaul release)\"` next time"
            );
        }
        println!("unset {}", LeaseEnvironment::of_process().names().join(" "));
    }
    Ok(ExitCode::SUCCESS)
}

/// The lease that a command is about, and its key if the environment has it.
struct Meant {
    id: String,
    credential: Option<String>,
}

impl Meant {
    /// Returns the named lease, or the environment's.
    fn by(name: Option<String>) -> Result<Meant, Error> {
        match (name, own_lease(std::env::var(LEASE_VARIABLE).unwrap_or_default())?) {
            (Some(id), environment) => Ok(Meant {
                credential: environment.filter(|(own, _)| *own == id).map(|(_, lease)| lease),
                id,
            }),
            (None, Some((id, lease))) => Ok(Meant { id, credential: Some(lease) }),
            (None, None) => Err(Error::NoLease),
        }
    }

    fn client(&self, pool: PoolOption) -> Result<Client, Error> {
        let pool = pool.address()?;
        self.credential
            .as_deref()
            .map_or_else(|| pool.client(), |credential| pool.holder(credential))
    }
}

/// Returns the name of the environment's lease with its credential, NAME.KEY; none if it is empty.
fn own_lease(credential: String) -> Result<Option<(String, String)>, Error> {
    if credential.is_empty() {
        return Ok(None);
    }
    let is_key = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    match credential.split_once('.') {
        // The name becomes a part of the pool's URLs, and both become a header.
        Some((id, key)) if names::lease(id).is_ok() && is_key(key) => {
            Ok(Some((id.to_owned(), credential)))
        }
        _ => Err(Error::LeaseVariable),
    }
}

fn table(leases: &[LeaseView]) -> String {
    let mut table = Table::new(&["LEASE", "USER", "STATE", "AGE", "GPUS", "WHERE"]);
    for lease in leases {
        let state = match lease.state {
            LeaseState::Held(_) => "held".to_owned(),
            LeaseState::Waiting(ahead) => format!("waiting, {ahead} ahead"),
        };
        let place = |part: &outhaul_pool::model::lease::Part| {
            format!("{} {:.0} %", part.node, 100.0 * part.fraction)
        };
        let places: Vec<String> = lease.parts.iter().map(place).collect();
        let place = lease.reason.clone().unwrap_or_else(|| places.join(", "));
        table.row([
            lease.id.clone(),
            lease.holder.user.clone(),
            state,
            age(lease.age_ms),
            lease.ask.gpus.to_string(),
            place,
        ]);
    }
    table.to_string()
}

fn age(ms: u64) -> String {
    match ms / 1000 {
        s @ 0..120 => format!("{s}s"),
        s @ 120..7200 => format!("{}m", s / 60),
        s => format!("{}h", s / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environments_lease_has_a_name_and_a_key() {
        let own = own_lease("run-1.k3y".into()).unwrap();
        assert_eq!(own, Some(("run-1".into(), "run-1.k3y".into())));
        assert_eq!(own_lease(String::new()).unwrap(), None);
        for wrong in ["x", ".k", "x.", "..@..", "../../x.k", "a\n.k", "a.k\n", "a/b.k", "-x.k"] {
            assert!(matches!(own_lease(wrong.into()), Err(Error::LeaseVariable)), "{wrong:?}");
        }
    }
}

//! `outhaul pool init` and `outhaul pool token`: create a pool's authority on the pool's machine,
//! and tokens with which nodes and users join.

use crate::address::folders::base;
use crate::address::names;
use crate::error::Error;
use crate::quantity::{bytes, seconds};
use outhaul_pool::identity::authority::{Authority, folder_beside};
use outhaul_pool::identity::node_name::check_node_name;
use outhaul_pool::identity::{Grant, User, WallTime};
use outhaul_pool::model::quota::Quota;
use std::path::PathBuf;

/// The option that names the folder of the identity.
#[derive(clap::Args)]
pub struct Folder {
    /// Folder with the pool's identity [default: next to the pool's store].
    #[arg(long, value_name = "DIR")]
    identity: Option<PathBuf>,
}

impl Folder {
    /// Returns the folder in the option, if given.
    pub fn named(&self) -> Option<&PathBuf> {
        self.identity.as_ref()
    }

    /// Returns the folder that the option names, or else the one next to the store.
    pub fn path(&self, store: Option<&PathBuf>) -> Result<PathBuf, Error> {
        match (&self.identity, store) {
            (Some(folder), _) => Ok(folder.clone()),
            (None, Some(store)) => Ok(folder_beside(store)),
            (None, None) => Ok(folder_beside(&default_store()?)),
        }
    }
}

/// Returns the default store.
pub fn default_store() -> Result<PathBuf, Error> {
    Ok(base("XDG_STATE_HOME", ".local/state")?.join("outhaul/pool.sqlite"))
}

fn now_s() -> u64 {
    WallTime::of_machine().now_s()
}

/// Create the pool's identity. From then on the pool uses TLS, and knows nodes by certificates and
/// users by tokens.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  outhaul pool init
  outhaul pool serve --listen 0.0.0.0:7653 --name pool.example.org
  outhaul pool token node gpu7              then there: outhaul serve --listen 0.0.0.0:7654 --pool \
  https://pool.example.org:7653 --join TOKEN
  outhaul pool token user alice --gpus 2    then there: outhaul token join TOKEN --pool \
  https://pool.example.org:7653")]
pub struct Init {
    #[command(flatten)]
    folder: Folder,
}

impl Init {
    /// Runs the command.
    pub fn execute(self) -> Result<(), Error> {
        let folder = self.folder.path(None)?;
        Authority::create(&folder, now_s())?;
        println!(
            "outhaul: the pool's identity is in {}; anyone who has these files can act as the pool",
            folder.display()
        );
        Ok(())
    }
}

/// Make a token with which a node or a user can join the pool once. The command prints the token
/// and does not store it.
#[derive(clap::Args)]
pub struct Token {
    #[command(subcommand)]
    who: Who,
}

#[derive(clap::Subcommand)]
enum Who {
    /// Make a token for a node.
    Node {
        /// Name of the node.
        name: String,
        #[command(flatten)]
        folder: Folder,
        /// Time until the token expires.
        #[arg(long = "for", value_name = "1h", default_value = "1h", value_parser = seconds)]
        life_s: u64,
    },
    /// Make a token for a user.
    User(Box<UserToken>),
    /// Make a token for a program that reads the pool's metrics, such as Prometheus. The token
    /// permits nothing else. The program does not join with it, but uses it directly until it
    /// expires.
    Monitor {
        /// Name of the program.
        #[arg(value_parser = names::token)]
        name: String,
        #[command(flatten)]
        folder: Folder,
        /// Time until the token expires.
        #[arg(long = "for", value_name = "365d", default_value = "365d", value_parser = seconds)]
        life_s: u64,
    },
}

#[derive(clap::Args)]
struct UserToken {
    /// Name of the user.
    #[arg(value_parser = names::user)]
    name: String,
    #[command(flatten)]
    folder: Folder,
    /// Time until the join token expires.
    #[arg(long = "for", value_name = "1h", default_value = "1h", value_parser = seconds)]
    join_s: u64,
    /// Name of the user's group, whose quota counts too [default: no group].
    #[arg(long, value_name = "NAME", value_parser = names::group)]
    group: Option<String>,
    /// Maximum number of GPUs at once; a part of a GPU counts as that fraction [default: no limit].
    #[arg(long, value_name = "N")]
    gpus: Option<f64>,
    /// Maximum GPU memory at once [default: no limit].
    #[arg(long, value_name = "80GiB", value_parser = bytes)]
    memory: Option<u64>,
    /// Maximum number of leases at once [default: no limit].
    #[arg(long, value_name = "N")]
    leases: Option<u32>,
    /// Highest priority that the user may ask for.
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    priority: i8,
    /// Let the user operate the pool: drain nodes, set quotas, end others' leases.
    #[arg(long)]
    operator: bool,
    /// Lifetime of each of the user's tokens; commands renew them.
    #[arg(long, value_name = "12h", default_value = "12h", value_parser = seconds)]
    life: u64,
    /// Time until the user's token can no longer be renewed.
    #[arg(long, value_name = "90d", default_value = "90d", value_parser = seconds)]
    until: u64,
}

impl Token {
    /// Runs the command.
    pub fn execute(self) -> Result<(), Error> {
        let token =
            match self.who {
                Who::Node { name, folder, life_s } => {
                    check_node_name(&name)?;
                    Authority::open(&folder.path(None)?)?.issue(
                        Grant::JoinNode(name),
                        now_s(),
                        life_s,
                    )?
                }
                Who::User(user) => user.issue()?,
                Who::Monitor { name, folder, life_s } => Authority::open(&folder.path(None)?)?
                    .issue(Grant::Monitor(name), now_s(), life_s)?,
            };
        println!("{token}");
        Ok(())
    }
}

impl UserToken {
    fn issue(self) -> Result<String, Error> {
        if self.gpus.is_some_and(|gpus| !(gpus > 0.0 && gpus.is_finite())) {
            return Err(Error::Identity("--gpus must be a number above 0".into()));
        }
        let limits = Quota {
            gpus: self.gpus,
            memory_bytes: self.memory,
            leases: self.leases,
            gpu_hours: None,
        };
        let now_s = now_s();
        let user = User {
            name: self.name,
            group: self.group,
            limits,
            priority_max: self.priority,
            operator: self.operator,
            life_s: self.life,
            until_s: now_s.saturating_add(self.until),
        };
        Ok(Authority::open(&self.folder.path(None)?)?.issue(
            Grant::JoinUser(user),
            now_s,
            self.join_s,
        )?)
    }
}

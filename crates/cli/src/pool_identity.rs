//! `outhaul pool init` and `outhaul pool token`: a pool's authority, on the pool's own machine, and
//! tokens by which nodes and users join.

use crate::error::Error;
use crate::passports::base;
use crate::wish::{bytes, seconds};
use outhaul_pool::identity::authority::{Authority, check_node_name, folder_beside};
use outhaul_pool::identity::{Grant, User, WallTime};
use outhaul_pool::quota::Quota;
use outhaul_pool::rules::check_name;
use std::path::PathBuf;

/// Where the identity lies.
#[derive(clap::Args)]
pub struct Folder {
    /// The folder with the pool's identity [default: beside the file that holds the pool].
    #[arg(long, value_name = "DIR")]
    identity: Option<PathBuf>,
}

impl Folder {
    /// The one that was named.
    pub fn named(&self) -> Option<&PathBuf> {
        self.identity.as_ref()
    }

    pub fn path(&self, store: Option<&PathBuf>) -> Result<PathBuf, Error> {
        match (&self.identity, store) {
            (Some(folder), _) => Ok(folder.clone()),
            (None, Some(store)) => Ok(folder_beside(store)),
            (None, None) => Ok(folder_beside(&default_store()?)),
        }
    }
}

/// The file that holds the pool, if no other is named.
pub fn default_store() -> Result<PathBuf, Error> {
    Ok(base("XDG_STATE_HOME", ".local/state")?.join("outhaul/pool.sqlite"))
}

fn now_s() -> u64 {
    WallTime::of_machine().now_s()
}

/// Make the pool an identity: from then on it speaks TLS, and knows nodes by certificates and users
/// by tokens.
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
    pub fn execute(self) -> Result<(), Error> {
        let folder = self.folder.path(None)?;
        Authority::create(&folder, now_s())?;
        println!(
            "outhaul: the pool's identity is in {}; who has these files is the pool",
            folder.display()
        );
        Ok(())
    }
}

/// Make a token by which a node or a user joins the pool, once. It is printed and kept nowhere.
#[derive(clap::Args)]
pub struct Token {
    #[command(subcommand)]
    who: Who,
}

#[derive(clap::Subcommand)]
enum Who {
    /// For a node.
    Node {
        /// What it is to be called.
        name: String,
        #[command(flatten)]
        folder: Folder,
        /// How long the token is good.
        #[arg(long = "for", value_name = "1h", default_value = "1h", value_parser = seconds)]
        life_s: u64,
    },
    /// For a user.
    User(Box<UserToken>),
    /// For whatever reads the pool's metrics, as Prometheus does; it may do nothing else. Not for
    /// joining: it is used as it is, until it ends.
    Monitor {
        /// What it is to be called.
        name: String,
        #[command(flatten)]
        folder: Folder,
        /// How long the token is good.
        #[arg(long = "for", value_name = "365d", default_value = "365d", value_parser = seconds)]
        life_s: u64,
    },
}

#[derive(clap::Args)]
struct UserToken {
    /// Who it is.
    name: String,
    #[command(flatten)]
    folder: Folder,
    /// How long the join token is good.
    #[arg(long = "for", value_name = "1h", default_value = "1h", value_parser = seconds)]
    join_s: u64,
    /// Whose quota counts too.
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
    /// GPUs at once, at most; a part of one counts as that part.
    #[arg(long, value_name = "N")]
    gpus: Option<f64>,
    /// GPU memory at once, at most.
    #[arg(long, value_name = "80GiB", value_parser = bytes)]
    memory: Option<u64>,
    /// Leases at once, at most.
    #[arg(long, value_name = "N")]
    leases: Option<u32>,
    /// The highest priority that may be asked for.
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    priority: i8,
    /// May run the pool: drain nodes, set quotas, end leases of others.
    #[arg(long)]
    operator: bool,
    /// How long the user's token lives; it is renewed when the user does something.
    #[arg(long, value_name = "12h", default_value = "12h", value_parser = seconds)]
    life: u64,
    /// For how long it may be renewed.
    #[arg(long, value_name = "90d", default_value = "90d", value_parser = seconds)]
    until: u64,
}

impl Token {
    pub fn execute(self) -> Result<(), Error> {
        let token = match self.who {
            Who::Node { name, folder, life_s } => {
                check_node_name(&name)?;
                Authority::open(&folder.path(None)?)?.issue(
                    Grant::JoinNode(name),
                    now_s(),
                    life_s,
                )?
            }
            Who::User(user) => user.issue()?,
            Who::Monitor { name, folder, life_s } => {
                check_name(&name)?;
                Authority::open(&folder.path(None)?)?.issue(
                    Grant::Monitor(name),
                    now_s(),
                    life_s,
                )?
            }
        };
        println!("{token}");
        Ok(())
    }
}

impl UserToken {
    fn issue(self) -> Result<String, Error> {
        check_name(&self.name)?;
        self.group.as_deref().map_or(Ok(()), check_name)?;
        if self.gpus.is_some_and(|gpus| !(gpus > 0.0 && gpus.is_finite())) {
            return Err(Error::Identity("--gpus is a number above 0".into()));
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

//! Contexts: names for a pool or for nodes, kept in a file. An option overrides the environment,
//! and the environment overrides the context in use.

use crate::address::folders::base;
use crate::address::names;
use crate::address::node::NodeList;
use crate::address::pool::PoolAddress;
use crate::error::Error;
use crate::table::Table;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contexts {
    /// Name of the context in use.
    current: Option<String>,
    contexts: BTreeMap<String, ContextTarget>,
}

/// The pool or the nodes that a context names. The file holds the addresses as unparsed text, so
/// that a mistake in one context does not affect the others.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ContextTarget {
    Pool(String),
    Node(String),
}

/// Show the contexts, or change them.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
A context names a pool, or nodes. Commands go to the one in use where neither a flag nor \
OUTHAUL_NODE or OUTHAUL_POOL says where.

Examples:
  outhaul config set lab --pool https://pool:7653
  outhaul config set desk --node gpu7:7654
  outhaul use lab
  outhaul config"
)]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    /// Print the contexts as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum What {
    /// Create a context, or change it.
    Set {
        /// Name of the context.
        #[arg(value_parser = names::context)]
        name: String,
        #[command(flatten)]
        place: PlaceFlags,
    },
    /// Delete contexts.
    Rm {
        /// Names of the contexts to delete.
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct PlaceFlags {
    /// URL of the context's pool, or URLs of several of its processes.
    #[arg(long, value_name = "URL[,URL...]")]
    pool: Option<PoolAddress>,
    /// Addresses of the context's nodes.
    #[arg(long, value_name = "HOST:PORT[,HOST:PORT...]")]
    node: Option<NodeList>,
}

/// Choose the context that commands use from now on.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul use lab
  outhaul use https://pool:7653    makes a context of that pool, named `pool`
  outhaul use --none")]
pub struct Use {
    /// Name of a context, or the URL of a pool.
    #[arg(value_name = "NAME|URL", required_unless_present = "none")]
    context: Option<String>,
    /// Use no context from now on.
    #[arg(long, conflicts_with = "context")]
    none: bool,
}

/// Shows the contexts, or changes them.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let mut contexts = Contexts::load()?;
    match arguments.what {
        None if arguments.json => {
            println!("{}", serde_json::to_string_pretty(&contexts).unwrap_or_default())
        }
        None => print!("{}", contexts.table()),
        Some(What::Set { name, place }) => {
            let place = match (place.pool, place.node) {
                (Some(pool), _) => ContextTarget::Pool(pool.to_string()),
                (None, nodes) => {
                    ContextTarget::Node(nodes.map(|nodes| nodes.to_string()).unwrap_or_default())
                }
            };
            contexts.contexts.insert(name, place);
            contexts.save()?;
        }
        Some(What::Rm { names }) => {
            for name in names {
                contexts.contexts.remove(&name).ok_or_else(|| contexts.unknown(&name))?;
                contexts.current.take_if(|current| *current == name);
            }
            contexts.save()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Selects a context by name, creates and selects one from a pool's URL, or selects none.
pub fn use_context(arguments: &Use) -> Result<ExitCode, Error> {
    let mut contexts = Contexts::load()?;
    match &arguments.context {
        Some(text) if text.contains("://") => {
            let pool: PoolAddress = text.parse().map_err(Error::Context)?;
            let name = names::context(&named_after(pool.host())).map_err(Error::Context)?;
            contexts.contexts.insert(name.clone(), ContextTarget::Pool(pool.to_string()));
            contexts.current = Some(name);
        }
        Some(name) if !contexts.contexts.contains_key(name) => return Err(contexts.unknown(name)),
        name => contexts.current.clone_from(name),
    }
    contexts.save()?;
    println!("{}", contexts.in_use());
    Ok(ExitCode::SUCCESS)
}

/// Makes a context of a pool that the user has joined. Uses it, unless another context is in use.
/// Returns a sentence about that.
pub fn add(pool: &PoolAddress) -> Result<String, Error> {
    let mut contexts = Contexts::load()?;
    let target = ContextTarget::Pool(pool.to_string());
    let is_free = |contexts: &Contexts, name: &str| {
        contexts.contexts.get(name).is_none_or(|known| *known == target)
    };
    let host = named_after(pool.host());
    let name = if is_free(&contexts, &host) { host } else { format!("{host}-{}", pool.port()) };
    let name = names::context(&name).map_err(Error::Context)?;
    contexts.contexts.insert(name.clone(), target);
    let others = contexts.place().filter(|(current, _)| *current != name);
    if let Some((current, _)) = others {
        let advice = format!(
            "commands still use the context {current}; `outhaul use {name}` makes them use this \
            pool"
        );
        contexts.save()?;
        return Ok(advice);
    }
    contexts.current = Some(name);
    contexts.save()?;
    Ok(contexts.in_use())
}

/// Returns the name that a context gets from its pool's host.
fn named_after(host: &str) -> String {
    outhaul_wire::name::spelled(host)
}

/// Returns the nodes of the context in use, or none if the context names a pool.
pub fn nodes() -> Result<Option<NodeList>, Error> {
    match Contexts::load()?.place() {
        Some((name, ContextTarget::Node(text))) => text
            .parse()
            .map(Some)
            .map_err(|reason| Error::Context(format!("context {name}: {reason}"))),
        _ => Ok(None),
    }
}

/// Returns the pool of the context in use, or none if the context names nodes.
pub fn pool() -> Result<Option<PoolAddress>, Error> {
    match Contexts::load()?.place() {
        Some((name, ContextTarget::Pool(text))) => text
            .parse()
            .map(Some)
            .map_err(|reason| Error::Context(format!("context {name}: {reason}"))),
        _ => Ok(None),
    }
}

fn file() -> Result<PathBuf, Error> {
    Ok(base("XDG_CONFIG_HOME", ".config")?.join("outhaul/config.json"))
}

impl Contexts {
    /// Reads the contexts. Returns no contexts if the file does not exist or the user has no folder
    /// for it.
    fn load() -> Result<Contexts, Error> {
        let Ok(file) = file() else { return Ok(Contexts::default()) };
        match std::fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                Error::Context(format!(
                    "cannot read {}: {error}; correct the file, or remove it",
                    file.display()
                ))
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Contexts::default()),
            Err(error) => {
                Err(Error::Io { doing: format!("cannot read {}", file.display()), error })
            }
        }
    }

    /// Replaces the file atomically: concurrent readers see the old contents or the new contents.
    fn save(&self) -> Result<(), Error> {
        let file = file()?;
        let failed = |error| Error::Io { doing: format!("cannot write {}", file.display()), error };
        outhaul_files::make_folder(file.parent().unwrap_or(&file)).map_err(failed)?;
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        outhaul_files::write_report(&file, text.as_bytes()).map_err(failed)
    }

    fn place(&self) -> Option<(&str, &ContextTarget)> {
        let name = self.current.as_deref()?;
        Some((name, self.contexts.get(name)?))
    }

    /// Says where commands go from now on.
    fn in_use(&self) -> String {
        match self.place() {
            Some((name, ContextTarget::Pool(at) | ContextTarget::Node(at))) => {
                format!("outhaul: commands use {at} from now on (context {name})")
            }
            None => "outhaul: commands use no context from now on".to_owned(),
        }
    }

    fn unknown(&self, name: &str) -> Error {
        let known: Vec<String> =
            self.contexts.keys().map(|name| name.escape_debug().to_string()).collect();
        let known = if known.is_empty() {
            "there are none yet".to_owned()
        } else {
            format!("there are {}", known.join(", "))
        };
        Error::Context(format!(
            "there is no context '{}'; {known}; make one with `outhaul config set NAME --pool URL`",
            name.escape_debug()
        ))
    }

    fn table(&self) -> Table {
        let mut table = Table::new(&["IN USE", "CONTEXT", "POOL", "NODES"]);
        for (name, place) in &self.contexts {
            let mark = if self.current.as_ref() == Some(name) { "*" } else { "" };
            let (pool, nodes) = match place {
                ContextTarget::Pool(pool) => (pool.clone(), String::new()),
                ContextTarget::Node(nodes) => (String::new(), nodes.clone()),
            };
            table.row([mark.to_owned(), name.clone(), pool, nodes]);
        }
        table
    }
}

//! Determines which nodes or which pool a command addresses. The command's option decides, else the
//! environment, else the context in use.

use crate::address::context;
use crate::address::node::NodeList;
use crate::address::pool::{PoolAddress, VARIABLE};
use crate::error::Error;
use outhaul_pool::http::client::Client;
use outhaul_transport::NODE_VARIABLE;

impl NodeList {
    /// Returns the nodes that the option names, else the environment's, else those of the context
    /// in use.
    pub fn or_environment(flag: Option<NodeList>) -> Result<NodeList, Error> {
        match (flag, std::env::var(NODE_VARIABLE)) {
            (Some(nodes), _) => Ok(nodes),
            (None, Ok(text)) if !text.is_empty() => text.parse().map_err(Error::NodeVariable),
            _ => context::nodes()?.ok_or(Error::NoNode),
        }
    }
}

/// The option that names the pool of a command.
#[derive(clap::Args)]
pub struct PoolOption {
    /// URL of the pool, or URLs of several of its processes. Commands ask the first that answers
    /// [default: OUTHAUL_POOL].
    #[arg(long, value_name = "URL[,URL...]")]
    pool: Option<PoolAddress>,
}

impl PoolOption {
    /// Returns a client of the pool.
    pub fn client(self) -> Result<Client, Error> {
        self.address()?.client()
    }

    /// Returns the address of the pool. Fails if neither the option, the environment nor a context
    /// names one.
    pub fn address(self) -> Result<PoolAddress, Error> {
        PoolAddress::or_environment(self.pool)?.ok_or(Error::NoPool)
    }
}

impl PoolAddress {
    /// Returns the pool that the option names, else the environment's, else that of the context in
    /// use.
    pub fn or_environment(flag: Option<PoolAddress>) -> Result<Option<PoolAddress>, Error> {
        match (flag, std::env::var(VARIABLE)) {
            (Some(pool), _) => Ok(Some(pool)),
            (None, Ok(text)) if !text.is_empty() => {
                text.parse().map(Some).map_err(Error::PoolVariable)
            }
            _ => context::pool(),
        }
    }

    /// Returns the pool that `flag` names. Without a flag, returns the environment's or the
    /// context's pool, unless `node` or the environment names a node.
    pub fn unless_node(
        flag: &Option<PoolAddress>,
        node: &Option<NodeList>,
    ) -> Result<Option<PoolAddress>, Error> {
        let node_named = node.is_some()
            || std::env::var_os(NODE_VARIABLE).is_some_and(|nodes| !nodes.is_empty());
        if flag.is_none() && node_named {
            Ok(None)
        } else {
            PoolAddress::or_environment(flag.clone())
        }
    }
}

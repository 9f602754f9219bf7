//! Parses a node's address, and lists of addresses. An address is HOST:PORT, or HOST for the
//! default port.

use crate::address::hostname::is_of_host;
use outhaul_pool::identity::node_name::check_node_name;
use outhaul_wire::handle::NODES_MAX;
use std::fmt;
use std::net::{Ipv6Addr, SocketAddr};
use std::str::FromStr;

/// The port on which a node listens by default.
pub const PORT: u16 = 7654;

/// The address of a node, optionally with the name that the node must prove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeAddress(String);

impl NodeAddress {
    /// Returns the address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the host, without the node's name, the port or an IPv6 address's brackets.
    pub fn host(&self) -> &str {
        self.place().rsplit_once(':').map_or("", |(host, _)| host).trim_matches(['[', ']'])
    }
}

impl NodeAddress {
    /// Returns the address without the name that the node must prove.
    fn place(&self) -> &str {
        self.0.split_once('@').map_or(self.0.as_str(), |(_, place)| place)
    }

    /// Returns `address` with the name that the node at that address must prove.
    pub fn named(name: &str, address: &str) -> String {
        format!("{name}@{address}")
    }
}

/// Nodes whose devices a program sees as one list, in the order of the nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeList(Vec<NodeAddress>);

impl NodeList {
    /// Returns the nodes in their order.
    pub fn nodes(&self) -> &[NodeAddress] {
        &self.0
    }
}

impl fmt::Display for NodeList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(NodeAddress::as_str).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for NodeList {
    type Err = String;

    fn from_str(text: &str) -> Result<NodeList, String> {
        let nodes = text
            .split(',')
            .map(|node| node.trim().parse())
            .collect::<Result<Vec<NodeAddress>, _>>()?;
        match nodes.iter().enumerate().find(|(i, node)| nodes[..*i].contains(node)) {
            Some((_, node)) => Err(format!("{node} is named twice")),
            None if nodes.len() > NODES_MAX => {
                Err(format!("{} nodes are named; a program can use {NODES_MAX}", nodes.len()))
            }
            None => Ok(NodeList(nodes)),
        }
    }
}

impl From<SocketAddr> for NodeAddress {
    fn from(address: SocketAddr) -> NodeAddress {
        NodeAddress(address.to_string())
    }
}

impl fmt::Display for NodeAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for NodeAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<NodeAddress, String> {
        let wrong = || {
            format!(
                "'{}' is not a node; write HOST:PORT, as gpu7:{PORT} or [::1]:{PORT}",
                text.escape_debug()
            )
        };
        if let Some((name, place)) = text.split_once('@') {
            check_node_name(name).map_err(|_| wrong())?;
            if place.contains('@') {
                return Err(wrong());
            }
            return Ok(NodeAddress(NodeAddress::named(
                name,
                place.parse::<NodeAddress>()?.as_str(),
            )));
        }
        if text.parse::<Ipv6Addr>().is_ok() {
            return Ok(NodeAddress(format!("[{text}]:{PORT}")));
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !text.ends_with(']') => {
                (host, port.parse().map_err(|_| wrong())?)
            }
            _ => (text, PORT),
        };
        let brackets = host.starts_with('[') && host.ends_with(']');
        if host.is_empty()
            || host.starts_with('-')
            || port == 0
            || !host.chars().all(|c| is_of_host(c) || brackets && ":[]".contains(c))
        {
            return Err(wrong());
        }
        Ok(NodeAddress(format!("{host}:{port}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_port_may_be_left_out_and_nonsense_is_named() {
        let read = |text: &str| text.parse::<NodeAddress>().map(|n| n.to_string()).ok();
        assert_eq!(read("gpu7").as_deref(), Some("gpu7:7654"));
        assert_eq!(read("gpu7:99").as_deref(), Some("gpu7:99"));
        assert_eq!(read("::1").as_deref(), Some("[::1]:7654"));
        assert_eq!(read("[::1]:99").as_deref(), Some("[::1]:99"));
        assert_eq!(read("gpu7@10.0.0.7").as_deref(), Some("gpu7@10.0.0.7:7654"));
        assert_eq!("gpu7@[::1]:99".parse::<NodeAddress>().unwrap().host(), "::1");
        let list = |text: &str| text.parse::<NodeList>().map(|n| n.to_string()).ok();
        assert_eq!(list("gpu7, gpu8:99").as_deref(), Some("gpu7:7654,gpu8:99"));
        assert_eq!(
            (list("gpu7,gpu7:7654"), list("gpu7,"), list(&["gpu"; 1].repeat(17).join(","))),
            (None, None, None)
        );
        assert_eq!("[::1]:99".parse::<NodeAddress>().unwrap().host(), "::1");
        for nonsense in [
            "",
            ":99",
            "gpu7:",
            "gpu7:0",
            "gpu7:99999",
            "http://gpu7",
            "http://gpu7:80",
            "a:b:1",
            "@gpu7",
            "a b@gpu7",
            "gpu7\nx",
            "gpu\t7:1",
            "\u{1b}[31mgpu7",
            "j\u{fc}rgen",
            "gpu[7]",
            "-gpu7",
            "a@b@c",
        ] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
    }
}

//! Parses the URL of a pool, and the URLs of its processes.

use crate::address::hostname::is_of_host;
use std::fmt;
use std::str::FromStr;

/// The port on which a pool listens by default.
pub const PORT: u16 = 7653;
/// The variable that names a pool.
pub const VARIABLE: &str = "OUTHAUL_POOL";
const SECURE: &str = "https://";
const PLAIN: &str = "http://";

/// Maximum number of processes that a pool's address may name.
const PROCESSES_MAX: usize = 16;

/// The URLs of one pool's processes. All processes serve the same pool, so a command asks the first
/// that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolAddress(Vec<String>);

impl FromStr for PoolAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<PoolAddress, String> {
        // All URLs must use the scheme of the first one.
        let scheme = if text.trim_start().starts_with(SECURE) { SECURE } else { PLAIN };
        let urls = text
            .split(',')
            .map(|one| url(one.trim(), scheme))
            .collect::<Result<Vec<String>, String>>()?;
        if urls.len() > PROCESSES_MAX {
            return Err(format!(
                "{} processes of a pool are named; {PROCESSES_MAX} can be",
                urls.len()
            ));
        }
        match urls.iter().enumerate().find(|(n, url)| urls[..*n].contains(url)) {
            Some((_, twice)) => Err(format!("{twice} is named twice")),
            None => Ok(PoolAddress(urls)),
        }
    }
}

/// Parses the URL of one process.
fn url(text: &str, scheme: &'static str) -> Result<String, String> {
    let wrong = || {
        format!(
            "'{}' is not a pool; write https://HOST:PORT or http://HOST:PORT, for example \
            https://pool:{PORT}",
            text.escape_debug()
        )
    };
    let own = [SECURE, PLAIN].into_iter().find(|own| text.starts_with(own));
    if own.is_some_and(|own| own != scheme) {
        return Err(format!(
            "'{text}' is {}, and another process of the pool is not: all have the pool's identity, \
            or none",
            own.unwrap_or("")
        ));
    }
    let place = text.strip_prefix(scheme).unwrap_or(text).trim_end_matches('/');
    if place.is_empty() || !place.chars().all(|c| is_of_host(c) || ":[]".contains(c)) {
        return Err(wrong());
    }
    let host_alone = !place.contains(':') || place.ends_with(']');
    match place.rsplit_once(':') {
        _ if host_alone => Ok(format!("{scheme}{place}:{PORT}")),
        Some((host, port))
            if !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0) =>
        {
            Ok(format!("{scheme}{place}"))
        }
        _ => Err(wrong()),
    }
}

impl fmt::Display for PoolAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

impl PoolAddress {
    /// Returns whether the pool has an identity.
    pub fn is_secure(&self) -> bool {
        self.0[0].starts_with(SECURE)
    }

    /// Returns the URL of each process.
    pub fn processes(&self) -> impl Iterator<Item = PoolAddress> {
        self.0.iter().map(|url| PoolAddress(vec![url.clone()]))
    }

    /// Returns the host of the first process.
    pub fn host(&self) -> &str {
        let place = self.place();
        place.rsplit_once(':').map_or(place, |(host, _)| host).trim_matches(['[', ']'])
    }

    /// Returns the port of the first process.
    pub fn port(&self) -> u16 {
        self.place().rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or(PORT)
    }

    /// Returns the first process's address as a folder name.
    pub fn as_folder(&self) -> String {
        self.place().replace([':', '[', ']'], "_")
    }

    fn place(&self) -> &str {
        self.0[0].split_once("://").map_or("", |(_, place)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_and_the_usual_port_may_be_left_out_and_nonsense_is_named() {
        let read = |text: &str| text.parse::<PoolAddress>().map(|pool| pool.to_string()).ok();
        for (text, meant) in [
            ("pool", "http://pool:7653"),
            ("pool:99", "http://pool:99"),
            ("http://pool", "http://pool:7653"),
            ("http://[::1]:99/", "http://[::1]:99"),
            ("[::1]", "http://[::1]:7653"),
            ("https://pool", "https://pool:7653"),
            ("a, b:99", "http://a:7653,http://b:99"),
            ("https://a,b:99,https://c", "https://a:7653,https://b:99,https://c:7653"),
        ] {
            assert_eq!(read(text).as_deref(), Some(meant), "{text}");
        }
        for nonsense in [
            "",
            "http://",
            "https://",
            "ftp://pool",
            "pool:0",
            "pool:x",
            "pool/path",
            "user@pool",
            "pool\nx",
            "po\tol:1",
            "\u{1b}[31mpool",
            "j\u{fc}rgen",
            "a\\b",
            "pool?x",
            "a,",
            "a,a:7653",
            "a,https://b",
            "https://a,http://b",
        ] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
        assert_eq!(
            read(&(1..18).map(|port| format!("a:{port}")).collect::<Vec<_>>().join(",")),
            None
        );
    }
}

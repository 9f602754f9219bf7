//! Parsers of the names in arguments, so that a command refuses what no pool or node accepts before
//! it asks one.

use outhaul_wire::name::check_name;

fn named(what: &'static str, text: &str) -> Result<String, String> {
    check_name(what, text).map(|()| text.to_owned()).map_err(|error| error.to_string())
}

/// Parses the name of a user.
pub fn user(text: &str) -> Result<String, String> {
    named("user", text)
}

/// Parses the name of a group.
pub fn group(text: &str) -> Result<String, String> {
    named("group", text)
}

/// Parses the name of a node.
pub fn node(text: &str) -> Result<String, String> {
    named("node", text)
}

/// Parses the name of a lease.
pub fn lease(text: &str) -> Result<String, String> {
    named("lease", text)
}

/// Parses the name of a token.
pub fn token(text: &str) -> Result<String, String> {
    named("token", text)
}

/// Parses the name of a context.
pub fn context(text: &str) -> Result<String, String> {
    named("context", text)
}

/// Parses the subject of a quota: a user, a group, or all of them.
pub fn subject(text: &str) -> Result<String, String> {
    match text.split_once(':') {
        Some(("user" | "group", "*")) => Ok(text.to_owned()),
        Some(("user", name)) => user(name).map(|_| text.to_owned()),
        Some(("group", name)) => group(name).map(|_| text.to_owned()),
        _ => Err(format!("'{text}' is not user:NAME, group:NAME, user:* or group:*")),
    }
}

//! The wall around connections. A worker uses only the connections that it inherited. It cannot
//! make connections, listen on a port, find other programs' sockets by name, or signal other
//! processes. It requests other connections from its listener (`worker_services.rs`).

use landlock::{ABI, Access, AccessNet, Ruleset, RulesetAttr, RulesetError, RulesetStatus, Scope};

/// Blocks new connections, and signals to other processes. Fails if Linux cannot block all of these
/// actions.
pub fn cut() -> Result<(), String> {
    match restrict() {
        Ok(RulesetStatus::FullyEnforced) => Ok(()),
        Ok(RulesetStatus::PartiallyEnforced) => {
            Err("this kernel's Landlock restricts connections only in part".into())
        }
        Ok(RulesetStatus::NotEnforced) => {
            Err("this kernel's Landlock cannot restrict connections".into())
        }
        Err(error) => Err(error.to_string()),
    }
}

fn restrict() -> Result<RulesetStatus, RulesetError> {
    let ports = Ruleset::default().handle_access(AccessNet::from_all(ABI::V6))?;
    Ok(ports.scope(Scope::from_all(ABI::V6))?.create()?.restrict_self()?.ruleset)
}

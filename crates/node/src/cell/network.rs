//! A worker speaks over the connections that it was given. It opens none, listens on no port, finds
//! no other program's socket by name, and sends no other process a signal; what it needs of these
//! it asks of its listener (`errands.rs`).

use landlock::{ABI, Access, AccessNet, Ruleset, RulesetAttr, RulesetError, RulesetStatus, Scope};

pub fn cut() -> Result<(), String> {
    match restrict() {
        Ok(RulesetStatus::FullyEnforced) => Ok(()),
        Ok(RulesetStatus::PartiallyEnforced) => {
            Err("this kernel's Landlock knows of connections only in part".into())
        }
        Ok(RulesetStatus::NotEnforced) => {
            Err("this kernel's Landlock knows of no connections".into())
        }
        Err(error) => Err(error.to_string()),
    }
}

fn restrict() -> Result<RulesetStatus, RulesetError> {
    let ports = Ruleset::default().handle_access(AccessNet::from_all(ABI::V6))?;
    Ok(ports.scope(Scope::from_all(ABI::V6))?.create()?.restrict_self()?.ruleset)
}

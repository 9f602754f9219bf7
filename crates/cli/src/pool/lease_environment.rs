//! The environment variables of a lease in a shell: `outhaul request` sets them, and `outhaul
//! release` removes those that it set.

use crate::address::pool::VARIABLE;
use outhaul_transport::{LEASE_VARIABLE, NODE_VARIABLE};

/// Names the variables that `outhaul request` has set in this shell, and that had another value
/// before. The user's own variables are not among them.
const SET_VARIABLE: &str = "OUTHAUL_LEASE_VARIABLES";

/// The variables of a lease that a shell already has.
pub struct LeaseEnvironment {
    /// The names in `SET_VARIABLE`.
    set: Vec<String>,
    own: fn(&str) -> Option<String>,
}

impl LeaseEnvironment {
    /// Returns the environment of this process, and so of its shell.
    pub fn of_process() -> LeaseEnvironment {
        let own = |name: &str| std::env::var(name).ok();
        LeaseEnvironment::of(own)
    }

    fn of(own: fn(&str) -> Option<String>) -> LeaseEnvironment {
        let set = own(SET_VARIABLE).unwrap_or_default();
        // The shell evaluates the names, so anything else is left out.
        let is_name = |name: &&str| {
            name.starts_with("OUTHAUL_")
                && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_uppercase())
        };
        LeaseEnvironment { set: set.split(',').filter(is_name).map(str::to_owned).collect(), own }
    }

    /// Returns the commands by which a shell sets the variables of a lease.
    pub fn with(&self, variables: &[(&'static str, String)]) -> String {
        let mut set = self.set.clone();
        let mut text = String::new();
        for (name, value) in variables {
            if (self.own)(name).as_ref() == Some(value) {
                continue;
            }
            text += &format!("export {name}={}\n", quoted(value));
            if !set.iter().any(|known| known == name) {
                set.push((*name).to_owned());
            }
        }
        text + &format!("export {SET_VARIABLE}={}\n", set.join(","))
    }

    /// Returns the names of the variables that a shell must remove with its lease.
    pub fn names(&self) -> Vec<&str> {
        if self.set.is_empty() {
            return vec![VARIABLE, NODE_VARIABLE, LEASE_VARIABLE];
        }
        self.set.iter().map(String::as_str).chain([SET_VARIABLE]).collect()
    }
}

/// Quotes a value for a shell, if that is needed.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:,@-".contains(c);
    if value.chars().all(is_plain) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_removes_what_a_request_set_and_keeps_what_was_there() {
        let lease = [(VARIABLE, "http://pool".into()), (LEASE_VARIABLE, "a.b'c".into())];
        let fresh = LeaseEnvironment::of(|_| None);
        assert_eq!(
            fresh.with(&lease),
            "export OUTHAUL_POOL=http://pool\nexport OUTHAUL_LEASE='a.b'\\''c'\n\
            export OUTHAUL_LEASE_VARIABLES=OUTHAUL_POOL,OUTHAUL_LEASE\n"
        );
        assert_eq!(fresh.names(), [VARIABLE, NODE_VARIABLE, LEASE_VARIABLE]);
        let known = LeaseEnvironment::of(|name| (name == VARIABLE).then(|| "http://pool".into()));
        assert!(!known.with(&lease).contains("OUTHAUL_POOL"));
        let set = LeaseEnvironment::of(|name| {
            (name == SET_VARIABLE).then(|| "OUTHAUL_NODE,HOME,$(x)".into())
        });
        assert_eq!(set.names(), ["OUTHAUL_NODE", SET_VARIABLE]);
        assert!(set.with(&lease).ends_with("=OUTHAUL_NODE,OUTHAUL_POOL,OUTHAUL_LEASE\n"));
    }
}

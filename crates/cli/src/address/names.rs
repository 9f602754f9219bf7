//! Parsers of the names and limits in arguments, so that a command refuses what no pool or node
//! accepts before it asks one.

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

/// Parses a limit: zero or a positive number.
pub fn limit(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        // JSON has no infinity, so the pool would read no limit at all. The sum makes -0 a 0.
        Ok(limit) if limit >= 0.0 && limit.is_finite() => Ok(limit + 0.0),
        _ => Err("write zero or a positive number; leave it out for no limit".to_owned()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_number_that_json_can_carry() {
        assert_eq!((limit("0"), limit("2.5"), limit("1e3")), (Ok(0.0), Ok(2.5), Ok(1000.0)));
        assert!(limit("-0").is_ok_and(f64::is_sign_positive));
        for text in ["nan", "inf", "-inf", "1e400", "-1", "", "0x10", "1_0", "\u{661}"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_subject_is_a_user_a_group_or_all_of_them() {
        for text in ["user:alice", "group:lab", "user:*", "group:*"] {
            assert_eq!(subject(text).as_deref(), Ok(text));
        }
        for text in ["", "alice", "user:", "user:..", "user:-x", "user:a/b", "user:**", "node:a"] {
            assert!(subject(text).is_err(), "{text}");
        }
    }
}

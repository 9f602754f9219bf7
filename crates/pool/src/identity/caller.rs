//! The caller of a request, and its permissions. A pool without an authority believes every
//! caller's name and permits everything.

use super::authority::Authority;
use super::token::{Grant, User};
use crate::error::Error;
use crate::identity::secret::key_hash;
use crate::model::actor::Actor;
use crate::model::lease::Holder;
use axum::http::HeaderMap;
use outhaul_wire::name::check_name;

/// The header in which a caller without authentication gives a user name.
pub const USER_HEADER: &str = "outhaul-user";
/// The header in which a caller proves that it holds a lease: the lease's name and key, separated
/// by a dot.
pub const LEASE_HEADER: &str = "outhaul-lease";
/// The name of callers that give none.
const ANONYMOUS: &str = "anonymous";
const BEARER: &str = "Bearer ";

/// The sender of a request, with the identity that the sender has proved.
pub struct Caller {
    proof: Proof,
    lease: Option<(String, String)>,
}

enum Proof {
    /// The name that the caller gives, or why it is none; the pool has no authority to check that
    /// the name is the caller's.
    Open(Result<String, Error>),
    /// The name of a node, proved by its certificate.
    Node(String),
    /// A user, proved by a token; or the reason why the token is invalid.
    User(Result<User, Error>),
    /// The name of a caller that may read metrics.
    Monitor(String),
}

impl Caller {
    /// Identifies the caller of a request. `node` is the node's name in the connection's
    /// certificate.
    pub fn new(
        authority: Option<&Authority>,
        node: Option<String>,
        headers: &HeaderMap,
        now_s: u64,
    ) -> Caller {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let proof = match (authority, node) {
            (None, _) => Proof::Open(claimed(headers)),
            (Some(_), Some(node)) => Proof::Node(node),
            (Some(authority), None) => by_token(authority, header("authorization"), now_s),
        };
        let lease = header(LEASE_HEADER).and_then(|lease| lease.split_once('.'));
        Caller { proof, lease: lease.map(|(id, key)| (id.to_owned(), key.to_owned())) }
    }

    /// Checks that the caller is a member of the pool.
    ///
    /// # Errors
    /// `Unknown`.
    pub fn member(&self) -> Result<(), Error> {
        match &self.proof {
            Proof::User(Err(error)) | Proof::Open(Err(error)) => Err(error.clone()),
            Proof::Monitor(name) => Err(only_metrics(name)),
            _ => Ok(()),
        }
    }

    /// Checks that the caller may read metrics.
    ///
    /// # Errors
    /// `Unknown`.
    pub fn reader(&self) -> Result<(), Error> {
        if matches!(self.proof, Proof::Monitor(_)) { Ok(()) } else { self.member() }
    }

    /// Returns the caller as a lease's holder, with the contents of the user's token, if any.
    ///
    /// # Errors
    /// `Unknown` or `Forbidden`.
    pub fn holder(&self) -> Result<(Holder, Option<&User>), Error> {
        match &self.proof {
            Proof::Open(name) => Ok((Holder { user: name.clone()?, group: None }, None)),
            Proof::User(user) => {
                let user = user.as_ref().map_err(Clone::clone)?;
                Ok((Holder { user: user.name.clone(), group: user.group.clone() }, Some(user)))
            }
            Proof::Node(name) => Err(Error::Forbidden(format!("the node {name} is not a user"))),
            Proof::Monitor(name) => Err(only_metrics(name)),
        }
    }

    /// Checks that the caller is the node `name` and returns it as an actor.
    ///
    /// # Errors
    /// `Unknown` or `Forbidden`.
    pub fn node(&self, name: &str) -> Result<Actor, Error> {
        match &self.proof {
            Proof::Open(_) => {}
            Proof::Node(own) if own.eq_ignore_ascii_case(name) => {}
            Proof::Node(own) => {
                return Err(Error::Forbidden(format!(
                    "the certificate belongs to the node '{own}', not to '{name}'"
                )));
            }
            Proof::User(Ok(user)) => {
                return Err(Error::Forbidden(format!(
                    "{} is not a node; nodes join with a token from `outhaul pool token node`",
                    user.name
                )));
            }
            Proof::User(Err(error)) => return Err(error.clone()),
            Proof::Monitor(name) => return Err(only_metrics(name)),
        }
        Ok(Actor(format!("node:{name}")))
    }

    /// Checks that the caller may operate the pool and returns it as an actor.
    ///
    /// # Errors
    /// `Unknown` or `Forbidden`.
    pub fn operator(&self) -> Result<Actor, Error> {
        let (holder, user) = self.holder()?;
        match user {
            Some(user) if !user.operator => {
                Err(Error::Forbidden(format!("{} is not an operator of the pool", user.name)))
            }
            _ => Ok(Actor(format!("user:{}", holder.user))),
        }
    }

    /// Checks that the caller may read the log: operators all of it, or what is about `user`, and
    /// other users what is about themselves.
    ///
    /// # Errors
    /// `Unknown` or `Forbidden`.
    pub fn auditor(&self, user: Option<&str>) -> Result<(), Error> {
        let own = self.holder()?.0.user;
        if user == Some(&own) || self.operator().is_ok() {
            return Ok(());
        }
        Err(Error::Forbidden(format!(
            "{own} is not an operator of the pool and may read only the entries about {own}: \
            `outhaul audit --user {own}`"
        )))
    }

    /// Returns whether the caller holds the lease, by the lease's key or as the lease's user.
    pub fn holds(&self, id: &str, hash: &str, holder: &Holder) -> bool {
        // Hashes are compared, so that the duration of the comparison reveals nothing about the
        // key.
        let by_key =
            self.lease.as_ref().is_some_and(|(lease, key)| lease == id && key_hash(key) == hash);
        by_key || self.holder().is_ok_and(|(own, _)| own.user == holder.user)
    }

    /// Returns whether the pool permits everything to every caller.
    pub fn is_open(&self) -> bool {
        matches!(self.proof, Proof::Open(_))
    }

    /// Returns the node's name, if the caller proved with a certificate to be a node.
    pub fn as_node(&self) -> Option<&str> {
        if let Proof::Node(name) = &self.proof { Some(name) } else { None }
    }
}

/// Returns the name that the caller gives.
fn claimed(headers: &HeaderMap) -> Result<String, Error> {
    let Some(name) = headers.get(USER_HEADER) else { return Ok(ANONYMOUS.to_owned()) };
    let name = String::from_utf8_lossy(name.as_bytes());
    check_name("user", &name)
        .map_err(|error| Error::Usage(format!("the header {USER_HEADER}: {error}")))?;
    Ok(name.into_owned())
}

fn only_metrics(name: &str) -> Error {
    Error::Forbidden(format!("the token of {name} is good for metrics only"))
}

fn by_token(authority: &Authority, header: Option<&str>, now_s: u64) -> Proof {
    match granted(authority, header, now_s) {
        Ok(Grant::User(user)) => Proof::User(Ok(user)),
        Ok(Grant::Monitor(name)) => Proof::Monitor(name),
        Ok(_) => Proof::User(Err(Error::Unknown(
            "this is a join token; exchange it with `outhaul token join TOKEN`".into(),
        ))),
        Err(error) => Proof::User(Err(error)),
    }
}

fn granted(authority: &Authority, header: Option<&str>, now_s: u64) -> Result<Grant, Error> {
    let text = header.and_then(|header| header.strip_prefix(BEARER));
    let text = text.ok_or_else(|| {
        Error::Unknown(
            "the pool must know who asks; join it with `outhaul token join TOKEN`".into(),
        )
    })?;
    Ok(authority.read(text, now_s)?.grant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn a_caller_who_gives_no_name_is_anonymous_and_one_who_gives_a_wrong_name_is_refused() {
        let holder = |name: Option<&[u8]>| {
            let header = name.map(|name| (USER_HEADER, HeaderValue::from_bytes(name).unwrap()));
            let headers = header.into_iter().map(|(key, value)| (key.parse().unwrap(), value));
            let caller = Caller::new(None, None, &headers.collect(), 0);
            assert_eq!(caller.member().is_ok(), caller.holder().is_ok());
            caller.holder().map(|(holder, _)| holder.user).map_err(|error| error.to_string())
        };
        assert_eq!(holder(None).as_deref(), Ok(ANONYMOUS));
        assert_eq!(holder(Some(b"alice@example.org")).as_deref(), Ok("alice@example.org"));
        for wrong in ["", "jürgen", "a b", "CORP\\alice", &"a".repeat(65)] {
            let error = holder(Some(wrong.as_bytes())).unwrap_err();
            assert!(error.contains("outhaul-user") && error.contains("name a user"), "{error}");
        }
        assert!(holder(Some(b"\xfcber")).is_err(), "Latin-1");
    }
}

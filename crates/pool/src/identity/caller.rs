//! Who asks the pool something, and whether they may. In a pool without an authority everybody is
//! who they say, and may do everything.

use super::authority::Authority;
use super::token::{Grant, User};
use crate::client::key_hash;
use crate::entry::Actor;
use crate::error::Error;
use crate::lease::Holder;
use axum::http::HeaderMap;

/// The header in which somebody who is not authenticated says who they are.
pub const USER_HEADER: &str = "outhaul-user";
/// The header in which somebody proves that they hold a lease: its name and key, with a dot between
/// them.
pub const LEASE_HEADER: &str = "outhaul-lease";
const ANONYMOUS: &str = "anonymous";
const BEARER: &str = "Bearer ";

/// Whoever asks.
pub struct Caller {
    proof: Proof,
    lease: Option<(String, String)>,
}

enum Proof {
    /// There is no authority: whoever they say.
    Open(String),
    /// A node, by its certificate.
    Node(String),
    /// A user, by their token, or what is wrong with it.
    User(Result<User, Error>),
    /// Who may read metrics.
    Monitor(String),
}

impl Caller {
    /// By what came with a question. `node` is whose certificate the connection has.
    pub fn new(
        authority: Option<&Authority>,
        node: Option<String>,
        headers: &HeaderMap,
        now_s: u64,
    ) -> Caller {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let proof = match (authority, node) {
            (None, _) => Proof::Open(header(USER_HEADER).unwrap_or(ANONYMOUS).to_owned()),
            (Some(_), Some(node)) => Proof::Node(node),
            (Some(authority), None) => by_token(authority, header("authorization"), now_s),
        };
        let lease = header(LEASE_HEADER).and_then(|lease| lease.split_once('.'));
        Caller { proof, lease: lease.map(|(id, key)| (id.to_owned(), key.to_owned())) }
    }

    /// That somebody of the pool asks.
    ///
    /// # Errors
    /// `Unknown`.
    pub fn member(&self) -> Result<(), Error> {
        match &self.proof {
            Proof::User(Err(error)) => Err(error.clone()),
            Proof::Monitor(name) => Err(only_metrics(name)),
            _ => Ok(()),
        }
    }

    /// That somebody asks who may read metrics.
    ///
    /// # Errors
    /// `Unknown`.
    pub fn reader(&self) -> Result<(), Error> {
        if matches!(self.proof, Proof::Monitor(_)) { Ok(()) } else { self.member() }
    }

    /// That a user asks: who holds what they take, and by which token.
    ///
    /// # Errors
    /// `Unknown` or `Forbidden`.
    pub fn holder(&self) -> Result<(Holder, Option<&User>), Error> {
        match &self.proof {
            Proof::Open(name) => Ok((Holder { user: name.clone(), group: None }, None)),
            Proof::User(user) => {
                let user = user.as_ref().map_err(Clone::clone)?;
                Ok((Holder { user: user.name.clone(), group: user.group.clone() }, Some(user)))
            }
            Proof::Node(name) => Err(Error::Forbidden(format!("the node {name} is no user"))),
            Proof::Monitor(name) => Err(only_metrics(name)),
        }
    }

    /// That this node asks.
    ///
    /// # Errors
    /// `Unknown` or `Forbidden`.
    pub fn node(&self, name: &str) -> Result<Actor, Error> {
        match &self.proof {
            Proof::Open(_) => {}
            Proof::Node(own) if own.eq_ignore_ascii_case(name) => {}
            Proof::Node(own) => {
                return Err(Error::Forbidden(format!(
                    "the certificate is of the node '{own}', and not of '{name}'"
                )));
            }
            Proof::User(Ok(user)) => {
                return Err(Error::Forbidden(format!(
                    "{} is no node; nodes join with a token of `outhaul pool token node`",
                    user.name
                )));
            }
            Proof::User(Err(error)) => return Err(error.clone()),
            Proof::Monitor(name) => return Err(only_metrics(name)),
        }
        Ok(Actor(format!("node:{name}")))
    }

    /// That somebody asks who may run the pool.
    ///
    /// # Errors
    /// `Unknown` or `Forbidden`.
    pub fn operator(&self) -> Result<Actor, Error> {
        let (holder, user) = self.holder()?;
        match user {
            Some(user) if !user.operator => {
                Err(Error::Forbidden(format!("{} is no operator of the pool", user.name)))
            }
            _ => Ok(Actor(format!("user:{}", holder.user))),
        }
    }

    /// That whoever asks holds the lease: by its key, or by being its user.
    pub fn holds(&self, id: &str, hash: &str, holder: &Holder) -> bool {
        // Hashes are compared, so how long that takes says nothing of the key.
        let by_key =
            self.lease.as_ref().is_some_and(|(lease, key)| lease == id && key_hash(key) == hash);
        by_key || self.holder().is_ok_and(|(own, _)| own.user == holder.user)
    }

    /// Whether everybody may do everything.
    pub fn is_open(&self) -> bool {
        matches!(self.proof, Proof::Open(_))
    }

    /// The node, if one asks by its certificate.
    pub fn as_node(&self) -> Option<&str> {
        if let Proof::Node(name) = &self.proof { Some(name) } else { None }
    }
}

fn only_metrics(name: &str) -> Error {
    Error::Forbidden(format!("the token of {name} is for metrics, and for nothing else"))
}

fn by_token(authority: &Authority, header: Option<&str>, now_s: u64) -> Proof {
    match granted(authority, header, now_s) {
        Ok(Grant::User(user)) => Proof::User(Ok(user)),
        Ok(Grant::Monitor(name)) => Proof::Monitor(name),
        Ok(_) => Proof::User(Err(Error::Unknown(
            "this is a join token: turn it into a user's with `outhaul token join TOKEN`".into(),
        ))),
        Err(error) => Proof::User(Err(error)),
    }
}

fn granted(authority: &Authority, header: Option<&str>, now_s: u64) -> Result<Grant, Error> {
    let text = header.and_then(|header| header.strip_prefix(BEARER));
    let text = text.ok_or_else(|| {
        Error::Unknown(
            "the pool wants to know who asks: join it with `outhaul token join TOKEN`".into(),
        )
    })?;
    Ok(authority.read(text, now_s)?.grant)
}

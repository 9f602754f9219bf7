//! Joining: exchanges an operator's join token for credentials. The token names its pool, so that
//! the joining program notices if another server answers.

use crate::error::Error;
use crate::http::client::{Client, ClientError};
use crate::identity::authority::fingerprint;
use crate::identity::credentials::{Credentials, Proof};
use crate::identity::node_name::check_node_name;
use crate::identity::token::{self, Grant};
use rcgen::{KeyPair, PublicKeyData};
use serde::{Deserialize, Serialize};

/// A request to join.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joining {
    /// The join token.
    pub token: String,
    /// The node's public key, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
}

/// The answer: either a certificate or a token.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Joined {
    /// A node's certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// A user's token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// Why joining failed.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The pool refused the token, or did not answer.
    #[error(transparent)]
    Pool(#[from] ClientError),
    /// The token, or a file on this machine, is invalid.
    #[error(transparent)]
    Here(#[from] Error),
}

/// Joins the pool at a URL, or at the first of several that answers.
///
/// # Errors
/// The pool refuses the token, or a certificate, key or token is invalid.
pub fn join(url: &str, token: &str) -> Result<(Grant, Credentials), JoinError> {
    let claims = token::unverified(token)?;
    let stranger = Client::of_stranger(url);
    let ca_pem: String = stranger.get("/v1/identity")?;
    // The process that answered must also receive the token, because the token can be used only
    // once.
    let url = stranger.url();
    if fingerprint(&ca_pem) != claims.pool {
        return Err(Error::Identity(format!(
            "the server at {url} is not the pool that made the token; find out why before you \
            continue"
        ))
        .into());
    }
    let key = match &claims.grant {
        Grant::JoinNode(name) => Some((check_node_name(name)?, new_key()?).1),
        Grant::JoinUser(_) => None,
        Grant::User(_) | Grant::Monitor(_) => {
            return Err(Error::Unknown("this is not a join token".into()).into());
        }
    };
    let public_key =
        key.as_ref().map(|key| key.der_bytes().iter().map(|byte| format!("{byte:02x}")).collect());
    let client = Client::knowing(url, &ca_pem)?;
    let joined: Joined =
        client.post("/v1/identity", &Joining { token: token.trim().to_owned(), public_key })?;
    let proof = match (key, joined) {
        (Some(key), Joined { certificate: Some(chain_pem), .. }) => {
            Proof::Certificate { chain_pem, key_pem: key.serialize_pem() }
        }
        (None, Joined { token: Some(token), .. }) => Proof::Token(token),
        _ => {
            return Err(Error::Identity(
                "the pool gave something else than what was asked for".into(),
            )
            .into());
        }
    };
    Ok((claims.grant, Credentials { ca_pem, proof }))
}

/// Renews a node's certificate or a user's token.
///
/// # Errors
/// The pool refuses the renewal, or the credentials are invalid.
pub fn renew(url: &str, credentials: &Credentials) -> Result<Credentials, JoinError> {
    let key =
        if let Proof::Certificate { .. } = credentials.proof { Some(new_key()?) } else { None };
    let public_key: Option<String> =
        key.as_ref().map(|key| key.der_bytes().iter().map(|byte| format!("{byte:02x}")).collect());
    let joined: Joined =
        Client::of(url, credentials)?.post("/v1/identity/renew", &Renewing { public_key })?;
    let proof = match (key, joined) {
        (Some(key), Joined { certificate: Some(chain_pem), .. }) => {
            Proof::Certificate { chain_pem, key_pem: key.serialize_pem() }
        }
        (None, Joined { token: Some(token), .. }) => Proof::Token(token),
        _ => {
            return Err(Error::Identity(
                "the pool gave something else than what was asked for".into(),
            )
            .into());
        }
    };
    Ok(Credentials { ca_pem: credentials.ca_pem.clone(), proof })
}

/// A request for credentials that expire later.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renewing {
    /// The node's new public key, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
}

fn new_key() -> Result<KeyPair, Error> {
    KeyPair::generate().map_err(|error| Error::Identity(format!("no key can be made: {error}")))
}

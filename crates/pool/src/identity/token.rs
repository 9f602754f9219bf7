//! Tokens: signed statements of an authority, in one line of text that people can paste. Until a
//! token expires, its holder counts as the user or node that the token names.

use crate::error::Error;
use crate::model::quota::Quota;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{ED25519, Ed25519KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

/// The start of every signed text, so that a signature by the authority's key can mean nothing
/// else.
const PREFIX: &str = "outhaul1.";
const TEXT_BYTES_MAX: usize = 4096;
/// How far the clocks of two machines may differ, in seconds.
pub const SKEW_S: u64 = 300;

/// The contents of a token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// The token's unique name.
    pub id: String,
    /// The fingerprint of the pool's own certificate, by which the joining program recognizes the
    /// pool.
    pub pool: String,
    /// When the token was issued, in seconds since 1970.
    pub issued_s: u64,
    /// When the token expires, in seconds since 1970.
    pub expires_s: u64,
    /// The permissions of the token.
    pub grant: Grant,
}

/// The permissions of a token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grant {
    /// Permits joining as this node, once.
    JoinNode(String),
    /// Permits joining as this user, once.
    JoinUser(User),
    /// Permits all that this user may do.
    User(User),
    /// Permits only reading metrics, under this name.
    Monitor(String),
}

/// A user and the user's permissions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// The user's name.
    pub name: String,
    /// The user's group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The user's limits, in addition to the pool's quotas.
    #[serde(default)]
    pub limits: Quota,
    /// The highest priority that the user may ask for.
    #[serde(default)]
    pub priority_max: i8,
    /// Whether the user may operate the pool: drain nodes, set quotas, end leases of others.
    #[serde(default)]
    pub operator: bool,
    /// How long each of the user's tokens is valid, in seconds.
    pub life_s: u64,
    /// Until when the user's tokens may be renewed, in seconds since 1970.
    pub until_s: u64,
}

/// Returns the signed text of a token with these claims.
pub fn sign(key: &Ed25519KeyPair, claims: &Claims) -> String {
    let body = serde_json::to_vec(claims).unwrap_or_default();
    let signed = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(body));
    let signature = key.sign(signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// Returns the claims of a token that is signed by the owner of `public_key` and valid at `now_s`.
///
/// # Errors
/// `Unknown`, with the reason.
pub fn read(public_key: &[u8], text: &str, now_s: u64) -> Result<Claims, Error> {
    let unknown = |reason: &str| Error::Unknown(reason.to_owned());
    let text = text.trim();
    let (signed, signature) = text
        .rsplit_once('.')
        .filter(|_| text.len() <= TEXT_BYTES_MAX)
        .ok_or_else(|| unknown("this is not a token"))?;
    let signature =
        URL_SAFE_NO_PAD.decode(signature).map_err(|_| unknown("this is not a token"))?;
    let key = UnparsedPublicKey::new(&ED25519, public_key);
    key.verify(signed.as_bytes(), &signature).map_err(|_| {
        unknown("the token is not of this pool, or was changed; ask this pool's operator for one")
    })?;
    let claims = unverified(text)?;
    if claims.issued_s > now_s + SKEW_S {
        return Err(unknown(
            "the token was issued in the future; check the clocks of the pool's machine and of the \
            machine that made it",
        ));
    }
    if claims.expires_s <= now_s {
        return Err(unknown("the token has expired; ask for another"));
    }
    Ok(claims)
}

/// Returns the claims of a token without checking its signature.
///
/// # Errors
/// `Unknown`, if the text is not a token.
pub fn unverified(text: &str) -> Result<Claims, Error> {
    let unknown = || Error::Unknown("this is not a token".into());
    let body = text
        .trim()
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.split_once('.'))
        .ok_or_else(unknown)?
        .0;
    let body = URL_SAFE_NO_PAD.decode(body).map_err(|_| unknown())?;
    serde_json::from_slice(&body).map_err(|_| unknown())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::KeyPair;

    fn key() -> Ed25519KeyPair {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap()
    }

    fn claims() -> Claims {
        let grant = Grant::User(User {
            name: "alice".into(),
            limits: Quota { gpus: Some(2.0), ..Quota::default() },
            ..User::default()
        });
        Claims { id: "1".into(), pool: "p".into(), issued_s: 1000, expires_s: 2000, grant }
    }

    #[test]
    fn a_token_contains_the_signed_claims_until_it_expires() {
        let key = key();
        let text = sign(&key, &claims());
        let read = |text: &str, now_s| {
            super::read(key.public_key().as_ref(), text, now_s).map_err(|error| error.to_string())
        };
        assert_eq!(read(&text, 1500), Ok(claims()));
        assert!(read(&text, 2000).is_err_and(|error| error.contains("expired")));
        assert_eq!(
            read(&text, 1000 - SKEW_S),
            Ok(claims()),
            "another machine's clock may be a little ahead"
        );
        assert!(
            read(&text, 500).is_err_and(|error| error.contains("clock")),
            "or far, with that reason"
        );
    }

    #[test]
    fn foreign_or_changed_tokens_are_refused() {
        let key = key();
        let foreign = sign(&self::key(), &claims());
        let own = sign(&key, &claims());
        // A token with one more GPU, under the signature of the original.
        let mut more = claims();
        more.grant = Grant::User(User {
            name: "alice".into(),
            limits: Quota { gpus: Some(3.0), ..Quota::default() },
            ..User::default()
        });
        let forged = sign(&key, &more).rsplit_once('.').unwrap().0.to_owned()
            + "."
            + own.rsplit_once('.').unwrap().1;
        let long = format!("{PREFIX}{}.x", "A".repeat(TEXT_BYTES_MAX));
        for text in [
            &foreign,
            &forged,
            &long,
            &own[1..],
            &own[..own.len() - 3],
            "",
            ".",
            "outhaul1..",
            "a.b.c",
        ] {
            assert!(read(key.public_key().as_ref(), text, 1500).is_err(), "{text}");
        }
    }
}

//! Asks a pool, for whoever has a URL of it.

use crate::api::{Heartbeat, LeaseRequest, Refused, Renewal, WAIT_MS_MAX};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// Beside what a question may wait for.
const ANSWER_SECONDS_MAX: u64 = 15;
const CONNECT_SECONDS_MAX: u64 = 5;

/// Why there is no answer, or none that is wished for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// Nobody answers, or not in time. It may have happened all the same.
    #[error("cannot reach the pool at {url}: {reason}; is `outhaul pool serve` running there?")]
    Unreachable {
        /// Where.
        url: String,
        /// What went wrong.
        reason: String,
    },
    /// The pool cannot do it now, as it says itself.
    #[error("the pool at {url}: {reason}")]
    Unable {
        /// Where.
        url: String,
        /// Why.
        reason: String,
    },
    /// What was asked about has ended.
    #[error("{0}")]
    Gone(String),
    /// The pool refuses, in its own words.
    #[error("{0}")]
    Refused(String),
    /// The answer means nothing.
    #[error("what answers at {url} is no pool of this release: {reason}")]
    Foreign {
        /// Where.
        url: String,
        /// What it said.
        reason: String,
    },
}

impl ClientError {
    /// Whether it is worth asking again.
    pub fn is_passing(&self) -> bool {
        matches!(self, ClientError::Unreachable { .. } | ClientError::Unable { .. })
    }
}

/// Of one pool.
#[derive(Clone)]
pub struct Client {
    url: String,
    user: String,
    agent: ureq::Agent,
}

type Answer<T> = Result<T, ClientError>;

impl Client {
    /// For `http://HOST:PORT`, as this user.
    pub fn new(url: &str, user: &str) -> Client {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(CONNECT_SECONDS_MAX)))
            .timeout_global(Some(Duration::from_millis(WAIT_MS_MAX) + Duration::from_secs(ANSWER_SECONDS_MAX)))
            .user_agent(concat!("outhaul/", env!("CARGO_PKG_VERSION")))
            .proxy(None)
            .build();
        Client { url: url.trim_end_matches('/').to_owned(), user: user.to_owned(), agent: config.new_agent() }
    }

    /// Where the pool is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Asks.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Answer<T> {
        let request = self.agent.get(format!("{}{path}", self.url));
        self.answer(request.header(crate::server::USER_HEADER, &self.user).call())
    }

    /// Says something with a body.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Answer<T> {
        let request = self.agent.post(format!("{}{path}", self.url));
        self.answer(request.header(crate::server::USER_HEADER, &self.user).send_json(body))
    }

    /// Sets something.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn put<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Answer<T> {
        let request = self.agent.put(format!("{}{path}", self.url));
        self.answer(request.header(crate::server::USER_HEADER, &self.user).send_json(body))
    }

    /// Ends something.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn delete<T: DeserializeOwned>(&self, path: &str) -> Answer<T> {
        let request = self.agent.delete(format!("{}{path}", self.url));
        self.answer(request.header(crate::server::USER_HEADER, &self.user).call())
    }

    fn answer<T: DeserializeOwned>(&self, result: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Answer<T> {
        let unreachable = |error: ureq::Error| ClientError::Unreachable { url: self.url.clone(), reason: error.to_string() };
        let foreign = |reason: String| ClientError::Foreign { url: self.url.clone(), reason };
        let mut response = result.map_err(unreachable)?;
        let status = response.status().as_u16();
        let text = response.body_mut().read_to_string().map_err(unreachable)?;
        if (200..300).contains(&status) {
            return serde_json::from_str(&text).map_err(|error| foreign(error.to_string()));
        }
        let refused: Refused = serde_json::from_str(&text).map_err(|_| foreign(format!("status {status}")))?;
        Err(match status {
            410 => ClientError::Gone(refused.error),
            503 => ClientError::Unable { url: self.url.clone(), reason: refused.error },
            _ => ClientError::Refused(refused.error),
        })
    }

    /// Asks for a lease.
    ///
    /// # Errors
    /// Why there will be none.
    pub fn request(&self, request: &LeaseRequest) -> Answer<crate::api::LeaseView> {
        self.post("/v1/leases", request)
    }

    /// A holder's sign of life.
    ///
    /// # Errors
    /// Why the lease does not live.
    pub fn renew(&self, id: &str, renewal: &Renewal) -> Answer<crate::api::LeaseView> {
        self.post(&format!("/v1/leases/{id}/renew"), renewal)
    }

    /// Ends a lease.
    ///
    /// # Errors
    /// Why it could not be ended.
    pub fn release(&self, id: &str) -> Answer<()> {
        self.delete(&format!("/v1/leases/{id}"))
    }

    /// A node's sign of life.
    ///
    /// # Errors
    /// Why the node is none of the pool's.
    pub fn heartbeat(&self, node: &str, heartbeat: &Heartbeat) -> Answer<crate::api::Orders> {
        self.post(&format!("/v1/nodes/{node}/heartbeat"), heartbeat)
    }
}

/// A lease's key and its hash.
pub fn key_hash(key: &str) -> String {
    blake3::hash(key.as_bytes()).to_hex().to_string()
}

/// As many random hexadecimal digits.
///
/// # Errors
/// When the system has no randomness.
pub fn random_digits(digits: usize) -> Result<String, std::io::Error> {
    let mut bytes = vec![0u8; digits.div_ceil(2)];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()[..digits].to_owned())
}

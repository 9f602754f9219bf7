//! Asks a pool, for whoever has a URL of it.

mod trust;

use crate::api::{Heartbeat, LeaseRequest, Refused, Renewal, Unreachable, WAIT_MS_MAX};
use crate::error::Error;
use crate::identity::caller::{LEASE_HEADER, USER_HEADER};
use crate::identity::passport::{Passport, Proof, certificates};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig, TlsProvider};

/// Beside what a question may wait for.
const ANSWER_SECONDS_MAX: u64 = 15;
/// The same, of a node's sign of life: who knows sooner that there is no answer asks again sooner.
const BEAT_SECONDS_MAX: u64 = 4;
const CONNECT_SECONDS_MAX: u64 = 5;
/// Of the largest pool there is much to say: entries of its log, energy of its leases.
const ANSWER_BYTES_MAX: u64 = 256 << 20;

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
    /// Somebody answers, and TLS does not come about.
    #[error("cannot speak TLS with the pool at {url}: {reason}")]
    Unproven {
        /// Where.
        url: String,
        /// Why, and what to do.
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
    /// What comes with every question.
    headers: Vec<(&'static str, String)>,
    agent: ureq::Agent,
}

type Answer<T> = Result<T, ClientError>;

impl Client {
    /// For `http://HOST:PORT`, as this user.
    pub fn new(url: &str, user: &str) -> Client {
        Client::with(
            url,
            TlsConfig::builder().root_certs(RootCerts::new_with_certs(&[])),
            vec![(USER_HEADER, user.to_owned())],
        )
    }

    /// For `https://HOST:PORT`, as who the passport says.
    ///
    /// # Errors
    /// When the passport cannot be read.
    pub fn of(url: &str, passport: &Passport) -> Result<Client, Error> {
        let mut tls = TlsConfig::builder().root_certs(roots(&passport.ca_pem)?);
        let mut headers = Vec::new();
        match &passport.proof {
            Proof::Token(token) => headers.push(("authorization", format!("Bearer {token}"))),
            Proof::Certificate { chain_pem, key_pem } => {
                let key = PrivateKey::from_pem(key_pem.as_bytes())
                    .map_err(|error| Error::Identity(format!("the key: {error}")))?;
                let chain: Vec<_> = certificates(chain_pem)?
                    .iter()
                    .map(|one| Certificate::from_der(one).to_owned())
                    .collect();
                tls = tls.client_cert(Some(ClientCert::new_with_certs(&chain, key)));
            }
        }
        Ok(Client::with(url, tls, headers))
    }

    /// For a pool whose certificate is known, as nobody.
    ///
    /// # Errors
    /// When it is no certificate.
    pub fn knowing(url: &str, ca_pem: &str) -> Result<Client, Error> {
        Ok(Client::with(url, TlsConfig::builder().root_certs(roots(ca_pem)?), Vec::new()))
    }

    /// For whatever answers: good for asking who it is, and for nothing else.
    pub fn of_stranger(url: &str) -> Client {
        Client::with(url, TlsConfig::builder().disable_verification(true), Vec::new())
    }

    /// The same, as the holder of a lease too.
    pub fn holding(mut self, credential: &str) -> Client {
        self.headers.push((LEASE_HEADER, credential.to_owned()));
        self
    }

    fn with(
        url: &str,
        tls: ureq::tls::TlsConfigBuilder,
        headers: Vec<(&'static str, String)>,
    ) -> Client {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls =
            tls.provider(TlsProvider::Rustls).unversioned_rustls_crypto_provider(provider).build();
        let config = ureq::Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(CONNECT_SECONDS_MAX)))
            .timeout_global(Some(
                Duration::from_millis(WAIT_MS_MAX) + Duration::from_secs(ANSWER_SECONDS_MAX),
            ))
            .user_agent(concat!("outhaul/", env!("CARGO_PKG_VERSION")))
            .proxy(None)
            .build();
        Client { url: url.trim_end_matches('/').to_owned(), headers, agent: config.new_agent() }
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
        self.answer(self.introduce(request).call())
    }

    /// Asks for something long, and writes it somewhere as it comes.
    ///
    /// # Errors
    /// Why it did not come, or not all of it.
    pub fn download(&self, path: &str, out: &mut impl std::io::Write) -> Answer<()> {
        let request =
            self.agent.get(format!("{}{path}", self.url)).config().timeout_global(None).build();
        let response = self.introduce(request).call().map_err(|error| self.failed(&error))?;
        if !response.status().is_success() {
            return self.answer::<()>(Ok(response));
        }
        let broken = |error: std::io::Error| ClientError::Unreachable {
            url: self.url.clone(),
            reason: error.to_string(),
        };
        std::io::copy(&mut response.into_body().into_reader(), out).map(drop).map_err(broken)
    }

    /// Says something with a body.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Answer<T> {
        let request = self.agent.post(format!("{}{path}", self.url));
        self.answer(self.introduce(request).send_json(body))
    }

    /// Sets something.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn put<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Answer<T> {
        let request = self.agent.put(format!("{}{path}", self.url));
        self.answer(self.introduce(request).send_json(body))
    }

    /// Ends something.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn delete<T: DeserializeOwned>(&self, path: &str) -> Answer<T> {
        let request = self.agent.delete(format!("{}{path}", self.url));
        self.answer(self.introduce(request).call())
    }

    /// Says something whose answer comes so soon, if one comes.
    fn post_within<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        limit: Duration,
    ) -> Answer<T> {
        let request = self
            .agent
            .post(format!("{}{path}", self.url))
            .config()
            .timeout_global(Some(limit))
            .build();
        self.answer(self.introduce(request).send_json(body))
    }

    fn introduce<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        self.headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
    }

    fn answer<T: DeserializeOwned>(
        &self,
        result: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Answer<T> {
        let foreign = |reason: String| ClientError::Foreign { url: self.url.clone(), reason };
        let mut response = result.map_err(|error| self.failed(&error))?;
        let status = response.status().as_u16();
        let text = response
            .body_mut()
            .with_config()
            .limit(ANSWER_BYTES_MAX)
            .read_to_string()
            .map_err(|error| self.failed(&error))?;
        if (200..300).contains(&status) {
            return serde_json::from_str(&text).map_err(|error| foreign(error.to_string()));
        }
        let refused: Refused =
            serde_json::from_str(&text).map_err(|_| foreign(format!("status {status}")))?;
        Err(match status {
            410 => ClientError::Gone(refused.error),
            503 => ClientError::Unable { url: self.url.clone(), reason: refused.error },
            _ => ClientError::Refused(refused.error),
        })
    }

    /// What became of a question that was not answered.
    fn failed(&self, error: &ureq::Error) -> ClientError {
        let url = self.url.clone();
        if let Some(reason) = trust::trouble(error) {
            return ClientError::Unproven { url, reason };
        }
        match error {
            ureq::Error::BodyExceedsLimit(bytes) => ClientError::Foreign {
                url,
                reason: format!("its answer is longer than {bytes} bytes"),
            },
            ureq::Error::Protocol(error) if url.starts_with("http://") => ClientError::Foreign {
                url,
                reason: format!(
                    "{error}; if it is a pool with an identity, write https:// instead of http://"
                ),
            },
            error => ClientError::Unreachable { url, reason: error.to_string() },
        }
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
        let limit =
            Duration::from_millis(renewal.wait_ms) + Duration::from_secs(ANSWER_SECONDS_MAX);
        self.post_within(&format!("/v1/leases/{id}/renew"), renewal, limit)
    }

    /// That a node of a lease cannot be reached. Gives the lease as it stands then.
    ///
    /// # Errors
    /// Why the lease is not placed anew.
    pub fn unreachable(&self, id: &str, said: &Unreachable) -> Answer<crate::api::LeaseView> {
        self.post(&format!("/v1/leases/{id}/unreachable"), said)
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
        let limit =
            Duration::from_millis(heartbeat.wait_ms) + Duration::from_secs(BEAT_SECONDS_MAX);
        self.post_within(&format!("/v1/nodes/{node}/heartbeat"), heartbeat, limit)
    }

    /// That a node goes.
    ///
    /// # Errors
    /// Why the pool does not know it.
    pub fn leave(&self, node: &str) -> Answer<()> {
        self.post_within(
            &format!("/v1/nodes/{node}/leave"),
            &(),
            Duration::from_secs(BEAT_SECONDS_MAX),
        )
    }
}

fn roots(ca_pem: &str) -> Result<RootCerts, Error> {
    let all: Vec<_> =
        certificates(ca_pem)?.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
    Ok(RootCerts::new_with_certs(&all))
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn a_long_answer_is_read_and_an_endless_one_is_not() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for bytes in [64 << 20, ANSWER_BYTES_MAX + 1] {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 4096]).unwrap();
                let head = format!(
                    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {bytes}\r\n\r\n\""
                );
                stream.write_all(head.as_bytes()).unwrap();
                let (mut left, block) = (bytes - 2, [b'a'; 1 << 16]);
                while left > 0 {
                    let now = left.min(block.len() as u64);
                    if stream.write_all(&block[..now as usize]).is_err() {
                        break;
                    }
                    left -= now;
                }
                let _ = stream.write_all(b"\"");
            }
        });
        let client = Client::new(&url, "alice");
        assert_eq!(client.get::<String>("/").map(|text| text.len()), Ok((64 << 20) - 2));
        let said = client.get::<String>("/").unwrap_err();
        assert!(
            matches!(&said, ClientError::Foreign { reason, .. } if reason.contains("longer than")),
            "{said}"
        );
    }
}

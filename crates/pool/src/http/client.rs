//! A client of a pool, given the URL of each of the pool's processes.

mod endpoints;
mod error;
mod tls_failure;

use crate::error::Error;
use crate::http::api::{
    Heartbeat, LeaseRequest, LeaseView, Logged, Refused, Renewal, Unreachable, WAIT_MS_MAX,
};
use crate::identity::caller::{LEASE_HEADER, USER_HEADER};
use crate::identity::credentials::{Credentials, Proof, certificates};
use crate::model::lease::End;
use endpoints::Processes;
pub use error::ClientError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig, TlsProvider};

/// The longest time until an answer begins, in addition to the time that the request may wait.
const ANSWER_SECONDS_MAX: u64 = 10;
/// The limit for a heartbeat's answer, shorter so that the client repeats a lost heartbeat sooner.
const SIGN_SECONDS_MAX: u64 = 4;
/// Short of three seconds, so that a command says soon that it cannot reach the pool.
const CONNECT_MS_MAX: u64 = 2_700;
/// These three limits apply if the client can ask another process of the pool instead. They are
/// short, so that a node's heartbeat reaches that process before the pool counts the node as
/// silent.
const ANSWER_ELSEWHERE_SECONDS_MAX: u64 = 5;
const SIGN_ELSEWHERE_SECONDS_MAX: u64 = 1;
const CONNECT_ELSEWHERE_MS_MAX: u64 = 1_000;
/// The longest time until a whole answer has arrived.
const WHOLE_SECONDS_MAX: u64 = 45;
/// The longest answer. Large pools send long answers: entries of the log, energy of leases.
const ANSWER_BYTES_MAX: u64 = 256 << 20;

/// A client of one pool.
#[derive(Clone)]
pub struct Client {
    processes: Arc<Processes>,
    /// The headers that every request contains.
    headers: Vec<(&'static str, String)>,
    agent: ureq::Agent,
}

type Answer<T> = Result<T, ClientError>;

impl Client {
    /// Returns a client of `http://HOST:PORT` for the user `user`. A pool of several processes has
    /// several URLs, separated by commas.
    pub fn new(urls: &str, user: &str) -> Client {
        Client::with(
            urls,
            TlsConfig::builder().root_certs(RootCerts::new_with_certs(&[])),
            vec![(USER_HEADER, user.to_owned())],
        )
    }

    /// Returns a client of `https://HOST:PORT` with the identity in `credentials`.
    ///
    /// # Errors
    /// The credentials cannot be read.
    pub fn of(urls: &str, credentials: &Credentials) -> Result<Client, Error> {
        let mut tls = TlsConfig::builder().root_certs(roots(&credentials.ca_pem)?);
        let mut headers = Vec::new();
        match &credentials.proof {
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
        Ok(Client::with(urls, tls, headers))
    }

    /// Returns a client without an identity, of a pool whose certificate is known.
    ///
    /// # Errors
    /// `ca_pem` is not a certificate.
    pub fn knowing(urls: &str, ca_pem: &str) -> Result<Client, Error> {
        Ok(Client::with(urls, TlsConfig::builder().root_certs(roots(ca_pem)?), Vec::new()))
    }

    /// Returns a client that trusts any server; callers use it only to ask the server who it is.
    pub fn of_stranger(urls: &str) -> Client {
        Client::with(urls, TlsConfig::builder().disable_verification(true), Vec::new())
    }

    /// Adds the credential of a lease's holder to all requests.
    pub fn holding(mut self, credential: &str) -> Client {
        self.headers.push((LEASE_HEADER, credential.to_owned()));
        self
    }

    fn with(
        urls: &str,
        tls: ureq::tls::TlsConfigBuilder,
        headers: Vec<(&'static str, String)>,
    ) -> Client {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls =
            tls.provider(TlsProvider::Rustls).unversioned_rustls_crypto_provider(provider).build();
        let processes = Arc::new(Processes::new(urls));
        let (connect_ms, answer_s) = match processes.are_several() {
            true => (CONNECT_ELSEWHERE_MS_MAX, ANSWER_ELSEWHERE_SECONDS_MAX),
            false => (CONNECT_MS_MAX, ANSWER_SECONDS_MAX),
        };
        let config = ureq::Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_millis(connect_ms)))
            .timeout_recv_response(Some(Duration::from_secs(answer_s)))
            .timeout_global(Some(Duration::from_secs(WHOLE_SECONDS_MAX)))
            .user_agent(concat!("outhaul/", env!("CARGO_PKG_VERSION")))
            .proxy(None)
            .build();
        Client { processes, headers, agent: config.new_agent() }
    }

    /// Returns the URL of the process that answered last.
    pub fn url(&self) -> &str {
        self.processes.url()
    }

    /// Returns the URLs of all processes.
    pub fn urls(&self) -> &[String] {
        self.processes.urls()
    }

    /// Sends a GET request.
    ///
    /// # Errors
    /// The request failed, with the reason.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Answer<T> {
        self.processes
            .ask(|url| answer(url, self.introduce(self.agent.get(format!("{url}{path}"))).call()))
    }

    /// Returns the log's entries after `after`, since a time in milliseconds since 1970, and only
    /// those about `user`, if named. Waits up to `wait_ms` milliseconds for new ones.
    ///
    /// # Errors
    /// The request failed, with the reason.
    pub fn events(
        &self,
        after: u64,
        since_ms: u64,
        user: Option<&str>,
        wait_ms: u64,
    ) -> Answer<Vec<Logged>> {
        let user = user.map_or(String::new(), |user| format!("&user={user}"));
        let path = format!("/v1/events?after={after}&since_ms={since_ms}&wait_ms={wait_ms}{user}");
        let limit = Duration::from_millis(wait_ms.min(WAIT_MS_MAX))
            + Duration::from_secs(ANSWER_SECONDS_MAX);
        self.processes.ask(|url| {
            let request = self.agent.get(format!("{url}{path}"));
            let request = request.config().timeout_recv_response(Some(limit)).build();
            answer(url, self.introduce(request).call())
        })
    }

    /// Writes a long answer to `out` as it arrives.
    ///
    /// # Errors
    /// The answer did not arrive, or only a part of it, with the reason.
    pub fn download(&self, path: &str, out: &mut impl std::io::Write) -> Answer<()> {
        let body = self.processes.ask(|url| {
            let request =
                self.agent.get(format!("{url}{path}")).config().timeout_global(None).build();
            let response = self.introduce(request).call().map_err(|error| failed(url, &error))?;
            if response.status().is_success() {
                Ok(response.into_body())
            } else {
                Err(answer::<()>(url, Ok(response)).unwrap_err())
            }
        })?;
        let broken = |error: std::io::Error| ClientError::Unreachable {
            url: self.url().to_owned(),
            reason: error.to_string(),
        };
        std::io::copy(&mut body.into_reader(), out).map(drop).map_err(broken)
    }

    /// Sends a POST request with a body.
    ///
    /// # Errors
    /// The request failed, with the reason.
    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Answer<T> {
        self.processes.ask(|url| {
            answer(url, self.introduce(self.agent.post(format!("{url}{path}"))).send_json(body))
        })
    }

    /// Sends a PUT request with a body.
    ///
    /// # Errors
    /// The request failed, with the reason.
    pub fn put<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Answer<T> {
        self.processes.ask(|url| {
            answer(url, self.introduce(self.agent.put(format!("{url}{path}"))).send_json(body))
        })
    }

    /// Sends a DELETE request.
    ///
    /// # Errors
    /// The request failed, with the reason.
    pub fn delete<T: DeserializeOwned>(&self, path: &str) -> Answer<T> {
        self.processes.ask(|url| {
            answer(url, self.introduce(self.agent.delete(format!("{url}{path}"))).call())
        })
    }

    /// Sends a heartbeat. The pool may delay its answer by up to `wait_ms` milliseconds.
    fn sign<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        wait_ms: u64,
    ) -> Answer<T> {
        let seconds = if self.processes.are_several() {
            SIGN_ELSEWHERE_SECONDS_MAX
        } else {
            SIGN_SECONDS_MAX
        };
        let limit = Some(Duration::from_millis(wait_ms) + Duration::from_secs(seconds));
        self.processes.ask(|url| {
            let request = self.agent.post(format!("{url}{path}"));
            let request =
                request.config().timeout_recv_response(limit).timeout_global(limit).build();
            answer(url, self.introduce(request).send_json(body))
        })
    }

    fn introduce<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        self.headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
    }

    /// Asks for a lease.
    ///
    /// # Errors
    /// The pool refuses the lease or does not answer, with the reason.
    pub fn request(&self, request: &LeaseRequest) -> Answer<LeaseView> {
        self.post("/v1/leases", request)
    }

    /// Sends a holder's heartbeat.
    ///
    /// # Errors
    /// The lease has ended, or the pool does not answer, with the reason.
    pub fn renew(&self, id: &str, renewal: &Renewal) -> Answer<LeaseView> {
        self.sign(&format!("/v1/leases/{id}/renew"), renewal, renewal.wait_ms)
    }

    /// Reports that a node of a lease is unreachable. Returns the lease after the pool has placed
    /// it anew.
    ///
    /// # Errors
    /// The pool does not place the lease anew, with the reason.
    pub fn unreachable(&self, id: &str, report: &Unreachable) -> Answer<LeaseView> {
        self.post(&format!("/v1/leases/{id}/unreachable"), report)
    }

    /// Ends a lease.
    ///
    /// # Errors
    /// The pool could not end the lease, with the reason.
    pub fn release(&self, id: &str) -> Answer<()> {
        self.delete(&format!("/v1/leases/{id}"))
    }

    /// Returns why a lease ended; `None` if the lease has not ended.
    ///
    /// # Errors
    /// The request failed, with the reason.
    pub fn end_of(&self, id: &str) -> Answer<Option<End>> {
        self.processes.ask(|url| {
            let result = self.introduce(self.agent.get(format!("{url}/v1/leases/{id}"))).call();
            let mut response = result.map_err(|error| failed(url, &error))?;
            if response.status().as_u16() != 410 {
                return answer::<LeaseView>(url, Ok(response)).map(|_| None);
            }
            let refused: Refused =
                response.body_mut().read_json().map_err(|error| failed(url, &error))?;
            Ok(refused.ended)
        })
    }

    /// Sends a node's heartbeat.
    ///
    /// # Errors
    /// The pool does not accept the node, with the reason.
    pub fn heartbeat(&self, node: &str, heartbeat: &Heartbeat) -> Answer<crate::http::api::Orders> {
        self.sign(&format!("/v1/nodes/{node}/heartbeat"), heartbeat, heartbeat.wait_ms)
    }

    /// Announces that a node leaves.
    ///
    /// # Errors
    /// The pool does not know the node or does not answer, with the reason.
    pub fn leave(&self, node: &str) -> Answer<()> {
        self.sign(&format!("/v1/nodes/{node}/leave"), &(), 0)
    }
}

fn answer<T: DeserializeOwned>(
    url: &str,
    result: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
) -> Answer<T> {
    let foreign = |reason: String| ClientError::Foreign { url: url.to_owned(), reason };
    let mut response = result.map_err(|error| failed(url, &error))?;
    let status = response.status();
    let text = response
        .body_mut()
        .with_config()
        .limit(ANSWER_BYTES_MAX)
        .read_to_string()
        .map_err(|error| failed(url, &error))?;
    if status.is_success() {
        return serde_json::from_str(&text).map_err(|error| foreign(error.to_string()));
    }
    let refused: Option<Refused> = serde_json::from_str(&text).ok();
    let unable = |reason: String| ClientError::Unable { url: url.to_owned(), reason };
    Err(match (status.as_u16(), refused) {
        (410, Some(refused)) => ClientError::Gone(refused.error),
        (503, Some(refused)) => unable(refused.error),
        (_, Some(refused)) => ClientError::Refused(refused.error),
        (502..=504, None) => unable(format!(
            "a proxy in front of the pool answers {status}; is `outhaul pool serve` running \
            behind it?"
        )),
        (_, None) => foreign(format!("status {status}")),
    })
}

/// Converts a failed request to an error.
fn failed(url: &str, error: &ureq::Error) -> ClientError {
    let url = url.to_owned();
    if let Some(reason) = tls_failure::trouble(error) {
        return ClientError::Unproven { url, reason };
    }
    match error {
        ureq::Error::BodyExceedsLimit(bytes) => {
            ClientError::Foreign { url, reason: format!("its answer is longer than {bytes} bytes") }
        }
        ureq::Error::Protocol(error) if url.starts_with("http://") => {
            let reason = format!(
                "{error}; if it is a pool with an identity, write https:// instead of http://"
            );
            ClientError::Foreign { url, reason }
        }
        error => ClientError::Unreachable { url, reason: error.to_string() },
    }
}

fn roots(ca_pem: &str) -> Result<RootCerts, Error> {
    let all: Vec<_> =
        certificates(ca_pem)?.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
    Ok(RootCerts::new_with_certs(&all))
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
        let error = client.get::<String>("/").unwrap_err();
        assert!(
            matches!(&error, ClientError::Foreign { reason, .. } if reason.contains("longer than")),
            "{error}"
        );
    }
}

//! The store that several pool processes can share: etcd, through the JSON form of its v3
//! interface. A version is etcd's revision, reads are linearizable, and changes arrive through
//! etcd's watch. TLS and etcd's users are not supported, so etcd must listen where only pools can
//! reach it.

use super::interface::{Store, Versioned};
use crate::error::StoreError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// The longest time to wait for an answer.
const ANSWER_SECONDS_MAX: u64 = 3;
const CONNECT_SECONDS_MAX: u64 = 1;
const ANSWER_BYTES_MAX: u64 = 1 << 30;
const VALUES: &str = "value/";
/// A part of etcd's error when it has used up its quota of space.
const NO_SPACE: &str = "database space exceeded";

/// The addresses of an etcd's members, and the prefix of this pool's keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EtcdAddress {
    members: Vec<String>,
    prefix: String,
}

/// A store in etcd.
pub struct Etcd {
    members: Vec<String>,
    /// Index of the member that answered last.
    member: AtomicUsize,
    /// The largest revision that an answer had. Revisions never fall, unless etcd lost its data.
    revision: AtomicU64,
    /// Set once etcd has lost changes. New ones would hide that.
    loss: OnceLock<StoreError>,
    prefix: String,
    agent: ureq::Agent,
}

impl FromStr for EtcdAddress {
    type Err = String;

    /// Parses `etcd://HOST:PORT[,HOST:PORT...][/PREFIX]`.
    fn from_str(text: &str) -> Result<EtcdAddress, String> {
        let wrong = || {
            format!(
                "'{text}' is not the address of an etcd; write etcd://HOST:PORT[,HOST:PORT...]\
                [/PREFIX], for example etcd://127.0.0.1:2379"
            )
        };
        let rest = text.strip_prefix("etcd://").ok_or_else(wrong)?;
        let (members, prefix) = rest.split_once('/').unwrap_or((rest, "outhaul"));
        let member = |member: &str| {
            member
                .rsplit_once(':')
                .filter(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
                .is_some()
        };
        if prefix.is_empty() || prefix.contains('/') || !members.split(',').all(member) {
            return Err(wrong());
        }
        let members = members.split(',').map(|member| format!("http://{member}")).collect();
        Ok(EtcdAddress { members, prefix: format!("{prefix}/") })
    }
}

impl std::fmt::Display for EtcdAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let members: Vec<&str> =
            self.members.iter().map(|member| member.trim_start_matches("http://")).collect();
        write!(f, "etcd://{}/{}", members.join(","), self.prefix.trim_end_matches('/'))
    }
}

/// An answer in etcd's JSON: 64-bit numbers are strings, and zero or empty fields are missing.
#[derive(Deserialize, Default)]
#[serde(default)]
struct EtcdResponse {
    header: Header,
    kvs: Vec<Entry>,
    succeeded: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entry {
    key: String,
    value: String,
    mod_revision: String,
}

/// A line of a watch's answer.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Line {
    result: Watched,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Watched {
    header: Header,
    events: Vec<serde::de::IgnoredAny>,
    /// Whether the watch cannot start at its revision, because etcd has compacted that revision.
    canceled: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Header {
    revision: String,
}

fn coded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn plain(text: &str) -> Result<Vec<u8>, StoreError> {
    STANDARD
        .decode(text)
        .map_err(|error| StoreError::NoAnswer(format!("etcd's answer is not understood: {error}")))
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or(0)
}

/// Returns the first key after all keys with `prefix`. None of our prefixes ends with the largest
/// byte.
fn end_of_prefix(prefix: &str) -> Vec<u8> {
    let mut end = prefix.as_bytes().to_vec();
    end.last_mut().into_iter().for_each(|last| *last += 1);
    end
}

impl Etcd {
    /// Connects to the members and checks that etcd answers.
    ///
    /// # Errors
    /// No member answers.
    pub fn open(address: &EtcdAddress) -> Result<Etcd, StoreError> {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(CONNECT_SECONDS_MAX)))
            .timeout_global(Some(Duration::from_secs(ANSWER_SECONDS_MAX)))
            .proxy(None)
            .build();
        let EtcdAddress { members, prefix } = address.clone();
        let revision = AtomicU64::new(0);
        let etcd = Etcd {
            members,
            member: AtomicUsize::new(0),
            revision,
            loss: OnceLock::new(),
            prefix,
            agent: config.new_agent(),
        };
        etcd.read("none")?;
        Ok(etcd)
    }

    fn key(&self, key: &str) -> String {
        format!("{}{VALUES}{key}", self.prefix)
    }

    /// Sends a request to the member that answered last. Tries another member only if the request
    /// cannot have been carried out or is harmless to repeat.
    fn ask(
        &self,
        path: &str,
        question: &Value,
        is_harmless: bool,
    ) -> Result<EtcdResponse, StoreError> {
        if let Some(loss) = self.loss.get() {
            return Err(loss.clone());
        }
        let mut trouble = String::new();
        // An answer to a question shows all that was answered before it was asked.
        let seen = self.revision.load(Ordering::Acquire);
        for _ in 0..self.members.len() {
            let member = self.member.load(Ordering::Relaxed) % self.members.len();
            let answer =
                self.agent.post(format!("{}{path}", self.members[member])).send_json(question);
            let (error, was_sent) = match answer {
                Ok(mut response) => {
                    match response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string()
                    {
                        Ok(text) if response.status().is_success() => {
                            let answer: EtcdResponse =
                                serde_json::from_str(&text).map_err(|error| {
                                    StoreError::NoAnswer(format!(
                                        "etcd's answer is not understood: {error}"
                                    ))
                                })?;
                            self.check_revision(seen, number(&answer.header.revision))?;
                            return Ok(answer);
                        }
                        Ok(text) => (reason(&text), true),
                        Err(error) => (error.to_string(), true),
                    }
                }
                Err(error) => (error.to_string(), !was_not_sent(&error)),
            };
            let member_name = &self.members[member];
            if error.contains(NO_SPACE) {
                return Err(StoreError::Unwritable(format!(
                    "etcd at {member_name}: {error}; compact and defragment it or raise its quota, \
                    then `etcdctl alarm disarm`"
                )));
            }
            trouble = format!("etcd at {member_name}: {error}");
            self.member.store(member + 1, Ordering::Relaxed);
            if was_sent && !is_harmless {
                break;
            }
        }
        Err(StoreError::NoAnswer(trouble))
    }

    /// Notes the revision of an answer to a question that was asked after an answer of the revision
    /// `seen`. Fails if etcd has fewer changes now: then it was emptied or restored from an older
    /// copy, and the state of this process is not in it.
    fn check_revision(&self, seen: u64, revision: u64) -> Result<(), StoreError> {
        if revision < seen {
            let loss = StoreError::Damaged(format!(
                "etcd has lost changes: it was at revision {seen}, and is at {revision}; was it \
                emptied, or restored from an older copy?"
            ));
            return Err(self.loss.get_or_init(|| loss).clone());
        }
        self.revision.fetch_max(revision, Ordering::AcqRel);
        Ok(())
    }

    fn range(&self, question: &Value) -> Result<Vec<Entry>, StoreError> {
        Ok(self.ask("/v3/kv/range", question, true)?.kvs)
    }
}

fn reason(text: &str) -> String {
    let message: Option<Value> = serde_json::from_str(text).ok();
    let message = message.and_then(|answer| answer.get("error")?.as_str().map(str::to_owned));
    message.unwrap_or_else(|| text.chars().take(200).collect())
}

fn was_not_sent(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Io(error) => error.kind() == std::io::ErrorKind::ConnectionRefused,
        ureq::Error::Timeout(ureq::Timeout::Connect)
        | ureq::Error::ConnectionFailed
        | ureq::Error::HostNotFound => true,
        _ => false,
    }
}

impl Store for Etcd {
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError> {
        let entry =
            self.range(&json!({ "key": coded(self.key(key).as_bytes()) }))?.into_iter().next();
        entry.map(|entry| Ok((number(&entry.mod_revision), plain(&entry.value)?))).transpose()
    }

    fn list(
        &self,
        prefix: &str,
        from: &str,
        max: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let start = self.key(if from < prefix { prefix } else { from });
        let end = end_of_prefix(&self.key(prefix));
        if start.as_bytes() >= end.as_slice() {
            return Ok(Vec::new());
        }
        let question = json!({
            "key": coded(start.as_bytes()), "range_end": coded(&end), "limit": max,
            "sort_order": "ASCEND", "sort_target": "KEY",
        });
        let own = self.prefix.len() + VALUES.len();
        let row = |entry: Entry| {
            let key = String::from_utf8(plain(&entry.key)?)
                .map_err(|error| StoreError::Damaged(error.to_string()))?;
            Ok((key.get(own..).unwrap_or_default().to_owned(), plain(&entry.value)?))
        };
        self.range(&question)?.into_iter().map(row).collect()
    }

    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError> {
        let key = coded(self.key(key).as_bytes());
        let question = json!({
            "compare": [{ "key": key, "target": "MOD", "result": "EQUAL",
                "mod_revision": expected.to_string() }],
            "success": [{ "request_put": { "key": key, "value": coded(value) } }],
        });
        Ok(self.ask("/v3/kv/txn", &question, false)?.succeeded)
    }

    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError> {
        let (start, end) = (self.key(prefix), self.key(end));
        if start < end {
            let question =
                json!({ "key": coded(start.as_bytes()), "range_end": coded(end.as_bytes()) });
            self.ask("/v3/kv/deleterange", &question, true)?;
        }
        Ok(())
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        let question = json!({ "key": coded(self.key(key).as_bytes()), "value": coded(value) });
        self.ask("/v3/kv/put", &question, true).map(drop)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn watch(&self, prefix: &str, seen: u64, patience: Duration) -> Result<u64, StoreError> {
        let (first, end) = (self.key(prefix), coded(&end_of_prefix(&self.key(prefix))));
        let from = json!({ "key": coded(first.as_bytes()), "range_end": end,
            "start_revision": (seen + 1).to_string() });
        let member = &self.members[self.member.load(Ordering::Relaxed) % self.members.len()];
        let request = self
            .agent
            .post(format!("{member}/v3/watch"))
            .config()
            .timeout_global(Some(patience))
            .build();
        let failed = |error: &dyn std::fmt::Display| {
            StoreError::NoAnswer(format!("etcd at {member}: {error}"))
        };
        let response =
            request.send_json(json!({ "create_request": from })).map_err(|error| failed(&error))?;
        for line in BufReader::new(response.into_body().into_reader()).lines() {
            let Ok(line) = line else { break };
            let Line { result } = serde_json::from_str(&line).map_err(|error| failed(&error))?;
            if result.canceled || !result.events.is_empty() {
                return Ok(number(&result.header.revision).max(seen));
            }
        }
        // The time limit is over or etcd ended the watch; no further change is known in either
        // case.
        Ok(seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    #[test]
    fn an_address_names_members_and_a_prefix_and_nonsense_is_named() {
        let read = |text: &str| text.parse::<EtcdAddress>().map(|address| address.to_string()).ok();
        assert_eq!(read("etcd://a:1,b:2").as_deref(), Some("etcd://a:1,b:2/outhaul"));
        assert_eq!(read("etcd://[::1]:2379/lab").as_deref(), Some("etcd://[::1]:2379/lab"));
        for nonsense in [
            "",
            "etcd://",
            "etcd://a",
            "etcd://a:1,",
            "etcd://a:1/",
            "etcd://a:1/b/c",
            "http://a:1",
            "etcd://a:x",
        ] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
    }

    /// Answers questions like an etcd whose revisions are `revisions`, one after the other.
    fn etcd_at(revisions: &[u64]) -> EtcdAddress {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("etcd://{}", listener.local_addr().unwrap());
        let revisions = revisions.to_vec();
        std::thread::spawn(move || {
            for revision in revisions {
                let (mut client, _) = listener.accept().unwrap();
                let mut question = BufReader::new(&client);
                let (mut line, mut bytes) = (String::new(), 0);
                while question.read_line(&mut line).unwrap() > 2 {
                    let value = line.to_ascii_lowercase();
                    if let Some(value) = value.strip_prefix("content-length:") {
                        bytes = value.trim().parse().unwrap();
                    }
                    line.clear();
                }
                question.read_exact(&mut vec![0; bytes]).unwrap();
                let body = format!(r#"{{"header":{{"revision":"{revision}"}}}}"#);
                let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length:";
                write!(client, "{head} {}\r\n\r\n{body}", body.len()).unwrap();
            }
        });
        address.parse().unwrap()
    }

    #[test]
    fn an_etcd_that_lost_changes_is_no_longer_the_pools_store() {
        let etcd = Etcd::open(&etcd_at(&[7, 7, 9, 3, 12])).unwrap();
        assert_eq!((etcd.read("k"), etcd.put("k", b"v")), (Ok(None), Ok(())));
        let error = etcd.read("k").unwrap_err();
        let words = error.to_string();
        assert!(
            words.contains("at revision 9, and is at 3") && words.contains("restore"),
            "{words}"
        );
        assert_eq!(etcd.put("k", b"v"), Err(error), "also once it has as many changes again");
    }
}

//! The store that several pool processes share: etcd, by the JSON of its v3 interface. A version is etcd's revision, and a name that lapses is a key under an
//! etcd lease, so its life is measured by etcd's clock. Deliberately absent: TLS and users of etcd; it is to listen where only pools reach it.

use super::{Store, StoreError, Versioned};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What an answer may take; a longer silence is none.
const ANSWER_SECONDS_MAX: u64 = 5;
const CONNECT_SECONDS_MAX: u64 = 2;
const ANSWER_BYTES_MAX: u64 = 1 << 30;
/// Keys of one answer where there may be many.
const KEYS_MAX: usize = 10_000;
const WATCH_EVERY: Duration = Duration::from_millis(50);
const VALUES: &str = "value/";
const NAMES: &str = "name/";

/// Where an etcd is: its members, and what keys of this pool begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EtcdAddress {
    members: Vec<String>,
    prefix: String,
}

/// An etcd.
pub struct Etcd {
    members: Vec<String>,
    /// The one that answered last.
    member: AtomicUsize,
    prefix: String,
    agent: ureq::Agent,
}

impl FromStr for EtcdAddress {
    type Err = String;

    /// `etcd://HOST:PORT[,HOST:PORT...][/PREFIX]`.
    fn from_str(text: &str) -> Result<EtcdAddress, String> {
        let wrong = || format!("'{text}' is no etcd; write etcd://HOST:PORT[,HOST:PORT...][/PREFIX], for example etcd://127.0.0.1:2379");
        let rest = text.strip_prefix("etcd://").ok_or_else(wrong)?;
        let (members, prefix) = rest.split_once('/').unwrap_or((rest, "outhaul"));
        let member =
            |member: &str| member.rsplit_once(':').filter(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok()).is_some();
        if prefix.is_empty() || prefix.contains('/') || !members.split(',').all(member) {
            return Err(wrong());
        }
        let members = members.split(',').map(|member| format!("http://{member}")).collect();
        Ok(EtcdAddress { members, prefix: format!("{prefix}/") })
    }
}

impl std::fmt::Display for EtcdAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let members: Vec<&str> = self.members.iter().map(|member| member.trim_start_matches("http://")).collect();
        write!(f, "etcd://{}/{}", members.join(","), self.prefix.trim_end_matches('/'))
    }
}

/// As etcd's JSON has them: numbers of 64 bits are texts, and what is zero or empty is left out.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Answer {
    kvs: Vec<Entry>,
    succeeded: bool,
    #[serde(rename = "ID")]
    id: String,
    result: Option<Life>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entry {
    key: String,
    value: String,
    mod_revision: String,
    lease: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Life {
    #[serde(rename = "TTL")]
    ttl: String,
}

fn coded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn plain(text: &str) -> Result<Vec<u8>, StoreError> {
    STANDARD.decode(text).map_err(|error| StoreError(format!("etcd's answer is not understood: {error}")))
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or(0)
}

/// The first key that does not begin so. No key of ours ends with the last byte there is.
fn behind(prefix: &str) -> Vec<u8> {
    let mut end = prefix.as_bytes().to_vec();
    end.last_mut().into_iter().for_each(|last| *last += 1);
    end
}

impl Etcd {
    /// Connects, and looks whether somebody answers.
    ///
    /// # Errors
    /// When nobody does.
    pub fn open(address: &EtcdAddress) -> Result<Etcd, StoreError> {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(CONNECT_SECONDS_MAX)))
            .timeout_global(Some(Duration::from_secs(ANSWER_SECONDS_MAX)))
            .proxy(None)
            .build();
        let EtcdAddress { members, prefix } = address.clone();
        let etcd = Etcd { members, member: AtomicUsize::new(0), prefix, agent: config.new_agent() };
        etcd.read("none")?;
        Ok(etcd)
    }

    fn key(&self, kind: &str, key: &str) -> String {
        format!("{}{kind}{key}", self.prefix)
    }

    /// Asks the member that answered last. Another one is asked where none of what is asked can have happened.
    fn ask(&self, path: &str, question: &Value) -> Result<Answer, StoreError> {
        let mut trouble = String::new();
        for _ in 0..self.members.len() {
            let member = self.member.load(Ordering::Relaxed) % self.members.len();
            match self.agent.post(format!("{}{path}", self.members[member])).send_json(question) {
                Ok(mut response) => {
                    let text = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string();
                    let text = text.map_err(|error| StoreError(format!("etcd at {}: {error}", self.members[member])))?;
                    if !response.status().is_success() {
                        return Err(StoreError(format!("etcd at {}: {}", self.members[member], reason(&text))));
                    }
                    return serde_json::from_str(&text).map_err(|error| StoreError(format!("etcd's answer is not understood: {error}")));
                }
                Err(error) => {
                    trouble = format!("etcd at {}: {error}", self.members[member]);
                    self.member.store(member + 1, Ordering::Relaxed);
                    if !was_not_sent(&error) {
                        break;
                    }
                }
            }
        }
        Err(StoreError(trouble))
    }

    /// Of the name's key, the lease that it hangs on.
    fn lease(&self, name: &str) -> Result<Option<String>, StoreError> {
        let answer = self.ask("/v3/kv/range", &json!({ "key": coded(self.key(NAMES, name).as_bytes()) }))?;
        Ok(answer.kvs.into_iter().next().map(|entry| entry.lease))
    }
}

fn reason(text: &str) -> String {
    let told: Option<Value> = serde_json::from_str(text).ok();
    let told = told.and_then(|told| told.get("error")?.as_str().map(str::to_owned));
    told.unwrap_or_else(|| text.chars().take(200).collect())
}

fn was_not_sent(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Io(error) => error.kind() == std::io::ErrorKind::ConnectionRefused,
        ureq::Error::Timeout(ureq::Timeout::Connect) | ureq::Error::ConnectionFailed | ureq::Error::HostNotFound => true,
        _ => false,
    }
}

impl Store for Etcd {
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError> {
        let answer = self.ask("/v3/kv/range", &json!({ "key": coded(self.key(VALUES, key).as_bytes()) }))?;
        let entry = answer.kvs.into_iter().next();
        entry.map(|entry| Ok((number(&entry.mod_revision), plain(&entry.value)?))).transpose()
    }

    fn list(&self, prefix: &str, from: &str, max: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let start = self.key(VALUES, if from < prefix { prefix } else { from });
        let end = behind(&self.key(VALUES, prefix));
        if start.as_bytes() >= end.as_slice() {
            return Ok(Vec::new());
        }
        let question = json!({
            "key": coded(start.as_bytes()), "range_end": coded(&end), "limit": max, "sort_order": "ASCEND", "sort_target": "KEY",
        });
        let own = self.prefix.len() + VALUES.len();
        let row = |entry: Entry| {
            let key = String::from_utf8(plain(&entry.key)?).map_err(|error| StoreError(error.to_string()))?;
            Ok((key.get(own..).unwrap_or_default().to_owned(), plain(&entry.value)?))
        };
        self.ask("/v3/kv/range", &question)?.kvs.into_iter().map(row).collect()
    }

    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError> {
        let key = coded(self.key(VALUES, key).as_bytes());
        let question = json!({
            "compare": [{ "key": key, "target": "MOD", "result": "EQUAL", "mod_revision": expected.to_string() }],
            "success": [{ "request_put": { "key": key, "value": coded(value) } }],
        });
        Ok(self.ask("/v3/kv/txn", &question)?.succeeded)
    }

    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError> {
        let (start, end) = (self.key(VALUES, prefix), self.key(VALUES, end));
        if start < end {
            self.ask("/v3/kv/deleterange", &json!({ "key": coded(start.as_bytes()), "range_end": coded(end.as_bytes()) }))?;
        }
        Ok(())
    }

    fn hold(&self, name: &str, ttl: Duration) -> Result<(), StoreError> {
        // Whatever lease it hung on before lapses with nothing on it.
        let seconds = ttl.as_secs() + u64::from(ttl.subsec_nanos() > 0);
        let lease = self.ask("/v3/lease/grant", &json!({ "TTL": seconds.max(1).to_string() }))?.id;
        let key = coded(self.key(NAMES, name).as_bytes());
        self.ask("/v3/kv/put", &json!({ "key": key, "value": "", "lease": lease })).map(drop)
    }

    fn renew(&self, name: &str) -> Result<bool, StoreError> {
        let Some(lease) = self.lease(name)? else { return Ok(false) };
        let life = self.ask("/v3/lease/keepalive", &json!({ "ID": lease }))?.result.unwrap_or_default();
        Ok(number(&life.ttl) > 0)
    }

    fn let_go(&self, name: &str) -> Result<(), StoreError> {
        match self.lease(name)? {
            Some(lease) => match self.ask("/v3/lease/revoke", &json!({ "ID": lease })) {
                // It lapsed meanwhile.
                Err(_) if self.lease(name)?.is_none() => Ok(()),
                other => other.map(drop),
            },
            None => Ok(()),
        }
    }

    fn held(&self) -> Result<BTreeSet<String>, StoreError> {
        let (first, end) = (self.key(NAMES, ""), coded(&behind(&self.key(NAMES, ""))));
        let (mut from, mut all) = (first.clone().into_bytes(), BTreeSet::new());
        loop {
            let question = json!({ "key": coded(&from), "range_end": end, "keys_only": true, "limit": KEYS_MAX, "sort_order": "ASCEND", "sort_target": "KEY" });
            let entries = self.ask("/v3/kv/range", &question)?.kvs;
            let count = entries.len();
            for entry in entries {
                from = plain(&entry.key)?;
                all.insert(String::from_utf8_lossy(&from[first.len()..]).into_owned());
            }
            if count < KEYS_MAX {
                return Ok(all);
            }
            // The key right behind the last one.
            from.push(0);
        }
    }

    /// By looking again and again: nothing but tests waits here.
    fn watch(&self, seen: u64, patience: Duration) -> Result<u64, StoreError> {
        let (start, first) = (Instant::now(), self.key(VALUES, ""));
        let question = json!({
            "key": coded(first.as_bytes()), "range_end": coded(&behind(&first)), "keys_only": true, "limit": 1, "sort_order": "DESCEND", "sort_target": "MOD",
        });
        loop {
            let last = self.ask("/v3/kv/range", &question)?.kvs.first().map_or(0, |entry| number(&entry.mod_revision));
            if last > seen || start.elapsed() >= patience {
                return Ok(last);
            }
            std::thread::sleep(WATCH_EVERY.min(patience.saturating_sub(start.elapsed())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_members_and_a_prefix_and_nonsense_is_named() {
        let read = |text: &str| text.parse::<EtcdAddress>().map(|address| address.to_string()).ok();
        assert_eq!(read("etcd://a:1,b:2").as_deref(), Some("etcd://a:1,b:2/outhaul"));
        assert_eq!(read("etcd://[::1]:2379/lab").as_deref(), Some("etcd://[::1]:2379/lab"));
        for nonsense in ["", "etcd://", "etcd://a", "etcd://a:1,", "etcd://a:1/", "etcd://a:1/b/c", "http://a:1", "etcd://a:x"] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
    }
}

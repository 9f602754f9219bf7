//! How the people who run a node look at it and set who has which share of its GPUs: one line of
//! JSON each way, on a local socket that serves root and the node's own user. Nothing of it can be
//! reached over the network.

use crate::accounts::{Accounts, Limits};
use crate::arbitration::{Arbitration, SessionView, TenantView, Used, View};
pub use crate::arbitration::{Breaks, Lost, Moved};
use crate::tenants::Part;
use outhaul_share::{PolicyName, Refusal, Share, Shares};
use outhaul_transport::{dial_behind, is_trusted, listen_behind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

const LINE_BYTES_MAX: u64 = 1 << 20;
const ANSWER_WAIT: Duration = Duration::from_secs(5);

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    #[default]
    Show,
    Set(Change),
}

/// What is None stays as it is.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    pub policy: Option<String>,
    /// By tenant, in percent; 0 takes a share away.
    pub shares: BTreeMap<String, u32>,
    /// By tenant with a share.
    pub priorities: BTreeMap<String, u8>,
    pub joint: Option<bool>,
    pub exclusive: Option<bool>,
    /// By tenant, bytes of each GPU that its sessions may have together; 0 takes a limit away.
    pub memory: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Is(Status),
    Refused(String),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Status {
    /// On the node's own clock.
    pub at_ns: u64,
    pub policy: String,
    pub joint: bool,
    pub exclusive: bool,
    /// Shares that were set, whether or not their tenants are there.
    pub shares_percent: BTreeMap<String, u32>,
    /// Of each GPU, by tenant.
    pub memory_limits: BTreeMap<String, u64>,
    pub session_memory_limit: Option<u64>,
    pub tenants: Vec<TenantStatus>,
    pub sessions: Vec<SessionStatus>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TenantStatus {
    pub name: String,
    pub sessions: usize,
    pub gpus: Vec<TenantGpu>,
}

/// What a tenant is to have of one GPU, and has used of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TenantGpu {
    /// Its part if everybody wants the GPU; 0 if its lease is of others.
    pub share_percent: f64,
    pub priority: i16,
    #[serde(flatten)]
    pub time: GpuTime,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionStatus {
    pub worker: u32,
    pub peer: String,
    pub tenant: String,
    pub gpus: Vec<GpuTime>,
    /// Where a node promises more memory than its GPUs hold, by device; none before anything was
    /// moved.
    pub moved: Vec<Moved>,
    /// Of its connections over a network.
    #[serde(default)]
    pub breaks: Breaks,
}

/// Time used on one device, in the order of their ordinals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuTime {
    pub compute_ns: u64,
    pub to_device_ns: u64,
    pub to_host_ns: u64,
}

/// Takes requests in a thread of its own.
pub fn listen(
    address: SocketAddr,
    arbitration: Arc<Arbitration>,
    accounts: Arc<Accounts>,
) -> io::Result<()> {
    let entrance = listen_behind(address)?;
    std::thread::spawn(move || {
        // One after the other: nobody has many.
        for stream in entrance.incoming().flatten().filter(is_trusted) {
            let _ = serve(&stream, &arbitration, &accounts);
        }
    });
    Ok(())
}

fn serve(stream: &UnixStream, arbitration: &Arbitration, accounts: &Accounts) -> io::Result<()> {
    stream.set_read_timeout(Some(ANSWER_WAIT))?;
    stream.set_write_timeout(Some(ANSWER_WAIT))?;
    let mut line = String::new();
    BufReader::new(stream.take(LINE_BYTES_MAX)).read_line(&mut line)?;
    let answer = match serde_json::from_str(&line) {
        Ok(Request::Show) => Answer::Is(status(&arbitration.view(), &accounts.limits())),
        Ok(Request::Set(change)) => match change.hold(arbitration, accounts) {
            Ok(()) => Answer::Is(status(&arbitration.view(), &accounts.limits())),
            Err(refusal) => Answer::Refused(refusal.to_string()),
        },
        Err(error) => Answer::Refused(format!(
            "the request makes no sense: {error}; use the `outhaul` of the node's release"
        )),
    };
    write_line(stream, &answer)
}

fn write_line(mut stream: &UnixStream, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// Asks the node on this machine that listens on `address`; None if there is none that serves this
/// user.
pub fn ask(address: SocketAddr, request: &Request) -> Option<io::Result<Answer>> {
    let stream = dial_behind(address)?;
    Some((|| {
        stream.set_read_timeout(Some(ANSWER_WAIT))?;
        write_line(&stream, request)?;
        let mut line = String::new();
        BufReader::new((&stream).take(LINE_BYTES_MAX)).read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    })())
}

impl Change {
    /// All of it holds, or nothing.
    fn hold(&self, arbitration: &Arbitration, accounts: &Accounts) -> Result<(), Refusal> {
        accounts.limits().set(&self.memory)?;
        arbitration.set(|shares| self.apply(shares))?;
        accounts.set(&self.memory)
    }

    /// On a copy: what is refused half-way must not hold by half.
    pub fn apply(&self, shares: &mut Shares) -> Result<(), Refusal> {
        if let Some(policy) = &self.policy {
            shares.policy = policy.parse::<PolicyName>()?;
        }
        shares.joint = self.joint.unwrap_or(shares.joint);
        shares.exclusive = self.exclusive.unwrap_or(shares.exclusive);
        let before: BTreeMap<String, Share> =
            shares.tenants().map(|(name, share)| (name.to_owned(), share)).collect();
        let priority = |name: &String| {
            self.priorities
                .get(name)
                .or(before.get(name).map(|share| &share.priority))
                .copied()
                .unwrap_or(0)
        };
        let mut changed: BTreeMap<String, Share> = self
            .shares
            .iter()
            .map(|(name, percent)| {
                (name.clone(), Share { percent: *percent, priority: priority(name) })
            })
            .collect();
        for name in self.priorities.keys().filter(|name| !self.shares.contains_key(*name)) {
            let share = before.get(name).ok_or_else(|| Refusal::NoShare { name: name.clone() })?;
            changed
                .insert(name.clone(), Share { percent: share.percent, priority: priority(name) });
        }
        shares.set(&changed.into_iter().collect::<Vec<_>>())
    }
}

fn gpus(used: &[Used]) -> Vec<GpuTime> {
    used.iter()
        .map(|[compute_ns, to_device_ns, to_host_ns]| GpuTime {
            compute_ns: *compute_ns,
            to_device_ns: *to_device_ns,
            to_host_ns: *to_host_ns,
        })
        .collect()
}

fn status(view: &View, limits: &Limits) -> Status {
    let gpu = |(part, time): (&Option<Part>, GpuTime)| TenantGpu {
        share_percent: part.map_or(0.0, |part| f64::from(part.share_basis_points) / 100.0),
        priority: part.map_or(0, |part| part.priority),
        time,
    };
    let tenant = |tenant: &TenantView| TenantStatus {
        name: tenant.name.clone(),
        sessions: tenant.sessions,
        gpus: tenant
            .parts
            .iter()
            .zip(gpus(&tenant.used).into_iter().chain(std::iter::repeat(GpuTime::default())))
            .map(gpu)
            .collect(),
    };
    let session = |session: &SessionView| SessionStatus {
        worker: session.pid,
        peer: session.peer.clone(),
        tenant: session.tenant.clone(),
        gpus: gpus(&session.used),
        moved: session.moved.clone(),
        breaks: session.breaks,
    };
    Status {
        at_ns: view.at_ns,
        policy: view.shares.policy.to_string(),
        joint: view.shares.joint,
        exclusive: view.shares.exclusive,
        memory_limits: limits.tenants().clone(),
        session_memory_limit: limits.session_bytes,
        shares_percent: view
            .shares
            .tenants()
            .map(|(name, share)| (name.to_owned(), share.percent))
            .collect(),
        tenants: view.tenants.iter().map(tenant).collect(),
        sessions: view.sessions.iter().map(session).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_holds_whole_and_a_priority_needs_a_share() {
        let mut shares = Shares::default();
        let change: Change = serde_json::from_str(
            r#"{"policy":"band","shares":{"a":70},"priorities":{"a":2},"joint":true}"#,
        )
        .unwrap();
        change.apply(&mut shares).unwrap();
        assert_eq!(
            shares.tenants().collect::<Vec<_>>(),
            [("a", Share { percent: 70, priority: 2 })]
        );
        assert_eq!(
            (shares.policy, shares.joint, shares.exclusive),
            (PolicyName::Band, true, false)
        );
        let raise = Change { shares: [("a".to_owned(), 80)].into(), ..Change::default() };
        raise.apply(&mut shares).unwrap();
        assert_eq!(
            shares.tenants().collect::<Vec<_>>(),
            [("a", Share { percent: 80, priority: 2 })]
        );
        let unknown = Change { priorities: [("b".to_owned(), 1)].into(), ..Change::default() };
        assert!(unknown.apply(&mut shares.clone()).unwrap_err().to_string().contains("b"));
        assert!(
            Change { policy: Some("lottery".into()), ..Change::default() }
                .apply(&mut shares)
                .is_err()
        );
    }
}

//! Node administration: administrators view the node's state and set the shares of its GPUs.
//! Requests and answers are lines of JSON on a local socket that serves root and the node's own
//! user. The network cannot reach the socket.

pub use crate::accounting::MemoryUse;
use crate::accounting::accounts::Accounts;
use crate::accounting::tenants::{TenantPart, Used};
use crate::sharing::arbitration::{Arbitration, SessionView, TenantView, View};
pub use crate::sharing::arbitration::{Breaks, Lost, Moved};
use outhaul_share::{PolicyName, Refusal, Share, Shares};
use outhaul_transport::{accept_forever, dial_behind, is_trusted, listen_behind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

const LINE_BYTES_MAX: u64 = 1 << 20;
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// An administrator's request.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Asks for the state of the node.
    #[default]
    Show,
    /// Changes the settings.
    Set(Change),
}

/// A change of settings. Fields that are None remain unchanged.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// The policy's name.
    pub policy: Option<String>,
    /// Shares by tenant, in percent; 0 removes a share.
    pub shares: BTreeMap<String, u32>,
    /// Priorities by tenant. Each tenant must have a share.
    pub priorities: BTreeMap<String, u8>,
    /// Whether copies take turns together with kernels.
    pub joint: Option<bool>,
    /// Whether sessions only take turns and never share time slices.
    pub exclusive: Option<bool>,
    /// Memory limits by tenant: how many bytes of each GPU the tenant's sessions may have together.
    /// 0 removes a limit.
    pub memory: BTreeMap<String, u64>,
}

/// The answer to a request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdministrationReply {
    /// The state of the node, after a requested change.
    Is(Status),
    /// The reason for which the node changed nothing.
    Refused(String),
}

/// A node's state.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Status {
    /// Time of the state on the node's own clock.
    pub at_ns: u64,
    /// The listener's process id. The node's other processes are its children.
    #[serde(default)]
    pub listener: u32,
    /// Numbers made from the UUIDs of the node's GPUs. All lists by GPU have the same order.
    #[serde(default)]
    pub gpu_identities: Vec<u64>,
    /// The policy's name.
    pub policy: String,
    /// Whether copies take turns together with kernels.
    pub joint: bool,
    /// Whether sessions only take turns and never share time slices.
    pub exclusive: bool,
    /// Shares that were set, including those of tenants without sessions.
    pub shares_percent: BTreeMap<String, u32>,
    /// Memory limits of each GPU in bytes, by tenant.
    pub memory_limits: BTreeMap<String, u64>,
    /// Memory limit of each session in bytes.
    pub session_memory_limit: Option<u64>,
    /// The tenants with sessions or use.
    pub tenants: Vec<TenantStatus>,
    /// The running sessions.
    pub sessions: Vec<SessionStatus>,
}

/// A tenant's state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TenantStatus {
    /// The tenant's name.
    pub name: String,
    /// Number of the tenant's sessions.
    pub sessions: usize,
    /// The tenant's part of each GPU.
    pub gpus: Vec<TenantGpu>,
}

/// A tenant's part of one GPU, and its use so far.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TenantGpu {
    /// The tenant's part when all tenants want the GPU; 0 if the tenant is a lease for other GPUs.
    pub share_percent: f64,
    /// The tenant's priority.
    pub priority: i16,
    /// The time that the tenant has used.
    #[serde(flatten)]
    pub time: GpuTime,
}

/// A session's state.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SessionStatus {
    /// The worker's process id.
    pub worker: u32,
    /// The client's address.
    pub peer: String,
    /// The tenant's name.
    pub tenant: String,
    /// The time that the session has used on each GPU.
    pub gpus: Vec<GpuTime>,
    /// The session's moved memory, by device, on a node that oversubscribes memory. The list is
    /// empty until memory was moved.
    pub moved: Vec<Moved>,
    /// The session's use of each GPU's memory, up to the last GPU of which it uses some.
    #[serde(default)]
    pub memory: Vec<MemoryUse>,
    /// The session's connection breaks over a network.
    #[serde(default)]
    pub breaks: Breaks,
}

/// Time used on a device, by engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuTime {
    /// Kernel time.
    pub compute_ns: u64,
    /// Time spent on copies to the device.
    pub to_device_ns: u64,
    /// Time spent on copies to the host.
    pub to_host_ns: u64,
}

/// Starts a thread that serves requests.
pub fn listen(
    address: SocketAddr,
    arbitration: Arc<Arbitration>,
    accounts: Arc<Accounts>,
) -> io::Result<()> {
    let entrance = listen_behind(address)?;
    std::thread::Builder::new().spawn(move || {
        // One request at a time is enough, because there are few.
        accept_forever(&entrance, |stream| {
            if is_trusted(&stream) {
                let _ = serve(&stream, &arbitration, &accounts);
            }
        });
    })?;
    Ok(())
}

fn serve(stream: &UnixStream, arbitration: &Arbitration, accounts: &Accounts) -> io::Result<()> {
    stream.set_read_timeout(Some(ANSWER_WAIT))?;
    stream.set_write_timeout(Some(ANSWER_WAIT))?;
    let mut line = String::new();
    BufReader::new(stream.take(LINE_BYTES_MAX)).read_line(&mut line)?;
    let answer = match serde_json::from_str(&line) {
        Ok(Request::Show) => AdministrationReply::Is(status(&arbitration.view(), accounts)),
        Ok(Request::Set(change)) => match change.hold(arbitration, accounts) {
            Ok(()) => AdministrationReply::Is(status(&arbitration.view(), accounts)),
            Err(refusal) => AdministrationReply::Refused(refusal.to_string()),
        },
        Err(error) => AdministrationReply::Refused(format!(
            "the request is invalid: {error}; use the `outhaul` of the node's release"
        )),
    };
    write_line(stream, &answer)
}

fn write_line(mut stream: &UnixStream, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// Sends a request to the node on this machine that listens on `address`, and returns the answer.
/// Returns None if no such node serves this user.
pub fn ask(address: SocketAddr, request: &Request) -> Option<io::Result<AdministrationReply>> {
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
    /// Applies the whole change or, on an error, nothing.
    fn hold(&self, arbitration: &Arbitration, accounts: &Accounts) -> Result<(), Refusal> {
        accounts.limits().set(&self.memory)?;
        arbitration.set(|shares| self.apply(shares))?;
        accounts.set(&self.memory)
    }

    /// Applies the change to `shares`, a copy, so that a rejected change has no effect.
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

fn status(view: &View, accounts: &Accounts) -> Status {
    let limits = accounts.limits();
    let gpu = |(part, time): (&Option<TenantPart>, GpuTime)| TenantGpu {
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
        memory: accounts.uses(session.pid),
        breaks: session.breaks,
    };
    Status {
        at_ns: view.at_ns,
        listener: std::process::id(),
        gpu_identities: view.gpus.clone(),
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

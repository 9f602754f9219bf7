//! Taking over from a listener that is gone: its sockets, its folder, and its sessions. Without an
//! earlier listener, this module sets up new sockets and a new folder.

use crate::cell::scratch::{Folder, Scratch};
use crate::keeper::client::{KeeperClient, Left};
use crate::listener::node::Node;
use crate::listener::session::{Session, WorkerSockets};
use crate::listener::session_record::{Record, name_of};
use crate::listener::thread_spawning::thread;
use crate::log::log_event;
use crate::pidfd;
use outhaul_transport::{listen_locally, take_bursts};
use serde::{Deserialize, Serialize};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

/// Name of the keeper's item for the node itself.
const TITLE: &str = "node";

/// A node's sockets and files.
pub struct NodeSockets {
    /// The socket for the network.
    pub network: TcpListener,
    /// The socket for programs on this machine.
    pub local: Option<UnixListener>,
    /// The folder for the node's files.
    pub scratch: Option<Scratch>,
    /// The other items of the last listener.
    pub left: Vec<Left>,
}

/// The keeper's record of the node. The network socket's descriptor comes first, and the others
/// follow in the order of the fields.
#[derive(Serialize, Deserialize)]
struct Kept {
    local: bool,
    scratch: Option<PathBuf>,
}

impl NodeSockets {
    /// Takes over from the last listener at `address`, or sets up new sockets. Fails if `address`
    /// is in use.
    pub fn take(address: SocketAddr, keeping: &KeeperClient) -> io::Result<NodeSockets> {
        let mut left = keeping.take_over(address)?.unwrap_or_default();
        let found = left.iter().position(|one| one.name == TITLE).map(|at| left.remove(at));
        if let Some(found) = found {
            return NodeSockets::inherit(found, left);
        }
        let network = TcpListener::bind(address)?;
        take_bursts(&network)?;
        let address = network.local_addr()?;
        let by_tcp = |error: &io::Error| {
            log_event(&format!(
                "programs on this machine will use TCP: the local name of {address} cannot be \
                taken: {error}"
            ))
        };
        let local = listen_locally(address).inspect_err(by_tcp).ok();
        let without = |error: &io::Error| {
            log_event(&format!(
                "sessions have no folders of their own, so none shares events of the software GPU: \
                {error}"
            ))
        };
        let scratch = Scratch::open().inspect_err(without).ok();
        let place = NodeSockets { network, local, scratch, left };
        if !keeping.is_there() {
            keeping.start(address);
        }
        place.keep(keeping);
        Ok(place)
    }

    fn inherit(found: Left, left: Vec<Left>) -> io::Result<NodeSockets> {
        let Kept { local, scratch } = serde_json::from_value(found.record)?;
        let mut descriptors = found.descriptors.into_iter();
        let mut next = || descriptors.next().ok_or(io::ErrorKind::InvalidData);
        let network = next()?.into();
        let local = local.then(&mut next).transpose()?.map(UnixListener::from);
        let scratch =
            scratch.map(|path| Ok::<_, io::Error>(Scratch::adopt(path, next()?))).transpose()?;
        Ok(NodeSockets { network, local, scratch, left })
    }

    fn keep(&self, keeping: &KeeperClient) {
        let kept = Kept {
            local: self.local.is_some(),
            scratch: self.scratch.as_ref().map(|scratch| scratch.path().to_owned()),
        };
        let network = [self.network.as_fd()].into_iter();
        let descriptors = network
            .chain(self.local.as_ref().map(AsFd::as_fd))
            .chain(self.scratch.as_ref().map(Scratch::lock));
        keeping.keep(TITLE, &kept, &descriptors.collect::<Vec<_>>());
    }
}

/// Takes over all sessions of the last listener before any new session begins. Ends the sessions
/// that it cannot take over.
pub fn adopt(node: &Arc<Node>, left: Vec<Left>) {
    let (sessions, others): (Vec<Left>, Vec<Left>) =
        left.into_iter().partition(|one| name_of(&one.name).is_some());
    for one in others {
        let (name, processes) = (one.name.clone(), copies(&one));
        if let Err(error) = node.worker_services.segments.adopt(one) {
            give_up(node, &name, &processes, &error);
        }
    }
    let (done, all) = channel();
    for one in sessions {
        let (name, processes) = (one.name.clone(), copies(&one));
        let (done, going) = (done.clone(), node.clone());
        if let Err(error) = thread(move || continue_session(&going, one, done)) {
            give_up(node, &name, &processes, &error);
        }
    }
    drop(done);
    let adopted = all.iter().count();
    node.accounts.clear_free_rows();
    if adopted > 0 {
        log_event(&format!("sessions of the listener before that go on: {adopted}"));
    }
}

fn copies(one: &Left) -> Vec<OwnedFd> {
    one.descriptors.iter().filter_map(|descriptor| descriptor.try_clone().ok()).collect()
}

fn give_up(node: &Node, name: &str, descriptors: &[OwnedFd], error: &io::Error) {
    log_event(&format!("{name} of the listener before cannot go on, and ends: {error}"));
    descriptors.iter().for_each(|descriptor| pidfd::end(descriptor.as_fd()));
    node.config.keeping.forget(name);
}

/// Serves a session until it has ended. Signals `done` once the session has its resources again.
fn continue_session(node: &Arc<Node>, one: Left, done: Sender<()>) {
    let (name, processes) = (one.name.clone(), copies(&one));
    match begin(node, one) {
        Ok(Some(session)) => {
            drop(processes);
            let _ = done.send(());
            drop(done);
            node.serve_adopted(session);
        }
        Ok(None) => node.config.keeping.forget(&name),
        Err(error) => give_up(node, &name, &processes, &error),
    }
}

/// Takes over a session. Returns None if the session has ended meanwhile, because another session
/// may then have its rows.
fn begin(node: &Arc<Node>, one: Left) -> io::Result<Option<Session<'_>>> {
    let name = name_of(&one.name)
        .ok_or_else(|| io::Error::other("this release does not know what it is"))?;
    let name = node
        .handovers
        .name(name)
        .ok_or_else(|| io::Error::other("another session has its name"))?;
    let record = Record::read(one.record)?;
    let (worker, mut fds) = record.adopt(one.descriptors)?;
    let (client, _) = fds.lanes.pop().ok_or_else(|| io::Error::other("its client is missing"))?;
    let scratch = record.scratch.map(Folder::adopt);
    if !worker.runs() {
        worker.status();
        // Dropping the visitor detaches the ended session's segments.
        drop(node.worker_services.segments.visitor(&record.payer, record.worker));
        log_event(&format!(
            "worker {} of {} ended while no listener was there",
            record.worker, record.peer
        ));
        return Ok(None);
    }
    if node.accounts.is_oversubscribed() != fds.residency.is_some() {
        return Err(io::Error::other(
            "whether its memory moves is not as --oversubscribe says now",
        ));
    }
    let account = node.accounts.adopt(&record.payer, fds.ledger.row, fds.ledger.ledger)?;
    let residency = fds.residency.map(|rows| node.accounts.adopt_residency(rows)).transpose()?;
    let pass = match (&node.config.leases, record.grant) {
        (Some(leases), Some(grant)) => Some(leases.adopt(grant)),
        (None, None) => None,
        _ => {
            return Err(io::Error::other("whether it belongs to a pool is not as --pool says now"));
        }
    };
    let (peer, worker) = (record.peer, Arc::new(worker));
    let watched = node.watch(&peer, &worker, (client, record.grace), &account)?;
    let session = Session { name, peer, worker, pass, account, residency, scratch, watched };
    if let Some(pass) = &session.pass {
        pass.runs_as(&session.worker);
    }
    let sockets = WorkerSockets {
        handover: fds.handover.into(),
        scheduler: fds.scheduler.into(),
        requests: fds.requests.into(),
    };
    node.attend(&session, sockets, record.payer, None)?;
    node.take_place();
    Ok(Some(session))
}

//! A session with a running worker. This module holds the listener's resources for the session, and
//! waits for its end.

use crate::accounting::accounts::Account;
use crate::accounting::tenants::Payer;
use crate::cell::scratch::Folder;
use crate::keeper::client::KeeperClient;
use crate::lease::Pass;
use crate::listener::handovers::Name;
use crate::listener::session_record::{Record, title};
use crate::listener::session_watch::WatchedSession;
use crate::pidfd::Process;
use crate::sharing::scheduler_channel::SchedulerChannel;
use crate::worker::UNABLE;
use crate::worker::io::worker_fds::WorkerFds;
use outhaul_transport::{HandoverSocket, RequestSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::ExitStatusExt;
use std::sync::Arc;
use std::time::Duration;

/// A session with a running worker.
pub struct Session<'n> {
    /// The session's name.
    pub name: Name,
    /// The client's address.
    pub peer: String,
    /// The worker.
    pub worker: Arc<Process>,
    /// The pass that the session's lease gave, on a node that belongs to a pool.
    pub pass: Option<Pass<'n>>,
    /// The account of the session's memory.
    pub account: Account,
    /// The accounts of the session's movable memory.
    pub residency: Option<[Account; 3]>,
    /// The session's folder.
    pub scratch: Option<Folder>,
    /// The watch over the session's client and worker.
    pub watched: WatchedSession,
}

/// The listener's sockets to a worker.
pub struct WorkerSockets {
    /// The socket through which the listener hands over connections.
    pub handover: HandoverSocket,
    /// The socket for notes about turns and memory.
    pub scheduler: SchedulerChannel,
    /// The socket for the worker's requests.
    pub requests: RequestSocket,
}

impl Session<'_> {
    /// Records the session with the keeper, so that the session outlives this process. `client` is
    /// the socket of the session's first lane; `grace` is its wait for its client after a break.
    pub fn keep(
        &self,
        keeping: &KeeperClient,
        payer: &Payer,
        sockets: &WorkerSockets,
        (client, grace): (BorrowedFd<'_>, Duration),
    ) {
        let fds = WorkerFds {
            lanes: vec![(client, None)],
            handover: sockets.handover.as_fd(),
            scheduler: sockets.scheduler.as_fd(),
            requests: sockets.requests.as_fd(),
            ledger: self.account.ledger_row(),
            residency: self.residency.as_ref().map(|rows| rows.each_ref().map(Account::ledger_row)),
        };
        let grant = self.pass.as_ref().map(|pass| &pass.grant);
        let scratch = self.scratch.as_ref().map(Folder::path);
        if let Some((record, descriptors)) =
            Record::of(&self.peer, &self.worker, (payer, grant), fds, (scratch, grace))
        {
            keeping.keep(&title(&self.name.bytes), &record, &descriptors);
        }
    }

    /// Blocks until the worker is gone, then releases the session's resources. Returns the line for
    /// the log.
    pub fn await_end(self, keeping: &KeeperClient) -> String {
        let Session { name, peer, worker, pass, account, residency, scratch, watched } = self;
        let number = worker.number();
        worker.await_end();
        let with_lease = pass.as_ref().is_some_and(Pass::was_ended);
        drop(scratch);
        // The keeper must drop the record before another session can get its rows.
        keeping.forget(&title(&name.bytes));
        drop((account, residency));
        drop(watched);
        drop(pass);
        let status = worker.status();
        drop(name);
        match status {
            // The node kills the worker of a lease that ends. A program that ends normally gives
            // its lease back while its worker is still ending.
            Some(status) if with_lease && status.signal() == Some(libc::SIGKILL) => {
                format!("worker {number} of {peer} ended with its lease")
            }
            Some(status) if status.code() == Some(UNABLE) => {
                format!("worker {number} of {peer} could not start the driver")
            }
            Some(status) if !status.success() => {
                format!("worker {number} of {peer} died: {status}")
            }
            // Only a process's parent can learn how the process ended.
            _ => format!("worker {number} of {peer} ended"),
        }
    }
}

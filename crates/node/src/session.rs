//! A session whose worker runs: what the listener has of it, and how it is seen through to its end.

use crate::accounts::Account;
use crate::handovers::Name;
use crate::keeping::Keeping;
use crate::lease::Pass;
use crate::log::say;
use crate::process::Process;
use crate::record::{Record, Ways, title};
use crate::scratch::Folder;
use crate::serve::Node;
use crate::tenants::Payer;
use crate::worker::UNABLE;
use std::sync::Arc;

pub struct Session<'n> {
    pub name: Name,
    pub peer: String,
    pub worker: Arc<Process>,
    /// On a node that belongs to a pool.
    pub pass: Option<Pass<'n>>,
    pub account: Account,
    pub residency: Option<[Account; 3]>,
    pub scratch: Option<Folder>,
}

impl Session<'_> {
    /// From now on it outlasts this process.
    pub fn keep(&self, keeping: &Keeping, payer: &Payer, ways: &Ways) {
        let Some(descriptors) =
            Record::descriptors(ways, &self.worker, &self.account, self.residency.as_ref())
        else {
            return;
        };
        let grant = self.pass.as_ref().map(|pass| &pass.grant);
        let (accounts, scratch) =
            ((&self.account, self.residency.as_ref()), self.scratch.as_ref().map(Folder::path));
        let record =
            Record::of(&self.peer, self.worker.number(), (payer, grant), accounts, scratch);
        keeping.keep(&title(&self.name.bytes), &record, &descriptors);
    }

    /// Blocks until its worker is gone, and gives back what it had. Gives what is to be said then.
    pub fn see_through(self, node: &Node) -> String {
        let Session { name, peer, worker, pass, account, residency, scratch } = self;
        let number = worker.number();
        worker.await_end();
        if pass.as_ref().is_some_and(Pass::was_ended) {
            say(&format!("the lease of worker {number} has ended, and it with it"));
        }
        drop(scratch);
        // Before its rows can be another session's.
        node.config.keeping.forget(&title(&name.bytes));
        drop((account, residency));
        drop(pass);
        let status = worker.status();
        drop(name);
        match status {
            Some(status) if status.code() == Some(UNABLE) => {
                format!("worker {number} of {peer} could not start the driver")
            }
            Some(status) if !status.success() => {
                format!("worker {number} of {peer} died: {status}")
            }
            // How one has ended that another process started, nobody is told.
            _ => format!("worker {number} of {peer} ended"),
        }
    }
}

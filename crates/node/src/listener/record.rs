//! The keeper's record of a session: what the next listener needs to continue it, and the
//! descriptors that belong to it.

use crate::accounting::accounts::Account;
use crate::accounting::tenants::Payer;
use crate::lease::Grant;
use crate::process::Process;
use crate::sharing::scheduler_channel::SchedulerChannel;
use outhaul_transport::{HandoverSocket, RequestSocket};
use serde::{Deserialize, Serialize};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Version of the protocol between listener and worker. A release that changes the protocol
/// increments it, and takes over no sessions of other versions.
const LANGUAGE: u32 = 2;
/// Prefix of a session's name.
const PREFIX: &str = "session ";

/// The record of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    language: u32,
    /// Address of the client.
    pub peer: String,
    /// Process id of the worker.
    pub worker: u32,
    /// The payer of the session.
    pub payer: Payer,
    /// Rights of its lease, on a node that belongs to a pool.
    pub grant: Option<Grant>,
    /// Row of the session in its ledger.
    pub row: usize,
    /// Rows of the session in the ledgers of memory that moves.
    pub residency_rows: Option<[usize; 3]>,
    /// Folder of the session.
    pub scratch: Option<PathBuf>,
}

/// The sockets to a worker.
pub struct Ways {
    /// The socket for connections.
    pub handover: HandoverSocket,
    /// The socket for notes about turns.
    pub control: SchedulerChannel,
    /// The socket for the worker's requests.
    pub requests: RequestSocket,
}

/// The resources that belong to a record.
pub struct Belongings {
    /// The sockets to the worker.
    pub ways: Ways,
    /// The worker.
    pub worker: Process,
    /// The ledger of the session.
    pub ledger: OwnedFd,
    /// The ledgers of memory that moves.
    pub residency: Option<[OwnedFd; 3]>,
}

/// Returns the name of the keeper's item for a session.
pub fn title(name: &[u8; 16]) -> String {
    format!("{PREFIX}{:032x}", u128::from_be_bytes(*name))
}

/// Returns the session's name from the name of its item.
pub fn name_of(title: &str) -> Option<[u8; 16]> {
    u128::from_str_radix(title.strip_prefix(PREFIX)?, 16).ok().map(u128::to_be_bytes)
}

impl Record {
    /// Describes a session.
    pub fn of(
        peer: &str,
        worker: u32,
        (payer, grant): (&Payer, Option<&Grant>),
        (account, residency): (&Account, Option<&[Account; 3]>),
        scratch: Option<&Path>,
    ) -> Record {
        let (peer, payer, grant, scratch) =
            (peer.to_owned(), payer.clone(), grant.cloned(), scratch.map(Path::to_owned));
        let residency_rows =
            residency.map(|accounts| accounts.each_ref().map(|account| account.row));
        Record {
            language: LANGUAGE,
            peer,
            worker,
            payer,
            grant,
            row: account.row,
            residency_rows,
            scratch,
        }
    }

    /// Returns the session's descriptors, or None if the worker has none.
    pub fn descriptors<'a>(
        ways: &'a Ways,
        worker: &'a Process,
        account: &'a Account,
        residency: Option<&'a [Account; 3]>,
    ) -> Option<Vec<BorrowedFd<'a>>> {
        let first = [
            ways.handover.end(),
            ways.control.end(),
            ways.requests.end(),
            worker.descriptor()?,
            account.descriptor(),
        ];
        Some(
            first
                .into_iter()
                .chain(residency.into_iter().flatten().map(Account::descriptor))
                .collect(),
        )
    }

    /// Restores the resources from descriptors in the order of `descriptors`.
    pub fn belongings(&self, descriptors: Vec<OwnedFd>) -> io::Result<Belongings> {
        if self.language != LANGUAGE {
            return Err(io::Error::other("its worker belongs to a release with another protocol"));
        }
        let mut descriptors = descriptors.into_iter();
        let mut next =
            || descriptors.next().ok_or_else(|| io::Error::other("a descriptor is missing"));
        let (handover, control, requests) = (
            HandoverSocket::from(next()?),
            SchedulerChannel::inherit(next()?),
            RequestSocket::inherit(next()?),
        );
        let (worker, ledger) = (Process::adopt(self.worker, next()?), next()?);
        let residency = self
            .residency_rows
            .map(|_| Ok::<_, io::Error>([next()?, next()?, next()?]))
            .transpose()?;
        Ok(Belongings { ways: Ways { handover, control, requests }, worker, ledger, residency })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounting::accounts::Accounts;
    use crate::lease::Part;
    use crate::sharing::scheduler_channel::{Note, Word};
    use std::os::fd::AsRawFd;

    #[test]
    fn a_session_is_what_it_was() {
        let part = Part { gpu: "GPU-1".into(), memory_bytes: 1 << 40, time_ns: 5 };
        let grant = Grant {
            lease: "l".into(),
            fence: u64::MAX,
            key_hash: "h".into(),
            priority: -3,
            parts: vec![part],
            grace_s: None,
        };
        let accounts = Accounts::default();
        accounts.oversubscribe(1, None).unwrap();
        let payer = Payer::Lease(grant.clone());
        let (account, residency) =
            (accounts.open(&payer).unwrap(), accounts.open_residency().unwrap().unwrap());
        let (accounts, scratch) = ((&account, Some(&residency)), Path::new("/tmp/outhaul-0/1/2"));
        let record = Record::of(
            "10.0.0.1:5",
            std::process::id(),
            (&payer, Some(&grant)),
            accounts,
            Some(scratch),
        );
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);

        let worker =
            Process::from(std::process::Command::new("sleep").arg("1000").spawn().unwrap());
        let ((control, other), (handover, _), (requests, _)) = (
            SchedulerChannel::pair().unwrap(),
            HandoverSocket::pair().unwrap(),
            RequestSocket::pair().unwrap(),
        );
        let ways = Ways { handover, control, requests };
        let descriptors = Record::descriptors(&ways, &worker, &account, Some(&residency)).unwrap();
        let copies =
            || descriptors.iter().map(|one| one.try_clone_to_owned().unwrap()).collect::<Vec<_>>();
        let belongings = record.belongings(copies()).unwrap();
        belongings.ways.control.send(&[Note::plain(Word::Report, 7)]).unwrap();
        assert_eq!(other.receive().unwrap().value, 7);
        assert!(
            belongings.residency.is_some()
                && belongings.ledger.as_raw_fd() != account.descriptor().as_raw_fd()
        );
        belongings.worker.kill();
        assert!(worker.status().is_some_and(|status| !status.success()), "it was this one");
        assert!(record.belongings(copies().split_off(1)).is_err(), "one is missing");
        assert!(Record { language: LANGUAGE + 1, ..record }.belongings(copies()).is_err());
    }

    #[test]
    fn a_session_is_found_by_its_name() {
        let name = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255];
        assert_eq!(name_of(&title(&name)), Some(name));
        assert_eq!((name_of("node"), name_of("session x")), (None, None));
    }
}

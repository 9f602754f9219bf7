//! What is kept of a session beyond the listener that began it, with the descriptors that come
//! along.

use crate::accounts::Account;
use crate::control::Control;
use crate::lease::Grant;
use crate::process::Process;
use crate::tenants::Payer;
use outhaul_transport::{HandoverSocket, RequestSocket};
use serde::{Deserialize, Serialize};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// How listener and worker speak with each other. A release that changes it counts on here, and
/// takes over no sessions of others.
const LANGUAGE: u32 = 2;
/// Before the name of a session.
const PREFIX: &str = "session ";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    language: u32,
    pub peer: String,
    pub worker: u32,
    pub payer: Payer,
    /// What its lease grants, on a node that belongs to a pool.
    pub grant: Option<Grant>,
    /// Its rows in the ledgers.
    pub row: usize,
    pub residency_rows: Option<[usize; 3]>,
    pub scratch: Option<PathBuf>,
}

/// The ways to a worker.
pub struct Ways {
    pub handover: HandoverSocket,
    pub control: Control,
    pub requests: RequestSocket,
}

/// What a record is kept with.
pub struct Belongings {
    pub ways: Ways,
    pub worker: Process,
    pub ledger: OwnedFd,
    pub residency: Option<[OwnedFd; 3]>,
}

/// Under which a session is kept.
pub fn title(name: &[u8; 16]) -> String {
    format!("{PREFIX}{:032x}", u128::from_be_bytes(*name))
}

pub fn name_of(title: &str) -> Option<[u8; 16]> {
    u128::from_str_radix(title.strip_prefix(PREFIX)?, 16).ok().map(u128::to_be_bytes)
}

impl Record {
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

    /// None where the worker cannot be held on to.
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

    /// What came along, in the order of `descriptors`.
    pub fn belongings(&self, descriptors: Vec<OwnedFd>) -> io::Result<Belongings> {
        if self.language != LANGUAGE {
            return Err(io::Error::other("its worker is of a release that speaks otherwise"));
        }
        let mut descriptors = descriptors.into_iter();
        let mut next =
            || descriptors.next().ok_or_else(|| io::Error::other("something of it is missing"));
        let (handover, control, requests) = (
            HandoverSocket::from(next()?),
            Control::inherit(next()?),
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
    use crate::accounts::Accounts;
    use crate::control::{Note, Word};
    use crate::lease::Part;
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
            Control::pair().unwrap(),
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

//! The keeper's record of a session: the data and the descriptors with which the next listener
//! continues the session.

use crate::accounting::tenants::Payer;
use crate::lease::Grant;
use crate::pidfd::Process;
use crate::worker::io::worker_fds::WorkerFds;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Version of the protocol between listener and worker. A release that changes the protocol
/// increments this version, and takes over no sessions of other versions.
const LANGUAGE: u32 = 4;
/// Prefix of a session's name in the name of its keeper's item.
const PREFIX: &str = "session ";

/// A session's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    language: u32,
    /// The client's address.
    pub peer: String,
    /// The worker's process id.
    pub worker: u32,
    /// The session's payer.
    pub payer: Payer,
    /// Rights of the session's lease, on a node that belongs to a pool.
    pub grant: Option<Grant>,
    /// The indexes of the session's descriptors.
    fds: WorkerFds<usize>,
    /// The session's folder.
    pub scratch: Option<PathBuf>,
    /// Time for which the session waits for its client after a break.
    pub grace: Duration,
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
    /// Describes a session. Returns the record and the session's descriptors, or None if the worker
    /// has no process descriptor.
    pub fn of<'f>(
        peer: &str,
        worker: &'f Process,
        (payer, grant): (&Payer, Option<&Grant>),
        fds: WorkerFds<BorrowedFd<'f>>,
        (scratch, grace): (Option<&Path>, Duration),
    ) -> Option<(Record, Vec<BorrowedFd<'f>>)> {
        let (mut descriptors, fds) = fds.give();
        descriptors.push(worker.descriptor()?);
        let (peer, payer, grant, scratch) =
            (peer.to_owned(), payer.clone(), grant.cloned(), scratch.map(Path::to_owned));
        let (language, worker) = (LANGUAGE, worker.number());
        let record = Record { language, peer, worker, payer, grant, fds, scratch, grace };
        Some((record, descriptors))
    }

    /// Reads a record. Fails if the record's release has another protocol.
    pub fn read(record: Value) -> io::Result<Record> {
        if record["language"] != LANGUAGE {
            return Err(io::Error::other("its worker belongs to a release with another protocol"));
        }
        Ok(serde_json::from_value(record)?)
    }

    /// Restores the worker, and the descriptors that it shares with its listener, from the
    /// descriptors that `of` returned.
    pub fn adopt(
        &self,
        mut descriptors: Vec<OwnedFd>,
    ) -> io::Result<(Process, WorkerFds<OwnedFd>)> {
        let worker = descriptors.pop().ok_or_else(|| io::Error::other("its worker is missing"))?;
        let fds = self.fds.adopt(descriptors.into_iter().map(Some).collect())?;
        Ok((Process::adopt(self.worker, worker), fds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounting::accounts::{Account, Accounts};
    use crate::lease::LeasePart;
    use crate::sharing::scheduler_channel::{Note, NoteKind, SchedulerChannel};
    use std::os::fd::AsFd;

    #[test]
    fn a_record_restores_its_session() {
        let part = LeasePart { gpu: "GPU-1".into(), memory_bytes: 1 << 40, time_ns: 5 };
        let grant = Grant {
            lease: "l".into(),
            fence: u64::MAX,
            key_hash: "h".into(),
            priority: -3,
            parts: vec![part],
            grace_s: None,
            frames_per_s: None,
        };
        let accounts = Accounts::default();
        accounts.oversubscribe(1, None).unwrap();
        let payer = Payer::Lease(grant.clone());
        let (account, residency) =
            (accounts.open(&payer).unwrap(), accounts.open_residency().unwrap().unwrap());
        let worker =
            Process::from(std::process::Command::new("sleep").arg("1000").spawn().unwrap());
        let (control, other) = SchedulerChannel::pair().unwrap();
        let (stdin, residency) = (std::io::stdin(), residency.each_ref().map(Account::ledger_row));
        let fds = WorkerFds {
            lanes: vec![(stdin.as_fd(), None)],
            handover: stdin.as_fd(),
            scheduler: control.as_fd(),
            requests: stdin.as_fd(),
            ledger: account.ledger_row(),
            residency: Some(residency),
        };
        let scratch = Path::new("/tmp/outhaul-0/1/2");
        let (record, descriptors) = Record::of(
            "10.0.0.1:5",
            &worker,
            (&payer, Some(&grant)),
            fds,
            (Some(scratch), Duration::MAX),
        )
        .unwrap();
        let read = |record| Record::read(serde_json::to_value(record).unwrap());
        assert_eq!(read(&record).unwrap(), record);
        assert!(read(&Record { language: LANGUAGE + 1, ..record.clone() }).is_err());

        let copies =
            || descriptors.iter().map(|one| one.try_clone_to_owned().unwrap()).collect::<Vec<_>>();
        let (adopted, fds) = record.adopt(copies()).unwrap();
        SchedulerChannel::from(fds.scheduler).send(&[Note::plain(NoteKind::Report, 7)]).unwrap();
        assert_eq!(other.receive().unwrap().value, 7);
        assert!(fds.residency.is_some() && fds.ledger.row == account.row() && fds.lanes.len() == 1);
        adopted.kill();
        assert!(worker.status().is_some_and(|status| !status.success()), "it was this one");
        assert!(record.adopt(copies().split_off(1)).is_err(), "one is missing");
    }

    #[test]
    fn a_session_is_found_by_its_name() {
        let name = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255];
        assert_eq!(name_of(&title(&name)), Some(name));
        assert_eq!((name_of("node"), name_of("session x")), (None, None));
    }
}

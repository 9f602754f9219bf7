//! The descriptors that a worker inherits from its listener. Each has a name here and a number in
//! the worker's options. The keeper's record of a session uses the same names for the listener's
//! ends of the sockets.

use crate::accounting::ledger::LedgerRow;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

/// The descriptors of a session's worker, or their positions in the list that the listener passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerFds<F> {
    /// Each lane's socket, and its shared memory or its keys. A keeper's record has only the first
    /// lane's socket, which shows the client's end. Otherwise the lanes belong to the worker alone.
    pub lanes: Vec<(F, Option<F>)>,
    /// The socket through which connections arrive.
    pub handover: F,
    /// The socket for messages about turns.
    pub scheduler: F,
    /// The socket for the worker's requests.
    pub requests: F,
    /// The session's row in its tenant's or lease's ledger.
    pub ledger: LedgerRow<F>,
    /// The session's rows in three ledgers, if memory may move: movable memory, its part on the
    /// devices, and its part in host memory.
    pub residency: Option<[LedgerRow<F>; 3]>,
}

impl<F> WorkerFds<F> {
    /// Converts each descriptor, always in the same order. `convert` receives the descriptor's name
    /// too.
    fn convert<T, E>(
        self,
        mut convert: impl FnMut(&str, F) -> Result<T, E>,
    ) -> Result<WorkerFds<T>, E> {
        let mut lanes = Vec::with_capacity(self.lanes.len());
        for (number, (socket, extra)) in self.lanes.into_iter().enumerate() {
            let socket = convert(&format!("the socket of lane {number}"), socket)?;
            let name = format!("the memory or keys of lane {number}");
            lanes.push((socket, extra.map(|extra| convert(&name, extra)).transpose()?));
        }
        let handover = convert("the handover socket", self.handover)?;
        let scheduler = convert("the scheduler channel", self.scheduler)?;
        let requests = convert("the request socket", self.requests)?;
        let mut row =
            |name, LedgerRow { ledger, row }| Ok(LedgerRow { ledger: convert(name, ledger)?, row });
        let ledger = row("the ledger of its tenant or lease", self.ledger)?;
        let residency = match self.residency {
            Some([movable, resident, host]) => Some([
                row("the ledger of movable memory", movable)?,
                row("the ledger of resident memory", resident)?,
                row("the ledger of host memory", host)?,
            ]),
            None => None,
        };
        Ok(WorkerFds { lanes, handover, scheduler, requests, ledger, residency })
    }
}

impl<'f> WorkerFds<BorrowedFd<'f>> {
    /// Returns the descriptors in order, and each one's position.
    pub fn give(self) -> (Vec<BorrowedFd<'f>>, WorkerFds<usize>) {
        let mut given = Vec::new();
        let Ok(places) = self.convert(|_, fd| {
            given.push(fd);
            Ok::<_, Infallible>(given.len() - 1)
        });
        (given, places)
    }
}

impl WorkerFds<usize> {
    /// Returns the number of descriptors.
    pub fn count(&self) -> usize {
        let mut count = 0;
        let Ok(_) = self.clone().convert(|_, _| {
            count += 1;
            Ok::<_, Infallible>(())
        });
        count
    }

    /// Takes each descriptor from its position. Returns an error if one is missing or left over.
    pub fn adopt(&self, mut given: Vec<Option<OwnedFd>>) -> io::Result<WorkerFds<OwnedFd>> {
        let adopted = self.clone().convert(|name, place| {
            given.get_mut(place).and_then(Option::take).ok_or_else(|| {
                let count = self.count();
                io::Error::other(format!("{name} is missing, descriptor {place} of {count}"))
            })
        })?;
        match given.iter().flatten().count() {
            0 => Ok(adopted),
            left => Err(io::Error::other(format!(
                "{left} descriptors more than its {} have come",
                self.count()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outhaul_wire::limits::LANES_MAX;
    use std::os::fd::AsFd;

    /// Returns the largest set: all lanes in shared memory, on a node that oversubscribes memory.
    fn largest<F: Copy>(fd: F) -> WorkerFds<F> {
        let row = |row| LedgerRow { ledger: fd, row };
        WorkerFds {
            lanes: vec![(fd, Some(fd)); usize::from(LANES_MAX)],
            handover: fd,
            scheduler: fd,
            requests: fd,
            ledger: row(4),
            residency: Some([row(5), row(6), row(7)]),
        }
    }

    #[test]
    fn each_descriptor_arrives_and_one_that_is_missing_is_named() {
        let stdin = std::io::stdin();
        let (given, places) = largest(stdin.as_fd()).give();
        assert_eq!((given.len(), places.count()), (75, 75));
        let text = serde_json::to_string(&places).unwrap();
        assert_eq!(serde_json::from_str::<WorkerFds<usize>>(&text).unwrap(), places);
        let copies =
            || given.iter().map(|fd| Some(fd.try_clone_to_owned().unwrap())).collect::<Vec<_>>();
        let adopted = places.adopt(copies()).unwrap();
        assert!(adopted.lanes.iter().all(|(_, memory)| memory.is_some()));
        assert_eq!(adopted.residency.unwrap().map(|row| row.row), [5, 6, 7]);

        let mut names = Vec::new();
        for missing in 0..given.len() {
            let mut copies = copies();
            copies[missing] = None;
            names.push(places.adopt(copies).err().unwrap().to_string());
        }
        assert!(names[1].contains("the memory or keys of lane 0 is missing"), "{}", names[1]);
        assert!(names[71].contains("the ledger of its tenant"), "{}", names[71]);
        names.dedup();
        assert_eq!(names.len(), given.len());
        let mut fewer = copies();
        fewer.truncate(74);
        let reason = places.adopt(fewer).err().unwrap().to_string();
        assert!(reason.contains("the ledger of host memory is missing"), "{reason}");
        let more =
            places.adopt(copies().into_iter().chain(copies()).collect()).err().unwrap().to_string();
        assert!(more.contains("75 descriptors more than its 75"), "{more}");
    }
}

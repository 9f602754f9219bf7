//! What a node tells the worker that it starts: three words behind `worker` on the command line.
//! Paths are words of their own, since they need not be text.

use crate::cell::Plan;
use outhaul_wire::handshake::KeyShare;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    #[serde(skip)]
    pub library: PathBuf,
    #[serde(skip)]
    pub cache: PathBuf,
    pub lanes: u16,
    /// Of the lanes and of all behind them, from the first lane's on.
    pub descriptors: usize,
    /// The walls around the worker.
    pub cell: Plan,
    pub arena_base: u64,
    /// Whether lanes that came over the network are sealed.
    pub sealed: bool,
    /// How many devices the session's lease is of.
    pub devices: Option<usize>,
    /// The session's row in the ledger of its tenant or lease.
    pub row: usize,
    /// A session whose kernel runs for longer ends.
    pub kernel_limit: Option<Duration>,
    /// For how long a lane waits for another connection where one broke.
    pub grace: Duration,
    /// The client's, for the session's key.
    pub key_share: KeyShare,
    /// Where memory may move: the session's rows in the ledgers of what may, of what lies on the
    /// devices and of what in the host's memory.
    pub residency_rows: Option<[usize; 3]>,
}

impl Options {
    pub fn words(&self) -> Result<[OsString; 3], serde_json::Error> {
        Ok([
            self.library.clone().into(),
            self.cache.clone().into(),
            serde_json::to_string(self)?.into(),
        ])
    }

    pub fn of_words(
        library: PathBuf,
        cache: PathBuf,
        rest: &str,
    ) -> Result<Options, serde_json::Error> {
        Ok(Options { library, cache, ..serde_json::from_str(rest)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Wall;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn a_worker_is_told_what_the_node_means() {
        let no_text = OsString::from_vec(b"/srv/\xff/cache".to_vec());
        let options = Options {
            library: "/usr/lib/libcuda.so.1".into(),
            cache: no_text.into(),
            lanes: 6,
            descriptors: 10,
            cell: Plan { without: vec![Wall::Calls], missing: Vec::new(), tells_refusals: true },
            arena_base: 0x7000_0000_0000,
            sealed: true,
            devices: Some(2),
            row: 3,
            kernel_limit: Some(Duration::from_millis(1500)),
            grace: Duration::from_secs(120),
            key_share: [9; 32],
            residency_rows: Some([4, 5, 6]),
        };
        let [library, cache, rest] = options.words().unwrap();
        assert_eq!(
            Options::of_words(library.into(), cache.into(), rest.to_str().unwrap()).unwrap(),
            options
        );
        assert!(Options::of_words(PathBuf::new(), PathBuf::new(), "{}").is_err());
    }
}

//! The options that a node passes to a worker: three arguments after `worker` on the command line.
//! Paths are separate arguments, because they need not be valid text.

use crate::cell::Plan;
use crate::worker::io::worker_fds::WorkerFds;
use outhaul_wire::handshake::KeyShare;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A worker's options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Path of the driver library.
    #[serde(skip)]
    pub library: PathBuf,
    /// Folder that contains code images.
    #[serde(skip)]
    pub cache: PathBuf,
    /// The numbers of the inherited descriptors.
    pub fds: WorkerFds<usize>,
    /// The walls around the worker.
    pub cell: Plan,
    /// Start address of the first device's arena.
    pub arena_base: u64,
    /// Whether lanes over the network use TLS.
    pub sealed: bool,
    /// Number of devices in the session's lease.
    pub devices: Option<usize>,
    /// Maximum time that a kernel may run; a longer kernel ends the session.
    pub kernel_limit: Option<Duration>,
    /// Frames per second that the session's lease promises, if it does.
    pub frames_per_s: Option<u32>,
    /// How long a lane waits for a new connection after the old one broke.
    pub grace: Duration,
    /// The client's share of the session's key.
    pub key_share: KeyShare,
}

impl Options {
    /// Returns the options as arguments.
    pub fn words(&self) -> Result<[OsString; 3], serde_json::Error> {
        Ok([
            self.library.clone().into(),
            self.cache.clone().into(),
            serde_json::to_string(self)?.into(),
        ])
    }

    /// Reads the options from the arguments.
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
    use crate::accounting::ledger::LedgerRow;
    use crate::cell::Wall;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn a_worker_reads_the_options_that_the_node_wrote() {
        let no_text = OsString::from_vec(b"/srv/\xff/cache".to_vec());
        let options = Options {
            library: "/usr/lib/libcuda.so.1".into(),
            cache: no_text.into(),
            fds: WorkerFds {
                lanes: vec![(0, Some(1)), (2, None)],
                handover: 3,
                scheduler: 4,
                requests: 5,
                ledger: LedgerRow { ledger: 6, row: 8 },
                residency: Some([7, 8, 9].map(|ledger| LedgerRow { ledger, row: 4 })),
            },
            cell: Plan { without: vec![Wall::Calls], missing: Vec::new(), logs_refusals: true },
            arena_base: 0x7000_0000_0000,
            sealed: true,
            devices: Some(2),
            kernel_limit: Some(Duration::from_millis(1500)),
            frames_per_s: Some(90),
            grace: Duration::from_secs(120),
            key_share: [9; 32],
        };
        let [library, cache, rest] = options.words().unwrap();
        assert_eq!(
            Options::of_words(library.into(), cache.into(), rest.to_str().unwrap()).unwrap(),
            options
        );
        assert!(Options::of_words(PathBuf::new(), PathBuf::new(), "{}").is_err());
    }
}

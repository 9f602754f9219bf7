//! The location of a pool's store: in a file or in an etcd.

use crate::address::folders::log_narrowed;
use crate::error::Error;
use outhaul_node::log::log_event;
use outhaul_pool::log::store::{Etcd, EtcdAddress, Sqlite, Store};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Interval between attempts to open a store that does not answer yet.
const OPEN_AGAIN: Duration = Duration::from_millis(500);

/// The location of the store that holds a pool.
#[derive(Clone)]
pub enum StoreLocation {
    File(PathBuf),
    Etcd(EtcdAddress),
}

impl FromStr for StoreLocation {
    type Err = String;

    fn from_str(text: &str) -> Result<StoreLocation, String> {
        if text.starts_with("etcd:") {
            text.parse().map(StoreLocation::Etcd)
        } else {
            Ok(StoreLocation::File(text.into()))
        }
    }
}

impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreLocation::File(path) => write!(f, "{}", path.display()),
            StoreLocation::Etcd(address) => write!(f, "{address}"),
        }
    }
}

impl StoreLocation {
    /// Opens the store. Waits for a store on another machine, because that store may start after
    /// this process.
    pub fn open_in_time(&self) -> Result<Arc<dyn Store>, Error> {
        let mut said = None;
        loop {
            match self.open() {
                Err(error) if matches!(self, StoreLocation::Etcd(_)) => {
                    let words = format!("{error}; waiting for it");
                    if said.as_ref() != Some(&words) {
                        log_event(&words);
                        said = Some(words);
                    }
                    std::thread::sleep(OPEN_AGAIN);
                }
                opened => return opened,
            }
        }
    }

    /// Opens the store.
    pub fn open(&self) -> Result<Arc<dyn Store>, Error> {
        let failed = |error| Error::Pool(outhaul_pool::Error::Store(error));
        match self {
            StoreLocation::File(path) => {
                let refused = |error| Error::Io {
                    doing: format!("cannot keep a pool in {}", path.display()),
                    error,
                };
                if let Some(folder) = path.parent().filter(|name| !name.as_os_str().is_empty()) {
                    outhaul_files::make_folder(folder).map_err(refused)?;
                }
                log_narrowed(&Sqlite::narrow(path).map_err(refused)?);
                Ok(Arc::new(Sqlite::open(path).map_err(failed)?))
            }
            StoreLocation::Etcd(address) => Ok(Arc::new(Etcd::open(address).map_err(failed)?)),
        }
    }
}

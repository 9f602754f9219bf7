//! The folders in which drivers keep compiled code. A driver finds code by what it was compiled
//! from, so a session that writes there decides what others execute. Each tenant and each lease
//! therefore has a folder of its own. All sessions without a tenant share one.

use crate::accounting::tenants::Payer;
use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Name of the variable by which drivers, NVIDIA's and the software GPU, find the folder.
pub const VARIABLE: &str = "CUDA_CACHE_PATH";

/// The folders of a node.
pub struct Compiled {
    base: PathBuf,
    /// Folder of the leases of this node.
    leases: PathBuf,
}

impl Compiled {
    /// Returns the folders of a node, next to the folder of programs that run on this machine
    /// themselves. Returns None if the environment names no folder.
    pub fn of_node(address: SocketAddr) -> Option<Compiled> {
        let named = |variable: &str| {
            std::env::var_os(variable)
                .filter(|value: &OsString| !value.is_empty())
                .map(PathBuf::from)
        };
        let cache =
            || named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")));
        let base = named(VARIABLE)
            .or_else(|| cache().map(|cache| cache.join("outhaul")))?
            .join("sessions");
        Some(Compiled::within(base, address))
    }

    fn within(base: PathBuf, address: SocketAddr) -> Compiled {
        Compiled { leases: base.join(format!("leases-{}", address.port())), base }
    }

    /// Returns the folder of a session's payer. Returns None if it cannot be created; then the
    /// driver keeps no code.
    pub fn folder(&self, payer: &Payer) -> Option<PathBuf> {
        let folder = match payer {
            Payer::Named(name) => self.base.join(format!("tenant-{name}")),
            Payer::Lease(grant) => self.leases.join(Path::new(&grant.lease).file_name()?),
            Payer::Own => self.base.join("unnamed"),
        };
        fs::create_dir_all(&folder).ok().map(|()| folder)
    }

    /// Removes the folders of leases that have ended.
    pub fn forget_leases(&self, holds: impl Fn(&str) -> bool) {
        let found = fs::read_dir(&self.leases).into_iter().flatten().flatten();
        let ended =
            found.filter(|entry| entry.file_name().to_str().is_none_or(|lease| !holds(lease)));
        ended.for_each(|entry| drop(fs::remove_dir_all(entry.path())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::Grant;

    #[test]
    fn each_tenant_and_each_lease_has_a_folder_of_its_own_and_no_name_leads_out() {
        let base = std::env::temp_dir()
            .join(format!("outhaul-compiled-of-sessions-{}", std::process::id()));
        let compiled = Compiled::within(base.clone(), "127.0.0.1:7654".parse().unwrap());
        let lease = |name: &str| {
            Payer::Lease(Grant {
                lease: name.into(),
                fence: 1,
                key_hash: String::new(),
                priority: 0,
                parts: Vec::new(),
                grace_s: None,
            })
        };
        let payers = [
            Payer::Named("a".into()),
            Payer::Named("..".into()),
            lease("a"),
            lease("../b"),
            Payer::Own,
        ];
        let mut folders: Vec<_> = payers
            .iter()
            .map(|payer| compiled.folder(payer).unwrap().canonicalize().unwrap())
            .collect();
        folders.dedup();
        assert!(
            folders.len() == 5
                && folders.iter().all(|folder| folder.starts_with(base.canonicalize().unwrap())),
            "{folders:?}"
        );
        assert_eq!(compiled.folder(&lease("..")), None);
        compiled.forget_leases(|lease| lease == "a");
        assert_eq!(
            folders.iter().map(|folder| folder.exists()).collect::<Vec<_>>(),
            [true, true, true, false, true]
        );
        fs::remove_dir_all(base).unwrap();
    }
}

//! The folders in which drivers keep compiled code. A driver finds code by its source, so a session
//! that writes to a folder decides what other sessions execute from there. Therefore each tenant
//! and each lease has its own folder. All sessions without a tenant share one folder.

use crate::accounting::tenants::Payer;
use outhaul_abi::code::nvrtc_cache;
use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Name of the variable with the folder's path, for NVIDIA's driver and the software GPU.
pub const VARIABLE: &str = "CUDA_CACHE_PATH";

/// A node's folders for compiled code.
pub struct Compiled {
    base: PathBuf,
    /// Folder with the folders of this node's leases.
    leases: PathBuf,
}

impl Compiled {
    /// Returns the node's folders, inside the folder that `CUDA_CACHE_PATH` names, or else in the
    /// user's cache folder. Returns None if the environment names no folder.
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

    /// Returns the folder of a session's payer. Returns None if the folder cannot be created; the
    /// driver then keeps no code.
    pub fn folder(&self, payer: &Payer) -> Option<PathBuf> {
        let folder = match payer {
            Payer::Named(name) => self.base.join(format!("tenant-{name}")),
            Payer::Lease(grant) => self.leases.join(Path::new(&grant.lease).file_name()?),
            Payer::Own => self.base.join("unnamed"),
        };
        outhaul_files::private_folder(&folder, anything).ok()?;
        let inner = folder.join(nvrtc_cache::FOLDER_NAME);
        if inner.is_dir() {
            // An earlier release made it for everybody. The worker's cell forbids changing that.
            let _ = outhaul_files::private_folder(&inner, anything);
        }
        Some(folder)
    }

    /// Removes the folders of leases that have ended.
    pub fn forget_leases(&self, holds: impl Fn(&str) -> bool) {
        let found = fs::read_dir(&self.leases).into_iter().flatten().flatten();
        let ended =
            found.filter(|entry| entry.file_name().to_str().is_none_or(|lease| !holds(lease)));
        ended.for_each(|entry| drop(fs::remove_dir_all(entry.path())));
    }
}

/// The folders of sessions are Outhaul's alone, and drivers choose the names in them.
fn anything(_: &str) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::Grant;
    use outhaul_files::TemporaryFolder;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    #[test]
    fn a_folder_that_an_earlier_release_made_for_everybody_becomes_private() {
        let base = TemporaryFolder::new("compiled").unwrap();
        let inner = base.path().join("unnamed").join(nvrtc_cache::FOLDER_NAME);
        fs::create_dir_all(&inner).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
        let compiled = Compiled::within(base.path().into(), "127.0.0.1:7654".parse().unwrap());
        compiled.folder(&Payer::Own).unwrap();
        assert_eq!(fs::metadata(&inner).unwrap().mode() & 0o777, 0o700);
    }

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
                frames_per_s: None,
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

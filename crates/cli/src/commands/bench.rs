//! `outhaul bench`: hands the bench what it needs of an installation and of a pool's authority.

use crate::error::Error;
use crate::install::InstalledLibrary;
use outhaul_bench::Arguments;
use outhaul_pool::identity::{Authority, Credentials, WallTime};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs `outhaul bench`.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    if arguments.needs_client() {
        InstalledLibrary::Client.find()?;
    }
    Ok(outhaul_bench::execute(arguments, |folder, name| Ok(certify(folder, name)?))?)
}

/// Gives a node a certificate from a temporary authority. Returns the file that identifies the
/// authority.
fn certify(folder: &Path, name: &str) -> Result<PathBuf, outhaul_pool::Error> {
    let now_s = WallTime::of_machine().now_s();
    let authority = folder.join("authority");
    let _ = std::fs::remove_dir_all(&authority);
    Authority::create(&authority, now_s)?.node_credentials(name, now_s)?.save(folder)?;
    let _ = std::fs::remove_dir_all(&authority);
    Ok(Credentials::ca_file(folder))
}

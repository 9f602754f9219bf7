//! `outhaul bench`: checks that the client library is installed, and issues certificates to the
//! bench's nodes.

use crate::error::Error;
use crate::install::InstalledLibrary;
use crate::signals::delete_folders_before_end;
use outhaul_bench::Arguments;
use outhaul_pool::identity::{Authority, Credentials, WallTime};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs `outhaul bench`.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    delete_folders_before_end()?;
    if arguments.needs_client() {
        InstalledLibrary::Client.find()?;
    }
    Ok(outhaul_bench::execute(arguments, |folder, name| Ok(certify(folder, name)?))?)
}

/// Issues a certificate for the node `name` from a temporary authority in `folder`. Returns the
/// file with the authority's certificate.
fn certify(folder: &Path, name: &str) -> Result<PathBuf, outhaul_pool::Error> {
    let now_s = WallTime::of_machine().now_s();
    let authority = folder.join("authority");
    let _ = std::fs::remove_dir_all(&authority);
    Authority::create(&authority, now_s)?.node_credentials(name, now_s)?.save(folder)?;
    let _ = std::fs::remove_dir_all(&authority);
    Ok(Credentials::ca_file(folder))
}

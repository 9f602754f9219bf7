//! Finds the folders in which this machine keeps its users' and nodes' credentials, one folder per
//! pool. Creates HTTP clients that present these credentials.

use crate::address::folders::base;
use crate::address::pool::PoolAddress;
use crate::error::Error;
use outhaul_pool::http::client::Client;
use outhaul_pool::http::joining::renew;
use outhaul_pool::identity::credentials::Proof;
use outhaul_pool::identity::token::unverified;
use outhaul_pool::identity::{Credentials, WallTime};
use outhaul_transport::ca_file;
use outhaul_wire::name::{check_name, spelled};
use std::path::{Path, PathBuf};

/// The file in a pool's folder with the further addresses at which the pool was recognized.
const ADDRESSES: &str = "addresses";

/// Returns the folder in which a new user's credentials in a pool belong.
pub fn new_user_folder(pool: &PoolAddress) -> Result<PathBuf, Error> {
    Ok(of_pool(&base("XDG_CONFIG_HOME", ".config")?.join("outhaul/pools"), pool))
}

/// Returns the folder of the user's credentials in a pool. A token belongs to a pool and not to the
/// address at which the user joined. So this function also finds the folder by another address.
pub fn user_folder(pool: &PoolAddress) -> Result<PathBuf, Error> {
    let named = new_user_folder(pool)?;
    if named.is_dir() {
        return Ok(named);
    }
    let folders = named.parent().map(folders_in).unwrap_or_default();
    Ok(at_another_address(&folders, pool)?.unwrap_or(named))
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// Finds the joined pool that answers at an address under which nobody joined. The server there
/// must prove its name with a certificate of that pool, before it gets to see any token. The
/// folder remembers the address, and each later connection demands the same proof.
fn at_another_address(folders: &[PathBuf], pool: &PoolAddress) -> Result<Option<PathBuf>, Error> {
    let address = pool.to_string();
    let has = |folder: &&PathBuf| {
        let known = std::fs::read_to_string(folder.join(ADDRESSES)).unwrap_or_default();
        known.lines().any(|known| known == address)
    };
    if let Some(known) = folders.iter().find(has) {
        return Ok(Some(known.clone()));
    }
    let mut obstacle = None;
    for folder in folders {
        let Ok(ca_pem) = std::fs::read_to_string(Credentials::ca_file(folder)) else { continue };
        match Client::knowing(&address, &ca_pem)?.get::<String>("/v1/identity") {
            Ok(_) => {
                // If this fails, the next command asks again.
                let _ = remember(&folder.join(ADDRESSES), &address);
                return Ok(Some(folder.clone()));
            }
            // A server of another pool says nothing about this one.
            Err(error) if error.is_of_another_pool() => {}
            Err(error) => obstacle = Some(error),
        }
    }
    obstacle.map_or(Ok(None), |error| Err(error.into()))
}

/// Returns the folder of this machine's credentials as a node in a pool.
pub fn node_folder(pool: &PoolAddress) -> Result<PathBuf, Error> {
    Ok(of_pool(&base("XDG_STATE_HOME", ".local/state")?.join("outhaul/node"), pool))
}

/// Adds a line to a private file.
fn remember(file: &Path, line: &str) -> std::io::Result<()> {
    let known = std::fs::read_to_string(file).unwrap_or_default();
    outhaul_files::write_private(file, format!("{known}{line}\n").as_bytes())
}

/// Returns the folder below `folder` that holds the credentials for `pool`. Any of the pool's
/// processes may have issued them, so this function tries each process's folder.
fn of_pool(folder: &Path, pool: &PoolAddress) -> PathBuf {
    let mut known = pool.processes().map(|process| folder.join(process.as_folder()));
    known.find(|known| known.is_dir()).unwrap_or_else(|| folder.join(pool.as_folder()))
}

/// Returns the user's credentials, if any. Renews them first if more than half of the token's
/// lifetime has passed.
pub fn of_user(pool: &PoolAddress) -> Result<Option<Credentials>, Error> {
    let folder = user_folder(pool)?;
    let Some(credentials) = Credentials::load(&folder)? else { return Ok(None) };
    let Proof::Token(token) = &credentials.proof else { return Ok(Some(credentials)) };
    let (claims, now_s) = (unverified(token)?, WallTime::of_machine().now_s());
    let old = now_s.saturating_sub(claims.issued_s) * 2
        > claims.expires_s.saturating_sub(claims.issued_s);
    if !old {
        return Ok(Some(credentials));
    }
    // If renewal fails, the old credentials remain valid until they expire.
    let renewed =
        renew(&pool.to_string(), &credentials).ok().filter(|renewed| renewed.save(&folder).is_ok());
    Ok(Some(renewed.unwrap_or(credentials)))
}

impl PoolAddress {
    /// Returns a client that presents the user's credentials. Without an identity, the pool gets
    /// only the user's name on this machine.
    pub fn client(&self) -> Result<Client, Error> {
        if !self.is_secure() {
            return Ok(Client::new(&self.to_string(), &user()?));
        }
        let credentials = of_user(self)?.ok_or_else(|| Error::NotJoined(self.to_string()))?;
        Ok(Client::of(&self.to_string(), &credentials)?)
    }

    /// Returns a client that presents the lease's `credential`. This credential suffices, even if
    /// the user has not joined the pool.
    pub fn holder(&self, credential: &str) -> Result<Client, Error> {
        if !self.is_secure() || of_user(self)?.is_some() {
            return Ok(self.client()?.holding(credential));
        }
        let file = ca_file()
            .filter(|file| !file.as_os_str().is_empty())
            .ok_or_else(|| Error::NotJoined(self.to_string()))?;
        let ca_pem = std::fs::read_to_string(&file).map_err(|error| Error::Io {
            doing: format!("cannot read the pool's certificate {}", file.display()),
            error,
        })?;
        Ok(Client::knowing(&self.to_string(), &ca_pem)?.holding(credential))
    }

    /// Returns the file with the certificate that identifies the pool's nodes, if the pool has an
    /// identity.
    pub fn ca_file(&self) -> Result<Option<PathBuf>, Error> {
        if self.is_secure() {
            Ok(Some(Credentials::ca_file(&user_folder(self)?)))
        } else {
            Ok(None)
        }
    }
}

/// Returns the user's name on this machine, spelled as the pool accepts it.
fn user() -> Result<String, Error> {
    let variables = ["USER", "LOGNAME"].into_iter();
    let name = variables.filter_map(std::env::var_os).find(|name| !name.is_empty());
    // Services and containers often run without these variables.
    let Some(name) = name else { return Ok("anonymous".to_owned()) };
    let name = spelled(&name.to_string_lossy());
    check_name("user", &name).map_err(|error| Error::UserName(error.to_string()))?;
    Ok(name)
}

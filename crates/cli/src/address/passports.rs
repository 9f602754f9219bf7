//! Where this machine keeps the passports of its users and nodes: a folder per pool.

use crate::address::pool::PoolAddress;
use crate::error::Error;
use outhaul_pool::identity::joining::renew;
use outhaul_pool::identity::passport::Proof;
use outhaul_pool::identity::token::unverified;
use outhaul_pool::identity::{Passport, WallTime};
use std::path::{Path, PathBuf};

/// The folder of the user's passport in a pool.
pub fn user_folder(pool: &PoolAddress) -> Result<PathBuf, Error> {
    Ok(of_pool(&base("XDG_CONFIG_HOME", ".config")?.join("outhaul/pools"), pool))
}

/// The folder of this machine's passport as a node in a pool.
pub fn node_folder(pool: &PoolAddress) -> Result<PathBuf, Error> {
    Ok(of_pool(&base("XDG_STATE_HOME", ".local/state")?.join("outhaul/node"), pool))
}

/// A passport belongs to the pool, whichever of its processes issued it.
fn of_pool(folder: &Path, pool: &PoolAddress) -> PathBuf {
    let mut known = pool.processes().map(|process| folder.join(process.as_folder()));
    known.find(|known| known.is_dir()).unwrap_or_else(|| folder.join(pool.as_folder()))
}

pub fn base(variable: &'static str, otherwise: &str) -> Result<PathBuf, Error> {
    let folder = |variable: &str| {
        std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    folder(variable)
        .or_else(|| folder("HOME").map(|home| home.join(otherwise)))
        .ok_or(Error::NoFolder(variable))
}

/// The user's passport; renewed if half of its token's life is over.
pub fn of_user(pool: &PoolAddress) -> Result<Option<Passport>, Error> {
    let folder = user_folder(pool)?;
    let Some(passport) = Passport::load(&folder)? else { return Ok(None) };
    let Proof::Token(token) = &passport.proof else { return Ok(Some(passport)) };
    let (claims, now_s) = (unverified(token)?, WallTime::of_machine().now_s());
    let old = now_s.saturating_sub(claims.issued_s) * 2
        > claims.expires_s.saturating_sub(claims.issued_s);
    if !old {
        return Ok(Some(passport));
    }
    // If renewal fails, the old passport is good until it expires.
    let renewed =
        renew(&pool.to_string(), &passport).ok().filter(|renewed| renewed.save(&folder).is_ok());
    Ok(Some(renewed.unwrap_or(passport)))
}

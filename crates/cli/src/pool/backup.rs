//! `outhaul pool backup` and `outhaul pool restore`: save a pool's contents to a file, and load
//! them. The running pool writes the file, because a copy of its store's file would lack the last
//! writes.

use crate::address::destination::PoolOption;
use crate::error::Error;
use crate::pool::authority::default_store;
use crate::pool::store_location::StoreLocation;
use crate::quantity::counted;
use outhaul_pool::log::backup;
use outhaul_pool::log::backup::Contents;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

/// Write all data of a running pool to a file: nodes, leases, the queue, quotas, bills, and its
/// log. Only operators may do this. The file does not contain the pool's identity: copy the
/// identity's folder too.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul pool backup pool-2026-11-25.backup --pool https://pool.example.org:7653
  outhaul pool restore pool-2026-11-25.backup --store /var/lib/outhaul/pool.sqlite    with no pool \
  running there")]
pub struct Backup {
    /// File to write. The command replaces an existing file once the new one is complete.
    file: PathBuf,
    #[command(flatten)]
    pool: PoolOption,
}

/// Fill an empty store from a backup. Programs that kept running continue if the backup has their
/// leases. Leases that the backup lacks end.
#[derive(clap::Args)]
pub struct Restore {
    /// File that `outhaul pool backup` wrote.
    file: PathBuf,
    /// Store to fill: a file, or an etcd [default: ~/.local/state/outhaul/pool.sqlite].
    #[arg(long, value_name = "FILE|etcd://HOST:PORT[,...][/PREFIX]")]
    store: Option<StoreLocation>,
}

fn failed(doing: &str, path: &Path) -> impl Fn(std::io::Error) -> Error {
    let doing = format!("cannot {doing} {}", path.display());
    move |error| Error::Io { doing: doing.clone(), error }
}

fn open(path: &Path) -> Result<BufReader<File>, Error> {
    File::open(path).map(BufReader::new).map_err(failed("read", path))
}

fn describe(contents: &Contents) -> String {
    let Contents { head, nodes, leases } = contents;
    format!(
        "{} and {}, held or waiting, as of entry {head} of the log",
        counted(nodes, "node"),
        counted(leases, "lease")
    )
}

impl Backup {
    /// Runs the command.
    pub fn execute(self) -> Result<(), Error> {
        let mut partial = self.file.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let client = self.pool.client()?;
        let mut out = BufWriter::new(File::create(&partial).map_err(failed("write", &partial))?);
        client.download("/v1/backup", &mut out)?;
        let file =
            out.into_inner().map_err(|error| failed("write", &partial)(error.into_error()))?;
        file.sync_all().map_err(failed("write", &partial))?;
        let contents = backup::check(open(&partial)?)?;
        std::fs::rename(&partial, &self.file).map_err(failed("write", &self.file))?;
        println!(
            "outhaul: {}: {}; the pool's identity is not in it",
            self.file.display(),
            describe(&contents)
        );
        Ok(())
    }
}

impl Restore {
    /// Runs the command.
    pub fn execute(self) -> Result<(), Error> {
        let place = self.store.map_or_else(|| default_store().map(StoreLocation::File), Ok)?;
        let contents = backup::restore(place.open()?, open(&self.file)?)?;
        println!("outhaul: the pool in {place} has {}", describe(&contents));
        Ok(())
    }
}

//! `outhaul pool backup` and `outhaul pool restore`: save a pool's contents to a file, and load
//! them. The running pool writes the file, because a copy of its store's file would lack the last
//! writes.

use crate::address::destination::PoolOption;
use crate::error::Error;
use crate::pool::authority::default_store;
use crate::pool::store_location::StoreLocation;
use crate::quantity::counted;
use outhaul_files::Replacement;
use outhaul_pool::http::client::Client;
use outhaul_pool::log::backup::{self, Contents};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

/// The name of standard input and standard output.
const STANDARD: &str = "-";

/// Write all data of a running pool to a file: nodes, leases, the queue, quotas, bills, and its
/// log. Only operators may do this. The file does not contain the pool's identity: copy the
/// identity's folder too. Only the file's owner can read it, and a checksum shows any damage.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul pool backup pool-2026-11-25.backup --pool https://pool.example.org:7653
  outhaul pool restore pool-2026-11-25.backup --store /var/lib/outhaul/pool.sqlite    with no pool \
  running there")]
pub struct Backup {
    /// File to write, or `-` for standard output. The command replaces an existing regular file
    /// once the new one is complete. It refuses links, pipes and devices.
    file: PathBuf,
    #[command(flatten)]
    pool: PoolOption,
}

/// Fill an empty store from a backup. Programs that kept running continue if the backup has their
/// leases. Leases that the backup lacks end.
#[derive(clap::Args)]
pub struct Restore {
    /// File that `outhaul pool backup` wrote, or `-` for standard input.
    file: PathBuf,
    /// Accept a backup of an earlier build, which has no checksum. Damage in it may go unnoticed.
    #[arg(long)]
    without_checksum: bool,
    /// Store to fill: a file, or an etcd [default: ~/.local/state/outhaul/pool.sqlite].
    #[arg(long, value_name = "FILE|etcd://HOST:PORT[,...][/PREFIX]")]
    store: Option<StoreLocation>,
}

fn failed(doing: &str, path: &Path) -> impl Fn(std::io::Error) -> Error {
    let doing = format!("cannot {doing} {}", path.display());
    move |error| Error::Io { doing: doing.clone(), error }
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Error> {
    if path == Path::new(STANDARD) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let is_regular = path.metadata().map_err(failed("read", path))?.is_file();
    if !is_regular {
        let reason = "it is not a regular file; use - to read it from standard input";
        let error = io::Error::new(io::ErrorKind::InvalidInput, reason);
        return Err(failed("read", path)(error));
    }
    let file = File::open(path).map_err(failed("read", path))?;
    Ok(Box::new(BufReader::new(file)))
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
        let without = "the pool's identity is not in it";
        let client = self.pool.client()?;
        if self.file == Path::new(STANDARD) {
            eprintln!("outhaul: {}; {without}", describe(&write_out(&client)?));
        } else {
            let contents = describe(&replace(&client, &self.file)?);
            println!("outhaul: {}: {contents}; {without}", self.file.display());
        }
        Ok(())
    }
}

/// Writes a checked backup to a file.
fn replace(client: &Client, path: &Path) -> Result<Contents, Error> {
    let write_failed = failed("write", path);
    let mut file = Replacement::private(path).map_err(|error| {
        let reason = format!("{error}, or - for standard output");
        match error.kind() {
            io::ErrorKind::InvalidInput => write_failed(io::Error::new(error.kind(), reason)),
            _ => write_failed(error),
        }
    })?;
    let contents = download(client, file.file(), path)?;
    file.commit().map_err(write_failed)?;
    Ok(contents)
}

/// Writes a checked backup to standard output.
fn write_out(client: &Client) -> Result<Contents, Error> {
    let place = Path::new("a temporary file");
    let mut file = outhaul_files::temporary_file().map_err(failed("make", place))?;
    let contents = download(client, &mut file, place)?;
    let mut out = io::stdout().lock();
    let copied =
        file.rewind().and_then(|()| io::copy(&mut file, &mut out)).and_then(|_| out.flush());
    copied.map_err(failed("write", Path::new("standard output")))?;
    Ok(contents)
}

/// Downloads a backup into an empty file, and checks what is there then.
fn download(client: &Client, file: &mut File, path: &Path) -> Result<Contents, Error> {
    let mut out = BufWriter::new(&*file);
    client.download("/v1/backup", &mut out)?;
    out.into_inner().map_err(|error| failed("write", path)(error.into_error()))?;
    file.rewind().map_err(failed("read", path))?;
    let backup = backup::Backup::read(BufReader::new(&*file))?;
    if !backup.has_checksum {
        eprintln!("outhaul: the pool is of an earlier release, and its backup has no checksum");
    }
    Ok(backup.contents())
}

impl Restore {
    /// Runs the command.
    pub fn execute(self) -> Result<(), Error> {
        let place = self.store.map_or_else(|| default_store().map(StoreLocation::File), Ok)?;
        let backup = backup::Backup::read(open(&self.file)?)?;
        if !backup.has_checksum && !self.without_checksum {
            return Err(Error::BackupWithoutChecksum(self.file));
        }
        let contents = backup.contents();
        backup.restore(place.open()?)?;
        println!("outhaul: the pool in {place} has {}", describe(&contents));
        Ok(())
    }
}

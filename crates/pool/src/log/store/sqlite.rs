//! The embedded store: one SQLite file, for one pool process at a time. Every completed write is on
//! disk.

use super::interface::{Store, Versioned};
use crate::error::StoreError;
use outhaul_lock::{Condvar, Mutex};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const SCHEMA: &str = "
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS value (key TEXT PRIMARY KEY, version INTEGER NOT NULL, bytes BLOB \
    NOT NULL) WITHOUT ROWID;
    DROP TABLE IF EXISTS name;";

/// The endings of the store's files: the database, and the files that SQLite adds to it.
const ENDINGS: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// A store in a SQLite file.
pub struct Sqlite {
    file: Mutex<File>,
    changed: Condvar,
}

struct File {
    database: Connection,
    version: u64,
}

impl Sqlite {
    /// Opens or creates the file and locks it for this process.
    ///
    /// # Errors
    /// The file is not a pool's, another process has locked it, or the disk cannot be written.
    pub fn open(path: &Path) -> Result<Sqlite, StoreError> {
        let described = |error: rusqlite::Error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy) => StoreError(format!(
                "{} belongs to another pool that is running; end that pool, or give this one its \
                own file with --store",
                path.display()
            )),
            _ => StoreError(format!("{}: {error}", path.display())),
        };
        let failed = |error: io::Error| StoreError(format!("{}: {error}", path.display()));
        Sqlite::narrow(path).map_err(failed)?;
        // SQLite gives its other files the permissions of this one.
        outhaul_files::claim(path).map_err(failed)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let database =
            Connection::open_with_flags(whole(path).map_err(failed)?, flags).map_err(described)?;
        // Another process keeps its lock for as long as it runs, so waiting would not help.
        database.busy_timeout(Duration::ZERO).map_err(described)?;
        database.execute_batch(SCHEMA).map_err(described)?;
        let version = database
            .query_row("SELECT coalesce(max(version), 0) FROM value", [], |row| row.get(0))
            .map_err(described)?;
        Ok(Sqlite { file: Mutex::new(File { database, version }), changed: Condvar::new() })
    }

    /// Makes sure that only this user can read the store's files. Returns the files that others
    /// could read before.
    ///
    /// # Errors
    /// The store's folder or a file belongs to another user, others can write to it, or the store
    /// is not a regular file.
    pub fn narrow(path: &Path) -> io::Result<Vec<PathBuf>> {
        outhaul_files::check_state_folder(folder(path))?;
        let mut narrowed = Vec::new();
        for ending in ENDINGS {
            let mut file = path.as_os_str().to_owned();
            file.push(ending);
            if outhaul_files::narrow(file.as_ref())? {
                narrowed.push(file.into());
            }
        }
        Ok(narrowed)
    }

    fn file(&self) -> outhaul_lock::MutexGuard<'_, File> {
        self.file.lock()
    }
}

/// Returns the folder of a store's file.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the file's path without links in its folder, because SQLite refuses links there too.
fn whole(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(folder(path).canonicalize()?.join(name))
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        StoreError(error.to_string())
    }
}

impl Store for Sqlite {
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError> {
        let file = self.file();
        let mut query =
            file.database.prepare_cached("SELECT version, bytes FROM value WHERE key = ?1")?;
        Ok(query.query_row([key], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    }

    fn list(
        &self,
        prefix: &str,
        from: &str,
        max: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let file = self.file();
        let from = if from < prefix { prefix } else { from };
        let mut query = file
            .database
            .prepare_cached("SELECT key, bytes FROM value WHERE key >= ?1 ORDER BY key LIMIT ?2")?;
        let rows = query.query_map(params![from, max as i64], |row| {
            Ok((row.get::<_, String>(0)?, row.get(1)?))
        })?;
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        Ok(rows.into_iter().take_while(|(key, _)| key.starts_with(prefix)).collect())
    }

    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError> {
        let mut file = self.file();
        let version = file.version + 1;
        let changed = if expected == 0 {
            let insert = "INSERT INTO value (key, version, bytes) VALUES (?1, ?2, ?3) ON CONFLICT \
            (key) DO NOTHING";
            file.database.prepare_cached(insert)?.execute(params![key, version, value])?
        } else {
            let update =
                "UPDATE value SET version = ?2, bytes = ?3 WHERE key = ?1 AND version = ?4";
            file.database.prepare_cached(update)?.execute(params![key, version, value, expected])?
        };
        if changed > 0 {
            file.version = version;
            self.changed.notify_all();
        }
        Ok(changed > 0)
    }

    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError> {
        let delete = "DELETE FROM value WHERE key >= ?1 AND key < ?2";
        self.file().database.prepare_cached(delete)?.execute([prefix, end])?;
        Ok(())
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        let mut file = self.file();
        let version = file.version + 1;
        let replace = "INSERT OR REPLACE INTO value (key, version, bytes) VALUES (?1, ?2, ?3)";
        file.database.prepare_cached(replace)?.execute(params![key, version, value])?;
        file.version = version;
        self.changed.notify_all();
        Ok(())
    }

    fn is_shared(&self) -> bool {
        false
    }

    /// Returns after any write, whatever its prefix.
    fn watch(&self, _: &str, seen: u64, patience: Duration) -> Result<u64, StoreError> {
        let waiting =
            self.changed.wait_timeout_while(self.file(), patience, |file| file.version <= seen);
        Ok(waiting.0.version)
    }
}

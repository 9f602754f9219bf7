//! The embedded store: one SQLite file, for one pool process at a time. Every completed write is on
//! disk.

use super::interface::{Store, Versioned};
use crate::error::StoreError;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
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

/// The ending of the file that has the latest changes.
const LATEST: &str = "-wal";

/// A store in a SQLite file.
pub struct Sqlite {
    path: PathBuf,
    /// The file's device and number, by which the store notices that the file was replaced.
    identity: (u64, u64),
    file: Mutex<File>,
    changed: Condvar,
}

struct File {
    database: Connection,
    version: u64,
    /// The identity and the size of the file with the latest changes, as this process left it. The
    /// file never shrinks while the process has it open.
    latest: ((u64, u64), u64),
    /// Set once SQLite has found damage: writing to the file could make it worse.
    damage: Option<StoreError>,
}

impl Sqlite {
    /// Opens or creates the file and locks it for this process.
    ///
    /// # Errors
    /// The file is not a pool's, another process has locked it, or the disk cannot be written.
    pub fn open(path: &Path) -> Result<Sqlite, StoreError> {
        let described = |error: rusqlite::Error| described(path, &error);
        let failed = |error: io::Error| StoreError::Taken(format!("{}: {error}", path.display()));
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
        let identity = identity(path).map_err(|error| {
            StoreError::Unwritable(format!("{}: {error}; make it accessible", path.display()))
        })?;
        let latest = latest(path).map_err(|(error, path)| {
            StoreError::Unwritable(format!("{}: {error}; make it accessible", path.display()))
        })?;
        let file = Mutex::new(File { database, version, latest, damage: None });
        Ok(Sqlite { path: path.to_owned(), identity, file, changed: Condvar::new() })
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
            let file = beside(path, ending);
            if outhaul_files::narrow(&file)? {
                narrowed.push(file);
            }
        }
        Ok(narrowed)
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock()
    }

    /// Reads from the file.
    fn ask<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>,
    ) -> Result<T, StoreError> {
        let mut file = self.file();
        let answer = read(&file.database);
        answer.map_err(|error| self.noted(&mut file, &error))
    }

    /// Writes to the file, unless what is written would be lost. `write` gets the next version,
    /// and returns whether it has written.
    fn change(
        &self,
        write: impl FnOnce(&Connection, u64) -> Result<bool, rusqlite::Error>,
    ) -> Result<bool, StoreError> {
        let mut file = self.file();
        if let Some(damage) = &file.damage {
            return Err(damage.clone());
        }
        self.check_place(&file)?;
        let version = file.version + 1;
        let answer = write(&file.database, version);
        let has_written = answer.map_err(|error| self.noted(&mut file, &error))?;
        if let Ok((identity, bytes)) = latest(&self.path)
            && identity == file.latest.0
        {
            file.latest.1 = bytes.max(file.latest.1);
        }
        if has_written {
            file.version = version;
            self.changed.notify_all();
        }
        Ok(has_written)
    }

    /// Checks that the open files are still the ones at their paths, and whole. If they are not,
    /// whatever this process writes is lost when the process ends.
    fn check_place(&self, file: &File) -> Result<(), StoreError> {
        let what = |error: io::Error| match error.kind() {
            ErrorKind::NotFound => "was deleted".to_owned(),
            _ => format!("is no longer accessible ({error})"),
        };
        let (path, what) = match (identity(&self.path), latest(&self.path)) {
            (Err(error), _) => (self.path.clone(), what(error)),
            (Ok(identity), _) if identity != self.identity => {
                (self.path.clone(), "was replaced".to_owned())
            }
            (_, Err((error, path))) => (path, what(error)),
            (_, Ok((identity, bytes))) if identity == file.latest.0 && bytes >= file.latest.1 => {
                return Ok(());
            }
            (_, Ok((identity, _))) => {
                let what = if identity == file.latest.0 { "was cut" } else { "was replaced" };
                (beside(&self.path, LATEST), what.to_owned())
            }
        };
        Err(StoreError::Unwritable(format!(
            "{} {what} while the pool runs; only this process still has its contents: save them \
            with `outhaul pool backup FILE`, end the pool, remove what is there now, and use \
            `outhaul pool restore FILE`",
            path.display()
        )))
    }

    fn noted(&self, file: &mut File, error: &rusqlite::Error) -> StoreError {
        let error = described(&self.path, error);
        if matches!(error, StoreError::Damaged(_)) {
            file.damage = Some(error.clone());
        }
        error
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

/// Returns the device and the number of a file.
fn identity(path: &Path) -> Result<(u64, u64), std::io::Error> {
    let file = std::fs::metadata(path)?;
    Ok((file.dev(), file.ino()))
}

/// Returns the path of the file with this ending.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut file = path.as_os_str().to_owned();
    file.push(ending);
    file.into()
}

/// Returns the identity and the size of the file with the latest changes, or its path with an
/// error.
fn latest(path: &Path) -> Result<((u64, u64), u64), (io::Error, PathBuf)> {
    let file = beside(path, LATEST);
    match std::fs::symlink_metadata(&file) {
        Ok(found) => Ok(((found.dev(), found.ino()), found.len())),
        Err(error) => Err((error, file)),
    }
}

/// Says what SQLite's error means for the store, and what to do.
fn described(path: &Path, error: &rusqlite::Error) -> StoreError {
    let path = path.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy) => StoreError::Taken(format!(
            "{path} belongs to another pool that is running; end that pool, or give this one its \
            own file with --store"
        )),
        Some(ErrorCode::NotADatabase) => StoreError::Damaged(format!(
            "{path} does not begin like a pool's store (if it is another file, name the store with \
            --store)"
        )),
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged(format!("{path}: {error}")),
        Some(ErrorCode::DiskFull) => {
            StoreError::Unwritable(format!("{path}: its disk is full; make room there"))
        }
        Some(ErrorCode::ReadOnly) => StoreError::Unwritable(format!(
            "{path} is read-only; make the file, its folder and its file system writable"
        )),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => StoreError::Unwritable(
            format!("{path}: {error}; let the pool's user read and write the file and its folder"),
        ),
        Some(ErrorCode::SystemIoFailure) => StoreError::Unwritable(format!(
            "{path}: {error}; see whether its file system is read-only or its disk fails: the \
            kernel's log says so"
        )),
        _ => StoreError::NoAnswer(format!("{path}: {error}")),
    }
}

impl Store for Sqlite {
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError> {
        self.ask(|database| {
            let select = "SELECT version, bytes FROM value WHERE key = ?1";
            let mut query = database.prepare_cached(select)?;
            query.query_row([key], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        })
    }

    fn list(
        &self,
        prefix: &str,
        from: &str,
        max: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let from = if from < prefix { prefix } else { from };
        // The end keeps SQLite from reading the large values that follow the log.
        let end = format!("{prefix}{}", char::MAX);
        self.ask(|database| {
            let select =
                "SELECT key, bytes FROM value WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT ?3";
            let mut query = database.prepare_cached(select)?;
            let rows = query.query_map(params![from, end, max as i64], |row| {
                Ok((row.get::<_, String>(0)?, row.get(1)?))
            })?;
            rows.collect()
        })
    }

    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError> {
        self.change(|database, version| {
            let changed = if expected == 0 {
                let insert = "INSERT INTO value (key, version, bytes) VALUES (?1, ?2, ?3) ON \
                CONFLICT (key) DO NOTHING";
                database.prepare_cached(insert)?.execute(params![key, version, value])?
            } else {
                let update =
                    "UPDATE value SET version = ?2, bytes = ?3 WHERE key = ?1 AND version = ?4";
                database.prepare_cached(update)?.execute(params![key, version, value, expected])?
            };
            Ok(changed > 0)
        })
    }

    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError> {
        let delete = "DELETE FROM value WHERE key >= ?1 AND key < ?2";
        self.ask(|database| database.prepare_cached(delete)?.execute([prefix, end]).map(drop))
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.change(|database, version| {
            let replace = "INSERT OR REPLACE INTO value (key, version, bytes) VALUES (?1, ?2, ?3)";
            database.prepare_cached(replace)?.execute(params![key, version, value])?;
            Ok(true)
        })
        .map(drop)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the path of a new store's file in a folder of its own.
    fn file(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("outhaul-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder.join("pool.sqlite")
    }

    fn remove(file: &Path) {
        std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }

    fn error<T>(answer: Result<T, StoreError>) -> StoreError {
        answer.err().expect("the store answers")
    }

    #[test]
    fn a_full_disk_is_named_and_the_store_works_again_with_room() {
        let path = file("full");
        let store = Sqlite::open(&path).unwrap();
        store.put("k", b"v").unwrap();
        let limit = |pages: u32| {
            store.file().database.pragma_update(None, "max_page_count", pages).unwrap();
        };
        limit(1);
        let full = error(store.put("large", &[7; 1 << 16]));
        assert!(matches!(&full, StoreError::Unwritable(why) if why.contains("disk is full")));
        assert!(full.to_string().contains("pool.sqlite"), "{full}");
        limit(1 << 20);
        store.put("large", &[7; 1 << 16]).unwrap();
        remove(&path);
    }

    #[test]
    fn a_file_that_was_deleted_or_replaced_takes_no_more_and_can_be_read() {
        let path = file("gone");
        let store = Sqlite::open(&path).unwrap();
        store.put("k", b"v").unwrap();
        std::fs::rename(&path, path.with_extension("moved")).unwrap();
        let words = error(store.swap("new", 0, b"v")).to_string();
        assert!(words.contains("was deleted") && words.contains("outhaul pool backup"), "{words}");
        std::fs::write(&path, b"").unwrap();
        let words = error(store.put("k", b"w")).to_string();
        assert!(words.contains("was replaced"), "{words}");
        assert_eq!(store.read("k").unwrap().unwrap().1, b"v");
        std::fs::rename(path.with_extension("moved"), &path).unwrap();
        store.put("k", b"w").unwrap();
        remove(&path);
    }

    #[test]
    fn the_file_with_the_latest_changes_counts_too() {
        let path = file("latest");
        let store = Sqlite::open(&path).unwrap();
        store.put("k", &[7; 1 << 16]).unwrap();
        let (latest, moved) = (beside(&path, LATEST), path.with_extension("moved"));
        let words = || error(store.put("k", b"w")).to_string();
        std::fs::rename(&latest, &moved).unwrap();
        assert!(words().contains("pool.sqlite-wal was deleted"), "{}", words());
        std::fs::write(&latest, b"").unwrap();
        assert!(words().contains("pool.sqlite-wal was replaced"), "{}", words());
        std::fs::rename(&moved, &latest).unwrap();
        store.put("k", b"v").unwrap();
        let whole = std::fs::read(&latest).unwrap();
        std::fs::OpenOptions::new().write(true).open(&latest).unwrap().set_len(100).unwrap();
        assert!(words().contains("pool.sqlite-wal was cut"), "{}", words());
        std::fs::write(&latest, whole).unwrap();
        (0..20).for_each(|_| store.put("k", &[8; 1 << 19]).unwrap());
        drop(store);
        // Reopening a store that was closed well, and one whose process was killed.
        for is_killed in [false, true] {
            let store = Sqlite::open(&path).unwrap();
            store.put("k", b"again").unwrap();
            if is_killed {
                let copy = path.with_extension("copy");
                std::fs::copy(&path, &copy).unwrap();
                std::fs::copy(&latest, beside(&copy, LATEST)).unwrap();
                drop(store);
                let store = Sqlite::open(&copy).unwrap();
                assert_eq!(store.read("k").unwrap().unwrap().1, b"again");
                store.put("k", b"more").unwrap();
            }
        }
        remove(&path);
    }

    #[test]
    fn a_list_reads_no_values_beyond_its_prefix() {
        let path = file("list");
        let store = Sqlite::open(&path).unwrap();
        for key in ["log/1", "log/2"] {
            store.put(key, key.as_bytes()).unwrap();
        }
        // Reading this one fails, as reading any large one takes long.
        let text = "INSERT INTO value (key, version, bytes) VALUES ('snapshot', 9, 'a text')";
        store.file().database.execute(text, []).unwrap();
        assert!(store.read("snapshot").is_err());
        let keys = |from: &str, max| -> Vec<String> {
            store.list("log/", from, max).unwrap().into_iter().map(|(key, _)| key).collect()
        };
        assert_eq!(keys("log/", 9), ["log/1", "log/2"]);
        assert_eq!((keys("log/2", 9).len(), keys("", 1).len(), keys("log/3", 9).len()), (1, 1, 0));
        remove(&path);
    }

    #[test]
    fn a_damaged_file_is_said_to_be_damaged_and_is_not_written() {
        let path = file("damaged");
        std::fs::write(&path, [b'x'; 8192]).unwrap();
        let words = error(Sqlite::open(&path)).to_string();
        assert!(words.contains("damaged") && words.contains("outhaul pool restore"), "{words}");
        std::fs::remove_file(&path).unwrap();
        let store = Sqlite::open(&path).unwrap();
        (0..64).for_each(|key| store.put(&format!("{key}"), &[key; 1000]).unwrap());
        drop(store);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[4096..].fill(0xa5);
        std::fs::write(&path, bytes).unwrap();
        let damaged = Sqlite::open(&path).and_then(|store| {
            let read = store.list("", "", 64);
            assert_eq!(store.put("new", b"v"), read.clone().map(drop), "not written any more");
            read
        });
        assert!(matches!(error(damaged), StoreError::Damaged(_)));
        remove(&path);
    }
}

//! A folder of compiled code by key, which several processes use over time. A reader never gets an
//! incomplete or damaged entry, nor one of another user, and never waits for a pipe. The folder
//! stays within its size limit. Callers must not rely on the presence of an entry.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

/// Size in bytes of the hash that follows an entry's content.
pub const HASH_BYTES: usize = 32;
/// Size in bytes of the parts in which an entry is copied.
const PIECE_BYTES: usize = 256 << 10;
/// Age in seconds after which an incomplete entry counts as abandoned, because its process has
/// died.
const INCOMING_SECONDS_MAX: u64 = 3600;
/// The beginning of the names of incomplete entries.
const INCOMING: &str = "incoming-";
/// Largest content of an entry in bytes. A larger file in the folder is not an entry.
const CONTENT_BYTES_MAX: u64 = 1 << 30;

/// The key of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key(pub [u8; HASH_BYTES]);

impl Key {
    /// Returns the key that identifies exactly this content.
    pub fn of_content(content: &[u8]) -> Key {
        Key(*blake3::hash(content).as_bytes())
    }

    /// Returns the key of a result that depends on these parts in this order.
    pub fn of_parts(parts: &[&[u8]]) -> Key {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Key(*hasher.finalize().as_bytes())
    }
}

impl Key {
    fn file_name(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Returns whether a file's name in the folder is that of an entry.
fn is_entry(name: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    name.len() == 2 * HASH_BYTES && name.bytes().all(is_digit)
}

fn is_incomplete(name: &str) -> bool {
    name.starts_with(INCOMING)
}

/// A folder of entries.
pub struct Folder {
    path: PathBuf,
    bytes_max: u64,
    /// Number of bytes that this process has written since it last checked the folder's size.
    bytes_new: AtomicU64,
}

impl Folder {
    /// Opens the folder, and creates it if necessary. Only this user can enter it then. When the
    /// entries exceed `bytes_max` bytes in total, the least recently used ones are deleted.
    ///
    /// # Errors
    /// The folder belongs to another user, or cannot be created. Or it is open to other users, and
    /// has files that are no entries.
    pub fn open(path: PathBuf, bytes_max: u64) -> io::Result<Folder> {
        crate::private_folder(&path, |name| is_entry(name) || is_incomplete(name))?;
        Ok(Folder { path, bytes_max, bytes_new: AtomicU64::new(bytes_max) })
    }

    /// Opens a folder for reading only, while another process maintains it.
    pub fn of_others(path: PathBuf) -> Folder {
        Folder { path, bytes_max: 0, bytes_new: AtomicU64::new(0) }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn place(&self, key: &Key) -> PathBuf {
        self.path.join(key.file_name())
    }

    /// Returns whether the folder has a whole entry for the key, whose hash the key is. Reads all
    /// of the entry.
    pub fn holds_content(&self, key: &Key) -> bool {
        let hashed = open_entry(&self.place(key)).and_then(|(file, bytes)| {
            let mut hasher = blake3::Hasher::new();
            let mut content = file.take(bytes - HASH_BYTES as u64);
            hasher.update_reader(&mut content)?;
            let mut recorded = [0; HASH_BYTES];
            content.into_inner().read_exact(&mut recorded)?;
            Ok((*hasher.finalize().as_bytes(), recorded))
        });
        hashed.is_ok_and(|(hash, recorded)| hash == key.0 && hash == recorded)
    }

    /// Returns the entry's content, if the folder has one. Deletes a damaged entry.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        self.get_if(key, |_| true)
    }

    /// Returns content that `put_content` stored, if the folder has it and the key is its hash.
    /// Deletes other content.
    pub fn get_content(&self, key: &Key) -> Option<Vec<u8>> {
        self.get_if(key, |hash| key.0 == *hash)
    }

    fn get_if(
        &self,
        key: &Key,
        is_wanted: impl FnOnce(&[u8; HASH_BYTES]) -> bool,
    ) -> Option<Vec<u8>> {
        let place = self.place(key);
        let content = match read_entry(&place, is_wanted) {
            Ok(content) => content,
            Err(error) => {
                // Other errors, such as too many open files, say nothing about the entry.
                if is_damage(error.kind()) {
                    let _ = fs::remove_file(&place);
                }
                return None;
            }
        };
        let _ = crate::open(&place).and_then(|f| f.set_modified(SystemTime::now()));
        Some(content)
    }

    /// Stores content under the key, in a temporary file that is then renamed. Ignores content that
    /// is larger than the folder's limit.
    pub fn put(&self, key: &Key, content: &[u8]) -> io::Result<()> {
        self.put_if(key, content, |_| true)
    }

    /// Stores content from an untrusted source. Fails with `InvalidData` if `key` is not the hash
    /// of the content.
    pub fn put_content(&self, key: &Key, content: impl Read) -> io::Result<()> {
        self.put_if(key, content, |hash| key.0 == *hash)
    }

    fn put_if(
        &self,
        key: &Key,
        content: impl Read,
        is_wanted: impl FnOnce(&[u8; HASH_BYTES]) -> bool,
    ) -> io::Result<()> {
        let incoming_path = self.path.join(format!("{INCOMING}{}", crate::random_name()?));
        let content_bytes_max =
            self.bytes_max.saturating_sub(HASH_BYTES as u64).min(CONTENT_BYTES_MAX);
        let written = write_entry(&incoming_path, content.take(content_bytes_max + 1)).and_then(
            |(bytes, hash)| {
                if bytes > content_bytes_max {
                    return Ok(0);
                }
                if !is_wanted(&hash) {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "the content is not what its key says",
                    ));
                }
                fs::rename(&incoming_path, self.place(key)).map(|()| bytes + HASH_BYTES as u64)
            },
        );
        if !matches!(written, Ok(1..)) {
            let _ = fs::remove_file(&incoming_path);
        }
        // A process checks the folder's size after its first entry, and then each time it has
        // written another sixteenth of the limit.
        if self.bytes_new.fetch_add(written.as_ref().map_or(0, |bytes| *bytes), Relaxed)
            >= self.bytes_max / 16
        {
            self.bytes_new.store(0, Relaxed);
            self.prune();
        }
        written.map(drop)
    }

    /// Deletes the least recently used entries until the folder is within its limit. Also deletes
    /// abandoned incomplete entries. Leaves what is neither, and does not count it.
    pub fn prune(&self) {
        let Ok(found) = fs::read_dir(&self.path) else { return };
        let (mut entries, mut incomplete) = (Vec::new(), Vec::new());
        for file in found.flatten() {
            let (Ok(name), Ok(metadata)) = (file.file_name().into_string(), file.metadata()) else {
                continue;
            };
            let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if is_entry(&name) {
                entries.push((used, metadata.len(), file.path()));
            } else if is_incomplete(&name) {
                incomplete.push((used, file.path()));
            }
        }
        let abandoned = SystemTime::now() - Duration::from_secs(INCOMING_SECONDS_MAX);
        for (_, path) in incomplete.into_iter().filter(|(used, _)| *used < abandoned) {
            let _ = fs::remove_file(path);
        }
        entries.sort();
        let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in entries {
            if total > self.bytes_max && fs::remove_file(&path).is_ok() {
                total -= bytes;
            }
        }
    }
}

/// Returns whether an error of reading means that the entry is none, or a damaged one.
fn is_damage(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(kind, InvalidData | InvalidInput | UnexpectedEof)
}

/// Opens an entry, and returns its size in bytes, which includes the hash.
fn open_entry(path: &Path) -> io::Result<(File, u64)> {
    let file = crate::open(path)?;
    let found = file.metadata()?;
    let bytes_max = CONTENT_BYTES_MAX + HASH_BYTES as u64;
    if crate::is_trusted(&found) && (HASH_BYTES as u64..=bytes_max).contains(&found.len()) {
        Ok((file, found.len()))
    } else {
        Err(io::ErrorKind::InvalidData.into())
    }
}

/// Reads a whole entry whose hash is wanted.
fn read_entry(
    path: &Path,
    is_wanted: impl FnOnce(&[u8; HASH_BYTES]) -> bool,
) -> io::Result<Vec<u8>> {
    let (file, bytes) = open_entry(path)?;
    let mut entry = Vec::with_capacity(bytes as usize);
    file.take(bytes).read_to_end(&mut entry)?;
    let end = entry.len().checked_sub(HASH_BYTES).ok_or(io::ErrorKind::UnexpectedEof)?;
    let hash = blake3::hash(&entry[..end]);
    if hash.as_bytes() != &entry[end..] || !is_wanted(hash.as_bytes()) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    entry.truncate(end);
    Ok(entry)
}

/// Writes the content and then its hash. Returns the content's size and hash.
fn write_entry(path: &Path, mut content: impl Read) -> io::Result<(u64, [u8; HASH_BYTES])> {
    // A duplicate has a number above those of the standard descriptors. A program that has closed
    // its output must not print into the entry.
    let mut file = crate::create(path)?.try_clone()?;
    let (mut hasher, mut bytes, mut piece) = (blake3::Hasher::new(), 0, vec![0; PIECE_BYTES]);
    loop {
        match content.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => {
                hasher.update(&piece[..count]);
                file.write_all(&piece[..count])?;
                bytes += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let hash = *hasher.finalize().as_bytes();
    file.write_all(&hash)?;
    Ok((bytes, hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TemporaryFolder;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    fn scratch() -> TemporaryFolder {
        TemporaryFolder::new("cache").unwrap()
    }

    fn open(scratch: &TemporaryFolder, bytes_max: u64) -> Folder {
        Folder::open(scratch.path().to_owned(), bytes_max).unwrap()
    }

    #[test]
    fn an_entry_outlives_its_process_and_a_damaged_one_is_gone() {
        let scratch = scratch();
        let key = Key::of_parts(&[b"a", b"b"]);
        open(&scratch, 1 << 20).put(&key, b"some code").unwrap();
        let later = open(&scratch, 1 << 20);
        assert_eq!(later.get(&key).as_deref(), Some(&b"some code"[..]));
        assert_eq!(
            later.get(&Key::of_parts(&[b"ab", b""])),
            None,
            "parts do not run into each other"
        );
        fs::write(later.place(&key), b"other code that is damaged, and longer than a hash")
            .unwrap();
        assert_eq!(later.get(&key), None);
        assert!(!later.place(&key).exists());
    }

    #[test]
    fn what_is_not_an_entry_is_never_read_and_makes_room_for_one() {
        let scratch = scratch();
        let folder = open(&scratch, 1 << 20);
        let key = Key::of_content(b"code");
        let place = folder.place(&key);
        let pipe = || assert!(Command::new("mkfifo").arg(&place).status().unwrap().success());
        let link = |to: &str| symlink(to, &place).unwrap();
        let others: [&dyn Fn(); 5] = [
            &pipe,
            &|| link("/dev/zero"),
            &|| link("/etc/passwd"),
            &|| File::create(&place).unwrap().set_len(1 << 40).unwrap(),
            &|| fs::write(&place, b"short").unwrap(),
        ];
        for make in others {
            make();
            assert!(!folder.holds_content(&key));
            assert_eq!(folder.get(&key), None);
            assert!(fs::symlink_metadata(&place).is_err(), "it is gone");
            make();
            folder.put(&key, b"code").unwrap();
            assert!(folder.holds_content(&key));
            assert_eq!(folder.get_content(&key).as_deref(), Some(&b"code"[..]));
            fs::remove_file(&place).unwrap();
        }
        assert!(Path::new("/etc/passwd").exists() && Path::new("/dev/zero").exists());
    }

    #[test]
    fn an_entry_of_other_content_is_not_the_content() {
        let scratch = scratch();
        let folder = open(&scratch, 1 << 20);
        let [code, other] = [&b"code"[..], b"other"].map(Key::of_content);
        folder.put(&code, b"other").unwrap();
        assert!(!folder.holds_content(&code));
        assert_eq!(folder.get(&code).as_deref(), Some(&b"other"[..]), "it is whole");
        assert_eq!(folder.get_content(&code), None);
        assert!(!folder.place(&code).exists() && !folder.holds_content(&other));
    }

    #[test]
    fn only_this_user_reads_and_writes_entries() {
        let scratch = scratch();
        fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let folder = open(&scratch, 1 << 20);
        let key = Key::of_content(b"code");
        folder.put(&key, b"code").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(scratch.path()), mode(&folder.place(&key))), (0o700, 0o600));
        // Only root can give a file away.
        if std::os::unix::fs::chown(folder.place(&key), Some(12345), None).is_ok() {
            assert_eq!(folder.get(&key), None, "another user's code");
        }
    }

    #[test]
    fn a_strangers_content_is_kept_under_its_own_key_only() {
        let scratch = scratch();
        let folder = open(&scratch, 1 << 20);
        let key = Key::of_content(b"code");
        assert_eq!(
            folder.put_content(&key, &b"other code"[..]).unwrap_err().kind(),
            io::ErrorKind::InvalidData
        );
        assert!(fs::read_dir(scratch.path()).unwrap().next().is_none(), "nothing is left of it");
        folder.put_content(&key, &b"code"[..]).unwrap();
        assert_eq!(
            Folder::of_others(scratch.path().to_owned()).get(&key).as_deref(),
            Some(&b"code"[..])
        );
    }

    #[test]
    fn the_folder_keeps_to_its_size() {
        let scratch = scratch();
        let folder = open(&scratch, 1000);
        for i in 0..40u8 {
            let key = Key::of_content(&[i]);
            folder.put(&key, &[i; 100]).unwrap();
            let used = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(i));
            fs::File::open(folder.place(&key)).unwrap().set_modified(used).unwrap();
        }
        folder.prune();
        let holds = |name: &[u8]| folder.place(&Key::of_content(name)).exists();
        let kept: u64 = fs::read_dir(scratch.path())
            .unwrap()
            .flatten()
            .map(|e| e.metadata().unwrap().len())
            .sum();
        assert!(kept <= 1000, "{kept}");
        assert!(holds(&[39]) && !holds(&[0]));
        folder.put(&Key::of_content(b"huge"), &[0; 2000]).unwrap();
        assert!(!holds(b"huge"));
        let thesis = scratch.path().join("thesis");
        File::create(&thesis).unwrap().set_len(1 << 20).unwrap();
        fs::File::open(&thesis).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        folder.prune();
        assert!(
            thesis.exists() && holds(&[39]),
            "a stranger's file is neither deleted nor counted"
        );
    }
}

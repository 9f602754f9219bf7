//! A folder of compiled code by key, which several processes use over time. A reader never gets an
//! incomplete or damaged entry, and the folder stays within its size limit. Callers must not rely
//! on the presence of an entry.

#![forbid(unsafe_code)]

use std::fs;
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

/// A folder of entries.
pub struct Folder {
    path: PathBuf,
    bytes_max: u64,
    /// Number of bytes that this process has written since it last checked the folder's size.
    bytes_new: AtomicU64,
    count_new: AtomicU64,
}

impl Folder {
    /// Opens the folder, and creates it if necessary. When the entries exceed `bytes_max` bytes in
    /// total, the least recently used ones are deleted.
    pub fn open(path: PathBuf, bytes_max: u64) -> io::Result<Folder> {
        fs::create_dir_all(&path)?;
        Ok(Folder {
            path,
            bytes_max,
            bytes_new: AtomicU64::new(bytes_max),
            count_new: AtomicU64::new(0),
        })
    }

    /// Opens a folder for reading only, while another process maintains it.
    pub fn of_others(path: PathBuf) -> Folder {
        Folder { path, bytes_max: 0, bytes_new: AtomicU64::new(0), count_new: AtomicU64::new(0) }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn place(&self, key: &Key) -> PathBuf {
        self.path.join(key.0.iter().map(|b| format!("{b:02x}")).collect::<String>())
    }

    /// Returns whether the folder has an entry for the key.
    pub fn holds(&self, key: &Key) -> bool {
        self.place(key).exists()
    }

    /// Returns the entry's content, if the folder has one. Deletes a damaged entry.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let place = self.place(key);
        let mut entry = fs::read(&place).ok()?;
        let content_bytes = entry.len().checked_sub(HASH_BYTES);
        if content_bytes.is_none_or(|end| blake3::hash(&entry[..end]).as_bytes() != &entry[end..]) {
            let _ = fs::remove_file(&place);
            return None;
        }
        entry.truncate(content_bytes?);
        let _ = fs::File::open(&place).and_then(|f| f.set_modified(SystemTime::now()));
        Some(entry)
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
        let incoming_path = self.path.join(format!(
            "incoming-{}-{}",
            std::process::id(),
            self.count_new.fetch_add(1, Relaxed)
        ));
        let content_bytes_max = self.bytes_max.saturating_sub(HASH_BYTES as u64);
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
    /// abandoned incomplete entries.
    pub fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .flatten()
            .filter_map(|entry| {
                entry.metadata().ok().map(|m| {
                    (m.modified().unwrap_or(SystemTime::UNIX_EPOCH), m.len(), entry.path())
                })
            })
            .collect();
        files.sort();
        let stale = SystemTime::now() - Duration::from_secs(INCOMING_SECONDS_MAX);
        let mut total: u64 = files.iter().map(|f| f.1).sum();
        for (used, bytes, path) in files {
            let incoming = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("incoming-"));
            let remove = if incoming { used < stale } else { total > self.bytes_max };
            if remove && fs::remove_file(&path).is_ok() {
                total -= bytes;
            }
        }
    }
}

/// Writes the content and then its hash. Returns the content's size and hash.
fn write_entry(path: &Path, mut content: impl Read) -> io::Result<(u64, [u8; HASH_BYTES])> {
    // A duplicate has a number above those of the standard descriptors. A program that has closed
    // its output must not print into the entry.
    let mut file = fs::File::create(path)?.try_clone()?;
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

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            Scratch(
                std::env::temp_dir().join(format!("outhaul-cache-{}-{name}", std::process::id())),
            )
        }

        fn open(&self, bytes_max: u64) -> Folder {
            Folder::open(self.0.clone(), bytes_max).unwrap()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn an_entry_outlives_its_process_and_a_damaged_one_is_gone() {
        let scratch = Scratch::new("keep");
        let key = Key::of_parts(&[b"a", b"b"]);
        scratch.open(1 << 20).put(&key, b"some code").unwrap();
        let later = scratch.open(1 << 20);
        assert_eq!(later.get(&key).as_deref(), Some(&b"some code"[..]));
        assert_eq!(
            later.get(&Key::of_parts(&[b"ab", b""])),
            None,
            "parts do not run into each other"
        );
        fs::write(later.place(&key), b"other code that is damaged, and longer than a hash")
            .unwrap();
        assert_eq!(later.get(&key), None);
        assert!(!later.holds(&key));
    }

    #[test]
    fn a_strangers_content_is_kept_under_its_own_key_only() {
        let scratch = Scratch::new("strange");
        let folder = scratch.open(1 << 20);
        let key = Key::of_content(b"code");
        assert_eq!(
            folder.put_content(&key, &b"other code"[..]).unwrap_err().kind(),
            io::ErrorKind::InvalidData
        );
        assert!(
            !folder.holds(&key) && fs::read_dir(&scratch.0).unwrap().next().is_none(),
            "nothing is left of it"
        );
        folder.put_content(&key, &b"code"[..]).unwrap();
        assert_eq!(Folder::of_others(scratch.0.clone()).get(&key).as_deref(), Some(&b"code"[..]));
    }

    #[test]
    fn the_folder_keeps_to_its_size() {
        let scratch = Scratch::new("size");
        let folder = scratch.open(1000);
        for i in 0..40u8 {
            let key = Key::of_content(&[i]);
            folder.put(&key, &[i; 100]).unwrap();
            let used = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(i));
            fs::File::open(folder.place(&key)).unwrap().set_modified(used).unwrap();
        }
        folder.prune();
        let kept: u64 =
            fs::read_dir(&scratch.0).unwrap().flatten().map(|e| e.metadata().unwrap().len()).sum();
        assert!(kept <= 1000, "{kept}");
        assert!(folder.holds(&Key::of_content(&[39])) && !folder.holds(&Key::of_content(&[0])));
        folder.put(&Key::of_content(b"huge"), &[0; 2000]).unwrap();
        assert!(!folder.holds(&Key::of_content(b"huge")));
    }
}

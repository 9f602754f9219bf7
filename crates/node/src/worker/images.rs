//! Code images by the hash of their content: assembled from pieces, checked, kept on disk for the sessions that come after. Whoever knows
//! a hash knows the content, so sharing them gives nothing away.

use super::output::log;
use outhaul_wire::limits::IMAGE_BYTES_MAX;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Images that are being put together in one session.
const ASSEMBLING_MAX: usize = 64;
/// The folder's size; the images that were used longest ago go first.
const CACHE_BYTES_MAX: u64 = 4 << 30;

pub type Hash = [u8; 32];

pub struct Images {
    folder: PathBuf,
    assembling: HashMap<Hash, Vec<u8>>,
    /// Complete, and not on disk.
    held: HashMap<Hash, Vec<u8>>,
}

impl Images {
    pub fn new(folder: PathBuf) -> Images {
        if let Err(error) = fs::create_dir_all(&folder) {
            log(&format!("code is not kept between sessions: {}: {error}", folder.display()));
        }
        Images { folder, assembling: HashMap::new(), held: HashMap::new() }
    }

    fn path(&self, hash: &Hash) -> PathBuf {
        self.folder.join(hash.iter().map(|b| format!("{b:02x}")).collect::<String>())
    }

    /// Makes room for the next `bytes` of an image and gives them to be filled; `Err` says what is wrong with the piece.
    pub fn piece(&mut self, hash: &Hash, total_bytes: u64, offset: u64, bytes: usize) -> Result<&mut [u8], String> {
        if total_bytes > IMAGE_BYTES_MAX || offset.checked_add(bytes as u64).is_none_or(|end| end > total_bytes) {
            return Err(format!("a piece of {bytes} bytes at {offset} of an image of {total_bytes} is outside the limits"));
        }
        if !self.assembling.contains_key(hash) && self.assembling.len() >= ASSEMBLING_MAX {
            return Err(format!("more than {ASSEMBLING_MAX} images at once"));
        }
        let image = self.assembling.entry(*hash).or_default();
        if image.len() as u64 != offset {
            return Err(format!("a piece at {offset} follows {} bytes", image.len()));
        }
        image.resize(offset as usize + bytes, 0);
        Ok(&mut image[offset as usize..])
    }

    /// To be called after a piece was filled.
    pub fn filled(&mut self, hash: &Hash, total_bytes: u64) -> Result<(), String> {
        if self.assembling.get(hash).is_none_or(|image| image.len() as u64 != total_bytes) {
            return Ok(());
        }
        let image = self.assembling.remove(hash).expect("just seen");
        if *blake3::hash(&image).as_bytes() != *hash {
            return Err("an image does not have the hash that it was announced with".into());
        }
        if let Err(error) = self.store(hash, &image) {
            log(&format!("cannot keep an image in {}: {error}", self.folder.display()));
        }
        self.held.insert(*hash, image);
        Ok(())
    }

    /// Written beside its place and moved there, so that no one ever reads half an image.
    fn store(&self, hash: &Hash, image: &[u8]) -> std::io::Result<()> {
        let beside = self.folder.join(format!("incoming-{}", std::process::id()));
        fs::write(&beside, image)?;
        fs::rename(&beside, self.path(hash))
    }

    /// The image, if it is here or on disk. What the disk gives is checked like what the network gives.
    pub fn get(&mut self, hash: &Hash) -> Option<Vec<u8>> {
        let path = self.path(hash);
        if let Some(image) = self.held.remove(hash) {
            if !path.exists() {
                self.held.insert(*hash, image.clone());
            }
            return Some(image);
        }
        let image = fs::read(&path).ok()?;
        if *blake3::hash(&image).as_bytes() != *hash {
            let _ = fs::remove_file(&path);
            return None;
        }
        let _ = fs::File::open(&path).and_then(|f| f.set_modified(SystemTime::now()));
        Some(image)
    }
}

/// Removes what was used longest ago until the folder keeps to its limit.
pub fn prune(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| entry.metadata().ok().map(|m| (m.modified().unwrap_or(SystemTime::UNIX_EPOCH), m.len(), entry.path())))
        .collect();
    files.sort();
    let mut total: u64 = files.iter().map(|f| f.1).sum();
    for (_, bytes, path) in files {
        if total <= CACHE_BYTES_MAX {
            break;
        }
        if fs::remove_file(&path).is_ok() {
            total -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("outhaul-images-{}-{name}", std::process::id()))
    }

    fn put(images: &mut Images, content: &[u8]) -> Result<Hash, String> {
        let hash = *blake3::hash(content).as_bytes();
        for (i, part) in content.chunks(5).enumerate() {
            images.piece(&hash, content.len() as u64, i as u64 * 5, part.len())?.copy_from_slice(part);
            images.filled(&hash, content.len() as u64)?;
        }
        Ok(hash)
    }

    #[test]
    fn an_image_in_pieces_comes_back_and_outlives_the_session() {
        let folder = folder("keep");
        let mut images = Images::new(folder.clone());
        let hash = put(&mut images, b"some code for a device").unwrap();
        assert_eq!(images.get(&hash).as_deref(), Some(&b"some code for a device"[..]));
        assert_eq!(Images::new(folder.clone()).get(&hash).as_deref(), Some(&b"some code for a device"[..]));
        fs::write(images.path(&hash), b"damaged").unwrap();
        assert_eq!(Images::new(folder.clone()).get(&hash), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn lies_about_size_and_content_are_refused() {
        let folder = folder("lies");
        let mut images = Images::new(folder.clone());
        assert!(images.piece(&[1; 32], 10, 8, 3).is_err());
        assert!(images.piece(&[1; 32], IMAGE_BYTES_MAX + 1, 0, 1).is_err());
        assert!(images.piece(&[1; 32], 10, 4, 3).is_err(), "a gap");
        images.piece(&[2; 32], 3, 0, 3).unwrap().copy_from_slice(b"abc");
        assert!(images.filled(&[2; 32], 3).is_err(), "another content");
        fs::remove_dir_all(folder).unwrap();
    }
}

//! Code images by the hash of their content: assembled from pieces, checked, kept on disk for the sessions that come after. Whoever knows
//! a hash knows the content, so sharing them gives nothing away.

use super::output::log;
use super::waiters::Waiters;
use outhaul_cache::{Folder, Key};
use outhaul_wire::limits::IMAGE_BYTES_MAX;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

/// Images that are being put together in one session.
const ASSEMBLING_MAX: usize = 64;
/// The folder's size; the images that were used longest ago go first.
const CACHE_BYTES_MAX: u64 = 4 << 30;

pub type Hash = [u8; 32];

pub struct Images {
    /// None if there is no room on disk.
    folder: Option<Arc<Folder>>,
    assembling: HashMap<Hash, Vec<u8>>,
    /// Complete, and not on disk, or not yet.
    held: Arc<Held>,
    waiters: Arc<Waiters>,
}

#[derive(Default)]
struct Held(Mutex<HashMap<Hash, Arc<Vec<u8>>>>);

impl Held {
    fn lock(&self) -> MutexGuard<'_, HashMap<Hash, Arc<Vec<u8>>>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl Images {
    pub fn new(path: PathBuf, waiters: Arc<Waiters>) -> Images {
        let folder = Folder::open(path.clone(), CACHE_BYTES_MAX);
        if let Err(error) = &folder {
            log(&format!("code is not kept between sessions: {}: {error}", path.display()));
        }
        Images {
            folder: folder.ok().map(Arc::new),
            assembling: HashMap::new(),
            held: Arc::default(),
            waiters,
        }
    }

    /// Makes room for the next `bytes` of an image and gives them to be filled; `Err` says what is wrong with the piece.
    pub fn piece(
        &mut self,
        hash: &Hash,
        total_bytes: u64,
        offset: u64,
        bytes: usize,
    ) -> Result<&mut [u8], String> {
        if total_bytes > IMAGE_BYTES_MAX
            || offset.checked_add(bytes as u64).is_none_or(|end| end > total_bytes)
        {
            return Err(format!(
                "a piece of {bytes} bytes at {offset} of an image of {total_bytes} is outside the limits"
            ));
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
        if Key::of_content(&image).0 != *hash {
            return Err("an image does not have the hash that it was announced with".into());
        }
        let image = Arc::new(image);
        self.held.lock().insert(*hash, image.clone());
        if let Some(folder) = &self.folder {
            let (folder, held, hash) = (folder.clone(), self.held.clone(), *hash);
            // Nobody waits for the disk.
            self.waiters.run(move || keep(&folder, &held, hash, &image));
        }
        Ok(())
    }

    /// The image, if it is here or on disk. What the disk gives is checked like what the network gives.
    pub fn get(&mut self, hash: &Hash) -> Option<Vec<u8>> {
        if let Some(image) = self.held.lock().get(hash) {
            return Some(image.to_vec());
        }
        let image = self.folder.as_ref()?.get(&Key(*hash))?;
        (Key::of_content(&image).0 == *hash).then_some(image)
    }
}

fn keep(folder: &Folder, held: &Held, hash: Hash, image: &[u8]) {
    let kept = if folder.holds(&Key(hash)) { Ok(()) } else { folder.put(&Key(hash), image) };
    match kept {
        Ok(()) => drop(held.lock().remove(&hash)),
        Err(error) => log(&format!("cannot keep an image in {}: {error}", folder.path().display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("outhaul-images-{}-{name}", std::process::id()))
    }

    fn put(images: &mut Images, content: &[u8]) -> Result<Hash, String> {
        let hash = Key::of_content(content).0;
        for (i, part) in content.chunks(5).enumerate() {
            images
                .piece(&hash, content.len() as u64, i as u64 * 5, part.len())?
                .copy_from_slice(part);
            images.filled(&hash, content.len() as u64)?;
        }
        Ok(hash)
    }

    #[test]
    fn an_image_in_pieces_comes_back_and_outlives_the_session() {
        let folder = folder("keep");
        let mut images = Images::new(folder.clone(), Arc::default());
        let hash = put(&mut images, b"some code for a device").unwrap();
        assert_eq!(images.get(&hash).as_deref(), Some(&b"some code for a device"[..]));
        while !images.held.lock().is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(
            Images::new(folder.clone(), Arc::default()).get(&hash).as_deref(),
            Some(&b"some code for a device"[..])
        );
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn lies_about_size_and_content_are_refused() {
        let folder = folder("lies");
        let mut images = Images::new(folder.clone(), Arc::default());
        assert!(images.piece(&[1; 32], 10, 8, 3).is_err());
        assert!(images.piece(&[1; 32], IMAGE_BYTES_MAX + 1, 0, 1).is_err());
        assert!(images.piece(&[1; 32], 10, 4, 3).is_err(), "a gap");
        images.piece(&[2; 32], 3, 0, 3).unwrap().copy_from_slice(b"abc");
        assert!(images.filled(&[2; 32], 3).is_err(), "another content");
        std::fs::remove_dir_all(folder).unwrap();
    }
}

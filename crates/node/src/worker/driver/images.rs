//! Code images by the hash of their content. The worker assembles them from pieces, checks them,
//! and stores them on disk for later sessions. A client that knows a hash knows the content, so
//! sharing the images reveals nothing.

use super::waiters::Waiters;
use crate::worker::io::listener::Listener;
use crate::worker::log::log;
use outhaul_files::cache::{Folder, Key};
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::limits::IMAGE_BYTES_MAX;
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Maximum number of images that a session assembles at once.
const ASSEMBLING_MAX: usize = 64;
/// Hash of an image's content.
pub type Hash = [u8; 32];

/// A session's images.
pub struct Images {
    /// Folder that the listener maintains.
    folder: Arc<Folder>,
    keeper: Keeper,
    assembling: HashMap<Hash, Vec<u8>>,
    /// Complete images that are not, or not yet, on disk.
    held: Arc<Held>,
    waiters: Arc<Waiters>,
}

/// A function that stores an image in the folder.
type Keeper = Arc<dyn Fn(Hash, &[u8]) -> io::Result<()> + Send + Sync>;

#[derive(Default)]
struct Held(Mutex<HashMap<Hash, Arc<Vec<u8>>>>);

impl Held {
    fn lock(&self) -> MutexGuard<'_, HashMap<Hash, Arc<Vec<u8>>>> {
        self.0.lock()
    }
}

impl Images {
    /// Uses the folder at `path`, in which the listener stores images.
    pub fn new(path: PathBuf, listener: Listener, waiters: Arc<Waiters>) -> Images {
        Images::kept_by(
            Folder::of_others(path),
            Arc::new(move |hash, image: &[u8]| listener.keep(hash, image)),
            waiters,
        )
    }

    fn kept_by(folder: Folder, keeper: Keeper, waiters: Arc<Waiters>) -> Images {
        Images {
            folder: Arc::new(folder),
            keeper,
            assembling: HashMap::new(),
            held: Arc::default(),
            waiters,
        }
    }

    /// Returns a buffer for the next `bytes` bytes of an image. An error is the reason why the
    /// piece is invalid.
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
                "a piece of {bytes} bytes at {offset} of an image of {total_bytes} is outside the \
                limits"
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

    /// Completes a filled piece. If it was the image's last one, checks and stores the image.
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
        let (folder, keeper, held, hash) =
            (self.folder.clone(), self.keeper.clone(), self.held.clone(), *hash);
        // Another thread stores the image, so that the client does not wait for the disk.
        self.waiters.run(move || keep(&folder, &keeper, &held, hash, &image));
        Ok(())
    }

    /// Returns the image, whether it is in memory or on disk. Images from disk are checked like
    /// those from the network.
    pub fn get(&mut self, hash: &Hash) -> Option<Vec<u8>> {
        if let Some(image) = self.held.lock().get(hash) {
            return Some(image.to_vec());
        }
        self.folder.get_content(&Key(*hash))
    }
}

/// Stores an image, and forgets it only if it is whole on disk: what had its name there may be
/// damaged.
fn keep(folder: &Folder, keeper: &Keeper, held: &Held, hash: Hash, image: &[u8]) {
    let is_kept = || folder.holds_content(&Key(hash));
    let kept = if is_kept() { Ok(true) } else { keeper(hash, image).map(|()| is_kept()) };
    match kept {
        Ok(true) => drop(held.lock().remove(&hash)),
        // An image that does not fit on the disk remains in memory.
        Ok(false) => {}
        Err(error) => log(&format!("cannot keep an image in {}: {error}", folder.path().display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("outhaul-images-{}-{name}", std::process::id()))
    }

    fn kept_in(path: &Path) -> Images {
        let folder = Folder::open(path.to_owned(), 1 << 20).unwrap();
        let keeper: Keeper =
            Arc::new(move |hash, image: &[u8]| folder.put_content(&Key(hash), image));
        Images::kept_by(Folder::of_others(path.to_owned()), keeper, Arc::default())
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
        let mut images = kept_in(&folder);
        let hash = put(&mut images, b"some code for a device").unwrap();
        assert_eq!(images.get(&hash).as_deref(), Some(&b"some code for a device"[..]));
        while !images.held.lock().is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(kept_in(&folder).get(&hash).as_deref(), Some(&b"some code for a device"[..]));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_image_stays_in_memory_until_it_is_whole_on_disk() {
        let folder = folder("damaged");
        let code = b"some code for a device";
        let place = |hash: Hash| {
            folder.join(hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        };
        let hash = Key::of_content(code).0;
        let mut images = kept_in(&folder);
        // A keeper that does nothing, because it believes that the damaged entry is the image.
        let keeper: Keeper = Arc::new(|_, _| Ok(()));
        let others = Folder::of_others(folder.clone());
        std::fs::write(place(hash), [0; 100]).unwrap();
        images.held.lock().insert(hash, Arc::new(code.to_vec()));
        keep(&others, &keeper, &images.held, hash, code);
        assert_eq!(images.get(&hash).as_deref(), Some(&code[..]), "the good copy is still there");
        // The node's own keeper replaces the entry.
        keep(&others, &images.keeper, &images.held, hash, code);
        assert!(images.held.lock().is_empty());
        assert_eq!(images.get(&hash).as_deref(), Some(&code[..]));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn lies_about_size_and_content_are_refused() {
        let folder = folder("lies");
        let mut images = kept_in(&folder);
        assert!(images.piece(&[1; 32], 10, 8, 3).is_err());
        assert!(images.piece(&[1; 32], IMAGE_BYTES_MAX + 1, 0, 1).is_err());
        assert!(images.piece(&[1; 32], 10, 4, 3).is_err(), "a gap");
        images.piece(&[2; 32], 3, 0, 3).unwrap().copy_from_slice(b"abc");
        assert!(images.filled(&[2; 32], 3).is_err(), "another content");
        std::fs::remove_dir_all(folder).unwrap();
    }
}

//! A shared library that is opened by path. It stays open, because unloading a driver is not safe.

use std::ffi::{CStr, CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// An open library.
pub struct Library {
    handle: *mut c_void,
}

// SAFETY: a dlopen handle may be used from any thread.
unsafe impl Send for Library {}
// SAFETY: dlsym is thread-safe.
unsafe impl Sync for Library {}

/// The reason why a library cannot be opened.
#[derive(Debug)]
pub struct OpenError {
    /// Path of the library.
    pub path: PathBuf,
    /// The dynamic loader's message.
    pub reason: String,
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot open the CUDA driver library {}: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for OpenError {}

impl Library {
    /// Opens the library, which runs its initialisers.
    pub fn open(path: &Path) -> Result<Library, OpenError> {
        let error = |reason: String| OpenError { path: path.to_owned(), reason };
        let c_path = CString::new(path.as_os_str().as_bytes()).map_err(|e| error(e.to_string()))?;
        // SAFETY: the path is a valid C string. Loading runs the library's initialisers, as the
        // caller wants for a driver.
        let handle = unsafe { libc::dlopen(c_path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            // SAFETY: dlerror returns null or a C string that lives until the thread's next dl
            // call.
            let reason = unsafe {
                libc::dlerror().as_ref().map(|e| CStr::from_ptr(e).to_string_lossy().into_owned())
            };
            return Err(error(reason.unwrap_or_else(|| "no reason given".into())));
        }
        Ok(Library { handle })
    }

    /// Returns the symbol as a function pointer, or None if the library lacks it.
    ///
    /// # Safety
    ///
    /// `F` must be the symbol's function pointer type.
    pub unsafe fn symbol<F: Copy>(&self, name: &CStr) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // SAFETY: the handle is open and the name is a C string.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        // SAFETY: the caller guarantees the type, and function pointers are as wide as data
        // pointers.
        (!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) })
    }
}

//! The compile cache that NVRTC and nvJitLink expect from a driver (export table DA9151D3). They
//! look up the code that they are about to compile, and use a stored result. If the cache has none,
//! they compile the code and store the result. Without the cache, each process compiles the same
//! code again. A library that generates kernels at run time, such as cuDNN, would wait for the
//! compiler each time.

use crate::fd;
use crate::types::CUresult;
use outhaul_files::cache::{Folder, HASH_BYTES, Key};
use std::env;
use std::ffi::{CStr, c_char, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Name of the cache's folder in the folder that `CUDA_CACHE_PATH` names.
pub const FOLDER_NAME: &str = "compiled";
/// Default size limit of the cache in bytes, as in NVIDIA's driver. CUDA_CACHE_MAXSIZE changes it.
const BYTES_MAX: u64 = 1 << 30;
const BYTES_MAX_MAX: u64 = 4 << 30;
/// Largest input or result of a compilation in bytes.
const CODE_BYTES_MAX: usize = 1 << 30;

/// One compilation, between `open` and `close`.
struct Entry {
    key: Key,
}

/// Returns the folder that CUDA's own variables select, or one in the user's cache folder. Returns
/// None if caching is off or no folder is known.
fn folder() -> Option<&'static Folder> {
    static FOLDER: OnceLock<Option<Folder>> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            if env::var("CUDA_CACHE_DISABLE").is_ok_and(|v| v != "0" && !v.is_empty()) {
                return None;
            }
            let cache_home = || {
                let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
                env::var_os("XDG_CACHE_HOME")
                    .map(PathBuf::from)
                    .or_else(home)
                    .map(|c| c.join("outhaul"))
            };
            let path = env::var_os("CUDA_CACHE_PATH")
                .map(PathBuf::from)
                .or_else(cache_home)?
                .join(FOLDER_NAME);
            let bytes_max = env::var("CUDA_CACHE_MAXSIZE")
                .ok()
                .and_then(|v| v.parse().ok())
                .unwrap_or(BYTES_MAX);
            Folder::open(path, bytes_max.min(BYTES_MAX_MAX)).ok()
        })
        .as_ref()
}

/// Returns the content that a process stored under the key of these parts.
pub fn get(parts: &[&[u8]]) -> Option<Vec<u8>> {
    folder()?.get(&Key::of_parts(parts))
}

/// Stores content under the key of these parts, if the cache is on.
pub fn put(parts: &[&[u8]], content: &[u8]) {
    keep_in_folder(&Key::of_parts(parts), content);
}

/// Stores content. If this fails, as on a full disk or beyond a limit on the size of files, a later
/// process compiles the code again.
fn keep_in_folder(key: &Key, content: &[u8]) {
    let entry_bytes = (content.len() + HASH_BYTES) as u64;
    if let (Some(folder), Ok(())) = (folder(), fd::may_write(entry_bytes)) {
        let _ = folder.put(key, content);
    }
}

/// Returns one hash of all parts.
pub fn digest(parts: &[&[u8]]) -> [u8; 32] {
    Key::of_parts(parts).0
}

/// # Safety
/// `text` is null or a C string.
unsafe fn text<'a>(text: *const c_char) -> &'a [u8] {
    // SAFETY: the caller upholds this function's contract.
    if text.is_null() { &[] } else { unsafe { CStr::from_ptr(text) }.to_bytes() }
}

/// Opens an entry. `kind` is the compiler's step: 2 compiles to PTX, 1 to a cubin. `host` and
/// `build` identify the compiler, and `architecture` is its target.
///
/// # Safety
///
/// `out` is null or valid for writes. `input` is null or valid for reads of `input_bytes` bytes.
/// Each text is null or a C string.
pub unsafe extern "C" fn open(
    out: *mut *mut c_void,
    kind: u32,
    input: *const u8,
    input_bytes: usize,
    options: *const c_char,
    host: *const c_char,
    build: *const c_char,
    architecture: u32,
) -> CUresult {
    if out.is_null() || input.is_null() || input_bytes > CODE_BYTES_MAX {
        return CUresult::INVALID_VALUE;
    }
    if folder().is_none() {
        // NVIDIA's driver returns this when its cache is off.
        return CUresult::NOT_INITIALIZED;
    }
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        let input = std::slice::from_raw_parts(input, input_bytes);
        let (kind, architecture) = (kind.to_le_bytes(), architecture.to_le_bytes());
        let key =
            Key::of_parts(&[&kind, input, text(options), text(host), text(build), &architecture]);
        out.write(Box::into_raw(Box::new(Entry { key })).cast());
    }
    CUresult::SUCCESS
}

/// Closes an entry.
///
/// # Safety
///
/// `entry` is null, or `open` returned it and nothing has closed it.
pub unsafe extern "C" fn close(entry: *mut c_void) -> CUresult {
    if entry.is_null() {
        return CUresult::INVALID_VALUE;
    }
    // SAFETY: the caller upholds this function's contract.
    drop(unsafe { Box::from_raw(entry.cast::<Entry>()) });
    CUresult::SUCCESS
}

/// Returns the stored code in memory that `release` frees, or NOT_FOUND.
///
/// # Safety
///
/// `entry` is null or open. `code` and `code_bytes` are null or valid for writes.
pub unsafe extern "C" fn find(
    entry: *mut c_void,
    _flags: u64,
    code: *mut *mut c_void,
    code_bytes: *mut u32,
) -> CUresult {
    if entry.is_null() || code.is_null() || code_bytes.is_null() {
        return CUresult::INVALID_VALUE;
    }
    // SAFETY: the caller upholds this function's contract.
    let entry = unsafe { &*entry.cast::<Entry>() };
    let Some(found) = folder().and_then(|folder| folder.get(&entry.key)) else {
        return CUresult::NOT_FOUND;
    };
    // SAFETY: `malloc` returns null or memory of that size; the caller guarantees the out-pointers.
    unsafe {
        let memory = libc::malloc(found.len().max(1));
        if memory.is_null() {
            return CUresult::OUT_OF_MEMORY;
        }
        std::ptr::copy_nonoverlapping(found.as_ptr(), memory.cast(), found.len());
        code.write(memory);
        code_bytes.write(found.len() as u32);
    }
    CUresult::SUCCESS
}

/// Stores the result of a compilation.
///
/// # Safety
///
/// `entry` is null or open. `code` is null or valid for reads of `code_bytes` bytes.
pub unsafe extern "C" fn keep(
    entry: *mut c_void,
    _flags: u64,
    code: *const u8,
    code_bytes: usize,
) -> CUresult {
    if entry.is_null() || code.is_null() || code_bytes > CODE_BYTES_MAX {
        return CUresult::INVALID_VALUE;
    }
    // SAFETY: the caller upholds this function's contract.
    let (entry, code) =
        unsafe { (&*entry.cast::<Entry>(), std::slice::from_raw_parts(code, code_bytes)) };
    keep_in_folder(&entry.key, code);
    CUresult::SUCCESS
}

/// Frees code that `find` returned.
///
/// # Safety
///
/// `code` is null, or `find` returned it and nothing has released it.
pub unsafe extern "C" fn release(code: *mut c_void) -> CUresult {
    // SAFETY: the caller upholds this function's contract; free accepts null.
    unsafe { libc::free(code) };
    CUresult::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compiles as NVRTC does. Returns the stored code before and after `made` is stored.
    fn compile(
        kind: u32,
        input: &[u8],
        options: &CStr,
        made: &[u8],
    ) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
        let mut entry = std::ptr::null_mut();
        // SAFETY: all arguments are locals, and the order of the calls is NVRTC's.
        unsafe {
            let (host, build) = (c"HOST64".as_ptr(), c"a build".as_ptr());
            let opened = open(
                &mut entry,
                kind,
                input.as_ptr(),
                input.len(),
                options.as_ptr(),
                host,
                build,
                90,
            );
            assert_eq!(opened, CUresult::SUCCESS);
            let stored_code = || {
                let (mut code, mut bytes) = (std::ptr::null_mut(), 0);
                if find(entry, 0, &mut code, &mut bytes) == CUresult::NOT_FOUND {
                    return None;
                }
                let found = std::slice::from_raw_parts(code.cast::<u8>(), bytes as usize).to_vec();
                assert_eq!(release(code), CUresult::SUCCESS);
                Some(found)
            };
            let before = stored_code();
            assert_eq!(keep(entry, 0, made.as_ptr(), made.len()), CUresult::SUCCESS);
            let after = stored_code();
            assert_eq!(close(entry), CUresult::SUCCESS);
            (before, after)
        }
    }

    #[test]
    fn compiled_code_is_found_again_by_all_its_inputs() {
        let path = env::temp_dir().join(format!("outhaul-compiled-{}", std::process::id()));
        // SAFETY: no other thread of this test program reads the environment.
        unsafe { env::set_var("CUDA_CACHE_PATH", &path) };
        let code = Some(b"some PTX".to_vec());
        assert_eq!(compile(2, b"bitcode", c"-arch=compute_90", b"some PTX"), (None, code.clone()));
        assert_eq!(
            compile(2, b"bitcode", c"-arch=compute_90", b"some PTX"),
            (code.clone(), code.clone())
        );
        assert_eq!(
            compile(1, b"bitcode", c"-arch=compute_90", b"some PTX").0,
            None,
            "another step"
        );
        assert_eq!(
            compile(2, b"bitcode", c"-arch=compute_80", b"some PTX").0,
            None,
            "other options"
        );
        assert_eq!(
            compile(2, b"Bitcode", c"-arch=compute_90", b"some PTX").0,
            None,
            "another input"
        );
        std::fs::remove_dir_all(path).unwrap();
    }
}

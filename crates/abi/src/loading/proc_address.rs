//! cuGetProcAddress: finds the symbol for a name, a version and a flavour. The version determines
//! the parameters, so a neighbouring version is never a substitute. A symbol that the library does
//! not implement at the requested version is not found.

use crate::loading::symbols::{Flavour, SYMBOLS, Symbol};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::OnceLock;

/// Flag that selects functions with per-thread default streams.
pub const FLAG_PER_THREAD_DEFAULT_STREAM: u64 = 2;

/// Result of the search, in the values that the caller's `symbolStatus` expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The symbol is implemented.
    Found = 0,
    /// The name does not exist, or the library does not implement it at that version.
    NotFound = 1,
    /// The name exists only in later versions.
    VersionTooOld = 2,
}

/// Finds a symbol. `address` returns a symbol's address if the library implements the symbol.
pub fn find(
    name: &str,
    version: u32,
    flags: u64,
    address: impl Fn(&str) -> Option<*const c_void>,
) -> Result<*const c_void, Status> {
    let candidates = by_base().get(name).ok_or(Status::NotFound)?;
    let newest = |flavour: Flavour| {
        let fitting = candidates.iter().filter(|s| s.flavour == flavour && s.since <= version);
        fitting.max_by_key(|s| s.since)
    };
    let per_thread =
        if flags & FLAG_PER_THREAD_DEFAULT_STREAM != 0 { newest(Flavour::PerThread) } else { None };
    let symbol = per_thread.or_else(|| newest(Flavour::Legacy)).ok_or(Status::VersionTooOld)?;
    address(symbol.name).ok_or(Status::NotFound)
}

fn by_base() -> &'static HashMap<&'static str, Vec<&'static Symbol>> {
    static INDEX: OnceLock<HashMap<&'static str, Vec<&'static Symbol>>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index: HashMap<&'static str, Vec<&'static Symbol>> = HashMap::new();
        for symbol in &SYMBOLS {
            index.entry(symbol.base).or_default().push(symbol);
        }
        index
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_of(name: &str, version: u32, flags: u64) -> Result<String, Status> {
        let found = std::cell::RefCell::new(String::new());
        find(name, version, flags, |symbol| {
            *found.borrow_mut() = symbol.to_owned();
            Some(std::ptr::dangling())
        })?;
        Ok(found.into_inner())
    }

    #[test]
    fn the_version_decides_the_symbol() {
        for (name, version, flags, expected) in [
            ("cuMemAlloc", 3020, 0, "cuMemAlloc_v2"),
            ("cuGetProcAddress", 11030, 0, "cuGetProcAddress"),
            ("cuGetProcAddress", 12000, 0, "cuGetProcAddress_v2"),
            ("cuCtxCreate", 12040, 0, "cuCtxCreate_v3"),
            ("cuCtxCreate", 12050, 0, "cuCtxCreate_v4"),
            ("cuStreamGetCaptureInfo", 11030, 2, "cuStreamGetCaptureInfo_v2_ptsz"),
            ("cuStreamGetCaptureInfo", 12030, 0, "cuStreamGetCaptureInfo_v3"),
            ("cuMemcpyHtoD", 7000, 2, "cuMemcpyHtoD_v2_ptds"),
            ("cuLaunchKernel", 7000, 2, "cuLaunchKernel_ptsz"),
            ("cuLaunchKernel", 4000, 0, "cuLaunchKernel"),
            ("cuEventElapsedTime", 12080, 0, "cuEventElapsedTime_v2"),
            ("cuDeviceGetUuid", 11040, 0, "cuDeviceGetUuid_v2"),
        ] {
            assert_eq!(
                name_of(name, version, flags).as_deref(),
                Ok(expected),
                "{name} {version} {flags}"
            );
        }
        assert_eq!(name_of("cuNoSuchThing", 13000, 0), Err(Status::NotFound));
        assert_eq!(name_of("cuLibraryLoadData", 11080, 0), Err(Status::VersionTooOld));
    }

    #[test]
    fn unimplemented_functions_are_not_found() {
        assert_eq!(
            find("cuMemAlloc", 2000, 0, |s| (s == "cuMemAlloc_v2").then(std::ptr::dangling)),
            Err(Status::NotFound)
        );
    }
}

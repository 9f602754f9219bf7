//! The part of the node's environment that workers get: variables of drivers and of Outhaul.
//! Workers get no other variables, and none of the secrets with which the node joins its pool.

use std::ffi::OsString;

const NAMES: [&str; 8] =
    ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ", "USER", "RUST_BACKTRACE"];
/// Prefixes of variables of the loader, NVIDIA's driver, Outhaul and sanitizers.
const PREFIXES: [&str; 7] = ["LD_", "CUDA_", "NVIDIA_", "OUTHAUL_", "XDG_", "ASAN_", "TSAN_"];
const SECRETS: [&str; 2] = ["OUTHAUL_JOIN", "OUTHAUL_LEASE"];

fn is_kept(name: &str) -> bool {
    !SECRETS.contains(&name)
        && (NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

/// Returns the variables of a worker. Skips variables whose names are not UTF-8.
pub fn of_worker() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_drivers_stay_and_secrets_go() {
        let kept = ["PATH", "CUDA_CACHE_PATH", "OUTHAUL_SOFT_MEMORY", "LD_LIBRARY_PATH"];
        let gone = [
            "AWS_SECRET_ACCESS_KEY",
            "OUTHAUL_JOIN",
            "OUTHAUL_LEASE",
            "PATHOLOGICAL",
            "MY_CUDA_KEY",
        ];
        assert!(kept.into_iter().all(is_kept) && !gone.into_iter().any(is_kept));
    }
}

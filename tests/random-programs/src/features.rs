//! Program features by name. A campaign can exclude features.

use std::collections::BTreeSet;

/// Names and meanings of the features.
pub const FEATURES: &[(&str, &str)] = &[
    ("threads", "more than one host thread"),
    ("legacy", "work in the legacy stream"),
    ("legacy-events", "events that are recorded in the legacy stream"),
    ("own", "work in a thread's own default stream"),
    ("priorities", "streams with priorities"),
    ("blocking", "streams that wait for the legacy stream"),
    ("synchronous", "synchronous copies and fills"),
    ("synchronous-pinned", "synchronous copies from pinned or registered memory"),
    ("pageable", "pageable memory"),
    ("registered", "pageable memory that is registered and unregistered"),
    ("registered-mapped", "registered memory that kernels reach"),
    ("pinned", "pinned memory"),
    ("plain-address", "kernels reach pinned memory by its plain address"),
    ("mapped", "pinned memory with a device pointer"),
    ("managed", "managed memory"),
    ("managed-kernelless", "managed memory during launches of graphs without kernels"),
    ("pooled", "cuMemAllocAsync and cuMemFreeAsync"),
    ("pooled-legacy", "the same in the legacy stream, or in streams that wait for it"),
    ("free", "memory that is freed and allocated again"),
    ("rows", "copies and fills of rows"),
    ("large", "buffers of 1 to 16 MiB"),
    ("unified", "copies that find out their direction"),
    ("within-host", "asynchronous copies from host memory to host memory"),
    ("host-functions", "cuLaunchHostFunc"),
    ("host-functions-mapped", "host functions that write mapped memory which kernels read"),
    (
        "host-functions-mirrored",
        "host functions in programs with managed, mapped or registered memory",
    ),
    ("tokens", "host functions that let threads continue"),
    ("captures", "captured graphs"),
    ("built", "graphs built by calls"),
    ("changes", "nodes of executable graphs that are changed"),
    ("graph-host-copies", "graphs that copy from or to host memory"),
    ("graph-within-host", "graphs that copy from host memory to host memory"),
    ("graph-pageable", "graphs that copy from or to pageable memory"),
    ("graph-host-copy-changes", "changes of copies from or to host memory"),
    ("drops", "streams, events and graphs that are destroyed while they work"),
    ("polls", "cuStreamQuery and cuEventQuery until they say that all is done"),
    (
        "queries",
        "the same once; they must not say that something is to be done when it is known that \
        nothing is",
    ),
];

/// Features whose order CUDA does not document: whether `cuMemAllocAsync` in the legacy stream
/// waits for blocking streams, and they for it. Programs use them only if they are asked to,
/// because drivers differ.
pub const UNDOCUMENTED: &[&str] = &["pooled-legacy"];

/// The features that programs may use.
#[derive(Clone, Debug)]
pub struct Features {
    without: BTreeSet<String>,
}

impl Features {
    /// Returns all documented features except the names in `without`, and the undocumented ones in
    /// `with`. The names are separated by commas. Fails if a name is unknown.
    pub fn choose(with: &str, without: &str) -> Result<Features, String> {
        let with: Vec<&str> = with.split(',').collect();
        let names = with.iter().copied().chain(without.split(','));
        for name in names.filter(|name| !name.is_empty()) {
            if !FEATURES.iter().any(|(known, _)| *known == name) {
                let all: Vec<&str> = FEATURES.iter().map(|(name, _)| *name).collect();
                return Err(format!(
                    "unknown feature `{name}`; the features are {}",
                    all.join(", ")
                ));
            }
        }
        let undocumented = UNDOCUMENTED.iter().copied().filter(|name| !with.contains(name));
        let left_out = undocumented.chain(without.split(',').filter(|name| !name.is_empty()));
        Ok(Features { without: left_out.map(str::to_owned).collect() })
    }

    /// Returns whether programs may use a feature.
    pub fn has(&self, name: &str) -> bool {
        debug_assert!(FEATURES.iter().any(|(known, _)| *known == name), "{name} is a feature");
        !self.without.contains(name)
    }

    /// Returns the features, except the named ones.
    pub fn but(mut self, names: &[&str]) -> Features {
        self.without.extend(names.iter().map(|name| (*name).to_owned()));
        self
    }

    /// Returns the names of the excluded features.
    pub fn left_out(&self) -> Vec<&str> {
        self.without.iter().map(String::as_str).collect()
    }
}

//! Warnings about frameworks whose kernels the software GPU cannot run, because their libraries
//! hold machine code and hardly any PTX. A warning comes when the program first uses the GPU. The
//! framework's own error would come at its first kernel and would not say what to do.

use std::io::Write;
use std::sync::Once;

/// Frameworks by the name of the library that holds their kernels.
const FRAMEWORKS: [(&str, &str); 1] = [("libtorch_cuda.so", "PyTorch")];

/// Warns of frameworks that the process has loaded. Only the first call has an effect.
pub fn warn_of_loaded() {
    static WARNED: Once = Once::new();
    WARNED.call_once(|| {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        for line in warnings(&maps) {
            // Ignored because the program must continue even if stderr is closed.
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
    });
}

fn warnings(maps: &str) -> impl Iterator<Item = String> {
    FRAMEWORKS.iter().filter(|(library, _)| is_mapped(maps, library)).map(|(_, name)| {
        format!(
            "outhaul: {name}'s kernels are machine code for NVIDIA's GPUs. The software GPU runs \
             PTX only, so the first kernel will fail. Run the program on a node with a GPU \
             (outhaul run --node HOST:7654 -- PROGRAM), or let it compute on the CPU\n"
        )
    })
}

fn is_mapped(maps: &str, library: &str) -> bool {
    maps.lines().any(|line| line.rsplit('/').next() == Some(library))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loaded_framework_is_named_once() {
        let maps = "7f00-7f01 r-xp 00000000 08:01 5 /usr/lib/torch/lib/libtorch_cuda.so\n\
                    7f01-7f02 r--p 00001000 08:01 5 /usr/lib/torch/lib/libtorch_cuda.so\n";
        let lines: Vec<String> = warnings(maps).collect();
        assert_eq!(lines.len(), 1);
        assert!(lines[0].contains("PyTorch's kernels"), "{lines:?}");
        for other in ["", "7f00-7f01 r-xp 00000000 08:01 5 /opt/libtorch_cuda.so.py/libc.so.6\n"] {
            assert_eq!(warnings(other).count(), 0, "{other}");
        }
    }
}

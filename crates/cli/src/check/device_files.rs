//! Checks who may open this machine's GPUs. A program that opens a device file itself uses the GPU
//! without asking the node that shares it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Mode bits with which a user who is neither owner nor in the group may open a file for both.
const READ_AND_WRITE: u32 = 0o006;
/// Files that CUDA opens besides the GPU's own.
const ALSO_NEEDED: [&str; 2] = ["nvidiactl", "nvidia-uvm"];

/// Returns the GPUs' files in `folder` with which every user of the machine can use CUDA.
pub fn open_to_everyone(folder: &Path) -> Vec<PathBuf> {
    if !ALSO_NEEDED.iter().all(|name| is_open(&folder.join(name))) {
        return Vec::new();
    }
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| is_gpu(path) && is_open(path))
        .collect();
    found.sort();
    found
}

/// Returns whether the file is one GPU's, such as `nvidia0`.
fn is_gpu(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str()?.strip_prefix("nvidia"))
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn is_open(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.permissions().mode() & READ_AND_WRITE == READ_AND_WRITE)
}

/// Says what is wrong with files that everyone may open, and what to do.
pub fn words(open: &[PathBuf], node: &str) -> String {
    let names: Vec<_> = open.iter().map(|path| path.display().to_string()).collect();
    format!(
        "every user of this machine may open {}, which the node at {node} shares: a program that \
        does so needs no turn, and no limit holds for it. If others may log in here, close the \
        files: as root, write `options nvidia NVreg_DeviceFileUID=0 NVreg_DeviceFileGID=GROUP \
        NVreg_DeviceFileMode=0660` to /etc/modprobe.d/outhaul.conf, with the number of a group \
        that only the node's user is in (`getent group outhaul`), and restart the machine",
        names.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_open_if_everyone_may_read_and_write_all_that_cuda_opens() {
        let folder = std::env::temp_dir().join(format!("outhaul-devices-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let mode = |name: &str, mode| {
            std::fs::write(folder.join(name), "").unwrap();
            std::fs::set_permissions(folder.join(name), PermissionsExt::from_mode(mode)).unwrap();
        };
        let names = || -> Vec<_> {
            let open = open_to_everyone(&folder);
            open.iter().map(|path| path.file_name().unwrap().to_owned()).collect()
        };
        for name in ["nvidia0", "nvidia10", "nvidia-uvm", "nvidia-modeset", "nvidia", "null"] {
            mode(name, 0o666);
        }
        assert!(names().is_empty(), "without nvidiactl, CUDA does not start");
        mode("nvidiactl", 0o666);
        assert_eq!(names(), ["nvidia0", "nvidia10"]);
        mode("nvidia0", 0o660);
        assert_eq!(names(), ["nvidia10"]);
        mode("nvidia10", 0o664);
        assert!(names().is_empty());
        mode("nvidia0", 0o666);
        mode("nvidia-uvm", 0o660);
        assert!(names().is_empty());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

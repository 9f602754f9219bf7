//! The wall around files. A worker may read libraries and the system's files that drivers use. It
//! may write to GPU devices, to the session's own folders, and to the paths that drivers are known
//! to write. Rules allow files by path, because a driver opens some late, such as the compiler that
//! it loads with the first module.
//!
//! If a worker may open the files of a folder but not list it, it can open only files whose names
//! it knows.

use landlock::{
    ABI, Access, AccessFs, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, RulesetStatus,
};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Newest version of Landlock that this file uses. Older versions of Linux support only parts of
/// it.
const NEWEST: ABI = ABI::V9;

const LIBRARIES: [&str; 15] = [
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/usr/local/cuda",
    "/usr/local/nvidia",
    "/run/opengl-driver",
    "/run/nvidia",
    "/nix/store",
    "/gnu/store",
    "/opt/nvidia",
];
/// Folder with files that name the loader's folders, one per line.
const LOADER_FOLDERS: &str = "/etc/ld.so.conf.d";
const READ: [&str; 27] = [
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    LOADER_FOLDERS,
    "/etc/nvidia",
    "/etc/localtime",
    "/usr/share/nvidia",
    "/usr/share/zoneinfo",
    "/proc/cpuinfo",
    "/proc/devices",
    "/proc/driver",
    "/proc/filesystems",
    "/proc/meminfo",
    "/proc/modules",
    "/proc/stat",
    "/proc/sys/fs",
    "/proc/sys/kernel",
    "/proc/sys/vm",
    "/proc/uptime",
    "/proc/version",
    "/sys/bus",
    "/sys/class",
    "/sys/dev",
    "/sys/devices",
    "/sys/kernel/mm",
    "/sys/module",
    "/dev/random",
    "/dev/urandom",
];
/// Files in the user's home with the driver's settings.
const SETTINGS: [&str; 3] = [
    ".nv/nvidia-application-profiles-rc",
    ".nv/nvidia-application-profiles-rc.d",
    ".nv/nvidia-application-profile-globals-rc",
];
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/dxg", "/dev/dri"];
/// Prefixes of GPU devices' names in /dev.
const DEVICE_PREFIXES: [&str; 4] = ["nvidia", "nvmap", "nvhost", "nvgpu"];
/// Folder in which processes find shared objects by name, such as events.
const SHARED_MEMORY: &str = "/dev/shm";
/// Variables with the session's folders; `serve.rs` sets them.
const OWN_FOLDERS: [&str; 2] = [crate::cell::scratch::VARIABLE, crate::cell::code_cache::VARIABLE];
/// Variable with the folder of NVIDIA's multi-process service.
const SERVICE: &str = "CUDA_MPS_PIPE_DIRECTORY";
/// Variable with the prefix of the files that the software GPU's processes share, one for each
/// device.
const SOFT_GPU_PREFIX: &str = "OUTHAUL_SOFT_CARD";
const SOFT_GPU_COUNT: &str = "OUTHAUL_SOFT_DEVICES";

/// Files that a worker needs in addition to those that every driver needs.
pub struct Needs<'a> {
    /// The driver's path.
    pub library: &'a Path,
    /// Folder of cached code, which the worker may read if it knows the code's hash.
    pub code: &'a Path,
}

/// Restricts this process's access to files.
pub fn restrict(needs: &Needs<'_>) -> Result<(), String> {
    match rules(needs).and_then(|rules| Ok(rules.restrict_self()?.ruleset)) {
        // Older versions of Linux restrict fewer kinds of access, but all of them restrict the
        // important ones.
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => Ok(()),
        Ok(RulesetStatus::NotEnforced) => Err("this kernel has no Landlock".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn rules(needs: &Needs<'_>) -> Result<RulesetCreated, RulesetError> {
    let (read, all) = (AccessFs::from_read(NEWEST), AccessFs::from_all(NEWEST));
    let (see, use_) = (AccessFs::ReadFile | AccessFs::ReadDir, AccessFs::from_file(NEWEST));
    let by_name = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
    let mut rules = Rules(Ruleset::default().handle_access(all)?.create()?);
    let of_loader = folders_of_loader();
    let libraries = LIBRARIES
        .iter()
        .map(PathBuf::from)
        .chain(of_loader)
        .chain(variable_paths("LD_LIBRARY_PATH"));
    for folder in libraries.chain(folders_of(needs.library)) {
        rules.allow(&folder, read)?;
    }
    let settings = std::env::var_os("HOME").map(PathBuf::from);
    let settings = settings.iter().flat_map(|home| SETTINGS.map(|name| home.join(name)));
    for path in READ.iter().map(PathBuf::from).chain(std::env::current_exe()).chain(settings) {
        rules.allow(&path, see)?;
    }
    rules.allow_self()?;
    for device in DEVICES.iter().map(PathBuf::from).chain(devices()) {
        rules.allow(&device, use_ | AccessFs::ReadDir)?;
    }
    rules.allow(Path::new(SHARED_MEMORY), by_name | AccessFs::MakeReg | AccessFs::RemoveFile)?;
    for folder in OWN_FOLDERS.into_iter().filter_map(std::env::var_os) {
        rules.allow(Path::new(&folder), all)?;
    }
    if let Some(folder) = std::env::var_os(SERVICE) {
        rules.allow(Path::new(&folder), by_name | AccessFs::ReadDir)?;
    }
    for file in soft_gpu_files() {
        // The first process creates the file, because a rule needs an existing file. If the
        // creation fails, the driver reports that.
        let _ = fs::File::options().create(true).append(true).open(&file);
        rules.allow(&file, by_name)?;
    }
    // A worker may open files of other sessions if it has received their names.
    if let Some(root) = std::env::var_os(crate::cell::scratch::VARIABLE)
        .as_ref()
        .and_then(|own| Path::new(own).ancestors().nth(2))
    {
        rules.allow(root, by_name)?;
    }
    rules.allow(needs.code, AccessFs::ReadFile.into())?;
    Ok(rules.0)
}

struct Rules(RulesetCreated);

impl Rules {
    /// Allows access to `path`. Ignores a path that does not exist, because no driver needs it.
    fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), RulesetError> {
        let Ok(descriptor) = PathFd::new(path) else { return Ok(()) };
        (&mut self.0).add_rule(PathBeneath::new(&descriptor, access))?;
        // Linux may drop an inode of /proc, and a rule with it, unless a process has it open.
        if path.starts_with("/proc") {
            std::mem::forget(descriptor);
        }
        Ok(())
    }

    /// Allows a worker to read /proc/self, and to write to it. Drivers that name their threads open
    /// the file with a thread's name as if to truncate it.
    fn allow_self(&mut self) -> Result<(), RulesetError> {
        let (see, write) =
            (AccessFs::ReadFile | AccessFs::ReadDir, AccessFs::WriteFile | AccessFs::Truncate);
        self.allow(Path::new("/proc/self"), see | write)
    }
}

fn devices() -> impl Iterator<Item = PathBuf> {
    let is_gpu = |name: OsString| {
        name.to_str()
            .is_some_and(|name| DEVICE_PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
    };
    let found = fs::read_dir("/dev").into_iter().flatten().flatten();
    found.filter(move |entry| is_gpu(entry.file_name())).map(|entry| entry.path())
}

fn soft_gpu_files() -> Vec<PathBuf> {
    let count =
        std::env::var(SOFT_GPU_COUNT).ok().and_then(|count| count.parse().ok()).unwrap_or(1);
    let file = |mut prefix: OsString, number: u8| {
        prefix.push(format!(".{number}"));
        prefix.into()
    };
    std::env::var_os(SOFT_GPU_PREFIX)
        .map(|prefix| (0..count).map(|number| file(prefix.clone(), number)).collect())
        .unwrap_or_default()
}

fn folders_of_loader() -> Vec<PathBuf> {
    let files = fs::read_dir(LOADER_FOLDERS).into_iter().flatten().flatten();
    let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
    let folders = |text: String| {
        text.lines()
            .map(str::trim)
            .filter(|line| line.starts_with('/'))
            .map(PathBuf::from)
            .collect::<Vec<_>>()
    };
    texts.flat_map(folders).collect()
}

/// Returns the folder of `library`, and that of the file to which it links.
fn folders_of(library: &Path) -> impl Iterator<Item = PathBuf> {
    let real = library.canonicalize().ok();
    let folder =
        |path: PathBuf| path.parent().map(Path::to_owned).filter(|folder| folder.is_absolute());
    [Some(library.to_owned()), real].into_iter().flatten().filter_map(folder)
}

fn variable_paths(name: &str) -> Vec<PathBuf> {
    let absolute =
        |paths: OsString| std::env::split_paths(&paths).filter(|path| path.is_absolute()).collect();
    std::env::var_os(name).map(absolute).unwrap_or_default()
}

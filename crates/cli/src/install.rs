//! Finds the libraries that programs load: next to the installed binary, or in a build's folder.

use crate::error::Error;
use std::path::{Path, PathBuf};

/// The file name under which programs load the driver.
pub const DRIVER: &str = "libcuda.so.1";

/// The file name under which programs load NVML. The file is the client library under a second
/// name.
pub const NVML: &str = "libnvidia-ml.so.1";

/// One of the two libraries that programs load as their driver.
#[derive(Clone, Copy)]
pub enum InstalledLibrary {
    /// The client library, which sends calls to a node.
    Client,
    /// The software GPU.
    Soft,
}

impl InstalledLibrary {
    fn folder(self) -> &'static str {
        match self {
            InstalledLibrary::Client => "client",
            InstalledLibrary::Soft => "soft",
        }
    }

    fn what(self) -> &'static str {
        match self {
            InstalledLibrary::Client => "client library",
            InstalledLibrary::Soft => "software GPU",
        }
    }

    /// Returns the folder with this library's libcuda.so.1.
    pub fn find(self) -> Result<PathBuf, Error> {
        let executable = std::env::current_exe()
            .map_err(|error| Error::Io { doing: "cannot find this executable".into(), error })?;
        self.find_from(executable.parent().unwrap_or(Path::new("/")))
    }

    /// Returns the path of this library's libcuda.so.1.
    pub fn library(self) -> Result<PathBuf, Error> {
        Ok(self.find()?.join(DRIVER))
    }

    fn find_from(self, executables: &Path) -> Result<PathBuf, Error> {
        let folder = self.folder();
        let root = executables.parent().unwrap_or(Path::new("/"));
        let places =
            [executables.join(format!("outhaul-{folder}")), root.join("lib/outhaul").join(folder)];
        match places.iter().find(|place| place.join(DRIVER).exists()) {
            Some(place) => Ok(place.clone()),
            None => Err(Error::NotInstalled {
                what: self.what(),
                looked: places.map(|place| place.join(DRIVER).display().to_string()).join(", "),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_beside_the_binary_is_preferred_to_an_installed_one() {
        let root = std::env::temp_dir().join(format!("outhaul-install-{}", std::process::id()));
        let bin = root.join("bin");
        let put = |folder: &str| {
            std::fs::create_dir_all(root.join(folder)).unwrap();
            std::fs::write(root.join(folder).join(DRIVER), "").unwrap();
        };
        let missing = InstalledLibrary::Client.find_from(&bin).unwrap_err().to_string();
        assert!(missing.contains("lib/outhaul/client/libcuda.so.1"), "{missing}");
        put("lib/outhaul/client");
        assert_eq!(
            InstalledLibrary::Client.find_from(&bin).unwrap(),
            root.join("lib/outhaul/client")
        );
        put("bin/outhaul-client");
        assert_eq!(InstalledLibrary::Client.find_from(&bin).unwrap(), bin.join("outhaul-client"));
        assert!(InstalledLibrary::Soft.find_from(&bin).is_err());
        std::fs::remove_dir_all(root).unwrap();
    }
}

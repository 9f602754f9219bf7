//! The binary in a folder of its own, with or without a client library next to it. So tests do not
//! depend on an installation.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

pub struct Installation {
    pub folder: PathBuf,
}

impl Installation {
    pub fn bare() -> Installation {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name =
            format!("outhaul-cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        // A link, because a copy may still be open for writing in another test's child at exec.
        std::fs::hard_link(env!("CARGO_BIN_EXE_outhaul"), folder.join("outhaul")).unwrap();
        Installation { folder: folder.canonicalize().unwrap() }
    }

    /// Makes an installation with an empty client library. `run` checks only whether the library
    /// exists; the end-to-end tests run programs that load it.
    #[allow(dead_code, reason = "each test file compiles this module for itself")]
    pub fn with_client() -> Installation {
        let installation = Installation::bare();
        std::fs::create_dir(installation.folder.join("outhaul-client")).unwrap();
        std::fs::write(installation.folder.join("outhaul-client/libcuda.so.1"), "").unwrap();
        installation
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.folder.join("outhaul"));
        command
            .args(arguments)
            .env_remove("OUTHAUL_NODE")
            .env_remove("OUTHAUL_TUNE")
            .env_remove("LD_LIBRARY_PATH");
        command
    }

    #[allow(dead_code, reason = "each test file compiles this module for itself")]
    pub fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[allow(dead_code, reason = "each test file compiles this module for itself")]
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns a loopback address that remains free while no process listens there. Each process has
/// its own hosts in 127.64.0.0/10. Outgoing connections, whose ports the kernel chooses, use
/// 127.0.0.1.
#[allow(dead_code, reason = "each test file compiles this module for itself")]
pub fn own_address() -> SocketAddr {
    static COUNT: AtomicU8 = AtomicU8::new(0);
    let [.., high, low] = std::process::id().to_be_bytes();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    assert!(count < 64, "this process has used its 64 addresses");
    (Ipv4Addr::new(127, 64 + count, high, low), 7654).into()
}

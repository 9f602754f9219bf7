//! Two network namespaces joined by a cable: one for the node, one for its clients. Linux limits
//! the rate of a short cable; this process carries the packets of a long one. The machine's own
//! network remains unchanged. The namespaces disappear with the last process and descriptor that
//! use them. Needs ip, tc for short cables, and the right to create namespaces.

use super::cable::{self, Cable};
use crate::error::Error;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// The node's address in its namespace.
pub const NODE_ADDRESS: &str = "10.77.0.1";
const CLIENT_ADDRESS: &str = "10.77.0.2";
/// Seconds of traffic that a token bucket holds. The bucket holds at least two of the largest
/// segments.
const BURST_SECONDS: f64 = 150e-6;
const BURST_BYTES_MIN: f64 = 131_072.0;
/// Seconds of traffic that the queue before the token bucket holds. With a shorter queue, several
/// streams together lose segments and never reach the rate.
const QUEUE_SECONDS: f64 = 4e-3;
const QUEUE_BYTES_MIN: f64 = 2_000_000.0;

/// The two sides of a network.
#[derive(Clone, Copy, PartialEq)]
pub enum NetworkSide {
    Node,
    Client,
}

/// Two network namespaces and the cable between them.
pub struct Network {
    node: File,
    client: File,
    /// The cable, if it is long.
    cable: Option<Cable>,
}

/// Minimum, default and maximum buffer of a connection in bytes: Linux's own defaults. The buffers
/// limit how much data a connection over a long cable has in flight.
const BUFFERS: [(&str, &str); 2] =
    [("tcp_wmem", "4096 16384 4194304"), ("tcp_rmem", "4096 131072 6291456")];
/// Name of the device at both ends of a cable.
const DEVICE: &str = "cable";

/// Enters a user namespace if the process lacks the right to create networks. Inside, the process
/// has that right. Must run before any thread starts.
pub fn gain_rights() -> io::Result<()> {
    // SAFETY: takes no pointers.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    if user == 0 {
        return Ok(());
    }
    // SAFETY: takes no pointers; the process has one thread, as `unshare` requires.
    if unsafe { libc::unshare(libc::CLONE_NEWUSER) } != 0 {
        return Err(io::Error::last_os_error());
    }
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("0 {group} 1"))
}

impl Network {
    /// Creates a short cable with a rate.
    pub fn new(bits_per_s: f64) -> Result<Network, Error> {
        let network = Network::unjoined()?;
        let client = format!("/proc/{}/fd/{}", std::process::id(), network.client.as_raw_fd());
        network.tool(
            NetworkSide::Node,
            "ip",
            &["link", "add", DEVICE, "type", "veth", "peer", "name", DEVICE, "netns", &client],
        )?;
        let burst = (bits_per_s / 8.0 * BURST_SECONDS).max(BURST_BYTES_MIN);
        let limit = burst + (bits_per_s / 8.0 * QUEUE_SECONDS).max(QUEUE_BYTES_MIN);
        let numbers = [format!("{bits_per_s:.0}bit"), format!("{burst:.0}"), format!("{limit:.0}")];
        let [rate, burst, limit] = numbers.each_ref().map(String::as_str);
        network.rise()?;
        for side in [NetworkSide::Node, NetworkSide::Client] {
            network.tool(
                side,
                "tc",
                &[
                    "qdisc", "add", "dev", DEVICE, "root", "tbf", "rate", rate, "burst", burst,
                    "limit", limit,
                ],
            )?;
        }
        Ok(network)
    }

    /// Creates a cable with a delay in each direction, and optionally a rate.
    pub fn long(bits_per_s: Option<f64>, delay: Duration) -> Result<Network, Error> {
        let network = Network::unjoined()?;
        let end = |namespace: &File| {
            let descriptor = namespace.as_raw_fd();
            inside(move || {
                // SAFETY: the descriptor is open. The call affects only this thread, which ends
                // afterwards.
                match unsafe { libc::setns(descriptor, libc::CLONE_NEWNET) } {
                    0 => {
                        // If a write fails, the machine's defaults apply.
                        BUFFERS.iter().for_each(|(name, bytes)| {
                            drop(std::fs::write(format!("/proc/sys/net/ipv4/{name}"), bytes))
                        });
                        cable::end(DEVICE)
                    }
                    _ => Err(io::Error::last_os_error()),
                }
            })
        };
        let laid = end(&network.node)
            .and_then(|node| Cable::between([node, end(&network.client)?], bits_per_s, delay));
        let laid = laid.map_err(|error| Error::Io {
            doing: "cannot lay a long cable by /dev/net/tun (or use --shaper relay)".into(),
            error,
        })?;
        network.rise()?;
        Ok(Network { cable: Some(laid), ..network })
    }

    /// Returns whether the cable is long.
    pub fn is_long(&self) -> bool {
        self.cable.is_some()
    }

    fn unjoined() -> Result<Network, Error> {
        let refused = |error| Error::Io {
            doing: "cannot make a network namespace (run as root, allow user namespaces, or use \
            --shaper relay)"
                .into(),
            error,
        };
        Ok(Network {
            node: namespace().map_err(refused)?,
            client: namespace().map_err(refused)?,
            cable: None,
        })
    }

    /// Assigns addresses to both ends, and activates them.
    fn rise(&self) -> Result<(), Error> {
        for (side, address) in
            [(NetworkSide::Node, NODE_ADDRESS), (NetworkSide::Client, CLIENT_ADDRESS)]
        {
            self.tool(side, "ip", &["address", "add", &format!("{address}/24"), "dev", DEVICE])?;
            self.tool(side, "ip", &["link", "set", "lo", "up"])?;
            self.tool(side, "ip", &["link", "set", DEVICE, "up"])?;
        }
        Ok(())
    }

    /// Makes `command` start in the namespace of `side`.
    pub fn enter(&self, side: NetworkSide, command: &mut Command) {
        let descriptor: RawFd =
            if side == NetworkSide::Node { self.node.as_raw_fd() } else { self.client.as_raw_fd() };
        // SAFETY: the closure makes one system call, which is safe between fork and exec.
        unsafe {
            command.pre_exec(move || match libc::setns(descriptor, libc::CLONE_NEWNET) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            });
        }
    }

    fn tool(&self, side: NetworkSide, name: &str, arguments: &[&str]) -> Result<(), Error> {
        let mut command = Command::new(name);
        command.args(arguments);
        self.enter(side, &mut command);
        let output = command.output().map_err(|error| Error::Io {
            doing: format!("cannot run {name} (install iproute2, or use --shaper relay)"),
            error,
        })?;
        if output.status.success() {
            return Ok(());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(Error::Bench(format!(
            "{name} {}: {} (--shaper relay needs neither ip nor tc)",
            arguments.join(" "),
            errors.trim()
        )))
    }
}

/// Creates a namespace, which exists as long as the returned file.
fn namespace() -> io::Result<File> {
    inside(|| {
        // SAFETY: takes no pointers. The call affects only this thread, which ends afterwards.
        match unsafe { libc::unshare(libc::CLONE_NEWNET) } {
            0 => File::open("/proc/thread-self/ns/net"),
            _ => Err(io::Error::last_os_error()),
        }
    })
}

/// Runs a closure in a separate thread, which may enter another namespace.
fn inside(errand: impl FnOnce() -> io::Result<File> + Send + 'static) -> io::Result<File> {
    std::thread::spawn(errand).join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
}

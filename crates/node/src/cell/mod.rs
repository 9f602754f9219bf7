//! The cell of a worker: walls that the worker puts around itself, so that an attacker in it
//! reaches only its session. Each wall has a file here. If Linux does not support a wall, the
//! worker reports that, and the session continues with the others. `serve.rs` starts the process,
//! chooses its environment and handles its end.
//!
//! The worker raises most walls before it opens the driver, while it has only one thread. The list
//! of system calls takes effect after the driver has started, before the client's first command.

pub(crate) mod code_cache;
pub(crate) mod environment;
pub(crate) mod scratch;

mod calls;
mod descriptors;
mod files;
mod limits;
mod namespaces;
mod network;
mod privileges;
mod secrecy;
pub mod trial;

pub use calls::may_call;
pub use files::Needs;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::os::fd::RawFd;
use std::str::FromStr;

/// A wall of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wall {
    /// Closes files that the worker inherited from other processes.
    Descriptors,
    /// Limits resources, such as open files.
    Limits,
    /// Gives the worker an empty network.
    Namespaces,
    /// Limits which files the worker may read and write.
    Files,
    /// Forbids the worker to make connections, and to signal other processes.
    Network,
    /// Drops root's rights.
    Privileges,
    /// Hides the worker's memory from processes of the same user.
    Secrecy,
    /// Limits which system calls the worker may make.
    Calls,
}

/// All walls, in the order in which a worker raises them.
pub const WALLS: [Wall; 8] = [
    Wall::Descriptors,
    Wall::Limits,
    Wall::Namespaces,
    Wall::Files,
    Wall::Network,
    Wall::Privileges,
    Wall::Secrecy,
    Wall::Calls,
];

impl Wall {
    /// Returns the name that options use.
    pub fn name(self) -> &'static str {
        match self {
            Wall::Descriptors => "descriptors",
            Wall::Limits => "limits",
            Wall::Namespaces => "namespaces",
            Wall::Files => "files",
            Wall::Network => "network",
            Wall::Privileges => "privileges",
            Wall::Secrecy => "secrecy",
            Wall::Calls => "calls",
        }
    }

    /// Returns a description of the things that the wall protects.
    pub fn purpose(self) -> &'static str {
        match self {
            Wall::Descriptors => "files and sockets that the node has open",
            Wall::Limits => "more open files than a session needs, real-time priority",
            Wall::Namespaces => "the machine's network, and other programs' sockets in it",
            Wall::Files => "all files but those of drivers and of the session",
            Wall::Network => {
                "connections, other programs' sockets by name, signals to other processes"
            }
            Wall::Privileges => {
                "the rights of root, and of programs that have more rights than their users"
            }
            Wall::Secrecy => "inspection by processes of the same user, core dumps",
            Wall::Calls => {
                "programs, processes, tracing, namespaces, mounts and all else that a session \
                never asks of the system"
            }
        }
    }

    /// Returns advice on how a machine can support the wall.
    fn remedy(self) -> &'static str {
        match self {
            Wall::Files | Wall::Network => {
                "it needs Landlock: a kernel from 5.13 on (for the network from 6.7, for sockets \
                and signals from 6.12) with `landlock` among its \
                 security modules (`lsm=landlock,...` on the kernel's command line), and no \
                 container that forbids it"
            }
            Wall::Namespaces => {
                "it needs root's rights, or a kernel that lets users make namespaces \
                (user.max_user_namespaces above 0, \
                 kernel.apparmor_restrict_unprivileged_userns=0 where there is that), and no \
                 service or container that forbids it"
            }
            Wall::Calls => {
                "it needs a kernel with CONFIG_SECCOMP_FILTER, and no container that forbids \
                seccomp(2)"
            }
            Wall::Descriptors => "it needs a kernel from 5.9 on",
            Wall::Limits | Wall::Privileges | Wall::Secrecy => {
                "every kernel that Outhaul runs on has it; a container may forbid it"
            }
        }
    }
}

impl fmt::Display for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Wall {
    type Err = String;

    fn from_str(text: &str) -> Result<Wall, String> {
        let names = || WALLS.map(Wall::name).join(", ");
        WALLS
            .into_iter()
            .find(|wall| wall.name() == text)
            .ok_or_else(|| format!("there is no wall '{text}'; there are {}", names()))
    }
}

/// The operator's settings for the cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Walls that workers must not raise.
    pub without: Vec<Wall>,
    /// Walls that this machine is known not to support, so that workers need not report them again.
    pub missing: Vec<Wall>,
    /// Whether workers log each rejected system call, once per session.
    #[serde(rename = "tells_refusals")]
    pub logs_refusals: bool,
}

/// A wall that could not be raised, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The wall.
    pub wall: Wall,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.wall, self.reason, self.wall.remedy())
    }
}

impl Plan {
    /// Returns whether the wall is wanted.
    pub fn is_wanted(&self, wall: Wall) -> bool {
        !self.without.contains(&wall)
    }

    fn raise(
        &self,
        walls: &[Wall],
        mut raise: impl FnMut(Wall) -> Result<(), String>,
    ) -> Vec<Missing> {
        let wanted = walls.iter().copied().filter(|wall| self.is_wanted(*wall));
        wanted.filter_map(|wall| raise(wall).err().map(|reason| Missing { wall, reason })).collect()
    }

    /// Closes all descriptors after `last`, the session's last, before the worker opens others.
    pub fn close_after(&self, last: RawFd) -> Vec<Missing> {
        self.raise(&[Wall::Descriptors], |_| descriptors::close_after(last))
    }

    /// Raises most walls, before the worker opens the driver. The calling thread must be the only
    /// one.
    pub fn enter(&self, needs: &Needs<'_>) -> Vec<Missing> {
        let mut chooses_files = false;
        let walls = [
            Wall::Limits,
            Wall::Namespaces,
            Wall::Files,
            Wall::Network,
            Wall::Privileges,
            Wall::Secrecy,
        ];
        self.raise(&walls, |wall| match wall {
            Wall::Limits => limits::set(),
            Wall::Namespaces => namespaces::leave(),
            Wall::Files => files::restrict(needs).inspect(|()| chooses_files = true),
            Wall::Network => network::cut(),
            Wall::Privileges => privileges::drop_all(chooses_files),
            Wall::Secrecy => secrecy::hide(),
            Wall::Descriptors | Wall::Calls => Ok(()),
        })
    }

    /// Restricts system calls in all threads, after the driver has started. If the plan demands it,
    /// invokes `log` for each rejected call.
    pub fn close(&self, log: fn(&str)) -> Vec<Missing> {
        self.raise(&[Wall::Calls], |_| calls::restrict(self.logs_refusals.then_some(log)))
    }
}

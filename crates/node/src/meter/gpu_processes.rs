//! The processes that have a context on a GPU, by NVML. A process that opens the device itself is
//! among them, whether or not it ever asks the node. The listener calls no driver, so the commands
//! of operators read the list, in processes of their own.

use crate::accounting::tenants::identity_of_text;
use crate::sharing::admin_socket::Status;
use outhaul_abi::nvml::{Nvml, nvmlDevice_t, nvmlProcessInfo_t, nvmlReturn_t};
use serde::{Deserialize, Serialize};
use std::ffi::{CStr, c_char};
use std::path::Path;

/// Largest number of processes of one GPU that are read; the rest are left out.
const PROCESSES_MAX: usize = 4096;
/// NVML's "not available" for an amount of memory.
const UNKNOWN_BYTES: u64 = u64::MAX;
const UUID_BYTES: usize = 96;

/// The machine's NVML and its GPUs.
pub struct GpuProcesses {
    nvml: Nvml,
    /// Each GPU's identity, as in `Status`, and NVML's handle.
    boards: Vec<(u64, nvmlDevice_t)>,
}

/// A process that has a context on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GpuProcess {
    /// The GPU's identity, as in `Status`.
    pub gpu: u64,
    /// The process id.
    pub pid: u32,
    /// Its memory on the GPU in bytes, if NVML knows it.
    pub memory_bytes: Option<u64>,
}

/// A process on one of a node's GPUs that is none of the node's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherProcess {
    /// The GPU, by its place in the node's lists.
    pub gpu: usize,
    /// The process id.
    pub pid: u32,
    /// The name of its program.
    pub name: String,
    /// Its memory on the GPU in bytes, if NVML knows it.
    pub memory_bytes: Option<u64>,
}

impl GpuProcesses {
    /// Loads NVML and finds the GPUs. Returns None on a machine without NVML.
    pub fn open() -> Option<GpuProcesses> {
        let nvml = Nvml::open(Path::new("libnvidia-ml.so.1")).ok()?;
        let mut count = 0;
        // SAFETY: the first call takes no pointers, and the out-pointer refers to a local.
        unsafe {
            nvml.nvmlInit_v2().ok().ok()?;
            nvml.nvmlDeviceGetCount_v2(&mut count).ok().ok()?;
        }
        let boards = (0..count).filter_map(|index| board(&nvml, index)).collect();
        Some(GpuProcesses { nvml, boards })
    }

    /// Returns whether NVML knows any of these GPUs.
    pub fn know_any(&self, gpus: &[u64]) -> bool {
        self.boards.iter().any(|(gpu, _)| gpus.contains(gpu))
    }

    /// Returns the processes of all GPUs, those that draw included.
    pub fn list(&self) -> Vec<GpuProcess> {
        let mut all = Vec::new();
        for (gpu, board) in &self.boards {
            let of_board = self.computing(*board).into_iter().chain(self.drawing(*board));
            for info in of_board {
                let known = |one: &GpuProcess| (one.gpu, one.pid) == (*gpu, info.pid);
                if !all.iter().any(known) {
                    let memory_bytes =
                        Some(info.usedGpuMemory).filter(|bytes| *bytes != UNKNOWN_BYTES);
                    all.push(GpuProcess { gpu: *gpu, pid: info.pid, memory_bytes });
                }
            }
        }
        all
    }

    fn computing(&self, board: nvmlDevice_t) -> Vec<nvmlProcessInfo_t> {
        // SAFETY: NVML returned the device, and the array is valid for writes of `count` records.
        listed(|count, infos| unsafe {
            self.nvml.nvmlDeviceGetComputeRunningProcesses_v3(board, count, infos)
        })
    }

    fn drawing(&self, board: nvmlDevice_t) -> Vec<nvmlProcessInfo_t> {
        // SAFETY: NVML returned the device, and the array is valid for writes of `count` records.
        listed(|count, infos| unsafe {
            self.nvml.nvmlDeviceGetGraphicsRunningProcesses_v3(board, count, infos)
        })
    }
}

fn board(nvml: &Nvml, index: u32) -> Option<(u64, nvmlDevice_t)> {
    let (mut board, mut uuid) = (nvmlDevice_t::default(), [0 as c_char; UUID_BYTES]);
    // SAFETY: the out-pointers refer to locals, the buffer has `UUID_BYTES` bytes, and NVML ends
    // the text with a zero.
    let text = unsafe {
        nvml.nvmlDeviceGetHandleByIndex_v2(index, &mut board).ok().ok()?;
        nvml.nvmlDeviceGetUUID(board, uuid.as_mut_ptr(), UUID_BYTES as u32).ok().ok()?;
        CStr::from_ptr(uuid.as_ptr())
    };
    Some((identity_of_text(text.to_str().ok()?)?, board))
}

/// Calls `read` with an array for all processes. Returns none if NVML cannot list them.
fn listed(
    read: impl Fn(&mut u32, *mut nvmlProcessInfo_t) -> nvmlReturn_t,
) -> Vec<nvmlProcessInfo_t> {
    let blank = nvmlProcessInfo_t {
        pid: 0,
        usedGpuMemory: UNKNOWN_BYTES,
        gpuInstanceId: 0,
        computeInstanceId: 0,
    };
    let mut infos = vec![blank; PROCESSES_MAX];
    let mut count = PROCESSES_MAX as u32;
    if read(&mut count, infos.as_mut_ptr()).ok().is_err() {
        return Vec::new();
    }
    infos.truncate(count as usize);
    infos
}

/// Returns the processes on the node's GPUs that are none of the node's. `listed` is to be older
/// than `status`, so that no session that has just begun counts. A process that has ended, or that
/// belongs to another container, is in no `/proc` here, and is left out.
pub fn others(listed: &[GpuProcess], status: &Status) -> Vec<OtherProcess> {
    let other = |process: &GpuProcess| {
        let gpu = status.gpu_identities.iter().position(|gpu| *gpu == process.gpu)?;
        let own = status.sessions.iter().any(|session| session.worker == process.pid);
        let (name, parent) = name_and_parent(process.pid)?;
        (!own && parent != status.listener).then_some(OtherProcess {
            gpu,
            pid: process.pid,
            name,
            memory_bytes: process.memory_bytes,
        })
    };
    listed.iter().filter_map(other).collect()
}

/// Returns the name of a process's program, and its parent.
fn name_and_parent(pid: u32) -> Option<(String, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses, and may have some of its own.
    let (before, after) = (stat.find('(')? + 1, stat.rfind(')')?);
    let parent = stat[after + 1..].split_whitespace().nth(1)?.parse().ok()?;
    let printable = |c: char| if c.is_control() { '?' } else { c };
    Some((stat.get(before..after)?.chars().map(printable).collect(), parent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharing::admin_socket::SessionStatus;
    use std::process::{Command, Stdio};

    #[test]
    fn workers_ended_processes_and_other_gpus_do_not_count() {
        let own = std::process::id();
        let on = |gpu, pid| GpuProcess { gpu, pid, memory_bytes: Some(7) };
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let listed = [on(5, own), on(9, own), on(5, child.id()), on(5, u32::MAX), on(6, 1)];
        let session = |worker| SessionStatus { worker, ..SessionStatus::default() };
        let status = |listener, sessions: Vec<SessionStatus>| Status {
            listener,
            gpu_identities: vec![4, 5],
            sessions,
            ..Status::default()
        };
        let pids = |status| -> Vec<(usize, u32)> {
            others(&listed, &status).iter().map(|other| (other.gpu, other.pid)).collect()
        };
        assert_eq!(pids(status(0, vec![])), [(1, own), (1, child.id())]);
        assert_eq!(pids(status(0, vec![session(own)])), [(1, child.id())]);
        assert_eq!(pids(status(own, vec![])), [(1, own)], "the child is one of the node's own");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(name_and_parent(own).unwrap().1, std::os::unix::process::parent_id());
    }
}

//! The system calls that a worker may make, as `calls.txt` lists them. A driver that makes another
//! call gets the error EPERM, and continues.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Op, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter_all_threads,
};
use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use syscalls::Sysno;

const LIST: &str = include_str!("calls.txt");
/// Size of the table of logged calls. Calls with higher numbers are rejected without a line in the
/// log.
const CALLS_MAX: usize = 1024;

/// Returns whether the list contains the call `name`, under any conditions.
pub fn may_call(name: &str) -> bool {
    lines().any(|(listed, _)| listed == name)
}

/// Rejects all calls that are not in the list from now on, in all threads. Invokes `log` once with
/// the name of each rejected call.
pub fn restrict(log: Option<fn(&str)>) -> Result<(), String> {
    let refusal = match log {
        Some(log) => {
            log_refusals(log)?;
            SeccompAction::Trap
        }
        None => SeccompAction::Errno(libc::EPERM as u32),
    };
    // Of several filters, the strictest decides. The first filter makes the C library use clone
    // instead of clone3.
    let without_clone3 =
        BTreeMap::from([(number("clone3").ok_or("this processor has no clone3")?, Vec::new())]);
    apply(without_clone3, SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32))?;
    apply(rules()?, refusal, SeccompAction::Allow)
}

fn apply(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    action: SeccompAction,
) -> Result<(), String> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    let filter = SeccompFilter::new(rules, otherwise, action, arch)
        .and_then(BpfProgram::try_from)
        .map_err(|error| error.to_string())?;
    apply_filter_all_threads(&filter).map_err(|error| error.to_string())
}

fn number(name: &str) -> Option<i64> {
    Sysno::from_str(name).ok().map(|call| i64::from(call.id()))
}

/// Returns the lines of the list: names, and conditions on the arguments.
fn lines() -> impl Iterator<Item = (&'static str, std::str::SplitWhitespace<'static>)> {
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?, words))
    })
}

fn rules() -> Result<BTreeMap<i64, Vec<SeccompRule>>, String> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for (name, conditions) in lines() {
        let Some(number) = number(name) else { continue };
        let conditions = conditions
            .map(condition)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| format!("{name}: {error}"))?;
        let alternatives = rules.entry(number).or_default();
        if !conditions.is_empty() {
            alternatives.push(SeccompRule::new(conditions).map_err(|error| error.to_string())?);
        }
    }
    Ok(rules)
}

/// Parses a condition: `ARGUMENT[&MASK]=VALUE` or `ARGUMENT!=VALUE`.
fn condition(text: &str) -> Result<SeccompCondition, String> {
    let wrong = || format!("'{text}' is not a condition");
    let (left, value) = text.split_once('=').ok_or_else(wrong)?;
    let value = number_of(value).ok_or_else(wrong)?;
    let (argument, op) = match (left.strip_suffix('!'), left.split_once('&')) {
        (Some(argument), _) => (argument, Op::Ne),
        (None, Some((argument, mask))) => {
            (argument, Op::MaskedEq(number_of(mask).ok_or_else(wrong)?))
        }
        (None, None) => (left, Op::Eq),
    };
    // The filter compares numbers with the width that Linux uses, and pointers as a whole.
    let width = if value == 0 { Width::Qword } else { Width::Dword };
    SeccompCondition::new(argument.parse().map_err(|_| wrong())?, width, op, value)
        .map_err(|error| error.to_string())
}

fn number_of(text: &str) -> Option<u64> {
    match (text, text.strip_prefix("0x")) {
        ("self", _) => Some(u64::from(std::process::id())),
        (_, Some(digits)) => u64::from_str_radix(digits, 16).ok(),
        (_, None) => text.parse().ok(),
    }
}

static LOG: OnceLock<fn(&str)> = OnceLock::new();
static LOGGED: [AtomicBool; CALLS_MAX] = [const { AtomicBool::new(false) }; CALLS_MAX];

/// Logs rejected calls: each raises a signal, whose handler logs the call's name. A rejected call
/// in a thread that blocks all signals ends the process, so logging is only for investigations.
fn log_refusals(log: fn(&str)) -> Result<(), String> {
    let _ = LOG.set(log);
    // SAFETY: all zero is a valid action, and the handler has the signature that `SA_SIGINFO`
    // requires.
    let set = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = refused as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        libc::sigaction(libc::SIGSYS, &action, std::ptr::null_mut())
    };
    if set == 0 { Ok(()) } else { Err(std::io::Error::last_os_error().to_string()) }
}

extern "C" fn refused(_: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    /// Offset of the call's number in Linux's siginfo for SIGSYS, after the address of the call.
    const NUMBER_OFFSET: usize = 24;
    // SAFETY: Linux passes valid pointers to a handler with this signature, and siginfo has the
    // call's number at this offset for SIGSYS.
    let number = unsafe {
        let context = &mut *context.cast::<libc::ucontext_t>();
        set_result(context, -i64::from(libc::EPERM));
        info.byte_add(NUMBER_OFFSET).cast::<libc::c_int>().read()
    };
    let first = LOGGED.get(number as usize).is_some_and(|logged| !logged.swap(true, Relaxed));
    if let (true, Some(log)) = (first, LOG.get()) {
        let name = Sysno::new(number as usize)
            .map_or_else(|| number.to_string(), |call| call.name().to_owned());
        log(&format!("the system call {name} is refused"));
    }
}

#[cfg(target_arch = "x86_64")]
fn set_result(context: &mut libc::ucontext_t, result: i64) {
    context.uc_mcontext.gregs[libc::REG_RAX as usize] = result;
}

#[cfg(target_arch = "aarch64")]
fn set_result(context: &mut libc::ucontext_t, result: i64) {
    context.uc_mcontext.regs[0] = result as u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_the_list_is_understood() {
        let rules = rules().unwrap();
        assert!(rules.len() > 100);
        // On other processors, some names are unknown; on x86-64, an unknown name is a mistake.
        let unknown: Vec<_> =
            lines().map(|(name, _)| name).filter(|name| number(name).is_none()).collect();
        assert!(cfg!(not(target_arch = "x86_64")) || unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn calls_that_lead_out_of_a_cell_are_not_on_the_list() {
        let dangerous = "execve execveat fork vfork ptrace process_vm_readv process_vm_writev \
        process_madvise pidfd_open pidfd_getfd \
            pidfd_send_signal tkill rt_sigqueueinfo connect mount umount2 move_mount open_tree \
            fsopen unshare setns pivot_root chroot bpf keyctl \
            add_key request_key perf_event_open userfaultfd open_by_handle_at name_to_handle_at \
            io_uring_setup io_uring_enter io_uring_register \
            setuid setgid setresuid setresgid setgroups capset personality chmod fchmod fchmodat \
            chown fchown lchown fchownat setxattr mknod mknodat \
            link linkat symlink symlinkat shmget shmat semget msgget mq_open init_module \
            finit_module kexec_load reboot swapon acct syslog \
            landlock_restrict_self seccomp setrlimit setns sethostname iopl ioperm quotactl \
            fanotify_init inotify_init1 lookup_dcookie";
        let listed: Vec<_> = dangerous.split_whitespace().filter(|name| may_call(name)).collect();
        assert!(listed.is_empty(), "{listed:?}");
    }
}

//! Turns a memory fault in device code into an error of the grid. The signal handler leaves the
//! block's threads and continues in the scheduler. It forwards other faults to the handlers that
//! were installed earlier.

use std::arch::naked_asm;
use std::cell::Cell;
use std::sync::OnceLock;

use super::block::Block;
use super::fiber::switch;
use crate::engine::Fault;
use crate::engine::exec::code;

const STACK_BYTES: usize = 64 << 10;
const SIGNALS: [libc::c_int; 3] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE];

thread_local! {
    static RUNNING: Cell<*mut Block> = const { Cell::new(std::ptr::null_mut()) };
}

static PREVIOUS: OnceLock<[libc::sigaction; 3]> = OnceLock::new();

/// Records that this worker is about to run the threads of `block`.
pub fn enter(block: *mut Block) {
    RUNNING.set(block);
}

/// Records that this worker runs no block's threads.
pub fn leave() {
    RUNNING.set(std::ptr::null_mut());
}

/// Installs the signal handlers, once per process.
pub fn install() {
    PREVIOUS.get_or_init(|| {
        SIGNALS.map(|signal| {
            // SAFETY: all-zero bytes are a valid `sigaction`, and the handler has the signature
            // that SA_SIGINFO requires.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                let mut previous: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handle as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&mut action.sa_mask);
                libc::sigaction(signal, &action, &mut previous);
                previous
            }
        })
    });
}

/// Gives the calling worker an alternate signal stack, because an exhausted stack can be the cause
/// of a fault.
pub fn prepare_thread() {
    let stack = Box::leak(vec![0u8; STACK_BYTES].into_boxed_slice());
    let alternate =
        libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK_BYTES };
    // SAFETY: neither the memory nor the worker is ever freed, and the set is initialised before
    // use.
    unsafe {
        libc::sigaltstack(&alternate, std::ptr::null_mut());
        // The worker inherits the signal mask of the thread that started it. That mask may block
        // all signals.
        let mut interrupts: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut interrupts);
        libc::sigaddset(&mut interrupts, libc::SIGURG);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &interrupts, std::ptr::null_mut());
    }
}

/// Interrupts a worker, so that it leaves the code of a grid that has exceeded its time limit.
pub fn interrupt(thread: libc::pthread_t) {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        // SAFETY: as in `install`. No other code here uses the signal. Other threads ignore the
        // signal, which is its default disposition.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle_interrupt as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(libc::SIGURG, &action, std::ptr::null_mut());
        }
    });
    // SAFETY: workers live as long as the process.
    unsafe { libc::pthread_kill(thread, libc::SIGURG) };
}

extern "C" fn handle_interrupt(
    _signal: libc::c_int,
    _info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    let block = RUNNING.get();
    // SAFETY: as in `handle`. The handler leaves only compiled code, which holds no lock.
    unsafe {
        if block.is_null() || (*block).scheduler().1 == 0 || !(*(*block).job).overdue() {
            return;
        }
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        if code::contains(registers[libc::REG_RIP as usize] as usize) {
            (*block).fault = Some(Fault::TimeLimit);
            leave_through(registers, (*block).scheduler());
        }
    }
}

/// Makes the interrupted thread continue in the scheduler.
fn leave_through(registers: &mut [i64; 23], (discard, scheduler): (*mut usize, usize)) {
    registers[libc::REG_RIP as usize] = switch as *const () as i64;
    registers[libc::REG_RDI as usize] = discard as i64;
    registers[libc::REG_RSI as usize] = scheduler as i64;
    // The stack below the scheduler's frame is unused, whereas the interrupted stack may be full.
    registers[libc::REG_RSP as usize] = (scheduler as i64 - 512) & !15;
}

/// Copies `bytes` bytes. Returns 1 if some of the memory is not mapped, else 0.
///
/// # Safety
/// The same as for `memcpy`, except that the memory need not be mapped.
#[unsafe(naked)]
pub unsafe extern "C" fn copy_if_there(to: *mut u8, from: *const u8, bytes: usize) -> u32 {
    naked_asm!("mov rcx, rdx", "rep movsb", "xor eax, eax", "ret")
}

#[unsafe(naked)]
unsafe extern "C" fn copy_failed() {
    naked_asm!("mov eax, 1", "ret")
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let block = RUNNING.get();
    // SAFETY: a block in `RUNNING` is live, and its scheduler is suspended at `scheduler_sp`. Linux
    // passes a valid `info` and `context`.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let copying = copy_if_there as *const () as i64;
        if (copying..copying + 16).contains(&registers[libc::REG_RIP as usize]) {
            registers[libc::REG_RIP as usize] = copy_failed as *const () as i64;
            return;
        }
        if block.is_null() || (*block).scheduler().1 == 0 {
            return forward(signal, info, context);
        }
        let [x, y, z, _] = (*block).ctaid;
        let address = if signal == libc::SIGFPE { 0 } else { (*info).si_addr() as u64 };
        let thread = (*block).current().tid;
        (*block).fault = Some(Fault::IllegalAddress { address, block: [x, y, z], thread });
        leave_through(registers, (*block).scheduler());
    }
}

unsafe fn forward(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let at = SIGNALS.iter().position(|&known| known == signal);
    let Some(previous) = at.and_then(|at| PREVIOUS.get().map(|all| &all[at])) else { return };
    // SAFETY: the previous handler is called with the signature it was registered for. If the
    // default action is restored, the fault occurs again and triggers that action.
    unsafe {
        match previous.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                let mut default: libc::sigaction = std::mem::zeroed();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &default, std::ptr::null_mut());
            }
            handler if previous.sa_flags & libc::SA_SIGINFO != 0 => {
                let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                    std::mem::transmute(handler);
                handler(signal, info, context);
            }
            handler => {
                let handler: extern "C" fn(libc::c_int) = std::mem::transmute(handler);
                handler(signal);
            }
        }
    }
}

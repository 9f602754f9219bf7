//! Turns a memory fault of device code into a result: the handler leaves the block's threads and continues in the scheduler.
//! Faults that are not ours go to whoever handled them before.

use std::cell::Cell;
use std::sync::OnceLock;

use super::block::Block;
use super::fiber::switch;
use crate::engine::Fault;

const STACK_BYTES: usize = 64 << 10;
const SIGNALS: [libc::c_int; 3] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE];

thread_local! {
    static RUNNING: Cell<*mut Block> = const { Cell::new(std::ptr::null_mut()) };
}

static PREVIOUS: OnceLock<[libc::sigaction; 3]> = OnceLock::new();

/// Names the block whose threads are about to run on this worker.
pub fn enter(block: *mut Block) {
    RUNNING.set(block);
}

pub fn leave() {
    RUNNING.set(std::ptr::null_mut());
}

/// Installs the handlers, once per process.
pub fn install() {
    PREVIOUS.get_or_init(|| {
        SIGNALS.map(|signal| {
            // SAFETY: all-zero is a valid `sigaction`; the handler has the signature that SA_SIGINFO asks for.
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

/// Gives the calling worker a stack for the handler: a fault may be that a thread's stack is full.
pub fn prepare_thread() {
    let stack = Box::leak(vec![0u8; STACK_BYTES].into_boxed_slice());
    let alternate = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK_BYTES };
    // SAFETY: the memory lives for ever, as the worker does.
    unsafe { libc::sigaltstack(&alternate, std::ptr::null_mut()) };
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let block = RUNNING.get();
    // SAFETY: a block in `RUNNING` is live and its scheduler waits below; the kernel passes valid `info` and `context`.
    unsafe {
        if block.is_null() || (*block).scheduler().1 == 0 {
            return forward(signal, info, context);
        }
        let (discard, scheduler) = (*block).scheduler();
        let [x, y, z, _] = (*block).ctaid;
        let address = if signal == libc::SIGFPE { 0 } else { (*info).si_addr() as u64 };
        let thread = (*block).current().tid;
        (*block).fault = Some(Fault::IllegalAddress { address, block: [x, y, z], thread });
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        registers[libc::REG_RIP as usize] = switch as *const () as i64;
        registers[libc::REG_RDI as usize] = discard as i64;
        registers[libc::REG_RSI as usize] = scheduler as i64;
        // Below the scheduler's frame nothing is in use, while the faulting stack may have no room left.
        registers[libc::REG_RSP as usize] = (scheduler as i64 - 512) & !15;
    }
}

unsafe fn forward(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let at = SIGNALS.iter().position(|&known| known == signal);
    let Some(previous) = at.and_then(|at| PREVIOUS.get().map(|all| &all[at])) else { return };
    // SAFETY: the previous action is called the way it was registered; the default one is restored and meets the fault again.
    unsafe {
        match previous.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                let mut default: libc::sigaction = std::mem::zeroed();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &default, std::ptr::null_mut());
            }
            handler if previous.sa_flags & libc::SA_SIGINFO != 0 => {
                let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = std::mem::transmute(handler);
                handler(signal, info, context);
            }
            handler => {
                let handler: extern "C" fn(libc::c_int) = std::mem::transmute(handler);
                handler(signal);
            }
        }
    }
}

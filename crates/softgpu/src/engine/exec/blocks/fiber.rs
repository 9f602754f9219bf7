//! Stacks for GPU threads, and the switch between stacks. A suspended thread consists only of its
//! stack pointer.

use std::arch::naked_asm;
use std::io;

/// Bytes reserved at the bottom of each stack for engine functions, such as `printf` formatting.
/// They do not check for overflow.
pub const RESERVE_BYTES: usize = 48 << 10;

/// Suspends the running stack, stores its stack pointer in `save`, and resumes the stack `to`.
///
/// # Safety
/// `to` comes from an earlier `switch` or from [`Stacks::prepare`], and no other code runs on that
/// stack.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn switch(save: *mut usize, to: usize) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Calls the function in r12 with the argument in rbx. A new stack begins with this function.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn start() {
    naked_asm!("mov rdi, rbx", "call r12", "ud2")
}

/// A mapped region that is divided into equal stacks. Linux allocates each page at its first use.
pub struct Stacks {
    base: *mut u8,
    mapped_bytes: usize,
    stride_bytes: usize,
    free: Vec<u32>,
}

impl Stacks {
    /// Maps memory for `count` stacks.
    pub fn new(count: usize, stack_bytes: usize) -> io::Result<Stacks> {
        // The odd stride places the busy ends of the stacks in different cache sets.
        let stride_bytes = (stack_bytes + RESERVE_BYTES).next_multiple_of(4096) + 4096 + 5 * 64;
        let mapped_bytes = (stride_bytes * count).next_multiple_of(4096) + 4096;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new anonymous mapping does not affect existing memory.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                flags,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: no stack uses the lowest page of this new mapping. The page stops an overflow of
        // the first stack.
        unsafe { libc::mprotect(base, 4096, libc::PROT_NONE) };
        let free = (0..count as u32).rev().collect();
        Ok(Stacks { base: base.cast(), mapped_bytes, stride_bytes, free })
    }

    /// Returns the number of usable bytes in each stack.
    pub fn stack_bytes(&self) -> usize {
        self.stride_bytes - RESERVE_BYTES - 4096 - 5 * 64
    }

    /// Returns the number of stacks.
    pub fn count(&self) -> usize {
        (self.mapped_bytes - 4096) / self.stride_bytes
    }

    /// Takes a free stack. Returns `None` if all are in use.
    pub fn take(&mut self) -> Option<u32> {
        self.free.pop()
    }

    /// Releases the stack `stack`.
    pub fn give(&mut self, stack: u32) {
        self.free.push(stack);
    }

    /// Releases all stacks.
    pub fn give_all(&mut self) {
        let count = self.count() as u32;
        self.free.clear();
        self.free.extend((0..count).rev());
    }

    /// Returns the lowest address that compiled code may push to.
    pub fn limit(&self, stack: u32) -> usize {
        self.base as usize + 4096 + stack as usize * self.stride_bytes + RESERVE_BYTES
    }

    /// Returns the lowest address and the end of the whole mapping.
    pub fn span(&self) -> (usize, usize) {
        (self.base as usize, self.base as usize + self.mapped_bytes)
    }

    /// Returns the lowest address and the end of the stack `stack`.
    pub fn range(&self, stack: u32) -> (usize, usize) {
        let low = self.base as usize + 4096 + stack as usize * self.stride_bytes;
        (low, low + self.stride_bytes)
    }

    /// Writes the first frame of a stack. A switch to the returned stack pointer calls
    /// `entry(argument)`.
    pub fn prepare(
        &self,
        stack: u32,
        entry: extern "C" fn(*mut u8) -> !,
        argument: *mut u8,
    ) -> usize {
        let top = self.range(stack).1 & !63;
        let frame: [usize; 7] =
            [0, 0, 0, entry as usize, argument as usize, 0, start as *const () as usize];
        let at = top - size_of_val(&frame);
        // SAFETY: `at` is inside the mapped stack, which is free or about to be abandoned by its
        // owner.
        unsafe { std::ptr::copy_nonoverlapping(frame.as_ptr(), at as *mut usize, frame.len()) };
        at
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        // SAFETY: this is the mapping from `new`, and no fiber runs when its owner drops the
        // stacks.
        unsafe { libc::munmap(self.base.cast(), self.mapped_bytes) };
    }
}

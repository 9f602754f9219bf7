//! The log of failed calls, which the cuLogs* functions read. When the log is full, the oldest
//! lines are dropped first. NVIDIA's driver adds more details to some lines. Both log the failed
//! call and its error code.

use crate::types::{CUlogIterator, CUlogsCallback, CUlogsCallbackHandle, CUresult};
use outhaul_lock::{Mutex, MutexGuard};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;

/// Maximum size of the log in bytes, as NVIDIA documents it for its driver.
const BYTES_MAX: usize = 25_600;
/// Maximum number of callbacks; a program that registers more has forgotten to unregister them.
const CALLBACKS_MAX: usize = 1024;
const LEVEL_ERROR: i32 = 0;
const TRUNCATED: &str = "older lines were left out\n";

/// The failed calls of this process.
pub static ERRORS: ErrorLog = ErrorLog(Mutex::new(LogState {
    lines: VecDeque::new(),
    bytes: 0,
    first: 0,
    callbacks: BTreeMap::new(),
    last_callback: 0,
}));

/// A log of failed calls.
pub struct ErrorLog(Mutex<LogState>);

struct LogState {
    lines: VecDeque<String>,
    bytes: usize,
    /// Number of the first line that the log still contains.
    first: u32,
    /// The registered callbacks by handle, each with the address of the program's data.
    callbacks: BTreeMap<usize, (CUlogsCallback, usize)>,
    last_callback: usize,
}

impl LogState {
    fn next(&self) -> u32 {
        self.first.wrapping_add(self.lines.len() as u32)
    }

    fn push(&mut self, line: String) {
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.bytes > BYTES_MAX {
            self.bytes -= self.lines.pop_front().map_or(self.bytes, |line| line.len());
            self.first = self.first.wrapping_add(1);
        }
    }
}

impl ErrorLog {
    fn lock(&self) -> MutexGuard<'_, LogState> {
        self.0.lock()
    }

    /// Logs a failed call and invokes the callbacks.
    pub fn note(&self, function: &str, code: CUresult) {
        let name = code.name().unwrap_or(c"an unknown error").to_string_lossy();
        let message = format!("Returning {} ({name}) from {function}", code.0);
        let mut state = self.lock();
        state.push(format!("[CUDA][E] {message}\n"));
        let callbacks: Vec<_> = state.callbacks.values().copied().collect();
        drop(state);
        let mut text = message.into_bytes();
        let bytes = text.len();
        text.push(0);
        for (callback, data) in callbacks {
            if let Some(callback) = callback {
                // SAFETY: the program guarantees that the function accepts its own data. The text
                // ends in NUL and outlives the call.
                unsafe {
                    callback(
                        std::ptr::with_exposed_provenance_mut(data),
                        LEVEL_ERROR,
                        text.as_mut_ptr().cast(),
                        bytes,
                    )
                };
            }
        }
    }

    /// Registers a callback.
    pub fn register(
        &self,
        callback: CUlogsCallback,
        data: *mut c_void,
    ) -> Result<CUlogsCallbackHandle, CUresult> {
        let mut state = self.lock();
        if callback.is_none() || state.callbacks.len() >= CALLBACKS_MAX {
            return Err(CUresult::INVALID_VALUE);
        }
        state.last_callback += 16;
        let handle = state.last_callback;
        state.callbacks.insert(handle, (callback, data.expose_provenance()));
        Ok(CUlogsCallbackHandle(handle))
    }

    /// Unregisters a callback.
    pub fn unregister(&self, handle: CUlogsCallbackHandle) -> Result<(), CUresult> {
        self.lock().callbacks.remove(&handle.0).map(drop).ok_or(CUresult::INVALID_VALUE)
    }

    /// Returns the number that the next line will have.
    pub fn end(&self) -> u32 {
        self.lock().next()
    }

    /// Returns the lines from number `from` on, or all lines, in at most `bytes_max` bytes. Drops
    /// the oldest lines if they do not fit. Also returns the number of the next line. Returns None
    /// if not even the last line fits.
    pub fn read(&self, from: Option<u32>, bytes_max: usize) -> Option<(String, u32)> {
        let state = self.lock();
        let skipped =
            from.map_or(0, |from| (from.wrapping_sub(state.first) as i32).max(0) as usize);
        let wanted = state.lines.iter().skip(skipped);
        let mut room = bytes_max;
        let fits = |line: &&String| {
            let fits = line.len() <= room;
            room = room.saturating_sub(line.len());
            fits
        };
        let mut lines: Vec<&String> = wanted.clone().rev().take_while(fits).collect();
        let is_cut = lines.len() < wanted.count();
        while is_cut
            && !lines.is_empty()
            && lines.iter().map(|line| line.len()).sum::<usize>() + TRUNCATED.len() > bytes_max
        {
            lines.pop();
        }
        if is_cut && lines.is_empty() {
            return None;
        }
        let head = if is_cut { TRUNCATED } else { "" };
        Some((
            lines.into_iter().rev().fold(head.to_owned(), |text, line| text + line),
            state.next(),
        ))
    }
}

// ---- cuLogs* functions ----

/// Implements cuLogsCurrent.
///
/// # Safety
///
/// `out` is null or valid for writes.
pub unsafe fn current(out: *mut CUlogIterator, flags: u32) -> Result<(), CUresult> {
    // SAFETY: the caller upholds this function's contract.
    let out = unsafe { out.as_mut() }.filter(|_| flags == 0).ok_or(CUresult::INVALID_VALUE)?;
    *out = ERRORS.end();
    Ok(())
}

/// Implements cuLogsDumpToMemory.
///
/// # Safety
///
/// `iterator` and `size` are null or valid for reads and writes. `buffer` is null or valid for
/// writes of `*size` bytes.
pub unsafe fn dump_to_memory(
    iterator: *mut CUlogIterator,
    buffer: *mut c_char,
    size: *mut usize,
    flags: u32,
) -> Result<(), CUresult> {
    // SAFETY: the caller upholds this function's contract.
    let (iterator, Some(size)) = (unsafe { iterator.as_mut() }, unsafe { size.as_mut() }) else {
        return Err(CUresult::INVALID_VALUE);
    };
    if buffer.is_null() || flags != 0 || *size == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let room = std::mem::take(size) - 1;
    let (text, next) =
        ERRORS.read(iterator.as_deref().copied(), room).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: the text and its NUL fit into the buffer's size, which the program guarantees.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), text.len());
        buffer.add(text.len()).write(0);
    }
    *size = text.len();
    iterator.into_iter().for_each(|iterator| *iterator = next);
    Ok(())
}

/// Implements cuLogsDumpToFile.
///
/// # Safety
///
/// `iterator` is null or valid for reads and writes. `path` is null or a C string.
pub unsafe fn dump_to_file(
    iterator: *mut CUlogIterator,
    path: *const c_char,
    flags: u32,
) -> Result<(), CUresult> {
    if path.is_null() || flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the caller upholds this function's contract.
    let (iterator, path) = unsafe { (iterator.as_mut(), CStr::from_ptr(path)) };
    let (text, next) =
        ERRORS.read(iterator.as_deref().copied(), usize::MAX).ok_or(CUresult::INVALID_VALUE)?;
    std::fs::write(OsStr::from_bytes(path.to_bytes()), text)
        .map_err(|_| CUresult::INVALID_VALUE)?;
    iterator.into_iter().for_each(|iterator| *iterator = next);
    Ok(())
}

/// Implements cuLogsRegisterCallback.
///
/// # Safety
///
/// `out` is null or valid for writes.
pub unsafe fn register(
    callback: CUlogsCallback,
    data: *mut c_void,
    out: *mut CUlogsCallbackHandle,
) -> Result<(), CUresult> {
    let handle = ERRORS.register(callback, data)?;
    if !out.is_null() {
        // SAFETY: not null, and the caller upholds this function's contract.
        unsafe { out.write(handle) };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> ErrorLog {
        ErrorLog(Mutex::new(LogState {
            lines: VecDeque::new(),
            bytes: 0,
            first: 0,
            callbacks: BTreeMap::new(),
            last_callback: 0,
        }))
    }

    #[test]
    fn lines_are_read_from_a_position() {
        let log = log();
        assert_eq!(log.read(None, 0), Some((String::new(), 0)));
        log.note("cuMemFree_v2", CUresult::INVALID_VALUE);
        let after = log.end();
        log.note("cuInit", CUresult::NO_DEVICE);
        let (all, _) = log.read(None, 1000).unwrap();
        assert!(
            all.contains("Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemFree_v2\n")
                && all.ends_with("from cuInit\n"),
            "{all}"
        );
        let (later, end) = log.read(Some(after), 1000).unwrap();
        assert!(!later.contains("cuMemFree") && later.contains("cuInit"));
        assert_eq!(
            (log.read(Some(end), 1000), log.read(None, 10)),
            (Some((String::new(), 2)), None)
        );
        let (last, _) = log.read(None, all.len() - 1).unwrap();
        assert!(last.starts_with(TRUNCATED) && last.ends_with("from cuInit\n"));
    }

    #[test]
    fn the_oldest_lines_are_dropped_first() {
        let log = log();
        (0..1000).for_each(|_| log.note("cuMemFree_v2", CUresult::INVALID_VALUE));
        let (all, end) = log.read(None, usize::MAX).unwrap();
        assert!(all.len() <= BYTES_MAX && all.len() > BYTES_MAX / 2);
        assert_eq!(end, 1000);
    }
}

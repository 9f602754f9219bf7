//! Small pinned memory that the device reaches, over a link: what the device has changed there, the worker says by itself before it says anything else,
//! so nobody need ask for it after a wait. Both sides tell each other words, never what lies beside them.

use crate::mirror::runs;
use outhaul_abi::types::CUresult;
use outhaul_wire::limits::MIRROR_WORD_BYTES;
use std::sync::{Mutex, MutexGuard};

pub struct Echo {
    address: usize,
    /// What both sides last knew.
    known: Mutex<Vec<u8>>,
}

impl Echo {
    /// Of `bytes` zeros at an address of the program, which stay mapped as long as this is in use.
    pub fn new(address: usize, bytes: usize) -> Echo {
        Echo { address, known: Mutex::new(vec![0; bytes]) }
    }

    pub fn contains(&self, address: usize) -> bool {
        (self.address..self.address + self.lock().len()).contains(&address)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.known.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// What the program has changed, to be told: addresses and bytes.
    pub fn changes(&self) -> Vec<(u64, Vec<u8>)> {
        let mut known = self.lock();
        // SAFETY: the program's memory, which stays mapped; it may go on writing, so one look counts.
        let now = unsafe { std::slice::from_raw_parts(self.address as *const u8, known.len()) }.to_vec();
        let changed =
            runs(&now, &known, MIRROR_WORD_BYTES).into_iter().map(|run| ((self.address + run.start) as u64, now[run].to_vec())).collect();
        *known = now;
        changed
    }

    /// The device has written this.
    pub fn hear(&self, address: usize, bytes: &[u8]) -> Result<(), CUresult> {
        let mut known = self.lock();
        let offset = address.wrapping_sub(self.address);
        let place = offset.checked_add(bytes.len()).and_then(|end| known.get_mut(offset..end)).ok_or(CUresult::UNKNOWN)?;
        place.copy_from_slice(bytes);
        // SAFETY: inside the program's memory, as was just seen.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_tells_its_own_words_and_keeps_the_others() {
        let mut memory = vec![0u8; 18];
        let start = memory.as_mut_ptr() as usize;
        let echo = Echo::new(start, memory.len());
        assert!(echo.changes().is_empty());
        (memory[5], memory[9], memory[17]) = (1, 2, 3);
        let told = echo.changes();
        assert_eq!(told, [(start as u64 + 4, vec![0, 1, 0, 0, 0, 2, 0, 0]), (start as u64 + 16, vec![0, 3])]);
        memory[0] = 7;
        echo.hear(start + 12, &[9; 4]).unwrap();
        assert_eq!((memory[0], memory[12]), (7, 9));
        assert_eq!(echo.changes(), [(start as u64, vec![7, 0, 0, 0])], "what was heard is not told back");
        assert!(echo.hear(start + 16, &[1; 4]).is_err() && echo.hear(start - 1, &[1]).is_err());
    }
}

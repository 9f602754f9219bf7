//! A table in device memory that kernels read. It holds the expected results of checks in each
//! turn, and the number of times that each stamp has run.
//!
//! A check's plan begins with the number of times that the check has run, and the number of wrong
//! words. The next four words describe the first wrong word: position, found value, expected value
//! and turn. Two unused words follow. Then each turn has the position and number of its expected
//! runs. The runs follow: start, length, base, step. A stamp has one word, which counts how often
//! the stamp has run.

use super::device::Device;
use crate::model::{Model, Turn};
use crate::program::*;

const HEADER_WORDS: usize = 8;

/// The table.
pub struct Table {
    address: u64,
    words: usize,
    /// For each operation, the position of its words, or `None` if it has no words.
    starts: Vec<Option<usize>>,
}

fn action(op: &Op) -> Option<&Action> {
    match &op.deal {
        Deal::Do { action, .. }
        | Deal::Now { action }
        | Deal::Node { action, .. }
        | Deal::Change { action, .. } => Some(action),
        _ => None,
    }
}

/// Returns the words of a check's plan.
fn plan(turns: &[Turn]) -> Vec<u32> {
    let mut words = vec![0; HEADER_WORDS + 2 * turns.len()];
    for (turn, found) in turns.iter().enumerate() {
        let runs = &found[0];
        words[HEADER_WORDS + 2 * turn] = words.len() as u32;
        words[HEADER_WORDS + 2 * turn + 1] = runs.len() as u32;
        words.extend(
            runs.iter().flat_map(|run| [run.start as u32, run.len as u32, run.base, run.step]),
        );
    }
    words
}

impl Table {
    /// Writes the table to device memory and returns it.
    pub fn make(device: &Device<'_>, program: &Program, model: &Model) -> Result<Table, String> {
        let (mut content, mut starts) = (Vec::new(), Vec::new());
        for (op, site) in program.ops.iter().zip(&model.sites) {
            let words = match action(op) {
                Some(Action::Check { .. }) => plan(&site.turns),
                Some(Action::Stamp { .. }) => vec![0],
                _ => Vec::new(),
            };
            starts.push((!words.is_empty()).then_some(content.len()));
            content.extend(words);
            content.resize(content.len().next_multiple_of(2), 0);
        }
        content.push(0);
        let bytes = content.len() * 4;
        let mut address = 0;
        // SAFETY: the out-pointer refers to a local, and the vector is valid for reads.
        unsafe {
            device.ok(
                "cuMemAlloc of the table",
                device.gpu.driver.cuMemAlloc_v2(&mut address, bytes),
            )?;
            device.ok(
                "the copy of the table",
                device.gpu.driver.cuMemcpyHtoD_v2(address, content.as_ptr().cast(), bytes),
            )?;
        }
        device.ok("cuCtxSynchronize before all", device.synchronize())?;
        Ok(Table { address, words: content.len(), starts })
    }

    /// Returns the address of an operation's words.
    pub fn address(&self, op: usize) -> u64 {
        self.address + 4 * self.starts[op].expect("the operation has words in the table") as u64
    }

    /// Checks that every check ran as often as expected and found no wrong word.
    pub fn verify(
        &self,
        device: &Device<'_>,
        program: &Program,
        model: &Model,
    ) -> Result<(), String> {
        let mut words = vec![0u32; self.words];
        // SAFETY: the vector is valid for writes of this size.
        let read = unsafe {
            device.gpu.driver.cuMemcpyDtoH_v2(
                words.as_mut_ptr().cast(),
                self.address,
                self.words * 4,
            )
        };
        device.ok("the copy of the table to the host", read)?;
        for (index, op) in program.ops.iter().enumerate() {
            let Some(start) = self.starts[index] else { continue };
            let (ran, turns) = (words[start] as usize, model.sites[index].turns.len());
            if let Some(Action::Check { .. }) = action(op)
                && words[start + 1] != 0
            {
                let [count, place, found, expected, turn] = words[start + 1..start + 6] else {
                    continue;
                };
                return Err(format!(
                    "operation {index} `{op}`: {count} words are wrong, first word {place}: found \
                    {found:#x}, expected {expected:#x}, turn {turn}"
                ));
            }
            if ran != turns {
                return Err(format!(
                    "operation {index} `{op}`: the kernel ran {ran} times instead of {turns}"
                ));
            }
        }
        Ok(())
    }

    /// Frees the table.
    pub fn give_back(&self, device: &Device<'_>) -> Result<(), String> {
        // SAFETY: the table is no longer used.
        device.ok("cuMemFree of the table", unsafe { device.gpu.driver.cuMemFree_v2(self.address) })
    }
}

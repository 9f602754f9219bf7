//! All the memory that a session keeps alike on both sides. Most of it is small and is told as one,
//! so that words in different pieces keep their order; what is too large for that is told by
//! itself.

use crate::twin::{Look, Run, Twin, changes};
use outhaul_wire::limits::{TWIN_BYTES_TOGETHER_MAX, TWIN_BYTES_UNASKED_MAX, TWIN_PAGE_BYTES};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Default)]
pub struct TwinSet {
    by_address: BTreeMap<usize, Arc<Twin>>,
    together: Vec<Arc<Twin>>,
    apart: Vec<Arc<Twin>>,
    /// Of all that is not absent, in whole pages.
    page_bytes: usize,
}

impl TwinSet {
    pub fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }

    pub fn len(&self) -> usize {
        self.by_address.len()
    }

    /// So little that the node tells it before whatever else it says.
    pub fn is_told_unasked(&self) -> bool {
        self.page_bytes <= TWIN_BYTES_UNASKED_MAX
    }

    pub fn with(&self, twin: Arc<Twin>) -> TwinSet {
        let mut by_address = self.by_address.clone();
        by_address.insert(twin.start(), twin);
        TwinSet::of(by_address)
    }

    /// Nothing if none begins there.
    pub fn without(&self, start: usize) -> Option<(TwinSet, Arc<Twin>)> {
        let mut by_address = self.by_address.clone();
        let twin = by_address.remove(&start)?;
        Some((TwinSet::of(by_address), twin))
    }

    /// The same after some of it has become absent, or present.
    pub fn again(&self) -> TwinSet {
        TwinSet::of(self.by_address.clone())
    }

    fn of(by_address: BTreeMap<usize, Arc<Twin>>) -> TwinSet {
        let present = || by_address.values().filter(|twin| !twin.is_absent());
        let mut by_size: Vec<_> = present().cloned().collect();
        by_size.sort_by_key(|twin| twin.bytes());
        let mut sum = 0;
        let fitting = by_size.iter().take_while(|twin| {
            sum += twin.bytes();
            sum <= TWIN_BYTES_TOGETHER_MAX
        });
        let apart = by_size.split_off(fitting.count());
        let page_bytes = present().map(|twin| twin.bytes().next_multiple_of(TWIN_PAGE_BYTES)).sum();
        TwinSet { by_address, together: by_size, apart, page_bytes }
    }

    /// What an address lies in.
    pub fn find(&self, address: usize) -> Option<&Arc<Twin>> {
        let (start, twin) = self.by_address.range(..=address).next_back()?;
        (address - start < twin.bytes()).then_some(twin)
    }

    /// What is small enough to be looked at all the time: what has changed there, in the order in
    /// which it is to be told.
    pub fn changes_together(&self) -> Look {
        if self.together.is_empty() { Look::default() } else { changes(&self.together) }
    }

    /// All that has changed, by parts. What is large comes first, since small memory often says
    /// that something in it is ready. Gives how many bytes were compared.
    pub fn tell<E>(&self, mut say: impl FnMut(Vec<Run>) -> Result<(), E>) -> Result<usize, E> {
        let by_parts = self.apart.iter().flat_map(|twin| twin.changes_by_parts());
        let mut compared_bytes = 0;
        for look in by_parts.chain(std::iter::once_with(|| self.changes_together())) {
            compared_bytes += look.compared_bytes;
            if !look.runs.is_empty() {
                say(look.runs)?;
            }
        }
        self.apart.iter().chain(&self.together).for_each(|twin| _ = twin.note_looked());
        Ok(compared_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_are_told_together_as_far_as_they_fit() {
        let mut memory = vec![0u64; TWIN_BYTES_TOGETHER_MAX / 8 + 4096];
        let start = memory.as_ptr() as usize;
        // SAFETY: it lives until the test has ended, and nothing looks at it behind that; it is
        // large enough for all of them.
        let twin = |offset: usize, bytes| Arc::new(unsafe { Twin::new(start + offset, bytes) });
        let set = TwinSet::default()
            .with(twin(0, 8))
            .with(twin(64, TWIN_BYTES_TOGETHER_MAX))
            .with(twin(16, 40));
        assert_eq!((set.len(), set.together.len(), set.apart.len()), (3, 2, 1));
        assert!(!set.is_told_unasked());
        assert!(
            set.find(start + 55).is_some()
                && set.find(start + 56).is_none()
                && set.find(start - 1).is_none()
        );
        memory[0] = 1;
        memory[8] = 2;
        let mut told = Vec::new();
        let _ = set.tell(|runs| {
            told.extend(runs.into_iter().map(|run| run.address as usize - start));
            Ok::<(), ()>(())
        });
        assert_eq!(told, [64, 0]);
        let (set, gone) = set.without(start + 64).unwrap();
        assert!(
            set.is_told_unasked()
                && gone.bytes() == TWIN_BYTES_TOGETHER_MAX
                && set.without(start + 1).is_none()
        );
    }
}

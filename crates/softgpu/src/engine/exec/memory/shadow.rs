//! Records the accesses to a block's shared memory, in checked code.

/// Bit for an access that writes. This bit and the next two form one number in the interface to
/// compiled code.
pub const WRITES: u32 = 1;
/// Bit for an access that synchronises: atomic, volatile, acquire or release.
pub const ORDERED: u32 = 2;
/// Bit for an access whose instruction names shared memory.
pub const SHARED: u32 = 4;

const NOBODY: u32 = u32::MAX;

/// The thread that last accessed a byte of shared memory, and the time of the access.
#[derive(Clone, Copy)]
struct Touch {
    thread: u32,
    moment: u32,
    warp_moment: u32,
}

impl Touch {
    const NONE: Touch = Touch { thread: NOBODY, moment: 0, warp_moment: 0 };
}

#[derive(Clone, Copy)]
struct Cell {
    writer: Touch,
    /// The first and the last reader since the byte was written.
    readers: [Touch; 2],
    written: bool,
}

const CLEAN: Cell = Cell { writer: Touch::NONE, readers: [Touch::NONE; 2], written: false };

/// Recorded accesses to a block's shared memory.
#[derive(Default)]
pub struct Shadow {
    cells: Vec<Cell>,
    /// Number of barriers that the block has passed.
    moment: u32,
    warp_moments: Vec<u32>,
}

/// A thread's memory access.
pub struct Access {
    /// Address of the first byte.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u32,
    /// Bits `WRITES`, `ORDERED` and `SHARED`.
    pub what: u32,
    /// Line of the instruction in the PTX text.
    pub line: u32,
    /// Value that the access writes.
    pub value: u64,
}

impl Access {
    /// Returns whether the access writes.
    pub fn writes(&self) -> bool {
        self.what & WRITES != 0
    }

    /// Describes the access in words.
    pub fn name(&self) -> String {
        format!("{} of {} bytes", if self.writes() { "write" } else { "read" }, self.bytes)
    }
}

impl Shadow {
    /// Clears all records.
    pub fn begin(&mut self, shared_bytes: usize, warps: usize) {
        self.cells.clear();
        self.cells.resize(shared_bytes, CLEAN);
        self.warp_moments.clear();
        self.warp_moments.resize(warps, 0);
        self.moment = 1;
    }

    /// Returns whether the byte at offset `at` was written.
    pub fn is_written(&self, at: usize) -> bool {
        self.cells[at].written
    }

    /// Records that all threads of the block have completed their earlier accesses.
    pub fn pass(&mut self) {
        self.moment += 1;
    }

    /// Records that the lanes of a warp have met.
    pub fn warp_meets(&mut self, warp: usize) {
        if let Some(moment) = self.warp_moments.get_mut(warp) {
            *moment += 1;
        }
    }

    fn concurrent(&self, touch: Touch, thread: u32) -> bool {
        let warp = thread / 32;
        let met =
            touch.thread / 32 == warp && touch.warp_moment != self.warp_moments[warp as usize];
        touch.thread != NOBODY && touch.thread != thread && touch.moment == self.moment && !met
    }

    /// Records an access by a thread of another block. Returns whether every byte that the access
    /// reads was written before.
    pub fn touch_from_outside(&mut self, at: usize, access: &Access) -> bool {
        let cells = &mut self.cells[at..at + access.bytes as usize];
        if access.writes() {
            cells.fill(Cell { written: true, ..CLEAN });
        }
        cells.iter().all(|cell| cell.written)
    }

    /// Records an access. Returns the other thread if the two accesses race.
    pub fn touch(
        &mut self,
        at: usize,
        thread: u32,
        access: &Access,
        same_value: bool,
    ) -> Option<u32> {
        let now = Touch {
            thread,
            moment: self.moment,
            warp_moment: self.warp_moments[thread as usize / 32],
        };
        let cell = self.cells[at];
        let mut rival = None;
        if access.what & ORDERED == 0 {
            if !(access.writes() && same_value) && self.concurrent(cell.writer, thread) {
                rival = Some(cell.writer.thread);
            }
            if access.writes() && !same_value {
                let reader =
                    cell.readers.into_iter().find(|reader| self.concurrent(*reader, thread));
                rival = rival.or(reader.map(|reader| reader.thread));
            }
        }
        let cell = &mut self.cells[at];
        if access.writes() {
            *cell = Cell {
                writer: if access.what & ORDERED == 0 { now } else { Touch::NONE },
                readers: [Touch::NONE; 2],
                written: true,
            };
        } else if access.what & ORDERED == 0 {
            let fresh = cell.readers[0].moment != now.moment;
            cell.readers = [if fresh { now } else { cell.readers[0] }, now];
        }
        rival
    }
}

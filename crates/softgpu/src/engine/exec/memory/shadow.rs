//! The accesses of a block to its shared memory, while they are checked.

/// Bit of an access that writes. These bits form one number in the interface to compiled code.
pub const WRITES: u32 = 1;
/// Bit of an access that is ordered with others: atomic, volatile, acquire or release.
pub const ORDERED: u32 = 2;
/// Bit of an access whose instruction names shared memory.
pub const SHARED: u32 = 4;

const NOBODY: u32 = u32::MAX;

/// The thread that accessed a byte of shared memory last, and the time.
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
    /// The first and the last readers since the byte was written.
    readers: [Touch; 2],
    written: bool,
}

const CLEAN: Cell = Cell { writer: Touch::NONE, readers: [Touch::NONE; 2], written: false };

/// Accesses of a block to its shared memory, while they are checked.
#[derive(Default)]
pub struct Shadow {
    cells: Vec<Cell>,
    /// Number of barriers of the block so far.
    moment: u32,
    warp_moments: Vec<u32>,
}

/// An access of a thread.
pub struct Access {
    /// Address of the first byte.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u32,
    /// Bits of `WRITES`, `ORDERED` and `SHARED`.
    pub what: u32,
    /// Line in the PTX text.
    pub line: u32,
    /// Value that it writes.
    pub value: u64,
}

impl Access {
    /// Returns whether it writes.
    pub fn writes(&self) -> bool {
        self.what & WRITES != 0
    }

    /// Describes it in words.
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

    /// Returns whether a byte was written.
    pub fn is_written(&self, at: usize) -> bool {
        self.cells[at].written
    }

    /// Records that all earlier accesses are over for all threads of the block.
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

    /// Records an access by a thread of another block. Returns whether everything that it reads was
    /// written.
    pub fn touch_from_outside(&mut self, at: usize, access: &Access) -> bool {
        let cells = &mut self.cells[at..at + access.bytes as usize];
        if access.writes() {
            cells.fill(Cell { written: true, ..CLEAN });
        }
        cells.iter().all(|cell| cell.written)
    }

    /// Records an access. Returns the other thread if the two race.
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

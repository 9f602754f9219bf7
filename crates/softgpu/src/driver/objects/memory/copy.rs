//! Descriptions of memory copies and fills, in rows and slices. A flat copy is one row.

/// One side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySide {
    /// Address of the first byte.
    pub address: u64,
    /// Distance between rows, in bytes.
    pub pitch: u64,
    /// Distance between slices, in rows.
    pub height: u64,
    /// Kind of memory that the caller names: host, device or any.
    pub memory: Memory,
}

/// The kind of memory that a caller names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    Host,
    Device,
    Unified,
}

/// A copy of a box of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Copy {
    /// The destination.
    pub to: CopySide,
    /// The source.
    pub from: CopySide,
    /// Bytes per row.
    pub width: u64,
    /// Rows per slice.
    pub height: u64,
    /// Number of slices.
    pub depth: u64,
}

/// A fill of rows.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    /// Address of the first byte.
    pub address: u64,
    /// Distance between rows, in bytes.
    pub pitch: u64,
    /// The value of each element.
    pub value: u32,
    /// Element size: 1, 2 or 4 bytes.
    pub element_bytes: u64,
    /// Elements per row.
    pub width: u64,
    /// Number of rows.
    pub height: u64,
}

impl CopySide {
    /// Returns a side that consists of one row.
    pub fn flat(memory: Memory, address: u64) -> CopySide {
        CopySide { address, pitch: 0, height: 1, memory }
    }

    /// Returns the address of row `row` in slice `slice`.
    pub fn row(&self, slice: u64, row: u64) -> u64 {
        self.address + (slice * self.height + row) * self.pitch
    }
}

impl Copy {
    /// Returns a copy of a single row.
    pub fn flat(to: CopySide, from: CopySide, bytes: u64) -> Copy {
        Copy { to, from, width: bytes, height: 1, depth: 1 }
    }

    /// Returns whether the copy is empty.
    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Returns the number of bytes from the first to the last byte of a side. Returns None if the
    /// number overflows.
    pub fn extent(&self, side: &CopySide) -> Option<u64> {
        let rows = (self.depth - 1).checked_mul(side.height)?.checked_add(self.height - 1)?;
        rows.checked_mul(side.pitch)?.checked_add(self.width)
    }

    /// Returns the total number of rows in all slices.
    pub fn rows(&self) -> u64 {
        self.height * self.depth
    }
}

impl Fill {
    /// Returns a fill of a single row.
    pub fn flat(address: u64, value: u32, element_bytes: u64, count: u64) -> Fill {
        Fill { address, pitch: 0, value, element_bytes, width: count, height: 1 }
    }

    /// Returns whether the fill is empty.
    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0
    }
}

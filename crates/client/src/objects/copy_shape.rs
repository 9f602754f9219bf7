//! The shape of a copy: rows on the device, their size, and when the copy may return.

use crate::session::bulk::copy_sizes::LANE_ROW_BYTES_MIN;
use crate::session::bulk::transfer::HostBox;

/// When a copy may return.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    /// After the copy, or as if so.
    Synchronous,
    /// Before the copy, if the memory allows it.
    Asynchronous,
}

/// Rows on the device.
#[derive(Clone, Copy)]
pub struct DeviceBox {
    /// Address of the first row.
    pub address: u64,
    /// Distance between the beginnings of two rows.
    pub pitch: usize,
}

/// The size of a copy: `rows` rows of `width` bytes.
#[derive(Clone, Copy)]
pub struct Extent {
    /// Bytes of a row.
    pub width: usize,
    /// Number of rows.
    pub rows: usize,
}

impl Extent {
    /// Bytes of all rows.
    pub fn bytes(self) -> usize {
        self.width * self.rows
    }

    /// Bytes from the first row's beginning to the last row's end, at this pitch.
    pub fn span(self, pitch: usize) -> usize {
        pitch * (self.rows - 1) + self.width
    }

    /// Whether rows at this pitch are one row. They must be long enough for bulk lanes even if the
    /// other side has gaps.
    pub fn is_dense_at(self, pitch: usize) -> bool {
        pitch == self.width && self.width >= LANE_ROW_BYTES_MIN
    }

    /// Joins rows that have no gaps on both sides to one row.
    pub fn flattened(self, pitches: [usize; 2]) -> Extent {
        if pitches.iter().all(|p| *p == self.width) {
            Extent { width: self.bytes(), rows: 1 }
        } else {
            self
        }
    }
}

/// A copy between rows of the program's memory and as many rows on a device.
#[derive(Clone, Copy)]
pub struct HostCopy {
    /// Rows on the device.
    pub device: DeviceBox,
    /// Rows of the program's memory.
    pub host: HostBox,
    /// When the copy may return.
    pub mode: Mode,
}

impl HostCopy {
    /// Size of the copy.
    pub fn extent(&self) -> Extent {
        Extent { width: self.host.width_bytes, rows: self.host.rows }
    }

    /// Size of the copy; rows without gaps on both sides are one row.
    pub fn flat(&self) -> Extent {
        self.extent().flattened([self.device.pitch, self.host.pitch_bytes])
    }

    /// The program's rows, as the device sees them where it reaches them.
    pub fn host_on_device(&self) -> DeviceBox {
        DeviceBox { address: self.host.address as u64, pitch: self.host.pitch_bytes }
    }
}

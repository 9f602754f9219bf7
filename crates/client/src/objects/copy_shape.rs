//! The shape of a copy: its rows on the device, their size, and when the copy's call may return.

use crate::session::bulk::copy_sizes::LANE_ROW_BYTES_MIN;
use crate::session::bulk::transfer::HostBox;

/// When a copy's call may return.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    /// After the copy, or when the program cannot tell the difference.
    Synchronous,
    /// Before the copy is done, if the kind of host memory permits that.
    Asynchronous,
}

/// Rows on the device.
#[derive(Clone, Copy)]
pub struct DeviceBox {
    /// Address of the first row.
    pub address: u64,
    /// Distance in bytes between the beginnings of two rows.
    pub pitch: usize,
}

/// The size of a copy: `rows` rows of `width` bytes each.
#[derive(Clone, Copy)]
pub struct Extent {
    /// Size of a row in bytes.
    pub width: usize,
    /// Number of rows.
    pub rows: usize,
}

impl Extent {
    /// Returns the size of all rows in bytes.
    pub fn bytes(self) -> usize {
        self.width * self.rows
    }

    /// Returns the distance in bytes from the first row's beginning to the last row's end, if rows
    /// are `pitch` bytes apart.
    pub fn span(self, pitch: usize) -> usize {
        pitch * (self.rows - 1) + self.width
    }

    /// Returns whether rows with this pitch are contiguous and so count as one row. Each row must
    /// be long enough for bulk lanes, because the other side's rows may have gaps.
    pub fn is_dense_at(self, pitch: usize) -> bool {
        pitch == self.width && self.width >= LANE_ROW_BYTES_MIN
    }

    /// Joins the rows into one if they have no gaps on either side.
    pub fn flattened(self, pitches: [usize; 2]) -> Extent {
        if pitches.iter().all(|p| *p == self.width) {
            Extent { width: self.bytes(), rows: 1 }
        } else {
            self
        }
    }
}

/// A copy between rows of the program's memory and the same number of rows on a device.
#[derive(Clone, Copy)]
pub struct HostCopy {
    /// Rows on the device.
    pub device: DeviceBox,
    /// Rows of the program's memory.
    pub host: HostBox,
    /// When the copy's call may return.
    pub mode: Mode,
}

impl HostCopy {
    /// Returns the size of the copy.
    pub fn extent(&self) -> Extent {
        Extent { width: self.host.width_bytes, rows: self.host.rows }
    }

    /// Returns the size of the copy. Rows without gaps on either side count as one row.
    pub fn flat(&self) -> Extent {
        self.extent().flattened([self.device.pitch, self.host.pitch_bytes])
    }

    /// Returns the program's rows as device addresses, for host memory that the device can access.
    pub fn host_on_device(&self) -> DeviceBox {
        DeviceBox { address: self.host.address as u64, pitch: self.host.pitch_bytes }
    }
}

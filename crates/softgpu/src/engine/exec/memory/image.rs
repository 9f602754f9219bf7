//! Images for textures and surfaces: elements with one to four channels, in rows and slices. Unlike
//! on a GPU, images are plain linear memory.

use crate::engine::exec::arithmetic::half::f16_to_f32;

/// Channel type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 8 bits.
    S8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 16 bits.
    S16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    S32,
    /// Float, 16 bits.
    F16,
    /// Float, 32 bits.
    F32,
}

impl Channel {
    /// Returns the size of a channel in bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Channel::U8 | Channel::S8 => 1,
            Channel::U16 | Channel::S16 | Channel::F16 => 2,
            Channel::U32 | Channel::S32 | Channel::F32 => 4,
        }
    }

    /// Returns whether the channel is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Channel::F16 | Channel::F32)
    }

    /// Returns whether a texture may read the channel as a fraction of the channel's range.
    pub fn can_normalize(self) -> bool {
        matches!(self, Channel::U8 | Channel::S8 | Channel::U16 | Channel::S16)
    }
}

/// Memory that is interpreted as an image with up to three dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// Address of the first element.
    pub address: u64,
    /// Elements in a row, rows in a slice, and slices or layers. All are at least 1.
    pub extent: [u32; 3],
    /// Bytes from one row to the next.
    pub row_bytes: u64,
    /// Bytes from one slice to the next.
    pub slice_bytes: u64,
    /// Type of each channel.
    pub channel: Channel,
    /// Number of channels.
    pub channels: u32,
}

impl Image {
    /// Returns the size of an element in bytes.
    pub fn element_bytes(&self) -> u64 {
        self.channel.bytes() * u64::from(self.channels)
    }

    /// Returns the address of the element at `at`, which is inside the image.
    pub fn element(&self, at: [u32; 3]) -> u64 {
        let [x, y, z] = at.map(u64::from);
        self.address + z * self.slice_bytes + y * self.row_bytes + x * self.element_bytes()
    }

    /// Returns a channel of an element as 32 bits: an integer is extended, and a float is converted
    /// to f32. Returns 0 for a missing channel.
    ///
    /// # Safety
    /// The image's memory is valid for reads.
    pub unsafe fn read(&self, at: [u32; 3], channel: u32) -> u32 {
        if channel >= self.channels {
            return 0;
        }
        let place = (self.element(at) + u64::from(channel) * self.channel.bytes()) as usize;
        let place: *const u8 = std::ptr::with_exposed_provenance(place);
        // SAFETY: the caller upholds this function's contract, and `at` is inside the image.
        unsafe {
            match self.channel {
                Channel::U8 => u32::from(place.read()),
                Channel::S8 => i32::from(place.cast::<i8>().read()) as u32,
                Channel::U16 => u32::from(place.cast::<u16>().read_unaligned()),
                Channel::S16 => i32::from(place.cast::<i16>().read_unaligned()) as u32,
                Channel::F16 => f16_to_f32(place.cast::<u16>().read_unaligned()).to_bits(),
                Channel::U32 | Channel::S32 | Channel::F32 => place.cast::<u32>().read_unaligned(),
            }
        }
    }

    /// Like `read`, except that integers of up to 16 bits become fractions of their range.
    ///
    /// # Safety
    /// The same as for `read`.
    pub unsafe fn read_normalized(&self, at: [u32; 3], channel: u32) -> f32 {
        // SAFETY: the caller upholds this function's contract.
        let bits = unsafe { self.read(at, channel) };
        match self.channel {
            Channel::U8 => bits as f32 / 255.0,
            Channel::U16 => bits as f32 / 65535.0,
            // The smallest integer and its successor both become -1.
            Channel::S8 => (bits as i32 as f32 / 127.0).max(-1.0),
            Channel::S16 => (bits as i32 as f32 / 32767.0).max(-1.0),
            _ => f32::from_bits(bits),
        }
    }
}

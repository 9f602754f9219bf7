//! Device partitions, as `CUdevResource` describes them. Kernels use the whole device, regardless
//! of the partition. The partitions only record what each context was given.

use outhaul_abi::types::CUdevResource;
use outhaul_abi::types::values::{DEV_RESOURCE_TYPE_INVALID, DEV_RESOURCE_TYPE_SM};

use crate::driver::system::error::{Error, Result};

/// A range of a device's multiprocessors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiprocessorRange {
    /// The device's ordinal.
    pub device: i32,
    /// The first multiprocessor's number.
    pub first: u32,
    /// Number of multiprocessors.
    pub count: u32,
    /// Number of the split that produced the range, or 0 for a whole device or a green context's
    /// resource.
    pub split: u32,
}

/// Marker in the structure's driver-private words, before the range's fields.
const OURS: u32 = u32::from_le_bytes(*b"soft");

impl MultiprocessorRange {
    /// Returns the range as a `CUdevResource`.
    pub fn described(&self) -> CUdevResource {
        let kind = if self.count > 0 { DEV_RESOURCE_TYPE_SM } else { DEV_RESOURCE_TYPE_INVALID };
        let mut own = [0; 23];
        own[..5].copy_from_slice(&[OURS, self.device as u32, self.first, self.count, self.split]);
        let whole = u32::from(self.split == 0);
        CUdevResource {
            type_: kind,
            own,
            smCount: self.count,
            minSmPartitionSize: whole,
            smCoscheduledAlignment: whole,
            rest: [0; 9],
        }
    }

    /// Returns the range that a `CUdevResource` describes.
    pub fn read(resource: &CUdevResource) -> Result<MultiprocessorRange> {
        let [ours, device, first, count, split, ..] = resource.own;
        if resource.type_ != DEV_RESOURCE_TYPE_SM || ours != OURS || count == 0 {
            return Err(Error::InvalidResourceType);
        }
        Ok(MultiprocessorRange { device: device as i32, first, count, split })
    }

    /// Splits the range into at most `wanted` ranges of at least `count_min` multiprocessors each.
    /// Returns these ranges and the rest.
    pub fn split(
        &self,
        count_min: u32,
        wanted: u32,
        split: u32,
    ) -> Result<(Vec<MultiprocessorRange>, MultiprocessorRange)> {
        if self.split != 0 || count_min > self.count {
            return Err(Error::InvalidResourceConfiguration);
        }
        let size = count_min.max(1);
        let number = (self.count / size).min(wanted);
        let part = |place: u32| MultiprocessorRange {
            first: self.first + place * size,
            count: size,
            split,
            ..*self
        };
        let rest = MultiprocessorRange {
            first: self.first + number * size,
            count: self.count - number * size,
            split,
            ..*self
        };
        Ok(((0..number).map(part).collect(), rest))
    }

    /// Joins several ranges of one split.
    pub fn joined(parts: &[MultiprocessorRange]) -> Result<MultiprocessorRange> {
        let (first, others) = parts.split_first().ok_or(Error::InvalidValue)?;
        let belongs = |part: &MultiprocessorRange| {
            part.device == first.device && part.split == first.split && first.split != 0
        };
        if !others.iter().all(belongs) {
            return Err(Error::InvalidResourceConfiguration);
        }
        Ok(MultiprocessorRange {
            count: parts.iter().map(|part| part.count).sum(),
            split: 0,
            ..*first
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_disjoint_and_are_split_once() {
        let whole = MultiprocessorRange { device: 0, first: 0, count: 10, split: 0 };
        let (parts, rest) = whole.split(4, 9, 7).unwrap();
        assert_eq!(parts.iter().map(|p| (p.first, p.count)).collect::<Vec<_>>(), [(0, 4), (4, 4)]);
        assert_eq!((rest.first, rest.count), (8, 2));
        assert_eq!(parts[0].split(1, 1, 8), Err(Error::InvalidResourceConfiguration));
        assert_eq!(whole.split(11, 1, 8), Err(Error::InvalidResourceConfiguration));
        assert_eq!(MultiprocessorRange::joined(&[parts[0], rest]).unwrap().count, 6);
        let (others, _) = whole.split(4, 1, 8).unwrap();
        assert_eq!(
            MultiprocessorRange::joined(&[parts[0], others[0]]),
            Err(Error::InvalidResourceConfiguration)
        );
        assert_eq!(MultiprocessorRange::read(&parts[1].described()), Ok(parts[1]));
        assert_eq!(whole.split(10, 1, 7).unwrap().1.described().type_, DEV_RESOURCE_TYPE_INVALID);
    }
}

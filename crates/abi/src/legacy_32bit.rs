//! Conversion between the 32-bit forms of functions and the later ones: inputs are widened, results
//! are narrowed. Deliberately absent: which program may call which form.

use crate::types::*;
use std::mem::MaybeUninit;

/// A type of the 32-bit forms.
pub trait Older: Copy {
    /// The type of the later forms.
    type Later: Plain;

    /// Converts an input.
    fn widen(self) -> Self::Later;

    /// Returns None if the value does not fit.
    fn narrow(later: Self::Later) -> Option<Self>;
}

/// A size; one that does not fit becomes the largest value of 32 bits.
impl Older for u32 {
    type Later = usize;

    fn widen(self) -> usize {
        self as usize
    }

    fn narrow(later: usize) -> Option<u32> {
        Some(u32::try_from(later).unwrap_or(u32::MAX))
    }
}

impl Older for CUdeviceptr_v1 {
    type Later = CUdeviceptr;

    fn widen(self) -> CUdeviceptr {
        self.0.into()
    }

    fn narrow(later: CUdeviceptr) -> Option<CUdeviceptr_v1> {
        u32::try_from(later).ok().map(CUdeviceptr_v1)
    }
}

macro_rules! structs {
    ($($older:ident => $later:ident {
        wide: $($wide:ident)*; same: $($same:ident)*; $(new: $($new:ident)*;)?
    })*) => {$(
        impl Older for $older {
            type Later = $later;

            fn widen(self) -> $later {
                $later { $($wide: self.$wide.widen(),)* $($same: self.$same,)* $($($new: 0,)*)? }
            }

            fn narrow(later: $later) -> Option<$older> {
                Some($older { $($wide: Older::narrow(later.$wide)?,)* $($same: later.$same,)* })
            }
        }
    )*};
}

structs! {
    CUDA_MEMCPY2D_v1 => CUDA_MEMCPY2D {
        wide: srcXInBytes srcY srcDevice srcPitch dstXInBytes dstY dstDevice dstPitch WidthInBytes
        Height;
        same: srcMemoryType srcHost srcArray dstMemoryType dstHost dstArray;
    }
    CUDA_MEMCPY3D_v1 => CUDA_MEMCPY3D {
        wide: srcXInBytes srcY srcZ srcLOD srcDevice srcPitch srcHeight dstXInBytes dstY dstZ
        dstLOD dstDevice dstPitch dstHeight
            WidthInBytes Height Depth;
        same: srcMemoryType srcHost srcArray reserved0 dstMemoryType dstHost dstArray reserved1;
    }
    CUDA_ARRAY_DESCRIPTOR_v1 =>
        CUDA_ARRAY_DESCRIPTOR { wide: Width Height; same: Format NumChannels; }
    CUDA_ARRAY3D_DESCRIPTOR_v1 =>
        CUDA_ARRAY3D_DESCRIPTOR {
            wide: Width Height Depth; same: Format NumChannels Flags; new: pad;
        }
}

/// Returns the value in the later form.
pub fn widen<T: Older>(older: T) -> T::Later {
    older.widen()
}

/// Returns the program's description in the later form.
///
/// # Safety
/// `place` is null or readable.
pub unsafe fn read<T: Older>(place: *const T) -> Option<T::Later> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { place.as_ref() }.map(|older| older.widen())
}

/// Returns a pointer to the value, or null.
pub fn pointer<T>(later: &Option<T>) -> *const T {
    later.as_ref().map_or(std::ptr::null(), std::ptr::from_ref)
}

/// Returns room for a result, if the program has room for its older form.
pub fn room<T: Older>(place: *mut T) -> Option<T::Later> {
    // SAFETY: plain numbers, for which zero is a value.
    (!place.is_null()).then(|| unsafe { MaybeUninit::zeroed().assume_init() })
}

/// Returns a pointer to the room, or null.
pub fn place<T>(later: &mut Option<T>) -> *mut T {
    later.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut)
}

/// Passes a result to the program. Fails if it does not fit the older form.
///
/// # Safety
/// `place` is null or valid for writes of a `T`.
pub unsafe fn give<T: Older>(place: *mut T, later: Option<T::Later>) -> Result<(), CUresult> {
    let Some(later) = later else { return Ok(()) };
    let older = T::narrow(later).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: not null, since there is a result; the caller promises room.
    unsafe { place.write(older) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_sizes_are_clamped_and_large_addresses_are_refused() {
        assert_eq!((u32::narrow(7), u32::narrow(1 << 40)), (Some(7), Some(u32::MAX)));
        assert_eq!(CUdeviceptr_v1::narrow(7), Some(CUdeviceptr_v1(7)));
        assert_eq!(CUdeviceptr_v1::narrow(1 << 40), None);
        let (mut size, mut address) = (1u32, CUdeviceptr_v1(1));
        // SAFETY: locals.
        unsafe {
            assert_eq!(give(&mut size, Some(1 << 40)), Ok(()));
            assert_eq!(give(&mut address, Some(1 << 40)), Err(CUresult::INVALID_VALUE));
            assert_eq!(
                give::<u32>(std::ptr::null_mut(), room::<u32>(std::ptr::null_mut())),
                Ok(())
            );
        }
        assert_eq!((size, address), (u32::MAX, CUdeviceptr_v1(1)));
    }
}

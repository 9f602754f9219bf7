//! Conversion between the 32-bit forms of functions and the later ones. Inputs are widened, and
//! results are narrowed. Deliberately absent: rules about which program may call which form.

use crate::types::*;
use std::mem::MaybeUninit;

/// A type in the 32-bit forms of functions.
pub trait Older: Copy {
    /// The corresponding type in the later forms.
    type Later: Plain;

    /// Converts an input to the later type.
    fn widen(self) -> Self::Later;

    /// Converts a result to the older type. Returns None if the value does not fit.
    fn narrow(later: Self::Later) -> Option<Self>;
}

/// A size. If a result does not fit, it becomes the largest 32-bit value.
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

/// Returns the value in its later form.
pub fn widen<T: Older>(older: T) -> T::Later {
    older.widen()
}

/// Returns the program's description in its later form, or None for null.
///
/// # Safety
///
/// `place` is null or valid for reads.
pub unsafe fn read<T: Older>(place: *const T) -> Option<T::Later> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { place.as_ref() }.map(|older| older.widen())
}

/// Returns a pointer to the value, or null.
pub fn pointer<T>(later: &Option<T>) -> *const T {
    later.as_ref().map_or(std::ptr::null(), std::ptr::from_ref)
}

/// Returns a zeroed value of the later form for a result, or None if `place` is null.
pub fn room<T: Older>(place: *mut T) -> Option<T::Later> {
    // SAFETY: a `Plain` type consists of numbers, for which all-zero bytes are valid.
    (!place.is_null()).then(|| unsafe { MaybeUninit::zeroed().assume_init() })
}

/// Returns a pointer to the value, or null.
pub fn place<T>(later: &mut Option<T>) -> *mut T {
    later.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut)
}

/// Writes a result to `place` in its older form. Fails if the result does not fit.
///
/// # Safety
///
/// `place` is null or valid for writes of a `T`.
pub unsafe fn give<T: Older>(place: *mut T, later: Option<T::Later>) -> Result<(), CUresult> {
    let Some(later) = later else { return Ok(()) };
    let older = T::narrow(later).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: not null, since `later` has a value; the caller guarantees that it is valid for
    // writes.
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
        // SAFETY: the pointers are null or point to locals.
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

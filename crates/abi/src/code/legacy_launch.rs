//! Launches with the functions that preceded CUDA 4.0. A program sets a function's block shape,
//! shared memory and parameters one after the other. The launch itself has only the grid.

use crate::types::CUresult;

/// Maximum size of a launch's parameters in bytes.
const PARAMETER_BYTES_MAX: usize = 32_764;

/// Settings for the next launch of a function.
#[derive(Clone, Default)]
pub struct LaunchState {
    /// Block shape; all zero until the program sets it.
    pub block: [u32; 3],
    /// Size of the dynamic shared memory in bytes.
    pub shared_bytes: u32,
    params: Vec<u8>,
    bytes: usize,
}

impl LaunchState {
    /// Sets the total size of the parameters in bytes. Fails above the limit.
    pub fn set_bytes(&mut self, bytes: u32) -> Result<(), CUresult> {
        if bytes as usize > PARAMETER_BYTES_MAX {
            return Err(CUresult::INVALID_VALUE);
        }
        self.bytes = bytes as usize;
        Ok(())
    }

    /// Sets a parameter, or a part of one. Fails if its end exceeds the limit.
    pub fn set(&mut self, offset: i32, value: &[u8]) -> Result<(), CUresult> {
        let start = usize::try_from(offset).map_err(|_| CUresult::INVALID_VALUE)?;
        let end = start
            .checked_add(value.len())
            .filter(|end| *end <= PARAMETER_BYTES_MAX)
            .ok_or(CUresult::INVALID_VALUE)?;
        if self.params.len() < end {
            self.params.resize(end, 0);
        }
        self.params[start..end].copy_from_slice(value);
        Ok(())
    }

    /// Returns the parameters for launching a function that takes at least `bytes_min` bytes. Bytes
    /// that the program has not set are zero.
    pub fn packed(&self, bytes_min: usize) -> Vec<u8> {
        let mut packed = self.params.clone();
        packed.truncate(self.bytes.max(bytes_min));
        packed.resize(self.bytes.max(bytes_min), 0);
        packed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_were_not_set_are_zero() {
        let mut state = LaunchState::default();
        state.set(4, &[1, 2]).unwrap();
        state.set_bytes(5).unwrap();
        assert_eq!(state.packed(0), [0, 0, 0, 0, 1]);
        assert_eq!(state.packed(8), [0, 0, 0, 0, 1, 2, 0, 0]);
        for (offset, bytes) in [(-1, 1), (32_764, 1), (i32::MAX, 8)] {
            assert_eq!(state.set(offset, &vec![0; bytes]), Err(CUresult::INVALID_VALUE));
        }
        assert_eq!(state.set_bytes(32_765), Err(CUresult::INVALID_VALUE));
    }
}

//! Access to pages of the program, which may unmap or protect them at any time. No access here can
//! fault.

use outhaul_abi::memory::page_access::{read, write};

/// Number of bytes that are read at once, and that a program usually writes at once.
pub(super) const UNIT_BYTES: usize = 8;
/// Number of units that one comparison covers, as many as a page has.
pub(super) const PART_UNITS: usize = 512;
const PART_BYTES: usize = PART_UNITS * UNIT_BYTES;
/// Number of units that are copied at once.
const COPY_UNITS: usize = 16 * PART_UNITS;

/// Calls `compare` with the present values of `units`, which begin at `address`, part by part:
/// with the address of their copies, the number of the first unit in `units`, and the units. Leaves
/// out parts that cannot be read.
pub(super) fn compare_copies(
    address: usize,
    units: &mut [u64],
    mut compare: impl FnMut(usize, usize, &mut [u64]),
) {
    let mut copy = vec![0; units.len().min(COPY_UNITS)];
    // SAFETY: both sizes are the same, and any bytes are a u64.
    let bytes_of = |copy: &mut [u64]| unsafe {
        std::slice::from_raw_parts_mut(copy.as_mut_ptr().cast::<u8>(), size_of_val(copy))
    };
    for (i, many) in units.chunks_mut(COPY_UNITS).enumerate() {
        let copy = &mut copy[..many.len()];
        let start = i * COPY_UNITS;
        let is_whole = read(address + start * UNIT_BYTES, bytes_of(copy));
        let parts = copy.chunks_mut(PART_UNITS).zip(many.chunks_mut(PART_UNITS));
        for (j, (copy, part)) in parts.enumerate() {
            let unit = start + j * PART_UNITS;
            if is_whole || read(address + unit * UNIT_BYTES, bytes_of(copy)) {
                compare(copy.as_ptr() as usize, unit, part);
            }
        }
    }
}

/// Writes the bytes that can be written, page by page if not all can.
///
/// # Safety
/// Memory at `address` that can be written is meant for these bytes.
pub(super) unsafe fn write_present(address: usize, bytes: &[u8]) {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        if write(address, bytes) {
            return;
        }
        let first = (PART_BYTES - address % PART_BYTES).min(bytes.len());
        let (head, rest) = bytes.split_at(first);
        write(address, head);
        for (i, part) in rest.chunks(PART_BYTES).enumerate() {
            write(address + first + i * PART_BYTES, part);
        }
    }
}

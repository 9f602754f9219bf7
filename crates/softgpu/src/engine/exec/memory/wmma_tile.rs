//! The instructions that move matrix tiles between memory and fragments: `wmma.load` and
//! `wmma.store`.

use crate::engine::exec::arithmetic::matrix::{Tile, element_bits, set_element};
use crate::engine::exec::blocks::block::{Block, Thread};

/// Returns the running thread's fragment.
pub unsafe extern "C" fn fragment(block: *mut Block, thread: *mut Thread) -> *mut u32 {
    // SAFETY: compiled code passes the running thread and its block.
    unsafe { (*block).fragment((*thread).index as usize).as_mut_ptr() }
}

/// Implements `wmma.load`.
pub unsafe extern "C" fn load_tile(
    block: *mut Block,
    thread: *mut Thread,
    address: u64,
    stride: u64,
    packed: u64,
) {
    let tile = Tile::unpack(packed);
    // SAFETY: as for `fragment`. A bad address faults like any bad access of the kernel.
    unsafe {
        let lane = (*thread).lane as usize;
        let fragment = (*block).fragment((*thread).index as usize);
        for (index, distance) in tile.elements(lane, stride) {
            let bits = match tile.element.bits() {
                4 => u64::from(*(address as *const u8).add(distance / 2) >> (distance % 2 * 4)),
                8 => u64::from(*(address as *const u8).add(distance)),
                16 => u64::from((address as *const u16).add(distance).read_unaligned()),
                32 => u64::from((address as *const u32).add(distance).read_unaligned()),
                _ => (address as *const u64).add(distance).read_unaligned(),
            };
            set_element(fragment, tile.element, index, bits);
        }
    }
}

/// Implements `wmma.store`.
pub unsafe extern "C" fn store_tile(
    block: *mut Block,
    thread: *mut Thread,
    address: u64,
    stride: u64,
    packed: u64,
) {
    let tile = Tile::unpack(packed);
    // SAFETY: as for `load_tile`.
    unsafe {
        let lane = (*thread).lane as usize;
        let fragment = (*block).fragment((*thread).index as usize);
        for (index, distance) in tile.elements(lane, stride) {
            let bits = element_bits(fragment, tile.element, index);
            match tile.element.bits() {
                16 => (address as *mut u16).add(distance).write_unaligned(bits as u16),
                32 => (address as *mut u32).add(distance).write_unaligned(bits as u32),
                _ => (address as *mut u64).add(distance).write_unaligned(bits),
            }
        }
    }
}

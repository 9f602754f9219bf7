//! Computes a page's digest as `kernels/dirty_scan.cu` does, which explains the digest. A page of
//! zeros has the digest 0.

/// Size of a page in bytes.
pub const PAGE_BYTES: u64 = 4096;

/// A digest of 128 bits, large enough that two different contents of a page practically never have
/// the same one.
pub type Digest = [u64; 2];

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xc2b2_ae3d_27d4_eb4f;
const THIRD: u64 = 0xff51_afd7_ed55_8ccd;
const FOURTH: u64 = 0xc4ce_b9fe_1a85_ec53;
const LANES: usize = 32;

fn stir(value: u64, factor: u64) -> u64 {
    let value = value.wrapping_mul(factor);
    let value = (value ^ value >> 31).wrapping_mul(THIRD);
    value ^ value >> 29
}

/// Returns each page's digest; the last page may be incomplete.
pub fn of_pages(bytes: &[u8]) -> impl Iterator<Item = Digest> {
    bytes.chunks(PAGE_BYTES as usize).map(|page| match page.try_into() {
        Ok(page) => of_page(page),
        Err(_) => {
            let mut whole = [0; PAGE_BYTES as usize];
            whole[..page.len()].copy_from_slice(page);
            of_page(&whole)
        }
    })
}

fn of_page(page: &[u8; PAGE_BYTES as usize]) -> Digest {
    let (mut one, mut other) = ([0u64; LANES], [0u64; LANES]);
    for part in page.as_chunks::<{ 16 * LANES }>().0 {
        // Each lane has two adjacent words.
        let words = part.as_chunks::<16>().0;
        for half in [0, 8] {
            for lane in 0..LANES {
                let word =
                    u64::from_le_bytes(words[lane][half..half + 8].try_into().unwrap_or_default());
                let mixed = (one[lane] ^ word).wrapping_mul(FIRST);
                one[lane] = mixed ^ mixed >> 29;
                other[lane] = other[lane].wrapping_mul(SECOND).wrapping_add(one[lane]);
            }
        }
    }
    (0..LANES).fold([0, 0], |[first, second], lane| {
        let factor = |base: u64, step: u64| base.wrapping_add(step.wrapping_mul(2 * lane as u64));
        [
            first.wrapping_add(stir(one[lane], factor(FOURTH, FIRST))),
            second.wrapping_add(stir(other[lane], factor(SECOND, FOURTH))),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_its_place_count() {
        let mut page = [0u8; PAGE_BYTES as usize];
        let digest = |page: &[u8]| of_pages(page).next().unwrap();
        assert_eq!(digest(&page), [0, 0]);
        let mut seen = std::collections::HashSet::new();
        for at in 0..page.len() {
            for value in [1, 0x80] {
                page[at] = value;
                let [one, other] = digest(&page);
                assert!(seen.insert(one) && seen.insert(other), "byte {at} is {value}");
                page[at] = 0;
            }
        }
        assert_eq!(of_pages(&[7; 5000]).count(), 2);
    }
}

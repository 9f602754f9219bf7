//! Matrix products that a warp computes together. Each lane copies its registers into a fragment,
//! and the last lane to arrive computes the product for all lanes. Half-precision products are
//! summed in f64 and rounded once, which PTX allows. Sparse matrices and architecture-specific
//! shapes are deliberately absent.

use super::half::{Round, bf16_to_f32, f16_to_f32, f64_to_bf16, f64_to_f16};
use super::math::number;

/// Maximum number of registers of A, B and C together that a lane holds.
pub const FRAGMENT_WORDS: usize = 32;
const LANES: usize = 32;
/// Maximum number of elements in a matrix, for example m64 by k16.
const ELEMENTS_MAX: usize = 2048;

/// A lane's registers.
pub type Fragment = [u32; FRAGMENT_WORDS];

/// Element type. The discriminants are part of the interface to compiled code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Element {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S8,
    U8,
    S4,
    U4,
    S32,
}

impl Element {
    const ALL: [Element; 10] = [
        Element::F16,
        Element::Bf16,
        Element::Tf32,
        Element::F32,
        Element::F64,
        Element::S8,
        Element::U8,
        Element::S4,
        Element::U4,
        Element::S32,
    ];

    /// Returns the element type with this PTX name.
    pub fn parse(text: &str) -> Option<Element> {
        let names = ["f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s4", "u4", "s32"];
        names.iter().position(|name| *name == text).map(|at| Element::ALL[at])
    }

    /// Returns the size of an element in bits.
    pub fn bits(self) -> usize {
        match self {
            Element::S4 | Element::U4 => 4,
            Element::S8 | Element::U8 => 8,
            Element::F16 | Element::Bf16 => 16,
            Element::F64 => 64,
            _ => 32,
        }
    }

    fn integer(self) -> bool {
        matches!(self, Element::S8 | Element::U8 | Element::S4 | Element::U4 | Element::S32)
    }

    /// Returns the value of the element in the lowest bits of `bits`. f64 represents every value
    /// exactly.
    fn value(self, bits: u64) -> f64 {
        match self {
            Element::F16 => f64::from(f16_to_f32(bits as u16)),
            Element::Bf16 => f64::from(bf16_to_f32(bits as u16)),
            Element::Tf32 => f64::from(f32::from_bits(bits as u32 & !0x1FFF)),
            Element::F32 => f64::from(f32::from_bits(bits as u32)),
            Element::F64 => f64::from_bits(bits),
            Element::S8 => f64::from(bits as i8),
            Element::U8 => f64::from(bits as u8),
            Element::S4 => f64::from((bits as i8) << 4 >> 4),
            Element::U4 => f64::from(bits as u8 & 15),
            Element::S32 => f64::from(bits as i32),
        }
    }

    fn bits_of(self, value: f64) -> u64 {
        match self {
            Element::F16 => u64::from(f64_to_f16(value, Round::Nearest)),
            Element::Bf16 => u64::from(f64_to_bf16(value, Round::Nearest)),
            Element::F64 => value.to_bits(),
            _ => u64::from(number(value as f32)),
        }
    }
}

/// A form of `mma` or `wmma.mma`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    /// Number of rows of A and C.
    pub m: usize,
    /// Number of columns of B and C.
    pub n: usize,
    /// Number of columns of A and rows of B.
    pub k: usize,
    /// Element type of A.
    pub a: Element,
    /// Element type of B.
    pub b: Element,
    /// Element type of C.
    pub c: Element,
    /// Element type of the result D.
    pub d: Element,
    /// Number of words in a lane's fragments of A, B and C.
    pub words: [usize; 3],
    /// Whether the fragments belong to `wmma`, whose fragment layout this engine may choose.
    pub opaque: bool,
    /// Whether integer sums saturate.
    pub saturate: bool,
}

impl Product {
    /// Packs the form into one number, for compiled code.
    pub fn pack(self) -> u64 {
        let fields = [
            (self.m, 8),
            (self.n, 8),
            (self.k, 8),
            (self.a as usize, 4),
            (self.b as usize, 4),
            (self.c as usize, 4),
            (self.d as usize, 4),
            (self.words[0], 6),
            (self.words[1], 6),
            (self.words[2], 6),
            (usize::from(self.opaque), 1),
            (usize::from(self.saturate), 1),
        ];
        fields.iter().rev().fold(0, |packed, (value, bits)| packed << bits | *value as u64)
    }

    fn unpack(mut packed: u64) -> Product {
        let mut take = |bits: u32| {
            let value = packed & ((1 << bits) - 1);
            packed >>= bits;
            value as usize
        };
        let element = |index: usize| Element::ALL[index.min(9)];
        Product {
            m: take(8),
            n: take(8),
            k: take(8),
            a: element(take(4)),
            b: element(take(4)),
            c: element(take(4)),
            d: element(take(4)),
            words: [take(6), take(6), take(6)],
            opaque: take(1) != 0,
            saturate: take(1) != 0,
        }
    }
}

#[derive(Clone, Copy)]
enum Role {
    A,
    B,
    C,
}

/// Returns the row and column of element `index` in a lane's fragment, which has `words` words.
fn place(
    product: &Product,
    role: Role,
    element: Element,
    words: usize,
    lane: usize,
    index: usize,
) -> (usize, usize) {
    let (rows, columns) = match role {
        Role::A => (product.m, product.k),
        Role::B => (product.k, product.n),
        Role::C => (product.m, product.n),
    };
    if product.opaque {
        let at = (lane * (words * 32 / element.bits()) + index) % (rows * columns);
        return (at / columns, at % columns);
    }
    let (group, within) = (lane / 4, lane % 4);
    // Number of elements in a register. They are neighbours along K.
    let packed = (32 / element.bits()).max(1);
    let (register, part) = (index / packed, index % packed);
    match role {
        Role::A if product.m == 8 => (group, within * packed + part + register * 4 * packed),
        Role::A => (group + 8 * (register % 2), within * packed + part + register / 2 * 4 * packed),
        Role::B => (within * packed + part + register * 4 * packed, group),
        Role::C => (group + 8 * (index / 2), within * 2 + index % 2),
    }
}

/// Returns the bits of element `index`.
pub fn element_bits(fragment: &[u32], element: Element, index: usize) -> u64 {
    let bits = element.bits();
    if bits == 64 {
        return u64::from(fragment[index * 2]) | u64::from(fragment[index * 2 + 1]) << 32;
    }
    u64::from(fragment[index * bits / 32] >> (index * bits % 32))
}

/// Sets the bits of element `index`.
pub fn set_element(fragment: &mut [u32], element: Element, index: usize, value: u64) {
    let bits = element.bits();
    if bits == 64 {
        (fragment[index * 2], fragment[index * 2 + 1]) = (value as u32, (value >> 32) as u32);
        return;
    }
    let (word, shift) = (index * bits / 32, index * bits % 32);
    let mask = if bits == 32 { u32::MAX } else { ((1 << bits) - 1) << shift };
    fragment[word] = fragment[word] & !mask | (value as u32) << shift & mask;
}

/// Multiplies the matrices of a whole warp. Each fragment holds A, B and C one after another, and D
/// overwrites the start of the fragment.
pub fn multiply(fragments: &mut [Fragment], packed: u64) {
    let product = Product::unpack(packed);
    let [a_words, b_words, c_words] = product.words;
    let gather = |role: Role, element: Element, from: usize, words: usize, columns: usize| {
        let mut matrix = vec![0.0; ELEMENTS_MAX];
        for (lane, fragment) in fragments.iter().enumerate() {
            for index in 0..words * 32 / element.bits() {
                let (row, column) = place(&product, role, element, words, lane, index);
                matrix[row * columns + column] =
                    element.value(element_bits(&fragment[from..], element, index));
            }
        }
        matrix
    };
    let a = gather(Role::A, product.a, 0, a_words, product.k);
    let b = gather(Role::B, product.b, a_words, b_words, product.n);
    let c = gather(Role::C, product.c, a_words + b_words, c_words, product.n);
    let mut d = vec![0; ELEMENTS_MAX];
    for row in 0..product.m {
        for column in 0..product.n {
            let start = c[row * product.n + column];
            let terms = (0..product.k).map(|k| (a[row * product.k + k], b[k * product.n + column]));
            let sum = terms.fold(start, |sum, (a, b)| f64::mul_add(a, b, sum));
            d[row * product.n + column] = if product.d.integer() {
                whole(sum, product.saturate)
            } else {
                product.d.bits_of(sum)
            };
        }
    }
    let d_words = (product.m * product.n * product.d.bits() / 32).div_ceil(LANES);
    for (lane, fragment) in fragments.iter_mut().enumerate() {
        for index in 0..d_words * 32 / product.d.bits() {
            let (row, column) = place(&product, Role::C, product.d, d_words, lane, index);
            set_element(fragment, product.d, index, d[row * product.n + column]);
        }
    }
}

/// Returns an exact integer sum as 32 bits, which wrap or saturate.
fn whole(sum: f64, saturate: bool) -> u64 {
    let sum = sum as i64;
    let kept = if saturate { sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) } else { sum };
    u64::from(kept as u32)
}

/// Implements `ldmatrix`. Lane 8j + i gives the address of row i in matrix j. Every lane receives
/// two neighbouring elements of each matrix.
///
/// # Safety
/// The addresses come from the kernel, and a bad one faults like any bad access of the kernel.
pub unsafe fn load_rows(
    fragments: &mut [Fragment],
    addresses: &[u64],
    matrices: usize,
    transposed: bool,
) {
    for matrix in 0..matrices {
        for (lane, fragment) in fragments.iter_mut().enumerate() {
            let half = |row: usize, column: usize| {
                let row = addresses.get(matrix * 8 + row).copied().unwrap_or(0) as *const u16;
                // SAFETY: the caller upholds this function's contract.
                u32::from(unsafe { row.add(column).read_unaligned() })
            };
            let (major, minor) = (lane / 4, lane % 4 * 2);
            let (low, high) = if transposed {
                (half(minor, major), half(minor + 1, major))
            } else {
                (half(major, minor), half(major, minor + 1))
            };
            fragment[matrix] = low | high << 16;
        }
    }
}

/// Implements `stmatrix`, the inverse of [`load_rows`].
///
/// # Safety
/// The same as for [`load_rows`].
pub unsafe fn store_rows(
    fragments: &[Fragment],
    addresses: &[u64],
    matrices: usize,
    transposed: bool,
) {
    for matrix in 0..matrices {
        for (lane, fragment) in fragments.iter().enumerate() {
            let (major, minor) = (lane / 4, lane % 4 * 2);
            for part in 0..2 {
                let (row, column) =
                    if transposed { (minor + part, major) } else { (major, minor + part) };
                let row = addresses.get(matrix * 8 + row).copied().unwrap_or(0) as *mut u16;
                // SAFETY: the caller upholds this function's contract.
                unsafe {
                    row.add(column).write_unaligned((fragment[matrix] >> (16 * part)) as u16)
                };
            }
        }
    }
}

/// Implements `movmatrix.trans` for an 8 by 8 matrix of halves across the warp.
pub fn transpose(fragments: &mut [Fragment]) {
    let mut all = [[0u16; 8]; 8];
    for (lane, fragment) in fragments.iter().enumerate() {
        (all[lane / 4][lane % 4 * 2], all[lane / 4][lane % 4 * 2 + 1]) =
            (fragment[0] as u16, (fragment[0] >> 16) as u16);
    }
    for (lane, fragment) in fragments.iter_mut().enumerate() {
        let (row, column) = (lane / 4, lane % 4 * 2);
        fragment[0] = u32::from(all[column][row]) | u32::from(all[column + 1][row]) << 16;
    }
}

/// The matrix that `wmma.load` or `wmma.store` accesses.
#[derive(Debug, Clone, Copy)]
pub struct Tile {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Whether columns are contiguous in memory.
    pub column_major: bool,
    /// Element type.
    pub element: Element,
    /// Number of words in a lane's fragment.
    pub words: usize,
}

impl Tile {
    /// Packs the tile into one number, for compiled code.
    pub fn pack(self) -> u64 {
        (self.rows
            | self.columns << 8
            | self.words << 16
            | (self.element as usize) << 24
            | usize::from(self.column_major) << 28) as u64
    }

    /// Unpacks a tile from the number that [`Tile::pack`] returned.
    pub fn unpack(packed: u64) -> Tile {
        Tile {
            rows: packed as usize & 0xFF,
            columns: packed as usize >> 8 & 0xFF,
            words: packed as usize >> 16 & 0xFF,
            element: Element::ALL[(packed as usize >> 24 & 0xF).min(9)],
            column_major: packed >> 28 & 1 != 0,
        }
    }

    /// Returns the index of each element of a lane, with its offset in memory in elements.
    pub fn elements(self, lane: usize, stride: u64) -> impl Iterator<Item = (usize, usize)> {
        let count = self.words * 32 / self.element.bits();
        (0..count).map(move |index| {
            let at = (lane * count + index) % (self.rows * self.columns);
            let (row, column) = (at / self.columns, at % self.columns);
            (
                index,
                if self.column_major {
                    column * stride as usize + row
                } else {
                    row * stride as usize + column
                },
            )
        })
    }
}

//! `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`. The code copies registers to the lane's
//! fragment, the warp computes, and the code copies the results back.

use cranelift_codegen::ir::{InstBuilder, Value, types};

use crate::engine::exec::arithmetic::matrix::{Element, FRAGMENT_WORDS, Product, Tile};
use crate::engine::exec::blocks::warp::Op;
use crate::engine::exec::memory::wmma_tile;
use crate::engine::lower::function::{Lower, plain};
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::{Operand, Space};
use crate::engine::syntax::types::Ty;

const ALL_LANES: u64 = 0xFFFF_FFFF;

impl<'a> Lower<'a, '_> {
    /// Lowers a matrix instruction.
    pub fn matrix(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let words: Vec<&str> = op.modifiers().collect();
        match (op.base, &words[..], operands) {
            ("mma", ["sync", "aligned", shape, "row", "col", rest @ ..], [d, a, b, c]) => {
                let Some(product) = product(shape, rest, [a, b, c], false) else {
                    return self.unsupported(op.text);
                };
                self.matrix_product(product, [d, a, b, c])
            }
            (
                "wmma",
                ["mma", "sync", "aligned", "row" | "col", "row" | "col", shape, rest @ ..],
                [d, a, b, c],
            ) => {
                let Some(product) = product(shape, rest, [a, b, c], true) else {
                    return self.unsupported(op.text);
                };
                self.matrix_product(product, [d, a, b, c])
            }
            (
                "wmma",
                ["load", role, "sync", "aligned", layout, shape, .., ty],
                [to, address, stride @ ..],
            ) => {
                let Some(tile) = tile(role, layout, shape, ty, to) else {
                    return self.unsupported(op.text);
                };
                self.move_tile(
                    op,
                    tile,
                    address,
                    stride.first(),
                    wmma_tile::load_tile as *const () as usize,
                )?;
                self.take_words(to, tile.element)
            }
            (
                "wmma",
                ["store", "d", "sync", "aligned", layout, shape, .., ty],
                [address, from, stride @ ..],
            ) => {
                let Some(tile) = tile("d", layout, shape, ty, from) else {
                    return self.unsupported(op.text);
                };
                self.lay_words(&[from], tile.element)?;
                self.move_tile(
                    op,
                    tile,
                    address,
                    stride.first(),
                    wmma_tile::store_tile as *const () as usize,
                )
            }
            (
                "ldmatrix" | "stmatrix",
                ["sync", "aligned", "m8n8", count, rest @ ..],
                [first, second],
            ) => {
                let transposed = rest.first() == Some(&"trans");
                let matrices = match *count {
                    "x1" => 1,
                    "x2" => 2,
                    "x4" => 4,
                    _ => return self.unsupported(op.text),
                };
                if !matches!(
                    rest[usize::from(transposed)..],
                    ["b16"] | ["shared" | "shared::cta", "b16"]
                ) {
                    return self.unsupported(op.text);
                }
                self.rows(op, matrices, transposed, first, second)
            }
            ("movmatrix", ["sync", "aligned", "m8n8", "trans", "b16"], [to, from]) => {
                self.lay_words(&[from], Element::S32)?;
                let zero = self.int(64, 0);
                self.whole_warp(Op::TransposeMatrix, zero, 0)?;
                self.take_words(to, Element::S32)
            }
            _ => self.unsupported(op.text),
        }
    }

    fn whole_warp(&mut self, what: Op, value: Value, detail: u64) -> Lowered<()> {
        let (mask, detail) = (self.int(32, ALL_LANES), self.int(32, detail));
        self.together(what, mask, value, Some([detail, detail])).map(|_| ())
    }

    fn fragment(&mut self) -> Value {
        self.compute(
            wmma_tile::fragment as *const () as usize,
            &[self.block, self.thread],
            types::I64,
        )
    }

    fn matrix_product(&mut self, product: Product, [d, a, b, c]: [&'a Operand; 4]) -> Lowered<()> {
        if product.words.iter().sum::<usize>() > FRAGMENT_WORDS {
            return self.unsupported("a product of this size");
        }
        let wide = if product.a == Element::F64 { Element::F64 } else { Element::S32 };
        self.lay_words(&[a, b, c], wide)?;
        let packed = self.int(64, product.pack());
        self.whole_warp(Op::Matrix, packed, 0)?;
        self.take_words(d, product.d)
    }

    /// Stores registers in the fragment, one after another.
    fn lay_words(&mut self, operands: &[&'a Operand], element: Element) -> Lowered<()> {
        let ty = if element == Element::F64 { Ty::F64 } else { Ty::B32 };
        let mut values = Vec::new();
        for part in operands.iter().flat_map(|operand| parts(operand)) {
            values.push(self.read(part, ty)?);
        }
        let fragment = self.fragment();
        for (index, value) in values.into_iter().enumerate() {
            self.b.ins().store(plain(), value, fragment, index as i32 * ty.bytes() as i32);
        }
        Ok(())
    }

    fn take_words(&mut self, to: &'a Operand, element: Element) -> Lowered<()> {
        let ty = if element == Element::F64 { Ty::F64 } else { Ty::B32 };
        let fragment = self.fragment();
        for (index, part) in parts(to).into_iter().enumerate() {
            let value =
                self.b.ins().load(ty.clif(), plain(), fragment, index as i32 * ty.bytes() as i32);
            self.write(part, ty, value)?;
        }
        Ok(())
    }

    fn move_tile(
        &mut self,
        op: Opcode<'a>,
        tile: Tile,
        address: &'a Operand,
        stride: Option<&'a Operand>,
        how: usize,
    ) -> Lowered<()> {
        let address = self.address(address, op.space())?;
        let address = self.pointer(&address, 0);
        let stride = match stride {
            Some(stride) => {
                let stride = self.read(stride, Ty::U32)?;
                self.b.ins().uextend(types::I64, stride)
            }
            None => self.int(64, if tile.column_major { tile.rows } else { tile.columns } as u64),
        };
        let packed = self.int(64, tile.pack());
        self.helper(how, &[self.block, self.thread, address, stride, packed], None);
        Ok(())
    }

    fn rows(
        &mut self,
        op: Opcode<'a>,
        matrices: u64,
        transposed: bool,
        first: &'a Operand,
        second: &'a Operand,
    ) -> Lowered<()> {
        let load = op.base == "ldmatrix";
        let (registers, address) = if load { (first, second) } else { (second, first) };
        if parts(registers).len() as u64 != matrices {
            return self.malformed(format!(
                "{} with {} registers",
                op.text,
                parts(registers).len()
            ));
        }
        let space = op.has("shared") || op.has("shared::cta");
        let address = self.address(address, space.then_some(Space::Shared))?;
        let address = self.pointer(&address, 0);
        let detail = matrices | u64::from(transposed) << 8;
        if load {
            self.whole_warp(Op::LoadMatrix, address, detail)?;
            return self.take_words(registers, Element::S32);
        }
        self.lay_words(&[registers], Element::S32)?;
        self.whole_warp(Op::StoreMatrix, address, detail)
    }
}

fn parts(operand: &Operand) -> Vec<&Operand> {
    match operand {
        Operand::Vector(all) => all.iter().collect(),
        single => vec![single],
    }
}

/// Parses a shape such as `m16n8k16`.
fn shape(text: &str) -> Option<[usize; 3]> {
    let (m, rest) = text.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
}

/// Returns the product that `.shape{.satfinite}.d.a.b.c` or wmma's `.shape.d.c` describes. Returns
/// `None` if the product is not supported.
fn product(text: &str, rest: &[&str], [a, b, c]: [&Operand; 3], opaque: bool) -> Option<Product> {
    let saturate = rest.contains(&"satfinite");
    let types: Vec<&str> =
        rest.iter().copied().filter(|word| !matches!(*word, "satfinite" | "rn")).collect();
    let elements = match types[..] {
        [d, c] if opaque => [d, "f16", "f16", c],
        [d, a, b, c] => [d, a, b, c],
        _ => return None,
    };
    let [d, a_type, b_type, c_type] = elements.map(Element::parse);
    let [m, n, k] = shape(text)?;
    let registers =
        |operand: &Operand, element: Element| parts(operand).len() * (element.bits() / 32).max(1);
    let (a_type, b_type, c_type, d) = (a_type?, b_type?, c_type?, d?);
    let product = Product {
        m,
        n,
        k,
        a: a_type,
        b: b_type,
        c: c_type,
        d,
        words: [registers(a, a_type), registers(b, b_type), registers(c, c_type)],
        opaque,
        saturate,
    };
    known(&product).then_some(product)
}

fn known(product: &Product) -> bool {
    use Element::{Bf16, F16, F32, F64, S4, S8, S32, Tf32, U4, U8};
    let types = (product.a, product.b, product.c, product.d);
    let shape = (product.m, product.n, product.k);
    let fits = match types {
        (F16, F16, F16 | F32, F16 | F32) | (Bf16, Bf16, F32, F32) if product.opaque => {
            matches!(shape, (16, 16, 16) | (32, 8, 16) | (8, 32, 16))
        }
        (S8 | U8, S8 | U8, S32, S32) if product.opaque => {
            matches!(shape, (16, 16, 16) | (32, 8, 16) | (8, 32, 16))
        }
        (Tf32, Tf32, F32, F32) if product.opaque => shape == (16, 16, 8),
        (F64, F64, F64, F64) if product.opaque => shape == (8, 8, 4),
        _ if product.opaque => false,
        (F16, F16, F16 | F32, F16 | F32) | (Bf16, Bf16, F32, F32) => {
            matches!(shape, (16, 8, 8 | 16))
        }
        (Tf32, Tf32, F32, F32) => matches!(shape, (16, 8, 4 | 8)),
        (F64, F64, F64, F64) => matches!(shape, (8, 8, 4) | (16, 8, 4 | 8 | 16)),
        (S8 | U8, S8 | U8, S32, S32) => matches!(shape, (8, 8, 16) | (16, 8, 16 | 32)),
        (S4 | U4, S4 | U4, S32, S32) => matches!(shape, (8, 8, 32) | (16, 8, 32 | 64)),
        _ => false,
    };
    // The lanes together hold each element exactly once, or at least once with wmma.
    let held = |words: usize, element: Element, elements: usize| {
        let lanes = words * 32 / element.bits() * 32;
        lanes == elements || product.opaque && lanes > 0 && lanes.is_multiple_of(elements)
    };
    fits && held(product.words[0], product.a, product.m * product.k)
        && held(product.words[1], product.b, product.k * product.n)
        && held(product.words[2], product.c, product.m * product.n)
}

fn tile(role: &str, layout: &str, text: &str, ty: &str, registers: &Operand) -> Option<Tile> {
    let [m, n, k] = shape(text)?;
    let (rows, columns) = match role {
        "a" => (m, k),
        "b" => (k, n),
        "c" | "d" => (m, n),
        _ => return None,
    };
    let element = Element::parse(ty)?;
    let words = parts(registers).len() * (element.bits() / 32).max(1);
    let column_major = match layout {
        "row" => false,
        "col" => true,
        _ => return None,
    };
    let per_lane = words * 32 / element.bits();
    let fits = per_lane > 0
        && (per_lane * 32).is_multiple_of(rows * columns)
        && words <= FRAGMENT_WORDS
        && rows < 256
        && columns < 256;
    fits.then_some(Tile { rows, columns, column_major, element, words })
}

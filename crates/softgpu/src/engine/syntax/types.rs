//! PTX's scalar types, and the Cranelift type of each.

use cranelift_codegen::ir::{Type, types};

/// The kind of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// A predicate, stored in a byte.
    Pred,
    /// Bits without an interpretation.
    Bits,
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// An IEEE 754 float.
    Float,
    /// A bfloat16.
    Bf16,
    /// Two halves in 32 bits.
    F16x2,
    /// Two bfloat16 in 32 bits.
    Bf16x2,
}

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty {
    /// Kind.
    pub kind: TypeKind,
    /// Size in bits.
    pub bits: u32,
}

const fn of(kind: TypeKind, bits: u32) -> Ty {
    Ty { kind, bits }
}

/// The types, under the names that PTX uses.
#[allow(missing_docs)]
impl Ty {
    pub const PRED: Ty = of(TypeKind::Pred, 8);
    pub const B8: Ty = of(TypeKind::Bits, 8);
    pub const B16: Ty = of(TypeKind::Bits, 16);
    pub const B32: Ty = of(TypeKind::Bits, 32);
    pub const B64: Ty = of(TypeKind::Bits, 64);
    pub const B128: Ty = of(TypeKind::Bits, 128);
    pub const U8: Ty = of(TypeKind::Unsigned, 8);
    pub const U16: Ty = of(TypeKind::Unsigned, 16);
    pub const U32: Ty = of(TypeKind::Unsigned, 32);
    pub const U64: Ty = of(TypeKind::Unsigned, 64);
    pub const S8: Ty = of(TypeKind::Signed, 8);
    pub const S16: Ty = of(TypeKind::Signed, 16);
    pub const S32: Ty = of(TypeKind::Signed, 32);
    pub const S64: Ty = of(TypeKind::Signed, 64);
    pub const F16: Ty = of(TypeKind::Float, 16);
    pub const F32: Ty = of(TypeKind::Float, 32);
    pub const F64: Ty = of(TypeKind::Float, 64);
    pub const BF16: Ty = of(TypeKind::Bf16, 16);
    pub const F16X2: Ty = of(TypeKind::F16x2, 32);
    pub const BF16X2: Ty = of(TypeKind::Bf16x2, 32);
}

impl Ty {
    /// Returns the type of a modifier without its dot (`u32`, `f16x2`).
    pub fn parse(text: &str) -> Option<Ty> {
        let (kind, bits) = match text {
            "pred" => (TypeKind::Pred, 8),
            "f16x2" => (TypeKind::F16x2, 32),
            "bf16x2" => (TypeKind::Bf16x2, 32),
            "bf16" => (TypeKind::Bf16, 16),
            "f16" => (TypeKind::Float, 16),
            "f32" => (TypeKind::Float, 32),
            "f64" => (TypeKind::Float, 64),
            "b128" => (TypeKind::Bits, 128),
            _ => {
                let kind = match text.as_bytes().first()? {
                    b'b' => TypeKind::Bits,
                    b'u' => TypeKind::Unsigned,
                    b's' => TypeKind::Signed,
                    _ => return None,
                };
                let bits = match &text[1..] {
                    "8" => 8,
                    "16" => 16,
                    "32" => 32,
                    "64" => 64,
                    _ => return None,
                };
                (kind, bits)
            }
        };
        Some(Ty { kind, bits })
    }

    /// Returns the size in bytes.
    pub fn bytes(self) -> u32 {
        self.bits / 8
    }

    /// Returns whether the type is a signed integer.
    pub fn signed(self) -> bool {
        self.kind == TypeKind::Signed
    }

    /// Returns whether the CPU has instructions for this float type.
    pub fn native_float(self) -> bool {
        self.kind == TypeKind::Float && self.bits >= 32
    }

    /// Returns whether the type is a half-precision type, packed or not.
    pub fn half(self) -> bool {
        matches!(self.kind, TypeKind::Bf16 | TypeKind::F16x2 | TypeKind::Bf16x2)
            || (self.kind == TypeKind::Float && self.bits == 16)
    }

    /// Returns whether the type is an integer.
    pub fn integer(self) -> bool {
        matches!(self.kind, TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed)
    }

    /// Returns the Cranelift type.
    pub fn clif(self) -> Type {
        match (self.native_float(), self.bits) {
            (true, 32) => types::F32,
            (true, _) => types::F64,
            (false, bits) => int_type(bits),
        }
    }
}

/// Returns the Cranelift integer type with `bits` bits.
pub fn int_type(bits: u32) -> Type {
    match bits {
        8 => types::I8,
        16 => types::I16,
        32 => types::I32,
        64 => types::I64,
        _ => types::I128,
    }
}

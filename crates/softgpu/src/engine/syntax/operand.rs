//! The operands of instructions.

/// Index of a register in its function.
pub type Reg = u32;

/// An operand of an instruction.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    Reg(Reg),
    Int(u64),
    F32(u32),
    F64(u64),
    /// A variable of the same body, with a byte offset.
    Var(u32, i64),
    /// A global variable, function, parameter or label, with a byte offset.
    Name(Box<str>, i64),
    /// A special register with its component, or a name without a declaration.
    Special(Box<str>),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `[base + offset]`.
    Address(Box<Operand>, i64),
    /// `[a, {b, c}]`: texture coordinates and similar.
    Tuple(Vec<Operand>),
    /// `(a, b)` in a call.
    List(Vec<Operand>),
    /// `!p`.
    Not(Box<Operand>),
    /// `a|b`, which is two results.
    Pair(Box<Operand>, Box<Operand>),
    /// `_`.
    Sink,
}
